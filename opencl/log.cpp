#include "log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace amdcompat::layer {

Log::Log(const std::string& path) {
  if (path == "-")
    file_ = STDERR_FILENO;
  else if (!path.empty())
    file_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
}

void Log::line(std::string_view text) const {
  if (!on()) return;
  const std::string whole = fmt::format("amdcompat-opencl[{}]: {}\n", getpid(), text);
  // A log that cannot be written is no reason to stop.
  [[maybe_unused]] const auto written = write(file_, whole.data(), whole.size());
}

}  // namespace amdcompat::layer
