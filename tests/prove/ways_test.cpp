// Which ways there are for a file: counted by taking them.
#include <algorithm>

#include <gtest/gtest.h>

#include <amdcompat/lift.hpp>
#include <amdcompat/ways.hpp>

#include "cl2_samples.hpp"
#include "code_samples.hpp"

namespace amdcompat::ways_test {
namespace {

using pipeline::find_ways;
using pipeline::Way;
using pipeline::WayResult;
using pipeline::Ways;

File opened(std::string bytes) {
  Diagnostics diagnostics;
  return open(std::move(bytes), diagnostics).value();
}
File opened(const std::vector<std::byte>& bytes) {
  return opened(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}
File scale() { return opened(cl1::build(corpus::container_of(corpus::scale_64())).value()); }

const WayResult& get(const Ways& ways, Way way) { return ways[static_cast<std::size_t>(way)]; }
bool says(const WayResult& way, std::string_view what) {
  return std::ranges::any_of(way.losses,
                             [&](const auto& loss) { return loss.message.find(what) != std::string::npos; });
}

TEST(Ways, OldCodeStaysOnItsOwnGenerationAndIsLiftedForOthers) {
  const File file = scale();
  const Ways near = find_ways(file, {.target = hsa::parse_target("gfx601")});
  EXPECT_FALSE(get(near, Way::AsItIs).tried);
  EXPECT_TRUE(get(near, Way::InPlace).whole());
  EXPECT_TRUE(says(get(near, Way::InPlace), "amdcompat.cb0"));
  EXPECT_FALSE(get(near, Way::Compiled).tried) << "no compiler was given";
  const Ways far = find_ways(file, {.target = hsa::parse_target("gfx1030")});
  EXPECT_TRUE(get(far, Way::InPlace).tried);
  EXPECT_EQ(get(far, Way::InPlace).kernels, 0u);
  ASSERT_FALSE(get(far, Way::InPlace).losses.empty());
  EXPECT_EQ(get(far, Way::InPlace).losses.front().code, Code::InPlaceDevice);
  EXPECT_TRUE(says(get(far, Way::InPlace), "gfx1030")) << get(far, Way::InPlace).losses.front().message;
  EXPECT_TRUE(get(far, Way::Lifted).whole());
  EXPECT_TRUE(get(far, Way::Described).whole());
}

TEST(Ways, ADeviceThatIsNoGpuOfAmdTakesSourceAlone) {
  const Ways ways = find_ways(scale(), {});
  for (const Way way : {Way::AsItIs, Way::InPlace, Way::Compiled}) EXPECT_FALSE(get(ways, way).tried);
  EXPECT_TRUE(get(ways, Way::Lifted).whole());
}

TEST(Ways, DenormalFloatsAreALossOnlyWhereThereAreSome) {
  // `scale` multiplies integers; one kernel of the other file adds floats.
  EXPECT_FALSE(says(get(find_ways(scale(), {}), Way::Lifted), "denormal"));
  const auto samples = corpus::cl2_samples();
  const auto sample = std::ranges::find(samples, "cl2-tonga-code.clo", &corpus::Cl2Sample::name);
  ASSERT_NE(sample, samples.end());
  const File file = opened(cl2::build(sample->spec).value());
  Diagnostics findings;
  const bool floats = lift::lift(file.program, {}, findings).source.find("float") != std::string::npos;
  EXPECT_EQ(says(get(find_ways(file, {}), Way::Lifted), "denormal"), floats);
}

TEST(Ways, TextHasNoMachineCodeToCarry) {
  const Ways ways = find_ways(opened(R"(;ARGSTART:__OpenCL_k_kernel
;version:3:1:111
;device:pitcairn
;uniqueid:1024
;pointer:out:float:1:1:0:uav:12:4:RW:0:0
;ARGEND:__OpenCL_k_kernel
)"),
                              {.target = hsa::parse_target("gfx601")});
  for (const Way way : {Way::AsItIs, Way::InPlace, Way::Compiled}) EXPECT_FALSE(get(ways, way).tried);
  EXPECT_EQ(get(ways, Way::Lifted).kernels, 0u);
  EXPECT_TRUE(get(ways, Way::Described).whole());
}

TEST(Ways, ACompilerIsReallyAsked) {
  const auto compiler = compile::Compiler::find("comgr");
  if (!compiler) GTEST_SKIP() << "comgr is not installed (Debian package libamd-comgr2)";
  const File file = scale();
  const Ways ways = find_ways(file, {.target = hsa::parse_target("gfx900"), .compiler = &*compiler});
  EXPECT_TRUE(get(ways, Way::Compiled).whole());
  // What it does not know is not tried, and it says so.
  const auto& known = compiler->targets();
  if (std::ranges::find(known, "gfx1201") != known.end()) return;
  const Ways unknown = find_ways(file, {.target = hsa::parse_target("gfx1201"), .compiler = &*compiler});
  EXPECT_FALSE(get(unknown, Way::Compiled).tried);
  EXPECT_TRUE(says(get(unknown, Way::Compiled), "gfx1201"));
}

TEST(Ways, KernelsThatAreRefusedForTheSameReasonAreOneLoss) {
  const auto samples = corpus::cl2_samples();
  const auto sample = std::ranges::find(samples, "cl2-tonga-code.clo", &corpus::Cl2Sample::name);
  ASSERT_NE(sample, samples.end());
  const Ways ways = find_ways(opened(cl2::build(sample->spec).value()), {.target = hsa::parse_target("gfx601")});
  const WayResult& in_place = get(ways, Way::InPlace);
  ASSERT_EQ(in_place.of, 2u);
  ASSERT_EQ(in_place.losses.size(), 1u);
  EXPECT_EQ(in_place.losses.front().kernels, 2u);
  EXPECT_EQ(in_place.losses.front().kernel, "axpy");
}

}  // namespace
}  // namespace amdcompat::ways_test
