// Lines about what the layer did; nothing is written unless the environment asks for it.
#pragma once

#include <string>
#include <string_view>

namespace amdcompat::layer {

class Log {
 public:
  // "-": standard error; empty, or a file that cannot be opened: nowhere.
  explicit Log(const std::string& path);
  [[nodiscard]] bool on() const { return file_ >= 0; }
  // One write of one line, so that lines of several threads and processes stay whole.
  void line(std::string_view text) const;

 private:
  int file_ = -1;  // open while the process lives
};

}  // namespace amdcompat::layer
