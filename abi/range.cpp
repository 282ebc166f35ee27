#include "range.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace amdcompat::abi {
namespace {

constexpr std::uint32_t kMostLocal = 0xffff;  // 16 bits as kernels read them from cb0[1] [RUN], and in the AQL packet

}  // namespace

RangeRules range_rules(const Kernel& kernel, std::uint64_t end) {
  return {max_flat_group_size(kernel),
          std::ranges::any_of(kernel.limits.required_group_size, [](std::uint32_t n) { return n != 0; }), end};
}

bool resolve_range(const Kernel& kernel, const RangeRules& rules, const Range& range, Range& used,
                   std::array<std::uint32_t, 3>& local, Diagnostics& diagnostics) {
  const auto fail = [&](Code code, std::string message) {
    const DiagnosticScope scope(diagnostics, {.kernel = kernel.name});
    diagnostics.report(code, kernel.where, std::move(message), "range");
    return false;
  };
  if (!range.task && (range.dimensions < 1 || range.dimensions > 3))
    return fail(Code::LaunchDimensions, fmt::format("{} dimensions; expected 1, 2 or 3", range.dimensions));

  // A task is a range of one work-item. [RT: clEnqueueTask]
  used.task = range.task;
  if (range.task) {
    used.local = {1, 1, 1};
  } else {
    used.dimensions = range.dimensions;
    if (range.local) used.local = {1, 1, 1};
    for (std::uint32_t d = 0; d < range.dimensions; ++d) {
      used.global[d] = range.global[d];
      used.offset[d] = range.offset[d];
      if (range.local) (*used.local)[d] = (*range.local)[d];
    }
    used.split = range.split;
  }
  for (std::uint32_t d = 0; d < used.dimensions; ++d) {
    if (used.global[d] == 0) return fail(Code::LaunchSizeZero, fmt::format("the global size of dimension {} is 0", d));
    if (used.local && (*used.local)[d] == 0)
      return fail(Code::LaunchSizeZero, fmt::format("the local size of dimension {} is 0", d));
    if (used.global[d] > kMost32 || used.offset[d] > rules.end - used.global[d])
      return fail(Code::LaunchSizeTooLarge,
                  fmt::format("offset {} and global size {} of dimension {} do not fit 32-bit work-item ids",
                              used.offset[d], used.global[d], d));
  }

  local = used.local.value_or(std::array<std::uint32_t, 3>{});
  if (!used.local || rules.group_fixed) local = choose_local_size(kernel, used);
  if (used.local && rules.group_fixed && local != *used.local) {
    const auto& required = kernel.limits.required_group_size;
    std::string message =
        fmt::format("local size {} x {} x {} contradicts the kernel's required work-group size {} x {} x {}",
                    (*used.local)[0], (*used.local)[1], (*used.local)[2], required[0], required[1], required[2]);
    if (diagnostics.is_error(Code::LaunchGroupNotRequired))
      return fail(Code::LaunchGroupNotRequired, std::move(message));
    fail(Code::LaunchGroupNotRequired, message + "; that one is used");
  }
  std::uint64_t flat = 1;
  bool over = false;
  for (const std::uint32_t size : local) {
    over |= size > kMostLocal;
    flat = std::min<std::uint64_t>(flat * size, kMost32 + 1);
  }
  if (over || flat > rules.max_group)
    return fail(Code::LaunchGroupTooLarge,
                fmt::format("a work-group of {} x {} x {} work-items; the kernel allows {} in all", local[0], local[1],
                            local[2], rules.max_group));
  return true;
}

}  // namespace amdcompat::abi
