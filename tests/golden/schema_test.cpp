// The XML form against its schema, judged by xmllint.
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/amdcompat.hpp>

#include "support/process.hpp"
#include "support/real_corpus.hpp"
#include "transcript.hpp"

namespace golden {
namespace {

namespace fs = std::filesystem;

#define NEEDS_XMLLINT() AMDCOMPAT_NEEDS_PROGRAM("xmllint", "libxml2-utils")

std::string to_xml(const std::string& bytes) {
  amdcompat::Diagnostics ignored;
  const auto file = amdcompat::open(bytes, ignored);
  return file ? amdcompat::to_xml(*file) : "";
}

// xmllint's complaint about a document, or nothing.
class Judge {
 public:
  void add(const std::string& name, const std::string& xml) {
    const std::string file = fmt::format("{}.xml", names_.size());
    names_.push_back(name);
    write_file(scratch_ / file, xml);
    command_ += " " + file;
  }
  // Lines of complaint, the names of the documents in front.
  [[nodiscard]] std::string run() const {
    const auto result = amdcompat_test::run(fmt::format(
        "cd '{}' && xmllint --huge --noout --schema '{}/docs/amdcompat-text.xsd'{}", (scratch_ / "").string(),
        AMDCOMPAT_SOURCE_DIR, command_));
    std::string out;
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with(" validates")) continue;
      const std::size_t dot = line.find('.');
      const std::string number = line.substr(0, dot);
      const bool named = !number.empty() && number.find_first_not_of("0123456789") == std::string::npos &&
                         std::stoul(number) < names_.size();
      out += fmt::format("{}: {}\n", named ? names_[std::stoul(number)] : "", line);
    }
    if (result.status != 0 && out.empty()) out = "xmllint failed\n";
    return out;
  }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  amdcompat_test::TemporaryDirectory scratch_;
  std::vector<std::string> names_;
  std::string command_;
};

TEST(XmlSchema, EverySampleIsValid) {
  NEEDS_XMLLINT();
  Judge judge;
  for (const char* directory : {"bin", "refused", "broken"})
    for (const std::string& file : files_in(samples_directory() / directory))
      if (const std::string xml = to_xml(read_file(samples_directory() / directory / file)); !xml.empty())
        judge.add(file, xml);
  EXPECT_GT(judge.size(), 30u);
  EXPECT_EQ(judge.run(), "");
}

TEST(XmlSchema, EveryBrokenTextIsValid) {
  NEEDS_XMLLINT();
  Judge judge;
  const fs::path directory = golden_directory() / "diagnostics";
  for (const std::string& file : files_in(directory))
    if (file.ends_with(".amdil")) judge.add(file, to_xml(read_file(directory / file)));
  EXPECT_GT(judge.size(), 80u);
  EXPECT_EQ(judge.run(), "");
}

TEST(XmlSchema, EveryRealFileIsValid) {
  NEEDS_XMLLINT();
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  Judge judge;
  for (const auto& entry : fs::recursive_directory_iterator(amdcompat_test::real_root() / "corpus")) {
    if (!entry.is_regular_file() || entry.file_size() > 8u << 20) continue;
    if (const std::string xml = to_xml(read_file(entry.path())); !xml.empty())
      judge.add(entry.path().filename().string(), xml);
  }
  EXPECT_GT(judge.size(), 100u);
  EXPECT_EQ(judge.run(), "");
}

// A schema that takes everything would pass the tests above.
TEST(XmlSchema, RefusesWhatTheModelCannotHold) {
  NEEDS_XMLLINT();
  const std::string good = to_xml(read_file(samples_directory() / "bin/images.amdil"));
  const auto complaint = [&](std::string_view from, std::string_view to) {
    std::string bad = good;
    const std::size_t at = bad.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) bad.replace(at, from.size(), to);
    Judge judge;
    judge.add("changed", bad);
    return judge.run();
  };
  EXPECT_EQ(complaint("<image ", "<image "), "");
  for (const auto& [from, to] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"<image ", "<picture "},
           {"access=\"RO\"", "access=\"ro\""},
           {"dimension=\"2D\"", "dimension=\"4D\""},
           {"constant-buffer=\"1\"", "constant-buffer=\"4294967296\""},
           {"constant-buffer=\"1\"", "constant-buffer=\"-1\""},
           {" offset=\"0\"", ""},
           {"type=\"u32\"", "type=\"u33\""},
           {"major=\"3\"", "major=\"three\""},
           {"dialect=\"amdil\"", "dialect=\"spir\""},
           {"closed=\"true\"", "closed=\"maybe\""},
           {"<block ", "<block colour=\"blue\" "}})
    EXPECT_NE(complaint(from, to), "") << from << " as " << to;
}

}  // namespace
}  // namespace golden
