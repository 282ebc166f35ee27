// Machine code as values. [SIA; CIA: instruction chapter, the section of each format]
//
// Registers become values by the construction of [M. Braun et al., "Simple and Efficient Construction of Static Single
// Assignment Form", 2013]. Every enabled lane of a vector instruction takes the result, the others keep what they have:
// that is a selection by EXEC, and where nothing has changed EXEC there is nothing to select.
#include <algorithm>
#include <bit>
#include <ranges>
#include <set>

#include <fmt/format.h>

#include <amdcompat/gcn_checks.hpp>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

using gcn::Format;
using gcn::Instruction;
using gcn::kExec;
using gcn::kFirstVector;
using gcn::kLiteral;
using gcn::kM0;
using gcn::kVcc;
using gcn::Opcode;

// Far above anything real, and what keeps time and recursion over blocks bounded.
constexpr std::size_t kMostBlocks = Graph::kMostBlocks;
constexpr u32 kMostInstructions = 20'000;
constexpr u32 kUsualNodes = 6;  // for an instruction: so many are made of most kernels before any is taken away

// Variables: words of scalar operands by their code, masks by half of it, SCC, vector registers.
constexpr u32 kMasks = 128, kScc = kMasks + 64, kVectors = kScc + 1, kVectorCount = 256,
              kVariables = kVectors + kVectorCount;

// An operation whose sources are those of the instruction, in the order given.
struct Plain {
  Opcode opcode;
  Op op;
  std::array<u8, 3> order;
};
constexpr std::array<u8, 3> kInOrder{0, 1, 2}, kReversed{1, 0, 2};

// clang-format off
constexpr Plain kVector[] = {
    {Opcode::v_add_f32, Op::AddF, kInOrder}, {Opcode::v_sub_f32, Op::SubF, kInOrder}, {Opcode::v_subrev_f32, Op::SubF, kReversed},
    {Opcode::v_mul_legacy_f32, Op::MulLegacyF, kInOrder}, {Opcode::v_mul_f32, Op::MulF, kInOrder},
    {Opcode::v_min_legacy_f32, Op::MinLegacyF, kInOrder}, {Opcode::v_max_legacy_f32, Op::MaxLegacyF, kInOrder},
    {Opcode::v_min_f32, Op::MinF, kInOrder}, {Opcode::v_max_f32, Op::MaxF, kInOrder},
    {Opcode::v_min_i32, Op::MinI, kInOrder}, {Opcode::v_max_i32, Op::MaxI, kInOrder},
    {Opcode::v_min_u32, Op::MinU, kInOrder}, {Opcode::v_max_u32, Op::MaxU, kInOrder},
    {Opcode::v_lshr_b32, Op::Shr, kInOrder}, {Opcode::v_lshrrev_b32, Op::Shr, kReversed},
    {Opcode::v_ashr_i32, Op::Sar, kInOrder}, {Opcode::v_ashrrev_i32, Op::Sar, kReversed},
    {Opcode::v_lshl_b32, Op::Shl, kInOrder}, {Opcode::v_lshlrev_b32, Op::Shl, kReversed},
    {Opcode::v_and_b32, Op::And, kInOrder}, {Opcode::v_or_b32, Op::Or, kInOrder}, {Opcode::v_xor_b32, Op::Xor, kInOrder},
    {Opcode::v_ldexp_f32, Op::LdexpF, kInOrder}, {Opcode::v_ldexp_f64, Op::LdexpD, kInOrder},
    {Opcode::v_mov_b32, Op::Const, kInOrder},
    {Opcode::v_cvt_i32_f64, Op::IntOfDouble, kInOrder}, {Opcode::v_cvt_f64_i32, Op::DoubleOfInt, kInOrder},
    {Opcode::v_cvt_f32_i32, Op::FloatOfInt, kInOrder}, {Opcode::v_cvt_f32_u32, Op::FloatOfUint, kInOrder},
    {Opcode::v_cvt_u32_f32, Op::UintOfFloat, kInOrder}, {Opcode::v_cvt_i32_f32, Op::IntOfFloat, kInOrder},
    {Opcode::v_cvt_f32_f64, Op::FloatOfDouble, kInOrder}, {Opcode::v_cvt_f64_f32, Op::DoubleOfFloat, kInOrder},
    {Opcode::v_cvt_u32_f64, Op::UintOfDouble, kInOrder}, {Opcode::v_cvt_f64_u32, Op::DoubleOfUint, kInOrder},
    {Opcode::v_trunc_f64, Op::TruncD, kInOrder}, {Opcode::v_ceil_f64, Op::CeilD, kInOrder},
    {Opcode::v_rndne_f64, Op::RintD, kInOrder}, {Opcode::v_floor_f64, Op::FloorD, kInOrder},
    {Opcode::v_fract_f32, Op::FractF, kInOrder}, {Opcode::v_trunc_f32, Op::TruncF, kInOrder},
    {Opcode::v_ceil_f32, Op::CeilF, kInOrder}, {Opcode::v_rndne_f32, Op::RintF, kInOrder}, {Opcode::v_floor_f32, Op::FloorF, kInOrder},
    {Opcode::v_exp_f32, Op::Exp2F, kInOrder}, {Opcode::v_log_f32, Op::Log2F, kInOrder},
    {Opcode::v_rcp_f32, Op::RcpF, kInOrder}, {Opcode::v_rcp_iflag_f32, Op::RcpF, kInOrder}, {Opcode::v_rsq_f32, Op::RsqF, kInOrder},
    {Opcode::v_rcp_f64, Op::RcpD, kInOrder}, {Opcode::v_rsq_f64, Op::RsqD, kInOrder},
    {Opcode::v_sqrt_f32, Op::SqrtF, kInOrder}, {Opcode::v_sqrt_f64, Op::SqrtD, kInOrder},
    {Opcode::v_sin_f32, Op::SinF, kInOrder}, {Opcode::v_cos_f32, Op::CosF, kInOrder},
    {Opcode::v_not_b32, Op::Not, kInOrder}, {Opcode::v_bfrev_b32, Op::ReverseBits, kInOrder},
    {Opcode::v_ffbh_u32, Op::FirstHigh, kInOrder}, {Opcode::v_ffbl_b32, Op::FirstLow, kInOrder}, {Opcode::v_ffbh_i32, Op::FirstHighI, kInOrder},
    {Opcode::v_frexp_exp_i32_f64, Op::FrexpExpD, kInOrder}, {Opcode::v_frexp_mant_f64, Op::FrexpMantD, kInOrder},
    {Opcode::v_trig_preop_f64, Op::TrigPreopD, kInOrder},
    {Opcode::v_fract_f64, Op::FractD, kInOrder},
    {Opcode::v_frexp_exp_i32_f32, Op::FrexpExpF, kInOrder}, {Opcode::v_frexp_mant_f32, Op::FrexpMantF, kInOrder},
    {Opcode::v_bfe_u32, Op::BitFieldU, kInOrder}, {Opcode::v_bfe_i32, Op::BitFieldI, kInOrder}, {Opcode::v_bfi_b32, Op::BitSelect, kInOrder},
    {Opcode::v_fma_f32, Op::FmaF, kInOrder}, {Opcode::v_fma_f64, Op::FmaD, kInOrder},
    {Opcode::v_alignbit_b32, Op::AlignBit, kInOrder},
    {Opcode::v_lshl_b64, Op::Shl64, kInOrder}, {Opcode::v_lshr_b64, Op::Shr64, kInOrder}, {Opcode::v_ashr_i64, Op::Sar64, kInOrder},
    {Opcode::v_lshlrev_b64, Op::Shl64, kReversed}, {Opcode::v_lshrrev_b64, Op::Shr64, kReversed}, {Opcode::v_ashrrev_i64, Op::Sar64, kReversed},
    {Opcode::v_add_f64, Op::AddD, kInOrder}, {Opcode::v_mul_f64, Op::MulD, kInOrder},
    {Opcode::v_min_f64, Op::MinD, kInOrder}, {Opcode::v_max_f64, Op::MaxD, kInOrder},
    {Opcode::v_mul_lo_u32, Op::Mul, kInOrder}, {Opcode::v_mul_lo_i32, Op::Mul, kInOrder},
    {Opcode::v_mul_hi_u32, Op::MulHighU, kInOrder}, {Opcode::v_mul_hi_i32, Op::MulHighI, kInOrder},
    {Opcode::v_div_fixup_f64, Op::DivFixupD, kInOrder}, {Opcode::v_div_fixup_f32, Op::DivFixupF, kInOrder},
    {Opcode::v_add_nc_u32, Op::Add, kInOrder}, {Opcode::v_sub_nc_u32, Op::Sub, kInOrder}, {Opcode::v_subrev_nc_u32, Op::Sub, kReversed},
    {Opcode::v_perm_b32, Op::PermBytes, kInOrder}, {Opcode::v_med3_f32, Op::MedF, kInOrder},
    {Opcode::v_cvt_f16_f32, Op::HalfOfFloat, kInOrder}, {Opcode::v_cvt_f32_f16, Op::FloatOfHalf, kInOrder},
};
// What becomes of SCC.
enum class After : u8 { Keep, NotZero, Less };
struct ScalarPlain {
  Opcode opcode;
  Op op;
  After after;
};
constexpr ScalarPlain kScalar[] = {
    {Opcode::s_min_i32, Op::MinI, After::Less}, {Opcode::s_min_u32, Op::MinU, After::Less},
    {Opcode::s_max_i32, Op::MaxI, After::Less}, {Opcode::s_max_u32, Op::MaxU, After::Less},
    {Opcode::s_and_b32, Op::And, After::NotZero}, {Opcode::s_or_b32, Op::Or, After::NotZero}, {Opcode::s_xor_b32, Op::Xor, After::NotZero},
    {Opcode::s_lshl_b32, Op::Shl, After::NotZero}, {Opcode::s_lshr_b32, Op::Shr, After::NotZero}, {Opcode::s_ashr_i32, Op::Sar, After::NotZero},
    {Opcode::s_lshl_b64, Op::Shl64, After::NotZero}, {Opcode::s_lshr_b64, Op::Shr64, After::NotZero}, {Opcode::s_ashr_i64, Op::Sar64, After::NotZero},
    {Opcode::s_mul_i32, Op::Mul, After::Keep}, {Opcode::s_not_b32, Op::Not, After::NotZero},
    {Opcode::s_brev_b32, Op::ReverseBits, After::Keep}, {Opcode::s_bcnt1_i32_b32, Op::PopCount, After::NotZero},
    {Opcode::s_ff1_i32_b32, Op::FirstLow, After::Keep}, {Opcode::s_flbit_i32_b32, Op::FirstHigh, After::Keep}, {Opcode::s_flbit_i32, Op::FirstHighI, After::Keep},
    {Opcode::s_sext_i32_i8, Op::SignExtend8, After::Keep}, {Opcode::s_sext_i32_i16, Op::SignExtend16, After::Keep},
    {Opcode::s_absdiff_i32, Op::AbsDifferenceI, After::NotZero},
    {Opcode::s_mul_hi_u32, Op::MulHighU, After::Keep}, {Opcode::s_mul_hi_i32, Op::MulHighI, After::Keep},
    {Opcode::s_bcnt1_i32_b64, Op::PopCount64, After::NotZero}, {Opcode::s_ff1_i32_b64, Op::FirstLow64, After::Keep},
    {Opcode::s_flbit_i32_b64, Op::FirstHigh64, After::Keep},
};

// A condition: `op` of the sources in order or swapped, negated or not. `Const`: always what `negated` says.
struct Condition {
  Opcode opcode;
  Op op;
  bool swapped, negated, to_exec;
};
#define FLOATS(x, t, T) \
  {Opcode::v_cmp##x##_f_##t, Op::False, false, false, false}, {Opcode::v_cmp##x##_lt_##t, Op::Lt##T, false, false, false}, \
  {Opcode::v_cmp##x##_eq_##t, Op::Eq##T, false, false, false}, {Opcode::v_cmp##x##_le_##t, Op::Le##T, false, false, false}, \
  {Opcode::v_cmp##x##_gt_##t, Op::Lt##T, true, false, false}, {Opcode::v_cmp##x##_lg_##t, Op::Lg##T, false, false, false}, \
  {Opcode::v_cmp##x##_ge_##t, Op::Le##T, true, false, false}, {Opcode::v_cmp##x##_o_##t, Op::Ordered##T, false, false, false}, \
  {Opcode::v_cmp##x##_u_##t, Op::Ordered##T, false, true, false}, {Opcode::v_cmp##x##_nge_##t, Op::Le##T, true, true, false}, \
  {Opcode::v_cmp##x##_nlg_##t, Op::Lg##T, false, true, false}, {Opcode::v_cmp##x##_ngt_##t, Op::Lt##T, true, true, false}, \
  {Opcode::v_cmp##x##_nle_##t, Op::Le##T, false, true, false}, {Opcode::v_cmp##x##_neq_##t, Op::Ne##T, false, false, false}, \
  {Opcode::v_cmp##x##_nlt_##t, Op::Lt##T, false, true, false}, {Opcode::v_cmp##x##_tru_##t, Op::False, false, true, false}
#define INTEGERS(x, t, Eq, Ne, Lt, Le) \
  {Opcode::v_cmp##x##_f_##t, Op::False, false, false, false}, {Opcode::v_cmp##x##_lt_##t, Op::Lt, false, false, false}, \
  {Opcode::v_cmp##x##_eq_##t, Op::Eq, false, false, false}, {Opcode::v_cmp##x##_le_##t, Op::Le, false, false, false}, \
  {Opcode::v_cmp##x##_gt_##t, Op::Lt, true, false, false}, {Opcode::v_cmp##x##_ne_##t, Op::Ne, false, false, false}, \
  {Opcode::v_cmp##x##_ge_##t, Op::Le, true, false, false}, {Opcode::v_cmp##x##_t_##t, Op::False, false, true, false}
#define CONDITIONS(x) FLOATS(x, f32, F), FLOATS(x, f64, D), INTEGERS(x, i32, EqU, NeU, LtI, LeI), \
  INTEGERS(x, u32, EqU, NeU, LtU, LeU), INTEGERS(x, i64, EqU64, NeU64, LtI64, LeI64), INTEGERS(x, u64, EqU64, NeU64, LtU64, LeU64)
constexpr Condition kConditions[] = {CONDITIONS(), CONDITIONS(x),
    {Opcode::v_cmp_class_f32, Op::ClassF, false, false, false}, {Opcode::v_cmp_class_f64, Op::ClassD, false, false, false},
    {Opcode::v_cmpx_class_f32, Op::ClassF, false, false, false}, {Opcode::v_cmpx_class_f64, Op::ClassD, false, false, false}};
// Of the low halves of the sources, longer by zeros or by their signs.
constexpr Condition kHalfConditions[] = {INTEGERS(, i16, EqU, NeU, LtI, LeI), INTEGERS(, u16, EqU, NeU, LtU, LeU),
                                         INTEGERS(x, i16, EqU, NeU, LtI, LeI), INTEGERS(x, u16, EqU, NeU, LtU, LeU)};
constexpr Condition kHalfFloatConditions[] = {FLOATS(, f16, F), FLOATS(x, f16, F)};
constexpr Condition kScalarConditions[] = {
    {Opcode::s_cmp_eq_i32, Op::EqU, false, false, false}, {Opcode::s_cmp_lg_i32, Op::NeU, false, false, false},
    {Opcode::s_cmp_gt_i32, Op::LtI, true, false, false}, {Opcode::s_cmp_ge_i32, Op::LeI, true, false, false},
    {Opcode::s_cmp_lt_i32, Op::LtI, false, false, false}, {Opcode::s_cmp_le_i32, Op::LeI, false, false, false},
    {Opcode::s_cmp_eq_u32, Op::EqU, false, false, false}, {Opcode::s_cmp_lg_u32, Op::NeU, false, false, false},
    {Opcode::s_cmp_gt_u32, Op::LtU, true, false, false}, {Opcode::s_cmp_ge_u32, Op::LeU, true, false, false},
    {Opcode::s_cmp_lt_u32, Op::LtU, false, false, false}, {Opcode::s_cmp_le_u32, Op::LeU, false, false, false},
    {Opcode::s_cmp_eq_u64, Op::EqU64, false, false, false}, {Opcode::s_cmp_lg_u64, Op::NeU64, false, false, false},
    {Opcode::s_cmpk_eq_i32, Op::EqU, false, false, false}, {Opcode::s_cmpk_lg_i32, Op::NeU, false, false, false},
    {Opcode::s_cmpk_gt_i32, Op::LtI, true, false, false}, {Opcode::s_cmpk_ge_i32, Op::LeI, true, false, false},
    {Opcode::s_cmpk_lt_i32, Op::LtI, false, false, false}, {Opcode::s_cmpk_le_i32, Op::LeI, false, false, false},
    {Opcode::s_cmpk_eq_u32, Op::EqU, false, false, false}, {Opcode::s_cmpk_lg_u32, Op::NeU, false, false, false},
    {Opcode::s_cmpk_gt_u32, Op::LtU, true, false, false}, {Opcode::s_cmpk_ge_u32, Op::LeU, true, false, false},
    {Opcode::s_cmpk_lt_u32, Op::LtU, false, false, false}, {Opcode::s_cmpk_le_u32, Op::LeU, false, false, false},
};
// Bit by bit, so that they are the same for masks and numbers: D = a OP b, b possibly inverted, D possibly inverted.
struct Bitwise {
  Opcode opcode;
  Op words, masks;
  bool invert_second, invert_result, invert_first = false;
};
constexpr Bitwise kBitwise[] = {
    {Opcode::s_and_b64, Op::And, Op::BoolAnd, false, false}, {Opcode::s_or_b64, Op::Or, Op::BoolOr, false, false},
    {Opcode::s_xor_b64, Op::Xor, Op::BoolXor, false, false}, {Opcode::s_andn2_b64, Op::And, Op::BoolAnd, true, false},
    {Opcode::s_orn2_b64, Op::Or, Op::BoolOr, true, false}, {Opcode::s_nand_b64, Op::And, Op::BoolAnd, false, true},
    {Opcode::s_nor_b64, Op::Or, Op::BoolOr, false, true}, {Opcode::s_xnor_b64, Op::Xor, Op::BoolXor, false, true},
    {Opcode::s_and_saveexec_b64, Op::And, Op::BoolAnd, false, false}, {Opcode::s_or_saveexec_b64, Op::Or, Op::BoolOr, false, false},
    {Opcode::s_xor_saveexec_b64, Op::Xor, Op::BoolXor, false, false}, {Opcode::s_andn2_saveexec_b64, Op::And, Op::BoolAnd, true, false},
    {Opcode::s_orn2_saveexec_b64, Op::Or, Op::BoolOr, true, false}, {Opcode::s_nand_saveexec_b64, Op::And, Op::BoolAnd, false, true},
    {Opcode::s_nor_saveexec_b64, Op::Or, Op::BoolOr, false, true}, {Opcode::s_xnor_saveexec_b64, Op::Xor, Op::BoolXor, false, true},
    {Opcode::s_andn1_saveexec_b64, Op::And, Op::BoolAnd, false, false, true}, {Opcode::s_orn1_saveexec_b64, Op::Or, Op::BoolOr, false, false, true},
    {Opcode::s_andn1_wrexec_b64, Op::And, Op::BoolAnd, false, false, true}, {Opcode::s_andn2_wrexec_b64, Op::And, Op::BoolAnd, true, false},
};
struct Memory {
  Opcode opcode;
  u8 bytes, components;
  bool store, is_signed;
};
constexpr Memory kBuffer[] = {
    {Opcode::buffer_load_ubyte, 1, 1, false, false}, {Opcode::buffer_load_sbyte, 1, 1, false, true},
    {Opcode::buffer_load_ushort, 2, 1, false, false}, {Opcode::buffer_load_sshort, 2, 1, false, true},
    {Opcode::buffer_load_dword, 4, 1, false, false}, {Opcode::buffer_load_dwordx2, 4, 2, false, false},
    {Opcode::buffer_load_dwordx3, 4, 3, false, false}, {Opcode::buffer_load_dwordx4, 4, 4, false, false},
    {Opcode::buffer_store_byte, 1, 1, true, false}, {Opcode::buffer_store_short, 2, 1, true, false},
    {Opcode::buffer_store_dword, 4, 1, true, false}, {Opcode::buffer_store_dwordx2, 4, 2, true, false},
    {Opcode::buffer_store_dwordx3, 4, 3, true, false}, {Opcode::buffer_store_dwordx4, 4, 4, true, false},
    {Opcode::tbuffer_load_format_x, 0, 1, false, false}, {Opcode::tbuffer_load_format_xy, 0, 2, false, false},
    {Opcode::tbuffer_load_format_xyz, 0, 3, false, false}, {Opcode::tbuffer_load_format_xyzw, 0, 4, false, false},
    {Opcode::tbuffer_store_format_x, 0, 1, true, false}, {Opcode::tbuffer_store_format_xy, 0, 2, true, false},
    {Opcode::tbuffer_store_format_xyz, 0, 3, true, false}, {Opcode::tbuffer_store_format_xyzw, 0, 4, true, false},
};
// Operations of 16 bits, which leave zeros in the high half of the destination. [VIA: «VOP2»; LLVM
// GCNSubtarget::zeroesHigh16BitsOfDest]
struct Short {
  Opcode opcode;
  Op op;
  bool is_signed, reversed;
};
constexpr Short kShorts[] = {
    {Opcode::v_add_u16, Op::Add, false, false}, {Opcode::v_sub_u16, Op::Sub, false, false}, {Opcode::v_subrev_u16, Op::Sub, false, true},
    {Opcode::v_mul_lo_u16, Op::Mul, false, false}, {Opcode::v_lshlrev_b16, Op::Shl, false, true}, {Opcode::v_lshrrev_b16, Op::Shr, false, true},
    {Opcode::v_ashrrev_i16, Op::Sar, true, true}, {Opcode::v_max_u16, Op::MaxU, false, false}, {Opcode::v_max_i16, Op::MaxI, true, false},
    {Opcode::v_min_u16, Op::MinU, false, false}, {Opcode::v_min_i16, Op::MinI, true, false},
    {Opcode::v_add_i16, Op::Add, true, false}, {Opcode::v_sub_i16, Op::Sub, true, false},
};
// Operations of floats of 16 bits, by way of 32, which is exact as far as 16 bits go: of a sum, a product or a root of
// 11 bits, 24 are enough to round twice [S. Figueroa, "When is Double Rounding Innocuous?", 1995]. `three`: operands.
// `keeps`: the other half of the destination, from GFX9 on [LLVM GCNSubtarget::zeroesHigh16BitsOfDest].
struct HalfFloat {
  Opcode opcode;
  Op op;
  std::array<u8, 3> order;
  bool keeps;
};
constexpr HalfFloat kHalfFloats[] = {
    {Opcode::v_add_f16, Op::AddF, kInOrder, false}, {Opcode::v_sub_f16, Op::SubF, kInOrder, false}, {Opcode::v_subrev_f16, Op::SubF, kReversed, false},
    {Opcode::v_mul_f16, Op::MulF, kInOrder, false}, {Opcode::v_min_f16, Op::MinF, kInOrder, false}, {Opcode::v_max_f16, Op::MaxF, kInOrder, false},
    {Opcode::v_rcp_f16, Op::RcpF, kInOrder, false}, {Opcode::v_sqrt_f16, Op::SqrtF, kInOrder, false}, {Opcode::v_rsq_f16, Op::RsqF, kInOrder, false},
    {Opcode::v_log_f16, Op::Log2F, kInOrder, false}, {Opcode::v_exp_f16, Op::Exp2F, kInOrder, false},
    {Opcode::v_floor_f16, Op::FloorF, kInOrder, false}, {Opcode::v_ceil_f16, Op::CeilF, kInOrder, false},
    {Opcode::v_trunc_f16, Op::TruncF, kInOrder, false}, {Opcode::v_rndne_f16, Op::RintF, kInOrder, false},
    {Opcode::v_frexp_mant_f16, Op::FrexpMantF, kInOrder, false},
    {Opcode::v_sin_f16, Op::SinF, kInOrder, false}, {Opcode::v_cos_f16, Op::CosF, kInOrder, false}, {Opcode::v_med3_f16, Op::MedF, kInOrder, false},
    {Opcode::v_fma_f16, Op::FmaD, kInOrder, true}, {Opcode::v_fma_legacy_f16, Op::FmaD, kInOrder, false},
    {Opcode::v_div_fixup_f16, Op::DivFixupF, kInOrder, true}, {Opcode::v_div_fixup_legacy_f16, Op::DivFixupF, kInOrder, false},
};
constexpr HalfFloat kPackedHalfFloats[] = {
    {Opcode::v_pk_add_f16, Op::AddF, kInOrder, false}, {Opcode::v_pk_mul_f16, Op::MulF, kInOrder, false},
    {Opcode::v_pk_min_f16, Op::MinF, kInOrder, false}, {Opcode::v_pk_max_f16, Op::MaxF, kInOrder, false},
    {Opcode::v_pk_fma_f16, Op::FmaD, kInOrder, false},
};
// Products and sums of floats of 32 and 16 bits. `to`: 0 a float, else a half of the destination.
struct Mixed {
  Opcode opcode;
  bool fused;
  u8 to;
};
constexpr Mixed kMixed[] = {
    {Opcode::v_mad_mix_f32, false, 0}, {Opcode::v_mad_mixlo_f16, false, 1}, {Opcode::v_mad_mixhi_f16, false, 2},
    {Opcode::v_fma_mix_f32, true, 0}, {Opcode::v_fma_mixlo_f16, true, 1}, {Opcode::v_fma_mixhi_f16, true, 2},
};
// Two of them side by side. [VEGA: «VOP3P»]
constexpr Short kPacked[] = {
    {Opcode::v_pk_add_u16, Op::Add, false, false}, {Opcode::v_pk_add_i16, Op::Add, true, false},
    {Opcode::v_pk_sub_u16, Op::Sub, false, false}, {Opcode::v_pk_sub_i16, Op::Sub, true, false},
    {Opcode::v_pk_mul_lo_u16, Op::Mul, false, false},
    {Opcode::v_pk_lshlrev_b16, Op::Shl, false, true}, {Opcode::v_pk_lshrrev_b16, Op::Shr, false, true}, {Opcode::v_pk_ashrrev_i16, Op::Sar, true, true},
    {Opcode::v_pk_max_u16, Op::MaxU, false, false}, {Opcode::v_pk_max_i16, Op::MaxI, true, false},
    {Opcode::v_pk_min_u16, Op::MinU, false, false}, {Opcode::v_pk_min_i16, Op::MinI, true, false},
};
// LDS; `pair`: two accesses, their offsets in elements times this.
struct LocalMemory {
  Opcode opcode;
  u8 bytes, components;
  bool store, is_signed;
  u16 pair;
};
constexpr LocalMemory kLocal[] = {
    {Opcode::ds_read_b32, 4, 1, false, false, 0}, {Opcode::ds_read_b64, 4, 2, false, false, 0},
    {Opcode::ds_read_i8, 1, 1, false, true, 0}, {Opcode::ds_read_u8, 1, 1, false, false, 0},
    {Opcode::ds_read_i16, 2, 1, false, true, 0}, {Opcode::ds_read_u16, 2, 1, false, false, 0},
    {Opcode::ds_read2_b32, 4, 1, false, false, 4}, {Opcode::ds_read2_b64, 4, 2, false, false, 8},
    {Opcode::ds_read2st64_b32, 4, 1, false, false, 256}, {Opcode::ds_read2st64_b64, 4, 2, false, false, 512},
    {Opcode::ds_write_b32, 4, 1, true, false, 0}, {Opcode::ds_write_b64, 4, 2, true, false, 0},
    {Opcode::ds_read_b96, 4, 3, false, false, 0}, {Opcode::ds_read_b128, 4, 4, false, false, 0},
    {Opcode::ds_write_b96, 4, 3, true, false, 0}, {Opcode::ds_write_b128, 4, 4, true, false, 0},
    {Opcode::ds_write_b8, 1, 1, true, false, 0}, {Opcode::ds_write_b16, 2, 1, true, false, 0},
    {Opcode::ds_write2_b32, 4, 1, true, false, 4}, {Opcode::ds_write2_b64, 4, 2, true, false, 8},
    {Opcode::ds_write2st64_b32, 4, 1, true, false, 256}, {Opcode::ds_write2st64_b64, 4, 2, true, false, 512},
};
constexpr Memory kFlat[] = {
    {Opcode::flat_load_ubyte, 1, 1, false, false},
    {Opcode::flat_load_sbyte, 1, 1, false, true},
    {Opcode::flat_load_ushort, 2, 1, false, false},
    {Opcode::flat_load_sshort, 2, 1, false, true},
    {Opcode::flat_load_dword, 4, 1, false, false},
    {Opcode::flat_load_dwordx2, 4, 2, false, false},
    {Opcode::flat_load_dwordx3, 4, 3, false, false},
    {Opcode::flat_load_dwordx4, 4, 4, false, false},
    {Opcode::flat_store_byte, 1, 1, true, false},
    {Opcode::flat_store_short, 2, 1, true, false},
    {Opcode::flat_store_dword, 4, 1, true, false},
    {Opcode::flat_store_dwordx2, 4, 2, true, false},
    {Opcode::flat_store_dwordx3, 4, 3, true, false},
    {Opcode::flat_store_dwordx4, 4, 4, true, false},
    {Opcode::global_load_ubyte, 1, 1, false, false},
    {Opcode::global_load_sbyte, 1, 1, false, true},
    {Opcode::global_load_ushort, 2, 1, false, false},
    {Opcode::global_load_sshort, 2, 1, false, true},
    {Opcode::global_load_dword, 4, 1, false, false},
    {Opcode::global_load_dwordx2, 4, 2, false, false},
    {Opcode::global_load_dwordx3, 4, 3, false, false},
    {Opcode::global_load_dwordx4, 4, 4, false, false},
    {Opcode::global_store_byte, 1, 1, true, false},
    {Opcode::global_store_short, 2, 1, true, false},
    {Opcode::global_store_dword, 4, 1, true, false},
    {Opcode::global_store_dwordx2, 4, 2, true, false},
    {Opcode::global_store_dwordx3, 4, 3, true, false},
    {Opcode::global_store_dwordx4, 4, 4, true, false},
};
// Halves of a register: what is loaded goes to one and leaves the other alone. [VEGA: «D16»]
struct HalfMemory {
  Opcode opcode;
  u8 bytes;
  bool store, is_signed, high;
};
#define HALVES(x) \
  {Opcode::x##_store_byte_d16_hi, 1, true, false, true}, {Opcode::x##_store_short_d16_hi, 2, true, false, true}, \
  {Opcode::x##_load_ubyte_d16, 1, false, false, false}, {Opcode::x##_load_ubyte_d16_hi, 1, false, false, true}, \
  {Opcode::x##_load_sbyte_d16, 1, false, true, false}, {Opcode::x##_load_sbyte_d16_hi, 1, false, true, true}, \
  {Opcode::x##_load_short_d16, 2, false, false, false}, {Opcode::x##_load_short_d16_hi, 2, false, false, true}
constexpr HalfMemory kHalves[] = {
    HALVES(buffer), HALVES(flat), HALVES(global),
    {Opcode::ds_write_b8_d16_hi, 1, true, false, true}, {Opcode::ds_write_b16_d16_hi, 2, true, false, true},
    {Opcode::ds_read_u8_d16, 1, false, false, false}, {Opcode::ds_read_u8_d16_hi, 1, false, false, true},
    {Opcode::ds_read_i8_d16, 1, false, true, false}, {Opcode::ds_read_i8_d16_hi, 1, false, true, true},
    {Opcode::ds_read_u16_d16, 2, false, false, false}, {Opcode::ds_read_u16_d16_hi, 2, false, false, true},
};
struct AtomicMemory {
  Opcode opcode;
  std::string_view name;
  bool returns;  // LDS; those of buffers do where GLC is set
  bool is_signed;
  u8 bytes = 4;
};
// Of buffers, and by address.
#define OF_MEMORY(x) \
  {Opcode::x##_atomic_add, "add", false, false}, {Opcode::x##_atomic_sub, "sub", false, false}, \
  {Opcode::x##_atomic_swap, "xchg", false, false}, {Opcode::x##_atomic_cmpswap, "cmpxchg", false, false}, \
  {Opcode::x##_atomic_smin, "min", false, true}, {Opcode::x##_atomic_umin, "min", false, false}, \
  {Opcode::x##_atomic_smax, "max", false, true}, {Opcode::x##_atomic_umax, "max", false, false}, \
  {Opcode::x##_atomic_and, "and", false, false}, {Opcode::x##_atomic_or, "or", false, false}, \
  {Opcode::x##_atomic_xor, "xor", false, false}, {Opcode::x##_atomic_inc, "inc", false, false}, \
  {Opcode::x##_atomic_dec, "dec", false, false}, {Opcode::x##_atomic_fmin, "fmin", false, false}, \
  {Opcode::x##_atomic_fmax, "fmax", false, false}, {Opcode::x##_atomic_add_f32, "fadd", false, false}, \
  {Opcode::x##_atomic_add_x2, "add", false, false, 8}, {Opcode::x##_atomic_sub_x2, "sub", false, false, 8}, \
  {Opcode::x##_atomic_swap_x2, "xchg", false, false, 8}, {Opcode::x##_atomic_cmpswap_x2, "cmpxchg", false, false, 8}, \
  {Opcode::x##_atomic_smin_x2, "min", false, true, 8}, {Opcode::x##_atomic_umin_x2, "min", false, false, 8}, \
  {Opcode::x##_atomic_smax_x2, "max", false, true, 8}, {Opcode::x##_atomic_umax_x2, "max", false, false, 8}, \
  {Opcode::x##_atomic_and_x2, "and", false, false, 8}, {Opcode::x##_atomic_or_x2, "or", false, false, 8}, \
  {Opcode::x##_atomic_xor_x2, "xor", false, false, 8}, {Opcode::x##_atomic_inc_x2, "inc", false, false, 8}, \
  {Opcode::x##_atomic_dec_x2, "dec", false, false, 8}, {Opcode::x##_atomic_fmin_x2, "fmin", false, false, 8}, \
  {Opcode::x##_atomic_fmax_x2, "fmax", false, false, 8}
// Of local memory, without and with what was there.
#define OF_LOCAL(name, type, text, is_signed, bytes) \
  {Opcode::ds_##name##_##type, text, false, is_signed, bytes}, {Opcode::ds_##name##_rtn_##type, text, true, is_signed, bytes}
#define OF_LOCAL_NUMBERS(bits, bytes) \
  OF_LOCAL(add, u##bits, "add", false, bytes), OF_LOCAL(sub, u##bits, "sub", false, bytes), \
  OF_LOCAL(rsub, u##bits, "rsub", false, bytes), OF_LOCAL(inc, u##bits, "inc", false, bytes), \
  OF_LOCAL(dec, u##bits, "dec", false, bytes), OF_LOCAL(min, i##bits, "min", true, bytes), \
  OF_LOCAL(max, i##bits, "max", true, bytes), OF_LOCAL(min, u##bits, "min", false, bytes), \
  OF_LOCAL(max, u##bits, "max", false, bytes), OF_LOCAL(and, b##bits, "and", false, bytes), \
  OF_LOCAL(or, b##bits, "or", false, bytes), OF_LOCAL(xor, b##bits, "xor", false, bytes), \
  OF_LOCAL(cmpst, b##bits, "cmpxchg", false, bytes), OF_LOCAL(min, f##bits, "fmin", false, bytes), \
  OF_LOCAL(max, f##bits, "fmax", false, bytes), {Opcode::ds_wrxchg_rtn_b##bits, "xchg", true, false, bytes}
constexpr AtomicMemory kAtomics[] = {
    OF_MEMORY(buffer), OF_MEMORY(flat), OF_MEMORY(global), OF_LOCAL_NUMBERS(32, 4), OF_LOCAL_NUMBERS(64, 8),
    OF_LOCAL(add, f32, "fadd", false, 4),
};
#undef OF_LOCAL_NUMBERS
#undef OF_LOCAL
#undef OF_MEMORY
// clang-format on
// Images; `level`: the last word of the address is the mip level.
struct ImageRow {
  Opcode opcode;
  bool sampled, level, store, size;
};
constexpr ImageRow kImageRows[] = {
    {Opcode::image_sample, true, false, false, false},   {Opcode::image_sample_lz, true, false, false, false},
    {Opcode::image_sample_l, true, true, false, false},  {Opcode::image_load, false, false, false, false},
    {Opcode::image_load_mip, false, true, false, false}, {Opcode::image_store, false, false, true, false},
    {Opcode::image_store_mip, false, true, true, false}, {Opcode::image_get_resinfo, false, true, false, true},
};
// Elements of a buffer that is an image: by number, in the format of its descriptor.
struct FormatRow {
  Opcode opcode;
  u8 components;
  bool store;
};
constexpr FormatRow kFormatted[] = {
    {Opcode::buffer_load_format_x, 1, false},   {Opcode::buffer_load_format_xy, 2, false},
    {Opcode::buffer_load_format_xyz, 3, false}, {Opcode::buffer_load_format_xyzw, 4, false},
    {Opcode::buffer_store_format_x, 1, true},   {Opcode::buffer_store_format_xy, 2, true},
    {Opcode::buffer_store_format_xyz, 3, true}, {Opcode::buffer_store_format_xyzw, 4, true},
};
// What instructions do whose row is none of these stands in `Builder::other`.

// The row of an opcode; null: the table has none. Looked up by number: it is asked of every instruction and table.
template <const auto& Rows>
auto find_row(Opcode opcode) {
  static const auto kIndex = [] {
    std::array<u16, gcn::kOpcodes> index{};  // one more than the row's number
    for (u16 n = 0; const auto& row : Rows)
      if (u16& at = index[static_cast<std::size_t>(row.opcode)]; ++n, at == 0) at = n;
    return index;
  }();
  const u16 n = kIndex[static_cast<std::size_t>(opcode)];
  return n == 0 ? nullptr : &Rows[n - 1u];
}

// Whether EXEC becomes the lanes that were left out.
bool turns(const Instruction& i) {
  const bool logic = i.opcode == Opcode::s_andn2_b64 || i.opcode == Opcode::s_xor_b64;
  return logic && i.destination == kExec && i.sources[1] == kExec;
}

class Builder {
 public:
  Builder(const Source& source, bool by_path, const Flow& flow, Graph& graph)
      : source_(source), by_path_(by_path), flow_(flow), graph_(graph) {}

  u32 run() {
    const gcn::ControlFlow& flow = source_.decoder.flow();
    u32 count = 0;
    for (const gcn::Block& block : flow.blocks) count += static_cast<u32>(block.instructions.size());
    count -= source_.decoder.calls();  // of which each is two
    if (const auto& refusal = source_.decoder.refusal())
      return refuse(refusal->offset, refusal->code, refusal->message), count;
    if (flow.blocks.empty()) return refuse(0, Code::LiftNoCode, "has no machine code"), count;
    if (!flow.unknown.empty()) {
      const Instruction& i = source_.decoder.at(flow.unknown[0]);
      return refuse(flow.unknown[0], Code::LiftOpcode, fmt::format("has the unknown encoding 0x{:08x}", i.words[0])),
             count;
    }
    if (!flow.computed.empty())
      return refuse(flow.computed[0], Code::LiftFlow, "jumps to an address in registers"), count;
    if (!flow.leaving.empty()) return refuse(flow.leaving[0], Code::LiftFlow, "runs out of its machine code"), count;
    if (flow.blocks.size() > kMostBlocks)
      return refuse(0, Code::LiftFlow, fmt::format("has more than {} basic blocks", kMostBlocks)), count;
    if (count > kMostInstructions)
      return refuse(0, Code::LiftFlow, fmt::format("has more than {} instructions", kMostInstructions)), count;
    if (!make_blocks(flow)) return count;
    graph_.expect(count * kUsualNodes);
    find_put_away();
    find_slots();
    find_private();
    const u32 waits = kVariables + 2 * static_cast<u32>(put_away_.size() + slot_variables_);
    variables_ = waits + 1;
    constexpr std::size_t kMostDefined = std::size_t{1} << 24;
    if (std::size_t{variables_} * graph_.blocks.size() > kMostDefined)
      return refuse(0, Code::LiftFlow, std::string(kTooMuchWork)), count;
    defined_.assign(graph_.blocks.size() * variables_, kNone);
    filled_.assign(graph_.blocks.size(), false);
    if (!enter()) return count;
    for (u32 b = 0; b < graph_.blocks.size() && !graph_.refusal; ++b) {
      block_ = b;
      flush_ = source_.flush;
      for (const u32 offset : instructions_[b]) {
        const Instruction& i = source_.decoder.at(offset);
        offset_ = graph_.origin = offset;
        step(i);
        if (graph_.refusal) break;
      }
      if (relative_ != 0)
        refuse(graph_.blocks[b].end.offset, Code::LiftOpcode, "chooses registers by index across a branch");
      if (flush_ != source_.flush)
        refuse(graph_.blocks[b].end.offset, Code::LiftOpcode, "treats denormals otherwise across a branch");
      if (const u32 number = graph_.blocks[b].waits; number != kNone) write(waits, graph_.constant(number));
      if (const u32 number = graph_.blocks[b].asks; number != kNone)
        graph_.blocks[b].end.condition = graph_.make(Op::EqU, {read(waits), graph_.constant(number)});
      filled_[b] = true;
      graph_.blocks[b].exec = exec();
    }
    graph_.origin = 0;
    if (!graph_.refusal) seal();
    return count;
  }

 private:
  void refuse(u32 offset, Code code, std::string message) { graph_.refuse(code, offset, std::move(message)); }

  // --- blocks --------------------------------------------------------------------------------------------------------

  bool make_blocks(const gcn::ControlFlow& flow) {
    // A block of our own in front, so that the entry has no predecessors.
    graph_.blocks.resize(flow.blocks.size() + 1);
    std::vector<std::vector<u32>> lists(flow.blocks.size() + 1);
    const auto link = [&](u32 from, u32 to) {
      auto& successors = graph_.blocks[from].successors;
      if (std::ranges::find(successors, to) != successors.end()) return;
      successors.push_back(to);
      graph_.blocks[to].predecessors.push_back(from);
    };
    link(0, flow.entry + 1);
    graph_.blocks[0].end = {.kind = BlockEnd::Kind::Jump, .yes = flow.entry + 1};
    const std::vector<bool> changed = exec_changed(flow);
    for (u32 n = 0; n < flow.blocks.size(); ++n) {
      const gcn::Block& from = flow.blocks[n];
      BasicBlock& to = graph_.blocks[n + 1];
      to.first = from.first;
      lists[n + 1] = from.instructions;
      const u32 last = from.instructions.back();
      const Instruction& i = source_.decoder.at(last);
      const auto block_of = [&](std::int64_t offset) -> u32 {
        const auto at = std::ranges::lower_bound(flow.blocks, static_cast<u32>(offset), {}, &gcn::Block::first);
        return static_cast<u32>(at - flow.blocks.begin()) + 1;
      };
      to.end.offset = last;
      switch (from.flow) {
        case gcn::Flow::End: to.end.kind = BlockEnd::Kind::Return; break;
        case gcn::Flow::Branch:
          to.end.kind = BlockEnd::Kind::Jump;
          to.end.yes = block_of(*gcn::branch_target(i));
          link(n + 1, to.end.yes);
          break;
        case gcn::Flow::Conditional:
          if (const bool skipped = flow_.skipped.contains(last);
              skipped ||
              (!changed[n] && (i.opcode == Opcode::s_cbranch_execz || i.opcode == Opcode::s_cbranch_execnz))) {
            to.end.kind = BlockEnd::Kind::Jump;
            to.end.walked = skipped;
            to.end.yes = block_of(i.opcode == Opcode::s_cbranch_execz ? from.end : *gcn::branch_target(i));
            link(n + 1, to.end.yes);
            break;
          }
          to.end.kind = BlockEnd::Kind::Branch;
          to.end.yes = block_of(*gcn::branch_target(i));
          to.end.no = block_of(from.end);
          link(n + 1, to.end.yes);
          link(n + 1, to.end.no);
          if (to.end.yes == to.end.no) to.end.kind = BlockEnd::Kind::Jump;
          break;
        case gcn::Flow::Next:
          to.end.kind = BlockEnd::Kind::Jump;
          to.end.yes = block_of(from.end);
          link(n + 1, to.end.yes);
          break;
        default: refuse(last, Code::LiftFlow, "calls, forks or traps"); return false;
      }
    }
    for (u32 n = 0; n < graph_.blocks.size(); ++n) graph_.blocks[n].end.offset = n == 0 ? 0 : lists[n].back();
    tell_ways(lists);
    if (by_path_) duplicate(lists);
    // `order` sorts the blocks; the lists follow by their first instruction.
    BlockCode by_first;
    for (u32 n = 1; n < graph_.blocks.size(); ++n) by_first[graph_.blocks[n].first] = lists[n];
    // A loop's test that compilers have put in front of it too is there once again. Else a block that is jumped to from
    // inside of a loop and from outside is there twice, until every loop has one entry.
    constexpr std::size_t kMostCopies = 64;
    std::size_t copies = 0;
    const auto sort = [&] {
      for (; !graph_.order(); ++copies)
        if (copies == kMostCopies || (!share_test(graph_, source_, by_first) && !split_entry())) return false;
      return true;
    };
    if (!sort() || (!by_path_ && share_ends(graph_, source_, by_first) && !sort())) {
      refuse(0, Code::LiftFlow, "has loops with more than one entry");
      return false;
    }
    if (!flow_.parted.empty() && !meet_at_one_barrier(graph_, flow_.parted, by_first, [&](u32 offset) {
          return source_.decoder.at(offset).opcode == Opcode::s_barrier;
        })) {
      refuse(*flow_.parted.begin(), Code::LiftForm, std::string(kParted));
      return false;
    }
    instructions_.resize(graph_.blocks.size());
    for (u32 n = 1; n < graph_.blocks.size(); ++n)
      if (!graph_.blocks[n].made) instructions_[n] = by_first[graph_.blocks[n].first];
    return true;
  }

  // Blocks of the machine code at whose end EXEC may not be what it was when the kernel began, which is not 0. LLVM has
  // branches on EXECZ and EXECNZ for conditions that are known.
  std::vector<bool> exec_changed(const gcn::ControlFlow& flow) const {
    std::vector<bool> out(flow.blocks.size());
    std::vector<u32> open;
    for (u32 n = 0; n < flow.blocks.size(); ++n)
      if (std::ranges::any_of(flow.blocks[n].instructions, [&](u32 offset) {
            const Instruction& i = source_.decoder.at(offset);
            return writes_exec(i) || i.destination == kExec + 1;
          }))
        open.push_back(n);
    while (!open.empty()) {
      const u32 n = open.back();
      open.pop_back();
      if (out[n]) continue;
      out[n] = true;
      open.insert(open.end(), flow.blocks[n].successors.begin(), flow.blocks[n].successors.end());
    }
    return out;
  }
  // Gives a jump backwards, to a block that can be come to without what jumps there, a copy of that block.
  bool split_entry() {
    auto& blocks = graph_.blocks;
    for (u32 from = 0; from < blocks.size(); ++from)
      for (const u32 to : blocks[from].successors) {
        if (!graph_.is_second_entry(from, to)) continue;
        if (blocks.size() >= kMostBlocks) return false;
        copy_for(from, to);
        return true;
      }
    return false;
  }
  // Gives a block one of its own in place of one that it leads to.
  void copy_for(u32 from, u32 to) {
    auto& blocks = graph_.blocks;
    const u32 copy = static_cast<u32>(blocks.size());
    BasicBlock block = blocks[to];
    block.predecessors = {from};
    blocks.push_back(std::move(block));
    for (const u32 next : blocks[copy].successors) blocks[next].predecessors.push_back(copy);
    std::erase(blocks[to].predecessors, from);
    std::ranges::replace(blocks[from].successors, to, copy);
    BlockEnd& end = blocks[from].end;
    if (end.yes == to) end.yes = copy;
    if (end.kind == BlockEnd::Kind::Branch && end.no == to) end.no = copy;
  }
  // Ends blocks in which lanes are turned to where all are on again.
  void split(std::vector<std::vector<u32>>& lists) {
    for (u32 b = 1; b < graph_.blocks.size() && graph_.blocks.size() < kMostBlocks; ++b) {
      bool turned = false;
      for (std::size_t n = 0; n < lists[b].size(); ++n) {
        const Instruction& i = source_.decoder.at(lists[b][n]);
        const bool restores = i.opcode == Opcode::s_mov_b64 || i.opcode == Opcode::s_or_b64;
        if (turned && restores && i.destination == kExec) {
          const u32 rest = static_cast<u32>(graph_.blocks.size());
          BasicBlock block = graph_.blocks[b];
          block.first = lists[b][n];
          block.predecessors = {b};
          for (const u32 to : block.successors) std::ranges::replace(graph_.blocks[to].predecessors, b, rest);
          graph_.blocks.push_back(std::move(block));
          graph_.blocks[b].successors = {rest};
          graph_.blocks[b].end = {.kind = BlockEnd::Kind::Jump, .yes = rest, .offset = lists[b][n - 1]};
          lists.emplace_back(lists[b].begin() + static_cast<std::ptrdiff_t>(n), lists[b].end());
          lists[b].resize(n);
          break;
        }
        turned = turned || turns(i);
      }
    }
  }
  // Whether it is seen that a pair of scalar registers has all lanes at the end of a block, or none.
  bool is_told(u32 pair, u32 block, const std::vector<std::vector<u32>>& lists) const {
    constexpr u32 kMostBack = 4;
    for (u32 steps = 0; steps < kMostBack; ++steps) {
      for (const u32 offset : lists[block] | std::views::reverse) {
        const Instruction& i = source_.decoder.at(offset);
        const gcn::Operands operands = gcn::operands(i, source_.generation);
        if (!std::ranges::any_of(operands, [&](const gcn::Operand& one) {
              return one.written && one.file == gcn::File::Scalar && one.first < pair + 2 &&
                     pair < one.first + u32{one.dwords};
            }))
          continue;
        const auto value = inline_constant(i.sources[0]);
        return i.opcode == Opcode::s_mov_b64 && i.destination == pair && (value == 0u || value == ~0u);
      }
      if (graph_.blocks[block].predecessors.size() != 1) break;
      block = graph_.blocks[block].predecessors[0];
    }
    return false;
  }
  // Short blocks that choose by a mask, which LLVM sets on the ways to them to say where they came from: once for each
  // way that has set it to all lanes or none.
  void tell_ways(std::vector<std::vector<u32>>& lists) {
    constexpr std::size_t kShort = 8, kCopies = 64;
    std::size_t copies = 0;
    const std::size_t count = graph_.blocks.size();
    for (u32 b = 1; b < count; ++b) {
      const BasicBlock& block = graph_.blocks[b];
      if (block.predecessors.size() < 2 || lists[b].size() > kShort || block.end.kind != BlockEnd::Kind::Branch)
        continue;
      std::vector<u32> pairs, written;
      bool plain = true;
      for (const u32 offset : lists[b]) {
        const Instruction& i = source_.decoder.at(offset);
        const gcn::Operands operands = gcn::operands(i, source_.generation);
        const bool other = operands.stores || (operands.loads && operands.space != gcn::Space::Scalar);
        plain = plain && !other && i.opcode != Opcode::s_barrier && !writes_exec(i);
        for (const gcn::Operand& one : operands)
          if (one.read && one.file == gcn::File::Scalar && one.dwords == 2 && one.first < kExec &&
              std::ranges::find(written, one.first) == written.end())
            pairs.push_back(one.first);
        for (const gcn::Operand& one : operands)
          if (one.written && one.file == gcn::File::Scalar) written.push_back(one.first);
      }
      // Loops stay what they are.
      for (const u32 p : block.predecessors) plain = plain && graph_.blocks[p].first < block.first;
      if (!plain || pairs.empty()) continue;
      const std::vector<u32> from = block.predecessors;
      for (const u32 p : from) {
        if (graph_.blocks[b].predecessors.size() < 2 || copies == kCopies) break;
        if (std::ranges::none_of(pairs, [&](u32 pair) { return is_told(pair, p, lists); })) continue;
        copy_for(p, b);
        lists.push_back(lists[b]);
        ++copies;
      }
    }
  }
  // Short blocks that turn to the lanes that were left out, once for each way that leads there: on one of them no
  // lane is on.
  void duplicate(std::vector<std::vector<u32>>& lists) {
    constexpr std::size_t kShort = 64, kCopies = 64;
    std::size_t copies = 0;
    split(lists);
    const std::size_t count = graph_.blocks.size();
    for (u32 b = 1; b < count; ++b) {
      if (graph_.blocks[b].predecessors.size() < 2 || lists[b].size() > kShort) continue;
      if (graph_.blocks[b].end.kind == BlockEnd::Kind::Return) continue;
      bool turned = false, plain = true;
      for (const u32 offset : lists[b]) {
        const Instruction& i = source_.decoder.at(offset);
        const gcn::Operands operands = gcn::operands(i, source_.generation);
        if (i.opcode == Opcode::s_barrier) plain = false;
        // What is done before lanes are turned, or by others than those, would be there twice.
        const bool effect = operands.stores || (operands.loads && operands.space != gcn::Space::Scalar);
        if (effect && !turned) plain = false;
        if (turned && writes_exec(i) && !turns(i)) plain = plain && !effect;
        turned = turned || turns(i);
      }
      // Loops stay what they are.
      for (const u32 p : graph_.blocks[b].predecessors)
        plain = plain && graph_.blocks[p].first < graph_.blocks[b].first;
      if (!turned || !plain) continue;
      while (graph_.blocks[b].predecessors.size() > 1 && copies < kCopies) {
        copy_for(graph_.blocks[b].predecessors.back(), b);
        lists.push_back(lists[b]);
        ++copies;
      }
    }
  }

  // --- variables -----------------------------------------------------------------------------------------------------

  Id& slot(u32 block, u32 variable) { return defined_[std::size_t{block} * variables_ + variable]; }
  void write(u32 variable, Id value) { slot(block_, variable) = value; }
  Id read(u32 variable) { return read_in(block_, variable); }
  static bool is_mask(u32 variable) {
    return (variable >= kMasks && variable <= kScc) || (variable >= kVariables && (variable - kVariables) % 2 != 0);
  }
  Id new_phi(u32 block, u32 variable) {
    const Id id = graph_.add({.op = is_mask(variable) ? Op::PhiBool : Op::Phi,
                              .type = is_mask(variable) ? Bool : Any,
                              .block = block,
                              .offset = graph_.blocks[block].first,
                              .scalar = variable < kMasks || variable == kScc ||
                                        (variable >= kVariables && !is_mask(variable) && !is_slot(variable))});
    graph_.blocks[block].phis.push_back(id);
    return id;
  }
  Id read_in(u32 block, u32 variable) {
    if (const Id id = slot(block, variable); id != kNone) return graph_.resolve(id);
    const auto& from = graph_.blocks[block].predecessors;
    Id out = kNone;
    if (graph_.blocks[block].behind != kNone && from.size() == 1) {
      out = read_behind(block, variable);
    } else if (from.empty()) {
      out = unset(variable);
    } else if (std::ranges::any_of(from, [&](u32 p) { return !filled_[p]; })) {
      out = new_phi(block, variable);
      open_.emplace_back(out, variable);
    } else if (from.size() == 1) {
      out = read_in(from[0], variable);
    } else {
      out = new_phi(block, variable);
      slot(block, variable) = out;
      return complete(out, variable);
    }
    slot(block, variable) = out;
    return out;
  }
  // Behind a barrier that several have become: what comes from those that waited at another one is not asked.
  Id read_behind(u32 block, u32 variable) {
    u32 meet = graph_.blocks[block].predecessors[0];
    while (graph_.blocks[meet].made && graph_.blocks[meet].predecessors.size() == 1)
      meet = graph_.blocks[meet].predecessors[0];
    const u32 number = graph_.blocks[block].behind;
    const std::vector<u32> from = graph_.blocks[meet].predecessors;
    Ids args;
    for (const u32 p : from)
      args.push_back(graph_.blocks[p].waits == number ? graph_.resolve(read_in(p, variable)) : unset(variable));
    // What was there before wavefronts parted is there for all.
    Id only = kNone;
    for (std::size_t n = 0; n < args.size(); ++n)
      if (graph_.blocks[from[n]].waits == number) only = only == kNone || only == args[n] ? args[n] : kSeveral;
    if (only < kSeveral && stands_at(only, meet)) return only;
    const Id out = new_phi(meet, variable);
    graph_.nodes[out].args = std::move(args);
    return out;
  }
  static constexpr Id kSeveral = kNone - 1;
  // Whether nothing that a value is made of is of a way on which another block need not lie.
  bool stands_at(Id id, u32 block) const {
    constexpr std::size_t kMost = 64;
    Seen seen;
    std::vector<Id> open{id};
    while (!open.empty()) {
      const Id one = graph_.resolve(open.back());
      open.pop_back();
      if (!seen.insert(one)) continue;
      if (seen.size() > kMost) return false;
      const Node& n = graph_.nodes[one];
      if (Graph::phi(n.op) || graph_.effect(n.op)) {
        if (!graph_.dominates(n.block, block)) return false;
      } else {
        for (const Id arg : n.args) open.push_back(arg);
      }
    }
    return true;
  }
  // What nothing has set.
  Id unset(u32 variable) {
    const Id word = graph_.make(Op::Undefined);
    return is_mask(variable) ? graph_.make(Op::MaskOfWords, {word, word}) : word;
  }
  Id complete(Id phi, u32 variable) {
    const u32 block = graph_.nodes[phi].block;
    Id only = kNone;
    bool trivial = true;
    Ids args;
    for (const u32 p : graph_.blocks[block].predecessors) {
      const Id arg = graph_.resolve(read_in(p, variable));
      args.push_back(arg);
      if (arg == phi || arg == only) continue;
      if (only != kNone) trivial = false;
      only = arg;
    }
    graph_.nodes[phi].args = std::move(args);
    if (!trivial || only == kNone) return phi;
    graph_.nodes[phi].forward = only;
    return only;
  }
  void seal() {
    for (std::size_t n = 0; n < open_.size(); ++n) complete(open_[n].first, open_[n].second);
    graph_.completed();
  }

  // --- registers -----------------------------------------------------------------------------------------------------

  // The state in which the old runtime starts it.
  bool enter() {
    block_ = 0;
    filled_[0] = true;
    if (source_.program.family == Family::Hsa) return enter_object();
    const auto* const cal = std::get_if<cl1::CalState>(&source_.kernel.entry);
    if (const auto* const setup = std::get_if<KernelCode>(&source_.kernel.entry);
        setup != nullptr && source_.program.family == Family::Cl2)
      return enter_block(*setup);
    if (cal == nullptr || !cal->info.rsrc2) {
      refuse(0, Code::LiftNoCode, "does not say how it is started, or is of a code object");
      return false;
    }
    graph_.scratch_bytes = u64{cal->info.scratch_dwords.value_or(0)} * 4;
    if (!scratch_fits()) return false;
    const u32 rsrc2 = *cal->info.rsrc2;
    for (const cl1::UserElement& element : cal->user_elements) {
      Op op = Op::Resource;
      u32 kind = 0;
      switch (element.data_class) {
        case cl1::kClassConstantBuffer: kind = 0; break;
        case cl1::kClassUav: kind = 1; break;
        case cl1::kClassSampler: kind = 3; break;
        case cl1::kClassConstantBufferTable: kind = 0, op = Op::Table; break;
        case cl1::kClassUavTable: kind = 1, op = Op::Table; break;
        case cl1::kClassResourceTable: kind = 2, op = Op::Table; break;
        case cl1::kClassSamplerTable: kind = 3, op = Op::Table; break;
        // Of this table code uses the descriptor of scratch memory only; which entry that is has not been verified.
        case cl1::kClassInternalGlobalTable: kind = kScratch, op = Op::Table; break;
        case cl1::kClassGdsCounters: kind = kCounters, op = Op::Table; break;
        default: {
          const cl1::UserDataClass* const row = cl1::find_user_data_class(element.data_class);
          refuse(0, Code::LiftUserData,
                 fmt::format("starts with user data of class 0x{:x} ({})", element.data_class,
                             row != nullptr ? row->name : "unknown"));
          return false;
        }
      }
      for (u32 n = 0; n < element.count && element.first + n < 104; ++n)
        set_word(element.first + n, op == Op::Table ? graph_.make(op, {}, kind << 4 | n)
                                                    : graph_.make(op, {}, u64{element.slot} << 8 | kind << 4 | n));
    }
    start(rsrc2);
    return true;
  }
  static u32 kind_of_register(u16 mask) {
    switch (mask) {
      case kSgprKernargPtr: return kKernarg;
      case kSgprDispatchPtr: return kPacket;
      case kSgprQueuePtr: return kQueue;
      default: return kOther;
    }
  }
  // As AMD's OpenCL 2.0 runtime starts it: user registers hold addresses.
  bool enter_block(const KernelCode& setup) {
    graph_.scratch_bytes = setup.private_bytes;
    if (!scratch_fits()) return false;
    find_relocations();
    u32 next = 0;
    for (const UserRegister& row : user_register_table()) {
      if ((setup.user_registers & row.mask) == 0) continue;
      const u32 kind = kind_of_register(row.mask);
      const Op op = row.mask == kSgprPrivateBuffer ? Op::Resource : Op::Table;
      for (u32 n = 0; n < row.count; ++n)
        set_word(next++, graph_.make(op, {}, (op == Op::Resource ? u32{kScratch} : kind) << 4 | n));
    }
    if (next > (setup.rsrc2 >> 1 & 31)) {
      refuse(0, Code::LiftUserData, "starts with more user registers than it counts");
      return false;
    }
    start(setup.rsrc2);
    return true;
  }
  bool scratch_fits() {
    constexpr u64 kMost = 64 << 10;  // bytes of a lane that a private array still takes
    if (graph_.scratch_bytes <= kMost) return true;
    refuse(0, Code::LiftScratch, fmt::format("uses {} bytes of scratch memory", graph_.scratch_bytes));
    return false;
  }
  void find_relocations() {
    const u64 base = source_.kernel.code->offset;
    const bool calls = source_.decoder.has_calls();  // of functions anywhere in the section
    for (const CodeRelocation& relocation : source_.program.code.relocations)
      if (relocation.where.section == source_.kernel.code->section &&
          (calls || (relocation.where.offset >= base && relocation.where.offset - base < source_.code.size())))
        relocated_[static_cast<u32>(relocation.where.offset - base)] = &relocation;
  }
  // As a loader of code objects starts it, whatever the version: by a kernel descriptor or `amd_kernel_code_t`. What
  // has no meaning for a lane gets a value that nothing but an address may be made of. [S1 «Kernel Dispatch»]
  bool enter_object() {
    const auto* const descriptor = std::get_if<hsa::KernelDescriptor>(&source_.kernel.entry);
    const KernelCode* const legacy = setup_of(source_.kernel);
    const KernargLaunch* const launch = source_.kernel.kernarg();
    if ((descriptor == nullptr && legacy == nullptr) || launch == nullptr) {
      refuse(0, Code::LiftNoCode, "does not say how it is started");
      return false;
    }
    if (!launch->arguments_known) {
      refuse(0, Code::LiftArgument, "has arguments that its file does not list");
      return false;
    }
    graph_.scratch_bytes = descriptor != nullptr ? descriptor->private_segment_fixed_size : legacy->private_bytes;
    if (!scratch_fits()) return false;
    find_relocations();
    if (descriptor != nullptr && descriptor->preload != 0) {
      refuse(0, Code::LiftUserData, "starts with arguments in registers");
      return false;
    }
    const u32 rsrc2 = entry_rsrc2(source_.kernel.entry);
    const u16 enabled = entry_user_registers(source_.kernel.entry);
    u32 next = 0;
    for (const UserRegister& row : user_register_table()) {
      if ((enabled & row.mask) == 0) continue;
      const u32 kind = kind_of_register(row.mask);
      const bool scratch = row.mask == kSgprPrivateBuffer;
      for (u32 n = 0; n < row.count; ++n)
        set_word(next++,
                 graph_.make(scratch ? Op::Resource : Op::Table, {}, (scratch ? u32{kScratch} : kind) << 4 | n));
    }
    if (next > (rsrc2 >> 1 & 31)) {
      refuse(0, Code::LiftUserData, "starts with more user registers than it counts");
      return false;
    }
    start(rsrc2);
    return true;
  }
  // What follows the user registers.
  void start(u32 rsrc2) {
    u32 next = rsrc2 >> 1 & 31;
    for (u32 d = 0; d < 3; ++d)
      if ((rsrc2 >> (7 + d) & 1) != 0) set_word(next++, graph_.make(Op::GroupId, {}, d));
    if ((rsrc2 >> 10 & 1) != 0) ++next;  // the size of the group in wavefronts
    if ((rsrc2 & 1) != 0) set_word(next++, graph_.make(Op::ScratchStart));
    const u32 ids = rsrc2 >> 11 & 3;
    for (u32 d = 0; d <= std::min(ids, 2u); ++d) write(kVectors + d, graph_.make(Op::LocalId, {}, d));
    const Id all = flow_.some_present ? graph_.make(Op::Present, {}) : graph_.boolean(true);
    write(kMasks + kExec / 2, all);
    for (u32 n = 0; n < 2; ++n) write(kExec + n, graph_.make(Op::MaskWord, {all}, n));
    if (source_.decoder.has_calls())
      for (u32 n = 0; n < 3; ++n) follow_lanes(n);
  }

  Id exec() { return read(kMasks + kExec / 2); }
  Id scc() { return read(kScc); }
  void set_scc(Id value) { write(kScc, value); }
  // A scalar register, where a field names the first of several.
  Id read_scalar(u32 code) { return code < kMasks ? read(code) : behind("scalar"); }
  Id behind(std::string_view what) {
    refuse(offset_, Code::LiftOpcode, fmt::format("names {} registers behind the last one", what));
    return graph_.make(Op::Undefined);
  }
  void set_word(u32 code, Id value) {
    if (code >= kExec) return refuse(offset_, Code::LiftOpcode, "writes half of EXEC");
    write(code, value);
    if (code == kM0) return;
    const u32 pair = code & ~1u;
    write(kMasks + code / 2, graph_.make(Op::MaskOfWords, {read(pair), read(pair + 1)}));
  }
  void set_mask(u32 code, Id mask) {
    if (code >= 128 || code % 2 != 0) return refuse(offset_, Code::LiftOpcode, "writes a mask to what holds none");
    write(kMasks + code / 2, mask);
    for (u32 n = 0; n < 2; ++n) write(code + n, graph_.make(Op::MaskWord, {mask}, n));
  }
  // A pair of which nobody knows yet what it is.
  void set_pair(u32 code, Id low, Id high, Id mask) {
    if (code >= 128 || code % 2 != 0) return refuse(offset_, Code::LiftOpcode, "writes a pair to what holds none");
    write(code, low);
    write(code + 1, high);
    write(kMasks + code / 2, mask);
  }
  // Whether all lanes of `mask` have `what` too, by their form.
  bool implies(Id mask, Id what, u32 budget = 8) const {
    mask = graph_.resolve(mask);
    if (mask == what || graph_.is(what, Op::True)) return true;
    const Node& n = graph_.nodes[mask];
    return budget != 0 && n.op == Op::BoolAnd &&
           (implies(n.args[0], what, budget - 1) || implies(n.args[1], what, budget - 1));
  }
  // Whether `mask` holds only where `what`, a comparison, does not.
  bool denies(Id mask, Id what, u32 budget) const {
    if (graph_.opposite(mask, what)) return true;
    const Node& n = graph_.at(mask);
    return budget != 0 && n.op == Op::BoolAnd &&
           (denies(n.args[0], what, budget - 1) || denies(n.args[1], what, budget - 1));
  }
  // Whether no lane of `mask` has `what`, by their form.
  bool excludes(Id mask, Id what, u32 budget = 8) const {
    mask = graph_.resolve(mask);
    const Node& n = graph_.nodes[mask];
    if (budget == 0) return false;
    if (n.op == Op::BoolNot && implies(what, graph_.resolve(n.args[0]), budget - 1)) return true;
    if (denies(what, mask, budget - 1)) return true;
    return n.op == Op::BoolAnd && (excludes(n.args[0], what, budget - 1) || excludes(n.args[1], what, budget - 1));
  }
  // A vector register as enabled lanes see it, and a mask's bits of those: what the others have is not asked.
  Id read_vector(u32 n) {
    if (n >= kVectorCount) return behind("vector");
    Id id = read(kVectors + n);
    const Id enabled = exec();
    while (graph_.nodes[id].op == Op::Select) {
      const Id written = graph_.resolve(graph_.nodes[id].args[0]);
      if (implies(enabled, written))
        id = graph_.resolve(graph_.nodes[id].args[1]);
      else if (excludes(enabled, written))
        id = graph_.resolve(graph_.nodes[id].args[2]);
      else
        break;
    }
    return id;
  }
  Id enabled_bits(Id mask) {
    const Id enabled = exec();
    for (u32 n = 0; n < 8; ++n) {
      const Node& node = graph_.nodes[graph_.resolve(mask)];
      if (node.op != Op::BoolAnd) break;
      if (implies(enabled, graph_.resolve(node.args[0])))
        mask = node.args[1];
      else if (implies(enabled, graph_.resolve(node.args[1])))
        mask = node.args[0];
      else
        break;
    }
    return graph_.resolve(mask);
  }
  // Other lanes keep what they have in the variable.
  void write_for(Id lanes, u32 variable, Id value) {
    write(variable, graph_.make(Op::Select, {lanes, value, read(variable)}, kRegisterWrite, block_));
  }
  void set_vector(u32 n, Id value) {
    if (n >= kVectorCount) return static_cast<void>(behind("vector"));
    write_for(written_ != kNone ? written_ : exec(), kVectors + n, value);
    if (source_.decoder.has_calls()) follow_lanes(n);
  }
  // A word of a source operand.
  Id word(const Instruction& i, u32 code) {
    if (code < 128) return read(code);
    if (code >= kFirstVector) return read_vector(code - kFirstVector);
    if (code == kLiteral) return literal(i);
    if (const auto value = inline_constant(code)) return graph_.constant(*value);
    if (is_turn(code)) return graph_.constant(0x3e22f983);
    if (code == 253) return graph_.make(Op::ToWord, {scc()});
    if (code == 252) return graph_.make(Op::ToWord, {graph_.make(Op::BoolNot, {exec()})});  // refused below: EXECZ
    refuse(offset_, Code::LiftOpcode, fmt::format("reads source {}", code));
    return graph_.constant(0);
  }
  // The inline constant 1/(2 pi), of GFX8 and later. [VIA: «SSRC0»]
  [[nodiscard]] bool is_turn(u32 code) const { return code == 248 && source_.generation >= gcn::Generation::Gfx8; }
  // A literal, which the loader may set to half of a variable's address.
  Id literal(const Instruction& i) {
    const auto at = relocated_.find(source_.decoder.place(i.offset) + 4 * (i.dwords - 1u));
    if (at == relocated_.end()) return graph_.constant(i.literal);
    literal_relocated_ = true;
    const CodeRelocation& relocation = *at->second;
    const bool low = relocation.type == hsa::kRelocationAbs32Low, high = relocation.type == hsa::kRelocationAbs32High;
    const std::optional<CodePlace> place = relocation.symbol
                                               ? source_.program.code.symbols[*relocation.symbol].place
                                               : std::optional(CodePlace{.section = relocation.target, .offset = 0});
    if ((!low && !high) || !place) {
      refuse(i.offset, Code::LiftAddress, "refers to a variable that is not in the file");
      return graph_.constant(0);
    }
    const u64 distance = place->offset + static_cast<u64>(relocation.addend);
    const Id address =
        graph_.make(Op::Add64, {graph_.make(Op::Data, {}, kSections + place->section), graph_.constant64(distance)});
    return graph_.make(low ? Op::Low : Op::High, {address});
  }
  static std::optional<u32> inline_constant(u32 code) {
    if (code >= 128 && code <= 192) return code - 128;
    if (code >= 193 && code <= 208) return static_cast<u32>(-static_cast<i32>(code - 192));
    constexpr float kFloats[] = {0.5f, -0.5f, 1.0f, -1.0f, 2.0f, -2.0f, 4.0f, -4.0f};
    if (code >= 240 && code <= 247) return std::bit_cast<u32>(kFloats[code - 240]);
    return std::nullopt;
  }
  // A move from or to a register that an index chooses: one of as many as its bits say.
  void chosen_move(const Instruction& i, Id index, bool from) {
    const u32 bits = graph_.bits_of(index), first = from ? i.sources[0] - kFirstVector : i.destination;
    const Registers& registers = source_.kernel.registers;
    const u32 vectors = registers.known ? std::min(registers.vgprs, 256u) : 256u;
    if ((from && i.sources[0] < kFirstVector) || first >= vectors) return not_lifted(i);
    // Registers that the kernel has not are no part of an array: what is written there is lost. [SIA: «VGPR out of
    // range»]
    const u32 count = bits < 8 ? std::min(1u << bits, vectors - first) : vectors - first;
    constexpr u32 kMost = 1 << 18;  // of a kernel
    chosen_ += count;
    if (chosen_ > kMost) return not_lifted(i);
    const auto is = [&](u32 n) { return graph_.make(Op::EqU, {index, graph_.constant(n)}); };
    if (from) {
      Id out = read_vector(first);
      for (u32 n = 1; n < count; ++n)
        out = graph_.make(Op::Select, {is(n), read_vector(first + n), out}, kRegisterChoice, block_);
      return set_vector(i.destination, out);
    }
    const Id value = word(i, i.sources[0]);
    for (u32 n = 0; n < count; ++n)
      set_vector(first + n, graph_.make(Op::Select, {is(n), value, read_vector(first + n)}, kRegisterChoice, block_));
  }
  // The words of a source of 64 bits.
  std::pair<Id, Id> pair(const Instruction& i, u32 code, bool floating) {
    if (code < 128) return {read(code), read_scalar(code + 1)};
    if (code >= kFirstVector) return {word(i, code), word(i, code + 1)};
    if (code == kLiteral) {
      // The high half of a double; else an unsigned number.
      if (floating) return {graph_.constant(0), graph_.constant(i.literal)};
      return {graph_.constant(i.literal), graph_.constant(0)};
    }
    if (code >= 240 && code <= 247) {
      const u64 bits = std::bit_cast<u64>(static_cast<double>(std::bit_cast<float>(*inline_constant(code))));
      return {graph_.constant(static_cast<u32>(bits)), graph_.constant(static_cast<u32>(bits >> 32))};
    }
    if (is_turn(code)) return {graph_.constant(0x6dc9c882), graph_.constant(0x3fc45f30)};
    constexpr u32 kSharedBase = 235;  // [VEGA: «SSRC0», SHARED_BASE]
    if (code == kSharedBase && source_.generation >= gcn::Generation::Gfx9)
      return {graph_.constant(0), graph_.make(Op::Aperture)};
    const Id low = word(i, code);
    const auto value = graph_.value(low);
    return {low, graph_.constant(value && (*value >> 31) != 0 && code != kLiteral ? ~0u : 0u)};
  }
  Id join(const Instruction& i, u32 code, bool floating) {
    const auto [low, high] = pair(i, code, floating);
    return graph_.make(Op::Join, {low, high});
  }
  Id mask(const Instruction& i, u32 code) {
    if (code < 128 && code % 2 == 0) return read(kMasks + code / 2);
    const auto [low, high] = pair(i, code, false);
    return graph_.make(Op::MaskOfWords, {low, high});
  }
  // The word of a source of a vector instruction: of SDWA the byte or half that it names. [VIA: «SDWA»]
  Id vector_word(const Instruction& i, u32 n) {
    const Id out = word(i, i.sources[n]);
    if (i.variant == gcn::Variant::Dpp && n == 0) return of_other_lane(i, out);
    if (i.variant != gcn::Variant::Sdwa || n > 1) return out;
    if (i.sources[n] >= 128 && i.sources[n] < gcn::kFirstVector) not_lifted(i);  // a constant: which parts?
    constexpr u32 kWord0 = 4, kDword = 6;
    const u32 select = n == 0 ? i.select0 : i.select1;
    if (select >= kDword) return out;
    const bool half = select >= kWord0, extend = (i.sign_extend >> n & 1) != 0;
    const Id part = graph_.make(Op::Shr, {out, graph_.constant(half ? 16 * (select - kWord0) : 8 * select)});
    if (extend) return graph_.make(half ? Op::SignExtend16 : Op::SignExtend8, {part});
    return graph_.make(Op::And, {part, graph_.constant(half ? 0xffff : 0xff)});
  }
  // A source of 16 bits, made longer. A float among the inline constants is one of 16 bits there.
  Id half_word(const Instruction& i, u32 n, bool is_signed) {
    if (i.sources[n] >= 240 && i.sources[n] <= 248) not_lifted(i);
    const Id out = vector_word(i, n);
    if (i.format == Format::Vop3 && ((i.absolute | i.negate) >> n & 1) != 0) not_lifted(i);
    return is_signed ? graph_.make(Op::SignExtend16, {out}) : graph_.make(Op::And, {out, graph_.constant(0xffff)});
  }
  // A source as the operation wants it, with its modifiers.
  Id operand(const Instruction& i, u32 n, char type) {
    const Id out = modified(i, n, type);
    return type == 'f' ? flushed(out) : out;
  }
  // The same where its denormals are only moved.
  Id modified(const Instruction& i, u32 n, char type) {
    const u32 code = i.sources[n];
    const bool is_double = type == 'd', is_float = type == 'f';
    const bool long_source = is_double || type == 'U' || type == 'L';
    if (long_source && n == 0 && i.variant == gcn::Variant::Dpp) not_lifted(i);
    Id out = long_source ? join(i, code, is_double) : vector_word(i, n);
    if ((i.format == Format::Vop3 || i.variant != gcn::Variant::Plain) && (is_float || is_double)) {
      if ((i.absolute >> n & 1) != 0) out = graph_.make(is_double ? Op::AbsD : Op::AbsF, {out});
      if ((i.negate >> n & 1) != 0) out = graph_.make(is_double ? Op::NegD : Op::NegF, {out});
    } else if (((i.absolute | i.negate) >> n & 1) != 0) {
      refuse(i.offset, Code::LiftOpcode, "changes the sign of what is no floating-point number");
    }
    if (is_double && source_.flush_doubles)
      refuse(i.offset, Code::LiftOpcode, "flushes denormals of doubles, for which there is no exact source");
    return out;
  }
  // How floats are rounded, which is to the nearest, and how denormals are treated, which is left to the device if
  // nothing else is asked for. LLVM keeps them for a division, and sets how it rounds doubles. [CIA; VIA: «MODE
  // register»; LLVM SIModeRegister.cpp]
  void set_mode(const Instruction& i) {
    constexpr u32 kMode = 1, kNumber = kModeRounding | kModeFloats | kModeDoubles;
    const u32 field = static_cast<u32>(i.immediate) & 0xffff, width = (field >> 11) + 1, first = field >> 6 & 31;
    if ((field & 63) != kMode || first + width > 8) return not_lifted(i);
    const u32 bits = kNumber >> (8 - width) << first;
    const std::optional<u32> value =
        i.opcode == Opcode::s_setreg_imm32_b32 ? std::optional(i.literal << first & bits) : std::nullopt;
    if ((bits & kModeRounding) != 0 && (!value || (*value & kModeRounding) != 0)) return not_lifted(i);
    if (!source_.exact) return;
    if (!value ||
        ((bits & kModeDoubles) != 0 && (source_.flush_doubles || (*value & kModeDoubles) != (bits & kModeDoubles))))
      return not_lifted(i);
    if ((bits & kModeFloats) == 0) return;
    if ((bits & kModeFloats) != kModeFloats || ((*value & kModeFloats) != 0 && (*value & kModeFloats) != kModeFloats))
      return not_lifted(i);
    flush_ = (*value & kModeFloats) == 0;
  }
  // A float that an operation reads or makes, as the mode has it.
  Id flushed(Id value) { return flush_ ? graph_.make(Op::FlushF, {value}) : value; }
  // The result of a vector instruction into its destination, with output modifiers.
  void result(const Instruction& i, Op op, Id value) {
    const Type type = info(op).result;
    if (i.output_modifier != 0 || i.clamp) {
      if (type != Float && type != Double)
        return refuse(i.offset, Code::LiftOpcode, "clamps what is no floating-point number");
      constexpr u32 kFactors[] = {0, 0x40000000, 0x40800000, 0x3f000000};
      if (i.output_modifier != 0 && type == Double)
        return refuse(i.offset, Code::LiftOpcode, "scales a double by its output modifier");
      if (i.output_modifier != 0 && source_.ignores_output_modifiers)
        return refuse(i.offset, Code::LiftOpcode, "has an output modifier, which does nothing with denormals");
      if (i.output_modifier != 0) value = graph_.make(Op::MulF, {value, graph_.constant(kFactors[i.output_modifier])});
      if (i.clamp) value = graph_.make(type == Double ? Op::ClampD : Op::ClampF, {value});
    }
    if (type == Float) value = flushed(value);
    if (i.variant == gcn::Variant::Sdwa) return set_part(i, value);
    if (wide(type)) {
      set_vector(i.destination, graph_.make(Op::Low, {value}));
      set_vector(i.destination + 1, graph_.make(Op::High, {value}));
    } else {
      set_vector(i.destination, value);
    }
  }
  // SDWA: a byte or half of the destination; the others become zeros or signs, or stay. [VIA: «SDWA»]
  void set_part(const Instruction& i, Id value) {
    constexpr u32 kWord0 = 4, kDword = 6, kSigns = 1, kKept = 2;
    if (i.destination_select >= kDword) return set_vector(i.destination, value);
    const bool half = i.destination_select >= kWord0;
    const u32 shift = half ? 16 * (i.destination_select - kWord0) : 8 * i.destination_select, bits = half ? 16 : 8;
    const u32 mask = ((u32{1} << bits) - 1) << shift;
    const Id place = graph_.constant(shift);
    if (i.destination_unused == kSigns) {
      const Id longer = graph_.make(half ? Op::SignExtend16 : Op::SignExtend8, {value});
      return set_vector(i.destination, graph_.make(Op::Shl, {longer, place}));
    }
    Id out = graph_.make(Op::And, {graph_.make(Op::Shl, {value, place}), graph_.constant(mask)});
    if (i.destination_unused == kKept)
      out = graph_.make(Op::Or, {graph_.make(Op::And, {read_vector(i.destination), graph_.constant(~mask)}), out});
    set_vector(i.destination, out);
  }
  void mask_result(u32 code, Id bit) {
    if (written_ != kNone && written_ != exec()) {
      // No document says what the bits of enabled lanes become that are not written: a mask that nothing may use. Sums
      // of GFX8 have a carry whether it is asked for or not.
      const Id unknown = graph_.make(Op::Table, {}, kUnknown);
      return set_mask(code, graph_.make(Op::MaskOfWords, {unknown, unknown}));
    }
    set_mask(code, graph_.make(Op::BoolAnd, {exec(), bit}, 0, block_));
  }

  // --- other lanes ---------------------------------------------------------------------------------------------------

  // DPP: which lane a lane reads, and whether there is such a one. [VIA: «DPP_CTRL», «DPP»]
  struct OtherLane {
    Id lane, inside;
  };
  std::optional<OtherLane> other_lane(u32 control) {
    const auto c = [&](u32 value) { return graph_.constant(value); };
    const Id own = graph_.make(Op::LaneId), always = graph_.boolean(true);
    const auto low = [&](u32 mask) { return graph_.make(Op::And, {own, c(mask)}); };
    const u32 by = control & 15;
    if (control < 0x100) return OtherLane{quad_lane(control), always};
    if (control > 0x100 && control <= 0x10f)  // row_shl
      return OtherLane{graph_.make(Op::And, {graph_.make(Op::Add, {own, c(by)}), c(63)}),
                       graph_.make(Op::LtU, {low(15), c(16 - by)})};
    if (control > 0x110 && control <= 0x11f)  // row_shr
      return OtherLane{graph_.make(Op::And, {graph_.make(Op::Sub, {own, c(by)}), c(63)}),
                       graph_.make(Op::LeU, {c(by), low(15)})};
    if (control > 0x120 && control <= 0x12f)  // row_ror
      return OtherLane{
          graph_.make(Op::Or, {low(48), graph_.make(Op::And, {graph_.make(Op::Sub, {own, c(by)}), c(15)})}), always};
    const Id next = graph_.make(Op::And, {graph_.make(Op::Add, {own, c(1)}), c(63)});
    const Id last = graph_.make(Op::And, {graph_.make(Op::Sub, {own, c(1)}), c(63)});
    switch (control) {
      case 0x130: return OtherLane{next, graph_.make(Op::LtU, {own, c(63)})};
      case 0x134: return OtherLane{next, always};
      case 0x138: return OtherLane{last, graph_.make(Op::NeU, {own, c(0)})};
      case 0x13c: return OtherLane{last, always};
      case 0x140: return OtherLane{graph_.make(Op::Xor, {own, c(15)}), always};
      case 0x141: return OtherLane{graph_.make(Op::Xor, {own, c(7)}), always};
      case 0x142:  // the last lane of the row before
        return OtherLane{graph_.make(Op::And, {graph_.make(Op::Sub, {low(48), c(1)}), c(63)}),
                         graph_.make(Op::LeU, {c(16), own})};
      case 0x143: return OtherLane{c(31), graph_.make(Op::LeU, {c(32), own})};
      default: return std::nullopt;
    }
  }
  // One of four lanes for each of four, two bits each.
  Id quad_lane(u32 choices) {
    const auto c = [&](u32 value) { return graph_.constant(value); };
    const Id own = graph_.make(Op::LaneId);
    const Id shift = graph_.make(Op::Shl, {graph_.make(Op::And, {own, c(3)}), c(1)});
    Id which = graph_.make(Op::And, {graph_.make(Op::Shr, {c(choices), shift}), c(3)});
    if ((choices & 3) * 0x55 == choices) which = c(choices & 3);
    return graph_.make(Op::Or, {graph_.make(Op::And, {own, c(60)}), which});
  }
  // What enabled lanes have, and zero of the others.
  Id of_enabled(Id value) { return graph_.make(Op::Select, {exec(), value, graph_.constant(0)}, 0, block_); }
  // Which lanes an instruction with DPP writes: those of its rows and banks that have a source, or all of them where
  // zeros stand for sources that are not there.
  void start_dpp(const Instruction& i) {
    const auto c = [&](u32 value) { return graph_.constant(value); };
    const auto other = other_lane(i.dpp_control);
    if (!other || i.fetch_inactive || i.sources[0] < kFirstVector) return not_lifted(i);
    const Id own = graph_.make(Op::LaneId);
    const auto in_mask = [&](u32 mask, Id place) {
      return graph_.make(Op::NeU, {graph_.make(Op::And, {graph_.make(Op::Shr, {c(mask), place}), c(1)}), c(0)});
    };
    Id enabled = exec();
    const auto narrow = [&](Id mask) { enabled = graph_.make(Op::BoolAnd, {enabled, mask}, 0, block_); };
    if (i.row_mask != 15) narrow(in_mask(i.row_mask, graph_.make(Op::Shr, {own, c(4)})));
    if (i.bank_mask != 15)
      narrow(in_mask(i.bank_mask, graph_.make(Op::And, {graph_.make(Op::Shr, {own, c(2)}), c(3)})));
    if (!i.bound_control) {
      const Id there = graph_.make(Op::ReadLane, {graph_.make(Op::ToWord, {exec()}), other->lane});
      narrow(other->inside);
      narrow(graph_.make(Op::NeU, {there, c(0)}));
    }
    written_ = graph_.resolve(enabled);
  }
  Id of_other_lane(const Instruction& i, Id value) {
    const auto other = other_lane(i.dpp_control);
    if (!other) return value;
    const Id read = graph_.make(Op::ReadLane, {of_enabled(value), other->lane});
    return graph_.make(Op::Select, {other->inside, read, graph_.constant(0)}, 0, block_);
  }
  // The lane by the offset of the instruction. [CIA: «DS_SWIZZLE_B32»]
  void swizzle(const Instruction& i) {
    const auto c = [&](u32 value) { return graph_.constant(value); };
    constexpr u32 kQuads = 0x8000;
    const u32 offset = i.offset0 | i.offset1 << 8;
    if (i.gds || (offset & kQuads && (offset & ~0x80ffu) != 0)) return not_lifted(i);
    const Id own = graph_.make(Op::LaneId);
    Id lane = kNone;
    if ((offset & kQuads) != 0) {
      lane = quad_lane(offset & 255);
    } else {
      lane = graph_.make(Op::And, {own, c(offset & 31)});
      lane = graph_.make(Op::Xor, {graph_.make(Op::Or, {lane, c(offset >> 5 & 31)}), c(offset >> 10 & 31)});
      lane = graph_.make(Op::Or, {graph_.make(Op::And, {own, c(32)}), lane});
    }
    set_vector(i.destination, graph_.make(Op::ReadLane, {of_enabled(read_vector(i.address)), lane}));
  }
  void backward_permute(const Instruction& i) {
    const Id place = graph_.make(Op::Add, {read_vector(i.address), graph_.constant(i.offset0 | i.offset1 << 8)});
    const Id lane = graph_.make(Op::And, {graph_.make(Op::Shr, {place, graph_.constant(2)}), graph_.constant(63)});
    set_vector(i.destination, graph_.make(Op::ReadLane, {of_enabled(read_vector(i.data)), lane}));
  }
  // How many lanes of a mask come before a lane, half by half. Of all lanes that is the lane's number.
  void count_lanes(const Instruction& i, bool high) {
    const auto c = [&](u32 value) { return graph_.constant(value); };
    const Id mask = vector_word(i, 0), sum = vector_word(i, 1), own = graph_.make(Op::LaneId);
    const Id low_part = graph_.make(Op::MinU, {own, c(32)});
    if (graph_.value(mask) != ~0u) {
      const Id below = graph_.make(Op::And, {mask, graph_.make(Op::LanesBelow, {}, high ? 1 : 0)});
      return result(i, Op::Add, graph_.make(Op::Add, {graph_.make(Op::PopCount, {below}), sum}));
    }
    if (!high) return result(i, Op::Add, graph_.make(Op::Add, {low_part, sum}));
    const Node both = graph_.at(sum);
    if (graph_.resolve(sum) == graph_.resolve(low_part)) return result(i, Op::Add, own);
    if (both.op == Op::Add)
      for (const std::size_t n : {0u, 1u})
        if (graph_.resolve(both.args[n]) == graph_.resolve(low_part))
          return result(i, Op::Add, graph_.make(Op::Add, {own, both.args[1 - n]}));
    const Id high_part = graph_.make(Op::Sub, {graph_.make(Op::MaxU, {own, c(32)}), c(32)});
    result(i, Op::Add, graph_.make(Op::Add, {high_part, sum}));
  }

  // Scalar registers that are put away in lanes of a vector register that nothing else uses are variables. Where
  // functions are put in, those that they keep for their callers are used otherwise too: then each lane is followed
  // beside its register.
  void find_put_away() {
    std::array<bool, 256> only{}, used{};
    const auto each = [&](auto&& visit) {
      for (const std::vector<u32>& list : instructions_)
        for (const u32 offset : list) visit(source_.decoder.at(offset));
    };
    each([&](const Instruction& i) {
      if (!lane_of(i)) return;
      const u32 n = i.opcode == Opcode::v_writelane_b32 ? i.destination : i.sources[0] - u32{kFirstVector};
      if (n < 256) only[n] = true;
    });
    auto left = std::ranges::count(only, true);
    if (left == 0) return;
    const bool calls = source_.decoder.has_calls();
    if (calls) left = 0;
    each([&](const Instruction& i) {
      if (left == 0 || lane_of(i)) return;
      for (const gcn::Operand& operand : gcn::operands(i, source_.generation))
        for (u32 n = operand.first; operand.file == gcn::File::Vector && n < u32{operand.first} + operand.dwords; ++n) {
          if (n >= 256) continue;
          left -= only[n] && !used[n] ? 1 : 0;
          used[n] = true;
        }
    });
    if (left == 0 && !calls) return;
    // What the wavefront starts with there is no scalar's.
    for (u32 n = 0; n < 3; ++n) used[n] = !calls;
    each([&](const Instruction& i) {
      const auto lane = lane_of(i);
      if (!lane) return;
      const u32 n = i.opcode == Opcode::v_writelane_b32 ? i.destination : i.sources[0] - u32{kFirstVector};
      if (n < 256 && only[n] && !used[n]) put_away_.try_emplace({n, *lane}, 0);
    });
    // Lanes that one register takes from a place on the stack another one may have put there.
    for (bool more = true; std::exchange(more, false);) {
      std::map<u32, std::set<u32>> lanes;  // of places
      for (const auto& [offset, number] : source_.decoder.slots()) {
        const u32 vector = source_.decoder.at(offset).data;
        for (auto at = put_away_.lower_bound({vector, 0}); at != put_away_.end() && at->first.first == vector; ++at)
          lanes[number].insert(at->first.second);
      }
      for (const auto& [offset, number] : source_.decoder.slots())
        for (const u32 lane : lanes[number])
          more = put_away_.try_emplace({source_.decoder.at(offset).data, lane}, 0).second || more;
    }
    for (u32 next = 0; auto& [place, index] : put_away_) index = next++;
  }
  // The lane of v_readlane and v_writelane, where it is a number.
  static std::optional<u32> lane_of(const Instruction& i) {
    if (i.opcode != Opcode::v_readlane_b32 && i.opcode != Opcode::v_writelane_b32) return std::nullopt;
    const auto lane = inline_constant(i.sources[1]);
    return lane && *lane < 64 ? lane : std::nullopt;
  }
  // The variable of a lane of such a register; the one behind it: the mask of which it is the low half.
  std::optional<u32> put_away(u32 vector, u32 lane) const {
    const auto at = put_away_.find({vector, lane});
    return at == put_away_.end() ? std::nullopt : std::optional(kVariables + 2 * at->second);
  }
  // What has been written to a vector register its lanes hold; two next to each other may be a mask.
  void follow_lanes(u32 vector) {
    for (auto at = put_away_.lower_bound({vector, 0}); at != put_away_.end() && at->first.first == vector; ++at)
      write(kVariables + 2 * at->second, lane_value(kVectors + vector, at->first.second));
    for (auto at = put_away_.lower_bound({vector, 0}); at != put_away_.end() && at->first.first == vector; ++at)
      if (const auto high = put_away(vector, at->first.second + 1)) join_lanes(kVariables + 2 * at->second, *high);
  }
  Id lane_value(u32 variable, u32 lane) { return graph_.make(Op::ReadLane, {read(variable), graph_.constant(lane)}); }
  void join_lanes(u32 low, u32 high) {
    // Ids of two lanes are numbers: nobody has set a mask in that register yet.
    const auto is_id = [&](u32 variable) {
      const Node& n = graph_.at(read(variable));
      return n.op == Op::ReadLane && graph_.is(n.args[0], Op::LocalId);
    };
    write(low + 1,
          is_id(low) && is_id(high) ? graph_.boolean(false) : graph_.make(Op::MaskOfWords, {read(low), read(high)}));
  }
  // Places on the stack where functions put registers of all lanes: each is a register, and the lanes of those that
  // come there are followed beside it.
  void find_slots() {
    for (const auto& [offset, number] : source_.decoder.slots()) {
      if (number >= slots_.size()) slots_.resize(number + 1);
      const u32 vector = source_.decoder.at(offset).data;
      for (auto at = put_away_.lower_bound({vector, 0}); at != put_away_.end() && at->first.first == vector; ++at)
        slots_[number].lanes.try_emplace(at->first.second, 0);
    }
    for (Slot& slot : slots_) {
      slot.first = kVariables + 2 * static_cast<u32>(put_away_.size() + slot_variables_++);
      slot_firsts_.insert(slot.first);
      for (auto& [lane, variable] : slot.lanes)
        variable = kVariables + 2 * static_cast<u32>(put_away_.size() + slot_variables_++);
    }
  }
  // The words of scratch memory that are variables.
  void find_private() {
    for (const auto& [offset, place] : source_.decoder.private_places()) {
      constexpr u32 kMostWords = 4;  // of an access
      for (u32 word = place / 4; word < place / 4 + kMostWords; ++word)
        if (private_.try_emplace(word, kVariables + 2 * static_cast<u32>(put_away_.size() + slot_variables_)).second) {
          slot_firsts_.insert(private_[word]);
          ++slot_variables_;
        }
    }
  }
  bool is_slot(u32 variable) const { return slot_firsts_.contains(variable); }
  void keep_or_take(const Instruction& i, u32 number) {
    const Slot& slot = slots_[number];
    const u32 vector = i.data;
    const bool store = gcn::operands(i, source_.generation).stores, all = graph_.is(exec(), Op::True);
    if (!store && !all) return set_vector(vector, read(slot.first));
    const auto in_slot = [&](u32 lane) {
      const auto found = slot.lanes.find(lane);
      return found == slot.lanes.end() ? std::nullopt : std::optional(found->second);
    };
    const auto in_vector = [&](u32 lane) { return put_away(vector, lane); };
    if (store) {
      const Id value = read(kVectors + vector);
      write(slot.first,
            all ? value : graph_.make(Op::Select, {exec(), value, read(slot.first)}, kRegisterWrite, block_));
      return move_lanes(slot.first, in_slot, [&](u32 lane) { return all ? in_vector(lane) : std::nullopt; });
    }
    write(kVectors + vector, read(slot.first));
    move_lanes(kVectors + vector, in_vector, in_slot);
  }
  // Lanes of a variable, as far as they are followed, become those of another one that it has been set to, or what is
  // in it.
  template <class To, class From>
  void move_lanes(u32 whole, const To& to, const From& from) {
    for (u32 lane = 0; lane < 64; ++lane)
      if (const auto variable = to(lane)) {
        const auto other = from(lane);
        write(*variable, other ? read(*other) : lane_value(whole, lane));
      }
    for (u32 lane = 0; lane + 1 < 64; ++lane) {
      const auto low = to(lane), high = to(lane + 1);
      if (!low || !high) continue;
      const auto other = from(lane);
      if (other && from(lane + 1))
        write(*low + 1, read(*other + 1));
      else
        join_lanes(*low, *high);
    }
  }
  // The mask of two lanes: that of the pair of scalar registers, where both halves of it have been put away.
  void keep_mask(u32 pair, u32 low, u32 high) {
    const bool both = pair < kMasks && pair != kM0 && read(pair) == read(low) && read(pair + 1) == read(high);
    write(low + 1, both ? read(kMasks + pair / 2) : graph_.make(Op::MaskOfWords, {read(low), read(high)}));
  }
  void write_lane(const Instruction& i) {
    const Id value = word(i, i.sources[0]);
    if (const auto lane = lane_of(i))
      if (const auto variable = put_away(i.destination, *lane)) {
        if (source_.decoder.has_calls())
          write(kVectors + i.destination,
                graph_.make(Op::WriteLane, {value, graph_.constant(*lane), read(kVectors + i.destination)}));
        write(*variable, value);
        for (const u32 low : {*lane, *lane - 1})
          if (const auto first = put_away(i.destination, low), second = put_away(i.destination, low + 1);
              first && second)
            keep_mask(i.sources[0] & ~1u, *first, *second);
        return;
      }
    const Id lane = graph_.make(Op::And, {word(i, i.sources[1]), graph_.constant(63)});
    write(kVectors + i.destination, graph_.make(Op::WriteLane, {value, lane, read(kVectors + i.destination)}));
    if (source_.decoder.has_calls()) follow_lanes(i.destination);
  }
  void read_lane(const Instruction& i) {
    if (i.sources[0] < kFirstVector) return not_lifted(i);
    const u32 vector = i.sources[0] - kFirstVector, pair = i.destination & ~1u;
    if (const auto lane = lane_of(i))
      if (const auto variable = put_away(vector, *lane)) {
        set_word(i.destination, read(*variable));
        // Both halves of a mask.
        const u32 first = *lane - (i.destination & 1u);
        const auto low = put_away(vector, first), high = put_away(vector, first + 1);
        if (low && high && pair < kMasks && read(pair) == read(*low) && read(pair + 1) == read(*high))
          write(kMasks + pair / 2, read(*low + 1));
        return;
      }
    const Id lane = graph_.make(Op::And, {word(i, i.sources[1]), graph_.constant(63)});
    set_word(i.destination, graph_.make(Op::ReadLane, {read(kVectors + vector), lane}));
  }

  // --- instructions --------------------------------------------------------------------------------------------------

  void step(const Instruction& i) {
    literal_relocated_ = false;
    lift(i);
    if (relocated_.empty()) return;
    const u32 place = source_.decoder.place(i.offset);
    if (const auto at = relocated_.lower_bound(place);
        at != relocated_.end() && at->first - place < i.dwords * 4u && !literal_relocated_)
      refuse(i.offset, Code::LiftAddress, "refers to a variable of the program by something else than a literal");
  }
  static bool vector_arithmetic(const Instruction& i) {
    return i.format == Format::Vop1 || i.format == Format::Vop2 || i.format == Format::Vop3 ||
           i.format == Format::Vopc || i.format == Format::Vop3p || i.format == Format::Vintrp;
  }
  u32 place(const Instruction& i) const { return source_.decoder.place(i.offset); }
  void lift(const Instruction& i) {
    if (const auto number = source_.decoder.slot(i.offset)) return keep_or_take(i, *number);
    if (relative_ != 0 && vector_arithmetic(i) && i.opcode != Opcode::v_mov_b32)
      return refuse(i.offset, Code::LiftOpcode, "chooses registers by index in something else than a move");
    written_ = kNone;
    if (i.variant == gcn::Variant::Dpp)
      start_dpp(i);
    else if (i.variant != gcn::Variant::Plain && i.variant != gcn::Variant::Sdwa)
      return not_lifted(i);
    if (const Plain* const row = find_row<kVector>(i.opcode)) return vector(i, *row);
    if (const ScalarPlain* const row = find_row<kScalar>(i.opcode)) return scalar(i, *row);
    if (const Condition* const row = find_row<kConditions>(i.opcode)) return condition(i, *row);
    if (const Condition* const row = find_row<kHalfConditions>(i.opcode)) return half_condition(i, *row);
    if (const Short* const row = find_row<kShorts>(i.opcode)) return half(i, *row);
    if (const Short* const row = find_row<kPacked>(i.opcode)) return packed(i, *row);
    if (const HalfFloat* const row = find_row<kHalfFloats>(i.opcode)) return half_float(i, *row);
    if (const HalfFloat* const row = find_row<kPackedHalfFloats>(i.opcode)) return packed_half_float(i, *row);
    if (const Condition* const row = find_row<kHalfFloatConditions>(i.opcode)) return half_float_condition(i, *row);
    if (const Mixed* const row = find_row<kMixed>(i.opcode)) return mixed(i, *row);
    if (const Condition* const row = find_row<kScalarConditions>(i.opcode)) return scalar_condition(i, *row);
    if (const Bitwise* const row = find_row<kBitwise>(i.opcode)) return bitwise(i, *row);
    if (const Memory* const row = find_row<kBuffer>(i.opcode)) return buffer(i, *row);
    if (const LocalMemory* const row = find_row<kLocal>(i.opcode)) return local(i, *row);
    if (const Memory* const row = find_row<kFlat>(i.opcode)) return flat(i, *row);
    if (const HalfMemory* const row = find_row<kHalves>(i.opcode)) return half_memory(i, *row);
    if (const AtomicMemory* const row = find_row<kAtomics>(i.opcode)) return atomic(i, *row);
    if (const ImageRow* const row = find_row<kImageRows>(i.opcode)) return image(i, *row);
    if (const FormatRow* const row = find_row<kFormatted>(i.opcode)) return formatted(i, *row);
    if (i.format == Format::Smrd && gcn::info(i.opcode).is(gcn::Property::Load)) return scalar_load(i);
    other(i);
  }
  void not_lifted(const Instruction& i) {
    refuse(i.offset, Code::LiftOpcode,
           fmt::format("has '{}', which is not lifted", gcn::disassemble(i, source_.generation)));
  }
  void vector(const Instruction& i, const Plain& row) {
    if (row.op == Op::Const && relative_ != 0) return chosen_move(i, index_, relative_ == 1);
    if (row.op == Op::Const) return result(i, Op::Const, vector_word(i, 0));  // a move
    const bool of_half = row.op == Op::FloatOfHalf;
    if ((of_half || row.op == Op::HalfOfFloat) && source_.flush_doubles)  // one mode for both sizes
      return refuse(i.offset, Code::LiftOpcode, "flushes denormals of halves, for which there is no exact source");
    // Before, constants had 32 bits in all instructions. [VIA: table of source operands]
    if (of_half && source_.generation >= gcn::Generation::Gfx8) return result(i, row.op, half_float_source(i, 0));
    const std::string_view types = info(row.op).arguments;
    Ids args;
    for (std::size_t n = 0; n < types.size(); ++n) {
      args.push_back(operand(i, row.order[n], types[n]));
      // Shift counts lose their high bits.
      if (row.op == Op::Shl || row.op == Op::Shr || row.op == Op::Sar)
        if (n == 1) args[1] = graph_.make(Op::And, {args[1], graph_.constant(31)});
      if (row.op == Op::Shl64 || row.op == Op::Shr64 || row.op == Op::Sar64)
        if (n == 1) args[1] = graph_.make(Op::And, {args[1], graph_.constant(63)});
    }
    if (i.clamp && (row.op == Op::Add || row.op == Op::Sub))
      return result(without_clamp(i), row.op, saturated(row.op, args[0], args[1], false));
    result(i, row.op, graph_.make(row.op, std::move(args)));
  }
  // --- floats of 16 bits ---------------------------------------------------------------------------------------------

  // A source, as a float of 32 bits; `high`: its upper half. Inline constants are floats of 16 bits there.
  Id float_of_source(const Instruction& i, u32 n, bool high) {
    const u32 code = i.sources[n];
    if (code >= 240 && code <= 247) return graph_.constant(*inline_constant(code));
    if (is_turn(code)) return graph_.make(Op::FloatOfHalf, {graph_.constant(0x3118)});
    const Id word = vector_word(i, n);
    return graph_.make(Op::FloatOfHalf, {high ? graph_.make(Op::Shr, {word, graph_.constant(16)}) : word});
  }
  Id signed_float(Id value, bool absolute, bool negate) {
    if (absolute) value = graph_.make(Op::AbsF, {value});
    return negate ? graph_.make(Op::NegF, {value}) : value;
  }
  Id half_float_source(const Instruction& i, u32 n) {
    return signed_float(float_of_source(i, n, (i.op_sel >> n & 1) != 0), (i.absolute >> n & 1) != 0,
                        (i.negate >> n & 1) != 0);
  }
  // The bits of the result of an operation.
  Id half_float_value(const Instruction& i, Op op, Ids args) {
    const bool wide_one = op == Op::FmaD;
    if (wide_one)
      for (Id& arg : args) arg = graph_.make(Op::DoubleOfFloat, {arg});
    return half_bits(i, graph_.make(op, std::move(args)), wide_one);
  }
  Id half_bits(const Instruction& i, Id value, bool of_double = false) {
    if (flush_ || source_.flush_doubles) not_lifted(i);
    if (i.clamp) value = graph_.make(of_double ? Op::ClampD : Op::ClampF, {value});
    return graph_.make(of_double ? Op::HalfOfDouble : Op::HalfOfFloat, {value});
  }
  void half_result(const Instruction& i, Id bits, bool keeps) {
    constexpr u32 kHighDestination = 8;
    if (i.output_modifier != 0 || (i.op_sel & kHighDestination) != 0) return not_lifted(i);
    if (keeps && source_.generation == gcn::Generation::Gfx9 && i.variant == gcn::Variant::Plain)
      bits =
          graph_.make(Op::Or, {graph_.make(Op::And, {read_vector(i.destination), graph_.constant(0xffff0000)}), bits});
    Instruction plain = i;
    plain.clamp = false;
    result(plain, Op::And, bits);
  }
  void half_float(const Instruction& i, const HalfFloat& row) {
    Ids args;
    for (std::size_t n = 0; n < info(row.op).arguments.size(); ++n) args.push_back(half_float_source(i, row.order[n]));
    half_result(i, half_float_value(i, row.op, std::move(args)), row.keeps);
  }
  void half_float_condition(const Instruction& i, const Condition& row) {
    if (flush_ || source_.flush_doubles) return not_lifted(i);
    mask_result(i.scalar_destination, holds(row, {half_float_source(i, 0), half_float_source(i, 1)}));
    if (gcn::info(i.opcode).is(gcn::Property::WritesExec)) set_mask(kExec, mask(i, i.scalar_destination));
  }
  void packed_half_float(const Instruction& i, const HalfFloat& row) {
    std::array<Id, 2> halves{};
    for (u32 half = 0; half < 2; ++half) {
      Ids args;
      for (u32 n = 0; n < info(row.op).arguments.size(); ++n) {
        const bool high = ((half == 0 ? i.op_sel : i.op_sel_hi) >> n & 1) != 0;
        // A constant of floats is a half, with zeros above it. [LLVM: getInlineEncodingV216]
        const bool zeros = high && i.sources[n] >= 240 && i.sources[n] <= 248;
        const Id value = zeros ? graph_.make(Op::FloatOfHalf, {graph_.constant(0)}) : float_of_source(i, n, high);
        args.push_back(signed_float(value, false, ((half == 0 ? i.negate : i.negate_hi) >> n & 1) != 0));
      }
      halves[half] = half_float_value(i, row.op, std::move(args));
    }
    set_vector(i.destination, graph_.make(Op::Or, {halves[0], graph_.make(Op::Shl, {halves[1], graph_.constant(16)})}));
  }
  // [VEGA: «V_MAD_MIX_F32»] NEG_HI are absolute values there.
  void mixed(const Instruction& i, const Mixed& row) {
    Ids args;
    for (u32 n = 0; n < 3; ++n) {
      const bool half = (i.op_sel_hi >> n & 1) != 0, high = (i.op_sel >> n & 1) != 0;
      if (half && i.sources[n] >= 128 && i.sources[n] < kFirstVector) return not_lifted(i);
      const Id value = half ? float_of_source(i, n, high) : word(i, i.sources[n]);
      args.push_back(signed_float(value, (i.negate_hi >> n & 1) != 0, (i.negate >> n & 1) != 0));
    }
    if (flush_ || source_.flush_doubles) return not_lifted(i);
    Id value = row.fused ? graph_.make(Op::FmaF, std::move(args))
                         : graph_.make(Op::AddF, {graph_.make(Op::MulF, {args[0], args[1]}), args[2]});
    if (i.clamp) value = graph_.make(Op::ClampF, {value});
    if (row.to == 0) return set_vector(i.destination, value);
    const Id bits = graph_.make(Op::HalfOfFloat, {value}), shift = graph_.constant(16);
    const Id kept =
        graph_.make(Op::And, {read_vector(i.destination), graph_.constant(row.to == 1 ? 0xffff0000 : 0xffff)});
    set_vector(i.destination, graph_.make(Op::Or, {kept, row.to == 1 ? bits : graph_.make(Op::Shl, {bits, shift})}));
  }

  // --- saturation ----------------------------------------------------------------------------------------------------

  // A sum or difference of 32 bits that stays where it would wrap.
  Id saturated(Op op, Id a, Id b, bool is_signed) {
    const Id plain = graph_.make(op, {a, b});
    const auto choose = [&](std::array<Id, 2> wraps_and_end) {
      return graph_.make(Op::Select, {wraps_and_end[0], wraps_and_end[1], plain}, 0, block_);
    };
    if (!is_signed && op == Op::Add) return choose({graph_.make(Op::CarryOfAdd, {a, b}), graph_.constant(~0u)});
    if (!is_signed) return choose({graph_.make(Op::LtU, {a, b}), graph_.constant(0)});
    const Id sign = graph_.make(Op::Sar, {a, graph_.constant(31)});
    return choose({graph_.make(op == Op::Add ? Op::OverflowOfAdd : Op::OverflowOfSub, {a, b}),
                   graph_.make(Op::Xor, {sign, graph_.constant(0x7fffffff)})});
  }
  // The same of 16 bits that stand in 32.
  Id saturated_half(Op op, Id a, Id b, bool is_signed) {
    const auto c = [&](u32 value) { return graph_.constant(value); };
    const Id plain = graph_.make(op, {a, b});
    if (is_signed)
      return graph_.make(Op::And,
                         {graph_.make(Op::MaxI, {graph_.make(Op::MinI, {plain, c(0x7fff)}), c(~0x7fffu)}), c(0xffff)});
    if (op == Op::Sub) return graph_.make(Op::Select, {graph_.make(Op::LtU, {a, b}), c(0), plain}, 0, block_);
    return graph_.make(Op::MinU, {plain, c(0xffff)});
  }
  static Instruction without_clamp(const Instruction& i) {
    Instruction out = i;
    out.clamp = false;
    return out;
  }
  // Of 16 bits whose other half no manual tells: nobody may use it.
  Id with_unknown_half(Id bits) {
    const Id unknown = graph_.make(Op::Table, {}, kUnknown);
    return graph_.make(Op::Or, {bits, graph_.make(Op::Shl, {unknown, graph_.constant(16)})});
  }
  void three_halves(const Instruction& i, Op first, Op last, bool is_signed) {
    if (i.op_sel != 0 || i.clamp) return not_lifted(i);
    const Id a = half_word(i, 0, is_signed), b = half_word(i, 1, is_signed), d = half_word(i, 2, is_signed);
    Id r = kNone;
    if (first == last) {
      r = graph_.make(last, {graph_.make(first, {a, b}), d});
    } else {  // the one in the middle
      const Id inner = graph_.make(first, {graph_.make(last, {a, b}), d});
      r = graph_.make(last, {graph_.make(first, {a, b}), inner});
    }
    result(i, Op::Or, with_unknown_half(graph_.make(Op::And, {r, graph_.constant(0xffff)})));
  }
  Id half_value(Op op, Id a, Id b) {
    if (op == Op::Shl || op == Op::Shr || op == Op::Sar) b = graph_.make(Op::And, {b, graph_.constant(15)});
    return graph_.make(Op::And, {graph_.make(op, {a, b}), graph_.constant(0xffff)});
  }
  void half(const Instruction& i, const Short& row) {
    Id a = half_word(i, 0, row.is_signed), b = half_word(i, 1, row.is_signed);
    if (row.reversed) std::swap(a, b);
    const bool saturates = i.clamp && (row.op == Op::Add || row.op == Op::Sub);
    if (saturates) return result(without_clamp(i), Op::And, saturated_half(row.op, a, b, row.is_signed));
    result(i, Op::And, half_value(row.op, a, b));
  }
  // Which half of each source counts for the low half of the result, which for the high one. [VEGA: «VOP3P»]
  Id packed_source(const Instruction& i, u32 n, bool high, bool is_signed) {
    const u32 code = i.sources[n];
    const bool upper = ((high ? i.op_sel_hi : i.op_sel) >> n & 1) != 0;
    if (((i.negate | i.negate_hi) >> n & 1) != 0) not_lifted(i);
    // A constant is one of 32 bits, with its sign, a float of 32 bits too. [LLVM: getInlineEncodingV216]
    const Id out = upper ? graph_.make(Op::Shr, {word(i, code), graph_.constant(16)}) : word(i, code);
    return is_signed ? graph_.make(Op::SignExtend16, {out}) : graph_.make(Op::And, {out, graph_.constant(0xffff)});
  }
  void packed(const Instruction& i, const Short& row) {
    if (i.clamp && row.op != Op::Add && row.op != Op::Sub) return not_lifted(i);
    std::array<Id, 2> halves{};
    for (u32 n = 0; n < 2; ++n) {
      Id a = packed_source(i, 0, n == 1, row.is_signed), b = packed_source(i, 1, n == 1, row.is_signed);
      if (row.reversed) std::swap(a, b);
      halves[n] = i.clamp ? saturated_half(row.op, a, b, row.is_signed) : half_value(row.op, a, b);
    }
    set_vector(i.destination, graph_.make(Op::Or, {halves[0], graph_.make(Op::Shl, {halves[1], graph_.constant(16)})}));
  }
  void half_condition(const Instruction& i, const Condition& row) {
    const bool is_signed = row.op == Op::LtI || row.op == Op::LeI;
    mask_result(i.scalar_destination, holds(row, {half_word(i, 0, is_signed), half_word(i, 1, is_signed)}));
    if (gcn::info(i.opcode).is(gcn::Property::WritesExec)) set_mask(kExec, mask(i, i.scalar_destination));
  }
  Id scalar_operand(const Instruction& i, u32 n, char type) {
    return type == 'U' || type == 'L' ? join(i, i.sources[n], false) : word(i, i.sources[n]);
  }
  void set_scalar(const Instruction& i, Id value, Type type) {
    if (!wide(type)) return set_word(i.destination, value);
    const Id low = graph_.make(Op::Low, {value}), high = graph_.make(Op::High, {value});
    set_pair(i.destination, low, high, graph_.make(Op::MaskOfWords, {low, high}));
  }
  void scalar(const Instruction& i, const ScalarPlain& row) {
    const std::string_view types = info(row.op).arguments;
    Ids args;
    for (u32 n = 0; n < types.size(); ++n) args.push_back(scalar_operand(i, n, types[n]));
    const bool shift = row.op == Op::Shl || row.op == Op::Shr || row.op == Op::Sar;
    const bool shift64 = row.op == Op::Shl64 || row.op == Op::Shr64 || row.op == Op::Sar64;
    if (shift || shift64) args[1] = graph_.make(Op::And, {args[1], graph_.constant(shift ? 31 : 63)});
    const Id value = graph_.make(row.op, args);
    const Type type = info(row.op).result;
    if (row.after == After::NotZero)
      set_scc(wide(type) ? graph_.make(Op::NeU64, {value, graph_.constant64(0)})
                         : graph_.make(Op::NeU, {value, graph_.constant(0)}));
    if (row.after == After::Less) {
      const bool least = row.op == Op::MinI || row.op == Op::MinU;
      const Op less = row.op == Op::MinI || row.op == Op::MaxI ? Op::LtI : Op::LtU;
      set_scc(graph_.make(less, {args[least ? 0 : 1], args[least ? 1 : 0]}));
    }
    set_scalar(i, value, type);
  }
  // Of two in braces, here and elsewhere: what makes them is called in this order, so that all compilers of this
  // program number values alike.
  Id holds(const Condition& row, std::array<Id, 2> of) {
    if (row.op == Op::False) return graph_.boolean(row.negated);
    const Id out = graph_.make(row.op, {of[row.swapped ? 1 : 0], of[row.swapped ? 0 : 1]});
    return row.negated ? graph_.make(Op::BoolNot, {out}) : out;
  }
  // The bits of the number that v_cmp_class looks at: its modifiers change the sign, which is what they may ask for.
  Id classified(const Instruction& i, bool is_double) {
    const bool absolute = (i.absolute & 1) != 0, negative = (i.negate & 1) != 0;
    const auto with_sign = [&](Id high) {
      if (absolute) high = graph_.make(Op::And, {high, graph_.constant(0x7fffffff)});
      return negative ? graph_.make(Op::Xor, {high, graph_.constant(0x80000000)}) : high;
    };
    if (!is_double) return with_sign(vector_word(i, 0));
    const auto [low, high] = pair(i, i.sources[0], true);
    return graph_.make(Op::Join, {low, with_sign(high)});
  }
  void condition(const Instruction& i, const Condition& row) {
    const std::string_view types = row.op == Op::False ? std::string_view("uu") : info(row.op).arguments;
    const bool of_class = row.op == Op::ClassF || row.op == Op::ClassD;
    if (of_class && ((i.absolute | i.negate) & 2) != 0) return not_lifted(i);
    const Id a = of_class ? classified(i, row.op == Op::ClassD) : operand(i, 0, types[0]);
    const Id b = operand(i, 1, types[1]);
    mask_result(i.scalar_destination, holds(row, {a, b}));
    if (gcn::info(i.opcode).is(gcn::Property::WritesExec)) set_mask(kExec, mask(i, i.scalar_destination));
  }
  void scalar_condition(const Instruction& i, const Condition& row) {
    if (i.format == Format::Sopk) {
      const bool is_unsigned = i.opcode >= Opcode::s_cmpk_eq_u32 && i.opcode <= Opcode::s_cmpk_le_u32;
      const u32 k = is_unsigned ? static_cast<u32>(i.immediate) & 0xffff : static_cast<u32>(i.immediate);
      return set_scc(holds(row, {read(i.destination), graph_.constant(k)}));
    }
    if (i.opcode == Opcode::s_cmp_eq_u64 || i.opcode == Opcode::s_cmp_lg_u64) {  // of a mask or a number with zero
      const auto [low, high] = pair(i, i.sources[1], false);
      if (graph_.value(low) == 0u && graph_.value(high) == 0u) {
        const auto [l, h] = pair(i, i.sources[0], false);
        const Id any = graph_.make(Op::NonZero, {mask(i, i.sources[0]), l, h}, 0, block_);
        return set_scc(row.op == Op::NeU64 ? any : graph_.make(Op::BoolNot, {any}));
      }
    }
    const std::string_view types = info(row.op).arguments;
    if ((row.op == Op::EqU || row.op == Op::NeU) && graph_.value(scalar_operand(i, 1, 'u')) == 0u) {
      // The two words of a mask, put together by or.
      const Node both = graph_.at(scalar_operand(i, 0, 'u'));
      const Node low = both.op == Op::Or ? graph_.at(both.args[0]) : Node{};
      const Node high = both.op == Op::Or ? graph_.at(both.args[1]) : Node{};
      if (low.op == Op::MaskWord && high.op == Op::MaskWord && low.imm != high.imm &&
          graph_.resolve(low.args[0]) == graph_.resolve(high.args[0])) {
        const Id any = graph_.make(Op::NonZero, {low.args[0], both.args[0], both.args[1]}, 0, block_);
        return set_scc(row.op == Op::NeU ? any : graph_.make(Op::BoolNot, {any}));
      }
    }
    set_scc(holds(row, {scalar_operand(i, 0, types[0]), scalar_operand(i, 1, types[1])}));
  }
  void bitwise(const Instruction& i, const Bitwise& row) {
    const gcn::OpcodeInfo& op = gcn::info(i.opcode);
    const bool saves = op.is(gcn::Property::WritesExec);
    std::array<Id, 2> low{}, high{}, masks{};
    for (u32 n = 0; n < 2; ++n) {
      const u32 code = saves && n == 1 ? kExec : i.sources[n];
      std::tie(low[n], high[n]) = pair(i, code, false);
      masks[n] = mask(i, code);
      if (n == 0 ? row.invert_first : row.invert_second) {
        low[n] = graph_.make(Op::Not, {low[n]});
        high[n] = graph_.make(Op::Not, {high[n]});
        masks[n] = graph_.make(Op::BoolNot, {masks[n]});
      }
    }
    Id l = graph_.make(row.words, {low[0], low[1]}), h = graph_.make(row.words, {high[0], high[1]});
    Id m = graph_.make(row.masks, {masks[0], masks[1]}, 0, block_);
    if (row.invert_result) {
      l = graph_.make(Op::Not, {l});
      h = graph_.make(Op::Not, {h});
      m = graph_.make(Op::BoolNot, {m});
    }
    set_scc(graph_.make(Op::NonZero, {m, l, h}, 0, block_));
    if (saves) {  // or, from GFX9 on, writes the same to both
      const bool both = i.opcode == Opcode::s_andn1_wrexec_b64 || i.opcode == Opcode::s_andn2_wrexec_b64;
      set_mask(i.destination, both ? m : exec());
      set_mask(kExec, m);
    } else if (i.destination == kExec) {
      set_mask(kExec, m);
    } else {
      set_pair(i.destination, l, h, m);
    }
  }

  void other(const Instruction& i) {
    const auto source = [&](u32 n) { return vector_word(i, n); };
    const auto c = [&](u32 value) { return graph_.constant(value); };
    switch (i.opcode) {
      // Nothing that a lane could notice. Waits and caches are the compiler's now.
      case Opcode::s_nop:
      case Opcode::s_waitcnt:
      case Opcode::s_sleep:
      case Opcode::s_setprio:
      case Opcode::s_icache_inv:
      case Opcode::s_dcache_inv:
      case Opcode::v_nop:
      case Opcode::buffer_wbinvl1:
      case Opcode::buffer_wbinvl1_sc:
      case Opcode::buffer_wbinvl1_vol:
      case Opcode::s_endpgm:
      case Opcode::s_branch: return;

      case Opcode::s_cbranch_scc0:
      case Opcode::s_cbranch_scc1: return branch(scc(), i.opcode == Opcode::s_cbranch_scc1, false);
      case Opcode::s_cbranch_vccz:
      case Opcode::s_cbranch_vccnz: return branch(read(kMasks + kVcc / 2), i.opcode == Opcode::s_cbranch_vccnz, true);
      case Opcode::s_cbranch_execz:
      case Opcode::s_cbranch_execnz:
        if (flow_.skipped.contains(i.offset)) graph_.going_along.push_back(exec());
        return branch(exec(), i.opcode == Opcode::s_cbranch_execnz, true);
      case Opcode::s_barrier: {
        const Id id = graph_.add({.op = Op::Barrier, .type = None, .block = block_, .offset = i.offset});
        graph_.blocks[block_].effects.push_back(id);
        return;
      }

      case Opcode::s_getpc_b64: {
        const Id section = graph_.make(Op::Data, {}, kSections + source_.kernel.code->section);
        const u64 next = source_.kernel.code->offset + static_cast<u64>(i64{static_cast<i32>(place(i))}) + 4;
        const Id address = graph_.make(Op::Add64, {section, graph_.constant64(next)});
        return set_scalar(i, address, Ulong);
      }
      case Opcode::s_mov_b32: return set_word(i.destination, source(0));
      case Opcode::s_mov_b64: {
        const auto [low, high] = pair(i, i.sources[0], false);
        const Id m = mask(i, i.sources[0]);
        if (i.destination == kExec) return set_mask(kExec, m);
        return set_pair(i.destination, low, high, m);
      }
      case Opcode::s_not_b64: {
        const auto [low, high] = pair(i, i.sources[0], false);
        const Id m = graph_.make(Op::BoolNot, {mask(i, i.sources[0])});
        const Id l = graph_.make(Op::Not, {low}), h = graph_.make(Op::Not, {high});
        set_scc(graph_.make(Op::NonZero, {m, l, h}, 0, block_));
        if (i.destination == kExec) return set_mask(kExec, m);
        return set_pair(i.destination, l, h, m);
      }
      case Opcode::s_movk_i32: return set_word(i.destination, c(static_cast<u32>(i.immediate)));
      case Opcode::s_cmovk_i32:
        return set_word(
            i.destination,
            graph_.make(Op::Select, {scc(), c(static_cast<u32>(i.immediate)), read(i.destination)}, 0, block_));
      case Opcode::s_cmov_b32:
        return set_word(i.destination, graph_.make(Op::Select, {scc(), source(0), read(i.destination)}, 0, block_));
      case Opcode::s_mulk_i32:
        return set_word(i.destination, graph_.make(Op::Mul, {read(i.destination), c(static_cast<u32>(i.immediate))}));
      case Opcode::s_addk_i32: {
        const Id a = read(i.destination), b = c(static_cast<u32>(i.immediate));
        set_scc(graph_.make(Op::OverflowOfAdd, {a, b}));
        return set_word(i.destination, graph_.make(Op::Add, {a, b}));
      }
      case Opcode::s_cselect_b32:
        return set_word(i.destination, graph_.make(Op::Select, {scc(), source(0), source(1)}, 0, block_));
      case Opcode::s_cselect_b64: {
        const auto [al, ah] = pair(i, i.sources[0], false);
        const auto [bl, bh] = pair(i, i.sources[1], false);
        const Id m = graph_.make(Op::SelectBool, {scc(), mask(i, i.sources[0]), mask(i, i.sources[1])}, 0, block_);
        if (i.destination == kExec) return set_mask(kExec, m);
        const Id low = graph_.make(Op::Select, {scc(), al, bl}, 0, block_);
        const Id high = graph_.make(Op::Select, {scc(), ah, bh}, 0, block_);
        return set_pair(i.destination, low, high, m);
      }
      case Opcode::s_andn2_b32:
      case Opcode::s_orn2_b32: {
        const Id r = graph_.make(i.opcode == Opcode::s_andn2_b32 ? Op::And : Op::Or,
                                 {source(0), graph_.make(Op::Not, {source(1)})});
        set_scc(graph_.make(Op::NeU, {r, c(0)}));
        return set_word(i.destination, r);
      }
      case Opcode::s_add_u32:
      case Opcode::s_add_i32: {
        const Id a = source(0), b = source(1);
        set_scc(graph_.make(i.opcode == Opcode::s_add_u32 ? Op::CarryOfAdd : Op::OverflowOfAdd, {a, b}));
        return set_word(i.destination, graph_.make(Op::Add, {a, b}));
      }
      case Opcode::s_sub_u32:
      case Opcode::s_sub_i32: {
        const Id a = source(0), b = source(1);
        set_scc(i.opcode == Opcode::s_sub_u32 ? graph_.make(Op::LtU, {a, b}) : graph_.make(Op::OverflowOfSub, {a, b}));
        return set_word(i.destination, graph_.make(Op::Sub, {a, b}));
      }
      case Opcode::s_addc_u32:
      case Opcode::s_subb_u32: {
        const bool add = i.opcode == Opcode::s_addc_u32;
        const Id a = source(0), b = source(1), carry = scc(), one = graph_.make(Op::ToWord, {carry});
        set_scc(graph_.make(add ? Op::CarryOfAddc : Op::BorrowOfSubb, {a, b, carry}));
        const Op op = add ? Op::Add : Op::Sub;
        return set_word(i.destination, graph_.make(op, {graph_.make(op, {a, b}), one}));
      }
      case Opcode::s_bfe_u32:
      case Opcode::s_bfe_i32: {
        const auto field = graph_.value(source(1));
        if (!field || (*field >> 16 & 0x7f) > 31) return not_lifted(i);
        const Id r = graph_.make(i.opcode == Opcode::s_bfe_u32 ? Op::BitFieldU : Op::BitFieldI,
                                 {source(0), c(*field & 31), c(*field >> 16 & 0x7f)});
        set_scc(graph_.make(Op::NeU, {r, c(0)}));
        return set_word(i.destination, r);
      }
      case Opcode::s_bfm_b32: return set_word(i.destination, field_mask({source(0), source(1)}));
      case Opcode::s_bfe_u64:
      case Opcode::s_bfe_i64: {
        const bool is_signed = i.opcode == Opcode::s_bfe_i64;
        const Id offset = graph_.make(Op::And, {source(1), c(63)});
        const Id width = graph_.make(Op::And, {graph_.make(Op::Shr, {source(1), c(16)}), c(0x7f)});
        const Op op = is_signed ? Op::BitField64I : Op::BitField64U;
        const Id r = graph_.make(op, {join(i, i.sources[0], false), offset, width});
        set_scc(graph_.make(Op::NeU64, {r, graph_.constant64(0)}));
        return set_scalar(i, r, info(op).result);
      }
      case Opcode::s_bfm_b64: {
        const Id ones = graph_.make(
            Op::Add64, {graph_.make(Op::Shl64, {graph_.constant64(1), graph_.make(Op::And, {source(0), c(63)})}),
                        graph_.constant64(~u64{0})});
        const Id r = graph_.make(Op::Shl64, {ones, graph_.make(Op::And, {source(1), c(63)})});
        return set_scalar(i, r, Ulong);
      }
      case Opcode::s_nand_b32:
      case Opcode::s_nor_b32:
      case Opcode::s_xnor_b32: {
        const Op op = i.opcode == Opcode::s_nand_b32 ? Op::And : i.opcode == Opcode::s_nor_b32 ? Op::Or : Op::Xor;
        const Id r = graph_.make(Op::Not, {graph_.make(op, {source(0), source(1)})});
        set_scc(graph_.make(Op::NeU, {r, c(0)}));
        return set_word(i.destination, r);
      }
      case Opcode::s_abs_i32: {
        const Id x = source(0);
        const Id r = graph_.make(Op::MaxI, {x, graph_.make(Op::Sub, {c(0), x})});
        // Of INT_MIN both are the same.
        set_scc(graph_.make(Op::NeU, {r, c(0)}));
        return set_word(i.destination, r);
      }
      case Opcode::s_cmov_b64: {
        const Id low = read(i.destination), high = read_scalar(i.destination + 1u),
                 old = read(kMasks + i.destination / 2);
        const auto [l, h] = pair(i, i.sources[0], false);
        const Id m = graph_.make(Op::SelectBool, {scc(), mask(i, i.sources[0]), old}, 0, block_);
        if (i.destination == kExec) return set_mask(kExec, m);
        return set_pair(i.destination, graph_.make(Op::Select, {scc(), l, low}, 0, block_),
                        graph_.make(Op::Select, {scc(), h, high}, 0, block_), m);
      }
      case Opcode::s_brev_b64: {
        const auto [low, high] = pair(i, i.sources[0], false);
        const Id l = graph_.make(Op::ReverseBits, {high}), h = graph_.make(Op::ReverseBits, {low});
        return set_scalar(i, graph_.make(Op::Join, {l, h}), Ulong);
      }
      case Opcode::s_bcnt0_i32_b32:
      case Opcode::s_bcnt0_i32_b64: {
        const bool wide = i.opcode == Opcode::s_bcnt0_i32_b64;
        const Id r = wide ? graph_.make(Op::PopCount64, {graph_.make(Op::Not64, {join(i, i.sources[0], false)})})
                          : graph_.make(Op::PopCount, {graph_.make(Op::Not, {source(0)})});
        set_scc(graph_.make(Op::NeU, {r, c(0)}));
        return set_word(i.destination, r);
      }
      case Opcode::s_ff0_i32_b32:
        return set_word(i.destination, graph_.make(Op::FirstLow, {graph_.make(Op::Not, {source(0)})}));
      case Opcode::s_ff0_i32_b64:
        return set_word(i.destination,
                        graph_.make(Op::FirstLow64, {graph_.make(Op::Not64, {join(i, i.sources[0], false)})}));
      // The first bit from above that is not the sign's.
      case Opcode::s_flbit_i32_i64: {
        const Id x = join(i, i.sources[0], false), signs = graph_.make(Op::Sar64, {x, c(63)});
        return set_word(i.destination, graph_.make(Op::FirstHigh64, {graph_.make(Op::Xor64, {x, signs})}));
      }
      case Opcode::s_bitcmp0_b64:
      case Opcode::s_bitcmp1_b64: {
        const Id bit = graph_.make(Op::Shr64, {join(i, i.sources[0], false), graph_.make(Op::And, {source(1), c(63)})});
        return set_scc(graph_.make(i.opcode == Opcode::s_bitcmp1_b64 ? Op::NeU : Op::EqU,
                                   {graph_.make(Op::And, {graph_.make(Op::Low, {bit}), c(1)}), c(0)}));
      }
      case Opcode::s_bitset0_b64:
      case Opcode::s_bitset1_b64: {
        if (i.destination == kExec) return not_lifted(i);
        const Id bit = graph_.make(Op::Shl64, {graph_.constant64(1), graph_.make(Op::And, {source(0), c(63)})}),
                 old = graph_.make(Op::Join, {read(i.destination), read_scalar(i.destination + 1u)});
        return set_scalar(i,
                          i.opcode == Opcode::s_bitset1_b64
                              ? graph_.make(Op::Or64, {old, bit})
                              : graph_.make(Op::And64, {old, graph_.make(Op::Not64, {bit})}),
                          Ulong);
      }
      case Opcode::s_bitcmp0_b32:
      case Opcode::s_bitcmp1_b32: {
        const Id bit = graph_.make(Op::Shr, {source(0), graph_.make(Op::And, {source(1), c(31)})});
        return set_scc(graph_.make(i.opcode == Opcode::s_bitcmp1_b32 ? Op::NeU : Op::EqU,
                                   {graph_.make(Op::And, {bit, c(1)}), c(0)}));
      }
      case Opcode::s_bitset0_b32:
      case Opcode::s_bitset1_b32: {
        const Id bit = graph_.make(Op::Shl, {c(1), graph_.make(Op::And, {source(0), c(31)})}),
                 old = read(i.destination);
        return set_word(i.destination, i.opcode == Opcode::s_bitset1_b32
                                           ? graph_.make(Op::Or, {old, bit})
                                           : graph_.make(Op::And, {old, graph_.make(Op::Not, {bit})}));
      }
      case Opcode::s_lshl1_add_u32:
      case Opcode::s_lshl2_add_u32:
      case Opcode::s_lshl3_add_u32:
      case Opcode::s_lshl4_add_u32: {
        const u32 n = 1 + static_cast<u32>(i.opcode) - static_cast<u32>(Opcode::s_lshl1_add_u32);
        const Id whole =
            graph_.make(Op::Add64, {graph_.make(Op::Shl64, {graph_.make(Op::Join, {source(0), c(0)}), c(n)}),
                                    graph_.make(Op::Join, {source(1), c(0)})});
        set_scc(graph_.make(Op::NeU, {graph_.make(Op::High, {whole}), c(0)}));
        return set_word(i.destination, graph_.make(Op::Add, {graph_.make(Op::Shl, {source(0), c(n)}), source(1)}));
      }
      case Opcode::s_pack_ll_b32_b16:
      case Opcode::s_pack_lh_b32_b16:
      case Opcode::s_pack_hh_b32_b16: {
        const Id low = i.opcode == Opcode::s_pack_hh_b32_b16 ? graph_.make(Op::Shr, {source(0), c(16)})
                                                             : graph_.make(Op::And, {source(0), c(0xffff)});
        const Id high = i.opcode == Opcode::s_pack_ll_b32_b16 ? graph_.make(Op::Shl, {source(1), c(16)})
                                                              : graph_.make(Op::And, {source(1), c(0xffff0000)});
        return set_word(i.destination, graph_.make(Op::Or, {low, high}));
      }
      case Opcode::s_setreg_b32:
      case Opcode::s_setreg_imm32_b32: {
        return set_mode(i);
      }
      case Opcode::s_getreg_b32: {
        // Of SH_MEM_BASES the half that is the upper one of the upper word of local memory's addresses. [LLVM AMDGPU
        // usage «Flat»: SH_MEM_BASES; hwreg: 6 bits a number, 5 where it begins, 5 one less than how many]
        constexpr i32 kSharedHalf = 15 | 16 << 6 | 15 << 11;
        if ((i.immediate & 0xffff) != kSharedHalf) return not_lifted(i);
        return set_word(i.destination, graph_.make(Op::Shr, {graph_.make(Op::Aperture), c(16)}));
      }

      case Opcode::v_cndmask_b32: {
        const Id bit = enabled_bits(mask(i, i.format == Format::Vop3 ? i.sources[2] : kVcc));
        const auto plain = [&](u32 n) { return (i.absolute | i.negate) >> n & 1 ? modified(i, n, 'f') : source(n); };
        return result(i, Op::Select, graph_.make(Op::Select, {bit, plain(1), plain(0)}, 0, block_));
      }
      case Opcode::v_movrels_b32:
      case Opcode::v_movreld_b32: return chosen_move(i, read(kM0), i.opcode == Opcode::v_movrels_b32);
      // [VIA ISA, «VGPR Indexing»: M0[7:0] is the index, M0[15:12] which operands are relative.]
      case Opcode::s_set_gpr_idx_on: {
        constexpr u32 kFirstSource = 1, kDestination = 8;
        relative_ = i.sources[1] & 15;
        if (relative_ != kFirstSource && relative_ != kDestination) return not_lifted(i);
        index_ = graph_.make(Op::And, {source(0), c(255)});
        return write(kM0, graph_.make(Op::Or, {index_, c(relative_ << 12)}));
      }
      case Opcode::s_set_gpr_idx_off: relative_ = 0; return;
      case Opcode::v_readfirstlane_b32:
        return set_word(i.destination, i.sources[0] < kFirstVector
                                           ? source(0)
                                           : graph_.make(Op::FirstLane, {exec(), source(0)}, 0, block_));
      case Opcode::v_readlane_b32: return read_lane(i);
      case Opcode::v_writelane_b32: return write_lane(i);
      // [VEGA: «V_SWAP_B32»] From GFX9 on; compilers exchange so what two turns of a loop need.
      case Opcode::v_swap_b32: {
        if (i.sources[0] < kFirstVector || i.variant != gcn::Variant::Plain) return not_lifted(i);
        const u32 other = i.sources[0] - kFirstVector;
        const Id first = read_vector(i.destination), second = read_vector(other);
        set_vector(i.destination, second);
        return set_vector(other, first);
      }
      case Opcode::v_mbcnt_lo_u32_b32:
      case Opcode::v_mbcnt_hi_u32_b32: return count_lanes(i, i.opcode == Opcode::v_mbcnt_hi_u32_b32);
      case Opcode::ds_swizzle_b32: return swizzle(i);
      case Opcode::ds_append:
      case Opcode::ds_consume: return count_enabled(i);
      case Opcode::ds_bpermute_b32: return backward_permute(i);
      case Opcode::v_mac_f32:
      case Opcode::v_mac_legacy_f32: {
        const Op op = i.opcode == Opcode::v_mac_f32 ? Op::MulF : Op::MulLegacyF;
        const Id product = graph_.make(op, {operand(i, 0, 'f'), operand(i, 1, 'f')});
        return result(i, Op::AddF, graph_.make(Op::AddF, {product, flushed(read_vector(i.destination))}));
      }
      case Opcode::v_madmk_f32:
        return result(i, Op::AddF,
                      graph_.make(Op::AddF, {graph_.make(Op::MulF, {operand(i, 0, 'f'), flushed(c(i.literal))}),
                                             operand(i, 1, 'f')}));
      case Opcode::v_madak_f32:
        return result(i, Op::AddF,
                      graph_.make(Op::AddF, {graph_.make(Op::MulF, {operand(i, 0, 'f'), operand(i, 1, 'f')}),
                                             flushed(c(i.literal))}));
      case Opcode::v_mad_f32:
      case Opcode::v_mad_legacy_f32: {
        const Op op = i.opcode == Opcode::v_mad_f32 ? Op::MulF : Op::MulLegacyF;
        const Id product = graph_.make(op, {operand(i, 0, 'f'), operand(i, 1, 'f')});
        return result(i, Op::AddF, graph_.make(Op::AddF, {product, operand(i, 2, 'f')}));
      }
      case Opcode::v_mul_i32_i24:
      case Opcode::v_mul_u32_u24:
      case Opcode::v_mad_i32_i24:
      case Opcode::v_mad_u32_u24: {
        const bool is_signed = i.opcode == Opcode::v_mul_i32_i24 || i.opcode == Opcode::v_mad_i32_i24;
        const Op low = is_signed ? Op::Low24I : Op::Low24U;
        Id r = graph_.make(Op::Mul, {graph_.make(low, {operand(i, 0, 'u')}), graph_.make(low, {operand(i, 1, 'u')})});
        if (i.opcode == Opcode::v_mad_i32_i24 || i.opcode == Opcode::v_mad_u32_u24)
          r = graph_.make(Op::Add, {r, operand(i, 2, 'u')});
        return result(i, Op::Mul, r);
      }
      case Opcode::v_bfm_b32: return result(i, Op::Shl, field_mask({source(0), source(1)}));
      case Opcode::v_bcnt_u32_b32:
        return result(i, Op::Add, graph_.make(Op::Add, {graph_.make(Op::PopCount, {source(0)}), source(1)}));
      case Opcode::v_add_co_u32:
      case Opcode::v_sub_co_u32:
      case Opcode::v_subrev_co_u32: {
        const bool reversed = i.opcode == Opcode::v_subrev_co_u32, add = i.opcode == Opcode::v_add_co_u32;
        const Id a = operand(i, reversed ? 1 : 0, 'u'), b = operand(i, reversed ? 0 : 1, 'u');
        const Id carry = add ? graph_.make(Op::CarryOfAdd, {a, b}) : graph_.make(Op::LtU, {a, b});
        const Op op = add ? Op::Add : Op::Sub;
        result(without_clamp(i), Op::Add, i.clamp ? saturated(op, a, b, false) : graph_.make(op, {a, b}));
        return mask_result(i.scalar_destination, carry);
      }
      case Opcode::v_addc_u32:
      case Opcode::v_subb_u32:
      case Opcode::v_subbrev_u32: {
        const bool reversed = i.opcode == Opcode::v_subbrev_u32, add = i.opcode == Opcode::v_addc_u32;
        const Id a = operand(i, reversed ? 1 : 0, 'u'), b = operand(i, reversed ? 0 : 1, 'u');
        const Id carry = enabled_bits(mask(i, i.format == Format::Vop3 ? i.sources[2] : kVcc));
        const Op op = add ? Op::Add : Op::Sub;
        const Id out = graph_.make(add ? Op::CarryOfAddc : Op::BorrowOfSubb, {a, b, carry});
        result(i, Op::Add, graph_.make(op, {graph_.make(op, {a, b}), graph_.make(Op::ToWord, {carry})}));
        return mask_result(i.scalar_destination, out);
      }
      case Opcode::v_cvt_f32_ubyte0:
      case Opcode::v_cvt_f32_ubyte1:
      case Opcode::v_cvt_f32_ubyte2:
      case Opcode::v_cvt_f32_ubyte3: {
        const u32 n = static_cast<u32>(i.opcode) - static_cast<u32>(Opcode::v_cvt_f32_ubyte0);
        const Id byte = graph_.make(Op::And, {graph_.make(Op::Shr, {source(0), c(8 * n)}), c(255)});
        return result(i, Op::FloatOfUint, graph_.make(Op::FloatOfUint, {byte}));
      }
      case Opcode::v_log_clamp_f32:
        return result(i, Op::FiniteF, graph_.make(Op::FiniteF, {graph_.make(Op::Log2F, {operand(i, 0, 'f')})}));
      case Opcode::v_rcp_clamp_f32:
        return result(i, Op::FiniteF, graph_.make(Op::FiniteF, {graph_.make(Op::RcpF, {operand(i, 0, 'f')})}));
      case Opcode::v_rsq_clamp_f32:
        return result(i, Op::FiniteF, graph_.make(Op::FiniteF, {graph_.make(Op::RsqF, {operand(i, 0, 'f')})}));
      case Opcode::v_alignbyte_b32: {
        const Id bits = graph_.make(Op::Shl, {graph_.make(Op::And, {source(2), c(3)}), c(3)});
        return result(i, Op::AlignBit, graph_.make(Op::AlignBit, {source(0), source(1), bits}));
      }
      case Opcode::v_xnor_b32:
        return result(i, Op::Not,
                      graph_.make(Op::Not, {graph_.make(Op::Xor, {operand(i, 0, 'u'), operand(i, 1, 'u')})}));
      case Opcode::v_fmac_f32:
        return result(
            i, Op::FmaF,
            graph_.make(Op::FmaF, {operand(i, 0, 'f'), operand(i, 1, 'f'), flushed(read_vector(i.destination))}));
      case Opcode::v_mul_hi_i32_i24:
      case Opcode::v_mul_hi_u32_u24: {
        const bool is_signed = i.opcode == Opcode::v_mul_hi_i32_i24;
        const Op low = is_signed ? Op::Low24I : Op::Low24U, op = is_signed ? Op::MulHighI : Op::MulHighU;
        return result(
            i, op, graph_.make(op, {graph_.make(low, {operand(i, 0, 'u')}), graph_.make(low, {operand(i, 1, 'u')})}));
      }
      case Opcode::v_add3_u32: return combined(i, Op::Add, Op::Add);
      case Opcode::v_lshl_add_u32: return combined(i, Op::Shl, Op::Add);
      case Opcode::v_add_lshl_u32: return combined(i, Op::Add, Op::Shl);
      case Opcode::v_lshl_or_b32: return combined(i, Op::Shl, Op::Or);
      case Opcode::v_and_or_b32: return combined(i, Op::And, Op::Or);
      case Opcode::v_or3_b32: return combined(i, Op::Or, Op::Or);
      case Opcode::v_xad_u32: return combined(i, Op::Xor, Op::Add);
      case Opcode::v_mad_u64_u32:
      case Opcode::v_mad_i64_i32: {
        if (i.clamp) return not_lifted(i);
        const bool is_signed = i.opcode == Opcode::v_mad_i64_i32;
        const Id product =
            graph_.make(is_signed ? Op::MulWideI : Op::MulWideU, {operand(i, 0, 'u'), operand(i, 1, 'u')});
        const Id other = operand(i, 2, 'U'), sum = graph_.make(Op::Add64, {product, other});
        result(i, Op::Add64, sum);
        // What a carry of signed numbers is no document says: a mask that nothing may use.
        const Id unknown = graph_.make(Op::Table, {}, kUnknown);
        return mask_result(i.scalar_destination, is_signed ? graph_.make(Op::MaskOfWords, {unknown, unknown})
                                                           : graph_.make(Op::LtU64, {sum, other}));
      }
      case Opcode::v_mad_u16:
      case Opcode::v_mad_i16:
      case Opcode::v_mad_legacy_u16:
      case Opcode::v_mad_legacy_i16: {
        if (i.op_sel != 0 || i.clamp) return not_lifted(i);
        const Id product = graph_.make(Op::Mul, {half_word(i, 0, false), half_word(i, 1, false)});
        const Id r =
            graph_.make(Op::And, {graph_.make(Op::Add, {product, half_word(i, 2, false)}), graph_.constant(0xffff)});
        // From GFX9 on they keep the other half; those of GFX8 go on under a name of their own.
        const bool keeps = source_.generation == gcn::Generation::Gfx9 &&
                           (i.opcode == Opcode::v_mad_u16 || i.opcode == Opcode::v_mad_i16);
        if (!keeps) return result(i, Op::And, r);
        const Id old = graph_.make(Op::And, {read_vector(i.destination), c(0xffff0000)});
        return result(i, Op::Or, graph_.make(Op::Or, {old, r}));
      }
      case Opcode::v_pk_mad_u16:
      case Opcode::v_pk_mad_i16: {
        if (i.clamp) return not_lifted(i);
        std::array<Id, 2> halves{};
        for (u32 n = 0; n < 2; ++n) {
          const Id product =
              graph_.make(Op::Mul, {packed_source(i, 0, n == 1, false), packed_source(i, 1, n == 1, false)});
          halves[n] = graph_.make(Op::Add, {product, packed_source(i, 2, n == 1, false)});
        }
        return set_vector(i.destination, graph_.make(Op::Or, {graph_.make(Op::And, {halves[0], c(0xffff)}),
                                                              graph_.make(Op::Shl, {halves[1], c(16)})}));
      }
      // The nearest number, of two the one above. [SIA «V_CVT_RPI_I32_F32»] No sum is rounded here.
      case Opcode::v_cvt_rpi_i32_f32: {
        const Id x = operand(i, 0, 'f'), below = graph_.make(Op::FloorF, {x}), rest = graph_.make(Op::SubF, {x, below});
        const Id half_or_more = graph_.make(Op::LeF, {c(0x3f000000), rest});
        const Id up = graph_.make(Op::Select, {half_or_more, c(0x3f800000), c(0)}, 0, block_);
        return result(i, Op::IntOfFloat, graph_.make(Op::IntOfFloat, {graph_.make(Op::AddF, {below, up})}));
      }
      case Opcode::v_cvt_flr_i32_f32:
        return result(i, Op::IntOfFloat, graph_.make(Op::IntOfFloat, {graph_.make(Op::FloorF, {operand(i, 0, 'f')})}));
      case Opcode::v_cvt_pk_u16_u32:
      case Opcode::v_cvt_pk_i16_i32: {
        const bool is_signed = i.opcode == Opcode::v_cvt_pk_i16_i32;
        std::array<Id, 2> halves{};
        for (u32 n = 0; n < 2; ++n)
          halves[n] = is_signed ? graph_.make(Op::MaxI, {graph_.make(Op::MinI, {source(n), c(32767)}), c(~32767u)})
                                : graph_.make(Op::MinU, {source(n), c(0xffff)});
        return result(i, Op::Or,
                      graph_.make(Op::Or, {graph_.make(Op::And, {halves[0], c(0xffff)}),
                                           graph_.make(Op::Shl, {halves[1], c(16)})}));
      }
      case Opcode::v_div_scale_f32: {
        const Ids args{operand(i, 0, 'f'), operand(i, 1, 'f'), operand(i, 2, 'f')};
        result(i, Op::DivScaleF, graph_.make(Op::DivScaleF, args));
        return mask_result(i.scalar_destination, graph_.make(Op::DivScaledF, args));
      }
      case Opcode::v_div_fmas_f32: {
        const Id a = operand(i, 0, 'f'), b = operand(i, 1, 'f'), d = operand(i, 2, 'f');
        return result(i, Op::DivFmasF, graph_.make(Op::DivFmasF, {a, b, d, enabled_bits(read(kMasks + kVcc / 2))}));
      }
      case Opcode::v_add_nc_i32:
      case Opcode::v_sub_nc_i32: {
        const Id a = operand(i, 0, 'u'), b = operand(i, 1, 'u');
        const Op op = i.opcode == Opcode::v_add_nc_i32 ? Op::Add : Op::Sub;
        return result(without_clamp(i), op, i.clamp ? saturated(op, a, b, true) : graph_.make(op, {a, b}));
      }
      case Opcode::v_add_i16:
      case Opcode::v_sub_i16: {
        if (i.op_sel != 0) return not_lifted(i);
        const Id a = half_word(i, 0, true), b = half_word(i, 1, true);
        const Op op = i.opcode == Opcode::v_add_i16 ? Op::Add : Op::Sub;
        const Id r = i.clamp ? saturated_half(op, a, b, true) : half_value(op, a, b);
        return result(without_clamp(i), Op::Or, with_unknown_half(r));
      }
      case Opcode::v_min3_i16: return three_halves(i, Op::MinI, Op::MinI, true);
      case Opcode::v_max3_i16: return three_halves(i, Op::MaxI, Op::MaxI, true);
      case Opcode::v_min3_u16: return three_halves(i, Op::MinU, Op::MinU, false);
      case Opcode::v_max3_u16: return three_halves(i, Op::MaxU, Op::MaxU, false);
      case Opcode::v_med3_i16: return three_halves(i, Op::MinI, Op::MaxI, true);
      case Opcode::v_med3_u16: return three_halves(i, Op::MinU, Op::MaxU, false);
      case Opcode::v_pack_b32_f16: {
        if ((i.absolute | i.negate) != 0 || (i.op_sel & 8) != 0) return not_lifted(i);
        std::array<Id, 2> halves{};
        for (u32 n = 0; n < 2; ++n) {
          if (i.sources[n] >= 240 && i.sources[n] <= 248) return not_lifted(i);
          halves[n] = (i.op_sel >> n & 1) != 0 ? graph_.make(Op::Shr, {source(n), c(16)})
                                               : graph_.make(Op::And, {source(n), c(0xffff)});
        }
        return result(i, Op::Or, graph_.make(Op::Or, {halves[0], graph_.make(Op::Shl, {halves[1], c(16)})}));
      }
      case Opcode::v_min3_f16:
      case Opcode::v_max3_f16: {
        const Op op = i.opcode == Opcode::v_min3_f16 ? Op::MinF : Op::MaxF;
        const Id first = graph_.make(op, {half_float_source(i, 0), half_float_source(i, 1)});
        return half_result(i, half_float_value(i, op, {first, half_float_source(i, 2)}), false);
      }
      case Opcode::v_fract_f16: {
        // Below 1: the largest half that is (docs/emulate.md: not verified), where a longer float comes nearer to it.
        const Id part = graph_.make(Op::FractF, {half_float_source(i, 0)}), most = c(0x3f7fe000);
        const Id less = graph_.make(Op::Select, {graph_.make(Op::LtF, {most, part}), most, part}, 0, block_);
        return half_result(i, half_bits(i, less), false);
      }
      case Opcode::v_mad_u32_u16:
      case Opcode::v_mad_i32_i16: {
        if (i.op_sel != 0 || i.clamp) return not_lifted(i);
        const bool is_signed = i.opcode == Opcode::v_mad_i32_i16;
        const Id product = graph_.make(Op::Mul, {half_word(i, 0, is_signed), half_word(i, 1, is_signed)});
        return result(i, Op::Add, graph_.make(Op::Add, {product, operand(i, 2, 'u')}));
      }
      // [VEGA «V_DOT4_I32_I8»]
      case Opcode::v_dot2_i32_i16: return sum_of_products(i, 16, true);
      case Opcode::v_dot2_u32_u16: return sum_of_products(i, 16, false);
      case Opcode::v_dot4_i32_i8: return sum_of_products(i, 8, true);
      case Opcode::v_dot4_u32_u8: return sum_of_products(i, 8, false);
      case Opcode::v_dot8_i32_i4: return sum_of_products(i, 4, true);
      case Opcode::v_dot8_u32_u4: return sum_of_products(i, 4, false);
      case Opcode::v_cmp_class_f16:
      case Opcode::v_cmpx_class_f16: {
        if (((i.absolute | i.negate) & 2) != 0 || i.op_sel != 0 || i.variant == gcn::Variant::Dpp) return not_lifted(i);
        Id half = i.sources[0] >= 240 && i.sources[0] <= 248
                      ? graph_.make(Op::HalfOfFloat, {float_of_source(i, 0, false)})
                      : graph_.make(Op::And, {vector_word(i, 0), c(0xffff)});
        if ((i.absolute & 1) != 0) half = graph_.make(Op::And, {half, c(0x7fff)});
        if ((i.negate & 1) != 0) half = graph_.make(Op::Xor, {half, c(0x8000)});
        mask_result(i.scalar_destination, graph_.make(Op::ClassH, {half, operand(i, 1, 'u')}));
        if (gcn::info(i.opcode).is(gcn::Property::WritesExec)) set_mask(kExec, mask(i, i.scalar_destination));
        return;
      }
      case Opcode::v_madak_f16:
      case Opcode::v_madmk_f16:
      case Opcode::v_mac_f16:
      case Opcode::v_mad_f16:
      case Opcode::v_mad_legacy_f16: {
        // Rounded between the product and the sum.
        const bool mac = i.opcode == Opcode::v_mac_f16, ak = i.opcode == Opcode::v_madak_f16,
                   mk = i.opcode == Opcode::v_madmk_f16;
        const Id k = ak || mk ? graph_.make(Op::FloatOfHalf, {c(i.literal & 0xffff)}) : kNone;
        const Id product =
            half_float_value(without_clamp(i), Op::MulF, {half_float_source(i, 0), mk ? k : half_float_source(i, 1)});
        const Id other = mac  ? graph_.make(Op::FloatOfHalf, {read_vector(i.destination)})
                         : ak ? k
                              : half_float_source(i, mk ? 1 : 2);
        const Id rounded = graph_.make(Op::FloatOfHalf, {product});
        return half_result(i, half_float_value(i, Op::AddF, {rounded, other}), i.opcode != Opcode::v_mad_legacy_f16);
      }
      case Opcode::v_cvt_f16_u16:
      case Opcode::v_cvt_f16_i16: {
        const bool is_signed = i.opcode == Opcode::v_cvt_f16_i16;
        const Op op = is_signed ? Op::FloatOfInt : Op::FloatOfUint;
        return half_result(i, half_float_value(i, op, {half_word(i, 0, is_signed)}), false);
      }
      case Opcode::v_cvt_u16_f16: {
        const Id whole = graph_.make(Op::UintOfFloat, {half_float_source(i, 0)});
        return half_result(i, graph_.make(Op::MinU, {whole, c(0xffff)}), false);
      }
      case Opcode::v_cvt_i16_f16: {
        const Id whole = graph_.make(Op::IntOfFloat, {half_float_source(i, 0)});
        const Id inside = graph_.make(Op::MaxI, {graph_.make(Op::MinI, {whole, c(0x7fff)}), c(~0x7fffu)});
        return half_result(i, graph_.make(Op::And, {inside, c(0xffff)}), false);
      }
      case Opcode::v_ldexp_f16: {
        const Id exponent = half_word(i, 1, true);
        return half_result(i, half_float_value(i, Op::LdexpF, {half_float_source(i, 0), exponent}), false);
      }
      case Opcode::v_frexp_exp_i16_f16: {
        const Id exponent = graph_.make(Op::FrexpExpF, {half_float_source(i, 0)});
        return half_result(i, graph_.make(Op::And, {exponent, c(0xffff)}), false);
      }
      case Opcode::v_min3_i32: return three(i, Op::MinI);
      case Opcode::v_max3_i32: return three(i, Op::MaxI);
      case Opcode::v_min3_u32: return three(i, Op::MinU);
      case Opcode::v_max3_u32: return three(i, Op::MaxU);
      case Opcode::v_min3_f32: return three(i, Op::MinF);
      case Opcode::v_max3_f32: return three(i, Op::MaxF);
      case Opcode::v_med3_i32:
      case Opcode::v_med3_u32: {
        const bool is_signed = i.opcode == Opcode::v_med3_i32;
        const Op least = is_signed ? Op::MinI : Op::MinU, most = is_signed ? Op::MaxI : Op::MaxU;
        const Id a = source(0), b = source(1);
        const Id inner = graph_.make(least, {graph_.make(most, {a, b}), source(2)});
        return result(i, least, graph_.make(most, {graph_.make(least, {a, b}), inner}));
      }
      case Opcode::v_sad_u8:
        return result(i, Op::Add, graph_.make(Op::Add, {graph_.make(Op::SadU8, {source(0), source(1)}), source(2)}));
      case Opcode::v_msad_u8:
        return result(i, Op::Add,
                      graph_.make(Op::Add, {graph_.make(Op::SadU8Masked, {source(0), source(1)}), source(2)}));
      case Opcode::v_sad_hi_u8: {
        const Id high = graph_.make(Op::Shl, {graph_.make(Op::SadU8, {source(0), source(1)}), c(16)});
        return result(i, Op::Add, graph_.make(Op::Add, {high, source(2)}));
      }
      case Opcode::v_sad_u16:
        return result(i, Op::Add, graph_.make(Op::Add, {graph_.make(Op::SadU16, {source(0), source(1)}), source(2)}));
      case Opcode::v_qsad_pk_u16_u8:
      case Opcode::v_mqsad_pk_u16_u8: {
        if (i.clamp) return not_lifted(i);
        const Op op = i.opcode == Opcode::v_qsad_pk_u16_u8 ? Op::FourSadsU8 : Op::FourSadsU8Masked;
        return result(i, op, graph_.make(op, {operand(i, 0, 'U'), operand(i, 1, 'u'), operand(i, 2, 'U')}));
      }
      case Opcode::v_lerp_u8: return result(i, Op::LerpU8, graph_.make(Op::LerpU8, {source(0), source(1), source(2)}));
      case Opcode::v_cvt_pk_u8_f32: {
        const Id byte = graph_.make(Op::ByteOfFloat, {operand(i, 0, 'f')});
        const Id at = graph_.make(Op::Shl, {graph_.make(Op::And, {source(1), c(3)}), c(3)});
        const Id mask = graph_.make(Op::Shl, {c(255), at});
        return result(i, Op::BitSelect,
                      graph_.make(Op::BitSelect, {mask, graph_.make(Op::Shl, {byte, at}), source(2)}));
      }
      case Opcode::v_cvt_pkrtz_f16_f32: {
        const Id low = graph_.make(Op::HalfTowardZero, {operand(i, 0, 'f')});
        const Id high = graph_.make(Op::HalfTowardZero, {operand(i, 1, 'f')});
        return result(i, Op::Or, graph_.make(Op::Or, {low, graph_.make(Op::Shl, {high, c(16)})}));
      }
      case Opcode::v_sad_u32:
        return result(i, Op::Add,
                      graph_.make(Op::Add, {graph_.make(Op::AbsDifferenceU, {source(0), source(1)}), source(2)}));
      case Opcode::v_div_scale_f64: {
        const Ids args{operand(i, 0, 'd'), operand(i, 1, 'd'), operand(i, 2, 'd')};
        result(i, Op::DivScaleD, graph_.make(Op::DivScaleD, args));
        return mask_result(i.scalar_destination, graph_.make(Op::DivScaledD, args));
      }
      case Opcode::v_div_fmas_f64: {
        const Id a = operand(i, 0, 'd'), b = operand(i, 1, 'd'), d = operand(i, 2, 'd');
        return result(i, Op::DivFmasD, graph_.make(Op::DivFmasD, {a, b, d, enabled_bits(read(kMasks + kVcc / 2))}));
      }
      default: return not_lifted(i);
    }
  }
  // Two operations one after the other; the count of a shift loses its high bits.
  void combined(const Instruction& i, Op first, Op second) {
    const auto apply = [&](Op op, std::array<Id, 2> of) {
      const auto [a, b] = of;
      return graph_.make(op, {a, op == Op::Shl ? graph_.make(Op::And, {b, graph_.constant(31)}) : b});
    };
    const Id inner = apply(first, {operand(i, 0, 'u'), operand(i, 1, 'u')});
    result(i, second, apply(second, {inner, operand(i, 2, 'u')}));
  }
  void sum_of_products(const Instruction& i, u32 bits, bool is_signed) {
    if (i.clamp || (i.negate | i.negate_hi) != 0) return not_lifted(i);
    const Id a = operand(i, 0, 'u'), b = operand(i, 1, 'u');
    Id sum = operand(i, 2, 'u');
    for (u32 n = 0; n < 32 / bits; ++n) {
      const auto part = [&](Id of) {
        return graph_.make(is_signed ? Op::BitFieldI : Op::BitFieldU,
                           {of, graph_.constant(n * bits), graph_.constant(bits)});
      };
      sum = graph_.make(Op::Add, {sum, graph_.make(Op::Mul, {part(a), part(b)})});
    }
    set_vector(i.destination, sum);
  }
  void three(const Instruction& i, Op op) {
    const char type = info(op).arguments[0];
    result(i, op, graph_.make(op, {graph_.make(op, {operand(i, 0, type), operand(i, 1, type)}), operand(i, 2, type)}));
  }
  Id field_mask(std::array<Id, 2> width_and_offset) {
    const auto [width, offset] = width_and_offset;
    const auto c = [&](u32 value) { return graph_.constant(value); };
    const Id ones = graph_.make(Op::Add, {graph_.make(Op::Shl, {c(1), graph_.make(Op::And, {width, c(31)})}), c(~0u)});
    return graph_.make(Op::Shl, {ones, graph_.make(Op::And, {offset, c(31)})});
  }
  void branch(Id condition, bool when, bool lanes) {
    BlockEnd& end = graph_.blocks[block_].end;
    if (end.kind != BlockEnd::Kind::Branch) return;
    end.condition = condition;
    end.lanes = lanes;
    if (!when) std::swap(end.yes, end.no);
  }

  // --- memory --------------------------------------------------------------------------------------------------------

  // What a store of so many bits needs of a value.
  Id narrow(Id value, u32 bits) {
    const Node& n = graph_.at(value);
    if (n.op != Op::Or || !graph_.is(n.args[1], Op::Shl)) return value;
    const auto by = graph_.value(graph_.at(n.args[1]).args[1]);
    return by && *by >= bits ? graph_.resolve(n.args[0]) : value;
  }
  Id effect(Op op, const Access& what, Ids args) {
    if (op == Op::Store && what.bytes < 4 && what.room != Room::Image)
      args.back() = narrow(args.back(), 8u * what.bytes);
    const Id id = graph_.add({.op = op,
                              .type = op == Op::Store        ? None
                                      : what.bytes == 8      ? (what.is_signed ? Long : Ulong)
                                      : what.components == 1 ? (what.is_signed ? Int : Any)
                                                             : None,
                              .block = block_,
                              .offset = offset_,
                              .args = std::move(args),
                              .access = graph_.access(what)});
    graph_.blocks[block_].effects.push_back(id);
    return id;
  }
  Id loaded(Id load, u32 n, u32 components) { return components == 1 ? load : graph_.make(Op::Loaded, {load}, n); }

  // Constant buffers and tables; what they hold is found out when the address is known.
  void scalar_load(const Instruction& i) {
    const bool from_buffer = i.opcode >= Opcode::s_buffer_load_dword && i.opcode <= Opcode::s_buffer_load_dwordx16;
    const u32 components = gcn::shape_dwords(gcn::info(i.opcode).destination);
    Id offset = i.immediate_offset ? graph_.constant(static_cast<u32>(i.immediate))
                                   : graph_.make(Op::And, {word(i, i.sources[1]), graph_.constant(~3u)});
    const bool before = i.immediate_offset && i.immediate < 0;  // the address, which buffers have not
    if (before && from_buffer) return not_lifted(i);
    if (before) offset = graph_.constant(0);
    if (i.scalar_offset) offset = graph_.make(Op::Add, {offset, word(i, i.sources[1])});
    Ids args{graph_.boolean(true), offset};
    for (u32 n = 0; n < (from_buffer ? 4u : 2u); ++n) args.push_back(read_scalar(i.resource + n));
    if (before) {
      const Id base = graph_.make(Op::Join, {args[2], args[3]});
      const Id address = graph_.make(Op::Add64, {base, graph_.constant64(static_cast<u64>(i64{i.immediate}))});
      args[2] = graph_.make(Op::Low, {address});
      args[3] = graph_.make(Op::High, {address});
    }
    const Id load =
        effect(Op::Load, {.room = Room::Scalar, .components = static_cast<u8>(components)}, std::move(args));
    for (u32 n = 0; n < components; ++n) {
      if (i.destination + n >= 104 && i.destination + n != kVcc && i.destination + n != kVcc + 1) return not_lifted(i);
      set_word(i.destination + n, loaded(load, n, components));
    }
  }
  // Whether a load is of memory that may change: it goes past the first cache. What is read once goes past the second
  // too.
  static bool reads_anew(const Instruction& i) { return i.glc && !i.slc; }
  // Arguments of an access through a buffer descriptor: enabled, offset, index, four words.
  Ids buffer_place(const Instruction& i) {
    if (i.tfe || i.lds) not_lifted(i);
    Id offset = graph_.make(Op::Add, {word(i, i.sources[1]), graph_.constant(i.offset0)});
    Id index = graph_.constant(0), high = kNone;
    u32 next = i.address;
    if (i.addr64) {
      const Id low = read_vector(next);
      high = read_vector(next + 1u);
      const Id address = graph_.make(
          Op::Add64, {graph_.make(Op::Join, {low, high}), graph_.make(Op::Join, {offset, graph_.constant(0)})});
      offset = address;
    } else {
      if (i.idxen) index = read_vector(next++);
      if (i.offen) offset = graph_.make(Op::Add, {read_vector(next), offset});
    }
    Ids args{exec(), offset, index};
    for (u32 n = 0; n < 4; ++n) args.push_back(read_scalar(i.resource + n));
    return args;
  }
  // Of scratch memory that variables are.
  void set_private(u32 place, u32 bytes, Id value) {
    const u32 variable = private_.at(place / 4), shift = place % 4 * 8;
    if (bytes < 4) {
      const u32 mask = ((1u << 8 * bytes) - 1) << shift;
      const Id rest = graph_.make(Op::And, {read(variable), graph_.constant(~mask)});
      const Id part =
          graph_.make(Op::And, {graph_.make(Op::Shl, {value, graph_.constant(shift)}), graph_.constant(mask)});
      value = graph_.make(Op::Or, {rest, part});
    }
    write_for(exec(), variable, value);
  }
  Id private_value(u32 place, u32 bytes, bool is_signed) {
    const Id word = read(private_.at(place / 4));
    if (bytes == 4) return word;
    const Id high = graph_.make(Op::Shl, {word, graph_.constant(32 - 8 * bytes - place % 4 * 8)});
    return graph_.make(is_signed ? Op::Sar : Op::Shr, {high, graph_.constant(32 - 8 * bytes)});
  }
  void buffer(const Instruction& i, const Memory& row) {
    Access what{.room = i.addr64 ? Room::Flat : Room::Uav,
                .bytes = row.bytes,
                .components = row.components,
                .is_signed = row.is_signed,
                .is_volatile = !row.store && reads_anew(i)};
    if (row.bytes == 0) {  // MTBUF: formats whose elements are moved as they are
      struct DataFormat {
        u8 number, components, bytes;
      };
      constexpr DataFormat kFormats[] = {{1, 1, 1},  {2, 1, 2},  {3, 2, 1},  {4, 1, 4},  {5, 2, 2},
                                         {10, 4, 1}, {11, 2, 4}, {12, 4, 2}, {13, 3, 4}, {14, 4, 4}};
      const auto format = std::ranges::find(kFormats, i.data_format, &DataFormat::number);
      constexpr u32 kUint = 4, kSint = 5, kFloat = 7;
      const bool whole = i.number_format == kUint || i.number_format == kSint;
      if (format == std::end(kFormats) || format->components != row.components ||
          (!whole && (format->bytes != 4 || i.number_format != kFloat)))
        return not_lifted(i);
      what.bytes = format->bytes;
      what.is_signed = format->bytes != 4 && i.number_format == kSint;
      if (format->bytes != 4 && row.components > 1) return not_lifted(i);
    }
    const auto& places = source_.decoder.private_places();
    const auto known = places.find(i.offset);
    Ids args;
    if (known == places.end()) args = buffer_place(i);
    if (row.store) {
      for (u32 n = 0; n < what.components; ++n) {
        Id value = read_vector(i.data + n);
        // A format of fewer bits saturates, where buffer_store_byte takes the low ones.
        if (row.bytes == 0 && what.bytes < 4) {
          const u32 bits = 8u * what.bytes;
          if (what.is_signed)
            value = graph_.make(Op::MaxI, {graph_.make(Op::MinI, {value, graph_.constant((1u << (bits - 1)) - 1)}),
                                           graph_.constant(~0u << (bits - 1))});
          else
            value = graph_.make(Op::MinU, {value, graph_.constant((1u << bits) - 1)});
        }
        args.push_back(value);
      }
      if (known != places.end())
        for (u32 n = 0; n < what.components; ++n) set_private(known->second + n * what.bytes, what.bytes, args[n]);
      else
        effect(Op::Store, what, std::move(args));
      return;
    }
    if (known != places.end()) {
      for (u32 n = 0; n < what.components; ++n)
        set_vector(i.data + n, private_value(known->second + n * what.bytes, what.bytes, what.is_signed));
      return;
    }
    const Id load = effect(Op::Load, what, std::move(args));
    for (u32 n = 0; n < what.components; ++n) set_vector(i.data + n, loaded(load, n, what.components));
  }
  Id flat_address(const Instruction& i) {
    if (i.tfe || i.lds) not_lifted(i);
    // From GFX9 on there is an offset, and global memory may be addressed by a scalar pair and 32 bits.
    const Id distance = graph_.constant64(static_cast<u64>(i64{i.immediate}));
    if (i.format == Format::Global && i.resource != gcn::no_scalar_address(source_.generation)) {
      const Id base = graph_.make(Op::Join, {read_scalar(i.resource), read_scalar(i.resource + 1u)});
      const Id offset = graph_.make(Op::Join, {read_vector(i.address), graph_.constant(0)});
      return graph_.make(Op::Add64, {graph_.make(Op::Add64, {base, offset}), distance});
    }
    const Id low = read_vector(i.address), high = read_vector(i.address + 1u);
    return graph_.make(Op::Add64, {graph_.make(Op::Join, {low, high}), distance});
  }
  void half_memory(const Instruction& i, const HalfMemory& row) {
    Access what{.room = Room::Generic,
                .bytes = row.bytes,
                .is_signed = row.is_signed,
                .is_volatile = !row.store && reads_anew(i)};
    Ids args;
    u32 destination = i.destination;
    if (i.format == Format::Ds) {
      what.room = share_room(i);
      args = share_place(i, i.offset0 | i.offset1 << 8);
    } else if (i.format == Format::Mubuf) {
      what.room = i.addr64 ? Room::Flat : Room::Uav;
      args = buffer_place(i);
      destination = i.data;
    } else {
      args = {exec(), flat_address(i)};
    }
    const u32 shift = row.high ? 16 : 0;
    if (row.store) {
      args.push_back(graph_.make(Op::Shr, {read_vector(i.data), graph_.constant(shift)}));
      effect(Op::Store, what, std::move(args));
      return;
    }
    const Id value = graph_.make(Op::And, {effect(Op::Load, what, std::move(args)), graph_.constant(0xffff)});
    const Id kept = graph_.make(Op::And, {read_vector(destination), graph_.constant(0xffffu << (16 - shift))});
    set_vector(destination, graph_.make(Op::Or, {kept, graph_.make(Op::Shl, {value, graph_.constant(shift)})}));
  }
  void flat(const Instruction& i, const Memory& row) {
    const Access what{.room = Room::Generic,
                      .bytes = row.bytes,
                      .components = row.components,
                      .is_signed = row.is_signed,
                      .is_volatile = !row.store && reads_anew(i)};
    Ids args{exec(), flat_address(i)};
    if (row.store) {
      for (u32 n = 0; n < what.components; ++n) args.push_back(read_vector(i.data + n));
      effect(Op::Store, what, std::move(args));
      return;
    }
    const Id load = effect(Op::Load, what, std::move(args));
    for (u32 n = 0; n < what.components; ++n) set_vector(i.destination + n, loaded(load, n, what.components));
  }
  static Room share_room(const Instruction& i) { return i.gds ? Room::Gds : Room::Local; }
  // Enabled lanes and byte address of an instruction of local memory or GDS; of the latter the range too.
  Ids share_place(const Instruction& i, u32 by) {
    Ids out{exec(), graph_.make(Op::Add, {read_vector(i.address), graph_.constant(by)})};
    if (i.gds) out.push_back(read(kM0));
    return out;
  }
  // Adds the number of enabled lanes to a place, or takes it away, once for all of them, who get what was there. Of
  // local memory M0 has the address, as LLVM's compiler has it. [VEGA: «DS_APPEND», «DS_CONSUME»]
  void count_enabled(const Instruction& i) {
    const auto lanes = [&](bool below) {  // that are enabled, or those of them before one
      Ids halves;
      for (u32 n = 0; n < 2; ++n) {
        Id word = graph_.make(Op::MaskWord, {exec()}, n);
        if (below) word = graph_.make(Op::And, {word, graph_.make(Op::LanesBelow, {}, n)});
        halves.push_back(graph_.make(Op::PopCount, {word}));
      }
      return graph_.make(Op::Add, std::move(halves));
    };
    const Id first = graph_.make(Op::EqU, {lanes(true), graph_.constant(0)});
    Id place = graph_.constant(i.offset0 | i.offset1 << 8);
    if (!i.gds) place = graph_.make(Op::Add, {graph_.make(Op::And, {read(kM0), graph_.constant(0xffff)}), place});
    Ids args{graph_.make(Op::BoolAnd, {exec(), first}, 0, block_), place};
    if (i.gds) args.push_back(read(kM0));
    args.push_back(lanes(false));
    const Id old = effect(Op::Atomic, {.room = share_room(i), .atomic = i.opcode == Opcode::ds_append ? "add" : "sub"},
                          std::move(args));
    set_vector(i.destination, graph_.make(Op::FirstLane, {exec(), old}, 0, block_));
  }
  void local(const Instruction& i, const LocalMemory& row) {
    const Access what{
        .room = share_room(i), .bytes = row.bytes, .components = row.components, .is_signed = row.is_signed};
    std::array<Id, 2> loads{};
    const u32 accesses = row.pair != 0 ? 2 : 1;
    for (u32 n = 0; n < accesses; ++n) {
      const u32 by = row.pair == 0 ? i.offset0 | i.offset1 << 8 : (n == 0 ? i.offset0 : i.offset1) * row.pair;
      Ids args = share_place(i, by);
      if (row.store)
        for (u32 k = 0; k < row.components; ++k) args.push_back(read_vector((n == 0 ? i.data : i.data1) + k));
      loads[n] = effect(row.store ? Op::Store : Op::Load, what, std::move(args));
    }
    if (!row.store)
      for (u32 n = 0; n < accesses; ++n)
        for (u32 k = 0; k < row.components; ++k)
          set_vector(i.destination + n * row.components + k, loaded(loads[n], k, row.components));
  }
  // Arguments: enabled, words of the address, eight of the image's descriptor, four of the sampler's, data.
  void image(const Instruction& i, const ImageRow& row) {
    constexpr u32 kComponents = 4;
    if (i.tfe || i.lwe || (i.r128 && !has_short_address(i, source_.generation)) || i.mask == 0 || (i.d16 && row.size))
      return not_lifted(i);
    const u32 words = (row.size ? 0 : most_coordinates(source_)) + (row.level ? 1 : 0);
    const Access what{.room = Room::Image,
                      .components = kComponents,
                      .image = {.coordinates = static_cast<u8>(words),
                                .level = row.level,
                                .sampled = row.sampled,
                                .array = i.da,
                                .unnormalized = row.sampled && i.unorm,
                                .size = row.size}};
    Ids args{exec()};
    // As many as an image may have coordinates: of one with fewer, registers behind are not used.
    for (u32 n = 0; n < words; ++n) args.push_back(address_part(i, n, row.sampled));
    for (u32 n = 0; n < 8; ++n) args.push_back(read_scalar(i.resource + n));
    for (u32 n = 0; row.sampled && n < 4; ++n) args.push_back(read_scalar(i.sampler + n));
    // Components that are not given are 0: LLVM leaves out those that are. [VEGA: «VGPR Usage», writes of image
    // objects; LLVM: GCNSubtarget::hasDefaultComponentZero]
    for (u32 component = 0, n = 0; row.store && component < kComponents; ++component)
      args.push_back((i.mask >> component & 1) != 0 ? texel_part(i, n++) : graph_.constant(0));
    const Id id = effect(row.store ? Op::Store : Op::Load, what, std::move(args));
    if (row.store) return;
    Ids parts;
    for (u32 component = 0; component < kComponents; ++component)
      if ((i.mask >> component & 1) != 0) parts.push_back(loaded(id, component, kComponents));
    if (i.d16)
      for (Id& part : parts) part = half_bits(without_clamp(i), part);
    const u32 together = i.d16 && packs_halves(i) ? 2 : 1;
    for (u32 n = 0; n < parts.size(); n += together) {
      const bool two = together == 2 && n + 1 < parts.size();
      set_vector(i.data + n / together,
                 two ? graph_.make(Op::Or, {parts[n], graph_.make(Op::Shl, {parts[n + 1], graph_.constant(16)})})
                     : parts[n]);
    }
  }
  // Part `n` of an image's address: a whole number, or a float of what is sampled.
  Id address_part(const Instruction& i, u32 n, bool sampled) {
    const bool narrow = has_short_address(i, source_.generation);
    const u32 at = i.address + (narrow ? n / 2 : n);
    if (at >= kVectorCount) return graph_.make(Op::Undefined);
    const Id word = read_vector(at);
    if (!narrow) return word;
    const Id half = n % 2 == 0 ? graph_.make(Op::And, {word, graph_.constant(0xffff)})
                               : graph_.make(Op::Shr, {word, graph_.constant(16)});
    return sampled ? graph_.make(Op::FloatOfHalf, {half}) : half;
  }
  // With D16 the components are floats of 16 bits, the only such texels of OpenCL C (read_imageh). From GFX9 on, and on
  // gfx810, two stand in a register. [LLVM: FeatureUnpackedD16VMem]
  bool packs_halves(const Instruction& i) const {
    if (source_.generation == gcn::Generation::Gfx9) return true;
    const Target* const target = source_.program.target;
    return target != nullptr && gcn::decode(source_.code, i.offset, *target).packed_halves;
  }
  // Of those that an instruction stores: number n.
  Id texel_part(const Instruction& i, u32 n) {
    if (!i.d16) return read_vector(i.data + n);
    if (!packs_halves(i)) return graph_.make(Op::FloatOfHalf, {read_vector(i.data + n)});
    const Id both = read_vector(i.data + n / 2);
    return graph_.make(Op::FloatOfHalf, {n % 2 == 0 ? both : graph_.make(Op::Shr, {both, graph_.constant(16)})});
  }
  void formatted(const Instruction& i, const FormatRow& row) {
    constexpr u32 kComponents = 4;
    const bool plain = i.idxen && !i.offen && !i.addr64 && i.offset0 == 0 && graph_.value(word(i, i.sources[1])) == 0u;
    if (!plain || i.tfe || i.lds || i.d16) return not_lifted(i);
    const Access what{.room = Room::Image, .components = kComponents, .image = {.coordinates = 1, .buffer = true}};
    Ids args{exec(), read_vector(i.address)};
    for (u32 n = 0; n < 4; ++n) args.push_back(read_scalar(i.resource + n));
    for (u32 n = 0; row.store && n < kComponents; ++n)
      args.push_back(n < row.components ? read_vector(i.data + n) : graph_.constant(0));  // as above
    const Id id = effect(row.store ? Op::Store : Op::Load, what, std::move(args));
    for (u32 n = 0; !row.store && n < row.components; ++n) set_vector(i.data + n, loaded(id, n, kComponents));
  }
  void atomic(const Instruction& i, const AtomicMemory& row) {
    const bool lds = i.format == Format::Ds, generic = i.format == Format::Flat || i.format == Format::Global,
               returns = lds ? row.returns : i.glc;
    const Access what{.room = lds        ? share_room(i)
                              : generic  ? Room::Generic
                              : i.addr64 ? Room::Flat
                                         : Room::Uav,
                      .bytes = row.bytes,
                      .is_signed = row.is_signed,
                      .atomic = row.name};
    Ids args;
    if (lds)
      args = share_place(i, i.offset0 | i.offset1 << 8);
    else if (generic)
      args = {exec(), flat_address(i)};
    else
      args = buffer_place(i);
    const auto data = [&](u32 n) {
      if (row.bytes == 4) return read_vector(i.data + n);
      return graph_.make(Op::Join, {read_vector(i.data + 2 * n), read_vector(i.data + 2 * n + 1)});
    };
    args.push_back(data(0));
    if (row.name == "cmpxchg") {
      // The value to compare with, then the new one. A buffer has them the other way round.
      if (lds && row.bytes == 8)
        args.push_back(graph_.make(Op::Join, {read_vector(i.data1), read_vector(i.data1 + 1)}));
      else if (lds)
        args.push_back(read_vector(i.data1));
      else
        args.insert(args.end() - 1, data(1));
    }
    const Id old = effect(Op::Atomic, what, std::move(args));
    const u32 to = lds || generic ? i.destination : i.data;
    if (returns && row.bytes == 8) {
      set_vector(to, graph_.make(Op::Low, {old}));
      set_vector(to + 1, graph_.make(Op::High, {old}));
    } else if (returns) {
      set_vector(to, old);
    }
  }

  const Source& source_;
  bool by_path_;
  const Flow& flow_;
  Graph& graph_;
  std::vector<std::vector<u32>> instructions_;  // by block
  std::vector<Id> defined_;
  std::vector<bool> filled_;
  std::map<u32, const CodeRelocation*> relocated_;  // words that a loader sets to addresses, by offset
  std::map<std::pair<u32, u32>, u32> put_away_;  // lanes of vector registers that hold scalars, numbered
  struct Slot {
    u32 first = 0;  // variable
    std::map<u32, u32> lanes;  // that are followed, and their variables
  };
  std::vector<Slot> slots_;
  std::map<u32, u32> private_;  // variables, by word of scratch memory
  std::set<u32> slot_firsts_;
  std::size_t slot_variables_ = 0;
  u32 variables_ = kVariables;
  Id written_ = kNone;  // lanes that an instruction with DPP writes
  u32 chosen_ = 0;  // registers that indices may choose, of all instructions
  u32 relative_ = 0;  // bits of the operands of vector instructions that `index_` is added to
  Id index_ = kNone;
  bool literal_relocated_ = false;  // the instruction's literal is one of them, and was read as such
  std::vector<std::pair<Id, u32>> open_;  // phis without arguments yet
  u32 block_ = 0, offset_ = 0;
  bool flush_ = false;  // denormal floats are zeros now
};

}  // namespace

bool turns_lanes(const Source& source) {
  for (const gcn::Block& block : source.decoder.flow().blocks)
    if (std::ranges::any_of(block.instructions, [&](u32 offset) { return turns(source.decoder.at(offset)); }))
      return true;
  return false;
}

Graph build(const Source& source, bool by_path, const Flow& flow, u32& instructions) {
  Graph graph;
  graph.budget = source.budget();
  graph.required = source.kernel.limits.required_group_size;
  graph.keep_writes = !by_path;
  instructions = Builder(source, by_path, flow, graph).run();
  if (!graph.refusal) graph.compact();
  return graph;
}

}  // namespace amdcompat::lift
