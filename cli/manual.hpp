// Man pages and shell completions out of the parser of the command line.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace amdcompat::cli {

// Writes DIR/man1/amdcompat.1 and amdcompat-VERB.1, DIR/bash/amdcompat, DIR/zsh/_amdcompat and
// DIR/fish/amdcompat.fish. `root` has all verbs. Returns an exit status.
int run_manual(const CLI::App& root, const std::string& directory);

}  // namespace amdcompat::cli
