// What a loop counts. Compilers give each address of a loop a variable of its own that they advance in every turn
// (strength reduction); a source has one counter, of which the others are multiples. Compilers of today find their own
// way back, and loops whose addresses are plain functions of a counter are the ones that they understand best.
#include <bit>
#include <optional>
#include <vector>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

class Counters {
 public:
  explicit Counters(Graph& graph) : g_(graph) {}

  void run() {
    bool changed = false;
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      if (g_.loop[b] == b && enter(b)) {
        changed |= test_what_is_next();
        changed |= count();
      }
    if (changed) g_.simplify(true);
  }

 private:
  // A variable that every turn of the loop advances by the same step.
  struct Advance {
    Id phi, begin, step, next;
    bool wide;
  };
  // A branch out of the loop that every turn comes to.
  struct Exit {
    u32 block;
    Id condition;  // a comparison
    bool leaves;  // where it holds
  };

  // One way into the loop, one way back.
  bool enter(u32 header) {
    header_ = header;
    const auto& from = g_.blocks[header].predecessors;
    if (from.size() != 2) return false;
    back_ = g_.in_loop(from[0], header) ? 0 : 1;
    if (!g_.in_loop(from[back_], header) || g_.in_loop(from[1 - back_], header)) return false;
    advances_.clear();
    exits_.clear();
    for (const Id id : g_.blocks[header].phis) {
      const Node& n = g_.nodes[id];
      if (n.forward != kNone || n.args.size() != 2 || (n.op != Op::Phi && n.op != Op::PhiWide)) continue;
      const bool wide = n.op == Op::PhiWide;
      const Id next = g_.resolve(n.args[back_]), begin = g_.resolve(n.args[1 - back_]);
      const Node& sum = g_.nodes[next];
      if (sum.op != (wide ? Op::Add64 : Op::Add) || g_.nodes[begin].op == Op::Undefined) continue;
      for (const u32 k : {0u, 1u}) {
        const Id step = g_.resolve(sum.args[1 - k]);
        if (g_.resolve(sum.args[k]) != id || !g_.stable(step, header)) continue;
        advances_.push_back({id, begin, step, next, wide});
        break;
      }
    }
    for (u32 b = header; b < g_.blocks.size(); ++b) {
      const BlockEnd& end = g_.blocks[b].end;
      if (!(b == header || g_.in_loop(b, header)) || end.kind != BlockEnd::Kind::Branch) continue;
      if (!g_.dominates(b, from[back_]) || inner(b)) continue;
      const bool yes = outside(end.yes), no = outside(end.no);
      if (yes == no) continue;
      Exit exit{b, g_.resolve(end.condition), yes};
      while (g_.nodes[exit.condition].op == Op::BoolNot) {
        exit.condition = g_.resolve(g_.nodes[exit.condition].args[0]);
        exit.leaves = !exit.leaves;
      }
      exits_.push_back(exit);
    }
    return true;
  }
  bool inner(u32 block) const { return g_.loop[block] != header_; }
  bool outside(u32 block) const { return block != header_ && !g_.in_loop(block, header_); }
  void set(const Exit& exit, Id leaves) {
    g_.blocks[exit.block].end.condition =
        outside(g_.blocks[exit.block].end.yes) ? leaves : g_.make(Op::BoolNot, {leaves});
  }

  // A value that leaves the loop where it is less than, or more than, a number.
  struct Limit {
    Id value;
    bool less;
    u32 number;
  };
  std::optional<Limit> limit(const Exit& exit) const {
    const Node& n = g_.nodes[exit.condition];
    if (n.op != Op::LtU && n.op != Op::LeU) return std::nullopt;
    const auto a = g_.value(n.args[0]), b = g_.value(n.args[1]);
    if (a.has_value() == b.has_value()) return std::nullopt;
    // a < b leaves, or b <= a stays; else a <= b leaves, or b < a stays.
    const bool strict = (n.op == Op::LtU) == exit.leaves;
    const Id value = g_.resolve(n.args[a ? 1 : 0]);
    const bool less = exit.leaves == b.has_value();
    const u32 number = a ? *a : *b;
    if (strict) return Limit{value, less, number};
    if (number == (less ? ~0u : 0u)) return std::nullopt;
    return Limit{value, less, less ? number + 1 : number - 1};
  }
  // Where the test of this turn's value says the same of the next one, that is what a source tests.
  bool test_what_is_next() {
    bool changed = false;
    for (Exit& exit : exits_) {
      const auto of = limit(exit);
      if (!of) continue;
      Id now = kNone;
      if (of->less && std::has_single_bit(of->number) && of->number > 1) {
        // x < 2^k: what is left of x >> k is nothing.
        const Node& phi = g_.nodes[of->value];
        if (phi.op == Op::Phi && phi.block == header_ && phi.args.size() == 2) {
          const Id shifted = phi.args[back_];
          const Node& next = g_.at(shifted);
          if (next.op == Op::Shr && g_.resolve(next.args[0]) == of->value &&
              g_.value(next.args[1]) == static_cast<u32>(std::countr_zero(of->number)))
            now = g_.make(Op::EqU, {shifted, g_.constant(0)});
        }
      } else if (!of->less) {
        now = next_shifted(*of);
        // Never as large that the step would go around.
        for (const Advance& one : advances_) {
          const auto step = g_.value(one.step);
          if (one.wide || one.phi != of->value || !step || *step > 0x7fffffff) continue;
          if (of->number + u64{2} * *step > ~u32{0}) continue;
          if (g_.bits_of(one.begin) > 31 && !below_at_entry(one.begin)) continue;
          now = g_.make(Op::LeU, {g_.constant(of->number + *step + 1), one.next});
        }
      }
      if (now == kNone) continue;
      set(exit, now);
      exit.condition = g_.resolve(now);
      exit.leaves = true;
      changed = true;
    }
    return changed;
  }
  // x, shifted to the left in every turn, leaves where it is more than a number: so does what comes next, where none
  // that stays loses a bit.
  Id next_shifted(const Limit& of) {
    const Node& phi = g_.nodes[of.value];
    if (phi.op != Op::Phi || phi.block != header_ || phi.args.size() != 2) return kNone;
    const Node& next = g_.at(phi.args[back_]);
    const auto begin = g_.value(phi.args[1 - back_]);
    if (next.op != Op::Shl || g_.resolve(next.args[0]) != of.value || !begin) return kNone;
    const auto by = g_.value(next.args[1]);
    if (!by || *by == 0 || *by > 15) return kNone;
    const Id shifted = phi.args[back_];
    const u64 most = std::max(u64{*begin}, u64{of.number} << *by), limit = (u64{of.number} + 1) << *by;
    if (most << *by > ~u32{0} || limit > ~u32{0}) return kNone;
    return g_.make(Op::LeU, {g_.constant(static_cast<u32>(limit)), shifted});
  }
  // Whether a branch on the way to the loop says that a value is less than 2^31.
  bool below_at_entry(Id id) const {
    for (u32 b = header_; b != 0; b = g_.idom[b]) {
      const u32 p = g_.idom[b];
      const BlockEnd& end = g_.blocks[p].end;
      if (g_.blocks[b].predecessors.size() != 1 || end.kind != BlockEnd::Kind::Branch || end.yes == end.no) continue;
      const Node& n = g_.at(end.condition);
      if (n.op != Op::LtU) continue;
      const auto less = g_.value(n.args[1]), more = g_.value(n.args[0]);
      if (end.yes == b && less && *less <= 0x80000000 && g_.resolve(n.args[0]) == id) return true;
      if (end.yes != b && more && *more < 0x80000000 && g_.resolve(n.args[1]) == id) return true;
    }
    return false;
  }

  // How many turns begin, at most, by an exit that tests numbers; and which exit that is.
  std::optional<u32> turns(const Exit& exit) const {
    constexpr u32 kMost = 4096;
    const Node& test = g_.nodes[exit.condition];
    if (test.args.size() != 2) return std::nullopt;
    for (const Advance& one : advances_) {
      const auto begin = one.wide ? std::nullopt : g_.value(one.begin), step = g_.value(one.step);
      if (!begin || !step) continue;
      // A number, this turn's value, or the next one's.
      const auto at = [&](Id id, u32 value) -> std::optional<u32> {
        id = g_.resolve(id);
        if (id == one.phi) return value;
        if (id == one.next) return value + *step;
        return g_.value(id);
      };
      u32 value = *begin;
      for (u32 turn = 1; turn <= kMost && g_.spend(); ++turn, value += *step) {
        const auto a = at(test.args[0], value), b = at(test.args[1], value);
        const auto holds = a && b ? compare(test.op, *a, *b) : std::nullopt;
        if (!holds || g_.value(test.args[0]).has_value() == g_.value(test.args[1]).has_value()) break;
        if (*holds == exit.leaves) return turn;
      }
    }
    return std::nullopt;
  }

  bool count() {
    if (advances_.size() < 2) return false;
    for (const Exit& exit : exits_)
      if (const auto known = turns(exit)) return count_turns(exit, *known);
    return multiples();
  }
  // One counter from 0 on; all others are what it makes of them.
  bool count_turns(const Exit& exit, u32 turns) {
    const Advance* counter = nullptr;
    for (const Advance& one : advances_)
      if (!one.wide && g_.value(one.begin) == 0u && g_.value(one.step) == 1u) counter = &one;
    Id phi = kNone, next = kNone;
    if (counter != nullptr) {
      phi = counter->phi;
      next = counter->next;
    } else {
      const Node like = g_.nodes[advances_.front().phi];
      phi = g_.add({.op = Op::Phi, .block = header_, .offset = like.offset, .scalar = like.scalar});
      next = g_.make(Op::Add, {phi, g_.constant(1)});
      const Id zero = g_.constant(0);
      g_.nodes[phi].args = back_ == 0 ? Ids{next, zero} : Ids{zero, next};
      g_.blocks[header_].phis.push_back(phi);
    }
    bool changed = counter == nullptr;
    for (const Advance& one : advances_) {
      if (one.phi == phi) continue;
      const Id now = one.wide ? wide_multiple(one, phi, turns) : advanced(one, phi);
      if (now == kNone) continue;
      g_.nodes[one.phi].forward = g_.resolve(now);
      changed = true;
    }
    // The exit's own variable is gone, or is the counter.
    set(exit, g_.make(Op::EqU, {next, g_.constant(turns)}));
    return changed;
  }
  Id advanced(const Advance& one, Id counter) {
    if (const auto step = g_.value(one.step); step && *step > 0x80000000)
      return g_.make(Op::Sub, {one.begin, times(counter, g_.constant(0 - *step))});
    return g_.make(Op::Add, {one.begin, times(counter, one.step)});
  }
  Id times(Id counter, Id step) {
    if (const auto number = g_.value(step); number && std::has_single_bit(*number))
      return g_.make(Op::Shl, {counter, g_.constant(static_cast<u32>(std::countr_zero(*number)))});
    return g_.make(Op::Mul, {counter, step});
  }
  Id wide_multiple(const Advance& one, Id counter, u32 turns) {
    const auto step = g_.value64(one.step);
    if (!step || *step > ~u32{0} / (u64{turns} + 1)) return kNone;
    const Id low = times(counter, g_.constant(static_cast<u32>(*step)));
    return g_.make(Op::Add64, {one.begin, g_.make(Op::Join, {low, g_.constant(0)})});
  }

  // Of two variables one is a multiple of the other, in numbers of 32 bits, whatever happens to both: nothing is said
  // of where they end.
  bool multiples() {
    bool changed = false;
    for (const Advance& one : advances_)
      for (const Advance& other : advances_) {
        if (&one == &other || one.wide || other.wide || g_.nodes[one.phi].forward != kNone ||
            g_.nodes[other.phi].forward != kNone)
          continue;
        const Id now = multiple(one, other);
        if (now == kNone) continue;
        g_.nodes[one.phi].forward = g_.resolve(now);
        changed = true;
      }
    return changed;
  }
  Id multiple(const Advance& one, const Advance& of) {
    const auto step = g_.value(one.step), unit = g_.value(of.step);
    if (!step || !unit || *unit == 0 || *step % *unit != 0) return kNone;
    const u32 factor = *step / *unit;
    const Id product = times(of.phi, g_.constant(factor)), begins = g_.resolve(times(of.begin, g_.constant(factor)));
    if (begins == one.begin) return product;
    if (g_.value(of.begin) == 0u) return g_.make(Op::Add, {one.begin, product});
    const Id apart = g_.make(Op::Sub, {one.begin, begins});
    return g_.value(apart) ? g_.make(Op::Add, {product, apart}) : kNone;
  }

  Graph& g_;
  u32 header_ = 0;
  std::size_t back_ = 0;  // which predecessor of the header is the way back
  std::vector<Advance> advances_;
  std::vector<Exit> exits_;
};

}  // namespace

void find_counters(Graph& graph) { Counters(graph).run(); }

}  // namespace amdcompat::lift
