// What a `KernargImage` holds, and its parts: kernarg_plan.cpp makes the plan, kernarg.cpp takes values and writes the
// memory, kernarg_map.cpp says what it holds.
//
// Arguments never share bytes, so a setter writes what it was given straight into the memory of the next build; `build`
// fills what depends on the launch as a whole (hidden and trailing arguments, local memory, the packet) and copies what
// changed. A refused value leaves that memory as it was.
#pragma once

#include <amdcompat/kernarg_launch.hpp>

#include "launch_memory.hpp"

namespace amdcompat::abi {

struct SegmentSlot : CoreSlot {
  enum class Form : std::uint8_t { Value, Address, Image, Sampler, LocalPointer, Hidden, Trailing };
  // A trailing argument counts as set from the start.
  [[nodiscard]] bool wants_value() const { return form != Form::Hidden; }

  Form form = Form::Hidden;
  bool external = false;  // Trailing: the caller gave it; Image, Sampler: the caller gave the object's address
  std::uint32_t offset = 0;  // bytes into the segment
  std::uint32_t size = 0;  // bytes there
  std::uint32_t object = 0;  // Image, Sampler: offset in memory of what it points to
  std::uint64_t address = 0;  // Address: what the caller gave
  TrailingArgument trailing;
};

class KernargImage::Impl : public ImageCore<SegmentSlot> {
 public:
  using Slot = SegmentSlot;
  class Planner;

  Impl(const Kernel& kernel, const KernargOptions& options)
      : ImageCore(kernel, find_kernarg_argument_rule), options_(options) {}

  bool set_environment(const KernargEnvironment& value, Diagnostics& diagnostics);
  bool set_range(const Range& range, Diagnostics& diagnostics);
  bool set_bytes(std::size_t index, std::span<const std::byte> value, Diagnostics& diagnostics);
  bool set_address(std::size_t index, std::uint64_t address, std::uint64_t size, Diagnostics& diagnostics);
  bool set_null(std::size_t index, Diagnostics& diagnostics);
  bool set_image(std::size_t index, const ImageValue& value, Diagnostics& diagnostics);
  bool set_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics);
  bool set_object(std::size_t index, std::span<const std::byte> bytes, Diagnostics& diagnostics);
  bool set_printf(const std::optional<PrintfBuffer>& value, Diagnostics& diagnostics);
  bool set_data_segment(const std::optional<Buffer>& value, Diagnostics& diagnostics);
  bool set_constant_data(std::uint32_t number, const Buffer& value, Diagnostics& diagnostics);
  bool build(Diagnostics& diagnostics);
  [[nodiscard]] std::vector<MapEntry> map() const;

  bool place_object(Slot& slot, std::span<const std::byte> bytes);
  void point_to_objects();
  bool place_local(Diagnostics& diagnostics);
  [[nodiscard]] std::uint64_t hidden_value(HiddenKind kind) const;
  [[nodiscard]] std::uint64_t printf_address() const;
  void write_hidden();
  bool write_trailing(Diagnostics& diagnostics);
  bool write_cb0(const Slot& slot, Diagnostics& diagnostics);
  bool write_uavs(std::size_t index, Diagnostics& diagnostics);
  void report_missing(Diagnostics& diagnostics);

  KernargOptions options_;
  KernargEnvironment environment_;
  LaunchMemory memory_;
  std::vector<std::size_t> host_;  // indices of arguments that the host gives
  std::size_t required_ = 0;  // of these, those before the trailing ones
  std::optional<LaunchImage> cb0_;  // makes the trailing constant buffer 0
  AddressBits old_bits_ = AddressBits::Bits64;  // of the code that was converted in place
  bool has_trailing_ = false;
  Packet packet_;
  std::uint32_t segment_bytes_ = 0;
  std::uint32_t block_bytes_ = 0;
  std::uint32_t memory_align_ = 16;
  std::uint32_t max_local_bytes_ = 0;  // that a work-group may have
  Range used_;  // with all that does not matter at its default
  std::optional<ImageForm> image_form_;  // of the target's descriptors, where they are known
  ValueState environment_state_ = ValueState::Set;
  std::optional<PrintfBuffer> printf_;
  std::optional<Buffer> data_;
  std::array<std::uint64_t, 16> constants_{};  // addresses by constant buffer number
  bool whole_dirty_ = true;  // what depends on the launch as a whole
  bool trailing_dirty_ = true;  // and on the addresses of arguments
};

}  // namespace amdcompat::abi
