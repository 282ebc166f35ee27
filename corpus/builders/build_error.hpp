// What the builders of containers return.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <vector>

namespace amdcompat {

// Why a description cannot be built.
struct BuildError {
  std::string message;
  std::string path;  // place in the description, such as `kernels[1].name`, or empty
};
using Built = std::expected<std::vector<std::byte>, BuildError>;

}  // namespace amdcompat
