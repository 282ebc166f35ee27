// Calls of functions: where they go, and what comes back. [LLVM AMDGPUUsage: «Call Convention»]
//
// A walk over the code as it is executed, from the kernel's entry on, each call with a copy of the function of its own.
// What registers hold is followed as far as it is a number, an address of code, a place to go back to or a word of the
// descriptor of scratch memory; ways that meet keep what they agree on. A machine does the same at the same address
// whatever called it, so that it does not matter for what is right which copy an address is taken to mean.
#include "calls.hpp"

#include <algorithm>
#include <bitset>
#include <deque>
#include <limits>

#include <fmt/format.h>

namespace amdcompat::lift {
namespace {

using gcn::Format;
using gcn::Instruction;
using gcn::Opcode;

constexpr u32 kMostDeep = 64;  // calls within calls
constexpr u32 kMostCalls = 4096;
constexpr u32 kMostInstructions = 20'000;  // as of a kernel without calls
constexpr u64 kMostSteps = 64 * u64{kMostInstructions};  // of the walk: blocks are walked until nothing changes
constexpr std::size_t kMostKnown = 1024;  // of registers, lanes and places of the stack
constexpr u32 kLaneBytes = 4, kWaveBytes = kLaneBytes * kLanes;  // of a dword of scratch memory: a lane's, all lanes'

// What half of a pair, or a lane, holds.
struct Value {
  enum class Kind : u8 {
    Number,
    Code,  // half of an address of code: bytes from the kernel's entry on
    Back,  // half of the address behind a call, of one copy
    Scratch,  // word of the descriptor of scratch memory; `bits`: by which instruction its base has been moved
  } kind = Kind::Number;
  u8 word = 0;
  u32 copy = 0;
  u32 bits = 0;
  friend bool operator==(const Value&, const Value&) = default;
};
using Kind = Value::Kind;

// Keys of what is followed, besides scalar registers by their codes.
constexpr u32 kCarry = 256, kCarryOfAddress = 257;
constexpr u32 kAllLanes = 258;  // EXEC is not what the program's flow has made of it: 1 all lanes, 2 those that are off
constexpr u32 kLane = 1u << 16;  // of vector registers, 64 each
constexpr u32 kStored = 1u << 30;  // by dword of the stack: which copy has stored it
constexpr u32 kSlotLane = 1u << 31;  // lanes of dwords of the stack
constexpr u32 kMostPrivate = 64 << 10;  // bytes of a lane's scratch memory
using State = std::map<u32, Value>;

class Walk {
 public:
  Walk(const Program& program, const Kernel& kernel, std::span<const std::byte> alone, gcn::Generation generation)
      : program_(program), generation_(generation), section_(program.code.sections[kernel.code->section]),
        bytes_(alone.empty() ? std::span<const std::byte>(section_.bytes) : alone), base_(kernel.code->offset),
        entry_(alone.empty() ? base_ : 0) {
    for (const CodeRelocation& relocation : program.code.relocations)
      if (relocation.where.section == kernel.code->section)
        for (u64 n = 0; n < relocation.where.size; ++n)
          relocated_.insert(static_cast<i64>(relocation.where.offset + n - base_));
    copies_.push_back({.entry = 0, .deep = 0, .caller = 0});
    State state;
    if ((entry_user_registers(kernel.entry) & kSgprPrivateBuffer) != 0)
      for (u8 n = 0; n < 4; ++n) state[n] = {.kind = Kind::Scratch, .word = n};
    has_scratch_ = !state.empty();
    go({0, 0}, state, 0);
  }

  Inlined run() {
    while (!open_.empty() && !refusal_) {
      const Place at = open_.front();
      open_.pop_front();
      leaders_.at(at).queued = false;
      walk(at);
    }
    Inlined out;
    if (!refusal_) check_slots();
    if (!refusal_) lay_out(out);
    if (refusal_) {
      out = {};
      out.refusal = std::move(refusal_);
    }
    return out;
  }

 private:
  // An instruction of a copy.
  struct Place {
    u32 copy = 0;
    i64 offset = 0;  // from the kernel's entry on
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  // A block, from its first instruction on.
  struct Leader {
    State in;
    bool queued = false;
    std::vector<i64> list;
    std::vector<Place> to;  // where it jumps, or may
    bool falls = false;  // may go on with what stands behind it
    bool calls = false;
    u32 destination = 0;  // of a call: the register of the address behind it
    Place called;
  };
  struct Copy {
    i64 entry = 0;
    u32 deep = 0, caller = 0;
  };
  // An access of the stack at a place that is known.
  struct OnStack {
    u32 first = 0, last = 0;  // bytes
    bool whole = false;  // by other lanes than those of the program's flow
    bool stored = true;  // a load: by this copy, on every way
    std::array<u32, 2> base{};  // which the descriptor has
  };

  void refuse(i64 offset, Code code, std::string message) {
    if (!refusal_) refusal_ = Refusal{code, static_cast<u32>(offset), std::move(message)};
  }
  bool holds(i64 offset) const {
    const i64 at = static_cast<i64>(entry_) + offset;
    return at >= 0 && at % 4 == 0 && at + 4 <= static_cast<i64>(bytes_.size());
  }
  const Instruction& at(i64 offset) {
    const auto [known, added] = decoded_.try_emplace(offset);
    if (added) known->second = gcn::decode(bytes_, static_cast<u32>(static_cast<i64>(entry_) + offset), generation_);
    return known->second;
  }

  // --- ways ----------------------------------------------------------------------------------------------------------

  // `from`: what goes there.
  void go(const Place& to, const State& state, i64 from) {
    if (state.size() > kMostKnown || leaders_.size() > Graph::kMostBlocks)
      return refuse(from, Code::LiftFlow, std::string(kTooMuchWork));
    if (!holds(to.offset)) return refuse(from, Code::LiftFlow, "runs out of its machine code");
    const auto [leader, added] = leaders_.try_emplace(to);
    if (added) {
      leader->second.in = state;
      // One that stands in the middle of a block ends it.
      if (const auto owner = owners_.find(to); owner != owners_.end() && owner->second != to) queue(owner->second);
      return queue(to);
    }
    State& in = leader->second.in;
    const std::size_t before = in.size();
    std::erase_if(in, [&](const auto& one) {
      const auto other = state.find(one.first);
      return other == state.end() || other->second != one.second;
    });
    if (in.size() != before) queue(to);
  }
  void queue(const Place& at) {
    Leader& leader = leaders_.at(at);
    if (!std::exchange(leader.queued, true)) open_.push_back(at);
  }

  void walk(const Place& from) {
    Leader& own = leaders_.at(from);
    own.list.clear();
    own.to.clear();
    own.falls = own.calls = false;
    state_ = own.in;
    Place now = from;
    while (!refusal_) {
      if (now != from && leaders_.contains(now)) {
        own.falls = true;
        return go(now, state_, own.list.back());
      }
      if (++steps_ > kMostSteps) return refuse(now.offset, Code::LiftFlow, std::string(kTooMuchWork));
      owners_[now] = from;
      if (owners_.size() > kMostInstructions)
        return refuse(now.offset, Code::LiftFlow,
                      fmt::format("has more than {} instructions with those of its functions", kMostInstructions));
      const Instruction& i = at(now.offset);
      if (i.row == nullptr)
        return refuse(now.offset, Code::LiftOpcode, fmt::format("has the unknown encoding 0x{:08x}", i.words[0]));
      own.list.push_back(now.offset);
      const Place next{now.copy, now.offset + 4 * i.dwords};
      const gcn::Flow flow = gcn::flow(i.opcode);
      if (flow == gcn::Flow::End) return;
      if (flow == gcn::Flow::Trap) return refuse(now.offset, Code::LiftFlow, "calls, forks or traps");
      if (flow == gcn::Flow::Branch || flow == gcn::Flow::Conditional) {
        const auto distance = gcn::branch_target(i);
        const Place to{now.copy, now.offset + (*distance - i64{i.offset})};
        own.to.push_back(to);
        go(to, state_, now.offset);
        if (flow == gcn::Flow::Branch) return;
        own.falls = true;
        return go(next, state_, now.offset);
      }
      if (flow != gcn::Flow::Next) return jump(own, now, i);
      take(i, now);
      if (!holds(next.offset)) return refuse(now.offset, Code::LiftFlow, "runs out of its machine code");
      now = next;
    }
  }

  // A jump by register, or a call.
  void jump(Leader& own, const Place& now, const Instruction& i) {
    constexpr std::string_view kUnknownTarget = "jumps to an address in registers";
    std::optional<Place> to;
    bool back = false;
    if (i.opcode == Opcode::s_call_b64) {
      to = Place{now.copy, now.offset + (*gcn::branch_target(i) - i64{i.offset})};
    } else if (i.opcode == Opcode::s_setpc_b64 || i.opcode == Opcode::s_swappc_b64) {
      const auto low = word_of(i.sources[0], i, now.offset, 0), high = word_of(i.sources[0], i, now.offset, 1);
      if (low && high && low->kind == high->kind && low->copy == high->copy && low->word == 0 && high->word == 1) {
        if (low->kind == Kind::Code)
          to = Place{now.copy, static_cast<i64>(u64{high->bits} << 32 | low->bits)};
        else if (low->kind == Kind::Back && low->bits == high->bits)
          to = Place{low->copy, static_cast<i32>(low->bits)}, back = true;
      }
    }
    if (!to) return refuse(now.offset, Code::LiftFlow, std::string(kUnknownTarget));
    if (!holds(to->offset))
      return refuse(now.offset, Code::LiftFlow, "jumps to an address that is no code of its section");
    if (gcn::flow(i.opcode) == gcn::Flow::Call) {
      if (back) return refuse(now.offset, Code::LiftFlow, std::string(kUnknownTarget));
      const u32 destination = i.destination;
      if (destination % 2 != 0 || destination >= gcn::kVcc)
        return refuse(now.offset, Code::LiftFlow, "calls a function, and keeps the way back in no register for it");
      u32& copy = calls_[now];
      if (copy == 0) {
        for (u32 one = now.copy;; one = copies_[one].caller) {
          if (copies_[one].entry == to->offset)
            return refuse(now.offset, Code::LiftFlow, "has a function that calls itself");
          if (one == 0) break;
        }
        if (copies_[now.copy].deep == kMostDeep || copies_.size() > kMostCalls)
          return refuse(now.offset, Code::LiftFlow, "calls more functions than are put in");
        copy = static_cast<u32>(copies_.size());
        copies_.push_back({.entry = to->offset, .deep = copies_[now.copy].deep + 1, .caller = now.copy});
      } else if (copies_[copy].entry != to->offset) {
        return refuse(now.offset, Code::LiftFlow, std::string(kUnknownTarget));
      }
      to->copy = copy;
      for (u8 n = 0; n < 2; ++n)
        set(destination + n,
            {.kind = Kind::Back, .word = n, .copy = now.copy, .bits = static_cast<u32>(now.offset + 4 * i.dwords)});
      own.calls = true;
      own.destination = destination;
    }
    own.to.push_back(*to);
    go(*to, state_, now.offset);
  }

  // --- what registers hold -------------------------------------------------------------------------------------------

  void set(u32 key, const Value& value) { state_[key] = value; }
  void forget(u32 first, u32 count) { state_.erase(state_.lower_bound(first), state_.lower_bound(first + count)); }
  std::optional<Value> known(u32 key) const {
    const auto found = state_.find(key);
    return found == state_.end() ? std::nullopt : std::optional(found->second);
  }
  bool literal_is_set(const Instruction& i, i64 offset) const {
    const i64 at = offset + 4 * (i.dwords - 1);
    return relocated_.lower_bound(at) != relocated_.lower_bound(at + 4);
  }
  // A word of a source. Integers among the constants; those of 64 bits are sign-extended.
  std::optional<Value> word_of(u32 code, const Instruction& i, i64 offset, u32 word) const {
    const auto number = [](u32 bits) { return std::optional(Value{.bits = bits}); };
    if (code < 128) return known(code + word);
    if (code == gcn::kLiteral) return literal_is_set(i, offset) ? std::nullopt : number(word == 0 ? i.literal : 0);
    if (code >= 128 && code <= 192) return number(word == 0 ? code - 128 : 0);
    if (code >= 193 && code <= 208) return number(word == 0 ? 192 - code : ~0u);
    return std::nullopt;
  }
  static std::optional<u32> lane_of(const Instruction& i) {
    const u32 code = i.sources[1];
    return code >= 128 && code < 128 + kLanes ? std::optional(code - 128) : std::nullopt;
  }

  static u32 moved_at(i64 offset) { return static_cast<u32>(offset) + 1; }
  // Sums; addresses of code count from the kernel's entry, so that only the carry from one half to the other is known.
  void sum(const Instruction& i, i64 offset, bool negative, bool carries) {
    const auto a = word_of(i.sources[0], i, offset, 0), b = word_of(i.sources[1], i, offset, 0);
    const auto carry = known(kCarry), of_address = known(kCarryOfAddress);
    forget(i.destination, 1);
    forget(kCarry, 2);
    const auto is = [](const std::optional<Value>& value, Kind kind) { return value && value->kind == kind; };
    // Whoever moves the base of scratch memory is asked later on by how much.
    for (const auto& one : {a, b})
      if (is(one, Kind::Scratch) && one->word < 2 && !negative) {
        if (one->bits == 0) set(i.destination, {.kind = Kind::Scratch, .word = one->word, .bits = moved_at(offset)});
        return;
      }
    if (!a || !b || (carries && !carry)) return;
    const bool address = a->kind == Kind::Code || b->kind == Kind::Code;
    if (a->kind != Kind::Number && a->kind != Kind::Code) return;
    if (b->kind != Kind::Number && (b->kind != Kind::Code || negative || a->kind == Kind::Code)) return;
    if (carries && of_address && !address) return;
    const u64 in = carries ? carry->bits : 0;
    const u64 out = u64{a->bits} + (negative ? ~b->bits : b->bits) + (negative ? 1 - in : in);
    Value value{.bits = static_cast<u32>(out)};
    if (address) value.kind = Kind::Code, value.word = a->kind == Kind::Code ? a->word : b->word;
    set(i.destination, value);
    set(kCarry, {.bits = (out >> 32 != 0) != negative ? 1u : 0u});
    if (address) set(kCarryOfAddress, {});
  }

  // An address that a linker has left to the loader, where nobody else writes to it.
  std::optional<i64> loaded(i64 offset) const {
    const u64 own = section_.address + base_;
    const u64 address = own + static_cast<u64>(offset);
    for (const CodeRelocation& relocation : program_.code.relocations) {
      if (relocation.where.section >= program_.code.sections.size() || relocation.where.size != 8) continue;
      const CodeSection& section = program_.code.sections[relocation.where.section];
      if (section.address + relocation.where.offset != address) continue;
      if (section.writable && section.name != ".got") return std::nullopt;
      const std::optional<CodePlace> to = relocation.symbol ? program_.code.symbols[*relocation.symbol].place
                                                            : std::optional(CodePlace{.section = relocation.target});
      if (!to || to->section >= program_.code.sections.size()) return std::nullopt;
      return static_cast<i64>(program_.code.sections[to->section].address + to->offset +
                              static_cast<u64>(relocation.addend) - own);
    }
    return std::nullopt;
  }

  void take(const Instruction& i, const Place& now) {
    const i64 offset = now.offset;
    const u32 to = i.destination;
    const auto source = [&](std::size_t n, u32 word = 0) { return word_of(i.sources[n], i, offset, word); };
    const auto mubuf_done = i.format == Format::Mubuf && stack(i, now);
    std::vector<std::pair<u32, Value>> made;
    const auto make = [&](u32 key, const std::optional<Value>& value) {
      if (value) made.emplace_back(key, *value);
    };
    const auto number = [&](u32 bits) { return std::optional(Value{.bits = bits}); };
    const auto both = [&](auto apply) {
      const auto a = source(0), b = source(1);
      if (a && b && a->kind == Kind::Number && b->kind == Kind::Number) make(to, number(apply(a->bits, b->bits)));
    };
    std::optional<u32> lanes;  // what EXEC is then
    switch (i.opcode) {
      case Opcode::s_getpc_b64: {
        const u64 next = static_cast<u64>(offset + 4);
        for (u8 n = 0; n < 2; ++n)
          make(to + n, Value{.kind = Kind::Code, .word = n, .bits = static_cast<u32>(next >> 32 * n)});
        break;
      }
      case Opcode::s_mov_b32: make(to, source(0)); break;
      case Opcode::s_mov_b64:
        for (u32 n = 0; n < 2; ++n) make(to + n, source(0, n));
        if (to == gcn::kExec && i.sources[0] == 193) lanes = 1;
        break;
      case Opcode::s_movk_i32: make(to, number(static_cast<u32>(i.immediate))); break;
      case Opcode::s_addk_i32:
        if (const auto a = known(to); a && a->kind == Kind::Number)
          make(to, number(a->bits + static_cast<u32>(i.immediate)));
        break;
      case Opcode::s_add_i32: both([](u32 a, u32 b) { return a + b; }); break;
      case Opcode::s_sub_i32: both([](u32 a, u32 b) { return a - b; }); break;
      case Opcode::s_and_b32: both([](u32 a, u32 b) { return a & b; }); break;
      case Opcode::s_or_b32: both([](u32 a, u32 b) { return a | b; }); break;
      case Opcode::s_lshl_b32: both([](u32 a, u32 b) { return a << (b & 31); }); break;
      case Opcode::s_lshr_b32: both([](u32 a, u32 b) { return a >> (b & 31); }); break;
      case Opcode::s_mul_i32: both([](u32 a, u32 b) { return a * b; }); break;
      case Opcode::s_add_u32: return sum(i, offset, false, false);
      case Opcode::s_addc_u32: return sum(i, offset, false, true);
      case Opcode::s_sub_u32: return sum(i, offset, true, false);
      case Opcode::s_subb_u32: return sum(i, offset, true, true);
      case Opcode::s_or_saveexec_b64:
        if (i.sources[0] == 193) lanes = 1;
        break;
      case Opcode::s_xor_saveexec_b64:
        if (i.sources[0] == 193 && !known(kAllLanes)) lanes = 2;
        break;
      case Opcode::s_load_dwordx2: {
        const auto low = known(i.resource), high = known(i.resource + 1u);
        if (!i.immediate_offset || i.scalar_offset || !low || !high) break;
        if (low->kind != Kind::Code || high->kind != Kind::Code || low->word != 0 || high->word != 1) break;
        const i64 address = static_cast<i64>(u64{high->bits} << 32 | low->bits) + i.immediate;
        if (const auto target = loaded(address))
          for (u8 n = 0; n < 2; ++n)
            make(to + n,
                 Value{.kind = Kind::Code, .word = n, .bits = static_cast<u32>(static_cast<u64>(*target) >> 32 * n)});
        break;
      }
      case Opcode::v_writelane_b32: {
        const auto lane = lane_of(i);
        const auto value = source(0);
        if (!lane) break;  // all of them are forgotten below
        const u32 key = kLane + to * kLanes + *lane;
        forget(key, 1);
        if (value) set(key, *value);
        return;
      }
      case Opcode::v_readlane_b32:
        if (const auto lane = lane_of(i); lane && i.sources[0] >= gcn::kFirstVector)
          make(to, known(kLane + (i.sources[0] - gcn::kFirstVector) * kLanes + *lane));
        break;
      // Which registers are written then is not known; scalars are put away with this off.
      case Opcode::s_set_gpr_idx_on:
      case Opcode::s_set_gpr_idx_off:
      case Opcode::s_set_gpr_idx_mode: forget(kLane, 512 * kLanes); break;
      default: break;
    }
    bool exec = false;
    for (const gcn::Operand& operand : gcn::operands(i, generation_)) {
      if (!operand.written) continue;
      if (operand.file == gcn::File::Scc) forget(kCarry, 2);
      if (operand.file == gcn::File::Scalar) {
        forget(operand.first, operand.dwords);
        exec = exec || (operand.first <= gcn::kExec + 1 && operand.first + u32{operand.dwords} > gcn::kExec);
      }
      if (operand.file == gcn::File::Vector && !mubuf_done)
        forget(kLane + operand.first * kLanes, operand.dwords * kLanes);
    }
    if (exec) {
      forget(gcn::kExec, 2);
      forget(kAllLanes, 1);
    }
    for (const auto& [key, value] : made) set(key, value);
    if (lanes) set(kAllLanes, {.bits = *lanes});
  }

  // --- the stack -----------------------------------------------------------------------------------------------------

  // An access of scratch memory through its descriptor. Whether the lanes of its register have been followed.
  bool stack(const Instruction& i, const Place& now) {
    distances_.erase(now);
    accesses_.erase(now);
    if (!has_scratch_ || i.addr64) return false;
    constexpr u32 kZero = 128;
    for (u8 n = 0; n < 4; ++n)
      if (const auto word = known(i.resource + n); !word || word->kind != Kind::Scratch || word->word != n) {
        // What else there is has its whole address in two registers, but for descriptors that a program makes itself.
        if (i.sources[1] != kZero)
          refuse(now.offset, Code::LiftAddress, "accesses memory by a descriptor and a distance that are not known");
        return false;
      }
    const auto distance = word_of(i.sources[1], i, now.offset, 0);
    if (!distance || distance->kind != Kind::Number || distance->bits % kWaveBytes != 0 ||
        distance->bits / kLanes >= kMostPrivate) {
      refuse(now.offset, Code::LiftAddress, "accesses its stack at a distance that is not known");
      return false;
    }
    const u32 own = distance->bits / kLanes;
    distances_[now] = own;
    if (i.offen || i.idxen) return false;
    const u32 first = own + i.offset0;
    const gcn::Operands operands = gcn::operands(i, generation_);
    const bool store = operands.stores;
    const std::string_view name = gcn::info(i.opcode).name;
    u32 bytes = name.find("byte") != name.npos ? 1 : name.find("short") != name.npos ? 2 : 4;
    for (const gcn::Operand& operand : operands)
      if (operand.file == gcn::File::Vector && operand.first == i.data && operand.dwords > 1)
        bytes = 4u * operand.dwords;
    const bool whole = (i.opcode == Opcode::buffer_store_dword || i.opcode == Opcode::buffer_load_dword) && !i.tfe &&
                       !i.lds && first % 4 == 0 && known(kAllLanes);
    OnStack& access = accesses_[now];
    access = {.first = first,
              .last = first + bytes - 1,
              .whole = whole,
              .base = {known(i.resource)->bits, known(i.resource + 1u)->bits}};
    if (!whole) return false;
    access.last = first + 3;
    const bool all = known(kAllLanes)->bits == 1;
    const u32 dword = first / 4, lanes = kSlotLane + dword * kLanes, vector = kLane + i.data * kLanes;
    const u32 from = store ? vector : lanes, to = store ? lanes : vector;
    if (!store) {
      const auto stored = known(kStored + dword);
      access.stored = stored && stored->copy == now.copy;
    }
    forget(to, kLanes);
    for (u32 n = 0; all && access.stored && n < kLanes; ++n)
      if (const auto value = known(from + n)) set(to + n, *value);
    if (store) set(kStored + dword, {.copy = now.copy});
    return true;
  }
  // Registers on the stack are what the same copy has stored there, or nothing; and nothing else is read or written
  // there while it runs, as far as addresses are known: its functions have stacks behind its own.
  void check_slots() {
    std::map<std::pair<u32, u32>, u32> numbers;  // by copy and dword
    std::map<u32, std::vector<std::pair<u32, u32>>> of_copies;
    std::map<u32, std::array<u32, 2>> bases;
    for (const auto& [place, access] : accesses_) {
      if (!access.whole) continue;
      // What nothing has set may be taken from there, but not what callers have put there.
      if (!access.stored)
        for (u32 copy = place.copy; copy != 0;) {
          copy = copies_[copy].caller;
          for (const auto& [other, of] : accesses_) {
            if (++steps_ > kMostSteps) return refuse(place.offset, Code::LiftFlow, std::string(kTooMuchWork));
            if (other.copy == copy && of.first <= access.last && access.first <= of.last)
              return refuse(place.offset, Code::LiftAddress,
                            "takes a register of all lanes from where its caller has put something else");
          }
        }
      const auto [number, added] =
          numbers.try_emplace({place.copy, access.first / 4}, static_cast<u32>(numbers.size()));
      slots_[place] = number->second;
      if (bases.try_emplace(number->second, access.base).first->second != access.base)
        return refuse(place.offset, Code::LiftAddress, "has two stacks");
      if (added) of_copies[place.copy].emplace_back(access.first, access.last);
    }
    for (const auto& [place, access] : accesses_)
      if (!access.whole)
        for (u32 copy = place.copy;; copy = copies_[copy].caller) {
          if (const auto found = of_copies.find(copy); found != of_copies.end())
            for (const auto& [first, last] : found->second) {
              if (++steps_ > kMostSteps) return refuse(place.offset, Code::LiftFlow, std::string(kTooMuchWork));
              if (access.first <= last && first <= access.last)
                return refuse(place.offset, Code::LiftAddress, "accesses a register of all lanes that is on its stack");
            }
          if (copy == 0) break;
        }
  }

  // --- the result ----------------------------------------------------------------------------------------------------

  void lay_out(Inlined& out) {
    std::vector<std::vector<std::pair<i64, Leader*>>> blocks(copies_.size());
    for (auto& [place, leader] : leaders_) blocks[place.copy].emplace_back(place.offset, &leader);
    const auto row_of = [&](Opcode opcode) {
      return &*std::ranges::find_if(gcn::rows(),
                                    [&](const gcn::Row& row) { return row.opcode == opcode && row.on(generation_); });
    };
    const auto made = [&](Opcode opcode) {
      const gcn::Row* const row = row_of(opcode);
      return Instruction{.row = row, .opcode = opcode, .format = row->format, .dwords = 1};
    };
    const Instruction branch = made(Opcode::s_branch), here = made(Opcode::s_getpc_b64);
    // In the order of execution: a function stands behind its call.
    std::map<Place, u32> where;
    std::vector<std::pair<Place, Leader*>> order;
    struct Next {
      u32 copy;
      std::size_t block;
    };
    std::vector<Next> stack{{0, 0}};
    while (!stack.empty()) {
      auto& [copy, n] = stack.back();
      if (n == blocks[copy].size()) {
        stack.pop_back();
        continue;
      }
      const auto [offset, leader] = blocks[copy][n++];
      if (leader->falls) {
        const i64 end = leader->list.back() + 4 * at(leader->list.back()).dwords;
        if (n == blocks[copy].size() || blocks[copy][n].first != end)
          return refuse(leader->list.back(), Code::LiftFlow, "has instructions within instructions");
      }
      order.emplace_back(Place{copy, offset}, leader);
      if (leader->calls) stack.push_back({leader->to[0].copy, 0});
    }
    u32 next = 0;
    for (const auto& [place, leader] : order) {
      gcn::Block& block = out.flow.blocks.emplace_back();
      block.first = where[place] = next;
      for (const i64 offset : leader->list) {
        Instruction i = at(offset);
        const bool jumps = gcn::flow(i.opcode) == gcn::Flow::Computed || gcn::flow(i.opcode) == gcn::Flow::Call;
        const Place own{place.copy, offset};
        if (const auto distance = distances_.find(own); distance != distances_.end()) {
          i.offset0 += distance->second;
          i.sources[1] = 128;
        }
        if (const auto slot = slots_.find(own); slot != slots_.end()) out.slots[next] = slot->second;
        const auto put = [&](Instruction one) {
          one.offset = next;
          block.instructions.push_back(next);
          block.flow = gcn::flow(one.opcode);
          next += 4u * one.dwords;
          out.instructions.push_back(one);
        };
        out.runs.emplace_back(next, static_cast<u32>(offset));
        if (leader->calls && offset == leader->list.back()) {
          // The address behind the call is that of one that stands in its place.
          Instruction from = here;
          from.destination = static_cast<std::uint16_t>(leader->destination);
          if (i.dwords != 1) return refuse(offset, Code::LiftFlow, "calls, forks or traps");
          put(from);
          out.runs.emplace_back(next, static_cast<u32>(offset));
          ++out.calls;
        }
        put(jumps ? branch : i);
      }
      block.end = next;
    }
    for (u32 n = 0; n < order.size(); ++n) {
      const Leader& leader = *order[n].second;
      gcn::Block& block = out.flow.blocks[n];
      const auto number = [&](u32 first) {
        return static_cast<u32>(std::ranges::lower_bound(out.flow.blocks, first, {}, &gcn::Block::first) -
                                out.flow.blocks.begin());
      };
      for (const Place& to : leader.to) {
        const auto last =
            std::ranges::lower_bound(out.instructions, block.instructions.back(), {}, &Instruction::offset);
        last->immediate = (static_cast<i32>(where.at(to)) - static_cast<i32>(block.end)) / 4;
        block.successors.push_back(number(where.at(to)));
      }
      if (leader.falls) block.successors.push_back(number(block.end));
      std::ranges::sort(block.successors);
      block.successors.erase(std::ranges::unique(block.successors).begin(), block.successors.end());
    }
    for (u32 n = 0; n < out.flow.blocks.size(); ++n)
      for (const u32 to : out.flow.blocks[n].successors) out.flow.blocks[to].predecessors.push_back(n);
    out.flow.entry = static_cast<u32>(
        std::ranges::lower_bound(out.flow.blocks, where.at({0, 0}), {}, &gcn::Block::first) - out.flow.blocks.begin());
  }

  const Program& program_;
  gcn::Generation generation_;
  const CodeSection& section_;
  std::span<const std::byte> bytes_;
  u64 base_, entry_;  // of the kernel, in its section and in `bytes_`
  bool has_scratch_ = false;
  std::set<i64> relocated_;  // bytes that a loader sets
  std::map<i64, Instruction> decoded_;
  std::vector<Copy> copies_;
  std::map<Place, u32> calls_;  // copies, by the call
  std::map<Place, Leader> leaders_;
  std::map<Place, Place> owners_;  // the blocks that instructions were walked over in
  std::deque<Place> open_;
  State state_;
  u64 steps_ = 0;
  std::map<Place, u32> distances_;  // of accesses of the stack, that of a lane
  std::map<Place, OnStack> accesses_;
  std::map<Place, u32> slots_;
  std::optional<Refusal> refusal_;
};

}  // namespace

Inlined inline_calls(const Program& program, const Kernel& kernel, std::span<const std::byte> alone,
                     gcn::Generation generation) {
  return Walk(program, kernel, alone, generation).run();
}

// Whether a vector register whose lanes are set one by one is also stored with a descriptor, in code that may have a
// stack: code that is not optimised puts scalar registers away so.
bool Decoder::keeps_lanes_on_stack() {
  if ((entry_user_registers(kernel_.entry) & kSgprPrivateBuffer) == 0) return false;
  std::bitset<256> set, stored;
  for (const gcn::Block& block : flow_->blocks)
    for (const u32 offset : block.instructions) {
      const Instruction& i = at(offset);
      if (i.opcode == Opcode::v_writelane_b32) set[i.destination & 255] = true;
      if (i.opcode == Opcode::buffer_store_dword) stored[i.data & 255] = true;
    }
  return (set & stored).any();
}

void Decoder::put_in_calls() {
  if (!kernel_.code || kernel_.code->section >= program_.code.sections.size()) return;
  const bool alone = flow_->computed.empty();
  Inlined inlined = inline_calls(program_, kernel_, alone ? code_ : std::span<const std::byte>(), generation_);
  // Code without calls may be lifted as it is.
  if (inlined.refusal && alone) return;
  refusal_ = std::move(inlined.refusal);
  if (refusal_ || inlined.flow.blocks.empty()) return;
  flow_ = std::move(inlined.flow);
  runs_ = std::move(inlined.runs);
  slots_ = std::move(inlined.slots);
  calls_ = inlined.calls;
  instructions_.clear();
  count_ = 0;
  numbers_.assign(flow_->blocks.back().end / 4, 0);
  for (const gcn::Instruction& i : inlined.instructions) {
    keep(number_of(i.offset), i);
  }
}

std::string offset_text(u32 offset) {
  const i32 from = static_cast<i32>(offset);
  return from < 0 ? fmt::format("-0x{:x}", 0 - offset) : fmt::format("0x{:x}", offset);
}
std::string Decoder::place_text(u32 offset) const { return offset_text(place(offset)); }

}  // namespace amdcompat::lift
