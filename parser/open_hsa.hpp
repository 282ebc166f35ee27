// HSA code objects and offload bundles for open().
#pragma once

#include <amdcompat/open.hpp>

namespace amdcompat {

// Reads a code object or bundle into `file` and lowers it; false: refused, the reason is among the findings.
[[nodiscard]] bool open_hsa(File& file, std::string bytes, Diagnostics& diagnostics, const OpenOptions& options);

}  // namespace amdcompat
