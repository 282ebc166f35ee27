// Little-endian integers at unaligned places. Callers check bounds; these do not.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace amdcompat::elf {

template <std::unsigned_integral T>
[[nodiscard]] T to_little(T value) {
  if constexpr (std::endian::native == std::endian::little || sizeof(T) == 1)
    return value;
  else
    return std::byteswap(value);
}

template <std::unsigned_integral T>
[[nodiscard]] T load(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return to_little(value);
}

template <std::unsigned_integral T>
void store(std::span<std::byte> bytes, std::size_t at, T value) {
  value = to_little(value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// `==` of byte sequences, which the standard library compares one by one.
[[nodiscard]] inline bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// Whether [at, at + size) lies inside `total` bytes; never overflows.
[[nodiscard]] constexpr bool inside(std::uint64_t at, std::uint64_t size, std::uint64_t total) {
  return at <= total && size <= total - at;
}

}  // namespace amdcompat::elf
