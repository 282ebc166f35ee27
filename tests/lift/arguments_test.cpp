// Arguments of which the machine code chooses a part when it runs: elements of arrays in structures, and of vectors.
// Clang 19 leaves structures of HIP in the kernarg segment and reads them there; code of OpenCL 1.x, by hand, reads
// constant buffer 1.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/open.hpp>

#include "lifted_file.hpp"
#include "small_program.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::arguments_test {
namespace {

using namespace amdcompat_test;

constexpr const char* kHead = R"(
#define kernel extern "C" __attribute__((global))
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned char uchar;
typedef unsigned long ulong;
typedef uint uint4 __attribute__((ext_vector_type(4)));
#define item() ((uint)(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x()))
struct Table { uint count; uint a[9]; uint4 rows[3]; };
struct Mixed { uchar bytes[11]; ushort halves[5]; ulong longs[3]; uchar last; };
struct Bytes { uchar bytes[13]; };
)";

// By the wavefront, by lanes, in loops of both, with what stands before the array, in sizes of all kinds.
constexpr const char* kKernels = R"(
kernel void by_number(uint* out, Table t, uint which) { out[item()] = t.a[which % 9] + t.count; }
kernel void by_lane(uint* out, Table t) { out[item()] = t.a[item() % 9] * t.count; }
kernel void in_loop(uint* out, uint first, Table t, uint n) {
  uint sum = 0;
  for (uint k = 1; k < n % 9; ++k) sum += t.a[k - 1] * t.a[k] + first;
  out[item()] = sum;
}
kernel void loop_of_lanes(uint* out, Table t, const uint* in) {
  uint sum = 0;
  for (uint k = in[item()] % 9; k < 9; ++k) sum = sum * 5 + t.a[k];
  out[item()] = sum;
}
kernel void rows(uint4* out, Table t, const uint* in) { out[item()] = t.rows[in[item()] % 3]; }
kernel void mixed(ulong* out, uchar first, Mixed m, const uint* in) {
  const uint i = in[item()];
  out[item()] = first + m.bytes[i % 11] + m.halves[i % 5] * 3u + m.longs[i % 3] + m.last;
}
kernel void mixed_in_loop(ulong* out, uchar first, Mixed m, uint n) {
  ulong sum = first;
  for (uint k = 0; k < n % 3; ++k) sum += m.bytes[k + 2] + m.halves[k] * m.longs[k];
  out[item()] = sum;
}
kernel void bytes(uint* out, Bytes b, const uint* in) { out[item()] = b.bytes[in[item()] % 13]; }
kernel void bounded(uint* out, Table t, const uint* in) {
  const uint i = in[item()] & 15;
  out[item()] = i < 9 ? t.a[i] : 77;
}
)";
constexpr std::size_t kCount = 9;
// An index of which nothing is known.
constexpr const char* kAnyIndex = R"(
kernel void any(uint* out, Table t, const uint* in) { out[item()] = t.a[in[item()]]; }
)";

std::optional<File> compiled(const std::string& source, const char* target, const char* level) {
  const TemporaryDirectory directory;
  write_file(directory / "unit.hip", source);
  const std::string object = (directory / "unit.co").string();
  const ProcessResult made =
      run(fmt::format("clang-19 -x hip --cuda-device-only --no-gpu-bundle-output -nogpuinc -nogpulib {} "
                      "--offload-arch={} '{}' -o '{}' 2>&1",
                      level, target, (directory / "unit.hip").string(), object));
  EXPECT_EQ(made.status, 0) << made.output;
  Diagnostics diagnostics;
  return open(read_file(object), diagnostics);
}

struct Way {
  const char *name, *target, *level;
  std::size_t turn;
};
class LiftedArguments : public testing::TestWithParam<Way> {};

TEST_P(LiftedArguments, PartsOfTheKernargSegmentMayBeChosenWhenTheKernelRuns) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_PROGRAM("ld.lld-19", "lld-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const auto file = compiled(std::string(kHead) + kKernels, GetParam().target, GetParam().level);
  ASSERT_TRUE(file);
  ASSERT_EQ(file->program.kernels.size(), kCount);
  // Each GPU's turn is every second kernel, and the others are lifted.
  for (std::size_t n = 0; n < kCount; ++n) {
    const Lifting wanted{.proved = n % 2 == GetParam().turn, .work_item = false};
    ASSERT_NO_FATAL_FAILURE(expect_lifted(*file, file->program.kernels[n].name, wanted));
  }
}

TEST_P(LiftedArguments, AnIndexThatMayBeBeyondThemIsHeldAtTheirEnd) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_PROGRAM("ld.lld-19", "lld-19");
  const auto file = compiled(std::string(kHead) + kKernels + kAnyIndex, GetParam().target, GetParam().level);
  ASSERT_TRUE(file);
  Diagnostics diagnostics;
  lift::Options options;
  options.kernel = "any";
  const std::string any = lift::lift(file->program, options, diagnostics).source;
  EXPECT_NE(any.find("arguments[min("), std::string::npos) << any;
  // Fifteen is in the structure: no array is made, and nothing else is looked at.
  options.kernel = "bounded";
  const std::string bounded = lift::lift(file->program, options, diagnostics).source;
  EXPECT_NE(bounded.find("arg1.part[n"), std::string::npos) << bounded;
  EXPECT_EQ(bounded.find("min("), std::string::npos) << bounded;
}

const Way kWays[] = {{"Gfx803", "gfx803", "-O2", 0}, {"Gfx900ForSize", "gfx900", "-Os", 1}};
INSTANTIATE_TEST_SUITE_P(For, LiftedArguments, testing::ValuesIn(kWays),
                         [](const auto& way) { return way.param.name; });

// out[i] = p[in[i] % 4], or p[group % 4], or p[1]: the values are in constant buffer 1, which lanes read, or the
// wavefront.
enum class By { Lanes, Wavefront, Nobody };
lifted::Code chosen_value(gcn::Generation generation, By by) {
  using namespace lifted;
  using lifted::Code;  // not that of a finding
  constexpr u32 kFirst = 32;  // byte of constant buffer 1; 16 each
  Code c(generation);
  c.prologue().place(2, kInSlot, 1).buffer(Opcode::buffer_load_dword, 3, 2, kIn).k(Opcode::s_waitcnt, 0, 0);
  if (by != By::Wavefront) {
    if (by == By::Lanes)
      c.op(Opcode::v_and_b32, 3, number(3), v(3)).op(Opcode::v_lshlrev_b32, 3, number(4), v(3));
    else
      c.op(Opcode::v_mov_b32, 3, number(16));
    c.buffer(Opcode::buffer_load_dword, 4, 3, kCb1, kFirst).k(Opcode::s_waitcnt, 0, 0);
  } else {
    c.op(Opcode::s_and_b32, 30, kGroup, number(3)).op(Opcode::s_lshl_b32, 30, 30, number(4));
    c.op(Opcode::s_add_u32, 30, 30, number(kFirst));
    Instruction load = c.make(Opcode::s_buffer_load_dword);
    load.destination = 31;
    load.resource = kCb1;
    load.sources[1] = 30;
    c.add(load).k(Opcode::s_waitcnt, 0, 0).op(Opcode::v_mov_b32, 4, 31);
  }
  return c.place(2, kOutSlot, 1).buffer(Opcode::buffer_store_dword, 4, 2, kOut).end();
}

TEST(LiftedArguments1, PartsOfConstantBuffer1MayBeChosenWhenTheKernelRuns) {
  AMDCOMPAT_NEEDS_OPENCL();
  using namespace lifted;
  constexpr u32 kItems = 4 * kLanes;
  for (const Generation generation : {Generation::Gfx6, Generation::Gfx7})
    for (const By by : {By::Lanes, By::Wavefront, By::Nobody})
      for (const lift::Form form : {lift::Form::WorkItem, lift::Form::Wave}) {
        if (by == By::Nobody && (generation == Generation::Gfx6) != (form == lift::Form::WorkItem)) continue;
        const Small kernels[] = {{"chosen", chosen_value(generation, by)}};
        const Program program = program_of(kernels);
        Diagnostics diagnostics;
        const lift::Unit unit = lift::lift(program, {.form = form}, diagnostics);
        ASSERT_TRUE(unit.kernels[0].lifted) << unit.kernels[0].refusal->message;
        Data data{.in = Words(kItems), .out = Words(kItems), .values = {11, 22, 33, 44, 55, 66}};
        for (u32 n = 0; n < kItems; ++n) data.in[n] = n * 0x9e3779b9u >> 7;
        const Ran ran = interpret(program, 0, data, kItems);
        ASSERT_EQ(ran.problem, "");
        opencl::Request request{.source = unit.source};
        request.launches.push_back(launch_of("chosen", data, kItems));
        const opencl::Result result = opencl::run(request);
        ASSERT_EQ(result.build, opencl::Status::Ok) << result.message << result.log << unit.source;
        ASSERT_EQ(result.launches.size(), 1u);
        EXPECT_EQ(words_of(result.launches[0].buffers.back()), ran.out) << unit.source;
        EXPECT_EQ(ran.out[1], data.values[by == By::Lanes ? data.in[1] % 4 : by == By::Wavefront ? 0 : 1]);
      }
}

}  // namespace
}  // namespace amdcompat::arguments_test
