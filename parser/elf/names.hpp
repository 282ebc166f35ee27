// Text out of containers: as a view, and as a name in a message.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace amdcompat::elf {

[[nodiscard]] inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A name from a file for a message: quoted, and cut where it would drown the message.
[[nodiscard]] inline std::string quoted(std::string_view name) {
  constexpr std::size_t kShown = 80;
  if (name.size() <= kShown) return fmt::format("'{}'", name);
  return fmt::format("'{}…' ({} bytes)", name.substr(0, kShown), name.size());
}

}  // namespace amdcompat::elf
