// Machine code as it is loaded, and the state in which a runtime starts a kernel of it, whatever the container.
//
// Three runtimes, three structures: CAL starts a kernel of an OpenCL 1.x container as program information and user data
// of its CAL image say (`CalState`), AMD's OpenCL 2.0 runtime and the first HSA loaders as `amd_kernel_code_t` says
// (`KernelCode`), those of today as the kernel descriptor says. `EntryState` is one of them.
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

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>

// --- what a CAL image says -------------------------------------------------------------------------------

namespace amdcompat::cl1 {

// Program information by name; absent where the image does not say. Entries without a member here stay in
// `Encoding::entries`.
struct ProgramInfo {
  std::optional<std::uint32_t> vgprs;  // GCN: vector registers; VLIW: general registers
  std::optional<std::uint32_t> sgprs;  // GCN only
  std::optional<std::uint32_t> vgprs_available;
  std::optional<std::uint32_t> sgprs_available;
  std::optional<std::uint32_t> float_mode;
  std::optional<std::uint32_t> ieee_mode;
  std::optional<std::uint32_t> scratch_dwords;  // GCN: per work-item
  std::optional<std::uint32_t> scratch_registers;  // VLIW: registers of 16 bytes
  std::optional<std::uint32_t> rsrc2;  // COMPUTE_PGM_RSRC2
  std::optional<std::uint32_t> lds_used;  // GCN: bytes; VLIW: dwords
  std::optional<std::uint32_t> lds_available;  // bytes
  std::optional<std::uint32_t> wavefront_size;
  std::optional<std::uint32_t> waves_per_simd;
  std::optional<std::uint32_t> stack_used;  // VLIW
  std::optional<std::uint32_t> group_size_x;
  std::optional<std::uint32_t> group_size_y;
  std::optional<std::uint32_t> group_size_z;
  std::optional<std::uint32_t> user_elements;  // GCN: how many of the 16 sets below are used
  friend bool operator==(const ProgramInfo&, const ProgramInfo&) = default;
};

// What the first scalar registers of a GCN wavefront hold: 16 sets of four PROGINFO words, of which `user_elements`
// are used. Classes are AMD's numbers [CLRX AsmAmdFormat.cpp dataClassMap]; `user_data_classes` names them.
struct UserElement {
  std::uint32_t data_class = 0;
  std::uint32_t slot = 0;  // of the table or binding that the class is about
  std::uint32_t first = 0;  // scalar register
  std::uint32_t count = 0;  // scalar registers
  friend bool operator==(const UserElement&, const UserElement&) = default;
};
inline constexpr std::uint32_t kMostUserElements = 16;

enum class UserDataKind : std::uint8_t { Descriptor, TablePointer, Other };
struct UserDataClass {
  std::uint32_t number;
  std::string_view name;
  UserDataKind kind;
  std::uint32_t registers;  // of an element; 0: no real file shows it
  std::string_view meaning;
};
// Ascending by number, without gaps.
[[nodiscard]] AMDCOMPAT_API std::span<const UserDataClass> user_data_classes();
// Null for a number without a row.
[[nodiscard]] AMDCOMPAT_API const UserDataClass* find_user_data_class(std::uint32_t number);
inline constexpr std::uint32_t kClassSampler = 0x01;
inline constexpr std::uint32_t kClassConstantBuffer = 0x02;
inline constexpr std::uint32_t kClassUav = 0x04;
inline constexpr std::uint32_t kClassGdsCounters = 0x07;
inline constexpr std::uint32_t kClassGdsMemory = 0x08;
// The byte of a counter in the range of GDS that user data of class kClassGdsCounters names: `id` from 0 to 7, `bits`
// 32 or 64, the same for all of a kernel. Not verified: no file in reach has code that counts (docs/emulate.md).
[[nodiscard]] constexpr std::uint32_t counter_offset(std::uint32_t id, std::uint32_t bits) { return id * (bits / 8); }
inline constexpr std::uint32_t kClassResourceTable = 0x11;
inline constexpr std::uint32_t kClassSamplerTable = 0x13;
inline constexpr std::uint32_t kClassConstantBufferTable = 0x14;
inline constexpr std::uint32_t kClassUavTable = 0x17;
inline constexpr std::uint32_t kClassInternalGlobalTable = 0x18;

// How a CAL runtime starts a kernel.
struct CalState {
  ProgramInfo info;
  std::vector<UserElement> user_elements;  // GCN
  SourceRange where{};  // the CAL image
  friend bool operator==(const CalState&, const CalState&) = default;
};

}  // namespace amdcompat::cl1

// --- the kernel descriptor -------------------------------------------------------------------------------

namespace amdcompat::hsa {

inline constexpr std::size_t kDescriptorBytes = 64;

// The 64 bytes of a kernel descriptor, members in file order. [S1 «Kernel Descriptor»; KD]
struct KernelDescriptor {
  std::uint32_t group_segment_fixed_size = 0;  // bytes of LDS per work-group
  std::uint32_t private_segment_fixed_size = 0;  // bytes of scratch per work-item
  std::uint32_t kernarg_size = 0;  // bytes; 0 may mean unknown [LDR]
  std::array<std::byte, 4> reserved0{};
  std::int64_t entry_offset = 0;  // of the code, from the descriptor's first byte
  std::array<std::byte, 20> reserved1{};
  std::uint32_t rsrc3 = 0;  // COMPUTE_PGM_RSRC3: 0 before gfx90a
  std::uint32_t rsrc1 = 0;
  std::uint32_t rsrc2 = 0;
  std::uint16_t properties = 0;  // kernel code properties
  std::uint16_t preload = 0;  // kernarg words that the hardware loads into scalar registers
  std::array<std::byte, 4> reserved3{};
  friend bool operator==(const KernelDescriptor&, const KernelDescriptor&) = default;
};

}  // namespace amdcompat::hsa

namespace amdcompat {

// --- amd_kernel_code_t -----------------------------------------------------------------------------------

inline constexpr std::size_t kKernelCodeBytes = 256;

// `amd_kernel_code_t`: what the hardware and its command processor are told about a kernel. Members in the order of
// its 256 bytes; units are bytes unless a comment says otherwise. [S2 amd_kernel_code_t; CODE]
struct KernelCode {
  std::array<std::uint32_t, 2> version{1, 1};  // major, minor; 1.0 in 15.7, 1.1 later
  std::uint16_t machine_kind = 1;  // 1: AMDGPU
  std::array<std::uint16_t, 3> machine_version{};  // major, minor, stepping; 0 in CL2 containers
  std::int64_t entry_offset = 256;  // of the code, from the start of these bytes
  std::int64_t prefetch_offset = 0;
  std::uint64_t prefetch_size = 0;
  std::uint64_t max_scratch_backing = 0;
  std::uint32_t rsrc1 = 0;  // COMPUTE_PGM_RSRC1
  std::uint32_t rsrc2 = 0;  // COMPUTE_PGM_RSRC2; its LDS bits are 0 here
  std::uint16_t user_registers = 0;  // bits kSgpr…: what the first scalar registers hold
  std::uint16_t features = 0;  // bits kFeature…
  std::uint32_t private_bytes = 0;  // scratch memory of a work-item
  std::uint32_t group_bytes = 0;  // static local memory of a work-group
  std::uint32_t gds_bytes = 0;
  std::uint64_t kernarg_bytes = 0;  // argument block
  std::uint32_t fbarriers = 0;  // a count
  std::uint16_t sgprs = 0;  // registers of a wavefront
  std::uint16_t vgprs = 0;  // registers of a work-item
  std::uint16_t reserved_vgpr_first = 0;  // the compilers store the number of used registers here: no meaning
  std::uint16_t reserved_vgpr_count = 0;
  std::uint16_t reserved_sgpr_first = 0;  // as above
  std::uint16_t reserved_sgpr_count = 0;
  std::uint16_t debug_scratch_offset_sgpr = 0;
  std::uint16_t debug_private_buffer_sgpr = 0;
  // Logarithms to base 2. Real files store what is no logarithm, or too small: never shift by them unchecked.
  std::uint8_t kernarg_align = 4;
  std::uint8_t group_align = 4;
  std::uint8_t private_align = 4;
  std::uint8_t wavefront = 6;
  std::uint32_t call_convention = 0;
  std::array<std::byte, 12> reserved{};
  std::uint64_t loader_symbol = 0;  // 0 in files
  // Limits the compiler relied on. Observed: a mask of which are meant at 0, the required work-group size at 56.
  std::array<std::byte, 128> control_directives{};
  friend bool operator==(const KernelCode&, const KernelCode&) = default;
};
// What the first scalar registers of a wavefront hold, in this order; the number of registers follows in brackets.
inline constexpr std::uint16_t kSgprPrivateBuffer = 1u << 0;  // V# of scratch memory [4]
inline constexpr std::uint16_t kSgprDispatchPtr = 1u << 1;  // address of the AQL packet [2]
inline constexpr std::uint16_t kSgprQueuePtr = 1u << 2;  // address of the queue [2]
inline constexpr std::uint16_t kSgprKernargPtr = 1u << 3;  // address of the argument block [2]
inline constexpr std::uint16_t kSgprDispatchId = 1u << 4;  // [2]
inline constexpr std::uint16_t kSgprFlatScratch = 1u << 5;  // initial flat scratch [2]
inline constexpr std::uint16_t kSgprPrivateSize = 1u << 6;  // [1]
inline constexpr std::uint16_t kSgprGridCountX = 1u << 7;  // [1]; never implemented by hardware, as the next two
inline constexpr std::uint16_t kSgprGridCountY = 1u << 8;
inline constexpr std::uint16_t kSgprGridCountZ = 1u << 9;
// Scalar registers that the enabled ones (bits kSgpr…) take together.
[[nodiscard]] AMDCOMPAT_API std::uint32_t user_register_count(std::uint16_t user_registers);
// One group of user registers, in the order in which they lie.
struct UserRegister {
  std::uint16_t mask;
  std::uint32_t count;
  std::string_view name;
  std::string_view meaning;
};
[[nodiscard]] AMDCOMPAT_API std::span<const UserRegister> user_register_table();
// Bits of `features`; bits 1-2 hold the private element size as 2 << n bytes.
inline constexpr std::uint16_t kFeaturePtr64 = 1u << 3;
inline constexpr std::uint16_t kFeatureDynamicCallStack = 1u << 4;
inline constexpr std::uint16_t kFeatureDebug = 1u << 5;
inline constexpr std::uint16_t kFeatureXnack = 1u << 6;

// --- machine code as it is loaded ------------------------------------------------------------------------

// A section that is loaded. Machine code addresses other sections relative to itself, so what counts of an address is
// its distance to the others.
struct CodeSection {
  std::string name;
  std::uint64_t address = 0;  // bytes from the page the lowest section begins on
  std::vector<std::byte> bytes;
  std::uint64_t zero_bytes = 0;  // that follow `bytes` when loaded
  std::uint64_t align = 1;  // a power of two
  bool writable = false;
  bool executable = false;
  [[nodiscard]] std::uint64_t size() const { return bytes.size() + zero_bytes; }
  friend bool operator==(const CodeSection&, const CodeSection&) = default;
};

// Bytes of a section.
struct CodePlace {
  std::size_t section = 0;  // index
  std::uint64_t offset = 0;  // from the start of the section
  std::uint64_t size = 0;
  friend auto operator<=>(const CodePlace&, const CodePlace&) = default;
};

// A name for a place: variables and functions that are not kernels.
struct CodeSymbol {
  std::string name;
  std::optional<CodePlace> place;  // absent: defined outside, by whoever loads the code
  bool function = false;
  friend bool operator==(const CodeSymbol&, const CodeSymbol&) = default;
};

// Bytes that the loader sets to an address.
struct CodeRelocation {
  CodePlace where;  // `size` is 4 or 8
  std::uint32_t type = 0;  // kRelocation… of code_object.hpp: R_AMDGPU numbers
  std::optional<std::size_t> symbol;  // its address, plus `addend`; absent: `addend` bytes into section `target`
  std::size_t target = 0;
  std::int64_t addend = 0;
  friend bool operator==(const CodeRelocation&, const CodeRelocation&) = default;
};

struct MachineCode {
  std::vector<CodeSection> sections;  // by address, disjoint
  std::vector<CodeSymbol> symbols;
  std::vector<CodeRelocation> relocations;
  friend bool operator==(const MachineCode&, const MachineCode&) = default;
};
// Bytes of a place, as far as its section holds them; empty: it holds none.
[[nodiscard]] AMDCOMPAT_API std::span<const std::byte> code_bytes(const MachineCode& code, const CodePlace& place);

// How a kernel is started: by a CAL image, `amd_kernel_code_t` or a kernel descriptor.
using EntryState = std::variant<std::monostate, cl1::CalState, KernelCode, hsa::KernelDescriptor>;
// COMPUTE_PGM_RSRC2 of it: the number of user registers, and which ids follow them. 0 where it is not said.
[[nodiscard]] AMDCOMPAT_API std::uint32_t entry_rsrc2(const EntryState& entry);
// Bits kSgpr… of it; other bits may be set too. 0 where it is not said.
[[nodiscard]] AMDCOMPAT_API std::uint16_t entry_user_registers(const EntryState& entry);

}  // namespace amdcompat
