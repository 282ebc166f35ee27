// Programs made of machine code alone, for tests and fuzzing of what works on a `Program`.
//
// Every kernel has the parameters (__global uint *in, __global uint *out, uint p0, …, uint p5) of the 32-bit ABI of
// OpenCL 1.x: the UAVs 10 and 11, and 16 bytes of constant buffer 1 each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <amdcompat/gcn.hpp>
#include <amdcompat/program.hpp>

namespace corpus {

inline constexpr std::uint32_t kCodeValues = 6;  // p0 and up
// Registers at the start: the table of UAVs, constant buffers 0 and 1, the group's number; then v0.
inline constexpr std::uint16_t kCodeTable = 0, kCodeCb0 = 4, kCodeCb1 = 8, kCodeGroup = 12;

struct CodeKernel {
  std::string name;
  std::vector<std::uint32_t> words{};
  std::uint32_t lds_bytes = 0;
  bool flushes = false;  // denormal floats, which else are kept
};
// For Bonaire, or Pitcairn where `generation` is GFX6.
[[nodiscard]] amdcompat::Program program_of_code(std::span<const CodeKernel> kernels,
                                                 amdcompat::gcn::Generation generation);

}  // namespace corpus
