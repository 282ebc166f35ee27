// Little-endian numbers at the end of a growing string, as writers of notes and ELF files put them together.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <amdcompat/diagnostic.hpp>

namespace amdcompat::elf {

// The number at `at`; the caller has checked that the bytes are there.
template <std::unsigned_integral T>
[[nodiscard]] T get(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) value = (value << 8) | static_cast<unsigned char>(bytes[at + i]);
  return static_cast<T>(value);
}

template <std::unsigned_integral T>
void put(std::string& bytes, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes += static_cast<char>(static_cast<unsigned char>((std::uint64_t{value} >> (8 * i)) & 0xFF));
}

[[nodiscard]] constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

inline void pad(std::string& bytes, std::size_t align) { bytes.resize(align_up(bytes.size(), align), '\0'); }

// [base + begin, + size) of the file, cut to what a SourceRange can say.
[[nodiscard]] constexpr SourceRange clamp_range(std::uint32_t base, std::uint64_t begin, std::uint64_t size) {
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t from = std::min(kLast, std::min(kLast, begin) + base);
  return {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(std::min(size, kLast - from))};
}

}  // namespace amdcompat::elf
