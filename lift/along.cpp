// Lanes that go along through code that does nothing for them.
//
// A wavefront of which no lane is on leaves out what EXEC would make harmless, and a barrier in it. A work-item must
// reach the barrier, so the branch is not taken: lanes that are off walk through. Registers hold what lanes that are on
// have written, and for the others something else; a selection of both is no address any more. So what lanes that are
// on store, and where, is made of what those have.
#include <algorithm>
#include <map>
#include <set>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

// Whether a lane that has a bit in `mask` has one in `what`, by their form.
bool implies(const Graph& g, Id mask, Id what, std::set<Id>& assumed) {
  mask = g.resolve(mask);
  if (mask == what) return true;
  const Node& n = g.nodes[mask];
  if (!g.spend()) return false;
  switch (n.op) {
    case Op::False: return true;
    case Op::BoolAnd: return implies(g, n.args[0], what, assumed) || implies(g, n.args[1], what, assumed);
    case Op::BoolOr: return implies(g, n.args[0], what, assumed) && implies(g, n.args[1], what, assumed);
    case Op::PhiBool: {
      // By induction over the turns of a loop in which `what` stays the same.
      if (assumed.contains(mask)) return true;
      if (g.changes(what, n.block)) return false;
      assumed.insert(mask);
      const bool all = std::ranges::all_of(n.args, [&](Id arg) { return implies(g, arg, what, assumed); });
      if (!all) assumed.erase(mask);
      return all;
    }
    default: return false;
  }
}

// Lanes that go along where they are off have no addresses in their registers. What lanes that are on do is made of
// what those have: writes to registers by `mask` are not selections any more.
void specialize(Graph& g, Id mask) {
  const std::vector<Id> order = g.in_order(g.live());
  const auto written = [&](const Node& n) {
    std::set<Id> assumed;
    return Graph::select(n.op) && n.imm == kRegisterWrite && implies(g, mask, n.args[0], assumed);
  };
  // What is made of such selections, also by way of loops.
  std::vector<bool> touched(g.nodes.size());
  for (bool changed = true; changed;) {
    changed = false;
    if (g.budget < order.size()) return;
    g.budget -= order.size();
    for (const Id id : order) {
      const Node& n = g.nodes[id];
      if (touched[id] || g.effect(n.op) || n.op == Op::Loaded) continue;
      if (!written(n) && std::ranges::none_of(n.args, [&](Id arg) { return touched[g.resolve(arg)]; })) continue;
      touched[id] = changed = true;
    }
  }
  std::map<Id, Id> now;
  const auto of = [&](Id id) {
    const auto known = now.find(g.resolve(id));
    return known == now.end() ? g.resolve(id) : known->second;
  };
  std::vector<Id> phis;
  for (const Id id : order) {
    const Node n = g.nodes[id];
    if (!touched[id]) continue;
    if (Graph::phi(n.op)) {
      now[id] = g.add({.op = n.op, .type = n.type, .block = n.block, .offset = n.offset, .scalar = n.scalar});
      g.blocks[n.block].phis.push_back(now[id]);
      phis.push_back(id);
    } else if (written(n)) {
      now[id] = of(n.args[1]);
    } else {
      Ids args;
      for (const Id arg : n.args) args.push_back(of(arg));
      now[id] = g.make(n.op, std::move(args), n.imm, n.block);
    }
  }
  for (const Id id : phis) {
    Ids args;
    for (const Id arg : g.nodes[id].args) args.push_back(of(arg));
    g.nodes[now[id]].args = std::move(args);
  }
  for (const BasicBlock& block : g.blocks)
    for (const Id id : block.effects) {
      if (g.nodes[id].forward != kNone || g.nodes[id].op == Op::Barrier) continue;
      std::set<Id> assumed;
      if (!implies(g, g.nodes[id].args[0], mask, assumed)) continue;
      for (std::size_t k = 1; k < g.nodes[id].args.size(); ++k) g.nodes[id].args[k] = of(g.nodes[id].args[k]);
    }
}

}  // namespace

void go_along(Graph& graph) {
  for (const Id mask : graph.going_along) specialize(graph, graph.resolve(mask));
}

}  // namespace amdcompat::lift
