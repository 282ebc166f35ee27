// The sizes of a launch, checked and completed. Shared by the images of both generations.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include <amdcompat/launch_image.hpp>

namespace amdcompat::abi {

inline constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();

// What the kernel says about its launch sizes.
struct RangeRules {
  std::uint64_t max_group = 1;  // work-items
  bool group_fixed = false;     // by a required work-group size
  std::uint64_t end = 0;        // no offset + global size may be larger
};
[[nodiscard]] RangeRules range_rules(const Kernel& kernel, std::uint64_t end);

// `used` gets the range with all that does not matter at its default (a task is a range of one work-item), `local` the
// size to launch with. False when an error was reported. A split is copied, not looked at.
[[nodiscard]] bool resolve_range(const Kernel& kernel, const RangeRules& rules, const Range& range, Range& used,
                                 std::array<std::uint32_t, 3>& local, Diagnostics& diagnostics);

}  // namespace amdcompat::abi
