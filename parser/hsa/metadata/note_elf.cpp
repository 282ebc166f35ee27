// ELF files: one that holds the metadata note and nothing else is written here, and the note of any is found.
//
// Written layout (offsets in the file; nothing is loaded at an address, addresses equal offsets):
//
//     0  ELF header          64 bytes
//    64  program header      56 bytes  PT_NOTE -> the note
//   120  note                name "AMDGPU", type 32, MessagePack
//     .  section names       "\0.note\0.shstrtab\0"
//     .  section headers     3 x 64 bytes, aligned to 8: null, .note (SHT_NOTE), .shstrtab
//
// Header facts: [ELFH] for OSABI, ABI version, machine and flags; [ELF-64 object file format] for the
// layout of headers.
#include <array>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include <amdcompat/hsa.hpp>

#include <elf/bytes.hpp>

namespace amdcompat::hsa {
namespace {

using elf::align_up;
using elf::clamp_range;
using elf::get;
using elf::pad;
using elf::put;

constexpr std::string_view kIdent{"\x7F"
                                  "ELF"
                                  "\x02\x01\x01",
                                  7};  // ELF64, little-endian, version 1
constexpr std::uint8_t kOsAbiHsa = 64;
constexpr std::uint16_t kMachineAmdgpu = 224;
constexpr std::uint16_t kTypeShared = 3;  // ET_DYN
constexpr std::uint32_t kSegmentNote = 4;
constexpr std::uint32_t kSectionNote = 7;
constexpr std::uint32_t kSectionStrings = 3;
constexpr std::uint64_t kHeaderSize = 64;
constexpr std::uint64_t kSegmentSize = 56;
constexpr std::uint64_t kSectionSize = 64;

struct Header {
  std::uint64_t segments = 0;
  std::uint64_t segment_size = 0;
  std::uint64_t segment_count = 0;
  std::uint64_t sections = 0;
  std::uint64_t section_size = 0;
  std::uint64_t section_count = 0;
};

Header read_header(std::string_view file) {
  return {.segments = get<std::uint64_t>(file, 32),
          .segment_size = get<std::uint16_t>(file, 54),
          .segment_count = get<std::uint16_t>(file, 56),
          .sections = get<std::uint64_t>(file, 40),
          .section_size = get<std::uint16_t>(file, 58),
          .section_count = get<std::uint16_t>(file, 60)};
}

// Whether `count` entries of `size` bytes from `offset` on lie inside the file; `least` is what an entry needs.
bool table_fits(std::string_view file, std::uint64_t offset, std::uint64_t size, std::uint64_t count,
                std::uint64_t least) {
  return count == 0 || (size >= least && offset <= file.size() && count <= (file.size() - offset) / size);
}

class NoteFinder {
 public:
  NoteFinder(std::string_view file, Diagnostics& diagnostics, const ReadOptions& options)
      : file_(file), diagnostics_(diagnostics), options_(options) {}

  std::optional<SourceRange> find() {
    const Header header = read_header(file_);
    const bool segments = table_fits(file_, header.segments, header.segment_size, header.segment_count, kSegmentSize);
    const bool sections = table_fits(file_, header.sections, header.section_size, header.section_count, kSectionSize);
    if (!segments) bad("the program headers lie outside the file", 32);
    if (!sections) bad("the section headers lie outside the file", 40);
    std::optional<SourceRange> found;
    for (std::uint64_t i = 0; segments && !found && i < header.segment_count; ++i) {
      const std::uint64_t at = header.segments + i * header.segment_size;
      if (get<std::uint32_t>(file_, at) == kSegmentNote) found = in(at, at + 8, at + 32, at + 48);
    }
    for (std::uint64_t i = 0; sections && !found && i < header.section_count; ++i) {
      const std::uint64_t at = header.sections + i * header.section_size;
      if (get<std::uint32_t>(file_, at + 4) == kSectionNote) found = in(at, at + 24, at + 32, at + 48);
    }
    return found;
  }

  // A finding explains why there may be no note.
  [[nodiscard]] bool explained() const { return explained_; }

 private:
  std::optional<SourceRange> in(std::uint64_t header, std::uint64_t offset_at, std::uint64_t size_at,
                                std::uint64_t align_at) {
    const auto offset = get<std::uint64_t>(file_, offset_at);
    const auto size = get<std::uint64_t>(file_, size_at);
    if (offset > file_.size() || size > file_.size() - offset) {
      bad("notes outside the file", header);
      return std::nullopt;
    }
    ReadOptions inner = options_;
    inner.base = static_cast<std::uint32_t>(options_.base + offset);
    const auto found = find_note(file_.substr(offset, size), inner, get<std::uint64_t>(file_, align_at) == 8 ? 8 : 4);
    if (found) return *found;
    diagnostics_.add(found.error());
    explained_ = true;
    return std::nullopt;
  }

  void bad(std::string_view what, std::uint64_t at) {
    diagnostics_.report(Code::HsaElfUnusable, clamp_range(options_.base, at, 8), std::string(what));
    explained_ = true;
  }

  std::string_view file_;
  Diagnostics& diagnostics_;
  const ReadOptions& options_;
  bool explained_ = false;
};

}  // namespace

Result<std::string> to_note_elf(const Metadata& metadata, const Target& target, CodeObjectVersion version,
                                TargetFeatures features) {
  const auto flags = elf_flags(target, version, features);
  if (!flags) return std::unexpected(flags.error());
  const VersionInfo& info = version_info(version);
  if (metadata.version != info.metadata)
    return std::unexpected(make_diagnostic(
        Code::HsaVersionMismatch, {}, fmt::format("{} has [{}, {}]", info.name, info.metadata[0], info.metadata[1]),
        "amdhsa.version"));

  const std::string note = to_note(metadata);
  constexpr std::string_view kNames{"\0.note\0.shstrtab\0", 17};
  constexpr std::uint32_t kNoteName = 1;
  constexpr std::uint32_t kStringsName = 7;
  constexpr std::uint64_t kNoteOffset = kHeaderSize + kSegmentSize;
  const std::uint64_t names_offset = kNoteOffset + note.size();
  const std::uint64_t sections_offset = align_up(names_offset + kNames.size(), 8);
  if (sections_offset + 3 * kSectionSize > std::numeric_limits<std::uint32_t>::max())
    return std::unexpected(make_diagnostic(Code::HsaTooLarge, {}, "the file would be over 4 GiB"));

  std::string file;
  file.reserve(sections_offset + 3 * kSectionSize);
  const auto word = [&](std::uint32_t value) { put(file, value); };
  const auto quad = [&](std::uint64_t value) { put(file, value); };
  const auto half = [&](std::uint64_t value) { put(file, static_cast<std::uint16_t>(value)); };

  file += kIdent;
  file += static_cast<char>(kOsAbiHsa);
  file += static_cast<char>(info.abi_version);
  pad(file, 16);
  half(kTypeShared);
  half(kMachineAmdgpu);
  word(1);  // e_version
  quad(0);  // e_entry
  quad(kHeaderSize);  // e_phoff
  quad(sections_offset);
  word(*flags);
  half(kHeaderSize);
  half(kSegmentSize);
  half(1);  // e_phnum
  half(kSectionSize);
  half(3);  // e_shnum
  half(2);  // e_shstrndx

  constexpr std::uint32_t kReadable = 4;  // PF_R
  word(kSegmentNote);
  word(kReadable);
  quad(kNoteOffset);
  quad(kNoteOffset);  // p_vaddr
  quad(kNoteOffset);  // p_paddr
  quad(note.size());
  quad(note.size());  // p_memsz
  quad(4);            // p_align

  file += note;
  file += kNames;
  pad(file, 8);

  const auto section = [&](std::uint32_t name, std::uint32_t type, std::uint64_t section_flags, std::uint64_t address,
                           std::uint64_t offset, std::uint64_t size, std::uint64_t align) {
    word(name);
    word(type);
    quad(section_flags);
    quad(address);
    quad(offset);
    quad(size);
    word(0);  // sh_link
    word(0);  // sh_info
    quad(align);
    quad(0);  // sh_entsize
  };
  constexpr std::uint64_t kAllocated = 2;  // SHF_ALLOC
  section(0, 0, 0, 0, 0, 0, 0);
  section(kNoteName, kSectionNote, kAllocated, kNoteOffset, kNoteOffset, note.size(), 4);
  section(kStringsName, kSectionStrings, 0, 0, names_offset, kNames.size(), 1);

  // The writer's own judge: what was written is what was meant.
  Diagnostics findings;
  ReadOptions limits;
  limits.max_bytes = limits.max_values = file.size();
  const auto again = read_note_elf(file, findings, limits);
  if (!again || again->metadata != metadata || again->flags != *flags)
    return std::unexpected(
        make_diagnostic(Code::HsaNotRepresentable, {},
                        findings.all().empty() ? "it reads back as another document" : findings.all().front().message,
                        findings.all().empty() ? std::string{} : findings.all().front().path));
  return file;
}

std::optional<CodeObjectVersion> NoteElf::version() const {
  if (osabi != kOsAbiHsa) return std::nullopt;
  for (const VersionInfo& row : all_code_object_versions())
    if (row.version != CodeObjectVersion::V2 && row.abi_version == abi_version) return row.version;
  return std::nullopt;
}

std::optional<NoteElf> read_note_elf(std::string_view file, Diagnostics& diagnostics, const ReadOptions& options) {
  if (file.size() > std::numeric_limits<std::uint32_t>::max() - options.base) {
    diagnostics.report(Code::HsaTooLarge, {options.base, 0}, "files over 4 GiB are not read");
    return std::nullopt;
  }
  if (file.size() < kHeaderSize || !file.starts_with(kIdent)) {
    diagnostics.report(Code::HsaElfUnusable, clamp_range(options.base, 0, std::min<std::uint64_t>(file.size(), 16)),
                       "expected a little-endian ELF64 header");
    return std::nullopt;
  }
  NoteElf elf;
  elf.osabi = static_cast<std::uint8_t>(file[7]);
  elf.abi_version = static_cast<std::uint8_t>(file[8]);
  elf.machine = get<std::uint16_t>(file, 18);
  elf.flags = get<std::uint32_t>(file, 48);
  if (elf.machine != kMachineAmdgpu || !elf.version())
    diagnostics.report(Code::HsaElfForeign, clamp_range(options.base, 0, 20),
                       fmt::format("machine {}, OS ABI {}, ABI version {}", elf.machine, elf.osabi, elf.abi_version));
  NoteFinder finder(file, diagnostics, options);
  const auto payload = finder.find();
  if (!payload) {
    if (!finder.explained())
      diagnostics.report(Code::HsaNoteMissing, clamp_range(options.base, 0, 0), "no metadata note in the file");
    return std::nullopt;
  }
  elf.payload = *payload;
  ReadOptions inner = options;
  inner.base = payload->begin;
  auto metadata = read_msgpack(file.substr(payload->begin - options.base, payload->size), diagnostics, inner);
  if (!metadata) return std::nullopt;
  elf.metadata = std::move(*metadata);
  return elf;
}

}  // namespace amdcompat::hsa
