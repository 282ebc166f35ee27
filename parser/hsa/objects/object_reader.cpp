// Code objects of any version: from ELF sections, symbols, notes and relocations to `CodeObject`.
//
// Linked files (ET_DYN, V1: ET_EXEC) have addresses; sections keep their distances. Relocatable ones (ET_REL: what an
// assembler leaves) have none: sections are laid out here as a linker would, and relocations between them resolved,
// the most important being the distance from a descriptor to its code. [ELFH; LDR; LU «Code Object»]
#include <amdcompat/code_object.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <amdcompat/cl2.hpp>

#include <elf/bytes.hpp>
#include <elf/elf_view.hpp>
#include <elf/little_endian.hpp>

#include "object.hpp"

namespace amdcompat::hsa {
namespace {

using elf::align_up;

using elf::inside;
using elf::load;

constexpr std::uint32_t kSectionRela = 4, kSectionDynamicSymbols = 11;
constexpr std::uint64_t kFlagWrite = 1, kFlagAlloc = 2, kFlagExec = 4;
constexpr std::uint16_t kTypeRelocatable = 1;
constexpr std::uint8_t kSymbolFunction = 2, kSymbolSection = 3, kSymbolKernel = 10;
// Relocations that a linker resolves. [LU «Relocation Records»]
constexpr std::uint32_t kRel32 = 4, kRel64 = 5, kRel32Low = 10, kRel32High = 11;
// More of the address space than any loader gives one object.
constexpr std::uint64_t kMostAddress = std::uint64_t{1} << 40;

// ISA versions of note 3 and the targets they mean. Odd gfx9 steppings are those with XNACK on. [CODE
// ConvertOldTargetNameToNew; CLRX GPUId.cpp and BIN for 8.0.0 and 8.0.4, which Catalyst and the first ROCm wrote]
struct IsaRow {
  std::array<std::uint32_t, 3> isa;
  std::string_view target;
  bool xnack;
};
constexpr IsaRow kIsas[] = {{{6, 0, 0}, "gfx600", false}, {{6, 0, 1}, "gfx601", false}, {{6, 0, 2}, "gfx602", false},
                            {{7, 0, 0}, "gfx700", false}, {{7, 0, 1}, "gfx701", false}, {{7, 0, 2}, "gfx702", false},
                            {{7, 0, 3}, "gfx703", false}, {{7, 0, 4}, "gfx704", false}, {{7, 0, 5}, "gfx705", false},
                            {{8, 0, 0}, "gfx802", false}, {{8, 0, 1}, "gfx801", true},  {{8, 0, 2}, "gfx802", false},
                            {{8, 0, 3}, "gfx803", false}, {{8, 0, 4}, "gfx803", false}, {{8, 0, 5}, "gfx805", false},
                            {{8, 1, 0}, "gfx810", true},  {{9, 0, 0}, "gfx900", false}, {{9, 0, 1}, "gfx900", true},
                            {{9, 0, 2}, "gfx902", false}, {{9, 0, 3}, "gfx902", true},  {{9, 0, 4}, "gfx904", false},
                            {{9, 0, 5}, "gfx904", true},  {{9, 0, 6}, "gfx906", false}, {{9, 0, 7}, "gfx906", true},
                            {{9, 0, 12}, "gfx90c", false}};

std::string_view up_to_nul(std::string_view text) { return text.substr(0, text.find('\0')); }

class ObjectReader {
 public:
  ObjectReader(const elf::ElfView& view, Diagnostics& diagnostics, const CodeObjectOptions& options)
      : view_(view), diagnostics_(diagnostics), options_(options) {}

  std::optional<CodeObject> run() {
    object_.relocatable = view_.header().type == kTypeRelocatable;
    read_notes();
    if (!find_version()) return std::nullopt;
    find_target();
    if (!read_sections()) return std::nullopt;
    read_symbols();
    read_relocations();
    read_metadata();
    find_kernels();
    complete_metadata(object_, diagnostics_);
    return std::move(object_);
  }

 private:
  template <class... Args>
  void report(Code code, SourceRange where, fmt::format_string<Args...> text, Args&&... args) {
    diagnostics_.report(code, where, fmt::format(text, std::forward<Args>(args)...));
  }

  // Bytes of the ELF header.
  [[nodiscard]] SourceRange at(std::uint32_t offset, std::uint32_t size) const {
    return {options_.base + offset, size};
  }

  // --- notes ---

  void read_notes() {
    bool sections = false;
    std::size_t left = 16;  // real files have one; hostile ones may name the same bytes thousands of times
    for (const elf::Section& section : view_.sections())
      if (section.type == elf::kSectionNote && left-- > 0) {
        sections = true;
        notes_of(section.contents);
      }
    for (const elf::Segment& segment : view_.segments())
      if (!sections && segment.type == elf::kSegmentNote && left-- > 0) notes_of(segment.contents);
  }

  void notes_of(SourceRange where) {
    const elf::Notes notes = view_.notes(where);
    for (const elf::Note& note : notes.notes) {
      const std::string_view owner = view_.text(note.name);
      const auto bytes = view_.view(note.description);
      if (owner == std::string_view("AMDGPU\0", 7) && note.type == 32 && !messagepack_)
        messagepack_ = note.description;
      else if (owner == std::string_view("AMD\0", 4))
        legacy_note(note, bytes);
    }
    if (notes.rest.size != 0)
      report(Code::HsaNoteTruncated, notes.rest, "{} bytes of the notes are no whole note", notes.rest.size);
  }

  void legacy_note(const elf::Note& note, std::span<const std::byte> bytes) {
    const auto u32 = [&](std::size_t at) { return load<std::uint32_t>(bytes, at); };
    const auto need = [&](std::size_t size) {
      if (bytes.size() >= size) return true;
      report(Code::HsaNoteTruncated, note.where, "a note of type {} with {} bytes; it needs {}", note.type,
             bytes.size(), size);
      return false;
    };
    switch (note.type) {
      case 1:
        if (need(8)) object_.notes.code_object_version = {u32(0), u32(4)};
        break;
      case 2: object_.notes.finalizer = true; break;
      case 3:
        if (need(16)) object_.notes.isa = {u32(4), u32(8), u32(12)};
        break;
      case 4:  // {u16 length, u16, u32 major, u32 minor, name}; notes of 15.11 hold 8 bytes of no structure
        if (const std::string_view text = view_.text(note.description);
            bytes.size() >= 12 && load<std::uint16_t>(bytes, 0) <= bytes.size() - 12)
          object_.notes.producer =
              fmt::format("{} {}.{}", up_to_nul(text.substr(12, load<std::uint16_t>(bytes, 0))), u32(4), u32(8));
        break;
      case 5:  // {u16 length, text}
        if (bytes.size() >= 2)
          object_.notes.producer_options =
              up_to_nul(view_.text(note.description).substr(2, load<std::uint16_t>(bytes, 0)));
        break;
      case 7: runtime_metadata_ = note.description; break;
      case 8:
      case 10:
        if (!yaml_) yaml_ = note.description;
        break;
      case 11: object_.notes.isa_name = up_to_nul(view_.text(note.description)); break;
      default: break;
    }
  }

  // The file says its version; notes decide where ABI version 0 leaves V1 and V2 open. [CODE GetCodeObjectVersion; BIN]
  bool find_version() {
    const elf::Header& header = view_.header();
    const auto os_abi = std::to_integer<unsigned>(header.ident[7]), abi = std::to_integer<unsigned>(header.ident[8]);
    const auto& stated = object_.notes.code_object_version;
    const auto unclear = [&](std::string_view taken) {
      report(Code::ObjectVersionUnclear, at(7, 2), "OS ABI {} and ABI version {} do not go with the notes: {} is taken",
             os_abi, abi, taken);
    };
    if (abi > 4) {
      report(Code::ObjectVersionUnknown, at(8, 1), "ABI version {}; 0 to 4 are known", abi);
      return false;
    }
    if (abi >= 2) {
      object_.version = static_cast<CodeObjectVersion>(abi + 2);
      if (!messagepack_ && (yaml_ || stated)) unclear(version_info(object_.version).name);
      return true;
    }
    // 0 and 1: LLVM 6 documented 1 for V2, and no compiler wrote it.
    if (messagepack_) {
      object_.version = CodeObjectVersion::V3;
      if (abi == 0) unclear("V3");
      return true;
    }
    if (stated || yaml_) {
      object_.version = CodeObjectVersion::V2;
      object_.v1 = stated && (*stated)[0] == 1;
      if (abi == 1 || (stated && (*stated)[0] > 2)) unclear("V2");
      return true;
    }
    if (abi == 1) {
      object_.version = CodeObjectVersion::V3;
      return true;
    }
    report(Code::ObjectVersionUnknown, at(7, 2), "ABI version 0 and no note of a code object");
    return false;
  }

  void find_target() {
    const std::uint32_t flags = view_.header().flags;
    if (object_.version >= CodeObjectVersion::V3) {
      const TargetSpec spec = read_elf_flags(flags, object_.version);
      object_.target = spec.target;
      object_.features = spec.features;
      if (spec.target == nullptr)
        report(Code::ObjectTargetUnknown, at(48, 4), "machine {:#04x} of the flags is no target known here",
               flags & 0xff);
      return;
    }
    bool xnack = false;
    if (object_.notes.isa)
      for (const IsaRow& row : kIsas)
        if (row.isa == *object_.notes.isa) {
          object_.target = amdcompat::find_target(row.target);
          xnack = object_.notes.finalizer ? (flags & 1) != 0 : row.xnack;
        }
    if (object_.target == nullptr) {
      // "amdgcn-amd-amdhsa--gfx1010+xnack"
      std::string_view name = object_.notes.isa_name;
      const std::size_t dash = name.rfind("--");
      if (dash != std::string_view::npos) name.remove_prefix(dash + 2);
      xnack = name.contains("+xnack");
      if (const auto spec = parse_target(name.substr(0, name.find('+')))) object_.target = spec->target;
    }
    if (object_.target == nullptr && object_.notes.isa)
      object_.target = amdcompat::find_target(
          fmt::format("gfx{}{}{:x}", (*object_.notes.isa)[0], (*object_.notes.isa)[1], (*object_.notes.isa)[2]));
    if (object_.target == nullptr) object_.target = find_target_by_mach(static_cast<std::uint8_t>(flags & 0xff));
    if (object_.target == nullptr) {
      const auto isa = object_.notes.isa.value_or(std::array<std::uint32_t, 3>{});
      report(Code::ObjectTargetUnknown, at(48, 4), "neither the ISA note ({}.{}.{}) nor the flags name a known target",
             isa[0], isa[1], isa[2]);
      return;
    }
    // The loader's rule: SRAM-ECC off, XNACK as the name has it. [CODE ConvertOldTargetNameToNew]
    if (object_.target->xnack) object_.features.xnack = xnack ? FeatureSetting::On : FeatureSetting::Off;
    if (object_.target->sramecc) object_.features.sramecc = FeatureSetting::Off;
  }

  // --- sections ---

  static bool is_loaded(const elf::Section& section, std::string_view name) {
    constexpr std::uint32_t kInit = 14, kFini = 15;
    if ((section.flags & kFlagAlloc) == 0 || section.size == 0) return false;
    if (name == ".interp" || name == ".relro_padding") return false;
    return section.type == elf::kSectionProgbits || section.type == elf::kSectionNobits || section.type == kInit ||
           section.type == kFini;
  }

  bool read_sections() {
    const auto& sections = view_.sections();
    place_.assign(sections.size(), std::nullopt);
    std::uint64_t budget = 2 * std::uint64_t{total_bytes()};
    std::vector<std::pair<std::size_t, CodeSection>> found;
    for (std::size_t i = 0; i < sections.size(); ++i) {
      const elf::Section& from = sections[i];
      const std::string_view name = view_.text(from.name);
      if (!is_loaded(from, name)) continue;
      const bool zeros = from.type == elf::kSectionNobits;
      if (from.outside || from.size > kMostAddress || from.addr > kMostAddress || from.contents.size > budget) {
        report(Code::ElfSectionOutside, {},
               "section {} '{}': {:#x} bytes at {:#x} lie outside the file or the address space", i, name, from.size,
               from.offset);
        return false;
      }
      budget -= from.contents.size;
      CodeSection section;
      section.name = name;
      section.address = from.addr;
      section.align = std::has_single_bit(from.align) ? from.align : 1;
      section.writable = (from.flags & kFlagWrite) != 0 && (from.flags & kFlagExec) == 0;
      section.executable = (from.flags & kFlagExec) != 0;
      const auto bytes = view_.view(from.contents);
      if (zeros)
        section.zero_bytes = from.size;
      else
        section.bytes.assign(bytes.begin(), bytes.end());
      found.emplace_back(i, std::move(section));
    }
    // Laid out as lld does: read-only data, code, data, each on pages of their own.
    const auto rank = [](const CodeSection& s) { return s.executable ? 1 : s.writable ? 2 + (s.zero_bytes != 0) : 0; };
    if (object_.relocatable) {
      std::ranges::stable_sort(found, {}, [&](const auto& entry) { return rank(entry.second); });
      std::uint64_t end = 0;
      int last = 0;
      for (auto& [index, section] : found) {
        if (std::min(rank(section), 2) != last) end = align_up(end, kPageBytes);
        last = std::min(rank(section), 2);
        section.address = align_up(end, section.align);
        end = section.address + section.size();
      }
    } else {
      std::ranges::stable_sort(found, {}, [](const auto& entry) { return entry.second.address; });
    }
    base_ = found.empty() ? 0 : found.front().second.address / kPageBytes * kPageBytes;
    std::uint64_t end = 0;
    for (auto& [index, section] : found) {
      section.address -= base_;
      if (section.address < end || section.address % section.align != 0) {
        report(Code::ObjectSections, view_.sections()[index].contents,
               "section '{}' at {:#x} overlaps the one before it or is not aligned to {}", section.name,
               section.address + base_, section.align);
        return false;
      }
      end = section.address + section.size();
      place_[index] = object_.code.sections.size();
      object_.code.sections.push_back(std::move(section));
    }
    return true;
  }

  [[nodiscard]] std::size_t total_bytes() const {
    std::size_t total = 64;
    for (const elf::Section& section : view_.sections())
      total = std::max<std::size_t>(total, section.contents.begin + section.contents.size);
    return total;
  }

  // The section that `size` bytes from `address` on lie in; a place at the very end of a section counts as inside.
  [[nodiscard]] std::optional<CodePlace> at_address(std::uint64_t address, std::uint64_t size) const {
    if (address < base_) return std::nullopt;
    return find_place(object_.code, address - base_, size);
  }

  // --- symbols ---

  struct Symbol {
    std::string_view name;
    std::uint8_t type = 0;
    bool undefined = false;
    std::optional<CodePlace> place;
    SourceRange where;
  };

  void read_symbols() {
    const auto& sections = view_.sections();
    tables_.assign(sections.size(), {});
    for (std::size_t i = 0; i < sections.size(); ++i) {
      const bool dynamic = sections[i].type == kSectionDynamicSymbols;
      if (!dynamic && sections[i].type != elf::kSectionSymbols) continue;
      if (tables_used_ == 4) break;  // real files have two
      ++tables_used_;
      const auto symbols = view_.symbols(sections[i]);
      if (!symbols) {
        diagnostics_.add(symbols.error());
        continue;
      }
      tables_[i].reserve(symbols->size());
      for (const elf::Symbol& from : *symbols) {
        Symbol& symbol = tables_[i].emplace_back();
        symbol.name = view_.text(from.name);
        symbol.type = from.info & 15;
        symbol.where = from.where;
        symbol.undefined = from.section == 0;
        if (from.section != 0 && from.section < place_.size() && place_[from.section]) locate(from, symbol);
        const bool wanted = dynamic || (from.info >> 4) != 0 || symbol.type == kSymbolKernel;
        if (wanted && !symbol.name.empty() && symbol.type != kSymbolSection) named_.try_emplace(symbol.name, symbol);
      }
    }
  }

  // Values are addresses in linked files, offsets in others, and in some V1 files offsets all the same.
  void locate(const elf::Symbol& from, Symbol& symbol) {
    const CodeSection& section = object_.code.sections[*place_[from.section]];
    std::uint64_t offset = from.value;
    if (!object_.relocatable) {
      const std::uint64_t address = section.address + base_;
      if (from.value >= address && from.value - address <= section.size())
        offset = from.value - address;
      else if (!object_.v1)
        offset = std::numeric_limits<std::uint64_t>::max();
    }
    if (!inside(offset, from.size, section.size())) {
      if (!symbol.name.empty())
        report(Code::ObjectSymbolOutside, from.where, "symbol '{}': {} bytes at {:#x} lie outside section '{}'",
               symbol.name, from.size, from.value, section.name);
      return;
    }
    symbol.place = CodePlace{*place_[from.section], offset, from.size};
  }

  std::size_t model_symbol(const Symbol& symbol) {
    const auto [found, fresh] = model_symbols_.try_emplace(std::string(symbol.name), object_.code.symbols.size());
    if (fresh) object_.code.symbols.push_back({std::string(symbol.name), symbol.place, symbol.type == kSymbolFunction});
    return found->second;
  }

  // --- relocations ---

  void read_relocations() {
    constexpr std::uint64_t kEntry = 24;
    const auto& sections = view_.sections();
    std::uint64_t budget = total_bytes();
    for (const elf::Section& table : sections) {
      if (table.type != kSectionRela || table.contents.size > budget) continue;
      budget -= table.contents.size;
      if (object_.relocatable && (table.info >= place_.size() || !place_[table.info])) continue;  // of debug data
      const auto bytes = view_.view(table.contents);
      const std::vector<Symbol>* symbols = table.link < tables_.size() ? &tables_[table.link] : nullptr;
      for (std::size_t at = 0; at + kEntry <= bytes.size(); at += kEntry) {
        const SourceRange where{static_cast<std::uint32_t>(table.contents.begin + at), kEntry};
        const auto offset = load<std::uint64_t>(bytes, at);
        const auto info = load<std::uint64_t>(bytes, at + 8);
        const auto addend = static_cast<std::int64_t>(load<std::uint64_t>(bytes, at + 16));
        const auto type = static_cast<std::uint32_t>(info);
        const auto index = static_cast<std::uint32_t>(info >> 32);
        const Symbol* symbol =
            index != 0 && symbols != nullptr && index < symbols->size() ? &(*symbols)[index] : nullptr;
        if (index != 0 && symbol == nullptr) {
          report(Code::ObjectRelocation, where, "a relocation against symbol {}, which does not exist", index);
          continue;
        }
        relocate(table, where, offset, type, symbol, addend);
      }
    }
  }

  void relocate(const elf::Section& table, SourceRange where, std::uint64_t offset, std::uint32_t type,
                const Symbol* symbol, std::int64_t addend) {
    if (type == 0) return;
    const std::uint64_t size = type == kRelocationAbs64 || type == kRelocationRelative64 || type == kRel64 ? 8 : 4;
    std::optional<CodePlace> place;
    if (object_.relocatable) {
      const std::size_t section = *place_[table.info];
      if (inside(offset, size, object_.code.sections[section].bytes.size())) place = CodePlace{section, offset, size};
    } else {
      place = at_address(offset, size);
    }
    if (!place || !inside(place->offset, size, object_.code.sections[place->section].bytes.size())) {
      report(Code::ObjectRelocation, where, "a relocation at {:#x} lies in no section with contents", offset);
      return;
    }
    CodeRelocation out{*place, type, std::nullopt, 0, addend};
    if (type == kRelocationRelative64) {
      const auto target = at_address(static_cast<std::uint64_t>(addend), 0);
      if (!target) {
        report(Code::ObjectRelocation, where, "a relocation against address {:#x}, where nothing is loaded", addend);
        return;
      }
      out.target = target->section;
      out.addend = static_cast<std::int64_t>(target->offset);
      object_.code.relocations.push_back(out);
      return;
    }
    if (symbol == nullptr || (!symbol->place && !symbol->undefined)) {
      report(Code::ObjectRelocation, where, "a relocation of type {} without a symbol that is loaded", type);
      return;
    }
    switch (type) {
      case kRelocationAbs64:
        if (symbol->place && object_.relocatable) {
          out.type = kRelocationRelative64;
          out.target = symbol->place->section;
          out.addend = static_cast<std::int64_t>(symbol->place->offset) + addend;
          object_.code.relocations.push_back(out);
          return;
        }
        [[fallthrough]];
      case kRelocationAbs32Low:
      case kRelocationAbs32High:
      case kRelocationAbs32:
        if (symbol->name.empty()) break;
        out.symbol = model_symbol(*symbol);
        object_.code.relocations.push_back(out);
        return;
      case kRel32:
      case kRel64:
      case kRel32Low:
      case kRel32High:
        if (!symbol->place || !object_.relocatable) break;
        resolve(*place, type, *symbol->place, addend);
        return;
      default: break;
    }
    report(Code::ObjectRelocation, where,
           "a relocation of type {} against '{}' cannot be kept or resolved without a linker", type, symbol->name);
  }

  // The distance from the place to the symbol. [LU: S + A - P]
  void resolve(const CodePlace& place, std::uint32_t type, const CodePlace& symbol, std::int64_t addend) {
    CodeSection& section = object_.code.sections[place.section];
    const std::uint64_t value = object_.code.sections[symbol.section].address + symbol.offset +
                                static_cast<std::uint64_t>(addend) - section.address - place.offset;
    const std::span<std::byte> bytes(section.bytes);
    if (type == kRel64)
      elf::store(bytes, place.offset, value);
    else
      elf::store(bytes, place.offset, static_cast<std::uint32_t>(type == kRel32High ? value >> 32 : value));
  }

  // --- metadata and kernels ---

  void read_metadata() {
    ReadOptions options = options_.metadata;
    if (object_.version >= CodeObjectVersion::V3) {
      if (messagepack_) {
        const std::string_view payload = view_.text(*messagepack_);
        options.base = messagepack_->begin;
        object_.metadata_bytes = payload;
        if (auto metadata = read_msgpack(payload, diagnostics_, options)) {
          object_.metadata = std::move(*metadata);
          object_.has_metadata = true;
        }
      }
    } else if (yaml_) {
      // Not NUL-terminated as a rule, and in none of the real files; take what stands before one.
      std::string_view text = view_.text(*yaml_);
      text = text.substr(0, text.find('\0'));
      options.base = yaml_->begin;
      object_.metadata_bytes = text;
      if (auto metadata = read_v2_yaml(text, diagnostics_, options)) {
        object_.metadata = std::move(*metadata);
        object_.has_metadata = true;
      }
    } else if (runtime_metadata_) {
      const std::string_view bytes = view_.text(*runtime_metadata_);
      options.base = runtime_metadata_->begin;
      object_.metadata_bytes = bytes;
      if (auto metadata = read_runtime_metadata(bytes, diagnostics_, options)) {
        object_.metadata = std::move(*metadata);
        object_.has_metadata = true;
      }
    }
    if (!object_.has_metadata)
      report(Code::ObjectNoMetadata, {}, "no metadata: nothing says what arguments the kernels take");
    if (!object_.metadata.version) object_.metadata.version = version_info(object_.version).metadata;
  }

  void find_kernels() {
    // By the metadata's order, then by name.
    std::map<std::string_view, const Symbol*> left;
    const bool old = object_.version == CodeObjectVersion::V2;
    for (const auto& [name, symbol] : named_) {
      // Some V2 objects name the structure `k@kd` and the code `k`. Of two structures `k` comes first.
      const bool suffixed = name.ends_with(old ? "@kd" : ".kd");
      const bool kernel = old ? symbol.type == kSymbolKernel : suffixed && symbol.type != kSymbolFunction;
      if (kernel && symbol.place) left.emplace(suffixed ? name.substr(0, name.size() - 3) : name, &symbol);
    }
    if (left.size() > options_.max_kernels) {
      report(Code::ElfTooManyEntries, {}, "{} kernels, the limit is {}", left.size(), options_.max_kernels);
      return;
    }
    for (const MetadataKernel& kernel : object_.metadata.kernels) {
      std::string_view name = kernel.symbol ? std::string_view(*kernel.symbol) : std::string_view{};
      if (name.ends_with(".kd")) name.remove_suffix(3);
      auto found = left.find(name);
      if (found == left.end() && kernel.name) found = left.find(*kernel.name);
      if (found == left.end()) continue;  // check_code_object says so
      add_kernel(found->first, *found->second);
      left.erase(found);
    }
    for (const auto& [name, symbol] : left) add_kernel(name, *symbol);
    std::unordered_set<std::string_view> names;
    for (const CodeKernel& kernel : object_.kernels) names.insert(kernel.name);
    for (const auto& [name, symbol] : named_) {
      const bool own = names.contains(name) ||
                       (name.ends_with(old ? "@kd" : ".kd") && names.contains(name.substr(0, name.size() - 3)));
      if (!own && (symbol.place || symbol.undefined)) model_symbol(symbol);
    }
  }

  void add_kernel(std::string_view name, const Symbol& symbol) {
    const bool old = object_.version == CodeObjectVersion::V2;
    const std::uint64_t need = old ? kKernelCodeBytes : kDescriptorBytes;
    const CodeSection& section = object_.code.sections[symbol.place->section];
    const DiagnosticScope scope(diagnostics_, {.kernel = name});
    if (!inside(symbol.place->offset, need, section.bytes.size())) {
      diagnostics_.report_on(Subject::Kernel, Code::ObjectKernelBroken, symbol.where,
                             fmt::format("begins {} bytes before the end of section '{}'",
                                         section.size() - symbol.place->offset, section.name));
      return;
    }
    CodeKernel kernel;
    kernel.name = name;
    (old ? kernel.legacy_place : kernel.descriptor_place) =
        CodePlace{symbol.place->section, symbol.place->offset, need};
    const std::span<const std::byte> bytes = std::span(section.bytes).subspan(symbol.place->offset);
    std::int64_t entry = 0;
    if (old) {
      kernel.legacy = cl2::read_kernel_code(bytes.first<kKernelCodeBytes>());
      entry = kernel.legacy->entry_offset;
    } else {
      kernel.descriptor = read_descriptor(bytes.first<kDescriptorBytes>());
      entry = kernel.descriptor->entry_offset;
    }
    const std::uint64_t address = section.address + symbol.place->offset + static_cast<std::uint64_t>(entry);
    const auto code = find_place(object_.code, address, 1);
    if (!code || !object_.code.sections[code->section].executable) {
      diagnostics_.report_on(Subject::Kernel, Code::ObjectKernelBroken, symbol.where,
                             fmt::format("has its entry, {} bytes on, in no code", entry));
      return;
    }
    kernel.code = *code;
    kernel.code.size = code_size(name, symbol, *code);
    object_.kernels.push_back(std::move(kernel));
  }

  // As far as the kernel's own symbol goes; where it says nothing, to the end of the section.
  std::uint64_t code_size(std::string_view name, const Symbol& symbol, const CodePlace& code) const {
    const std::uint64_t rest = object_.code.sections[code.section].size() - code.offset;
    if (object_.version == CodeObjectVersion::V2) {
      const std::uint64_t end = symbol.place->offset + symbol.place->size;
      const bool inside_symbol = symbol.place->section == code.section && end > code.offset;
      if (inside_symbol) return std::min(rest, end - code.offset);
    }
    const auto function = named_.find(name);
    if (function == named_.end() || !function->second.place) return rest;
    const CodePlace& place = *function->second.place;
    return place.section == code.section && place.offset == code.offset && place.size != 0 ? place.size : rest;
  }

  const elf::ElfView& view_;
  Diagnostics& diagnostics_;
  const CodeObjectOptions& options_;
  CodeObject object_;
  std::optional<SourceRange> messagepack_, yaml_, runtime_metadata_;
  std::vector<std::optional<std::size_t>> place_;  // model section of each ELF section
  std::uint64_t base_ = 0;  // address of the model's address 0
  std::vector<std::vector<Symbol>> tables_;  // by section
  std::size_t tables_used_ = 0;
  std::map<std::string_view, Symbol> named_;
  std::unordered_map<std::string, std::size_t> model_symbols_;
};

template <class T>
void fill(std::optional<T>& field, std::uint64_t value) {
  if (!field) field = value;
}

}  // namespace

std::optional<CodePlace> find_place(const MachineCode& code, std::uint64_t address, std::uint64_t size) {
  auto next = std::ranges::upper_bound(code.sections, address, {}, &CodeSection::address);
  if (next == code.sections.begin()) return std::nullopt;
  --next;
  const std::uint64_t offset = address - next->address;
  if (!inside(offset, size, next->size())) return std::nullopt;
  return CodePlace{static_cast<std::size_t>(next - code.sections.begin()), offset, size};
}

// What V1 and V2 say in `amd_kernel_code_t` alone; kernels without an entry get one, which V1 has for none.
void complete_metadata(CodeObject& object, Diagnostics& diagnostics) {
  // AMD's runtimes take this for kernels whose metadata does not say. [RT; RC]
  constexpr std::uint64_t kDefaultWorkgroup = 256;
  if (object.version >= CodeObjectVersion::V3) return;
  std::unordered_map<std::string, std::size_t> by_symbol;
  for (std::size_t i = 0; i < object.metadata.kernels.size(); ++i)
    if (object.metadata.kernels[i].symbol) by_symbol.try_emplace(*object.metadata.kernels[i].symbol, i);
  for (const CodeKernel& kernel : object.kernels) {
    const auto [entry, missing] = by_symbol.try_emplace(kernel.name + ".kd", object.metadata.kernels.size());
    if (missing) {
      MetadataKernel& made = object.metadata.kernels.emplace_back();
      made.name = kernel.name;
      made.symbol = kernel.name + ".kd";
      made.args_absent = true;
    }
    MetadataKernel& out = object.metadata.kernels[entry->second];
    const KernelCode& code = *kernel.legacy;
    fill(out.kernarg_segment_size, code.kernarg_bytes);
    // The runtime allocates at 16 anyway; what is no logarithm of an alignment is not taken for one.
    fill(out.kernarg_segment_align,
         code.kernarg_align >= 2 && code.kernarg_align <= 12 ? std::uint64_t{1} << code.kernarg_align : 16);
    fill(out.group_segment_fixed_size, code.group_bytes);
    fill(out.private_segment_fixed_size, code.private_bytes);
    fill(out.wavefront_size, object.target != nullptr && is_wave32(code, *object.target) ? 32 : 64);
    fill(out.sgpr_count, code.sgprs);
    fill(out.vgpr_count, code.vgprs);
    if (!out.max_flat_workgroup_size) {
      out.max_flat_workgroup_size = kDefaultWorkgroup;
      const DiagnosticScope scope(diagnostics, {.kernel = kernel.name});
      diagnostics.report_on(
          Subject::Kernel, Code::ObjectWorkgroupAssumed, {},
          fmt::format("does not say how large its work-groups may be: {} as runtimes assume", kDefaultWorkgroup));
    }
  }
}

std::optional<CodeObject> read_code_object(std::string_view bytes, Diagnostics& diagnostics,
                                           const CodeObjectOptions& options) {
  elf::Limits limits;
  limits.sections = options.max_sections;
  limits.symbols = options.max_symbols;
  limits.name_bytes = 65'536;  // mangled C++ names are long
  const auto view = elf::ElfView::open(std::as_bytes(std::span(bytes)), options.base, limits);
  if (!view) {
    diagnostics.add(view.error());
    return std::nullopt;
  }
  constexpr std::uint16_t kAmdgpu = 224;
  if (!view->header().is_64() || view->header().machine != kAmdgpu) {
    diagnostics.report(Code::HsaElfUnusable, {options.base + 18, 2},
                       fmt::format("machine {} in an ELF file of {} bits; code objects have 224 and 64",
                                   view->header().machine, view->header().is_64() ? 64 : 32));
    return std::nullopt;
  }
  return ObjectReader(*view, diagnostics, options).run();
}

}  // namespace amdcompat::hsa
