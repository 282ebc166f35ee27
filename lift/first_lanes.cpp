// Atomic operations that the first lane does for all of a wavefront that are on.
//
// Where all lanes change one place by the same amount, LLVM lets the first of them add that amount as often as there
// are lanes, and tells each what it would have found: what was there, and the amount for each lane before it.
// [LLVM AMDGPUAtomicOptimizer.cpp] Where each has an amount of its own, a loop over the lanes sums them up first, and
// puts into a register of each what comes before it. That is what lanes leave and find that do it one after the other.
// Here each does it by itself again.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

// The half of a mask's bits that a value is, of all lanes or of those that come before one.
std::optional<u64> half_of(const Graph& g, Id id, Id mask, bool below) {
  Node word = g.at(id);
  if (below) {
    if (word.op != Op::And) return std::nullopt;
    const Node &a = g.at(word.args[0]), &b = g.at(word.args[1]);
    const Node& limit = a.op == Op::LanesBelow ? a : b;
    word = a.op == Op::LanesBelow ? b : a;
    if (limit.op != Op::LanesBelow || limit.imm != word.imm) return std::nullopt;
  }
  if (word.op != Op::MaskWord || g.resolve(word.args[0]) != mask) return std::nullopt;
  return word.imm;
}

class FirstLanes {
 public:
  explicit FirstLanes(Graph& graph) : g_(graph) {}

  void run() {
    if (!asks_lanes_below(g_)) return;
    g_.narrow_masks();
    g_.look_closely(true);
    forget_others();
    // What one has left in registers another may seem to need.
    bool changed = false;
    while (pass()) changed = true;
    if (changed) forget_others();
    g_.look_closely(false);
  }

 private:
  bool pass() {
    find_users();
    find_firsts();
    done_.clear();
    bool changed = false;
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      for (const Id id : g_.blocks[b].effects)
        if (g_.nodes[id].forward == kNone && g_.nodes[id].op == Op::Atomic) changed = opened(id) || changed;
    // Loops that nobody needs any more are gone through once.
    for (const u32 header : done_) {
      g_.blocks[header].end.condition = g_.boolean(false);
      g_.blocks[header].end.lanes = false;
    }
    if (!done_.empty())
      g_.cut();
    else if (changed)
      g_.simplify(false);
    return changed;
  }
  // What first lanes had in registers is none of lanes that use them for something else.
  void forget_others() {
    find_first_masks();
    bool changed = false;
    const std::vector<bool> live = g_.live();
    const auto forget = [&](Id id, std::size_t arg, Id lanes) {
      const Id now = g_.resolve(g_.nodes[id].args[arg]);
      if (!asks_for_first(now)) return;
      const Id own = g_.for_lanes(now, lanes);
      changed = changed || own != now;
      g_.nodes[id].args[arg] = own;
    };
    for (Id id = 0; id < live.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live[id] || n.forward != kNone || n.op != Op::BoolAnd) continue;
      for (const std::size_t k : {0u, 1u}) forget(id, k, g_.nodes[id].args[1 - k]);
    }
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      for (const Id id : g_.blocks[b].effects) {
        const Node& node = g_.nodes[id];
        if (!live[id] || node.forward != kNone || node.op == Op::Barrier || node.op == Op::Leave) continue;
        const std::size_t count = node.args.size();
        const Id lanes = node.args[0];
        for (std::size_t k = 1; k < count; ++k) forget(id, k, lanes);
      }
    if (changed) g_.simplify(false);
  }
  // The lanes that do atomic operations for others, whatever those need.
  void find_first_masks() {
    first_masks_.clear();
    for (const BasicBlock& block : g_.blocks)
      for (const Id id : block.effects)
        if (g_.nodes[id].forward == kNone && g_.nodes[id].op == Op::Atomic)
          if (const Id mask = arg(id, 0); g_.first_of(mask) != kNone) first_masks_.insert(mask);
  }
  // What a walk through all that a value is made of does with one of them.
  enum class Walk : u8 { On, Past, Found };
  // Whether `look` finds something; also where there is no time to look.
  template <class Look>
  bool finds(Id id, const Look& look) const {
    Seen seen;
    std::vector<Id> open{id};
    while (!open.empty()) {
      const Id one = g_.resolve(open.back());
      open.pop_back();
      if (!seen.insert(one)) continue;
      const Node& n = g_.nodes[one];
      const Walk now = g_.spend() ? look(n) : Walk::Found;
      if (now == Walk::Found) return true;
      // One place holds the same for all lanes that load it, whatever their mask.
      const bool load = n.op == Op::Load;
      if (now == Walk::On) open.insert(open.end(), n.args.begin() + (load ? 1 : 0), n.args.end());
    }
    return false;
  }
  // Whether a value may be made of something that is the first lane's.
  bool asks_for_first(Id id) const {
    return finds(id, [&](const Node& n) {
      const bool first = n.op == Op::Atomic && first_masks_.contains(g_.resolve(n.args[0]));
      return first || n.op == Op::LanesBelow ? Walk::Found : g_.effect(n.op) ? Walk::Past : Walk::On;
    });
  }
  Id arg(Id id, std::size_t n) const { return g_.resolve(g_.at(id).args[n]); }
  void find_users() {
    users_.assign(g_.nodes.size(), {});
    const std::vector<bool> live = g_.live();
    for (Id id = 0; id < g_.nodes.size(); ++id)
      if (live[id] && g_.nodes[id].forward == kNone)
        for (const Id of : g_.nodes[id].args) users_[g_.resolve(of)].push_back(id);
  }

  // Whether all lanes of a wavefront have a value alike.
  bool uniform(Id id) const {
    return !finds(id, [](const Node& n) {
      if (of_a_lane(n.op) || n.op == Op::Undefined) return Walk::Found;
      return !Graph::phi(n.op) ? Walk::On : n.scalar ? Walk::Past : Walk::Found;
    });
  }
  // v, of v times such a count, or times its lowest bit; `kNone`: it is none.
  Id times(Id id, Id mask, bool below, bool odd) {
    id = g_.resolve(id);
    const auto count = [&](Id of) {
      if (g_.is(of, Op::Low24U) || g_.is(of, Op::Low24I)) of = arg(of, 0);
      if (!odd) return counts_lanes(g_, g_.resolve(of), mask, below);
      return g_.is(of, Op::And) && g_.value(arg(of, 1)) == 1u && counts_lanes(g_, arg(of, 0), mask, below);
    };
    if (count(id)) return g_.resolve(g_.constant(1));
    const Node n = g_.at(id);
    if (n.op == Op::Mul)
      for (const std::size_t k : {0u, 1u})
        if (count(n.args[k])) return g_.resolve(n.args[1 - k]);
    if (n.op == Op::Shl && count(n.args[0]) && g_.value(n.args[1]))
      return g_.resolve(g_.constant(u32{1} << (*g_.value(n.args[1]) & 31)));
    if (n.op == Op::Sub && g_.value(n.args[0]) == 0u && !odd) return negative(times(n.args[1], mask, below, odd));
    return kNone;
  }
  Id negative(Id id) { return id == kNone ? kNone : g_.resolve(g_.make(Op::Sub, {g_.constant(0), id})); }

  struct Shared {
    Id mask, first;  // the lanes, and the first of them
    Id amount;  // of each
    std::string_view atomic;
    bool is_signed;
    Id old;  // what the first one found
    u32 loop = kNone;  // that sums amounts up
    Id before = kNone;  // the sum at the start of a turn of it
    Id lane = kNone;  // whose turn it is
  };
  // Values that have become others.
  using Changes = std::vector<std::pair<Id, Id>>;

  // What an atomic operation is if the first lane does it for others: `args` are those of each lane, but for the mask.
  std::optional<Shared> shared(Id id, Ids& args) {
    const Node node = g_.nodes[id];
    const Access& access = g_.accesses[node.access];
    Shared of{.mask = kNone,
              .first = g_.resolve(node.args[0]),
              .amount = kNone,
              .atomic = access.atomic,
              .is_signed = access.is_signed,
              .old = id};
    if (access.bytes != 4 || of.atomic == "cmpxchg") return std::nullopt;
    of.mask = g_.first_of(of.first);
    if (of.mask == kNone) return std::nullopt;
    for (std::size_t k = 1; k < node.args.size(); ++k) args.push_back(g_.for_lanes(node.args[k], of.first));
    const bool sum = of.atomic == "add" || of.atomic == "sub", odd = of.atomic == "xor";
    const bool extreme = of.atomic == "min" || of.atomic == "max" || of.atomic == "and" || of.atomic == "or";
    if (!sum && !odd && !extreme) return std::nullopt;
    if (!summed(of, g_.resolve(args.back()))) {
      of.loop = kNone;
      of.amount = extreme ? g_.resolve(args.back()) : times(args.back(), of.mask, false, odd);
    }
    if (of.amount == kNone) return std::nullopt;
    args.back() = of.loop != kNone ? g_.resolve(g_.constant(0)) : of.amount;
    if (!std::ranges::all_of(args, [&](Id arg) { return uniform(arg); })) return std::nullopt;
    args.back() = of.amount;
    return of;
  }
  bool opened(Id id) {
    Ids args;
    const std::optional<Shared> of = shared(id, args);
    Changes changes;
    std::vector<Id> others;
    if (!of || !told(*of, changes) || (of->loop != kNone && !needs_no_loop(*of, changes, others))) return false;
    if (of->loop != kNone) done_.insert(of->loop);
    for (const Id select : others) g_.nodes[select].args[2] = register_before(arg(select, 2), *of);
    for (const auto& [from, to] : changes) g_.nodes[from].forward = to;
    Node& now = g_.nodes[id];
    now.args.assign({of->mask});
    now.args.insert(now.args.end(), args.begin(), args.end());
    return true;
  }
  // Whose turn it is in loops over lanes, and the lanes; the first ones that do atomic operations for others.
  void find_firsts() {
    turns_.clear();
    firsts_.clear();
    for (const BasicBlock& block : g_.blocks)
      for (const Id id : block.effects) {
        if (g_.nodes[id].forward != kNone || g_.nodes[id].op != Op::Atomic) continue;
        Ids args;
        const auto of = shared(id, args);
        if (!of) continue;
        firsts_[of->mask] = of->first;
        if (of->loop != kNone) turns_[of->lane] = of->mask;
      }
  }
  // Whether what is read of the lane of a turn, or of the first one, is nothing that was found by `old`: what registers
  // hold for lanes that are not there is not read.
  bool reads_without(const Node& read, Id old) {
    Id lanes = kNone, from = kNone;
    if (const auto turn = turns_.find(g_.resolve(read.args[1])); read.op == Op::ReadLane && turn != turns_.end())
      lanes = turn->second, from = read.args[0];
    if (read.op == Op::FirstLane) {
      const auto first = firsts_.find(g_.resolve(read.args[0]));
      lanes = first != firsts_.end() ? first->second : read.args[0];
      from = read.args[1];
    }
    return lanes != kNone && !finds(g_.for_lanes(from, lanes), [&](const Node& n) {
             if (&n == &g_.nodes[old]) return Walk::Found;
             return g_.effect(n.op) ? Walk::Past : Walk::On;
           });
  }
  // Whether an amount is the sum, or what is made of all of them otherwise, of what a loop over the lanes has read.
  bool summed(Shared& of, Id sum) {
    const Node last = g_.at(sum);
    if (last.op != (of.atomic == "add" || of.atomic == "sub" ? Op::Add : combining(of)) || last.args.size() != 2)
      return false;
    for (const std::size_t k : {0u, 1u}) {
      const Id before = g_.resolve(last.args[k]);
      const Node turn = g_.at(before);
      if (turn.op != Op::Phi || !turn.scalar || turn.args.size() != 2) continue;
      const std::size_t latch = g_.resolve(turn.args[1]) == sum ? 1 : 0;
      if (g_.resolve(turn.args[latch]) != sum || g_.value(turn.args[1 - latch]) != nothing_of(of)) continue;
      of.loop = turn.block;
      of.before = before;
      if (!walks_lanes(of, latch)) continue;
      of.amount = of_lane(of, last.args[1 - k], 8);
      return of.amount != kNone;
    }
    return false;
  }
  // Whether the loop takes one lane of the mask each turn, from the first on, until none is left.
  bool walks_lanes(Shared& of, std::size_t latch) {
    const BasicBlock& block = g_.blocks[of.loop];
    const BlockEnd& end = block.end;
    if (block.predecessors.size() != 2 || block.predecessors[latch] != of.loop || !block.effects.empty()) return false;
    if (end.kind != BlockEnd::Kind::Branch || !end.lanes || end.yes != of.loop || end.no == of.loop) return false;
    const Id one = bit_of_turn(of, latch);
    const Node shift = one == kNone ? Node{} : g_.at(one);
    if (shift.op != Op::Shl64 || g_.value64(shift.args[0]) != 1u) return false;
    of.lane = g_.resolve(shift.args[1]);
    const Id lane = g_.is(of.lane, Op::And) && g_.value(arg(of.lane, 1)) == 63u ? arg(of.lane, 0) : of.lane;
    if (!g_.is(lane, Op::FirstLow64) || !g_.is(arg(lane, 0), Op::Join)) return false;
    const Id words = arg(lane, 0);
    const auto is_rest = [&](u32 half) {  // the mask's bits but that of the lane
      const Id word = arg(words, half);
      const Node turn = g_.at(word);
      if (turn.op != Op::Phi || turn.block != of.loop) return false;
      if (half_of(g_, turn.args[1 - latch], of.mask, false) != half) return false;
      const Id own = g_.make(half == 0 ? Op::Low : Op::High, {one}), rest = g_.resolve(turn.args[latch]);
      // A loop that asks for bits that are left asks for these.
      const Node& more = g_.at(asked_in(of));
      if (more.op == Op::NeU64 && arg(g_.resolve(more.args[0]), half) != rest) return false;
      return rest == g_.resolve(g_.make(Op::And, {word, g_.make(Op::Not, {own})}));
    };
    return is_rest(0) && is_rest(1);
  }
  // What the loop asks at its end, beside that lanes are on.
  Id asked_in(const Shared& of) const {
    const Id condition = g_.resolve(g_.blocks[of.loop].end.condition);
    if (g_.is(condition, Op::BoolAnd))
      for (const std::size_t k : {0u, 1u})
        if (arg(condition, k) == of.mask) return arg(condition, 1 - k);
    return condition;
  }
  // The bit of the lane whose turn it is, where the loop goes on as long as bits of a mask are left without it.
  Id bit_of_turn(const Shared& of, std::size_t latch) const {
    const Id condition = asked_in(of);
    const Node& more = g_.at(condition);
    if (more.op == Op::NeU64 && g_.is(more.args[0], Op::Join) && g_.value64(more.args[1]) == 0u) {
      const Id rest = arg(g_.resolve(more.args[0]), 0);
      if (!g_.is(rest, Op::And)) return kNone;
      for (const std::size_t k : {0u, 1u})
        if (const Id off = arg(rest, k); g_.is(off, Op::Not) && g_.is(arg(off, 0), Op::Low)) return arg(arg(off, 0), 0);
      return kNone;
    }
    if (more.op != Op::BoolAnd) return kNone;
    for (const std::size_t k : {0u, 1u}) {
      const Node &left = g_.at(more.args[k]), &other = g_.at(more.args[1 - k]);
      if (left.op != Op::PhiBool || left.block != of.loop || other.op != Op::BoolNot) continue;
      if (g_.resolve(left.args[1 - latch]) != of.mask || g_.resolve(left.args[latch]) != condition) continue;
      const Node& bit = g_.at(other.args[0]);
      if (bit.op != Op::MaskOfWords || !g_.is(bit.args[0], Op::Low) || !g_.is(bit.args[1], Op::High)) continue;
      const Id one = arg(g_.resolve(bit.args[0]), 0);
      if (arg(g_.resolve(bit.args[1]), 0) == one) return one;
    }
    return kNone;
  }
  // What a lane adds in its turn, as it has it itself; `kNone`: it depends on turns otherwise.
  Id of_lane(const Shared& of, Id id, u32 depth) {
    id = g_.resolve(id);
    const Node n = g_.at(id);
    if (n.op == Op::ReadLane) return g_.resolve(n.args[1]) == of.lane ? g_.for_lanes(n.args[0], of.mask) : kNone;
    if (uniform(id)) return depends_on(id, of.loop) ? kNone : id;
    if (depth == 0 || of_a_lane(n.op) || g_.effect(n.op) || Graph::phi(n.op) || n.op == Op::FirstLane) return kNone;
    Ids args;
    for (const Id arg : n.args) {
      args.push_back(of_lane(of, arg, depth - 1));
      if (args.back() == kNone) return kNone;
    }
    return g_.make(n.op, std::move(args), n.imm, n.block);
  }
  bool depends_on(Id id, u32 block) const {
    return finds(id, [&](const Node& n) {
      return !Graph::phi(n.op) ? Walk::On : n.block == block ? Walk::Found : Walk::Past;
    });
  }
  // Whether `look` finds something among the users of values and of what is made of them; also where there is no time.
  template <class Look>
  bool finds_user(std::vector<Id> open, const Look& look) const {
    Seen seen;
    while (!open.empty()) {
      const Id id = open.back();
      open.pop_back();
      if (!seen.insert(id) || id >= users_.size()) continue;
      for (const Id user : users_[id]) {
        if (g_.nodes[user].forward != kNone) continue;  // since they were found
        const Walk now = g_.spend() ? look(user) : Walk::Found;
        if (now == Walk::Found) return true;
        if (now == Walk::On) open.push_back(user);
      }
    }
    return false;
  }
  // Whether nothing but the operation, and what lanes are told, needs what the loop has made. `others`: registers that
  // lanes are told in, which for all other lanes hold what they held before the loop.
  bool needs_no_loop(const Shared& of, const Changes& changes, std::vector<Id>& others) const {
    std::set<Id> done{of.old}, decide;
    for (const auto& [from, to] : changes) done.insert(from);
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      if (b != of.loop && g_.blocks[b].end.condition != kNone) decide.insert(g_.resolve(g_.blocks[b].end.condition));
    std::vector<Id> made;
    for (const Id phi : g_.blocks[of.loop].phis)
      if (g_.nodes[phi].forward == kNone) made.push_back(phi);
    if (std::ranges::any_of(made, [&](Id phi) { return decide.contains(phi); })) return false;
    return !finds_user(made, [&](Id user) {
      if (done.contains(user)) return Walk::Past;
      const Node& n = g_.nodes[user];
      if (n.op == Op::Select && n.imm == kRegisterWrite && g_.resolve(n.args[0]) == of.mask &&
          done.contains(g_.resolve(n.args[1])) && register_before(g_.resolve(n.args[2]), of) != kNone) {
        others.push_back(user);
        return Walk::Past;
      }
      return g_.effect(n.op) || decide.contains(user) ? Walk::Found : Walk::On;
    });
  }
  // What each lane is told: found without the others' part. False: lanes use what the first one found otherwise.
  bool told(const Shared& of, Changes& changes) {
    // Registers that hold what it found, and those of lanes that did nothing.
    return !finds_user({of.old}, [&](Id user) {
      const Node n = g_.nodes[user];
      if (n.op == Op::Phi || n.op == Op::Select) return Walk::On;
      // Of what registers hold that nobody looks at.
      if (calculate(n.op, 1, 1) || n.op == Op::Join || n.op == Op::Low || n.op == Op::High) return Walk::On;
      if ((n.op == Op::ReadLane || n.op == Op::FirstLane) && reads_without(n, of.old)) return Walk::Past;
      const bool first = n.op == Op::FirstLane && g_.resolve(n.args[0]) == of.mask &&
                         g_.resolve(g_.for_lanes(n.args[1], of.first)) == of.old;
      return first && without_others(of, user, of.old, 2, changes) ? Walk::Past : Walk::Found;
    });
  }
  // Of the users of a value that is what the first lane found, or a sum with it: `own` is what the lane found itself.
  bool without_others(const Shared& of, Id id, Id own, u32 depth, Changes& changes) {
    if (id >= users_.size()) return false;
    const std::vector<Id> users = users_[id];
    for (const Id user : users) {
      const Node n = g_.nodes[user];
      if (n.args.size() != 2 || n.forward != kNone) return false;  // another operation's; the next pass knows it anew
      const bool second = g_.resolve(n.args[1]) == id;
      const Id other = g_.resolve(g_.for_lanes(n.args[second ? 0 : 1], of.mask));
      if (of.loop != kNone) {
        if (n.op != (of.atomic == "sub"   ? Op::Sub
                     : of.atomic == "add" ? Op::Add
                                          : combining(of)) ||
            (n.op == Op::Sub && second))
          return false;
        if (is_sum_before(other, of))
          changes.emplace_back(user, own);
        else if (depth == 0 || other == id ||
                 !without_others(of, user, g_.make(n.op, {own, other}), depth - 1, changes))
          return false;
        continue;
      }
      if (of.atomic == "add" || of.atomic == "sub") {
        if ((n.op != Op::Add && n.op != Op::Sub) || (n.op == Op::Sub && second)) return false;
        const bool complement = n.op == Op::Add && g_.is(other, Op::Not);  // -x - 1
        Id part = times(complement ? arg(other, 0) : other, of.mask, true, false);
        if ((n.op == Op::Sub || complement) != (of.atomic == "sub")) part = negative(part);
        if (part == of.amount) {
          changes.emplace_back(user, complement ? g_.make(Op::Add, {own, g_.constant(~0u)}) : own);
        } else if (depth == 0 || other == id ||
                   !without_others(of, user, g_.make(n.op, {own, other}), depth - 1, changes)) {
          return false;
        }
        continue;
      }
      const bool odd = of.atomic == "xor" && n.op == Op::Xor && times(other, of.mask, true, true) == of.amount;
      if (!odd && (n.op != combining(of) || !is_part(other, of))) return false;
      changes.emplace_back(user, own);
    }
    return true;
  }
  static Op combining(const Shared& of) {
    if (of.atomic == "min") return of.is_signed ? Op::MinI : Op::MinU;
    if (of.atomic == "max") return of.is_signed ? Op::MaxI : Op::MaxU;
    return of.atomic == "and" ? Op::And : of.atomic == "or" ? Op::Or : of.atomic == "xor" ? Op::Xor : Op::Undefined;
  }
  // What the loop has put into each lane's register: the sum before its turn.
  bool is_sum_before(Id id, const Shared& of) {
    return register_before(g_.resolve(g_.for_lanes(id, of.mask)), of) != kNone;
  }
  // What that register held before the loop, which it still does for lanes outside of the mask; `kNone`: none.
  Id register_before(Id id, const Shared& of) const {
    const Node& put = g_.at(id);
    if (put.op != Op::WriteLane || g_.resolve(put.args[0]) != of.before || g_.resolve(put.args[1]) != of.lane)
      return kNone;
    const Node& turn = g_.at(put.args[2]);
    if (turn.op != Op::Phi || turn.block != of.loop || turn.args.size() != 2) return kNone;
    for (const std::size_t k : {0u, 1u})
      if (g_.resolve(turn.args[k]) == id) return g_.resolve(turn.args[1 - k]);
    return kNone;
  }
  // What an operation does not change anything with.
  static u32 nothing_of(const Shared& of) {
    if (of.atomic == "and") return ~0u;
    if (of.atomic == "min") return of.is_signed ? 0x7fffffffu : ~0u;
    return of.atomic == "max" && of.is_signed ? 0x80000000u : 0u;
  }
  // What changes nothing for the first lane, and the amount for the others.
  bool is_part(Id id, const Shared& of) {
    const Node n = g_.at(id);
    if (n.op != Op::Select || g_.resolve(n.args[2]) != of.amount) return false;
    const Id condition = g_.resolve(n.args[0]);
    if (g_.value(n.args[1]) != nothing_of(of)) return false;
    return condition == of.first || g_.first_of(g_.resolve(g_.make(Op::BoolAnd, {of.mask, condition}))) == of.mask;
  }

  Graph& g_;
  std::vector<std::vector<Id>> users_;
  std::map<Id, Id> turns_;
  std::map<Id, Id> firsts_;  // by the mask of the others
  std::set<Id> first_masks_;
  std::set<u32> done_;  // loops over lanes
};

}  // namespace

bool asks_lanes_below(const Graph& g) {
  const auto asks = [](const Node& n) { return n.op == Op::LanesBelow && n.forward == kNone; };
  if (std::ranges::none_of(g.nodes, asks)) return false;
  const std::vector<bool> live = g.live();
  for (Id id = 0; id < g.nodes.size(); ++id)
    if (live[id] && asks(g.nodes[id])) return true;
  return false;
}

bool counts_lanes(const Graph& g, Id id, Id mask, bool below) {
  const Node& n = g.at(id);
  if (!below && n.op == Op::PopCount64 && g.is(n.args[0], Op::Join)) {
    const Node& both = g.at(n.args[0]);
    return half_of(g, both.args[0], mask, false) == 0u && half_of(g, both.args[1], mask, false) == 1u;
  }
  if (n.op != Op::Add) return false;
  const Node &a = g.at(n.args[0]), &b = g.at(n.args[1]);
  if (a.op != Op::PopCount || b.op != Op::PopCount) return false;
  const auto first = half_of(g, a.args[0], mask, below), second = half_of(g, b.args[0], mask, below);
  return first && second && *first != *second;
}

void open_first_lanes(Graph& graph) { FirstLanes(graph).run(); }

}  // namespace amdcompat::lift
