// The report of our own samples on a phone and on a desk: nothing is wider than the page, no words lie on other words.
// The pictures stay in the build tree (screens/). AMDCOMPAT_REBASE=1 takes two of them over into docs/pictures; they
// are not compared, since fonts and browsers differ.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/browser.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace screens_test {
namespace {

namespace fs = std::filesystem;
using amdcompat_test::read_file;
using amdcompat_test::run;
using amdcompat_test::TemporaryDirectory;

const fs::path kScreens = AMDCOMPAT_SCREENS;

// The report, with a script as its last.
std::string with_script(std::string page, const std::string& script) {
  page.insert(page.rfind("</main>"), "<script><![CDATA[" + script + "]]></script>");
  return page;
}

// Opens the kernel of `pitcairn-scale-64.clo` and leaves nothing else.
constexpr const char* kOneKernel = R"js(
  for (const part of document.querySelectorAll('main > *')) if (part.id !== 'kernels') part.remove();
  for (const row of document.querySelectorAll('#kernels tbody')) {
    const details = row.querySelector('details');
    if (row.textContent.includes('pitcairn-scale-64.clo') && details) details.open = true; else row.remove();
  }
  for (const part of document.querySelectorAll('#kernels caption')) part.remove();
)js";

TEST(Screens, OfTheReportHaveNothingWiderThanThePageAndNoWordsOnWords) {
  AMDCOMPAT_NEEDS_PROGRAM("chromium", "chromium");
  const TemporaryDirectory scratch;
  const auto made = run(fmt::format("cd '{}' && '{}' migrate -q --lift --out '{}' bin refused", AMDCOMPAT_SAMPLES,
                                    AMDCOMPAT_TOOL, (scratch / "out").string()));
  ASSERT_TRUE(fs::exists(scratch / "out/report.xhtml")) << made.output;
  const std::string page = read_file(scratch / "out/report.xhtml");
  struct Window {
    unsigned width, height;
  };
  for (const auto& [width, height] : {Window{390, 844}, Window{600, 900}, Window{1280, 800}}) {
    amdcompat_test::write_file(scratch / "report.xhtml", page);
    EXPECT_EQ(amdcompat_test::look_at(scratch / "", {scratch / "report.xhtml"}, width, height), "") << width;
    amdcompat_test::write_file(scratch / "kernel.xhtml", with_script(page, kOneKernel));
    for (const char* name : {"report", "kernel"})
      EXPECT_TRUE(amdcompat_test::photograph(scratch / "", scratch / fmt::format("{}.xhtml", name), width, height,
                                             kScreens / fmt::format("{}-{}.png", name, width)))
          << name << " " << width;
  }
  if (std::getenv("AMDCOMPAT_REBASE") == nullptr) return;
  const fs::path docs = fs::path(AMDCOMPAT_SOURCE_DIR) / "docs/pictures";
  for (const auto& [from, to] :
       {std::pair{"kernel-1280.png", "report-kernel.png"}, {"report-390.png", "report-phone.png"}})
    fs::copy_file(kScreens / from, docs / to, fs::copy_options::overwrite_existing);
}

}  // namespace
}  // namespace screens_test
