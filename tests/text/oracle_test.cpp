// Two readers that share no code must agree on every line: those of real files, those of our samples, and what
// seeded mutations make of them.
#include <filesystem>
#include <random>
#include <set>

#include <amdcompat/open.hpp>

#include "hand_reader.hpp"
#include "support/real_corpus.hpp"
#include "text/text_samples.hpp"

namespace amdcompat::text::oracle_test {
namespace {

using namespace test;
using amdcompat_test::read_file;
using amdcompat_test::real_files;

// Directive lines without `;` and line end, each once.
void add_lines(const Document& document, std::set<std::string>& lines) {
  for (const Block& block : document.blocks)
    for (const Element& element : document.directives(block))
      if (element.length != 0) lines.emplace(document.body(element));
}

std::set<std::string> own_lines() {
  std::set<std::string> lines;
  const std::filesystem::path root = AMDCOMPAT_SOURCE_DIR;
  for (const char* directory : {"fuzz/corpus/text", "corpus"})
    for (std::error_code error;
         const auto& entry : std::filesystem::recursive_directory_iterator(root / directory, error)) {
      if (!entry.is_regular_file()) continue;
      Diagnostics diagnostics;
      add_lines(parse(read_file(entry.path()), diagnostics), lines);
    }
  return lines;
}

std::set<std::string> real_lines() {
  std::set<std::string> lines;
  for (const amdcompat_test::RealFile& real : real_files("amd")) {
    Diagnostics diagnostics;
    if (!real.format.starts_with("amdcl1") && real.format != "amdil-text") continue;
    if (const auto file = open(amdcompat_test::read_real(real), diagnostics))
      for (const MetadataText& part : file->texts) add_lines(part.document, lines);
  }
  return lines;
}

struct Verdicts {
  std::size_t taken = 0, rejected = 0;
};

// Taken by hand if and only if the library has no finding, and then with the same fields.
void expect_agreement(const std::string& line, Verdicts& verdicts) {
  const Parsed text = parsed(";ARGSTART:f\n;" + line + "\n;ARGEND:f\n");
  ASSERT_GE(text.document.elements.size(), 3u) << line;
  const Element& element = text.document.elements[1];
  Directive directive;
  std::vector<std::uint32_t> ids;
  bool canonical = true;
  const bool taken = hand::read_directive(line, directive, ids, canonical);
  ++(taken ? verdicts.taken : verdicts.rejected);
  EXPECT_EQ(taken, text.diagnostics.all().empty()) << line << testing::PrintToString(text.diagnostics.all());
  if (taken) {
    EXPECT_TRUE(hand::same(directive, ids, element.directive, text.document)) << line;
    EXPECT_EQ(canonical, element.canonical) << line;
  }
  EXPECT_EQ(print(text.document), text.document.source());
  EXPECT_EQ(reprint(text.document, 0, text.document.elements.size() - 1), text.document.source()) << line;
}

// One to three small changes, of the kinds that bad tools and bad disks make.
std::string mutated(std::string line, const std::vector<std::string>& others, std::mt19937& random) {
  static constexpr std::string_view kCharacters = ":;-0123456789abcRWOxuif_ .\t\\\r";
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t n = 1 + below(3); n > 0; --n) {
    const std::size_t at = below(line.size() + 1);
    switch (below(8)) {
      case 0: line.insert(at, 1, kCharacters[below(kCharacters.size())]); break;
      case 1: line.erase(at, 1 + below(2)); break;
      case 2: line.resize(at); break;
      case 3:
        if (at < line.size()) line[at] = kCharacters[below(kCharacters.size())];
        break;
      case 4: line.insert(at, line.substr(at, 1 + below(4))); break;
      case 5: {  // a field of another line
        const std::string& other = others[below(others.size())];
        const std::size_t colon = other.find(':', below(other.size() + 1));
        if (colon != std::string::npos) line.insert(at, other.substr(colon, 1 + below(6)));
        break;
      }
      case 6: {  // without one field
        const std::size_t colon = line.find(':', at);
        if (colon != std::string::npos) line.erase(colon, line.find(':', colon + 1) - colon);
        break;
      }
      default: line.insert(at, std::to_string(random())); break;
    }
  }
  std::erase(line, '\n');
  while (line.ends_with('\r')) line.pop_back();  // it would be part of the line end
  return line;
}

void expect_agreement_on(const std::set<std::string>& lines, int mutations) {
  Verdicts whole, changed;
  for (const std::string& line : lines) expect_agreement(line, whole);
  const std::vector<std::string> pool(lines.begin(), lines.end());
  std::mt19937 random(20261121);
  for (int i = 0; i < mutations && !testing::Test::HasFailure(); ++i)
    expect_agreement(mutated(pool[random() % pool.size()], pool, random), changed);
  // Both verdicts must be common, or the mutations test little.
  EXPECT_GT(whole.taken, 10u);
  EXPECT_GT(changed.taken, static_cast<std::size_t>(mutations) / 20);
  EXPECT_GT(changed.rejected, static_cast<std::size_t>(mutations) / 20);
}

TEST(Oracle, BothReadersAgreeOnOurLinesAndTheirMutations) { expect_agreement_on(own_lines(), 30'000); }

TEST(Oracle, BothReadersAgreeOnRealLinesAndTheirMutations) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const std::set<std::string> lines = real_lines();
  EXPECT_GT(lines.size(), 500u);
  expect_agreement_on(lines, 60'000);
}

TEST(Oracle, BothReadersMakeEqualRecordsOfEveryRealBlock) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::string all;
  for (const amdcompat_test::RealFile& real : real_files("amdcl1")) {
    Diagnostics diagnostics;
    const auto file = open(amdcompat_test::read_real(real), diagnostics);
    if (!file) continue;
    for (const MetadataText& part : file->texts)
      for (const Block& block : part.document.blocks) all += std::string(part.document.slice(block.where)) + "\n";
  }
  Diagnostics diagnostics;
  EXPECT_EQ(hand::difference(hand::read(all), parse(all, diagnostics)), "");
}

}  // namespace
}  // namespace amdcompat::text::oracle_test
