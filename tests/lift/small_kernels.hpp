// Small kernels of OpenCL C, each of one thing of the language: every builtin function of every type, conversions,
// vectors, structs, private arrays, control flow, local memory, atomics, work-item functions.
//
// What a launch of one gets is read from its parameters: a pointer to global or constant memory is a buffer of 2080
// numbers of its type (special ones and random ones), one to local memory has room for one value of a work-item, and
// everything else is a value. What a parameter's name begins with limits its numbers:
//   small_  0 to 31      unit_  -1 to 1      in24_  24 bits      index_  0 to 63      zero_  0      plain_  no special
// ones
//   <type>_ what fits into that type, such as uchar_
// Comments in the source say more: "// global 8 4 local 4 2 offset 1", and "// struct name 12" (its bytes).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opencl_runner.hpp"

namespace amdcompat_test::small {

enum class Element : std::uint8_t { I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64 };

struct Kernel {
  std::string name, source;
  opencl::Launch launch;
  std::vector<Element> buffers;  // what those of the launch hold
  bool exact = true;  // OpenCL says what it gives, to the bit
  bool always = false;  // what was once lifted wrongly: of every run
};
// From the source of one kernel, with its helpers.
[[nodiscard]] Kernel kernel_of(std::string source, bool exact = true);
// Always the same, in groups of a kind.
[[nodiscard]] std::vector<Kernel> small_kernels();

}  // namespace amdcompat_test::small
