// What each opcode does, and the check that none is forgotten.
#pragma once

#include <array>
#include <span>

#include <amdcompat/emulate.hpp>

namespace amdcompat::emulate {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

// Values of 64 bits take two dwords, the low one first.
[[nodiscard]] constexpr u64 joined(u32 low, u32 high) { return low | u64{high} << 32; }
[[nodiscard]] constexpr u32 low_half(u64 value) { return static_cast<u32>(value); }
[[nodiscard]] constexpr u32 high_half(u64 value) { return static_cast<u32>(value >> 32); }

class Wave;
using gcn::Format;
using gcn::Instruction;
using gcn::kExec;
using gcn::kFirstVector;
using gcn::kLiteral;
using gcn::kM0;
using gcn::kVcc;
using gcn::Opcode;
using gcn::Shape;
using gcn::shape_dwords;

// Executes one instruction of one wavefront.
using Execute = void (*)(Wave& wave, const Instruction& instruction);

// What an opcode does, and the operands that follow from it.
struct Semantics {
  Execute execute = nullptr;
  Shape destination = Shape::None;
  std::array<Shape, 3> sources{};
  bool mask_out = false;
  bool mask_in = false;
  bool reads_destination = false;
  bool literal = false;
  bool scalar_destination = false;
};

struct Row {
  Opcode opcode;
  Semantics semantics;
};

// The table, by file; each has the opcodes of some formats.
[[nodiscard]] std::span<const Row> scalar_rows();
[[nodiscard]] std::span<const Row> vector_rows();
[[nodiscard]] std::span<const Row> half_rows();
[[nodiscard]] std::span<const Row> compare_rows();
[[nodiscard]] std::span<const Row> scalar_load_rows();
[[nodiscard]] std::span<const Row> buffer_rows();
[[nodiscard]] std::span<const Row> flat_rows();
[[nodiscard]] std::span<const Row> lds_rows();

// Null: not executed here.
[[nodiscard]] Execute execute_of(Opcode opcode);

// --- that nothing is forgotten -------------------------------------------------------------------------------------

// Opcodes of GFX6 to GFX8 that are known and disassembled, but not run: forks, traps and halts, whose handlers are not
// here, what depends on other wavefronts' turns, and interpolation; as well as every opcode of the formats that
// `refused_format` names: images, exports, interpolation. Running one stops with its name.
// clang-format off
inline constexpr auto kRefused = [] {
  using enum gcn::Opcode;
  return std::to_array({
      s_cbranch_g_fork, s_rfe_restore_b64, s_cbranch_i_fork, s_rfe_b64, s_cbranch_join, s_setvskip, s_setkill,
      s_sethalt, s_sendmsghalt, s_trap, s_cbranch_cdbgsys, s_cbranch_cdbguser, s_cbranch_cdbgsys_or_user,
      s_cbranch_cdbgsys_and_user, s_endpgm_saved, v_interp_p1ll_f16, v_interp_p1lv_f16, v_interp_p2_f16,
      v_interp_p1_f32, v_interp_p2_f32, v_interp_mov_f32, ds_gws_init, ds_gws_sema_v, ds_gws_sema_br, ds_gws_sema_p,
      ds_gws_barrier, ds_ordered_count, ds_gws_sema_release_all, buffer_store_lds_dword
  });
}();
// clang-format on
constexpr bool refused_format(Format format) {
  return format == Format::Mimg || format == Format::Exp || format == Format::Vintrp;
}

enum class Room : u8 { Scalar, Vector, Half, Compare, ScalarLoad, Buffer, Flat, Lds };
constexpr bool is_half(Shape shape) { return shape == Shape::B16 || shape == Shape::F16; }
// `half`: its first source has 16 bits.
constexpr Room room_of(Format format, bool half) {
  if (half) return Room::Half;
  switch (format) {
    case Format::Sop2:
    case Format::Sopk:
    case Format::Sop1:
    case Format::Sopc:
    case Format::Sopp: return Room::Scalar;
    case Format::Vop2:
    case Format::Vop1:
    case Format::Vop3:
    case Format::Vop3p:
    case Format::Vopd:
    case Format::Vinterp:
    case Format::Ldsdir:
    case Format::Vintrp: return Room::Vector;
    case Format::Vopc: return Room::Compare;
    case Format::Smrd: return Room::ScalarLoad;
    case Format::Ds: return Room::Lds;
    case Format::Mubuf:
    case Format::Mtbuf:
    case Format::Mimg:
    case Format::Vsample:
    case Format::Exp: return Room::Buffer;
    case Format::Flat:
    case Format::Global:
    case Format::Scratch: break;
  }
  return Room::Flat;
}

// Functions see halves as the low bits of a dword.
constexpr Shape seen_as(Shape shape) { return is_half(shape) ? Shape::B32 : shape; }

// The first opcode of GFX6 to GFX8 whose rows are in the formats of `room` and that `table` neither holds once, with
// the operands that its row has, nor `kRefused` names; `none` when there is no such opcode.
consteval Opcode first_missing(Room room, std::span<const Row> table) {
  std::array<u8, gcn::kOpcodes> held{};
  std::array<const Semantics*, gcn::kOpcodes> semantics{};
  for (const Row& row : table) {
    ++held[static_cast<std::size_t>(row.opcode)];
    semantics[static_cast<std::size_t>(row.opcode)] = &row.semantics;
  }
  for (const Opcode opcode : kRefused) ++held[static_cast<std::size_t>(opcode)];
  using enum gcn::Generation;
  using enum gcn::Shape;
  using enum gcn::Property;
  using enum gcn::Format;
  std::array<bool, gcn::kOpcodes> half{};
  const auto wrong = [&](Opcode opcode, Shape destination, std::array<Shape, 3> sources, gcn::Property properties) {
    const Semantics* const s = semantics[static_cast<std::size_t>(opcode)];
    if (s == nullptr) return false;
    const gcn::OpcodeInfo info{{}, destination, sources, properties};
    for (Shape& source : sources) source = seen_as(source);
    return s->destination != seen_as(destination) || s->sources != sources || s->mask_out != info.is(MaskOut) ||
           s->mask_in != info.is(MaskIn) || (s->reads_destination && !info.is(ReadsDestination)) ||
           s->literal != info.is(gcn::Property::Literal) || s->scalar_destination != info.is(ScalarDestination);
  };
#define AMDCOMPAT_OPCODE(name, destination, source0, source1, source2, properties)                                     \
  half[static_cast<std::size_t>(Opcode::name)] = is_half(source0);                                                     \
  if (wrong(Opcode::name, destination, {source0, source1, source2}, properties)) return Opcode::name;
#define AMDCOMPAT_ROW(opcode, first, last, format, number, name, subset, forms)                                        \
  if (first <= Gfx8 && room_of(format, half[static_cast<std::size_t>(Opcode::opcode)]) == room &&                      \
      !refused_format(format) && held[static_cast<std::size_t>(Opcode::opcode)] != 1)                                  \
    return Opcode::opcode;
#include <amdcompat/gcn_opcodes.def>
#undef AMDCOMPAT_OPCODE
#undef AMDCOMPAT_ROW
  return Opcode::none;
}

}  // namespace amdcompat::emulate
