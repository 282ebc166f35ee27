// What the benchmarks read: the CL1 containers of the real corpus, or of the project's own samples without it.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/identify.hpp>

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

// The corpus' files of these kinds, in the order of their paths.
[[nodiscard]] std::vector<std::string> load_files(std::initializer_list<FileKind> kinds);

// Metadata of V2 as compilers write it: kernels that have kYamlArguments arguments together.
inline constexpr std::size_t kYamlArguments = 64 * 11;
[[nodiscard]] std::string v2_yaml();
// The same kernels as MessagePack of V3.
[[nodiscard]] std::string v3_msgpack();
// Runs the YAML library over a text and does nothing with its events, whose number is returned.
[[nodiscard]] std::size_t yaml_events(std::string_view text);

}  // namespace amdcompat::bench
