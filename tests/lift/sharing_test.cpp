// What lanes tell one another through memory, and memory that changes behind their backs, of which metadata say
// nothing: clang 19 compiles tests/lift/sharing.cl, and where compilers may spoil a lift, the lifts too.
#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

#include "lifted_file.hpp"
#include "opencl_runner.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::sharing_test {
namespace {

using namespace amdcompat_test;

// What clang makes of a unit, as LLVM IR.
std::string optimised(std::string_view unit) {
  const TemporaryDirectory directory;
  const std::string source = (directory / "lift.cl").string();
  write_file(source, unit);
  const ProcessResult compiled =
      run(fmt::format("clang-19 -x cl -cl-std=CL1.2 -O2 -target spir64 -Xclang -finclude-default-header -S -emit-llvm "
                      "'{}' -o - 2>&1",
                      source));
  EXPECT_EQ(compiled.status, 0) << compiled.output;
  return compiled.output;
}
std::string_view function(std::string_view ir, std::string_view name) {
  const std::size_t begin = ir.find(fmt::format("void @{}(", name));
  if (begin == ir.npos) return {};
  return ir.substr(begin, ir.find("\n}\n", begin) - begin);
}
std::size_t volatile_loads(std::string_view ir) {
  std::size_t out = 0;
  for (std::size_t at = ir.find("load volatile"); at != ir.npos; at = ir.find("load volatile", at + 1)) ++out;
  return out;
}

class Sharing : public testing::TestWithParam<std::string_view> {};

// What clang makes of the lifts in each form.
template <class Look>
void look_at_both_forms(std::string_view device, const Look& look) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  const auto file = compiled_by_clang("sharing.cl", device);
  ASSERT_TRUE(file);
  Diagnostics diagnostics;
  for (const lift::Form form : {lift::Form::WorkItem, lift::Form::Wave}) {
    const lift::Unit unit = lift::lift(file->program, {.form = form}, diagnostics);
    SCOPED_TRACE(unit.source);
    look(optimised(unit.source));
  }
}

TEST_P(Sharing, LoopsThatWaitForOthersStillReadWhenTheirLiftsAreCompiled) {
  look_at_both_forms(GetParam(), [](std::string_view ir) {
    for (const auto& [kernel, loads] : {std::pair("waits", 1u), std::pair("waits_behind", 1u),
                                        std::pair("waits_for_bytes", 2u), std::pair("waits_for_local", 1u)})
      EXPECT_GE(volatile_loads(function(ir, kernel)), loads) << kernel;
  });
}

TEST_P(Sharing, FencesStandBetweenWhatIsStoredAndWhatTellsOthersOfIt) {
  look_at_both_forms(GetParam(), [](std::string_view ir) {
    for (const auto& [kernel, first, last] : {std::tuple("sums_up_in_the_last_group", "store i32", "i32 @_Z10atomic"),
                                              std::tuple("tells_by_a_flag", "store i32", "store i32 1,"),
                                              std::tuple("reads_when_told", "load volatile i32", " load i32")}) {
      const std::string_view text = function(ir, kernel);
      const std::size_t fence = text.find("@_Z9mem_fencej(");
      ASSERT_NE(fence, text.npos) << kernel;
      EXPECT_LT(text.find(first), fence) << kernel;
      EXPECT_NE(text.find(last, fence), text.npos) << kernel << text;
    }
    for (const char* const kernel : {"counts_after_a_load", "waits", "streams"})
      EXPECT_EQ(function(ir, kernel).find("mem_fence"), std::string_view::npos) << kernel;
  });
}

TEST_P(Sharing, LoadsThatAreStreamedAreOfNoMemoryThatChanges) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  const auto file = compiled_by_clang("sharing.cl", GetParam());
  ASSERT_TRUE(file);
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(file->program, {.kernel = "streams", .form = lift::Form::WorkItem}, diagnostics);
  ASSERT_NE(unit.source.find("void streams("), std::string::npos);
  EXPECT_EQ(unit.source.find("volatile"), std::string::npos) << unit.source;
}

TEST_P(Sharing, WhatLanesReadBackOfOneAnotherTakesTheWaveFormAndOwnPlacesDoNot) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const auto file = compiled_by_clang("sharing.cl", GetParam());
  ASSERT_TRUE(file);
  pipeline::LiftRequest request;
  request.prove = true;
  for (const auto& [kernel, form] :
       {std::pair("counts_by_tags", lift::Form::Wave), std::pair("counts_all_by_tags", lift::Form::Wave),
        std::pair("keeps_its_own", lift::Form::WorkItem), std::pair("sums_of_four", lift::Form::Wave),
        std::pair("adds_what_is_left_of_it", lift::Form::WorkItem)}) {
    SCOPED_TRACE(kernel);
    request.lift.kernel = kernel;
    Diagnostics diagnostics;
    const pipeline::Lifted lifted = pipeline::lift_file(*file, request, diagnostics);
    ASSERT_EQ(lifted.kernels.size(), 1u);
    const pipeline::LiftResult& one = lifted.kernels[0];
    EXPECT_EQ(one.kernel.form, form) << lifted.source;
    EXPECT_EQ(one.outcome, pipeline::LiftOutcome::Proved) << (one.proof ? one.proof->reason : "") << lifted.source;
  }
}

TEST_P(Sharing, WhatFirstLanesDoForOthersInTurnsOfLoopsEachDoesByItself) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const auto file = compiled_by_clang("sharing.cl", GetParam());
  ASSERT_TRUE(file);
  for (const char* const kernel : {"takes_two", "takes_until_none_is_left"})
    expect_lifted(*file, kernel, {.proved = true});
}

TEST(Loops, WhoseTestIsTurnedAroundInFrontOfThemHaveOneEntry) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const auto file = compiled_by_clang("sharing.cl", "gfx803");
  ASSERT_TRUE(file);
  expect_lifted(*file, "ends_where_both_are_zero", {.proved = true});
}

TEST(Choices, ThatAreTheSameInEveryTurnWithBarriersAreEachWavefrontsOwn) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const auto file = compiled_by_clang("sharing.cl", "gfx803");
  ASSERT_TRUE(file);
  expect_lifted(*file, "counts_until_none_is_more", {.proved = true, .work_item = false, .form = lift::Form::Wave});
}

TEST(Proof, OfWhatDependsOnWhereBuffersLieShowsNothing) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const auto file = compiled_by_clang("sharing.cl", "gfx803");
  ASSERT_TRUE(file);
  pipeline::LiftRequest request;
  request.prove = true;
  request.lift.kernel = "leaves_one_unset";
  Diagnostics diagnostics;
  const pipeline::Lifted lifted = pipeline::lift_file(*file, request, diagnostics);
  ASSERT_EQ(lifted.kernels.size(), 1u);
  ASSERT_TRUE(lifted.kernels[0].proof);
  EXPECT_EQ(lifted.kernels[0].proof->verdict, emulate::Verdict::NotExecutable);
  EXPECT_NE(lifted.kernels[0].proof->reason.find("depends on where its buffers lie"), std::string::npos)
      << lifted.kernels[0].proof->reason << lifted.source;
}

TEST(Proof, TakesFloatsForWhatTheyAreWhateverTheirTypesAreCalled) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const auto file = compiled_by_clang("sharing.cl", "gfx803");
  ASSERT_TRUE(file);
  for (const char* const kernel : {"roots", "differences_of_nans"}) expect_lifted(*file, kernel, {.proved = true});
}

TEST(Proof, TakesNothingFromWaysThatLastPlacesOfApproximationsChoose) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const auto file = compiled_by_clang("sharing.cl", "gfx803");
  ASSERT_TRUE(file);
  expect_lifted(*file, "ways_by_sines", {.proved = true});
  // What is wrong beside them is wrong.
  const auto at = std::ranges::find(file->program.kernels, "ways_by_sines", &Kernel::name);
  ASSERT_NE(at, file->program.kernels.end());
  lift::Options options;
  options.kernel = "ways_by_sines";
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(file->program, options, diagnostics);
  const auto index = static_cast<std::size_t>(at - file->program.kernels.begin());
  for (const std::string_view number : {"5u", "0.1234f"}) {
    std::string wrong = unit.source;
    const std::size_t digit = wrong.rfind(number) + number.find('.') + 1;
    ASSERT_LT(digit, wrong.size()) << wrong;
    ++wrong[digit];
    const emulate::LiftProof proof = emulate::prove_lifted(file->program, index, wrong);
    EXPECT_EQ(proof.verdict, emulate::Verdict::Differs) << proof.reason << "\n" << wrong;
  }
}

TEST(HiddenArguments, AreReadByAPointerThatIsSetOnTwoWays) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  for (const char* const device : {"gfx600", "gfx803"}) {
    SCOPED_TRACE(device);
    const auto file = compiled_by_clang("sharing.cl", device);
    ASSERT_TRUE(file);
    expect_lifted(*file, "adds_tiles", {.proved = true});
  }
}

TEST(Ways, ThatMasksTellApartAreApart) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  for (const char* const device : {"gfx600", "gfx803", "gfx900"}) {
    SCOPED_TRACE(device);
    const auto file = compiled_by_clang("sharing.cl", device);
    ASSERT_TRUE(file);
    expect_lifted(*file, "adds_tiles_by_rows", {});
    Diagnostics diagnostics;
    lift::Options options;
    options.kernel = "adds_tiles_by_rows";
    const std::string source = lift::lift(file->program, options, diagnostics).source;
    EXPECT_EQ(source.find("= true"), source.npos) << source;
    EXPECT_EQ(source.find("= false"), source.npos) << source;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, Sharing, testing::Values("gfx600", "gfx803", "gfx900"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace
}  // namespace amdcompat::sharing_test
