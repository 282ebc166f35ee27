// One program: from its bytes to its record and the files made of it. Reads and writes no file.
#pragma once

#include <string>
#include <vector>

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/hsa.hpp>
#include <amdcompat/lift.hpp>

#include "digest.hpp"
#include "manifest.hpp"
#include "policy.hpp"

namespace amdcompat::migrate {

struct Migrated {
  ProgramRecord record;
  std::vector<std::string> outputs;  // bytes of `record.outputs`
};

// Converts a program by the policy, as pipeline.hpp has it. `digest` is that of `bytes`. `lifted`: may be null.
[[nodiscard]] Migrated migrate_program(std::string bytes, const Digest& digest, const Policy& policy,
                                       lift::Cache* lifted = nullptr);

// Findings with their places worked out, by place.
[[nodiscard]] std::vector<Finding> findings_of(const Diagnostics& diagnostics, const SourceView& source);

// The form of a model that the names yaml, json, msgpack and note stand for.
[[nodiscard]] std::string metadata_bytes(const hsa::Metadata& metadata, std::string_view form);

}  // namespace amdcompat::migrate
