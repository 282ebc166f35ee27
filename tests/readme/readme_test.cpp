// README and pages show what the tool does: their blocks are checked, so they cannot go stale, and so are their links.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <amdcompat/amdcompat.hpp>

#include "support/markdown.hpp"

namespace readme_test {
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

TEST(NaturalLayout, SampleInputConvertsToTheSampleOutput) {
  const std::string readme = read("docs/natural-layout.md");
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

TEST(Library, ExampleIsTheProgramInExamples) {
  EXPECT_EQ(block(read("docs/library.md"), "example"), read("examples/convert.cpp"));
}

// What the quick start shows, which is what the tool prints.
TEST(Readme, ShowsTheSourceOfTheQuickStart) {
  EXPECT_EQ(block(read("README.md"), "source"), block(read("docs/quickstart.md"), "source"));
}

// --- links -------------------------------------------------------------------------------------------------

namespace fs = std::filesystem;

// What is text of a page: without blocks of code, spans of code and comments.
std::string prose(const std::string& page) {
  std::string out, line;
  bool code = false;
  std::istringstream lines(page);
  while (std::getline(lines, line)) {
    if (line.starts_with("```")) code = !code;
    if (!code && !line.starts_with("```")) out += line + '\n';
  }
  return std::regex_replace(out, std::regex("<!--[^]*?-->"), "");
}
std::string without_spans(const std::string& text) { return std::regex_replace(text, std::regex("`[^`\n]*`"), ""); }

// The places in a page that links can name.
std::set<std::string> anchors(const std::string& page) {
  std::set<std::string> out;
  std::istringstream lines(prose(page));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) continue;
    line.erase(0, line.find_first_not_of("# "));
    line = std::regex_replace(line, std::regex(R"(\[([^\]]*)\]\([^)]*\))"), "$1");
    out.insert(amdcompat_test::anchor(line));
  }
  return out;
}

// Of a page below the project's directory: where its links lead, `path` or `path#anchor`, without those to the web.
std::vector<std::string> links(const fs::path& page, const std::string& text) {
  std::vector<std::string> out;
  const std::string words = without_spans(prose(text));
  static const std::regex kLink(R"(\]\(([^)\s]+)\))");
  for (std::sregex_iterator at(words.begin(), words.end(), kLink), end; at != end; ++at) {
    const std::string target = (*at)[1];
    if (target.find("://") != std::string::npos || target.starts_with("mailto:")) continue;
    if (target.starts_with('#'))
      out.push_back(page.generic_string() + target);
    else
      out.push_back((page.parent_path() / target).lexically_normal().generic_string());
  }
  return out;
}

// All pages for readers.
std::vector<fs::path> pages() {
  const fs::path root = AMDCOMPAT_SOURCE_DIR;
  std::vector<fs::path> out{"README.md", "CHANGELOG.md"};
  for (const char* directory : {"docs", "examples", "python"})
    for (const auto& entry : fs::recursive_directory_iterator(root / directory))
      if (entry.path().extension() == ".md") out.push_back(entry.path().lexically_relative(root));
  return out;
}

TEST(Links, LeadToFilesAndHeadingsThatAreThere) {
  const fs::path root = AMDCOMPAT_SOURCE_DIR;
  std::size_t count = 0;
  std::map<std::string, std::set<std::string>> known;  // by page
  for (const fs::path& page : pages())
    for (const std::string& link : links(page, read(page.string()))) {
      ++count;
      const std::size_t hash = link.find('#');
      const std::string path = link.substr(0, hash);
      if (!fs::exists(root / path)) {
        ADD_FAILURE() << page << ": " << path << " is not there";
        continue;
      }
      if (hash == std::string::npos || !path.ends_with(".md")) continue;
      if (!known.contains(path)) known[path] = anchors(read(path));
      EXPECT_TRUE(known[path].contains(link.substr(hash + 1))) << page << ": no heading for " << link;
    }
  EXPECT_GT(count, 500u) << "links of all pages";
}

TEST(Links, LeadFromTheReadmeToEveryPage) {
  std::set<std::string> seen{"README.md"};
  std::vector<std::string> left{"README.md"};
  while (!left.empty()) {
    const std::string page = left.back();
    left.pop_back();
    for (const std::string& link : links(page, read(page)))
      if (const std::string path = link.substr(0, link.find('#')); path.ends_with(".md") && seen.insert(path).second)
        left.push_back(path);
  }
  for (const fs::path& page : pages())
    EXPECT_TRUE(seen.contains(page.generic_string()) || page.begin()->string() != "docs")
        << page << " is reached by no link from the README";
}

// What a reader of the site finds in its margin.
TEST(Links, OfTheSitesMarginLeadToEveryPage) {
  const std::string list = read("cmake/site/mkdocs.yml.in");
  for (const fs::path& page : pages())
    EXPECT_TRUE(list.find("- " + page.generic_string() + "\n") != std::string::npos || page.begin()->string() != "docs")
        << page;
}

}  // namespace
}  // namespace readme_test
