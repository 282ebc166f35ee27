// What there is in this machine: GPUs of AMD, and devices of OpenCL.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <amdcompat/gpu.hpp>

#include <runtime/runner.hpp>

namespace amdcompat::cli {

struct MachineGpu {
  std::string place;         // "0000:03:00.0"
  std::uint16_t id = 0;      // PCI device
  std::uint8_t revision = 0;
  std::string name;          // as it is sold; empty: nothing says it
  const Target* target = nullptr;  // null: not known
  std::string source;        // of `target`: "kernel driver", "PCI id", "name"
};
struct Machine {
  opencl::Survey opencl;
  std::vector<MachineGpu> gpus;  // in the order of their places
};

// GPUs of AMD below `root`, which is "/" but for tests: what the kernel driver for compute says in sys/class/kfd, then
// PCI ids in sys/bus/pci/devices, with names of usr/share/libdrm/amdgpu.ids.
[[nodiscard]] std::vector<MachineGpu> find_gpus(const std::filesystem::path& root);
// The same of this machine (or of the one whose root directory AMDCOMPAT_SYSROOT names), and its OpenCL devices.
[[nodiscard]] Machine look_at_machine();

}  // namespace amdcompat::cli
