// Trees and models: the one place where a key table meets a value.
#include "schema.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace amdcompat::hsa {
namespace {

template <class T>
inline constexpr bool kAlways = false;

template <class T>
consteval std::string_view type_name_of() {
  if constexpr (std::is_same_v<T, std::optional<std::uint64_t>>)
    return "an unsigned integer";
  else if constexpr (std::is_same_v<T, std::optional<bool>>)
    return "a boolean";
  else if constexpr (std::is_same_v<T, std::optional<std::string>>)
    return "text";
  else if constexpr (std::is_same_v<T, std::optional<ValueKind>>)
    return "text (a value kind)";
  else if constexpr (std::is_same_v<T, std::optional<AddressSpace>>)
    return "text (an address space)";
  else if constexpr (std::is_same_v<T, std::optional<AccessQualifier>>)
    return "text (an access qualifier)";
  else if constexpr (std::is_same_v<T, std::optional<std::array<std::uint64_t, 2>>>)
    return "two unsigned integers";
  else if constexpr (std::is_same_v<T, std::optional<std::array<std::uint64_t, 3>>>)
    return "three unsigned integers";
  else if constexpr (std::is_same_v<T, std::vector<std::string>>)
    return "a list of texts";
  else if constexpr (std::is_same_v<T, std::vector<MetadataArgument>> || std::is_same_v<T, std::vector<MetadataKernel>>)
    return "a list of maps";
  else
    static_assert(kAlways<T>, "a field type without a name");
}

// "text", "an unsigned integer", ... for the type of a table row.
template <class Record>
std::string_view field_type_name(const Field<Record>& field) {
  return std::visit([]<class T>(T Record::*) { return type_name_of<T>(); }, field);
}

// --- tree to model -----------------------------------------------------------------------------------------

class Decoder {
 public:
  Decoder(const Document& document, Diagnostics& diagnostics, std::string_view yaml, std::uint32_t base)
      : document_(document), tokens_(document.tokens), diagnostics_(diagnostics), yaml_(yaml), base_(base) {}

  // The map at `index`.
  template <class Record>
  void record(std::size_t index, std::span<const Key<Record>> keys, Record& out) {
    std::uint64_t seen = 0;
    std::size_t hint = 0;
    steps_.emplace_back();
    const std::size_t end = tokens_[index].end;
    for (std::size_t at = index + 1; at < end; at = tokens_[at + 1].end) {
      const std::string_view key = tokens_[at].view();
      steps_.back().key = key;
      const Key<Record>* row = find_key(keys, key, hint);
      if (row == nullptr) {
        keep(at, out.unknown);
        continue;
      }
      hint = static_cast<std::size_t>(row - keys.data()) + 1;
      const std::uint64_t bit = std::uint64_t{1} << (hint - 1);
      if ((seen & bit) != 0) {
        diagnostics_.report(Code::HsaDuplicateKey, tokens_[at + 1].where, "its map has the key already", path());
        continue;
      }
      seen |= bit;
      const bool taken = std::visit([&](auto member) { return take(at + 1, out.*member); }, row->field);
      if (!taken) {
        keep(at, out.unknown);
        report_mistyped(*row, out.unknown.back().value, path(), diagnostics_);
      }
    }
    steps_.pop_back();
    if constexpr (std::is_same_v<Record, MetadataKernel>) {
      const std::uint64_t bit = std::uint64_t{1} << (find_key(keys, ".args") - keys.data());
      out.args_absent = (seen & bit) == 0;
    }
    if (!out.unknown.empty()) keep_first_of_each(out.unknown, path(), diagnostics_);
  }

 private:
  // Where the decoder is: a key, or an element of a list.
  struct Step {
    std::string_view key;
    std::size_t index = 0;
    bool is_index = false;
  };

  [[nodiscard]] std::string path() const {
    std::string out;
    for (const Step& step : steps_)
      if (step.is_index)
        append_index(out, step.index);
      else
        append_key(out, step.key);
    return out;
  }

  void keep(std::size_t key, std::vector<NodeEntry>& unknown) {
    unknown.push_back({std::string(tokens_[key].view()), to_tree(document_, key + 1, path(), diagnostics_)});
  }

  [[nodiscard]] bool is(std::size_t index, Token::Kind kind) const { return tokens_[index].kind == kind; }

  bool take(std::size_t index, std::optional<std::uint64_t>& out) {
    if (!is(index, Token::Kind::Unsigned)) return false;
    out = tokens_[index].number;
    return true;
  }

  bool take(std::size_t index, std::optional<bool>& out) {
    if (!is(index, Token::Kind::Boolean)) return false;
    out = tokens_[index].number != 0;
    return true;
  }

  bool take(std::size_t index, std::optional<std::string>& out) {
    const auto text = take_text(index);
    if (text) out.emplace(*text);
    return text.has_value();
  }

  std::optional<std::string_view> take_text(std::size_t index) {
    if (is(index, Token::Kind::Text)) return tokens_[index].view();
    return take_ambiguous(tokens_[index]);
  }

  // YAML `.name: n` or `.name: '12'`: LLVM resolves the scalar without looking at the key or the quotes. The
  // text is in the source, so nothing has to be guessed.
  std::optional<std::string_view> take_ambiguous(const Token& token) {
    const bool scalar =
        token.kind != Token::Kind::List && token.kind != Token::Kind::Map && token.kind != Token::Kind::Nil;
    const SourceRange where = token.where;
    if (yaml_.empty() || !scalar || where.begin < base_) return std::nullopt;
    const std::size_t begin = where.begin - base_;
    if (begin > yaml_.size() || where.size > yaml_.size() - begin) return std::nullopt;
    std::string_view text = yaml_.substr(begin, where.size);
    if (text.starts_with('!') || text.find('\\') != std::string_view::npos) return std::nullopt;
    if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front())
      text = text.substr(1, text.size() - 2);
    diagnostics_.report(Code::HsaYamlAmbiguousText, where,
                        fmt::format("LLVM reads {} here; write !str {} for the text", kind_name(token.kind), text),
                        path());
    return text;
  }

  template <class Enum>
  bool take_spelling(std::size_t index, std::span<const Spelling<Enum>> table, std::optional<Enum>& out) {
    if (is(index, Token::Kind::Text)) out = find_spelling(table, tokens_[index].view());
    return out.has_value();
  }
  bool take(std::size_t index, std::optional<AddressSpace>& out) {
    return take_spelling(index, all_address_spaces(), out);
  }
  bool take(std::size_t index, std::optional<AccessQualifier>& out) {
    return take_spelling(index, all_access_qualifiers(), out);
  }
  bool take(std::size_t index, std::optional<ValueKind>& out) {
    if (is(index, Token::Kind::Text)) out = find_value_kind(tokens_[index].view());
    return out.has_value();
  }

  template <std::size_t Size>
  bool take(std::size_t index, std::optional<std::array<std::uint64_t, Size>>& out) {
    if (!is(index, Token::Kind::List) || tokens_[index].number != Size) return false;
    std::array<std::uint64_t, Size> values{};
    std::size_t at = index + 1;
    for (std::uint64_t& value : values) {
      if (!is(at, Token::Kind::Unsigned)) return false;
      value = tokens_[at++].number;
    }
    out = values;
    return true;
  }

  // Calls `element(index)` for every element, with the path at it; an element it refuses is reported and dropped.
  template <class Function>
  bool each(std::size_t index, std::string_view expected, Function element) {
    if (!is(index, Token::Kind::List)) return false;
    steps_.push_back({{}, 0, true});
    for (std::size_t at = index + 1; at < tokens_[index].end; at = tokens_[at].end) {
      if (!element(at))
        diagnostics_.report(Code::HsaWrongType, tokens_[at].where,
                            fmt::format("expected {}, found {}; it is left out", expected, kind_name(tokens_[at].kind)),
                            path());
      ++steps_.back().index;
    }
    steps_.pop_back();
    return true;
  }

  bool take(std::size_t index, std::vector<std::string>& out) {
    return each(index, "text", [&](std::size_t at) {
      const auto text = take_text(at);
      if (text) out.emplace_back(*text);
      return text.has_value();
    });
  }

  template <class Record>
  bool take_records(std::size_t index, std::span<const Key<Record>> keys, std::vector<Record>& out) {
    // Every element has a token already.
    if (is(index, Token::Kind::List)) out.reserve(tokens_[index].number);
    return each(index, "a map", [&](std::size_t at) {
      if (!is(at, Token::Kind::Map)) return false;
      out.emplace_back().where = {tokens_[at].where};
      record(at, keys, out.back());
      return true;
    });
  }
  bool take(std::size_t index, std::vector<MetadataArgument>& out) { return take_records(index, argument_keys(), out); }
  bool take(std::size_t index, std::vector<MetadataKernel>& out) { return take_records(index, kernel_keys(), out); }

  const Document& document_;
  const std::vector<Token>& tokens_;
  Diagnostics& diagnostics_;
  std::string_view yaml_;
  std::uint32_t base_;
  std::vector<Step> steps_;
};

// --- model to tree -----------------------------------------------------------------------------------------

template <class Record>
Node encode_record(const Record& record, std::span<const Key<Record>> keys);

Node encode(std::uint64_t value) { return {value, {}}; }
Node encode(bool value) { return {value, {}}; }
Node encode(const std::string& value) { return {value, {}}; }
template <class Enum>
  requires std::is_enum_v<Enum>
Node encode(Enum value) {
  return {std::string(spelling(value)), {}};
}
Node encode(const MetadataArgument& value) { return encode_record(value, argument_keys()); }
Node encode(const MetadataKernel& value) { return encode_record(value, kernel_keys()); }

template <class Range>
Node encode_list(const Range& values) {
  Node::Array list;
  list.reserve(values.size());
  for (const auto& value : values) list.push_back(encode(value));
  return {std::move(list), {}};
}
template <std::size_t Size>
Node encode(const std::array<std::uint64_t, Size>& values) {
  return encode_list(values);
}

template <class T>
Node encode_value(const std::optional<T>& value) {
  return encode(*value);
}
template <class T>
Node encode_value(const std::vector<T>& values) {
  return encode_list(values);
}

template <class Record>
Node encode_record(const Record& record, std::span<const Key<Record>> keys) {
  Node::Map map;
  map.reserve(keys.size() + record.unknown.size());
  for (const Key<Record>& row : keys)
    if (is_written(record, row))
      map.push_back(
          {std::string(row.name), std::visit([&](auto member) { return encode_value(record.*member); }, row.field)});
  map.insert(map.end(), record.unknown.begin(), record.unknown.end());
  std::ranges::stable_sort(map, {}, &NodeEntry::key);
  return {std::move(map), {}};
}

}  // namespace

bool operator==(const Node& a, const Node& b) {
  const auto* x = std::get_if<double>(&a.value);
  const auto* y = std::get_if<double>(&b.value);
  if (x != nullptr && y != nullptr && std::isnan(*x) && std::isnan(*y)) return true;
  return a.value == b.value;
}

bool operator==(const NodeEntry& a, const NodeEntry& b) { return a.key == b.key && a.value == b.value; }

std::string_view node_kind_name(const Node& node) { return kind_name(static_cast<Token::Kind>(node.value.index())); }

void append_key(std::string& path, std::string_view key) {
  if (!path.empty() && !key.starts_with('.')) path += '.';
  path += key;
}

void append_index(std::string& path, std::size_t index) { fmt::format_to(std::back_inserter(path), "[{}]", index); }

void keep_first_of_each(Node::Map& map, const std::string& path, Diagnostics& diagnostics) {
  if (!std::ranges::is_sorted(map, {}, &NodeEntry::key)) std::ranges::stable_sort(map, {}, &NodeEntry::key);
  for (std::size_t i = 1; i < map.size(); ++i) {
    if (map[i].key != map[i - 1].key) continue;
    std::string at = path;
    append_key(at, map[i].key);
    diagnostics.report(Code::HsaDuplicateKey, map[i].value.where.range, "its map has the key already", std::move(at));
  }
  const auto rest = std::ranges::unique(map, {}, &NodeEntry::key);
  map.erase(rest.begin(), rest.end());
}

template <class Record>
void report_mistyped(const Key<Record>& row, const Node& value, const std::string& path, Diagnostics& diagnostics) {
  const Code code = spelling_code(row.field);
  const auto* text = std::get_if<std::string>(&value.value);
  if (text != nullptr && code != Code::HsaWrongType) {
    diagnostics.report(code, value.where.range, fmt::format("'{}' is not a known spelling", *text), path);
    return;
  }
  diagnostics.report(Code::HsaWrongType, value.where.range,
                     fmt::format("expected {}, found {}", field_type_name(row.field), node_kind_name(value)), path);
}

template void report_mistyped(const Key<Metadata>&, const Node&, const std::string&, Diagnostics&);
template void report_mistyped(const Key<MetadataKernel>&, const Node&, const std::string&, Diagnostics&);
template void report_mistyped(const Key<MetadataArgument>&, const Node&, const std::string&, Diagnostics&);

std::optional<Metadata> decode(const Document& document, Diagnostics& diagnostics, std::string_view yaml,
                               std::uint32_t base) {
  const Token& root = document.tokens.front();
  if (root.kind != Token::Kind::Map) {
    diagnostics.report(Code::HsaRootNotMap, root.where, fmt::format("expected a map, found {}", kind_name(root.kind)));
    return std::nullopt;
  }
  // The model cannot say that the list of kernels is absent, so its reader has to.
  bool has_kernels = false;
  for (std::size_t at = 1; at < root.end; at = document.tokens[at + 1].end)
    has_kernels = has_kernels || document.tokens[at].view() == "amdhsa.kernels";
  if (!has_kernels)
    diagnostics.report(Code::HsaMissingKey, root.where, "the document lists no kernels", "amdhsa.kernels");
  Metadata metadata;
  metadata.where = {root.where};
  Decoder(document, diagnostics, yaml, base).record(0, root_keys(), metadata);
  return metadata;
}

std::optional<Metadata> from_node(Node node, Diagnostics& diagnostics) {
  return decode(to_document(node), diagnostics);
}

Node to_node(const Metadata& metadata) { return encode_record(metadata, root_keys()); }
Node to_node(const MetadataKernel& kernel) { return encode(kernel); }
Node to_node(const MetadataArgument& argument) { return encode(argument); }

}  // namespace amdcompat::hsa
