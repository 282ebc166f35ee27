#include "machine.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace amdcompat::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kAmd = 0x1002;
// Class codes: display controllers, and the processing accelerators that Instinct boards without a display are.
constexpr std::uint32_t kDisplay = 0x03, kAccelerator = 0x12;

std::string first_line(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

std::optional<std::uint32_t> number(std::string_view text, int base) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  std::uint32_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return out;
}

std::vector<fs::path> entries(const fs::path& directory) {
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    out.push_back(at->path());
  std::ranges::sort(out);
  return out;
}

// A GPU of the kernel driver for compute; the names of its properties are not verified against the driver's source.
struct Node {
  std::uint32_t version = 0, location = 0, domain = 0;
};

std::vector<Node> compute_nodes(const fs::path& root) {
  std::vector<Node> out;
  for (const fs::path& directory : entries(root / "sys/class/kfd/kfd/topology/nodes")) {
    std::ifstream in(directory / "properties");
    Node node;
    for (std::string key, value; in >> key >> value;) {
      const std::uint32_t read = number(value, 10).value_or(0);
      if (key == "gfx_target_version") node.version = read;
      if (key == "location_id") node.location = read;
      if (key == "domain") node.domain = read;
    }
    if (node.version != 0) out.push_back(node);  // processors have none
  }
  return out;
}

// `location_id` is bus, device and function as PCI packs them.
std::string place_of(const Node& node) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", node.domain, node.location >> 8 & 0xff, node.location >> 3 & 0x1f,
                     node.location & 7);
}

// Lines of amdgpu.ids: device, revision, name. [IDS]
std::string sold_as(const fs::path& root, std::uint16_t device, std::uint8_t revision) {
  std::ifstream in(root / "usr/share/libdrm/amdgpu.ids");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    if (line.starts_with('#') || second == std::string::npos) continue;
    const auto strip = [](std::string_view text) {
      while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
      while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
      return text;
    };
    const std::string_view all = line;
    if (number(strip(all.substr(0, first)), 16) != device ||
        number(strip(all.substr(first + 1, second - first - 1)), 16) != revision)
      continue;
    std::string_view name = strip(all.substr(second + 1));
    if (name.starts_with("AMD ")) name.remove_prefix(4);
    return std::string(name);
  }
  return {};
}

}  // namespace

std::vector<MachineGpu> find_gpus(const fs::path& root) {
  std::vector<MachineGpu> out;
  std::vector<Node> nodes = compute_nodes(root);
  for (const fs::path& directory : entries(root / "sys/bus/pci/devices")) {
    const auto vendor = number(first_line(directory / "vendor"), 16),
               device = number(first_line(directory / "device"), 16),
               kind = number(first_line(directory / "class"), 16);
    if (vendor != kAmd || !device || !kind || (*kind >> 16 != kDisplay && *kind >> 16 != kAccelerator)) continue;
    MachineGpu gpu;
    gpu.place = directory.filename().string();
    gpu.id = static_cast<std::uint16_t>(*device);
    gpu.revision = static_cast<std::uint8_t>(number(first_line(directory / "revision"), 16).value_or(0));
    gpu.name = sold_as(root, gpu.id, gpu.revision);
    const auto node = std::ranges::find(nodes, gpu.place, place_of);
    if (node != nodes.end()) {
      gpu.target = find_target_by_version(node->version);
      gpu.source = "kernel driver";
      nodes.erase(node);
    }
    if (gpu.target == nullptr)
      if (const PciRange* const range = find_pci(gpu.id); range != nullptr) {
        gpu.target = find_target(range->target);
        gpu.source = "PCI id";
        if (gpu.name.empty()) gpu.name = range->chip;
      }
    if (gpu.target == nullptr)
      if (const auto known = find_gpu(gpu.name); known) {
        gpu.target = known->target;
        gpu.source = "name";
      }
    if (gpu.target == nullptr) gpu.source.clear();
    out.push_back(std::move(gpu));
  }
  // What the kernel driver has and PCI does not show, as in a container.
  for (const Node& node : nodes) {
    MachineGpu gpu;
    gpu.place = place_of(node);
    gpu.target = find_target_by_version(node.version);
    gpu.source = gpu.target != nullptr ? "kernel driver" : "";
    out.push_back(std::move(gpu));
  }
  return out;
}

Machine look_at_machine() {
  const char* const root = std::getenv("AMDCOMPAT_SYSROOT");
  return {opencl::survey(), find_gpus(root != nullptr && *root != 0 ? root : "/")};
}

}  // namespace amdcompat::cli
