// Kernels that call functions: clang does not put them in, and the lift does. What is lifted leaves what the source
// leaves, and is proved against its machine code.
//
// A run takes some targets and levels of optimisation; AMDCOMPAT_CALLS=all all of them.
#include <cstring>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

#include "opencl_runner.hpp"
#include "random_program.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"
#include "support/wants_all.hpp"

namespace amdcompat::calls_test {
namespace {

using namespace amdcompat_test;

// Functions that no compiler puts in; of the host's runtime whatever it likes.
std::string with_header(const std::string& source) {
  return random::random_header() + std::string("#define CALLED __attribute__((noinline))\n") + source;
}

struct Way {
  const char* target;
  const char* options;
};
// Of a test: that of most, and another one by turns; in a run of parts one of both.
std::vector<Way> ways() {
  static std::size_t turn = 0;
  std::vector<Way> out{{"gfx803", "-O2"}, ++turn % 2 == 0 ? Way{"gfx700", "-O1"} : Way{"gfx900", "-O3"}};
  if (!runs_whole()) out.erase(out.begin() + turn / 2 % 2);
  if (!wants_all("AMDCOMPAT_CALLS")) return out;
  out.clear();
  for (const char* const target : {"gfx600", "gfx700", "gfx803", "gfx900", "gfx906"})
    for (const char* const options : {"-O0", "-O1", "-O2", "-O3", "-Os"}) out.push_back({target, options});
  return out;
}

std::optional<File> compiled(const std::string& kernel, const Way& way) {
  const TemporaryDirectory directory;
  write_file(directory / "unit.cl", with_header(kernel));
  const ProcessResult result =
      run(fmt::format("clang-19 -x cl -cl-std=CL1.2 -w -target amdgcn-amd-amdhsa -mcpu={} {} -nogpulib -Xclang "
                      "-finclude-default-header '{}' -o '{}' 2>&1",
                      way.target, way.options, (directory / "unit.cl").string(), (directory / "unit.o").string()));
  EXPECT_EQ(result.status, 0) << result.output;
  Diagnostics diagnostics;
  return open(read_file(directory / "unit.o"), diagnostics);
}

// Of the kernel `k`: two buffers of 1024 words, and a number.
opencl::Launch launch_of(std::uint32_t number) {
  std::mt19937 random(20261126 + number);
  opencl::Launch out{.kernel = "k", .global = {256, 1, 1}, .local = {64, 1, 1}};
  for (std::size_t n = 0; n < 2; ++n) {
    std::vector<std::byte> bytes(4096);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    out.arguments.emplace_back(opencl::Buffer{std::move(bytes), false});
  }
  std::vector<std::byte> bytes(4);
  std::memcpy(bytes.data(), &number, 4);
  out.arguments.emplace_back(opencl::Value{std::move(bytes)});
  return out;
}

opencl::Result run_source(const std::string& source) {
  return opencl::run({.source = source, .launches = {launch_of(11)}, .seconds = 120});
}

// Code in which nothing was optimised is right where it is lifted.
void expect_right(const std::string& kernel, const Way& way, const opencl::Result& expected) {
  SCOPED_TRACE(fmt::format("{} {}", way.target, way.options));
  const bool optimised = std::string_view(way.options) != "-O0";
  const auto file = compiled(kernel, way);
  ASSERT_TRUE(file);
  for (const std::optional<lift::Form> form : {std::optional<lift::Form>(), std::optional(lift::Form::Wave)}) {
    if (form && !wants_all("AMDCOMPAT_CALLS") && std::string_view(way.target) != "gfx803") continue;
    pipeline::LiftRequest request;
    request.prove = !form && optimised;
    request.lift.form = form;
    Diagnostics diagnostics;
    const pipeline::Lifted unit = pipeline::lift_file(*file, request, diagnostics);
    ASSERT_EQ(unit.kernels.size(), 1u);
    const pipeline::LiftResult& result = unit.kernels[0];
    if ((!optimised || form) && !result.kernel.lifted) continue;
    ASSERT_TRUE(result.kernel.lifted) << (result.kernel.refusal ? result.kernel.refusal->message : "");
    if (!form && optimised) {
      EXPECT_EQ(result.kernel.form, lift::Form::WorkItem)
          << (result.kernel.fallback ? result.kernel.fallback->message : "");
      EXPECT_EQ(result.outcome, pipeline::LiftOutcome::Proved)
          << (result.proof ? result.proof->reason : "") << unit.source;
    }
    const opencl::Result got = run_source(unit.source);
    ASSERT_EQ(got.build, opencl::Status::Ok) << got.log << unit.source;
    for (std::size_t n = 0; n < expected.launches.size(); ++n) {
      ASSERT_EQ(expected.launches[n].status, opencl::Status::Ok) << expected.launches[n].message;
      ASSERT_EQ(got.launches[n].status, opencl::Status::Ok) << got.launches[n].message << unit.source;
      EXPECT_EQ(got.launches[n].buffers, expected.launches[n].buffers) << unit.source;
    }
  }
}
void expect_right(const std::string& kernel, std::initializer_list<Way> more = {}) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const opencl::Result expected = run_source(with_header(kernel));
  ASSERT_EQ(expected.build, opencl::Status::Ok) << expected.log;
  std::vector<Way> all = ways();
  all.insert(all.end(), more.begin(), more.end());
  for (const Way& way : all) expect_right(kernel, way, expected);
}

void expect_refused(const std::string& kernel, Code code, std::string_view says, const Way& way) {
  const auto file = compiled(kernel, way);
  ASSERT_TRUE(file);
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(file->program, {}, diagnostics);
  ASSERT_EQ(unit.kernels.size(), 1u);
  EXPECT_FALSE(unit.kernels[0].lifted) << unit.source;
  ASSERT_TRUE(unit.kernels[0].refusal);
  EXPECT_EQ(unit.kernels[0].refusal->code, code);
  EXPECT_NE(unit.kernels[0].refusal->message.find(says), std::string::npos) << unit.kernels[0].refusal->message;
}
void expect_refused(const std::string& kernel, Code code, std::string_view says) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  for (const Way& way : ways()) {
    SCOPED_TRACE(fmt::format("{} {}", way.target, way.options));
    expect_refused(kernel, code, says, way);
  }
}

TEST(LiftedCalls, TakeNumbersAndVectorsAndGiveThemBack) {
  expect_right(R"(
CALLED uint scalar(uint a, uint b) { return a * b + 7; }
CALLED uint4 vector(uint4 a, uint s, uint2 k) { return a * s + (uint4)(k.x, k.y, 1, 2); }
CALLED uchar small(uchar a, short b) { return a + (uchar)b; }
CALLED ulong wide(ulong a, ulong b) { return a * b ^ (a >> 7); }
__kernel void k(__global uint* out, __global const uint* in, uint n) {
  const uint i = item_id();
  const uint4 q = (uint4)(in[i], in[i + 1], i, n);
  uint4 r = vector(q, i & 7, q.xy);
  r = vector(r, 2, q.zw);
  const ulong w = wide((ulong)in[i] << 32 | i, in[i + 2]);
  out[i] = scalar(in[i], i) + scalar(n, i) + r.x + r.w + small((uchar)i, (short)in[i]) + (uint)(w >> 32) + (uint)w;
})");
}
TEST(LiftedCalls, ComputeFloatsAndDoubles) {
  expect_right(R"(
CALLED double twice(double a, ulong b) { return a * (double)b + 1.0; }
CALLED float once(float a, float b) { return a * b - 2.0f; }
__kernel void k(__global uint* out, __global const uint* in, uint n) {
  const uint i = item_id();
  double x = twice((double)(in[i] & 0xffff), in[i + 1] & 0xfffff);
  x = twice(x, n);
  const float f = once((float)(in[i] & 255), (float)n);
  out[i] = (uint)(ulong)x + (uint)(int)once(f, 3.0f);
})");
}
TEST(LiftedCalls, CallOthersInLoopsAndForSomeLanes) {
  expect_right(R"(
CALLED uint first(uint x) { return x * 3 + 1; }
CALLED uint second(uint x, uint y) {
  uint s = 0;
  for (uint n = 0; n < (y & 7); ++n) s += first(x + n) ^ y;
  return s;
}
CALLED uint third(uint x, uint y, uint z) {
  if (z & 1) return second(x, y) + first(z);
  if (z & 2) return first(x) - y;
  return second(y, x) * 5;
}
__kernel void k(__global uint* out, __global const uint* in, uint n) {
  const uint i = item_id();
  uint r = 0;
  for (uint m = 0; m < n; ++m) {
    const uint v = in[(i + m) & 255];
    if (v & 4)
      r += third(v, i, m);
    else if (v & 8)
      r ^= first(r + m);
    else
      r = second(r, v) + third(r, m, v);
  }
  out[i] = r;
})");
}
TEST(LiftedCalls, HaveArraysOnTheirStack) {
  expect_right(R"(
CALLED uint fill(__private uint* a, uint n, uint x) {
  for (uint k = 0; k < n; ++k) a[k] = x * k + (k ^ x);
  return a[x & 3];
}
CALLED uint work(uint x, uint n) {
  uint t[16], u[4];
  fill(t, 16, x);
  fill(u, 4, x + 1);
  uint s = 0;
  for (uint k = 0; k < n; ++k) s += t[(k * x) & 15] ^ u[k & 3];
  return s;
}
CALLED uint deep(uint x, uint n) {
  uint t[8];
  fill(t, 8, n);
  if (x & 1) return work(x, n) + t[x & 7];
  t[x & 7] = work(t[n & 7], x & 15);
  return t[(x + 1) & 7] ^ t[x & 7];
}
__kernel void k(__global uint* out, __global const uint* in, uint n) {
  const uint i = item_id();
  uint o[8];
  uint r = fill(o, 8, in[i]);
  r += work(in[i], n & 15);
  r ^= deep(in[i], n);
  out[i] = r + o[i & 7];
})");
}
TEST(LiftedCalls, TakePointers) {
  expect_right(R"(
CALLED uint sum(__global const uint* p, uint n) {
  uint s = 0;
  for (uint k = 0; k < n; ++k) s += p[k] * k;
  return s;
}
CALLED void store(__global uint* p, uint x) {
  p[0] = x;
  p[512] = x * 3;
}
CALLED uint take(__local uint* t, uint k, uint x) { return t[k & 63] + x; }
CALLED void swap(__private uint* a, __private uint* b) {
  const uint t = *a;
  *a = *b;
  *b = t;
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(__global uint* out, __global const uint* in, uint n) {
  __local uint t[64], u[64];
  const uint i = item_id(), l = local_id(x);
  t[l] = in[i];
  u[l] = i;
  group_barrier();
  uint r = take(t, l + 3, 5) + take(u, l * 7, 9), v = n + i;
  if (i & 1) r += sum(in + (i & 15), n & 15);
  if (i & 2) swap(&r, &v);
  store(out + i, r);
  out[i + 256] = v;
})");
}
TEST(LiftedCalls, GiveStructsBack) {
  expect_right(R"(
typedef struct { uint a; uint b; ulong c; uint d[5]; } S;
CALLED S make(uint x, uint y) {
  S s;
  s.a = x + y;
  s.b = x & 255;
  s.c = (ulong)x << 20 | y;
  for (uint k = 0; k < 5; ++k) s.d[k] = x >> k;
  return s;
}
CALLED uint use(S s, uint k) { return s.a + s.b + (uint)(s.c >> 13) + s.d[k % 5]; }
__kernel void k(__global uint* out, __global const uint* in, uint n) {
  const uint i = item_id();
  S s = make(in[i], n);
  const S t = make(i, in[i]);
  if (n & 1) s = t;
  out[i] = use(s, i) + use(t, in[i]);
})");
}
TEST(LiftedCalls, EndInOtherFunctions) {
  expect_right(R"(
CALLED uint last(uint x, uint y) { return x * y + 5; }
CALLED uint middle(uint x, uint y) { return x & 1 ? last(y, x + 1) : last(x, 3); }
CALLED uint one(uint x, uint y) { return middle(x ^ y, y); }
__kernel void k(__global uint* out, __global const uint* in, uint n) {
  const uint i = item_id();
  uint r = one(in[i], n);
  if (r & 2) r += one(r, i);
  out[i] = r;
})",
               {{"gfx900", "-O0"}});
}
// Masks in lanes of registers that are on the stack.
TEST(LiftedCalls, KeepMasksWhereNothingIsOptimised) {
  expect_right(R"(
CALLED uint first(uint x) { return x * 3 + 1; }
CALLED uint second(uint x, uint y) {
  uint s = 0;
  for (uint n = 0; n < (y & 3); ++n) s += first(x + n) ^ y;
  return s;
}
__kernel void k(__global uint* out, __global const uint* in, uint n) {
  const uint i = item_id();
  uint r = i;
  for (uint m = 0; m < (n & 3); ++m)
    if (in[(i + m) & 255] & 4)
      r = second(r, in[i + m]);
    else
      r ^= first(r + m);
  out[i] = r;
})",
               {{"gfx803", "-O0"}});
}
// More scalars than lanes of one register, and vectors that functions keep for their callers.
TEST(LiftedCalls, KeepManyValuesOverCalls) {
  expect_right(R"(
CALLED uint mix(uint x, uint y) { return (x ^ y) * 0x9e3779b1u + (y >> 3); }
CALLED uint many(__global const uint* in, uint i, uint n) {
  uint v[24];
  for (uint k = 0; k < 24; ++k) v[k] = mix(in[(i + k) & 1023], k + n);
  uint s = 0;
  for (uint k = 0; k < 24; ++k) s = mix(s, v[k]) + v[23 - k];
  return s;
}
__kernel void k(__global uint* out, __global const uint* in, uint n) {
  const uint i = item_id();
  uint a = in[i], b = in[i + 1], c = in[i + 2], d = in[i + 3];
  for (uint m = 0; m < (n & 3) + 1; ++m) {
    a = mix(a, b) + n;
    if (a & 1) b = many(in, b, n + m);
    c = mix(c, d) ^ a;
    d = many(in, c + i, m) - b;
  }
  out[i] = a + b * 3 + c * 5 + d * 7;
})");
}

TEST(LiftedCalls, OfFunctionsThatCallThemselvesAreRefused) {
  expect_refused(R"(
CALLED uint fibonacci(uint n) {
  if (n < 2) return n;
  const uint a = fibonacci(n - 1);
  return a + fibonacci(n - 2);
}
__kernel void k(__global uint* out, __global const uint* in, uint n) {
  out[item_id()] = fibonacci(in[item_id()] & 7);
})",
                 Code::LiftFlow, "calls itself");
  expect_refused(R"(
uint odd(uint n);
CALLED uint even(uint n) { return n == 0 ? 1 : odd(n - 1) * 3 + n; }
CALLED uint odd(uint n) { return n == 0 ? 0 : even(n - 1) * 5 + n; }
__kernel void k(__global uint* out, __global const uint* in, uint n) { out[item_id()] = even(in[item_id()] & 7); })",
                 Code::LiftFlow, "calls itself");
}
TEST(LiftedCalls, OfFunctionsThatAreChosenAreRefused) {
  expect_refused(R"(
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
CALLED uint first(uint n) { return n * 3; }
CALLED uint second(uint n) { return n + 9; }
__kernel void k(__global uint* out, __global const uint* in, uint n) {
  __auto_type which = n & 1 ? first : second;
  out[item_id()] = which(in[item_id()]);
})",
                 Code::LiftFlow, "address in registers");
}

}  // namespace
}  // namespace amdcompat::calls_test
