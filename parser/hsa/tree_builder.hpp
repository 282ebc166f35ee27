// Builds a tree from the events of a parser, within limits. Private to this module.
//
// Both readers feed it, so that depth, size, duplicate keys and keys that are not text are judged in one place,
// and every finding has a path. Nothing here recurses: depth costs heap, and the depth limit bounds what the
// tree's own destructor does later.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/hsa.hpp>

namespace amdcompat::hsa {

class TreeBuilder {
 public:
  TreeBuilder(Diagnostics& diagnostics, const ReadOptions& options);

  // Each is told the bytes of its value, relative to the input's start, and gives false when reading must stop; the
  // reason has been reported. Inside a map keys and values take turns, and a key is a scalar that holds text.
  bool scalar(Node::Value&& value, std::size_t begin, std::size_t end);
  bool begin_list(std::size_t begin);
  bool begin_map(std::size_t begin);
  bool end(std::size_t end);

  // A scalar now would be a key.
  [[nodiscard]] bool at_key() const;
  // Reports at these bytes, with the path of the value that is being read.
  void report(Code code, std::size_t begin, std::size_t end, std::string message);
  [[nodiscard]] bool finished() const { return stack_.empty() && root_.has_value(); }
  // The whole tree, once finished().
  [[nodiscard]] std::optional<Node> take() { return std::move(root_); }

 private:
  struct Frame {
    Node node;
    std::string key;  // of the value to come
    bool has_key = false;
  };

  bool count(std::size_t begin);
  bool open(Node::Value value, std::size_t begin);
  bool attach(Node node);
  void close_map(Node& node);
  [[nodiscard]] std::string path() const;
  [[nodiscard]] SourceRange range(std::size_t begin, std::size_t end) const;

  Diagnostics& diagnostics_;
  ReadOptions options_;
  std::vector<Frame> stack_;
  std::optional<Node> root_;
  std::size_t values_ = 0;
};

}  // namespace amdcompat::hsa
