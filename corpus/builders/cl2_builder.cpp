// Building CL2 containers. A new one has the order of real files: ELF header, .shstrtab, .strtab, .symtab (aligned to
// 8), .comment, .rodata, .brig (to 4), .text, section headers. The inner ELF of a Nested one follows the later
// compilers: program headers, .shstrtab, .strtab, .note, data, .hsatext (to 256), .symtab, samplers, relocations.
// [BIN; CLRX]
#include "cl2_builder.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include <cl2/bytes.hpp>
#include <cl2/elf_image.hpp>
#include <cl2/inner.hpp>

namespace amdcompat::cl2 {
namespace {

using elf::inside;

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kStrings = 0x20;  // SHF_STRINGS, as the compilers set it on both string tables
constexpr std::uint64_t kAlloc = 0x2;
constexpr std::uint64_t kExecute = 0x4;
constexpr std::uint64_t kCodeFlags = 0xc00007;  // AGENT | CODE | alloc, write, execute [ELFH; BIN]
constexpr std::uint64_t kReadonlyFlags = 0xa00003;  // AGENT | READONLY
constexpr std::uint64_t kGlobalFlags = 0x900003;  // AGENT | GLOBAL
constexpr std::uint64_t kMerge = 0x10;
constexpr std::uint32_t kProgramSegment = 0x60000001;
constexpr std::uint32_t kReadonlySegment = 0x60000002;
constexpr std::uint32_t kCodeSegment = 0x60000003;
constexpr std::uint8_t kObject = 1, kFunction = 2, kSectionSymbol = 3, kSamplerObject = 12, kKernelSymbol = 0x1a;
constexpr std::uint64_t kKernelAlign = 256;

// What every Separate kernel has beside its code. No document says what the numbers mean. [BIN]
constexpr std::array<std::uint8_t, 20> kIsaMetadata{0, 0, 0x68, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0x42, 9, 0, 0, 0, 0, 0, 0};

BuildError invalid(std::string message, std::string path = {}) { return {std::move(message), std::move(path)}; }

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

void append(std::vector<std::byte>& to, std::span<const std::byte> from) {
  to.insert(to.end(), from.begin(), from.end());
}

// An ELF file under construction: sections and symbols in the order they are added.
class ElfBuilder {
 public:
  ElfBuilder(AddressBits bits, std::uint16_t machine, std::uint16_t type, std::uint32_t flags)
      : is_64_(bits == AddressBits::Bits64) {
    header_.ident = elf::identification(is_64_);
    header_.type = type;
    header_.machine = machine;
    header_.flags = flags;
    add_section("", 0, 0, 0);
    add_symbol("", 0, "", 0, 0);
  }
  elf::Header& header() { return header_; }

  std::vector<std::byte>& add_section(std::string name, std::uint32_t type, std::uint64_t flags, std::uint64_t align) {
    Part& part = parts_.emplace_back();
    part.name = std::move(name);
    part.header.type = type;
    part.header.flags = flags;
    part.header.align = align;
    return part.contents;
  }
  void add_symbol(std::string name, std::uint8_t info, std::string section, std::uint64_t value, std::uint64_t size) {
    symbols_.push_back({std::move(name), std::move(section), info, value, size});
  }
  void add_segment(std::uint32_t type, std::uint32_t flags, std::string section) {
    segments_.push_back({type, flags, std::move(section)});
  }
  std::size_t symbol_count() const { return symbols_.size(); }
  // Numbers of sections, filled in when the file is laid out.
  void link(std::string_view section, std::string link, std::string info, std::uint64_t entry) {
    Part& part = find(section);
    part.link = std::move(link);
    part.info = std::move(info);
    part.header.entsize = entry;
  }

  Built build(std::string_view symbol_section, std::string_view names_section, std::string_view strings_section) {
    Part& names = find(names_section);
    names.contents.push_back(std::byte{0});
    for (Part& part : parts_) part.header.name_offset = part.name.empty() ? 0 : add_string(names.contents, part.name);
    Part& strings = find(strings_section);
    strings.contents.push_back(std::byte{0});
    Part& table = find(symbol_section);
    const std::uint32_t entry = symbol_size(is_64_);
    table.contents.resize(symbols_.size() * entry);
    table.header.entsize = entry;
    table.header.link = number(strings_section);
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      Symbol symbol;
      symbol.name_offset = symbols_[i].name.empty() ? 0 : add_string(strings.contents, symbols_[i].name);
      symbol.info = symbols_[i].info;
      symbol.section = static_cast<std::uint16_t>(number(symbols_[i].section));
      symbol.value = symbols_[i].value;
      symbol.size = symbols_[i].size;
      put_symbol(table.contents, i * entry, symbol, is_64_);
    }

    std::uint64_t at = header_size(is_64_) + segments_.size() * segment_size(is_64_);
    for (Part& part : parts_) {
      if (part.header.type == elf::kSectionNull) continue;
      at = align_up(at, std::max<std::uint64_t>(part.header.align, 1));
      part.header.offset = at;
      part.header.size = part.contents.size();
      if (!part.link.empty()) part.header.link = number(part.link);
      if (!part.info.empty()) part.header.info = number(part.info);
      at += part.contents.size();
    }
    header_.ehsize = static_cast<std::uint16_t>(header_size(is_64_));
    header_.phoff = segments_.empty() ? 0 : header_.ehsize;
    header_.phentsize = static_cast<std::uint16_t>(segments_.empty() ? 0 : segment_size(is_64_));
    header_.phnum = static_cast<std::uint16_t>(segments_.size());
    header_.shoff = align_up(at, 8);
    header_.shentsize = static_cast<std::uint16_t>(section_size(is_64_));
    header_.shnum = static_cast<std::uint16_t>(parts_.size());
    header_.shstrndx = static_cast<std::uint16_t>(number(names_section));
    const std::uint64_t size = header_.shoff + parts_.size() * section_size(is_64_);
    if (size > kMostBytes)
      return std::unexpected(invalid(fmt::format("the container would have {} bytes; 4 GiB is the limit", size)));

    std::vector<std::byte> out(static_cast<std::size_t>(size));
    put_header(out, 0, header_, is_64_);
    std::uint64_t address = 0;  // in the loaded program: segments one after another
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      const Part& part = find(segments_[i].section);
      address = align_up(address, part.header.align);
      put_segment(out, header_.phoff + i * segment_size(is_64_),
                  {.type = segments_[i].type,
                   .flags = segments_[i].flags,
                   .offset = part.header.offset,
                   .vaddr = address,
                   .filesz = part.header.size,
                   .memsz = part.header.size,
                   .align = part.header.align},
                  is_64_);
      address += part.header.size;
    }
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      put_bytes(out, parts_[i].header.offset, parts_[i].contents);
      put_section(out, header_.shoff + i * section_size(is_64_), parts_[i].header, is_64_);
    }
    return out;
  }

 private:
  struct Part {
    std::string name;
    elf::Section header;
    std::vector<std::byte> contents;
    std::string link, info;  // sections whose numbers these are
  };
  struct NewSymbol {
    std::string name;
    std::string section;
    std::uint8_t info = 0;
    std::uint64_t value = 0;
    std::uint64_t size = 0;
  };
  struct NewSegment {
    std::uint32_t type;
    std::uint32_t flags;
    std::string section;
  };

  static std::uint32_t add_string(std::vector<std::byte>& table, std::string_view text) {
    const auto at = static_cast<std::uint32_t>(table.size());
    append(table, std::as_bytes(std::span(text)));
    table.push_back(std::byte{0});
    return at;
  }
  // The null section stands for a name that is none.
  std::uint32_t number(std::string_view name) const {
    const auto found = std::ranges::find(parts_, name, &Part::name);
    return found == parts_.end() ? 0 : static_cast<std::uint32_t>(found - parts_.begin());
  }
  Part& find(std::string_view name) { return parts_[number(name)]; }

  bool is_64_;
  elf::Header header_;
  std::vector<Part> parts_;
  std::vector<NewSymbol> symbols_;
  std::vector<NewSegment> segments_;
};

void append_note(std::vector<std::byte>& out, const NoteSpec& note) {
  Appender bytes(true);
  bytes.put(std::uint32_t{4});
  bytes.put(static_cast<std::uint32_t>(note.description.size()));
  bytes.put(note.type);
  bytes.put_text(std::string_view("AMD\0", 4));
  bytes.put_bytes(note.description);
  bytes.bytes().resize(align_up(bytes.bytes().size(), 4));
  append(out, bytes.bytes());
}

class Builder {
 public:
  explicit Builder(const ContainerSpec& spec) : spec_(spec) {}

  Built run() {
    if (auto problem = find_problem()) return std::unexpected(std::move(*problem));
    const bool is_64 = spec_.bits == AddressBits::Bits64;
    ElfBuilder elf(spec_.bits, is_64 ? 0xaf5b : 0xaf5a, 2, spec_.chip);
    elf.add_section(".shstrtab", elf::kSectionStrings, kStrings, 1);
    elf.add_section(".strtab", elf::kSectionStrings, kStrings, 1);
    elf.add_section(".symtab", elf::kSectionSymbols, 0, 8);

    std::vector<std::byte> comment, rodata, text;
    const auto add = [&](std::string name, std::uint8_t info, std::string section, std::vector<std::byte>& to,
                         std::span<const std::byte> bytes) {
      elf.add_symbol(std::move(name), info, std::move(section), to.size(), bytes.size());
      append(to, bytes);
    };
    const auto bytes_of = [](std::string_view t) { return std::as_bytes(std::span(t)); };
    if (spec_.compile_options)
      add("__OpenCL_compiler_options", kObject, ".comment", comment, bytes_of(*spec_.compile_options));
    for (const KernelSpec& kernel : spec_.kernels) {
      Metadata metadata = kernel.metadata;
      finish_metadata(metadata);
      add(fmt::format("__OpenCL_&__OpenCL_{}_kernel_metadata", kernel.name), kObject, ".rodata", rodata,
          write_metadata(metadata));
    }
    if (!spec_.brig.empty()) elf.add_symbol("__BRIG__", kObject, ".brig", 0, spec_.brig.size());
    if (spec_.storage == CodeStorage::Separate) {
      for (const KernelSpec& kernel : spec_.kernels) {
        std::vector<std::byte> code(kStubBytes);
        elf::store(std::span(code), 0, kStubBytes);
        append(code, write_kernel_code(kernel.setup));
        append(code, kernel.code);
        add(fmt::format("__ISA_&__OpenCL_{}_kernel_binary", kernel.name), kFunction, ".text", text, code);
        add(fmt::format("__ISA_&__OpenCL_{}_kernel_metadata", kernel.name), kObject, ".rodata", rodata,
            std::as_bytes(std::span(kIsaMetadata)));
      }
    } else {
      Built inner = build_inner();
      if (!inner) return inner;
      text = std::move(*inner);
    }
    add("acl_version_string", kObject, ".comment", comment, bytes_of(spec_.version));

    elf.add_section(".comment", elf::kSectionProgbits, 0, 1) = std::move(comment);
    if (!rodata.empty()) elf.add_section(".rodata", elf::kSectionProgbits, kAlloc, 1) = std::move(rodata);
    if (!spec_.brig.empty()) elf.add_section(".brig", elf::kSectionProgbits, 0, 4) = spec_.brig;
    if (!text.empty()) elf.add_section(".text", elf::kSectionProgbits, kAlloc | kExecute, 1) = std::move(text);
    Built out = elf.build(".symtab", ".shstrtab", ".strtab");
    if (!out) return out;
    return read_back(std::move(*out));
  }

 private:
  std::optional<BuildError> find_problem() const {
    const auto has_nul = [](std::string_view text) { return text.find('\0') != std::string_view::npos; };
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < spec_.kernels.size(); ++i) {
      const KernelSpec& kernel = spec_.kernels[i];
      const std::string path = fmt::format("kernels[{}]", i);
      if (kernel.name.empty() || has_nul(kernel.name))
        return invalid("a kernel name that is empty or holds a NUL", path);
      if (!names.insert(kernel.name).second)
        return invalid(fmt::format("two kernels named {}", quoted(kernel.name)), path);
      const Metadata& m = kernel.metadata;
      if (m.bits != spec_.bits) return invalid("metadata of another address width than the container", path);
      if (!m.header_rest.empty() || !m.rest.empty()) return invalid("metadata with bytes of no meaning", path);
      bool nul = has_nul(m.kernel_name) || has_nul(m.device_name) || has_nul(m.vector_type_hint);
      for (const ArgumentRecord& record : m.arguments) nul |= has_nul(record.name) || has_nul(record.type_name);
      for (const PrintfRecord& record : m.printf) nul |= has_nul(record.format);
      if (nul) return invalid("a string of the metadata holds a NUL", path);
      if (!m.vector_type_hint.empty() && m.header != HeaderSize::Hints)
        return invalid("a hinted vector type, but a header without hints", path);
      if (kernel.setup.entry_offset != kKernelCodeBytes)
        return invalid("the setup's code does not begin right behind it", path);
    }
    if (spec_.storage == CodeStorage::Separate &&
        (!spec_.samplers.empty() || !spec_.readonly_data.empty() || !spec_.global_data.empty()))
      return invalid("data and samplers need the inner ELF of a Nested container");
    for (const auto& [sampler, offset] : spec_.samplers)
      if (!inside(offset, 8, spec_.readonly_data.size()))
        return invalid(fmt::format("a sampler handle at {} of {} bytes of data", offset, spec_.readonly_data.size()));
    return std::nullopt;
  }

  Built build_inner() const {
    ElfBuilder elf(AddressBits::Bits64, kInnerMachine, 1, 0);
    elf.header().ident[7] = std::byte{0x40};  // the HSA OS ABI
    elf.add_section(".shstrtab", elf::kSectionStrings, 0, 8);
    elf.add_section(".strtab", elf::kSectionStrings, 0, 8);
    std::vector<std::byte>& notes = elf.add_section(std::string(kNoteSection), elf::kSectionNote, 0, 8);
    const IsaNote isa = spec_.isa.value_or(IsaNote{7, 0, 0, "AMD", "AMDGPU"});
    for (const NoteSpec& note : standard_notes(isa, spec_.bits)) append_note(notes, note);

    std::vector<std::byte> text;
    constexpr const char* kText = ".hsatext";
    constexpr const char* kReadonly = ".hsadata_readonly_agent";
    constexpr const char* kGlobal = ".hsadata_global_agent";
    for (const KernelSpec& kernel : spec_.kernels) {
      text.resize(align_up(text.size(), kKernelAlign));
      elf.add_symbol(fmt::format("&__OpenCL_{}_kernel", kernel.name), kKernelSymbol, kText, text.size(),
                     kKernelCodeBytes + kernel.code.size());
      append(text, write_kernel_code(kernel.setup));
      append(text, kernel.code);
    }
    for (std::size_t i = 0; i < spec_.samplers.size(); ++i)
      elf.add_symbol(fmt::format("&input_bc::&_.Samp{}", i), kObject, kReadonly, spec_.samplers[i].second, 8);
    if (!spec_.readonly_data.empty()) {
      elf.add_section(kReadonly, elf::kSectionProgbits, kReadonlyFlags, 8) = spec_.readonly_data;
      elf.add_segment(kReadonlySegment, 6, kReadonly);
      elf.add_symbol(fmt::format("__hsa_section{}", kReadonly), kSectionSymbol, kReadonly, 0, 0);
    }
    if (!spec_.global_data.empty()) {
      elf.add_section(kGlobal, elf::kSectionProgbits, kGlobalFlags, 8) = spec_.global_data;
      elf.add_segment(kProgramSegment, 6, kGlobal);
      elf.add_symbol(fmt::format("__hsa_section{}", kGlobal), kSectionSymbol, kGlobal, 0, 0);
    }
    if (!text.empty()) {
      elf.add_section(kText, elf::kSectionProgbits, kCodeFlags, kKernelAlign) = std::move(text);
      elf.add_segment(kCodeSegment, 5, kText);
      elf.add_symbol(fmt::format("__hsa_section{}", kText), kSectionSymbol, kText, 0, 0);
    }
    elf.add_section(".symtab", elf::kSectionSymbols, 0, 8);
    if (!spec_.samplers.empty()) {
      const std::string samplers{kSamplerSection};
      std::vector<std::byte> entries(spec_.samplers.size() * kSamplerBytes);
      std::vector<std::byte> relocations(spec_.samplers.size() * kRelaBytes);
      for (std::size_t i = 0; i < spec_.samplers.size(); ++i) {
        put_sampler(entries, i * kSamplerBytes, spec_.samplers[i].first);
        Relocation relocation;
        relocation.offset = spec_.samplers[i].second;
        relocation.symbol = static_cast<std::uint32_t>(elf.symbol_count());
        relocation.type = kRelocationInitSampler;
        put_relocation(relocations, i * kRelaBytes, relocation);
        elf.add_symbol("", kSamplerObject, samplers, i * kSamplerBytes, 0);
      }
      elf.add_section(samplers, elf::kSectionProgbits, kMerge, 8) = std::move(entries);
      const std::string table = fmt::format(".rela{}", kReadonly);
      elf.add_section(table, 4, 0, 8) = std::move(relocations);
      elf.link(table, ".symtab", kReadonly, kRelaBytes);
    }
    return elf.build(".symtab", ".shstrtab", ".strtab");
  }

  // Whatever went wrong here is this file's fault, not the caller's.
  Built read_back(std::vector<std::byte> bytes) const {
    const auto fault = [](std::string what) {
      return std::unexpected(
          BuildError{fmt::format("a container that was just built does not read back: {}", what), ""});
    };
    Diagnostics findings;
    const std::optional<Binary> read = cl2::read(bytes, findings);
    if (!read) return fault(sentence(findings.all().back()));
    if (read->kernels.size() != spec_.kernels.size()) return fault("number of kernels");
    for (std::size_t i = 0; i < spec_.kernels.size(); ++i) {
      const Kernel& kernel = read->kernels[i];
      const KernelSpec& spec = spec_.kernels[i];
      Metadata wanted = spec.metadata;
      finish_metadata(wanted);
      if (kernel.name != spec.name || !kernel.metadata || write_metadata(*kernel.metadata) != write_metadata(wanted) ||
          kernel.setup != spec.setup || !std::ranges::equal(read->view(kernel.code), spec.code))
        return fault(fmt::format("kernel {}", quoted(spec.name)));
    }
    if (read->inner && read->inner->samplers.size() != spec_.samplers.size()) return fault("number of samplers");
    if (!std::ranges::equal(write(*read), bytes)) return fault("its bytes");
    return bytes;
  }

  const ContainerSpec& spec_;
};

// --- BRIG ------------------------------------------------------------------------------------------------
// The form is described in parser/cl2/brig.cpp.

constexpr std::uint32_t kBrigHeaderBytes = 104;
constexpr std::uint16_t kPragma = 0x100c;
constexpr std::uint16_t kModule = 0x100b;
constexpr std::uint16_t kStringOperand = 0x300b;

void align(std::vector<std::byte>& bytes, std::size_t to) { bytes.resize((bytes.size() + to - 1) / to * to); }

// A section under construction: its header first.
class BrigPart {
 public:
  explicit BrigPart(std::string_view name) : out_(true) {
    out_.put(std::uint64_t{0});
    out_.put(std::uint32_t{0});
    out_.put(static_cast<std::uint32_t>(name.size()));
    out_.put_text(name);
    align(out_.bytes(), 4);
    header_ = static_cast<std::uint32_t>(out_.bytes().size());
    elf::store(std::span(out_.bytes()), 8, header_);
  }
  Appender& out() { return out_; }
  std::uint32_t at() { return static_cast<std::uint32_t>(out_.bytes().size()); }
  std::vector<std::byte> finish() {
    elf::store(std::span(out_.bytes()), 0, std::uint64_t{out_.bytes().size()});
    return std::move(out_.bytes());
  }

 private:
  Appender out_;
  std::uint32_t header_ = 0;
};

}  // namespace

void finish_metadata(Metadata& metadata) {
  const bool wide = metadata.bits == AddressBits::Bits64;
  for (ArgumentRecord& record : metadata.arguments) record.struct_size = argument_bytes(wide);
  for (PrintfRecord& record : metadata.printf) record.struct_size = printf_bytes(wide);
  metadata.data_size = write_metadata(metadata).size();
}

std::vector<NoteSpec> standard_notes(const IsaNote& isa, AddressBits bits) {
  std::vector<NoteSpec> notes;
  const auto add = [&](std::uint32_t type, Appender& description) {
    notes.push_back({type, std::move(description.bytes())});
  };
  Appender version(true), hsail(true), target(true), producer(true), options(true);
  version.put(std::uint32_t{1});
  version.put(std::uint32_t{0});
  add(1, version);
  hsail.put(std::uint32_t{1});
  hsail.put(std::uint32_t{0});
  hsail.put(std::uint8_t{1});
  hsail.put(static_cast<std::uint8_t>(bits == AddressBits::Bits64 ? 1 : 0));
  hsail.put(std::uint8_t{1});
  hsail.put(std::uint8_t{0});
  add(2, hsail);
  // The compilers count the final NUL and do not write it.
  target.put(static_cast<std::uint16_t>(isa.vendor.size() + 1));
  target.put(static_cast<std::uint16_t>(isa.architecture.size() + 1));
  for (const std::uint32_t part : {isa.major, isa.minor, isa.stepping}) target.put(part);
  target.put_text(isa.vendor);
  target.put(std::uint8_t{0});
  target.put_text(isa.architecture);
  add(3, target);
  constexpr std::string_view kProducer = "AMD HSA Runtime Finalizer";
  producer.put(static_cast<std::uint16_t>(kProducer.size()));
  producer.put(std::uint16_t{0});
  producer.put(std::uint32_t{1});
  producer.put(std::uint32_t{0});
  producer.put_text(kProducer);
  producer.put(std::uint32_t{0});
  add(4, producer);
  constexpr std::string_view kOptions = "-hsa_call_convention=0";
  options.put(static_cast<std::uint16_t>(kOptions.size()));
  options.put_text(kOptions);
  options.put(std::uint16_t{0});
  add(5, options);
  return notes;
}

Built build(const ContainerSpec& spec) { return Builder(spec).run(); }

std::vector<std::byte> build_brig(std::span<const std::string> lines, AddressBits bits) {
  BrigPart data("hsa_data");
  BrigPart code("hsa_code");
  BrigPart operands("hsa_operand");
  // Each string stands once, as the compilers write them.
  std::vector<std::pair<std::string_view, std::uint32_t>> known;
  const auto string_at = [&](std::string_view text) {
    for (const auto& [other, at] : known)
      if (other == text) return at;
    align(data.out().bytes(), 4);
    const std::uint32_t at = data.at();
    data.out().put(static_cast<std::uint32_t>(text.size()));
    data.out().put_text(text);
    known.emplace_back(text, at);
    return at;
  };
  const auto operand = [&](std::string_view text) {
    const std::uint32_t string = string_at(text);
    const std::uint32_t at = operands.at();
    operands.out().put(std::uint16_t{8});
    operands.out().put(kStringOperand);
    operands.out().put(string);
    return at;
  };
  // module &m:1:0:$full:$large:$near;
  code.out().put(std::uint16_t{20});
  code.out().put(kModule);
  code.out().put(string_at("&m"));
  code.out().put(std::uint32_t{1});
  code.out().put(std::uint32_t{0});
  code.out().put(std::uint8_t{1});
  code.out().put(static_cast<std::uint8_t>(bits == AddressBits::Bits64 ? 1 : 0));
  code.out().put(std::uint16_t{2});
  for (const std::string& line : lines) {
    const std::uint32_t producer = operand("AMD RTI");
    const std::uint32_t text = operand(line);
    align(data.out().bytes(), 4);
    const std::uint32_t list = data.at();
    data.out().put(std::uint32_t{8});
    data.out().put(producer);
    data.out().put(text);
    code.out().put(std::uint16_t{8});
    code.out().put(kPragma);
    code.out().put(list);
  }

  std::vector<std::vector<std::byte>> sections;
  for (BrigPart* section : {&data, &code, &operands}) sections.push_back(section->finish());
  Appender out(true);
  out.put_text(std::string_view("HSA BRIG"));
  out.put(std::uint32_t{1});
  out.put(std::uint32_t{0});
  out.put(std::uint64_t{0});  // size, below
  out.bytes().resize(88);  // hash: none
  out.put(std::uint32_t{0});
  out.put(static_cast<std::uint32_t>(sections.size()));
  out.put(std::uint64_t{kBrigHeaderBytes});
  std::size_t at = kBrigHeaderBytes + 24;
  std::vector<std::byte>& bytes = out.bytes();
  for (const auto& section : sections) {
    at = (at + 15) / 16 * 16;
    out.put(std::uint64_t{at});
    at += section.size();
  }
  for (const auto& section : sections) {
    align(bytes, 16);
    out.put_bytes(section);
  }
  align(bytes, 16);
  elf::store(std::span(bytes), 16, std::uint64_t{bytes.size()});
  return std::move(bytes);
}

}  // namespace amdcompat::cl2
