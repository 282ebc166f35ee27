// UTF-8, for names of files and for reports, which take different characters of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace amdcompat::migrate {

struct Utf8Character {
  std::size_t size = 0;  // bytes; 0: what stands there is no UTF-8
  std::uint32_t point = 0;
};
// The character at the front: no overlong form, no surrogate, nothing over U+10FFFF. [Unicode «UTF-8», table 3-7]
inline Utf8Character utf8_at(std::string_view text) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {text.empty() ? std::size_t{0} : 1, first};
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return {};
  std::uint32_t point = first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = (size == 3 && point < 0x800) || (size == 4 && point < 0x10000);
  if (overlong || (point >= 0xd800 && point < 0xe000) || point > 0x10ffff) return {};
  return {size, point};
}

}  // namespace amdcompat::migrate
