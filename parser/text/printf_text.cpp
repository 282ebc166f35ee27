#include <amdcompat/text.hpp>

namespace amdcompat::text {

namespace {

// What AMD's runtime turns into control characters; the emitters write only the first two. [RT; BE]
struct Escape {
  char letter, value;
};
constexpr Escape kEscapes[] = {{'n', '\n'}, {'r', '\r'}, {'a', '\a'}, {'b', '\b'}, {'f', '\f'}, {'v', '\v'}};

}  // namespace

std::string decode_printf(std::string_view escaped) {
  std::string out;
  out.reserve(escaped.size());
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    char c = escaped[i];
    if (c == '\\' && i + 1 < escaped.size())
      for (const Escape& escape : kEscapes)
        if (escaped[i + 1] == escape.letter) {
          c = escape.value;
          ++i;
          break;
        }
    out += c;
  }
  return out;
}

std::string encode_printf(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else
      out += c;
  }
  return out;
}

}  // namespace amdcompat::text
