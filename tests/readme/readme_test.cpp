// The README shows what the tool does: its blocks are checked, so it cannot go stale.
#include <fstream>
#include <sstream>

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

TEST(Readme, LibraryExampleIsTheProgramInExamples) {
  EXPECT_EQ(block(read("README.md"), "example"), read("examples/convert.cpp"));
}

}  // namespace
