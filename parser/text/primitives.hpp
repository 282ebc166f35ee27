// X3 primitives of the metadata grammars. Each is one field: it knows how the field is spelled, what to call it
// in a diagnostic, and records why it failed in the FieldContext. Measured against x3::uint_ and x3::symbols,
// custom primitives over the constexpr tables need about a quarter fewer instructions a line; recording the
// failure here instead of throwing at an expectation point costs nothing on good lines.
//
// Included by grammar_*.cpp only: this header costs about three seconds of compile time.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

// X3 has no rule to move a range into a string_view; it must see this overload before its own headers.
namespace boost::spirit::x3::traits {
template <typename Iterator>
inline void move_to(Iterator first, Iterator last, std::string_view& out) {
  out = std::string_view(first, static_cast<std::size_t>(last - first));
}
}  // namespace boost::spirit::x3::traits

#include <boost/fusion/include/adapt_struct.hpp>
#include <boost/spirit/home/x3.hpp>

#include "grammar.hpp"
#include "spellings.hpp"

namespace amdcompat::text::grammar {

namespace x3 = boost::spirit::x3;

struct ContextTag;

template <class Context>
FieldContext& fields(const Context& context) {
  return x3::get<ContextTag>(context);
}

// Characters that end a word: `:` before the next field; `;`, blanks and carriage returns stand in no word.
inline constexpr auto kEndsWord = [] {
  std::array<bool, 256> ends{};
  for (const char c : {':', ';', ' ', '\r'}) ends[static_cast<unsigned char>(c)] = true;
  return ends;
}();
inline const char* word_end(const char* at, const char* last) {
  while (at != last && !kEndsWord[static_cast<unsigned char>(*at)]) ++at;
  return at;
}

// End of the token that starts at `at`: what a diagnostic shows as found.
inline const char* token_end(const char* at, const char* last) {
  const char* end = at;
  while (end != last && *end != ':' && *end != ';') ++end;
  return end;
}

// `:` between two fields.
struct Separator : x3::parser<Separator> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;
  template <class Context, class RuleContext, class Attribute>
  bool parse(const char*& first, const char* const& last, const Context& context, RuleContext&, Attribute&) const {
    if (first != last && *first == ':') {
      ++first;
      return true;
    }
    return fields(context).fail(Code::MissingField, first, first == last ? first : token_end(first + 1, last),
                                "':' and a further field");
  }
};
inline constexpr Separator separator{};

// Unsigned decimal number of at most 32 bits, ending at `:` or the line's end.
inline bool read_number(const char*& first, const char* last, FieldContext& context, const char* name,
                        std::uint32_t& out) {
  const char* at = first;
  std::uint64_t value = 0;
  while (at != last && static_cast<unsigned char>(*at - '0') <= 9) {
    value = value * 10 + static_cast<unsigned>(*at - '0');
    ++at;
  }
  const auto digits = at - first;
  if (at != last && *at != ':' && *at != ';' && *at != ' ' && *at != '\t') {
    const bool negative = digits == 0 && *at == '-' && at + 1 != last && static_cast<unsigned char>(at[1] - '0') <= 9;
    return context.fail(negative ? Code::NegativeNumber : Code::NotANumber, first, token_end(first, last), name);
  }
  if (digits == 0) return context.fail(Code::MissingField, first, first, name);
  // More than 19 digits may have wrapped back into range, unless all but the last ten are leading zeros.
  const bool wrapped = digits > 19 && std::find_if(first, at, [](char c) { return c != '0'; }) < at - 10;
  if (wrapped || value > std::numeric_limits<std::uint32_t>::max())
    return context.fail(Code::NumberTooLarge, first, at, name);
  if (digits > 1 && *first == '0') {
    context.canonical = false;
    if (digits > 16) context.long_number = first;
  }
  first = at;
  out = static_cast<std::uint32_t>(value);
  return true;
}

struct NumberField : x3::parser<NumberField> {
  using attribute_type = std::uint32_t;
  static constexpr bool has_attribute = true;
  const char* name;
  constexpr explicit NumberField(const char* field) : name(field) {}
  template <class Context, class RuleContext, class Attribute>
  bool parse(const char*& first, const char* const& last, const Context& context, RuleContext&, Attribute& out) const {
    std::uint32_t value = 0;
    if (!read_number(first, last, fields(context), name, value)) return false;
    x3::traits::move_to(value, out);
    return true;
  }
};
constexpr NumberField number(const char* field) { return NumberField(field); }

// `:number`, or nothing at the line's end.
struct OptionalNumberField : x3::parser<OptionalNumberField> {
  using attribute_type = std::optional<std::uint32_t>;
  static constexpr bool has_attribute = true;
  const char* name;
  constexpr explicit OptionalNumberField(const char* field) : name(field) {}
  template <class Context, class RuleContext, class Attribute>
  bool parse(const char*& first, const char* const& last, const Context& context, RuleContext&, Attribute& out) const {
    if (first == last || *first != ':') return true;
    ++first;
    std::uint32_t value = 0;
    if (!read_number(first, last, fields(context), name, value)) return false;
    out = value;
    return true;
  }
};
constexpr OptionalNumberField optional_number(const char* field) { return OptionalNumberField(field); }

// `:0`, `:1`, or nothing at the line's end.
struct OptionalBitField : x3::parser<OptionalBitField> {
  using attribute_type = std::optional<bool>;
  static constexpr bool has_attribute = true;
  const char* name;
  constexpr explicit OptionalBitField(const char* field) : name(field) {}
  template <class Context, class RuleContext, class Attribute>
  bool parse(const char*& first, const char* const& last, const Context& context, RuleContext&, Attribute& out) const {
    if (first == last || *first != ':') return true;
    const char* at = first + 1;
    const char* end = word_end(at, last);
    if (at == end) return fields(context).fail(Code::MissingField, at, at, name);
    if (end - at != 1 || (*at != '0' && *at != '1'))
      return fields(context).fail(Code::UnknownSpelling, at, token_end(at, last), name);
    out = *at == '1';
    first = end;
    return true;
  }
};
constexpr OptionalBitField optional_bit(const char* field) { return OptionalBitField(field); }

// A word up to `:` or the line's end, without blanks and `;`. Never empty.
struct NameField : x3::parser<NameField> {
  using attribute_type = std::string_view;
  static constexpr bool has_attribute = true;
  const char* name;
  constexpr explicit NameField(const char* field) : name(field) {}
  template <class Context, class RuleContext, class Attribute>
  bool parse(const char*& first, const char* const& last, const Context& context, RuleContext&, Attribute& out) const {
    const char* const at = word_end(first, last);
    if (at == first) return fields(context).fail(Code::MissingField, first, first, name);
    if (at != last && *at == ' ') {
      // Trailing blanks are trailing text; a blank inside the field is not a name.
      const char* next = at;
      while (next != last && *next == ' ') ++next;
      if (next != last && *next != ';' &&
          std::string_view(next, static_cast<std::size_t>(last - next)).find(':') != std::string_view::npos)
        return fields(context).fail(Code::UnknownSpelling, first, token_end(first, last), name);
    }
    x3::traits::move_to(std::string_view(first, static_cast<std::size_t>(at - first)), out);
    first = at;
    return true;
  }
};
constexpr NameField name_of(const char* field) { return NameField(field); }

// Everything up to the line's end; may hold blanks and `:`; may be empty.
struct RestField : x3::parser<RestField> {
  using attribute_type = std::string_view;
  static constexpr bool has_attribute = true;
  template <class Context, class RuleContext, class Attribute>
  bool parse(const char*& first, const char* const& last, const Context&, RuleContext&, Attribute& out) const {
    x3::traits::move_to(std::string_view(first, static_cast<std::size_t>(last - first)), out);
    first = last;
    return true;
  }
};
inline constexpr RestField rest{};

// One word of a closed set. `quiet` leaves the report to the next alternative.
template <const auto& table>
struct SpellingField : x3::parser<SpellingField<table>> {
  using attribute_type = std::remove_cvref_t<decltype(table[0].value)>;
  static constexpr bool has_attribute = true;
  const char* name;
  bool quiet;
  constexpr SpellingField(const char* field, bool is_quiet) : name(field), quiet(is_quiet) {}
  template <class Context, class RuleContext, class Attribute>
  bool parse(const char*& first, const char* const& last, const Context& context, RuleContext&, Attribute& out) const {
    const char* const at = word_end(first, last);
    if (const auto* value = find_spelling<table>(std::string_view(first, static_cast<std::size_t>(at - first)))) {
      x3::traits::move_to(attribute_type(*value), out);
      first = at;
      return true;
    }
    if (quiet) return false;
    return fields(context).fail(at == first ? Code::MissingField : Code::UnknownSpelling, first, token_end(first, last),
                                name);
  }
};
template <const auto& table>
constexpr SpellingField<table> one_of(const char* field) {
  return SpellingField<table>(field, false);
}
template <const auto& table>
constexpr SpellingField<table> quietly_one_of(const char* field) {
  return SpellingField<table>(field, true);
}

// `:RO`, `:RW`, `:WO`, or nothing at the line's end.
struct OptionalAccessField : x3::parser<OptionalAccessField> {
  using attribute_type = Access;
  static constexpr bool has_attribute = true;
  template <class Context, class RuleContext, class Attribute>
  bool parse(const char*& first, const char* const& last, const Context& context, RuleContext&, Attribute& out) const {
    if (first == last || *first != ':') return true;
    const char* const at = first + 1;
    const char* const end = word_end(at, last);
    const Access* value = find_spelling<kAccesses>(std::string_view(at, static_cast<std::size_t>(end - at)));
    if (value == nullptr)
      return fields(context).fail(at == end ? Code::MissingField : Code::UnknownSpelling, at, token_end(at, last),
                                  "an access qualifier (RO, RW or WO)");
    x3::traits::move_to(Access(*value), out);
    first = end;
    return true;
  }
};
inline constexpr OptionalAccessField optional_access{};

template <class Rule, class Attribute>
bool run(const Rule& rule, const char*& first, const char* last, FieldContext& context, Attribute& out) {
  return x3::parse(first, last, x3::with<ContextTag>(context)[rule], out);
}

}  // namespace amdcompat::text::grammar
