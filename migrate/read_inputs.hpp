// The thread that walks, reads, unpacks, searches and hashes.
#pragma once

#include <functional>

#include "migrate.hpp"
#include "queue.hpp"

namespace amdcompat::migrate {

// Reads the inputs and puts what has to be done into the queue. False: it was stopped before the end.
bool read_inputs(const Options& options, Queue& queue, Shared& shared);

// Counts the inputs for `options.progress`, as far as it is not stopped.
void plan_work(const Options& options, Shared& shared, const std::function<bool()>& stopped);

// Distinct programs in the inputs, of all shards, read from the first to the last; of what was read until it was
// stopped.
[[nodiscard]] Result<std::uint64_t> count_programs(const Options& options);

}  // namespace amdcompat::migrate
