// Vector instructions of one source: what each does to one lane. [SIA; CIA; VIA: VOP1; CLRX GcnInstrsVop1] Where
// documents disagree a lane is not judged.
#include "vectors_lane.hpp"
#include "vectors_sdwa_dpp.hpp"

namespace amdcompat::emulate::vectors {
namespace {

// --- reciprocals and the like ---------------------------------------------------------------------------------------

// Instructions of 32 bits that ignore the mode for denormals on some processors: not judged where they keep them.
bool doubtful(const In& x, const Out& out) {
  return x.keep32 && (x.ff(0).denormal() || Fields(out.bits, false).denormal());
}
Out reciprocal(const In& x, bool wide) {
  const Fields f(x.raw[0], wide);
  if (f.zero()) return W(infinity(f.sign, wide));
  Out out = real(1 / quad_of(x.raw[0], wide), wide);
  if (wide) return close(out, 1);
  return doubtful(x, out) ? unknown() : out;
}
Quad root(Quad x) {  // Newton's steps from the host's root
  if (x == 0) return x;
  Quad r = std::sqrt(static_cast<double>(x));
  if (!(r - r == 0) || r == 0) return r;
  for (int n = 0; n < 3; ++n) r = (r + x / r) / 2;
  return r;
}
Out square_root(const In& x, bool wide, bool inverse) {
  const Fields f(x.raw[0], wide);
  if (f.nan() || (f.sign && !f.zero())) return nan_of(wide);
  if (f.zero()) return W(inverse ? infinity(f.sign, wide) : x.raw[0]);
  if (f.inf()) return W(inverse ? 0 : x.raw[0]);
  const Quad r = root(quad_of(x.raw[0], wide));
  const Out out = real(inverse ? 1 / r : r, wide);
  if (wide) return close(out, 1);
  return doubtful(x, out) ? unknown() : out;
}
Out without_infinity(Out out, bool wide) {
  const Fields f(out.bits, wide);
  if (f.inf()) out.bits = (wide ? 0x7fefffffffffffff : 0x7f7fffff) | (f.sign ? sign_bit(wide) : 0);
  return out;
}
Out logarithm(const In& x) {
  const Fields f = x.ff(0);
  if (f.zero()) return W(infinity(true, false));
  if (f.nan() || f.sign) return nan_of(false);
  if (f.inf()) return W(x.raw[0]);
  if (x.keep32 && f.denormal()) return unknown();
  return F(std::log2(static_cast<long double>(as_float(x.raw[0]))));
}
Out power_of_two(const In& x) {
  const Fields f = x.ff(0);
  if (f.nan()) return nan_of(false);
  if (f.inf()) return W(f.sign ? 0 : x.raw[0]);
  const Out out = F(std::exp2(static_cast<long double>(as_float(x.raw[0]))));
  if (Fields(out.bits, false).denormal()) return x.keep32 ? unknown() : W(0);
  return out;
}
Out circle(const In& x, bool sine) {  // revolutions; the domain is +-256, outside it gives what 0 gives
  const Fields f = x.ff(0);
  if (f.top()) return nan_of(false);
  const Quad value = x.f(0);
  if (value > 256 || value < -256) return W(sine ? 0 : 0x3f800000);
  const auto turn = static_cast<long double>(value - integral(value, 'f'));
  const long double angle = 6.283185307179586476925286766559L * turn;
  return close(F(sine ? std::sin(angle) : std::cos(angle)), 1, 1e-12);
}
Out fraction(const In& x, bool wide) {
  const Fields f(x.raw[0], wide);
  if (f.top()) return nan_of(wide);
  const Quad value = quad_of(x.raw[0], wide);
  Out out = real(value - integral(value, 'f'), wide);
  if (out.bits == (wide ? 0x3ff0000000000000 : 0x3f800000)) --out.bits;  // never 1
  return either_zero(out);
}
Out split(const In& x, bool wide, bool exponent) {  // mantissa in [0.5, 1) and its power
  const Fields f(x.raw[0], wide);
  if (f.top() || f.zero()) return W(exponent ? 0 : x.raw[0]);
  Quad m = quad_of(x.raw[0] & ~sign_bit(wide), wide);
  i32 e = 0;
  for (; m >= 1; m /= 2) ++e;
  for (; m < Quad{0.5}; m *= 2) --e;
  return exponent ? W(static_cast<u32>(e)) : real(f.sign ? -m : m, wide);
}

}  // namespace

void add_one_source(Adder& to) {
  to.add("v_cvt_i32_f64", "u=d", [](const In& x) { return W(to_integer(x.d(0), kMinI, kMaxI)); });
  to.add("v_cvt_u32_f64", "u=d", [](const In& x) { return W(to_integer(x.d(0), 0, kMaxU)); });
  to.add("v_cvt_i32_f32", "u=f", [](const In& x) { return W(to_integer(x.f(0), kMinI, kMaxI)); });
  to.add("v_cvt_u32_f32", "u=f", [](const In& x) { return W(to_integer(x.f(0), 0, kMaxU)); });
  // [CLRX] says the largest and smallest integer for NaN, and AMD's manuals nothing.
  to.add("v_cvt_rpi_i32_f32", "u=f", [](const In& x) {
    return x.ff(0).nan() ? unknown() : W(to_integer(integral(x.f(0) + Quad{0.5}, 'f'), kMinI, kMaxI));
  });
  to.add("v_cvt_flr_i32_f32", "u=f",
         [](const In& x) { return x.ff(0).nan() ? unknown() : W(to_integer(integral(x.f(0), 'f'), kMinI, kMaxI)); });
  to.add("v_cvt_f64_i32", "d=u", [](const In& x) { return D(x.i(0)); });
  to.add("v_cvt_f64_u32", "d=u", [](const In& x) { return D(x.u(0)); });
  to.add("v_cvt_f32_i32", "f=u", [](const In& x) { return F(x.i(0)); });
  to.add("v_cvt_f32_u32", "f=u", [](const In& x) { return F(x.u(0)); });
  to.add("v_cvt_f32_f64", "f=d", [](const In& x) { return F(x.d(0)); });
  to.add("v_cvt_f64_f32", "d=f", [](const In& x) { return D(x.f(0)); });
  to.add("v_cvt_f16_f32", "u=f", [](const In& x) {
    Out out = W(half_of(x.u(0), false));
    out.slack.kind = 'h';
    return out;
  });
  to.add("v_cvt_f32_f16", "f=x", [](const In& x) { return W(float_of_half(x.u(0))); });
  to.add("v_cvt_off_f32_i4", "f=u", [](const In& x) { return F((Quad{0} + (x.u(0) % 16 ^ 8)) / 16 - Quad{0.5}); });
  for (u32 n = 0; n < 4; ++n)
    to.add("v_cvt_f32_ubyte" + std::to_string(n), "f=u", [n](const In& x) { return F(byte(x.u(0), n)); });
  for (const auto& [name, mode] : {std::pair{"trunc", 't'}, {"ceil", 'c'}, {"rndne", 'e'}, {"floor", 'f'}}) {
    to.add(std::string("v_") + name + "_f32", "f=f", [mode](const In& x) { return F(integral(x.f(0), mode)); });
    to.add(std::string("v_") + name + "_f64", "d=d", [mode](const In& x) { return D(integral(x.d(0), mode)); });
  }
  to.add("v_exp_f32", "f=f", power_of_two);
  to.add("v_log_f32", "f=f", logarithm);
  to.add("v_log_clamp_f32", "f=f", [](const In& x) {
    return x.ff(0).inf() ? unknown() : without_infinity(logarithm(x), false);  // +inf: the documents disagree
  });
  to.add("v_rcp_f32", "f=f", [](const In& x) { return reciprocal(x, false); });
  to.add("v_rcp_iflag_f32", "f=f", [](const In& x) { return reciprocal(x, false); });
  to.add("v_rcp_f64", "d=d", [](const In& x) { return reciprocal(x, true); });
  to.add("v_rcp_clamp_f32", "f=f", [](const In& x) { return without_infinity(reciprocal(x, false), false); });
  to.add("v_rcp_clamp_f64", "d=d", [](const In& x) { return without_infinity(reciprocal(x, true), true); });
  // Infinite results become zeros of their sign; of v_rsq_legacy_f32 [CLRX] does not say which.
  const auto zero_for_infinity = [](Out out) {
    if (Fields(out.bits, false).inf()) out.bits &= 0x80000000;
    return out;
  };
  to.add("v_rcp_legacy_f32", "f=f", [=](const In& x) { return zero_for_infinity(reciprocal(x, false)); });
  to.add("v_rsq_legacy_f32", "f=f",
         [=](const In& x) { return either_zero(zero_for_infinity(square_root(x, false, true))); });
  to.add("v_rsq_f32", "f=f", [](const In& x) { return square_root(x, false, true); });
  to.add("v_rsq_f64", "d=d", [](const In& x) { return square_root(x, true, true); });
  to.add("v_rsq_clamp_f32", "f=f", [](const In& x) { return without_infinity(square_root(x, false, true), false); });
  to.add("v_rsq_clamp_f64", "d=d", [](const In& x) { return without_infinity(square_root(x, true, true), true); });
  to.add("v_sqrt_f32", "f=f", [](const In& x) { return square_root(x, false, false); });
  to.add("v_sqrt_f64", "d=d", [](const In& x) { return square_root(x, true, false); });
  to.add("v_log_legacy_f32", "f=f", logarithm);
  to.add("v_exp_legacy_f32", "f=f", power_of_two);
  to.add("v_sin_f32", "f=f", [](const In& x) { return circle(x, true); });
  to.add("v_cos_f32", "f=f", [](const In& x) { return circle(x, false); });
  to.add("v_fract_f32", "f=f", [](const In& x) { return fraction(x, false); });
  to.add("v_fract_f64", "d=d", [](const In& x) { return fraction(x, true); });
  // Exponents of infinity and NaN: 0 as in [VEGA] and LLVM; [CLRX] says -1.
  to.add("v_frexp_exp_i32_f32", "u=f", [](const In& x) { return split(x, false, true); });
  to.add("v_frexp_exp_i32_f64", "u=d", [](const In& x) { return split(x, true, true); });
  to.add("v_frexp_mant_f32", "f=f", [](const In& x) { return split(x, false, false); });
  to.add("v_frexp_mant_f64", "d=d", [](const In& x) { return split(x, true, false); });
  to.add("v_mov_b32", "u=u", [](const In& x) { return W(x.u(0)); });
  to.add("v_not_b32", "u=u", [](const In& x) { return W(static_cast<u32>(kMaxU - x.u(0))); });
  to.add("v_bfrev_b32", "u=u", [](const In& x) {
    u32 out = 0;
    for (u32 n = 0; n < 32; ++n) out = out * 2 + (x.u(0) >> n) % 2;
    return W(out);
  });
  const auto find = [](u32 value, bool from_top, bool wanted) {
    for (u32 n = 0; n < 32; ++n)
      if ((value >> (from_top ? 31 - n : n) & 1) == (wanted ? 1u : 0u)) return W(n);
    return W(0xffffffff);
  };
  to.add("v_ffbh_u32", "u=u", [=](const In& x) { return find(x.u(0), true, true); });
  to.add("v_ffbl_b32", "u=u", [=](const In& x) { return find(x.u(0), false, true); });
  to.add("v_ffbh_i32", "u=u", [=](const In& x) { return find(x.u(0), true, x.i(0) >= 0); });
  const auto nothing = [](State&, const Instruction&) {};
  for (const char* name : {"v_nop", "v_clrexcp"})
    to.special(
        name, nothing,
        [](Maker& m, u32) {
          Instruction i = m.instance();
          if (m.encoding == Encoding::Sdwa) choose_parts(m, i);
          if (m.encoding == Encoding::Dpp) choose_partners(m, i, false);
          if (i.variant != gcn::Variant::Plain) i.sources[0] = kV0;
          m.add(i);
        },
        2);
}

}  // namespace amdcompat::emulate::vectors
