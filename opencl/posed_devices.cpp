#include "posed_devices.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include <amdcompat/device.hpp>

namespace amdcompat::layer {
namespace {

// Compute units, clocks and boards of the fastest desktop card of each, from AMD's product pages; not verified against
// answers of the drivers.
constexpr PosedDevice kDevices[] = {
    {"Tahiti", "AMD Radeon HD 7900 Series", 32, 925},
    {"Pitcairn", "AMD Radeon HD 7800 Series", 20, 1000},
    {"Capeverde", "AMD Radeon HD 7700 Series", 10, 1000},
    {"Oland", "AMD Radeon HD 8600 Series", 6, 1050},
    {"Hainan", "AMD Radeon HD 8500M Series", 5, 925},
    {"Bonaire", "AMD Radeon HD 7700 Series", 14, 1000},
    {"Hawaii", "AMD Radeon R9 200 Series", 44, 1000},
    {"Spectre", "AMD Radeon R7 Graphics", 8, 720},
    {"Spooky", "AMD Radeon R7 Graphics", 6, 720},
    {"Kalindi", "AMD Radeon HD 8400 / R3 Series", 2, 600},
    {"Mullins", "AMD Radeon R6 Graphics", 2, 500},
    {"Tonga", "AMD Radeon R9 200 Series", 28, 918},
    {"Iceland", "AMD Radeon R7 M260", 6, 980},
    {"Carrizo", "AMD Radeon R7 Graphics", 8, 800},
    {"Fiji", "AMD Radeon R9 Fury Series", 64, 1050},
    {"Ellesmere", "AMD Radeon RX 480", 36, 1266},
    {"Baffin", "AMD Radeon RX 460", 14, 1200},
};
bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::span<const PosedDevice> posed_devices() { return kDevices; }

const PosedDevice* find_posed(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const Device* const device = find_device(lower);
  const auto at = std::ranges::find_if(kDevices, [&](const PosedDevice& posed) {
    return same_letters(posed.name, device != nullptr ? device->name : name);
  });
  return at == std::end(kDevices) ? nullptr : &*at;
}

}  // namespace amdcompat::layer
