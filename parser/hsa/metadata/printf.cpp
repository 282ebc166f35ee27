// The printf strings of V2 and later: `ID:N:S[0]:...:S[N-1]:Format`. [S1 "Printf"; LP]
//
// The fields are separated by colons and so is the format from them, hence a colon in the format is written `\72`
// (octal), and the control characters a C string has letters for as those. Nothing else is escaped: a backslash
// stands for itself, so the form cannot hold every text.
#include <charconv>
#include <memory>

#include <fmt/format.h>

#include <amdcompat/hsa.hpp>

namespace amdcompat::hsa {
namespace {

struct Escape {
  char character;
  std::string_view text;
};
// [LP; RC]: what LLVM writes and ROCclr decodes.
constexpr Escape kEscapes[] = {{'\a', "\\a"}, {'\b', "\\b"}, {'\f', "\\f"}, {'\n', "\\n"},
                               {'\r', "\\r"}, {'\v', "\\v"}, {':', "\\72"}};

const Escape* escape_of(char character) {
  for (const Escape& escape : kEscapes)
    if (escape.character == character) return &escape;
  return nullptr;
}

const Escape* escape_at(std::string_view text) {
  for (const Escape& escape : kEscapes)
    if (text.starts_with(escape.text)) return &escape;
  return nullptr;
}

// The number before the next colon, which is consumed with it; nothing is consumed when there is none.
std::optional<std::uint32_t> take_number(std::string_view& rest) {
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view digits = rest.substr(0, colon);
  const char* const end = std::to_address(digits.end());
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(std::to_address(digits.begin()), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  rest.remove_prefix(colon + 1);
  return value;
}

// `<16 hex digits>,` begins what the hostcall variant puts behind `0:0:`. [LP]
bool is_hostcall(std::string_view format) {
  constexpr std::size_t kDigits = 16;
  return format.size() > kDigits && format[kDigits] == ',' &&
         format.substr(0, kDigits).find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

}  // namespace

std::string encode_printf(std::uint32_t id, std::span<const std::uint32_t> sizes, std::string_view format) {
  std::string out = fmt::format("{}:{}:", id, sizes.size());
  for (const std::uint32_t size : sizes) out += fmt::format("{}:", size);
  for (const char c : format) {
    const Escape* escape = escape_of(c);
    if (escape != nullptr)
      out += escape->text;
    else
      out += c;
  }
  return out;
}

Result<PrintfString> decode_printf(std::string_view text) {
  PrintfString out;
  std::string_view rest = text;
  const auto id = take_number(rest);
  const auto count = id ? take_number(rest) : std::nullopt;
  if (!count)
    return std::unexpected(make_diagnostic(Code::HsaPrintfForm, {},
                                           fmt::format("expected ID:N:..., with decimal numbers, found '{}'", text)));
  out.id = *id;
  out.arguments = *count;
  while (out.sizes.size() < out.arguments) {
    const auto size = take_number(rest);
    if (!size) break;
    out.sizes.push_back(*size);
  }
  out.hostcall = out.id == 0 && out.arguments == 0 && is_hostcall(rest);
  out.raw_colon = rest.contains(':');
  while (!rest.empty()) {
    const Escape* escape = escape_at(rest);
    out.format += escape != nullptr ? escape->character : rest.front();
    rest.remove_prefix(escape != nullptr ? escape->text.size() : 1);
  }
  return out;
}

bool printf_format_survives(std::string_view format) {
  for (std::size_t at = format.find('\\'); at != std::string_view::npos; at = format.find('\\', at + 1))
    if (escape_at(format.substr(at)) != nullptr) return false;
  return true;
}

}  // namespace amdcompat::hsa
