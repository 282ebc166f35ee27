// HSA metadata: what a loader of today is told about the kernels of a code object.
//
// A code object of version 3 and later carries a note (`AMDGPU`, type 32) whose payload is a MessagePack map:
//
//   amdhsa.version: [1, 0]
//   amdhsa.printf:  ['1:1:4:%d\n']
//   amdhsa.kernels:
//     - .name: saxpy          .symbol: saxpy.kd      .kernarg_segment_size: 48 ...
//       .args: [{.name: x, .value_kind: global_buffer, .offset: 0, .size: 8, ...}, ...]
//
// `Metadata` is the canonical model of that document, for every code object version. The keys, their types and
// where each comes from are data (`root_keys`, `kernel_keys`, `argument_keys`); the readers, the writers, the
// verifier and the tests walk those tables and know no key by themselves. What the tables do not know is kept
// as a `Node`, so that reading, writing and reading again gives the same model.
//
// Forms: MessagePack bytes, YAML text as llvm-readelf prints it and `.amdgpu_metadata` takes it, a note record,
// and an ELF file that holds nothing but the note. No function here throws on bad input.
//
// Sources: [S0] [S1] [LU] [LS] [LV] [LP] [RC] [ELFH] [LDR] [LLVM]; see docs/sources.md.
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

namespace amdcompat::hsa {

// --- versions and spellings ------------------------------------------------------------------------------

enum class CodeObjectVersion : std::uint8_t { V2 = 2, V3, V4, V5, V6 };

struct VersionInfo {
  CodeObjectVersion version;
  std::string_view name;                   // "V3"
  std::array<std::uint64_t, 2> metadata;   // `amdhsa.version`; V5 and V6 share one pair
  std::uint8_t abi_version;                // EI_ABIVERSION of the ELF header
  std::string_view source;
};
// V2 to V6, ascending.
[[nodiscard]] AMDCOMPAT_API std::span<const VersionInfo> all_code_object_versions();
[[nodiscard]] AMDCOMPAT_API const VersionInfo& version_info(CodeObjectVersion version);
// The oldest version with this `amdhsa.version` pair among V3 and later ([1,2] gives V5); empty when unknown.
[[nodiscard]] AMDCOMPAT_API std::optional<CodeObjectVersion> version_of_metadata(std::array<std::uint64_t, 2> pair);

// What a kernel argument is to the runtime. Hidden kinds are filled by the runtime, not by the application.
// clang-format off
enum class ValueKind : std::uint8_t {
  ByValue, GlobalBuffer, DynamicSharedPointer, Sampler, Image, Pipe, Queue,
  HiddenGlobalOffsetX, HiddenGlobalOffsetY, HiddenGlobalOffsetZ, HiddenNone, HiddenPrintfBuffer,
  HiddenHostcallBuffer, HiddenDefaultQueue, HiddenCompletionAction, HiddenMultigridSyncArg,
  HiddenBlockCountX, HiddenBlockCountY, HiddenBlockCountZ, HiddenGroupSizeX, HiddenGroupSizeY, HiddenGroupSizeZ,
  HiddenRemainderX, HiddenRemainderY, HiddenRemainderZ, HiddenGridDims, HiddenHeapV1, HiddenDynamicLdsSize,
  HiddenPrivateBase, HiddenSharedBase, HiddenQueuePtr
};
// clang-format on

struct ValueKindInfo {
  ValueKind kind;
  std::string_view name;               // V3 and later; also what YAML and MessagePack hold
  std::string_view v2_name;            // V2 YAML; empty for kinds V2 does not have
  std::string_view v2_alias;           // another spelling read in V2, or empty
  bool hidden;                         // the runtime fills it
  CodeObjectVersion since;             // first version that has it
  std::uint8_t size;                   // bytes the runtime writes; 0: as many as `.size` says
  std::optional<std::uint8_t> slot;    // V3, V4: place in the hidden list, eight bytes each; V2 the same
  std::optional<std::uint8_t> offset;  // V5 and later: bytes from the start of the implicit block
  std::string_view source;
};
[[nodiscard]] AMDCOMPAT_API std::span<const ValueKindInfo> all_value_kinds();
[[nodiscard]] AMDCOMPAT_API const ValueKindInfo& value_kind_info(ValueKind kind);
// `spelling` as V2 writes it for V2, else as V3 and later do; whether the version has the kind is not asked.
[[nodiscard]] AMDCOMPAT_API std::optional<ValueKind> find_value_kind(std::string_view spelling,
                                                                     CodeObjectVersion version = CodeObjectVersion::V3);

enum class AddressSpace : std::uint8_t { Private, Global, Constant, Local, Generic, Region };
// V2's `Default` is the absence of a qualifier.
enum class AccessQualifier : std::uint8_t { ReadOnly, WriteOnly, ReadWrite };

template <class Enum>
struct Spelling {
  Enum value;
  std::string_view name;     // V3 and later
  std::string_view v2_name;  // V2 YAML
  std::string_view source;
};
[[nodiscard]] AMDCOMPAT_API std::span<const Spelling<AddressSpace>> all_address_spaces();
[[nodiscard]] AMDCOMPAT_API std::span<const Spelling<AccessQualifier>> all_access_qualifiers();
[[nodiscard]] AMDCOMPAT_API std::string_view spelling(ValueKind kind);
[[nodiscard]] AMDCOMPAT_API std::string_view spelling(AddressSpace space);
[[nodiscard]] AMDCOMPAT_API std::string_view spelling(AccessQualifier access);
// Values LLVM's verifier takes for `.language`. [LV verifyKernel]
[[nodiscard]] AMDCOMPAT_API std::span<const std::string_view> all_languages();

// --- a document without a schema -------------------------------------------------------------------------

// Where a value was read from. Never part of a comparison: two models are equal when they say the same.
struct Origin {
  SourceRange range;
  friend constexpr bool operator==(const Origin&, const Origin&) { return true; }
};

struct NodeEntry;

// One value of a MessagePack or YAML document, owning everything under it. The readers give maps sorted by key
// without duplicates, and no more than `ReadOptions::max_depth` levels; a tree made by hand has to keep to both
// to survive being written and read.
struct Node {
  struct Nil {
    friend constexpr bool operator==(Nil, Nil) { return true; }
  };
  using Array = std::vector<Node>;
  using Map = std::vector<NodeEntry>;
  // int64_t holds negative numbers only.
  using Value = std::variant<Nil, bool, std::uint64_t, std::int64_t, double, std::string, Array, Map>;
  Value value;
  Origin where;
};
struct NodeEntry {
  std::string key;
  Node value;
};
// Deep comparison; any NaN equals any other.
[[nodiscard]] AMDCOMPAT_API bool operator==(const Node& a, const Node& b);
[[nodiscard]] AMDCOMPAT_API bool operator==(const NodeEntry& a, const NodeEntry& b);
// "text", "an unsigned integer", "a map", ...
[[nodiscard]] AMDCOMPAT_API std::string_view node_kind_name(const Node& node);

// --- the model -------------------------------------------------------------------------------------------

// One entry of `.args`. Every field is optional because a broken document must be representable; what is
// required is said by `argument_keys`.
struct MetadataArgument {
  std::optional<std::string> name;
  std::optional<std::string> type_name;         // source type, such as "float*"
  std::optional<std::uint64_t> size;            // bytes in the kernarg segment
  std::optional<std::uint64_t> offset;          // bytes from the start of the kernarg segment
  std::optional<ValueKind> value_kind;
  std::optional<std::string> value_type;        // "f32", ...; early V3 only, obsolete
  std::optional<std::uint64_t> pointee_align;   // bytes, a power of two; dynamic_shared_pointer needs it
  std::optional<AddressSpace> address_space;
  std::optional<AccessQualifier> access;        // image and pipe
  std::optional<AccessQualifier> actual_access;
  std::optional<bool> is_const;
  std::optional<bool> is_restrict;
  std::optional<bool> is_volatile;
  std::optional<bool> is_pipe;
  std::vector<NodeEntry> unknown;               // see Metadata::unknown
  Origin where;                                 // its map in the input
  friend bool operator==(const MetadataArgument&, const MetadataArgument&) = default;
};

// One entry of `amdhsa.kernels`.
struct MetadataKernel {
  std::optional<std::string> name;
  std::optional<std::string> symbol;            // of the kernel descriptor: name + ".kd"
  std::optional<std::string> kind;              // "normal", "init", "fini"; absent means normal
  std::optional<std::string> language;          // one of all_languages()
  std::optional<std::array<std::uint64_t, 2>> language_version;
  std::vector<MetadataArgument> args;           // written also when empty, unless:
  bool args_absent = false;                     // the document has no `.args`; only meant when `args` is empty
  std::optional<std::array<std::uint64_t, 3>> reqd_workgroup_size;   // work-items
  std::optional<std::array<std::uint64_t, 3>> workgroup_size_hint;   // work-items
  std::optional<std::string> vec_type_hint;
  std::optional<std::string> device_enqueue_symbol;
  std::optional<std::uint64_t> kernarg_segment_size;        // bytes
  std::optional<std::uint64_t> kernarg_segment_align;       // bytes, a power of two, at least 4
  std::optional<std::uint64_t> group_segment_fixed_size;    // bytes of LDS per work-group
  std::optional<std::uint64_t> private_segment_fixed_size;  // bytes of scratch per work-item
  std::optional<bool> uses_dynamic_stack;
  std::optional<std::uint64_t> workgroup_processor_mode;    // 0 or 1
  std::optional<std::uint64_t> wavefront_size;              // work-items: 32 or 64
  std::optional<std::uint64_t> sgpr_count;
  std::optional<std::uint64_t> vgpr_count;
  std::optional<std::uint64_t> agpr_count;
  std::optional<std::uint64_t> max_flat_workgroup_size;     // work-items
  std::optional<std::uint64_t> sgpr_spill_count;
  std::optional<std::uint64_t> vgpr_spill_count;
  std::optional<std::uint64_t> uniform_work_group_size;     // 0 or 1
  std::vector<NodeEntry> unknown;               // see Metadata::unknown
  Origin where;                                 // its map in the input
  friend bool operator==(const MetadataKernel&, const MetadataKernel&) = default;
};

// The whole document.
struct Metadata {
  std::optional<std::array<std::uint64_t, 2>> version;  // `amdhsa.version`
  std::optional<std::string> target;            // `amdhsa.target`, V4 and later: see target_id
  std::vector<std::string> printf;              // `amdhsa.printf`: see encode_printf; not written when empty
  std::vector<MetadataKernel> kernels;          // `amdhsa.kernels`; always written
  // Keys the tables do not have, and known keys whose value is not of the key's type (reported when read).
  // Sorted by key, no duplicates. Written back as they are; one with a known key takes that key's place.
  std::vector<NodeEntry> unknown;
  Origin where;
  friend bool operator==(const Metadata&, const Metadata&) = default;
};

// --- the key tables --------------------------------------------------------------------------------------

// Where a key's value lives. The alternative is the type of the key; `std::visit` is how every walker works.
template <class Record>
using Field = std::variant<
    std::optional<std::uint64_t> Record::*, std::optional<bool> Record::*, std::optional<std::string> Record::*,
    std::optional<ValueKind> Record::*, std::optional<AddressSpace> Record::*, std::optional<AccessQualifier> Record::*,
    std::optional<std::array<std::uint64_t, 2>> Record::*, std::optional<std::array<std::uint64_t, 3>> Record::*,
    std::vector<std::string> Record::*, std::vector<MetadataArgument> Record::*, std::vector<MetadataKernel> Record::*>;

template <class Record>
struct Key {
  std::string_view name;      // V3 and later, as MessagePack and YAML hold it
  std::string_view v2_name;   // path in V2 YAML, such as "CodeProps.NumSGPRs"; empty when V2 has no such key
  Field<Record> field;
  bool required;              // LLVM's verifier refuses a document without it
  CodeObjectVersion since;    // first version that has it
  std::string_view source;
};
// Each sorted by name.
[[nodiscard]] AMDCOMPAT_API std::span<const Key<Metadata>> root_keys();
[[nodiscard]] AMDCOMPAT_API std::span<const Key<MetadataKernel>> kernel_keys();
[[nodiscard]] AMDCOMPAT_API std::span<const Key<MetadataArgument>> argument_keys();

// --- reading ---------------------------------------------------------------------------------------------

struct ReadOptions {
  std::uint32_t base = 0;                      // file offset of the first byte; added to every reported range
  std::size_t max_bytes = std::size_t{64} << 20;  // longer inputs are refused
  std::size_t max_depth = 64;                  // levels of maps and arrays; real documents have 5; at most 500
  std::size_t max_values = std::size_t{4} << 20;  // scalars, maps and arrays; bounds memory to about 60 bytes each
};

// The document in `bytes`, which must be one MessagePack map. Reports malformed and cut input, lengths beyond the
// input, nesting, duplicate keys (the first is kept), keys that are not text, values of the wrong type (kept in
// `unknown`), list elements of the wrong type (dropped) and trailing bytes. Empty when there is no document at
// all; a document with errors is still returned, for as much as it says.
[[nodiscard]] AMDCOMPAT_API std::optional<Metadata> read_msgpack(std::string_view bytes, Diagnostics& diagnostics,
                                                                 const ReadOptions& options = {});
// The same for YAML. Plain and quoted scalars get the type LLVM gives them ([LLVM]: `n` is a boolean, `08` a
// number); tags !str !int !bool !float !nil decide. Where a key holds text but LLVM would see something else, the
// text is kept and a finding says so. Anchors and aliases are refused, a second document is not read.
[[nodiscard]] AMDCOMPAT_API std::optional<Metadata> read_yaml(std::string_view text, Diagnostics& diagnostics,
                                                              const ReadOptions& options = {});
// The YAML of V2 (note AMD/10) in all its spellings, as the same model: nested keys become flat ones, `Align` becomes
// `.offset` (each argument at the next multiple of its alignment, as runtimes compute it), `X@kd` becomes `X.kd`. The
// names of LLVM 5's CodeProps, whose alignments are logarithms, and the `amd.` keys and numbers of LLVM 4 (note AMD/8)
// are read too. Keys of V2 that V3 has no place for stay in `unknown` under their path, such as
// "DebugProps.ReservedNumVGPRs". Reports what read_yaml reports, but for the type of text, which V2 takes as it stands.
[[nodiscard]] AMDCOMPAT_API std::optional<Metadata> read_v2_yaml(std::string_view text, Diagnostics& diagnostics,
                                                                 const ReadOptions& options = {});
// The binary metadata of note AMD/7, as compilers of 2016 wrote it before there was YAML. What stands behind a key
// that is not known cannot be read: reported, and the kernels before it are given. No real file was at hand: the
// format is that of the sources of its compiler and its runtime.
[[nodiscard]] AMDCOMPAT_API std::optional<Metadata>
read_runtime_metadata(std::string_view bytes, Diagnostics& diagnostics, const ReadOptions& options = {});
// A key of `unknown` that V2 has and V3 does not: nothing is lost when a later version leaves it out.
[[nodiscard]] AMDCOMPAT_API bool is_v2_only_key(std::string_view path);
// A tree as a model; reports what read_msgpack reports about keys and types.
[[nodiscard]] AMDCOMPAT_API std::optional<Metadata> from_node(Node node, Diagnostics& diagnostics);

// --- writing ---------------------------------------------------------------------------------------------

// The document as a tree, maps sorted by key. For printers of other forms.
[[nodiscard]] AMDCOMPAT_API Node to_node(const Metadata& metadata);
// Keys sorted as LLVM sorts them (by bytes), shortest form of every integer and length: the same bytes LLVM's
// assembler writes for the document.
[[nodiscard]] AMDCOMPAT_API std::string to_msgpack(const Metadata& metadata);
// From `---` to `...`, byte for byte what llvm-readelf 19 prints, except where what it prints could not be read
// back: text that is not UTF-8 (each bad byte becomes U+FFFD), the control character DEL, floating-point
// numbers that six digits do not hold, sequences directly inside sequences; and text with `;`, `"`, `//`, `/*`, `\'`
// or a last backslash, which is double-quoted because the assembler would cut a single-quoted scalar there. A value
// of `unknown` that is a number under a key of text has no tag, as in LLVM, and is read as text again.
[[nodiscard]] AMDCOMPAT_API std::string to_yaml(const Metadata& metadata);
// The YAML of V2, keys in LLVM's order. Refused: arguments whose places no alignment explains, and value kinds that V2
// does not have. Keys of V3 and later are left out.
[[nodiscard]] AMDCOMPAT_API Result<std::string> to_v2_yaml(const Metadata& metadata);
// Note record: header, name "AMDGPU", MessagePack payload; all padded to four bytes.
[[nodiscard]] AMDCOMPAT_API std::string to_note(const Metadata& metadata);

// Setting of a target feature. Default: V3 takes what [S1] gives for the processor, V4 and later `Any` where the
// target has the feature.
enum class FeatureSetting : std::uint8_t { Default, Any, Off, On };
struct TargetFeatures {
  FeatureSetting xnack = FeatureSetting::Default;
  FeatureSetting sramecc = FeatureSetting::Default;
  friend bool operator==(const TargetFeatures&, const TargetFeatures&) = default;
};
// "gfx906:sramecc-:xnack+", as --target and target ids have it. Empty: no such target, feature or sign, or a
// feature twice.
struct TargetSpec {
  const Target* target = nullptr;
  TargetFeatures features;
};
[[nodiscard]] AMDCOMPAT_API std::optional<TargetSpec> parse_target(std::string_view text);
// The text that it reads: processor and features that are On or Off; those that the target does not have are left out.
[[nodiscard]] AMDCOMPAT_API std::string target_text(const Target& target, TargetFeatures features);
// What e_flags of V3 to V6 say; `target` is null when the machine is unknown. A feature that the target has and the
// flags call unsupported is Default.
[[nodiscard]] AMDCOMPAT_API TargetSpec read_elf_flags(std::uint32_t flags, CodeObjectVersion version);
// e_flags of a code object: machine, features, generic version. Refused: V2, a feature set `On`, `Off` or `Any` that
// the target does not have, a generic target before V6.
[[nodiscard]] AMDCOMPAT_API Result<std::uint32_t> elf_flags(const Target& target, CodeObjectVersion version,
                                                            TargetFeatures features = {});
// `amdhsa.target` of V4 and later, such as "amdgcn-amd-amdhsa--gfx906:sramecc-:xnack+"; a feature left at Default
// or Any is not named. The same refusals as elf_flags.
[[nodiscard]] AMDCOMPAT_API Result<std::string> target_id(const Target& target, CodeObjectVersion version,
                                                          TargetFeatures features = {});
// ELF file that holds the note and nothing else: what a tool that only reads metadata needs. Refused besides what
// elf_flags refuses: `amdhsa.version` that is not the version's, and a model that does not survive being written
// (keys of `unknown` unsorted or doubled, nesting over the limit).
[[nodiscard]] AMDCOMPAT_API Result<std::string> to_note_elf(const Metadata& metadata, const Target& target,
                                                            CodeObjectVersion version, TargetFeatures features = {});

// The payload of the first metadata note in a run of note records; `align` is 4, or 8 in a segment or section
// that is aligned so. Empty: there is none. Refused: a record before it that reaches beyond the buffer.
[[nodiscard]] AMDCOMPAT_API Result<std::optional<SourceRange>>
find_note(std::string_view notes, const ReadOptions& options = {}, std::size_t align = 4);
// find_note, then read_msgpack; a missing note is reported.
[[nodiscard]] AMDCOMPAT_API std::optional<Metadata> read_note(std::string_view notes, Diagnostics& diagnostics,
                                                              const ReadOptions& options = {});

struct AMDCOMPAT_API NoteElf {
  Metadata metadata;
  std::uint16_t machine = 0;  // e_machine; 224 is AMDGPU
  std::uint8_t osabi = 0;  // 64: HSA
  std::uint8_t abi_version = 0;  // see VersionInfo
  std::uint32_t flags = 0;  // e_flags
  SourceRange payload;  // MessagePack bytes in the file
  // The version the header states; empty when it states none of V3 to V6.
  [[nodiscard]] std::optional<CodeObjectVersion> version() const;
};
// The metadata of any little-endian ELF64 file, found through its PT_NOTE segments, else its SHT_NOTE sections.
[[nodiscard]] AMDCOMPAT_API std::optional<NoteElf> read_note_elf(std::string_view file, Diagnostics& diagnostics,
                                                                 const ReadOptions& options = {});

// --- verifying -------------------------------------------------------------------------------------------

struct VerifyOptions {
  std::optional<CodeObjectVersion> version = std::nullopt;  // absent: what `amdhsa.version` says
  bool allow_duplicate_kernels = false;  // a file of several devices may name a kernel twice
};
// Reports everything wrong or doubtful, each with a path such as `amdhsa.kernels[2].args[0].offset`: what LLVM
// checks (keys, types, spellings) and what no other tool does (layout, hidden arguments, duplicates, printf
// text). True when no error was reported. Findings about types that a reader already left in `diagnostics` are
// not repeated.
//
// Alignment of by-value arguments is a weak rule, because the document does not say what a value is made of:
// sizes 1, 2, 4 and 8 are expected at a multiple of themselves (a warning, as {int, int} needs only 4); other
// sizes anywhere. Pointers, handles and hidden arguments are written by the runtime as one word and must be
// aligned to it.
AMDCOMPAT_API bool verify(const Metadata& metadata, Diagnostics& diagnostics, const VerifyOptions& options = {});

// --- printf ----------------------------------------------------------------------------------------------

// `ID:N:S[0]:...:S[N-1]:Format`. [S1 "Printf"; LP]
struct PrintfString {
  std::uint32_t id = 0;
  std::uint32_t arguments = 0;  // N; compilers may state more than they list sizes for [BIN]
  std::vector<std::uint32_t> sizes;  // bytes of each argument in the buffer, multiples of 4
  std::string format;  // decoded: real control characters and colons
  bool hostcall = false;  // `0:0:<16 hex digits>,<format>`: text of the hostcall variant, not of this ABI
  bool raw_colon = false;  // the format held an unescaped `:`; ROCclr cuts the text there
  friend bool operator==(const PrintfString&, const PrintfString&) = default;
};
// The string with N = sizes.size(), the format escaped: \a \b \f \n \r \v, and `:` as `\72`. Backslashes are not
// doubled, so a format with a literal backslash before one of `abfnrv` or `72` decodes to something else; ask
// printf_format_survives.
[[nodiscard]] AMDCOMPAT_API std::string encode_printf(std::uint32_t id, std::span<const std::uint32_t> sizes,
                                                      std::string_view format);
// Undoes encode_printf. Sizes are the numbers after N, at most N of them, as long as text follows. The newline
// ROCclr adds to a format without one is not added. Error: ID or N is not a number, or there is no format.
[[nodiscard]] AMDCOMPAT_API Result<PrintfString> decode_printf(std::string_view text);
[[nodiscard]] AMDCOMPAT_API bool printf_format_survives(std::string_view format);

}  // namespace amdcompat::hsa
