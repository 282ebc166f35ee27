// Vector instructions of three sources, and those of two that only VOP3 has: what each does to one lane. Where
// documents disagree a lane is not judged. [SIA; CIA; VIA: VOP3; VEGA: pseudocode of V_DIV_SCALE, V_DIV_FIXUP, V_MED3;
// CLRX GcnInstrsVop3]
#include "vectors_lane.hpp"

namespace amdcompat::emulate::vectors {
namespace {

u32 field(u32 value, u32 offset, u32 width, bool is_signed) {
  u32 out = 0;
  for (u32 n = 0; n < 32; ++n) {
    const u32 inside = width == 0 ? 0 : std::min(n, width - 1);  // bits above repeat the top one
    const u32 from = offset + inside;
    const bool bit = (from < 32 ? value >> from : is_signed ? value >> 31 : 0) & 1;
    if (width != 0 && (n < width || is_signed) && bit) out |= 1u << n;
  }
  return out;
}
u32 distance(u32 a, u32 b) { return static_cast<u32>(std::abs(static_cast<i64>(a) - static_cast<i64>(b))); }
u32 byte_distances(const In& x, bool masked) {
  u32 sum = 0;
  for (u32 n = 0; n < 4; ++n)
    if (!masked || byte(x.u(1), n) != 0) sum += distance(byte(x.u(0), n), byte(x.u(1), n));
  return sum;
}
u32 low(Wide sum) { return static_cast<u32>(static_cast<UWide>(sum)); }
Out sorted(const In& x, u32 place, bool is_signed) {  // 0: smallest, 2: largest
  std::array<i64, 3> v{};
  for (u32 n = 0; n < 3; ++n) v[n] = is_signed ? i64{x.i(n)} : i64{x.u(n)};
  std::ranges::sort(v);
  return W(static_cast<u32>(v[place]));
}

// --- division -------------------------------------------------------------------------------------------------------

Out scale_division(const In& x, bool wide) {
  const Fields value(x.raw[0], wide), below(x.raw[1], wide), above(x.raw[2], wide);
  const bool is_below = !value.nan() && (x.raw[0] == x.raw[1] || (value.zero() && below.zero()));
  const bool is_above = !value.nan() && (x.raw[0] == x.raw[2] || (value.zero() && above.zero()));
  const i64 k = wide ? 128 : 64;
  const auto scaled = [&](bool yes, i64 power, bool bit) {
    Out out = W(x.raw[0]);
    if (yes && !value.nan()) out = real(times_power(quad_of(x.raw[0], wide), power), wide);
    out.bit = bit;
    return out;
  };
  if (below.zero() || above.zero()) return nan_of(wide);
  if (static_cast<i64>(above.exponent) - static_cast<i64>(below.exponent) >= (wide ? 768 : 96))
    return scaled(is_below, k, true);
  if (below.denormal()) return scaled(true, k, false);
  const Quad d = quad_of(x.raw[1], wide), n = quad_of(x.raw[2], wide);
  const bool tiny_reciprocal = Fields(real(1 / d, wide).bits, wide).denormal();
  const bool tiny_quotient = Fields(real(n / d, wide).bits, wide).denormal();
  if (tiny_reciprocal && tiny_quotient) return scaled(is_below, -k, true);
  if (tiny_reciprocal) return scaled(true, -k, false);
  if (tiny_quotient) return scaled(is_above, k, true);
  return scaled(above.exponent <= (wide ? 53u : 23u), k, false);
}
Out fix_division(const In& x, bool wide) {
  const Fields below(x.raw[1], wide), above(x.raw[2], wide);
  const bool negative = below.sign != above.sign;
  const u64 sign = negative ? sign_bit(wide) : 0;
  if (above.nan() || below.nan()) return nan_of(wide);
  if ((below.zero() && above.zero()) || (below.inf() && above.inf())) return nan_of(wide);
  if (below.zero() || above.inf()) return W(infinity(negative, wide));
  if (below.inf() || above.zero()) return W(sign);
  if (static_cast<i64>(above.exponent) - static_cast<i64>(below.exponent) < (wide ? -1075 : -150)) return W(sign);
  if (Fields(x.raw[0], wide).nan()) return W(infinity(negative, wide));
  return W((x.raw[0] & (sign_bit(wide) - 1)) | sign);
}
Out fused_scaled(const In& x, bool wide) {
  const Quad r = fused(quad_of(x.raw[0], wide), quad_of(x.raw[1], wide), quad_of(x.raw[2], wide));
  const i64 power = wide ? 128 : 64;
  const bool large = Fields(x.raw[2], wide).exponent > (wide ? 1023 : 127);
  return real(x.bit ? times_power(r, large ? power : -power) : r, wide);
}

}  // namespace

void add_three_sources(Adder& to) {
  to.add("v_mad_i32_i24", "u=uuu", [](const In& x) {
    return W(static_cast<u32>(static_cast<UWide>(Wide{signed_24(x.u(0))} * signed_24(x.u(1)) + x.u(2))));
  });
  to.add("v_mad_u32_u24", "u=uuu",
         [](const In& x) { return W(static_cast<u32>(UWide{x.u(0) % (1u << 24)} * (x.u(1) % (1u << 24)) + x.u(2))); });
  to.add("v_bfe_u32", "u=uuu", [](const In& x) { return W(field(x.u(0), x.u(1) % 32, x.u(2) % 32, false)); });
  to.add("v_bfe_i32", "u=uuu", [](const In& x) { return W(field(x.u(0), x.u(1) % 32, x.u(2) % 32, true)); });
  to.add("v_bfi_b32", "u=uuu", [](const In& x) {
    u32 out = 0;
    for (u32 n = 0; n < 32; ++n) out |= (x.u((x.u(0) >> n & 1) != 0 ? 1 : 2) >> n & 1) << n;
    return W(out);
  });
  to.add("v_fma_f32", "f=fff", [](const In& x) { return F(fused(x.f(0), x.f(1), x.f(2))); });
  to.add("v_fma_f64", "d=ddd", [](const In& x) { return D(fused(x.d(0), x.d(1), x.d(2))); });
  to.add("v_lerp_u8", "u=uuu", [](const In& x) {
    u32 out = 0;
    for (u32 n = 4; n-- > 0;) out = out * 256 + (byte(x.u(0), n) + byte(x.u(1), n) + byte(x.u(2), n) % 2) / 2;
    return W(out);
  });
  to.add("v_alignbit_b32", "u=uuu", [](const In& x) {
    u32 out = 0;
    for (u32 n = 0; n < 32; ++n) {
      const u32 from = n + x.u(2) % 32;
      out |= (from < 32 ? x.u(1) >> from & 1 : x.u(0) >> (from - 32) & 1) << n;
    }
    return W(out);
  });
  to.add("v_alignbyte_b32", "u=uuu", [](const In& x) {
    u32 out = 0;
    for (u32 n = 4; n-- > 0;) {
      const u32 from = n + x.u(2) % 4;
      out = out * 256 + (from < 4 ? byte(x.u(1), from) : byte(x.u(0), from - 4));
    }
    return W(out);
  });
  const auto low3 = [](const In& x) { return lesser(lesser(x.raw[0], x.raw[1], false), x.raw[2], false); };
  to.add("v_min3_f32", "f=fff", [=](const In& x) { return W(low3(x)); });
  to.add("v_max3_f32", "f=fff",
         [](const In& x) { return W(greater(greater(x.raw[0], x.raw[1], false), x.raw[2], false)); });
  to.add("v_med3_f32", "f=fff", [=](const In& x) {
    if (x.ff(0).nan() || x.ff(1).nan() || x.ff(2).nan()) return W(low3(x));
    std::array<u64, 3> v = x.raw;
    std::ranges::sort(v, {}, [](u64 bits) { return order(bits, false); });
    return either_zero(W(v[1]));  // of two zeros the documents choose different ones
  });
  for (const bool s : {false, true}) {
    const std::string type = s ? "_i32" : "_u32";
    to.add("v_min3" + type, "u=uuu", [s](const In& x) { return sorted(x, 0, s); });
    to.add("v_med3" + type, "u=uuu", [s](const In& x) { return sorted(x, 1, s); });
    to.add("v_max3" + type, "u=uuu", [s](const In& x) { return sorted(x, 2, s); });
  }
  to.add("v_xad_u32", "u=uuu",
         [](const In& x) { return W(low(Wide{(x.u(0) | x.u(1)) - (x.u(0) & x.u(1))} + x.u(2))); });
  to.add("v_add3_u32", "u=uuu", [](const In& x) { return W(low(Wide{x.u(0)} + x.u(1) + x.u(2))); });
  to.add("v_lshl_add_u32", "u=uuu",
         [](const In& x) { return W(low(Wide{x.u(0)} * (Wide{1} << x.u(1) % 32) + x.u(2))); });
  to.add("v_add_lshl_u32", "u=uuu",
         [](const In& x) { return W(low((Wide{x.u(0)} + x.u(1)) * (Wide{1} << x.u(2) % 32))); });
  to.add("v_lshl_or_b32", "u=uuu",
         [](const In& x) { return W(~(~low(Wide{x.u(0)} * (Wide{1} << x.u(1) % 32)) & ~x.u(2))); });
  to.add("v_and_or_b32", "u=uuu", [](const In& x) { return W(~(~(x.u(0) & x.u(1)) & ~x.u(2))); });
  to.add("v_or3_b32", "u=uuu", [](const In& x) { return W(~(~x.u(0) & ~x.u(1) & ~x.u(2))); });
  to.add("v_sad_u8", "u=uuu", [](const In& x) { return W(static_cast<u32>(x.u(2) + byte_distances(x, false))); });
  to.add("v_msad_u8", "u=uuu", [](const In& x) { return W(static_cast<u32>(x.u(2) + byte_distances(x, true))); });
  to.add("v_sad_hi_u8", "u=uuu",
         [](const In& x) { return W(static_cast<u32>(x.u(2) + byte_distances(x, false) * 65536)); });
  for (const bool masked : {false, true})
    to.add(masked ? "v_mqsad_pk_u16_u8" : "v_qsad_pk_u16_u8", "U=UuU", [masked](const In& x) {
      u64 out = 0;
      for (u32 n = 4; n-- > 0;) {
        u32 sum = static_cast<u32>(x.U(2) >> 16 * n) % 65536;
        for (u32 k = 0; k < 4; ++k) {
          const u32 reference = byte(x.u(1), k);
          if (!masked || reference != 0) sum += distance(static_cast<u32>(x.U(0) >> 8 * (n + k)) % 256, reference);
        }
        out = out * 65536 + sum % 65536;
      }
      return W(out);
    });
  // A byte of the sixteen that there are: those of the sources, signs of the odd ones, nothing and all.
  to.add("v_perm_b32", "u=uuu", [](const In& x) {
    std::array<u32, 14> all{};
    for (u32 n = 0; n < 4; ++n) {
      all[n] = byte(x.u(1), n);
      all[4 + n] = byte(x.u(0), n);
    }
    for (u32 n = 0; n < 4; ++n) all[8 + n] = all[2 * n + 1] / 128 * 255;
    all[13] = 255;
    u32 out = 0;
    for (u32 n = 4; n-- > 0;) out = out * 256 + all[std::min(byte(x.u(2), n), 13u)];
    return W(out);
  });
  // The axis of the largest part; the last one of equals.
  const auto axis = [](const In& x) {
    u32 out = 0;
    for (u32 n = 1; n < 3; ++n)
      if (!(x.f(n) * x.f(n) < x.f(out) * x.f(out))) out = n;
    return out;
  };
  const auto judged = [](const In& x) { return !x.ff(0).nan() && !x.ff(1).nan() && !x.ff(2).nan(); };
  const auto sign = [=](const In& x) { return x.f(axis(x)) < 0 ? -1 : 1; };
  to.add("v_cubeid_f32", "f=fff",
         [=](const In& x) { return judged(x) ? F(Quad{2} * axis(x) + (sign(x) < 0 ? 1 : 0)) : unknown(); });
  to.add("v_cubema_f32", "f=fff", [=](const In& x) { return judged(x) ? F(x.f(axis(x)) * 2) : unknown(); });
  to.add("v_cubesc_f32", "f=fff", [=](const In& x) {
    if (!judged(x)) return unknown();
    static constexpr u32 kFrom[] = {2, 0, 0};
    const i32 factors[] = {-sign(x), 1, sign(x)};
    return F(x.f(kFrom[axis(x)]) * factors[axis(x)]);
  });
  to.add("v_cubetc_f32", "f=fff", [=](const In& x) {
    if (!judged(x)) return unknown();
    static constexpr u32 kFrom[] = {1, 2, 1};
    const i32 factors[] = {-1, sign(x), -1};
    return F(x.f(kFrom[axis(x)]) * factors[axis(x)]);
  });
  // Products beyond the largest number have rules of their own, which no document gives.
  to.add("v_mullit_f32", "f=fff", [](const In& x) {
    const Fields b = x.ff(1), c = x.ff(2);
    const bool lowest = b.sign && (b.inf() || x.raw[1] == 0xff7fffff);
    if (lowest || b.nan() || c.nan() || c.zero() || c.sign) return W(0xff7fffff);
    if (x.ff(0).zero() || b.zero()) return either_zero(W(0));
    const Out out = F(x.f(0) * x.f(1));
    return Fields(out.bits, false).top() ? unknown() : out;
  });
  to.add("v_sad_u16", "u=uuu", [](const In& x) {
    return W(
        static_cast<u32>(x.u(2) + distance(x.u(0) % 65536, x.u(1) % 65536) + distance(x.u(0) / 65536, x.u(1) / 65536)));
  });
  to.add("v_sad_u32", "u=uuu", [](const In& x) { return W(static_cast<u32>(x.u(2) + distance(x.u(0), x.u(1)))); });
  // To nearest, as [CLRX] says and hardware was found to do; OpenCL's amd_pack, which is this instruction, casts.
  to.add("v_cvt_pk_u8_f32", "u=fuu", [](const In& x) {
    u32 out = 0;
    for (u32 n = 4; n-- > 0;)
      out =
          out * 256 + (n == x.u(1) % 4 ? static_cast<u32>(to_integer(integral(x.f(0), 'e'), 0, 255)) : byte(x.u(2), n));
    return W(out);
  });
  for (const bool wide : {false, true}) {
    const std::string type = wide ? "_f64" : "_f32", three = wide ? "d=ddd" : "f=fff";
    to.add("v_div_fixup" + type, three, [wide](const In& x) { return fix_division(x, wide); });
    to.add("v_div_fmas" + type, three + " m", [wide](const In& x) { return fused_scaled(x, wide); });
    to.add("v_div_scale" + type, wide ? "dm=ddd s" : "fm=fff s",
           [wide](const In& x) { return scale_division(x, wide); });
  }
  to.add("v_add_f64", "d=dd", [](const In& x) { return D(fused(x.d(0), 1, x.d(1))); });
  to.add("v_mul_f64", "d=dd", [](const In& x) { return D(x.d(0) * x.d(1)); });
  for (const char* name : {"v_mul_lo_u32", "v_mul_lo_i32"})
    to.add(name, "u=uu", [](const In& x) {  // as one adds on paper
      u32 out = 0;
      for (u32 n = 0; n < 32; ++n)
        if ((x.u(1) >> n & 1) != 0) out += x.u(0) << n;
      return W(out);
    });
  to.add("v_mul_hi_u32", "u=uu",
         [](const In& x) { return W(static_cast<u32>(UWide{x.u(0)} * x.u(1) / (UWide{1} << 32))); });
  to.add("v_mul_hi_i32", "u=uu", [](const In& x) {
    const Wide biased = Wide{x.i(0)} * x.i(1) + (Wide{1} << 64);  // positive, so that the quotient rounds down
    return W(static_cast<u32>(static_cast<UWide>(biased / (Wide{1} << 32))));
  });
  to.add("v_mad_u64_u32", "Um=uuU", [](const In& x) {
    const UWide sum = UWide{x.u(0)} * x.u(1) + x.U(2);
    return WB(static_cast<u64>(sum), sum >> 64 != 0);
  });
  to.add("v_mad_i64_i32", "Um=uuU", [](const In& x) {
    const Wide sum = Wide{x.i(0)} * x.i(1) + static_cast<i64>(x.U(2));
    const Wide limit = Wide{1} << 63;
    return WB(static_cast<u64>(static_cast<UWide>(sum)), sum >= limit || sum < -limit);
  });
}

}  // namespace amdcompat::emulate::vectors
