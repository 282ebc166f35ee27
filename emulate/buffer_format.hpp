// Values of buffers in memory and in registers, by data format and number format. [SIA; CIA; VIA: chapter
// «Vector Memory Operations», tables of data and number formats]
#pragma once

#include <algorithm>
#include <optional>

#include "half.hpp"

namespace amdcompat::emulate {

// Bits of each component; the packed formats 6 to 9 have no real user and no row.
struct DataFormat {
  u8 number;
  u8 components;
  u8 bits;
};
inline constexpr DataFormat kFormats[] = {{1, 1, 8},  {2, 1, 16},  {3, 2, 8},   {4, 1, 32},  {5, 2, 16},
                                          {10, 4, 8}, {11, 2, 32}, {12, 4, 16}, {13, 3, 32}, {14, 4, 32}};
enum NumberFormat : u32 { kUnorm, kSnorm, kUscaled, kSscaled, kUint, kSint, kSnormOgl, kFloat };

inline u32 bits_of(float value) { return std::bit_cast<u32>(value); }
inline double largest(u32 bits) { return std::ldexp(1.0, static_cast<int>(bits)) - 1; }

// From memory to a register; empty for number formats that the width does not have.
inline std::optional<u32> unpack(u32 raw, u32 bits, u32 format) {
  const i32 value = static_cast<i32>(raw << (32 - bits)) >> (32 - bits);
  switch (format) {
    case kUnorm: return bits_of(static_cast<float>(raw / largest(bits)));
    case kSnorm: return bits_of(static_cast<float>(std::max(value / largest(bits - 1), -1.0)));
    case kUscaled: return bits_of(static_cast<float>(raw));
    case kSscaled: return bits_of(static_cast<float>(value));
    case kUint: return raw;
    case kSint: return static_cast<u32>(value);
    case kFloat: return bits == 32 ? raw : bits == 16 ? std::optional(bits_of(from_half(raw))) : std::nullopt;
    default: return std::nullopt;
  }
}
inline std::optional<u32> pack(u32 value, u32 bits, u32 format) {
  const float real = std::bit_cast<float>(value);
  const double most = largest(bits), signed_most = largest(bits - 1);
  const auto rounded = [&](double low, double high, double scale) {
    const double x = std::isnan(real) ? 0 : std::clamp(real * scale, low, high);
    return static_cast<u32>(static_cast<i64>(std::nearbyint(x)));
  };
  switch (format) {
    case kUnorm: return rounded(0, most, most);
    case kSnorm: return rounded(-signed_most, signed_most, signed_most);
    case kUscaled: return rounded(0, most, 1);
    case kSscaled: return rounded(-signed_most - 1, signed_most, 1);
    case kUint: return bits == 32 ? value : std::min(value, static_cast<u32>(most));
    case kSint:
      return static_cast<u32>(
          std::clamp<i64>(static_cast<i32>(value), static_cast<i64>(-signed_most) - 1, static_cast<i64>(signed_most)));
    case kFloat: return bits == 32 ? value : bits == 16 ? std::optional(to_half(real, false)) : std::nullopt;
    default: return std::nullopt;
  }
}

// Registers of 16 bits (D16): numbers that are no integers are halves there. GFX8.0 has one for each component; what
// becomes of its upper half, which is zero here, no document says. gfx810 and GFX9 have two in a register; that the
// half which is left over is zero is not verified, nor what becomes of longer integers, which stop the run. [VIA:
// BUFFER_LOAD_FORMAT_D16_X; VEGA: «D16 Support»; LLVM: FeatureUnpackedD16VMem]
constexpr bool is_integer(u32 number_format) { return number_format == kUint || number_format == kSint; }
inline u32 shortened(u32 value, u32 number_format) {
  return is_integer(number_format) ? value & 0xffff : to_half(std::bit_cast<float>(value), false);
}
inline u32 lengthened(u32 value, u32 number_format) {
  if (number_format == kUint) return value & 0xffff;
  if (number_format == kSint) return static_cast<u32>(static_cast<i32>(static_cast<i16>(value)));
  return bits_of(from_half(value & 0xffff));
}
// How the components of an access lie in registers: of 32 bits; of 16 in registers of their own, or two in each.
class Layout {
 public:
  Layout(gcn::Generation gfx, const Instruction& i, bool d16, u32 number_format)
      : short_(d16), pairs_(d16 && (gfx >= gcn::Generation::Gfx9 || i.packed_halves)), number_format_(number_format) {}
  [[nodiscard]] u32 registers(u32 components) const { return pairs_ ? (components + 1) / 2 : components; }
  // The register of component `n`, its value there, and the value that a register has of it.
  [[nodiscard]] u32 place(u32 n) const { return pairs_ ? n / 2 : n; }
  [[nodiscard]] u32 put(u32 n, u32 value) const {
    return short_ ? shortened(value, number_format_) << shift(n) : value;
  }
  [[nodiscard]] u32 get(u32 n, u32 held) const { return short_ ? lengthened(held >> shift(n), number_format_) : held; }

 private:
  [[nodiscard]] u32 shift(u32 n) const { return pairs_ ? 16 * (n % 2) : 0; }

  bool short_, pairs_;
  u32 number_format_;
};

}  // namespace amdcompat::emulate
