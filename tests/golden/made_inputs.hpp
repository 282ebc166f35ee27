// Inputs for codes whose examples are no text: binaries that are made in memory, each broken in one way, and calls of
// the library that the tool has no command for.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <amdcompat/diagnostic.hpp>

namespace golden {

struct MadeInput {
  amdcompat::Code code;
  std::string what;                  // what was done, for readers of docs/diagnostics.md
  std::vector<std::byte> bytes;      // of `ACxxxx.bin`
  std::string arguments = "check FILE";  // of the tool
};
[[nodiscard]] std::vector<MadeInput> made_inputs();

struct LibraryCall {
  amdcompat::Code code;
  std::string what;  // the input
  std::string how;   // the call, in Markdown
  std::function<void(amdcompat::Diagnostics&)> run;
};
[[nodiscard]] std::vector<LibraryCall> library_calls();

}  // namespace golden
