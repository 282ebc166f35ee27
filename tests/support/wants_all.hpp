// How much of a long test a run takes.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <ranges>
#include <string_view>
#include <vector>

namespace amdcompat_test {

// Whether the variable of the environment is "all": a run takes a part else.
inline bool wants_all(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && std::string_view(value) == "all";
}

// Whether long tests run whole, as `scripts/test --all` has them, and not a part of each.
inline bool runs_whole() { return wants_all("AMDCOMPAT_LONG"); }
// All of `values`, or every `one_of`th in a run of parts.
template <class Range>
auto part_of(const Range& values, std::size_t one_of) {
  std::vector<std::ranges::range_value_t<Range>> out;
  for (std::size_t n = 0; n < std::size(values); n += runs_whole() ? 1 : one_of) out.push_back(std::data(values)[n]);
  return out;
}

}  // namespace amdcompat_test
