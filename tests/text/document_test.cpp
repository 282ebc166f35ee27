// Lines, blocks, dialects, line ends, limits: what parse makes of a whole text.
#include <algorithm>

#include <amdcompat/text.hpp>

#include "text/text_samples.hpp"

namespace amdcompat::text::document_test {
namespace {

using namespace test;

std::vector<ElementKind> kinds(const Document& document) {
  std::vector<ElementKind> out;
  for (const Element& element : document.elements) out.push_back(element.kind);
  return out;
}

TEST(Document, AnEmptyTextHasNothing) {
  const Parsed text = parsed("");
  EXPECT_TRUE(text.document.elements.empty());
  EXPECT_TRUE(text.document.blocks.empty());
  EXPECT_EQ(print(text.document), "");
  EXPECT_TRUE(text.diagnostics.all().empty());
}

TEST(Document, ElementsCoverTheTextWithoutGaps) {
  const Parsed text = parsed("il_cs_2_0\nmov r0, r1\n\n" + kernel(";value:n:u32:1:1:0\n") +
                             "end\n;#DATASTART:4\n;#i32:0:1:1\n;#DATAEND\n");
  std::uint32_t at = 0;
  for (const Element& element : text.document.elements) {
    EXPECT_EQ(element.where.begin, at);
    at += element.where.size;
  }
  EXPECT_EQ(at, text.document.source().size());
}

TEST(Document, ConsecutiveIlLinesShareOneElementButNoneGrowsIntoABlock) {
  using enum ElementKind;
  const Parsed text = parsed("a\nb\n;ARGSTART:f\n;ARGEND:f\nc\n; d\n");
  EXPECT_EQ(kinds(text.document), (std::vector{Il, BlockStart, BlockEnd, Il}));
  EXPECT_EQ(text.document.slice(text.document.elements[0].where), "a\nb\n");
  EXPECT_EQ(text.document.slice(text.document.elements[3].where), "c\n; d\n");
}

TEST(Document, ABlockKnowsItsNameElementsAndPlace) {
  const Parsed text = parsed("mov\n" + kernel(";uavid:11\n"));
  ASSERT_EQ(text.document.blocks.size(), 1u);
  const Block& block = text.document.blocks[0];
  EXPECT_EQ(block.name, "__OpenCL_k_kernel");
  EXPECT_EQ(block.first, 1u);
  EXPECT_EQ(block.last, 5u);
  EXPECT_TRUE(block.closed);
  EXPECT_TRUE(block.complete);
  EXPECT_EQ(text.document.slice(block.where), kernel(";uavid:11\n"));
  EXPECT_EQ(text.document.directives(block).size(), 3u);
}

TEST(Document, ABlockCutByTheEndOrByTheNextIsIncomplete) {
  const Parsed text = parsed(";ARGSTART:f\n;uniqueid:1\n;ARGSTART:g\n;uniqueid:2\n");
  ASSERT_EQ(text.document.blocks.size(), 2u);
  EXPECT_EQ(text.codes(), (std::vector{Code::UnclosedBlock, Code::UnclosedBlock}));
  for (const Block& block : text.document.blocks) {
    EXPECT_FALSE(block.closed);
    EXPECT_FALSE(block.complete);
    EXPECT_EQ(text.document.directives(block).size(), 1u) << block.name;
  }
  EXPECT_EQ(text.document.slice(text.document.blocks[0].where), ";ARGSTART:f\n;uniqueid:1\n");
  expect_prints_back(text.document);
}

TEST(Document, KeepsEveryKindOfLineEnd) {
  const Parsed text = parsed(";ARGSTART:f\r\n;uniqueid:1\n;uavid:2\r\n;ARGEND:f");
  EXPECT_TRUE(text.diagnostics.all().empty());
  ASSERT_EQ(text.document.elements.size(), 4u);
  EXPECT_EQ(text.document.elements[0].line_end, LineEnd::CrLf);
  EXPECT_EQ(text.document.elements[1].line_end, LineEnd::Lf);
  EXPECT_EQ(text.document.elements[2].line_end, LineEnd::CrLf);
  EXPECT_EQ(text.document.elements[3].line_end, LineEnd::None);
  EXPECT_EQ(text.document.blocks[0].name, "f");
  EXPECT_EQ(std::get<Number>(text.document.elements[2].directive).value, 2u);
  expect_prints_back(text.document);
}

TEST(Document, CarriageReturnsElsewhereArePartOfTheLine) {
  const Parsed text = parsed(kernel(";uavid:1\r\r\n"));
  EXPECT_EQ(text.codes(), std::vector{Code::NotANumber});
  expect_prints_back(text.document);
}

TEST(Document, UnknownDirectivesAndTextAreKeptVerbatim) {
  const Parsed text = parsed(kernel(";unheard:of\nplain\n;\n\n;UAVID:1\n"));
  EXPECT_EQ(text.codes(), (std::vector{Code::UnknownDirective, Code::TextInBlock, Code::TextInBlock, Code::TextInBlock,
                                       Code::UnknownDirective}));
  for (std::size_t i = 3; i < 8; ++i) {
    EXPECT_TRUE(std::holds_alternative<Unknown>(text.document.elements[i].directive));
    EXPECT_FALSE(text.document.elements[i].canonical);
  }
  EXPECT_TRUE(text.document.blocks[0].complete);
  expect_prints_back(text.document);
}

TEST(Document, ReadsTheHsailDialectWithAndWithoutSemicolons) {
  const Parsed text = parsed("ARGSTART:f\nuniqueid:1\n;error:late\n;printf_fmt:0:0:1:a;\n  uavid:3\nARGEND:f\n");
  EXPECT_EQ(text.codes(), std::vector{Code::LeadingBlank});
  EXPECT_EQ(text.document.blocks[0].dialect, Dialect::Hsail);
  EXPECT_EQ(std::get<Message>(text.document.elements[2].directive).text, "late");
  EXPECT_EQ(std::get<PrintfFmt>(text.document.elements[3].directive).escaped, "a");
  EXPECT_EQ(std::get<Number>(text.document.elements[4].directive).value, 3u);
  expect_prints_back(text.document);
}

TEST(Document, ReadsPragmasBetweenHsailLines) {
  const Parsed text = parsed("version 1:0;\n pragma \"AMD RTI\" , \"ARGSTART:f\" ;\nprog kernel &k() {\n"
                             "pragma  \"AMD RTI\", \"uniqueid:9\";\n};\npragma \"AMD RTI\", \"ARGEND:f\";\n"
                             "pragma \"other\", \"x\";\n");
  EXPECT_TRUE(text.diagnostics.all().empty());
  ASSERT_EQ(text.document.blocks.size(), 1u);
  EXPECT_EQ(text.document.blocks[0].dialect, Dialect::HsailPragma);
  EXPECT_EQ(text.document.blocks[0].name, "f");
  EXPECT_TRUE(text.document.blocks[0].closed);
  std::size_t numbers = 0;
  for (const Element& element : text.document.elements) numbers += std::holds_alternative<Number>(element.directive);
  EXPECT_EQ(numbers, 1u);
  expect_prints_back(text.document);
}

TEST(Document, TellsFunctionsMacrosPatchTokensAndDebugTextApart) {
  using enum ElementKind;
  const Parsed text = parsed("il_cs_2_0\n;$$$$$$$$$$\nfunc 1024 ; __OpenCL_f_kernel \nmov\nendfunc ; f\n"
                             "mdef(16383)_out(1)_in(2)\nmov\nmend\n;DEBUGSTART\n;uavid:1\nx\n;DEBUGEND\n");
  EXPECT_TRUE(text.diagnostics.all().empty()) << testing::PrintToString(text.diagnostics.all());
  EXPECT_EQ(kinds(text.document), (std::vector{Il, Patch, ElementKind::Function, Il, EndFunction, Macro, Il, EndMacro,
                                               DebugStart, DebugText, DebugEnd}));
  ASSERT_EQ(text.document.functions.size(), 1u);
  EXPECT_EQ(text.document.functions[0].id, 1024u);
  EXPECT_EQ(text.document.functions[0].name, "__OpenCL_f_kernel");
  expect_prints_back(text.document);
}

TEST(Document, CountsCompilationUnitsByTheirHeaders) {
  const Parsed text = parsed("il_cs_2_0\n" + kernel("") + "il_cs_2_0\n" + kernel("") + "il_ps_2_0\n");
  EXPECT_EQ(text.document.units, 3u);
  EXPECT_EQ(text.document.blocks[0].unit, 0u);
  EXPECT_EQ(text.document.blocks[1].unit, 1u);
  // Ids and names are a unit's own affair.
  EXPECT_TRUE(checked(text.document.source()).diagnostics.all().empty());
}

TEST(Document, OffsetsCountFromTheBaseOfTheContainer) {
  ReadOptions options;
  options.base = 1000;
  const Parsed text = parsed(kernel(";uavid:x\n"), options);
  EXPECT_EQ(text.document.blocks[0].where.begin, 1000u);
  ASSERT_EQ(text.diagnostics.all().size(), 1u);
  const SourceRange where = text.diagnostics.all()[0].where;
  EXPECT_EQ(text.document.slice(where), "x");
  expect_prints_back(text.document);
  EXPECT_EQ(text.document.body(text.document.elements[3]), "uavid:x");
}

TEST(Document, IsMovedWithoutLosingItsViews) {
  Parsed text = parsed(kernel(";value:name:u32:1:1:0\n"));
  const Document moved = std::move(text.document);
  EXPECT_EQ(std::get<ValueArg>(moved.elements[3].directive).name, "name");
  expect_prints_back(moved);
}

// --- limits ----------------------------------------------------------------------------------------------

TEST(Limits, ALongTextIsNotLookedAt) {
  ReadOptions options;
  options.limits.bytes = 10;
  const Parsed text = parsed(kernel(""), options);
  EXPECT_EQ(text.codes(), std::vector{Code::TooManyLines});
  EXPECT_TRUE(text.document.elements.empty());
  options.limits.bytes = 1000;
  options.base = 0xffffffff;
  EXPECT_EQ(parsed(kernel(""), options).codes(), std::vector{Code::TooManyLines});
}

TEST(Limits, LinesPastTheLimitAreKeptUnread) {
  ReadOptions options;
  options.limits.lines = 4;
  const Parsed text = parsed(kernel(";uavid:1\n;uavid:2\n;cbid:3\n"), options);
  EXPECT_EQ(text.codes(), (std::vector{Code::TooManyLines, Code::UnclosedBlock}));
  EXPECT_EQ(text.document.elements.size(), 5u);
  EXPECT_FALSE(text.document.blocks[0].complete);
  expect_prints_back(text.document);
}

TEST(Limits, ArgumentsOfAllBlocksCount) {
  ReadOptions options;
  options.limits.arguments = 3;
  const std::string two = ";value:a:u32:1:1:0\n;value:b:u32:1:1:16\n";
  const Parsed text = parsed(kernel(two) + kernel(two, "l") + kernel(two, "m") + kernel("", "n"), options);
  EXPECT_EQ(std::ranges::count(text.codes(), Code::TooManyArguments), 1);
  ASSERT_EQ(text.document.blocks.size(), 4u);
  for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(text.document.blocks[n].complete, n == 0 || n == 3) << n;
  expect_prints_back(text.document);
}

TEST(Limits, BlocksPastTheLimitAreText) {
  ReadOptions options;
  options.limits.blocks = 1;
  const Parsed text = parsed(kernel("") + kernel("", "l"), options);
  EXPECT_TRUE(text.diagnostics.contains(Code::TooManyLines));
  EXPECT_EQ(text.document.blocks.size(), 1u);
  expect_prints_back(text.document);
}

TEST(Limits, ListsPastTheLimitAreNotRead) {
  ReadOptions options;
  options.limits.list_items = 3;
  EXPECT_TRUE(parsed(kernel(";function:3:1:2:3\n"), options).diagnostics.all().empty());
  EXPECT_EQ(parsed(kernel(";function:4:1:2:3:4\n"), options).codes(), std::vector{Code::ListTooLong});
  EXPECT_EQ(parsed(kernel(";printf_fmt:0:4:1:1:1:1:1:a;\n"), options).codes(), std::vector{Code::ListTooLong});
  EXPECT_EQ(parsed(kernel(";printf_fmt:0:4294967295:1:a;\n"), options).codes(), std::vector{Code::ListTooLong});
  // The next line has its own list.
  const Parsed text = parsed(kernel(";printf_fmt:0:1:4:2:%d;\n;function:3:1:2:3\n"), options);
  EXPECT_TRUE(text.diagnostics.all().empty());
}

TEST(Limits, NamesPastTheLimitAreReported) {
  ReadOptions options;
  options.limits.name_bytes = 20;
  EXPECT_TRUE(parsed(kernel(""), options).diagnostics.all().empty());
  EXPECT_EQ(parsed(kernel("", "longer"), options).codes(), std::vector{Code::LongName});
}

TEST(Limits, HostileLinesMakeNoHostileReports) {
  const std::string junk(100'000, 'x');
  for (const std::string& text :
       {kernel(";" + junk + "\n"), kernel(";uavid:" + junk + "\n"), kernel(junk + "\n"), ";ARG:" + junk,
        ";#DATASTART:" + junk + "\n", kernel(";uavid:1;version:" + junk + "\n")})
    EXPECT_TRUE(std::ranges::all_of(checked(text).diagnostics.all(),
                                    [](const Diagnostic& finding) { return finding.message.size() < 400; }));
}

}  // namespace
}  // namespace amdcompat::text::document_test
