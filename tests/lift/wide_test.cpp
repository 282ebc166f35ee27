// Numbers of 64 bits of tests/lift/wide.cl, as clang 19 compiles it: their lifts compute with whole numbers, and do
// what the machine code does.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>

#include "lifted_file.hpp"
#include "opencl_runner.hpp"
#include "support/process.hpp"

namespace amdcompat::wide_test {
namespace {

using namespace amdcompat_test;

class Wide : public testing::TestWithParam<std::string_view> {};

TEST_P(Wide, NumbersAreWhole) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  const auto file = compiled_by_clang("wide.cl", GetParam());
  ASSERT_TRUE(file);
  const auto lifted = [&](const char* kernel) {
    Diagnostics diagnostics;
    return lift::lift(file->program, {.kernel = kernel, .form = lift::Form::WorkItem}, diagnostics).source;
  };
  for (const char* const kernel : {"computes", "shifts", "doubles", "vectors"}) {
    const std::string source = lifted(kernel);
    SCOPED_TRACE(source);
    ASSERT_NE(source.find("__kernel"), source.npos);
    for (const char* const halves : {"uint2", "uint4", "mul_hi", ">> 32", "uint_alias"})
      EXPECT_EQ(source.find(halves), source.npos) << halves;
  }
  EXPECT_NE(lifted("computes").find(" * 0x5851f42d4c957f2dul + 0x14057b7ef767814ful;"), std::string::npos);
  EXPECT_EQ(lifted("words").find("ulong"), std::string::npos) << lifted("words");
  EXPECT_EQ(lifted("hashes").find(">> 32"), std::string::npos) << lifted("hashes");
}

TEST_P(Wide, NumbersDoWhatTheirHalvesDid) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const auto file = compiled_by_clang("wide.cl", GetParam());
  ASSERT_TRUE(file);
  for (const char* const kernel : {"computes", "shifts", "doubles", "words", "vectors", "hashes", "mixes"})
    expect_lifted(*file, kernel, {.proved = true});
}

INSTANTIATE_TEST_SUITE_P(Devices, Wide, testing::Values("gfx600", "gfx803", "gfx900"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace
}  // namespace amdcompat::wide_test
