// What `amdcompat manual` writes: against --help, judged by groff and by the shells, and every example run.
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace manual_test {
namespace {

namespace fs = std::filesystem;
using amdcompat_test::read_file;
using amdcompat_test::run;

const fs::path kPages = AMDCOMPAT_MANUAL_DIR;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// First words of the lines behind `title` in a help text, up to a blank line.
std::vector<std::string> listed(const std::string& help, const std::string& title) {
  std::vector<std::string> out;
  bool inside = false;
  for (const std::string& line : lines_of(help)) {
    if (line == title)
      inside = true;
    else if (inside && line.empty())
      break;
    else if (inside && line.starts_with("  ") && line[2] != ' ')
      out.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return out;
}

std::string help_of(const std::string& verb) { return run(fmt::format("'{}' {} --help", AMDCOMPAT_CLI, verb)).output; }
std::vector<std::string> verbs() { return listed(help_of(""), "Subcommands:"); }

// The options of a help text: "-v,--verbose" gives two; "--no-verify{false}" is a flag that sets false.
std::set<std::string> help_options(const std::string& verb) {
  std::set<std::string> out;
  for (const std::string& entry : listed(help_of(verb), "Options:")) {
    std::istringstream names(entry);
    for (std::string name; std::getline(names, name, ',');) out.insert(name.substr(0, name.find('{')));
  }
  return out;
}

// Text between \fB and \fR at the start of lines under .TP: the options of a page.
std::set<std::string> page_options(const std::string& page) {
  std::set<std::string> out;
  const std::vector<std::string> lines =
      lines_of(page.substr(page.find(".SH OPTIONS"), page.find(".SH EXIT") - page.find(".SH OPTIONS")));
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    if (lines[i] != ".TP") continue;
    const std::string& line = lines[i + 1];
    for (std::size_t at = line.find("\\fB"); at != std::string::npos; at = line.find("\\fB", at + 1)) {
      std::string name = line.substr(at + 3, line.find("\\fR", at) - at - 3);
      std::erase(name, '\\');
      out.insert(name);
    }
  }
  return out;
}

TEST(Manual, HasAPageForEachVerbAndNoOther) {
  std::set<std::string> expected{"amdcompat.1"}, found;
  for (const std::string& verb : verbs()) expected.insert("amdcompat-" + verb + ".1");
  for (const auto& entry : fs::directory_iterator(kPages / "man1")) found.insert(entry.path().filename().string());
  EXPECT_GT(expected.size(), 10u);
  EXPECT_EQ(found, expected);
}

TEST(Manual, HasTheOptionsOfHelpAndNoOther) {
  EXPECT_EQ(page_options(read_file(kPages / "man1/amdcompat.1")), help_options(""));
  for (const std::string& verb : verbs()) {
    const std::set<std::string> options = help_options(verb);
    EXPECT_TRUE(options.contains("--help")) << verb;
    EXPECT_EQ(page_options(read_file(kPages / ("man1/amdcompat-" + verb + ".1"))), options) << verb;
  }
}

TEST(Manual, IsTakenByGroffWithoutAWarning) {
  AMDCOMPAT_NEEDS_PROGRAM("groff", "groff-base");
  for (const auto& entry : fs::directory_iterator(kPages / "man1")) {
    const auto judged = run(fmt::format("groff -man -Tutf8 -ww -z '{}'", entry.path().string()));
    EXPECT_EQ(judged.status, 0) << entry.path();
    EXPECT_EQ(judged.output, "") << entry.path();
  }
}

// As troff prints them, so that an example that loses a backslash on its way fails.
TEST(Manual, ExamplesWork) {
  AMDCOMPAT_NEEDS_PROGRAM("groff", "groff-base");
  const std::string samples = std::string(AMDCOMPAT_SAMPLES) + "/bin/.";
  for (const auto& entry : fs::directory_iterator(kPages / "man1")) {
    const std::string shown =
        run(fmt::format("groff -man -Tascii -P-cbou -rLL=200n '{}' | expand", entry.path().string())).output;
    const std::size_t begin = shown.find("\nEXAMPLES\n"), end = shown.find("\nSEE ALSO\n");
    ASSERT_TRUE(begin < end && end != std::string::npos) << entry.path();
    std::string script = "set -e\n";
    std::size_t examples = 0;
    for (const std::string& line : lines_of(shown.substr(begin, end - begin))) {
      constexpr std::size_t kIndent = 11;  // 7 of the page, 4 of the example
      if (line.find_first_not_of(' ') != kIndent) continue;
      script += line.substr(kIndent) + '\n';
      ++examples;
    }
    EXPECT_GT(examples, 0u) << entry.path();
    amdcompat_test::TemporaryDirectory scratch;
    fs::create_directory(scratch / "bin");
    fs::create_symlink(AMDCOMPAT_CLI, scratch / "bin/amdcompat");
    fs::copy(samples, scratch / "work", fs::copy_options::recursive);
    amdcompat_test::write_file(scratch / "script", script);
    const auto done = run(fmt::format("cd '{}' && PATH='{}':\"$PATH\" bash ../script", (scratch / "work").string(),
                                      (scratch / "bin").string()));
    EXPECT_EQ(done.status, 0) << entry.path() << '\n' << script << done.output;
    // Wrong usage hides behind `|| true`.
    EXPECT_EQ(done.output.find("see --help"), std::string::npos) << done.output;
    EXPECT_EQ(done.output.find("Run with --help"), std::string::npos) << done.output;
  }
}

// The words that bash offers for a command line that ends in the word to be completed.
std::vector<std::string> bash_offers(const std::string& line) {
  const auto offered =
      run(fmt::format("bash -c 'source \"$0\"; COMP_WORDS=({0}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _amdcompat; "
                      "printf \"%s\\n\" \"${{COMPREPLY[@]}}\"' '{1}'",
                      line, (kPages / "bash/amdcompat").string()));
  EXPECT_EQ(offered.status, 0) << offered.output;
  return lines_of(offered.output);
}

TEST(Completion, OffersVerbsOptionsAndWordsInBash) {
  std::vector<std::string> all = verbs();
  const auto offered = bash_offers("amdcompat \"\"");
  for (const std::string& verb : all) EXPECT_TRUE(std::ranges::find(offered, verb) != offered.end()) << verb;
  EXPECT_EQ(bash_offers("amdcompat conv"), std::vector<std::string>{"convert"});
  EXPECT_EQ(bash_offers("amdcompat convert --lay"), std::vector<std::string>{"--layout"});
  EXPECT_EQ(bash_offers("amdcompat convert --layout na"), std::vector<std::string>{"natural"});
  EXPECT_EQ(bash_offers("amdcompat layout --layout na"), std::vector<std::string>{""});
}

TEST(Completion, IsTakenByZsh) {
  AMDCOMPAT_NEEDS_PROGRAM("zsh", "zsh");
  const auto judged = run(fmt::format("zsh -n '{}'", (kPages / "zsh/_amdcompat").string()));
  EXPECT_EQ(judged.status, 0) << judged.output;
  EXPECT_EQ(judged.output, "");
}

TEST(Completion, OffersVerbsAndWordsInFish) {
  AMDCOMPAT_NEEDS_PROGRAM("fish", "fish");
  const std::string source = fmt::format("source {}; ", (kPages / "fish/amdcompat.fish").string());
  const auto verb = run("fish -N -c '" + source + "complete -C\"amdcompat conv\"'");
  EXPECT_TRUE(verb.output.starts_with("convert\t")) << verb.output;
  const auto word = run("fish -N -c '" + source + "complete -C\"amdcompat convert --layout na\"'");
  EXPECT_EQ(word.output.substr(0, word.output.find_first_of("\t\n")), "natural") << word.output;
}

}  // namespace
}  // namespace manual_test
