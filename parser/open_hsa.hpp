// HSA code objects and offload bundles for open().
#pragma once

#include <amdcompat/open.hpp>

namespace amdcompat {

// Reads `file.bytes` into `file.hsa` and the neutral program; false: refused, the reason is among the findings.
[[nodiscard]] bool open_hsa(File& file, Diagnostics& diagnostics, const OpenOptions& options);

}  // namespace amdcompat
