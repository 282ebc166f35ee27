#include "scalar.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <locale.h>
#include <memory>

#include <fmt/format.h>

#include "schema.hpp"

namespace amdcompat::hsa {
namespace {

constexpr std::string_view kSpaces = " \t\n\v\f\r";
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_alnum(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// --- numbers and words as LLVM takes them --------------------------------------------------------------------

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  int radix = 10;
  if (text.starts_with("0x") || text.starts_with("0X"))
    radix = 16;
  else if (text.starts_with("0b") || text.starts_with("0B"))
    radix = 2;
  else if (text.starts_with("0o"))
    radix = 8;
  if (radix != 10) {
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0' && is_digit(text[1])) {
    radix = 8;
    text.remove_prefix(1);
  }
  std::uint64_t value = 0;
  const char* const end = std::to_address(text.end());
  const auto [stop, error] = std::from_chars(std::to_address(text.begin()), end, value, radix);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<Scalar> parse_integer(std::string_view text) {
  if (const auto value = parse_unsigned(text)) return Scalar{ScalarStatus::Ok, Token::Kind::Unsigned, *value};
  if (!text.starts_with('-')) return std::nullopt;
  const auto magnitude = parse_unsigned(text.substr(1));
  constexpr auto kSmallest = std::uint64_t{1} << 63;
  if (!magnitude || *magnitude > kSmallest) return std::nullopt;
  if (*magnitude == 0) return Scalar{ScalarStatus::Ok, Token::Kind::Unsigned, 0};
  return Scalar{ScalarStatus::Ok, Token::Kind::Negative, ~*magnitude + 1};
}

struct BoolWord {
  std::string_view text;
  bool value;
};
// clang-format off
constexpr BoolWord kBoolWords[] = {
    {"y", true},     {"Y", true},     {"n", false},    {"N", false},    {"on", true},    {"On", true},
    {"ON", true},    {"no", false},   {"No", false},   {"NO", false},   {"yes", true},   {"Yes", true},
    {"YES", true},   {"off", false},  {"Off", false},  {"OFF", false},  {"true", true},  {"True", true},
    {"TRUE", true},  {"false", false}, {"False", false}, {"FALSE", false},
};
// clang-format on

std::optional<Scalar> parse_bool(std::string_view text) {
  constexpr std::size_t kLongest =
      std::ranges::max(kBoolWords, {}, [](const BoolWord& w) { return w.text.size(); }).text.size();
  if (text.size() > kLongest) return std::nullopt;
  for (const BoolWord& word : kBoolWords)
    if (word.text == text) return Scalar{ScalarStatus::Ok, Token::Kind::Boolean, word.value ? 1u : 0u};
  return std::nullopt;
}

// strtod of the C locale, which the caller's locale must not change.
double c_strtod(const char* text, char** end) {
  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return strtod_l(text, end, c_locale);
}

std::optional<double> parse_real(std::string_view text) {
  // Names are the common case and never begin like a number, except those that might be "inf" or "nan".
  constexpr std::string_view kFirst = "0123456789+-.iInN";
  if (!text.empty() && text[0] != '\0' && !kFirst.contains(text[0]) && !kSpaces.contains(text[0])) return std::nullopt;
  const std::string terminated(text);
  char* end = nullptr;
  const double value = c_strtod(terminated.c_str(), &end);
  if (*end != '\0') return std::nullopt;
  return value;
}

// Most scalars are names: what begins with a letter with which no number and none of the words above begins is a text.
bool is_plain_word(std::string_view text) {
  constexpr std::uint32_t kOthers = [] {
    std::uint32_t letters = 0;
    const auto add = [&letters](char c) { letters |= std::uint32_t{1} << (static_cast<unsigned>(c) & 31); };
    for (const BoolWord& word : kBoolWords) add(word.text[0]);
    for (const char c : {'i', 'n'}) add(c);  // inf, nan
    return letters;
  }();
  if (text.empty()) return false;
  const auto letter = static_cast<unsigned>(static_cast<unsigned char>(text[0]) | 0x20);
  return letter >= 'a' && letter <= 'z' && (kOthers >> (letter & 31) & 1) == 0;
}

enum class Tag : std::uint8_t { None, Text, Integer, Boolean, Real, Nil, Unknown };
struct TagName {
  std::string_view name;
  Tag tag;
};
// clang-format off
constexpr TagName kTags[] = {
    {"", Tag::None},           {"!str", Tag::Text},     {"!int", Tag::Integer},
    {"!bool", Tag::Boolean},   {"!float", Tag::Real},   {"!nil", Tag::Nil},
    {"tag:yaml.org,2002:str", Tag::Text},               {"tag:yaml.org,2002:int", Tag::Integer},
    {"tag:yaml.org,2002:bool", Tag::Boolean},           {"tag:yaml.org,2002:float", Tag::Real},
    {"tag:yaml.org,2002:null", Tag::Nil},
};
// clang-format on

// --- quoting -------------------------------------------------------------------------------------------------

enum class Quoting : std::uint8_t { None, Single, Double };

std::size_t skip(std::string_view text, std::size_t at, std::string_view set) {
  return std::min(text.find_first_not_of(set, at), text.size());
}

// A number by YAML 1.2's rules (§10.3.2), which decide about quotes but not about types.
bool looks_numeric(std::string_view text) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return true;
  if (text.starts_with("0o")) return text.size() > 2 && skip(text, 2, "01234567") == text.size();
  if (text.starts_with("0x")) return text.size() > 2 && skip(text, 2, kHexDigits) == text.size();
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text == ".inf" || text == ".Inf" || text == ".INF") return true;
  const std::size_t whole = skip(text, 0, kDigits);
  std::size_t at = whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = skip(text, at + 1, kDigits);
    if (whole == 0 && fraction == at + 1) return false;
    at = fraction;
  } else if (whole == 0) {
    return false;
  }
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  return at < text.size() && skip(text, at, kDigits) == text.size();
}

bool looks_like_word(std::string_view text) {
  constexpr std::string_view kWords[] = {"null", "Null", "NULL",  "~",     "true",
                                         "True", "TRUE", "false", "False", "FALSE"};
  return std::ranges::find(kWords, text) != std::end(kWords);
}

// `value` is false for map keys: LLVM does not protect those from being taken for numbers.
Quoting quoting_for(std::string_view text, bool value) {
  if (text.empty()) return Quoting::Single;
  constexpr std::string_view kIndicators = "-?:\\,[]{}#&*!|>'\"%@`";
  constexpr std::string_view kSafe = "_-^., \t";
  Quoting needed = Quoting::None;
  if (kSpaces.contains(text.front()) || kSpaces.contains(text.back()) || kIndicators.contains(text.front()) ||
      (value && (looks_like_word(text) || looks_numeric(text))))
    needed = Quoting::Single;
  for (const char c : text) {
    if (is_alnum(c) || kSafe.contains(c)) continue;
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F) return Quoting::Double;
    needed = Quoting::Single;
  }
  return needed;
}

struct CodePoint {
  char32_t value;
  std::size_t bytes;  // 0: not UTF-8
};

CodePoint decode_utf8(std::string_view text) {
  const auto byte = [&](std::size_t at) -> unsigned { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return {0, 0};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (text.size() < length) return {0, 0};
  char32_t value = lead & (0x7Fu >> length);
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0u) != 0x80u) return {0, 0};
    value = (value << 6) | (byte(at) & 0x3Fu);
  }
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {0, 0};
  return {value, length};
}

// Code points beyond ASCII that are written as escapes: controls, format characters, separators, private use and
// noncharacters [Unicode, general categories Cc, Cf, Zl, Zp, Co; U+00AD is shown as it is, as LLVM does]. LLVM
// escapes unassigned code points too; which those are depends on its Unicode version, so they stay as they are.
struct CodeRange {
  char32_t first;
  char32_t last;
};
// clang-format off
constexpr CodeRange kEscaped[] = {
    {0x80, 0x9F},       {0x600, 0x605},     {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},
    {0x890, 0x891},     {0x8E2, 0x8E2},     {0x180E, 0x180E},   {0x200B, 0x200F},   {0x2028, 0x202E},
    {0x2060, 0x206F},   {0xE000, 0xF8FF},   {0xFDD0, 0xFDEF},   {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},
    {0xFFFE, 0xFFFF},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE00FF}, {0xE01F0, 0x10FFFF},
};
// clang-format on

bool escaped(char32_t value) {
  if (value > 0xFFFF && (value & 0xFFFE) == 0xFFFE) return true;
  return std::ranges::any_of(kEscaped,
                             [&](const CodeRange& range) { return value >= range.first && value <= range.last; });
}

struct ShortEscape {
  char32_t value;
  std::string_view text;
};
// clang-format off
constexpr ShortEscape kShortEscapes[] = {
    {'\\', "\\\\"}, {'"', "\\\""}, {0x00, "\\0"}, {0x07, "\\a"}, {0x08, "\\b"},
    {0x09, "\\t"},  {0x0A, "\\n"}, {0x0B, "\\v"}, {0x0C, "\\f"}, {0x0D, "\\r"},
    {0x1B, "\\e"},  {0x85, "\\N"}, {0xA0, "\\_"}, {0x2028, "\\L"}, {0x2029, "\\P"},
};
// clang-format on

std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    if (point.bytes == 0) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
      continue;
    }
    const auto* short_escape = std::ranges::find(kShortEscapes, point.value, &ShortEscape::value);
    // DEL differs from LLVM on purpose: LLVM writes it raw, which is not YAML.
    const bool ascii = point.value < 0x80;
    const bool shown = ascii ? point.value >= 0x20 && point.value != 0x7F : !escaped(point.value);
    if (short_escape != std::end(kShortEscapes)) {
      out += short_escape->text;
    } else if (shown) {
      out += text.substr(0, point.bytes);
    } else if (point.value <= 0xFF) {
      out += fmt::format("\\x{:02X}", std::uint32_t{point.value});
    } else if (point.value <= 0xFFFF) {
      out += fmt::format("\\u{:04X}", std::uint32_t{point.value});
    } else {
      out += fmt::format("\\U{:08X}", std::uint32_t{point.value});
    }
    text.remove_prefix(point.bytes);
  }
  out += '"';
  return out;
}

// Between `.amdgpu_metadata` and its end the assembler still cuts comments and knows only double-quoted strings:
// these would end a single-quoted scalar early. Observed with llvm-mc 16.
bool cut_by_assembler(std::string_view text) {
  return text.find_first_of(";\"") != std::string_view::npos || text.find("//") != std::string_view::npos ||
         text.find("/*") != std::string_view::npos || text.find("\\'") != std::string_view::npos ||
         text.ends_with('\\');
}

std::string quoted(std::string_view text, Quoting quoting) {
  if (quoting == Quoting::None) return std::string(text);
  if (quoting == Quoting::Double || cut_by_assembler(text)) return double_quoted(text);
  std::string out = "'";
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  out += '\'';
  return out;
}

// LLVM's form has six digits after the point; where those are not the number, the shortest that is.
std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-INF" : "INF";
  std::string text = fmt::format("{:e}", value);
  if (parse_real(text) != value) text = fmt::format("{}", value);
  return text;
}

struct ScalarText {
  std::string text;
  std::string_view tag;  // for when the text alone says something else
};

ScalarText scalar_text(const Node::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return {*text, "!str"};
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return {fmt::format("{}", *number), "!int"};
  if (const auto* number = std::get_if<std::int64_t>(&value)) return {fmt::format("{}", *number), "!int"};
  if (const auto* flag = std::get_if<bool>(&value)) return {*flag ? "true" : "false", "!bool"};
  if (const auto* number = std::get_if<double>(&value)) return {real_text(*number), "!float"};
  return {"", "!nil"};
}

}  // namespace

Scalar resolve_scalar(std::string_view text, std::string_view tag) {
  constexpr Scalar kMismatch{.status = ScalarStatus::Mismatch};
  constexpr Scalar kText{.kind = Token::Kind::Text};
  const auto real = [&](const Scalar& otherwise) {
    const auto value = parse_real(text);
    return value ? Scalar{ScalarStatus::Ok, Token::Kind::Real, std::bit_cast<std::uint64_t>(*value)} : otherwise;
  };
  const auto* row = std::ranges::find(kTags, tag, &TagName::name);
  switch (row == std::end(kTags) ? Tag::Unknown : row->tag) {
    case Tag::Unknown: return {.status = ScalarStatus::UnknownTag};
    case Tag::Nil: return {};
    case Tag::Text: return kText;
    case Tag::Integer: return parse_integer(text).value_or(kMismatch);
    case Tag::Boolean: return parse_bool(text).value_or(kMismatch);
    case Tag::Real: return real(kMismatch);
    case Tag::None: break;
  }
  if (is_plain_word(text)) return kText;
  if (const auto integer = parse_integer(text)) return *integer;
  if (const auto flag = parse_bool(text)) return *flag;
  return real(kText);
}

std::string yaml_key(std::string_view text) { return quoted(text, quoting_for(text, false)); }

std::string yaml_scalar(const Node& node) {
  ScalarText scalar = scalar_text(node.value);
  const bool is_text = std::holds_alternative<std::string>(node.value);
  // As in LLVM, the sign of an integer does not matter for its tag.
  const auto kind = [](Token::Kind of) { return of == Token::Kind::Negative ? Token::Kind::Unsigned : of; };
  const bool tagged = kind(resolve_scalar(scalar.text, "").kind) != kind(static_cast<Token::Kind>(node.value.index()));
  std::string out;
  if (tagged) {
    out += scalar.tag;
    out += ' ';
  }
  out += is_text || scalar.text.empty() ? quoted(scalar.text, quoting_for(scalar.text, true)) : std::move(scalar.text);
  return out;
}

bool is_ascii(std::string_view text) {
  // Eight bytes at once, the last eight whatever is there already.
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::uint64_t eight = 0, all = 0;
  if (text.size() >= sizeof eight) {
    for (std::size_t at = 0; at + sizeof eight < text.size(); at += sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      all |= eight;
    }
    std::memcpy(&eight, text.data() + text.size() - sizeof eight, sizeof eight);
    all |= eight;
  } else {
    for (const char c : text) all |= static_cast<unsigned char>(c);
  }
  return (all & kHighBits) == 0;
}

bool is_utf8(std::string_view text) {
  if (is_ascii(text)) return true;  // mostly all of it is
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    if (point.bytes == 0) return false;
    text.remove_prefix(point.bytes);
  }
  return true;
}

}  // namespace amdcompat::hsa
