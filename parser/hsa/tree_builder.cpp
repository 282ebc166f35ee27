#include "tree_builder.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "schema.hpp"

namespace amdcompat::hsa {
namespace {
// The writers and a tree's destructor recurse, so that even a caller's own limit has one.
constexpr std::size_t kDeepest = 500;
}  // namespace

TreeBuilder::TreeBuilder(Diagnostics& diagnostics, const ReadOptions& options)
    : diagnostics_(diagnostics), options_(options) {
  options_.max_depth = std::min(options_.max_depth, kDeepest);
}

bool TreeBuilder::at_key() const {
  return !stack_.empty() && std::holds_alternative<Node::Map>(stack_.back().node.value) && !stack_.back().has_key;
}

bool TreeBuilder::scalar(Node::Value&& value, std::size_t begin, std::size_t end) {
  if (!count(begin)) return false;
  if (at_key()) {
    auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) {
      report(Code::HsaKeyNotText, begin, end,
             fmt::format("expected a key, found {}", node_kind_name({std::move(value), {}})));
      return false;
    }
    stack_.back().key = std::move(*text);
    stack_.back().has_key = true;
    return true;
  }
  return attach({std::move(value), {range(begin, end)}});
}

bool TreeBuilder::begin_list(std::size_t begin) { return open(Node::Array{}, begin); }
bool TreeBuilder::begin_map(std::size_t begin) { return open(Node::Map{}, begin); }

bool TreeBuilder::open(Node::Value value, std::size_t begin) {
  if (!count(begin)) return false;
  if (at_key()) {
    report(Code::HsaKeyNotText, begin, begin + 1,
           fmt::format("expected a key, found {}", node_kind_name({std::move(value), {}})));
    return false;
  }
  if (stack_.size() >= options_.max_depth) {
    report(Code::HsaTooDeep, begin, begin + 1, fmt::format("nested over {} levels", options_.max_depth));
    return false;
  }
  stack_.push_back({{std::move(value), {range(begin, begin)}}, {}, false});
  return true;
}

bool TreeBuilder::end(std::size_t end) {
  Node node = std::move(stack_.back().node);
  node.where.range = range(node.where.range.begin - options_.base, end);
  close_map(node);
  stack_.pop_back();
  return attach(std::move(node));
}

bool TreeBuilder::attach(Node node) {
  if (stack_.empty()) {
    root_ = std::move(node);
    return true;
  }
  Frame& parent = stack_.back();
  if (auto* list = std::get_if<Node::Array>(&parent.node.value)) {
    list->push_back(std::move(node));
  } else {
    std::get<Node::Map>(parent.node.value).push_back({std::move(parent.key), std::move(node)});
    parent.key.clear();
    parent.has_key = false;
  }
  return true;
}

// Sorts the finished map (still on the stack, for the path) and drops all but the first of doubled keys.
void TreeBuilder::close_map(Node& node) {
  auto* map = std::get_if<Node::Map>(&node.value);
  if (map == nullptr) return;
  std::ranges::stable_sort(*map, {}, &NodeEntry::key);
  for (std::size_t i = 1; i < map->size(); ++i) {
    const NodeEntry& entry = (*map)[i];
    if (entry.key != (*map)[i - 1].key) continue;
    stack_.back().key = entry.key;
    stack_.back().has_key = true;
    diagnostics_.report(Code::HsaDuplicateKey, entry.value.where.range, "its map has the key already", path());
  }
  const auto rest = std::ranges::unique(*map, {}, &NodeEntry::key);
  map->erase(rest.begin(), rest.end());
}

bool TreeBuilder::count(std::size_t begin) {
  if (++values_ <= options_.max_values) return true;
  report(Code::HsaTooLarge, begin, begin, fmt::format("more than {} values", options_.max_values));
  return false;
}

void TreeBuilder::report(Code code, std::size_t begin, std::size_t end, std::string message) {
  diagnostics_.report(code, range(begin, end), std::move(message), path());
}

std::string TreeBuilder::path() const {
  std::string path;
  for (const Frame& frame : stack_) {
    if (const auto* list = std::get_if<Node::Array>(&frame.node.value))
      append_index(path, list->size());
    else if (frame.has_key)
      append_key(path, frame.key);
  }
  return path;
}

SourceRange TreeBuilder::range(std::size_t begin, std::size_t end) const {
  constexpr std::uint64_t kLast = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t from = std::min<std::uint64_t>(std::uint64_t{options_.base} + begin, kLast);
  const std::uint64_t to = std::min<std::uint64_t>(std::uint64_t{options_.base} + std::max(begin, end), kLast);
  return {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to - from)};
}

}  // namespace amdcompat::hsa
