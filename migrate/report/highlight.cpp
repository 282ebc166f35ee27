#include "highlight.hpp"

#include <algorithm>
#include <array>

#include "xhtml.hpp"

namespace amdcompat::migrate {

namespace {

// [OpenCL C 1.2 §6.1.9, §6.5 to §6.8] and C99's.
constexpr auto kKeywords = std::to_array<std::string_view>(
    {"__attribute__", "__constant", "__global",  "__kernel", "__local",  "__private", "__read_only", "__write_only",
     "break",         "case",       "const",     "constant", "continue", "default",   "do",          "else",
     "enum",          "extern",     "for",       "global",   "goto",     "if",        "inline",      "kernel",
     "local",         "private",    "read_only", "restrict", "return",   "sizeof",    "static",      "struct",
     "switch",        "typedef",    "union",     "volatile", "while",    "write_only"});
constexpr auto kTypes = std::to_array<std::string_view>({"bool",
                                                         "char",
                                                         "double",
                                                         "event_t",
                                                         "float",
                                                         "half",
                                                         "image1d_array_t",
                                                         "image1d_buffer_t",
                                                         "image1d_t",
                                                         "image2d_array_t",
                                                         "image2d_t",
                                                         "image3d_t",
                                                         "int",
                                                         "intptr_t",
                                                         "long",
                                                         "ptrdiff_t",
                                                         "sampler_t",
                                                         "short",
                                                         "signed",
                                                         "size_t",
                                                         "uchar",
                                                         "uint",
                                                         "uintptr_t",
                                                         "ulong",
                                                         "unsigned",
                                                         "ushort",
                                                         "void"});
static_assert(std::ranges::is_sorted(kKeywords) && std::ranges::is_sorted(kTypes));

// What words of either list begin with: most names of a source are looked up in none.
constexpr auto kBegins = [] {
  std::array<bool, 256> out{};
  for (const std::string_view word : kKeywords) out[static_cast<unsigned char>(word[0])] = true;
  for (const std::string_view word : kTypes) out[static_cast<unsigned char>(word[0])] = true;
  return out;
}();
constexpr std::size_t kShortest =
    std::min(std::ranges::min(kKeywords, {}, &std::string_view::size).size(),
             std::ranges::min(kTypes, {}, &std::string_view::size).size());

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// "uint4" is a type as "uint" is.
bool is_type(std::string_view word) {
  if (std::ranges::binary_search(kTypes, word)) return true;
  for (const std::string_view lanes : {"16", "2", "3", "4", "8"})
    if (word.ends_with(lanes) && word.size() > lanes.size())
      return std::ranges::binary_search(kTypes, word.substr(0, word.size() - lanes.size()));
  return false;
}

// Where what begins at `at` ends, and its class; none: it is text.
struct Word {
  std::size_t end = 0;
  const char* kind = nullptr;
};
Word word_at(std::string_view text, std::size_t at, bool line_begins) {
  const auto upto = [&](std::string_view what, std::size_t from) {
    const std::size_t found = text.find(what, from);
    return found == text.npos ? text.size() : found;
  };
  const char c = text[at];
  const std::string_view rest = text.substr(at);
  if (c == '/' && rest.starts_with("//")) return {upto("\n", at), "c"};
  if (c == '/' && rest.starts_with("/*")) return {std::min(text.size(), upto("*/", at + 2) + 2), "c"};
  if (c == '#' && line_begins) return {upto("\n", at), "p"};
  if (c == '"' || c == '\'') {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != c && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
    return {std::min(text.size(), end + 1), "s"};
  }
  std::size_t end = at + 1;
  if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1]))) {
    // Of a hexadecimal number with an exponent, too: "0x1.8p-3f".
    const bool hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
    while (end < text.size() &&
           (is_word(text[end]) || text[end] == '.' ||
            ((text[end] == '-' || text[end] == '+') &&
             std::string_view(hexadecimal ? "pP" : "eE").find(text[end - 1]) != std::string::npos)))
      ++end;
    return {end, "n"};
  }
  if (!is_word(c)) return {end, nullptr};
  while (end < text.size() && is_word(text[end])) ++end;
  const std::string_view word = text.substr(at, end - at);
  if (word.size() < kShortest || !kBegins[static_cast<unsigned char>(word[0])]) return {end, nullptr};
  if (std::ranges::binary_search(kKeywords, word)) return {end, "k"};
  return {end, is_type(word) ? "t" : nullptr};
}

}  // namespace

void add_highlighted(pugi::xml_node parent, std::string_view source) {
  std::size_t plain = 0;  // text that waits
  bool line_begins = true;
  for (std::size_t at = 0; at < source.size();) {
    const Word word = word_at(source, at, line_begins);
    if (word.kind != nullptr) {
      if (plain != at) say(parent, source.substr(plain, at - plain));
      with(add(parent, "span", source.substr(at, word.end - at)), "class", word.kind);
      plain = word.end;
    }
    line_begins = source[word.end - 1] == '\n' ||
                  (line_begins && word.kind == nullptr && (source[at] == ' ' || source[at] == '\t'));
    at = word.end;
  }
  if (plain != source.size()) say(parent, source.substr(plain));
}

}  // namespace amdcompat::migrate
