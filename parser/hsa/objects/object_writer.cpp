// Writes linked code objects of V3 to V6, laid out as lld does it for AMDGPU.
//
//   0        ELF header, program headers
//   .        .note                    R   MessagePack
//   .        .dynsym .gnu.hash .hash .dynstr [.rela.dyn]
//   .        sections of the image, each at its distance from the first, grouped into segments by permission
//   .        .dynamic                 RW  on a page of its own
//   .        .symtab .shstrtab .strtab, section headers
//
// File offsets and addresses agree modulo the page size. The image is moved by whole pages only, so that distances
// inside it, which machine code relies on, stay. [ELF-64 object file format; observed in lld's output; LDR]
#include <amdcompat/code_object.hpp>

#include <elf/bytes.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "object.hpp"

namespace amdcompat::hsa {
namespace {

using elf::align_up;
using elf::pad;
using elf::put;

constexpr std::uint64_t kHeader = 64, kSegment = 56, kSectionHeader = 64, kSymbol = 24, kRela = 24;
constexpr std::uint32_t kRead = 4, kWrite = 2, kExecute = 1;             // PF_
constexpr std::uint64_t kAlloc = 2, kExec = 4, kWritable = 1;  // SHF_
constexpr std::uint8_t kGlobal = 1 << 4, kObject = 1, kFunction = 2, kProtected = 3, kHidden = 2;
constexpr std::uint16_t kNoSection = 0;

struct Symbol {
  std::string name;
  std::uint8_t info = 0;
  std::uint8_t other = 0;
  std::optional<CodePlace> place;
  std::uint64_t size = 0;
  std::uint32_t hash = 0;
  std::size_t order = 0;  // in the list it was made in
};

std::uint32_t gnu_hash(std::string_view name) {
  std::uint32_t h = 5381;
  for (const char c : name) h = h * 33 + static_cast<unsigned char>(c);
  return h;
}

std::uint32_t sysv_hash(std::string_view name) {
  std::uint32_t h = 0;
  for (const char c : name) {
    h = (h << 4) + static_cast<unsigned char>(c);
    const std::uint32_t high = h & 0xf0000000u;
    h = (h ^ high >> 24) & ~high;
  }
  return h;
}

class Strings {
 public:
  std::uint32_t add(std::string_view text) {
    const auto at = static_cast<std::uint32_t>(bytes_.size());
    bytes_ += text;
    bytes_ += '\0';
    return at;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(1, '\0');
};

struct SectionHeader {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0, address = 0, offset = 0, size = 0;
  std::uint32_t link = 0, info = 0;
  std::uint64_t align = 1, entry = 0;
};

struct SegmentHeader {
  std::uint32_t type = 0, flags = 0;
  std::uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0, align = 1;
};

class ObjectWriter {
 public:
  explicit ObjectWriter(const CodeObject& object) : object_(object), sections_(object.code.sections) {}

  Result<std::string> run(std::uint32_t flags) {
    make_symbols();
    const std::string note = to_note(object_.metadata);
    hashes();
    relocations_ = object_.code.relocations.size();
    bool text_relocations = false;
    for (const CodeRelocation& r : object_.code.relocations)
      text_relocations = text_relocations || !sections_[r.where.section].writable;

    // Sizes first: everything in front of the image depends only on the number of segments.
    const std::vector<std::pair<std::size_t, std::size_t>> groups = image_groups();
    const std::size_t segments = 1 + 1 + groups.size() + 1 + 1 + 1 + 1;
    std::uint64_t at = kHeader + segments * kSegment;
    const auto place = [&](std::uint64_t size, std::uint64_t align) {
      at = align_up(at, align);
      const std::uint64_t here = at;
      at += size;
      return here;
    };
    const std::uint64_t note_at = place(note.size(), 4);
    const std::uint64_t symbols_at = place((dynamic_.size() + 1) * kSymbol, 8);
    const std::uint64_t gnu_at = place(gnu_.size(), 8);
    const std::uint64_t sysv_at = place(sysv_.size(), 4);
    const std::uint64_t strings_at = place(strings_.bytes().size(), 1);
    const std::uint64_t rela_at = relocations_ == 0 ? 0 : place(relocations_ * kRela, 8);
    const std::uint64_t front = at;

    // The image, moved by whole pages.
    std::uint64_t unit = kPageBytes;
    for (const CodeSection& s : sections_) unit = std::max(unit, s.align);
    const std::uint64_t first = sections_.empty() ? 0 : sections_.front().address;
    move_ = first >= front ? 0 : align_up(front - first, unit);
    std::uint64_t file_end = front;
    offsets_.clear();
    for (const CodeSection& s : sections_) {
      const std::uint64_t address = s.address + move_;
      const std::uint64_t offset = file_end + (address - file_end) % kPageBytes;
      offsets_.push_back(offset);
      if (!s.bytes.empty()) file_end = offset + s.bytes.size();
    }
    const std::uint64_t image_end =
        sections_.empty() ? front : sections_.back().address + move_ + sections_.back().size();
    const std::uint64_t dynamic_address = align_up(std::max(image_end, front), kPageBytes);
    const std::uint64_t dynamic_offset = file_end + (dynamic_address - file_end) % kPageBytes;
    const std::string dynamic = dynamic_section(symbols_at, gnu_at, sysv_at, strings_at, rela_at, text_relocations);
    if (dynamic_offset + dynamic.size() > std::numeric_limits<std::uint32_t>::max() / 2)
      return std::unexpected(make_diagnostic(Code::HsaTooLarge, {}, "the file would be over 2 GiB"));

    // Section headers.
    constexpr std::size_t kOwnSections = 12;  // around those of the image
    std::vector<SectionHeader> headers;
    headers.reserve(kOwnSections + sections_.size());
    headers.emplace_back().align = 0;
    headers.push_back({".note", 7, kAlloc, note_at, note_at, note.size(), 0, 0, 4, 0});
    const auto symbols_index = static_cast<std::uint32_t>(headers.size());
    const std::uint32_t strings_index = symbols_index + 3;
    headers.push_back(
        {".dynsym", 11, kAlloc, symbols_at, symbols_at, (dynamic_.size() + 1) * kSymbol, strings_index, 1, 8, kSymbol});
    headers.push_back({".gnu.hash", 0x6ffffff6, kAlloc, gnu_at, gnu_at, gnu_.size(), symbols_index, 0, 8, 0});
    headers.push_back({".hash", 5, kAlloc, sysv_at, sysv_at, sysv_.size(), symbols_index, 0, 4, 4});
    headers.push_back({".dynstr", 3, kAlloc, strings_at, strings_at, strings_.bytes().size(), 0, 0, 1, 0});
    if (relocations_ != 0)
      headers.push_back({".rela.dyn", 4, kAlloc, rela_at, rela_at, relocations_ * kRela, symbols_index, 0, 8, kRela});
    first_index_ = headers.size();
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const CodeSection& s = sections_[i];
      const bool zeros = s.bytes.empty();
      headers.push_back({s.name, zeros ? 8u : 1u, kAlloc | (s.executable ? kExec : 0) | (s.writable ? kWritable : 0),
                         s.address + move_, offsets_[i], s.size(), 0, 0, s.align, 0});
    }
    const auto dynamic_index = headers.size();
    headers.push_back(
        {".dynamic", 6, kAlloc | kWritable, dynamic_address, dynamic_offset, dynamic.size(), strings_index, 0, 8, 16});

    // Static symbols: those of .dynsym, after the ones that only tools want.
    std::vector<Symbol> locals;
    for (const CodeKernel& kernel : object_.kernels)
      if (kernel.legacy_place)  // not code, though it lies in between
        locals.push_back(
            {kernel.name + ".amd_kernel_code_t", kObject, kHidden, kernel.legacy_place, kKernelCodeBytes, 0, 0});
    Strings names;
    std::string table;
    table.reserve((2 + locals.size() + dynamic_.size()) * kSymbol);
    table.resize(kSymbol);
    put_symbol(table, names.add("_DYNAMIC"), 0, kHidden, static_cast<std::uint16_t>(dynamic_index), dynamic_address, 0);
    for (const Symbol& s : locals) put_symbol(table, names.add(s.name), s);
    const std::uint32_t local_count = 2 + static_cast<std::uint32_t>(locals.size());
    for (const Symbol& s : dynamic_) put_symbol(table, names.add(s.name), s);

    // Program headers.
    std::vector<SegmentHeader> programs;
    programs.reserve(segments);
    programs.push_back({6, kRead, kHeader, kHeader, segments * kSegment, segments * kSegment, 8});
    programs.push_back({1, kRead, 0, 0, front, front, kPageBytes});
    for (const auto& [begin, end] : groups) {
      const CodeSection &low = sections_[begin], &high = sections_[end - 1];
      const std::uint64_t address = low.address + move_;
      std::uint64_t file_size = 0;
      for (std::size_t i = begin; i < end; ++i)
        if (!sections_[i].bytes.empty()) file_size = sections_[i].address + sections_[i].bytes.size() - low.address;
      programs.push_back({1, kRead | permissions(low), offsets_[begin], address, file_size,
                          high.address + high.size() - low.address, kPageBytes});
    }
    programs.push_back(
        {1, kRead | kWrite, dynamic_offset, dynamic_address, dynamic.size(), dynamic.size(), kPageBytes});
    programs.push_back({2, kRead | kWrite, dynamic_offset, dynamic_address, dynamic.size(), dynamic.size(), 8});
    programs.push_back({0x6474e551, kRead | kWrite, 0, 0, 0, 0, 0});  // PT_GNU_STACK
    programs.push_back({4, kRead, note_at, note_at, note.size(), note.size(), 4});

    // Bytes.
    constexpr std::size_t kPadding = 64, kSectionNames = 256;
    std::string file;
    file.reserve(dynamic_offset + dynamic.size() + table.size() + names.bytes().size() +
                 (headers.size() + 3) * kSectionHeader + kSectionNames + kPadding);
    const auto put = [&file](std::uint64_t offset, std::string_view bytes) {  // behind all that was put
      if (bytes.empty()) return;
      file.resize(offset);
      file += bytes;
    };
    put(note_at, note);
    std::string dynamic_symbols;
    dynamic_symbols.reserve((1 + dynamic_.size()) * kSymbol);
    dynamic_symbols.resize(kSymbol);
    for (std::size_t i = 0; i < dynamic_.size(); ++i) put_symbol(dynamic_symbols, name_offsets_[i], dynamic_[i]);
    put(symbols_at, dynamic_symbols);
    put(gnu_at, gnu_);
    put(sysv_at, sysv_);
    put(strings_at, strings_.bytes());
    if (relocations_ != 0) put(rela_at, relocation_table());
    for (std::size_t i = 0; i < sections_.size(); ++i)
      put(offsets_[i], {reinterpret_cast<const char*>(sections_[i].bytes.data()), sections_[i].bytes.size()});
    put(dynamic_offset, dynamic);
    pad(file, 8);
    headers.push_back({".symtab", 2, 0, 0, file.size(), table.size(), static_cast<std::uint32_t>(headers.size() + 2),
                       local_count, 8, kSymbol});
    file += table;
    Strings section_names;
    headers.push_back({".shstrtab", 3, 0, 0, 0, 0, 0, 0, 1, 0});
    headers.push_back({".strtab", 3, 0, 0, 0, names.bytes().size(), 0, 0, 1, 0});
    std::vector<std::uint32_t> section_name_offsets;
    for (const SectionHeader& h : headers)
      section_name_offsets.push_back(h.name.empty() ? 0 : section_names.add(h.name));
    headers[headers.size() - 2].offset = file.size();
    headers[headers.size() - 2].size = section_names.bytes().size();
    file += section_names.bytes();
    headers.back().offset = file.size();
    file += names.bytes();
    pad(file, 8);
    const std::uint64_t headers_at = file.size();
    for (std::size_t i = 0; i < headers.size(); ++i) put_section(file, section_name_offsets[i], headers[i]);
    std::string head;
    head.reserve(kHeader + segments * kSegment);
    put_header(head, flags, segments, headers_at, headers.size());
    for (const SegmentHeader& p : programs) put_segment(head, p);
    std::ranges::copy(head, file.begin());
    return file;
  }

 private:
  static std::uint32_t permissions(const CodeSection& s) {
    return (s.writable ? kWrite : 0) | (s.executable ? kExecute : 0);
  }

  // Runs of sections that one segment can hold: same permissions, less than a page between them, zeros only at the end.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> image_groups() const {
    std::vector<std::pair<std::size_t, std::size_t>> groups;
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      bool joins = false;
      if (!groups.empty()) {
        const CodeSection &before = sections_[i - 1], &s = sections_[i];
        joins = permissions(before) == permissions(s) && s.address - (before.address + before.size()) < kPageBytes &&
                (before.zero_bytes == 0 || s.bytes.empty());
      }
      if (joins)
        groups.back().second = i + 1;
      else
        groups.emplace_back(i, i + 1);
    }
    return groups;
  }

  void make_symbols() {
    dynamic_.reserve(2 * object_.kernels.size() + object_.code.symbols.size());
    for (const CodeKernel& kernel : object_.kernels) {
      dynamic_.push_back({kernel.name, kGlobal | kFunction, kProtected, kernel.code, kernel.code.size, 0, 0});
      dynamic_.push_back(
          {kernel.name + ".kd", kGlobal | kObject, kProtected, kernel.descriptor_place, kDescriptorBytes, 0, 0});
    }
    for (const CodeSymbol& s : object_.code.symbols)
      dynamic_.push_back({s.name,
                          static_cast<std::uint8_t>(!s.place ? kGlobal : kGlobal | (s.function ? kFunction : kObject)),
                          s.place ? kProtected : std::uint8_t{0}, s.place, s.place ? s.place->size : 0, 0, 0});
    for (std::size_t i = 0; i < dynamic_.size(); ++i) dynamic_[i].order = i;
  }

  // .gnu.hash wants undefined symbols first and the others by bucket. [lld; «GNU hash ELF sections»]
  void hashes() {
    const auto defined =
        static_cast<std::size_t>(std::ranges::count_if(dynamic_, [](const Symbol& s) { return s.place.has_value(); }));
    const auto buckets = static_cast<std::uint32_t>(std::max<std::size_t>(1, defined / 4));
    for (Symbol& s : dynamic_) s.hash = gnu_hash(s.name);
    std::ranges::stable_sort(dynamic_, {}, [&](const Symbol& s) {
      return s.place ? std::uint64_t{1} + s.hash % buckets : std::uint64_t{0};
    });
    index_of_.resize(dynamic_.size());
    for (std::size_t i = 0; i < dynamic_.size(); ++i) {
      index_of_[dynamic_[i].order] = static_cast<std::uint32_t>(i + 1);
      name_offsets_.push_back(strings_.add(dynamic_[i].name));
    }
    const std::size_t undefined = dynamic_.size() - defined;
    const auto words = static_cast<std::uint32_t>(std::bit_ceil(std::max<std::size_t>(1, defined * 12 / 64)));
    constexpr std::uint32_t kShift = 26;
    std::vector<std::uint64_t> bloom(words);
    std::vector<std::uint32_t> first(buckets), chain;
    chain.reserve(defined);
    for (std::size_t i = undefined; i < dynamic_.size(); ++i) {
      const std::uint32_t h = dynamic_[i].hash;
      bloom[h / 64 % words] |= std::uint64_t{1} << h % 64 | std::uint64_t{1} << (h >> kShift) % 64;
      if (first[h % buckets] == 0) first[h % buckets] = static_cast<std::uint32_t>(i + 1);
      const bool last = i + 1 == dynamic_.size() || dynamic_[i + 1].hash % buckets != h % buckets;
      chain.push_back(last ? h | 1 : h & ~1u);
    }
    gnu_.reserve(4 * (4 + 2 * bloom.size() + first.size() + chain.size()));
    put<std::uint32_t>(gnu_, buckets);
    put<std::uint32_t>(gnu_, static_cast<std::uint32_t>(undefined + 1));
    put<std::uint32_t>(gnu_, words);
    put<std::uint32_t>(gnu_, kShift);
    for (const std::uint64_t word : bloom) put(gnu_, word);
    for (const std::uint32_t word : first) put(gnu_, word);
    for (const std::uint32_t word : chain) put(gnu_, word);

    const auto count = static_cast<std::uint32_t>(dynamic_.size() + 1);
    std::vector<std::uint32_t> bucket(count), next(count);
    for (std::uint32_t i = 1; i < count; ++i) {
      std::uint32_t& head = bucket[sysv_hash(dynamic_[i - 1].name) % count];
      next[i] = head;
      head = i;
    }
    sysv_.reserve(4 * (2 + 2 * std::size_t{count}));
    put(sysv_, count);
    put(sysv_, count);
    for (const std::uint32_t word : bucket) put(sysv_, word);
    for (const std::uint32_t word : next) put(sysv_, word);
  }

  std::string dynamic_section(std::uint64_t symbols, std::uint64_t gnu, std::uint64_t sysv, std::uint64_t strings,
                              std::uint64_t rela, bool text_relocations) const {
    constexpr std::size_t kEntries = 11, kEntry = 16;
    std::string out;
    out.reserve(kEntries * kEntry);
    const auto entry = [&out](std::uint64_t tag, std::uint64_t value) {
      put(out, tag);
      put(out, value);
    };
    if (relocations_ != 0) {
      entry(7, rela);  // DT_RELA
      entry(8, relocations_ * kRela);  // DT_RELASZ
      entry(9, kRela);  // DT_RELAENT
      if (text_relocations) entry(22, 0);  // DT_TEXTREL
    }
    entry(6, symbols);  // DT_SYMTAB
    entry(11, kSymbol);  // DT_SYMENT
    entry(5, strings);  // DT_STRTAB
    entry(10, strings_.bytes().size());  // DT_STRSZ
    entry(0x6ffffef5, gnu);  // DT_GNU_HASH
    entry(4, sysv);  // DT_HASH
    entry(0, 0);
    return out;
  }

  [[nodiscard]] std::uint64_t address_of(const CodePlace& place) const {
    return sections_[place.section].address + move_ + place.offset;
  }

  // Symbols of the model follow those of the kernels in the list.
  [[nodiscard]] std::string relocation_table() const {
    std::string out;
    for (const CodeRelocation& r : object_.code.relocations) {
      put(out, address_of(r.where));
      const std::uint64_t symbol = r.symbol ? index_of_[2 * object_.kernels.size() + *r.symbol] : 0;
      put(out, symbol << 32 | r.type);
      const std::uint64_t target = r.symbol ? 0 : sections_[r.target].address + move_;
      put(out, target + static_cast<std::uint64_t>(r.addend));
    }
    return out;
  }

  static void put_symbol(std::string& out, std::uint32_t name, std::uint8_t info, std::uint8_t other,
                         std::uint16_t section, std::uint64_t value, std::uint64_t size) {
    put(out, name);
    out += static_cast<char>(info);
    out += static_cast<char>(other);
    put(out, section);
    put(out, value);
    put(out, size);
  }
  void put_symbol(std::string& out, std::uint32_t name, const Symbol& s) const {
    const auto section = s.place ? static_cast<std::uint16_t>(first_index_ + s.place->section) : kNoSection;
    put_symbol(out, name, s.info, s.other, section, s.place ? address_of(*s.place) : 0, s.size);
  }

  static void put_section(std::string& out, std::uint32_t name, const SectionHeader& h) {
    put(out, name);
    put(out, h.type);
    for (const std::uint64_t value : {h.flags, h.address, h.offset, h.size}) put(out, value);
    put(out, h.link);
    put(out, h.info);
    put(out, h.align);
    put(out, h.entry);
  }

  static void put_segment(std::string& out, const SegmentHeader& p) {
    put(out, p.type);
    put(out, p.flags);
    for (const std::uint64_t value : {p.offset, p.address, p.address, p.file_size, p.memory_size, p.align})
      put(out, value);
  }

  void put_header(std::string& out, std::uint32_t flags, std::size_t segments, std::uint64_t headers_at,
                  std::size_t headers) const {
    constexpr std::string_view kIdent{"\x7F"
                                      "ELF\x02\x01\x01\x40",
                                      8};
    out += kIdent;
    out += static_cast<char>(version_info(object_.version).abi_version);
    pad(out, 16);
    const auto half = [&out](std::uint64_t value) { put(out, static_cast<std::uint16_t>(value)); };
    half(3);  // ET_DYN
    half(224);  // EM_AMDGPU
    put<std::uint32_t>(out, 1);
    put<std::uint64_t>(out, 0);  // e_entry
    put<std::uint64_t>(out, kHeader);
    put(out, headers_at);
    put(out, flags);
    half(kHeader);
    half(kSegment);
    half(segments);
    half(kSectionHeader);
    half(headers);
    half(headers - 2);  // .shstrtab
  }

  const CodeObject& object_;
  const std::vector<CodeSection>& sections_;
  std::vector<Symbol> dynamic_;  // in the order of .dynsym, without the null symbol
  std::vector<std::uint32_t> index_of_;  // .dynsym index by order of making
  std::vector<std::uint32_t> name_offsets_;
  Strings strings_;
  std::string gnu_, sysv_;
  std::size_t relocations_ = 0;
  std::size_t first_index_ = 0;  // section header of the image's first section
  std::uint64_t move_ = 0;
  std::vector<std::uint64_t> offsets_;
};

std::unexpected<Diagnostic> refuse(std::string message, std::string path = {}) {
  return std::unexpected(make_diagnostic(Code::ObjectNotWritable, {}, std::move(message), std::move(path)));
}

// What the writer's arithmetic relies on; models may be made by hand.
std::optional<Diagnostic> find_contradiction(const CodeObject& object) {
  const auto& sections = object.code.sections;
  const auto bad = [](std::string message, std::string path) {
    return make_diagnostic(Code::ObjectNotWritable, {}, std::move(message), std::move(path));
  };
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  if (sections.size() > 60'000) return bad("more sections than an ELF header counts", "sections");
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const CodeSection& s = sections[i];
    const bool sane = s.address >= end && s.address <= kMost && s.zero_bytes <= kMost && std::has_single_bit(s.align) &&
                      s.align <= kMost && s.address % s.align == 0 && s.size() != 0 &&
                      (s.bytes.empty() || s.zero_bytes == 0);
    if (!sane)
      return bad(fmt::format("section '{}' of {} bytes at {:#x} overlaps another, is empty or is not aligned", s.name,
                             s.size(), s.address),
                 fmt::format("sections[{}]", i));
    end = s.address + s.size();
  }
  const auto fits = [&](const CodePlace& place, bool stored) {
    if (place.section >= sections.size()) return false;
    const std::uint64_t size = stored ? sections[place.section].bytes.size() : sections[place.section].size();
    return place.offset <= size && place.size <= size - place.offset;
  };
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < object.kernels.size(); ++i) {
    const CodeKernel& kernel = object.kernels[i];
    const std::string path = fmt::format("kernels[{}]", i);
    if (!kernel.descriptor) return bad(fmt::format("kernel '{}' has no descriptor", kernel.name), path);
    if (kernel.name.empty() || kernel.name.find('\0') != std::string::npos || !names.insert(kernel.name).second)
      return bad(fmt::format("'{}' is no name for a kernel, or is taken", kernel.name), path);
    if (!fits(kernel.code, true) || !sections[kernel.code.section].executable)
      return bad(fmt::format("the code of kernel '{}' lies outside executable sections", kernel.name), path);
    if (kernel.descriptor_place &&
        (!fits(*kernel.descriptor_place, true) || kernel.descriptor_place->size != kDescriptorBytes))
      return bad(fmt::format("the descriptor of kernel '{}' lies outside the sections", kernel.name), path);
  }
  for (std::size_t i = 0; i < object.code.symbols.size(); ++i) {
    const CodeSymbol& s = object.code.symbols[i];
    if ((s.place && !fits(*s.place, false)) || s.name.empty() || s.name.find('\0') != std::string::npos)
      return bad(fmt::format("symbol '{}' lies outside its section or has no name", s.name),
                 fmt::format("symbols[{}]", i));
  }
  for (std::size_t i = 0; i < object.code.relocations.size(); ++i) {
    const CodeRelocation& r = object.code.relocations[i];
    const bool sane =
        fits(r.where, true) && (r.symbol ? *r.symbol < object.code.symbols.size() : r.target < sections.size());
    if (!sane)
      return bad("a relocation lies outside its section, or its target does not exist",
                 fmt::format("relocations[{}]", i));
  }
  return std::nullopt;
}

}  // namespace

void place_descriptors(CodeObject& object) {
  auto& sections = object.code.sections;
  const auto placed = [](const CodeKernel& kernel) { return kernel.descriptor_place.has_value(); };
  const auto missing = static_cast<std::uint64_t>(
      std::ranges::count_if(object.kernels, [&](const CodeKernel& kernel) { return !placed(kernel); }));
  if (missing != 0) {
    // In front of the others, which move by whole pages.
    CodeSection made;
    made.name = ".rodata";
    made.align = 64;
    made.bytes.resize(missing * kDescriptorBytes);
    std::uint64_t unit = kPageBytes;
    for (const CodeSection& section : sections) unit = std::max(unit, section.align);
    for (CodeSection& section : sections) section.address += align_up(made.bytes.size(), unit);
    sections.insert(sections.begin(), std::move(made));
    const auto moved = [](CodePlace& place) { ++place.section; };
    for (CodeKernel& kernel : object.kernels) {
      moved(kernel.code);
      if (kernel.descriptor_place) moved(*kernel.descriptor_place);
      if (kernel.legacy_place) moved(*kernel.legacy_place);
    }
    for (CodeSymbol& symbol : object.code.symbols)
      if (symbol.place) moved(*symbol.place);
    for (CodeRelocation& relocation : object.code.relocations) {
      moved(relocation.where);
      ++relocation.target;
    }
    std::uint64_t next = 0;
    for (CodeKernel& kernel : object.kernels)
      if (!placed(kernel)) {
        kernel.descriptor_place = CodePlace{0, next, kDescriptorBytes};
        next += kDescriptorBytes;
      }
  }
  for (CodeKernel& kernel : object.kernels) {
    if (!kernel.descriptor) continue;
    const CodePlace& at = *kernel.descriptor_place;
    CodeSection& section = sections[at.section];
    kernel.descriptor->entry_offset = static_cast<std::int64_t>(sections[kernel.code.section].address +
                                                                kernel.code.offset - section.address - at.offset);
    const auto bytes = write_descriptor(*kernel.descriptor);
    std::ranges::copy(bytes, section.bytes.begin() + static_cast<std::ptrdiff_t>(at.offset));
  }
}

Result<std::string> write_code_object(CodeObject object, CodeObject* again) {
  if (object.version < CodeObjectVersion::V3) return refuse("V1 and V2 are read, not written: convert to V3 or later");
  if (object.target == nullptr) return refuse("no target: nothing says which processor the code is for", "target");
  const auto flags = elf_flags(*object.target, object.version, object.features);
  if (!flags) return std::unexpected(flags.error());
  if (const auto problem = find_contradiction(object)) return std::unexpected(*problem);
  place_descriptors(object);
  Result<std::string> file = ObjectWriter(object).run(*flags);
  if (!file) return file;
  // What was meant must be what a reader finds.
  Diagnostics findings;
  auto read = read_code_object(*file, findings);
  if (!read) return refuse("the file that was written cannot be read again");
  if (findings.has_errors()) {
    const auto first = std::ranges::find(findings.all(), Severity::Error, &Diagnostic::severity);
    return refuse("the file that was written reads back with errors: " + first->message, first->path);
  }
  if (const std::string difference = first_difference(object, *read); !difference.empty())
    return refuse("the file that was written reads back differently: " + difference);
  if (again != nullptr) *again = std::move(*read);
  return file;
}

std::string first_difference(const CodeObject& a, const CodeObject& b) {
  if (a.version != b.version) return "version";
  if (a.target != b.target) return "target";
  if (!(a.metadata == b.metadata)) return "metadata";
  if (a.code.sections.size() != b.code.sections.size()) return "number of sections";
  // Addresses are distances.
  const std::uint64_t from_a = a.code.sections.empty() ? 0 : a.code.sections.front().address;
  const std::uint64_t from_b = b.code.sections.empty() ? 0 : b.code.sections.front().address;
  for (std::size_t i = 0; i < a.code.sections.size(); ++i) {
    const CodeSection &x = a.code.sections[i], &y = b.code.sections[i];
    if (x.address - from_a != y.address - from_b || !elf::same_bytes(x.bytes, y.bytes) ||
        x.zero_bytes != y.zero_bytes || x.writable != y.writable || x.executable != y.executable || x.name != y.name ||
        x.align != y.align)
      return fmt::format("section '{}'", x.name);
  }
  if (a.kernels.size() != b.kernels.size()) return "number of kernels";
  std::unordered_map<std::string_view, const CodeKernel*> by_name;
  for (const CodeKernel& kernel : b.kernels) by_name.emplace(kernel.name, &kernel);
  for (const CodeKernel& kernel : a.kernels) {
    const auto found = by_name.find(kernel.name);
    if (found == by_name.end() || found->second->descriptor != kernel.descriptor ||
        found->second->code != kernel.code || found->second->descriptor_place != kernel.descriptor_place)
      return fmt::format("kernel '{}'", kernel.name);
  }
  const auto symbols = [](const CodeObject& object) {
    std::vector<std::tuple<std::string_view, std::optional<CodePlace>, bool>> out;
    out.reserve(object.code.symbols.size());
    for (const CodeSymbol& s : object.code.symbols) out.emplace_back(s.name, s.place, s.place && s.function);
    std::ranges::sort(out);
    return out;
  };
  if (symbols(a) != symbols(b)) return "symbols";
  const auto relocations = [](const CodeObject& object) {
    constexpr auto kNone = std::numeric_limits<std::size_t>::max();
    std::vector<std::tuple<std::size_t, std::uint64_t, std::uint32_t, std::string_view, std::size_t, std::int64_t>> out;
    for (const CodeRelocation& r : object.code.relocations)
      out.emplace_back(r.where.section, r.where.offset, r.type,
                       r.symbol ? std::string_view(object.code.symbols[*r.symbol].name) : std::string_view{},
                       r.symbol ? kNone : std::size_t{r.target}, r.addend);
    std::ranges::sort(out);
    return out;
  };
  if (relocations(a) != relocations(b)) return "relocations";
  return {};
}

}  // namespace amdcompat::hsa
