// Whether each lane can be computed by itself, as if there were no wavefront.
//
// A branch on EXEC or VCC asks about the whole wavefront: it is taken when any lane has the bit. As a work-item's own
// branch it is right when a lane without the bit loses nothing by not going along:
//
// - what is done on the way is done by lanes with the bit only (implies),
// - masks that live behind it have the same bit for the others either way,
// - no scalar register that lives behind it has another value for having gone along,
// - no barrier is on the way.
//
// In a loop a lane without the bit would go round with the others; nothing may happen to it in further turns either, so
// what is done there must follow from the mask with which the turn began.
#include <algorithm>
#include <ranges>
#include <set>

#include <fmt/format.h>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

// Whether no lane can have another value, by its form.
bool same_for_all(const Graph& g, Id id) {
  constexpr std::size_t kMost = 200;
  Seen seen;
  std::vector<Id> open{g.resolve(id)};
  while (!open.empty()) {
    const Id one = open.back();
    open.pop_back();
    if (!seen.insert(one)) continue;
    if (seen.size() > kMost || !g.spend()) return false;
    const Node& n = g.nodes[one];
    // What stands in a scalar register.
    if (n.op == Op::AnyLane || n.op == Op::FirstLane || (Graph::phi(n.op) && n.scalar)) continue;
    switch (n.op) {
      case Op::Phi:
      case Op::PhiBool:
      case Op::PhiWide: return false;
      case Op::Load:
        if (g.accesses[n.access].room != Room::Scalar) return false;
        break;
      default:
        if (of_a_lane(n.op)) return false;
    }
    for (const Id arg : n.args) open.push_back(g.resolve(arg));
  }
  return true;
}
class Lanes {
 public:
  Lanes(Graph& graph, const Source& source, bool around) : g_(graph), source_(source), around_(around) {}

  void run() {
    decide();
    g_.merge_tails();
    meet_arms();
    live_ = g_.live();
    writes_.resize(g_.blocks.size());
    for (Id id = 0; id < g_.nodes.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (is_write(n) && live_[id] && n.forward == kNone) writes_[n.block].push_back(id);
    }
    post_dominators();
    find_varying();
    if (g_.refusal) return;
    drop_stale();
    for (u32 b = 0; b < g_.blocks.size() && !g_.refusal; ++b) {
      const BlockEnd& end = g_.blocks[b].end;
      if (end.kind != BlockEnd::Kind::Branch || !varying(end.condition)) continue;
      check_branch(b);
    }
    if (g_.refusal) return;
    g_.simplify(false);
    live_ = g_.live();
    users_.clear();
    decides_.clear();
    check_others(g_);
    if (!g_.refusal) check_values();
  }
  // Registers are used again: where ways meet, a lane may get what one of them has left in a scalar register for
  // nothing. Such values are as good as unset, so that nobody asks what a mask or an address is good for as a number.
  void drop_stale() {
    live_ = g_.live();
    users_.clear();
    decides_.clear();
    in_region_.assign(g_.blocks.size() + 1, false);
    const std::vector<bool> no_number = no_numbers();
    const auto is_none = [&](Id arg) {
      arg = g_.resolve(arg);
      return arg < no_number.size() && no_number[arg];
    };
    bool changed = false;
    for (Id id = 0, count = static_cast<Id>(live_.size()); id < count; ++id) {
      const Node phi = g_.nodes[id];
      if (phi.op != Op::Phi || phi.forward != kNone || !live_[id]) continue;
      if (!phi.scalar && std::ranges::all_of(phi.args, is_none)) continue;  // addresses of its own
      for (std::size_t k = 0; k < phi.args.size(); ++k) {
        const u32 from = g_.blocks[phi.block].predecessors[k];
        if (from >= phi.block || !is_none(phi.args[k])) continue;
        Case one{.facts = facts_at(from), .join = phi.block, .edge = k};
        const BlockEnd& end = g_.blocks[from].end;
        if (end.kind == BlockEnd::Kind::Branch && end.yes != end.no)
          one.facts.emplace_back(g_.resolve(end.condition), end.yes == phi.block);
        add_parts(one.facts);
        const Branch none{from, g_.boolean(false), false};
        if (matters(id, none, one) && is_observed(id, &none, &one)) continue;
        g_.nodes[id].args[k] = g_.make(Op::Undefined, {}, kStale);
        changed = true;
      }
    }
    users_.clear();
    decides_.clear();
    if (changed) live_ = g_.live();
  }
  // `imm` of what is unset to lanes that come by an edge, though not to the wavefront.
  static constexpr u64 kStale = 1;

 private:
  // What a value is to all lanes that a mask is without: they came through the arm of a branch whose other edge only a
  // wavefront without them takes. `kNone`: that is not known.
  Id rest_of(Id value, Id mask) {
    Ids assumed;
    return rest_of(value, g_.resolve(mask), assumed);
  }
  Id rest_of(Id value, Id mask, Ids& assumed) {
    constexpr std::size_t kMost = 16;
    if (assumed.size() > kMost) return kNone;
    while (is_write(g_.at(value))) {
      const Node& write = g_.at(value);
      Ids implied;
      if (!g_.spend()) return kNone;
      if (!of_all(write) && !g_.implies(write.args[0], mask, implied)) return kNone;
      value = write.args[of_all(write) ? 1 : 2];
    }
    value = g_.resolve(value);
    const Node& n = g_.nodes[value];
    if (n.op != Op::Phi || !g_.spend()) return kNone;
    if (assumed.contains(value)) return kAssumed;
    const std::size_t arm = arm_of(n);
    if (arm != kNoArm && g_.opposite(g_.blocks[g_.idom[n.block]].end.condition, mask)) return g_.resolve(n.args[arm]);
    // Loops of the other lanes.
    if (g_.loop[n.block] == n.block && g_.changes(mask, n.block)) return kNone;
    assumed.push_back(value);
    Id out = kAssumed;
    for (const Id arg : n.args) {
      const Id one = rest_of(arg, mask, assumed);
      if (one == kAssumed) continue;
      if (one == kNone || (out != kAssumed && one != out)) return kNone;
      out = one;
    }
    return out;
  }
  static constexpr Id kAssumed = kNone - 1;  // what is being looked at already
  // Of a phi where a branch on any lane of a mask meets its one arm again: the argument that comes from that.
  std::size_t arm_of(const Node& phi) const {
    const auto& from = g_.blocks[phi.block].predecessors;
    if (from.size() != 2 || phi.args.size() != 2) return kNoArm;
    const u32 branch = g_.idom[phi.block];
    const BlockEnd& end = g_.blocks[branch].end;
    const auto skip = std::ranges::find(from, branch);
    const bool is_one = end.kind == BlockEnd::Kind::Branch && end.lanes && end.no == phi.block && end.yes != phi.block;
    return !is_one || skip == from.end() ? kNoArm : skip == from.begin() ? 1 : 0;
  }
  static constexpr std::size_t kNoArm = 2;
  // Each arm of a branch may set a scalar register to the same, and a vector register to that for its lanes, which then
  // has it in all lanes.
  void meet_arms() {
    bool changed = false;
    for (Id id = 0; id < g_.nodes.size() && g_.spend(); ++id) {
      const Node n = g_.nodes[id];
      if (n.forward != kNone || n.op != Op::Select || !is_write(n) || of_all(n)) continue;
      if (rest_of(n.args[2], n.args[0]) != g_.resolve(n.args[1])) continue;
      g_.nodes[id].forward = g_.resolve(n.args[1]);
      changed = true;
    }
    for (Id id = 0; id < g_.nodes.size() && g_.spend(); ++id) {
      const Node phi = g_.nodes[id];
      if (phi.forward != kNone || phi.op != Op::Phi) continue;
      const std::size_t arm = arm_of(phi);
      if (arm == kNoArm) continue;
      const Id all = g_.resolve(phi.args[arm]);
      if (all == id || rest_of(phi.args[1 - arm], g_.blocks[g_.idom[phi.block]].end.condition) != all) continue;
      g_.nodes[id].forward = all;
      changed = true;
    }
    if (changed) g_.simplify(false);
  }
  // A wavefront that is where only one with some lane of a mask comes takes every branch on more than that mask.
  void decide() {
    constexpr u32 kLoops = 2;
    bool changed = false;
    for (u32 b = 1; b < g_.blocks.size(); ++b) {
      BlockEnd& end = g_.blocks[b].end;
      if (end.kind != BlockEnd::Kind::Branch) continue;
      if (g_.is(end.condition, Op::True) || g_.is(end.condition, Op::False)) changed = true;
      if (!end.lanes) continue;
      if (!g_.some_lane(end.condition, b, around_ ? kLoops : 0)) continue;
      end.condition = g_.boolean(true);
      changed = true;
    }
    if (changed) g_.cut();
  }
  // Which values are made of a mask, a descriptor or an address, by what is in front of them.
  std::vector<bool> no_numbers() const {
    std::vector<u64> pointers;  // their places among the arguments
    for (const Argument& argument : source_.kernel.arguments)
      if (const auto place = place_of(argument); place && is_address(argument)) pointers.push_back(*place);
    std::vector<bool> out(g_.nodes.size());
    for (const Id id : g_.in_order(live_)) {
      const Node& n = g_.nodes[id];
      switch (n.op) {
        case Op::MaskWord:
        case Op::Table:
        case Op::Resource:
        case Op::Pointer: out[id] = true; break;
        case Op::ArgumentWord: out[id] = std::ranges::find(pointers, n.imm) != pointers.end(); break;
        // Of a table, and nothing that has a place in OpenCL C.
        case Op::Load: out[id] = g_.accesses[n.access].room == Room::Scalar; break;
        default:
          out[id] = info(n.op).result != Bool && !g_.effect(n.op) &&
                    std::ranges::any_of(n.args, [&](Id arg) { return out[g_.resolve(arg)]; });
      }
    }
    return out;
  }
  static bool is_write(const Node& n) { return Graph::select(n.op) && n.imm == kRegisterWrite; }
  bool of_all(const Node& n) const { return is_write(n) && g_.is(n.args[0], Op::True); }
  bool varying(Id id) const {
    id = g_.resolve(id);
    return id >= varying_.size() || varying_[id];
  }
  void refuse(u32 offset, std::string why) { g_.refuse(Code::LiftLanes, offset, std::move(why)); }

  // --- what differs between lanes ------------------------------------------------------------------------------------

  void find_varying() {
    varying_.assign(g_.nodes.size(), false);
    apart_.assign(g_.blocks.size(), false);
    std::set<u32> parted;  // branches at which enabled lanes part
    for (bool changed = true; changed;) {
      changed = false;
      if (g_.budget < g_.nodes.size()) return refuse(0, std::string(kTooMuchWork));
      g_.budget -= g_.nodes.size();
      const auto mark = [&](Id id) {
        if (varying_[id]) return;
        varying_[id] = true;
        changed = true;
      };
      for (Id id = 0; id < g_.nodes.size(); ++id) {
        const Node& n = g_.nodes[id];
        if (n.forward != kNone || varying_[id]) continue;
        switch (n.op) {
          case Op::LocalId:
          case Op::GlobalId:
          case Op::LaneId:
          case Op::LanesBelow:
          case Op::ReadLane:
          case Op::WriteLane:
          case Op::Atomic:
          case Op::ScratchStart:  // every lane has memory of its own there
          case Op::MaskOfWords: mark(id); break;
          case Op::Resource:
            if ((n.imm >> 4 & 15) == kScratch) mark(id);
            break;
          case Op::FirstLane:
            if (varying(n.args[1])) mark(id);
            break;
          case Op::AnyLane: break;  // the same for all
          case Op::Load: {
            // One place is the same for all lanes that load: nobody stores to it meanwhile, or the source had a race.
            if (std::any_of(n.args.begin() + 1, n.args.end(),
                            [&](Id a) { return varying(a) && !same_among(a, n.args[0], n.block); }))
              mark(id);
            break;
          }
          default:
            if (of_all(n) || (is_write(n) && !varying(n.args[1]) &&
                              (is_unset_without(n.args[2], n.args[0]) || is_of_whole(n)))
                    ? varying(n.args[1])
                    : std::ranges::any_of(n.args, [&](Id a) { return varying(a); }))
              mark(id);
        }
      }
      for (u32 b = 0; b < g_.blocks.size(); ++b) {
        const BlockEnd& end = g_.blocks[b].end;
        if (end.kind != BlockEnd::Kind::Branch || !varying(end.condition) || parted.contains(b)) continue;
        if (!joins_.contains(b)) joins_[b] = g_.joins(b);
        // For lanes that are enabled here it is no parting; what the others get is looked at with the branch.
        if (same_for_enabled(b)) continue;
        changed = true;
        parted.insert(b);
        for (const u32 join : joins_[b]) {
          apart_[join] = true;
          for (const Id phi : g_.blocks[join].phis)
            if (g_.nodes[phi].forward == kNone) mark(phi);
        }
      }
    }
  }
  // Whether a write is for lanes that are all or none, and its block is not come to where they are none.
  bool is_of_whole(const Node& write) const {
    return !varying(write.args[0]) && g_.some_lane(write.args[0], write.block, 0);
  }
  // Whether a register is unset to all lanes that are not of the mask.
  bool is_unset_without(Id id, Id mask) const {
    std::set<Id> assumed;
    return is_unset_without(id, g_.resolve(mask), assumed);
  }
  bool is_unset_without(Id id, Id mask, std::set<Id>& assumed) const {
    id = g_.resolve(id);
    const Node& n = g_.nodes[id];
    if (n.op == Op::Undefined) return true;
    if (!g_.spend()) return false;
    if (n.op == Op::Phi) {
      if (!assumed.insert(id).second) return true;
      if (g_.loop[n.block] == n.block && g_.changes(mask, n.block)) return false;
      return std::ranges::all_of(n.args, [&](Id arg) { return is_unset_without(arg, mask, assumed); });
    }
    Ids implied;
    return is_write(n) && g_.implies(n.args[0], mask, implied) && is_unset_without(n.args[2], mask, assumed);
  }
  // Whether enabled lanes all have a branch's bit, or none has.
  bool same_for_enabled(u32 b) const {
    const Id enabled = g_.blocks[b].exec;
    if (enabled == kNone) return false;
    Seen seen;
    std::vector<Id> open{g_.resolve(g_.blocks[b].end.condition)};
    while (!open.empty()) {
      const Id one = open.back();
      open.pop_back();
      Ids assumed;
      if (!varying(one) || g_.implies(enabled, one, assumed)) continue;
      if (!seen.insert(one)) continue;
      if (!g_.spend() || (g_.nodes[one].op != Op::BoolAnd && !is_of_parts(one, b))) return false;
      for (const Id arg : g_.nodes[one].args) open.push_back(g_.resolve(arg));
    }
    return true;
  }
  // Whether lanes of a block that have the same in all that a mask is made of have the same in it: enabled lanes came
  // together to where its ways meet, in this turn of the loops around.
  bool is_of_parts(Id id, u32 block) const {
    const Node& n = g_.nodes[id];
    if (n.op == Op::BoolNot || n.op == Op::BoolOr) return true;
    if (n.op != Op::PhiBool || n.block >= apart_.size() || apart_[n.block]) return false;
    const u32 header = g_.loop[n.block];
    return header == kNone || (header != n.block && (header == block || in_loop(block, header)));
  }
  // --- where lanes meet again ----------------------------------------------------------------------------------------

  void post_dominators() {
    const u32 count = static_cast<u32>(g_.blocks.size());
    end_ = count;  // behind all
    meets_.assign(count + 1, kNone);
    meets_[end_] = end_;
    // Numbers by a walk from the end; loops without an end have none.
    std::vector<u32> order, number(count + 1, kNone);
    std::vector<bool> seen(count + 1);
    const auto predecessors = [&](u32 b) {
      std::vector<u32> out;
      if (b != end_) return g_.blocks[b].predecessors;
      for (u32 n = 0; n < count; ++n)
        if (g_.blocks[n].end.kind == BlockEnd::Kind::Return) out.push_back(n);
      return out;
    };
    std::vector<std::pair<u32, std::size_t>> stack{{end_, 0}};
    std::vector<std::vector<u32>> back(count + 1);
    for (u32 b = 0; b <= count; ++b) back[b] = predecessors(b);
    seen[end_] = true;
    while (!stack.empty()) {
      auto& [b, next] = stack.back();
      if (next < back[b].size()) {
        const u32 to = back[b][next++];
        if (!seen[to]) {
          seen[to] = true;
          stack.emplace_back(to, 0);
        }
      } else {
        order.push_back(b);
        stack.pop_back();
      }
    }
    std::ranges::reverse(order);
    for (u32 n = 0; n < order.size(); ++n) number[order[n]] = n;
    const auto meet = [&](u32 a, u32 b) {
      while (a != b) (number[a] > number[b] ? a : b) = meets_[number[a] > number[b] ? a : b];
      return a;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (const u32 b : order) {
        if (b == end_) continue;
        std::vector<u32> after = g_.blocks[b].successors;
        if (g_.blocks[b].end.kind == BlockEnd::Kind::Return) after.push_back(end_);
        u32 now = kNone;
        for (const u32 s : after)
          if (meets_[s] != kNone) now = now == kNone ? s : meet(now, s);
        if (now != kNone && meets_[b] != now) {
          meets_[b] = now;
          changed = true;
        }
      }
    }
  }
  std::vector<bool> reachable(u32 from, u32 until) const {
    std::vector<bool> out(g_.blocks.size() + 1);
    std::vector<u32> open;
    if (from != until) open.push_back(from);
    while (!open.empty()) {
      const u32 b = open.back();
      open.pop_back();
      if (out[b]) continue;
      out[b] = true;
      for (const u32 s : g_.blocks[b].successors)
        if (s != until) open.push_back(s);
    }
    return out;
  }
  bool in_loop(u32 block, u32 header) const { return g_.in_loop(block, header); }

  // --- one branch ----------------------------------------------------------------------------------------------------

  struct Branch {
    u32 block;
    Id mask;
    bool wraps;  // lanes that go along come back here
    // Others stay in the loop too, by the other way, and have further turns of their own. What is said of these is not
    // shown from the turn in which a lane left on: Catalyst's `break` needs it, and no proof by running has refuted it.
    bool goes_on = false;
    mutable std::optional<bool> changes{};  // whether the mask is another one in a further turn, once that was asked
  };
  // What is known of a lane without the branch's bit, and what values are to it then.
  using Facts = std::vector<std::pair<Id, bool>>;
  struct Case {
    Facts facts;
    std::map<Id, Id> known{};
    u32 join = kNone;  // a block to which the lane comes by the edge of that number
    std::size_t edge = 0;
  };
  // A lane that comes to a block has taken the branches on the way as its own bits say.
  Facts facts_at(u32 block) const {
    Facts out;
    for (u32 at = block; at != 0; at = g_.idom[at]) {
      const BlockEnd& end = g_.blocks[g_.idom[at]].end;
      if (g_.blocks[at].predecessors.size() == 1 && end.kind == BlockEnd::Kind::Branch && end.yes != end.no)
        out.emplace_back(g_.resolve(end.condition), end.yes == at);
    }
    return out;
  }
  // What follows from facts about the parts of what they are about.
  void add_parts(Facts& facts) const {
    constexpr std::size_t kMost = 64;
    const auto known = [&](Id id) -> std::optional<bool> {
      id = g_.resolve(id);
      for (const auto& [fact, holds] : facts) {
        if (fact == id) return holds;
        if (g_.opposite(fact, id)) return !holds;
      }
      return std::nullopt;
    };
    for (bool changed = true; changed && facts.size() < kMost;) {
      changed = false;
      for (std::size_t n = 0; n < facts.size() && facts.size() < kMost; ++n) {
        const auto [fact, holds] = facts[n];
        const Node& node = g_.at(fact);
        const auto add = [&](Id id, bool value) {
          if (known(id)) return;
          facts.emplace_back(g_.resolve(id), value);
          changed = true;
        };
        if (node.op == Op::BoolNot) add(node.args[0], !holds);
        if (node.op != Op::BoolAnd && node.op != Op::BoolOr) continue;
        const bool all = node.op == Op::BoolAnd;  // true of all parts, or false of all
        for (const std::size_t k : {0u, 1u}) {
          if (holds == all) add(node.args[k], all);
          if (holds != all && known(node.args[1 - k]) == all) add(node.args[k], !all);
        }
      }
    }
  }
  // What a mask is the conjunction of, from the left.
  std::vector<Id> terms_of(Id mask) const {
    std::vector<Id> out, open{g_.resolve(mask)};
    while (!open.empty()) {
      const Id one = open.back();
      open.pop_back();
      if (g_.nodes[one].op == Op::BoolAnd)
        for (std::size_t n = 2; n-- > 0;) open.push_back(g_.resolve(g_.nodes[one].args[n]));
      else
        out.push_back(one);
    }
    return out;
  }
  // One of the terms of the mask is the first that it has not.
  std::vector<Case> cases_without(Id mask, u32 block) const {
    Facts facts = facts_at(block);
    std::vector<Id> terms = terms_of(mask);
    constexpr std::size_t kMostTerms = 4;
    std::erase_if(terms, [&](Id term) {
      return std::ranges::any_of(facts, [&](const auto& fact) {
        Ids assumed;
        return fact.second && g_.implies(fact.first, term, assumed);
      });
    });
    std::vector<Case> out;
    if (terms.size() > kMostTerms) {
      facts.emplace_back(g_.resolve(mask), false);
      return {{.facts = std::move(facts)}};
    }
    for (const Id term : terms) {
      out.push_back({.facts = facts});
      out.back().facts.emplace_back(term, false);
      add_parts(out.back().facts);
      facts.emplace_back(term, true);
    }
    return out;
  }
  // Whether a lane without the branch's bit has no bit in `id` either. `again`: in a further turn of the loop, so that
  // what the turn began with counts.
  bool implies(Id id, const Branch& branch, bool again, std::set<Id>& assumed) const {
    id = g_.resolve(id);
    const Node& n = g_.nodes[id];
    // The mask of a further turn is another one, if anything of the loop is in it.
    if (again && !branch.changes) branch.changes = g_.changes(branch.mask, branch.block);
    const bool stays = !again || !*branch.changes;
    if (id == branch.mask && stays) return true;
    if (!g_.spend()) return false;
    if (Ids other; n.op == Op::BoolNot && stays && g_.implies(id, branch.mask, other)) return true;
    switch (n.op) {
      case Op::False: return true;
      case Op::BoolAnd: return implies(n.args[0], branch, again, assumed) || implies(n.args[1], branch, again, assumed);
      case Op::BoolXor:
      case Op::BoolOr: return implies(n.args[0], branch, again, assumed) && implies(n.args[1], branch, again, assumed);
      case Op::SelectBool:
        return implies(n.args[1], branch, again, assumed) && implies(n.args[2], branch, again, assumed);
      case Op::PhiBool: {
        // A header that the branch is behind of: in the turn in which the lane left, it was what the lane then had. In
        // further turns it is what that turn has made, and each one since.
        const bool around = in_loop(branch.block, n.block);
        if (branch.goes_on && assumed.contains(id)) return true;
        if (around ? !again || !(branch.goes_on || in_region_[n.block]) : !in_region_[n.block]) return false;
        if (!assumed.insert(id).second) return true;
        const auto off = [&](Id arg) {
          if (!around) return implies(arg, branch, again, assumed);
          if (branch.goes_on) return implies(arg, branch, false, assumed) || implies(arg, branch, true, assumed);
          std::set<Id> of_that_turn;
          return implies(arg, branch, true, assumed) && implies(arg, branch, false, of_that_turn);
        };
        for (std::size_t k = 0; k < n.args.size(); ++k) {
          const u32 from = g_.blocks[n.block].predecessors[k];
          if (around && from < n.block && (branch.goes_on || !in_region_[from])) continue;  // the first turn
          // Behind the branch, in the same turn, the wavefront comes from it.
          if (!branch.goes_on && !again && behind_[n.block] && !behind_[from] && from != branch.block) continue;
          if (off(n.args[k])) continue;
          assumed.erase(id);
          return false;
        }
        return true;
      }
      default: return false;
    }
  }
  bool implies(Id id, const Branch& branch, bool again) const {
    std::set<Id> assumed;
    return implies(id, branch, again, assumed);
  }

  // What nobody but lanes knows is taken out of a mask: what is left says for which lanes the branch is one.
  std::pair<Id, bool> lanes_of(Id mask, u32 block) {
    mask = g_.resolve(mask);
    std::vector<Id> open{mask};
    std::set<Id> parts;
    bool uniform = false;
    while (!open.empty()) {
      const Id one = open.back();
      open.pop_back();
      if (!varying(one))
        uniform = true;
      else if (g_.nodes[one].op == Op::BoolAnd && has_uniform_term(one))
        for (const Id arg : g_.nodes[one].args) open.push_back(g_.resolve(arg));
      else
        parts.insert(one);
    }
    if (!uniform) {
      const std::vector<Id> terms = terms_of(mask);
      parts = {terms.begin(), terms.end()};
      uniform = std::erase_if(parts, [&](Id part) {
                  return std::ranges::any_of(parts,
                                             [&](Id other) { return other != part && same_among(part, other, block); });
                }) > 0;
    }
    if (!uniform) return {mask, false};
    // What others follow from says nothing more.
    std::erase_if(parts, [&](Id part) {
      return std::ranges::any_of(parts, [&](Id other) {
        Ids assumed;
        return other != part && g_.implies(other, part, assumed);
      });
    });
    Id out = g_.boolean(true);
    for (const Id part : parts) out = g_.make(Op::BoolAnd, {out, part});
    return {g_.resolve(out), true};
  }
  // Whether all lanes of a mask in a block have the same in a value, though others may have something else: what these
  // had before is in the registers that lanes of a branch have set.
  bool same_among(Id id, Id mask, u32 block) const {
    constexpr std::size_t kMost = 200;
    Seen seen;
    std::vector<Id> open{g_.resolve(id)};
    while (!open.empty()) {
      const Id one = open.back();
      open.pop_back();
      if (!varying(one) || !seen.insert(one)) continue;
      if (seen.size() > kMost || !g_.spend()) return false;
      const Node& n = g_.nodes[one];
      if (Ids assumed; info(n.op).result == Bool && g_.implies(mask, one, assumed)) continue;
      switch (n.op) {
        case Op::PhiBool:
          if (!is_of_parts(one, block)) return false;
          break;
        case Op::Phi:
        case Op::PhiWide:
        case Op::FirstLane:
        case Op::ReadLane:
        case Op::WriteLane:
        case Op::Atomic:
        case Op::MaskWord:
        case Op::MaskOfWords: return false;
        case Op::Load:
          for (const Id arg : std::span(n.args).subspan(1)) open.push_back(g_.resolve(arg));
          continue;
        default: break;
      }
      if (n.args.empty()) return false;
      Ids assumed;
      if (is_write(n) && g_.implies(mask, n.args[0], assumed))
        open.push_back(g_.resolve(n.args[1]));
      else
        for (const Id arg : n.args) open.push_back(g_.resolve(arg));
    }
    return true;
  }
  bool has_uniform_term(Id mask) const {
    mask = g_.resolve(mask);
    if (!varying(mask)) return true;
    const Node& n = g_.nodes[mask];
    return g_.spend() && n.op == Op::BoolAnd &&
           std::ranges::any_of(n.args, [&](Id arg) { return has_uniform_term(arg); });
  }
  // A value as a lane has it that is without the branch's bit.
  Id without(Id id, const Branch& branch, Case& is) {
    std::map<Id, Id>& known = is.known;
    id = g_.resolve(id);
    if (const auto at = known.find(id); at != known.end()) return at->second;
    known[id] = id;
    if (!g_.spend()) return id;
    const Node n = g_.nodes[id];
    if (info(n.op).result != Bool) return id;
    if (id < live_.size() && implies(id, branch, false)) return known[id] = g_.boolean(false);
    if (g_.opposite(id, branch.mask)) return known[id] = g_.boolean(true);
    for (const auto& [fact, holds] : is.facts) {
      Ids assumed;
      if (id == g_.resolve(fact)) return known[id] = g_.boolean(holds);
      if (g_.opposite(id, fact)) return known[id] = g_.boolean(!holds);
      if (holds && g_.implies(fact, id, assumed)) return known[id] = g_.boolean(true);
      if (!holds && g_.implies(id, fact, assumed)) return known[id] = g_.boolean(false);
      if (holds && g_.contradict(id, fact)) return known[id] = g_.boolean(false);
    }
    switch (n.op) {
      case Op::BoolAnd:
      case Op::BoolOr:
      case Op::BoolXor:
      case Op::BoolNot: {
        Ids args;
        for (const Id arg : n.args) args.push_back(without(arg, branch, is));
        return known[id] = g_.resolve(g_.make(n.op, std::move(args), n.imm, n.block));
      }
      case Op::PhiBool: {
        if (n.block == is.join) return known[id] = without(n.args[is.edge], branch, is);
        if (in_loop(branch.block, n.block) || n.block <= branch.block) return id;
        Id only = kNone;
        for (std::size_t k = 0; k < n.args.size(); ++k) {
          const u32 from = g_.blocks[n.block].predecessors[k];
          if (!goes(from, n.block, branch, is) || !comes_to(from, branch, is)) continue;
          const Id one = without(n.args[k], branch, is);
          if (one == id || one == only) continue;
          if (only != kNone) return id;
          only = one;
        }
        return only == kNone ? id : known[id] = only;
      }
      default: return id;
    }
  }
  // Whether a lane without the branch's bit may come to a block behind it.
  bool comes_to(u32 block, const Branch& branch, Case& known) {
    if (leads_from_ != branch.block) {
      leads_from_ = branch.block;
      leads_to_ = reachable(leads_from_, kNone);
    }
    if (!leads_to_[block]) return false;
    for (u32 b = block; b != 0; b = g_.idom[b]) {
      const u32 p = g_.idom[b];
      const BlockEnd end = g_.blocks[p].end;
      if (g_.blocks[b].predecessors.size() != 1 || end.kind != BlockEnd::Kind::Branch || !end.lanes) continue;
      if (p <= branch.block) break;
      if (end.yes == end.no) continue;
      // Nor to a block where wavefronts go of which no lane has a bit that it has.
      if (g_.is(without(end.condition, branch, known), end.yes == b ? Op::False : Op::True)) return false;
    }
    return true;
  }
  // Whether a lane without the branch's bit may go from one block behind it to another.
  bool goes(u32 from, u32 to, const Branch& branch, Case& known) {
    // It comes to the branch, so that it has not gone past it.
    if (from < branch.block && to > branch.block) return false;
    const BlockEnd end = g_.blocks[from].end;
    if (end.kind != BlockEnd::Kind::Branch || end.yes == end.no || from < branch.block) return true;
    const Id condition = without(end.condition, branch, known);
    return !g_.is(condition, end.yes == to ? Op::False : Op::True);
  }
  // Whether a value that depends on others where lanes meet behind the branch means anything to a lane without its bit.
  bool matters(Id from, const Branch& branch, Case& known) {
    if (users_.empty()) find_users();
    // Values, and a mask without whose bit lanes are that the first one means something to: what was in a register is
    // still there where lanes that have the bit have set it, and they are the ones that read it next. `kNone`: all are.
    Seen seen;
    std::set<std::pair<Id, Id>> seen_without;
    std::vector<std::pair<Id, Id>> open{{from, kNone}};
    while (!open.empty()) {
      const auto [id, outside] = open.back();
      open.pop_back();
      if (!g_.spend()) return true;
      if (decides_.contains(id)) return true;
      constexpr std::size_t kMostPairs = 256;
      const auto open_up = [&](Id to, Id now) {
        if (seen_without.size() >= kMostPairs) now = kNone;
        if (now == kNone ? seen.insert(to) : seen_without.emplace(to, now).second) open.emplace_back(to, now);
      };
      const auto only_others = [&](Id mask) {
        Ids assumed;
        return outside != kNone && g_.implies(mask, outside, assumed);
      };
      for (const Id user : users_[id]) {
        const Node n = g_.nodes[user];
        const auto has = [&](std::size_t k) { return g_.resolve(n.args[k]) == id; };
        const auto is = [&](std::size_t k, Op op) { return g_.is(without(n.args[k], branch, known), op); };
        switch (n.op) {
          case Op::Select:
          case Op::SelectWide:
          case Op::SelectBool:
            if (has(0) || (has(1) && !is(0, Op::False) && !only_others(n.args[0])))
              open_up(user, outside);
            else if (has(2) && !is(0, Op::True))
              open_up(user, outside == kNone && is_write(n) ? g_.resolve(n.args[0]) : outside);
            break;
          case Op::BoolAnd:
            if (!is(has(0) ? 1 : 0, Op::False)) open_up(user, outside);
            break;
          case Op::BoolOr:
            if (!is(has(0) ? 1 : 0, Op::True)) open_up(user, outside);
            break;
          case Op::Phi:
          case Op::PhiWide:
          case Op::PhiBool:
            for (std::size_t k = 0; k < n.args.size(); ++k) {
              const u32 edge = g_.blocks[n.block].predecessors[k];
              if (!has(k) || !comes_to(edge, branch, known) || !goes(edge, n.block, branch, known)) continue;
              // In a further turn the branch's mask is another one, and so is any.
              if (in_loop(branch.block, n.block)) return true;
              open_up(user, edge < n.block ? outside : kNone);
            }
            break;
          case Op::Store:
          case Op::Atomic:
            if (!has(0) && (is(0, Op::False) || only_others(n.args[0]))) break;
            if (comes_to(n.block, branch, known)) return true;
            break;
          default: open_up(user, goes_to_others(n.op) ? kNone : outside);
        }
      }
    }
    return false;
  }
  // What a mask is to a lane of which facts are known, if they tell.
  std::optional<bool> bit_with(Id mask, const Facts& facts, u32 depth = 0) const {
    mask = g_.resolve(mask);
    if (g_.is(mask, Op::True) || g_.is(mask, Op::False)) return g_.is(mask, Op::True);
    for (const auto& [fact, holds] : facts) {
      Ids assumed;
      if (mask == fact) return holds;
      if (g_.opposite(mask, fact)) return !holds;
      if (holds ? g_.implies(fact, mask, assumed) : g_.implies(mask, fact, assumed)) return holds;
      if (holds && g_.contradict(mask, fact)) return false;
    }
    return bit_of_parts(mask, facts, depth);
  }
  std::optional<bool> bit_of_parts(Id mask, const Facts& facts, u32 depth) const {
    constexpr u32 kDeepest = 8;
    const Node& n = g_.at(mask);
    if (depth == kDeepest || !g_.spend()) return std::nullopt;
    const auto bit = [&](std::size_t k) { return bit_with(n.args[k], facts, depth + 1); };
    switch (n.op) {
      case Op::BoolNot:
        if (const auto a = bit(0)) return !*a;
        break;
      case Op::BoolAnd:
      case Op::BoolOr: {
        const bool decides = n.op == Op::BoolOr;
        const auto a = bit(0), b = bit(1);
        if (a == decides || b == decides) return decides;
        if (a && b) return !decides;
        break;
      }
      case Op::BoolXor:
        if (const auto a = bit(0), b = bit(1); a && b) return *a != *b;
        break;
      default: break;
    }
    return std::nullopt;
  }
  // Whether no lane is as the facts say. What ways merge is what one of them brought.
  bool impossible(Facts facts, u32 ways = 0) const {
    constexpr u32 kMostWays = 2;
    if (!g_.spend()) return false;
    add_parts(facts);
    for (std::size_t n = 0; n < facts.size(); ++n) {
      const auto [fact, holds] = facts[n];
      if (g_.is(fact, holds ? Op::False : Op::True)) return true;
      for (std::size_t k = 0; k < n; ++k) {
        const auto& [other, so] = facts[k];
        if (other == fact ? so != holds : so == holds && g_.opposite(other, fact)) return true;
      }
      if (bit_of_parts(fact, facts, 0) == !holds) return true;
    }
    if (ways == kMostWays) return false;
    std::set<u32> merging;
    for (const auto& [fact, holds] : facts)
      if (const Node& n = g_.at(fact); n.op == Op::PhiBool && g_.loop[n.block] != n.block) merging.insert(n.block);
    return std::ranges::any_of(merging, [&](u32 block) {
      const auto edges = std::views::iota(std::size_t{0}, g_.blocks[block].predecessors.size());
      return std::ranges::all_of(edges, [&](std::size_t k) { return impossible(by_edge(facts, block, k), ways + 1); });
    });
  }
  // The facts of a lane in a wavefront that came to a block by its `k`th edge. Lanes come along with those that have a
  // mask's bit, so that only where none of them goes it is known that this one hasn't it.
  Facts by_edge(Facts facts, u32 block, std::size_t k) const {
    for (std::size_t n = 0, count = facts.size(); n < count; ++n)
      if (const Node& phi = g_.at(facts[n].first); phi.op == Op::PhiBool && phi.block == block)
        facts.emplace_back(g_.resolve(phi.args[k]), facts[n].second);
    for (u32 to = block, at = g_.blocks[block].predecessors[k];; to = at, at = g_.idom[at]) {
      const BlockEnd& end = g_.blocks[at].end;
      const bool one_way = to == block || g_.blocks[to].predecessors.size() == 1;
      if (one_way && end.kind == BlockEnd::Kind::Branch && end.yes != end.no && (!end.lanes || end.no == to))
        facts.emplace_back(g_.resolve(end.condition), end.yes == to);
      if (at == 0 || at == g_.idom[block]) return facts;
    }
  }
  // Whether only the low word of a sum is asked for, to which high words are nothing: one instruction multiplies and
  // adds 64 bits.
  bool is_for_low_word(Id id, u32 depth = 0) const {
    constexpr u32 kDeepest = 4;
    if (depth == kDeepest) return false;
    return std::ranges::all_of(users_[id], [&](Id user) {
      const Op op = g_.nodes[user].op;
      return op == Op::Low || ((op == Op::Add64 || op == Op::Sub64) && is_for_low_word(user, depth + 1));
    });
  }
  // Whether what a lane has of a value means anything: what a lane keeps in a register that the next way sets does not.
  // Lanes that come to a block by an edge that their branch's mask does not take are without its bit. Of all lanes; or
  // of those of a case, which are without the bit of a branch that no loop of its own is around, in the same turn.
  bool is_observed(Id from, const Branch* branch = nullptr, Case* is = nullptr) {
    if (users_.empty()) find_users();
    constexpr std::size_t kMostStates = 512, kMostFacts = 32;
    struct State {
      Id id;
      bool of_case;  // else any lane, of which no more than the facts is known
      Facts facts;
      auto operator<=>(const State&) const = default;
    };
    std::set<State> seen;
    std::vector<State> open{{from, branch != nullptr, branch != nullptr ? is->facts : Facts{}}};
    while (!open.empty()) {
      const auto [id, of_case, facts] = std::move(open.back());
      open.pop_back();
      if (!g_.spend() || seen.size() > kMostStates || decides_.contains(id)) return true;
      const auto go = [&](State to) {
        if (seen.insert(to).second) open.push_back(std::move(to));
      };
      const auto as_it_is = [&](Id mask) { return of_case ? without(mask, *branch, *is) : mask; };
      // Of a lane of which a mask's bit is that.
      const auto go_with = [&](Id to, Id mask, bool bit) {
        mask = as_it_is(mask);
        const std::optional<bool> known = bit_with(mask, facts);
        if (known == !bit) return;
        Facts now = facts;
        if (!known && now.size() < kMostFacts) {
          now.emplace_back(g_.resolve(mask), bit);
          if (of_case && impossible(now)) return;
          add_parts(now);
        }
        go({to, of_case, std::move(now)});
      };
      for (const Id user : users_[id]) {
        const Node n = g_.nodes[user];  // `without` makes nodes
        const auto has = [&](std::size_t k) { return g_.resolve(n.args[k]) == id; };
        switch (n.op) {
          case Op::Select:
          case Op::SelectWide:
          case Op::SelectBool:
            if (has(0)) return true;
            if (has(1)) go_with(user, n.args[0], true);
            if (has(2)) go_with(user, n.args[0], false);
            break;
          case Op::Phi:
          case Op::PhiWide:
            for (std::size_t k = 0; k < n.args.size(); ++k) {
              if (!has(k)) continue;
              const u32 edge = g_.blocks[n.block].predecessors[k];
              if (of_case && (!comes_to(edge, *branch, *is) || !goes(edge, n.block, *branch, *is))) continue;
              // In another turn all masks are others.
              if (edge >= n.block || (of_case && in_loop(branch->block, n.block))) {
                go({user, false, {}});
                continue;
              }
              const BlockEnd& end = g_.blocks[edge].end;
              const bool beside =
                  end.kind == BlockEnd::Kind::Branch && end.lanes && end.no == n.block && end.yes != n.block;
              if (beside)
                go_with(user, end.condition, false);
              else
                go({user, of_case, facts});
            }
            break;
          case Op::Store:
          case Op::Atomic:
            if (has(0) || bit_with(as_it_is(n.args[0]), facts) != false) return true;
            break;
          case Op::Join:
            if (has(0) || !is_for_low_word(user)) go({user, of_case, facts});
            break;
          default:
            if (Graph::phi(n.op) || g_.effect(n.op)) return true;
            if (goes_to_others(n.op))
              go({user, false, {}});
            else
              go({user, of_case, facts});
        }
      }
    }
    return false;
  }
  void find_users() {
    users_.resize(g_.nodes.size());
    for (Id id = 0; id < live_.size(); ++id) {
      if (!live_[id] || g_.nodes[id].forward != kNone) continue;
      for (const Id arg : g_.nodes[id].args)
        if (const Id of = g_.resolve(arg); of < users_.size()) users_[of].push_back(id);
    }
    for (const BasicBlock& block : g_.blocks)
      if (block.end.kind == BlockEnd::Kind::Branch) decides_.insert(g_.resolve(block.end.condition));
  }

  // Which blocks the wavefront comes to behind a branch in the same turn of its loop.
  void find_behind(u32 b, bool both) {
    behind_.assign(g_.blocks.size() + 1, false);
    const BlockEnd& end = g_.blocks[b].end;
    std::vector<u32> open{end.yes};
    if (both) open.push_back(end.no);
    while (!open.empty()) {
      const u32 one = open.back();
      open.pop_back();
      if (one == meets_[b] || one == g_.loop[b] || behind_[one]) continue;
      behind_[one] = true;
      open.insert(open.end(), g_.blocks[one].successors.begin(), g_.blocks[one].successors.end());
    }
  }
  void check_branch(u32 b) {
    const BlockEnd& end = g_.blocks[b].end;
    if (!end.lanes) return refuse(end.offset, "branches on a scalar that is not the same for all lanes");
    if (meets_[b] == kNone) return refuse(end.offset, "has lanes that part and need not meet again");
    const auto [mask, uniform] = lanes_of(end.condition, b);
    const std::optional<u32> skippable = g_.skippable;
    check_branch(b, mask, uniform);
    if (!uniform || !g_.refusal) return;
    // What all lanes agree on may as well be each one's own.
    const std::optional<Refusal> refusal = std::exchange(g_.refusal, std::nullopt);
    const std::optional<u32> skips = std::exchange(g_.skippable, skippable);
    check_branch(b, g_.resolve(end.condition), false);
    if (!g_.refusal) return;
    g_.refusal = refusal;
    g_.skippable = skips;
  }
  // Of a branch on lanes of a mask; `uniform`: all that are here and have its bits take it, or none.
  void check_branch(u32 b, Id mask, bool uniform) {
    const BlockEnd end = g_.blocks[b].end;
    const u32 meet = meets_[b], along = end.yes, aside = end.no;
    in_region_ = reachable(along, meet);
    region_ = b;
    // The same for all lanes that are here: only for those that are not it is one, whichever way is taken.
    if (uniform)
      for (const std::vector<bool> more = reachable(aside, meet); const u32 n : std::views::iota(0u, g_.blocks.size()))
        if (more[n]) in_region_[n] = true;
    find_behind(b, uniform);
    const Branch branch{b, mask, in_region_[b], aside != meet && in_region_[aside]};
    // Lanes without the bit go `aside` by themselves, where the wavefront may not go: nothing may happen there.
    const std::vector<bool> others = reachable(aside, meet);
    for (u32 n = 0; n < g_.blocks.size(); ++n)
      if (others[n] && !in_region_[n] && !harmless(n))
        return refuse(end.offset, "has code for wavefronts of which no lane takes a branch");
    if (others[b] && (along == meet || leaves_for_others(others, meet)))
      return refuse(end.offset, "leaves a loop with all lanes where one of them takes this branch");
    if (branch.wraps && !implies(branch.mask, branch, true))
      return refuse(end.offset, "turns lanes on again in a loop that they have left");
    const u32 edge = uniform ? b : g_.blocks[along].predecessors.size() == 1 ? along : kNone;
    std::vector<Case> cases = cases_without(branch.mask, b);
    const auto all = [&](auto&& holds) { return std::ranges::all_of(cases, holds); };
    // Whether a mask has no bit of a lane that the branch leaves out.
    const auto is_without = [&](Id bits, bool again) {
      return implies(bits, branch, again) || (!again && !branch.wraps && all([&](Case& one) {
               Facts facts = one.facts;
               facts.emplace_back(g_.resolve(without(bits, branch, one)), true);
               return impossible(std::move(facts));
             }));
    };
    std::optional<u32> barrier;
    for (u32 n = 0; n < g_.blocks.size(); ++n) {
      if (!in_region_[n]) continue;
      // Lanes that do not come back are in the turn in which they came to the branch, and came here from it.
      const bool again = (branch.wraps || uniform) && (edge == kNone || !g_.dominates(edge, n));
      for (const Id id : g_.blocks[n].effects) {
        const Node& node = g_.nodes[id];
        const u32 offset = node.offset;
        if (node.forward != kNone || node.op == Op::Load) continue;
        if (node.op == Op::Barrier) {
          barrier = offset;
          continue;
        }
        if (!is_without(node.args[0], again))
          return refuse(offset, "stores for lanes that the branch at " + source_.decoder.place_text(end.offset) +
                                    " leaves out");
      }
      for (const Id id : writes_[n]) {
        const u32 offset = g_.nodes[id].offset;
        if (!is_without(g_.nodes[id].args[0], again))
          return refuse(offset, "sets registers of lanes that the branch at " + source_.decoder.place_text(end.offset) +
                                    " leaves out");
      }
    }
    // Where lanes meet, or leave a loop that others stay in.
    for (const u32 join : joins_.at(b))
      for (const Id id : std::vector(g_.blocks[join].phis)) {
        const Node phi = g_.nodes[id];
        if (phi.forward != kNone || !live_[id] || (!phi.scalar && phi.op != Op::PhiBool)) continue;
        if (all([&](Case& one) {
              return same_either_way(phi, branch, one) ||
                     (!branch.wraps &&
                      (!matters(id, branch, one) || (phi.op == Op::Phi && !is_observed(id, &branch, &one))));
            }))
          continue;
        if (phi.op == Op::Phi && !is_observed(id)) continue;
        g_.asks_masks = !phi.scalar;
        return refuse(end.offset,
                      fmt::format("has a {} that depends on whether any lane takes this branch; it is used from {} on",
                                  phi.scalar ? "scalar register" : "mask", source_.decoder.place_text(phi.offset)));
      }
    if (barrier) {
      if (!branch.wraps && exec_branch(end.offset) && !barrier_outside()) g_.skippable = end.offset;
      return refuse(*barrier, "has a barrier that not all lanes reach");
    }
    if (branch.wraps && g_.loop[b] != kNone) {
      check_masks_behind(branch, g_.loop[b], end.offset);
      loops_left_.emplace_back(g_.loop[b], end.offset);
    }
  }
  // The blocks of the masks, or of the scalar registers, merged where ways meet, that a value is made of: none of them
  // comes before the first or after the last.
  struct Span {
    u32 first = kNone, last = 0;
    void add(const Span& other) { first = std::min(first, other.first), last = std::max(last, other.last); }
  };
  // A value that a phi or an effect has, where control comes from or is, or the condition of a block's branch.
  struct Use {
    Id value, user = kNone;
    u32 block;
    Span span;
  };
  // Of what `scalars`, or else masks, are merged in.
  const std::vector<Use>& uses_of(bool scalars) {
    std::optional<std::vector<Use>>& out = scalars ? scalar_uses_ : mask_uses_;
    if (out) return *out;
    out.emplace();
    std::vector<Span> spans(g_.nodes.size());
    std::vector<bool> live = live_;
    live.resize(g_.nodes.size());
    const std::vector<Id> order = g_.in_order(live);
    for (const Id id : order) {
      const Node& n = g_.nodes[id];
      if (Graph::phi(n.op)) {
        if (scalars ? n.scalar : n.op == Op::PhiBool) spans[id] = {n.block, n.block};
      } else if (!g_.effect(n.op) || (scalars && is_scalar_load(n))) {
        for (const Id arg : n.args) spans[id].add(spans[g_.resolve(arg)]);
      }
    }
    const auto add = [&](Id value, Id user, u32 block) {
      if (const Span& span = spans[g_.resolve(value)]; span.first != kNone) out->push_back({value, user, block, span});
    };
    for (Id id = 0; id < live_.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live_[id] || n.forward != kNone || !(Graph::phi(n.op) || g_.effect(n.op))) continue;
      for (std::size_t k = 0; k < n.args.size(); ++k)
        add(n.args[k], id, Graph::phi(n.op) ? g_.blocks[n.block].predecessors[k] : n.block);
    }
    for (u32 b = 0; b < g_.blocks.size() && !scalars; ++b)
      if (g_.blocks[b].end.kind == BlockEnd::Kind::Branch) add(g_.blocks[b].end.condition, kNone, b);
    return *out;
  }
  // Whether a use behind a loop may be of what that has merged.
  bool is_behind(const Use& use, u32 header, u32 last) const {
    return use.span.first <= last && use.span.last >= header && use.block != header && !in_loop(use.block, header);
  }
  u32 last_of_loop(u32 header) const {
    u32 last = header;
    for (u32 b = header; b < g_.blocks.size(); ++b)
      if (in_loop(b, header)) last = b;
    return last;
  }
  bool is_scalar_load(const Node& n) const {
    return n.op == Op::Load && (n.scalar || g_.accesses[n.access].room == Room::Scalar);
  }
  // A mask of a loop that lanes leave one after another, used behind it, is the one of the last turn: for a lane that
  // left before, its bit must be what it was then.
  void check_masks_behind(const Branch& branch, u32 header, u32 offset) {
    Seen seen;
    const u32 last = last_of_loop(header);
    for (const Use& use : uses_of(false)) {
      if (!is_behind(use, header, last) || keeps_its_bit(use.value, branch, header, seen)) continue;
      g_.asks_masks = true;
      return refuse(offset, "leaves a loop lane by lane whose last turn's mask is used behind it");
    }
  }
  // Whether nothing that the value is made of changes for a lane in turns behind the one in which it left.
  bool keeps_its_bit(Id id, const Branch& branch, u32 header, Seen& seen) const {
    id = g_.resolve(id);
    if (!seen.insert(id)) return true;
    if (!g_.spend()) return false;
    const Node& n = g_.nodes[id];
    const bool mask = info(n.op).result == Bool;
    if (mask && implies(id, branch, false) && implies(id, branch, true)) return true;
    const auto of_loop = [&](const Node& node) { return node.block == header || in_loop(node.block, header); };
    if (Graph::phi(n.op)) return !mask || !of_loop(n);
    // Vector registers keep what they hold; scalar ones are looked at elsewhere.
    if (g_.effect(n.op) || (is_write(n) && of_loop(n))) return true;
    const Ids args = n.args;  // nodes that are made below move it
    if (n.op == Op::BoolOr)
      for (const std::size_t k : {0u, 1u}) {
        const Id one = args[k], other = args[1 - k];
        if (collects(kept(one, branch), id, header) && implies(other, branch, true))
          return true;  // lanes that have left
        const Node& first = g_.at(one);
        if (!Graph::phi(first.op) || !of_loop(first)) continue;
        // Who is in the first, but not in the second, stays: of those that have left the second says all.
        const Id stays = g_.resolve(g_.make(Op::BoolAnd, {one, g_.make(Op::BoolNot, {other})}));
        Ids assumed;
        if (g_.implies(stays, branch.mask, assumed) && keeps_its_bit(other, branch, header, seen)) return true;
      }
    return std::ranges::all_of(args, [&](Id arg) { return keeps_its_bit(arg, branch, header, seen); });
  }
  // A mask without its bits of lanes that are still in the loop.
  Id kept(Id id, const Branch& branch) const {
    const Node& n = g_.at(id);
    if (n.op == Op::BoolAnd)
      for (const std::size_t k : {0u, 1u})
        if (const Node& off = g_.at(n.args[k]); off.op == Op::BoolNot && implies(off.args[0], branch, true))
          return g_.resolve(n.args[1 - k]);
    return g_.resolve(id);
  }
  // Whether `phi` is of the loop's header and gets `id` in each further turn.
  bool collects(Id phi, Id id, u32 header) const {
    const Node& n = g_.at(phi);
    if (n.op != Op::PhiBool || n.block != header) return false;
    for (std::size_t k = 0; k < n.args.size(); ++k)
      if (g_.blocks[header].predecessors[k] >= header && g_.resolve(n.args[k]) != id) return false;
    return true;
  }
  // In a loop in which lanes without the bit go round: whether those with it leave it for all. A branch that asks
  // whether any lane is left in the loop does not.
  bool leaves_for_others(const std::vector<bool>& others, u32 meet) const {
    for (u32 n = 0; n < g_.blocks.size(); ++n) {
      if (!in_region_[n] || others[n]) continue;
      const BlockEnd& end = g_.blocks[n].end;
      const bool asks = end.kind == BlockEnd::Kind::Branch && end.lanes && end.no == meet && end.yes != meet;
      const bool leaves = end.kind == BlockEnd::Kind::Return ||
                          std::ranges::find(g_.blocks[n].successors, meet) != g_.blocks[n].successors.end();
      if (leaves && !asks) return true;
    }
    return false;
  }
  // A wavefront that leaves barriers out must not meet others at a later one: the hardware only counts who waits.
  bool barrier_outside() const {
    for (u32 n = 0; n < g_.blocks.size(); ++n)
      if (!in_region_[n])
        for (const Id id : g_.blocks[n].effects)
          if (g_.nodes[id].op == Op::Barrier && !g_.dominates(n, region_)) return true;
    return false;
  }
  bool exec_branch(u32 offset) const {
    const gcn::Opcode opcode = source_.decoder.at(offset).opcode;
    return opcode == gcn::Opcode::s_cbranch_execz || opcode == gcn::Opcode::s_cbranch_execnz;
  }
  // Whether a lane without the bit has the same where lanes meet, whichever way the wavefront came. What nothing has
  // set on one of the ways is as good as what the other one has.
  bool same_either_way(const Node& phi, const Branch& branch, Case& known) {
    if (phi.scalar) {
      const auto unset = [&](bool region) {
        bool some = false;
        for (std::size_t k = 0; k < phi.args.size(); ++k)
          if (in_region_[g_.blocks[phi.block].predecessors[k]] == region) {
            const Node& arg = g_.at(phi.args[k]);
            if (arg.op != Op::Undefined || (region && arg.imm == kStale)) return false;
            some = true;
          }
        return some;
      };
      return unset(true) || unset(false);
    }
    if (std::ranges::all_of(phi.args, [&](Id arg) { return implies(arg, branch, branch.wraps); })) return true;
    if (branch.wraps) return false;
    Id only = kNone;
    for (const Id arg : phi.args) {
      const Id one = without(arg, branch, known);
      if (only != kNone && one != only) return false;
      only = one;
    }
    return true;
  }
  bool harmless(u32 block) const {
    for (const Id id : g_.blocks[block].effects)
      if (g_.nodes[id].forward == kNone && g_.nodes[id].op != Op::Load) return false;
    return writes_[block].empty();
  }

  // --- values --------------------------------------------------------------------------------------------------------

  // Whether a value of a block is used by lanes that are not of the mask.
  bool used_without(Id id, u32 block, Id mask) {
    in_region_.assign(g_.blocks.size() + 1, false);
    const Branch branch{block, g_.resolve(mask), false};
    std::vector<Case> cases = cases_without(branch.mask, block);
    return std::ranges::any_of(cases, [&](Case& one) { return matters(id, branch, one); });
  }
  void check_values() {
    // What was simplified since then has values that nothing is known of yet.
    const auto varies = [&](Id id) {
      if (varying(id) && varying_.size() < g_.nodes.size()) find_varying();
      return varying(id);
    };
    for (Id id = 0; id < g_.nodes.size(); ++id) {
      const Node n = g_.nodes[id];
      if (id >= live_.size() || !live_[id] || n.forward != kNone) continue;
      if (n.op == Op::MaskWord && is_observed(id)) return refuse(n.offset, "uses a lane mask as a number");
      if (n.op == Op::AnyLane && varies(n.args[0])) {
        // Lanes that are none of those it is about may get another answer, if they do nothing with it.
        const auto [lanes, uniform] = lanes_of(n.args[0], n.block);
        if (!uniform || used_without(id, n.block, lanes))
          return refuse(n.offset, "asks whether any lane of the wavefront has a bit");
      }
      if (n.op == Op::FirstLane && varies(n.args[1]))
        return refuse(n.offset, "reads the first lane of what is not the same for all lanes");
      // What only enabled lanes have loaded the others must not use, though a scalar register has it.
      if (n.op == Op::FirstLane && !g_.is(n.args[0], Op::True) && !same_for_all(g_, n.args[1])) {
        if (used_without(id, n.block, n.args[0]))
          return refuse(n.offset, "reads the first lane for lanes that are not enabled");
      }
      if (n.op == Op::MaskOfWords) return refuse(n.offset, "makes a lane mask of numbers");
    }
    // Values of a loop that lanes leave one after another, used behind it: those of scalar registers are of the last
    // lane's turn there.
    for (const auto& [header, offset] : loops_left_) {
      const u32 last = last_of_loop(header);
      for (const Use& use : uses_of(true)) {
        Seen seen;
        if (is_behind(use, header, last) && from_loop(use.value, header, seen) != kNone)
          return refuse(offset, fmt::format("leaves a loop lane by lane whose scalar register is used behind it, at {}",
                                            source_.decoder.place_text(g_.nodes[use.user].offset)));
      }
    }
  }
  // A scalar register's phi of the loop that the value is made of; `kNone`: there is none.
  Id from_loop(Id id, u32 header, Seen& seen) const {
    id = g_.resolve(id);
    if (!seen.insert(id)) return kNone;
    if (!g_.spend() || seen.size() > 2000) return id;
    const Node& n = g_.nodes[id];
    if (Graph::phi(n.op)) return n.scalar && in_loop(n.block, header) ? id : kNone;
    if (g_.effect(n.op) && !is_scalar_load(n)) return kNone;
    if (of_all(n)) return from_loop(n.args[1], header, seen);
    if (is_write(n)) return kNone;
    for (const Id arg : n.args)
      if (const Id bad = from_loop(arg, header, seen); bad != kNone) return bad;
    return kNone;
  }

  Graph& g_;
  const Source& source_;
  std::vector<bool> live_, varying_, in_region_, behind_;
  u32 leads_from_ = kNone;  // the block from which ways lead to those
  std::vector<bool> leads_to_;
  const bool around_;  // the masks of loops tell of branches in them
  std::vector<bool> apart_;  // blocks to which enabled lanes come by several ways at once
  std::vector<std::vector<Id>> writes_;  // selections by EXEC, by block
  std::vector<u32> meets_;  // where lanes that part in a block are all together again; `end_`: not before the end
  u32 end_ = 0;
  u32 region_ = 0;  // the block whose branch `in_region_` is about
  std::map<u32, std::set<u32>> joins_;
  std::vector<std::vector<Id>> users_;
  std::set<Id> decides_;  // conditions of branches
  std::vector<std::pair<u32, u32>> loops_left_;
  std::optional<std::vector<Use>> mask_uses_, scalar_uses_;
};

}  // namespace

void open_masks(Graph& graph) {
  if (std::ranges::none_of(graph.nodes, [](const Node& n) { return n.op == Op::MaskOfWords; })) return;
  bool changed = false;
  const std::vector<bool> live = graph.live();
  for (Id id = 0; id < live.size(); ++id) {
    if (!live[id] || graph.nodes[id].forward != kNone || graph.nodes[id].op != Op::MaskOfWords) continue;
    const Id low = graph.nodes[id].args[0], high = graph.nodes[id].args[1];
    if (!graph.is_number(low) || !graph.is_number(high)) continue;
    const Id lane = graph.make(Op::LaneId), half = graph.constant(32);
    const Id word = graph.make(Op::Select, {graph.make(Op::LtU, {lane, half}), low, high});
    const Id bit = graph.make(Op::Shr, {word, graph.make(Op::And, {lane, graph.constant(31)})});
    graph.nodes[id].forward = graph.make(Op::NeU, {graph.make(Op::And, {bit, graph.constant(1)}), graph.constant(0)});
    changed = true;
  }
  if (changed) graph.simplify(false);
}

void check_others(Graph& graph) {
  const std::vector<bool> live = graph.live();
  for (Id id = 0; id < live.size(); ++id) {
    const Node& n = graph.nodes[id];
    if (!live[id] || n.forward != kNone) continue;
    const char* const why = n.op == Op::LanesBelow  ? "counts the lanes of a mask that come before a lane"
                            : n.op == Op::ReadLane  ? "reads what other lanes have"
                            : n.op == Op::WriteLane ? "sets a register of one lane"
                                                    : nullptr;
    if (why != nullptr) return graph.refuse(Code::LiftLanes, n.offset, why);
  }
}
void check_lanes(Graph& graph, const Source& source, bool around) { Lanes(graph, source, around).run(); }

namespace {

// The number of a lane by the work-item's ids: wavefronts are made of 64 each, x before y before z.
Id lane_id(Graph& graph) {
  const auto size = [&](u32 d) {
    return graph.required[d] != 0 ? graph.constant(graph.required[d]) : graph.make(Op::LaunchWord, {}, kLocalSize + d);
  };
  const auto own = [&](u32 d) { return graph.required[d] == 1 ? graph.constant(0) : graph.make(Op::LocalId, {}, d); };
  Id out = own(2);
  for (u32 d = 2; d-- > 0;) out = graph.make(Op::Add, {own(d), graph.make(Op::Mul, {out, size(d)})});
  const u64 whole = graph.required_size();
  return whole != 0 && whole <= kLanes ? out : graph.make(Op::And, {out, graph.constant(kLanes - 1)});
}

}  // namespace

void settle_lanes(Graph& graph, const Source& source) {
  const bool asked = std::ranges::any_of(graph.nodes, [](const Node& n) { return n.op == Op::LaneId; });
  const Id lane = asked ? lane_id(graph) : kNone;
  for (Node& n : graph.nodes) {
    if (n.forward != kNone) continue;
    if (n.op == Op::LaneId) n.forward = lane;
    if (n.op == Op::AnyLane) n.forward = graph.resolve(n.args[0]);
    if (n.op == Op::FirstLane) n.forward = graph.resolve(n.args[1]);
  }
  graph.simplify(false);
  Lanes(graph, source, false).drop_stale();
  graph.simplify(false);
}

}  // namespace amdcompat::lift
