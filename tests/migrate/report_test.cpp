// The report: against its manifest, as XML, and in a browser.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pugixml.hpp>

#include "manifest.hpp"
#include "report/highlight.hpp"
#include "report/picture.hpp"
#include "report/report.hpp"
#include "report/xhtml.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace report_test {
namespace {

using namespace amdcompat;
using namespace amdcompat::migrate;
using amdcompat_test::read_file;
using amdcompat_test::run;
using amdcompat_test::TemporaryDirectory;

std::string digest(std::uint64_t number) { return fmt::format("{:064x}", number * 0x9e3779b97f4a7c15u); }

ManifestArgument argument(std::string name, std::string type, std::uint32_t buffer, std::uint64_t from,
                          std::optional<std::uint64_t> to) {
  ManifestArgument out;
  out.name = std::move(name);
  out.type = std::move(type);
  out.kind = out.type.ends_with('*') ? "global_buffer" : "by_value";
  out.buffer = buffer;
  out.from = from;
  out.to = to;
  out.size = to ? 8 : 0;
  return out;
}

// Every third kernel is refused, every third described; names and devices vary.
ProgramRecord program(std::uint64_t number, std::size_t kernels) {
  static constexpr const char* kDevices[] = {"tahiti", "pitcairn", "hawaii", "cypress"};
  ProgramRecord out;
  out.sha256 = digest(number);
  out.size = 4000 + number;
  out.kind = "CL1 GPU container";
  out.device = kDevices[number % 4];
  out.driver = fmt::format("CAL 1.4.{}", 1700 + number % 3);
  out.outcome = Outcome::Partial;
  out.outputs.push_back({fmt::format("objects/{}/{}.hsaco", out.sha256.substr(0, 2), out.sha256), "elf", "in-place",
                         "gfx600", 3, 4096, digest(number + 1)});
  for (std::size_t i = 0; i < kernels; ++i) {
    ManifestKernel kernel;
    kernel.name = fmt::format("kernel_{}_{}", number, i);
    kernel.version = "3:1:111";
    const std::size_t kind = (number + i) % 3;
    kernel.outcome = kind == 0 ? Outcome::Converted : kind == 1 ? Outcome::Described : Outcome::Refused;
    const bool refused = kernel.outcome == Outcome::Refused;
    for (std::uint64_t a = 0; a < 6; ++a) {
      const auto to = refused ? std::nullopt : std::optional(kind == 0 ? a * 16 : a * 8);
      kernel.arguments.push_back(
          argument(fmt::format("argument{}", a), a % 2 == 0 ? "float4*" : "uint", 1, a * 16, to));
    }
    if (!refused) {
      kernel.layout = kind == 0 ? "in-place" : "natural";
      kernel.kernarg_bytes = 96;
      ManifestArgument added;
      added.name = "amdcompat.cb0";
      added.kind = "by_value";
      added.to = 96;
      added.size = 144;
      kernel.arguments.push_back(added);
    }
    if (kind == 0) {
      kernel.other = ManifestSegment{"natural", 48, {}};
      for (std::uint64_t a = 0; a < 6; ++a) {
        ManifestArgument& to = kernel.other->arguments.emplace_back(kernel.arguments[a]);
        to.buffer.reset();
        to.from.reset();
        to.to = a * 8;
      }
      kernel.proof = ManifestProof{"proved", 12, 0, 0, 0, 40, 44, "", ""};
    }
    if (kind != 0) {  // what stands against a described kernel's machine code is a warning
      Finding finding;
      finding.severity = refused ? Severity::Error : Severity::Warning;
      finding.code = !refused ? "AC4303" : i % 2 == 0 ? "AC4302" : "AC4304";
      finding.offset = 1242;
      finding.size = 30;
      finding.line = finding.column = 1;
      finding.text = fmt::format(";ARGSTART:__OpenCL_{}_kernel", kernel.name);
      finding.kernel = kernel.name;
      finding.message = fmt::format("kernel '{}' needs what is not there", kernel.name);
      out.findings.push_back(finding);
    }
    out.kernels.push_back(std::move(kernel));
  }
  return out;
}

// A manifest of `programs` programs with `kernels` kernels each, in one file each; some files besides.
void write_manifest(const std::filesystem::path& path, std::size_t programs, std::size_t kernels,
                    const std::vector<FileRecord>& more = {}) {
  std::ofstream out(path, std::ios::binary);
  HeaderRecord header;
  header.tool = "0.1.0";
  header.policy = R"({"layout":"in-place","prove":true})";
  out << to_line(header);
  SummaryRecord summary;
  std::map<std::string, FileRecord> files;
  std::map<std::string, std::uint64_t> order;  // programs stand by their digests
  for (std::uint64_t i = 0; i < programs; ++i) {
    FileRecord file;
    file.path = fmt::format("vault/{:03}/game-{}.bin", i % 100, i);
    file.size = 4000 + i;
    file.sha256 = digest(i);
    file.kind = "CL1 GPU container";
    file.outcome = Outcome::Partial;
    file.programs.push_back({digest(i), 0, 4000 + i, ""});
    files[file.path] = file;
    order[digest(i)] = i;
  }
  for (const FileRecord& file : more) files[file.path] = file;
  for (const auto& [name, file] : files) {
    out << to_line(file);
    ++summary.files[static_cast<std::size_t>(file.outcome)];
  }
  for (const auto& [name, number] : order) {
    const ProgramRecord record = program(number, kernels);
    out << to_line(record);
    ++summary.programs[static_cast<std::size_t>(record.outcome)];
    for (const ManifestKernel& kernel : record.kernels) {
      ++summary.kernels[static_cast<std::size_t>(kernel.outcome)];
      summary.proved += kernel.proof ? 1 : 0;
    }
    ++summary.outputs;
  }
  out << to_line(summary);
}

FileRecord refused_file(const std::string& path, const std::string& message) {
  FileRecord out;
  out.path = path;
  out.size = 10;
  out.kind = "encrypted binary";
  out.outcome = Outcome::Refused;
  Finding finding;
  finding.code = "AC2006";
  finding.message = message;
  out.findings.push_back(finding);
  return out;
}

std::string report_of(const TemporaryDirectory& scratch) {
  Diagnostics diagnostics;
  EXPECT_TRUE(write_report((scratch / "").string(), diagnostics));
  EXPECT_TRUE(diagnostics.all().empty()) << diagnostics.all().front().message;
  return read_file(scratch / "report.xhtml");
}

TEST(Report, IsXmlWithARowForEachKernelAndEachRefusedFile) {
  TemporaryDirectory scratch;
  write_manifest(scratch / "manifest.jsonl", 40, 5, {refused_file("vault/z", "only AMD's runtime had the key")});
  const std::string page = report_of(scratch);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_buffer(page.data(), page.size()));
  std::size_t rows = 0;
  std::string last;
  for (const pugi::xpath_node node : document.select_nodes("//table[@id='kernels']/tbody")) {
    const pugi::xml_node row = node.node().child("tr");
    const std::string file = row.child("td").text().get();
    EXPECT_LE(last, file);  // in the order of the files
    last = file;
    ++rows;
  }
  EXPECT_EQ(rows, 40u * 5u + 1u);
  EXPECT_EQ(last, "vault/z");
  // Everything it refers to lies beside it.
  for (const pugi::xpath_node node : document.select_nodes("//@href | //@src")) {
    const std::string target = node.attribute().value();
    EXPECT_TRUE(target.starts_with("#") || target == "manifest.jsonl" || target.starts_with("objects/")) << target;
  }
  // Places that are linked to are there.
  for (const pugi::xpath_node node : document.select_nodes("//a[starts-with(@href, '#')]"))
    EXPECT_TRUE(document.select_node(fmt::format("//*[@id='{}']", node.node().attribute("href").value() + 1).c_str()));
}

TEST(Report, RefusedFilesHaveTheirNamesOnAPhoneToo) {
  TemporaryDirectory scratch;
  write_manifest(scratch / "manifest.jsonl", 2, 1, {refused_file("vault/locked.bin", "locked")});
  const std::string page = report_of(scratch);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_buffer(page.data(), page.size()));
  const auto names = document.select_nodes("//table[@id='kernels']//th/span[@class='narrow-only']");
  ASSERT_EQ(names.size(), 1u);
  EXPECT_STREQ(names.begin()->node().text().get(), "vault/locked.bin");
  // Where the column of files goes, the name comes.
  const std::size_t narrow = page.find("@media (max-width: 30rem)");
  ASSERT_NE(narrow, std::string::npos);
  EXPECT_LT(page.find(".narrow-only { display: none; }"), narrow);
  EXPECT_NE(page.find("#kernels .file, .wide-only { display: none; } .narrow-only { display: inline; }", narrow),
            std::string::npos);
}

std::vector<std::vector<std::string>> matrix_of(const std::string& page) {
  std::vector<std::vector<std::string>> out;
  pugi::xml_document document;
  EXPECT_TRUE(document.load_buffer(page.data(), page.size()));
  for (const pugi::xpath_node row : document.select_nodes("//table[contains(@class, 'matrix')]//tr")) {
    std::vector<std::string>& cells = out.emplace_back();
    for (const pugi::xml_node cell : row.node().children()) {
      std::string& text = cells.emplace_back();
      for (const pugi::xpath_node part : cell.select_nodes(".//text()")) text += part.node().value();
    }
  }
  return out;
}

TEST(Report, OpensWithWhatRunsWhere) {
  using Cells = std::vector<std::string>;
  TemporaryDirectory scratch;
  write_manifest(scratch / "manifest.jsonl", 3, 4);
  const std::string page = report_of(scratch);
  // Nothing but what the page is comes before.
  EXPECT_EQ(page.find("<h2>"), page.find("<h2>What runs where"));
  const auto few = matrix_of(page);
  ASSERT_EQ(few.size(), 4u);
  EXPECT_EQ(few[0], (Cells{"program", "gfx600", "described only", "refused"}));
  EXPECT_EQ(few[1], (Cells{"vault/000/game-0.bin", "○ 2", "▤ 1", "✕ 1"}));  // a mark beside each colour
  EXPECT_EQ(few[2], (Cells{"vault/001/game-1.bin", "○ 1", "▤ 2", "✕ 1"}));
  // Thousands of programs stand by their devices.
  write_manifest(scratch / "manifest.jsonl", 2000, 3);
  const auto many = matrix_of(report_of(scratch));
  ASSERT_EQ(many.size(), 5u);
  EXPECT_EQ(many[0], (Cells{"device", "programs", "gfx600", "described only", "refused"}));
  EXPECT_EQ(many[1], (Cells{"cypress", "500", "○ 500", "▤ 500", "✕ 500"}));
}

TEST(Report, SourcesStandWithTheirKernelsWhileTheyAreWhatWasWritten) {
  TemporaryDirectory scratch;
  const std::string unit =
      "// Lifted\n\n// of use to all\nuint helper(uint a) {\n  return a;\n}\n\n// the first\n__kernel\n"
      "void kernel_0_0(__global uint* data, uint n) {\n  data[0] = n < 3u ? 0x1fu : 2; // <b>&amp;\n}\n\n"
      "__kernel __attribute__((reqd_work_group_size(1, 1, 1)))\nvoid kernel_0_1(uint n) {\n}\n";
  HeaderRecord header;
  header.tool = "0.1.0";
  header.policy = "{}";
  FileRecord file;
  file.path = "vault/a b#1.bin";
  file.size = 4000;
  file.outcome = Outcome::Partial;
  file.programs.push_back({digest(0), 0, 4000, ""});
  ProgramRecord record = program(0, 2);
  const std::string source = fmt::format("objects/{}/{}.cl", record.sha256.substr(0, 2), record.sha256);
  record.outputs.push_back({source, "cl", "lifted", "", 0, unit.size(), to_hex(sha256(unit))});
  for (ManifestKernel& kernel : record.kernels) kernel.lift = ManifestLift{"lifted", "work-item", 1, "", {}};
  file.outputs.push_back({"files/a b#1.bin.cl", source});
  amdcompat_test::write_file(scratch / "manifest.jsonl",
                             to_line(header) + to_line(file) + to_line(record) + to_line(SummaryRecord{}));
  std::filesystem::create_directories((scratch / source).parent_path());
  amdcompat_test::write_file(scratch / source, unit);
  const auto sources_of = [](const std::string& page) {
    std::vector<std::string> out;
    pugi::xml_document document;
    EXPECT_TRUE(document.load_buffer(page.data(), page.size(), pugi::parse_default | pugi::parse_ws_pcdata));
    for (const pugi::xpath_node node : document.select_nodes("//pre[@class='source']")) {
      std::string& text = out.emplace_back();
      for (const pugi::xpath_node part : node.node().select_nodes(".//text()")) text += part.node().value();
    }
    return out;
  };
  const std::string page = report_of(scratch);
  EXPECT_EQ(sources_of(page),
            (std::vector<std::string>{"// the first\n__kernel\nvoid kernel_0_0(__global uint* data, uint n) {\n"
                                      "  data[0] = n < 3u ? 0x1fu : 2; // <b>&amp;\n}",
                                      "__kernel __attribute__((reqd_work_group_size(1, 1, 1)))\n"
                                      "void kernel_0_1(uint n) {\n}"}));
  // The name that people know, as a reference.
  EXPECT_NE(page.find(R"(<a href="files/a%20b%231.bin.cl">files/a b#1.bin.cl</a>)"), std::string::npos);
  // Another text in its place is not shown.
  amdcompat_test::write_file(scratch / source, unit + " ");
  EXPECT_TRUE(sources_of(report_of(scratch)).empty());
}

TEST(Report, WordsOfASourceAreMarkedAndItsTextIsTheSame) {
  const auto marked = [](std::string_view source) {
    pugi::xml_document document;
    pugi::xml_node pre = document.append_child("pre");
    add_highlighted(pre, source);
    std::string text;
    for (const pugi::xpath_node part : pre.select_nodes(".//text()")) text += part.node().value();
    EXPECT_EQ(text, source);
    return text == source ? serial(pre) : "";
  };
  EXPECT_EQ(marked("if (x) uint4 v = (float)0x1.8p-3f; // <end>\n#pragma A\nx /* a\n b */ \"s\\\"//\" iff\n"),
            "<pre><span class=\"k\">if</span> (x) <span class=\"t\">uint4</span> v = (<span class=\"t\">float</span>)"
            "<span class=\"n\">0x1.8p-3f</span>; <span class=\"c\">// &lt;end&gt;</span>\n<span class=\"p\">#pragma A"
            "</span>\nx <span class=\"c\">/* a\n b */</span> <span class=\"s\">\"s\\\"//\"</span> iff\n</pre>");
  for (const char* odd : {"", "/*", "//", "\"", "'\\", "#", ".", "1e+", "uint9", "__kernel", "\n\n"}) marked(odd);
  std::string every;
  for (int i = 0; i < 3; ++i)
    for (char c = ' '; c < 127; ++c) every += c;
  marked(every);
}

TEST(Report, MarksOfLayoutsAreExplained) {
  TemporaryDirectory scratch;
  write_manifest(scratch / "manifest.jsonl", 1, 3);
  const std::string page = report_of(scratch);
  for (const char* entry : {">*</span> pointer<", ">=</span> value<", ">#</span> image, sampler, pipe or queue<",
                            ">+</span> added by the launch<"})
    EXPECT_NE(page.find(entry), std::string::npos) << entry;
  EXPECT_NE(page.find(">in-place layout, 96 bytes, to scale<"), std::string::npos);
  EXPECT_NE(page.find(">natural layout, 96 bytes, to scale<"), std::string::npos);
  EXPECT_NE(page.find(">natural layout, not made, 48 bytes, to scale<"), std::string::npos);
  EXPECT_NE(page.find(">cb1+0     * argument0<"), std::string::npos);
}

TEST(Report, CountsReasonsDriversAndDevices) {
  TemporaryDirectory scratch;
  write_manifest(scratch / "manifest.jsonl", 12, 3, {refused_file("a", "locked"), refused_file("b", "locked")});
  const std::string page = report_of(scratch);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_buffer(page.data(), page.size()));
  const auto row = [&](const std::string& name) {
    std::string out;
    const pugi::xml_node first =
        document.select_node(fmt::format("//tr[normalize-space(th)='{}']", name).c_str()).node();
    for (const pugi::xml_node cell : first.children("td")) out += std::string(cell.text().get()) + "|";
    return out;
  };
  EXPECT_EQ(row("kernels"), "36|12|12|0|12|");
  EXPECT_EQ(row("CAL 1.4.1700"), "12|0|0|4|4|4|");
  EXPECT_EQ(row("hawaii"), "9|0|0|3|3|3|");
  EXPECT_TRUE(row("AC4302").ends_with("|8|0|cypress, hawaii, pitcairn, tahiti|")) << row("AC4302");
  EXPECT_TRUE(row("AC4303").ends_with("|0|12|cypress, hawaii, pitcairn, tahiti|")) << row("AC4303");
  EXPECT_TRUE(row("AC2006").ends_with("|2|0|not stated|")) << row("AC2006");
}

TEST(Report, FindingsStandOnceWithEveryKernelThatTheyAreAbout) {
  TemporaryDirectory scratch;
  HeaderRecord header;
  header.tool = "0.1.0";
  header.policy = "{}";
  ProgramRecord record = program(0, 3);
  record.findings.clear();
  const auto add = [&](const char* message, const char* block, const char* kernel) {
    Finding& finding = record.findings.emplace_back();
    finding.severity = Severity::Error;
    finding.code = "AC4302";
    finding.message = message;
    finding.block = block;
    finding.kernel = kernel;
  };
  add("in the block of one about another", "kernel_0_0", "kernel_0_1");
  add("in its own block", "kernel_0_2", "kernel_0_2");
  add("about a kernel that is not there", "", "kernel_0_3");
  amdcompat_test::write_file(scratch / "manifest.jsonl", to_line(header) + to_line(record) + to_line(SummaryRecord{}));
  const std::string page = report_of(scratch);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_buffer(page.data(), page.size()));
  std::vector<std::string> found;
  for (const pugi::xpath_node cell : document.select_nodes("//td[@class='found']"))
    found.emplace_back(cell.node().text().get());
  EXPECT_EQ(found, (std::vector<std::string>{"2 errors", "1 error", "1 error"}));  // the first with the program's
  const auto count = [&](const char* message) {
    return document.select_nodes(fmt::format("//pre[contains(text(), '{}')]", message).c_str()).size();
  };
  EXPECT_EQ(count("in the block of one about another"), 2u);
  EXPECT_EQ(count("in its own block"), 1u);
  EXPECT_EQ(count("about a kernel that is not there"), 1u);
}

TEST(Report, ListsNoMoreKernelsThanABrowserOpens) {
  TemporaryDirectory scratch;
  write_manifest(scratch / "manifest.jsonl", 7000, 3);
  const std::string page = report_of(scratch);
  EXPECT_NE(page.find("The table lists 19998 of 21000,"), std::string::npos);
  constexpr std::string_view kRow = "<tbody id=\"row";
  std::size_t rows = 0;
  for (std::size_t at = page.find(kRow); at != std::string::npos; at = page.find(kRow, at + 1)) ++rows;
  EXPECT_EQ(rows, 19998u);
}

TEST(Report, DrawsALineFromEachOldPlaceToItsNewOne) {
  TemporaryDirectory scratch;
  write_manifest(scratch / "manifest.jsonl", 1, 3);
  const std::string page = report_of(scratch);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_buffer(page.data(), page.size()));
  std::vector<std::size_t> lines, labels, segments;
  for (const pugi::xpath_node node : document.select_nodes("//svg[@class='layout']")) {
    const std::string ways = node.node().find_child_by_attribute("class", "way").attribute("d").value();
    lines.push_back(static_cast<std::size_t>(std::ranges::count(ways, 'M')));
    segments.push_back(node.node().select_nodes("path[@class='gap']").size());
    const auto texts = node.node().children("text");
    labels.push_back(static_cast<std::size_t>(std::distance(texts.begin(), texts.end())));
  }
  // Six arguments, and what the launch adds; the refused kernel has no new places.
  EXPECT_EQ(lines, (std::vector<std::size_t>{6, 6, 0}));
  EXPECT_EQ(labels, (std::vector<std::size_t>{30, 23, 8}));  // with the marks of segments to scale
  EXPECT_EQ(segments, (std::vector<std::size_t>{2, 1, 0}));  // in place, and natural where that is known too
}

TEST(Report, DrawsTheFirstPlacesOfALongSegmentWhateverTheOrderOfItsArguments) {
  ManifestKernel kernel;
  kernel.layout = "natural";
  for (std::uint64_t a = 0; a < 100; ++a)
    kernel.arguments.push_back(argument(fmt::format("argument{}", a), "float*", 1, a * 16, (99 - a) * 8));
  pugi::xml_document document;
  draw(document, kernel);
  const std::string boxes = document.select_node("//path[@class='place pointer']").node().attribute("d").value();
  EXPECT_EQ(std::ranges::count(boxes, 'M'), 64);
  EXPECT_TRUE(boxes.starts_with("M0.0 ")) << boxes;
  const auto labelled = [&](const char* name) {
    return document.select_nodes(fmt::format("//text[contains(., ' {}')]", name).c_str()).size();
  };
  EXPECT_EQ(labelled("argument99"), 1u);  // where it lies in the segment
  EXPECT_EQ(labelled("argument0"), 1u);   // where old code reads it
}

TEST(Report, HoldsWhateverNamesAreMadeOf) {
  TemporaryDirectory scratch;
  const std::string hostile = "</td><script>alert(1)</script>&\"'\x01\xff\xed\xa0\x80]]>\xf4\x90\x80\x80";
  write_manifest(scratch / "manifest.jsonl", 1, 1, {refused_file("x" + hostile, hostile)});
  std::string lines = read_file(scratch / "manifest.jsonl");
  const std::string from = "kernel_0_0", to = R"(<b>\u0001\uffff<\/b>)";
  for (std::size_t at = lines.find(from); at != std::string::npos; at = lines.find(from, at + to.size()))
    lines.replace(at, from.size(), to);
  amdcompat_test::write_file(scratch / "manifest.jsonl", lines);
  const std::string page = report_of(scratch);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_buffer(page.data(), page.size()));
  EXPECT_EQ(page.find('\x01'), std::string::npos);
  EXPECT_EQ(page.find("&#1;"), std::string::npos);
  EXPECT_EQ(page.find("\uffff"), std::string::npos);
  EXPECT_FALSE(document.select_node("//b"));
  const auto scripts = document.select_nodes("//script");
  EXPECT_EQ(scripts.size(), 2u);
  if (!amdcompat_test::has_program("xmllint")) return;  // an independent judge of what XML may hold
  const auto judged = run(fmt::format("xmllint --noout '{}'", (scratch / "report.xhtml").string()));
  EXPECT_EQ(judged.status, 0) << judged.output;
}

TEST(Report, IsTheSameForTheSameManifestAndLeavesNothingBehindWhenItCannotBeWritten) {
  TemporaryDirectory scratch;
  write_manifest(scratch / "manifest.jsonl", 5, 2);
  const std::string once = report_of(scratch);
  EXPECT_EQ(report_of(scratch), once);
  const auto code_of = [&] {
    Diagnostics diagnostics;
    EXPECT_FALSE(write_report((scratch / "").string(), diagnostics));
    return diagnostics.all().empty() ? Code::InternalError : diagnostics.all().front().code;
  };
  const std::string lines = read_file(scratch / "manifest.jsonl");
  amdcompat_test::write_file(scratch / "manifest.jsonl", lines.substr(0, lines.size() / 2));
  EXPECT_EQ(code_of(), Code::ManifestBroken);
  std::filesystem::remove(scratch / "manifest.jsonl");
  EXPECT_EQ(code_of(), Code::FileUnreadable);
  EXPECT_EQ(read_file(scratch / "report.xhtml"), once);
  // A directory in the report's place cannot be replaced.
  amdcompat_test::write_file(scratch / "manifest.jsonl", lines);
  std::filesystem::remove(scratch / "report.xhtml");
  std::filesystem::create_directories(scratch / "report.xhtml/inside");
  EXPECT_EQ(code_of(), Code::FileUnwritable);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(scratch / "")) ++files;
  EXPECT_EQ(files, 2u);
}

// --- in a browser ------------------------------------------------------------------------------------------

struct Browsed {
  std::string dom;
  std::string console;
};
// The page as it is after its scripts ran, with `script` as the last of them.
Browsed browse(const TemporaryDirectory& scratch, std::string page, const std::string& script,
               const std::string& options = "") {
  pugi::xml_document escaped;
  escaped.append_child("script").append_child(pugi::node_pcdata).set_value(script.c_str());
  std::ostringstream tag;
  escaped.print(tag, "", pugi::format_raw);
  const std::size_t end = page.rfind("</main>");
  if (!script.empty()) page.insert(end, tag.str());
  amdcompat_test::write_file(scratch / "page.xhtml", page);
  const auto shown =
      run(fmt::format("cd '{0}' && chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
                      "--user-data-dir='{0}/profile' --enable-logging=stderr {1} --dump-dom 'file://{0}/page.xhtml' "
                      "2> console > dom",
                      (scratch / "").string(), options));
  Browsed out;
  EXPECT_EQ(shown.status, 0);
  out.dom = read_file(scratch / "dom");
  std::istringstream lines(read_file(scratch / "console"));
  for (std::string line; std::getline(lines, line);)
    if (line.find("CONSOLE") != std::string::npos) out.console += line + '\n';
  return out;
}
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) return "";
  return text.substr(at + begin.size(), text.find(end, at + begin.size()) - at - begin.size());
}

TEST(Report, SortsAndFiltersInABrowserWithoutAComplaint) {
  AMDCOMPAT_NEEDS_PROGRAM("chromium", "chromium");
  TemporaryDirectory scratch;
  write_manifest(scratch / "manifest.jsonl", 60, 5, {refused_file("vault/z", "locked")});
  const Browsed shown = browse(scratch, report_of(scratch), R"js(
    const log = [];
    const table = document.getElementById('kernels');
    const visible = () => Array.from(table.tBodies).filter((row) => !row.hidden);
    const column = (index) => visible().map((row) => row.rows[0].cells[index].textContent);
    const choose = (id, value) => {
      const select = document.getElementById(id);
      select.value = value;
      select.dispatchEvent(new Event('change'));
    };
    const status = () => document.getElementById('status').textContent;
    const head = (index) => table.tHead.rows[0].cells[index];
    log.push(status());
    document.getElementById('more').click();
    log.push(status());
    choose('result', 'refused');
    log.push(`${new Set(column(4)).size} ${status()}`);
    choose('device', 'hawaii');
    log.push(`${new Set(column(2)).size} ${status()}`);
    document.getElementById('reset').click();
    head(0).querySelector('button').click();
    log.push(`${head(0).getAttribute('aria-sort')} ${column(0).slice(0, 3).join()}`);
    head(0).querySelector('button').click();
    log.push(`${head(0).getAttribute('aria-sort')} ${column(0).slice(0, 3).join()}`);
    head(2).querySelector('button').click();
    log.push(`${head(0).getAttribute('aria-sort')} ${head(2).getAttribute('aria-sort')} ${column(2)[0]}`);
    document.querySelector('a[data-find=AC2006]').click();
    log.push(`${column(1).join()} ${document.activeElement.id}`);
    const search = document.getElementById('search');
    search.value = 'game-7.bin kernel_7_1';
    search.dispatchEvent(new Event('input'));
    setTimeout(() => {
      log.push(`${column(0).join()} ${status()}`);
      document.title = log.join('; ');
    }, 300);
  )js",
                               "--virtual-time-budget=2000");
  EXPECT_EQ(shown.console, "");
  EXPECT_EQ(between(shown.dom, "<title>", "</title>"),
            "100 of 301 rows shown; 301 of 301 rows shown; 1 100 of 101 rows shown, 301 in all; "
            "1 25 of 25 rows shown, 301 in all; ascending –vault/z,kernel_0_0,kernel_0_1; "
            "descending kernel_59_4,kernel_59_3,kernel_59_2; none ascending cypress; vault/z search; "
            "kernel_7_1 1 of 1 row shown, 301 in all");
}

// Without a script all rows are there, and no control that would do nothing.
TEST(Report, IsWholeWithoutJavaScript) {
  AMDCOMPAT_NEEDS_PROGRAM("chromium", "chromium");
  TemporaryDirectory scratch;
  write_manifest(scratch / "manifest.jsonl", 60, 5);
  std::string page = report_of(scratch);
  // What a browser that runs no scripts does; only the test's own is left.
  page = std::regex_replace(page, std::regex("<script>[^<]*</script>"), "");
  const Browsed shown = browse(scratch, page, R"js(
    const rows = Array.from(document.getElementById('kernels').tBodies);
    document.title = `${rows.filter((row) => getComputedStyle(row).display !== 'none').length} rows, ` +
      `${getComputedStyle(document.querySelector('.controls')).display}, ` +
      `${getComputedStyle(document.querySelector('.more-rows')).display}`;
  )js");
  EXPECT_EQ(between(shown.dom, "<title>", "</title>"), "300 rows, none, none");
  EXPECT_EQ(shown.console, "");
}

TEST(Report, OfTenThousandKernelsOpensInThreeSeconds) {
  AMDCOMPAT_NEEDS_PROGRAM("chromium", "chromium");
  TemporaryDirectory scratch;
  write_manifest(scratch / "manifest.jsonl", 1000, 10);
  const std::string page = report_of(scratch);
  // Until the page has been laid out and drawn once, counted from the start of the navigation. Other tests run at the
  // same time, so the best of three counts.
  std::string title;
  for (int attempt = 0; attempt < 3 && (attempt == 0 || std::atoi(title.c_str()) >= 3000); ++attempt)
    title = between(browse(scratch, page, R"js(
    const table = document.getElementById('kernels');
    table.getBoundingClientRect();
    const time = Math.round(performance.now());
    const details = table.querySelector('details');
    details.addEventListener('toggle', () => {
      document.title = `${time} ms, ${document.getElementById('status').textContent}, ` +
        `${details.querySelectorAll('svg.layout > path.way').length} picture`;
      table.remove();  // what is printed of the page takes longer than the page
    });
    details.open = true;
  )js",
                           "--timeout=5000")
                        .dom,
                    "<title>", "</title>");
  EXPECT_TRUE(title.ends_with(" ms, 100 of 10000 rows shown, 1 picture")) << title;
  EXPECT_LT(std::atoi(title.c_str()), 3000) << title;
  RecordProperty("opened", title);
  std::printf("opened in %s\n", title.c_str());
}

}  // namespace
}  // namespace report_test
