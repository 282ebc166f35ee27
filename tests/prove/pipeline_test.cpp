// The pipeline that every caller converts with: what it makes of each family, and what it keeps back.
#include <algorithm>

#include <gtest/gtest.h>

#include <amdcompat/pipeline.hpp>

#include "cl2_samples.hpp"
#include "code_samples.hpp"

namespace amdcompat::pipeline_test {
namespace {

using pipeline::Layout;
using pipeline::Outcome;

File opened(std::string bytes) {
  Diagnostics diagnostics;
  return open(std::move(bytes), diagnostics).value();
}
File opened(const std::vector<std::byte>& bytes) {
  return opened(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// `scale`, and `other`: the same with the address of its own code as the factor, which no conversion keeps.
File with_a_kernel_that_differs() {
  constexpr std::uint32_t kGetPc = 0xbe961f00;  // s_getpc_b64 s[22:23]
  constexpr std::uint32_t kFactor = 0x00002b01, kPcAsFactor = 0x00002d01;  // of v_mul_lo_i32: s21, s22
  cl1::ContainerSpec spec = corpus::container_of(corpus::scale_32());
  corpus::Cl1Code code = corpus::scale_32();
  auto& text = code.encoding.text;
  const auto put = [&](std::size_t at, std::uint32_t word) {
    for (std::size_t n = 0; n < 4; ++n) text[at + n] = static_cast<std::byte>(word >> (8 * n) & 255);
  };
  std::size_t replaced = 0;
  for (std::size_t at = 0; at + 4 <= text.size(); at += 4) {
    std::uint32_t word = 0;
    for (std::size_t n = 0; n < 4; ++n) word |= std::to_integer<std::uint32_t>(text[at + n]) << (8 * n);
    if (word != kFactor) continue;
    put(at, kPcAsFactor);
    ++replaced;
  }
  EXPECT_EQ(replaced, 1u);
  text.insert(text.begin(), 4, std::byte{});
  put(0, kGetPc);
  for (std::size_t at = 0; (at = code.metadata.find("OpenCL_scale_", at)) != std::string::npos;)
    code.metadata.replace(at, 13, "OpenCL_other_");
  cl1::KernelSpec other = corpus::container_of(code).kernels.front();
  other.name = "other";
  spec.kernels.push_back(std::move(other));
  return opened(cl1::build(spec).value());
}

std::vector<std::string> names_of(const hsa::Metadata& metadata) {
  std::vector<std::string> out;
  for (const hsa::MetadataKernel& kernel : metadata.kernels) out.push_back(kernel.name.value_or(""));
  return out;
}

TEST(Pipeline, AKernelWhoseProofDiffersIsInNoResult) {
  const File file = with_a_kernel_that_differs();
  ASSERT_EQ(file.program.kernels.size(), 2u);
  ASSERT_EQ(file.program.kernels[1].name, "other");
  pipeline::Request request;
  request.layout = Layout::InPlace;
  {
    Diagnostics diagnostics;
    const pipeline::Conversion unproved = pipeline::convert(file, request, diagnostics);
    ASSERT_TRUE(unproved.object);
    EXPECT_EQ(names_of(unproved.object->metadata), (std::vector<std::string>{"scale", "other"}));
    EXPECT_FALSE(diagnostics.has_errors());
  }
  request.prove = true;
  for (const Layout layout : {Layout::InPlace, Layout::Auto}) {
    request.layout = layout;
    Diagnostics diagnostics;
    const pipeline::Conversion made = pipeline::convert(file, request, diagnostics);
    ASSERT_TRUE(made.object);
    EXPECT_EQ(names_of(made.object->metadata), std::vector<std::string>{"scale"});
    Diagnostics reading;
    const auto again = hsa::read_code_object(made.bytes, reading);
    ASSERT_TRUE(again);
    EXPECT_EQ(names_of(again->metadata), std::vector<std::string>{"scale"});
    ASSERT_EQ(made.kernels.size(), 2u);
    EXPECT_EQ(made.kernels[0].outcome, Outcome::Proved);
    EXPECT_EQ(made.kernels[0].proof.value().verdict, emulate::Verdict::Proved);
    EXPECT_FALSE(made.kernels[0].reason);
    EXPECT_EQ(made.kernels[1].outcome, layout == Layout::Auto ? Outcome::Described : Outcome::Refused);
    EXPECT_EQ(made.kernels[1].proof.value().verdict, emulate::Verdict::Differs);
    ASSERT_TRUE(made.kernels[1].reason);
    EXPECT_EQ(made.kernels[1].reason->code, Code::InPlaceDiffers);
    EXPECT_EQ(made.natural.has_value(), layout == Layout::Auto);
    // That it differs stays an error whatever became of the kernel.
    EXPECT_TRUE(diagnostics.has_errors());
  }
}

// `scale`, and kernels that never end.
File with_endless_kernels(int count) {
  cl1::ContainerSpec spec = corpus::container_of(corpus::scale_32());
  for (int n = 0; n < count; ++n) {
    corpus::Cl1Code code = corpus::scale_32();
    auto& text = code.encoding.text;
    constexpr std::uint32_t kBranch = 0xbf82ffff;  // s_branch -1
    for (std::size_t at = 0; at < 4; ++at) text[at] = static_cast<std::byte>(kBranch >> (8 * at) & 255);
    const std::string name = "endless" + std::to_string(n);
    for (std::size_t at = 0; (at = code.metadata.find("OpenCL_scale_", at)) != std::string::npos;)
      code.metadata.replace(at, 13, "OpenCL_" + name + "_");
    cl1::KernelSpec other = corpus::container_of(code).kernels.front();
    other.name = name;
    spec.kernels.insert(spec.kernels.begin(), std::move(other));
  }
  return opened(cl1::build(spec).value());
}

TEST(Pipeline, AProofEndsWithItsBudget) {
  const File file = with_endless_kernels(1);
  pipeline::Request request;
  request.prove = true;
  const auto proof = [&](std::size_t kernel) {
    Diagnostics diagnostics;
    const pipeline::Conversion made = pipeline::convert(file, request, diagnostics);
    EXPECT_EQ(made.count(Outcome::Converted) + made.count(Outcome::Proved), 2u);  // unproved is not wrong
    EXPECT_TRUE(diagnostics.contains(Code::InPlaceUnproved));
    return made.kernels.at(kernel).proof.value();
  };
  request.proof.run_instructions = 1'000'000;
  const emulate::Proof endless = proof(0);
  EXPECT_EQ(endless.verdict, emulate::Verdict::Unproved);
  EXPECT_EQ(endless.reason, "the first 4 launches all spent the budget of a run, 1000000 instructions");
  EXPECT_FALSE(endless.exhausted);
  EXPECT_GT(endless.instructions, 4'000'000u);
  EXPECT_LT(endless.instructions, 4'200'000u);
  EXPECT_EQ(proof(1).verdict, emulate::Verdict::Proved);

  request.proof.instructions = 2'500'000;
  const emulate::Proof spent = proof(0);
  EXPECT_EQ(spent.verdict, emulate::Verdict::Unproved);
  EXPECT_EQ(spent.reason, "the budget of 2500000 instructions was spent; 0 of 3 launches could be compared");
  EXPECT_TRUE(spent.exhausted);
  EXPECT_EQ(spent.instructions, 2'500'000u);
  EXPECT_EQ(proof(1).verdict, emulate::Verdict::Proved);
}

TEST(Pipeline, TheKernelsOfAFileHaveItsBudgetInTheirOrder) {
  const File file = with_endless_kernels(40);
  pipeline::Request request;
  request.prove = true;
  request.proof.run_instructions = 100'000;
  request.proof_instructions = 1'000'000;
  Diagnostics diagnostics;
  const pipeline::Conversion made = pipeline::convert(file, request, diagnostics);
  ASSERT_EQ(made.kernels.size(), 41u);
  std::uint64_t spent = 0;
  for (const pipeline::KernelResult& kernel : made.kernels) {
    EXPECT_EQ(kernel.proof.value().verdict, emulate::Verdict::Unproved);
    spent += kernel.proof->instructions;
  }
  EXPECT_EQ(spent, request.proof_instructions);
  EXPECT_EQ(made.proof_instructions, spent);  // so that nothing is left for proofs of lifted source
  EXPECT_TRUE(made.kernels[0].proof->reason.starts_with("the first 4 launches all spent"))
      << made.kernels[0].proof->reason;
  EXPECT_EQ(made.kernels[40].proof->reason, "the budget of 1000000 instructions for the proofs of a file was spent");
  EXPECT_EQ(made.kernels[40].proof->compared, 0u);
  EXPECT_EQ(made.count(Outcome::Converted), 41u);
}

TEST(Pipeline, EveryFamilyHasItsWay) {
  const auto outcome = [](const File& file, Layout layout) {
    Diagnostics diagnostics;
    pipeline::Request request;
    request.layout = layout;
    const pipeline::Conversion made = pipeline::convert(file, request, diagnostics);
    EXPECT_EQ(made.object.has_value(), !made.bytes.empty());
    return made.kernels.empty() ? Outcome::Refused : made.kernels.front().outcome;
  };
  const File cl1 = opened(cl1::build(corpus::container_of(corpus::scale_32())).value());
  EXPECT_EQ(outcome(cl1, Layout::Auto), Outcome::Converted);
  EXPECT_EQ(outcome(cl1, Layout::InPlace), Outcome::Converted);
  EXPECT_EQ(outcome(cl1, Layout::Natural), Outcome::Described);
  const auto samples = corpus::cl2_samples();
  const auto sample = std::ranges::find(samples, "cl2-tonga-code.clo", &corpus::Cl2Sample::name);
  ASSERT_NE(sample, samples.end());
  const File cl2 = opened(cl2::build(sample->spec).value());
  EXPECT_EQ(outcome(cl2, Layout::Auto), Outcome::Converted);
  EXPECT_EQ(outcome(cl2, Layout::InPlace), Outcome::Converted);
  EXPECT_EQ(outcome(cl2, Layout::Natural), Outcome::Described);
  const File text = opened(corpus::scale_32().metadata);
  EXPECT_EQ(outcome(text, Layout::Auto), Outcome::Described);
  EXPECT_EQ(outcome(text, Layout::InPlace), Outcome::Refused);

  // A code object of today is kept, byte for byte, unless something else is asked for.
  Diagnostics diagnostics;
  const std::string bytes = pipeline::convert(cl2, {}, diagnostics).bytes;
  const File object = opened(bytes);
  const pipeline::Conversion kept = pipeline::convert(object, {}, diagnostics);
  EXPECT_EQ(kept.kernels.front().outcome, Outcome::AsItIs);
  EXPECT_EQ(kept.bytes, bytes);
  pipeline::Request request;
  request.object.version = hsa::CodeObjectVersion::V5;
  const pipeline::Conversion newer = pipeline::convert(object, request, diagnostics);
  EXPECT_EQ(newer.kernels.front().outcome, Outcome::Converted);
  EXPECT_EQ(newer.object.value().version, hsa::CodeObjectVersion::V5);
}

TEST(Pipeline, AnErrorInStrictModeLeavesNothing) {
  const File file = with_a_kernel_that_differs();
  pipeline::Request request;
  request.prove = true;
  Diagnostics diagnostics(Mode::Strict);
  const pipeline::Conversion made = pipeline::convert(file, request, diagnostics);
  EXPECT_FALSE(made.object);
  EXPECT_FALSE(made.natural);
  EXPECT_EQ(made.count(Outcome::Refused), 2u);
  for (const pipeline::KernelResult& kernel : made.kernels) EXPECT_TRUE(kernel.reason);
}

// Metadata will do unless code for a target is asked for.
TEST(Pipeline, WhatWasAskedForAndIsNotMadeIsAnError) {
  const File cl1 = opened(cl1::build(corpus::container_of(corpus::scale_32())).value());
  const File text = opened(corpus::scale_32().metadata);
  for (const File* file : {&cl1, &text}) {
    pipeline::Request request;
    request.object.target = hsa::parse_target("gfx1030");
    Diagnostics diagnostics;
    const pipeline::Conversion made = pipeline::convert(*file, request, diagnostics);
    EXPECT_EQ(made.kernels.front().outcome, Outcome::Described);
    EXPECT_TRUE(diagnostics.has_errors());
  }
  // A proof that takes more launches than are tried.
  pipeline::Request request;
  request.prove = true;
  request.proof.launches = 1000;
  Diagnostics diagnostics;
  const pipeline::Conversion made = pipeline::convert(cl1, request, diagnostics);
  EXPECT_EQ(made.kernels.front().outcome, Outcome::Converted);
  EXPECT_TRUE(diagnostics.contains(Code::ProofMissing));
  pipeline::VerifyRequest verify;
  verify.execute = true;
  verify.proof.launches = 1000;
  EXPECT_FALSE(pipeline::verify(cl1, opened(made.bytes), verify, diagnostics).same);
}

TEST(Pipeline, LayoutsAreFoundByTheirNames) {
  for (const Layout layout : pipeline::kLayouts)
    EXPECT_EQ(pipeline::find_layout(pipeline::layout_name(layout)), layout);
  EXPECT_EQ(pipeline::layout_name(pipeline::Request{}.layout), "auto");
  EXPECT_EQ(pipeline::find_layout("automatic"), std::nullopt);
}

File in_place_of(const File& file) {
  Diagnostics diagnostics;
  pipeline::Request request;
  request.layout = Layout::InPlace;
  return opened(pipeline::convert(file, request, diagnostics).bytes);
}

TEST(Pipeline, VerifyLooksAtTheKernelThatItIsAskedFor) {
  const File before = with_a_kernel_that_differs();
  const File after = in_place_of(before);
  pipeline::VerifyRequest verify;
  verify.execute = true;
  for (const auto& [kernel, same] : {std::pair("scale", true), {"other", false}, {"absent", false}}) {
    verify.kernel = kernel;
    Diagnostics findings;
    const pipeline::Verification result = pipeline::verify(before, after, verify, findings);
    EXPECT_EQ(result.same, same) << kernel;
    EXPECT_EQ(result.kernels_before, findings.contains(Code::KernelNotFound) ? 0u : 1u) << kernel;
  }
  verify.execute = false;
  verify.kernel = "absent";
  Diagnostics findings;
  EXPECT_FALSE(pipeline::verify(after, after, verify, findings).same);
  EXPECT_TRUE(findings.contains(Code::KernelNotFound));
}

// Where two files are compared, a place in one of them is no place in the other.
TEST(Pipeline, FindingsOfVerifyNameTheFileThatTheyAreAbout) {
  const File before = with_a_kernel_that_differs();
  const File after = in_place_of(before);
  pipeline::VerifyRequest verify;
  verify.before_name = "old";
  const auto file_of = [&](const File& old, Code code) {
    Diagnostics findings;
    findings.set_file("new");
    static_cast<void>(pipeline::verify(old, after, verify, findings));
    const auto found = std::ranges::find(findings.all(), code, &Diagnostic::code);
    return found == findings.all().end() ? std::string("no finding") : found->file;
  };
  EXPECT_EQ(file_of(before, Code::NoMachineCode), "old");
  verify.execute = true;
  EXPECT_EQ(file_of(before, Code::InPlaceDiffers), "new");
  // What a conversion says of the old file.
  File other = with_a_kernel_that_differs();
  for (Kernel& kernel : other.program.kernels) kernel.arguments.emplace_back().kind = Semaphore{};
  EXPECT_EQ(file_of(other, Code::InPlaceArgument), "old");
  verify.kernel = "absent";
  EXPECT_EQ(file_of(before, Code::KernelNotFound), "old");
}

TEST(Pipeline, VerifyExecutesWhatAConversionMade) {
  const File before = with_a_kernel_that_differs();
  const File after = in_place_of(before);
  pipeline::VerifyRequest verify;
  verify.execute = true;
  Diagnostics findings;
  const pipeline::Verification result = pipeline::verify(before, after, verify, findings);
  EXPECT_FALSE(result.same);
  ASSERT_EQ(result.proofs.size(), 2u);
  EXPECT_EQ(result.proofs[0].proof.verdict, emulate::Verdict::Proved);
  EXPECT_EQ(result.proofs[1].name, "other");
  EXPECT_EQ(result.proofs[1].proof.verdict, emulate::Verdict::Differs);
  // Nothing to compare without running it.
  EXPECT_FALSE(pipeline::verify(before, after, {}, findings).same);
  EXPECT_TRUE(findings.contains(Code::NoMachineCode));
}

}  // namespace
}  // namespace amdcompat::pipeline_test
