// Vector comparisons: VOPC, the largest family and the most regular one. [SIA; CIA; VIA: VOPC]
//
// v_cmp writes a bit for each enabled lane and 0 for the others; v_cmpx writes the mask to EXEC as well. v_cmps and
// v_cmpsx also signal NaNs, which has no effect without exceptions.
#include "semantics.hpp"

namespace amdcompat::emulate {
namespace {

using enum Format;

// One condition over two operands of type T. A NaN makes every plain condition false.
enum class Is {
  Never,
  Less,
  Equal,
  LessEqual,
  Greater,
  LessGreater,
  GreaterEqual,
  Ordered,
  Unordered,
  NotGreaterEqual,
  NotLessGreater,
  NotGreater,
  NotLessEqual,
  NotEqual,
  NotLess,
  Always,
};
template <Is Condition, class T>
bool holds(T a, T b) {
  switch (Condition) {
    case Is::Never: return false;
    case Is::Always: return true;
    case Is::Less: return a < b;
    case Is::Equal: return a == b;
    case Is::LessEqual: return a <= b;
    case Is::Greater: return a > b;
    case Is::LessGreater: return a < b || a > b;
    case Is::GreaterEqual: return a >= b;
    case Is::Ordered: return !std::isunordered(static_cast<double>(a), static_cast<double>(b));
    case Is::Unordered: return std::isunordered(static_cast<double>(a), static_cast<double>(b));
    case Is::NotGreaterEqual: return !(a >= b);
    case Is::NotLessGreater: return !(a < b || a > b);
    case Is::NotGreater: return !(a > b);
    case Is::NotLessEqual: return !(a <= b);
    case Is::NotEqual: return a != b;
    case Is::NotLess: return !(a < b);
  }
  return false;
}
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
  constexpr BitsOf<T> kSign = BitsOf<T>{1} << (sizeof(T) * 8 - 1);
  u64 mask = 0;
  for (u64 rest = wave.exec(); rest != 0; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    BitsOf<T> bits = values.at(lane);
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
constexpr Row kRows[] = {
    {"v_cmp_f_f32", Vopc, {0, 0, 64}, cmp<Is::Never, float>},
    {"v_cmp_lt_f32", Vopc, {1, 1, 65}, cmp<Is::Less, float>},
    {"v_cmp_eq_f32", Vopc, {2, 2, 66}, cmp<Is::Equal, float>},
    {"v_cmp_le_f32", Vopc, {3, 3, 67}, cmp<Is::LessEqual, float>},
    {"v_cmp_gt_f32", Vopc, {4, 4, 68}, cmp<Is::Greater, float>},
    {"v_cmp_lg_f32", Vopc, {5, 5, 69}, cmp<Is::LessGreater, float>},
    {"v_cmp_ge_f32", Vopc, {6, 6, 70}, cmp<Is::GreaterEqual, float>},
    {"v_cmp_o_f32", Vopc, {7, 7, 71}, cmp<Is::Ordered, float>},
    {"v_cmp_u_f32", Vopc, {8, 8, 72}, cmp<Is::Unordered, float>},
    {"v_cmp_nge_f32", Vopc, {9, 9, 73}, cmp<Is::NotGreaterEqual, float>},
    {"v_cmp_nlg_f32", Vopc, {10, 10, 74}, cmp<Is::NotLessGreater, float>},
    {"v_cmp_ngt_f32", Vopc, {11, 11, 75}, cmp<Is::NotGreater, float>},
    {"v_cmp_nle_f32", Vopc, {12, 12, 76}, cmp<Is::NotLessEqual, float>},
    {"v_cmp_neq_f32", Vopc, {13, 13, 77}, cmp<Is::NotEqual, float>},
    {"v_cmp_nlt_f32", Vopc, {14, 14, 78}, cmp<Is::NotLess, float>},
    {"v_cmp_tru_f32", Vopc, {15, 15, 79}, cmp<Is::Always, float>},
    {"v_cmpx_f_f32", Vopc, {16, 16, 80}, cmpx<Is::Never, float>},
    {"v_cmpx_lt_f32", Vopc, {17, 17, 81}, cmpx<Is::Less, float>},
    {"v_cmpx_eq_f32", Vopc, {18, 18, 82}, cmpx<Is::Equal, float>},
    {"v_cmpx_le_f32", Vopc, {19, 19, 83}, cmpx<Is::LessEqual, float>},
    {"v_cmpx_gt_f32", Vopc, {20, 20, 84}, cmpx<Is::Greater, float>},
    {"v_cmpx_lg_f32", Vopc, {21, 21, 85}, cmpx<Is::LessGreater, float>},
    {"v_cmpx_ge_f32", Vopc, {22, 22, 86}, cmpx<Is::GreaterEqual, float>},
    {"v_cmpx_o_f32", Vopc, {23, 23, 87}, cmpx<Is::Ordered, float>},
    {"v_cmpx_u_f32", Vopc, {24, 24, 88}, cmpx<Is::Unordered, float>},
    {"v_cmpx_nge_f32", Vopc, {25, 25, 89}, cmpx<Is::NotGreaterEqual, float>},
    {"v_cmpx_nlg_f32", Vopc, {26, 26, 90}, cmpx<Is::NotLessGreater, float>},
    {"v_cmpx_ngt_f32", Vopc, {27, 27, 91}, cmpx<Is::NotGreater, float>},
    {"v_cmpx_nle_f32", Vopc, {28, 28, 92}, cmpx<Is::NotLessEqual, float>},
    {"v_cmpx_neq_f32", Vopc, {29, 29, 93}, cmpx<Is::NotEqual, float>},
    {"v_cmpx_nlt_f32", Vopc, {30, 30, 94}, cmpx<Is::NotLess, float>},
    {"v_cmpx_tru_f32", Vopc, {31, 31, 95}, cmpx<Is::Always, float>},
    {"v_cmp_f_f64", Vopc, {32, 32, 96}, cmp<Is::Never, double>},
    {"v_cmp_lt_f64", Vopc, {33, 33, 97}, cmp<Is::Less, double>},
    {"v_cmp_eq_f64", Vopc, {34, 34, 98}, cmp<Is::Equal, double>},
    {"v_cmp_le_f64", Vopc, {35, 35, 99}, cmp<Is::LessEqual, double>},
    {"v_cmp_gt_f64", Vopc, {36, 36, 100}, cmp<Is::Greater, double>},
    {"v_cmp_lg_f64", Vopc, {37, 37, 101}, cmp<Is::LessGreater, double>},
    {"v_cmp_ge_f64", Vopc, {38, 38, 102}, cmp<Is::GreaterEqual, double>},
    {"v_cmp_o_f64", Vopc, {39, 39, 103}, cmp<Is::Ordered, double>},
    {"v_cmp_u_f64", Vopc, {40, 40, 104}, cmp<Is::Unordered, double>},
    {"v_cmp_nge_f64", Vopc, {41, 41, 105}, cmp<Is::NotGreaterEqual, double>},
    {"v_cmp_nlg_f64", Vopc, {42, 42, 106}, cmp<Is::NotLessGreater, double>},
    {"v_cmp_ngt_f64", Vopc, {43, 43, 107}, cmp<Is::NotGreater, double>},
    {"v_cmp_nle_f64", Vopc, {44, 44, 108}, cmp<Is::NotLessEqual, double>},
    {"v_cmp_neq_f64", Vopc, {45, 45, 109}, cmp<Is::NotEqual, double>},
    {"v_cmp_nlt_f64", Vopc, {46, 46, 110}, cmp<Is::NotLess, double>},
    {"v_cmp_tru_f64", Vopc, {47, 47, 111}, cmp<Is::Always, double>},
    {"v_cmpx_f_f64", Vopc, {48, 48, 112}, cmpx<Is::Never, double>},
    {"v_cmpx_lt_f64", Vopc, {49, 49, 113}, cmpx<Is::Less, double>},
    {"v_cmpx_eq_f64", Vopc, {50, 50, 114}, cmpx<Is::Equal, double>},
    {"v_cmpx_le_f64", Vopc, {51, 51, 115}, cmpx<Is::LessEqual, double>},
    {"v_cmpx_gt_f64", Vopc, {52, 52, 116}, cmpx<Is::Greater, double>},
    {"v_cmpx_lg_f64", Vopc, {53, 53, 117}, cmpx<Is::LessGreater, double>},
    {"v_cmpx_ge_f64", Vopc, {54, 54, 118}, cmpx<Is::GreaterEqual, double>},
    {"v_cmpx_o_f64", Vopc, {55, 55, 119}, cmpx<Is::Ordered, double>},
    {"v_cmpx_u_f64", Vopc, {56, 56, 120}, cmpx<Is::Unordered, double>},
    {"v_cmpx_nge_f64", Vopc, {57, 57, 121}, cmpx<Is::NotGreaterEqual, double>},
    {"v_cmpx_nlg_f64", Vopc, {58, 58, 122}, cmpx<Is::NotLessGreater, double>},
    {"v_cmpx_ngt_f64", Vopc, {59, 59, 123}, cmpx<Is::NotGreater, double>},
    {"v_cmpx_nle_f64", Vopc, {60, 60, 124}, cmpx<Is::NotLessEqual, double>},
    {"v_cmpx_neq_f64", Vopc, {61, 61, 125}, cmpx<Is::NotEqual, double>},
    {"v_cmpx_nlt_f64", Vopc, {62, 62, 126}, cmpx<Is::NotLess, double>},
    {"v_cmpx_tru_f64", Vopc, {63, 63, 127}, cmpx<Is::Always, double>},
    {"v_cmps_f_f32", Vopc, {64, 64, kAbsent}, cmp<Is::Never, float>},
    {"v_cmps_lt_f32", Vopc, {65, 65, kAbsent}, cmp<Is::Less, float>},
    {"v_cmps_eq_f32", Vopc, {66, 66, kAbsent}, cmp<Is::Equal, float>},
    {"v_cmps_le_f32", Vopc, {67, 67, kAbsent}, cmp<Is::LessEqual, float>},
    {"v_cmps_gt_f32", Vopc, {68, 68, kAbsent}, cmp<Is::Greater, float>},
    {"v_cmps_lg_f32", Vopc, {69, 69, kAbsent}, cmp<Is::LessGreater, float>},
    {"v_cmps_ge_f32", Vopc, {70, 70, kAbsent}, cmp<Is::GreaterEqual, float>},
    {"v_cmps_o_f32", Vopc, {71, 71, kAbsent}, cmp<Is::Ordered, float>},
    {"v_cmps_u_f32", Vopc, {72, 72, kAbsent}, cmp<Is::Unordered, float>},
    {"v_cmps_nge_f32", Vopc, {73, 73, kAbsent}, cmp<Is::NotGreaterEqual, float>},
    {"v_cmps_nlg_f32", Vopc, {74, 74, kAbsent}, cmp<Is::NotLessGreater, float>},
    {"v_cmps_ngt_f32", Vopc, {75, 75, kAbsent}, cmp<Is::NotGreater, float>},
    {"v_cmps_nle_f32", Vopc, {76, 76, kAbsent}, cmp<Is::NotLessEqual, float>},
    {"v_cmps_neq_f32", Vopc, {77, 77, kAbsent}, cmp<Is::NotEqual, float>},
    {"v_cmps_nlt_f32", Vopc, {78, 78, kAbsent}, cmp<Is::NotLess, float>},
    {"v_cmps_tru_f32", Vopc, {79, 79, kAbsent}, cmp<Is::Always, float>},
    {"v_cmpsx_f_f32", Vopc, {80, 80, kAbsent}, cmpx<Is::Never, float>},
    {"v_cmpsx_lt_f32", Vopc, {81, 81, kAbsent}, cmpx<Is::Less, float>},
    {"v_cmpsx_eq_f32", Vopc, {82, 82, kAbsent}, cmpx<Is::Equal, float>},
    {"v_cmpsx_le_f32", Vopc, {83, 83, kAbsent}, cmpx<Is::LessEqual, float>},
    {"v_cmpsx_gt_f32", Vopc, {84, 84, kAbsent}, cmpx<Is::Greater, float>},
    {"v_cmpsx_lg_f32", Vopc, {85, 85, kAbsent}, cmpx<Is::LessGreater, float>},
    {"v_cmpsx_ge_f32", Vopc, {86, 86, kAbsent}, cmpx<Is::GreaterEqual, float>},
    {"v_cmpsx_o_f32", Vopc, {87, 87, kAbsent}, cmpx<Is::Ordered, float>},
    {"v_cmpsx_u_f32", Vopc, {88, 88, kAbsent}, cmpx<Is::Unordered, float>},
    {"v_cmpsx_nge_f32", Vopc, {89, 89, kAbsent}, cmpx<Is::NotGreaterEqual, float>},
    {"v_cmpsx_nlg_f32", Vopc, {90, 90, kAbsent}, cmpx<Is::NotLessGreater, float>},
    {"v_cmpsx_ngt_f32", Vopc, {91, 91, kAbsent}, cmpx<Is::NotGreater, float>},
    {"v_cmpsx_nle_f32", Vopc, {92, 92, kAbsent}, cmpx<Is::NotLessEqual, float>},
    {"v_cmpsx_neq_f32", Vopc, {93, 93, kAbsent}, cmpx<Is::NotEqual, float>},
    {"v_cmpsx_nlt_f32", Vopc, {94, 94, kAbsent}, cmpx<Is::NotLess, float>},
    {"v_cmpsx_tru_f32", Vopc, {95, 95, kAbsent}, cmpx<Is::Always, float>},
    {"v_cmps_f_f64", Vopc, {96, 96, kAbsent}, cmp<Is::Never, double>},
    {"v_cmps_lt_f64", Vopc, {97, 97, kAbsent}, cmp<Is::Less, double>},
    {"v_cmps_eq_f64", Vopc, {98, 98, kAbsent}, cmp<Is::Equal, double>},
    {"v_cmps_le_f64", Vopc, {99, 99, kAbsent}, cmp<Is::LessEqual, double>},
    {"v_cmps_gt_f64", Vopc, {100, 100, kAbsent}, cmp<Is::Greater, double>},
    {"v_cmps_lg_f64", Vopc, {101, 101, kAbsent}, cmp<Is::LessGreater, double>},
    {"v_cmps_ge_f64", Vopc, {102, 102, kAbsent}, cmp<Is::GreaterEqual, double>},
    {"v_cmps_o_f64", Vopc, {103, 103, kAbsent}, cmp<Is::Ordered, double>},
    {"v_cmps_u_f64", Vopc, {104, 104, kAbsent}, cmp<Is::Unordered, double>},
    {"v_cmps_nge_f64", Vopc, {105, 105, kAbsent}, cmp<Is::NotGreaterEqual, double>},
    {"v_cmps_nlg_f64", Vopc, {106, 106, kAbsent}, cmp<Is::NotLessGreater, double>},
    {"v_cmps_ngt_f64", Vopc, {107, 107, kAbsent}, cmp<Is::NotGreater, double>},
    {"v_cmps_nle_f64", Vopc, {108, 108, kAbsent}, cmp<Is::NotLessEqual, double>},
    {"v_cmps_neq_f64", Vopc, {109, 109, kAbsent}, cmp<Is::NotEqual, double>},
    {"v_cmps_nlt_f64", Vopc, {110, 110, kAbsent}, cmp<Is::NotLess, double>},
    {"v_cmps_tru_f64", Vopc, {111, 111, kAbsent}, cmp<Is::Always, double>},
    {"v_cmpsx_f_f64", Vopc, {112, 112, kAbsent}, cmpx<Is::Never, double>},
    {"v_cmpsx_lt_f64", Vopc, {113, 113, kAbsent}, cmpx<Is::Less, double>},
    {"v_cmpsx_eq_f64", Vopc, {114, 114, kAbsent}, cmpx<Is::Equal, double>},
    {"v_cmpsx_le_f64", Vopc, {115, 115, kAbsent}, cmpx<Is::LessEqual, double>},
    {"v_cmpsx_gt_f64", Vopc, {116, 116, kAbsent}, cmpx<Is::Greater, double>},
    {"v_cmpsx_lg_f64", Vopc, {117, 117, kAbsent}, cmpx<Is::LessGreater, double>},
    {"v_cmpsx_ge_f64", Vopc, {118, 118, kAbsent}, cmpx<Is::GreaterEqual, double>},
    {"v_cmpsx_o_f64", Vopc, {119, 119, kAbsent}, cmpx<Is::Ordered, double>},
    {"v_cmpsx_u_f64", Vopc, {120, 120, kAbsent}, cmpx<Is::Unordered, double>},
    {"v_cmpsx_nge_f64", Vopc, {121, 121, kAbsent}, cmpx<Is::NotGreaterEqual, double>},
    {"v_cmpsx_nlg_f64", Vopc, {122, 122, kAbsent}, cmpx<Is::NotLessGreater, double>},
    {"v_cmpsx_ngt_f64", Vopc, {123, 123, kAbsent}, cmpx<Is::NotGreater, double>},
    {"v_cmpsx_nle_f64", Vopc, {124, 124, kAbsent}, cmpx<Is::NotLessEqual, double>},
    {"v_cmpsx_neq_f64", Vopc, {125, 125, kAbsent}, cmpx<Is::NotEqual, double>},
    {"v_cmpsx_nlt_f64", Vopc, {126, 126, kAbsent}, cmpx<Is::NotLess, double>},
    {"v_cmpsx_tru_f64", Vopc, {127, 127, kAbsent}, cmpx<Is::Always, double>},
    {"v_cmp_f_i32", Vopc, {128, 128, 192}, cmp<Is::Never, i32>},
    {"v_cmp_lt_i32", Vopc, {129, 129, 193}, cmp<Is::Less, i32>},
    {"v_cmp_eq_i32", Vopc, {130, 130, 194}, cmp<Is::Equal, i32>},
    {"v_cmp_le_i32", Vopc, {131, 131, 195}, cmp<Is::LessEqual, i32>},
    {"v_cmp_gt_i32", Vopc, {132, 132, 196}, cmp<Is::Greater, i32>},
    {"v_cmp_ne_i32", Vopc, {133, 133, 197}, cmp<Is::NotEqual, i32>},
    {"v_cmp_ge_i32", Vopc, {134, 134, 198}, cmp<Is::GreaterEqual, i32>},
    {"v_cmp_t_i32", Vopc, {135, 135, 199}, cmp<Is::Always, i32>},
    {"v_cmpx_f_i32", Vopc, {144, 144, 208}, cmpx<Is::Never, i32>},
    {"v_cmpx_lt_i32", Vopc, {145, 145, 209}, cmpx<Is::Less, i32>},
    {"v_cmpx_eq_i32", Vopc, {146, 146, 210}, cmpx<Is::Equal, i32>},
    {"v_cmpx_le_i32", Vopc, {147, 147, 211}, cmpx<Is::LessEqual, i32>},
    {"v_cmpx_gt_i32", Vopc, {148, 148, 212}, cmpx<Is::Greater, i32>},
    {"v_cmpx_ne_i32", Vopc, {149, 149, 213}, cmpx<Is::NotEqual, i32>},
    {"v_cmpx_ge_i32", Vopc, {150, 150, 214}, cmpx<Is::GreaterEqual, i32>},
    {"v_cmpx_t_i32", Vopc, {151, 151, 215}, cmpx<Is::Always, i32>},
    {"v_cmp_f_i64", Vopc, {160, 160, 224}, cmp<Is::Never, i64>},
    {"v_cmp_lt_i64", Vopc, {161, 161, 225}, cmp<Is::Less, i64>},
    {"v_cmp_eq_i64", Vopc, {162, 162, 226}, cmp<Is::Equal, i64>},
    {"v_cmp_le_i64", Vopc, {163, 163, 227}, cmp<Is::LessEqual, i64>},
    {"v_cmp_gt_i64", Vopc, {164, 164, 228}, cmp<Is::Greater, i64>},
    {"v_cmp_ne_i64", Vopc, {165, 165, 229}, cmp<Is::NotEqual, i64>},
    {"v_cmp_ge_i64", Vopc, {166, 166, 230}, cmp<Is::GreaterEqual, i64>},
    {"v_cmp_t_i64", Vopc, {167, 167, 231}, cmp<Is::Always, i64>},
    {"v_cmpx_f_i64", Vopc, {176, 176, 240}, cmpx<Is::Never, i64>},
    {"v_cmpx_lt_i64", Vopc, {177, 177, 241}, cmpx<Is::Less, i64>},
    {"v_cmpx_eq_i64", Vopc, {178, 178, 242}, cmpx<Is::Equal, i64>},
    {"v_cmpx_le_i64", Vopc, {179, 179, 243}, cmpx<Is::LessEqual, i64>},
    {"v_cmpx_gt_i64", Vopc, {180, 180, 244}, cmpx<Is::Greater, i64>},
    {"v_cmpx_ne_i64", Vopc, {181, 181, 245}, cmpx<Is::NotEqual, i64>},
    {"v_cmpx_ge_i64", Vopc, {182, 182, 246}, cmpx<Is::GreaterEqual, i64>},
    {"v_cmpx_t_i64", Vopc, {183, 183, 247}, cmpx<Is::Always, i64>},
    {"v_cmp_f_u32", Vopc, {192, 192, 200}, cmp<Is::Never, u32>},
    {"v_cmp_lt_u32", Vopc, {193, 193, 201}, cmp<Is::Less, u32>},
    {"v_cmp_eq_u32", Vopc, {194, 194, 202}, cmp<Is::Equal, u32>},
    {"v_cmp_le_u32", Vopc, {195, 195, 203}, cmp<Is::LessEqual, u32>},
    {"v_cmp_gt_u32", Vopc, {196, 196, 204}, cmp<Is::Greater, u32>},
    {"v_cmp_ne_u32", Vopc, {197, 197, 205}, cmp<Is::NotEqual, u32>},
    {"v_cmp_ge_u32", Vopc, {198, 198, 206}, cmp<Is::GreaterEqual, u32>},
    {"v_cmp_t_u32", Vopc, {199, 199, 207}, cmp<Is::Always, u32>},
    {"v_cmpx_f_u32", Vopc, {208, 208, 216}, cmpx<Is::Never, u32>},
    {"v_cmpx_lt_u32", Vopc, {209, 209, 217}, cmpx<Is::Less, u32>},
    {"v_cmpx_eq_u32", Vopc, {210, 210, 218}, cmpx<Is::Equal, u32>},
    {"v_cmpx_le_u32", Vopc, {211, 211, 219}, cmpx<Is::LessEqual, u32>},
    {"v_cmpx_gt_u32", Vopc, {212, 212, 220}, cmpx<Is::Greater, u32>},
    {"v_cmpx_ne_u32", Vopc, {213, 213, 221}, cmpx<Is::NotEqual, u32>},
    {"v_cmpx_ge_u32", Vopc, {214, 214, 222}, cmpx<Is::GreaterEqual, u32>},
    {"v_cmpx_t_u32", Vopc, {215, 215, 223}, cmpx<Is::Always, u32>},
    {"v_cmp_f_u64", Vopc, {224, 224, 232}, cmp<Is::Never, u64>},
    {"v_cmp_lt_u64", Vopc, {225, 225, 233}, cmp<Is::Less, u64>},
    {"v_cmp_eq_u64", Vopc, {226, 226, 234}, cmp<Is::Equal, u64>},
    {"v_cmp_le_u64", Vopc, {227, 227, 235}, cmp<Is::LessEqual, u64>},
    {"v_cmp_gt_u64", Vopc, {228, 228, 236}, cmp<Is::Greater, u64>},
    {"v_cmp_ne_u64", Vopc, {229, 229, 237}, cmp<Is::NotEqual, u64>},
    {"v_cmp_ge_u64", Vopc, {230, 230, 238}, cmp<Is::GreaterEqual, u64>},
    {"v_cmp_t_u64", Vopc, {231, 231, 239}, cmp<Is::Always, u64>},
    {"v_cmpx_f_u64", Vopc, {240, 240, 248}, cmpx<Is::Never, u64>},
    {"v_cmpx_lt_u64", Vopc, {241, 241, 249}, cmpx<Is::Less, u64>},
    {"v_cmpx_eq_u64", Vopc, {242, 242, 250}, cmpx<Is::Equal, u64>},
    {"v_cmpx_le_u64", Vopc, {243, 243, 251}, cmpx<Is::LessEqual, u64>},
    {"v_cmpx_gt_u64", Vopc, {244, 244, 252}, cmpx<Is::Greater, u64>},
    {"v_cmpx_ne_u64", Vopc, {245, 245, 253}, cmpx<Is::NotEqual, u64>},
    {"v_cmpx_ge_u64", Vopc, {246, 246, 254}, cmpx<Is::GreaterEqual, u64>},
    {"v_cmpx_t_u64", Vopc, {247, 247, 255}, cmpx<Is::Always, u64>},
    {"v_cmp_class_f32", Vopc, {136, 136, 16}, cmp_class<float, false>},
    {"v_cmpx_class_f32", Vopc, {152, 152, 17}, cmp_class<float, true>},
    {"v_cmp_class_f64", Vopc, {168, 168, 18}, cmp_class<double, false>},
    {"v_cmpx_class_f64", Vopc, {184, 184, 19}, cmp_class<double, true>},
};
// clang-format on

}  // namespace

std::span<const Row> compare_rows() { return kRows; }

}  // namespace amdcompat::emulate
