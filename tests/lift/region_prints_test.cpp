// What lifted kernels of OpenCL 1.x print. No real file that prints is known to us: the kernels here are compiled by
// clang for GFX6 and GFX7 as code of that ABI is, with AMD's way of storing what is printed in regions of a buffer, and
// lifted; they print what their source prints on an OpenCL device.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

#include "code_program.hpp"
#include "old_abi.hpp"
#include "opencl_runner.hpp"
#include "printed.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::region_prints_test {
namespace {

using namespace amdcompat_test;

// The steps of AMD's device library. [BET: printf]
constexpr std::string_view kDevice = R"cl(
INLINE Address region(Item* item) {
  return BASE(PRINTING) + 4 * (Address)(((item->z * CB0(5) + item->y) * CB0(4) + item->x) * CB0(ROOM));
}
INLINE int dump32(Item* item, uint value) {
  if (CB0(ROOM) == 0) return 1;
  if (CB0(ROOM) - item->next < 2) return 0;
  put(item->printing, region(item) + 4 * (Address)item->next, value);
  item->next += 1;
  put(item->printing, region(item), item->next);
  return 1;
}
INLINE int dump64(Item* item, ulong value) {
  if (CB0(ROOM) == 0) return 1;
  if (CB0(ROOM) - item->next < 3) return 0;
  put2(item->printing, region(item) + 4 * (Address)item->next, as_uint2(value));
  item->next += 2;
  put(item->printing, region(item), item->next);
  return 1;
}
#define PRINT(id, format, ...) (dump32(item, id), ##__VA_ARGS__)
#define W(value) dump32(item, value)
#define F(value) dump32(item, as_uint(value))
#define L(value) dump64(item, value)
#define V4(value) dump64(item, as_ulong((value).xy)), dump64(item, as_ulong((value).zw))
)cl";
constexpr std::string_view kHost = R"(
#define KERNEL(name) kernel void name(global const uint* in, global uint* out) {
#define ID ((uint)get_global_id(0))
#define IN(n) in[n]
#define OUT(n, value) out[n] = value
#define PRINT(id, format, ...) printf(format, ##__VA_ARGS__)
#define W(value) value
#define F(value) value
#define L(value) value
#define V4(value) value
)";

struct Format {
  const char* text;
  std::vector<std::uint32_t> sizes;
};
const std::vector<Format> kFormats = {
    {"nothing but text\n", {}},
    {"item %u: %#x %d %c 100%%\n", {4, 4, 4, 4}},
    {"%ld and %lx at %u\n", {8, 8, 4}},
    {"%f %5.2f %g\n", {4, 4, 4}},
    {"%v4hlu; %v4hlf\n", {16, 16}},
    {"turn %u of %u\n", {4, 4}},
    {"odd\n", {}},
    {"never %u\n", {4}},
};
constexpr std::string_view kKernels = R"(
KERNEL(text)
  PRINT(0, "nothing but text\n");
  OUT(ID, IN(ID) * 3u);
}
KERNEL(numbers)
  uint id = ID, value = IN(id);
  PRINT(1, "item %u: %#x %d %c 100%%\n", W(id), W(value), W(-(int)id), W('a' + (int)(id & 7)));
  OUT(id, value * 3u);
}
KERNEL(wide)
  uint id = ID;
  long a = (long)IN(id) << 7, b = -a;
  PRINT(2, "%ld and %lx at %u\n", L(b), L(a), W(id));
  PRINT(0, "nothing but text\n");
  OUT(id, (uint)(a >> 3));
}
KERNEL(floats)
  uint id = ID;
  float f = (float)id * 0.25f - 3.0f;
  PRINT(3, "%f %5.2f %g\n", F(f), F(-f), F(0.5f));
  OUT(id, (uint)id);
}
KERNEL(vectors)
  uint id = ID;
  uint value = IN(id);
  uint4 v = (uint4)(id, value, id * 3u, 7u);
  PRINT(4, "%v4hlu; %v4hlf\n", V4(v), V4((float4)((float)v.x, (float)v.y, 0.5f, -1.0f)));
  OUT(id, v.y);
}
KERNEL(some_items)
  uint id = ID;
  if ((id & 3) == 1) PRINT(5, "turn %u of %u\n", W(77u), W(id));
  for (uint n = 0; n < (id & 3); ++n) {
    PRINT(5, "turn %u of %u\n", W(n), W(id));
    if (IN(n) & 1) PRINT(6, "odd\n");
  }
  PRINT(6, "odd\n");
  OUT(id, id);
}
KERNEL(either)
  uint id = ID, value = IN(id);
  if (value & 1)
    PRINT(2, "%ld and %lx at %u\n", L((long)value * 3), L((long)value << 40), W(id));
  else
    PRINT(5, "turn %u of %u\n", W(value), W(id));
  OUT(id, value);
}
KERNEL(nothing)
  uint id = ID;
  if (IN(id) == 12345u) PRINT(7, "never %u\n", W(id));
  OUT(id, IN(id));
}
)";
// What the buffer holds is the business of the host: a kernel may only store what it prints.
constexpr std::string_view kByHand = R"cl(
KERNEL(keeps_how_much_there_is)
  OUT(ID, CB0(ROOM));
}
KERNEL(keeps_where_it_is)
  OUT(ID, (uint)BASE(PRINTING));
}
KERNEL(reads_the_buffer)
  OUT(ID, get(item->printing, region(item)));
}
KERNEL(counts_nothing)
  put(item->printing, region(item) + 4, 6);
}
KERNEL(leaves_out_a_value)
  dump32(item, 5);
  W(ID);
}
KERNEL(prints_by_no_format)
  dump32(item, 99);
}
)cl";
constexpr std::pair<const char*, const char*> kRefused[] = {
    {"keeps_how_much_there_is", "uses a descriptor as a number"},
    {"keeps_where_it_is", "uses a descriptor as a number"},
    {"reads_the_buffer", "reads its printf buffer"},
    {"counts_nothing", "prints in several parts"},
    {"leaves_out_a_value", "prints other than its format says"},
    {"prints_by_no_format", "prints by a format that is not in the file"},
};

constexpr const char* kNames[] = {"text", "numbers", "wide", "floats", "vectors", "some_items", "either", "nothing"};

Program printing_program(std::span<const char* const> names, const old_abi::Way& way, std::string_view kernels) {
  Program out = old_abi::program_of(names, way, std::string(kDevice).append(kernels));
  for (Kernel& kernel : out.kernels) kernel.uses_printf = true;
  for (std::uint32_t id = 0; id < kFormats.size(); ++id)
    out.printf.push_back({id, kFormats[id].sizes, kFormats[id].text, 0, {}});
  return out;
}

class RegionPrints : public testing::TestWithParam<old_abi::Way> {};

TEST_P(RegionPrints, WhatItsSourcePrints) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_PROGRAM("llvm-objcopy-19", "llvm-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const Program program = printing_program(kNames, GetParam(), kKernels);
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(program, {}, diagnostics);
  ASSERT_EQ(unit.kernels.size(), std::size(kNames));
  for (const lift::KernelOutcome& kernel : unit.kernels) {
    ASSERT_TRUE(kernel.lifted) << kernel.name << ": " << sentence(*kernel.refusal);
    EXPECT_EQ(kernel.form, lift::Form::WorkItem) << kernel.name;
  }
  static const std::vector<Printed> expected = printed(std::string(kHost).append(kKernels), kNames);
  expect_same(printed(unit.source, kNames, corpus::kCodeValues), expected, kNames, unit.source);
}

TEST_P(RegionPrints, IsProvedWithABufferForIt) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_PROGRAM("llvm-objcopy-19", "llvm-19");
  AMDCOMPAT_NEEDS_OPENCL();
  File file;
  file.program = printing_program(std::array{"some_items"}, GetParam(), kKernels);
  Diagnostics diagnostics;
  pipeline::LiftRequest request;
  request.prove = true;
  const pipeline::Lifted lifted = pipeline::lift_file(file, request, diagnostics);
  ASSERT_EQ(lifted.kernels.size(), 1u);
  ASSERT_TRUE(lifted.kernels[0].proof);
  EXPECT_EQ(lifted.kernels[0].outcome, pipeline::LiftOutcome::Proved) << lifted.kernels[0].proof->reason;
  EXPECT_EQ(lifted.kernels[0].proof->coverage.reached, lifted.kernels[0].proof->coverage.instructions);
}

TEST_P(RegionPrints, AreRefusedWhereSomethingElseIsDoneWithTheBuffer) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_PROGRAM("llvm-objcopy-19", "llvm-19");
  std::vector<const char*> names;
  for (const auto& [name, why] : kRefused) names.push_back(name);
  const Program program = printing_program(names, GetParam(), kByHand);
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(program, {}, diagnostics);
  ASSERT_EQ(unit.kernels.size(), std::size(kRefused));
  for (std::size_t n = 0; n < unit.kernels.size(); ++n) {
    ASSERT_TRUE(unit.kernels[n].refusal) << kRefused[n].first << unit.source;
    EXPECT_NE(sentence(*unit.kernels[n].refusal).find(kRefused[n].second), std::string::npos)
        << sentence(*unit.kernels[n].refusal);
  }
}

INSTANTIATE_TEST_SUITE_P(Compiled, RegionPrints, testing::ValuesIn(old_abi::kWays),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace amdcompat::region_prints_test
