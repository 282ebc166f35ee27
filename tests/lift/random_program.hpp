// Kernels of OpenCL C made by a grammar from a seed, for comparing what becomes of their machine code with what they
// are. Whatever they do is defined: shifts are masked, signed sums are unsigned ones, nothing divides by zero, indices
// stay in their buffers, and atomics commute. NaN is the same NaN wherever its bits can be seen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opencl_runner.hpp"

namespace amdcompat_test::random {

// What a source begins with: work-item functions, barriers and atomics by their OpenCL names elsewhere, and by what
// clang alone has for AMD GPUs, for which there need be no library. Where OWN_IDS is defined, kernels begin with four
// more parameters, which say where the work-item is: uint4 own_group, own_local, own_size (of a group), own_global; and
// the parameters READ_IMAGE and WRITE_IMAGE are descriptors of images of two dimensions, uint8, SAMPLER one of a
// sampler, uint4.
[[nodiscard]] const char* random_header();

struct Program {
  std::uint64_t seed = 0;
  std::string name;  // of the kernel
  std::string source;  // of the kernel and its functions, without the header
  std::vector<std::string> parameters;  // as they are declared: type and name
  std::uint32_t lds_bytes = 0;  // of its own
  opencl::Launch launch;
};
// Seeds from this one on have a wider grammar: private arrays, tables, structures, quotients, functions that are
// called, vectors whose components change their places, and what a group does by means of local memory.
constexpr std::uint64_t kFirstWide = 1'000'000;
// The same for the same seed, as long as the same compiler made the test.
[[nodiscard]] Program random_program(std::uint64_t seed, const std::string& name);

}  // namespace amdcompat_test::random
