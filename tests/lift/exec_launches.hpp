// The oracle's executions as launches of OpenCL, and the comparison of what those left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "opencl_runner.hpp"
#include "support/exec_oracle.hpp"

namespace amdcompat_test {

inline opencl::Launch launch_of(const Json& c) {
  opencl::Launch out{.kernel = c["kernel"], .dimensions = c["dim"]};
  for (std::size_t d = 0; d < 3; ++d) {
    out.global[d] = c["global"][d];
    out.local[d] = c["local"][d];
    out.offset[d] = c["offset"][d];
  }
  for (const Json& a : c["arguments"]) {
    if (a["kind"] == "value") {
      out.arguments.emplace_back(opencl::Value{from_hex(a["bytes"].get<std::string>())});
    } else if (a["kind"] == "local") {
      out.arguments.emplace_back(opencl::Local{a["size"]});
    } else {
      const auto memory =
          std::ranges::find(c["memory_before"], a["address"], [](const Json& m) { return m["address"]; });
      out.arguments.emplace_back(opencl::Buffer{from_hex((*memory)["bytes"].get<std::string>())});
    }
  }
  return out;
}

// The first words that are not what they should be: "dst[3]: 0x3f800000 (1), expected 0x40000000 (2)".
inline std::string first_differences(const std::string& name, std::span<const std::size_t> words,
                                     std::span<const std::byte> expected, std::span<const std::byte> got) {
  std::string out = fmt::format("{}: {} of {} words differ\n", name, words.size(), expected.size() / 4);
  for (const std::size_t word : words.first(std::min<std::size_t>(words.size(), 4))) {
    std::uint32_t bits[2] = {};
    float values[2] = {};
    for (const auto& [n, bytes] : {std::pair(0, got), std::pair(1, expected)}) {
      if (word * 4 < bytes.size())
        std::memcpy(&bits[n], bytes.data() + word * 4, std::min<std::size_t>(4, bytes.size() - word * 4));
      std::memcpy(&values[n], &bits[n], 4);
    }
    out += fmt::format("  {}[{}]: {:#010x} ({}), expected {:#010x} ({})\n", name, word, bits[0], values[0], bits[1],
                       values[1]);
  }
  return out;
}

// What is wrong with the memory that a launch left, its buffers in the order of the arguments; empty: nothing.
inline std::string problems(const Json& c, std::span<const std::vector<std::byte>> buffers) {
  std::string out;
  std::size_t differing = 0, buffer = 0;
  for (const Json& a : c["arguments"]) {
    if (a["kind"] != "buffer") continue;
    const auto with = [&a](const Json& memory) {
      return std::ranges::find(memory, a["address"], [](const Json& m) { return m["address"]; });
    };
    // What the kernel may only read is not among what is there afterwards.
    auto memory = with(c["memory_after"]);
    if (memory == c["memory_after"].end()) memory = with(c["memory_before"]);
    const std::vector<std::byte> expected = from_hex((*memory)["bytes"].get<std::string>());
    const std::vector<std::byte>& got = buffers[buffer++];
    const std::vector<std::size_t> words = differing_words(c, expected, got);
    differing += words.size();
    if (!words.empty()) out += first_differences(a["name"], words, expected, got);
  }
  return differing == expected_differences(c) ? std::string() : out;
}

}  // namespace amdcompat_test
