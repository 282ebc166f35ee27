// Vector instructions of 16 bits, which GFX8 brought: what each does to one lane. [VIA: VOP1, VOP2, VOP3, VOPC; VEGA:
// pseudocode of V_DIV_FIXUP_F16]
//
// Halves are rounded by a table of all of them, integers are those of the manuals' formulas modulo 65536.
#include <algorithm>

#include "vectors_lane.hpp"

namespace amdcompat::emulate::vectors {
namespace {

bool nan_of_half(u32 bits) { return bits % 0x8000 > 0x7c00; }
bool top_of_half(u32 bits) { return bits % 0x8000 >= 0x7c00; }
bool negative(u32 bits) { return bits % 0x10000 >= 0x8000; }
Out integer(i64 value) { return W(static_cast<u64>(((value % 65536) + 65536) % 65536)); }
// With the clamp bit the nearest number there is.
Out unsigned_sum(const In& x, i64 value) { return integer(x.clamp ? std::clamp<i64>(value, 0, 65535) : value); }
Out signed_sum(const In& x, i64 value) { return integer(x.clamp ? std::clamp<i64>(value, -32768, 32767) : value); }
Out saturated(const In& x, i32 low, i32 high) {
  if (nan_of_half(x.u(0))) return W(0);
  const Quad value = x.h(0);
  return integer(value < low ? low : value > high ? high : static_cast<i64>(value));
}
// By the table's order: a number beats a NaN, -0 is below +0.
Out chosen(const In& x, bool least) {
  const auto rank = [](u32 bits) {
    return negative(bits) ? -static_cast<i32>(bits % 0x8000) - 1 : static_cast<i32>(bits);
  };
  if (nan_of_half(x.u(0))) return W(x.raw[1]);
  if (nan_of_half(x.u(1))) return W(x.raw[0]);
  return W(x.raw[(rank(x.u(0)) < rank(x.u(1))) == least ? 0 : 1]);
}
Out fixed_quotient(const In& x) {
  const u32 below = x.u(1), above = x.u(2), sign = negative(below) != negative(above) ? 0x8000 : 0;
  const auto zero = [](u32 bits) { return bits % 0x8000 == 0; };
  const auto infinite = [](u32 bits) { return bits % 0x8000 == 0x7c00; };
  if (nan_of_half(below) || nan_of_half(above)) return W(0x7e00);
  if ((zero(below) && zero(above)) || (infinite(below) && infinite(above))) return W(0x7e00);
  if (zero(below) || infinite(above)) return W(sign | 0x7c00);
  if (infinite(below) || zero(above)) return W(sign);
  return W((nan_of_half(x.u(0)) ? 0x7c00 : x.u(0) % 0x8000) | sign);
}
Out split(const In& x, bool exponent) {
  if (top_of_half(x.u(0)) || x.u(0) % 0x8000 == 0) return W(exponent ? 0 : x.raw[0]);
  const Fields f(float_of_half(x.u(0)), false);  // where every half is a normal number
  const i32 power = static_cast<i32>(f.exponent) - 126;
  return exponent ? integer(power) : H(times_power(x.h(0), -power));
}
Out circle(const In& x, bool sine) {
  if (top_of_half(x.u(0))) return W(0x7e00);
  const Quad value = x.h(0);
  if (value > 256 || value < -256) return W(sine ? 0 : 0x3c00);
  const auto turn = static_cast<long double>(value - integral(value, 'f'));
  const long double angle = 6.283185307179586476925286766559L * turn;
  const long double out = sine ? std::sin(angle) : std::cos(angle);
  if (std::abs(out) < 1e-9L) return unknown();  // whether a zero is exact, and its sign
  return close(H(out), 1);
}

bool compared(const In& x, char kind, u32 condition) {
  u32 relation = 8;
  if (kind == 'x') {
    if (!nan_of_half(x.u(0)) && !nan_of_half(x.u(1))) relation = x.h(0) < x.h(1) ? 1 : x.h(0) == x.h(1) ? 2 : 4;
  } else {
    const i32 off = kind == 'i' ? x.s(0) - x.s(1) : static_cast<i32>(x.u(0)) - static_cast<i32>(x.u(1));
    relation = off < 0 ? 1 : off == 0 ? 2 : 4;
  }
  return (condition & relation) != 0;
}
bool of_class(const In& x) {
  const u32 bits = x.u(0), magnitude = bits % 0x8000;
  u32 bit = 0;
  if (magnitude > 0x7c00) {
    bit = magnitude >= 0x7e00 ? 1 : 0;
  } else {  // infinite, normal, denormal, zero: outwards from the middle
    const u32 kind = magnitude == 0x7c00 ? 3 : magnitude >= 0x400 ? 2 : magnitude != 0 ? 1 : 0;
    bit = negative(bits) ? 5 - kind : 6 + kind;
  }
  return (x.u(1) & (1u << bit)) != 0;
}

}  // namespace

void add_halves(Adder& to) {
  to.add("v_add_f16", "x=xx", [](const In& x) { return H(x.h(0) + x.h(1)); });
  to.add("v_sub_f16", "x=xx", [](const In& x) { return H(x.h(0) - x.h(1)); });
  to.add("v_subrev_f16", "x=xx", [](const In& x) { return H(x.h(1) - x.h(0)); });
  to.add("v_mul_f16", "x=xx", [](const In& x) { return H(x.h(0) * x.h(1)); });
  const auto mad = [](Quad a, Quad b, Quad c) { return H(quad_of_half(half_of_quad(a * b)) + c); };
  to.add("v_mac_f16", "x=xx oK", [=](const In& x) { return mad(x.h(0), x.h(1), quad_of_half(x.old)); });
  to.add("v_madmk_f16", "x=xx kK", [=](const In& x) { return mad(x.h(0), quad_of_half(x.literal), x.h(1)); });
  to.add("v_madak_f16", "x=xx kK", [=](const In& x) { return mad(x.h(0), x.h(1), quad_of_half(x.literal)); });
  to.add("v_mad_f16", "x=xxx K", [=](const In& x) { return mad(x.h(0), x.h(1), x.h(2)); });
  to.add("v_fma_f16", "x=xxx K", [](const In& x) { return H(x.h(0) * x.h(1) + x.h(2)); });
  to.add("v_div_fixup_f16", "x=xxx K", fixed_quotient);
  // Those of GFX8, which GFX9 calls legacy.
  to.add("v_mad_legacy_f16", "x=xxx", [=](const In& x) { return mad(x.h(0), x.h(1), x.h(2)); });
  to.add("v_fma_legacy_f16", "x=xxx", [](const In& x) { return H(x.h(0) * x.h(1) + x.h(2)); });
  to.add("v_div_fixup_legacy_f16", "x=xxx", fixed_quotient);
  to.add("v_mad_legacy_u16", "u=sss", [](const In& x) { return integer(i64{x.u(0)} * x.u(1) + x.u(2)); });
  to.add("v_mad_legacy_i16", "u=sss", [](const In& x) { return integer(i64{x.s(0)} * x.s(1) + x.s(2)); });
  to.add("v_add_i16", "u=ss", [](const In& x) { return integer(i64{x.s(0)} + x.s(1)); });
  to.add("v_sub_i16", "u=ss", [](const In& x) { return integer(i64{x.s(0)} - x.s(1)); });
  const auto word = [](i64 value) { return W(static_cast<u64>(value & 0xffffffff)); };
  to.add("v_mad_u32_u16", "u=ssu", [=](const In& x) { return word(i64{x.u(0)} * x.u(1) + x.u(2)); });
  to.add("v_mad_i32_i16", "u=ssu", [=](const In& x) { return word(i64{x.s(0)} * x.s(1) + x.i(2)); });
  for (const bool is_signed : {false, true})
    for (u32 place = 0; place < 3; ++place) {
      const std::string names[] = {"v_min3", "v_med3", "v_max3"};
      to.add(names[place] + (is_signed ? "_i16" : "_u16"), "u=sss", [=](const In& x) {
        std::array<i32, 3> v{};
        for (u32 n = 0; n < 3; ++n) v[n] = is_signed ? x.s(n) : static_cast<i32>(x.u(n));
        std::ranges::sort(v);
        return integer(v[place]);
      });
    }
  const auto both = [](const In& x, u64 a, u64 b, bool least) {
    In y = x;
    y.raw[0] = a;
    y.raw[1] = b;
    return chosen(y, least).bits;
  };
  for (const bool least : {false, true})
    to.add(least ? "v_min3_f16" : "v_max3_f16", "x=xxx",
           [=](const In& x) { return W(both(x, both(x, x.raw[0], x.raw[1], least), x.raw[2], least)); });
  to.add("v_med3_f16", "x=xxx", [=](const In& x) {
    if (nan_of_half(x.u(0)) || nan_of_half(x.u(1)) || nan_of_half(x.u(2)))
      return W(both(x, both(x, x.raw[0], x.raw[1], true), x.raw[2], true));
    std::array<u64, 3> v = x.raw;
    std::ranges::sort(v, {}, [](u64 bits) { return quad_of_half(static_cast<u32>(bits)); });
    return either_zero(W(v[1]));  // of two zeros the documents choose different ones
  });
  to.add("v_pack_b32_f16", "u=xx", [](const In& x) { return W(x.u(0) + x.u(1) * 65536u); });
  const auto normal = [](u32 bits, i32 scale, u32& out) {  // false: near the middle of two
    out = 0;
    if (nan_of_half(bits)) return true;
    const Quad x = std::clamp<Quad>(quad_of_half(bits), scale == 32767 ? -1 : 0, 1) * scale;
    const Quad nearest = integral(x, 'e'), rest = x - nearest;
    out = static_cast<u32>(static_cast<i32>(nearest)) % 65536;
    return (rest < 0 ? -rest : rest) < Quad{0.49};
  };
  for (const i32 scale : {32767, 65535}) {
    const std::string type = scale == 32767 ? "i16" : "u16";
    to.add("v_cvt_norm_" + type + "_f16", "u=x", [=](const In& x) {
      u32 out = 0;
      return normal(x.u(0), scale, out) ? W(out) : unknown();
    });
    to.add("v_cvt_pknorm_" + type + "_f16", "u=xx", [=](const In& x) {
      u32 low = 0, high = 0;
      return normal(x.u(0), scale, low) && normal(x.u(1), scale, high) ? W(low + high * 65536) : unknown();
    });
  }
  to.add("v_sat_pk_u8_i16", "u=u", [](const In& x) {
    const auto part = [](u32 half) { return half >= 32768 ? 0 : half > 255 ? 255 : half; };
    return W(part(x.u(0) % 65536) + part(x.u(0) / 65536) * 256);
  });
  to.add("v_min_f16", "x=xx", [](const In& x) { return chosen(x, true); });
  to.add("v_max_f16", "x=xx", [](const In& x) { return chosen(x, false); });
  to.add("v_ldexp_f16", "x=xs", [](const In& x) { return H(times_power(x.h(0), x.s(1))); });

  to.add("v_add_u16", "u=ss z", [](const In& x) { return unsigned_sum(x, i64{x.u(0)} + x.u(1)); });
  to.add("v_sub_u16", "u=ss z", [](const In& x) { return unsigned_sum(x, i64{x.u(0)} - x.u(1)); });
  to.add("v_subrev_u16", "u=ss z", [](const In& x) { return unsigned_sum(x, i64{x.u(1)} - x.u(0)); });
  to.add("v_mul_lo_u16", "u=ss", [](const In& x) { return integer(i64{x.u(0)} * x.u(1)); });
  to.add("v_mad_u16", "u=sss zK", [](const In& x) { return unsigned_sum(x, i64{x.u(0)} * x.u(1) + x.u(2)); });
  to.add("v_mad_i16", "u=sss zK", [](const In& x) { return signed_sum(x, i64{x.s(0)} * x.s(1) + x.s(2)); });
  // Shifts as products and quotients of powers of two; only 4 bits of the distance count.
  to.add("v_lshlrev_b16", "u=ss", [](const In& x) { return integer(i64{x.u(1)} * (1 << x.u(0) % 16)); });
  to.add("v_lshrrev_b16", "u=ss", [](const In& x) { return integer(x.u(1) / (1u << x.u(0) % 16)); });
  to.add("v_ashrrev_i16", "u=ss", [](const In& x) {
    const i32 power = 1 << x.u(0) % 16;
    return integer(x.s(1) < 0 ? -((-x.s(1) + power - 1) / power) : x.s(1) / power);
  });
  to.add("v_max_u16", "u=ss", [](const In& x) { return W(x.u(0) > x.u(1) ? x.u(0) : x.u(1)); });
  to.add("v_min_u16", "u=ss", [](const In& x) { return W(x.u(0) < x.u(1) ? x.u(0) : x.u(1)); });
  to.add("v_max_i16", "u=ss", [](const In& x) { return integer(x.s(0) > x.s(1) ? x.s(0) : x.s(1)); });
  to.add("v_min_i16", "u=ss", [](const In& x) { return integer(x.s(0) < x.s(1) ? x.s(0) : x.s(1)); });

  to.add("v_cvt_f16_u16", "x=s", [](const In& x) { return H(x.u(0)); });
  to.add("v_cvt_f16_i16", "x=s", [](const In& x) { return H(x.s(0)); });
  to.add("v_cvt_u16_f16", "u=x", [](const In& x) { return saturated(x, 0, 65535); });
  to.add("v_cvt_i16_f16", "u=x", [](const In& x) { return saturated(x, -32768, 32767); });
  to.add("v_rcp_f16", "x=x", [](const In& x) { return H(1 / x.h(0)); });
  to.add("v_sqrt_f16", "x=x", [](const In& x) { return H(std::sqrt(static_cast<long double>(x.h(0)))); });
  to.add("v_rsq_f16", "x=x", [](const In& x) { return H(1 / std::sqrt(static_cast<long double>(x.h(0)))); });
  to.add("v_log_f16", "x=x", [](const In& x) { return close(H(std::log2(static_cast<long double>(x.h(0)))), 1); });
  to.add("v_exp_f16", "x=x", [](const In& x) { return close(H(std::exp2(static_cast<long double>(x.h(0)))), 1); });
  to.add("v_frexp_mant_f16", "x=x", [](const In& x) { return split(x, false); });
  to.add("v_frexp_exp_i16_f16", "u=x", [](const In& x) { return split(x, true); });
  const auto whole = [](char mode) {
    return [=](const In& x) { return top_of_half(x.u(0)) ? W(x.raw[0]) : H(integral(x.h(0), mode)); };
  };
  to.add("v_floor_f16", "x=x", whole('f'));
  to.add("v_ceil_f16", "x=x", whole('c'));
  to.add("v_trunc_f16", "x=x", whole('t'));
  to.add("v_rndne_f16", "x=x", whole('e'));
  to.add("v_fract_f16", "x=x", [](const In& x) {
    if (top_of_half(x.u(0))) return W(0x7e00);
    const Out out = H(x.h(0) - integral(x.h(0), 'f'));
    return out.bits == 0x3c00 ? unknown() : either_zero(out);  // documents say what becomes of 1 for longer floats only
  });
  to.add("v_sin_f16", "x=x", [](const In& x) { return circle(x, true); });
  to.add("v_cos_f16", "x=x", [](const In& x) { return circle(x, false); });

  static constexpr const char* kReal[] = {"f", "lt",  "eq",  "le",  "gt",  "lg",  "ge",  "o",
                                          "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"};
  static constexpr const char* kInteger[] = {"f", "lt", "eq", "le", "gt", "ne", "ge", "t"};
  for (const bool exec : {false, true}) {
    const std::string family = exec ? "v_cmpx_" : "v_cmp_", end = exec ? " x" : "";
    for (u32 n = 0; n < 16; ++n)
      to.add(family + kReal[n] + "_f16", "m=xx" + end, [n](const In& x) { return WB(0, compared(x, 'x', n)); });
    for (const char kind : {'i', 'u'})
      for (u32 n = 0; n < 8; ++n)
        to.add(family + kInteger[n] + "_" + kind + "16", "m=ss" + end,
               [=](const In& x) { return WB(0, compared(x, kind, n)); });
    to.add(family + "class_f16", "m=yu" + end, [](const In& x) { return WB(0, of_class(x)); });
  }
}

}  // namespace amdcompat::emulate::vectors
