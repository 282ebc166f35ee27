// Kernels of OpenCL C compiled by clang, on the interpreter, against the same source on an OpenCL device.
#include <cstring>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/emulate.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/printf.hpp>

#include "interpret.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::source_test {
namespace {

using namespace amdcompat_test;

// What sources use of OpenCL, for clang without a library of device functions.
constexpr std::string_view kHeader = R"(
#pragma OPENCL FP_CONTRACT OFF
#ifdef __AMDGCN__
#define LOCAL_ID __builtin_amdgcn_workitem_id_x()
#define ID (__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + LOCAL_ID)
#define ADD(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED)
#define MAX(p, v) __atomic_fetch_max(p, v, __ATOMIC_RELAXED)
#define BITS(v) (uint)__builtin_popcountl(v)
#define ADD_SAT __builtin_elementwise_add_sat
#define SUB_SAT __builtin_elementwise_sub_sat
static inline void group_barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
// Room in the printf buffer: hidden argument at +72 of the implicit ones; bytes used, bytes there. [LU]
global char* __printf_alloc(uint bytes) {
  global uint* buffer = *(global uint* constant*)(__builtin_amdgcn_implicitarg_ptr() + 72);
  uint at = __atomic_fetch_add(buffer, bytes, __ATOMIC_RELAXED);
  return at + bytes > buffer[1] ? 0 : (global char*)(buffer + 2) + at;
}
#else
#define LOCAL_ID ((uint)get_local_id(0))
#define ID ((uint)get_global_id(0))
#define ADD(p, v) atomic_add(p, v)
#define MAX(p, v) atomic_max(p, v)
#define BITS(v) (uint)popcount(v)
#define ADD_SAT add_sat
#define SUB_SAT sub_sat
#define group_barrier() barrier(CLK_LOCAL_MEM_FENCE)
#endif
)";

struct Sample {
  const char* name;
  const char* source;  // a kernel of this name, with two buffers of 16 KiB: of input and of results
  const char* language = "CL1.2";
};
constexpr std::uint32_t kItems = 256, kGroup = 128;
constexpr std::size_t kBytes = 16'384;

constexpr Sample kSamples[] = {
    {"a_private_array_by_index", R"(
kernel void a_private_array_by_index(global const uint* in, global uint* out) {
  uint table[37];
  for (uint n = 0; n < 37; ++n) table[n] = in[(ID * 7 + n) & 1023] ^ n;
  uint sum = 0;
  for (uint n = 0; n < 64; ++n) {
    uint at = (in[(ID + n) & 1023] >> 3) % 37;
    sum += table[at];
    table[at] = sum * 31 + n;
  }
  out[ID] = sum;
})"},
    {"bytes_and_halves_in_private_memory", R"(
kernel void bytes_and_halves_in_private_memory(global const uint* in, global uint* out) {
  uchar bytes[64];
  short halves[64];
  for (uint n = 0; n < 64; ++n) bytes[n] = (uchar)(in[(ID + n) & 1023] >> (n & 15)), halves[n] = (short)(n * 517);
  int sum = 0;
  for (uint n = 0; n < 64; ++n) {
    uint at = in[(ID * 3 + n) & 1023] & 63;
    sum += bytes[at] + halves[63 - at];
    bytes[63 - at] = (uchar)sum;
    halves[at] = (short)(sum - bytes[at]);
  }
  out[ID] = (uint)sum;
})"},
    {"vectors_in_private_memory", R"(
kernel void vectors_in_private_memory(global const uint* in, global uint* out) {
  uint4 rows[16];
  for (uint n = 0; n < 16; ++n) rows[n] = (uint4)(in[ID & 1023] + n, n, in[n], ID);
  for (uint n = 0; n < 40; ++n) rows[in[(ID + n) & 1023] & 15] += rows[(in[n] >> 4) & 15].yzwx;
  uint4 sum = 0;
  for (uint n = 0; n < 16; ++n) sum += rows[n] * (n + 1);
  out[4 * ID] = sum.x, out[4 * ID + 1] = sum.y, out[4 * ID + 2] = sum.z, out[4 * ID + 3] = sum.w;
})"},
    {"a_pointer_to_any_memory", R"(
#define TAKE(space) __attribute__((overloadable)) uint take(space uint* p, uint n) { p[n] = p[n] * 5 + 1; return p[n]; }
#ifdef __AMDGCN__
TAKE(generic)
typedef generic uint* any;
#define CHOSEN(kind, a, b, c, at) take(kind == 0 ? (any)a : kind == 1 ? (any)b : (any)c, at)
#else
TAKE(private) TAKE(local) TAKE(global)
#define CHOSEN(kind, a, b, c, at) (kind == 0 ? take(a, at) : kind == 1 ? take(b, at) : take(c, at))
#endif
kernel void a_pointer_to_any_memory(global const uint* in, global uint* out) {
  local uint shared_words[128];
  uint own[8];
  for (uint n = 0; n < 8; ++n) own[n] = in[(ID + n) & 1023];
  shared_words[LOCAL_ID] = in[ID & 1023];
  out[ID] = ID;
  group_barrier();
  uint kind = in[ID & 1023] % 3;
  uint at = kind == 0 ? (in[ID & 1023] >> 8) & 7 : kind == 1 ? LOCAL_ID : ID;
  uint sum = CHOSEN(kind, own, shared_words, out, at);
  sum += CHOSEN(kind, own, shared_words, out, at);
  group_barrier();
  out[1024 + ID] = sum + shared_words[127 - LOCAL_ID] + own[3];
})",
     "CL2.0"},
    {"atomics_of_both_memories", R"(
kernel void atomics_of_both_memories(global const uint* in, global uint* out) {
  local uint counts[16];
  if (LOCAL_ID < 16) counts[LOCAL_ID] = 0;
  group_barrier();
  uint word = in[ID & 1023];
  ADD(&counts[word & 15], word >> 16);
  ADD(&out[word >> 8 & 63], 1u);
  MAX(&out[64 + (word & 63)], word);
  group_barrier();
  if (LOCAL_ID < 16) ADD(&out[128 + LOCAL_ID], counts[LOCAL_ID]);
})"},
    {"doubles_and_divisions", R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void doubles_and_divisions(global const uint* in, global uint* out) {
  double a = (double)(int)in[ID & 1023] * 0.001, b = (double)(in[(ID + 1) & 1023] | 1u);
  float c = (float)(in[(ID + 2) & 1023] >> 7) + 0.5f, d = (float)(in[(ID + 3) & 1023] >> 9) - 3.25f;
  out[4 * ID] = as_uint2(a / b).x;
  out[4 * ID + 1] = as_uint2(a * b - a).y;
  out[4 * ID + 2] = as_uint(c * d - c);
  out[4 * ID + 3] = in[ID & 1023] / (in[(ID + 5) & 1023] >> 20 | 1u);
})"},
    // One work-item prints: no two devices have the same order of several. AMD's runtimes end each line.
    {"prints", R"(
int printf(constant const char* format, ...);
kernel void prints(global const uint* in, global uint* out) {
  out[ID] = in[ID & 1023] ^ ID;
  if (ID != 137) return;
  printf("item %u of %d: %x %5.2f [%8d] %c %s\n", ID, -256, ID << 20, (float)ID * 0.25f, -(int)ID, 'a' + (int)(ID & 7),
         "text");
  for (uint n = 0; n < 3; ++n) printf("%u:%ld\n", n, (long)(n + in[n]) << 20);
})"},
    // Far apart and near the ends, where a division scales its operands.
    {"quotients_of_all_exponents", R"(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void quotients_of_all_exponents(global const uint* in, global uint* out) {
  for (uint n = 8 * ID; n < 8 * ID + 8; ++n) {
    uint4 words = (uint4)(in[n], in[n + 1], in[n + 2], in[n + 3]);
    if ((n & 7) == 1) words.y &= 0x803fffffu;
    if ((n & 7) == 2) words.w &= 0x803fffffu;
    double a = as_double(words.xy), b = as_double(words.zw), q = (a != a ? 3.0 : a) / (b != b ? 7.0 : b);
    out[2 * n] = q != q ? 1u : as_uint2(q).x;
    out[2 * n + 1] = q != q ? 1u : as_uint2(q).y;
  }
})"},
    {"sums_that_saturate", R"(
kernel void sums_that_saturate(global const uint* in, global uint* out) {
  uint a = in[ID & 1023], b = in[(ID + 1) & 1023] << (ID & 3);
  int c = (int)in[(ID + 2) & 1023], d = (int)b;
  out[4 * ID] = ADD_SAT(a, b);
  out[4 * ID + 1] = SUB_SAT(a, b);
  out[4 * ID + 2] = (uint)ADD_SAT(c, d);
  out[4 * ID + 3] = (uint)SUB_SAT(c, d);
  ushort2 e = as_ushort2(a), f = as_ushort2(b);
  out[1024 + 4 * ID] = as_uint(ADD_SAT(e, f));
  out[1024 + 4 * ID + 1] = as_uint(SUB_SAT(e, f));
  out[1024 + 4 * ID + 2] = as_uint(ADD_SAT(as_short2(c), as_short2(d)));
  out[1024 + 4 * ID + 3] = as_uint(SUB_SAT(as_short2(c), as_short2(d)));
})"},
    {"long_integers", R"(
kernel void long_integers(global const uint* in, global uint* out) {
  ulong a = (ulong)in[ID & 1023] << 32 | in[(ID + 1) & 1023], b = in[(ID + 2) & 1023] | 1u;
  long c = (long)(a * 0x9e3779b97f4a7c15ul);
  out[4 * ID] = (uint)(a / b);
  out[4 * ID + 1] = (uint)(c >> (in[ID & 1023] & 63));
  out[4 * ID + 2] = (uint)((a << (b & 63)) >> 32);
  out[4 * ID + 3] = (uint)(c < 0 ? a % b : a - b) + BITS(a);
})"},
};

struct Way {
  const char* target;
  const char* options;
};
constexpr Way kWays[] = {{"gfx600", "-O2"}, {"gfx700", "-O2"}, {"gfx900", "-O2"},
                         {"gfx700", "-O0"}, {"gfx803", "-O0"}, {"gfx900", "-O0"}};

opencl::Launch launch_of(const Sample& sample) {
  std::vector<std::byte> in(kBytes);
  std::uint32_t word = 12345;
  for (std::size_t at = 0; at < kBytes; at += 4) {
    word = word * 1664525 + 1013904223;
    std::memcpy(in.data() + at, &word, 4);
  }
  return {.kernel = sample.name,
          .global = {kItems, 1, 1},
          .local = {kGroup, 1, 1},
          .arguments = {opencl::Buffer{in, true}, opencl::Buffer{std::vector<std::byte>(kBytes)}}};
}

// What a device makes of a sample; its compiler is asked once.
const opencl::Result& result_of_device(const Sample& sample, const std::string& source) {
  static std::map<std::string_view, opencl::Result> results;
  const auto found = results.find(sample.name);
  if (found != results.end()) return found->second;
  return results[sample.name] = opencl::run({.source = source, .launches = {launch_of(sample)}});
}

class CompiledSource : public testing::TestWithParam<Way> {};

TEST_P(CompiledSource, DoesOnTheInterpreterWhatItDoesOnADevice) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  const Way& way = GetParam();
  for (const Sample& sample : kSamples) {
    const std::string what = fmt::format("{} {} {}", sample.name, way.target, way.options);
    const std::string source = std::string(kHeader) + sample.source;
    const bool generic = std::string_view(sample.language) != "CL1.2";
    if (generic && std::string_view(way.target) == "gfx600") continue;  // it has no FLAT instructions
    const TemporaryDirectory directory;
    write_file(directory / "unit.cl", source);
    const ProcessResult compiled = run(fmt::format(
        "timeout 300 clang-19 -x cl -cl-std={} -w -target amdgcn-amd-amdhsa -mcpu={} {} -nogpulib -Xclang "
        "-finclude-default-header '{}' -o '{}' 2>&1",
        sample.language, way.target, way.options, (directory / "unit.cl").string(), (directory / "unit.o").string()));
    ASSERT_EQ(compiled.status, 0) << what << compiled.output;
    Diagnostics diagnostics;
    const auto file = open(read_file(directory / "unit.o"), diagnostics);
    ASSERT_TRUE(file) << what;
    if (file->program.target == nullptr || !emulate::runnable(*file->program.target)) continue;
    const opencl::Launch launch = launch_of(sample);
    const opencl::Result& expected = result_of_device(sample, source);
    ASSERT_EQ(expected.build, opencl::Status::Ok) << what << expected.message << expected.log;
    ASSERT_EQ(expected.launches[0].status, opencl::Status::Ok) << what << expected.launches[0].message;
    const Interpreted got = interpret(file->program, launch);
    EXPECT_EQ(got.problem, "") << what;
    EXPECT_EQ(got.unset, "") << what;
    EXPECT_TRUE(got.buffers == expected.launches[0].buffers) << what;
    std::vector<PrintfFormat> formats;
    for (const std::string& entry : file->object()->metadata.printf)
      formats.push_back(abi::hsa_printf_format(entry).value_or(PrintfFormat{}));
    EXPECT_EQ(formats.empty(), sample.name != std::string_view("prints")) << what;
    const auto printed = abi::decode_hsa_printf(formats, got.printf_buffer, diagnostics);
    EXPECT_EQ(abi::printf_text(printed), expected.launches[0].said) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(Clang, CompiledSource, testing::ValuesIn(kWays), [](const auto& way) {
  return fmt::format("For{}AtO{}", way.param.target, way.param.options[2]);
});

}  // namespace
}  // namespace amdcompat::source_test
