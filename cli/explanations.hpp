// What `explain` says of a code besides its meaning; docs/diagnostics.md is made of the same.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <amdcompat/diagnostic.hpp>

namespace amdcompat::cli {

// Of the codes from `first` to `last`. Where ranges lie in each other, the narrowest one holds.
struct Explanation {
  std::uint16_t first = 0, last = 0;
  std::string_view cause;   // where such a thing comes from
  std::string_view remedy;  // what to do about it
};
[[nodiscard]] std::span<const Explanation> explanations();
// Of every code there is one.
[[nodiscard]] const Explanation& explanation_of(Code code);

// A finding as it is printed. [tests/golden/diagnostics, by golden_test --rebase]
struct PrintedExample {
  std::uint16_t code = 0;
  std::string_view input;   // a text, or what a binary is; may be empty
  bool input_is_text = true;
  std::string_view how;     // the commands or calls; empty: only the message is known
  std::string_view output;
};
[[nodiscard]] std::span<const PrintedExample> printed_examples();

}  // namespace amdcompat::cli
