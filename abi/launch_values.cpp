// Values of arguments: checked, kept as the bytes that the buffers get, and their descriptors made.
#include <bit>

#include <fmt/format.h>

#include "launch_impl.hpp"
#include "slots.hpp"

namespace amdcompat::abi {
namespace {

// OpenCL's numbers of each kind are consecutive.
bool is_one_of(std::span<const ClName> rows, std::uint32_t value) {
  return value >= rows.front().value && value <= rows.back().value;
}

}  // namespace

void LaunchImage::Impl::mark(std::size_t index) {
  Slot& slot = slots_[index];
  if (slot.dirty) return;
  slot.dirty = true;
  dirty_.push_back(static_cast<std::uint32_t>(index));
}

// Keeps the bytes of an argument; marks it when they differ from what the image holds.
bool LaunchImage::Impl::keep(std::size_t index, std::span<const std::byte> bytes) {
  Slot& slot = slots_[index];
  std::byte* const kept = kept_.data() + slot.kept;
  if (slot.state != ValueState::Set)
    accept(slot);
  else if (same_bytes(kept, bytes.data(), bytes.size()))
    return true;
  copy_bytes(kept, bytes.data(), bytes.size());
  mark(index);
  return true;
}

bool LaunchImage::Impl::set_bytes(std::size_t index, std::span<const std::byte> value, Diagnostics& diagnostics) {
  const Slot* const target = slot(index, "by-value argument", diagnostics, Form::Value);
  if (target == nullptr) return false;
  if (value.size() != target->host) return refuse_size(index, value.size(), target->host, diagnostics);
  const auto& type = std::get<ByValue>(kernel_.arguments[index].kind);
  if (type.type != ScalarType::I1) return keep(index, value);
  // Kernels look at the whole lane, the language at its lowest bit. [SPEC Scalar Arguments]
  std::array<std::byte, 64> lanes{};
  for (std::size_t i = 0; i < value.size(); i += 4) lanes[i] = value[i] & std::byte{1};
  return keep(index, std::span(lanes).first(value.size()));
}

// What `check_address` asks, in one expression: the way that is taken all the time.
bool LaunchImage::Impl::fits(const Buffer& value, std::uint32_t align) const {
  const std::uint64_t most = kernel_.address_bits == AddressBits::Bits32 ? kMost32 : kSpace64;
  return value.address >= value.base && value.address < kSpace64 && value.size <= kSpace64 - value.address &&
         value.address - value.base <= most && (value.address & (align - 1)) == 0;
}

bool LaunchImage::Impl::check_address(std::optional<std::size_t> index, std::string_view what, const Buffer& value,
                                      std::uint32_t align, Diagnostics& diagnostics) const {
  const auto fail = [&](Code code, std::string message) {
    if (index)
      report_argument(*index, code, std::move(message), diagnostics);
    else
      report(code, std::move(message), std::string(what), diagnostics);
    return false;
  };
  if (value.address < value.base)
    return fail(
        Code::LaunchAddressBelowBase,
        fmt::format("the address {:#x} of '{}' is below its descriptor's base {:#x}", value.address, what, value.base));
  if (value.address >= kSpace64)
    return fail(Code::LaunchAddressTooLarge,
                fmt::format("the address {:#x} of '{}' has more than 48 bits", value.address, what));
  if (value.size > kSpace64 - value.address)
    return fail(Code::LaunchAddressTooLarge,
                fmt::format("'{}' with {} bytes from {:#x} on ends past 48 bits", what, value.size, value.address));
  if (kernel_.address_bits == AddressBits::Bits32 && value.address - value.base > kMost32)
    return fail(Code::LaunchAddressTooLarge,
                fmt::format("'{}' is {:#x} bytes from its descriptor's base; this kernel's pointers have 32 bits", what,
                            value.address - value.base));
  if ((value.address & (align - 1)) != 0)
    return fail(Code::LaunchAddressUnaligned,
                fmt::format("the address {:#x} of '{}' is no multiple of {}", value.address, what, align));
  return true;
}

// A buffer whose size is not known gets a descriptor that reaches as far as it can; a NULL buffer one of no bytes.
void LaunchImage::Impl::bind(std::uint32_t index, std::uint64_t base, std::uint64_t size, bool null) {
  if (index == kNone) return;
  Binding& binding = bindings_[index];
  const auto records = static_cast<std::uint32_t>(size == 0 && !null ? kMost32 : std::min(size, kMost32));
  if (binding.words != 0 && binding.address == base && binding.size == size && binding.descriptor[2] == records) return;
  binding.address = base;
  binding.size = size;
  const auto words = buffer_descriptor(base, records, binding.stride);
  std::copy(words.begin(), words.end(), binding.descriptor.begin());
  binding.words = 4;
}

// The descriptor of a pointer; one that several pointers share is made when all are known.
void LaunchImage::Impl::place(Slot& slot, std::uint64_t base, std::uint64_t size, bool null) {
  if (slot.shared == kNone) return bind(slot.binding, base, size, null);
  slot.base = base;
  slot.size = size;
  slot.null = null;
  shared_dirty_ = true;
}

bool LaunchImage::Impl::bind_shared(Diagnostics& diagnostics) {
  bool good = true;
  for (const std::vector<std::uint32_t>& members : shared_) {
    const Slot* lead = nullptr;
    std::uint64_t size = 0;
    for (const std::uint32_t i : members) {
      const Slot& slot = slots_[i];
      if (slot.null) continue;
      if (lead == nullptr) {
        lead = &slot;
        size = slot.size;
      } else if (slot.base != lead->base) {
        report_argument(i, Code::LaunchSharedBase,
                        fmt::format("'{}' is relative to {:#x} and '{}' to {:#x}, but the kernel reaches both through "
                                    "the descriptor in slot {}",
                                    kernel_.arguments[i].name, slot.base,
                                    kernel_.arguments[static_cast<std::size_t>(lead - slots_.data())].name, lead->base,
                                    bindings_[slot.binding].slot),
                        diagnostics);
        good = false;
      }
      size = size == 0 || slot.size == 0 ? 0 : std::max(size, slot.size);
    }
    bind(slots_[members.front()].binding, lead == nullptr ? 0 : lead->base, size, lead == nullptr);
  }
  shared_dirty_ = !good;
  return good;
}

bool LaunchImage::Impl::set_buffer(std::size_t index, const Buffer& value, Diagnostics& diagnostics) {
  if (index < slots_.size()) {
    Slot& target = slots_[index];
    switch (target.form) {
      case Form::Nothing: return true;
      case Form::Handle:
        if (!check_address(index, kernel_.arguments[index].name, value, 4, diagnostics)) return reject(target);
        accept(target);
        bindings_[target.binding].address = value.address;
        bindings_[target.binding].size = value.size;
        return true;
      case Form::Pointer:
      case Form::ConstantPointer: {
        if (!fits(value, target.align) &&
            !check_address(index, kernel_.arguments[index].name, value, target.align, diagnostics))
          return reject(target);
        const bool constant = target.form == Form::ConstantPointer;
        std::array<std::byte, 8> bytes;
        store(bytes.data(), constant ? 1 : value.address - value.base, 8);
        const std::uint64_t base = constant ? value.address : value.base;
        place(target, base, value.size == 0 ? 0 : value.address - base + value.size, false);
        return keep(index, std::span(bytes).first(target.host));
      }
      default: break;
    }
  }
  return slot(index, "buffer", diagnostics, Form::Pointer) != nullptr;
}

bool LaunchImage::Impl::set_null(std::size_t index, Diagnostics& diagnostics) {
  if (index < slots_.size()) {
    Slot& target = slots_[index];
    switch (target.form) {
      case Form::Nothing: return true;
      case Form::Handle:
        accept(target);
        bindings_[target.binding].address = bindings_[target.binding].size = 0;
        return true;
      case Form::Pointer:
      case Form::ConstantPointer: {
        static constexpr std::array<std::byte, 8> kNull{};
        place(target, 0, 0, true);
        return keep(index, std::span(kNull).first(target.host));
      }
      default: break;
    }
  }
  return slot(index, "NULL buffer", diagnostics, Form::Pointer) != nullptr;
}

bool LaunchImage::Impl::set_local(std::size_t index, std::uint64_t bytes, Diagnostics& diagnostics) {
  if (index < slots_.size() && slots_[index].form == Form::Nothing) return true;
  const bool first = index < slots_.size() && slots_[index].state != ValueState::Set;
  if (!ImageCore::set_local(index, bytes, diagnostics)) return false;
  if (first) mark(index);
  return true;
}

bool LaunchImage::Impl::set_image(std::size_t index, const ImageValue& value, Diagnostics& diagnostics) {
  const Slot* const target = slot(index, "image", diagnostics, Form::Image);
  if (target == nullptr) return false;
  const std::string& name = kernel_.arguments[index].name;
  const bool known = is_one_of(channel_orders(), value.channel_order) && is_one_of(channel_types(), value.channel_type);
  if (!check_image(index, value, known, diagnostics)) return false;
  const std::uint64_t row = value.row_pitch != 0
                                ? value.row_pitch
                                : std::uint64_t{value.width} * texel_bytes(value.channel_order, value.channel_type);
  const std::uint64_t slice = value.slice_pitch != 0 ? value.slice_pitch : std::min(row, kMost32) * value.height;
  const bool pitches = options_.image_layout == ImageLayout::R7xx;
  if (pitches && (row == 0 || row > kMost32 || slice > kMost32))
    return refuse(
        index, Code::LaunchImageSize,
        fmt::format("the pitches of image '{}' must be given: they do not follow from its sizes and format", name),
        diagnostics);
  Binding& binding = bindings_[target->binding];
  binding.address = value.address;
  binding.words = 0;
  binding.descriptor = {};
  const ImageDim dim = std::get<amdcompat::Image>(kernel_.arguments[index].kind).dim;
  if (value.address != 0 && dim != ImageDim::D1Buffer) {
    const auto words = image_descriptor(value, dim);
    if (!words)
      return refuse(index, Code::LaunchImageSize,
                    fmt::format("image '{}' cannot be described to the hardware: its address, pitch, sizes or format "
                                "do not fit a descriptor",
                                name),
                    diagnostics);
    binding.descriptor = *words;
    binding.words = 8;
  }
  std::array<std::byte, 32> bytes;
  const auto real = [](std::uint32_t n) { return std::bit_cast<std::uint32_t>(1.0f / static_cast<float>(n)); };
  std::array<std::uint32_t, 8> words{value.width,       value.height,       value.depth,       value.channel_type,
                                     real(value.width), real(value.height), real(value.depth), value.channel_order};
  if (pitches) {
    words = {value.width, value.height, value.depth, value.offset, value.channel_type, value.channel_order};
    words[6] = static_cast<std::uint32_t>(row);
    words[7] = static_cast<std::uint32_t>(slice);
  }
  for (std::size_t i = 0; i < words.size(); ++i) store(bytes.data() + 4 * i, words[i], 4);
  return keep(index, bytes);
}

bool LaunchImage::Impl::set_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics) {
  const Slot* const target = slot(index, "sampler", diagnostics, Form::Sampler);
  if (target == nullptr) return false;
  const bool repeat = target->state == ValueState::Set && bindings_[target->binding].words != 0;
  std::array<std::byte, 4> bytes;
  store(bytes.data(), word, 4);
  if (repeat && std::memcmp(kept_.data() + target->kept, bytes.data(), bytes.size()) == 0) return true;
  if (!check_sampler(index, word, diagnostics)) return false;
  Binding& binding = bindings_[target->binding];
  const auto words = sampler_descriptor(word);
  std::copy(words.begin(), words.end(), binding.descriptor.begin());
  binding.words = 4;
  return keep(index, bytes);
}

}  // namespace amdcompat::abi
