// IEEE half precision as 16 bits.
#pragma once

#include <bit>
#include <cmath>
#include <limits>

#include "opcode.hpp"

namespace amdcompat::emulate {

inline u32 to_half(float value, bool toward_zero) {
  const u32 bits = std::bit_cast<u32>(value), sign = bits >> 16 & 0x8000;
  const u32 magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude == 0x7f800000) return sign | 0x7c00;
  const i32 exponent = static_cast<i32>(magnitude >> 23) - 127;
  if (exponent > 15) return sign | (toward_zero ? 0x7bff : 0x7c00);
  if (exponent < -25) return sign;
  // The mantissa with its leading one, of which the result keeps 11 bits, fewer for denormals; a carry out of the
  // rounded mantissa goes into the exponent, up to infinity.
  const u32 mantissa = (magnitude & 0x7fffff) | 0x800000;
  const u32 drop = exponent >= -14 ? 13 : 13 + static_cast<u32>(-14 - exponent);
  u32 kept = mantissa >> drop;
  const u32 rest = mantissa & ((u32{1} << drop) - 1), middle = u32{1} << (drop - 1);
  if (!toward_zero && (rest > middle || (rest == middle && (kept & 1) != 0))) ++kept;
  return sign | (exponent >= -14 ? kept + (static_cast<u32>(exponent + 14) << 10) : kept);
}

inline float from_half(u32 half) {
  const float sign = (half & 0x8000) != 0 ? -1.0f : 1.0f;
  const i32 exponent = static_cast<i32>(half >> 10 & 31);
  const float mantissa = static_cast<float>(half & 0x3ff);
  if (exponent == 31)
    return mantissa != 0 ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024.0f, exponent - 25);
}

}  // namespace amdcompat::emulate
