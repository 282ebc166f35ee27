#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <amdcompat/device.hpp>

namespace amdcompat::device_test {
namespace {

TEST(DeviceTable, HasEveryCalTargetOnceOrWithARemark) {
  std::set<std::uint16_t> seen;
  for (const Device& device : all_devices()) {
    EXPECT_GE(device.e_machine, 1001) << device.name;
    EXPECT_LE(device.e_machine, 1001 + 47) << device.name;
    EXPECT_FALSE(device.source.empty()) << device.name;
    if (!seen.insert(device.e_machine).second) {
      EXPECT_FALSE(device.remark.empty()) << device.name << " shares its e_machine";
    }
  }
  EXPECT_EQ(seen.size(), 48u);
}

TEST(DeviceTable, NamesAndAliasesAreUniqueAndLowerCase) {
  std::set<std::string_view> names;
  const auto add = [&](std::string_view name) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_TRUE(std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; })) << name;
  };
  for (const Device& device : all_devices()) add(device.name);
  for (const DeviceAlias& alias : all_device_aliases()) {
    add(alias.alias);
    EXPECT_FALSE(alias.source.empty()) << alias.alias;
    ASSERT_NE(find_device(alias.alias), nullptr) << alias.alias;
    EXPECT_EQ(find_device(alias.alias)->name, alias.device);
  }
}

TEST(DeviceTable, InnerCodesTellDevicesApartExceptWhereARemarkSaysOtherwise) {
  std::set<std::uint32_t> codes;
  for (const Device& device : all_devices()) {
    if (!device.inner_machine) continue;
    EXPECT_FALSE(is_il_encoding(*device.inner_machine)) << device.name;
    if (codes.insert(*device.inner_machine).second) continue;
    const bool explained = !device.remark.empty() || device.name == "rv770";
    EXPECT_TRUE(explained) << device.name;
  }
}

TEST(DeviceTable, EveryGcnDeviceHasATargetAndEveryTargetNameResolves) {
  for (const Device& device : all_devices()) {
    if (!is_vliw(device.isa)) {
      EXPECT_TRUE(device.target.starts_with("gfx")) << device.name;
    }
    if (!device.target.empty()) {
      EXPECT_NE(find_target(device.target), nullptr) << device.name;
    }
    if (!device.alternative.empty()) {
      EXPECT_NE(find_target(device.alternative), nullptr) << device.name;
    }
    EXPECT_NE(isa_name(device.isa), "unknown");
  }
}

TEST(DeviceTable, DefaultsFollowTheReferenceWhereSourcesDiffer) {
  const auto target = [](std::string_view name) { return find_device(name)->target; };
  EXPECT_EQ(target("tahiti"), "gfx600");
  EXPECT_EQ(target("verde"), "gfx601");
  EXPECT_EQ(target("oland"), "gfx602");
  EXPECT_EQ(find_device("oland")->alternative, "gfx601");
  EXPECT_EQ(target("hainan"), "gfx602");
  EXPECT_EQ(target("kaveri"), "gfx700");
  EXPECT_EQ(target("spooky"), "gfx700");
  EXPECT_EQ(target("kabini"), "gfx703");
  EXPECT_EQ(target("hawaii"), "gfx702");
  EXPECT_EQ(find_device("hawaii")->alternative, "gfx701");
  EXPECT_EQ(target("mullins"), "gfx703");
  EXPECT_EQ(target("godavari"), "gfx705");
  EXPECT_EQ(target("bonaire"), "gfx704");
  EXPECT_EQ(target("tongapro"), "gfx805");
  EXPECT_EQ(target("polaris10"), "gfx803");
  EXPECT_EQ(target("vega10"), "gfx900");
  EXPECT_EQ(target("cypress"), "cypress");
  EXPECT_EQ(find_target("cypress")->mach, 0x09);
  EXPECT_EQ(find_device("tiramisu"), nullptr);
}

TEST(DeviceTable, AMachineOfTwoDevicesAnswersTheOneAmdsRuntimeNames) {
  EXPECT_EQ(find_device_by_machine(0x40b)->name, "mullins");
  EXPECT_EQ(find_device_by_machine(0x40a)->name, "tonga");
  EXPECT_EQ(find_device_by_machine(0x3fe)->name, "pitcairn");
  EXPECT_EQ(find_device_by_machine(0x3e8), nullptr);
  EXPECT_EQ(find_device_by_machine(0x419), nullptr);
}

TEST(TargetTable, NamesAndMachsAreUniqueAndFoundBothWays) {
  std::set<std::string_view> names;
  std::set<unsigned> machs;
  for (const Target& target : all_targets()) {
    EXPECT_TRUE(names.insert(target.name).second) << target.name;
    EXPECT_TRUE(machs.insert(target.mach).second) << target.name;
    EXPECT_EQ(find_target(target.name), &target);
    EXPECT_EQ(find_target_by_mach(target.mach), &target);
    EXPECT_EQ(target.generic != 0, target.name.ends_with("-generic")) << target.name;
  }
  EXPECT_EQ(find_target("gfx604"), nullptr);
  EXPECT_EQ(find_target_by_mach(0), nullptr);
  EXPECT_EQ(find_target_by_mach(0x27), nullptr);  // reserved
}

TEST(TargetTable, KnowsWhichTargetsCanHaveXnackAndSramEcc) {
  EXPECT_FALSE(find_target("gfx803")->xnack);
  EXPECT_TRUE(find_target("gfx801")->xnack);
  EXPECT_TRUE(find_target("gfx906")->sramecc);
  EXPECT_FALSE(find_target("gfx900")->sramecc);
  EXPECT_FALSE(find_target("gfx1030")->xnack);
  EXPECT_TRUE(find_target("gfx9-4-generic")->sramecc);
}

}  // namespace
}  // namespace amdcompat::device_test
