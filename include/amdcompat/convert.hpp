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

#include <amdcompat/code_object.hpp>
#include <amdcompat/device.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>
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
[[nodiscard]] AMDCOMPAT_API Conversion to_metadata(const Program& program, Diagnostics& diagnostics,
                                                   const Options& options = {});

// Bytes and alignment of one argument in the natural layout.
struct NaturalSize {
  std::uint64_t size = 0;
  std::uint64_t align = 1;
};
// Empty for kinds that a kernel argument of today cannot have. `struct_align` 0 applies the rule for structs.
[[nodiscard]] AMDCOMPAT_API std::optional<NaturalSize> natural_size(const Argument& argument,
                                                                    std::uint32_t struct_align = 0);
// The rule: the largest power of two that divides the size, at most 16.
[[nodiscard]] AMDCOMPAT_API std::uint32_t assumed_struct_align(std::uint32_t bytes);

// The target of an ELF for this program: `wanted` if not empty, else that of the kernels' common device.
// Refused: unknown or differing devices without `wanted`, VLIW devices, a target of another generation.
[[nodiscard]] AMDCOMPAT_API Result<const Target*> choose_target(const Program& program, std::string_view wanted);

// --- code objects ----------------------------------------------------------------------------------------

struct ObjectOptions {
  // Absent: V3 for targets before gfx9, whose last runtimes know nothing later for certain; V5 otherwise.
  std::optional<hsa::CodeObjectVersion> version;
  // Absent: the object's own, or the device's. Every instruction that the kernels reach must be the same one on it. A
  // feature that is Default is as the code was made: On or Off, Any for code that runs either way, Off for code of a
  // target without it. Any code can be restricted to On or Off.
  std::optional<hsa::TargetSpec> target;
};
[[nodiscard]] AMDCOMPAT_API hsa::CodeObjectVersion default_version(const Target& target);

// A code object of any version as one of V3 to V6. Code and data stay as they are, byte for byte and at their
// distances; metadata, flags and descriptors become those of the wanted version; kernels of V1 and V2 get a descriptor.
//
// Refused, with the reason among the findings (the result is then empty): no or another generation's target,
// instructions that the wanted target lacks or reads as others, hidden arguments the wanted version has no name for, a
// feature setting the code was not made for, kernels that need what no hardware does. Reported: keys the version does
// not have (left out), V1's missing argument lists.
[[nodiscard]] AMDCOMPAT_API std::optional<hsa::CodeObject>
to_version(const hsa::CodeObject& object, Diagnostics& diagnostics, const ObjectOptions& options = {});

// A CL2 program as a code object, *in place*: the argument block is what the unmodified code reads, the six hidden
// words first; `.offset` says where each argument stands. [RT loadArguments] A struct, which the block holds by
// address, becomes a pointer to constant memory that the application fills (a note says so). Constant data and what
// refers to it comes along; each sampler of the source gets its object (S# of the hardware) in a section of its own,
// and its handle a relocation.
//
// Refused, kernel by kernel and with an error each: 32-bit addresses, no machine code, incomplete metadata, what no
// hardware does. Empty when no kernel is left, or for the reasons of to_version.
[[nodiscard]] AMDCOMPAT_API std::optional<hsa::CodeObject>
to_code_object(const Program& program, Diagnostics& diagnostics, const ObjectOptions& options = {});

// Everything about the object that a loader or the hardware would trip over: `hsa::check_code_object`, and its code.
// Each instruction that is reachable from the entry of a kernel must be one of the object's target, dual instructions
// only in wavefronts of 32 lanes. An encoding that no processor of the family has a known instruction of is a warning.
// That the instructions of a target are not known here at all (`gcn::generation_of`) is a note. True: no error.
AMDCOMPAT_API bool check_object(const hsa::CodeObject& object, Diagnostics& diagnostics);

// --- comparing -------------------------------------------------------------------------------------------

// One side of a comparison: what a loader is told about a program, whatever its container.
struct LoadView {
  struct Argument {
    std::string_view name;  // empty: not stated
    std::string_view kind;  // V3's spelling of the value kind; empty: not stated
    std::uint64_t offset = 0, size = 0;
    std::string_view type_name;
    bool by_reference = false;  // CL2's structs: the block holds the value's address
    friend bool operator==(const Argument&, const Argument&) = default;
  };
  struct Kernel {
    std::string_view name;
    std::optional<std::vector<Argument>> arguments;  // absent: the file does not say
    std::uint64_t kernarg_bytes = 0;  // 0: not known
    std::uint64_t group_bytes = 0, private_bytes = 0;
    std::uint64_t sgprs = 0, vgprs = 0;
    std::optional<std::array<std::uint64_t, 3>> required_group_size;
    std::uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
    std::uint16_t user_registers = 0;
    std::span<const std::byte> code;  // from the entry on
  };
  bool legacy = false;  // words of `amd_kernel_code_t`, not of a descriptor
  const Target* target = nullptr;
  hsa::TargetFeatures features;
  std::vector<Kernel> kernels;
  std::vector<std::string> printf;
  const MachineCode* code = nullptr;
  std::vector<CodePlace> descriptors;  // bytes of `code` that the words above say already
};
// The views borrow from what they are made of.
[[nodiscard]] AMDCOMPAT_API LoadView load_view(const hsa::CodeObject& object);
[[nodiscard]] AMDCOMPAT_API LoadView load_view(const Program& program);

// Whether `after` runs as `before` did. Compared by kernel name: argument lists, layouts, segment sizes, descriptor
// words (bits that only the runtime may set count as 0), register counts, code bytes, data, what relocations point to,
// distances between sections. A difference is an error with its path; one that conversions make on purpose is a note
// that says why. True: no error.
AMDCOMPAT_API bool compare(const LoadView& before, const LoadView& after, Diagnostics& diagnostics);

// The object as a file whose contents, read again, compare equal to what it was converted from. Kernels of `before`
// that the object lacks are passed over when `refused` says that the conversion left some out, which has its finding.
// Empty: the object cannot be written, or would not run as before; the reason is among the findings.
[[nodiscard]] AMDCOMPAT_API std::optional<std::string> write_compared(hsa::CodeObject object, LoadView before,
                                                                      bool refused, Diagnostics& diagnostics);

}  // namespace amdcompat::convert
