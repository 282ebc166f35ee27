// The model of SDWA and DPP [VIA: «SDWA», «DPP»; CLRX GcnSdwaDpp]: by lists of bytes, and by where a lane sits in its
// wavefront.
#pragma once

#include <optional>

#include "vectors.hpp"

namespace amdcompat::emulate::vectors {

// What source `n` of an SDWA instruction takes of a register.
[[nodiscard]] u32 selected(const Instruction& i, u32 n, u32 value);
// What the destination holds then.
[[nodiscard]] u32 placed(const Instruction& i, u32 result, u32 old);
void choose_parts(Maker& maker, Instruction& i);

// DPP: whether a lane is written, and the lane that it reads; no lane: a zero.
struct Partner {
  bool written = false;
  std::optional<u32> lane;
};
[[nodiscard]] Partner partner(const Instruction& i, u32 lane, u64 exec);
// `all`: such that every enabled lane is written.
void choose_partners(Maker& maker, Instruction& i, bool all);

}  // namespace amdcompat::emulate::vectors
