// Functions that lifted kernels use, each printed only where it is used.
//
// They compute what the interpreter of this library computes; on AMD GPUs the instruction itself is used where the
// hardware's result is an approximation.
#include <algorithm>
#include <array>
#include <set>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

struct Function {
  std::string_view name;
  std::string_view text;
  std::array<std::string_view, 2> needs{};
};

// Atomic operations that OpenCL C does not have, for memory of both kinds and numbers of both sizes.
#define LOOP(name, space, type, exchange, changed)                                                                     \
  {name, "ATOMIC_LOOP(" name ", __" space ", " type ", " exchange ", " changed ")\n", {"ATOMIC_LOOP"}}
#define LOOPS(name, changed, changed_64)                                                                               \
  LOOP(name "_global", "global", "uint", "atomic_cmpxchg", changed),                                                   \
      LOOP(name "_local", "local", "uint", "atomic_cmpxchg", changed),                                                 \
      LOOP(name "_global_64", "global", "ulong", "atom_cmpxchg", changed_64),                                          \
      LOOP(name "_local_64", "local", "ulong", "atom_cmpxchg", changed_64)

constexpr Function kFunctions[] = {
    {"uint_alias", "typedef uint __attribute__((may_alias)) uint_alias;\n"},
    {"ulong_alias", "typedef ulong __attribute__((may_alias)) ulong_alias;\n"},
    {"long_alias", "typedef long __attribute__((may_alias)) long_alias;\n"},
    {"int_alias", "typedef int __attribute__((may_alias)) int_alias;\n"},
    {"float_alias", "typedef float __attribute__((may_alias)) float_alias;\n"},
    {"short_alias", "typedef short __attribute__((may_alias)) short_alias;\n"},
    {"ushort_alias", "typedef ushort __attribute__((may_alias)) ushort_alias;\n"},
    {"ATOMIC_LOOP", R"(// Tried again where another work-item came between.
#define ATOMIC_LOOP(name, space, type, exchange, changed) \
  static inline type name(volatile space type* p, type x) { \
    type old, seen = exchange(p, 0, 0); \
    do { \
      old = seen; \
      seen = exchange(p, old, changed); \
    } while (seen != old); \
    return old; \
  }
)"},
    LOOPS("count_to", "old >= x ? 0 : old + 1", "old >= x ? 0 : old + 1"),
    LOOPS("count_down_from", "old == 0 || old > x ? x : old - 1", "old == 0 || old > x ? x : old - 1"),
    LOOPS("take_from", "x - old", "x - old"),
    LOOPS("add_float", "as_uint(as_float(old) + as_float(x))", "as_ulong(as_double(old) + as_double(x))"),
    LOOPS("min_float", "as_float(x) < as_float(old) ? x : old", "as_double(x) < as_double(old) ? x : old"),
    LOOPS("max_float", "as_float(x) > as_float(old) ? x : old", "as_double(x) > as_double(old) ? x : old"),
    {"bit_field_u", R"(// `width` bits of `x` from `offset` on.
static inline uint bit_field_u(uint x, uint offset, uint width) {
  return x >> (offset & 31u) & ((1u << (width & 31u)) - 1u);
}
)"},
    {"bit_field_i", R"(// The same with the sign of the highest one.
static inline int bit_field_i(int x, uint offset, uint width) {
  const uint w = width & 31u;
  return w == 0u ? 0 : (int)((uint)(x >> (offset & 31u)) << (32u - w)) >> (32u - w);
}
)"},
    {"quotient", R"(// What the machine code's own sequence gives where y is 0.
static inline uint quotient(uint x, uint y) { return y == 0u ? max(x, 1u) : x / y; }
)"},
    {"quotient_from_below", R"(// What another such sequence gives where y is 0.
static inline uint quotient_from_below(uint x, uint y) { return y == 0u ? max(x, 1u) + 1u : x / y; }
)"},
    {"quotient_by_floats", R"(// What a sequence in floats gives where y is 0; no device divides by it.
static inline uint quotient_by_floats(uint x, uint y) {
  return y != 0u ? x / max(y, 1u) : x == 0u ? 0u : UINT_MAX;
}
)"},
    {"rest_of_division", R"(static inline uint rest_of_division(uint x, uint y) { return y == 0u ? x : x % y; }
)"},
    {"low24_u", R"(static inline uint low24_u(uint x) { return x & 0xffffffu; }
)"},
    {"low24_i", R"(static inline int low24_i(int x) { return (int)((uint)x << 8) >> 8; }
)"},
    {"sign_extend_8", R"(static inline int sign_extend_8(int x) { return (int)((uint)x << 24) >> 24; }
)"},
    {"sign_extend_16", R"(static inline int sign_extend_16(int x) { return (int)((uint)x << 16) >> 16; }
)"},
    {"align_bit", R"(static inline uint align_bit(uint high, uint low, uint shift) {
  return (uint)(((ulong)high << 32 | low) >> (shift & 31u));
}
)"},
    {"first_bit_high", R"(// Zeros above the highest one; all ones where there is none.
static inline uint first_bit_high(uint x) { return x == 0u ? 0xffffffffu : clz(x); }
)"},
    {"first_bit_high_i", R"(static inline uint first_bit_high_i(int x) {
  const uint y = (uint)(x < 0 ? ~x : x);
  return y == 0u ? 0xffffffffu : clz(y);
}
)"},
    {"first_bit_low", R"(// Zeros below the lowest one; all ones where there is none.
static inline uint first_bit_low(uint x) { return x == 0u ? 0xffffffffu : 31u - clz(x & (0u - x)); }
)"},
    {"reverse_bits", R"(static inline uint reverse_bits(uint x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
  return x >> 16 | x << 16;
}
)"},
    {"abs_i", R"(// `abs` of some runtimes may do anything with the smallest number.
static inline uint abs_i(int x) { return (uint)max(x, (int)(0u - (uint)x)); }
)"},
    {"abs_difference_i", R"(static inline uint abs_difference_i(uint a, uint b) {
  const uint d = a - b;
  return d >> 31 != 0u ? 0u - d : d;
}
)"},
    {"sad_u8", R"(static inline uint sad_u8(uint a, uint b) {
  const uchar4 d = abs_diff(as_uchar4(a), as_uchar4(b));
  return (uint)d.x + d.y + d.z + d.w;
}
)"},
    {"sad_u8_masked", R"(// Without the bytes that `b` has none for.
static inline uint sad_u8_masked(uint a, uint b) {
  const uchar4 x = as_uchar4(a), y = as_uchar4(b), d = y == (uchar4)(0) ? (uchar4)(0) : abs_diff(x, y);
  return (uint)d.x + d.y + d.z + d.w;
}
)"},
    {"sad_u16", R"(static inline uint sad_u16(uint a, uint b) {
  const ushort2 d = abs_diff(as_ushort2(a), as_ushort2(b));
  return (uint)d.x + d.y;
}
)"},
    {"four_sads_u8",
     R"(// At each byte of the lower half of `a`, in 16 bits each.
static inline ulong four_sads_u8(ulong a, uint b, ulong c) {
  ushort4 out = as_ushort4(c);
  out += (ushort4)((ushort)sad_u8((uint)a, b), (ushort)sad_u8((uint)(a >> 8), b), (ushort)sad_u8((uint)(a >> 16), b),
                   (ushort)sad_u8((uint)(a >> 24), b));
  return as_ulong(out);
}
)",
     {"sad_u8", ""}},
    {"four_sads_u8_masked",
     R"(static inline ulong four_sads_u8_masked(ulong a, uint b, ulong c) {
  ushort4 out = as_ushort4(c);
  out += (ushort4)((ushort)sad_u8_masked((uint)a, b), (ushort)sad_u8_masked((uint)(a >> 8), b),
                   (ushort)sad_u8_masked((uint)(a >> 16), b), (ushort)sad_u8_masked((uint)(a >> 24), b));
  return as_ulong(out);
}
)",
     {"sad_u8_masked", ""}},
    {"lerp_u8", R"(// Means of bytes, rounded up where a byte of `c` is odd.
static inline uint lerp_u8(uint a, uint b, uint c) {
  const uchar4 x = as_uchar4(a), y = as_uchar4(b);
  return as_uint((as_uchar4(c) & (uchar4)(1)) != (uchar4)(0) ? rhadd(x, y) : hadd(x, y));
}
)"},
    {"perm_bytes",
     R"(// Bytes of `low` (0 to 3) and `high` (4 to 7), of signs (8 to 11), zeros and ones, by the bytes of `select`.
static inline uint perm_bytes(uint high, uint low, uint select) {
  const ulong x = (ulong)high << 32 | low;
  uint out = 0u;
  for (uint n = 0u; n < 32u; n += 8u) {
    const uint s = select >> n & 255u;
    const uint sign = (uint)(x >> ((s & 3u) * 16u + 15u)) & 1u;
    out |= (s < 8u ? (uint)(x >> s * 8u) & 255u : s < 12u ? sign * 255u : s == 12u ? 0u : 255u) << n;
  }
  return out;
}
)"},
    {"first_bit_high_64", R"(// Zeros above the highest one; all ones where there is none.
static inline uint first_bit_high_64(ulong x) { return x == 0ul ? 0xffffffffu : (uint)clz(x); }
)"},
    {"first_bit_low_64", R"(// Zeros below the lowest one; all ones where there is none.
static inline uint first_bit_low_64(ulong x) { return x == 0ul ? 0xffffffffu : 63u - (uint)clz(x & (0ul - x)); }
)"},
    {"bit_field_u_64", R"(// `width` bits of `x` from `offset` on.
static inline ulong bit_field_u_64(ulong x, uint offset, uint width) {
  const ulong y = x >> (offset & 63u);
  return width >= 64u ? y : y & ((1ul << width) - 1ul);
}
)"},
    {"bit_field_i_64", R"(// The same with the sign of the highest one.
static inline long bit_field_i_64(long x, uint offset, uint width) {
  const long y = x >> (offset & 63u);
  return width == 0u ? 0l : width >= 64u ? y : (long)((ulong)y << (64u - width)) >> (64u - width);
}
)"},
    {"class_f", R"(// Whether a float is of one of the classes that the bits of `mask` name.
static inline bool class_f(uint x, uint mask) {
  const uint e = x >> 23 & 255u, m = x & 0x7fffffu, negative = x >> 31;
  if (e == 255u && m != 0u) return (mask >> (m >> 22) & 1u) != 0u;
  const uint kind = e == 255u ? 0u : e != 0u ? 1u : m != 0u ? 2u : 3u;
  return (mask >> (negative != 0u ? 2u + kind : 9u - kind) & 1u) != 0u;
}
)"},
    {"class_h", R"(// Whether a float of 16 bits is of one of the classes that the bits of `mask` name.
static inline bool class_h(uint x, uint mask) {
  const uint e = x >> 10 & 31u, m = x & 0x3ffu, negative = x >> 15;
  if (e == 31u && m != 0u) return (mask >> (m >> 9) & 1u) != 0u;
  const uint kind = e == 31u ? 0u : e != 0u ? 1u : m != 0u ? 2u : 3u;
  return (mask >> (negative != 0u ? 2u + kind : 9u - kind) & 1u) != 0u;
}
)"},
    {"class_d", R"(// Whether a double is of one of the classes that the bits of `mask` name.
static inline bool class_d(ulong x, uint mask) {
  const uint e = (uint)(x >> 52) & 2047u, negative = (uint)(x >> 63);
  const ulong m = x & 0xffffffffffffful;
  if (e == 2047u && m != 0ul) return (mask >> (uint)(m >> 51) & 1u) != 0u;
  const uint kind = e == 2047u ? 0u : e != 0u ? 1u : m != 0ul ? 2u : 3u;
  return (mask >> (negative != 0u ? 2u + kind : 9u - kind) & 1u) != 0u;
}
)"},
    {"texel_kind", R"(// What the components of an image's texels are.
#define SIGNED_TEXELS 1
#define UNSIGNED_TEXELS 2
static inline int texel_kind(int data_type) {
  switch (data_type) {
    case CLK_SIGNED_INT8:
    case CLK_SIGNED_INT16:
    case CLK_SIGNED_INT32: return SIGNED_TEXELS;
    case CLK_UNSIGNED_INT8:
    case CLK_UNSIGNED_INT16:
    case CLK_UNSIGNED_INT32: return UNSIGNED_TEXELS;
    default: return 0;  // floats
  }
}
#define TEXEL_KIND(image) texel_kind((int)get_image_channel_data_type(image))
)"},
    {"read_texel",
     R"(// The bits of a texel, whatever its components are.
#define read_texel(image, sampler, at) \
  (TEXEL_KIND(image) == SIGNED_TEXELS     ? as_uint4(read_imagei(image, sampler, at)) \
   : TEXEL_KIND(image) == UNSIGNED_TEXELS ? read_imageui(image, sampler, at) \
                                          : as_uint4(read_imagef(image, sampler, at)))
)",
     {"texel_kind", ""}},
    {"read_element",
     R"(// The bits of an element of a buffer, whatever its components are.
#define read_element(image, at) \
  (TEXEL_KIND(image) == SIGNED_TEXELS     ? as_uint4(read_imagei(image, at)) \
   : TEXEL_KIND(image) == UNSIGNED_TEXELS ? read_imageui(image, at) \
                                          : as_uint4(read_imagef(image, at)))
)",
     {"texel_kind", ""}},
    {"write_texel",
     R"(#define write_texel(image, at, texel) \
  do { \
    if (TEXEL_KIND(image) == SIGNED_TEXELS) \
      write_imagei(image, at, as_int4(texel)); \
    else if (TEXEL_KIND(image) == UNSIGNED_TEXELS) \
      write_imageui(image, at, texel); \
    else \
      write_imagef(image, at, as_float4(texel)); \
  } while (false)
)",
     {"texel_kind", ""}},
    {"object_channel_type", R"(// The channel type in the numbers of the old image objects.
__constant uchar object_types[16] = {0, 1, 2, 3, 6, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 4};
#define object_channel_type(image) \
  ((int)object_types[((uint)get_image_channel_data_type(image) - CLK_SNORM_INT8) & 15u])
)"},
    {"object_channel_order", R"(// The channel order in the numbers of the old image objects.
__constant uchar object_orders[32] = {1, 0, 3, 5, 6, 8, 9, 10, 16, 17, 2, 4, 7, 18, 19, 12, 13, 14, 15, 11};
#define object_channel_order(image) ((int)object_orders[((uint)get_image_channel_order(image) - CLK_R) & 31u])
)"},
    {"inside_1d", R"(#define inside_1d(image, x) ((uint)(x) < (uint)get_image_width(image))
)"},
    {"inside_1d_array", R"(#define inside_1d_array(image, x, layer) \
  ((uint)(x) < (uint)get_image_width(image) && (uint)(layer) < (uint)get_image_array_size(image))
)"},
    {"inside_2d", R"(#define inside_2d(image, x, y) \
  ((uint)(x) < (uint)get_image_width(image) && (uint)(y) < (uint)get_image_height(image))
)"},
    {"inside_2d_array",
     R"(#define inside_2d_array(image, x, y, layer) \
  (inside_2d(image, x, y) && (uint)(layer) < (uint)get_image_array_size(image))
)",
     {"inside_2d", ""}},
    {"inside_3d",
     R"(#define inside_3d(image, x, y, z) (inside_2d(image, x, y) && (uint)(z) < (uint)get_image_depth(image))
)",
     {"inside_2d", ""}},
    {"mul_legacy", R"(// Zero times anything is zero.
static inline float mul_legacy(float a, float b) { return a == 0.0f || b == 0.0f ? 0.0f : a * b; }
)"},
    {"flush_f", R"(// A denormal counts as a zero of its sign.
static inline float flush_f(float x) { return fabs(x) < 0x1p-126f ? copysign(0.0f, x) : x; }
)"},
    {"clamp01", R"(// To 0 from below and of NaN, to 1 from above; -0 stays.
static inline float clamp01(float x) { return isnan(x) || x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x; }
)"},
    {"clamp01_d", R"(// To 0 from below and of NaN, to 1 from above; -0 stays.
static inline double clamp01_d(double x) { return isnan(x) || x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x; }
)"},
    {"min_f", R"(// A number beats a NaN, and -0 is below +0.
static inline float min_f(float a, float b) {
  return isnan(a) ? b : isnan(b) ? a : a < b || (a == b && signbit(a)) ? a : b;
}
)"},
    {"max_f", R"(// A number beats a NaN, and -0 is below +0.
static inline float max_f(float a, float b) {
  return isnan(a) ? b : isnan(b) ? a : a > b || (a == b && !signbit(a)) ? a : b;
}
)"},
    {"med_f",
     R"(// The middle one; the least number where one is a NaN.
static inline float med_f(float a, float b, float c) {
  if (isnan(a) || isnan(b) || isnan(c)) return min_f(min_f(a, b), c);
  const float low = a > b ? b : a, high = a > b ? a : b;
  return c < low ? low : c > high ? high : c;
}
)",
     {"min_f", ""}},
    {"half_of_float", R"(// The bits of a float of 16 bits, rounded to the nearest.
static inline uint half_of_float(float x) {
  ushort h;
  if (isnan(x)) return (as_uint(x) >> 16 & 0x8000u) | 0x7e00u;
  vstore_half_rte(x, 0, (half*)&h);
  return h;
}
)"},
    {"byte_of_float", R"(// To the nearest; what does not fit saturates, and NaN gives 0.
static inline uint byte_of_float(float x) { return isnan(x) ? 0u : (uint)convert_uchar_sat_rte(x); }
)"},
    {"half_toward_zero", R"(// The same, rounded toward zero.
static inline uint half_toward_zero(float x) {
  const uint sign = as_uint(x) >> 16 & 0x8000u, rest = as_uint(x) & 0x7fffffffu;
  if (rest > 0x7f800000u) return sign | 0x7e00u;
  if (rest >= 0x47800000u) return sign | (rest == 0x7f800000u ? 0x7c00u : 0x7bffu);
  if (rest >= 0x38800000u) return sign | (rest - 0x38000000u) >> 13;
  return sign | (rest < 0x33800000u ? 0u : ((rest & 0x7fffffu) | 0x800000u) >> (126u - (rest >> 23)));
}
)"},
    {"float_of_half", R"(static inline float float_of_half(uint x) {
  const ushort h = (ushort)x;
  return vload_half(0, (const half*)&h);
}
)"},
    {"min_d", R"(static inline double min_d(double a, double b) {
  return isnan(a) ? b : isnan(b) ? a : a < b || (a == b && signbit(a)) ? a : b;
}
)"},
    {"max_d", R"(static inline double max_d(double a, double b) {
  return isnan(a) ? b : isnan(b) ? a : a > b || (a == b && !signbit(a)) ? a : b;
}
)"},
    {"fence", R"(// For the whole device: what was stored before is there, and what is loaded then is read anew.
#ifdef __AMDGCN__
#define fence() __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent")
#else
#define fence() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
)"},
    {"rcp", R"(#ifdef __AMDGCN__
#define rcp(x) __builtin_amdgcn_rcpf(x)
#else
#define rcp(x) (1.0f / (x))
#endif
)"},
    {"rsq", R"(#ifdef __AMDGCN__
#define rsq(x) __builtin_amdgcn_rsqf(x)
#else
#define rsq(x) (1.0f / sqrt(x))
#endif
)"},
    {"rsq_d", R"(#ifdef __AMDGCN__
#define rsq_d(x) __builtin_amdgcn_rsq(x)
#else
#define rsq_d(x) (1.0 / sqrt(x))
#endif
)"},
    {"sqrt_f", R"(#ifdef __AMDGCN__
#define sqrt_f(x) __builtin_amdgcn_sqrtf(x)
#else
#define sqrt_f(x) sqrt(x)
#endif
)"},
    {"exp2_f", R"(#ifdef __AMDGCN__
#define exp2_f(x) __builtin_amdgcn_exp2f(x)
#else
#define exp2_f(x) exp2(x)
#endif
)"},
    {"log2_f", R"(#ifdef __AMDGCN__
#define log2_f(x) __builtin_amdgcn_logf(x)
#else
#define log2_f(x) log2(x)
#endif
)"},
    {"finite_f", R"(// Infinities become the largest number of their sign.
static inline float finite_f(float x) { return isinf(x) ? copysign(MAXFLOAT, x) : x; }
)"},
    {"sin_turns", R"(// The sine of an angle in revolutions.
#ifdef __AMDGCN__
#define sin_turns(x) __builtin_amdgcn_sinf(x)
#else
static inline float sin_turns(float x) {
  return !isfinite(x) ? NAN : fabs(x) > 256.0f ? 0.0f : sinpi(2.0f * (x - rint(x)));
}
#endif
)"},
    {"cos_turns", R"(// The cosine of an angle in revolutions.
#ifdef __AMDGCN__
#define cos_turns(x) __builtin_amdgcn_cosf(x)
#else
static inline float cos_turns(float x) {
  return !isfinite(x) ? NAN : fabs(x) > 256.0f ? 1.0f : cospi(2.0f * (x - rint(x)));
}
#endif
)"},
    {"fract_f", R"(// Below one, always; NaN of infinities.
static inline float fract_f(float x) {
  const float r = x - floor(x);
  return r >= 1.0f ? 0x1.fffffep-1f : r;
}
)"},
    {"fract_d", R"(// Below one, always; NaN of infinities.
static inline double fract_d(double x) {
  const double r = x - floor(x);
  return r >= 1.0 ? 0x1.fffffffffffffp-1 : r;
}
)"},
    {"frexp_exp_f", R"(static inline int frexp_exp_f(float x) { return !isfinite(x) || x == 0.0f ? 0 : ilogb(x) + 1; }
)"},
    {"frexp_exp_d", R"(static inline int frexp_exp_d(double x) { return !isfinite(x) || x == 0.0 ? 0 : ilogb(x) + 1; }
)"},
    {"frexp_mant_f", R"(static inline float frexp_mant_f(float x) {
  return !isfinite(x) || x == 0.0f ? x : ldexp(x, -ilogb(x) - 1);
}
)"},
    {"frexp_mant_d", R"(static inline double frexp_mant_d(double x) {
  return !isfinite(x) || x == 0.0 ? x : ldexp(x, -ilogb(x) - 1);
}
)"},
    {"trig_preop_d", R"(// 53 bits of 2/pi for the reduction of x; the first 1184 are known.
#ifdef __AMDGCN__
static inline double trig_preop_d(double x, uint part) { return __builtin_amdgcn_trig_preop(x, part); }
#else
__constant uint two_by_pi[37] = {
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u,
    0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u,
    0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu,
    0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu,
    0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u};
static inline double trig_preop_d(double x, uint part) {
  const uint exponent = (uint)(as_ulong(x) >> 52) & 0x7ffu;
  const uint shift = (part & 31u) * 53u + (exponent > 1077u ? exponent - 1077u : 0u);
  const uint at = shift >> 5, rest = shift & 31u;
  if (at > 34u) return 0.0;
  ulong bits = (ulong)two_by_pi[at] << 32 | two_by_pi[at + 1u];
  if (rest != 0u) bits = bits << rest | two_by_pi[at + 2u] >> (32u - rest);
  return ldexp((double)(bits >> 11), (exponent >= 1968u ? 75 : -53) - (int)shift);
}
#endif
)"},
    {"int_of_float", R"(// Toward zero; what does not fit saturates, and NaN gives 0.
static inline int int_of_float(float x) {
  return isnan(x) ? 0 : x <= -2147483648.0f ? INT_MIN : x >= 2147483648.0f ? INT_MAX : (int)x;
}
)"},
    {"uint_of_float", R"(// Toward zero; what does not fit saturates, and NaN gives 0.
static inline uint uint_of_float(float x) {
  return isnan(x) || x <= 0.0f ? 0u : x >= 4294967296.0f ? UINT_MAX : (uint)x;
}
)"},
    {"int_of_double", R"(// Toward zero; what does not fit saturates, and NaN gives 0.
static inline int int_of_double(double x) {
  return isnan(x) ? 0 : x <= -2147483648.0 ? INT_MIN : x >= 2147483648.0 ? INT_MAX : (int)x;
}
)"},
    {"uint_of_double", R"(// Toward zero; what does not fit saturates, and NaN gives 0.
static inline uint uint_of_double(double x) {
  return isnan(x) || x <= 0.0 ? 0u : x >= 4294967296.0 ? UINT_MAX : (uint)x;
}
)"},
    {"exponent_d", R"(static inline int exponent_d(double x) { return (int)(as_ulong(x) >> 52 & 2047ul); }
)"},
    {"denormal_d", R"(static inline bool denormal_d(double x) {
  return (as_ulong(x) & 0x7ff0000000000000ul) == 0ul && (as_ulong(x) & 0xffffffffffffful) != 0ul;
}
)"},
    {"div_scale_d",
     R"(// First step of a division: scales `x`, one of the other two, away from over- and underflow.
static inline double div_scale_d(double x, double denominator, double numerator) {
  if (numerator == 0.0 || denominator == 0.0) return NAN;
  if (exponent_d(numerator) - exponent_d(denominator) >= 768) return x == denominator ? ldexp(x, 128) : x;
  if (denormal_d(denominator)) return ldexp(x, 128);
  const bool tiny_reciprocal = denormal_d(1.0 / denominator), tiny_quotient = denormal_d(numerator / denominator);
  if (tiny_reciprocal && tiny_quotient) return x == denominator ? ldexp(x, -128) : x;
  if (tiny_reciprocal) return ldexp(x, -128);
  if (tiny_quotient) return x == numerator ? ldexp(x, 128) : x;
  return exponent_d(numerator) <= 53 ? ldexp(x, 128) : x;
}
)",
     {"exponent_d", "denormal_d"}},
    {"div_scaled_d",
     R"(// Whether the last step has to undo a scale.
static inline bool div_scaled_d(double x, double denominator, double numerator) {
  (void)x;
  if (numerator == 0.0 || denominator == 0.0) return false;
  if (exponent_d(numerator) - exponent_d(denominator) >= 768) return true;
  return !denormal_d(denominator) && denormal_d(numerator / denominator);
}
)",
     {"exponent_d", "denormal_d"}},
    {"div_fmas_d",
     R"(// Multiply and add of a division, which undoes the scale of the first step, 2^128 or 2^-128; rounded once.
static inline double div_fmas_d(double a, double b, double c, bool scaled) {
  const double sum = fma(a, b, c);
  if (!scaled) return sum;
  const int power = exponent_d(c) > 1023 ? 128 : -128;
  if (isinf(sum) && power < 0 && isfinite(a) && isfinite(b))
    return fabs(a) < fabs(b) ? fma(a, ldexp(b, power), ldexp(c, power)) : fma(ldexp(a, power), b, ldexp(c, power));
  const double out = ldexp(sum, power), lost = sum - ldexp(out, -power);
  if (fabs(lost) != ldexp(1.0, -1075 - power)) return out;
  const double product = a * b, near = product + c, part = near - product;
  const double rest = (near - sum) + ((product - (near - part)) + (c - part)) + fma(a, b, -product);
  return lost > 0.0 && rest > 0.0   ? nextafter(out, (double)INFINITY)
         : lost < 0.0 && rest < 0.0 ? nextafter(out, (double)-INFINITY)
                                    : out;
}
)",
     {"exponent_d", ""}},
    {"div_fixup_d",
     R"(// Last step of a division: the cases that the refined quotient does not get right.
static inline double div_fixup_d(double quotient, double denominator, double numerator) {
  const double sign = signbit(denominator) != signbit(numerator) ? -1.0 : 1.0;
  if (isnan(numerator)) return numerator;
  if (isnan(denominator)) return denominator;
  if ((denominator == 0.0 && numerator == 0.0) || (isinf(denominator) && isinf(numerator)))
    return as_double(0xfff8000000000000ul);
  if (denominator == 0.0 || isinf(numerator)) return sign * INFINITY;
  if (isinf(denominator) || numerator == 0.0) return sign * 0.0;
  if (exponent_d(numerator) - exponent_d(denominator) < -1075) return sign * 0.0;
  return sign * (isnan(quotient) ? (double)INFINITY : fabs(quotient));
}
)",
     {"exponent_d", ""}},
    {"exponent_f", R"(static inline int exponent_f(float x) { return (int)(as_uint(x) >> 23 & 255u); }
)"},
    {"denormal_f", R"(static inline bool denormal_f(float x) {
  return (as_uint(x) & 0x7f800000u) == 0u && (as_uint(x) & 0x7fffffu) != 0u;
}
)"},
    {"div_scale_f",
     R"(// First step of a division: scales `x`, one of the other two, away from over- and underflow.
static inline float div_scale_f(float x, float denominator, float numerator) {
  if (numerator == 0.0f || denominator == 0.0f) return NAN;
  if (exponent_f(numerator) - exponent_f(denominator) >= 96) return x == denominator ? ldexp(x, 64) : x;
  if (denormal_f(denominator)) return ldexp(x, 64);
  const bool tiny_reciprocal = denormal_f(1.0f / denominator), tiny_quotient = denormal_f(numerator / denominator);
  if (tiny_reciprocal && tiny_quotient) return x == denominator ? ldexp(x, -64) : x;
  if (tiny_reciprocal) return ldexp(x, -64);
  if (tiny_quotient) return x == numerator ? ldexp(x, 64) : x;
  return exponent_f(numerator) <= 23 ? ldexp(x, 64) : x;
}
)",
     {"exponent_f", "denormal_f"}},
    {"div_scaled_f",
     R"(// Whether the last step has to undo a scale.
static inline bool div_scaled_f(float x, float denominator, float numerator) {
  (void)x;
  if (numerator == 0.0f || denominator == 0.0f) return false;
  if (exponent_f(numerator) - exponent_f(denominator) >= 96) return true;
  return !denormal_f(denominator) && denormal_f(numerator / denominator);
}
)",
     {"exponent_f", "denormal_f"}},
    {"div_fmas_f",
     R"(// Multiply and add of a division, which undoes the scale of the first step, 2^64 or 2^-64; rounded once.
static inline float div_fmas_f(float a, float b, float c, bool scaled) {
  const float sum = fma(a, b, c);
  if (!scaled) return sum;
  const int power = exponent_f(c) > 127 ? 64 : -64;
  if (isinf(sum) && power < 0 && isfinite(a) && isfinite(b))
    return fabs(a) < fabs(b) ? fma(a, ldexp(b, power), ldexp(c, power)) : fma(ldexp(a, power), b, ldexp(c, power));
  const float out = ldexp(sum, power), lost = sum - ldexp(out, -power);
  if (fabs(lost) != ldexp(1.0f, -150 - power)) return out;
  const float product = a * b, near = product + c, part = near - product;
  const float rest = (near - sum) + ((product - (near - part)) + (c - part)) + fma(a, b, -product);
  return lost > 0.0f && rest > 0.0f   ? nextafter(out, INFINITY)
         : lost < 0.0f && rest < 0.0f ? nextafter(out, -INFINITY)
                                      : out;
}
)",
     {"exponent_f", ""}},
    {"divide",
     R"(// Rounded correctly; devices but AMD's do so where they always do, or where they are asked to as they compile:
// -cl-fp32-correctly-rounded-divide-sqrt.
#ifdef __AMDGCN__
static inline float divide(float x, float y) {
  bool scaled, unused;
  const float d = __builtin_amdgcn_div_scalef(x, y, false, &unused);
  const float n = __builtin_amdgcn_div_scalef(x, y, true, &scaled);
  const float estimate = __builtin_amdgcn_rcpf(d), inverse = fma(fma(-d, estimate, 1.0f), estimate, estimate);
  const float product = n * inverse, quotient = fma(fma(-d, product, n), inverse, product);
  return __builtin_amdgcn_div_fixupf(
      __builtin_amdgcn_div_fmasf(fma(-d, quotient, n), inverse, quotient, scaled), y, x);
}
#else
#define divide(x, y) ((x) / (y))
#endif
)"},
    {"half_of_double", R"(// The bits of a float of 16 bits, rounded to the nearest.
static inline uint half_of_double(double x) {
  ushort h;
  if (isnan(x)) return 0x7e00u;
  vstore_half_rte(x, 0, (half*)&h);
  return h;
}
)"},
    {"div_fixup_f",
     R"(// Last step of a division: the cases that the refined quotient does not get right.
static inline float div_fixup_f(float quotient, float denominator, float numerator) {
  const float sign = signbit(denominator) != signbit(numerator) ? -1.0f : 1.0f;
  if (isnan(numerator)) return numerator;
  if (isnan(denominator)) return denominator;
  if ((denominator == 0.0f && numerator == 0.0f) || (isinf(denominator) && isinf(numerator)))
    return as_float(0xffc00000u);
  if (denominator == 0.0f || isinf(numerator)) return sign * INFINITY;
  if (isinf(denominator) || numerator == 0.0f) return sign * 0.0f;
  if (exponent_f(numerator) - exponent_f(denominator) < -150) return sign * 0.0f;
  return sign * (isnan(quotient) ? INFINITY : fabs(quotient));
}
)",
     {"exponent_f", ""}},
};

}  // namespace

bool in_prelude(std::string_view name) {
  return std::ranges::find(kFunctions, name, &Function::name) != std::end(kFunctions);
}

std::string prelude(const std::vector<std::string>& names) {
  std::set<std::string_view> wanted(names.begin(), names.end());
  for (const Function& function : kFunctions)
    if (wanted.contains(function.name))
      for (const std::string_view need : function.needs) wanted.insert(need);
  std::string out;
  for (const Function& function : kFunctions)
    if (wanted.contains(function.name)) {
      out += function.text;
      if (function.text.back() == '\n' && !function.text.starts_with("typedef")) out += "\n";
    }
  if (!out.empty() && !out.ends_with("\n\n")) out += "\n";
  return out;
}

}  // namespace amdcompat::lift
