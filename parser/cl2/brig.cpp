// BRIG, the binary form of HSAIL: only as much of it as the metadata pragmas need.
//
//   module header   "HSA BRIG", version, sizes, offset of the section index
//   section index   one offset for each section: hsa_data, hsa_code, hsa_operand
//   section         byte count, header byte count, name, padding, then entries
//
// An entry of hsa_code begins with its size and kind; the directive of kind 0x100c is a pragma whose operand list
// stands in hsa_data as offsets into hsa_operand, where an operand of kind 0x300b is a string, which again stands in
// hsa_data, each string once. The pragmas of one kernel are consecutive entries inside the kernel's directive; a search
// through the strings would lose repeated lines and their order. The form is that of
// BRIG 1.0, which all CL2 compilers wrote. [HLC; BIN]
#include <amdcompat/cl2.hpp>

#include <algorithm>

#include "bytes.hpp"

namespace amdcompat::cl2 {
namespace {

using elf::inside;
using elf::load;

constexpr std::uint32_t kHeaderBytes = 104;
constexpr std::uint16_t kPragma = 0x100c;
constexpr std::uint16_t kStringOperand = 0x300b;
constexpr std::string_view kMagic = "HSA BRIG";
constexpr std::string_view kProducer = "AMD RTI";
constexpr std::uint32_t kMostSections = 64;  // modules have 3 and may add debug sections

class BrigReader {
 public:
  BrigReader(std::span<const std::byte> bytes, std::uint32_t base, Diagnostics& diagnostics)
      : bytes_(bytes), base_(base), diagnostics_(diagnostics) {}

  std::optional<Brig> run() {
    brig_.where = {base_, static_cast<std::uint32_t>(bytes_.size())};
    if (bytes_.size() < kHeaderBytes || !as_text(bytes_).starts_with(kMagic)) {
      broken(0, 8, "no BRIG module: its magic number or its header is missing");
      return std::nullopt;
    }
    brig_.major = load<std::uint32_t>(bytes_, 8);
    brig_.minor = load<std::uint32_t>(bytes_, 12);
    if (!read_sections()) return std::nullopt;
    read_code();
    return std::move(brig_);
  }

 private:
  // A section inside the module: all of it, entries' offsets count from its start.
  struct Place {
    std::uint64_t at = 0;
    std::uint64_t size = 0;
    std::uint32_t header = 0;
  };

  void broken(std::uint64_t at, std::uint64_t size, std::string message) {
    const std::uint64_t begin = std::min<std::uint64_t>(at, bytes_.size());
    diagnostics_.report(Code::Cl2BrigBroken,
                        {static_cast<std::uint32_t>(base_ + begin),
                         static_cast<std::uint32_t>(std::min<std::uint64_t>(size, bytes_.size() - begin))},
                        std::move(message));
  }

  bool read_sections() {
    const std::uint32_t count = load<std::uint32_t>(bytes_, 92);
    const std::uint64_t index = load<std::uint64_t>(bytes_, 96);
    if (count > kMostSections || !inside(index, std::uint64_t{count} * 8, bytes_.size())) {
      broken(92, 12,
             fmt::format("an index of {} sections at 0x{:x} in a module of {} bytes", count, index, bytes_.size()));
      return false;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t at = load<std::uint64_t>(bytes_, static_cast<std::size_t>(index) + i * 8);
      if (!inside(at, 16, bytes_.size())) {
        broken(index + i * 8, 8, fmt::format("section {} at 0x{:x} lies outside the module", i, at));
        return false;
      }
      const std::size_t head = static_cast<std::size_t>(at);
      const Place place{at, load<std::uint64_t>(bytes_, head), load<std::uint32_t>(bytes_, head + 8)};
      const std::uint32_t name_size = load<std::uint32_t>(bytes_, head + 12);
      if (!inside(at, place.size, bytes_.size()) || place.header < 16 || place.header > place.size ||
          name_size > place.header - 16) {
        broken(at, 16,
               fmt::format("section {} has a size of {}, a header of {} and a name of {} bytes", i, place.size,
                           place.header, name_size));
        return false;
      }
      const std::string_view name = as_text(bytes_.subspan(head + 16, name_size));
      if (name == "hsa_data") data_ = place;
      if (name == "hsa_code") code_ = place;
      if (name == "hsa_operand") operands_ = place;
      brig_.sections.push_back({range(at, place.size), range(at + 16, name_size), place.header});
    }
    if (data_.size == 0 || code_.size == 0 || operands_.size == 0) {
      broken(92, 12, "the module lacks one of the sections hsa_data, hsa_code and hsa_operand");
      return false;
    }
    return true;
  }

  SourceRange range(std::uint64_t at, std::uint64_t size) const {
    return {static_cast<std::uint32_t>(base_ + at), static_cast<std::uint32_t>(size)};
  }

  void read_code() {
    std::uint64_t at = code_.header;
    while (at < code_.size) {
      if (code_.size - at < 4) return broken(code_.at + at, 4, "an entry of the code section is cut short");
      const std::size_t place = static_cast<std::size_t>(code_.at + at);
      const std::uint16_t size = load<std::uint16_t>(bytes_, place);
      if (size < 4 || size > code_.size - at)
        return broken(place, 2,
                      fmt::format("an entry of {} bytes in a code section with {} left", size, code_.size - at));
      if (load<std::uint16_t>(bytes_, place + 2) == kPragma && !read_pragma(place, size)) return;
      at += size;
    }
  }

  bool read_pragma(std::size_t place, std::uint16_t size) {
    const auto fail = [&](std::string_view what) {
      broken(place, size, fmt::format("a pragma's {} lies outside its section", what));
      return false;
    };
    if (size < 8) return fail("operand list");
    const std::uint64_t list = load<std::uint32_t>(bytes_, place + 4);
    if (!inside(list, 4, data_.size)) return fail("operand list");
    const std::uint32_t bytes = load<std::uint32_t>(bytes_, static_cast<std::size_t>(data_.at + list));
    if (!inside(list + 4, bytes, data_.size)) return fail("operand list");
    if (bytes < 8) return true;  // no pragma of ours has a single operand
    SourceRange producer, text;
    if (!read_string(data_.at + list + 4, producer) || !read_string(data_.at + list + 8, text)) return fail("string");
    if (text_of(producer) == kProducer && text.begin != 0) brig_.pragmas.push_back({range(place, size), text});
    return true;
  }

  std::string_view text_of(SourceRange where) const { return as_text(bytes_.subspan(where.begin - base_, where.size)); }

  // The string that the operand at the offset stored at `at` refers to; an operand of another kind gives an empty one.
  bool read_string(std::uint64_t at, SourceRange& out) {
    out = {base_, 0};
    const std::uint64_t operand = load<std::uint32_t>(bytes_, static_cast<std::size_t>(at));
    if (!inside(operand, 4, operands_.size)) return false;
    const std::size_t place = static_cast<std::size_t>(operands_.at + operand);
    if (load<std::uint16_t>(bytes_, place + 2) != kStringOperand) return true;
    if (!inside(operand, 8, operands_.size)) return false;
    const std::uint64_t string = load<std::uint32_t>(bytes_, place + 4);
    if (!inside(string, 4, data_.size)) return false;
    const std::uint32_t size = load<std::uint32_t>(bytes_, static_cast<std::size_t>(data_.at + string));
    if (!inside(string + 4, size, data_.size)) return false;
    out = range(data_.at + string + 4, size);
    return true;
  }

  std::span<const std::byte> bytes_;
  std::uint32_t base_;
  Diagnostics& diagnostics_;
  Brig brig_;
  Place data_, code_, operands_;
};

}  // namespace

std::optional<Brig> read_brig(std::span<const std::byte> file, SourceRange where, Diagnostics& diagnostics) {
  return BrigReader(part(file, where), where.begin, diagnostics).run();
}

SourceRange BrigText::origin(SourceRange in_text) const {
  const auto after = std::ranges::upper_bound(starts, in_text.begin);
  if (after == starts.begin()) return {};
  const auto index = static_cast<std::size_t>(after - starts.begin()) - 1;
  const SourceRange line = origins[index];
  const std::uint32_t skip = std::min(in_text.begin - starts[index], line.size);
  return {line.begin + skip, std::min(in_text.size, line.size - skip)};
}

BrigText brig_text(std::span<const std::byte> file, const Brig& brig, std::uint64_t max_bytes) {
  BrigText out;
  for (const BrigPragma& pragma : brig.pragmas) {
    if (pragma.text.size + std::uint64_t{1} > max_bytes - out.text.size()) break;
    out.starts.push_back(static_cast<std::uint32_t>(out.text.size()));
    out.origins.push_back(pragma.text);
    out.text += as_text(part(file, pragma.text));
    out.text += '\n';
  }
  return out;
}

}  // namespace amdcompat::cl2
