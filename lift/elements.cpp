// Choices among values by number, one comparison after the other, as elements of an array.
//
// Compilers keep small arrays in registers. Machine code takes one of them by an index that is relative to an
// instruction's register, or it compares an index with each number; so does a source with a chain of `?:`. All are
// `index == 2 ? c : index == 1 ? b : a` here, and become `(uint[]){a, b, c}[index]`.
#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

class Elements {
 public:
  explicit Elements(Graph& graph) : g_(graph), live_(graph.live()), inside_(live_.size()), uses_(live_.size()) {}

  void run() {
    std::vector<Id> choices;
    for (Id id = 0; id < live_.size(); ++id) {
      if (!live_[id] || g_.nodes[id].forward != kNone) continue;
      for (const Id arg : g_.nodes[id].args) ++uses_[g_.resolve(arg)];
      if (link(id)) choices.push_back(id);
    }
    for (const BasicBlock& block : g_.blocks)
      if (block.end.kind == BlockEnd::Kind::Branch) ++uses_[g_.resolve(block.end.condition)];
    for (const Id id : choices) {
      const Link one = *link(id);
      const auto next = link(one.rest);
      if (next && next->index == one.index && uses_[one.rest] == 1) inside_[one.rest] = true;
    }
    for (const Id id : choices)
      if (!inside_[id] && g_.spend()) gather(id);
  }

 private:
  static constexpr std::size_t kFewest = 3, kMost = 256;  // numbers that are compared with

  // `index == number ? value : rest`.
  struct Link {
    Id index, value, rest;
    u32 number;
  };
  std::optional<Link> link(Id id) const {
    const Node& n = g_.nodes[id];
    if (n.forward != kNone || !Graph::select(n.op)) return std::nullopt;
    const Node& asked = g_.at(n.args[0]);
    if (asked.op != Op::EqU && asked.op != Op::NeU) return std::nullopt;
    const auto number = g_.value(asked.args[1]);
    if (!number) return std::nullopt;
    const Id yes = g_.resolve(n.args[1]), no = g_.resolve(n.args[2]);
    return asked.op == Op::EqU ? Link{g_.resolve(asked.args[0]), yes, no, *number}
                               : Link{g_.resolve(asked.args[0]), no, yes, *number};
  }
  void gather(Id head) {
    const Id index = link(head)->index;
    // Numbers that an index may be: with no other bits than these. An array of longer elements is an array of words
    // whose index is a multiple of their length.
    const u32 bits = g_.mask_of(index), shift = bits == 0 ? 0 : static_cast<u32>(std::countr_zero(bits));
    std::map<u32, Id> chosen;
    Id rest = head;
    for (auto one = link(head); one && one->index == index; one = link(rest)) {
      if ((one->number & ~bits) == 0) chosen.emplace(one->number >> shift, one->value);
      rest = one->rest;
    }
    if (chosen.size() < kFewest || chosen.size() > kMost) return;
    const u32 first = chosen.begin()->first <= 1 ? 0 : chosen.begin()->first, last = chosen.rbegin()->first;
    // What no number is compared with is few of the elements, and what is beyond them is one more.
    if (last - first >= 2 * chosen.size()) return;
    const bool bounded = first == 0 && bits >> shift <= last, unset = g_.is(rest, Op::Undefined);
    if (!bounded && chosen.size() == kFewest) return;
    Ids values;
    for (u32 n = first; n <= last; ++n) {
      const auto own = chosen.find(n);
      values.push_back(own == chosen.end() ? rest : own->second);
    }
    if (!bounded && !unset) values.push_back(rest);
    Id at = shift == 0 ? index : shifted(index, shift);
    if (first != 0) at = g_.make(Op::Sub, {at, g_.constant(first)});
    if (!bounded) at = g_.make(Op::MinU, {at, g_.constant(static_cast<u32>(values.size()) - 1)});
    const bool wide = g_.nodes[head].op == Op::SelectWide;
    const Id array = g_.make(wide ? Op::ArrayWide : Op::Array, values);
    g_.nodes[head].forward = g_.make(wide ? Op::ElementWide : Op::Element, {array, at});
  }

  // A number whose bits below that one are clear, without these.
  Id shifted(Id id, u32 by) {
    const Node n = g_.nodes[id];
    const bool was_shifted = n.op == Op::Shl && g_.value(n.args[1]) == by;
    if (was_shifted && g_.bits_of(n.args[0]) + by <= 32) return g_.resolve(n.args[0]);
    return g_.make(Op::Shr, {id, g_.constant(by)});
  }

  Graph& g_;
  const std::vector<bool> live_;
  std::vector<bool> inside_;  // of another choice, and nowhere else
  std::vector<u32> uses_;
};

}  // namespace

void find_elements(Graph& graph) { Elements(graph).run(); }

}  // namespace amdcompat::lift
