// Code of OpenCL 1.x that real files have seldom or never, compiled for that ABI (old_abi.hpp): lifted and proved.
#include <array>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <amdcompat/open.hpp>

#include "lifted_file.hpp"
#include "old_abi.hpp"
#include "opencl_runner.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::old_abi_test {
namespace {

using namespace amdcompat_test;

class OldAbi : public testing::TestWithParam<old_abi::Way> {
 protected:
  static void expect_proved(std::span<const char* const> names, std::string_view kernels, bool shared) {
    File file;
    file.program = old_abi::program_of(names, GetParam(), kernels, shared);
    // Each way's turn is every second kernel, and the others are lifted.
    const bool first = GetParam().generation == gcn::Generation::Gfx6;
    for (std::size_t n = 0; n < names.size(); ++n)
      ASSERT_NO_FATAL_FAILURE(expect_lifted(file, names[n], {.proved = (n % 2 == 0) == first}));
  }
};

constexpr std::string_view kPointers = R"cl(
KERNEL(reads_either)
  uint id = ID;
  Address from = IN(id) & 1 ? SLOT(0) : SLOT(1);
  OUT(id, get(item->out, from + 4 * (Address)id) * 3 + 1);
}
KERNEL(writes_either)
  uint id = ID, value = IN(id);
  put(item->out, (value & 3 ? SLOT(1) : SLOT(0)) + 4 * (Address)id, value + 9);
}
KERNEL(change_places)
  uint id = ID, count = IN(id) & 7;
  Address a = SLOT(0) + 4 * (Address)id, b = SLOT(1) + 4 * (Address)id;
  for (uint n = 0; n < count; ++n) {
    put(item->out, b, get(item->out, a) * 5 + n);
    Address other = a;
    a = b;
    b = other;
  }
}
KERNEL(neighbours)
  uint id = ID;
  Address from = (id & 1 ? SLOT(0) : SLOT(1)) + 4 * (Address)(id | 1);
  uint sum = get(item->in, from) + get(item->in, from - 4);
  OUT(id ^ 1, sum + id);
}
)cl";

TEST_P(OldAbi, PointersThatAreOneOfSeveralAreFollowed) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_PROGRAM("llvm-objcopy-19", "llvm-19");
  AMDCOMPAT_NEEDS_OPENCL();
  expect_proved(std::array{"reads_either", "writes_either", "change_places", "neighbours"}, kPointers, true);
}

// The upper half of what is shifted to the left reaches no bit of the lower one.
constexpr std::string_view kShifted = R"cl(
KERNEL(shifted)
  uint id = ID, from = IN(id);
  ulong both = (ulong)(uint)SLOT(0) << 32 | from;
  ulong shifted;
  __asm(SHIFT : "=v"(shifted) : "v"(both), "v"(id & 63));
  OUT(id, (uint)shifted);
}
)cl";

TEST_P(OldAbi, AddressesThatAreShiftedOutAreNoNumbers) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_PROGRAM("llvm-objcopy-19", "llvm-19");
  const bool eighth = GetParam().generation == gcn::Generation::Gfx8;
  constexpr std::array kNames{"shifted"};
  const std::string shift =
      eighth ? "#define SHIFT \"v_lshlrev_b64 %0, %2, %1\"\n" : "#define SHIFT \"v_lshl_b64 %0, %1, %2\"\n";
  ASSERT_NO_FATAL_FAILURE(expect_proved(kNames, shift + std::string(kShifted), false));
}

INSTANTIATE_TEST_SUITE_P(Compiled, OldAbi, testing::ValuesIn(old_abi::kWays),
                         [](const auto& one) { return one.param.name; });

// [RT] Four bytes, or two times two, stand in a dword, of which vectors of three leave the last.
TEST(OldAbiSources, VectorsOfThreeSmallElementsAreReadAsTheyStandInDwords) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_PROGRAM("opt-19", "llvm-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const old_abi::SourceKernel kernel{
      .name = "thirds", .parameters = {"__global uint* out", "uchar3 a", "char3 b", "ushort3 c", "short3 d"}};
  constexpr std::string_view kSource = R"cl(
__kernel void thirds(uint4 own_group, uint4 own_local, uint4 own_size, uint4 own_global, __global uint* out, uchar3 a,
                     char3 b, ushort3 c, short3 d) {
  uint id = own_group.x * own_size.x + own_local.x;
  out[4 * id] = a.x + a.y * 3 + a.z * 7 + id;
  out[4 * id + 1] = b.x + b.y * 3 + b.z * 7;
  out[4 * id + 2] = c.x + c.y * 3 + c.z * 7;
  out[4 * id + 3] = d.x + d.y * 3 + d.z * 7;
}
)cl";
  for (const old_abi::Way& way : old_abi::kWays) {
    if (way.wide) continue;  // arguments stand there in the same places
    SCOPED_TRACE(way.name);
    File file;
    file.program = old_abi::program_of_source(std::span(&kernel, 1), way, kSource);
    ASSERT_NO_FATAL_FAILURE(expect_lifted(file, "thirds", {.proved = true}));
  }
}

}  // namespace
}  // namespace amdcompat::old_abi_test
