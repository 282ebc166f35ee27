// What Catalyst's OpenCL answered about its devices.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace amdcompat::layer {

struct PosedDevice {
  std::string_view name;  // CL_DEVICE_NAME, as AMD writes it
  std::string_view board;  // CL_DEVICE_BOARD_NAME_AMD
  std::uint32_t compute_units;
  std::uint32_t clock;  // MHz
};
[[nodiscard]] std::span<const PosedDevice> posed_devices();
// By `amdcompat devices` name or alias, in any case; null: no such row.
[[nodiscard]] const PosedDevice* find_posed(std::string_view name);

}  // namespace amdcompat::layer
