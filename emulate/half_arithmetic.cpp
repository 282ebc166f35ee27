// Arithmetic of 16 bits, which GFX8 brought: VOP2, VOP1, VOP3, VOPC. [VIA: instruction chapter, the section of each
// format]
//
// Results are rounded once, from double precision, in which sums and products of halves are exact; those of v_sin_f16,
// v_cos_f16, v_exp_f16 and v_log_f16 are the host's. The upper half of the destination becomes zero.
#include "arithmetic.hpp"
#include "conditions.hpp"

namespace amdcompat::emulate {
namespace {

u16 low16(i32 value) { return static_cast<u16>(value); }

template <class To>
To saturated(Half value) {  // toward zero; NaN gives 0
  if (std::isnan(value.value)) return 0;
  return static_cast<To>(
      std::clamp<double>(value.value, std::numeric_limits<To>::min(), std::numeric_limits<To>::max()));
}

// With a NaN the least of the three, as of floats.
double middle(double a, double b, double c) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c)) return least(least(a, b), c);
  return median(a, b, c);
}
// NaNs keep their bits.
u32 packed_bits(Half value) { return value.value == 0 ? value.bits & 0x8000 : value.bits; }

// The product is rounded before the sum.
Half half_multiply_add(double a, double b, double c) { return {rounded(a * b).value + c}; }

// --- comparisons ---------------------------------------------------------------------------------------------------

template <Is Condition, class T>
inline constexpr Semantics cmp = vector([](T a, T b) -> bool { return holds<Condition>(a, b); });
template <Is Condition, class T>
inline constexpr Semantics cmpx = vector_exec([](T a, T b) -> bool { return holds<Condition>(a, b); });
template <Is Condition>
inline constexpr Semantics cmp_half = vector([](Half a, Half b) -> bool { return holds<Condition>(a.value, b.value); });
template <Is Condition>
inline constexpr Semantics cmpx_half =
    vector_exec([](Half a, Half b) -> bool { return holds<Condition>(a.value, b.value); });

// As for floats: see v_cmp_class_f32.
bool in_class(u32 bits, u32 mask) {
  const u32 exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
  if (exponent == 31 && mantissa != 0) return (mask >> (mantissa >> 9) & 1) != 0;
  const u32 kind = exponent == 31 ? 0 : exponent != 0 ? 1 : mantissa != 0 ? 2 : 3;
  return (mask >> ((bits & 0x8000) != 0 ? 2 + kind : 9 - kind) & 1) != 0;
}
// `bits` are those before denormals are flushed.
constexpr auto kInClass = [](Half value, u32 mask) -> bool { return in_class(value.bits, mask); };

// --- the table -----------------------------------------------------------------------------------------------------

// clang-format off
constexpr Row kHalfArithmeticRows[] = {
    {Opcode::v_add_f16, vector([](Half a, Half b) -> Half { return {a.value + b.value}; })},
    {Opcode::v_sub_f16, vector([](Half a, Half b) -> Half { return {a.value - b.value}; })},
    {Opcode::v_subrev_f16, vector([](Half a, Half b) -> Half { return {b.value - a.value}; })},
    {Opcode::v_mul_f16, vector([](Half a, Half b) -> Half { return {a.value * b.value}; })},
    {Opcode::v_mac_f16, vector_keeping([](Half a, Half b, Old<Half> d) -> Half { return half_multiply_add(a.value, b.value, d.value.value); })},
    {Opcode::v_madmk_f16, vector_keeping([](Half a, HalfLiteral k, Half b) -> Half { return half_multiply_add(a.value, k.value, b.value); })},
    {Opcode::v_madak_f16, vector_keeping([](Half a, Half b, HalfLiteral k) -> Half { return half_multiply_add(a.value, b.value, k.value); })},
    {Opcode::v_add_u16, vector([](u16 a, u16 b) -> Saturated<u16> { return {a + b}; })},
    {Opcode::v_sub_u16, vector([](u16 a, u16 b) -> Saturated<u16> { return {a - b}; })},
    {Opcode::v_subrev_u16, vector([](u16 a, u16 b) -> Saturated<u16> { return {b - a}; })},
    {Opcode::v_mul_lo_u16, vector([](u16 a, u16 b) -> u16 { return static_cast<u16>(u32{a} * b); })},
    {Opcode::v_lshlrev_b16, vector([](u16 a, u16 b) -> u16 { return low16(b << (a & 15)); })},
    {Opcode::v_lshrrev_b16, vector([](u16 a, u16 b) -> u16 { return low16(b >> (a & 15)); })},
    {Opcode::v_ashrrev_i16, vector([](u16 a, i16 b) -> u16 { return low16(b >> (a & 15)); })},
    {Opcode::v_max_f16, vector_quieting([](Half a, Half b) -> Half { return {most(a.value, b.value)}; })},
    {Opcode::v_min_f16, vector_quieting([](Half a, Half b) -> Half { return {least(a.value, b.value)}; })},
    {Opcode::v_max_u16, vector([](u16 a, u16 b) -> u16 { return std::max(a, b); })},
    {Opcode::v_max_i16, vector([](i16 a, i16 b) -> i16 { return std::max(a, b); })},
    {Opcode::v_min_u16, vector([](u16 a, u16 b) -> u16 { return std::min(a, b); })},
    {Opcode::v_min_i16, vector([](i16 a, i16 b) -> i16 { return std::min(a, b); })},
    {Opcode::v_ldexp_f16, vector([](Half a, i16 b) -> Half { return {std::ldexp(a.value, b)}; })},

    // On GFX6 and GFX7 too.
    {Opcode::v_cvt_f32_f16, vector([](Half a) -> float { return static_cast<float>(a.value); })},
    {Opcode::v_cvt_f16_u16, vector([](u16 a) -> Half { return {static_cast<double>(a)}; })},
    {Opcode::v_cvt_f16_i16, vector([](i16 a) -> Half { return {static_cast<double>(a)}; })},
    {Opcode::v_cvt_u16_f16, vector([](Half a) -> u16 { return saturated<u16>(a); })},
    {Opcode::v_cvt_i16_f16, vector([](Half a) -> i16 { return saturated<i16>(a); })},
    {Opcode::v_rcp_f16, vector([](Half a) -> Half { return {1 / a.value}; })},
    {Opcode::v_sqrt_f16, vector([](Half a) -> Half { return {std::sqrt(a.value)}; })},
    {Opcode::v_rsq_f16, vector([](Half a) -> Half { return {1 / std::sqrt(a.value)}; })},
    {Opcode::v_log_f16, vector([](Half a) -> Half { return {std::log2(a.value)}; })},
    {Opcode::v_exp_f16, vector([](Half a) -> Half { return {std::exp2(a.value)}; })},
    {Opcode::v_frexp_mant_f16, vector([](Half a) -> Half { return {mantissa_of(a.value)}; })},
    {Opcode::v_frexp_exp_i16_f16, vector([](Half a) -> u16 { return static_cast<u16>(exponent_plus_one(a.value)); })},
    {Opcode::v_floor_f16, vector([](Half a) -> Half { return {std::floor(a.value)}; })},
    {Opcode::v_ceil_f16, vector([](Half a) -> Half { return {std::ceil(a.value)}; })},
    {Opcode::v_trunc_f16, vector([](Half a) -> Half { return {std::trunc(a.value)}; })},
    {Opcode::v_rndne_f16, vector([](Half a) -> Half { return {std::nearbyint(a.value)}; })},
    // The largest half below 1, where the documents speak of longer floats only: not verified.
    {Opcode::v_fract_f16, vector([](Half a) -> Half { return {std::min(a.value - std::floor(a.value), 0x1.ffcp-1)}; })},
    {Opcode::v_sin_f16, vector([](Half a) -> Half { return {sine(a.value)}; })},
    {Opcode::v_cos_f16, vector([](Half a) -> Half { return {cosine(a.value)}; })},

    {Opcode::v_mad_f16, vector_keeping([](Half a, Half b, Half c) -> Half { return half_multiply_add(a.value, b.value, c.value); })},
    {Opcode::v_mad_u16, vector_keeping([](u16 a, u16 b, u16 c) -> Saturated<u16> { return {i64{a} * b + c}; })},
    {Opcode::v_mad_i16, vector_keeping([](i16 a, i16 b, i16 c) -> Saturated<i16> { return {i64{a} * b + c}; })},
    // As long as the sum has no more than 53 bits a double holds it, and where it has more the rest is far from a tie.
    {Opcode::v_fma_f16, vector_keeping([](Half a, Half b, Half c) -> Half { return {a.value * b.value + c.value}; })},
    {Opcode::v_div_fixup_f16, vector_keeping([](Half a, Half b, Half c) -> Half { return {divide_fixup(a.value, b.value, c.value)}; })},

    // GFX9, where those of GFX8 are called legacy.
    {Opcode::v_mad_legacy_f16, vector([](Half a, Half b, Half c) -> Half { return half_multiply_add(a.value, b.value, c.value); })},
    {Opcode::v_mad_legacy_u16, vector([](u16 a, u16 b, u16 c) -> Saturated<u16> { return {i64{a} * b + c}; })},
    {Opcode::v_mad_legacy_i16, vector([](i16 a, i16 b, i16 c) -> Saturated<i16> { return {i64{a} * b + c}; })},
    {Opcode::v_fma_legacy_f16, vector([](Half a, Half b, Half c) -> Half { return {a.value * b.value + c.value}; })},
    {Opcode::v_div_fixup_legacy_f16, vector([](Half a, Half b, Half c) -> Half { return {divide_fixup(a.value, b.value, c.value)}; })},
    {Opcode::v_add_i16, vector([](i16 a, i16 b) -> Saturated<i16> { return {a + b}; })},
    {Opcode::v_sub_i16, vector([](i16 a, i16 b) -> Saturated<i16> { return {a - b}; })},
    {Opcode::v_mad_u32_u16, vector([](u16 a, u16 b, u32 c) -> Saturated<u32> { return {i64{a} * b + c}; })},
    {Opcode::v_mad_i32_i16, vector([](i16 a, i16 b, i32 c) -> Saturated<i32> { return {i64{a} * b + c}; })},
    {Opcode::v_min3_f16, vector([](Half a, Half b, Half c) -> Half { return {least(least(a.value, b.value), c.value)}; })},
    {Opcode::v_max3_f16, vector([](Half a, Half b, Half c) -> Half { return {most(most(a.value, b.value), c.value)}; })},
    {Opcode::v_med3_f16, vector([](Half a, Half b, Half c) -> Half { return {middle(a.value, b.value, c.value)}; })},
    {Opcode::v_min3_i16, vector([](i16 a, i16 b, i16 c) -> i16 { return std::min({a, b, c}); })},
    {Opcode::v_max3_i16, vector([](i16 a, i16 b, i16 c) -> i16 { return std::max({a, b, c}); })},
    {Opcode::v_med3_i16, vector([](i16 a, i16 b, i16 c) -> i16 { return median(a, b, c); })},
    {Opcode::v_min3_u16, vector([](u16 a, u16 b, u16 c) -> u16 { return std::min({a, b, c}); })},
    {Opcode::v_max3_u16, vector([](u16 a, u16 b, u16 c) -> u16 { return std::max({a, b, c}); })},
    {Opcode::v_med3_u16, vector([](u16 a, u16 b, u16 c) -> u16 { return median(a, b, c); })},
    {Opcode::v_pack_b32_f16, vector([](Half a, Half b) -> u32 { return packed_bits(a) | packed_bits(b) << 16; })},
    {Opcode::v_cvt_norm_i16_f16, vector([](Half a) -> u32 { return normalized(static_cast<float>(a.value), 32767.0f, true); })},
    {Opcode::v_cvt_norm_u16_f16, vector([](Half a) -> u32 { return normalized(static_cast<float>(a.value), 65535.0f, false); })},
    {Opcode::v_cvt_pknorm_i16_f16, vector([](Half a, Half b) -> u32 {
      return normalized(static_cast<float>(a.value), 32767.0f, true) | normalized(static_cast<float>(b.value), 32767.0f, true) << 16; })},
    {Opcode::v_cvt_pknorm_u16_f16, vector([](Half a, Half b) -> u32 {
      return normalized(static_cast<float>(a.value), 65535.0f, false) | normalized(static_cast<float>(b.value), 65535.0f, false) << 16; })},

    {Opcode::v_cmp_class_f16, vector(kInClass)},
    {Opcode::v_cmpx_class_f16, vector_exec(kInClass)},
    {Opcode::v_cmp_f_f16, cmp_half<Is::Never>},
    {Opcode::v_cmp_lt_f16, cmp_half<Is::Less>},
    {Opcode::v_cmp_eq_f16, cmp_half<Is::Equal>},
    {Opcode::v_cmp_le_f16, cmp_half<Is::LessEqual>},
    {Opcode::v_cmp_gt_f16, cmp_half<Is::Greater>},
    {Opcode::v_cmp_lg_f16, cmp_half<Is::LessGreater>},
    {Opcode::v_cmp_ge_f16, cmp_half<Is::GreaterEqual>},
    {Opcode::v_cmp_o_f16, cmp_half<Is::Ordered>},
    {Opcode::v_cmp_u_f16, cmp_half<Is::Unordered>},
    {Opcode::v_cmp_nge_f16, cmp_half<Is::NotGreaterEqual>},
    {Opcode::v_cmp_nlg_f16, cmp_half<Is::NotLessGreater>},
    {Opcode::v_cmp_ngt_f16, cmp_half<Is::NotGreater>},
    {Opcode::v_cmp_nle_f16, cmp_half<Is::NotLessEqual>},
    {Opcode::v_cmp_neq_f16, cmp_half<Is::NotEqual>},
    {Opcode::v_cmp_nlt_f16, cmp_half<Is::NotLess>},
    {Opcode::v_cmp_tru_f16, cmp_half<Is::Always>},
    {Opcode::v_cmpx_f_f16, cmpx_half<Is::Never>},
    {Opcode::v_cmpx_lt_f16, cmpx_half<Is::Less>},
    {Opcode::v_cmpx_eq_f16, cmpx_half<Is::Equal>},
    {Opcode::v_cmpx_le_f16, cmpx_half<Is::LessEqual>},
    {Opcode::v_cmpx_gt_f16, cmpx_half<Is::Greater>},
    {Opcode::v_cmpx_lg_f16, cmpx_half<Is::LessGreater>},
    {Opcode::v_cmpx_ge_f16, cmpx_half<Is::GreaterEqual>},
    {Opcode::v_cmpx_o_f16, cmpx_half<Is::Ordered>},
    {Opcode::v_cmpx_u_f16, cmpx_half<Is::Unordered>},
    {Opcode::v_cmpx_nge_f16, cmpx_half<Is::NotGreaterEqual>},
    {Opcode::v_cmpx_nlg_f16, cmpx_half<Is::NotLessGreater>},
    {Opcode::v_cmpx_ngt_f16, cmpx_half<Is::NotGreater>},
    {Opcode::v_cmpx_nle_f16, cmpx_half<Is::NotLessEqual>},
    {Opcode::v_cmpx_neq_f16, cmpx_half<Is::NotEqual>},
    {Opcode::v_cmpx_nlt_f16, cmpx_half<Is::NotLess>},
    {Opcode::v_cmpx_tru_f16, cmpx_half<Is::Always>},
    {Opcode::v_cmp_f_i16, cmp<Is::Never, i16>},
    {Opcode::v_cmp_lt_i16, cmp<Is::Less, i16>},
    {Opcode::v_cmp_eq_i16, cmp<Is::Equal, i16>},
    {Opcode::v_cmp_le_i16, cmp<Is::LessEqual, i16>},
    {Opcode::v_cmp_gt_i16, cmp<Is::Greater, i16>},
    {Opcode::v_cmp_ne_i16, cmp<Is::NotEqual, i16>},
    {Opcode::v_cmp_ge_i16, cmp<Is::GreaterEqual, i16>},
    {Opcode::v_cmp_t_i16, cmp<Is::Always, i16>},
    {Opcode::v_cmpx_f_i16, cmpx<Is::Never, i16>},
    {Opcode::v_cmpx_lt_i16, cmpx<Is::Less, i16>},
    {Opcode::v_cmpx_eq_i16, cmpx<Is::Equal, i16>},
    {Opcode::v_cmpx_le_i16, cmpx<Is::LessEqual, i16>},
    {Opcode::v_cmpx_gt_i16, cmpx<Is::Greater, i16>},
    {Opcode::v_cmpx_ne_i16, cmpx<Is::NotEqual, i16>},
    {Opcode::v_cmpx_ge_i16, cmpx<Is::GreaterEqual, i16>},
    {Opcode::v_cmpx_t_i16, cmpx<Is::Always, i16>},
    {Opcode::v_cmp_f_u16, cmp<Is::Never, u16>},
    {Opcode::v_cmp_lt_u16, cmp<Is::Less, u16>},
    {Opcode::v_cmp_eq_u16, cmp<Is::Equal, u16>},
    {Opcode::v_cmp_le_u16, cmp<Is::LessEqual, u16>},
    {Opcode::v_cmp_gt_u16, cmp<Is::Greater, u16>},
    {Opcode::v_cmp_ne_u16, cmp<Is::NotEqual, u16>},
    {Opcode::v_cmp_ge_u16, cmp<Is::GreaterEqual, u16>},
    {Opcode::v_cmp_t_u16, cmp<Is::Always, u16>},
    {Opcode::v_cmpx_f_u16, cmpx<Is::Never, u16>},
    {Opcode::v_cmpx_lt_u16, cmpx<Is::Less, u16>},
    {Opcode::v_cmpx_eq_u16, cmpx<Is::Equal, u16>},
    {Opcode::v_cmpx_le_u16, cmpx<Is::LessEqual, u16>},
    {Opcode::v_cmpx_gt_u16, cmpx<Is::Greater, u16>},
    {Opcode::v_cmpx_ne_u16, cmpx<Is::NotEqual, u16>},
    {Opcode::v_cmpx_ge_u16, cmpx<Is::GreaterEqual, u16>},
    {Opcode::v_cmpx_t_u16, cmpx<Is::Always, u16>},
};
// clang-format on
static_assert(first_missing(Room::Half, kHalfArithmeticRows) == Opcode::none);

}  // namespace

std::span<const Row> half_rows() { return kHalfArithmeticRows; }

}  // namespace amdcompat::emulate
