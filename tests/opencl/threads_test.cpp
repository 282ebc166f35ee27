// Old binaries from many threads at once; for ThreadSanitizer, which the preset `tsan` runs it with.
#include <gtest/gtest.h>

#include "binaries_fixture.hpp"

namespace amdcompat_test::opencl_layer {
namespace {

class OpenClLayerThreads : public WithBinaries {
 protected:
  static HostRun stress(int threads, int programs) {
    HostRun run{.host = "stress",
                .arguments = {"--threads", std::to_string(threads), "--programs", std::to_string(programs)},
                .runtime = Runtime::Null,
                .seconds = 300};
    for (const std::string& file : all_files()) run.arguments.push_back(file);
    return run;
  }
};

TEST_F(OpenClLayerThreads, EightMake200ProgramsEach) { expect_passed(run_host(stress(8, 200))); }

// Threads find what another one has just written, or write the same.
TEST_F(OpenClLayerThreads, ShareACacheOnDisk) {
  const TemporaryDirectory cache;
  HostRun run = stress(8, 50);
  run.environment["AMDCOMPAT_OPENCL_CACHE"] = (cache / "lifted").string();
  expect_passed(run_host(run));
}

// With room for a few programs only, so that threads drop what others look for.
TEST_F(OpenClLayerThreads, ShareACacheThatIsFull) {
  const TemporaryDirectory cache;
  HostRun run = stress(8, 50);
  run.environment["AMDCOMPAT_OPENCL_CACHE"] = (cache / "lifted").string();
  run.environment["AMDCOMPAT_OPENCL_CACHE_MIB"] = "0";
  expect_passed(run_host(run));
}

TEST_F(OpenClLayerThreads, WriteOneLog) {
  const TemporaryDirectory directory;
  HostRun run = stress(8, 25);
  run.environment["AMDCOMPAT_OPENCL_LOG"] = (directory / "log").string();
  expect_passed(run_host(run));
  EXPECT_GT(std::filesystem::file_size(directory / "log"), 0u);
}

}  // namespace
}  // namespace amdcompat_test::opencl_layer
