// Machine code with a few instructions changed, which no compiler made: it is refused, or what it becomes compiles and
// does what the interpreter does.
//
// The code is that of fuzz/corpus/lift, changed as fuzz_lift changes it. AMDCOMPAT_MUTANTS=N tries N instead of 300;
// AMDCOMPAT_SEEDS=DIRECTORY keeps them there as inputs of fuzz_lift.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mutants.hpp"
#include "small_program.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat_test::lifted::mutants_test {
namespace {

namespace fuzz = amdcompat::fuzz;
namespace lift = amdcompat::lift;
using amdcompat::Diagnostics;
using amdcompat::Program;

constexpr u32 kSeed = 20260103;

std::size_t wanted() {
  const char* const text = std::getenv("AMDCOMPAT_MUTANTS");
  return text == nullptr ? 300 : std::strtoul(text, nullptr, 10);
}

void keep(const corpus::CodeKernel& kernel, u8 choice) {
  const char* const directory = std::getenv("AMDCOMPAT_SEEDS");
  if (directory == nullptr) return;
  const std::string_view code(reinterpret_cast<const char*>(kernel.words.data()), kernel.words.size() * 4);
  write_file(std::filesystem::path(directory) / kernel.name, std::string(1, static_cast<char>(choice)).append(code));
}

// Mutants that are lifted, each of another text, and what became of the others.
struct Mutants {
  std::vector<corpus::CodeKernel> kernels;
  std::map<std::string, std::size_t> refused;  // by code
  std::size_t same = 0;
};
Mutants mutants() {
  std::vector<std::filesystem::path> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(AMDCOMPAT_SOURCE_DIR "/fuzz/corpus/lift"))
    seeds.push_back(entry.path());
  std::ranges::sort(seeds);
  Mutants out;
  std::set<std::string> seen;
  for (std::size_t n = 0; n < wanted(); ++n) {
    std::mt19937 random(kSeed + static_cast<u32>(n));
    const std::string bytes = read_file(seeds[random() % seeds.size()]);
    corpus::CodeKernel kernel{.name = fmt::format("m{}", n)};
    kernel.lds_bytes = std::array<u32, 4>{0, 256, 1024, 4096}[static_cast<u8>(bytes[0]) >> 1 & 3];
    kernel.words.resize(bytes.size() / 4);
    std::memcpy(kernel.words.data(), bytes.data() + 1, kernel.words.size() * 4);
    kernel.words = fuzz::mutate(std::move(kernel.words), Generation::Gfx7, 1024, random);
    keep(kernel, static_cast<u8>(bytes[0]));
    const Program program = corpus::program_of_code(std::span(&kernel, 1), Generation::Gfx7);
    Diagnostics diagnostics;
    const lift::Unit unit = lift::lift(program, {}, diagnostics);
    const auto& outcome = unit.kernels.front();
    if (outcome.refusal) {
      ++out.refused[amdcompat::code_label(outcome.refusal->code)];
      continue;
    }
    EXPECT_TRUE(outcome.lifted);
    const std::size_t body = unit.source.find(kernel.name) + kernel.name.size();
    if (seen.insert(unit.source.substr(body)).second)
      out.kernels.push_back(std::move(kernel));
    else
      ++out.same;
  }
  fmt::print("{} mutants, seed {}: {} lifted", wanted(), kSeed, out.kernels.size() + out.same);
  for (const auto& [code, n] : out.refused) fmt::print(", {} refused {}", n, code);
  fmt::print("\n");
  std::fflush(stdout);
  return out;
}

std::string source_of(std::span<const corpus::CodeKernel> kernels) {
  Diagnostics diagnostics;
  return lift::lift(corpus::program_of_code(kernels, Generation::Gfx7), {}, diagnostics).source;
}

TEST(LiftedMutants, CompileWithoutAWarning) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  const Mutants all = mutants();
  EXPECT_GE(all.kernels.size() + all.same, wanted() / 10);
  const TemporaryDirectory directory;
  for (const corpus::CodeKernel& kernel : all.kernels)
    write_file(directory / (kernel.name + ".cl"), source_of(std::span(&kernel, 1)));
  const ProcessResult result =
      run(fmt::format("cd '{}' && ls *.cl | xargs -P 2 -I@ sh -c 'timeout 120 clang-19 -x cl -cl-std=CL1.2 "
                      "-Xclang -finclude-default-header -Wall -Wextra -fsyntax-only @ > @.said 2>&1 || "
                      "echo status $? >> @.said'",
                      (directory / ".").string()));
  EXPECT_EQ(result.output, "");
  for (const corpus::CodeKernel& kernel : all.kernels) {
    const std::string said = read_file(directory / (kernel.name + ".cl.said"));
    EXPECT_EQ(said, "") << source_of(std::span(&kernel, 1));
  }
}

// Whether the simulator sees work-items race, as code of nobody's making may.
bool races(const opencl::Request& all, std::size_t n) {
  const opencl::Request one{.source = all.source,
                            .options = "-cl-opt-disable",
                            .launches = {all.launches[n]},
                            .seconds = 60,
                            .runtime = opencl::Runtime::Simulator};
  return opencl::run(one).launches[0].said.find("data race") != std::string::npos;
}

TEST(LiftedMutants, DoWhatTheInterpreterDoes) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_OPENCL_SIMULATOR();
  constexpr std::size_t kPerUnit = 12;
  constexpr u32 kRunLanes = 2 * kLanes;
  const Mutants all = mutants();
  std::mt19937 random(kSeed);
  std::size_t equal = 0, racing = 0, unclean = 0;
  for (std::size_t first = 0; first < all.kernels.size(); first += kPerUnit) {
    const auto kernels = std::span(all.kernels).subspan(first, std::min(kPerUnit, all.kernels.size() - first));
    const Program program = corpus::program_of_code(kernels, Generation::Gfx7);
    opencl::Request request{.source = source_of(kernels), .seconds = 60};
    std::vector<Ran> expected;
    for (std::size_t n = 0; n < kernels.size(); ++n) {
      Data data{.in = Words(std::size_t{kRunLanes} * 8), .out = Words(std::size_t{kRunLanes} * 8, 0xdeadbeef)};
      for (u32& word : data.in) word = static_cast<u32>(random()) % 12;
      data.values = {3, 1, 0, 5, 1, 2};
      Ran ran = interpret(program, n, data, kRunLanes);
      if (!ran.problem.empty() || ran.out_of_range) {
        ++unclean;
        continue;
      }
      request.launches.push_back(launch_of(kernels[n].name, data, kRunLanes));
      expected.push_back(std::move(ran));
    }
    if (request.launches.empty()) continue;
    const opencl::Result result = opencl::run(request);
    ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << result.message << request.source;
    for (std::size_t n = 0; n < expected.size(); ++n) {
      const opencl::LaunchResult& launch = result.launches[n];
      const bool ran = launch.status == opencl::Status::Ok;
      if (ran && words_of(launch.buffers[1]) == expected[n].out) {
        ++equal;
      } else if (races(request, n)) {
        ++racing;
      } else {
        const std::string& name = request.launches[n].kernel;
        const auto kernel = std::ranges::find(kernels, name, &corpus::CodeKernel::name);
        ADD_FAILURE() << name << ": " << opencl::status_name(launch.status) << " " << launch.message << "\n"
                      << source_of(std::span(&*kernel, 1));
      }
    }
  }
  fmt::print("{} mutants do the same, {} race, {} use what nothing has set or go beyond a buffer\n", equal, racing,
             unclean);
  std::fflush(stdout);
  EXPECT_GT(equal, 0u);
}

}  // namespace
}  // namespace amdcompat_test::lifted::mutants_test
