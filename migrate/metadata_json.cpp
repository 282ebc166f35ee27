#include "metadata_json.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

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

// What to_json makes has five levels, and text that nests deeper is none of it.
constexpr int kMostLevels = 64;

std::optional<hsa::Node> from_json(const Json& json, int levels) {
  hsa::Node out;
  if (levels == 0) return std::nullopt;
  if (json.is_boolean()) {
    out.value = json.get<bool>();
  } else if (json.is_number_unsigned()) {
    out.value = json.get<std::uint64_t>();
  } else if (json.is_number_integer()) {
    out.value = json.get<std::int64_t>();
  } else if (json.is_number_float()) {
    out.value = json.get<double>();
  } else if (json.is_string()) {
    out.value = json.get<std::string>();
  } else if (json.is_array()) {
    hsa::Node::Array array;
    for (const Json& item : json) {
      std::optional<hsa::Node> node = from_json(item, levels - 1);
      if (!node) return std::nullopt;
      array.push_back(std::move(*node));
    }
    out.value = std::move(array);
  } else if (json.is_object()) {
    hsa::Node::Map map;
    for (const auto& [key, item] : json.items()) {
      std::optional<hsa::Node> node = from_json(item, levels - 1);
      if (!node) return std::nullopt;
      map.push_back({key, std::move(*node)});
    }
    std::ranges::sort(map, {}, &hsa::NodeEntry::key);
    out.value = std::move(map);
  }
  return out;
}

}  // namespace

std::string metadata_json(const hsa::Metadata& metadata) {
  return to_json(hsa::to_node(metadata)).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<hsa::Metadata> read_metadata_json(std::string_view json, Diagnostics& diagnostics) {
  const Json parsed = Json::parse(json, nullptr, false);
  if (parsed.is_discarded()) return std::nullopt;
  std::optional<hsa::Node> node = from_json(parsed, kMostLevels);
  return node ? hsa::from_node(std::move(*node), diagnostics) : std::nullopt;
}

}  // namespace amdcompat::migrate
