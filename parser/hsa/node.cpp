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
  Decoder(Diagnostics& diagnostics, std::string_view yaml, std::uint32_t base)
      : diagnostics_(diagnostics), yaml_(yaml), base_(base) {}

  template <class Record>
  void record(Node::Map entries, std::span<const Key<Record>> keys, Record& out) {
    const std::size_t length = path_.size();
    std::vector<const Key<Record>*> seen;
    for (NodeEntry& entry : entries) {
      append_key(path_, entry.key);
      const Key<Record>* row = find_key(keys, entry.key);
      if (row == nullptr) {
        out.unknown.push_back(std::move(entry));
      } else if (std::ranges::find(seen, row) != seen.end()) {
        report_duplicate(entry.value);
      } else {
        seen.push_back(row);
        const bool taken = std::visit([&](auto member) { return take(entry.value, out.*member); }, row->field);
        if (!taken) {
          report_mistyped(*row, entry.value, path_, diagnostics_);
          out.unknown.push_back(std::move(entry));
        }
      }
      path_.resize(length);
    }
    if constexpr (std::is_same_v<Record, MetadataKernel>)
      out.args_absent = std::ranges::none_of(seen, [](const auto* row) { return row->name == ".args"; });
    keep_first_of_each(out.unknown);
  }

 private:
  void report_duplicate(const Node& value) {
    diagnostics_.report(Code::HsaDuplicateKey, value.where.range, "its map has the key already", path_);
  }

  // The trees of the readers have no duplicates; one made by hand may.
  void keep_first_of_each(std::vector<NodeEntry>& entries) {
    std::ranges::stable_sort(entries, {}, &NodeEntry::key);
    const std::size_t length = path_.size();
    for (std::size_t i = 1; i < entries.size(); ++i) {
      if (entries[i].key != entries[i - 1].key) continue;
      append_key(path_, entries[i].key);
      report_duplicate(entries[i].value);
      path_.resize(length);
    }
    const auto rest = std::ranges::unique(entries, {}, &NodeEntry::key);
    entries.erase(rest.begin(), rest.end());
  }

  bool take(Node& node, std::optional<std::uint64_t>& out) {
    const auto* value = std::get_if<std::uint64_t>(&node.value);
    if (value != nullptr) out = *value;
    return value != nullptr;
  }

  bool take(Node& node, std::optional<bool>& out) {
    const auto* value = std::get_if<bool>(&node.value);
    if (value != nullptr) out = *value;
    return value != nullptr;
  }

  bool take(Node& node, std::optional<std::string>& out) {
    std::string text;
    if (!take_text(node, text)) return false;
    out = std::move(text);
    return true;
  }

  bool take_text(Node& node, std::string& out) {
    if (auto* text = std::get_if<std::string>(&node.value)) {
      out = std::move(*text);
      return true;
    }
    return take_ambiguous(node, out);
  }

  // YAML `.name: n` or `.name: '12'`: LLVM resolves the scalar without looking at the key or the quotes. The
  // text is in the source, so nothing has to be guessed.
  bool take_ambiguous(const Node& node, std::string& out) {
    const bool scalar = !std::holds_alternative<Node::Array>(node.value) &&
                        !std::holds_alternative<Node::Map>(node.value) &&
                        !std::holds_alternative<Node::Nil>(node.value);
    const SourceRange where = node.where.range;
    if (yaml_.empty() || !scalar || where.begin < base_) return false;
    const std::size_t begin = where.begin - base_;
    if (begin > yaml_.size() || where.size > yaml_.size() - begin) return false;
    std::string_view text = yaml_.substr(begin, where.size);
    if (text.starts_with('!') || text.find('\\') != std::string_view::npos) return false;
    if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front())
      text = text.substr(1, text.size() - 2);
    diagnostics_.report(Code::HsaYamlAmbiguousText, where,
                        fmt::format("LLVM reads {} here; write !str {} for the text", node_kind_name(node), text),
                        path_);
    out = text;
    return true;
  }

  template <class Enum>
  bool take_spelling(const Node& node, std::span<const Spelling<Enum>> table, std::optional<Enum>& out) {
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) return false;
    for (const Spelling<Enum>& row : table)
      if (row.name == *text) out = row.value;
    return out.has_value();
  }
  bool take(Node& node, std::optional<AddressSpace>& out) { return take_spelling(node, all_address_spaces(), out); }
  bool take(Node& node, std::optional<AccessQualifier>& out) {
    return take_spelling(node, all_access_qualifiers(), out);
  }
  bool take(Node& node, std::optional<ValueKind>& out) {
    const auto* text = std::get_if<std::string>(&node.value);
    if (text != nullptr) out = find_value_kind(*text);
    return out.has_value();
  }

  template <std::size_t Size>
  bool take(Node& node, std::optional<std::array<std::uint64_t, Size>>& out) {
    const auto* list = std::get_if<Node::Array>(&node.value);
    if (list == nullptr || list->size() != Size) return false;
    std::array<std::uint64_t, Size> values{};
    for (std::size_t i = 0; i < Size; ++i) {
      const auto* value = std::get_if<std::uint64_t>(&(*list)[i].value);
      if (value == nullptr) return false;
      values[i] = *value;
    }
    out = values;
    return true;
  }

  // Calls `element(node)` for every element, with the path at it; an element it refuses is reported and dropped.
  template <class Function>
  bool each(Node& node, std::string_view expected, Function element) {
    auto* list = std::get_if<Node::Array>(&node.value);
    if (list == nullptr) return false;
    const std::size_t length = path_.size();
    for (std::size_t i = 0; i < list->size(); ++i) {
      append_index(path_, i);
      Node& item = (*list)[i];
      if (!element(item))
        diagnostics_.report(Code::HsaWrongType, item.where.range,
                            fmt::format("expected {}, found {}; it is left out", expected, node_kind_name(item)),
                            path_);
      path_.resize(length);
    }
    return true;
  }

  bool take(Node& node, std::vector<std::string>& out) {
    return each(node, "text", [&](Node& item) {
      std::string text;
      if (!take_text(item, text)) return false;
      out.push_back(std::move(text));
      return true;
    });
  }

  template <class Record>
  bool take_records(Node& node, std::span<const Key<Record>> keys, std::vector<Record>& out) {
    return each(node, "a map", [&](Node& item) {
      auto* entries = std::get_if<Node::Map>(&item.value);
      if (entries == nullptr) return false;
      out.emplace_back().where = item.where;
      record(std::move(*entries), keys, out.back());
      return true;
    });
  }
  bool take(Node& node, std::vector<MetadataArgument>& out) { return take_records(node, argument_keys(), out); }
  bool take(Node& node, std::vector<MetadataKernel>& out) { return take_records(node, kernel_keys(), out); }

  Diagnostics& diagnostics_;
  std::string_view yaml_;
  std::uint32_t base_;
  std::string path_;
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

// The node of a field, or nothing when the document has no such key: an optional without a value, and the printf
// list when it is empty. The other lists are always written, as compilers do [LS].
template <class T>
std::optional<Node> encode_field(const std::optional<T>& value) {
  if (!value) return std::nullopt;
  return encode(*value);
}
std::optional<Node> encode_field(const std::vector<std::string>& values) {
  if (values.empty()) return std::nullopt;
  return encode_list(values);
}
template <class Record>
std::optional<Node> encode_field(const std::vector<Record>& values) {
  return encode_list(values);
}

// Whether the record says that it has no such key at all.
template <class Record>
bool is_absent(const Record& record, const Key<Record>& row) {
  if constexpr (std::is_same_v<Record, MetadataKernel>)
    return record.args_absent && record.args.empty() && row.name == ".args";
  else
    return false;
}

template <class Record>
Node encode_record(const Record& record, std::span<const Key<Record>> keys) {
  Node::Map map;
  map.reserve(keys.size() + record.unknown.size());
  for (const Key<Record>& row : keys) {
    if (is_absent(record, row)) continue;
    const bool replaced = std::ranges::find(record.unknown, row.name, &NodeEntry::key) != record.unknown.end();
    if (replaced) continue;
    auto node = std::visit([&](auto member) { return encode_field(record.*member); }, row.field);
    if (node) map.push_back({std::string(row.name), std::move(*node)});
  }
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

std::string_view node_kind_name(const Node& node) {
  constexpr std::string_view kNames[] = {
      "nil", "a boolean", "an unsigned integer", "a negative integer", "a real number", "text", "a list", "a map"};
  static_assert(std::size(kNames) == std::variant_size_v<Node::Value>);
  return kNames[node.value.index()];
}

void append_key(std::string& path, std::string_view key) {
  if (!path.empty() && !key.starts_with('.')) path += '.';
  path += key;
}

void append_index(std::string& path, std::size_t index) { path += fmt::format("[{}]", index); }

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

std::optional<Metadata> decode(Node root, Diagnostics& diagnostics, std::string_view yaml, std::uint32_t base) {
  auto* entries = std::get_if<Node::Map>(&root.value);
  if (entries == nullptr) {
    diagnostics.report(Code::HsaRootNotMap, root.where.range,
                       fmt::format("expected a map, found {}", node_kind_name(root)));
    return std::nullopt;
  }
  // The model cannot say that the list of kernels is absent, so its reader has to.
  const bool has_kernels = std::ranges::find(*entries, "amdhsa.kernels", &NodeEntry::key) != entries->end();
  if (!has_kernels)
    diagnostics.report(Code::HsaMissingKey, root.where.range, "the document lists no kernels", "amdhsa.kernels");
  Metadata metadata;
  metadata.where = root.where;
  Decoder(diagnostics, yaml, base).record(std::move(*entries), root_keys(), metadata);
  return metadata;
}

std::optional<Metadata> from_node(Node node, Diagnostics& diagnostics) { return decode(std::move(node), diagnostics); }

Node to_node(const Metadata& metadata) { return encode_record(metadata, root_keys()); }

}  // namespace amdcompat::hsa
