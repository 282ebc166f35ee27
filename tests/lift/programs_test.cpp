// Programs as people write them (programs.cl), compiled by comgr for four GPUs: every kernel is lifted, nearly all
// of them to work-items, and some of each GPU are proved; AMDCOMPAT_PROGRAMS=all proves all of them.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

#include "../compile/compilers.hpp"
#include "opencl_runner.hpp"
#include "support/real_corpus.hpp"
#include "support/wants_all.hpp"

namespace amdcompat::programs_test {
namespace {

using namespace amdcompat_test;

constexpr std::size_t kKernels = 74;

struct Gpu {
  const char* target;
  std::size_t turn;
  // That were refused or judged wrong once.
  std::vector<std::string_view> always;
};
class LiftedPrograms : public testing::TestWithParam<Gpu> {};

// Masks of loops that lanes leave to different places: in the wave form, each with its reason in the unit.
bool is_of_waves(std::string_view kernel) { return kernel == "hashprobe" || kernel == "nested"; }
// Random launches hit no sphere, and have no divisors of more than 32 bits.
bool reaches_too_little(std::string_view kernel) { return kernel == "raytrace" || kernel == "modpow"; }

TEST_P(LiftedPrograms, AreLiftedAndProved) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  const auto& [target, turn, always] = GetParam();
  const auto made = comgr.compile(read_file(std::string(AMDCOMPAT_SOURCE_DIR) + "/tests/lift/programs.cl"),
                                  {.target = *hsa::parse_target(target)});
  ASSERT_TRUE(made) << made.error().message;
  Diagnostics diagnostics;
  const auto file = open(*made, diagnostics);
  ASSERT_TRUE(file);
  ASSERT_EQ(file->program.kernels.size(), kKernels);
  const bool all = wants_all("AMDCOMPAT_PROGRAMS");
  for (std::size_t n = 0; n < kKernels; ++n) {
    pipeline::LiftRequest request;
    request.lift.kernel = file->program.kernels[n].name;
    SCOPED_TRACE(request.lift.kernel);
    request.prove = all || n % 37 == turn || std::ranges::find(always, request.lift.kernel) != always.end();
    const pipeline::Lifted lifted = pipeline::lift_file(*file, request, diagnostics);
    ASSERT_EQ(lifted.kernels.size(), 1u);
    const pipeline::LiftResult& one = lifted.kernels[0];
    ASSERT_TRUE(one.kernel.lifted) << (one.kernel.refusal ? one.kernel.refusal->message : "");
    EXPECT_EQ(one.kernel.form, is_of_waves(request.lift.kernel) ? lift::Form::Wave : lift::Form::WorkItem);
    if (!request.prove) continue;
    EXPECT_EQ(one.outcome == pipeline::LiftOutcome::Proved, !reaches_too_little(request.lift.kernel))
        << (one.proof ? one.proof->reason : "") << "\n"
        << lifted.source;
  }
}

const Gpu kGpus[] = {{"gfx600", 0, {"qsortish"}},
                     {"gfx700", 6, {"two_fills"}},
                     {"gfx803", 13, {"hist256", "half_io", "early"}},
                     {"gfx900", 18, {"before", "lookup_struct"}}};
INSTANTIATE_TEST_SUITE_P(For, LiftedPrograms, testing::ValuesIn(kGpus),
                         [](const auto& gpu) { return gpu.param.target; });

}  // namespace
}  // namespace amdcompat::programs_test
