// CL2 containers: from the sections and symbols of the outer ELF to kernels with metadata, setup and machine code.
//
// Names carry all the structure, as in CL1; the order of sections and symbols varies by compiler and means nothing. The
// generation shows in .text: an ELF file there is the inner one, else each kernel has a symbol of its own.
// [CLRX AmdCL2Binaries.cpp; BIN]
#include <amdcompat/cl2.hpp>
#include <amdcompat/identify.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <utility>

#include "bytes.hpp"
#include "elf_image.hpp"
#include "inner.hpp"
#include <elf/container.hpp>

namespace amdcompat::cl2 {
namespace {

using elf::inside;
using elf::load;

struct RoleSpelling {
  std::string_view prefix;
  std::string_view suffix;  // empty: the prefix is the whole name
  Role role;
};
constexpr std::array kSpellings{
    RoleSpelling{"__OpenCL_compiler_options", "", Role::CompileOptions},
    RoleSpelling{"acl_version_string", "", Role::Version},
    RoleSpelling{"__BRIG__", "", Role::Brig},
    RoleSpelling{"__OpenCL_&__OpenCL_", "_kernel_metadata", Role::Metadata},
    RoleSpelling{"__ISA_&__OpenCL_", "_kernel_binary", Role::IsaBinary},
    RoleSpelling{"__ISA_&__OpenCL_", "_kernel_metadata", Role::IsaMetadata},
};
// A kernel in the inner ELF.
constexpr RoleSpelling kInnerKernel{"&__OpenCL_", "_kernel", Role::IsaBinary};

bool matches(const RoleSpelling& spelling, std::string_view name) {
  if (spelling.suffix.empty()) return name == spelling.prefix;
  return name.size() > spelling.prefix.size() + spelling.suffix.size() && name.starts_with(spelling.prefix) &&
         name.ends_with(spelling.suffix);
}

SourceRange subject_of(const RoleSpelling& spelling, SourceRange name) {
  if (spelling.suffix.empty()) return {name.begin, 0};
  return {static_cast<std::uint32_t>(name.begin + spelling.prefix.size()),
          static_cast<std::uint32_t>(name.size - spelling.prefix.size() - spelling.suffix.size())};
}

class ContainerReader {
 public:
  ContainerReader(const elf::ElfView& view, Binary& binary, Diagnostics& diagnostics, const ReadOptions& options)
      : view_(view), binary_(binary), diagnostics_(diagnostics), options_(options),
        shared_budget_(2 * std::uint64_t{binary.bytes.size()}) {}

  // A refusal of the file as a whole, or nothing.
  std::optional<Diagnostic> run() {
    Result<ElfImage> elf = read_elf(view_, {0, static_cast<std::uint32_t>(binary_.bytes.size())}, diagnostics_);
    if (!elf) return std::move(elf.error());
    binary_.elf = std::move(*elf);
    find_roles();
    find_inner();
    if (auto refused = find_kernels()) return refused;
    find_generation();
    find_chip();
    if (brig_symbol_ != 0) read_module();
    if (binary_.kernels.empty()) diagnostics_.report(Code::Cl2NoKernels, {}, "the container holds no kernels");
    for (Kernel& kernel : binary_.kernels) {
      if (!options_.kernel.empty() && kernel.name != options_.kernel) continue;
      const std::string block = "__OpenCL_" + kernel.name + "_kernel";
      const DiagnosticScope scope(diagnostics_, {.block = block, .kernel = kernel.name});
      finish(kernel);
    }
    return std::nullopt;
  }

 private:
  const Symbol& outer(std::size_t index) const { return binary_.elf.symbols[index]; }

  void find_roles() {
    std::unordered_map<std::string_view, std::size_t> seen;
    seen.reserve(binary_.elf.symbols.size());
    for (std::size_t i = 0; i < binary_.elf.symbols.size(); ++i) {
      Symbol& symbol = binary_.elf.symbols[i];
      const std::string_view name = view_.text(symbol.name);
      if (name.empty()) continue;
      if (!seen.emplace(name, i).second) {
        diagnostics_.report(Code::Cl2DuplicateSymbol, symbol.where,
                            fmt::format("a second symbol {}; the first one is used", quoted(name)));
        continue;
      }
      for (const RoleSpelling& spelling : kSpellings)
        if (matches(spelling, name)) {
          symbol.role = spelling.role;
          symbol.subject = subject_of(spelling, symbol.name);
          break;
        }
      if (symbol.role == Role::CompileOptions) binary_.compile_options = trimmed(symbol.contents);
      if (symbol.role == Role::Version) binary_.version = trimmed(symbol.contents);
      if (symbol.role == Role::Brig && symbol.contents.size != 0) brig_symbol_ = i;
    }
  }

  // Without NULs at its end.
  SourceRange trimmed(SourceRange where) const {
    const std::size_t last = view_.text(where).find_last_not_of('\0');
    where.size = last == std::string_view::npos ? 0 : static_cast<std::uint32_t>(last + 1);
    return where;
  }

  void find_inner() {
    const auto [text, index] = find_section(view_, binary_.elf, ".text");
    if (text == nullptr || !elf::has_elf_magic(view_.view(text->contents))) return;
    nested_ = true;
    binary_.inner = read_inner(binary_.bytes.view(), text->contents, options_, diagnostics_);
  }

  // The kernel of that name, made on first use; null for a name over the limit.
  Kernel* kernel_named(std::string_view name, SourceRange symbol) {
    if (name.size() > options_.max_name_bytes) {
      diagnostics_.report(
          Code::Cl2NameTooLong, symbol,
          fmt::format("kernel name {} is longer than the limit of {} bytes", quoted(name), options_.max_name_bytes));
      return nullptr;
    }
    const auto [at, added] = kernel_index_.emplace(name, binary_.kernels.size());
    if (added) binary_.kernels.emplace_back().name = name;
    return &binary_.kernels[at->second];
  }

  std::optional<Diagnostic> find_kernels() {
    const auto too_many = [&](SourceRange where) -> std::optional<Diagnostic> {
      if (binary_.kernels.size() <= options_.max_kernels) return std::nullopt;
      return make_diagnostic(Code::ElfTooManyEntries, where,
                             fmt::format("more kernels than the limit of {}", options_.max_kernels));
    };
    for (std::size_t i = 0; i < binary_.elf.symbols.size(); ++i) {
      const Symbol& symbol = outer(i);
      if (symbol.role != Role::Metadata && symbol.role != Role::IsaBinary && symbol.role != Role::IsaMetadata) continue;
      // Code outside the inner ELF, where there is one, is not what runs.
      if (symbol.role != Role::Metadata && nested_) continue;
      Kernel* const kernel = kernel_named(view_.text(symbol.subject), symbol.where);
      if (kernel == nullptr) continue;
      std::optional<std::size_t>& place = symbol.role == Role::Metadata    ? kernel->metadata_symbol
                                          : symbol.role == Role::IsaBinary ? kernel->code_symbol
                                                                           : kernel->isa_metadata_symbol;
      place = i;  // names are unique, so no two symbols have one role for one kernel
      if (auto refused = too_many(symbol.where)) return refused;
    }
    if (!binary_.inner) return std::nullopt;
    for (std::size_t i = 0; i < binary_.inner->elf.symbols.size(); ++i) {
      Symbol& symbol = binary_.inner->elf.symbols[i];
      const std::string_view name = view_.text(symbol.name);
      if (!matches(kInnerKernel, name)) continue;
      symbol.role = Role::IsaBinary;
      symbol.subject = subject_of(kInnerKernel, symbol.name);
      Kernel* const kernel = kernel_named(view_.text(symbol.subject), symbol.where);
      if (kernel == nullptr) continue;
      if (kernel->code_symbol) {
        diagnostics_.report(Code::Cl2DuplicateSymbol, symbol.where,
                            fmt::format("a second symbol {}; the first one is used", quoted(name)));
        symbol.role = Role::None;
        continue;
      }
      kernel->code_symbol = i;
      if (auto refused = too_many(symbol.where)) return refused;
    }
    return std::nullopt;
  }

  // The structure shows it; a container without kernels has only the compiler's version, whose number in brackets
  // became a placeholder with 15.11. [BIN]
  void find_generation() {
    if (nested_)
      binary_.storage = CodeStorage::Nested;
    else if (std::ranges::any_of(binary_.kernels, [](const Kernel& kernel) { return kernel.code_symbol.has_value(); }))
      binary_.storage = CodeStorage::Separate;
    else if (binary_.version.size != 0)
      binary_.storage = view_.text(binary_.version).find("SC_BUILD_NUMBER") != std::string_view::npos
                            ? CodeStorage::Nested
                            : CodeStorage::Separate;
  }

  void find_chip() {
    const std::optional<IsaNote> isa = binary_.inner ? binary_.inner->isa : std::nullopt;
    const std::uint32_t chip = binary_.elf.header.flags;
    binary_.chip = choose_chip(chip, isa, binary_.storage, options_.driver);
    const SourceRange where{binary_.elf.bits == AddressBits::Bits64 ? 48u : 36u, 4};
    const ChipChoice& choice = binary_.chip;
    if (choice.device != nullptr && !choice.contradicts && !choice.ambiguous) return;
    const std::string version =
        isa ? fmt::format("ISA {}.{}.{}", isa->major, isa->minor, isa->stepping) : "no ISA note";
    if (choice.device == nullptr)
      diagnostics_.report(Code::Cl2UnknownChip, where,
                          fmt::format("chip id {} with {} is no known device", chip, version));
    else if (choice.contradicts)
      diagnostics_.report(
          Code::Cl2ChipDiffers, where,
          fmt::format("chip id {} is no device of {}, which is {} or one like it", chip, version, choice.device->name));
    else if (choice.ambiguous)
      diagnostics_.report(Code::Cl2ChipAmbiguous, where,
                          fmt::format("chip id {} with {} means several devices, by driver; the newest meaning, {}, is "
                                      "taken",
                                      chip, version, choice.device->name));
  }

  void read_module() { binary_.brig = read_brig(binary_.bytes.view(), outer(brig_symbol_).contents, diagnostics_); }

  // Bytes that several symbols share are read once for each; a hostile table could ask for it thousands of times.
  bool may_share(const Symbol& symbol) {
    if (symbol.contents.size <= shared_budget_) {
      shared_budget_ -= symbol.contents.size;
      return true;
    }
    diagnostics_.report(Code::Cl2SharedContents, symbol.where,
                        fmt::format("symbol {} shares its bytes with too many others and is left out",
                                    quoted(view_.text(symbol.name))));
    return false;
  }

  const Symbol* code_symbol(const Kernel& kernel) const {
    if (!kernel.code_symbol) return nullptr;
    return nested_ ? &binary_.inner->elf.symbols[*kernel.code_symbol] : &outer(*kernel.code_symbol);
  }

  void finish(Kernel& kernel) {
    const Symbol* const code = code_symbol(kernel);
    if (!kernel.metadata_symbol) {
      diagnostics_.report_on(Subject::Kernel, Code::Cl2KernelWithoutMetadata,
                             code != nullptr ? code->where : outer(kernel.isa_metadata_symbol.value_or(0)).where,
                             "has no metadata symbol, so its arguments are not known");
    } else if (const Symbol& symbol = outer(*kernel.metadata_symbol); may_share(symbol)) {
      kernel.metadata_bytes = symbol.contents;
      // An empty symbol is one whose bytes are outside its section, or metadata without a header.
      kernel.metadata = read_metadata(binary_.bytes.view(), symbol.contents, binary_.elf.bits, diagnostics_);
    }
    if (kernel.isa_metadata_symbol) kernel.isa_metadata = outer(*kernel.isa_metadata_symbol).contents;
    if (code == nullptr)
      diagnostics_.report_on(Subject::Kernel, Code::Cl2KernelWithoutCode,
                             kernel.metadata_symbol ? outer(*kernel.metadata_symbol).where : SourceRange{},
                             "has no machine code");
    else
      read_code(kernel, *code);
  }

  void read_code(Kernel& kernel, const Symbol& symbol) {
    const SourceRange all = symbol.contents;
    const auto bytes = view_.view(all);
    const auto broken = [&](std::string message) {
      diagnostics_.report(Code::Cl2CodeBroken, symbol.where, std::move(message));
    };
    std::uint64_t setup = 0;
    if (!nested_) {
      if (bytes.size() < 4)
        return broken(fmt::format("the machine code has {} bytes and no room for its stub", bytes.size()));
      setup = load<std::uint32_t>(bytes, 0);
    }
    if (!inside(setup, kKernelCodeBytes, bytes.size()))
      return broken(
          fmt::format("the setup at 0x{:x} does not fit into the {} bytes of its symbol", setup, bytes.size()));
    const auto range = [&](std::uint64_t begin, std::uint64_t size) {
      return SourceRange{static_cast<std::uint32_t>(all.begin + begin), static_cast<std::uint32_t>(size)};
    };
    kernel.stub = range(0, setup);
    kernel.setup_bytes = range(setup, kKernelCodeBytes);
    kernel.setup = read_kernel_code(bytes.subspan(static_cast<std::size_t>(setup)).first<kKernelCodeBytes>());
    check(*kernel.setup, kernel.setup_bytes);
    const std::int64_t entry = kernel.setup->entry_offset;
    if (entry < 0 || static_cast<std::uint64_t>(entry) > bytes.size() - setup)
      return broken(fmt::format("the code's entry at {} from the setup lies outside its symbol", entry));
    const std::uint64_t begin = setup + static_cast<std::uint64_t>(entry);
    kernel.code = range(begin, bytes.size() - begin);
  }

  void check(const KernelCode& code, SourceRange where) {
    const auto unusual = [&](std::uint32_t offset, std::uint32_t size, std::string message) {
      diagnostics_.report(Code::Cl2CodeUnusual, {where.begin + offset, size}, std::move(message));
    };
    if (code.version[0] != 1)
      unusual(0, 8, fmt::format("a code setup of version {}.{}", code.version[0], code.version[1]));
    if (code.machine_kind != 1) unusual(8, 2, fmt::format("a code setup for machine kind {}", code.machine_kind));
    if ((code.user_registers & ~0x3ffu) != 0 || (code.user_registers & 0x380u) != 0)
      unusual(56, 2, fmt::format("user registers 0x{:x}, some of which no hardware fills", code.user_registers));
    if (code.wavefront != 6) unusual(103, 1, fmt::format("wavefronts of 2^{} work-items; GCN has 64", code.wavefront));
    if (code.gds_bytes != 0) unusual(68, 4, fmt::format("{} bytes of GDS", code.gds_bytes));
    const std::uint32_t count = code.rsrc2 >> 1 & 31;
    if (const std::uint32_t sum = user_register_count(code.user_registers); count != sum)
      diagnostics_.report(
          Code::Cl2UserRegisters, {where.begin + 52, 6},
          fmt::format("{} user registers, but the enabled ones (0x{:x}) take {}", count, code.user_registers, sum));
  }

  const elf::ElfView& view_;
  Binary& binary_;
  Diagnostics& diagnostics_;
  const ReadOptions& options_;
  std::uint64_t shared_budget_;
  bool nested_ = false;  // .text is an ELF file, readable or not
  std::size_t brig_symbol_ = 0;  // 0: none, as symbol 0 is the null symbol
  std::unordered_map<std::string_view, std::size_t> kernel_index_;  // keys are names in the file
};

}  // namespace

std::string_view code_storage_name(CodeStorage storage) {
  return storage == CodeStorage::Separate ? "one symbol a kernel (15.7)" : "inner ELF (15.11 and later)";
}

std::span<const std::byte> Binary::view(SourceRange range) const { return part(bytes.view(), range); }
std::string_view Binary::text(SourceRange range) const { return as_text(view(range)); }

std::optional<Binary> read(std::vector<std::byte> bytes, Diagnostics& diagnostics, const ReadOptions& options) {
  return read(FileBytes(std::move(bytes)), diagnostics, options);
}

std::optional<Binary> read(FileBytes bytes, Diagnostics& diagnostics, const ReadOptions& options) {
  return elf::read_container<Binary>(
      std::move(bytes), options, diagnostics,
      [](std::span<const std::byte> file) -> std::optional<Diagnostic> {
        const FileKind kind = identify(file);
        if (kind == FileKind::Cl2) return std::nullopt;
        return make_diagnostic(elf::has_elf_magic(file) ? Code::FileIsOtherElf : Code::FileKindUnknown, {},
                               fmt::format("no CL2 container: {}", kind_name(kind)));
      },
      [&](const elf::ElfView& view, Binary& binary) {
        return ContainerReader(view, binary, diagnostics, options).run();
      });
}

}  // namespace amdcompat::cl2
