// IEEE half precision as 16 bits.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "opcode.hpp"

namespace amdcompat::emulate {

// From a float or a double, rounded once.
template <class T>
u32 to_half(T value, bool toward_zero) {
  using Bits = std::conditional_t<sizeof(T) == 8, u64, u32>;
  constexpr u32 kMantissa = std::numeric_limits<T>::digits - 1, kExtra = kMantissa - 10;
  const u32 sign = std::signbit(value) ? 0x8000 : 0;
  const Bits magnitude = std::bit_cast<Bits>(std::fabs(value));
  if (std::isnan(value)) return sign | 0x7e00;
  if (std::isinf(value)) return sign | 0x7c00;
  const i32 exponent = static_cast<i32>(magnitude >> kMantissa) - (std::numeric_limits<T>::max_exponent - 1);
  if (exponent > 15) return sign | (toward_zero ? 0x7bff : 0x7c00);
  if (exponent < -25) return sign;
  // The mantissa with its leading one, of which the result keeps 11 bits, fewer for denormals; a carry out of the
  // rounded mantissa goes into the exponent, up to infinity.
  const Bits one = Bits{1} << kMantissa, mantissa = (magnitude & (one - 1)) | one;
  const u32 drop = exponent >= -14 ? kExtra : kExtra + static_cast<u32>(-14 - exponent);
  u32 kept = static_cast<u32>(mantissa >> drop);
  const Bits rest = mantissa & ((Bits{1} << drop) - 1), middle = Bits{1} << (drop - 1);
  if (!toward_zero && (rest > middle || (rest == middle && (kept & 1) != 0))) ++kept;
  return sign | (exponent >= -14 ? kept + (static_cast<u32>(exponent + 14) << 10) : kept);
}

inline float from_half(u32 half) {
  const u32 sign = (half & 0x8000) << 16, exponent = half >> 10 & 31, mantissa = half & 0x3ff;
  if (exponent == 31)
    return mantissa != 0 ? std::numeric_limits<float>::quiet_NaN() : std::bit_cast<float>(sign | 0x7f80'0000);
  // A denormal is a multiple of 2^-24.
  if (exponent == 0) return std::bit_cast<float>(sign | std::bit_cast<u32>(static_cast<float>(mantissa) * 0x1p-24f));
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

}  // namespace amdcompat::emulate
