// How much of a long test a run takes.
#pragma once

#include <cstdlib>
#include <string_view>

namespace amdcompat_test {

// Whether the variable of the environment is "all": a run takes a part else.
inline bool wants_all(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && std::string_view(value) == "all";
}

}  // namespace amdcompat_test
