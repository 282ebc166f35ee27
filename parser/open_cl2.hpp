// open() for CL2 containers.
#pragma once

#include <amdcompat/open.hpp>

namespace amdcompat {

// Reads the container into `file` and lowers it. False when it is refused as a whole; the reason is reported.
[[nodiscard]] bool open_cl2(File& file, FileBytes bytes, Diagnostics& diagnostics, const OpenOptions& options);

}  // namespace amdcompat
