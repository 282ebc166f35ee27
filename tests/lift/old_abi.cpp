#include "old_abi.hpp"

#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/cl1.hpp>

#include "code_program.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat_test::old_abi {
namespace {

using namespace amdcompat;

// The ABI: registers of code_program.hpp, descriptors in the table of UAVs, words of constant buffers.
constexpr std::string_view kDevice = R"cl(
#ifdef SHARED  // both buffers are reached through one descriptor
#define FIRST 22
#else
#define FIRST 20
#endif
typedef uint4 Descriptor;
uint word_of(Descriptor buffer, uint at, int flags) __asm("llvm.amdgcn.s.buffer.load.i32");
typedef struct { Descriptor printing, cb0, cb1, in, out; uint next, x, y, z, group; } Item;
#define INLINE static inline __attribute__((always_inline))
#ifdef WIDE
#define BASE(dword) ((ulong)CB0(dword) | (ulong)CB0((dword) + 1) << 32)
#define SLOT(n) ((ulong)word_of(item->cb1, 16 * (n), 0) | (ulong)word_of(item->cb1, 16 * (n) + 4, 0) << 32)
#define PRINTING 34
#define ROOM 36
typedef ulong Address;
INLINE void put(Descriptor to, ulong at, uint value) {
  __asm volatile("buffer_store_dword %0, %1, %2, 0 addr64" : : "v"(value), "v"(at), "s"(to) : "memory");
}
INLINE void put2(Descriptor to, ulong at, uint2 value) {
  __asm volatile("buffer_store_dwordx2 %0, %1, %2, 0 addr64" : : "v"(value), "v"(at), "s"(to) : "memory");
}
INLINE uint get(Descriptor from, ulong at) {
  uint value;
  __asm volatile("buffer_load_dword %0, %1, %2, 0 addr64\ns_waitcnt vmcnt(0)"
                 : "=v"(value) : "v"(at), "s"(from) : "memory");
  return value;
}
#else
void put_raw(uint value, Descriptor to, uint at, uint more, int flags) __asm("llvm.amdgcn.raw.buffer.store.i32");
void put2_raw(uint2 value, Descriptor to, uint at, uint more, int flags) __asm("llvm.amdgcn.raw.buffer.store.v2i32");
uint get_raw(Descriptor from, uint at, uint more, int flags) __asm("llvm.amdgcn.raw.buffer.load.i32");
#define BASE(dword) CB0(dword)
#define SLOT(n) word_of(item->cb1, 16 * (n), 0)
#define PRINTING 33
#define ROOM 34
typedef uint Address;
#define put(to, at, value) put_raw(value, to, at, 0, 0)
#define put2(to, at, value) put2_raw(value, to, at, 0, 0)
#define get(from, at) get_raw(from, at, 0, 0)
#endif
#define CB0(n) word_of(item->cb0, 4 * (n), 0)
#define KERNEL(name)                                                                                           \
  void k_##name(constant uint4* table, ulong unused, Descriptor cb0, Descriptor cb1, uint group, uint x, uint y, \
                uint z) {                                                                                      \
    Item own = {table[18], cb0, cb1, table[FIRST], table[22], 1, x, y, z, group};                                 \
    Item* item = &own;
#define ID (item->group * CB0(4) + CB0(24) + item->x)
#define IN(n) get(item->in, SLOT(0) + 4 * (Address)(n))
#define OUT(n, value) put(item->out, SLOT(1) + 4 * (Address)(n), value)
)cl";

// The code of kernels: arguments become registers where LLVM's convention for shaders has them.
std::vector<corpus::CodeKernel> codes_of(std::span<const char* const> names, const Way& way, std::string_view kernels,
                                         bool shared) {
  const TemporaryDirectory directory;
  write_file(directory / "unit.cl", std::string(shared ? "#define SHARED\n" : "").append(kDevice).append(kernels));
  const std::string base = (directory / "unit").string();
  const std::string options = fmt::format("-target amdgcn-- {} -nogpulib -ffunction-sections -w", way.options);
  const ProcessResult made = run(fmt::format(
      "clang-19 -x cl -cl-std=CL1.2 {1} -Xclang -disable-llvm-passes -emit-llvm -S '{0}.cl' -o '{0}.ll' 2>&1 && "
      "sed -i -E '/^define .*@k_/{{s/define .*void/define amdgpu_cs void/; s/ptr addrspace\\(4\\) noundef/ptr "
      "addrspace(4) inreg/; s/i64 noundef/i64 inreg/; s/<4 x i32> noundef/<4 x i32> inreg/g; s/i32 noundef/i32 "
      "inreg/}}' '{0}.ll' && clang-19 -x ir {1} -c '{0}.ll' -o '{0}.o' 2>&1",
      base, options));
  EXPECT_EQ(made.status, 0) << made.output;
  std::vector<corpus::CodeKernel> out;
  for (const char* const name : names) {
    const ProcessResult cut =
        run(fmt::format("llvm-objcopy-19 -O binary --only-section=.text.k_{1} '{0}.o' '{0}.{1}' 2>&1", base, name));
    EXPECT_EQ(cut.status, 0) << cut.output;
    const std::string bytes = read_file(fmt::format("{}.{}", base, name));
    corpus::CodeKernel& kernel = out.emplace_back();
    kernel.name = name;
    kernel.words.resize(bytes.size() / 4);
    std::memcpy(kernel.words.data(), bytes.data(), 4 * kernel.words.size());
  }
  return out;
}
}  // namespace

Program program_of(std::span<const char* const> names, const Way& way, std::string_view kernels, bool shared) {
  Program out = corpus::program_of_code(codes_of(names, way, kernels, shared), way.generation);
  for (Kernel& kernel : out.kernels) {
    ConstantBufferLaunch launch;
    launch.ids.raw_uav = 11;
    launch.ids.printf = 9;
    kernel.launch = launch;
    if (shared)
      for (Argument& argument : kernel.arguments)
        if (auto* const pointer = std::get_if<GlobalPointer>(&argument.kind)) pointer->buffer = 11;
    *std::get<cl1::CalState>(kernel.entry).info.rsrc2 |= 2u << 11;  // ids of three dimensions
    if (way.wide) kernel.address_bits = AddressBits::Bits64;
  }
  return out;
}

}  // namespace amdcompat_test::old_abi
