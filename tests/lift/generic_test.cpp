// Generic pointers of OpenCL C 2.0, some of which point to local memory: clang 19 compiles the kernels, whose lifts are
// held against the machine code, which takes the aperture of local memory from a hidden argument (GFX8) or a register
// (GFX9), by random launches. Code objects before version 5 take it from the queue. And stores by whole addresses that
// lie off their alignment.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

#include "opencl_runner.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::generic_test {
namespace {

using namespace amdcompat_test;

constexpr const char* kHead = R"(
#define lane() ((uint)__builtin_amdgcn_workitem_id_x())
#define item() ((uint)(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x()))
#define wait() (__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"), __builtin_amdgcn_s_barrier(), \
                __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"))
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned char uchar;
typedef unsigned long ulong;
typedef uint uint4 __attribute__((ext_vector_type(4)));
#ifdef BY_REGISTER  // as LLVM before version 17 has it for GFX9
#define upper() ((ulong)((uint)__builtin_amdgcn_s_getreg(15 | 16 << 6 | 15 << 11) << 16) << 32)
#define generic(p) ((uint*)(upper() | (uint)(local uint*)(p)))
#else
#define generic(p) ((uint*)(p))
#endif
)";

// One is stored to, loops go through others, of structures, vectors, and a `__local` argument.
constexpr const char* kKernels = R"(
kernel void pick(global uint* out, global const uint* in, uint which) {
  local uint tile[64];
  uint l = lane(), i = item();
  tile[l] = in[i] * 3u;
  wait();
  uint* p = (in[i] & which) ? generic(&tile[l ^ 1]) : (uint*)&out[i + 2048];
  *p = *p + 7u;
  wait();
  out[i] = tile[l];
}
static uint sum(const uint* p, uint n) {
  uint out = 0;
  for (uint k = 0; k < n; ++k) out += p[k];
  return out;
}
kernel void sums(global uint* out, global const uint* in, uint which) {
  local uint tile[64];
  tile[lane()] = in[item()] * 3u;
  wait();
  out[item()] = sum(which & 1 ? (const uint*)tile : (const uint*)in, lane());
}
typedef struct { uint a; ushort b; uchar c, d; ulong e; } Record;
kernel void records(global ulong* out, global const uint* in, global const Record* far) {
  local Record near[64];
  uint l = lane(), i = item();
  near[l].a = in[i], near[l].b = (ushort)(in[i] * 3u), near[l].c = (uchar)l, near[l].d = 9;
  near[l].e = (ulong)in[i] << 20;
  wait();
  const Record* p = (in[i] & 3u) == 1 ? (const Record*)&near[l ^ 3]
                    : (in[i] & 3u) == 2 ? (const Record*)&far[i & 15]
                                        : (const Record*)&near[l];
  out[i] = p->a + p->b + p->c + p->d + p->e;
}
kernel void given(global uint4* out, global const uint4* in, local uint4* tile, uint which) {
  uint l = lane(), i = item();
  tile[l] = in[i];
  wait();
  const uint4* p = which & 1 ? (const uint4*)tile : (const uint4*)in;
  uint4 sum = 0;
  for (uint k = which & 7; k <= l; k += 3) sum += p[k];
  out[i] = sum;
}
kernel void counts(global uint* out, global const uint* in, uint which) {
  local uint bins[16];
  uint l = lane(), i = item();
  if (l < 16) bins[l] = 0;
  wait();
  uint* p = (in[i] & which) ? (uint*)&bins[in[i] & 15] : (uint*)&out[2048 + (in[i] & 15)];
  __atomic_fetch_add(p, 2u, __ATOMIC_RELAXED);
  wait();
  if (l < 16) out[__builtin_amdgcn_workgroup_id_x() * 16 + l] = bins[l];
}
)";

// Nothing but an access says where local memory is.
constexpr const char* kOthers = R"(
kernel void keeps(global ulong* out, global const uint* in, uint which) {
  local uint tile[64];
  tile[lane()] = in[item()];
  wait();
  out[item()] = (ulong)(in[item()] & which ? (uint*)&tile[lane() ^ 1] : (uint*)&out[item()]);
}
)";

std::string compiled(const TemporaryDirectory& directory, const std::string& source, const char* options) {
  write_file(directory / "unit.cl", source);
  const std::string object = (directory / "unit.o").string();
  const ProcessResult made =
      run(fmt::format("clang-19 -x cl -cl-std=CL2.0 -O2 -w -target amdgcn-amd-amdhsa {} -nogpulib '{}' -o '{}' "
                      "2>&1",
                      options, (directory / "unit.cl").string(), object));
  EXPECT_EQ(made.status, 0) << made.output;
  return read_file(object);
}

struct Way {
  const char *name, *options;
  std::string kernel{};  // only this one
  bool wave = false;  // in that form too
};
void expect_proved(const std::string& object, const pipeline::LiftRequest& request, std::size_t kernels) {
  Diagnostics diagnostics;
  const auto file = open(object, diagnostics);
  ASSERT_TRUE(file);
  const pipeline::Lifted lifted = pipeline::lift_file(*file, request, diagnostics);
  ASSERT_EQ(lifted.kernels.size(), kernels);
  for (const pipeline::LiftResult& one : lifted.kernels)
    EXPECT_EQ(one.outcome, pipeline::LiftOutcome::Proved) << one.kernel.name << ": "
                                                          << (one.kernel.refusal ? one.kernel.refusal->message
                                                              : one.proof        ? one.proof->reason
                                                                                 : "");
}

class LiftedGeneric : public testing::TestWithParam<Way> {};

TEST_P(LiftedGeneric, PointersThatMayBeToLocalMemoryAreBoth) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const TemporaryDirectory directory;
  const std::string object = compiled(directory, std::string(kHead) + kKernels, GetParam().options);
  for (const lift::Form form : {lift::Form::WorkItem, lift::Form::Wave}) {
    if (form == lift::Form::Wave && !GetParam().wave) continue;
    SCOPED_TRACE(lift::form_name(form));
    pipeline::LiftRequest request;
    request.prove = true;
    request.lift.form = form;
    request.lift.kernel = GetParam().kernel;
    expect_proved(object, request, GetParam().kernel.empty() ? 5 : 1);
  }
}

TEST(LiftedGenericByRegister, PointersThatMayBeToLocalMemoryAreBoth) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const TemporaryDirectory directory;
  pipeline::LiftRequest request;
  request.prove = true;
  request.lift.kernel = "pick";
  expect_proved(compiled(directory, std::string(kHead) + kKernels, "-mcpu=gfx900 -DBY_REGISTER"), request, 1);
}

TEST_P(LiftedGeneric, AddressesOfLocalMemoryAreNoNumbers) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  const TemporaryDirectory directory;
  Diagnostics diagnostics;
  const auto file = open(compiled(directory, std::string(kHead) + kOthers, GetParam().options), diagnostics);
  ASSERT_TRUE(file);
  const lift::Unit unit = lift::lift(file->program, {}, diagnostics);
  ASSERT_TRUE(unit.kernels[0].refusal) << unit.source;
  EXPECT_NE(unit.kernels[0].refusal->message.find("where local memory is among addresses"), std::string::npos)
      << unit.kernels[0].refusal->message;
}

// From GFX9 on a dword may lie anywhere: such stores are of bytes in OpenCL C, these of eight and of four.
constexpr const char* kOffAlignment = R"(
struct __attribute__((packed)) three { uint a, b, c; };
kernel void k(global uchar* out, global const uint* in) {
  const uint x = in[item()];
  const struct three all = {x * 3, x ^ 5, x + item()};
  if (x & 1) __builtin_memcpy(out + item() * 13 + 1, &all, sizeof all);
}
)";
TEST(LiftedStores, OffTheirAlignmentAreOfTheLanesThatAreOn) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const TemporaryDirectory directory;
  const std::string object = compiled(directory, std::string(kHead) + kOffAlignment,
                                      "-mcpu=gfx900 -Xclang -target-feature -Xclang +unaligned-access-mode");
  for (const lift::Form form : {lift::Form::WorkItem, lift::Form::Wave}) {
    SCOPED_TRACE(lift::form_name(form));
    pipeline::LiftRequest request;
    request.prove = true;
    request.lift.form = form;
    expect_proved(object, request, 1);
  }
}

const Way kWays[] = {
    {"Gfx803", "-mcpu=gfx803"},
    {"Gfx803FromTheQueue", "-mcpu=gfx803 -mcode-object-version=4", "sums"},
    {"Gfx900", "-mcpu=gfx900", "", true},
};
INSTANTIATE_TEST_SUITE_P(For, LiftedGeneric, testing::ValuesIn(kWays), [](const auto& way) { return way.param.name; });

}  // namespace
}  // namespace amdcompat::generic_test
