// Program -> HSA metadata.
//
// Natural layout: what a compiler of today gives the same signature. Arguments are packed at their natural
// alignment, implicit (hidden) arguments follow the explicit ones. It is for code that is compiled again; the
// unmodified legacy machine code needs another layout. The rules, and why each hidden argument is there, are in
// docs/natural-layout.md. [LS; S1 «Code Object V3 Metadata»; checked against clang 19]
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <amdcompat/device.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/hsa.hpp>
#include <amdcompat/program.hpp>

namespace amdcompat::convert {

struct Options {
  // Alignment in bytes (a power of two) of struct and union arguments, which legacy metadata does not hold.
  // Looked up as "kernel.argument", then by source type name ("struct vertex"), then "*".
  std::map<std::string, std::uint32_t, std::less<>> struct_align;
};

// Where an argument of the new kernel comes from.
struct Conversion {
  hsa::Metadata metadata;             // kernels that could be converted, in the program's order
  std::vector<std::size_t> kernels;   // index into Program::kernels of each converted kernel
  std::size_t refused = 0;            // kernels that could not be; each has an error among the findings
  std::size_t arguments = 0;          // source arguments of the converted kernels, hidden ones not counted
};

// V3 metadata of all kernels. Counters and semaphores become 8-byte global buffers with a warning (an error in
// strict mode). The result is verified; findings of the verifier are reported too.
[[nodiscard]] Conversion to_metadata(const Program& program, Diagnostics& diagnostics, const Options& options = {});

// Bytes and alignment of one argument in the natural layout.
struct NaturalSize {
  std::uint64_t size = 0;
  std::uint64_t align = 1;
};
// Empty for kinds that a kernel argument of today cannot have. `struct_align` 0 applies the rule for structs.
[[nodiscard]] std::optional<NaturalSize> natural_size(const Argument& argument, std::uint32_t struct_align = 0);
// The rule: the largest power of two that divides the size, at most 16.
[[nodiscard]] std::uint32_t assumed_struct_align(std::uint32_t bytes);

// The target of an ELF for this program: `wanted` if not empty, else that of the kernels' common device.
// Refused: unknown or differing devices without `wanted`, VLIW devices, a target of another generation.
[[nodiscard]] Result<const Target*> choose_target(const Program& program, std::string_view wanted);

}  // namespace amdcompat::convert
