// The manifest of what is recorded as done.
#pragma once

#include <string>

#include "manifest.hpp"
#include "state.hpp"

namespace amdcompat::migrate {

// Writes DIR/manifest.jsonl, whole or not at all; in a dry run only counts. False: it cannot be read from the state or
// not be written; the latter, a name that cannot be made, and a state that is broken, are findings. `durable`: names of
// outputs reach the disk before it does. `jobs`: threads that make these names.
[[nodiscard]] bool write_manifest(State& state, const HeaderRecord& header, const std::string& directory, bool dry_run,
                                  bool durable, unsigned jobs, SummaryRecord& summary, Diagnostics& diagnostics);

}  // namespace amdcompat::migrate
