// Printing edited documents, and whole blocks in the form of a version.
#include <amdcompat/text.hpp>

#include "text/text_samples.hpp"

namespace amdcompat::text::edit_test {
namespace {

using namespace test;

TEST(Edit, AnEditedLinePrintsFromItsFieldsAndTheRestByteForByte) {
  Parsed text = parsed("mov  r0 \n" + kernel(";value:n:u32:1:1:0016\n;unheard:of\n;uavid:007\n"));
  auto value = std::get<ValueArg>(text.document.elements[4].directive);
  value.name = text.document.keep("renamed");
  text.document.edit(4, value);
  EXPECT_EQ(print(text.document), "mov  r0 \n" + kernel(";value:renamed:u32:1:1:16\n;unheard:of\n;uavid:007\n"));
}

TEST(Edit, KeepsTheLineEndAndTheDialectOfTheLine) {
  Parsed text = parsed(";ARGSTART:f\r\n;uavid:1\r\n;ARGEND:f");
  text.document.edit(1, Number{NumberKey::CbId, 10});
  EXPECT_EQ(print(text.document), ";ARGSTART:f\r\n;cbid:10\r\n;ARGEND:f");
  Parsed pragma = parsed(
      "pragma \"AMD RTI\", \"ARGSTART:f\";\npragma  \"AMD RTI\",\"uavid:1\" ;\npragma \"AMD RTI\", \"ARGEND:f\";\n");
  pragma.document.edit(1, Number{NumberKey::UavId, 12});
  EXPECT_EQ(
      print(pragma.document),
      "pragma \"AMD RTI\", \"ARGSTART:f\";\npragma  \"AMD RTI\",\"uavid:12\" ;\npragma \"AMD RTI\", \"ARGEND:f\";\n");
}

TEST(Edit, ManyKeptTextsStayWhereTheyAre) {
  Parsed text = parsed(kernel(";value:n:u32:1:1:0\n"));
  std::vector<std::string_view> kept;
  for (int i = 0; i < 1000; ++i) kept.push_back(text.document.keep("name" + std::to_string(i)));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(kept[static_cast<std::size_t>(i)], "name" + std::to_string(i));
  const Document moved = std::move(text.document);
  EXPECT_EQ(kept[0], "name0");
}

TEST(Edit, AMalformedLineCanBeRepaired) {
  Parsed text = parsed(kernel(";uavid:x\n"));
  text.document.edit(3, Number{NumberKey::UavId, 11});
  EXPECT_EQ(print(text.document), kernel(";uavid:11\n"));
  EXPECT_TRUE(parsed(print(text.document)).diagnostics.all().empty());
}

TEST(Edit, ReprintCoversARangeOfElements) {
  const Parsed text = parsed(kernel(";uavid:1\n;cbid:2\n"));
  EXPECT_EQ(reprint(text.document, 3, 3), ";uavid:1\n");
  EXPECT_EQ(reprint(text.document, 3, 4), ";uavid:1\n;cbid:2\n");
  EXPECT_EQ(reprint(text.document, 6, 99), "");
}

constexpr PrintStyle kFirst{{1, 4, 53}, Dialect::Amdil};
constexpr PrintStyle kSecond{{2, 1, 88}, Dialect::Amdil};
constexpr PrintStyle kThird{{3, 1, 111}, Dialect::Amdil};
constexpr PrintStyle kHsail{{3, 1, 104}, Dialect::Hsail};
constexpr PrintStyle kPragma{{3, 1, 104}, Dialect::HsailPragma};

std::string canonical(std::string_view lines, const PrintStyle& style) {
  const Parsed text = parsed(kernel(lines));
  return print_block(text.document, text.document.blocks[0], style);
}
std::string with_version(std::string_view version, std::string_view lines) {
  return ";ARGSTART:__OpenCL_k_kernel\n;version:" + std::string(version) + "\n;uniqueid:1024\n" + std::string(lines) +
         ";ARGEND:__OpenCL_k_kernel\n";
}

TEST(PrintBlock, WritesThePointerFieldsOfTheVersion) {
  const std::string_view full = ";pointer:p:u8:1:1:0:uav:11:4:RO:1:1\n";
  EXPECT_EQ(canonical(full, kFirst), with_version("1:4:53", ";pointer:p:u8:1:1:0:uav:11:4\n"));
  EXPECT_EQ(canonical(full, kSecond), with_version("2:1:88", ";pointer:p:u8:1:1:0:uav:11:4:RO\n"));
  EXPECT_EQ(canonical(full, kThird), with_version("3:1:111", full));
}

TEST(PrintBlock, FillsInWhatTheVersionNeedsWithTheEmittersDefaults) {
  EXPECT_EQ(canonical(";pointer:p:u8:1:1:0:g:0\n", kThird),
            with_version("3:1:111", ";pointer:p:u8:1:1:0:g:0:4:RW:0:0\n"));
  EXPECT_EQ(canonical(";pointer:p:u8:1:1:0:uav:11:4:RO\n", kThird),
            with_version("3:1:111", ";pointer:p:u8:1:1:0:uav:11:4:RO:0:0\n"));
}

TEST(PrintBlock, WritesTheHsailDialectsWithTheirPipeField) {
  EXPECT_EQ(canonical(";pointer:p:u8:1:1:0:uav:11:4:RO:1:1\n", kHsail),
            "ARGSTART:__OpenCL_k_kernel\nversion:3:1:104\nuniqueid:1024\npointer:p:u8:1:1:0:uav:11:4:RO:1:1:0\n"
            "ARGEND:__OpenCL_k_kernel\n");
  EXPECT_EQ(canonical("", kPragma),
            "pragma \"AMD RTI\", \"ARGSTART:__OpenCL_k_kernel\";\npragma \"AMD RTI\", \"version:3:1:104\";\n"
            "pragma \"AMD RTI\", \"uniqueid:1024\";\npragma \"AMD RTI\", \"ARGEND:__OpenCL_k_kernel\";\n");
}

TEST(PrintBlock, PutsAMissingVersionFirstButOnlyIntoKernels) {
  const Parsed text =
      parsed(";ARGSTART:__OpenCL_k_kernel\n;uniqueid:1024\n;ARGEND:__OpenCL_k_kernel\n" + function("7", ""));
  EXPECT_EQ(print_block(text.document, text.document.blocks[0], kThird), with_version("3:1:111", ""));
  EXPECT_EQ(print_block(text.document, text.document.blocks[1], kThird), ";ARGSTART:f7\n;uniqueid:7\n;ARGEND:f7\n");
}

TEST(PrintBlock, NormalisesNumbersBlanksAndLineEnds) {
  EXPECT_EQ(canonical("  ;uavid:007\r\n;memory:hwlocal:00\n", kThird),
            with_version("3:1:111", ";uavid:7\n;memory:hwlocal:0\n"));
}

// Found by fuzzing: at a text's cut end a carriage return stands without its line feed.
TEST(PrintBlock, MakesNoLineEndOfACarriageReturn) {
  const Parsed text = parsed(";ARGSTART:f\r\r\n;uniqueid:7\r\r\n;unheard\r");
  EXPECT_EQ(print_block(text.document, text.document.blocks[0], kThird),
            ";ARGSTART:f\n;uniqueid:7\n;unheard\n;ARGEND:f\n");
}

TEST(PrintBlock, KeepsUnknownAndMalformedDirectives) {
  EXPECT_EQ(canonical(";unheard:of\n;uavid:x\n", kThird), with_version("3:1:111", ";unheard:of\n;uavid:x\n"));
}

TEST(PrintBlock, InEveryStyleReadsBackWithoutAFinding) {
  const std::string_view lines =
      ";device:pitcairn\n;memory:uavprivate:0\n;pointer:p:u8:1:1:0:uav:11:4:RO:0:1\n"
      ";value:v:float:4:1:16\n;image:i:2D:WO:0:1:32\n;constarg:0:p\n;function:1:7\n;uavid:11\n"
      ";printf_fmt:0:1:4:4:%d\\n;;\n;reflection:0:uchar*\n";
  for (const PrintStyle& style : {kFirst, kSecond, kThird, kHsail, kPragma}) {
    const std::string once = canonical(lines, style);
    const Parsed again = checked(once);
    EXPECT_TRUE(again.diagnostics.all().empty()) << once << testing::PrintToString(again.diagnostics.all());
    ASSERT_EQ(again.document.blocks.size(), 1u);
    EXPECT_EQ(again.document.blocks[0].dialect, style.dialect);
    EXPECT_EQ(print_block(again.document, again.document.blocks[0], style), once);
  }
}

}  // namespace
}  // namespace amdcompat::text::edit_test
