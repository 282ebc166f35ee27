// Arithmetic that vector instructions of several widths share.
#pragma once

#include <algorithm>
#include <limits>

#include "semantics.hpp"

namespace amdcompat::emulate {

// The smaller one; a number beats a NaN, and -0 is below +0.
template <class T>
T least(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}
template <class T>
T most(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}
template <class T>
T median(T a, T b, T c) {
  if (a > b) std::swap(a, b);
  return c < a ? a : c > b ? b : c;
}

template <class To, class From>
To saturate(From value) {  // toward zero; NaN gives 0
  if (std::isnan(value)) return 0;
  if (value <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (value >= -static_cast<From>(std::numeric_limits<i32>::min()) * (std::is_signed_v<To> ? 1 : 2))
    return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

// A number of 16 bits for those from -1 or 0 to 1.
inline u32 normalized(float value, float scale, bool is_signed) {
  const float low = is_signed ? -1.0f : 0.0f;
  const float x = std::isnan(value) ? 0.0f : value < low ? low : value > 1.0f ? 1.0f : value;
  return static_cast<u32>(static_cast<i32>(std::nearbyint(x * scale))) & 0xffff;
}

// Of revolutions; the hardware's domain is +-256. What is left of whole ones is from -1/2 to 1/2, and is brought to a
// quarter, so that tiny numbers stay what they are and half a revolution has no sine.
inline double angle(double revolutions) { return revolutions * 6.283185307179586476925; }
inline double sine(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  if (std::fabs(x) > 256) return 0;
  const double rest = std::remainder(x, 1.0);
  return std::sin(angle(std::fabs(rest) > 0.25 ? std::copysign(0.5, rest) - rest : rest));
}
inline double cosine(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  return std::fabs(x) > 256 ? 1 : std::sin(angle(0.25 - std::fabs(std::remainder(x, 1.0))));
}

template <class T>
struct Float;
template <>
struct Float<float> {
  static constexpr i32 kBias = 127, kMantissa = 23, kScale = 64, kFar = 96, kTiny = 23, kUnderflow = -150;
};
template <>
struct Float<double> {
  static constexpr i32 kBias = 1023, kMantissa = 52, kScale = 128, kFar = 768, kTiny = 53, kUnderflow = -1075;
};
// The exponent field.
template <class T>
i32 exponent_of(T value) {
  const auto bits = std::bit_cast<BitsOf<T>>(value);
  return static_cast<i32>(bits >> Float<T>::kMantissa & (2 * Float<T>::kBias + 1));
}
template <class T>
bool denormal(T value) {
  return std::fpclassify(value) == FP_SUBNORMAL;
}

// (a * b + c) * 2^power, rounded once.
template <class T>
T multiply_add_scale(T a, T b, T c, i32 power) {
  const T sum = std::fma(a, b, c);
  if (std::isinf(sum) && power < 0 && std::isfinite(a) && std::isfinite(b)) {
    if (std::fabs(a) < std::fabs(b)) std::swap(a, b);
    return std::fma(std::ldexp(a, power), b, std::ldexp(c, power));
  }
  const T out = std::ldexp(sum, power), lost = sum - std::ldexp(out, -power);
  // Bits are lost below the smallest number. Half of it, which is rounded to even, may be a bit more or less of the
  // exact sum.
  if (std::fabs(lost) != std::ldexp(T{1}, -Float<T>::kBias - Float<T>::kMantissa - power)) return out;
  const T product = a * b, near = product + c, part = near - product;
  const T rest = (near - sum) + ((product - (near - part)) + (c - part)) + std::fma(a, b, -product);
  constexpr T kInf = std::numeric_limits<T>::infinity();
  if (lost > 0 && rest > 0) return std::nextafter(out, kInf);
  if (lost < 0 && rest < 0) return std::nextafter(out, -kInf);
  return out;
}

// Last step: the special cases that the refined quotient does not get right. One that is no number has overflowed: the
// documents do not say so, but what AMD's compilers emit for division relies on it. [LLVM: what it makes of fdiv of
// doubles] Of halves: not verified.
template <class T>
T divide_fixup(T quotient, T denominator, T numerator) {
  const T sign = std::signbit(denominator) != std::signbit(numerator) ? T{-1} : T{1};
  constexpr T kInf = std::numeric_limits<T>::infinity();
  if (std::isnan(numerator)) return numerator;
  if (std::isnan(denominator)) return denominator;
  if ((denominator == T{0} && numerator == T{0}) || (std::isinf(denominator) && std::isinf(numerator)))
    return -std::numeric_limits<T>::quiet_NaN();
  if (denominator == T{0} || std::isinf(numerator)) return sign * kInf;
  if (std::isinf(denominator) || numerator == T{0}) return sign * T{0};
  if (exponent_of(numerator) - exponent_of(denominator) < Float<T>::kUnderflow) return sign * T{0};
  return sign * (std::isnan(quotient) ? kInf : std::fabs(quotient));
}

template <class T>
u32 exponent_plus_one(T value) {  // frexp's exponent; 0 for zero, infinity and NaN
  if (!std::isfinite(value) || value == T{0}) return 0;
  int e = 0;
  static_cast<void>(std::frexp(value, &e));
  return static_cast<u32>(e);
}

template <class T>
T mantissa_of(T value) {
  if (!std::isfinite(value)) return value;
  int e = 0;
  return std::frexp(value, &e);
}

}  // namespace amdcompat::emulate
