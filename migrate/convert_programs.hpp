// The threads that convert, write outputs and record what is done.
#pragma once

#include "migrate.hpp"
#include "queue.hpp"

namespace amdcompat::migrate {

// Does what comes out of the queue, in its order as far as records go, until it ends. False, with a finding: an output
// or a record could not be written; the queue is closed then.
bool convert_programs(const Options& options, Queue& queue, Shared& shared, Diagnostics& diagnostics);

}  // namespace amdcompat::migrate
