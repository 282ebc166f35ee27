// The files of a migration's inputs, one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <amdcompat/diagnostic.hpp>

namespace amdcompat::migrate {

// A path without empty parts and ".": "a//b/./c/" and "./a/b/c" are one, which the manifest must not list twice. ""
// stays what it is.
[[nodiscard]] std::string tidy_path(std::string_view path);

struct WalkEntry {
  std::string path;  // the input as named, '/', and what was found below it
  bool named = false;  // an input itself
  std::uint64_t size = 0;  // bytes, when it was found
  std::optional<Diagnostic> problem;  // why it is not read
};

// Directories in the order of their names' bytes, depth first. Links to files are followed; links to directories below
// an input are not, so that no loop can be walked (AC6010). Not entered: what a migration writes to (AC6013); `output`
// below an input is not even listed. Memory: the names of one directory for each level of depth.
class Walker {
 public:
  Walker(std::vector<std::string> inputs, const std::string& output);
  [[nodiscard]] std::optional<WalkEntry> next();

 private:
  struct Level {
    std::string path;
    std::vector<std::string> names;  // last first
  };
  using FileId = std::pair<std::uint64_t, std::uint64_t>;  // device and inode

  std::optional<WalkEntry> look(std::string path, bool named);
  std::optional<WalkEntry> enter(std::string path, bool named);

  std::vector<std::string> inputs_;  // last first
  std::set<std::string> named_;  // all of them
  std::optional<FileId> output_;
  std::vector<Level> levels_;
};

}  // namespace amdcompat::migrate
