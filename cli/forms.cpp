#include "forms.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace amdcompat::cli {

namespace {

using Json = nlohmann::ordered_json;

// What is written has five levels, and text that nests deeper is none of it.
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

std::optional<hsa::Metadata> read_metadata_json(std::string_view json, Diagnostics& diagnostics) {
  const Json parsed = Json::parse(json, nullptr, false);
  if (parsed.is_discarded()) return std::nullopt;
  std::optional<hsa::Node> node = from_json(parsed, kMostLevels);
  return node ? hsa::from_node(std::move(*node), diagnostics) : std::nullopt;
}

std::string canonical_text(const text::Document& document, text::MetadataVersion version, std::string_view kernel) {
  std::string out;
  std::optional<std::uint32_t> unit;
  const auto enter = [&](std::uint32_t number) {
    if (document.units > 1 && unit != number) out += "il_cs_2_0\n";
    unit = number;
  };
  auto block = document.blocks.begin();
  auto segment = document.segments.begin();
  while (block != document.blocks.end() || segment != document.segments.end()) {
    if (segment == document.segments.end() || (block != document.blocks.end() && block->first < segment->first)) {
      const auto name = text::kernel_name(document, *block);
      if (kernel.empty() || !name || *name == kernel) {
        enter(block->unit);
        // The bare HSAIL dialect stands for HSAIL pragmas too; AMDIL would change what some lines mean.
        const text::Dialect dialect =
            block->dialect == text::Dialect::Amdil ? text::Dialect::Amdil : text::Dialect::Hsail;
        out += text::print_block(document, *block, {version, dialect});
      }
      ++block;
    } else {
      enter(segment->unit);
      out += text::print_segment(document, *segment);
      ++segment;
    }
  }
  return out;
}

}  // namespace amdcompat::cli
