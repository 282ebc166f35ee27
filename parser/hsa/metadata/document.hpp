// A document as its readers find it: the values in their order, one token each. Private to this module.
//
// Both readers feed a DocumentBuilder, so that depth, size and keys that are not text are judged in one place, and
// every finding has a path. What the key tables know goes from tokens straight into the model; a tree is built only of
// what they do not know. Nothing here recurses but the making of a tree and its sorting, which the depth limit bounds.
#pragma once

#include <bit>
#include <compare>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/hsa.hpp>

namespace amdcompat::hsa {

// One value, or a key. The values of a list follow it, and the keys and values of a map in turns.
struct Token {
  // In the order of Node::Value's alternatives.
  enum class Kind : std::uint8_t { Nil, Boolean, Unsigned, Negative, Real, Text, List, Map };
  Kind kind = Kind::Nil;
  std::uint32_t end = 0;  // index of the token behind the value and all in it
  SourceRange where;
  std::uint64_t number = 0;  // the number's bits; bytes of a text; elements of a list, entries of a map
  const char* text = nullptr;

  [[nodiscard]] std::string_view view() const { return {text, number}; }
};

struct Document {
  std::vector<Token> tokens;  // the first is the root
  std::deque<std::string> texts;  // those that do not stand in the input as they are
};

// The value at `index` as a tree: maps sorted by key. Second values of a key are reported, and left out. `path` is that
// of the value.
[[nodiscard]] Node to_tree(const Document& document, std::size_t index, std::string path, Diagnostics& diagnostics);
// The values with the entries of each map sorted by key, and only the first of each key: what `to_tree` reports of the
// others is reported.
[[nodiscard]] Document sorted(Document document, Diagnostics& diagnostics);
// The tokens of a tree. Texts are those of the tree, which has to outlive the document.
[[nodiscard]] Document to_document(const Node& root);

// Whether two short texts are the same: keys and spellings, for which a call of `memcmp` takes longer than comparing.
[[nodiscard]] inline bool is_same(std::string_view a, std::string_view b) {
  const auto differ = [&]<class Word>(Word, std::size_t at) {
    Word x, y;
    std::memcpy(&x, a.data() + at, sizeof x);
    std::memcpy(&y, b.data() + at, sizeof y);
    return x != y;
  };
  constexpr std::size_t kLong = sizeof(std::uint64_t), kWord = sizeof(std::uint32_t);
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size >= kLong) {
    for (std::size_t at = 0; at + kLong < size; at += kLong)
      if (differ(std::uint64_t{}, at)) return false;
    return !differ(std::uint64_t{}, size - kLong);
  }
  if (size >= kWord) return !differ(std::uint32_t{}, 0) && !differ(std::uint32_t{}, size - kWord);
  for (std::size_t at = 0; at < size; ++at)
    if (a[at] != b[at]) return false;
  return true;
}

// Orders of keys begin with that of their first eight bytes as one number, those of a shorter key being followed by 0:
// keys of metadata rarely agree in more.
[[nodiscard]] inline std::uint64_t first_bytes(std::string_view key) {
  const auto load = [&]<class Word>(Word, std::size_t at) {
    Word out;
    std::memcpy(&out, key.data() + at, sizeof out);
    return std::uint64_t{std::endian::native == std::endian::little ? std::byteswap(out) : out};
  };
  constexpr std::size_t kAll = sizeof(std::uint64_t), kHalf = sizeof(std::uint32_t);
  if (key.size() >= kAll) return load(std::uint64_t{}, 0);
  // Two words of four that overlap: what both have is the same.
  if (key.size() >= kHalf)
    return load(std::uint32_t{}, 0) << 32 | load(std::uint32_t{}, key.size() - kHalf) << 8 * (kAll - key.size());
  std::uint64_t out = 0;
  for (std::size_t at = 0; at < key.size(); ++at)
    out |= std::uint64_t{static_cast<unsigned char>(key[at])} << 8 * (kAll - 1 - at);
  return out;
}
struct KeyOrder {
  std::uint64_t first = 0;
  std::string_view key;
  std::size_t place = 0;  // of keys that are the same, the first in the document comes first
  KeyOrder(std::string_view of, std::size_t at) : first(first_bytes(of)), key(of), place(at) {}
  friend auto operator<=>(const KeyOrder&, const KeyOrder&) = default;
  [[nodiscard]] bool same_key(const KeyOrder& other) const { return first == other.first && key == other.key; }
};

class DocumentBuilder {
 public:
  DocumentBuilder(Diagnostics& diagnostics, const ReadOptions& options);
  // About how many values there will be.
  void reserve(std::size_t values) { document_.tokens.reserve(values); }

  // Each is told the bytes of its value, relative to the input's start, and gives false when reading must stop; the
  // reason has been reported. Inside a map keys and values take turns, and a key is a scalar that holds text.
  bool scalar(Token::Kind kind, std::uint64_t bits, std::size_t begin, std::size_t end);
  // `text` has to outlive the document.
  bool text(std::string_view text, std::size_t begin, std::size_t end);
  bool copy(std::string text, std::size_t begin, std::size_t end);
  bool begin_list(std::size_t begin) { return open(Token::Kind::List, begin); }
  bool begin_map(std::size_t begin) { return open(Token::Kind::Map, begin); }
  bool end(std::size_t end);

  // A scalar now would be a key.
  [[nodiscard]] bool at_key() const { return !stack_.empty() && stack_.back().is_map && !stack_.back().has_key; }
  // Reports at these bytes, with the path of the value that is being read.
  void report(Code code, std::size_t begin, std::size_t end, std::string message);
  [[nodiscard]] bool finished() const { return stack_.empty() && !document_.tokens.empty(); }
  // The whole document, once finished().
  [[nodiscard]] Document take() { return std::move(document_); }

 private:
  struct Frame {
    std::size_t token;
    bool is_map;
    bool has_key = false;
    std::size_t key = 0;  // token of the last key
    std::uint32_t count = 0;  // elements or entries so far
  };

  bool open(Token::Kind kind, std::size_t begin);
  bool add(const Token& token);
  void took_value();
  [[nodiscard]] std::string path() const;
  [[nodiscard]] SourceRange range(std::size_t begin, std::size_t end) const;

  Diagnostics& diagnostics_;
  ReadOptions options_;
  Document document_;
  std::vector<Frame> stack_;
};

[[nodiscard]] std::string_view kind_name(Token::Kind kind);

}  // namespace amdcompat::hsa
