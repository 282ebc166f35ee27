// The directive table and the spellings: walked, so that a new row is tested on arrival.
#include <set>
#include <string>

#include <amdcompat/text.hpp>

#include "text/text_samples.hpp"

namespace amdcompat::text::tables_test {
namespace {

using namespace test;

TEST(DirectiveTable, HasEveryKeywordOnceWithMeaningAndSource) {
  std::set<std::string_view> seen;
  for (const DirectiveInfo& row : directive_table()) {
    EXPECT_TRUE(seen.insert(row.keyword).second) << row.keyword;
    EXPECT_FALSE(row.meaning.empty()) << row.keyword;
    EXPECT_FALSE(row.source.empty()) << row.keyword;
    EXPECT_FALSE(row.runtime.empty()) << row.keyword;
    EXPECT_EQ(row.fields.empty(), row.keyword == "limitgroupsize") << row.keyword;
  }
  EXPECT_EQ(seen.size(), 32u);
}

// The parser finds keywords in two ways, a quick one and a thorough one: every row must be found by both.
TEST(DirectiveTable, EveryKeywordIsFoundWithItsFieldsAndWithout) {
  for (const DirectiveInfo& row : directive_table()) {
    for (const std::string& line :
         {std::string(row.keyword), std::string(row.keyword) + ":", std::string(row.keyword) + " ",
          std::string(row.keyword) + ":x", std::string(row.keyword) + " :1"}) {
      const Parsed text = parsed(kernel(";" + line + "\n"));
      ASSERT_EQ(text.document.blocks.size(), 1u);
      const Directive& directive = text.document.elements[3].directive;
      EXPECT_FALSE(std::holds_alternative<Unknown>(directive)) << line;
      EXPECT_FALSE(text.diagnostics.contains(Code::UnknownDirective)) << line;
    }
    const Parsed longer = parsed(kernel(";" + std::string(row.keyword) + "x:1\n"));
    // One flag is known by its prefix, as in AMD's runtime.
    EXPECT_EQ(longer.diagnostics.contains(Code::LooseFlag), row.keyword == "limitgroupsize") << row.keyword;
    EXPECT_EQ(longer.diagnostics.contains(Code::UnknownDirective), row.keyword != "limitgroupsize") << row.keyword;
    const Parsed shorter = parsed(kernel(";" + std::string(row.keyword.substr(0, row.keyword.size() - 1)) + ":1\n"));
    EXPECT_EQ(shorter.codes(), std::vector{Code::UnknownDirective}) << row.keyword;
  }
}

TEST(DirectiveTable, EssentialDirectivesThatCannotBeReadMakeTheBlockIncomplete) {
  for (const DirectiveInfo& row : directive_table()) {
    if (row.keyword == "limitgroupsize" || row.keyword == "error" || row.keyword == "warning") continue;  // cannot fail
    const Parsed text = parsed(kernel(";" + std::string(row.keyword) + "\n"));
    const auto* malformed = std::get_if<Malformed>(&text.document.elements[3].directive);
    ASSERT_NE(malformed, nullptr) << row.keyword;
    EXPECT_EQ(malformed->essential, row.essential) << row.keyword;
    EXPECT_EQ(text.document.blocks[0].complete, !row.essential) << row.keyword;
    expect_prints_back(text.document);
  }
}

TEST(DirectiveTable, OnlyDirectivesThatRepeatMayStandTwice) {
  const std::string_view samples[] = {
      "device:pitcairn",    "cws:1:1:1",  "crs:1:1:1", "wsh:1:1:1",  "vth:float4", "lws:1",       "limitgroupsize",
      "WavesPerSimdHint:1", "membound:1", "uavid:1",   "printfid:1", "cbid:1",     "privateid:1", "version:3:1:111"};
  for (const std::string_view sample : samples) {
    const std::string line = ";" + std::string(sample) + "\n";
    const Parsed text = checked(kernel(sample.starts_with("version") ? line : line + line));
    EXPECT_TRUE(text.diagnostics.contains(Code::RepeatedDirective)) << sample;
    const std::string_view keyword = sample.substr(0, sample.find(':'));
    for (const DirectiveInfo& row : directive_table()) EXPECT_FALSE(row.keyword == keyword && row.repeats) << keyword;
  }
}

TEST(Spellings, EveryScalarTypeIsReadAndPrinted) {
  for (int i = 0; i < static_cast<int>(ScalarType::Other); ++i) {
    const auto type = static_cast<ScalarType>(i);
    const std::string line = "value:v:" + std::string(scalar_name(type)) + ":1:1:0";
    const Parsed text = parsed(kernel(";" + line + "\n"));
    ASSERT_TRUE(text.diagnostics.all().empty()) << line;
    const Directive& directive = text.document.elements[3].directive;
    EXPECT_EQ(std::get<ValueArg>(directive).type, type);
    EXPECT_EQ(print_directive(text.document, directive), line);
  }
}

TEST(Spellings, EveryMemoryKindIsReadAndPrinted) {
  for (int i = 0; i <= static_cast<int>(MemoryKind::Flat); ++i) {
    const auto kind = static_cast<MemoryKind>(i);
    const std::string line = "pointer:p:float:1:1:0:" + std::string(memory_kind_name(kind)) + ":1:4:RW:0:1";
    const Parsed text = parsed(kernel(";" + line + "\n"));
    ASSERT_TRUE(text.diagnostics.all().empty()) << line;
    const Directive& directive = text.document.elements[3].directive;
    EXPECT_EQ(std::get<PointerArg>(directive).memory, kind);
    EXPECT_EQ(print_directive(text.document, directive), line);
  }
}

TEST(Spellings, EveryImageDimensionIsReadAndPrinted) {
  for (int i = 0; i <= static_cast<int>(ImageDim::D2ArrayDepth); ++i) {
    const auto dim = static_cast<ImageDim>(i);
    const std::string line = "image:i:" + std::string(image_dim_name(dim)) + ":RO:0:1:0";
    const Parsed text = parsed(kernel(";" + line + "\n"));
    ASSERT_TRUE(text.diagnostics.all().empty()) << line;
    const Directive& directive = text.document.elements[3].directive;
    EXPECT_EQ(std::get<ImageArg>(directive).dim, dim);
    EXPECT_EQ(print_directive(text.document, directive), line);
  }
}

TEST(Spellings, EveryMemorySpaceAndFlagIsReadAndPrinted) {
  for (int i = 0; i <= static_cast<int>(MemorySpace::HwRegion); ++i) {
    const auto space = static_cast<MemorySpace>(i);
    const std::string line = "memory:" + std::string(memory_space_name(space)) + ":48";
    const Parsed text = parsed(kernel(";" + line + "\n"));
    ASSERT_TRUE(text.diagnostics.all().empty()) << line;
    const Directive& directive = text.document.elements[3].directive;
    EXPECT_EQ(std::get<MemorySize>(directive).space, space);
    EXPECT_EQ(std::get<MemorySize>(directive).bytes, 48u);
    EXPECT_EQ(print_directive(text.document, directive), line);
  }
  for (int i = 0; i <= static_cast<int>(MemoryFlag::PackedReg); ++i) {
    const auto flag = static_cast<MemoryFlag>(i);
    const std::string line = "memory:" + std::string(memory_flag_name(flag));
    const Parsed text = parsed(kernel(";" + line + "\n"));
    ASSERT_TRUE(text.diagnostics.all().empty()) << line;
    const Directive& directive = text.document.elements[3].directive;
    EXPECT_EQ(std::get<MemoryFlagged>(directive).flag, flag);
    EXPECT_EQ(print_directive(text.document, directive), line);
  }
}

TEST(Spellings, SpellingsOneCharacterOffAreRefused) {
  const std::string_view lines[] = {"value:v:i3R:1:1:0",
                                    "value:v:i:1:1:0",
                                    "value:v:I32:1:1:0",
                                    "value:v:i320:1:1:0",
                                    "value:v:flo:1:1:0",
                                    "image:i:4D:RO:0:1:0",
                                    "image:i:2d:RO:0:1:0",
                                    "image:i:2D:R:0:1:0",
                                    "image:i:2D:ROO:0:1:0",
                                    "pointer:p:f:1:1:0:u:1:4:RW:0:0",
                                    "pointer:p:f:1:1:0:uavv:1:4:RW:0:0",
                                    "pointer:p:f:1:1:0:uav:1:4:RX:0:0",
                                    "pointer:p:f:1:1:0:uav:1:4:RW:2:0",
                                    "pointer:p:f:1:1:0:uav:1:4:RW:0:00",
                                    "memory:hwlocals:1",
                                    "memory:datareq",
                                    "counter:c:16:0:1:0",
                                    "counter:c:320:0:1:0"};
  for (const std::string_view line : lines)
    EXPECT_EQ(parsed(kernel(";" + std::string(line) + "\n")).codes(), std::vector{Code::UnknownSpelling}) << line;
}

TEST(Names, KernelNamesStandBetweenPrefixAndSuffix) {
  EXPECT_EQ(kernel_name("__OpenCL_scale_kernel"), "scale");
  EXPECT_EQ(kernel_name("__OpenCL__kernel_kernel"), "_kernel");
  EXPECT_EQ(kernel_name("__OpenCL__kernel"), std::nullopt);
  EXPECT_EQ(kernel_name("__OpenCL_scale"), std::nullopt);
  EXPECT_EQ(kernel_name("scale_kernel"), std::nullopt);
  EXPECT_EQ(kernel_name(""), std::nullopt);
}

}  // namespace
}  // namespace amdcompat::text::tables_test
