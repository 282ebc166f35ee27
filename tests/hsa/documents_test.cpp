// Reading and writing documents: MessagePack and YAML, with the exact text.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "hsa_samples.hpp"

namespace documents_test {
namespace {

using namespace amdcompat;
using namespace amdcompat::hsa;

constexpr std::string_view kHead = "---\namdhsa.kernels:  []\n";

// The document with one unknown key `zz`, which goes through every rule for scalars.
Metadata with(Node value) {
  Metadata out;
  out.unknown.push_back({"zz", std::move(value)});
  return out;
}

std::string yaml_of(std::string text) {
  const std::string yaml = to_yaml(with({std::move(text), {}}));
  constexpr std::string_view kKey = "zz:              ";
  const std::size_t at = yaml.find(kKey) + kKey.size();
  return yaml.substr(at, yaml.size() - at - std::string_view("\n...\n").size());
}

TEST(HsaYaml, ACleanDocumentIsWrittenInLlvmsLayout) {
  Metadata metadata = samples::clean();
  metadata.kernels.erase(metadata.kernels.begin());
  EXPECT_EQ(to_yaml(metadata), R"(---
amdhsa.kernels:
  - .args:
      - .access:         read_only
        .name:           src
        .offset:         0
        .size:           8
        .type_name:      image2d_t
        .value_kind:     image
      - .name:           s
        .offset:         8
        .size:           8
        .type_name:      sampler_t
        .value_kind:     sampler
      - .name:           v
        .offset:         16
        .size:           12
        .value_kind:     by_value
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 64
    .language:       OpenCL C
    .language_version:
      - 1
      - 2
    .max_flat_workgroup_size: 256
    .name:           blit
    .private_segment_fixed_size: 0
    .sgpr_count:     0
    .symbol:         blit.kd
    .vec_type_hint:  float4
    .vgpr_count:     0
    .wavefront_size: 64
    .workgroup_size_hint:
      - 64
      - 1
      - 1
amdhsa.printf:
  - '1:1:4:value %d\n'
  - '2:0:done\n'
amdhsa.version:
  - 1
  - 0
...
)");
}

TEST(HsaYaml, AKernelWithoutArgumentsHasAnEmptyList) {
  Metadata metadata;
  metadata.kernels.emplace_back().name = "k";
  EXPECT_EQ(to_yaml(metadata), "---\namdhsa.kernels:\n  - .args:           []\n    .name:           k\n...\n");
}

TEST(HsaYaml, TextThatLlvmWouldTakeForSomethingElseIsTagged) {
  // Observed: what llvm-readelf 19 prints for each.
  // clang-format off
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"n", "!str n"},         {"y", "!str y"},           {"no", "!str no"},       {"On", "!str On"},
      {"true", "!str 'true'"}, {"True", "!str 'True'"},   {"null", "'null'"},      {"~", "'~'"},
      {"", "!str ''"},         {"123", "!str '123'"},     {"0x10", "!str '0x10'"}, {"010", "!str '010'"},
      {"08", "!str '08'"},     {"1e5", "!str '1e5'"},     {".5", "!str '.5'"},     {"inf", "!str inf"},
      {"infinity", "!str infinity"}, {"INF", "!str INF"}, {".inf", "'.inf'"},      {".nan", "'.nan'"},
      {"nan(ab)", "!str 'nan(ab)'"}, {"0b11", "!str 0b11"}, {"0o17", "!str '0o17'"}, {"0x", "0x"},
      {"-0", "!str '-0'"},     {"-5", "!str '-5'"},       {"+5", "!str '+5'"},     {" 1", "!str ' 1'"},
      {"1 ", "'1 '"},          {"0x1p3", "!str 0x1p3"},   {"1_000", "1_000"},
      {"18446744073709551616", "!str '18446744073709551616'"},
  };
  // clang-format on
  for (const auto& [text, written] : cases) EXPECT_EQ(yaml_of(std::string(text)), written) << '"' << text << '"';
  using namespace std::string_literals;
  EXPECT_EQ(yaml_of("\0"s), R"(!str "\0")");
  EXPECT_EQ(yaml_of("1\0x"s), R"(!str "1\0x")");
}

TEST(HsaYaml, TextIsQuotedWhereLlvmQuotes) {
  // clang-format off
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"a b", "a b"},     {"a\tb", "a\tb"},  {"a:b", "'a:b'"},       {"-a", "'-a'"},     {"a/b", "'a/b'"},
      {"uint*", "'uint*'"}, {"...", "..."},  {"---", "'---'"},       {"it's", "'it''s'"}, {"%d", "'%d'"},
      {"@", "'@'"},       {"a#b", "'a#b'"},  {"<<", "'<<'"},         {"=", "'='"},       {"a\nb", R"("a\nb")"},
      {"\x01", R"("\x01")"}, {"\"x\"\n", R"("\"x\"\n")"}, {"\x1B\x7F", R"("\e\x7F")"},
      {"\xC3\xA9", "\"\xC3\xA9\""}, {"\xC2\xAD", "\"\xC2\xAD\""}, {"\xE2\x80\x8B", R"("\u200B")"},
      {"\xE2\x80\xA8", R"("\L")"}, {"\xC2\x85\xC2\xA0", R"("\N\_")"}, {"\xF0\x9F\x98\x80", "\"\xF0\x9F\x98\x80\""},
      {"\xF4\x8F\xBF\xBF", R"("\U0010FFFF")"},
      {"a\xFF" "b", "\"a\xEF\xBF\xBD" "b\""},
  };
  // clang-format on
  for (const auto& [text, written] : cases) EXPECT_EQ(yaml_of(std::string(text)), written) << '"' << text << '"';
}

TEST(HsaYaml, TextTheAssemblerWouldCutIsDoubleQuoted) {
  // llvm-readelf single-quotes these; llvm-mc would take the rest of the line for a comment, or the quote for an end.
  // clang-format off
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"a;b", R"("a;b")"}, {"a//b", R"("a//b")"}, {"a/*b", R"("a/*b")"}, {"\"q\"", R"("\"q\"")"},
      {"\\'", R"("\\'")"}, {"back\\", R"("back\\")"}, {"a/b", "'a/b'"}, {"\\n", "'\\n'"},
  };
  // clang-format on
  for (const auto& [text, written] : cases) EXPECT_EQ(yaml_of(std::string(text)), written) << text;
}

TEST(HsaYaml, OtherScalarsAndUnknownStructuresAreWritten) {
  const auto map = [](Node::Map entries) { return Node{std::move(entries), {}}; };
  const auto list = [](Node::Array items) { return Node{std::move(items), {}}; };
  const Node number{std::uint64_t{1}, {}};
  EXPECT_EQ(to_yaml(with(list({{Node::Nil{}, {}},
                               {true, {}},
                               {std::int64_t{-7}, {}},
                               {1.5, {}},
                               {0.1, {}},
                               {std::numeric_limits<double>::infinity(), {}}}))),
            std::string(kHead) +
                "zz:\n  - !nil ''\n  - true\n  - -7\n  - 1.500000e+00\n  - 1.000000e-01\n  - INF\n...\n");
  EXPECT_EQ(to_yaml(with({1.0 / 3.0, {}})), std::string(kHead) + "zz:              0.3333333333333333\n...\n");
  EXPECT_EQ(to_yaml(with(map({{"a: b", number}, {"true", number}, {"w", map({})}}))),
            std::string(kHead) + "zz:\n  'a: b':            1\n  true:            1\n  w:               {}\n...\n");
  // LLVM loses the inner dash; this form can be read.
  EXPECT_EQ(to_yaml(with(list({list({number, list({})}), map({{"k", list({number})}})}))),
            std::string(kHead) + "zz:\n  - - 1\n    - []\n  - k:\n      - 1\n...\n");
}

TEST(HsaYaml, ADocumentIsReadBackAsItWasWritten) {
  for (const Metadata& metadata : {samples::clean(), samples::clean_v5()}) {
    Diagnostics findings(Mode::Strict);
    EXPECT_EQ(read_yaml(to_yaml(metadata), findings), metadata);
    EXPECT_TRUE(findings.all().empty()) << testing::PrintToString(findings.all());
  }
}

TEST(HsaYaml, FlowStyleCommentsAndStandardTagsAreRead) {
  Diagnostics findings(Mode::Strict);
  const auto read = read_yaml("# comment\namdhsa.version: [ 1, 0x0 ]\namdhsa.kernels:\n"
                              "- { .name: !!str 12, .symbol: \"k\\x2Ekd\", .args: [], .uses_dynamic_stack: !bool "
                              "'yes', .wavefront_size: !int '64' }\n",
                              findings);
  ASSERT_TRUE(read);
  EXPECT_TRUE(findings.all().empty()) << testing::PrintToString(findings.all());
  ASSERT_EQ(read->kernels.size(), 1u);
  EXPECT_EQ(read->version, (std::array<std::uint64_t, 2>{1, 0}));
  EXPECT_EQ(read->kernels[0].name, "12");
  EXPECT_EQ(read->kernels[0].symbol, "k.kd");
  EXPECT_EQ(read->kernels[0].uses_dynamic_stack, true);
  EXPECT_EQ(read->kernels[0].wavefront_size, 64u);
}

TEST(HsaYaml, AmbiguousTextIsKeptAndReportedWhereItStands) {
  const std::string text = "amdhsa.kernels:\n  - .name: n\n    .symbol: '12'\n    .vec_type_hint: ''\n";
  for (const Mode mode : {Mode::Strict, Mode::Lenient}) {
    Diagnostics findings(mode);
    const auto read = read_yaml(text, findings);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->kernels[0].name, "n");
    EXPECT_EQ(read->kernels[0].symbol, "12");
    EXPECT_EQ(read->kernels[0].vec_type_hint, "");
    ASSERT_EQ(findings.all().size(), 3u);
    EXPECT_EQ(findings.all()[0].code, Code::HsaYamlAmbiguousText);
    EXPECT_EQ(findings.all()[0].path, "amdhsa.kernels[0].name");
    EXPECT_EQ(findings.all()[0].where.begin, text.find("n\n    .symbol"));
    EXPECT_EQ(findings.has_errors(), mode == Mode::Strict);
  }
}

TEST(HsaYaml, PositionsCountBytesBehindTextThatIsNotAscii) {
  const std::string text = "\xC3\xA9\xC3\xA9: \xF0\x9F\x98\x80\namdhsa.kernels: 5\n";
  Diagnostics findings;
  ReadOptions options;
  options.base = 1000;
  ASSERT_TRUE(read_yaml(text, findings, options));
  ASSERT_EQ(findings.all().size(), 1u);
  EXPECT_EQ(findings.all()[0].where, (SourceRange{static_cast<std::uint32_t>(1000 + text.find('5')), 1}));
}

struct Broken {
  std::string_view text;
  Code code;
  std::string_view path;
  std::uint32_t begin;
};

TEST(HsaYaml, BrokenTextIsReportedWithItsPlace) {
  // clang-format off
  const Broken cases[] = {
      {"", Code::HsaRootNotMap, "", 0},
      {"just text", Code::HsaRootNotMap, "", 0},
      {"[]", Code::HsaRootNotMap, "", 0},
      {"a: [1, 2", Code::HsaYamlSyntax, "a[2]", 8},
      {"a: 1\n\tb: 2", Code::HsaYamlSyntax, "a", 5},
      {"a: \xFF", Code::HsaYamlSyntax, "", 3},
      {"a: &x 1", Code::HsaYamlAlias, "a", 3},
      {"a: &x [1]", Code::HsaYamlAlias, "a", 3},
      {"a: *x", Code::HsaYamlAlias, "a", 3},
      {"a: !foo 1", Code::HsaYamlUnknownTag, "a", 3},
      {"a: !foo [1]", Code::HsaYamlUnknownTag, "a", 3},
      {"a: !int x", Code::HsaYamlTagMismatch, "a", 3},
      {"a: !bool 1", Code::HsaYamlTagMismatch, "a", 3},
      {"a: !float x", Code::HsaYamlTagMismatch, "a", 3},
      {"? [1]\n: 2", Code::HsaKeyNotText, "", 2},
      {"? {a: 1}\n: 2", Code::HsaKeyNotText, "", 2},
  };
  // clang-format on
  for (const Broken& broken : cases) {
    SCOPED_TRACE(broken.text);
    Diagnostics findings;
    EXPECT_FALSE(read_yaml(broken.text, findings));
    ASSERT_EQ(findings.all().size(), 1u);
    EXPECT_EQ(findings.all()[0].code, broken.code) << findings.all()[0].message;
    EXPECT_EQ(findings.all()[0].path, broken.path);
    EXPECT_EQ(findings.all()[0].where.begin, broken.begin);
    EXPECT_TRUE(findings.has_errors());
  }
}

TEST(HsaYaml, WhatCostsOnlyAPartLeavesTheRestReadable) {
  // clang-format off
  const Broken cases[] = {
      {"amdhsa.kernels: []\namdhsa.kernels: [{}]\n", Code::HsaDuplicateKey, "amdhsa.kernels", 35},
      {"amdhsa.kernels: [{zz: {q: 1, q: 2}}]", Code::HsaDuplicateKey, "amdhsa.kernels[0].zz.q", 32},
      {"amdhsa.kernels: []\n---\nb: 1\n", Code::HsaYamlSeveralDocuments, "", 19},
      {"amdhsa.kernels: []\n---\nb: [\n", Code::HsaYamlSeveralDocuments, "", 19},
      {"a: 1", Code::HsaMissingKey, "amdhsa.kernels", 0},
      {"amdhsa.kernels: 5", Code::HsaWrongType, "amdhsa.kernels", 16},
      {"amdhsa.kernels: [5]", Code::HsaWrongType, "amdhsa.kernels[0]", 17},
      {"amdhsa.kernels: [{.args: [{.size: -1}]}]", Code::HsaWrongType, "amdhsa.kernels[0].args[0].size", 34},
      {"amdhsa.kernels: [{.args: [{.value_kind: b}]}]", Code::HsaUnknownValueKind,
       "amdhsa.kernels[0].args[0].value_kind", 40},
      {"amdhsa.kernels: []\namdhsa.printf: [{}]", Code::HsaWrongType, "amdhsa.printf[0]", 35},
  };
  // clang-format on
  for (const Broken& broken : cases) {
    SCOPED_TRACE(broken.text);
    Diagnostics findings;
    EXPECT_TRUE(read_yaml(broken.text, findings));
    ASSERT_EQ(findings.all().size(), 1u) << testing::PrintToString(findings.all());
    EXPECT_EQ(findings.all()[0].code, broken.code);
    EXPECT_EQ(findings.all()[0].path, broken.path);
    EXPECT_EQ(findings.all()[0].where.begin, broken.begin);
  }
}

TEST(HsaMessagePack, NumbersLengthsAndKeysHaveTheirShortestForm) {
  using namespace std::string_literals;
  Metadata metadata;
  Node::Array numbers;
  for (const std::uint64_t value :
       {0ull, 127ull, 128ull, 255ull, 256ull, 65535ull, 65536ull, 0xFFFFFFFFull, 0x100000000ull})
    numbers.push_back({value, {}});
  for (const std::int64_t value : {-1ll, -32ll, -33ll, -128ll, -129ll, -32768ll, -32769ll})
    numbers.push_back({value, {}});
  metadata.unknown.push_back({"zz", {numbers, {}}});
  EXPECT_EQ(to_msgpack(metadata),
            "\x82\xAE"
            "amdhsa.kernels"
            "\x90\xA2"
            "zz"
            "\xDC\x00\x10"
            "\x00\x7F\xCC\x80\xCC\xFF\xCD\x01\x00\xCD\xFF\xFF\xCE\x00\x01\x00\x00\xCE\xFF\xFF\xFF\xFF"
            "\xCF\x00\x00\x00\x01\x00\x00\x00\x00"
            "\xFF\xE0\xD0\xDF\xD0\x80\xD1\xFF\x7F\xD1\x80\x00\xD2\xFF\xFF\x7F\xFF"s);
}

TEST(HsaMessagePack, ADocumentIsReadBackAsItWasWritten) {
  for (const Metadata& metadata : {samples::clean(), samples::clean_v5()}) {
    Diagnostics findings(Mode::Strict);
    EXPECT_EQ(read_msgpack(to_msgpack(metadata), findings), metadata);
    EXPECT_TRUE(findings.all().empty()) << testing::PrintToString(findings.all());
  }
}

TEST(HsaMessagePack, UnknownKeysAndMistypedValuesSurviveRewriting) {
  using namespace std::string_literals;
  // {amdhsa.kernels: [{.name: 7, .new: {a: nil}, .wavefront_size: 64 as int64}], extra: 1.5 as float32}
  const std::string bytes = "\x82\xAE"
                            "amdhsa.kernels"
                            "\x91\x83\xA5"
                            ".name"
                            "\x07\xA4"
                            ".new"
                            "\x81\xA1"
                            "a"
                            "\xC0\xAF"
                            ".wavefront_size"
                            "\xD3\0\0\0\0\0\0\0\x40"
                            "\xA5"
                            "extra"
                            "\xCA\x3F\xC0\0\0"s;
  Diagnostics findings;
  const auto read = read_msgpack(bytes, findings);
  ASSERT_TRUE(read);
  ASSERT_EQ(findings.all().size(), 1u) << testing::PrintToString(findings.all());
  EXPECT_EQ(findings.all()[0].code, Code::HsaWrongType);
  EXPECT_EQ(findings.all()[0].path, "amdhsa.kernels[0].name");
  EXPECT_EQ(findings.all()[0].where, (SourceRange{24, 1}));
  EXPECT_EQ(read->kernels[0].wavefront_size, 64u);
  EXPECT_EQ(read->kernels[0].unknown.size(), 2u);
  EXPECT_EQ(read->unknown.size(), 1u);
  const std::string again = to_msgpack(*read);
  Diagnostics second;
  EXPECT_EQ(read_msgpack(again, second), read);
  EXPECT_NE(again.find("\xA5.name\x07"), std::string::npos) << "the mistyped value is lost";
}

TEST(HsaMessagePack, EqualityIsOfContentNotOfPlace) {
  Diagnostics findings;
  auto a = read_msgpack(to_msgpack(samples::clean()), findings);
  auto b = read_yaml(to_yaml(samples::clean()), findings);
  ASSERT_TRUE(a && b);
  EXPECT_NE(a->kernels[1].where.range, b->kernels[1].where.range);
  EXPECT_EQ(a, b);
  b->kernels[0].args[0].is_const.reset();
  EXPECT_NE(a, b);
  EXPECT_EQ((Node{std::nan(""), {}}), (Node{-std::nan("1"), {}}));
  EXPECT_NE((Node{0.0, {}}), (Node{std::uint64_t{0}, {}}));
}

}  // namespace
}  // namespace documents_test
