// Simplifying until nothing changes: values by what they are made of now, phis by what they merge, masks and branches
// by what other branches say.
#include <algorithm>
#include <ranges>
#include <set>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

// A condition that holds, or does not.
struct Fact {
  Id what = kNone;
  bool holds = false;
};

// What is known where: conditions of branches that dominate a block by an edge of their own.
class Facts {
 public:
  explicit Facts(const Graph& graph) : g_(graph) {}

  void find() {
    known_.assign(g_.blocks.size(), {});
    for (u32 b = 1; b < g_.blocks.size(); ++b) {
      const u32 p = g_.idom[b];
      known_[b] = known_[p];
      if (g_.blocks[b].predecessors.size() != 1) continue;
      if (const auto fact = of_branch(p, b)) known_[b].push_back(*fact);
    }
  }
  // What a condition is in a block; nothing: it is not known.
  [[nodiscard]] std::optional<bool> truth(Id id, u32 block, u32 steps = 4) const {
    id = g_.resolve(id);
    const Node& n = g_.nodes[id];
    if (n.op == Op::True) return true;
    if (n.op == Op::False) return false;
    for (const Fact& one : known_[block])
      if (const auto out = says(one, id)) return out;
    if (steps == 0) return std::nullopt;
    if (n.op == Op::BoolNot)
      if (const auto inner = truth(n.args[0], block, steps - 1)) return !*inner;
    if (n.op == Op::BoolAnd || n.op == Op::BoolOr) {
      const auto a = truth(n.args[0], block, steps - 1), b = truth(n.args[1], block, steps - 1);
      const bool absorbing = n.op == Op::BoolOr;
      if (a == absorbing || b == absorbing) return absorbing;
      if (a && b) return !absorbing;
    }
    return std::nullopt;
  }
  // The same on the way from one block to another, of a value that nothing has replaced.
  [[nodiscard]] std::optional<bool> truth_on_way(Id id, u32 from, u32 to) const {
    if (const auto holds = truth(id, from)) return holds;
    const auto fact = of_branch(from, to);
    return fact ? says(*fact, id) : std::nullopt;
  }
  // What holds on the way from one block to another.
  [[nodiscard]] std::vector<Fact> on_way(u32 from, u32 to) const {
    std::vector<Fact> out = known_[from];
    if (const auto fact = of_branch(from, to)) out.push_back(*fact);
    return out;
  }

 private:
  // What the branch at the end of one block says on the way to another.
  [[nodiscard]] std::optional<Fact> of_branch(u32 from, u32 to) const {
    const BlockEnd& end = g_.blocks[from].end;
    if (end.kind != BlockEnd::Kind::Branch || end.yes == end.no) return std::nullopt;
    return Fact{g_.resolve(end.condition), end.yes == to};
  }
  // What one fact says of a condition.
  [[nodiscard]] std::optional<bool> says(const Fact& known, Id id) const {
    const auto [what, holds] = known;
    if (what == id) return holds;
    const Node& fact = g_.nodes[what];  // a && b holds, a || b does not
    const auto has = [&] { return g_.resolve(fact.args[0]) == id || g_.resolve(fact.args[1]) == id; };
    const auto has_opposite = [&] { return g_.opposite(fact.args[0], id) || g_.opposite(fact.args[1], id); };
    if (holds && fact.op == Op::BoolAnd && has()) return true;
    if (!holds && fact.op == Op::BoolOr && has()) return false;
    if (g_.opposite(what, id)) return !holds;
    if (holds && fact.op == Op::BoolAnd && has_opposite()) return false;
    if (!holds && fact.op == Op::BoolOr && has_opposite()) return true;
    return std::nullopt;
  }

  const Graph& g_;
  std::vector<std::vector<Fact>> known_;  // by block
};

// Which values a pass has to look at.
class Worklist {
 public:
  static constexpr u8 kDeepest = 2;  // as far as `fold` looks into most of its arguments

  explicit Worklist(const Graph& graph) : g_(graph) {}

  // The next pass. `all`: it looks at all values that there are now.
  void begin(bool all) {
    ++pass_;
    looked_at_ = std::exchange(count_, g_.nodes.size());
    all_ = all;
    listed_.swap(again_);
    again_.clear();
    at_ = 0;
  }
  // How many values there were as the pass began.
  [[nodiscard]] std::size_t count() const { return count_; }
  // The first value to look at from this one on; `count()` or more: none. `all`: from here on all of them.
  [[nodiscard]] Id next(Id from, bool all) {
    all_ |= all;
    if (all_) return from;
    while (at_ < listed_.size() && listed_[at_] < from) ++at_;
    return at_ < listed_.size() ? listed_[at_] : std::max(from, static_cast<Id>(looked_at_));
  }
  // Whether a pass without facts does more than to look at a value: what it is made of has changed, or `always`, for
  // any other reason. Then the next pass looks at it again, as at all that come before something they are made of.
  [[nodiscard]] bool take(Id id, bool always) {
    bool moved = always, ahead = false;
    if (!always)
      for (const Id arg : g_.nodes[id].args) {
        moved |= g_.nodes[arg].forward != kNone || above(arg, id) != 0;
        ahead |= arg > id;
      }
    if (moved || ahead) again_.push_back(id);
    return moved;
  }
  // For how many values above an argument it counts that it was renewed after this value was looked at, or made.
  [[nodiscard]] u8 above(Id arg, Id id) const {
    if (arg >= renewed_.size()) return 0;
    const Renewed& last = renewed_[arg];
    const bool before = pass_ != 1 && last.pass == pass_ - 1 && (arg > id || id >= looked_at_);
    return last.pass == pass_ || before ? last.above : u8{0};
  }
  // A value, or what it is made of, has come to be made of other values.
  void renew(Id id, u8 above) {
    if (renewed_.size() < g_.nodes.size()) renewed_.resize(g_.nodes.size() + g_.nodes.size() / 2);
    renewed_[id] = {pass_, above};
  }

 private:
  // By value: the last pass in which it came to be made of other values, or what it is made of did, and for how many
  // values above that counts: what is made of it may be something simpler then. Pass 0: never.
  struct Renewed {
    u8 pass = 0, above = 0;
  };

  const Graph& g_;
  std::vector<Renewed> renewed_;
  // In order: values that a pass without facts looks at as long as it has changed nothing. All others come behind what
  // they are made of, and were looked at then.
  std::vector<Id> again_, listed_;  // of the next pass, of this one
  std::size_t at_ = 0;  // in `listed_`
  bool all_ = false;
  u8 pass_ = 0;
  std::size_t count_ = 0, looked_at_ = 0;  // how many values this pass has, and the pass before had
};

}  // namespace

class Graph::Simplifier {
 public:
  Simplifier(Graph& graph, bool with_facts) : g_(graph), with_facts_(with_facts), facts_(graph), work_(graph) {}

  void run() {
    // Bounded: each pass replaces at least one value, and real kernels settle after a handful.
    constexpr u32 kMostPasses = 64;
    for (u32 n = 0; n < kMostPasses && pass(); ++n) first_ = false;
  }

 private:
  // One pass: whether it has changed anything.
  [[nodiscard]] bool pass() {
    changed_ = any_renewed_ = false;
    ++g_.epoch_;
    if (with_facts_) facts_.find();
    work_.begin(std::exchange(g_.forwards_others_, false) || with_facts_ || first_);
    const auto next = [&](Id from) { return work_.next(from, changed_ || g_.forwards_others_); };
    for (Id id = next(0); id < work_.count(); id = next(id + 1)) look_at(id);
    if (any_renewed_) g_.of_lanes_.clear();  // more may be found of what is made otherwise
    g_.origin = 0;
    settle_branches();
    return changed_;
  }
  void look_at(Id id) {
    const Node& node = g_.nodes[id];
    if (node.forward != kNone) return;
    const Op op = node.op;
    const bool halves = op == Op::Join && may_be_whole(node);
    if (!with_facts_ && !work_.take(id, halves || phi(op) || op == Op::BoolOr || op == Op::BoolAnd)) return;
    g_.origin = node.offset;
    // What `make` may move is copied; the list keeps its room from one value to the next.
    args_ = node.args;
    if (phi(op))
      look_at_phi(id);
    else
      look_at_operation(id, halves);
  }
  void replace(Id id, Id by) {
    g_.nodes[id].forward = by;
    changed_ = true;
  }
  // Halves that may be more together than they were: all, once lanes are known to be by themselves; those of a pointer
  // into the file's own data, once the turns of its loop are known.
  [[nodiscard]] bool may_be_whole(const Node& join) const {
    if (!g_.complete) return false;
    if (with_facts_ && first_) return true;
    return g_.names_data_ && g_.is(join.args[0], Op::Phi) && g_.is(join.args[1], Op::Phi) &&
           std::ranges::any_of(g_.at(join.args[0]).args, [&](Id arg) { return half_of_data(arg); });
  }
  // Whether this is the low half of a sum with the address of something that stands in the file.
  [[nodiscard]] bool half_of_data(Id id) const {
    constexpr u32 kSteps = 4;
    if (!g_.names_data_) return false;
    std::set<Id> seen, level{g_.resolve(id)}, next;
    for (u32 step = 0; step <= kSteps && !level.empty(); ++step) {
      for (const Id one : level) {
        if (!seen.insert(one).second) continue;
        if (!g_.spend()) return false;
        const Node& n = g_.nodes[one];
        if (n.op == Op::Low && g_.is(n.args[0], Op::Add64) && g_.is(g_.at(n.args[0]).args[0], Op::Data)) return true;
        if (n.op == Op::Add || n.op == Op::Select || n.op == Op::Phi)
          for (const Id arg : n.args) next.insert(g_.resolve(arg));
      }
      level = std::exchange(next, {});
    }
    return false;
  }

  // --- phis ----------------------------------------------------------------------------------------------------------

  void look_at_phi(Id id) {
    const u32 block = g_.nodes[id].block;
    auto [only, trivial, alike] = merged(id);
    if (with_facts_ && g_.nodes[id].op == Op::Phi && !trivial && args_.size() == 2)
      if (const Id other = other_than_number(id); other != kNone) {
        only = other;
        trivial = true;
      }
    const auto unset = [&](Id arg) { return g_.nodes[g_.resolve(arg)].op == Op::Undefined; };
    if (trivial && only != kNone && (std::ranges::none_of(g_.nodes[id].args, unset) || known_everywhere(only))) {
      if (alike) {  // with the facts of this block, not of one before it
        const Node one = g_.nodes[only];
        only = g_.resolve(g_.make(one.op, one.args, one.imm, block));
      }
      replace(id, only);
    } else if (const Id word = g_.nodes[id].op == Op::Phi ? word_of_merged(id) : kNone; word != kNone) {
      replace(id, word);
    }
  }
  struct Merged {
    Id only = kNone;
    bool trivial = true;  // all are that one
    bool alike = false;  // but for the block that they are computed in
  };
  // All the same but for itself; on an edge, a mask is what the branch there says.
  [[nodiscard]] Merged merged(Id id) {
    Merged out;
    for (std::size_t k = 0; k < args_.size(); ++k) {
      const Id arg = with_facts_ ? on_way(id, k) : g_.resolve(args_[k]);
      if (arg != args_[k]) g_.nodes[id].args[k] = arg;
      // What nothing has set may be anything, so also what the others are where that is known everywhere.
      if (arg == id || arg == out.only || g_.nodes[arg].op == Op::Undefined) continue;
      if (out.only != kNone && same_elsewhere(out.only, arg)) {
        out.alike = true;
        continue;
      }
      if (out.only != kNone) out.trivial = false;
      out.only = arg;
    }
    return out;
  }
  // What a phi merges, as facts have it.
  [[nodiscard]] Id on_way(Id id, std::size_t way) {
    const u32 block = g_.nodes[id].block;
    const auto truth = [&](Id of) { return facts_.truth_on_way(of, g_.blocks[block].predecessors[way], block); };
    Id arg = g_.resolve(args_[way]);
    if (g_.nodes[id].op == Op::PhiBool && arg != id)
      if (const auto holds = truth(arg)) arg = g_.boolean(*holds);
    // A choice that the branch on this edge has made.
    for (u32 steps = 0; choice(g_.nodes[arg].op) && g_.nodes[arg].args.size() == 3 && steps < 64; ++steps) {
      const auto holds = truth(g_.resolve(g_.nodes[arg].args[0]));
      if (!holds) break;
      arg = g_.resolve(g_.nodes[arg].args[*holds ? 1 : 2]);
      changed_ = true;
    }
    return arg;
  }
  // A number on one way, and on the other what is that number where the first way's branch says so: the other;
  // `kNone`: it is none.
  [[nodiscard]] Id other_than_number(Id id) {
    const u32 block = g_.nodes[id].block;
    for (const std::size_t k : {0u, 1u}) {
      const Id number = g_.resolve(g_.nodes[id].args[k]), other = g_.resolve(g_.nodes[id].args[1 - k]);
      if (!g_.value(number) || g_.value(other) || other == id) continue;
      for (const auto& [what, holds] : facts_.on_way(g_.blocks[block].predecessors[k], block)) {
        const Node& fact = g_.nodes[what];
        if (fact.op != (holds ? Op::EqU : Op::NeU) || !g_.value(fact.args[1]) || g_.value(fact.args[0])) continue;
        if (known_before(other, block) && with(other, fact.args[0], fact.args[1], 6) == number) return other;
      }
    }
    return kNone;
  }
  // Whether two values are one but for the block that they are computed in.
  [[nodiscard]] bool same_elsewhere(Id a, Id b) const {
    const Node &x = g_.nodes[a], &y = g_.nodes[b];
    return choice(x.op) && x.op == y.op && x.imm == y.imm && x.imm != kRegisterWrite &&
           std::ranges::equal(x.args, y.args, [&](Id one, Id other) { return g_.resolve(one) == g_.resolve(other); });
  }
  // Whether a value is there in front of a block.
  [[nodiscard]] bool known_before(Id id, u32 block) const {
    return g_.every(id, [&](const Node& n) {
      return !(phi(n.op) || g_.effect(n.op)) || (n.block != block && g_.dominates(n.block, block));
    });
  }
  // Whether a value needs nothing that has to come before it.
  [[nodiscard]] bool known_everywhere(Id id, u32 steps = 3) const {
    const Op op = g_.at(id).op;
    // Addresses at a distance from what is known.
    if (op == Op::Add || op == Op::Add64 || op == Op::Join || op == Op::Low || op == Op::High || op == Op::ToWord ||
        op == Op::CarryOfAdd)
      return steps != 0 &&
             std::ranges::all_of(g_.at(id).args, [&](Id arg) { return known_everywhere(arg, steps - 1); });
    return op == Op::Const || op == Op::Const64 || op == Op::True || op == Op::False || op == Op::ArgumentWord ||
           op == Op::ValueWord || op == Op::LaunchWord || op == Op::GroupId || op == Op::LocalId || op == Op::Pointer ||
           op == Op::Table || op == Op::Resource;
  }
  // A value with a number in the place of another value; `kNone`: it is not known.
  Id with(Id id, Id what, Id number, u32 steps) {
    id = g_.resolve(id);
    if (id == g_.resolve(what)) return g_.resolve(number);
    const Node n = g_.nodes[id];
    if (n.op == Op::Const) return id;
    if (n.op != Op::Mul && n.op != Op::And && n.op != Op::Shl && n.op != Op::Add && n.op != Op::Shr) return kNone;
    if (steps == 0) return kNone;
    const Id a = with(n.args[0], what, number, steps - 1), b = with(n.args[1], what, number, steps - 1);
    if (a != kNone && b != kNone) return g_.resolve(g_.make(n.op, {a, b}));
    const auto nothing = [&](Id part) { return part != kNone && g_.value(part) == 0u; };
    // Nothing is left of a product with nothing.
    if ((n.op == Op::Mul || n.op == Op::And) && (nothing(a) || nothing(b))) return g_.constant(0);
    return n.op == Op::Shl && nothing(a) ? a : kNone;
  }
  // Words of masks that are merged like the masks are the word of the merged one; `kNone`: they are not.
  [[nodiscard]] Id word_of_merged(Id id) {
    const Node n = g_.nodes[id];
    const auto is_word = [&](Id arg) { return g_.is(arg, Op::MaskWord) && g_.at(arg).imm == g_.at(n.args[0]).imm; };
    if (n.args.empty() || !std::ranges::all_of(n.args, is_word)) return kNone;
    const auto is_of = [&](Id mask, Id word) { return g_.resolve(mask) == g_.resolve(g_.at(word).args[0]); };
    for (const Id phi : g_.blocks[n.block].phis) {
      const Node& mask = g_.nodes[phi];
      if (mask.op != Op::PhiBool || mask.forward != kNone || mask.args.size() != n.args.size()) continue;
      if (std::ranges::equal(mask.args, n.args, is_of)) return g_.make(Op::MaskWord, {phi}, g_.at(n.args[0]).imm);
    }
    return kNone;
  }

  // --- other values --------------------------------------------------------------------------------------------------

  void look_at_operation(Id id, bool halves) {
    const Op op = g_.nodes[id].op;
    bool moved = halves;
    u8 beneath = 0;
    for (Id& arg : args_) {
      const Id now = g_.resolve(arg);
      beneath = std::max(beneath, work_.above(arg, id));
      moved |= now != arg;
      arg = now;
    }
    if (with_facts_) moved |= takes_facts(id);
    if (g_.complete && (op == Op::BoolOr || op == Op::BoolAnd))
      if (const Id whole = put_together(id); whole != kNone) {
        replace(id, whole);
        return;
      }
    // How far loops count is known once their phis have arguments.
    moved |= g_.complete && with_facts_ && first_ &&
             (op == Op::And || op == Op::Low24U || op == Op::Low24I || op == Op::Add64);
    if (!moved && beneath == 0) return;
    if (!g_.effect(op) && op != Op::FirstLane && op != Op::Loaded) {
      renew(id, beneath);
    } else if (g_.nodes[id].args != args_) {
      g_.nodes[id].args = args_;
      changed_ = true;
    }
  }
  // Whether facts of its block say what arguments are.
  [[nodiscard]] bool takes_facts(Id id) {
    const Op op = g_.nodes[id].op;
    const u32 block = g_.nodes[id].block;
    const bool both = op == Op::BoolAnd || op == Op::BoolOr || op == Op::BoolXor;
    if (!both && op != Op::Select && op != Op::SelectWide && op != Op::SelectBool && !g_.effect(op)) return false;
    bool moved = false;
    for (std::size_t k = 0; k < args_.size() && (k == 0 || both || op == Op::SelectBool); ++k)
      if (const auto holds = facts_.truth(args_[k], block)) {
        const Id now = g_.boolean(*holds);
        moved |= now != args_[k];
        args_[k] = now;
      }
    return moved;
  }
  // A mask out of which others were taken, put together again; `kNone`: it is none.
  [[nodiscard]] Id put_together(Id id) const {
    const bool either = g_.nodes[id].op == Op::BoolOr;
    for (const std::size_t k : {0u, 1u}) {
      Ids assumed;
      if (!g_.implies(args_[k], args_[1 - k], assumed)) continue;
      if (const Id now = args_[either ? 1 - k : k]; now != id) return now;
    }
    const Id whole = either ? before_loop(args_[0], args_[1]) : kNone;
    return whole != id ? whole : kNone;
  }
  // Lanes that are still in a loop and those that have left it are together those that came to it: with E and L as its
  // turn begins, L' those that have left then, and E those without L' in the next turn, E | L' and (E & ~L') | L'.
  [[nodiscard]] Id before_loop(Id a, Id b) const {
    a = g_.resolve(a);
    b = g_.resolve(b);
    for (const auto& [stay, left] : {std::pair(a, b), std::pair(b, a)}) {
      const Node& out = g_.nodes[left];
      if (out.op != Op::BoolOr) continue;
      const auto without_left = [&](Id id) {
        const Node& n = g_.nodes[id];
        const auto is_not = [&](Id arg) { return g_.is(arg, Op::BoolNot) && g_.resolve(g_.at(arg).args[0]) == left; };
        if (n.op != Op::BoolAnd) return kNone;
        return is_not(n.args[1]) ? g_.resolve(n.args[0]) : is_not(n.args[0]) ? g_.resolve(n.args[1]) : kNone;
      };
      const Id enabled = g_.is(stay, Op::PhiBool) ? stay : without_left(stay);
      if (enabled == kNone || !g_.is(enabled, Op::PhiBool)) continue;
      const Node& phi = g_.nodes[enabled];
      if (g_.loop[phi.block] != phi.block) continue;
      for (const std::size_t k : {0u, 1u}) {
        const Id before = g_.resolve(out.args[k]);
        const Node& was = g_.nodes[before];
        Ids assumed;
        if (was.op != Op::PhiBool || was.block != phi.block || !g_.implies(out.args[1 - k], enabled, assumed)) continue;
        Id entry = kNone;
        const auto& from = g_.blocks[phi.block].predecessors;
        const bool holds = std::ranges::all_of(std::views::iota(std::size_t{0}, from.size()), [&](std::size_t n) {
          const Id next = g_.resolve(phi.args[n]);
          if (g_.in_loop(from[n], phi.block)) return without_left(next) == enabled && g_.resolve(was.args[n]) == left;
          const bool same = entry == kNone || entry == next;
          entry = next;
          return same && g_.is(was.args[n], Op::False);
        });
        if (holds && entry != kNone) return entry;
      }
    }
    return kNone;
  }
  // The operation of the arguments as they are now. `beneath`: for how many values above them it counts that they, or
  // what they are made of, were renewed.
  void renew(Id id, u8 beneath) {
    bool other = false;
    const Id now = g_.renew(id, args_, other);
    if (now == id) {
      const u8 left = other ? Worklist::kDeepest : beneath != 0 ? static_cast<u8>(beneath - 1) : u8{0};
      if (left != 0) work_.renew(id, left);
      changed_ |= other;
      any_renewed_ |= other;
      return;
    }
    if (g_.nodes[now].offset == 0) g_.nodes[now].offset = g_.nodes[id].offset;
    replace(id, now);
  }

  // --- branches ------------------------------------------------------------------------------------------------------

  void settle_branches() {
    for (u32 b = 0; b < g_.blocks.size(); ++b) {
      BlockEnd& end = g_.blocks[b].end;
      if (end.kind != BlockEnd::Kind::Branch) continue;
      end.condition = g_.resolve(end.condition);
      if (!with_facts_) continue;
      const auto holds = facts_.truth(end.condition, b);
      if (!holds || is_settled(end)) continue;
      end.condition = g_.boolean(*holds);
      changed_ = true;
    }
    if (!with_facts_) return;
    const auto settled = [&](const BasicBlock& block) {
      return block.end.kind == BlockEnd::Kind::Branch && is_settled(block.end);
    };
    if (std::ranges::none_of(g_.blocks, settled)) return;
    g_.prune();
    static_cast<void>(g_.dominators());
    changed_ = true;
  }
  [[nodiscard]] bool is_settled(const BlockEnd& branch) const {
    const Op op = g_.at(branch.condition).op;
    return op == Op::True || op == Op::False;
  }

  Graph& g_;
  bool with_facts_;
  bool first_ = true;  // of the passes
  bool changed_ = false, any_renewed_ = false;  // in this pass
  Facts facts_;
  Worklist work_;
  Ids args_;  // of the value that is looked at
};

void Graph::simplify(bool facts) { Simplifier(*this, facts).run(); }

}  // namespace amdcompat::lift
