// Data segments and printf formats.
//
//   #DATASTART:SIZE | #DATASTART:CB:SIZE
//   #TYPE:OFFSET:COUNT:word:word:…      words in lower-case hex without 0x
//   #DATAEND | #DATAEND:CB
//   printf_fmt:ID:N:S1:…:SN:LENGTH:FORMAT;
//
// Sizes, offsets and counts are decimal. The 2009 specification's examples write integer words in decimal; real
// compilers write all words in hex, and AMD's runtime reads them so. [SPEC «Data Segment», «Printf information»;
// BE AMDILModuleInfo.cpp; RT gpuprogram.cpp initGlobalData, parseFuncMetadata]
#include "primitives.hpp"

namespace amdcompat::text::grammar {

struct DataHead {
  std::string_view type;
  std::uint32_t offset = 0, count = 0;
};
struct TwoNumbers {
  std::uint32_t first = 0;
  std::optional<std::uint32_t> second;
};

// `:word` zero or more times, appended to the context's words.
struct WordList : x3::parser<WordList> {
  using attribute_type = std::uint32_t;
  static constexpr bool has_attribute = true;
  template <class Context, class RuleContext, class Attribute>
  bool parse(const char*& first, const char* const& last, const Context& context, RuleContext&, Attribute& out) const {
    FieldContext& field = fields(context);
    std::uint32_t stored = 0;
    while (first != last && *first == ':') {
      ++first;
      if (!read_word(first, last, field)) return false;
      ++stored;
    }
    x3::traits::move_to(stored, out);
    return true;
  }

 private:
  static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 16;
  }
  static bool read_word(const char*& first, const char* last, FieldContext& field) {
    const int radix = field.decimal_words ? 10 : 16;
    const char* at = first;
    std::uint64_t value = 0;
    bool overflow = false;
    for (int d; at != last && (d = digit(*at)) < radix; ++at) {
      if (*at >= 'A' && *at <= 'F' && field.upper_case_hex == nullptr) field.upper_case_hex = at;
      overflow |=
          value > (std::numeric_limits<std::uint64_t>::max() - static_cast<unsigned>(d)) / static_cast<unsigned>(radix);
      value = value * static_cast<unsigned>(radix) + static_cast<unsigned>(d);
    }
    const char* const name = field.decimal_words ? "a decimal data word" : "a hexadecimal data word";
    if (at == first || (at != last && *at != ':' && *at != ' '))
      return field.fail(at == first && (at == last || *at == ':') ? Code::MissingField : Code::BadHex, first,
                        token_end(first, last), name);
    if (overflow || (field.word_bytes < 8 && (value >> (8 * field.word_bytes)) != 0))
      return field.fail(Code::DataWordTooLarge, first, at, "a word as wide as its element type");
    if (at - first > 1 && *first == '0') {
      field.canonical = false;
      if (at - first > 16) field.long_number = first;
    }
    field.words->push_back(value);
    first = at;
    return true;
  }
};
inline constexpr WordList word_list{};

// The sizes announced by a printf format: exactly context.list_limit numbers, each behind its `:`.
struct SizeList : x3::parser<SizeList> {
  using attribute_type = std::uint32_t;
  static constexpr bool has_attribute = true;
  template <class Context, class RuleContext, class Attribute>
  bool parse(const char*& first, const char* const& last, const Context& context, RuleContext&, Attribute& out) const {
    FieldContext& field = fields(context);
    for (std::uint32_t i = 0; i < field.list_limit; ++i) {
      std::uint32_t value = 0;
      if (first == last || *first != ':')
        return field.fail(Code::MissingField, first, token_end(first, last), "a printf argument size in bytes");
      ++first;
      if (!read_number(first, last, field, "a printf argument size in bytes", value)) return false;
      field.ids->push_back(value);
    }
    x3::traits::move_to(std::uint32_t(field.list_limit), out);
    return true;
  }
};
inline constexpr SizeList size_list{};

x3::rule<class DataHeadRule, DataHead> const data_head = "data";
x3::rule<class DataStartRule, TwoNumbers> const data_start = "DATASTART";
x3::rule<class PrintfHeadRule, TwoNumbers> const printf_head = "printf_fmt";
x3::rule<class WordsRule, std::uint32_t> const words_rule = "data words";
x3::rule<class SizesRule, std::uint32_t> const sizes_rule = "printf sizes";

auto const data_head_def = name_of("a data type") >> separator >> number("an offset in bytes") >> separator >>
                           number("a count of data words");
auto const data_start_def = number("a size in bytes") >> optional_number("a size in bytes");
auto const printf_head_def = number("a printf id") >> optional_number("a number of printf arguments");
auto const words_rule_def = word_list;
auto const sizes_rule_def = size_list;

BOOST_SPIRIT_DEFINE(data_head, data_start, printf_head, words_rule, sizes_rule)

}  // namespace amdcompat::text::grammar

BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::grammar::DataHead, type, offset, count)
BOOST_FUSION_ADAPT_STRUCT(amdcompat::text::grammar::TwoNumbers, first, second)

namespace amdcompat::text {

bool parse_data_start(const char*& first, const char* last, FieldContext& context, DataStart& out) {
  grammar::TwoNumbers numbers;
  if (!grammar::run(grammar::data_start, first, last, context, numbers)) return false;
  if (numbers.second) {
    out.constant_buffer = numbers.first;
    out.size = *numbers.second;
  } else {
    out.size = numbers.first;
  }
  return true;
}

bool parse_data_end(const char*& first, const char* last, FieldContext& context, std::optional<std::uint32_t>& out) {
  return grammar::run(grammar::optional_number("a constant buffer number"), first, last, context, out);
}

bool parse_data_words(const char*& first, const char* last, FieldContext& context, DataWords& out) {
  const char* const start = first;
  grammar::DataHead head;
  if (!grammar::run(grammar::data_head, first, last, context, head)) return false;
  std::string_view type = head.type;
  out.lanes = 1;
  // `v3i32` is the 2009 specification's alias; real compilers write the scalar type and count the padding lane.
  if (type.size() > 2 && type[0] == 'v') {
    for (const std::uint32_t lanes : {16u, 8u, 4u, 3u, 2u}) {
      const std::size_t digits = lanes == 16 ? 2 : 1;
      if (type.substr(1, digits) != (lanes == 16 ? "16" : lanes == 8 ? "8" : lanes == 4 ? "4" : lanes == 3 ? "3" : "2"))
        continue;
      type.remove_prefix(1 + digits);
      out.lanes = lanes;
      break;
    }
  }
  const ScalarType* scalar = find_spelling<kScalarTypes>(type);
  const std::uint32_t width = scalar == nullptr                                               ? 0
                              : *scalar == ScalarType::Struct || *scalar == ScalarType::Union ? 1
                                                                                              : scalar_size(*scalar);
  if (width == 0)
    return context.fail(Code::UnknownSpelling, start, start + head.type.size(),
                        "a data type (i8 … u64, half, float, double, struct, union, or vN of one)");
  out.type = *scalar;
  out.offset = head.offset;
  out.count = head.count;
  out.first = static_cast<std::uint32_t>(context.words->size());
  out.stored = 0;
  context.word_bytes = width;
  const bool integer = *scalar != ScalarType::Float && *scalar != ScalarType::Double && *scalar != ScalarType::Half;
  context.decimal_words = context.decimal_words && integer;
  // The compilers' own misspelling. [BET CodeGen/AMDIL]
  static constexpr std::string_view kUninitialised = " <uninitalized constant>";
  if (std::string_view(first, static_cast<std::size_t>(last - first)).starts_with(kUninitialised)) {
    first += kUninitialised.size();
    out.uninitialised = true;
    return true;
  }
  if (!grammar::run(grammar::words_rule, first, last, context, out.stored)) {
    context.words->resize(out.first);
    return false;
  }
  return true;
}

bool parse_printf(const char*& first, const char* last, FieldContext& context, PrintfFmt& out) {
  grammar::TwoNumbers head;
  if (!grammar::run(grammar::printf_head, first, last, context, head)) return false;
  if (!head.second) return context.fail(Code::MissingField, first, first, "a number of printf arguments");
  out.id = head.first;
  out.count = *head.second;
  out.first = static_cast<std::uint32_t>(context.ids->size());
  if (out.count > context.list_limit)
    return context.fail(Code::ListTooLong, first, first, "no more printf arguments than the limit");
  context.list_limit = out.count;
  if (!grammar::run(grammar::sizes_rule, first, last, context, out.stored)) {
    context.ids->resize(out.first);
    return false;
  }
  if (first == last || *first != ':')
    return context.fail(Code::MissingField, first, first, "the format's length in characters");
  ++first;
  if (!grammar::read_number(first, last, context, "the format's length in characters", out.length)) return false;
  if (first == last || *first != ':') return context.fail(Code::MissingField, first, first, "the format string");
  ++first;
  // LENGTH counts decoded characters: an escape of CR, LF and the like is one. Any other backslash stands for
  // itself. The format may hold ':' and ';'. [RT gpuprogram.cpp parseFuncMetadata]
  const char* const start = first;
  const char* at = first;
  std::uint32_t characters = 0;
  for (; characters < out.length && at != last; ++characters) {
    const bool escape =
        *at == '\\' && at + 1 != last && std::string_view("nrabfv").find(at[1]) != std::string_view::npos;
    at += escape ? 2 : 1;
  }
  if (characters == out.length && at != last && *at == ';') {
    out.escaped = {start, static_cast<std::size_t>(at - start)};
    first = at + 1;
    return true;
  }
  // AMD's runtime fails the build here. The format still ends at the line's last `;`.
  context.canonical = false;
  const std::string_view tail(start, static_cast<std::size_t>(last - start));
  const std::size_t semicolon = tail.rfind(';');
  out.escaped = tail.substr(0, semicolon);
  first = last;
  context.failure = {semicolon == std::string_view::npos ? Code::PrintfUnterminated : Code::PrintfLength, start, last,
                     "a format of the announced length and ';'"};
  return true;
}

}  // namespace amdcompat::text
