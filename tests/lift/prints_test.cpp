// What lifted kernels print: sources compiled by clang for old and newer GPUs, lifted, and run beside themselves on an
// OpenCL device, with the ways in which AMD's device libraries ask for room in the printf buffer.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>

#include "opencl_runner.hpp"
#include "printed.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::prints_test {
namespace {

using namespace amdcompat_test;

// For clang without a library of device functions. Room is taken by one addition, or by an exchange in a loop.
constexpr std::string_view kDevice = R"(
#define ID (__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x())
#ifndef BUFFER
#define BUFFER 72  // of the hidden arguments of version 5
#endif
global char* __printf_alloc(uint bytes) {
  global uint* buffer = *(global uint* constant*)(__builtin_amdgcn_implicitarg_ptr() + BUFFER);
#ifdef BY_EXCHANGE
  uint at = __atomic_load_n(buffer, __ATOMIC_RELAXED);
  do {
    if (8 + at + bytes > buffer[1]) return 0;
  } while (!__atomic_compare_exchange_n(buffer, &at, at + bytes, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return (global char*)(buffer + 2) + at;
#else
  uint at = __atomic_fetch_add(buffer, bytes, __ATOMIC_RELAXED);
  return at + bytes > buffer[1] ? 0 : (global char*)(buffer + 2) + at;
#endif
}
)";
// Clang knows it as a function of C alone; on devices it is built in.
constexpr std::string_view kDeclared = "int printf(constant const char* format, ...);\n";
constexpr std::string_view kHost = "#define ID ((uint)get_global_id(0))\n";

constexpr std::string_view kKernels = R"(
kernel void numbers(global const uint* in, global uint* out) {
  printf("item %u of %d: %#x %08X %o [%8d] %c 100%%\n", ID, -256, in[ID], ID << 20, ID, -(int)ID, 'a' + (int)(ID & 7));
  out[ID] = in[ID] * 3u;
}
kernel void wide(global const uint* in, global uint* out) {
  long a = (long)in[ID] << 7, b = -a;
  printf("%ld and %lx at %u\n", b, a, ID);
  out[ID] = (uint)(a >> 3);
}
kernel void floats(global const float* in, global float* out) {
  float x = (float)ID * 0.25f - 3.0f;
  printf("%f %e %5.2f %g\n", x, x * 1.0e10f, -x, 0.5f);
  out[ID] = x;
}
kernel void nothing_but_text(global const uint* in, global uint* out) {
  printf("a \"line\" with \\ and a tab\t.\n");
  out[ID] = in[ID];
}
kernel void strings(global const uint* in, global uint* out) {
  printf("%s=%u, %s\n", "an odd name", ID, ID >= 7 ? "" : "");
  printf("%s%s|\n", "four", "seven??");
  out[ID] = in[ID];
}
kernel void vectors(global const uint* in, global uint* out) {
  uint4 v = (uint4)(ID, in[ID], ID * 3u, 7u);
  printf("%v4hlu; %v2hlx\n", v, v.xy);
  out[ID] = v.x ^ v.y;
}
kernel void some_items(global const uint* in, global uint* out) {
  if ((ID & 3) == 1) printf("one n1 = %u; n2 never printf(n3) break;\n", ID);
  for (uint n = 0; n < (ID & 3); ++n) {
    printf("turn %u of %u\n", n, ID);
    if (in[n] & 1) printf("odd %u at %u of %u\n", in[n], n, ID);
  }
  out[ID] = ID;
}
kernel void odd_formats(global const uint* in, global uint* out) {
  printf("no ?\?/trigraph ?\?= %s %lf %hf\n", "?\?!", (double)ID / 4.0, (float)ID / 2.0f);
  printf("%v4hlf %hhd %hu\n", (float4)(ID), (char)ID, (ushort)in[ID]);
  out[ID] = in[ID];
}
kernel void nothing(global const uint* in, global uint* out) {
  if (in[ID] == 12345u) printf("never %u\n", ID);
  out[ID] = in[ID];
}
)";

struct Way {
  const char* name;
  const char* options;
};
constexpr Way kWays[] = {
    {"Gfx600ByAddition", "-mcpu=gfx600 -O2"},
    {"Gfx700ByAddition", "-mcpu=gfx700 -O2"},
    {"Gfx700ByExchange", "-mcpu=gfx700 -O2 -DBY_EXCHANGE"},
    {"Gfx803ByExchange", "-mcpu=gfx803 -O3 -DBY_EXCHANGE"},
    {"Gfx900ByAdditionVersion4", "-mcpu=gfx900 -O2 -mcode-object-version=4 -DBUFFER=24"},
    {"Gfx900ByExchange", "-mcpu=gfx900 -O2 -DBY_EXCHANGE"},
};

constexpr const char* kNames[] = {"numbers", "wide",       "floats",      "nothing_but_text", "strings",
                                  "vectors", "some_items", "odd_formats", "nothing"};

// What the buffer holds is the business of all work-items: a kernel may only ask for room.
constexpr std::string_view kByHand = R"(
#define BUFFER_WORDS (*(global uint* constant*)(__builtin_amdgcn_implicitarg_ptr() + BUFFER))
kernel void keeps_where_its_room_is(global const uint* in, global uint* out) {
  out[ID] = __atomic_fetch_add(BUFFER_WORDS, 4u, __ATOMIC_RELAXED);
  if (in[ID] == 7) printf("x %u\n", ID);
}
kernel void keeps_how_much_there_is(global const uint* in, global uint* out) {
  out[ID] = BUFFER_WORDS[1];
  if (in[ID] == 7) printf("x %u\n", ID);
}
kernel void has_two_bytes_widened(global const uint* in, global uint* out) {
  printf("%v2hhu\n", (uchar2)(ID, 250));
  out[ID] = in[ID];
}
)";

// Of an object that was compiled of kKernels.
void expect_same_prints(const std::string& object) {
  static const std::vector<Printed> expected = printed(std::string(kHost) + std::string(kKernels), kNames);
  Diagnostics diagnostics;
  const auto file = open(object, diagnostics);
  ASSERT_TRUE(file);
  const lift::Unit unit = lift::lift(file->program, {}, diagnostics);
  ASSERT_EQ(unit.kernels.size(), std::size(kNames));
  for (const lift::KernelOutcome& kernel : unit.kernels) {
    ASSERT_TRUE(kernel.lifted) << kernel.name << ": " << sentence(*kernel.refusal);
    EXPECT_EQ(kernel.form, lift::Form::WorkItem)
        << kernel.name << (kernel.fallback ? ": " + sentence(*kernel.fallback) : "");
  }
  expect_same(printed(unit.source, kNames), expected, kNames, unit.source);
}

std::string compiled(const TemporaryDirectory& directory, std::string_view kernels, const char* options) {
  write_file(directory / "unit.cl", std::string(kDevice).append(kDeclared).append(kernels));
  const std::string object = (directory / "unit.o").string();
  const ProcessResult result = run(fmt::format("clang-19 -x cl -cl-std=CL1.2 -w -target amdgcn-amd-amdhsa {} "
                                               "-nogpulib '{}' -o '{}' 2>&1",
                                               options, (directory / "unit.cl").string(), object));
  EXPECT_EQ(result.status, 0) << result.output;
  return read_file(object);
}

class Prints : public testing::TestWithParam<Way> {};

TEST_P(Prints, WhatItsSourcePrints) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const TemporaryDirectory directory;
  expect_same_prints(compiled(directory, kKernels, GetParam().options));
}

TEST(PrintsByHand, AreRefused) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  const TemporaryDirectory directory;
  const std::string object = compiled(directory, kByHand, "-mcpu=gfx900 -O2");
  Diagnostics diagnostics;
  const auto file = open(object, diagnostics);
  ASSERT_TRUE(file);
  for (const lift::KernelOutcome& kernel : lift::lift(file->program, {}, diagnostics).kernels) {
    ASSERT_TRUE(kernel.refusal) << kernel.name;
    const bool asks = !std::string_view(kernel.name).starts_with("has_");
    EXPECT_NE(sentence(*kernel.refusal)
                  .find(asks ? "uses what its printf buffer holds otherwise than to ask for room"
                             : "prints by a format of which it is not certain what it takes"),
              std::string::npos)
        << sentence(*kernel.refusal);
  }
}

INSTANTIATE_TEST_SUITE_P(Compiled, Prints, testing::ValuesIn(kWays), [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace amdcompat::prints_test
