// Arguments, structures and their bytes in words, for the maps of all launch images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <amdcompat/cl2_launch.hpp>

namespace amdcompat::abi {

template <class T>
T load(const std::byte* at) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | static_cast<T>(std::to_integer<T>(at[i]) << (8 * i)));
  return value;
}

// The first `size` bytes, at most eight, as a number.
[[nodiscard]] std::uint64_t load(const std::byte* at, std::uint32_t size);

// Rows of a map: the members of a structure at `base` of `memory`, which is empty before a build.
void add_field_rows(std::vector<MapEntry>& out, std::uint32_t part, std::uint32_t base,
                    std::span<const ObjectField> rows, std::string_view owner, std::span<const std::byte> memory);
void add_packet_rows(std::vector<MapEntry>& out, std::uint32_t part, std::uint32_t base,
                     std::span<const std::byte> memory);

// At most 32 bytes as hexadecimal digits, then how many there are.
[[nodiscard]] std::string hex_text(const std::byte* at, std::size_t size);
// Elements [first, last) of a value whose bytes start at `at`.
[[nodiscard]] std::string value_text(const ByValue& value, const std::byte* at, std::uint32_t first,
                                     std::uint32_t last);
// What an argument is: `kind` of its rule, and the details.
[[nodiscard]] std::string argument_text(const Argument& argument, std::string_view kind);

}  // namespace amdcompat::abi
