// New CL2 containers, their notes and BRIG modules, of the shape AMD's compilers give them: for samples, tests and
// benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <amdcompat/cl2.hpp>

#include "build_error.hpp"

namespace amdcompat::cl2 {

// Sets every size that a compiler would: struct sizes of the records and `data_size`.
void finish_metadata(Metadata& metadata);

struct NoteSpec {
  std::uint32_t type = 0;
  std::vector<std::byte> description;
};
// The notes that a compiler writes: code object version, HSAIL, ISA, producer, options.
[[nodiscard]] std::vector<NoteSpec> standard_notes(const IsaNote& isa, AddressBits bits);

struct KernelSpec {
  std::string name;
  Metadata metadata;  // finished by `build`; its width is that of the container
  KernelCode setup;
  std::vector<std::byte> code;  // machine code after the setup
};
struct ContainerSpec {
  AddressBits bits = AddressBits::Bits64;
  CodeStorage storage = CodeStorage::Nested;
  std::uint32_t chip = 0;  // e_flags
  std::optional<IsaNote> isa;  // Nested: note 3; absent: 7.0.0
  std::vector<KernelSpec> kernels;
  std::optional<std::string> compile_options;  // absent: no symbol
  std::string version = "AMD-COMP-LIB-v0.8 (0.0.SC_BUILD_NUMBER)";
  std::vector<std::byte> brig;  // `build_brig`; empty: no section and no symbol
  std::vector<std::byte> readonly_data;  // Nested: .hsadata_readonly_agent
  std::vector<std::byte> global_data;  // Nested: .hsadata_global_agent
  // Nested: samplers; the handle of each is 8 bytes of `readonly_data` at the offset.
  std::vector<std::pair<SamplerInit, std::uint64_t>> samplers;
};
// A new container of the shape AMD's compiler gives it. The result is read back before it is returned.
[[nodiscard]] Built build(const ContainerSpec& spec);

// A BRIG module that holds nothing but a module directive and pragmas `"AMD RTI", line` for the lines.
[[nodiscard]] std::vector<std::byte> build_brig(std::span<const std::string> lines, AddressBits bits);

}  // namespace amdcompat::cl2
