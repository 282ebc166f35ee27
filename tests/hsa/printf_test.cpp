// Strings of amdhsa.printf.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "hsa_samples.hpp"

namespace printf_test {
namespace {

using namespace amdcompat;
using namespace amdcompat::hsa;

TEST(HsaPrintf, TheWorkedExampleOfTheReferenceIsWritten) {
  const std::uint32_t sizes[] = {4};
  EXPECT_EQ(encode_printf(5, sizes, "a:b %d\n"), R"(5:1:4:a\72b %d\n)");
}

TEST(HsaPrintf, EveryEscapeIsWrittenAndReadBack) {
  const std::string format = "\a\b\f\n\r\v:\t\"\\%s";
  const std::string text = encode_printf(1, {}, format);
  EXPECT_EQ(text, "1:0:\\a\\b\\f\\n\\r\\v\\72\t\"\\%s");
  const auto read = decode_printf(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->format, format);
}

TEST(HsaPrintf, WhatTheFormCannotHoldIsKnown) {
  EXPECT_TRUE(printf_format_survives("a\\"));
  EXPECT_TRUE(printf_format_survives("\\t \\: \\7"));
  EXPECT_TRUE(printf_format_survives("\\\n"));
  EXPECT_FALSE(printf_format_survives("C:\\new"));
  EXPECT_FALSE(printf_format_survives("\\\\72"));
}

TEST(HsaPrintf, FewerSizesThanAnnouncedAreRead) {
  const auto read = decode_printf("4:3:8:4:%d");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, (PrintfString{.id = 4, .arguments = 3, .sizes = {8, 4}, .format = "%d"}));
  EXPECT_EQ(decode_printf("1:1:%d:x")->raw_colon, true);
  EXPECT_EQ(decode_printf("1:0:")->format, "");
  EXPECT_EQ(decode_printf("1:2:4:8")->format, "8");
}

TEST(HsaPrintf, TheHostcallVariantIsRecognised) {
  const auto read = decode_printf("0:0:0123456789abcdef,Hello %s\\n");
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->hostcall);
  EXPECT_FALSE(decode_printf("0:0:0123456789abcde,Hello")->hostcall);
  EXPECT_FALSE(decode_printf("1:0:0123456789abcdef,Hello")->hostcall);
}

TEST(HsaPrintf, OtherTextsAreRefused) {
  for (const std::string_view text : {"", ":", "::", "x:0:a", "1", "1:", "1:0", "1:x:a", "-1:0:a", "1:-1:a", " 1:0:a",
                                      "4294967296:0:a", "1:99999999999:a"}) {
    const auto read = decode_printf(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, Code::HsaPrintfForm);
  }
  // A count that lies costs nothing.
  const auto read = decode_printf("1:4294967295:4:a");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sizes.size(), 1u);
}

TEST(HsaPrintf, AnySurvivingFormatComesBack) {
  EXPECT_TRUE(rc::check([](std::uint32_t id, const std::vector<std::uint32_t>& sizes) {
    const auto format = *rc::gen::container<std::string>(
        rc::gen::oneOf(rc::gen::element('\\', 'n', '7', '2', ':', '\n', 'a'), rc::gen::character<char>()));
    const std::string text = encode_printf(id, sizes, format);
    const auto read = decode_printf(text);
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->id == id);
    RC_ASSERT(read->sizes == sizes);
    RC_ASSERT(!read->raw_colon);
    RC_ASSERT((read->format == format) == printf_format_survives(format));
  }));
}

}  // namespace
}  // namespace printf_test
