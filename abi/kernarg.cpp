// Fills the kernarg segment and the packet of a code object's kernel as today's runtimes do, and fills them again.
#include <amdcompat/kernarg_launch.hpp>

#include <fmt/format.h>

#include "kernarg_impl.hpp"

namespace amdcompat::abi {
namespace {

constexpr std::uint64_t kAllSpace = std::uint64_t{1} << 57;  // what a GPU's page tables reach today

}  // namespace

// --- argument values -----------------------------------------------------------------------------------------

bool KernargImage::Impl::set_bytes(std::size_t index, std::span<const std::byte> value, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "by-value argument", diagnostics, Form::Value, Form::Trailing);
  if (target == nullptr) return false;
  if (value.size() > target->size)
    return refuse(index, Code::LaunchWrongSize,
                  fmt::format("'{}' has {} bytes; expected at most {}", kernel_.arguments[index].name, value.size(),
                              target->size),
                  diagnostics);
  memory_.write(target->offset, value);
  const auto given = static_cast<std::uint32_t>(value.size());
  memory_.clear(target->offset + given, target->size - given);
  target->external = true;
  return accept(*target);
}

bool KernargImage::Impl::set_address(std::size_t index, std::uint64_t address, std::uint64_t size,
                                     Diagnostics& diagnostics) {
  Slot* const target = slot(index, "address", diagnostics, Form::Address, Form::Image, Form::Sampler, Form::Trailing);
  if (target == nullptr) return false;
  if (!fits(address, size, target->align, kAllSpace))
    return refuse_address(index, address, size, kAllSpace, diagnostics);
  trailing_dirty_ |= target->address != address;
  target->address = address;
  target->external = true;
  memory_.put(target->offset, target->size, address);
  return accept(*target);
}

bool KernargImage::Impl::set_null(std::size_t index, Diagnostics& diagnostics) {
  if (slot(index, "NULL pointer", diagnostics, Form::Address, Form::Image, Form::Sampler, Form::Trailing) == nullptr)
    return false;
  return set_address(index, 0, 0, diagnostics);
}

bool KernargImage::Impl::place_object(Slot& slot, std::span<const std::byte> bytes) {
  whole_dirty_ |= slot.state != ValueState::Set || slot.external;
  slot.external = false;
  memory_.write(slot.object, bytes);
  return accept(slot);
}

bool KernargImage::Impl::set_image(std::size_t index, const ImageValue& value, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "image", diagnostics, Form::Image);
  if (target == nullptr) return false;
  const auto object = object_of(*this, index, value, image_form_, diagnostics);
  return object && place_object(*target, *object);
}

bool KernargImage::Impl::set_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "sampler", diagnostics, Form::Sampler);
  if (target == nullptr) return false;
  if (!check_sampler(index, word, diagnostics)) return false;
  if (!image_form_) return refuse_descriptor(*this, index, kOtherDescriptors, diagnostics);
  return place_object(*target, sampler_object(word));
}

bool KernargImage::Impl::set_object(std::size_t index, std::span<const std::byte> bytes, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "image or sampler object", diagnostics, Form::Image, Form::Sampler);
  if (target == nullptr) return false;
  if (!check_object(*this, index, bytes, target->form == Form::Image, diagnostics)) return false;
  return place_object(*target, bytes);
}

void KernargImage::Impl::point_to_objects() {
  for (const Slot& slot : slots_)
    if (slot.object != 0 && !slot.external) memory_.put(slot.offset, slot.size, environment_.memory + slot.object);
}

// --- launch-wide values --------------------------------------------------------------------------------------

bool KernargImage::Impl::set_range(const Range& range, Diagnostics& diagnostics) {
  if (range_state_ == ValueState::Set && range == given_) return true;
  // Code of CL1 has work-item ids of 32 bits.
  const std::uint64_t end = has_trailing_ ? kSpace32 : std::numeric_limits<std::uint64_t>::max();
  Range used;
  std::array<std::uint32_t, 3> local{};
  if (!resolve_whole_range(range, end, used, local, diagnostics)) return false;
  used_ = used;
  used_.local = local;
  packet_.set_range(used, local);
  whole_dirty_ = true;
  return true;
}

bool KernargImage::Impl::set_environment(const KernargEnvironment& value, Diagnostics& diagnostics) {
  if (environment_state_ == ValueState::Set && value == environment_) return true;
  environment_state_ = ValueState::Refused;
  const std::array addresses{GivenAddress{"memory", value.memory, segment_bytes_, memory_align_},
                             GivenAddress{"kernel_object", value.kernel_object, 0, kKernelObjectAlign},
                             GivenAddress{"completion_signal", value.completion_signal, 0, 1},
                             GivenAddress{"queue", value.queue, 0, 4},
                             GivenAddress{"printf_buffer", value.printf_buffer, 0, 4},
                             GivenAddress{"hostcall_buffer", value.hostcall_buffer, 0, 1},
                             GivenAddress{"default_queue", value.default_queue, 0, 1},
                             GivenAddress{"completion_action", value.completion_action, 0, 1},
                             GivenAddress{"multigrid_sync", value.multigrid_sync, 0, 1},
                             GivenAddress{"heap", value.heap, 0, 1}};
  if (!check_addresses(addresses, kAllSpace, diagnostics)) return false;
  environment_ = value;
  environment_state_ = ValueState::Set;
  packet_.set_addresses(value);
  whole_dirty_ = true;
  return true;
}

bool KernargImage::Impl::set_printf(const std::optional<PrintfBuffer>& value, Diagnostics& diagnostics) {
  const PrintfBuffer buffer = value.value_or(PrintfBuffer{});
  const std::array addresses{GivenAddress{"printf", buffer.address, buffer.size, 4}};
  if (!check_addresses(addresses, kAllSpace, diagnostics)) return false;
  whole_dirty_ |= value != printf_;
  printf_ = value;
  return true;
}

bool KernargImage::Impl::set_data_segment(const std::optional<Buffer>& value, Diagnostics& diagnostics) {
  const Buffer buffer = value.value_or(Buffer{});
  const std::array addresses{GivenAddress{"data_segment", buffer.address, buffer.size, 16}};
  if (!check_addresses(addresses, kAllSpace, diagnostics)) return false;
  whole_dirty_ |= value != data_;
  data_ = value;
  return true;
}

bool KernargImage::Impl::set_constant_data(std::uint32_t number, const Buffer& value, Diagnostics& diagnostics) {
  const std::string what = fmt::format("data segment {}", number);
  if (number >= constants_.size()) {
    report(Code::LaunchNoSuchArgument, fmt::format("there is no data segment for constant buffer {}", number),
           "constant_data", diagnostics);
    return false;
  }
  if (!fits(value.address, value.size, 16, kAllSpace)) {
    report_address(what, "constant_data", value.address, value.size, 16, kAllSpace, diagnostics);
    return false;
  }
  whole_dirty_ |= constants_[number] != value.address;
  constants_[number] = value.address;
  return true;
}

// --- building ------------------------------------------------------------------------------------------------

std::uint64_t KernargImage::Impl::printf_address() const {
  return environment_.printf_buffer != 0 || !printf_ ? environment_.printf_buffer : printf_->address;
}

// As LLVM documents and ROCclr fills them. Counts of work-groups leave a partial group out, the remainder is its size.
// [LU «Code Object Metadata»; RC]
std::uint64_t KernargImage::Impl::hidden_value(HiddenKind kind) const {
  const auto& local = local_size_;
  const auto& global = used_.global;
  switch (kind) {
    case HiddenKind::GlobalOffsetX: return used_.offset[0];
    case HiddenKind::GlobalOffsetY: return used_.offset[1];
    case HiddenKind::GlobalOffsetZ: return used_.offset[2];
    case HiddenKind::PrintfBuffer: return printf_address();
    case HiddenKind::DefaultQueue: return environment_.default_queue;
    case HiddenKind::CompletionAction: return environment_.completion_action;
    case HiddenKind::None: return 0;
    case HiddenKind::HostcallBuffer: return environment_.hostcall_buffer;
    case HiddenKind::MultigridSyncArg: return environment_.multigrid_sync;
    case HiddenKind::BlockCountX: return global[0] / local[0];
    case HiddenKind::BlockCountY: return global[1] / local[1];
    case HiddenKind::BlockCountZ: return global[2] / local[2];
    case HiddenKind::GroupSizeX: return local[0];
    case HiddenKind::GroupSizeY: return local[1];
    case HiddenKind::GroupSizeZ: return local[2];
    case HiddenKind::RemainderX: return global[0] % local[0];
    case HiddenKind::RemainderY: return global[1] % local[1];
    case HiddenKind::RemainderZ: return global[2] % local[2];
    case HiddenKind::GridDims: return used_.dimensions;
    case HiddenKind::HeapV1: return environment_.heap;
    case HiddenKind::DynamicLdsSize: return local_bytes_ - kernel_.segments.local_bytes();
    case HiddenKind::PrivateBase: return environment_.scratch_aperture;
    case HiddenKind::SharedBase: return environment_.local_aperture;
    case HiddenKind::QueuePtr: return environment_.queue;
  }
  return 0;
}

void KernargImage::Impl::write_hidden() {
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (const auto* hidden = std::get_if<Hidden>(&kernel_.arguments[i].kind);
        hidden != nullptr && hidden->what != HiddenKind::None)
      memory_.put(slots_[i].offset, slots_[i].size, hidden_value(hidden->what));
}

bool KernargImage::Impl::place_local(Diagnostics& diagnostics) {
  const bool good = place_local_pointers(
      kernel_.segments.local_bytes(), max_local_bytes_,
      [&](std::uint32_t, const Slot& slot, std::uint64_t offset) { memory_.put(slot.offset, slot.size, offset); },
      diagnostics);
  packet_.group_bytes = local_bytes_;
  whole_dirty_ = true;
  return good;
}

bool KernargImage::Impl::write_cb0(const Slot& slot, Diagnostics& diagnostics) {
  Diagnostics found;
  const auto base = [&](std::uint64_t address) { return in_place_base(address, old_bits_); };
  bool good = cb0_->set_range(used_, found);
  std::optional<Buffer> data;
  if (data_) data = Buffer{data_->address, base(data_->address), 0};
  std::optional<PrintfBuffer> printf;
  if (const std::uint64_t address = printf_address(); address != 0)
    printf = PrintfBuffer{address, base(address), printf_ ? printf_->dwords_per_item : 0, 0};
  good = good && cb0_->set_data_segment(data, found) && cb0_->set_printf(printf, found) && cb0_->build(found);
  if (good) memory_.write(slot.offset, cb0_->cb0());
  for (const Diagnostic& finding : found.all())
    if (finding.severity == Severity::Error) diagnostics.add(finding);
  return good;
}

// Which entry is whose the metadata does not say, so one upper half has to do for all.
bool KernargImage::Impl::write_uavs(std::size_t index, Diagnostics& diagnostics) {
  std::optional<std::uint64_t> base;
  bool one = true;
  const auto add = [&](std::uint64_t address) {
    if (address == 0) return;
    const std::uint64_t own = in_place_base(address, AddressBits::Bits32);
    one &= base.value_or(own) == own;
    base = own;
  };
  for (const Slot& slot : slots_)
    if (slot.form == Form::Address) add(slot.address);
  if (data_) add(data_->address);
  add(printf_address());
  const std::string& name = kernel_.arguments[index].name;
  if (!one) {
    report_argument(index, Code::InPlaceKernarg,
                    fmt::format("buffers in different ranges of 4 GiB: '{}' must be given", name), diagnostics);
    return false;
  }
  const auto words = uav_entry(base.value_or(0));
  const Slot& slot = slots_[index];
  for (std::uint32_t at = 0; at + kUavEntryBytes <= slot.size; at += kUavEntryBytes)
    for (std::uint32_t n = 0; n < words.size(); ++n) memory_.put(slot.offset + at + 4 * n, 4, words[n]);
  return true;
}

bool KernargImage::Impl::write_trailing(Diagnostics& diagnostics) {
  bool good = true;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.form != Form::Trailing || slot.external) continue;
    switch (slot.trailing.kind) {
      case TrailingKind::ConstantBuffer0: good &= write_cb0(slot, diagnostics); break;
      case TrailingKind::UavTable: good &= write_uavs(i, diagnostics); break;
      case TrailingKind::Data: memory_.put(slot.offset, slot.size, data_ ? data_->address : 0); break;
      case TrailingKind::Printf: memory_.put(slot.offset, slot.size, printf_address()); break;
      case TrailingKind::Constants:
        memory_.put(slot.offset, slot.size,
                    slot.trailing.number < constants_.size() ? constants_[slot.trailing.number] : 0);
        break;
    }
  }
  return good;
}

// What the kernel is known to use and nothing gives. Said once.
void KernargImage::Impl::report_missing(Diagnostics& diagnostics) {
  if (std::exchange(warned_, true)) return;
  const auto absent = [&](TrailingKind kind) {
    return std::ranges::any_of(slots_, [&](const Slot& slot) {
      return slot.form == Form::Trailing && slot.trailing.kind == kind && !slot.external;
    });
  };
  if ((kernel_.uses_printf || absent(TrailingKind::Printf)) && printf_address() == 0) report_no_printf(diagnostics);
  if (absent(TrailingKind::Data) && !data_)
    report(Code::LaunchDataMissing,
           fmt::format("kernel '{}' needs its data segment, but no address was given", kernel_.name), {}, diagnostics);
}

bool KernargImage::Impl::build(Diagnostics& diagnostics) {
  memory_.begin_build();
  if (unset_ != 0 || range_state_ != ValueState::Set || environment_state_ != ValueState::Set)
    return report_incomplete(diagnostics);
  if (local_dirty_ && !place_local(diagnostics)) return false;
  if ((whole_dirty_ || trailing_dirty_) && has_trailing_ && !write_trailing(diagnostics)) return false;
  trailing_dirty_ = false;
  if (std::exchange(whole_dirty_, false)) {
    write_hidden();
    point_to_objects();
    memory_.put(block_bytes_, packet_);
  }
  report_missing(diagnostics);
  memory_.end_build();
  built_ = true;
  return true;
}

// --- the public face -----------------------------------------------------------------------------------------

KernargImage::KernargImage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KernargImage::KernargImage(KernargImage&&) noexcept = default;
KernargImage& KernargImage::operator=(KernargImage&&) noexcept = default;
KernargImage::~KernargImage() = default;

bool KernargImage::set_environment(const KernargEnvironment& value, Diagnostics& diagnostics) {
  return impl_->set_environment(value, diagnostics);
}
bool KernargImage::set_range(const Range& range, Diagnostics& diagnostics) {
  return impl_->set_range(range, diagnostics);
}
bool KernargImage::set_bytes(std::size_t index, std::span<const std::byte> value, Diagnostics& diagnostics) {
  return impl_->set_bytes(index, value, diagnostics);
}
bool KernargImage::set_address(std::size_t index, std::uint64_t address, std::uint64_t size, Diagnostics& diagnostics) {
  return impl_->set_address(index, address, size, diagnostics);
}
bool KernargImage::set_null(std::size_t index, Diagnostics& diagnostics) { return impl_->set_null(index, diagnostics); }
bool KernargImage::set_image(std::size_t index, const ImageValue& value, Diagnostics& diagnostics) {
  return impl_->set_image(index, value, diagnostics);
}
bool KernargImage::set_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics) {
  return impl_->set_sampler(index, word, diagnostics);
}
bool KernargImage::set_object(std::size_t index, std::span<const std::byte> bytes, Diagnostics& diagnostics) {
  return impl_->set_object(index, bytes, diagnostics);
}
bool KernargImage::set_local(std::size_t index, std::uint64_t bytes, Diagnostics& diagnostics) {
  return impl_->set_local(index, bytes, diagnostics);
}
bool KernargImage::set_printf(const std::optional<PrintfBuffer>& value, Diagnostics& diagnostics) {
  return impl_->set_printf(value, diagnostics);
}
bool KernargImage::set_data_segment(const std::optional<Buffer>& value, Diagnostics& diagnostics) {
  return impl_->set_data_segment(value, diagnostics);
}
bool KernargImage::set_constant_data(std::uint32_t number, const Buffer& value, Diagnostics& diagnostics) {
  return impl_->set_constant_data(number, value, diagnostics);
}
std::span<const std::size_t> KernargImage::host_arguments() const { return impl_->host_; }
std::size_t KernargImage::required() const { return impl_->required_; }
std::optional<std::size_t> KernargImage::find(std::string_view name) const { return impl_->find(name); }
bool KernargImage::build(Diagnostics& diagnostics) { return impl_->build(diagnostics); }
std::span<const std::byte> KernargImage::memory() const { return impl_->memory_.bytes(); }
std::span<const std::byte> KernargImage::segment() const { return memory().first(impl_->segment_bytes_); }
std::uint32_t KernargImage::packet_header() const { return first_dword(packet()); }
std::uint32_t KernargImage::block_bytes() const { return impl_->block_bytes_; }
std::vector<UserRegisterValue> KernargImage::user_registers() const {
  const KernargEnvironment& environment = impl_->environment_;
  const auto give = [&](std::uint32_t mask, UserRegisterValue& value) {
    switch (mask) {
      case kSgprDispatchPtr: return give_address(value, environment.memory + impl_->block_bytes_);
      case kSgprKernargPtr: return give_address(value, environment.memory);
      case kSgprQueuePtr:
        give_address(value, environment.queue);
        value.known = environment.queue != 0;
        break;
      // Rounded up to a dword by the command processor.
      case kSgprPrivateSize:
        value.words[0] = static_cast<std::uint32_t>(align_up(impl_->kernel_.segments.private_bytes(), 4));
        break;
      default: value.known = false; break;
    }
  };
  return user_register_values(entry_user_registers(impl_->kernel_.entry),
                              "S1 «Initial Kernel Execution State»; S2 «Initial Kernel Register State»", give);
}
std::uint32_t KernargImage::memory_align() const { return impl_->memory_align_; }
ChangedBytes KernargImage::changed() const { return impl_->memory_.changed(); }
std::uint64_t KernargImage::local_bytes() const { return impl_->local_bytes_; }
std::array<std::uint32_t, 3> KernargImage::local_size() const { return impl_->local_size_; }
std::vector<MapEntry> KernargImage::map() const { return impl_->map(); }
const Kernel& KernargImage::kernel() const { return impl_->kernel_; }
const KernargOptions& KernargImage::options() const { return impl_->options_; }
const KernargEnvironment& KernargImage::environment() const { return impl_->environment_; }

}  // namespace amdcompat::abi
