// The README shows what the tool does: its blocks are checked, so it cannot go stale.
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <amdcompat/amdcompat.hpp>

namespace {

std::string read(const std::string& path) {
  std::ifstream in(std::string(AMDCOMPAT_SOURCE_DIR) + "/" + path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

// The fenced block behind `<!-- test: NAME -->`.
std::string block(const std::string& readme, const std::string& name) {
  std::size_t at = readme.find("<!-- test: " + name + " -->");
  if (at == std::string::npos) return "no such block";
  at = readme.find('\n', readme.find("```", at)) + 1;
  return readme.substr(at, readme.find("```", at) - at);
}

TEST(Readme, SampleInputConvertsToTheSampleOutput) {
  const std::string readme = read("README.md");
  amdcompat::Diagnostics findings;
  const auto file = amdcompat::open(block(readme, "input"), findings);
  ASSERT_TRUE(file);
  const auto conversion = amdcompat::convert::to_metadata(file->program, findings);
  EXPECT_EQ(amdcompat::hsa::to_yaml(conversion.metadata), block(readme, "output"));
  EXPECT_EQ(findings.count(amdcompat::Severity::Warning) + findings.count(amdcompat::Severity::Error), 0u);
}

// A golden without the test's own directory, which pages leave out.
std::string shown(const std::string& golden, std::span<const std::pair<std::string, std::string>> more = {}) {
  std::string printed = read(golden);
  std::vector<std::pair<std::string, std::string>> shorter = {
      {"cp pitcairn-scale-64.clo ${OUT%/*}; ", ""}, {"cd ${OUT%/*}; ", ""}, {"$OUT.json", "out.json"}};
  shorter.insert(shorter.end(), more.begin(), more.end());
  for (const auto& [from, to] : shorter)
    for (std::size_t at = 0; (at = printed.find(from, at)) != std::string::npos; at += to.size())
      printed.replace(at, from.size(), to);
  return printed;
}

TEST(Story, ShowsWhatTheToolPrints) {
  EXPECT_EQ(block(read("docs/story.md"), "commands"), shown("tests/golden/cases/story.out"));
}

TEST(QuickStart, ShowsWhatTheToolPrints) {
  const std::string page = read("docs/quickstart.md");
  std::string all;
  for (const char* const part : {"what", "launch", "source", "proof"})
    all += (all.empty() ? "" : "\n") + block(page, part);
  const std::pair<std::string, std::string> names[] = {{"out.json", "launch.json"}};
  EXPECT_EQ(all, shown("tests/golden/cases/quickstart.out", names));
}

TEST(Doctor, PageShowsWhatTheToolPrints) {
  const std::string shown = block(read("docs/doctor.md"), "doctor");
  const std::string printed = read("tests/golden/cases/doctor.out");
  EXPECT_EQ(shown, printed.substr(0, printed.find("\n$ ")));
}

// The build compiles them: examples/hsa_dispatch.cpp and examples/hip_launch.cpp.
TEST(Story, HostForHsaIsCompiled) {
#ifdef AMDCOMPAT_HAS_HSA
  EXPECT_GT(std::filesystem::file_size(AMDCOMPAT_HAS_HSA), 0u) << "the object file of the host";
#else
  GTEST_SKIP() << "no hsa/hsa.h (Debian package libhsa-runtime-dev): examples/hsa_dispatch.cpp was not compiled";
#endif
}
TEST(Story, HostForHipIsCompiled) {
#ifdef AMDCOMPAT_HAS_HIP
  EXPECT_GT(std::filesystem::file_size(AMDCOMPAT_HAS_HIP), 0u) << "the object file of the host";
#else
  GTEST_SKIP() << "no hip/hip_runtime_api.h (Debian package libamdhip64-dev): examples/hip_launch.cpp was not compiled";
#endif
}

TEST(Readme, LibraryExampleIsTheProgramInExamples) {
  EXPECT_EQ(block(read("README.md"), "example"), read("examples/convert.cpp"));
}

}  // namespace
