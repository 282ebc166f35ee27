// The XML form against its schema, judged by xmllint.
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/amdcompat.hpp>

#include "support/process.hpp"
#include "support/real_corpus.hpp"
#include "transcript.hpp"

namespace golden::schema_test {
namespace {

namespace fs = std::filesystem;

#define NEEDS_XMLLINT() AMDCOMPAT_NEEDS_PROGRAM("xmllint", "libxml2-utils")

std::string to_xml(const std::string& bytes) {
  amdcompat::Diagnostics ignored;
  const auto file = amdcompat::open(bytes, ignored);
  return file ? amdcompat::to_xml(*file) : "";
}

// Where reading the XML again does not give the texts' bytes; nothing when it does, or when there is no file.
std::string lost_in_xml(const std::string& bytes) {
  amdcompat::Diagnostics ignored;
  const auto file = amdcompat::open(bytes, ignored);
  if (!file) return {};
  const auto texts = amdcompat::from_xml(amdcompat::to_xml(*file));
  if (!texts) return texts.error().path + ": " + texts.error().message;
  if (texts->size() != file->texts.size()) return "another number of texts";
  for (std::size_t i = 0; i < texts->size(); ++i)
    if ((*texts)[i].symbol != file->texts[i].symbol || (*texts)[i].text != file->texts[i].document.source())
      return fmt::format("text {} is\n{}", i, (*texts)[i].text);
  return {};
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
    const auto result =
        amdcompat_test::run(fmt::format("cd '{}' && xmllint --huge --noout --schema '{}/docs/amdcompat-text.xsd'{}",
                                        (scratch_ / "").string(), AMDCOMPAT_SOURCE_DIR, command_));
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

TEST(Xml, GivesBackTheTextOfEverySample) {
  for (const char* directory : {"bin", "refused", "broken"})
    for (const std::string& file : files_in(samples_directory() / directory))
      EXPECT_EQ(lost_in_xml(read_file(samples_directory() / directory / file)), "") << file;
  const fs::path directory = golden_directory() / "diagnostics";
  for (const std::string& file : files_in(directory)) {
    if (!file.ends_with(".amdil")) continue;
    EXPECT_EQ(lost_in_xml(read_file(directory / file)), "") << file;
  }
}

TEST(Xml, GivesBackBytesThatNoXmlHolds) {
  const std::string start = ";ARGSTART:__OpenCL_k_kernel\n;version:3:1:111\n", end = ";ARGEND:__OpenCL_k_kernel\n";
  for (const std::string& inside :
       {std::string(";device:hex:41\n"), std::string(";device:true\n"), std::string(";device:a\tb\n"),
        std::string(";device:\xff\n"), std::string(";warning:\x01\r\n"), std::string("\n"), std::string(" \n"),
        std::string("; ]]> <!-- &amp; -->\n"), std::string(";unheard:of\r\r\n"), std::string(";\0\n", 3)}) {
    for (const std::string& text : {start + inside + end, inside + start + end + inside, start + end + inside + " "})
      EXPECT_EQ(lost_in_xml(text), "") << text;
  }
}

TEST(Xml, IsRefusedWhereTheSchemaHasNoSuchThing) {
  const std::string good = to_xml(read_file(samples_directory() / "bin/data-segments.amdil"));
  ASSERT_TRUE(amdcompat::from_xml(good));
  for (const auto& [from, to] :
       std::vector<std::pair<std::string_view, std::string_view>>{{"urn:amdcompat:text:1", "urn:amdcompat:text:2"},
                                                                  {"<version ", "<vision "},
                                                                  {" minor=", " miner="},
                                                                  {"dialect=\"amdil\"", "dialect=\"spir\""},
                                                                  {"dialect=\"amdil\"", "dialect=\"hex:6\""},
                                                                  {"dialect=\"amdil\"", "dialect=\"hex:6g\""},
                                                                  {"<words ", "<word "},
                                                                  {"<end />", "<end line-end=\"cr\" />"},
                                                                  {"</amdcompat-text>", ""}}) {
    std::string bad = good;
    const std::size_t at = bad.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    bad.replace(at, from.size(), to);
    const auto texts = amdcompat::from_xml(bad);
    ASSERT_FALSE(texts) << from << " as " << to;
    EXPECT_FALSE(texts.error().message.empty());
  }
  for (const std::string_view none : {"", "<", "<a/>", "\xff\xfe<\0a"}) EXPECT_FALSE(amdcompat::from_xml(none));
}

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
    const std::string bytes = read_file(entry.path());
    if (const std::string xml = to_xml(bytes); !xml.empty()) judge.add(entry.path().filename().string(), xml);
    EXPECT_EQ(lost_in_xml(bytes), "") << entry.path();
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
}  // namespace golden::schema_test
