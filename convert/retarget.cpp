#include "retarget.hpp"

#include <fmt/format.h>

#include <amdcompat/gcn_checks.hpp>

namespace amdcompat::convert {
namespace {

using u32 = std::uint32_t;
using gcn::Generation;
using gcn::Instruction;

// The same opcode and operands, wherever they stand in the encoding.
bool same(Instruction a, Instruction b) {
  for (Instruction* const i : {&a, &b}) {
    i->row = nullptr;
    i->words = {};
  }
  return a == b;
}
// What a scalar operand's code means on one generation and not on all. [SIA; CIA; VIA: table of scalar operands]
enum class Meaning { Register, FlatScratch, XnackMask, None };
Meaning meaning(u32 code, Generation generation) {
  if (code == 102 || code == 103)
    return generation == Generation::Gfx8 || generation == Generation::Gfx9 ? Meaning::FlatScratch : Meaning::Register;
  if (code != 104 && code != 105) return Meaning::Register;
  switch (generation) {
    case Generation::Gfx6: return Meaning::None;
    case Generation::Gfx7: return Meaning::FlatScratch;
    case Generation::Gfx8:
    case Generation::Gfx9: return Meaning::XnackMask;
    default: return Meaning::Register;
  }
}
bool same_registers(const Instruction& i, Generation from, Generation to) {
  for (const gcn::Operand& operand : gcn::operands(i, from))
    for (u32 n = 0; operand.file == gcn::File::Scalar && !operand.implicit && n < operand.dwords; ++n)
      if (meaning(operand.first + n, from) != meaning(operand.first + n, to)) return false;
  return true;
}

}  // namespace

Result<void> check_retarget(std::span<const std::byte> code, const Target& from, const Target& to) {
  const auto refuse = [](std::string why) {
    return std::unexpected(make_diagnostic(Code::InPlaceOpcode, {}, std::move(why)));
  };
  const auto old_generation = gcn::generation_of(from), new_generation = gcn::generation_of(to);
  if (!old_generation || !new_generation)
    return refuse(fmt::format("instructions of {} and {} cannot be compared here", from.name, to.name));
  const auto check = [&](u32 at) -> Result<void> {
    const Instruction before = gcn::decode(code, at, *old_generation), after = gcn::decode(code, at, *new_generation);
    if (before.row == nullptr)
      return refuse(fmt::format("no {} instruction has the encoding 0x{:08x} at +0x{:x}",
                                gcn::generation_name(*old_generation), before.words[0], at));
    if (same(before, after) && same_registers(before, *old_generation, *new_generation)) return {};
    return refuse(fmt::format("'{}' at +0x{:x} is {} on {}", gcn::disassemble(before, *old_generation), at,
                              after.row == nullptr ? std::string("nothing")
                                                   : fmt::format("'{}'", gcn::disassemble(after, *new_generation)),
                              to.name));
  };
  // What the old code keeps of the new target's distances was not its compiler's concern.
  if (const auto hazards = gcn::hazards(code, 0, *new_generation); !hazards.empty()) {
    const gcn::Hazard& h = hazards.front();
    const auto text = [&](u32 at) { return gcn::disassemble(gcn::decode(code, at, *new_generation), *new_generation); };
    return std::unexpected(make_diagnostic(
        Code::InPlaceHazard, {},
        fmt::format("{}: '{}' at +0x{:x} needs {} wait states before '{}' at +0x{:x} on {}, and has {}", h.rule->text,
                    text(h.first), h.first, h.rule->wait_states, text(h.second), h.second, to.name, h.wait_states)));
  }
  const gcn::ControlFlow flow = gcn::control_flow(code, 0, *old_generation);
  for (const gcn::Block& block : flow.blocks)
    for (const u32 at : block.instructions)
      if (auto checked = check(at); !checked) return checked;
  if (flow.computed.empty()) return {};
  for (u32 at = 0; at + 4u <= code.size(); at += gcn::decode(code, at, *old_generation).dwords * 4u)
    if (auto checked = check(at); !checked) return checked;
  return {};
}

}  // namespace amdcompat::convert
