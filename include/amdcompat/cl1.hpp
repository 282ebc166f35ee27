// AMD OpenCL 1.x ("CL1") containers: the faithful model, its reader and writers.
//
// A CL1 container is an ELF file without program headers. For each kernel it has three symbols:
//
//   __OpenCL_<k>_metadata   .rodata  text metadata (;ARGSTART … ;ARGEND), see text.hpp
//   __OpenCL_<k>_header     .rodata  32 bytes, `KernelHeader`
//   __OpenCL_<k>_kernel     .text    an ELF file of its own: the CAL image with the machine code
//
// besides IL text (`_amdil`), metadata of functions (`_fmetadata`), data segments (`__OpenCL_<i>_global`) and, in
// .comment, the compile options directly followed by the driver's version string. Newer compiler libraries spell
// the names differently (BIF 3.0); both spellings are read. [RT14 bif_section_labels.hpp; BIN]
//
// A `Binary` keeps the bytes of its file (`FileBytes`) and refers to them by offset only (`SourceRange`), so that
// copies stay valid and a hostile file cannot make the model larger than a small multiple of itself.
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
#include <amdcompat/elf.hpp>
#include <amdcompat/evidence.hpp>
#include <amdcompat/export.h>
#include <amdcompat/file_bytes.hpp>
#include <amdcompat/machine_code.hpp>
#include <amdcompat/program.hpp>

namespace amdcompat::cl1 {

// --- the model -----------------------------------------------------------------------------------------

// What a symbol stands for, by its name.
enum class Role : std::uint8_t {
  None,
  CompileOptions,
  LinkerOptions,
  KernelMetadata,
  KernelHeader,
  KernelImage,
  KernelIl,
  KernelStub,
  KernelOptions,  // options one kernel was compiled with (BIF 3.0)
  FunctionMetadata,
  Global,  // a data segment
  IsaText,
  IsaMetadata,
  IlBinary,
  HsailText,
  Brig,
  DebugIl,  // kept, not interpreted
};

// How role names are spelled; `<subject>` stands between prefix and suffix.
struct RoleSpelling {
  std::string_view prefix;
  std::string_view suffix;  // empty: the prefix is the whole name
  Role role;
  std::string_view bif;  // "2.0", "3.0": version of AMD's binary image format
  std::string_view source;
};
[[nodiscard]] AMDCOMPAT_API std::span<const RoleSpelling> role_spellings();

// `value` counts from the start of the section, also in ET_EXEC files [BIN].
struct Symbol : elf::Symbol {
  SourceRange contents;  // empty when it has none, or reaches outside its section
  SourceRange subject;  // the part of the name that says which kernel, function or segment
  Role role = Role::None;
};

// Bits of `KernelHeader::flags`. [RT gpubinary.hpp, gpukernel.hpp]
inline constexpr std::uint32_t kHeaderLimitWorkgroup = 1u << 0;
inline constexpr std::uint32_t kHeaderPrintf = 1u << 1;
inline constexpr std::uint32_t kHeaderPrivateFixed = 1u << 2;
inline constexpr std::uint32_t kHeader64BitAbi = 1u << 3;
inline constexpr std::uint32_t kHeaderImages = 1u << 6;
inline constexpr std::uint32_t kHeaderImageWrites = 1u << 7;

// The 32 bytes of `_header`: eight little-endian words in this order. [RT gpubinary.hpp; CLRX AmdBinGen.cpp]
struct KernelHeader {
  std::uint32_t private_size = 0;  // emulated, bytes
  std::uint32_t local_size = 0;  // emulated, bytes
  std::uint32_t hardware_private_size = 0;  // bytes
  std::uint32_t hardware_local_size = 0;  // bytes
  std::uint32_t flags = 0;  // kHeader…
  std::uint32_t version = 1;  // AMD's runtime rejects a higher one
  std::uint32_t region_size = 0;  // emulated, bytes
  std::uint32_t hardware_region_size = 0;  // bytes
  friend bool operator==(const KernelHeader&, const KernelHeader&) = default;
};
inline constexpr std::uint32_t kKernelHeaderSize = 32;

// --- the inner CAL image -------------------------------------------------------------------------------

inline constexpr std::uint16_t kCalMachine = 0x7d;  // e_machine of the image
inline constexpr std::uint32_t kEncodingDictionary = 0x70000002;  // p_type
inline constexpr std::uint32_t kDictionaryEntrySize = 20;

// One note of an image: 12-byte header, "ATI CAL", payload.
struct CalNote {
  std::uint32_t type = 0;  // `cal_note_types`
  SourceRange where;  // the whole note
  SourceRange description;  // its payload
};
struct CalNoteType {
  std::uint32_t type;
  std::string_view name;
  std::string_view payload;
  std::string_view source;
};
[[nodiscard]] AMDCOMPAT_API std::span<const CalNoteType> cal_note_types();
// Null for a type without a row.
[[nodiscard]] AMDCOMPAT_API const CalNoteType* find_cal_note_type(std::uint32_t type);
inline constexpr std::uint32_t kCalNoteProgramInfo = 1;
inline constexpr std::uint32_t kCalNoteInputs = 2;
inline constexpr std::uint32_t kCalNoteConstantBuffers = 10;
inline constexpr std::uint32_t kCalNoteSamplers = 11;
inline constexpr std::uint32_t kCalNoteScratch = 13;
inline constexpr std::uint32_t kCalNoteUavs = 16;

struct ProgramInfoEntry {
  std::uint32_t address = 0;
  std::uint32_t value = 0;
  friend bool operator==(const ProgramInfoEntry&, const ProgramInfoEntry&) = default;
};

// Whose program information a field is: of VLIW devices, of GCN devices, or of both.
enum class ProgramInfoFamily : std::uint8_t { Common, Vliw, Gcn };

// One address, or a run of them, that PROGINFO entries use.
struct ProgramInfoField {
  std::uint32_t address;
  std::uint32_t count;  // consecutive addresses
  ProgramInfoFamily family;
  std::string_view name;
  std::string_view unit;
  Evidence evidence;
  std::string_view source;
  std::optional<std::uint32_t> ProgramInfo::* member;  // null: not decoded, only kept
};
[[nodiscard]] AMDCOMPAT_API std::span<const ProgramInfoField> program_info_fields();
// The row whose run holds `address` in that family; null when unknown.
[[nodiscard]] AMDCOMPAT_API const ProgramInfoField* find_program_info_field(std::uint32_t address,
                                                                            ProgramInfoFamily family);

// What the lists of an encoding's notes hold, in their order. Resources that the code does not use may be missing.
struct CalUav {
  std::uint32_t id = 0;
  std::uint32_t kind = 0;  // 4: buffer of an argument, 2: image that is written, 0: raw or printf buffer [BIN]
  std::uint32_t flags = 0;
  std::uint32_t type = 0;  // 5; images of drivers before 1124: 3
  friend bool operator==(const CalUav&, const CalUav&) = default;
};
struct CalSampler {
  std::uint32_t input = 0;
  std::uint32_t sampler = 0;  // id
  friend bool operator==(const CalSampler&, const CalSampler&) = default;
};
struct CalLists {
  std::vector<CalUav> uavs;
  std::vector<std::uint32_t> constant_buffers;  // numbers; the sizes behind them are garbage since driver 1124
  std::vector<CalSampler> samplers;
  std::vector<std::uint32_t> inputs;  // ids of images that are read
  std::optional<std::uint32_t> scratch_dwords;  // of a work-item
  friend bool operator==(const CalLists&, const CalLists&) = default;
};

// One entry of the encoding dictionary with what lies inside it.
struct Encoding {
  SourceRange entry;  // its 20 bytes in the dictionary
  std::uint32_t machine = 0;  // `Device::inner_machine`, or an IL code (`is_il_encoding`)
  std::uint32_t type = 0;  // 4
  std::uint32_t offset = 0;  // from the start of the image
  std::uint32_t size = 0;  // bytes
  std::uint32_t flags = 0;
  SourceRange where;  // empty when outside the image
  SourceRange text;  // .text, .data, .symtab, .strtab of this encoding; empty where missing
  SourceRange data;
  SourceRange symbols;
  SourceRange strings;
  std::vector<CalNote> notes;
  std::vector<ProgramInfoEntry> entries;  // of all its PROGINFO notes, in order
  ProgramInfo info;
  CalLists lists;
  std::vector<UserElement> user_elements;  // GCN, of the chosen encoding; ascending by register where well-formed
};

struct CalImage {
  SourceRange where;  // in the file
  std::vector<Encoding> encodings;  // in the order of the dictionary
  std::optional<std::size_t> chosen;  // the encoding for the device
  Registers registers;  // of the chosen encoding
};

// Reads the image that lies at `where` of `file`. `device` may be null. What is wrong is reported; an image that
// is not one at all gives a result without encodings. The bytes are never changed.
[[nodiscard]] AMDCOMPAT_API CalImage read_cal_image(std::span<const std::byte> file, SourceRange where,
                                                    const Device* device, Diagnostics& diagnostics);

// --- the container -------------------------------------------------------------------------------------

struct Kernel {
  std::string name;  // between `__OpenCL_` and the suffix
  // Indices into `Binary::symbols`; absent: the container has no such symbol.
  std::optional<std::size_t> metadata_symbol;
  std::optional<std::size_t> header_symbol;
  std::optional<std::size_t> image_symbol;
  std::optional<std::size_t> il_symbol;
  SourceRange metadata;  // text, without NULs that the symbol's size counts; empty: none
  SourceRange header_bytes;
  std::optional<KernelHeader> header;  // absent: no symbol, or fewer than 32 bytes
  SourceRange image;  // CAL image; empty: none
  SourceRange il;  // IL text; empty: none
  CalImage cal;  // decoded `image`
};

struct Function {
  std::string name;
  SourceRange metadata;
};

// `__OpenCL_<i>_global`. The number was 2 before driver 1348.05 and is 0 since. [CLRX; BIN]
struct Global {
  std::uint32_t index = 0;
  SourceRange contents;
};

struct AMDCOMPAT_API Binary {
  FileBytes bytes;  // the file
  elf::Header header;
  AddressBits elf_bits = AddressBits::Bits32;  // ELF class; a kernel's own ABI is in its metadata
  const Device* device = nullptr;  // by e_machine; null when unknown
  std::vector<elf::Section> sections;
  std::vector<elf::Segment> segments;
  std::vector<Symbol> symbols;
  std::optional<std::size_t> symbol_table;  // index into `sections`
  std::vector<SourceRange> gaps;  // bytes that no header, table or section covers, ascending
  std::vector<Kernel> kernels;  // in the order of their first symbols
  std::vector<Function> functions;
  std::vector<Global> globals;
  SourceRange compile_options;
  SourceRange linker_options;
  SourceRange driver;  // version string after the options in .comment

  // Bytes or text of a range; empty when the range is not inside the file.
  [[nodiscard]] std::span<const std::byte> view(SourceRange range) const;
  [[nodiscard]] std::string_view text(SourceRange range) const;
};

struct ReadOptions {
  std::uint64_t max_file_bytes = std::uint64_t{1} << 30;  // at most 4 GiB − 1
  std::uint32_t max_sections = 65'535;
  std::uint32_t max_symbols = 1'000'000;
  std::uint32_t max_kernels = 16'384;  // real files have up to 10
  std::uint32_t max_name_bytes = 1'024;  // of a kernel
  // Header and CAL image are read of the kernel of this name only; empty: of all. Names and ranges are there of all.
  std::string kernel{};
};

// Reads a CL1 GPU container. Anything else is refused, and `diagnostics` says what it is. What is wrong with parts of
// the container goes there too; the parts that can be read are in the result.
[[nodiscard]] AMDCOMPAT_API std::optional<Binary> read(FileBytes bytes, Diagnostics& diagnostics,
                                                       const ReadOptions& options = {});
[[nodiscard]] AMDCOMPAT_API std::optional<Binary> read(std::vector<std::byte> bytes, Diagnostics& diagnostics,
                                                       const ReadOptions& options = {});

// --- writing -------------------------------------------------------------------------------------------

// The file again, from headers, sections, symbols and gaps of the model: byte for byte what was read unless the
// model was edited. Section contents are taken from `binary.bytes`; no layout is changed.
[[nodiscard]] AMDCOMPAT_API std::vector<std::byte> write(const Binary& binary);

}  // namespace amdcompat::cl1
