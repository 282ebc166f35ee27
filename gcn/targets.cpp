// What differs between processors besides rows, and the code that is reachable on one.
#include <algorithm>
#include <optional>

#include <amdcompat/gcn_checks.hpp>

#include "addresses.hpp"
#include "rows.hpp"

namespace amdcompat::gcn {
namespace {

constexpr std::string_view kLlvmFeatures = "LLVM AMDGPU.td, features of processors";
constexpr Erratum kErrata[] = {
    {"sgpr-init", "gfx802 gfx805", "every wavefront has to have 96 scalar registers", kLlvmFeatures},
    {"gfx10.1", "gfx1010 gfx1011 gfx1012 gfx1013 gfx10-1-generic",
     "distances between memory accesses, branches and writes of EXEC, offsets and lengths of image instructions that "
     "later processors do not mind",
     "LLVM AMDGPU.td FeatureISAVersion10_1"},
    {"user-sgpr-init16", "gfx1100 gfx1102 gfx11-generic",
     "wavefronts of 32 lanes have to start with 16 scalar registers", kLlvmFeatures},
    {"gfx11.0", "gfx1100 gfx1101 gfx1102 gfx1103 gfx11-generic",
     "distances after transcendental instructions and between those of 64 bits", kLlvmFeatures},
    {"export-priority", "gfx1150 gfx1151 gfx1152 gfx1153 gfx11-generic", "priority around exports", kLlvmFeatures},
};

bool lists(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    if (names.substr(0, end) == name) return true;
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return false;
}

}  // namespace

std::span<const Erratum> errata() { return kErrata; }
bool has_erratum(const Erratum& erratum, const Target& target) { return lists(erratum.targets, target.name); }
const Erratum* unmet_erratum(const Target& from, const Target& to) {
  const auto* const found = std::ranges::find_if(
      kErrata, [&](const Erratum& erratum) { return has_erratum(erratum, to) && !has_erratum(erratum, from); });
  return found == std::end(kErrata) ? nullptr : found;
}

bool same_instructions(const Target& a, const Target& b) {
  if (a.name == b.name) return true;
  const auto generation = generation_of(a);
  return generation && generation == generation_of(b) && packs_halves(a) == packs_halves(b) &&
         std::ranges::all_of(rows(), [&](const Row& row) { return exists(row, a) == exists(row, b); });
}

Reachable::Reachable(std::span<const std::byte> code, const Target& target)
    : code_(code), target_(&target), seen_(code.size() / 4) {}

std::vector<Instruction> Reachable::from(std::uint32_t entry) {
  std::vector<Instruction> out;
  std::vector<u32> open;
  const auto go = [&](std::int64_t to) {
    if (to >= 0 && to % 4 == 0 && to / 4 < static_cast<std::int64_t>(seen_.size()))
      open.push_back(static_cast<u32>(to));
  };
  go(entry);
  while (!open.empty()) {
    u32 at = open.back();
    open.pop_back();
    Addresses addresses;
    while (at / 4 < seen_.size() && !seen_[at / 4]) {
      seen_[at / 4] = true;
      const Instruction& i = out.emplace_back(decode(code_, at, *target_));
      if (i.row == nullptr) break;
      const Flow goes = flow(i.opcode);
      if (const auto target = branch_target(i))
        go(*target);
      else if (const auto made = addresses.target(i))
        go(*made);
      else if (goes == Flow::Computed || goes == Flow::Call)
        computed_.push_back(at);
      if (goes == Flow::End || goes == Flow::Branch || goes == Flow::Computed) break;
      addresses.take(i, *generation_of(*target_));
      at += i.dwords * 4u;
    }
  }
  std::ranges::sort(out, {}, &Instruction::offset);
  return out;
}

}  // namespace amdcompat::gcn
