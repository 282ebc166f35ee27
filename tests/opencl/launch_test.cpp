// `amdcompat launch`: a kernel on an OpenCL device leaves the memory that `run` leaves on the interpreter; and
// `amdcompat opencl`, which starts hosts.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "opencl_runner.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace launch_test {
namespace {

namespace fs = std::filesystem;
using amdcompat_test::read_file;
using amdcompat_test::run;
using Json = nlohmann::ordered_json;

class LaunchVerb : public testing::Test {
 protected:
  LaunchVerb() {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  ~LaunchVerb() override { fs::remove_all(directory_); }

  static std::string sample(const std::string& name) { return AMDCOMPAT_SAMPLES "/" + name; }
  auto tool(const std::string& arguments) const {
    return run(fmt::format("cd '{}' && '{}' {}", directory_.string(), AMDCOMPAT_CLI, arguments));
  }
  Json launch_of(const std::string& file, const std::string& kernel) const {
    const auto made = tool(fmt::format("pack -q --template --kernel {} -o template.json '{}'", kernel, sample(file)));
    EXPECT_EQ(made.status, 0) << made.output;
    return Json::parse(read_file(directory_ / "template.json"));
  }
  void write(const Json& launch) const { std::ofstream(directory_ / "launch.json") << launch.dump(); }
  auto launch(const std::string& file, const std::string& kernel, const std::string& more = {}) const {
    return tool(fmt::format("launch -q --kernel {} --launch launch.json {} '{}'", kernel, more, sample(file)));
  }

  const fs::path directory_ = fs::path(testing::TempDir()) / "launch-verb";
};

TEST_F(LaunchVerb, LeavesTheMemoryThatTheInterpreterLeaves) {
  AMDCOMPAT_NEEDS_OPENCL();
  const std::pair<const char*, const char*> kKernels[] = {
      {"pitcairn-scale.clo", "scale"}, {"pitcairn-scale-64.clo", "scale"}, {"cl2-tonga-code.clo", "histogram"}};
  for (const auto& [file, kernel] : kKernels) {
    SCOPED_TRACE(file);
    Json launch_file = launch_of(file, kernel);
    std::string dumps[2];
    for (Json& argument : launch_file["arguments"]) {
      if (argument.contains("bytes")) argument["bytes"] = "03000000";
      if (!argument.contains("buffer")) continue;
      std::string bytes;
      const std::size_t size = argument["size"];
      for (std::size_t i = 0; i < size; ++i) bytes += fmt::format("{:02x}", i % 4 == 0 ? (i / 4 * 7) & 0xff : 0);
      launch_file["memory"].push_back({{"address", argument["buffer"]}, {"bytes", bytes}});
      const std::string at = argument["buffer"];
      for (int side = 0; side < 2; ++side) dumps[side] += fmt::format(" --dump {}:{}:{}-{}", at, size, side, at);
    }
    write(launch_file);
    const auto ran =
        tool(fmt::format("run -q --kernel {} --launch launch.json {} '{}'", kernel, dumps[0], sample(file)));
    ASSERT_EQ(ran.status, 0) << ran.output;
    const auto launched = launch(file, kernel, dumps[1]);
    ASSERT_EQ(launched.status, 0) << launched.output;
    EXPECT_NE(launched.output.find("changed"), std::string::npos) << launched.output;
    std::size_t compared = 0;
    for (const auto& entry : fs::directory_iterator(directory_)) {
      const std::string name = entry.path().filename();
      if (!name.starts_with("0-")) continue;
      EXPECT_EQ(read_file(entry.path()), read_file(directory_ / ("1-" + name.substr(2)))) << name;
      ++compared;
    }
    EXPECT_NE(compared, 0u);
    for (const auto& entry : fs::directory_iterator(directory_)) fs::remove(entry.path());
  }
}

// Formats that are not those of the texels in memory, a pitch, and images that begin as what memory says or as zeros.
TEST_F(LaunchVerb, LeavesTheImagesThatTheInterpreterLeaves) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_OPENCL();
  const std::vector<amdcompat_test::RealFile> files = amdcompat_test::real_files("amdcl1");
  const auto file =
      std::ranges::find_if(files, [](const auto& row) { return row.path.ends_with("/SimpleImage_Kernels.bin"); });
  ASSERT_NE(file, files.end());
  constexpr int kPitch = 96, kHeight = 30, kBytes = kPitch * kHeight, kRgba = 0x10b5, kBgra = 0x10b6, kUnorm8 = 0x10d2;
  std::string bytes;
  for (int n = 0; n < kBytes; ++n) bytes += fmt::format("{:02x}", n * 37 % 256);
  const Json in{{"width", 21},     {"height", kHeight},   {"order", kRgba},
                {"type", kUnorm8}, {"address", 0x100000}, {"row_pitch", kPitch}};
  const Json out{{"width", 19}, {"height", kHeight + 1}, {"order", kBgra}, {"type", kUnorm8}, {"address", 0x200000}};
  write({{"kernel", "image2dCopy"},
         {"global", {24, 32}},
         {"local", {8, 8}},
         {"arguments", {{{"image", in}}, {{"image", out}}}},
         {"memory", {{{"address", 0x100000}, {"bytes", bytes}}}}});
  for (const std::string verb : {"run", "launch"}) {
    const auto done =
        tool(fmt::format("{0} -q --launch launch.json --dump 0x200000:{1}:{0} '{2}'", verb, 19 * (kHeight + 1) * 4,
                         (amdcompat_test::real_root() / "corpus" / file->path).string()));
    ASSERT_EQ(done.status, 0) << done.output;
  }
  const std::string image = read_file(directory_ / "run");
  EXPECT_EQ(image, read_file(directory_ / "launch"));
  // Texel (2, 1): blue first.
  const auto byte = [](int n) { return static_cast<char>(n * 37 % 256); };
  const int from = kPitch + 8;
  EXPECT_EQ(image.substr((19 + 2) * 4, 4), (std::string{byte(from + 2), byte(from + 1), byte(from), byte(from + 3)}));
}

TEST_F(LaunchVerb, SaysWhatIsWrongWithALaunch) {
  const Json good = launch_of("pitcairn-scale.clo", "scale");
  const auto refused = [&](const Json& launch_file, std::string_view why) {
    write(launch_file);
    const auto result = launch("pitcairn-scale.clo", "scale");
    EXPECT_EQ(result.status, 1) << result.output;
    EXPECT_NE(result.output.find(why), std::string::npos) << result.output;
  };
  Json bad = good;
  bad["local"] = {512};
  bad["global"] = {512};
  refused(bad, "512 work-items in a group; the code was made for at most 256");
  bad = good;
  bad["arguments"][0] = {{"name", "data"}, {"bytes", "00000000"}};
  refused(bad, "a value, where the kernel has none");
  bad = good;
  bad["arguments"][0]["size"] = 0;
  refused(bad, "a buffer of no size");
  bad = good;
  bad["arguments"].erase(1);
  refused(bad, "1 arguments; kernel scale has 2");
  write(good);
  const auto unknown = launch("pitcairn-scale.clo", "nothing");
  EXPECT_EQ(unknown.status, 1) << unknown.output;
  EXPECT_NE(unknown.output.find("no kernel 'nothing'"), std::string::npos) << unknown.output;
}

TEST_F(LaunchVerb, TakesNoOtherDeviceThanTheOneAskedFor) {
  write(launch_of("pitcairn-scale.clo", "scale"));
  const auto result = launch("pitcairn-scale.clo", "scale", "--device 'a device that nobody has'");
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_NE(result.output.find("OpenCL"), std::string::npos) << result.output;
}

TEST_F(LaunchVerb, HasABufferOnceThatTwoArgumentsName) {
  AMDCOMPAT_NEEDS_OPENCL();
  Json launch_file = launch_of("cl2-tonga-code.clo", "histogram");
  std::vector<Json*> buffers;
  for (Json& argument : launch_file["arguments"])
    if (argument.contains("buffer")) buffers.push_back(&argument);
  ASSERT_GE(buffers.size(), 2u);
  (*buffers[1])["buffer"] = (*buffers[0])["buffer"];
  write(launch_file);
  const auto same = launch("cl2-tonga-code.clo", "histogram");
  EXPECT_EQ(same.status, 0) << same.output;
  (*buffers[1])["size"] = 1024;
  write(launch_file);
  const auto part = launch("cl2-tonga-code.clo", "histogram");
  EXPECT_EQ(part.status, 1) << part.output;
  EXPECT_NE(part.output.find("overlaps"), std::string::npos) << part.output;
}

TEST_F(LaunchVerb, OfHostsGivesTheirStatusAndSetsTheirEnvironment) {
#ifdef AMDCOMPAT_LAYER_BUILT
  const auto host =
      tool("opencl --pose tahiti --log here.log -- sh -c 'echo $OPENCL_LAYERS; echo $AMDCOMPAT_OPENCL_POSE; exit 7'");
  EXPECT_EQ(host.status, 7);
  EXPECT_NE(host.output.find("libamdcompat-opencl.so\ntahiti\n"), std::string::npos) << host.output;
  const auto list = tool("opencl --list --format json");
  EXPECT_EQ(list.status, 0);
  const Json parsed = Json::parse(list.output);
  EXPECT_TRUE(parsed.contains("platforms"));
  const bool any = !parsed["platforms"].empty();
  EXPECT_EQ(parsed["active"].get<bool>(), any) << list.output;
#else
  GTEST_SKIP() << "the OpenCL layer is not built";
#endif
}

TEST_F(LaunchVerb, OfHostsSaysWhatIsMissing) {
  EXPECT_EQ(tool("opencl").status, 2);
  EXPECT_EQ(tool("opencl --pose voodoo -- true").status, 2);
  const auto layer = run(fmt::format("AMDCOMPAT_OPENCL_LAYER=/nowhere/layer.so '{}' opencl -- true", AMDCOMPAT_CLI));
  EXPECT_EQ(layer.status, 3);
  EXPECT_NE(layer.output.find("/nowhere/layer.so"), std::string::npos) << layer.output;
  const auto colon = run(fmt::format("AMDCOMPAT_OPENCL_LAYER=/a:b '{}' opencl -- true", AMDCOMPAT_CLI));
  EXPECT_EQ(colon.status, 3);
  EXPECT_NE(colon.output.find("colon"), std::string::npos) << colon.output;
#ifdef AMDCOMPAT_LAYER_BUILT
  EXPECT_EQ(tool("opencl -- /nowhere/host").status, 3);
#endif
}

}  // namespace
}  // namespace launch_test
