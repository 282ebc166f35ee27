// What `run` and `launch` share: a container, a launch file with the memory before the launch, and `--dump` of it
// afterwards.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "common.hpp"
#include "launch_file.hpp"

namespace amdcompat::cli {

// `--dump ADDRESS:SIZE:FILE`.
struct MemoryDump {
  std::uint64_t address = 0, size = 0;  // bytes
  std::string file;
};
// Numbers are decimal, or hexadecimal with 0x.
[[nodiscard]] std::optional<MemoryDump> parse_dump(const std::string& text);

// Reads the bytes of memory that stand in files, and sorts all of it by address. False, with the reason shown, when a
// file cannot be read.
[[nodiscard]] bool read_memory(LaunchFile& launch);

// Opens the one file of the options and the launch file, does `work` with both and shows the findings. The exit status,
// the worse one of what `work` gives and of what the findings ask for.
[[nodiscard]] int with_launch(const Common& options, const std::string& launch, std::span<const std::string> dumps,
                              const std::function<int(const File&, LaunchFile&, Diagnostics&)>& work);

}  // namespace amdcompat::cli
