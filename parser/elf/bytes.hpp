// Little-endian numbers at the end of a growing string, as writers of notes and ELF files put them together.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <amdcompat/diagnostic.hpp>

#include <elf/little_endian.hpp>

namespace amdcompat::elf {

// The number at `at`; the caller has checked that the bytes are there.
template <std::unsigned_integral T>
[[nodiscard]] T get(std::string_view bytes, std::size_t at) {
  return load<T>(std::as_bytes(std::span(bytes)), at);
}

template <std::unsigned_integral T>
void put(std::string& bytes, T value) {
  const T little = to_little(value);
  bytes.append(reinterpret_cast<const char*>(&little), sizeof little);
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
