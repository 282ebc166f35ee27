// AMD OpenCL 2.0 ("CL2", HSAIL) containers: the faithful model, its reader and writers.
//
// A CL2 container is an ELF file of 32 or 64 bits without program headers, e_machine 0xaf5a or 0xaf5b. It has for each
// kernel two or more symbols, and for the whole program a BRIG module and the compiler's version:
//
//   __OpenCL_compiler_options                     .comment  options
//   acl_version_string                            .comment  "AMD-COMP-LIB-v0.8 (0.0.326)"
//   __OpenCL_&__OpenCL_<k>_kernel_metadata        .rodata   binary metadata: `Metadata`
//   __BRIG__                                      .brig     HSAIL module: `Brig`
//
// The machine code is where containers of older and newer compilers differ:
//
//   Separate (driver 15.7, before 1912.05)        __ISA_&__OpenCL_<k>_kernel_binary in .text: stub, setup, code
//                                                 __ISA_&__OpenCL_<k>_kernel_metadata in .rodata, 20 bytes
//   Nested (15.11 and later)                      .text is an ELF64 of its own: `Inner`; symbols there name the
//                                                 kernels, each a setup followed by its code
//
// The setup is AMD's `amd_kernel_code_t` (`KernelCode` in program.hpp), 256 bytes. The same facts stand in three
// places: binary metadata (what AMD's runtime reads), text in BRIG pragmas, and the setup (what the hardware gets).
//
// A `Binary` keeps the bytes of its file (`FileBytes`) and refers to them by offset; the metadata, which is what is
// edited and converted, is decoded into values that print back byte for byte. docs/cl2.md explains the format; keys
// such as [ACL] are resolved in docs/sources.md.
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
#include <amdcompat/elf.hpp>
#include <amdcompat/export.h>
#include <amdcompat/file_bytes.hpp>
#include <amdcompat/program.hpp>

namespace amdcompat::cl2 {

// How the container keeps its machine code. A container without kernels may not show it.
enum class CodeStorage : std::uint8_t {
  Separate,  // one symbol for each kernel (15.7)
  Nested,    // an inner ELF (15.11 and later)
};
[[nodiscard]] AMDCOMPAT_API std::string_view code_storage_name(CodeStorage storage);

// --- ELF -----------------------------------------------------------------------------------------------

// What a symbol of the outer ELF stands for, by its name.
enum class Role : std::uint8_t { None, CompileOptions, Version, Metadata, IsaBinary, IsaMetadata, Brig };

// `value` counts from the start of the section [BIN].
struct Symbol : elf::Symbol {
  SourceRange contents{};  // empty when it has none, or reaches outside its section
  SourceRange subject{};   // the kernel's name inside `name`, of the roles that have one
  Role role = Role::None;
};

// An ELF file, or one inside another. Ranges count from the start of the outer file.
struct ElfImage {
  SourceRange where;
  elf::Header header;
  AddressBits bits = AddressBits::Bits64;
  std::vector<elf::Section> sections;
  std::vector<elf::Segment> segments;
  std::vector<Symbol> symbols;  // the null symbol first, where the table has one
  std::optional<std::size_t> symbol_table;  // index into `sections`
  std::vector<SourceRange> gaps;  // bytes that no header, table or section covers, ascending
};

// --- binary metadata: aclMetadata ------------------------------------------------------------------------

// Bits of `Metadata::gpu_caps`. [ACL aclEnums.h]
struct CapabilityBit {
  std::uint32_t mask;
  std::string_view name;
};
[[nodiscard]] AMDCOMPAT_API std::span<const CapabilityBit> capability_bits();
inline constexpr std::uint32_t kCapWorkGroupSize = 0x4;  // set where a work-group size is required [BIN]
inline constexpr std::uint32_t kCap64BitAbi = 0x20;

// Kind of an argument record. [ACL aclEnums.h]
enum class ArgumentType : std::uint32_t { Error, Sampler, Image, Counter, Value, Pointer, Semaphore, Queue };
[[nodiscard]] AMDCOMPAT_API std::string_view argument_type_name(ArgumentType type);

// One argument as stored. The nine words mean something else for each type; `decode` reads them, `encode` writes them.
struct ArgumentRecord {
  std::uint64_t struct_size = 0;  // 88 or 64; what the record says, its place does not depend on it
  std::array<std::uint64_t, 2> pointers{};  // name and type string in the compiler's memory: 0 in files
  std::array<std::uint32_t, 9> words{};
  std::uint32_t type = 0;   // ArgumentType
  std::uint8_t is_const = 0;
  std::array<std::byte, 7> padding{};  // the first three in 32-bit records
  std::string name;       // may not hold a NUL
  std::string type_name;  // source type; may not hold a NUL
  SourceRange where;      // the record; not part of what is written
};

// What the words of a record say. `virtual_offset` counts 16-byte slots from 0 as in CL1: it is not where the code
// reads the argument (`layout_arguments` says that). [ACL aclStructs.h; BIN]
struct ValueWords {
  std::uint32_t elements = 1;  // structs: bytes
  std::uint32_t constant_buffer = 1;
  std::uint32_t virtual_offset = 0;
  std::uint32_t data = 0;  // `find_scalar`
};
struct PointerWords {
  std::uint32_t elements = 1;
  std::uint32_t constant_buffer = 1;
  std::uint32_t virtual_offset = 0;
  std::uint32_t buffer = 7;  // 7 in all real files
  std::uint32_t align = 1;   // bytes, of the pointee
  std::uint32_t data = 0;
  std::uint32_t memory = 4;  // `find_memory`
  std::uint32_t access = 3;  // `find_access`
  std::uint8_t is_volatile = 0;
  std::uint8_t is_restrict = 0;
  std::uint8_t is_pipe = 0;
  std::uint8_t unused = 0;
};
struct ImageWords {
  std::uint32_t resource = 0;
  std::uint32_t constant_buffer = 1;
  std::uint32_t virtual_offset = 0;
  std::uint32_t access = 1;
  // is2D, is1D, isArray, isBuffer: compilers leave what earlier arguments left there, so nothing reads them; the type
  // string says what the image is. [BIN]
  std::array<std::uint8_t, 4> flags{};
};
struct SamplerWords {
  std::uint32_t id = 0;
  std::uint32_t defined_in_kernel = 0;
  std::uint32_t virtual_offset = 0;  // the structure calls it `value` [BIN]
};
struct CounterWords {
  std::uint32_t is_32_bits = 1;
  std::uint32_t resource = 0;
  std::uint32_t constant_buffer = 1;
  std::uint32_t virtual_offset = 0;
};
struct SemaphoreWords {
  std::uint32_t resource = 0;
  std::uint32_t constant_buffer = 1;
  std::uint32_t virtual_offset = 0;
};
struct QueueWords {
  std::uint32_t elements = 1;
  std::uint32_t constant_buffer = 1;
  std::uint32_t virtual_offset = 0;
  std::uint32_t data = 18;
  std::uint32_t memory = 4;
};
// Nothing for a type that is none.
using ArgumentWords = std::variant<std::monostate, ValueWords, PointerWords, ImageWords, SamplerWords, CounterWords,
                                   SemaphoreWords, QueueWords>;
[[nodiscard]] AMDCOMPAT_API ArgumentWords decode(const ArgumentRecord& record);
// The words and the type of `words`; words that its type does not use become 0.
AMDCOMPAT_API void encode(ArgumentRecord& record, const ArgumentWords& words);

// Data type, memory kind and access by their codes; nothing for codes without a neutral counterpart. [ACL aclEnums.h]
[[nodiscard]] AMDCOMPAT_API std::optional<ScalarType> find_scalar(std::uint32_t code);
[[nodiscard]] AMDCOMPAT_API std::optional<MemoryKind> find_memory(std::uint32_t code);
[[nodiscard]] AMDCOMPAT_API std::optional<Access> find_access(std::uint32_t code);
// "image2d_array_t"; nothing for any other text.
[[nodiscard]] AMDCOMPAT_API std::optional<ImageDim> find_image_type(std::string_view type_name);

// One printf call site. Real CL2 files hold none: the form is that of the structure's declaration. [ACL aclStructs.h]
struct PrintfRecord {
  std::uint64_t struct_size = 0;  // 48 or 24
  std::uint32_t id = 0;
  std::uint32_t padding = 0;  // 64-bit records only
  std::array<std::uint64_t, 2> pointers{};  // 0 in files
  std::vector<std::uint32_t> sizes{};  // bytes of each argument
  std::string format{};  // may not hold a NUL
  SourceRange where{};  // the record; not part of what is written
};

// Which optional parts a header has: each compiler added one. [ACL; BIN]
enum class HeaderSize : std::uint8_t {
  Base,  // 0xd8 or 0x88: 15.7
  Hidden,  // 0xe0 or 0x8c: 15.11, adds the number of hidden arguments
  Hints,  // 0x110 or 0xa4: 16.x, adds hints and the name of the hinted vector type
};
// Bytes of such a header.
[[nodiscard]] AMDCOMPAT_API std::uint32_t header_bytes(HeaderSize size, AddressBits bits);

// The metadata of one kernel. Members in file order; sizes and counts that the file repeats (lengths of strings,
// numbers of records) are not members: they are checked when read and computed when written.
struct Metadata {
  AddressBits bits = AddressBits::Bits64;  // width of the words: that of the outer ELF
  HeaderSize header = HeaderSize::Hints;  // which of the optional members below are there
  std::vector<std::byte> header_rest;  // bytes that struct_size counts beyond the members known here
  std::uint64_t data_size = 0;  // bytes of all this, as the file says
  std::array<std::uint32_t, 3> version{3, 1, 104};
  std::uint32_t gpu_caps = kCap64BitAbi;
  std::uint32_t function_id = 1024;  // 1024 + index
  std::array<std::uint32_t, 5> resources{0, 8, 1, 1, 2};  // ids of UAV, private memory, LDS, GDS, constants
  std::array<std::uint64_t, 3> required_group_size{};  // work-items; all 0: none
  std::array<std::uint32_t, 3> required_region_size{};
  std::uint32_t padding = 0;  // 64-bit headers only
  // Bytes: hardware local, software local, hardware private, software private, hardware region, software region. Real
  // files use two: [1] is static LDS rounded up to 16 and [3] private memory, both up to 15.7 only. The setup is what
  // counts. [BIN]
  std::array<std::uint64_t, 6> memory{};
  std::array<std::uint64_t, 4> pointers{};  // arguments, printf, kernel name, device name: 0 in files
  std::uint8_t enqueue_kernel = 0;  // 1: the kernel enqueues others
  std::array<std::byte, 3> enqueue_padding{};
  std::uint32_t kernel_index = 0;
  // HeaderSize::Hidden
  std::uint32_t hidden_arguments = 0;  // how many of `arguments` the compiler added: 6
  std::uint32_t hidden_padding = 0;  // 64-bit headers only: garbage in real files
  // HeaderSize::Hints
  std::uint64_t waves_per_simd_hint = 0;  // a 32-bit number: 0xffffffff in most real files, which is none
  std::array<std::uint64_t, 3> group_size_hint{};
  std::uint64_t vector_type_pointer = 0;  // 0 in files

  std::string kernel_name;  // "__OpenCL_dummy_kernel" in every real file
  std::string device_name;  // "generic", later "GFX7" … "GFX9"
  std::string vector_type_hint;  // HeaderSize::Hints
  std::vector<ArgumentRecord> arguments;  // hidden ones first
  ArgumentRecord argument_end;  // all zero in files; its strings are not written
  std::vector<PrintfRecord> printf;
  PrintfRecord printf_end;
  std::vector<std::byte> rest;  // bytes after all that
};

// One member of the header and where it lies; for `inspect`, the tests and the documentation.
struct HeaderField {
  std::string_view name;
  std::uint32_t offset = 0;  // bytes from the start of the metadata
  std::uint32_t size = 0;  // bytes, of the whole array where it is one
};
// Of a header with all members, ascending.
[[nodiscard]] AMDCOMPAT_API std::vector<HeaderField> header_fields(AddressBits bits);

// Reads the metadata at `where` of `file`. Empty when it is cut short or its sizes contradict each other; the reason is
// then among the findings. What is read writes back byte for byte.
[[nodiscard]] AMDCOMPAT_API std::optional<Metadata> read_metadata(std::span<const std::byte> file, SourceRange where,
                                                                  AddressBits bits, Diagnostics& diagnostics);
// The bytes. `data_size` is written as it stands.
[[nodiscard]] AMDCOMPAT_API std::vector<std::byte> write_metadata(const Metadata& metadata);

// How many of the arguments the compiler added: what the header says, else those at the front whose name starts with
// `_.` [RT initArgList]. Never more than there are.
[[nodiscard]] AMDCOMPAT_API std::size_t hidden_argument_count(const Metadata& metadata);

// --- the argument block ----------------------------------------------------------------------------------

struct ArgumentLayout {
  std::vector<ArgumentBlockSlot> slots;  // one for each argument, without `declared`
  std::uint64_t bytes = 0;  // of the block as the setup counts it
};
// Where code that is stored so reads the arguments. Scalars and vectors are aligned to their element, pointers and
// queues to the address width, images and samplers to 8; structs stand there by address. The size is the exact end in
// Separate containers and rounded up to 16 in Nested ones. [RT loadArguments; fits 204 of 204 kernels of BIN]
// Nothing when an argument's type is unknown.
[[nodiscard]] AMDCOMPAT_API std::optional<ArgumentLayout> layout_arguments(const Metadata& metadata,
                                                                           CodeStorage storage);

// --- machine code ----------------------------------------------------------------------------------------

inline constexpr std::uint32_t kStubBytes = 0xa60;  // of every real Separate kernel [BIN]

// The 256 bytes of `amd_kernel_code_t`. [S2; CODE]
[[nodiscard]] AMDCOMPAT_API KernelCode read_kernel_code(std::span<const std::byte, kKernelCodeBytes> bytes);
[[nodiscard]] AMDCOMPAT_API std::array<std::byte, kKernelCodeBytes> write_kernel_code(const KernelCode& code);
using amdcompat::user_register_count;
using amdcompat::user_register_table;
using amdcompat::UserRegister;
// One member of the setup and where it lies.
struct KernelCodeField {
  std::string_view name;
  std::uint32_t offset = 0;  // bytes
  std::uint32_t size = 0;  // bytes
  std::uint64_t value = 0;  // integers only
};
[[nodiscard]] AMDCOMPAT_API std::vector<KernelCodeField> kernel_code_fields(const KernelCode& code);

// A note of the inner ELF.
struct Note {
  SourceRange where;  // header, name and description with padding
  SourceRange name;  // with its NUL
  SourceRange description;
  std::uint32_t type = 0;
};
struct NoteType {
  std::uint32_t type;
  std::string_view name;
  std::string_view source;
};
// Types of owner "AMD", ascending.
[[nodiscard]] AMDCOMPAT_API std::span<const NoteType> note_types();

struct HsailNote {
  std::uint32_t major = 0, minor = 0;
  std::uint8_t profile = 0;  // 0 base, 1 full
  std::uint8_t machine_model = 0;  // 0 small (32 bits), 1 large
  std::uint8_t rounding = 0;
};
struct IsaNote {
  std::uint32_t major = 0, minor = 0, stepping = 0;
  std::string vendor;  // "AMD"
  std::string architecture;  // "AMDGPU"; its final NUL may be missing [BIN]
};

// A sampler that the kernel source defines. [ELFH; BIN]
struct SamplerInit {
  SourceRange where{};  // its entry in .hsaimage_samplerinit
  std::uint16_t size = 8;
  std::uint16_t kind = 1;
  std::uint8_t normalized = 0;  // coordinates: 0 unnormalized, 1 normalized
  std::uint8_t filter = 0;  // 0 nearest, 1 linear
  std::uint8_t addressing = 0;  // 0 undefined, 1 clamp to edge, 2 clamp to border, 3 repeat, 4 mirrored repeat
  std::uint8_t reserved = 0;
};

// A relocation of the inner ELF. [ELFH R_AMDGPU_V1_*]
struct Relocation {
  SourceRange where;  // its entry
  std::size_t section = 0;  // index of the section that it changes
  std::uint64_t offset = 0;  // bytes in that section
  std::uint32_t symbol = 0;  // index into the inner symbols
  std::uint32_t type = 0;
  std::int64_t addend = 0;
};
struct RelocationType {
  std::uint32_t type;
  std::string_view name;
  std::uint32_t bytes;  // that it changes
  std::string_view meaning;
};
[[nodiscard]] AMDCOMPAT_API std::span<const RelocationType> relocation_types();
inline constexpr std::uint32_t kRelocationLow32 = 1;
inline constexpr std::uint32_t kRelocationHigh32 = 2;
inline constexpr std::uint32_t kRelocation64 = 3;
inline constexpr std::uint32_t kRelocationInitSampler = 4;

// The ELF64 in .text of a Nested container, also where the outer one has 32 bits.
struct Inner {
  ElfImage elf;
  std::vector<Note> notes;
  std::optional<std::array<std::uint32_t, 2>> code_object_version;  // 1, 0
  std::optional<HsailNote> hsail;
  std::optional<IsaNote> isa;
  std::string producer;  // empty when the note holds garbage, as those of 15.11 do: 8 bytes of no structure [BIN]
  std::string options;  // of the finalizer
  std::vector<SamplerInit> samplers;
  std::vector<Relocation> relocations;
};

// --- BRIG ------------------------------------------------------------------------------------------------

// A `pragma "AMD RTI", "…"` of the module, in the order of its code section. Strings are shared between pragmas (the
// module stores each once), so that only this order puts the text together again. [HLC brigEmitMetaData; BIN]
struct BrigPragma {
  SourceRange where;  // the directive in the code section
  SourceRange text;  // its second string in the data section
};
struct BrigSection {
  SourceRange where;
  SourceRange name;
  std::uint32_t header_bytes = 0;
};
struct Brig {
  SourceRange where;
  std::uint32_t major = 0, minor = 0;  // 1, 0
  std::vector<BrigSection> sections;
  std::vector<BrigPragma> pragmas;  // of producer "AMD RTI" only
};
// Reads the module at `where` of `file`. Empty when its tables cannot be read; the reason is among the findings.
[[nodiscard]] AMDCOMPAT_API std::optional<Brig> read_brig(std::span<const std::byte> file, SourceRange where,
                                                          Diagnostics& diagnostics);
// The pragmas' text, a line each, and where each line comes from.
struct AMDCOMPAT_API BrigText {
  std::string text;
  std::vector<std::uint32_t> starts;  // offset of each line in `text`
  std::vector<SourceRange> origins;  // the string of each line in the file
  // The range of the file that a range of `text` comes from; ranges over several lines end with the first.
  [[nodiscard]] SourceRange origin(SourceRange in_text) const;
};
// At most `max_bytes` of text; lines past that are left out.
[[nodiscard]] AMDCOMPAT_API BrigText brig_text(std::span<const std::byte> file, const Brig& brig,
                                               std::uint64_t max_bytes);

// --- devices ---------------------------------------------------------------------------------------------

// What a chip id in e_flags means to drivers from `first` up to and including `last` (version × 100, 191205 for
// 1912.05). [CLRX cl2CodeTables]
struct ChipRow {
  std::uint32_t chip;
  std::string_view device;  // a name or alias of the device table
  bool xnack;  // the xnack variant: gfx901, gfx903, gfx905, gfx907
  std::uint32_t first;
  std::uint32_t last;
};
[[nodiscard]] AMDCOMPAT_API std::span<const ChipRow> chip_rows();
// The ISA version that notes of CL2 containers give a device; it differs from ROCm's for Fiji and Tonga. [CLRX GPUId]
struct ChipVersion {
  std::string_view device;
  bool xnack;
  std::uint32_t major, minor, stepping;
};
[[nodiscard]] AMDCOMPAT_API std::span<const ChipVersion> chip_versions();

struct ChipChoice {
  const Device* device = nullptr;
  bool xnack = false;
  bool ambiguous = false;  // others fit as well
  bool contradicts = false;  // the chip id fits none of the ISA version's devices
};
// The device of a container: that of the ISA version which the chip id names, to the newest driver for which it does.
// Without a version, whatever the chip id names. `driver` (0: unknown) narrows the rows.
[[nodiscard]] AMDCOMPAT_API ChipChoice choose_chip(std::uint32_t chip, const std::optional<IsaNote>& isa,
                                                   std::optional<CodeStorage> storage, std::uint32_t driver = 0);

// --- the container ---------------------------------------------------------------------------------------

struct Kernel {
  std::string name;  // between `__OpenCL_` and `_kernel`
  // Indices into the symbols of the outer ELF; `code_symbol` into those of the inner one for Nested containers.
  std::optional<std::size_t> metadata_symbol;
  std::optional<std::size_t> code_symbol;
  std::optional<std::size_t> isa_metadata_symbol;
  SourceRange metadata_bytes;  // empty: none
  std::optional<Metadata> metadata;
  SourceRange stub;  // Separate only
  SourceRange setup_bytes;  // 256 bytes; empty: none
  std::optional<KernelCode> setup;
  SourceRange code;  // from the entry to the end of the symbol
  SourceRange isa_metadata;  // Separate only: 20 bytes of no known meaning
};

struct AMDCOMPAT_API Binary {
  FileBytes bytes;  // the file
  ElfImage elf;
  std::optional<CodeStorage> storage;  // absent: no kernel and no inner ELF shows it
  std::optional<Inner> inner;
  ChipChoice chip;
  std::optional<Brig> brig;
  std::vector<Kernel> kernels;  // in the order of their first symbols
  SourceRange compile_options;
  SourceRange version;  // text of acl_version_string

  // Bytes or text of a range; empty when the range is not inside the file.
  [[nodiscard]] std::span<const std::byte> view(SourceRange range) const;
  [[nodiscard]] std::string_view text(SourceRange range) const;
};

struct ReadOptions {
  std::uint64_t max_file_bytes = std::uint64_t{1} << 30;  // at most 4 GiB − 1
  std::uint32_t max_sections = 65'535;
  std::uint32_t max_symbols = 1'000'000;
  std::uint32_t max_kernels = 16'384;  // real files have up to 14
  std::uint32_t max_name_bytes = 1'024;  // of a kernel
  std::uint64_t max_brig_text = 64u << 20;
  std::uint32_t driver = 0;  // version × 100 of the driver that made the file, where the caller knows it
  // Metadata and setup are read of the kernel of this name only; empty: of all. Names and symbols are there of all.
  std::string kernel{};
};

// Reads a CL2 container. Anything else is refused with a diagnostic that names it. What is wrong with parts of the
// container goes to `diagnostics`; the parts that can be read are in the result.
[[nodiscard]] AMDCOMPAT_API std::optional<Binary> read(FileBytes bytes, Diagnostics& diagnostics,
                                                       const ReadOptions& options = {});
[[nodiscard]] AMDCOMPAT_API std::optional<Binary> read(std::vector<std::byte> bytes, Diagnostics& diagnostics,
                                                       const ReadOptions& options = {});

// --- writing ---------------------------------------------------------------------------------------------

// The file again, from the model: headers, tables, symbols, metadata, setups, relocations and samplers from their
// fields, all else from `binary.bytes`. Byte for byte what was read unless the model was edited; no layout is changed,
// so edited metadata must keep its size.
[[nodiscard]] AMDCOMPAT_API std::vector<std::byte> write(const Binary& binary);

}  // namespace amdcompat::cl2
