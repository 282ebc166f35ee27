// Values of a launch as a whole: sizes, printf buffer, data segments, rings.
#include <fmt/format.h>

#include "launch_impl.hpp"

namespace amdcompat::abi {

bool LaunchImage::Impl::set_range(const Range& range, Diagnostics& diagnostics) {
  if (range_state_ == ValueState::Set && range == given_) return true;
  range_state_ = ValueState::Refused;
  const auto fail = [&](Code code, std::string message) {
    report(code, std::move(message), "range", diagnostics);
    return false;
  };
  Range used;
  std::array<std::uint32_t, 3> local{};
  if (!resolve_range(kernel_, {max_group_, group_fixed_, kSpace32}, range, used, local, diagnostics)) return false;
  const std::uint32_t dimensions = used.dimensions;

  if (used.split) {
    Split& split = *used.split;
    for (std::uint32_t d = dimensions; d < 3; ++d) split.global[d] = 1, split.offset[d] = 0, split.group_offset[d] = 0;
    for (std::uint32_t d = 0; d < dimensions; ++d) {
      if (split.global[d] == 0)
        return fail(Code::LaunchSizeZero, fmt::format("the part's global size of dimension {} is 0", d));
      if (split.global[d] > kMost32 || split.offset[d] > kMost32 || split.offset[d] + split.global[d] > kSpace32)
        return fail(Code::LaunchSizeTooLarge,
                    fmt::format("offset {} and size {} of the part do not fit 32-bit work-item ids", split.offset[d],
                                split.global[d]));
      const bool inside =
          split.offset[d] >= used.offset[d] && split.offset[d] + split.global[d] <= used.offset[d] + used.global[d];
      if (!inside || split.offset[d] - used.offset[d] != std::uint64_t{split.group_offset[d]} * local[d]) {
        std::string message = fmt::format(
            "dimension {}: a part of {} work-items from {} on, after {} groups of {}, of a range of {} from {} on", d,
            split.global[d], split.offset[d], split.group_offset[d], local[d], used.global[d], used.offset[d]);
        fail(Code::LaunchSplitOutside, std::move(message));
        if (diagnostics.is_error(Code::LaunchSplitOutside)) return false;
      }
    }
  }

  const bool spec = options_.profile == Profile::Spec;
  const auto nth = [](Cb0Value first, std::uint32_t d) {
    return static_cast<Cb0Value>(static_cast<std::uint32_t>(first) + d);
  };
  std::uint32_t spawn_flat = 1, group_flat = 1;  // 32-bit as in the buffer
  bool partial = false;
  for (std::uint32_t d = 0; d < 3; ++d) {
    // All sizes and offsets were found to fit 32 bits, which divide faster.
    const auto global = static_cast<std::uint32_t>(used.global[d]);
    const auto part = used.split ? static_cast<std::uint32_t>(used.split->global[d]) : global;
    const auto spawn = static_cast<std::uint32_t>(used.split ? used.split->offset[d] : used.offset[d]);
    const std::uint32_t group = used.split ? used.split->group_offset[d] : 0;
    const std::uint32_t groups = d < dimensions ? global / local[d] : 1;
    const bool rest = used.split ? part % local[d] != 0 : groups * local[d] != global;
    partial |= rest;
    part_[d] = part;
    put(nth(Cb0Value::GlobalX, d), global);
    put(nth(Cb0Value::LocalX, d), local[d]);
    put(nth(Cb0Value::GroupsX, d), groups + (!spec && rest ? 1 : 0));
    put(nth(Cb0Value::SpawnX, d), spawn);
    put(nth(Cb0Value::GroupX, d), group);
    put(nth(Cb0Value::RangeX, d), used.offset[d]);
    if (spec || d < dimensions) {
      spawn_flat *= spawn;
      group_flat *= group;
    }
  }
  put(Cb0Value::WorkDim, used.task && spec ? 0 : dimensions);
  put(Cb0Value::SpawnFlat, spawn_flat);
  put(Cb0Value::GroupFlat, group_flat);
  if (partial) report_partial(local, diagnostics);
  local_size_ = local;
  given_ = range;
  range_state_ = ValueState::Set;
  cb0_dirty_ = true;
  return true;
}

bool LaunchImage::Impl::set_printf(const std::optional<PrintfBuffer>& value, Diagnostics& diagnostics) {
  if (printf_state_ == ValueState::Set && value == printf_) return true;
  const PrintfBuffer buffer = value.value_or(PrintfBuffer{});
  printf_state_ = ValueState::Refused;
  if (!check_address(std::nullopt, "printf", {buffer.address, buffer.base, buffer.size}, 4, diagnostics)) return false;
  printf_state_ = ValueState::Set;
  printf_ = value;
  put(Cb0Value::PrintfAddress, buffer.address - buffer.base);
  put(Cb0Value::PrintfDwords, buffer.dwords_per_item);
  bind(printf_binding_, buffer.base, buffer.size == 0 ? 0 : buffer.address - buffer.base + buffer.size);
  cb0_dirty_ = true;
  return true;
}

bool LaunchImage::Impl::set_data_segment(const std::optional<Buffer>& value, Diagnostics& diagnostics) {
  if (data_state_ == ValueState::Set && value == data_) return true;
  const Buffer buffer = value.value_or(Buffer{});
  data_state_ = ValueState::Refused;
  // Vectors in the segment are aligned to their size from its start on. [SPEC Data Segment]
  if (!check_address(std::nullopt, "data_segment", buffer, 16, diagnostics)) return false;
  data_state_ = ValueState::Set;
  data_ = value;
  put(Cb0Value::DataSegment, buffer.address - buffer.base);
  bind(data_binding_, buffer.base, buffer.size == 0 ? 0 : buffer.address - buffer.base + buffer.size);
  cb0_dirty_ = true;
  return true;
}

bool LaunchImage::Impl::set_rings(const std::optional<Rings>& value, Diagnostics& diagnostics) {
  if (rings_state_ == ValueState::Set && value == rings_) return true;
  const Rings rings = value.value_or(Rings{});
  rings_state_ = ValueState::Refused;
  if (!check_address(std::nullopt, "rings.private", {rings.private_offset, 0, 0}, 4, diagnostics)) return false;
  if (!check_address(std::nullopt, "rings.local", {rings.local_offset, 0, 0}, 4, diagnostics)) return false;
  rings_state_ = ValueState::Set;
  rings_ = value;
  put(Cb0Value::PrivateRing, rings.private_offset);
  put(Cb0Value::PrivateBytes, rings.private_bytes);
  put(Cb0Value::LocalRing, rings.local_offset);
  put(Cb0Value::LocalBytes, rings.local_bytes);
  put(Cb0Value::MathTable, rings.math_table);
  cb0_dirty_ = true;
  return true;
}

bool LaunchImage::Impl::set_constant_data(std::uint32_t number, const Buffer& value, Diagnostics& diagnostics) {
  for (std::uint32_t i = 0; i < bindings_.size(); ++i) {
    const Binding& binding = bindings_[i];
    if (binding.kind != BindingKind::ConstantBuffer || binding.slot != number || binding.stride != kSlot ||
        binding.argument)
      continue;
    // All of the address is in the descriptor.
    const Buffer whole{value.address, value.address, value.size};
    if (!check_address(std::nullopt, binding.what, whole, kSlot, diagnostics)) return false;
    bind(i, value.address, value.size == 0 ? binding.size : value.size);
    return true;
  }
  report(Code::LaunchNoSuchArgument, fmt::format("there is no data segment for constant buffer {}", number),
         "constant_data", diagnostics);
  return false;
}

}  // namespace amdcompat::abi
