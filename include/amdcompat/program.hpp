// The neutral model: what a legacy program offers and needs, whatever container it came from.
//
// Every reader lowers to `Program`, every writer starts from it. It owns all its text and may forget spelling;
// the faithful models (text.hpp, cl1.hpp) do not. Plain value structs, no behaviour.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <amdcompat/device.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>
#include <amdcompat/machine_code.hpp>

namespace amdcompat {

namespace hsa {
enum class CodeObjectVersion : std::uint8_t;  // hsa.hpp
}

enum class Family : std::uint8_t { Text, Cl1, Cl2, Hsa };
enum class AddressBits : std::uint8_t { Bits32 = 32, Bits64 = 64 };

// `RO`, `WO`, `RW` of the metadata; Unspecified where the version has no such field.
enum class Access : std::uint8_t { Unspecified, ReadOnly, WriteOnly, ReadWrite };

// Element type of a by-value argument or of a pointer's pointee. `Unsized` is `opaque` (a pointee only);
// `Other` a spelling this library does not know.
enum class ScalarType : std::uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  Half,
  Float,
  Double,
  Struct,
  Union,
  Event,
  Unsized,
  Sampler,
  Other
};
// Bytes of one element: 0 for Struct, Union, Event, Unsized, Sampler and Other.
[[nodiscard]] AMDCOMPAT_API std::uint32_t scalar_size(ScalarType type);
[[nodiscard]] AMDCOMPAT_API std::string_view scalar_name(ScalarType type);

// Memory kind of a pointer as the metadata spells it. [MDP AMDILMDTypes.h; RT gpukernel.cpp BufType]
enum class MemoryKind : std::uint8_t {
  Global,            // g
  EmulatedPrivate,   // p
  EmulatedLocal,     // l (in the HSAIL dialect: LDS)
  Uav,               // uav
  Constant,          // c: emulated, backed by a UAV
  EmulatedRegion,    // r
  HardwareLocal,     // hl: LDS
  HardwarePrivate,   // hp
  HardwareConstant,  // hc: a constant buffer of its own
  HardwareRegion,    // hr: GDS
  UavPrivate,        // up
  UavConstant,       // uc
  Flat,              // flat
};
[[nodiscard]] AMDCOMPAT_API std::string_view memory_kind_name(MemoryKind kind);

enum class ImageDim : std::uint8_t { D1, D1Array, D1Buffer, D2, D2Array, D3, D2Depth, D2ArrayDepth };
[[nodiscard]] AMDCOMPAT_API std::string_view image_dim_name(ImageDim dim);

// What an argument is that the compiler added. The first six occur in CL2 kernels; code objects have all of them, under
// the same names as value kinds of their metadata (hsa.hpp, where sizes, versions and sources stand).
enum class HiddenKind : std::uint8_t {
  GlobalOffsetX,
  GlobalOffsetY,
  GlobalOffsetZ,
  PrintfBuffer,
  DefaultQueue,
  CompletionAction,
  None,
  HostcallBuffer,
  MultigridSyncArg,
  BlockCountX,
  BlockCountY,
  BlockCountZ,
  GroupSizeX,
  GroupSizeY,
  GroupSizeZ,
  RemainderX,
  RemainderY,
  RemainderZ,
  GridDims,
  HeapV1,
  DynamicLdsSize,
  PrivateBase,
  SharedBase,
  QueuePtr
};
inline constexpr std::size_t kHiddenKinds = 24;
// "global_offset_x", ...: the value kind without its `hidden_`.
[[nodiscard]] AMDCOMPAT_API std::string_view hidden_kind_name(HiddenKind kind);

// --- argument kinds: each holds what that kind needs and nothing else ----------------------------------

struct ByValue {
  ScalarType type = ScalarType::U32;
  std::uint32_t elements = 1;  // 1, 2, 3, 4, 8 or 16; for Struct and Union: bytes
  friend bool operator==(const ByValue&, const ByValue&) = default;
};

// What every pointer argument has.
struct PointerInfo {
  ScalarType pointee = ScalarType::U8;
  std::string pointee_name;  // the spelling when `pointee` is Other, else empty
  MemoryKind memory = MemoryKind::Uav;
  std::uint32_t buffer = 0;  // buffer number in its class: UAV id, CB index, 1 for LDS
  std::uint32_t align = 1;  // bytes: the pointee's allocation size rounded up to a power of two by
      // AMD's compiler; may be no power of two (52 occurs), see usable_alignment
  Access access = Access::Unspecified;
  friend bool operator==(const PointerInfo&, const PointerInfo&) = default;
};
struct GlobalPointer : PointerInfo {};  // g, uav, flat
struct ConstantPointer : PointerInfo {};  // c, hc, uc
struct LocalPointer : PointerInfo {};  // hl, l
struct RegionPointer : PointerInfo {};  // r, hr
struct PrivatePointer : PointerInfo {};  // p, hp, up

struct Image {
  ImageDim dim = ImageDim::D2;
  Access access = Access::ReadOnly;
  std::uint32_t id = 0;  // resource index for RO, UAV index for WO: separate counters
  friend bool operator==(const Image&, const Image&) = default;
};
struct Sampler {
  std::uint32_t id = 0;  // 0..15
  friend bool operator==(const Sampler&, const Sampler&) = default;
};
struct Counter {
  std::uint32_t bits = 32;  // 32 or 64
  std::uint32_t id = 0;  // 0..7, GDS index
  friend bool operator==(const Counter&, const Counter&) = default;
};
struct Semaphore {
  std::uint32_t id = 0;  // 0..15
  friend bool operator==(const Semaphore&, const Semaphore&) = default;
};
struct Queue {
  MemoryKind memory = MemoryKind::Uav;
  friend bool operator==(const Queue&, const Queue&) = default;
};
struct Pipe {
  std::uint32_t align = 1;  // bytes
  Access access = Access::Unspecified;
  friend bool operator==(const Pipe&, const Pipe&) = default;
};
// An argument that the compiler added, not the source (HSAIL dialect and CL2).
struct Hidden {
  HiddenKind what = HiddenKind::GlobalOffsetX;
  friend bool operator==(const Hidden&, const Hidden&) = default;
};

using ArgumentKind = std::variant<ByValue, GlobalPointer, LocalPointer, ConstantPointer, RegionPointer, PrivatePointer,
                                  Image, Sampler, Counter, Semaphore, Queue, Pipe, Hidden>;

// --- where the machine code reads an argument -------------------------------------------------------------

// A CL1 kernel: at a fixed place of a constant buffer.
struct ConstantBufferSlot {
  std::uint32_t buffer = 1;  // constant buffer number; 1 in every real file
  std::uint32_t offset = 0;  // bytes from the start of that buffer, a multiple of 16
  friend bool operator==(const ConstantBufferSlot&, const ConstantBufferSlot&) = default;
};

// A CL2 kernel: in the one block that its argument pointer addresses. [RT loadArguments]
struct ArgumentBlockSlot {
  std::uint64_t offset = 0;  // bytes from the start of the block
  std::uint64_t size = 0;  // bytes that the block holds for it
  std::uint32_t align = 0;  // bytes, a power of two; 0: an argument's type is unknown, so the block has no layout
  bool by_reference = false;  // the block holds the address of the value: structs and unions
  ConstantBufferSlot declared;  // as the metadata writes it; a virtual place, which no code reads
  friend bool operator==(const ArgumentBlockSlot&, const ArgumentBlockSlot&) = default;
};

// A kernel of a code object: in the kernarg segment. [S1 «Code Object Metadata»: `.offset`, `.size`]
struct KernargSlot {
  std::uint64_t offset = 0;  // bytes from the start of the segment
  std::uint64_t size = 0;  // bytes
  friend bool operator==(const KernargSlot&, const KernargSlot&) = default;
};

using ArgumentSlot = std::variant<ConstantBufferSlot, ArgumentBlockSlot, KernargSlot>;

struct Argument {
  std::string name;
  std::string type_name;  // source type (`reflection:`), e.g. "float*"; empty when the metadata has none
  ArgumentKind kind;
  ArgumentSlot slot;  // of the kind that belongs to the kernel's `launch`
  bool is_const = false;  // from `constarg`; a pointer to constant memory always counts as const [RT]
  bool is_volatile = false;
  bool is_restrict = false;
  SourceRange where;  // its line in the input
  friend bool operator==(const Argument&, const Argument&) = default;
  // Null when it is read elsewhere.
  [[nodiscard]] const ConstantBufferSlot* in_constant_buffer() const { return std::get_if<ConstantBufferSlot>(&slot); }
  [[nodiscard]] const ArgumentBlockSlot* in_block() const { return std::get_if<ArgumentBlockSlot>(&slot); }
  [[nodiscard]] const KernargSlot* in_kernarg() const { return std::get_if<KernargSlot>(&slot); }
};

// A sampler defined in the kernel source. `value`: bit 0 normalized, 1-3 addressing, 4-5 filter [RT sampler.hpp].
struct ConstantSampler {
  std::string name;
  std::uint32_t id = 0;
  std::uint32_t value = 0;
  friend bool operator==(const ConstantSampler&, const ConstantSampler&) = default;
};

// Bytes of each memory space, own amount and those of all callees combined:
// private spaces own + largest callee, local and region spaces own + sum of callees. [SPEC «Local/Private Memory»; RT]
struct Segments {
  std::uint64_t emulated_private = 0;  // memory:private, bytes per work-item
  std::uint64_t hardware_private = 0;  // memory:hwprivate
  std::uint64_t uav_private = 0;  // memory:uavprivate
  std::uint64_t emulated_local = 0;  // memory:local, bytes per work-group
  std::uint64_t hardware_local = 0;  // memory:hwlocal
  std::uint64_t emulated_region = 0;  // memory:region
  std::uint64_t hardware_region = 0;  // memory:hwregion
  friend bool operator==(const Segments&, const Segments&) = default;
  // Bytes of private memory per work-item whatever the carrier.
  [[nodiscard]] std::uint64_t private_bytes() const { return emulated_private + hardware_private + uav_private; }
  // Bytes of LDS per work-group, without the dynamic part of `hl` arguments.
  [[nodiscard]] std::uint64_t local_bytes() const { return emulated_local + hardware_local; }
};

// Register and resource use; `known` is false for bare text, and all numbers are 0 then.
struct Registers {
  bool known = false;
  std::uint32_t vgprs = 0;
  std::uint32_t sgprs = 0;
  std::uint32_t scratch_bytes = 0;  // per work-item (PROGINFO counts dwords)
  std::uint32_t lds_bytes = 0;  // per work-group, as the hardware allocates it
  std::uint32_t wavefront_size = 0;  // work-items; 0 when the file does not say
  friend bool operator==(const Registers&, const Registers&) = default;
};

struct Limits {
  std::array<std::uint32_t, 3> required_group_size{};  // cws; all 0: none
  std::array<std::uint32_t, 3> group_size_hint{};  // wsh; all 0: none
  std::array<std::uint32_t, 3> required_region_size{};  // crs; all 0: none
  std::optional<std::uint32_t> max_group_size;  // lws: largest flat group
  bool one_wavefront = false;  // limitgroupsize
  std::optional<std::uint32_t> waves_per_simd_hint;
  std::string vector_type_hint;  // vth
  friend bool operator==(const Limits&, const Limits&) = default;
};

// Ids the compiler chose; data, never derived from the device or driver (they vary within one driver).
struct ResourceIds {
  std::optional<std::uint32_t> raw_uav;  // uavid as written
  std::optional<std::uint32_t> printf;  // printfid
  std::optional<std::uint32_t> constants;  // cbid
  std::optional<std::uint32_t> priv;  // privateid
  friend bool operator==(const ResourceIds&, const ResourceIds&) = default;
};

// --- how a kernel is launched ------------------------------------------------------------------------------

// CL1: the kernel reads constant buffers 0 and 1, and resources that the runtime bound. [RT gpukernel.cpp]
struct ConstantBufferLaunch {
  ResourceIds ids;
  friend bool operator==(const ConstantBufferLaunch&, const ConstantBufferLaunch&) = default;
};

// CL2: the kernel reads an argument block and the AQL packet behind it.
struct ArgumentBlockLaunch {
  bool nested = true;  // machine code in an inner ELF (15.11 and later); false: 15.7
  std::uint64_t argument_bytes = 0;  // the argument block, as computed from the arguments
  std::uint32_t hidden_arguments = 0;  // how many of the arguments the compiler added; they come first
  SourceRange setup_bytes;  // in the file
  SourceRange code;  // machine code in the file, from its entry on
  friend bool operator==(const ArgumentBlockLaunch&, const ArgumentBlockLaunch&) = default;
};

// Code objects: the kernel reads a kernarg segment and the AQL packet. Hidden arguments stand among the others; static
// group and private memory are `segments.hardware_local` and `segments.hardware_private`. [S1 «Kernel Dispatch»]
struct KernargLaunch {
  hsa::CodeObjectVersion version{};  // decides what AMD's runtimes put into hidden arguments
  std::uint64_t bytes = 0;  // of the segment, hidden arguments included
  std::uint64_t align = 16;  // bytes, of its address
  bool arguments_known = true;  // false: the metadata has no list of arguments
  // `lift::with_arguments_read` has looked: the list, where it is known, is of what machine code reads.
  bool arguments_read = false;
  friend bool operator==(const KernargLaunch&, const KernargLaunch&) = default;
};

using LaunchAbi = std::variant<ConstantBufferLaunch, ArgumentBlockLaunch, KernargLaunch>;

struct Kernel {
  std::string name;  // without the `__OpenCL_` prefix and `_kernel` suffix
  std::string block;  // block name as written
  std::string device;  // `;device:` or the container's, lower case; empty when neither says
  std::size_t unit = 0;  // compilation unit inside a file of several concatenated ones
  std::array<std::uint32_t, 3> metadata_version{};  // 0,0,0 when absent
  std::uint32_t unique_id = 0;
  AddressBits address_bits = AddressBits::Bits32;
  std::vector<Argument> arguments;
  LaunchAbi launch;  // bare text: ConstantBufferLaunch
  std::vector<ConstantSampler> samplers;
  Segments segments;
  Limits limits;
  Registers registers;
  bool uses_printf = false;  // a printf call in it or in a function it calls
  bool needs_data_segment = false;  // memory:datareqd, own or of a callee
  bool compiler_write = false;  // memory:compilerwrite
  bool uses_images = false;
  bool writes_images = false;
  bool device_enqueue = false;  // enqueue_kernel:1
  std::optional<std::uint32_t> kernel_index;
  // Machine code from its entry on, in Program::code; absent: the file has none, or not as a loader would take it.
  std::optional<CodePlace> code;
  EntryState entry;  // how a runtime starts it; none: the file does not say
  bool complete = true;  // false: an argument line could not be understood, so nothing may be built
  SourceRange where;  // its metadata block
  friend bool operator==(const Kernel&, const Kernel&) = default;
  // Null when it is launched otherwise.
  [[nodiscard]] const ConstantBufferLaunch* constant_buffers() const {
    return std::get_if<ConstantBufferLaunch>(&launch);
  }
  [[nodiscard]] const ArgumentBlockLaunch* argument_block() const { return std::get_if<ArgumentBlockLaunch>(&launch); }
  [[nodiscard]] const KernargLaunch* kernarg() const { return std::get_if<KernargLaunch>(&launch); }
};

// What `amd_kernel_code_t` says of the kernel; null: its file has another structure, or none.
[[nodiscard]] inline const KernelCode* setup_of(const Kernel& kernel) { return std::get_if<KernelCode>(&kernel.entry); }
// What the compiler of a CL1 kernel chose; nothing for other kernels.
[[nodiscard]] AMDCOMPAT_API ResourceIds resource_ids(const Kernel& kernel);
// The raw UAV AMD's runtime binds besides those of the arguments: none when there is no `uavid` line or when
// a uav or c pointer argument has that number and the kernel does not print. [RT gpukernel.cpp initParameters; agrees
// with 291 kernels]
[[nodiscard]] AMDCOMPAT_API std::optional<std::uint32_t> effective_raw_uav(const Kernel& kernel);
// Largest flat work-group the kernel may be launched with: cws product, lws, the wavefront, else 256 [RT].
[[nodiscard]] AMDCOMPAT_API std::uint32_t max_flat_group_size(const Kernel& kernel);
// The largest power of two that divides `align` (1 for 0): what an alignment can be used as.
[[nodiscard]] AMDCOMPAT_API std::uint32_t usable_alignment(std::uint32_t align);

struct DataSegment {
  std::optional<std::uint32_t> constant_buffer;  // hardware CB (≥ 2); absent: the global segment
  std::vector<std::byte> bytes;
  SourceRange where;
  std::string section;  // CL2: name of the section it is; empty otherwise
  std::uint64_t zero_bytes = 0;  // CL2: bytes of zeros that follow `bytes`
  friend bool operator==(const DataSegment&, const DataSegment&) = default;
};

// A sampler that the source defines. The loader makes the object and stores its 8-byte handle in a data segment. [BIN]
struct SamplerObject {
  std::string name;
  std::string section;  // `DataSegment::section` that holds the handle
  std::uint64_t offset = 0;  // of the handle in it
  bool normalized = false;  // coordinates
  bool linear = false;  // filter; else nearest
  std::uint8_t addressing = 0;  // 0 undefined, 1 clamp to edge, 2 clamp to border, 3 repeat, 4 mirrored repeat
  friend bool operator==(const SamplerObject&, const SamplerObject&) = default;
};

// One printf call site. Text is decoded (real control characters).
struct PrintfFormat {
  std::uint32_t id = 0;
  std::vector<std::uint32_t> sizes;  // bytes of each argument
  std::string format;
  std::size_t unit = 0;
  SourceRange where;
  friend bool operator==(const PrintfFormat&, const PrintfFormat&) = default;
};

struct Program {
  Family family = Family::Text;
  std::string device;  // lower-case Catalyst name; empty when unknown
  bool xnack = false;  // the container names the device's XNACK variant (gfx901, gfx903, …)
  std::string driver;  // driver string of the container
  std::string compile_options;
  std::vector<Kernel> kernels;
  std::vector<DataSegment> data;
  std::vector<SamplerObject> samplers;  // CL2: of the whole program
  std::vector<PrintfFormat> printf;
  const Target* target = nullptr;  // of the machine code; null: VLIW, or not known
  MachineCode code;  // of the kernels; of CL2 and HSA everything that is loaded with it
  std::size_t refused = 0;  // kernels the container names but which could not be read at all
  friend bool operator==(const Program&, const Program&) = default;
};

// Whether its compiler waits at every barrier for what a work-item has stored in global memory, also at one that it
// leaves out of code whose work-groups are one wavefront: AMD's own did [BIN: all 262 barriers behind such stores in
// RadixSort's `permute` and Piper], LLVM's does not.
[[nodiscard]] inline bool barriers_wait_for_stores(const Program& program) {
  return program.family == Family::Cl1 || program.family == Family::Cl2;
}

// The machine code of a kernel of the program, from its entry on; empty: none.
[[nodiscard]] inline std::span<const std::byte> kernel_code(const Program& program, const Kernel& kernel) {
  return kernel.code ? code_bytes(program.code, *kernel.code) : std::span<const std::byte>();
}

}  // namespace amdcompat
