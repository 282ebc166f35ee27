// Arithmetic of the descriptions: see vectors_lane.hpp.
#include <algorithm>
#include <cmath>

#include "vectors_lane.hpp"

namespace amdcompat::emulate::vectors {

// The product is exact; the sum is made odd in its last bit when it is not, so that the second rounding cannot go wrong
// [Boldo, Melquiond: Emulation of a FMA and correctly rounded sums, 2008].
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
u64 to_integer(Quad x, Wide low, Wide high) {
  if (x != x) return 0;
  if (x <= static_cast<Quad>(low)) return static_cast<u32>(static_cast<UWide>(low));
  if (x >= static_cast<Quad>(high)) return static_cast<u32>(static_cast<UWide>(high));
  return static_cast<u32>(static_cast<i64>(integral(x, 't')));
}

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

namespace {

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

namespace {
u32 nearest_half(Quad value, u32 sign, bool toward_zero) {
  if (value != value) return 0x7e00 | sign;
  const Quad x = value < 0 ? -value : value;
  if (!(x - x == 0)) return sign | 0x7c00;
  const auto& all = halves();
  const u32 above = static_cast<u32>(
      std::partition_point(all.begin(), all.end(), [&](double half) { return Quad{half} < x; }) - all.begin());
  if (above == 0x7c00) {  // beyond the largest
    const Quad next = 65536;
    return sign | (!toward_zero && next - x <= x - Quad{all.back()} ? 0x7c00u : 0x7bffu);
  }
  if (Quad{all[above]} == x || above == 0) return sign | above;
  if (toward_zero) return sign | (above - 1);
  const Quad up = Quad{all[above]} - x, down = x - Quad{all[above - 1]};
  return sign | (up < down || (up == down && above % 2 == 0) ? above : above - 1);
}
}  // namespace

u32 half_of(u32 bits, bool toward_zero) {
  return nearest_half(as_float(bits), bits >> 31 != 0 ? 0x8000 : 0, toward_zero);
}
u32 half_of_quad(Quad value) {
  return nearest_half(value, value < 0 || (value == 0 && 1 / value < 0) ? 0x8000 : 0, false);
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

}  // namespace amdcompat::emulate::vectors
