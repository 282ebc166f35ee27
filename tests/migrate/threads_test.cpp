// Migrations with several threads: what they make is what one thread makes. Built with ThreadSanitizer, which says what
// they touch at the same time (`scripts/test --all`).
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/process.hpp"
#include "vault.hpp"

namespace {

namespace fs = std::filesystem;
using namespace amdcompat_test;

ProcessResult migrate(const std::string& arguments) {
  return run(fmt::format("TSAN_OPTIONS=halt_on_error=0 '{}' migrate {}", AMDCOMPAT_TOOL, arguments));
}

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void expect_no_race(const ProcessResult& result) {
  const std::size_t at = result.output.find("ThreadSanitizer");
  EXPECT_EQ(at, std::string::npos) << result.output.substr(at < 30 ? 0 : at - 30, 6000);
}

// Good and damaged samples, programs of a vault, and all of them in archives.
fs::path make_tree(const TemporaryDirectory& scratch) {
  const fs::path in = scratch / "in";
  fs::create_directories(in / "vault");
  for (const char* const part : {"bin", "refused", "broken"})
    fs::copy(fs::path(AMDCOMPAT_SAMPLES) / part, in / part, fs::copy_options::recursive);
  for (std::uint32_t number = 0; number < 24; ++number)
    write_file(in / "vault" / fmt::format("p{}.bin", number), corpus::vault_program(number));
  EXPECT_EQ(
      run(fmt::format("cd '{}' && tar cf ../all.tar . && gzip -k ../all.tar && mv ../all.tar* .", in.string())).status,
      0);
  return in;
}

TEST(MigrateThreads, FourMakeWhatOneMakes) {
  const TemporaryDirectory scratch;
  const fs::path in = make_tree(scratch), one = scratch / "one", four = scratch / "four";
  const std::string what = fmt::format("--prove --scan '{}' --out ", in.string());
  const ProcessResult first = migrate(fmt::format("{} '{}' --jobs 1", what, one.string()));
  const ProcessResult second = migrate(fmt::format("{} '{}' --jobs 4", what, four.string()));
  EXPECT_EQ(first.status, 1) << first.output;  // damaged samples
  EXPECT_EQ(second.status, 1) << second.output;
  expect_no_race(first);
  expect_no_race(second);
  for (const char* const name : {"manifest.jsonl", "report.xhtml"}) {
    EXPECT_GT(contents(one / name).size(), 10'000u) << name;
    EXPECT_TRUE(contents(one / name) == contents(four / name)) << name;
  }
  // Once more, when all is done.
  const ProcessResult third = migrate(fmt::format("{} '{}' --jobs 4", what, four.string()));
  EXPECT_EQ(third.status, 1) << third.output;
  expect_no_race(third);
  EXPECT_TRUE(contents(one / "manifest.jsonl") == contents(four / "manifest.jsonl"));
}

TEST(MigrateThreads, EndInOrderWhenTheyAreStoppedWhileATerminalShowsThem) {
  const TemporaryDirectory scratch;
  const fs::path in = make_tree(scratch), out = scratch / "out";
  // The signal comes when something is done.
  write_file(scratch / "stop.sh",
             fmt::format("'{0}' migrate --prove --jobs 4 '{1}' --out '{2}' & "
                         "while [ ! -d '{2}/objects' ]; do sleep 0.01; done; kill -TERM $!; wait $!",
                         AMDCOMPAT_TOOL, in.string(), out.string()));
  // `script` gives it a terminal, where another thread counts files.
  const ProcessResult result = run(fmt::format("TSAN_OPTIONS=halt_on_error=0 script -qec 'sh {}' /dev/null < /dev/null",
                                               (scratch / "stop.sh").string()));
  EXPECT_EQ(result.status, 1) << result.output;  // interrupted, or with damaged samples
  expect_no_race(result);
  EXPECT_TRUE(contents(out / "manifest.jsonl").contains("\"summary\"")) << result.output;
}

}  // namespace
