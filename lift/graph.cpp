// Values: sharing, folding, dominators, loops, and what is needed.
#include <algorithm>
#include <bit>
#include <set>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

constexpr OpInfo kOps[] = {
#define X(name, result, arguments, text, strength) {#name, result, arguments, text, strength},
    AMDCOMPAT_LIFT_OPS(X)
#undef X
};

// What `fold` asks of every operation, by its number: whether its two arguments may change places, and whether it holds
// of a number and itself, or never does.
constexpr u8 kCommutes = 1, kAlike = 2, kApart = 4;
constexpr auto kRules = [] {
  std::array<u8, std::size(kOps)> out{};
  const auto set = [&](u8 rule, std::initializer_list<Op> ops) {
    for (const Op op : ops) out[static_cast<std::size_t>(op)] |= rule;
  };
  set(kCommutes, {Op::Add, Op::Mul, Op::And, Op::Or, Op::Xor, Op::MinU, Op::MaxU, Op::MinI, Op::MaxI, Op::EqU, Op::NeU,
                  Op::Add64, Op::And64, Op::Or64, Op::Xor64});
  set(kAlike, {Op::EqU, Op::LeU, Op::LeI, Op::EqU64, Op::LeU64, Op::LeI64});
  set(kApart, {Op::NeU, Op::LtU, Op::LtI, Op::NeU64, Op::LtU64, Op::LtI64});
  return out;
}();

}  // namespace

const OpInfo& info(Op op) { return kOps[static_cast<std::size_t>(op)]; }
std::optional<u32> calculate(Op op, u32 a, u32 b) {
  switch (op) {
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::MulHighU: return static_cast<u32>(u64{a} * b >> 32);
    case Op::MulHighI: return static_cast<u32>(i64{static_cast<i32>(a)} * static_cast<i32>(b) >> 32);
    case Op::And: return a & b;
    case Op::Or: return a | b;
    case Op::Xor: return a ^ b;
    case Op::Shl: return a << (b & 31);
    case Op::Shr: return a >> (b & 31);
    case Op::Sar: return static_cast<u32>(static_cast<i32>(a) >> (b & 31));
    case Op::MinU: return std::min(a, b);
    case Op::MaxU: return std::max(a, b);
    case Op::MinI: return static_cast<u32>(std::min(static_cast<i32>(a), static_cast<i32>(b)));
    case Op::MaxI: return static_cast<u32>(std::max(static_cast<i32>(a), static_cast<i32>(b)));
    default: return std::nullopt;
  }
}
std::optional<bool> compare(Op op, u32 a, u32 b) {
  switch (op) {
    case Op::EqU: return a == b;
    case Op::NeU: return a != b;
    case Op::LtU: return a < b;
    case Op::LeU: return a <= b;
    case Op::LtI: return static_cast<i32>(a) < static_cast<i32>(b);
    case Op::LeI: return static_cast<i32>(a) <= static_cast<i32>(b);
    case Op::CarryOfAdd: return a + b < a;
    default: return std::nullopt;
  }
}

// Whether facts of a block may simplify it.
bool Graph::choice(Op op) {
  return select(op) || op == Op::SelectBool || op == Op::BoolAnd || op == Op::BoolOr || op == Op::BoolXor;
}

// The entry of what an operation makes of values, or a free one.
Shared::Entry& Graph::entry_of(Op op, u64 imm, u32 block, std::span<const Id> args) {
  return shared_.find(Shared::hash_of(op, imm, block, args), [&](Id id) {
    const Node& n = nodes[id];
    return n.op == op && n.imm == imm && n.block == block && std::ranges::equal(n.args, args);
  });
}

Id Graph::make(Op op, std::span<const Id> given, u64 imm, u32 block) {
  // A copy: they may stand in `nodes`, and `fold` may change their order.
  std::array<Id, 8> few;
  std::vector<Id> many;
  if (given.size() > few.size()) many.resize(given.size());
  const std::span<Id> args = many.empty() ? std::span(few.data(), given.size()) : std::span(many);
  for (std::size_t n = 0; n < args.size(); ++n) args[n] = resolve(given[n]);
  // What facts of a block may simplify is not shared between blocks.
  if (!choice(op) && op != Op::NonZero && op != Op::AnyLane && op != Op::FirstLane) block = 0;
  if (const Id folded = fold(op, args, imm, block); folded != kNone) return resolve(folded);
  Shared::Entry& known = entry_of(op, imm, block, args);
  if (known.id == kNone || nodes[known.id].forward != kNone) {
    known.id = static_cast<Id>(nodes.size());
    Node& n = append(op);
    n.type = info(op).result;
    n.block = block;
    n.offset = origin;
    n.imm = imm;
    n.args.assign(args.begin(), args.end());
  }
  return known.id;
}

Id Graph::renew(Id id, std::span<Id> args, bool& other) {
  const Op op = nodes[id].op;
  const u64 imm = nodes[id].imm;
  const u32 block = nodes[id].block;
  if (const Id folded = fold(op, args, imm, block); folded != kNone) return resolve(folded);
  if (std::ranges::equal(nodes[id].args, args)) return id;
  Shared::Entry& known = entry_of(op, imm, block, args);
  if (known.id != kNone && nodes[known.id].forward == kNone) return known.id;
  known.id = id;
  other = true;
  nodes[id].args.assign(args.begin(), args.end());
  return id;
}

// What a value is besides itself; `kNone`: nothing simpler. May change the arguments into a better order.
bool Graph::is_local_size(Id id) const {
  const Node& n = at(id);
  return n.op == Op::LaunchWord && is_of_axis(n.imm, kLocalSize);
}

bool Graph::is_in_printf_buffer(Id id) const {
  const Node* n = &at(id);
  if (n->op == Op::Add64 && value64(n->args[1])) n = &at(n->args[0]);
  return n->op == Op::Join && is(n->args[0], Op::Table) && (at(n->args[0]).imm >> 4 & 15) == kPrintf &&
         is(n->args[1], Op::Table);
}
bool Graph::is_room_to_print(Id id, u32 steps) const {
  const Node& n = at(id);
  if (n.op == Op::Table) return n.imm == kPrintfRoom;
  if ((n.op != Op::Add && n.op != Op::Sub) || steps == 0) return false;
  const bool first = is_room_to_print(n.args[0], steps - 1), second = is_room_to_print(n.args[1], steps - 1);
  return n.op == Op::Add ? first != second : first && !second;
}
bool Graph::is_shift(Id id) const { return is(id, Op::Shl) && value(at(id).args[1]); }
// No bit from this one on is set.
u32 Graph::bits_of(Id id, u32 steps) const {
  const Node& n = at(id);
  if (steps == 0) return 32;
  const auto number = [&](std::size_t k) { return value(n.args[k]); };
  switch (n.op) {
    case Op::Const: return static_cast<u32>(std::bit_width(static_cast<u32>(n.imm)));
    case Op::ToWord: return 1;
    case Op::Held: return bits_of(n.args[0], steps - 1);
    case Op::LaneId: return 6;
    // Launches have at most 65,535 work-items of a group in each dimension.
    case Op::LocalId: return required[n.imm] != 0 ? static_cast<u32>(std::bit_width(required[n.imm] - 1)) : 16;
    case Op::LaunchWord: return n.imm == kWorkDim ? 2 : is_of_axis(n.imm, kLocalSize) ? 16 : 32;
    case Op::And:
    case Op::MinU: return std::min(bits_of(n.args[0], steps - 1), bits_of(n.args[1], steps - 1));
    case Op::Low24U: return std::min(bits_of(n.args[0], steps - 1), 24u);
    case Op::Add: return std::min(std::max(bits_of(n.args[0], steps - 1), bits_of(n.args[1], steps - 1)) + 1, 32u);
    case Op::Mul: return std::min(bits_of(n.args[0], steps - 1) + bits_of(n.args[1], steps - 1), 32u);
    case Op::Phi: return counter_bits(n);
    case Op::FirstLane: return bits_of(n.args[1], steps - 1);
    case Op::Or:
    case Op::Xor: return std::max(bits_of(n.args[0], steps - 1), bits_of(n.args[1], steps - 1));
    case Op::Select: return std::max(bits_of(n.args[1], steps - 1), bits_of(n.args[2], steps - 1));
    case Op::Shl: return number(1) ? std::min(32u, bits_of(n.args[0], steps - 1) + (*number(1) & 31)) : 32;
    case Op::Shr: {
      const u32 bits = bits_of(n.args[0], steps - 1), by = number(1) ? *number(1) & 31 : 0;
      return bits > by ? bits - by : 0;
    }
    case Op::DivU:
    case Op::RemU: {
      if (!number(1) || *number(1) == 0) return 32;
      const u64 most = (u64{1} << bits_of(n.args[0], steps - 1)) - 1;
      return static_cast<u32>(
          std::bit_width(n.op == Op::DivU ? most / *number(1) : std::min<u64>(most, *number(1) - 1)));
    }
    case Op::BitFieldU: return number(2) ? std::min(32u, *number(2) & 31) : 32;
    case Op::HalfOfFloat:
    case Op::HalfOfDouble: return 16;
    case Op::Load:
      return accesses[n.access].is_signed || accesses[n.access].bytes >= 4 ? 32 : accesses[n.access].bytes * 8;
    default: return 32;
  }
}

u32 Graph::counter_bits(const Node& phi) const {
  if (!complete || phi.args.size() != 2 || loop.size() != blocks.size() || loop[phi.block] != phi.block) return 32;
  const Id own = static_cast<Id>(&phi - nodes.data());
  const std::size_t back = blocks[phi.block].predecessors[0] >= phi.block ? 0 : 1;
  const u32 latch = blocks[phi.block].predecessors[back];
  const Id next = resolve(phi.args[back]);
  const auto first = value(phi.args[1 - back]);
  if (!first || nodes[next].op != Op::Add || resolve(nodes[next].args[0]) != own) return 32;
  const u64 step = value(nodes[next].args[1]).value_or(0);
  constexpr u64 kMost = 1 << 24;
  if (step == 0 || step > kMost) return 32;
  // Blocks that every turn comes through, and that leave the loop.
  for (const u32 b : {phi.block, latch}) {
    const BlockEnd& end = blocks[b].end;
    if (end.kind != BlockEnd::Kind::Branch || end.lanes) continue;
    const bool stays = in_loop(end.yes, phi.block);
    if (stays == in_loop(end.no, phi.block)) continue;
    const Node& asked = at(end.condition);
    const bool equal = asked.op == (stays ? Op::NeU : Op::EqU), below = stays && asked.op == Op::LtU;
    const bool not_from = !stays && asked.op == Op::LeU;  // leaves where the bound is not above
    if (!equal && !below && !not_from) continue;
    const Id counted = resolve(asked.args[not_from ? 1 : 0]);
    const auto bound = value(asked.args[not_from ? 0 : 1]);
    if ((counted != own && counted != next) || !bound || *bound > kMost || *first >= *bound) continue;
    if (equal && (*bound - *first) % step != 0) continue;
    const u64 most = counted == next ? *bound - 1 : equal ? *bound : *bound + step - 1;
    return static_cast<u32>(std::bit_width(most));
  }
  return 32;
}

// The bits that may be set.
u32 Graph::mask_of(Id id, u32 steps) const {
  const Node& n = at(id);
  const u32 bits = bits_of(id), all = bits >= 32 ? ~0u : (u32{1} << bits) - 1;
  if (steps == 0) return all;
  const auto of = [&](std::size_t k) { return mask_of(n.args[k], steps - 1); };
  const auto count = [&] { return value(n.args[1]).value_or(0) & 31; };
  switch (n.op) {
    case Op::Const: return static_cast<u32>(n.imm);
    case Op::Aperture: return 0xffff0000;
    case Op::Shl: return value(n.args[1]) ? of(0) << count() : ~0u;
    case Op::Shr: return value(n.args[1]) ? of(0) >> count() : all;
    case Op::And: return of(0) & of(1);
    case Op::Low:  // what is shifted in 64 bits
      if (const Node& wide = at(n.args[0]); wide.op == Op::Shl64 && is(wide.args[0], Op::Join))
        if (const auto by = value(wide.args[1]); by && *by < 32)
          return mask_of(at(wide.args[0]).args[0], steps - 1) << *by;
      return all;
    case Op::Or:
    case Op::Xor: return of(0) | of(1);
    case Op::Add: {
      const u32 a = of(0), b = of(1);
      if ((a & b) == 0) return a | b;
      const u64 most = u64{a} + b;
      const u32 below = (u32{1} << std::min({std::countr_zero(a), std::countr_zero(b), 31})) - 1;
      return most >> 32 != 0 ? ~below : (std::bit_ceil(static_cast<u32>(most >> 1) + 1) * 2 - 1) & ~below;
    }
    default: return all;
  }
}
bool Graph::stays_low(Id id) const {
  const Node& n = at(id);
  if (n.op != Op::Shl64 || !is(n.args[0], Op::Join)) return false;
  const Node& pair = at(n.args[0]);
  const auto by = value(n.args[1]);
  return by && value(pair.args[1]) == 0u && bits_of(pair.args[0]) + (*by & 63) <= 32;
}
void Graph::sum_bits() {
  bool changed = false;
  for (Id id = 0, count = static_cast<Id>(nodes.size()); id < count; ++id) {
    if (nodes[id].forward != kNone || nodes[id].op != Op::Or || !spend()) continue;
    const Id a = resolve(nodes[id].args[0]), b = resolve(nodes[id].args[1]);
    if ((mask_of(a) & mask_of(b)) != 0) continue;
    const Id sum = make(Op::Add, {a, b});
    if (nodes[sum].offset == 0) nodes[sum].offset = nodes[id].offset;
    nodes[id].forward = sum;
    changed = true;
  }
  if (changed) simplify(false);
}

// The low word of a sum of 64 bits, made of those of its terms. `kNone`: no product is in it.
Id Graph::low_of_product(Id id, u32 steps) {
  const Node n = at(id);
  if (n.op == Op::MulWideU || n.op == Op::MulWideI) return make(Op::Mul, {n.args[0], n.args[1]});
  if (n.op != Op::Add64 || steps == 0) return kNone;
  for (const std::size_t k : {0u, 1u})
    if (const Id product = low_of_product(n.args[k], steps - 1); product != kNone) {
      const Id other = low_of_product(n.args[1 - k], steps - 1);
      return make(Op::Add, {product, other != kNone ? other : make(Op::Low, {n.args[1 - k]})});
    }
  return kNone;
}
void Graph::narrow_products() {
  const std::vector<bool> needed = live();
  std::vector<bool> wide(nodes.size());
  std::vector<Id> lows;
  for (Id id = 0; id < needed.size(); ++id) {
    const Node& n = nodes[id];
    if (!needed[id] || n.forward != kNone) continue;
    if (n.op == Op::Low) {
      if (is(n.args[0], Op::Add64)) lows.push_back(id);
      continue;
    }
    for (const Id arg : n.args) wide[resolve(arg)] = true;
  }
  bool changed = false;
  for (const Id id : lows) {
    if (wide[resolve(nodes[id].args[0])] || !spend()) continue;
    const Id low = low_of_product(nodes[id].args[0], 4);
    if (low == kNone) continue;
    nodes[id].forward = low;
    changed = true;
  }
  if (changed) simplify(false);
}

Id Graph::fold(Op op, std::span<Id> args, u64 imm, u32 block) {
  const auto arg = [&](std::size_t n) -> const Node& { return nodes[args[n]]; };
  const auto is = [&](std::size_t n, Op what) { return n < args.size() && arg(n).op == what; };
  const auto number = [&](std::size_t n) { return value(args[n]); };
  const u8 rules = kRules[static_cast<std::size_t>(op)];
  if ((rules & kCommutes) != 0 && (is(0, Op::Const) || is(0, Op::Const64)))
    std::swap(args[0], args[1]);  // constants last
  if (args.size() == 2 && number(0) && number(1)) {
    if (const auto out = calculate(op, *number(0), *number(1))) return constant(*out);
    if (const auto out = compare(op, *number(0), *number(1))) return boolean(*out);
  }
  const bool same = args.size() >= 2 && args[0] == args[1];
  // Compilers warn of a comparison of a number with itself.
  if (same && (rules & (kApart | kAlike)) != 0) return boolean((rules & kAlike) != 0);
  switch (op) {
    case Op::Add:
      if (number(1) == 0u) return args[0];
      if (const Id gid = global_id(args[0], args[1]); gid != kNone) return gid;
      if (is(0, Op::Add) && number(1) && value(arg(0).args[1]))  // (x + 1) + 2
        return make(Op::Add, {arg(0).args[0], constant(*value(arg(0).args[1]) + *number(1))});
      if (is(1, Op::Sub) && arg(1).args[1] == args[0]) return arg(1).args[0];
      break;
    case Op::Sub:
      if (number(1)) return make(Op::Add, {args[0], constant(0 - *number(1))});
      if (same) return constant(0);
      break;
    case Op::Mul:
      if (number(1) == 0u) return constant(0);
      if (number(1) == 1u) return args[0];
      // Global sizes are multiples of those of work-groups.
      for (const std::size_t k : {0u, 1u})
        if (const u64 d = arg(k).imm - kGroups; is(k, Op::LaunchWord) && d < 3)
          if (const Node& size = arg(1 - k); (size.op == Op::LaunchWord && size.imm == kLocalSize + d) ||
                                             (required[d] != 0 && value(args[1 - k]) == required[d]))
            return make(Op::LaunchWord, {}, kGlobalSize + d);
      break;
    case Op::And:
      if (number(1) == 0u) return constant(0);
      if (number(1) == ~0u || same) return args[0];
      // Sizes of work-groups in two halves of a word.
      if (is_local_size(args[0]) && number(1) && (*number(1) & 0xffff) == 0xffff) return args[0];
      // Of two words that were shifted into each other one is left: compilers leave it open what the other one holds.
      if (number(1) && is(0, Op::AlignBit) && value(arg(0).args[2]).value_or(0) % 32 != 0) {
        const u32 by = *value(arg(0).args[2]) & 31, lower = ~u32{0} >> by;
        const Ids of = arg(0).args;
        if ((*number(1) & lower) == 0) return make(Op::And, {make(Op::Shl, {of[0], constant(32 - by)}), args[1]});
        if ((*number(1) & ~lower) == 0) return make(Op::And, {make(Op::Shr, {of[1], constant(by)}), args[1]});
      }
      // The lower part of a word of two.
      if (number(1) && is(0, Op::Or) && is_shift(arg(0).args[1]) &&
          *number(1) < u64{1} << (*value(at(arg(0).args[1]).args[1]) & 31))
        return make(Op::And, {arg(0).args[0], args[1]});
      // The same, shifted down.
      if (number(1) && is(0, Op::Shr) && value(arg(0).args[1]) && at(arg(0).args[0]).op == Op::Or) {
        const Node both = at(arg(0).args[0]);
        const u32 by = *value(arg(0).args[1]) & 31;
        if (is_shift(both.args[1]) && u64{*number(1)} << by < u64{1} << (*value(at(both.args[1]).args[1]) & 31))
          return make(Op::And, {make(Op::Shr, {both.args[0], constant(by)}), args[1]});
      }
      if (number(1) && (mask_of(args[0]) & ~*number(1)) == 0) return args[0];
      if (is(0, Op::And) && number(1) && value(arg(0).args[1]))
        return make(Op::And, {arg(0).args[0], constant(*value(arg(0).args[1]) & *number(1))});
      break;
    case Op::BitFieldU:
      if (number(2) && *number(2) != 0) {
        const Id by = make(Op::And, {args[1], constant(31)});
        const Id shifted = make(Op::Shr, {args[0], by});
        return make(Op::And, {shifted, constant((u32{1} << (*number(2) & 31)) - 1)});
      }
      break;
    case Op::BitFieldI:
      if (number(1) && number(2) && *number(2) != 0 && *number(2) < 32 && *number(1) < 32) {
        if (*number(1) + *number(2) == 32) return make(Op::Sar, {args[0], args[1]});
        const Id shifted = make(Op::Shr, {args[0], args[1]});
        if (*number(2) == 8) return make(Op::SignExtend8, {shifted});
        if (*number(2) == 16) return make(Op::SignExtend16, {shifted});
        if (*number(1) != 0 && *number(1) + *number(2) < 32)
          return make(Op::BitFieldI, {shifted, constant(0), args[2]});
      }
      break;
    case Op::BitField64U:
    case Op::BitField64I:
      if (number(1) && number(2) && *number(2) != 0 && (*number(1) & 63) + *number(2) <= 32) {
        const u32 from = *number(1) & 63, width = *number(2);
        const Id word = make(Op::Low, {args[0]});
        const bool is_signed = op == Op::BitField64I, whole = width == 32;
        const Id low = whole ? word : make(is_signed ? Op::BitFieldI : Op::BitFieldU, {word, constant(from), args[2]});
        const Id high = is_signed ? make(Op::Sar, {low, constant(31)}) : constant(0);
        return make(Op::Join, {low, high});
      }
      break;
    case Op::SignExtend8:
    case Op::SignExtend16: {
      const u32 bits = op == Op::SignExtend8 ? 8 : 16, mask = (1u << bits) - 1;
      if (number(0)) return constant(static_cast<u32>(static_cast<i32>(*number(0) << (32 - bits)) >> (32 - bits)));
      // Bits above do not count.
      if (is(0, Op::And) && value(arg(0).args[1]) && (*value(arg(0).args[1]) & mask) == mask)
        return make(op, {arg(0).args[0]});
      if (is(0, Op::Or) && is_shift(arg(0).args[1]) && (*value(at(arg(0).args[1]).args[1]) & 31) >= bits)
        return make(op, {arg(0).args[0]});
      break;
    }
    case Op::Or:
      if (number(1) == 0u || same) return args[0];
      break;
    case Op::Xor:
      if (number(1) == 0u) return args[0];
      if (same) return constant(0);
      if (number(1) == ~0u) return make(Op::Not, {args[0]});
      break;
    case Op::ReverseBits:
      if (number(0)) {
        u32 out = 0;
        for (u32 n = 0; n < 32; ++n) out |= (*number(0) >> n & 1) << (31 - n);
        return constant(out);
      }
      break;
    case Op::Not:
      if (is(0, Op::Not)) return arg(0).args[0];
      if (number(0)) return constant(~*number(0));
      break;
    case Op::Shl:
    case Op::Shr:
    case Op::Sar:
      if (number(1) == 0u) return args[0];
      if (op == Op::Shr && number(1) == 16u && is(0, Op::Or) && is_local_size(arg(0).args[0]) &&
          at(arg(0).args[1]).op == Op::Shl && value(at(arg(0).args[1]).args[1]) == 16u &&
          is_local_size(at(arg(0).args[1]).args[0]))
        return at(arg(0).args[1]).args[0];
      if (op == Op::Shr && number(1) == 16u && is_local_size(args[0])) return constant(0);
      // The lower half of that word is 0.
      if (op == Op::Shl && number(1) == 16u && is(0, Op::Shr) && value(arg(0).args[1]) == 16u &&
          this->is(arg(0).args[0], Op::Aperture))
        return arg(0).args[0];
      // Of two words that were shifted into each other only the upper one is left.
      if (op != Op::Shl && is(0, Op::AlignBit) && number(1) && value(arg(0).args[2])) {
        const u32 from = *number(1) & 31, upper = 32 - (*value(arg(0).args[2]) & 31);
        if (from >= upper && upper < 32 && from < 32)
          return make(op == Op::Sar ? Op::BitFieldI : Op::BitFieldU,
                      {arg(0).args[0], constant(from - upper), constant(32 - from)});
      }
      // The upper part of a word of two.
      if (op == Op::Shr && number(1) && is(0, Op::Or) && is_shift(arg(0).args[1])) {
        const Node& upper = at(arg(0).args[1]);
        const u32 by = *value(upper.args[1]) & 31;
        if (*number(1) >= by && bits_of(arg(0).args[0]) <= by && bits_of(upper.args[0]) <= 32 - by)
          return make(Op::Shr, {upper.args[0], constant(*number(1) - by)});
      }
      if (op == Op::Shr && number(1) && *number(1) < 32 && bits_of(args[0]) <= *number(1)) return constant(0);
      if (op == Op::Shr && is(0, Op::Shr) && number(1) && value(arg(0).args[1])) {
        const u32 by = (*number(1) & 31) + (*value(arg(0).args[1]) & 31);
        return by < 32 ? make(Op::Shr, {arg(0).args[0], constant(by)}) : constant(0);
      }
      if (op == Op::Shl && is(0, Op::Shl) && number(1) && value(arg(0).args[1]) &&
          *number(1) + *value(arg(0).args[1]) < 32)
        return make(Op::Shl, {arg(0).args[0], constant(*number(1) + *value(arg(0).args[1]))});
      break;
    case Op::MinU:
      // Work-groups of these devices are smaller.
      if (is_local_size(args[0]) && number(1) == 0xffffu) return args[0];
      break;
    case Op::MaxI: {
      const auto negative = [&](Id id, Id of) {
        const Node& n = at(id);
        if (n.op != Op::Sub) return false;
        const Node& other = at(of);
        return (value(n.args[0]) == 0u && resolve(n.args[1]) == of) ||
               (other.op == Op::Sub && resolve(n.args[0]) == resolve(other.args[1]) &&
                resolve(n.args[1]) == resolve(other.args[0]));
      };
      if (negative(args[1], args[0])) return make(Op::AbsI, {args[0]});
      if (negative(args[0], args[1])) return make(Op::AbsI, {args[1]});
      break;
    }
    case Op::AddF:
      if (is(1, Op::NegF)) return make(Op::SubF, {args[0], arg(1).args[0]});
      if (is(0, Op::NegF)) return make(Op::SubF, {args[1], arg(0).args[0]});
      break;
    case Op::SubF:
      if (is(1, Op::NegF)) return make(Op::AddF, {args[0], arg(1).args[0]});
      break;
    case Op::FlushF: {
      constexpr u32 kExponent = 0x7f800000, kSign = 0x80000000;
      if (number(0)) return (*number(0) & kExponent) == 0 ? constant(*number(0) & kSign) : args[0];
      const Node& inner = is(0, Op::NegF) || is(0, Op::AbsF) ? at(arg(0).args[0]) : arg(0);
      if (inner.op == Op::FlushF || inner.op == Op::FloatOfInt || inner.op == Op::FloatOfUint) return args[0];
      break;
    }
    case Op::Low24U:
      if (number(0)) return constant(*number(0) & 0xffffff);
      // Launch sizes of CL1 devices and what is masked need no masking.
      if (is(0, Op::GroupId) || bits_of(args[0]) <= 24) return args[0];
      break;
    case Op::Low24I:
      if (number(0)) return constant(static_cast<u32>(static_cast<i32>(*number(0) << 8) >> 8));
      if (is(0, Op::GroupId) || bits_of(args[0]) <= 23) return args[0];
      break;
    case Op::BoolAnd:
      if (is(0, Op::False) || is(1, Op::False) || opposite(args[0], args[1])) return boolean(false);
      if (is(0, Op::True) || same) return args[1];
      if (is(1, Op::True)) return args[0];
      // a && (a && b), a && !(a && b) is a && !b
      for (const std::size_t n : {0u, 1u}) {
        const Op kind = arg(1 - n).op;
        const Ids parts = arg(1 - n).args;
        if (kind == Op::BoolAnd && (parts[0] == args[n] || parts[1] == args[n])) return args[1 - n];
        if (kind == Op::BoolOr && (parts[0] == args[n] || parts[1] == args[n])) return args[n];
        if (kind == Op::BoolNot && parts[0] == args[n]) return boolean(false);
        if (kind == Op::BoolNot && nodes[parts[0]].op == Op::BoolAnd)
          if (const Id rest = where(parts[0], args[n], block); rest != resolve(parts[0])) {
            const Id negated = make(Op::BoolNot, {rest});
            return make(Op::BoolAnd, {args[n], negated}, 0, block);
          }
        // (a && b) && !(a && !b) is what it begins with; a && (!a || b)
        if (kind == Op::BoolNot && contradict(args[n], parts[0])) return args[n];
        if (kind == Op::BoolOr)  // a && ((a && b) || c)
          for (const std::size_t m : {0u, 1u}) {
            const Node inner = at(parts[m]);
            if (inner.op != Op::BoolAnd) continue;
            for (const std::size_t k : {0u, 1u})
              if (resolve(inner.args[k]) == args[n]) {
                const Id either = make(Op::BoolOr, {inner.args[1 - k], parts[1 - m]}, 0, block);
                return make(Op::BoolAnd, {args[n], either}, 0, block);
              }
          }
        if (kind == Op::BoolOr)
          for (const std::size_t m : {0u, 1u})
            if (opposite(parts[m], args[n])) {
              const Id rest = parts[1 - m];
              return make(Op::BoolAnd, {args[n], rest}, 0, block);
            }
        if (kind == Op::BoolNot && nodes[parts[0]].op == Op::BoolOr &&
            (nodes[parts[0]].args[0] == args[n] || nodes[parts[0]].args[1] == args[n]))
          return boolean(false);
        if (kind == Op::BoolNot && nodes[parts[0]].op == Op::BoolAnd) {
          const Node& inner = nodes[parts[0]];
          for (const std::size_t m : {0u, 1u})
            if (inner.args[m] == args[n]) {
              const Id negated = make(Op::BoolNot, {inner.args[1 - m]});
              return make(Op::BoolAnd, {args[n], negated}, 0, block);
            }
        }
      }
      break;
    case Op::BoolOr:
      if (is(0, Op::True) || is(1, Op::True) || opposite(args[0], args[1])) return boolean(true);
      if (is(0, Op::False) || same) return args[1];
      if (is(1, Op::False)) return args[0];
      if (arg(0).op == Op::BoolAnd && arg(1).op == Op::BoolAnd)  // (a && b) || (a && !b)
        for (const std::size_t n : {0u, 1u})
          for (const std::size_t m : {0u, 1u})
            if (resolve(arg(0).args[n]) == resolve(arg(1).args[m]) && opposite(arg(0).args[1 - n], arg(1).args[1 - m]))
              return resolve(arg(0).args[n]);
      for (const std::size_t n : {0u, 1u})  // (a && !b) || b
        if (arg(n).op == Op::BoolAnd)
          for (const std::size_t m : {0u, 1u})
            if (opposite(arg(n).args[m], args[1 - n])) {
              const Id other = arg(n).args[1 - m];
              return make(Op::BoolOr, {other, args[1 - n]}, 0, block);
            }
      for (const std::size_t n : {0u, 1u})  // a || (a && b)
        if (arg(1 - n).op == Op::BoolAnd && (arg(1 - n).args[0] == args[n] || arg(1 - n).args[1] == args[n]))
          return args[n];
      break;
    case Op::BoolXor:
      if (is(0, Op::False)) return args[1];
      if (is(1, Op::False)) return args[0];
      if (same) return boolean(false);
      if (opposite(args[0], args[1])) return boolean(true);
      if (is(0, Op::True)) return make(Op::BoolNot, {args[1]});
      if (is(1, Op::True)) return make(Op::BoolNot, {args[0]});
      for (const std::size_t n : {0u, 1u})  // a ^ (a && b) is a && !b
        if (arg(1 - n).op == Op::BoolAnd)
          for (const std::size_t m : {0u, 1u})
            if (arg(1 - n).args[m] == args[n]) {
              const Id negated = make(Op::BoolNot, {arg(1 - n).args[1 - m]});
              return make(Op::BoolAnd, {args[n], negated}, 0, block);
            }
      break;
    case Op::BoolNot:
      if (is(0, Op::True)) return boolean(false);
      if (is(0, Op::False)) return boolean(true);
      if (is(0, Op::BoolNot)) return arg(0).args[0];
      if (is(0, Op::EqU)) return make(Op::NeU, arg(0).args);
      if (is(0, Op::NeU)) return make(Op::EqU, arg(0).args);
      if (is(0, Op::EqU64)) return make(Op::NeU64, arg(0).args);
      if (is(0, Op::NeU64)) return make(Op::EqU64, arg(0).args);
      if (is(0, Op::LtU)) return make(Op::LeU, {arg(0).args[1], arg(0).args[0]});
      if (is(0, Op::LeU)) return make(Op::LtU, {arg(0).args[1], arg(0).args[0]});
      if (is(0, Op::LtI)) return make(Op::LeI, {arg(0).args[1], arg(0).args[0]});
      if (is(0, Op::LeI)) return make(Op::LtI, {arg(0).args[1], arg(0).args[0]});
      break;
    case Op::Select:
    case Op::SelectWide:
    case Op::SelectBool:
      if (args[1] == args[2]) return args[1];
      if (is(0, Op::False)) return args[2];
      // What the same lanes have overwritten.
      if (is(2, op) && arg(2).imm == imm && only_these(arg(2).args[0], args[0]))
        return make(op, {args[0], args[1], arg(2).args[2]}, imm, block);
      // What they hold anyway.
      if (is(2, op) && resolve(arg(2).args[1]) == args[1] &&
          (at(arg(2).args[0]).op == Op::True || only_these(args[0], arg(2).args[0])))
        return args[2];
      if (imm == kRegisterWrite && keep_writes) break;
      if (is(0, Op::True)) return args[1];
      // What nothing has set may be anything.
      if (is(1, Op::Undefined)) return args[2];
      if (is(2, Op::Undefined)) return args[1];
      if (is(0, Op::BoolNot)) return make(op, {arg(0).args[0], args[2], args[1]}, imm, block);
      // c ? (c ? a : b) : d
      if (is(1, op) && arg(1).args[0] == args[0]) return make(op, {args[0], arg(1).args[1], args[2]}, imm, block);
      if (is(2, op) && arg(2).args[0] == args[0]) return make(op, {args[0], args[1], arg(2).args[2]}, imm, block);
      // c ? (!c ? a : b) : d
      if (is(1, op) && opposite(arg(1).args[0], args[0]))
        return make(op, {args[0], arg(1).args[2], args[2]}, imm, block);
      if (is(2, op) && opposite(arg(2).args[0], args[0]))
        return make(op, {args[0], args[1], arg(2).args[1]}, imm, block);
      if (op == Op::SelectBool && is(2, Op::False)) return make(Op::BoolAnd, {args[0], args[1]}, 0, block);
      if (op == Op::SelectBool && is(1, Op::True)) return make(Op::BoolOr, {args[0], args[2]}, 0, block);
      if (op == Op::SelectBool && is(1, Op::False))
        return make(Op::BoolAnd, {make(Op::BoolNot, {args[0]}), args[2]}, 0, block);
      break;
    case Op::EqU:
    case Op::NeU:
      if (same) return boolean(op == Op::EqU);
      if (is_room_to_print(args[0]) != is_room_to_print(args[1])) return boolean(op == Op::NeU);
      // (c ? 1 : 0) != 0
      if (is(0, Op::Select) && number(1) && value(arg(0).args[1]) && value(arg(0).args[2])) {
        const bool yes = (*value(arg(0).args[1]) == *number(1)) == (op == Op::EqU);
        const bool no = (*value(arg(0).args[2]) == *number(1)) == (op == Op::EqU);
        if (yes == no) return boolean(yes);
        return yes ? arg(0).args[0] : make(Op::BoolNot, {arg(0).args[0]});
      }
      // (c ? (a ? 1 : 0) : (b ? 1 : 0)) != 0
      if (is(0, Op::Select) && number(1) &&
          (at(arg(0).args[1]).op == Op::ToWord || at(arg(0).args[2]).op == Op::ToWord)) {
        const Node choice = arg(0);
        const auto known = [&](Id one) { return Graph::is(one, Op::ToWord) || value(one); };
        if (known(choice.args[1]) && known(choice.args[2]))
          return make(Op::SelectBool,
                      {choice.args[0], make(op, {choice.args[1], args[1]}), make(op, {choice.args[2], args[1]})}, 0,
                      choice.block);
      }
      if (is(0, Op::ToWord) && number(1) && *number(1) <= 1)
        return (*number(1) == 1) == (op == Op::EqU) ? arg(0).args[0] : make(Op::BoolNot, {arg(0).args[0]});
      // What one side cannot be.
      if (number(1) && (*number(1) & ~mask_of(args[0])) != 0) return boolean(op == Op::NeU);
      break;
    case Op::LtI:
    case Op::LeI:
      if (const bool room = is_room_to_print(args[0]); room != is_room_to_print(args[1])) return boolean(!room);
      break;
    case Op::LtU:
    case Op::LeU: {
      if (const bool room = is_room_to_print(args[0]); room != is_room_to_print(args[1])) return boolean(!room);
      // Against a number that one side cannot reach.
      const u64 reach = op == Op::LtU ? 0 : 1;
      if (number(1) && *number(1) + reach >= u64{1} << bits_of(args[0])) return boolean(true);
      if (number(0) && *number(0) + 1 >= (u64{1} << bits_of(args[1])) + reach) return boolean(false);
      break;
    }
    case Op::LtU64:
    case Op::LeU64:
    case Op::LtI64:
    case Op::LeI64:
      // Where the upper halves cannot be alike they decide: for the lower one compilers take any register.
      for (const std::size_t k : {0u, 1u})
        if (const auto whole = value64(args[1 - k]); whole && is(k, Op::Join)) {
          const Id upper = arg(k).args[1];
          const u32 other = static_cast<u32>(*whole >> 32);
          if ((other & ~mask_of(upper)) == 0) continue;
          const Op narrow = op == Op::LtU64 || op == Op::LeU64 ? Op::LtU : Op::LtI;
          const Id against = constant(other);
          return k == 0 ? make(narrow, {upper, against}) : make(narrow, {against, upper});
        }
      break;
    case Op::EqU64:
    case Op::NeU64:
      for (const std::size_t n : {0u, 1u})  // who asks for room to print gets it
        if (value64(args[n]) == u64{0} && is_in_printf_buffer(args[1 - n])) return boolean(op == Op::NeU64);
      break;
    case Op::CarryOfAdd:
      if (number(0) == 0u || number(1) == 0u) return boolean(false);
      if (const Id gid = global_id(args[0], args[1]); gid != kNone && at(gid).op == Op::GlobalId) return boolean(false);
      break;
    case Op::CarryOfAddc:
      if (is(2, Op::False)) return make(Op::CarryOfAdd, {args[0], args[1]});
      // The carry decides only where the sum without it is the largest number.
      if (number(0) && number(1)) {
        const u64 sum = u64{*number(0)} + *number(1);
        return sum == ~u32{0} ? args[2] : boolean(sum > ~u32{0});
      }
      break;
    case Op::MulHighU:
    case Op::MulHighI:
      if (number(0) == 0u || number(1) == 0u) return constant(0);
      break;
    case Op::MulWideU:
      if (number(0) == 0u || number(1) == 0u) return constant64(0);
      if (number(0) && number(1)) return constant64(u64{*number(0)} * *number(1));
      break;
    case Op::MulWideI:
      if (number(0) && number(1))
        return constant64(static_cast<u64>(i64{static_cast<i32>(*number(0))} * static_cast<i32>(*number(1))));
      break;
    case Op::ToWord:
      if (is(0, Op::True)) return constant(1);
      if (is(0, Op::False)) return constant(0);
      break;
    case Op::ReadLane:
      // What stood in a scalar register before it was put away.
      if (is(0, Op::WriteLane) && number(1) && value(arg(0).args[1]))
        return *number(1) == *value(arg(0).args[1]) ? resolve(arg(0).args[0])
                                                    : make(Op::ReadLane, {arg(0).args[2], args[1]});
      if (is(0, Op::Undefined)) return args[0];
      break;
    case Op::MaskOfWords:
      if (number(0) == 0u && number(1) == 0u) return boolean(false);
      if (is(0, Op::Undefined) && is(1, Op::Undefined)) return boolean(false);  // nothing has set it
      // Nor where a descriptor or an address stands still: lanes have no bits there.
      for (const u32 n : {0u, 1u})
        if ((is(n, Op::Table) && arg(n).imm != kUnknown) || is(n, Op::Resource) || is(n, Op::ScratchStart) ||
            ((is(n, Op::Low) || is(n, Op::High)) && at(arg(n).args[0]).op == Op::Pointer))
          return boolean(false);
      if (number(0) == ~0u && number(1) == ~0u) return boolean(true);
      if (is(0, Op::MaskWord) && is(1, Op::MaskWord) && arg(0).args == arg(1).args && arg(0).imm == 0 &&
          arg(1).imm == 1)
        return arg(0).args[0];
      break;
    case Op::Join:
      if (args[0] == args[1] && is(0, Op::Undefined)) return args[0];
      if (number(0) && number(1)) return constant64(*number(0) | u64{*number(1)} << 32);
      if (is(0, Op::Low) && is(1, Op::High) && arg(0).args == arg(1).args) return arg(0).args[0];
      if (is(0, Op::Low) && number(1) == 0u && stays_low(arg(0).args[0])) return resolve(arg(0).args[0]);
      if (const Id whole = argument_address(args[0], args[1]); whole != kNone) return whole;
      if (const Id whole = folded_join(args[0], args[1]); whole != kNone) return whole;
      if (const Id whole = address_with_high(args[0], args[1]); whole != kNone) return whole;
      break;
    case Op::Low:
      if (is(0, Op::Join)) return arg(0).args[0];
      if (is(0, Op::Arguments)) return make(Op::Table, {}, kKernargLow);
      // Bits that are shifted to the left do not come from a register that nothing has set.
      if (is(0, Op::Shl64) && this->is(arg(0).args[0], Op::Join)) {
        const Id low = at(arg(0).args[0]).args[0], high = resolve(at(arg(0).args[0]).args[1]), by = arg(0).args[1];
        if (nodes[high].op == Op::Table || nodes[high].op == Op::Resource)
          return make(Op::Low, {make(Op::Shl64, {make(Op::Join, {low, constant(0)}), by})});
      }
      if (value64(args[0])) return constant(static_cast<u32>(*value64(args[0])));
      break;
    case Op::High:
      if (is(0, Op::Join)) return arg(0).args[1];
      if (is(0, Op::Arguments)) return make(Op::Table, {}, kKernargHigh);
      if (value64(args[0])) return constant(static_cast<u32>(*value64(args[0]) >> 32));
      if (stays_low(args[0])) return constant(0);
      break;
    case Op::Shr64:
    case Op::Sar64:
      // A number in the upper half, shifted down: made longer, and multiplied.
      if (is(0, Op::Join) && value(arg(0).args[0]) == 0u && number(1) && *number(1) <= 32) {
        const Id low = resolve(arg(0).args[1]);
        const Id high = op == Op::Sar64 ? make(Op::Sar, {low, constant(31)}) : constant(0);
        return make(Op::Shl64, {make(Op::Join, {low, high}), constant(32 - *number(1))});
      }
      if (number(1) == 0u) return args[0];
      break;
    // The lower half of two put together.
    case Op::FloatOfHalf:
      if (is(0, Op::Or))
        for (const std::size_t k : {0u, 1u})
          if ((mask_of(arg(0).args[1 - k]) & 0xffff) == 0) return make(Op::FloatOfHalf, {arg(0).args[k]});
      break;
    case Op::Shl64:
      if (number(1) == 0u) return args[0];
      if (value64(args[0]) && number(1)) return constant64(*value64(args[0]) << (*number(1) & 63));
      break;
    case Op::Add64:
      // The id of OpenCL 2.0, whose offset has 64 bits; ids have no more than 32.
      if (is(0, Op::Join) && is(1, Op::Join) && value(arg(0).args[1]) == 0u && value(arg(1).args[1]) == 0u)
        if (const Id gid = global_id(arg(0).args[0], arg(1).args[0]); gid != kNone && at(gid).op == Op::GlobalId)
          return make(Op::Join, {gid, constant(0)});
      if (is(0, Op::Join) && is(1, Op::Join) && value(arg(0).args[1]) == 0u && value(arg(1).args[1]) == 0u &&
          std::max(bits_of(arg(0).args[0]), bits_of(arg(1).args[0])) < 32) {
        const Id low = make(Op::Add, {arg(0).args[0], arg(1).args[0]});
        return make(Op::Join, {low, constant(0)});
      }
      // Halves that belong together, of which nothing was known when the sum was made.
      if (is(0, Op::Join) && is(1, Op::Join)) {
        const Ids one = arg(0).args, other = arg(1).args;
        const auto belong = [&](Id low, Id high) {
          if (this->is(low, Op::Add) && this->is(high, Op::Add))
            return !this->is(make(Op::Join, {low, high}), Op::Join);
          return this->is(low, Op::Low) && this->is(high, Op::High) && at(low).args == at(high).args;
        };
        // So do variables of a loop.
        const auto vary = [&](Id low, Id high) {
          return this->is(low, Op::Phi) && this->is(high, Op::Phi) && at(low).block == at(high).block;
        };
        const auto are_apart = [&](const Ids& x, const Ids& y) {
          return vary(y[0], x[1]) && !vary(x[0], x[1]) && !vary(y[0], y[1]);
        };
        if (belong(one[0], other[1]) || belong(other[0], one[1]) || are_apart(one, other) || are_apart(other, one)) {
          const Id first = make(Op::Join, {one[0], other[1]}), second = make(Op::Join, {other[0], one[1]});
          return make(Op::Add64, {first, second});
        }
      }
      if (value64(args[1]) == u64{0}) return args[0];
      if (value64(args[0]) && value64(args[1])) return constant64(*value64(args[0]) + *value64(args[1]));
      if (is(0, Op::Add64) && value64(args[1]) && value64(arg(0).args[1]))
        return make(Op::Add64, {arg(0).args[0], constant64(*value64(arg(0).args[1]) + *value64(args[1]))});
      break;
    case Op::NegF:
      if (is(0, Op::NegF)) return arg(0).args[0];
      if (number(0)) return constant(*number(0) ^ 0x80000000);
      break;
    case Op::NegD:
      if (is(0, Op::NegD)) return arg(0).args[0];
      if (is(0, Op::Const64)) return constant64(arg(0).imm ^ u64{1} << 63);
      break;
    case Op::AbsF:
      if (number(0)) return constant(*number(0) & 0x7fffffff);
      break;
    case Op::AlignBit:
      if (same)
        return make(Op::Rotate, {args[0], make(Op::And, {make(Op::Sub, {constant(32), args[2]}), constant(31)})});
      break;
    default: break;
  }
  return kNone;
}

// group * local size + local id + offset, and what is added to it. `kNone`: it is not all there.
Id Graph::global_id(Id first, Id second) {
  constexpr std::size_t kMost = 8;
  std::array<Id, kMost + 2> found{}, open{first, second};
  std::size_t count = 0, left = 2;
  bool local_id = false;
  while (left != 0 && count + left <= kMost) {
    const Id id = resolve(open[--left]);
    if (const Node& n = nodes[id]; n.op == Op::Add) {
      open[left++] = n.args[0];
      open[left++] = n.args[1];
    } else {
      local_id = local_id || n.op == Op::LocalId;
      found[count++] = id;
    }
  }
  if (left != 0 || !local_id) return kNone;
  const std::span<const Id> terms(found.data(), count);
  for (u32 d = 0; d < 3; ++d) {
    const auto find = [&](auto test) { return std::ranges::find_if(terms, [&](Id id) { return test(nodes[id]); }); };
    const auto local = find([&](const Node& n) { return n.op == Op::LocalId && n.imm == d; });
    const auto offset = find([&](const Node& n) { return n.op == Op::LaunchWord && n.imm == kOffset + d; });
    const auto group = find([&](const Node& n) {
      const auto is_group = [&](Id id) { return at(id).op == Op::GroupId && at(id).imm == d; };
      const u32 size = required[d];  // known to the compiler: a shift, or a product with a number
      if (n.op == Op::GroupId) return n.imm == d && size == 1;
      if (n.op == Op::Shl && size != 0 && is_group(n.args[0]))
        return value(n.args[1]) && size == u32{1} << (*value(n.args[1]) & 31);
      if (n.op != Op::Mul) return false;
      if (size != 0 && is_group(n.args[0]) && value(n.args[1]) == size) return true;
      const Node &a = at(n.args[0]), &b = at(n.args[1]);
      const auto are = [&](const Node& x, const Node& y) {
        return x.op == Op::GroupId && x.imm == d && y.op == Op::LaunchWord && y.imm == kLocalSize + d;
      };
      return are(a, b) || are(b, a);
    });
    if (local == terms.end() || offset == terms.end() || group == terms.end()) continue;
    Id out = make(Op::GlobalId, {}, d);
    for (const Id term : terms)
      if (term != *local && term != *offset && term != *group) out = make(Op::Add, {out, term});
    return out;
  }
  return kNone;
}

// What two halves are together, if that is more than halves; `kNone`: it is not. Each pair is looked at once: sums of
// sums ask for the same ones again and again.
Id Graph::argument_address(Id low, Id high) {
  const auto half = [&](Id id, u64 which) { return is(id, Op::Table) && at(id).imm == which; };
  if (half(high, kKernargHigh) && half(low, kKernargLow)) return make(Op::Arguments);
  // What is near it has the carry of a sum.
  const auto near = [&] {
    return is(high, Op::Add) && std::ranges::any_of(at(high).args, [&](Id arg) { return half(arg, kKernargHigh); });
  };
  if (!is(low, Op::Or) || (!half(high, kKernargHigh) && !near())) return kNone;
  const Ids parts = at(low).args;
  for (const std::size_t k : {0u, 1u}) {
    const Id base = make(Op::Join, {parts[k], high});
    const Node& n = at(base);
    const bool aligned =
        n.op == Op::Add64 && is(n.args[0], Op::Arguments) && value64(n.args[1]).value_or(1) % kKernargAlignment == 0;
    if (n.op == Op::Arguments || aligned) return make(Op::Add64, {base, make(Op::Join, {parts[1 - k], constant(0)})});
  }
  return kNone;
}
Id Graph::folded_join(Id low, Id high) {
  const u64 key = u64{low} << 32 | high;
  if (const auto known = joined_.find(key); known != joined_.end()) {
    if (known->second.first != kNone) return resolve(known->second.first);
    if (known->second.second == epoch_) return kNone;
  }
  constexpr u32 kDeepest = 100;  // halves of halves: one level of the stack each
  if (join_depth_ == kDeepest || !spend()) return kNone;
  ++join_depth_;
  Id out = wide_sum(low, high);
  if (out == kNone) out = wide_choice(low, high);
  --join_depth_;
  joined_[key] = {out, epoch_};
  return out;
}
// Halves that are chosen together.
Id Graph::wide_choice(Id low, Id high) {
  if (!complete) return kNone;
  const Node a = nodes[low], b = nodes[high];
  if (a.op == Op::Select && b.op == Op::Select && resolve(a.args[0]) == resolve(b.args[0])) {
    const Id yes = make(Op::Join, {a.args[1], b.args[1]}), no = make(Op::Join, {a.args[2], b.args[2]});
    return make(Op::SelectWide, {a.args[0], yes, no}, a.imm, a.block);
  }
  // A choice of two numbers, of which one half is the same.
  if (a.op == Op::Const && b.op == Op::Select && value(b.args[1]) && value(b.args[2])) {
    const auto whole = [&](std::size_t k) { return constant64(a.imm | u64{*value(b.args[k])} << 32); };
    const Id yes = whole(1), no = whole(2);
    return make(Op::SelectWide, {b.args[0], yes, no}, b.imm, b.block);
  }
  if (a.op != Op::Phi || b.op != Op::Phi || a.block != b.block) return kNone;
  if (a.args.empty() || a.args.size() != b.args.size()) return kNone;  // a copy that is being made
  if (const auto known = wide_.find({low, high}); known != wide_.end()) return known->second;
  const Id phi = add({.op = Op::PhiWide, .type = Ulong, .block = a.block, .offset = a.offset, .scalar = a.scalar});
  wide_[{low, high}] = phi;
  blocks[a.block].phis.push_back(phi);
  Ids args;
  for (std::size_t k = 0; k < a.args.size(); ++k) args.push_back(make(Op::Join, {a.args[k], b.args[k]}));
  nodes[phi].args = std::move(args);
  return phi;
}

void Graph::forget_halves() {
  const std::vector<bool> needed = live();
  for (const auto& [halves, phi] : wide_) {
    if (!needed[phi] || nodes[phi].forward != kNone) continue;
    for (const auto& [half, op] : {std::pair(halves.first, Op::Low), std::pair(halves.second, Op::High)})
      if (nodes[half].forward == kNone) {
        const Id by = make(op, {phi});
        nodes[half].forward = by;
      }
  }
}

// A sum of 64 bits out of its halves: the low one and the high one with its carry. `kNone`: it is none.
Id Graph::wide_sum(Id low, Id high) {
  if (!is(low, Op::Add) || !is(high, Op::Add)) return kNone;
  const Id a = resolve(at(low).args[0]), b = resolve(at(low).args[1]);
  for (const u32 n : {0u, 1u}) {
    const Id carry = resolve(at(high).args[n]);
    if (!is(carry, Op::ToWord) || !is(at(carry).args[0], Op::CarryOfAdd)) continue;
    const Ids& of = at(at(carry).args[0]).args;
    const Id x = resolve(of[0]), y = resolve(of[1]);
    if (!((x == a && y == b) || (x == b && y == a))) continue;
    const Id rest = resolve(at(high).args[1 - n]);
    Id c = rest, d = constant(0);
    // The high half of a sum with a constant may be that of the other term as it is.
    for (const auto& [low_half, other] : {std::pair(a, b), std::pair(b, a)}) {
      const Id whole = make(Op::Join, {low_half, rest});
      if (is(whole, Op::Join) || is(whole, Op::Const64)) continue;
      const Id plain = make(Op::Join, {other, constant(0)});
      return make(Op::Add64, {whole, plain});
    }
    if (is(rest, Op::Add)) c = resolve(at(rest).args[0]), d = resolve(at(rest).args[1]);
    // Any pairing of the halves has this sum; one that is a known value is the better one.
    const auto known = [&](Id l, Id h) {
      return (is(l, Op::Low) && is(h, Op::High) && at(l).args == at(h).args) || (value(l) && value(h));
    };
    const auto sum = [&](Id l, Id h) {
      return is(l, Op::Add) && is(h, Op::Add) && !is(make(Op::Join, {l, h}), Op::Join);
    };
    if (known(a, d) || known(b, c) || (!sum(a, c) && !sum(b, d) && (sum(a, d) || sum(b, c)))) std::swap(c, d);
    const Id first = make(Op::Join, {a, c}), second = make(Op::Join, {b, d});
    return make(Op::Add64, {first, second});
  }
  return kNone;
}

// Whether a sum is of the address of something, and of a product of 64 bits, by its form.
bool Graph::has_address(Id id, u32 steps) const {
  const Node& n = at(id);
  return n.op == Op::Data || (n.op == Op::Join && is(n.args[1], Op::Table)) ||
         (steps != 0 && (n.op == Op::Add64 || n.op == Op::PhiWide) &&
          std::ranges::any_of(n.args, [&](Id arg) { return has_address(arg, steps - 1); }));
}
bool Graph::has_product(Id id, u32 steps) const {
  const Node& n = at(id);
  return n.op == Op::MulWideU || (steps != 0 && n.op == Op::Add64 &&
                                  std::ranges::any_of(n.args, [&](Id arg) { return has_product(arg, steps - 1); }));
}
// An address whose distance is a product of 64 bits: compilers add the low words' product to it at once, then the rest
// of the high word. `kNone`: it is none.
Id Graph::address_with_high(Id low, Id high) {
  constexpr u32 kSteps = 3;  // into sums
  if (!is(low, Op::Low)) return kNone;
  const Id sum = resolve(at(low).args[0]);
  if (!is(sum, Op::Add64) || !has_address(sum, kSteps) || !has_product(sum, kSteps)) return kNone;
  const Id rest = without_high(high, sum, kSteps);
  // The high word of something is put beside its low one otherwise.
  if (rest == kNone || is(rest, Op::High)) return kNone;
  return make(Op::Add64, {sum, make(Op::Join, {constant(0), rest})});
}
// What is added to the high word of a value; `kNone`: it isn't in the sum.
Id Graph::without_high(Id id, Id of, u32 steps) {
  const Node n = at(id);
  if (n.op == Op::High && resolve(n.args[0]) == of) return constant(0);
  if (steps == 0 || (n.op != Op::Add && n.op != Op::Sub)) return kNone;
  if (const Id rest = without_high(n.args[0], of, steps - 1); rest != kNone) return make(n.op, {rest, n.args[1]});
  if (n.op == Op::Sub) return kNone;
  const Id rest = without_high(n.args[1], of, steps - 1);
  return rest == kNone ? kNone : make(Op::Add, {n.args[0], rest});
}

// A conjunction as lanes of `mask` have it.
Id Graph::where(Id id, Id mask, u32 block, u32 steps) {
  id = resolve(id);
  if (only_these(mask, id, 3)) return boolean(true);
  const Node n = nodes[id];
  if (n.op != Op::BoolAnd || steps == 0) return id;
  const Id a = where(n.args[0], mask, block, steps - 1), b = where(n.args[1], mask, block, steps - 1);
  if (a == resolve(n.args[0]) && b == resolve(n.args[1])) return id;
  return resolve(make(Op::BoolAnd, {a, b}, 0, block));
}
// Whether a conjunction is of no other lanes than those of `what`.
bool Graph::only_these(Id mask, Id what, u32 steps) const {
  mask = resolve(mask);
  if (mask == what) return true;
  const Node& n = nodes[mask];
  return steps != 0 && n.op == Op::BoolAnd &&
         (only_these(n.args[0], what, steps - 1) || only_these(n.args[1], what, steps - 1));
}
// Whether no lane has both, by the terms of two conjunctions.
bool Graph::contradict(Id a, Id b) const {
  constexpr std::size_t kMost = 16;
  struct Terms {
    std::array<Id, kMost> of;
    std::size_t count = 0;
  };
  const auto terms = [&](Id id) {
    Terms out{{resolve(id)}, 1};
    for (std::size_t n = 0; n < out.count;) {
      const Node& term = nodes[out.of[n]];
      if (term.op != Op::BoolAnd || out.count == kMost) {
        ++n;
        continue;
      }
      out.of[n] = resolve(term.args[0]);
      out.of[out.count++] = resolve(term.args[1]);
    }
    return out;
  };
  const Terms left = terms(a), right = terms(b);
  for (std::size_t l = 0; l < left.count; ++l)
    for (std::size_t r = 0; r < right.count; ++r)
      if (opposite(left.of[l], right.of[r])) return true;
  return false;
}
// Whether no lane of a mask is one of `what`, by their form, or since it comes by a branch that is not taken where some
// lane is.
bool Graph::outside(Id mask, Id what, u32 steps) const {
  if (contradict(mask, what)) return true;
  const Node& n = at(mask);
  if (steps == 0 || !spend()) return false;
  if (n.op == Op::BoolAnd) return outside(n.args[0], what, steps - 1) || outside(n.args[1], what, steps - 1);
  if (Ids assumed; n.op == Op::BoolNot) return implies(what, n.args[0], assumed);
  if (n.op != Op::PhiBool) return false;
  for (std::size_t k = 0; k < n.args.size(); ++k) {
    const u32 from = blocks[n.block].predecessors[k];
    if (from >= n.block) return false;  // another turn
    const BlockEnd& end = blocks[from].end;
    const bool none = end.kind == BlockEnd::Kind::Branch && end.lanes && end.no == n.block && end.yes != n.block &&
                      resolve(end.condition) == resolve(what);
    if (!none && !outside(n.args[k], what, steps - 1)) return false;
  }
  return true;
}
bool Graph::opposite(Id a, Id b) const {
  const Node &x = at(a), &y = at(b);
  const auto same = [&](bool swapped) {
    return resolve(x.args[0]) == resolve(y.args[swapped ? 1 : 0]) &&
           resolve(x.args[1]) == resolve(y.args[swapped ? 0 : 1]);
  };
  const auto either = [&](Op one, Op other) {
    return (x.op == one && y.op == other) || (x.op == other && y.op == one);
  };
  if (either(Op::EqU, Op::NeU) || either(Op::EqU64, Op::NeU64)) return same(false);
  if (either(Op::LtU, Op::LeU) || either(Op::LtI, Op::LeI) || either(Op::LtU64, Op::LeU64) ||
      either(Op::LtI64, Op::LeI64))
    return same(true);
  // x < 7 and 6 < x
  const auto next = [&](const Node& below, const Node& above) {
    if (resolve(below.args[0]) != resolve(above.args[1])) return false;
    const auto low = value(above.args[0]), high = value(below.args[1]);
    const auto low64 = value64(above.args[0]), high64 = value64(below.args[1]);
    const bool is_signed = below.op == Op::LtI || below.op == Op::LtI64;
    if (low && high) return *high == *low + 1 && *low != (is_signed ? 0x7fffffffu : ~0u);
    return low64 && high64 && *high64 == *low64 + 1 && *low64 != (is_signed ? ~u64{0} >> 1 : ~u64{0});
  };
  if (x.op == y.op && (x.op == Op::LtU || x.op == Op::LtI || x.op == Op::LtU64 || x.op == Op::LtI64))
    return next(x, y) || next(y, x);
  if (x.op == Op::BoolNot && resolve(x.args[0]) == resolve(b)) return true;
  return y.op == Op::BoolNot && resolve(y.args[0]) == resolve(a);
}

bool Graph::changes(Id id, u32 block) const {
  return !every(id, [&](const Node& n) {
    if (phi(n.op) || effect(n.op))
      for (u32 header = loop[block]; header != kNone; header = outer[header])
        if (n.block == header || in_loop(n.block, header)) return false;
    return true;
  });
}

bool Graph::order() {
  // Reverse postorder from block 0.
  std::vector<u32> post, where(blocks.size(), kNone);
  std::vector<std::pair<u32, std::size_t>> stack{{0, 0}};
  std::vector<bool> seen(blocks.size());
  seen[0] = true;
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    if (next < blocks[block].successors.size()) {
      // The last successor first, so that fall-through comes first in the order.
      const u32 to = blocks[block].successors[blocks[block].successors.size() - 1 - next++];
      if (!seen[to]) {
        seen[to] = true;
        stack.emplace_back(to, 0);
      }
    } else {
      post.push_back(block);
      stack.pop_back();
    }
  }
  std::ranges::reverse(post);
  for (u32 n = 0; n < post.size(); ++n) where[post[n]] = n;
  std::vector<BasicBlock> sorted;
  for (const u32 old : post) {
    BasicBlock block = std::move(blocks[old]);
    for (auto* list : {&block.predecessors, &block.successors}) {
      std::erase_if(*list, [&](u32 b) { return where[b] == kNone; });
      for (u32& b : *list) b = where[b];
    }
    block.end.yes = where[block.end.yes] == kNone ? 0 : where[block.end.yes];
    block.end.no = where[block.end.no] == kNone ? 0 : where[block.end.no];
    sorted.push_back(std::move(block));
  }
  blocks = std::move(sorted);

  return dominators();
}

bool Graph::dominators() {
  // [K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001]
  idom.assign(blocks.size(), kNone);
  idom[0] = 0;
  const auto meet = [&](u32 a, u32 b) {
    while (a != b) (a > b ? a : b) = idom[a > b ? a : b];
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (u32 b = 1; b < blocks.size(); ++b) {
      u32 now = kNone;
      for (const u32 p : blocks[b].predecessors)
        if (idom[p] != kNone) now = now == kNone ? p : meet(now, p);
      if (idom[b] != now) {
        idom[b] = now;
        changed = true;
      }
    }
  }
  depth.assign(blocks.size(), 0);
  for (u32 b = 1; b < blocks.size(); ++b) {
    if (idom[b] == kNone) idom[b] = 0;  // no way leads there any more
    depth[b] = depth[idom[b]] + 1;
  }
  // Natural loops; a back edge whose target does not dominate its source makes the graph irreducible.
  loop.assign(blocks.size(), kNone);
  loop_depth.assign(blocks.size(), 0);
  outer.assign(blocks.size(), kNone);
  std::vector<u32> headers;
  for (u32 b = 0; b < blocks.size(); ++b)
    for (const u32 p : blocks[b].predecessors)
      if (p >= b) {
        if (!dominates(b, p)) return false;
        if (headers.empty() || headers.back() != b) headers.push_back(b);
      }
  for (const u32 header : headers) {  // outer headers come first
    std::vector<u32> open;
    std::set<u32> body{header};
    for (const u32 p : blocks[header].predecessors)
      if (p >= header && body.insert(p).second) open.push_back(p);
    while (!open.empty()) {
      const u32 b = open.back();
      open.pop_back();
      for (const u32 p : blocks[b].predecessors)
        if (body.insert(p).second) open.push_back(p);
    }
    outer[header] = loop[header];
    for (const u32 b : body) {
      loop[b] = header;
      ++loop_depth[b];
    }
  }
  return true;
}

std::vector<bool> Graph::live() const {
  std::vector<bool> out(nodes.size());
  std::vector<Id>& open = to_walk_;
  open.clear();
  const auto need = [&](Id id) {
    id = resolve(id);
    if (out[id]) return;
    out[id] = true;
    open.push_back(id);
  };
  for (const BasicBlock& block : blocks) {
    for (const Id id : block.effects) {
      const Node& n = nodes[id];
      if (n.op == Op::Load || n.forward != kNone) continue;
      need(id);
    }
    if (block.end.kind == BlockEnd::Kind::Branch) need(block.end.condition);
  }
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    const Node& n = nodes[id];
    // What all lanes have overwritten nobody needs.
    const bool all = n.imm == kRegisterWrite && select(n.op) && is(n.args[0], Op::True);
    for (const Id arg : std::span(n.args).first(all ? 2 : n.args.size())) need(arg);
  }
  return out;
}

std::vector<Id> Graph::in_order(const std::vector<bool>& live) const {
  std::vector<Id> out;
  std::vector<u8> state(nodes.size());  // 1: open, 2: done
  std::vector<std::pair<Id, std::size_t>> stack;
  for (Id start = 0; start < nodes.size(); ++start) {
    if (!live[start] || nodes[start].forward != kNone || state[start] != 0) continue;
    stack.emplace_back(start, 0);
    state[start] = 1;
    while (!stack.empty()) {
      const Id id = stack.back().first;
      const Node& n = nodes[id];
      if (!phi(n.op) && stack.back().second < n.args.size()) {
        const Id arg = resolve(n.args[stack.back().second++]);
        if (state[arg] == 0) {
          state[arg] = 1;
          stack.emplace_back(arg, 0);
        }
        continue;
      }
      state[id] = 2;
      out.push_back(id);
      stack.pop_back();
    }
  }
  return out;
}

void Graph::prune() {
  for (bool changed = true; changed;) {
    changed = false;
    const auto cut = [&](u32 from, u32 to) {
      auto& before = blocks[to].predecessors;
      const auto at = std::ranges::find(before, from);
      const std::ptrdiff_t k = at - before.begin();
      before.erase(at);
      for (const Id id : blocks[to].phis)
        if (nodes[id].forward == kNone) nodes[id].args.erase(nodes[id].args.begin() + k);
      std::erase(blocks[from].successors, to);
      changed = true;
    };
    // A loop that nothing enters has predecessors all the same: itself.
    std::vector<bool> reached(blocks.size());
    std::vector<u32> next{0};
    while (!next.empty()) {
      const u32 b = next.back();
      next.pop_back();
      if (reached[b]) continue;
      reached[b] = true;
      next.insert(next.end(), blocks[b].successors.begin(), blocks[b].successors.end());
    }
    for (u32 b = 0; b < blocks.size(); ++b) {
      BlockEnd& end = blocks[b].end;
      if (!reached[b]) {
        if (blocks[b].successors.empty() && blocks[b].effects.empty()) continue;
        for (const u32 to : std::vector(blocks[b].successors)) cut(b, to);
        blocks[b].effects.clear();
        for (const Id id : blocks[b].phis) nodes[id].args.clear();  // of edges that are cut yet
        blocks[b].phis.clear();
        end = {.kind = BlockEnd::Kind::Return, .offset = end.offset};
        changed = true;
      } else if (end.kind == BlockEnd::Kind::Branch) {
        const Op condition = at(end.condition).op;
        if (condition != Op::True && condition != Op::False) continue;
        const u32 taken = condition == Op::True ? end.yes : end.no, other = condition == Op::True ? end.no : end.yes;
        end = {.kind = BlockEnd::Kind::Jump, .yes = taken, .offset = end.offset};
        cut(b, other);
      }
    }
  }
}

bool Graph::stable(Id id, u32 header) const {
  // As in `every`, but what stands outside of the loop is not looked into.
  next_mark();
  std::vector<Id>& open = to_walk_;
  open.assign({id});
  while (!open.empty()) {
    const Id one = resolve(open.back());
    open.pop_back();
    if (!mark(one)) continue;
    const Node& n = nodes[one];
    if (!spend()) return false;
    if (!phi(n.op) && !effect(n.op)) {
      open.insert(open.end(), n.args.begin(), n.args.end());
    } else if (n.block == header || in_loop(n.block, header)) {
      return false;
    }
  }
  return true;
}
bool Graph::implies(Id mask, Id what, Ids& assumed) const {
  // Ways through nested branches are as many as powers of two; what is true is seen after a few.
  u32 steps = 512;
  return implied(mask, what, assumed, steps);
}
bool Graph::implied(Id mask, Id what, Ids& assumed, u32& steps) const {
  mask = resolve(mask);
  what = resolve(what);
  const Node& n = nodes[mask];
  if (mask == what || n.op == Op::False || is(what, Op::True)) return true;
  if (steps == 0 || !spend()) return false;
  --steps;
  const auto all = [&] {
    return std::ranges::all_of(n.args, [&](Id arg) { return implied(arg, what, assumed, steps); });
  };
  // Each part of it by itself; assumptions are of the whole.
  if (const Node& w = at(what); w.op == Op::BoolAnd && std::ranges::all_of(w.args, [&](Id part) {
                                  Ids other;
                                  return implied(mask, part, other, steps);
                                }))
    return true;
  switch (n.op) {
    case Op::BoolAnd: return implied(n.args[0], what, assumed, steps) || implied(n.args[1], what, assumed, steps);
    case Op::BoolXor:
    case Op::BoolOr: return all();
    case Op::BoolNot: {  // not x and not y: y implies x
      Ids other;
      return is(what, Op::BoolNot) && implied(at(what).args[0], n.args[0], other, steps);
    }
    case Op::PhiBool:
      if (assumed.contains(mask)) return true;
      if (n.args.empty() || assumed.size() > 64 || (loop[n.block] == n.block && !stable(what, n.block))) return false;
      assumed.push_back(mask);
      if (all()) return true;
      assumed.remove(mask);
      return false;
    default: return false;
  }
}

// Whether the branch that leads to a block, or to one in front of it, is taken only where some lane has the mask.
bool Graph::some_lane(Id mask, u32 block, u32 loops) const {
  if (is(mask, Op::True)) return true;
  // The mask of a loop: on every way to it.
  if (const Node& merged = at(mask);
      merged.op == Op::PhiBool && loops != 0 && spend() && dominates(merged.block, block)) {
    const auto& from = blocks[merged.block].predecessors;
    bool all = true;
    for (std::size_t k = 0; all && k < merged.args.size(); ++k) {
      const BlockEnd& end = blocks[from[k]].end;
      Ids assumed;
      all = (end.kind == BlockEnd::Kind::Branch && end.lanes && end.yes == merged.block && end.no != merged.block &&
             implies(end.condition, merged.args[k], assumed)) ||
            some_lane(merged.args[k], from[k], loops - 1);
    }
    if (all) return true;
  }
  for (u32 at = block; at != 0; at = idom[at]) {
    const u32 p = idom[at];
    const BlockEnd& end = blocks[p].end;
    Ids assumed;
    if (end.walked && blocks[p].exec != kNone && implies(blocks[p].exec, mask, assumed)) return true;
    if (blocks[at].predecessors.size() == 1 && end.kind == BlockEnd::Kind::Branch && end.lanes && end.yes == at &&
        end.no != at && implies(end.condition, mask, assumed))
      return true;
  }
  return false;
}

// Whether a mask is made before a block is come to, and is the same in every turn of the loops around it.
bool Graph::made_before(Id mask, u32 block) const {
  return every(mask, [&](const Node& n) {
    if (!phi(n.op) && !effect(n.op)) return true;
    if (n.block == block || !dominates(n.block, block)) return false;
    for (u32 header = loop[block]; header != kNone; header = outer[header])
      if (n.block == header || in_loop(n.block, header)) return false;
    return true;
  });
}

void Graph::look_closely(bool closely) {
  closely_ = closely;
  of_lanes_.clear();
}

// What a phi is that was just made: another one that is made alike, or what it is on all ways.
Id Graph::alike(Id phi) {
  const auto same = [&](Id a, Id b) { return resolve(a) == resolve(b); };
  const Ids& args = nodes[phi].args;
  Id out = resolve(args[0]);
  if (out == phi || !std::ranges::all_of(args, [&](Id arg) { return same(arg, out); })) {
    const auto known = std::ranges::find_if(blocks[nodes[phi].block].phis, [&](Id other) {
      return other != phi && nodes[other].forward == kNone && nodes[other].op == nodes[phi].op &&
             std::ranges::equal(nodes[other].args, args, same);
    });
    if (known == blocks[nodes[phi].block].phis.end()) return phi;
    out = *known;
  }
  forwards_others_ = true;
  return nodes[phi].forward = out;
}

// What lanes of a mask choose by: a comparison they all made has their own bits only. `depth`: of terms that are looked
// at.
Id Graph::bit_for_lanes(Id id, Id mask, u32 terms) {
  id = resolve(id);
  if (terms == 0 || !is(id, Op::BoolAnd) || !spend()) return id;
  const Node n = nodes[id];
  for (const std::size_t k : {0u, 1u})
    if (Ids assumed; implies(mask, n.args[k], assumed)) return bit_for_lanes(n.args[1 - k], mask, terms - 1);
  const Id left = bit_for_lanes(n.args[0], mask, terms - 1), right = bit_for_lanes(n.args[1], mask, terms - 1);
  if (left == resolve(n.args[0]) && right == resolve(n.args[1])) return id;
  return resolve(make(Op::BoolAnd, {left, right}));
}
// A value as lanes of a mask have it: without what registers of others hold.
Id Graph::for_lanes(Id id, Id mask) {
  id = resolve(id);
  mask = resolve(mask);
  const u64 key = u64{id} << 32 | mask;
  const auto known = of_lanes_.find(key);
  if (known != of_lanes_.end()) return known->second;
  const Node n = nodes[id];
  // Masks are of all lanes; a comparison of numbers is each lane's own.
  const OpInfo& op = info(n.op);
  const bool bits = op.result == Bool && (n.args.empty() || op.arguments.find_first_of("b*") != op.arguments.npos);
  if (!spend() || is(mask, Op::True) || effect(n.op) || n.op == Op::Loaded || bits || n.op == Op::PhiBool) return id;
  // Scalar registers, and what other lanes have, or have been given.
  if ((phi(n.op) && n.scalar) || n.op == Op::MaskWord || n.op == Op::FirstLane || n.op == Op::ReadLane ||
      n.op == Op::WriteLane)
    return id;
  const auto among = [&](Id what) {
    Ids assumed;
    return implies(mask, what, assumed);
  };
  if (phi(n.op)) {
    // A mask of the same block says which lanes came from where.
    const auto& phis = blocks[n.block].phis;
    const auto of_block = std::ranges::find_if(phis, [&](Id phi) {
      return nodes[phi].forward == kNone && nodes[phi].op == Op::PhiBool && nodes[phi].args.size() == n.args.size() &&
             among(phi);
    });
    const bool before = of_block == phis.end() && made_before(mask, n.block);
    if (of_block == phis.end() && !before) {
      // What these lanes have is the same whichever way they came; each turn of a loop has its own.
      of_lanes_[key] = id;
      const auto& from = blocks[n.block].predecessors;
      if (!closely_ || std::ranges::any_of(from, [&](u32 one) { return one >= n.block; })) return id;
      Id only = kNone;
      for (const Id arg : n.args) {
        const Id own = resolve(for_lanes(arg, mask));
        if (only != kNone && own != only) return id;
        only = own;
      }
      return of_lanes_[key] = only;
    }
    Ids masks = before ? Ids(n.args.size(), mask) : nodes[*of_block].args;
    if (const Node both = nodes[mask]; closely_ && !before && both.op == Op::BoolAnd)
      for (const std::size_t k : {0u, 1u})
        if (resolve(both.args[k]) == *of_block && known_at(both.args[1 - k], n.block))
          for (Id& one : masks) one = make(Op::BoolAnd, {both.args[1 - k], one});
    const Id out = add({.op = n.op, .type = n.type, .block = n.block, .offset = n.offset, .scalar = n.scalar});
    of_lanes_[key] = out;
    blocks[n.block].phis.push_back(out);
    Ids args;
    for (std::size_t k = 0; k < n.args.size(); ++k) args.push_back(for_lanes(n.args[k], masks[k]));
    nodes[out].args = std::move(args);
    return closely_ ? of_lanes_[key] = alike(out) : out;
  }
  if (select(n.op) && n.imm == kRegisterWrite) {
    if (among(n.args[0])) return of_lanes_[key] = for_lanes(n.args[1], mask);
    if (closely_ && outside(mask, n.args[0], 6)) return of_lanes_[key] = for_lanes(n.args[2], mask);
  }
  Ids args;
  for (const Id arg : n.args) args.push_back(for_lanes(arg, mask));
  constexpr u32 kMostTerms = 16;
  if (select(n.op)) args[0] = bit_for_lanes(args[0], mask, kMostTerms);
  const bool same = std::ranges::equal(args, n.args, [&](Id a, Id b) { return a == resolve(b); });
  return of_lanes_[key] = same ? id : make(n.op, std::move(args), n.imm, n.block);
}

// Whether what a mask is made of is known wherever control comes to a block, of the same turn of all loops.
bool Graph::known_at(Id mask, u32 block) const {
  Seen seen;
  std::vector<Id> open{resolve(mask)};
  while (!open.empty()) {
    const Id one = open.back();
    open.pop_back();
    const Node& n = nodes[one];
    if (!seen.insert(one)) continue;
    if (!spend()) return false;
    if (phi(n.op) || effect(n.op)) {
      if (n.block == block || !dominates(n.block, block)) return false;
      continue;
    }
    for (const Id arg : n.args) open.push_back(resolve(arg));
  }
  return true;
}

Id Graph::bits_for(Id id, Id lanes, std::map<Id, Id>& known, u32 steps) {
  id = resolve(id);
  if (const auto at = known.find(id); at != known.end()) return at->second;
  if (steps == 0 || !spend()) return id;
  Ids assumed;
  if (implies(lanes, id, assumed)) return known[id] = boolean(true);
  if (contradict(lanes, id)) return known[id] = boolean(false);
  const Node n = nodes[id];
  const bool merges = n.op == Op::PhiBool;
  if (!merges && n.op != Op::BoolAnd && n.op != Op::BoolOr && n.op != Op::BoolNot) return id;
  if (merges) {  // each turn of a loop has masks of its own
    const auto& from = blocks[n.block].predecessors;
    if (std::ranges::any_of(from, [&](u32 one) { return one >= n.block; }) || !known_at(lanes, n.block))
      return known[id] = id;
  }
  Ids args;
  for (const Id arg : n.args) args.push_back(bits_for(arg, lanes, known, steps - 1));
  if (std::ranges::equal(args, n.args, {}, {}, [&](Id arg) { return resolve(arg); })) return known[id] = id;
  if (!merges) return known[id] = resolve(make(n.op, std::move(args), n.imm, n.block));
  const Id out = add({.op = n.op, .type = n.type, .block = n.block, .offset = n.offset});
  nodes[out].args = std::move(args);
  blocks[n.block].phis.push_back(out);
  return known[id] = out;
}

void Graph::narrow_masks() {
  constexpr u32 kDeep = 12;
  const std::vector<bool> needed = live();
  bool changed = false;
  for (Id id = 0; id < needed.size(); ++id) {
    const Node n = nodes[id];
    if (!needed[id] || n.forward != kNone || n.op != Op::BoolAnd) continue;
    for (const std::size_t k : {0u, 1u}) {
      const Id lanes = resolve(n.args[k]), other = resolve(n.args[1 - k]);
      if (nodes[other].op != Op::PhiBool && nodes[other].op != Op::BoolOr) continue;
      std::map<Id, Id> known;
      const Id bits = bits_for(other, lanes, known, kDeep);
      if (bits == other) continue;
      nodes[id].forward = make(Op::BoolAnd, {lanes, bits}, 0, n.block);
      changed = true;
      break;
    }
  }
  if (changed) simplify(false);
}

bool Graph::same_for_launch(Id id) const {
  return every(id, [](const Node& n) {
    switch (n.op) {
      case Op::FirstLane:
      case Op::AnyLane:
      case Op::Undefined:
      case Op::Table:
      case Op::Load: return false;
      default: return !of_a_lane(n.op);
    }
  });
}

// The mask of whose lanes another one has the first: those before which no lane of it comes. LLVM lets that lane do an
// atomic operation for all. `kNone`: it is none.
Id Graph::first_of(Id mask) {
  const Node both = at(mask);
  if (both.op != Op::BoolAnd && both.op != Op::EqU) return kNone;
  // Whether it counts the lanes of a mask, by its halves, that come before one.
  const auto counts = [&](Id id, Id of, u32 half) {
    const Node& count = at(id);
    if (count.op != Op::PopCount || !is(count.args[0], Op::And)) return false;
    const auto& terms = at(count.args[0]).args;
    for (const std::size_t k : {0u, 1u}) {
      const Node &word = at(terms[k]), &below = at(terms[1 - k]);
      if (word.op == Op::MaskWord && word.imm == half && resolve(word.args[0]) == of && below.op == Op::LanesBelow &&
          below.imm == half)
        return true;
    }
    return false;
  };
  for (const std::size_t k : {0u, 1u}) {
    const bool all = both.op == Op::EqU;
    const Id of = all ? resolve(boolean(true)) : resolve(both.args[1 - k]);
    const Node none = all ? both : at(both.args[k]);
    if (none.op != Op::EqU || value(none.args[1]) != 0u) continue;
    const Id own = resolve(for_lanes(none.args[0], of));
    if (!is(own, Op::Add)) continue;
    const auto& sum = at(own).args;
    if ((counts(sum[0], of, 0) && counts(sum[1], of, 1)) || (counts(sum[0], of, 1) && counts(sum[1], of, 0))) return of;
  }
  return kNone;
}

void Graph::ask_scalars() {
  bool changed = false, taken = false;
  std::map<Id, Id> firsts;  // the mask of the first lane of each
  const bool counted = std::ranges::any_of(nodes, [](const Node& n) { return n.op == Op::LanesBelow; });
  const u32 loops = counted ? 4 : 0;
  for (Id id = 0, count = static_cast<Id>(nodes.size()); counted && id < count; ++id)
    if ((nodes[id].op == Op::BoolAnd || nodes[id].op == Op::EqU) && nodes[id].forward == kNone)
      if (const Id of = first_of(id); of != kNone) firsts.emplace(of, id);
  // What the first lane has is what lanes that are on have, if there are any.
  for (Id id = 0, count = static_cast<Id>(nodes.size()); id < count; ++id) {
    const Node n = nodes[id];
    if (n.op != Op::FirstLane || n.forward != kNone || !some_lane(n.args[0], n.block, loops)) continue;
    const auto first = firsts.find(resolve(n.args[0]));
    const Id own = for_lanes(n.args[1], first == firsts.end() ? n.args[0] : first->second);
    if (own == resolve(n.args[1])) continue;
    nodes[id].args[1] = own;
    changed = true;
  }
  for (u32 b = 1; b < blocks.size(); ++b) {
    const BlockEnd end = blocks[b].end;
    if (end.kind != BlockEnd::Kind::Branch || !end.lanes) continue;
    if (const Id of = counted ? first_of(end.condition) : kNone; of != kNone && some_lane(of, b, loops)) {
      blocks[b].end.condition = boolean(true);
      blocks[b].end.lanes = false;
      taken = true;
      continue;
    }
    const Node both = at(end.condition);
    if (both.op != Op::BoolAnd) continue;
    for (const std::size_t k : {0u, 1u}) {
      const Id mask = resolve(both.args[k]), asked = resolve(both.args[1 - k]);
      const Node n = nodes[asked];
      if (phi(n.op) || n.args.size() != 2 || !some_lane(mask, b)) continue;
      const Id left = for_lanes(n.args[0], mask), right = for_lanes(n.args[1], mask);
      const Id own = make(n.op, {left, right}, n.imm, n.block);
      if (!same_for_launch(own)) continue;
      blocks[b].end.condition = own;
      blocks[b].end.lanes = false;
      changed = true;
      break;
    }
  }
  if (taken)
    cut();
  else if (changed)
    simplify(false);
}

void Graph::cut() {
  prune();
  static_cast<void>(dominators());
  simplify(false);
}

// An empty block of that number; those from it on move up.
void Graph::insert_block(u32 at) {
  const auto moved = [&](u32& block) { block += block != kNone && block >= at ? 1 : 0; };
  for (Node& n : nodes) moved(n.block);
  for (BasicBlock& block : blocks) {
    for (u32& b : block.predecessors) moved(b);
    for (u32& b : block.successors) moved(b);
    moved(block.end.yes);
    moved(block.end.no);
  }
  blocks.insert(blocks.begin() + at, BasicBlock{});
  share_anew();
}
// What is shared, anew: blocks or values have other numbers. What the same has become of while some of its arguments
// were not known is one.
void Graph::share_anew() {
  shared_.clear(nodes.size());
  for (Id id = 0; id < nodes.size(); ++id) {
    Node& n = nodes[id];
    if (n.forward != kNone || phi(n.op) || effect(n.op)) continue;
    Shared::Entry& known = entry_of(n.op, n.imm, n.block, n.args);
    if (known.id == kNone) {
      known.id = id;
    } else {
      n.forward = known.id;
      forwards_others_ = true;
    }
  }
}
void Graph::merge_tails() {
  bool changed = false;
  for (u32 b = 1; b < blocks.size(); ++b) {
    if (blocks[b].end.kind != BlockEnd::Kind::Branch) continue;
    for (u32 a = 1; a < b; ++a) {
      const BlockEnd end = blocks[b].end, &other = blocks[a].end;
      if (!spend()) return;
      if (other.kind != BlockEnd::Kind::Branch || other.lanes != end.lanes || other.yes != end.yes ||
          other.no != end.no || end.yes == end.no || resolve(other.condition) != resolve(end.condition) ||
          std::min(end.yes, end.no) <= b)
        continue;
      const u32 join = b + 1;
      insert_block(join);
      BasicBlock& own = blocks[join];
      own.end = blocks[b].end;
      own.first = blocks[b].end.offset;
      own.exec = resolve(blocks[a].exec) == resolve(blocks[b].exec) ? blocks[a].exec : kNone;
      own.predecessors = {a, b};
      own.successors = blocks[b].successors;
      for (const u32 from : {a, b}) {
        blocks[from].end = {.kind = BlockEnd::Kind::Jump, .yes = join, .offset = blocks[from].end.offset};
        blocks[from].successors = {join};
      }
      for (const u32 to : own.successors) {
        auto& before = blocks[to].predecessors;
        const auto place = [&](u32 from) { return std::ranges::find(before, from) - before.begin(); };
        const std::ptrdiff_t one = place(a), two = place(b);
        for (const Id id : std::vector(blocks[to].phis)) {
          if (nodes[id].forward != kNone) continue;
          const Node phi = nodes[id];
          Id arg = phi.args[static_cast<std::size_t>(one)];
          const Id second = phi.args[static_cast<std::size_t>(two)];
          if (resolve(arg) != resolve(second)) {
            const Ids both{arg, second};
            arg = add({.op = phi.op,
                       .type = phi.type,
                       .block = join,
                       .offset = phi.offset,
                       .args = both,
                       .scalar = phi.scalar});
            blocks[join].phis.push_back(arg);
          }
          nodes[id].args[static_cast<std::size_t>(one)] = arg;
          nodes[id].args.erase(nodes[id].args.begin() + two);
        }
        before[static_cast<std::size_t>(one)] = join;
        before.erase(before.begin() + two);
      }
      changed = true;
      break;
    }
  }
  if (!changed) return;
  static_cast<void>(dominators());
  simplify(false);
}

u32 Graph::part_arm(u32 arm, std::size_t effect) {
  if (blocks[arm].predecessors.size() != 1 || !blocks[arm].phis.empty()) return kNone;
  const u32 above = blocks[arm].predecessors.front();
  const BlockEnd question = blocks[above].end;
  const u32 other = question.yes == arm ? question.no : question.yes;
  if (question.kind != BlockEnd::Kind::Branch || other <= arm) return kNone;
  const auto half = blocks[arm].effects.begin() + static_cast<std::ptrdiff_t>(effect);
  const std::vector<Id> before(blocks[arm].effects.begin(), half), behind(half, blocks[arm].effects.end());
  // What the first half gives has to have a name in the second.
  std::vector<bool> given(nodes.size());
  for (const Id id : before)
    if (nodes[id].op == Op::Load || nodes[id].op == Op::Atomic) given[id] = true;
  std::vector<Id> carried;
  for (const Id id : before) {
    if (!given[id]) continue;
    if (wide(nodes[id].type)) return kNone;
    if (accesses[nodes[id].access].components == 1) carried.push_back(id);
  }
  const std::vector<Id> order = in_order(live());
  for (const Id id : order)
    if (nodes[id].op == Op::Loaded && given[resolve(nodes[id].args[0])]) carried.push_back(id);

  const u32 middle = arm + 1, second = arm + 2, rest = other + 2;
  insert_block(middle);
  insert_block(second);
  for (const Id id : behind) nodes[id].block = second;
  const auto turned = [&](u32 to) { return to == arm ? second : rest; };
  BasicBlock& was = blocks[arm];
  BasicBlock& now = blocks[second];
  now.predecessors = {middle};
  now.successors = std::exchange(was.successors, {middle});
  now.end = std::exchange(was.end, {.kind = BlockEnd::Kind::Jump, .yes = middle, .offset = was.end.offset});
  now.effects = behind;
  now.exec = was.exec;
  now.first = was.first;
  was.effects = before;
  for (const u32 to : now.successors) std::ranges::replace(blocks[to].predecessors, arm, second);
  BasicBlock& between = blocks[middle];
  between.predecessors = {above, arm};
  for (const u32 to : blocks[above].successors) between.successors.push_back(turned(to));
  between.end = blocks[above].end;
  between.end.yes = turned(between.end.yes);
  between.end.no = turned(between.end.no);
  between.exec = blocks[above].exec;
  between.first = now.first;
  std::ranges::replace(blocks[rest].predecessors, above, middle);
  for (u32* const to : {&blocks[above].end.yes, &blocks[above].end.no})
    if (*to == rest) *to = middle;
  std::ranges::replace(blocks[above].successors, rest, middle);

  // Values behind the first half, where they are others there.
  std::vector<Id> as(nodes.size(), kNone);
  const auto renewed = [&](Id id) { return as[resolve(id)] == kNone ? id : as[resolve(id)]; };
  const Id unset = make(Op::Undefined);
  for (const Id id : carried) {
    const Node& n = nodes[id];
    as[id] = add({.op = Op::Phi, .type = n.type, .block = middle, .offset = n.offset, .args = {unset, id}});
    blocks[middle].phis.push_back(as[id]);
  }
  for (const Id id : order) {
    if (phi(nodes[id].op) || this->effect(nodes[id].op) || as[id] != kNone) continue;
    if (std::ranges::any_of(nodes[id].args, [&](Id arg) { return as[resolve(arg)] != kNone; })) {
      Node copy = nodes[id];
      for (Id& arg : copy.args) arg = renewed(arg);
      if (copy.block == arm) copy.block = second;
      as[id] = add(std::move(copy));
    } else if (nodes[id].block == arm) {
      nodes[id].block = above;  // the first half does not come before all of its uses any more
    }
  }
  for (u32 b = 0; b < blocks.size(); ++b) {
    BasicBlock& block = blocks[b];
    if (b != arm && b != middle)
      for (const auto* const list : {&block.phis, &block.effects})
        for (const Id id : *list)
          for (Id& arg : nodes[id].args) arg = renewed(arg);
    if (block.end.kind == BlockEnd::Kind::Branch) block.end.condition = renewed(block.end.condition);
    if (block.exec != kNone) block.exec = renewed(block.exec);
  }
  static_cast<void>(dominators());
  return middle;
}

std::set<u32> Graph::joins(u32 b) const {
  std::set<u32> out;
  std::vector<u32> label(blocks.size(), kNone);
  const auto arrive = [&](u32 block, u32 as) {
    if (label[block] == kNone) {
      label[block] = as;
    } else if (label[block] != as) {
      label[block] = block;
      out.insert(block);
    }
  };
  for (const u32 s : blocks[b].successors) arrive(s, s);
  for (u32 n = b + 1; n < blocks.size(); ++n)
    if (label[n] != kNone)
      for (const u32 s : blocks[n].successors) arrive(s, label[n]);
  return out;
}

// Conditions that are the same in every turn of the loops whose headers merge them, if they are in the turn before.
void Graph::settle_turns() {
  std::unordered_map<Id, bool> settled;
  for (u32 b = 0; b < blocks.size(); ++b) {
    if (loop[b] != b) continue;
    for (const Id id : blocks[b].phis) {
      const Node& n = nodes[id];
      if (n.forward != kNone || n.op != Op::PhiBool) continue;
      std::optional<bool> first;
      bool same = true;
      for (std::size_t k = 0; k < n.args.size(); ++k) {
        if (blocks[b].predecessors[k] >= b) continue;
        const Op op = at(n.args[k]).op;
        same = same && (op == Op::True || op == Op::False) && first.value_or(op == Op::True) == (op == Op::True);
        first = op == Op::True;
      }
      if (same && first) settled.emplace(id, *first);
    }
  }
  // What follows for a condition; nothing: it is not known.
  std::unordered_map<Id, std::optional<bool>> known;
  constexpr u32 kDeepest = 200;
  u32 nested = 0;
  const auto follows = [&](Id id, auto& self) -> std::optional<bool> {
    id = resolve(id);
    if (const auto at = settled.find(id); at != settled.end()) return at->second;
    const Node& n = nodes[id];
    if (n.op == Op::True || n.op == Op::False) return n.op == Op::True;
    if (info(n.op).result != Bool || nested == kDeepest || !spend()) return std::nullopt;
    const auto [at, is_new] = known.try_emplace(id);
    if (!is_new) return at->second;
    ++nested;
    std::optional<bool> out;
    switch (n.op) {
      case Op::BoolNot:
        if (const auto inner = self(n.args[0], self)) out = !*inner;
        break;
      case Op::BoolAnd:
      case Op::BoolOr: {
        const bool absorbing = n.op == Op::BoolOr;
        const auto a = self(n.args[0], self), b = self(n.args[1], self);
        if (a == absorbing || b == absorbing)
          out = absorbing;
        else if (a && b)
          out = !absorbing;
        break;
      }
      case Op::PhiBool: {
        bool same = true;
        for (const Id arg : n.args) {
          const auto one = self(arg, self);
          same = same && one && out.value_or(*one) == *one;
          out = one;
        }
        if (!same) out.reset();
        break;
      }
      default: break;
    }
    --nested;
    return known[id] = out;
  };
  for (bool changed = true; changed && !settled.empty();) {
    changed = false;
    known.clear();
    for (auto one = settled.begin(); one != settled.end();) {
      const auto [id, value] = *one;
      const auto& args = nodes[id].args;
      const bool stays = std::ranges::all_of(args, [&, is = value](Id arg) { return follows(arg, follows) == is; });
      if (!stays) known.clear();
      changed = changed || !stays;
      one = stays ? std::next(one) : settled.erase(one);
    }
  }
  if (settled.empty()) return;
  for (const auto& [id, value] : settled) nodes[id].forward = resolve(boolean(value));
  simplify(true);
  skip_empty();
  for (const BasicBlock& block : blocks)
    for (const Id id : block.phis)
      if (nodes[id].forward == kNone && !nodes[id].args.empty()) static_cast<void>(alike(id));
  simplify(true);
}

// Ways through blocks in which nothing happens lead past them.
void Graph::skip_empty() {
  for (u32 b = 1; b < blocks.size(); ++b) {
    BasicBlock& block = blocks[b];
    const auto nothing = [&](Id id) { return nodes[id].forward != kNone; };
    if (block.end.kind != BlockEnd::Kind::Jump || block.end.yes <= b || block.predecessors.size() != 1 ||
        !std::ranges::all_of(block.effects, nothing) || !std::ranges::all_of(block.phis, nothing))
      continue;
    BasicBlock &from = blocks[block.predecessors[0]], &to = blocks[block.end.yes];
    if (std::ranges::find(to.predecessors, block.predecessors[0]) != to.predecessors.end()) continue;
    std::ranges::replace(to.predecessors, b, block.predecessors[0]);
    std::ranges::replace(from.successors, b, block.end.yes);
    for (u32* const way : {&from.end.yes, &from.end.no})
      if (from.end.kind != BlockEnd::Kind::Return && *way == b) *way = block.end.yes;
    block.predecessors.clear();
    block.successors.clear();
    block.end = {.kind = BlockEnd::Kind::Return, .offset = block.end.offset};
  }
  static_cast<void>(dominators());
}

void Graph::compact() {
  std::vector<Id> now(nodes.size(), kNone), open;
  const auto need = [&](Id id) {
    if (id == kNone) return;
    id = resolve(id);
    if (now[id] != kNone) return;
    now[id] = 0;
    open.push_back(id);
  };
  for (const BasicBlock& block : blocks) {
    need(block.exec);
    if (block.end.kind == BlockEnd::Kind::Branch) need(block.end.condition);
    for (const Id id : block.effects)
      if (nodes[id].forward == kNone && nodes[id].op != Op::Load) need(id);
    // Masks of a block say which lanes came from where.
    for (const Id id : block.phis)
      if (nodes[id].op == Op::PhiBool) need(id);
  }
  for (const Id id : going_along) need(id);
  while (!open.empty()) {
    const Id id = open.back();
    open.pop_back();
    for (const Id arg : nodes[id].args) need(arg);
  }
  Id count = 0;
  for (Id id = 0; id < nodes.size(); ++id)
    if (now[id] != kNone) now[id] = count++;
  const auto moved = [&](Id& id) {
    if (id != kNone) id = now[resolve(id)];
  };
  for (BasicBlock& block : blocks) {
    moved(block.exec);
    moved(block.end.condition);
    for (auto* const list : {&block.effects, &block.phis}) {
      std::erase_if(*list, [&](Id id) { return nodes[id].forward != kNone || now[id] == kNone; });
      for (Id& id : *list) id = now[id];
    }
  }
  for (Id& id : going_along) moved(id);
  for (Id id = 0; id < nodes.size(); ++id)
    if (now[id] != kNone)
      for (Id& arg : nodes[id].args) moved(arg);
  for (Id id = 0; id < nodes.size(); ++id)
    if (now[id] != kNone && now[id] != id) nodes[now[id]] = std::move(nodes[id]);
  nodes.erase(nodes.begin() + count, nodes.end());
  share_anew();
  const auto halves = std::exchange(wide_, {});
  for (const auto& [words, whole] : halves)
    if (now[words.first] != kNone && now[words.second] != kNone && now[whole] != kNone)
      wide_[{now[words.first], now[words.second]}] = now[whole];
  const auto joins = std::exchange(joined_, {});
  for (const auto& [words, join] : joins) {
    const Id low = now[words >> 32], high = now[words & kNone], whole = join.first == kNone ? kNone : now[join.first];
    if (low != kNone && high != kNone && whole != kNone) joined_[u64{low} << 32 | high] = {whole, join.second};
  }
  of_lanes_.clear();
}

void Graph::sink() {
  const std::vector<bool> needed = live();
  const std::vector<Id> order = in_order(needed);
  std::vector<u32> at(nodes.size(), kNone);
  const auto meet = [&](u32 a, u32 b) {
    while (a != b) (depth[a] >= depth[b] ? a : b) = idom[depth[a] >= depth[b] ? a : b];
    return a;
  };
  const auto use = [&](Id id, u32 block) {
    at[resolve(id)] = at[resolve(id)] == kNone ? block : meet(at[resolve(id)], block);
  };
  for (u32 b = 0; b < blocks.size(); ++b)
    if (blocks[b].end.kind == BlockEnd::Kind::Branch) use(blocks[b].end.condition, b);
  for (Id id = 0; id < nodes.size(); ++id) {
    const Node& n = nodes[id];
    if (!needed[id] || n.forward != kNone) continue;
    for (std::size_t k = 0; k < n.args.size(); ++k)
      if (phi(n.op))
        use(n.args[k], blocks[n.block].predecessors[k]);
      else if (effect(n.op))
        use(n.args[k], n.block);
  }
  for (std::size_t n = order.size(); n-- > 0;) {
    Node& node = nodes[order[n]];
    if (phi(node.op) || effect(node.op) || at[order[n]] == kNone) continue;
    for (const Id arg : node.args) use(arg, at[order[n]]);
    if (choice(node.op)) node.block = at[order[n]];
  }
}

}  // namespace amdcompat::lift
