// How trees become models and back, shared by the readers. Private to this module.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <amdcompat/hsa.hpp>

namespace amdcompat::hsa {

// from_node with the YAML text the tree was read from (empty for MessagePack), which holds the spelling of a
// scalar that LLVM does not take for text. `base` is the file offset of its first byte.
[[nodiscard]] std::optional<Metadata> decode(Node root, Diagnostics& diagnostics, std::string_view yaml = {},
                                             std::uint32_t base = 0);

// A YAML document as a tree; see read_yaml.
[[nodiscard]] std::optional<Node> read_yaml_tree(std::string_view text, Diagnostics& diagnostics,
                                                 const ReadOptions& options);
// A map as YAML, keys in the order of its entries.
[[nodiscard]] std::string print_yaml(const Node::Map& root);
// `path` with `key` or `[index]` behind it: keys of the tables bring their own dot.
void append_key(std::string& path, std::string_view key);
void append_index(std::string& path, std::size_t index);

// The code of a text value that is not one of an enumeration's spellings.
template <class Record>
[[nodiscard]] Code spelling_code(const Field<Record>& field) {
  if (std::holds_alternative<std::optional<ValueKind> Record::*>(field)) return Code::HsaUnknownValueKind;
  if (std::holds_alternative<std::optional<AddressSpace> Record::*>(field)) return Code::HsaUnknownAddressSpace;
  if (std::holds_alternative<std::optional<AccessQualifier> Record::*>(field)) return Code::HsaUnknownAccess;
  return Code::HsaWrongType;
}

template <class Record>
[[nodiscard]] const Key<Record>* find_key(std::span<const Key<Record>> keys, std::string_view name) {
  for (const Key<Record>& row : keys)
    if (row.name == name) return &row;
  return nullptr;
}

// Reports a value kept in `unknown` although `row` knows its key: wrong type or unknown spelling.
template <class Record>
void report_mistyped(const Key<Record>& row, const Node& value, const std::string& path, Diagnostics& diagnostics);

[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace amdcompat::hsa
