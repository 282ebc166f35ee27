// Pipelines whose records keep their order, on so many threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

namespace amdcompat::migrate {

// What one thread does in a turn where items are small: threads that meet for each of them do little else. A turn ends
// with the item that fills it.
inline constexpr std::size_t kItemsInTurn = 32, kBytesInTurn = std::size_t{1} << 16;

// `for_each`: items on the way for each thread. Where one takes long, the others go on with those behind it.
inline void run_pipeline(unsigned jobs, std::size_t for_each, const tbb::filter<void, void>& pipeline) {
  jobs = std::max(1u, jobs);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, jobs);
  tbb::task_arena arena(static_cast<int>(jobs));
  arena.execute([&] { tbb::parallel_pipeline(jobs * for_each, pipeline); });
}

}  // namespace amdcompat::migrate
