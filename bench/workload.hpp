// What the benchmarks read: the CL1 containers of the real corpus, or of the project's own samples without it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace amdcompat::bench {

struct Workload {
  std::string origin;               // for the report
  std::vector<std::string> files;   // whole containers
  std::vector<std::string> blocks;  // distinct metadata blocks of them, in the order found
  std::string text;                 // the blocks, one behind the other
  std::size_t lines = 0;            // of `text`
  std::size_t arguments = 0;        // value, pointer, image, counter, sema and queue lines of `text`
  std::size_t file_arguments = 0;   // arguments the containers' conversions have, all files together
  std::size_t file_bytes = 0;

  [[nodiscard]] bool empty() const { return text.empty(); }
};

// Walks the directories in the order of their paths, so that a run reads what the last one read.
[[nodiscard]] Workload load();

}  // namespace amdcompat::bench
