// See parallel_pipeline.h.
#pragma once

#include <cstddef>

namespace tbb {

class global_control {
 public:
  enum parameter { max_allowed_parallelism };
  global_control(parameter, std::size_t value) { parallelism() = value; }
  static std::size_t& parallelism() {
    static std::size_t threads = 1;
    return threads;
  }
};

}  // namespace tbb
