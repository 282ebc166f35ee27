// Descriptors that compilers keep in vector registers, found again.
//
// Both ways of a branch load the descriptor of an image or sampler where both access it, and what comes behind takes it
// from the registers. A wavefront goes one way, or both for some of its lanes each: the descriptor is then moved to
// vector registers, on both ways, and the second move is only for the lanes that the first way was not for. All lanes
// have the descriptor in the end. What seems to be in it besides is what a scalar register holds where its way was not
// taken, since no lane was for it: none has that.
//
// Shown lane by lane: from where the ways meet back to what was moved, with what is known of the lane on each way, by
// the masks of the moves and the branches that no lane took.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

// Which masks imply which, as it has been found: one lane after another asks the same.
class Implications {
 public:
  explicit Implications(const Graph& graph) : g_(graph) {}

  bool holds(Id mask, Id what) {
    const auto [at, is_new] = known_.try_emplace(u64{mask} << 32 | what);
    if (is_new) {
      Ids assumed;
      at->second = g_.implies(mask, what, assumed);
    }
    return at->second;
  }

 private:
  const Graph& g_;
  std::unordered_map<u64, bool> known_;
};

// What is known of one lane: bits of masks. Conclusions are drawn from the form of masks, until nothing new comes.
class Known {
 public:
  Known(const Graph& graph, Implications& implications) : g_(&graph), implications_(&implications) {}

  // False: it cannot be, with what is known.
  bool assume(Id mask, bool bit) {
    if (!take(mask, bit)) return false;
    for (bool again = true; again;) {
      again = false;
      const Bits all = bits_;
      if (!spend()) return true;
      for (const auto& [id, value] : all) {
        const Node& n = g_->at(id);
        if (n.op != Op::BoolAnd && n.op != Op::BoolOr) continue;
        // One that is not as the result must be leaves the other to be so.
        const bool leaves = n.op == Op::BoolOr;
        for (const std::size_t k : {0u, 1u}) {
          const auto other = bit_of(n.args[1 - k]);
          if (value != leaves || bit_of(n.args[k]) != !value || other == value) continue;
          if (other || !take(n.args[1 - k], value)) return false;
          again = true;
        }
      }
    }
    return true;
  }
  // What merged masks say where a wavefront came to a block by one of its ways. False: it did not.
  bool assume_way(u32 block, std::size_t way) {
    const Bits all = bits_;
    return std::ranges::all_of(all, [&](const auto& one) {
      const Node& n = g_->at(one.first);
      return n.op != Op::PhiBool || n.block != block || assume(n.args[way], one.second);
    });
  }
  // The lane's bit of a mask, as far as it follows; `depth`: of terms in each other that are looked at.
  [[nodiscard]] std::optional<bool> bit_of(Id mask, u32 depth = kMostTerms) const {
    mask = g_->resolve(mask);
    if (depth == 0) return std::nullopt;
    if (const auto found = place(mask); found != bits_.end() && found->first == mask) return found->second;
    if (!spend()) return std::nullopt;
    const Node& n = g_->nodes[mask];
    if (n.op == Op::True || n.op == Op::False) return n.op == Op::True;
    for (const auto& [other, bit] : bits_)
      if (g_->opposite(mask, other)) return !bit;
    if (n.op == Op::BoolNot) {
      const auto bit = bit_of(n.args[0], depth - 1);
      return bit ? std::optional(!*bit) : std::nullopt;
    }
    if (n.op == Op::BoolAnd || n.op == Op::BoolOr) {
      if (!g_->spend()) return std::nullopt;
      const auto a = bit_of(n.args[0], depth - 1), b = bit_of(n.args[1], depth - 1);
      const bool decides = n.op == Op::BoolOr;
      if (a == decides || b == decides) return decides;
      if (a && b) return !decides;
    }
    for (const auto& [other, bit] : bits_)
      if (bit ? g_->is(other, Op::PhiBool) && implications_->holds(other, mask)
              : n.op == Op::PhiBool && implications_->holds(mask, other))
        return bit;
    return std::nullopt;
  }

 private:
  static constexpr u32 kMostTerms = 16;  // one in another

  // Notes a bit and those of the terms that it decides by itself. False: it cannot be.
  bool take(Id mask, bool bit, u32 depth = kMostTerms) {
    mask = g_->resolve(mask);
    if (const auto known = bit_of(mask)) {
      if (*known != bit) return false;
      set(mask, bit);
      return true;
    }
    set(mask, bit);
    if (depth == 0) return true;
    const Node& n = g_->nodes[mask];
    if (n.op == Op::BoolNot) return take(n.args[0], !bit, depth - 1);
    const bool both = n.op == (bit ? Op::BoolAnd : Op::BoolOr);
    return !both || (take(n.args[0], bit, depth - 1) && take(n.args[1], bit, depth - 1));
  }

  using Bits = std::vector<std::pair<Id, bool>>;  // in order
  [[nodiscard]] Bits::const_iterator place(Id mask) const {
    return std::ranges::lower_bound(bits_, mask, {}, &std::pair<Id, bool>::first);
  }
  void set(Id mask, bool bit) {
    const auto at = bits_.begin() + (place(mask) - bits_.begin());
    if (at != bits_.end() && at->first == mask)
      at->second = bit;
    else
      bits_.emplace(at, mask, bit);
  }
  // For a look at all of them. False: there was too much work.
  [[nodiscard]] bool spend() const { return g_->spend(1 + bits_.size() / 4); }

  const Graph* g_;
  Implications* implications_;
  Bits bits_;
};

class Descriptors {
 public:
  // `apart`: lanes branch each for itself.
  explicit Descriptors(Graph& graph, bool apart = false) : g_(graph), apart_(apart) {}

  bool run() {
    bool changed = false;
    const std::vector<bool> live = g_.live();
    for (Id id = 0; id < live.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live[id] || n.forward != kNone || !Graph::phi(n.op) || n.op == Op::PhiBool || n.scalar) continue;
      const Id only = find(id, Known(g_, implications_));
      if (only == kNone) continue;
      g_.nodes[id].forward = only;
      changed = true;
    }
    return changed;
  }
  // Of an access: words among its arguments, as lanes have them that make it.
  void run(Id access, std::size_t first, std::size_t count) {
    const Node n = g_.nodes[access];
    Known known(g_, implications_);
    if (!known.assume(n.args[0], true)) return;
    if (!assume_blocks(known, n.block, 0)) return;
    for (std::size_t k = first; k < first + count; ++k)
      if (const Id only = find(n.args[k], known); only != kNone) g_.nodes[access].args[k] = only;
  }

 private:
  static constexpr Id kAny = kNone - 1;  // no lane has it, or nothing has set it
  static constexpr u32 kMostSteps = 256, kMostTerms = 8;

  bool is_descriptor(Id id) const {
    if (g_.is(id, Op::Join)) return std::ranges::all_of(g_.at(id).args, [&](Id word) { return is_descriptor(word); });
    return g_.is(id, Op::Resource);
  }
  Id find(Id id, const Known& known) {
    on_way_.clear();
    steps_ = kMostSteps;
    const Id only = of_way(id, known);
    return only == kAny ? kNone : only;
  }
  // Whether a mask has the same bit in all lanes: by which way a wavefront came.
  bool of_wavefront(Id mask, u32 terms) const {
    const Node& n = g_.at(mask);
    switch (n.op) {
      case Op::True:
      case Op::False: return true;
      case Op::BoolNot:
      case Op::BoolAnd:
      case Op::BoolOr:
      case Op::PhiBool:
        return terms != 0 && g_.spend() &&
               std::ranges::all_of(n.args, [&](Id arg) { return of_wavefront(arg, terms - 1); });
      default: return false;
    }
  }
  static Id both(Id a, Id b) { return a == kAny || a == b ? b : b == kAny ? a : kNone; }

  // The words of a descriptor that a lane of which that is known has in a register; `kNone`: they are not certain.
  Id of_way(Id id, const Known& known) {
    id = g_.resolve(id);
    if (is_descriptor(id)) return id;
    const Node n = g_.nodes[id];
    if (n.op == Op::Undefined) return kAny;
    if (steps_ == 0 || !g_.spend()) return kNone;
    --steps_;
    if (Graph::select(n.op)) {
      const auto part = [&](std::size_t k) {
        Known more = known;
        return more.assume(n.args[0], k == 1) ? of_way(n.args[k], more) : kAny;
      };
      const Id chosen = part(1);
      return chosen == kNone ? kNone : both(chosen, part(2));
    }
    if (n.op == Op::Join) {
      Ids words;
      for (const Id arg : n.args) words.push_back(of_way(arg, known));
      if (std::ranges::find(words, kNone) != words.end()) return kNone;
      if (std::ranges::find(words, kAny) != words.end()) return kAny;
      return g_.resolve(g_.make(Op::Join, std::move(words)));
    }
    if (!Graph::phi(n.op) || n.op == Op::PhiBool) return kNone;
    if (std::ranges::find(on_way_, id) != on_way_.end()) return kNone;
    on_way_.push_back(id);
    Id out = kAny;
    for (std::size_t k = 0; k < n.args.size() && out != kNone; ++k) out = both(out, of_merge(n, k, known));
    on_way_.pop_back();
    return out;
  }
  // False: a lane of which that is known does not go from one block to the other. Where lanes branch together, one way
  // is gone where no lane is for the other; on the other some lane is, which says of each one only where a mask has
  // all lanes or none.
  bool assume_branch(Known& known, u32 from, u32 to) const {
    const BlockEnd& end = g_.blocks[from].end;
    if (end.kind != BlockEnd::Kind::Branch || end.yes == end.no) return true;
    const bool told = apart_ || !end.lanes || end.no == to || of_wavefront(end.condition, kMostTerms);
    return !told || known.assume(end.condition, end.yes == to);
  }
  // The same of all branches between a block and one in front of it by which it is come to.
  bool assume_blocks(Known& known, u32 block, u32 until) const {
    for (u32 at = block; at != until && at != 0; at = g_.idom[at])
      if (g_.blocks[at].predecessors.size() == 1 && !assume_branch(known, g_.idom[at], at)) return false;
    return true;
  }
  Id of_merge(const Node& merge, std::size_t k, const Known& known) {
    const u32 from = g_.blocks[merge.block].predecessors[k];
    if (from >= merge.block) return kNone;  // another turn of a loop, of which what is known does not hold
    Known more = known;
    if (!assume_branch(more, from, merge.block) || !more.assume_way(merge.block, k) ||
        !assume_blocks(more, from, g_.idom[merge.block]))
      return kAny;
    return of_way(merge.args[k], more);
  }

  Graph& g_;
  Implications implications_{g_};
  bool apart_;
  std::vector<Id> on_way_;
  u32 steps_ = 0;
};

}  // namespace

void find_descriptors(Graph& graph) {
  if (std::ranges::none_of(graph.nodes, [](const Node& n) { return n.op == Op::Resource; })) return;
  if (Descriptors(graph).run()) graph.simplify(false);
}

void find_descriptor_words(Graph& graph, Id access, std::size_t first, std::size_t count) {
  Descriptors(graph, !graph.wave).run(access, first, count);
}

}  // namespace amdcompat::lift
