#include "document.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "schema.hpp"

namespace amdcompat::hsa {
namespace {

// The writers and a tree's destructor recurse, so that even a caller's own limit has one.
constexpr std::size_t kDeepest = 500;

class TreeMaker {
 public:
  TreeMaker(const Document& document, std::string path, Diagnostics& diagnostics)
      : tokens_(document.tokens), path_(std::move(path)), diagnostics_(diagnostics) {}

  Node make(std::size_t index) {
    const Token& token = tokens_[index];
    return {value(token, index + 1), {token.where}};
  }

 private:
  Node::Value value(const Token& token, std::size_t first) {
    switch (token.kind) {
      case Token::Kind::Nil: return Node::Nil{};
      case Token::Kind::Boolean: return token.number != 0;
      case Token::Kind::Unsigned: return token.number;
      case Token::Kind::Negative: return static_cast<std::int64_t>(token.number);
      case Token::Kind::Real: return std::bit_cast<double>(token.number);
      case Token::Kind::Text: return std::string(token.view());
      case Token::Kind::List: return list(token, first);
      case Token::Kind::Map: return map(token, first);
    }
    return Node::Nil{};
  }

  Node::Array list(const Token& token, std::size_t at) {
    Node::Array out;
    out.reserve(token.number);
    const std::size_t length = path_.size();
    for (; at < token.end; at = tokens_[at].end) {
      append_index(path_, out.size());
      out.push_back(make(at));
      path_.resize(length);
    }
    return out;
  }

  Node::Map map(const Token& token, std::size_t at) {
    Node::Map out;
    out.reserve(token.number);
    const std::size_t length = path_.size();
    for (; at < token.end; at = tokens_[at + 1].end) {
      append_key(path_, tokens_[at].view());
      out.push_back({std::string(tokens_[at].view()), make(at + 1)});
      path_.resize(length);
    }
    keep_first_of_each(out, path_, diagnostics_);
    return out;
  }

  const std::vector<Token>& tokens_;
  std::string path_;
  Diagnostics& diagnostics_;
};

class Sorter {
 public:
  explicit Sorter(const std::vector<Token>& in) : in_(in) { out_.reserve(in.size()); }

  std::vector<Token> run() {
    value(0);
    return std::move(out_);
  }
  [[nodiscard]] bool has_duplicates() const { return has_duplicates_; }

 private:
  void value(std::size_t index) {
    const Token& token = in_[index];
    const std::size_t place = out_.size();
    out_.push_back(token);
    if (token.kind == Token::Kind::List)
      for (std::size_t at = index + 1; at < token.end; at = in_[at].end) value(at);
    else if (token.kind == Token::Kind::Map)
      out_[place].number = map(index + 1, token.end);
    out_[place].end = static_cast<std::uint32_t>(out_.size());
  }

  // The number of entries.
  std::uint64_t map(std::size_t at, std::size_t end) {
    const std::size_t first = keys_.size();
    for (; at < end; at = in_[at + 1].end) keys_.emplace_back(in_[at].view(), at);
    const std::size_t last = keys_.size();
    std::ranges::sort(keys_.begin() + static_cast<std::ptrdiff_t>(first), keys_.end());
    std::uint64_t count = 0;
    for (std::size_t n = first; n < last; ++n) {
      const std::size_t key = keys_[n].place;
      if (n != first && keys_[n].same_key(keys_[n - 1])) {
        has_duplicates_ = true;
        continue;
      }
      out_.push_back(in_[key]);
      out_.back().end = static_cast<std::uint32_t>(out_.size());
      value(key + 1);
      ++count;
    }
    keys_.erase(keys_.begin() + static_cast<std::ptrdiff_t>(first), keys_.end());
    return count;
  }

  const std::vector<Token>& in_;
  std::vector<Token> out_;
  std::vector<KeyOrder> keys_;  // of the maps that are being sorted, the innermost last
  bool has_duplicates_ = false;
};

void add_tokens(const Node& node, std::vector<Token>& out) {
  const std::size_t index = out.size();
  Token& token = out.emplace_back();
  token.kind = static_cast<Token::Kind>(node.value.index());
  token.where = node.where.range;
  const auto set_text = [](Token& of, const std::string& text) {
    of.number = text.size();
    of.text = text.data();
  };
  if (const auto* boolean = std::get_if<bool>(&node.value)) {
    token.number = *boolean ? 1 : 0;
  } else if (const auto* number = std::get_if<std::uint64_t>(&node.value)) {
    token.number = *number;
  } else if (const auto* negative = std::get_if<std::int64_t>(&node.value)) {
    token.number = static_cast<std::uint64_t>(*negative);
  } else if (const auto* real = std::get_if<double>(&node.value)) {
    token.number = std::bit_cast<std::uint64_t>(*real);
  } else if (const auto* text = std::get_if<std::string>(&node.value)) {
    set_text(token, *text);
  } else if (const auto* list = std::get_if<Node::Array>(&node.value)) {
    token.number = list->size();
    for (const Node& item : *list) add_tokens(item, out);
  } else if (const auto* map = std::get_if<Node::Map>(&node.value)) {
    token.number = map->size();
    for (const NodeEntry& entry : *map) {
      Token& key = out.emplace_back();
      key.kind = Token::Kind::Text;
      key.end = static_cast<std::uint32_t>(out.size());
      key.where = entry.value.where.range;
      set_text(key, entry.key);
      add_tokens(entry.value, out);
    }
  }
  out[index].end = static_cast<std::uint32_t>(out.size());
}

}  // namespace

Node to_tree(const Document& document, std::size_t index, std::string path, Diagnostics& diagnostics) {
  return TreeMaker(document, std::move(path), diagnostics).make(index);
}

Document sorted(Document document, Diagnostics& diagnostics) {
  Sorter sorter(document.tokens);
  std::vector<Token> tokens = sorter.run();
  // Findings come in the order of the document, which the tree's maker keeps.
  if (sorter.has_duplicates()) static_cast<void>(to_tree(document, 0, {}, diagnostics));
  document.tokens = std::move(tokens);
  return document;
}

Document to_document(const Node& root) {
  Document out;
  add_tokens(root, out.tokens);
  return out;
}

std::string_view kind_name(Token::Kind kind) {
  constexpr std::string_view kNames[] = {
      "nil", "a boolean", "an unsigned integer", "a negative integer", "a real number", "text", "a list", "a map"};
  static_assert(std::size(kNames) == std::variant_size_v<Node::Value>);
  return kNames[static_cast<std::size_t>(kind)];
}

DocumentBuilder::DocumentBuilder(Diagnostics& diagnostics, const ReadOptions& options)
    : diagnostics_(diagnostics), options_(options) {
  options_.max_depth = std::min(options_.max_depth, kDeepest);
  // Tokens are counted in 32 bits.
  options_.max_values = std::min<std::size_t>(options_.max_values, std::numeric_limits<std::uint32_t>::max() - 1);
}

bool DocumentBuilder::scalar(Token::Kind kind, std::uint64_t bits, std::size_t begin, std::size_t end) {
  if (!add({kind, 0, range(begin, end), bits, nullptr})) return false;
  took_value();
  return true;
}

bool DocumentBuilder::text(std::string_view text, std::size_t begin, std::size_t end) {
  const bool key = at_key();
  if (!add({Token::Kind::Text, 0, range(begin, end), text.size(), text.data()})) return false;
  if (key) {
    stack_.back().key = document_.tokens.size() - 1;
    stack_.back().has_key = true;
  } else {
    took_value();
  }
  return true;
}

bool DocumentBuilder::copy(std::string text, std::size_t begin, std::size_t end) {
  return this->text(document_.texts.emplace_back(std::move(text)), begin, end);
}

bool DocumentBuilder::open(Token::Kind kind, std::size_t begin) {
  if (stack_.size() >= options_.max_depth && !at_key()) {
    report(Code::HsaTooDeep, begin, begin + 1, fmt::format("nested over {} levels", options_.max_depth));
    return false;
  }
  if (!add({kind, 0, range(begin, begin + (at_key() ? 1 : 0)), 0, nullptr})) return false;
  stack_.push_back({document_.tokens.size() - 1, kind == Token::Kind::Map});
  return true;
}

bool DocumentBuilder::end(std::size_t end) {
  Token& token = document_.tokens[stack_.back().token];
  token.where = range(token.where.begin - options_.base, end);
  token.end = static_cast<std::uint32_t>(document_.tokens.size());
  token.number = stack_.back().count;
  stack_.pop_back();
  took_value();
  return true;
}

bool DocumentBuilder::add(const Token& token) {
  if (document_.tokens.size() >= options_.max_values) {
    diagnostics_.report(Code::HsaTooLarge, {token.where.begin, 0},
                        fmt::format("more than {} values", options_.max_values), path());
    return false;
  }
  if (at_key() && token.kind != Token::Kind::Text) {
    diagnostics_.report(Code::HsaKeyNotText, token.where,
                        fmt::format("expected a key, found {}", kind_name(token.kind)), path());
    return false;
  }
  document_.tokens.push_back(token);
  document_.tokens.back().end = static_cast<std::uint32_t>(document_.tokens.size());
  return true;
}

// A value is complete: its map waits for the next key.
void DocumentBuilder::took_value() {
  if (stack_.empty()) return;
  stack_.back().has_key = false;
  ++stack_.back().count;
}

void DocumentBuilder::report(Code code, std::size_t begin, std::size_t end, std::string message) {
  diagnostics_.report(code, range(begin, end), std::move(message), path());
}

std::string DocumentBuilder::path() const {
  std::string path;
  for (const Frame& frame : stack_) {
    if (!frame.is_map)
      append_index(path, frame.count);
    else if (frame.has_key)
      append_key(path, document_.tokens[frame.key].view());
  }
  return path;
}

SourceRange DocumentBuilder::range(std::size_t begin, std::size_t end) const {
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t from = std::min<std::uint64_t>(std::uint64_t{options_.base} + begin, kLast);
  const std::uint64_t to = std::min<std::uint64_t>(std::uint64_t{options_.base} + std::max(begin, end), kLast);
  return {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to - from)};
}

}  // namespace amdcompat::hsa
