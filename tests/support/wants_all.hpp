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
// 1, or in a run of parts `n`: of so many only one is taken.
inline std::size_t one_of(std::size_t n) { return runs_whole() ? 1 : n; }
template <class Range>
auto part_of(const Range& values, std::size_t n) {
  std::vector<std::ranges::range_value_t<Range>> out;
  for (std::size_t at = 0; at < std::size(values); at += one_of(n)) out.push_back(std::data(values)[at]);
  return out;
}

}  // namespace amdcompat_test
