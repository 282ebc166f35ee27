// Scratch memory of which every place is known holds what registers would: it becomes variables of a lane. So code that
// is not optimised keeps all its variables, and optimised code the registers that it is short of.
#include <algorithm>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

constexpr std::size_t kMostWords = 2048;
constexpr std::size_t kMostDefined = std::size_t{1} << 22;  // words in blocks

// Adds up what an address in scratch memory is made of. False: of something else than numbers and where the
// wavefront's part begins.
bool add_up(const Graph& g, Id id, u32& starts, u32& bytes, u32 depth = 0) {
  constexpr u32 kDeepest = 8;
  const Node& n = g.at(id);
  if (const auto number = g.value(id)) return bytes += *number, true;
  if (n.op == Op::ScratchStart) return ++starts, true;
  return n.op == Op::Add && depth < kDeepest && add_up(g, n.args[0], starts, bytes, depth + 1) &&
         add_up(g, n.args[1], starts, bytes, depth + 1);
}

// Whether a word may be of the descriptor of scratch memory.
bool may_be_scratch(const Graph& g, Id id, u32 depth = 0) {
  constexpr u32 kDeepest = 6;
  const Node& n = g.at(id);
  if (n.op == Op::Resource || n.op == Op::Table) return (n.imm >> 4 & 15) == kScratch;
  if (g.value(id)) return false;
  if (depth == kDeepest) return true;
  return std::ranges::any_of(n.args, [&](Id arg) { return may_be_scratch(g, arg, depth + 1); });
}

}  // namespace

std::map<u32, u32> private_places(Graph g, const Source& source) {
  if (g.refusal || g.scratch_bytes == 0) return {};
  settle(g, source);
  if (g.refusal) return {};
  std::map<u32, u32> out;
  std::size_t words = 0;
  for (const BasicBlock& block : g.blocks)
    for (const Id id : block.effects) {
      const Node& n = g.nodes[id];
      if (n.forward != kNone || n.op == Op::Barrier) continue;
      const Access& what = g.accesses[n.access];
      const bool buffer = what.room == Room::Uav || what.room == Room::Flat;
      if (!buffer || n.args.size() < BufferArgument::kRest) {
        if (what.room != Room::Scalar && what.room != Room::ConstantBuffer) continue;
        if (std::ranges::any_of(n.args, [&](Id arg) { return may_be_scratch(g, arg); })) return {};
        continue;
      }
      const auto of_access = std::span(n.args).subspan(BufferArgument::kWords, 4);
      const auto found = descriptor(g, of_access);
      if (!found || found->kind != kScratch) {
        if (std::ranges::any_of(of_access, [&](Id arg) { return may_be_scratch(g, arg); })) return {};
        continue;
      }
      u32 starts = 0, place = 0;
      if (what.room != Room::Uav || n.op == Op::Atomic || g.value(n.args[BufferArgument::kIndex]) != 0u ||
          !add_up(g, n.args[BufferArgument::kDistance], starts, place) || starts != 1)
        return {};
      const u32 end = place + u32{what.bytes} * what.components;
      if (place % what.bytes != 0 || end > g.scratch_bytes || end < place) return {};
      words = std::max<std::size_t>(words, (end + 3) / 4);
      const auto [known, added] = out.try_emplace(n.offset, place);
      if (!added && known->second != place) return {};
    }
  if (words > kMostWords || words * g.blocks.size() > kMostDefined) return {};
  return out;
}

}  // namespace amdcompat::lift
