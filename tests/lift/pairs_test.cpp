// Binaries of a later driver whose sources are known (pairs/ beside the real files), GFX8 code in OpenCL 2.0
// containers: each kernel lifted beside its source, on the same OpenCL runtime, with the same memory before and after.
//
// AMDCOMPAT_PAIRS=DIRECTORY takes others: DIRECTORY/NAME/NAME.bin and NAME.cl; how many there are is not counted then.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>

#include "opencl_runner.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::pairs_test {
namespace {

using namespace amdcompat_test;

constexpr std::size_t kLaunches = 6;  // of a kernel
constexpr std::size_t kBufferBytes = 16384;  // more than the largest launch of the samples reaches

const char* others() { return std::getenv("AMDCOMPAT_PAIRS"); }

std::vector<std::filesystem::path> pairs() {
  std::vector<std::filesystem::path> out;
  const std::filesystem::path root = others() != nullptr ? std::filesystem::path(others()) : real_root() / "pairs";
  if (!std::filesystem::is_directory(root)) return out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".bin" && entry.path().stem() == entry.path().parent_path().filename())
      out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

// The same for both sides. `constants`: the program has arrays of constants, which work-items index by their ids: the
// samples' are as long as one work-group is wide. `apart`: no number is an id in two dimensions. The sources store to
// one buffer by each of their ids, so that work-items race: wavefronts in step do otherwise than one work-item after
// another.
opencl::Launch launch_of(const Kernel& kernel, bool constants, bool apart, std::size_t number) {
  std::mt19937 random(static_cast<std::uint32_t>(number));
  opencl::Launch out{.kernel = kernel.name, .dimensions = 3};
  const std::array<std::uint32_t, 3> group = kernel.limits.required_group_size;
  for (std::size_t d = 0; d < 3; ++d) {
    out.local[d] = group[0] != 0 ? group[d] : d == 0 ? 64 : 1;
    out.global[d] = out.local[d] * (constants && d == 0 ? 1 : 1 + random() % 3);
    if (!constants) out.offset[d] = number % 2 * (random() % 5);
    if (apart && d != 0) out.offset[d] += out.offset[d - 1] + out.global[d - 1];
  }
  for (const Argument& argument : kernel.arguments) {
    if (std::holds_alternative<Hidden>(argument.kind)) continue;
    if (const auto* const value = std::get_if<ByValue>(&argument.kind)) {
      // Small and of either sign, so that comparisons go both ways; an index of constants is never negative.
      // Code objects say how large a value is, not what it is: a number, or words.
      const std::size_t known = scalar_size(value->type), size = known != 0 ? known : std::min(value->elements, 4u);
      std::vector<std::byte> bytes(known != 0 ? size * value->elements : value->elements);
      for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
        const auto small = static_cast<std::int64_t>(random() % 4) - (constants || random() % 2 == 0 ? 0 : 3);
        for (std::size_t b = 0; b < size; ++b)
          bytes[at + b] = static_cast<std::byte>(static_cast<std::uint64_t>(small) >> 8 * b);
      }
      out.arguments.emplace_back(opencl::Value{std::move(bytes)});
    } else {
      EXPECT_TRUE(std::holds_alternative<GlobalPointer>(argument.kind)) << kernel.name << " " << argument.name;
      std::vector<std::byte> bytes(kBufferBytes);
      for (std::byte& one : bytes) one = static_cast<std::byte>(random());
      out.arguments.emplace_back(opencl::Buffer{std::move(bytes)});
    }
  }
  return out;
}

class LiftedPairs : public testing::TestWithParam<lift::Form> {};

TEST_P(LiftedPairs, LeaveTheMemoryThatTheirSourceLeaves) {
  AMDCOMPAT_NEEDS_OPENCL();
  if (pairs().empty())
    GTEST_SKIP() << "the real files are not part of the project and are not here; set the CMake variable "
                    "AMDCOMPAT_REAL_CORPUS to a directory with pairs/";
  std::size_t kernels = 0;
  for (const std::filesystem::path& path : pairs()) {
    SCOPED_TRACE(path.filename());
    Diagnostics diagnostics;
    const auto file = open(read_file(path), diagnostics);
    ASSERT_TRUE(file);
    lift::Options options;
    options.form = GetParam();
    const lift::Unit unit = lift::lift(file->program, options, diagnostics);
    opencl::Request lifted{.source = unit.source, .seconds = 60};
    for (std::size_t n = 0; n < unit.kernels.size(); ++n) {
      EXPECT_TRUE(unit.kernels[n].lifted)
          << unit.kernels[n].name << ": " << (unit.kernels[n].refusal ? unit.kernels[n].refusal->message : "");
      if (!unit.kernels[n].lifted) continue;
      EXPECT_EQ(unit.kernels[n].form, GetParam()) << unit.kernels[n].name;
      for (std::size_t launch = 0; launch < kLaunches; ++launch)
        lifted.launches.push_back(
            launch_of(file->program.kernels[n], !file->program.data.empty(), GetParam() == lift::Form::Wave, launch));
      ++kernels;
    }
    opencl::Request original = lifted;
    original.source = read_file(std::filesystem::path(path).replace_extension(".cl"));
    const opencl::Result expected = opencl::run(original), got = opencl::run(lifted);
    EXPECT_EQ(expected.build, opencl::Status::Ok) << expected.log;
    EXPECT_EQ(got.build, opencl::Status::Ok) << got.log << unit.source;
    for (std::size_t n = 0; n < lifted.launches.size(); ++n) {
      SCOPED_TRACE(fmt::format("{}, launch {}", lifted.launches[n].kernel, n % kLaunches));
      const opencl::LaunchResult &a = expected.launches[n], &b = got.launches[n];
      EXPECT_EQ(a.status, opencl::Status::Ok) << a.message;
      EXPECT_EQ(b.status, opencl::Status::Ok) << b.message;
      EXPECT_TRUE(a.buffers == b.buffers) << unit.source;
    }
  }
  EXPECT_TRUE(others() != nullptr || kernels >= 19) << kernels;
}

INSTANTIATE_TEST_SUITE_P(As, LiftedPairs, testing::Values(lift::Form::WorkItem, lift::Form::Wave),
                         [](const auto& form) { return form.param == lift::Form::Wave ? "Waves" : "WorkItems"; });

}  // namespace
}  // namespace amdcompat::pairs_test
