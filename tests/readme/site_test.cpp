// The site of the documentation, which the test packaging_site makes, on a phone and on a desk.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/browser.hpp"
#include "support/process.hpp"

namespace site_test {
namespace {

namespace fs = std::filesystem;

const fs::path kSite = AMDCOMPAT_SITE;

// Pages of our own: those of the interface are doxygen's.
std::vector<fs::path> pages() {
  std::vector<fs::path> out;
  for (auto entry = fs::recursive_directory_iterator(kSite); entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->path() == kSite / "interface") entry.disable_recursion_pending();
    if (entry->path().extension() == ".html") out.push_back(entry->path());
  }
  std::ranges::sort(out);
  return out;
}

TEST(Site, HasNothingWiderThanThePageAndNoWordsOnWords) {
  if (!fs::exists(kSite / "index.html"))
    GTEST_SKIP() << "there is no site: cmake --build BUILD --target docs makes it (Debian package mkdocs)";
  AMDCOMPAT_NEEDS_PROGRAM("chromium", "chromium");
  const amdcompat_test::TemporaryDirectory scratch;
  const std::vector<fs::path> all = pages();
  EXPECT_GT(all.size(), 50u);
  struct Window {
    unsigned width, height;
  };
  for (const auto& [width, height] : {Window{390, 844}, Window{1280, 800}}) {
    EXPECT_EQ(amdcompat_test::look_at(scratch / "", all, width, height), "") << width;
    for (const char* page : {"index", "docs/quickstart", "docs/diagnostics", "docs/layouts"})
      EXPECT_TRUE(amdcompat_test::photograph(
          scratch / "", kSite / fmt::format("{}.html", page), width, height,
          fs::path(AMDCOMPAT_SCREENS) / fmt::format("site-{}-{}.png", fs::path(page).filename().string(), width)))
          << page;
  }
}

}  // namespace
}  // namespace site_test
