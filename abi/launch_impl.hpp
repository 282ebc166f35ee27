// What a `LaunchImage` holds, and its parts: launch_plan.cpp makes the plan, launch_values.cpp takes the values of
// arguments, launch_wide.cpp those of the launch as a whole, launch_image.cpp writes the buffers, launch_map.cpp says
// what they hold.
//
// `create` turns the metadata into a plan: for every argument where its bytes are kept, where they go and how. Setters
// check a value, compare it with what is kept, and remember the argument when it differs. `build` copies the arguments
// remembered. So a launch that changes two of seventy arguments costs two comparisons and two copies, and nothing
// is allocated after `create`.
//
// Arguments may share bytes, because AMD's compilers reserved one slot for long3 while AMD's runtime copied two, in
// argument order. Arguments that touch each other form a cluster; when one changes the whole cluster is written again
// in argument order, which gives the bytes a first build would have given.
#pragma once

#include <cstring>

#include "image_core.hpp"
#include "slots.hpp"

namespace amdcompat::abi {

inline constexpr std::uint32_t kNone = 0xffffffff;

// Comparing and copying with sizes known to the compiler for those that arguments have.
inline bool same_bytes(const std::byte* a, const std::byte* b, std::size_t size) {
  switch (size) {
    case 4: return std::memcmp(a, b, 4) == 0;
    case 8: return std::memcmp(a, b, 8) == 0;
    case 16: return std::memcmp(a, b, 16) == 0;
    case 32: return std::memcmp(a, b, 32) == 0;
    default: return std::memcmp(a, b, size) == 0;
  }
}
inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t size) {
  switch (size) {
    case 4: std::memcpy(to, from, 4); break;
    case 8: std::memcpy(to, from, 8); break;
    case 16: std::memcpy(to, from, 16); break;
    case 32: std::memcpy(to, from, 32); break;
    default: std::memcpy(to, from, size);
  }
}

// An argument, prepared: where its bytes are kept and how they get into the image.
struct BufferSlot : CoreSlot {
  enum class Form : std::uint8_t { Value, Pointer, ConstantPointer, LocalPointer, Image, Sampler, Handle, Nothing };
  [[nodiscard]] bool wants_value() const { return form != Form::Nothing; }

  Form form = Form::Nothing;
  bool dirty = false;
  bool spread = false;  // 8 or 16-bit vector of more than 4: pieces of 4 elements, 16 bytes apart
  std::uint32_t image = 0;  // index into images_
  std::uint32_t offset = 0;  // bytes into that image
  std::uint32_t kept = 0;  // offset into kept_ of its bytes
  std::uint32_t host = 0;  // bytes the host gives
  std::uint32_t copied = 0;  // bytes of them that are written
  std::uint32_t extent = 0;  // bytes from `offset` to the end of the last one written
  std::uint32_t reserved = 0;  // bytes of its slots
  std::uint32_t cluster = kNone;  // arguments that share bytes are written together, in order
  std::uint32_t binding = kNone;  // index into bindings_
  std::uint32_t shared = kNone;   // index into shared_: pointers behind one descriptor; the next members are theirs
  bool null = true;
  std::uint64_t base = 0;  // what the descriptor must start at
  std::uint64_t size = 0;  // bytes it must have for this pointer; 0: not known
};

class LaunchImage::Impl : public ImageCore<BufferSlot> {
 public:
  using Slot = BufferSlot;
  struct Image {
    std::uint32_t number = 1;
    std::vector<std::byte> bytes;
  };
  class Planner;

  Impl(const Kernel& kernel, const LaunchOptions& options) : ImageCore(kernel, find_argument_rule), options_(options) {}

  bool set_range(const Range& range, Diagnostics& diagnostics);
  bool set_bytes(std::size_t index, std::span<const std::byte> value, Diagnostics& diagnostics);
  bool set_buffer(std::size_t index, const Buffer& value, Diagnostics& diagnostics);
  bool set_null(std::size_t index, Diagnostics& diagnostics);
  bool set_local(std::size_t index, std::uint64_t bytes, Diagnostics& diagnostics);
  bool set_image(std::size_t index, const ImageValue& value, Diagnostics& diagnostics);
  bool set_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics);
  bool set_printf(const std::optional<PrintfBuffer>& value, Diagnostics& diagnostics);
  bool set_data_segment(const std::optional<Buffer>& value, Diagnostics& diagnostics);
  bool set_rings(const std::optional<Rings>& value, Diagnostics& diagnostics);
  bool set_constant_data(std::uint32_t number, const Buffer& value, Diagnostics& diagnostics);
  bool build(Diagnostics& diagnostics);
  [[nodiscard]] std::span<const std::byte> buffer(std::uint32_t number) const;
  [[nodiscard]] std::vector<MapEntry> map() const;

  bool keep(std::size_t index, std::span<const std::byte> bytes);
  [[nodiscard]] bool fits(const Buffer& value, std::uint32_t align) const;
  bool check_address(std::optional<std::size_t> index, std::string_view what, const Buffer& value, std::uint32_t align,
                     Diagnostics& diagnostics) const;
  void bind(std::uint32_t binding, std::uint64_t base, std::uint64_t size, bool null = false);
  void place(Slot& slot, std::uint64_t base, std::uint64_t size, bool null);
  bool bind_shared(Diagnostics& diagnostics);
  void mark(std::size_t index);
  void write(const Slot& slot);
  bool place_local(Diagnostics& diagnostics);
  void report_missing(Diagnostics& diagnostics);
  void write_cb0();
  void put(Cb0Value field, std::uint64_t value);

  LaunchOptions options_;
  std::vector<std::byte> kept_;
  std::vector<Image> images_;
  std::vector<std::uint32_t> dirty_;  // indices of slots with `dirty`; capacity for all
  std::vector<std::vector<std::uint32_t>> clusters_;
  std::vector<std::vector<std::uint32_t>> shared_;  // slots of pointers with the same number
  std::vector<Binding> bindings_;
  std::vector<std::uint8_t> cb0_rows_;  // rows of cb0_fields() for this ABI and profile
  std::array<std::uint8_t, 34> cb0_place_{};  // by Cb0Value: its dword; 40: not in this ABI and profile
  std::uint64_t cb0_wide_ = 0;  // by Cb0Value: bit set for two dwords
  std::array<std::byte, kCb0Bytes> cb0_{};
  std::array<std::byte, kCb0Bytes + 8> next_cb0_{};  // of the next build, and room for what has no place
  ChangedBytes cb0_changed_, cb1_changed_;
  std::array<std::uint32_t, 3> part_{1, 1, 1};  // work-items of this dispatch
  ValueState printf_state_ = ValueState::Set, data_state_ = ValueState::Set, rings_state_ = ValueState::Set;
  bool cb0_dirty_ = true;
  bool wants_data_ = false;  // needs the address of a global data segment
  bool shared_dirty_ = false;
  std::uint32_t printf_binding_ = kNone, data_binding_ = kNone;
  std::optional<PrintfBuffer> printf_;
  std::optional<Buffer> data_;
  std::optional<Rings> rings_;
};

}  // namespace amdcompat::abi
