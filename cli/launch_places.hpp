// Places in a launch file: paths such as `arguments[2].buffer`, and where in the text they are.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <amdcompat/diagnostic.hpp>

namespace amdcompat::cli {

[[nodiscard]] std::string join(std::string_view path, std::string_view key);
[[nodiscard]] std::string element(std::string_view path, std::size_t index);
[[nodiscard]] std::string constant_data_path(std::string_view key);

// Gives findings the places of the values that their paths name: the JSON library keeps none. `json` has been parsed.
// What stands under a name twice is found where it stands last, which is the one that counts.
void locate(std::string_view json, std::span<Diagnostic> findings);

}  // namespace amdcompat::cli
