// Generic pointers of OpenCL 2.0 that may point to local memory: such an access becomes one of local memory, by the
// lanes whose pointer does, and one of memory by the others.
//
// The upper word of such an address is the aperture of local memory, which compilers take from the queue or from a
// register, and the lower word is the place in it. [S1 «Memory Spaces»; LLVM AMDGPU usage «Flat»]
#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

class Splitter {
 public:
  explicit Splitter(Graph& g) : g_(g) {}

  void split() {
    if (!finds_apertures()) return;
    // What lanes that are off have is of no matter to an access.
    for (const BasicBlock& block : g_.blocks)
      for (const Id id : block.effects)
        if (may_be_local(id)) {
          const Id address = g_.for_lanes(g_.nodes[id].args[1], g_.nodes[id].args[0]);
          g_.nodes[id].args[1] = address;
        }
    finds_apertures();
    for (BasicBlock& block : g_.blocks) {
      std::vector<Id> effects;
      for (const Id id : block.effects)
        if (may_be_local(id))
          split_access(id, effects);
        else
          effects.push_back(id);
      block.effects = std::move(effects);
    }
    finish();
    if (unknown_)
      return g_.refuse(Code::LiftAddress, first_, "accesses local memory or other memory, it is not known which");
    for (Node& n : g_.nodes)
      if (n.op == Op::Loaded && n.forward == kNone)
        if (const auto at = loads_.find(g_.resolve(n.args[0])); at != loads_.end())
          loaded_.emplace_back(static_cast<Id>(&n - g_.nodes.data()), at->second);
    for (const auto& [id, halves] : loaded_) {
      const u64 component = g_.nodes[id].imm;
      const Id local = g_.make(Op::Loaded, {halves.local}, component);
      const Id memory = g_.make(Op::Loaded, {halves.memory}, component);
      g_.nodes[id].forward = g_.make(Op::Select, {halves.is_local, local, memory}, 0, g_.nodes[id].block);
    }
    g_.simplify(false);
  }

 private:
  // An address by where it points: whether to local memory, the place there, and the address if it does not.
  struct Parts {
    Id is_local = kNone, place = kNone, memory = kNone;
  };
  struct Upper {
    Id is_local = kNone, word = kNone;
  };
  struct Halves {
    Id is_local = kNone, local = kNone, memory = kNone;
  };

  [[nodiscard]] bool may_be_local(Id id) const {
    const Node& n = g_.nodes[id];
    return n.forward == kNone && (n.op == Op::Load || n.op == Op::Store || n.op == Op::Atomic) &&
           g_.accesses[n.access].room == Room::Generic && has_aperture(n.args[1]);
  }
  static bool is_walked(Op op) {
    return op == Op::Join || op == Op::SelectWide || op == Op::PhiWide || op == Op::Add64 || op == Op::Select ||
           op == Op::Phi || op == Op::Add;
  }
  // Marks what apertures go into.
  bool finds_apertures() {
    has_.assign(g_.nodes.size(), false);
    bool any = false;
    for (Id id = 0; id < g_.nodes.size(); ++id)
      if (g_.nodes[id].op == Op::Aperture && g_.nodes[id].forward == kNone) any = has_[id] = true;
    for (bool more = any; more;) {
      more = false;
      for (Id id = 0; id < g_.nodes.size(); ++id)
        if (const Node& n = g_.nodes[id]; !has_[id] && n.forward == kNone && is_walked(n.op) && g_.spend())
          for (const Id arg : n.args)
            if (has_[g_.resolve(arg)]) more = has_[id] = true;
    }
    return any;
  }
  // Also of values that were made since: of those no loop is made.
  [[nodiscard]] bool has_aperture(Id id, u32 depth = 0) const {
    constexpr u32 kDeepest = 200;
    id = g_.resolve(id);
    if (id < has_.size()) return has_[id];
    const Node& n = g_.nodes[id];
    return n.op == Op::Aperture ||
           (is_walked(n.op) && depth < kDeepest && g_.spend() &&
            std::ranges::any_of(n.args, [&](Id arg) { return has_aperture(arg, depth + 1); }));
  }
  // A choice among words or numbers that are all the same one is none.
  Id choice(Op op, Id condition, Id yes, Id no, u32 block) {
    return g_.resolve(yes) == g_.resolve(no) ? yes : g_.make(op, {condition, yes, no}, 0, block);
  }
  Parts chosen(Id condition, const Parts& yes, const Parts& no, u32 block) {
    return {g_.make(Op::SelectBool, {condition, yes.is_local, no.is_local}, 0, block),
            choice(Op::Select, condition, yes.place, no.place, block),
            choice(Op::SelectWide, condition, yes.memory, no.memory, block)};
  }
  // An address that points to no local memory; one of which that is not known is refused.
  Parts outside(Id address) {
    unknown_ = unknown_ || has_aperture(address);
    return {g_.boolean(false), g_.constant(0), address};
  }

  // Whether an address is made of so many parts, one in the other, that the stack might not do: it is not known then.
  class Level {
   public:
    explicit Level(Splitter& of) : of_(of) {
      if (++of_.depth_ > kDeepest) of_.unknown_ = true;
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --of_.depth_; }
    [[nodiscard]] bool is_too_deep() const { return of_.depth_ > kDeepest; }

   private:
    static constexpr u32 kDeepest = 500;
    Splitter& of_;
  };

  // Of an address in two words.
  Parts parts_of(Id low, Id high) {
    low = g_.resolve(low);
    high = g_.resolve(high);
    // The words of a sum may be one of 64 bits.
    const Id whole = g_.resolve(g_.make(Op::Join, {low, high}));
    if (!g_.is(whole, Op::Join)) return parts_of(whole);
    if (g_.is(high, Op::Aperture)) return {g_.boolean(true), low, g_.constant64(0)};
    if (!has_aperture(high)) return outside(whole);
    const Node top = g_.nodes[high];
    const Level level(*this);
    if (level.is_too_deep()) return outside(whole);
    if (top.op == Op::Select) {
      const Node bottom = g_.nodes[low];
      const bool same = bottom.op == Op::Select && g_.resolve(bottom.args[0]) == g_.resolve(top.args[0]);
      const Parts yes = parts_of(same ? bottom.args[1] : low, top.args[1]);
      const Parts no = parts_of(same ? bottom.args[2] : low, top.args[2]);
      return chosen(top.args[0], yes, no, top.block);
    }
    // Words that are merged where one is: else the lower one may be made behind the merge, and belongs to all ways.
    if (top.op == Op::Phi && g_.nodes[low].op == Op::Phi && g_.nodes[low].block == top.block)
      return phi_of(whole, top, [this, low, high](std::size_t n) {
        return std::pair(g_.nodes[low].args[n], g_.nodes[high].args[n]);
      });
    const Upper upper = upper_of(high);
    return {upper.is_local, low, g_.make(Op::Join, {low, upper.word})};
  }
  // Of an upper word alone: whether it is the aperture, and the word if it is not.
  Upper upper_of(Id high) {
    high = g_.resolve(high);
    if (g_.is(high, Op::Aperture)) return {g_.boolean(true), g_.constant(0)};
    if (!has_aperture(high)) return {g_.boolean(false), high};
    if (const auto known = uppers_.find(high); known != uppers_.end()) return known->second;
    const Node n = g_.nodes[high];
    const Level level(*this);
    if (level.is_too_deep()) return {g_.boolean(false), high};
    if (n.op == Op::Select && g_.spend()) {
      const Upper yes = upper_of(n.args[1]), no = upper_of(n.args[2]);
      return {g_.make(Op::SelectBool, {n.args[0], yes.is_local, no.is_local}, 0, n.block),
              choice(Op::Select, n.args[0], yes.word, no.word, n.block)};
    }
    if (n.op == Op::Phi && g_.spend()) {
      const Upper out{phi(n, Op::PhiBool), phi(n, Op::Phi)};
      uppers_.emplace(high, out);
      Ids is_local, word;
      for (const Id arg : n.args) {
        const Upper from = upper_of(arg);
        is_local.push_back(from.is_local);
        word.push_back(from.word);
      }
      g_.nodes[out.is_local].args = std::move(is_local);
      g_.nodes[out.word].args = std::move(word);
      return out;
    }
    unknown_ = true;
    return {g_.boolean(false), high};
  }
  // A phi beside another one, whose values come later.
  Id phi(const Node& beside, Op op) {
    const Type type = info(op).result;
    const Id out = g_.add(
        {.op = op, .type = type, .block = beside.block, .offset = beside.offset, .scalar = beside.scalar});
    g_.blocks[beside.block].phis.push_back(out);
    return out;
  }
  Parts parts_of(Id id) {
    id = g_.resolve(id);
    if (const auto known = parts_.find(id); known != parts_.end()) return known->second;
    const Node n = g_.nodes[id];
    const Level level(*this);
    if (level.is_too_deep() || !has_aperture(id) || !g_.spend()) return outside(id);
    Parts out;
    switch (n.op) {
      case Op::Join: out = parts_of(n.args[0], n.args[1]); break;
      case Op::SelectWide: out = chosen(n.args[0], parts_of(n.args[1]), parts_of(n.args[2]), n.block); break;
      case Op::Add64: {
        const std::size_t base = has_aperture(n.args[0]) ? 0 : 1;
        if (has_aperture(n.args[1 - base])) unknown_ = true;
        const Parts from = parts_of(n.args[base]);
        const Id distance = n.args[1 - base];
        out = {from.is_local, g_.make(Op::Add, {from.place, g_.make(Op::Low, {distance})}),
               g_.make(Op::Add64, {from.memory, distance})};
        break;
      }
      case Op::PhiWide: return phi_of(id, n, {});
      default: return outside(id);
    }
    return parts_[id] = out;
  }
  // Phis of the parts; what they merge comes once all of them are there. `words`: of each way in, where the address is
  // in two words.
  using Words = std::function<std::pair<Id, Id>(std::size_t)>;
  Parts phi_of(Id id, const Node& of, Words words) {
    id = g_.resolve(id);
    if (const auto known = parts_.find(id); known != parts_.end()) return known->second;
    const Parts out{phi(of, Op::PhiBool), phi(of, Op::Phi), phi(of, Op::PhiWide)};
    parts_[id] = out;
    open_.push_back({id, of.args, std::move(words), out});
    return out;
  }
  void finish() {
    for (std::size_t n = 0; n < open_.size(); ++n) {
      const Open one = open_[n];
      Ids is_local, place, memory;
      for (std::size_t k = 0; k < one.args.size(); ++k) {
        Parts from;
        if (one.words) {
          const auto [low, high] = one.words(k);
          from = parts_of(low, high);
        } else {
          from = parts_of(one.args[k]);
        }
        is_local.push_back(from.is_local);
        place.push_back(from.place);
        memory.push_back(from.memory);
      }
      g_.nodes[one.parts.is_local].args = std::move(is_local);
      g_.nodes[one.parts.place].args = std::move(place);
      g_.nodes[one.parts.memory].args = std::move(memory);
    }
    open_.clear();
  }

  void split_access(Id id, std::vector<Id>& effects) {
    const Node n = g_.nodes[id];
    if (parts_.empty()) first_ = n.offset;
    const Parts parts = parts_of(n.args[1]);
    g_.origin = n.offset;
    const auto half = [&](bool local) {
      Node out = n;
      Access what = g_.accesses[n.access];
      if (local) what.room = Room::Local;
      out.access = g_.access(what);
      const Id theirs = local ? parts.is_local : g_.make(Op::BoolNot, {parts.is_local});
      out.args[0] = g_.make(Op::BoolAnd, {n.args[0], theirs}, 0, n.block);
      out.args[1] = local ? parts.place : parts.memory;
      if (local) out.scalar = false;
      const Id made = g_.add(std::move(out));
      effects.push_back(made);
      return made;
    };
    const Halves halves{parts.is_local, half(true), half(false)};
    if (n.op == Op::Store) {
      g_.nodes[id].forward = halves.memory;
    } else if (g_.accesses[n.access].components > 1) {
      loads_.emplace(id, halves);
    } else {
      g_.nodes[id].forward = g_.make(Op::Select, {halves.is_local, halves.local, halves.memory}, 0, n.block);
    }
    g_.origin = 0;
  }

  struct Open {
    Id id = kNone;
    Ids args{};
    Words words{};
    Parts parts{};
  };
  Graph& g_;
  bool unknown_ = false;  // where some access goes
  u32 depth_ = 0;
  u32 first_ = 0;  // offset of the first one
  std::vector<bool> has_;
  std::unordered_map<Id, Parts> parts_;
  std::unordered_map<Id, Upper> uppers_;
  std::vector<Open> open_;
  std::unordered_map<Id, Halves> loads_;
  std::vector<std::pair<Id, Halves>> loaded_;
};

}  // namespace

void split_generic(Graph& graph) { Splitter(graph).split(); }

}  // namespace amdcompat::lift
