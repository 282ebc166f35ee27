// How trees become models and back, shared by the readers. Private to this module.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <amdcompat/hsa.hpp>

#include "document.hpp"

namespace amdcompat::hsa {

// The model of a document. `yaml` is the text it was read from (empty for MessagePack), which holds the spelling of a
// scalar that LLVM does not take for text; `base` the file offset of its first byte.
[[nodiscard]] std::optional<Metadata> decode(const Document& document, Diagnostics& diagnostics,
                                             std::string_view yaml = {}, std::uint32_t base = 0);

// Bytes of the head of a value: format byte, then the number, the length or the count behind it. [MessagePack
// specification, "Overview"]
[[nodiscard]] constexpr std::size_t msgpack_head_size(unsigned char format) {
  // clang-format off
  switch (format) {
    case 0xC4: case 0xC7: case 0xCC: case 0xD0: case 0xD9: return 2;
    case 0xC5: case 0xC8: case 0xCD: case 0xD1: case 0xDA: case 0xDC: case 0xDE: return 3;
    case 0xC6: case 0xC9: case 0xCA: case 0xCE: case 0xD2: case 0xDB: case 0xDD: case 0xDF: return 5;
    case 0xCB: case 0xCF: case 0xD3: return 9;
    default: return 1;
  }
  // clang-format on
}
// The model of a document that needs no finding and has nothing but what the tables know; empty: it may be any other,
// or the options allow fewer than 8 levels or fewer values than there are bytes, so that somebody has to count.
[[nodiscard]] std::optional<Metadata> read_plain_msgpack(std::string_view bytes, const ReadOptions& options);

// A YAML document; see read_yaml.
[[nodiscard]] std::optional<Document> read_yaml_document(std::string_view text, Diagnostics& diagnostics,
                                                         const ReadOptions& options);
// The model of a document of V2, or of the older one with `amd.` keys.
[[nodiscard]] std::optional<Metadata> decode_v2(Document document, std::string_view yaml, Diagnostics& diagnostics,
                                                std::uint32_t base);
// A map as YAML, keys in the order of its entries.
[[nodiscard]] std::string print_yaml(const Node::Map& root);
// `path` with `key` or `[index]` behind it: keys of the tables bring their own dot.
void append_key(std::string& path, std::string_view key);
void append_index(std::string& path, std::size_t index);
// Sorts a map by key and drops all but the first value of each key, with a finding. `path` is the map's.
void keep_first_of_each(Node::Map& map, const std::string& path, Diagnostics& diagnostics);

// The code of a text value that is not one of an enumeration's spellings.
template <class Record>
[[nodiscard]] Code spelling_code(const Field<Record>& field) {
  if (std::holds_alternative<std::optional<ValueKind> Record::*>(field)) return Code::HsaUnknownValueKind;
  if (std::holds_alternative<std::optional<AddressSpace> Record::*>(field)) return Code::HsaUnknownAddressSpace;
  if (std::holds_alternative<std::optional<AccessQualifier> Record::*>(field)) return Code::HsaUnknownAccess;
  return Code::HsaWrongType;
}

// Parts of to_node(metadata).
[[nodiscard]] Node to_node(const MetadataKernel& kernel);
[[nodiscard]] Node to_node(const MetadataArgument& argument);

// Whether the document has the key, and this value for it. Not: an optional without a value, an empty printf list, the
// argument list of a kernel that says it has none, and what stands in `unknown`. The other lists are always written, as
// compilers do [LS].
template <class Record>
[[nodiscard]] bool is_written(const Record& record, const Key<Record>& row) {
  if (!record.unknown.empty() && std::ranges::find(record.unknown, row.name, &NodeEntry::key) != record.unknown.end())
    return false;
  return std::visit(
      [&](auto member) {
        const auto& value = record.*member;
        if constexpr (requires { value.has_value(); })
          return value.has_value();
        else if constexpr (std::is_same_v<Record, MetadataKernel>)
          return !(record.args_absent && value.empty());
        else
          return row.required || !value.empty();
      },
      row.field);
}

// The row of a key. Documents have their keys in the order of the table as a rule: `hint` is where to look first.
template <class Record>
[[nodiscard]] const Key<Record>* find_key(std::span<const Key<Record>> keys, std::string_view name,
                                          std::size_t hint = 0) {
  for (std::size_t i = hint; i < keys.size(); ++i)
    if (is_same(keys[i].name, name)) return &keys[i];
  for (std::size_t i = 0; i < std::min(hint, keys.size()); ++i)
    if (is_same(keys[i].name, name)) return &keys[i];
  return nullptr;
}

// The value that a text of V3 and later spells; empty: none of the table.
template <class Enum>
[[nodiscard]] std::optional<Enum> find_spelling(std::span<const Spelling<Enum>> table, std::string_view text) {
  const auto row = std::ranges::find_if(table, [&](const Spelling<Enum>& of) { return is_same(of.name, text); });
  return row == table.end() ? std::nullopt : std::optional(row->value);
}

// Reports a value kept in `unknown` although `row` knows its key: wrong type or unknown spelling.
template <class Record>
void report_mistyped(const Key<Record>& row, const Node& value, const std::string& path, Diagnostics& diagnostics);

[[nodiscard]] bool is_ascii(std::string_view text);
[[nodiscard]] bool is_utf8(std::string_view text);

}  // namespace amdcompat::hsa
