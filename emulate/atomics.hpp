// Atomic instructions of buffers, FLAT and LDS. [SIA; CIA; VIA: instruction chapter, the sections of MUBUF and DS]
#pragma once

#include "access.hpp"

namespace amdcompat::emulate {

// A function takes what memory holds and one operand, or two, and gives what memory holds then.
template <class Signature>
struct Atomic;
template <class T, class... Operands>
struct Atomic<T (*)(T, Operands...)> {
  using Type = T;
  static constexpr u32 kDwords = sizeof(T) / 4;
  static constexpr u32 kOperands = sizeof...(Operands);

  // Operands are in registers from `first` and `second` on.
  template <auto F>
  static T apply(Wave& wave, T old, u32 first, u32 second, u32 lane) {
    const T a = lane_value<T>(wave, first, lane);
    if constexpr (kOperands == 2)
      return F(old, a, lane_value<T>(wave, second, lane));
    else
      return F(old, a);
  }
};

// Shape of a row of MUBUF or FLAT.
template <auto F>
constexpr Semantics atomics(Execute execute) {
  using A = Atomic<decltype(+F)>;
  return {.execute = execute,
          .destination = dwords_shape(A::kDwords),
          .sources = {dwords_shape(A::kDwords * A::kOperands)}};
}
// One access of MUBUF or FLAT; `address_of` gives a lane's address, or nothing when it is out of range.
template <auto F, class Address>
void atomic(Wave& wave, const Instruction& i, u32 result, Address&& address_of) {
  using A = Atomic<decltype(+F)>;
  using T = typename A::Type;
  wave.check_vgpr(i.data, A::kDwords * A::kOperands, wave.exec());
  if (wave.status() == Status::Stopped) return;
  Loaded<A::kDwords> old_values;
  each_lane(wave, [&](u32 lane) {
    const std::optional<u64> address = address_of(lane);
    if (!address) return;
    wave.context().atomic = true;
    const T old = load_value<T>(wave, *address);
    store_value(wave, *address, A::template apply<F>(wave, old, i.data, i.data + A::kDwords, lane));
    wave.context().atomic = false;
    old_values.keep(0, lane, old);
  });
  if (i.glc) old_values.write(wave, result);
}
// --- what they do --------------------------------------------------------------------------------------------------

template <class T>
inline constexpr auto kSwap = [](T, T a) -> T { return a; };
// The operand in the lower registers is what is stored, the other one what is expected.
template <class T>
inline constexpr auto kCompareSwap = [](T old, T a, T expected) -> T { return old == expected ? a : old; };
// Those of floats handle denormals and infinities as they are; a comparison with a NaN is false. [SIA; CIA; VIA]
template <class T>
inline constexpr auto kAdd = [](T old, T a) -> T { return old + a; };
template <class T>
inline constexpr auto kSub = [](T old, T a) -> T { return old - a; };
template <class T>
inline constexpr auto kReverseSub = [](T old, T a) -> T { return a - old; };
template <class T>
inline constexpr auto kMin = [](T old, T a) -> T { return a < old ? a : old; };
template <class T>
inline constexpr auto kMax = [](T old, T a) -> T { return a > old ? a : old; };
template <class T>
inline constexpr auto kAnd = [](T old, T a) -> T { return old & a; };
template <class T>
inline constexpr auto kOr = [](T old, T a) -> T { return old | a; };
template <class T>
inline constexpr auto kXor = [](T old, T a) -> T { return old ^ a; };
template <class T>
inline constexpr auto kInc = [](T old, T a) -> T { return old >= a ? 0 : old + 1; };
template <class T>
inline constexpr auto kDec = [](T old, T a) -> T { return old == 0 || old > a ? a : old - 1; };

}  // namespace amdcompat::emulate
