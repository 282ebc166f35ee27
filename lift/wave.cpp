// One work-item of each wavefront computes all its lanes.
//
// The graph of machine code says what a wavefront does: values of scalar registers are the same for all lanes, those of
// vector registers are each lane's own, and masks ask every lane. Here it becomes a graph of one work-item again: what
// lanes compute stands in loops over them, what they keep from one loop to the next is in a private array, and what
// asks all lanes is a loop that collects the answer. Nothing has to be shown for that, so it is right wherever the
// interpreter is. Other work-items go through the same scalar code with loops over no lanes, so that they meet the
// barriers.
#include <algorithm>
#include <bit>
#include <compare>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

constexpr u32 kSlotBytes = 4 * kLanes;
// Private bytes of all work-items of a group, which some runtimes keep on one stack.
constexpr u64 kMostPrivate = 7 << 20;
constexpr u64 kMostWorkItems = 256;  // of a group, by the old runtimes
constexpr u32 kMostWavefronts = 64;  // of a group, by any runtime

// A set of small numbers.
class Bits {
 public:
  void set(u32 n) {
    if (n / 64 >= words_.size()) words_.resize(n / 64 + 1);
    words_[n / 64] |= u64{1} << n % 64;
  }
  void add(const Bits& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
    for (std::size_t k = 0; k < other.words_.size(); ++k) words_[k] |= other.words_[k];
  }
  // The first number that is not of it.
  [[nodiscard]] u32 first_other() const {
    std::size_t k = 0;
    while (k < words_.size() && words_[k] == ~u64{0}) ++k;
    const u32 bit = k == words_.size() ? 0 : static_cast<u32>(std::countr_one(words_[k]));
    return static_cast<u32>(k * 64) + bit;
  }

 private:
  std::vector<u64> words_;
};

class Wave {
 public:
  // `early`: values are computed in the block in which the machine code does it, so that no more has to be kept than
  // it has registers; else where they are used first.
  Wave(Graph& graph, u64 local_bytes, bool early) : g_(graph), early_(early), local_bytes_(local_bytes) {}

  Graph run() {
    out_.required = g_.required;
    out_.wave = true;
    out_.budget = g_.budget;
    live_ = g_.live();
    find_varying();
    barriers_ = find_barriers();
    if (!g_.refusal && barriers_ && leave_early()) {
      live_ = g_.live();
      find_varying();
    }
    if (!g_.refusal && barriers_) meet_barriers();
    if (!g_.refusal && early_) find_computed();
    if (!g_.refusal) translate();
    out_.refusal = g_.refusal;
    return std::move(out_);
  }

 private:
  // --- what lanes have of their own ----------------------------------------------------------------------------------

  // Values that ask all lanes and are the same for them.
  bool collects(const Node& n) const {
    if (n.op == Op::ReadLane) return !varying(n.args[1]);
    return n.op == Op::AnyLane || n.op == Op::FirstLane || n.op == Op::MaskWord;
  }
  bool varying(Id id) const { return varying_[g_.resolve(id)]; }
  bool from_lanes(Id id) const { return from_lanes_[g_.resolve(id)]; }
  static bool of_all(const Access& access, const Node& n) {
    return access.room == Room::Scalar || access.room == Room::ConstantBuffer || n.scalar;
  }
  void find_varying() {
    varying_.assign(g_.nodes.size(), false);
    from_lanes_.assign(g_.nodes.size(), false);
    for (bool changed = true; changed;) {
      changed = false;
      if (g_.budget < g_.nodes.size()) return g_.refuse(Code::LiftFlow, 0, std::string(kTooMuchWork));
      g_.budget -= g_.nodes.size();
      for (Id id = 0; id < g_.nodes.size(); ++id) {
        const Node& n = g_.nodes[id];
        if (n.forward != kNone || !live_[id]) continue;
        const bool any = std::ranges::any_of(n.args, [&](Id arg) { return varying(arg); });
        bool own = false, lanes = std::ranges::any_of(n.args, [&](Id arg) { return from_lanes(arg) || varying(arg); });
        if (n.op == Op::LocalId || n.op == Op::GlobalId || n.op == Op::MaskOfWords || n.op == Op::LaneId ||
            n.op == Op::Present || n.op == Op::LanesBelow || n.op == Op::WriteLane)
          own = true;
        else if (g_.effect(n.op) && n.op != Op::Barrier && n.op != Op::Leave)
          own = any || n.op != Op::Load || !of_all(g_.accesses[n.access], n);
        else if (n.op == Op::ReadLane)
          own = varying(n.args[1]);
        else if (collects(n))
          lanes = true;
        else
          own = any;
        if ((own && !varying_[id]) || (lanes && !from_lanes_[id])) changed = true;
        varying_[id] = varying_[id] || own;
        from_lanes_[id] = from_lanes_[id] || lanes;
      }
    }
  }
  bool single() const {
    const u64 size = g_.required_size();
    return size != 0 && size <= kLanes;
  }
  // One wavefront alone waits for nobody.
  bool find_barriers() const {
    if (single()) return false;
    for (const BasicBlock& block : g_.blocks)
      for (const Id id : block.effects)
        if (g_.nodes[id].op == Op::Barrier) return true;
    return false;
  }
  bool by_lanes(const BlockEnd& end) const {
    return end.kind == BlockEnd::Kind::Branch && (end.lanes || from_lanes(end.condition) || varying(end.condition));
  }
  // Blocks that come behind one, without going through another.
  std::vector<bool> behind(u32 from, u32 without = kNone) const {
    std::vector<bool> out(g_.blocks.size());
    std::vector<u32> open(g_.blocks[from].successors);
    while (!open.empty()) {
      const u32 b = open.back();
      open.pop_back();
      if (out[b] || b == without) continue;
      out[b] = true;
      open.insert(open.end(), g_.blocks[b].successors.begin(), g_.blocks[b].successors.end());
    }
    return out;
  }
  bool has(u32 block, bool (*what)(Op)) const {
    return std::ranges::any_of(g_.blocks[block].effects,
                               [&](Id id) { return g_.nodes[id].forward == kNone && what(g_.nodes[id].op); });
  }
  bool has_barrier(u32 block) const {
    return has(block, [](Op op) { return op == Op::Barrier; });
  }
  // A wavefront that ends in front of barriers where others go on meets them all the same: it goes on without lanes.
  bool leave_early() {
    std::vector<u32> leave;
    for (u32 b = 0; b < g_.blocks.size(); ++b) {
      const BlockEnd& end = g_.blocks[b].end;
      if (!by_lanes(end) || end.yes == end.no) continue;
      const std::vector<bool> yes = behind_edge(end.yes), no = behind_edge(end.no), again = behind(b);
      const auto barrier = [&](const std::vector<bool>& blocks, bool leads) {
        for (u32 n = 0; n < blocks.size(); ++n)
          if (blocks[n] && has_barrier(n) && (!leads || behind(n)[b])) return true;
        return false;
      };
      const auto done = [&](const std::vector<bool>& blocks) {
        bool ends = false;
        for (u32 n = 0; n < blocks.size(); ++n) {
          if (!blocks[n]) continue;
          if (n == b || has(n, [](Op op) { return op != Op::Load; })) return false;
          ends = ends || g_.blocks[n].end.kind == BlockEnd::Kind::Return;
        }
        return ends;
      };
      if (again[b] && barrier(again, true)) continue;  // in a loop with barriers
      const bool by_yes = done(yes) && barrier(no, false), by_no = done(no) && barrier(yes, false);
      if (by_yes || by_no) leave.push_back(b);
      if (by_yes || by_no) stays_[b] = by_no;
    }
    for (const u32 b : leave) {
      BlockEnd& end = g_.blocks[b].end;
      const bool stays = stays_[b];  // where the condition holds
      const Id any = end.lanes ? g_.make(Op::AnyLane, {end.condition}, 0, b) : end.condition;
      const Id leaves = stays ? g_.make(Op::BoolNot, {any}) : any;
      const Id id = g_.add({.op = Op::Leave, .type = None, .block = b, .offset = end.offset, .args = {leaves}});
      g_.blocks[b].effects.push_back(id);
      end.condition = g_.boolean(stays);
      end.lanes = false;
    }
    if (!leave.empty()) g_.cut();
    return !leave.empty();
  }
  std::vector<bool> behind_edge(u32 to) const {
    std::vector<bool> out = behind(to);
    out[to] = true;
    return out;
  }
  // Branches by what lanes have computed are other ones for work-items that compute none. Where a barrier depends on
  // one, they are told; where none does, they leave the loop.
  void meet_barriers() {
    ways_.assign(g_.blocks.size(), Way::Own);
    std::vector<bool> seen(g_.blocks.size());
    std::vector<u32> open;  // blocks to which all work-items of a group must come as often
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      if (has_barrier(b)) open.push_back(b);
    while (!open.empty()) {
      const u32 to = open.back();
      open.pop_back();
      if (seen[to]) continue;
      seen[to] = true;
      if (g_.budget < g_.blocks.size()) return g_.refuse(Code::LiftFlow, 0, std::string(kTooMuchWork));
      g_.budget -= g_.blocks.size();
      // What decides whether it is come to.
      const std::vector<bool> around = avoiding(to);
      for (u32 b = 0; b < g_.blocks.size(); ++b) {
        const BlockEnd& end = g_.blocks[b].end;
        if (end.kind != BlockEnd::Kind::Branch || around[end.yes] == around[end.no]) continue;
        open.push_back(b);
        if (by_lanes(end)) ways_[b] = Way::Told;
      }
    }
    bool leaves = false, told = false;
    for (u32 b = 0; b < g_.blocks.size(); ++b) {
      const BlockEnd& end = g_.blocks[b].end;
      leaves = leaves || has(b, [](Op op) { return op == Op::Leave; });
      told = told || ways_[b] == Way::Told;
      if (!by_lanes(end) || ways_[b] == Way::Told || g_.loop[b] == kNone) continue;
      const bool yes = leaves_loop(end.yes, g_.loop[b]), no = leaves_loop(end.no, g_.loop[b]);
      const bool out = !g_.in_loop(end.yes, g_.loop[b]);  // of both, which one is no matter of more turns
      if (yes != no || (yes && out != !g_.in_loop(end.no, g_.loop[b])))
        ways_[b] = (yes != no ? yes : out) ? Way::Yes : Way::No;
    }
    if (!told) return;
    // All must be told the same; and who has no lanes any more has nothing to tell.
    const std::vector<bool> apart = find_apart();
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      if (ways_[b] == Way::Told && (leaves || apart[g_.resolve(g_.blocks[b].end.condition)])) {
        out_.parted = g_.blocks[b].end.offset;
        return g_.refuse(Code::LiftForm, g_.blocks[b].end.offset, std::string(kParted));
      }
  }
  // Whether a loop is left from a block without another turn.
  bool leaves_loop(u32 block, u32 header) const {
    std::vector<bool> seen(g_.blocks.size());
    std::vector<u32> open{block};
    while (!open.empty()) {
      const u32 b = open.back();
      open.pop_back();
      if (!g_.in_loop(b, header)) return true;
      if (b == header || seen[b]) continue;
      seen[b] = true;
      open.insert(open.end(), g_.blocks[b].successors.begin(), g_.blocks[b].successors.end());
    }
    return false;
  }
  // Values that are not shown to be the same for all lanes of all wavefronts of a group.
  std::vector<bool> find_apart() const {
    std::vector<bool> out(g_.nodes.size());
    std::set<u32> parted;
    const auto any = [&](const Node& n) {
      return std::ranges::any_of(n.args, [&](Id a) { return out[g_.resolve(a)]; });
    };
    for (bool changed = true; changed;) {
      changed = false;
      if (g_.budget < g_.nodes.size()) return std::vector<bool>(g_.nodes.size(), true);
      g_.budget -= g_.nodes.size();
      for (Id id = 0; id < g_.nodes.size(); ++id) {
        const Node& n = g_.nodes[id];
        if (n.forward != kNone || out[id]) continue;
        bool own = any(n);
        switch (n.op) {
          case Op::LocalId:
          case Op::GlobalId:
          case Op::LaneId:
          case Op::Present:
          case Op::LanesBelow:
          case Op::WriteLane:
          case Op::MaskWord:
          case Op::MaskOfWords:
          case Op::Atomic:
          case Op::ScratchStart: own = true; break;
          case Op::Load: own = own || g_.accesses[n.access].room == Room::Scratch; break;
          default: break;
        }
        if (own) out[id] = changed = true;
      }
      for (u32 b = 0; b < g_.blocks.size(); ++b) {
        const BlockEnd& end = g_.blocks[b].end;
        if (end.kind != BlockEnd::Kind::Branch || !out[g_.resolve(end.condition)] || !parted.insert(b).second) continue;
        std::set<u32> meet = g_.joins(b);
        // They make other numbers of turns.
        for (u32 h = g_.loop[b]; h != kNone; h = g_.outer[h])
          if (std::ranges::any_of(g_.blocks[b].successors, [&](u32 to) { return !g_.in_loop(to, h); })) meet.insert(h);
        for (const u32 at : meet)
          for (const Id phi : g_.blocks[at].phis)
            if (!out[phi]) out[phi] = changed = true;
      }
    }
    return out;
  }
  // Blocks from which the end can be reached without going through another.
  std::vector<bool> avoiding(u32 block) const {
    std::vector<bool> out(g_.blocks.size());
    std::vector<u32> open;
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      if (g_.blocks[b].end.kind == BlockEnd::Kind::Return) open.push_back(b);
    while (!open.empty()) {
      const u32 b = open.back();
      open.pop_back();
      if (out[b] || b == block) continue;
      out[b] = true;
      open.insert(open.end(), g_.blocks[b].predecessors.begin(), g_.blocks[b].predecessors.end());
    }
    return out;
  }
  // What the wavefront's own work-item decides, for all of its work-items.
  Id told(Id condition) {
    const Id place = out_.make(Op::Add, {out_.constant(static_cast<u32>((local_bytes_ + 3) / 4 * 4)),
                                         out_.make(Op::Shl, {wave_, out_.constant(2)})});
    const u32 access = out_.access({.room = Room::Local});
    const auto barrier = [&] { effect(now_, {.op = Op::Barrier, .type = None, .offset = offset_}); };
    effect(now_, {.op = Op::Store,
                  .type = None,
                  .offset = offset_,
                  .args = {leads_, place, out_.make(Op::ToWord, {condition})},
                  .access = access});
    barrier();
    const Id read =
        effect(now_, {.op = Op::Load, .offset = offset_, .args = {out_.boolean(true), place}, .access = access});
    barrier();
    out_.local_bytes = (local_bytes_ + 3) / 4 * 4 + u64{kMostWavefronts} * 4;
    return out_.make(Op::NeU, {read, out_.constant(0)});
  }
  // The condition of a branch for all work-items of a wavefront.
  Id shared_condition(u32 b, Id condition) {
    if (!barriers_ || ways_[b] == Way::Own) return condition;
    if (ways_[b] == Way::Told) {
      close();
      return told(condition);
    }
    const Id there = out_.make(Op::NeU, {count_, out_.constant(0)});
    if (ways_[b] == Way::No) return g_.blocks[b].end.lanes ? condition : out_.make(Op::BoolAnd, {condition, there});
    return out_.make(Op::BoolOr, {condition, out_.make(Op::BoolNot, {there})});
  }
  // How many lanes there are at a block's start.
  Id count_at(u32 b) {
    if (!has_leaves_ || b == 0) return count_;
    const auto& before = g_.blocks[b].predecessors;
    if (before.size() == 1) return counts_[before[0]];
    const Id id = out_.add({.op = Op::Phi, .type = Uint, .block = first_[b], .offset = offset_, .scalar = true});
    out_.blocks[first_[b]].phis.push_back(id);
    count_phis_[b] = id;
    return id;
  }

  // --- blocks --------------------------------------------------------------------------------------------------------

  u32 new_block(u32 offset) {
    out_.blocks.emplace_back().first = offset;
    return static_cast<u32>(out_.blocks.size() - 1);
  }
  void link(u32 from, u32 to) {
    out_.blocks[from].successors.push_back(to);
    out_.blocks[to].predecessors.push_back(from);
  }
  void jump(u32 from, u32 to, u32 offset) {
    out_.blocks[from].end = {.kind = BlockEnd::Kind::Jump, .yes = to, .offset = offset};
    link(from, to);
  }
  void branch(u32 from, Id condition, u32 yes, u32 no, u32 offset) {
    out_.blocks[from].end = {
        .kind = BlockEnd::Kind::Branch, .condition = condition, .yes = yes, .no = no, .offset = offset};
    link(from, yes);
    link(from, no);
  }

  // A loop over the lanes that are there. `now_`: the block in front of it.
  void open() {
    if (open_) return;
    header_ = new_block(offset_);
    body_ = new_block(offset_);
    jump(now_, header_, offset_);
    lane_ = phi(Op::Phi, header_);
    open_ = true;
    loaded_ = stored_ = false;
    here_.clear();
  }
  void close() {
    if (!open_) return;
    open_ = false;
    const u32 exit = new_block(offset_);
    branch(header_, out_.make(Op::LtU, {lane_, count_}), body_, exit, offset_);
    jump(body_, header_, offset_);
    out_.nodes[lane_].args = {out_.constant(0), out_.make(Op::Add, {lane_, out_.constant(1)})};
    loops_.emplace_back(header_, body_);
    now_ = exit;
    here_.clear();
  }
  Id phi(Op op, u32 block) {
    const Id id = out_.add({.op = op, .type = info(op).result, .block = block, .offset = offset_, .scalar = true});
    out_.blocks[block].phis.push_back(id);
    return id;
  }
  Id effect(u32 block, Node node) {
    node.block = block;
    const Id id = out_.add(std::move(node));
    out_.blocks[block].effects.push_back(id);
    return id;
  }

  // --- the private array ---------------------------------------------------------------------------------------------

  // Words, each for all lanes: of a value of 32 bits or a mask one, else two.
  u32 words(const Node& n) const { return info(n.op).result != Bool && wide(n.type) ? 2 : 1; }
  Id place(u32 slot, Id lane) {
    if (lane != placed_lane_) by_lane_ = out_.make(Op::Shl, {lane, out_.constant(2)});
    placed_lane_ = lane;
    if (slot >= slot_starts_.size()) slot_starts_.resize(slot + slot / 2 + std::size_t{1}, kNone);
    Id& start = slot_starts_[slot];
    if (start == kNone) start = out_.constant(slot * kSlotBytes);
    return out_.make(Op::Add, {by_lane_, start});
  }
  void put(u32 block, u32 slot, const Node& n, Id value, Id lane) {
    const u32 access = out_.access({.room = Room::Scratch});
    const auto one = [&](u32 at, Id word) {
      const Id id = effect(block, {.op = Op::Store,
                                   .type = None,
                                   .offset = offset_,
                                   .args = {out_.boolean(true), place(at, lane), word},
                                   .access = access});
      uses_.push_back({id, at, lane, lane == lane_});
    };
    if (info(n.op).result == Bool) return one(slot, out_.make(Op::ToWord, {value}));
    if (words(n) == 1) return one(slot, value);
    one(slot, out_.make(Op::Low, {value}));
    one(slot + 1, out_.make(Op::High, {value}));
  }
  Id get(u32 block, u32 slot, const Node& n, Id lane) {
    const u32 access = out_.access({.room = Room::Scratch});
    const auto one = [&](u32 at) {
      const Id id = effect(
          block, {.op = Op::Load, .offset = offset_, .args = {out_.boolean(true), place(at, lane)}, .access = access});
      uses_.push_back({id, at, lane, lane == lane_});
      return id;
    };
    if (info(n.op).result == Bool) return out_.make(Op::NeU, {one(slot), out_.constant(0)});
    if (words(n) == 1) return one(slot);
    const Id low = one(slot), high = one(slot + 1);
    return out_.make(Op::Join, {low, high});
  }
  u32 new_slot(const Node& n) {
    const u32 slot = slots_;
    slots_ += words(n);
    return slot;
  }
  // Where a value was computed: the loop, and the value there.
  struct Home {
    u32 block = 0;  // of the graph that is translated
    u32 edge = 0;  // of an edge that leaves it, counted from 1
    u32 body = 0;
    Id value = kNone, lane = kNone;
  };
  bool reusable(const Home& home) const {
    if (home.edge != 0) return home.edge == edge_;
    return home.block == block_ || g_.dominates(home.block, block_);
  }

  // --- values --------------------------------------------------------------------------------------------------------

  bool kept(const Node& n) const { return Graph::phi(n.op) || g_.effect(n.op) || n.op == Op::Loaded; }
  // How much it takes to compute a value again, up to `most`.
  u32 height(Id id, u32 most) const {
    const Node& n = g_.at(id);
    if (most == 0 || !varying(id) || kept(n) || n.args.empty()) return 0;
    u32 out = 0;
    for (const Id arg : n.args) out = std::max(out, height(arg, most - 1));
    return out + 1;
  }
  // Whether an earlier loop has a value that is not computed again.
  bool fetched(Id id) const {
    constexpr u32 kCheap = 3;
    const Home* const home = homes_.find(id);
    if (home == nullptr || !reusable(*home) || kept(g_.nodes[id])) return false;
    return early_ ? gathers(id) : height(id, kCheap + 1) > kCheap;
  }
  // Whether a value is made of two others that lanes keep, or of more.
  bool gathers(Id id) const {
    constexpr std::size_t kMost = 32;
    Seen seen;
    std::vector<Id>& open = gathered_;
    open.assign({g_.resolve(id)});
    u32 leaves = 0;
    while (!open.empty()) {
      const Id at = open.back();
      open.pop_back();
      if (!varying(at) || !seen.insert(at)) continue;
      const Node& n = g_.nodes[at];
      if (kept(n)) ++leaves;
      if (leaves > 1 || seen.size() > kMost) return true;
      if (!kept(n))
        for (const Id arg : n.args) open.push_back(g_.resolve(arg));
    }
    return false;
  }
  // Which values each block computes for others, by the machine code.
  void find_computed() {
    computed_.resize(g_.blocks.size());
    std::map<u32, u32> starts;
    for (u32 b = 0; b < g_.blocks.size(); ++b) starts[g_.blocks[b].first] = b;
    const auto block_of = [&](Id id) {
      const Node& n = g_.nodes[id];
      if (Graph::phi(n.op) || g_.effect(n.op)) return n.block;
      const auto at = starts.upper_bound(n.offset);
      return at == starts.begin() ? 0 : std::prev(at)->second;
    };
    std::vector<bool> wanted(g_.nodes.size());
    const auto use = [&](Id id, u32 block) {
      id = g_.resolve(id);
      const Node& n = g_.nodes[id];
      if (!varying_[id] || kept(n) || n.offset == 0 || wanted[id]) return;
      const u32 own = block_of(id);
      if (own == block || !g_.dominates(own, block) || !gathers(id)) return;
      wanted[id] = true;
      computed_[own].push_back(id);
    };
    for (Id id = 0; id < live_.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live_[id] || n.forward != kNone) continue;
      for (std::size_t k = 0; k < n.args.size(); ++k)
        use(n.args[k], Graph::phi(n.op) ? g_.blocks[n.block].predecessors[k] : block_of(id));
    }
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      if (g_.blocks[b].end.kind == BlockEnd::Kind::Branch) use(g_.blocks[b].end.condition, b);
  }
  // Whether all that a value is made of is there at the end of a block.
  bool known_at(Id id, u32 block) {
    bool out = true;
    each(
        id, [&](Id at) { return !out || !varying_[at]; },
        [&](Id at) {
          if (kept(g_.nodes[at]) && !g_.dominates(home_of(at), block)) out = false;
        });
    return out;
  }
  u32 home_of(Id id) const {
    const Node& n = g_.nodes[id];
    return n.op == Op::Loaded ? g_.at(n.args[0]).block : n.block;
  }
  // The values that one is made of, before it, as far as they are not here yet; without recursion, as chains are as
  // long as the code. `others`: with what other lanes have.
  template <class Here, class Visit>
  void each(Id id, const Here& here, const Visit& visit, bool others = false) {
    id = g_.resolve(id);
    if (here(id)) {
      static_cast<void>(g_.spend());
      return;
    }
    const std::size_t below = walk_.size();  // of walks that this one is part of
    walk_.emplace_back(id, 0);
    Seen seen;
    while (walk_.size() > below) {
      const Id at = walk_.back().first;
      const Node& n = g_.nodes[at];
      if (!g_.spend()) return walk_.resize(below);
      std::size_t& next = walk_.back().second;
      if (next == 0 && (here(at) || !seen.insert(at))) {
        walk_.pop_back();
        continue;
      }
      const bool leaf = kept(n) || fetched(at);
      if (n.op == Op::ReadLane && next == 0 && !collects(n) && !others) next = 1;
      if (!leaf && next < n.args.size()) {
        const Id arg = g_.resolve(n.args[next++]);
        walk_.emplace_back(arg, 0);
        continue;
      }
      walk_.pop_back();
      visit(at);
    }
  }
  // What all lanes must be asked before a loop may use it.
  void prepare(Id id) {
    std::vector<Id> ask;
    each(
        id, [&](Id at) { return !live_[at] || uniform_.contains(at) || prepared_.contains(at); },
        [&](Id at) {
          prepared_[at] = true;
          if (collects(g_.nodes[at]) || g_.nodes[at].op == Op::ReadLane) ask.push_back(at);
        },
        true);
    for (const Id at : ask)
      if (collects(g_.nodes[at]))
        collect(at);
      else if (varying(g_.nodes[at].args[0]))
        keep(g_.nodes[at].args[0]);
  }
  // Puts what lanes have of a value where others read it.
  void keep(Id id) {
    id = g_.resolve(id);
    if (const auto* const known = kept_.find(id); known != nullptr && reusable(known->first)) return;
    close();
    const Node& n = g_.nodes[id];
    if (const Home* const home = homes_.find(id);
        home != nullptr && (fetched(id) || n.op == Op::Load || n.op == Op::Atomic)) {
      const Home own = *home;
      const u32 place = place_of(id, n);
      kept_[id] = {own, place};
      return;
    }
    prepare(id);
    close();
    open();
    const Id value = lane_value(id);
    const u32 slot = new_slot(g_.nodes[id]);
    put(body_, slot, g_.nodes[id], value, lane_);
    close();
    kept_[id] = {Home{.block = block_, .edge = edge_}, slot};
  }
  // The same for all lanes.
  Id uniform(Id id) {
    id = g_.resolve(id);
    prepare(id);
    each(
        id, [&](Id at) { return uniform_.contains(at) || collected(at) != kNone; },
        [&](Id at) {
          const Node n = g_.nodes[at];
          if (uniform_.contains(at) || collects(n) || varying_[at]) return;
          if (kept(n) && n.op != Op::Loaded) return;  // set where it stands
          Ids args;
          for (const Id arg : n.args) args.push_back(uniform_value(arg));
          const Id value = out_.make(n.op, std::move(args), n.imm);
          // What lanes were asked for is there only where that was.
          if (from_lanes_[at])
            collected_[at] = {block_, edge_, 0, value, kNone};
          else
            uniform_[at] = value;
        });
    return uniform_value(id);
  }
  Id uniform_value(Id id) {
    id = g_.resolve(id);
    if (const Id found = collected(id); found != kNone) return found;
    if (const Id* const known = uniform_.find(id)) return *known;
    g_.refuse(Code::LiftForm, g_.nodes[id].offset, "has a scalar value that lanes do not agree on");
    return out_.constant(0);
  }
  Id collected(Id id) const {
    const Home* const known = collected_.find(id);
    return known != nullptr && reusable(*known) ? known->value : kNone;
  }
  // Asks all lanes.
  void collect(Id id) {
    if (collected(id) != kNone) return;
    const Node n = g_.nodes[id];
    close();
    const bool first = n.op == Op::FirstLane, picks = n.op == Op::ReadLane;
    if (const Id of = first ? n.args[1] : n.args[0]; (first || picks) && !varying(of)) {
      const Id value = uniform(of);
      collected_[id] = {block_, edge_, 0, value, kNone};
      return;
    }
    for (const Id arg : n.args) prepare(arg);
    const Id which = picks ? uniform(n.args[1]) : kNone;
    close();
    open();
    const Id bit = lane_value(n.args[0]);
    const auto add = [&](Op op) { return phi(op, header_); };
    Id value = kNone;
    if (picks) {
      value = add(Op::Phi);
      const Id takes = out_.make(Op::EqU, {lane_, which});
      out_.nodes[value].args = {out_.constant(0), out_.make(Op::Select, {takes, bit, value})};
    } else if (n.op == Op::AnyLane) {
      value = add(Op::PhiBool);
      out_.nodes[value].args = {out_.boolean(false), out_.make(Op::BoolOr, {value, bit})};
    } else if (n.op == Op::MaskWord) {
      value = add(Op::Phi);
      const Id half =
          out_.make(Op::EqU, {out_.make(Op::Shr, {lane_, out_.constant(5)}), out_.constant(static_cast<u32>(n.imm))});
      const Id one = out_.make(Op::Shl, {out_.constant(1), out_.make(Op::And, {lane_, out_.constant(31)})});
      const Id own = out_.make(Op::Select, {out_.make(Op::BoolAnd, {half, bit}), one, out_.constant(0)});
      out_.nodes[value].args = {out_.constant(0), out_.make(Op::Or, {value, own})};
    } else {
      // The first lane that is on; lane 0 where none is.
      const Id found = add(Op::PhiBool);
      value = add(Op::Phi);
      const Id mine = lane_value(n.args[1]);
      const Id begins = out_.make(Op::BoolAnd, {bit, out_.make(Op::BoolNot, {found})});
      const Id takes = out_.make(Op::BoolOr, {begins, out_.make(Op::EqU, {lane_, out_.constant(0)})});
      out_.nodes[found].args = {out_.boolean(false), out_.make(Op::BoolOr, {found, bit})};
      out_.nodes[value].args = {out_.constant(0), out_.make(Op::Select, {takes, mine, value})};
    }
    close();
    collected_[id] = {block_, edge_, 0, value, kNone};
  }
  // A lane's own, in the loop that is open; what it asks all lanes for has been prepared.
  Id lane_value(Id id) {
    id = g_.resolve(id);
    each(
        id, [&](Id at) { return here_.contains(at) || !varying_[at]; },
        [&](Id at) {
          if (!varying_[at] || here_.contains(at)) return;
          const Id value = compute(at);
          here_[at] = value;
        });
    return value_here(id);
  }
  Id value_here(Id id) {
    id = g_.resolve(id);
    if (!varying_[id]) return uniform(id);
    if (const Id* const known = here_.find(id)) return *known;
    const Id value = compute(id);
    return here_[id] = value;
  }
  Id compute(Id id) {
    const Node n = g_.nodes[id];
    if (Graph::phi(n.op)) return get(body_, phi_slot(id), n, lane_);
    if (g_.effect(n.op) || n.op == Op::Loaded) {
      if (n.op == Op::Loaded)
        if (const Id* const load = here_.find(g_.resolve(n.args[0]))) return out_.make(Op::Loaded, {*load}, n.imm);
      return fetch(id, n);
    }
    if (n.op == Op::LaneId) return lane_;
    if (n.op == Op::Present) return out_.make(Op::LtU, {lane_, present_});
    if (n.op == Op::LanesBelow) return lanes_below(static_cast<u32>(n.imm));
    if (n.op == Op::WriteLane) {
      const Id here = out_.make(Op::EqU, {lane_, value_here(n.args[1])});
      return out_.make(Op::Select, {here, value_here(n.args[0]), value_here(n.args[2])});
    }
    if (n.op == Op::ReadLane) {
      const Id lane = value_here(n.args[1]), there = out_.make(Op::LtU, {lane, count_});
      const Id from = g_.resolve(n.args[0]);
      const Id value = varying(from) ? get(body_, kept_[from].second, g_.nodes[from], lane) : uniform(from);
      return out_.make(Op::Select, {there, value, out_.constant(0)});
    }
    if (n.op == Op::LocalId) return local_id(static_cast<u32>(n.imm));
    if (n.op == Op::GlobalId) return global_id(static_cast<u32>(n.imm));
    if (n.op == Op::MaskOfWords) {
      const Id low = uniform(n.args[0]), high = uniform(n.args[1]);
      const Id word = out_.make(Op::Select, {out_.make(Op::LtU, {lane_, out_.constant(32)}), low, high});
      const Id bit = out_.make(Op::Shr, {word, out_.make(Op::And, {lane_, out_.constant(31)})});
      return out_.make(Op::NeU, {out_.make(Op::And, {bit, out_.constant(1)}), out_.constant(0)});
    }
    if (fetched(id)) return fetch(id, n);
    Ids args;
    for (const Id arg : n.args) args.push_back(value_here(arg));
    const Id value = out_.make(n.op, std::move(args), n.imm);
    homes_[id] = {block_, edge_, body_, value, lane_};
    slot_.erase(id);  // of another home
    return value;
  }
  Id lanes_below(u32 half) {
    const auto c = [&](u32 value) { return out_.constant(value); };
    const Id bit = out_.make(Op::Shl, {c(1), out_.make(Op::And, {lane_, c(31)})});
    const Id below = out_.make(Op::Sub, {bit, c(1)});
    const Id in_low = out_.make(Op::LtU, {lane_, c(32)});
    return half == 0 ? out_.make(Op::Select, {in_low, below, c(~0u)}) : out_.make(Op::Select, {in_low, c(0), below});
  }
  // What an earlier loop has computed.
  Id fetch(Id id, const Node& n) { return get(body_, place_of(id, n), n, lane_); }
  // Where that keeps it from now on.
  u32 place_of(Id id, const Node& n) {
    if (const u32* const known = slot_.find(id)) return *known;
    Home home;
    if (const Home* const own = homes_.find(id)) {
      home = *own;
    } else if (const Home* const load = n.op == Op::Loaded ? homes_.find(g_.resolve(n.args[0])) : nullptr) {
      home = *load;
      home.value = out_.make(Op::Loaded, {home.value}, n.imm);
    } else {
      g_.refuse(Code::LiftForm, n.offset, "uses a value before it is there");
      return 0;
    }
    const u32 slot = slot_[id] = new_slot(n);
    put(home.body, slot, n, home.value, home.lane);
    return slot;
  }
  u32 phi_slot(Id id) {
    if (const u32* const known = slot_.find(id)) return *known;
    return slot_[id] = new_slot(g_.nodes[id]);
  }
  Id size(u32 dimension) {
    if (g_.required[dimension] != 0) return out_.constant(g_.required[dimension]);
    return out_.make(Op::LaunchWord, {}, kLocalSize + dimension);
  }
  Id local_id(u32 dimension) {
    const Id index = out_.make(Op::Add, {base_, lane_});
    const auto one = [&](u32 d) { return g_.required[d] == 1; };
    if (dimension == 0) return one(1) && one(2) ? index : out_.make(Op::RemU, {index, size(0)});
    const Id row = out_.make(Op::DivU, {index, size(0)});
    if (dimension == 1) return one(2) ? row : out_.make(Op::RemU, {row, size(1)});
    return out_.make(Op::DivU, {row, size(1)});
  }
  Id global_id(u32 dimension) {
    const Id group = out_.make(Op::Mul, {out_.make(Op::GroupId, {}, dimension), size(dimension)});
    const Id inside = out_.make(Op::Add, {group, local_id(dimension)});
    return out_.make(Op::Add, {inside, out_.make(Op::LaunchWord, {}, kOffset + dimension)});
  }

  // --- the whole -----------------------------------------------------------------------------------------------------

  void translate() {
    own_slots_ = static_cast<u32>((g_.scratch_bytes * kLanes + kSlotBytes - 1) / kSlotBytes);
    slots_ = own_slots_;
    const u32 entry = new_block(0);
    const auto own = [&](u32 d) { return out_.make(Op::LocalId, {}, d); };
    Id linear = own(0);
    if (!(g_.required[1] == 1 && g_.required[2] == 1)) {
      const Id plane = out_.make(Op::Add, {own(1), out_.make(Op::Mul, {size(1), own(2)})});
      linear = out_.make(Op::Add, {linear, out_.make(Op::Mul, {size(0), plane})});
    }
    const Id total = out_.make(Op::Mul, {out_.make(Op::Mul, {size(0), size(1)}), size(2)});
    const Id within = single() ? linear : out_.make(Op::And, {linear, out_.constant(kLanes - 1)});
    const Id leads = out_.make(Op::EqU, {within, out_.constant(0)});
    base_ = single() ? out_.constant(0) : out_.make(Op::And, {linear, out_.constant(~(kLanes - 1))});
    present_ = out_.make(Op::MinU, {out_.make(Op::Sub, {total, base_}), out_.constant(kLanes)});
    const bool asked =
        std::ranges::any_of(g_.nodes, [](const Node& n) { return n.op == Op::Present && n.forward == kNone; });
    count_ = asked ? out_.constant(kLanes) : present_;
    leads_ = leads;
    wave_ = out_.make(Op::And, {out_.make(Op::Shr, {linear, out_.constant(6)}), out_.constant(kMostWavefronts - 1)});
    counts_.assign(g_.blocks.size(), kNone);
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      has_leaves_ = has_leaves_ || has(b, [](Op op) { return op == Op::Leave; });
    for (u32 b = 0; b < g_.blocks.size(); ++b) first_.push_back(new_block(g_.blocks[b].first));
    if (barriers_) {
      count_ = held(out_.make(Op::Select, {leads, count_, out_.constant(0)}));
      jump(entry, first_[0], 0);
    } else {
      const u32 leave = new_block(0);
      branch(entry, out_.make(Op::BoolNot, {leads}), leave, first_[0], 0);
    }
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      for (const Id id : g_.blocks[b].phis)
        if (wanted(id) && !varying_[id]) {
          const Node& n = g_.nodes[id];
          uniform_[id] = out_.add({.op = n.op, .type = n.type, .block = first_[b], .offset = n.offset, .scalar = true});
          out_.blocks[first_[b]].phis.push_back(uniform_[id]);
        }
    for (u32 b = 0; b < g_.blocks.size() && !g_.refusal; ++b)
      if (b == 0 || !g_.blocks[b].predecessors.empty()) block(b);
    if (g_.refusal) return;
    finish_phis();
    out_.completed();
    if (!order()) return g_.refuse(Code::LiftFlow, 0, "has loops with more than one entry");
    share_slots();
    out_.scratch_bytes = u64{slots_} * kSlotBytes;
    const u64 required = g_.required_size();
    if (out_.scratch_bytes * (required != 0 ? required : kMostWorkItems) > kMostPrivate)
      return g_.refuse(Code::LiftForm, 0, fmt::format("needs {} bytes for what its lanes keep", out_.scratch_bytes));
    if (drop_empty_loops())
      out_.cut();
    else
      out_.simplify(false);
    hold_choices();
  }
  // A choice that a work-item makes alike in every turn of a loop with barriers is read anew in each of them: where
  // compilers compute it in front of the loop, pocl 3.1 takes one work-item's answer for all.
  void hold_choices() {
    std::set<u32> waiting;
    for (u32 b = 0; b < out_.blocks.size(); ++b)
      if (std::ranges::any_of(out_.blocks[b].effects, [&](Id id) { return out_.is(id, Op::Barrier); }))
        for (u32 header = out_.loop[b]; header != kNone; header = out_.outer[header]) waiting.insert(header);
    for (u32 b = 0; b < out_.blocks.size(); ++b) {
      BlockEnd& end = out_.blocks[b].end;
      u32 header = out_.loop[b];
      while (header != kNone && !waiting.contains(header)) header = out_.outer[header];
      if (end.kind != BlockEnd::Kind::Branch || header == kNone || out_.same_for_launch(end.condition) ||
          !out_.stable(end.condition, header))
        continue;
      end.condition = out_.make(Op::HeldChoice, {end.condition});
    }
  }
  // Loops over lanes that set words nobody reads, and do nothing else.
  bool drop_empty_loops() {
    const std::vector<bool> live = out_.live();
    bool any = false;
    for (const auto& [header, body] : loops_) {
      BasicBlock &top = out_.blocks[now_of_[header]], &inside = out_.blocks[now_of_[body]];
      // The first phi counts the lanes; the others are what is asked of all.
      const bool asks = std::any_of(top.phis.begin() + 1, top.phis.end(), [&](Id id) { return live[id]; });
      if (asks || std::ranges::any_of(inside.effects, [&](Id id) { return out_.nodes[id].op != Op::Load || live[id]; }))
        continue;
      top.end.condition = out_.boolean(false);
      any = true;
    }
    return any;
  }
  // Numbers of the blocks in an order in which no block that is not of a loop stands among those that are.
  std::vector<u32> loops_together() const {
    const u32 count = static_cast<u32>(out_.blocks.size());
    std::vector<u32> number(count), post;
    std::vector<bool> seen(count);
    std::vector<std::vector<u32>> next(count);
    for (u32 b = 0; b < count; ++b) {
      next[b] = out_.blocks[b].successors;
      std::ranges::stable_sort(next[b], {}, [&](u32 to) { return out_.loop_depth[to]; });
    }
    std::vector<std::pair<u32, std::size_t>> stack{{0, 0}};
    seen[0] = true;
    while (!stack.empty()) {
      auto& [b, n] = stack.back();
      if (n < next[b].size()) {
        const u32 to = next[b][n++];
        if (seen[to]) continue;
        seen[to] = true;
        stack.emplace_back(to, 0);
      } else {
        post.push_back(b);
        stack.pop_back();
      }
    }
    for (u32 n = 0; n < post.size(); ++n) number[post[n]] = static_cast<u32>(post.size()) - 1 - n;
    return number;
  }
  struct Use {  // of a word of the private array
    Id effect;
    u32 slot;
    Id lane;
    bool own;  // the lane whose turn it is
  };
  // When a word of the array holds something: of a step, from one access to another. A loop over lanes counts as one
  // step: it reads, then it sets the words of all lanes.
  struct Span {
    u32 step, from, to;
    static constexpr u32 kEnd = ~u32{0};
    [[nodiscard]] bool is_all() const { return from == 0 && to == kEnd; }
    [[nodiscard]] bool meets(const Span& other) const { return from <= other.to && other.from <= to; }
  };
  bool sets(const Use& use) const { return out_.nodes[use.effect].op == Op::Store; }
  // What nobody reads is not set. By slot, whether it is read.
  std::vector<bool> drop_unread(const std::vector<bool>& live_loads) {
    std::vector<bool> read(slots_);
    for (const Use& use : uses_)
      if (!sets(use) && live_loads[use.effect]) read[use.slot] = true;
    std::vector<bool> needless(out_.nodes.size());
    for (const Use& use : uses_)
      if (!read[use.slot]) needless[use.effect] = true;
    if (std::erase_if(uses_, [&](const Use& use) { return needless[use.effect]; }) > 0)
      for (BasicBlock& block : out_.blocks) std::erase_if(block.effects, [&](Id id) { return needless[id]; });
    return read;
  }
  // Ways on which a phi gets nothing: nobody reads there what the word held before.
  struct Unset {
    u32 slot, from, to;
    auto operator<=>(const Unset&) const = default;
  };
  std::vector<Unset> unset_ways() const {  // sorted
    std::vector<Unset> out;
    for (const auto& [id, edge] : unset_) {
      const u32* const slot = slot_.find(id);
      if (slot == nullptr) continue;
      const u32 from = now_of_[ends_.at(edge)], to = now_of_[first_[edge.second]];
      for (u32 n = 0; n < words(g_.nodes[id]); ++n) out.push_back({*slot + n, from, to});
    }
    std::ranges::sort(out);
    return out;
  }
  // By slot. Nothing: it takes more work than a lift may.
  std::optional<std::vector<std::vector<Span>>> spans(const std::vector<bool>& live_loads) const {
    const u32 count = static_cast<u32>(out_.blocks.size());
    std::vector<u32> step(count);  // the block that stands for a loop over lanes: its header
    std::iota(step.begin(), step.end(), 0u);
    for (const auto& [header, body] : loops_) step[now_of_[body]] = now_of_[header];
    std::vector<u32> places(out_.nodes.size());  // of effects in their blocks, from 1
    for (const BasicBlock& block : out_.blocks)
      for (u32 n = 0; n < block.effects.size(); ++n) places[block.effects[n]] = n + 1;
    const auto step_of = [&](const Use* use) { return step[out_.nodes[use->effect].block]; };
    std::vector<std::vector<const Use*>> uses(slots_);
    for (const Use& use : uses_)
      if (sets(use) || live_loads[use.effect]) uses[use.slot].push_back(&use);
    const std::vector<Unset> unset = unset_ways();
    struct At {  // of one step
      u32 step;
      u32 set = Span::kEnd, read = 0;  // the first access that sets the word, and the last that reads it
      bool before = false, behind = false;  // it holds something there
    };
    std::vector<std::vector<Span>> out(slots_);
    std::vector<u32> index(count), of(count, kNone);  // by step: where it is in `all`, and for which slot
    std::vector<At> all;
    std::vector<u32> open;
    for (u32 slot = 0; slot < slots_; ++slot) {
      all.clear();
      const auto at = [&](u32 block) -> At& {  // good until the next call
        if (std::exchange(of[block], slot) != slot) {
          index[block] = static_cast<u32>(all.size());
          all.push_back({.step = block});
        }
        return all[index[block]];
      };
      for (const Use* const use : uses[slot]) {
        At& here = at(step_of(use));
        if (sets(*use))
          here.set = std::min(here.set, places[use->effect]);
        else  // of its own lane, or of one that comes before or after it
          here.read = std::max(here.read, use->own ? places[use->effect] : Span::kEnd);
      }
      for (const Use* const use : uses[slot])
        if (!sets(*use) && places[use->effect] < at(step_of(use)).set) open.push_back(step_of(use));
      // From every step that reads a word before it sets it, back to those that set it.
      while (!open.empty()) {
        const u32 block = open.back();
        open.pop_back();
        if (std::exchange(at(block).before, true)) continue;
        if (!g_.spend()) return std::nullopt;
        for (const u32 p : out_.blocks[block].predecessors) {
          const u32 from = step[p];
          if (from == block) continue;  // the next lane
          if (std::ranges::binary_search(unset, Unset{slot, p, block})) continue;
          At& there = at(from);
          there.behind = true;
          if (there.set == Span::kEnd) open.push_back(from);
        }
      }
      out[slot].reserve(all.size());
      for (const At& one : all) {
        const u32 set = one.set == Span::kEnd ? 0 : one.set;
        out[slot].push_back({one.step, one.before ? 0 : set, one.behind ? Span::kEnd : std::max(one.read, set)});
      }
    }
    return out;
  }
  // Words of the array are used again where nothing reads any more what they hold: in the order in which they are first
  // set, each is put where there is room for it.
  void share_slots() {
    const std::vector<bool> live_loads = out_.live();
    const std::vector<bool> read = drop_unread(live_loads);
    const auto held = spans(live_loads);
    if (!held) return;
    const std::vector<u32> number = loops_together();
    std::vector<std::pair<u64, u32>> order;  // when a slot is first set, and the slot
    for (u32 slot = own_slots_; slot < slots_; ++slot) {
      if (!read[slot]) continue;
      u64 first = ~u64{0};
      for (const Span& one : (*held)[slot]) first = std::min(first, u64{number[one.step]} << 32 | one.from);
      order.emplace_back(first, slot);
    }
    std::ranges::sort(order);
    struct Taken {  // of one step
      Bits all{}, some{};  // words that hold something in all of it, and at some time
      std::vector<std::pair<u32, Span>> parts{};  // words of those that are not in `all`, and when
    };
    std::vector<Taken> taken(out_.blocks.size());
    std::vector<u32> now(slots_, own_slots_);
    u32 left = 0;
    for (const auto& [first, slot] : order) {
      if (!g_.spend((*held)[slot].size())) return;
      Bits used;
      for (const Span& one : (*held)[slot]) {
        const Taken& there = taken[one.step];
        used.add(one.is_all() ? there.some : there.all);
        if (!one.is_all())
          for (const auto& [word, other] : there.parts)
            if (one.meets(other)) used.set(word);
      }
      const u32 word = used.first_other();
      for (const Span& one : (*held)[slot]) {
        taken[one.step].some.set(word);
        if (one.is_all())
          taken[one.step].all.set(word);
        else
          taken[one.step].parts.emplace_back(word, one);
      }
      now[slot] = own_slots_ + word;
      left = std::max(left, word + 1);
    }
    drop_copies(now);
    for (const Use& use : uses_) out_.nodes[use.effect].args[1] = place(now[use.slot], use.lane);
    slots_ = own_slots_ + left;
  }
  // What a lane's word gets from itself. `now`: words by slots.
  void drop_copies(const std::vector<u32>& now) {
    ById<u32> loaded;  // words, by loads of a lane's own
    std::map<std::pair<u32, u32>, u32> stores;  // how many, by block and word
    for (const Use& use : uses_)
      if (sets(use))
        ++stores[{out_.nodes[use.effect].block, now[use.slot]}];
      else if (use.own)
        loaded[use.effect] = now[use.slot];
    std::vector<bool> needless(out_.nodes.size());
    for (const Use& use : uses_) {
      if (!sets(use) || !use.own) continue;
      const Node& store = out_.nodes[use.effect];
      Id from = out_.resolve(store.args[2]);
      // A mask's word is 0 or 1.
      if (const Node& word = out_.nodes[from];
          word.op == Op::ToWord && out_.is(word.args[0], Op::NeU) && out_.value(out_.at(word.args[0]).args[1]) == 0u)
        from = out_.resolve(out_.at(word.args[0]).args[0]);
      const u32* const word = loaded.find(from);
      needless[use.effect] = word != nullptr && *word == now[use.slot] && out_.nodes[from].block == store.block &&
                             stores[{store.block, *word}] == 1;
    }
    if (std::erase_if(uses_, [&](const Use& use) { return needless[use.effect]; }) > 0)
      for (BasicBlock& block : out_.blocks) std::erase_if(block.effects, [&](Id id) { return needless[id]; });
  }
  // Sorts the blocks, and says so to what stands in them.
  bool order() {
    std::vector<u32> offsets;
    for (u32 b = 0; b < out_.blocks.size(); ++b) offsets.push_back(std::exchange(out_.blocks[b].first, b));
    const bool reducible = out_.order();
    std::vector<u32> now(offsets.size());
    for (u32 b = 0; b < out_.blocks.size(); ++b) now[out_.blocks[b].first] = b;
    for (Node& n : out_.nodes) n.block = n.block < now.size() ? now[n.block] : 0;
    for (BasicBlock& block : out_.blocks) block.first = offsets[block.first];
    now_of_ = std::move(now);
    return reducible;
  }
  bool wanted(Id id) const { return live_[id] && g_.nodes[id].forward == kNone; }
  // How many lanes there are is 0 for all but a wavefront's first work-item. pocl 3.1 goes wrong where it knows at one
  // loop over lanes that the next one is not gone through either: it takes both past the barrier between, and lets all
  // work-items go the way of the first one. So the number is read anew at each of them.
  Id held(Id count) { return barriers_ ? out_.make(Op::Held, {count}) : count; }
  void block(u32 b) {
    block_ = b;
    now_ = first_[b];
    prepared_.clear();
    count_ = count_at(b);
    const BasicBlock& from = g_.blocks[b];
    for (const Id id : from.effects) {
      const Node& n = g_.nodes[id];
      offset_ = n.offset;
      if (n.forward != kNone || (n.op == Op::Load && !live_[id])) continue;
      if (n.op == Op::Barrier) {
        close();
        if (barriers_) effect(now_, {.op = Op::Barrier, .type = None, .offset = n.offset});
      } else if (n.op == Op::Leave) {
        const Id leaves = uniform(n.args[0]);
        close();
        count_ = held(out_.make(Op::Select, {leaves, out_.constant(0), count_}));
      } else if (!varying_[id]) {
        scalar_load(id);
      } else {
        access(id);
      }
    }
    offset_ = from.end.offset;
    if (early_) compute_early(b);
    counts_[b] = count_;
    if (from.end.kind == BlockEnd::Kind::Return) return close();
    Id condition = kNone;
    if (from.end.kind == BlockEnd::Kind::Branch) {
      if (from.end.lanes) {
        condition = any_lane(from.end.condition);
      } else {
        condition = uniform(from.end.condition);
      }
      condition = shared_condition(b, condition);
    }
    // Values of phis, which are all read before any is set.
    for (const u32 to : from.successors)
      for (const Id id : g_.blocks[to].phis)
        if (wanted(id) && !varying_[id]) edge_value(id, b, to);
    close();
    const auto way = [&](u32 to) { return edge(b, to); };
    const u32 here = now_;
    if (from.end.kind == BlockEnd::Kind::Jump) {
      const u32 to = way(from.end.yes);
      jump(here, to, offset_);
      connect(b, from.end.yes, to, here);
    } else {
      const u32 yes = way(from.end.yes), no = way(from.end.no);
      branch(here, condition, yes, no, offset_);
      connect(b, from.end.yes, yes, here);
      connect(b, from.end.no, no, here);
    }
  }
  void compute_early(u32 b) {
    std::vector<Id> ids;
    for (const Id id : computed_[b])
      if (known_at(id, b)) ids.push_back(id);
    for (const Id id : ids) prepare(id);
    if (ids.empty()) return;
    open();
    for (const Id id : ids) static_cast<void>(lane_value(id));
  }
  Id any_lane(Id mask) {
    mask = g_.resolve(mask);
    if (!varying(mask)) return uniform(mask);
    const Id ask = g_.make(Op::AnyLane, {mask});
    grow();
    collect(g_.resolve(ask));
    return collected(g_.resolve(ask));
  }
  void grow() {
    varying_.resize(g_.nodes.size());
    from_lanes_.resize(g_.nodes.size(), true);
    live_.resize(g_.nodes.size(), true);
  }
  void scalar_load(Id id) {
    const Node n = g_.nodes[id];
    Ids args;
    for (const Id arg : n.args) args.push_back(uniform(arg));
    if (stored_) close();
    // Nobody else than the wavefront's own work-item has what lanes have computed.
    if (barriers_ && std::ranges::any_of(n.args, [&](Id arg) { return from_lanes(arg); }))
      args[0] = out_.make(Op::BoolAnd, {args[0], out_.make(Op::NeU, {count_, out_.constant(0)})});
    Node copy = n;
    copy.args = std::move(args);
    copy.access = out_.access(g_.accesses[n.access]);
    uniform_[id] = effect(now_, std::move(copy));
  }
  void access(Id id) {
    const Node n = g_.nodes[id];
    const bool load = n.op == Op::Load;
    for (const Id arg : n.args) prepare(arg);
    // Lanes do one instruction after another, all of them each.
    if (stored_ || (!load && loaded_)) close();
    open();
    (load ? loaded_ : stored_) = true;
    Node copy = n;
    copy.args.clear();
    for (const Id arg : n.args) {
      static_cast<void>(lane_value(arg));
      copy.args.push_back(value_here(arg));
    }
    copy.access = out_.access(g_.accesses[n.access]);
    if (g_.accesses[n.access].room == Room::Scratch) {
      const Id own = out_.make(Op::Mul, {lane_, out_.constant(static_cast<u32>(g_.scratch_bytes))});
      copy.args[1] = out_.make(Op::Add, {copy.args[1], own});
    }
    here_[id] = effect(body_, std::move(copy));
    homes_[id] = {block_, edge_, body_, here_[id], lane_};
  }
  // The block at the end of an edge in which phis of lanes are set, or the target itself.
  u32 edge(u32 from, u32 to) {
    const std::size_t k = static_cast<std::size_t>(std::ranges::find(g_.blocks[to].predecessors, from) -
                                                   g_.blocks[to].predecessors.begin());
    std::vector<Id> phis;
    for (const Id id : g_.blocks[to].phis) {
      if (!wanted(id) || !varying_[id]) continue;
      if (g_.is(g_.nodes[id].args[k], Op::Undefined))
        unset_.emplace_back(id, std::pair(from, to));
      else if (g_.resolve(g_.nodes[id].args[k]) != id)
        phis.push_back(id);
    }
    if (phis.empty()) return first_[to];
    const u32 start = new_block(offset_);
    now_ = start;
    edge_ = ++edges_;
    prepared_.clear();
    for (const Id id : phis) prepare(g_.nodes[id].args[k]);
    close();
    open();
    std::vector<Id> values;
    for (const Id id : phis) {
      static_cast<void>(lane_value(g_.nodes[id].args[k]));
      values.push_back(value_here(g_.nodes[id].args[k]));
    }
    // A word that is read in this loop is read before it is written: the accesses stand in that order.
    for (std::size_t n = 0; n < phis.size(); ++n) put(body_, phi_slot(phis[n]), g_.nodes[phis[n]], values[n], lane_);
    close();
    jump(now_, first_[to], offset_);
    ends_[{from, to}] = now_;
    edge_ = 0;
    return start;
  }
  // Which block of the new graph comes before the target's for an edge of the old one.
  void connect(u32 from, u32 to, u32 start, u32 here) {
    if (start == first_[to]) ends_[{from, to}] = here;
  }
  void edge_value(Id id, u32 from, u32 to) {
    const std::size_t k = static_cast<std::size_t>(std::ranges::find(g_.blocks[to].predecessors, from) -
                                                   g_.blocks[to].predecessors.begin());
    const Id arg = g_.resolve(g_.nodes[id].args[k]);
    values_[{id, from}] = g_.is(arg, Op::Undefined) ? out_.make(Op::Undefined) : uniform(arg);
  }
  void finish_phis() {
    for (u32 b = 0; b < g_.blocks.size(); ++b) {
      auto& before = out_.blocks[first_[b]].predecessors;
      if (g_.blocks[b].predecessors.empty()) continue;
      std::vector<u32> sorted;
      for (const u32 p : g_.blocks[b].predecessors) sorted.push_back(ends_.at({p, b}));
      before = std::move(sorted);
      if (const auto count = count_phis_.find(b); count != count_phis_.end())
        for (const u32 p : g_.blocks[b].predecessors) out_.nodes[count->second].args.push_back(counts_[p]);
      for (const Id id : g_.blocks[b].phis) {
        if (!wanted(id) || varying_[id]) continue;
        for (const u32 p : g_.blocks[b].predecessors) out_.nodes[uniform_[id]].args.push_back(values_.at({id, p}));
      }
    }
  }

  Graph& g_;
  bool early_;
  u64 local_bytes_;
  Graph out_;
  std::vector<std::vector<Id>> computed_;  // by block
  std::vector<bool> live_, varying_, from_lanes_;  // from lanes: no other work-item of the wavefront knows it
  bool barriers_ = false;
  // Who decides a branch for the work-items without lanes: they themselves, or they go one way, or they are told.
  enum class Way : u8 { Own, Yes, No, Told };
  std::vector<Way> ways_;
  std::map<u32, bool> stays_;
  bool has_leaves_ = false;  // so that the number of lanes changes
  std::vector<Id> counts_;  // at the end of each block
  std::map<u32, Id> count_phis_;
  std::vector<u32> first_;  // blocks of the new graph, by those of the old one
  u32 now_ = 0, header_ = 0, body_ = 0, block_ = 0, offset_ = 0, slots_ = 0, edge_ = 0, edges_ = 0, own_slots_ = 0;
  bool open_ = false, loaded_ = false, stored_ = false;
  Id lane_ = kNone, base_ = kNone, count_ = kNone, present_ = kNone, leads_ = kNone, wave_ = kNone;
  ById<Id> here_, uniform_;
  ById<bool> prepared_;
  ById<Home> homes_, collected_;
  ById<u32> slot_;
  mutable std::vector<Id> gathered_;  // of one walk
  std::vector<std::pair<Id, std::size_t>> walk_;  // of all that go on: values, and the next of their arguments
  Id placed_lane_ = kNone, by_lane_ = kNone;  // the lane of which a place was asked for last, and its bytes in a slot
  std::vector<Id> slot_starts_;  // in bytes, by slot
  std::vector<Use> uses_;
  std::vector<std::pair<Id, std::pair<u32, u32>>> unset_;  // phis, and edges on which nothing sets them
  std::vector<std::pair<u32, u32>> loops_;  // over lanes: header and body
  std::vector<u32> now_of_;  // blocks as they are sorted, by the order in which they were made
  ById<std::pair<Home, u32>> kept_;  // for other lanes: where that was done, and the slot
  std::map<std::pair<u32, u32>, u32> ends_;
  std::map<std::pair<Id, u32>, Id> values_;
};

}  // namespace

Graph to_wave(Graph& graph, u64 local_bytes) {
  // Values computed early take at most a few statements more, and often half of them; what lanes keep may be more.
  Graph early = Wave(graph, local_bytes, true).run();
  if (!early.refusal || early.refusal->code != Code::LiftForm) return early;
  graph.refusal.reset();
  Graph late = Wave(graph, local_bytes, false).run();
  return late.refusal ? early : late;
}

}  // namespace amdcompat::lift
