// Loops that lanes leave one after another, or all at once by what they have read in one place: clang 19 makes masks of
// both, and merges them; what they need alike of one scalar register goes through vector registers. Lifted in the
// work-item form and proved.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/open.hpp>

#include "lifted_file.hpp"
#include "opencl_runner.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::loops_test {
namespace {

using namespace amdcompat_test;

constexpr const char* kKernels = R"(
#define ID (__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x())
kernel void leaves_by_what_all_read(global const uint* in, global const uint* table, global uint* out) {
  for (uint n = 0; n < in[ID] % 5; ++n) {
    if (table[n] == 7) {
      out[ID] = 77;
      break;
    } else if (table[n] == 8) {
      out[ID] += 88;
    }
  }
  out[ID] += in[ID] + 1;
}
kernel void sums_until(global const uint* in, global const uint* table, global uint* out) {
  uint sum = 0;
  for (uint n = 0; n < in[ID] % 7; ++n) {
    if (table[n] == 7) {
      sum += 77;
      break;
    } else if (table[n] == 8) {
      sum += n;
    }
    sum = sum * 3 + table[n];
  }
  out[ID] = sum;
}
kernel void goes_on(global const uint* in, global const uint* table, global uint* out, uint count) {
  uint sum = in[ID];
  for (uint n = 0; n < count % 9; ++n) {
    if ((table[n] & 3) == 0) continue;
    if (sum > table[n] * 1000) break;
    sum = sum * 5 + table[n];
  }
  out[ID] = sum;
}
kernel void chooses(global const uint* in, global const uint* table, global uint* out) {
  uint n = 0, sum = 0;
  while (1) {
    const uint one = table[n & 15];
    if (one == 0 || n > (in[ID] & 15)) break;
    switch (one & 3) {
      case 0: sum += one; break;
      case 1: sum ^= n; break;
      case 2: out[ID] = sum; break;
      default: sum = sum * 7 + 1;
    }
    ++n;
  }
  out[ID] += sum + n;
}
kernel void searches(global const uint* in, global const uint* table, global uint* out) {
  uint low = 0, high = 16;
  while (low < high) {
    const uint middle = (low + high) / 2;
    if (table[middle] * 9 < in[ID])
      low = middle + 1;
    else
      high = middle;
  }
  for (uint n = low; n < 16; ++n)
    if (table[n] == in[ID]) {
      out[ID] = n;
      return;
    }
  out[ID] = 0xffff0000 | low;
}
kernel void at_least_once(global const uint* in, global const uint* table, global uint* out) {
  uint sum = 0, n = 0;
  do {
    const uint one = table[n];
    if (one > 50) {
      out[ID] = sum;
      if (in[ID] & 1) break;
    } else if (one > 20) {
      sum += in[ID] >> n;
    }
    n++;
  } while (n < (in[ID] & 7) + 1);
  out[ID] = sum * 2 + n;
}
// Lanes that count nothing read the group's size by themselves, into the same register, for the loop with barriers.
#define LANE __builtin_amdgcn_workitem_id_x()
#define GROUP __builtin_amdgcn_workgroup_id_x()
#define GROUPS ((constant uint*)__builtin_amdgcn_implicitarg_ptr())[0]
#define SIZE __builtin_amdgcn_workgroup_size_x()
#define BARRIER __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"), __builtin_amdgcn_s_barrier()
kernel void counts_digits(global const uint* in, global uint* out, int count, int shift, local uint* sums) {
  const int lane = LANE;
  int at = GROUP * 64 + lane;
  const int end = GROUP == GROUPS - 1 ? count : (GROUP + 1) * 64;
  uint counts[4] = {0, 0, 0, 0};
  for (; at < end; at += SIZE) ++counts[in[at] >> (shift & 31) & 3];
  for (int digit = 0; digit < 4; ++digit) {
    sums[lane] = counts[digit];
    BARRIER;
    for (uint step = SIZE / 2; step > 0; step >>= 1) {
      if (lane < step) sums[lane] += sums[lane + step];
      BARRIER;
    }
    if (lane == 0) out[digit * GROUPS + GROUP] = sums[0];
    BARRIER;
  }
}
)";
constexpr std::size_t kCount = 7;

struct Way {
  const char *name, *options;
  std::size_t turn;
};
class LiftedLoops : public testing::TestWithParam<Way> {};

TEST_P(LiftedLoops, AreThoseOfTheirSource) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_PROGRAM("ld.lld-19", "lld-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const TemporaryDirectory directory;
  write_file(directory / "unit.cl", kKernels);
  const std::string object = (directory / "unit.co").string();
  const ProcessResult made = run(fmt::format("clang-19 -x cl -cl-std=CL1.2 -w -target amdgcn-amd-amdhsa {} -nogpulib "
                                             "'{}' -o '{}' 2>&1",
                                             GetParam().options, (directory / "unit.cl").string(), object));
  ASSERT_EQ(made.status, 0) << made.output;
  Diagnostics diagnostics;
  const auto file = open(read_file(object), diagnostics);
  ASSERT_TRUE(file);
  ASSERT_EQ(file->program.kernels.size(), kCount);
  // Each way's turn is every third kernel, and the others are lifted.
  for (std::size_t n = 0; n < kCount; ++n)
    ASSERT_NO_FATAL_FAILURE(expect_lifted(*file, file->program.kernels[n].name, {.proved = n % 3 == GetParam().turn}));
}

constexpr Way kWays[] = {
    {"Gfx700", "-mcpu=gfx700 -O2", 0}, {"Gfx803", "-mcpu=gfx803 -O2", 1}, {"Gfx900", "-mcpu=gfx900 -O2", 2}};
INSTANTIATE_TEST_SUITE_P(Compiled, LiftedLoops, testing::ValuesIn(kWays),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace amdcompat::loops_test
