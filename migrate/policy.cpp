#include "policy.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <amdcompat/device.hpp>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace amdcompat::migrate {

namespace {

constexpr std::array<std::string_view, 3> kForms{"yaml", "json", "msgpack"};
constexpr std::uint64_t kMostNumber = std::uint64_t{1} << 50;  // of a limit: nothing overflows when it is multiplied

// Name under which a device's target is looked up; empty: no device of the table and no processor.
std::string device_key(std::string_view name) {
  if (name == "*") return "*";
  if (const Device* const device = find_device(name)) return std::string(device->name);
  if (const Target* const target = find_target(name)) return std::string(target->name);
  return {};
}

std::array<std::string_view, std::size(pipeline::kLayouts)> layout_names() {
  std::array<std::string_view, std::size(pipeline::kLayouts)> out;
  std::ranges::transform(pipeline::kLayouts, out.begin(), pipeline::layout_name);
  return out;
}

class PolicyReader {
 public:
  PolicyReader(std::string_view text, Policy& policy, Diagnostics& diagnostics)
      : text_(text), policy_(policy), diagnostics_(diagnostics) {}

  bool run() {
    const toml::parse_result parsed = toml::parse(text_);
    if (!parsed) {
      fail(parsed.error().source(), std::string(parsed.error().description()));
      return false;
    }
    for (const auto& [key, node] : parsed.table()) read(key.str(), node);
    return good_;
  }

 private:
  void read(std::string_view key, const toml::node& node) {
    if (key == "layout") {
      if (const auto index = choice(key, node, layout_names())) policy_.request.layout = pipeline::kLayouts[*index];
    } else if (key == "code-object") {
      if (const auto number = integer(key, node, 3, 6))
        policy_.request.object.version = static_cast<hsa::CodeObjectVersion>(*number);
    } else if (key == "metadata") {
      if (const auto index = choice(key, node, kForms)) policy_.metadata = kForms[*index];
    } else if (key == "compiler") {
      if (const auto name = node.value_exact<std::string_view>(); name && !name->empty())
        policy_.compiler = *name;
      else
        fail(node.source(), "'compiler' is the name of a compiler, or none");
    } else if (key == "lift") {
      boolean(key, node, policy_.lift);
    } else if (key == "prove") {
      boolean(key, node, policy_.request.prove);
    } else if (key == "seed") {
      if (const auto number = integer(key, node, 0, 0xffffffffu))
        policy_.request.proof.seed = static_cast<std::uint32_t>(*number);
    } else if (key == "strict") {
      boolean(key, node, policy_.strict);
    } else if (key == "scan") {
      boolean(key, node, policy_.scan);
    } else if (key == "archives") {
      boolean(key, node, policy_.archives);
    } else if (key == "targets") {
      if (const toml::table* const table = section(key, node))
        for (const auto& [device, target] : *table) read_target(device.str(), target);
    } else if (key == "limits") {
      if (const toml::table* const table = section(key, node))
        for (const auto& [name, value] : *table) read_limit(name.str(), value);
    } else {
      fail(node.source(), fmt::format("'{}' is no key of a policy", key));
    }
  }

  void read_target(std::string_view device, const toml::node& node) {
    const std::string name = device_key(device);
    if (name.empty()) return fail(node.source(), fmt::format("'{}' is no device of the device table", device));
    const auto value = node.value_exact<std::string_view>();
    if (!value) return fail(node.source(), fmt::format("the target of '{}' is no string", device));
    if (!hsa::parse_target(*value))
      return fail(node.source(), fmt::format("'{}' is no target of the device table", *value));
    policy_.targets[name] = *value;
  }

  void read_limit(std::string_view name, const toml::node& node) {
    Limits& limits = policy_.limits;
    // A program's places are 32-bit numbers.
    struct Row {
      std::string_view name;
      std::uint64_t* value;
      std::uint64_t most;
    };
    const std::array<Row, 7> rows{{{"program-bytes", &limits.program_bytes, std::uint64_t{1} << 30},
                                   {"archive-bytes", &limits.archive_bytes, kMostNumber},
                                   {"archive-ratio", &limits.archive_ratio, 1'000'000},
                                   {"archive-members", &limits.archive_members, kMostNumber},
                                   {"archive-depth", &limits.archive_depth, 16},
                                   {"proof-instructions", &policy_.request.proof_instructions, kMostNumber},
                                   {"all-proof-instructions", &limits.all_proof_instructions, kMostNumber}}};
    for (const Row& row : rows) {
      if (row.name != name) continue;
      if (const auto number = integer(name, node, 1, row.most)) *row.value = *number;
      return;
    }
    fail(node.source(), fmt::format("'{}' is no limit of a policy", name));
  }

  template <std::size_t N>
  std::optional<std::size_t> choice(std::string_view key, const toml::node& node,
                                    const std::array<std::string_view, N>& names) {
    const auto value = node.value_exact<std::string_view>();
    for (std::size_t i = 0; value && i < N; ++i)
      if (names[i] == *value) return i;
    fail(node.source(), fmt::format("'{}' is one of {}", key, fmt::join(names, ", ")));
    return std::nullopt;
  }
  std::optional<std::uint64_t> integer(std::string_view key, const toml::node& node, std::uint64_t least,
                                       std::uint64_t most) {
    const auto value = node.value_exact<std::int64_t>();
    if (value && *value >= 0 && static_cast<std::uint64_t>(*value) >= least &&
        static_cast<std::uint64_t>(*value) <= most)
      return static_cast<std::uint64_t>(*value);
    fail(node.source(), fmt::format("'{}' is a number from {} to {}", key, least, most));
    return std::nullopt;
  }
  void boolean(std::string_view key, const toml::node& node, bool& to) {
    const auto value = node.value_exact<bool>();
    if (!value) return fail(node.source(), fmt::format("'{}' is true or false", key));
    to = *value;
  }
  const toml::table* section(std::string_view key, const toml::node& node) {
    if (node.is_table()) return node.as_table();
    fail(node.source(), fmt::format("'{}' is a table", key));
    return nullptr;
  }

  // Lines and columns of the parser, which count characters, as an offset.
  void fail(const toml::source_region& source, std::string what) {
    good_ = false;
    std::size_t at = 0;
    for (toml::source_index line = 1; line < source.begin.line && at < text_.size(); ++line)
      at = std::min(text_.find('\n', at), text_.size() - 1) + 1;
    for (toml::source_index column = 1; column < source.begin.column && at < text_.size(); ++column) do
        ++at;
      while (at < text_.size() && (static_cast<unsigned char>(text_[at]) & 0xc0) == 0x80);
    diagnostics_.report(Code::PolicyInvalid, {static_cast<std::uint32_t>(at), 0}, std::move(what));
  }

  std::string_view text_;
  Policy& policy_;
  Diagnostics& diagnostics_;
  bool good_ = true;
};

}  // namespace

std::string canonical_policy(const Policy& policy) {
  nlohmann::ordered_json out;
  out["layout"] = pipeline::layout_name(policy.request.layout);
  const auto& version = policy.request.object.version;
  out["code_object"] = version ? static_cast<std::uint32_t>(*version) : 0;
  out["targets"] = nlohmann::ordered_json::object();
  for (const auto& [device, target] : policy.targets) out["targets"][device] = target;
  out["metadata"] = policy.metadata;
  out["compiler"] = policy.request.compiler != nullptr ? policy.request.compiler->name() : std::string("none");
  out["lift"] = policy.lift;
  out["prove"] = policy.request.prove;
  out["seed"] = policy.request.proof.seed;
  out["strict"] = policy.strict;
  out["scan"] = policy.scan;
  out["archives"] = policy.archives;
  out["limits"] = {{"program_bytes", policy.limits.program_bytes},
                   {"archive_bytes", policy.limits.archive_bytes},
                   {"archive_ratio", policy.limits.archive_ratio},
                   {"archive_members", policy.limits.archive_members},
                   {"archive_depth", policy.limits.archive_depth},
                   {"proof_instructions", policy.request.proof_instructions},
                   {"all_proof_instructions", policy.limits.all_proof_instructions}};
  return out.dump();
}

bool read_policy(std::string_view toml, Policy& policy, Diagnostics& diagnostics) {
  return PolicyReader(toml, policy, diagnostics).run();
}

bool add_target(std::string_view text, Policy& policy, Diagnostics& diagnostics) {
  const std::size_t equals = text.find('=');
  const std::string device = equals == std::string_view::npos ? "*" : device_key(text.substr(0, equals));
  const std::string_view target = equals == std::string_view::npos ? text : text.substr(equals + 1);
  if (device.empty())
    diagnostics.report(Code::PolicyInvalid, {}, fmt::format("'{}' is no device of the device table", text));
  else if (!hsa::parse_target(target))
    diagnostics.report(Code::PolicyInvalid, {}, fmt::format("'{}' is no target of the device table", target));
  else
    policy.targets[device] = target;
  return !device.empty() && hsa::parse_target(target).has_value();
}

bool wants_compiler(const Policy& policy) {
  return !policy.targets.empty() && policy.compiler != "none" && policy.request.layout != pipeline::Layout::InPlace;
}

std::optional<Diagnostic> compiler_refusal(const Policy& policy) {
  const hsa::CodeObjectVersion version = policy.request.object.version.value_or(compile::kUsualVersion);
  for (const auto& [device, target] : policy.targets)
    if (auto refused = policy.request.compiler->refusal(*hsa::parse_target(target), version)) return refused;
  return std::nullopt;
}

std::optional<hsa::TargetSpec> target_for(const Policy& policy, std::string_view device) {
  const std::string key = device_key(device);
  auto found = policy.targets.find(key);
  if (found == policy.targets.end()) found = policy.targets.find("*");
  return found == policy.targets.end() ? std::nullopt : hsa::parse_target(found->second);
}

}  // namespace amdcompat::migrate
