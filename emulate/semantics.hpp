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
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "half.hpp"
#include "wave.hpp"

// Of a loop over all lanes: what it calls is inlined, and on x86-64 it is made of AVX2, for which its callers look
// first. Results are the same: arithmetic is fused where it is written so.
#if defined(__x86_64__)
#define AMDCOMPAT_ALL_LANES [[gnu::target("avx2,fma"), gnu::flatten]]
#else
#define AMDCOMPAT_ALL_LANES [[gnu::flatten]]
#endif

namespace amdcompat::emulate {

inline bool has_vector_instructions() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return true;
#endif
}

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
inline constexpr bool kHalfOperand = kHalf<T> || kShort<T> || std::is_same_v<T, HalfLiteral>;
template <class T>
inline constexpr bool kHalfOperand<Old<T>> = kHalf<T>;
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
// The bits that flushing clears: all but the sign of a denormal, none of another number.
template <class T>
constexpr BitsOf<T> zeros_of(BitsOf<T> bits) {
  constexpr BitsOf<T> kExponent = sizeof(T) == 8 ? static_cast<BitsOf<T>>(0x7ffull << 52) : 0x7f80'0000;
  constexpr BitsOf<T> kSign = BitsOf<T>{1} << (sizeof(T) * 8 - 1);
  return (bits & kExponent) == 0 ? ~kSign : 0;
}
template <class T>
bool keeps_denormals(const Wave& wave) {
  // Bit 0 of each field: inputs, bit 1: outputs; only "both" and "neither" occur, and anything else stops at the start.
  // Halves and doubles share a field.
  return (wave.float_mode() >> (std::is_same_v<T, double> || kHalf<T> ? 6 : 4) & 3) == 3;
}

// A mask with a byte for each lane, which is 1 or 0.
using Flags = std::array<u8, kLanes>;
inline Flags flags_of(u64 mask) {
  Flags out;
  for (u32 n = 0; n < 8; ++n) {
    // Bit k of a byte goes to byte k: copies of it, of which each keeps one bit.
    const u64 bits = (mask >> 8 * n & 255) * 0x0101'0101'0101'0101 & 0x8040'2010'0804'0201;
    const u64 ones = (bits + 0x7f7f'7f7f'7f7f'7f7f) >> 7 & 0x0101'0101'0101'0101;
    std::memcpy(out.data() + 8 * n, &ones, sizeof(ones));
  }
  return out;
}
inline u64 mask_of(const Flags& flags) {
  u64 out = 0;
  for (u32 n = 0; n < 8; ++n) {
    u64 ones;
    std::memcpy(&ones, flags.data() + 8 * n, sizeof(ones));
    out |= (ones * 0x0102'0408'1020'4080 >> 56) << 8 * n;  // each one goes to its own bit of the upper byte
  }
  return out;
}

// One source over all lanes, in a form that loops over them can be made of vector instructions of the host: a scalar
// stands in each lane, and modifiers are masks.
template <class T>
class Source {
 public:
  Source(const Source&) = delete;  // it points to itself
  Source& operator=(const Source&) = delete;
  Source(Wave& wave, const Instruction& i, u32 n) {
    const u32 code = i.sources[n];
    if (code >= kFirstVector) {
      wave.check_vgpr(code - kFirstVector, sizeof(T) / 4, wave.exec());
      lo_ = wave.vgpr(code - kFirstVector).data();
      if constexpr (sizeof(T) == 8) hi_ = wave.vgpr(code - kFirstVector + 1).data();
    } else if constexpr (sizeof(T) == 8) {
      const u64 value = wave.source64(i, code, kReal<T>);
      fixed_[0].fill(low_half(value));
      fixed_[1].fill(high_half(value));
    } else {
      fixed_[0].fill(wave.source32(i, code));
    }
    if constexpr (kModified) {
      if ((i.absolute >> n & 1) != 0) and_ = ~kSign;
      if ((i.negate >> n & 1) != 0) xor_ = kSign;
      if constexpr (kReal<T>) flushes_ = keeps_denormals<T>(wave) ? 0 : ~BitsOf<T>{0};
    } else if (((i.absolute | i.negate) >> n & 1) != 0) {
      wave.stop("a floating-point modifier on an operand that is none");
    }
  }

  [[nodiscard]] T at(u32 lane) const {
    BitsOf<T> bits;
    if constexpr (sizeof(T) == 8)
      bits = joined(lo_[lane], hi_[lane]);
    else
      bits = lo_[lane];
    if constexpr (kModified) bits = (bits & and_) ^ xor_;
    if constexpr (kReal<T>) bits &= ~(zeros_of<T>(bits) & flushes_);
    return std::bit_cast<T>(bits);
  }

 private:
  static constexpr bool kModified = kReal<T> || std::is_same_v<T, Word>;
  static constexpr BitsOf<T> kSign = BitsOf<T>{1} << (sizeof(T) * 8 - 1);
  std::array<Lanes, sizeof(T) / 4> fixed_;  // of a scalar
  const u32* lo_ = fixed_[0].data();
  const u32* hi_ = fixed_[sizeof(T) / 4 - 1].data();
  BitsOf<T> and_ = ~BitsOf<T>{0}, xor_ = 0, flushes_ = 0;
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
  Source(Wave& wave, const Instruction& i, u32)
      : flags_(flags_of(i.format == Format::Vop3 && i.row->format != Format::Vop3
                            ? wave.source64(i, i.sources[2], false)
                            : wave.sgpr64(kVcc))) {}
  [[nodiscard]] Bit at(u32 lane) const { return {flags_[lane] != 0}; }

 private:
  Flags flags_;
};
template <class T>
class Source<Old<T>> {
 public:
  Source(Wave& wave, const Instruction& i, u32) : lanes_(wave.vgpr(i.destination)), keep_(keeps_denormals<T>(wave)) {
    static_assert(sizeof(T) == 4 || kHalf<T>);
    wave.check_vgpr(i.destination, 1, wave.exec());
  }
  [[nodiscard]] Old<T> at(u32 lane) const {
    if constexpr (kHalf<T>) {
      return {flush(Half{from_half(lanes_[lane] & 0xffff), lanes_[lane] & 0xffff}, keep_)};
    } else {
      u32 bits = lanes_[lane];
      if constexpr (kReal<T>) bits = keep_ ? bits : bits & ~zeros_of<T>(bits);
      return {std::bit_cast<T>(bits)};
    }
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

// Sources of parameters, in their order.
template <std::size_t N, class T>
struct Slot {
  Source<T> source;
  Slot(Wave& wave, const Instruction& i, u32 n) : source(wave, i, n) {}
};
template <class Indices, class... A>
struct Pack;
template <std::size_t... N, class... A>
struct Pack<std::index_sequence<N...>, A...> : Slot<N, A>... {
  Pack(Wave& wave, const Instruction& i, const std::array<u32, sizeof...(A) + 1>& numbers)
      : Slot<N, A>(wave, i, numbers[N])... {}
  template <std::size_t M>
  [[nodiscard]] const auto& get() const {
    return static_cast<const Slot<M, std::tuple_element_t<M, std::tuple<A...>>>&>(*this).source;
  }
};

// --- results of all lanes ------------------------------------------------------------------------------------------

AMDCOMPAT_ALL_LANES inline void put_enabled(u32* __restrict out, const u32* __restrict values, const Flags& enabled) {
  for (u32 lane = 0; lane < kLanes; ++lane) out[lane] = enabled[lane] != 0 ? values[lane] : out[lane];
}
inline void put(u32* out, const std::array<u32, kLanes>& values, u64 exec) {
  if (exec == ~u64{0})
    std::memcpy(out, values.data(), sizeof(values));
  else if (has_vector_instructions())
    put_enabled(out, values.data(), flags_of(exec));
  else
    for (; exec != 0; exec &= exec - 1) out[std::countr_zero(exec)] = values[static_cast<u32>(std::countr_zero(exec))];
}
inline void put(u32* low, u32* high, const std::array<u64, kLanes>& values, u64 exec) {
  for (; exec != 0; exec &= exec - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(exec));
    low[lane] = low_half(values[lane]);
    high[lane] = high_half(values[lane]);
  }
}
// Into the upper half, into the lower one, or into the lower one and zero above it.
inline void put_halves(u32* out, const std::array<u32, kLanes>& values, u64 exec, bool upper, bool keeps) {
  for (; exec != 0; exec &= exec - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(exec)), value = values[lane];
    out[lane] = upper ? (out[lane] & 0xffff) | value << 16 : keeps ? (out[lane] & 0xffff'0000) | value : value;
  }
}
// Output modifier, clamp and flushing.
template <class T>
void modify_outputs(std::array<BitsOf<T>, kLanes>& values, const Instruction& i, u64 exec, bool dx10_clamp, bool keep) {
  for (; exec != 0; exec &= exec - 1) {
    BitsOf<T>& value = values[static_cast<std::size_t>(std::countr_zero(exec))];
    value = to_bits(flush(modify_output(std::bit_cast<T>(value), i, dx10_clamp), keep));
  }
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

  using Sources = Pack<std::index_sequence_for<A...>, A...>;
  using Result = std::conditional_t<kValue, Value, u32>;
  // Loops over these are made of vector instructions of the host.
  static constexpr bool kVectors = !kHalf<Result> && !(kHalfOperand<A> || ...);
  // What becomes of a lane's result besides.
  struct Finish {
    const Instruction& i;
    bool dx10_clamp, keeps_halves;
    BitsOf<Result> flushes;
  };
  // Of all lanes, or of the enabled ones.
  struct Results {
    std::array<BitsOf<Result>, kLanes> values;
    Flags flags;
  };
  template <class F, std::size_t... N>
  static void apply(const Sources& in, const Finish& finish, Results& out, u32 lane) {
    const R result = F{}(in.template get<N>().at(lane)...);
    const auto bits = [&](const auto& value) {
      if constexpr (kSaturates)
        return to_bits(value.as(finish.i.clamp));
      else if constexpr (kHalf<Value>)
        return to_bits(flush(modify_output(value, finish.i, finish.dx10_clamp), finish.keeps_halves));
      else if constexpr (kReal<Value>)
        return to_bits(value) & ~(zeros_of<Value>(to_bits(value)) & finish.flushes);
      else
        return to_bits(value);
    };
    if constexpr (!kValue) {
      out.flags[lane] = result;
    } else if constexpr (kMask) {
      out.values[lane] = bits(result.value);
      out.flags[lane] = result.bit;
    } else {
      out.values[lane] = bits(result);
    }
  }
  // The loop over all lanes is worth it from some of them on, where the host has vector instructions for it.
  static constexpr int kManyLanes = 12;
  template <class F, std::size_t... N>
  AMDCOMPAT_ALL_LANES static void apply_to_all(const Sources& __restrict in, const Finish& __restrict finish,
                                               Results& __restrict out) {
    for (u32 lane = 0; lane < kLanes; ++lane) apply<F, N...>(in, finish, out, lane);
  }

  template <class F, Use U, std::size_t... N>
  static void run(Wave& wave, const Instruction& i, std::index_sequence<N...>) {
    if constexpr (kValue && !kReal<Result> && !kHalf<Result>) {
      if ((i.clamp && !kSaturates) || i.output_modifier != 0)
        return wave.stop("clamp or output modifier on an integer result");
    }
    if constexpr (kReal<Result> || kHalf<Result>) {
      if (i.output_modifier != 0 && keeps_denormals<Result>(wave)) [[unlikely]]  // [OMOD]
        return wave.stop("an output modifier, which does nothing where denormals are kept");
    }
    const Sources in(wave, i, source_numbers<A...>());
    const u64 exec = wave.exec();
    if (wave.launch().ieee) [[unlikely]] {
      if (i.output_modifier != 0) return wave.stop("an output modifier, which does nothing in IEEE mode");
      if constexpr (U == Use::Quieting)
        for (u64 rest = exec; rest != 0; rest &= rest - 1)
          if ((signalling(in.template get<N>().at(static_cast<u32>(std::countr_zero(rest)))) || ...))
            return wave.stop("a signalling NaN, which counts as a result in IEEE mode");
    }
    const bool modified = i.output_modifier != 0 || i.clamp;
    const Finish finish{i, wave.launch().dx10_clamp, keeps_denormals<Half>(wave),
                        modified || keeps_denormals<Result>(wave) ? 0 : ~BitsOf<Result>{0}};
    Results out;
    bool applied = false;
    if constexpr (kVectors) {
      applied = std::popcount(exec) >= kManyLanes && has_vector_instructions();
      if (applied) apply_to_all<F, N...>(in, finish, out);
    }
    if (!applied) {
      if constexpr (kMask) out.flags.fill(0);
      for (u64 rest = exec; rest != 0; rest &= rest - 1)
        apply<F, N...>(in, finish, out, static_cast<u32>(std::countr_zero(rest)));
    }
    if constexpr (kValue) {
      u32* const low = wave.vgpr(i.destination).data();
      if constexpr (kReal<Value>) {
        if (modified) [[unlikely]]
          modify_outputs<Value>(out.values, i, exec, finish.dx10_clamp, keeps_denormals<Value>(wave));
      }
      if constexpr (kWide) {
        put(low, wave.vgpr(i.destination + 1u).data(), out.values, exec);
      } else if constexpr (kHalf<Value> || kShort<Value>) {
        const bool upper = i.format == Format::Vop3 && (i.op_sel & 8) != 0;
        const bool keeps = U == Use::Keeping && wave.launch().gfx >= gcn::Generation::Gfx9;
        put_halves(low, out.values, exec, upper, keeps);
      } else {
        put(low, out.values, exec);
      }
      wave.define_vgpr(i.destination, kWide ? 2 : 1, exec);
    }
    if constexpr (kMask) {
      const u64 mask = mask_of(out.flags) & exec;  // 0 in disabled lanes
      wave.set_sgpr64(i.scalar_destination, mask);
      if constexpr (U == Use::Exec) wave.set_exec(mask);
    }
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
