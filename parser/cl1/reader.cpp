// CL1 containers: from the sections and symbols of an ELF file to kernels, functions, data segments and options.
//
// Names carry all the structure: `__OpenCL_<subject>_<role>`. The subject may itself end like a role (a kernel named
// `x_kernel` has `__OpenCL_x_kernel_kernel`), so that only the end of a name decides. The reader relies on nothing
// else: not on the order of sections or symbols, not on sh_info (0 in real files, though all symbols are local), not
// on a NUL after the metadata (8 of 620 real blocks have none), and not on the ELF class, which says nothing of the
// ABI. [BIN; RT14 bif_section_labels.hpp]
#include <amdcompat/cl1.hpp>
#include <amdcompat/identify.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <unordered_map>
#include <utility>

#include "describe.hpp"
#include <elf/container.hpp>
#include <elf/elf_view.hpp>
#include <elf/little_endian.hpp>

namespace amdcompat::cl1 {
namespace {

using elf::inside;
using elf::load;

constexpr std::string_view kBif2 = "RT14 bif_section_labels.hpp BIF20; BIN";
constexpr std::string_view kBif2Only = "RT14 bif_section_labels.hpp BIF20";
constexpr std::string_view kBif3 = "RT14 bif_section_labels.hpp BIF30; in no real file";

// Whole names first: `__OpenCL_compile_options` must not become a subject of anything.
constexpr std::array kSpellings{
    RoleSpelling{"__OpenCL_compile_options", "", Role::CompileOptions, "2.0", kBif2},
    RoleSpelling{"__OpenCL_linker_options", "", Role::LinkerOptions, "2.0", kBif2Only},
    RoleSpelling{"__OpenCL_compiler_options", "", Role::CompileOptions, "3.0", kBif3},
    RoleSpelling{"__BRIG__", "", Role::Brig, "3.0", kBif3},
    RoleSpelling{"__debugil_text", "", Role::DebugIl, "3.0", kBif3},
    RoleSpelling{"__debugil_binary", "", Role::DebugIl, "3.0", kBif3},
    RoleSpelling{"__OpenCL_", "_metadata", Role::KernelMetadata, "2.0", kBif2},
    RoleSpelling{"__OpenCL_", "_header", Role::KernelHeader, "2.0", kBif2},
    RoleSpelling{"__OpenCL_", "_kernel", Role::KernelImage, "2.0", kBif2},
    RoleSpelling{"__OpenCL_", "_amdil", Role::KernelIl, "2.0", kBif2Only},
    RoleSpelling{"__OpenCL_", "_fmetadata", Role::FunctionMetadata, "2.0", kBif2Only},
    RoleSpelling{"__OpenCL_", "_global", Role::Global, "2.0", kBif2},
    RoleSpelling{"__OpenCL_", "_stub", Role::KernelStub, "2.0", kBif2},
    RoleSpelling{"__ISA_", "_binary", Role::KernelImage, "3.0", kBif3},
    RoleSpelling{"__ISA_", "_metadata", Role::IsaMetadata, "3.0", kBif3},
    RoleSpelling{"__ISA_", "_text", Role::IsaText, "3.0", kBif3},
    RoleSpelling{"__AMDIL_", "_text", Role::KernelIl, "3.0", kBif3},
    RoleSpelling{"__AMDIL_", "_binary", Role::IlBinary, "3.0", kBif3},
    RoleSpelling{"__AMDIL_", "_header", Role::KernelHeader, "3.0", kBif3},
    RoleSpelling{"__AMDIL_", "_fmetadata", Role::FunctionMetadata, "3.0", kBif3},
    RoleSpelling{"__AMDIL_", "_compiler_options", Role::KernelOptions, "3.0", kBif3},
    RoleSpelling{"__HSAIL_", "_text", Role::HsailText, "3.0", kBif3},
};

struct Meaning {
  Role role = Role::None;
  std::size_t subject_at = 0;  // in the name
  std::size_t subject_size = 0;
};

Meaning meaning_of(std::string_view name) {
  for (const RoleSpelling& spelling : kSpellings) {
    if (spelling.suffix.empty()) {
      if (name == spelling.prefix) return {spelling.role, 0, 0};
      continue;
    }
    if (name.size() <= spelling.prefix.size() + spelling.suffix.size() || !name.starts_with(spelling.prefix) ||
        !name.ends_with(spelling.suffix))
      continue;
    Meaning meaning{spelling.role, spelling.prefix.size(),
                    name.size() - spelling.prefix.size() - spelling.suffix.size()};
    // BIF 3.0 names subjects by their symbol in the module, "&__OpenCL_<k>_kernel". Known from CL2 containers of the
    // same compiler library; whether AMDIL ones did so too was not seen.
    constexpr std::string_view kModulePrefix = "&__OpenCL_";
    constexpr std::string_view kModuleSuffix = "_kernel";
    const std::string_view subject = name.substr(meaning.subject_at, meaning.subject_size);
    if (subject.size() > kModulePrefix.size() + kModuleSuffix.size() && subject.starts_with(kModulePrefix) &&
        subject.ends_with(kModuleSuffix)) {
      meaning.subject_at += kModulePrefix.size();
      meaning.subject_size -= kModulePrefix.size() + kModuleSuffix.size();
    }
    return meaning;
  }
  return {};
}

bool names_encryption(std::string_view name) {
  constexpr std::string_view kWord = "encrypt";
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::search(name, kWord, {}, lower).size() == kWord.size();
}

std::string_view elf_type_name(std::uint16_t type) {
  switch (type) {
    case 1: return "a compiled but not linked program";
    case 3: return "a library";
    default: return "a program stored without machine code";
  }
}

class Reader {
 public:
  Reader(const elf::ElfView& view, Binary& binary, Diagnostics& diagnostics, const ReadOptions& options)
      : view_(view), binary_(binary), diagnostics_(diagnostics), options_(options),
        shared_budget_(2 * std::uint64_t{binary.bytes.size()}) {}

  // A refusal of the file as a whole, or nothing.
  std::optional<Diagnostic> run() {
    take_header();
    take_sections();
    if (auto refused = take_symbols()) return refused;
    if (auto refused = find_encryption()) return refused;
    if (auto refused = take_subjects()) return refused;
    find_options();
    if (auto refused = find_source_only()) return refused;
    find_gaps();
    if (binary_.device == nullptr)
      diagnostics_.report(
          Code::Cl1UnknownDevice, {18, 2},
          fmt::format("e_machine 0x{:x} is no known device; the metadata may name it", binary_.header.machine));
    if (binary_.kernels.empty()) diagnostics_.report(Code::Cl1NoKernels, {}, "the container holds no kernels");
    for (Kernel& kernel : binary_.kernels) {
      if (!options_.kernel.empty() && kernel.name != options_.kernel) continue;
      const std::string block = "__OpenCL_" + kernel.name + "_kernel";
      const DiagnosticScope scope(diagnostics_, {.block = block, .kernel = kernel.name});
      finish(kernel);
    }
    return std::nullopt;
  }

 private:
  void take_header() {
    const elf::Header& from = view_.header();
    binary_.header = from;
    binary_.elf_bits = from.is_64() ? AddressBits::Bits64 : AddressBits::Bits32;
    binary_.device = find_device_by_machine(from.machine);
  }

  SourceRange section_header(std::size_t index) const {
    const std::uint32_t size = binary_.elf_bits == AddressBits::Bits64 ? 64 : 40;
    return {static_cast<std::uint32_t>(binary_.header.shoff + index * size), size};
  }

  void take_sections() {
    const auto& sections = view_.sections();
    binary_.sections = sections;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      const elf::Section& from = sections[i];
      if (from.name_broken)
        diagnostics_.report(
            Code::ElfNameBroken, section_header(i),
            fmt::format("the name of section {} (offset {}) is not in the string table", i, from.name_offset));
      if (from.outside)
        diagnostics_.report(Code::ElfSectionOutside, section_header(i),
                            fmt::format("section {} {}: 0x{:x} bytes at 0x{:x} lie outside the file of 0x{:x} bytes", i,
                                        quoted(view_.text(from.name)), from.size, from.offset, binary_.bytes.size()));
      if (from.type == elf::kSectionSymbols && !binary_.symbol_table) binary_.symbol_table = i;
    }
    binary_.segments = view_.segments();
  }

  std::optional<Diagnostic> take_symbols() {
    if (!binary_.symbol_table) return std::nullopt;
    const auto symbols = view_.symbols(view_.sections()[*binary_.symbol_table]);
    if (!symbols) return symbols.error();
    binary_.symbols.reserve(symbols->size());
    std::unordered_map<std::string_view, std::size_t> seen;
    seen.reserve(symbols->size());
    for (const elf::Symbol& from : *symbols) {
      Symbol symbol{from, {}, {}, Role::None};
      const std::string_view name = view_.text(from.name);
      const std::size_t index = binary_.symbols.size();
      if (from.name_broken)
        diagnostics_.report(
            Code::ElfNameBroken, from.where,
            fmt::format("the name of symbol {} (offset {}) is not in the string table", index, from.name_offset));
      const Meaning meaning = meaning_of(name);
      symbol.role = meaning.role;
      symbol.subject = {from.name.begin + static_cast<std::uint32_t>(meaning.subject_at),
                        static_cast<std::uint32_t>(meaning.subject_size)};
      find_contents(symbol, name);
      if (!name.empty() && !seen.emplace(name, index).second) {
        diagnostics_.report(Code::Cl1DuplicateSymbol, from.where,
                            fmt::format("a second symbol {}; the first one is used", quoted(name)));
        symbol.role = Role::None;
      }
      binary_.symbols.push_back(symbol);
    }
    return std::nullopt;
  }

  void find_contents(Symbol& symbol, std::string_view name) {
    const bool regular = symbol.section != 0 && symbol.section < elf::kFirstReservedSection;
    if (!regular && symbol.role == Role::None) return;  // undefined, absolute and file symbols have no bytes
    if (!regular || symbol.section >= binary_.sections.size()) {
      diagnostics_.report(
          Code::Cl1SymbolOutside, symbol.where,
          fmt::format("symbol {} is in section {}, which does not exist", quoted(name), symbol.section));
      return;
    }
    const SourceRange section = binary_.sections[symbol.section].contents;
    if (!inside(symbol.value, symbol.size, section.size)) {
      diagnostics_.report(Code::Cl1SymbolOutside, symbol.where,
                          fmt::format("symbol {}: {} bytes at 0x{:x} reach outside its section {} of {} bytes",
                                      quoted(name), symbol.size, symbol.value,
                                      quoted(view_.text(binary_.sections[symbol.section].name)), section.size));
      return;
    }
    symbol.contents = {static_cast<std::uint32_t>(section.begin + symbol.value),
                       static_cast<std::uint32_t>(symbol.size)};
  }

  std::optional<Diagnostic> find_encryption() const {
    const auto refused = [&](SourceRange where, std::string_view what, std::string_view name) {
      return make_diagnostic(Code::Cl1EncryptedBinary, where,
                             fmt::format("the {} {} marks an encrypted binary; only AMD's runtime had the key, so only "
                                         "the unencrypted binary can be converted",
                                         what, quoted(name)));
    };
    for (const elf::Section& section : binary_.sections)
      if (const auto name = view_.text(section.name); names_encryption(name) && !name.starts_with("__OpenCL_"))
        return refused(section.name, "section", name);
    // A kernel may well be called AESEncrypt: only names outside AMD's scheme count.
    for (const Symbol& symbol : binary_.symbols)
      if (const auto name = view_.text(symbol.name); name.starts_with("__") && symbol.role == Role::None &&
                                                     !name.starts_with("__OpenCL_") && names_encryption(name))
        return refused(symbol.where, "symbol", name);
    return std::nullopt;
  }

  // Bytes that several subjects share are read once for each; a hostile table could ask for it thousands of times.
  bool may_share(const Symbol& symbol) {
    if (symbol.contents.size <= shared_budget_) {
      shared_budget_ -= symbol.contents.size;
      return true;
    }
    diagnostics_.report(Code::Cl1SharedContents, symbol.where,
                        fmt::format("symbol {} shares its bytes with too many others and is left out",
                                    quoted(view_.text(symbol.name))));
    return false;
  }

  // The kernel of that name, made on first use; null for a name over the limit.
  Kernel* kernel_named(const Symbol& symbol) {
    const std::string_view name = view_.text(symbol.subject);
    if (name.size() > options_.max_name_bytes) {
      diagnostics_.report(
          Code::Cl1NameTooLong, symbol.where,
          fmt::format("kernel name {} is longer than the limit of {} bytes", quoted(name), options_.max_name_bytes));
      return nullptr;
    }
    const auto [at, added] = kernel_index_.emplace(name, binary_.kernels.size());
    if (added) binary_.kernels.emplace_back().name = name;
    return &binary_.kernels[at->second];
  }

  std::optional<Diagnostic> take_subjects() {
    for (std::size_t i = 0; i < binary_.symbols.size(); ++i) {
      const Symbol& symbol = binary_.symbols[i];
      switch (symbol.role) {
        case Role::KernelMetadata:
        case Role::KernelHeader:
        case Role::KernelImage:
        case Role::KernelIl:
          if (Kernel* kernel = kernel_named(symbol)) take_part(*kernel, i);
          break;
        case Role::FunctionMetadata: take_function(symbol); break;
        case Role::Global: take_global(symbol); break;
        case Role::None:
        case Role::CompileOptions:
        case Role::LinkerOptions:
        case Role::KernelStub:
        case Role::KernelOptions:
        case Role::IsaText:
        case Role::IsaMetadata:
        case Role::IlBinary:
        case Role::HsailText:
        case Role::Brig:
        case Role::DebugIl: break;
      }
      if (binary_.kernels.size() > options_.max_kernels || binary_.functions.size() > options_.max_kernels)
        return make_diagnostic(Code::ElfTooManyEntries, symbol.where,
                               fmt::format("more kernels or functions than the limit of {}", options_.max_kernels));
    }
    return std::nullopt;
  }

  void take_part(Kernel& kernel, std::size_t index) {
    const Symbol& symbol = binary_.symbols[index];
    std::optional<std::size_t> Kernel::* const place = symbol.role == Role::KernelMetadata ? &Kernel::metadata_symbol
                                                       : symbol.role == Role::KernelHeader ? &Kernel::header_symbol
                                                       : symbol.role == Role::KernelImage  ? &Kernel::image_symbol
                                                                                           : &Kernel::il_symbol;
    // The two spellings of one role, BIF 2.0 and 3.0, are different symbols.
    if (kernel.*place) {
      diagnostics_.report(Code::Cl1DuplicateSymbol, symbol.where,
                          fmt::format("symbol {} says again what an earlier one says; the first one is used",
                                      quoted(view_.text(symbol.name))));
      return;
    }
    kernel.*place = index;
    if (!may_share(symbol)) return;
    switch (symbol.role) {
      case Role::KernelMetadata:
        kernel.metadata = without_trailing_nuls(symbol.contents, view_.text(symbol.contents));
        break;
      case Role::KernelHeader: kernel.header_bytes = symbol.contents; break;
      case Role::KernelImage: kernel.image = symbol.contents; break;
      default: kernel.il = without_trailing_nuls(symbol.contents, view_.text(symbol.contents)); break;
    }
  }

  void take_function(const Symbol& symbol) {
    const std::string_view name = view_.text(symbol.subject);
    if (name.size() > options_.max_name_bytes) {
      diagnostics_.report(
          Code::Cl1NameTooLong, symbol.where,
          fmt::format("function name {} is longer than the limit of {} bytes", quoted(name), options_.max_name_bytes));
      return;
    }
    if (may_share(symbol))
      binary_.functions.push_back(
          {std::string(name), without_trailing_nuls(symbol.contents, view_.text(symbol.contents))});
  }

  void take_global(const Symbol& symbol) {
    const std::string_view number = view_.text(symbol.subject);
    Global global;
    global.contents = symbol.contents;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), global.index);
    if (error != std::errc{} || end != number.data() + number.size()) {
      diagnostics_.report(Code::Cl1DataSegmentIndex, symbol.where,
                          fmt::format("data segment symbol {} has no number between its prefix and suffix",
                                      quoted(view_.text(symbol.name))));
      return;
    }
    if (may_share(symbol)) binary_.globals.push_back(global);
  }

  void find_options() {
    const auto comment = std::ranges::find_if(
        binary_.sections, [&](const elf::Section& section) { return view_.text(section.name) == ".comment"; });
    std::uint32_t end = comment == binary_.sections.end() ? 0 : comment->contents.begin;
    for (const Symbol& symbol : binary_.symbols) {
      if (symbol.role != Role::CompileOptions && symbol.role != Role::LinkerOptions &&
          symbol.role != Role::KernelOptions)
        continue;
      const SourceRange text = without_trailing_nuls(symbol.contents, view_.text(symbol.contents));
      if (symbol.role == Role::CompileOptions) binary_.compile_options = text;
      if (symbol.role == Role::LinkerOptions) binary_.linker_options = text;
      if (comment != binary_.sections.end() &&
          &binary_.sections[symbol.section < binary_.sections.size() ? symbol.section : 0] == &*comment)
        end = std::max(end, symbol.contents.begin + symbol.contents.size);
    }
    if (comment == binary_.sections.end()) return;
    // AMD's writer adds the version string as the last piece of .comment, without a symbol and without a separator.
    const SourceRange rest{end, comment->contents.begin + comment->contents.size - end};
    binary_.driver = find_driver(rest, view_.text(rest));
  }

  std::optional<Diagnostic> find_source_only() const {
    if (!binary_.kernels.empty() || !binary_.functions.empty() || !binary_.globals.empty()) return std::nullopt;
    std::string sources;
    for (const elf::Section& section : binary_.sections) {
      const std::string_view name = view_.text(section.name);
      if (section.contents.size == 0) continue;
      if (name == ".text" || name == ".rodata" || name == ".amdil") return std::nullopt;
      if (name == ".source" || name == ".llvmir" || name == ".spir" || name == ".spirv")
        sources += fmt::format("{}{}", sources.empty() ? "" : ", ", name);
    }
    if (sources.empty()) return std::nullopt;
    return make_diagnostic(Code::Cl1SourceOnly, {16, 2},
                           fmt::format("{} with {} only: it holds no kernel and no metadata, so there is nothing to "
                                       "convert; build the program for "
                                       "its device first, or recompile the source with a current compiler",
                                       elf_type_name(binary_.header.type), sources));
  }

  void find_gaps() {
    const bool is_64 = binary_.elf_bits == AddressBits::Bits64;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> covered;
    covered.emplace_back(0, is_64 ? 64 : 52);
    covered.emplace_back(binary_.header.phoff, binary_.segments.size() * (is_64 ? 56u : 32u));
    covered.emplace_back(binary_.header.shoff, binary_.sections.size() * (is_64 ? 64u : 40u));
    for (const elf::Section& section : binary_.sections)
      covered.emplace_back(section.contents.begin, section.contents.size);
    std::ranges::sort(covered);
    std::uint64_t at = 0;
    const auto add = [&](std::uint64_t end) {
      if (end > at) binary_.gaps.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end - at)});
    };
    for (const auto& [begin, size] : covered) {
      if (size == 0) continue;
      add(begin);
      at = std::max(at, begin + size);
    }
    add(binary_.bytes.size());
  }

  SourceRange symbol_range(const std::optional<std::size_t>& symbol) const {
    return symbol ? binary_.symbols[*symbol].where : SourceRange{};
  }

  // Where to point for something that a kernel lacks: any symbol it does have.
  SourceRange any_symbol(const Kernel& kernel) const {
    for (const auto& symbol : {kernel.metadata_symbol, kernel.header_symbol, kernel.image_symbol, kernel.il_symbol})
      if (symbol) return symbol_range(symbol);
    return {};
  }

  void finish(Kernel& kernel) {
    if (!kernel.metadata_symbol)
      diagnostics_.report_on(Subject::Kernel, Code::Cl1KernelWithoutMetadata, any_symbol(kernel),
                             "has no metadata symbol, so its arguments are not known");
    else if (kernel.metadata.size == 0)
      diagnostics_.report(Code::Cl1EmptyMetadata, symbol_range(kernel.metadata_symbol),
                          fmt::format("the metadata of kernel {} is empty", quoted(kernel.name)));
    read_header(kernel);
    if (kernel.image.size != 0)
      kernel.cal = read_cal_image(binary_.bytes.view(), kernel.image, binary_.device, diagnostics_);
    else if (kernel.il.size != 0)
      diagnostics_.report_on(Subject::Kernel, Code::Cl1KernelIlOnly, symbol_range(kernel.il_symbol),
                             "has IL text and no machine code; its registers are not known");
    else
      diagnostics_.report_on(Subject::Kernel, Code::Cl1KernelWithoutImage, any_symbol(kernel),
                             "has neither machine code nor IL");
  }

  void read_header(Kernel& kernel) {
    if (!kernel.header_symbol) {
      diagnostics_.report_on(Subject::Kernel, Code::Cl1KernelWithoutHeader, any_symbol(kernel),
                             "has no header symbol; AMD's runtime would recompile it from IL");
      return;
    }
    if (kernel.header_bytes.size != kKernelHeaderSize)
      diagnostics_.report(Code::Cl1HeaderSize, symbol_range(kernel.header_symbol),
                          fmt::format("the header of kernel {} has {} bytes, expected {}", quoted(kernel.name),
                                      kernel.header_bytes.size, kKernelHeaderSize));
    if (kernel.header_bytes.size < kKernelHeaderSize) return;
    const auto bytes = view_.view(kernel.header_bytes);
    const auto word = [&](std::size_t index) { return load<std::uint32_t>(bytes, index * 4); };
    kernel.header = KernelHeader{word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)};
    if (kernel.header->version > 1)
      diagnostics_.report(Code::Cl1HeaderVersion, {kernel.header_bytes.begin + 20, 4},
                          fmt::format("the header of kernel {} has version {}; AMD's runtime rejects versions above 1",
                                      quoted(kernel.name), kernel.header->version));
  }

  const elf::ElfView& view_;
  Binary& binary_;
  Diagnostics& diagnostics_;
  const ReadOptions& options_;
  std::uint64_t shared_budget_;
  std::unordered_map<std::string_view, std::size_t> kernel_index_;  // keys are names in the file
};

}  // namespace

std::span<const RoleSpelling> role_spellings() { return kSpellings; }

std::span<const std::byte> Binary::view(SourceRange range) const {
  if (!inside(range.begin, range.size, bytes.size())) return {};
  return bytes.view().subspan(range.begin, range.size);
}

std::string_view Binary::text(SourceRange range) const { return as_text(view(range)); }

std::optional<Binary> read(std::vector<std::byte> bytes, Diagnostics& diagnostics, const ReadOptions& options) {
  return read(FileBytes(std::move(bytes)), diagnostics, options);
}

std::optional<Binary> read(FileBytes bytes, Diagnostics& diagnostics, const ReadOptions& options) {
  return elf::read_container<Binary>(
      std::move(bytes), options, diagnostics,
      [](std::span<const std::byte> file) {
        return identify(file) == FileKind::Cl1Gpu ? std::nullopt : std::optional(refusal(file));
      },
      [&](const elf::ElfView& view, Binary& binary) { return Reader(view, binary, diagnostics, options).run(); });
}

}  // namespace amdcompat::cl1
