// One program: from its bytes to its record and the files made of it. Reads and writes no file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <amdcompat/in_place.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/prove.hpp>

#include "digest.hpp"
#include "manifest.hpp"
#include "policy.hpp"

namespace amdcompat::migrate {

struct Migrated {
  ProgramRecord record;
  std::vector<std::string> outputs;  // bytes of `record.outputs`
};

// Converts a program by the policy:
//
//   family             Auto                                                   InPlace          Natural
//   AMDIL, HSAIL text  metadata                                               refused          metadata
//   CL1, GCN           code object in place; metadata of the kernels it       code object      metadata
//                      cannot have
//   CL1, VLIW          metadata                                               refused          metadata
//   CL2                code object in place; metadata of the others           code object      metadata
//   HSA V1, V2         code object                                            code object      metadata
//   HSA V3 to V6       as it is, or as the policy's version and target have it                 metadata
//
// `digest` is that of `bytes`. With Auto, why a kernel is not in the code object is a warning once it is described.
[[nodiscard]] Migrated migrate_program(std::string bytes, const Digest& digest, const Policy& policy);

// Findings with their places worked out, by place.
[[nodiscard]] std::vector<Finding> findings_of(const Diagnostics& diagnostics, const SourceView& source);

// --- shared with the other verbs -------------------------------------------------------------------------

// Runs the container's kernels and the converted ones; a finding for each says what came out.
struct ProvedKernel {
  std::string name;
  emulate::Proof proof;
};
std::vector<ProvedKernel> prove_kernels(const Program& program, const convert::InPlaceObject& object,
                                        std::uint32_t seed, Diagnostics& diagnostics);
// The same for the kernels of a CL2 container (`before` null) or an older code object, and what it was converted to.
std::vector<ProvedKernel> prove_kernels(const Program& program, const hsa::CodeObject* before,
                                        const hsa::CodeObject& after, std::uint32_t seed, Diagnostics& diagnostics);
// The form of a model that the names yaml, json, msgpack and note stand for.
[[nodiscard]] std::string metadata_bytes(const hsa::Metadata& metadata, std::string_view form);
// Keeps the kernels for which `wanted` is true, and the printf formats of their compilation units.
void keep_kernels(Program& program, const std::function<bool(const Kernel&)>& wanted);

}  // namespace amdcompat::migrate
