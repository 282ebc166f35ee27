// Ends that several blocks of machine code have in common are one again.
//
// Optimising compilers copy what stands where ways meet to the end of each of them (LLVM's tail duplication): a loop's
// test, and what brings lanes together again that a branch has parted. The copies do the same and lead to the same
// blocks, so that one of them is enough, and lanes meet where they met in the source.
#include <algorithm>
#include <array>
#include <bitset>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

using gcn::Instruction;
using gcn::Opcode;

bool is_branch(const Instruction& i) { return gcn::branch_target(i).has_value(); }
// Whether one branch is taken where the other is not.
bool is_opposite(Opcode a, Opcode b) {
  constexpr std::array<std::pair<Opcode, Opcode>, 3> kPairs = {{{Opcode::s_cbranch_scc0, Opcode::s_cbranch_scc1},
                                                                {Opcode::s_cbranch_vccz, Opcode::s_cbranch_vccnz},
                                                                {Opcode::s_cbranch_execz, Opcode::s_cbranch_execnz}}};
  return std::ranges::any_of(kPairs,
                             [&](const auto& pair) { return pair == std::pair(a, b) || pair == std::pair(b, a); });
}

class Ends {
 public:
  Ends(Graph& graph, const Source& source, BlockCode& code) : graph_(graph), source_(source), code_(code) {
    std::vector<u32> firsts;
    for (const BasicBlock& block : std::span(graph.blocks).subspan(1)) firsts.push_back(block.first);
    std::ranges::sort(firsts);
    for (std::size_t n = 1; n < firsts.size(); ++n)
      if (firsts[n] == firsts[n - 1]) copied_.insert(firsts[n]);
    // Where blocks lead stays what it is: what shares an end is none that only jumps.
    for (u32 b = 0; b < graph.blocks.size(); ++b) behind_.push_back(b == 0 ? b : end_of_jumps(b));
  }

  bool share_test() {
    auto& blocks = graph_.blocks;
    for (u32 from = 1; from < blocks.size(); ++from) {
      if (blocks[from].end.kind != BlockEnd::Kind::Branch) continue;
      if (std::ranges::none_of(blocks[from].successors, [&](u32 to) {
            return graph_.is_second_entry(from, to) ||
                   (only_jumps(to) && graph_.is_second_entry(to, blocks[to].end.yes));
          }))
        continue;
      const u32 yes = behind_jumps(blocks[from].end.yes), no = behind_jumps(blocks[from].end.no);
      for (u32 other = 1; other < blocks.size(); ++other) {
        const BlockEnd& same = blocks[other].end;
        if (other == from || same.kind != BlockEnd::Kind::Branch) continue;
        const u32 same_yes = behind_jumps(same.yes), same_no = behind_jumps(same.no);
        const bool turned = yes == same_no && no == same_yes;
        if (!turned && (yes != same_yes || no != same_no)) continue;
        const std::size_t count = same_test(list(from), list(other), turned);
        constexpr std::size_t kFewest = 2;  // what decides, and the branch
        if (count < kFewest || blocks.size() >= kMostBlocks || !is_alone(from) || !is_alone(other)) continue;
        static_cast<void>(share(from, count, other, count));
        return true;
      }
    }
    return false;
  }

  bool share_all() {
    auto& blocks = graph_.blocks;
    std::map<std::array<u32, 3>, std::vector<u32>> branches;  // by their loop, and by where they go on
    std::map<std::array<u32, 2>, std::vector<u32>> jumps;
    for (u32 b = 1; b < blocks.size(); ++b) {
      const BlockEnd& end = blocks[b].end;
      const bool again = std::ranges::any_of(blocks[b].successors, [&](u32 to) { return to <= b; });
      if (again || !is_alone(b) || end.kind == BlockEnd::Kind::Return || end.walked) continue;
      const u32 loop = graph_.loop[b], yes = behind_jumps(end.yes);
      if (end.kind == BlockEnd::Kind::Jump) {
        jumps[{loop, yes}].push_back(b);
      } else {
        const u32 no = behind_jumps(end.no);
        branches[{loop, std::min(yes, no), std::max(yes, no)}].push_back(b);
      }
    }
    bool changed = false;
    for (auto& [to, from] : branches)
      for (std::size_t n = 1; n < from.size(); ++n)
        for (std::size_t k = 0; k < n; ++k)
          if (const u32 shared = share_branch(from[k], from[n]); shared != kNone) {
            from[k] = shared;
            changed = true;
            break;
          }
    for (const auto& [to, from] : branches)
      for (u32 one : from) {
        const std::optional<std::pair<u32, u32>> arm = arm_of(one);
        const auto others = arm ? jumps.find({to[0], arm->first}) : jumps.end();
        if (others == jumps.end() || !idle(arm->first, arm->second)) continue;
        for (const u32 other : others->second)
          if (const u32 shared = share_jump(one, other); shared != kNone) {
            one = shared;
            changed = true;
          }
      }
    return changed;
  }

 private:
  std::vector<u32>& list(u32 block) { return code_[graph_.blocks[block].first]; }
  const Instruction& at(u32 offset) const { return source_.decoder.at(offset); }

  // Whether no block is a copy of this one. The one in front of all has no code.
  bool is_alone(u32 block) const { return !copied_.contains(graph_.blocks[block].first); }
  // The block to which one leads that only jumps.
  u32 behind_jumps(u32 block) const { return block < behind_.size() ? behind_[block] : block; }
  u32 end_of_jumps(u32 block) {
    for (std::size_t steps = 0; steps < kMostBlocks; ++steps) {
      if (!only_jumps(block)) break;
      block = graph_.blocks[block].end.yes;
    }
    return block;
  }
  bool only_jumps(u32 block) {
    if (graph_.blocks[block].end.kind != BlockEnd::Kind::Jump) return false;
    const std::vector<u32>& code = list(block);
    return code.size() == 1 && at(code[0]).opcode == Opcode::s_branch;
  }
  // How many instructions at the end of two blocks are the same. Branches go to where the blocks do.
  std::size_t same_end(std::span<const u32> a, std::span<const u32> b) const {
    std::size_t count = 0;
    while (count < a.size() && count < b.size()) {
      const u32 one = a[a.size() - 1 - count], other = b[b.size() - 1 - count];
      const Instruction &x = at(one), &y = at(other);
      const bool branch = count == 0 && x.opcode == y.opcode && is_branch(x);
      // What a literal is may be said by its place.
      const bool placed =
          x.opcode == Opcode::s_getpc_b64 || std::ranges::find(x.sources, gcn::kLiteral) != x.sources.end();
      if (!branch && (placed || x.dwords != y.dwords || x.words != y.words)) break;
      // Functions that are put in have stacks of their own.
      if (x.offset0 != y.offset0 || x.sources != y.sources || source_.decoder.slot(one) != source_.decoder.slot(other))
        break;
      ++count;
    }
    return count;
  }
  // Whether code ends with branches that decide the same, or, `turned`, the opposite.
  bool same_branch(std::span<const u32> a, std::span<const u32> b, bool turned) const {
    if (a.empty() || b.empty()) return false;
    const Opcode x = at(a.back()).opcode, y = at(b.back()).opcode;
    return turned ? is_opposite(x, y) : x == y;
  }
  // How many instructions at their ends are the same, with such branches; 0: those are not.
  std::size_t same_test(std::span<const u32> a, std::span<const u32> b, bool turned) const {
    return same_branch(a, b, turned) ? 1 + same_end(a.first(a.size() - 1), b.first(b.size() - 1)) : 0;
  }
  // Those before the branches, if they bring lanes together or part them; else 0.
  std::size_t same_before(std::span<const u32> a, std::span<const u32> b) const {
    const std::size_t count = same_end(a, b);
    const auto same = a.last(count);
    return std::ranges::any_of(same, [&](u32 offset) { return writes_exec(at(offset)); }) ? count : 0;
  }
  // Makes the last `count` instructions of a block one that `other` leads to in place of its last `other_count`.
  u32 share(u32 one, std::size_t count, u32 other, std::size_t other_count) {
    auto& blocks = graph_.blocks;
    const u32 shared = cut_end(graph_, one, count, code_);
    list(other).resize(list(other).size() - other_count);
    for (const u32 to : blocks[other].successors) std::erase(blocks[to].predecessors, other);
    blocks[other].successors = {shared};
    blocks[other].end = {.kind = BlockEnd::Kind::Jump, .yes = shared, .offset = blocks[other].end.offset};
    blocks[shared].predecessors.push_back(other);
    return shared;
  }

  // Two that lead to the same blocks: the block of what both end with, or `kNone`.
  u32 share_branch(u32 one, u32 other) {
    const auto& blocks = graph_.blocks;
    const std::span<const u32> a(list(one)), b(list(other));
    const bool turned = behind_jumps(blocks[one].end.yes) != behind_jumps(blocks[other].end.yes);
    if (blocks.size() >= kMostBlocks || !same_branch(a, b, turned)) return kNone;
    const std::size_t count = same_before(a.first(a.size() - 1), b.first(b.size() - 1));
    return count == 0 ? kNone : share(one, count + 1, other, count + 1);
  }
  // One that branches around an arm which a wavefront without lanes may as well go through, and one that does go there.
  u32 share_jump(u32 one, u32 other) {
    const std::span<const u32> a(list(one)), b(list(other));
    if (a.empty() || b.empty() || one == other || graph_.blocks.size() >= kMostBlocks) return kNone;
    const std::size_t jump = is_branch(at(b.back())) ? 1 : 0;
    const std::size_t count = same_before(a.first(a.size() - 1), b.first(b.size() - jump));
    return count == 0 ? kNone : share(one, count + 1, other, count + jump);
  }

  // The arm of a branch that is taken where some lane is enabled, and the block that it leads to, if that is the
  // branch's other way.
  std::optional<std::pair<u32, u32>> arm_of(u32 block) {
    const BlockEnd& end = graph_.blocks[block].end;
    const std::vector<u32>& code = list(block);
    if (code.empty()) return std::nullopt;
    const Opcode branch = at(code.back()).opcode;
    if (branch != Opcode::s_cbranch_execz && branch != Opcode::s_cbranch_execnz) return std::nullopt;
    const bool first = branch == Opcode::s_cbranch_execnz;
    const u32 arm = behind_jumps(first ? end.yes : end.no), join = behind_jumps(first ? end.no : end.yes);
    const BlockEnd& behind = graph_.blocks[arm].end;
    if (behind.kind != BlockEnd::Kind::Jump || behind.walked || behind_jumps(behind.yes) != join) return std::nullopt;
    return std::pair(arm, join);
  }
  // Whether an arm does nothing without lanes that matters where it leads to.
  bool idle(u32 arm, u32 join) {
    Scalars written;
    for (const u32 offset : list(arm))
      if (!is_branch(at(offset)) && !idle(at(offset), written)) return false;
    return unused(written, join);
  }

  // Scalar registers by the codes of operands, and SCC.
  static constexpr std::size_t kScc = 128;
  using Scalars = std::bitset<kScc + 1>;
  static bool take(const gcn::Operand& operand, Scalars& out) {
    if (operand.file == gcn::File::Scc) out.set(kScc);
    if (operand.file == gcn::File::Scalar)
      for (std::size_t n = operand.first; n < operand.first + std::size_t{operand.dwords} && n < kScc; ++n) out.set(n);
    return operand.file == gcn::File::Scc || operand.file == gcn::File::Scalar;
  }
  // Whether an instruction does nothing without lanes but write scalar registers, which are added.
  bool idle(const Instruction& i, Scalars& written) const {
    const gcn::Operands operands = gcn::operands(i, source_.generation);
    using enum gcn::Format;
    const bool scalar = i.format == Sop1 || i.format == Sop2 || i.format == Sopc || i.format == Sopk;
    const bool load = operands.space == gcn::Space::Scalar && operands.loads && !operands.stores;
    const bool waits = i.opcode == Opcode::s_waitcnt || i.opcode == Opcode::s_nop;
    const bool vector = i.format == Vop1 || i.format == Vop2 || i.format == Vop3 || i.format == Vopc;
    const bool memory = operands.space == gcn::Space::Buffer || operands.space == gcn::Space::Flat ||
                        operands.space == gcn::Space::Global || operands.space == gcn::Space::Lds;
    if (!waits && !memory && !load && operands.count == 0) return false;
    if (!scalar && !load && !waits && !vector && !memory) return false;
    for (const gcn::Operand& operand : operands) {
      if (!operand.written) continue;
      const bool of_lanes = operand.file == gcn::File::Vector;
      if (of_lanes && (i.opcode == Opcode::v_writelane_b32 || operand.some)) return false;
      if (!of_lanes && !take(operand, written)) return false;
    }
    return !writes_exec(i) && !written.test(gcn::kExec) && !written.test(gcn::kM0);
  }
  // Whether nothing reads these from a block on before something else is in them.
  bool unused(const Scalars& those, u32 from) {
    std::vector<Scalars> come(graph_.blocks.size());
    std::vector<u32> open{from};
    come[from] = those;
    std::vector<bool> seen(graph_.blocks.size());
    while (!open.empty()) {
      const u32 b = open.back();
      open.pop_back();
      seen[b] = true;
      Scalars left = come[b];
      for (const u32 offset : list(b)) {
        if (left.none()) break;
        const gcn::Operands operands = gcn::operands(at(offset), source_.generation);
        Scalars read, written;
        for (const gcn::Operand& operand : operands) {
          if (operand.read || operand.some) static_cast<void>(take(operand, read));
          if (operand.written && !operand.some) static_cast<void>(take(operand, written));
        }
        if ((read & left).any() || !graph_.spend()) return false;
        left &= ~written;
      }
      for (const u32 to : graph_.blocks[b].successors) {
        const Scalars now = come[to] | left;
        if (seen[to] && now == come[to]) continue;
        come[to] = now;
        if (now.any()) open.push_back(to);
      }
    }
    return true;
  }

  static constexpr std::size_t kMostBlocks = Graph::kMostBlocks;
  Graph& graph_;
  const Source& source_;
  BlockCode& code_;
  std::set<u32> copied_;  // first instructions of blocks that there are several of
  std::vector<u32> behind_;  // by block
};

}  // namespace

bool writes_exec(const Instruction& instruction) {
  return gcn::info(instruction.opcode).is(gcn::Property::WritesExec) || instruction.destination == gcn::kExec;
}

bool share_test(Graph& graph, const Source& source, BlockCode& code) { return Ends(graph, source, code).share_test(); }
bool share_ends(Graph& graph, const Source& source, BlockCode& code) { return Ends(graph, source, code).share_all(); }

}  // namespace amdcompat::lift
