#include "retarget.hpp"

#include <algorithm>

#include <fmt/format.h>

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
  if (from == to) return true;
  for (const gcn::Operand& operand : gcn::operands(i, from))
    for (u32 n = 0; operand.file == gcn::File::Scalar && !operand.implicit && n < operand.dwords; ++n)
      if (meaning(operand.first + n, from) != meaning(operand.first + n, to)) return false;
  return true;
}

std::unexpected<Diagnostic> refuse(Code code, std::string why) {
  return std::unexpected(make_diagnostic(code, {}, std::move(why)));
}

}  // namespace

Retarget::Retarget(std::span<const std::byte> code, const Target& from, const Target& to)
    : code_(code), from_(from), to_(to), old_(gcn::generation_of(from)), new_(gcn::generation_of(to)) {
  if (!old_ || !new_ || gcn::same_instructions(from, to)) return;
  reachable_.emplace(code, from);
  swept_.resize(code.size() / 4);
}

Result<void> Retarget::check(u32 entry, u32 end) {
  if (from_.name == to_.name) return {};
  if (!old_ || !new_)
    return refuse(Code::InPlaceOpcode,
                  fmt::format("instructions of {} and {} cannot be compared here", from_.name, to_.name));
  if (const gcn::Erratum* const unmet = gcn::unmet_erratum(from_, to_))
    return refuse(Code::InPlaceHazard,
                  fmt::format("{} asks for what code for {} was not made with: {}", to_.name, from_.name, unmet->text));
  // What the old code keeps of another generation's distances was not its compiler's concern.
  if (old_ != new_)
    if (const auto hazards = gcn::hazards(code_, entry, *new_); !hazards.empty()) {
      const gcn::Hazard& h = hazards.front();
      const auto text = [&](u32 at) { return gcn::disassemble(gcn::decode(code_, at, *new_), *new_); };
      return refuse(Code::InPlaceHazard, fmt::format("{}: '{}' at +0x{:x} needs {} wait states before '{}' at +0x{:x} "
                                                     "on {}, and has {}",
                                                     h.rule->text, text(h.first), h.first - entry, h.rule->wait_states,
                                                     text(h.second), h.second - entry, to_.name, h.wait_states));
    }
  if (!reachable_) return {};
  bool computed = false;
  for (const Instruction& i : reachable_->from(entry)) {
    if (auto compared = compare(i, entry); !compared) return compared;
    const gcn::Flow goes = gcn::flow(i.opcode);
    computed = computed || (!gcn::branch_target(i) &&
                            (goes == gcn::Flow::Computed || goes == gcn::Flow::Call || goes == gcn::Flow::Fork));
  }
  if (!computed) return {};
  for (u32 at = entry; at + 4u <= std::min<std::size_t>(end, code_.size()) && !swept_[at / 4];) {
    swept_[at / 4] = true;
    const Instruction i = gcn::decode(code_, at, from_);
    if (auto compared = compare(i, entry); !compared) return compared;
    at += i.dwords * 4u;
  }
  return {};
}

Result<void> Retarget::compare(const Instruction& before, u32 entry) const {
  const std::string at = before.offset >= entry ? fmt::format("+0x{:x}", before.offset - entry)
                                                : fmt::format("-0x{:x}", entry - before.offset);
  if (before.row == nullptr)
    return refuse(Code::InPlaceOpcode,
                  fmt::format("no {} instruction has the encoding 0x{:08x} at {}", from_.name, before.words[0], at));
  const Instruction after = gcn::decode(code_, before.offset, to_);
  if (same(before, after) && same_registers(before, *old_, *new_)) return {};
  return refuse(Code::InPlaceOpcode, fmt::format("'{}' at {} is {} on {}", gcn::disassemble(before, *old_), at,
                                                 after.row == nullptr ? std::string("nothing")
                                                 : after.packed_halves != before.packed_halves
                                                     ? std::string("one whose halves lie otherwise in its registers")
                                                     : fmt::format("'{}'", gcn::disassemble(after, *new_)),
                                                 to_.name));
}

Result<void> check_retarget(std::span<const std::byte> code, const Target& from, const Target& to) {
  return Retarget(code, from, to).check(0, static_cast<u32>(code.size()));
}

}  // namespace amdcompat::convert
