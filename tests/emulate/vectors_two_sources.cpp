// Vector instructions of two sources, and comparisons: what each does to one lane. [SIA; CIA; VIA: VOP2, VOPC, VOP3;
// VEGA: pseudocode of V_MIN; CLRX GcnInstrsVop2] Where documents disagree a lane is not judged.
#include "vectors_lane.hpp"

namespace amdcompat::emulate::vectors {
namespace {

// --- comparisons ----------------------------------------------------------------------------------------------------

// The number of a condition is the set of relations for which it holds: 1 less, 2 equal, 4 greater, 8 unordered.
bool compared(const In& x, char kind, u32 condition) {
  u32 relation = 0;
  if (kind == 'f' || kind == 'd') {
    const bool wide = kind == 'd';
    const Fields a(x.raw[0], wide), b(x.raw[1], wide);
    const i64 l = a.zero() ? 0 : order(x.raw[0], wide), r = b.zero() ? 0 : order(x.raw[1], wide);
    relation = a.nan() || b.nan() ? 8 : l < r ? 1 : l == r ? 2 : 4;
  } else {
    const bool is_signed = kind == 'i' || kind == 'I';
    Wide a = is_signed ? Wide{x.i(0)} : Wide{x.u(0)}, b = is_signed ? Wide{x.i(1)} : Wide{x.u(1)};
    if (kind == 'I' || kind == 'U') {
      a = is_signed ? Wide{static_cast<i64>(x.U(0))} : Wide{x.U(0)};
      b = is_signed ? Wide{static_cast<i64>(x.U(1))} : Wide{x.U(1)};
    }
    relation = a - b < 0 ? 1 : a - b == 0 ? 2 : 4;
  }
  return (condition & relation) != 0;
}
bool of_class(const In& x, bool wide) {
  const Fields f(x.raw[0], wide);
  u32 bit = 0;
  if (f.nan())
    bit = (f.mantissa >> (wide ? 51 : 22) & 1) != 0 ? 1 : 0;
  else
    for (const bool holds : {f.sign && f.inf(), f.sign && f.exponent != 0 && !f.top(), f.sign && f.denormal(),
                             f.sign && f.zero(), f.zero(), f.denormal(), f.exponent != 0 && !f.top(), f.inf()}) {
      if (bit < 2) bit = 2;
      if (holds) break;
      ++bit;
    }
  return (x.u(1) & (1u << bit)) != 0;
}

// --- integers -------------------------------------------------------------------------------------------------------

// Bit by bit.
u32 count_ones(u64 x) {
  u32 n = 0;
  for (; x != 0; x /= 2) n += x % 2;
  return n;
}
// Integers of 16 bits from -1 to 1 or 0 to 1. Near the middle of two the documents do not say how it is rounded.
bool normalised(u64 bits, i32 scale, bool is_signed, u32& out) {
  if (Fields(bits, false).nan()) {
    out = 0;
    return true;
  }
  const Quad x = std::clamp<Quad>(as_float(bits), is_signed ? -1 : 0, 1) * scale;
  const Quad nearest = integral(x, 'e'), rest = x - nearest;
  out = static_cast<u32>(static_cast<i32>(nearest)) & 0xffff;
  const Quad off = rest < 0 ? -rest : rest;
  return off < Quad{0.49};
}
Out pack_normalised(const In& x, i32 scale, bool is_signed) {
  u32 low = 0, high = 0;
  if (!normalised(x.raw[0], scale, is_signed, low) || !normalised(x.raw[1], scale, is_signed, high)) return unknown();
  return W(low | high << 16);
}

// Carry and borrow as the sign and the upper half of a wider sum.
u32 low(Wide sum) { return static_cast<u32>(static_cast<UWide>(sum)); }
Out carry(Wide sum) { return WB(static_cast<u32>(static_cast<UWide>(sum)), sum < 0 || sum >> 32 != 0); }
// With the clamp bit it stays at the nearest number there is.
Out clamped_carry(const In& x, Wide sum) {
  Out out = carry(sum);
  if (x.clamp && out.bit) out.bits = sum < 0 ? 0 : 0xffffffff;
  return out;
}

// The first 1184 bits of 2/pi, computed: pi by Machin's formula in fixed point, and a division bit by bit.
class Fixed {  // below 8, with kWords words behind the point
 public:
  static constexpr std::size_t kWords = 40;
  explicit Fixed(u32 whole = 0) { words_[0] = whole; }
  Fixed& operator/=(u32 by) {
    u64 rest = 0;
    for (u32& word : words_) {
      rest = rest << 32 | word;
      word = static_cast<u32>(rest / by);
      rest %= by;
    }
    return *this;
  }
  Fixed& add(const Fixed& other, bool minus) {
    u64 carry = minus ? 1 : 0;
    for (std::size_t i = kWords + 1; i-- > 0;) {
      carry += u64{words_[i]} + (minus ? ~other.words_[i] : other.words_[i]);
      words_[i] = static_cast<u32>(carry);
      carry >>= 32;
    }
    return *this;
  }
  [[nodiscard]] bool zero() const { return *this == Fixed(); }
  auto operator<=>(const Fixed&) const = default;

 private:
  std::array<u32, kWords + 1> words_{};  // the highest first
};
Fixed times_arctan(u32 factor, u32 inverse) {
  Fixed power(factor), sum;
  power /= inverse;
  for (u32 n = 1; !power.zero(); n += 2, power /= inverse * inverse) sum.add(Fixed(power) /= n, n % 4 == 3);
  return sum;
}
const std::vector<bool>& two_by_pi() {
  static const std::vector<bool> bits = [] {
    Fixed pi = times_arctan(16, 5);
    pi.add(times_arctan(4, 239), true);
    std::vector<bool> out;
    Fixed rest(2);
    while (out.size() < 1184) {
      rest.add(Fixed(rest), false);
      out.push_back(rest >= pi);
      if (out.back()) rest.add(pi, true);
    }
    return out;
  }();
  return bits;
}
// [VEGA: «V_TRIG_PREOP_F64»]: 53 bits from a place on, scaled; none where a word of 32 bits too few is left.
double part_of_two_by_pi(u64 value, u32 part) {
  const u32 exponent = static_cast<u32>(value >> 52) & 0x7ff;
  const u32 from = (part & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
  if (from / 32 * 32 + 96 > two_by_pi().size()) return 0;
  double out = 0;
  for (u32 bit = 0; bit < 53; ++bit)
    if (two_by_pi()[from + bit]) out += std::ldexp(1.0, 52 - static_cast<int>(bit));
  return std::ldexp(out, (exponent >= 1968 ? 128 : 0) - 53 - static_cast<int>(from));
}

}  // namespace

void add_two_sources(Adder& to) {
  to.add("v_cndmask_b32", "u=ww m", [](const In& x) { return W(x.raw[x.bit ? 1 : 0]); });
  to.add("v_add_f32", "f=ff", [](const In& x) { return F(x.f(0) + x.f(1)); });
  to.add("v_sub_f32", "f=ff", [](const In& x) { return F(x.f(0) - x.f(1)); });
  to.add("v_subrev_f32", "f=ff", [](const In& x) { return F(x.f(1) - x.f(0)); });
  to.add("v_mul_f32", "f=ff", [](const In& x) { return F(x.f(0) * x.f(1)); });
  // Zero times anything is zero; its sign is said nowhere.
  const auto legacy = [](const In& x) {
    const bool zero = x.ff(0).zero() || x.ff(1).zero();
    return zero ? Quad{0} : Quad{static_cast<float>(x.f(0) * x.f(1))};
  };
  to.add("v_mul_legacy_f32", "f=ff", [=](const In& x) { return either_zero(F(legacy(x))); });
  to.add("v_mac_legacy_f32", "f=ff o", [=](const In& x) { return either_zero(F(legacy(x) + Quad{as_float(x.old)})); });
  to.add("v_mad_legacy_f32", "f=fff", [=](const In& x) { return either_zero(F(legacy(x) + x.f(2))); });
  // The product is rounded before the sum.
  const auto mad = [](Quad a, Quad b, Quad c) { return F(Quad{static_cast<float>(a * b)} + c); };
  to.add("v_fmac_f32", "f=ff o", [](const In& x) { return F(fused(x.f(0), x.f(1), as_float(x.old))); });
  to.add("v_mac_f32", "f=ff o", [=](const In& x) { return mad(x.f(0), x.f(1), as_float(x.old)); });
  to.add("v_madmk_f32", "f=ff k", [=](const In& x) { return mad(x.f(0), as_float(x.literal), x.f(1)); });
  to.add("v_madak_f32", "f=ff k", [=](const In& x) { return mad(x.f(0), x.f(1), as_float(x.literal)); });
  to.add("v_mad_f32", "f=fff", [=](const In& x) { return mad(x.f(0), x.f(1), x.f(2)); });
  to.add("v_mul_i32_i24", "u=uu",
         [](const In& x) { return W(static_cast<u32>(signed_24(x.u(0)) * signed_24(x.u(1)))); });
  to.add("v_mul_hi_i32_i24", "u=uu", [](const In& x) {
    return W(static_cast<u32>((Wide{signed_24(x.u(0))} * signed_24(x.u(1)) + (Wide{1} << 60)) / (Wide{1} << 32) -
                              (Wide{1} << 28)));
  });
  to.add("v_mul_u32_u24", "u=uu", [](const In& x) {
    return W(static_cast<u32>(u64{x.u(0) % (1u << 24)} * (x.u(1) % (1u << 24)) % (u64{1} << 32)));
  });
  to.add("v_mul_hi_u32_u24", "u=uu",
         [](const In& x) { return W(u64{x.u(0) % (1u << 24)} * (x.u(1) % (1u << 24)) / (u64{1} << 32)); });
  // [LLVM: AMDGPUISD::FMIN_LEGACY, FMAX_LEGACY] The second one where a NaN makes the comparison false.
  to.add("v_min_legacy_f32", "f=ff", [](const In& x) { return W(compared(x, 'f', 1) ? x.raw[0] : x.raw[1]); });
  to.add("v_max_legacy_f32", "f=ff", [](const In& x) { return W(compared(x, 'f', 6) ? x.raw[0] : x.raw[1]); });
  to.add("v_min_f32", "f=ff", [](const In& x) { return W(lesser(x.raw[0], x.raw[1], false)); });
  to.add("v_max_f32", "f=ff", [](const In& x) { return W(greater(x.raw[0], x.raw[1], false)); });
  to.add("v_min_f64", "d=dd", [](const In& x) { return W(lesser(x.raw[0], x.raw[1], true)); });
  to.add("v_max_f64", "d=dd", [](const In& x) { return W(greater(x.raw[0], x.raw[1], true)); });
  const auto pick = [](char kind, u32 condition) {
    return [=](const In& x) { return W(x.u(compared(x, kind, condition) ? 0 : 1)); };
  };
  to.add("v_min_i32", "u=uu", pick('i', 1));
  to.add("v_max_i32", "u=uu", pick('i', 4));
  to.add("v_min_u32", "u=uu", pick('u', 1));
  to.add("v_max_u32", "u=uu", pick('u', 4));
  // Shifts as products and quotients of powers of two; only 5 or 6 bits of the distance count.
  const auto left = [](UWide value, u32 by) { return value * (UWide{1} << by); };
  const auto right = [](Wide value, u32 by) {  // rounds down
    const Wide power = Wide{1} << by;
    return value < 0 ? -((-value + power - 1) / power) : value / power;
  };
  for (const bool reversed : {false, true}) {
    const u32 v = reversed ? 1 : 0, by = reversed ? 0 : 1;
    const std::string rev = reversed ? "rev" : "";
    const std::string wide = reversed ? "U=uU" : "U=Uu";
    to.add("v_lshl" + rev + "_b32", "u=uu",
           [=](const In& x) { return W(static_cast<u32>(left(x.u(v), x.u(by) % 32))); });
    to.add("v_lshr" + rev + "_b32", "u=uu",
           [=](const In& x) { return W(static_cast<u32>(right(x.u(v), x.u(by) % 32))); });
    to.add("v_ashr" + rev + "_i32", "u=uu",
           [=](const In& x) { return W(static_cast<u32>(right(x.i(v), x.u(by) % 32))); });
    to.add("v_lshl" + rev + "_b64", wide, [=](const In& x) { return W(static_cast<u64>(left(x.U(v), x.u(by) % 64))); });
    to.add("v_lshr" + rev + "_b64", wide,
           [=](const In& x) { return W(static_cast<u64>(right(x.U(v), x.u(by) % 64))); });
    to.add("v_ashr" + rev + "_i64", wide,
           [=](const In& x) { return W(static_cast<u64>(right(static_cast<i64>(x.U(v)), x.u(by) % 64))); });
  }
  // Logic by truth tables: bit n of the table is the result where the operands' bits are n / 2 and n % 2.
  const auto logic = [](u32 table) {
    return [=](const In& x) {
      u32 out = 0;
      for (u32 n = 0; n < 32; ++n) out |= (table >> ((x.u(0) >> n & 1) * 2 + (x.u(1) >> n & 1)) & 1) << n;
      return W(out);
    };
  };
  to.add("v_and_b32", "u=uu", logic(0b1000));
  to.add("v_or_b32", "u=uu", logic(0b1110));
  to.add("v_xor_b32", "u=uu", logic(0b0110));
  to.add("v_xnor_b32", "u=uu", logic(0b1001));
  for (const char* type : {"_u32", "_i32"}) {
    to.add(std::string("v_add_nc") + type, "u=uu", [](const In& x) { return W(low(Wide{x.u(0)} + x.u(1))); });
    to.add(std::string("v_sub_nc") + type, "u=uu", [](const In& x) { return W(low(Wide{x.u(0)} - x.u(1))); });
  }
  to.add("v_subrev_nc_u32", "u=uu", [](const In& x) { return W(low(Wide{x.u(1)} - x.u(0))); });
  to.add("v_bfm_b32", "u=uu", [](const In& x) {
    u32 out = 0;
    for (u32 n = 0; n < x.u(0) % 32; ++n)
      if (n + x.u(1) % 32 < 32) out |= 1u << (n + x.u(1) % 32);
    return W(out);
  });
  to.add("v_bcnt_u32_b32", "u=uu", [](const In& x) { return W(static_cast<u32>(count_ones(x.u(0)) + x.u(1))); });
  for (const bool high : {false, true})
    to.add(high ? "v_mbcnt_hi_u32_b32" : "v_mbcnt_lo_u32_b32", "u=uu", [high](const In& x) {
      u32 out = x.u(1);
      for (u32 lane = high ? 32 : 0; lane < std::min(x.lane, high ? 64u : 32u); ++lane) out += x.u(0) >> lane % 32 & 1;
      return W(out);
    });
  for (const char* name : {"v_add_i32", "v_add_u32", "v_add_co_u32"})
    to.add(name, "um=uu z", [](const In& x) { return clamped_carry(x, Wide{x.u(0)} + x.u(1)); });
  for (const char* name : {"v_sub_i32", "v_sub_u32", "v_sub_co_u32"})
    to.add(name, "um=uu z", [](const In& x) { return clamped_carry(x, Wide{x.u(0)} - x.u(1)); });
  for (const char* name : {"v_subrev_i32", "v_subrev_u32", "v_subrev_co_u32"})
    to.add(name, "um=uu z", [](const In& x) { return clamped_carry(x, Wide{x.u(1)} - x.u(0)); });
  to.add("v_addc_u32", "um=uu m", [](const In& x) { return carry(Wide{x.u(0)} + x.u(1) + (x.bit ? 1 : 0)); });
  to.add("v_subb_u32", "um=uu m", [](const In& x) { return carry(Wide{x.u(0)} - x.u(1) - (x.bit ? 1 : 0)); });
  to.add("v_subbrev_u32", "um=uu m", [](const In& x) { return carry(Wide{x.u(1)} - x.u(0) - (x.bit ? 1 : 0)); });
  to.add("v_ldexp_f32", "f=fu", [](const In& x) { return F(times_power(x.f(0), x.i(1))); });
  to.add("v_ldexp_f64", "d=du", [](const In& x) { return D(times_power(x.d(0), x.i(1))); });
  to.add("v_trig_preop_f64", "d=du", [](const In& x) { return D(part_of_two_by_pi(x.raw[0], x.u(1))); });
  // The other bytes of the destination stay. To nearest, as v_cvt_pk_u8_f32: not verified.
  to.add("v_cvt_pkaccum_u8_f32", "u=fu b", [](const In& x) {
    u32 out = 0;
    for (u32 n = 4; n-- > 0;)
      out =
          out * 256 + (n == x.u(1) % 4 ? static_cast<u32>(to_integer(integral(x.f(0), 'e'), 0, 255)) : byte(x.old, n));
    return W(out);
  });
  to.add("v_cvt_pknorm_i16_f32", "u=ff", [](const In& x) { return pack_normalised(x, 32767, true); });
  to.add("v_cvt_pknorm_u16_f32", "u=ff", [](const In& x) { return pack_normalised(x, 65535, false); });
  to.add("v_cvt_pkrtz_f16_f32", "u=ff", [](const In& x) {
    if (x.ff(0).nan() || x.ff(1).nan()) return unknown();
    return W(half_of(x.u(0), true) | half_of(x.u(1), true) << 16);
  });
  to.add("v_cvt_pk_u16_u32", "u=uu", [](const In& x) {
    return W((x.u(0) >> 16 != 0 ? 0xffff : x.u(0)) | (x.u(1) >> 16 != 0 ? 0xffff : x.u(1)) << 16);
  });
  to.add("v_cvt_pk_i16_i32", "u=uu", [](const In& x) {
    const auto narrow = [](i32 v) {
      return v > 0x7fff ? 0x7fffu : v < -0x8000 ? 0x8000u : static_cast<u32>(v) & 0xffff;
    };
    return W(narrow(x.i(0)) | narrow(x.i(1)) << 16);
  });
}

void add_comparisons(Adder& to) {
  static constexpr const char* kReal[] = {"f", "lt",  "eq",  "le",  "gt",  "lg",  "ge",  "o",
                                          "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"};
  static constexpr const char* kInteger[] = {"f", "lt", "eq", "le", "gt", "ne", "ge", "t"};
  struct Type {
    const char* name;
    char kind;
    const char* plain;
    const char* exec;
  };
  for (const Type& t :
       {Type{"f32", 'f', "m=ff", "m=ff x"}, Type{"f64", 'd', "m=dd", "m=dd x"}, Type{"i32", 'i', "m=uu", "m=uu x"},
        Type{"u32", 'u', "m=uu", "m=uu x"}, Type{"i64", 'I', "m=UU", "m=UU x"}, Type{"u64", 'U', "m=UU", "m=UU x"}}) {
    const bool is_float = t.kind == 'f' || t.kind == 'd';
    for (u32 n = 0; n < (is_float ? 16u : 8u); ++n)
      for (const char* family : {"v_cmp_", "v_cmpx_", "v_cmps_", "v_cmpsx_"}) {
        const std::string name = std::string(family) + (is_float ? kReal[n] : kInteger[n]) + "_" + t.name;
        if (!is_float && name.starts_with("v_cmps")) continue;
        to.add(name, string_view(family).ends_with("x_") ? t.exec : t.plain,
               [kind = t.kind, n](const In& x) { return WB(0, compared(x, kind, n)); });
      }
  }
  for (const bool wide : {false, true})
    for (const bool exec : {false, true})
      to.add(std::string(exec ? "v_cmpx" : "v_cmp") + "_class_f" + (wide ? "64" : "32"),
             std::string(wide ? "m=Cu" : "m=cu") + (exec ? " x" : ""),
             [wide](const In& x) { return WB(0, of_class(x, wide)); });
}

}  // namespace amdcompat::emulate::vectors
