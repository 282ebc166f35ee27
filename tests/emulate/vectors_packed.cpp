// Instructions on two halves at once and on halves and floats: VOP3P of GFX9. [VEGA: «VOP3P»] Operands are finite and
// denormals stay, so that no NaN and no mode is among what is compared; other vectors have those.
#include <algorithm>

#include "vectors_lane.hpp"

namespace amdcompat::emulate::vectors {
namespace {

// A register that holds two halves or a float: numbers of moderate size.
u32 moderate_half(Maker& m) { return m.below(0x8000 / 2) + 0x1000 + (m.chance(50) ? 0x8000 : 0); }
u32 operand(Maker& m, char kind) {
  if (kind == 'h') return moderate_half(m) + moderate_half(m) * 65536;
  if (kind == 'm' && m.chance(50)) return bits_of(static_cast<float>(static_cast<i32>(m.below(4001)) - 2000) / 16.0f);
  return kind == 'm' ? moderate_half(m) + moderate_half(m) * 65536 : static_cast<u32>(m.value('u'));
}
u32 half_at(u32 value, bool high) { return high ? value / 65536 : value % 65536; }
bool bit_of(u32 bits, u32 n) { return bits / (1u << n) % 2 != 0; }

// Instances with all choices of halves; `kind`: 'h' halves, 'i' integers, 'm' both floats and halves.
std::function<void(Maker&, u32)> program(u32 sources, char kind, bool clamps) {
  return [=](Maker& m, u32) {
    m.start.modes.floats = 0xf0;
    for (u32 reg = 0; reg < kVgprs; ++reg)
      for (u32& lane : m.start.v[reg]) lane = operand(m, kind);
    for (u32 count = 0; count < 4; ++count) {
      Instruction i = m.instance();
      for (u32 n = 0; n < sources; ++n) i.sources[n] = static_cast<u16>(kV0 + m.below(kVgprs));
      i.destination = static_cast<u16>(m.below(kVgprs));
      const u32 all = (1u << sources) - 1;
      i.op_sel = static_cast<u8>(m.below(8) & all);
      i.op_sel_hi = static_cast<u8>(m.below(8) & all);
      i.clamp = clamps && m.chance(30);
      if (kind != 'i') {
        i.negate = static_cast<u8>(m.below(8) & all);
        i.negate_hi = static_cast<u8>(m.below(8) & all);
      }
      m.add(i);
      if (kind != 'i') return;  // results may be infinite: no instruction takes another's
    }
  };
}

// Both halves of each lane's result by `half`; `negates`: NEG and NEG_HI turn signs.
void for_halves(State& s, const Instruction& i, u32 sources, bool negates, const std::function<u32(const In&)>& half) {
  for (u32 lane = 0; lane < 64; ++lane) {
    if (!s.active(lane)) continue;
    u32 out = 0;
    for (const bool upper : {false, true}) {
      In x;
      for (u32 n = 0; n < sources; ++n) {
        x.raw[n] = half_at(s.read32(i, i.sources[n], lane), bit_of(upper ? i.op_sel_hi : i.op_sel, n));
        if (negates && bit_of(upper ? i.negate_hi : i.negate, n)) x.raw[n] ^= 0x8000;
      }
      out += half(x) * (upper ? 65536 : 1);
    }
    s.v[i.destination][lane] = out;
  }
}

using Whole = std::function<i64(const In&)>;
void add_integers(Adder& to, const std::string& name, u32 sources, i64 low, i64 high, Whole function, bool clamps) {
  to.special(
      name,
      [=](State& s, const Instruction& i) {
        for_halves(s, i, sources, false, [&](const In& x) {
          i64 value = function(x);
          if (i.clamp) value = std::min(std::max(value, low), high);
          return static_cast<u32>((value % 65536 + 65536) % 65536);
        });
      },
      program(sources, 'i', clamps), 12);
}
using Real = std::function<Quad(const In&)>;
void add_reals(Adder& to, const std::string& name, u32 sources, Real function) {
  to.special(
      name,
      [=](State& s, const Instruction& i) {
        for_halves(s, i, sources, true, [&](const In& x) {
          Quad value = quad_of_half(half_of_quad(function(x)));
          if (i.clamp) value = half_of_quad(value) >= 0x8000 ? 0 : value > 1 ? 1 : value;
          return half_of_quad(value);
        });
      },
      program(sources, 'h', true), 24);
}

// `part`: 0 the register, 1 its low half, 2 its high half.
void add_mixed(Adder& to, const std::string& name, bool fused_one, u32 part) {
  to.special(
      name,
      [=](State& s, const Instruction& i) {
        for (u32 lane = 0; lane < 64; ++lane) {
          if (!s.active(lane)) continue;
          std::array<Quad, 3> x{};
          for (u32 n = 0; n < 3; ++n) {
            const u32 bits = s.read32(i, i.sources[n], lane);
            x[n] = bit_of(i.op_sel_hi, n) ? quad_of_half(half_at(bits, bit_of(i.op_sel, n))) : Quad{as_float(bits)};
            if (bit_of(i.negate_hi, n) && x[n] <= 0) x[n] = Quad{0} - x[n];
            if (bit_of(i.negate, n)) x[n] = -x[n];
          }
          const Quad product = fused_one ? x[0] * x[1] : Quad{static_cast<float>(x[0] * x[1])};
          float value = fused_one ? as_float(F(fused(x[0], x[1], x[2])).bits) : static_cast<float>(product + x[2]);
          if (i.clamp) value = value < 0 ? 0 : value > 1 ? 1 : value;
          u32& out = s.v[i.destination][lane];
          const u32 half = half_of(bits_of(value), false);
          out = part == 0 ? bits_of(value) : part == 1 ? out - out % 65536 + half : out % 65536 + half * 65536;
          s.slack.push_back({.reg = i.destination, .lane = lane, .zero_sign = part == 0});
        }
      },
      program(3, 'm', true), 24);
}

void add_dot(Adder& to, const std::string& name, u32 bits, bool is_signed) {
  to.special(
      name,
      [=](State& s, const Instruction& i) {
        for (u32 lane = 0; lane < 64; ++lane) {
          if (!s.active(lane)) continue;
          const auto part = [&](u32 source, u32 n) {
            const i64 size = i64{1} << bits, value = s.read32(i, i.sources[source], lane) / (u64{1} << n * bits) % size;
            return is_signed && value >= size / 2 ? value - size : value;
          };
          const u32 last = s.read32(i, i.sources[2], lane);
          Wide sum = is_signed ? Wide{static_cast<i32>(last)} : Wide{last};
          for (u32 n = 0; n < 32 / bits; ++n) sum += Wide{part(0, n)} * part(1, n);
          if (i.clamp) sum = std::clamp<Wide>(sum, is_signed ? kMinI : 0, is_signed ? kMaxI : kMaxU);
          s.v[i.destination][lane] = static_cast<u32>(static_cast<UWide>(sum));
        }
      },
      program(3, 'i', true), 12);
}

}  // namespace

void add_packed(Adder& to) {
  const auto s = [](const In& x, u32 n) { return i64{x.s(n)}; };
  const auto u = [](const In& x, u32 n) { return i64{x.u(n)}; };
  constexpr i64 kLow = -32768, kHigh = 32767, kMost = 65535;
  add_integers(to, "v_pk_mad_i16", 3, kLow, kHigh, [=](const In& x) { return s(x, 0) * s(x, 1) + s(x, 2); }, true);
  add_integers(to, "v_pk_mad_u16", 3, 0, kMost, [=](const In& x) { return u(x, 0) * u(x, 1) + u(x, 2); }, true);
  add_integers(to, "v_pk_mul_lo_u16", 2, 0, 0, [=](const In& x) { return u(x, 0) * u(x, 1); }, false);
  add_integers(to, "v_pk_add_i16", 2, kLow, kHigh, [=](const In& x) { return s(x, 0) + s(x, 1); }, true);
  add_integers(to, "v_pk_sub_i16", 2, kLow, kHigh, [=](const In& x) { return s(x, 0) - s(x, 1); }, true);
  add_integers(to, "v_pk_add_u16", 2, 0, kMost, [=](const In& x) { return u(x, 0) + u(x, 1); }, true);
  add_integers(to, "v_pk_sub_u16", 2, 0, kMost, [=](const In& x) { return u(x, 0) - u(x, 1); }, true);
  add_integers(to, "v_pk_lshlrev_b16", 2, 0, 0, [=](const In& x) { return u(x, 1) * (1 << x.u(0) % 16); }, false);
  add_integers(to, "v_pk_lshrrev_b16", 2, 0, 0, [=](const In& x) { return u(x, 1) / (1 << x.u(0) % 16); }, false);
  add_integers(to, "v_pk_ashrrev_i16", 2, 0, 0, [=](const In& x) {
    const i64 power = 1 << x.u(0) % 16, value = s(x, 1);
    return value < 0 ? -((-value + power - 1) / power) : value / power;
  }, false);
  add_integers(to, "v_pk_max_i16", 2, 0, 0, [=](const In& x) { return std::max(s(x, 0), s(x, 1)); }, false);
  add_integers(to, "v_pk_min_i16", 2, 0, 0, [=](const In& x) { return std::min(s(x, 0), s(x, 1)); }, false);
  add_integers(to, "v_pk_max_u16", 2, 0, 0, [=](const In& x) { return std::max(u(x, 0), u(x, 1)); }, false);
  add_integers(to, "v_pk_min_u16", 2, 0, 0, [=](const In& x) { return std::min(u(x, 0), u(x, 1)); }, false);
  add_reals(to, "v_pk_fma_f16", 3, [](const In& x) { return x.h(0) * x.h(1) + x.h(2); });
  add_reals(to, "v_pk_add_f16", 2, [](const In& x) { return x.h(0) + x.h(1); });
  add_reals(to, "v_pk_mul_f16", 2, [](const In& x) { return x.h(0) * x.h(1); });
  add_reals(to, "v_pk_min_f16", 2, [](const In& x) { return x.h(0) < x.h(1) ? x.h(0) : x.h(1); });
  add_reals(to, "v_pk_max_f16", 2, [](const In& x) { return x.h(0) > x.h(1) ? x.h(0) : x.h(1); });
  for (const bool fused_one : {false, true}) {
    const std::string family = fused_one ? "v_fma_mix" : "v_mad_mix";
    add_mixed(to, family + "_f32", fused_one, 0);
    add_mixed(to, family + "lo_f16", fused_one, 1);
    add_mixed(to, family + "hi_f16", fused_one, 2);
  }
  add_dot(to, "v_dot2_i32_i16", 16, true);
  add_dot(to, "v_dot2_u32_u16", 16, false);
  add_dot(to, "v_dot4_i32_i8", 8, true);
  add_dot(to, "v_dot4_u32_u8", 8, false);
  add_dot(to, "v_dot8_i32_i4", 4, true);
  add_dot(to, "v_dot8_u32_u4", 4, false);
}

}  // namespace amdcompat::emulate::vectors
