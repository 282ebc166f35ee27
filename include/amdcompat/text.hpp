// AMDIL text metadata: the faithful model, its parser and its printer.
//
// A text is a sequence of lines. Most are IL; metadata stands in comments around it:
//
//     func 1120 ; __OpenCL_scale_kernel          <- IL
//     endfunc ; __OpenCL_scale_kernel
//     ;ARGSTART:__OpenCL_scale_kernel            <- a block: one function's metadata
//     ;version:3:1:111
//     ;pointer:dst:float:1:1:0:uav:12:4:RW:0:0
//     ;ARGEND:__OpenCL_scale_kernel
//     ;#DATASTART:16                             <- a data segment
//     ;#i32:0:4:1:2:3:4
//     ;#DATAEND
//
// The HSAIL compilers write the same directives without the leading `;`, one a line or each inside
// `pragma "AMD RTI", "…";`. Nothing of the input is lost: every line is an `Element`, an unmodified
// document prints back byte for byte, and unknown directives stay as they are.
//
// Sources: [SPEC] the 2009 specification; [RT] AMD's runtime; [BE], [HLC] the emitters; [BIN] real files.
// The directive table (directive_table) names the source of each row.
#pragma once

#include <cstdint>
#include <forward_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/evidence.hpp>
#include <amdcompat/export.h>
#include <amdcompat/program.hpp>

namespace amdcompat::text {

// How a line carries a directive.
enum class Dialect : std::uint8_t {
  Amdil,        // `;directive`
  Hsail,        // `directive`
  HsailPragma,  // `pragma "AMD RTI", "directive";` or the older `blockstring "directive";`
};

struct MetadataVersion {
  std::uint32_t major = 0, minor = 0, revision = 0;
  friend auto operator<=>(const MetadataVersion&, const MetadataVersion&) = default;
};
// AMD's runtime compares (major, minor, revision) with these two. [RT gpukernel.cpp MetadataVersion]
inline constexpr MetadataVersion kAccessSince{2, 0, 88};       // pointers carry RO/RW/WO
inline constexpr MetadataVersion kQualifiersSince{3, 1, 103};  // pointers carry volatile and restrict

// --- directives ------------------------------------------------------------------------------------------
// Text fields are views into the document's own bytes (or its store of edited strings).

// Keyword of a directive that holds one unsigned number.
enum class NumberKey : std::uint8_t {
  UniqueId,
  Lws,
  WavesPerSimdHint,
  Membound,
  UavId,
  PrivateId,
  PrintfId,
  CbId,
  EnqueueKernel,
  KernelIndex
};
enum class MemorySpace : std::uint8_t { Private, Local, Region, HwPrivate, UavPrivate, HwLocal, HwRegion };
enum class MemoryFlag : std::uint8_t { CompilerWrite, DataRequired, Abi64, Gws, SwGws, PackedReg };
enum class GroupKey : std::uint8_t { Cws, Crs, Wsh };
enum class IdListKey : std::uint8_t { Function, Intrinsic };
enum class MessageKey : std::uint8_t { Error, Warning };

struct Version : MetadataVersion {};
struct DeviceName {
  std::string_view name;
};
struct Number {
  NumberKey key{};
  std::uint32_t value = 0;
};
struct MemorySize {
  MemorySpace space{};
  std::uint32_t bytes = 0;
};
struct MemoryFlagged {
  MemoryFlag flag{};
};
struct GroupSize {
  GroupKey key{};
  std::uint32_t x = 0, y = 0, z = 0;
};  // work-items
struct VectorTypeHint {
  std::string_view type;
};
struct LimitGroupSize {};
// `function:n:id…`, `intrinsic:n:id…`; the ids are Document::ids(list).
struct IdList {
  IdListKey key{};
  std::uint32_t count = 0;
  std::uint32_t first = 0, stored = 0;
};
struct Message {
  MessageKey key{};
  std::string_view text;
};
struct ConstArg {
  std::uint32_t index = 0;
  std::string_view name;
};
struct Reflection {
  std::uint32_t index = 0;
  std::string_view type;
};

struct ValueArg {
  std::string_view name;
  ScalarType type{};
  std::uint32_t elements = 0;  // 1, 2, 3, 4, 8, 16; struct and union: bytes
  std::uint32_t cb = 0;        // constant buffer number, 1 in real files
  std::uint32_t offset = 0;    // bytes from its start, a multiple of 16
};
struct PointerArg {
  std::string_view name;
  ScalarType type{};           // Other: `type_text` is a name this library does not know
  std::string_view type_text{};
  std::uint32_t elements = 0;  // 1
  std::uint32_t cb = 0;
  std::uint32_t offset = 0;    // bytes
  MemoryKind memory{};
  std::uint32_t buffer = 0;    // number in its class
  std::optional<std::uint32_t> align{};  // bytes; absent only with memory kind g
  Access access = Access::Unspecified;
  std::optional<bool> is_volatile{}, is_restrict{}, is_pipe{};
};
struct ImageArg {
  std::string_view name;
  ImageDim dim{};
  Access access{};
  std::uint32_t id = 0, cb = 0, offset = 0;
};
// CL1: location 0 is a kernel argument (value 0), 1 is defined in the kernel (value: state word).
// HSAIL dialect: location is the constant buffer number 1 and value the argument's offset in bytes.
struct SamplerDef {
  std::string_view name;
  std::uint32_t id = 0, location = 0, value = 0;
};
struct CounterArg {
  std::string_view name;
  std::uint32_t bits = 0;  // 32 or 64
  std::uint32_t id = 0, cb = 0, offset = 0;
};
struct SemaphoreArg {
  std::string_view name;
  std::uint32_t id = 0, cb = 0, offset = 0;
};
struct QueueArg {
  std::string_view name, type;
  std::uint32_t elements = 0, cb = 0, offset = 0;
  MemoryKind memory{};
};
// `printf_fmt:ID:N:S1…SN:LEN:FORMAT;` sizes are Document::ids({first, stored}).
struct PrintfFmt {
  std::uint32_t id = 0;
  std::uint32_t count = 0;             // N as written
  std::uint32_t first = 0, stored = 0; // sizes in bytes
  std::uint32_t length = 0;            // characters of the decoded format
  std::string_view escaped{};          // as written: CR and LF escaped
};
struct Unknown {};    // a directive this library does not know, or text inside a block; kept verbatim
struct Malformed {    // a known directive whose fields could not be read; kept verbatim
  bool essential = false;  // building anything without it would be wrong
};

using Directive = std::variant<Unknown, Malformed, Version, DeviceName, Number, MemorySize, MemoryFlagged, GroupSize,
                               VectorTypeHint, LimitGroupSize, IdList, Message, ConstArg, Reflection, ValueArg,
                               PointerArg, ImageArg, SamplerDef, CounterArg, SemaphoreArg, QueueArg, PrintfFmt>;

// --- other lines -----------------------------------------------------------------------------------------

enum class ElementKind : std::uint8_t {
  Il,            // an IL instruction, comment or blank line outside blocks
  BlockStart,
  BlockEnd,
  Metadata,      // `directive` holds it
  DataStart,
  DataWords,
  DataEnd,
  DebugStart,
  DebugText,
  DebugEnd,
  Patch,         // `;$$$$$$$$$$`
  Function,
  EndFunction,
  Macro,
  EndMacro,
};
enum class LineEnd : std::uint8_t { None, Lf, CrLf };

struct Element {
  SourceRange where;        // the line with its line end
  std::uint32_t body = 0;   // offset in the file of the directive's keyword, after `;` or the pragma's prefix
  std::uint32_t length = 0; // bytes of the directive
  ElementKind kind{};
  LineEnd line_end = LineEnd::Lf;
  bool canonical = true;    // printing the fields gives the input's bytes
  bool edited = false;      // changed since parsing: printed from its fields
  Directive directive;
};

// One `ARGSTART` … `ARGEND`.
struct Block {
  std::string_view name;
  std::uint32_t first = 0;      // index of the ARGSTART element
  std::uint32_t last = 0;       // index of the ARGEND element, or of the last element when it is missing
  bool closed = true;
  bool complete = true;         // false: an essential directive could not be read
  std::uint32_t unit = 0;       // compilation unit
  Dialect dialect = Dialect::Amdil;
  SourceRange where;
};

// `#TYPE:OFFSET:COUNT:words…`
struct DataWords {
  ScalarType type{};
  std::uint32_t lanes = 1;      // 3 for the alias v3i32; words include the padding lane
  std::uint32_t offset = 0;     // bytes in the segment
  std::uint32_t count = 0;      // words
  std::uint32_t first = 0;      // Document::words index
  std::uint32_t stored = 0;     // words given
  bool uninitialised = false;   // `<uninitalized constant>`: zeros
  std::uint32_t element = 0;
};
// Bytes of one word: struct and union data are listed byte by byte. [RT gpuprogram.cpp initGlobalData]
[[nodiscard]] AMDCOMPAT_API std::uint32_t data_width(const DataWords& line);
// Bytes the line covers.
[[nodiscard]] AMDCOMPAT_API std::uint64_t data_bytes(const DataWords& line);

struct Segment {
  std::optional<std::uint32_t> constant_buffer;  // hardware CB; absent: the global segment
  std::uint32_t size = 0;                        // bytes as declared
  std::vector<DataWords> lines;
  std::uint32_t first = 0, last = 0;             // elements DATASTART and DATAEND
  std::uint32_t unit = 0;
  bool complete = true;
  SourceRange where;
};
struct Function {
  std::uint32_t id = 0;
  std::string_view name;   // from the comment; may be empty
  std::uint32_t element = 0;
  std::uint32_t unit = 0;
};

// Integers of data segments: real compilers write every value in hex; the 2009 specification's examples write
// integers in decimal and floats in hex. [BE write_hex; SPEC «Data Segment»]
enum class DataNumbers : std::uint8_t { Hex, SpecDecimal };

// Input limits; the defaults are far above anything real. Exceeding one is a diagnostic.
struct Limits {
  std::uint64_t bytes = 64u << 20;
  std::uint32_t blocks = 1u << 14;
  std::uint32_t lines = 1u << 17;            // directives and runs of other lines
  std::uint32_t arguments = 1u << 16;        // of all blocks together
  std::uint32_t list_items = 1u << 16;       // ids of one function/intrinsic/printf_fmt line
  std::uint64_t segment_bytes = 16u << 20;   // of all data segments together
  std::uint32_t name_bytes = 1u << 16;
  std::uint32_t printf_id = 1u << 20;
};
struct ReadOptions {
  DataNumbers data_numbers = DataNumbers::Hex;
  Limits limits;
  std::uint32_t base = 0;   // added to every offset: the text's place in its container
};

// Owns the text and everything parsed from it. Move-only (elements view its bytes); `clone` parses again.
class AMDCOMPAT_API Document {
 public:
  Document() = default;
  Document(Document&&) = default;
  Document& operator=(Document&&) = default;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  [[nodiscard]] std::string_view source() const { return {source_.get(), size_}; }
  [[nodiscard]] std::uint32_t base() const { return base_; }
  [[nodiscard]] std::string_view slice(SourceRange where) const {
    return source().substr(where.begin - base_, where.size);
  }
  [[nodiscard]] std::string_view body(const Element& element) const {
    return source().substr(element.body - base_, element.length);
  }
  [[nodiscard]] std::span<const std::uint32_t> ids(std::uint32_t first, std::uint32_t stored) const {
    return std::span(ids_).subspan(first, stored);
  }
  [[nodiscard]] std::span<const std::uint64_t> words(const DataWords& line) const {
    return std::span(words_).subspan(line.first, line.stored);
  }
  [[nodiscard]] std::span<const Element> directives(const Block& block) const {
    return std::span(elements).subspan(block.first + 1, block.last - block.first - (block.closed ? 1 : 0));
  }

  // Replaces the directive of element `index`; it prints canonically from then on. Views in `directive` must
  // come from this document or from `keep`.
  void edit(std::size_t index, Directive directive);
  // Stores text for an edit and returns a view that lives as long as the document.
  [[nodiscard]] std::string_view keep(std::string text);

  std::vector<Element> elements;
  std::vector<Block> blocks;
  std::vector<Segment> segments;
  std::vector<Function> functions;
  std::uint32_t units = 1;

 private:
  friend class Parser;
  std::unique_ptr<char[]> source_;
  std::size_t size_ = 0;
  std::uint32_t base_ = 0;
  std::vector<std::uint32_t> ids_;
  std::vector<std::uint64_t> words_;
  std::forward_list<std::string> kept_;
};

// Parses a whole text. Reports every finding and recovers at the line; never fails as a whole.
[[nodiscard]] AMDCOMPAT_API Document parse(std::string_view source, Diagnostics& diagnostics,
                                           const ReadOptions& options = {});

// Findings that need more than one line: gates, order, duplicates, overlaps, indices, counts, call graph,
// data segments' sizes. `parse` does not call it. True: no error.
AMDCOMPAT_API bool check(const Document& document, Diagnostics& diagnostics, const ReadOptions& options = {});

// The kernel's name in `__OpenCL_<kernel>_kernel`; nothing for the block of another function.
// [RT gpuprogram.cpp parseAllILFuncs]
[[nodiscard]] AMDCOMPAT_API std::optional<std::string_view> kernel_name(std::string_view block_name);
// The same for a block of a document. HSAIL texts need not decorate names: there a block with a version line is a
// kernel's, as functions have none, and its whole name is the kernel's. [HLC; BIN]
[[nodiscard]] AMDCOMPAT_API std::optional<std::string_view> kernel_name(const Document& document, const Block& block);

// What a function needs together with all it calls: private amounts own + largest callee, local and region
// amounts own + sum of callees, flags of any. Amounts of one function that stand twice: the last counts, as in
// AMD's runtime. [SPEC «Local/Private Memory»; RT gpuprogram.cpp]
struct CallTotals {
  Segments segments;
  bool compiler_write = false, data_required = false, prints = false;
  bool cyclic = false;     // it reaches a circle of calls: the amounts are meaningless
  bool too_large = false;  // an amount over 32 bits
  bool incomplete = false; // it or a callee has a directive that could not be read
  bool failed = false;     // it or a callee carries a compiler error
};
// Totals of every block of the documents, in order. Calls to functions without a block add nothing; a function
// that lists itself counts once.
struct CallTable {
  std::vector<CallTotals> totals;
  std::unordered_map<std::uint64_t, std::uint32_t> by_id;  // (unit << 32 | uniqueid) -> index into totals
};
[[nodiscard]] AMDCOMPAT_API CallTable call_table(std::span<const Document* const> documents);
[[nodiscard]] AMDCOMPAT_API CallTable call_table(const Document& document);
// One block that calls functions of other documents (a binary keeps each function's metadata in a symbol of
// its own, and kernels never call kernels).
[[nodiscard]] AMDCOMPAT_API CallTotals call_totals(const Document& document, const Block& block,
                                                   const CallTable& functions);

// --- printing --------------------------------------------------------------------------------------------

// The document's text: unedited elements byte for byte, edited ones canonically.
[[nodiscard]] AMDCOMPAT_API std::string print(const Document& document);

struct PrintStyle {
  MetadataVersion version{3, 1, 111};  // decides which optional pointer fields are written
  Dialect dialect = Dialect::Amdil;
};
// One directive without prefix and line end. Fields that `style.version` does not have are left out, fields it
// needs and the model lacks are written with their default (RW, 0, 0).
[[nodiscard]] AMDCOMPAT_API std::string print_directive(const Document& document, const Directive& directive,
                                                        const PrintStyle& style);
// One directive with just the fields it has.
[[nodiscard]] AMDCOMPAT_API std::string print_directive(const Document& document, const Directive& directive);
// A block in canonical form of `style`; unknown and malformed lines verbatim.
[[nodiscard]] AMDCOMPAT_API std::string print_block(const Document& document, const Block& block,
                                                    const PrintStyle& style);
// A data segment in the form real compilers wrote: scalar types, all words in lower-case hex, no id on the end
// token of the global segment.
[[nodiscard]] AMDCOMPAT_API std::string print_segment(const Document& document, const Segment& segment);
// Rebuilds the bytes of elements [first, last] from their parsed fields; only elements that the parser marked
// non-canonical, and IL, come from the source. Equal to the source if and only if parser and printer agree.
[[nodiscard]] AMDCOMPAT_API std::string reprint(const Document& document, std::size_t first, std::size_t last);

// --- the directive table ---------------------------------------------------------------------------------

// One row a directive: keyword, fields in order, what AMD's runtime does with it, where we know it from.
struct DirectiveInfo {
  std::string_view keyword;
  std::string_view fields;
  std::string_view meaning;
  std::string_view runtime;  // what AMD's runtime does with it
  std::string_view source;
  Evidence evidence{};
  bool essential = false;    // nothing may be built from a block in which this could not be read
  bool repeats = false;      // may stand more than once in a block
};
[[nodiscard]] AMDCOMPAT_API std::span<const DirectiveInfo> directive_table();

[[nodiscard]] AMDCOMPAT_API std::string_view number_key_name(NumberKey key);
[[nodiscard]] AMDCOMPAT_API std::string_view memory_space_name(MemorySpace space);
[[nodiscard]] AMDCOMPAT_API std::string_view memory_flag_name(MemoryFlag flag);
[[nodiscard]] AMDCOMPAT_API std::string_view group_key_name(GroupKey key);
[[nodiscard]] AMDCOMPAT_API std::string_view access_name(Access access);  // "RO", "WO", "RW", "" for Unspecified

// Decodes the escapes of a printf format as AMD's runtime does: \n \r \a \b \f \v become control characters,
// any other backslash stays. [RT gpuprogram.cpp parseFuncMetadata]
[[nodiscard]] AMDCOMPAT_API std::string decode_printf(std::string_view escaped);
// Escapes CR and LF, as the compilers did. [BE AMDILKernelManager.cpp]
[[nodiscard]] AMDCOMPAT_API std::string encode_printf(std::string_view text);

}  // namespace amdcompat::text
