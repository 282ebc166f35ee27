// How large an argument is in CB1, where a compiler puts it, and which local size a launch without one gets.
#include <amdcompat/launch_image.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <variant>

#include "slots.hpp"

namespace amdcompat::abi {
namespace {

bool is_blob(const ByValue& value) { return value.type == ScalarType::Struct || value.type == ScalarType::Union; }

// AMD's compilers count slots in bits and round down, which loses the third element of long3; vectors of 8 or 16-bit
// elements are counted as if each element had 32. [BE; BIN alltypes: u64:3 at 992, next argument at 1008]
std::uint32_t value_slots(const ByValue& value, bool whole_vec3) {
  const std::uint64_t bytes = lane_bytes(value.type);
  const std::uint64_t elements = whole_vec3 && value.elements == 3 ? 4 : value.elements;
  const std::uint64_t slots = bytes < 4 ? elements / 4 : elements * bytes / kSlot;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(slots, 1));
}

}  // namespace

std::uint32_t lane_bytes(ScalarType type) { return type == ScalarType::I1 ? 4 : scalar_size(type); }

std::optional<std::uint32_t> host_bytes(const ByValue& value) {
  if (is_blob(value)) return value.elements == 0 ? std::nullopt : std::optional(value.elements);
  const std::uint32_t lane = lane_bytes(value.type);
  if (lane == 0 || value.elements == 0 || value.elements > 16) return std::nullopt;
  return lane * std::bit_ceil(value.elements);
}

std::uint32_t slot_bytes(const Argument& argument, bool whole_vec3) {
  if (find_argument_rule(argument) == nullptr) return 0;
  if (std::holds_alternative<amdcompat::Image>(argument.kind)) return 2 * kSlot;
  const auto* value = std::get_if<ByValue>(&argument.kind);
  if (value == nullptr) return kSlot;
  if (!is_blob(*value)) return kSlot * value_slots(*value, whole_vec3);
  const std::uint64_t rounded =
      (std::max(std::uint64_t{value->elements}, std::uint64_t{1}) + kSlot - 1) / kSlot * kSlot;
  return rounded > std::numeric_limits<std::uint32_t>::max() ? 0 : static_cast<std::uint32_t>(rounded);
}

std::optional<std::vector<std::uint32_t>> assign_layout(std::span<const Argument> arguments, bool whole_vec3) {
  std::vector<std::uint32_t> offsets;
  offsets.reserve(arguments.size());
  std::uint64_t at = 0;
  for (const Argument& argument : arguments) {
    const std::uint32_t bytes = slot_bytes(argument, whole_vec3);
    if (bytes == 0 || at + bytes > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
    offsets.push_back(static_cast<std::uint32_t>(at));
    at += bytes;
  }
  return offsets;
}

std::array<std::uint32_t, 3> choose_local_size(const Kernel& kernel, const Range& range) {
  std::array<std::uint32_t, 3> local{1, 1, 1};
  const std::uint32_t dimensions = range.task ? 1 : std::min(range.dimensions, 3u);
  const auto& required = kernel.limits.required_group_size;
  if (std::ranges::any_of(required, [](std::uint32_t n) { return n != 0; })) {
    for (std::uint32_t d = 0; d < dimensions; ++d) local[d] = std::max(required[d], 1u);
    return local;
  }
  if (range.task) return local;
  static constexpr std::array<std::array<std::uint32_t, 3>, 4> kCaps{{{1, 1, 1}, {256, 1, 1}, {16, 16, 1}, {8, 8, 4}}};
  std::array<std::uint32_t, 3> cap = kCaps[dimensions];
  const std::uint32_t limit = std::max(max_flat_group_size(kernel), 1u);
  while (cap[0] * cap[1] * cap[2] > limit) *std::ranges::max_element(cap) /= 2;
  for (std::uint32_t d = 0; d < dimensions; ++d) {
    local[d] = cap[d];
    while (range.global[d] % local[d] != 0) --local[d];  // ends at 1
  }
  return local;
}

Split single_group(const Range& range, const std::array<std::uint32_t, 3>& local,
                   const std::array<std::uint32_t, 3>& group) {
  Split split;
  const std::uint32_t dimensions = range.task ? 0 : std::min(range.dimensions, 3u);
  for (std::uint32_t d = 0; d < dimensions; ++d) {
    const std::uint64_t start = std::uint64_t{local[d]} * group[d];
    split.global[d] = start < range.global[d] ? std::min<std::uint64_t>(local[d], range.global[d] - start) : 0;
    split.offset[d] = range.offset[d] + start;
    split.group_offset[d] = group[d];
  }
  return split;
}

}  // namespace amdcompat::abi
