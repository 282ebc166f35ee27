// What lanes of a wavefront did to memory in step, done by work-items.
//
// Lanes load all together, then store all together. Sources that rest on it write to local memory what another
// work-item of the wavefront may still have to read, without a barrier between; so does AMD's own matrix
// multiplication of SDK 2.5. A barrier between the two makes of it what OpenCL demands, where all work-items of a group
// come to the place. Where they do not, and it is sure that lanes exchange values so, only the wave form is right.
//
// Of a group that is one wavefront compilers leave the source's own barriers out, those for global memory too: there
// accesses that are not shown to go to places of their own are parted. Not stores to global memory between which the
// code does not wait for the first one, where its compiler does so at every barrier, also one that it leaves out: the
// source had none there, and its work-items are on their own.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <amdcompat/gcn_checks.hpp>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

using Terms = std::vector<std::pair<Id, i64>>;  // values and their factors, sorted, each once and none by 0

// A byte address as a sum: a number, and values by their factors.
struct Sum {
  i64 number = 0;
  Terms of{};
};
// The same, and what is asked of it for every other access.
struct Place {
  Sum sum;
  Terms own, between;  // of `sum`: what a work-item has another of by its number; what is the same for all of a group
  bool opaque = false;  // there are more terms: values of a work-item of another kind
  i64 row = 0, grid = 0;  // what all terms but `own`, and what all of them are multiples of
  i64 stride = 0;  // least distance of `own`; 0: there is none
  std::optional<i64> most, most_beside;  // largest value; that without `own`
  i64 least = 0;
};

// Byte addresses in the lanes of a wavefront; nothing: more than numbers of work-items makes them.
using LanePlaces = std::optional<std::array<u64, kLanes>>;

// Whether two accesses, one of which stores, may go to one place in two work-items. `Unlikely`: where work-items have
// rows of their own, and the source alone knows that no index leaves them.
enum class Meeting : u8 { Never, Unlikely, Maybe, Surely };

class InStep {
 public:
  // `store_waits`: where the code waits for its stores, in order; absent: its compiler leaves that out with a barrier.
  InStep(Graph& graph, u32 most_work_items, bool alone, std::optional<std::vector<u32>> store_waits)
      : g_(graph), most_(most_work_items), alone_(alone), store_waits_(std::move(store_waits)) {}

  StepOutcome run() {
    live_ = g_.live();
    if (!exchanges()) return {};
    look();
    StepOutcome out;
    // A barrier is one more place where ways end, so that what was looked at before it needs no other; what is still
    // open without one is known when all is looked at once more and none is put in.
    for (bool more = true; more && g_.spend();) {
      out = {.barriers = out.barriers};
      more = separate_all(out);
    }
    return out;
  }

 private:
  // What is known of the graph, until it has other blocks.
  void look() {
    places_.clear();
    lane_places_.clear();
    place_of_.clear();
    elsewhere_.clear();
    find_varying();
    find_parted();
    if (alone_) find_used();
  }
  // Whether barriers were put in.
  bool separate_all(StepOutcome& out) {
    const u32 before = out.barriers;
    const std::size_t blocks = g_.blocks.size();
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      for (std::size_t n = 0; n < g_.blocks[b].effects.size(); ++n)
        while (n < g_.blocks[b].effects.size() && shared(g_.blocks[b].effects[n]) && separate(b, n, out)) {
          ++out.barriers;
          if (g_.blocks.size() != blocks || !g_.spend()) return true;  // they have other numbers now
        }
    return out.barriers != before;
  }
  bool waits(Id id) const { return g_.nodes[id].op == Op::Barrier && g_.nodes[id].forward == kNone; }
  bool local(Id id) const { return g_.accesses[g_.nodes[id].access].room == Room::Local; }
  // Whether an effect accesses memory in which work-items may be in each other's way: local memory; of a group that is
  // one wavefront, whose compiler left out barriers for global memory too, both.
  bool shared(Id id) const {
    const Node& n = g_.nodes[id];
    const bool accesses = n.op == Op::Load || n.op == Op::Store || n.op == Op::Atomic;
    if (!accesses || n.forward != kNone || (n.op == Op::Load && id < live_.size() && !live_[id])) return false;
    const Room room = g_.accesses[n.access].room;
    return room == Room::Local ||
           (alone_ && (room == Room::Uav || room == Room::Flat || room == Room::Generic || room == Room::Scalar));
  }
  bool exchanges() const {
    bool load = false, store = false;
    for (const BasicBlock& block : g_.blocks)
      for (const Id id : block.effects)
        if (shared(id)) (g_.nodes[id].op == Op::Load ? load : store) = true;
    return (load || alone_) && store;
  }

  // --- what is the same in a whole group ---------------------------------------------------------------------

  // Values that work-items of a group may have of their own: made of what is a lane's, or met where they part.
  void find_varying() {
    varying_.assign(g_.nodes.size(), false);
    std::vector<bool> parts(g_.blocks.size()), meets(g_.blocks.size());
    for (bool changed = true; changed && g_.spend();) {
      changed = false;
      for (Id id = 0; id < g_.nodes.size(); ++id) {
        const Node& n = g_.nodes[id];
        if (varying_[id] || n.forward != kNone || !g_.spend()) continue;
        const bool own = n.op == Op::Load && g_.accesses[n.access].room == Room::Scratch;
        if (own || of_a_lane(n.op) || (Graph::phi(n.op) && meets[n.block]) ||
            std::ranges::any_of(n.args, [&](Id arg) { return arg != kNone && varying_[g_.resolve(arg)]; }))
          changed = varying_[id] = true;
      }
      for (u32 b = 0; b < g_.blocks.size(); ++b) {
        const BlockEnd& end = g_.blocks[b].end;
        if (parts[b] || end.kind != BlockEnd::Kind::Branch || !varying_[g_.resolve(end.condition)]) continue;
        changed = parts[b] = true;
        for (const u32 at : g_.joins(b)) meets[at] = true;
        // Turns of a loop that work-items leave by themselves.
        for (u32 h = g_.loop[b]; h != kNone; h = g_.outer[h])
          if (std::ranges::any_of(g_.blocks[b].successors, [&](u32 to) { return !g_.in_loop(to, h); })) meets[h] = true;
      }
    }
    parts_ = std::move(parts);
  }

  // The next block that every way from a block comes to; the number of blocks: only the end of the kernel.
  std::vector<u32> post_dominators() const {
    const u32 end = static_cast<u32>(g_.blocks.size());
    std::vector<u32> out(end + 1, kNone);
    out[end] = end;
    // Blocks are in reverse postorder, so that mostly what follows is known.
    std::vector<u32> depth(end + 1);
    const auto common = [&](u32 a, u32 b) {
      while (a != b) {
        if (!g_.spend()) return end;
        if (depth[a] < depth[b]) std::swap(a, b);
        a = out[a];
      }
      return a;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (u32 b = end; b-- > 0;) {
        u32 now = g_.blocks[b].successors.empty() ? end : kNone;
        for (const u32 s : g_.blocks[b].successors)
          if (out[s] != kNone) now = now == kNone ? s : common(now, s);
        if (now == kNone || (out[b] == now && depth[b] == depth[now] + 1)) continue;
        if (!g_.spend()) return {};
        out[b] = now;
        depth[b] = depth[now] + 1;
        changed = true;
      }
    }
    return out;
  }

  // Blocks that some work-items of a group may come to without the others.
  void find_parted() {
    const std::vector<u32> next = post_dominators();
    parted_.assign(g_.blocks.size(), next.empty());
    if (next.empty()) return;
    for (u32 b = 0; b < g_.blocks.size(); ++b) {
      if (!parts_[b]) continue;
      std::vector<bool> seen(g_.blocks.size());
      std::vector<u32> open(g_.blocks[b].successors);
      while (!open.empty()) {
        const u32 at = open.back();
        open.pop_back();
        if (at == next[b] || seen[at]) continue;
        seen[at] = parted_[at] = true;
        open.insert(open.end(), g_.blocks[at].successors.begin(), g_.blocks[at].successors.end());
      }
    }
  }

  // --- places -------------------------------------------------------------------------------------------------

  static void add_term(Terms& to, Id id, i64 factor) {
    if (factor == 0) return;
    const auto at = std::ranges::lower_bound(to, id, {}, &std::pair<Id, i64>::first);
    if (at == to.end() || at->first != id) {
      to.insert(at, {id, factor});
      return;
    }
    at->second += factor;
    if (at->second == 0) to.erase(at);
  }
  // Sums of 64 bits are of elements, whose numbers do not go around (docs/lift.md, «What is assumed»).
  void add(Sum& to, Id id, i64 factor, u32 steps) const {
    id = g_.resolve(id);
    const Node& n = g_.nodes[id];
    const auto number = [&](std::size_t k) { return g_.value(n.args[k]); };
    const bool deep = steps == 0 || !g_.spend();
    if (n.op == Op::Const || (n.op == Op::Const64 && std::in_range<i32>(static_cast<i64>(n.imm)))) {
      to.number = static_cast<i32>(to.number + factor * static_cast<i32>(n.imm));
    } else if (!deep && (n.op == Op::Add || n.op == Op::Sub || n.op == Op::Add64 || n.op == Op::Sub64)) {
      const bool sum = n.op == Op::Add || n.op == Op::Add64;
      add(to, n.args[0], factor, steps - 1);
      add(to, n.args[1], sum ? factor : -factor, steps - 1);
    } else if (!deep && n.op == Op::Join && extends(n)) {
      add(to, n.args[0], factor, steps - 1);
    } else if (!deep && n.op == Op::Mul && number(1)) {
      add(to, n.args[0], static_cast<i32>(factor * static_cast<i32>(*number(1))), steps - 1);
    } else if (!deep && (n.op == Op::Shl || n.op == Op::Shl64) && number(1) && *number(1) < 16) {
      add(to, n.args[0], static_cast<i32>(factor << *number(1)), steps - 1);
    } else if (!deep && n.op == Op::Or && (g_.mask_of(n.args[0]) & g_.mask_of(n.args[1])) == 0) {
      add(to, n.args[0], factor, steps - 1);
      add(to, n.args[1], factor, steps - 1);
    } else if (!deep && low_part(id) != ~0u) {
      add(to, n.args[1], factor, steps - 1);
      add_term(to.of, id, factor);  // stands for its low part
    } else {
      add_term(to.of, id, factor);
    }
  }
  // Whether a pair is a number of 32 bits, with or without a sign.
  bool extends(const Node& pair) const {
    if (g_.value(pair.args[1]) == 0u) return true;
    const Node& high = g_.at(pair.args[1]);
    return high.op == Op::Sar && g_.resolve(high.args[0]) == g_.resolve(pair.args[0]) && g_.value(high.args[1]) == 31u;
  }
  // Bits that a value takes from elsewhere and puts into what has none there; all: it does not.
  u32 low_part(Id id) const {
    const Node& n = g_.at(id);
    if (n.op != Op::BitSelect || !g_.value(n.args[0])) return ~0u;
    const u32 bits = ~*g_.value(n.args[0]);
    return (g_.mask_of(n.args[1]) & bits) == 0 ? bits : ~0u;
  }
  // Of the address of an access to shared memory. Each pair of accesses asks for both.
  const Place& place(Id effect) {
    if (place_of_.size() < g_.nodes.size()) place_of_.resize(g_.nodes.size());
    const Place*& known = place_of_[effect];
    if (known == nullptr) known = &place_at(g_.resolve(g_.nodes[effect].args[1]));
    return *known;
  }
  const Place& place_at(Id address) {
    const auto [at, is_new] = places_.try_emplace(address);
    Place& out = at->second;
    if (!is_new) return out;
    add(out.sum, at->first, 1, 12);
    Sum beside{.number = out.sum.number};
    for (const auto& [id, factor] : out.sum.of) {
      const bool own = is_id(id);
      const i64 step = step_of(id, factor);
      out.grid = std::gcd(out.grid, step);
      if (own) {
        out.own.emplace_back(id, factor);
        out.stride = out.stride == 0 ? std::abs(factor) : std::min(out.stride, std::abs(factor));
      } else {
        beside.of.emplace_back(id, factor);
        out.row = std::gcd(out.row, step);
      }
      if (!varying_[id]) out.between.emplace_back(id, factor);
      out.opaque = out.opaque || (varying_[id] && !own);
    }
    out.most = most(out.sum);
    out.most_beside = most(beside);
    out.least = least(out.sum);
    return out;
  }
  i64 bytes(Id effect) const {
    const Access& what = g_.accesses[g_.nodes[effect].access];
    return i64{what.bytes} * what.components;
  }
  bool is_id(Id id) const { return g_.is(id, Op::LocalId); }
  // How many of its low bits are never set. A phi is taken for 0 in what it is made of itself: what is done with it
  // there sets no more of them than it has.
  u32 zeros_of(Id id, std::vector<Id>& phis, u32 steps = 8) const {
    constexpr u32 kAll = 31;
    id = g_.resolve(id);
    const Node& n = g_.nodes[id];
    if (n.op == Op::Const) return std::min(static_cast<u32>(std::countr_zero(static_cast<u32>(n.imm))), kAll);
    if (std::ranges::find(phis, id) != phis.end()) return kAll;
    if (steps == 0 || !g_.spend()) return 0;
    const auto of = [&](std::size_t k) { return zeros_of(n.args[k], phis, steps - 1); };
    switch (n.op) {
      case Op::Phi: {
        phis.push_back(id);
        u32 out = kAll;
        for (std::size_t k = 0; k < n.args.size() && out != 0; ++k) out = std::min(out, of(k));
        phis.pop_back();
        return out;
      }
      case Op::Add:
      case Op::Sub:
      case Op::Or:
      case Op::Xor: return std::min(of(0), of(1));
      case Op::And: return std::max(of(0), of(1));
      case Op::Select: return std::min(of(1), of(2));
      case Op::Mul: return std::min(of(0) + of(1), kAll);
      case Op::Shl: return g_.value(n.args[1]) ? std::min(of(0) + (*g_.value(n.args[1]) & 31), kAll) : of(0);
      default: return 0;
    }
  }
  i64 step_of(Id id, i64 factor) const {
    std::vector<Id> phis;
    return factor * (i64{1} << zeros_of(id, phis));
  }

  // Whether a value is a multiple of the work-group's size in a dimension: rows of a table with a column for each.
  bool of_group_size(Id id, u32 steps = 4) const {
    const Node& n = g_.at(id);
    if (n.op == Op::LaunchWord) return is_of_axis(n.imm, kGlobalSize) || is_of_axis(n.imm, kLocalSize);
    if (steps == 0) return false;
    if (n.op == Op::Mul) return of_group_size(n.args[0], steps - 1) || of_group_size(n.args[1], steps - 1);
    if (n.op == Op::Shl) return of_group_size(n.args[0], steps - 1);
    if (n.op == Op::Add || n.op == Op::Sub)
      return of_group_size(n.args[0], steps - 1) && of_group_size(n.args[1], steps - 1);
    return false;
  }

  // What holds where an effect is: of branches that lead there, and of its mask.
  template <class Holds>
  bool holds_at(Id effect, Holds&& holds) const {
    std::vector<std::pair<Id, bool>> open{{g_.nodes[effect].args[0], true}};
    for (u32 b = g_.nodes[effect].block; b != 0; b = g_.idom[b]) {
      const BlockEnd& end = g_.blocks[g_.idom[b]].end;
      if (g_.blocks[b].predecessors.size() == 1 && end.kind == BlockEnd::Kind::Branch && end.yes != end.no)
        open.emplace_back(end.condition, end.yes == b);
    }
    while (!open.empty()) {
      auto [id, is] = open.back();
      open.pop_back();
      const Node& n = g_.at(id);
      if (n.op == Op::BoolNot)
        open.emplace_back(n.args[0], !is);
      else if (n.op == (is ? Op::BoolAnd : Op::BoolOr))
        open.insert(open.end(), {{n.args[0], is}, {n.args[1], is}});
      else if (holds(n, is))
        return true;
    }
    return false;
  }
  // Whether only work-items whose number is below a bound, which is a value or a number, make the access.
  bool is_below(Id effect, Id number, Id bound, i64 at_most) const {
    return holds_at(effect, [&](const Node& n, bool is) {
      const bool less = is && (n.op == Op::LtU || n.op == Op::LtI);
      const bool not_more = !is && (n.op == Op::LeU || n.op == Op::LeI);
      if (!less && !not_more) return false;
      const Id a = g_.resolve(n.args[less ? 0 : 1]), b = g_.resolve(n.args[less ? 1 : 0]);  // a < b
      if (a != number) return false;
      return b == bound || (bound == kNone && g_.value(b) && *g_.value(b) <= static_cast<u64>(at_most));
    });
  }

  // Largest value of a sum whose terms are bounded and not below 0.
  std::optional<i64> most(const Sum& sum) const {
    i64 out = sum.number;
    for (const auto& [id, factor] : sum.of) {
      const u32 mask = std::min(g_.mask_of(id), low_part(id));
      constexpr i64 kMost = 1 << 20;  // more than local memory has bytes
      if (factor < 0 || factor > kMost || mask == ~0u) return std::nullopt;
      out += factor * static_cast<i64>(is_id(id) ? std::min(mask, most_ - 1) : mask);
    }
    return sum.number < 0 || !std::in_range<i32>(out) ? std::nullopt : std::optional(out);
  }

  // Of two accesses at places of work-items that are `step` apart, the first of which goes `by` behind the other: the
  // one that goes where a work-item of a larger number goes with the other.
  static Id lower(Id first, Id second, i64 by, i64 step) { return (by > 0) == (step > 0) ? second : first; }

  // Whether a work-item reads what it has just stored, at a place that is not its own by its number. No compiler leaves
  // that of memory that is not volatile, and a source does it to see which lane's store is there now:
  // `do { h[b] = c; } while (h[b] != c);`.
  bool reads_back(Id first, Id second) {
    const Node &store = g_.nodes[first], &load = g_.nodes[second];
    if (store.op != Op::Store || load.op != Op::Load || store.block != load.block) return false;
    if (g_.resolve(store.args[1]) != g_.resolve(load.args[1]) || bytes(first) != bytes(second)) return false;
    if (!place(first).own.empty()) return false;
    const auto& effects = g_.blocks[store.block].effects;
    const auto from = std::ranges::find(effects, first), to = std::ranges::find(effects, second);
    const auto writes = [&](Id id) {
      const Node& n = g_.nodes[id];
      return n.forward == kNone && n.op != Op::Load && (n.op == Op::Barrier || local(id));
    };
    if (from > to || std::any_of(from, to, [&](Id id) { return id != first && writes(id); })) return false;
    // Of one work-item alone.
    return !holds_at(second, [&](const Node& n, bool is) {
      return n.op == (is ? Op::EqU : Op::NeU) && (is_id(g_.resolve(n.args[0])) || is_id(g_.resolve(n.args[1])));
    });
  }

  Meeting meet(Id first, Id second) {
    const Node &a = g_.nodes[first], &b = g_.nodes[second];
    if (g_.accesses[a.access].argument != g_.accesses[b.access].argument) return Meeting::Never;
    const Place &from = place(first), &to = place(second);
    const i64 size = bytes(first), other_size = bytes(second), stride = from.stride;
    if (from.most && *from.most + size <= to.least) return Meeting::Never;
    if (to.most && *to.most + other_size <= from.least) return Meeting::Never;
    const bool alike = from.own == to.own, opaque = from.opaque || to.opaque;
    const i64 number = from.sum.number - to.sum.number;
    // Both stay in a row that is the work-item's own.
    if (alike && from.most_beside && to.most_beside && *from.most_beside + size <= stride &&
        *to.most_beside + other_size <= stride)
      return Meeting::Never;
    // A column of a work-item each, in rows that are longer than the group.
    if (alike && from.own.size() == 1 && std::gcd(std::gcd(from.row, to.row), number) >= stride * most_ &&
        std::max(size, other_size) <= stride)
      return Meeting::Never;
    if (reads_back(first, second)) return Meeting::Surely;
    // What holds of one turn of a loop need not hold of one's first and another's second.
    const bool again = elsewhere_in_another_turn(first, second);
    // One place by its form: a work-item's own, or one that the source itself has to share with care.
    if (!again && g_.resolve(a.args[1]) == g_.resolve(b.args[1])) return Meeting::Never;
    const bool rows = alike && stride > size && stride > other_size, level = from.between == to.between;
    if (opaque && number == 0 && level && from.own.empty() && to.own.empty() && odd_steps(first, second))
      return Meeting::Never;
    if (opaque) return rows ? Meeting::Unlikely : Meeting::Maybe;
    if (!alike) return level && from.most && to.most ? Meeting::Surely : Meeting::Maybe;
    if (from.own.empty()) return Meeting::Maybe;  // the same place for all
    if (level && !again) return by_number(first, second, from, number);
    if (rows) return Meeting::Unlikely;
    // What lies between the two, the same for all of a group. Where it is another one in every turn, and no barrier can
    // be, work-items had to be in step.
    const Meeting unknown = again ? Meeting::Surely : Meeting::Maybe;
    if (number != 0) return unknown;
    Terms between = from.between;
    for (const auto& [id, factor] : to.between) {
      if (again)
        between.emplace_back(id, factor);
      else
        add_term(between, id, -factor);
    }
    // In rows as long as the group.
    if (std::ranges::all_of(between, [&](const auto& term) { return of_group_size(term.first); }))
      return Meeting::Never;
    if (between.size() == 1 && from.own.size() == 1) {
      const auto [bound, factor] = between.front();
      const auto [id, step] = from.own.front();
      if (std::abs(factor) == stride && is_below(lower(first, second, factor, step), id, bound, 0))
        return again ? Meeting::Surely : Meeting::Never;
    }
    return unknown;
  }

  // --- one wavefront alone ------------------------------------------------------------------------------------

  // Values of atomic operations that something may need.
  void find_used() {
    used_.assign(g_.nodes.size(), false);
    for (const Node& n : g_.nodes)
      if (n.forward == kNone)
        for (const Id arg : n.args)
          if (arg != kNone) used_[g_.resolve(arg)] = true;
  }
  // Whether no order of two accesses leaves another memory than the other one.
  bool any_order(Id first, Id second) const {
    const Node &a = g_.nodes[first], &b = g_.nodes[second];
    if (a.op == Op::Load && b.op == Op::Load) return true;
    if (a.op != Op::Atomic || b.op != Op::Atomic || used_[first] || used_[second]) return false;
    constexpr std::string_view kCommute[] = {"add", "and", "or", "xor", "min", "max"};
    const Access &x = g_.accesses[a.access], &y = g_.accesses[b.access];
    return x.atomic == y.atomic && x.bytes == y.bytes && x.is_signed == y.is_signed &&
           std::ranges::find(kCommute, x.atomic) != std::end(kCommute);
  }
  // Whether every work-item of the group, whose size is known, has other `bytes` bytes by the terms of its number.
  bool of_each(const Terms& own, i64 bytes) const {
    if (std::ranges::find(g_.required, 0u) != g_.required.end()) return false;
    std::vector<std::pair<i64, i64>> steps;  // and how many work-items they count
    std::array<bool, 3> counted{};
    for (const auto& [id, factor] : own) {
      const u64 dimension = g_.nodes[id].imm;
      counted[dimension] = true;
      if (g_.required[dimension] > 1) steps.emplace_back(std::abs(factor), g_.required[dimension]);
    }
    for (std::size_t d = 0; d < counted.size(); ++d)
      if (g_.required[d] > 1 && !counted[d]) return false;
    std::ranges::sort(steps);
    i64 taken = bytes;
    for (const auto& [step, count] : steps) {
      if (step < taken) return false;
      taken = step * (count - 1) + taken;
    }
    return true;
  }
  // Whether an access goes elsewhere in another turn of a loop.
  bool goes_elsewhere(Id id) {
    if (elsewhere_.size() <= id) elsewhere_.resize(g_.nodes.size());
    std::optional<bool>& known = elsewhere_[id];
    if (!known) known = g_.changes(g_.nodes[id].args[1], g_.nodes[id].block);
    return *known;
  }
  // Whether one of both goes elsewhere in another turn of a loop in which they meet.
  bool elsewhere_in_another_turn(Id first, Id second) {
    return (goes_elsewhere(first) || goes_elsewhere(second)) && meets_in_another_turn(first, second);
  }
  // Whether two stores, one behind the other, had no barrier between that orders global memory.
  bool had_no_barrier(Id first, Id second) const {
    const Node &a = g_.nodes[first], &b = g_.nodes[second];
    if (!store_waits_ || a.op != Op::Store || b.op != Op::Store || local(first) || local(second)) return false;
    const auto wait = std::ranges::lower_bound(*store_waits_, a.offset);
    const bool waits = a.offset > b.offset || (wait != store_waits_->end() && *wait < b.offset);
    return !waits && !meets_in_another_turn(first, second);
  }
  Meeting meet_alone(Id first, Id second) {
    const Access &a = g_.accesses[g_.nodes[first].access], &b = g_.accesses[g_.nodes[second].access];
    if (any_order(first, second) || local(first) != local(second)) return Meeting::Never;
    if (a.argument != b.argument || a.data != b.data) {
      // Addresses of which it is not known whose they are may be any argument's.
      const auto known = [](const Access& of) { return of.argument >= 0 || of.data >= 0; };
      return local(first) || (known(a) && known(b)) ? Meeting::Never : Meeting::Maybe;
    }
    const Place &from = place(first), &to = place(second);
    const i64 size = bytes(first), other_size = bytes(second), most = std::max(size, other_size);
    if (from.most && to.most && (*from.most + size <= to.least || *to.most + other_size <= from.least))
      return Meeting::Never;
    // Of powers of two: sums of 32 bits may go around.
    const i64 by = from.sum.number - to.sum.number, any = std::gcd(from.grid, to.grid), grid = any & -any;
    if (const i64 behind = grid == 0 ? 0 : (grid - by % grid) % grid; behind >= size && grid - behind >= other_size)
      return Meeting::Never;  // in other parts of whatever rows
    if (from.opaque || to.opaque || from.own != to.own) return Meeting::Maybe;
    const i64 stride = from.stride;
    if (from.most_beside && to.most_beside && *from.most_beside + size <= stride &&
        *to.most_beside + other_size <= stride && of_each(from.own, stride))
      return Meeting::Never;
    if (!of_each(from.own, most) || elsewhere_in_another_turn(first, second)) return Meeting::Maybe;
    const bool level = from.between == to.between;
    if (level && by == 0) return Meeting::Never;
    // Work-items in a row, of which only the first ones go to the lower places.
    if (from.own.size() != 1) return Meeting::Maybe;
    const auto [number, step] = from.own.front();
    if (level) {
      const i64 lanes = std::abs(by) / stride;
      return by % stride == 0 && is_below(lower(first, second, by, step), number, kNone, lanes) ? Meeting::Never
                                                                                                : Meeting::Maybe;
    }
    Terms between = from.between;
    for (const auto& [id, factor] : to.between) add_term(between, id, -factor);
    if (by != 0 || between.size() != 1) return Meeting::Maybe;
    const auto [bound, factor] = between.front();
    const bool below = is_below(lower(first, second, factor, step), number, bound, 0);
    return std::abs(factor) == stride && below ? Meeting::Never : Meeting::Maybe;
  }

  // Whether a way without a barrier leads from one effect to another through the next turn of a loop.
  bool meets_in_another_turn(Id first, Id second) const {
    std::array<std::vector<bool>, 2> seen{std::vector<bool>(g_.blocks.size()), std::vector<bool>(g_.blocks.size())};
    std::vector<std::pair<u32, bool>> open;  // and whether that is another turn
    // True: it meets the other there.
    const auto walk = [&](u32 at, bool turned, std::size_t from) {
      const auto& effects = g_.blocks[at].effects;
      for (std::size_t k = from; k < effects.size(); ++k) {
        if (effects[k] == second && turned) return true;
        if (waits(effects[k])) return false;
      }
      for (const u32 to : g_.blocks[at].successors) open.emplace_back(to, turned || to <= at);
      return false;
    };
    const u32 block = g_.nodes[first].block;
    const auto& effects = g_.blocks[block].effects;
    if (walk(block, false, static_cast<std::size_t>(std::ranges::find(effects, first) - effects.begin()) + 1))
      return true;
    while (!open.empty()) {
      const auto [at, turned] = open.back();
      open.pop_back();
      if (seen[turned ? 1 : 0][at]) continue;
      seen[turned ? 1 : 0][at] = true;
      if (!g_.spend() || walk(at, turned, 0)) return true;
    }
    return false;
  }
  // Whether the only thing that differs is by what the same number is multiplied, and that never is the same in any two
  // work-items: all multiples of a power of two in one, and none in the other. `block[offset * (2 * id + 1) - 1]` and
  // `block[offset * (2 * id + 2) - 1]` are so. With an offset of 0 all have one place, which a source shares with care.
  bool odd_steps(Id first, Id second) {
    std::array<Id, 2> products{kNone, kNone};
    std::array<i64, 2> factors{};
    for (const std::size_t k : {0u, 1u})
      for (const auto& [id, factor] : place(k == 0 ? first : second).sum.of) {
        if (!varying_[id]) continue;
        if (products[k] != kNone || !g_.is(id, Op::Mul)) return false;
        products[k] = id;
        factors[k] = factor;
      }
    if (products[0] == kNone || products[1] == kNone || factors[0] != factors[1]) return false;
    if (std::max(bytes(first), bytes(second)) > std::abs(factors[0])) return false;
    const Node &a = g_.nodes[products[0]], &b = g_.nodes[products[1]];
    for (const std::size_t i : {0u, 1u})
      for (const std::size_t k : {0u, 1u}) {
        const Id common = g_.resolve(a.args[i]);
        if (common != g_.resolve(b.args[k]) || varying_[common]) continue;
        if (g_.changes(common, g_.nodes[first].block) && meets_in_another_turn(first, second)) continue;
        Sum steps, others;
        add(steps, a.args[1 - i], 1, 12);
        add(others, b.args[1 - k], 1, 12);
        i64 all = 0;
        for (const Sum* const sum : {&steps, &others})
          for (const auto& [id, factor] : sum->of) all = std::gcd(all, factor);
        const i64 between = steps.number - others.number;
        if (between != 0 && std::countr_zero(static_cast<u64>(between)) < std::countr_zero(static_cast<u64>(all)))
          return true;
      }
    return false;
  }
  static i64 least(const Sum& sum) {
    const bool below = sum.number < 0 || std::ranges::any_of(sum.of, [](const auto& term) { return term.second < 0; });
    return below ? 0 : sum.number;
  }
  // Places of work-items at some distance, of which one access goes `by` bytes behind the other.
  Meeting by_number(Id first, Id second, const Place& from, i64 by) const {
    const i64 stride = from.stride;
    const i64 rest = std::abs(by) % stride, size = std::max(bytes(first), bytes(second));
    if (std::abs(by) < size) return Meeting::Never;  // parts of one value
    if (stride > size && rest + size <= stride && rest != 0) return Meeting::Never;
    const i64 lanes = std::abs(by) / stride;
    if (lanes >= kLanes || lanes == 0) return lanes == 0 ? Meeting::Never : Meeting::Maybe;
    if (from.own.size() != 1) return Meeting::Maybe;
    const auto [id, step] = from.own.front();
    return is_below(lower(first, second, by, step), id, kNone, lanes) ? Meeting::Never : Meeting::Surely;
  }

  // Whether a work-item reads what another one of its wavefront has stored, as far as their numbers alone tell: what is
  // the same for all is taken for 0, and every lane for one that is on.
  bool read_by_others(Id store, Id load) {
    if (g_.nodes[store].op == Op::Load || g_.nodes[load].op != Op::Load) return false;
    const LanePlaces &stored = lane_places(store), &read = lane_places(load);
    if (!stored || !read) return false;
    for (u32 lane = 0; lane < kLanes; ++lane)
      for (u32 other = 0; other < kLanes; ++other)
        if (other != lane && (*stored)[other] == (*read)[lane]) return true;
    return false;
  }
  // Of an access, by lane. Each pair of accesses asks for both.
  const LanePlaces& lane_places(Id effect) {
    const Id address = g_.resolve(g_.nodes[effect].args[1]);
    const auto [at, is_new] = lane_places_.try_emplace(address);
    if (!is_new) return at->second;
    std::array<u64, kLanes> places{};
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const auto place = of_lane(address, lane);
      if (!place) return at->second;
      places[lane] = *place;
    }
    at->second = places;
    return at->second;
  }
  // A value in a lane; nothing: it is made of more than numbers of work-items.
  std::optional<u64> of_lane(Id id, u32 lane, u32 steps = 8) const {
    id = g_.resolve(id);
    const Node& n = g_.nodes[id];
    if (n.op == Op::Const || n.op == Op::Const64) return n.imm;
    if (n.op == Op::LocalId || n.op == Op::GlobalId) return n.imm == 0 ? lane : 0;
    if (!varying_[id]) return 0;
    if (steps == 0 || n.args.empty() || n.args.size() > 2 || !g_.spend()) return std::nullopt;
    const auto a = of_lane(n.args[0], lane, steps - 1);
    const auto b = n.args.size() == 2 ? of_lane(n.args[1], lane, steps - 1) : u64{0};
    if (!a || !b) return std::nullopt;
    const u32 x = static_cast<u32>(*a), y = static_cast<u32>(*b);
    switch (n.op) {
      case Op::Add64: return *a + *b;
      case Op::Shl64: return *a << (y & 63);
      case Op::Join: return x | u64{y} << 32;
      case Op::Low: return x;
      default: return calculate(n.op, x, y);
    }
  }

  // --- barriers -----------------------------------------------------------------------------------------------

  void put_barrier(u32 block, std::size_t at, u32 offset) {
    const Id barrier = g_.add({.op = Op::Barrier, .type = None, .block = block, .offset = offset});
    varying_.resize(g_.nodes.size());
    auto& effects = g_.blocks[block].effects;
    effects.insert(effects.begin() + static_cast<std::ptrdiff_t>(at), barrier);
  }
  // Whether there is a way from one block to another that does not lead through a third.
  bool reaches(u32 from, u32 to, u32 without) const {
    std::vector<bool> seen(g_.blocks.size());
    seen[without] = true;
    std::vector<u32> open{from};
    while (!open.empty()) {
      const u32 at = open.back();
      open.pop_back();
      if (at == to) return true;
      for (const u32 next : g_.blocks[at].successors) {
        if (!seen[next]) open.push_back(next);
        seen[next] = true;
      }
    }
    return false;
  }
  // A barrier between an effect and another behind it, where all work-items of a group come: in front of the other,
  // or of the branch that leads to it, or between the two halves of one arm of a branch. False: there is no such place.
  bool put_between(u32 from, u32 at, std::size_t before) {
    const u32 offset = g_.nodes[g_.blocks[at].effects[before]].offset;
    u32 all = at;
    while (parted_[all]) all = g_.idom[all];
    if (all == at) {
      put_barrier(at, before, offset);
    } else if (all == from || !reaches(from, at, all)) {
      put_barrier(all, g_.blocks[all].effects.size(), offset);
    } else {
      if (from != at || g_.idom[at] != all) return false;
      const u32 middle = g_.part_arm(at, before);
      if (middle == kNone) return false;
      put_barrier(middle, 0, offset);
      look();
    }
    return true;
  }

  // Whether a work-item stores to the place that it has loaded, by its form. Where not all of a group come, so that the
  // source had no barrier between, the place is its own, or one that the source itself has to share with care.
  bool updates(Id first, Id second) {
    const Node &load = g_.nodes[first], &store = g_.nodes[second];
    return load.op == Op::Load && store.op == Op::Store && g_.resolve(load.args[1]) == g_.resolve(store.args[1]) &&
           !elsewhere_in_another_turn(first, second);
  }

  // Walks from an effect of a block to all that may meet it before a barrier. True: there is one more barrier now.
  bool separate(u32 block, std::size_t n, StepOutcome& out) {
    const Id first = g_.blocks[block].effects[n];
    std::vector<bool> seen(g_.blocks.size());
    std::vector<u32> open;
    const auto walk = [&](u32 at, std::size_t from) {
      const auto& effects = g_.blocks[at].effects;
      for (std::size_t k = from; k < effects.size(); ++k) {
        const Id id = effects[k];
        if (waits(id)) return false;
        if ((!alone_ && g_.nodes[id].op == g_.nodes[first].op) || !shared(id) || !g_.spend()) continue;
        const Meeting how = alone_ ? meet_alone(first, id) : meet(first, id);
        if (how == Meeting::Never || had_no_barrier(first, id)) continue;
        if (how != Meeting::Unlikely && put_between(block, at, k)) return true;
        if (updates(first, id)) continue;
        if (!out.exchange && (alone_ || how == Meeting::Surely || (how == Meeting::Maybe && read_by_others(first, id))))
          out.exchange = g_.nodes[id].offset;
        if (g_.nodes[first].op == Op::Load) out.open = true;
      }
      open.insert(open.end(), g_.blocks[at].successors.begin(), g_.blocks[at].successors.end());
      return false;
    };
    if (walk(block, n + 1)) return true;
    while (!open.empty()) {
      const u32 at = open.back();
      open.pop_back();
      if (seen[at] || !g_.spend()) continue;
      seen[at] = true;
      if (walk(at, 0)) return true;
    }
    return false;
  }

  Graph& g_;
  u32 most_;  // work-items of a group
  bool alone_;  // that is one wavefront
  std::optional<std::vector<u32>> store_waits_;
  std::vector<bool> live_;  // at the beginning; all that is added since is
  std::vector<bool> varying_, parts_, parted_, used_;
  std::vector<std::optional<bool>> elsewhere_;  // by access
  std::unordered_map<Id, Place> places_;  // by address
  std::unordered_map<Id, LanePlaces> lane_places_;  // by address
  std::vector<const Place*> place_of_;  // by access
};

// Where machine code waits for its stores, in order.
std::vector<u32> store_waits(Decoder& decoder, gcn::Generation generation) {
  std::vector<u32> out;
  for (const gcn::Block& block : decoder.flow().blocks)
    for (const u32 offset : block.instructions)
      if (gcn::waits_for_vector_memory(decoder.at(offset), generation)) out.push_back(offset);
  std::ranges::sort(out);
  return out;
}

}  // namespace

StepOutcome keep_in_step(Graph& graph, const Source& source) {
  const u32 most = max_flat_group_size(source.kernel);
  const bool alone = most <= kLanes;
  std::optional<std::vector<u32>> waits;
  if (alone && barriers_wait_for_stores(source.program)) waits = store_waits(source.decoder, source.generation);
  return InStep(graph, most, alone, std::move(waits)).run();
}

}  // namespace amdcompat::lift
