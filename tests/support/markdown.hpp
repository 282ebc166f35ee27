// Pages in Markdown.
#pragma once

#include <cctype>
#include <string>
#include <string_view>

namespace amdcompat_test {

// What a link to a heading names, as GitHub and Python-Markdown make it of the heading's words.
inline std::string anchor(std::string_view heading) {
  std::string out;
  for (const char c : heading)
    if (const auto byte = static_cast<unsigned char>(c); std::isalnum(byte) != 0 || c == '_' || c == '-')
      out += static_cast<char>(std::tolower(byte));
    else if (c == ' ')
      out += '-';
  return out;
}

}  // namespace amdcompat_test
