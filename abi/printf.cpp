// Decodes printf buffers and prints their records as AMD's runtimes did.
//
// AMD's printer walks the arguments and, for each, cuts the format after the next conversion and hands text and
// conversion to the C library. `Printer::run` follows it step by step, because its oddities are visible in the output:
// what counts as a conversion is found by searching for letters, not by parsing. Where it would have called the C
// library with nonsense (undefined behaviour there), the conversion is printed as text and reported.
//
// The buffer is hostile. Every read goes through `Words`, which knows its end; widths are limited; and a record is
// printed only when all of it is there.
#include <amdcompat/printf.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <unordered_map>
#include <variant>

#include <fmt/format.h>

#include <amdcompat/hsa.hpp>

namespace amdcompat::abi {
namespace {

constexpr std::string_view kConversions = "cdieEfgGaosuxXp";  // what AMD's printer takes for the end of a conversion
constexpr std::string_view kFloats = "eEfgGa";
constexpr std::string_view kModifiers = "hl";
constexpr std::string_view kSpecial = "%n";
constexpr std::size_t kNoPlace = std::string_view::npos;

constexpr std::size_t align4(std::size_t size) { return (size + 3) / 4 * 4; }

// The bytes of one region or record.
class Words {
 public:
  explicit Words(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] bool has(std::size_t at, std::size_t size) const {
    return at <= bytes_.size() && size <= bytes_.size() - at;
  }
  // Little endian; bytes past the end count as 0.
  [[nodiscard]] std::uint64_t load(std::size_t at, std::size_t size) const {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size && has(at + i, 1); ++i)
      value |= std::to_integer<std::uint64_t>(bytes_[at + i]) << (8 * i);
    return value;
  }
  // The string at `at`, at most `most` bytes; `ended` says whether a NUL was found.
  [[nodiscard]] std::string text(std::size_t at, std::size_t most, bool& ended) const {
    std::string out;
    const std::size_t end = at + std::min(most, bytes_.size() - std::min(at, bytes_.size()));
    for (; at < end; ++at) {
      if (bytes_[at] == std::byte{0}) break;
      out += static_cast<char>(bytes_[at]);
    }
    ended = at < end;
    return out;
  }

 private:
  std::span<const std::byte> bytes_;
};

float half_to_float(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int mantissa = half & 1023;
  float value = 0;
  if (exponent == 31)
    value = mantissa == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  else if (exponent == 0)
    value = std::ldexp(static_cast<float>(mantissa), -24);
  else
    value = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  return (half & 0x8000) != 0 ? -value : value;
}

struct Narrow {
  std::uint32_t bits;
};   // an int: what C passes for anything up to 32 bits
struct Wide {
  std::uint64_t bits;
};
struct Text {
  const std::string* text;
};  // null: a NULL pointer
using CValue = std::variant<Narrow, Wide, double, Text>;

// A `%` conversion as C defines it.
struct Conversion {
  std::size_t begin = 0, end = 0;  // in the text
  std::string flags;
  std::optional<std::uint32_t> width, precision;
  std::string modifiers;           // any of hljztL, as they stand
  char letter = 0;
};

std::optional<std::uint32_t> digits(std::string_view text, std::size_t& at, bool& bad) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (error == std::errc::invalid_argument) return std::nullopt;
  bad |= error != std::errc{};
  at = static_cast<std::size_t>(end - text.data());
  return value;
}

std::optional<Conversion> parse_conversion(std::string_view text) {
  Conversion out;
  out.begin = text.find('%');
  if (out.begin == kNoPlace) return std::nullopt;
  std::size_t at = out.begin + 1;
  bool bad = false;
  for (; at < text.size() && std::string_view("-+ #0").find(text[at]) != kNoPlace; ++at)
    if (out.flags.find(text[at]) == std::string::npos) out.flags += text[at];
  out.width = digits(text, at, bad);
  if (at < text.size() && text[at] == '.') {
    ++at;
    out.precision = digits(text, at, bad).value_or(0);
  }
  for (; at < text.size() && std::string_view("hljztL").find(text[at]) != kNoPlace; ++at) out.modifiers += text[at];
  if (bad || out.modifiers.size() > 3 || at == text.size() ||
      std::string_view("diouxXcspeEfFgGaA").find(text[at]) == kNoPlace)
    return std::nullopt;
  out.letter = text[at];
  out.end = at + 1;
  return out;
}

class Printer {
 public:
  Printer(const PrintfFormat& format, Words words, bool hsa, std::size_t limit, Diagnostics& diagnostics,
          std::string path)
      : format_(format), words_(words), hsa_(hsa), limit_(limit), diagnostics_(diagnostics), path_(std::move(path)) {}

  // Prints the record whose first argument is at byte `at`, and moves `at` behind it. False: the record is cut off.
  [[nodiscard]] bool run(std::size_t& at, std::string& out) {
    at_ = at;
    walk();
    at = at_;
    out = std::move(out_);
    return !cut_;
  }

 private:
  void report(Code code, std::string message) {
    diagnostics_.report(code, format_.where, fmt::format("printf {}: {}", format_.id, message), path_);
  }

  void walk() {
    std::string text = format_.format;
    std::size_t from = 0;  // what was not printed yet starts here
    bool muted = false;    // after an error of AMD's printer: arguments are still passed over
    for (const std::uint32_t size : format_.sizes) {
      if (cut_) return;
      if (muted) {
        skip(size);
        continue;
      }
      const std::size_t start = next_conversion(text, from);
      if (start == kNoPlace) {
        print("Error: The arguments don't match the printf format string. printf(" + format_.format + ")");
        report(Code::PrintfArgumentCount,
               fmt::format("{} arguments, but the format has fewer conversions", format_.sizes.size()));
        muted = true;
        from = kNoPlace;
        skip(size);
        continue;
      }
      const std::size_t letter = text.find_first_of(kConversions, start);
      if (letter == kNoPlace) {
        report(Code::PrintfArgumentCount, "a conversion without an end; AMD's printer stops before it");
        muted = true;
        from = kNoPlace;
        skip(size);
        continue;
      }
      if (!argument(text, from, start, letter + 1, size)) {
        muted = true;
        from = kNoPlace;
        continue;
      }
      from = letter + 1;
    }
    if (!cut_ && from != kNoPlace) print(std::string_view(text).substr(std::min(from, text.size())));
  }

  // Prints up to the next conversion that takes an argument and returns where it starts, after its `%`. Spaces after
  // a `%` go. A `%` or `n` before any conversion letter ends a special case: one character of it is printed.
  std::size_t next_conversion(std::string& text, std::size_t& from) {
    for (;;) {
      std::size_t start = text.find('%', from);
      if (start == kNoPlace) {
        if (from < text.size()) print(std::string_view(text).substr(from));
        return kNoPlace;
      }
      ++start;
      const std::size_t spaces = text.find_first_not_of(' ', start);
      text.erase(start, (spaces == kNoPlace ? text.size() : spaces) - start);
      const std::size_t special = text.find_first_of(kSpecial, start);
      const std::size_t letter = text.find_first_of(kConversions, start);
      if (special == kNoPlace || (letter != kNoPlace && letter < special)) return start;
      print(std::string_view(text).substr(from, start - 1 - from));
      print(std::string_view(text).substr(start, 1));
      from = start + 1;
    }
  }

  // Elements of a vector conversion that ends before `end`, else 0; `letters` are those from the number on. AMD's
  // search does not find the `v` of `v16hh` and `v16hl`.
  static std::uint32_t vector_size(std::string_view text, std::size_t start, std::size_t end, std::size_t& letters) {
    if (end - start < 3) return 0;
    if (text[end - 3] == 'v')
      letters = 2;
    else if (text[end - 4] == 'v')
      letters = 3;
    else if (end >= 5 && text[end - 5] == 'v')
      letters = 4;
    else
      return 0;
    switch (text[end - letters]) {
      case '1': return text[end - letters + 1] == '6' ? 16 : 0;
      case '2': return 2;
      case '3': return 3;
      case '4': return 4;
      case '8': return 8;
      default: return 0;
    }
  }

  // One argument with the text before it. False: AMD's printer gives up the record here.
  bool argument(std::string_view text, std::size_t from, std::size_t start, std::size_t end, std::uint32_t size) {
    std::size_t letters = 0;
    const std::uint32_t elements = vector_size(text, start, end, letters);
    std::string piece(text.substr(from, end - from));
    if (elements == 0) {
      const std::size_t at = at_;
      if (!take(size, piece.back() == 's')) return true;
      return value(piece, size, at);
    }
    // The number goes, and so does the `v`; the modifiers stay.
    const std::size_t v = piece.size() - (letters + 1);
    const std::size_t modifier = text.find_first_of(kModifiers, start);
    if (modifier != kNoPlace && modifier < end)
      piece.erase(v, std::min(piece.find_first_of(kModifiers, v + 1), piece.size() - 1) - v);
    else
      piece.erase(v, letters);
    const std::string element = piece.substr(start - from - 1);
    const std::uint32_t width = size / (elements == 3 ? 4 : elements);
    const std::size_t at = at_;
    if (!take(size, false)) return true;
    if (!value(piece, width, at)) return false;
    for (std::uint32_t i = 1; i < elements; ++i) {
      print(",");
      value(element, width, at + std::size_t{i} * width);
    }
    return true;
  }

  // Moves over an argument; false (and `cut_`) when it is not all there.
  bool take(std::uint32_t size, bool string) {
    std::size_t bytes = hsa_ ? size : align4(size);
    if ((string || size == 0) && !hsa_) {
      if (!words_.has(at_, 4)) {
        cut_ = true;
        return false;
      }
      bool ended = false;
      if (string && words_.load(at_, 4) == 0) {
        bytes = 8;  // AMD counts the six letters of "(null)"
      } else {
        const std::size_t length = words_.text(at_, words_.size(), ended).size();
        if (!ended)
          report(Code::PrintfStringUnterminated, "a string without an end; it is cut where the work-item's data ends");
        bytes = align4(length + 1);
      }
      at_ = std::min(at_ + bytes, words_.size());
      return true;
    }
    if (!words_.has(at_, bytes)) {
      cut_ = true;
      return false;
    }
    at_ += bytes;
    return true;
  }
  void skip(std::uint32_t size) { take(size, false); }

  // Text and conversion `piece` with the `size` bytes at `at`. False: AMD's error text was printed.
  bool value(const std::string& piece, std::uint32_t size, std::size_t at) {
    const char letter = piece.back();
    if (letter == 's') {
      if ((hsa_ && size < 4 ? words_.load(at, size) : words_.load(at, 4)) == 0) {
        c_print(piece, Text{nullptr});
        return true;
      }
      return string(piece, size, at);
    }
    const bool is_float = kFloats.find(letter) != kNoPlace;
    const auto without = [&](std::string_view letters) {
      std::string out = piece;
      out.erase(out.find_first_of(letters), 2);
      return out;
    };
    const bool hl = piece.find("hl") != std::string::npos;
    switch (size) {
      case 0: return string(piece, size, at);
      case 1: c_print(piece, Narrow{static_cast<std::uint32_t>(words_.load(at, 1))}); return true;
      case 2:
      case 4: {
        // The legacy printer reads four bytes in both cases; the later one knows half and short. [RT; RC]
        const auto bits = static_cast<std::uint32_t>(words_.load(at, hsa_ ? size : 4));
        if (!is_float) {
          if (piece.find("hh") != std::string::npos)
            c_print(without("h"), Narrow{bits & 0xff});
          else
            c_print(hl ? without(kModifiers) : piece, Narrow{bits});
          return true;
        }
        const float number =
            size == 2 && hsa_ ? half_to_float(static_cast<std::uint16_t>(bits)) : std::bit_cast<float>(bits);
        if (std::isfinite(number)) {
          c_print(hl ? without(kModifiers) : piece, static_cast<double>(number));
          return true;
        }
        const std::string sign = std::signbit(number) ? "-" : "";
        const std::string name = sign + (std::isnan(number) ? "nan" : "infinity");
        std::string as_text = piece.substr(0, piece.find('%') + 1);
        c_print(as_text + "s", Text{&name});
        return true;
      }
      case 8: {
        const std::uint64_t bits = words_.load(at, 8);
        if (is_float) {
          c_print(hl ? without(kModifiers) : piece, std::bit_cast<double>(bits));
        } else {
          std::string wide = piece;
          wide.insert(wide.size() - 1, 1, 'l');
          c_print(wide, Wide{bits});
        }
        return true;
      }
      default:
        print(fmt::format("Error: Unsupported data size for PrintfDbg. {} bytes", size));
        report(Code::PrintfUnsupportedSize, fmt::format("an argument of {} bytes for '{}'", size,
                                                        piece.substr(std::min(piece.find('%'), piece.size() - 1))));
        return false;
    }
  }

  // HSA strings have the room their size says, and no NUL when they fill it.
  bool string(const std::string& piece, std::uint32_t size, std::size_t at) {
    bool ended = false;
    const std::string text = words_.text(at, hsa_ && size != 0 ? size : words_.size(), ended);
    if (piece.back() == 's') {
      c_print(piece, Text{&text});
      return true;
    }
    // AMD's printer passed the pointer to a conversion that is not for one.
    print(std::string_view(piece).substr(0, piece.find('%')));
    print(text);
    report(Code::PrintfSpecifier, fmt::format("a string for a conversion '{}'", piece.back()));
    return true;
  }

  void print(std::string_view text) {
    if (out_.size() + text.size() > limit_) {
      if (!limited_)
        report(Code::PrintfOutputLimit,
               fmt::format("a record with more than {} bytes of text; the rest is left out", limit_));
      limited_ = true;
      text = text.substr(0, limit_ - out_.size());
    }
    out_ += text;
  }

  // What C's printf makes of `text`, which has at most one conversion that counts.
  void c_print(std::string_view text, const CValue& value) {
    std::optional<Conversion> conversion = parse_conversion(text);
    if (!conversion || !convert(text, *conversion, value)) {
      print(text);
      report(Code::PrintfSpecifier,
             fmt::format("'{}' is no conversion for its argument", text.substr(std::min(text.find('%'), text.size()))));
    }
  }

  bool convert(std::string_view text, Conversion& conversion, const CValue& value) {
    const bool is_text = conversion.letter == 's';
    const bool is_float = std::string_view("eEfFgGaA").find(conversion.letter) != kNoPlace;
    if (is_text != std::holds_alternative<Text>(value) || is_float != std::holds_alternative<double>(value))
      return false;
    print(text.substr(0, conversion.begin));
    const auto room = static_cast<std::uint32_t>(std::min<std::size_t>(limit_ - out_.size(), 1u << 24));
    if (conversion.width.value_or(0) > room || conversion.precision.value_or(0) > room) {
      if (!limited_) report(Code::PrintfOutputLimit, fmt::format("a width or precision over {}", room));
      limited_ = true;
      if (conversion.width) conversion.width = std::min(*conversion.width, room);
      if (conversion.precision) conversion.precision = std::min(*conversion.precision, room);
    }
    std::string spec = "%" + conversion.flags;
    if (conversion.width) spec += std::to_string(*conversion.width);
    if (conversion.precision) (spec += '.') += std::to_string(*conversion.precision);
    if (const auto* string = std::get_if<Text>(&value)) {
      // glibc prints "(null)" only where a precision leaves room for all of it.
      const char* const shown = string->text != nullptr                ? string->text->c_str()
                                : conversion.precision.value_or(6) < 6 ? ""
                                                                       : "(null)";
      c_call(spec + "s", shown);
    } else if (const auto* number = std::get_if<double>(&value)) {
      c_call(spec + conversion.letter, *number);
    } else {
      integer(spec, conversion, value);
    }
    print(text.substr(conversion.end));
    return true;
  }

  void integer(const std::string& spec, const Conversion& conversion, const CValue& value) {
    const auto* wide = std::get_if<Wide>(&value);
    const std::uint64_t bits = wide != nullptr ? wide->bits : std::get<Narrow>(value).bits;
    const std::string& modifiers = conversion.modifiers;
    const bool is_long = modifiers.find_first_of("ljzt") != std::string::npos;
    if (conversion.letter == 'c') {
      c_call(spec + "c", static_cast<int>(bits & 0xff));
    } else if (conversion.letter == 'p') {
      c_call(spec + "p", std::bit_cast<void*>(static_cast<std::uintptr_t>(bits)));
    } else if (conversion.letter == 'd' || conversion.letter == 'i') {
      const long long number = is_long             ? static_cast<long long>(bits)
                               : modifiers == "hh" ? static_cast<signed char>(bits)
                               : modifiers == "h"  ? static_cast<short>(bits)
                                                   : static_cast<int>(bits);
      c_call(spec + "lld", number);
    } else {
      const unsigned long long number = is_long             ? bits
                                        : modifiers == "hh" ? static_cast<unsigned char>(bits)
                                        : modifiers == "h"  ? static_cast<unsigned short>(bits)
                                                            : static_cast<unsigned>(bits);
      c_call(spec + "ll" + conversion.letter, number);
    }
  }

  // `format` was made by `convert`: one conversion, and for a value of this type.
  template <class T>
  void c_call(const std::string& format, T value) {
    std::array<char, 256> small;
    const int length = std::snprintf(small.data(), small.size(), format.c_str(), value);
    if (length < 0) return;
    const auto size = static_cast<std::size_t>(length);
    if (size < small.size()) {
      print(std::string_view(small.data(), size));
      return;
    }
    std::string large(size + 1, '\0');
    std::snprintf(large.data(), large.size(), format.c_str(), value);
    print(std::string_view(large).substr(0, size));
  }

  const PrintfFormat& format_;
  Words words_;
  bool hsa_;
  std::size_t limit_;
  Diagnostics& diagnostics_;
  std::string path_;
  std::string out_;
  std::size_t at_ = 0;
  bool cut_ = false;
  bool limited_ = false;
};

class Decoder {
 public:
  Decoder(std::span<const PrintfFormat> formats, Diagnostics& diagnostics, const PrintfLimits& limits)
      : diagnostics_(diagnostics), limits_(limits) {
    for (const PrintfFormat& format : formats) {
      const auto [found, added] = formats_.try_emplace(format.id, &format);
      if (!added && (found->second->format != format.format || found->second->sizes != format.sizes))
        diagnostics_.report(Code::PrintfDuplicateId, format.where,
                            fmt::format("printf {} of unit {} has another format than that of unit {}", format.id,
                                        format.unit, found->second->unit));
    }
    if (formats.empty()) diagnostics_.report(Code::PrintfNoFormats, {}, "the program has no printf formats");
  }

  std::vector<PrintfRecord> legacy(std::span<const std::byte> buffer, const LegacyPrintf& geometry) {
    const std::uint64_t region = std::uint64_t{geometry.dwords_per_item} * 4;
    if (geometry.dwords_per_item < 2) {
      diagnostics_.report(Code::PrintfGeometry, {},
                          fmt::format("regions of {} dwords; the smallest has 2", geometry.dwords_per_item));
      return {};
    }
    std::uint64_t items = geometry.items;
    if (items == 0) items = buffer.size() / region;
    if (items == 0 || items > buffer.size() / region) {
      diagnostics_.report(Code::PrintfGeometry, {},
                          fmt::format("{} bytes hold {} regions of {} bytes; expected {}", buffer.size(),
                                      buffer.size() / region, region, std::max<std::uint64_t>(geometry.items, 1)));
      items = buffer.size() / region;
    }
    for (std::uint64_t item = 0; item < items && !full_; ++item)
      legacy_item(item, buffer.subspan(item * region, region), item * region);
    if (unset_ != 0)
      diagnostics_.report(
          Code::PrintfIndexInvalid, {},
          fmt::format("{} of {} work-items have the write index 0; the host sets it to 1", unset_, items), "items");
    return std::move(records_);
  }

  std::vector<PrintfRecord> hsa(std::span<const std::byte> buffer) {
    if (buffer.size() < 8) {
      diagnostics_.report(Code::PrintfGeometry, {},
                          fmt::format("{} bytes; an HSA printf buffer starts with a header of 8", buffer.size()));
      return {};
    }
    const std::uint64_t written = Words(buffer).load(0, 4), capacity = Words(buffer).load(4, 4);
    const std::uint64_t end = std::min({written, capacity, std::uint64_t{buffer.size() - 8}});
    if (written > end)
      diagnostics_.report(Code::PrintfOverflow, {},
                          fmt::format("{} bytes were written or tried, {} are there", written, end), "header");
    const auto records = buffer.subspan(8, end);
    std::size_t at = 0;
    while (at < records.size() && !full_) {
      const std::string path = fmt::format("records+{:#x}", at);
      if (records.size() - at < 4) {
        diagnostics_.report(Code::PrintfRecordCut, {}, "a record without room for its format number", path);
        break;
      }
      const auto id = static_cast<std::uint32_t>(Words(records).load(at, 4));
      const PrintfFormat* const format = find(id, path);
      if (format == nullptr) break;  // its size is not known
      std::uint64_t size = 4;
      bool whole = true;
      for (const std::uint32_t argument : format->sizes) {
        size += argument;
        whole &= argument % 4 == 0;
      }
      if (!whole)
        diagnostics_.report(Code::PrintfRecordSize, format->where,
                            fmt::format("printf {}: an argument size is no multiple of 4", id), path);
      if (size > records.size() - at) {
        diagnostics_.report(
            Code::PrintfRecordCut, format->where,
            fmt::format("printf {}: a record of {} bytes, of which {} are there", id, size, records.size() - at), path);
        break;
      }
      std::size_t argument = 4;
      std::string text;
      if (Printer(*format, Words(records.subspan(at, size)), true, limits_.record_bytes, diagnostics_, path)
              .run(argument, text))
        add({0, 8 + at, id, std::move(text)});
      at += size;
    }
    return std::move(records_);
  }

 private:
  void legacy_item(std::uint64_t item, std::span<const std::byte> region, std::uint64_t begin) {
    const std::uint64_t index = Words(region).load(0, 4), dwords = region.size() / 4;
    if (index == 0) ++unset_;
    if (index > dwords)
      diagnostics_.report(Code::PrintfOverflow, {},
                          fmt::format("{} dwords were written or tried, the region has {}", index, dwords),
                          fmt::format("items[{}]", item));
    const Words words(region.first(std::min(index, dwords) * 4));
    std::size_t at = 4;
    while (at < words.size() && !full_) {
      const std::size_t start = at;
      const std::string path = fmt::format("items[{}].dwords[{}]", item, at / 4);
      const auto id = static_cast<std::uint32_t>(words.load(at, 4));
      const PrintfFormat* const format = find(id, path);
      if (format == nullptr) return;
      at += 4;
      std::string text;
      if (!Printer(*format, words, false, limits_.record_bytes, diagnostics_, path).run(at, text)) {
        diagnostics_.report(Code::PrintfRecordCut, format->where,
                            fmt::format("printf {}: the record ends past the work-item's data", id), path);
        return;
      }
      add({item, begin + start, id, std::move(text)});
    }
  }

  const PrintfFormat* find(std::uint32_t id, const std::string& path) {
    const auto found = formats_.find(id);
    if (found != formats_.end()) return found->second;
    diagnostics_.report(Code::PrintfUnknownId, {}, fmt::format("no printf format has the number {}", id), path);
    return nullptr;
  }

  void add(PrintfRecord record) {
    // A record costs memory even when it prints nothing.
    total_ += record.text.size() + sizeof(PrintfRecord);
    if (total_ > limits_.total_bytes) {
      diagnostics_.report(Code::PrintfOutputLimit, {},
                          fmt::format("more than {} bytes of text and records; decoding stops", limits_.total_bytes));
      full_ = true;
      return;
    }
    records_.push_back(std::move(record));
  }

  Diagnostics& diagnostics_;
  PrintfLimits limits_;
  std::unordered_map<std::uint32_t, const PrintfFormat*> formats_;
  std::vector<PrintfRecord> records_;
  std::uint64_t unset_ = 0;
  std::size_t total_ = 0;
  bool full_ = false;
};

}  // namespace

std::vector<PrintfRecord> decode_legacy_printf(std::span<const PrintfFormat> formats, std::span<const std::byte> buffer,
                                               const LegacyPrintf& geometry, Diagnostics& diagnostics,
                                               const PrintfLimits& limits) {
  return Decoder(formats, diagnostics, limits).legacy(buffer, geometry);
}

std::vector<PrintfRecord> decode_hsa_printf(std::span<const PrintfFormat> formats, std::span<const std::byte> buffer,
                                            Diagnostics& diagnostics, const PrintfLimits& limits) {
  return Decoder(formats, diagnostics, limits).hsa(buffer);
}

std::string printf_text(std::span<const PrintfRecord> records) {
  std::string out;
  for (const PrintfRecord& record : records) out += record.text;
  return out;
}

Result<PrintfFormat> hsa_printf_format(std::string_view entry) {
  Result<hsa::PrintfString> read = hsa::decode_printf(entry);
  if (!read) return std::unexpected(std::move(read.error()));
  if (read->hostcall)
    return std::unexpected(
        make_diagnostic(Code::HsaPrintfForm, {}, "a format of the hostcall variant, which writes no printf buffer"));
  if (read->raw_colon) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < 2 + read->sizes.size(); ++i) begin = entry.find(':', begin) + 1;
    read = hsa::decode_printf(entry.substr(0, entry.find(':', begin)));
    if (!read) return std::unexpected(std::move(read.error()));
  }
  PrintfFormat format;
  format.id = read->id;
  format.sizes = std::move(read->sizes);
  format.format = std::move(read->format);
  if (!format.format.ends_with('\n')) format.format += '\n';
  return format;
}

std::uint32_t printf_dwords_per_item(std::uint64_t buffer_bytes, std::uint64_t items, std::uint64_t transfer_bytes) {
  if (items == 0) return 0;
  std::uint64_t bytes = buffer_bytes / items;
  if (transfer_bytes != 0) bytes = std::min(bytes, transfer_bytes);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes / 4, std::numeric_limits<std::uint32_t>::max()));
}

void reset_legacy_printf(std::span<std::byte> buffer, std::uint32_t dwords_per_item) {
  if (dwords_per_item == 0) return;
  const std::size_t region = std::size_t{dwords_per_item} * 4;
  for (std::size_t at = 0; buffer.size() - at >= region; at += region) {
    buffer[at] = std::byte{1};
    buffer[at + 1] = buffer[at + 2] = buffer[at + 3] = std::byte{0};
  }
}

}  // namespace amdcompat::abi
