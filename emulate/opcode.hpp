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
[[nodiscard]] std::span<const Row> packed_rows();
[[nodiscard]] std::span<const Row> compare_rows();
[[nodiscard]] std::span<const Row> scalar_load_rows();
[[nodiscard]] std::span<const Row> buffer_rows();
[[nodiscard]] std::span<const Row> image_rows();
[[nodiscard]] std::span<const Row> flat_rows();
[[nodiscard]] std::span<const Row> lds_rows();

// Null: not executed here.
[[nodiscard]] Execute execute_of(Opcode opcode);

// --- that nothing is forgotten -------------------------------------------------------------------------------------

// Opcodes of GFX6 to GFX9 that are known and disassembled, but not run: forks and halts, whose handlers are not here,
// what depends on other wavefronts' turns, interpolation, atomics of scalar instructions, matrices; those of
// `kRefusedImages`, and every opcode of the formats that `refused_format` names: exports, interpolation. Running one
// stops with its name.
// clang-format off
inline constexpr auto kRefused = [] {
  using enum gcn::Opcode;
  return std::to_array({
      s_cbranch_g_fork, s_rfe_restore_b64, s_cbranch_i_fork, s_rfe_b64, s_cbranch_join, s_setvskip, s_setkill,
      s_sethalt, s_sendmsghalt, s_cbranch_cdbgsys, s_cbranch_cdbguser, s_cbranch_cdbgsys_or_user,
      s_cbranch_cdbgsys_and_user, s_endpgm_saved, v_interp_p1ll_f16, v_interp_p1lv_f16, v_interp_p2_f16,
      v_interp_p1_f32, v_interp_p2_f32, v_interp_mov_f32, ds_gws_init, ds_gws_sema_v, ds_gws_sema_br, ds_gws_sema_p,
      ds_gws_barrier, ds_ordered_count, ds_gws_sema_release_all, buffer_store_lds_dword, s_endpgm_ordered_ps_done,
      s_scratch_load_dword, s_scratch_load_dwordx2, s_scratch_load_dwordx4, s_scratch_store_dword,
      s_scratch_store_dwordx2, s_scratch_store_dwordx4, s_dcache_discard, s_dcache_discard_x2, s_buffer_atomic_swap,
      s_buffer_atomic_cmpswap, s_buffer_atomic_add, s_buffer_atomic_sub, s_buffer_atomic_smin, s_buffer_atomic_umin,
      s_buffer_atomic_smax, s_buffer_atomic_umax, s_buffer_atomic_and, s_buffer_atomic_or, s_buffer_atomic_xor,
      s_buffer_atomic_inc, s_buffer_atomic_dec, s_buffer_atomic_swap_x2, s_buffer_atomic_cmpswap_x2,
      s_buffer_atomic_add_x2, s_buffer_atomic_sub_x2, s_buffer_atomic_smin_x2, s_buffer_atomic_umin_x2,
      s_buffer_atomic_smax_x2, s_buffer_atomic_umax_x2, s_buffer_atomic_and_x2, s_buffer_atomic_or_x2,
      s_buffer_atomic_xor_x2, s_buffer_atomic_inc_x2, s_buffer_atomic_dec_x2, s_atomic_swap, s_atomic_cmpswap,
      s_atomic_add, s_atomic_sub, s_atomic_smin, s_atomic_umin, s_atomic_smax, s_atomic_umax, s_atomic_and, s_atomic_or,
      s_atomic_xor, s_atomic_inc, s_atomic_dec, s_atomic_swap_x2, s_atomic_cmpswap_x2, s_atomic_add_x2, s_atomic_sub_x2,
      s_atomic_smin_x2, s_atomic_umin_x2, s_atomic_smax_x2, s_atomic_umax_x2, s_atomic_and_x2, s_atomic_or_x2,
      s_atomic_xor_x2, s_atomic_inc_x2, s_atomic_dec_x2, v_dot2c_f32_f16, v_dot4c_i32_i8, v_dot2c_i32_i16,
      v_dot8c_i32_i4, v_pk_fmac_f16, v_screen_partition_4se_b32, v_interp_p2_legacy_f16, v_dot2_f32_f16,
      v_mfma_f32_32x32x1f32, v_mfma_f32_16x16x1f32, v_mfma_f32_4x4x1f32, v_mfma_f32_32x32x2f32, v_mfma_f32_16x16x4f32,
      v_mfma_f32_32x32x4f16, v_mfma_f32_16x16x4f16, v_mfma_f32_4x4x4f16, v_mfma_f32_32x32x8f16, v_mfma_f32_16x16x16f16,
      v_mfma_i32_32x32x4i8, v_mfma_i32_16x16x4i8, v_mfma_i32_4x4x4i8, v_mfma_i32_32x32x8i8, v_mfma_i32_16x16x16i8,
      v_accvgpr_read_b32, v_accvgpr_write_b32, v_mfma_f32_32x32x2bf16, v_mfma_f32_16x16x2bf16, v_mfma_f32_4x4x2bf16,
      v_mfma_f32_32x32x4bf16, v_mfma_f32_16x16x8bf16, ds_write_addtid_b32, ds_read_addtid_b32, global_atomic_add_f32,
      global_atomic_pk_add_f16, buffer_atomic_add_f32, buffer_atomic_pk_add_f16
  });
}();
// Of images: comparisons with a reference, derivatives, offsets, texels that are taken as they stand in memory, levels
// of detail as results, and floats in atomic operations.
inline constexpr auto kRefusedImages = [] {
  using enum gcn::Opcode;
  return std::to_array({
      image_load_pck, image_load_pck_sgn, image_load_mip_pck, image_load_mip_pck_sgn, image_store_pck,
      image_store_mip_pck, image_atomic_fcmpswap, image_atomic_fmin, image_atomic_fmax, image_sample_cl,
      image_sample_d, image_sample_d_cl, image_sample_b_cl, image_sample_c, image_sample_c_cl, image_sample_c_d,
      image_sample_c_d_cl, image_sample_c_l, image_sample_c_b, image_sample_c_b_cl, image_sample_c_lz,
      image_sample_o, image_sample_cl_o, image_sample_d_o, image_sample_d_cl_o, image_sample_l_o,
      image_sample_b_o, image_sample_b_cl_o, image_sample_lz_o, image_sample_c_o, image_sample_c_cl_o,
      image_sample_c_d_o, image_sample_c_d_cl_o, image_sample_c_l_o, image_sample_c_b_o, image_sample_c_b_cl_o,
      image_sample_c_lz_o, image_gather4_cl, image_gather4_b_cl, image_gather4_c, image_gather4_c_cl,
      image_gather4_c_l, image_gather4_c_b, image_gather4_c_b_cl, image_gather4_c_lz, image_gather4_o,
      image_gather4_cl_o, image_gather4_l_o, image_gather4_b_o, image_gather4_b_cl_o, image_gather4_lz_o,
      image_gather4_c_o, image_gather4_c_cl_o, image_gather4_c_l_o, image_gather4_c_b_o, image_gather4_c_b_cl_o,
      image_gather4_c_lz_o, image_get_lod, image_sample_cd, image_sample_cd_cl, image_sample_c_cd,
      image_sample_c_cd_cl, image_sample_cd_o, image_sample_cd_cl_o, image_sample_c_cd_o, image_sample_c_cd_cl_o,
      image_gather4h
  });
}();
// clang-format on
constexpr bool refused_format(Format format) { return format == Format::Exp || format == Format::Vintrp; }

enum class Room : u8 { Scalar, Vector, Half, Packed, Compare, ScalarLoad, Buffer, Image, Flat, Lds };
constexpr bool is_half(Shape shape) { return shape == Shape::B16 || shape == Shape::F16; }
// `half`: its first source has 16 bits.
constexpr Room room_of(Format format, bool half) {
  if (format == Format::Vop3p) return Room::Packed;
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
    case Format::Exp: return Room::Buffer;
    case Format::Mimg:
    case Format::Vsample: return Room::Image;
    case Format::Flat:
    case Format::Global:
    case Format::Scratch: break;
  }
  return Room::Flat;
}

// Functions see halves as the low bits of a dword.
constexpr Shape seen_as(Shape shape) { return is_half(shape) ? Shape::B32 : shape; }

// The first opcode of GFX6 to GFX9 whose rows are in the formats of `room` and that `table` neither holds once, with
// the operands that its row has, nor `kRefused` names; `none` when there is no such opcode.
consteval Opcode first_missing(Room room, std::span<const Row> table) {
  std::array<u8, gcn::kOpcodes> held{};
  std::array<const Semantics*, gcn::kOpcodes> semantics{};
  for (const Row& row : table) {
    ++held[static_cast<std::size_t>(row.opcode)];
    semantics[static_cast<std::size_t>(row.opcode)] = &row.semantics;
  }
  for (const Opcode opcode : kRefused) ++held[static_cast<std::size_t>(opcode)];
  for (const Opcode opcode : kRefusedImages) ++held[static_cast<std::size_t>(opcode)];
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
  if (first <= Gfx9 && room_of(format, half[static_cast<std::size_t>(Opcode::opcode)]) == room &&                      \
      !refused_format(format) && held[static_cast<std::size_t>(Opcode::opcode)] != 1)                                  \
    return Opcode::opcode;
#include <amdcompat/gcn_opcodes.def>
#undef AMDCOMPAT_OPCODE
#undef AMDCOMPAT_ROW
  return Opcode::none;
}

}  // namespace amdcompat::emulate
