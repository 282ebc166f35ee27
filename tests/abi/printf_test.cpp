// printf buffers: exact text, and clear words about broken ones.
#include <cmath>
#include <limits>

#include <amdcompat/printf.hpp>

#include "kernels.hpp"

namespace amdcompat::printf_test {
namespace {

using namespace test;

PrintfFormat format(std::uint32_t id, std::vector<std::uint32_t> sizes, std::string text) {
  PrintfFormat out;
  out.id = id;
  out.sizes = std::move(sizes);
  out.format = std::move(text);
  return out;
}

std::vector<std::byte> bytes_of(const std::vector<std::uint32_t>& words) {
  std::vector<std::byte> out;
  for (const std::uint32_t word : words)
    for (unsigned i = 0; i < 4; ++i) out.push_back(static_cast<std::byte>(word >> (8 * i)));
  return out;
}

void append(std::vector<std::uint32_t>& words, std::string_view text) {
  for (std::size_t i = 0; i < text.size() + 1; i += 4) {
    std::uint32_t word = 0;
    for (std::size_t b = 0; b < 4 && i + b < text.size(); ++b)
      word |= std::uint32_t{static_cast<unsigned char>(text[i + b])} << (8 * b);
    words.push_back(word);
  }
}

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

// One record of format 0 with these argument dwords, as a single work-item wrote it.
std::string legacy(const PrintfFormat& f, std::vector<std::uint32_t> arguments, Diagnostics* findings = nullptr) {
  std::vector<std::uint32_t> words{static_cast<std::uint32_t>(arguments.size() + 2), f.id};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.resize(words.size() + 2);
  Diagnostics unused;
  return abi::printf_text(abi::decode_legacy_printf(std::span(&f, 1), bytes_of(words),
                                                    {static_cast<std::uint32_t>(words.size()), 1},
                                                    findings != nullptr ? *findings : unused));
}

std::string hsa(const PrintfFormat& f, std::vector<std::uint32_t> arguments, Diagnostics* findings = nullptr) {
  std::vector<std::uint32_t> words{static_cast<std::uint32_t>(4 * arguments.size() + 4), 4096, f.id};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Diagnostics unused;
  return abi::printf_text(
      abi::decode_hsa_printf(std::span(&f, 1), bytes_of(words), findings != nullptr ? *findings : unused));
}

TEST(Printf, IntegersPrintAsCDoes) {
  EXPECT_EQ(
      legacy(format(0, {4, 4, 4, 4, 4, 4}, "%d %i %u %o %x %X\n"), {0xffffffff, 7, 0xffffffff, 8, 0xbeef, 0xbeef}),
      "-1 7 4294967295 10 beef BEEF\n");
  EXPECT_EQ(legacy(format(0, {4, 4, 4}, "[%5d|%-5d|%05d]"), {42, 42, 42}), "[   42|42   |00042]");
  EXPECT_EQ(legacy(format(0, {4, 4, 4}, "%+d %#x %.3d"), {5, 255, 5}), "+5 0xff 005");
  EXPECT_EQ(legacy(format(0, {4, 4}, "%c%c"), {'o', 'k'}), "ok");
  EXPECT_EQ(legacy(format(0, {4}, "%p"), {0x1234}), "0x1234");
  EXPECT_EQ(legacy(format(0, {4}, "%hd"), {0x18001}), "-32767");
}

TEST(Printf, EightBytesGetALongModifier) {
  EXPECT_EQ(legacy(format(0, {8, 8, 8}, "%d %lu %x"), {0xffffffff, 0xffffffff, 0, 1, 0x89abcdef, 0x1234567}),
            "-1 4294967296 123456789abcdef");
}

TEST(Printf, FloatsOf4And8Bytes) {
  EXPECT_EQ(legacy(format(0, {4, 4, 4}, "%f %.2e %g"), {bits(1.5f), bits(1234.5f), bits(0.25f)}),
            "1.500000 1.23e+03 0.25");
  const auto wide = std::bit_cast<std::uint64_t>(-2.5);
  EXPECT_EQ(legacy(format(0, {8, 4}, "%f %a"),
                   {static_cast<std::uint32_t>(wide), static_cast<std::uint32_t>(wide >> 32), bits(1.0f)}),
            "-2.500000 0x1p+0");
}

TEST(Printf, InfinityAndNanOfAFloatAreSpelledOutButThoseOfADoubleAreNot) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(legacy(format(0, {4, 4, 4, 4}, "a %f %f %5.1f %f b"), {bits(inf), bits(-inf), 0x7fc00000, 0xffc00000}),
            "a infinity -infinity nan -nan b");
  EXPECT_EQ(legacy(format(0, {8}, "%f"), {0, 0x7ff00000}), "inf");
}

TEST(Printf, ByteArgumentsAndHhPrintTheLowByteUnsigned) {
  EXPECT_EQ(legacy(format(0, {1}, "%d"), {0xffffff80}), "128");
  EXPECT_EQ(legacy(format(0, {4}, "%hhd"), {0xffffff80}), "128");
}

TEST(Printf, StringsStandInlineAndNullPrintsItsName) {
  std::vector<std::uint32_t> arguments;
  append(arguments, "hello");
  arguments.push_back(7);
  EXPECT_EQ(legacy(format(0, {4, 4}, "%s=%d\n"), arguments), "hello=7\n");
  EXPECT_EQ(legacy(format(0, {4, 4}, "%s=%d\n"), {0, 0xbad, 7}), "(null)=7\n") << "counted as 6 bytes, so two dwords";
  arguments.clear();
  append(arguments, "abcdef");
  EXPECT_EQ(legacy(format(0, {4}, "[%8s]"), arguments), "[  abcdef]");
  EXPECT_EQ(legacy(format(0, {4}, "[%.2s]"), arguments), "[ab]");
  append(arguments, "");
  EXPECT_EQ(legacy(format(0, {0}, "x%s"), arguments), "xabcdef");
}

TEST(Printf, VectorsOfAllWidthsAreSeparatedByCommas) {
  EXPECT_EQ(legacy(format(0, {8}, "%v2d"), {1, 2}), "1,2");
  EXPECT_EQ(legacy(format(0, {16, 4}, "<%v3f> %d"), {bits(1), bits(2), bits(3), bits(9), 5}),
            "<1.000000,2.000000,3.000000> 5");
  EXPECT_EQ(legacy(format(0, {16}, "%5.1v4f"), {bits(1), bits(2), bits(3), bits(4)}), "  1.0,  2.0,  3.0,  4.0");
  EXPECT_EQ(legacy(format(0, {4}, "%v4hhu"), {0x04030201}), "1,2,3,4");
  EXPECT_EQ(legacy(format(0, {8}, "%v4hd"), {0x0002ffff, 0x00040003}), "-1,2,3,4");
  EXPECT_EQ(legacy(format(0, {16}, "%v4hlx"), {0xa, 0xb, 0xc, 0xd}), "a,b,c,d");
  EXPECT_EQ(legacy(format(0, {64}, "%v16d"), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}),
            "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15");
  EXPECT_EQ(legacy(format(0, {32}, "%v4lu"), {1, 0, 2, 0, 3, 0, 0, 1}), "1,2,3,4294967296");
}

TEST(Printf, PercentSignsBeforeTheLastArgumentAreHalvedAndAfterItStay) {
  EXPECT_EQ(legacy(format(0, {4}, "50%% %d 60%%\n"), {3}), "50% 3 60%%\n");
  EXPECT_EQ(legacy(format(0, {}, "100%%\n"), {}), "100%%\n");
  EXPECT_EQ(legacy(format(0, {4}, "%   d"), {3}), "3") << "spaces after % go";
}

TEST(Printf, AmdsOwnErrorTextsStandInTheOutput) {
  Diagnostics findings;
  EXPECT_EQ(legacy(format(0, {12, 4}, "a %d %d\n"), {1, 2, 3, 4}, &findings),
            "Error: Unsupported data size for PrintfDbg. 12 bytes");
  EXPECT_EQ(codes(findings), "AC3076 items[0].dwords[1]; ");
  findings = Diagnostics();
  EXPECT_EQ(legacy(format(0, {4, 4}, "a %d\n"), {1, 2}, &findings),
            "a 1\nError: The arguments don't match the printf format string. printf(a %d\n)");
  EXPECT_EQ(codes(findings), "AC3078 items[0].dwords[1]; ");
  findings = Diagnostics();
  EXPECT_EQ(legacy(format(0, {4}, "%z7"), {1}, &findings), "");
  EXPECT_EQ(codes(findings), "AC3078 items[0].dwords[1]; ");
  findings = Diagnostics();
  // The printer does not know F, and takes the next letter for the conversion: that of a float. C knows it.
  EXPECT_EQ(legacy(format(0, {4}, "%F a"), {bits(1.5f)}, &findings), "1.500000 a");
  EXPECT_EQ(codes(findings), "");
  EXPECT_EQ(legacy(format(0, {4}, "%Dd"), {1}, &findings), "%Dd");
  EXPECT_EQ(codes(findings), "AC3077 items[0].dwords[1]; ");
}

TEST(Printf, EveryWorkItemHasItsRegionAndARecordItsPlace) {
  const std::vector<PrintfFormat> formats{format(3, {4}, "item %d\n"), format(5, {}, "none\n")};
  const auto buffer = bytes_of({3, 3, 10, 0, /**/ 1, 99, 99, 99, /**/ 4, 5, 3, 12});
  Diagnostics findings;
  const auto records = abi::decode_legacy_printf(formats, buffer, {4, 0}, findings);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(abi::printf_text(records), "item 10\nnone\nitem 12\n");
  EXPECT_EQ(records[1].item, 2u);
  EXPECT_EQ(records[1].offset, 36u);
  EXPECT_EQ(records[1].id, 5u);
  EXPECT_EQ(codes(findings), "");
}

TEST(Printf, BrokenLegacyBuffersAreReportedAndReadOnAtTheNextRegion) {
  const std::vector<PrintfFormat> formats{format(1, {4}, "%d\n"), format(2, {4}, "%s\n")};
  Diagnostics findings;
  const auto decode = [&](const std::vector<std::uint32_t>& words, abi::LegacyPrintf geometry) {
    findings = Diagnostics();
    return abi::printf_text(abi::decode_legacy_printf(formats, bytes_of(words), geometry, findings));
  };
  EXPECT_EQ(decode({9, 1, 7, 1, /**/ 3, 1, 8, 0}, {4, 2}), "7\n8\n");
  EXPECT_EQ(codes(findings), "AC3072 items[0]; AC3074 items[0].dwords[3]; ");
  EXPECT_EQ(decode({0xffffffff, 77, 7, 1, /**/ 3, 1, 8, 0}, {4, 2}), "8\n");
  EXPECT_EQ(codes(findings), "AC3072 items[0]; AC3073 items[0].dwords[1]; ");
  EXPECT_EQ(decode({0, 1, 7, 1, /**/ 0, 1, 8, 0}, {4, 2}), "");
  EXPECT_EQ(codes(findings), "AC3071 items; ");
  EXPECT_EQ(decode({4, 2, 0x61616161, 0x61616161}, {4, 1}), "aaaaaaaa\n");
  EXPECT_EQ(codes(findings), "AC3075 items[0].dwords[1]; ");
  EXPECT_EQ(decode({2, 1}, {4, 1}), "");
  EXPECT_EQ(codes(findings), "AC3070 ; ");
  EXPECT_EQ(decode({3, 1, 5, 0}, {4, 3}), "5\n") << "what is there is printed";
  EXPECT_EQ(codes(findings), "AC3070 ; ");
  EXPECT_EQ(decode({2, 1}, {1, 1}), "");
  EXPECT_EQ(codes(findings), "AC3070 ; ");
  findings = Diagnostics();
  EXPECT_TRUE(abi::decode_legacy_printf({}, bytes_of({1, 0}), {2, 1}, findings).empty());
  EXPECT_EQ(codes(findings), "AC3081 ; ");
}

TEST(Printf, FormatsOfTwoUnitsWithOneNumberAreReported) {
  std::vector<PrintfFormat> formats{format(1, {}, "first\n"), format(1, {}, "second\n"), format(1, {}, "first\n")};
  formats[1].unit = 1;
  Diagnostics findings;
  EXPECT_EQ(abi::printf_text(abi::decode_legacy_printf(formats, bytes_of({2, 1}), {2, 1}, findings)), "first\n");
  EXPECT_EQ(codes(findings), "AC3082 ; ");
}

TEST(Printf, OutputIsLimited) {
  const PrintfFormat wide = format(0, {4}, "%999999999d|");
  const PrintfFormat tall = format(1, {4}, "%.2147483647d");
  const std::vector<PrintfFormat> formats{wide, tall};
  Diagnostics findings;
  const auto records = abi::decode_legacy_printf(formats, bytes_of({5, 0, 7, 1, 8}), {5, 1}, findings,
                                                 {.record_bytes = 1000, .total_bytes = 1 << 20});
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].text.size(), 1000u);
  EXPECT_EQ(records[1].text.size(), 1000u);
  EXPECT_EQ(codes(findings), "AC3079 items[0].dwords[1]; AC3079 items[0].dwords[3]; ");
  findings = Diagnostics();
  EXPECT_EQ(abi::decode_legacy_printf(formats, bytes_of({5, 0, 7, 1, 8}), {5, 1}, findings,
                                      {.record_bytes = 1000, .total_bytes = 1500})
                .size(),
            1u);
  EXPECT_TRUE(findings.contains(Code::PrintfOutputLimit));
}

TEST(HsaPrintf, RecordsStandBackToBack) {
  const std::vector<PrintfFormat> formats{format(1, {4, 8}, "%d %f\n"), format(2, {}, "plain\n"),
                                          format(3, {8}, "[%s]\n")};
  const auto wide = std::bit_cast<std::uint64_t>(0.5);
  std::vector<std::uint32_t> words{
      16 + 4 + 12, 1024, 1, 0xffffffff, static_cast<std::uint32_t>(wide), static_cast<std::uint32_t>(wide >> 32), 2, 3};
  append(words, "abcdefg");
  Diagnostics findings;
  EXPECT_EQ(abi::printf_text(abi::decode_hsa_printf(formats, bytes_of(words), findings)),
            "-1 0.500000\nplain\n[abcdefg]\n");
  EXPECT_EQ(codes(findings), "");
}

TEST(HsaPrintf, StringsFillTheirSizeWithoutAnEndAndEmptyOnesHaveAMark) {
  EXPECT_EQ(hsa(format(1, {4, 4}, "[%s] %d"), {0x64636261, 5}), "[abcd] 5");
  EXPECT_EQ(hsa(format(1, {4, 4}, "[%s] %d"), {0xffffff00, 5}), "[] 5");
  EXPECT_EQ(hsa(format(1, {4, 4}, "[%s] %d"), {0, 5}), "[(null)] 5");
}

TEST(HsaPrintf, VectorElementsOfTwoBytesAreHalvesAndShorts) {
  EXPECT_EQ(hsa(format(1, {8}, "%v4hd"), {0x0002ffff, 0x00040003}), "-1,2,3,4");
  EXPECT_EQ(hsa(format(1, {8}, "%v4hf"), {0x3c003800, 0xfc007c00}), "0.500000,1.000000,infinity,-infinity");
}

TEST(HsaPrintf, BrokenBuffersAreReported) {
  const std::vector<PrintfFormat> formats{format(1, {4}, "%d\n"), format(2, {3}, "%d\n")};
  Diagnostics findings;
  const auto decode = [&](const std::vector<std::uint32_t>& words) {
    findings = Diagnostics();
    return abi::printf_text(abi::decode_hsa_printf(formats, bytes_of(words), findings));
  };
  EXPECT_EQ(decode({8}), "");
  EXPECT_EQ(codes(findings), "AC3070 ; ");
  EXPECT_EQ(decode({0, 100}), "");
  EXPECT_EQ(codes(findings), "");
  EXPECT_EQ(decode({100, 8, 1, 7, 1, 8}), "7\n") << "the capacity counts";
  EXPECT_EQ(codes(findings), "AC3072 header; ");
  EXPECT_EQ(decode({0xffffffff, 0xffffffff, 1, 7, 1, 8}), "7\n8\n");
  EXPECT_EQ(codes(findings), "AC3072 header; ");
  EXPECT_EQ(decode({12, 100, 1, 7, 1, 8}), "7\n");
  EXPECT_EQ(codes(findings), "AC3074 records+0x8; ");
  EXPECT_EQ(decode({10, 100, 1, 7, 1}), "7\n");
  EXPECT_EQ(codes(findings), "AC3074 records+0x8; ");
  EXPECT_EQ(decode({16, 100, 9, 7, 1, 8}), "");
  EXPECT_EQ(codes(findings), "AC3073 records+0x0; ");
  decode({7, 100, 2, 7});
  EXPECT_TRUE(findings.contains(Code::PrintfRecordSize));
}

TEST(HsaPrintf, FormatsOfMetadataAreReadAsRocmDoes) {
  const auto plain = abi::hsa_printf_format("3:2:4:8:a\\72b %d %f\\n");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->id, 3u);
  EXPECT_EQ(plain->sizes, (std::vector<std::uint32_t>{4, 8}));
  EXPECT_EQ(plain->format, "a:b %d %f\n");
  EXPECT_EQ(abi::hsa_printf_format("1:0:no end")->format, "no end\n");
  EXPECT_EQ(abi::hsa_printf_format("1:1:4:cut %d:here")->format, "cut %d\n");
  for (const char* const entry : {"0:0:0123456789abcdef,hello", "nonsense"}) {
    const auto refused = abi::hsa_printf_format(entry);
    ASSERT_FALSE(refused) << entry;
    EXPECT_EQ(refused.error().code, Code::HsaPrintfForm) << entry;
  }
}

TEST(PrintfBuffers, AreSharedOutAndResetAsAmdsRuntimeDid) {
  EXPECT_EQ(abi::printf_dwords_per_item(1 << 20, 256), 1024u);
  EXPECT_EQ(abi::printf_dwords_per_item(1001, 10), 25u);
  EXPECT_EQ(abi::printf_dwords_per_item(1 << 20, 1, 4096), 1024u);
  EXPECT_EQ(abi::printf_dwords_per_item(100, 0), 0u);
  auto buffer = bytes_of({7, 7, 7, 7, 7});
  abi::reset_legacy_printf(buffer, 2);
  EXPECT_EQ(dwords(buffer), (std::vector<std::uint32_t>{1, 7, 1, 7, 7}));
  abi::reset_legacy_printf(buffer, 0);
}

}  // namespace
}  // namespace amdcompat::printf_test
