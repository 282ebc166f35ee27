// Data segments: lines, words and the bytes they stand for. [BE AMDILModuleInfo.cpp; RT gpuprogram.cpp initGlobalData]
#include <amdcompat/open.hpp>

#include "text/text_samples.hpp"

namespace amdcompat::text::data_test {
namespace {

using namespace test;

std::string hex(const std::vector<std::byte>& bytes) {
  std::string out;
  for (const std::byte byte : bytes) {
    if (!out.empty()) out += ' ';
    out += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4];
    out += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15];
  }
  return out;
}

// Bytes of the only segment.
std::string bytes_of(std::string_view lines, std::string_view size, const ReadOptions& options = {}) {
  const Parsed text = parsed(";#DATASTART:" + std::string(size) + "\n" + std::string(lines) + ";#DATAEND\n", options);
  const std::vector<DataSegment> data = lower_data(text.document);
  expect_prints_back(text.document);
  return data.size() == 1 ? hex(data[0].bytes) : "no segment";
}

TEST(Data, EveryTypeHasItsWidthLittleEndian) {
  EXPECT_EQ(bytes_of(";#i1:0:1:1\n", "4"), "01 00 00 00");
  EXPECT_EQ(bytes_of(";#i8:0:3:1:7f:ff\n", "3"), "01 7f ff");
  EXPECT_EQ(bytes_of(";#u8:0:2:80:1\n", "2"), "80 01");
  EXPECT_EQ(bytes_of(";#i16:0:2:102:ffff\n", "4"), "02 01 ff ff");
  EXPECT_EQ(bytes_of(";#u16:0:1:8001\n", "2"), "01 80");
  EXPECT_EQ(bytes_of(";#half:0:1:3c00\n", "2"), "00 3c");
  EXPECT_EQ(bytes_of(";#i32:0:2:fffffffe:1\n", "8"), "fe ff ff ff 01 00 00 00");
  EXPECT_EQ(bytes_of(";#u32:0:1:12345678\n", "4"), "78 56 34 12");
  EXPECT_EQ(bytes_of(";#float:0:1:3f800000\n", "4"), "00 00 80 3f");
  EXPECT_EQ(bytes_of(";#i64:0:1:123456789abcdef0\n", "8"), "f0 de bc 9a 78 56 34 12");
  EXPECT_EQ(bytes_of(";#u64:0:1:ffffffffffffffff\n", "8"), "ff ff ff ff ff ff ff ff");
  EXPECT_EQ(bytes_of(";#double:0:1:3ff0000000000000\n", "8"), "00 00 00 00 00 00 f0 3f");
  EXPECT_EQ(bytes_of(";#struct:0:4:1:2:ff:0\n", "4"), "01 02 ff 00");
  EXPECT_EQ(bytes_of(";#union:0:2:a:b\n", "2"), "0a 0b");
}

TEST(Data, WordsThatDoNotFitTheirTypeAreRefused) {
  for (const std::string_view line : {"i8:0:1:100", "u16:0:1:10000", "half:0:1:10000", "float:0:1:100000000",
                                      "u64:0:1:10000000000000000", "double:0:1:1ffffffffffffffff", "struct:0:1:100"}) {
    const Parsed text = parsed(";#DATASTART:8\n;#" + std::string(line) + "\n;#DATAEND\n");
    EXPECT_EQ(text.codes(), std::vector{Code::DataWordTooLarge}) << line;
    EXPECT_FALSE(text.document.segments[0].complete);
    EXPECT_TRUE(lower_data(text.document).empty()) << line;
    expect_prints_back(text.document);
  }
}

TEST(Data, GapsAndTheRestOfTheSizeAreZero) {
  EXPECT_EQ(bytes_of(";#i8:0:1:1\n;#i16:4:1:2\n", "8"), "01 00 00 00 02 00 00 00");
}

TEST(Data, LinesBeyondTheDeclaredSizeAreTrusted) {
  EXPECT_EQ(bytes_of(";#i32:0:2:1:2\n", "4"), "01 00 00 00 02 00 00 00");
}

TEST(Data, TheSpecificationsVec3AliasCountsItsPaddingLane) {
  const Parsed text = parsed(";#DATASTART:16\n;#v3i32:0:4:1:2:3:0\n;#DATAEND\n");
  EXPECT_TRUE(text.diagnostics.all().empty());
  const DataWords& words = text.document.segments[0].lines[0];
  EXPECT_EQ(words.lanes, 3u);
  EXPECT_EQ(words.type, ScalarType::I32);
  EXPECT_EQ(words.stored, 4u);
  EXPECT_EQ(data_bytes(words), 16u);
  EXPECT_FALSE(text.document.elements[1].canonical);  // real compilers wrote i32
  expect_prints_back(text.document);
  for (const std::string_view type : {"v2i8", "v3u16", "v4float", "v8i64", "v16u32"})
    EXPECT_TRUE(parsed(";#DATASTART:0\n;#" + std::string(type) + ":0:0\n;#DATAEND\n").diagnostics.all().empty())
        << type;
  for (const std::string_view type : {"v5i8", "v3", "v", "v3i3", "v33i8"})
    EXPECT_EQ(parsed(";#DATASTART:0\n;#" + std::string(type) + ":0:0\n;#DATAEND\n").codes(),
              std::vector{Code::UnknownSpelling})
        << type;
}

TEST(Data, IntegersAreHexUnlessTheSpecificationsExamplesAreRead) {
  ReadOptions decimal;
  decimal.data_numbers = DataNumbers::SpecDecimal;
  EXPECT_EQ(bytes_of(";#i32:0:1:124\n", "4"), "24 01 00 00");
  EXPECT_EQ(bytes_of(";#i32:0:1:124\n", "4", decimal), "7c 00 00 00");
  // Floats are hex in both.
  EXPECT_EQ(bytes_of(";#float:0:1:3f800000\n", "4", decimal), "00 00 80 3f");
  EXPECT_EQ(parsed(";#DATASTART:4\n;#i32:0:1:ff\n;#DATAEND\n", decimal).codes(), std::vector{Code::BadHex});
}

TEST(Data, UpperCaseHexIsReadAsTheNumberItIsAndReported) {
  const Parsed text = parsed(";#DATASTART:4\n;#i32:0:1:ABCDEF\n;#DATAEND\n");
  EXPECT_EQ(text.codes(), std::vector{Code::UpperCaseHex});
  EXPECT_EQ(text.document.words(text.document.segments[0].lines[0])[0], 0xabcdefu);
  expect_prints_back(text.document);
}

TEST(Data, LeadingZerosAreKeptAsWritten) {
  const Parsed text = parsed(";#DATASTART:4\n;#i32:0:1:0000000000000000000000ff\n;#DATAEND\n");
  // Over the 15 digits that AMD's runtime has room for.
  EXPECT_EQ(text.codes(), std::vector{Code::LongNumber});
  EXPECT_EQ(text.document.words(text.document.segments[0].lines[0])[0], 0xffu);
  EXPECT_FALSE(text.document.elements[1].canonical);
  expect_prints_back(text.document);
}

TEST(Data, UninitialisedConstantsAreZeros) {
  EXPECT_EQ(bytes_of(";#i32:0:2 <uninitalized constant>\n;#i8:8:1:1\n", "9"), "00 00 00 00 00 00 00 00 01");
}

TEST(Data, SegmentsKnowTheirConstantBuffer) {
  const Parsed text =
      checked(";#DATASTART:16\n;#i32:0:4:1:2:3:4\n;#DATAEND\n;#DATASTART:2:16\n;#float:0:1:0\n;#DATAEND:2\n");
  ASSERT_EQ(text.document.segments.size(), 2u);
  EXPECT_EQ(text.document.segments[0].constant_buffer, std::nullopt);
  EXPECT_EQ(text.document.segments[1].constant_buffer, 2u);
  EXPECT_EQ(text.document.segments[1].size, 16u);
  EXPECT_TRUE(text.diagnostics.all().empty()) << testing::PrintToString(text.diagnostics.all());
  expect_prints_back(text.document);
}

TEST(Data, TheSpecificationsEndOfTheGlobalSegmentIsTaken) {
  const Parsed text = checked(";#DATASTART:4\n;#i32:0:1:1\n;#DATAEND:0\n");
  EXPECT_TRUE(text.diagnostics.all().empty());
  expect_prints_back(text.document);
}

TEST(Data, ACutSegmentIsNotUsed) {
  const Parsed text = parsed(";#DATASTART:4\n;#i32:0:1:1\n" + kernel(""));
  EXPECT_EQ(text.codes(), std::vector{Code::UnclosedData});
  EXPECT_FALSE(text.document.segments[0].complete);
  EXPECT_EQ(text.document.blocks.size(), 1u);
  EXPECT_TRUE(lower_data(text.document).empty());
  expect_prints_back(text.document);
}

TEST(Data, ASegmentOverTheLimitAllocatesNothing) {
  const Parsed text = parsed(";#DATASTART:4294967295\n;#i32:4294967292:1:1\n;#DATAEND\n");
  EXPECT_TRUE(lower_data(text.document).empty());
  EXPECT_EQ(lower_data(parsed(";#DATASTART:8\n;#i32:0:2:1:2\n;#DATAEND\n").document, 7).size(), 0u);
  EXPECT_EQ(lower_data(parsed(";#DATASTART:8\n;#i32:0:2:1:2\n;#DATAEND\n").document, 8).size(), 1u);
}

TEST(Data, ConstantBuffersOfTheLaunchHoldNoData) {
  for (const char* number : {"0", "1"}) {
    const std::string n = number;
    const Parsed text = parsed(";#DATASTART:" + n + ":4\n;#i32:0:1:1\n;#DATAEND:" + n + "\n");
    EXPECT_TRUE(lower_data(text.document).empty()) << n;
  }
}

// A few letters may announce any size, and a file may do so often.
TEST(Data, TheLimitIsOneOfAllSegmentsTogether) {
  const std::string two =
      ";#DATASTART:16\n;#i32:0:4:1:2:3:4\n;#DATAEND\n;#DATASTART:2:16\n;#i32:0:4:1:2:3:4\n;#DATAEND:2\n";
  ReadOptions options;
  options.limits.segment_bytes = 32;
  Diagnostics enough, less;
  check(parse(two, enough, options), enough, options);
  EXPECT_FALSE(enough.contains(Code::DataTooLarge));
  EXPECT_EQ(lower_data(parsed(two).document, 32).size(), 2u);
  options.limits.segment_bytes = 31;
  check(parse(two, less, options), less, options);
  EXPECT_TRUE(less.contains(Code::DataTooLarge));
  ASSERT_EQ(lower_data(parsed(two).document, 31).size(), 1u);
  EXPECT_EQ(lower(parsed(two).document, 31).data.size(), 1u);
}

}  // namespace
}  // namespace amdcompat::text::data_test
