// Numbers of 64 bits whose halves machine code moves and computes one by one: together they are what the source had.
//
// That two words belong together is told by what takes both as one number, and by memory whose elements have 64 bits.
// From there it goes on to what the halves are made of.
#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

class Wide {
 public:
  Wide(Graph& graph, const std::vector<u32>& long_elements) : g_(graph), long_elements_(long_elements) {}

  void run() {
    g_.completed();  // what was said of halves may be asked again
    live_ = g_.live();
    take_whole_elements();
    live_ = g_.live();
    count_uses();
    for (Id id = 0; id < g_.nodes.size() && g_.spend(); ++id) look_at(id);
    g_.forget_halves();
  }

 private:
  // --- memory --------------------------------------------------------------------------------------------------------

  // Loads and stores of one element or two, whose place is a multiple of its size. Loads first: they tell which words
  // of a sum belong together.
  void take_whole_elements() {
    std::unordered_map<Id, Id> wholes;  // by the load of words
    const std::vector<bool> of_numbers = loads_of_numbers();
    for (BasicBlock& block : g_.blocks)
      for (std::size_t k = 0; k < block.effects.size(); ++k) {
        const Id id = block.effects[k], next = k + 1 < block.effects.size() ? block.effects[k + 1] : kNone;
        const Node n = g_.nodes[id];
        if (n.forward != kNone || !live_[id]) continue;
        if (is_of_longs(n, Op::Load)) {
          if (is_of_single(n) || of_numbers[id]) wholes[id] = block.effects[k] = whole_load(n);
        } else if (next != kNone && is_word_of_long(n) && is_of_single(n) && follows(n, g_.nodes[next])) {
          const Id whole = block.effects[k] = whole_load(n);
          stand_for_part(id, 0, whole);
          stand_for_part(next, 1, whole);
        }
      }
    const std::size_t count = g_.nodes.size();
    for (Id id = 0; id < count; ++id) {
      const Node& n = g_.nodes[id];
      if (n.op != Op::Loaded || n.forward != kNone) continue;
      const auto known = wholes.find(g_.resolve(n.args[0]));
      if (known == wholes.end()) continue;
      const u64 part = n.imm;
      const bool alone = g_.accesses[g_.nodes[known->second].access].components == 1;
      stand_for_part(id, part % 2, alone ? known->second : g_.make(Op::Loaded, {known->second}, part / 2));
    }
    for (const BasicBlock& block : g_.blocks)
      for (const Id id : block.effects) store_whole(id);
  }
  void store_whole(Id id) {
    const Node n = g_.nodes[id];
    if (n.forward != kNone || !is_of_longs(n, Op::Store)) return;
    Ids args{n.args[0], n.args[1]};
    bool any = is_of_single(n);
    for (std::size_t part = 2; part < n.args.size(); part += 2) {
      const Id whole = g_.make(Op::Join, {n.args[part], n.args[part + 1]});
      args.push_back(whole);
      any = any || !g_.is(whole, Op::Join) || belong(n.args[part], n.args[part + 1]) == 2 ||
            is_number(g_.resolve(n.args[part]), g_.resolve(n.args[part + 1]));
    }
    if (!any) return;
    g_.nodes[id].args = std::move(args);
    g_.nodes[id].access = whole_access(n);
  }
  // Whether halves are computed as nobody computes words that stand side by side.
  bool is_number(Id low, Id high) {
    return sum_of_words(low, high) != kNone || difference(low, high) != kNone || product(low, high) != kNone;
  }
  // An access to words of such memory, whose place is an element's: to the words of one element or two, or to one word.
  [[nodiscard]] bool is_of_longs(const Node& n, Op op) const {
    const u32 words = n.op == op ? g_.accesses[n.access].components : 0;
    return (words == 2 || words == 4) && is_of_long(n);
  }
  [[nodiscard]] bool is_word_of_long(const Node& n) const {
    return n.op == Op::Load && g_.accesses[n.access].components == 1 && is_of_long(n);
  }
  [[nodiscard]] bool is_of_long(const Node& n) const {
    const Access& a = g_.accesses[n.access];
    std::vector<Id> phis;
    return a.argument >= 0 && long_elements_[static_cast<std::size_t>(a.argument)] != 0 && a.bytes == 4 &&
           !a.is_volatile && a.room != Room::Image && is_multiple(n.args[1], phis);
  }
  // Whether elements are numbers by themselves; those of vectors may stand for words, as ethash has them.
  [[nodiscard]] bool is_of_single(const Node& n) const {
    return long_elements_[static_cast<std::size_t>(g_.accesses[n.access].argument)] == 1;
  }
  // Loads of which something takes two words as one number.
  [[nodiscard]] std::vector<bool> loads_of_numbers() const {
    std::vector<bool> out(g_.nodes.size());
    for (Id id = 0; id < g_.nodes.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live_[id] || n.forward != kNone) continue;
      const bool carries = n.op == Op::CarryOfAdd || n.op == Op::MulWideU || n.op == Op::MulHighU;
      const bool whole = n.op == Op::Join || is_of_longs(n, Op::Store);
      if (!carries && !whole) continue;
      for (std::size_t k = 0; k < n.args.size(); ++k) {
        const Node& part = g_.at(n.args[k]);
        const bool with_next = whole && k + 1 < n.args.size() && belong(n.args[k], n.args[k + 1]) == 2;
        if (part.op == Op::Loaded && (carries || with_next)) out[g_.resolve(part.args[0])] = true;
      }
    }
    return out;
  }
  [[nodiscard]] bool follows(const Node& first, const Node& second) const {
    const auto parts = [&](Id id) {
      const Node& n = g_.at(id);
      if (const auto number = g_.value64(id)) return std::pair(kNone, *number);
      const auto number = n.op == Op::Add64 ? g_.value64(n.args[1]) : std::nullopt;
      return number ? std::pair(g_.resolve(n.args[0]), *number) : std::pair(g_.resolve(id), u64{0});
    };
    if (second.op != Op::Load || second.forward != kNone || second.access != first.access ||
        g_.resolve(first.args[0]) != g_.resolve(second.args[0]))
      return false;
    const auto [base, at] = parts(first.args[1]);
    return parts(second.args[1]) == std::pair(base, at + 4);
  }
  u32 whole_access(const Node& n) {
    Access a = g_.accesses[n.access];
    a.bytes = 8;
    a.components = std::max<u8>(a.components / 2, 1);
    return g_.access(a);
  }
  Id whole_load(Node load) {
    load.access = whole_access(load);
    load.type = g_.accesses[load.access].components == 1 ? Ulong : None;
    return g_.add(std::move(load));
  }
  void stand_for_part(Id part, u64 half, Id whole) {
    const Id by = g_.make(half == 0 ? Op::Low : Op::High, {whole});
    g_.nodes[part].forward = by;
  }
  // Of 8, by its form; `phis`: that are, if what comes to them is.
  [[nodiscard]] bool is_multiple(Id id, std::vector<Id>& phis, u32 depth = 8) const {
    constexpr u32 kBits = 3;
    const Node& n = g_.at(id);
    if (depth == 0) return false;
    const auto is = [&](std::size_t k) { return is_multiple(n.args[k], phis, depth - 1); };
    switch (n.op) {
      case Op::Const:
      case Op::Const64: return n.imm % (1u << kBits) == 0;
      case Op::Join: return is(0);
      case Op::Shl:
      case Op::Shl64: return g_.value(n.args[1]).value_or(0) >= kBits && *g_.value(n.args[1]) < 32;
      case Op::Mul: return is(0) || is(1);
      case Op::Add:
      case Op::Add64: return is(0) && is(1);
      case Op::Phi:
      case Op::PhiWide:
        if (std::ranges::find(phis, g_.resolve(id)) != phis.end()) return true;
        phis.push_back(g_.resolve(id));
        return std::ranges::all_of(n.args, [&](Id arg) { return is_multiple(arg, phis, depth - 1); });
      default: return false;
    }
  }

  // --- values --------------------------------------------------------------------------------------------------------

  void count_uses() {
    uses_.assign(g_.nodes.size(), 0);
    position_.assign(g_.nodes.size(), 0);
    for (const BasicBlock& block : g_.blocks)
      for (std::size_t k = 0; k < block.effects.size(); ++k) position_[block.effects[k]] = static_cast<u32>(k);
    for (Id id = 0; id < g_.nodes.size(); ++id)
      if (live_[id] && g_.nodes[id].forward == kNone)
        for (const Id arg : g_.nodes[id].args) ++uses_[g_.resolve(arg)];
  }
  void look_at(Id id) {
    const Node& n = g_.nodes[id];
    if (n.op != Op::Join || n.forward != kNone || (id < live_.size() && !live_[id])) return;
    const Id low = g_.resolve(n.args[0]), high = g_.resolve(n.args[1]);
    if (!may_stand_for(low, high)) return;
    const Id whole = together(low, high);
    if (whole == kNone || whole == id || is_made_of(whole, low, high)) return;
    g_.nodes[id].forward = whole;
    stand_for(low, g_.make(Op::Low, {whole}));
    stand_for(high, g_.make(Op::High, {whole}));
  }
  // The number whose halves are computed so, or `kNone`.
  Id together(Id low, Id high) {
    const Id made = g_.resolve(g_.make(Op::Join, {low, high}));
    if (!g_.is(made, Op::Join)) return made;
    if (const Id whole = bits(low, high); whole != kNone) return whole;
    if (const Id whole = sum_of_words(low, high); whole != kNone) return whole;
    if (const Id whole = difference(low, high); whole != kNone) return whole;
    return product(low, high);
  }
  Id bits(Id low, Id high) {
    const Node l = g_.nodes[low], h = g_.nodes[high];
    if (l.op != h.op) return kNone;
    if (l.op == Op::Not) return g_.make(Op::Not64, {g_.make(Op::Join, {l.args[0], h.args[0]})});
    const Op op = l.op == Op::And ? Op::And64 : l.op == Op::Or ? Op::Or64 : l.op == Op::Xor ? Op::Xor64 : Op::Undefined;
    if (op == Op::Undefined) return kNone;
    const auto match = [&](std::size_t k) { return belong(l.args[0], h.args[k]) + belong(l.args[1], h.args[1 - k]); };
    const u32 straight = match(0), crossed = match(1);
    if (std::max(straight, crossed) == 0) return kNone;
    const std::size_t k = crossed > straight ? 1 : 0;
    return g_.make(op, {g_.make(Op::Join, {l.args[0], h.args[k]}), g_.make(Op::Join, {l.args[1], h.args[1 - k]})});
  }
  // Whether two words are surely the halves of one number: 2; whether they are made alike: 1.
  [[nodiscard]] u32 belong(Id low, Id high) const {
    const Node &l = g_.at(low), &h = g_.at(high);
    if (l.op == Op::Low && h.op == Op::High) return g_.resolve(l.args[0]) == g_.resolve(h.args[0]) ? 2 : 0;
    if (l.op == Op::Const && h.op == Op::Const) return 1;
    if (l.op == Op::ArgumentWord && h.op == l.op) return l.imm % 8 == 0 && h.imm == l.imm + 4 ? 2 : 0;
    if (l.op == Op::Loaded && h.op == l.op)
      return g_.resolve(l.args[0]) == g_.resolve(h.args[0]) && l.imm % 2 == 0 && h.imm == l.imm + 1 ? 2 : 0;
    return l.op == h.op && !l.args.empty() ? 1 : 0;
  }
  // The sum of two words, with its carry.
  Id sum_of_words(Id low, Id high) {
    if (!g_.is(low, Op::Add) || !g_.is(high, Op::ToWord)) return kNone;
    const Node l = g_.nodes[low], carry = g_.at(g_.at(high).args[0]);
    if (carry.op != Op::CarryOfAdd || !are(carry, {g_.resolve(l.args[0]), g_.resolve(l.args[1])})) return kNone;
    const Id none = g_.constant(0);
    return g_.make(Op::Add64, {g_.make(Op::Join, {l.args[0], none}), g_.make(Op::Join, {l.args[1], none})});
  }
  // The high half has the borrow of the low one taken away among others, of which one belongs to what is subtracted.
  Id difference(Id low, Id high) {
    if (!g_.is(low, Op::Sub) || !g_.is(high, Op::Sub)) return kNone;
    const Node l = g_.nodes[low];
    const auto borrows = [&](Id id) {
      if (!g_.is(id, Op::ToWord)) return false;
      const Node& less = g_.at(g_.at(id).args[0]);
      return less.op == Op::LtU && g_.resolve(less.args[0]) == g_.resolve(l.args[0]) &&
             g_.resolve(less.args[1]) == g_.resolve(l.args[1]);
    };
    constexpr std::size_t kMost = 8;
    std::vector<Id> taken;  // away, the last one first
    Id from = high;
    for (; g_.is(from, Op::Sub) && taken.size() < kMost; from = g_.resolve(g_.nodes[from].args[0])) {
      const Node& by = g_.at(g_.nodes[from].args[1]);
      if (by.op == Op::Add)
        for (const Id one : by.args) taken.push_back(g_.resolve(one));
      else
        taken.push_back(g_.resolve(g_.nodes[from].args[1]));
    }
    const auto borrow = std::ranges::find_if(taken, borrows);
    if (borrow == taken.end()) return kNone;
    taken.erase(borrow);
    const auto other = std::ranges::max_element(taken, {}, [&](Id id) { return belong(l.args[1], id); });
    Id by = g_.constant(0);
    if (other != taken.end() && (taken.size() == 1 || belong(l.args[1], *other) == 2)) {
      by = *other;
      taken.erase(other);
    }
    for (std::size_t n = taken.size(); n-- > 0;) from = g_.make(Op::Sub, {from, taken[n]});
    return g_.make(Op::Sub64, {g_.make(Op::Join, {l.args[0], from}), g_.make(Op::Join, {l.args[1], by})});
  }
  // The low half of a product of two words, maybe with more that is added; and what is added to its high half: products
  // of one word each with the high half of the other number.
  Id product(Id low, Id high) {
    if (const Node l = g_.nodes[low]; l.op == Op::Mul) {
      const Node h = g_.nodes[high];
      const bool is_signed = h.op == Op::MulHighI;
      if ((is_signed || h.op == Op::MulHighU) && are(h, {g_.resolve(l.args[0]), g_.resolve(l.args[1])}))
        return g_.make(is_signed ? Op::MulWideI : Op::MulWideU, {l.args[0], l.args[1]});
    }
    std::vector<Id> terms = terms_of(high);
    if (terms.size() < 2 || terms.size() > 3) return kNone;
    std::array<Id, 2> factors{};
    Id rest = kNone;
    const auto take = [&](auto is_upper) {
      const auto at = std::ranges::find_if(terms, is_upper);
      if (at == terms.end()) return false;
      terms.erase(at);
      return true;
    };
    if (const Node& l = g_.nodes[low]; l.op == Op::Mul) {
      factors = {g_.resolve(l.args[0]), g_.resolve(l.args[1])};
      if (!take([&](Id id) { return g_.is(id, Op::MulHighU) && are(g_.at(id), factors); })) return kNone;
    } else if (l.op == Op::Low) {
      const Id whole = g_.resolve(l.args[0]);
      if (!take([&](Id id) { return g_.is(id, Op::High) && g_.resolve(g_.at(id).args[0]) == whole; })) return kNone;
      Node sum = g_.nodes[whole];
      if (sum.op == Op::Add64)
        for (const std::size_t k : {0u, 1u})
          if (rest == kNone && g_.is(sum.args[k], Op::MulWideU))
            rest = g_.resolve(sum.args[1 - k]), sum = g_.at(sum.args[k]);
      if (sum.op != Op::MulWideU) return kNone;
      factors = {g_.resolve(sum.args[0]), g_.resolve(sum.args[1])};
    } else {
      return kNone;
    }
    std::array<Id, 2> upper{kNone, kNone};
    for (const Id term : terms) {
      const Node& n = g_.at(term);
      if (n.op != Op::Mul) return kNone;
      bool taken = false;
      for (const std::size_t f : {0u, 1u})
        for (const std::size_t k : {0u, 1u})
          if (!taken && upper[1 - f] == kNone && g_.resolve(n.args[k]) == factors[f]) {
            upper[1 - f] = g_.resolve(n.args[1 - k]);
            taken = true;
          }
      if (!taken) return kNone;
    }
    std::array<Id, 2> whole{};
    for (const std::size_t f : {0u, 1u})
      whole[f] = g_.make(Op::Join, {factors[f], upper[f] == kNone ? g_.constant(0) : upper[f]});
    const Id out = g_.make(Op::Mul64, {whole[0], whole[1]});
    return rest == kNone ? out : g_.make(Op::Add64, {out, rest});
  }
  [[nodiscard]] bool are(const Node& n, const std::array<Id, 2>& factors) const {
    const Id a = g_.resolve(n.args[0]), b = g_.resolve(n.args[1]);
    return (a == factors[0] && b == factors[1]) || (a == factors[1] && b == factors[0]);
  }
  [[nodiscard]] std::vector<Id> terms_of(Id sum) const {
    constexpr std::size_t kMost = 4;
    std::vector<Id> open{sum}, out;
    while (!open.empty() && out.size() + open.size() <= kMost) {
      const Id id = g_.resolve(open.back());
      open.pop_back();
      if (!g_.is(id, Op::Add)) {
        out.push_back(id);
        continue;
      }
      for (const Id arg : g_.nodes[id].args) open.push_back(arg);
    }
    if (!open.empty()) out.clear();
    return out;
  }

  // --- halves that others want alone ---------------------------------------------------------------------------------

  // Whether the halves may become those of the whole number: all are known from the same point on, or nobody else asks.
  [[nodiscard]] bool may_stand_for(Id low, Id high) {
    const auto alone = [&](Id id) { return is_leaf(id) || (id < uses_.size() && uses_[id] <= 1); };
    return (alone(low) && alone(high)) || known_from(low) == known_from(high);
  }
  [[nodiscard]] bool is_leaf(Id id) const {
    switch (g_.nodes[id].op) {
      case Op::Const:
      case Op::ArgumentWord:
      case Op::Undefined:
      case Op::Loaded: return true;
      default: return false;
    }
  }
  // Whether a number is made of its own halves: the high one of what the low one gives. Where many steps were taken to
  // see that, no more are: it may be then.
  bool is_made_of(Id whole, Id low, Id high) {
    constexpr u32 kMost = 1 << 21;
    seen_.resize(g_.nodes.size());
    ++search_;
    std::vector<Id> open{whole};
    while (!open.empty()) {
      const Id id = g_.resolve(open.back());
      open.pop_back();
      if (id == low || id == high || ++searched_ > kMost) return true;
      const Node& n = g_.nodes[id];
      if (std::exchange(seen_[id], search_) != search_ && !Graph::phi(n.op) && !g_.effect(n.op))
        open.insert(open.end(), n.args.begin(), n.args.end());
    }
    return false;
  }
  void stand_for(Id half, Id by) {
    if (!is_leaf(half) && g_.resolve(by) != half && !g_.effect(g_.nodes[half].op)) g_.nodes[half].forward = by;
  }
  // A block, and how many of its effects come before. What values are made of stands in blocks that dominate them.
  struct Point {
    u32 block = 0, effects = 0;
    friend bool operator==(const Point&, const Point&) = default;
  };
  Point known_from(Id id) {
    std::vector<Id> open{g_.resolve(id)};
    points_.resize(g_.nodes.size());
    while (!open.empty()) {
      const Id one = open.back();
      const Node& n = g_.nodes[one];
      Point out{n.block, 0};
      bool complete = true;
      if (g_.effect(n.op)) {
        out.effects = position_[one] + 1;
      } else if (!Graph::phi(n.op)) {
        out = {};
        for (const Id arg : n.args) {
          const auto& point = points_[g_.resolve(arg)];
          if (!point) open.push_back(g_.resolve(arg));
          complete = complete && point;
          if (point && (g_.depth[point->block] > g_.depth[out.block] ||
                        (point->block == out.block && point->effects > out.effects)))
            out = *point;
        }
      }
      if (!complete) continue;
      points_[one] = out;
      open.pop_back();
    }
    return *points_[g_.resolve(id)];
  }

  Graph& g_;
  const std::vector<u32>& long_elements_;
  std::vector<bool> live_;
  std::vector<u32> uses_, position_, seen_;  // by the number of the search
  u32 search_ = 0, searched_ = 0;
  std::vector<std::optional<Point>> points_;
};

}  // namespace

void find_wide(Graph& graph, const std::vector<u32>& long_elements) { Wide(graph, long_elements).run(); }

}  // namespace amdcompat::lift
