// Writes YAML in LLVM's layout: a key's value begins at column 17 of the key's own indentation, or one blank
// after a longer key; lists are indented under their key.
#include <algorithm>

#include <amdcompat/hsa.hpp>

#include "scalar.hpp"
#include "schema.hpp"

namespace amdcompat::hsa {
namespace {

constexpr std::size_t kValueColumn = 16;  // counted from the key, without quotes and colon

class Writer {
 public:
  std::string take() { return std::move(out_); }

  // At the start of a line (after the blanks), or behind a "- ".
  void map(const Node::Map& entries, std::size_t indent) {
    bool first = true;
    for (const NodeEntry& entry : entries) {
      if (!first) line(indent);
      first = false;
      out_ += yaml_key(entry.key);
      out_ += ':';
      const std::size_t padding = entry.key.size() < kValueColumn ? kValueColumn - entry.key.size() : 1;
      under_key(entry.value, indent, padding);
    }
  }

 private:
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
    for (const Node& item : items) {
      if (!first) line(indent);
      first = false;
      out_ += "- ";
      if (const auto* entries = std::get_if<Node::Map>(&item.value); entries != nullptr && !entries->empty())
        map(*entries, indent + 2);
      else if (const auto* inner = std::get_if<Node::Array>(&item.value); inner != nullptr && !inner->empty())
        list(*inner, indent + 2);
      else
        leaf(item);
    }
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
  Writer writer;
  writer.map(root, 0);
  std::string text = writer.take();
  text += "\n...\n";
  return text;
}

std::string to_yaml(const Metadata& metadata) { return print_yaml(std::get<Node::Map>(to_node(metadata).value)); }

}  // namespace amdcompat::hsa
