// What the files of this module share.
#pragma once

#include <functional>

#include <amdcompat/gcn.hpp>
#include <amdcompat/gcn_checks.hpp>

namespace amdcompat::gcn {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i16 = std::int16_t;
using i32 = std::int32_t;

// More codes of scalar operands: the end of the registers that every generation numbers, what is no register from there
// on, and VCCZ, which is VCC's to read. [SIA; CIA; VIA: table of scalar operands]
inline constexpr u32 kNumbered = 102, kFirstConstant = 128, kVccZero = 251;
// What stands in the place of a source where a dword more says which it is.
inline constexpr u32 kSdwaCode = 249, kDppCode = 250, kDpp8Code = 233, kDpp8FetchCode = 234;

// The number of a row of VOP1, VOP2 or VOPC in VOP3.
[[nodiscard]] constexpr u32 wide_number(const Row& row, Generation generation) {
  if (row.format == Format::Vop2) return 0x100u + row.number;
  if (row.format != Format::Vop1) return row.number;
  return (generation == Generation::Gfx8 || generation == Generation::Gfx9 ? 0x140u : 0x180u) + row.number;
}

// Registers of an operand: sources 0 to 2, 3 the destination.
[[nodiscard]] constexpr u32 dwords_in_wave(const Row& row, Shape shape, u32 n, u32 wave_size) {
  const bool half = wave_size == 64 && row.has(static_cast<Form>(static_cast<u64>(Form::Half0) << n));
  return shape_dwords(shape) / (half ? 2 : 1);
}
// Whether an operand of gfx908's matrix instructions, counted alike, is in accumulation registers.
[[nodiscard]] constexpr bool accumulator(const Instruction& i, u32 n) {
  if (!i.row->has(Form::Accumulators)) return false;
  if (i.opcode == Opcode::v_accvgpr_read_b32) return n == 0;
  if (i.opcode == Opcode::v_accvgpr_write_b32) return n == 3;
  return n >= 2 || (i.op_sel_hi >> n & 1) != 0;
}

// Whether a literal follows: the opcode says so, or an operand that can name one does.
[[nodiscard]] bool wants_literal(const Instruction& instruction, Generation generation);
// The bit of an instruction that is the highest of its opcode, where GFX10 has it away from the others.
struct HighBit {
  bool any = false;
  u32 at = 0;
};
[[nodiscard]] constexpr HighBit high_bit(const FormatInfo& format, Generation generation) {
  if (generation != Generation::Gfx10_1 && generation != Generation::Gfx10_3) return {};
  return {format.format == Format::Mtbuf || format.format == Format::Mimg, format.format == Format::Mtbuf ? 53u : 0u};
}
// The opcode field of a format; `bits(low, width)` reads the instruction.
template <class Bits>
[[nodiscard]] u32 opcode_number(const FormatInfo& format, Generation generation, Bits bits) {
  u32 number = format.opcode_width == 0 ? 0 : bits(format.opcode_bit, format.opcode_width);
  if (const HighBit high = high_bit(format, generation); high.any) number |= bits(high.at, 1) << format.opcode_width;
  return number;
}

using Visitor = std::function<void(const Instruction&)>;
// Goes on from an instruction (bytes) through those that need not be visited, and says where it stops: at one that has
// to be, one that is known, or the end of the code. Notes the dwords of each, by the dword where it begins; 0: unknown.
using Quick = std::function<u32(u32 from, std::span<u8> dwords)>;
// Visits what is reachable from `entry` once, in no particular order; encodings without a row have none there either.
// Whether the targets of all branches are known. Less work than `control_flow`.
bool for_each_reachable(std::span<const std::byte> code, u32 entry, Generation generation, Visitor visit,
                        Quick quick = {});

struct Registers {
  u32 first = 0, dwords = 0;
};
// Vector registers of an image's address from GFX10 on, by its dimension and name.
struct ImageAddress {
  std::array<Registers, 13> parts{};
  u32 count = 0;
  bool list = false;  // of registers that need not follow each other
};
[[nodiscard]] ImageAddress image_address(const Instruction& instruction, Generation generation);
// Vector registers of an image's data, without the status that `tfe` adds.
[[nodiscard]] u32 image_data_dwords(const Instruction& instruction, Generation generation);
// Whether a processor of GFX8 packs data of 16 bits. [LLVM FeatureUnpackedD16VMem]
[[nodiscard]] inline bool packs_halves(const Target& target) { return target.name == "gfx810"; }
[[nodiscard]] bool has_sampler(const Instruction& instruction);
[[nodiscard]] constexpr bool traces_rays(const Instruction& i) {
  return i.opcode == Opcode::image_bvh_intersect_ray || i.opcode == Opcode::image_bvh64_intersect_ray;
}

}  // namespace amdcompat::gcn
