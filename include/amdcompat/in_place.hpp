// Kernels of OpenCL 1.x binaries as code objects, *in place*: the machine code stays as it is, and a short prologue in
// front of it makes the registers that it expects out of those that a runtime of today gives.
//
// What the code reads of its constant buffers and tables lies in the kernarg segment:
//
//   0            constant buffer 1: each argument at its own offset there; pointers with all of their 64 bits
//   then         `amdcompat.cb0`, 160 bytes: constant buffer 0
//   then         `amdcompat.uavs`: the UAV table, 32 bytes for each slot in use (32-bit ABI only)
//   then         `amdcompat.printf`, `amdcompat.constants<n>`: addresses, where the kernel has such
//
// A stock runtime fills what the metadata lists, so the named ones are trailing arguments that the application sets;
// `kernarg_image` makes all of it from a `LaunchImage` of the old kernel, `KernargImage` (kernarg_launch.hpp) from the
// converted file. In the 64-bit ABI the UAV table is constant and lies behind the
// code. In the 32-bit ABI the code adds the low half of a pointer to its descriptor, which then holds the high half:
// a buffer must not cross a multiple of 4 GiB.
//
// Constants of the file that user data describes (constant buffers from 2 on) lie in front of the kernels, and the
// prologue makes their address; `amdcompat.constants<n>` is for those that the file does not hold. docs/in-place.md has
// the whole story.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/code_object.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>
#include <amdcompat/gcn.hpp>
#include <amdcompat/kernarg_launch.hpp>
#include <amdcompat/program.hpp>

namespace amdcompat::convert {

struct InPlaceArgument {
  std::optional<abi::TrailingKind> trailing;  // absent: an argument of the old kernel
  std::uint32_t index = 0;  // of that argument; Constants: number of the constant buffer
  std::uint32_t offset = 0;  // bytes into the kernarg segment
  std::uint32_t size = 0;
};

// Where everything of a converted kernel is.
struct InPlaceKernel {
  std::size_t kernel = 0;  // index into Program::kernels
  std::vector<InPlaceArgument> arguments;  // as the metadata lists them
  std::uint32_t cb1_bytes = 0;
  std::uint32_t kernarg_bytes = 0;
  std::uint32_t first_uav = 0;  // slot of the table's first entry
  std::uint32_t prologue_bytes = 0;  // in front of the old code
};

struct InPlaceObject {
  hsa::CodeObject object;
  std::vector<InPlaceKernel> kernels;  // one for each of `object.kernels`
  std::size_t refused = 0;  // kernels that could not be converted; each has an error among the findings
};

struct InPlaceOptions {
  // Absent: the device's. Of another generation than that: every instruction that the code reaches must be the same one
  // with the same operands there.
  std::optional<hsa::TargetSpec> target;
  hsa::CodeObjectVersion version = hsa::CodeObjectVersion::V3;
};
// Every kernel that can be started that way. Refused, with an error each: no machine code, VLIW code or code of GFX8
// and later, code that is not the same on the wanted target, scratch memory, images, samplers and counters, a global
// data segment, user data without a source, arguments that a runtime cannot put where the code reads them. Empty: no
// kernel is left, or the program has no target.
[[nodiscard]] AMDCOMPAT_API std::optional<InPlaceObject> to_in_place(const Program& program, Diagnostics& diagnostics,
                                                                     const InPlaceOptions& options = {});

// The kernarg segment of a launch. `image` is built, its buffers with base 0 in the 64-bit ABI and `in_place_base` in
// the 32-bit one. Refused: a buffer whose descriptor is not that of its table entry.
[[nodiscard]] AMDCOMPAT_API Result<std::vector<std::byte>> kernarg_image(const InPlaceKernel& layout,
                                                                         const abi::LaunchImage& image);
using abi::in_place_base;

// The prologue's instructions: for the documentation and the tests.
struct PrologueInstruction {
  gcn::Opcode opcode = gcn::Opcode::none;
  std::string_view use;
};
[[nodiscard]] AMDCOMPAT_API std::span<const PrologueInstruction> prologue_instructions();

}  // namespace amdcompat::convert
