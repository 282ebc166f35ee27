// Binaries with one defect each, for the diagnostics of containers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <amdcompat/diagnostic.hpp>

namespace corpus {

struct BrokenFile {
  amdcompat::Code code;  // what the defect is reported with
  std::string what;      // what was done, for readers of docs/diagnostics.md
  std::vector<std::byte> bytes;
};
[[nodiscard]] std::vector<BrokenFile> broken_files();

}  // namespace corpus
