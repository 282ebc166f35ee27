// Pipelines whose records keep their order, on so many threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>

namespace amdcompat::migrate {

// `for_each`: items on the way for each thread. Where one takes long, the others go on with those behind it.
inline void run_pipeline(unsigned jobs, std::size_t for_each, const tbb::filter<void, void>& pipeline) {
  jobs = std::max(1u, jobs);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, jobs);
  tbb::task_arena arena(static_cast<int>(jobs));
  arena.execute([&] { tbb::parallel_pipeline(jobs * for_each, pipeline); });
}

// Small items that a thread takes together: threads that meet for each of them do little else.
template <class Item>
using Turn = std::vector<Item>;

// The filters of a pipeline of turns: one that begins it, those between, one that ends it.
//
// `next(item)` fills an item and gives its bytes; nothing: there is none, and it is not asked again. A turn ends with
// the item that fills it, so that it has at most 32 items, and 64 KiB besides the last one's.
template <class Item, class Next>
tbb::filter<void, Turn<Item>*> begin_turns(Next next) {
  constexpr std::size_t kItems = 32, kBytes = std::size_t{1} << 16;
  const auto read = [next = std::move(next),
                     ended = std::make_shared<bool>(false)](tbb::flow_control& flow) -> Turn<Item>* {
    auto turn = std::make_unique<Turn<Item>>();
    for (std::size_t bytes = 0; !*ended && turn->size() < kItems && bytes < kBytes;) {
      Item item;
      const std::optional<std::size_t> more = next(item);
      *ended = !more;
      if (!more) break;
      bytes += *more;
      turn->push_back(std::move(item));
    }
    if (!turn->empty()) return turn.release();
    flow.stop();
    return nullptr;
  };
  return tbb::make_filter<void, Turn<Item>*>(tbb::filter_mode::serial_in_order, read);
}
template <class Item, class Work>
tbb::filter<Turn<Item>*, Turn<Item>*> each_in_turn(tbb::filter_mode mode, Work work) {
  return tbb::make_filter<Turn<Item>*, Turn<Item>*>(mode, [work = std::move(work)](Turn<Item>* turn) {
    for (Item& item : *turn) work(item);
    return turn;
  });
}
template <class Item, class Take>
tbb::filter<Turn<Item>*, void> end_turns(Take take) {
  return tbb::make_filter<Turn<Item>*, void>(tbb::filter_mode::serial_in_order,
                                             [take = std::move(take)](Turn<Item>* turn) {
                                               const std::unique_ptr<Turn<Item>> owned(turn);
                                               for (Item& item : *turn) take(item);
                                             });
}

}  // namespace amdcompat::migrate
