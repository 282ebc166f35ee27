// Completions of the command line.
#pragma once

#include <span>
#include <string>

#include "manual_text.hpp"

namespace amdcompat::cli {

[[nodiscard]] std::string bash_completion(std::span<const VerbText> verbs);
[[nodiscard]] std::string zsh_completion(std::span<const VerbText> verbs);
[[nodiscard]] std::string fish_completion(std::span<const VerbText> verbs);

}  // namespace amdcompat::cli
