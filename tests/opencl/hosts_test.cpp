// Hosts in the manner of 2012, unmodified: with the layer they compute what they should from their old binaries;
// without it they end as they always did where a binary is refused.
//
// AMDCOMPAT_OPENCL_KEEP=DIR leaves the binaries there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "binaries_fixture.hpp"
#include "opencl_runner.hpp"
#include "support/real_corpus.hpp"
#include "support/wants_all.hpp"

namespace amdcompat_test::opencl_layer::hosts_test {
namespace {

// A host, the binary beside it and the kernel's source.
struct Pair {
  const char* host;
  const char* binary;
  const char* source;
  bool options_of_today = true;  // the host's own options are known to compilers of today
  // oclgrind 21.10 takes what a buffer has from the host's own memory for uninitialised, and does not survive values of
  // some vector types as arguments where it looks for such: from source as well.
  bool unset_values = true;
};
constexpr Pair kPairs[] = {
    {"scale", "scale.bin", "scale"},
    {"scale", "scale-64.bin", "scale"},
    {"blend", "blend.bin", "blend"},
    {"globals", "factors.bin", "factors"},
    {"reduction", "reduction.bin", "reduction", false, false},
    {"reduction", "reduction-v2.bin", "reduction", false, false},
    {"scan", "scan.bin", "scan", false},
    {"sample", "reduction.bin", "reduction", true, false},
    {"matrix", "matrix.bin", "matrix"},
    {"matrix", "matrix-cl2.bin", "matrix"},
    {"histogram", "histogram.bin", "histogram"},
    {"histogram", "histogram-v2.bin", "histogram"},
    {"histogram", "histogram-bare.bin", "histogram"},
    {"particles", "particles.bin", "particles", false},
    {"values", "values.bin", "values", true, false},
};

class Hosts : public WithBinaries, public testing::WithParamInterface<Pair> {
 protected:
  void SetUp() override {
    WithBinaries::SetUp();
    AMDCOMPAT_NEEDS_OPENCL();
  }
};

void expect_from(const ProcessResult& result, const char* from) {
  EXPECT_NE(result.output.find(fmt::format("program: {}", from)), std::string::npos) << result.output;
}
HostRun from_binary(const Pair& pair, const std::string& path) {
  return {.host = pair.host, .arguments = {"--binary", path}};
}

TEST_P(Hosts, ComputeFromTheirBinariesWithTheLayer) {
  const ProcessResult result = run_host(from_binary(GetParam(), file(GetParam().binary)));
  expect_passed(result);
  expect_from(result, "binary");
}

// No runtime of today knows such a binary; NVIDIA's says so when it is built.
TEST_P(Hosts, EndWithTheirOwnMessageWithoutTheLayer) {
  HostRun run = from_binary(GetParam(), file(GetParam().binary));
  run.layer = false;
  const ProcessResult result = run_host(run);
  EXPECT_EQ(result.status, 1) << result.output;
  const bool at_once = result.output.find("Error: clCreateProgramWithBinary failed with") != std::string::npos;
  EXPECT_TRUE(at_once || result.output.find("Error: clBuildProgram failed with") != std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("Passed!"), std::string::npos) << result.output;
}

// Programs with source, and the options of theirs, are none of the layer's business.
TEST_P(Hosts, RunFromSourceWithAndWithoutTheLayer) {
  for (const bool layer : {false, true}) {
    HostRun run{
        .host = GetParam().host, .arguments = {"--source", kernel_source(GetParam().source).string()}, .layer = layer};
    if (!GetParam().options_of_today) run.arguments.insert(run.arguments.end(), {"--options", "-cl-mad-enable"});
    const ProcessResult result = run_host(run);
    expect_passed(result);
    expect_from(result, "source");
  }
}

class SimulatedHosts : public Hosts {};

TEST_P(SimulatedHosts, ComputeFromTheirBinariesOnASimulatorThatFindsNothingWrong) {
  AMDCOMPAT_NEEDS_SIMULATOR();
  HostRun run = from_binary(GetParam(), file(GetParam().binary));
  run.runtime = Runtime::Simulator;
  if (GetParam().unset_values) run.environment["OCLGRIND_UNINITIALIZED"] = "1";
  const ProcessResult result = run_host(run);
  expect_passed(result);
  expect_from(result, "binary");
  for (const char* const complaint : {"Invalid", "race", "Uninitialized", "Oclgrind"})
    EXPECT_EQ(result.output.find(complaint), std::string::npos) << result.output;
}

const auto name_of = [](const auto& test) {
  std::string name = std::string(test.param.host) + test.param.binary;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
};
INSTANTIATE_TEST_SUITE_P(All, Hosts, testing::ValuesIn(part_of(kPairs, 3)), name_of);
INSTANTIATE_TEST_SUITE_P(All, SimulatedHosts, testing::ValuesIn(part_of(kPairs, 3)), name_of);

// --- habits of single hosts ------------------------------------------------------------------------------------------

class Habits : public Hosts {};

TEST_P(Habits, TheBinaryThatAHostKeepsIsTheOldOneAndStartsItAgain) {
  const TemporaryDirectory directory;
  const std::string cache = (directory / "cache.bin").string();
  HostRun run{.host = "scan", .arguments = {"--binary", file("scan.bin"), "--cache", cache}};
  expect_passed(run_host(run));
  EXPECT_EQ(read_file(cache), read_file(file("scan.bin")));
  const ProcessResult again = run_host(run);
  expect_passed(again);
  EXPECT_NE(again.output.find("from the cache"), std::string::npos) << again.output;
  EXPECT_EQ(read_file(cache), read_file(file("scan.bin")));
}

TEST_P(Habits, WorkGroupsAreNoLargerThanCatalystMadeThem) {
  const ProcessResult result = run_host({.host = "reduction", .arguments = {"--binary", file("reduction.bin")}});
  expect_passed(result);
  EXPECT_NE(result.output.find("work-group size: 256\n"), std::string::npos) << result.output;
}

// Files were read as text, with a NUL behind, or were padded by whoever packed them.
TEST_P(Habits, BytesBehindABinaryDoNotMatter) {
  const TemporaryDirectory directory;
  for (const auto& [host, binary] : {std::pair("scale", "scale.bin"), {"scan", "scan.bin"}, {"values", "values.bin"}})
    for (const std::size_t bytes : {1u, 500u}) {
      const std::string longer = read_file(file(binary)) + std::string(bytes, '\0');
      write_file(directory / "longer.bin", longer);
      expect_passed(run_host({.host = host, .arguments = {"--binary", (directory / "longer.bin").string()}}));
    }
}

// A host takes all devices into its context and uses the first.
TEST_P(Habits, AContextMayHaveMoreDevicesThanAProgram) {
  expect_passed(run_host({.host = "scale",
                          .arguments = {"--binary", file("scale.bin")},
                          .environment = {{"POCL_DEVICES", "basic pthread"}}}));
}

TEST_P(Habits, WhatIsReleasedAfterMainIsReleased) {
  const ProcessResult result = run_host({.host = "globals", .arguments = {"--binary", file("factors.bin")}});
  expect_passed(result);
  EXPECT_NE(result.output.find("all released\n"), std::string::npos) << result.output;
}

// As in a machine with two GPUs; pocl has as many devices as it is told.
TEST_P(Habits, TwoDevicesHaveBinariesOfTheirOwn) {
  for (const char* const second : {"histogram.bin", "histogram-v2.bin", "histogram-bare.bin"}) {
    const ProcessResult result = run_host({.host = "histogram",
                                           .arguments = {"--binary", file("histogram.bin"), "--second", file(second)},
                                           .environment = {{"POCL_DEVICES", "basic pthread"}}});
    expect_passed(result);
    EXPECT_NE(result.output.find("two devices\n"), std::string::npos) << result.output;
  }
  // Kernels of other files are none of that program.
  const ProcessResult result = run_host({.host = "histogram",
                                         .arguments = {"--binary", file("histogram.bin"), "--second", file("scan.bin")},
                                         .environment = {{"POCL_DEVICES", "basic pthread"}}});
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_NE(result.output.find("clCreateKernel failed with -47"), std::string::npos) << result.output;
}

TEST_P(Habits, TwoPartsOfADeviceHaveBinariesOfTheirOwn) {
  const ProcessResult result = run_host(
      {.host = "histogram", .arguments = {"--binary", file("histogram.bin"), "--second", file("histogram-v2.bin")}});
  expect_passed(result);
}

TEST_P(Habits, AHostThatWantsAGpuOfAmdsGetsNoneUnlessTheLayerPoses) {
  HostRun run{.host = "demanding", .arguments = {"--binary", file("doubles.bin")}};
  for (const bool layer : {false, true}) {
    run.layer = layer;
    const ProcessResult refused = run_host(run);
    EXPECT_EQ(refused.status, 3) << refused.output;
  }
  for (const auto& [pose, name] : {std::pair("tahiti", "Tahiti"), std::pair("hawaii", "Hawaii")}) {
    run.environment["AMDCOMPAT_OPENCL_POSE"] = pose;
    const ProcessResult result = run_host(run);
    expect_passed(result);
    EXPECT_NE(result.output.find(fmt::format("device: {}, board: ", name)), std::string::npos) << result.output;
  }
}

// The extension that a posing device says it has is there.
TEST_P(Habits, ADeviceThatPosesIsDividedByTheExtension) {
  const ProcessResult result = run_host({.host = "histogram",
                                         .arguments = {"--binary", file("histogram.bin")},
                                         .environment = {{"AMDCOMPAT_OPENCL_POSE", "tahiti"}}});
  expect_passed(result);
  EXPECT_NE(result.output.find("divided by the extension\n"), std::string::npos) << result.output;
  EXPECT_EQ(result.output.find("cannot be divided"), std::string::npos) << result.output;
}

TEST_P(Habits, EveryHostRunsWithALayerThatPoses) {
  const ProcessResult result = run_host({.host = GetParam().host,
                                         .arguments = {"--binary", file(GetParam().binary)},
                                         .environment = {{"AMDCOMPAT_OPENCL_POSE", "tahiti"}}});
  expect_passed(result);
  EXPECT_EQ(result.output.find("falling back to CPU"), std::string::npos) << result.output;
}

// What AMD's headers had and Khronos' core has not: memory that persists, devices that are not there.
TEST_P(Habits, SamplesOfTheSdkRunAtTheirOwnSizesAndLargerOnes) {
  for (const char* const size : {"4096", "1000003"}) {
    const ProcessResult result = run_host({.host = "sample",
                                           .arguments = {"--binary", file("reduction.bin"), "--size", size},
                                           .environment = {{"AMDCOMPAT_OPENCL_POSE", "tahiti"}}});
    expect_passed(result);
    EXPECT_NE(result.output.find(fmt::format("{} numbers, groups of 256, ", size)), std::string::npos) << result.output;
  }
}

// The second start takes the lifted program from the disk, and nothing but.
TEST_P(Habits, AStartFromTheCacheOnDiskComputesTheSame) {
  const TemporaryDirectory cache;
  HostRun run = from_binary(GetParam(), file(GetParam().binary));
  run.environment["AMDCOMPAT_OPENCL_CACHE"] = (cache / "lifted").string();
  expect_passed(run_host(run));
  EXPECT_FALSE(std::filesystem::is_empty(cache / "lifted"));
  expect_passed(run_host(run));
}

INSTANTIATE_TEST_SUITE_P(One, Habits, testing::Values(kPairs[4]), [](const auto&) { return "Host"; });

}  // namespace
}  // namespace amdcompat_test::opencl_layer::hosts_test
