// Building CL1 containers. A new one is laid out first and written second. Its order is that of real files: ELF header,
// .shstrtab, .strtab, .symtab (aligned to 8), .llvmir, .source, .comment, .rodata, .text, .amdil, then the section
// headers; an image inside follows the picture in parser/cl1/cal_image.cpp. Nothing but the symbol and header tables is
// aligned, as in real files. [BIN]
#include "cl1_builder.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <cl1/describe.hpp>
#include <elf/elf_view.hpp>
#include <elf/little_endian.hpp>
#include <elf/records.hpp>

namespace amdcompat::cl1 {
namespace {

using elf::FieldWriter;
using elf::inside;
using elf::put_bytes;
using elf::put_header;
using elf::put_section;
using elf::put_segment;
using elf::put_symbol;
using elf::store;

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

void append(std::vector<std::byte>& to, std::span<const std::byte> from) {
  to.insert(to.end(), from.begin(), from.end());
}

// A string table under construction: names in the order they are added, the empty one first.
class StringTable {
 public:
  std::uint32_t add(std::string_view name) {
    const auto at = static_cast<std::uint32_t>(bytes_.size());
    append(bytes_, bytes_of(name));
    bytes_.push_back(std::byte{0});
    return at;
  }
  void pad() { bytes_.push_back(std::byte{0}); }
  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_{std::byte{0}};
};

BuildError invalid(std::string message, std::string path = {}) { return {std::move(message), std::move(path)}; }

// --- CAL image -----------------------------------------------------------------------------------------

constexpr std::size_t kCalDataSize = 4736;  // 256 float4, 32 int4 and 32 bool constants
constexpr std::array<std::uint32_t, 17> kNoteOrder{2, 3, 16, 4, 5, 6, 7, 8, 9, 10, 11, 13, 12, 1, 14, 15, 17};

void append_note(std::vector<std::byte>& out, std::uint32_t type, std::span<const std::uint32_t> words) {
  const std::size_t at = out.size();
  out.resize(at + 20 + words.size() * 4);
  FieldWriter writer(out, at);
  writer.put(std::uint32_t{8}).put(static_cast<std::uint32_t>(words.size() * 4)).put(type);
  put_bytes(out, at + 12, bytes_of(kCalOwner));
  FieldWriter payload(out, at + 20);
  for (const std::uint32_t word : words) payload.put(word);
}

constexpr std::uint32_t kScratchSize = 0x80001045;

std::vector<std::byte> build_notes(const EncodingSpec& spec) {
  std::vector<std::byte> out;
  for (const std::uint32_t type : kNoteOrder) {
    if (type == kCalNoteProgramInfo) {
      std::vector<std::uint32_t> words;
      for (const ProgramInfoEntry& entry : spec.program_info) words.insert(words.end(), {entry.address, entry.value});
      append_note(out, type, words);
    }
    bool given = type == kCalNoteProgramInfo;  // even when empty: the note of an IL encoding is
    for (const NoteSpec& note : spec.notes) {
      if (note.type != type) continue;
      append_note(out, type, note.words);
      given = true;
    }
    if (given) continue;
    // What the notes hold when there is nothing to say. [BIN]
    const std::size_t count = type == 17 ? 32 : type == 4 || type == 8 || type == 13 || type == 15 ? 1 : 0;
    std::vector<std::uint32_t> words(count);
    if (type == kCalNoteScratch)  // as program information has it, where it does
      for (const ProgramInfoEntry& entry : spec.program_info)
        if (entry.address == kScratchSize) words[0] = entry.value;
    append_note(out, type, words);
  }
  for (const NoteSpec& note : spec.notes)
    if (std::ranges::find(kNoteOrder, note.type) == kNoteOrder.end()) append_note(out, note.type, note.words);
  return out;
}

// The parts of one encoding, in file order.
struct EncodingParts {
  std::vector<std::byte> notes;
  std::vector<std::byte> text;
  std::vector<std::byte> data;
  std::vector<std::byte> symbols;
  std::vector<std::byte> strings;
  [[nodiscard]] std::uint64_t code_size() const {
    return std::uint64_t{text.size()} + data.size() + symbols.size() + strings.size();
  }
};

EncodingParts make_parts(const EncodingSpec& spec) {
  EncodingParts parts;
  parts.notes = build_notes(spec);
  parts.text = spec.text;
  parts.data = spec.data.empty() ? std::vector<std::byte>(kCalDataSize) : spec.data;
  StringTable names;
  parts.symbols.resize((spec.symbols.size() + 1) * 16);
  for (std::size_t i = 0; i < spec.symbols.size(); ++i) {
    Symbol symbol;
    symbol.name_offset = names.add(spec.symbols[i].name);
    symbol.value = spec.symbols[i].value;
    symbol.section = spec.symbols[i].section;
    put_symbol(parts.symbols, (i + 1) * 16, symbol, false);
  }
  names.pad();
  parts.strings = names.bytes();
  return parts;
}

// --- container -----------------------------------------------------------------------------------------

// One section of the new container before it has an offset.
struct Part {
  std::string_view name;
  elf::Section header;
  std::vector<std::byte> contents;
};

constexpr std::uint64_t kAlloc = 2;
constexpr std::uint64_t kExecute = 4;
constexpr std::uint64_t kStrings = 0x20;
constexpr std::uint8_t kObject = 1;
constexpr std::uint8_t kFunction = 2;

class Builder {
 public:
  explicit Builder(const ContainerSpec& spec) : spec_(spec), is_64_(spec.elf_bits == AddressBits::Bits64) {}

  Built build() {
    if (auto problem = check()) return std::unexpected(std::move(*problem));
    make_parts();
    return lay_out();
  }

 private:
  // A symbol before section numbers are known.
  struct NewSymbol {
    std::string name;
    std::string_view section;
    std::uint8_t type = kObject;
    std::uint64_t value = 0;
    std::uint64_t size = 0;
  };

  std::optional<BuildError> check() const {
    if (spec_.kernels.size() + spec_.functions.size() + spec_.globals.size() > 1'000'000)
      return invalid("too many kernels, functions and data segments");
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < spec_.kernels.size(); ++i) {
      const KernelSpec& kernel = spec_.kernels[i];
      const std::string path = fmt::format("kernels[{}].name", i);
      if (kernel.name.empty()) return invalid("a kernel without a name", path);
      if (kernel.name.find('\0') != std::string::npos) return invalid("a kernel name with a NUL", path);
      if (!names.insert(kernel.name).second)
        return invalid(fmt::format("two kernels are called {}", quoted(kernel.name)), path);
    }
    names.clear();
    for (std::size_t i = 0; i < spec_.functions.size(); ++i) {
      const FunctionSpec& function = spec_.functions[i];
      const std::string path = fmt::format("functions[{}].name", i);
      if (function.name.empty() || function.name.find('\0') != std::string::npos)
        return invalid("a function name that is empty or has a NUL", path);
      if (!names.insert(function.name).second)
        return invalid(fmt::format("two functions are called {}", quoted(function.name)), path);
    }
    std::set<std::uint32_t> indices;
    for (std::size_t i = 0; i < spec_.globals.size(); ++i)
      if (!indices.insert(spec_.globals[i].index).second)
        return invalid(fmt::format("two data segments have the number {}", spec_.globals[i].index),
                       fmt::format("globals[{}].index", i));
    return std::nullopt;
  }

  void add_symbol(std::string name, std::string_view section, std::vector<std::byte>& to,
                  std::span<const std::byte> contents, std::uint8_t type = kObject) {
    symbols_.push_back({std::move(name), section, type, to.size(), contents.size()});
    append(to, contents);
  }

  void make_parts() {
    std::vector<std::byte> comment;
    std::vector<std::byte> rodata;
    std::vector<std::byte> text;
    std::vector<std::byte> amdil;
    if (spec_.compile_options)
      add_symbol("__OpenCL_compile_options", ".comment", comment, bytes_of(*spec_.compile_options));
    if (spec_.linker_options)
      add_symbol("__OpenCL_linker_options", ".comment", comment, bytes_of(*spec_.linker_options));
    append(comment, bytes_of(spec_.driver));
    for (const GlobalSpec& global : spec_.globals)
      add_symbol(fmt::format("__OpenCL_{}_global", global.index), ".rodata", rodata, global.contents);
    for (const KernelSpec& kernel : spec_.kernels) {
      if (!kernel.metadata.empty())
        add_symbol(fmt::format("__OpenCL_{}_metadata", kernel.name), ".rodata", rodata, bytes_of(kernel.metadata));
      if (!kernel.image.empty())
        add_symbol(fmt::format("__OpenCL_{}_kernel", kernel.name), ".text", text, kernel.image, kFunction);
      if (!kernel.il.empty())
        add_symbol(fmt::format("__OpenCL_{}_amdil", kernel.name), ".amdil", amdil, bytes_of(kernel.il));
      if (kernel.header) {
        std::array<std::byte, kKernelHeaderSize> header;
        FieldWriter(header, 0)
            .put(kernel.header->private_size)
            .put(kernel.header->local_size)
            .put(kernel.header->hardware_private_size)
            .put(kernel.header->hardware_local_size)
            .put(kernel.header->flags)
            .put(kernel.header->version)
            .put(kernel.header->region_size)
            .put(kernel.header->hardware_region_size);
        add_symbol(fmt::format("__OpenCL_{}_header", kernel.name), ".rodata", rodata, header);
      }
    }
    for (const FunctionSpec& function : spec_.functions)
      add_symbol(fmt::format("__OpenCL_{}_fmetadata", function.name), ".rodata", rodata, bytes_of(function.metadata));

    const auto add = [&](std::string_view name, std::uint32_t type, std::uint64_t flags,
                         std::vector<std::byte> contents) {
      Part part{name, {}, std::move(contents)};
      part.header.type = type;
      part.header.flags = flags;
      part.header.align = 1;
      parts_.push_back(std::move(part));
    };
    // Parts with a fixed place first; the two string tables and the symbols are filled in below.
    add(".shstrtab", elf::kSectionStrings, kStrings, {});
    add(".strtab", elf::kSectionStrings, kStrings, {});
    add(".symtab", elf::kSectionSymbols, 0, {});
    if (!spec_.llvmir.empty()) add(".llvmir", elf::kSectionProgbits, 0, spec_.llvmir);
    if (!spec_.source.empty())
      add(".source", elf::kSectionProgbits, 0,
          std::vector(bytes_of(spec_.source).begin(), bytes_of(spec_.source).end()));
    add(".comment", elf::kSectionProgbits, 0, std::move(comment));
    if (needs(".rodata", rodata)) add(".rodata", elf::kSectionProgbits, kAlloc, std::move(rodata));
    if (needs(".text", text)) add(".text", elf::kSectionProgbits, kAlloc | kExecute, std::move(text));
    if (needs(".amdil", amdil)) add(".amdil", elf::kSectionProgbits, 0, std::move(amdil));

    StringTable section_names;
    for (Part& part : parts_) part.header.name_offset = section_names.add(part.name);
    parts_[0].contents = section_names.bytes();

    StringTable symbol_names;
    const std::size_t entry = elf::symbol_size(is_64_);
    std::vector<std::byte> table((symbols_.size() + 1) * entry);
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      Symbol symbol;
      symbol.name_offset = symbol_names.add(symbols_[i].name);
      symbol.info = symbols_[i].type;
      symbol.section = section_number(symbols_[i].section);
      symbol.value = symbols_[i].value;
      symbol.size = symbols_[i].size;
      put_symbol(table, (i + 1) * entry, symbol, is_64_);
    }
    parts_[1].contents = symbol_names.bytes();
    parts_[2].contents = std::move(table);
    parts_[2].header.align = 8;
    parts_[2].header.link = 2;  // .strtab
    parts_[2].header.entsize = entry;
  }

  // A section that a symbol lies in must exist even when all its symbols are empty.
  bool needs(std::string_view section, const std::vector<std::byte>& contents) const {
    return !contents.empty() || std::ranges::find(symbols_, section, &NewSymbol::section) != symbols_.end();
  }

  std::uint16_t section_number(std::string_view name) const {
    const auto part = std::ranges::find(parts_, name, &Part::name);
    return static_cast<std::uint16_t>(part - parts_.begin() + 1);  // number 0 is the null section
  }

  Built lay_out() {
    std::uint64_t at = elf::header_size(is_64_);
    for (Part& part : parts_) {
      at = align_up(at, part.header.align);
      part.header.offset = at;
      part.header.size = part.contents.size();
      at += part.contents.size();
    }
    elf::Header header;
    header.ident = elf::identification(is_64_);
    header.machine = spec_.machine;
    header.shoff = align_up(at, is_64_ ? 8 : 4);
    header.ehsize = static_cast<std::uint16_t>(elf::header_size(is_64_));
    header.shentsize = static_cast<std::uint16_t>(elf::section_size(is_64_));
    header.shnum = static_cast<std::uint16_t>(parts_.size() + 1);
    header.shstrndx = 1;
    const std::uint64_t size = header.shoff + std::uint64_t{header.shnum} * header.shentsize;
    if (size > kMostBytes)
      return std::unexpected(invalid(fmt::format("the container would have {} bytes; 4 GiB is the limit", size)));

    std::vector<std::byte> out(static_cast<std::size_t>(size));
    put_header(out, 0, header, is_64_);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      put_bytes(out, parts_[i].header.offset, parts_[i].contents);
      put_section(out, header.shoff + (i + 1) * header.shentsize, parts_[i].header, is_64_);
    }
    return out;
  }

  const ContainerSpec& spec_;
  bool is_64_;
  std::vector<Part> parts_;
  std::vector<NewSymbol> symbols_;
};

}  // namespace

std::vector<ProgramInfoEntry> program_info_for(const Registers& registers, Isa isa) {
  // In the order AMD's compilers write them.
  if (is_vliw(isa))
    return {{0x80000002, registers.scratch_bytes / 16},
            {0x80000003, 0},
            {0x80000004, 0},
            {0x80000006, 256},
            {0x8000001c, 0},
            {0x8000001d, 0},
            {0x8000001e, 0},
            {0x8000000a, 1},
            {0x80000078, registers.wavefront_size},
            {0x80000079, 248},
            {0x80000080, registers.vgprs},
            {0x80000081, 0x8000},
            {0x80000082, registers.lds_bytes / 4},
            {0x80000083, 512},
            {0x80000084, 0}};
  const std::uint32_t lds_granule = isa == Isa::Gcn1_0 ? 256 : 512;  // bytes that the LDS field of RSRC2 counts in
  std::vector<ProgramInfoEntry> entries{{0x80001000, 0},
                                        {0x80001041, registers.vgprs},
                                        {0x80001042, registers.sgprs},
                                        {0x80001863, 102},
                                        {0x80001864, 256},
                                        {0x80001043, 0xc0},
                                        {0x80001044, 0},
                                        {0x80001045, registers.scratch_bytes / 4},
                                        {0x00002e13, (registers.scratch_bytes != 0 ? 1u : 0u) |
                                                         std::min(registers.lds_bytes / lds_granule, 0x1ffu) << 15},
                                        {0x8000001c, 256},
                                        {0x8000001d, 0},
                                        {0x8000001e, 0},
                                        {0x80001841, 0},
                                        {0x8000001f, 0}};
  for (std::uint32_t i = 0; i < 32; ++i) entries.push_back({0x80001843 + i, 0});
  for (const ProgramInfoEntry& entry : std::array<ProgramInfoEntry, 4>{{{0x8000000a, 1},
                                                                        {0x80000078, registers.wavefront_size},
                                                                        {0x80000081, 0x8000},
                                                                        {0x80000082, registers.lds_bytes}}})
    entries.push_back(entry);
  return entries;
}

Built build_cal_image(std::span<const EncodingSpec> encodings) {
  if (encodings.empty()) return std::unexpected(invalid("an image without encodings", "encodings"));
  if (encodings.size() > 16)
    return std::unexpected(
        invalid(fmt::format("{} encodings in one image; 16 is the limit", encodings.size()), "encodings"));
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    for (const CalSymbolSpec& symbol : encodings[i].symbols)
      if (symbol.name.find('\0') != std::string::npos)
        return std::unexpected(invalid("a symbol name with a NUL", fmt::format("encodings[{}].symbols", i)));
    if (std::ranges::find(encodings[i].notes, kCalNoteProgramInfo, &NoteSpec::type) != encodings[i].notes.end())
      return std::unexpected(
          invalid("program information among the other notes", fmt::format("encodings[{}].notes", i)));
  }

  std::vector<EncodingParts> parts;
  for (const EncodingSpec& spec : encodings) parts.push_back(make_parts(spec));

  const std::uint64_t count = encodings.size();
  StringTable names;
  const std::uint32_t shstrtab = names.add(".shstrtab");
  const std::array<std::uint32_t, 4> part_names{names.add(".text"), names.add(".data"), names.add(".symtab"),
                                                names.add(".strtab")};
  names.pad();

  elf::Header header;
  header.ident = elf::identification(false, 0x64, 1);
  header.machine = kCalMachine;
  header.flags = 1;
  header.ehsize = 52;
  header.phoff = 52;
  header.phentsize = 32;
  header.phnum = static_cast<std::uint16_t>(1 + 2 * count);
  header.shentsize = 40;
  header.shnum = static_cast<std::uint16_t>(2 + 4 * count);
  header.shstrndx = 1;
  const std::uint64_t dictionary = header.phoff + std::uint64_t{header.phnum} * header.phentsize;
  const std::uint64_t names_at = dictionary + count * kDictionaryEntrySize;
  header.shoff = names_at + names.bytes().size();
  std::uint64_t size = header.shoff + std::uint64_t{header.shnum} * header.shentsize;
  std::vector<std::uint64_t> offsets;
  for (const EncodingParts& part : parts) {
    offsets.push_back(size);
    size += part.notes.size() + part.code_size();
  }
  if (size > kMostBytes)
    return std::unexpected(invalid(fmt::format("the image would have {} bytes; 4 GiB is the limit", size)));

  std::vector<std::byte> out(static_cast<std::size_t>(size));
  put_header(out, 0, header, false);
  put_segment(out, header.phoff,
              {.type = kEncodingDictionary, .offset = dictionary, .filesz = count * kDictionaryEntrySize}, false);
  put_bytes(out, names_at, names.bytes());
  put_section(out, header.shoff + 40,
              {.name_offset = shstrtab, .type = elf::kSectionStrings, .offset = names_at, .size = names.bytes().size()},
              false);
  for (std::uint64_t i = 0; i < count; ++i) {
    const EncodingParts& part = parts[i];
    const std::uint64_t code = offsets[i] + part.notes.size();
    FieldWriter(out, dictionary + i * kDictionaryEntrySize)
        .put(encodings[i].machine)
        .put(std::uint32_t{4})
        .put(static_cast<std::uint32_t>(offsets[i]))
        .put(static_cast<std::uint32_t>(part.notes.size() + part.code_size()))
        .put(std::uint32_t{0});
    put_segment(out, header.phoff + (1 + 2 * i) * 32,
                {.type = elf::kSegmentNote, .offset = offsets[i], .filesz = part.notes.size()}, false);
    put_segment(out, header.phoff + (2 + 2 * i) * 32,
                {.type = elf::kSegmentLoad, .offset = code, .filesz = part.code_size(), .memsz = part.code_size()},
                false);
    put_bytes(out, offsets[i], part.notes);

    const std::uint64_t first = 2 + 4 * i;  // number of this encoding's .text
    std::uint64_t at = code;
    const auto add = [&](std::uint64_t index, std::uint32_t type, std::span<const std::byte> contents,
                         std::uint32_t link, std::uint32_t info, std::uint64_t entsize) {
      put_bytes(out, at, contents);
      put_section(out, header.shoff + (first + index) * 40,
                  {.name_offset = part_names[index],
                   .type = type,
                   .offset = at,
                   .size = contents.size(),
                   .link = link,
                   .info = info,
                   .entsize = entsize},
                  false);
      at += contents.size();
    };
    add(0, elf::kSectionProgbits, part.text, 0, 0, 0);
    add(1, elf::kSectionProgbits, part.data, 0, 0, part.data.size());
    add(2, elf::kSectionSymbols, part.symbols, static_cast<std::uint32_t>(first + 3), 1, 16);
    add(3, elf::kSectionStrings, part.strings, 0, 0, 0);
  }

  // Read back: what the reader makes of the bytes must be what went in.
  Diagnostics findings(Mode::Strict);
  const CalImage image = read_cal_image(out, {0, static_cast<std::uint32_t>(out.size())}, nullptr, findings);
  bool same = image.encodings.size() == encodings.size() && !findings.has_errors();
  for (std::size_t i = 0; same && i < encodings.size(); ++i)
    same = image.encodings[i].machine == encodings[i].machine &&
           image.encodings[i].entries == encodings[i].program_info &&
           image.encodings[i].text.size == encodings[i].text.size();
  if (!same) return std::unexpected(BuildError{"a CAL image that was just built does not read back", ""});
  return out;
}

Built build(const ContainerSpec& spec) { return Builder(spec).build(); }

}  // namespace amdcompat::cl1
