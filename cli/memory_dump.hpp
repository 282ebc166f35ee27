// `--dump ADDRESS:SIZE:FILE`: memory after a launch, of `run` and `launch`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace amdcompat::cli {

struct MemoryDump {
  std::uint64_t address = 0, size = 0;  // bytes
  std::string file;
};

// Numbers are decimal, or hexadecimal with 0x.
[[nodiscard]] std::optional<MemoryDump> parse_dump(const std::string& text);
// False, with the reason shown, when one of them cannot be understood.
[[nodiscard]] bool check_dumps(std::span<const std::string> dumps);

}  // namespace amdcompat::cli
