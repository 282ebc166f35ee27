// Vector instructions: what each does to one lane, from the documents, and programs around it.
//
// [SIA; CIA; VIA: VOP2, VOP1, VOP3, VOPC]; where these say little, [VEGA: pseudocode of V_DIV_SCALE, V_DIV_FIXUP,
// V_MED3, V_MIN] and [CLRX GcnInstrsVop1, GcnInstrsVop2, GcnInstrsVop3]. Where documents disagree a lane is not judged.
#include <algorithm>
#include <cmath>

#include "vectors.hpp"

namespace amdcompat::emulate::vectors {
namespace {

// --- one lane -------------------------------------------------------------------------------------------------------

// Operands after modifiers and flushing.
struct In {
  std::array<u64, 3> raw{};
  bool bit = false;  // of the mask that goes in
  u32 old = 0;  // what the destination holds
  u32 literal = 0;
  u32 lane = 0;
  Generation gfx = Generation::Gfx6;
  bool keep32 = false;  // denormals of 32 bits

  [[nodiscard]] u32 u(u32 n) const { return static_cast<u32>(raw[n]); }
  [[nodiscard]] i32 i(u32 n) const { return static_cast<i32>(u(n)); }
  [[nodiscard]] u64 U(u32 n) const { return raw[n]; }
  [[nodiscard]] Quad f(u32 n) const { return as_float(raw[n]); }
  [[nodiscard]] Quad d(u32 n) const { return as_double(raw[n]); }
  [[nodiscard]] Fields ff(u32 n) const { return {raw[n], false}; }
  [[nodiscard]] Fields fd(u32 n) const { return {raw[n], true}; }
};
struct Out {
  u64 bits = 0;
  bool bit = false;
  Slack slack{};
};

Out W(u64 bits) { return {bits, false, {}}; }
Out WB(u64 bits, bool bit) { return {bits, bit, {}}; }
Out F(Quad value) { return {bits_of(static_cast<float>(value)), false, {}}; }
Out D(Quad value) { return {bits_of(static_cast<double>(value)), false, {}}; }
Out real(Quad value, bool wide) { return wide ? D(value) : F(value); }
Out nan_of(bool wide) { return W(wide ? kNan64 : kNan32); }
Out unknown() {
  Out out;
  out.slack.any = true;
  return out;
}
Out close(Out out, u32 ulps, double absolute = 0) {
  out.slack.ulps = ulps;
  out.slack.absolute = absolute;
  return out;
}
Out either_zero(Out out) {
  out.slack.zero_sign = true;
  return out;
}

Quad quad_of(u64 bits, bool wide) { return wide ? Quad{as_double(bits)} : Quad{as_float(bits)}; }
u64 sign_bit(bool wide) { return u64{1} << (wide ? 63 : 31); }
u64 infinity(bool negative, bool wide) {
  return (wide ? 0x7ff0000000000000 : 0x7f800000) | (negative ? sign_bit(wide) : 0);
}

// a * b + c rounded once. The product is exact; the sum is made odd in its last bit when it is not, so that the second
// rounding cannot go wrong [Boldo, Melquiond: Emulation of a FMA and correctly rounded sums, 2008].
Quad fused(Quad a, Quad b, Quad c) {
  const Quad p = a * b, s = p + c;
  if (!(s - s == 0)) return s;  // infinite or not a number
  const Quad cc = s - p, pp = s - cc, error = (p - pp) + (c - cc);
  if (error == 0) return s;
  auto raw = std::bit_cast<UWide>(s);
  if ((raw & 1) == 0) {
    const bool grow = (error > 0) == (s > 0);
    raw = grow ? raw + 1 : raw - 1;
  }
  return std::bit_cast<Quad>(raw);
}
Quad times_power(Quad value, i64 power) {
  power = std::clamp<i64>(power, -5000, 5000);
  if (value == 0 || !(value - value == 0)) return value;
  for (; power > 0; --power) value *= 2;
  for (; power < 0; ++power) value /= 2;
  return value;
}

// Integers nearby: 't' toward zero, 'f' down, 'c' up, 'e' nearest even. Zeros keep the sign of the operand.
Quad integral(Quad x, char mode) {
  const Quad big = Quad{1ull << 60};
  if (!(x < big && x > -big)) return x;
  const i64 towards_zero = static_cast<i64>(x);
  const Quad rest = x - towards_zero, half = Quad{1} / 2;
  i64 r = towards_zero;
  if (mode == 'f' && rest < 0) --r;
  if (mode == 'c' && rest > 0) ++r;
  if (mode == 'e' && (rest > half || (rest == half && r % 2 != 0))) ++r;
  if (mode == 'e' && (rest < -half || (rest == -half && r % 2 != 0))) --r;
  if (r == 0) return x < 0 || (x == 0 && 1 / x < 0) ? -Quad{0} : Quad{0};
  return Quad{0} + r;
}
u64 to_integer(Quad x, Wide low, Wide high) {  // NaN gives 0
  if (x != x) return 0;
  if (x <= static_cast<Quad>(low)) return static_cast<u32>(static_cast<UWide>(low));
  if (x >= static_cast<Quad>(high)) return static_cast<u32>(static_cast<UWide>(high));
  return static_cast<u32>(static_cast<i64>(integral(x, 't')));
}
constexpr Wide kMinI = -(Wide{1} << 31), kMaxI = (Wide{1} << 31) - 1, kMaxU = (Wide{1} << 32) - 1;

// Numbers in the order of their values, -0 below +0, from their bits.
i64 order(u64 bits, bool wide) {
  const u64 magnitude = bits & (sign_bit(wide) - 1);
  return (bits & sign_bit(wide)) != 0 ? -static_cast<i64>(magnitude) - 1 : static_cast<i64>(magnitude);
}
u64 lesser(u64 a, u64 b, bool wide) {
  if (Fields(a, wide).nan()) return b;
  if (Fields(b, wide).nan()) return a;
  return order(a, wide) < order(b, wide) ? a : b;
}
u64 greater(u64 a, u64 b, bool wide) {
  if (Fields(a, wide).nan()) return b;
  if (Fields(b, wide).nan()) return a;
  return order(a, wide) < order(b, wide) ? b : a;
}

// Halves by a table of all finite ones, which are in the order of their bits.
const std::vector<double>& halves() {
  static const std::vector<double> all = [] {
    std::vector<double> out{0};
    double step = 1.0 / (1 << 24);
    for (u32 n = 1; n < 0x7c00; ++n) {
      if (n > 0x800 && (n - 1) % 0x400 == 0) step *= 2;
      out.push_back(out.back() + step);
    }
    return out;
  }();
  return all;
}
}  // namespace

u32 half_of(u32 bits, bool toward_zero) {
  const Fields f(bits, false);
  const u32 sign = f.sign ? 0x8000 : 0;
  if (f.nan()) return 0x7e00 | sign;
  if (f.inf()) return sign | 0x7c00;
  const double x = std::abs(static_cast<double>(as_float(bits)));
  const auto& all = halves();
  const u32 above = static_cast<u32>(std::ranges::lower_bound(all, x) - all.begin());
  if (above == 0x7c00) {  // beyond the largest
    const double next = 65536;
    return sign | (!toward_zero && next - x <= x - all.back() ? 0x7c00u : 0x7bffu);
  }
  if (all[above] == x || above == 0) return sign | above;
  if (toward_zero) return sign | (above - 1);
  const double up = all[above] - x, down = x - all[above - 1];
  return sign | (up < down || (up == down && above % 2 == 0) ? above : above - 1);
}
u32 float_of_half(u32 half) {
  const u32 sign = (half & 0x8000) << 16;
  u32 exponent = half >> 10 & 31, mantissa = half & 0x3ff;
  if (exponent == 31) return sign | 0x7f800000 | mantissa << 13 | (mantissa != 0 ? 0x400000 : 0);
  if (exponent == 0) {
    if (mantissa == 0) return sign;
    exponent = 1;
    while ((mantissa & 0x400) == 0) {
      mantissa <<= 1;
      --exponent;
    }
    mantissa &= 0x3ff;
  }
  return sign | (exponent + 112) << 23 | mantissa << 13;
}

namespace {

i64 signed_24(u32 x) { return static_cast<i64>(x & 0x7fffff) - static_cast<i64>(x & 0x800000); }

// Bit by bit.
u32 count_ones(u64 x) {
  u32 n = 0;
  for (; x != 0; x /= 2) n += x % 2;
  return n;
}
u32 field(u32 value, u32 offset, u32 width, bool is_signed) {
  u32 out = 0;
  for (u32 n = 0; n < 32; ++n) {
    const u32 inside = width == 0 ? 0 : std::min(n, width - 1);  // bits above repeat the top one
    const u32 from = offset + inside;
    const bool bit = (from < 32 ? value >> from : is_signed ? value >> 31 : 0) & 1;
    if (width != 0 && (n < width || is_signed) && bit) out |= 1u << n;
  }
  return out;
}
u32 byte(u32 x, u32 n) { return x >> (8 * n) & 255; }
u32 distance(u32 a, u32 b) { return static_cast<u32>(std::abs(static_cast<i64>(a) - static_cast<i64>(b))); }
u32 byte_distances(const In& x, bool masked) {
  u32 sum = 0;
  for (u32 n = 0; n < 4; ++n)
    if (!masked || byte(x.u(1), n) != 0) sum += distance(byte(x.u(0), n), byte(x.u(1), n));
  return sum;
}
Out sorted(const In& x, u32 place, bool is_signed) {  // 0: smallest, 2: largest
  std::array<i64, 3> v{};
  for (u32 n = 0; n < 3; ++n) v[n] = is_signed ? i64{x.i(n)} : i64{x.u(n)};
  std::ranges::sort(v);
  return W(static_cast<u32>(v[place]));
}

// Integers of 16 bits from -1 to 1 or 0 to 1. Near the middle of two the documents do not say how it is rounded.
bool normalised(u64 bits, i32 scale, bool is_signed, u32& out) {
  if (Fields(bits, false).nan()) {
    out = 0;
    return true;
  }
  const Quad x = std::clamp<Quad>(as_float(bits), is_signed ? -1 : 0, 1) * scale;
  const Quad nearest = integral(x, 'e'), rest = x - nearest;
  out = static_cast<u32>(static_cast<i32>(nearest)) & 0xffff;
  const Quad off = rest < 0 ? -rest : rest;
  return off < Quad{0.49};
}
Out pack_normalised(const In& x, i32 scale, bool is_signed) {
  u32 low = 0, high = 0;
  if (!normalised(x.raw[0], scale, is_signed, low) || !normalised(x.raw[1], scale, is_signed, high)) return unknown();
  return W(low | high << 16);
}

// --- reciprocals and the like ---------------------------------------------------------------------------------------

// Instructions of 32 bits that ignore the mode for denormals on some processors: not judged where they keep them.
bool doubtful(const In& x, const Out& out) {
  return x.keep32 && (x.ff(0).denormal() || Fields(out.bits, false).denormal());
}
Out reciprocal(const In& x, bool wide) {
  const Fields f(x.raw[0], wide);
  if (f.zero()) return W(infinity(f.sign, wide));
  Out out = real(1 / quad_of(x.raw[0], wide), wide);
  if (wide) return close(out, 1);
  return doubtful(x, out) ? unknown() : out;
}
Quad root(Quad x) {  // Newton's steps from the host's root
  if (x == 0) return x;
  Quad r = std::sqrt(static_cast<double>(x));
  if (!(r - r == 0) || r == 0) return r;
  for (int n = 0; n < 3; ++n) r = (r + x / r) / 2;
  return r;
}
Out square_root(const In& x, bool wide, bool inverse) {
  const Fields f(x.raw[0], wide);
  if (f.nan() || (f.sign && !f.zero())) return nan_of(wide);
  if (f.zero()) return W(inverse ? infinity(f.sign, wide) : x.raw[0]);
  if (f.inf()) return W(inverse ? 0 : x.raw[0]);
  const Quad r = root(quad_of(x.raw[0], wide));
  const Out out = real(inverse ? 1 / r : r, wide);
  if (wide) return close(out, 1);
  return doubtful(x, out) ? unknown() : out;
}
Out without_infinity(Out out, bool wide) {
  const Fields f(out.bits, wide);
  if (f.inf()) out.bits = (wide ? 0x7fefffffffffffff : 0x7f7fffff) | (f.sign ? sign_bit(wide) : 0);
  return out;
}
Out logarithm(const In& x) {
  const Fields f = x.ff(0);
  if (f.zero()) return W(infinity(true, false));
  if (f.nan() || f.sign) return nan_of(false);
  if (f.inf()) return W(x.raw[0]);
  if (x.keep32 && f.denormal()) return unknown();
  return close(F(std::log2(static_cast<long double>(as_float(x.raw[0])))), 1);
}
Out power_of_two(const In& x) {
  const Fields f = x.ff(0);
  if (f.nan()) return nan_of(false);
  if (f.inf()) return W(f.sign ? 0 : x.raw[0]);
  const Out out = F(std::exp2(static_cast<long double>(as_float(x.raw[0]))));
  if (Fields(out.bits, false).denormal()) return x.keep32 ? unknown() : W(0);
  return close(out, 1);
}
Out circle(const In& x, bool sine) {  // revolutions; the domain is +-256, outside it gives what 0 gives
  const Fields f = x.ff(0);
  if (f.top()) return nan_of(false);
  const Quad value = x.f(0);
  if (value > 256 || value < -256) return W(sine ? 0 : 0x3f800000);
  const auto turn = static_cast<long double>(value - integral(value, 'f'));
  const long double angle = 6.283185307179586476925286766559L * turn;
  return close(F(sine ? std::sin(angle) : std::cos(angle)), 1, 1e-12);
}
Out fraction(const In& x, bool wide) {
  const Fields f(x.raw[0], wide);
  if (f.top()) return nan_of(wide);
  const Quad value = quad_of(x.raw[0], wide);
  Out out = real(value - integral(value, 'f'), wide);
  if (out.bits == (wide ? 0x3ff0000000000000 : 0x3f800000)) --out.bits;  // never 1
  return either_zero(out);
}
Out split(const In& x, bool wide, bool exponent) {  // mantissa in [0.5, 1) and its power
  const Fields f(x.raw[0], wide);
  if (f.top() || f.zero()) return W(exponent ? 0 : x.raw[0]);
  Quad m = quad_of(x.raw[0] & ~sign_bit(wide), wide);
  i32 e = 0;
  for (; m >= 1; m /= 2) ++e;
  for (; m < Quad{0.5}; m *= 2) --e;
  return exponent ? W(static_cast<u32>(e)) : real(f.sign ? -m : m, wide);
}

// --- division -------------------------------------------------------------------------------------------------------

Out scale_division(const In& x, bool wide) {
  const Fields value(x.raw[0], wide), below(x.raw[1], wide), above(x.raw[2], wide);
  const bool is_below = !value.nan() && (x.raw[0] == x.raw[1] || (value.zero() && below.zero()));
  const bool is_above = !value.nan() && (x.raw[0] == x.raw[2] || (value.zero() && above.zero()));
  const i64 k = wide ? 128 : 64;
  const auto scaled = [&](bool yes, i64 power, bool bit) {
    Out out = W(x.raw[0]);
    if (yes && !value.nan()) out = real(times_power(quad_of(x.raw[0], wide), power), wide);
    out.bit = bit;
    return out;
  };
  if (below.zero() || above.zero()) return nan_of(wide);
  if (static_cast<i64>(above.exponent) - static_cast<i64>(below.exponent) >= (wide ? 768 : 96))
    return scaled(is_below, k, true);
  if (below.denormal()) return scaled(true, k, false);
  const Quad d = quad_of(x.raw[1], wide), n = quad_of(x.raw[2], wide);
  const bool tiny_reciprocal = Fields(real(1 / d, wide).bits, wide).denormal();
  const bool tiny_quotient = Fields(real(n / d, wide).bits, wide).denormal();
  if (tiny_reciprocal && tiny_quotient) return scaled(is_below, k, true);
  if (tiny_reciprocal) return scaled(true, -k, false);
  if (tiny_quotient) return scaled(is_above, k, true);
  return scaled(above.exponent <= (wide ? 53u : 23u), k, false);
}
Out fix_division(const In& x, bool wide) {
  const Fields below(x.raw[1], wide), above(x.raw[2], wide);
  const bool negative = below.sign != above.sign;
  const u64 sign = negative ? sign_bit(wide) : 0;
  if (above.nan() || below.nan()) return nan_of(wide);
  if ((below.zero() && above.zero()) || (below.inf() && above.inf())) return nan_of(wide);
  if (below.zero() || above.inf()) return W(infinity(negative, wide));
  if (below.inf() || above.zero()) return W(sign);
  if (static_cast<i64>(above.exponent) - static_cast<i64>(below.exponent) < (wide ? -1075 : -150)) return W(sign);
  return W((x.raw[0] & (sign_bit(wide) - 1)) | sign);
}
Out fused_scaled(const In& x, bool wide) {
  const Quad r =
      quad_of(real(fused(quad_of(x.raw[0], wide), quad_of(x.raw[1], wide), quad_of(x.raw[2], wide)), wide).bits, wide);
  return real(x.bit ? times_power(r, wide ? 64 : 32) : r, wide);
}

// --- comparisons ----------------------------------------------------------------------------------------------------

// The number of a condition is the set of relations for which it holds: 1 less, 2 equal, 4 greater, 8 unordered.
bool compared(const In& x, char kind, u32 condition) {
  u32 relation = 0;
  if (kind == 'f' || kind == 'd') {
    const bool wide = kind == 'd';
    const Fields a(x.raw[0], wide), b(x.raw[1], wide);
    const i64 l = a.zero() ? 0 : order(x.raw[0], wide), r = b.zero() ? 0 : order(x.raw[1], wide);
    relation = a.nan() || b.nan() ? 8 : l < r ? 1 : l == r ? 2 : 4;
  } else {
    const bool is_signed = kind == 'i' || kind == 'I';
    Wide a = is_signed ? Wide{x.i(0)} : Wide{x.u(0)}, b = is_signed ? Wide{x.i(1)} : Wide{x.u(1)};
    if (kind == 'I' || kind == 'U') {
      a = is_signed ? Wide{static_cast<i64>(x.U(0))} : Wide{x.U(0)};
      b = is_signed ? Wide{static_cast<i64>(x.U(1))} : Wide{x.U(1)};
    }
    relation = a - b < 0 ? 1 : a - b == 0 ? 2 : 4;
  }
  return (condition & relation) != 0;
}
bool of_class(const In& x, bool wide) {
  const Fields f(x.raw[0], wide);
  u32 bit = 0;
  if (f.nan())
    bit = (f.mantissa >> (wide ? 51 : 22) & 1) != 0 ? 1 : 0;
  else
    for (const bool holds : {f.sign && f.inf(), f.sign && f.exponent != 0 && !f.top(), f.sign && f.denormal(),
                             f.sign && f.zero(), f.zero(), f.denormal(), f.exponent != 0 && !f.top(), f.inf()}) {
      if (bit < 2) bit = 2;
      if (holds) break;
      ++bit;
    }
  return (x.u(1) & (1u << bit)) != 0;
}

// --- all lanes ------------------------------------------------------------------------------------------------------

// Kinds of operands: f and d are floating point; c and C are too, but denormals are not flushed; h holds a half,
// w takes modifiers, u and U do not. 'm' in the result is a lane mask, '.' nothing. Flags: m a mask goes in, o the old
// destination takes part, k a literal follows, x EXEC is written too, s source 0 is usually one of the others.
struct Shapes {
  char result = '.';
  bool mask_out = false;
  std::string sources, flags;
  [[nodiscard]] bool has(char flag) const { return flags.find(flag) != std::string::npos; }
};
bool is_wide(char kind) { return kind == 'd' || kind == 'U' || kind == 'C'; }
bool is_real(char kind) { return kind == 'f' || kind == 'd' || kind == 'c' || kind == 'C'; }

u64 flushed(u64 bits, bool wide, bool keep) {
  return !keep && Fields(bits, wide).denormal() ? bits & sign_bit(wide) : bits;
}

using LaneFunction = std::function<Out(const In&)>;

void finish(Out& out, const Instruction& i, const Modes& modes, bool wide) {
  if (i.output_modifier != 0) {
    if (Fields(out.bits, wide).denormal()) out.slack.any = true;  // whether it is flushed before is not said
    const Quad q = quad_of(out.bits, wide);
    out.bits = real(i.output_modifier == 1 ? q * 2 : i.output_modifier == 2 ? q * 4 : q / 2, wide).bits;
    out.slack.absolute *= 4;
  }
  if (i.clamp) {
    out.slack.zero_sign = true;
    const Fields f(out.bits, wide);
    if (f.nan())
      out.bits = modes.dx10_clamp ? 0 : out.bits;
    else if (f.sign)
      out.bits = 0;
    else if (quad_of(out.bits, wide) > 1)
      out.bits = wide ? 0x3ff0000000000000 : 0x3f800000;
  }
  out.bits = flushed(out.bits, wide, modes.keeps(wide));
}

void step(State& state, const Instruction& i, const Shapes& shapes, const LaneFunction& function) {
  const bool vop3 = i.format == Format::Vop3;
  const bool own_vop3 = i.row->format == Format::Vop3;
  const u64 mask_in = vop3 && !own_vop3 ? state.pair(i.sources[2] < 127 ? i.sources[2] : 0) : state.pair(kVccLo);
  u64 mask = 0;
  const u64 exec = state.exec();
  for (u32 lane = 0; lane < 64; ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    In x;
    x.lane = lane;
    x.gfx = state.gfx;
    x.keep32 = state.modes.keeps(false);
    x.bit = (mask_in >> lane & 1) != 0;
    x.literal = static_cast<u32>(flushed(i.literal, false, x.keep32));
    if (shapes.has('o')) x.old = static_cast<u32>(flushed(state.v[i.destination][lane], false, x.keep32));
    for (u32 n = 0; n < shapes.sources.size(); ++n) {
      const char kind = shapes.sources[n];
      const bool wide = is_wide(kind);
      u64 bits = wide ? state.read64(i, i.sources[n], kind != 'U', lane) : state.read32(i, i.sources[n], lane);
      if ((i.absolute >> n & 1) != 0) bits &= ~sign_bit(wide);
      if ((i.negate >> n & 1) != 0) bits ^= sign_bit(wide);
      if (kind == 'f' || kind == 'd') bits = flushed(bits, wide, state.modes.keeps(wide));
      x.raw[n] = bits;
    }
    Out out = function(x);
    if (out.bit) mask |= u64{1} << lane;
    if (shapes.result == '.') continue;
    if (is_real(shapes.result)) {
      finish(out, i, state.modes, shapes.result == 'd');
      out.slack.kind = static_cast<u8>(shapes.result);
    } else if (out.slack.kind != 'h') {
      out.slack.kind = 'u';
    }
    out.slack.reg = i.destination;
    out.slack.lane = lane;
    state.slack.push_back(out.slack);
    state.v[i.destination][lane] = static_cast<u32>(out.bits);
    if (is_wide(shapes.result)) state.v[i.destination + 1u][lane] = static_cast<u32>(out.bits >> 32);
  }
  if (shapes.mask_out) state.set_pair(i.scalar_destination, mask);
  if (shapes.has('x')) state.set_pair(kExecLo, mask);
}

// --- programs -------------------------------------------------------------------------------------------------------

char value_kind(char kind) { return kind == 'c' ? 'f' : kind == 'C' ? 'd' : kind == 'w' ? 'f' : kind; }

// Sources live in v0 to v11 (two choices for each of three), s16 to s47 and constants, results in v12 to v15 and
// s48 to s63.
class Sources {
 public:
  Sources(Maker& maker, const Shapes& shapes, bool vop3) : m_(maker), shapes_(shapes), vop3_(vop3) {
    for (u32 n = 0; n < shapes.sources.size(); ++n) {
      const char kind = value_kind(shapes.sources[n]);
      for (const u32 reg : {2 * n, 6 + 2 * n})
        for (u32 lane = 0; lane < 64; ++lane) {
          u64 bits = m_.value(kind);
          // Equal and neighbouring operands are rare by chance.
          if (n > 0 && m_.chance(15)) bits = register_of(6 + 2 * m_.below(n), lane) + m_.below(3) - 1;
          if (n > 0 && m_.chance(10)) bits = register_of(2 * m_.below(n), lane);
          m_.start.v[reg][lane] = static_cast<u32>(bits);
          m_.start.v[reg + 1][lane] = static_cast<u32>(is_wide(shapes.sources[n]) ? bits >> 32 : m_.bits());
        }
      for (u32 s = 16 + n * 2; s < 48; s += 6) {
        const u64 bits = m_.value(kind);
        m_.start.s[s] = static_cast<u32>(bits);
        m_.start.s[s + 1] = static_cast<u32>(bits >> 32);
      }
    }
    if (shapes.has('o'))
      for (const u32 reg : {12u, 14u})
        for (u32& lane : m_.start.v[reg]) lane = static_cast<u32>(m_.value('f'));
  }

  void choose(Instruction& i) {
    u32 scalar = 0;
    for (u32 n = 0; n < shapes_.sources.size(); ++n) i.sources[n] = static_cast<u16>(source(i, n, scalar));
    if (shapes_.has('s') && m_.chance(85)) i.sources[0] = i.sources[1 + m_.below(2)];
  }

 private:
  u64 register_of(u32 reg, u32 lane) const { return m_.start.v[reg][lane] | u64{m_.start.v[reg + 1][lane]} << 32; }
  u32 source(Instruction& i, u32 n, u32& scalar) {
    const char kind = shapes_.sources[n];
    const u32 vector = kV0 + 2 * n + (m_.chance(50) ? 6 : 0);
    if ((!vop3_ && n > 0) || m_.chance(60)) return vector;
    switch (m_.below(8)) {
      case 0: return 128 + m_.below(65);
      case 1: return 193 + m_.below(16);
      case 2:
      case 3: return 240 + m_.below(m_.gfx() == Generation::Gfx8 ? 9 : 8);
      case 4:
        if (vop3_ || shapes_.has('k')) return vector;
        i.literal =
            static_cast<u32>(m_.value(kind == 'd' || kind == 'C' ? 'd' : value_kind(kind)) >> (is_wide(kind) ? 32 : 0));
        if (kind == 'U') i.literal &= 0x7fffffff;  // whether it is extended by its sign is not said
        return kLit;
      default: break;
    }
    if (shapes_.has('k')) return vector;  // together with the literal two scalar operands
    if (scalar != 0) return vector;
    if (m_.chance(20)) {
      static constexpr u32 kSpecial[] = {kVccLo, kVccLo + 1, kM0Code, kExecLo, kExecLo + 1, 251, 252, 253};
      scalar = is_wide(kind) ? (m_.chance(50) ? kVccLo : kExecLo) : kSpecial[m_.below(8)];
    } else {
      scalar = 16 + n * 2 + 6 * m_.below(5);
    }
    return scalar;
  }
  Maker& m_;
  const Shapes& shapes_;
  bool vop3_;
};

void choose_modes(Maker& m, u32 round) {
  static constexpr Modes kModes[] = {{0xc0, true}, {0xf0, true}, {0x00, false}, {0x30, false}};
  m.start.modes = kModes[round % 4];
}

void make(Maker& m, u32 round, const Shapes& shapes) {
  choose_modes(m, round);
  const bool vop3 = m.vop3 || m.row().format == Format::Vop3;
  const bool b_form = shapes.mask_out && m.row().format != Format::Vopc;
  Sources sources(m, shapes, vop3);
  constexpr u32 kInstances = 10;
  for (u32 n = 0; n < kInstances; ++n) {
    Instruction i = m.instance();
    sources.choose(i);
    if (shapes.has('k')) i.literal = static_cast<u32>(m.value('f'));
    i.destination = static_cast<u16>(12 + 2 * m.below(2));
    if (n + 2 >= kInstances && !shapes.has('o')) i.destination = static_cast<u16>(2 * m.below(6));  // over a source
    if (vop3) {
      if (shapes.mask_out) i.scalar_destination = static_cast<u16>(m.chance(25) ? kVccLo : 48 + 2 * m.below(8));
      if (shapes.has('m') && m.row().format != Format::Vop3)
        i.sources[2] = static_cast<u16>(m.chance(25) ? kVccLo : 64 + 2 * m.below(10));
      for (u32 k = 0; k < shapes.sources.size(); ++k) {
        const char kind = shapes.sources[k];
        if (!is_real(kind) && kind != 'w') continue;
        if (!b_form && m.chance(30)) i.absolute = static_cast<u8>(i.absolute | 1u << k);
        if (m.chance(30)) i.negate = static_cast<u8>(i.negate | 1u << k);
      }
      if (is_real(shapes.result) && !b_form) {
        i.clamp = m.chance(25);
        // Output modifiers have an effect only where denormals are flushed.
        if (!m.start.modes.keeps(shapes.result == 'd') && m.chance(50))
          i.output_modifier = static_cast<u8>(1 + m.below(3));
      }
    }
    if (m.row().format == Format::Vopc) i.destination = vop3 ? i.scalar_destination : u16{0};
    m.add(i);
    if (shapes.has('x')) {  // EXEC again, and VCC, which is full of zeros now
      m.add_simple("s_mov_b64", kExecLo, 66 + 2 * m.below(4));
      if (m.chance(30)) m.add_simple("s_mov_b64", kExecLo, 193);
    }
  }
}

class Adder {
 public:
  explicit Adder(References& all) : all_(all) {}
  // `shapes`: "result=sources flags", as in "um=uu m".
  void add(const std::string& name, string_view text, LaneFunction function) {
    Shapes shapes;
    const auto equals = text.find('='), space = text.find(' ');
    for (const char c : text.substr(0, equals)) (c == 'm' ? void(shapes.mask_out = true) : void(shapes.result = c));
    shapes.sources = std::string(text.substr(equals + 1, space == text.npos ? text.npos : space - equals - 1));
    if (space != text.npos) shapes.flags = std::string(text.substr(space + 1));
    Reference& r = all_[name];
    r.step = [shapes, function = std::move(function)](State& s, const Instruction& i) { step(s, i, shapes, function); };
    r.make = [shapes](Maker& m, u32 round) { make(m, round, shapes); };
    r.rounds = shapes.sources.size() == 3 ? 12 : is_real(shapes.result) ? 8 : 4;
    if (shapes.has('s') || name.starts_with("v_div")) r.rounds = 24;
  }
  void special(const std::string& name, std::function<void(State&, const Instruction&)> how,
               std::function<void(Maker&, u32)> program, u32 rounds = 8) {
    all_[name] = {std::move(how), std::move(program), rounds};
  }

 private:
  References& all_;
};

void add_comparisons(Adder& to) {
  static constexpr const char* kReal[] = {"f", "lt",  "eq",  "le",  "gt",  "lg",  "ge",  "o",
                                          "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"};
  static constexpr const char* kInteger[] = {"f", "lt", "eq", "le", "gt", "ne", "ge", "t"};
  struct Type {
    const char* name;
    char kind;
    const char* plain;
    const char* exec;
  };
  for (const Type& t :
       {Type{"f32", 'f', "m=ff", "m=ff x"}, Type{"f64", 'd', "m=dd", "m=dd x"}, Type{"i32", 'i', "m=uu", "m=uu x"},
        Type{"u32", 'u', "m=uu", "m=uu x"}, Type{"i64", 'I', "m=UU", "m=UU x"}, Type{"u64", 'U', "m=UU", "m=UU x"}}) {
    const bool is_float = t.kind == 'f' || t.kind == 'd';
    for (u32 n = 0; n < (is_float ? 16u : 8u); ++n)
      for (const char* family : {"v_cmp_", "v_cmpx_", "v_cmps_", "v_cmpsx_"}) {
        const std::string name = std::string(family) + (is_float ? kReal[n] : kInteger[n]) + "_" + t.name;
        if (!is_float && name.starts_with("v_cmps")) continue;
        to.add(name, string_view(family).ends_with("x_") ? t.exec : t.plain,
               [kind = t.kind, n](const In& x) { return WB(0, compared(x, kind, n)); });
      }
  }
  for (const bool wide : {false, true})
    for (const bool exec : {false, true})
      to.add(std::string(exec ? "v_cmpx" : "v_cmp") + "_class_f" + (wide ? "64" : "32"),
             std::string(wide ? "m=Cu" : "m=cu") + (exec ? " x" : ""),
             [wide](const In& x) { return WB(0, of_class(x, wide)); });
}

// Carry and borrow as the sign and the upper half of a wider sum.
Out carry(Wide sum) { return WB(static_cast<u32>(static_cast<UWide>(sum)), sum < 0 || sum >> 32 != 0); }

void add_two_sources(Adder& to) {
  to.add("v_cndmask_b32", "u=ww m", [](const In& x) { return W(x.raw[x.bit ? 1 : 0]); });
  to.add("v_add_f32", "f=ff", [](const In& x) { return F(x.f(0) + x.f(1)); });
  to.add("v_sub_f32", "f=ff", [](const In& x) { return F(x.f(0) - x.f(1)); });
  to.add("v_subrev_f32", "f=ff", [](const In& x) { return F(x.f(1) - x.f(0)); });
  to.add("v_mul_f32", "f=ff", [](const In& x) { return F(x.f(0) * x.f(1)); });
  // Zero times anything is zero; its sign is said nowhere.
  const auto legacy = [](const In& x) {
    const bool zero = x.ff(0).zero() || x.ff(1).zero();
    return zero ? Quad{0} : Quad{static_cast<float>(x.f(0) * x.f(1))};
  };
  to.add("v_mul_legacy_f32", "f=ff", [=](const In& x) { return either_zero(F(legacy(x))); });
  to.add("v_mac_legacy_f32", "f=ff o", [=](const In& x) { return either_zero(F(legacy(x) + Quad{as_float(x.old)})); });
  to.add("v_mad_legacy_f32", "f=fff", [=](const In& x) { return either_zero(F(legacy(x) + x.f(2))); });
  // The product is rounded before the sum.
  const auto mad = [](Quad a, Quad b, Quad c) { return F(Quad{static_cast<float>(a * b)} + c); };
  to.add("v_mac_f32", "f=ff o", [=](const In& x) { return mad(x.f(0), x.f(1), as_float(x.old)); });
  to.add("v_madmk_f32", "f=ff k", [=](const In& x) { return mad(x.f(0), as_float(x.literal), x.f(1)); });
  to.add("v_madak_f32", "f=ff k", [=](const In& x) { return mad(x.f(0), x.f(1), as_float(x.literal)); });
  to.add("v_mad_f32", "f=fff", [=](const In& x) { return mad(x.f(0), x.f(1), x.f(2)); });
  to.add("v_mul_i32_i24", "u=uu",
         [](const In& x) { return W(static_cast<u32>(signed_24(x.u(0)) * signed_24(x.u(1)))); });
  to.add("v_mul_hi_i32_i24", "u=uu", [](const In& x) {
    return W(static_cast<u32>((Wide{signed_24(x.u(0))} * signed_24(x.u(1)) + (Wide{1} << 60)) / (Wide{1} << 32) -
                              (Wide{1} << 28)));
  });
  to.add("v_mul_u32_u24", "u=uu", [](const In& x) {
    return W(static_cast<u32>(u64{x.u(0) % (1u << 24)} * (x.u(1) % (1u << 24)) % (u64{1} << 32)));
  });
  to.add("v_mul_hi_u32_u24", "u=uu",
         [](const In& x) { return W(u64{x.u(0) % (1u << 24)} * (x.u(1) % (1u << 24)) / (u64{1} << 32)); });
  // [LLVM: AMDGPUISD::FMIN_LEGACY, FMAX_LEGACY] The second one where a NaN makes the comparison false.
  to.add("v_min_legacy_f32", "f=ff", [](const In& x) { return W(compared(x, 'f', 1) ? x.raw[0] : x.raw[1]); });
  to.add("v_max_legacy_f32", "f=ff", [](const In& x) { return W(compared(x, 'f', 6) ? x.raw[0] : x.raw[1]); });
  to.add("v_min_f32", "f=ff", [](const In& x) { return W(lesser(x.raw[0], x.raw[1], false)); });
  to.add("v_max_f32", "f=ff", [](const In& x) { return W(greater(x.raw[0], x.raw[1], false)); });
  to.add("v_min_f64", "d=dd", [](const In& x) { return W(lesser(x.raw[0], x.raw[1], true)); });
  to.add("v_max_f64", "d=dd", [](const In& x) { return W(greater(x.raw[0], x.raw[1], true)); });
  const auto pick = [](char kind, u32 condition) {
    return [=](const In& x) { return W(x.u(compared(x, kind, condition) ? 0 : 1)); };
  };
  to.add("v_min_i32", "u=uu", pick('i', 1));
  to.add("v_max_i32", "u=uu", pick('i', 4));
  to.add("v_min_u32", "u=uu", pick('u', 1));
  to.add("v_max_u32", "u=uu", pick('u', 4));
  // Shifts as products and quotients of powers of two; only 5 or 6 bits of the distance count.
  const auto left = [](UWide value, u32 by) { return value * (UWide{1} << by); };
  const auto right = [](Wide value, u32 by) {  // rounds down
    const Wide power = Wide{1} << by;
    return value < 0 ? -((-value + power - 1) / power) : value / power;
  };
  for (const bool reversed : {false, true}) {
    const u32 v = reversed ? 1 : 0, by = reversed ? 0 : 1;
    const std::string rev = reversed ? "rev" : "";
    const std::string wide = reversed ? "U=uU" : "U=Uu";
    to.add("v_lshl" + rev + "_b32", "u=uu",
           [=](const In& x) { return W(static_cast<u32>(left(x.u(v), x.u(by) % 32))); });
    to.add("v_lshr" + rev + "_b32", "u=uu",
           [=](const In& x) { return W(static_cast<u32>(right(x.u(v), x.u(by) % 32))); });
    to.add("v_ashr" + rev + "_i32", "u=uu",
           [=](const In& x) { return W(static_cast<u32>(right(x.i(v), x.u(by) % 32))); });
    to.add("v_lshl" + rev + "_b64", wide, [=](const In& x) { return W(static_cast<u64>(left(x.U(v), x.u(by) % 64))); });
    to.add("v_lshr" + rev + "_b64", wide,
           [=](const In& x) { return W(static_cast<u64>(right(x.U(v), x.u(by) % 64))); });
    to.add("v_ashr" + rev + "_i64", wide,
           [=](const In& x) { return W(static_cast<u64>(right(static_cast<i64>(x.U(v)), x.u(by) % 64))); });
  }
  // Logic by truth tables: bit n of the table is the result where the operands' bits are n / 2 and n % 2.
  const auto logic = [](u32 table) {
    return [=](const In& x) {
      u32 out = 0;
      for (u32 n = 0; n < 32; ++n) out |= (table >> ((x.u(0) >> n & 1) * 2 + (x.u(1) >> n & 1)) & 1) << n;
      return W(out);
    };
  };
  to.add("v_and_b32", "u=uu", logic(0b1000));
  to.add("v_or_b32", "u=uu", logic(0b1110));
  to.add("v_xor_b32", "u=uu", logic(0b0110));
  to.add("v_bfm_b32", "u=uu", [](const In& x) {
    u32 out = 0;
    for (u32 n = 0; n < x.u(0) % 32; ++n)
      if (n + x.u(1) % 32 < 32) out |= 1u << (n + x.u(1) % 32);
    return W(out);
  });
  to.add("v_bcnt_u32_b32", "u=uu", [](const In& x) { return W(static_cast<u32>(count_ones(x.u(0)) + x.u(1))); });
  for (const bool high : {false, true})
    to.add(high ? "v_mbcnt_hi_u32_b32" : "v_mbcnt_lo_u32_b32", "u=uu", [high](const In& x) {
      u32 out = x.u(1);
      for (u32 lane = high ? 32 : 0; lane < std::min(x.lane, high ? 64u : 32u); ++lane) out += x.u(0) >> lane % 32 & 1;
      return W(out);
    });
  for (const char* name : {"v_add_i32", "v_add_u32"})
    to.add(name, "um=uu", [](const In& x) { return carry(Wide{x.u(0)} + x.u(1)); });
  for (const char* name : {"v_sub_i32", "v_sub_u32"})
    to.add(name, "um=uu", [](const In& x) { return carry(Wide{x.u(0)} - x.u(1)); });
  for (const char* name : {"v_subrev_i32", "v_subrev_u32"})
    to.add(name, "um=uu", [](const In& x) { return carry(Wide{x.u(1)} - x.u(0)); });
  to.add("v_addc_u32", "um=uu m", [](const In& x) { return carry(Wide{x.u(0)} + x.u(1) + (x.bit ? 1 : 0)); });
  to.add("v_subb_u32", "um=uu m", [](const In& x) { return carry(Wide{x.u(0)} - x.u(1) - (x.bit ? 1 : 0)); });
  to.add("v_subbrev_u32", "um=uu m", [](const In& x) { return carry(Wide{x.u(1)} - x.u(0) - (x.bit ? 1 : 0)); });
  to.add("v_ldexp_f32", "f=fu", [](const In& x) { return F(times_power(x.f(0), x.i(1))); });
  to.add("v_ldexp_f64", "d=du", [](const In& x) { return D(times_power(x.d(0), x.i(1))); });
  to.add("v_cvt_pknorm_i16_f32", "u=ff", [](const In& x) { return pack_normalised(x, 32767, true); });
  to.add("v_cvt_pknorm_u16_f32", "u=ff", [](const In& x) { return pack_normalised(x, 65535, false); });
  to.add("v_cvt_pkrtz_f16_f32", "u=ff", [](const In& x) {
    if (x.ff(0).nan() || x.ff(1).nan()) return unknown();
    return W(half_of(x.u(0), true) | half_of(x.u(1), true) << 16);
  });
  to.add("v_cvt_pk_u16_u32", "u=uu", [](const In& x) {
    return W((x.u(0) >> 16 != 0 ? 0xffff : x.u(0)) | (x.u(1) >> 16 != 0 ? 0xffff : x.u(1)) << 16);
  });
  to.add("v_cvt_pk_i16_i32", "u=uu", [](const In& x) {
    const auto narrow = [](i32 v) {
      return v > 0x7fff ? 0x7fffu : v < -0x8000 ? 0x8000u : static_cast<u32>(v) & 0xffff;
    };
    return W(narrow(x.i(0)) | narrow(x.i(1)) << 16);
  });
}

void add_one_source(Adder& to) {
  to.add("v_cvt_i32_f64", "u=d", [](const In& x) { return W(to_integer(x.d(0), kMinI, kMaxI)); });
  to.add("v_cvt_u32_f64", "u=d", [](const In& x) { return W(to_integer(x.d(0), 0, kMaxU)); });
  to.add("v_cvt_i32_f32", "u=f", [](const In& x) { return W(to_integer(x.f(0), kMinI, kMaxI)); });
  to.add("v_cvt_u32_f32", "u=f", [](const In& x) { return W(to_integer(x.f(0), 0, kMaxU)); });
  // [CLRX] says the largest and smallest integer for NaN, and AMD's manuals nothing.
  to.add("v_cvt_rpi_i32_f32", "u=f", [](const In& x) {
    return x.ff(0).nan() ? unknown() : W(to_integer(integral(x.f(0) + Quad{0.5}, 'f'), kMinI, kMaxI));
  });
  to.add("v_cvt_flr_i32_f32", "u=f",
         [](const In& x) { return x.ff(0).nan() ? unknown() : W(to_integer(integral(x.f(0), 'f'), kMinI, kMaxI)); });
  to.add("v_cvt_f64_i32", "d=u", [](const In& x) { return D(x.i(0)); });
  to.add("v_cvt_f64_u32", "d=u", [](const In& x) { return D(x.u(0)); });
  to.add("v_cvt_f32_i32", "f=u", [](const In& x) { return F(x.i(0)); });
  to.add("v_cvt_f32_u32", "f=u", [](const In& x) { return F(x.u(0)); });
  to.add("v_cvt_f32_f64", "f=d", [](const In& x) { return F(x.d(0)); });
  to.add("v_cvt_f64_f32", "d=f", [](const In& x) { return D(x.f(0)); });
  to.add("v_cvt_f16_f32", "u=f", [](const In& x) {
    Out out = W(half_of(x.u(0), false));
    out.slack.kind = 'h';
    return out;
  });
  to.add("v_cvt_f32_f16", "f=h", [](const In& x) { return W(float_of_half(x.u(0) & 0xffff)); });
  to.add("v_cvt_off_f32_i4", "f=u", [](const In& x) { return F((Quad{0} + (x.u(0) % 16 ^ 8)) / 16 - Quad{0.5}); });
  for (u32 n = 0; n < 4; ++n)
    to.add("v_cvt_f32_ubyte" + std::to_string(n), "f=u", [n](const In& x) { return F(byte(x.u(0), n)); });
  for (const auto& [name, mode] : {std::pair{"trunc", 't'}, {"ceil", 'c'}, {"rndne", 'e'}, {"floor", 'f'}}) {
    to.add(std::string("v_") + name + "_f32", "f=f", [mode](const In& x) { return F(integral(x.f(0), mode)); });
    to.add(std::string("v_") + name + "_f64", "d=d", [mode](const In& x) { return D(integral(x.d(0), mode)); });
  }
  to.add("v_exp_f32", "f=f", power_of_two);
  to.add("v_log_f32", "f=f", logarithm);
  to.add("v_log_clamp_f32", "f=f", [](const In& x) {
    return x.ff(0).inf() ? unknown() : without_infinity(logarithm(x), false);  // +inf: the documents disagree
  });
  to.add("v_rcp_f32", "f=f", [](const In& x) { return reciprocal(x, false); });
  to.add("v_rcp_iflag_f32", "f=f", [](const In& x) { return reciprocal(x, false); });
  to.add("v_rcp_f64", "d=d", [](const In& x) { return reciprocal(x, true); });
  to.add("v_rcp_clamp_f32", "f=f", [](const In& x) { return without_infinity(reciprocal(x, false), false); });
  to.add("v_rcp_clamp_f64", "d=d", [](const In& x) { return without_infinity(reciprocal(x, true), true); });
  // Infinite results become zeros of their sign; of v_rsq_legacy_f32 [CLRX] does not say which.
  const auto zero_for_infinity = [](Out out) {
    if (Fields(out.bits, false).inf()) out.bits &= 0x80000000;
    return out;
  };
  to.add("v_rcp_legacy_f32", "f=f", [=](const In& x) { return zero_for_infinity(reciprocal(x, false)); });
  to.add("v_rsq_legacy_f32", "f=f",
         [=](const In& x) { return either_zero(zero_for_infinity(square_root(x, false, true))); });
  to.add("v_rsq_f32", "f=f", [](const In& x) { return square_root(x, false, true); });
  to.add("v_rsq_f64", "d=d", [](const In& x) { return square_root(x, true, true); });
  to.add("v_rsq_clamp_f32", "f=f", [](const In& x) { return without_infinity(square_root(x, false, true), false); });
  to.add("v_rsq_clamp_f64", "d=d", [](const In& x) { return without_infinity(square_root(x, true, true), true); });
  to.add("v_sqrt_f32", "f=f", [](const In& x) { return square_root(x, false, false); });
  to.add("v_sqrt_f64", "d=d", [](const In& x) { return square_root(x, true, false); });
  to.add("v_sin_f32", "f=f", [](const In& x) { return circle(x, true); });
  to.add("v_cos_f32", "f=f", [](const In& x) { return circle(x, false); });
  to.add("v_fract_f32", "f=f", [](const In& x) { return fraction(x, false); });
  to.add("v_fract_f64", "d=d", [](const In& x) { return fraction(x, true); });
  // Exponents of infinity and NaN: 0 as in [VEGA] and LLVM; [CLRX] says -1.
  to.add("v_frexp_exp_i32_f32", "u=f", [](const In& x) { return split(x, false, true); });
  to.add("v_frexp_exp_i32_f64", "u=d", [](const In& x) { return split(x, true, true); });
  to.add("v_frexp_mant_f32", "f=f", [](const In& x) { return split(x, false, false); });
  to.add("v_frexp_mant_f64", "d=d", [](const In& x) { return split(x, true, false); });
  to.add("v_mov_b32", "u=u", [](const In& x) { return W(x.u(0)); });
  to.add("v_not_b32", "u=u", [](const In& x) { return W(static_cast<u32>(kMaxU - x.u(0))); });
  to.add("v_bfrev_b32", "u=u", [](const In& x) {
    u32 out = 0;
    for (u32 n = 0; n < 32; ++n) out = out * 2 + (x.u(0) >> n) % 2;
    return W(out);
  });
  const auto find = [](u32 value, bool from_top, bool wanted) {
    for (u32 n = 0; n < 32; ++n)
      if ((value >> (from_top ? 31 - n : n) & 1) == (wanted ? 1u : 0u)) return W(n);
    return W(0xffffffff);
  };
  to.add("v_ffbh_u32", "u=u", [=](const In& x) { return find(x.u(0), true, true); });
  to.add("v_ffbl_b32", "u=u", [=](const In& x) { return find(x.u(0), false, true); });
  to.add("v_ffbh_i32", "u=u", [=](const In& x) { return find(x.u(0), true, x.i(0) >= 0); });
  const auto nothing = [](State&, const Instruction&) {};
  for (const char* name : {"v_nop", "v_clrexcp"})
    to.special(name, nothing, [](Maker& m, u32) { m.add(m.instance()); }, 2);
}

void add_three_sources(Adder& to) {
  to.add("v_mad_i32_i24", "u=uuu", [](const In& x) {
    return W(static_cast<u32>(static_cast<UWide>(Wide{signed_24(x.u(0))} * signed_24(x.u(1)) + x.u(2))));
  });
  to.add("v_mad_u32_u24", "u=uuu",
         [](const In& x) { return W(static_cast<u32>(UWide{x.u(0) % (1u << 24)} * (x.u(1) % (1u << 24)) + x.u(2))); });
  to.add("v_bfe_u32", "u=uuu", [](const In& x) { return W(field(x.u(0), x.u(1) % 32, x.u(2) % 32, false)); });
  to.add("v_bfe_i32", "u=uuu", [](const In& x) { return W(field(x.u(0), x.u(1) % 32, x.u(2) % 32, true)); });
  to.add("v_bfi_b32", "u=uuu", [](const In& x) {
    u32 out = 0;
    for (u32 n = 0; n < 32; ++n) out |= (x.u((x.u(0) >> n & 1) != 0 ? 1 : 2) >> n & 1) << n;
    return W(out);
  });
  to.add("v_fma_f32", "f=fff", [](const In& x) { return F(fused(x.f(0), x.f(1), x.f(2))); });
  to.add("v_fma_f64", "d=ddd", [](const In& x) { return D(fused(x.d(0), x.d(1), x.d(2))); });
  to.add("v_lerp_u8", "u=uuu", [](const In& x) {
    u32 out = 0;
    for (u32 n = 4; n-- > 0;) out = out * 256 + (byte(x.u(0), n) + byte(x.u(1), n) + byte(x.u(2), n) % 2) / 2;
    return W(out);
  });
  to.add("v_alignbit_b32", "u=uuu", [](const In& x) {
    u32 out = 0;
    for (u32 n = 0; n < 32; ++n) {
      const u32 from = n + x.u(2) % 32;
      out |= (from < 32 ? x.u(1) >> from & 1 : x.u(0) >> (from - 32) & 1) << n;
    }
    return W(out);
  });
  to.add("v_alignbyte_b32", "u=uuu", [](const In& x) {
    u32 out = 0;
    for (u32 n = 4; n-- > 0;) {
      const u32 from = n + x.u(2) % 4;
      out = out * 256 + (from < 4 ? byte(x.u(1), from) : byte(x.u(0), from - 4));
    }
    return W(out);
  });
  const auto low3 = [](const In& x) { return lesser(lesser(x.raw[0], x.raw[1], false), x.raw[2], false); };
  to.add("v_min3_f32", "f=fff", [=](const In& x) { return W(low3(x)); });
  to.add("v_max3_f32", "f=fff",
         [](const In& x) { return W(greater(greater(x.raw[0], x.raw[1], false), x.raw[2], false)); });
  to.add("v_med3_f32", "f=fff", [=](const In& x) {
    if (x.ff(0).nan() || x.ff(1).nan() || x.ff(2).nan()) return W(low3(x));
    std::array<u64, 3> v = x.raw;
    std::ranges::sort(v, {}, [](u64 bits) { return order(bits, false); });
    return either_zero(W(v[1]));  // of two zeros the documents choose different ones
  });
  for (const bool s : {false, true}) {
    const std::string type = s ? "_i32" : "_u32";
    to.add("v_min3" + type, "u=uuu", [s](const In& x) { return sorted(x, 0, s); });
    to.add("v_med3" + type, "u=uuu", [s](const In& x) { return sorted(x, 1, s); });
    to.add("v_max3" + type, "u=uuu", [s](const In& x) { return sorted(x, 2, s); });
  }
  to.add("v_sad_u8", "u=uuu", [](const In& x) { return W(static_cast<u32>(x.u(2) + byte_distances(x, false))); });
  to.add("v_msad_u8", "u=uuu", [](const In& x) { return W(static_cast<u32>(x.u(2) + byte_distances(x, true))); });
  to.add("v_sad_hi_u8", "u=uuu",
         [](const In& x) { return W(static_cast<u32>(x.u(2) + byte_distances(x, false) * 65536)); });
  to.add("v_sad_u16", "u=uuu", [](const In& x) {
    return W(
        static_cast<u32>(x.u(2) + distance(x.u(0) % 65536, x.u(1) % 65536) + distance(x.u(0) / 65536, x.u(1) / 65536)));
  });
  to.add("v_sad_u32", "u=uuu", [](const In& x) { return W(static_cast<u32>(x.u(2) + distance(x.u(0), x.u(1)))); });
  // Toward zero, as OpenCL's amd_pack, which is this instruction; [CLRX] says to nearest.
  to.add("v_cvt_pk_u8_f32", "u=fuu", [](const In& x) {
    u32 out = 0;
    for (u32 n = 4; n-- > 0;)
      out = out * 256 + (n == x.u(1) % 4 ? static_cast<u32>(to_integer(x.f(0), 0, 255)) : byte(x.u(2), n));
    return W(out);
  });
  for (const bool wide : {false, true}) {
    const std::string type = wide ? "_f64" : "_f32", three = wide ? "d=ddd" : "f=fff";
    to.add("v_div_fixup" + type, three, [wide](const In& x) { return fix_division(x, wide); });
    to.add("v_div_fmas" + type, three + " m", [wide](const In& x) { return fused_scaled(x, wide); });
    to.add("v_div_scale" + type, wide ? "dm=ddd s" : "fm=fff s",
           [wide](const In& x) { return scale_division(x, wide); });
  }
  to.add("v_add_f64", "d=dd", [](const In& x) { return D(fused(x.d(0), 1, x.d(1))); });
  to.add("v_mul_f64", "d=dd", [](const In& x) { return D(x.d(0) * x.d(1)); });
  for (const char* name : {"v_mul_lo_u32", "v_mul_lo_i32"})
    to.add(name, "u=uu", [](const In& x) {  // as one adds on paper
      u32 out = 0;
      for (u32 n = 0; n < 32; ++n)
        if ((x.u(1) >> n & 1) != 0) out += x.u(0) << n;
      return W(out);
    });
  to.add("v_mul_hi_u32", "u=uu",
         [](const In& x) { return W(static_cast<u32>(UWide{x.u(0)} * x.u(1) / (UWide{1} << 32))); });
  to.add("v_mul_hi_i32", "u=uu", [](const In& x) {
    const Wide biased = Wide{x.i(0)} * x.i(1) + (Wide{1} << 64);  // positive, so that the quotient rounds down
    return W(static_cast<u32>(static_cast<UWide>(biased / (Wide{1} << 32))));
  });
  to.add("v_mad_u64_u32", "Um=uuU", [](const In& x) {
    const UWide sum = UWide{x.u(0)} * x.u(1) + x.U(2);
    return WB(static_cast<u64>(sum), sum >> 64 != 0);
  });
  to.add("v_mad_i64_i32", "Um=uuU", [](const In& x) {
    const Wide sum = Wide{x.i(0)} * x.i(1) + static_cast<i64>(x.U(2));
    const Wide limit = Wide{1} << 63;
    return WB(static_cast<u64>(static_cast<UWide>(sum)), sum >= limit || sum < -limit);
  });
}

// --- lanes ----------------------------------------------------------------------------------------------------------

u32 first_lane(const State& s) {
  for (u32 lane = 0; lane < 64; ++lane)
    if (s.active(lane)) return lane;
  return 0;
}
void add_lanes(Adder& to) {
  to.special(
      "v_readfirstlane_b32",
      [](State& s, const Instruction& i) { s.s[i.destination] = s.read32(i, i.sources[0], first_lane(s)); },
      [](Maker& m, u32 round) {
        if (round == 7) m.start.set_pair(kExecLo, 0);
        for (u32 n = 0; n < 4; ++n) {
          Instruction i = m.instance();
          i.sources[0] = static_cast<u16>(kV0 + m.below(kVgprs));
          i.destination = static_cast<u16>(48 + m.below(40));
          m.add(i);
        }
      });
  const auto lanes = [](bool write) {
    return [write](Maker& m, u32) {
      for (u32 n = 0; n < 6; ++n) {
        Instruction i = m.instance();
        m.start.s[20 + n] = m.chance(50) ? m.below(64) : static_cast<u32>(m.bits());
        const auto lane = static_cast<u16>(n == 0 ? kM0Code : n < 4 ? 20 + n : 128 + m.below(64));
        const auto scalar = static_cast<u16>(n < 4 ? 30 + m.below(8) : 193 + m.below(16));
        i.sources = {write ? (n < 4 && lane != kM0Code ? lane : scalar) : static_cast<u16>(kV0 + m.below(kVgprs)), lane,
                     0};
        if (write && n >= 4) i.sources[0] = scalar;
        i.destination = static_cast<u16>(write ? m.below(kVgprs) : 48 + m.below(40));
        m.add(i);
      }
    };
  };
  to.special(
      "v_readlane_b32",
      [](State& s, const Instruction& i) {
        s.s[i.destination] = s.v[i.sources[0] - kV0][s.read32(i, i.sources[1]) % 64];
      },
      lanes(false));
  to.special(
      "v_writelane_b32",
      [](State& s, const Instruction& i) {
        s.v[i.destination][s.read32(i, i.sources[1]) % 64] = s.read32(i, i.sources[0]);
      },
      lanes(true));
  for (const auto& [name, to_relative, from_relative] :
       {std::tuple{"v_movreld_b32", true, false}, {"v_movrels_b32", false, true}, {"v_movrelsd_b32", true, true}})
    to.special(
        name,
        [to_relative, from_relative](State& s, const Instruction& i) {
          const u32 m0 = s.s[kM0Code];
          for (u32 lane = 0; lane < 64; ++lane)
            if (s.active(lane))
              s.v[i.destination + (to_relative ? m0 : 0)][lane] =
                  s.read32(i, i.sources[0] + (from_relative ? m0 : 0), lane);
        },
        [from_relative](Maker& m, u32) {
          m.start.s[kM0Code] = m.below(8);
          for (u32 n = 0; n < 5; ++n) {
            Instruction i = m.instance();
            i.sources[0] = static_cast<u16>(from_relative || n < 3 ? kV0 + m.below(8) : 20 + m.below(20));
            i.destination = static_cast<u16>(m.below(8));
            m.add(i);
          }
        });
}

}  // namespace

void add_vector(References& all) {
  Adder to(all);
  add_one_source(to);
  add_two_sources(to);
  add_three_sources(to);
  add_comparisons(to);
  add_lanes(to);
}

}  // namespace amdcompat::emulate::vectors
