// HSA code objects: whole ELF files with machine code, from version 1 to version 6.
//
// What a loader takes is an ELF64 file for machine 224. Its parts are the same in every version, their forms are not:
//
//                      V1, V2                                   V3 to V6
//   kernel             `amd_kernel_code_t`, 256 bytes in front  descriptor, 64 bytes in .rodata, symbol `k.kd`;
//                      of the code; symbol `k` of type 10       symbol `k` of type function for the code
//   arguments          YAML in note AMD/10 (V1: none)           MessagePack in note AMDGPU/32
//   device             note AMD/3 {8, 0, 3}                     e_flags
//   EI_ABIVERSION      0                                        1, 2, 3, 4
//
// `CodeObject` is the model of all of them. Its metadata is the canonical one of hsa.hpp whatever the file's version.
// Sections keep their distances, because machine code addresses data and other code relative to itself; where the
// image lies in the address space is the writer's business.
//
// The descriptor and the two words it shares with `amd_kernel_code_t` are one table, `kernel_descriptor_fields`: what
// each bit means, on which generations, and what becomes of it when an old kernel gets a descriptor.
//
// Sources: [S0; S1; S2; ELFH; CODE; KD; LDR]; docs/code-objects.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/device.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>
#include <amdcompat/hsa.hpp>
#include <amdcompat/program.hpp>

namespace amdcompat::hsa {

// --- the kernel descriptor -------------------------------------------------------------------------------

// Targets of one name ("gfx8", "gfx90a", "gfx10") have descriptors with the same bits. Empty for VLIW targets, which
// have none.
[[nodiscard]] AMDCOMPAT_API std::string_view descriptor_group(const Target& target);

[[nodiscard]] AMDCOMPAT_API KernelDescriptor read_descriptor(std::span<const std::byte, kDescriptorBytes> bytes);
[[nodiscard]] AMDCOMPAT_API std::array<std::byte, kDescriptorBytes>
write_descriptor(const KernelDescriptor& descriptor);

// Words whose bits have names. `Features` is the upper half of the code properties of `amd_kernel_code_t`, which no
// descriptor has; the others stand in both.
enum class DescriptorWord : std::uint8_t { Rsrc1, Rsrc2, Rsrc3, Properties, Preload, Features };
[[nodiscard]] AMDCOMPAT_API std::string_view word_name(DescriptorWord word);

// What becomes of a field of `amd_kernel_code_t` in a descriptor.
enum class Fate : std::uint8_t {
  Copy,  // the same bits of the same word
  Clear,  // set by the command processor or loader, must be 0 in a descriptor: dropped
  Refuse,  // a kernel that sets it cannot run today
  Elsewhere,  // said by another field, by e_flags or by the metadata
  NotThere,  // the old structure has no such field
};

// Whether a field is there by `Target::unified_registers`.
enum class RegisterFile : std::uint8_t { Any, Separate, Unified };

struct KernelDescriptorField {
  DescriptorWord word;
  std::uint8_t bit;
  std::uint8_t width;  // bits
  std::string_view name;  // as LLVM's documentation has it, without the word's prefix
  std::string_view directive;  // `.amdhsa_…` that sets it; empty: computed, or not to be set
  Generation first, last;  // generations on which the bits mean this
  Fate fate;
  CodeObjectVersion since;  // first version whose descriptor has it
  std::string_view source;
  RegisterFile registers = RegisterFile::Any;
};
// By word and bit. Several rows name the same bits where targets differ. Bits in no row of a target are
// reserved and 0. A row whose `since` is V2 and whose fate is not Copy belongs to the old structure only.
[[nodiscard]] AMDCOMPAT_API std::span<const KernelDescriptorField> kernel_descriptor_fields();
// Whether the bits mean this on a target.
[[nodiscard]] AMDCOMPAT_API bool has_field(const Target& target, const KernelDescriptorField& field);
// The row of a bit on a target; null: reserved.
[[nodiscard]] AMDCOMPAT_API const KernelDescriptorField* find_field(DescriptorWord word, unsigned bit,
                                                                    const Target& target);
// Value of a field in the words of a descriptor; 0 for `Features`.
[[nodiscard]] AMDCOMPAT_API std::uint32_t field_value(const KernelDescriptor& descriptor,
                                                      const KernelDescriptorField& field);
AMDCOMPAT_API void set_field(KernelDescriptor& descriptor, const KernelDescriptorField& field, std::uint32_t value);
// Bits of the word that some row of the target names in a descriptor of the version.
[[nodiscard]] AMDCOMPAT_API std::uint32_t known_bits(DescriptorWord word, const Target& target,
                                                     CodeObjectVersion version);

inline constexpr std::uint16_t kPropertyWave32 = 1u << 10;
inline constexpr std::uint16_t kPropertyDynamicStack = 1u << 11;

// Registers that a descriptor's granules allow: upper bounds of what the kernel uses. SGPRs are 0 from gfx10 on, where
// every wavefront has all of them.
struct RegisterLimits {
  std::uint32_t vgprs = 0;
  std::uint32_t sgprs = 0;
};
[[nodiscard]] AMDCOMPAT_API RegisterLimits register_limits(std::uint32_t rsrc1, const Target& target, bool wave32);

// A descriptor for an old kernel. `entry_offset` is left 0. Reported: bits that are dropped, fields with values no
// compiler wrote. Empty, with an error: the kernel needs what no hardware has (grid counts, ordered GDS, GDS memory).
[[nodiscard]] AMDCOMPAT_API std::optional<KernelDescriptor> to_descriptor(const KernelCode& code, const Target& target,
                                                                          CodeObjectVersion version,
                                                                          Diagnostics& diagnostics,
                                                                          const std::string& path);
// And back: version 1.2, entry at 256, the machine version and register counts from the arguments. What the old
// structure cannot say (bits of gfx10 and later, preloading) is refused.
[[nodiscard]] AMDCOMPAT_API Result<KernelCode> to_kernel_code(const KernelDescriptor& descriptor, const Target& target,
                                                              const std::array<std::uint16_t, 3>& machine_version,
                                                              std::uint16_t sgprs, std::uint16_t vgprs);

// --- the model -------------------------------------------------------------------------------------------

// R_AMDGPU_… of LLVM, and the numbers of the same meaning in old files. [LU «Relocation Records»; ELFH R_AMDGPU_V1_*]
inline constexpr std::uint32_t kRelocationAbs32Low = 1;
inline constexpr std::uint32_t kRelocationAbs32High = 2;
inline constexpr std::uint32_t kRelocationAbs64 = 3;
inline constexpr std::uint32_t kRelocationAbs32 = 6;
inline constexpr std::uint32_t kRelocationRelative64 = 13;

struct CodeKernel {
  std::string name;  // symbol of the code
  std::optional<KernelDescriptor> descriptor;  // V3 and later
  std::optional<KernelCode> legacy;  // V1, V2
  std::optional<CodePlace> descriptor_place;  // absent: nowhere yet, `write_code_object` finds a place
  std::optional<CodePlace> legacy_place;  // of the 256 bytes; a file of V3 and later does not say
  CodePlace code;  // from its entry on
  friend bool operator==(const CodeKernel&, const CodeKernel&) = default;
};

// What notes of V1 and V2 say. [S0 «Note Records»; ELFH]
struct LegacyNotes {
  std::optional<std::array<std::uint32_t, 2>> code_object_version;  // note 1
  std::optional<std::array<std::uint32_t, 3>> isa;  // note 3: major, minor, stepping
  std::string isa_name;  // note 11
  bool finalizer = false;  // note 2: made by AMD's HSAIL finalizer
  std::string producer;  // note 4: "name major.minor"; empty where the note has another structure
  std::string producer_options;  // note 5
  friend bool operator==(const LegacyNotes&, const LegacyNotes&) = default;
};

struct CodeObject {
  CodeObjectVersion version = CodeObjectVersion::V5;
  bool v1 = false;  // with version V2: the code object says it is 1.x
  const Target* target = nullptr;  // null: not known
  TargetFeatures features;  // never Default where the target has the feature
  // `kernels` has those of the metadata in their order, then the others. Fields that V1 or V2 state in
  // `amd_kernel_code_t` only are filled from there.
  Metadata metadata;
  bool has_metadata = false;  // false: no document, `metadata` is made from the kernels alone
  std::string metadata_bytes;  // the document as it stands in the file
  MachineCode code;
  std::vector<CodeKernel> kernels;
  LegacyNotes notes;
  bool relocatable = false;  // ET_REL: not linked; what could be resolved is
  friend bool operator==(const CodeObject&, const CodeObject&) = default;
};

struct CodeObjectOptions {
  std::uint32_t base = 0;  // file offset of the first byte; added to every reported range
  ReadOptions metadata;  // `base` is set by the reader
  std::uint32_t max_sections = 65'535;
  std::uint32_t max_symbols = 1'000'000;
  std::uint32_t max_kernels = 65'536;
};
// Any of V1 to V6, told apart by EI_ABIVERSION, and for 0 by the notes [CODE GetCodeObjectVersion]. Reports what is
// broken and leaves it out; empty when the file as a whole cannot be read.
[[nodiscard]] AMDCOMPAT_API std::optional<CodeObject> read_code_object(std::string_view bytes, Diagnostics& diagnostics,
                                                                       const CodeObjectOptions& options = {});

// An ELF file of V3 to V6 as lld lays it out: ET_DYN, notes and dynamic symbols first, read-only sections, code,
// data, dynamic section; every kernel has its symbols `k` and `k.kd`. Kernels whose descriptor has no place get one in
// a new section `.rodata` in front of the others, on 64 bytes, and their entry offset. The result is read back and
// compared before it is returned; `again` is given what was read. Refused: V1 and V2, no target, kernels without
// descriptor, contradictions that no file can hold.
[[nodiscard]] AMDCOMPAT_API Result<std::string> write_code_object(CodeObject object, CodeObject* again = nullptr);

// Assembly for `llvm-mc -triple=amdgcn-amd-amdhsa -filetype=obj` (of LLVM 16 for V3) and `ld.lld -shared`, from
// which the same kernels, code and metadata come. Refused: what those two have no words for, with the reason.
[[nodiscard]] AMDCOMPAT_API Result<std::string> to_assembly(const CodeObject& object);

// The metadata of a V1 or V2 object as it counts once a loader has it: where `amd_kernel_code_t` says something else,
// it decides what the machine does, and the segment holds at least the arguments that are listed. Unknown keys are
// dropped. `metadata` begins as that of `object`. Findings: one KernelCodeOverrules for each kernel that disagrees, one
// for each unknown key, one for a segment nobody describes. False: a kernel that no loader can serve. Nothing to do for
// V3 on.
AMDCOMPAT_API bool settle_metadata(const CodeObject& object, Metadata& metadata, Diagnostics& diagnostics);

// Everything about the object that a loader or the hardware would trip over: descriptors against metadata, flags
// against `amdhsa.target`, alignment, reserved bits, entries outside code, registers. Findings have paths such as
// `kernels[2].descriptor.kernarg_size`. Metadata is verified too. True: no error.
AMDCOMPAT_API bool check_code_object(const CodeObject& object, Diagnostics& diagnostics);

// What the metadata says of a kernel in the neutral model: enough to launch it. Its device and its machine code are the
// object's.
[[nodiscard]] AMDCOMPAT_API Kernel to_kernel(const MetadataKernel& metadata, CodeObjectVersion version);

// --- offload bundles -------------------------------------------------------------------------------------

// One file of a clang offload bundle (`__CLANG_OFFLOAD_BUNDLE__`).
struct BundleEntry {
  std::string id;  // "hipv4-amdgcn-amd-amdhsa--gfx942"
  SourceRange where;
};
[[nodiscard]] AMDCOMPAT_API bool is_bundle(std::string_view bytes);
// Entries inside the file that share no byte with the table or an entry before them; others are reported. At most 4096.
[[nodiscard]] AMDCOMPAT_API std::vector<BundleEntry> read_bundle(std::string_view bytes, Diagnostics& diagnostics);
// The processor with its features ("gfx906:xnack-") of an AMDGPU entry's id; empty for host entries.
[[nodiscard]] AMDCOMPAT_API std::string_view bundle_target(std::string_view id);

}  // namespace amdcompat::hsa
