// Rules of arguments by kind, for each launch image a table.
#pragma once

#include <array>
#include <variant>

#include <amdcompat/launch_image.hpp>

namespace amdcompat::abi {

// In the order of `ArgumentKind`: value; pointers to global, local, constant, region and private memory; image,
// sampler, counter, semaphore, queue, pipe, hidden. Null: there are no such arguments.
using RuleOfKind = std::array<const ArgumentRule*, std::variant_size_v<ArgumentKind>>;
static_assert(std::is_same_v<std::variant_alternative_t<2, ArgumentKind>, LocalPointer> &&
              std::is_same_v<std::variant_alternative_t<7, ArgumentKind>, Sampler> &&
              std::is_same_v<std::variant_alternative_t<12, ArgumentKind>, Hidden>);

// Types that no argument is passed by value as.
constexpr bool is_no_value(ScalarType type) {
  return type == ScalarType::Event || type == ScalarType::Unsized || type == ScalarType::Sampler ||
         type == ScalarType::Other;
}

}  // namespace amdcompat::abi
