// `doctor`: what it finds in a machine, that it fits a screen, and that the command it gives does what it says.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "machine.hpp"
#include "support/process.hpp"

namespace doctor_test {
namespace {

using namespace amdcompat_test;
namespace fs = std::filesystem;
using amdcompat::cli::find_gpus;
using amdcompat::cli::MachineGpu;
using Json = nlohmann::json;

const fs::path kSamples = fs::path(AMDCOMPAT_SAMPLES) / "bin";

void put(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  write_file(path, text);
}
void put_pci(const fs::path& root, const std::string& place, std::string_view vendor, std::string_view device,
             std::string_view kind, std::string_view revision = "0xc1") {
  const fs::path directory = root / "sys/bus/pci/devices" / place;
  put(directory / "vendor", std::string(vendor) + "\n");
  put(directory / "device", std::string(device) + "\n");
  put(directory / "class", std::string(kind) + "\n");
  put(directory / "revision", std::string(revision) + "\n");
}

TEST(Machine, FindsGpusOfAmdByPciIdKernelDriverAndName) {
  const TemporaryDirectory root;
  const fs::path at = root / "";
  put_pci(at, "0000:00:02.0", "0x8086", "0x9a49", "0x030000");  // another vendor's
  put_pci(at, "0000:00:14.2", "0x1002", "0xab28", "0x040300");  // its sound
  put_pci(at, "0000:03:00.0", "0x1002", "0x73bf", "0x030000", "0xc3");
  put_pci(at, "0000:0b:00.0", "0x1002", "0x744c", "0x030000", "0xc8");  // in no list of PCI ids
  put_pci(at, "0000:0c:00.0", "0x1002", "0x7fff", "0x038000");
  put_pci(at, "0000:0d:00.0", "0x1002", "0x740f", "0x120000", "0x02");
  put(at / "usr/share/libdrm/amdgpu.ids", "# names\n1.0.0\n73BF,\tC3,\tAMD Radeon RX 6800\n744C,\tC8,\tAMD Radeon RX "
                                          "7900 XTX\n73BF,\tC1,\tAMD Radeon RX 6800 XT\n");
  // Node 0 is the processor; node 1 the accelerator, which the kernel driver knows better than any list.
  put(at / "sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 16\ngfx_target_version 0\n");
  put(at / "sys/class/kfd/kfd/topology/nodes/1/properties",
      "gfx_target_version 90010\nvendor_id 4098\ndevice_id 29711\nlocation_id 3328\ndomain 0\n");
  put(at / "sys/class/kfd/kfd/topology/nodes/2/properties", "gfx_target_version 110000\nlocation_id 16128\ndomain 0\n");
  const std::vector<MachineGpu> gpus = find_gpus(at);
  ASSERT_EQ(gpus.size(), 5u);
  const auto row = [](const MachineGpu& gpu) {
    return fmt::format("{} {} {} {}", gpu.place, gpu.name, gpu.target == nullptr ? "-" : gpu.target->name, gpu.source);
  };
  EXPECT_EQ(row(gpus[0]), "0000:03:00.0 Radeon RX 6800 gfx1030 PCI id");
  EXPECT_EQ(row(gpus[1]), "0000:0b:00.0 Radeon RX 7900 XTX gfx1100 name");
  EXPECT_EQ(row(gpus[2]), "0000:0c:00.0  - ");
  EXPECT_EQ(row(gpus[3]), "0000:0d:00.0  gfx90a kernel driver");
  EXPECT_EQ(row(gpus[4]), "0000:3f:00.0  gfx1100 kernel driver") << "what PCI does not show, as in a container";
}

TEST(Machine, WithoutAnyOfTheseDirectoriesHasNone) {
  const TemporaryDirectory root;
  EXPECT_TRUE(find_gpus(root / "").empty());
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

ProcessResult doctor(const std::string& arguments, const fs::path& directory = kSamples) {
  return run(fmt::format("cd '{}' && '{}' doctor {}", directory.string(), AMDCOMPAT_TOOL, arguments));
}

TEST(Doctor, LooksWhatIsInTheMachineAndSaysSo) {
  const TemporaryDirectory root;
  put_pci(root / "", "0000:03:00.0", "0x1002", "0x73bf", "0x030000", "0xc3");
  const auto found = run(fmt::format("cd '{}' && AMDCOMPAT_SYSROOT='{}' '{}' doctor --compiler none tahiti-923.clo",
                                     kSamples.string(), (root / "").string(), AMDCOMPAT_TOOL));
  EXPECT_EQ(found.status, 0);
  EXPECT_NE(found.output.find("GPU        Sienna Cichlid, 1002:73bf, gfx1030 by PCI id at 0000:03:00.0"),
            std::string::npos)
      << found.output;
  EXPECT_NE(found.output.find("wanted for Sienna Cichlid, gfx1030, RDNA 2"), std::string::npos) << found.output;
  const TemporaryDirectory empty;
  const auto none = run(fmt::format("cd '{}' && AMDCOMPAT_SYSROOT='{}' '{}' doctor --compiler none tahiti-923.clo",
                                    kSamples.string(), (empty / "").string(), AMDCOMPAT_TOOL));
  EXPECT_EQ(none.status, 0);
  EXPECT_NE(none.output.find("GPU        none of AMD"), std::string::npos) << none.output;
  EXPECT_NE(none.output.find("amdcompat lift -o tahiti-923.cl tahiti-923.clo"), std::string::npos) << none.output;
}

TEST(Doctor, TakesEveryNameOfAGpuAndSuggestsOne) {
  for (const char* name : {"'RX 6800'", "gfx1030", "'Radeon RX 6800'"}) {
    const auto answer = doctor(fmt::format("--compiler none --gpu {} tahiti-923.clo", name));
    EXPECT_EQ(answer.status, 0) << answer.output;
    EXPECT_NE(answer.output.find("gfx1030, RDNA 2"), std::string::npos) << answer.output;
  }
  const auto wrong = doctor("--gpu 'RX 6880' tahiti-923.clo");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.output.find("did you mean 'Radeon RX 6800'?"), std::string::npos) << wrong.output;
}

TEST(Doctor, EndsAsTheOtherVerbsDo) {
  EXPECT_EQ(doctor("--gpu cpu no-such-file").status, 3);
  EXPECT_EQ(doctor("--gpu cpu .").status, 3);
  const auto text = run(fmt::format("echo nonsense | '{}' doctor --gpu cpu -", AMDCOMPAT_TOOL));
  EXPECT_EQ(text.status, 1) << text.output;
}

// The screen of each sample: 80 columns, and no more lines than a terminal has.
TEST(Doctor, FitsAScreen) {
  for (const auto& entry : fs::directory_iterator(kSamples))
    for (const char* gpu : {"gfx601", "gfx1030", "cpu"}) {
      const std::string file = entry.path().filename().string();
      const auto answer = doctor(fmt::format("--compiler none --gpu {} {} 2>/dev/null", gpu, file));
      const auto page = lines_of(answer.output);
      EXPECT_LE(page.size(), 30u) << answer.output;
      for (const std::string& line : page) EXPECT_LE(line.size(), 80u) << file << ": " << line;
    }
}

// The next command of each sample, typed as it is printed: it ends with the status that it was said to end with.
TEST(Doctor, TheNextCommandWorks) {
  const TemporaryDirectory bin;
  fs::create_symlink(AMDCOMPAT_TOOL, bin / "amdcompat");
  for (const char* gpu : {"gfx601", "gfx704", "gfx803", "gfx906", "gfx1030", "cpu"}) {
    const TemporaryDirectory work;
    fs::copy(kSamples, work / "in", fs::copy_options::recursive);
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(work / "in")) files.push_back(entry.path().filename().string());
    std::ranges::sort(files);
    for (const std::string& file : files) {
      const auto answer =
          doctor(fmt::format("--compiler none --format json --gpu {} {} 2>/dev/null", gpu, file), work / "in");
      ASSERT_FALSE(answer.output.empty()) << file;
      const Json page = Json::parse(answer.output);
      const std::string command = page["next"]["command"];
      const auto done = run(fmt::format("cd '{}' && PATH='{}':\"$PATH\" && {} > /dev/null", (work / "in").string(),
                                        (bin / "").string(), command));
      EXPECT_EQ(done.status, page["next"]["status"].get<int>()) << command << '\n' << done.output;
      // What is printed for people is the same command.
      std::string text = doctor(fmt::format("--compiler none --gpu {} {} 2>/dev/null", gpu, file), work / "in").output;
      for (std::size_t at = 0; (at = text.find(" \\\n      ", at)) != std::string::npos;) text.replace(at, 9, " ");
      EXPECT_NE(text.find("\n    " + command + "\n"), std::string::npos) << text;
    }
  }
}

TEST(Doctor, OutputsAreNeverTheInput) {
  const TemporaryDirectory work;
  fs::copy(kSamples / "tahiti-923.clo", work / "-odd name.cl");
  for (const fs::path& path : {fs::path("./-odd name.cl"), work / "-odd name.cl"}) {
    const Json page = Json::parse(
        doctor(fmt::format("--compiler none --format json --gpu cpu '{}'", path.string()), work / "").output);
    EXPECT_EQ(page["next"]["command"], fmt::format("amdcompat lift -o './-odd name-new.cl' '{}'", path.string()));
  }
}

}  // namespace
}  // namespace doctor_test
