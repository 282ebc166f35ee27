// Writes CB0 and CB1, and writes them again.
#include <amdcompat/launch_image.hpp>

#include <fmt/format.h>

#include "launch_impl.hpp"

namespace amdcompat::abi {
std::span<const std::byte> LaunchImage::Impl::buffer(std::uint32_t number) const {
  if (number == 0) return cb0_;
  for (const Image& image : images_)
    if (image.number == number) return image.bytes;
  return {};
}

bool LaunchImage::Impl::place_local(Diagnostics& diagnostics) {
  return place_local_pointers(
      kernel_.segments.hardware_local, options_.max_local_bytes,
      [&](std::uint32_t i, Slot& slot, std::uint64_t offset) {
        std::array<std::byte, 4> bytes;
        store(bytes.data(), offset, 4);
        if (std::memcmp(kept_.data() + slot.kept, bytes.data(), bytes.size()) == 0) return;
        std::memcpy(kept_.data() + slot.kept, bytes.data(), bytes.size());
        mark(i);
      },
      diagnostics);
}

void LaunchImage::Impl::report_missing(Diagnostics& diagnostics) {
  const auto missing = [&](Code code, std::string message) { report(code, std::move(message), {}, diagnostics); };
  if (kernel_.uses_printf && printf_) {
    const bool several = part_[0] > local_size_[0] || part_[1] > local_size_[1] || part_[2] > local_size_[2];
    if (several)
      missing(Code::LaunchPrintfManyGroups, fmt::format("kernel '{}' prints and is dispatched with more than one "
                                                        "work-group, whose regions of the printf buffer are the same",
                                                        kernel_.name));
  }
  if (std::exchange(warned_, true)) return;
  if (kernel_.uses_printf && !printf_) report_no_printf(diagnostics);
  if (wants_data_ && !data_)
    missing(Code::LaunchDataMissing,
            fmt::format("kernel '{}' needs its data segment, but no address was given", kernel_.name));
  if (kernel_.compiler_write && (!rings_ || rings_->private_offset == 0))
    missing(Code::LaunchRingMissing,
            fmt::format("kernel '{}' writes to a dummy page, but no private ring was given", kernel_.name));
}

void LaunchImage::Impl::put(Cb0Value field, std::uint64_t value) {
  const auto index = static_cast<std::size_t>(field);
  std::byte* const at = next_cb0_.data() + 4 * std::size_t{cb0_place_[index]};
  store(at, value, 4);
  if (((cb0_wide_ >> index) & 1) != 0) store(at + 4, value >> 32, 4);
}

void LaunchImage::Impl::write_cb0() {
  constexpr std::uint32_t kStep = 8;
  std::uint32_t first = 0, last = kCb0Bytes;
  const auto same = [&](std::uint32_t at) { return std::memcmp(cb0_.data() + at, next_cb0_.data() + at, kStep) == 0; };
  while (first < kCb0Bytes && same(first)) first += kStep;
  if (first == kCb0Bytes) return;
  while (same(last - kStep)) last -= kStep;
  std::memcpy(cb0_.data() + first, next_cb0_.data() + first, last - first);
  cb0_changed_ = {first, last};
}

void LaunchImage::Impl::write(const Slot& slot) {
  Image& image = images_[slot.image];
  std::byte* const to = image.bytes.data() + slot.offset;
  const std::byte* const from = kept_.data() + slot.kept;
  if (slot.spread) {
    const std::uint32_t piece = 4 * slot.align;
    for (std::uint32_t at = 0, i = 0; at < slot.copied; at += piece, ++i)
      copy_bytes(to + std::size_t{kSlot} * i, from + at, piece);
  } else {
    copy_bytes(to, from, slot.copied);
  }
  if (image.number == 1) widen(cb1_changed_, slot.offset, slot.offset + slot.extent);
}

bool LaunchImage::Impl::build(Diagnostics& diagnostics) {
  cb0_changed_ = cb1_changed_ = {};
  if (unset_ != 0 || range_state_ != ValueState::Set || printf_state_ != ValueState::Set ||
      data_state_ != ValueState::Set || rings_state_ != ValueState::Set)
    return report_incomplete(diagnostics);
  if (shared_dirty_ && !bind_shared(diagnostics)) return false;
  if (local_dirty_ && !place_local(diagnostics)) return false;
  if (cb0_dirty_) {
    report_missing(diagnostics);
    write_cb0();
    cb0_dirty_ = false;
  }
  for (const std::uint32_t index : dirty_) {
    Slot& slot = slots_[index];
    if (!slot.dirty) continue;  // written with its cluster
    if (slot.cluster == kNone) {
      slot.dirty = false;
      write(slot);
      continue;
    }
    for (const std::uint32_t member : clusters_[slot.cluster]) {
      slots_[member].dirty = false;
      write(slots_[member]);
    }
  }
  dirty_.clear();
  built_ = true;
  return true;
}

// --- the public face -----------------------------------------------------------------------------------------

LaunchImage::LaunchImage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LaunchImage::LaunchImage(LaunchImage&&) noexcept = default;
LaunchImage& LaunchImage::operator=(LaunchImage&&) noexcept = default;
LaunchImage::~LaunchImage() = default;

bool LaunchImage::set_range(const Range& range, Diagnostics& diagnostics) {
  return impl_->set_range(range, diagnostics);
}
bool LaunchImage::set_bytes(std::size_t index, std::span<const std::byte> value, Diagnostics& diagnostics) {
  return impl_->set_bytes(index, value, diagnostics);
}
bool LaunchImage::set_buffer(std::size_t index, const Buffer& value, Diagnostics& diagnostics) {
  return impl_->set_buffer(index, value, diagnostics);
}
bool LaunchImage::set_null(std::size_t index, Diagnostics& diagnostics) { return impl_->set_null(index, diagnostics); }
bool LaunchImage::set_local(std::size_t index, std::uint64_t bytes, Diagnostics& diagnostics) {
  return impl_->set_local(index, bytes, diagnostics);
}
bool LaunchImage::set_image(std::size_t index, const ImageValue& value, Diagnostics& diagnostics) {
  return impl_->set_image(index, value, diagnostics);
}
bool LaunchImage::set_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics) {
  return impl_->set_sampler(index, word, diagnostics);
}
bool LaunchImage::set_printf(const std::optional<PrintfBuffer>& value, Diagnostics& diagnostics) {
  return impl_->set_printf(value, diagnostics);
}
bool LaunchImage::set_data_segment(const std::optional<Buffer>& value, Diagnostics& diagnostics) {
  return impl_->set_data_segment(value, diagnostics);
}
bool LaunchImage::set_rings(const std::optional<Rings>& value, Diagnostics& diagnostics) {
  return impl_->set_rings(value, diagnostics);
}
bool LaunchImage::set_constant_data(std::uint32_t number, const Buffer& value, Diagnostics& diagnostics) {
  return impl_->set_constant_data(number, value, diagnostics);
}
std::optional<std::size_t> LaunchImage::find(std::string_view name) const { return impl_->find(name); }
bool LaunchImage::build(Diagnostics& diagnostics) { return impl_->build(diagnostics); }
std::span<const std::byte> LaunchImage::buffer(std::uint32_t number) const { return impl_->buffer(number); }
std::vector<MapEntry> LaunchImage::map() const { return impl_->map(); }
std::span<const std::byte> LaunchImage::cb0() const { return impl_->cb0_; }
ChangedBytes LaunchImage::cb0_changed() const { return impl_->cb0_changed_; }
ChangedBytes LaunchImage::cb1_changed() const { return impl_->cb1_changed_; }
std::uint64_t LaunchImage::local_bytes() const { return impl_->local_bytes_; }
std::array<std::uint32_t, 3> LaunchImage::local_size() const { return impl_->local_size_; }
std::span<const Binding> LaunchImage::bindings() const { return impl_->bindings_; }
const Kernel& LaunchImage::kernel() const { return impl_->kernel_; }
const LaunchOptions& LaunchImage::options() const { return impl_->options_; }

std::vector<std::uint32_t> LaunchImage::buffers() const {
  std::vector<std::uint32_t> numbers;
  for (const Impl::Image& image : impl_->images_) numbers.push_back(image.number);
  std::ranges::sort(numbers);
  return numbers;
}

}  // namespace amdcompat::abi
