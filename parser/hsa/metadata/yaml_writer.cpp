// Writes YAML in LLVM's layout: a key's value begins at column 17 of the key's own indentation, or one blank
// after a longer key; lists are indented under their key.
#include <algorithm>

#include <amdcompat/hsa.hpp>

#include "scalar.hpp"
#include "schema.hpp"

namespace amdcompat::hsa {
namespace {

constexpr std::size_t kValueColumn = 16;  // counted from the key, without quotes and colon
constexpr std::string_view kKernels = "amdhsa.kernels";

class YamlWriter {
 public:
  std::string take() {
    out_ += "\n...\n";
    return std::move(out_);
  }

  // At the start of a line (after the blanks), or behind a "- ".
  void map(const Node::Map& entries, std::size_t indent) {
    bool first = true;
    for (const NodeEntry& entry : entries) {
      if (!first) line(indent);
      first = false;
      under_key(entry.value, indent, key(entry.key));
    }
  }

  // A document: `rest` is all of it but the kernels, of which only one at a time is a tree.
  void root(const Node::Map& rest, std::span<const MetadataKernel> kernels) {
    bool first = true;
    for (const NodeEntry& entry : rest) {
      if (!first) line(0);
      first = false;
      const std::size_t padding = key(entry.key);
      if (kernels.empty() || entry.key != kKernels) {
        under_key(entry.value, 0, padding);
        continue;
      }
      for (const MetadataKernel& kernel : kernels) {
        line(2);
        out_ += "- ";
        item(to_node(kernel), 2);
      }
    }
  }

 private:
  // With the colon. Gives the blanks that stand in front of a value on the same line.
  std::size_t key(std::string_view name) {
    out_ += yaml_key(name);
    out_ += ':';
    return name.size() < kValueColumn ? kValueColumn - name.size() : 1;
  }

  void line(std::size_t indent) {
    out_ += '\n';
    out_.append(indent, ' ');
  }

  void under_key(const Node& node, std::size_t indent, std::size_t padding) {
    if (const auto* entries = std::get_if<Node::Map>(&node.value); entries != nullptr && !entries->empty()) {
      line(indent + 2);
      map(*entries, indent + 2);
    } else if (const auto* items = std::get_if<Node::Array>(&node.value); items != nullptr && !items->empty()) {
      line(indent + 2);
      list(*items, indent + 2);
    } else {
      out_.append(padding, ' ');
      leaf(node);
    }
  }

  void list(const Node::Array& items, std::size_t indent) {
    bool first = true;
    for (const Node& node : items) {
      if (!first) line(indent);
      first = false;
      out_ += "- ";
      item(node, indent);
    }
  }

  void item(const Node& node, std::size_t indent) {
    if (const auto* entries = std::get_if<Node::Map>(&node.value); entries != nullptr && !entries->empty())
      map(*entries, indent + 2);
    else if (const auto* inner = std::get_if<Node::Array>(&node.value); inner != nullptr && !inner->empty())
      list(*inner, indent + 2);
    else
      leaf(node);
  }

  void leaf(const Node& node) {
    if (std::holds_alternative<Node::Map>(node.value))
      out_ += "{}";
    else if (std::holds_alternative<Node::Array>(node.value))
      out_ += "[]";
    else
      out_ += yaml_scalar(node);
  }

  std::string out_ = "---\n";
};

}  // namespace

std::string print_yaml(const Node::Map& root) {
  YamlWriter writer;
  writer.map(root, 0);
  return writer.take();
}

std::string to_yaml(const Metadata& metadata) {
  const Metadata rest{.version = metadata.version,
                      .target = metadata.target,
                      .printf = metadata.printf,
                      .kernels = {},
                      .unknown = metadata.unknown,
                      .where = {}};
  const bool mistyped = std::ranges::find(metadata.unknown, kKernels, &NodeEntry::key) != metadata.unknown.end();
  const Node root = to_node(rest);
  YamlWriter writer;
  writer.root(std::get<Node::Map>(root.value), mistyped ? std::span<const MetadataKernel>() : metadata.kernels);
  return writer.take();
}

}  // namespace amdcompat::hsa
