// One lane of a vector instruction: its operands, its result, and the arithmetic of the descriptions.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "vectors.hpp"

namespace amdcompat::emulate::vectors {

// Operands after modifiers and flushing.
struct In {
  std::array<u64, 3> raw{};
  bool bit = false;  // of the mask that goes in
  u32 old = 0;  // what the destination holds
  u32 literal = 0;
  u32 lane = 0;
  Generation gfx = Generation::Gfx6;
  bool keep32 = false;  // denormals of 32 bits
  bool clamp = false;

  [[nodiscard]] u32 u(u32 n) const { return static_cast<u32>(raw[n]); }
  [[nodiscard]] i32 i(u32 n) const { return static_cast<i32>(u(n)); }
  [[nodiscard]] u64 U(u32 n) const { return raw[n]; }
  [[nodiscard]] Quad f(u32 n) const { return as_float(raw[n]); }
  [[nodiscard]] Quad d(u32 n) const { return as_double(raw[n]); }
  [[nodiscard]] Quad h(u32 n) const;  // a half
  [[nodiscard]] i32 s(u32 n) const { return u(n) % 0x10000 < 0x8000 ? i(n) % 0x10000 : i(n) % 0x10000 - 0x10000; }
  [[nodiscard]] Fields ff(u32 n) const { return {raw[n], false}; }
  [[nodiscard]] Fields fd(u32 n) const { return {raw[n], true}; }
};
struct Out {
  u64 bits = 0;
  bool bit = false;
  Slack slack{};
};

inline Out W(u64 bits) { return {bits, false, {}}; }
inline Out WB(u64 bits, bool bit) { return {bits, bit, {}}; }
inline Out F(Quad value) { return {bits_of(static_cast<float>(value)), false, {}}; }
inline Out D(Quad value) { return {bits_of(static_cast<double>(value)), false, {}}; }
// Halves.
[[nodiscard]] u32 half_of_quad(Quad value);
[[nodiscard]] inline Quad quad_of_half(u32 bits) { return as_float(float_of_half(bits % 0x10000)); }
inline Quad In::h(u32 n) const { return quad_of_half(u(n)); }
inline Out H(Quad value) { return {half_of_quad(value), false, {}}; }
inline Out real(Quad value, bool wide) { return wide ? D(value) : F(value); }
inline Out nan_of(bool wide) { return W(wide ? kNan64 : kNan32); }
inline Out unknown() {
  Out out;
  out.slack.any = true;
  return out;
}
inline Out close(Out out, u32 ulps, double absolute = 0) {
  out.slack.ulps = ulps;
  out.slack.absolute = absolute;
  return out;
}
inline Out either_zero(Out out) {
  out.slack.zero_sign = true;
  return out;
}

inline Quad quad_of(u64 bits, bool wide) { return wide ? Quad{as_double(bits)} : Quad{as_float(bits)}; }
inline u64 sign_bit(bool wide) { return u64{1} << (wide ? 63 : 31); }
inline u64 infinity(bool negative, bool wide) {
  return (wide ? 0x7ff0000000000000 : 0x7f800000) | (negative ? sign_bit(wide) : 0);
}

// --- arithmetic ------------------------------------------------------------------------------------------------------

// a * b + c rounded once.
Quad fused(Quad a, Quad b, Quad c);
// value * 2^power.
Quad times_power(Quad value, i64 power);
// Integers nearby: 't' toward zero, 'f' down, 'c' up, 'e' nearest even. Zeros keep the sign of the operand.
Quad integral(Quad x, char mode);
// 32 bits, toward zero and saturated; NaN gives 0.
u64 to_integer(Quad x, Wide low, Wide high);
// Numbers in the order of their values, -0 below +0, from their bits.
i64 order(u64 bits, bool wide);
// A number beats a NaN.
u64 lesser(u64 a, u64 b, bool wide);
u64 greater(u64 a, u64 b, bool wide);
inline constexpr Wide kMinI = -(Wide{1} << 31), kMaxI = (Wide{1} << 31) - 1, kMaxU = (Wide{1} << 32) - 1;

inline i64 signed_24(u32 x) { return static_cast<i64>(x & 0x7fffff) - static_cast<i64>(x & 0x800000); }
inline u32 byte(u32 x, u32 n) { return x >> (8 * n) & 255; }

// --- descriptions ---------------------------------------------------------------------------------------------------

using LaneFunction = std::function<Out(const In&)>;
class Adder {
 public:
  explicit Adder(References& all) : all_(all) {}
  // An instruction that does the same to every lane. `shapes`: "result=sources flags", as in "um=uu m"; Shapes in
  // vectors_vector.cpp says what the letters mean.
  void add(const std::string& name, string_view shapes, LaneFunction function);
  void special(const std::string& name, std::function<void(State&, const Instruction&)> how,
               std::function<void(Maker&, u32)> program, u32 rounds = 8) {
    all_[name] = {std::move(how), std::move(program), rounds};
  }

 private:
  References& all_;
};
void add_one_source(Adder& to);
void add_two_sources(Adder& to);
void add_three_sources(Adder& to);
void add_packed(Adder& to);
void add_comparisons(Adder& to);
void add_halves(Adder& to);

}  // namespace amdcompat::emulate::vectors
