// Turns a function over the operands of one lane (or of one scalar instruction) into an opcode's semantics.
//
// The function's signature says everything: parameters are the sources in order, the result is the destination.
//   float, double        32 or 64 bits; VOP3's |x|, -x, output modifier and clamp apply, denormals as the mode says
//   Half                 16 bits, likewise; the upper half of the destination becomes zero [VIA: «VOP2»]
//   u32, i32, u64, i64   plain bits
//   u16, i16             plain bits, the low ones of a register; results too zero the upper half
//   Word                 32 plain bits, but with |x| and -x of VOP3 (v_cndmask_b32)
//   Bit                  the lane's bit of the mask that goes in (VCC, or a scalar pair in VOP3)
//   Old<T>               what the destination holds
//   Literal, HalfLiteral the literal that always follows the instruction
//   Saturated<T>         result: an integer that is cut to T, or with the clamp bit made the nearest T
//   Masked<T>            result: a value, and the lane's bit of the mask that goes out
//   bool                 result: only the lane's bit (comparisons)
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "half.hpp"
#include "wave.hpp"

namespace amdcompat::emulate {

struct Word {
  u32 value;
};
struct Bit {
  bool value;
};
template <class T>
struct Old {
  T value;
};
struct Literal {
  float value;
};
// [CLRX GcnInstrsVop3: V_MAD_I16; LLVM: what it makes of llvm.uadd.sat for GFX8]
template <class T>
struct Saturated {
  i64 value;
  [[nodiscard]] T as(bool clamp) const {
    if (!clamp) return static_cast<T>(value);
    return static_cast<T>(std::clamp<i64>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
};
template <class T>
struct Masked {
  T value;
  bool bit;
};

// Every half is a double, and sums and products of halves are exact there.
struct Half {
  double value;
  u32 bits = 0;  // of a source, after its modifiers
};
struct HalfLiteral {
  double value;
};
[[nodiscard]] inline Half rounded(double value) { return {from_half(to_half(value, false))}; }

template <class T>
inline constexpr bool kReal = std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
inline constexpr bool kHalf = std::is_same_v<T, Half>;
template <class T>
inline constexpr bool kShort = std::is_same_v<T, u16> || std::is_same_v<T, i16>;
template <class T>
inline constexpr bool kPlain = kReal<T> || kHalf<T> || kShort<T> || std::is_same_v<T, u32> || std::is_same_v<T, i32> ||
                               std::is_same_v<T, u64> || std::is_same_v<T, i64> || std::is_same_v<T, Word>;
template <class T>
constexpr Shape shape_of() {
  if constexpr (std::is_same_v<T, float>)
    return Shape::F32;
  else if constexpr (kHalf<T> || kShort<T>)
    return Shape::B32;
  else if constexpr (std::is_same_v<T, double>)
    return Shape::F64;
  else if constexpr (kPlain<T> && sizeof(T) == 8)
    return Shape::B64;
  else if constexpr (kPlain<T>)
    return Shape::B32;
  else
    return Shape::None;
}
template <class T>
struct ValueOf {
  using type = T;
};
template <class T>
struct ValueOf<Masked<T>> {
  using type = T;
};
template <>
struct ValueOf<bool> {
  using type = void;
};
// What is written of it.
template <class T>
struct Written {
  using type = T;
};
template <class T>
struct Written<Saturated<T>> {
  using type = T;
};

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8 && !kHalf<T>, u64, u32>;
// What the destination holds.
template <class T>
BitsOf<T> to_bits(T value) {
  if constexpr (kHalf<T>)
    return to_half(value.value, false);
  else if constexpr (kShort<T>)
    return static_cast<u16>(value);
  else
    return std::bit_cast<BitsOf<T>>(value);
}

// Denormals count as zeros of their sign unless the mode keeps them.
template <class T>
T flush(T value, bool keep) {
  if constexpr (kReal<T>) {
    if (!keep && std::fpclassify(value) == FP_SUBNORMAL) return std::copysign(T{0}, value);
  }
  if constexpr (kHalf<T>) {
    if (!keep && std::fabs(value.value) < 0x1p-14) return {std::copysign(0.0, value.value), value.bits};
  }
  return value;
}
template <class T>
bool keeps_denormals(const Wave& wave) {
  // Bit 0 of each field: inputs, bit 1: outputs; only "both" and "neither" occur, and anything else stops at the start.
  // Halves and doubles share a field.
  return (wave.float_mode() >> (std::is_same_v<T, double> || kHalf<T> ? 6 : 4) & 3) == 3;
}

// One source over all lanes.
template <class T>
class Source {
 public:
  Source(Wave& wave, const Instruction& i, u32 n) {
    const u32 code = i.sources[n];
    if (code >= kFirstVector) {
      wave.check_vgpr(code - kFirstVector, sizeof(T) / 4, wave.exec());
      lo_ = wave.vgpr(code - kFirstVector).data();
      if constexpr (sizeof(T) == 8) hi_ = wave.vgpr(code - kFirstVector + 1).data();
      step_ = 1;
    } else if constexpr (sizeof(T) == 8) {
      const u64 value = wave.source64(i, code, kReal<T>);
      fixed_ = {low_half(value), high_half(value)};
    } else {
      fixed_[0] = wave.source32(i, code);
    }
    if constexpr (kModified) {
      clear_sign_ = (i.absolute >> n & 1) != 0;
      flip_sign_ = (i.negate >> n & 1) != 0;
      if constexpr (kReal<T>) keep_ = keeps_denormals<T>(wave);
    } else if (((i.absolute | i.negate) >> n & 1) != 0) {
      wave.stop("a floating-point modifier on an operand that is none");
    }
  }

  [[nodiscard]] T at(u32 lane) const {
    const u32 low = step_ != 0 ? lo_[lane] : fixed_[0];
    BitsOf<T> bits;
    if constexpr (sizeof(T) == 8)
      bits = joined(low, step_ != 0 ? hi_[lane] : fixed_[1]);
    else
      bits = low;
    if constexpr (kModified) {
      constexpr BitsOf<T> kSign = BitsOf<T>{1} << (sizeof(T) * 8 - 1);
      if (clear_sign_) bits &= ~kSign;
      if (flip_sign_) bits ^= kSign;
    }
    return flush(std::bit_cast<T>(bits), keep_);
  }

 private:
  static constexpr bool kModified = kReal<T> || std::is_same_v<T, Word>;
  const u32* lo_ = nullptr;
  const u32* hi_ = nullptr;
  std::array<u32, 2> fixed_{};
  u32 step_ = 0;
  bool clear_sign_ = false, flip_sign_ = false, keep_ = true;
};
// Floating-point constants of 16 bits. [VIA: table of source operands]
[[nodiscard]] constexpr u32 half_constant(u32 code) {
  constexpr std::array<u32, 9> kConstants{0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
  return kConstants[code - 240];
}
// The low half of each lane's register, or of a constant; from GFX9 on OP_SEL may name the high one.
class Halves {
 public:
  Halves(Wave& wave, const Instruction& i, u32 n, bool real) {
    const u32 code = i.sources[n];
    if (i.format == Format::Vop3 && (i.op_sel >> n & 1) != 0) shift_ = 16;  // GFX9
    if (shift_ != 0 && code >= 128 && code < kFirstVector)
      wave.stop("the high half of a constant: no document says what it is");
    if (code >= kFirstVector) {
      wave.check_vgpr(code - kFirstVector, 1, wave.exec());
      lanes_ = wave.vgpr(code - kFirstVector).data();
    } else if (code < 240 || code > 248 || wave.launch().gfx < gcn::Generation::Gfx8) {
      fixed_ = wave.source32(i, code);  // before GFX8 constants have 32 bits [CLRX GcnInstrsVop1: V_CVT_F32_F16]
    } else if (real) {
      fixed_ = half_constant(code);
    } else {
      wave.stop("a floating-point constant as an integer of 16 bits: no document says what it is");
    }
  }
  [[nodiscard]] u32 at(u32 lane) const { return (lanes_ != nullptr ? lanes_[lane] : fixed_) >> shift_ & 0xffff; }

 private:
  const u32* lanes_ = nullptr;
  u32 fixed_ = 0, shift_ = 0;
};
template <>
class Source<Half> {
 public:
  Source(Wave& wave, const Instruction& i, u32 n)
      : halves_(wave, i, n, true), keep_(keeps_denormals<Half>(wave)), clear_((i.absolute >> n & 1) != 0 ? 0x8000 : 0),
        flip_((i.negate >> n & 1) != 0 ? 0x8000 : 0) {}
  [[nodiscard]] Half at(u32 lane) const {
    const u32 bits = (halves_.at(lane) & ~clear_) ^ flip_;
    return flush(Half{from_half(bits), bits}, keep_);
  }

 private:
  Halves halves_;
  bool keep_;
  u32 clear_, flip_;
};
template <class T>
  requires kShort<T>
class Source<T> {
 public:
  Source(Wave& wave, const Instruction& i, u32 n) : halves_(wave, i, n, false) {
    if (((i.absolute | i.negate) >> n & 1) != 0) wave.stop("a floating-point modifier on an operand that is none");
  }
  [[nodiscard]] T at(u32 lane) const { return static_cast<T>(halves_.at(lane)); }

 private:
  Halves halves_;
};
template <>
class Source<Bit> {
 public:
  // VOP2 reads VCC; VOP3 names the pair in its third source.
  Source(Wave& wave, const Instruction& i, u32) {
    mask_ = i.format == Format::Vop3 && i.row->format != Format::Vop3 ? wave.source64(i, i.sources[2], false)
                                                                      : wave.sgpr64(kVcc);
  }
  [[nodiscard]] Bit at(u32 lane) const { return {(mask_ >> lane & 1) != 0}; }

 private:
  u64 mask_;
};
template <class T>
class Source<Old<T>> {
 public:
  Source(Wave& wave, const Instruction& i, u32) : lanes_(wave.vgpr(i.destination)), keep_(keeps_denormals<T>(wave)) {
    static_assert(sizeof(T) == 4 || kHalf<T>);
    wave.check_vgpr(i.destination, 1, wave.exec());
  }
  [[nodiscard]] Old<T> at(u32 lane) const {
    if constexpr (kHalf<T>)
      return {flush(Half{from_half(lanes_[lane] & 0xffff), lanes_[lane] & 0xffff}, keep_)};
    else
      return {flush(std::bit_cast<T>(lanes_[lane]), keep_)};
  }

 private:
  const Lanes& lanes_;
  bool keep_;
};
template <>
class Source<Literal> {
 public:
  Source(Wave& wave, const Instruction& i, u32)
      : value_{flush(std::bit_cast<float>(i.literal), keeps_denormals<float>(wave))} {}
  [[nodiscard]] Literal at(u32) const { return value_; }

 private:
  Literal value_;
};

template <>
class Source<HalfLiteral> {
 public:
  Source(Wave& wave, const Instruction& i, u32)
      : value_{flush(Half{from_half(i.literal & 0xffff)}, keeps_denormals<Half>(wave)).value} {}
  [[nodiscard]] HalfLiteral at(u32) const { return value_; }

 private:
  HalfLiteral value_;
};

template <class T>
T modify_output(T value, const Instruction& i, bool dx10_clamp) {
  if constexpr (kHalf<T>) return {modify_output(rounded(value.value).value, i, dx10_clamp)};
  if constexpr (kReal<T>) {
    if (i.output_modifier == 1)
      value *= T{2};
    else if (i.output_modifier == 2)
      value *= T{4};
    else if (i.output_modifier == 3)
      value /= T{2};
    if (i.clamp) {
      if (std::isnan(value)) return dx10_clamp ? T{0} : value;
      value = value < T{0} ? T{0} : value > T{1} ? T{1} : value;
    }
  }
  return value;
}

template <class T>
bool signalling(T value) {
  if constexpr (kReal<T>) {
    constexpr BitsOf<T> kQuiet = BitsOf<T>{1} << (sizeof(T) == 8 ? 51 : 22);
    return std::isnan(value) && (std::bit_cast<BitsOf<T>>(value) & kQuiet) == 0;
  }
  if constexpr (kHalf<T>) return std::isnan(value.value) && (value.bits & 0x200) == 0;
  return false;
}

// What a vector instruction does besides its function.
enum class Use : u8 {
  Plain,
  Exec,  // a comparison whose mask goes to EXEC too (v_cmpx)
  Keeping,  // from GFX9 on the destination's upper half stays. [VEGA: «V_MAD_F16»; LLVM: zeroesHigh16BitsOfDest]
  Quieting,  // in IEEE mode a signalling NaN is its result. [SIA; CIA; VIA: V_MIN_F32 and the like]
};

// How many plain sources precede parameter `n`.
template <class... A>
constexpr std::array<u32, sizeof...(A) + 1> source_numbers() {
  std::array<u32, sizeof...(A) + 1> out{};
  u32 next = 0, at = 0;
  ((out[at++] = next, next += kPlain<A> ? 1 : 0), ...);
  return out;
}

template <class Signature>
struct Vector;
template <class R, class... A>
struct Vector<R (*)(A...)> {
  using Returned = typename ValueOf<R>::type;
  using Value = typename Written<Returned>::type;
  static constexpr bool kMask = !std::is_same_v<Returned, R>;
  static constexpr bool kSaturates = !std::is_same_v<Returned, Value>;
  static constexpr bool kValue = !std::is_void_v<Value>;
  static constexpr bool kWide = [] {
    if constexpr (kValue) return sizeof(BitsOf<Value>) == 8;
    return false;
  }();

  // F takes the lane values. `Use` says what else happens.
  template <class F, Use U>
  static void execute(Wave& wave, const Instruction& i) {
    run<F, U>(wave, i, std::index_sequence_for<A...>{});
  }

  template <class F, Use U, std::size_t... N>
  static void run(Wave& wave, const Instruction& i, std::index_sequence<N...>) {
    constexpr auto kNumbers = source_numbers<A...>();
    using Result = std::conditional_t<kValue, Value, u32>;
    if constexpr (kValue && !kReal<Result> && !kHalf<Result>) {
      if ((i.clamp && !kSaturates) || i.output_modifier != 0)
        return wave.stop("clamp or output modifier on an integer result");
    }
    const std::tuple<Source<A>...> in{Source<A>(wave, i, kNumbers[N])...};
    const u64 exec = wave.exec();
    const bool dx10 = wave.launch().dx10_clamp;
    if (wave.launch().ieee) [[unlikely]] {
      if (i.output_modifier != 0) return wave.stop("an output modifier, which does nothing in IEEE mode");
      if constexpr (U == Use::Quieting)
        for (u64 rest = exec; rest != 0; rest &= rest - 1)
          if ((signalling(std::get<N>(in).at(static_cast<u32>(std::countr_zero(rest)))) || ...))
            return wave.stop("a signalling NaN, which counts as a result in IEEE mode");
    }
    u32* lo = nullptr;
    [[maybe_unused]] u32* hi = nullptr;
    [[maybe_unused]] bool keep = true;
    if constexpr (kValue) {
      lo = wave.vgpr(i.destination).data();
      if constexpr (kWide) hi = wave.vgpr(i.destination + 1u).data();
      keep = keeps_denormals<Value>(wave);
    }
    [[maybe_unused]] const bool upper = i.format == Format::Vop3 && (i.op_sel & 8) != 0;
    [[maybe_unused]] const bool keeps = U == Use::Keeping && wave.launch().gfx >= gcn::Generation::Gfx9;
    u64 mask = 0;
    for (u64 rest = exec; rest != 0; rest &= rest - 1) {
      const u32 lane = static_cast<u32>(std::countr_zero(rest));
      const R result = F{}(std::get<N>(in).at(lane)...);
      if constexpr (std::is_same_v<R, bool>) {
        mask |= u64{result} << lane;
      } else {
        const auto taken = [&](const Returned& returned) -> Value {
          if constexpr (kSaturates)
            return returned.as(i.clamp);
          else
            return returned;
        };
        Value value;
        if constexpr (kMask) {
          value = taken(result.value);
          mask |= u64{result.bit} << lane;
        } else {
          value = taken(result);
        }
        const auto bits = to_bits(flush(modify_output(value, i, dx10), keep));
        if constexpr (kHalf<Value> || kShort<Value>)
          lo[lane] = upper ? (lo[lane] & 0xffff) | bits << 16 : keeps ? (lo[lane] & 0xffff'0000) | bits : bits;
        else
          lo[lane] = low_half(bits);
        if constexpr (kWide) hi[lane] = high_half(bits);
      }
    }
    if constexpr (kValue) wave.define_vgpr(i.destination, kWide ? 2 : 1, exec);
    if constexpr (kMask) wave.set_sgpr64(i.scalar_destination, mask);  // 0 in disabled lanes
    if constexpr (U == Use::Exec) wave.set_exec(mask);
  }

  template <class F, Use U>
  static constexpr Semantics semantics() {
    Semantics out{.execute = &execute<F, U>, .mask_out = kMask};
    // A half is listed as a float where it is a result.
    if constexpr (kValue) out.destination = kHalf<Value> ? Shape::F32 : shape_of<Value>();
    constexpr auto kNumbers = source_numbers<A...>();
    u32 at = 0;
    ((shape_of<A>() != Shape::None ? void(out.sources[kNumbers[at]] = shape_of<A>()) : void(), ++at), ...);
    out.mask_in = (std::is_same_v<A, Bit> || ...);
    constexpr bool kHalfLiteral = (std::is_same_v<A, HalfLiteral> || ...);
    if (kHalfLiteral) out.sources[2] = shape_of<Half>();
    out.literal = kHalfLiteral || (std::is_same_v<A, Literal> || ...);
    out.reads_destination = (std::is_same_v<A, Old<float>> || ...) || (std::is_same_v<A, Old<Half>> || ...) ||
                            (std::is_same_v<A, Old<u32>> || ...);
    return out;
  }
};

// `f` has no captures: its type is all that counts.
template <class F>
consteval Semantics vector(F f) {
  return Vector<decltype(+f)>::template semantics<F, Use::Plain>();
}
template <class F>
consteval Semantics vector_exec(F f) {
  return Vector<decltype(+f)>::template semantics<F, Use::Exec>();
}
template <class F>
consteval Semantics vector_keeping(F f) {
  return Vector<decltype(+f)>::template semantics<F, Use::Keeping>();
}
template <class F>
consteval Semantics vector_quieting(F f) {
  return Vector<decltype(+f)>::template semantics<F, Use::Quieting>();
}

// --- scalar instructions -------------------------------------------------------------------------------------------

// As a first parameter: the condition code, which the function reads or sets.
struct Scc {
  Wave& wave;
  operator bool() const { return wave.scc(); }  // NOLINT(google-explicit-constructor): it reads as the flag it is
  void operator=(bool value) const { wave.set_scc(value); }
};

template <class T>
T scalar_source(Wave& wave, const Instruction& i, u32 n) {
  if constexpr (sizeof(T) == 8)
    return static_cast<T>(wave.source64(i, i.sources[n], false));
  else
    return static_cast<T>(wave.source32(i, i.sources[n]));
}

template <class Signature>
struct Scalar;
template <class R, class... A>
struct Scalar<R (*)(A...)> {
  template <class F>
  static void execute(Wave& wave, const Instruction& i) {
    run<F>(wave, i, std::index_sequence_for<A...>{});
  }
  template <class T>
  static decltype(auto) argument(Wave& wave, const Instruction& i, u32 n) {
    if constexpr (std::is_same_v<T, Scc>)
      return Scc{wave};
    else if constexpr (std::is_same_v<T, Old<u32>>)
      return Old<u32>{wave.sgpr(i.destination)};
    else if constexpr (std::is_same_v<T, Old<u64>>)
      return Old<u64>{wave.sgpr64(i.destination)};
    else
      return scalar_source<T>(wave, i, n);
  }
  template <class F, std::size_t... N>
  static void run(Wave& wave, const Instruction& i, std::index_sequence<N...>) {
    constexpr auto kNumbers = source_numbers<A...>();
    // Braces: arguments are read in order.
    std::tuple<A...> in{argument<A>(wave, i, kNumbers[N])...};
    if constexpr (std::is_void_v<R>) {
      F{}(std::get<N>(in)...);
    } else {
      const R result = F{}(std::get<N>(in)...);
      if constexpr (sizeof(R) == 8)
        wave.set_sgpr64(i.destination, static_cast<u64>(result));
      else
        wave.set_sgpr(i.destination, static_cast<u32>(result));
    }
  }
  template <class F>
  static constexpr Semantics semantics() {
    Semantics out{.execute = &execute<F>};
    if constexpr (!std::is_void_v<R>) out.destination = shape_of<R>();
    constexpr auto kNumbers = source_numbers<A...>();
    u32 at = 0;
    ((shape_of<A>() != Shape::None ? void(out.sources[kNumbers[at]] = shape_of<A>()) : void(), ++at), ...);
    out.reads_destination = (std::is_same_v<A, Old<u32>> || ...) || (std::is_same_v<A, Old<u64>> || ...);
    return out;
  }
};
template <class F>
consteval Semantics scalar(F f) {
  return Scalar<decltype(+f)>::template semantics<F>();
}

}  // namespace amdcompat::emulate
