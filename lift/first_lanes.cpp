// Atomic operations that the first lane does for all of a wavefront that are on.
//
// Where all lanes change one place by the same amount, LLVM lets the first of them add that amount as often as there
// are lanes, and tells each what it would have found: what was there, and the amount for each lane before it.
// [LLVM AMDGPUAtomicOptimizer.cpp] That is what lanes leave and find that do it one after the other. Here each does it
// by itself again. Sums by lanes that each have an amount of their own stay as they are.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

class FirstLanes {
 public:
  explicit FirstLanes(Graph& graph) : g_(graph) {}

  void run() {
    if (std::ranges::none_of(g_.nodes, [](const Node& n) { return n.op == Op::LanesBelow; })) return;
    find_users();
    bool changed = false;
    for (const BasicBlock& block : g_.blocks)
      for (const Id id : block.effects)
        if (g_.nodes[id].forward == kNone && g_.nodes[id].op == Op::Atomic) changed = opened(id) || changed;
    if (changed) g_.simplify(false);
  }

 private:
  Id arg(Id id, std::size_t n) const { return g_.resolve(g_.at(id).args[n]); }
  void find_users() {
    users_.assign(g_.nodes.size(), {});
    const std::vector<bool> live = g_.live();
    for (Id id = 0; id < g_.nodes.size(); ++id)
      if (live[id] && g_.nodes[id].forward == kNone)
        for (const Id of : g_.nodes[id].args) users_[g_.resolve(of)].push_back(id);
  }

  // Whether all lanes of a wavefront have a value alike.
  bool uniform(Id id) {
    Seen seen;
    std::vector<Id> open{id};
    while (!open.empty()) {
      const Id one = g_.resolve(open.back());
      open.pop_back();
      if (!seen.insert(one)) continue;
      const Node& n = g_.nodes[one];
      if (!g_.spend() || of_a_lane(n.op) || n.op == Op::Undefined) return false;
      if (Graph::phi(n.op)) {
        if (!n.scalar) return false;
        continue;
      }
      // One place holds the same for all lanes that load it.
      for (std::size_t k = n.op == Op::Load ? 1 : 0; k < n.args.size(); ++k) open.push_back(n.args[k]);
    }
    return true;
  }
  // The half of a mask's bits that a value is, of all lanes or of those that come before one.
  std::optional<u64> half_of(Id id, Id mask, bool below) const {
    Node word = g_.at(id);
    if (below) {
      if (word.op != Op::And) return std::nullopt;
      const Node &a = g_.at(word.args[0]), &b = g_.at(word.args[1]);
      const Node& limit = a.op == Op::LanesBelow ? a : b;
      word = a.op == Op::LanesBelow ? b : a;
      if (limit.op != Op::LanesBelow || limit.imm != word.imm) return std::nullopt;
    }
    if (word.op != Op::MaskWord || g_.resolve(word.args[0]) != mask) return std::nullopt;
    return word.imm;
  }
  // Whether a value is how many lanes of the mask there are, or come before one.
  bool is_count(Id id, Id mask, bool below) const {
    const Node& n = g_.at(id);
    if (!below && n.op == Op::PopCount64 && g_.is(n.args[0], Op::Join)) {
      const Node& both = g_.at(n.args[0]);
      return half_of(both.args[0], mask, false) == 0u && half_of(both.args[1], mask, false) == 1u;
    }
    if (n.op != Op::Add) return false;
    const Node &a = g_.at(n.args[0]), &b = g_.at(n.args[1]);
    if (a.op != Op::PopCount || b.op != Op::PopCount) return false;
    const auto first = half_of(a.args[0], mask, below), second = half_of(b.args[0], mask, below);
    return first && second && *first != *second;
  }
  // v, of v times such a count, or times its lowest bit; `kNone`: it is none.
  Id times(Id id, Id mask, bool below, bool odd) {
    id = g_.resolve(id);
    const auto count = [&](Id of) {
      if (g_.is(of, Op::Low24U) || g_.is(of, Op::Low24I)) of = arg(of, 0);
      if (!odd) return is_count(g_.resolve(of), mask, below);
      return g_.is(of, Op::And) && g_.value(arg(of, 1)) == 1u && is_count(arg(of, 0), mask, below);
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
  };
  // Values that have become others.
  using Changes = std::vector<std::pair<Id, Id>>;

  bool opened(Id id) {
    const Node node = g_.nodes[id];
    const Access& access = g_.accesses[node.access];
    Shared of{.mask = kNone,
              .first = g_.resolve(node.args[0]),
              .amount = kNone,
              .atomic = access.atomic,
              .is_signed = access.is_signed,
              .old = id};
    if (access.bytes != 4 || of.atomic == "cmpxchg") return false;
    of.mask = g_.first_of(of.first);
    if (of.mask == kNone) return false;
    Ids args;
    for (std::size_t k = 1; k < node.args.size(); ++k) args.push_back(g_.for_lanes(node.args[k], of.first));
    const bool sum = of.atomic == "add" || of.atomic == "sub", odd = of.atomic == "xor";
    const bool extreme = of.atomic == "min" || of.atomic == "max" || of.atomic == "and" || of.atomic == "or";
    if (!sum && !odd && !extreme) return false;
    of.amount = extreme ? g_.resolve(args.back()) : times(args.back(), of.mask, false, odd);
    if (of.amount == kNone) return false;
    args.back() = of.amount;
    if (!std::ranges::all_of(args, [&](Id arg) { return uniform(arg); })) return false;
    Changes changes;
    if (!told(of, changes)) return false;
    for (const auto& [from, to] : changes) g_.nodes[from].forward = to;
    Node& now = g_.nodes[id];
    now.args.assign({of.mask});
    now.args.insert(now.args.end(), args.begin(), args.end());
    return true;
  }
  // What each lane is told: found without the others' part. False: lanes use what the first one found otherwise.
  bool told(const Shared& of, Changes& changes) {
    // Registers that hold what it found, and those of lanes that did nothing.
    std::vector<Id> open{of.old};
    Seen seen;
    while (!open.empty()) {
      const Id id = open.back();
      open.pop_back();
      if (!seen.insert(id)) continue;
      if (!g_.spend()) return false;
      if (id >= users_.size()) continue;
      for (const Id user : users_[id]) {
        const Node& n = g_.nodes[user];
        if (n.op == Op::FirstLane) {
          if (g_.resolve(n.args[0]) != of.mask || g_.resolve(g_.for_lanes(n.args[1], of.first)) != of.old) return false;
          if (!without_others(of, user, of.old, 2, changes)) return false;
        } else if (n.op == Op::Phi || n.op == Op::Select) {
          open.push_back(user);
        } else {
          return false;
        }
      }
    }
    return true;
  }
  // Of the users of a value that is what the first lane found, or a sum with it: `own` is what the lane found itself.
  bool without_others(const Shared& of, Id id, Id own, u32 depth, Changes& changes) {
    if (id >= users_.size()) return false;
    const std::vector<Id> users = users_[id];
    for (const Id user : users) {
      const Node n = g_.nodes[user];
      if (n.args.size() != 2) return false;
      const bool second = g_.resolve(n.args[1]) == id;
      const Id other = g_.resolve(n.args[second ? 0 : 1]);
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
    return of.atomic == "and" ? Op::And : of.atomic == "or" ? Op::Or : Op::Undefined;
  }
  // What changes nothing for the first lane, and the amount for the others.
  bool is_part(Id id, const Shared& of) {
    const Node n = g_.at(id);
    if (n.op != Op::Select || g_.resolve(n.args[2]) != of.amount) return false;
    const Id condition = g_.resolve(n.args[0]);
    const u32 nothing = of.atomic == "or"    ? 0u
                        : of.atomic == "and" ? ~0u
                        : of.is_signed       ? (of.atomic == "min" ? 0x7fffffffu : 0x80000000u)
                                             : (of.atomic == "min" ? ~0u : 0u);
    if (g_.value(n.args[1]) != nothing) return false;
    return condition == of.first || g_.resolve(g_.make(Op::BoolAnd, {of.mask, condition})) == of.first;
  }

  Graph& g_;
  std::vector<std::vector<Id>> users_;
};

}  // namespace

void open_first_lanes(Graph& graph) { FirstLanes(graph).run(); }

}  // namespace amdcompat::lift
