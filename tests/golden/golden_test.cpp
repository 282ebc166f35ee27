// The tool's output for every sample, for the command lines of cases/, and for one broken input a code.
#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "explanations.hpp"
#include "support/process.hpp"
#include "transcript.hpp"

namespace golden::golden_test {
namespace {

namespace fs = std::filesystem;
using amdcompat::Code;
using amdcompat::Severity;

// --- samples ----------------------------------------------------------------------------------------------

struct Sample {
  fs::path directory;
  std::string file;
};
void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.file; }

std::vector<Sample> samples() {
  std::vector<Sample> out;
  for (const char* directory : {"bin", "refused"})
    for (const std::string& file : files_in(samples_directory() / directory))
      out.push_back({samples_directory() / directory, file});
  return out;
}

std::string test_name(std::string name) {
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

class Samples : public testing::TestWithParam<Sample> {};

TEST_P(Samples, PrintWhatTheirGoldenSays) {
  const auto& [directory, file] = GetParam();
  // The specification's own examples write integers of data segments in decimal.
  const std::string more = file == "spec-2009-data.amdil" ? " --spec-decimal" : "";
  const std::vector<std::string> commands{fmt::format("amdcompat inspect{} {}", more, file),
                                          fmt::format("amdcompat inspect --format json{} {}", more, file),
                                          fmt::format("amdcompat check -v{} {}", more, file),
                                          fmt::format("amdcompat check --format json{} {}", more, file),
                                          fmt::format("amdcompat convert -q --to yaml{} {}", more, file),
                                          fmt::format("amdcompat convert -q --to json{} {}", more, file),
                                          fmt::format("amdcompat convert -q --to xml{} {}", more, file),
                                          fmt::format("amdcompat convert -q --to text{} {}", more, file),
                                          fmt::format("amdcompat roundtrip{} {}", more, file)};
  expect_golden(golden_directory() / "samples" / (file + ".out"), transcript(directory, commands));
}

TEST_P(Samples, ConvertUnlessTheyAreThereToBeRefused) {
  const auto& [directory, file] = GetParam();
  const bool refused = directory.filename() == "refused";
  const std::string out = transcript(
      directory, std::vector<std::string>{fmt::format("amdcompat convert -q --summary {} >/dev/null", file)});
  EXPECT_EQ(out.find("--- exit status 1") != std::string::npos, refused) << out;
}

// Canonical text is a fixed point: read again, it prints itself and converts to the same metadata.
TEST_P(Samples, CanonicalTextSaysTheSame) {
  const auto& [directory, file] = GetParam();
  const bool with_code = file.ends_with(".clo");  // registers and options are not in the text
  const std::string more = file == "spec-2009-data.amdil" ? " --spec-decimal" : "";
  const std::string same = with_code ? "" : "; cmp $OUT.yaml $OUT.again.yaml";
  const std::string out = transcript(
      directory,
      std::vector<std::string>{fmt::format("amdcompat convert -q --to text{1} {0} > $OUT.amdil 2>/dev/null; "
                                           "test -s $OUT.amdil || exit 0; "
                                           "amdcompat convert -q --to text $OUT.amdil > $OUT.again.amdil 2>/dev/null; "
                                           "amdcompat convert -q {0} > $OUT.yaml 2>/dev/null; "
                                           "amdcompat convert -q $OUT.amdil > $OUT.again.yaml 2>/dev/null; "
                                           "cmp $OUT.amdil $OUT.again.amdil{2}",
                                           file, more, same)});
  EXPECT_EQ(out.find("--- exit status"), std::string::npos) << out;
}

INSTANTIATE_TEST_SUITE_P(All, Samples, testing::ValuesIn(samples()),
                         [](const auto& row) { return test_name(row.param.file); });

TEST(SampleGoldens, EachBelongsToASample) {
  std::set<std::string> known;
  for (const Sample& sample : samples()) known.insert(sample.file + ".out");
  for (const std::string& stored : files_in(golden_directory() / "samples")) {
    if (rebase && !known.contains(stored))
      fs::remove(golden_directory() / "samples" / stored);
    else
      EXPECT_TRUE(known.contains(stored)) << stored;
  }
}

// --- command lines ----------------------------------------------------------------------------------------

// cases/NAME.cmd: commands, one a line, run among the samples; `#` starts a comment.
TEST(CommandLines, PrintWhatTheirGoldensSay) {
  const fs::path cases = golden_directory() / "cases";
  for (const std::string& file : files_in(cases)) {
    if (!file.ends_with(".cmd")) continue;
    std::vector<std::string> commands;
    std::istringstream lines(read_file(cases / file));
    for (std::string line; std::getline(lines, line);)
      if (!line.empty() && line[0] != '#') commands.push_back(line);
    expect_golden(cases / (file.substr(0, file.size() - 4) + ".out"),
                  transcript(samples_directory() / "bin", commands));
  }
}

// --- codes ------------------------------------------------------------------------------------------------

TEST(Codes, HaveAGoldenThatProducesThemInBothModes) {
  for (const CodeExample& example : code_examples()) {
    const amdcompat::CodeInfo& info = amdcompat::code_info(example.code);
    const std::string label = amdcompat::code_label(example.code);
    EXPECT_NE(rendering(example.transcript, example.code, info.strict), "") << label << " " << info.name << " in\n"
                                                                            << example.transcript;
    EXPECT_NE(rendering(example.transcript, example.code, info.lenient), "") << label << " " << info.name << " in\n"
                                                                             << example.transcript;
    expect_golden(golden_directory() / "diagnostics" / (label + ".out"), example.transcript);
  }
}

TEST(Codes, AllHaveAnExampleOrTheirMessageAsItIsPrinted) {
  const std::vector<Elsewhere> others = elsewhere();
  for (const amdcompat::CodeInfo& info : amdcompat::all_codes()) {
    const bool here = std::ranges::any_of(code_examples(), [&](const auto& e) { return e.code == info.code; });
    const auto there = std::ranges::find(others, static_cast<unsigned>(info.code), &Elsewhere::code);
    const std::string label = amdcompat::code_label(info.code);
    EXPECT_NE(here, there != others.end()) << label << " " << info.name;
    if (there == others.end()) continue;
    EXPECT_FALSE(there->where.empty()) << label;
    EXPECT_NE(there->printed.find(label), std::string::npos) << label << ": the message as it is printed";
  }
}

TEST(Codes, HaveACauseAndARemedy) {
  for (const amdcompat::CodeInfo& info : amdcompat::all_codes()) {
    const amdcompat::cli::Explanation& row = amdcompat::cli::explanation_of(info.code);
    const auto number = static_cast<unsigned>(info.code);
    EXPECT_TRUE(row.first <= number && number <= row.last) << info.name << " has no row of its own";
    EXPECT_FALSE(row.cause.empty() || row.remedy.empty()) << info.name;
  }
  for (const amdcompat::cli::Explanation& row : amdcompat::cli::explanations())
    EXPECT_TRUE(std::ranges::any_of(
        amdcompat::all_codes(), [&](const auto& info) { return &amdcompat::cli::explanation_of(info.code) == &row; }))
        << "no code is left for the row of AC" << row.first;
}

TEST(PrintedExamples, AreUpToDate) {
  expect_golden(fs::path(AMDCOMPAT_SOURCE_DIR) / "cli/printed_examples.cpp", printed_examples_source());
}

// The pages, and nothing else in the directory of the areas.
void expect_pages(const std::vector<Page>& pages, const fs::path& areas) {
  const fs::path docs = fs::path(AMDCOMPAT_SOURCE_DIR) / "docs";
  std::set<std::string> known;
  for (const Page& page : pages) {
    expect_golden(docs / page.path, page.text);
    known.insert(page.path);
  }
  for (const std::string& stored : files_in(docs / areas)) {
    if (known.contains((areas / stored).string())) continue;
    if (rebase)
      fs::remove(docs / areas / stored);
    else
      ADD_FAILURE() << stored << " is no page";
  }
}

TEST(DiagnosticsPages, AreUpToDate) { expect_pages(diagnostics_pages(), "diagnostics"); }

TEST(DiagnosticsPages, HaveEveryCodeOnceAndInTheIndex) {
  const std::vector<Page> pages = diagnostics_pages();
  for (const amdcompat::CodeInfo& info : amdcompat::all_codes()) {
    const std::string label = amdcompat::code_label(info.code);
    EXPECT_NE(pages.front().text.find(fmt::format("| [{} {}](", label, info.name)), std::string::npos) << label;
    EXPECT_EQ(std::ranges::count_if(pages,
                                    [&](const Page& page) {
                                      return page.text.find(fmt::format("\n## {} {}\n", label, info.name)) !=
                                             std::string::npos;
                                    }),
              1)
        << label;
  }
}

TEST(ReferencePages, AreUpToDate) { expect_pages(reference_pages(), "reference"); }

// docs/pictures/layout-NAME.svg is what `layout --svg` draws of a sample, and docs/layouts.md shows it.
TEST(LayoutPictures, AreWhatTheToolDraws) {
  const fs::path docs = fs::path(AMDCOMPAT_SOURCE_DIR) / "docs";
  const std::string page = read_file(docs / "layouts.md");
  constexpr std::pair<const char*, const char*> kPictures[] = {{"opencl-1", "pitcairn-scale-64.clo"},
                                                               {"opencl-2", "cl2-hawaii-code.clo"},
                                                               {"code-object", "object-gfx906.hsaco"}};
  for (const auto& [name, sample] : kPictures) {
    const std::string path = fmt::format("pictures/layout-{}.svg", name);
    const auto drawn = amdcompat_test::run(
        fmt::format("'{}' layout -q --svg '{}'", AMDCOMPAT_CLI, (samples_directory() / "bin" / sample).string()));
    ASSERT_EQ(drawn.status, 0) << drawn.output;
    expect_golden(docs / path, drawn.output);
    EXPECT_NE(page.find(fmt::format("]({})", path)), std::string::npos) << path;
    EXPECT_NE(page.find(sample), std::string::npos) << sample;
  }
}

}  // namespace
}  // namespace golden::golden_test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--rebase") {
      golden::rebase = true;
    } else {
      std::fprintf(stderr, "usage: golden_test [--rebase] [GoogleTest's options]\n");
      return 2;
    }
  }
  return RUN_ALL_TESTS();
}
