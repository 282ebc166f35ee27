// Small kernels (small_kernels.hpp), compiled for AMD's GPUs by comgr and lifted: the unit leaves what the machine code
// leaves on the interpreter, and where OpenCL says what that is to the bit, what the source leaves on the same runtime.
//
// Every run takes a part of them, each for one generation. AMDCOMPAT_BUILTINS=all takes all of them for each
// generation,
// AMDCOMPAT_BUILTINS=N/M those whose number is N modulo M, AMDCOMPAT_BUILTINS=N-M those from N to M;
// AMDCOMPAT_BUILTINS_TARGET chooses a processor,
// AMDCOMPAT_BUILTINS_COMPILER="PROGRAM OPTIONS" compiles in comgr's place (PROGRAM OPTIONS TARGET SOURCE OBJECT),
// AMDCOMPAT_BUILTINS_LIFT runs nothing, AMDCOMPAT_BUILTINS_VERBOSE prints every refusal,
// AMDCOMPAT_BUILTINS_KEEP=DIRECTORY keeps sources and code objects.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/compile.hpp>
#include <amdcompat/emulate.hpp>
#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

#include "compile/compilers.hpp"
#include "interpret.hpp"
#include "small_kernels.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"
#include "support/wants_all.hpp"

namespace amdcompat::builtins_test {
namespace {

using namespace amdcompat_test;
using small::Element;

constexpr const char* kTargets[] = {"gfx803", "gfx600", "gfx900", "gfx700"};
constexpr std::size_t kPerUnit = 40;
// Of every run: one kernel of so many, another one for each generation.
constexpr std::size_t kOneOf = 200;
// Approximate instructions, relative to the result. [docs/emulate.md]
constexpr double kApproximate = 1e-6;
constexpr const char* kHeader = "#pragma OPENCL FP_CONTRACT OFF\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";

std::string text(const char* name, const std::string& otherwise = {}) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

// What may differ beside the payload of what is no number.
struct Tolerance {
  double relative = 0;
  bool zeros = false;  // their sign
};
// The first element that differs; empty: none.
template <class Bits, class Float>
std::string first_difference(const std::vector<std::byte>& wanted, const std::vector<std::byte>& got, Tolerance may) {
  for (std::size_t at = 0; at + sizeof(Bits) <= wanted.size(); at += sizeof(Bits)) {
    Bits a = 0, b = 0;
    std::memcpy(&a, &wanted[at], sizeof(Bits));
    std::memcpy(&b, &got[at], sizeof(Bits));
    if (a == b) continue;
    std::string values;
    if constexpr (!std::is_void_v<Float>) {
      Float x = 0, y = 0;
      std::memcpy(&x, &a, sizeof(a));
      std::memcpy(&y, &b, sizeof(b));
      const auto p = static_cast<double>(x), q = static_cast<double>(y);
      if ((std::isnan(p) && std::isnan(q)) || (may.zeros && p == 0 && q == 0)) continue;
      if (std::abs(p - q) <= may.relative * std::max(std::abs(p), std::abs(q)) && std::isfinite(p - q)) continue;
      values = fmt::format(" ({} is {})", p, q);
    }
    return fmt::format("element {}: 0x{:x} is 0x{:x}{}", at / sizeof(Bits), a, b, values);
  }
  return {};
}
std::string difference(const small::Kernel& kernel, const std::vector<std::vector<std::byte>>& wanted,
                       const std::vector<std::vector<std::byte>>& got, Tolerance may) {
  const auto of = [&](std::size_t n) {
    switch (kernel.buffers[n]) {
      case Element::I8:
      case Element::U8: return first_difference<std::uint8_t, void>(wanted[n], got[n], may);
      case Element::I16:
      case Element::U16: return first_difference<std::uint16_t, void>(wanted[n], got[n], may);
      case Element::I32:
      case Element::U32: return first_difference<std::uint32_t, void>(wanted[n], got[n], may);
      case Element::I64:
      case Element::U64: return first_difference<std::uint64_t, void>(wanted[n], got[n], may);
      case Element::F16: return first_difference<std::uint16_t, _Float16>(wanted[n], got[n], may);
      case Element::F32: return first_difference<std::uint32_t, float>(wanted[n], got[n], may);
      case Element::F64: return first_difference<std::uint64_t, double>(wanted[n], got[n], may);
    }
    return std::string("unknown elements");
  };
  for (std::size_t n = 0; n < kernel.buffers.size(); ++n)
    if (const std::string found = of(n); !found.empty()) return fmt::format("buffer {}, {}", n, found);
  return {};
}
bool has_floats(const small::Kernel& kernel) {
  return kernel.source.find("float") != std::string::npos || kernel.source.find("double") != std::string::npos ||
         kernel.source.find("half") != std::string::npos;
}
// A reason without its numbers and operands.
std::string reason(const Diagnostic& refusal) {
  const std::string out =
      std::regex_replace(sentence(refusal), std::regex("0x[0-9a-f]+|kernel '[^']*' |code offset [^:]*: "), "");
  return std::regex_replace(out, std::regex("'([a-z0-9_]+) [^']*'"), "'$1'");
}
std::string title(const small::Kernel& kernel) {
  return fmt::format("{} {}", kernel.name, kernel.source.substr(0, kernel.source.find('\n')));
}

struct Counts {
  std::size_t kernels = 0, lifted = 0, wave = 0, equal = 0, as_source = 0;
  std::map<std::string, std::vector<std::string>> refused;  // by reason, the kernels
};

class Sweep {
 public:
  // Compiled by `other`, where it is named.
  Sweep(const compile::Compiler* comgr, std::string other, std::string target)
      : comgr_(comgr), other_(std::move(other)), target_(std::move(target)) {}

  void unit(std::span<const small::Kernel* const> kernels) {
    std::string source = kHeader;
    opencl::Request original{
        .source = {}, .options = "-cl-std=CL1.2" + amdcompat_test::sooner(), .launches = {}, .seconds = 240};
    std::vector<const small::Kernel*> compared;  // with their source
    for (const small::Kernel* k : kernels) {
      source += k->source + "\n";
      // Denormal floats are flushed by the machine code before GFX9, and the source need not.
      if (!k->exact || (has_floats(*k) && target_ != "gfx900")) continue;
      compared.push_back(k);
      original.launches.push_back(k->launch);
    }
    original.source = source;
    const std::vector<std::byte> object = compiled(source);
    if (const std::string keep = text("AMDCOMPAT_BUILTINS_KEEP"); !keep.empty()) {
      write_file(fmt::format("{}/{}-{}.cl", keep, kernels[0]->name, target_), source);
      write_file(fmt::format("{}/{}-{}.o", keep, kernels[0]->name, target_),
                 std::string(reinterpret_cast<const char*>(object.data()), object.size()));
    }
    Diagnostics diagnostics;
    const auto file = open(object, diagnostics);
    ASSERT_TRUE(file) << target_;
    // What the machine code does with denormal floats, a device for CPUs does only where it is told.
    const lift::Unit lifted = lift::lift(file->program, {.exact = target_ != "gfx900"}, diagnostics);
    std::vector<const small::Kernel*> run;
    opencl::Request request{
        .source = lifted.source, .options = amdcompat_test::sooner(), .launches = {}, .seconds = 240};
    for (const small::Kernel* k : kernels) {
      ++counts.kernels;
      const auto outcome = std::ranges::find(lifted.kernels, k->name, &lift::KernelOutcome::name);
      ASSERT_NE(outcome, lifted.kernels.end()) << k->source;
      if (!outcome->lifted) {
        counts.refused[reason(*outcome->refusal)].push_back(title(*k));
        continue;
      }
      ++counts.lifted;
      counts.wave += outcome->form == lift::Form::Wave ? 1 : 0;
      run.push_back(k);
      request.launches.push_back(k->launch);
    }
    if (run.empty() || std::getenv("AMDCOMPAT_BUILTINS_LIFT") != nullptr) return;
    const opencl::Result got = opencl::run(request);
    ASSERT_EQ(got.build, opencl::Status::Ok) << got.message << got.log << lifted.source;
    const opencl::Result wanted = compared.empty() ? opencl::Result{} : opencl::run(original);
    ASSERT_EQ(wanted.build, opencl::Status::Ok) << wanted.message << wanted.log;
    for (std::size_t n = 0; n < run.size(); ++n) {
      const small::Kernel& k = *run[n];
      const auto at = std::ranges::find(compared, &k);
      SCOPED_TRACE(fmt::format("{}: {}", target_, k.source));
      const opencl::LaunchResult* const source_left =
          at == compared.end() ? nullptr : &wanted.launches[static_cast<std::size_t>(at - compared.begin())];
      one(file->program, k, got.launches[n], source_left);
    }
  }

  Counts counts;

 private:
  std::vector<std::byte> compiled(const std::string& source) const {
    std::string object;
    if (!other_.empty()) {
      const TemporaryDirectory directory;
      write_file(directory / "unit.cl", source);
      const ProcessResult made = amdcompat_test::run(fmt::format(
          "{} {} '{}' '{}' 2>&1", other_, target_, (directory / "unit.cl").string(), (directory / "unit.o").string()));
      EXPECT_EQ(made.status, 0) << made.output;
      object = read_file(directory / "unit.o");
    } else {
      auto made = comgr_->compile(source, {.target = *hsa::parse_target(target_)});
      EXPECT_TRUE(made) << made.error().message << source;
      if (made) object = *std::move(made);
    }
    const auto bytes = std::as_bytes(std::span(object));
    return {bytes.begin(), bytes.end()};
  }
  void one(const Program& program, const small::Kernel& k, const opencl::LaunchResult& got,
           const opencl::LaunchResult* wanted) {
    ASSERT_EQ(got.status, opencl::Status::Ok) << got.message;
    const Interpreted machine = interpret(program, k.launch);
    ASSERT_EQ(machine.problem, "");
    EXPECT_EQ(machine.unset, "");
    const std::string differs = difference(k, machine.buffers, got.buffers, {.relative = k.exact ? 0.0 : kApproximate});
    EXPECT_EQ(differs, "") << "beside the machine code";
    counts.equal += differs.empty() ? 1 : 0;
    if (wanted == nullptr) return;
    ASSERT_EQ(wanted->status, opencl::Status::Ok) << wanted->message;
    const std::string other = difference(k, wanted->buffers, got.buffers, {.zeros = true});
    EXPECT_EQ(other, "") << "beside the source";
    counts.as_source += other.empty() ? 1 : 0;
  }

  const compile::Compiler* comgr_;
  std::string other_, target_;
};

TEST(LiftedSmallKernels, LeaveWhatTheirMachineCodeAndTheirSourcesLeave) {
  AMDCOMPAT_NEEDS_OPENCL();
  const std::string other = text("AMDCOMPAT_BUILTINS_COMPILER");
  const auto comgr = compile::Compiler::find("comgr");
  if (!comgr && other.empty())
    GTEST_SKIP() << "comgr is not on this machine; install the Debian package libamd-comgr2 to run this test: "
                 << comgr.error().message;
  const std::vector<small::Kernel> all = small::small_kernels();
  const std::string which = text("AMDCOMPAT_BUILTINS"), only = text("AMDCOMPAT_BUILTINS_TARGET");
  std::size_t first = 0, one_of = which == "all" ? 1 : kOneOf * amdcompat_test::one_of(2);
  const bool part = std::sscanf(which.c_str(), "%zu/%zu", &first, &one_of) == 2;
  std::size_t from = 0, to = all.size();
  if (std::sscanf(which.c_str(), "%zu-%zu", &from, &to) == 2) one_of = 1;
  for (std::size_t t = 0; t < std::size(kTargets); ++t) {
    const std::string target = kTargets[t];
    if (!only.empty() && only != target) continue;
    const auto begin = std::chrono::steady_clock::now();
    Sweep sweep(comgr ? &*comgr : nullptr, other, target);
    std::vector<const small::Kernel*> kernels;
    const std::size_t phase = part ? first : one_of * t / std::size(kTargets);
    for (std::size_t n = from; n < std::min(to + 1, all.size()); ++n)
      if (n % one_of == phase || (all[n].always && which.empty())) kernels.push_back(&all[n]);
    for (std::size_t at = 0; at < kernels.size(); at += kPerUnit) {
      sweep.unit(std::span(kernels).subspan(at, std::min(kPerUnit, kernels.size() - at)));
      if (HasFatalFailure()) return;
      if (!which.empty()) fmt::print(stderr, "{}: {} of {}\n", target, sweep.counts.kernels, kernels.size());
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    const Counts& counts = sweep.counts;
    fmt::print("{}: {} of {} kernels, {} lifted ({} in wave form), {} equal, {} to their source too; {:.1f} s\n",
               target, counts.kernels, all.size(), counts.lifted, counts.wave, counts.equal, counts.as_source,
               seconds.count());
    for (const auto& [why, names] : counts.refused) {
      fmt::print("  refused {}: {}\n", names.size(), why);
      if (std::getenv("AMDCOMPAT_BUILTINS_VERBOSE") != nullptr)
        for (const std::string& name : names) fmt::print("    {}\n", name);
    }
    std::fflush(stdout);
  }
}

// Compilers keep a pointer into the table, made of the code's own address, and move it; or they choose one.
constexpr const char* kTables = R"(
#ifdef __AMDGCN__
#define item() (int)(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
#else
#define item() (int)get_global_id(0)
#endif
__kernel void backwards(__global TYPE* out, __global const uint* which) {
  int i = item();
  const TYPE table[7] = {3, 1, 4, 1, 5, 9, 2};
  TYPE copy[7];
#pragma nounroll
  for (int n = 0; n < 7; ++n) copy[n] = table[6 - n];
  copy[which[i] % 7u] += (TYPE)1;
  out[i] = table[which[i + 1] % 7u] + copy[which[i + 2] % 7u];
}
__constant TYPE odd[4] = {1, 3, 5, 7};
__constant TYPE even[4] = {2, 4, 6, 8};
__kernel void chosen(__global TYPE* out, __global const uint* which) {
  int i = item();
  __constant TYPE* from = which[i] & 1 ? odd : even;
  TYPE sum = 0;
  for (uint n = 0; n < (which[i + 1] & 3u); ++n) sum += from[n];
  out[i] = sum;
})";
TEST(LiftedTables, ThatLoopsGoThroughAreReadWhereTheyStand) {
  AMDCOMPAT_NEEDS_OPENCL();
  if (run("clang-19 --version >/dev/null 2>&1").status != 0)
    GTEST_SKIP() << "no clang-19 (Debian package clang-19) to compile with";
  const TemporaryDirectory directory;
  for (const char* type : {"int", "uchar"})
    for (const char* target : {"gfx900"}) {
      SCOPED_TRACE(fmt::format("{} {}", type, target));
      const std::string source = std::regex_replace(kTables, std::regex("TYPE"), type);
      write_file(directory / "unit.cl", source);
      const ProcessResult made =
          run(fmt::format("timeout 60 clang-19 -x cl -cl-std=CL1.2 -O1 -w -target amdgcn-amd-amdhsa -mcpu={} -nogpulib "
                          "-Xclang -finclude-default-header '{}' -o '{}' 2>&1",
                          target, (directory / "unit.cl").string(), (directory / "unit.o").string()));
      ASSERT_EQ(made.status, 0) << made.output;
      Diagnostics diagnostics;
      const auto file = open(read_file(directory / "unit.o"), diagnostics);
      ASSERT_TRUE(file);
      const lift::Unit unit = lift::lift(file->program, {}, diagnostics);
      opencl::Request request{
          .source = unit.source, .options = amdcompat_test::sooner(), .launches = {}, .seconds = 60};
      for (const char* kernel : {"backwards", "chosen"})
        request.launches.push_back(
            small::kernel_of(
                fmt::format("__kernel void {}(__global {}* out, __global const uint* which) {{", kernel, type))
                .launch);
      const opencl::Result got = opencl::run(request);
      ASSERT_EQ(got.build, opencl::Status::Ok) << got.log << got.message;
      request.source = source;
      const opencl::Result wanted = opencl::run(request);
      for (std::size_t n = 0; n < request.launches.size(); ++n) {
        ASSERT_EQ(got.launches[n].status, opencl::Status::Ok) << got.launches[n].message << unit.source;
        EXPECT_EQ(got.launches[n].buffers, wanted.launches[n].buffers) << unit.source;
      }
    }
}

// Compilers keep small arrays in registers, and take one of them by an index: relative to an instruction's register, or
// by comparing it with each number. Registers beyond the array may hold addresses.
constexpr const char* kArrays = R"(
__constant uchar order[2][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                 {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3}};
__constant ulong keys[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
__kernel void kept(__global const uint* in, __global uint* out) {
  const int i = get_global_id(0);
  uint kept[8];
  for (int n = 0; n < 8; ++n) kept[n] = in[i + n] * 3 + n;
  out[i] = kept[in[i] & 7] + kept[in[i + 1] & 7] * 5;
}
__kernel void beyond(__global const float* in, __global const uint* which, __global float* out) {
  const int i = get_global_id(0);
  float kept[5];
  for (int n = 0; n < 5; ++n) kept[n] = in[i + n] * 2.0f;
  out[i] = kept[which[i] % 5];
}
__kernel void permuted(__global ulong* a) {
  const int i = get_global_id(0);
  ulong words[16], sum = 0;
  for (int n = 0; n < 16; ++n) words[n] = a[i * 16 + n];
  for (int round = 0; round < 16; ++round)
    for (int n = 0; n < 8; ++n)
      sum = rotate(sum + (words[order[round & 1][2 * n]] ^ keys[order[round & 1][2 * n + 1]]), 25ul);
  a[i * 16] = sum;
}
__kernel void walks(__global const int* in, __global int* out, int count) {
  const int i = get_global_id(0);
  int stack[16], top = 1, best = 0;
  stack[0] = i;
  for (int steps = 0; top > 0 && steps < 24; ++steps) {
    const int n = in[(uint)stack[--top] % (uint)count];
    best += n;
    if ((n & 1) != 0 && top < 15) stack[top++] = n;
    if ((n & 6) != 0 && top < 15) stack[top++] = n + steps;
  }
  out[i] = best;
}
__kernel void looks_up(__global uint* a) {
  __local uint table[256];
  const uint i = get_local_id(0);
  table[i & 255] = i * 7;
  table[(i + 128) & 255] = i * 5;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint kept[16];
  for (int n = 0; n < 16; ++n) kept[n] = a[get_global_id(0)] * n;
#pragma unroll 1
  for (int n = 0; n < 15; ++n) kept[n] ^= kept[n + 1];
  a[get_global_id(0)] = table[kept[3] & 63];
})";
// AMD's device library has the descriptors of a program's samplers in its code, asks those of arguments whether they
// filter, and reads widths behind the descriptors of images.
constexpr const char* kImages = R"(
__constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
__constant sampler_t between = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
__kernel void blur(read_only image2d_t from, write_only image2d_t to, float a, float b) {
  const int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
  if (at.x >= get_image_width(to) || at.y >= get_image_height(to)) return;
  const float4 left = read_imagef(from, edge, at - (int2)(1, 0)), right = read_imagef(from, border, at + (int2)(1, 0));
  write_imagef(to, at, left * a + right * b + read_imagef(from, between, (float2)(a, b)));
}
__kernel void pick(read_only image2d_t from, write_only image2d_t to, sampler_t sampler) {
  const int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
  if (at.x < get_image_width(to) && at.y < get_image_height(to))
    write_imageui(to, at, read_imageui(from, sampler, convert_float2(at) + 0.25f));
}
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void halves(read_only image2d_t from, write_only image2d_t to, __global half* out) {
  const int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
  if (at.x >= get_image_width(to) || at.y >= get_image_height(to)) return;
  const half4 texel = read_imageh(from, border, at);
  write_imageh(to, at, texel * (half)2.0f);
  out[at.x & 63] = read_imageh(from, edge, at).x + texel.w;
}
// Compilers choose the image's address, by lanes or for all of them, and access one image.
__kernel void chosen(read_only image2d_t a, read_only image2d_t b, write_only image2d_t to) {
  const int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
  if (at.x >= get_image_width(to) || at.y >= get_image_height(to)) return;
  float4 texel;
  if (at.x & 1)
    texel = read_imagef(a, edge, at);
  else
    texel = read_imagef(b, edge, at);
  write_imagef(to, at, texel);
}
__kernel void chosen_for_all(read_only image2d_t a, read_only image2d_t b, write_only image2d_t to, int which) {
  const int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
  if (at.x >= get_image_width(to) || at.y >= get_image_height(to)) return;
  float4 texel;
  if (which & 1)
    texel = read_imagef(a, border, at + 1);
  else
    texel = read_imagef(b, border, at + 1);
  write_imagef(to, at, texel);
}
__kernel void one_of_three(read_only image2d_t a, read_only image2d_t b, read_only image2d_t c,
                           write_only image2d_t to) {
  const int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
  if (at.x >= get_image_width(to) || at.y >= get_image_height(to)) return;
  float4 texel;
  switch ((at.x & 1) + (at.y & 1)) {
    case 0: texel = read_imagef(a, edge, at); break;
    case 1: texel = read_imagef(b, edge, at); break;
    default: texel = read_imagef(c, edge, at);
  }
  write_imagef(to, at, texel);
}
__kernel void written(read_only image2d_t from, write_only image2d_t to, write_only image2d_t other) {
  const int2 at = (int2)((int)get_global_id(0), (int)get_global_id(1));
  const float4 texel = read_imagef(from, edge, at);
  if (at.x >= get_image_width(to) || at.y >= get_image_height(to)) return;
  if (at.x >= get_image_width(other) || at.y >= get_image_height(other)) return;
  if (at.y & 1)
    write_imagef(to, at, texel);
  else
    write_imagef(other, at, texel);
}
__kernel void sizes(read_only image2d_array_t layers, read_only image1d_array_t rows, read_only image3d_t deep,
                    __global int* out) {
  out[get_global_id(0)] = (int)get_image_array_size(layers) + (int)get_image_array_size(rows) * 3 +
                          get_image_width(rows) * 5 + get_image_height(layers) * 7 + get_image_depth(deep) * 11;
})";
// What a source becomes whose kernels are all lifted and proved; without kernels where it is not compiled.
pipeline::Lifted all_proved(const compile::Compiler& comgr, const char* source, const char* target) {
  Diagnostics diagnostics;
  const auto made = comgr.compile(source, {.target = *hsa::parse_target(target)});
  EXPECT_TRUE(made) << made.error().message;
  const auto file = made ? open(*made, diagnostics) : std::nullopt;
  if (!file) return {};
  pipeline::LiftRequest request;
  request.prove = true;
  pipeline::Lifted unit = pipeline::lift_file(*file, request, diagnostics);
  for (const pipeline::LiftResult& kernel : unit.kernels)
    EXPECT_EQ(kernel.outcome, pipeline::LiftOutcome::Proved)
        << kernel.kernel.name << ": " << (kernel.kernel.refusal ? kernel.kernel.refusal->message : "")
        << (kernel.proof ? kernel.proof->reason : "") << "\n"
        << unit.source;
  return unit;
}
TEST(LiftedArrays, InRegistersAreArrays) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  for (const char* target : {"gfx600", "gfx803", "gfx900"}) {
    SCOPED_TRACE(target);
    const pipeline::Lifted unit = all_proved(comgr, kArrays, target);
    ASSERT_EQ(unit.kernels.size(), 5u);
    // One that is used twice has a name.
    EXPECT_NE(unit.source.find("const uint array1[8] = {"), std::string::npos) << unit.source;
    EXPECT_NE(unit.source.find("((float[]){"), std::string::npos) << unit.source;
  }
}
// Compilers multiply by what 2^32 and more is divided by the constant.
constexpr const char* kDivisors = R"(
__kernel void by_constants(__global uint* a) {
  const uint i = get_global_id(0), x = a[i];
  a[i] = x / 3 + x / 5 * 7 + x % 7 + x / 10 + x % 100 + x / 641 + x % 14 + x / 1000000007 + x % 12345 + x / 28 % 28;
})";
TEST(LiftedDivisions, ByConstantsAreDivisions) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  for (const char* target : {"gfx600", "gfx900"}) {
    SCOPED_TRACE(target);
    const pipeline::Lifted unit = all_proved(comgr, kDivisors, target);
    ASSERT_EQ(unit.kernels.size(), 1u);
    EXPECT_EQ(unit.source.find("mul_hi"), std::string::npos) << unit.source;
    for (const char* text : {" % 7u", " / 641u", " % 14u", " / 0x3b9aca07u", " % 28u"})
      EXPECT_NE(unit.source.find(text), std::string::npos) << text << "\n" << unit.source;
  }
}
// Compilers leave the reciprocal of a constant of 64 bits to the device, step by step.
TEST(LiftedDivisions, HaveNoArithmeticOfConstants) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  constexpr const char* kSource = R"(
__kernel void by_a_long(__global uint* out, __global const ulong* a) {
  const uint i = get_global_id(0);
  out[i] = (uint)(a[i] / 274481780ul);
})";
  for (const char* target : {"gfx803", "gfx900"}) {
    SCOPED_TRACE(target);
    const pipeline::Lifted unit = all_proved(comgr, kSource, target);
    ASSERT_EQ(unit.kernels.size(), 1u);
    for (const char* text : {"(ulong)0x", "mul_hi(0x", "false ?"})
      EXPECT_EQ(unit.source.find(text), std::string::npos) << text << "\n" << unit.source;
  }
}

constexpr const char* kThrees = R"(
__kernel void scaled(__global float3* out, __global const float3* in, float by) {
  const int i = get_global_id(0);
  out[i] = in[i] * by + (float3)(1.0f);
}
__kernel void summed(__global const float3* in, __global int3* out, __global float* sums) {
  const int i = get_global_id(0);
  sums[i] = in[i].x + in[i].z;
  out[i] = out[i].zxy + out[i] * 3;
})";
TEST(LiftedVectors, OfThreeHaveNoFourthComponent) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  for (const char* target : {"gfx600", "gfx803", "gfx900"}) {
    SCOPED_TRACE(target);
    const pipeline::Lifted unit = all_proved(comgr, kThrees, target);
    ASSERT_EQ(unit.kernels.size(), 2u);
    for (const char* text : {"const float3 v1 = in[", " = (float3)(", " = (int3)("})
      EXPECT_NE(unit.source.find(text), std::string::npos) << text << "\n" << unit.source;
  }
}

constexpr const char* kNames = R"(
__kernel void divide(__global float* a, float by) { a[get_global_id(0)] /= by; }
__kernel void sqrt_f(__global float* a, float by) { a[get_global_id(0)] = sqrt(a[get_global_id(0)]) / by; }
__kernel void data_move(__global const int* in, __global int* out) { out[get_global_id(0)] = in[get_global_id(0)]; }
)";
TEST(LiftedKernels, KeepTheirNamesWhereAFunctionOfTheUnitHasOne) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  const pipeline::Lifted unit = all_proved(comgr, kNames, "gfx803");
  ASSERT_EQ(unit.kernels.size(), 3u);
  EXPECT_NE(unit.source.find("sqrt_f_of_lift(a["), std::string::npos) << unit.source;
}

// What local memory holds that nothing has set is the same on both sides in launches of one work-group.
constexpr const char* kUnset = R"(
__kernel void half_set(__global uint* out) {
  __local uint words[256];
  const uint i = get_local_id(0);
  if ((i & 1) != 0) words[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = words[i ^ 1] + words[i] * 3;
})";
TEST(LiftedLocalMemory, ThatNothingHasSetBeginsAsZerosInAProof) {
  AMDCOMPAT_NEEDS_OPENCL();
  if (!opencl::find_device(opencl::Runtime::Device).name.starts_with("basic"))
    GTEST_SKIP() << "not the device that takes local memory from the heap";
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  const pipeline::Lifted unit = all_proved(comgr, kUnset, "gfx803");
  ASSERT_EQ(unit.kernels.size(), 1u);
  EXPECT_NE(unit.kernels[0].proof->local_zeros, 0u);
  EXPECT_NE(unit.source.find("with local memory that begins as zeros"), std::string::npos) << unit.source;
}

TEST(LiftedPointers, OfTwoBuffersHaveADifferenceThatShowsNothing) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  Diagnostics diagnostics;
  const auto made =
      comgr.compile("__kernel void apart(__global int* a, __global int* b, __global long* out) { out[0] = b - a; }",
                    {.target = *hsa::parse_target("gfx803")});
  ASSERT_TRUE(made) << made.error().message;
  const auto file = open(*made, diagnostics);
  ASSERT_TRUE(file);
  pipeline::LiftRequest request;
  request.prove = true;
  const pipeline::Lifted unit = pipeline::lift_file(*file, request, diagnostics);
  ASSERT_EQ(unit.kernels.size(), 1u);
  EXPECT_EQ(unit.kernels[0].outcome, pipeline::LiftOutcome::Lifted);
  EXPECT_NE(unit.kernels[0].proof->reason.find("depends on where its buffers lie"), std::string::npos)
      << unit.kernels[0].proof->reason;
}
TEST(LiftedImages, AreSampledByTheSamplersThatTheDeviceLibraryMakes) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  for (const char* target : {"gfx803", "gfx900"}) {
    SCOPED_TRACE(target);
    const pipeline::Lifted unit = all_proved(comgr, kImages, target);
    ASSERT_EQ(unit.kernels.size(), 8u);
    for (const char* sampler : {"sampler_nearest_edge", "sampler_nearest_clamp", "sampler_normalized_linear_repeat"})
      EXPECT_NE(unit.source.find(sampler), std::string::npos) << unit.source;
  }
}

// Compilers keep a number that all lanes have in a register of theirs, which both ways of a branch set to it.
TEST(LiftedBarriers, InLoopsAreReachedByAllWhoseCountIsOfAllLanes) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  constexpr const char* kSource = R"(
__attribute__((reqd_work_group_size(128, 1, 1)))
__kernel void rounds(__global uint* out, __global const short* in, short3 p) {
  __local ulong shared[128];
  const uint x = get_local_id(0);
  const bool below = (char)(0x1fu - (uint)(char)in[x]) > (char)(x + (uint)(char)in[5]);
  ulong mine = below ? (ushort)(in[(x ^ (uint)p.x) & 255u] + x) : (ushort)(in[x] | 0x7ef2u);
  for (uint n = 0; n < ((uint)p.x & 3u) + 1u; ++n) {
    shared[x] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    mine = shared[(x + n * 5u + 1u) % 128u];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[x] = (uint)mine;
})";
  for (const char* target : {"gfx700", "gfx803", "gfx900"}) {
    SCOPED_TRACE(target);
    const pipeline::Lifted unit = all_proved(comgr, kSource, target);
    ASSERT_EQ(unit.kernels.size(), 1u);
    EXPECT_EQ(unit.kernels[0].kernel.form, lift::Form::WorkItem) << unit.source;
  }
}

// Bits of an index that its place in bytes is without are in what compilers divide only.
TEST(LiftedIndices, HaveNoBitsThatTheirPlacesAreWithout) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  constexpr const char* kSource = R"(
__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void upper(__global uint* a) {
  __local uint shared[64], flagged[64];
  const uint x = get_local_id(0), i = get_global_id(0);
  shared[x] = a[i] * 3u;
  flagged[x] = a[i] & 0x8000003fu;
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint u = a[i], v = u * 5u + 1u, w = u * 7u + 3u;
  a[i] = shared[flagged[63 - x] & 0x7fffffffu];
  a[i] += shared[(u | 0x80000000u) % 60u] + shared[(v & 0x7fffffffu) % 60u] + shared[(w ^ 0xc0000000u) % 60u];
})";
  for (const char* target : {"gfx600", "gfx803", "gfx900"}) {
    SCOPED_TRACE(target);
    EXPECT_EQ(all_proved(comgr, kSource, target).kernels.size(), 1u);
  }
}

// AMD's device library rounds their coordinates down to texels itself.
TEST(LiftedImages, NearestTexelsAreSampledWhereTheSourceSays) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  constexpr const char* kSource = R"(
__constant sampler_t again = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;
__constant sampler_t mirror = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;
__kernel void nearest(read_only image2d_t from, read_only image3d_t deep, __global float4* out, float a, float b) {
  const int x = get_global_id(0);
  const float at = a * x + b;
  out[x] = read_imagef(from, again, (float2)(at, b)) + read_imagef(from, mirror, (float2)(x + 0.5f, at)) +
           read_imagef(deep, again, (float4)(b, at, 0.25f, 0.0f));
})";
  for (const char* target : {"gfx803", "gfx900"}) {
    SCOPED_TRACE(target);
    const pipeline::Lifted unit = all_proved(comgr, kSource, target);
    ASSERT_EQ(unit.kernels.size(), 1u);
    for (const char* what : {"floor", "rcp", "get_image"})
      EXPECT_EQ(unit.source.find(what, unit.source.find("__kernel")), std::string::npos) << unit.source;
  }
  // Rounding of the source's own stays.
  constexpr const char* kTiles = R"(
__constant sampler_t edge = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
__kernel void tiles(read_only image2d_t from, __global float4* out, float a) {
  const int x = get_global_id(0);
  out[x] = read_imagef(from, edge, (float2)(floor(a * x * 8.0f) * 0.125f + 0.0625f, 0.3f));
})";
  const pipeline::Lifted unit = all_proved(comgr, kTiles, "gfx803");
  ASSERT_EQ(unit.kernels.size(), 1u);
  EXPECT_NE(unit.source.find("floor("), std::string::npos) << unit.source;
}

// Of `size_t`, to whose low half compilers add an offset of 64 bits.
TEST(LiftedIds, AreWholeWhereTheSourceCountsIn64Bits) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  constexpr const char* kSource = R"(
__kernel void rows(__global const float* in, __global float* out, int width) {
  const size_t x = get_global_id(0), y = get_global_id(1);
  out[y * width + x] = in[y * get_global_size(0) + x] + 1.0f;
}
__kernel void strides(__global const float* in, __global float* out, int n) {
  for (size_t k = get_global_id(0); k < n; k += get_global_size(0)) out[k] = in[k] * 2.0f;
})";
  for (const char* target : {"gfx803", "gfx900"}) {
    SCOPED_TRACE(target);
    const pipeline::Lifted unit = all_proved(comgr, kSource, target);
    ASSERT_EQ(unit.kernels.size(), 2u);
    for (const char* half : {"uint2", "offset", "num_groups", "? 1u"})
      EXPECT_EQ(unit.source.find(half), std::string::npos) << half << ":\n" << unit.source;
  }
}

// Compilers choose an address among those of the words that say it, and load there.
TEST(LiftedIds, MayBeOfADimensionThatIsAnArgument) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  constexpr const char* kSource = R"(
#define AT (get_global_id(0) + get_global_id(1) * get_global_size(0))
__kernel void ids(__global int* out, int d) { out[AT] = get_global_id(d & 3); }
__kernel void sizes(__global int* out, int d) {
  out[AT] = get_local_id(d & 3) + get_local_size(d & 3) * 3 + get_global_size(d & 3) * 5 + get_group_id(d & 3) * 7;
})";
  for (const char* target : {"gfx600", "gfx803", "gfx900"}) {
    SCOPED_TRACE(target);
    EXPECT_EQ(all_proved(comgr, kSource, target).kernels.size(), 2u);
  }
}

}  // namespace
}  // namespace amdcompat::builtins_test
