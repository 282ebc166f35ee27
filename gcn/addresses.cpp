#include "addresses.hpp"

namespace amdcompat::gcn {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

std::optional<Addresses::Value> Addresses::source(const Instruction& i, std::size_t number, u32 word) const {
  const u32 code = i.sources[number];
  if (code == 255) return Value{word == 0 ? i.literal : 0, false};
  // Integers among the constants; of 64 bits they are sign-extended. [SIA: table of scalar operands]
  if (code >= 128 && code <= 192) return Value{word == 0 ? code - 128 : 0, false};
  if (code >= 193 && code <= 208) return Value{word == 0 ? 192 - code : ~u32{0}, false};
  const auto found = known_.find(code + word);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> Addresses::target(const Instruction& i) const {
  if (i.opcode != Opcode::s_setpc_b64 && i.opcode != Opcode::s_swappc_b64) return std::nullopt;
  const auto low = source(i, 0, 0), high = source(i, 0, 1);
  if (!low || !high || !low->address || !high->address) return std::nullopt;
  return static_cast<std::int64_t>(u64{high->bits} << 32 | low->bits);
}

void Addresses::take(const Instruction& i, Generation generation) {
  if (known_.empty() && i.opcode != Opcode::s_getpc_b64) return;
  // Nobody knows what a function leaves.
  if (i.opcode == Opcode::s_swappc_b64 || i.opcode == Opcode::s_call_b64) {
    known_.clear();
    return;
  }
  const auto a = source(i, 0, 0), b = source(i, 1, 0), a_high = source(i, 0, 1), b_high = source(i, 1, 1);
  const u32 to = i.destination;
  std::map<u32, Value> made;
  std::optional<bool> carry = carry_;
  const auto sum = [&](bool negative, std::optional<bool> in) {
    carry.reset();
    if (!a || !b || !in || (a->address && b->address) || (negative && b->address)) return;
    const u64 out = u64{a->bits} + (negative ? ~b->bits : b->bits) + (negative ? !*in : *in);
    made[to] = {static_cast<u32>(out), a->address || b->address};
    carry = (out >> 32 != 0) != negative;
  };
  switch (i.opcode) {
    case Opcode::s_getpc_b64:
      made[to] = {i.offset + i.dwords * 4u, true};
      made[to + 1] = {0, true};
      break;
    case Opcode::s_add_u32: sum(false, false); break;
    case Opcode::s_addc_u32: sum(false, carry_); break;
    case Opcode::s_sub_u32: sum(true, false); break;
    case Opcode::s_subb_u32: sum(true, carry_); break;
    case Opcode::s_add_nc_u64:
      if (a && b && a_high && b_high && !(a->address && b->address)) {
        const u64 out = (u64{a_high->bits} << 32 | a->bits) + (u64{b_high->bits} << 32 | b->bits);
        const bool address = (a->address && a_high->address) || (b->address && b_high->address);
        made[to] = {static_cast<u32>(out), address};
        made[to + 1] = {static_cast<u32>(out >> 32), address};
      }
      break;
    case Opcode::s_mov_b64:
      if (a_high) made[to + 1] = *a_high;
      [[fallthrough]];
    case Opcode::s_mov_b32:
    case Opcode::s_sext_i32_i16:  // of the upper half of an address of 48 bits, on GFX12 [LLVM]
      if (a && (i.opcode != Opcode::s_sext_i32_i16 || a->address)) made[to] = *a;
      break;
    default:
      for (const Operand& operand : operands(i, generation))
        if (operand.written && operand.file == File::Scc) carry.reset();
  }
  for (const Operand& operand : operands(i, generation))
    for (u32 n = 0; operand.written && operand.file == File::Scalar && n < operand.dwords; ++n)
      known_.erase(operand.first + n);
  for (const auto& [number, value] : made) known_[number] = value;
  carry_ = carry;
}

}  // namespace amdcompat::gcn
