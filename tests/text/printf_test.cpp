// printf_fmt: lengths, escapes, fallbacks. [SPEC «Printf information»; RT gpuprogram.cpp parseFuncMetadata]
#include <amdcompat/text.hpp>

#include "text/text_samples.hpp"

namespace amdcompat::text::printf_test {
namespace {

using namespace test;

struct Format {
  std::string escaped;
  std::vector<Code> codes;
  bool canonical = false;
};
Format format_of(std::string_view line) {
  const Parsed text = parsed(kernel(";" + std::string(line) + "\n"));
  expect_prints_back(text.document);
  const auto* format = std::get_if<PrintfFmt>(&text.document.elements[3].directive);
  return {format == nullptr ? "none" : std::string(format->escaped), text.codes(), text.document.elements[3].canonical};
}

TEST(Printf, DecodesTheSixEscapesOfAmdsRuntime) {
  EXPECT_EQ(decode_printf(R"(a\nb\rc\ad\be\ff\vg)"), "a\nb\rc\ad\be\ff\vg");
}

TEST(Printf, AnyOtherBackslashStaysAsItIs) {
  EXPECT_EQ(decode_printf(R"(\t\\ \" \x \72)"), R"(\t\\ \" \x \72)");
  EXPECT_EQ(decode_printf("\\"), "\\");
  EXPECT_EQ(decode_printf(""), "");
  // The first backslash is literal, the second starts an escape.
  EXPECT_EQ(decode_printf(R"(\\n)"), "\\\n");
}

TEST(Printf, EncodesOnlyCarriageReturnAndLineFeed) {
  EXPECT_EQ(encode_printf("a\nb\rc\td\ae"), "a\\nb\\rc\td\ae");
  for (const std::string_view text : {"", "plain", "a\n\r%d", "tab\there"})
    EXPECT_EQ(decode_printf(encode_printf(text)), text);
}

TEST(Printf, CountsAnEscapeAsOneCharacterAndALiteralBackslashToo) {
  // The specification's own examples.
  EXPECT_EQ(format_of(R"(printf_fmt:0:0:23:!---initizeWSDeque---!\n;)").codes, std::vector<Code>{});
  EXPECT_EQ(format_of(R"(printf_fmt:1:3:4:4:4:35:Bottom: %d Top: %d InitialSize: %d\n;)").codes, std::vector<Code>{});
  EXPECT_EQ(format_of(R"(printf_fmt:0:0:3:a\t;)").codes, std::vector<Code>{});
  EXPECT_EQ(format_of(R"(printf_fmt:0:0:2:\\;)").codes, std::vector<Code>{});
  EXPECT_EQ(format_of("printf_fmt:0:0:1:\\;").codes, std::vector<Code>{});
}

TEST(Printf, TheLengthDelimitsColonsAndSemicolons) {
  EXPECT_EQ(format_of("printf_fmt:0:0:7:a:b;c:d;").escaped, "a:b;c:d");
  EXPECT_EQ(format_of("printf_fmt:0:0:2:;;;").escaped, ";;");
  EXPECT_EQ(format_of("printf_fmt:0:0:0:;").escaped, "");
  EXPECT_TRUE(format_of("printf_fmt:0:0:7:a:b;c:d;").canonical);
}

TEST(Printf, AWrongLengthFallsBackToTheLastSemicolon) {
  for (const std::string_view length : {"0", "3", "9", "4294967295"}) {
    const Format format = format_of("printf_fmt:0:0:" + std::string(length) + ":ab;cd;");
    EXPECT_EQ(format.escaped, "ab;cd") << length;
    EXPECT_EQ(format.codes, std::vector{Code::PrintfLength}) << length;
    EXPECT_FALSE(format.canonical) << length;
  }
}

// A length that ends at another `;` cannot be told from a right one: what follows is text behind the directive.
TEST(Printf, ALengthThatEndsAtAnInnerSemicolonIsTaken) {
  const Format format = format_of("printf_fmt:0:0:2:ab;cd;");
  EXPECT_EQ(format.escaped, "ab");
  EXPECT_EQ(format.codes, std::vector{Code::TrailingText});
}

TEST(Printf, AFormatWithoutSemicolonIsTheRestOfTheLine) {
  const Format format = format_of("printf_fmt:0:0:2:ab");
  EXPECT_EQ(format.escaped, "ab");
  EXPECT_EQ(format.codes, std::vector{Code::PrintfUnterminated});
}

TEST(Printf, SizesAreExactlyAsManyAsAnnounced) {
  const Parsed text = parsed(kernel(";printf_fmt:3:2:4:8:5:%d %f;\n"));
  EXPECT_TRUE(text.diagnostics.all().empty());
  const auto& format = std::get<PrintfFmt>(text.document.elements[3].directive);
  const auto sizes = text.document.ids(format.first, format.stored);
  EXPECT_EQ(std::vector(sizes.begin(), sizes.end()), (std::vector<std::uint32_t>{4, 8}));
  EXPECT_EQ(format.id, 3u);
  EXPECT_EQ(format.length, 5u);
  EXPECT_EQ(format_of("printf_fmt:3:2:4:%d;").codes.size(), 1u);
  EXPECT_EQ(format_of("printf_fmt:3").codes, std::vector{Code::MissingField});
  EXPECT_EQ(format_of("printf_fmt:3:0").codes, std::vector{Code::MissingField});
  EXPECT_EQ(format_of("printf_fmt:3:0:1").codes, std::vector{Code::MissingField});
}

TEST(Printf, ABrokenFormatMakesTheBlockIncompleteButAWrongLengthDoesNot) {
  EXPECT_FALSE(parsed(kernel(";printf_fmt:3:x\n")).document.blocks[0].complete);
  EXPECT_TRUE(parsed(kernel(";printf_fmt:0:0:9:a;\n")).document.blocks[0].complete);
}

TEST(Printf, OneFormatMayBePrintedFromSeveralFunctions) {
  const std::string line = ";printf_fmt:0:1:4:2:%d;\n";
  EXPECT_TRUE(checked(function("1", line) + function("2", line)).diagnostics.all().empty());
  EXPECT_EQ(checked(function("1", line) + function("2", ";printf_fmt:0:1:8:2:%d;\n")).codes(),
            std::vector{Code::DuplicatePrintfId});
}

}  // namespace
}  // namespace amdcompat::text::printf_test
