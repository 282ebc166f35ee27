// Metadata of V2 by another way than the library's: as a tree, which is rewritten into one of V3. Slower, and an oracle
// for the library's reader, which rewrites values as the parser gives them.
#pragma once

#include <optional>
#include <string_view>

#include <amdcompat/hsa.hpp>

namespace amdcompat::hsa {

// Reports what `read_v2_yaml` reports. Nothing: a text that this reader does not read (keys of V3 in it, or LLVM 4's
// forms that are no YAML); else what `read_v2_yaml` gives.
[[nodiscard]] std::optional<std::optional<Metadata>> read_v2_tree(std::string_view yaml, Diagnostics& diagnostics);

}  // namespace amdcompat::hsa
