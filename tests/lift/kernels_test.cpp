// Kernels of a few lines for what random ones never have: clang compiles them, and what is lifted leaves what their
// source leaves, on a device and on the simulator, which runs one work-item after the other; where the source rests on
// wavefronts in step, what the machine code leaves.
#include <cstring>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

#include "opencl_runner.hpp"
#include "random_program.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"
#include "support/wants_all.hpp"

namespace amdcompat::kernels_test {
namespace {

using namespace amdcompat_test;
using lift::Form;

// Of the kernel `k`: its buffers come first, then numbers of 32 bits, then local memory.
struct Case {
  std::size_t buffers = 2;  // of 1024 words
  std::vector<std::uint32_t> numbers{};
  std::size_t locals = 0;  // of 256 words
  const char* target = "gfx803";
  const char* options = "-O2";
  Form form = Form::WorkItem;  // that it is lifted to
  std::optional<Form> asked{};
  std::size_t global = 256, local = 64;
  bool in_step = false;  // the source itself has races that wavefronts in step do not
  bool proved = true;
  bool ordered = false;  // results depend on the order of work-items, which the simulator has otherwise
};

opencl::Launch launch_of(const Case& of) {
  std::mt19937 random(20261126);
  opencl::Launch out{.kernel = "k", .global = {of.global, 1, 1}, .local = {of.local, 1, 1}};
  for (std::size_t n = 0; n < of.buffers; ++n) {
    std::vector<std::byte> bytes(4096);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    out.arguments.emplace_back(opencl::Buffer{std::move(bytes), false});
  }
  for (const std::uint32_t number : of.numbers) {
    std::vector<std::byte> bytes(4);
    std::memcpy(bytes.data(), &number, 4);
    out.arguments.emplace_back(opencl::Value{std::move(bytes)});
  }
  for (std::size_t n = 0; n < of.locals; ++n) out.arguments.emplace_back(opencl::Local{1024});
  return out;
}

std::string lifted(const std::string& kernel, const Case& of, pipeline::LiftResult& result) {
  const TemporaryDirectory directory;
  write_file(directory / "unit.cl", random::random_header() + kernel);
  const ProcessResult compiled =
      run(fmt::format("clang-19 -x cl -cl-std=CL1.2 -w -target amdgcn-amd-amdhsa -mcpu={} {} -nogpulib -Xclang "
                      "-finclude-default-header '{}' -o '{}' 2>&1",
                      of.target, of.options, (directory / "unit.cl").string(), (directory / "unit.o").string()));
  EXPECT_EQ(compiled.status, 0) << compiled.output;
  Diagnostics diagnostics;
  const auto file = open(read_file(directory / "unit.o"), diagnostics);
  if (!file) return {};
  pipeline::LiftRequest request;
  request.prove = of.proved;
  request.lift.form = of.asked;
  pipeline::Lifted unit = pipeline::lift_file(*file, request, diagnostics);
  EXPECT_EQ(unit.kernels.size(), 1u);
  if (unit.kernels.size() == 1) result = std::move(unit.kernels.front());
  return unit.source;
}

void expect_right(const std::string& kernel, const Case& of = {}) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  pipeline::LiftResult result;
  const std::string source = lifted(kernel, of, result);
  ASSERT_TRUE(result.kernel.lifted) << (result.kernel.refusal ? result.kernel.refusal->message : "");
  EXPECT_EQ(result.kernel.form, of.form) << source;
  if (of.proved) {
    EXPECT_EQ(result.outcome, pipeline::LiftOutcome::Proved)
        << (result.proof ? result.proof->reason : "") << " " << of.target << " " << of.options << "\n"
        << source;
  }
  // A part: the proof has run both, the lift on the device.
  if (of.in_step || (of.proved && !runs_whole())) return;
  const std::string original = random::random_header() + kernel;
  for (const opencl::Runtime runtime : {opencl::Runtime::Device, opencl::Runtime::Simulator}) {
    const bool simulated = runtime == opencl::Runtime::Simulator;
    if (simulated && (of.ordered || !runs_whole() || !simulator_missing().empty())) continue;
    const auto run_on = [&](const std::string& text) {
      return opencl::run({.source = text,
                          .options = simulated ? "-cl-opt-disable" : "",
                          .launches = {launch_of(of)},
                          .seconds = 120,
                          .runtime = runtime});
    };
    const opencl::Result expected = run_on(original), got = run_on(source);
    ASSERT_EQ(expected.build, opencl::Status::Ok) << expected.log;
    ASSERT_EQ(got.build, opencl::Status::Ok) << got.log << source;
    ASSERT_EQ(expected.launches.at(0).status, opencl::Status::Ok) << expected.launches[0].message;
    ASSERT_EQ(got.launches.at(0).status, opencl::Status::Ok) << got.launches[0].message << source;
    EXPECT_EQ(got.launches[0].buffers, expected.launches[0].buffers)
        << (simulated ? "on the simulator" : "on the device") << "\n"
        << source;
  }
}

#define OF_64 "__attribute__((reqd_work_group_size(64, 1, 1))) "
#define OF_256 "__attribute__((reqd_work_group_size(256, 1, 1))) "

TEST(LiftedKernels, ReadLocalMemoryFromItsEndBeforeItIsWritten) {
  expect_right(R"(__kernel )" OF_64 R"(void k(__global uint* out, __global const uint* in) {
    __local uint t[96];
    const uint l = local_id(x), g = item_id();
    t[l] = in[g];
    if (l < 32) t[64 + l] = l * 7;
    group_barrier();
    const uint v = t[95 - l];
    group_barrier();
    if (l < 32) t[63 - l] = v + 1;
    group_barrier();
    out[g] = v + t[l];
  })");
}
TEST(LiftedKernels, KnowThatMemoryOfTheirOwnIsNotTheSameForAll) {
  expect_right(R"(__kernel )" OF_64 R"(void k(__global uint* out, __global const uint* in, uint at, uint other) {
    __local uint t[64];
    volatile uint own[8];
    const uint l = local_id(x), g = item_id();
    for (uint i = 0; i < 8; ++i) own[i] = (l + i) & 3;
    t[l] = in[g];
    group_barrier();
    uint v = 0;
    if (own[at & 7] == 2) {
      v = t[l ^ 1];
      v += t[l ^ 2];
    }
    group_barrier();
    if (own[other & 7] == 1) t[l] = v + l;
    group_barrier();
    out[g] = t[l ^ 4] + v;
  })",
               {.numbers = {3, 6}});
}
TEST(LiftedKernels, OfOneWavefrontPartAccessesOfPointersThatMayBeEither) {
  expect_right(R"(__kernel )" OF_64 R"(void k(__global uint* a, __global uint* b, uint n) {
    const uint g = item_id();
    __global uint *from = a, *to = b;
    for (uint i = 0; i < n; ++i) {
      to[g] = from[g ^ 32] + from[g];
      group_barrier();
      __global uint* const other = from;
      from = to;
      to = other;
    }
    a[g] += b[g ^ 33];
  })",
               {.numbers = {3}});
}
TEST(LiftedKernels, OfOneWavefrontAreOneWorkItemWhereNoBarrierCanPartTheirAccesses) {
  expect_right(R"(__kernel )" OF_64 R"(void k(__global uint* a, __global uint* b, uint n, uint turns) {
    const uint g = item_id();
    if (g >= n) return;
    for (uint i = 0; i < turns; ++i) {
      b[g] = a[g] * 3;
      group_barrier();
      a[g] += b[g ^ 33];
      group_barrier();
    }
  })",
               {.numbers = {256, 3}, .form = Form::Wave});
}
TEST(LiftedKernels, MeetBetweenTheTurnsOfALoopInWhichAWavefrontIsInStep) {
  expect_right(R"(__kernel )" OF_256 R"(void k(__global uint* out, __global const uint* in, uint n) {
    __local volatile uint t[512];
    const uint l = local_id(x);
    t[l] = in[item_id()];
    t[l + 256] = 0;
    group_barrier();
    for (uint s = n & 63; s > 0; s >>= 1)
      if (l < s) t[l] += t[l + s];
    group_barrier();
    if (l == 0) out[group_id(x)] = t[0];
  })",
               {.numbers = {32}, .local = 256, .in_step = true});
}
TEST(LiftedKernels, AreOneWorkItemWhereALoopOfTheLastWavefrontIsInStep) {
  for (const char* const condition : {"l < s", "true"})
    expect_right(fmt::format(R"(__kernel )" OF_256 R"(void k(__global uint* out, __global const uint* in, uint n) {{
    __local volatile uint t[512];
    const uint l = local_id(x);
    t[l] = in[item_id()];
    t[l + 256] = 0;
    group_barrier();
    if (l < 64)
      for (uint s = n & 63; s > 0; s >>= 1)
        if ({}) t[l] += t[l + s];
    group_barrier();
    if (l == 0) out[group_id(x)] = t[0];
  }})",
                             condition),
                 {.numbers = {32}, .form = Form::Wave, .local = 256, .in_step = true});
}
// Copies on the way into the next turn: some wait for each other in a ring, and the first of all waits for nobody.
TEST(LiftedKernels, TurnVariablesAroundInLoops) {
  expect_right(R"(__kernel void k(__global uint* out, __global const uint* in, uint n) {
    uint a = in[0], b = in[1], c = in[2], d = in[3], e = in[4], f = in[5], q = in[6], h = in[7];
    for (int i = 0; i < 64; i++) {
      const uint one = h + in[i], two = a + ((a & ~(c ^ a)) | (b & (c ^ a)));
      h = d + one;
      d = c;
      c = b;
      b = a;
      a = one + two;
    }
    out[item_id()] = h;
  })",
               {.numbers = {1}, .target = "gfx700", .options = "-O1"});
}
// clang leaves loops without an exit where it knows that nobody comes.
TEST(LiftedKernels, GiveLoopsAnExitThatHaveNone) {
  for (const char* const target : {"gfx803", "gfx900"})
    expect_right(R"(__kernel void k(__global uint* out, __global const uint* in) {
    __local uint t[8][8];
    const uint l = local_id(x);
    for (uint i = l; i < 64; i += local_size(x)) t[i / 8][i % 8] = in[i];
    group_barrier();
    for (uint n = 0; n < 8; n++) {
      const uint d = t[n][n];
      group_barrier();
      if (l > n && l < 8) t[l][n] *= d;
      group_barrier();
      if (l > n && l < 8)
        for (uint j = n + 1; j <= l; j++) t[l][j] -= t[l][n] * t[j][n];
      group_barrier();
    }
    for (uint i = l; i < 64; i += local_size(x)) out[group_id(x) * 64 + i] = t[i / 8][i % 8];
  })",
                 {.target = target, .options = "-O3", .global = 16, .local = 16, .proved = false});
}
// Without optimisation scalar registers are put away in lanes, whether a work-item has them or not.
TEST(LiftedKernels, KeepWhatIsPutAwayInLanesOfNoWorkItem) {
  expect_right(R"(__kernel void k(__global uint* out, __global const uint* in) {
    uint g = group_id(x) * local_size(x) + local_id(x), x = in[g] & 0xffff, n = 0;
    while (x > 1) {
      if (x & 1)
        x = 3 * x + 1;
      else
        x >>= 1;
      n++;
      if (n == 50) break;
    }
    out[g] = n;
  })",
               {.options = "-O0", .form = Form::Wave, .asked = Form::Wave, .global = 64, .local = 16, .proved = false});
}
// Variables are on the stack, scalar registers in lanes of registers that are there too, and ways that leave a value
// unset copy whatever a register holds: work-items again, barriers and all.
TEST(LiftedKernels, OfCodeThatIsNotOptimisedAreWorkItems) {
  constexpr const char* kKernels[] = {
      // A loop up to an argument around barriers.
      R"(__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(__global uint* out, __global const uint* in,
                                                                     uint n) {
    __local uint sums[64];
    const uint l = local_id(x), g = group_id(x);
    uint sum = 0;
    for (uint i = l; i < n; i += 64) sum += in[(g * 64 + i) & 1023];
    sums[l] = sum;
    group_barrier();
    for (uint half_of = 32; half_of != 0; half_of >>= 1) {
      if (l < half_of) sums[l] += sums[l + half_of];
      group_barrier();
    }
    if (l == 0) out[g] = sums[0];
    if (l != 0) out[256 + g * 64 + l] = sums[l];
  })",
      // Small variables, conditional values, a way out of a loop.
      R"(__kernel void k(__global uint* out, __global const uint* in, uint n) {
    const uint g = item_id();
    char a = (char)in[g];
    short b = (short)(in[g + 256] >> 3);
    uchar c = (uchar)(in[g] >> 8);
    uint found = 0;
    for (uint i = 0; i < n; ++i) {
      if (in[i] % 7 == g % 7) continue;
      found += in[(g + i) & 1023] & 15;
      if (found > 90) break;
      a += (char)i;
      b = (short)(a < 0 ? -a : b + c);
      c = (uchar)(c * 5 + i);
    }
    switch (found & 3) {
      case 0: out[g] = (uint)(int)a; break;
      case 1: out[g] = (uint)(int)b; break;
      case 2: out[g] = c; break;
      default: out[g] = found;
    }
  })",
      // A function that is called, and a struct.
      R"(struct pair { uint low; ushort high, more; };
  __attribute__((noinline)) uint mixed(uint a, uint b, ushort c) {
    uint out = a;
    if (a > b) out ^= b << 3;
    else out += (uint)c * 5;
    return out;
  }
  __kernel void k(__global uint* out, __global const uint* in, uint n) {
    const uint g = item_id();
    struct pair p;
    p.low = in[g];
    p.high = (ushort)in[g + 1];
    p.more = (ushort)(p.high >> 2);
    for (uint i = 0; i < n; ++i) {
      p.low = mixed(p.low, in[(g + i) & 1023], p.more);
      if (p.low & 1) p.high += p.more;
    }
    out[g] = p.low + p.high;
  })"};
  for (const char* const kernel : kKernels)
    for (const char* const target : {"gfx700", "gfx803", "gfx900"}) {
      SCOPED_TRACE(target);
      expect_right(kernel, {.numbers = {37}, .target = target, .options = "-O0", .proved = kernel == kKernels[1]});
    }
}
// One that leaves two loops at once has masks of which it is not shown that a work-item's bit stays.
TEST(LiftedKernels, OfCodeThatIsNotOptimisedLeaveTwoLoops) {
  for (const char* const target : {"gfx700", "gfx803", "gfx900"})
    expect_right(R"(__kernel void k(__global uint* out, __global const uint* in, uint n) {
    const uint g = item_id();
    uint found = 0, a = 0;
    for (uint i = 0; i < n; ++i) {
      if (in[i] % 7 == g % 7) continue;
      for (uint j = i; j < n; ++j) {
        found += in[(g + j) & 1023] & 15;
        if (found > 90) break;
        a += j;
      }
      if (found > 120) break;
      a = a * 5 + i;
    }
    out[g] = a ^ found;
  })",
                 {.numbers = {37}, .target = target, .options = "-O0", .form = Form::Wave, .proved = false});
}
// A place in an array on the stack is known when the kernel runs: the stack stays memory.
TEST(LiftedKernels, OfCodeThatIsNotOptimisedMayHaveArraysOfTheirOwn) {
  expect_right(R"(__kernel void k(__global uint* out, __global const uint* in, uint n) {
    const uint g = item_id();
    uint own[16];
    for (uint i = 0; i < 16; ++i) own[i] = in[(g + i) & 1023];
    for (uint i = 0; i < n; ++i) own[own[i & 15] & 15] += i;
    out[g] = own[3] ^ own[g & 15];
  })",
               {.numbers = {37}, .options = "-O0"});
}
// v_movrels by an index that a loop carries.
TEST(LiftedKernels, ChooseRegistersByAnIndexOfTheLastTurn) {
  expect_right(R"(__kernel void k(__global uint* out, __global const uint* in, uint n) {
    const uint g = item_id();
    uint w[16], s = 0;
    for (int i = 0; i < 16; i++) w[i] = 0;
    w[0] = in[g];
    w[1] = n;
    w[15] = 640;
    for (int i = 0; i < 64; i++) {
      if (i >= 16) w[i & 15] += w[(i + 1) & 15];
      s += w[i & 15];
    }
    out[g] = s;
  })",
               {.numbers = {7}});
}
// clang branches on EXECZ and EXECNZ for conditions that are known, and tests once more where a loop begins again.
TEST(LiftedKernels, TakeBranchesOnExecThatAreKnownAsWhatTheyAre) {
  for (const char* const target : {"gfx600", "gfx900"})
    expect_right(R"(__constant uint ADDED[4] = {0x5a827999u, 0x6ed9eba1u, 0x8f1bbcdcu, 0xca62c1d6u};
  __kernel void k(__global uint* out, __global const uint* in) {
    const uint g = item_id();
    uint w[80];
    for (uint i = 0; i < 16; i++) w[i] = in[(g * 16 + i) & 1023];
    for (uint i = 16; i < 80; i++) w[i] = rotate_left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    uint a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u, e = 0xc3d2e1f0u;
    for (uint i = 0; i < 80; i++) {
      uint f;
      if (i < 20)
        f = (b & c) | (~b & d);
      else if (i < 40)
        f = b ^ c ^ d;
      else if (i < 60)
        f = (b & c) | (b & d) | (c & d);
      else
        f = b ^ c ^ d;
      const uint t = rotate_left(a, 5) + f + e + w[i] + ADDED[i / 20];
      e = d;
      d = c;
      c = rotate_left(b, 30);
      b = a;
      a = t;
    }
    out[g] = a ^ b ^ c ^ d ^ e;
  })",
                 {.target = target, .options = "-O3"});
}
// With -O3 clang copies what brings lanes together to the end of each arm that leads there.
TEST(LiftedKernels, MeetWhereTheArmsOfASwitchMeetInTheSource) {
  for (const char* const target : {"gfx600", "gfx700", "gfx803", "gfx900"})
    expect_right(R"(__kernel void k(__global uint* out, __global const uint* in) {
    const uint g = item_id();
    int v = (int)in[g];
    switch (v & 7) {
      case 0: v += 3; break;
      case 1: v *= 5;
      case 2: v -= 7; break;
      case 3: v = ~v; break;
      case 5: v /= 3; break;
      default: v ^= 0x55;
    }
    out[g] = v;
  })",
                 {.target = target, .options = "-O3"});
}
// A scalar that only one of two arms loads is copied for all lanes, and means nothing to those of the other arm, which
// go through a loop: behind it those that came there are all on again.
TEST(LiftedKernels, KnowThatALoopLeavesNobodyBehind) {
  for (const char* const target : {"gfx600", "gfx700", "gfx803", "gfx900"})
    expect_right(R"(__kernel void k(__global uint* out, __global const uint* in, uint shift) {
    __local uint counts[16];
    const uint l = local_id(x), g = item_id();
    for (uint n = l; n < 16; n += local_size(x)) counts[n] = 0;
    group_barrier();
    atomic_add_32(&counts[in[g] >> (shift & 31) & 15], 1u);
    group_barrier();
    out[g] = l < 16 ? counts[l] : in[g];
  })",
                 {.numbers = {5}, .target = target, .options = "-O3"});
}
// Scalars are set in an arm that is jumped around where no lane is on, and gone through where none was looked for.
TEST(LiftedKernels, GoThroughArmsThatDoNothingWithoutLanes) {
  for (const char* const target : {"gfx700", "gfx803", "gfx900"})
    expect_right(R"(__kernel void k(__global uint* out, __global const uint* in, uint a, uint b) {
    const uint g = item_id(), v = in[g];
    uint r = v;
    switch (v % 5) {
      case 1: r = v ^ (a << 3); break;
      case 2: r = v * a + b; break;
      case 4:
        if (v & 64) break;
        r = (a >> 1) + 9;
      default: r += (a & b) * 3;
    }
    if (r & 1) r ^= out[g] >> (b & 7);
    out[g] = r;
  })",
                 {.numbers = {0x1234567, 77}, .target = target, .options = "-O3"});
}
// One lane counts for all of a wavefront: its register held a part of an address before, and others' still do.
TEST(LiftedKernels, AppendToAListInLocalMemory) {
  for (const char* const target : {"gfx600", "gfx700", "gfx803", "gfx900"})
    expect_right(R"(__kernel void k(__global uint* out, __global const uint* in) {
    __local uint count, list[64];
    const uint l = local_id(x), g = item_id();
    if (l == 0) count = 0;
    group_barrier();
    if (in[g] & 1) list[atomic_add_32(&count, 1u)] = l;
    group_barrier();
    uint sum = count;
    for (uint n = 0; n < count; n++) sum += list[n] * list[n];
    out[g] = sum;
  })",
                 {.target = target, .proved = false});
}
// LLVM lets one lane do atomically what all do: with the same number, or with the sum of what a loop over them reads.
TEST(LiftedKernels, LetEachWorkItemDoWhatItsFirstLaneDoesForAll) {
  constexpr const char* kAtomics = R"(
#ifdef __AMDGCN__
#define MAX(p, v) __scoped_atomic_fetch_max(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define OR(p, v) __scoped_atomic_fetch_or(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define XOR(p, v) __scoped_atomic_fetch_xor(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#define SUB(p, v) __scoped_atomic_fetch_sub(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)
#else
#define MAX(p, v) atomic_max(p, v)
#define OR(p, v) atomic_or(p, v)
#define XOR(p, v) atomic_xor(p, v)
#define SUB(p, v) atomic_sub(p, v)
#endif
)";
  for (const auto& [target, options] : {std::pair("gfx700", "-O1"), std::pair("gfx803", "-O3")}) {
    const Case of{.numbers = {3, 0x50}, .target = target, .options = options};
    expect_right(std::string(kAtomics) +
                     R"(__kernel void k(__global uint* out, __global const uint* in, uint n, uint m) {
    __local uint sum;
    const uint l = local_id(x), g = item_id(), v = in[g];
    if (l == 0) sum = 7;
    group_barrier();
    for (uint i = 0; i < (v & 3); i++) SUB(&sum, n);
    if (v & 8) {
      const uint place = atomic_add_32(&out[0], 3u);
      out[300 + (place & 511)] = place;
    } else if (MAX((__global int*)&out[1], (int)m) != (int)m || !(OR(&out[2], n) & n)) {
      XOR(&out[3], m);
    }
    group_barrier();
    if (l == 0) out[8 + g / 64] = sum;
  })",
                 of);
    expect_right(std::string(kAtomics) +
                     R"(__kernel void k(__global uint* out, __global const uint* in, uint n, uint m) {
    __local uint sum;
    const uint l = local_id(x), g = item_id(), v = in[g];
    if (l == 0) sum = 0;
    group_barrier();
    atomic_add_32(&sum, v * n);
    if (v > m) out[512 + g] = atomic_add_32(&out[0], v & 255);
    MAX((__global int*)&out[1], (int)in[g + 1]);
    group_barrier();
    if (l == 0) out[8 + g / 64] = sum;
  })",
                 {.numbers = {3, 0x50}, .target = target, .options = options, .ordered = true});
    // In turns of a loop that lanes leave by themselves, where what one finds decides about the next, and a register
    // that lanes are told in is used again for the sum of others.
    expect_right(R"(__kernel void k(__global uint* out, __global const uint* in, uint n, uint m) {
    const uint g = item_id(), v = in[g];
    for (uint j = 0; j < (v & 7); j++) {
      if (in[j + 64] & 1) continue;
      if (atomic_add_32(&out[n + j], in[g + j] & 3) < m) {
        const uint place = atomic_add_32(&out[0], v & 7);
        if (place >= 2 * m) atomic_add_32(&out[1], v & 3);
        else out[512 + g] = place;
      }
    }
  })",
                 {.numbers = {3, 0x50}, .target = target, .options = options, .ordered = true});
  }
}
// Who has left the inner loop stands in a mask that the outer loop carries on: what it says of other lanes is of turns
// before.
TEST(LiftedKernels, LeaveLoopsInLoopsLaneByLane) {
  for (const auto& [target, options] : {std::pair("gfx700", "-O2"), {"gfx803", "-O3"}, {"gfx900", "-O3"}}) {
    expect_right(R"(__kernel void k(__global uint* out, __global const uint* in, uint turns, uint most) {
    const uint g = item_id(), v = in[g];
    for (uint j = 0; j < turns; j++) {
      int at = -1;
      for (uint m = 0; m < most; m++)
        if ((in[m + j] & 15) == ((v >> j) & 15)) {
          at = (int)m;
          break;
        }
      if (at != -1) out[g] = out[g] * 31 + (uint)at;
    }
  })",
                 {.numbers = {5, 40}, .target = target, .options = options, .proved = false});
    if (target == std::string_view("gfx900")) continue;  // where other registers are used again
    expect_right(R"(__kernel void k(__global uint* out, __global const uint* in, uint turns, uint most) {
    const uint g = item_id(), v = in[g];
    for (uint j = 0; j < turns; j++) {
      const uint key = v * (j + 1) & 255;
      uint low = 0, high = most;
      int at = -1;
      while (low < high) {
        const uint m = (low + high) / 2, found = (m * 37 + j) >> 2 & 255;
        if (found == key) {
          at = (int)m;
          break;
        }
        if (found < key) low = m + 1;
        else high = m;
      }
      if (at != -1 && atomic_add_32(&out[512 + at], in[j] & 3) < 9u) atomic_add_32(&out[0], 1u + ((uint)at & 1));
    }
  })",
                 {.numbers = {9, 300}, .target = target, .options = options, .proved = false, .ordered = true});
  }
}
// One instruction multiplies and adds to 64 bits, of which an address is the low word and the high one is anything.
TEST(LiftedKernels, ReachLocalMemoryByTheLowWordOfASum) {
  for (const char* const target : {"gfx700", "gfx900"})
    expect_right(R"(__kernel void k(__global uint* out, __global const uint* in, int stride, __local uint* a) {
    const uint l = local_id(x), g = item_id();
    for (uint n = l; n < 256; n += local_size(x)) a[n] = in[g & 63 | n << 1];
    group_barrier();
    __local const uint* p = a + 3 * stride + (l & 15);
    uint r = p[0];
    if (r & 1) r = p[-3 * stride] + 3 * p[3 * stride] + 5 * p[-2 * stride] + 7 * p[-stride] + p[2];
    out[g] = r;
  })",
                 {.numbers = {5}, .locals = 1, .target = target, .options = "-O3", .proved = false});
}
// Two `__local` arguments that change places, one of an argument and an array, and three of which each lane chooses.
TEST(LiftedKernels, ReachLocalMemoryByPointersThatMayBeOfSeveral) {
  for (const Form form : {Form::WorkItem, Form::Wave}) {
    const char* const target = form == Form::Wave ? "gfx600" : "gfx803";
    expect_right(R"(__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
  void k(__global uint* out, __global const uint* in, uint n, __local uint* x, __local uint* y) {
    const uint l = local_id(x);
    __local uint* from = x;
    __local uint* to = y;
    from[l] = in[item_id()];
    group_barrier();
    for (uint s = 1; s < n; s <<= 1) {
      to[l] = from[l] + (l >= s ? from[l - s] : 0);
      group_barrier();
      __local uint* const t = from;
      from = to;
      to = t;
    }
    out[item_id()] = from[l];
  })",
                 {.numbers = {128}, .locals = 2, .target = target, .form = form, .asked = form, .local = 128});
    expect_right(R"(__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
  void k(__global uint* out, __global const uint* in, uint n, __local uint* x, __local uchar* z) {
    __local uint own[128];
    const uint l = local_id(x);
    __local uint* const p = in[item_id()] & n ? x : own;
    x[l] = own[l] = l;
    p[l] = in[item_id()];
    z[l] = (uchar)l;
    group_barrier();
    __local uchar* const bytes = n == 1 ? (__local uchar*)x : l & 1 ? z : (__local uchar*)own;
    out[item_id()] = p[l] * 3 + bytes[l];
    group_barrier();
    if (l < n) atomic_add_32(l & 1 ? &own[5] : &x[7], l);
    group_barrier();
    out[item_id() + 512] = own[5] + x[7];
  })",
                 {.numbers = {4}, .locals = 2, .target = target, .form = form, .asked = form, .local = 128});
  }
}
// Of an index that ways choose, which reads what the runtime adds to the arguments: compilers ask so for the size of a
// work-group, which the last one of a launch may have another one of. [LLVM: Code Object V5 Kernarg Segment]
TEST(LiftedKernels, ReadSizesOfGroupsAtOneOfTwoPlaces) {
  for (const char* const target : {"gfx803", "gfx900"})
    expect_right(R"(__kernel void k(__global uint* out, __global const uint* in) {
#ifdef __AMDGCN__
  __constant ushort* const hidden = (__constant ushort*)__builtin_amdgcn_implicitarg_ptr();
  const uint groups = ((__constant uint*)hidden)[0], size = hidden[__builtin_amdgcn_workgroup_id_x() < groups ? 6 : 9];
#else
  const uint size = get_local_size(0);
#endif
  out[item_id()] = in[item_id() % size] + size % 7 + size / 12;
})",
                 {.target = target, .options = "-O3"});
}
// One that comes back from a known place on the stack.
TEST(LiftedKernels, KeepAddressesOfLocalMemoryOnTheStack) {
  expect_right(R"(__kernel void k(__global uint* out, __global const uint* in, __local uint* p) {
  const uint l = local_id(x), v = in[item_id()];
  p[l] = v;
  group_barrier();
  __local uint* volatile kept = p + (v & 31);
  __local uint* const back = kept;
  out[item_id()] = back[l & 31];
})",
               {.locals = 1, .options = "-O3"});
}
// An address of local memory that comes back out of memory, one of a table that is compared, and one of a buffer that
// is an index of local memory.
TEST(LiftedKernels, WithAddressesThatAreNumbersAreRefused) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  constexpr const char* kKernels[] = {
      R"(__kernel void k(__global uint* out, __global const uint* in, __local uint* p) {
  const uint l = local_id(x), v = in[item_id()];
  p[l] = v;
  group_barrier();
  __local uint* volatile kept[4];
  kept[v & 3] = p + (v & 31);
  __local uint* const back = kept[v & 3];
  out[item_id()] = back[l & 31];
})",
      R"(__constant uint table[16] = {1, 5, 9, 2, 7, 8, 3, 4, 11, 13, 15, 17, 19, 21, 23, 29};
__kernel void k(__global uint* out, __global const uint* in, uint n) {
  uint v = in[item_id()], r = 0, h = 0;
  for (uint i = 0; i < n; ++i) {
    const uint t = in[(v + r + i) & 255];
    if (t & 1) h = (uint)(ulong)table;
    else if (t & 2) h = (uint)(ulong)(table + v);
    else if (t & 4) h = 3;
    r = r * 5 + (t >> 3);
    if (h == 3) r += 9;
  }
  out[item_id()] = r + (h ? 1 : 0);
})",
      R"(__kernel void k(__global uint* out, __global const uint* in, uint n) {
  __local uint t[64];
  const uint l = local_id(x);
  uint v = in[item_id()], r = 0, h = v;
  t[l] = v;
  group_barrier();
  for (uint i = 0; i < n; ++i) {
    const uint w = in[(v + r + i) & 255];
    if (w & 1) h = (uint)(ulong)out;
    else if (w & 2) h = w >> 5;
    r = r * 5 + t[(h ^ i) & 63];
  }
  out[item_id()] = r;
})"};
  for (const char* const kernel : kKernels) {
    pipeline::LiftResult result;
    const std::string source = lifted(kernel, {.options = "-O3", .proved = false}, result);
    EXPECT_FALSE(result.kernel.lifted) << source;
  }
}

TEST(LiftedKernels, DivideFloatsWhereTheirMachineCodeDoes) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  constexpr const char* kKernel = R"(__kernel void k(__global uint* out, __global const uint* in) {
    const uint g = item_id();
    const float a = as_float(in[2 * g]), b = as_float(in[2 * g + 1]);
    out[g] = as_uint(same_float(a / b));
    double sum = as_double((ulong)in[4 * g & 1020] << 32 | in[3 * g & 1023]);
    for (uint n = 0; n < 2; ++n) sum = sum / as_double((ulong)in[(5 * g + n) & 1023] << 32 | in[g + n]) + 1.0 / sum;
    const ulong bits = as_ulong(same_double(sum));
    out[2 * g + 512] = (uint)bits;
    out[2 * g + 513] = (uint)(bits >> 32);
  })";
  for (const auto& [form, target] : {std::pair(Form::WorkItem, "gfx900"), std::pair(Form::Wave, "gfx600")}) {
    const Case of{
        .target = target, .options = "-O2 -Xclang -cl-fp32-correctly-rounded-divide-sqrt", .form = form, .asked = form};
    expect_right(kKernel, of);
    pipeline::LiftResult result;
    const std::string source = lifted(kKernel, of, result);
    EXPECT_EQ(source.find("div_fixup_"), std::string::npos) << source;
    const TemporaryDirectory directory;
    write_file(directory / "unit.cl", source);
    const ProcessResult compiled =
        run(fmt::format("clang-19 -x cl -cl-std=CL1.2 -Wall -Wextra -Werror -target amdgcn-amd-amdhsa -mcpu=gfx1030 "
                        "-nogpulib -Xclang -finclude-default-header -S '{}' -o /dev/null 2>&1",
                        (directory / "unit.cl").string()));
    EXPECT_EQ(compiled.status, 0) << compiled.output << source;
  }
}
// pocl 3.1 takes branches right behind barriers to be the same for all work-items.
// What clang has for these of its own: v_cmp_class_f16, v_cvt_rpi_i32_f32, v_fract_f16, s_brev_b64.
TEST(LiftedKernels, AskForClassesOfHalvesAndRoundUpFromTheMiddle) {
  constexpr const char* kClasses = R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
    __kernel void k(__global uint* out, __global const half* in) {
    const uint g = item_id();
    const half a = in[2 * g], b = in[2 * g + 1];
    out[g] = __builtin_isinf(a) + 2 * __builtin_isnan(b) + 4 * __builtin_isfinite(a) + 8 * __builtin_isnormal(b) +
             16 * __builtin_isinf(-b);
  })";
  constexpr const char* kParts = R"(
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
    __kernel void k(__global half* out, __global const half* in) {
    const half a = in[item_id()];
    out[item_id()] = __builtin_fminf16(a - __builtin_floorf16(a), (half)0x1.ffcp-1f);
  })";
  constexpr const char* kNearest = R"(__kernel void k(__global int* out, __global const float* in, uint n) {
    const uint g = item_id();
    out[g] = (int)floor(in[g] + 0.5f);
    out[g + 256] = (int)__builtin_bitreverse64((ulong)n * n * n);
  })";
  for (const auto& [target, options] : {std::pair{"gfx803", "-O2"}, {"gfx900", "-O3 -cl-fast-relaxed-math"}}) {
    // No half floats where the source would run, nor its rounding: held to the machine code.
    expect_right(kClasses, {.target = target, .options = options, .in_step = true});
    expect_right(kParts, {.target = target, .options = options, .in_step = true});
    expect_right(kNearest, {.numbers = {123456}, .target = target, .options = options, .in_step = true});
  }
}
TEST(LiftedKernels, KeepBarriersAndLoopsOverLanesApart) {
  pipeline::LiftResult result;
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  const std::string source = lifted(R"(__kernel )" OF_256 R"(void k(__global uint* out, __global const uint* in) {
    __local uint t[256];
    const uint l = local_id(x);
    t[l] = __builtin_amdgcn_ds_bpermute(4 * (l ^ 3), in[item_id()]);
    group_barrier();
    out[item_id()] = t[255 - l];
  })",
                                    {.proved = false}, result);
  EXPECT_EQ(result.kernel.form, Form::Wave);
  EXPECT_NE(source.find("volatile uint "), std::string::npos) << source;
}
// pocl lets all work-items go the way of the first one where it knows too much of loops over lanes beside barriers.
TEST(LiftedKernels, MeetAtBarriersOfArmsAndLoopsWithLoopsOverLanesBetween) {
  constexpr const char* kTurns = R"(__kernel )" OF_256 R"(void k(__global uint* out, __global const uint* in, uint n) {
    __local uint t[256];
    const uint l = local_id(x);
    uint v = in[item_id()];
    for (uint i = 0; i < (n & 7); i++) {
      t[l] = v * 3;
      group_barrier();
      v += t[255 - l];
      group_barrier();
    }
    out[item_id()] = v;
  })";
  constexpr const char* kArms = R"(__kernel )" OF_256 R"(void k(__global uint* out, __global const uint* in, uint n) {
    __local uint t[256];
    const uint l = local_id(x);
    uint v = in[item_id()];
    t[l] = v;
    group_barrier();
    if (n & 1) {
      v += t[255 - l];
      group_barrier();
      t[l] = v * 2;
      group_barrier();
      v ^= t[l ^ 7];
      group_barrier();
    } else {
      v *= 3;
    }
    if (n & 2) {
      group_barrier();
      t[l ^ 9] = v + 1;
    }
    group_barrier();
    out[item_id()] = v + t[l ^ 5];
  })";
  for (const std::uint32_t n : {2u, 3u})
    for (const char* const kernel : {kTurns, kArms})
      expect_right(kernel, {.numbers = {n}, .form = Form::Wave, .asked = Form::Wave, .local = 256, .proved = n == 3});
}

}  // namespace
}  // namespace amdcompat::kernels_test
