// Memory that a source declares volatile, so that compilers read it each time anew.
//
// Metadata say it of arguments. Of other memory the machine code does: loads of one number that go past the first cache
// (glc), and loops of nothing but loads, each turn of which does the same until another work-item has written. Loads of
// several dwords at once are not asked, nor what is constant: ethminer's code, written by hand, reads its table so.
// [LLVM: SIGfx6CacheControl::enableVolatileAndOrNonTemporal, which those of GFX7 to GFX9 inherit]
#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

// What is declared at once: an argument's memory, variables of the program, or the kernel's own local memory.
struct Object {
  i32 argument, data;
  friend bool operator==(const Object&, const Object&) = default;
};

std::optional<Object> object_of(const Access& a) {
  if (a.room == Room::Image || a.room == Room::Scratch || a.room == Room::Arguments) return std::nullopt;
  const bool is_known = a.argument >= 0 || a.data >= 0 || a.room == Room::Local;
  return is_known ? std::optional(Object{a.argument, a.data}) : std::nullopt;
}

// By header, whether every turn of a loop does the same as long as memory stays as it is. Masks of lanes may change.
std::vector<bool> find_waiting(const Graph& g, const std::vector<bool>& live) {
  std::vector<bool> out(g.blocks.size(), true);
  for (u32 b = 0; b < g.blocks.size(); ++b) {
    const auto is_there = [&](Id id) { return g.nodes[id].forward == kNone && live[id]; };
    const bool carries = g.loop[b] == b && std::ranges::any_of(g.blocks[b].phis, [&](Id id) {
                           return is_there(id) && g.nodes[id].op != Op::PhiBool;
                         });
    const bool does = std::ranges::any_of(
        g.blocks[b].effects, [&](Id id) { return g.nodes[id].forward == kNone && g.nodes[id].op != Op::Load; });
    for (u32 h = g.loop[b]; (carries || does) && h != kNone; h = g.outer[h]) out[h] = false;
  }
  return out;
}

}  // namespace

void find_volatile(Graph& graph, const Source& source) {
  const std::vector<bool> live = graph.live();
  std::vector<Object> objects;
  const auto add = [&](const Access& a) {
    if (a.argument >= 0 && source.kernel.arguments[static_cast<std::size_t>(a.argument)].is_const) return;
    if (const auto object = object_of(a); object && std::ranges::find(objects, *object) == objects.end())
      objects.push_back(*object);
  };
  const std::vector<bool> waiting = find_waiting(graph, live);
  for (u32 b = 0; b < graph.blocks.size(); ++b) {
    bool waits = false;
    for (u32 h = graph.loop[b]; h != kNone; h = graph.outer[h]) waits = waits || waiting[h];
    for (const Id id : graph.blocks[b].effects)
      if (const Node& n = graph.nodes[id]; waits && n.forward == kNone && live[id]) add(graph.accesses[n.access]);
  }
  // The numbers of a pipe are read by the same work-item that then changes them atomically.
  for (std::size_t n = 0; n < source.kernel.arguments.size(); ++n)
    if (const Argument& argument = source.kernel.arguments[n];
        argument.is_volatile && !std::holds_alternative<Pipe>(argument.kind))
      objects.push_back({static_cast<i32>(n), -1});
  for (Access& a : graph.accesses) a.is_volatile = a.is_volatile && a.components == 1;
  for (const BasicBlock& block : graph.blocks)
    for (const Id id : block.effects)
      if (const Node& n = graph.nodes[id];
          n.op == Op::Load && n.forward == kNone && live[id] && graph.accesses[n.access].is_volatile)
        add(graph.accesses[n.access]);
  for (Access& a : graph.accesses)
    if (const auto object = object_of(a)) a.is_volatile = std::ranges::find(objects, *object) != objects.end();
}

}  // namespace amdcompat::lift
