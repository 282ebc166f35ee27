// The runner itself, on OpenCL C of our own: right results, and every way to fail.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <runtime/declarations.hpp>

#include "opencl_runner.hpp"

namespace amdcompat::opencl::runner_test {
namespace {

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> out(values.size() * sizeof(T));
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}
std::vector<std::int32_t> ints_of(const std::vector<std::byte>& bytes) {
  std::vector<std::int32_t> out(bytes.size() / 4);
  std::memcpy(out.data(), bytes.data(), out.size() * 4);
  return out;
}

// An argument of every kind: out[i] = in[i] * k + the sum of the group's indices.
constexpr const char* kSums = R"(
__kernel void sums(__global int *out, __global const int *in, int k, __local int *room) {
  size_t i = get_global_id(0) - get_global_offset(0), l = get_local_id(0);
  room[l] = (int)get_global_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  int sum = 0;
  for (size_t j = 0; j < get_local_size(0); ++j)
    sum += room[j];
  out[i] = in[i] * k + sum;
}
__kernel void forever(__global int *out, int k) {
  volatile int i = k;
  while (i == k)
    ++out[0];
}
__kernel void wild(__global int *out) { *(volatile __global int *)(size_t)8 = out[0]; }
)";

Launch sums(std::int32_t factor) {
  return {.kernel = "sums",
          .global = {8, 1, 1},
          .local = {4, 1, 1},
          .offset = {100, 0, 0},
          .arguments = {Buffer{bytes_of(std::vector<std::int32_t>(8, -1))},
                        Buffer{bytes_of<std::int32_t>({0, 1, 2, 3, 4, 5, 6, 7}), true},
                        Value{bytes_of<std::int32_t>({factor})}, Local{16}}};
}

void expect_sums(const LaunchResult& result, std::int32_t factor) {
  ASSERT_EQ(result.status, Status::Ok) << result.message;
  ASSERT_EQ(result.buffers.size(), 2u);
  std::vector<std::int32_t> expected;
  for (std::int32_t i = 0; i < 8; ++i) expected.push_back(i * factor + (i < 4 ? 406 : 422));
  EXPECT_EQ(ints_of(result.buffers[0]), expected);
  EXPECT_EQ(ints_of(result.buffers[1]), (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Runner, GivesTheMemoryThatEachOfSeveralLaunchesLeft) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Result result = run({.source = kSums, .launches = {sums(10), sums(-3)}});
  ASSERT_EQ(result.build, Status::Ok) << result.log << result.message;
  EXPECT_EQ(amdcompat_test::said_of_source(result.log), "");
  ASSERT_EQ(result.launches.size(), 2u);
  expect_sums(result.launches[0], 10);
  expect_sums(result.launches[1], -3);
}

TEST(Runner, GivesWhatIsAskedForInLocalMemoryThatNothingHasSet) {
  AMDCOMPAT_NEEDS_OPENCL();
  if (!find_device(Runtime::Device).name.starts_with("basic"))
    GTEST_SKIP() << "not the device that takes it from the heap";
  constexpr const char* kSource = R"(
__kernel void looks(__global int *out, __local volatile int *given) {
  volatile __local int own[512];
  const int n = (int)get_local_id(0);
  out[2 * n] = own[n * 8];
  out[2 * n + 1] = given[n * 8];
  own[n * 8] = given[n * 8] = ~out[0];
}
)";
  const Launch looks{.kernel = "looks",
                     .global = {64, 1, 1},
                     .local = {64, 1, 1},
                     .arguments = {Buffer{bytes_of(std::vector<std::int32_t>(128, 3))}, Local{2048}}};
  for (const auto& [byte, word] : {std::pair(std::uint8_t{0}, 0), std::pair(std::uint8_t{0x7b}, 0x7b7b7b7b)}) {
    const Result result = run({.source = kSource, .launches = {looks, looks}, .unset_local = byte});
    ASSERT_EQ(result.launches.size(), 2u);
    for (const LaunchResult& launch : result.launches) {
      ASSERT_EQ(launch.status, Status::Ok) << launch.message;
      EXPECT_EQ(ints_of(launch.buffers.at(0)), std::vector<std::int32_t>(128, word));
    }
  }
}

TEST(Runner, GivesTheLogOfABuildThatFails) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Result result = run(
      {.source = "__kernel void broken(__global int *out) { out[0] = nobody; }", .launches = {{.kernel = "broken"}}});
  EXPECT_EQ(result.build, Status::BuildFailed);
  EXPECT_NE(result.log.find("nobody"), std::string::npos) << result.log;
  ASSERT_EQ(result.launches.size(), 1u);
  EXPECT_EQ(result.launches[0].status, Status::BuildFailed);
}

TEST(Runner, GivesTheWarningsOfABuildThatSucceeds) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Result result = run({.source = "#warning from here\n__kernel void k(__global int *out) { out[0] = 1; }"});
  EXPECT_EQ(result.build, Status::Ok);
  EXPECT_NE(result.log.find("from here"), std::string::npos) << result.log;
}

TEST(Runner, EndsAKernelThatNeverEndsAndGoesOnWithTheNext) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Launch forever{.kernel = "forever",
                       .arguments = {Buffer{bytes_of<std::int32_t>({0})}, Value{bytes_of<std::int32_t>({1})}}};
  const Result result = run({.source = kSums, .launches = {sums(1), forever, sums(2)}, .seconds = 3});
  ASSERT_EQ(result.launches.size(), 3u);
  expect_sums(result.launches[0], 1);
  EXPECT_EQ(result.launches[1].status, Status::TimedOut) << result.launches[1].message;
  expect_sums(result.launches[2], 2);
}

TEST(Runner, SurvivesAKernelThatEndsItsProcessAndGoesOnWithTheNext) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Launch wild{.kernel = "wild", .arguments = {Buffer{bytes_of<std::int32_t>({0})}}};
  const Result result = run({.source = kSums, .launches = {wild, sums(2)}});
  ASSERT_EQ(result.launches.size(), 2u);
  EXPECT_EQ(result.launches[0].status, Status::Died);
  // Of a device that has memory of its own, the queue tells.
  EXPECT_TRUE(result.launches[0].message.starts_with("signal") || result.launches[0].message.starts_with("clFinish"))
      << result.launches[0].message;
  expect_sums(result.launches[1], 2);
}

TEST(Runner, NamesTheCallThatGaveAnErrorAndGoesOnWithTheNext) {
  AMDCOMPAT_NEEDS_OPENCL();
  Launch odd = sums(1);
  odd.local[0] = 3;  // 8 work-items are no whole number of groups
  Launch narrow = sums(1);
  narrow.arguments[2] = Value{bytes_of<std::int16_t>({1})};
  const Result result = run({.source = kSums, .launches = {{.kernel = "nobody"}, odd, narrow, sums(2)}});
  ASSERT_EQ(result.launches.size(), 4u);
  const auto expect_refused = [&](std::size_t n, const char* call) {
    EXPECT_EQ(result.launches[n].status, Status::Refused);
    EXPECT_NE(result.launches[n].message.find(call), std::string::npos) << result.launches[n].message;
  };
  expect_refused(0, "clCreateKernel");
  expect_refused(1, "clEnqueueNDRangeKernel");
  expect_refused(2, "clSetKernelArg");
  expect_sums(result.launches[3], 2);
}

// In turn: a race between two work-items, a byte behind a buffer, a value that nobody set.
constexpr const char* kWrong = R"(
__kernel void race(__global int *out) {
  __local int room[4];
  room[get_local_id(0)] = (int)get_local_id(0);
  out[get_local_id(0)] = room[3 - get_local_id(0)];
}
__kernel void outside(__global int *out) { out[get_global_size(0)] = 1; }
__kernel void unset(__global int *out) {
  __local int room[2];
  room[1] = 1;
  out[0] = room[get_local_id(0)];
}
)";

TEST(Runner, HasASimulatorThatReportsWhatIsWrong) {
  AMDCOMPAT_NEEDS_OPENCL_SIMULATOR();
  const auto launch = [](const char* kernel) {
    const std::size_t items = kernel == std::string_view("unset") ? 1 : 4;
    return Launch{.kernel = kernel,
                  .global = {items, 1, 1},
                  .local = {items, 1, 1},
                  .arguments = {Buffer{bytes_of(std::vector<std::int32_t>(items, 0))}}};
  };
  const Result result = run({.source = kWrong,
                             .launches = {launch("race"), launch("outside"), launch("unset")},
                             .seconds = 60,
                             .runtime = Runtime::Simulator});
  ASSERT_EQ(result.launches.size(), 3u);
  constexpr const char* kReports[] = {"data race", "Invalid write", "Uninitialized value written"};
  for (std::size_t n = 0; n < 3; ++n)
    EXPECT_NE(result.launches[n].said.find(kReports[n]), std::string::npos)
        << n << " " << status_name(result.launches[n].status) << " " << result.launches[n].said;
  const Result right = run({.source = kSums, .launches = {sums(4)}, .seconds = 60, .runtime = Runtime::Simulator});
  ASSERT_EQ(right.launches.size(), 1u) << right.log;
  expect_sums(right.launches[0], 4);
  EXPECT_EQ(right.launches[0].said, "");
}

// Every texel comes from its left neighbour, the first one of a row from itself; layers and slices stay.
constexpr const char* kShift = R"(
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#define X ((int)get_global_id(0))
#define Y ((int)get_global_id(1))
#define Z ((int)get_global_id(2))
__kernel void d1(read_only image1d_t in, write_only image1d_t out, sampler_t by) {
  write_imageui(out, X, X % 2 ? read_imageui(in, by, X - 1) : read_imageui(in, nearest, X - 1));
}
__kernel void d1_array(read_only image1d_array_t in, write_only image1d_array_t out, sampler_t by) {
  const int2 from = (int2)(X - 1, Y);
  write_imageui(out, (int2)(X, Y), X % 2 ? read_imageui(in, by, from) : read_imageui(in, nearest, from));
}
__kernel void d2(read_only image2d_t in, write_only image2d_t out, sampler_t by) {
  const int2 from = (int2)(X - 1, Y);
  write_imageui(out, (int2)(X, Y), X % 2 ? read_imageui(in, by, from) : read_imageui(in, nearest, from));
}
__kernel void d2_array(read_only image2d_array_t in, write_only image2d_array_t out, sampler_t by) {
  const int4 from = (int4)(X - 1, Y, Z, 0);
  write_imageui(out, (int4)(X, Y, Z, 0), X % 2 ? read_imageui(in, by, from) : read_imageui(in, nearest, from));
}
__kernel void d3(read_only image3d_t in, write_only image3d_t out, sampler_t by) {
  const int4 from = (int4)(X - 1, Y, Z, 0);
  write_imageui(out, (int4)(X, Y, Z, 0), X % 2 ? read_imageui(in, by, from) : read_imageui(in, nearest, from));
}
)";

void expect_shifted(Runtime runtime) {
  struct Shape {
    const char* kernel;
    Image::Kind kind;
    std::array<std::size_t, 3> size;
  };
  constexpr Shape kShapes[] = {{"d1", Image::Kind::D1, {6, 1, 1}},
                               {"d1_array", Image::Kind::D1Array, {6, 3, 1}},
                               {"d2", Image::Kind::D2, {6, 3, 1}},
                               {"d2_array", Image::Kind::D2Array, {6, 3, 2}},
                               {"d3", Image::Kind::D3, {6, 3, 2}}};
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(shape.kernel);
    const std::size_t texels = shape.size[0] * shape.size[1] * shape.size[2];
    std::vector<std::int32_t> in, expected;
    for (std::size_t n = 0; n < texels; ++n)
      for (std::int32_t c = 0; c < 4; ++c) {
        in.push_back(static_cast<std::int32_t>(n) * 10 + c);
        expected.push_back(static_cast<std::int32_t>(n % 6 == 0 ? n : n - 1) * 10 + c);
      }
    const Image from{shape.kind, shape.size, CL_RGBA, CL_UNSIGNED_INT32, bytes_of(in)};
    Image to = from;
    to.bytes.assign(to.bytes.size(), std::byte{});
    to.written = true;
    const Sampler by{.normalized = false, .addressing = CL_ADDRESS_CLAMP_TO_EDGE, .filter = CL_FILTER_NEAREST};
    const Result result =
        run({.source = kShift,
             .launches = {{.kernel = shape.kernel, .dimensions = 3, .global = shape.size, .arguments = {from, to, by}}},
             .runtime = runtime});
    ASSERT_EQ(result.build, Status::Ok) << result.log << result.message;
    ASSERT_EQ(result.launches[0].status, Status::Ok) << result.launches[0].message;
    ASSERT_EQ(result.launches[0].buffers.size(), 2u);
    EXPECT_EQ(ints_of(result.launches[0].buffers[0]), in);
    EXPECT_EQ(ints_of(result.launches[0].buffers[1]), expected);
    EXPECT_EQ(result.launches[0].said, "");
  }
}
TEST(Runner, PassesImagesAndSamplers) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_shifted(Runtime::Device);
}
TEST(Runner, PassesImagesAndSamplersToTheSimulator) {
  AMDCOMPAT_NEEDS_OPENCL_SIMULATOR();
  expect_shifted(Runtime::Simulator);
}

// 256 work-items with 20,000 bytes each, which live across a barrier, from a thread of 512 KiB.
TEST(Runner, GivesKernelsAStackOfTheirOwn) {
  AMDCOMPAT_NEEDS_OPENCL();
  struct Work {
    Request request;
    Result result;
  } work;
  work.request.source = R"(
__kernel void large(__global uint *out) {
  uint own[5000];
  for (uint n = 0; n < 5000; ++n) own[n] = n * (uint)get_global_id(0);
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[get_global_id(0)] = own[out[get_global_id(0)]];
}
)";
  std::vector<std::int32_t> places(256), expected(256);
  for (std::int32_t n = 0; n < 256; ++n) {
    places[static_cast<std::size_t>(n)] = n * 19;
    expected[static_cast<std::size_t>(n)] = n * 19 * n;
  }
  work.request.launches = {
      {.kernel = "large", .global = {256, 1, 1}, .local = {256, 1, 1}, .arguments = {Buffer{bytes_of(places)}}}};
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 512 << 10), 0);
  pthread_t thread{};
  const auto begin = [](void* to) -> void* {
    Work& one = *static_cast<Work*>(to);
    one.result = run(one.request);
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, begin, &work), 0);
  pthread_join(thread, nullptr);
  ASSERT_EQ(work.result.build, Status::Ok) << work.result.log << work.result.message;
  ASSERT_EQ(work.result.launches[0].status, Status::Ok) << work.result.launches[0].message;
  EXPECT_EQ(ints_of(work.result.launches[0].buffers[0]), expected);
}

// What was loaded for one request serves the next ones, of this process and of no other.
TEST(Runner, RunsKernelsOfManyThreadsAtOnce) {
  AMDCOMPAT_NEEDS_OPENCL();
  constexpr std::size_t kThreads = 4;
  std::array<std::vector<Result>, kThreads> results;
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread)
      threads.emplace_back([&results, thread] {
        for (std::int32_t n = 0; n < 3; ++n)
          results[thread].push_back(
              run({.source = kSums, .launches = {sums(static_cast<std::int32_t>(thread) * 10 + n)}}));
      });
  }
  for (std::size_t thread = 0; thread < kThreads; ++thread)
    for (std::int32_t n = 0; n < 3; ++n)
      expect_sums(results[thread][static_cast<std::size_t>(n)].launches[0], static_cast<std::int32_t>(thread) * 10 + n);
}

TEST(Runner, GoesOnInARunAfterOneThatEndedItsProcessOrItsTime) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Launch wild{.kernel = "wild", .arguments = {Buffer{bytes_of<std::int32_t>({0})}}};
  const Launch forever{.kernel = "forever",
                       .arguments = {Buffer{bytes_of<std::int32_t>({0})}, Value{bytes_of<std::int32_t>({1})}}};
  EXPECT_EQ(run({.source = kSums, .launches = {wild}}).launches[0].status, Status::Died);
  expect_sums(run({.source = kSums, .launches = {sums(3)}}).launches[0], 3);
  EXPECT_EQ(run({.source = kSums, .launches = {forever}, .seconds = 1}).launches[0].status, Status::TimedOut);
  expect_sums(run({.source = kSums, .launches = {sums(4)}}).launches[0], 4);
}

TEST(Runner, WorksInAForkedProcessAndLeavesNoFiles) {
  AMDCOMPAT_NEEDS_OPENCL();
  const process::TemporaryDirectory files;
  expect_sums(run({.source = kSums, .launches = {sums(5)}}).launches[0], 5);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::setenv("TMPDIR", files.path().c_str(), 1);
    expect_sums(run({.source = kSums, .launches = {sums(6)}}).launches[0], 6);
    std::exit(testing::Test::HasFailure() ? 1 : 0);  // with all that ends with a process
  }
  expect_sums(run({.source = kSums, .launches = {sums(7)}}).launches[0], 7);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(files.path()));
}

TEST(Runner, TakesBuildOptions) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Launch launch{.kernel = "k", .arguments = {Buffer{bytes_of<std::int32_t>({0})}}};
  const Result result = run({.source = "__kernel void k(__global int *out) { out[0] = __OPENCL_C_VERSION__ + ONE; }",
                             .options = "-cl-std=CL1.2 -DONE=1",
                             .launches = {launch}});
  ASSERT_EQ(result.launches.size(), 1u);
  ASSERT_EQ(result.launches[0].status, Status::Ok) << result.log << result.launches[0].message;
  EXPECT_EQ(ints_of(result.launches[0].buffers[0]), std::vector<std::int32_t>{121});
}

TEST(Runner, BuildsWithTheDeclarationsThatAProgramNeedsAsWithAll) {
  AMDCOMPAT_NEEDS_OPENCL();
  constexpr const char* kPrograms[] = {
      // Overloads, macros that stand for functions, types, atomic operations, and a warning.
      R"(#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void k(__global int *out) {
  int unused_one;
  const float4 f = fast_normalize((float4)(out[0], 1, 2, 3));
  const double d = pow((double)out[0], 0.5) + fma(2.0, (double)f.x, 1.0);
  const uint2 u = convert_uint2_sat((float2)(-1, 3e10f)) + as_uint2(vload2(0, (__global float *)out));
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[1] = (int)d + u.y + (int)popcount(u.x) + isnan(f.y) + ilogb(0.0f) + (int)get_enqueued_local_size(0);
  atomic_add(out, mad24(3, 4, 5));
  printf("%d\n", out[0]);
})",
      // A function that is not declared, whose name is made of parts.
      "#define OF(type) convert_##type\n__kernel void k(__global int *out) { out[1] = OF(int_rtn)(-1.5f); }",
      "__kernel void k(__global int *out) { out[1] = nobody(1) +\n1 + nobody_else; }",
  };
  for (const char* const program : kPrograms) {
    Request request{.source = program,
                    .launches = {{.kernel = "k", .arguments = {Buffer{bytes_of<std::int32_t>({7, 0, 5, 6})}}}}};
    const Result soon = run(request);
    request.as_hosts_build = true;
    const Result whole = run(request);
    EXPECT_EQ(soon.build, whole.build) << soon.log;
    // The names of files in it differ.
    EXPECT_EQ(std::ranges::count(soon.log, ':'), std::ranges::count(whole.log, ':')) << soon.log << "\n" << whole.log;
    EXPECT_EQ(soon.launches.at(0).buffers, whole.launches.at(0).buffers);
    EXPECT_EQ(soon.launches[0].said, whole.launches[0].said);
  }
}

constexpr const char* kHeader = R"(
#ifndef _OPENCL_H_
#include "base.h"
#define __ovld /* of
several types */ __attribute__((overloadable))
#define both(x) (first(x) + second(x))
// A comment that goes on \
   in the next line; with a ( in it
float __ovld first(float); int __ovld first(int);
int second (int);
int third(volatile __local int *,
          int) __attribute__((pure));
int fourth(int);
#endif
)";
constexpr const char* kAfter = R"(#define MANY
#include "_clang_opencl.h"
#undef KNOWN
)";

TEST(Declarations, AreThoseOfFunctionsThatAProgramNames) {
  const Declarations declarations(kHeader, kAfter, "there/");
  const std::string source = "int f(__local int *x) {\n  return third (x, fifth); }\n";
  EXPECT_EQ(declarations.before(source), R"(#undef _OPENCL_H_
#ifndef _OPENCL_H_
#include "there/base.h"
#define __ovld   __attribute__((overloadable))
#define both(x) (first(x) + second(x))
float __ovld first(float);
int __ovld first(int);
int second (int);
int third(volatile __local int *,
          int) __attribute__((pure));
#endif
#undef KNOWN
#line 1
)" + source);
}

TEST(Declarations, AreLeftToPoclWhereTheyAreNotAsTheyAreKnown) {
  EXPECT_EQ(Declarations().before("int f();"), "");
  EXPECT_EQ(Declarations(kHeader, "#include \"other.h\"\n", "there/").before("int f();"), "");
  EXPECT_EQ(Declarations("int first(int);", kAfter, "there/").before("int f();"), "");
  const std::string header = kHeader;
  EXPECT_NE(Declarations(header + "int fifth(int);", kAfter, "there/").before("int f();"), "");
  for (const char* const other :
       {"inline int fifth(int x) { return x; }", "int fifth(int\n#ifdef A\n, int\n#endif\n);"})
    EXPECT_EQ(Declarations(header + other, kAfter, "there/").before("int f();"), "") << other;
}

}  // namespace
}  // namespace amdcompat::opencl::runner_test
