// Vector comparisons: VOPC, the largest family and the most regular one. [SIA; CIA; VIA: VOPC]
//
// v_cmp writes a bit for each enabled lane and 0 for the others; v_cmpx writes the mask to EXEC as well. v_cmps and
// v_cmpsx also signal NaNs, which has no effect without exceptions.
#include "conditions.hpp"

namespace amdcompat::emulate {
namespace {

template <Is Condition, class T>
inline constexpr Semantics cmp = vector([](T a, T b) -> bool { return holds<Condition>(a, b); });
template <Is Condition, class T>
inline constexpr Semantics cmpx = vector_exec([](T a, T b) -> bool { return holds<Condition>(a, b); });

// The bits of `mask` name classes: 0 signaling NaN, 1 quiet NaN, 2 -infinity, 3 -normal, 4 -denormal, 5 -0, 6 +0,
// 7 +denormal, 8 +normal, 9 +infinity. Denormals are seen as such, whatever the mode.
template <class T>
bool in_class(BitsOf<T> bits, u32 mask) {
  constexpr u32 kMantissa = sizeof(T) == 8 ? 52 : 23;
  const T value = std::bit_cast<T>(bits);
  u32 kind = 0;
  switch (std::fpclassify(value)) {
    case FP_NAN: return (mask >> (bits >> (kMantissa - 1) & 1) & 1) != 0;
    case FP_INFINITE: kind = 0; break;
    case FP_NORMAL: kind = 1; break;
    case FP_SUBNORMAL: kind = 2; break;
    default: kind = 3; break;
  }
  return (mask >> (std::signbit(value) ? 2 + kind : 9 - kind) & 1) != 0;
}
// Modifiers apply to the value: it is read as floating point, with denormals kept.
template <class T, bool Exec>
void compare_class(Wave& wave, const Instruction& i) {
  Instruction plain = i;
  plain.absolute = plain.negate = 0;
  const Source<BitsOf<T>> values(wave, plain, 0);
  const Source<u32> masks(wave, plain, 1);
  const u32 up = sizeof(T) == 8 && i.sources[0] == kLiteral ? 32 : 0;  // a literal is the high half of a double
  constexpr BitsOf<T> kSign = BitsOf<T>{1} << (sizeof(T) * 8 - 1);
  u64 mask = 0;
  for (u64 rest = wave.exec(); rest != 0; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    BitsOf<T> bits = values.at(lane) << up;
    if ((i.absolute & 1) != 0) bits &= ~kSign;
    if ((i.negate & 1) != 0) bits ^= kSign;
    mask |= u64{in_class<T>(bits, masks.at(lane))} << lane;
  }
  wave.set_sgpr64(i.scalar_destination, mask);
  if (Exec) wave.set_exec(mask);
}
template <class T, bool Exec>
inline constexpr Semantics cmp_class{
    .execute = &compare_class<T, Exec>, .sources = {shape_of<T>(), Shape::B32}, .mask_out = true};

// clang-format off
constexpr Row kCompareRows[] = {
    {Opcode::v_cmp_f_f32, cmp<Is::Never, float>},
    {Opcode::v_cmp_lt_f32, cmp<Is::Less, float>},
    {Opcode::v_cmp_eq_f32, cmp<Is::Equal, float>},
    {Opcode::v_cmp_le_f32, cmp<Is::LessEqual, float>},
    {Opcode::v_cmp_gt_f32, cmp<Is::Greater, float>},
    {Opcode::v_cmp_lg_f32, cmp<Is::LessGreater, float>},
    {Opcode::v_cmp_ge_f32, cmp<Is::GreaterEqual, float>},
    {Opcode::v_cmp_o_f32, cmp<Is::Ordered, float>},
    {Opcode::v_cmp_u_f32, cmp<Is::Unordered, float>},
    {Opcode::v_cmp_nge_f32, cmp<Is::NotGreaterEqual, float>},
    {Opcode::v_cmp_nlg_f32, cmp<Is::NotLessGreater, float>},
    {Opcode::v_cmp_ngt_f32, cmp<Is::NotGreater, float>},
    {Opcode::v_cmp_nle_f32, cmp<Is::NotLessEqual, float>},
    {Opcode::v_cmp_neq_f32, cmp<Is::NotEqual, float>},
    {Opcode::v_cmp_nlt_f32, cmp<Is::NotLess, float>},
    {Opcode::v_cmp_tru_f32, cmp<Is::Always, float>},
    {Opcode::v_cmpx_f_f32, cmpx<Is::Never, float>},
    {Opcode::v_cmpx_lt_f32, cmpx<Is::Less, float>},
    {Opcode::v_cmpx_eq_f32, cmpx<Is::Equal, float>},
    {Opcode::v_cmpx_le_f32, cmpx<Is::LessEqual, float>},
    {Opcode::v_cmpx_gt_f32, cmpx<Is::Greater, float>},
    {Opcode::v_cmpx_lg_f32, cmpx<Is::LessGreater, float>},
    {Opcode::v_cmpx_ge_f32, cmpx<Is::GreaterEqual, float>},
    {Opcode::v_cmpx_o_f32, cmpx<Is::Ordered, float>},
    {Opcode::v_cmpx_u_f32, cmpx<Is::Unordered, float>},
    {Opcode::v_cmpx_nge_f32, cmpx<Is::NotGreaterEqual, float>},
    {Opcode::v_cmpx_nlg_f32, cmpx<Is::NotLessGreater, float>},
    {Opcode::v_cmpx_ngt_f32, cmpx<Is::NotGreater, float>},
    {Opcode::v_cmpx_nle_f32, cmpx<Is::NotLessEqual, float>},
    {Opcode::v_cmpx_neq_f32, cmpx<Is::NotEqual, float>},
    {Opcode::v_cmpx_nlt_f32, cmpx<Is::NotLess, float>},
    {Opcode::v_cmpx_tru_f32, cmpx<Is::Always, float>},
    {Opcode::v_cmp_f_f64, cmp<Is::Never, double>},
    {Opcode::v_cmp_lt_f64, cmp<Is::Less, double>},
    {Opcode::v_cmp_eq_f64, cmp<Is::Equal, double>},
    {Opcode::v_cmp_le_f64, cmp<Is::LessEqual, double>},
    {Opcode::v_cmp_gt_f64, cmp<Is::Greater, double>},
    {Opcode::v_cmp_lg_f64, cmp<Is::LessGreater, double>},
    {Opcode::v_cmp_ge_f64, cmp<Is::GreaterEqual, double>},
    {Opcode::v_cmp_o_f64, cmp<Is::Ordered, double>},
    {Opcode::v_cmp_u_f64, cmp<Is::Unordered, double>},
    {Opcode::v_cmp_nge_f64, cmp<Is::NotGreaterEqual, double>},
    {Opcode::v_cmp_nlg_f64, cmp<Is::NotLessGreater, double>},
    {Opcode::v_cmp_ngt_f64, cmp<Is::NotGreater, double>},
    {Opcode::v_cmp_nle_f64, cmp<Is::NotLessEqual, double>},
    {Opcode::v_cmp_neq_f64, cmp<Is::NotEqual, double>},
    {Opcode::v_cmp_nlt_f64, cmp<Is::NotLess, double>},
    {Opcode::v_cmp_tru_f64, cmp<Is::Always, double>},
    {Opcode::v_cmpx_f_f64, cmpx<Is::Never, double>},
    {Opcode::v_cmpx_lt_f64, cmpx<Is::Less, double>},
    {Opcode::v_cmpx_eq_f64, cmpx<Is::Equal, double>},
    {Opcode::v_cmpx_le_f64, cmpx<Is::LessEqual, double>},
    {Opcode::v_cmpx_gt_f64, cmpx<Is::Greater, double>},
    {Opcode::v_cmpx_lg_f64, cmpx<Is::LessGreater, double>},
    {Opcode::v_cmpx_ge_f64, cmpx<Is::GreaterEqual, double>},
    {Opcode::v_cmpx_o_f64, cmpx<Is::Ordered, double>},
    {Opcode::v_cmpx_u_f64, cmpx<Is::Unordered, double>},
    {Opcode::v_cmpx_nge_f64, cmpx<Is::NotGreaterEqual, double>},
    {Opcode::v_cmpx_nlg_f64, cmpx<Is::NotLessGreater, double>},
    {Opcode::v_cmpx_ngt_f64, cmpx<Is::NotGreater, double>},
    {Opcode::v_cmpx_nle_f64, cmpx<Is::NotLessEqual, double>},
    {Opcode::v_cmpx_neq_f64, cmpx<Is::NotEqual, double>},
    {Opcode::v_cmpx_nlt_f64, cmpx<Is::NotLess, double>},
    {Opcode::v_cmpx_tru_f64, cmpx<Is::Always, double>},
    {Opcode::v_cmps_f_f32, cmp<Is::Never, float>},
    {Opcode::v_cmps_lt_f32, cmp<Is::Less, float>},
    {Opcode::v_cmps_eq_f32, cmp<Is::Equal, float>},
    {Opcode::v_cmps_le_f32, cmp<Is::LessEqual, float>},
    {Opcode::v_cmps_gt_f32, cmp<Is::Greater, float>},
    {Opcode::v_cmps_lg_f32, cmp<Is::LessGreater, float>},
    {Opcode::v_cmps_ge_f32, cmp<Is::GreaterEqual, float>},
    {Opcode::v_cmps_o_f32, cmp<Is::Ordered, float>},
    {Opcode::v_cmps_u_f32, cmp<Is::Unordered, float>},
    {Opcode::v_cmps_nge_f32, cmp<Is::NotGreaterEqual, float>},
    {Opcode::v_cmps_nlg_f32, cmp<Is::NotLessGreater, float>},
    {Opcode::v_cmps_ngt_f32, cmp<Is::NotGreater, float>},
    {Opcode::v_cmps_nle_f32, cmp<Is::NotLessEqual, float>},
    {Opcode::v_cmps_neq_f32, cmp<Is::NotEqual, float>},
    {Opcode::v_cmps_nlt_f32, cmp<Is::NotLess, float>},
    {Opcode::v_cmps_tru_f32, cmp<Is::Always, float>},
    {Opcode::v_cmpsx_f_f32, cmpx<Is::Never, float>},
    {Opcode::v_cmpsx_lt_f32, cmpx<Is::Less, float>},
    {Opcode::v_cmpsx_eq_f32, cmpx<Is::Equal, float>},
    {Opcode::v_cmpsx_le_f32, cmpx<Is::LessEqual, float>},
    {Opcode::v_cmpsx_gt_f32, cmpx<Is::Greater, float>},
    {Opcode::v_cmpsx_lg_f32, cmpx<Is::LessGreater, float>},
    {Opcode::v_cmpsx_ge_f32, cmpx<Is::GreaterEqual, float>},
    {Opcode::v_cmpsx_o_f32, cmpx<Is::Ordered, float>},
    {Opcode::v_cmpsx_u_f32, cmpx<Is::Unordered, float>},
    {Opcode::v_cmpsx_nge_f32, cmpx<Is::NotGreaterEqual, float>},
    {Opcode::v_cmpsx_nlg_f32, cmpx<Is::NotLessGreater, float>},
    {Opcode::v_cmpsx_ngt_f32, cmpx<Is::NotGreater, float>},
    {Opcode::v_cmpsx_nle_f32, cmpx<Is::NotLessEqual, float>},
    {Opcode::v_cmpsx_neq_f32, cmpx<Is::NotEqual, float>},
    {Opcode::v_cmpsx_nlt_f32, cmpx<Is::NotLess, float>},
    {Opcode::v_cmpsx_tru_f32, cmpx<Is::Always, float>},
    {Opcode::v_cmps_f_f64, cmp<Is::Never, double>},
    {Opcode::v_cmps_lt_f64, cmp<Is::Less, double>},
    {Opcode::v_cmps_eq_f64, cmp<Is::Equal, double>},
    {Opcode::v_cmps_le_f64, cmp<Is::LessEqual, double>},
    {Opcode::v_cmps_gt_f64, cmp<Is::Greater, double>},
    {Opcode::v_cmps_lg_f64, cmp<Is::LessGreater, double>},
    {Opcode::v_cmps_ge_f64, cmp<Is::GreaterEqual, double>},
    {Opcode::v_cmps_o_f64, cmp<Is::Ordered, double>},
    {Opcode::v_cmps_u_f64, cmp<Is::Unordered, double>},
    {Opcode::v_cmps_nge_f64, cmp<Is::NotGreaterEqual, double>},
    {Opcode::v_cmps_nlg_f64, cmp<Is::NotLessGreater, double>},
    {Opcode::v_cmps_ngt_f64, cmp<Is::NotGreater, double>},
    {Opcode::v_cmps_nle_f64, cmp<Is::NotLessEqual, double>},
    {Opcode::v_cmps_neq_f64, cmp<Is::NotEqual, double>},
    {Opcode::v_cmps_nlt_f64, cmp<Is::NotLess, double>},
    {Opcode::v_cmps_tru_f64, cmp<Is::Always, double>},
    {Opcode::v_cmpsx_f_f64, cmpx<Is::Never, double>},
    {Opcode::v_cmpsx_lt_f64, cmpx<Is::Less, double>},
    {Opcode::v_cmpsx_eq_f64, cmpx<Is::Equal, double>},
    {Opcode::v_cmpsx_le_f64, cmpx<Is::LessEqual, double>},
    {Opcode::v_cmpsx_gt_f64, cmpx<Is::Greater, double>},
    {Opcode::v_cmpsx_lg_f64, cmpx<Is::LessGreater, double>},
    {Opcode::v_cmpsx_ge_f64, cmpx<Is::GreaterEqual, double>},
    {Opcode::v_cmpsx_o_f64, cmpx<Is::Ordered, double>},
    {Opcode::v_cmpsx_u_f64, cmpx<Is::Unordered, double>},
    {Opcode::v_cmpsx_nge_f64, cmpx<Is::NotGreaterEqual, double>},
    {Opcode::v_cmpsx_nlg_f64, cmpx<Is::NotLessGreater, double>},
    {Opcode::v_cmpsx_ngt_f64, cmpx<Is::NotGreater, double>},
    {Opcode::v_cmpsx_nle_f64, cmpx<Is::NotLessEqual, double>},
    {Opcode::v_cmpsx_neq_f64, cmpx<Is::NotEqual, double>},
    {Opcode::v_cmpsx_nlt_f64, cmpx<Is::NotLess, double>},
    {Opcode::v_cmpsx_tru_f64, cmpx<Is::Always, double>},
    {Opcode::v_cmp_f_i32, cmp<Is::Never, i32>},
    {Opcode::v_cmp_lt_i32, cmp<Is::Less, i32>},
    {Opcode::v_cmp_eq_i32, cmp<Is::Equal, i32>},
    {Opcode::v_cmp_le_i32, cmp<Is::LessEqual, i32>},
    {Opcode::v_cmp_gt_i32, cmp<Is::Greater, i32>},
    {Opcode::v_cmp_ne_i32, cmp<Is::NotEqual, i32>},
    {Opcode::v_cmp_ge_i32, cmp<Is::GreaterEqual, i32>},
    {Opcode::v_cmp_t_i32, cmp<Is::Always, i32>},
    {Opcode::v_cmpx_f_i32, cmpx<Is::Never, i32>},
    {Opcode::v_cmpx_lt_i32, cmpx<Is::Less, i32>},
    {Opcode::v_cmpx_eq_i32, cmpx<Is::Equal, i32>},
    {Opcode::v_cmpx_le_i32, cmpx<Is::LessEqual, i32>},
    {Opcode::v_cmpx_gt_i32, cmpx<Is::Greater, i32>},
    {Opcode::v_cmpx_ne_i32, cmpx<Is::NotEqual, i32>},
    {Opcode::v_cmpx_ge_i32, cmpx<Is::GreaterEqual, i32>},
    {Opcode::v_cmpx_t_i32, cmpx<Is::Always, i32>},
    {Opcode::v_cmp_f_i64, cmp<Is::Never, i64>},
    {Opcode::v_cmp_lt_i64, cmp<Is::Less, i64>},
    {Opcode::v_cmp_eq_i64, cmp<Is::Equal, i64>},
    {Opcode::v_cmp_le_i64, cmp<Is::LessEqual, i64>},
    {Opcode::v_cmp_gt_i64, cmp<Is::Greater, i64>},
    {Opcode::v_cmp_ne_i64, cmp<Is::NotEqual, i64>},
    {Opcode::v_cmp_ge_i64, cmp<Is::GreaterEqual, i64>},
    {Opcode::v_cmp_t_i64, cmp<Is::Always, i64>},
    {Opcode::v_cmpx_f_i64, cmpx<Is::Never, i64>},
    {Opcode::v_cmpx_lt_i64, cmpx<Is::Less, i64>},
    {Opcode::v_cmpx_eq_i64, cmpx<Is::Equal, i64>},
    {Opcode::v_cmpx_le_i64, cmpx<Is::LessEqual, i64>},
    {Opcode::v_cmpx_gt_i64, cmpx<Is::Greater, i64>},
    {Opcode::v_cmpx_ne_i64, cmpx<Is::NotEqual, i64>},
    {Opcode::v_cmpx_ge_i64, cmpx<Is::GreaterEqual, i64>},
    {Opcode::v_cmpx_t_i64, cmpx<Is::Always, i64>},
    {Opcode::v_cmp_f_u32, cmp<Is::Never, u32>},
    {Opcode::v_cmp_lt_u32, cmp<Is::Less, u32>},
    {Opcode::v_cmp_eq_u32, cmp<Is::Equal, u32>},
    {Opcode::v_cmp_le_u32, cmp<Is::LessEqual, u32>},
    {Opcode::v_cmp_gt_u32, cmp<Is::Greater, u32>},
    {Opcode::v_cmp_ne_u32, cmp<Is::NotEqual, u32>},
    {Opcode::v_cmp_ge_u32, cmp<Is::GreaterEqual, u32>},
    {Opcode::v_cmp_t_u32, cmp<Is::Always, u32>},
    {Opcode::v_cmpx_f_u32, cmpx<Is::Never, u32>},
    {Opcode::v_cmpx_lt_u32, cmpx<Is::Less, u32>},
    {Opcode::v_cmpx_eq_u32, cmpx<Is::Equal, u32>},
    {Opcode::v_cmpx_le_u32, cmpx<Is::LessEqual, u32>},
    {Opcode::v_cmpx_gt_u32, cmpx<Is::Greater, u32>},
    {Opcode::v_cmpx_ne_u32, cmpx<Is::NotEqual, u32>},
    {Opcode::v_cmpx_ge_u32, cmpx<Is::GreaterEqual, u32>},
    {Opcode::v_cmpx_t_u32, cmpx<Is::Always, u32>},
    {Opcode::v_cmp_f_u64, cmp<Is::Never, u64>},
    {Opcode::v_cmp_lt_u64, cmp<Is::Less, u64>},
    {Opcode::v_cmp_eq_u64, cmp<Is::Equal, u64>},
    {Opcode::v_cmp_le_u64, cmp<Is::LessEqual, u64>},
    {Opcode::v_cmp_gt_u64, cmp<Is::Greater, u64>},
    {Opcode::v_cmp_ne_u64, cmp<Is::NotEqual, u64>},
    {Opcode::v_cmp_ge_u64, cmp<Is::GreaterEqual, u64>},
    {Opcode::v_cmp_t_u64, cmp<Is::Always, u64>},
    {Opcode::v_cmpx_f_u64, cmpx<Is::Never, u64>},
    {Opcode::v_cmpx_lt_u64, cmpx<Is::Less, u64>},
    {Opcode::v_cmpx_eq_u64, cmpx<Is::Equal, u64>},
    {Opcode::v_cmpx_le_u64, cmpx<Is::LessEqual, u64>},
    {Opcode::v_cmpx_gt_u64, cmpx<Is::Greater, u64>},
    {Opcode::v_cmpx_ne_u64, cmpx<Is::NotEqual, u64>},
    {Opcode::v_cmpx_ge_u64, cmpx<Is::GreaterEqual, u64>},
    {Opcode::v_cmpx_t_u64, cmpx<Is::Always, u64>},
    {Opcode::v_cmp_class_f32, cmp_class<float, false>},
    {Opcode::v_cmpx_class_f32, cmp_class<float, true>},
    {Opcode::v_cmp_class_f64, cmp_class<double, false>},
    {Opcode::v_cmpx_class_f64, cmp_class<double, true>},
};
// clang-format on
static_assert(first_missing(Room::Compare, kCompareRows) == Opcode::none);

}  // namespace

std::span<const Row> compare_rows() { return kCompareRows; }

}  // namespace amdcompat::emulate
