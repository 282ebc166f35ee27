// Fills the memory that a launched CL2 kernel reads, and fills it again.
#include <amdcompat/cl2_launch.hpp>

#include <fmt/format.h>

#include "cl2_impl.hpp"

namespace amdcompat::abi {
namespace {

std::optional<std::uint32_t> object_channel(std::span<const ObjectChannel> rows, std::uint32_t cl) {
  const auto found = std::ranges::find(rows, cl, &ObjectChannel::cl);
  return found == rows.end() ? std::nullopt : std::optional(found->value);
}

template <std::size_t N>
void store_words(std::byte* at, const std::array<std::uint32_t, N>& words) {
  for (std::size_t n = 0; n < N; ++n) store(at + 4 * n, words[n], 4);
}

}  // namespace

std::optional<std::array<std::byte, kImageObjectBytes>> image_object(const ImageValue& image, ImageDim dim,
                                                                     ImageForm form) {
  const auto type = object_channel(object_channel_types(), image.channel_type);
  const auto order = object_channel(object_channel_orders(), image.channel_order);
  const auto words = image_descriptor(image, dim, form);
  if (!type || !order || !words) return std::nullopt;
  std::array<std::byte, kImageObjectBytes> out{};
  store_words(out.data(), *words);
  store(out.data() + 32, *type, 4);
  store(out.data() + 36, *order, 4);
  store(out.data() + 40, image.width, 4);
  return out;
}

std::array<std::byte, kSamplerObjectBytes> sampler_object(std::uint32_t word) {
  std::array<std::byte, kSamplerObjectBytes> out{};
  store_words(out.data(), sampler_descriptor(word));
  return out;
}

void Cl2LaunchImage::Impl::put_hidden(HiddenKind kind, std::uint64_t value) {
  const std::uint32_t index = hidden_[static_cast<std::size_t>(kind)];
  if (index != kNoSlot) memory_.put(slots_[index].offset, std::min(slots_[index].size, 8u), value);
}

// --- argument values -----------------------------------------------------------------------------------------

// The bytes of what the block points to. The address follows in `build`.
bool Cl2LaunchImage::Impl::place_object(Slot& slot, std::span<const std::byte> bytes) {
  references_dirty_ |= slot.state != ValueState::Set || slot.external;
  slot.external = false;
  memory_.write(slot.object, bytes);
  return accept(slot);
}

bool Cl2LaunchImage::Impl::set_bytes(std::size_t index, std::span<const std::byte> value, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "by-value argument", diagnostics, Form::Value, Form::Struct);
  if (target == nullptr) return false;
  if (value.size() != target->host) return refuse_size(index, value.size(), target->host, diagnostics);
  if (target->form == Form::Struct) return place_object(*target, value);
  memory_.write(target->offset, value.first(target->size));  // 15.7 drops the fourth element of three
  return accept(*target);
}

bool Cl2LaunchImage::Impl::set_address(std::size_t index, std::uint64_t address, std::uint64_t size,
                                       Diagnostics& diagnostics) {
  Slot* const target = slot(index, "address", diagnostics, Form::Address, Form::Struct, Form::Image, Form::Sampler);
  if (target == nullptr) return false;
  if (!fits(address, size, target->align, space())) return refuse_address(index, address, size, space(), diagnostics);
  target->external = true;
  memory_.put(target->offset, std::min(target->size, 8u), address);
  return accept(*target);
}

bool Cl2LaunchImage::Impl::set_null(std::size_t index, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "NULL pointer", diagnostics, Form::Address);
  if (target == nullptr) return false;
  memory_.put(target->offset, std::min(target->size, 8u), 0);
  return accept(*target);
}

bool Cl2LaunchImage::Impl::set_image(std::size_t index, const ImageValue& value, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "image", diagnostics, Form::Image);
  if (target == nullptr) return false;
  const auto object = object_of(*this, index, value, gfx9_ ? ImageForm::Gfx9 : ImageForm::Gfx6, diagnostics);
  return object && place_object(*target, *object);
}

bool Cl2LaunchImage::Impl::set_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "sampler", diagnostics, Form::Sampler);
  if (target == nullptr) return false;
  if (!check_sampler(index, word, diagnostics)) return false;
  return place_object(*target, sampler_object(word));
}

bool Cl2LaunchImage::Impl::set_object(std::size_t index, std::span<const std::byte> bytes, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "image or sampler object", diagnostics, Form::Image, Form::Sampler);
  if (target == nullptr) return false;
  return check_object(*this, index, bytes, target->form == Form::Image, diagnostics) && place_object(*target, bytes);
}

// --- launch-wide values --------------------------------------------------------------------------------------

bool Cl2LaunchImage::Impl::set_range(const Range& range, Diagnostics& diagnostics) {
  if (range_state_ == ValueState::Set && range == given_) return true;
  const std::uint64_t end =
      kernel_.address_bits == AddressBits::Bits32 ? kSpace32 : std::numeric_limits<std::uint64_t>::max();
  Range used;
  std::array<std::uint32_t, 3> local{};
  if (!resolve_whole_range(range, end, used, local, diagnostics)) return false;
  packet_.set_range(used, local);
  packet_dirty_ = true;
  for (std::uint32_t d = 0; d < 3; ++d) put_hidden(static_cast<HiddenKind>(d), used.offset[d]);
  return true;
}

bool Cl2LaunchImage::Impl::set_environment(const Cl2Environment& value, Diagnostics& diagnostics) {
  if (environment_state_ == ValueState::Set && value == environment_) return true;
  environment_state_ = ValueState::Refused;
  const std::array addresses{GivenAddress{"memory", value.memory, memory_.size(), memory_align_},
                             GivenAddress{"printf_buffer", value.printf_buffer, 0, 4},
                             GivenAddress{"default_queue", value.default_queue, 0, 1},
                             GivenAddress{"aql_wrap", value.aql_wrap, 0, 1},
                             GivenAddress{"kernel_object", value.kernel_object, 0, kKernelObjectAlign},
                             GivenAddress{"completion_signal", value.completion_signal, 0, 1},
                             GivenAddress{"queue", value.queue, 0, 4},
                             GivenAddress{"scratch", value.scratch, value.scratch_bytes, 1},
                             GivenAddress{"scratch_offset", value.scratch_offset, 0, 256}};
  if (!check_addresses(addresses, space(), diagnostics)) return false;
  references_dirty_ |= value.memory != environment_.memory;
  environment_ = value;
  environment_state_ = ValueState::Set;
  put_hidden(HiddenKind::PrintfBuffer, value.printf_buffer);
  put_hidden(HiddenKind::DefaultQueue, value.default_queue);
  put_hidden(HiddenKind::CompletionAction, value.aql_wrap);
  packet_.set_addresses(value);
  packet_dirty_ = true;
  if (queue_ != 0) {
    memory_.put(queue_ + kQueueApertures, 4, value.local_aperture);
    memory_.put(queue_ + kQueueApertures + 4, 4, value.scratch_aperture);
  }
  return true;
}

// --- building ------------------------------------------------------------------------------------------------

bool Cl2LaunchImage::Impl::place_local(Diagnostics& diagnostics) {
  const bool good = place_local_pointers(
      kernel_.segments.local_bytes(), options_.max_local_bytes,
      [&](std::uint32_t, const Slot& slot, std::uint64_t offset) {
        memory_.put(slot.offset, std::min(slot.size, 8u), offset);
      },
      diagnostics);
  packet_.group_bytes = local_bytes_;
  packet_dirty_ = true;
  return good;
}

void Cl2LaunchImage::Impl::point_to_objects() {
  for (const Slot& slot : slots_)
    if (slot.object != 0 && !slot.external)
      memory_.put(slot.offset, std::min(slot.size, 8u), environment_.memory + slot.object);
  references_dirty_ = false;
}

// What the kernel is known to use and the environment does not have. Said once.
void Cl2LaunchImage::Impl::report_missing(Diagnostics& diagnostics) {
  if (std::exchange(warned_, true)) return;
  const auto missing = [&](std::string_view why, std::string_view what) {
    report(Code::LaunchEnvironmentMissing, fmt::format("kernel '{}' {}, but there is no {}", kernel_.name, why, what),
           "environment", diagnostics);
  };
  if (kernel_.uses_printf && environment_.printf_buffer == 0) report_no_printf(diagnostics);
  if (kernel_.device_enqueue && environment_.default_queue == 0) missing("enqueues kernels", "default queue");
  if (kernel_.device_enqueue && environment_.aql_wrap == 0) missing("enqueues kernels", "AQL wrap");
  if (kernel_.segments.private_bytes() != 0 && environment_.scratch == 0) missing("uses scratch memory", "scratch");
  if (queue_ != 0 && environment_.queue == 0 && environment_.local_aperture == 0 && environment_.scratch_aperture == 0)
    missing("uses generic addresses", "queue and no apertures");
}

bool Cl2LaunchImage::Impl::build(Diagnostics& diagnostics) {
  memory_.begin_build();
  if (unset_ != 0 || range_state_ != ValueState::Set || environment_state_ != ValueState::Set)
    return report_incomplete(diagnostics);
  if (local_dirty_ && !place_local(diagnostics)) return false;
  if (references_dirty_) point_to_objects();
  if (std::exchange(packet_dirty_, false)) memory_.put(block_bytes_, packet_);
  report_missing(diagnostics);
  memory_.end_build();
  built_ = true;
  return true;
}

std::vector<UserRegisterValue> Cl2LaunchImage::Impl::user_registers() const {
  if (setup_of(kernel_) == nullptr) return {};
  const KernelCode& setup = *setup_of(kernel_);
  // Rounded up to a dword by the command processor. [S2 «Initial Kernel Register State»]
  const auto scratch = static_cast<std::uint32_t>(align_up(kernel_.segments.private_bytes(), 4));
  const auto give = [&](std::uint32_t mask, UserRegisterValue& value) {
    switch (mask) {
      case kSgprPrivateBuffer:
        if (environment_.scratch != 0)
          value.words = scratch_descriptor(environment_.scratch, environment_.scratch_bytes, setup.features >> 1 & 3);
        value.evidence = Evidence::NotVerified;
        value.source = "S2 «Scratch memory swizzling»; CLRX AmdCl2Abi";
        break;
      case kSgprDispatchPtr: return give_address(value, environment_.memory + block_bytes_);
      case kSgprQueuePtr:
        return give_address(value, environment_.queue != 0 ? environment_.queue : environment_.memory + queue_);
      case kSgprKernargPtr: return give_address(value, environment_.memory);
      case kSgprFlatScratch:
        // GFX9: the address; before: offset and size, which the prolog moves to FLAT_SCRATCH. [S2 «Flat scratch»; S0]
        if (gfx9_) return give_address(value, environment_.scratch);
        value.words = {environment_.scratch_offset, scratch, 0, 0};
        break;
      case kSgprPrivateSize: value.words[0] = scratch; break;
      default: value.known = false; break;  // dispatch id: the queue counts; grid counts: no hardware fills them
    }
  };
  return user_register_values(setup.user_registers, "S2 «Initial Kernel Register State»", give);
}

// --- the public face -----------------------------------------------------------------------------------------

Cl2LaunchImage::Cl2LaunchImage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Cl2LaunchImage::Cl2LaunchImage(Cl2LaunchImage&&) noexcept = default;
Cl2LaunchImage& Cl2LaunchImage::operator=(Cl2LaunchImage&&) noexcept = default;
Cl2LaunchImage::~Cl2LaunchImage() = default;

bool Cl2LaunchImage::set_environment(const Cl2Environment& value, Diagnostics& diagnostics) {
  return impl_->set_environment(value, diagnostics);
}
bool Cl2LaunchImage::set_range(const Range& range, Diagnostics& diagnostics) {
  return impl_->set_range(range, diagnostics);
}
bool Cl2LaunchImage::set_bytes(std::size_t index, std::span<const std::byte> value, Diagnostics& diagnostics) {
  return impl_->set_bytes(index, value, diagnostics);
}
bool Cl2LaunchImage::set_address(std::size_t index, std::uint64_t address, std::uint64_t size,
                                 Diagnostics& diagnostics) {
  return impl_->set_address(index, address, size, diagnostics);
}
bool Cl2LaunchImage::set_null(std::size_t index, Diagnostics& diagnostics) {
  return impl_->set_null(index, diagnostics);
}
bool Cl2LaunchImage::set_local(std::size_t index, std::uint64_t bytes, Diagnostics& diagnostics) {
  return impl_->set_local(index, bytes, diagnostics);
}
bool Cl2LaunchImage::set_image(std::size_t index, const ImageValue& value, Diagnostics& diagnostics) {
  return impl_->set_image(index, value, diagnostics);
}
bool Cl2LaunchImage::set_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics) {
  return impl_->set_sampler(index, word, diagnostics);
}
bool Cl2LaunchImage::set_object(std::size_t index, std::span<const std::byte> bytes, Diagnostics& diagnostics) {
  return impl_->set_object(index, bytes, diagnostics);
}
std::optional<std::size_t> Cl2LaunchImage::find(std::string_view name) const { return impl_->find(name); }
bool Cl2LaunchImage::build(Diagnostics& diagnostics) { return impl_->build(diagnostics); }
std::vector<UserRegisterValue> Cl2LaunchImage::user_registers() const { return impl_->user_registers(); }
std::vector<MapEntry> Cl2LaunchImage::map() const { return impl_->map(); }
std::size_t Cl2LaunchImage::first_argument() const { return impl_->first_argument_; }
std::span<const std::byte> Cl2LaunchImage::memory() const { return impl_->memory_.bytes(); }
std::uint32_t Cl2LaunchImage::block_bytes() const { return impl_->block_bytes_; }
std::uint32_t Cl2LaunchImage::memory_align() const { return impl_->memory_align_; }
ChangedBytes Cl2LaunchImage::changed() const { return impl_->memory_.changed(); }
std::uint64_t Cl2LaunchImage::local_bytes() const { return impl_->local_bytes_; }
std::array<std::uint32_t, 3> Cl2LaunchImage::local_size() const { return impl_->local_size_; }
const Kernel& Cl2LaunchImage::kernel() const { return impl_->kernel_; }
const Cl2LaunchOptions& Cl2LaunchImage::options() const { return impl_->options_; }
const Cl2Environment& Cl2LaunchImage::environment() const { return impl_->environment_; }

std::uint32_t Cl2LaunchImage::packet_header() const { return first_dword(packet()); }

}  // namespace amdcompat::abi
