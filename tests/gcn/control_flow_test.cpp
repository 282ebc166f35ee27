// Reachable code and basic blocks, against a reference that knows nothing of blocks: a graph of single instructions.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include <amdcompat/gcn.hpp>

namespace amdcompat::gcn::control_flow_test {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kNop = 0xbf800000, kEnd = 0xbf810000, kBranch = 0xbf820000, kIfScc = 0xbf850000;
constexpr std::uint32_t kSetPc6 = 0xbe802000, kSwapPc6 = 0xbe822100, kNone = 0xffffffff;

std::uint32_t jump(std::uint32_t opcode, int distance) {
  return opcode | static_cast<std::uint16_t>(static_cast<std::int16_t>(distance));
}
ControlFlow flow_of(const Words& words, std::uint32_t entry = 0) {
  return control_flow(std::as_bytes(std::span(words)), entry, Generation::Gfx6);
}

struct Reference {
  std::map<std::uint32_t, std::set<std::uint32_t>> next;  // by reachable instruction
  std::map<std::uint32_t, std::set<std::uint32_t>> before;
  std::set<std::uint32_t> unknown, leaving, computed;

  Reference(const Words& words, std::uint32_t entry) {
    const auto code = std::as_bytes(std::span(words));
    std::vector<std::uint32_t> open{entry};
    while (!open.empty()) {
      const std::uint32_t at = open.back();
      open.pop_back();
      if (next.contains(at)) continue;
      auto& out = next[at];
      const Instruction i = decode(code, at, Generation::Gfx6);
      if (i.row == nullptr) {
        unknown.insert(at);
        continue;
      }
      const auto go = [&](std::int64_t to) {
        if (to < 0 || to + 4 > static_cast<std::int64_t>(code.size())) {
          leaving.insert(at);
          return;
        }
        out.insert(static_cast<std::uint32_t>(to));
        open.push_back(static_cast<std::uint32_t>(to));
      };
      const std::int64_t after = at + i.dwords * 4;
      const std::string_view name = i.row->name;
      if (name == "s_setpc_b64" || name == "s_swappc_b64") computed.insert(at);
      if (name.starts_with("s_branch") || name.starts_with("s_cbranch")) go(after + i.immediate * 4);
      if (name != "s_branch" && name != "s_endpgm" && name != "s_setpc_b64") go(after);
    }
    for (const auto& [from, tos] : next)
      for (const std::uint32_t to : tos) before[to].insert(from);
  }
};

template <class T>
std::set<std::uint32_t> set_of(const T& list) {
  return {list.begin(), list.end()};
}

void expect_blocks_of(const Words& words, std::uint32_t entry) {
  const Reference want(words, entry);
  const ControlFlow found = flow_of(words, entry);
  std::set<std::uint32_t> held;
  for (const Block& block : found.blocks) {
    ASSERT_FALSE(block.instructions.empty());
    EXPECT_EQ(block.first, block.instructions.front());
    for (std::size_t n = 0; n < block.instructions.size(); ++n) {
      const std::uint32_t at = block.instructions[n];
      EXPECT_TRUE(want.next.contains(at)) << "not reachable: " << at;
      EXPECT_TRUE(held.insert(at).second) << "in two blocks: " << at;
      if (n == 0) continue;
      EXPECT_EQ(want.next.at(block.instructions[n - 1]), std::set{at});
      EXPECT_EQ(want.before.at(at), std::set{block.instructions[n - 1]}) << "something else goes into the block";
      EXPECT_NE(at, entry);
    }
    std::set<std::uint32_t> successors, predecessors;
    for (const std::uint32_t n : block.successors) successors.insert(found.blocks.at(n).first);
    for (const std::uint32_t n : block.predecessors) predecessors.insert(found.blocks.at(n).instructions.back());
    EXPECT_EQ(successors, want.next.at(block.instructions.back()));
    EXPECT_EQ(successors.size(), block.successors.size());
    const auto before = want.before.find(block.first);
    EXPECT_EQ(predecessors, before == want.before.end() ? std::set<std::uint32_t>{} : before->second);
  }
  EXPECT_EQ(held.size(), want.next.size());
  EXPECT_TRUE(std::ranges::is_sorted(found.blocks, {}, &Block::first));
  EXPECT_EQ(found.blocks.at(found.entry).first, entry);
  for (const auto& [at, to] : want.next) {
    const auto block = found.block_at(at);
    ASSERT_TRUE(block) << at;
    EXPECT_EQ(std::ranges::count(found.blocks[*block].instructions, at), 1);
  }
  EXPECT_EQ(set_of(found.unknown), want.unknown);
  EXPECT_EQ(set_of(found.leaving), want.leaving);
  EXPECT_EQ(set_of(found.computed), want.computed);
}

TEST(ControlFlow, OfRandomCodeIsTheGraphOfItsInstructions) {
  std::mt19937 random(5);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::size_t blocks = 0;
  for (int n = 0; n < 3000; ++n) {
    Words words(1 + below(40));
    const auto distance = [&] { return static_cast<int>(below(static_cast<std::uint32_t>(words.size()) + 6)) - 8; };
    for (std::uint32_t& word : words) switch (below(12)) {
        case 0: word = kEnd; break;
        case 1: word = jump(kBranch, distance()); break;
        case 2:
        case 3: word = jump(kIfScc + (below(5) << 16), distance()); break;
        case 4: word = 0x800000ff; break;  // with a literal, into which branches go too
        case 5: word = below(4) == 0 ? kSetPc6 : kSwapPc6; break;
        case 6: word = below(4) == 0 ? kNone : 0xd2960000; break;  // two dwords
        default: word = kNop; break;
      }
    const std::uint32_t entry = below(static_cast<std::uint32_t>(words.size())) * 4;
    expect_blocks_of(words, entry);
    blocks += flow_of(words, entry).blocks.size();
    if (HasFailure()) {
      ADD_FAILURE() << "code number " << n;
      return;
    }
  }
  EXPECT_GT(blocks, 5000u);
}

TEST(ControlFlow, OfALoopHasTheEdgeBack) {
  //  0: nop; 4: loop: nop; 8: if scc 1 goto loop; 12: end
  const ControlFlow found = flow_of({kNop, kNop, jump(kIfScc, -2), kEnd});
  ASSERT_EQ(found.blocks.size(), 3u);
  EXPECT_EQ(found.blocks[1].successors, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(found.blocks[1].predecessors, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(found.blocks[1].flow, Flow::Conditional);
  EXPECT_EQ(found.blocks[2].flow, Flow::End);
}

TEST(ControlFlow, DoesNotLookBehindAnEnd) {
  const ControlFlow found = flow_of({kEnd, kNone, kNone});
  ASSERT_EQ(found.blocks.size(), 1u);
  EXPECT_TRUE(found.unknown.empty());
}

TEST(ControlFlow, NamesComputedJumpsAndGoesOnAfterCalls) {
  const ControlFlow found = flow_of({kSwapPc6, kNop, kSetPc6, kNone});
  EXPECT_EQ(found.computed, (std::vector<std::uint32_t>{0, 8}));
  ASSERT_EQ(found.blocks.size(), 2u);
  EXPECT_EQ(found.blocks[0].flow, Flow::Call);
  EXPECT_EQ(found.blocks[1].flow, Flow::Computed);
  EXPECT_TRUE(found.blocks[1].successors.empty());
}

TEST(ControlFlow, OfACallByDistanceGoesThereAndOn) {
  // s_call_b64 s[0:1], 1; s_endpgm; s_setpc_b64 s[0:1]
  const Words words{0xba800001, kEnd, 0xbe801d00};
  const ControlFlow found = control_flow(std::as_bytes(std::span(words)), 0, Generation::Gfx9);
  ASSERT_EQ(found.blocks.size(), 3u);
  EXPECT_EQ(found.blocks[0].flow, Flow::Call);
  EXPECT_EQ(found.blocks[0].successors, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(found.computed, std::vector<std::uint32_t>{8});
}

// By name, so that a new row of a branch is noticed.
TEST(ControlFlow, KnowsEveryOpcodeThatDoesNotGoOnToTheNext) {
  for (std::size_t n = 1; n < kOpcodes; ++n) {
    const auto opcode = static_cast<Opcode>(n);
    const std::string_view name = info(opcode).name;
    const auto any = [&](auto... parts) { return (name.starts_with(parts) || ...); };
    const bool goes = any("s_endpgm", "s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call", "s_rfe", "s_trap",
                          "s_subvector_loop");
    EXPECT_EQ(flow(opcode) != Flow::Next, goes) << name;
  }
}

TEST(ControlFlow, OfCodeWithoutItsEntryIsEmpty) {
  EXPECT_TRUE(flow_of({}).blocks.empty());
  EXPECT_TRUE(flow_of({kNop}, 4).blocks.empty());
  EXPECT_TRUE(flow_of({kNop}, 2).blocks.empty());
}

TEST(ControlFlow, NamesWhatLeavesTheCode) {
  EXPECT_EQ(flow_of({kNop}).leaving, std::vector<std::uint32_t>{0});
  EXPECT_EQ(flow_of({jump(kIfScc, 100), kEnd}).leaving, std::vector<std::uint32_t>{0});
  EXPECT_EQ(flow_of({jump(kBranch, -2), kEnd}).leaving, std::vector<std::uint32_t>{0});
}

}  // namespace
}  // namespace amdcompat::gcn::control_flow_test
