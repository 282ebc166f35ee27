#include "metadata_json.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "json_text.hpp"

namespace amdcompat::migrate {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const hsa::Node& node);

struct JsonVisitor {
  Json operator()(hsa::Node::Nil) const { return nullptr; }
  Json operator()(const hsa::Node::Array& array) const {
    auto out = Json::array();
    for (const hsa::Node& item : array) out.push_back(to_json(item));
    return out;
  }
  Json operator()(const hsa::Node::Map& map) const {
    auto out = Json::object();
    for (const hsa::NodeEntry& entry : map) out[entry.key] = to_json(entry.value);
    return out;
  }
  template <class Scalar>
  Json operator()(const Scalar& scalar) const {
    return scalar;
  }
};

Json to_json(const hsa::Node& node) { return std::visit(JsonVisitor{}, node.value); }

// What metadata_json writes has five levels, and text that nests deeper is none of it.
constexpr std::size_t kMostLevels = 64;

// The tree of a text, without one of nlohmann's between them. As that does, the last value of a key is taken.
class TreeReader final : public nlohmann::json_sax<Json> {
 public:
  std::optional<hsa::Node> take() { return std::move(root_); }

  bool null() override { return scalar(hsa::Node::Nil()); }
  bool boolean(bool truth) override { return scalar(truth); }
  bool number_integer(std::int64_t number) override { return scalar(number); }
  bool number_unsigned(std::uint64_t number) override { return scalar(number); }
  bool number_float(double number, const std::string&) override { return scalar(number); }
  bool string(std::string& text) override { return scalar(std::move(text)); }
  bool binary(Json::binary_t&) override { return false; }  // no JSON has it
  bool start_object(std::size_t) override { return start<hsa::Node::Map>(); }
  bool start_array(std::size_t) override { return start<hsa::Node::Array>(); }
  bool key(std::string& name) override {
    keys_.back() = std::move(name);
    return true;
  }
  bool end_array() override { return end(); }
  bool end_object() override {
    auto& map = std::get<hsa::Node::Map>(open_.back().value);
    std::ranges::stable_sort(map, {}, &hsa::NodeEntry::key);
    // Of equal keys the last comes first in reverse, and stays.
    const auto rest = std::ranges::unique(map.rbegin(), map.rend(), {}, &hsa::NodeEntry::key);
    map.erase(map.begin(), rest.begin().base());
    return end();
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  // Where the value that comes stands.
  hsa::Node& place() {
    if (open_.empty()) return root_.emplace();
    if (auto* const map = std::get_if<hsa::Node::Map>(&open_.back().value)) {
      hsa::NodeEntry& entry = map->emplace_back();
      entry.key = std::move(keys_.back());
      return entry.value;
    }
    return std::get<hsa::Node::Array>(open_.back().value).emplace_back();
  }

  template <class T>
  bool scalar(T value) {
    place().value = std::move(value);
    return true;
  }

  template <class T>
  bool start() {
    if (open_.size() + 1 >= kMostLevels) return false;
    open_.emplace_back().value.emplace<T>();
    keys_.emplace_back();
    return true;
  }

  bool end() {
    hsa::Node node = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    place() = std::move(node);
    return true;
  }

  std::optional<hsa::Node> root_;
  std::vector<hsa::Node> open_;  // maps and arrays, outermost first
  std::vector<std::string> keys_;  // of each, the last one read
};

constexpr std::string_view kKernels = "amdhsa.kernels";

Json kernel_json(const hsa::MetadataKernel& kernel) {
  hsa::Metadata alone;
  alone.kernels.push_back(kernel);
  const hsa::Node root = hsa::to_node(alone);
  const auto& members = std::get<hsa::Node::Map>(root.value);
  const auto list = std::ranges::find(members, kKernels, &hsa::NodeEntry::key);
  return to_json(std::get<hsa::Node::Array>(list->value.value).front());
}

// The members of the document, in the object that is open.
void put_members(JsonText& out, const hsa::Metadata& metadata) {
  const bool mistyped = std::ranges::find(metadata.unknown, kKernels, &hsa::NodeEntry::key) != metadata.unknown.end();
  hsa::Metadata part{.version = metadata.version,
                     .target = metadata.target,
                     .printf = metadata.printf,
                     .kernels = {},
                     .unknown = metadata.unknown,
                     .where = {}};
  const hsa::Node root = hsa::to_node(part);
  for (const hsa::NodeEntry& entry : std::get<hsa::Node::Map>(root.value)) {
    if (entry.key != kKernels || mistyped) {
      out.member(entry.key, to_json(entry.value));
      continue;
    }
    out.open(kKernels, '[');
    for (const hsa::MetadataKernel& kernel : metadata.kernels) out.element(kernel_json(kernel));
    out.close();
  }
}

}  // namespace

std::string metadata_json(const hsa::Metadata& metadata) {
  std::string text;
  JsonText out([&text](std::string_view piece) { text += piece; });
  out.open('{');
  put_members(out, metadata);
  out.close();
  return text += '\n';
}

void put_metadata_json(JsonText& out, std::string_view key, const hsa::Metadata& metadata) {
  out.open(key, '{');
  put_members(out, metadata);
  out.close();
}

std::optional<hsa::Metadata> read_metadata_json(std::string_view json, Diagnostics& diagnostics) {
  TreeReader reader;
  if (!Json::sax_parse(json, &reader)) return std::nullopt;
  std::optional<hsa::Node> node = reader.take();
  return node ? hsa::from_node(std::move(*node), diagnostics) : std::nullopt;
}

}  // namespace amdcompat::migrate
