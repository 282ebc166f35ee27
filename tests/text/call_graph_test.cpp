// Memory and flags combined over the call graph. [SPEC «Local/Private Memory»; RT gpuprogram.cpp]
#include <amdcompat/text.hpp>

#include "text/text_samples.hpp"

namespace amdcompat::text::call_graph_test {
namespace {

using namespace test;

std::string memory(std::string_view spaces) {
  return ";memory:private:1\n;memory:hwprivate:10\n;memory:uavprivate:100\n;memory:local:2\n;memory:hwlocal:20\n"
         ";memory:region:3\n;memory:hwregion:30\n" +
         std::string(spaces);
}

TEST(CallGraph, AddsTheLargestPrivateAmountAndTheSumOfTheOthers) {
  const Parsed text =
      parsed(function("1", ";function:2:2:3\n" + memory("")) +
             function("2", ";memory:private:7\n;memory:hwlocal:8\n;memory:region:1\n") +
             function("3", ";memory:private:5\n;memory:uavprivate:9\n;memory:hwlocal:16\n;memory:local:4\n"));
  const Segments s = call_table(text.document).totals[0].segments;
  EXPECT_EQ(s.emulated_private, 1u + 7u);
  EXPECT_EQ(s.hardware_private, 10u);
  EXPECT_EQ(s.uav_private, 100u + 9u);
  EXPECT_EQ(s.emulated_local, 2u + 4u);
  EXPECT_EQ(s.hardware_local, 20u + 8u + 16u);
  EXPECT_EQ(s.emulated_region, 3u + 1u);
  EXPECT_EQ(s.hardware_region, 30u);
}

// 1 calls 2 and 3, both call 4: 4's local memory is needed on both paths.
TEST(CallGraph, ADiamondCountsItsFootOnEachPath) {
  const Parsed text = parsed(function("1", ";function:2:2:3\n;memory:hwlocal:1\n;memory:uavprivate:1\n") +
                             function("2", ";function:1:4\n;memory:hwlocal:10\n;memory:uavprivate:10\n") +
                             function("3", ";function:1:4\n;memory:hwlocal:100\n;memory:uavprivate:100\n") +
                             function("4", ";memory:hwlocal:1000\n;memory:uavprivate:1000\n"));
  const CallTable table = call_table(text.document);
  EXPECT_EQ(table.totals[0].segments.hardware_local, 1u + 10u + 1000u + 100u + 1000u);
  EXPECT_EQ(table.totals[0].segments.uav_private, 1u + 100u + 1000u);
  EXPECT_EQ(table.totals[3].segments.hardware_local, 1000u);
  EXPECT_FALSE(table.totals[0].cyclic);
}

TEST(CallGraph, ACycleIsFoundFromEveryFunctionThatReachesIt) {
  const Parsed text =
      parsed(function("1", ";function:1:2\n") + function("2", ";function:1:3\n") + function("3", ";function:1:2\n") +
             function("4", ";function:1:5\n") + function("5", "") + function("6", ";function:2:5:1\n"));
  const CallTable table = call_table(text.document);
  const std::vector<bool> expected{true, true, true, false, false, true};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(table.totals[i].cyclic, expected[i]) << i;
  EXPECT_TRUE(checked(text.document.source()).diagnostics.contains(Code::CallCycle));
}

TEST(CallGraph, AFunctionThatListsItselfCountsOnce) {
  const Parsed text = checked(function("1", ";function:1:1\n;memory:hwlocal:8\n;memory:uavprivate:4\n"));
  const CallTotals totals = call_table(text.document).totals[0];
  EXPECT_FALSE(totals.cyclic);
  EXPECT_EQ(totals.segments.hardware_local, 8u);
  EXPECT_EQ(totals.segments.uav_private, 4u);
  EXPECT_EQ(text.codes(), std::vector{Code::SelfCall});
}

TEST(CallGraph, ACalleeWithoutABlockAddsNothing) {
  const Parsed text =
      checked(function("1", ";function:2:2:99\n;memory:hwlocal:8\n") + function("2", ";memory:hwlocal:4\n"));
  EXPECT_EQ(call_table(text.document).totals[0].segments.hardware_local, 12u);
  EXPECT_TRUE(text.diagnostics.all().empty());  // bare metadata names library functions freely
}

TEST(CallGraph, ACalleeListedTwiceCountsOnce) {
  const Parsed text = parsed(function("1", ";function:2:2:2\n;function:1:2\n") + function("2", ";memory:hwlocal:4\n"));
  EXPECT_EQ(call_table(text.document).totals[0].segments.hardware_local, 4u);
}

TEST(CallGraph, OfTwoFunctionsWithOneIdTheFirstIsCalled) {
  const Parsed text = parsed(function("1", ";function:1:2\n") + function("2", ";memory:hwlocal:4\n") +
                             function("2", ";memory:hwlocal:64\n"));
  EXPECT_EQ(call_table(text.document).totals[0].segments.hardware_local, 4u);
}

TEST(CallGraph, OfAmountsThatStandTwiceTheLastCounts) {
  const Parsed text = parsed(function("1", ";memory:hwlocal:4\n;memory:hwlocal:6\n"));
  EXPECT_EQ(call_table(text.document).totals[0].segments.hardware_local, 6u);
}

TEST(CallGraph, IdsBelongToTheirCompilationUnit) {
  const Parsed text = parsed("il_cs\n" + function("1", ";function:1:2\n") + function("2", ";memory:hwlocal:4\n") +
                             "il_cs\n" + function("1", ";function:1:2\n") + function("2", ";memory:hwlocal:64\n"));
  const CallTable table = call_table(text.document);
  EXPECT_EQ(table.totals[0].segments.hardware_local, 4u);
  EXPECT_EQ(table.totals[2].segments.hardware_local, 64u);
}

TEST(CallGraph, FlagsAndFailuresOfCalleesReachTheCaller) {
  const Parsed text =
      parsed(function("1", ";function:1:2\n") + function("2", ";function:1:3\n;memory:compilerwrite\n") +
             function("3", ";memory:datareqd\n;printf_fmt:0:0:1:a;\n;error:E000\n;value:x\n"));
  const CallTotals totals = call_table(text.document).totals[0];
  EXPECT_TRUE(totals.compiler_write);
  EXPECT_TRUE(totals.data_required);
  EXPECT_TRUE(totals.prints);
  EXPECT_TRUE(totals.failed);
  EXPECT_TRUE(totals.incomplete);
  const CallTotals own = call_table(parsed(function("1", "")).document).totals[0];
  EXPECT_FALSE(own.compiler_write || own.data_required || own.prints || own.failed || own.incomplete);
}

TEST(CallGraph, SumsOver32BitsAreMarkedAndStayBounded) {
  std::string text = function("40", ";memory:hwlocal:4294967295\n");
  for (int i = 39; i > 0; --i)
    text += function(std::to_string(i), ";function:1:" + std::to_string(i + 1) + "\n;memory:hwlocal:4294967295\n");
  const Parsed chain = parsed(text);
  const CallTable table = call_table(chain.document);
  EXPECT_FALSE(table.totals[0].too_large);
  EXPECT_TRUE(table.totals[39].too_large);
  EXPECT_EQ(table.totals[39].segments.hardware_local, 0xffffffffu);
}

// Each level calls the next twice over: 2^40 paths, but one visit to each function.
TEST(CallGraph, ManyPathsCostNoTime) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    const int id = 3 * i;
    text += function(std::to_string(id), ";function:2:" + std::to_string(id + 1) + ":" + std::to_string(id + 2) + "\n");
    for (const int side : {1, 2})
      text += function(std::to_string(id + side), ";function:1:" + std::to_string(id + 3) + "\n;memory:hwlocal:1\n");
  }
  const Parsed ladder = parsed(text);
  EXPECT_TRUE(call_table(ladder.document).totals[0].too_large);
}

TEST(CallGraph, ADeepChainNeedsNoDeepStack) {
  std::string text;
  constexpr int kDepth = 16'000;
  for (int i = 0; i < kDepth; ++i)
    text += function(std::to_string(i), ";function:1:" + std::to_string(i + 1) + "\n;memory:hwlocal:1\n");
  const Parsed chain = parsed(text);
  EXPECT_EQ(call_table(chain.document).totals[0].segments.hardware_local, static_cast<std::uint64_t>(kDepth));
}

TEST(CallGraph, AKernelCallsFunctionsOfOtherDocuments) {
  const Parsed one = parsed(kernel(";function:2:7:8\n;memory:hwlocal:1\n"));
  const Parsed two = parsed(function("7", ";memory:hwlocal:10\n;function:1:8\n"));
  const Parsed three = parsed(function("8", ";memory:hwlocal:100\n;memory:datareqd\n"));
  const Document* const documents[] = {&two.document, &three.document};
  const CallTotals totals = call_totals(one.document, one.document.blocks[0], call_table(documents));
  EXPECT_EQ(totals.segments.hardware_local, 1u + 10u + 100u + 100u);
  EXPECT_TRUE(totals.data_required);
}

}  // namespace
}  // namespace amdcompat::text::call_graph_test
