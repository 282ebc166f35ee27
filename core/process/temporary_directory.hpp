// A directory for the files of child processes.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace amdcompat::process {

// Goes with this object, with all that is in it; without a path where none can be made.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::error_code error;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    constexpr std::size_t kChosen = 6;  // letters that mkdtemp replaces, which have to be this one
    std::string name = (error ? std::filesystem::path("/tmp") : parent) / ("amdcompat-" + std::string(kChosen, 'X'));
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace amdcompat::process
