#include "launch_values.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace amdcompat::cli {

namespace {

using Json = nlohmann::ordered_json;
using Kind = ElementType::Kind;

struct Named {
  std::string_view name;
  Kind kind;
  unsigned bytes;
};
constexpr Named kTypes[] = {
    {"char", Kind::Signed, 1},     {"uchar", Kind::Unsigned, 1}, {"short", Kind::Signed, 2},
    {"ushort", Kind::Unsigned, 2}, {"int", Kind::Signed, 4},     {"uint", Kind::Unsigned, 4},
    {"long", Kind::Signed, 8},     {"ulong", Kind::Unsigned, 8}, {"half", Kind::Float, 2},
    {"float", Kind::Float, 4},     {"double", Kind::Float, 8},   {"size_t", Kind::Unsigned, 8},
    {"bool", Kind::Unsigned, 4},   {"i8", Kind::Signed, 1},      {"u8", Kind::Unsigned, 1},
    {"i16", Kind::Signed, 2},      {"u16", Kind::Unsigned, 2},   {"i32", Kind::Signed, 4},
    {"u32", Kind::Unsigned, 4},    {"i64", Kind::Signed, 8},     {"u64", Kind::Unsigned, 8},
};

// To the nearest half, ties to even.
std::uint16_t to_half(double value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
  const double size = std::fabs(value);
  if (size == 0) return sign;
  if (size >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  int exponent = 0;
  std::frexp(size, &exponent);
  exponent = std::max(exponent - 1, -14);  // denormal below
  const double step = std::ldexp(1.0, exponent - 10);
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(size / step));
  // A rounding that reaches 2048 steps carries into the exponent by itself.
  const std::uint32_t bits =
      exponent == -14 && steps < 1024 ? steps : (static_cast<std::uint32_t>(exponent + 15) << 10) + (steps - 1024);
  return static_cast<std::uint16_t>(sign | bits);
}

std::uint64_t most_of(unsigned bytes) { return ~std::uint64_t{0} >> (64 - 8 * bytes); }

std::expected<std::uint64_t, std::string> bits_of(const Json& value, const ElementType& type) {
  const auto wrong = [&](std::string_view what) {
    return std::unexpected(
        fmt::format("expected {} of {} bits, as a number or as bits such as \"0x3f\"", what, 8 * type.bytes));
  };
  if (value.is_string()) {
    std::string_view text = value.get_ref<const std::string&>();
    if (type.kind == Kind::Float && (text == "nan" || text == "inf" || text == "-inf"))
      return bits_of(Json(text == "nan"   ? std::numeric_limits<double>::quiet_NaN()
                          : text == "inf" ? std::numeric_limits<double>::infinity()
                                          : -std::numeric_limits<double>::infinity()),
                     type);
    std::uint64_t bits = 0;
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex) text.remove_prefix(2);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits, hex ? 16 : 10);
    if ((!hex && type.kind == Kind::Float) || error != std::errc{} || end != text.data() + text.size() ||
        bits > most_of(type.bytes))
      return wrong(type.kind == Kind::Float ? "a floating-point value" : "an integer");
    return bits;
  }
  if (type.kind == Kind::Float) {
    if (!value.is_number()) return wrong("a floating-point value");
    const double number = value.get<double>();
    if (type.bytes == 8) return std::bit_cast<std::uint64_t>(number);
    if (type.bytes == 4) return std::bit_cast<std::uint32_t>(static_cast<float>(number));
    return to_half(number);
  }
  if (value.is_boolean()) return value.get<bool>() ? 1u : 0u;
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > (type.kind == Kind::Signed ? most_of(type.bytes) >> 1 : most_of(type.bytes)))
      return wrong("an integer");
    return number;
  }
  if (!value.is_number_integer() || type.kind != Kind::Signed) return wrong("an integer");
  const auto number = value.get<std::int64_t>();
  if (number < -static_cast<std::int64_t>(most_of(type.bytes) >> 1) - 1) return wrong("an integer");
  return static_cast<std::uint64_t>(number) & most_of(type.bytes);
}

}  // namespace

std::optional<ElementType> element_type(std::string_view name) {
  for (const std::string_view qualifier : {"const ", "volatile "})
    if (name.starts_with(qualifier)) name.remove_prefix(qualifier.size());
  std::string spelled(name);
  if (spelled.starts_with("unsigned ")) spelled.replace(0, 9, "u");
  for (const unsigned lanes : {16u, 8u, 4u, 3u, 2u}) {
    const std::string ending = fmt::format("{}", lanes);
    if (!spelled.ends_with(ending) || spelled.size() < 4 || spelled.starts_with("i") != spelled.starts_with("in"))
      continue;
    const std::string base = spelled.substr(0, spelled.size() - ending.size());
    const auto* const row = std::ranges::find(kTypes, std::string_view(base), &Named::name);
    if (row == std::end(kTypes)) continue;
    return ElementType{row->kind, row->bytes, lanes};
  }
  const auto* const row = std::ranges::find(kTypes, std::string_view(spelled), &Named::name);
  if (row == std::end(kTypes)) return std::nullopt;
  return ElementType{row->kind, row->bytes, 1};
}

std::expected<std::vector<std::byte>, std::string> encode_value(const Json& value, const ElementType& type,
                                                                bool whole) {
  std::vector<std::byte> out;
  const auto put = [&](std::uint64_t bits) {
    for (unsigned n = 0; n < type.bytes; ++n) out.push_back(static_cast<std::byte>(bits >> (8 * n) & 255));
  };
  const std::size_t count = value.is_array() ? value.size() : 1;
  if (whole && count != type.lanes && count != 1)
    return std::unexpected(fmt::format("expected {} numbers, or one for all of them", type.lanes));
  for (std::size_t n = 0; n < (whole ? type.lanes : count); ++n) {
    const auto bits = bits_of(!value.is_array() ? value : value[count == 1 ? 0 : n], type);
    if (!bits) return std::unexpected(bits.error());
    put(*bits);
    if (type.lanes == 3 && n % 3 == 2) put(0);  // three lanes are stored as four
  }
  return out;
}

}  // namespace amdcompat::cli
