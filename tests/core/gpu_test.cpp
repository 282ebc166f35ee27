// GPUs by all their names, and what takes code for them.
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <amdcompat/gpu.hpp>

namespace amdcompat::gpu_test {
namespace {

TEST(Boards, EveryDeviceWithATargetIsSoldAsSomething) {
  std::set<std::string_view> devices;
  for (const Board& board : all_boards()) devices.insert(board.device);
  for (const Device& device : all_devices()) {
    // A class of devices, one that LLVM does not know, and a name that nobody sold.
    if (device.name == "r7xx" || device.name == "kauai") continue;
    EXPECT_TRUE(devices.contains(device.name)) << device.name;
  }
}

TEST(Boards, HaveRowsThatResolveAndNamesThatAreFound) {
  std::set<std::string_view> names;
  for (const Board& board : all_boards()) {
    EXPECT_TRUE(names.insert(board.name).second) << board.name;
    EXPECT_NE(find_target(board.target), nullptr) << board.name;
    EXPECT_EQ(board.device.empty(), find_device(board.device) == nullptr) << board.name;
    EXPECT_FALSE(board.source.empty()) << board.name;
    const auto found = find_gpu(board.name);
    ASSERT_TRUE(found) << board.name;
    EXPECT_EQ(found->board, &board) << board.name << " and " << found->board->name << " are one name";
    EXPECT_EQ(found->target->name, board.target);
  }
}

TEST(Support, HasEveryTargetButThoseOfVliw) {
  for (const Target& target : all_targets()) {
    const TargetSupport* const support = find_target_support(target.name);
    EXPECT_EQ(support != nullptr, target.generation.has_value()) << target.name;
    if (support == nullptr) continue;
    EXPECT_FALSE(support->family.empty()) << target.name;
    EXPECT_EQ(support->runtime.empty(), support->source == kNotVerified) << target.name;
  }
  for (const TargetSupport& row : all_target_support()) EXPECT_NE(find_target(row.target), nullptr) << row.target;
}

TEST(PciIds, AreOfTargetsThatThereAre) {
  for (const PciRange& range : all_pci_ranges()) {
    EXPECT_NE(find_target(range.target), nullptr) << range.chip;
    EXPECT_EQ(find_pci(range.first), &range);
    EXPECT_EQ(find_pci(range.last), &range);
  }
  EXPECT_EQ(find_pci(0x73bf)->target, "gfx1030");
  EXPECT_EQ(find_pci(0x744c), nullptr) << "the kernel driver has no list for it";
}

TEST(FindGpu, TakesTargetsDevicesAndBoardsInAnySpelling) {
  for (const char* name :
       {"gfx1030", "GFX1030", "RX 6800", "rx6800", "Radeon RX 6800", "AMD Radeon(TM) RX 6800 Graphics"})
    EXPECT_EQ(find_gpu(name).value().target->name, "gfx1030") << name;
  for (const char* name : {"tahiti", "Tahiti", "HD 7970", "hd-7970", "Radeon HD 7970 Series"})
    EXPECT_EQ(find_gpu(name).value().device->name, "tahiti") << name;
  EXPECT_EQ(find_gpu("verde").value().device->name, "capeverde");
  EXPECT_EQ(find_gpu("Instinct MI100").value().board, find_gpu("mi100").value().board);
  for (const char* name : {"", "radeon", "RX 6801", "7970", "gfx604", "kauai"}) EXPECT_FALSE(find_gpu(name)) << name;
}

TEST(FindGpu, SuggestsTheNearestName) {
  EXPECT_EQ(nearest_gpu("gfx1003"), "gfx1030");
  EXPECT_EQ(nearest_gpu("RX 6880"), "Radeon RX 6800");
  EXPECT_EQ(nearest_gpu("thaiti"), "tahiti");
  EXPECT_EQ(nearest_gpu("GeForce 8800"), "");
}

TEST(FindTarget, ReadsTheVersionOfTheKernelDriver) {
  EXPECT_EQ(find_target_by_version(100300)->name, "gfx1030");
  EXPECT_EQ(find_target_by_version(90010)->name, "gfx90a");
  EXPECT_EQ(find_target_by_version(90012)->name, "gfx90c");
  EXPECT_EQ(find_target_by_version(80003)->name, "gfx803");
  EXPECT_EQ(find_target_by_version(0), nullptr);
}

std::string period(std::string_view driver) {
  const auto release = driver_release(driver);
  return release ? release->build + ": " + driver_period(*release) : "";
}

TEST(DriverRelease, SaysBetweenWhichReleasesADriverLies) {
  EXPECT_EQ(period("@(#) OpenCL 1.2 AMD-APP (1124.2).  Driver version: 1124.2 (VM)"), "1124.2: Catalyst 13.4, 2013");
  EXPECT_EQ(period("@(#) OpenCL 1.1 AMD-APP (923.1).  Driver version: CAL 1.4.1720"),
            "923.1: before Catalyst 12.10: 2012 or older");
  EXPECT_EQ(period("OpenCL 1.2 AMD-APP (1214.3)"), "1214.3: between Catalyst 13.4 and 13.12: 2013");
  EXPECT_EQ(period("OpenCL 1.2 AMD-APP (1445.5)"), "1445.5: between Catalyst 13.12 and 14.12: 2013 or 2014");
  EXPECT_EQ(period("OpenCL 1.2 AMD-APP (1912.5)"), "1912.5: after Catalyst 14.12: 2014 or newer");
  // The number of the OpenCL 2.0 compiler library is another one.
  EXPECT_EQ(period("AMD-COMP-LIB-v0.8 (0.0.326)"), "");
  EXPECT_EQ(period("AMD-APP ("), "");
  EXPECT_EQ(period("AMD-APP (99999999999999999999.1)"), "");
}

TEST(NearestWord, IsOneThatCanBeMeant) {
  constexpr std::string_view kWords[] = {"convert", "inspect", "check", "lift"};
  EXPECT_EQ(nearest_word("covnert", kWords), "convert");
  EXPECT_EQ(nearest_word("chekc", kWords), "check");
  EXPECT_EQ(nearest_word("lfit", kWords), "lift");
  EXPECT_EQ(nearest_word("explode", kWords), "");
  EXPECT_EQ(nearest_word("", kWords), "");
}

}  // namespace
}  // namespace amdcompat::gpu_test
