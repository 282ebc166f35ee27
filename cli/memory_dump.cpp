#include "memory_dump.hpp"

#include <charconv>
#include <cstdio>

#include <fmt/format.h>

#include <amdcompat/diagnostic.hpp>

namespace amdcompat::cli {

std::optional<MemoryDump> parse_dump(const std::string& text) {
  MemoryDump out;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::uint64_t* value : {&out.address, &out.size}) {
    const bool hex = end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    const auto [next, error] = std::from_chars(hex ? at + 2 : at, end, *value, hex ? 16 : 10);
    if (error != std::errc{} || next == end || *next != ':') return std::nullopt;
    at = next + 1;
  }
  out.file.assign(at, end);
  return out.file.empty() ? std::nullopt : std::optional(out);
}

bool check_dumps(std::span<const std::string> dumps) {
  for (const std::string& dump : dumps)
    if (!parse_dump(dump)) {
      fmt::print(stderr, "amdcompat: --dump '{}': expected ADDRESS:SIZE:FILE\n", visible(dump));
      return false;
    }
  return true;
}

}  // namespace amdcompat::cli
