#include "launch_input.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include <fmt/format.h>

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

bool read_memory(LaunchFile& launch) {
  for (LaunchFile::Memory& part : launch.memory) {
    if (part.file.empty()) continue;
    const auto contents = read_input(part.file);
    if (!contents) return false;
    const auto bytes = std::as_bytes(std::span(*contents));
    part.bytes.assign(bytes.begin(), bytes.end());
  }
  std::ranges::stable_sort(launch.memory, {}, &LaunchFile::Memory::address);
  return true;
}

int with_launch(const Common& options, const std::string& launch, std::span<const std::string> dumps,
                const std::function<int(const File&, LaunchFile&, Diagnostics&)>& work) {
  for (const std::string& dump : dumps)
    if (!parse_dump(dump)) {
      fmt::print(stderr, "amdcompat: --dump '{}': expected ADDRESS:SIZE:FILE\n", visible(dump));
      return kUsage;
    }
  std::optional<Input> input = read_file(options.files.front(), options);
  if (!input) return kInputOutput;
  std::optional<LaunchFile> read;
  if (const int failed = read_launch(launch, options, read); failed != kDone) return failed;
  open(*input, options);
  settle(*input);
  const int result = input->file ? work(*input->file, *read, input->diagnostics) : kInputErrors;
  show(*input, options);
  return std::max(result, input->result());
}

}  // namespace amdcompat::cli
