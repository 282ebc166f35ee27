// What a `Cl2LaunchImage` holds, and its parts: cl2_plan.cpp makes the plan, cl2_launch.cpp takes values and writes the
// memory, cl2_map.cpp says what it holds.
//
// Unlike CL1's slots, the arguments of a CL2 block never share bytes, so a setter writes what it was given straight
// into the memory of the next build; `build` places what depends on all values (local memory, addresses of objects, the
// packet) and copies what changed. A refused value leaves that memory as it was.
#pragma once

#include <amdcompat/cl2_launch.hpp>

#include "launch_memory.hpp"

namespace amdcompat::abi {

inline constexpr std::uint32_t kNoSlot = 0xffffffff;

struct BlockSlot : CoreSlot {
  enum class Form : std::uint8_t { Value, Struct, Address, LocalPointer, Image, Sampler, Hidden };
  [[nodiscard]] bool wants_value() const { return form != Form::Hidden; }

  Form form = Form::Hidden;
  bool external = false;  // the caller gave the object's address
  std::uint32_t offset = 0;  // bytes into the block
  std::uint32_t size = 0;  // bytes there
  std::uint32_t host = 0;  // bytes the host gives
  std::uint32_t object = 0;  // offset in memory of what it points to; 0: nothing
};

class Cl2LaunchImage::Impl : public ImageCore<BlockSlot> {
 public:
  using Slot = BlockSlot;
  class Planner;

  Impl(const Kernel& kernel, const Cl2LaunchOptions& options)
      : ImageCore(kernel, find_cl2_argument_rule), options_(options) {}

  bool set_environment(const Cl2Environment& value, Diagnostics& diagnostics);
  bool set_range(const Range& range, Diagnostics& diagnostics);
  bool set_bytes(std::size_t index, std::span<const std::byte> value, Diagnostics& diagnostics);
  bool set_address(std::size_t index, std::uint64_t address, std::uint64_t size, Diagnostics& diagnostics);
  bool set_null(std::size_t index, Diagnostics& diagnostics);
  bool set_image(std::size_t index, const ImageValue& value, Diagnostics& diagnostics);
  bool set_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics);
  bool set_object(std::size_t index, std::span<const std::byte> bytes, Diagnostics& diagnostics);
  bool build(Diagnostics& diagnostics);
  [[nodiscard]] std::vector<UserRegisterValue> user_registers() const;
  [[nodiscard]] std::vector<MapEntry> map() const;

  [[nodiscard]] std::uint64_t space() const {
    return kernel_.address_bits == AddressBits::Bits32 ? kSpace32 : kSpace64;
  }
  void put_hidden(HiddenKind kind, std::uint64_t value);
  bool place_object(Slot& slot, std::span<const std::byte> bytes);
  bool place_local(Diagnostics& diagnostics);
  void point_to_objects();
  void report_missing(Diagnostics& diagnostics);

  Cl2LaunchOptions options_;
  Cl2Environment environment_;
  LaunchMemory memory_;
  std::array<std::uint32_t, kHiddenKinds> hidden_{};  // slot by HiddenKind
  Packet packet_;
  std::uint32_t block_bytes_ = 0;
  std::uint32_t memory_align_ = 16;
  std::uint32_t queue_ = 0;  // offset of our own queue words; 0: none
  std::size_t first_argument_ = 0;
  bool gfx9_ = false;
  ValueState environment_state_ = ValueState::Set;
  bool references_dirty_ = true, packet_dirty_ = true;
};

}  // namespace amdcompat::abi
