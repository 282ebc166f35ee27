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
[[nodiscard]] std::span<const Row> flat_rows();
[[nodiscard]] std::span<const Row> lds_rows();

// Null: not executed here.
[[nodiscard]] Execute execute_of(Opcode opcode);

// --- that nothing is forgotten -------------------------------------------------------------------------------------

// Opcodes of GFX6 to GFX8 that are known and disassembled, but not run: messages, changes of hardware modes, and what
// no OpenCL compiler made; as well as every opcode of the formats that `refused_format` names: images, exports,
// interpolation. Running one stops with its name.
// clang-format off
inline constexpr Opcode kRefused[] = {
    Opcode::s_cbranch_g_fork, Opcode::s_rfe_restore_b64, Opcode::s_cbranch_i_fork, Opcode::s_getreg_b32,
    Opcode::s_setreg_b32, Opcode::s_setreg_imm32_b32, Opcode::s_rfe_b64, Opcode::s_cbranch_join,
    Opcode::s_set_gpr_idx_idx, Opcode::s_setvskip, Opcode::s_set_gpr_idx_on, Opcode::s_setkill, Opcode::s_sethalt,
    Opcode::s_sendmsg, Opcode::s_sendmsghalt, Opcode::s_trap, Opcode::s_cbranch_cdbgsys, Opcode::s_cbranch_cdbguser,
    Opcode::s_cbranch_cdbgsys_or_user, Opcode::s_cbranch_cdbgsys_and_user, Opcode::s_wakeup, Opcode::s_endpgm_saved,
    Opcode::s_set_gpr_idx_off, Opcode::s_set_gpr_idx_mode, Opcode::s_memtime, Opcode::s_dcache_inv_vol,
    Opcode::s_store_dword, Opcode::s_store_dwordx2, Opcode::s_store_dwordx4, Opcode::s_buffer_store_dword,
    Opcode::s_buffer_store_dwordx2, Opcode::s_buffer_store_dwordx4, Opcode::s_dcache_wb, Opcode::s_dcache_wb_vol,
    Opcode::s_memrealtime, Opcode::s_atc_probe, Opcode::s_atc_probe_buffer, Opcode::v_cvt_pkaccum_u8_f32,
    Opcode::v_add_f16, Opcode::v_sub_f16, Opcode::v_subrev_f16, Opcode::v_mul_f16, Opcode::v_mac_f16,
    Opcode::v_madmk_f16, Opcode::v_madak_f16, Opcode::v_add_u16, Opcode::v_sub_u16, Opcode::v_subrev_u16,
    Opcode::v_mul_lo_u16, Opcode::v_lshlrev_b16, Opcode::v_lshrrev_b16, Opcode::v_ashrrev_i16, Opcode::v_max_f16,
    Opcode::v_min_f16, Opcode::v_max_u16, Opcode::v_max_i16, Opcode::v_min_u16, Opcode::v_min_i16,
    Opcode::v_ldexp_f16, Opcode::v_log_legacy_f32, Opcode::v_exp_legacy_f32, Opcode::v_cvt_f16_u16,
    Opcode::v_cvt_f16_i16, Opcode::v_cvt_u16_f16, Opcode::v_cvt_i16_f16, Opcode::v_rcp_f16, Opcode::v_sqrt_f16,
    Opcode::v_rsq_f16, Opcode::v_log_f16, Opcode::v_exp_f16, Opcode::v_frexp_mant_f16, Opcode::v_frexp_exp_i16_f16,
    Opcode::v_floor_f16, Opcode::v_ceil_f16, Opcode::v_trunc_f16, Opcode::v_rndne_f16, Opcode::v_fract_f16,
    Opcode::v_sin_f16, Opcode::v_cos_f16, Opcode::v_cmp_class_f16, Opcode::v_cmpx_class_f16, Opcode::v_cmp_f_f16,
    Opcode::v_cmp_lt_f16, Opcode::v_cmp_eq_f16, Opcode::v_cmp_le_f16, Opcode::v_cmp_gt_f16, Opcode::v_cmp_lg_f16,
    Opcode::v_cmp_ge_f16, Opcode::v_cmp_o_f16, Opcode::v_cmp_u_f16, Opcode::v_cmp_nge_f16, Opcode::v_cmp_nlg_f16,
    Opcode::v_cmp_ngt_f16, Opcode::v_cmp_nle_f16, Opcode::v_cmp_neq_f16, Opcode::v_cmp_nlt_f16, Opcode::v_cmp_tru_f16,
    Opcode::v_cmpx_f_f16, Opcode::v_cmpx_lt_f16, Opcode::v_cmpx_eq_f16, Opcode::v_cmpx_le_f16, Opcode::v_cmpx_gt_f16,
    Opcode::v_cmpx_lg_f16, Opcode::v_cmpx_ge_f16, Opcode::v_cmpx_o_f16, Opcode::v_cmpx_u_f16, Opcode::v_cmpx_nge_f16,
    Opcode::v_cmpx_nlg_f16, Opcode::v_cmpx_ngt_f16, Opcode::v_cmpx_nle_f16, Opcode::v_cmpx_neq_f16,
    Opcode::v_cmpx_nlt_f16, Opcode::v_cmpx_tru_f16, Opcode::v_cmp_f_i16, Opcode::v_cmp_lt_i16, Opcode::v_cmp_eq_i16,
    Opcode::v_cmp_le_i16, Opcode::v_cmp_gt_i16, Opcode::v_cmp_ne_i16, Opcode::v_cmp_ge_i16, Opcode::v_cmp_t_i16,
    Opcode::v_cmp_f_u16, Opcode::v_cmp_lt_u16, Opcode::v_cmp_eq_u16, Opcode::v_cmp_le_u16, Opcode::v_cmp_gt_u16,
    Opcode::v_cmp_ne_u16, Opcode::v_cmp_ge_u16, Opcode::v_cmp_t_u16, Opcode::v_cmpx_f_i16, Opcode::v_cmpx_lt_i16,
    Opcode::v_cmpx_eq_i16, Opcode::v_cmpx_le_i16, Opcode::v_cmpx_gt_i16, Opcode::v_cmpx_ne_i16, Opcode::v_cmpx_ge_i16,
    Opcode::v_cmpx_t_i16, Opcode::v_cmpx_f_u16, Opcode::v_cmpx_lt_u16, Opcode::v_cmpx_eq_u16, Opcode::v_cmpx_le_u16,
    Opcode::v_cmpx_gt_u16, Opcode::v_cmpx_ne_u16, Opcode::v_cmpx_ge_u16, Opcode::v_cmpx_t_u16, Opcode::v_cubeid_f32,
    Opcode::v_cubesc_f32, Opcode::v_cubetc_f32, Opcode::v_cubema_f32, Opcode::v_mullit_f32, Opcode::v_mqsad_pk_u16_u8,
    Opcode::v_trig_preop_f64, Opcode::v_qsad_pk_u16_u8, Opcode::v_mqsad_u32_u8, Opcode::v_mad_f16, Opcode::v_mad_u16,
    Opcode::v_mad_i16, Opcode::v_perm_b32, Opcode::v_fma_f16, Opcode::v_div_fixup_f16, Opcode::v_interp_p1ll_f16,
    Opcode::v_interp_p1lv_f16, Opcode::v_interp_p2_f16, Opcode::v_interp_p1_f32, Opcode::v_interp_p2_f32,
    Opcode::v_interp_mov_f32, Opcode::ds_mskor_b32, Opcode::ds_cmpst_f32, Opcode::ds_min_f32, Opcode::ds_max_f32,
    Opcode::ds_gws_init, Opcode::ds_gws_sema_v, Opcode::ds_gws_sema_br, Opcode::ds_gws_sema_p, Opcode::ds_gws_barrier,
    Opcode::ds_mskor_rtn_b32, Opcode::ds_wrxchg2_rtn_b32, Opcode::ds_wrxchg2st64_rtn_b32, Opcode::ds_cmpst_rtn_f32,
    Opcode::ds_min_rtn_f32, Opcode::ds_max_rtn_f32, Opcode::ds_swizzle_b32, Opcode::ds_consume, Opcode::ds_append,
    Opcode::ds_ordered_count, Opcode::ds_mskor_b64, Opcode::ds_cmpst_f64, Opcode::ds_min_f64, Opcode::ds_max_f64,
    Opcode::ds_mskor_rtn_b64, Opcode::ds_wrxchg2_rtn_b64, Opcode::ds_wrxchg2st64_rtn_b64, Opcode::ds_cmpst_rtn_f64,
    Opcode::ds_min_rtn_f64, Opcode::ds_max_rtn_f64, Opcode::ds_add_src2_u32, Opcode::ds_sub_src2_u32,
    Opcode::ds_rsub_src2_u32, Opcode::ds_inc_src2_u32, Opcode::ds_dec_src2_u32, Opcode::ds_min_src2_i32,
    Opcode::ds_max_src2_i32, Opcode::ds_min_src2_u32, Opcode::ds_max_src2_u32, Opcode::ds_and_src2_b32,
    Opcode::ds_or_src2_b32, Opcode::ds_xor_src2_b32, Opcode::ds_write_src2_b32, Opcode::ds_min_src2_f32,
    Opcode::ds_max_src2_f32, Opcode::ds_add_src2_u64, Opcode::ds_sub_src2_u64, Opcode::ds_rsub_src2_u64,
    Opcode::ds_inc_src2_u64, Opcode::ds_dec_src2_u64, Opcode::ds_min_src2_i64, Opcode::ds_max_src2_i64,
    Opcode::ds_min_src2_u64, Opcode::ds_max_src2_u64, Opcode::ds_and_src2_b64, Opcode::ds_or_src2_b64,
    Opcode::ds_xor_src2_b64, Opcode::ds_write_src2_b64, Opcode::ds_min_src2_f64, Opcode::ds_max_src2_f64,
    Opcode::ds_nop, Opcode::ds_gws_sema_release_all, Opcode::ds_wrap_rtn_b32, Opcode::ds_condxchg32_rtn_b64,
    Opcode::ds_write_b96, Opcode::ds_write_b128, Opcode::ds_read_b96, Opcode::ds_read_b128, Opcode::ds_add_f32,
    Opcode::ds_add_rtn_f32, Opcode::ds_permute_b32, Opcode::ds_bpermute_b32, Opcode::ds_add_src2_f32,
    Opcode::flat_atomic_fcmpswap, Opcode::flat_atomic_fmin, Opcode::flat_atomic_fmax, Opcode::flat_atomic_fcmpswap_x2,
    Opcode::flat_atomic_fmin_x2, Opcode::flat_atomic_fmax_x2, Opcode::buffer_atomic_fcmpswap,
    Opcode::buffer_atomic_fmin, Opcode::buffer_atomic_fmax, Opcode::buffer_atomic_fcmpswap_x2,
    Opcode::buffer_atomic_fmin_x2, Opcode::buffer_atomic_fmax_x2, Opcode::buffer_load_format_d16_x,
    Opcode::buffer_load_format_d16_xy, Opcode::buffer_load_format_d16_xyz, Opcode::buffer_load_format_d16_xyzw,
    Opcode::buffer_store_format_d16_x, Opcode::buffer_store_format_d16_xy, Opcode::buffer_store_format_d16_xyz,
    Opcode::buffer_store_format_d16_xyzw, Opcode::tbuffer_load_format_d16_x, Opcode::tbuffer_load_format_d16_xy,
    Opcode::tbuffer_load_format_d16_xyz, Opcode::tbuffer_load_format_d16_xyzw, Opcode::tbuffer_store_format_d16_x,
    Opcode::tbuffer_store_format_d16_xy, Opcode::tbuffer_store_format_d16_xyz, Opcode::tbuffer_store_format_d16_xyzw, Opcode::buffer_store_lds_dword,
};
// clang-format on
constexpr bool refused_format(Format format) {
  return format == Format::Mimg || format == Format::Exp || format == Format::Vintrp;
}

enum class Room : u8 { Scalar, Vector, Compare, ScalarLoad, Buffer, Flat, Lds };
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
