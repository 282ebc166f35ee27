// What kernels of code objects read of their launch. [S1 «Kernel Dispatch», «Code Object Metadata»]
#include <algorithm>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

// A word of a hidden argument, counted from its start; `kNone`: it has no place in OpenCL C. Launches are in whole
// work-groups, so that no group is a rest.
Id hidden_word(Graph& g, HiddenKind what, u32 n) {
  const auto number = [&](HiddenKind first) { return static_cast<u32>(what) - static_cast<u32>(first); };
  const auto launch = [&](u32 word) { return n == 0 ? g.make(Op::LaunchWord, {}, word) : g.constant(0); };
  switch (what) {
    case HiddenKind::GlobalOffsetX:
    case HiddenKind::GlobalOffsetY:
    case HiddenKind::GlobalOffsetZ: return launch(kOffset + number(HiddenKind::GlobalOffsetX));
    case HiddenKind::BlockCountX:
    case HiddenKind::BlockCountY:
    case HiddenKind::BlockCountZ: return launch(kGroups + number(HiddenKind::BlockCountX));
    case HiddenKind::GroupSizeX:
    case HiddenKind::GroupSizeY:
    case HiddenKind::GroupSizeZ: return launch(kLocalSize + number(HiddenKind::GroupSizeX));
    case HiddenKind::RemainderX:
    case HiddenKind::RemainderY:
    case HiddenKind::RemainderZ: return g.constant(0);
    case HiddenKind::GridDims: return launch(kWorkDim);
    case HiddenKind::SharedBase: return n == 0 ? g.make(Op::Aperture) : kNone;
    case HiddenKind::PrintfBuffer: return n < 2 ? g.make(Op::Table, {}, u64{kPrintf} << 4 | n) : kNone;
    default: return kNone;
  }
}

}  // namespace

std::optional<Id> kernarg_word(Graph& g, const Source& source, u32 at) {
  Id out = kNone;
  for (const Argument& argument : source.kernel.arguments) {
    const KernargSlot* const slot = argument.in_kernarg();
    if (slot == nullptr || slot->offset >= u64{at} + 4 || slot->offset + slot->size <= at) continue;
    const auto* const hidden = std::get_if<Hidden>(&argument.kind);
    if (hidden == nullptr) return std::nullopt;
    const bool inside = slot->offset <= at;
    Id part = hidden_word(g, hidden->what, inside ? static_cast<u32>(at - slot->offset) / 4 : 0);
    if (part == kNone) return kNone;
    if (!inside) part = g.make(Op::Shl, {part, g.constant(static_cast<u32>(slot->offset - at) * 8)});
    out = out == kNone ? part : g.make(Op::Or, {out, part});
  }
  return out;
}

namespace {

// A buffer descriptor that only says where memory begins: no stride, no swizzle, no end that an address reaches; where
// it is added to an address of 64 bits nothing is compared with its end. The compilers for GFX6 and GFX7 make them of
// a pointer and two constants. [SIA; CIA: «Buffer Resource Descriptor»]
bool is_plain_descriptor(const Graph& g, std::span<const Id> words, bool whole_address) {
  constexpr u32 kPlainFormat = 0xf000, kSharedMemory = 1u << 24;  // of Sea Islands: by the processor's page tables
  const auto records = g.value(words[2]), kind = g.value(words[3]);
  return records && (*records == ~0u || (*records == 0 && whole_address)) && kind &&
         (*kind & ~kSharedMemory) == kPlainFormat;
}

// The descriptor of scratch memory with the wavefront's place in it added to its base, as code from version 3 on has it
// from its start. [S1 «Private Segment»]
bool is_moved_scratch(const Graph& g, std::span<const Id> words) {
  const auto is_part = [&](Id id, u32 n) {
    const Node& word = g.at(id);
    return word.op == Op::Resource && word.imm == (u64{kScratch} << 4 | n);
  };
  const Node& low = g.at(words[0]);
  const Node& high = g.at(words[1]);
  if (low.op != Op::Add || high.op != Op::Add || !is_part(words[2], 2) || !is_part(words[3], 3)) return false;
  const std::size_t base = is_part(low.args[0], 0) ? 0 : 1, upper = is_part(high.args[0], 1) ? 0 : 1;
  const Node& carry = g.at(high.args[1 - upper]);
  if (!is_part(low.args[base], 0) || !g.is(low.args[1 - base], Op::ScratchStart) || !is_part(high.args[upper], 1) ||
      carry.op != Op::ToWord || !g.is(carry.args[0], Op::CarryOfAdd))
    return false;
  const Node& sum = g.at(g.at(carry.args[0]).args[0]);
  return is_part(g.at(carry.args[0]).args[0], 0) || sum.op == Op::ScratchStart;
}

}  // namespace

void settle_addresses(Graph& g) {
  for (const BasicBlock& block : g.blocks)
    for (const Id id : block.effects) {
      const Node n = g.nodes[id];
      if (n.forward != kNone || n.op == Op::Barrier) continue;
      Access what = g.accesses[n.access];
      const bool whole = what.room == Room::Flat;
      if (what.room == Room::Uav && n.args.size() >= BufferArgument::kRest &&
          is_moved_scratch(g, std::span(n.args).subspan(BufferArgument::kWords, 4))) {
        Ids args = n.args;
        args[BufferArgument::kDistance] = g.make(Op::Add, {args[BufferArgument::kDistance], g.make(Op::ScratchStart)});
        for (u32 word = 0; word < 4; ++word)
          args[BufferArgument::kWords + word] = g.make(Op::Resource, {}, u64{kScratch} << 4 | word);
        g.nodes[id].args = std::move(args);
        continue;
      }
      if ((!whole && what.room != Room::Uav) || n.args.size() < BufferArgument::kRest ||
          g.value(n.args[BufferArgument::kIndex]) != 0u ||
          !is_plain_descriptor(g, std::span(n.args).subspan(BufferArgument::kWords, 4), whole))
        continue;
      const Id offset = whole ? n.args[BufferArgument::kDistance]
                              : g.make(Op::Join, {n.args[BufferArgument::kDistance], g.constant(0)});
      const Id base = g.make(Op::Join, {n.args[BufferArgument::kWords], n.args[BufferArgument::kWords + 1]});
      Ids args{n.args[0], g.make(Op::Add64, {base, offset})};
      args.insert(args.end(), n.args.begin() + BufferArgument::kRest, n.args.end());
      what.room = Room::Generic;
      g.nodes[id].access = g.access(what);
      g.nodes[id].args = std::move(args);
    }
}

}  // namespace amdcompat::lift
