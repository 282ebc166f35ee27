// Vector instructions: VOP2, VOP1, VOP3. [SIA; CIA; VIA: instruction chapter, the section of each format]
//
// Floating point is the host's IEEE arithmetic, unfused (this module is compiled with -ffp-contract=off). The hardware
// documents allow the approximations an error of one unit in the last place or more; here they are rounded correctly
// from double precision: rcp, rsq, sqrt, exp, log, sin, cos of 32 bits. Those of 64 bits are the host's own.
#include <algorithm>
#include <limits>

#include "access.hpp"
#include "arithmetic.hpp"
#include "half.hpp"

namespace amdcompat::emulate {
namespace {

// --- helpers -------------------------------------------------------------------------------------------------------

i32 low24(i32 a) { return static_cast<i32>(static_cast<u32>(a) << 8) >> 8; }
u32 low24(u32 a) { return a & 0xffffff; }

float finite(float x) {  // infinities become the largest number of their sign
  return std::isinf(x) ? std::copysign(std::numeric_limits<float>::max(), x) : x;
}
float zero_for_infinity(float x) {  // of its sign [CLRX GcnInstrsVop1: V_RCP_LEGACY_F32]
  return std::isinf(x) ? std::copysign(0.0f, x) : x;
}
double finite(double x) { return std::isinf(x) ? std::copysign(std::numeric_limits<double>::max(), x) : x; }

template <class T>
T fraction(T x) {
  // Never 1: tiny negative numbers would round up to it.
  const T r = x - std::floor(x);
  return r >= T{1} ? std::nextafter(T{1}, T{0}) : r;
}

// First step of a division: scales `value`, which is the denominator or the numerator, away from over- and underflow.
template <class T>
Masked<T> divide_scale(T value, T denominator, T numerator) {
  constexpr i32 k = Float<T>::kScale;
  if (numerator == T{0} || denominator == T{0}) return {std::numeric_limits<T>::quiet_NaN(), false};
  if (exponent_of(numerator) - exponent_of(denominator) >= Float<T>::kFar)
    return {value == denominator ? std::ldexp(value, k) : value, true};
  if (denormal(denominator)) return {std::ldexp(value, k), false};
  const bool tiny_reciprocal = denormal(T{1} / denominator), tiny_quotient = denormal(numerator / denominator);
  // The documents scale it up here too, to infinity, and no such quotient would come out. [docs/emulate.md]
  if (tiny_reciprocal && tiny_quotient) return {value == denominator ? std::ldexp(value, -k) : value, true};
  if (tiny_reciprocal) return {std::ldexp(value, -k), false};
  if (tiny_quotient) return {value == numerator ? std::ldexp(value, k) : value, true};
  if (exponent_of(numerator) <= Float<T>::kTiny) return {std::ldexp(value, k), false};
  return {value, false};
}
// Bits of 2/pi that the reduction of `value` needs, 53 from the place that its exponent and `part` say; the first 1184
// are known, zero behind them. [VEGA: «V_TRIG_PREOP_F64»; LLVM: constant folding of llvm.amdgcn.trig.preop]
double part_of_two_by_pi(double value, u32 part) {
  constexpr u32 kBits[] = {0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
                           0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
                           0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b,
                           0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
                           0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
                           0x1f8d5d08, 0x56033046};
  const u32 exponent = static_cast<u32>(std::bit_cast<u64>(value) >> 52) & 0x7ff;
  const u32 shift = (part & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0), at = shift / 32, rest = shift % 32;
  if (at + 2 >= std::size(kBits)) return 0;
  u64 bits = u64{kBits[at]} << 32 | kBits[at + 1];
  if (rest != 0) bits = bits << rest | kBits[at + 2] >> (32 - rest);
  return std::ldexp(static_cast<double>(bits >> 11), (exponent >= 1968 ? 75 : -53) - static_cast<int>(shift));
}

// To the nearest, to even between two, as CLRX says too: a kernel on a gfx90c was found to round so (agnos,
// blend_premul.s), and shadPS4 does it since its pull request 5194.
u32 nearest_byte(float a) { return std::min(saturate<u32>(std::nearbyint(a)), 255u); }
u32 sad8(u32 a, u32 b, bool masked) {
  u32 sum = 0;
  for (u32 n = 0; n < 32; n += 8) {
    const u32 x = a >> n & 255, y = b >> n & 255;
    if (!masked || y != 0) sum += x > y ? x - y : y - x;
  }
  return sum;
}
u32 sad16(u32 a, u32 b) {
  u32 sum = 0;
  for (u32 n = 0; n < 32; n += 16) {
    const u32 x = a >> n & 0xffff, y = b >> n & 0xffff;
    sum += x > y ? x - y : y - x;
  }
  return sum;
}
u32 lerp8(u32 a, u32 b, u32 c) {
  u32 out = 0;
  for (u32 n = 0; n < 32; n += 8) out |= ((a >> n & 255) + (b >> n & 255) + (c >> n & 1)) >> 1 << n;
  return out;
}
u32 reversed(u32 value) {
  u32 out = 0;
  for (u32 n = 0; n < 32; ++n) out |= (value >> n & 1) << (31 - n);
  return out;
}

// Reads and writes of lanes spill scalar registers, those too that are not set yet: see `move_value`.

// The first enabled lane, or 0 when none is.
void read_first_lane(Wave& wave, const Instruction& i) {
  if (i.sources[0] < kFirstVector) return wave.set_sgpr(i.destination, wave.source32(i, i.sources[0]));
  const u64 exec = wave.exec();
  const u32 lane = exec == 0 ? 0 : static_cast<u32>(std::countr_zero(exec));
  wave.check_vgpr(i.sources[0] - kFirstVector, 1, u64{1} << lane);
  wave.set_sgpr(i.destination, wave.vgpr(i.sources[0] - kFirstVector)[lane]);
}
void read_lane(Wave& wave, const Instruction& i) {
  if (i.sources[0] < kFirstVector) return wave.stop("reads a lane of what is no vector register");
  const u32 lane = wave.source32(i, i.sources[1]) & 63, from = i.sources[0] - kFirstVector;
  wave.set_sgpr(i.destination, wave.vgpr(from)[lane]);
  if ((wave.vgpr_defined(from) >> lane & 1) == 0) wave.undefine_sgpr(i.destination);
}
void write_lane(Wave& wave, const Instruction& i) {
  const u32 from = i.sources[0], lane = wave.source32(i, i.sources[1]) & 63;
  const bool set = from >= 128 || wave.sgpr_defined(from);
  if (!set) wave.define_sgpr(from);
  wave.vgpr(i.destination)[lane] = wave.source32(i, from);
  wave.define_vgpr(i.destination, 1, u64{1} << lane);
  if (set) return;
  wave.undefine_sgpr(from);
  wave.undefine_vgpr(i.destination, u64{1} << lane);
}
// Register numbers plus M0, in the source, the destination or both.
template <bool ToRelative, bool FromRelative>
void move_relative(Wave& wave, const Instruction& i) {
  const u32 m0 = wave.sgpr(kM0);
  if (m0 > 255) return wave.stop("relative move outside the vector registers");
  Instruction moved = i;
  if (ToRelative) moved.destination = static_cast<u16>(i.destination + m0);
  if (FromRelative) moved.sources[0] = static_cast<u16>(i.sources[0] + m0);
  if (FromRelative && i.sources[0] < kFirstVector && moved.sources[0] >= 104)
    return wave.stop("relative move outside the scalar registers");
  vector([](u32 a) -> u32 { return a; }).execute(wave, moved);
}
// Bits of the mask below this lane, within one half of the wavefront.
template <bool High>
void mask_count(Wave& wave, const Instruction& i) {
  const Source<u32> masks(wave, i, 0), sums(wave, i, 1);
  Lanes& out = wave.vgpr(i.destination);
  for (u64 rest = wave.exec(); rest != 0; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    const u64 below = (u64{1} << lane) - 1;
    const u32 mask = masks.at(lane) & static_cast<u32>(High ? below >> 32 : below);
    out[lane] = sums.at(lane) + static_cast<u32>(std::popcount(mask));
  }
  wave.define_vgpr(i.destination, 1, wave.exec());
}
// Compilers copy variables that are not set yet. That does no harm, so the copy is as undefined as its source, and
// nothing is reported before it is used.
void move_value(Wave& wave, const Instruction& i) {
  const u64 exec = wave.exec();
  u64 poisoned = 0;
  if (i.sources[0] >= kFirstVector && i.sources[0] - kFirstVector < wave.vgpr_count()) {
    poisoned = exec & ~wave.vgpr_defined(i.sources[0] - kFirstVector);
    wave.define_vgpr(i.sources[0] - kFirstVector, 1, poisoned);
  }
  vector([](u32 a) -> u32 { return a; }).execute(wave, i);
  if (poisoned == 0) return;
  wave.undefine_vgpr(i.sources[0] - kFirstVector, poisoned);
  wave.undefine_vgpr(i.destination, poisoned);
}
// Compilers add numbers of 32 bits whose upper half is not set, where they use the lower half of the result alone: what
// is not set there is not set in the result either.
template <class Number, class Product>
void multiply_add_wide(Wave& wave, const Instruction& i) {
  const u32 high = i.sources[2] >= kFirstVector ? i.sources[2] - kFirstVector + 1 : ~u32{0};
  const u64 unset = high < wave.vgpr_count() ? wave.exec() & ~wave.vgpr_defined(high) : 0;
  if (unset != 0) wave.define_vgpr(high, 1, unset);
  vector([](Number a, Number b, Product c) -> Masked<Product> {
    const Product product = Product{a} * b;
    Product sum = 0;
    const bool over = __builtin_add_overflow(product, c, &sum);
    return {sum, over};
  }).execute(wave, i);
  if (unset == 0) return;
  if (high != i.destination) wave.undefine_vgpr(high, unset);
  wave.undefine_vgpr(i.destination + 1u, unset);
}
template <class Number, class Product>
inline constexpr Semantics multiply_add{.execute = &multiply_add_wide<Number, Product>,
                                        .destination = Shape::B64,
                                        .sources = {Shape::B32, Shape::B32, Shape::B64},
                                        .mask_out = true};
// What is not set goes with the other register too.
void swap(Wave& wave, const Instruction& i) {
  const u32 other = i.sources[0] - kFirstVector;
  if (i.sources[0] < kFirstVector) return wave.stop("swaps with what is no vector register");
  Lanes &a = wave.vgpr(i.destination), &b = wave.vgpr(other);
  if (wave.status() == Status::Stopped) return;
  each_lane(wave, [&](u32 lane) { std::swap(a[lane], b[lane]); });
  const u64 exec = wave.exec(), set_a = wave.vgpr_defined(i.destination), set_b = wave.vgpr_defined(other);
  wave.undefine_vgpr(i.destination, exec & ~set_b);
  wave.define_vgpr(i.destination, 1, exec & set_b);
  wave.undefine_vgpr(other, exec & ~set_a);
  wave.define_vgpr(other, 1, exec & set_a);
}
constexpr Semantics two_in(Execute execute) {
  return {.execute = execute, .destination = Shape::B32, .sources = {Shape::B32, Shape::B32}};
}
constexpr Semantics one_in(Execute execute) {
  return {.execute = execute, .destination = Shape::B32, .sources = {Shape::B32}};
}
// Multiply and add where the scale of v_div_scale must be undone: the denominator's where the quotient is large, else
// the numerator's. The documents have a factor of 2^32 or 2^64 for both, with which the divisions that AMD's compilers
// emit would be wrong; emulators that were held against hardware of GFX11 have this one. [LLVM: what it makes of fdiv;
// docs/emulate.md]
template <class T>
void divide_fmas(Wave& wave, const Instruction& i) {
  // VCC is an operand that the encoding does not name.
  vector([](T a, T b, T c, Bit scaled) -> T {
    if (!scaled.value) return std::fma(a, b, c);
    return multiply_add_scale(a, b, c, exponent_of(c) > Float<T>::kBias ? Float<T>::kScale : -Float<T>::kScale);
  }).execute(wave, i);
}
template <class T>
constexpr Semantics fmas() {
  return {.execute = &divide_fmas<T>,
          .destination = shape_of<T>(),
          .sources = {shape_of<T>(), shape_of<T>(), shape_of<T>()}};
}

// A byte of two words, the sign of one of its upper bytes, or a constant. [VIA: V_PERM_B32]
u32 permuted(u64 bytes, u32 selects) {
  u32 out = 0;
  for (u32 n = 0; n < 32; n += 8) {
    const u32 select = selects >> n & 255;
    u32 byte = select == 12 ? 0 : 255;
    if (select < 8) byte = static_cast<u32>(bytes >> 8 * select) & 255;
    if (select >= 8 && select < 12) byte = (bytes >> (16 * (select - 8) + 15) & 1) != 0 ? 255 : 0;
    out |= byte << n;
  }
  return out;
}
// Four sums, each of the bytes from the next one on. [VEGA: V_QSAD_PK_U16_U8] Sums of 16 bits lose what is above.
template <bool Masked>
u64 four_sads(u64 a, u32 b, u64 c) {
  u64 out = 0;
  for (u32 n = 0; n < 4; ++n) {
    const u64 sum = sad8(static_cast<u32>(a >> 8 * n), b, Masked) + (c >> 16 * n & 0xffff);
    out |= (sum & 0xffff) << 16 * n;
  }
  return out;
}
void four_wide_sads(Wave& wave, const Instruction& i) {
  if (i.sources[2] < kFirstVector || i.clamp) return wave.stop("v_mqsad_u32_u8 of scalar registers, or clamped");
  const u32 sums = i.sources[2] - kFirstVector;
  const Source<u64> a(wave, i, 0);
  const Source<u32> b(wave, i, 1);
  wave.check_vgpr(sums, 4, wave.exec());
  if (wave.status() == Status::Stopped) return;
  std::array<Lanes, 4> out{};
  for (u64 rest = wave.exec(); rest != 0; rest &= rest - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(rest));
    for (u32 n = 0; n < 4; ++n)
      out[n][lane] = sad8(static_cast<u32>(a.at(lane) >> 8 * n), b.at(lane), true) + wave.vgpr(sums + n)[lane];
  }
  for (u32 n = 0; n < 4; ++n)
    for (u64 rest = wave.exec(); rest != 0; rest &= rest - 1) {
      const u32 lane = static_cast<u32>(std::countr_zero(rest));
      wave.vgpr(i.destination + n)[lane] = out[n][lane];
    }
  wave.define_vgpr(i.destination, 4, wave.exec());
}

// The direction x, y, z as a face of a cube and a place on it. [VEGA: V_CUBEID_F32 and the like]
enum class Cube { Face, S, T, Axis };
template <Cube What>
float cube(float x, float y, float z) {
  const bool z_major = std::fabs(z) >= std::fabs(x) && std::fabs(z) >= std::fabs(y);
  const bool y_major = !z_major && std::fabs(y) >= std::fabs(x);
  const float major = z_major ? z : y_major ? y : x;
  const bool back = major < 0;
  switch (What) {
    case Cube::Face: return (z_major ? 4.0f : y_major ? 2.0f : 0.0f) + (back ? 1.0f : 0.0f);
    case Cube::S: return z_major ? (back ? -x : x) : y_major ? x : back ? z : -z;
    case Cube::T: return y_major ? (back ? -z : z) : -y;
    case Cube::Axis: return 2.0f * major;
  }
  return 0;
}
// For lighting: zero times anything is zero. [VEGA: V_MULLIT_F32]
float multiply_for_light(float a, float b, float c) {
  constexpr float kMost = std::numeric_limits<float>::max();
  if (std::isnan(b) || b <= -kMost || std::isnan(c) || c <= 0) return -kMost;
  return a == 0 || b == 0 ? 0.0f : a * b;
}

constexpr u32 bit_field(u32 value, u32 offset, u32 width) {
  return value >> (offset & 31) & ((u32{1} << (width & 31)) - 1);
}

// --- the table -----------------------------------------------------------------------------------------------------

// clang-format off
constexpr Row kVectorRows[] = {
    {Opcode::v_cndmask_b32, vector([](Word a, Word b, Bit c) -> u32 { return c.value ? b.value : a.value; })},
    {Opcode::v_readlane_b32, {.execute = &read_lane, .destination = Shape::B32, .sources = {Shape::B32, Shape::B32}, .scalar_destination = true}},
    {Opcode::v_writelane_b32, two_in(&write_lane)},
    {Opcode::v_add_f32, vector([](float a, float b) -> float { return a + b; })},
    {Opcode::v_sub_f32, vector([](float a, float b) -> float { return a - b; })},
    {Opcode::v_subrev_f32, vector([](float a, float b) -> float { return b - a; })},
    {Opcode::v_mac_legacy_f32, vector([](float a, float b, Old<float> d) -> float { return (a == 0 || b == 0 ? 0.0f : a * b) + d.value; })},
    {Opcode::v_mul_legacy_f32, vector([](float a, float b) -> float { return a == 0 || b == 0 ? 0.0f : a * b; })},
    {Opcode::v_mul_f32, vector([](float a, float b) -> float { return a * b; })},
    {Opcode::v_mul_i32_i24, vector([](i32 a, i32 b) -> i32 { return static_cast<i32>(i64{low24(a)} * low24(b)); })},
    {Opcode::v_mul_hi_i32_i24, vector([](i32 a, i32 b) -> i32 { return static_cast<i32>(i64{low24(a)} * low24(b) >> 32); })},
    {Opcode::v_mul_u32_u24, vector([](u32 a, u32 b) -> u32 { return low24(a) * low24(b); })},
    {Opcode::v_mul_hi_u32_u24, vector([](u32 a, u32 b) -> u32 { return static_cast<u32>(u64{low24(a)} * low24(b) >> 32); })},
    {Opcode::v_min_legacy_f32, vector([](float a, float b) -> float { return a < b ? a : b; })},
    {Opcode::v_max_legacy_f32, vector([](float a, float b) -> float { return a >= b ? a : b; })},
    {Opcode::v_min_f32, vector_quieting([](float a, float b) -> float { return least(a, b); })},
    {Opcode::v_max_f32, vector_quieting([](float a, float b) -> float { return most(a, b); })},
    {Opcode::v_min_i32, vector([](i32 a, i32 b) -> i32 { return a < b ? a : b; })},
    {Opcode::v_max_i32, vector([](i32 a, i32 b) -> i32 { return a > b ? a : b; })},
    {Opcode::v_min_u32, vector([](u32 a, u32 b) -> u32 { return a < b ? a : b; })},
    {Opcode::v_max_u32, vector([](u32 a, u32 b) -> u32 { return a > b ? a : b; })},
    {Opcode::v_lshr_b32, vector([](u32 a, u32 b) -> u32 { return a >> (b & 31); })},
    {Opcode::v_lshrrev_b32, vector([](u32 a, u32 b) -> u32 { return b >> (a & 31); })},
    {Opcode::v_ashr_i32, vector([](i32 a, u32 b) -> i32 { return a >> (b & 31); })},
    {Opcode::v_ashrrev_i32, vector([](u32 a, i32 b) -> i32 { return b >> (a & 31); })},
    {Opcode::v_lshl_b32, vector([](u32 a, u32 b) -> u32 { return a << (b & 31); })},
    {Opcode::v_lshlrev_b32, vector([](u32 a, u32 b) -> u32 { return b << (a & 31); })},
    {Opcode::v_add_nc_u32, vector([](u32 a, u32 b) -> Saturated<u32> { return {i64{a} + b}; })},
    {Opcode::v_sub_nc_u32, vector([](u32 a, u32 b) -> Saturated<u32> { return {i64{a} - b}; })},
    {Opcode::v_subrev_nc_u32, vector([](u32 a, u32 b) -> Saturated<u32> { return {i64{b} - a}; })},
    {Opcode::v_add_nc_i32, vector([](i32 a, i32 b) -> Saturated<i32> { return {i64{a} + b}; })},
    {Opcode::v_sub_nc_i32, vector([](i32 a, i32 b) -> Saturated<i32> { return {i64{a} - b}; })},
    {Opcode::v_fmac_f32, vector([](float a, float b, Old<float> d) -> float { return std::fma(a, b, d.value); })},
    {Opcode::v_xnor_b32, vector([](u32 a, u32 b) -> u32 { return ~(a ^ b); })},
    {Opcode::v_xad_u32, vector([](u32 a, u32 b, u32 c) -> u32 { return (a ^ b) + c; })},
    {Opcode::v_add3_u32, vector([](u32 a, u32 b, u32 c) -> u32 { return a + b + c; })},
    {Opcode::v_lshl_add_u32, vector([](u32 a, u32 b, u32 c) -> u32 { return (a << (b & 31)) + c; })},
    {Opcode::v_add_lshl_u32, vector([](u32 a, u32 b, u32 c) -> u32 { return (a + b) << (c & 31); })},
    {Opcode::v_lshl_or_b32, vector([](u32 a, u32 b, u32 c) -> u32 { return a << (b & 31) | c; })},
    {Opcode::v_and_or_b32, vector([](u32 a, u32 b, u32 c) -> u32 { return (a & b) | c; })},
    {Opcode::v_or3_b32, vector([](u32 a, u32 b, u32 c) -> u32 { return a | b | c; })},
    {Opcode::v_swap_b32, {.execute = &swap, .destination = Shape::B32, .sources = {Shape::B32}, .reads_destination = true}},
    {Opcode::v_sat_pk_u8_i16, vector([](u32 a) -> u32 {
      const auto part = [](u32 half) { return static_cast<u32>(std::clamp<i32>(static_cast<i16>(half), 0, 255)); };
      return part(a) | part(a >> 16) << 8; })},
    {Opcode::v_and_b32, vector([](u32 a, u32 b) -> u32 { return a & b; })},
    {Opcode::v_or_b32, vector([](u32 a, u32 b) -> u32 { return a | b; })},
    {Opcode::v_xor_b32, vector([](u32 a, u32 b) -> u32 { return a ^ b; })},
    {Opcode::v_bfm_b32, vector([](u32 a, u32 b) -> u32 { return ((u32{1} << (a & 31)) - 1) << (b & 31); })},
    {Opcode::v_mac_f32, vector([](float a, float b, Old<float> d) -> float { return a * b + d.value; })},
    {Opcode::v_madmk_f32, vector([](float a, Literal k, float b) -> float { return a * k.value + b; })},
    {Opcode::v_madak_f32, vector([](float a, float b, Literal k) -> float { return a * b + k.value; })},
    {Opcode::v_bcnt_u32_b32, vector([](u32 a, u32 b) -> u32 { return static_cast<u32>(std::popcount(a)) + b; })},
    {Opcode::v_mbcnt_lo_u32_b32, two_in(&mask_count<false>)},
    {Opcode::v_mbcnt_hi_u32_b32, two_in(&mask_count<true>)},
    {Opcode::v_add_co_u32, vector([](u32 a, u32 b) -> Masked<Saturated<u32>> { return {{i64{a} + b}, a + b < a}; })},
    {Opcode::v_sub_co_u32, vector([](u32 a, u32 b) -> Masked<Saturated<u32>> { return {{i64{a} - b}, b > a}; })},
    {Opcode::v_subrev_co_u32, vector([](u32 a, u32 b) -> Masked<Saturated<u32>> { return {{i64{b} - a}, a > b}; })},
    {Opcode::v_addc_u32, vector([](u32 a, u32 b, Bit c) -> Masked<u32> {
      const u64 sum = u64{a} + b + c.value; return {static_cast<u32>(sum), sum >> 32 != 0}; })},
    {Opcode::v_subb_u32, vector([](u32 a, u32 b, Bit c) -> Masked<u32> {
      return {a - b - c.value, u64{b} + c.value > a}; })},
    {Opcode::v_subbrev_u32, vector([](u32 a, u32 b, Bit c) -> Masked<u32> {
      return {b - a - c.value, u64{a} + c.value > b}; })},
    {Opcode::v_ldexp_f32, vector([](float a, i32 b) -> float { return std::ldexp(a, b); })},
    {Opcode::v_cvt_pkaccum_u8_f32, vector([](float a, u32 b, Old<u32> d) -> u32 {
      const u32 at = (b & 3) * 8; return (d.value & ~(u32{255} << at)) | nearest_byte(a) << at; })},
    {Opcode::v_cvt_pknorm_i16_f32, vector([](float a, float b) -> u32 { return normalized(a, 32767.0f, true) | normalized(b, 32767.0f, true) << 16; })},
    {Opcode::v_cvt_pknorm_u16_f32, vector([](float a, float b) -> u32 { return normalized(a, 65535.0f, false) | normalized(b, 65535.0f, false) << 16; })},
    {Opcode::v_cvt_pkrtz_f16_f32, vector([](float a, float b) -> u32 { return to_half(a, true) | to_half(b, true) << 16; })},
    {Opcode::v_cvt_pk_u16_u32, vector([](u32 a, u32 b) -> u32 { return std::min(a, 0xffffu) | std::min(b, 0xffffu) << 16; })},
    {Opcode::v_cvt_pk_i16_i32, vector([](i32 a, i32 b) -> u32 {
      return (static_cast<u32>(std::clamp(a, -32768, 32767)) & 0xffff) | static_cast<u32>(std::clamp(b, -32768, 32767)) << 16; })},

    {Opcode::v_nop, {.execute = [](Wave&, const Instruction&) {}}},
    {Opcode::v_mov_b32, one_in(&move_value)},
    {Opcode::v_readfirstlane_b32, {.execute = &read_first_lane, .destination = Shape::B32, .sources = {Shape::B32}, .scalar_destination = true}},
    {Opcode::v_cvt_i32_f64, vector([](double a) -> i32 { return saturate<i32>(a); })},
    {Opcode::v_cvt_f64_i32, vector([](i32 a) -> double { return a; })},
    {Opcode::v_cvt_f32_i32, vector([](i32 a) -> float { return static_cast<float>(a); })},
    {Opcode::v_cvt_f32_u32, vector([](u32 a) -> float { return static_cast<float>(a); })},
    {Opcode::v_cvt_u32_f32, vector([](float a) -> u32 { return saturate<u32>(a); })},
    {Opcode::v_cvt_i32_f32, vector([](float a) -> i32 { return saturate<i32>(a); })},
    {Opcode::v_cvt_f16_f32, vector([](float a) -> u32 { return to_half(a, false); })},
    {Opcode::v_cvt_rpi_i32_f32, vector([](float a) -> i32 { return saturate<i32>(std::floor(static_cast<double>(a) + 0.5)); })},
    {Opcode::v_cvt_flr_i32_f32, vector([](float a) -> i32 { return saturate<i32>(std::floor(a)); })},
    {Opcode::v_cvt_off_f32_i4, vector([](u32 a) -> float { return static_cast<float>(static_cast<i32>(a << 28) >> 28) / 16.0f; })},
    {Opcode::v_cvt_f32_f64, vector([](double a) -> float { return static_cast<float>(a); })},
    {Opcode::v_cvt_f64_f32, vector([](float a) -> double { return a; })},
    {Opcode::v_cvt_f32_ubyte0, vector([](u32 a) -> float { return static_cast<float>(a & 255); })},
    {Opcode::v_cvt_f32_ubyte1, vector([](u32 a) -> float { return static_cast<float>(a >> 8 & 255); })},
    {Opcode::v_cvt_f32_ubyte2, vector([](u32 a) -> float { return static_cast<float>(a >> 16 & 255); })},
    {Opcode::v_cvt_f32_ubyte3, vector([](u32 a) -> float { return static_cast<float>(a >> 24); })},
    {Opcode::v_cvt_u32_f64, vector([](double a) -> u32 { return saturate<u32>(a); })},
    {Opcode::v_cvt_f64_u32, vector([](u32 a) -> double { return a; })},
    {Opcode::v_trunc_f64, vector([](double a) -> double { return std::trunc(a); })},
    {Opcode::v_ceil_f64, vector([](double a) -> double { return std::ceil(a); })},
    {Opcode::v_rndne_f64, vector([](double a) -> double { return std::nearbyint(a); })},
    {Opcode::v_floor_f64, vector([](double a) -> double { return std::floor(a); })},
    {Opcode::v_fract_f32, vector([](float a) -> float { return fraction(a); })},
    {Opcode::v_trunc_f32, vector([](float a) -> float { return std::trunc(a); })},
    {Opcode::v_ceil_f32, vector([](float a) -> float { return std::ceil(a); })},
    {Opcode::v_rndne_f32, vector([](float a) -> float { return std::nearbyint(a); })},
    {Opcode::v_floor_f32, vector([](float a) -> float { return std::floor(a); })},
    {Opcode::v_exp_f32, vector([](float a) -> float { return static_cast<float>(std::exp2(static_cast<double>(a))); })},
    {Opcode::v_log_clamp_f32, vector([](float a) -> float { return finite(static_cast<float>(std::log2(static_cast<double>(a)))); })},
    {Opcode::v_log_f32, vector([](float a) -> float { return static_cast<float>(std::log2(static_cast<double>(a))); })},
    {Opcode::v_exp_legacy_f32, vector([](float a) -> float { return static_cast<float>(std::exp2(static_cast<double>(a))); })},
    {Opcode::v_log_legacy_f32, vector([](float a) -> float { return static_cast<float>(std::log2(static_cast<double>(a))); })},
    {Opcode::v_rcp_clamp_f32, vector([](float a) -> float { return finite(static_cast<float>(1.0 / static_cast<double>(a))); })},
    {Opcode::v_rcp_legacy_f32, vector([](float a) -> float { return zero_for_infinity(static_cast<float>(1.0 / static_cast<double>(a))); })},
    {Opcode::v_rcp_f32, vector([](float a) -> float { return static_cast<float>(1.0 / static_cast<double>(a)); })},
    {Opcode::v_rcp_iflag_f32, vector([](float a) -> float { return static_cast<float>(1.0 / static_cast<double>(a)); })},
    {Opcode::v_rsq_clamp_f32, vector([](float a) -> float { return finite(static_cast<float>(1.0 / std::sqrt(static_cast<double>(a)))); })},
    {Opcode::v_rsq_legacy_f32, vector([](float a) -> float { return a == 0 ? 0.0f : static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))); })},
    {Opcode::v_rsq_f32, vector([](float a) -> float { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(a))); })},
    {Opcode::v_rcp_f64, vector([](double a) -> double { return 1.0 / a; })},
    {Opcode::v_rcp_clamp_f64, vector([](double a) -> double { return finite(1.0 / a); })},
    {Opcode::v_rsq_f64, vector([](double a) -> double { return 1.0 / std::sqrt(a); })},
    {Opcode::v_rsq_clamp_f64, vector([](double a) -> double { return finite(1.0 / std::sqrt(a)); })},
    {Opcode::v_sqrt_f32, vector([](float a) -> float { return std::sqrt(a); })},
    {Opcode::v_sqrt_f64, vector([](double a) -> double { return std::sqrt(a); })},
    {Opcode::v_sin_f32, vector([](float a) -> float { return static_cast<float>(sine(a)); })},
    {Opcode::v_cos_f32, vector([](float a) -> float { return static_cast<float>(cosine(a)); })},
    {Opcode::v_not_b32, vector([](u32 a) -> u32 { return ~a; })},
    {Opcode::v_bfrev_b32, vector([](u32 a) -> u32 { return reversed(a); })},
    {Opcode::v_ffbh_u32, vector([](u32 a) -> u32 { return a == 0 ? ~u32{0} : static_cast<u32>(std::countl_zero(a)); })},
    {Opcode::v_ffbl_b32, vector([](u32 a) -> u32 { return a == 0 ? ~u32{0} : static_cast<u32>(std::countr_zero(a)); })},
    {Opcode::v_ffbh_i32, vector([](i32 a) -> u32 {
      const u32 b = static_cast<u32>(a < 0 ? ~a : a); return b == 0 ? ~u32{0} : static_cast<u32>(std::countl_zero(b)); })},
    {Opcode::v_frexp_exp_i32_f64, vector([](double a) -> u32 { return exponent_plus_one(a); })},
    {Opcode::v_frexp_mant_f64, vector([](double a) -> double { return mantissa_of(a); })},
    {Opcode::v_fract_f64, vector([](double a) -> double { return fraction(a); })},
    {Opcode::v_frexp_exp_i32_f32, vector([](float a) -> u32 { return exponent_plus_one(a); })},
    {Opcode::v_frexp_mant_f32, vector([](float a) -> float { return mantissa_of(a); })},
    {Opcode::v_clrexcp, {.execute = [](Wave&, const Instruction&) {}}},
    {Opcode::v_movreld_b32, one_in(&move_relative<true, false>)},
    {Opcode::v_movrels_b32, one_in(&move_relative<false, true>)},
    {Opcode::v_movrelsd_b32, one_in(&move_relative<true, true>)},

    {Opcode::v_mad_legacy_f32, vector([](float a, float b, float c) -> float { return (a == 0 || b == 0 ? 0.0f : a * b) + c; })},
    {Opcode::v_mad_f32, vector([](float a, float b, float c) -> float { return a * b + c; })},
    {Opcode::v_mad_i32_i24, vector([](i32 a, i32 b, u32 c) -> u32 { return static_cast<u32>(i64{low24(a)} * low24(b)) + c; })},
    {Opcode::v_mad_u32_u24, vector([](u32 a, u32 b, u32 c) -> u32 { return low24(a) * low24(b) + c; })},
    {Opcode::v_bfe_u32, vector([](u32 a, u32 b, u32 c) -> u32 { return bit_field(a, b, c); })},
    {Opcode::v_bfe_i32, vector([](u32 a, u32 b, u32 c) -> i32 {
      const u32 width = c & 31;
      return width == 0 ? 0 : static_cast<i32>(static_cast<u32>(static_cast<i32>(a) >> (b & 31)) << (32 - width)) >> (32 - width); })},
    {Opcode::v_bfi_b32, vector([](u32 a, u32 b, u32 c) -> u32 { return (a & b) | (~a & c); })},
    {Opcode::v_perm_b32, vector([](u32 a, u32 b, u32 c) -> u32 { return permuted(joined(b, a), c); })},
    {Opcode::v_cubeid_f32, vector([](float x, float y, float z) -> float { return cube<Cube::Face>(x, y, z); })},
    {Opcode::v_cubesc_f32, vector([](float x, float y, float z) -> float { return cube<Cube::S>(x, y, z); })},
    {Opcode::v_cubetc_f32, vector([](float x, float y, float z) -> float { return cube<Cube::T>(x, y, z); })},
    {Opcode::v_cubema_f32, vector([](float x, float y, float z) -> float { return cube<Cube::Axis>(x, y, z); })},
    {Opcode::v_mullit_f32, vector([](float a, float b, float c) -> float { return multiply_for_light(a, b, c); })},
    {Opcode::v_fma_f32, vector([](float a, float b, float c) -> float { return std::fma(a, b, c); })},
    {Opcode::v_fma_f64, vector([](double a, double b, double c) -> double { return std::fma(a, b, c); })},
    {Opcode::v_lerp_u8, vector([](u32 a, u32 b, u32 c) -> u32 { return lerp8(a, b, c); })},
    {Opcode::v_alignbit_b32, vector([](u32 a, u32 b, u32 c) -> u32 { return static_cast<u32>((u64{a} << 32 | b) >> (c & 31)); })},
    {Opcode::v_alignbyte_b32, vector([](u32 a, u32 b, u32 c) -> u32 { return static_cast<u32>((u64{a} << 32 | b) >> (8 * (c & 3))); })},
    {Opcode::v_min3_f32, vector_quieting([](float a, float b, float c) -> float { return least(least(a, b), c); })},
    {Opcode::v_min3_i32, vector([](i32 a, i32 b, i32 c) -> i32 { return std::min(std::min(a, b), c); })},
    {Opcode::v_min3_u32, vector([](u32 a, u32 b, u32 c) -> u32 { return std::min(std::min(a, b), c); })},
    {Opcode::v_max3_f32, vector_quieting([](float a, float b, float c) -> float { return most(most(a, b), c); })},
    {Opcode::v_max3_i32, vector([](i32 a, i32 b, i32 c) -> i32 { return std::max(std::max(a, b), c); })},
    {Opcode::v_max3_u32, vector([](u32 a, u32 b, u32 c) -> u32 { return std::max(std::max(a, b), c); })},
    {Opcode::v_med3_f32, vector_quieting([](float a, float b, float c) -> float {
      return std::isnan(a) || std::isnan(b) || std::isnan(c) ? least(least(a, b), c) : median(a, b, c); })},
    {Opcode::v_med3_i32, vector([](i32 a, i32 b, i32 c) -> i32 { return median(a, b, c); })},
    {Opcode::v_med3_u32, vector([](u32 a, u32 b, u32 c) -> u32 { return median(a, b, c); })},
    {Opcode::v_sad_u8, vector([](u32 a, u32 b, u32 c) -> u32 { return sad8(a, b, false) + c; })},
    {Opcode::v_qsad_pk_u16_u8, vector([](u64 a, u32 b, u64 c) -> u64 { return four_sads<false>(a, b, c); })},
    {Opcode::v_mqsad_pk_u16_u8, vector([](u64 a, u32 b, u64 c) -> u64 { return four_sads<true>(a, b, c); })},
    {Opcode::v_mqsad_u32_u8, {.execute = &four_wide_sads, .destination = Shape::B128, .sources = {Shape::B64, Shape::B32, Shape::B128}}},
    {Opcode::v_sad_hi_u8, vector([](u32 a, u32 b, u32 c) -> u32 { return (sad8(a, b, false) << 16) + c; })},
    {Opcode::v_sad_u16, vector([](u32 a, u32 b, u32 c) -> u32 { return sad16(a, b) + c; })},
    {Opcode::v_sad_u32, vector([](u32 a, u32 b, u32 c) -> u32 { return (a > b ? a - b : b - a) + c; })},
    {Opcode::v_cvt_pk_u8_f32, vector([](float a, u32 b, u32 c) -> u32 {
      const u32 at = (b & 3) * 8; return (c & ~(u32{255} << at)) | nearest_byte(a) << at; })},
    {Opcode::v_div_fixup_f32, vector([](float a, float b, float c) -> float { return divide_fixup(a, b, c); })},
    {Opcode::v_div_fixup_f64, vector([](double a, double b, double c) -> double { return divide_fixup(a, b, c); })},
    {Opcode::v_lshl_b64, vector([](u64 a, u32 b) -> u64 { return a << (b & 63); })},
    {Opcode::v_lshr_b64, vector([](u64 a, u32 b) -> u64 { return a >> (b & 63); })},
    {Opcode::v_ashr_i64, vector([](i64 a, u32 b) -> i64 { return a >> (b & 63); })},
    {Opcode::v_lshlrev_b64, vector([](u32 a, u64 b) -> u64 { return b << (a & 63); })},
    {Opcode::v_lshrrev_b64, vector([](u32 a, u64 b) -> u64 { return b >> (a & 63); })},
    {Opcode::v_ashrrev_i64, vector([](u32 a, i64 b) -> i64 { return b >> (a & 63); })},
    {Opcode::v_add_f64, vector([](double a, double b) -> double { return a + b; })},
    {Opcode::v_mul_f64, vector([](double a, double b) -> double { return a * b; })},
    {Opcode::v_min_f64, vector_quieting([](double a, double b) -> double { return least(a, b); })},
    {Opcode::v_max_f64, vector_quieting([](double a, double b) -> double { return most(a, b); })},
    {Opcode::v_trig_preop_f64, vector([](double a, u32 b) -> double { return part_of_two_by_pi(a, b); })},
    {Opcode::v_ldexp_f64, vector([](double a, i32 b) -> double { return std::ldexp(a, b); })},
    {Opcode::v_mul_lo_u32, vector([](u32 a, u32 b) -> u32 { return a * b; })},
    {Opcode::v_mul_hi_u32, vector([](u32 a, u32 b) -> u32 { return static_cast<u32>(u64{a} * b >> 32); })},
    {Opcode::v_mul_lo_i32, vector([](u32 a, u32 b) -> u32 { return a * b; })},
    {Opcode::v_mul_hi_i32, vector([](i32 a, i32 b) -> i32 { return static_cast<i32>(i64{a} * b >> 32); })},
    {Opcode::v_div_scale_f32, vector([](float a, float b, float c) -> Masked<float> { return divide_scale(a, b, c); })},
    {Opcode::v_div_scale_f64, vector([](double a, double b, double c) -> Masked<double> { return divide_scale(a, b, c); })},
    {Opcode::v_div_fmas_f32, fmas<float>()},
    {Opcode::v_div_fmas_f64, fmas<double>()},
    {Opcode::v_msad_u8, vector([](u32 a, u32 b, u32 c) -> u32 { return sad8(a, b, true) + c; })},
    {Opcode::v_mad_u64_u32, multiply_add<u32, u64>},
    {Opcode::v_mad_i64_i32, multiply_add<i32, i64>},
};
// clang-format on
static_assert(first_missing(Room::Vector, kVectorRows) == Opcode::none);

}  // namespace

std::span<const Row> vector_rows() { return kVectorRows; }

}  // namespace amdcompat::emulate
