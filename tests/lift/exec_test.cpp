// Real kernels, lifted and run by an OpenCL runtime: the memory afterwards must be what an independent emulator of the
// machine code left.
//
// AMDCOMPAT_EXEC_ONLY=text runs only the launches whose "file kernel" contains the text, and counts nothing.
// AMDCOMPAT_EXEC_FORM=wave lifts to the wave form, and counts nothing either.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/lift.hpp>

#include "exec_launches.hpp"
#include "opencl_runner.hpp"

namespace amdcompat::exec_test {
namespace {

using namespace amdcompat_test;

// Of the oracle's 191 launches, so many are of lifted kernels; none of those may differ.
constexpr std::size_t kLeastLifted = 183;

// Kernels in whose launches the simulator sees races, and why they stay. Each must be seen, so that the list is true.
struct Race {
  const char* kernel;
  const char* why;
};
constexpr Race kRaces[] = {
    {"floydWarshallPass",
     "of the machine code: a group reads row `pass` of the matrix while another writes the same values to it"},
};

// Optimised code has intrinsic functions that oclgrind 21.10 does not know (llvm.usub.sat) or gets wrong (AESDecrypt).
std::string options_for(opencl::Runtime runtime) {
  return runtime == opencl::Runtime::Simulator ? "-cl-opt-disable" : amdcompat_test::sooner();
}

// Launches by what became of them.
struct Counts {
  std::size_t launches = 0, lifted = 0, right = 0, differ = 0, not_run = 0;
  std::map<std::string, std::size_t> refused;  // by code
  std::set<std::string> races;  // kernels
};

// What the implementation said of a launch, but for a race that is known.
std::string said(const Json& c, const opencl::LaunchResult& launch, Counts& counts) {
  const std::string kernel = c["kernel"];
  const auto* const known = std::ranges::find(kRaces, kernel, &Race::kernel);
  if (known == std::end(kRaces) || launch.said.find("data race") == std::string::npos) return launch.said;
  counts.races.insert(kernel);
  return {};
}

bool wave_form() {
  const char* const form = std::getenv("AMDCOMPAT_EXEC_FORM");
  return form != nullptr && std::string_view(form) == "wave";
}

void run_file(const File& file, const std::string& path, std::span<const Json* const> cases, opencl::Runtime runtime,
              Counts& counts) {
  Diagnostics diagnostics;
  lift::Options options{.file = path};
  if (wave_form()) options.form = lift::Form::Wave;
  const lift::Unit unit = lift::lift(file.program, options, diagnostics);
  opencl::Request request{.source = unit.source, .options = options_for(runtime), .seconds = 120, .runtime = runtime};
  std::vector<const Json*> launched;
  for (const Json* const c : cases) {
    ++counts.launches;
    const auto kernel = std::ranges::find(unit.kernels, (*c)["kernel"].get<std::string>(), &lift::KernelOutcome::name);
    ASSERT_NE(kernel, unit.kernels.end()) << path << " " << (*c)["kernel"];
    if (!kernel->lifted) {
      ++counts.refused[kernel->refusal ? code_label(kernel->refusal->code) : "no reason given"];
      continue;
    }
    ++counts.lifted;
    launched.push_back(c);
    request.launches.push_back(launch_of(*c));
  }
  if (launched.empty()) return;
  const opencl::Result result = opencl::run(request);
  EXPECT_EQ(said_of_source(result.log), "") << path;
  for (std::size_t n = 0; n < launched.size(); ++n) {
    const Json& c = *launched[n];
    const opencl::LaunchResult& launch = result.launches[n];
    const std::string what = launch.status == opencl::Status::Ok
                                 ? problems(c, launch.buffers) + said(c, launch, counts)
                                 : fmt::format("{}: {}", status_name(launch.status), launch.message);
    ++(launch.status != opencl::Status::Ok ? counts.not_run : what.empty() ? counts.right : counts.differ);
    if (!what.empty())
      ADD_FAILURE() << path << " " << c["kernel"] << ", global " << c["global"] << ", local " << c["local"] << "\n"
                    << what;
  }
}

void run_all(opencl::Runtime runtime) {
  const char* const only = std::getenv("AMDCOMPAT_EXEC_ONLY");
  const std::vector<Json> cases = exec_cases();
  std::map<std::string, std::vector<const Json*>> by_file;
  for (const Json& c : cases) {
    const std::string path = c["file"];
    if (only == nullptr || (path + " " + c["kernel"].get<std::string>()).find(only) != std::string::npos)
      by_file[path].push_back(&c);
  }
  ExecFiles files;
  Counts counts;
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& [path, list] : by_file) run_file(files.file(path), path, list, runtime, counts);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  fmt::print("{} launches: {} lifted ({} right, {} differ, {} not run) in {:.1f} s\n", counts.launches, counts.lifted,
             counts.right, counts.differ, counts.not_run, seconds.count());
  for (const auto& [code, n] : counts.refused) fmt::print("  refused {}: {}\n", code, n);
  std::fflush(stdout);
  if (only != nullptr || wave_form()) return;
  EXPECT_GE(counts.launches, 191u);
  EXPECT_GE(counts.lifted, kLeastLifted);
  for (const Race& race : kRaces)
    EXPECT_EQ(counts.races.contains(race.kernel), runtime == opencl::Runtime::Simulator)
        << race.kernel << ": " << race.why;
}

TEST(LiftedExecOracle, EveryLiftedKernelLeavesTheMemoryThatItsMachineCodeLeft) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_OPENCL();
  run_all(opencl::Runtime::Device);
}

// Accesses out of bounds, races and uninitialised values, none of which the machine code has in these launches.
TEST(LiftedExecOracle, NoLiftedKernelDoesWhatASimulatorCallsWrong) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_OPENCL_SIMULATOR();
  run_all(opencl::Runtime::Simulator);
}

}  // namespace
}  // namespace amdcompat::exec_test
