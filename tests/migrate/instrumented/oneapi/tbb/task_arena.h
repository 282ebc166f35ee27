// See parallel_pipeline.h.
#pragma once

namespace tbb {

class task_arena {
 public:
  explicit task_arena(int) {}
  template <class Function>
  void execute(Function function) {
    function();
  }
};

}  // namespace tbb
