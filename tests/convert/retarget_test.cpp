// Code objects for other targets than theirs, and objects whose code is not that of their target. LLVM assembles and
// links them.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/pipeline.hpp>

#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::retarget_test {
namespace {

using hsa::CodeObject;
using hsa::FeatureSetting;

constexpr const char* kSource = R"(
  .amdhsa_code_object_version {0}
  .amdgcn_target "amdgcn-amd-amdhsa--{1}"
  .text
  .globl k
  .p2align 8
  .type k,@function
k:
  s_nop 0
{2}
  s_endpgm
.Lend:
  .size k, .Lend-k
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel k
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 16
{3}
  .end_amdhsa_kernel
  .amdgpu_metadata
---
amdhsa.version: [1, {4}]
{5}
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 4
    .wavefront_size: {6}
    .sgpr_count: 16
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args: []
...
  .end_amdgpu_metadata
)";

// A linked object of one kernel `k`: s_nop, `code`, s_endpgm.
std::string object_of(const std::string& target, const std::string& code, int version = 5, int wave = 64,
                      const std::string& attributes = {}) {
  const amdcompat_test::TemporaryDirectory directory;
  const std::string processor = target.substr(0, target.find(':'));
  const bool rdna = processor.starts_with("gfx1");
  std::string extra;
  if (rdna && wave == 32) extra = ".amdhsa_wavefront_size32 1";
  if (processor == "gfx90a") extra = ".amdhsa_accum_offset 8";
  amdcompat_test::write_file(directory / "k.s",
                             fmt::format(fmt::runtime(kSource), version, target, code, extra,
                                         version >= 5 ? 2 : version - 3,
                                         version >= 4 ? "amdhsa.target: amdgcn-amd-amdhsa--" + target : "", wave));
  std::string options = rdna && wave == 64 ? "-mattr=-wavefrontsize32,+wavefrontsize64" : "";
  if (!attributes.empty()) options = "-mattr=" + attributes;
  const auto made = amdcompat_test::run(
      fmt::format("cd {} && llvm-mc-19 -triple amdgcn-amd-amdhsa -mcpu={} {} -filetype=obj k.s -o k.o && "
                  "ld.lld-19 -shared k.o -o k.hsaco",
                  (directory / "").string(), processor, options));
  EXPECT_EQ(made.status, 0) << made.output;
  return amdcompat_test::read_file(directory / "k.hsaco");
}
CodeObject read(const std::string& bytes) {
  Diagnostics diagnostics;
  auto object = hsa::read_code_object(bytes, diagnostics);
  EXPECT_TRUE(object && !diagnostics.has_errors());
  return object ? *std::move(object) : CodeObject{};
}
// The object with another target in its flags and metadata, and the same code.
CodeObject called(CodeObject object, std::string_view target) {
  object.target = find_target(target);
  object.metadata.target = hsa::target_id(*object.target, object.version, {}).value();
  object.features = {};
  return object;
}
std::string errors(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& finding : diagnostics.all())
    if (finding.severity == Severity::Error)
      out += fmt::format("{} {}: {}\n", code_label(finding.code), finding.kernel, sentence(finding));
  return out;
}
struct Outcome {
  std::optional<CodeObject> object;
  std::string errors;
};
Outcome converted(const CodeObject& object, std::string_view target) {
  Diagnostics diagnostics;
  convert::ObjectOptions options;
  options.target = hsa::parse_target(target);
  EXPECT_TRUE(options.target);
  Outcome out{convert::to_version(object, diagnostics, options), errors(diagnostics)};
  EXPECT_EQ(out.object.has_value(), out.errors.empty());
  return out;
}

TEST(Retarget, RefusesAnInstructionThatTheTargetLacksOrReadsAsAnother) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  const CodeObject mac = read(object_of("gfx1010", "v_mac_f32 v0, v1, v2"));
  EXPECT_EQ(converted(mac, "gfx1030").errors,
            "AC4306 k: kernel 'k' cannot be converted: 'v_mac_f32_e32 v0, v1, v2' at +0x4 is nothing on gfx1030\n");
  EXPECT_TRUE(converted(mac, "gfx1012").object);
  const CodeObject dot = read(object_of("gfx906", "v_dot4_i32_i8 v0, v1, v2, v3"));
  EXPECT_EQ(converted(dot, "gfx900").errors,
            "AC4306 k: kernel 'k' cannot be converted: 'v_dot4_i32_i8 v0, v1, v2, v3' at +0x4 is nothing on gfx900\n");
  EXPECT_TRUE(converted(dot, "gfx908").object);
  const CodeObject mix = read(object_of("gfx900", "v_mad_mix_f32 v0, v1, v2, v3"));
  EXPECT_EQ(converted(mix, "gfx906").errors,
            "AC4306 k: kernel 'k' cannot be converted: 'v_mad_mix_f32 v0, v1, v2, v3' at +0x4 is 'v_fma_mix_f32 v0, "
            "v1, v2, v3' on gfx906\n");
  EXPECT_TRUE(converted(mix, "gfx902").object);
  // What no path reaches does not count.
  const CodeObject beyond = read(object_of("gfx1010", "s_branch .Lover\n v_mac_f32 v0, v1, v2\n.Lover:"));
  EXPECT_TRUE(converted(beyond, "gfx1030").object);
  // Behind a jump to an address in registers everything may be reached.
  const CodeObject jump = read(object_of("gfx1010", "s_setpc_b64 s[0:1]\n v_mac_f32 v0, v1, v2"));
  EXPECT_NE(converted(jump, "gfx1030").errors, "");
  const CodeObject packed = read(object_of("gfx803", "buffer_load_format_d16_xy v[0:1], v2, s[0:3], 0 idxen"));
  EXPECT_EQ(
      converted(packed, "gfx810").errors,
      "AC4306 k: kernel 'k' cannot be converted: 'buffer_load_format_d16_xy v[0:1], v2, s[0:3], 0 idxen' at +0x4 is "
      "one whose halves lie otherwise in its registers on gfx810\n");
  // Nothing else keeps code from going there.
  EXPECT_TRUE(
      converted(read(object_of("gfx803", "buffer_load_format_xy v[0:1], v2, s[0:3], 0 idxen")), "gfx810").object);
}

TEST(Retarget, RefusesWhatTheNewTargetAsksOfCodeAndTheOldOneDoesNot) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  const auto code = [](const Outcome& outcome) { return outcome.errors.substr(0, 6); };
  const CodeObject later = read(object_of("gfx1030", "v_add_f32 v0, v1, v2"));
  EXPECT_EQ(code(converted(later, "gfx1010")), "AC4307");
  EXPECT_TRUE(converted(later, "gfx1031").object);
  EXPECT_TRUE(converted(read(object_of("gfx1010", "v_add_f32 v0, v1, v2")), "gfx1030").object);
  EXPECT_EQ(code(converted(read(object_of("gfx803", "")), "gfx802")), "AC4307");
  EXPECT_TRUE(converted(read(object_of("gfx802", "")), "gfx803").object);
  EXPECT_EQ(code(converted(read(object_of("gfx1101", "")), "gfx1100")), "AC4307");
  // Instructions of gfx90a are not known here: nobody can say that they are the same.
  EXPECT_EQ(code(converted(called(read(object_of("gfx90a", "")), "gfx940"), "gfx942")), "AC4306");
}

TEST(Retarget, KeepsTheFeaturesThatTheCodeWasMadeFor) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  const auto features = [](const Outcome& outcome) {
    return outcome.object ? *hsa::target_id(*outcome.object->target, outcome.object->version, outcome.object->features)
                          : "refused";
  };
  const auto id = [](std::string_view rest) { return fmt::format("amdgcn-amd-amdhsa--{}", rest); };
  // Code that runs either way can be asked for as either.
  const CodeObject any = read(object_of("gfx906", "v_add_f32 v0, v1, v2"));
  EXPECT_EQ(features(converted(any, "gfx906")), id("gfx906"));
  EXPECT_EQ(features(converted(any, "gfx906:xnack-")), id("gfx906:xnack-"));
  EXPECT_EQ(features(converted(any, "gfx906:xnack+")), id("gfx906:xnack+"));
  EXPECT_EQ(features(converted(any, "gfx906:sramecc-:xnack+")), id("gfx906:sramecc-:xnack+"));
  // Code for one setting is no code for the other.
  const CodeObject off = read(object_of("gfx906:xnack-", "v_add_f32 v0, v1, v2", 5, 64, "-xnack"));
  EXPECT_EQ(features(converted(off, "gfx906")), id("gfx906:xnack-"));
  EXPECT_EQ(features(converted(off, "gfx906:xnack+")), "refused");
  // V3 has a bit for each, which says on or off.
  const CodeObject old = read(object_of("gfx906", "v_add_f32 v0, v1, v2", 4));
  Diagnostics diagnostics;
  convert::ObjectOptions v3;
  v3.version = hsa::CodeObjectVersion::V3;
  v3.target = hsa::parse_target("gfx906:xnack-:sramecc-");
  const auto made = convert::to_version(old, diagnostics, v3);
  ASSERT_TRUE(made);
  EXPECT_TRUE(diagnostics.all().empty()) << testing::PrintToString(diagnostics.all());
  EXPECT_EQ(features(converted(*made, "gfx906:xnack+")), "refused");
  // Nobody asked: each setting that becomes on is named.
  Diagnostics turned;
  v3.target.reset();
  const auto on = convert::to_version(any, turned, v3);
  ASSERT_TRUE(on);
  EXPECT_EQ(on->features.xnack, hsa::FeatureSetting::On);
  EXPECT_EQ(on->features.sramecc, hsa::FeatureSetting::On);
  EXPECT_EQ(turned.all().size(), 2u) << testing::PrintToString(turned.all());
  for (const Diagnostic& finding : turned.all()) EXPECT_EQ(finding.code, Code::FeatureTurnedOn);
  // Code of a target without the feature was made as if it were off.
  const CodeObject without = read(object_of("gfx900", "v_add_f32 v0, v1, v2"));
  EXPECT_EQ(features(converted(without, "gfx906")), id("gfx906:sramecc-"));
  EXPECT_EQ(features(converted(without, "gfx906:sramecc-:xnack-")), id("gfx906:sramecc-:xnack-"));
  EXPECT_EQ(features(converted(without, "gfx906:sramecc+")), "refused");
  for (const int version : {4, 5}) {
    const CodeObject polaris = read(object_of("gfx803", "", version));
    EXPECT_EQ(features(converted(polaris, "gfx801")), id("gfx801:xnack-"));
    EXPECT_EQ(features(converted(polaris, "gfx801:xnack+")), "refused");
  }
  // And a target without it has nothing to ask for.
  EXPECT_EQ(features(converted(any, "gfx900:sramecc+")), "refused");
}

TEST(CheckObject, NamesAnInstructionThatItsTargetLacks) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  const CodeObject mac = read(object_of("gfx1010", "v_mac_f32 v0, v1, v2"));
  const CodeObject wrong = called(mac, "gfx1030");
  {
    Diagnostics diagnostics;
    EXPECT_TRUE(convert::check_object(mac, diagnostics)) << errors(diagnostics);
    EXPECT_FALSE(convert::check_object(wrong, diagnostics));
    EXPECT_EQ(errors(diagnostics),
              "AC4247 k: kernel k: 'v_mac_f32_e32 v0, v1, v2' of gfx1010 at +0x4 is nothing on gfx1030\n");
  }
  // Every way that a file takes through the pipeline says so: kept, and as another version.
  Diagnostics opening;
  const File file = open(hsa::write_code_object(wrong).value(), opening).value();
  for (const auto& version : {std::optional<hsa::CodeObjectVersion>{}, std::optional(hsa::CodeObjectVersion::V4)}) {
    Diagnostics diagnostics;
    pipeline::Request request;
    request.layout = pipeline::Layout::InPlace;
    request.object.version = version;
    request.prove = true;
    const pipeline::Conversion made = pipeline::convert(file, request, diagnostics);
    EXPECT_FALSE(made.object);
    EXPECT_TRUE(diagnostics.contains(Code::ObjectInstruction));
    ASSERT_TRUE(made.kernels.at(0).reason);
    EXPECT_EQ(made.kernels[0].reason->code, Code::ObjectInstruction);
  }
}

// As LLVM calls and jumps to functions. `f` stands behind the end of the kernel.
TEST(CheckObject, FollowsCallsByDistance) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  for (const std::string_view go : {"s_swappc_b64 s[30:31], s[4:5]", "s_setpc_b64 s[4:5]"}) {
    const CodeObject object = read(object_of("gfx1010", fmt::format("s_getpc_b64 s[4:5]\n"
                                                                    "s_add_u32 s4, s4, f@rel32@lo+4\n"
                                                                    "v_mov_b32 v3, 1\n"
                                                                    "s_addc_u32 s5, s5, f@rel32@hi+16\n"
                                                                    "{}\n"
                                                                    "s_endpgm\n"
                                                                    ".p2align 6\n"
                                                                    "f: v_mac_f32 v0, v1, v2\n"
                                                                    "s_setpc_b64 s[30:31]\n",
                                                                    go)));
    Diagnostics good, bad;
    EXPECT_TRUE(convert::check_object(object, good)) << errors(good);
    EXPECT_FALSE(convert::check_object(called(object, "gfx1030"), bad));
    EXPECT_TRUE(bad.contains(Code::ObjectInstruction)) << go;
    // The return of a function is known where its call is.
    EXPECT_EQ(good.contains(Code::ObjectCodeUnchecked), go.starts_with("s_setpc")) << go;
  }
}

TEST(CheckObject, SaysThatItDoesNotKnowWhereACallGoes) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  for (const std::string_view code :
       {"s_swappc_b64 s[30:31], s[8:9]", "s_setpc_b64 s[8:9]",
        "s_getpc_b64 s[4:5]\ns_add_u32 s4, s4, s8\ns_addc_u32 s5, s5, 0\ns_swappc_b64 s[30:31], s[4:5]",
        "s_getpc_b64 s[4:5]\ns_add_u32 s4, s4, 64\ns_cmp_eq_u32 s0, 0\ns_addc_u32 s5, s5, 0\n"
        "s_swappc_b64 s[30:31], s[4:5]"}) {
    Diagnostics diagnostics;
    EXPECT_TRUE(convert::check_object(read(object_of("gfx1010", std::string(code))), diagnostics))
        << errors(diagnostics);
    ASSERT_TRUE(diagnostics.contains(Code::ObjectCodeUnchecked)) << code;
    const auto finding = std::ranges::find(diagnostics.all(), Code::ObjectCodeUnchecked, &Diagnostic::code);
    EXPECT_EQ(finding->kernel, "k");
    EXPECT_NE(finding->message.find("goes to an address that is not known here"), std::string::npos);
  }
}

TEST(CheckObject, KnowsDualInstructionsInWavefrontsOf32LanesOnly) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  const CodeObject dual = read(object_of("gfx1100", "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2", 5, 32));
  Diagnostics diagnostics;
  EXPECT_TRUE(convert::check_object(dual, diagnostics)) << errors(diagnostics);
  CodeObject wide = dual;
  wide.kernels[0].descriptor->properties &= static_cast<std::uint16_t>(~hsa::kPropertyWave32);
  wide.metadata.kernels[0].wavefront_size = 64;
  EXPECT_FALSE(convert::check_object(wide, diagnostics));
  EXPECT_TRUE(diagnostics.contains(Code::ObjectInstruction));
}

TEST(CheckObject, SaysWhatItCouldNotCheck) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-19", "llvm-19");
  const auto found = [](const CodeObject& object, Code code) {
    Diagnostics diagnostics;
    EXPECT_TRUE(convert::check_object(object, diagnostics)) << errors(diagnostics);
    return diagnostics.contains(code);
  };
  EXPECT_TRUE(found(read(object_of("gfx90a", "v_add_f32 v0, v1, v2")), Code::ObjectCodeUnchecked));
  const CodeObject half = read(object_of("gfx1100", ".long 0x7e003900"));  // v_mov_b16, which has no row
  EXPECT_TRUE(found(half, Code::ObjectEncodingUnknown));
  EXPECT_FALSE(found(half, Code::ObjectCodeUnchecked));
  const CodeObject plain = read(object_of("gfx1100", "v_add_f32 v0, v1, v2"));
  EXPECT_FALSE(found(plain, Code::ObjectEncodingUnknown));
  EXPECT_FALSE(found(plain, Code::ObjectCodeUnchecked));
}

}  // namespace
}  // namespace amdcompat::retarget_test
