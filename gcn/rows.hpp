// What the files of this module share.
#pragma once

#include <amdcompat/gcn.hpp>

namespace amdcompat::gcn {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i16 = std::int16_t;
using i32 = std::int32_t;

// The number of a row of VOP1, VOP2 or VOPC in VOP3.
[[nodiscard]] constexpr u32 wide_number(const Row& row, Generation generation) {
  if (row.format == Format::Vop2) return 0x100u + row.number;
  if (row.format != Format::Vop1) return row.number;
  return (generation == Generation::Gfx8 || generation == Generation::Gfx9 ? 0x140u : 0x180u) + row.number;
}

// Whether a literal follows: the opcode says so, or an operand that can name one does.
[[nodiscard]] bool wants_literal(const Instruction& instruction, Generation generation);
// The opcode field of a format; `bits(low, width)` reads the instruction.
template <class Bits>
[[nodiscard]] u32 opcode_number(const FormatInfo& format, Generation generation, Bits bits) {
  u32 number = format.opcode_width == 0 ? 0 : bits(format.opcode_bit, format.opcode_width);
  if (format.format == Format::Mtbuf && (generation == Generation::Gfx10_1 || generation == Generation::Gfx10_3))
    number |= bits(53, 1) << 3;
  return number;
}

}  // namespace amdcompat::gcn
