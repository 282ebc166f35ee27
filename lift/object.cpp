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

// A buffer descriptor that only says where memory begins: no stride, no swizzle, no end that an address reaches. The
// compilers for GFX6 and GFX7 make them of a pointer and two constants. [SIA; CIA: «Buffer Resource Descriptor»]
bool is_plain_descriptor(const Graph& g, std::span<const Id> words) {
  constexpr u32 kPlainFormat = 0xf000;
  const auto records = g.value(words[2]);
  return records && (*records == 0 || *records == ~0u) && g.value(words[3]) == kPlainFormat;
}

}  // namespace

void settle_addresses(Graph& g) {
  const auto room = [&](const Access& what) {
    const auto at = std::ranges::find(g.accesses, what);
    if (at != g.accesses.end()) return static_cast<u32>(at - g.accesses.begin());
    g.accesses.push_back(what);
    return static_cast<u32>(g.accesses.size() - 1);
  };
  const auto longer = [&](Id id) { return g.make(Op::Join, {id, g.constant(0)}); };
  for (const BasicBlock& block : g.blocks)
    for (const Id id : block.effects) {
      const Node n = g.nodes[id];
      if (n.forward != kNone || n.op == Op::Barrier) continue;
      Access what = g.accesses[n.access];
      Id address = kNone;
      std::size_t used = 0;  // arguments that are the address
      if (what.room == Room::Scalar && n.args.size() == 4) {
        const Op low = g.at(n.args[2]).op;
        if (low == Op::Table || low == Op::Resource) continue;
        address = g.make(Op::Add64, {g.make(Op::Join, {n.args[2], n.args[3]}), longer(n.args[1])});
        used = 4;
      } else if ((what.room == Room::Flat || what.room == Room::Uav) && n.args.size() >= 7 &&
                 is_plain_descriptor(g, std::span(n.args).subspan(3, 4)) && g.value(n.args[2]) == 0u) {
        const Id offset = what.room == Room::Flat ? n.args[1] : longer(n.args[1]);
        address = g.make(Op::Add64, {g.make(Op::Join, {n.args[3], n.args[4]}), offset});
        used = 7;
      } else {
        continue;
      }
      what.room = Room::Generic;
      std::vector<Id> args{n.args[0], address};
      args.insert(args.end(), n.args.begin() + static_cast<std::ptrdiff_t>(used), n.args.end());
      g.nodes[id].access = room(what);
      g.nodes[id].args = std::move(args);
    }
}

}  // namespace amdcompat::lift
