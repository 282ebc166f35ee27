// Distances between instructions that code has to keep.
#include <algorithm>
#include <bit>
#include <bitset>

#include <amdcompat/gcn_checks.hpp>

#include "rows.hpp"

namespace amdcompat::gcn {
namespace {

using G = Generation;

using Scalars = std::bitset<128>;  // by the codes of scalar operands
struct Step {
  Instruction instruction;
  Operands operands;
  Scalars written;
  u32 wait_states = 1;  // that it takes
  u32 rules = 0;  // of which it may be the first instruction: bit n is number n of those of the generation
};

// An instruction that was issued a short time ago.
struct Earlier {
  u32 step = 0;
  u8 wait_states = 0;  // that lie between
  Scalars live;  // registers that it wrote and no later one: real compilers count distances from the last write only
  friend bool operator==(const Earlier&, const Earlier&) = default;
};

bool is_valu(const Instruction& i) {
  switch (i.format) {
    case Format::Vop1:
    case Format::Vop2:
    case Format::Vopc:
    case Format::Vop3:
    case Format::Vop3p: return true;
    default: return false;
  }
}
bool is_salu(const Instruction& i) { return i.format <= Format::Sopp; }
bool is_vmem(const Instruction& i) {
  return i.format == Format::Mubuf || i.format == Format::Mtbuf || i.format == Format::Mimg ||
         i.format == Format::Flat || i.format == Format::Global || i.format == Format::Scratch;
}
bool is_setreg(const Instruction& i) {
  return i.opcode == Opcode::s_setreg_b32 || i.opcode == Opcode::s_setreg_imm32_b32;
}

bool overlap(const Operand& a, const Operand& b) {
  return a.file == b.file && a.first < b.first + b.dwords && b.first < a.first + a.dwords;
}
// Two instructions, and what of the first one's registers the second one finds.
struct Pair {
  const Step& first;
  const Step& second;
  const Scalars& live;
  [[nodiscard]] const Instruction& before() const { return first.instruction; }
  [[nodiscard]] const Instruction& now() const { return second.instruction; }
  [[nodiscard]] bool wrote(u32 code, u32 dwords) const {
    for (u32 n = code; n < code + dwords && n < live.size(); ++n)
      if (live[n]) return true;
    return false;
  }
  // A scalar register that a field of the second instruction names and the first one wrote.
  [[nodiscard]] bool feeds_scalar() const {
    return std::ranges::any_of(second.operands, [&](const Operand& use) {
      return use.read && !use.implicit && use.file == File::Scalar && wrote(use.first, use.dwords);
    });
  }
};

Scalars written(const Operands& operands) {
  Scalars out;
  for (const Operand& o : operands)
    for (u32 n = o.first; o.written && o.file == File::Scalar && n < u32{o.first} + o.dwords && n < out.size(); ++n)
      out.set(n);
  return out;
}
bool reads_source(const Instruction& i, u32 code) { return std::ranges::find(i.sources, code) != i.sources.end(); }

// What the rules say of a pair whose first instruction is of the rule's kind.

bool smrd_feeds(const Pair& p) { return p.now().format == Format::Smrd && p.feeds_scalar(); }
// Not the register with the offset: compilers for GFX6 write that one directly before.
bool smrd_after_salu(const Pair& p) {
  if (p.now().format != Format::Smrd) return false;
  return std::ranges::any_of(p.second.operands, [&](const Operand& use) {
    return use.read && use.file == File::Scalar && use.first == p.now().resource && p.wrote(use.first, use.dwords);
  });
}
bool vmem_feeds(const Pair& p) { return is_vmem(p.now()) && p.feeds_scalar(); }
bool lane_select(const Pair& p) {
  const Opcode opcode = p.now().opcode;
  return (opcode == Opcode::v_readlane_b32 || opcode == Opcode::v_writelane_b32) && p.wrote(p.now().sources[1], 1);
}
bool div_fmas(const Pair& p) {
  const Opcode opcode = p.now().opcode;
  return (opcode == Opcode::v_div_fmas_f32 || opcode == Opcode::v_div_fmas_f64) && p.wrote(kVcc, 2);
}
bool zero_flag(const Pair& p) {
  return is_valu(p.now()) &&
         ((reads_source(p.now(), kVccZero) && p.wrote(kVcc, 2)) || (reads_source(p.now(), 252) && p.wrote(kExec, 2)));
}
// Register of hardware that s_setreg and s_getreg are about.
u32 hardware_register(const Instruction& i) { return static_cast<u32>(i.immediate) & 63; }
bool getreg(const Pair& p) {
  return p.now().opcode == Opcode::s_getreg_b32 && hardware_register(p.before()) == hardware_register(p.now());
}
bool setreg(const Pair& p) { return is_setreg(p.now()) && hardware_register(p.before()) == hardware_register(p.now()); }
// The data of a store of more than 64 bits, which is read late unless the offset comes from a register.
bool wide_store(const Pair& p) {
  const Instruction& store = p.before();
  if (store.format == Format::Mimg || !p.first.operands.stores || !is_valu(p.now())) return false;
  const bool buffer = store.format == Format::Mubuf || store.format == Format::Mtbuf;
  if (buffer && store.sources[1] < kFirstConstant) return false;
  for (const Operand& data : p.first.operands) {
    if (data.file != File::Vector || !data.read || data.dwords <= 2 || data.first != store.data) continue;
    for (const Operand& def : p.second.operands)
      if (def.written && overlap(def, data)) return true;
  }
  return false;
}
bool dpp_source(const Pair& p) {
  if (p.now().variant != Variant::Dpp) return false;
  for (const Operand& use : p.second.operands)
    for (const Operand& def : p.first.operands)
      if (use.read && def.written && use.file == File::Vector && overlap(def, use)) return true;
  return false;
}
bool dpp_exec(const Pair& p) { return p.now().variant == Variant::Dpp && p.wrote(kExec, 2); }
bool message(const Pair& p) {
  return p.wrote(kM0, 1) && (p.second.operands.space == Space::Gds || p.now().opcode == Opcode::s_sendmsg ||
                             p.now().opcode == Opcode::s_sendmsghalt);
}

struct Rule {
  HazardRule rule;
  bool (*kind)(const Instruction& first);
  bool (*applies)(const Pair& pair);
};
constexpr std::string_view kLlvm = "LLVM GCNHazardRecognizer", kAco = "ACO NOP_ctx_gfx6";
constexpr Rule kRules[] = {
    {{"smrd-after-valu", G::Gfx6, G::Gfx6, 4, "a vector instruction writes a scalar register that a scalar load reads",
      kLlvm},
     is_valu,
     smrd_feeds},
    {{"smrd-after-salu", G::Gfx6, G::Gfx6, 4, "a scalar instruction writes a register that a scalar load reads",
      "LLVM GCNHazardRecognizer, which knows it of descriptors"},
     is_salu,
     smrd_after_salu},
    {{"vmem-after-valu", G::Gfx8, G::Gfx9, 5,
      "a vector instruction writes a scalar register that a memory access reads", kLlvm},
     is_valu,
     vmem_feeds},
    {{"lane-select", G::Gfx6, G::Gfx9, 4, "a vector instruction writes the register that selects a lane", kLlvm},
     is_valu,
     lane_select},
    {{"div-fmas", G::Gfx6, G::Gfx9, 4, "a vector instruction writes VCC before v_div_fmas", kLlvm}, is_valu, div_fmas},
    {{"zero-flag", G::Gfx6, G::Gfx9, 5, "a vector instruction writes VCC or EXEC before VCCZ or EXECZ is an operand",
      kAco},
     is_valu,
     zero_flag},
    {{"getreg", G::Gfx6, G::Gfx9, 2, "s_setreg before s_getreg of the same register", kLlvm}, is_setreg, getreg},
    {{"setreg", G::Gfx6, G::Gfx7, 1, "s_setreg before s_setreg of the same register", kLlvm}, is_setreg, setreg},
    {{"setreg", G::Gfx8, G::Gfx9, 2, "s_setreg before s_setreg of the same register", kLlvm}, is_setreg, setreg},
    {{"wide-store", G::Gfx7, G::Gfx9, 1, "data of a store of more than 64 bits is overwritten", kLlvm},
     is_vmem,
     wide_store},
    {{"dpp-source", G::Gfx8, G::Gfx9, 2, "a vector instruction writes what DPP reads", kLlvm}, is_valu, dpp_source},
    {{"dpp-exec", G::Gfx8, G::Gfx9, 5, "a vector instruction writes EXEC before DPP", kLlvm}, is_valu, dpp_exec},
    {{"message", G::Gfx8, G::Gfx9, 1, "a scalar instruction writes M0 before a message or an access to GDS", kLlvm},
     is_salu,
     message},
};
constexpr u8 kWindow = 5;  // the longest distance of a rule
static_assert(kWindow == std::ranges::max_element(kRules, {}, [](const Rule& one) {
                           return one.rule.wait_states;
                         })->rule.wait_states);

using Recent = std::vector<Earlier>;  // by step, each once: what was issued less than `kWindow` wait states ago

class Search {
 public:
  Search(std::span<const std::byte> code, u32 entry, Generation generation) : code_(code), generation_(generation) {
    for (const Rule& rule : kRules) {
      if (generation < rule.rule.first || rule.rule.last < generation) continue;
      const auto kind = std::ranges::find(kinds_, rule.kind, &Kind::is);
      (kind == kinds_.end() ? kinds_.emplace_back(rule.kind, 0) : *kind).rules |= 1u << rules_.size();
      rules_.push_back(&rule);
    }
    if (rules_.empty()) return;
    step_of_.resize(code_.size() / 4);
    if (!decode_straight(entry)) {
      flow_ = control_flow(code, entry, generation);
      decode_all();
    }
    begin_.resize(flow_.blocks.size());
  }

  std::vector<Hazard> run() {
    if (rules_.empty()) return {};
    std::vector<bool> open(flow_.blocks.size(), true);
    for (bool again = true; again;) {
      again = false;
      for (std::size_t n = 0; n < flow_.blocks.size(); ++n) {
        if (!open[n]) continue;
        open[n] = false;
        if (flow_.blocks[n].successors.empty()) continue;
        const Recent end = through(flow_.blocks[n], begin_[n], nullptr);
        for (const u32 next : flow_.blocks[n].successors)
          if (join(begin_[next], end)) again = open[next] = true;
      }
    }
    std::vector<Hazard> out;
    for (std::size_t n = 0; n < flow_.blocks.size(); ++n) through(flow_.blocks[n], begin_[n], &out);
    std::ranges::stable_sort(out, {}, &Hazard::second);
    return out;
  }

 private:
  // Code without branches is one block, which needs no looking for: that of a prologue and what comes behind it.
  bool decode_straight(u32 entry) {
    if (entry % 4 != 0) return false;
    Block block{};
    steps_.reserve(std::min<std::size_t>(code_.size() / 4, 64));
    for (u32 at = entry; at + 4 <= code_.size();) {
      const Instruction i = decode(code_, at, generation_);
      if (i.row == nullptr || flow(i.opcode) != Flow::Next) {
        steps_.clear();
        return false;
      }
      block.instructions.push_back(at);
      add(i, at);
      at += i.dwords * u32{4};
    }
    flow_.blocks.push_back(std::move(block));
    return true;
  }
  // Every instruction once, by address.
  void decode_all() {
    std::size_t count = 0;
    for (const Block& block : flow_.blocks) {
      for (const u32 at : block.instructions) step_of_[at / 4] = 1;
      count += block.instructions.size();
    }
    steps_.reserve(count);
    for (u32 dword = 0; dword < step_of_.size(); ++dword)
      if (step_of_[dword] != 0) add(decode(code_, dword * 4, generation_), dword * 4);
  }
  void add(const Instruction& i, u32 at) {
    const u32 most = generation_ >= Generation::Gfx9 ? 15 : 7;
    step_of_[at / 4] = static_cast<u32>(steps_.size());
    Step& step = steps_.emplace_back();
    step.instruction = i;
    step.operands = operands(i, generation_);
    step.written = written(step.operands);
    // What names no register and none is implied by (s_nop) is the first instruction of no pair.
    for (const Kind& kind : kinds_)
      if (step.operands.count != 0 && kind.is(i)) step.rules |= kind.rules;
    if (i.opcode == Opcode::s_nop) step.wait_states = (static_cast<u32>(i.immediate) & most) + 1;
  }
  // The entry of a step, made where there is none, and whether it was.
  static std::pair<Recent::iterator, bool> entry(Recent& recent, u32 step) {
    const auto at = std::ranges::lower_bound(recent, step, {}, &Earlier::step);
    if (at != recent.end() && at->step == step) return {at, false};
    return {recent.insert(at, Earlier{step, 0, {}}), true};
  }
  // Whether the state got more, or nearer, instructions.
  static bool join(Recent& into, const Recent& from) {
    bool changed = false;
    for (const Earlier& earlier : from) {
      const auto [found, fresh] = entry(into, earlier.step);
      if (fresh) found->wait_states = earlier.wait_states;
      const Earlier joined{earlier.step, std::min(found->wait_states, earlier.wait_states), found->live | earlier.live};
      changed = changed || fresh || joined != *found;
      *found = joined;
    }
    return changed;
  }
  Recent through(const Block& block, Recent recent, std::vector<Hazard>* out) {
    for (const u32 at : block.instructions) {
      const u32 n = step_of_[at / 4];
      const Step& here = steps_[n];
      if (out != nullptr)
        for (const Earlier& earlier : recent) {
          const Step& before = steps_[earlier.step];
          for (u32 left = before.rules; left != 0; left &= left - 1) {
            const Rule& rule = *rules_[static_cast<std::size_t>(std::countr_zero(left))];
            if (earlier.wait_states < rule.rule.wait_states && rule.applies({before, here, earlier.live}))
              out->push_back({&rule.rule, before.instruction.offset, at, earlier.wait_states});
          }
        }
      for (Earlier& earlier : recent) {
        earlier.wait_states = static_cast<u8>(std::min<u32>(earlier.wait_states + here.wait_states, kWindow));
        earlier.live &= ~here.written;
      }
      std::erase_if(recent, [](const Earlier& earlier) { return earlier.wait_states >= kWindow; });
      if (here.rules != 0) *entry(recent, n).first = {n, 0, here.written};
    }
    return recent;
  }

  std::span<const std::byte> code_;
  Generation generation_;
  ControlFlow flow_;
  std::vector<Recent> begin_;  // of each block
  std::vector<Step> steps_;
  std::vector<u32> step_of_;  // by dword of the code
  std::vector<const Rule*> rules_;
  struct Kind {
    bool (*is)(const Instruction& first);
    u32 rules;  // that ask for it, as in `Step`
  };
  std::vector<Kind> kinds_;
};

}  // namespace

std::span<const HazardRule> hazard_rules() {
  static const std::vector<HazardRule> out = [] {
    std::vector<HazardRule> rules;
    for (const Rule& rule : kRules) rules.push_back(rule.rule);
    return rules;
  }();
  return out;
}

std::vector<Hazard> hazards(std::span<const std::byte> code, std::uint32_t entry, Generation generation) {
  return Search(code, entry, generation).run();
}

}  // namespace amdcompat::gcn
