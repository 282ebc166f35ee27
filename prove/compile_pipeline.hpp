// A program's machine code lifted and compiled for another target.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <amdcompat/pipeline.hpp>

#include "file_proofs.hpp"

namespace amdcompat::pipeline {

struct CompiledUnit {
  std::optional<hsa::CodeObject> object;  // with the kernels that have `at`
  std::string bytes;  // its file
  std::string source;
  struct Kernel {
    std::size_t kernel = 0;  // index into the program's kernels
    std::optional<std::size_t> at{};  // index into the metadata of `object`; absent: it is not there
    std::optional<emulate::Proof> proof{};
  };
  std::vector<Kernel> kernels;
};

// `program` has kernels of the file's program. The request has a compiler and a target; `proofs` is the file's.
[[nodiscard]] CompiledUnit compile_program(const File& file, const Program& program, const Request& request,
                                           Proofs& proofs, Diagnostics& diagnostics);

// In what a kernel that was compiled is not as promised, in one sentence; empty: in nothing. `promised` is its natural
// metadata, or the metadata of the code object that it comes from. Held against each other are the explicit arguments:
// how many, names, offsets, sizes, value kinds, address spaces and access; and the required size of work-groups. What
// the promise leaves open counts as the same.
[[nodiscard]] std::string natural_difference(const hsa::MetadataKernel& promised, const hsa::MetadataKernel& compiled);

}  // namespace amdcompat::pipeline
