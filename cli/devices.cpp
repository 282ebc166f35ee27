// `devices`: the device table, from Catalyst's names to targets, machine numbers and flags.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <amdcompat/device.hpp>

#include "verbs.hpp"

namespace amdcompat::cli {

int run_devices(const std::string& format) {
  if (format == "json") {
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
    return write_stdout(out.dump(2) + "\n") ? kDone : kInputOutput;
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
  return write_stdout(out) ? kDone : kInputOutput;
}

}  // namespace amdcompat::cli
