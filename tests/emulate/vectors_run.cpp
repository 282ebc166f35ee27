// Runs one program in the interpreter and in the model: see vectors.hpp.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "vectors.hpp"

namespace amdcompat::emulate::vectors {

// --- operands -------------------------------------------------------------------------------------------------------

namespace {
// [SIA; CIA; VIA: table of source operands] 240 to 248: 0.5, 1, 2, 4 with both signs, 1/(2 pi) from GFX8 on.
constexpr u32 kInline32[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                             0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
constexpr u64 kInline64[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                             0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                             0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};
}  // namespace

u32 State::read32(const Instruction& i, u32 code, u32 lane) const {
  if (code >= kV0) return v.at(code - kV0).at(lane);
  if (code < 128) return s.at(code);
  if (code <= 192) return code - 128;  // 0 to 64
  if (code <= 208) return 0u - (code - 192);  // -1 to -16
  if (code >= 240 && code <= 248) return kInline32[code - 240];
  if (code == 251) return pair(kVccLo) == 0 ? 1 : 0;
  if (code == 252) return exec() == 0 ? 1 : 0;
  if (code == 253) return scc ? 1 : 0;
  return i.literal;
}

u64 State::read64(const Instruction& i, u32 code, bool real, u32 lane) const {
  if (code >= kV0) return v.at(code - kV0).at(lane) | u64{v.at(code - kV0 + 1).at(lane)} << 32;
  if (code < 128) return pair(code);
  if (code > 192 && code <= 208) return ~u64{0} - (code - 193);
  if (code >= 240 && code <= 248) return kInline64[code - 240];
  const u64 low = read32(i, code, lane);
  return code == kLit && real ? low << 32 : low;
}

u64 Maker::value(char kind) {
  static constexpr u32 kFloats[] = {
      0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x40000000, 0xc0000000,
      0x3fc00000, 0xc0200000, 0x40200000, 0x40600000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
      0xffc12345, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001,
      0x7f7fffff, 0xff7fffff, 0x3f7fffff, 0x3f800001, 0x4b000000, 0x4b7fffff, 0x4b800001, 0x4effffff,
      0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x4f800001, 0xb3000000, 0x33000000,
      0x33800000, 0x477fe000, 0x477fefff, 0x477ff000, 0x38800000, 0x387fc000, 0x33000001, 0x0d800000,
      0x8d800000, 0x70000000, 0x40490fdb, 0x437f0000, 0x437f8000, 0x43800001, 0x7e800000, 0x7e000000,
      0x7e800001, 0x0b800000, 0x0b000000, 0x3effffff, 0x4afffffb, 0xcb000001, 0x5f000000, 0x40003fa8};
  static constexpr u64 kDoubles[] = {
      0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000,
      0xbfe0000000000000, 0x4004000000000000, 0xc004000000000000, 0x400c000000000000, 0x7ff0000000000000,
      0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001, 0xfff8123456789abc, 0x0000000000000001,
      0x8000000000000001, 0x000fffffffffffff, 0x800fffffffffffff, 0x0010000000000000, 0x8010000000000000,
      0x7fefffffffffffff, 0xffefffffffffffff, 0x3fefffffffffffff, 0x3ff0000000000001, 0x41dfffffffc00000,
      0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000, 0x41f0000000000000,
      0x4330000000000000, 0x4330000000000001, 0x433fffffffffffff, 0xc32fffffffffffff, 0x47efffffe0000000,
      0x47effffff0000000, 0x380fffffe0000000, 0x3690000000000000, 0x368fffffffffffff, 0x3810000000000001,
      0xbc90000000000000, 0x01f0000000000000, 0x7e00000000000000, 0x7fd0000000000000, 0x7fd0000000000001,
      0x0350000000000000, 0x0340000000000000, 0x3fc45f306dc9c882};
  static constexpr u32 kWords[] = {0,          1,          2,          3,          31,         32,         33,
                                   63,         64,         0x7f,       0x80,       0xff,       0x100,      0x7fff,
                                   0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,   0xffffff,   0x1000000,
                                   0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0xff7fffff, 0xff800000,
                                   0xffff7fff, 0xffff8000, 0xaaaaaaaa, 0x55555555, 0x0f0f00f0, 0x00010000, 0x12345678};
  static constexpr u16 kHalves[] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x8001, 0x03ff, 0x0400,
                                    0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfe55, 0x3555};
  switch (kind) {
    case 'f': {
      if (chance(55)) return kFloats[below(std::size(kFloats))];
      const u32 raw = static_cast<u32>(bits());
      // Moderate exponents meet more often.
      if (chance(50)) return (raw & 0x807fffff) | (100 + below(55)) << 23;
      if (chance(20)) return bits_of(static_cast<float>(static_cast<i32>(below(4001)) - 2000) / 4.0f);
      return raw;
    }
    case 'd': {
      if (chance(55)) return kDoubles[below(std::size(kDoubles))];
      const u64 raw = bits();
      if (chance(50)) return (raw & 0x800fffffffffffff) | u64{1000 + below(60)} << 52;
      if (chance(20)) return bits_of(static_cast<double>(static_cast<i32>(below(4001)) - 2000) / 4.0);
      return raw;
    }
    case 'h': return chance(60) ? kHalves[below(std::size(kHalves))] | (bits() & 0xffff0000) : bits() & 0xffffffff;
    case 'U':
      if (chance(25)) return kWords[below(std::size(kWords))];
      if (chance(20)) return ~u64{kWords[below(std::size(kWords))]};
      if (chance(20)) return u64{1} << below(64);
      if (chance(30)) return kWords[below(std::size(kWords))] | u64{kWords[below(std::size(kWords))]} << 32;
      return bits();
    default:
      if (chance(60)) return kWords[below(std::size(kWords))];
      if (chance(20)) return u64{1} << below(32);
      return bits() & 0xffffffff;
  }
}

Instruction Maker::instance() const {
  Instruction out;
  out.row = row_.row;
  out.opcode = row_.row->opcode;
  out.format = encoding == Encoding::Vop3 ? Format::Vop3 : row_.format;
  out.scalar_destination = kVccLo;
  return out;
}

Instruction Maker::instance(string_view name) const {
  const Row* row = find_row(gfx_, name);
  if (row == nullptr) throw std::runtime_error("no row " + std::string(name));
  Instruction out;
  out.row = row->row;
  out.opcode = row->row->opcode;
  out.format = row->format;
  out.scalar_destination = kVccLo;
  return out;
}

void Maker::add_simple(string_view name, u32 destination, u32 source0, u32 source1, u32 literal) {
  Instruction i = instance(name);
  i.destination = static_cast<u16>(destination);
  i.sources = {static_cast<u16>(source0), static_cast<u16>(source1), 0};
  i.literal = literal;
  add(i);
}

void Maker::random_exec() {
  const u32 choice = below(8);
  u64 mask = ~u64{0};
  if (choice == 4) mask = bits();
  if (choice == 5) mask = bits() & bits() & bits();
  if (choice == 6) mask = u64{1} << below(64);
  if (choice == 7) mask = bits() | bits();
  start.set_pair(kExecLo, mask);
}

const References& references() {
  static const References all = [] {
    References out;
    add_scalar(out);
    add_vector(out);
    add_memory(out);
    add_images(out);
    return out;
  }();
  return all;
}

void step(State& state, const Instruction& instruction) {
  const auto& how = references().find(name_of(*instruction.row, state.gfx))->second.step;
  const Format format = instruction.format;
  const bool vector =
      format == Format::Vop1 || format == Format::Vop2 || format == Format::Vop3 || format == Format::Vopc;
  if (!state.relative || !vector) return how(state, instruction);
  Instruction moved = instruction;
  const u32 by = state.s[kM0Code] % 256, which = state.s[kM0Code] / 0x1000 % 16;
  for (u32 n = 0; n < 3; ++n)
    if (moved.sources[n] >= kV0 && which / (1u << n) % 2 != 0)
      moved.sources[n] = static_cast<u16>(moved.sources[n] + by);
  if (which >= 8) moved.destination = static_cast<u16>(moved.destination + by);
  how(state, moved);
}

namespace {

// --- running --------------------------------------------------------------------------------------------------------

constexpr u64 kVectorImage = 0x10000, kScalarImage = 0x20000;

bool acceptable(const Slack& slack, u64 expected, u64 got) {
  if (slack.any || expected == got) return true;
  const bool wide = slack.kind == 'd';
  if (slack.kind == 'p') {
    Slack half = slack;
    half.kind = 'h';
    return acceptable(half, expected & 0xffff, got & 0xffff) && acceptable(half, expected >> 16, got >> 16);
  }
  if (slack.kind == 'h') {
    if (expected >> 16 != got >> 16) return false;
    const u64 e = expected & 0x7fff, g = got & 0x7fff;
    if (e > 0x7c00 && g > 0x7c00) return true;
    if (slack.zero_sign && e == 0 && g == 0) return true;
    const double off = std::abs(double{as_float(float_of_half(static_cast<u32>(expected & 0xffff)))} -
                                double{as_float(float_of_half(static_cast<u32>(got & 0xffff)))});
    if (slack.absolute > 0 && off <= slack.absolute) return true;
    return ((expected ^ got) & 0x8000) == 0 && std::max(e, g) <= 0x7c00 &&
           std::max(e, g) - std::min(e, g) <= slack.ulps;
  }
  if (slack.kind != 'f' && !wide) return false;
  const Fields e(expected, wide), g(got, wide);
  if (e.nan() && g.nan()) return true;
  if (slack.zero_sign && e.zero() && g.zero()) return true;
  if (e.nan() || g.nan() || e.inf() || g.inf()) return false;
  const Quad x = wide ? Quad{as_double(expected)} : Quad{as_float(expected)};
  const Quad y = wide ? Quad{as_double(got)} : Quad{as_float(got)};
  const Quad off = x > y ? x - y : y - x;
  if (slack.absolute > 0 && off <= Quad{slack.absolute}) return true;
  const u64 distance = expected > got ? expected - got : got - expected;
  return slack.ulps != 0 && e.sign == g.sign && distance <= slack.ulps;
}

std::string scalar_name(u32 code) {
  switch (code) {
    case kVccLo: return "vcc_lo";
    case kVccLo + 1: return "vcc_hi";
    case kM0Code: return "m0";
    case kExecLo: return "exec_lo";
    case kExecLo + 1: return "exec_hi";
    default: return fmt::format("s{}", code);
  }
}

// Compares the interpreter's registers with the model's before each instruction, and lets the model make one step.
class Judge : public Observer {
 public:
  Judge(State& state, u64 begin, const std::map<u64, Instruction>& code, Observer* also)
      : state_(state), begin_(begin), code_(code), also_(also) {}

  void before(const Instruction& decoded, const View& view) override {
    if (!problem.empty() || (!started_ && decoded.offset < begin_)) return;
    if (!started_) {
      started_ = true;
      state_.pc = begin_;
      // Registers that no instruction of ours may touch are what they are.
      for (u32 code = 104; code < 126; ++code)
        if (code != kVccLo && code != kVccLo + 1 && code != kM0Code) state_.s[code] = view.sgprs[code];
    }
    if (also_ != nullptr) also_->before(decoded, view);
    compare(decoded.offset, view);
    if (!problem.empty()) return;
    if (state_.ended) {
      problem = "goes on behind its end";
      return;
    }
    const auto found = code_.find(decoded.offset);
    if (found == code_.end()) {
      problem = fmt::format("reaches +0x{:x}, where no instruction begins", decoded.offset);
      return;
    }
    last_ = &found->second;
    words_ = decoded.words;
    text_ = [this, &decoded] { return gcn::disassemble(decoded, state_.gfx); }();
    before_ = state_;
    state_.slack.clear();
    state_.unknown.clear();
    state_.pc = decoded.offset + words_of(*last_, state_.gfx).size() * 4;
    step(state_, *last_);
    for (u32 code = 96; code < 108; ++code)
      if (state_.s[code] != before_.s[code]) state_.s[twin(code, state_.gfx)] = state_.s[code];
  }

  std::string problem;

 private:
  void compare(u64 offset, const View& view) {
    if (offset != state_.pc)
      return fail("the program counter", fmt::format("+0x{:x}", state_.pc), fmt::format("+0x{:x}", offset), 0);
    if (view.scc != state_.scc) return fail("SCC", state_.scc ? "1" : "0", view.scc ? "1" : "0", 0);
    for (const Slack& slack : state_.slack) {
      const bool wide = slack.kind == 'd';
      u64 expected = state_.v[slack.reg][slack.lane], got = view.vgprs[slack.reg][slack.lane];
      if (wide) {
        expected |= u64{state_.v[slack.reg + 1][slack.lane]} << 32;
        got |= u64{view.vgprs[slack.reg + 1][slack.lane]} << 32;
      }
      if (!acceptable(slack, expected, got))
        return fail(fmt::format("v{} of lane {}", slack.reg, slack.lane), shown(expected, wide), shown(got, wide),
                    slack.lane);
      state_.v[slack.reg][slack.lane] = static_cast<u32>(got);
      if (wide) state_.v[slack.reg + 1][slack.lane] = static_cast<u32>(got >> 32);
    }
    for (const u32 code : state_.unknown) state_.s[code] = view.sgprs[code];
    for (u32 code = 0; code < 128; ++code)
      if (view.sgprs[code] != state_.s[code])
        return fail(scalar_name(code), shown(state_.s[code], false), shown(view.sgprs[code], false), 0);
    for (u32 n = 0; n < kVgprs; ++n)
      if (view.vgprs[n] != state_.v[n])
        for (u32 lane = 0; lane < 64; ++lane)
          if (view.vgprs[n][lane] != state_.v[n][lane])
            return fail(fmt::format("v{} of lane {}", n, lane), shown(state_.v[n][lane], false),
                        shown(view.vgprs[n][lane], false), lane);
  }
  static std::string shown(u64 value, bool wide) {
    return wide ? fmt::format("0x{:016x} ({})", value, as_double(value))
                : fmt::format("0x{:08x} ({})", value, as_float(value));
  }
  void fail(const std::string& what, const std::string& expected, const std::string& got, u32 lane) {
    if (last_ == nullptr) {
      problem = fmt::format("before the first instruction: {}: expected {}, got {}", what, expected, got);
      return;
    }
    std::string operands;
    const auto source = [&](u32 n) {
      const u32 code = last_->sources[n];
      return fmt::format(" source {}: 0x{:08x} / 0x{:016x};", n, before_.read32(*last_, code, lane),
                         code != 127 && code != kV0 + kVgprs - 1 ? before_.read64(*last_, code, true, lane) : 0);
    };
    for (u32 n = 0; n < 3; ++n)
      if (last_->sources[n] < kV0 + kVgprs) operands += source(n);
    problem = fmt::format(
        "{} ({:08x} {:08x} {:08x}){} scc {}, vcc 0x{:016x}, exec 0x{:016x}, m0 0x{:x}: {}: expected {}, got {}", text_,
        words_[0], words_[1], words_[2], operands, before_.scc ? 1 : 0, before_.pair(kVccLo), before_.exec(),
        before_.s[kM0Code], what, expected, got);
  }

  State& state_;
  u64 begin_;
  const std::map<u64, Instruction>& code_;
  Observer* also_;
  const Instruction* last_ = nullptr;
  std::array<u32, 5> words_{};
  std::string text_;
  State before_;
  bool started_ = false;
};

template <class T>
std::vector<std::byte> image_of(const T& values) {
  std::vector<std::byte> out(sizeof(values));
  std::memcpy(out.data(), &values, sizeof(values));
  return out;
}

// Loads a vector register; v0 has 4 times the lane.
Instruction load_of(const Maker& maker, u32 n) {
  Instruction i = maker.instance("buffer_load_dword");
  i.offen = true;
  i.offset0 = n * 256;
  i.data = static_cast<u16>(n);
  i.sources[1] = 128;
  return i;
}

// What brings the registers into the state from which a program starts.
std::vector<Instruction> prologue(const Maker& maker) {
  std::vector<Instruction> out;
  const auto plain = [&](string_view name, u32 destination, u32 s0, u32 s1) {
    Instruction i = maker.instance(name);
    i.destination = static_cast<u16>(destination);
    i.sources = {static_cast<u16>(s0), static_cast<u16>(s1), 0};
    out.push_back(i);
  };
  const auto load = [&](string_view name, u32 destination, i32 offset) {
    Instruction i = maker.instance(name);
    i.destination = static_cast<u16>(destination);
    i.resource = 4;
    i.immediate_offset = true;
    i.immediate = offset;
    out.push_back(i);
  };
  plain("v_lshlrev_b32", 0, 128 + 2, kV0);
  for (u32 n = kVgprs; n-- > 0;) out.push_back(load_of(maker, n));
  load("s_load_dwordx8", 8, 512);
  plain("s_mov_b64", kExecLo, 8, 0);
  plain("s_mov_b64", kVccLo, 10, 0);
  plain("s_mov_b32", kM0Code, 12, 0);
  plain("s_cmp_lg_u32", 0, 13, 128);
  for (u32 n = 16; n < 96; n += 16) load("s_load_dwordx16", n, static_cast<i32>(n * 4));
  load("s_load_dwordx8", 96, 384);
  load("s_load_dwordx16", 0, 0);
  return out;
}

// A wavefront that runs `words`; user registers are the descriptor of the vector image.
Launch launch_of(const Maker& maker, const std::vector<u32>& words) {
  Launch out;
  out.gfx = maker.gfx();
  // Rows that only some processors have.
  if (maker.gfx() == Generation::Gfx9)
    out.target = find_target(
        maker.row().row->subset == gcn::Subset::Any || maker.row().row->subset == gcn::Subset::Gfx900 ? "gfx900"
                                                                                                      : "gfx906");
  out.sgprs = scalar_allocation(out.gfx);
  out.code = std::as_bytes(std::span(words));
  out.code_address = kCode;
  out.user_sgprs = {static_cast<u32>(kVectorImage), 0u, kVgprs * 256, 0x00027facu};
  out.vgprs = kVgprs;
  out.lds_bytes = kLdsBytes;
  out.scratch_bytes = 16;
  const auto gds = std::as_bytes(std::span(maker.start.gds));
  out.gds.assign(gds.begin(), gds.end());
  out.global = out.local = {64, 1, 1};
  out.float_mode = maker.start.modes.floats;
  return out;
}

}  // namespace

std::string run_program(Maker& maker, Observer* also) {
  State state = maker.start;
  state.gfx = maker.gfx();
  for (const u32 code : {kVccLo, kVccLo + 1}) state.s[twin(code, state.gfx)] = state.s[code];
  std::vector<u32> words;
  const auto append = [&](const Instruction& i) {
    const auto more = words_of(i, maker.gfx());
    words.insert(words.end(), more.begin(), more.end());
  };
  for (const Instruction& i : prologue(maker)) append(i);
  const u64 begin = words.size() * 4;
  std::map<u64, Instruction> code;
  maker.add(maker.instance("s_endpgm"));
  for (const Instruction& i : maker.code) {
    code.emplace(words.size() * 4, i);
    append(i);
  }

  std::array<u32, 136> scalars{};
  std::copy_n(state.s.begin(), 104, scalars.begin());
  scalars[128] = state.s[kExecLo];
  scalars[129] = state.s[kExecLo + 1];
  scalars[130] = state.s[kVccLo];
  scalars[131] = state.s[kVccLo + 1];
  scalars[132] = state.s[kM0Code];
  scalars[133] = state.scc ? 1 : 0;
  Memory memory;
  static_cast<void>(memory.map(kVectorImage, image_of(state.v)));
  static_cast<void>(memory.map(kScalarImage, image_of(scalars)));
  state.memory.resize(kDataBytes);
  std::vector<std::byte> data(kDataBytes);
  std::memcpy(data.data(), state.memory.data(), kDataBytes);
  static_cast<void>(memory.map(kData, data));

  state.lds.resize(kLdsBytes);
  Launch launch = launch_of(maker, words);
  launch.user_sgprs.insert(launch.user_sgprs.end(), {static_cast<u32>(kScalarImage), 0u});
  launch.dx10_clamp = state.modes.dx10_clamp;
  Judge judge(state, begin, code, also);
  Diagnostics diagnostics;
  const Report report = run(launch, memory, {.lane_instructions = 1'000'000}, diagnostics, &judge);
  if (!judge.problem.empty()) return judge.problem;
  std::string problems;
  for (const Diagnostic& d : diagnostics.all()) problems += d.message + "; ";
  for (const PoisonRead& p : report.poison) problems += fmt::format("poison {} at +0x{:x}; ", p.what, p.offset);
  for (const OutsideAccess& o : report.outside)
    problems += fmt::format("outside 0x{:x} at +0x{:x}; ", o.address, o.offset);
  if (!problems.empty()) return problems;
  if (!report.clean() || !state.ended) return "does not end";
  if (report.out_of_range != state.out_of_range)
    return fmt::format("out of range: expected {}, got {}", state.out_of_range, report.out_of_range);
  if (!std::ranges::equal(std::as_bytes(std::span(state.gds)), report.gds)) return "GDS differs";
  const auto left = memory.view(kData, kDataBytes);
  for (u32 n = 0; n < kDataBytes; ++n)
    if (static_cast<u8>(left[n]) != state.memory[n])
      return fmt::format("byte {} of memory: expected 0x{:02x}, got 0x{:02x}", n, state.memory[n],
                         static_cast<u8>(left[n]));
  return {};
}

void fill(Maker& maker) {
  for (u32 n = 0; n < 104; ++n) maker.start.s[n] = static_cast<u32>(maker.value('u'));
  for (Lanes& lanes : maker.start.v)
    for (u32& lane : lanes) lane = static_cast<u32>(maker.value('u'));
  maker.start.set_pair(kVccLo, maker.chance(20) ? 0 : maker.bits());
  maker.start.s[kM0Code] = static_cast<u32>(maker.value('u'));
  maker.start.scc = maker.chance(50);
  maker.start.memory.resize(kDataBytes);
  for (u8& byte : maker.start.memory) byte = static_cast<u8>(maker.bits());
  maker.start.gds.resize(kGdsBytes);
  for (u8& byte : maker.start.gds) byte = static_cast<u8>(maker.bits());
  maker.random_exec();
}

// --- registers that nothing has set ---------------------------------------------------------------------------------

namespace {

using Registers = std::vector<std::pair<gcn::File, u32>>;  // one dword each
bool holds(const Registers& all, gcn::File file, u32 number) {
  return std::ranges::find(all, std::pair{file, number}) != all.end();
}
std::string poison_name(gcn::File file, u32 number) {
  if (file == gcn::File::Scc) return "SCC";
  if (file == gcn::File::Vector) return fmt::format("v{}", number);
  return number == kVccLo || number == kVccLo + 1 ? "VCC" : number == kM0Code ? "M0" : fmt::format("s{}", number);
}

// Runs `code` with every register set but those of `unset`; what was poisoned at its first instruction, and elsewhere.
struct Poisoned {
  std::vector<std::string> first, later;
  std::string problem;
};
Poisoned run_poisoned(const Maker& maker, const std::vector<Instruction>& code, const Registers& unset,
                      std::array<u32, 2> bits = {}) {
  std::vector<Instruction> all;
  const auto plain = [&](string_view name, u32 destination, u32 source, u32 source1, u32 literal) {
    Instruction i = maker.instance(name);
    i.destination = static_cast<u16>(destination);
    i.sources = {static_cast<u16>(source), static_cast<u16>(source1), 0};
    i.literal = literal;
    all.push_back(i);
  };
  plain("v_lshlrev_b32", 0, 130, kV0, 0);
  for (u32 n = kVgprs; n-- > 0;)
    if (n == 0 || !holds(unset, gcn::File::Vector, n)) all.push_back(load_of(maker, n));
  for (u32 n = 6; n < 128; ++n)
    if ((n < 104 || n == kVccLo || n == kVccLo + 1 || n == kM0Code) && !holds(unset, gcn::File::Scalar, n) &&
        !holds(unset, gcn::File::Scalar, twin(n, maker.gfx())))
      plain("s_mov_b32", n, kLit, 0, maker.start.s[n]);
  if (!holds(unset, gcn::File::Scc, 0)) plain("s_cmp_lg_u32", 0, 128, 128, 0);
  std::vector<u32> words;
  const auto append = [&](const Instruction& i) {
    const auto more = words_of(i, maker.gfx());
    words.insert(words.end(), more.begin(), more.end());
  };
  for (const Instruction& i : all) append(i);
  const u64 begin = words.size() * 4;
  for (const Instruction& i : code) append(i);
  append(maker.instance("s_endpgm"));
  for (u32 n = 0; n < 2; ++n) words[begin / 4 + n] |= bits[n];
  Memory memory;
  std::vector<std::byte> data(kDataBytes);
  std::memcpy(data.data(), maker.start.memory.data(), kDataBytes);
  static_cast<void>(memory.map(kVectorImage, image_of(maker.start.v)));
  static_cast<void>(memory.map(kData, data));
  Diagnostics diagnostics;
  const Report report = run(launch_of(maker, words), memory, {.lane_instructions = 1'000'000}, diagnostics);
  Poisoned out;
  for (const Diagnostic& d : diagnostics.all()) out.problem += d.message + "; ";
  if (report.outside_accesses != 0) out.problem += "outside of memory; ";
  for (const PoisonRead& p : report.poison)
    if (p.what != "LDS") (p.offset == begin ? out.first : out.later).push_back(p.what);
  return out;
}

// Whether a source is the vector register, or the old destination takes part.
bool reads(const Instruction& i, u32 number) {
  const gcn::OpcodeInfo& info = gcn::info(i.opcode);
  if (info.is(gcn::Property::ReadsDestination) && number == i.destination) return true;
  for (u32 n = 0; n < 2; ++n)
    if (info.sources[n] != gcn::Shape::None && i.sources[n] == kV0 + number) return true;
  return false;
}

}  // namespace

std::string check_poison(Maker& maker) {
  const auto found = std::ranges::find_if(maker.code, [&](const Instruction& i) { return i.row == maker.row().row; });
  if (found == maker.code.end()) return {};
  Instruction instruction = *found;
  if (instruction.variant == gcn::Variant::Dpp) instruction.row_mask = instruction.bank_mask = 15;  // it does read
  const string_view name = maker.row().name;
  if (name == "s_setpc_b64" || name == "s_swappc_b64") return {};  // they would leave the program
  maker.start.lds.resize(kLdsBytes);
  for (auto before = maker.code.begin(); before != found; ++before) step(maker.start, *before);
  maker.start.set_pair(kExecLo, ~u64{0});
  Registers read, written;
  const auto& addresses = references().find(name)->second.addresses;
  for (const gcn::Operand& o : gcn::operands(instruction, maker.gfx(), 64))
    for (u32 n = 0; n < o.dwords; ++n) {
      if (o.file == gcn::File::Mode || o.file == gcn::File::FlatScratch) continue;
      if (o.some && (!addresses || n >= addresses(maker.start, instruction))) continue;
      const u32 number = o.first + n;
      // No address is one of the scratch aperture, so nothing reads FLAT_SCRATCH.
      if (maker.row().format == Format::Flat && o.file == gcn::File::Scalar && o.implicit) continue;
      const bool exec = o.file == gcn::File::Scalar && (number == kExecLo || number == kExecLo + 1);
      if (o.read && !exec) read.emplace_back(o.file, number);
      if (o.written && !exec) written.emplace_back(o.file, number);
    }
  // Nothing else is set, and nothing is missing; what it writes is set then.
  Registers unset;
  for (u32 n = 1; n < kVgprs; ++n)
    if (!holds(read, gcn::File::Vector, n)) unset.emplace_back(gcn::File::Vector, n);
  for (u32 n = 6; n < 128; ++n)
    if (n < 126 && !holds(read, gcn::File::Scalar, n) && !holds(read, gcn::File::Scalar, twin(n, maker.gfx())))
      unset.emplace_back(gcn::File::Scalar, n);
  if (!holds(read, gcn::File::Scc, 0)) unset.emplace_back(gcn::File::Scc, 0);
  std::vector<Instruction> code{instruction};
  if (holds(written, gcn::File::Scc, 0)) code.push_back(maker.instance("s_cbranch_scc0"));
  for (const auto& [file, number] : written) {
    if (name == "v_writelane_b32" || file == gcn::File::Scc) continue;
    Instruction use = maker.instance(file == gcn::File::Vector ? "v_cmp_eq_u32" : "s_cmp_eq_u32");
    use.sources = {128, static_cast<u16>(file == gcn::File::Vector ? kV0 + number : number), 0};
    if (file == gcn::File::Vector || (number != kVccLo && number != kVccLo + 1)) code.push_back(use);
  }
  const bool relative = name.find("movrel") != name.npos;  // M0 says which registers
  if (!relative) {
    const Poisoned least = run_poisoned(maker, code, unset);
    if (!least.problem.empty()) return least.problem;
    if (!least.first.empty()) return "reads " + least.first[0] + ", which is no operand";
    if (!least.later.empty()) return "leaves " + least.later[0] + " unset";
  }
  // A destination that is kept, in whole or in its other lanes, is not used.
  if (name == "s_cmovk_i32" || name == "v_writelane_b32") return {};
  // Copies take what is unset along instead of reporting it.
  const bool copies_vector = name == "v_mov_b32" || name == "v_readlane_b32" || name == "v_swap_b32";
  const bool copies = copies_vector || name == "s_mov_b32" || name == "s_mov_b64";
  const bool stays =
      instruction.variant == gcn::Variant::Dpp && gcn::info(instruction.opcode).destination != gcn::Shape::None;
  for (const auto& [file, number] : read) {
    // Lanes that DPP does not write stay what they are.
    if (stays && file == gcn::File::Vector && number == instruction.destination && !reads(instruction, number))
      continue;
    if ((file == gcn::File::Vector && number == 0) || (file == gcn::File::Scalar && number < 6)) continue;
    // The upper half of what is added goes to the upper half of the result.
    if (name.starts_with("v_mad_") && name.find("64_") != name.npos && file == gcn::File::Vector &&
        number + kV0 == instruction.sources[2] + 1u)
      continue;
    // A half that is loaded makes the register one that is set.
    const bool half = name.find("_d16") != name.npos || name.find("mixlo") != name.npos ||
                      name.find("mixhi") != name.npos ||
                      (maker.gfx() >= Generation::Gfx9 && name.find("16") != name.npos && !reads(instruction, number));
    if (half && file == gcn::File::Vector && holds(written, file, number)) continue;
    // The bits of M0 that stay are not used.
    if (name.starts_with("s_set_gpr_idx") && file == gcn::File::Scalar && number == kM0Code) continue;
    // The format says how many components are stored.
    if (name.find("store_format") != name.npos && file == gcn::File::Vector && number > instruction.data) continue;
    const Poisoned one = run_poisoned(maker, copies ? code : std::vector{instruction}, {{file, number}});
    if (copies && (file == gcn::File::Vector) == copies_vector) {
      if (!one.first.empty()) return "reports " + one.first[0] + ", which it copies";
      if (number != kVccLo && number != kVccLo + 1 && one.later.empty()) return "makes a set register of an unset one";
      continue;
    }
    if (std::ranges::find(one.first, poison_name(file, number)) == one.first.end())
      return "does not report that it reads " + poison_name(file, number);
  }
  return {};
}

std::string run_one(const Maker& maker, const Instruction& instruction, std::array<u32, 2> bits) {
  return run_poisoned(maker, {instruction}, {}, bits).problem;
}

}  // namespace amdcompat::emulate::vectors
