// The two tables behind every question about hardware: what a Catalyst container may be for, and what LLVM calls it.
//
// e_machine is 1001 + CALtarget [RT14 elf.hpp]; CALtarget counts 0..47 in AMD's last runtime [RT gpudefs.hpp].
// One trap: in a 2014 state of the header 35 was a device that never shipped (Bermuda), Fiji 36 and Carrizo 37
// [RT14 cal.h], so 0x40c..0x40e of a file from that short period are ambiguous. The final numbering is used here;
// `;device:` of the metadata decides when it disagrees.
//
// The inner code is the `machine` of the CAL encoding dictionary. For VLIW devices it is not the CALtarget: real
// Cypress images have 9, Juniper images 0xd [BIN]; Redwood and all later VLIW codes are not known.
#include <amdcompat/device.hpp>

#include <algorithm>
#include <array>

namespace amdcompat {
namespace {

using enum Generation;

constexpr std::optional<std::uint32_t> kUnknown = std::nullopt;
constexpr std::string_view kGpudefs = "RT gpudefs.hpp DeviceInfo; LLVM TargetParser R600 names";
constexpr std::string_view kClrx = "RT gpudefs.hpp; CLRX amdbin inner codes; S1 Processors";
constexpr std::string_view kRc = "RT gpudefs.hpp; CLRX amdbin inner codes; RC device.cpp";
constexpr std::string_view kRcNoCode = "RT gpudefs.hpp; RC device.cpp; inner code not known";

constexpr std::array kDevices{
    Device{"r600", 0x3e9, 0, Isa::Vliw5, "r600", "", "RT14 cal headers; LU R600 processors", ""},
    Device{"rv610", 0x3ea, 1, Isa::Vliw5, "rs880", "", kGpudefs, "LLVM treats rv610 as rs880"},
    Device{"rv630", 0x3eb, 2, Isa::Vliw5, "r600", "r630", kGpudefs, "LLVM treats rv630 as r600"},
    Device{"rv670", 0x3ec, 3, Isa::Vliw5, "rv670", "", "RT14 cal headers; LU R600 processors", ""},
    Device{"r7xx", 0x3ed, 4, Isa::Vliw5, "rv770", "", kGpudefs,
           "the class target of R700; AMD's runtime gives it the inner code of rv770"},
    Device{"rv770", 0x3ee, 4, Isa::Vliw5, "rv770", "", "RT14 cal headers; LU R600 processors", ""},
    Device{"rv710", 0x3ef, 11, Isa::Vliw5, "rv710", "", "RT14 cal headers; LU R600 processors", ""},
    Device{"rv730", 0x3f0, 12, Isa::Vliw5, "rv730", "", "RT14 cal headers; LU R600 processors", ""},
    Device{"cypress", 0x3f1, 9, Isa::Vliw5, "cypress", "", "BIN: real Cypress images; LU R600 processors", ""},
    Device{"juniper", 0x3f2, 0xd, Isa::Vliw5, "juniper", "", "BIN: real Juniper images; LU R600 processors", ""},
    Device{"redwood", 0x3f3, kUnknown, Isa::Vliw5, "redwood", "", kGpudefs, ""},
    Device{"cedar", 0x3f4, kUnknown, Isa::Vliw5, "cedar", "", kGpudefs, ""},
    Device{"sumo", 0x3f5, kUnknown, Isa::Vliw5, "sumo", "", kGpudefs, ""},
    Device{"supersumo", 0x3f6, kUnknown, Isa::Vliw5, "sumo", "", kGpudefs, "LLVM treats sumo2 as sumo"},
    Device{"wrestler", 0x3f7, kUnknown, Isa::Vliw5, "cedar", "", kGpudefs,
           "the GPU of palm, which LLVM treats as cedar"},
    Device{"cayman", 0x3f8, kUnknown, Isa::Vliw4, "cayman", "", kGpudefs, ""},
    Device{"kauai", 0x3f9, kUnknown, Isa::Vliw5, "", "", "RT gpudefs.hpp DeviceInfo",
           "no LLVM processor has this name"},
    Device{"barts", 0x3fa, kUnknown, Isa::Vliw5, "barts", "", kGpudefs, ""},
    Device{"turks", 0x3fb, kUnknown, Isa::Vliw5, "turks", "", kGpudefs, ""},
    Device{"caicos", 0x3fc, kUnknown, Isa::Vliw5, "caicos", "", kGpudefs, ""},
    Device{"tahiti", 0x3fd, 0x1a, Isa::Gcn1_0, "gfx600", "", kClrx, ""},
    Device{"pitcairn", 0x3fe, 0x1b, Isa::Gcn1_0, "gfx601", "", kClrx, ""},
    Device{"capeverde", 0x3ff, 0x1c, Isa::Gcn1_0, "gfx601", "", kClrx, ""},
    Device{"devastator", 0x400, kUnknown, Isa::Vliw4, "cayman", "", kGpudefs,
           "the GPU of aruba (Trinity), which LLVM treats as cayman"},
    Device{"scrapper", 0x401, kUnknown, Isa::Vliw4, "cayman", "", kGpudefs,
           "the mobile GPU of aruba (Trinity), which LLVM treats as cayman"},
    Device{"oland", 0x402, 0x20, Isa::Gcn1_0, "gfx602", "gfx601", kClrx, "gfx601 in S1, gfx602 since LLVM 12"},
    Device{"bonaire", 0x403, 0x21, Isa::Gcn1_1, "gfx704", "", kRc, ""},
    Device{"spectre", 0x404, 0x22, Isa::Gcn1_1, "gfx700", "", kRc, ""},
    Device{"spooky", 0x405, 0x23, Isa::Gcn1_1, "gfx700", "", kRc, ""},
    Device{"kalindi", 0x406, 0x24, Isa::Gcn1_1, "gfx703", "gfx700", kRc,
           "S1 lists kabini under gfx703, RC lists kalindi under gfx700"},
    Device{"hainan", 0x407, 0x25, Isa::Gcn1_0, "gfx602", "gfx601", kClrx, "gfx601 in S1, gfx602 since LLVM 12"},
    Device{"hawaii", 0x408, 0x27, Isa::Gcn1_1, "gfx702", "gfx701", kRc, "gfx701 is the FirePro board"},
    Device{"iceland", 0x409, 0x29, Isa::Gcn1_2, "gfx802", "", kRc, ""},
    Device{"tonga", 0x40a, 0x2a, Isa::Gcn1_2, "gfx802", "gfx805", kRc, "tongapro has the same CALtarget"},
    Device{"tongapro", 0x40a, 0x2a, Isa::Gcn1_2, "gfx805", "gfx802", kRc,
           "a tonga board: CAL had one target for both, only a name that the user gives tells them apart"},
    Device{"mullins", 0x40b, 0x2b, Isa::Gcn1_1, "gfx703", "gfx705", kRc,
           "AMD's header calls this CALtarget Godavari, its runtime prints it as Mullins"},
    Device{"godavari", 0x40b, 0x2b, Isa::Gcn1_1, "gfx705", "gfx703", kRc,
           "the other name of mullins' CALtarget; RC gives gfx705 for it"},
    Device{"fiji", 0x40c, 0x2d, Isa::Gcn1_2, "gfx803", "", kRc, "0x40d in files of mid 2014"},
    Device{"carrizo", 0x40d, 0x2e, Isa::Gcn1_2, "gfx801", "", kRc, "0x40e in files of mid 2014"},
    Device{"ellesmere", 0x40e, 0x2f, Isa::Gcn1_2, "gfx803", "", kRc, ""},
    Device{"baffin", 0x40f, 0x2c, Isa::Gcn1_2, "gfx803", "", kRc, ""},
    Device{"greenland", 0x410, kUnknown, Isa::Gcn1_4, "gfx900", "", kRcNoCode, ""},
    Device{"stoney", 0x411, 0x31, Isa::Gcn1_2, "gfx810", "", kRc, ""},
    Device{"lexa", 0x412, 0x32, Isa::Gcn1_2, "gfx803", "", kRc, "Catalyst prints it as gfx804"},
    Device{"raven", 0x413, kUnknown, Isa::Gcn1_4, "gfx902", "", kRcNoCode, ""},
    Device{"raven2", 0x414, kUnknown, Isa::Gcn1_4, "gfx902", "gfx909", kRcNoCode,
           "AMD's runtime compiles it as gfx902; LLVM has gfx909 of its own for it"},
    Device{"renoir", 0x415, kUnknown, Isa::Gcn1_4, "gfx90c", "gfx902", kRcNoCode,
           "AMD's old runtime compiles it as gfx902"},
    Device{"polaris22", 0x416, kUnknown, Isa::Gcn1_2, "gfx803", "", kRcNoCode, "Catalyst prints it as gfx804"},
    Device{"vega12", 0x417, kUnknown, Isa::Gcn1_4, "gfx904", "", kRcNoCode, ""},
    Device{"vega20", 0x418, kUnknown, Isa::Gcn1_4, "gfx906", "", kRcNoCode, ""},
};

constexpr std::array kAliases{
    DeviceAlias{"aruba", "devastator", "LLVM TargetParser; S1"},
    DeviceAlias{"cape verde", "capeverde", "CLRX GPUId"},
    DeviceAlias{"gfx804", "lexa", "RT gpudefs.hpp: the name Catalyst prints for lexa and polaris22"},
    DeviceAlias{"gfx900", "greenland", "RT gpudefs.hpp: the name Catalyst prints"},
    DeviceAlias{"gfx904", "vega12", "RT gpudefs.hpp: the name Catalyst prints"},
    DeviceAlias{"gfx906", "vega20", "RT gpudefs.hpp: the name Catalyst prints"},
    DeviceAlias{"gfx902", "raven", "RT gpudefs.hpp: the name Catalyst prints for raven, raven2 and renoir"},
    DeviceAlias{"hemlock", "cypress", "LLVM TargetParser"},
    DeviceAlias{"kabini", "kalindi", "S1 Processors"},
    DeviceAlias{"kaveri", "spectre", "S1 Processors; RC device.cpp"},
    DeviceAlias{"palm", "wrestler", "LLVM TargetParser"},
    DeviceAlias{"polaris10", "ellesmere", "RC device.cpp comments"},
    DeviceAlias{"polaris11", "baffin", "RC device.cpp comments"},
    DeviceAlias{"polaris12", "lexa", "RC device.cpp comments"},
    DeviceAlias{"sumo2", "supersumo", "LLVM TargetParser"},
    DeviceAlias{"topaz", "iceland", "Linux amdgpu"},
    DeviceAlias{"trinity", "devastator", "RT14 cal headers"},
    DeviceAlias{"vega10", "greenland", "RC device.cpp comments"},
    DeviceAlias{"vegam", "polaris22", "RC device.cpp comments"},
    DeviceAlias{"verde", "capeverde", "S1 Processors"},
};

// [ELFH; LU]. XNACK and SRAM-ECC: which targets can have them [CODE GetMachInfo], not which have them by default.
constexpr std::array kTargets{
    Target{"r600", 0x01, false, false, 0, std::nullopt},
    Target{"r630", 0x02, false, false, 0, std::nullopt},
    Target{"rs880", 0x03, false, false, 0, std::nullopt},
    Target{"rv670", 0x04, false, false, 0, std::nullopt},
    Target{"rv710", 0x05, false, false, 0, std::nullopt},
    Target{"rv730", 0x06, false, false, 0, std::nullopt},
    Target{"rv770", 0x07, false, false, 0, std::nullopt},
    Target{"cedar", 0x08, false, false, 0, std::nullopt},
    Target{"cypress", 0x09, false, false, 0, std::nullopt},
    Target{"juniper", 0x0a, false, false, 0, std::nullopt},
    Target{"redwood", 0x0b, false, false, 0, std::nullopt},
    Target{"sumo", 0x0c, false, false, 0, std::nullopt},
    Target{"barts", 0x0d, false, false, 0, std::nullopt},
    Target{"caicos", 0x0e, false, false, 0, std::nullopt},
    Target{"cayman", 0x0f, false, false, 0, std::nullopt},
    Target{"turks", 0x10, false, false, 0, std::nullopt},
    Target{"gfx600", 0x20, false, false, 0, Gfx6},
    Target{"gfx601", 0x21, false, false, 0, Gfx6},
    Target{"gfx700", 0x22, false, false, 0, Gfx7},
    Target{"gfx701", 0x23, false, false, 0, Gfx7},
    Target{"gfx702", 0x24, false, false, 0, Gfx7},
    Target{"gfx703", 0x25, false, false, 0, Gfx7},
    Target{"gfx704", 0x26, false, false, 0, Gfx7},
    Target{"gfx801", 0x28, true, false, 0, Gfx8},
    Target{"gfx802", 0x29, false, false, 0, Gfx8},
    Target{"gfx803", 0x2a, false, false, 0, Gfx8},
    Target{"gfx810", 0x2b, true, false, 0, Gfx8},
    Target{"gfx900", 0x2c, true, false, 0, Gfx9},
    Target{"gfx902", 0x2d, true, false, 0, Gfx9},
    Target{"gfx904", 0x2e, true, false, 0, Gfx9},
    Target{"gfx906", 0x2f, true, true, 0, Gfx9},
    Target{"gfx908", 0x30, true, true, 0, Gfx9},
    Target{"gfx909", 0x31, true, false, 0, Gfx9},
    Target{"gfx90c", 0x32, true, false, 0, Gfx9},
    Target{"gfx1010", 0x33, true, false, 0, Gfx10_1},
    Target{"gfx1011", 0x34, true, false, 0, Gfx10_1},
    Target{"gfx1012", 0x35, true, false, 0, Gfx10_1},
    Target{"gfx1030", 0x36, false, false, 0, Gfx10_3},
    Target{"gfx1031", 0x37, false, false, 0, Gfx10_3},
    Target{"gfx1032", 0x38, false, false, 0, Gfx10_3},
    Target{"gfx1033", 0x39, false, false, 0, Gfx10_3},
    Target{"gfx602", 0x3a, false, false, 0, Gfx6},
    Target{"gfx705", 0x3b, false, false, 0, Gfx7},
    Target{"gfx805", 0x3c, false, false, 0, Gfx8},
    Target{"gfx1035", 0x3d, false, false, 0, Gfx10_3},
    Target{"gfx1034", 0x3e, false, false, 0, Gfx10_3},
    Target{"gfx90a", 0x3f, true, true, 0, Gfx9, true},
    Target{"gfx940", 0x40, true, true, 0, Gfx9, true},
    Target{"gfx1100", 0x41, false, false, 0, Gfx11},
    Target{"gfx1013", 0x42, true, false, 0, Gfx10_1},
    Target{"gfx1150", 0x43, false, false, 0, Gfx11},
    Target{"gfx1103", 0x44, false, false, 0, Gfx11},
    Target{"gfx1036", 0x45, false, false, 0, Gfx10_3},
    Target{"gfx1101", 0x46, false, false, 0, Gfx11},
    Target{"gfx1102", 0x47, false, false, 0, Gfx11},
    Target{"gfx1200", 0x48, false, false, 0, Gfx12},
    Target{"gfx1151", 0x4a, false, false, 0, Gfx11},
    Target{"gfx941", 0x4b, true, true, 0, Gfx9, true},
    Target{"gfx942", 0x4c, true, true, 0, Gfx9, true},
    Target{"gfx1201", 0x4e, false, false, 0, Gfx12},
    Target{"gfx950", 0x4f, true, true, 0, Gfx9, true},
    Target{"gfx9-generic", 0x51, true, false, 1, Gfx9},
    Target{"gfx10-1-generic", 0x52, true, false, 1, Gfx10_1},
    Target{"gfx10-3-generic", 0x53, false, false, 1, Gfx10_3},
    Target{"gfx11-generic", 0x54, false, false, 1, Gfx11},
    Target{"gfx1152", 0x55, false, false, 0, Gfx11},
    Target{"gfx1153", 0x58, false, false, 0, Gfx11},
    Target{"gfx12-generic", 0x59, false, false, 1, Gfx12},
    Target{"gfx9-4-generic", 0x5f, true, true, 1, Gfx9, true},
};

template <class Rows, class Value, class Member>
constexpr auto find_row(const Rows& rows, const Value& value, Member member) -> decltype(rows.data()) {
  const auto row = std::ranges::find(rows, value, member);
  return row == rows.end() ? nullptr : &*row;
}

// A typing error in a cross-reference is a build error, not a null pointer at run time.
constexpr bool every_name_resolves() {
  for (const Device& device : kDevices) {
    if (!device.target.empty() && find_row(kTargets, device.target, &Target::name) == nullptr) return false;
    if (!device.alternative.empty() && find_row(kTargets, device.alternative, &Target::name) == nullptr) return false;
  }
  for (const DeviceAlias& alias : kAliases)
    if (find_row(kDevices, alias.device, &Device::name) == nullptr) return false;
  return true;
}
static_assert(every_name_resolves(), "a device names a target, or an alias a device, that has no row");
static_assert(std::ranges::is_sorted(kTargets, {}, &Target::mach));
static_assert(std::ranges::is_sorted(kDevices, {}, &Device::e_machine));

}  // namespace

std::span<const Device> all_devices() { return kDevices; }
std::span<const DeviceAlias> all_device_aliases() { return kAliases; }
std::span<const Target> all_targets() { return kTargets; }

const Device* find_device(std::string_view name) {
  if (const Device* device = find_row(kDevices, name, &Device::name)) return device;
  const DeviceAlias* alias = find_row(kAliases, name, &DeviceAlias::alias);
  return alias == nullptr ? nullptr : find_row(kDevices, alias->device, &Device::name);
}

const Device* find_device_by_machine(std::uint16_t e_machine) {
  return find_row(kDevices, e_machine, &Device::e_machine);
}

const Target* find_target(std::string_view name) { return find_row(kTargets, name, &Target::name); }
const Target* find_target_by_mach(std::uint8_t mach) { return find_row(kTargets, mach, &Target::mach); }

std::uint32_t local_memory_bytes(const Target& target) {
  if (target.name == "gfx950") return 163'840;
  return !target.generation || *target.generation == Gfx6 ? 32'768 : 65'536;
}

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::Vliw5: return "VLIW5";
    case Isa::Vliw4: return "VLIW4";
    case Isa::Gcn1_0: return "GCN 1.0";
    case Isa::Gcn1_1: return "GCN 1.1";
    case Isa::Gcn1_2: return "GCN 1.2";
    case Isa::Gcn1_4: return "GCN 1.4";
  }
  return "unknown";
}

}  // namespace amdcompat
