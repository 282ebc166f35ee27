// Packets of a pipe that a wavefront reserves together.
//
// AMD's library lets the first lane of those that are on exchange the index of a pipe for one that is as many packets
// further as there are lanes, and tells each where these packets start: its own is as many further as lanes come
// before it. Where there is no room for all, each lane tries for itself. [DEVLIBS pipes.h wave_reserve_1] What lanes
// get is what they would get if they came one after the other, and a pipe tells nobody who is first. So each lane is on
// by itself here: it is the first, and there is one.
//
// Only that is looked for: in kernels with pipes, whose first lanes do nothing but exchange an index of one, and where
// nothing else is made of who is first, how many there are, and what the first lane told.
#include <algorithm>
#include <optional>
#include <set>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

class Reservations {
 public:
  Reservations(Graph& graph, const Source& source) : g_(graph), source_(source) {}

  void run() {
    const auto is_pipe = [](const Argument& argument) { return std::holds_alternative<Pipe>(argument.kind); };
    if (std::ranges::none_of(source_.kernel.arguments, is_pipe) || !asks_lanes_below(g_)) return;
    g_.look_closely(true);
    find_exchanges();
    find_masks();
    find_users();
    bool changed = false;
    for (const Id mask : masks_) {
      if (!only_reserves(mask)) continue;
      be_alone(mask);
      changed = true;
    }
    g_.look_closely(false);
    if (!changed) return;
    g_.reserves_apart = true;
    g_.simplify(false);
  }

 private:
  // An atomic exchange of a number for one that is `amount` more.
  struct Exchange {
    Id id, amount;
  };

  Id arg(Id id, std::size_t n) const { return g_.resolve(g_.at(id).args[n]); }

  void find_exchanges() {
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      for (std::size_t n = 0; n < g_.blocks[b].effects.size(); ++n) {
        const Id id = g_.blocks[b].effects[n];
        const Node node = g_.nodes[id];
        if (node.forward != kNone || node.op != Op::Atomic || g_.accesses[node.access].atomic != "cmpxchg") continue;
        // The mask, the place, what is expected there, what is put there.
        const std::size_t expected = node.args.size() - 2;
        const Id before = g_.resolve(g_.for_lanes(node.args[expected], node.args[0]));
        const Id now = g_.for_lanes(node.args[expected + 1], node.args[0]);
        if (const Id amount = added(now, before); amount != kNone) exchanges_.push_back({id, amount});
      }
  }
  // What a sum is more than one of its terms, as a word; `kNone`: it is none.
  Id added(Id sum, Id term) {
    const Node n = g_.at(sum);
    if (n.op != Op::Add && n.op != Op::Add64) return kNone;
    for (const std::size_t k : {0u, 1u}) {
      const Id other = g_.resolve(n.args[1 - k]);
      if (g_.resolve(n.args[k]) != term) continue;
      if (n.op == Op::Add) return other;
      if (const auto number = g_.value64(other); number && *number <= ~0u)
        return g_.resolve(g_.constant(static_cast<u32>(*number)));
      if (g_.is(other, Op::Join) && g_.value(arg(other, 1)) == 0u) return arg(other, 0);
    }
    return kNone;
  }
  // The masks whose lanes one lane reserves for, and each for itself where that fails.
  void find_masks() {
    std::set<Id> others;
    for (const Exchange& all : exchanges_) {
      const Id mask = counted(all.amount);
      if (mask == kNone) continue;
      const bool alone = std::ranges::any_of(
          exchanges_, [&](const Exchange& one) { return g_.value(one.amount) == 1u && same_place(one.id, all.id); });
      (alone && of_pipe(all.id) && by_first(all, mask) ? masks_ : others).insert(mask);
    }
    for (const Id mask : others) masks_.erase(mask);
  }
  bool same_place(Id a, Id b) const {
    const Node &one = g_.nodes[a], &other = g_.nodes[b];
    if (one.access != other.access) return false;
    for (std::size_t n = 1; n + 2 < one.args.size(); ++n)
      if (g_.resolve(one.args[n]) != g_.resolve(other.args[n])) return false;
    return true;
  }
  // Whether the place is in a pipe, and the same for all lanes.
  bool of_pipe(Id exchange) const {
    bool pipe = false;
    Seen seen;
    std::vector<Id> open{g_.resolve(g_.nodes[exchange].args[1])};
    while (!open.empty()) {
      const Id id = open.back();
      open.pop_back();
      if (!seen.insert(id)) continue;
      const Node& n = g_.nodes[id];
      if (n.op == Op::Undefined) continue;
      if (Graph::phi(n.op) || g_.effect(n.op) || of_a_lane(n.op) || !g_.spend()) return false;
      const auto& arguments = source_.kernel.arguments;
      for (std::size_t k = 0; k < arguments.size(); ++k)
        if (std::holds_alternative<Pipe>(arguments[k].kind) &&
            (n.op == Op::Pointer ? n.imm == k : n.op == Op::ArgumentWord && place_of(arguments[k]) == n.imm))
          pipe = true;
      for (const Id arg : n.args) open.push_back(g_.resolve(arg));
    }
    return pipe;
  }
  // The mask whose lanes a value counts; `kNone`: none.
  Id counted(Id count) const {
    if (!g_.is(count, Op::PopCount64) || !g_.is(arg(count, 0), Op::Join)) return kNone;
    const Id word = arg(arg(count, 0), 0);
    if (!g_.is(word, Op::MaskWord)) return kNone;
    const Id mask = arg(word, 0);
    return counts_lanes(g_, count, mask, false) ? mask : kNone;
  }
  // The question whether no lane of a mask comes before one.
  bool asks_first(const Node& n, Id mask) const {
    if ((n.op != Op::EqU && n.op != Op::NeU) || g_.value(n.args[1]) != 0u) return false;
    Id count = g_.resolve(n.args[0]);
    // As a register has it, to lanes of the mask.
    if (const Node& put = g_.nodes[count]; put.op == Op::Select && put.imm == kRegisterWrite &&
                                           (g_.resolve(put.args[0]) == mask || g_.is(put.args[0], Op::True)))
      count = g_.resolve(put.args[1]);
    return counts_lanes(g_, count, mask, true);
  }
  // Whether the first lane of a mask comes to an exchange whatever it has, and leaves the loop by what that has found
  // or where there is no room.
  bool by_first(const Exchange& all, Id mask) const {
    const u32 header = g_.loop[g_.nodes[all.id].block];
    if (header == kNone) return false;
    const auto of_loop = [&](const Node& n) {
      return Graph::phi(n.op) && (n.block == header || g_.in_loop(n.block, header));
    };
    bool first = false;
    Seen seen;
    std::vector<Id> open{g_.resolve(g_.nodes[all.id].args[0])};
    while (!open.empty()) {
      const Id id = open.back();
      open.pop_back();
      if (!seen.insert(id)) continue;
      const Node& n = g_.nodes[id];
      if (!g_.spend()) return false;
      if (id == mask) continue;
      if (asks_first(n, mask)) {
        if (n.op != Op::EqU) return false;
        first = true;
      } else if (n.op == Op::BoolAnd || n.op == Op::BoolNot || n.op == Op::BoolOr ||
                 (n.op == Op::PhiBool && of_loop(n))) {
        for (const Id arg : n.args) open.push_back(g_.resolve(arg));
      } else if (n.op != Op::True && n.op != Op::False && !ends_exchange(n, all)) {
        return false;
      }
    }
    return first;
  }
  // Whether a comparison is of what an exchange has found or would put there.
  bool ends_exchange(const Node& n, const Exchange& all) const {
    if (info(n.op).result != Bool || n.args.size() != 2 || Graph::phi(n.op)) return false;
    return std::ranges::any_of(n.args, [&](Id arg) {
      const Node& side = g_.at(arg);
      if (g_.resolve(arg) == all.id) return true;
      return (side.op == Op::Add || side.op == Op::Add64) && std::ranges::any_of(side.args, [&](Id term) {
               return g_.resolve(term) == all.amount ||
                      (g_.is(term, Op::Join) && this->arg(g_.resolve(term), 0) == all.amount);
             });
    });
  }

  void find_users() {
    if (masks_.empty()) return;
    users_.assign(g_.nodes.size(), {});
    const std::vector<bool> live = g_.live();
    for (Id id = 0; id < g_.nodes.size(); ++id)
      if (live[id] && g_.nodes[id].forward == kNone)
        for (const Id of : g_.nodes[id].args) users_[g_.resolve(of)].push_back(id);
  }
  // Whether how many lanes of a mask there are, and come before a lane, is used for nothing but that.
  bool only_reserves(Id mask) {
    bool told = false;
    for (Id id = 0; id < users_.size(); ++id) {
      if (users_[id].empty()) continue;
      if (counts_lanes(g_, id, mask, false) && !every_use(id, mask, false)) return false;
      if (counts_lanes(g_, id, mask, true) && !every_use(id, mask, true)) return false;
      if (is_told(id, mask, 0) && !is_found(g_.nodes[id].args[0])) return false;
      told = told || is_told(id, mask, 0);
    }
    return told && effects_are_of_all(mask);
  }
  bool is_exchange(Id id) const { return std::ranges::find(exchanges_, id, &Exchange::id) != exchanges_.end(); }
  // Whether a register holds what an exchange has found, for the lane that did it.
  bool is_found(Id id) const {
    Seen seen;
    std::vector<Id> open{g_.resolve(id)};
    while (!open.empty()) {
      const Id one = open.back();
      open.pop_back();
      if (!seen.insert(one) || !g_.spend()) continue;
      const Node& n = g_.nodes[one];
      if (is_exchange(one)) return true;
      const bool moved =
          Graph::phi(n.op) || Graph::select(n.op) || n.op == Op::Low || n.op == Op::High || n.op == Op::Join;
      if (moved)
        for (const Id arg : n.args)
          if (info(g_.at(arg).op).result != Bool) open.push_back(g_.resolve(arg));
    }
    return false;
  }
  // Whether nothing but exchanges, and loads from their places, is done by first lanes, or by the others; and nothing
  // is done with who is first, how many there are and what was told by itself.
  bool effects_are_of_all(Id mask) {
    for (const BasicBlock& block : g_.blocks) {
      if (block.end.kind == BlockEnd::Kind::Branch && !block.end.lanes && tells(block.end.condition, mask))
        return false;
      for (const Id id : block.effects) {
        const Node n = g_.nodes[id];
        if (n.forward != kNone || n.op == Op::Barrier || n.args.empty()) continue;
        if (is_exchange(id)) continue;
        const bool place = n.op == Op::Load && std::ranges::any_of(exchanges_, [&](const Exchange& of) {
                             return n.args.size() > 1 && g_.resolve(n.args[1]) == g_.resolve(g_.nodes[of.id].args[1]);
                           });
        if (!place && depends_on_first(n.args[0], mask)) return false;
        if (n.op == Op::Load && (id >= users_.size() || users_[id].empty())) continue;
        for (const Id arg : std::span(n.args).subspan(1))
          if (tells(g_.for_lanes(arg, n.args[0]), mask)) return false;
      }
    }
    return true;
  }
  // Whether a mask has other lanes for who is first.
  bool depends_on_first(Id id, Id mask) const {
    Seen seen;
    std::vector<Id> open{g_.resolve(id)};
    while (!open.empty()) {
      const Id one = open.back();
      open.pop_back();
      if (one == mask || !seen.insert(one)) continue;
      const Node& n = g_.nodes[one];
      if (!g_.spend() || asks_first(n, mask)) return true;
      if (info(n.op).result != Bool) continue;
      for (const Id arg : n.args)
        if (info(g_.at(arg).op).result == Bool) open.push_back(g_.resolve(arg));
    }
    return false;
  }
  // Whether a value, where no ways have met, is made of who is first, how many there are or what was told, otherwise
  // than a packet's place is.
  bool tells(Id id, Id mask) const {
    Seen seen;
    std::vector<Id> open{g_.resolve(id)};
    while (!open.empty()) {
      const Id one = open.back();
      open.pop_back();
      if (!seen.insert(one)) continue;
      const Node& n = g_.nodes[one];
      if (!g_.spend()) return true;
      if (Graph::phi(n.op) || g_.effect(n.op) || n.op == Op::Loaded) continue;
      if (counts_lanes(g_, one, mask, true) || counts_lanes(g_, one, mask, false) || is_told(one, mask, 0)) return true;
      if (n.args.size() == 2) {
        const Id a = g_.resolve(n.args[0]), b = g_.resolve(n.args[1]);
        const bool sum = n.op == Op::Add || n.op == Op::CarryOfAdd || n.op == Op::Add64;
        if (sum && (is_told(a, mask, 4) || is_told(b, mask, 4))) continue;
        const bool asks = n.op == Op::EqU64 || n.op == Op::NeU64 || n.op == Op::EqU || n.op == Op::NeU;
        if (asks && (is_failed(a) || is_failed(b))) continue;
      }
      for (const Id arg : n.args) open.push_back(g_.resolve(arg));
    }
    return false;
  }
  bool is_failed(Id id) const { return g_.value(id) == ~0u || g_.value64(id) == ~u64{0}; }
  // `place`: of the number of lanes before one, which is added to what the first lane has told; else of the number of
  // all, which is added to what a loop knows of the index.
  bool every_use(Id of, Id mask, bool place) const {
    Seen seen;
    std::vector<Id> open{of};
    while (!open.empty()) {
      const Id id = open.back();
      open.pop_back();
      if (!seen.insert(id)) continue;
      for (const Id user : users_[id]) {
        const Node& n = g_.nodes[user];
        const bool second = n.args.size() == 2 && g_.resolve(n.args[1]) == id;
        const Id other = n.args.size() == 2 ? g_.resolve(n.args[second ? 0 : 1]) : kNone;
        switch (n.op) {
          case Op::EqU:
          case Op::NeU:  // there is always one
            if (g_.value(other) != 0u) return false;
            break;
          case Op::Add:
          case Op::CarryOfAdd:
          case Op::Add64:
            if (place ? !is_told(other, mask, 4) : !is_index(other)) return false;
            break;
          case Op::Join:
            if (second || g_.value(other) != 0u) return false;
            open.push_back(user);
            break;
          // What it stays in for other lanes is looked at where something is done with it (`effects_are_of_all`).
          case Op::Select:
          case Op::SelectWide:
            if (n.imm != kRegisterWrite || g_.resolve(n.args[0]) == id) return false;
            if (g_.resolve(n.args[1]) == id) open.push_back(user);
            break;
          case Op::Phi:
          case Op::PhiWide: open.push_back(user); break;
          default: return false;
        }
      }
    }
    return true;
  }
  // Whether the first lane of a mask has told a value, or halves of it.
  bool is_told(Id id, Id mask, u32 depth) const {
    const Node& n = g_.at(id);
    if (n.op == Op::ReadLane) return is_first(n.args[1], mask);
    if (depth == 0) return false;
    if (n.op == Op::Join) return is_told(n.args[0], mask, depth - 1) && is_told(n.args[1], mask, depth - 1);
    // For lanes that are on there is a first one.
    return Graph::select(n.op) && is_told(n.args[1], mask, depth - 1);
  }
  // Whether a value is of a loop in which an index is exchanged.
  bool is_index(Id id) const {
    const Node& n = g_.at(id);
    if (n.op == Op::Join) return is_index(n.args[0]) && is_index(n.args[1]);
    return Graph::phi(n.op) && std::ranges::any_of(exchanges_, [&](const Exchange& one) {
             return g_.in_loop(g_.nodes[one.id].block, n.block);
           });
  }
  // Whether a value is the number of the first lane of a mask.
  bool is_first(Id id, Id mask) const {
    constexpr u32 kLast = kLanes - 1;
    if (g_.is(id, Op::And) && g_.value(arg(id, 1)) == kLast) id = arg(id, 0);
    const auto word = [&](Id of, u32 half) {
      const Node& n = g_.at(of);
      return n.op == Op::MaskWord && n.imm == half && g_.resolve(n.args[0]) == mask;
    };
    if (g_.is(id, Op::FirstLow64) && g_.is(arg(id, 0), Op::Join))
      return word(arg(arg(id, 0), 0), 0) && word(arg(arg(id, 0), 1), 1);
    // The first bit of the low half, if that has any.
    const Node& half = g_.at(id);
    if (half.op != Op::Select || !g_.is(half.args[0], Op::EqU) || !g_.is(half.args[2], Op::FirstLow)) return false;
    if (!word(arg(half.args[0], 0), 0) || g_.value(arg(half.args[0], 1)) != 0u || !word(arg(half.args[2], 0), 0))
      return false;
    Id high = g_.resolve(half.args[1]);
    if (g_.is(high, Op::Select))  // or 64
      for (const std::size_t k : {1u, 2u})
        if (g_.value(arg(high, k)) == kLanes) high = arg(high, 3 - k);
    return g_.is(high, Op::Add) && g_.is(arg(high, 0), Op::FirstLow) && word(arg(arg(high, 0), 0), 1) &&
           g_.value(arg(high, 1)) == kLanes / 2;
  }

  // Each lane of a mask is on by itself.
  void be_alone(Id mask) {
    const Id lane = g_.make(Op::LaneId), none = g_.constant(0), one = g_.constant(1);
    for (Id id = 0, count = static_cast<Id>(g_.nodes.size()); id < count; ++id) {
      const Node n = g_.nodes[id];
      if (n.forward != kNone) continue;
      if (counts_lanes(g_, id, mask, true))
        g_.nodes[id].forward = none;
      else if (counts_lanes(g_, id, mask, false))
        g_.nodes[id].forward = one;
      else if (n.op == Op::ReadLane && is_first(n.args[1], mask))
        g_.nodes[id].forward = g_.resolve(n.args[0]);
      else if (asks_for_lane(n, mask))
        g_.nodes[id].forward = g_.boolean(true);
    }
    // What is left of it in registers is a lane's own bit.
    for (Id id = 0, count = static_cast<Id>(g_.nodes.size()); id < count; ++id)
      if (g_.nodes[id].forward == kNone && is_first(id, mask)) g_.nodes[id].forward = g_.resolve(lane);
    for (Id id = 0, count = static_cast<Id>(g_.nodes.size()); id < count; ++id)
      if (const Node n = g_.nodes[id]; n.forward == kNone && n.op == Op::And)
        for (const std::size_t k : {0u, 1u})
          if (g_.is(n.args[k], Op::MaskWord) && arg(arg(id, k), 0) == mask && is_bit(n.args[1 - k], g_.resolve(lane)))
            g_.nodes[id].forward = g_.resolve(n.args[1 - k]);
  }
  // A half of the bit of a lane.
  bool is_bit(Id id, Id lane) const {
    if (!g_.is(id, Op::Low) && !g_.is(id, Op::High)) return false;
    const Node& shift = g_.at(arg(id, 0));
    if (shift.op != Op::Shl64 || g_.value64(shift.args[0]) != 1u) return false;
    const Id by = g_.resolve(shift.args[1]);
    return by == lane || (g_.is(by, Op::And) && arg(by, 0) == lane);
  }
  // Whether something is true if the first lane of a mask has a bit of it.
  bool asks_for_lane(const Node& n, Id mask) const {
    if (n.op != Op::NeU64) return false;
    for (const std::size_t k : {0u, 1u}) {
      const Id bits = g_.resolve(n.args[k]);
      if (g_.value64(n.args[1 - k]) != 0u || !g_.is(bits, Op::Join)) continue;
      const auto has = [&](Id word, Op half) {
        if (!g_.is(word, Op::And)) return false;
        for (const std::size_t m : {0u, 1u}) {
          const Node &own = g_.at(arg(word, m)), &bit = g_.at(arg(word, 1 - m));
          if (own.op != Op::MaskWord || g_.resolve(own.args[0]) != mask || bit.op != half) continue;
          const Node& shift = g_.at(bit.args[0]);
          if (own.imm == (half == Op::High ? 1u : 0u) && shift.op == Op::Shl64 && g_.value64(shift.args[0]) == 1u &&
              is_first(shift.args[1], mask))
            return true;
        }
        return false;
      };
      if (has(arg(bits, 0), Op::Low) && has(arg(bits, 1), Op::High)) return true;
    }
    return false;
  }

  Graph& g_;
  const Source& source_;
  std::vector<Exchange> exchanges_;
  std::set<Id> masks_;
  std::vector<std::vector<Id>> users_;
};

}  // namespace

void open_reservations(Graph& graph, const Source& source) { Reservations(graph, source).run(); }

}  // namespace amdcompat::lift
