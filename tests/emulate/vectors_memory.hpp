// What the models of buffers, LDS and images have in common.
#pragma once

#include <optional>

#include "vectors.hpp"

namespace amdcompat::emulate::vectors {

[[nodiscard]] u64 bytes_at(const std::vector<u8>& memory, u64 at, u32 count);
void set_bytes(std::vector<u8>& memory, u64 at, u32 count, u64 value);
// Lanes that are enabled.
void each_lane(State& s, const std::function<void(u32)>& body);

// --- atomics --------------------------------------------------------------------------------------------------------

// What memory holds then; `a` and `b` are the operands in the order of their registers.
using Atomic = std::function<u64(u64 old, u64 a, u64 b)>;
struct AtomicRow {
  const char* name;
  bool is_signed, two;
  Atomic result;
};
// Numbers of 32 bits come sign-extended where `is_signed`, else zero-extended; the result is cut to the width.
[[nodiscard]] const std::vector<AtomicRow>& atomics();
// Does one lane's access on `memory`; the old value goes to `result` when it is wanted.
void atomic_lane(State& s, std::vector<u8>& memory, u64 at, const AtomicRow& row, u32 dwords, u32 a, u32 b, u32 lane,
                 std::optional<u32> result);
// Memory and operands that are equal often.
void prepare_atomics(Maker& m, u32 first, u32 count, bool wide);

// --- formats --------------------------------------------------------------------------------------------------------

// A component of so many bits, by the hardware's number of its number format.
[[nodiscard]] u32 loaded_component(u64 raw, u32 bits, u32 number_format);
[[nodiscard]] u64 stored_component(u32 value, u32 bits, u32 number_format);
// Something to store, such that no rounding of a half decides.
[[nodiscard]] u32 store_operand(Maker& m, u32 bits, u32 number_format);

}  // namespace amdcompat::emulate::vectors
