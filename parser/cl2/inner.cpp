// The inner ELF: notes, samplers and relocations. Kernels are found by the container's reader.
//
// Sections and their order vary by compiler; what is read goes by section name, note owner and type. Notes of
// 15.11 hold
// what was in memory by chance: the producer's eight bytes and the bytes behind the options. A note is therefore read
// only as far as its own sizes explain it. [ELFH; CODE; BIN]
#include "inner.hpp"

#include <algorithm>

#include "bytes.hpp"
#include "elf_image.hpp"

namespace amdcompat::cl2 {
namespace {

using elf::inside;
using elf::load;

constexpr std::uint32_t kRela = 4;  // SHT_RELA

constexpr std::array kNoteTypes{NoteType{1, "code object version", "ELFH NT_AMD_HSA_CODE_OBJECT_VERSION; BIN"},
                                NoteType{2, "HSAIL", "ELFH NT_AMD_HSA_HSAIL; BIN"},
                                NoteType{3, "ISA version", "ELFH NT_AMD_HSA_ISA_VERSION; BIN"},
                                NoteType{4, "producer", "ELFH NT_AMD_HSA_PRODUCER; BIN: 8 bytes of garbage in 15.11"},
                                NoteType{5, "producer options", "ELFH NT_AMD_HSA_PRODUCER_OPTIONS; BIN"},
                                NoteType{6, "extension", "ELFH NT_AMD_HSA_EXTENSION"}};

constexpr std::array kRelocationTypes{
    RelocationType{1, "32_LOW", 4, "low half of an address"},
    RelocationType{2, "32_HIGH", 4, "high half of an address"},
    RelocationType{3, "64", 8, "address"},
    RelocationType{4, "INIT_SAMPLER", 8, "handle of a sampler object"},
    RelocationType{5, "INIT_IMAGE", 8, "handle of an image object"},
    RelocationType{13, "RELATIVE64", 8, "address relative to where the object is loaded"}};

// Names of samplers in the image, and of the section a table of relocations is for.
constexpr std::string_view kRelaPrefix = ".rela";

class InnerReader {
 public:
  InnerReader(const elf::ElfView& view, Inner& inner, Diagnostics& diagnostics)
      : view_(view), inner_(inner), diagnostics_(diagnostics) {}

  void run() {
    // A few note sections are enough for real files; a hostile one may name the same bytes thousands of times.
    std::size_t left = 16;
    for (const elf::Section& section : inner_.elf.sections)
      if (section.type == elf::kSectionNote && left-- > 0) read_notes(section.contents);
    std::uint64_t budget = inner_.elf.where.size;
    for (std::size_t i = 0; i < inner_.elf.sections.size(); ++i) {
      const elf::Section& section = inner_.elf.sections[i];
      const bool sampler = view_.text(section.name) == kSamplerSection;
      if (!sampler && section.type != kRela) continue;
      if (section.contents.size > budget) return;  // sections that share bytes
      budget -= section.contents.size;
      if (sampler)
        read_samplers(section);
      else
        read_relocations(section, i);
    }
  }

 private:
  void note_broken(const Note& note, std::string message) {
    diagnostics_.report(Code::Cl2NoteBroken, note.where, std::move(message));
  }

  void read_notes(SourceRange where) {
    const elf::Notes notes = view_.notes(where);
    for (const elf::Note& from : notes.notes) {
      Note& note = inner_.notes.emplace_back(Note{from.where, from.name, from.description, from.type});
      if (view_.text(note.name) != std::string_view("AMD\0", 4)) continue;
      interpret(note);
    }
    if (notes.rest.size != 0)
      diagnostics_.report(Code::Cl2NoteBroken, notes.rest,
                          fmt::format("{} bytes of the notes are no whole note", notes.rest.size));
  }

  void interpret(const Note& note) {
    const auto bytes = view_.view(note.description);
    const auto u16 = [&](std::size_t at) { return load<std::uint16_t>(bytes, at); };
    const auto u32 = [&](std::size_t at) { return load<std::uint32_t>(bytes, at); };
    const auto need = [&](std::size_t size) {
      if (bytes.size() >= size) return true;
      note_broken(note, fmt::format("a note of type {} with {} bytes; it needs {}", note.type, bytes.size(), size));
      return false;
    };
    switch (note.type) {
      case 1:
        if (need(8)) inner_.code_object_version = {u32(0), u32(4)};
        break;
      case 2:
        if (need(11))
          inner_.hsail = HsailNote{u32(0), u32(4), std::to_integer<std::uint8_t>(bytes[8]),
                                   std::to_integer<std::uint8_t>(bytes[9]), std::to_integer<std::uint8_t>(bytes[10])};
        break;
      case 3:
        if (need(16)) {
          IsaNote isa{u32(4), u32(8), u32(12), {}, {}};
          // The sizes count NULs, the last of which may lie past the description: take what is there. [BIN]
          const std::string_view names = as_text(bytes.subspan(16));
          isa.vendor = names.substr(0, std::min<std::size_t>(u16(0), names.size()));
          isa.architecture = names.substr(isa.vendor.size(), u16(2));
          for (std::string* name : {&isa.vendor, &isa.architecture})
            name->erase(std::min(name->find('\0'), name->size()));
          inner_.isa = std::move(isa);
        }
        break;
      case 4:
        // {u16 length, u16, u32 major, u32 minor, name}; anything else is the garbage of 15.11.
        if (bytes.size() >= 12 && u16(0) != 0 && u16(0) <= bytes.size() - 12) {
          const std::string_view name = as_text(bytes.subspan(12, u16(0)));
          inner_.producer = name.substr(0, name.find('\0'));
        }
        break;
      case 5:
        if (need(2)) {
          if (u16(0) > bytes.size() - 2)
            note_broken(note, fmt::format("options of {} bytes in a note of {}", u16(0), bytes.size()));
          else {
            const std::string_view text = as_text(bytes.subspan(2, u16(0)));
            inner_.options = text.substr(0, text.find('\0'));
          }
        }
        break;
      default: break;
    }
  }

  void read_samplers(const elf::Section& section) {
    const auto bytes = view_.view(section.contents);
    for (std::size_t at = 0; at + kSamplerBytes <= bytes.size(); at += kSamplerBytes) {
      const auto byte = [&](std::size_t i) { return std::to_integer<std::uint8_t>(bytes[at + i]); };
      SamplerInit& sampler = inner_.samplers.emplace_back();
      sampler.where = {static_cast<std::uint32_t>(section.contents.begin + at), kSamplerBytes};
      sampler.size = load<std::uint16_t>(bytes, at);
      sampler.kind = load<std::uint16_t>(bytes, at + 2);
      sampler.normalized = byte(4);
      sampler.filter = byte(5);
      sampler.addressing = byte(6);
      sampler.reserved = byte(7);
      if (sampler.size != kSamplerBytes || sampler.kind != 1 || sampler.normalized > 1 || sampler.filter > 1 ||
          sampler.addressing > 4)
        diagnostics_.report(
            Code::Cl2RelocationBroken, sampler.where,
            fmt::format("sampler {} is none of the known form (size {}, kind {}, coordinates {}, filter "
                        "{}, addressing {})",
                        inner_.samplers.size() - 1, sampler.size, sampler.kind, sampler.normalized, sampler.filter,
                        sampler.addressing));
    }
    if (bytes.size() % kSamplerBytes != 0)
      diagnostics_.report(Code::Cl2RelocationBroken, section.contents,
                          fmt::format("{} bytes of samplers are no whole number of entries", bytes.size()));
  }

  // sh_info names the section that is changed; where it does not, the table's own name does. [BIN]
  std::size_t target_of(const elf::Section& table) const {
    const auto& sections = inner_.elf.sections;
    if (table.info != 0 && table.info < sections.size()) return table.info;
    const std::string_view name = view_.text(table.name);
    if (name.starts_with(kRelaPrefix))
      for (std::size_t i = 0; i < sections.size(); ++i)
        if (view_.text(sections[i].name) == name.substr(kRelaPrefix.size())) return i;
    return 0;
  }

  void read_relocations(const elf::Section& table, std::size_t index) {
    const auto bytes = view_.view(table.contents);
    const std::size_t target = target_of(table);
    if (bytes.size() % kRelaBytes != 0)
      diagnostics_.report(Code::Cl2RelocationBroken, table.contents,
                          fmt::format("{} bytes of relocations are no whole number of entries", bytes.size()));
    if (target == 0 && !bytes.empty()) {
      diagnostics_.report(Code::Cl2RelocationBroken, table.contents,
                          fmt::format("section {} holds relocations for no section", index));
    }
    for (std::size_t at = 0; at + kRelaBytes <= bytes.size(); at += kRelaBytes) {
      Relocation& relocation = inner_.relocations.emplace_back();
      relocation.where = {static_cast<std::uint32_t>(table.contents.begin + at), kRelaBytes};
      relocation.section = target;
      relocation.offset = load<std::uint64_t>(bytes, at);
      const std::uint64_t info = load<std::uint64_t>(bytes, at + 8);
      relocation.symbol = static_cast<std::uint32_t>(info >> 32);
      relocation.type = static_cast<std::uint32_t>(info);
      relocation.addend = static_cast<std::int64_t>(load<std::uint64_t>(bytes, at + 16));
      check(relocation);
    }
  }

  void check(const Relocation& relocation) {
    const auto type = std::ranges::find(kRelocationTypes, relocation.type, &RelocationType::type);
    if (type == kRelocationTypes.end())
      diagnostics_.report(Code::Cl2RelocationBroken, relocation.where,
                          fmt::format("a relocation of unknown type {}", relocation.type));
    else if (relocation.section != 0 &&
             !inside(relocation.offset, type->bytes, inner_.elf.sections[relocation.section].size))
      diagnostics_.report(Code::Cl2RelocationBroken, relocation.where,
                          fmt::format("a relocation at 0x{:x} lies outside its section of {} bytes", relocation.offset,
                                      inner_.elf.sections[relocation.section].size));
    if (relocation.symbol >= inner_.elf.symbols.size())
      diagnostics_.report(
          Code::Cl2RelocationBroken, relocation.where,
          fmt::format("a relocation against symbol {} of {}", relocation.symbol, inner_.elf.symbols.size()));
  }

  const elf::ElfView& view_;
  Inner& inner_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::span<const NoteType> note_types() { return kNoteTypes; }
std::span<const RelocationType> relocation_types() { return kRelocationTypes; }

std::optional<Inner> read_inner(std::span<const std::byte> file, SourceRange where, const ReadOptions& options,
                                Diagnostics& diagnostics) {
  const auto refuse = [&](const Diagnostic& reason) {
    diagnostics.report(Code::Cl2InnerBroken, reason.where.size != 0 ? reason.where : where,
                       fmt::format("the inner ELF cannot be read: {}", reason.message));
    return std::nullopt;
  };
  const auto view = elf::ElfView::open(part(file, where), where.begin,
                                       {.sections = options.max_sections, .symbols = options.max_symbols});
  if (!view) return refuse(view.error());
  Result<ElfImage> elf = read_elf(*view, where, diagnostics);
  if (!elf) return refuse(elf.error());
  if (!view->header().is_64() || view->header().machine != kInnerMachine)
    diagnostics.report(Code::Cl2CodeUnusual, {where.begin, 20},
                       fmt::format("the inner ELF has {} bits and e_machine {}; compilers write 64 and {}",
                                   view->header().is_64() ? 64 : 32, view->header().machine, kInnerMachine));
  Inner inner;
  inner.elf = std::move(*elf);
  InnerReader(*view, inner, diagnostics).run();
  return inner;
}

void put_inner(std::span<std::byte> out, const Inner& inner) {
  for (const SamplerInit& sampler : inner.samplers) put_sampler(out, sampler.where.begin, sampler);
  for (const Relocation& relocation : inner.relocations) put_relocation(out, relocation.where.begin, relocation);
  put_elf(out, inner.elf);
}

}  // namespace amdcompat::cl2
