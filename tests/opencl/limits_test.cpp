// Wrong calls, broken binaries, runtimes that fail, and memory.
//
// AMDCOMPAT_OPENCL_CYCLES=N: how many programs come and go while memory is watched; 10000 takes half a minute.
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "binaries_fixture.hpp"
#include "opencl_runner.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat_test::opencl_layer::limits_test {
namespace {

class OpenClLayerLimits : public WithBinaries {};

TEST_F(OpenClLayerLimits, WrongCallsAndBrokenBinariesGetTheErrorsOfTheSpecification) {
  for (const char* const name : {"scale.bin", "scale-64.bin", "blend.bin", "reduction.bin", "values.bin"})
    expect_passed(run_host(
        {.host = "hostile", .arguments = {file(name), "600", file("histogram.bin")}, .runtime = Runtime::Null}));
}

TEST_F(OpenClLayerLimits, AKernelOfTwoDevicesIsClonedForBothOrNotAtAll) {
  const ProcessResult result = run_host({.host = "hostile",
                                         .arguments = {file("histogram.bin"), "0", file("histogram-v2.bin")},
                                         .runtime = Runtime::Null});
  expect_passed(result);
  EXPECT_NE(result.output.find("cloned for two devices\n"), std::string::npos) << result.output;
}

TEST_F(OpenClLayerLimits, HowAPartOfAPosingDeviceCameToBeIsToldInFull) {
  const ProcessResult result = run_host({.host = "hostile",
                                         .arguments = {file("scale.bin")},
                                         .runtime = Runtime::Null,
                                         .environment = {{"AMDCOMPAT_OPENCL_POSE", "tahiti"}}});
  expect_passed(result);
  EXPECT_NE(result.output.find("a part by 100 counts\n"), std::string::npos) << result.output;
}

// pocl leaves the checks of calls that are wrong in themselves to the process's end.
TEST_F(OpenClLayerLimits, BrokenBinariesDoNoHarmOnADevice) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_passed(run_host({.host = "hostile", .arguments = {"--binaries", file("scale.bin"), "40"}}));
}

// The runtime's errors are the host's.
TEST_F(OpenClLayerLimits, ARuntimeThatFailsIsHeard) {
  for (const auto& [call, status] : {std::pair("clCreateProgramWithSource", -5), {"clBuildProgram", -11}}) {
    const ProcessResult result = run_host({.host = "cycles",
                                           .arguments = {"1", file("scale.bin")},
                                           .runtime = Runtime::Null,
                                           .environment = {{"NULL_RUNTIME_FAILS", call}}});
    EXPECT_EQ(result.status, 1) << result.output;
    EXPECT_NE(result.output.find(fmt::format(" failed with {}\n", status)), std::string::npos) << result.output;
  }
}

// A runtime with memory of its own, which counts local memory that it needs itself too.
TEST_F(OpenClLayerLimits, APosingDeviceSeesWhatTheHostWritesToItsOwnMemory) {
  HostRun run{.host = "own_memory", .arguments = {file("reduction.bin"), "sum_groups"}, .runtime = Runtime::Null};
  const std::string first = "program: binary\nlocal memory: 0, 512\nas it was: 0\n";
  const std::string last = "after a transfer of 3: 3\n";
  EXPECT_EQ(run_host(run).output,
            "Unsupported GPU device; falling back to CPU ...\n" + first + "after writing 2 there: 0\n" + last);
  run.environment["AMDCOMPAT_OPENCL_POSE"] = "tahiti";
  EXPECT_EQ(run_host(run).output, first + "after writing 2 there: 2\n" + last);
}

TEST_F(OpenClLayerLimits, NothingIsWrittenUnlessItIsAskedFor) {
  const HostRun run{.host = "scale", .arguments = {"--binary", file("scale.bin")}};
  AMDCOMPAT_NEEDS_OPENCL();
  EXPECT_EQ(run_host(run).output, "program: binary\nPassed!\n");
  HostRun logged = run;
  logged.environment["AMDCOMPAT_OPENCL_LOG"] = "-";
  EXPECT_NE(run_host(logged).output, "program: binary\nPassed!\n");
}

TEST_F(OpenClLayerLimits, MemoryIsFlatOverThousandsOfPrograms) {
  const char* const asked = std::getenv("AMDCOMPAT_OPENCL_CYCLES");
  const std::string cycles = asked == nullptr ? "1500" : asked;
  for (const bool cached : {false, true}) {
    const TemporaryDirectory cache;
    HostRun run{.host = "cycles", .arguments = {cycles}, .runtime = Runtime::Null, .seconds = 600};
    for (const std::string& file : all_files()) run.arguments.push_back(file);
    if (cached) run.environment["AMDCOMPAT_OPENCL_CACHE"] = (cache / "lifted").string();
    const ProcessResult result = run_host(run);
    expect_passed(result);
    fmt::print("cache {}: {}", cached ? "on" : "off", result.output.substr(result.output.find('\n') + 1));
  }
  std::fflush(stdout);
}

// A cache that others wrote into, or that cannot be written: the lift is made anew.
TEST_F(OpenClLayerLimits, ABrokenCacheIsNone) {
  AMDCOMPAT_NEEDS_OPENCL();
  const TemporaryDirectory directory;
  const std::filesystem::path cache = directory / "lifted";
  HostRun run{.host = "reduction", .arguments = {"--binary", file("reduction.bin")}};
  run.environment["AMDCOMPAT_OPENCL_CACHE"] = cache.string();
  expect_passed(run_host(run));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    std::string bytes = read_file(entry.path());
    for (const std::size_t keep : {bytes.size() / 2, std::size_t{0}}) {
      write_file(entry.path(), bytes.substr(0, keep));
      expect_passed(run_host(run));
    }
    for (std::size_t at = 0; at < bytes.size(); at += 7) bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    write_file(entry.path(), bytes);
    expect_passed(run_host(run));
    break;
  }
  EXPECT_GT(files, 0u);
  write_file(directory / "file", "no directory");
  run.environment["AMDCOMPAT_OPENCL_CACHE"] = (directory / "file").string();
  expect_passed(run_host(run));
}

}  // namespace
}  // namespace amdcompat_test::opencl_layer::limits_test
