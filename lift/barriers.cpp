// Barriers that wavefronts of a group meet at different places, met at one.
//
// A barrier holds a wavefront until every other one of its group that has not ended waits at one too; which one does
// not matter to the hardware [SIA; CIA: S_BARRIER]. OpenCL demands the same one for all. AMD's library functions for
// work-groups do not care: the first wavefront waits behind its part, the others in front of theirs. So the code behind
// the branch at which they part is there once for each number of barriers that a wavefront has passed since; what
// follows one of them is gone on to from a barrier of all, by a number that says where the wavefront waits. One that
// has ended waits with the others, for nothing.
#include <algorithm>
#include <map>
#include <set>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

constexpr u32 kMostBarriers = 8;  // that a wavefront passes behind the branch
constexpr std::size_t kMostBlocks = 1024;

class Together {
 public:
  Together(Graph& graph, BlockCode& code, const std::function<bool(u32)>& is_barrier)
      : g_(graph), code_(code), is_barrier_(is_barrier) {}

  bool run(u32 start) {
    start_ = start;
    if (!isolate() || !find_end()) return false;
    for (u32 passed = 1; passed <= passed_; ++passed) meet_.push_back(new_block(barriers_.front()));
    for (u32 passed = 1; passed <= passed_; ++passed) go_on(passed);
    // Copies are made as they are asked for.
    redirect(start_, 0);
    for (std::size_t n = 0; n < open_.size() && g_.blocks.size() < kMostBlocks; ++n) {
      const auto [copy, passed] = open_[n];
      redirect(copy, passed);
    }
    return g_.blocks.size() < kMostBlocks;
  }

 private:
  bool barrier(u32 block) const { return is_barrier_(code_.at(g_.blocks[block].first).front()); }
  std::vector<u32> behind(u32 from, u32 without) const {
    std::vector<bool> seen(g_.blocks.size());
    std::vector<u32> out, open{g_.blocks[from].successors};
    while (!open.empty()) {
      const u32 b = open.back();
      open.pop_back();
      if (b == without || seen[b]) continue;
      seen[b] = true;
      out.push_back(b);
      open.insert(open.end(), g_.blocks[b].successors.begin(), g_.blocks[b].successors.end());
    }
    return out;
  }
  // Every barrier behind the branch becomes a block of its own.
  bool isolate() {
    std::vector<u32> open = behind(start_, kNone);
    for (std::size_t n = 0; n < open.size(); ++n) {
      const u32 b = open[n];
      if (b == start_) continue;
      const std::vector<u32>& list = code_.at(g_.blocks[b].first);
      const auto at = std::ranges::find_if(list, is_barrier_);
      if (at == list.end() || list.size() == 1) continue;
      // A copy of the block would have lost its end.
      if (std::ranges::count(std::span(g_.blocks).subspan(1), g_.blocks[b].first, &BasicBlock::first) != 1)
        return false;
      const bool first = at == list.begin();
      open.push_back(cut_end(g_, b, static_cast<std::size_t>(list.end() - at) - (first ? 1 : 0), code_));
    }
    return true;
  }
  // Counts barriers on the ways from the branch to `end`, or to the ends of the kernel.
  bool count(u32 end) {
    reached_.clear();
    end_ = end;
    std::vector<std::pair<u32, u32>> open;
    const auto come = [&](u32 block, u32 passed) {
      if (reached_.emplace(block, passed).second) open.emplace_back(block, passed);
    };
    for (const u32 to : g_.blocks[start_].successors) come(to, 0);
    while (!open.empty()) {
      const auto [b, passed] = open.back();
      open.pop_back();
      if (b == end) continue;
      if (b == start_ || passed > kMostBarriers) return false;  // round and round
      for (const u32 to : g_.blocks[b].successors) come(to, passed + (barrier(b) ? 1 : 0));
    }
    passed_ = 0;
    barriers_.clear();
    for (const auto& [b, passed] : reached_) {
      passed_ = std::max(passed_, passed);
      if (b != end && barrier(b) && std::ranges::find(barriers_, b) == barriers_.end()) barriers_.push_back(b);
    }
    const auto ends = std::ranges::count(reached_, end, &std::pair<u32, u32>::first);
    return !barriers_.empty() && (end == kNone || ends == 1);
  }
  // The first block behind the branch that every wavefront comes to, over as many barriers as the others; `kNone`:
  // only that it ends.
  bool find_end() {
    std::vector<u32> ends = behind(start_, kNone);
    std::ranges::sort(ends);
    for (const u32 end : ends) {
      const std::vector<u32> others = behind(start_, end);
      const bool all = std::ranges::none_of(
          others, [&](u32 b) { return g_.blocks[b].end.kind == BlockEnd::Kind::Return || b == start_; });
      if (all && !barrier(end) && count(end)) return true;
    }
    return count(kNone);
  }

  u32 new_block(u32 code_of) {
    const u32 first = g_.blocks[code_of].first;
    g_.blocks.emplace_back().first = first;
    g_.blocks.back().end.offset = g_.blocks[code_of].end.offset;
    return static_cast<u32>(g_.blocks.size() - 1);
  }
  u32 made(u32 code_of) {
    const u32 out = new_block(code_of);
    g_.blocks[out].made = true;
    return out;
  }
  void link(u32 from, u32 to) {
    g_.blocks[from].successors.push_back(to);
    g_.blocks[to].predecessors.push_back(from);
  }
  void jump(u32 from, u32 to) {
    BlockEnd& end = g_.blocks[from].end;
    end = {.kind = BlockEnd::Kind::Jump, .yes = to, .offset = end.offset};
    link(from, to);
  }
  // A block without code that goes to the barrier of all.
  u32 wait(u32 number, u32 passed, u32 code_of) {
    const u32 out = made(code_of);
    g_.blocks[out].waits = number;
    jump(out, meet_[passed]);
    return out;
  }
  // Where a wavefront goes that has passed some barriers and comes to a block.
  u32 come_to(u32 block, u32 passed) {
    if (block == end_) return block;
    u32& copy = copies_.try_emplace({block, passed}, kNone).first->second;
    if (copy != kNone) return copy;
    if (barrier(block)) return copy = wait(block + 1, passed, block);
    copy = new_block(block);
    open_.emplace_back(copy, passed);
    origin_[copy] = block;
    return copy;
  }
  // Gives a block the successors of what it is a copy of.
  void redirect(u32 block, u32 passed) {
    const u32 origin = block == start_ ? start_ : origin_.at(block);
    const BlockEnd old = g_.blocks[origin].end;
    for (const u32 to : g_.blocks[block].successors) std::erase(g_.blocks[to].predecessors, block);
    g_.blocks[block].successors.clear();
    g_.blocks[block].end = old;
    if (old.kind == BlockEnd::Kind::Return) {
      if (passed < passed_) jump(block, wait(0, passed, origin));
      return;
    }
    const u32 yes = come_to(old.yes, passed), no = old.kind == BlockEnd::Kind::Branch ? come_to(old.no, passed) : yes;
    BlockEnd& end = g_.blocks[block].end;
    end.yes = yes;
    end.no = no;
    link(block, yes);
    if (no == yes)
      end.kind = BlockEnd::Kind::Jump;
    else
      link(block, no);
  }
  // What follows the barrier of all of that number: the code behind each one that a wavefront may wait at.
  void go_on(u32 passed) {
    std::vector<u32> waits;
    bool ended = false;
    for (const auto& [b, before] : reached_) {
      if (b != end_ && before == passed - 1 && barrier(b)) waits.push_back(b);
      if (before < passed && b != end_ && g_.blocks[b].end.kind == BlockEnd::Kind::Return) ended = true;
    }
    u32 from = meet_[passed - 1];
    const auto next = [&](u32 number, u32 to, bool last) {
      if (last) return jump(from, to);
      const u32 asks = made(barriers_.front()), other = made(barriers_.front());
      jump(from, asks);
      g_.blocks[asks].asks = number;
      g_.blocks[asks].end = {
          .kind = BlockEnd::Kind::Branch, .yes = to, .no = other, .offset = g_.blocks[asks].end.offset};
      link(asks, to);
      link(asks, other);
      from = other;
    };
    for (const u32 b : waits) {
      const u32 on = made(b);
      g_.blocks[on].behind = b + 1;
      jump(on, come_to(g_.blocks[b].end.yes, passed));
      next(b + 1, on, !ended && b == waits.back());
    }
    if (!ended) return;
    if (passed < passed_) return next(0, meet_[passed], true);
    g_.blocks[from].end.kind = BlockEnd::Kind::Return;
  }

  Graph& g_;
  BlockCode& code_;
  const std::function<bool(u32)>& is_barrier_;
  u32 start_ = 0, end_ = kNone;
  std::set<std::pair<u32, u32>> reached_;  // blocks, and how many barriers a wavefront has passed there
  std::vector<u32> barriers_;
  u32 passed_ = 0;
  std::vector<u32> meet_;  // the barriers of all
  std::map<std::pair<u32, u32>, u32> copies_;
  std::map<u32, u32> origin_;  // of copies
  std::vector<std::pair<u32, u32>> open_;
};

}  // namespace

u32 cut_end(Graph& graph, u32 block, std::size_t count, BlockCode& code) {
  auto& blocks = graph.blocks;
  std::vector<u32>& list = code[blocks[block].first];
  if (list.size() == count) return block;
  const u32 end = static_cast<u32>(blocks.size()), first = list[list.size() - count];
  BasicBlock rest = blocks[block];
  rest.first = first;
  rest.predecessors = {block};
  for (const u32 to : rest.successors) std::ranges::replace(blocks[to].predecessors, block, end);
  blocks.push_back(std::move(rest));
  blocks[block].successors = {end};
  blocks[block].end = {.kind = BlockEnd::Kind::Jump, .yes = end, .offset = list[list.size() - count - 1]};
  std::vector<u32> last(list.end() - static_cast<std::ptrdiff_t>(count), list.end());
  list.resize(list.size() - count);
  code[first] = std::move(last);
  return end;
}

bool meet_at_one_barrier(Graph& graph, const std::set<u32>& branches, BlockCode& code,
                         const std::function<bool(u32)>& is_barrier) {
  u32 start = kNone;  // that all of them are behind
  for (u32 b = 1; b < graph.blocks.size(); ++b) {
    const BlockEnd& end = graph.blocks[b].end;
    if (end.kind != BlockEnd::Kind::Branch || !branches.contains(end.offset)) continue;
    u32 other = b;
    if (start == kNone) start = b;
    while (start != other) (start > other ? start : other) = graph.idom[std::max(start, other)];
  }
  return start == kNone || start == 0 || (Together(graph, code, is_barrier).run(start) && graph.order());
}

}  // namespace amdcompat::lift
