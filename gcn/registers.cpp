// Scalar registers that code needs.
#include <algorithm>

#include <amdcompat/gcn_checks.hpp>

#include "rows.hpp"

namespace amdcompat::gcn {
namespace {

enum class Special : u8 { None, Numbered, FlatScratch, XnackMask, Vcc };
// What a scalar operand's code names. [SIA; CIA; VIA: table of scalar operands]
Special special(u32 code, Generation generation) {
  if (code == kVcc || code == kVcc + 1) return Special::Vcc;
  const bool late = generation == Generation::Gfx8 || generation == Generation::Gfx9;
  if (code < (late ? kNumbered : 104)) return Special::Numbered;
  if (code < 104) return Special::FlatScratch;
  if (code < kVcc) return generation == Generation::Gfx7 ? Special::FlatScratch : Special::XnackMask;
  return Special::None;
}

}  // namespace

ScalarUse scalar_use(std::span<const std::byte> code, std::uint32_t entry, Generation generation) {
  ScalarUse out;
  const auto visit = [&](const Instruction& i) {
    // Scratch and flat accesses take their base from FLAT_SCRATCH without naming it.
    out.flat_scratch = out.flat_scratch || i.format == Format::Flat || i.format == Format::Scratch;
    for (const Operand& operand : operands(i, generation)) {
      if (operand.file != File::Scalar) continue;
      const u32 end = u32{operand.first} + operand.dwords;
      if (end <= kNumbered) {
        out.numbered = std::max(out.numbered, end);
        continue;
      }
      for (u32 n = operand.first; n < end; ++n) {
        const Special what = special(n, generation);
        if (what == Special::Numbered) out.numbered = std::max(out.numbered, n + 1);
        out.vcc = out.vcc || what == Special::Vcc;
        out.flat_scratch = out.flat_scratch || what == Special::FlatScratch;
      }
    }
  };
  const bool known = for_each_reachable(code, entry, generation, visit, [&](std::span<const std::byte> at) {
    return quick_scalars(at, generation, out);
  });
  if (!known) out.vcc = out.flat_scratch = true;
  return out;
}

std::uint32_t special_scalars(const ScalarUse& use, Generation generation, bool xnack) {
  if (generation > Generation::Gfx9) return 0;
  if (use.flat_scratch && generation >= Generation::Gfx8) return 6;
  if (use.flat_scratch && generation == Generation::Gfx7) return 4;
  if (xnack && generation >= Generation::Gfx8) return 4;
  return use.vcc ? 2 : 0;
}

std::uint32_t allocated_scalars(std::uint32_t count, Generation generation) {
  const u32 granule = generation <= Generation::Gfx7 ? 8 : 16;
  return (std::max(count, 1u) + granule - 1) / granule * granule;
}

}  // namespace amdcompat::gcn
