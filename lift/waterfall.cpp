// Loops over the values that lanes have, opened.
//
// What an instruction takes from a scalar register must be the same for all lanes. Where it is not, compilers make a
// loop: the first enabled lane's value, all lanes that have the same one do the work, and the rest go round. Every lane
// does the work in one turn, with its own value: so the loop is one turn in which each lane has its own.
//
// Shown for that, by the form of masks:
// - lanes of a turn are those that are left and have the first lane's values; the others are left for the next;
// - the loop ends when none is left;
// - nothing is stored, and no register written, for lanes that are not of the turn, and nothing else goes from one turn
//   to the next or out of the loop.
// Where no lane is enabled the machine goes round for ever, or does nothing; here it is nothing.
#include <algorithm>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

class Waterfall {
 public:
  // `order`: of values that were live once, arguments first.
  Waterfall(Graph& graph, const std::vector<bool>& live, const std::vector<Id>& order, u32 header)
      : g_(graph), live_(live), order_(order), header_(header) {}

  // Makes the loop of that header one turn, if it is such a loop. The graph is to be cut then.
  bool run() {
    if (!find_exit() || !find_turn() || !has_one_way() || !find_inside() || !works_for_turns() ||
        !carries_registers() || !leaves_registers())
      return false;
    for (const Id first : firsts_) g_.nodes[first].forward = g_.resolve(g_.nodes[first].args[1]);
    for (const u32 b : blocks_) {
      BlockEnd& end = g_.blocks[b].end;
      if (end.kind != BlockEnd::Kind::Branch) continue;
      end.condition = g_.boolean(b == exit_ ? !inside(end.yes) : true);
      end.lanes = false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kMostTerms = 32;

  bool inside(u32 block) const { return g_.in_loop(block, header_); }
  bool is_live(Id id) const { return id < live_.size() && live_[id] && g_.nodes[id].forward == kNone; }
  bool is_turn(Id id) const { return g_.resolve(id) == turn_; }
  bool is_left(Id id) const { return std::ranges::find(left_, g_.resolve(id)) != left_.end(); }
  bool is_of_turn(Id mask) const {
    Ids assumed;
    return g_.implies(mask, turn_, assumed);
  }

  bool find_exit() {
    const auto& before = g_.blocks[header_].predecessors;
    if (before.size() != 2 || inside(before[0]) == inside(before[1])) return false;
    back_ = inside(before[0]) ? 0 : 1;
    for (u32 b = header_; b < g_.blocks.size(); ++b) {
      if (!inside(b)) continue;
      if (g_.loop[b] != header_ || g_.blocks[b].end.kind == BlockEnd::Kind::Return) return false;
      blocks_.push_back(b);
      for (const u32 to : g_.blocks[b].successors) {
        if (inside(to)) continue;
        if (exit_ != kNone) return false;
        exit_ = b;
      }
    }
    return exit_ != kNone && g_.blocks[exit_].end.kind == BlockEnd::Kind::Branch;
  }

  // Parts of a mask, past what leads around the turn's work: a turn has lanes.
  std::vector<Id> terms(Id mask) const {
    std::vector<Id> out, open{taken(mask)};
    Seen seen;
    while (!open.empty() && out.size() < kMostTerms) {
      const Id one = open.back();
      open.pop_back();
      if (!seen.insert(one)) continue;
      if (g_.nodes[one].op == Op::BoolAnd)
        for (const Id arg : g_.nodes[one].args) open.push_back(taken(arg));
      else
        out.push_back(one);
    }
    return out;
  }
  bool is_way_around(u32 from, u32 to) const {
    const BlockEnd& end = g_.blocks[from].end;
    return end.kind == BlockEnd::Kind::Branch && end.lanes && end.no == to && end.yes != to && is_turn(end.condition);
  }
  Id taken(Id id) const {
    constexpr u32 kMostTaken = 8;
    id = g_.resolve(id);
    for (u32 steps = 0; turn_ != kNone && steps < kMostTaken; ++steps) {
      const Node& n = g_.nodes[id];
      if (!Graph::phi(n.op) || n.block == header_ || !inside(n.block)) break;
      Id only = kNone;
      for (std::size_t k = 0; k < n.args.size(); ++k) {
        if (is_way_around(g_.blocks[n.block].predecessors[k], n.block)) continue;
        if (only != kNone && only != g_.resolve(n.args[k])) return id;
        only = g_.resolve(n.args[k]);
      }
      if (only == kNone) break;
      id = only;
    }
    return id;
  }

  // Whether a term of a mask is that a lane's values are those of the first lane.
  bool is_match(Id id, Id left) {
    const Node& n = g_.at(id);
    if (n.op != Op::EqU && n.op != Op::EqU64) return false;
    return matches(n.args[0], n.args[1], left) || matches(n.args[1], n.args[0], left);
  }
  bool matches(Id first, Id own, Id left) {
    const auto word = [&](Id id, const auto& is_own) {
      const Node& f = g_.at(id);
      if (f.op != Op::FirstLane || g_.resolve(f.args[0]) != left || !is_own(g_.resolve(f.args[1]))) return false;
      firsts_.push_back(g_.resolve(id));
      return true;
    };
    const Id of = g_.resolve(own);
    const Node& f = g_.at(first);
    if (f.op != Op::Join) return word(first, [&](Id id) { return id == of; });
    const Node& o = g_.nodes[of];
    for (u32 n = 0; n < 2; ++n)
      if (!word(f.args[n], [&](Id id) {
            if (o.op == Op::Join) return id == g_.resolve(o.args[n]);
            return g_.is(id, n == 0 ? Op::Low : Op::High) && g_.resolve(g_.nodes[id].args[0]) == of;
          }))
        return false;
    return true;
  }
  // The lanes of a turn: a mask of nothing but who is left and whose values match, which the next turn is without.
  bool find_turn() {
    if (g_.budget < live_.size()) return false;
    g_.budget -= live_.size();
    for (Id id = 0; id < live_.size(); ++id) {
      if (!is_live(id) || g_.nodes[id].op != Op::BoolAnd || !inside(g_.nodes[id].block)) continue;
      const std::vector<Id> all = terms(id);
      const auto left = std::ranges::find_if(
          all, [&](Id term) { return g_.nodes[term].op == Op::PhiBool && g_.nodes[term].block == header_; });
      if (left == all.end() || all.size() < 2 || all.size() == kMostTerms) continue;
      firsts_.clear();
      if (!std::ranges::all_of(all, [&](Id term) { return term == *left || is_match(term, *left); })) continue;
      begin_ = *left;
      turn_ = id;
      matches_ = all;
      std::erase(matches_, begin_);
      if (find_left()) return true;
      turn_ = kNone;
    }
    return false;
  }
  // Masks of who is left at the start of a turn: they begin alike, and lose the lanes of a turn.
  bool find_left() {
    left_.clear();
    const Id all = g_.resolve(g_.nodes[begin_].args[1 - back_]);
    for (const Id id : g_.blocks[header_].phis)
      if (is_live(id) && g_.nodes[id].op == Op::PhiBool && g_.resolve(g_.nodes[id].args[1 - back_]) == all)
        left_.push_back(id);
    for (bool changed = true; changed;) {
      const std::size_t before = left_.size();
      std::erase_if(left_, [&](Id id) { return !is_rest(g_.nodes[id].args[back_]); });
      changed = left_.size() != before;
    }
    return is_left(begin_);
  }
  bool is_rest(Id id) const {
    const std::vector<Id> all = terms(id);
    if (all.size() == 1 && g_.nodes[all[0]].op == Op::BoolXor) {
      const Ids& args = g_.nodes[all[0]].args;
      return (is_left(args[0]) && is_turn(args[1])) || (is_left(args[1]) && is_turn(args[0]));
    }
    const auto others = [&](Id term) { return is_other(term); };
    const auto left = [&](Id term) { return is_left(term); };
    return all.size() < kMostTerms && std::ranges::any_of(all, left) && std::ranges::any_of(all, others) &&
           std::ranges::all_of(all, [&](Id term) { return left(term) || others(term); });
  }
  // Whether a mask says of lanes that are left that the turn is another one's.
  bool is_other(Id mask) const {
    const auto is_match = [&](Id id) { return std::ranges::find(matches_, id) != matches_.end(); };
    if (g_.nodes[mask].op == Op::BoolNot) {
      const std::vector<Id> turn = terms(g_.nodes[mask].args[0]);
      return static_cast<std::size_t>(std::ranges::count_if(turn, is_match)) == matches_.size() &&
             std::ranges::all_of(turn, [&](Id one) { return is_left(one) || is_match(one); });
    }
    // One of the comparisons does not hold.
    std::vector<Id> some, open{mask};
    Seen seen;
    while (!open.empty() && some.size() < kMostTerms) {
      const Id one = g_.resolve(open.back());
      open.pop_back();
      if (!seen.insert(one)) continue;
      if (g_.nodes[one].op == Op::BoolOr)
        for (const Id arg : g_.nodes[one].args) open.push_back(arg);
      else
        some.push_back(one);
    }
    return some.size() == matches_.size() && std::ranges::all_of(matches_, [&](Id match) {
             return std::ranges::any_of(some, [&](Id one) { return g_.opposite(one, match); });
           });
  }
  // Branches go around the work where a turn has no lane, and out of the loop where no lane is left.
  bool has_one_way() const {
    for (const u32 b : blocks_) {
      const BlockEnd& end = g_.blocks[b].end;
      if (end.kind != BlockEnd::Kind::Branch) continue;
      if (b == exit_ ? !(end.lanes && inside(end.yes) && is_rest(end.condition))
                     : !(end.lanes && is_turn(end.condition)))
        return false;
    }
    return true;
  }

  // What is made of anything in the loop.
  bool find_inside() {
    if (g_.budget < 2 * order_.size()) return false;
    g_.budget -= 2 * order_.size();
    inside_.assign(g_.nodes.size(), false);
    // What comes before all that stands in the loop is not made of it.
    const auto stands = [&](Id id) {
      const Node& n = g_.nodes[id];
      return (Graph::phi(n.op) || g_.effect(n.op)) && inside(n.block);
    };
    for (auto at = std::ranges::find_if(order_, stands); at != order_.end(); ++at) {
      const Id id = *at;
      const Node& n = g_.nodes[id];
      inside_[id] = Graph::phi(n.op) || g_.effect(n.op)
                        ? inside(n.block)
                        : std::ranges::any_of(n.args, [&](Id arg) { return is_inside(arg); });
    }
    return true;
  }
  bool is_inside(Id id) const { return inside_[g_.resolve(id)]; }
  bool works_for_turns() const {
    for (const u32 b : blocks_)
      for (const Id id : g_.blocks[b].effects) {
        const Node& n = g_.nodes[id];
        if (n.forward != kNone || (n.op == Op::Load && !is_live(id))) continue;
        if (n.op == Op::Barrier || n.op == Op::Leave || !is_of_turn(n.args[0])) return false;
      }
    // What asks lanes must ask for a value, of them all as they were before the loop.
    Seen seen;
    std::vector<Id> open;
    const auto need = [&](Id id) {
      if (is_inside(id) && seen.insert(g_.resolve(id))) open.push_back(g_.resolve(id));
    };
    for (const u32 b : blocks_) {
      for (const auto* list : {&g_.blocks[b].phis, &g_.blocks[b].effects})
        for (const Id id : *list)
          if (is_live(id)) need(id);
      if (g_.blocks[b].end.kind == BlockEnd::Kind::Branch) need(g_.blocks[b].end.condition);
    }
    while (!open.empty()) {
      const Id id = open.back();
      const Node& n = g_.nodes[id];
      open.pop_back();
      if (!(Graph::phi(n.op) || g_.effect(n.op)) || inside(n.block))
        for (const Id arg : n.args) need(arg);
      switch (n.op) {
        case Op::FirstLane:
          if (std::ranges::find(firsts_, id) == firsts_.end()) return false;
          break;
        case Op::ReadLane:
          if (is_inside(n.args[0])) return false;
          break;
        case Op::AnyLane:
        case Op::MaskWord:
        case Op::MaskOfWords:
        case Op::LanesBelow:
        case Op::WriteLane: return false;
        default: break;
      }
    }
    // A register that the loop writes still holds what it began with where a lane is left.
    return std::ranges::all_of(firsts_, [&](Id first) {
      const Id own = g_.resolve(g_.nodes[first].args[1]);
      return !inside_[own] || (Graph::phi(g_.nodes[own].op) && g_.nodes[own].block == header_);
    });
  }
  // From turn to turn go who is left and vector registers, which lanes of the turn write.
  bool carries_registers() {
    for (const u32 b : blocks_)
      for (const Id id : g_.blocks[b].phis) {
        const Node& n = g_.nodes[id];
        if (!is_live(id) || is_left(id) || taken(id) != id) continue;
        if (b != header_ || n.scalar || n.op == Op::PhiBool) return false;
        const Id last = taken(n.args[back_]);
        Id at = last;
        constexpr u32 kMostWrites = 64;
        for (u32 steps = 0; at != id && steps < kMostWrites; ++steps) {
          const Node& write = g_.nodes[at];
          if (!Graph::select(write.op) || write.imm != kRegisterWrite || !is_of_turn(write.args[0])) return false;
          at = taken(write.args[2]);
        }
        if (at != id) return false;
        carried_.push_back(last);
      }
    return true;
  }
  // Behind the loop are used what those registers hold at its end, and nothing else of it.
  bool leaves_registers() const {
    Seen seen;
    std::vector<Id> open;
    const auto use = [&](Id id) {
      id = g_.resolve(id);
      if (inside_[id] && std::ranges::find(carried_, id) == carried_.end() && seen.insert(id)) open.push_back(id);
    };
    for (u32 b = 0; b < g_.blocks.size(); ++b) {
      if (inside(b)) continue;
      for (const auto* list : {&g_.blocks[b].phis, &g_.blocks[b].effects})
        for (const Id id : *list)
          if (is_live(id))
            for (const Id arg : g_.nodes[id].args) use(arg);
    }
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      if (!inside(b) && g_.blocks[b].end.kind == BlockEnd::Kind::Branch) use(g_.blocks[b].end.condition);
    while (!open.empty()) {
      const Node& n = g_.nodes[open.back()];
      open.pop_back();
      if (Graph::phi(n.op) || g_.effect(n.op)) return false;
      for (const Id arg : n.args) use(arg);
    }
    return true;
  }

  Graph& g_;
  const std::vector<bool>& live_;
  const std::vector<Id>& order_;
  u32 header_;
  std::vector<u32> blocks_;
  u32 exit_ = kNone;  // the block from which the loop is left
  std::size_t back_ = 0;  // of the header's predecessors, the one in the loop
  Id begin_ = kNone, turn_ = kNone;  // masks: who is left, and who has the turn
  std::vector<Id> matches_;  // comparisons that make the turn of who is left
  std::vector<Id> left_;  // masks of who is left
  std::vector<Id> firsts_;  // values of the first lane
  std::vector<Id> carried_;  // what vector registers hold at the end of a turn
  std::vector<bool> inside_;
};

}  // namespace

void open_waterfalls(Graph& graph) {
  std::vector<bool> asked(graph.blocks.size());  // headers of loops in which a first lane is asked for
  bool some = false;
  for (const Node& n : graph.nodes) {
    if (n.op != Op::FirstLane || n.forward != kNone) continue;
    for (u32 h = graph.loop[n.block]; h != kNone && !asked[h]; h = graph.outer[h]) asked[h] = some = true;
  }
  if (!some) return;
  bool changed = false;
  // What nobody needs any more since a loop is one turn may only keep others from being one: then it is looked at anew.
  std::vector<bool> live = graph.live();
  bool stale = false;
  const std::vector<Id> order = graph.in_order(live);
  for (u32 b = 0; b < graph.blocks.size(); ++b) {
    if (!asked[b]) continue;
    bool opened = Waterfall(graph, live, order, b).run();
    if (!opened && std::exchange(stale, false)) {
      live = graph.live();
      opened = Waterfall(graph, live, order, b).run();
    }
    changed = changed || opened;
    stale = stale || opened;
  }
  if (!changed) return;
  graph.cut();
}

}  // namespace amdcompat::lift
