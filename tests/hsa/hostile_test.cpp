// Input made to hurt: cut, flipped, nested, doubled, and lying about its lengths.
#include <gtest/gtest.h>

#include "hsa_samples.hpp"

namespace hostile_test {
namespace {

using namespace amdcompat;
using namespace amdcompat::hsa;
using namespace std::string_literals;

struct Broken {
  std::string bytes;
  Code code;
  std::string_view path;
  SourceRange where;
};

TEST(HsaHostile, MessagePackThatIsNoDocumentIsReportedWithItsPlace) {
  // clang-format off
  const Broken cases[] = {
      {"", Code::HsaDocumentTruncated, "", {0, 0}},
      {"\xC1", Code::HsaMessagePackMalformed, "", {0, 1}},
      {"\x81\xA1" "a\xC1", Code::HsaMessagePackMalformed, "a", {3, 1}},
      {"\x90", Code::HsaRootNotMap, "", {0, 1}},
      {"\x05", Code::HsaRootNotMap, "", {0, 1}},
      {"\x81\xA1" "a", Code::HsaDocumentTruncated, "a", {3, 0}},
      {"\x82\xA1" "a", Code::HsaLengthBeyondInput, "", {0, 1}},
      {"\x81\xA1" "a\xA1", Code::HsaDocumentTruncated, "a", {3, 1}},
      {"\xDD\xFF\xFF\xFF\xFF", Code::HsaLengthBeyondInput, "", {0, 5}},
      {"\xDF\xFF\xFF\xFF\xFF", Code::HsaLengthBeyondInput, "", {0, 5}},
      {"\xDB\xFF\xFF\xFF\xFF", Code::HsaDocumentTruncated, "", {0, 5}},
      {"\x81\xA1" "a\xDC\xFF\xFF\x01", Code::HsaLengthBeyondInput, "a", {3, 3}},
      {"\x81\xA1" "a\xDB\x7F\xFF\xFF\xFFxx", Code::HsaDocumentTruncated, "a", {3, 7}},
      {"\x81\xC6\xFF\xFF\xFF\xFF", Code::HsaDocumentTruncated, "", {1, 5}},
      {"\x81\x05\x05", Code::HsaKeyNotText, "", {1, 1}},
      {"\x81\xC0\x05", Code::HsaKeyNotText, "", {1, 1}},
      {"\x81\x90\x05", Code::HsaKeyNotText, "", {1, 1}},
      {"\x81\xA1" "a\xC4\x01z", Code::HsaUnsupportedValue, "a", {3, 3}},
      {"\x81\xA1" "a\xD4\x01z", Code::HsaUnsupportedValue, "a", {3, 3}},
      {"\x81\xA1" "a\xC9\xFF\xFF\xFF\xFFzz", Code::HsaDocumentTruncated, "a", {3, 7}},
  };
  // clang-format on
  for (const Broken& broken : cases) {
    SCOPED_TRACE(testing::PrintToString(broken.bytes));
    Diagnostics findings;
    EXPECT_FALSE(read_msgpack(broken.bytes, findings));
    ASSERT_EQ(findings.all().size(), 1u) << testing::PrintToString(findings.all());
    EXPECT_EQ(findings.all()[0].code, broken.code) << testing::PrintToString(findings.all());
    EXPECT_EQ(findings.all()[0].path, broken.path);
    EXPECT_EQ(findings.all()[0].where, broken.where) << testing::PrintToString(findings.all());
  }
}

TEST(HsaHostile, TrailingBytesAreAnErrorOnlyWhenStrict) {
  const std::string bytes = to_msgpack(samples::clean());
  for (const Mode mode : {Mode::Strict, Mode::Lenient}) {
    Diagnostics findings(mode);
    EXPECT_EQ(read_msgpack(bytes + "\0\0"s, findings), samples::clean());
    ASSERT_EQ(findings.all().size(), 1u);
    EXPECT_EQ(findings.all()[0].code, Code::HsaTrailingBytes);
    EXPECT_EQ(findings.all()[0].where, (SourceRange{static_cast<std::uint32_t>(bytes.size()), 2}));
    EXPECT_EQ(findings.has_errors(), mode == Mode::Strict);
  }
}

TEST(HsaHostile, DoubledKeysKeepTheFirst) {
  const std::string bytes = "\x83\xAE"
                            "amdhsa.kernels"
                            "\x91\x82\xA5"
                            ".name"
                            "\xA1"
                            "x"
                            "\xA5"
                            ".name"
                            "\xA1"
                            "y"
                            "\xAE"
                            "amdhsa.kernels"
                            "\x90"
                            "\xA1"
                            "q"
                            "\x01"s;
  Diagnostics findings;
  const auto read = read_msgpack(bytes, findings);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->kernels.size(), 1u);
  EXPECT_EQ(read->kernels[0].name, "x");
  ASSERT_EQ(findings.all().size(), 2u);
  EXPECT_EQ(findings.all()[0].code, Code::HsaDuplicateKey);
  EXPECT_EQ(findings.all()[0].path, "amdhsa.kernels[0].name");
  EXPECT_EQ(findings.all()[1].path, "amdhsa.kernels");
}

TEST(HsaHostile, NestingIsLimitedInEveryForm) {
  for (const std::size_t depth : {std::size_t{63}, std::size_t{64}, std::size_t{100'000}}) {
    const std::string packed = "\x82\xAE"
                               "amdhsa.kernels"
                               "\x90\xA1"
                               "a" +
                               std::string(depth - 1, '\x91') + "\x90";
    const std::string maps = "\x82\xAE"
                             "amdhsa.kernels"
                             "\x90" +
                             [&] {
                               std::string out;
                               for (std::size_t i = 1; i < depth; ++i)
                                 out += "\xA1"
                                        "a\x81";
                               return out + "\xA1"
                                            "a\x01";
                             }();
    const std::string yaml = "amdhsa.kernels: []\na: " + std::string(depth, '[') + std::string(depth, ']') + "\n";
    for (int form = 0; form < 3; ++form) {
      SCOPED_TRACE(testing::Message() << "form " << form << " depth " << depth);
      Diagnostics findings;
      const auto read = form == 0   ? read_msgpack(packed, findings)
                        : form == 1 ? read_msgpack(maps, findings)
                                    : read_yaml(yaml, findings);
      // The map around it is a level too, and the last of `maps` holds a number.
      const bool fits = depth + (form == 1 ? 0 : 1) <= 64;
      EXPECT_EQ(read.has_value(), fits) << testing::PrintToString(findings.all());
      EXPECT_EQ(findings.contains(Code::HsaTooDeep), !fits);
    }
  }
}

TEST(HsaHostile, BytesAndValuesAreLimited) {
  const std::string bytes = to_msgpack(samples::clean());
  const std::string yaml = to_yaml(samples::clean());
  ReadOptions few;
  few.max_values = 20;
  ReadOptions small;
  small.max_bytes = 100;
  for (const ReadOptions& options : {few, small}) {
    Diagnostics findings;
    EXPECT_FALSE(read_msgpack(bytes, findings, options));
    EXPECT_FALSE(read_yaml(yaml, findings, options));
    ASSERT_EQ(findings.all().size(), 2u);
    EXPECT_EQ(findings.all()[0].code, Code::HsaTooLarge);
    EXPECT_EQ(findings.all()[1].code, Code::HsaTooLarge);
  }
}

TEST(HsaHostile, EveryTruncationIsReportedAndNothingIsRead) {
  const std::string bytes = to_msgpack(samples::clean());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Diagnostics findings;
    // A copy of exactly that size, so that a sanitizer sees a read behind it.
    const std::vector<char> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(read_msgpack({cut.data(), cut.size()}, findings)) << size;
    EXPECT_TRUE(findings.has_errors()) << size;
  }
  const std::string yaml = to_yaml(samples::clean());
  for (std::size_t size = 0; size < yaml.size(); ++size) {
    Diagnostics findings;
    const std::vector<char> cut(yaml.begin(), yaml.begin() + static_cast<std::ptrdiff_t>(size));
    const auto read = read_yaml({cut.data(), cut.size()}, findings);
    if (read) verify(*read, findings);
    // The last few bytes are a version of another number and the end marker.
    if (size + 20 < yaml.size()) {
      EXPECT_TRUE(findings.has_errors()) << size;
    }
  }
}

TEST(HsaHostile, EveryBitFlipIsSurvivedAndWhatWasReadIsStable) {
  const std::string packed = to_msgpack(samples::clean());
  const std::string yaml = to_yaml(samples::clean());
  for (std::size_t bit = 0; bit < packed.size() * 8; ++bit) {
    std::string bytes = packed;
    bytes[bit / 8] = static_cast<char>(static_cast<unsigned char>(bytes[bit / 8]) ^ (1u << (bit % 8)));
    Diagnostics findings;
    const auto read = read_msgpack(bytes, findings);
    if (!read) {
      EXPECT_TRUE(findings.has_errors()) << bit;
      continue;
    }
    verify(*read, findings);
    Diagnostics again;
    EXPECT_EQ(read_msgpack(to_msgpack(*read), again), read) << bit;
  }
  for (std::size_t bit = 0; bit < yaml.size() * 8; ++bit) {
    std::string text = yaml;
    text[bit / 8] = static_cast<char>(static_cast<unsigned char>(text[bit / 8]) ^ (1u << (bit % 8)));
    Diagnostics findings;
    const auto read = read_yaml(text, findings);
    if (!read || findings.has_errors()) {
      EXPECT_TRUE(findings.has_errors()) << bit;
      continue;  // a number kept for a key of text is read as that text the next time
    }
    Diagnostics again;
    EXPECT_EQ(read_yaml(to_yaml(*read), again), read) << bit;
  }
}

}  // namespace
}  // namespace hostile_test
