// What each opcode does, and the check that none is forgotten.
#pragma once

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
[[nodiscard]] std::span<const Row> compare_rows();
[[nodiscard]] std::span<const Row> memory_rows();

// Null: not executed here.
[[nodiscard]] Execute execute_of(Opcode opcode);

// --- that nothing is forgotten -------------------------------------------------------------------------------------

// Opcodes of GFX6 to GFX8 that are known and disassembled, but not run: images, exports, messages, and changes of
// hardware modes. Running one stops with its name.
inline constexpr Opcode kRefused[] = {Opcode::s_getreg_b32,     Opcode::s_setreg_b32,      Opcode::s_setreg_imm32_b32,
                                      Opcode::s_rfe_b64,        Opcode::s_setvskip,        Opcode::s_sethalt,
                                      Opcode::s_sendmsg,        Opcode::s_sendmsghalt,     Opcode::s_trap,
                                      Opcode::s_memtime,        Opcode::v_cubeid_f32,      Opcode::v_cubesc_f32,
                                      Opcode::v_cubetc_f32,     Opcode::v_cubema_f32,      Opcode::v_mullit_f32,
                                      Opcode::v_trig_preop_f64, Opcode::ds_min_rtn_f32,    Opcode::ds_max_rtn_f32,
                                      Opcode::ds_swizzle_b32,   Opcode::ds_append,         Opcode::ds_consume,
                                      Opcode::image_load,       Opcode::image_load_mip,    Opcode::image_store,
                                      Opcode::image_store_mip,  Opcode::image_get_resinfo, Opcode::image_sample,
                                      Opcode::image_sample_l,   Opcode::image_sample_lz,   Opcode::image_sample_b,
                                      Opcode::image_sample_d,   Opcode::image_get_lod,     Opcode::exp};

enum class Room : u8 { Scalar, Vector, Compare, Memory };
constexpr Room room_of(Format format) {
  switch (format) {
    case Format::Sop2:
    case Format::Sopk:
    case Format::Sop1:
    case Format::Sopc:
    case Format::Sopp: return Room::Scalar;
    case Format::Vop2:
    case Format::Vop1:
    case Format::Vop3:
    case Format::Vintrp: return Room::Vector;
    case Format::Vopc: return Room::Compare;
    case Format::Smrd:
    case Format::Ds:
    case Format::Mubuf:
    case Format::Mtbuf:
    case Format::Mimg:
    case Format::Exp:
    case Format::Flat: break;
  }
  return Room::Memory;
}

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
  const auto wrong = [&](Opcode opcode, Shape destination, std::array<Shape, 3> sources, gcn::Property properties) {
    const Semantics* const s = semantics[static_cast<std::size_t>(opcode)];
    if (s == nullptr) return false;
    const gcn::OpcodeInfo info{{}, destination, sources, properties};
    return s->destination != destination || s->sources != sources || s->mask_out != info.is(MaskOut) ||
           s->mask_in != info.is(MaskIn) || (s->reads_destination && !info.is(ReadsDestination)) ||
           s->literal != info.is(gcn::Property::Literal) || s->scalar_destination != info.is(ScalarDestination);
  };
#define AMDCOMPAT_OPCODE(name, destination, source0, source1, source2, properties)                                     \
  if (wrong(Opcode::name, destination, {source0, source1, source2}, properties)) return Opcode::name;
#define AMDCOMPAT_ROW(opcode, first, last, format, number, name, subset, forms)                                                \
  if (first <= Gfx8 && room_of(format) == room && held[static_cast<std::size_t>(Opcode::opcode)] != 1)                 \
    return Opcode::opcode;
#include <amdcompat/gcn_opcodes.def>
#undef AMDCOMPAT_OPCODE
#undef AMDCOMPAT_ROW
  return Opcode::none;
}

}  // namespace amdcompat::emulate
