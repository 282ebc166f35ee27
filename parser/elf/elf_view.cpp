#include <elf/elf_view.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <elf/little_endian.hpp>

namespace amdcompat::elf {
namespace {

static_assert(kSectionNull == SHT_NULL && kSectionProgbits == SHT_PROGBITS && kSectionSymbols == SHT_SYMTAB);
static_assert(kSectionStrings == SHT_STRTAB && kSectionNote == SHT_NOTE && kSectionNobits == SHT_NOBITS);
static_assert(kSegmentLoad == PT_LOAD && kSegmentNote == PT_NOTE && kFirstReservedSection == SHN_LORESERVE);

// What differs between the classes in the tables that are checked before libelf sees them.
struct Layout {
  std::uint32_t header_size;
  std::uint32_t section_size;
  std::uint32_t segment_size;
  std::uint32_t symbol_size;
};
constexpr Layout kLayout32{sizeof(Elf32_Ehdr), sizeof(Elf32_Shdr), sizeof(Elf32_Phdr), sizeof(Elf32_Sym)};
constexpr Layout kLayout64{sizeof(Elf64_Ehdr), sizeof(Elf64_Shdr), sizeof(Elf64_Phdr), sizeof(Elf64_Sym)};

Header read_header(std::span<const std::byte> bytes, bool is_64) {
  Header header;
  std::memcpy(header.ident.data(), bytes.data(), header.ident.size());
  header.type = load<std::uint16_t>(bytes, 16);
  header.machine = load<std::uint16_t>(bytes, 18);
  header.version = load<std::uint32_t>(bytes, 20);
  std::size_t at = 24;
  const auto word = [&] {
    const std::uint64_t value = is_64 ? load<std::uint64_t>(bytes, at) : load<std::uint32_t>(bytes, at);
    at += is_64 ? 8 : 4;
    return value;
  };
  const auto half = [&] {
    const std::uint16_t value = load<std::uint16_t>(bytes, at);
    at += 2;
    return value;
  };
  header.entry = word();
  header.phoff = word();
  header.shoff = word();
  header.flags = load<std::uint32_t>(bytes, at);
  at += 4;
  header.ehsize = half();
  header.phentsize = half();
  header.phnum = half();
  header.shentsize = half();
  header.shnum = half();
  header.shstrndx = half();
  return header;
}

// The true numbers where the header has only escapes: section 0 then holds them.
struct Counts {
  std::uint64_t sections = 0;
  std::uint64_t segments = 0;
  std::uint64_t names = 0;  // index of the string table of section names
};

}  // namespace

struct ElfView::Handle {
  Elf* elf = nullptr;
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (elf != nullptr) elf_end(elf);
  }
};

ElfView::ElfView(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
ElfView::ElfView(ElfView&&) noexcept = default;
ElfView& ElfView::operator=(ElfView&&) noexcept = default;
ElfView::~ElfView() = default;

bool has_elf_magic(std::span<const std::byte> bytes) {
  return bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

SourceRange ElfView::range(std::uint64_t offset, std::uint64_t size) const {
  if (!inside(offset, size, bytes_.size())) return {};
  return {static_cast<std::uint32_t>(base_ + offset), static_cast<std::uint32_t>(size)};
}

std::span<const std::byte> ElfView::view(SourceRange where) const {
  if (where.begin < base_ || !inside(where.begin - base_, where.size, bytes_.size())) return {};
  return bytes_.subspan(where.begin - base_, where.size);
}

std::string_view ElfView::text(SourceRange where) const {
  const auto bytes = view(where);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool ElfView::find_name(const Section& strings, std::uint32_t offset, SourceRange& out) const {
  out = {};
  if (strings.type != kSectionStrings || offset >= strings.contents.size) return false;
  const std::string_view rest = text(strings.contents).substr(offset, std::size_t{limits_.name_bytes} + 1);
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return false;
  out = {strings.contents.begin + offset, static_cast<std::uint32_t>(end)};
  return true;
}

Result<ElfView> ElfView::open(std::span<const std::byte> bytes, std::uint32_t base, Limits limits) {
  const auto fail = [&](Code code, std::uint64_t at, std::uint64_t size, std::string message) {
    const std::uint64_t begin = std::min<std::uint64_t>(at, bytes.size());
    return std::unexpected(
        make_diagnostic(code,
                        {static_cast<std::uint32_t>(base + begin),
                         static_cast<std::uint32_t>(std::min<std::uint64_t>(size, bytes.size() - begin))},
                        std::move(message)));
  };
  if (bytes.size() > std::numeric_limits<std::uint32_t>::max() - base)
    return std::unexpected(make_diagnostic(Code::FileTooLarge, {}, "an ELF file of 4 GiB or more"));
  if (!has_elf_magic(bytes))
    return fail(Code::ElfHeaderBroken, 0, 4, "no ELF magic number where an ELF file was expected");
  if (bytes.size() < EI_NIDENT)
    return fail(Code::ElfHeaderBroken, 0, bytes.size(), "the file ends inside the ELF header");
  const auto ident = [&](std::size_t at) { return std::to_integer<unsigned>(bytes[at]); };
  if (ident(EI_CLASS) != ELFCLASS32 && ident(EI_CLASS) != ELFCLASS64)
    return fail(Code::ElfHeaderBroken, EI_CLASS, 1,
                fmt::format("ELF class {} is neither 1 (32 bits) nor 2 (64 bits)", ident(EI_CLASS)));
  if (ident(EI_DATA) != ELFDATA2LSB)
    return fail(Code::ElfHeaderBroken, EI_DATA, 1,
                fmt::format("ELF data encoding {}: every AMD GPU program is little-endian (1)", ident(EI_DATA)));
  if (ident(EI_VERSION) != EV_CURRENT)
    return fail(Code::ElfHeaderBroken, EI_VERSION, 1,
                fmt::format("ELF identification version {}, expected 1", ident(EI_VERSION)));
  const bool is_64 = ident(EI_CLASS) == ELFCLASS64;
  const Layout& layout = is_64 ? kLayout64 : kLayout32;
  if (bytes.size() < layout.header_size)
    return fail(Code::ElfHeaderBroken, 0, bytes.size(),
                fmt::format("the ELF header needs {} bytes, the file has {}", layout.header_size, bytes.size()));

  const Header header = read_header(bytes, is_64);
  Counts counts{header.shnum, header.phnum, header.shstrndx};
  if (header.shoff != 0) {
    if (header.shentsize != layout.section_size)
      return fail(Code::ElfSectionTableBroken, 0, layout.header_size,
                  fmt::format("section headers of {} bytes, expected {}", header.shentsize, layout.section_size));
    if (!inside(header.shoff, layout.section_size, bytes.size()) && (header.shnum != 0 || header.shoff > bytes.size()))
      return fail(Code::ElfSectionTableBroken, header.shoff, 0,
                  fmt::format("the section header table at 0x{:x} lies outside the file of 0x{:x} bytes", header.shoff,
                              bytes.size()));
    if (inside(header.shoff, layout.section_size, bytes.size())) {
      // sh_size, sh_link and sh_info of section 0 hold what does not fit the header's 16-bit fields.
      const std::size_t at = static_cast<std::size_t>(header.shoff);
      if (header.shnum == 0)
        counts.sections = is_64 ? load<std::uint64_t>(bytes, at + 32) : load<std::uint32_t>(bytes, at + 20);
      if (header.shstrndx == SHN_XINDEX) counts.names = load<std::uint32_t>(bytes, at + (is_64 ? 40 : 24));
      if (header.phnum == PN_XNUM) counts.segments = load<std::uint32_t>(bytes, at + (is_64 ? 44 : 28));
    }
    if (counts.sections > limits.sections)
      return fail(Code::ElfTooManyEntries, header.shoff, 0,
                  fmt::format("{} sections, the limit is {}", counts.sections, limits.sections));
    if (counts.sections > (bytes.size() - header.shoff) / layout.section_size)
      return fail(Code::ElfSectionTableBroken, header.shoff, 0,
                  fmt::format("{} section headers at 0x{:x} do not fit into the file of 0x{:x} bytes", counts.sections,
                              header.shoff, bytes.size()));
  } else if (header.shnum != 0) {
    return fail(Code::ElfSectionTableBroken, 0, layout.header_size,
                fmt::format("{} sections, but no section header table", header.shnum));
  }
  if (counts.segments != 0) {
    if (header.phentsize != layout.segment_size)
      return fail(Code::ElfSegmentTableBroken, 0, layout.header_size,
                  fmt::format("program headers of {} bytes, expected {}", header.phentsize, layout.segment_size));
    if (header.phoff > bytes.size() || counts.segments > (bytes.size() - header.phoff) / layout.segment_size)
      return fail(Code::ElfSegmentTableBroken, header.phoff, 0,
                  fmt::format("{} program headers at 0x{:x} do not fit into the file of 0x{:x} bytes", counts.segments,
                              header.phoff, bytes.size()));
  }

  elf_version(EV_CURRENT);
  auto handle = std::make_unique<Handle>();
  // libelf's signature is not const, but a file opened this way is only read: writing needs elf_update, which is
  // never called. tests/cl1 reads from write-protected memory to prove it.
  handle->elf = elf_memory(const_cast<char*>(reinterpret_cast<const char*>(bytes.data())), bytes.size());
  GElf_Ehdr ehdr_storage;
  if (handle->elf == nullptr || elf_kind(handle->elf) != ELF_K_ELF ||
      gelf_getehdr(handle->elf, &ehdr_storage) == nullptr)
    return fail(Code::ElfHeaderBroken, 0, layout.header_size,
                fmt::format("not readable as an ELF file: {}", elf_errmsg(-1)));
  Elf* const elf = handle->elf;

  ElfView result(std::move(handle));
  result.bytes_ = bytes;
  result.base_ = base;
  result.limits_ = limits;
  result.header_ = header;

  result.sections_.reserve(counts.sections);
  for (std::size_t i = 0; i < counts.sections; ++i) {
    GElf_Shdr shdr;
    if (gelf_getshdr(elf_getscn(elf, i), &shdr) == nullptr)
      return fail(Code::ElfSectionTableBroken, header.shoff + i * layout.section_size, layout.section_size,
                  fmt::format("section header {} cannot be read: {}", i, elf_errmsg(-1)));
    Section section;
    section.name_offset = shdr.sh_name;
    section.type = shdr.sh_type;
    section.flags = shdr.sh_flags;
    section.addr = shdr.sh_addr;
    section.offset = shdr.sh_offset;
    section.size = shdr.sh_size;
    section.link = shdr.sh_link;
    section.info = shdr.sh_info;
    section.align = shdr.sh_addralign;
    section.entsize = shdr.sh_entsize;
    if (section.type != kSectionNull && section.type != kSectionNobits) {
      section.outside = !inside(section.offset, section.size, bytes.size());
      section.contents = result.range(section.offset, section.size);
    }
    result.sections_.push_back(section);
  }
  if (counts.names < result.sections_.size() && counts.names != 0) {
    const Section strings = result.sections_[static_cast<std::size_t>(counts.names)];
    for (Section& section : result.sections_)
      section.name_broken = !result.find_name(strings, section.name_offset, section.name);
  } else {
    for (Section& section : result.sections_) section.name_broken = section.name_offset != 0;
  }

  result.segments_.reserve(counts.segments);
  for (std::size_t i = 0; i < counts.segments; ++i) {
    GElf_Phdr phdr;
    if (gelf_getphdr(elf, static_cast<int>(i), &phdr) == nullptr)
      return fail(Code::ElfSegmentTableBroken, header.phoff + i * layout.segment_size, layout.segment_size,
                  fmt::format("program header {} cannot be read: {}", i, elf_errmsg(-1)));
    Segment segment;
    segment.type = phdr.p_type;
    segment.flags = phdr.p_flags;
    segment.offset = phdr.p_offset;
    segment.vaddr = phdr.p_vaddr;
    segment.paddr = phdr.p_paddr;
    segment.filesz = phdr.p_filesz;
    segment.memsz = phdr.p_memsz;
    segment.align = phdr.p_align;
    segment.outside = !inside(segment.offset, segment.filesz, bytes.size());
    segment.contents = result.range(segment.offset, segment.filesz);
    result.segments_.push_back(segment);
  }
  return result;
}

Result<std::vector<Symbol>> ElfView::symbols(const Section& table) const {
  const std::uint32_t entry_size = header_.is_64() ? kLayout64.symbol_size : kLayout32.symbol_size;
  const auto fail = [&](Code code, std::string message) {
    return std::unexpected(make_diagnostic(code, table.contents, std::move(message)));
  };
  // An entry size of 0 is what some writers leave; any other but the class's own means another layout.
  if (table.entsize != entry_size && table.entsize != 0)
    return fail(Code::ElfSymbolTableBroken, fmt::format("symbols of {} bytes, expected {}", table.entsize, entry_size));
  if (table.contents.size % entry_size != 0)
    return fail(Code::ElfSymbolTableBroken,
                fmt::format("a symbol table of {} bytes is no whole number of {}-byte entries", table.contents.size,
                            entry_size));
  const std::uint32_t count = table.contents.size / entry_size;
  if (count > limits_.symbols)
    return fail(Code::ElfTooManyEntries, fmt::format("{} symbols, the limit is {}", count, limits_.symbols));
  if (table.link >= sections_.size() || sections_[table.link].type != kSectionStrings)
    return fail(Code::ElfSymbolTableBroken,
                fmt::format("the symbol table's sh_link {} is no string table", table.link));
  std::vector<Symbol> symbols;
  if (count == 0) return symbols;

  Elf_Data* const data =
      elf_getdata_rawchunk(handle_->elf, table.contents.begin - base_, table.contents.size, ELF_T_SYM);
  if (data == nullptr)
    return fail(Code::ElfSymbolTableBroken, fmt::format("the symbol table cannot be read: {}", elf_errmsg(-1)));
  const Section& strings = sections_[table.link];
  symbols.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    GElf_Sym sym;
    if (gelf_getsym(data, static_cast<int>(i), &sym) == nullptr)
      return fail(Code::ElfSymbolTableBroken, fmt::format("symbol {} cannot be read: {}", i, elf_errmsg(-1)));
    Symbol symbol;
    symbol.where = {table.contents.begin + i * entry_size, entry_size};
    symbol.name_offset = sym.st_name;
    symbol.info = sym.st_info;
    symbol.other = sym.st_other;
    symbol.section = sym.st_shndx;
    symbol.value = sym.st_value;
    symbol.size = sym.st_size;
    symbol.name_broken = !find_name(strings, symbol.name_offset, symbol.name);
    symbols.push_back(symbol);
  }
  return symbols;
}

Notes ElfView::notes(SourceRange where) const {
  Notes result;
  const auto bytes = view(where);
  if (bytes.empty()) return result;
  Elf_Data* const data = elf_getdata_rawchunk(handle_->elf, where.begin - base_, where.size, ELF_T_NHDR);
  if (data == nullptr) {
    result.rest = where;
    return result;
  }
  constexpr std::size_t kUsual = 20, kHeaderBytes = 12;
  result.notes.reserve(std::min(kUsual, bytes.size() / kHeaderBytes));
  std::size_t at = 0;
  while (at < bytes.size()) {
    GElf_Nhdr header;
    std::size_t name_at = 0;
    std::size_t description_at = 0;
    const std::size_t next = gelf_getnote(data, at, &header, &name_at, &description_at);
    // The checks after the call repeat libelf's own, so that no version of it can hand out a range that is not there.
    if (next <= at || next > bytes.size() || !inside(name_at, header.n_namesz, bytes.size()) ||
        !inside(description_at, header.n_descsz, bytes.size())) {
      result.rest = {static_cast<std::uint32_t>(where.begin + at), static_cast<std::uint32_t>(bytes.size() - at)};
      return result;
    }
    const auto part = [&](std::size_t offset, std::size_t size) {
      return SourceRange{static_cast<std::uint32_t>(where.begin + offset), static_cast<std::uint32_t>(size)};
    };
    result.notes.push_back(
        {part(at, next - at), part(name_at, header.n_namesz), part(description_at, header.n_descsz), header.n_type});
    at = next;
  }
  return result;
}

}  // namespace amdcompat::elf
