// One broken document for every check of the verifier, with the code and the path it must give.
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "hsa_samples.hpp"

namespace verify_test {
namespace {

using namespace amdcompat;
using namespace amdcompat::hsa;
using samples::argument;
using samples::hidden;

struct Case {
  const char* name;
  std::function<void(Metadata&)> damage;  // done to samples::clean()
  Code code;
  std::string_view path;
  std::size_t findings = 1;  // in all; more where one damage breaks two rules
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.name; }

// Argument indices of samples::clean(), kernel 0: 0 x (pointer at 0), 1 scratch (LDS at 8), 2 a (float at 12),
// 3 to 5 offsets at 16, 6 printf buffer at 40, 7 none at 48; the segment has 64 bytes.
const std::vector<Case>& cases() {
  static const std::vector<Case> kCases = {
      {"VersionMissing", [](Metadata& m) { m.version.reset(); }, Code::HsaMissingKey, "amdhsa.version"},
      {"VersionUnknown", [](Metadata& m) { m.version = {3, 1}; }, Code::HsaUnknownVersion, "amdhsa.version"},
      {"TargetMissingInV4", [](Metadata& m) { m.version = {1, 1}; }, Code::HsaTargetMissing, "amdhsa.target"},
      {"TargetInV3", [](Metadata& m) { m.target = "t"; }, Code::HsaKeyNotInVersion, "amdhsa.target"},
      {"UnknownRootKey", [](Metadata& m) { m.unknown = {{"amdhsa.globals", {Node::Array{}, {}}}}; },
       Code::HsaUnknownKey, "amdhsa.globals"},
      {"MistypedRootKey",
       [](Metadata& m) {
         m.printf.clear();
         m.unknown = {{"amdhsa.printf", {true, {}}}};
       },
       Code::HsaWrongType, "amdhsa.printf"},
      {"KernelNameMissing", [](Metadata& m) { m.kernels[0].name.reset(); }, Code::HsaMissingKey,
       "amdhsa.kernels[0].name"},
      {"SegmentSizeMissing", [](Metadata& m) { m.kernels[1].kernarg_segment_size.reset(); }, Code::HsaMissingKey,
       "amdhsa.kernels[1].kernarg_segment_size"},
      {"KernelNameEmpty", [](Metadata& m) { m.kernels[0].name = ""; }, Code::HsaKernelNameEmpty,
       "amdhsa.kernels[0].name"},
      {"DuplicateKernel", [](Metadata& m) { m.kernels[1].name = "saxpy"; }, Code::HsaDuplicateKernel,
       "amdhsa.kernels[1].name"},
      {"DuplicateSymbol", [](Metadata& m) { m.kernels[1].symbol = "saxpy.kd"; }, Code::HsaDuplicateSymbol,
       "amdhsa.kernels[1].symbol"},
      {"SymbolWithoutSuffix", [](Metadata& m) { m.kernels[0].symbol = "saxpy"; }, Code::HsaSymbolForm,
       "amdhsa.kernels[0].symbol"},
      {"NameNotUtf8", [](Metadata& m) { m.kernels[0].name = "\xFF"; }, Code::HsaNotUtf8, "amdhsa.kernels[0].name"},
      {"UnknownLanguage", [](Metadata& m) { m.kernels[0].language = "CUDA"; }, Code::HsaUnknownLanguage,
       "amdhsa.kernels[0].language"},
      {"UnknownKernelKey", [](Metadata& m) { m.kernels[0].unknown = {{".cluster_dims", {true, {}}}}; },
       Code::HsaUnknownKey, "amdhsa.kernels[0].cluster_dims"},
      {"MisspeltKernelKey", [](Metadata& m) { m.kernels[0].unknown = {{".workgorup_size_hint", {true, {}}}}; },
       Code::HsaMisspeltKey, "amdhsa.kernels[0].workgorup_size_hint"},
      {"KernelKeyInCapitals", [](Metadata& m) { m.kernels[0].unknown = {{".SGPR-Count", {true, {}}}}; },
       Code::HsaMisspeltKey, "amdhsa.kernels[0].SGPR-Count"},
      {"KernelKeyOfV5", [](Metadata& m) { m.kernels[0].uses_dynamic_stack = true; }, Code::HsaKeyNotInVersion,
       "amdhsa.kernels[0].uses_dynamic_stack"},
      {"AlignNotPowerOfTwo", [](Metadata& m) { m.kernels[0].kernarg_segment_align = 12; }, Code::HsaKernargAlignInvalid,
       "amdhsa.kernels[0].kernarg_segment_align"},
      {"AlignUnderFour", [](Metadata& m) { m.kernels[0].kernarg_segment_align = 2; }, Code::HsaKernargAlignInvalid,
       "amdhsa.kernels[0].kernarg_segment_align"},
      {"AlignUnderThatOfAPointer", [](Metadata& m) { m.kernels[0].kernarg_segment_align = 4; },
       Code::HsaKernargAlignTooSmall, "amdhsa.kernels[0].kernarg_segment_align"},
      {"WavefrontOf48", [](Metadata& m) { m.kernels[0].wavefront_size = 48; }, Code::HsaWavefrontSize,
       "amdhsa.kernels[0].wavefront_size"},
      {"LargestGroupZero", [](Metadata& m) { m.kernels[1].max_flat_workgroup_size = 0; }, Code::HsaMaxWorkgroupSize,
       "amdhsa.kernels[1].max_flat_workgroup_size"},
      {"RequiredGroupTooLarge", [](Metadata& m) { m.kernels[0].reqd_workgroup_size = {16, 16, 2}; },
       Code::HsaRequiredWorkgroupSize, "amdhsa.kernels[0].reqd_workgroup_size"},
      {"RequiredGroupOverflows", [](Metadata& m) { m.kernels[0].reqd_workgroup_size = {1ull << 32, 1ull << 32, 1}; },
       Code::HsaRequiredWorkgroupSize, "amdhsa.kernels[0].reqd_workgroup_size"},
      {"RequiredGroupEmpty", [](Metadata& m) { m.kernels[0].reqd_workgroup_size = {16, 0, 1}; },
       Code::HsaRequiredWorkgroupSize, "amdhsa.kernels[0].reqd_workgroup_size"},
      {"RequiredGroupOfTwoNumbers",
       [](Metadata& m) {
         m.kernels[0].reqd_workgroup_size.reset();
         m.kernels[0].unknown = {
             {".reqd_workgroup_size", {Node::Array{{std::uint64_t{1}, {}}, {std::uint64_t{1}, {}}}, {}}}};
       },
       Code::HsaWrongType, "amdhsa.kernels[0].reqd_workgroup_size"},
      {"OffsetMissing", [](Metadata& m) { m.kernels[0].args[2].offset.reset(); }, Code::HsaMissingKey,
       "amdhsa.kernels[0].args[2].offset"},
      {"ValueKindUnknown",
       [](Metadata& m) {
         m.kernels[0].args[2].value_kind.reset();
         m.kernels[0].args[2].unknown = {{".value_kind", {std::string("value"), {}}}};
       },
       Code::HsaUnknownValueKind, "amdhsa.kernels[0].args[2].value_kind"},
      {"AddressSpaceUnknown",
       [](Metadata& m) { m.kernels[1].args[0].unknown = {{".address_space", {std::string("Global"), {}}}}; },
       Code::HsaUnknownAddressSpace, "amdhsa.kernels[1].args[0].address_space"},
      {"AccessUnknown",
       [](Metadata& m) {
         m.kernels[1].args[0].access.reset();
         m.kernels[1].args[0].unknown = {{".access", {std::string("RO"), {}}}};
       },
       Code::HsaUnknownAccess, "amdhsa.kernels[1].args[0].access"},
      {"HiddenKindOfV5", [](Metadata& m) { m.kernels[0].args[7] = hidden(ValueKind::HiddenHeapV1, 48); },
       Code::HsaValueKindNotInVersion, "amdhsa.kernels[0].args[7].value_kind"},
      {"SizeZero", [](Metadata& m) { m.kernels[0].args[2].size = 0; }, Code::HsaArgumentSizeZero,
       "amdhsa.kernels[0].args[2].size"},
      {"PointerOfFourBytes", [](Metadata& m) { m.kernels[0].args[0].size = 4; }, Code::HsaArgumentSizeWrong,
       "amdhsa.kernels[0].args[0].size"},
      {"HiddenOfFourBytes", [](Metadata& m) { m.kernels[0].args[6].size = 4; }, Code::HsaArgumentSizeWrong,
       "amdhsa.kernels[0].args[6].size"},
      {"PointerMisaligned", [](Metadata& m) { m.kernels[1].args[0].offset = 28; }, Code::HsaArgumentMisaligned,
       "amdhsa.kernels[1].args[0].offset"},
      {"ValueMisaligned",
       [](Metadata& m) {
         m.kernels[1].args[2].offset = 18;
         m.kernels[1].args[2].size = 4;
       },
       Code::HsaValueMisaligned, "amdhsa.kernels[1].args[2].offset"},
      {"OutsideTheSegment", [](Metadata& m) { m.kernels[0].kernarg_segment_size = 55; },
       Code::HsaArgumentOutsideSegment, "amdhsa.kernels[0].args[7].offset"},
      {"OffsetBeyondAllNumbers", [](Metadata& m) { m.kernels[1].args[2].offset = ~0ull - 7; },
       Code::HsaArgumentOutsideSegment, "amdhsa.kernels[1].args[2].offset"},
      {"Overlap", [](Metadata& m) { m.kernels[0].args[2].offset = 8; }, Code::HsaArgumentOverlap,
       "amdhsa.kernels[0].args[2].offset"},
      {"OverlapWithALongOneBefore",
       [](Metadata& m) {
         m.kernels[1].args = {argument("a", ValueKind::ByValue, 0, 40), argument("b", ValueKind::ByValue, 4, 4),
                              argument("c", ValueKind::ByValue, 36, 4)};
       },
       Code::HsaArgumentOverlap, "amdhsa.kernels[1].args[2].offset", 2},
      {"DuplicateArgumentName", [](Metadata& m) { m.kernels[0].args[2].name = "x"; }, Code::HsaDuplicateArgumentName,
       "amdhsa.kernels[0].args[2].name"},
      {"PointeeAlignMissing", [](Metadata& m) { m.kernels[0].args[1].pointee_align.reset(); },
       Code::HsaPointeeAlignMissing, "amdhsa.kernels[0].args[1].pointee_align"},
      {"PointeeAlignOf52", [](Metadata& m) { m.kernels[0].args[1].pointee_align = 52; }, Code::HsaPointeeAlignInvalid,
       "amdhsa.kernels[0].args[1].pointee_align"},
      {"AddressSpaceMissing", [](Metadata& m) { m.kernels[0].args[0].address_space.reset(); },
       Code::HsaAddressSpaceMissing, "amdhsa.kernels[0].args[0].address_space"},
      {"SharedPointerInGlobalMemory", [](Metadata& m) { m.kernels[0].args[1].address_space = AddressSpace::Global; },
       Code::HsaAddressSpaceMismatch, "amdhsa.kernels[0].args[1].address_space"},
      {"BufferInLocalMemory", [](Metadata& m) { m.kernels[0].args[0].address_space = AddressSpace::Local; },
       Code::HsaAddressSpaceMismatch, "amdhsa.kernels[0].args[0].address_space"},
      {"ValueWithAddressSpace", [](Metadata& m) { m.kernels[0].args[2].address_space = AddressSpace::Private; },
       Code::HsaAddressSpaceMismatch, "amdhsa.kernels[0].args[2].address_space"},
      {"AccessOfAPointer", [](Metadata& m) { m.kernels[0].args[0].access = AccessQualifier::ReadOnly; },
       Code::HsaAccessUnexpected, "amdhsa.kernels[0].args[0].access"},
      {"HiddenOutOfOrder", [](Metadata& m) { std::swap(m.kernels[0].args[4].offset, m.kernels[0].args[5].offset); },
       Code::HsaHiddenPlace, "amdhsa.kernels[0].args[4].offset"},
      {"HiddenWithAGap",
       [](Metadata& m) {
         m.kernels[0].args.pop_back();
         m.kernels[0].args[6].offset = 48;
       },
       Code::HsaHiddenPlace, "amdhsa.kernels[0].args[6].offset"},
      {"HiddenWithoutRoomBefore", [](Metadata& m) { m.kernels[1].args = {hidden(ValueKind::HiddenGlobalOffsetZ, 8)}; },
       Code::HsaHiddenPlace, "amdhsa.kernels[1].args[0].offset"},
      {"HiddenBetweenExplicitOnes",
       [](Metadata& m) {
         m.kernels[1].args = {argument("a", ValueKind::ByValue, 0, 4), hidden(ValueKind::HiddenGlobalOffsetX, 8),
                              argument("b", ValueKind::ByValue, 16, 4)};
       },
       Code::HsaHiddenBeforeExplicit, "amdhsa.kernels[1].args[1].value_kind"},
      {"HiddenOnBothSides",
       [](Metadata& m) {
         m.kernels[1].args = {hidden(ValueKind::HiddenGlobalOffsetX, 0), argument("a", ValueKind::ByValue, 8, 4),
                              hidden(ValueKind::HiddenNone, 16)};
       },
       Code::HsaHiddenBeforeExplicit, "amdhsa.kernels[1].args[0].value_kind"},
      {"HiddenInFrontAndNotFromTheStart",
       [](Metadata& m) {
         m.kernels[1].args = {hidden(ValueKind::HiddenGlobalOffsetX, 8), argument("a", ValueKind::ByValue, 16, 4)};
       },
       Code::HsaHiddenBeforeExplicit, "amdhsa.kernels[1].args[0].value_kind"},
      {"HiddenInFrontAsInOpenCl2",
       [](Metadata& m) {
         m.kernels[1].args = {hidden(ValueKind::HiddenGlobalOffsetX, 0), hidden(ValueKind::HiddenGlobalOffsetY, 8),
                              argument("a", ValueKind::ByValue, 16, 4)};
       },
       Code::HsaHiddenOlder, "amdhsa.kernels[1].args[1].offset"},
      {"HiddenTwice", [](Metadata& m) { m.kernels[0].args[7] = hidden(ValueKind::HiddenGlobalOffsetX, 48); },
       Code::HsaDuplicateHidden, "amdhsa.kernels[0].args[7].value_kind", 2},
      {"PrintfWithoutNumbers", [](Metadata& m) { m.printf[1] = "hello"; }, Code::HsaPrintfForm, "amdhsa.printf[1]"},
      {"PrintfIdNoNumber", [](Metadata& m) { m.printf[1] = "x:0:hello"; }, Code::HsaPrintfForm, "amdhsa.printf[1]"},
      {"PrintfIdTwice", [](Metadata& m) { m.printf[1] = "1:0:hello"; }, Code::HsaPrintfDuplicateId, "amdhsa.printf[1]"},
      {"PrintfCount", [](Metadata& m) { m.printf[0] = "1:2:4:%d"; }, Code::HsaPrintfCount, "amdhsa.printf[0]"},
      {"PrintfSize", [](Metadata& m) { m.printf[0] = "1:1:2:%hd"; }, Code::HsaPrintfSize, "amdhsa.printf[0]"},
      {"PrintfRawColon", [](Metadata& m) { m.printf[0] = "1:1:4:a: %d"; }, Code::HsaPrintfRawColon, "amdhsa.printf[0]"},
      {"PrintfNotUtf8", [](Metadata& m) { m.printf[0] = "1:0:\xC3"; }, Code::HsaNotUtf8, "amdhsa.printf[0]"},
  };
  return kCases;
}

TEST(HsaVerify, CleanDocumentsHaveNoFindings) {
  for (const Metadata& metadata : {samples::clean(), samples::clean_v5()}) {
    Diagnostics findings(Mode::Strict);
    EXPECT_TRUE(verify(metadata, findings));
    EXPECT_TRUE(findings.all().empty()) << testing::PrintToString(findings.all());
  }
}

class HsaVerifyCase : public testing::TestWithParam<Case> {};

TEST_P(HsaVerifyCase, IsFoundAtItsPath) {
  Metadata metadata = samples::clean();
  GetParam().damage(metadata);
  Diagnostics findings(Mode::Strict);
  const bool good = verify(metadata, findings);
  const auto found = std::ranges::find_if(findings.all(), [](const Diagnostic& each) {
    return each.code == GetParam().code && each.path == GetParam().path;
  });
  EXPECT_NE(found, findings.all().end()) << testing::PrintToString(findings.all());
  EXPECT_EQ(findings.all().size(), GetParam().findings) << testing::PrintToString(findings.all());
  EXPECT_EQ(good, !findings.has_errors());
}

INSTANTIATE_TEST_SUITE_P(Broken, HsaVerifyCase, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& each) { return each.param.name; });

TEST(HsaVerify, EveryCheckOfTheModelHasACase) {
  std::set<Code> covered{Code::HsaVersionMismatch};  // below
  for (const Case& each : cases()) covered.insert(each.code);
  for (const CodeInfo& row : all_codes()) {
    const auto number = static_cast<unsigned>(row.code);
    const bool of_the_model = (number >= 4120 && number < 4135) || (number >= 4145 && number < 4200);
    if (of_the_model) {
      EXPECT_TRUE(covered.contains(row.code)) << row.name;
    }
  }
}

TEST(HsaVerify, TheRequestedVersionDecides) {
  Diagnostics mismatch;
  EXPECT_FALSE(verify(samples::clean(), mismatch, {.version = CodeObjectVersion::V5}));
  EXPECT_TRUE(mismatch.contains(Code::HsaVersionMismatch));
  Diagnostics v6;
  EXPECT_TRUE(verify(samples::clean_v5(), v6, {.version = CodeObjectVersion::V6}));
  EXPECT_TRUE(v6.all().empty()) << testing::PrintToString(v6.all());
}

TEST(HsaVerify, AHiddenArgumentOfTheV5BlockHasItsPlace) {
  Metadata metadata = samples::clean_v5();
  metadata.kernels[0].args.back().offset = 216;  // hidden_queue_ptr, from 208
  Diagnostics findings;
  EXPECT_TRUE(verify(metadata, findings));
  ASSERT_EQ(findings.all().size(), 1u);
  EXPECT_EQ(findings.all()[0].code, Code::HsaHiddenPlace);
}

// Converted code of V2 to V4 keeps its hidden arguments where it reads them: compilers put them there.
TEST(HsaVerify, AnOlderListInV5IsOneNoteAKernel) {
  Metadata metadata = samples::clean_v5();
  MetadataKernel& kernel = metadata.kernels[0];
  kernel.args = {argument("a", ValueKind::ByValue, 0, 4)};
  constexpr ValueKind kList[] = {ValueKind::HiddenGlobalOffsetX,   ValueKind::HiddenGlobalOffsetY,
                                 ValueKind::HiddenGlobalOffsetZ,   ValueKind::HiddenNone,
                                 ValueKind::HiddenDefaultQueue,    ValueKind::HiddenCompletionAction,
                                 ValueKind::HiddenMultigridSyncArg};
  for (std::uint64_t i = 0; i < std::size(kList); ++i) kernel.args.push_back(hidden(kList[i], 8 + 8 * i));
  kernel.kernarg_segment_size = 64;
  for (const Mode mode : {Mode::Lenient, Mode::Strict}) {
    Diagnostics findings(mode);
    EXPECT_TRUE(verify(metadata, findings));
    ASSERT_EQ(findings.all().size(), 1u) << testing::PrintToString(findings.all());
    EXPECT_EQ(findings.all()[0].code, Code::HsaHiddenOlder);
    EXPECT_EQ(findings.all()[0].severity, Severity::Note);
  }
  // One of them elsewhere is no list of any version.
  std::swap(kernel.args[2].offset, kernel.args[3].offset);
  Diagnostics findings;
  EXPECT_TRUE(verify(metadata, findings));
  ASSERT_EQ(findings.all().size(), 1u) << testing::PrintToString(findings.all());
  EXPECT_EQ(findings.all()[0].code, Code::HsaHiddenPlace);
  EXPECT_EQ(findings.all()[0].severity, Severity::Warning);
  EXPECT_NE(findings.all()[0].message.find("2 more"), std::string::npos) << findings.all()[0].message;
}

// Readers of V2 put the arguments where the runtime does; the file has no such key.
TEST(HsaVerify, OffsetsOfV2AreNoNewerKeys) {
  Metadata metadata = samples::clean();
  Diagnostics findings;
  EXPECT_TRUE(verify(metadata, findings, {.version = CodeObjectVersion::V2})) << testing::PrintToString(findings.all());
  EXPECT_FALSE(findings.contains(Code::HsaKeyNotInVersion)) << testing::PrintToString(findings.all());
}

TEST(HsaVerify, DuplicateKernelsAreAllowedOnRequest) {
  Metadata metadata = samples::clean();
  metadata.kernels[1].name = metadata.kernels[0].name;
  metadata.kernels[1].symbol = metadata.kernels[0].symbol;
  Diagnostics findings(Mode::Strict);
  EXPECT_TRUE(verify(metadata, findings, {.allow_duplicate_kernels = true}));
  EXPECT_TRUE(findings.all().empty());
}

TEST(HsaVerify, HostcallStringsAreNotJudged) {
  Metadata metadata = samples::clean();
  metadata.printf = {"0:0:0123456789abcdef,a: %d", "0:0:1123456789abcdef,b"};
  Diagnostics findings(Mode::Strict);
  EXPECT_TRUE(verify(metadata, findings));
  EXPECT_TRUE(findings.all().empty());
}

TEST(HsaVerify, WhatTheReaderReportedIsNotRepeatedAndPlacesAreKept) {
  const std::string yaml = "amdhsa.version: [1, 0]\namdhsa.kernels:\n  - .name: k\n    .args:\n      - { .size: x, "
                           ".offset: 0, .value_kind: y }\n";
  Diagnostics findings;
  const auto read = read_yaml(yaml, findings);
  ASSERT_TRUE(read);
  EXPECT_EQ(findings.all().size(), 2u);
  EXPECT_FALSE(verify(*read, findings));
  std::set<std::pair<Code, std::string>> seen;
  for (const Diagnostic& each : findings.all()) EXPECT_TRUE(seen.emplace(each.code, each.path).second) << each.path;
  // Findings of the kernel are at its map.
  const auto missing = std::ranges::find(findings.all(), Code::HsaMissingKey, &Diagnostic::code);
  ASSERT_NE(missing, findings.all().end());
  EXPECT_EQ(missing->where.begin, yaml.find(".name"));
}

}  // namespace
}  // namespace verify_test
