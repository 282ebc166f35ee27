// What processors ask of machine code besides its encodings: scalar registers that no number names, distances between
// instructions, and bits that mean something else on some of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <amdcompat/gcn.hpp>

namespace amdcompat::gcn {

// Whether the parts of an image's address (coordinates, layer, level) have 16 bits, two in a register: A16, for which
// GFX9 has the bit of R128. Of MIMG; else false. [VEGA: «MIMG»]
[[nodiscard]] inline bool has_short_address(const Instruction& instruction, Generation generation) {
  return instruction.a16 || (generation == Generation::Gfx9 && instruction.r128);
}

// Whether an instruction waits until all that vector memory instructions began is done, stores too: s_waitcnt with a
// vmcnt of 0. Up to GFX9. [VIA, VEGA: «S_WAITCNT»]
[[nodiscard]] inline bool waits_for_vector_memory(const Instruction& instruction, Generation generation) {
  const std::uint32_t counters = generation == Generation::Gfx9 ? 0xc00f : 0xf;
  return instruction.opcode == Opcode::s_waitcnt && (static_cast<std::uint32_t>(instruction.immediate) & counters) == 0;
}

// Whether other devices, and the hardware itself, may have another number in the last places of its result: v_exp_f32,
// v_rcp_f32 and their kin. [SIA, VIA: «V_EXP_F32» and after]
[[nodiscard]] inline bool is_approximation(const Instruction& instruction) {
  const std::string_view name = info(instruction.opcode).name;
  constexpr std::string_view kNames[] = {"v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_"};
  return std::ranges::any_of(kNames, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// --- scalar registers ----------------------------------------------------------------------------------------------

// Scalar registers of the code that is reachable from an entry. What the code does behind a jump whose target is not
// known is not seen; the special registers count as used then.
struct ScalarUse {
  std::uint32_t numbered = 0;  // one more than the highest register that is used by its number
  bool vcc = false;
  bool flat_scratch = false;  // GFX7 to GFX9
};
[[nodiscard]] AMDCOMPAT_API ScalarUse scalar_use(std::span<const std::byte> code, std::uint32_t entry,
                                                 Generation generation);
// VCC, FLAT_SCRATCH and XNACK_MASK have codes of their own, but no place of their own up to GFX9: they are the last
// registers of a wavefront's allocation, VCC the last two. How many registers at the end must be kept for those used:
// 0, 2, 4 or 6; 0 from GFX10 on. Program information of CAL images does not count them, the numbers of
// `amd_kernel_code_t` and of metadata do. [reference 10 «Scalar registers that are allocated but not counted»; LLVM
// AMDGPUBaseInfo getNumExtraSGPRs; CLRX GcnState]
[[nodiscard]] AMDCOMPAT_API std::uint32_t special_scalars(const ScalarUse& use, Generation generation,
                                                          bool xnack = false);
// Registers of a wavefront that asks for `count`, special ones among them: whole granules, of 8 up to GFX7, of 16 on
// GFX8 and GFX9. [LLVM AMDGPUBaseInfo getSGPRAllocGranule]
[[nodiscard]] AMDCOMPAT_API std::uint32_t allocated_scalars(std::uint32_t count, Generation generation);

// --- distances -----------------------------------------------------------------------------------------------------

// Two instructions between which hardware waits for nobody: code has to put others between them. An instruction is one
// wait state, s_nop n is n + 1.
struct HazardRule {
  std::string_view name;
  Generation first, last;  // generations that have it
  std::uint8_t wait_states;  // that are needed between the two
  std::string_view text;
  std::string_view source;
};
// From GFX10 on hazards are of other kinds, which are not listed: code for those generations is never changed here.
[[nodiscard]] AMDCOMPAT_API std::span<const HazardRule> hazard_rules();
struct Hazard {
  const HazardRule* rule = nullptr;
  std::uint32_t first = 0, second = 0;  // the instructions: bytes from the start of the code
  std::uint8_t wait_states = 0;  // that are there, on the shortest way
};
// What the code that is reachable from `entry` does too early, by address of the second instruction. Branches count as
// taken at once.
[[nodiscard]] AMDCOMPAT_API std::vector<Hazard> hazards(std::span<const std::byte> code, std::uint32_t entry,
                                                        Generation generation);

// --- processors ----------------------------------------------------------------------------------------------------

// What compilers for some processors of a generation work around, and those for others need not.
struct Erratum {
  std::string_view name;
  std::string_view targets;  // those that have it, with blanks between
  std::string_view text;  // what code for them has to keep
  std::string_view source;
};
[[nodiscard]] AMDCOMPAT_API std::span<const Erratum> errata();
[[nodiscard]] AMDCOMPAT_API bool has_erratum(const Erratum& erratum, const Target& target);
// One that code for `from` was not made with, and `to` has; null: there is none.
[[nodiscard]] AMDCOMPAT_API const Erratum* unmet_erratum(const Target& from, const Target& to);
// Whether every encoding is the same instruction on both, with the same operands. False for targets that no row
// describes, unless they are one. gfx810 is alone: data of 16 bits lies packed in its registers. [LLVM
// FeatureUnpackedD16VMem]
[[nodiscard]] AMDCOMPAT_API bool same_instructions(const Target& a, const Target& b);

// The code of one processor that is reachable from several entries, each instruction once.
class AMDCOMPAT_API Reachable {
 public:
  // `target` must be of a generation (`generation_of`); it and `code` must live on.
  Reachable(std::span<const std::byte> code, const Target& target);
  // Those that are reached from `entry` (bytes, a multiple of 4) and were not before, by address. Those without a row
  // end their path. Jumps and calls by register are followed where s_getpc_b64 and constants on the way to them make
  // their target.
  [[nodiscard]] std::vector<Instruction> from(std::uint32_t entry);
  // Offsets of jumps and calls of which that is not so; returns from functions are among them.
  [[nodiscard]] std::span<const std::uint32_t> computed() const { return computed_; }

 private:
  std::span<const std::byte> code_;
  const Target* target_;
  std::vector<bool> seen_;  // a dword each
  std::vector<std::uint32_t> computed_;
};

}  // namespace amdcompat::gcn
