// The runner itself, on OpenCL C of our own: right results, and every way to fail.
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "opencl_runner.hpp"

namespace amdcompat_test::opencl {
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
  EXPECT_EQ(result.log, "");
  ASSERT_EQ(result.launches.size(), 2u);
  expect_sums(result.launches[0], 10);
  expect_sums(result.launches[1], -3);
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
  EXPECT_NE(result.launches[0].message.find("signal"), std::string::npos) << result.launches[0].message;
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

}  // namespace
}  // namespace amdcompat_test::opencl
