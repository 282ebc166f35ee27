// What a source prints on an OpenCL device: for tests of lifted kernels that print.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "opencl_runner.hpp"

namespace amdcompat_test {

// The lines that a device prints of a launch, in one order whichever work-item comes first, and the memory it leaves.
struct Printed {
  std::vector<std::string> lines{};
  std::vector<std::byte> results{};
};

// Of kernels that take a buffer of 128 numbers and one for as many results, and so many further numbers of 32 bits.
inline std::vector<Printed> printed(const std::string& source, std::span<const char* const> kernels,
                                    std::uint32_t values = 0) {
  namespace opencl = amdcompat::opencl;
  constexpr std::uint32_t kItems = 128, kGroup = 64;
  std::vector<std::byte> in(kItems * 4);
  for (std::uint32_t n = 0; n < kItems; ++n) in[4 * n] = static_cast<std::byte>(n * 37 % 251);
  opencl::Request request{.source = source};
  for (const char* const kernel : kernels) {
    request.launches.push_back(
        {.kernel = kernel,
         .global = {kItems, 1, 1},
         .local = {kGroup, 1, 1},
         .arguments = {opencl::Buffer{in, true}, opencl::Buffer{std::vector<std::byte>(kItems * 4)}}});
    for (std::uint32_t n = 0; n < values; ++n)
      request.launches.back().arguments.emplace_back(opencl::Value{std::vector<std::byte>(4)});
  }
  const opencl::Result result = opencl::run(request);
  EXPECT_EQ(result.build, opencl::Status::Ok) << result.message << result.log << source;
  std::vector<Printed> out;
  for (const opencl::LaunchResult& launch : result.launches) {
    EXPECT_EQ(launch.status, opencl::Status::Ok) << launch.message;
    Printed& one = out.emplace_back();
    std::string_view said = launch.said;
    while (!said.empty()) {
      const std::size_t end = std::min(said.find('\n'), said.size() - 1) + 1;
      one.lines.emplace_back(said.substr(0, end));
      said.remove_prefix(end);
    }
    std::ranges::sort(one.lines);
    if (!launch.buffers.empty()) one.results = launch.buffers.back();
  }
  return out;
}

// Whether a lifted unit prints, and leaves, what its source does; only the kernel `nothing` prints nothing.
inline void expect_same(const std::vector<Printed>& found, const std::vector<Printed>& expected,
                        std::span<const char* const> kernels, const std::string& lifted) {
  ASSERT_EQ(expected.size(), kernels.size());
  ASSERT_EQ(found.size(), kernels.size());
  for (std::size_t n = 0; n < kernels.size(); ++n) {
    EXPECT_EQ(expected[n].lines.empty(), kernels[n] == std::string_view("nothing")) << kernels[n];
    EXPECT_EQ(found[n].lines, expected[n].lines) << kernels[n] << "\n" << lifted;
    EXPECT_EQ(found[n].results, expected[n].results) << kernels[n];
  }
}

}  // namespace amdcompat_test
