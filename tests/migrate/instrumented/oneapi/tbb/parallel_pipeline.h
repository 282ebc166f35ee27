// What migrations use of oneTBB, for ThreadSanitizer: the library of the system is not instrumented, so that whatever
// its threads hand to each other looks like a race. Here they hand it over by a mutex. A pipeline has one filter that
// makes pointers, any that change them, in parallel or in their order, and one that takes them in their order.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "global_control.h"

namespace tbb {

enum class filter_mode { parallel, serial_in_order };

class flow_control {
 public:
  void stop() { stopped = true; }
  bool stopped = false;
};

struct filter_step {
  filter_mode mode;
  std::function<void*(void*, flow_control&)> run;
};
template <class In, class Out>
struct filter {
  std::vector<filter_step> steps;
};

template <class In, class Out, class Function>
filter<In, Out> make_filter(filter_mode mode, Function function) {
  return {{{mode, [function](void* item, flow_control& flow) -> void* {
              if constexpr (std::is_void_v<In>) {
                return function(flow);
              } else if constexpr (std::is_void_v<Out>) {
                function(static_cast<In>(item));
                return nullptr;
              } else {
                return function(static_cast<In>(item));
              }
            }}}};
}

template <class In, class Between, class Out>
filter<In, Out> operator&(filter<In, Between> first, const filter<Between, Out>& second) {
  filter<In, Out> out{std::move(first.steps)};
  out.steps.insert(out.steps.end(), second.steps.begin(), second.steps.end());
  return out;
}

inline void parallel_pipeline(std::size_t tokens, const filter<void, void>& pipeline) {
  std::mutex input, order;
  std::condition_variable turn;
  std::uint64_t taken = 0;                                   // items, under `input`
  std::vector<std::uint64_t> given(pipeline.steps.size());  // by step, those that came in their order, under `order`
  bool end = false;                                          // under `input`
  std::exception_ptr problem;                                // under `order`
  const auto work = [&] {
    for (;;) {
      flow_control flow;
      std::uint64_t number = 0;
      try {
        std::unique_lock first(input);
        if (end) return;
        void* item = pipeline.steps.front().run(nullptr, flow);
        end = flow.stopped;
        if (end) return;
        number = taken++;
        first.unlock();
        for (std::size_t i = 1; i < pipeline.steps.size(); ++i) {
          if (pipeline.steps[i].mode == filter_mode::parallel) {
            item = pipeline.steps[i].run(item, flow);
            continue;
          }
          std::unique_lock next(order);
          turn.wait(next, [&] { return given[i] == number || problem; });
          if (problem) return;
          item = pipeline.steps[i].run(item, flow);
          ++given[i];
          turn.notify_all();
        }
      } catch (...) {
        const std::lock_guard last(order);
        if (!problem) problem = std::current_exception();
        turn.notify_all();
        return;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(tokens, global_control::parallelism()); ++i) others.emplace_back(work);
    work();
  }
  if (problem) std::rethrow_exception(problem);
}

}  // namespace tbb
