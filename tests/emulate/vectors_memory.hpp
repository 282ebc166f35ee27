// What descriptions of instructions that access memory have in common.
#pragma once

#include <optional>

#include "vectors.hpp"

namespace amdcompat::emulate::vectors {

[[nodiscard]] u64 bytes_at(const std::vector<u8>& memory, u64 at, u32 count);
void set_bytes(std::vector<u8>& memory, u64 at, u32 count, u64 value);
[[nodiscard]] u64 vector_value(const State& s, u32 reg, u32 dwords, u32 lane);
void set_vector(State& s, u32 reg, u32 dwords, u32 lane, u64 value);
[[nodiscard]] u64 sign_extended(u64 value, u32 bytes);
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
// Floats by their bits: no number is less than a NaN, and zeros are equal.
[[nodiscard]] bool below(u64 a, u64 b, bool wide);
[[nodiscard]] bool same(u64 a, u64 b, bool wide);
// Few values, so that operands and memory are equal often.
[[nodiscard]] u64 atomic_value(Maker& m, bool wide);

// Memory and `count` registers that are equal often.
void prepare_atomics(Maker& m, u32 first, u32 count, bool wide);

// --- formats --------------------------------------------------------------------------------------------------------

// A component of so many bits, by the hardware's number of its number format.
[[nodiscard]] u32 loaded_component(u64 raw, u32 bits, u32 number_format);
[[nodiscard]] u64 stored_component(u32 value, u32 bits, u32 number_format);
// The same in registers of 16 bits.
[[nodiscard]] u32 short_component(u32 value, u32 number_format);
[[nodiscard]] u32 long_component(u32 half, u32 number_format);
// Whether a number is in the middle of two integers, where it matters which one it becomes.
[[nodiscard]] bool is_tie(u32 value, u32 bits, u32 number_format);
// Something to store, such that no rounding of a half decides.
[[nodiscard]] u32 store_operand(Maker& m, u32 bits, u32 number_format);

// --- LDS and GDS ----------------------------------------------------------------------------------------------------

[[nodiscard]] constexpr u32 one_offset(const Instruction& i) { return i.offset0 + 256 * i.offset1; }
[[nodiscard]] std::vector<u8>& share(State& s, const Instruction& i);
[[nodiscard]] u64 share_base(const State& s, const Instruction& i);
// LDS is filled from registers before, and read back after; v15 holds four times the lane's number. Values: 'u', 'U'
// integers of 32 and 64 bits, 'f', 'd' floats, 'a' floats with exact enough sums.
void ds_program(Maker& m, char kind, const std::function<void()>& middle);
// Addresses in v0 such that `reach` bytes more fit.
[[nodiscard]] Instruction choose_ds(Maker& m, u32 align, u32 reach);
void set_offset(Instruction& i, u32 offset);
// Adds it, as an access to GDS sometimes.
void add_shared(Maker& m, Instruction i);
// A load or a store: from GFX9 on its places in local memory may be any.
void add_plain(Maker& m, Instruction i);
// What is in vectors_share.cpp.
void add_share(References& all);

}  // namespace amdcompat::emulate::vectors
