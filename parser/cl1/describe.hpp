// What the files of this module share: names in messages, and bounded sums over ranges of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <amdcompat/diagnostic.hpp>

#include <elf/names.hpp>

namespace amdcompat::cl1 {

using elf::as_text;
using elf::quoted;

// Owner of every note of a CAL image, with the NUL that namesz counts.
inline constexpr char kCalOwnerText[8] = "ATI CAL";
inline constexpr std::string_view kCalOwner{kCalOwnerText, sizeof kCalOwnerText};

// The same range without NULs at its end.
[[nodiscard]] inline SourceRange without_trailing_nuls(SourceRange range, std::string_view text) {
  const std::size_t last = text.find_last_not_of('\0');
  range.size = last == std::string_view::npos ? 0 : static_cast<std::uint32_t>(last + 1);
  return range;
}

// The version string in .comment: what follows the options, from AMD's marker on where there is one.
[[nodiscard]] inline SourceRange find_driver(SourceRange range, std::string_view text) {
  constexpr std::string_view kMarker = "@(#)";
  if (const std::size_t at = text.find(kMarker); at != std::string_view::npos) {
    text.remove_prefix(at);
    range.begin += static_cast<std::uint32_t>(at);
  }
  return without_trailing_nuls(range, text);
}

}  // namespace amdcompat::cl1
