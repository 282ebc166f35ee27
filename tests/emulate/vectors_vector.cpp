// Vector instructions: what a description does to all lanes, and programs around it.
#include "vectors_lane.hpp"
#include "vectors_sdwa_dpp.hpp"

namespace amdcompat::emulate::vectors {
namespace {

// Kinds of operands: f and d are floating point; c and C are too, but denormals are not flushed; h holds a half, x is
// one that takes modifiers as floats do, y too without its denormals flushed, s holds an integer of 16 bits; w takes
// modifiers, u and U do not. 'm' in the result is a lane mask, '.' nothing. Flags: m a mask goes in, o the old
// destination takes part, b its bits do, z integers are clamped, k a literal follows, x EXEC is written too, s source 0
// is usually one of the others.
struct Shapes {
  char result = '.';
  bool mask_out = false;
  std::string sources, flags;
  [[nodiscard]] bool has(char flag) const { return flags.find(flag) != std::string::npos; }
};
bool is_wide(char kind) { return kind == 'd' || kind == 'U' || kind == 'C'; }
bool is_half(char kind) { return kind == 'x' || kind == 'y'; }
bool is_real(char kind) { return kind == 'f' || kind == 'd' || kind == 'c' || kind == 'C' || is_half(kind); }
u64 sign_of(char kind) { return is_half(kind) ? 0x8000 : sign_bit(is_wide(kind)); }

u64 flushed(u64 bits, bool wide, bool keep) {
  return !keep && Fields(bits, wide).denormal() ? bits & sign_bit(wide) : bits;
}
u32 flushed_half(u32 bits, bool keep) { return !keep && bits % 0x8000 < 0x400 ? bits & 0x8000 : bits; }

// The low half of a source; constants have 16 bits from GFX8 on.
u32 half_source(const State& state, const Instruction& i, u32 code, u32 lane) {
  static constexpr u16 kConstants[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
  if (code >= 240 && code <= 248 && state.gfx >= Generation::Gfx8) return kConstants[code - 240];
  return state.read32(i, code, lane) % 0x10000;
}

void finish_half(Out& out, const Instruction& i, const Modes& modes) {
  static constexpr double kFactors[] = {1, 2, 4, 0.5};
  u32 bits = static_cast<u32>(out.bits);
  if (i.output_modifier != 0) {
    if (bits % 0x8000 < 0x400 && bits % 0x8000 != 0) out.slack.any = true;
    bits = half_of_quad(quad_of_half(bits) * Quad{kFactors[i.output_modifier]});
  }
  if (i.clamp) {
    out.slack.zero_sign = true;
    if (bits % 0x8000 > 0x7c00)
      bits = modes.dx10_clamp ? 0 : bits;
    else if (bits >= 0x8000)
      bits = 0;
    else
      bits = std::min(bits, 0x3c00u);
  }
  out.bits = flushed_half(bits, modes.keeps(true));
}
void finish(Out& out, const Instruction& i, const Modes& modes, bool wide) {
  if (i.output_modifier != 0) {
    if (Fields(out.bits, wide).denormal()) out.slack.any = true;  // whether it is flushed before is not said
    const Quad q = quad_of(out.bits, wide);
    out.bits = real(i.output_modifier == 1 ? q * 2 : i.output_modifier == 2 ? q * 4 : q / 2, wide).bits;
    out.slack.absolute *= 4;
  }
  if (i.clamp) {
    out.slack.zero_sign = true;
    const Fields f(out.bits, wide);
    if (f.nan())
      out.bits = modes.dx10_clamp ? 0 : out.bits;
    else if (f.sign)
      out.bits = 0;
    else if (quad_of(out.bits, wide) > 1)
      out.bits = wide ? 0x3ff0000000000000 : 0x3f800000;
  }
  out.bits = flushed(out.bits, wide, modes.keeps(wide));
}

void step(State& state, const Instruction& i, const Shapes& shapes, const LaneFunction& function) {
  const bool vop3 = i.format == Format::Vop3;
  const bool own_vop3 = i.row->format == Format::Vop3;
  const u64 mask_in = vop3 && !own_vop3 ? state.pair(i.sources[2] < 127 ? i.sources[2] : 0) : state.pair(kVccLo);
  u64 mask = 0;
  const u64 exec = state.exec();
  const bool sdwa = i.variant == gcn::Variant::Sdwa, dpp = i.variant == gcn::Variant::Dpp;
  const Lanes others = dpp && !shapes.sources.empty() ? state.v.at(i.sources[0] - kV0) : Lanes{};
  for (u32 lane = 0; lane < 64; ++lane) {
    if ((exec >> lane & 1) == 0) continue;
    const Partner from = dpp ? partner(i, lane, exec) : Partner{};
    if (dpp && !from.written) continue;
    In x;
    x.lane = lane;
    x.gfx = state.gfx;
    x.keep32 = state.modes.keeps(false);
    x.clamp = i.clamp;
    x.bit = (mask_in >> lane & 1) != 0;
    x.literal = static_cast<u32>(flushed(i.literal, false, x.keep32));
    const bool keep16 = state.modes.keeps(true);
    if (shapes.has('o')) x.old = static_cast<u32>(flushed(state.v[i.destination][lane], false, x.keep32));
    if (is_half(shapes.result)) {
      x.literal = flushed_half(i.literal % 0x10000, keep16);
      if (shapes.has('o')) x.old = flushed_half(state.v[i.destination][lane] % 0x10000, keep16);
    }
    if (shapes.has('b')) x.old = state.v[i.destination][lane];
    for (u32 n = 0; n < shapes.sources.size(); ++n) {
      const char kind = shapes.sources[n];
      const bool wide = is_wide(kind);
      u64 bits = wide ? state.read64(i, i.sources[n], kind != 'U', lane) : state.read32(i, i.sources[n], lane);
      if (is_half(kind) || kind == 's') bits = half_source(state, i, i.sources[n], lane);
      if (sdwa) bits = selected(i, n, state.read32(i, i.sources[n], lane));
      if (dpp && n == 0) bits = from.lane ? others[*from.lane] : 0;
      if (is_half(kind) || kind == 's') bits %= 0x10000;
      if ((i.absolute >> n & 1) != 0) bits &= ~sign_of(kind);
      if ((i.negate >> n & 1) != 0) bits ^= sign_of(kind);
      if (kind == 'x') bits = flushed_half(static_cast<u32>(bits), keep16);
      if (kind == 'f' || kind == 'd') bits = flushed(bits, wide, state.modes.keeps(wide));
      x.raw[n] = bits;
    }
    Out out = function(x);
    if (out.bit) mask |= u64{1} << lane;
    if (shapes.result == '.') continue;
    if (is_half(shapes.result)) {
      finish_half(out, i, state.modes);
      out.slack.kind = 'h';
    } else if (is_real(shapes.result)) {
      finish(out, i, state.modes, shapes.result == 'd');
      out.slack.kind = static_cast<u8>(shapes.result);
    } else if (out.slack.kind != 'h') {
      out.slack.kind = 'u';
    }
    if (shapes.has('K') && state.gfx >= Generation::Gfx9)
      out.bits += state.v[i.destination][lane] / 65536 * u64{65536};
    out.slack.reg = i.destination;
    out.slack.lane = lane;
    if (sdwa && i.destination_select != 6) {
      // A part of what is only nearly right, or any NaN, is not judged.
      const Slack& s = out.slack;
      const bool exact = s.ulps == 0 && s.absolute == 0 && !s.zero_sign;
      const bool nan =
          (s.kind == 'f' && Fields(out.bits, false).nan()) || (s.kind == 'h' && out.bits % 0x8000 > 0x7c00);
      if (!exact || nan) out.slack.any = true;
      out.slack.kind = 'u';
      out.bits = placed(i, static_cast<u32>(out.bits), state.v[i.destination][lane]);
    }
    state.slack.push_back(out.slack);
    state.v[i.destination][lane] = static_cast<u32>(out.bits);
    if (is_wide(shapes.result)) state.v[i.destination + 1u][lane] = static_cast<u32>(out.bits >> 32);
  }
  if (shapes.mask_out) state.set_pair(i.scalar_destination, mask);
  // Whether a clamped sum has a carry no document says.
  if (shapes.mask_out && shapes.has('z') && i.clamp) state.unknown = {i.scalar_destination, i.scalar_destination + 1u};
  if (shapes.has('x')) state.set_pair(kExecLo, mask);
}

// --- programs -------------------------------------------------------------------------------------------------------

char value_kind(char kind) {
  if (is_half(kind)) return 'h';
  if (kind == 's') return 'u';
  return kind == 'c' ? 'f' : kind == 'C' ? 'd' : kind == 'w' ? 'f' : kind;
}

// Sources live in v0 to v11 (two choices for each of three), s16 to s47 and constants, results in v12 to v15 and
// s48 to s63.
class Sources {
 public:
  Sources(Maker& maker, const Shapes& shapes, bool vop3)
      : m_(maker), shapes_(shapes), vop3_(vop3),
        registers_only_(maker.encoding == Encoding::Sdwa || maker.encoding == Encoding::Dpp) {
    for (u32 n = 0; n < shapes.sources.size(); ++n) {
      const char kind = value_kind(shapes.sources[n]);
      for (const u32 reg : {2 * n, 6 + 2 * n})
        for (u32 lane = 0; lane < 64; ++lane) {
          u64 bits = m_.value(kind);
          // Equal and neighbouring operands are rare by chance.
          if (n > 0 && m_.chance(15)) bits = register_of(6 + 2 * m_.below(n), lane) + m_.below(3) - 1;
          if (n > 0 && m_.chance(10)) bits = register_of(2 * m_.below(n), lane);
          m_.start.v[reg][lane] = static_cast<u32>(bits);
          m_.start.v[reg + 1][lane] = static_cast<u32>(is_wide(shapes.sources[n]) ? bits >> 32 : m_.bits());
        }
      for (u32 s = 16 + n * 2; s < 48; s += 6) {
        const u64 bits = m_.value(kind);
        m_.start.s[s] = static_cast<u32>(bits);
        m_.start.s[s + 1] = static_cast<u32>(bits >> 32);
      }
    }
    if (shapes.has('o'))
      for (const u32 reg : {12u, 14u})
        for (u32& lane : m_.start.v[reg]) lane = static_cast<u32>(m_.value(is_half(shapes.result) ? 'h' : 'f'));
  }

  void choose(Instruction& i) {
    u32 scalar = 0;
    for (u32 n = 0; n < shapes_.sources.size(); ++n) i.sources[n] = static_cast<u16>(source(i, n, scalar));
    if (shapes_.has('s') && m_.chance(85)) i.sources[0] = i.sources[1 + m_.below(2)];
  }

 private:
  u64 register_of(u32 reg, u32 lane) const { return m_.start.v[reg][lane] | u64{m_.start.v[reg + 1][lane]} << 32; }
  u32 source(Instruction& i, u32 n, u32& scalar) {
    const char kind = shapes_.sources[n];
    const u32 vector = kV0 + 2 * n + (m_.chance(50) ? 6 : 0);
    if (m_.encoding == Encoding::Sdwa && m_.gfx() >= Generation::Gfx9 && scalar == 0 && m_.chance(25))
      return scalar = 16 + n * 2 + 6 * m_.below(5);
    if ((!vop3_ && n > 0) || registers_only_ || m_.chance(60)) return vector;
    switch (m_.below(8)) {
      case 0: return 128 + m_.below(65);
      case 1: return 193 + m_.below(16);
      case 2:
      case 3:
        if (kind == 's') return vector;  // which bits a float has there no document says
        return 240 + m_.below(m_.gfx() >= Generation::Gfx8 ? 9 : 8);
      case 4:
        if (vop3_ || shapes_.has('k')) return vector;
        i.literal =
            static_cast<u32>(m_.value(kind == 'd' || kind == 'C' ? 'd' : value_kind(kind)) >> (is_wide(kind) ? 32 : 0));
        if (kind == 'U') i.literal &= 0x7fffffff;  // whether it is extended by its sign is not said
        return kLit;
      default: break;
    }
    if (shapes_.has('k')) return vector;  // together with the literal two scalar operands
    if (scalar != 0) return vector;
    if (m_.chance(20)) {
      static constexpr u32 kSpecial[] = {kVccLo, kVccLo + 1, kM0Code, kExecLo, kExecLo + 1, 251, 252, 253};
      scalar = is_wide(kind) ? (m_.chance(50) ? kVccLo : kExecLo) : kSpecial[m_.below(8)];
    } else {
      scalar = 16 + n * 2 + 6 * m_.below(5);
    }
    return scalar;
  }
  Maker& m_;
  const Shapes& shapes_;
  bool vop3_, registers_only_;
};

void choose_modes(Maker& m, u32 round) {
  static constexpr Modes kModes[] = {{0xc0, true}, {0xf0, true}, {0x00, false}, {0x30, false}};
  m.start.modes = kModes[round % 4];
}

void make(Maker& m, u32 round, const Shapes& shapes) {
  choose_modes(m, round);
  const bool vop3 = m.encoding == Encoding::Vop3 || m.row().format == Format::Vop3;
  const bool sdwa = m.encoding == Encoding::Sdwa, dpp = m.encoding == Encoding::Dpp;
  const bool b_form = shapes.mask_out && m.row().format != Format::Vopc;
  Sources sources(m, shapes, vop3);
  constexpr u32 kInstances = 10;
  for (u32 n = 0; n < kInstances; ++n) {
    Instruction i = m.instance();
    sources.choose(i);
    if (shapes.has('k')) i.literal = static_cast<u32>(m.value(is_half(shapes.result) ? 'h' : 'f'));
    i.destination = static_cast<u16>(12 + 2 * m.below(2));
    if (n + 2 >= kInstances && !shapes.has('o') && !shapes.has('b'))
      i.destination = static_cast<u16>(2 * m.below(6));  // over a source
    if (sdwa) choose_parts(m, i);
    if (dpp) choose_partners(m, i, shapes.mask_out);
    if (vop3) {
      if (shapes.mask_out) i.scalar_destination = static_cast<u16>(m.chance(25) ? kVccLo : 48 + 2 * m.below(8));
      if (shapes.has('m') && m.row().format != Format::Vop3)
        i.sources[2] = static_cast<u16>(m.chance(25) ? kVccLo : 64 + 2 * m.below(10));
    }
    if (vop3 || sdwa || dpp) {
      for (u32 k = 0; k < shapes.sources.size(); ++k) {
        const char kind = shapes.sources[k];
        if (!is_real(kind) && kind != 'w') continue;
        if (!b_form && m.chance(30)) i.absolute = static_cast<u8>(i.absolute | 1u << k);
        if (m.chance(30)) i.negate = static_cast<u8>(i.negate | 1u << k);
      }
      if (shapes.has('z') && m.gfx() == Generation::Gfx8 && !dpp) i.clamp = m.chance(30);
      if (is_real(shapes.result) && !b_form) {
        i.clamp = !dpp && m.chance(25);
        // Output modifiers have an effect only where denormals are flushed.
        if (vop3 && !m.start.modes.keeps(shapes.result == 'd' || is_half(shapes.result)) && m.chance(50))
          i.output_modifier = static_cast<u8>(1 + m.below(3));
      }
    }
    if (m.row().format == Format::Vopc) i.destination = vop3 ? i.scalar_destination : u16{0};
    m.add(i);
    if (shapes.has('x')) {  // EXEC again, and VCC, which is full of zeros now
      m.add_simple("s_mov_b64", kExecLo, 66 + 2 * m.below(4));
      if (m.chance(30)) m.add_simple("s_mov_b64", kExecLo, 193);
    }
  }
}

}  // namespace

void Adder::add(const std::string& name, string_view text, LaneFunction function) {
  Shapes shapes;
  const auto equals = text.find('='), space = text.find(' ');
  for (const char c : text.substr(0, equals)) (c == 'm' ? void(shapes.mask_out = true) : void(shapes.result = c));
  shapes.sources = std::string(text.substr(equals + 1, space == text.npos ? text.npos : space - equals - 1));
  if (space != text.npos) shapes.flags = std::string(text.substr(space + 1));
  Reference& r = all_[name];
  r.step = [shapes, function = std::move(function)](State& s, const Instruction& i) { step(s, i, shapes, function); };
  r.make = [shapes](Maker& m, u32 round) { make(m, round, shapes); };
  r.rounds = shapes.sources.size() == 3 ? 12 : is_real(shapes.result) ? 8 : 4;
  if (shapes.has('s') || name.starts_with("v_div")) r.rounds = 24;
}

namespace {

// --- lanes ----------------------------------------------------------------------------------------------------------

u32 first_lane(const State& s) {
  for (u32 lane = 0; lane < 64; ++lane)
    if (s.active(lane)) return lane;
  return 0;
}
void add_lanes(Adder& to) {
  to.special(
      "v_readfirstlane_b32",
      [](State& s, const Instruction& i) { s.s[i.destination] = s.read32(i, i.sources[0], first_lane(s)); },
      [](Maker& m, u32 round) {
        if (round == 7) m.start.set_pair(kExecLo, 0);
        for (u32 n = 0; n < 4; ++n) {
          Instruction i = m.instance();
          i.sources[0] = static_cast<u16>(kV0 + m.below(kVgprs));
          i.destination = static_cast<u16>(48 + m.below(40));
          m.add(i);
        }
      });
  to.special(
      "v_swap_b32",
      [](State& s, const Instruction& i) {
        for (u32 lane = 0; lane < 64; ++lane)
          if (s.active(lane)) std::swap(s.v[i.destination][lane], s.v[i.sources[0] - kV0][lane]);
      },
      [](Maker& m, u32) {
        for (u32 n = 0; n < 6; ++n) {
          Instruction i = m.instance();
          i.sources[0] = static_cast<u16>(kV0 + m.below(kVgprs));
          i.destination = static_cast<u16>(m.below(kVgprs));
          m.add(i);
        }
      });
  const auto lanes = [](bool write) {
    return [write](Maker& m, u32) {
      for (u32 n = 0; n < 6; ++n) {
        Instruction i = m.instance();
        m.start.s[20 + n] = m.chance(50) ? m.below(64) : static_cast<u32>(m.bits());
        const auto lane = static_cast<u16>(n == 0 ? kM0Code : n < 4 ? 20 + n : 128 + m.below(64));
        const auto scalar = static_cast<u16>(n < 4 ? 30 + m.below(8) : 193 + m.below(16));
        i.sources = {write ? (n < 4 && lane != kM0Code ? lane : scalar) : static_cast<u16>(kV0 + m.below(kVgprs)), lane,
                     0};
        if (write && n >= 4) i.sources[0] = scalar;
        i.destination = static_cast<u16>(write ? m.below(kVgprs) : 48 + m.below(40));
        m.add(i);
      }
    };
  };
  to.special(
      "v_readlane_b32",
      [](State& s, const Instruction& i) {
        s.s[i.destination] = s.v[i.sources[0] - kV0][s.read32(i, i.sources[1]) % 64];
      },
      lanes(false));
  to.special(
      "v_writelane_b32",
      [](State& s, const Instruction& i) {
        s.v[i.destination][s.read32(i, i.sources[1]) % 64] = s.read32(i, i.sources[0]);
      },
      lanes(true));
  for (const auto& [name, to_relative, from_relative] :
       {std::tuple{"v_movreld_b32", true, false}, {"v_movrels_b32", false, true}, {"v_movrelsd_b32", true, true}})
    to.special(
        name,
        [to_relative, from_relative](State& s, const Instruction& i) {
          const u32 m0 = s.s[kM0Code];
          for (u32 lane = 0; lane < 64; ++lane)
            if (s.active(lane))
              s.v[i.destination + (to_relative ? m0 : 0)][lane] =
                  s.read32(i, i.sources[0] + (from_relative ? m0 : 0), lane);
        },
        [from_relative](Maker& m, u32) {
          m.start.s[kM0Code] = m.below(8);
          for (u32 n = 0; n < 5; ++n) {
            Instruction i = m.instance();
            i.sources[0] = static_cast<u16>(from_relative || n < 3 ? kV0 + m.below(8) : 20 + m.below(20));
            i.destination = static_cast<u16>(m.below(8));
            m.add(i);
          }
        });
}

// Four sums of 32 bits, in four registers as is what they are added to.
void add_wide_sads(Adder& to) {
  to.special(
      "v_mqsad_u32_u8",
      [](State& s, const Instruction& i) {
        for (u32 lane = 0; lane < 64; ++lane) {
          if (!s.active(lane)) continue;
          const u64 bytes = s.read64(i, i.sources[0], false, lane);
          const u32 reference = s.read32(i, i.sources[1], lane);
          for (u32 n = 0; n < 4; ++n) {
            i32 sum = 0;
            for (u32 k = 0; k < 4; ++k) {
              const i32 of = static_cast<i32>(byte(reference, k)), at = static_cast<i32>(bytes >> 8 * (n + k) & 255);
              if (of != 0) sum += std::abs(of - at);
            }
            s.v[i.destination + n][lane] = s.v[i.sources[2] - kV0 + n][lane] + static_cast<u32>(sum);
          }
        }
      },
      [](Maker& m, u32) {
        for (u32 n = 0; n < 4; ++n) {
          Instruction i = m.instance();
          i.sources = {static_cast<u16>(m.chance(70) ? kV0 + 2 * m.below(2) : 20 + 2 * m.below(8)),
                       static_cast<u16>(kV0 + 4 + m.below(2)), static_cast<u16>(kV0 + 6 + m.below(2))};
          i.destination = 12;
          m.add(i);
        }
      });
}

// Registers that are relative to M0. What each instruction does then is in `relative` of vectors_run.cpp.
void add_relative(Adder& to) {
  const auto program = [](Maker& m, u32) {
    const auto set = [&](string_view name, u32 mode) {
      Instruction i = m.instance(name);
      i.scalar_destination = 0;
      i.sources[0] = static_cast<u16>(m.chance(50) ? 20 + m.below(4) : 128 + m.below(6));
      if (name == "s_set_gpr_idx_on") i.sources[1] = static_cast<u16>(mode);
      if (name != "s_set_gpr_idx_on" && name != "s_set_gpr_idx_idx") i.sources[0] = 0;
      if (name == "s_set_gpr_idx_mode") i.immediate = static_cast<i32>(mode | (m.chance(50) ? 0x10 : 0));
      m.add(i);
    };
    const auto some = [&] {
      for (u32 n = 0; n < 3; ++n) {
        Instruction i = m.instance(n == 0 ? "v_mov_b32" : n == 1 ? "v_xor_b32" : "v_bfi_b32");
        i.scalar_destination = 0;
        for (u32 k = 0; k <= n; ++k) i.sources[k] = static_cast<u16>(kV0 + m.below(8));
        if (m.chance(30)) i.sources[0] = static_cast<u16>(24 + m.below(8));
        i.destination = static_cast<u16>(m.below(8));
        m.add(i);
      }
    };
    for (u32 n = 20; n < 24; ++n) m.start.s[n] = m.below(6) + 256 * m.below(1000);
    set("s_set_gpr_idx_on", m.below(16));
    some();
    set("s_set_gpr_idx_idx", 0);
    some();
    set("s_set_gpr_idx_mode", m.below(16));
    some();
    set("s_set_gpr_idx_off", 0);
    some();
  };
  const auto m0 = [](State& s, u32 from, u32 count, u32 value) {  // some of its bits
    for (u32 n = 0; n < count; ++n) {
      const u32 bit = 1u << (from + n);
      s.s[kM0Code] = (s.s[kM0Code] | bit) - ((value >> n & 1) != 0 ? 0 : bit);
    }
  };
  to.special(
      "s_set_gpr_idx_on",
      [=](State& s, const Instruction& i) {
        s.relative = true;
        const u32 index = s.read32(i, i.sources[0]);
        m0(s, 0, 8, index);
        m0(s, 12, 4, i.sources[1]);
      },
      program);
  to.special(
      "s_set_gpr_idx_idx", [=](State& s, const Instruction& i) { m0(s, 0, 8, s.read32(i, i.sources[0])); }, program);
  to.special(
      "s_set_gpr_idx_mode", [=](State& s, const Instruction& i) { m0(s, 12, 4, static_cast<u32>(i.immediate)); },
      program);
  to.special("s_set_gpr_idx_off", [](State& s, const Instruction&) { s.relative = false; }, program);
}

}  // namespace

void add_vector(References& all) {
  Adder to(all);
  add_one_source(to);
  add_two_sources(to);
  add_three_sources(to);
  add_halves(to);
  add_comparisons(to);
  add_packed(to);
  add_lanes(to);
  add_wide_sads(to);
  add_relative(to);
}

}  // namespace amdcompat::emulate::vectors
