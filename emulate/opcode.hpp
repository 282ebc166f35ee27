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
[[nodiscard]] std::span<const Row> compare_rows();
[[nodiscard]] std::span<const Row> scalar_load_rows();
[[nodiscard]] std::span<const Row> buffer_rows();
[[nodiscard]] std::span<const Row> image_rows();
[[nodiscard]] std::span<const Row> flat_rows();
[[nodiscard]] std::span<const Row> lds_rows();

// Null: not executed here.
[[nodiscard]] Execute execute_of(Opcode opcode);

// --- that nothing is forgotten -------------------------------------------------------------------------------------

// Opcodes of GFX6 to GFX8 that are known and disassembled, but not run: messages, changes of hardware modes, and what
// no OpenCL compiler made; those of `kRefusedImages`, and every opcode of the formats that `refused_format` names:
// exports, interpolation. Running one stops with its name.
// clang-format off
inline constexpr auto kRefused = [] {
  using enum gcn::Opcode;
  return std::to_array({
      s_cbranch_g_fork, s_rfe_restore_b64, s_cbranch_i_fork, s_getreg_b32, s_setreg_b32, s_setreg_imm32_b32,
      s_rfe_b64, s_cbranch_join, s_set_gpr_idx_idx, s_setvskip, s_set_gpr_idx_on, s_setkill, s_sethalt, s_sendmsg,
      s_sendmsghalt, s_trap, s_cbranch_cdbgsys, s_cbranch_cdbguser, s_cbranch_cdbgsys_or_user,
      s_cbranch_cdbgsys_and_user, s_wakeup, s_endpgm_saved, s_set_gpr_idx_off, s_set_gpr_idx_mode, s_memtime,
      s_dcache_inv_vol, s_store_dword, s_store_dwordx2, s_store_dwordx4, s_buffer_store_dword, s_buffer_store_dwordx2,
      s_buffer_store_dwordx4, s_dcache_wb, s_dcache_wb_vol, s_memrealtime, s_atc_probe, s_atc_probe_buffer,
      v_cvt_pkaccum_u8_f32, v_add_f16, v_sub_f16, v_subrev_f16, v_mul_f16, v_mac_f16, v_madmk_f16, v_madak_f16,
      v_add_u16, v_sub_u16, v_subrev_u16, v_mul_lo_u16, v_lshlrev_b16, v_lshrrev_b16, v_ashrrev_i16, v_max_f16,
      v_min_f16, v_max_u16, v_max_i16, v_min_u16, v_min_i16, v_ldexp_f16, v_log_legacy_f32, v_exp_legacy_f32,
      v_cvt_f16_u16, v_cvt_f16_i16, v_cvt_u16_f16, v_cvt_i16_f16, v_rcp_f16, v_sqrt_f16, v_rsq_f16, v_log_f16,
      v_exp_f16, v_frexp_mant_f16, v_frexp_exp_i16_f16, v_floor_f16, v_ceil_f16, v_trunc_f16, v_rndne_f16,
      v_fract_f16, v_sin_f16, v_cos_f16, v_cmp_class_f16, v_cmpx_class_f16, v_cmp_f_f16, v_cmp_lt_f16, v_cmp_eq_f16,
      v_cmp_le_f16, v_cmp_gt_f16, v_cmp_lg_f16, v_cmp_ge_f16, v_cmp_o_f16, v_cmp_u_f16, v_cmp_nge_f16, v_cmp_nlg_f16,
      v_cmp_ngt_f16, v_cmp_nle_f16, v_cmp_neq_f16, v_cmp_nlt_f16, v_cmp_tru_f16, v_cmpx_f_f16, v_cmpx_lt_f16,
      v_cmpx_eq_f16, v_cmpx_le_f16, v_cmpx_gt_f16, v_cmpx_lg_f16, v_cmpx_ge_f16, v_cmpx_o_f16, v_cmpx_u_f16,
      v_cmpx_nge_f16, v_cmpx_nlg_f16, v_cmpx_ngt_f16, v_cmpx_nle_f16, v_cmpx_neq_f16, v_cmpx_nlt_f16, v_cmpx_tru_f16,
      v_cmp_f_i16, v_cmp_lt_i16, v_cmp_eq_i16, v_cmp_le_i16, v_cmp_gt_i16, v_cmp_ne_i16, v_cmp_ge_i16, v_cmp_t_i16,
      v_cmp_f_u16, v_cmp_lt_u16, v_cmp_eq_u16, v_cmp_le_u16, v_cmp_gt_u16, v_cmp_ne_u16, v_cmp_ge_u16, v_cmp_t_u16,
      v_cmpx_f_i16, v_cmpx_lt_i16, v_cmpx_eq_i16, v_cmpx_le_i16, v_cmpx_gt_i16, v_cmpx_ne_i16, v_cmpx_ge_i16,
      v_cmpx_t_i16, v_cmpx_f_u16, v_cmpx_lt_u16, v_cmpx_eq_u16, v_cmpx_le_u16, v_cmpx_gt_u16, v_cmpx_ne_u16,
      v_cmpx_ge_u16, v_cmpx_t_u16, v_cubeid_f32, v_cubesc_f32, v_cubetc_f32, v_cubema_f32, v_mullit_f32,
      v_mqsad_pk_u16_u8, v_qsad_pk_u16_u8, v_mqsad_u32_u8, v_mad_f16, v_mad_u16, v_mad_i16,
      v_perm_b32, v_fma_f16, v_div_fixup_f16, v_interp_p1ll_f16, v_interp_p1lv_f16, v_interp_p2_f16, v_interp_p1_f32,
      v_interp_p2_f32, v_interp_mov_f32, ds_mskor_b32, ds_cmpst_f32, ds_min_f32, ds_max_f32, ds_gws_init,
      ds_gws_sema_v, ds_gws_sema_br, ds_gws_sema_p, ds_gws_barrier, ds_mskor_rtn_b32, ds_wrxchg2_rtn_b32,
      ds_wrxchg2st64_rtn_b32, ds_cmpst_rtn_f32, ds_min_rtn_f32, ds_max_rtn_f32, ds_swizzle_b32, ds_consume, ds_append,
      ds_ordered_count, ds_mskor_b64, ds_cmpst_f64, ds_min_f64, ds_max_f64, ds_mskor_rtn_b64, ds_wrxchg2_rtn_b64,
      ds_wrxchg2st64_rtn_b64, ds_cmpst_rtn_f64, ds_min_rtn_f64, ds_max_rtn_f64, ds_add_src2_u32, ds_sub_src2_u32,
      ds_rsub_src2_u32, ds_inc_src2_u32, ds_dec_src2_u32, ds_min_src2_i32, ds_max_src2_i32, ds_min_src2_u32,
      ds_max_src2_u32, ds_and_src2_b32, ds_or_src2_b32, ds_xor_src2_b32, ds_write_src2_b32, ds_min_src2_f32,
      ds_max_src2_f32, ds_add_src2_u64, ds_sub_src2_u64, ds_rsub_src2_u64, ds_inc_src2_u64, ds_dec_src2_u64,
      ds_min_src2_i64, ds_max_src2_i64, ds_min_src2_u64, ds_max_src2_u64, ds_and_src2_b64, ds_or_src2_b64,
      ds_xor_src2_b64, ds_write_src2_b64, ds_min_src2_f64, ds_max_src2_f64, ds_nop, ds_gws_sema_release_all,
      ds_wrap_rtn_b32, ds_condxchg32_rtn_b64, ds_add_f32, ds_add_rtn_f32, ds_permute_b32, ds_bpermute_b32, ds_add_src2_f32, flat_atomic_fcmpswap, flat_atomic_fmin,
      flat_atomic_fmax, flat_atomic_fcmpswap_x2, flat_atomic_fmin_x2, flat_atomic_fmax_x2, buffer_atomic_fcmpswap,
      buffer_atomic_fmin, buffer_atomic_fmax, buffer_atomic_fcmpswap_x2, buffer_atomic_fmin_x2, buffer_atomic_fmax_x2,
      buffer_load_format_d16_x, buffer_load_format_d16_xy, buffer_load_format_d16_xyz, buffer_load_format_d16_xyzw,
      buffer_store_format_d16_x, buffer_store_format_d16_xy, buffer_store_format_d16_xyz,
      buffer_store_format_d16_xyzw, tbuffer_load_format_d16_x, tbuffer_load_format_d16_xy,
      tbuffer_load_format_d16_xyz, tbuffer_load_format_d16_xyzw, tbuffer_store_format_d16_x,
      tbuffer_store_format_d16_xy, tbuffer_store_format_d16_xyz, tbuffer_store_format_d16_xyzw, buffer_store_lds_dword
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
      image_sample_c_cd_cl, image_sample_cd_o, image_sample_cd_cl_o, image_sample_c_cd_o, image_sample_c_cd_cl_o
  });
}();
// clang-format on
constexpr bool refused_format(Format format) { return format == Format::Exp || format == Format::Vintrp; }

enum class Room : u8 { Scalar, Vector, Compare, ScalarLoad, Buffer, Image, Flat, Lds };
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
constexpr Shape seen_as(Shape shape) { return shape == Shape::B16 || shape == Shape::F16 ? Shape::B32 : shape; }

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
  for (const Opcode opcode : kRefusedImages) ++held[static_cast<std::size_t>(opcode)];
  using enum gcn::Generation;
  using enum gcn::Shape;
  using enum gcn::Property;
  using enum gcn::Format;
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
  if (wrong(Opcode::name, destination, {source0, source1, source2}, properties)) return Opcode::name;
#define AMDCOMPAT_ROW(opcode, first, last, format, number, name, subset, forms)                                        \
  if (first <= Gfx8 && room_of(format) == room && !refused_format(format) &&                                           \
      held[static_cast<std::size_t>(Opcode::opcode)] != 1)                                                             \
    return Opcode::opcode;
#include <amdcompat/gcn_opcodes.def>
#undef AMDCOMPAT_OPCODE
#undef AMDCOMPAT_ROW
  return Opcode::none;
}

}  // namespace amdcompat::emulate
