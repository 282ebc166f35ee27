// Fences of the source: where machine code waits for its stores before it tells other work-groups of them, and where it
// empties the first cache before it reads what they have stored.
//
// What a load brings compilers wait for before they use it. Stores nobody uses: they wait for those in front of
// barriers and fences, and of what tells others that a packet of a pipe is written. In the corpus nothing else waits
// with no load under way. The cache is emptied behind loads and atomic operations that acquire.
// [LLVM AMDGPUUsage «Memory Model GFX6-GFX9»]
#include <algorithm>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <amdcompat/gcn_checks.hpp>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

class Fences {
 public:
  explicit Fences(const Source& source) : source_(source), blocks_(source.decoder.flow().blocks) {}

  // Offsets of what comes next after one: stores and atomic operations, or loads through the cache.
  std::set<u32> followers() {
    const std::vector<UnderWay> begins = under_way();
    const Wanted stores = [](const gcn::Instruction&, const gcn::Operands& memory) { return memory.stores; };
    const Wanted loads = [](const gcn::Instruction& i, const gcn::Operands& memory) {
      return memory.loads && !memory.stores && !i.glc;
    };
    std::vector<bool> seen_for_stores(blocks_.size()), seen_for_loads(blocks_.size());
    for (u32 b = 0; b < blocks_.size(); ++b) {
      UnderWay now = begins[b];
      const auto& all = blocks_[b].instructions;
      for (std::size_t n = 0; n < all.size(); ++n) {
        const gcn::Instruction& i = source_.decoder.at(all[n]);
        if (waits(i) && now.stores && !now.loads) follow(b, n + 1, stores, seen_for_stores);
        if (empties_cache(i)) follow(b, n + 1, loads, seen_for_loads);
        step(i, now);
      }
    }
    return std::move(found_);
  }

 private:
  using Wanted = bool (*)(const gcn::Instruction&, const gcn::Operands& memory);
  struct UnderWay {
    bool loads = false, stores = false;
    friend bool operator==(const UnderWay&, const UnderWay&) = default;
  };
  [[nodiscard]] bool waits(const gcn::Instruction& i) const {
    return gcn::waits_for_vector_memory(i, source_.generation);
  }
  static bool empties_cache(const gcn::Instruction& i) {
    using enum gcn::Opcode;
    return i.opcode == buffer_wbinvl1 || i.opcode == buffer_wbinvl1_sc || i.opcode == buffer_wbinvl1_vol;
  }
  // What may have been begun and not been waited for, at each block's begin.
  [[nodiscard]] std::vector<UnderWay> under_way() const {
    std::vector<UnderWay> out(blocks_.size());
    std::vector<u32> open;
    for (u32 b = 0; b < blocks_.size(); ++b) open.push_back(b);
    while (!open.empty()) {
      const gcn::Block& block = blocks_[open.back()];
      UnderWay now = out[open.back()];
      open.pop_back();
      for (const u32 offset : block.instructions) step(source_.decoder.at(offset), now);
      for (const u32 next : block.successors) {
        const UnderWay all{out[next].loads || now.loads, out[next].stores || now.stores};
        if (std::exchange(out[next], all) != all) open.push_back(next);
      }
    }
    return out;
  }
  void step(const gcn::Instruction& i, UnderWay& now) const {
    if (waits(i)) now = {};
    const gcn::Operands what = memory(i);
    if (what.space == gcn::Space::Gds) return;  // by another counter
    now.loads = now.loads || (what.loads && (!what.stores || i.glc));
    now.stores = now.stores || what.stores;
  }
  // What vector memory instructions and counters do to memory.
  [[nodiscard]] gcn::Operands memory(const gcn::Instruction& i) const {
    using enum gcn::Format;
    const bool may = i.format == Mubuf || i.format == Mtbuf || i.format == Mimg || i.format == Flat ||
                     i.format == Global || i.format == Scratch || (i.format == Ds && i.gds);
    gcn::Operands out = may ? gcn::operands(i, source_.generation) : gcn::Operands();
    if (out.space == gcn::Space::Scratch) out.stores = false;  // of the lane alone
    return out;
  }
  // Finds the first that is wanted on each way, and none behind a barrier, which is a fence itself. `seen`: blocks that
  // a way from another fence has come to.
  void follow(u32 block, std::size_t from, const Wanted& wanted, std::vector<bool>& seen) {
    const auto ends_within = [&](u32 b, std::size_t first) {
      const std::span all = std::span(blocks_[b].instructions).subspan(first);
      const auto end = std::ranges::find_if(all, [&](u32 offset) {
        const gcn::Instruction& i = source_.decoder.at(offset);
        return i.opcode == gcn::Opcode::s_barrier || wanted(i, memory(i));
      });
      if (end == all.end()) return false;
      if (source_.decoder.at(*end).opcode != gcn::Opcode::s_barrier) found_.insert(*end);
      return true;
    };
    std::vector<std::pair<u32, std::size_t>> open{{block, from}};
    while (!open.empty()) {
      const auto [b, first] = open.back();
      open.pop_back();
      if (ends_within(b, first)) continue;
      for (const u32 next : blocks_[b].successors)
        if (!seen[next]) {
          seen[next] = true;
          open.emplace_back(next, 0);
        }
    }
  }

  const Source& source_;
  const std::vector<gcn::Block>& blocks_;
  std::set<u32> found_;
};

}  // namespace

void find_fences(Graph& graph, const Source& source) {
  const std::set<u32> followers = Fences(source).followers();
  for (const BasicBlock& block : graph.blocks)
    for (const Id id : block.effects) {
      Node& n = graph.nodes[id];
      if (n.op == Op::Barrier || n.op == Op::Leave || !followers.contains(n.offset)) continue;
      Access behind = graph.accesses[n.access];
      behind.fenced = true;
      n.access = graph.access(behind);
    }
}

}  // namespace amdcompat::lift
