// Real containers as a host gives them to clCreateProgramWithBinary: every launch of the oracle whose kernel is lifted
// leaves the memory that an independent emulator of the machine code left.
//
// Each container has a process of its own. AMDCOMPAT_OPENCL_EXEC=all launches all of them on both runtimes; otherwise
// the simulator launches each kernel from one container, since others hold the same kernel of another driver, and the
// device, whose compiler takes its time, every third of those. lift_exec_test launches them all, without a host or the
// layer.
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/lift.hpp>

#include "exec_launches.hpp"
#include "host_process.hpp"
#include "opencl_runner.hpp"
#include "support/wants_all.hpp"

namespace amdcompat_test::opencl_layer::exec_test {
namespace {

std::string to_hex(std::span<const std::byte> bytes) {
  std::string out;
  for (const std::byte byte : bytes) out += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return out;
}

std::string script_of(const std::string& path, std::span<const Json* const> cases) {
  std::string out = fmt::format("binary {}\n", (real_root() / "corpus" / path).string());
  for (const Json* const c : cases) {
    const amdcompat::opencl::Launch launch = launch_of(*c);
    out += fmt::format("kernel {} {} {} {} {}\n", launch.kernel, launch.dimensions, fmt::join(launch.global, " "),
                       fmt::join(launch.local, " "), fmt::join(launch.offset, " "));
    for (const auto& argument : launch.arguments) {
      if (const auto* const value = std::get_if<opencl::Value>(&argument))
        out += fmt::format("value {}\n", to_hex(value->bytes));
      else if (const auto* const local = std::get_if<opencl::Local>(&argument))
        out += fmt::format("local {}\n", local->size);
      else
        out += fmt::format("buffer {}\n", to_hex(std::get<opencl::Buffer>(argument).bytes));
    }
    out += "launch\n";
  }
  return out;
}

// What the host wrote about one launch: buffers, or why there are none.
struct Outcome {
  std::string refused;
  std::vector<std::vector<std::byte>> buffers;
};
std::vector<Outcome> outcomes_of(const std::string& output) {
  std::vector<Outcome> out;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (line == "launch")
      out.emplace_back();
    else if (line.starts_with("refused "))
      out.push_back({line, {}});
    else if (line.starts_with("buffer ") && !out.empty())
      out.back().buffers.push_back(from_hex(std::string_view(line).substr(7)));
  }
  return out;
}

struct Counts {
  std::size_t launches = 0, right = 0, refused = 0, files = 0;
};

// Kernels that oclgrind 21.10 gets wrong when they are optimised, as a host's programs are: it does not know
// llvm.usub.sat, and computes another AESDecrypt. lift_exec_test runs both without optimisation.
constexpr std::string_view kBeyondSimulator[] = {"simpleConvolution", "AESDecrypt"};

void run_container(const std::string& path, std::span<const Json* const> cases, Runtime runtime, Counts& counts) {
  ++counts.files;
  counts.launches += cases.size();
  amdcompat::Diagnostics diagnostics;
  ExecFiles files;
  const amdcompat::lift::Unit unit = amdcompat::lift::lift(files.file(path).program, {}, diagnostics);
  std::set<std::string> lifted;
  for (const auto& kernel : unit.kernels)
    if (kernel.lifted) lifted.insert(kernel.name);

  const TemporaryDirectory directory;
  write_file(directory / "script", script_of(path, cases));
  const ProcessResult result =
      run_host({.host = "launches", .runtime = runtime, .input = (directory / "script").string(), .seconds = 240});
  if (lifted.empty()) {
    // Nothing of it can be had: an error that hosts know.
    EXPECT_EQ(result.status, 1) << path << "\n" << result.output;
    EXPECT_NE(result.output.find("clCreateProgramWithBinary failed with -42"), std::string::npos) << result.output;
    counts.refused += cases.size();
    return;
  }
  EXPECT_EQ(result.status, 0) << path << "\n" << result.output.substr(0, 2000);
  const std::vector<Outcome> outcomes = outcomes_of(result.output);
  ASSERT_EQ(outcomes.size(), cases.size()) << path << "\n" << result.output.substr(0, 2000);
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const Json& c = *cases[n];
    const std::string kernel = c["kernel"];
    if (!lifted.contains(kernel)) {
      EXPECT_EQ(outcomes[n].refused, "refused clCreateKernel -46") << path << " " << kernel;
      ++counts.refused;
      continue;
    }
    EXPECT_EQ(outcomes[n].refused, "") << path << " " << kernel;
    const std::string what = outcomes[n].refused.empty() ? problems(c, outcomes[n].buffers) : "refused";
    EXPECT_EQ(what, "") << path << " " << kernel << ", global " << c["global"] << ", local " << c["local"];
    counts.right += what.empty() ? 1 : 0;
  }
}

void run_all(Runtime runtime) {
  const bool all = wants_all("AMDCOMPAT_OPENCL_EXEC");
  const std::size_t part = one_of(3);
  const std::size_t stride = all ? 1 : part * (runtime == Runtime::Simulator ? 1 : 3);
  const std::vector<Json> cases = exec_cases();
  std::map<std::string, std::vector<const Json*>> by_file;
  struct Chosen {
    std::string file;
    std::size_t number;
  };
  std::map<std::string, Chosen> chosen;  // the container that a kernel is launched from
  for (const Json& c : cases) {
    const std::string file = c["file"], kernel = c["kernel"];
    if (runtime == Runtime::Simulator && std::ranges::find(kBeyondSimulator, kernel) != std::end(kBeyondSimulator))
      continue;
    const Chosen& one = chosen.try_emplace(kernel, Chosen{file, chosen.size()}).first->second;
    if (all || (one.file == file && one.number % stride == 0)) by_file[file].push_back(&c);
  }
  Counts counts;
  for (const auto& [path, list] : by_file) run_container(path, list, runtime, counts);
  fmt::print("{} launches from {} containers: {} right, {} of kernels that are not lifted\n", counts.launches,
             counts.files, counts.right, counts.refused);
  std::fflush(stdout);
  EXPECT_EQ(counts.right + counts.refused, counts.launches);
  EXPECT_GE(chosen.size(), 45u);
  EXPECT_GE(counts.launches, all && runtime == Runtime::Device ? 191u : 15 / part);
  EXPECT_LE(counts.refused, 8u);
}

TEST(OpenClLayerExec, RealContainersComputeWhatTheirMachineCodeDoes) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_LAYER();
  run_all(Runtime::Device);
}

TEST(OpenClLayerExec, RealContainersComputeTheSameOnASimulator) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_SIMULATOR();
  AMDCOMPAT_NEEDS_LAYER();
  run_all(Runtime::Simulator);
}

}  // namespace
}  // namespace amdcompat_test::opencl_layer::exec_test
