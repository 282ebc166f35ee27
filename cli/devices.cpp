// `devices`: the device table, from Catalyst's names to targets, machine numbers and flags; GPUs as they are sold; and
// what takes code for a target.
#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <amdcompat/gpu.hpp>

#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

using Json = nlohmann::ordered_json;

bool put(std::string_view text, const DevicesOptions& options) {
  if (!options.output.empty()) return write_output(options.output, text);
  return options.json ? write_stdout(text) : write_page(text);
}

// Columns as wide as their widest cell; the last one has no end.
std::string table(const std::vector<std::vector<std::string_view>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows)
    for (std::size_t n = 0; n < row.size(); ++n) {
      if (n == widths.size()) widths.push_back(0);
      widths[n] = std::max(widths[n], row[n].size());
    }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t n = 0; n < row.size(); ++n) line += fmt::format("{:<{}}  ", row[n], widths[n]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string boards(bool json) {
  if (json) {
    Json out = Json::array();
    for (const Board& board : all_boards())
      out.push_back(
          {{"name", board.name}, {"device", board.device}, {"target", board.target}, {"source", board.source}});
    return out.dump(2) + "\n";
  }
  std::vector<std::vector<std::string_view>> rows{{"sold as", "device", "target", "source"}};
  for (const Board& board : all_boards())
    rows.push_back({board.name, board.device.empty() ? "-" : board.device, board.target, board.source});
  return table(rows);
}

std::string targets(bool json) {
  if (json) {
    Json out = Json::array();
    for (const TargetSupport& row : all_target_support())
      out.push_back({{"target", row.target},
                     {"family", row.family},
                     {"runtime", row.runtime},
                     {"source", row.source},
                     {"remark", row.remark}});
    return out.dump(2) + "\n";
  }
  std::vector<std::vector<std::string_view>> rows{{"target", "family", "oldest runtime", "source", "remark"}};
  for (const TargetSupport& row : all_target_support())
    rows.push_back({row.target, row.family, row.runtime.empty() ? "-" : row.runtime, row.source, row.remark});
  return table(rows);
}

}  // namespace

int run_devices(const DevicesOptions& options) {
  if (options.boards || options.targets)
    return put(options.boards ? boards(options.json) : targets(options.json), options) ? kDone : kInputOutput;
  if (options.json) {
    auto out = nlohmann::ordered_json::array();
    for (const Device& device : all_devices()) {
      const Target* target = find_target(device.target);
      nlohmann::ordered_json row{
          {"name", device.name},     {"isa", isa_name(device.isa)},       {"e_machine", device.e_machine},
          {"target", device.target}, {"alternative", device.alternative}, {"source", device.source}};
      if (target != nullptr) {
        row["mach"] = target->mach;
        row["xnack"] = target->xnack;
        row["sramecc"] = target->sramecc;
      }
      out.push_back(std::move(row));
    }
    return put(out.dump(2) + "\n", options) ? kDone : kInputOutput;
  }
  std::string out = fmt::format("{:<12} {:<8} {:<9} {:<8} {:<5} {:<14} {}\n", "device", "isa", "e_machine", "target",
                                "mach", "features", "remark");
  for (const Device& device : all_devices()) {
    const Target* target = find_target(device.target);
    std::string features;
    if (target != nullptr && target->xnack) features = "xnack";
    if (target != nullptr && target->sramecc) features += features.empty() ? "sramecc" : " sramecc";
    std::string line =
        fmt::format("{:<12} {:<8} {:<9} {:<8} {:<5} {:<14} {}", device.name, isa_name(device.isa),
                    fmt::format("{:#x}", device.e_machine), device.target.empty() ? "-" : device.target,
                    target == nullptr ? "-" : fmt::format("{:#04x}", target->mach), features, device.remark);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  out += "\nother names\n";
  for (const DeviceAlias& alias : all_device_aliases()) out += fmt::format("{:<12} {}\n", alias.alias, alias.device);
  return put(out, options) ? kDone : kInputOutput;
}

}  // namespace amdcompat::cli
