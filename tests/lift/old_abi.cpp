#include "old_abi.hpp"

#include <algorithm>
#include <cstring>
#include <map>
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

// That of kernels in an object of sections for functions.
std::vector<corpus::CodeKernel> codes_in(const std::string& base, std::span<const std::string> names,
                                         const char* prefix) {
  std::string command = "llvm-objcopy-19";
  for (const std::string& name : names)
    command += fmt::format(" --dump-section '.text.{2}{1}={0}.{1}'", base, name, prefix);
  const ProcessResult cut = run(fmt::format("{0} '{1}.o' '{1}.rest' 2>&1", command, base));
  EXPECT_EQ(cut.status, 0) << cut.output;
  std::vector<corpus::CodeKernel> out;
  for (const std::string& name : names) {
    const std::string bytes = read_file(fmt::format("{}.{}", base, name));
    corpus::CodeKernel& kernel = out.emplace_back();
    kernel.name = name;
    kernel.words.resize(bytes.size() / 4);
    std::memcpy(kernel.words.data(), bytes.data(), 4 * kernel.words.size());
  }
  return out;
}

std::string options_of(const Way& way) {
  return fmt::format("-target amdgcn-- {} -nogpulib -ffunction-sections -w", way.options);
}
// Lines of sed that give functions whose names begin so LLVM's convention for shaders: arguments become scalar
// registers, of the numbers of 32 bits the first `scalars`, and vector registers.
std::string convention(const char* prefix, int scalars) {
  std::string out = fmt::format("/^define .*@{}/{{s/define .*void/define amdgpu_cs void/; s/ptr addrspace\\(4\\) "
                                "noundef/ptr addrspace(4) inreg/g; "
                                "s/i64 noundef/i64 inreg/; s/<4 x i32> noundef/<4 x i32> inreg/g",
                                prefix);
  for (int n = 0; n < scalars; ++n) out += "; s/i32 noundef/i32 inreg/";
  return out + "}";
}

// The code of kernels that take everything in registers.
std::vector<corpus::CodeKernel> codes_of(std::span<const char* const> names, const Way& way, std::string_view kernels,
                                         bool shared) {
  const TemporaryDirectory directory;
  write_file(directory / "unit.cl", std::string(shared ? "#define SHARED\n" : "").append(kDevice).append(kernels));
  const std::string base = (directory / "unit").string();
  const std::string options = options_of(way);
  const ProcessResult made = run(fmt::format(
      "clang-19 -x cl -cl-std=CL1.2 {1} -Xclang -disable-llvm-passes -emit-llvm -S '{0}.cl' -o '{0}.ll' 2>&1 && "
      "sed -i -E '{2}' '{0}.ll' && clang-19 -x ir {1} -c '{0}.ll' -o '{0}.o' 2>&1",
      base, options, convention("k_", 1)));
  EXPECT_EQ(made.status, 0) << made.output;
  return codes_in(base, std::vector<std::string>(names.begin(), names.end()), "k_");
}

// The four groups of numbers that a kernel's ids are made of, and its arguments.
constexpr std::string_view kCaller = R"cl(
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define OWN_IDS
typedef uint4 Descriptor;
uint word_of(Descriptor buffer, uint at, int flags) __asm("llvm.amdgcn.s.buffer.load.i32");
__global void* pointer_of(Descriptor buffer, uint offset);
#define CALLER(name)                                                                                               \
  void c_##name(constant uint4* table, constant uint8* resources, Descriptor cb0, Descriptor cb1, uint4 sampler, \
                uint group_x, uint group_y, uint group_z, uint x, uint y, uint z)
#define READ(number) resources[number]
#define WRITE(number) (((constant uint8*)table)[number])
#define FROM(at) word_of(cb0, at, 0), word_of(cb0, at + 4, 0), word_of(cb0, at + 8, 0), 0
#define OWN_ARGUMENTS \
  (uint4)(group_x, group_y, group_z, 0), (uint4)(x, y, z, 0), (uint4)(FROM(16)), (uint4)(FROM(0))
#define GLOBAL(uav, at) pointer_of(table[2 * uav], word_of(cb1, at, 0))
#define LOCAL(at) ((__local uint*)word_of(cb1, at, 0))
#define VALUE(type, at)                                                   \
  ({                                                                      \
    union {                                                               \
      uint words[(sizeof(type) + 3) / 4];                                 \
      type value;                                                         \
    } all;                                                                \
    for (uint n = 0; n < (sizeof(type) + 3) / 4; ++n) all.words[n] = word_of(cb1, at + 4 * n, 0); \
    all.value;                                                            \
  })
)cl";
// A pointer to global memory is a descriptor and an offset.
constexpr std::string_view kPointer = R"ll(
define internal ptr addrspace(7) @pointer_of(<4 x i32> %words, i32 %offset) alwaysinline {
  %bits = bitcast <4 x i32> %words to i128
  %resource = inttoptr i128 %bits to ptr addrspace(8)
  %buffer = addrspacecast ptr addrspace(8) %resource to ptr addrspace(7)
  %pointer = getelementptr i8, ptr addrspace(7) %buffer, i32 %offset
  ret ptr addrspace(7) %pointer
}
)ll";

bool is_global(std::string_view parameter) { return parameter.starts_with("__global"); }
bool is_local(std::string_view parameter) { return parameter.starts_with("__local"); }
bool is_read_image(std::string_view parameter) { return parameter.starts_with("READ_IMAGE"); }
bool is_written_image(std::string_view parameter) { return parameter.starts_with("WRITE_IMAGE"); }
bool is_sampler(std::string_view parameter) { return parameter.starts_with("SAMPLER"); }
std::string type_of(std::string_view parameter) { return std::string(parameter.substr(0, parameter.rfind(' '))); }

struct Value {
  ScalarType type;
  std::uint32_t bytes, elements;
};
Value value_of(std::string type) {
  static const std::map<std::string, std::pair<ScalarType, std::uint32_t>> kTypes{
      {"char", {ScalarType::I8, 1}},      {"uchar", {ScalarType::U8, 1}},  {"short", {ScalarType::I16, 2}},
      {"ushort", {ScalarType::U16, 2}},   {"int", {ScalarType::I32, 4}},   {"uint", {ScalarType::U32, 4}},
      {"long", {ScalarType::I64, 8}},     {"ulong", {ScalarType::U64, 8}}, {"float", {ScalarType::Float, 4}},
      {"double", {ScalarType::Double, 8}}};
  std::uint32_t elements = 1;
  if (const char last = type.back(); last >= '2' && last <= '4') {
    elements = static_cast<std::uint32_t>(last - '0');
    type.pop_back();
  }
  const auto [scalar, bytes] = kTypes.at(type);
  return {scalar, bytes * (elements == 3 ? 4 : elements), elements};
}

// Vectors of three longs or doubles, of which AMD's runtime overwrites a part.
bool is_overwritten(const Argument& argument) {
  const auto* const value = std::get_if<ByValue>(&argument.kind);
  return value != nullptr && value->elements == 3 && scalar_size(value->type) == 8;
}

// The arguments of a kernel with their places, in `kernel`, and how the compiled code asks for them.
std::string place(const SourceKernel& from, Kernel& kernel) {
  constexpr std::uint32_t kFirstUav = 10;
  constexpr std::uint32_t kImageBytes = 32;  // of constant buffer 1
  std::uint32_t at = 0, uav = kFirstUav, read = 0, written = 0;
  std::string out;
  kernel.arguments.clear();
  for (const std::string& parameter : from.parameters) {
    Argument& argument = kernel.arguments.emplace_back();
    argument.name = parameter.substr(parameter.rfind(' ') + 1);
    argument.slot = ConstantBufferSlot{1, at};
    std::uint32_t bytes = 4;
    if (is_global(parameter)) {
      GlobalPointer pointer;
      pointer.buffer = uav;
      pointer.align = 4;
      pointer.access = Access::ReadWrite;
      argument.kind = pointer;
      argument.type_name = "uint*";
      out += fmt::format(", GLOBAL({}, {})", uav++, at);
    } else if (is_local(parameter)) {
      LocalPointer pointer;
      pointer.pointee = ScalarType::U32;
      pointer.memory = MemoryKind::HardwareLocal;
      pointer.buffer = 1;
      pointer.align = 4;
      argument.kind = pointer;
      argument.type_name = "uint*";
      out += fmt::format(", LOCAL({})", at);
    } else if (const bool store = is_written_image(parameter); store || is_read_image(parameter)) {
      std::uint32_t& number = store ? written : read;
      out += fmt::format(", {}({})", store ? "WRITE" : "READ", number);
      argument.kind = Image{ImageDim::D2, store ? Access::WriteOnly : Access::ReadOnly, number++};
      argument.type_name = "image2d_t";
      bytes = kImageBytes;
    } else if (is_sampler(parameter)) {
      out += ", sampler";
      argument.kind = Sampler{0};
      argument.type_name = "sampler_t";
    } else {
      const std::string type = type_of(parameter);
      const Value value = value_of(type);
      argument.kind = ByValue{value.type, value.elements};
      argument.type_name = type;
      bytes = value.bytes;
      out += fmt::format(", VALUE({}, {})", type, at);
    }
    at += (bytes + 15) / 16 * 16;
  }
  return out;
}
}  // namespace

Program program_of_source(std::span<const SourceKernel> kernels, const Way& way, std::string_view source) {
  EXPECT_FALSE(way.wide) << "pointers have an offset of 32 bits";
  std::vector<Kernel> placed(kernels.size());
  std::string unit = fmt::format("{}{}", kCaller, source);
  for (std::size_t n = 0; n < kernels.size(); ++n)
    unit += fmt::format("CALLER({0}) {{ {0}(OWN_ARGUMENTS{1}); }}\n", kernels[n].name, place(kernels[n], placed[n]));
  const TemporaryDirectory directory;
  write_file(directory / "unit.cl", unit);
  write_file(directory / "pointer.ll", kPointer);
  const std::string base = (directory / "unit").string();
  const std::string options = options_of(way);
  // Not every vector has instructions of buffers; those of dwords are put together again.
  const ProcessResult made = run(fmt::format(
      "clang-19 -x cl -cl-std=CL1.2 {1} -Xclang -finclude-default-header -Xclang -disable-llvm-passes -emit-llvm -S "
      "'{0}.cl' -o '{0}.ll' 2>&1 && sed -i -E -e '{3}' -e 's/addrspace\\(1\\)/addrspace(7)/g; s/call "
      "amdgpu_kernel/call/' "
      "-e '/^define .*amdgpu_kernel/{{s/\\) #/) alwaysinline #/; s/define .*void/define internal void/}}' "
      "-e '/^declare.*@pointer_of/d' '{0}.ll' && cat '{2}' >> '{0}.ll' && "
      "opt-19 -passes='always-inline,function(scalarizer)' --scalarize-load-store -S '{0}.ll' "
      "-o '{0}.all.ll' 2>&1 && clang-19 -x ir {1} -c '{0}.all.ll' -o '{0}.o' 2>&1",
      base, options, (directory / "pointer.ll").string(), convention("c_", 3)));
  EXPECT_EQ(made.status, 0) << made.output;
  if (made.status != 0) return {};
  const std::string relocated = run(fmt::format("llvm-readelf-19 -S '{}.o' 2>&1", base)).output;
  const bool flushes = read_file(base + ".ll").find("\"denormal-fp-math-f32\"=\"preserve-sign") != std::string::npos;
  std::vector<std::string> names;
  for (std::size_t n = 0; n < kernels.size(); ++n) {
    if (relocated.find(fmt::format(".rel.text.c_{} ", kernels[n].name)) != std::string::npos ||
        relocated.find(fmt::format(".rela.text.c_{} ", kernels[n].name)) != std::string::npos ||
        std::ranges::any_of(placed[n].arguments, is_overwritten))
      continue;
    names.push_back(kernels[n].name);
  }
  std::vector<corpus::CodeKernel> codes = codes_in(base, names, "c_");
  for (corpus::CodeKernel& code : codes) {
    code.lds_bytes = std::ranges::find(kernels, code.name, &SourceKernel::name)->lds_bytes;
    code.flushes = flushes;
  }
  Program out = corpus::program_of_code(codes, way.generation);
  for (Kernel& kernel : out.kernels) {
    const auto from = std::ranges::find(kernels, kernel.name, &SourceKernel::name);
    kernel.arguments = std::move(placed[static_cast<std::size_t>(from - kernels.begin())].arguments);
    kernel.launch = ConstantBufferLaunch{};
    auto& state = std::get<cl1::CalState>(kernel.entry);
    constexpr std::uint16_t kResources = 2, kSampler = 12, kGroup = 16;  // registers
    state.info.rsrc2 = std::uint32_t{kGroup} << 1 | 7u << 7 | 2u << 11;  // ids of three dimensions
    if (std::ranges::any_of(from->parameters, is_sampler)) {
      state.user_elements.push_back({cl1::kClassResourceTable, 0, kResources, 2});
      state.user_elements.push_back({cl1::kClassSampler, 0, kSampler, 4});
      state.info.user_elements = static_cast<std::uint32_t>(state.user_elements.size());
    }
  }
  return out;
}

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
