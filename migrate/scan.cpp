#include "scan.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include <amdcompat/code_object.hpp>
#include <amdcompat/identify.hpp>

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;
constexpr std::size_t kOverlap = 64;  // at least as long as a needle and an ELF header
constexpr std::uint64_t kFreeWork = std::uint64_t{64} << 20;

enum NeedleIndex : std::size_t { Elf, Bundle, FirstText };

template <class T>
std::uint64_t load(std::string_view bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// The numbers of an ELF header and of its tables, of either class.
struct ElfForm {
  bool wide;
  [[nodiscard]] std::uint64_t address(std::string_view bytes, std::size_t at32, std::size_t at64) const {
    return wide ? load<std::uint64_t>(bytes, at64) : load<std::uint32_t>(bytes, at32);
  }
  [[nodiscard]] std::uint64_t half(std::string_view bytes, std::size_t at32, std::size_t at64) const {
    return load<std::uint16_t>(bytes, wide ? at64 : at32);
  }
  [[nodiscard]] std::size_t header() const { return wide ? 64 : 52; }
  [[nodiscard]] std::size_t section() const { return wide ? 64 : 40; }
  [[nodiscard]] std::size_t segment() const { return wide ? 56 : 32; }
};

// Machines of programs that can be migrated. [as in parser/identify.cpp]
bool is_program_machine(std::uint64_t machine) {
  return (machine >= 1001 && machine < 2001) || machine == 0x4154 || machine == 0x4155 || machine == 0xaf5a ||
         machine == 0xaf5b || machine == 224;
}

bool is_program(std::string_view bytes) {
  const FileKind kind = identify(std::as_bytes(std::span(bytes)));
  return kind == FileKind::Cl1Gpu || kind == FileKind::Cl2 || is_code_object(kind);
}

bool is_text(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d);
}

std::string_view without_margin(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t;"), line.size()));
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

// Lines that end a metadata block, a data segment or an IL program.
bool is_closing(std::string_view line) {
  line = without_margin(line);
  return line.starts_with("ARGEND:") || line == "#DATAEND" || line == "end" || line == "endmain" || line == "endfunc";
}

bool has_kernel_block(std::string_view text) {
  constexpr std::string_view kStart = "ARGSTART:__OpenCL_";
  for (std::size_t at = text.find(kStart); at != std::string_view::npos; at = text.find(kStart, at + 1)) {
    const std::string_view rest = text.substr(at + kStart.size());
    const std::string_view name = rest.substr(0, rest.find_first_of("\r\n"));
    if (!name.ends_with("_kernel") || name.size() > 65'536) continue;
    std::string end = "ARGEND:__OpenCL_";
    end += name;
    if (rest.find(end) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

Scanner::Scanner(ReadSome read, std::uint64_t most)
    : read_(std::move(read)), most_(most), needles_{{{"\x7f"
                                                      "ELF"},
                                                     {"__CLANG_OFFLOAD_BUNDLE__"},
                                                     {"ARGSTART:"},
                                                     {"il_cs_"},
                                                     {"mdef("}}} {}

// Whether the buffer reaches to `end`.
bool Scanner::fill(std::size_t end) {
  while (buffer_.size() < end && !end_) {
    const std::size_t had = buffer_.size();
    const std::size_t wanted = std::max(end - had, kChunk);
    buffer_.resize(had + wanted);
    const std::ptrdiff_t got = read_(buffer_.data() + had, wanted);
    buffer_.resize(had + static_cast<std::size_t>(std::max<std::ptrdiff_t>(got, 0)));
    end_ = got <= 0;
    broken_ = got < 0;
  }
  return buffer_.size() >= end;
}

void Scanner::discard() {
  if (at_ < kChunk) return;
  buffer_.erase(0, at_);
  base_ += at_;
  at_ = 0;
  // What one large program took is given back.
  if (buffer_.capacity() > 16 * kChunk && buffer_.size() < 2 * kChunk) buffer_.shrink_to_fit();
}

// Place in the buffer of the needle's next occurrence; npos: not in what is there.
std::size_t Scanner::find(Needle& needle) {
  const std::uint64_t from = std::max(needle.from, base_ + at_);
  if (needle.found && needle.from == from) return static_cast<std::size_t>(from - base_);
  const auto begin = static_cast<std::size_t>(from - base_);
  const void* const hit = begin < buffer_.size() ? ::memmem(buffer_.data() + begin, buffer_.size() - begin,
                                                            needle.text.data(), needle.text.size())
                                                 : nullptr;
  needle.found = hit != nullptr;
  if (needle.found) {
    const auto place = static_cast<std::size_t>(static_cast<const char*>(hit) - buffer_.data());
    needle.from = base_ + place;
    return place;
  }
  const std::size_t rest = std::min(needle.text.size() - 1, buffer_.size() - std::min(begin, buffer_.size()));
  needle.from = base_ + buffer_.size() - rest;
  return std::string::npos;
}

// Bytes of the image that begins at `at_`; 0: none that can be migrated.
std::size_t Scanner::elf_size() {
  if (!fill(at_ + kOverlap) && buffer_.size() - at_ < 52) return 0;
  const auto rest = [this] { return std::string_view(buffer_).substr(at_); };
  std::string_view bytes = rest();
  const auto elf_class = static_cast<unsigned char>(bytes[4]);
  if ((elf_class != 1 && elf_class != 2) || bytes[5] != 1 || bytes[6] != 1) return 0;
  const ElfForm form{elf_class == 2};
  if (bytes.size() < form.header() || !is_program_machine(load<std::uint16_t>(bytes, 18)) ||
      load<std::uint32_t>(bytes, 20) != 1 || form.half(bytes, 40, 52) != form.header())
    return 0;
  const std::uint64_t segments_at = form.address(bytes, 28, 32), sections_at = form.address(bytes, 32, 40);
  const std::uint64_t segment_bytes = form.half(bytes, 42, 54), segments = form.half(bytes, 44, 56);
  const std::uint64_t section_bytes = form.half(bytes, 46, 58), sections = form.half(bytes, 48, 60);
  if ((segments != 0 && segment_bytes != form.segment()) || (sections != 0 && section_bytes != form.section()) ||
      segments + sections == 0)
    return 0;
  std::uint64_t end = form.header();
  // Both operands are checked against `most_` before they are added: no overflow.
  const auto reach = [&](std::uint64_t offset, std::uint64_t size) {
    if (offset > most_ || size > most_ - offset) return false;
    end = std::max(end, offset + size);
    return true;
  };
  if (segments != 0 && !reach(segments_at, segments * segment_bytes)) return 0;
  if (sections != 0 && !reach(sections_at, sections * section_bytes)) return 0;
  // Tables that hostile headers announce again and again are not read for ever.
  if (work_ > kFreeWork + 16 * (base_ + at_)) return 0;
  work_ += end;
  if (!fill(at_ + end)) return 0;
  bytes = rest();
  for (std::uint64_t i = 0; i < sections; ++i) {
    const std::size_t row = sections_at + i * section_bytes;
    const std::uint64_t type = load<std::uint32_t>(bytes, row + 4);
    if (type == 0 || type == 8) continue;  // no section; no bytes in the file
    if (!reach(form.address(bytes, row + 16, row + 24), form.address(bytes, row + 20, row + 32))) return 0;
  }
  for (std::uint64_t i = 0; i < segments; ++i) {
    const std::size_t row = segments_at + i * segment_bytes;
    if (!reach(form.address(bytes, row + 4, row + 8), form.address(bytes, row + 16, row + 32))) return 0;
  }
  if (!fill(at_ + end)) return 0;
  return is_program(rest().substr(0, end)) ? end : 0;
}

// The code objects of the bundle at `at_`, whose table is read as far as the largest program reaches.
bool Scanner::take_bundle() {
  fill(at_ + most_);
  const std::string_view bytes = std::string_view(buffer_).substr(at_, most_);
  Diagnostics ignored;
  std::size_t end = 0;
  for (const hsa::BundleEntry& entry : hsa::read_bundle(bytes, ignored)) {
    const std::string_view image = bytes.substr(entry.where.begin, entry.where.size);
    if (hsa::bundle_target(entry.id).empty() || !is_program(image)) continue;
    waiting_.push_back({base_ + at_ + entry.where.begin, std::string(image), entry.id});
    end = std::max<std::size_t>(end, entry.where.begin + std::size_t{entry.where.size});
  }
  std::ranges::sort(waiting_, {}, &Carved::offset);
  at_ += end;
  return end != 0;
}

// Bytes of the text that begins at `at_`; 0: none with a kernel. `run` is where the text bytes end.
std::size_t Scanner::text_size(std::size_t& run) {
  run = at_;
  while (run - at_ < most_ && (run < buffer_.size() || fill(run + 1)) && is_text(buffer_[run])) ++run;
  const std::string_view text = std::string_view(buffer_).substr(at_, run - at_);
  if (!has_kernel_block(text)) return 0;
  for (std::size_t end = text.size(); end != 0;) {
    const std::size_t line_end = end;
    const std::size_t before = text.substr(0, end - (text[end - 1] == '\n' ? 1 : 0)).rfind('\n');
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    std::string_view line = text.substr(begin, line_end - begin);
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (is_closing(line)) return line_end;
    end = begin;
  }
  return 0;
}

Carved Scanner::take(std::size_t begin, std::size_t size, std::string entry) {
  Carved out{base_ + begin, buffer_.substr(begin, size), std::move(entry)};
  at_ = begin + size;
  return out;
}

std::optional<Carved> Scanner::next() {
  for (;;) {
    if (!waiting_.empty()) {
      Carved out = std::move(waiting_.front());
      waiting_.pop_front();
      return out;
    }
    discard();
    fill(at_ + kChunk);
    std::size_t which = 0, hit = std::string::npos;
    for (std::size_t i = 0; i < needles_.size(); ++i)
      if (const std::size_t place = find(needles_[i]); place < hit) which = i, hit = place;
    if (hit == std::string::npos) {
      if (end_) return std::nullopt;
      at_ = std::max(at_, buffer_.size() - std::min(buffer_.size(), kOverlap));
      continue;
    }
    at_ = hit;
    if (which == Elf) {
      if (const std::size_t size = elf_size(); size != 0) return take(hit, size, {});
      ++at_;
    } else if (which == Bundle) {
      if (!take_bundle()) ++at_;
    } else {
      // A block's semicolon belongs to it.
      if (which == FirstText && at_ > 0 && buffer_[at_ - 1] == ';') --at_;
      std::size_t run = 0;
      const std::size_t begin = at_;
      if (const std::size_t size = text_size(run); size != 0) return take(begin, size, {});
      // There is no kernel in all of this text; only a magic of something binary may begin in it.
      at_ = std::max(hit + 1, run - std::min(run, needles_[Bundle].text.size()));
    }
  }
}

}  // namespace amdcompat::migrate
