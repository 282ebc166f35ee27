// Reachable code and its basic blocks.
#include <algorithm>

#include "rows.hpp"

namespace amdcompat::gcn {
namespace {

// What a walk from the entry has found of each dword.
struct Seen {
  bool leader = false;  // begins a block
  bool unknown = false;
  Flow flow = Flow::Next;
};

class Walk {
 public:
  Walk(std::span<const std::byte> code, Generation generation, Visitor visit = {}, Quick quick = {})
      : code_(code), generation_(generation), visit_(std::move(visit)), quick_(std::move(quick)),
        seen_(code.size() / 4), dwords_(code.size() / 4) {}

  // Visits every reachable instruction once. Whether the targets of all branches are known.
  bool explore(u32 entry) {
    if (!holds(entry)) return true;
    open_.push_back(entry);
    while (!open_.empty()) {
      const u32 at = open_.back();
      open_.pop_back();
      seen_[at / 4].leader = true;
      run(at);
    }
    return out_.computed.empty();
  }
  ControlFlow take(u32 entry) {
    if (!holds(entry)) return std::move(out_);
    explore(entry);
    build();
    link();
    out_.entry = *out_.block_at(entry);
    for (auto* list : {&out_.computed, &out_.unknown, &out_.leaving}) {
      std::ranges::sort(*list);
      list->erase(std::ranges::unique(*list).begin(), list->end());
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool holds(std::int64_t at) const {
    return at >= 0 && at % 4 == 0 && at / 4 < static_cast<std::int64_t>(seen_.size());
  }
  [[nodiscard]] Instruction at(u32 offset) const { return decode(code_, offset, generation_); }

  // From `offset` to where the path ends or meets one that is known.
  void run(u32 offset) {
    while (dwords_[offset / 4] == 0) {
      if (quick_) {
        offset = quick_(offset, dwords_);
        if (!holds(offset)) return;
        if (dwords_[offset / 4] != 0) break;
      }
      Seen& seen = seen_[offset / 4];
      const Instruction i = at(offset);
      dwords_[offset / 4] = i.dwords;
      seen.flow = flow(i.opcode);
      seen.unknown = i.row == nullptr;
      if (visit_) visit_(i);
      if (seen.unknown) return out_.unknown.push_back(offset);
      if (seen.flow == Flow::Computed || seen.flow == Flow::Call || seen.flow == Flow::Fork)
        if (!branch_target(i)) out_.computed.push_back(offset);
      if (const auto target = branch_target(i)) go(offset, *target);
      if (!falls_through(seen.flow)) return;
      const u32 next = offset + i.dwords * 4u;
      if (!holds(next)) return out_.leaving.push_back(offset);
      if (ends_block(seen.flow)) seen_[next / 4].leader = true;
      offset = next;
    }
    // Two paths go on here: overlapping instructions that are in step again.
    seen_[offset / 4].leader = true;
  }
  void go(u32 from, std::int64_t target) {
    if (!holds(target)) return out_.leaving.push_back(from);
    const u32 to = static_cast<u32>(target);
    seen_[to / 4].leader = true;
    if (dwords_[to / 4] == 0) open_.push_back(to);
  }
  static bool falls_through(Flow flow) { return flow != Flow::End && flow != Flow::Branch && flow != Flow::Computed; }
  static bool ends_block(Flow flow) { return flow != Flow::Next && flow != Flow::Trap; }

  void build() {
    for (u32 dword = 0; dword < seen_.size(); ++dword) {
      if (!seen_[dword].leader || dwords_[dword] == 0) continue;
      Block block;
      block.first = dword * 4;
      u32 next = dword;
      do {
        const Seen& seen = seen_[next];
        block.instructions.push_back(next * 4);
        block.flow = seen.flow;
        next += dwords_[next];
        if (seen.unknown || ends_block(seen.flow)) break;
      } while (next < seen_.size() && !seen_[next].leader && dwords_[next] != 0);
      block.end = next * 4;
      out_.blocks.push_back(std::move(block));
    }
  }
  void link() {
    for (u32 n = 0; n < out_.blocks.size(); ++n) {
      Block& block = out_.blocks[n];
      const u32 last = block.instructions.back();
      if (seen_[last / 4].unknown) continue;
      std::vector<std::int64_t> targets;
      if (const auto target = branch_target(at(last))) targets.push_back(*target);
      if (falls_through(block.flow)) targets.push_back(block.end);
      for (const std::int64_t target : targets)
        if (holds(target)) block.successors.push_back(*first_at(static_cast<u32>(target)));
      std::ranges::sort(block.successors);
      block.successors.erase(std::ranges::unique(block.successors).begin(), block.successors.end());
    }
    for (u32 n = 0; n < out_.blocks.size(); ++n)
      for (const u32 to : out_.blocks[n].successors) out_.blocks[to].predecessors.push_back(n);
  }
  [[nodiscard]] std::optional<u32> first_at(u32 offset) const {
    const auto found = std::ranges::lower_bound(out_.blocks, offset, {}, &Block::first);
    if (found == out_.blocks.end() || found->first != offset) return std::nullopt;
    return static_cast<u32>(found - out_.blocks.begin());
  }

  std::span<const std::byte> code_;
  Generation generation_;
  Visitor visit_;
  Quick quick_;
  std::vector<Seen> seen_;
  std::vector<u8> dwords_;  // of the instruction that begins at a dword; 0: none is known to be reachable there
  std::vector<u32> open_;
  ControlFlow out_;
};

}  // namespace

Flow flow(Opcode opcode) {
  switch (opcode) {
    case Opcode::s_endpgm:
    case Opcode::s_endpgm_saved:
    case Opcode::s_endpgm_ordered_ps_done: return Flow::End;
    case Opcode::s_branch: return Flow::Branch;
    case Opcode::s_cbranch_scc0:
    case Opcode::s_cbranch_scc1:
    case Opcode::s_cbranch_vccz:
    case Opcode::s_cbranch_vccnz:
    case Opcode::s_cbranch_execz:
    case Opcode::s_cbranch_execnz:
    case Opcode::s_cbranch_cdbgsys:
    case Opcode::s_cbranch_cdbguser:
    case Opcode::s_cbranch_cdbgsys_or_user:
    case Opcode::s_cbranch_cdbgsys_and_user:
    case Opcode::s_subvector_loop_begin:
    case Opcode::s_subvector_loop_end: return Flow::Conditional;
    case Opcode::s_setpc_b64:
    case Opcode::s_rfe_b64:
    case Opcode::s_rfe_restore_b64: return Flow::Computed;
    case Opcode::s_swappc_b64:
    case Opcode::s_call_b64: return Flow::Call;
    case Opcode::s_cbranch_g_fork:
    case Opcode::s_cbranch_i_fork:
    case Opcode::s_cbranch_join: return Flow::Fork;
    case Opcode::s_trap: return Flow::Trap;
    default: return Flow::Next;
  }
}

std::optional<std::int64_t> branch_target(const Instruction& instruction) {
  const Flow where = flow(instruction.opcode);
  // A field holds a distance in SOPP and SOPK; addresses are in registers elsewhere.
  const bool field = instruction.format == Format::Sopp || instruction.format == Format::Sopk;
  if (!field || where == Flow::Next || where == Flow::End || where == Flow::Trap) return std::nullopt;
  return std::int64_t{instruction.offset} + instruction.dwords * 4 + std::int64_t{instruction.immediate} * 4;
}

std::optional<std::uint32_t> ControlFlow::block_at(std::uint32_t offset) const {
  // Blocks overlap only where instructions do, so the first one backwards is the right one but for such code.
  auto block = std::ranges::upper_bound(blocks, offset, {}, &Block::first);
  while (block != blocks.begin()) {
    --block;
    if (std::ranges::binary_search(block->instructions, offset)) return static_cast<u32>(block - blocks.begin());
  }
  return std::nullopt;
}

bool for_each_reachable(std::span<const std::byte> code, u32 entry, Generation generation, Visitor visit, Quick quick) {
  return Walk(code, generation, std::move(visit), std::move(quick)).explore(entry);
}

ControlFlow control_flow(std::span<const std::byte> code, std::uint32_t entry, Generation generation) {
  return Walk(code, generation).take(entry);
}

ControlFlow control_flow(std::span<const std::byte> code, std::uint32_t entry, Generation generation,
                         std::function<void(const Instruction&)> visit) {
  return Walk(code, generation, std::move(visit)).take(entry);
}

}  // namespace amdcompat::gcn
