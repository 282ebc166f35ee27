// Whose memory an access goes to.
//
// A CL1 kernel adds the word that its runtime put into the slot of a pointer, and accesses the sum through a
// descriptor. The lift has the pointer itself as a parameter, so it takes that word out of the sum: what is left is the
// distance from the parameter in bytes. That is right where the word is a term of the sum once and nothing else is done
// with it; everything else is refused. With the 64-bit ABI the slot holds a real address, and so does the parameter.
#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include <amdcompat/cl2_launch.hpp>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

constexpr u32 kTableEntry[] = {16, 32, 32, 16, 16};  // bytes, by kind
constexpr u32 kDataSegmentWord = 32;  // of constant buffer 0: where the data segment is

const PointerInfo* pointer_of(const Argument& argument) {
  return std::visit(
      [](const auto& kind) -> const PointerInfo* {
        if constexpr (std::is_base_of_v<PointerInfo, std::decay_t<decltype(kind)>>) return &kind;
        return nullptr;
      },
      argument.kind);
}

class Finder {
 public:
  Finder(Graph& graph, const Source& source) : g_(graph), source_(source) {
    const auto& arguments = source.kernel.arguments;
    for (std::size_t n = 0; n < arguments.size(); ++n)
      if (const auto at = place_of(arguments[n]); at && is_address(arguments[n]))
        by_offset_[static_cast<u32>(*at)] = static_cast<i32>(n);
  }

  void run() {
    open_image_choices(g_);
    settle_addresses(g_);
    use_low_words();
    find_carriers();
    if (g_.wave && look_at_lanes()) find_carriers();
    if (split_choices()) find_carriers();
    if (forget_beyond()) find_carriers();
    if (forget_high_words()) find_carriers();
    if (forget_mixed()) find_carriers();
    drop_checks();
    // In order, so that no call goes deep.
    for (const Id id : g_.in_order(g_.live()))
      if (carries(id) != kNothing && carries(id) != kMixed) strip(id);
    finish();
    for (u32 b = 0; b < g_.blocks.size() && !g_.refusal; ++b)
      for (std::size_t n = 0; n < g_.blocks[b].effects.size() && !g_.refusal; ++n) {
        const Id id = g_.blocks[b].effects[n];
        const Node& node = g_.nodes[id];
        if (node.forward != kNone || node.op == Op::Barrier) continue;
        if (node.op == Op::Load && !needed(id, node)) continue;
        place(id);
      }
    if (g_.refusal) return;
    g_.simplify(!g_.wave);
    g_.sink();
    g_.simplify(!g_.wave);
    forget_unknown_halves();
    forget_upper_halves();
    forget_unchosen();
    forget_left_over();
    // What is left of the words of pointers is used as a number.
    const std::vector<bool> live = g_.live();
    if (const Id bad = local_address_kept(live); bad != kNone)
      return g_.refuse(Code::LiftAddress, g_.nodes[bad].offset, "keeps the address of local memory in memory");
    for (Id id = 0; id < g_.nodes.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live[id] || n.forward != kNone) continue;
      // The address of a buffer is a number in OpenCL C too.
      const bool local = n.op == Op::ArgumentWord && carrier_of(n) >= 0 && is_local(carrier_of(n));
      const bool buffer = n.op == Op::Pointer && !by_reference(source_.kernel.arguments[n.imm]);
      if (carrier_of(n) != kNothing && !buffer && !local)
        return g_.refuse(Code::LiftAddress, n.offset, "uses an address as a number");
      if (n.op == Op::Resource || n.op == Op::Table)
        return g_.refuse(Code::LiftAddress, n.offset, "uses a descriptor as a number");
      if (n.op == Op::Aperture)
        return g_.refuse(Code::LiftAddress, n.offset,
                         "uses where local memory is among addresses otherwise than to access it");
    }
    forget_rounding(g_);
    find_texels(g_, source_);
  }

 private:
  // Addresses of local memory that are the low words of sums of 64 bits, whose high words are anything: compilers have
  // one instruction that multiplies and adds.
  void use_low_words() {
    for (const BasicBlock& block : g_.blocks)
      for (const Id id : block.effects)
        if (const Node& node = g_.nodes[id];
            node.forward == kNone && node.op != Op::Barrier && g_.accesses[node.access].room == Room::Local) {
          const Id address = low_words(node.args[1], 8);
          g_.nodes[id].args[1] = address;
        }
  }
  Id low_words(Id id, u32 depth) {
    id = g_.resolve(id);
    const Node n = g_.nodes[id];
    if (depth == 0 || (n.op != Op::Add && n.op != Op::Sub && n.op != Op::Low)) return id;
    if (n.op == Op::Low) {
      const bool known = g_.is(n.args[0], Op::Add64) || g_.is(n.args[0], Op::Shl64);
      return known ? low_word(n.args[0], depth - 1) : id;
    }
    const Id a = low_words(n.args[0], depth - 1), b = low_words(n.args[1], depth - 1);
    const bool same = a == g_.resolve(n.args[0]) && b == g_.resolve(n.args[1]);
    return same ? id : g_.resolve(g_.make(n.op, {a, b}));
  }
  Id low_word(Id id, u32 depth) {
    const Node n = g_.at(id);
    if (n.op == Op::Join) return low_words(n.args[0], depth);
    if (n.op == Op::MulWideU || n.op == Op::MulWideI) return g_.resolve(g_.make(Op::Mul, {n.args[0], n.args[1]}));
    if (n.op == Op::Shl64 && g_.is(n.args[0], Op::Join) && g_.value(n.args[1]).value_or(32) < 32)
      return g_.resolve(g_.make(Op::Shl, {g_.at(n.args[0]).args[0], n.args[1]}));
    if (n.op != Op::Add64 || depth == 0) return g_.resolve(g_.make(Op::Low, {id}));
    const Id a = low_word(n.args[0], depth - 1), b = low_word(n.args[1], depth - 1);
    return g_.resolve(g_.make(Op::Add, {a, b}));
  }
  // Whose address a value is a distance from: an argument, data segment `kFirstData - n`, nothing, or not one thing.
  static constexpr i32 kNothing = -1, kMixed = -3, kOpen = -4, kScratchStart = -5, kArguments = -6, kFirstData = -16;

  // Compilers of 32-bit code ask whether an address is below the last byte of all: that of an object is.
  void drop_checks() {
    for (Id id = 0; id < carried_.size(); ++id) {
      Node& n = g_.nodes[id];
      if (n.op == Op::LtU && n.forward == kNone && carries(n.args[0]) >= 0 && g_.value(n.args[1]) == ~0u)
        n.forward = g_.boolean(true);
    }
  }
  // Registers of lanes that are off hold something else. Where an address seems to be of several parts, it is looked at
  // as the lanes have it that make the access.
  bool look_at_lanes() {
    bool changed = false;
    for (const BasicBlock& block : g_.blocks)
      for (const Id id : block.effects) {
        const Node node = g_.nodes[id];
        if (node.forward != kNone || node.op == Op::Barrier || g_.accesses[node.access].room != Room::Local) continue;
        if (carries(node.args[1]) != kMixed) continue;
        const Id own = g_.for_lanes(node.args[1], node.args[0]);
        changed = changed || own != g_.resolve(node.args[1]);
        g_.nodes[id].args[1] = own;
      }
    if (changed) g_.simplify(false);
    return changed;
  }
  // What keeps the address of a `__local` argument, or gives it to other lanes: it would come back as a number, and is
  // another one than the machine code's. A merge is one if all that merges is; else it is a register that is used
  // again. `kNone`: there is none.
  Id local_address_kept(const std::vector<bool>& live) const {
    if (std::ranges::none_of(g_.nodes, [&](const Node& n) {
          return n.op == Op::ArgumentWord && carrier_of(n) >= 0 && is_local(carrier_of(n));
        }))
      return kNone;
    std::vector<bool> address(g_.nodes.size());
    std::vector<Id> all;
    const auto is_live = [&](Id id) { return id < live.size() && live[id] && g_.nodes[id].forward == kNone; };
    for (const Id id : g_.in_order(live)) {
      const Node& n = g_.nodes[id];
      if (!is_live(id) || g_.effect(n.op) || n.op == Op::Loaded || info(n.op).result == Bool) continue;
      const bool own = n.op == Op::ArgumentWord && carrier_of(n) >= 0 && is_local(carrier_of(n));
      // What loops give is not known yet.
      if (!own && !Graph::phi(n.op) && std::ranges::none_of(n.args, [&](Id arg) { return address[g_.resolve(arg)]; }))
        continue;
      address[id] = true;
      all.push_back(id);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (const Id id : all) {
        const Node& n = g_.nodes[id];
        if (!address[id] || n.op == Op::ArgumentWord || !g_.spend()) continue;
        const bool choice = Graph::select(n.op), merge = choice || Graph::phi(n.op);
        const auto is = [&](Id arg) { return address[g_.resolve(arg)] || (merge && g_.is(arg, Op::Undefined)); };
        const auto args = std::span(n.args).subspan(choice ? 1 : 0);
        if (merge ? std::ranges::all_of(args, is) : std::ranges::any_of(args, is)) continue;
        address[id] = false;
        changed = true;
      }
    }
    // Phis of each other are none by themselves.
    std::vector<bool> kept(g_.nodes.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (const Id id : all) {
        const Node& n = g_.nodes[id];
        if (!address[id] || kept[id]) continue;
        kept[id] =
            n.op == Op::ArgumentWord || std::ranges::any_of(n.args, [&](Id arg) { return kept[g_.resolve(arg)]; });
        changed = changed || kept[id];
      }
    }
    for (Id id = 0; id < live.size(); ++id) {
      const Node& n = g_.nodes[id];
      const bool keeps = n.op == Op::Store || n.op == Op::Atomic || n.op == Op::ReadLane || n.op == Op::WriteLane;
      if (is_live(id) && keeps && std::ranges::any_of(n.args, [&](Id arg) { return kept[g_.resolve(arg)]; })) return id;
    }
    return kNone;
  }
  // How many of the lowest bits of each value anything depends on.
  std::vector<u8> bits_used(const std::vector<bool>& live) const {
    std::vector<u8> used(g_.nodes.size());
    std::vector<Id> open;
    const auto use = [&](Id id, u64 bits) {
      id = g_.resolve(id);
      const u8 now = static_cast<u8>(std::min<u64>(bits, 32));
      if (used[id] >= now) return;
      used[id] = now;
      open.push_back(id);
    };
    const auto use_all = [&](const Node& n) {
      for (const Id arg : n.args) use(arg, 32);
    };
    for (const BasicBlock& block : g_.blocks) {
      if (block.end.condition != kNone) use(block.end.condition, 32);
      for (const Id id : block.effects) {
        const Node& n = g_.nodes[id];
        if (!live[id] || n.forward != kNone) continue;
        const bool part = n.op == Op::Store && g_.accesses[n.access].room != Room::Image && n.args.size() == 3;
        if (!part) use_all(n);
        if (part)
          for (std::size_t k = 0; k < 3; ++k) use(n.args[k], k == 2 ? g_.accesses[n.access].bytes * 8 : 32);
      }
    }
    while (!open.empty()) {
      const Id id = open.back();
      open.pop_back();
      const Node& n = g_.nodes[id];
      const u64 bits = used[id];
      if (!g_.spend()) return {};
      const auto number = [&](std::size_t k) { return g_.value(n.args[k]); };
      switch (n.op) {
        case Op::And:
          for (const std::size_t k : {0u, 1u})
            use(n.args[k], number(1 - k) ? std::min<u64>(bits, std::bit_width(*number(1 - k))) : bits);
          break;
        case Op::Or:
        case Op::Xor:
        case Op::Not:
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::Phi:
          for (const Id arg : n.args) use(arg, bits);
          break;
        case Op::Select:
          use(n.args[0], 32);
          use(n.args[1], bits);
          use(n.args[2], bits);
          break;
        case Op::Shl:
          use(n.args[1], 32);
          use(n.args[0], number(1) ? bits - std::min<u64>(bits, *number(1) & 31) : bits);
          break;
        case Op::Shr:
          use(n.args[1], 32);
          use(n.args[0], number(1) ? bits + (*number(1) & 31) : 32);
          break;
        case Op::SignExtend8: use(n.args[0], 8); break;
        case Op::FloatOfHalf:
        case Op::SignExtend16: use(n.args[0], 16); break;
        default: use_all(n);
      }
    }
    return used;
  }
  // Halves of registers of which no manual tells what an instruction leaves there, where nobody uses them.
  void forget_unknown_halves() {
    const auto is_unknown = [&](Id id) {
      const Node& n = g_.at(id);
      return n.op == Op::Shl && g_.value(n.args[1]) == 16u && g_.is(n.args[0], Op::Table) &&
             g_.at(n.args[0]).imm == kUnknown;
    };
    if (std::ranges::none_of(g_.nodes, [](const Node& n) { return n.op == Op::Table && n.imm == kUnknown; })) return;
    const std::vector<u8> used = bits_used(g_.live());
    bool changed = false;
    for (Id id = 0; id < used.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (n.op != Op::Or || n.forward != kNone || used[id] == 0 || used[id] > 16) continue;
      for (const std::size_t k : {0u, 1u})
        if (g_.nodes[id].forward == kNone && is_unknown(n.args[k])) {
          g_.nodes[id].forward = g_.resolve(n.args[1 - k]);
          changed = true;
        }
    }
    if (changed) g_.simplify(!g_.wave);
  }
  // What an address was in, in the upper half of a number of 64 bits whose lower half alone is used, as of what is
  // shifted to the left: compilers take any register for it.
  void forget_upper_halves() {
    const std::vector<bool> live = g_.live();
    std::vector<Id> open, joins;
    std::vector<bool> needed(live.size());  // the upper half
    const auto need = [&](Id id) {
      id = g_.resolve(id);
      if (needed[id]) return;
      needed[id] = true;
      open.push_back(id);
    };
    // Of whose upper half, and of nothing else, the upper half of this depends on that of an argument.
    const auto hands_on = [](Op op, std::size_t k) {
      switch (op) {
        case Op::PhiWide:
        case Op::Add64:
        case Op::Sub64: return true;
        case Op::SelectWide: return k != 0;
        case Op::Shl64: return k == 0;
        default: return false;
      }
    };
    for (Id id = 0; id < live.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live[id] || n.forward != kNone) continue;
      if (n.op == Op::Join && carries(n.args[1]) != kNothing) joins.push_back(id);
      for (std::size_t k = 0; k < n.args.size(); ++k)
        if (n.op != Op::Low && !hands_on(n.op, k)) need(n.args[k]);
    }
    if (joins.empty()) return;
    for (const BasicBlock& block : g_.blocks)
      if (block.end.condition != kNone) need(block.end.condition);
    while (!open.empty()) {
      if (!g_.spend()) return;
      const Node& n = g_.nodes[open.back()];
      open.pop_back();
      for (std::size_t k = 0; k < n.args.size(); ++k)
        if (hands_on(n.op, k)) need(n.args[k]);
    }
    std::erase_if(joins, [&](Id id) { return needed[id]; });
    if (joins.empty()) return;
    for (const Id id : joins) g_.nodes[id].args[1] = g_.constant(0);
    g_.simplify(!g_.wave);
  }
  // What a wavefront starts with, or an address was in, in a register that one way into a block sets and another leaves
  // as it is, where whoever comes by that other way chooses something else behind it.
  void forget_unchosen() {
    const std::vector<bool> live = g_.live();
    std::vector<std::pair<Id, std::size_t>> merged;
    for (Id id = 0; id < live.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live[id] || n.forward != kNone || !Graph::merge(n.op)) continue;
      for (std::size_t k = Graph::first_merged(n.op); k < n.args.size(); ++k) {
        const Node& one = g_.at(n.args[k]);
        const auto left_over = [&](Id part) {
          return g_.is(part, Op::Table) || g_.is(part, Op::Resource) || is_address_word(part, kMostTerms);
        };
        if (left_over(n.args[k]) || (one.op == Op::Join && std::ranges::any_of(one.args, left_over)))
          merged.emplace_back(id, k);
      }
    }
    forget(merged, live);
  }
  // Addresses and descriptors in registers among which an index chooses numbers: they are beyond the array, or what an
  // element's register held before it. What a source compares an index with may choose addresses too, but no words of
  // descriptors.
  bool forget_beyond() {
    const std::vector<bool> live = g_.live();
    // What is compared with a number, by who chooses.
    const auto index = [&](Id id) {
      const Node& n = g_.at(id);
      if (n.op != Op::Select || g_.at(n.args[0]).args.size() != 2) return kNone;
      const Node& asked = g_.at(n.args[0]);
      const bool number = (asked.op == Op::EqU || asked.op == Op::NeU) && g_.value(asked.args[1]);
      return number ? g_.resolve(asked.args[0]) : kNone;
    };
    std::vector<Id> relative, compared;
    for (Id id = 0; id < live.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live[id] || n.forward != kNone || n.op != Op::Select) continue;
      const Id own = index(id);
      if (n.imm == kRegisterChoice)
        relative.push_back(id);
      else if (own != kNone && (index(n.args[1]) == own || index(n.args[2]) == own))
        compared.push_back(id);
    }
    if (relative.empty() && compared.empty()) return false;
    const std::vector<bool> number = numbers(live), address = of_addresses(live);
    const bool some = forget_among(std::move(relative), number, address, true);
    const bool changed = forget_among(std::move(compared), number, address, false) || some;
    if (changed) g_.simplify(!g_.wave);
    return changed;
  }
  // Makes those unset among what choices of numbers merge, and among what that merges. `addresses`: of memory too.
  bool forget_among(std::vector<Id> open, const std::vector<bool>& number, const std::vector<bool>& address,
                    bool addresses) {
    std::erase_if(open, [&](Id id) { return !number[id] || address[id]; });
    const auto is_other = [&](Id id) {
      const Node& n = g_.nodes[id];
      return n.op == Op::Resource || (n.op == Op::Table && n.imm != kUnknown) ||
             (addresses &&
              (Graph::merge(n.op) ? carries(id) != kNothing : word_of_data(id, kDataTerms) || of_others(id, 8)));
    };
    const Id unset = g_.make(Op::Undefined);
    std::vector<bool> seen(g_.nodes.size());
    bool changed = false;
    while (!open.empty() && g_.spend()) {
      const Id id = open.back();
      open.pop_back();
      if (seen[id]) continue;
      seen[id] = true;
      for (std::size_t k = Graph::first_merged(g_.nodes[id].op); k < g_.nodes[id].args.size(); ++k) {
        const Id arg = g_.resolve(g_.nodes[id].args[k]);
        if (Graph::merge(g_.nodes[arg].op) && !address[arg]) {
          open.push_back(arg);
        } else if (is_other(arg)) {
          g_.nodes[id].args[k] = unset;
          changed = true;
        }
      }
    }
    return changed;
  }
  // Those values and all that they are made of, as far as `made_of` gives it of one.
  template <class MadeOf>
  std::vector<bool> with_parts(std::vector<Id> open, const MadeOf& made_of) const {
    std::vector<bool> out(g_.nodes.size());
    while (!open.empty() && g_.spend()) {
      const Id id = open.back();
      open.pop_back();
      if (out[id]) continue;
      out[id] = true;
      for (const Id arg : made_of(g_.nodes[id])) open.push_back(g_.resolve(arg));
    }
    return out;
  }
  // Values of which addresses are made as they are: what is computed with otherwise is a distance.
  std::vector<bool> of_addresses(const std::vector<bool>& live) const {
    std::vector<Id> open;
    for (Id id = 0; id < live.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live[id] || n.forward != kNone || (n.op != Op::Load && n.op != Op::Store && n.op != Op::Atomic)) continue;
      const Room room = g_.accesses[n.access].room;
      if (room == Room::Local || room == Room::Image || room == Room::Gds || room == Room::Print) continue;
      const std::size_t data = n.op == Op::Load ? n.args.size() : n.args.size() - 1;
      for (std::size_t k = 1; k < (room == Room::Generic ? 2 : data); ++k) open.push_back(g_.resolve(n.args[k]));
    }
    return with_parts(std::move(open), [](const Node& n) -> std::span<const Id> {
      switch (n.op) {
        case Op::Phi:
        case Op::PhiWide:
        case Op::Select:
        case Op::SelectWide:
        case Op::FirstLane:
        case Op::Join:
        case Op::Low:
        case Op::High:
        case Op::Add:
        case Op::Sub:
        case Op::Add64:
        case Op::Sub64:
        case Op::ToWord:
        case Op::CarryOfAdd:
        case Op::CarryOfAddc:
        case Op::BorrowOfSubb: return n.args;
        default: return {};
      }
    });
  }
  // Words that something takes for numbers, of which no address is made: what is stored, and what is computed with but
  // in sums and comparisons; as they are or chosen.
  std::vector<bool> numbers(const std::vector<bool>& live) const {
    const auto takes_number = [](const Node& n, std::size_t k) {
      switch (n.op) {
        case Op::Add:
        case Op::Sub:
        case Op::And:
        case Op::Or:
        case Op::Join:
        case Op::EqU:
        case Op::NeU:
        case Op::CarryOfAdd:
        case Op::CarryOfAddc:
        case Op::BorrowOfSubb: return false;
        case Op::Store:
        case Op::Atomic: return k >= 2;
        default: {
          const std::string_view types = info(n.op).arguments;
          return k < types.size() && (types[k] == 'u' || types[k] == 'i' || types[k] == 'f');
        }
      }
    };
    std::vector<Id> open;
    for (Id id = 0; id < live.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live[id] || n.forward != kNone) continue;
      for (std::size_t k = 0; k < n.args.size(); ++k)
        if (takes_number(n, k)) open.push_back(g_.resolve(n.args[k]));
    }
    return with_parts(std::move(open), [](const Node& n) -> std::span<const Id> {
      if (n.op == Op::FirstLane) return std::span(n.args).subspan(1);
      return Graph::merge(n.op) ? std::span(n.args).subspan(Graph::first_merged(n.op)) : std::span<const Id>();
    });
  }
  // A number in a register that holds an address where it is used as one, or the other way round, or part of an
  // address: it is of lanes that do not come there.
  bool forget_mixed() {
    const std::vector<bool> live = g_.live();
    std::vector<std::pair<Id, std::size_t>> merged;
    for (Id id = 0; id < live.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live[id] || n.forward != kNone || !Graph::merge(n.op) || carries(id) != kMixed) continue;
      for (std::size_t k = Graph::first_merged(n.op); k < n.args.size(); ++k)
        if ((carries(n.args[k]) != kMixed || !Graph::merge(g_.at(n.args[k]).op)) && !g_.is(n.args[k], Op::Undefined))
          merged.emplace_back(id, k);
    }
    return forget(merged, live);
  }
  // Who uses values: others, and branches, by the blocks that they end.
  struct Users {
    std::vector<std::vector<Id>> values;
    std::vector<std::pair<Id, u32>> branches;
  };
  // Makes arguments of merges unset of which nothing comes for those whose they are.
  bool forget(std::span<const std::pair<Id, std::size_t>> merged, const std::vector<bool>& live) {
    if (merged.empty()) return false;
    Users users{std::vector<std::vector<Id>>(live.size()), {}};
    for (Id id = 0; id < live.size(); ++id)
      if (live[id] && g_.nodes[id].forward == kNone)
        for (const Id arg : g_.nodes[id].args) users.values[g_.resolve(arg)].push_back(id);
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      if (const Id condition = g_.blocks[b].end.condition; condition != kNone)
        users.branches.emplace_back(g_.resolve(condition), b);
    bool changed = false;
    for (const auto& [merge, k] : merged) {
      const Node n = g_.nodes[merge];
      Ids holds = Graph::phi(n.op) ? conditions_of_way(n.block, k) : Ids{}, fails;
      if (!Graph::phi(n.op)) holds.push_back(k == 1 ? n.args[0] : g_.make(Op::BoolNot, {n.args[0]}));
      for (const Id one : holds) fails.push_back(g_.make(Op::BoolNot, {one}));
      if (holds.empty() || is_chosen(merge, holds, fails, users)) continue;
      g_.nodes[merge].args[k] = g_.make(Op::Undefined);
      changed = true;
    }
    if (changed) g_.simplify(!g_.wave);
    return changed;
  }
  static constexpr u32 kMostTerms = 6;
  // Whether a word is the address of a buffer, or a place that is so many bytes behind it.
  bool is_address_word(Id id, u32 steps) {
    const Node& n = g_.at(id);
    if (carrier_of(n) >= 0 || carrier_of(n) <= kFirstData) return n.op != Op::Pointer;
    return steps != 0 && n.op == Op::Add && g_.spend() &&
           (is_address_word(n.args[0], steps - 1) || is_address_word(n.args[1], steps - 1));
  }
  // What holds for who comes into a block by its `k`th way, by the branches on it, the nearest first.
  Ids conditions_of_way(u32 block, std::size_t k) {
    constexpr u32 kMost = 12;
    Ids out;
    u32 to = block, from = g_.blocks[block].predecessors[k];
    while (from < to && out.size() < kMost) {  // else what held in the turn before
      const BlockEnd& end = g_.blocks[from].end;
      // Other lanes come along to a block of those that have the bit.
      if (end.kind == BlockEnd::Kind::Branch && end.yes != end.no && !(g_.wave && end.lanes && end.yes == to))
        out.push_back(end.yes == to ? end.condition : g_.make(Op::BoolNot, {end.condition}));
      // The nearest block in front that one way leads to.
      to = from;
      while (to != 0 && g_.blocks[to].predecessors.size() != 1) to = g_.idom[to];
      if (to == 0) break;
      from = g_.blocks[to].predecessors[0];
    }
    return out;
  }
  // Whether one of `conditions` says that one of `fails` holds.
  bool contradict(std::span<const Id> conditions, std::span<const Id> fails) const {
    return std::ranges::any_of(conditions, [&](Id one) {
      return std::ranges::any_of(fails, [&](Id other) {
        Ids assumed;
        return g_.implies(one, other, assumed);
      });
    });
  }
  // Whether only those come to a block for whom one of `fails` holds.
  bool is_where(u32 block, std::span<const Id> fails) {
    while (block != 0 && g_.blocks[block].predecessors.size() != 1) block = g_.idom[block];
    return block != 0 && contradict(conditions_of_way(block, 0), fails);
  }
  // Whether anything may come of a value where all of `holds` do and, which is the same, none of `fails` does.
  bool is_chosen(Id first, std::span<const Id> holds, std::span<const Id> fails, const Users& users) {
    constexpr std::size_t kMost = 256;
    std::vector<Id> open{first};
    for (std::size_t next = 0; next < open.size(); ++next) {
      const Id id = open[next];
      if (id >= users.values.size() || open.size() > kMost) return true;
      for (const auto& [condition, block] : users.branches)
        if (condition == id && !is_where(block, fails)) return true;
      const auto go_on = [&](Id to) {
        if (std::ranges::find(open, to) == open.end()) open.push_back(to);
      };
      for (const Id user : users.values[id]) {
        if (!g_.spend()) return true;
        const Node n = g_.nodes[user];
        const auto is = [&](std::size_t k) { return g_.resolve(n.args[k]) == id; };
        if (goes_to_others(n.op)) return true;
        if (g_.effect(n.op)) {
          if (n.op == Op::Barrier || (!contradict(std::array{n.args[0]}, fails) && !is_where(n.block, fails)))
            return true;
        } else if (Graph::phi(n.op)) {
          for (std::size_t k = 0; k < n.args.size(); ++k) {
            if (!is(k)) continue;
            if (g_.blocks[n.block].predecessors[k] >= n.block) return true;  // in the next turn all may be otherwise
            if (!contradict(conditions_of_way(n.block, k), fails)) go_on(user);
          }
        } else if (Graph::select(n.op) && !is(0) && is(1) != is(2)) {
          if (!(is(2) ? contradict(holds, std::array{n.args[0]}) : contradict(std::array{n.args[0]}, fails)))
            go_on(user);
        } else {
          go_on(user);
        }
      }
    }
    return false;
  }
  // What a wavefront starts with stands in its registers until something else does, and compilers copy registers that
  // nothing has set. Where such a word meets others it is as good as unset, unless an address may be made of it.
  void forget_left_over() {
    // An index chooses elements of an array: registers with addresses of tables are none.
    const auto left_over = [&](const Node& merge, Id id) {
      const bool chosen = merge.op == Op::Select && merge.imm == kRegisterChoice;
      return (g_.is(id, Op::Table) && g_.at(id).imm != kUnknown) || g_.is(id, Op::Resource) ||
             (chosen && word_of_data(id, kDataTerms));
    };
    const std::vector<bool> live = g_.live();
    std::vector<Id> merges;
    for (Id id = 0; id < live.size(); ++id) {
      const Node& n = g_.nodes[id];
      const bool of_register = n.op == Op::Select && (n.imm == kRegisterWrite || n.imm == kRegisterChoice);
      if (!live[id] || n.forward != kNone || !(n.op == Op::Phi || of_register)) continue;
      if (std::ranges::any_of(n.args, [&](Id arg) { return left_over(n, arg); })) merges.push_back(id);
    }
    if (merges.empty()) return;
    // Of what addresses that are numbers are made.
    std::vector<bool> addresses(g_.nodes.size());
    std::vector<Id> open;
    for (const BasicBlock& block : g_.blocks)
      for (const Id id : block.effects) {
        const Node& n = g_.nodes[id];
        if (n.forward != kNone || n.op == Op::Barrier || !live[id]) continue;
        const Access& what = g_.accesses[n.access];
        if (what.room == Room::Image || what.room == Room::Local || what.room == Room::Scratch ||
            what.room == Room::Print)
          continue;
        if (what.argument < 0 && what.data < 0) open.push_back(g_.resolve(n.args[1]));
      }
    while (!open.empty()) {
      const Id id = open.back();
      open.pop_back();
      if (addresses[id] || !g_.spend()) continue;
      addresses[id] = true;
      if (g_.effect(g_.nodes[id].op) || g_.nodes[id].op == Op::Loaded) continue;
      for (const Id arg : g_.nodes[id].args)
        if (info(g_.at(arg).op).result != Bool) open.push_back(g_.resolve(arg));
    }
    if (g_.budget == 0) return;
    const Id unset = g_.make(Op::Undefined);
    for (const Id id : merges) {
      if (addresses[id]) continue;
      for (std::size_t k = 0; k < g_.nodes[id].args.size(); ++k)
        if (left_over(g_.nodes[id], g_.nodes[id].args[k])) g_.nodes[id].args[k] = unset;
    }
    g_.simplify(!g_.wave);
  }
  // Whether a value is a word of the address of what stands in the file, or of a sum with it; or what a register holds
  // where ways meet one of which leaves that in it.
  static constexpr u32 kDataTerms = 8;  // steps into sums
  bool word_of_data(Id id, u32 steps) const {
    const Node& n = g_.at(id);
    if (n.op == Op::Data) return true;
    if (steps == 0 || !g_.spend()) return false;
    if (Graph::phi(n.op)) return std::ranges::any_of(n.args, [&](Id arg) { return word_of_data(arg, steps - 1); });
    if (n.op == Op::Low || n.op == Op::High) return word_of_data(n.args[0], steps - 1);
    return (n.op == Op::Add || n.op == Op::Add64) &&
           (word_of_data(n.args[0], steps - 1) || word_of_data(n.args[1], steps - 1));
  }
  // High words of such addresses that registers keep where ways meet, and which no address is made of: bytes that a
  // source has not set.
  bool forget_high_words() {
    const std::vector<bool> live = g_.live();
    std::vector<std::pair<Id, std::size_t>> merged;
    for (Id id = 0; id < live.size(); ++id) {
      const Node& n = g_.nodes[id];
      if (!live[id] || n.forward != kNone || (n.op != Op::Phi && !(n.op == Op::Select && n.imm == kRegisterWrite)))
        continue;
      for (std::size_t k = Graph::first_merged(n.op); k < n.args.size(); ++k)
        if (high_word_of_data(n.args[k], kDataTerms)) merged.emplace_back(id, k);
    }
    if (merged.empty()) return false;
    const std::vector<bool> address = of_addresses(live);
    std::erase_if(merged, [&](const auto& one) { return address[one.first]; });
    if (merged.empty()) return false;
    const Id unset = g_.make(Op::Undefined);
    for (const auto& [id, k] : merged) g_.nodes[id].args[k] = unset;
    g_.simplify(!g_.wave);
    return true;
  }
  bool high_word_of_data(Id id, u32 steps) const {
    const Node& n = g_.at(id);
    if (n.op == Op::High) return word_of_data(n.args[0], steps);
    return n.op == Op::Add && steps != 0 && g_.spend() &&
           std::ranges::any_of(n.args, [&](Id arg) { return high_word_of_data(arg, steps - 1); });
  }
  // Whether a value is a word of an address of other memory: that of one argument, and something added to it.
  bool of_others(Id id, u32 steps) {
    id = g_.resolve(id);
    const i32 carried = carries(id);
    if (carried >= 0 || carried == kNothing) return carried >= 0 && !is_local(carried);
    const Node& n = g_.nodes[id];
    if (steps == 0 || !g_.spend()) return false;
    if (n.op == Op::Low || n.op == Op::High) return of_others(n.args[0], steps - 1);
    if (n.op != Op::Add && n.op != Op::Add64) return false;
    return std::ranges::any_of(n.args, [&](Id arg) { return of_others(arg, steps - 1); });
  }
  // An address of local memory without those of other memory that its registers held before: where ways or lanes meet,
  // they are as good as unset. `kNone`: they are in it.
  // What failed is not known any more: values that were made on the way may have it in them.
  Id without_others(Id id) {
    const Id out = without_others(id, false);
    if (out == kNone) cleaned_.clear();
    return out;
  }
  Id without_others(Id id, bool merged) {
    id = g_.resolve(id);
    if (carries(id) == kNothing) return id;
    const Level level(depth_);
    if (depth_ > kDeepest) return kNone;
    if (const auto known = cleaned_.find(id); known != cleaned_.end())
      return merged || known->second == kNone || !g_.is(known->second, Op::Undefined) ? known->second : kNone;
    const Node n = g_.nodes[id];
    if (const i32 own = carrier_of(n); own != kNothing)
      return merged && !(own >= 0 && is_local(own)) ? g_.make(Op::Undefined) : kNone;
    if (!g_.spend()) return kNone;
    if (merged && of_others(id, 8)) return g_.make(Op::Undefined);
    switch (n.op) {
      case Op::PhiWide:
      case Op::Phi: {
        const Id out = g_.add({.op = n.op, .type = n.type, .block = n.block, .offset = n.offset, .scalar = n.scalar});
        cleaned_[id] = out;
        Ids args;
        for (const Id arg : n.args) args.push_back(without_others(arg, true));
        if (std::ranges::find(args, kNone) != args.end()) return cleaned_[id] = kNone;
        if (nothing_left(args)) {
          if (!merged) return kNone;
          return cleaned_[id] = g_.nodes[out].forward = g_.make(Op::Undefined);
        }
        g_.nodes[out].args = std::move(args);
        g_.blocks[n.block].phis.push_back(out);
        return out;
      }
      case Op::SelectWide:
      case Op::Select: {
        const Id a = without_others(n.args[1], true), b = without_others(n.args[2], true);
        if (a == kNone || b == kNone) return cleaned_[id] = kNone;
        if (nothing_left(std::array{a, b})) return merged ? g_.make(Op::Undefined) : kNone;
        return cleaned_[id] = g_.make(n.op, {n.args[0], a, b}, n.imm, n.block);
      }
      // What is computed with otherwise is meant as a number.
      case Op::Add:
      case Op::Sub:
      case Op::And:
      case Op::Or:
      case Op::Shl: {
        const Id a = without_others(n.args[0], false), b = without_others(n.args[1], false);
        if (a == kNone || b == kNone) return cleaned_[id] = kNone;
        return cleaned_[id] = g_.make(n.op, {a, b});
      }
      default: return kNone;
    }
  }
  // An address that may be of one of several pieces of local memory: which one by its number (`place_number`), and how
  // far from its start. Nothing: it is not known.
  struct Choice {
    Id which = kNone, offset = kNone;
  };
  // Local memory of the machine code's own is 0; that of argument n is n + 1.
  static u64 place_number(i32 argument) { return u64{1} + static_cast<u64>(argument); }
  Choice choice(Id id) {
    const Choice out = choice(id, false);
    if (out.which == kNone) {
      chosen_.clear();
      cleaned_.clear();
    }
    return out;
  }
  Choice choice(Id id, bool merged) {
    id = g_.resolve(id);
    if (carries(id) == kNothing) return {g_.constant(0), id};
    const Level level(depth_);
    if (depth_ > kDeepest) return {};
    if (const auto known = chosen_.find(id); known != chosen_.end()) {
      const Choice& of = known->second;
      return merged || of.which == kNone || !g_.is(of.offset, Op::Undefined) ? of : Choice{};
    }
    const Node n = g_.nodes[id];
    if (!g_.spend()) return {};
    if (const i32 own = carrier_of(n); own >= 0 && is_local(own)) {
      leaves_[place_number(own)] = id;
      return {g_.constant(static_cast<u32>(place_number(own))), g_.constant(0)};
    }
    if (carrier_of(n) != kNothing || of_others(id, 8)) {
      // As in `without_others`.
      const Id unset = merged ? g_.make(Op::Undefined) : kNone;
      return {unset, unset};
    }
    switch (n.op) {
      case Op::Phi: {
        const auto phi = [&] {
          return g_.add({.op = n.op, .type = n.type, .block = n.block, .offset = n.offset, .scalar = n.scalar});
        };
        const Choice out{phi(), phi()};
        chosen_[id] = out;
        Ids which, offset;
        for (const Id arg : n.args) {
          const Choice one = choice(arg, true);
          if (one.which == kNone) return chosen_[id] = {};
          which.push_back(one.which);
          offset.push_back(one.offset);
        }
        if (nothing_left(offset)) {
          if (!merged) return {};
          const Id unset = g_.nodes[out.which].forward = g_.nodes[out.offset].forward = g_.make(Op::Undefined);
          return chosen_[id] = {unset, unset};
        }
        g_.nodes[out.which].args = std::move(which);
        g_.nodes[out.offset].args = std::move(offset);
        g_.blocks[n.block].phis.push_back(out.which);
        g_.blocks[n.block].phis.push_back(out.offset);
        return out;
      }
      case Op::Select: {
        const Choice a = choice(n.args[1], true), b = choice(n.args[2], true);
        if (a.which == kNone || b.which == kNone) return chosen_[id] = {};
        if (nothing_left(std::array{a.offset, b.offset})) return merged ? a : Choice{};
        const auto either = [&](Id yes, Id no) { return g_.make(n.op, {n.args[0], yes, no}, n.imm, n.block); };
        return chosen_[id] = {either(a.which, b.which), either(a.offset, b.offset)};
      }
      case Op::Add:
      case Op::Sub: {
        const bool second = carries(n.args[0]) == kNothing;
        const Id other = g_.resolve(n.args[second ? 0 : 1]);
        if (carries(other) != kNothing || (second && n.op == Op::Sub)) break;
        const Choice one = choice(n.args[second ? 1 : 0], false);
        if (one.which == kNone) return chosen_[id] = {};
        return chosen_[id] = {one.which, g_.make(n.op, {one.offset, other})};
      }
      case Op::And: {
        // An address or 0, which is that of the machine code's own.
        const bool second = carries(n.args[0]) == kNothing;
        const Id mask = g_.resolve(n.args[second ? 0 : 1]);
        const Id holds = carries(mask) == kNothing ? where_all(mask) : kNone;
        if (holds == kNone) break;
        const Choice one = choice(n.args[second ? 1 : 0], false);
        if (one.which == kNone) return chosen_[id] = {};
        const auto or_nothing = [&](Id what) { return g_.make(Op::Select, {holds, what, g_.constant(0)}, 0, n.block); };
        return chosen_[id] = {or_nothing(one.which), or_nothing(one.offset)};
      }
      default: break;
    }
    const Id own = without_others(id, false);
    return chosen_[id] = own == kNone ? Choice{} : Choice{g_.constant(0), own};
  }
  // Where all bits of a value are set that has all or none; `kNone`: it is another one.
  Id where_all(Id id) {
    const Node n = g_.at(id);
    const auto number = [&](std::size_t k) { return g_.value(n.args[k]); };
    if (n.op == Op::Select && number(1) == ~0u && number(2) == 0u) return n.args[0];
    if (n.op == Op::Sar && number(1) == 31u) return g_.make(Op::LtI, {n.args[0], g_.constant(0)});
    if (n.op != Op::BitFieldI || number(2) != 1u || !number(1)) return kNone;
    const Id bit = g_.make(Op::And, {n.args[0], g_.constant(u32{1} << (*number(1) & 31))});
    return g_.make(Op::NeU, {bit, g_.constant(0)});
  }
  // The numbers that a value made of phis, selections and constants may be; nothing: it is something else, too.
  std::optional<std::set<u64>> choices(Id id) {
    std::set<u64> out;
    Seen seen;
    std::vector<Id> open{id};
    while (!open.empty()) {
      const Id at = g_.resolve(open.back());
      open.pop_back();
      if (!seen.insert(at)) continue;
      const Node& n = g_.nodes[at];
      if (!g_.spend() || (n.op != Op::Const && n.op != Op::Phi && n.op != Op::Select && n.op != Op::Undefined))
        return std::nullopt;
      if (n.op == Op::Const) out.insert(n.imm);
      for (std::size_t k = n.op == Op::Select ? 1 : 0; k < n.args.size(); ++k) open.push_back(n.args[k]);
    }
    return out;
  }
  // An access to one of several pieces of local memory, as double buffers are, becomes one to each: made by the lanes
  // that mean it. Each of them then has a pointer or array of its own.
  bool split_choices() {
    constexpr std::size_t kMost = 4;
    bool changed = false;
    for (u32 b = 0; b < g_.blocks.size(); ++b)
      for (std::size_t at = 0; at < g_.blocks[b].effects.size(); ++at) {
        const Id id = g_.blocks[b].effects[at];
        const Node node = g_.nodes[id];
        if (node.forward != kNone || node.op == Op::Barrier || g_.accesses[node.access].room != Room::Local) continue;
        if (carries(node.args[1]) != kMixed || without_others(node.args[1]) != kNone) continue;
        const Choice of = choice(node.args[1]);
        if (of.which == kNone) continue;
        auto places = choices(of.which);
        if (!places) continue;
        // A register's number of before is no address, where the machine code has no such memory.
        if (places->size() > 1 && source_.kernel.segments.local_bytes() == 0) places->erase(0);
        if (places->empty() || places->size() > kMost) continue;
        std::vector<Id> conditions, copies;
        Id others = g_.boolean(true);
        for (const u64 place : *places) {
          const Id is = g_.make(Op::EqU, {of.which, g_.constant(static_cast<u32>(place))});
          const Id condition = place == *places->rbegin() ? others : is;
          others = g_.make(Op::BoolAnd, {others, g_.make(Op::BoolNot, {is})});
          Node copy = node;
          copy.args[0] = g_.make(Op::BoolAnd, {node.args[0], condition});
          copy.args[1] = place == 0 ? of.offset : g_.make(Op::Add, {leaves_.at(place), of.offset});
          conditions.push_back(condition);
          copies.push_back(g_.add(std::move(copy)));
        }
        const auto chosen = [&](auto value) {
          Id out = value(copies.back());
          for (std::size_t k = copies.size() - 1; k-- > 0;) {
            const Id one = value(copies[k]);
            out = g_.make(wide(g_.nodes[one].type) ? Op::SelectWide : Op::Select, {conditions[k], one, out}, 0, b);
          }
          return out;
        };
        auto& effects = g_.blocks[b].effects;
        effects.erase(effects.begin() + static_cast<std::ptrdiff_t>(at));
        effects.insert(effects.begin() + static_cast<std::ptrdiff_t>(at), copies.begin(), copies.end());
        at += copies.size() - 1;
        changed = true;
        if (node.op == Op::Store) continue;
        const std::size_t nodes = g_.nodes.size();
        for (Id user = 0; user < nodes; ++user) {
          const Node loaded = g_.nodes[user];
          if (loaded.op != Op::Loaded || loaded.forward != kNone || g_.resolve(loaded.args[0]) != id) continue;
          const Id whole = chosen([&](Id copy) {
            Node part = loaded;
            part.args[0] = copy;
            return g_.add(std::move(part));
          });
          g_.nodes[user].forward = whole;
        }
        g_.nodes[id].forward = g_.accesses[node.access].components > 1 ? copies.front() : chosen(std::identity{});
      }
    if (!changed) return false;
    // Pointers that change places keep their distances: phis of each other, all of one number.
    for (const auto& [from, phis] : chosen_)
      for (const Id phi : {phis.which, phis.offset})
        if (phi != kNone && g_.is(phi, Op::Phi))
          if (const auto numbers = choices(phi); numbers && numbers->size() == 1)
            g_.nodes[g_.resolve(phi)].forward = g_.constant(static_cast<u32>(*numbers->begin()));
    g_.simplify(!g_.wave);
    return true;
  }
  // Whether what merges was other memory's only: then it is meant.
  bool nothing_left(std::span<const Id> args) const {
    return std::ranges::all_of(args, [&](Id arg) { return g_.is(arg, Op::Undefined); });
  }
  bool is_local(i32 argument) const {
    return std::holds_alternative<LocalPointer>(source_.kernel.arguments[static_cast<std::size_t>(argument)].kind);
  }
  // What is not needed will not be. What was needed may have given a descriptor only, of an access that is settled now.
  bool needed(Id id, const Node& load) {
    const bool scalar = load.scalar || g_.accesses[load.access].room == Room::Scalar;
    if (live_.empty() || (scalar && live_[id] && live_.size() != g_.nodes.size())) live_ = g_.live();
    return live_[id];
  }
  i32 carrier_of(const Node& n) const {
    if (n.op == Op::ArgumentWord) {
      const auto at = by_offset_.find(static_cast<u32>(n.imm));
      if (at != by_offset_.end()) return at->second;
    }
    if (n.op == Op::LaunchWord && n.imm == kDataSegmentWord)
      return global_segment() < 0 ? kMixed : kFirstData - global_segment();
    if (n.op == Op::Pointer) return static_cast<i32>(n.imm);
    if (n.op == Op::Data) return kFirstData - static_cast<i32>(n.imm);
    if (n.op == Op::ScratchStart) return kScratchStart;
    if (n.op == Op::Arguments) return kArguments;
    return kNothing;
  }
  static i32 either(i32 a, i32 b) {
    if (a == kOpen) return b;
    if (b == kOpen || a == b) return a;
    return kMixed;
  }
  // Of all values, until nothing changes: what a loop's variable carries its own turn says.
  void find_carriers() {
    const std::vector<Id> order = g_.in_order(g_.live());
    carried_.assign(g_.nodes.size(), kOpen);
    for (bool changed = true; changed;) {
      changed = false;
      if (g_.budget < order.size()) return;
      g_.budget -= order.size();
      for (const Id id : order) {
        const i32 now = carried_by(g_.nodes[id]);
        if (now == carried_[id]) continue;
        carried_[id] = now;
        changed = true;
      }
    }
    for (i32& carried : carried_)
      if (carried == kOpen) carried = kNothing;
  }
  i32 carries(Id id) const {
    id = g_.resolve(id);
    return id < carried_.size() ? carried_[id] : kNothing;
  }
  i32 carried_by(const Node& n) const {
    if (const i32 own = carrier_of(n); own != kNothing) return own;
    i32 out = kOpen;
    switch (n.op) {
      case Op::Undefined: return kOpen;
      case Op::PhiWide:
      case Op::Phi:
        for (const Id arg : n.args) out = either(out, carries(arg));
        return out;
      case Op::SelectWide:
      case Op::Select: return either(carries(n.args[1]), carries(n.args[2]));
      case Op::Add64:
      case Op::Add: {
        const i32 a = carries(n.args[0]), b = carries(n.args[1]);
        if (a == kOpen || b == kOpen) return a == kMixed || b == kMixed ? kMixed : kOpen;
        return a == kNothing ? b : b == kNothing ? a : kMixed;
      }
      case Op::Sub64:
      case Op::Sub: {
        const i32 a = carries(n.args[0]), b = carries(n.args[1]);
        if (b == kOpen) return kOpen;
        return b == kNothing ? a : kMixed;
      }
      case Op::Load:
      case Op::Atomic:
      case Op::Loaded: return kNothing;  // what memory holds is no address of ours
      case Op::Low:  // the whole address, where addresses have 32 bits
        if (source_.kernel.address_bits == AddressBits::Bits32) return carries(n.args[0]);
        [[fallthrough]];
      default: {
        if (info(n.op).result == Bool) return kNothing;
        for (const Id arg : n.args)
          if (const i32 one = carries(arg); one != kNothing && one != kOpen) return kMixed;
        return kNothing;
      }
    }
  }
  // The value without the address it carries.
  Id strip(Id id) {
    id = g_.resolve(id);
    if (const auto known = stripped_.find(id); known != stripped_.end()) return known->second;
    const Node n = g_.nodes[id];
    if (carrier_of(n) != kNothing)
      return stripped_[id] = info(n.op).result == Ulong ? g_.constant64(0) : g_.constant(0);
    if (carries(id) == kNothing) return stripped_[id] = id;
    switch (n.op) {
      case Op::PhiWide:
      case Op::Phi: {
        const Id out = g_.add({.op = n.op, .type = n.type, .block = n.block, .offset = n.offset, .scalar = n.scalar});
        g_.blocks[n.block].phis.push_back(out);
        stripped_[id] = out;
        open_.emplace_back(id, out);
        return out;
      }
      case Op::SelectWide:
      case Op::Select: {
        const Id a = strip(n.args[1]), b = strip(n.args[2]);
        return stripped_[id] = g_.make(n.op, {n.args[0], a, b}, n.imm, n.block);
      }
      case Op::Add64:
      case Op::Sub64:
      case Op::Add:
      case Op::Sub: {
        const Id a = strip(n.args[0]), b = strip(n.args[1]);
        return stripped_[id] = g_.make(n.op, {a, b});
      }
      case Op::Low: {
        const Id whole = strip(n.args[0]);
        return stripped_[id] = g_.make(Op::Low, {whole});
      }
      default: return stripped_[id] = id;
    }
  }

  // The arguments of phis that `strip` made.
  void finish() {
    for (std::size_t n = 0; n < open_.size(); ++n) {
      const auto [from, to] = open_[n];
      Ids args;
      for (const Id arg : Ids(g_.nodes[from].args)) args.push_back(strip(arg));
      g_.nodes[to].args = std::move(args);
    }
    open_.clear();
  }

  // Decides where one access goes.
  void place(Id id) {
    const Node node = g_.nodes[id];
    Access what = g_.accesses[node.access];
    if (what.room == Room::Image) return place_image(g_, source_, id);
    if (what.room == Room::Print) return;
    const auto refuse = [&](std::string why) { g_.refuse(Code::LiftAddress, node.offset, std::move(why)); };
    Id offset = node.args[1];
    Ids rest;  // data
    if (what.room == Room::Generic || what.room == Room::Flat) {
      const std::size_t words = what.room == Room::Flat ? 7 : 2;
      if (what.room == Room::Flat) {
        const auto through = descriptor(g_, std::span(node.args).subspan(3, 4));
        if (!through || through->kind != kUavs)
          return refuse("accesses memory through a descriptor of which it is not certain which one it is");
      }
      rest.assign(node.args.begin() + static_cast<std::ptrdiff_t>(words), node.args.end());
      const i32 carried = carries(offset);
      // An address out of memory, or one of several buffers': a number is cast where it is used.
      if (carried == kNothing || carried == kMixed) return settle_access(id, what, offset, std::move(rest));
      if (carried <= kFirstData) return variable(id, what, kFirstData - carried, strip(offset));
      if (holds_arguments(carried)) return from_arguments(id, what, carried, strip(offset));
      what.argument = carried;
      return settle_access(id, what, strip(offset), std::move(rest));
    }
    if (what.room == Room::Local) {
      rest.assign(node.args.begin() + 2, node.args.end());
      const i32 carried = carries(offset);
      if (carried == kMixed)
        if (const Id own = without_others(offset); own != kNone) return settle_access(id, what, own, std::move(rest));
      if (carried < kNothing) return refuse("accesses local memory at an address of several parts");
      if (carried >= 0) {
        if (!is_local(carried)) return refuse("accesses local memory by the address of something else");
        what.argument = carried;
        offset = strip(offset);
      }
      return settle_access(id, what, offset, std::move(rest));
    }
    if (what.room == Room::Gds) {
      rest.assign(node.args.begin() + 3, node.args.end());
      return counter(id, what, offset, std::move(rest));
    }
    const bool scalar = what.room == Room::Scalar || what.room == Room::ConstantBuffer;
    const std::size_t words = scalar ? 2 : 3;
    if (node.args.size() < words + 4) return refuse("loads from an address that is in no table");
    auto found = descriptor(g_, std::span(node.args).subspan(words, 4));
    const bool whole = all_memory(std::span(node.args).subspan(words, 4));
    if (whole) found = Descriptor{kUavs, 0};
    if (!found) return refuse("accesses memory through a descriptor of which it is not certain which one it is");
    rest.assign(node.args.begin() + static_cast<std::ptrdiff_t>(words + 4), node.args.end());
    const Id index = scalar ? g_.constant(0) : node.args[2];
    what.slot = found->slot;
    if (found->kind == 0) {  // a constant buffer: vectors of 16 bytes
      what.room = Room::ConstantBuffer;
      const Id skip = g_.make(Op::Shl, {index, g_.constant(4)});
      offset = g_.make(Op::Add, {offset, skip});
      if (what.slot == 1) return from_arguments(id, what, kArguments, offset);
      return constant_buffer(id, what, offset, std::move(rest));
    }
    if (found->kind != kUavs && found->kind != kScratch)
      return refuse("accesses memory through the descriptor of an image");
    if (g_.value(index) != 0u) return refuse("accesses a buffer by index");
    const i32 carried = carries(offset);
    if (found->kind == kScratch && !source_.decoder.private_places().empty())
      return refuse("accesses scratch memory at an address that is not known");
    if (found->kind == kScratch && carried == kMixed && g_.is(offset, Op::Add))
      for (const std::size_t k : {0u, 1u})
        if (g_.is(g_.at(offset).args[k], Op::ScratchStart))
          if (const Id own = without_others(g_.at(offset).args[1 - k]); own != kNone) {
            what.room = Room::Scratch;
            return settle_access(id, what, own, std::move(rest));
          }
    if ((found->kind == kScratch) != (carried == kScratchStart))
      return refuse("accesses scratch memory at an address that is not known");
    if (found->kind == kScratch) {
      what.room = Room::Scratch;
      return settle_access(id, what, strip(offset), std::move(rest));
    }
    what.room = Room::Uav;
    if (carried <= kFirstData) return variable(id, what, kFirstData - carried, strip(offset));
    if (holds_arguments(carried)) return from_arguments(id, what, carried, strip(offset));
    if (carried == kMixed)
      if (const Id wide = widened(offset, whole ? std::nullopt : std::optional(found->slot)); wide != kNone) {
        what.room = Room::Generic;
        return settle_access(id, what, wide, std::move(rest));
      }
    if (carried < 0)
      return refuse(
          fmt::format("accesses buffer {} at an address that comes from no argument or from several", found->slot));
    const PointerInfo* const pointer = pointer_of(source_.kernel.arguments[static_cast<std::size_t>(carried)]);
    if (!whole &&
        (pointer == nullptr || pointer->memory == MemoryKind::HardwareLocal || pointer->buffer != found->slot))
      return refuse(fmt::format("accesses buffer {} by the address of an argument of another one", found->slot));
    what.argument = carried;
    settle_access(id, what, strip(offset), std::move(rest));
  }
  // Whether an address is that of the arguments' memory, or of a struct's that they refer to.
  bool holds_arguments(i32 carried) const {
    if (carried == kArguments) return true;
    return carried >= 0 && by_reference(source_.kernel.arguments[static_cast<std::size_t>(carried)]);
  }
  // A load of arguments, or of a struct that is passed by reference, at a place that is chosen when the kernel runs: of
  // an array that is made of them.
  void from_arguments(Id id, Access what, i32 carried, Id offset) {
    const Node& node = g_.nodes[id];
    if (node.op != Op::Load) return g_.refuse(Code::LiftAddress, node.offset, "writes to its arguments");
    if (info(g_.at(offset).op).result == Ulong) offset = low_word(offset, 8);
    if (carried == kArguments && (g_.value(offset) || may_be_hidden(offset)))
      return g_.refuse(Code::LiftAddress, node.offset, "loads from an address that is in no table");
    what.room = Room::Arguments;
    what.slot = carried == kArguments ? 0 : static_cast<u32>(carried) + 1;
    settle_access(id, what, offset, {});
  }
  // Whether one of several known places is that of what the runtime adds to the arguments. An index means none of it.
  bool may_be_hidden(Id offset) const {
    const auto is_hidden = [&](u64 at) {
      return std::ranges::any_of(source_.kernel.arguments, [&](const Argument& argument) {
        const auto place = place_of(argument);
        return std::holds_alternative<Hidden>(argument.kind) && place && *place <= at && at < *place + 8;
      });
    };
    std::map<Id, std::set<u64>> known;
    return std::ranges::any_of(places(offset, known), is_hidden);
  }
  // Those of the numbers that a value may be which are known: of constants that ways or lanes choose among, and of what
  // is computed from such.
  std::set<u64> places(Id id, std::map<Id, std::set<u64>>& known) const {
    constexpr std::size_t kMost = 64;
    id = g_.resolve(id);
    const auto [at, added] = known.try_emplace(id);
    if (!added || known.size() > kMost || !g_.spend()) return at->second;
    const Node& n = g_.nodes[id];
    std::set<u64> out;
    const auto both = [&](const auto& of) {
      const std::set<u64> a = places(n.args[0], known), b = places(n.args[1], known);
      for (const u64 x : a)
        for (const u64 y : b)
          if (out.size() < kMost) out.insert(of(x, y));
    };
    switch (n.op) {
      case Op::Const:
      case Op::Const64: out.insert(n.imm); break;
      case Op::Phi:
      case Op::PhiWide:
      case Op::Select:
      case Op::SelectWide:
        for (std::size_t k = Graph::first_merged(n.op); k < n.args.size(); ++k) out.merge(places(n.args[k], known));
        break;
      case Op::Low: out = places(n.args[0], known); break;
      case Op::Join:
        if (g_.value(n.args[1]) == 0u) out = places(n.args[0], known);
        break;
      case Op::Add:
      case Op::Add64:
      case Op::Or: both([](u64 x, u64 y) { return x + y; }); break;
      case Op::Mul: both([](u64 x, u64 y) { return x * y; }); break;
      case Op::Shl:
      case Op::Shl64: both([](u64 x, u64 y) { return x << (y & 31); }); break;
      default: break;
    }
    return known[id] = out;
  }
  // An access to GDS, of which code has counters alone.
  void counter(Id id, Access what, Id offset, Ids rest) {
    const Node& node = g_.nodes[id];
    const auto refuse = [&](std::string why) { g_.refuse(Code::LiftAddress, node.offset, std::move(why)); };
    const Node& range = g_.at(node.args[2]);
    if (range.op != Op::Table || range.imm != u64{kCounters} << 4)
      return refuse("accesses GDS of which it is not certain that it holds the counters");
    u32 bits = 0;
    for (const Argument& argument : source_.kernel.arguments)
      if (const auto* const one = std::get_if<Counter>(&argument.kind)) {
        if (bits != 0 && bits != one->bits) return refuse("uses counters of 32 and of 64 bits beside each other");
        bits = one->bits;
      }
    const auto at = g_.value(offset);
    if (!at) return refuse("accesses GDS at an address that is known only when it runs");
    for (std::size_t n = 0; n < source_.kernel.arguments.size(); ++n) {
      const auto* const one = std::get_if<Counter>(&source_.kernel.arguments[n].kind);
      if (one == nullptr) continue;
      const u32 bytes = one->bits / 8, begin = cl1::counter_offset(one->id, one->bits);
      if (*at < begin || *at - begin + u32{what.bytes} * what.components > bytes) continue;
      what.room = Room::Uav;
      what.argument = static_cast<i32>(n);
      return settle_access(id, what, g_.constant(*at - begin), std::move(rest));
    }
    refuse(fmt::format("accesses GDS at byte {}, where no argument has its counter", *at));
  }
  // An address of 32 bits that is one of several arguments', as pointers that change places are, from the addresses
  // that OpenCL C gives them, to which distances are added with their sign. `slot`: all of them must be reached through
  // it. `kNone`: it is made of something else, and the kernel is refused.
  Id widened(Id id, std::optional<u32> slot) {
    id = g_.resolve(id);
    const std::pair key(id, slot.value_or(kNone));
    if (const auto known = widened_.find(key); known != widened_.end()) return known->second;
    const Level level(depth_);
    const Node n = g_.nodes[id];
    if (depth_ > kDeepest || !g_.spend()) return kNone;
    if (const i32 own = carrier_of(n); own >= 0) {
      const auto* const pointer =
          std::get_if<GlobalPointer>(&source_.kernel.arguments[static_cast<std::size_t>(own)].kind);
      const bool reached = pointer != nullptr && (!slot || pointer->buffer == *slot);
      return widened_[key] = reached ? g_.make(Op::Pointer, {}, static_cast<u64>(own)) : kNone;
    }
    switch (n.op) {
      case Op::Undefined: return widened_[key] = g_.constant64(0);
      case Op::Phi: {
        const Id out =
            g_.add({.op = Op::PhiWide, .type = Ulong, .block = n.block, .offset = n.offset, .scalar = n.scalar});
        widened_[key] = out;
        Ids args;
        for (const Id arg : n.args) args.push_back(widened(arg, slot));
        if (std::ranges::find(args, kNone) != args.end()) return widened_[key] = g_.nodes[out].forward = kNone;
        g_.nodes[out].args = std::move(args);
        g_.blocks[n.block].phis.push_back(out);
        return out;
      }
      case Op::Select: {
        const Id a = widened(n.args[1], slot), b = widened(n.args[2], slot);
        if (a == kNone || b == kNone) return widened_[key] = kNone;
        return widened_[key] = g_.make(Op::SelectWide, {n.args[0], a, b}, n.imm, n.block);
      }
      case Op::Add:
      case Op::Sub: {
        const bool second = carries(n.args[0]) == kNothing;
        const Id distance = g_.resolve(n.args[second ? 0 : 1]);
        if (carries(distance) != kNothing || (second && n.op == Op::Sub)) break;
        const Id from = widened(n.args[second ? 1 : 0], slot);
        if (from == kNone) return widened_[key] = kNone;
        const Id by = n.op == Op::Sub ? g_.make(Op::Sub, {g_.constant(0), distance}) : distance;
        const Id high = g_.bits_of(by) < 32 ? g_.constant(0) : g_.make(Op::Sar, {by, g_.constant(31)});
        return widened_[key] = g_.make(Op::Add64, {from, g_.make(Op::Join, {by, high})});
      }
      default: break;
    }
    return widened_[key] = kNone;
  }
  // Whether these words describe all memory from address 0 on, as the code of 32-bit OpenCL 2.0 has it.
  bool all_memory(std::span<const Id> words) const {
    const auto base = g_.value(words[0]), high = g_.value(words[1]), bytes = g_.value(words[2]);
    return base == 0u && high == 0u && bytes && *bytes >= 0xffff0000 && g_.value(words[3]);
  }
  // An access to what stands in the file: a data segment, or a section of the code.
  void variable(Id id, Access what, i32 data, Id offset) {
    const Node& node = g_.nodes[id];
    const auto refuse = [&](std::string why) { g_.refuse(Code::LiftAddress, node.offset, std::move(why)); };
    if (data < static_cast<i32>(kSections)) {
      if (node.op != Op::Load) return refuse("writes to a data segment");
    } else {
      const MachineCode& code = source_.program.code;
      std::size_t index = static_cast<std::size_t>(data) - kSections;
      if (code.sections[index].executable) {
        // By a distance from the code: the sections of a code object are loaded as far from each other as they are.
        u64 distance = 0;
        Id rest = constant_part(offset, distance);
        u64 address = code.sections[index].address + distance;
        const auto holds = [&](const CodeSection& section) {
          return address >= section.address && address - section.address < section.size();
        };
        const auto find = [&] {
          return std::ranges::find_if(
              code.sections, [&](const CodeSection& section) { return !section.executable && holds(section); });
        };
        auto found = find();
        // Pointers that loops move, and pointers that are chosen, say by what they begin with where they point to.
        std::set<u64> starts;
        Seen seen;
        constant_starts(rest, seen, starts);
        if (!starts.empty()) {
          found = code.sections.end();
          const u64 base = address;
          for (const u64 start : starts) {
            address = base + start;
            auto one = find();
            if (one == code.sections.end()) {
              // Far beyond it, and back by a product: the low word says where.
              address = base + static_cast<u64>(static_cast<i32>(start));
              one = find();
            }
            if (one == code.sections.end() || (found != code.sections.end() && found != one))
              return refuse("reads memory near its code at an address that is not known");
            found = one;
          }
          address = base;
        }
        // Assemblers put constants behind the code.
        constexpr u64 kMostCode = 1 << 16;
        if (const CodeSection& own = code.sections[index];
            found == code.sections.end() && holds(own) && own.size() <= kMostCode)
          found = code.sections.begin() + static_cast<std::ptrdiff_t>(index);
        if (found == code.sections.end()) return refuse("reads memory at an address that is near its code");
        index = static_cast<std::size_t>(found - code.sections.begin());
        offset = g_.make(Op::Add64, {rest, g_.constant64(address - found->address)});
      }
      constexpr u64 kMost = 1 << 20;  // bytes that a unit still holds
      const CodeSection& section = code.sections[index];
      if (node.op != Op::Load && !section.writable) return refuse("writes to a constant of the program");
      if (section.size() > kMost) return refuse(fmt::format("has variables of {} bytes", section.size()));
      if (std::ranges::any_of(code.relocations, [&](const CodeRelocation& one) { return one.where.section == index; }))
        return refuse("reads variables of the program that hold addresses or samplers");
      data = static_cast<i32>(kSections + index);
    }
    what.data = data;
    Ids rest;
    const std::size_t words = what.room == Room::Generic ? 2 : 7;
    if (node.op != Op::Load) rest.assign(node.args.begin() + static_cast<std::ptrdiff_t>(words), node.args.end());
    settle_access(id, what, offset, std::move(rest));
  }
  static constexpr u32 kDeepest = 500;  // sums of sums: one level of the stack each
  class Level {
   public:
    explicit Level(u32& depth) : depth_(depth) { ++depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --depth_; }

   private:
    u32& depth_;
  };
  // The constants that a variable of loops begins with, or that are chosen from, in a sum; nothing: there is none.
  void constant_starts(Id id, Seen& seen, std::set<u64>& out, u32 depth = 0) {
    id = g_.resolve(id);
    const Node n = g_.nodes[id];
    if (!seen.insert(id) || !g_.spend() || depth == kDeepest) return;
    if (n.op == Op::Add64) {
      for (const Id arg : n.args) constant_starts(arg, seen, out, depth + 1);
    } else if (n.op == Op::PhiWide || n.op == Op::SelectWide) {
      for (std::size_t k = n.op == Op::SelectWide ? 1 : 0; k < n.args.size(); ++k) {
        if (g_.is(n.args[k], Op::Undefined)) continue;
        u64 sum = 0;
        const Id rest = constant_part(n.args[k], sum);
        std::set<u64> inner;
        constant_starts(rest, seen, inner, depth + 1);
        if (!inner.empty())
          for (const u64 one : inner) out.insert(one + sum);
        else if (!reaches(rest, id))
          out.insert(sum);
      }
    }
  }
  // Whether a sum has this one in it: a turn of the loop.
  bool reaches(Id id, Id what) {
    Seen seen;
    return reaches(id, what, seen, 0);
  }
  bool reaches(Id id, Id what, Seen& seen, u32 depth) {
    id = g_.resolve(id);
    if (id == what) return true;
    const Node& n = g_.nodes[id];
    const bool walk = n.op == Op::Add64 || n.op == Op::PhiWide || n.op == Op::SelectWide;
    return walk && depth != kDeepest && seen.insert(id) && g_.spend() &&
           std::ranges::any_of(n.args, [&](Id arg) { return reaches(arg, what, seen, depth + 1); });
  }
  // A sum without its constants, which are added to `sum`.
  Id constant_part(Id id, u64& sum, u32 depth = 0) {
    id = g_.resolve(id);
    const Node n = g_.nodes[id];
    if (n.op == Op::Const64) {
      sum += n.imm;
      return g_.constant64(0);
    }
    if (n.op != Op::Add64 || !g_.spend() || depth == kDeepest) return id;
    const Id a = constant_part(n.args[0], sum, depth + 1), b = constant_part(n.args[1], sum, depth + 1);
    return g_.make(Op::Add64, {a, b});
  }
  void constant_buffer(Id id, Access what, Id offset, Ids rest) {
    const auto& arguments = source_.kernel.arguments;
    for (std::size_t n = 0; n < arguments.size(); ++n)
      if (const auto* const pointer = std::get_if<ConstantPointer>(&arguments[n].kind))
        if (pointer->memory == MemoryKind::HardwareConstant && pointer->buffer == what.slot)
          what.argument = static_cast<i32>(n);
    for (std::size_t n = 0; n < source_.program.data.size(); ++n)
      if (source_.program.data[n].constant_buffer == what.slot) what.data = static_cast<i32>(n);
    if ((what.argument < 0) == (what.data < 0))
      return g_.refuse(Code::LiftAddress, g_.nodes[id].offset,
                       fmt::format("reads constant buffer {}, which is no argument's and no data segment", what.slot));
    settle_access(id, what, offset, std::move(rest));
  }
  i32 global_segment() const {
    for (std::size_t n = 0; n < source_.program.data.size(); ++n)
      if (!source_.program.data[n].constant_buffer) return static_cast<i32>(n);
    return -1;
  }
  // Whether a value is a multiple of 2^log by its form; a loop's own variable is one if all that goes into it is.
  bool multiple(Id id, u32 log, std::set<Id>& assumed, u32 depth = 200) const {
    id = g_.resolve(id);
    const Node& n = g_.nodes[id];
    if (!g_.spend() || depth == 0) return false;
    switch (n.op) {
      case Op::Undefined: return true;
      case Op::Const: return (n.imm & ((u64{1} << log) - 1)) == 0;
      case Op::Shl: return g_.value(n.args[1]) && *g_.value(n.args[1]) >= log;
      case Op::Mul: return g_.value(n.args[1]) && (*g_.value(n.args[1]) & ((u32{1} << log) - 1)) == 0;
      case Op::And:
        if (const auto mask = g_.value(n.args[1]); mask && (*mask & ((u32{1} << log) - 1)) == 0) return true;
        [[fallthrough]];
      case Op::Or:
      case Op::Xor:
      case Op::Add:
      case Op::Sub: return multiple(n.args[0], log, assumed, depth - 1) && multiple(n.args[1], log, assumed, depth - 1);
      case Op::Select:
        return multiple(n.args[1], log, assumed, depth - 1) && multiple(n.args[2], log, assumed, depth - 1);
      case Op::Phi:
        if (!assumed.insert(id).second) return true;
        return std::ranges::all_of(n.args, [&](Id arg) { return multiple(arg, log, assumed, depth - 1); });
      default: return false;
    }
  }
  // The value divided by 2^log. Shifted back it is the value again, bit by bit.
  Id quotient(Id id, u32 log) {
    id = g_.resolve(id);
    if (const auto known = divided_.find({id, log}); known != divided_.end()) return known->second;
    const Node n = g_.nodes[id];
    Id out = id;
    switch (n.op) {
      case Op::Const: out = g_.constant(static_cast<u32>(static_cast<i32>(n.imm) >> log)); break;
      case Op::Shl: out = g_.make(Op::Shl, {n.args[0], g_.constant(*g_.value(n.args[1]) - log)}); break;
      case Op::Mul:
        out =
            g_.make(Op::Mul, {n.args[0], g_.constant(static_cast<u32>(static_cast<i32>(*g_.value(n.args[1])) >> log))});
        break;
      case Op::And:
        if (const auto mask = g_.value(n.args[1])) {
          const Id whole = g_.make(Op::Shr, {n.args[0], g_.constant(log)});
          out = g_.make(Op::And, {whole, g_.constant(*mask >> log)});
          break;
        }
        [[fallthrough]];
      case Op::Or:
      case Op::Xor:
      case Op::Add:
      case Op::Sub: {
        const Id a = quotient(n.args[0], log), b = quotient(n.args[1], log);
        out = g_.make(n.op, {a, b});
        break;
      }
      case Op::Select: {
        const Id a = quotient(n.args[1], log), b = quotient(n.args[2], log);
        out = g_.make(Op::Select, {n.args[0], a, b}, n.imm, n.block);
        break;
      }
      case Op::Phi: {
        out = g_.add({.op = Op::Phi, .type = Any, .block = n.block, .offset = n.offset, .scalar = n.scalar});
        g_.blocks[n.block].phis.push_back(out);
        divided_[{id, log}] = out;
        Ids args;
        for (const Id arg : n.args) args.push_back(quotient(arg, log));
        g_.nodes[out].args = std::move(args);
        return out;
      }
      default: break;
    }
    return divided_[{id, log}] = out;
  }
  // Arguments from here on: enabled, byte offset, data.
  void settle_access(Id id, const Access& what, Id offset, Ids rest) {
    // A loop that counts bytes counts elements from here on.
    const u32 log = static_cast<u32>(std::countr_zero(u32{what.bytes}));
    std::set<Id> assumed;
    if (log != 0 && what.room != Room::Flat && what.room != Room::Generic && multiple(offset, log, assumed))
      offset = g_.make(Op::Shl, {quotient(offset, log), g_.constant(log)});
    const u32 index = g_.access(what);
    Node& node = g_.nodes[id];
    node.access = index;
    const Id enabled = node.args[0];
    node.args.assign({enabled, offset});
    node.args.insert(node.args.end(), rest.begin(), rest.end());
  }

  Graph& g_;
  const Source& source_;
  std::map<u32, i32> by_offset_;  // of constant buffer 1: pointer arguments
  std::vector<i32> carried_;
  std::vector<std::pair<Id, Id>> open_;  // phis and those without the address
  std::map<Id, Id> stripped_, cleaned_;
  std::map<std::pair<Id, u32>, Id> widened_;  // with the slot
  std::map<Id, Choice> chosen_;
  std::map<u64, Id> leaves_;  // the addresses of local arguments, by `place_number`
  std::map<std::pair<Id, u32>, Id> divided_;
  std::vector<bool> live_;
  u32 depth_ = 0;  // of `without_others` and `choice`
};

// A word of constant buffer 0. What compilers put there for their own use is known, and nothing is split.
Id launch_word(Graph& g, const Source& source, u32 n) {
  constexpr u32 kValues[] = {0, 0x3f000000, 0x3f800000, 0x40000000};  // 0, 0.5, 1, 2
  if (n >= kFloats && n < kFloats + 4) return g.constant(kValues[n - kFloats]);
  if (n >= kGroupOffset && n < kGroupOffset + 3) return g.constant(0);
  // What is behind the data segment's address depends on the ABI. [RT setupProgramGrid]
  const bool wide = source.kernel.address_bits == AddressBits::Bits64;
  const u32 buffer = wide ? 34 : 33, words = wide ? 2 : 1, room = wide ? 36 : 34, offset = wide ? 37 : 36;
  if (n >= buffer && n < buffer + words) return g.make(Op::Table, {}, u64{kPrintf} << 4 | (n - buffer));
  if (n == room) return g.make(Op::Table, {}, kPrintfRoom);
  if (n >= offset && n < offset + 3) return g.make(Op::LaunchWord, {}, kOffset + n - offset);
  return g.make(Op::LaunchWord, {}, n);
}

// A word of the AQL packet: sizes of work-groups in 16 bits each, sizes of the grid. [S1 «Kernel Dispatch»]
Id packet_word(Graph& g, u32 n) {
  if (n == 0) {  // the header, which has no place in OpenCL C; above it the number of dimensions
    const Id header = g.make(Op::And, {g.make(Op::Table, {}, kUnknown), g.constant(0xffff)});
    return g.make(Op::Or, {header, g.make(Op::Shl, {g.make(Op::LaunchWord, {}, kWorkDim), g.constant(16)})});
  }
  if (n == 1) {
    const Id x = g.make(Op::LaunchWord, {}, kLocalSize), y = g.make(Op::LaunchWord, {}, kLocalSize + 1);
    return g.make(Op::Or, {x, g.make(Op::Shl, {y, g.constant(16)})});
  }
  if (n == 2) return g.make(Op::LaunchWord, {}, kLocalSize + 2);
  if (n >= 3 && n < 6) return g.make(Op::LaunchWord, {}, kGlobalSize + n - 3);
  if (n == 10 || n == 11) return g.make(Op::Table, {}, kKernargLow + (n - 10));  // the argument block's address
  return kNone;
}
// A word that small arguments may share: from the last one down, each above those before it.
template <class ArgumentWord>
Id shared_word(Graph& g, const Source& source, u32 at, ArgumentWord argument_word) {
  std::vector<u64> places;
  for (const Argument& argument : source.kernel.arguments)
    if (const auto place = place_of(argument); place && *place >= at && *place < u64{at} + 4) places.push_back(*place);
  std::ranges::sort(places);
  if (places.size() < 2 || places.front() != at) return argument_word(at);
  Id out = kNone;
  u32 above = at + 4;
  for (std::size_t n = places.size(); n-- > 0;) {
    const u32 first = static_cast<u32>(places[n]), bits = 8 * (above - first);
    Id own = g.make(Op::ArgumentWord, {}, first);
    if (bits < 32) own = g.make(Op::And, {own, g.constant((u32{1} << bits) - 1)});
    if (out != kNone) own = g.make(Op::Or, {own, g.make(Op::Shl, {out, g.constant(bits)})});
    out = own;
    above = first;
  }
  return out;
}
// A word of the argument block.
template <class ArgumentWord>
Id block_word(Graph& g, const Source& source, u32 at, ArgumentWord argument_word) {
  const u32 bytes = source.kernel.address_bits == AddressBits::Bits32 ? 4 : 8;
  for (const Argument& argument : source.kernel.arguments) {
    const auto place = place_of(argument);
    const auto* const hidden = std::get_if<Hidden>(&argument.kind);
    if (!place || at < *place || at >= *place + bytes || hidden == nullptr) continue;
    if (hidden->what == HiddenKind::PrintfBuffer && bytes == 8)
      return g.make(Op::Table, {}, u64{kPrintf} << 4 | (at - static_cast<u32>(*place)) / 4);
    if (hidden->what > HiddenKind::GlobalOffsetZ) return kNone;
    if (at != *place) return g.constant(0);
    return g.make(Op::LaunchWord, {}, kOffset + static_cast<u32>(hidden->what));
  }
  return shared_word(g, source, at, argument_word);
}

// A word of the slot of an image or a sampler; `kNone`: it is none.
Id image_word(Graph& g, const Source& source, u32 at) {
  const auto& arguments = source.kernel.arguments;
  for (u32 n = 0; n < arguments.size(); ++n) {
    const bool image = std::holds_alternative<Image>(arguments[n].kind);
    const auto place = place_of(arguments[n]);
    if ((!image && !std::holds_alternative<Sampler>(arguments[n].kind)) || !place || at < *place) continue;
    const u32 word = static_cast<u32>(at - *place) / 4;
    if (arguments[n].in_constant_buffer() != nullptr) {
      if (image && word < 8) return image_constant(g, source, n, word);
    } else if (word < 2) {  // the address of an object
      const u64 kind = image ? kImageArguments : kSamplerArguments;
      return g.make(Op::Table, {}, u64{n} << 8 | kind << 4 | word);
    }
  }
  return kNone;
}

// A word of a struct that is read by its address; `kNone`: the address is none of a struct's.
Id value_word(Graph& g, const Source& source, Id address, u64 at) {
  address = g.resolve(address);
  if (const Node& sum = g.nodes[address]; sum.op == Op::Add64 && g.value64(sum.args[1])) {
    at += *g.value64(sum.args[1]);
    address = g.resolve(sum.args[0]);
  }
  const Node& pointer = g.nodes[address];
  if (pointer.op != Op::Pointer) return kNone;
  const Argument& argument = source.kernel.arguments[pointer.imm];
  const auto* const value = std::get_if<ByValue>(&argument.kind);
  if (!by_reference(argument) || value == nullptr || at % 4 != 0 || at >= value->elements) return kNone;
  return g.make(Op::ValueWord, {}, pointer.imm << 16 | at / 4);
}

// Whether a word is made of a lane mask.
bool of_mask(const Graph& g, Id id, std::unordered_map<Id, bool>& seen) {
  id = g.resolve(id);
  if (const auto [known, added] = seen.try_emplace(id, false); !added) return known->second;
  const Node& n = g.nodes[id];
  const bool walk =
      n.op == Op::And || n.op == Op::Or || n.op == Op::Xor || n.op == Op::Not || n.op == Op::Phi || n.op == Op::Select;
  bool out = n.op == Op::MaskWord;
  if (walk)
    for (const Id arg : n.args) out = out || of_mask(g, arg, seen);
  seen[id] = out;
  return out;
}

// The packet and the kernarg segment begin at multiples of 64 and of 16 bytes [S1 «Kernel Dispatch»]: what is set in
// the low bits of their addresses is added to them. The address and that.
std::pair<Id, u32> aligned_part(const Graph& g, Id low) {
  const Node& n = g.at(low);
  if (n.op != Op::Or || !g.is(n.args[0], Op::Table)) return {low, 0};
  const u64 kind = g.at(n.args[0]).imm >> 4 & 15;
  const auto bits = g.value(n.args[1]);
  const u32 below = kind == kPacket ? 64 : kind == kKernarg ? kKernargAlignment : 0;
  return bits && *bits < below ? std::pair(n.args[0], *bits) : std::pair(low, 0u);
}

// Scalar loads by an address that is in no table read memory as any load does, a word each: what is not used of them
// would be read beyond the end of a buffer.
void open_scalar_loads(Graph& g) {
  std::map<std::pair<Id, u64>, Id> words;
  for (BasicBlock& block : g.blocks) {
    std::vector<Id> effects;
    for (const Id id : block.effects) {
      effects.push_back(id);
      const Node load = g.nodes[id];
      if (load.forward != kNone || load.op != Op::Load || g.accesses[load.access].room != Room::Scalar) continue;
      if (load.args.size() != 4) continue;
      const Id base = g.make(Op::Join, {load.args[2], load.args[3]});
      // A known place of the arguments, or a table of another kind: what cannot be told of it by now is refused.
      const bool table = g.is(base, Op::Join) && (g.is(load.args[2], Op::Table) || g.is(load.args[3], Op::Table));
      if (table || (g.is(base, Op::Arguments) && g.value(load.args[1]))) continue;
      const u32 count = g.accesses[load.access].components;
      const u32 access = g.access({.room = Room::Generic});
      const Id start = g.make(Op::Add64, {base, g.make(Op::Join, {load.args[1], g.constant(0)})});
      effects.pop_back();
      for (u32 n = 0; n < count; ++n) {
        const Id address = g.make(Op::Add64, {start, g.constant64(4 * n)});
        const Id word = g.add({.op = Op::Load,
                               .block = load.block,
                               .offset = load.offset,
                               .args = {load.args[0], address},
                               .access = access,
                               .scalar = true});
        effects.push_back(word);
        words[{id, n}] = word;
      }
      if (count == 1) g.nodes[id].forward = words[{id, 0}];
    }
    block.effects = std::move(effects);
  }
  if (words.empty()) return;
  for (Node& n : g.nodes)
    if (n.op == Op::Loaded && n.forward == kNone)
      if (const auto at = words.find({g.resolve(n.args[0]), n.imm}); at != words.end()) n.forward = at->second;
}

}  // namespace

void settle(Graph& g, const Source& source) {
  // With the 64-bit ABI the slot of a pointer holds the address that the parameter has.
  std::map<u32, u64> pointers;
  if (source.kernel.address_bits == AddressBits::Bits64)
    for (std::size_t n = 0; n < source.kernel.arguments.size(); ++n) {
      const Argument& argument = source.kernel.arguments[n];
      if (std::holds_alternative<LocalPointer>(argument.kind) || !is_address(argument)) continue;
      if (const auto at = place_of(argument)) pointers[static_cast<u32>(*at)] = n;
    }
  // A word is looked for among all arguments, each time anew.
  const auto argument_word = [&](u32 at) {
    if (!g.spend(source.kernel.arguments.size())) return kNone;
    if (const Id part = image_word(g, source, at); part != kNone) return part;
    for (const u32 half : {0u, 4u})
      if (const auto found = at >= half ? pointers.find(at - half) : pointers.end(); found != pointers.end())
        return g.make(half == 0 ? Op::Low : Op::High, {g.make(Op::Pointer, {}, found->second)});
    return g.make(Op::ArgumentWord, {}, at);
  };
  const auto start_word = [&](u32 kind, u32 at) -> Id {
    if (!g.spend(3 * source.kernel.arguments.size())) return kNone;
    if (kind == kPacket) return packet_word(g, at / 4);
    if (kind == kQueue) return at == abi::kQueueApertures ? g.make(Op::Aperture) : kNone;
    if (kind != kKernarg) return kNone;
    if (source.kernel.kernarg() == nullptr) return block_word(g, source, at, argument_word);
    const std::optional<Id> hidden = kernarg_word(g, source, at);
    return hidden ? *hidden : shared_word(g, source, at, argument_word);
  };
  constexpr u64 kMost = 1 << 16;  // further from a start are no arguments
  // The same loaded by lanes, which may want less than a word.
  const auto by_lane = [&](const Node& load, u32 more) -> Id {
    Id base = g.resolve(load.args[1]);
    u64 at = more;
    if (const Node& sum = g.nodes[base]; sum.op == Op::Add64 && g.value64(sum.args[1])) {
      at += *g.value64(sum.args[1]);
      base = g.resolve(sum.args[0]);
    }
    const Access what = g.accesses[load.access];
    u32 kind = kOther;
    if (const Node& pair = g.nodes[base]; pair.op == Op::Arguments) {
      kind = kKernarg;
    } else if (pair.op == Op::Join && g.is(pair.args[1], Op::Table)) {
      const auto [table, more_bits] = aligned_part(g, pair.args[0]);
      if (!g.is(table, Op::Table)) return kNone;
      at += more_bits;
      const u64 low = g.at(table).imm;
      if (g.at(pair.args[1]).imm != low + 1) return kNone;
      kind = static_cast<u32>(low >> 4 & 15);
    } else if (pair.op != Op::Pointer) {
      return kNone;
    }
    if (at >= kMost) return kNone;
    const auto word_at = [&](u32 place) {
      return kind == kOther ? value_word(g, source, base, place) : start_word(kind, place);
    };
    const u32 shift = static_cast<u32>(at % 4) * 8;
    Id word = word_at(static_cast<u32>(at) & ~3u);
    if (word == kNone || (shift == 0 && what.bytes == 4)) return word;
    if (at % 4 + what.bytes > 4) {  // parts of two
      const Id next = word_at((static_cast<u32>(at) & ~3u) + 4);
      if (next == kNone) return kNone;
      word =
          g.make(Op::Or, {g.make(Op::Shr, {word, g.constant(shift)}), g.make(Op::Shl, {next, g.constant(32 - shift)})});
      if (what.bytes == 4) return word;
      if (what.is_signed) return g.make(Op::SignExtend16, {word});
      return g.make(Op::And, {word, g.constant(0xffff)});
    }
    const Id shifted = g.make(Op::Shr, {word, g.constant(static_cast<u32>(at % 4) * 8)});
    if (what.is_signed) return g.make(what.bytes == 1 ? Op::SignExtend8 : Op::SignExtend16, {shifted});
    return g.make(Op::And, {shifted, g.constant((u32{1} << what.bytes * 8) - 1)});
  };
  // The same at one of two places: the size of a work-group is read behind that of the last one of a launch whose
  // groups need not be of one size.
  const auto by_choice = [&](const Node& load, u32 more) -> Id {
    const Node whole = g.at(load.args[1]);
    const bool moved = whole.op == Op::Add64 && g.value64(whole.args[1]);
    const u64 at = more + (moved ? *g.value64(whole.args[1]) : 0);
    const Node sum = moved ? g.at(whole.args[0]) : whole;
    if (sum.op != Op::Add64 || at >= kMost) return kNone;
    for (const std::size_t k : {0u, 1u}) {
      const Node& distance = g.at(sum.args[k]);
      if (distance.op != Op::Join || g.value(distance.args[1]) != 0u || !g.is(distance.args[0], Op::Select)) continue;
      const Node choice = g.at(distance.args[0]);
      Ids words;
      for (const std::size_t side : {1u, 2u}) {
        const auto place = g.value(choice.args[side]);
        if (!place) return kNone;
        Node one = load;
        one.args[1] = g.make(Op::Add64, {sum.args[1 - k], g.constant64(*place)});
        words.push_back(by_lane(one, static_cast<u32>(at)));
      }
      if (words[0] == kNone || words[1] == kNone) return kNone;
      return g.make(Op::Select, {choice.args[0], words[0], words[1]}, 0, choice.block);
    }
    return kNone;
  };
  // What a scalar load reads at the address that two words are.
  const auto scalar_word = [&](std::array<Id, 2> words, u32 at) -> Id {
    // The low word of a sum may carry: then it is one only as the number of 64 bits that both words are.
    if (const Node& top = g.at(words[1]);
        (top.op == Op::Add && g.is(top.args[0], Op::Table)) || (top.op == Op::High && g.is(words[0], Op::Low))) {
      if (const Node& sum = g.at(g.make(Op::Join, {words[0], words[1]})); sum.op == Op::Add64) {
        const Id start = sum.args[0];  // nodes that are made below move it
        const u64 distance = g.value64(sum.args[1]).value_or(kMost);
        if (const Node& pair = g.at(start); distance < kMost && pair.op == Op::Join) {
          std::ranges::copy(pair.args, words.begin());
          at += static_cast<u32>(distance);
        } else if (distance < kMost && pair.op == Op::Arguments) {
          words[0] = g.make(Op::Low, {start}), words[1] = g.make(Op::High, {start});
          at += static_cast<u32>(distance);
        }
      }
    }
    const auto [start, more] = aligned_part(g, words[0]);
    const u64 low = g.at(start).imm, high = g.at(words[1]).imm;
    const bool table = g.is(start, Op::Table) && g.is(words[1], Op::Table) && high == low + 1;
    at += more;
    const u32 kind = table ? static_cast<u32>(low >> 4 & 15) : u32{kOther};
    Id now = start_word(kind, at);
    if (kind <= kScratch) {
      const u32 entry = kTableEntry[kind];
      now = g.make(Op::Resource, {}, u64{at / entry} << 8 | kind << 4 | at % entry / 4);
    }
    const bool sampler = kind == kSamplerArguments || kind == kSamplerObjects;
    if (!table) now = sampler_handle(g, source, words[0], words[1], at);
    if (!table && now == kNone) now = value_word(g, source, g.make(Op::Join, {words[0], words[1]}), at);
    if (kind == kImageArguments) now = image_object(g, static_cast<u32>(low >> 8), at);
    if (sampler && at < 16) now = g.make(Op::Resource, {}, (low & ~u64{255}) | kind << 4 | at / 4);
    return now;
  };
  // The same where ways meet that have an address each, as of a dimension that is an argument: what each reads there,
  // before the load. Numbers, and the descriptor of private memory that a wavefront starts with, are no address: nobody
  // loads there who comes that way.
  const auto is_no_address = [&](Id low, Id high) {
    const auto is_left = [&](Id id) {
      return g.is(id, Op::Undefined) || (g.is(id, Op::Resource) && (g.at(id).imm >> 4 & 15) == kScratch);
    };
    return is_left(low) || is_left(high) || g.value(low);
  };
  struct Ways {
    std::map<std::pair<Id, Id>, Id> known;  // by the words of the address; phis, of which some are not complete
    bool some = false;  // address was one
  };
  const std::function<Id(Id, Id, u32, u32, Ways&)> by_ways = [&](Id low, Id high, u32 at, u32 depth, Ways& ways) -> Id {
    if (const Id now = scalar_word({low, high}, at); now != kNone) {
      ways.some = true;
      return now;
    }
    low = g.resolve(low), high = g.resolve(high);
    if (const auto known = ways.known.find({low, high}); known != ways.known.end()) return known->second;
    const Id phi = g.is(low, Op::Phi) ? low : high;
    if (!g.is(phi, Op::Phi)) return is_no_address(low, high) ? g.make(Op::Undefined) : kNone;
    if (depth == 0 || !g.spend()) return kNone;
    const Node first = g.nodes[phi];  // nodes that are made below move it
    const auto on_way = [&](Id id, std::size_t k) {
      const Node& n = g.nodes[id];
      return n.op == Op::Phi && n.block == first.block ? n.args[k] : id;
    };
    const Id out =
        g.add({.op = Op::Phi, .type = first.type, .block = first.block, .offset = first.offset, .scalar = true});
    ways.known.emplace(std::pair(low, high), out);
    for (std::size_t k = 0; k < first.args.size(); ++k) {
      const Id word = by_ways(on_way(low, k), on_way(high, k), at, depth - 1, ways);
      if (word == kNone) return kNone;
      g.nodes[out].args.push_back(word);
    }
    return out;
  };
  const auto word_by_ways = [&](Id low, Id high, u32 at) {
    constexpr u32 kMostWays = 16;  // that meet after each other
    Ways ways;
    const Id out = by_ways(low, high, at, kMostWays, ways);
    const bool all = out != kNone && ways.some;
    for (const auto& [address, phi] : ways.known) {
      if (all)
        g.blocks[g.nodes[phi].block].phis.push_back(phi);
      else
        g.nodes[phi].forward = g.make(Op::Undefined);
    }
    return all ? out : kNone;
  };
  for (u32 pass = 0; pass < 32; ++pass) {
    g.simplify(false);
    settle_addresses(g);
    bool changed = false;
    const std::size_t count = g.nodes.size();
    // What loads give is known only once it is known from where they load.
    for (Id id = 0; id < count; ++id) {
      constexpr auto may_be_more = [](Op op) {
        return op == Op::Loaded || op == Op::Load || op == Op::And || op == Op::NonZero;
      };
      if (g.nodes[id].forward != kNone || !may_be_more(g.nodes[id].op)) continue;
      const Node n = g.nodes[id];
      g.origin = n.offset;
      const bool part = n.op == Op::Loaded, alone = n.op == Op::Load && g.accesses[n.access].components == 1;
      if (part || alone) {
        const Node load = part ? g.at(n.args[0]) : n;  // nodes that are made below move it
        if (const Id word = image_part(g, source, n); word != kNone) {
          g.nodes[id].forward = word;
          changed = true;
          continue;
        }
        if (load.op == Op::Load && g.accesses[load.access].room == Room::Generic) {
          const u32 more = part ? static_cast<u32>(n.imm) * 4 : 0;
          Id now = by_lane(load, more);
          if (now == kNone) now = by_choice(load, more);
          if (now == kNone) continue;
          g.nodes[id].forward = now;
          changed = true;
          continue;
        }
        // Words of constant buffers that lanes load, in vectors of 16 bytes where they do so by index.
        if (load.op == Op::Load && g.accesses[load.access].room == Room::Uav && load.args.size() == 7) {
          const auto distance = g.value(load.args[1]), index = g.value(load.args[2]);
          const auto from = descriptor(g, std::span(load.args).subspan(3));
          const u64 place = u64{distance.value_or(0)} + u64{16} * index.value_or(0) + (part ? n.imm : 0) * 4;
          if (!distance || !index || !from || from->kind != kConstantBuffers || from->slot > 1) continue;
          if (g.accesses[load.access].bytes != 4 || place >= kMost || place % 4 != 0) continue;
          const u32 at = static_cast<u32>(place);
          const Id now = from->slot == 0 ? launch_word(g, source, at / 4) : argument_word(at);
          if (now == kNone) continue;
          g.nodes[id].forward = now;
          changed = true;
          continue;
        }
        if (load.op != Op::Load || g.accesses[load.access].room != Room::Scalar) continue;
        const auto offset = g.value(load.args[1]);
        if (!offset) continue;
        u32 at = *offset + static_cast<u32>(part ? n.imm : 0) * 4;
        Id now = kNone;
        if (load.args.size() == 6) {
          const auto from = descriptor(g, std::span(load.args).subspan(2));
          if (from && from->kind == 0 && from->slot == 0) now = launch_word(g, source, at / 4);
          if (from && from->kind == 0 && from->slot == 1) now = argument_word(at);
        } else {
          now = word_by_ways(load.args[2], load.args[3], at);
        }
        if (now == kNone) continue;
        g.nodes[id].forward = now;
        changed = true;
      } else if (const Id of_image = image_part(g, source, n); of_image != kNone) {
        g.nodes[id].forward = of_image;
        changed = true;
      } else if (n.op == Op::NonZero) {
        std::unordered_map<Id, bool> seen;
        const bool mask = of_mask(g, n.args[1], seen) || of_mask(g, n.args[2], seen);
        const Id now = mask ? g.make(Op::AnyLane, {n.args[0]}, 0, n.block)
                            : g.make(Op::NeU, {g.make(Op::Or, {n.args[1], n.args[2]}), g.constant(0)});
        g.nodes[id].forward = now;
        changed = true;
      }
    }
    g.origin = 0;
    if (!changed) break;
  }
  open_scalar_loads(g);
  split_generic(g);
  // A branch on whether any lane has a bit is one on the mask.
  for (BasicBlock& block : g.blocks) {
    BlockEnd& end = block.end;
    if (end.kind != BlockEnd::Kind::Branch) continue;
    for (;;) {
      const Node& n = g.at(end.condition);
      if (n.op == Op::AnyLane && !end.lanes) {
        end.condition = g.resolve(n.args[0]);
        end.lanes = true;
      } else if (n.op == Op::BoolNot && !end.lanes) {
        end.condition = g.resolve(n.args[0]);
        std::swap(end.yes, end.no);
      } else {
        break;
      }
    }
  }
}

void settle_late(Graph& g, const Source& source) {
  const auto from_start = [&](const Node& load) {
    if (load.op != Op::Load || load.forward != kNone || g.accesses[load.access].room != Room::Generic) return false;
    const Node* base = &g.at(load.args[1]);
    if (base->op == Op::Add64 && g.value64(base->args[1])) base = &g.at(base->args[0]);
    return base->op == Op::Arguments || (base->op == Op::Join && g.is(base->args[1], Op::Table));
  };
  for (const BasicBlock& block : g.blocks)
    if (std::ranges::any_of(block.effects, [&](Id id) { return from_start(g.nodes[id]); })) return settle(g, source);
}

std::optional<Descriptor> descriptor(const Graph& g, std::span<const Id> words) {
  for (std::size_t n = 0; n < words.size(); ++n) {
    const Node& word = g.at(words[n]);
    if (word.op != Op::Resource || (word.imm & 7) != n || (n > 0 && word.imm >> 4 != g.at(words[0]).imm >> 4))
      return std::nullopt;
  }
  const u64 imm = g.at(words[0]).imm;
  return Descriptor{static_cast<u32>(imm >> 4 & 15), static_cast<u32>(imm >> 8)};
}

bool by_reference(const Argument& argument) {
  return argument.in_block() != nullptr && argument.in_block()->by_reference;
}

bool is_address(const Argument& argument) {
  return pointer_of(argument) != nullptr || std::holds_alternative<Pipe>(argument.kind) || by_reference(argument);
}

std::optional<u64> place_of(const Argument& argument) {
  if (const auto* const slot = argument.in_constant_buffer()) return slot->offset;
  if (const auto* const slot = argument.in_block()) return slot->offset;
  if (const auto* const slot = argument.in_kernarg()) return slot->offset;
  return std::nullopt;
}

void find_memory(Graph& graph, const Source& source) { Finder(graph, source).run(); }

}  // namespace amdcompat::lift
