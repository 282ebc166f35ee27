// Fills the memory that a launched CL2 kernel reads, and fills it again.
//
// Unlike CL1's slots, the arguments of a CL2 block never share bytes, so a setter writes what it was given straight
// into `next_`, the memory of the next build, and widens the range of bytes that changed; `build` places what depends
// on all values (local memory, addresses of objects) and copies that range. A refused value leaves `next_` as it was.
#include <amdcompat/cl2_launch.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <amdcompat/device.hpp>

#include "range.hpp"

namespace amdcompat::abi {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;
constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kSpace32 = std::uint64_t{1} << 32;
constexpr std::uint64_t kSpace64 = std::uint64_t{1} << 48;  // of a V#, a T# and GCN's page tables
constexpr std::uint32_t kObjectAlign = 16;  // [RT HsaImageObjectAlignment, HsaSamplerObjectAlignment]
constexpr std::uint32_t kMostObjectAlign = 128;  // of a double16 in a struct
constexpr std::uint32_t kPacketAlign = 64;  // kernel objects and queues

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

void store(std::byte* at, std::uint64_t value, std::uint32_t size) {
  for (std::uint32_t i = 0; i < size; ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}

std::string argument_path(std::size_t index) { return fmt::format("arguments[{}]", index); }

std::optional<std::uint32_t> object_channel(std::span<const ObjectChannel> rows, std::uint32_t cl) {
  const auto found = std::ranges::find(rows, cl, &ObjectChannel::cl);
  return found == rows.end() ? std::nullopt : std::optional(found->value);
}

}  // namespace

// --- the plan ----------------------------------------------------------------------------------------------

class Cl2LaunchImage::Planner {
 public:
  Planner(Cl2LaunchImage& out) : out_(out), kernel_(out.kernel_) {}

  Result<void> run() {
    const ArgumentBlockLaunch* const facts = kernel_.argument_block();
    if (facts == nullptr)
      return refuse_kernel(Code::LaunchOtherGeneration,
                           fmt::format("kernel '{}' has no OpenCL 2.0 argument block", kernel_.name));
    if (!kernel_.complete)
      return refuse_kernel(Code::LaunchKernelIncomplete,
                           fmt::format("the metadata of kernel '{}' could not be read completely", kernel_.name));
    out_.hidden_.fill(kNone);
    // Compilers reserve what the arguments take; assemblers reserved more. [BIN]
    std::uint64_t block = facts->argument_bytes;
    if (facts->setup) block = std::max(block, facts->setup->kernarg_bytes);
    if (block > out_.options_.max_block_bytes)
      return refuse_kernel(Code::LaunchBlockBroken,
                           fmt::format("the argument block of kernel '{}' has {} bytes; the limit is {}", kernel_.name,
                                       block, out_.options_.max_block_bytes));
    out_.block_bytes_ = static_cast<std::uint32_t>(align_up(block, 16));
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < kernel_.arguments.size(); ++i)
      if (Result<void> added = add(i, end); !added) return added;
    out_.first_argument_ = std::min<std::size_t>(facts->hidden_arguments, kernel_.arguments.size());
    if (Result<void> placed = place_objects(); !placed) return placed;
    const RangeRules rules = range_rules(kernel_, 0);
    out_.max_group_ = rules.max_group;
    out_.group_fixed_ = rules.group_fixed;
    const Device* const device = find_device(kernel_.device);
    out_.gfx9_ = device != nullptr && device->isa == Isa::Gcn1_4;
    write_constants();
    return {};
  }

 private:
  std::unexpected<Diagnostic> refuse_kernel(Code code, std::string message) const {
    return std::unexpected(make_diagnostic(code, kernel_.where, std::move(message)));
  }
  std::unexpected<Diagnostic> refuse(std::size_t index, Code code, std::string message) const {
    return std::unexpected(
        make_diagnostic(code, kernel_.arguments[index].where, std::move(message), argument_path(index)));
  }

  struct FormOf {
    Form operator()(const ByValue& v) const {
      return v.type == ScalarType::Struct || v.type == ScalarType::Union ? Form::Struct : Form::Value;
    }
    Form operator()(const LocalPointer&) const { return Form::LocalPointer; }
    Form operator()(const amdcompat::Image&) const { return Form::Image; }
    Form operator()(const amdcompat::Sampler&) const { return Form::Sampler; }
    Form operator()(const Hidden&) const { return Form::Hidden; }
    template <class Other>
    Form operator()(const Other&) const {
      return Form::Address;
    }
  };
  struct AlignOf {
    std::uint32_t operator()(const Pipe& pipe) const { return usable_alignment(pipe.align); }
    std::uint32_t operator()(const amdcompat::Image&) const { return kObjectAlign; }
    std::uint32_t operator()(const amdcompat::Sampler&) const { return kObjectAlign; }
    template <class Other>
    std::uint32_t operator()(const Other& other) const {
      if constexpr (std::is_base_of_v<PointerInfo, Other>) return usable_alignment(other.align);
      return 1;
    }
  };

  Result<void> add(std::size_t index, std::uint64_t& end) {
    const Argument& argument = kernel_.arguments[index];
    const ArgumentBlockSlot* const found = argument.in_block();
    if (find_cl2_argument_rule(argument) == nullptr || found == nullptr || found->align == 0)
      return refuse(index, Code::LaunchArgumentUnsupported,
                    fmt::format("argument '{}' of kernel '{}' is of a kind that CL2 kernels cannot have", argument.name,
                                kernel_.name));
    const ArgumentBlockSlot& place = *found;
    if (place.offset < end || place.size > out_.block_bytes_ || place.offset > out_.block_bytes_ - place.size)
      return refuse(index, Code::LaunchBlockBroken,
                    fmt::format("argument '{}' has bytes {} to {} of an argument block of {} bytes, and the one before "
                                "ends at {}",
                                argument.name, place.offset, place.offset + place.size, out_.block_bytes_, end));
    end = place.offset + place.size;
    Slot& slot = out_.slots_.emplace_back();
    slot.form = std::visit(FormOf{}, argument.kind);
    slot.offset = static_cast<std::uint32_t>(place.offset);
    slot.size = static_cast<std::uint32_t>(place.size);
    slot.align = std::visit(AlignOf{}, argument.kind);
    // What a hidden argument of a compiler unknown here gets is 0, as from AMD's runtime. [RT2 HIDDEN_NONE]
    if (index < kernel_.argument_block()->hidden_arguments) slot.form = Form::Hidden;
    if (const auto* hidden = std::get_if<Hidden>(&argument.kind))
      out_.hidden_[static_cast<std::size_t>(hidden->what)] = static_cast<std::uint32_t>(index);
    if (slot.form != Form::Hidden) ++out_.unset_;
    if (const auto* value = std::get_if<ByValue>(&argument.kind)) {
      // A half takes four bytes and nobody knows which two count: the host gives all of them.
      const std::optional<std::uint32_t> bytes =
          value->type == ScalarType::Half ? std::optional(slot.size) : host_bytes(*value);
      if (!bytes || (slot.form == Form::Value && slot.size > *bytes))
        return refuse(index, Code::LaunchBlockBroken,
                      fmt::format("argument '{}' has {} bytes in the argument block, more than its type", argument.name,
                                  slot.size));
      slot.host = *bytes;
    }
    return {};
  }

  Result<void> place_objects() {
    std::uint64_t at = std::uint64_t{out_.block_bytes_} + kPacketBytes;
    std::uint32_t most = kObjectAlign;
    const auto place = [&](std::uint64_t bytes, std::uint32_t align) {
      at = align_up(at, align);
      most = std::max(most, align);
      return static_cast<std::uint32_t>(std::min(std::exchange(at, at + bytes), kMost32));
    };
    for (std::size_t i = 0; i < out_.slots_.size(); ++i) {
      Slot& slot = out_.slots_[i];
      if (slot.form == Form::Struct) {
        // The metadata does not give a struct's alignment, but that divides its size.
        const auto low = static_cast<std::uint32_t>(std::uint64_t{1} << std::countr_zero(slot.host));
        slot.object = place(slot.host, std::clamp(low, kObjectAlign, kMostObjectAlign));
      } else if (slot.form == Form::Image) {
        slot.object = place(kImageObjectBytes, kObjectAlign);
      } else if (slot.form == Form::Sampler) {
        slot.object = place(kSamplerObjectBytes, kObjectAlign);
      }
      if (at > out_.options_.max_memory_bytes)
        return refuse(i, Code::LaunchBlockBroken,
                      fmt::format("the arguments of kernel '{}' take more than {} bytes together", kernel_.name,
                                  out_.options_.max_memory_bytes));
    }
    const std::optional<KernelCode>& setup = kernel_.argument_block()->setup;
    const bool wants_queue = setup && (setup->user_registers & kSgprQueuePtr) != 0;
    if (wants_queue) out_.queue_ = place(kQueueBytes, kPacketAlign);
    out_.memory_.resize(align_up(at, 16));
    out_.next_ = out_.memory_;
    if (setup) {
      // A logarithm in theory; 2^8 is what AMD's runtime aligned its buffers to.
      const std::uint8_t align = setup->kernarg_align;
      if (align <= 8) most = std::max(most, 1u << align);
    }
    out_.memory_align_ = most;
    return {};
  }

  void write_constants() {
    out_.put(out_.block_bytes_, 2, out_.options_.packet_header);
    out_.put(out_.block_bytes_ + 24, 4, std::min(kernel_.segments.private_bytes(), kMost32));
  }

  Cl2LaunchImage& out_;
  const Kernel& kernel_;
};

Result<Cl2LaunchImage> Cl2LaunchImage::create(const Kernel& kernel, Diagnostics& /*diagnostics*/,
                                              const Cl2LaunchOptions& options) {
  Cl2LaunchImage image;
  image.kernel_ = kernel;
  image.options_ = options;
  if (Result<void> planned = Planner(image).run(); !planned) return std::unexpected(std::move(planned.error()));
  return image;
}

// --- writing -------------------------------------------------------------------------------------------------

void Cl2LaunchImage::write(std::uint32_t offset, std::span<const std::byte> bytes) {
  if (bytes.empty() || std::memcmp(next_.data() + offset, bytes.data(), bytes.size()) == 0) return;
  std::memcpy(next_.data() + offset, bytes.data(), bytes.size());
  const auto end = static_cast<std::uint32_t>(offset + bytes.size());
  if (dirty_.begin == dirty_.end)
    dirty_ = {offset, end};
  else
    dirty_ = {std::min(dirty_.begin, offset), std::max(dirty_.end, end)};
}

void Cl2LaunchImage::put(std::uint32_t offset, std::uint32_t size, std::uint64_t value) {
  std::array<std::byte, 8> bytes;
  store(bytes.data(), value, size);
  write(offset, std::span(bytes).first(size));
}

void Cl2LaunchImage::put_hidden(HiddenKind kind, std::uint64_t value) {
  const std::uint32_t index = hidden_[static_cast<std::size_t>(kind)];
  if (index != kNone) put(slots_[index].offset, std::min(slots_[index].size, 8u), value);
}

// --- checks --------------------------------------------------------------------------------------------------

std::optional<std::size_t> Cl2LaunchImage::find(std::string_view name) const {
  const auto found = std::ranges::find(kernel_.arguments, name, &Argument::name);
  if (found == kernel_.arguments.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kernel_.arguments.begin());
}

bool Cl2LaunchImage::accept(Slot& slot) {
  if (slot.state != State::Set) --unset_;
  slot.state = State::Set;
  return true;
}

bool Cl2LaunchImage::refuse(std::size_t index, Code code, std::string message, Diagnostics& diagnostics) {
  diagnostics.report(code, kernel_.arguments[index].where, std::move(message), argument_path(index));
  Slot& slot = slots_[index];
  if (slot.form == Form::Hidden) return false;  // needs no value, and keeps its own
  if (slot.state == State::Set) ++unset_;
  slot.state = State::Refused;
  return false;
}

// The slot when it takes a value of one of these forms; null (reported) otherwise.
Cl2LaunchImage::Slot* Cl2LaunchImage::slot(std::size_t index, std::string_view given, std::initializer_list<Form> forms,
                                           Diagnostics& diagnostics) {
  if (index >= slots_.size()) {
    diagnostics.report(
        Code::LaunchNoSuchArgument, kernel_.where,
        fmt::format("kernel '{}' has {} arguments; there is none with index {}", kernel_.name, slots_.size(), index),
        argument_path(index));
    return nullptr;
  }
  for (const Form form : forms)
    if (slots_[index].form == form) return &slots_[index];
  refuse(index, Code::LaunchWrongKind,
         fmt::format("'{}' is a {}, not a {}", kernel_.arguments[index].name,
                     find_cl2_argument_rule(kernel_.arguments[index])->kind, given),
         diagnostics);
  return nullptr;
}

// `size` bytes from `address` on, which the kernel's addresses must reach.
bool Cl2LaunchImage::fits(std::uint64_t address, std::uint64_t size, std::uint32_t align) const {
  const std::uint64_t space = kernel_.address_bits == AddressBits::Bits32 ? kSpace32 : kSpace64;
  return address < space && size <= space - address && (address & (align - 1)) == 0;
}

void Cl2LaunchImage::report_address(std::string_view what, std::string path, std::uint64_t address, std::uint64_t size,
                                    std::uint32_t align, Diagnostics& diagnostics) const {
  const bool unaligned = (address & (align - 1)) != 0;
  diagnostics.report(
      unaligned ? Code::LaunchAddressUnaligned : Code::LaunchAddressTooLarge, kernel_.where,
      unaligned ? fmt::format("the address {:#x} of '{}' is no multiple of {}", address, what, align)
                : fmt::format("'{}' with {} bytes from {:#x} on ends past the {} bits of this kernel's addresses", what,
                              size, address, kernel_.address_bits == AddressBits::Bits32 ? 32 : 48),
      std::move(path));
}

// --- argument values -----------------------------------------------------------------------------------------

// The bytes of what the block points to. The address follows in `build`.
bool Cl2LaunchImage::place_object(Slot& slot, std::span<const std::byte> bytes) {
  references_dirty_ |= slot.state != State::Set || slot.external;
  slot.external = false;
  write(slot.object, bytes);
  return accept(slot);
}

bool Cl2LaunchImage::set_bytes(std::size_t index, std::span<const std::byte> value, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "by-value argument", {Form::Value, Form::Struct}, diagnostics);
  if (target == nullptr) return false;
  if (value.size() != target->host)
    return refuse(
        index, Code::LaunchWrongSize,
        fmt::format("'{}' has {} bytes; expected {}", kernel_.arguments[index].name, value.size(), target->host),
        diagnostics);
  if (target->form == Form::Struct) return place_object(*target, value);
  write(target->offset, value.first(target->size));  // 15.7 drops the fourth element of three
  return accept(*target);
}

bool Cl2LaunchImage::set_address(std::size_t index, std::uint64_t address, std::uint64_t size,
                                 Diagnostics& diagnostics) {
  Slot* const target = slot(index, "address", {Form::Address, Form::Struct, Form::Image, Form::Sampler}, diagnostics);
  if (target == nullptr) return false;
  if (!fits(address, size, target->align)) {
    report_address(kernel_.arguments[index].name, argument_path(index), address, size, target->align, diagnostics);
    if (target->state == State::Set) ++unset_;
    target->state = State::Refused;
    return false;
  }
  target->external = true;
  put(target->offset, std::min(target->size, 8u), address);
  return accept(*target);
}

bool Cl2LaunchImage::set_null(std::size_t index, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "NULL pointer", {Form::Address}, diagnostics);
  if (target == nullptr) return false;
  put(target->offset, std::min(target->size, 8u), 0);
  return accept(*target);
}

bool Cl2LaunchImage::set_local(std::size_t index, std::uint64_t bytes, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "size of local memory", {Form::LocalPointer}, diagnostics);
  if (target == nullptr) return false;
  if (bytes == 0)
    return refuse(index, Code::LaunchLocalSizeZero,
                  fmt::format("'{}' is local memory of no bytes", kernel_.arguments[index].name), diagnostics);
  local_dirty_ |= target->state != State::Set || target->local_bytes != bytes;
  target->local_bytes = bytes;
  return accept(*target);
}

bool Cl2LaunchImage::set_image(std::size_t index, const ImageValue& value, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "image", {Form::Image}, diagnostics);
  if (target == nullptr) return false;
  const std::string& name = kernel_.arguments[index].name;
  if (value.width == 0 || value.height == 0 || value.depth == 0)
    return refuse(index, Code::LaunchImageSize,
                  fmt::format("image '{}' is {} x {} x {}; every size is at least 1", name, value.width, value.height,
                              value.depth),
                  diagnostics);
  const auto type = object_channel(object_channel_types(), value.channel_type);
  const auto order = object_channel(object_channel_orders(), value.channel_order);
  if (!type || !order)
    return refuse(index, Code::LaunchImageFormat,
                  fmt::format("image '{}' has channel order {:#x} and type {:#x}, which OpenCL does not have", name,
                              value.channel_order, value.channel_type),
                  diagnostics);
  const auto words = value.address == 0 || gfx9_
                         ? std::nullopt
                         : image_descriptor(value, std::get<amdcompat::Image>(kernel_.arguments[index].kind).dim);
  if (!words)
    return refuse(index, Code::LaunchObjectUnknown,
                  fmt::format("no descriptor can be made for image '{}' ({}); give its object's bytes or address", name,
                              value.address == 0 ? "it has no address"
                              : gfx9_            ? "GFX9 devices have other descriptors"
                                                 : "its kind, format, sizes or pitch have no form known here"),
                  diagnostics);
  std::array<std::byte, kImageObjectBytes> object{};
  for (std::uint32_t i = 0; i < words->size(); ++i) store(object.data() + 4 * i, (*words)[i], 4);
  store(object.data() + 32, *type, 4);
  store(object.data() + 36, *order, 4);
  return place_object(*target, object);
}

bool Cl2LaunchImage::set_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "sampler", {Form::Sampler}, diagnostics);
  if (target == nullptr) return false;
  const bool known = (word & ~0x3fu) == 0 && (word & 0x0e) <= 0x08 && ((word & 0x30) == 0x10 || (word & 0x30) == 0x20);
  if (!known) {
    std::string message =
        fmt::format("the sampler word {:#x} of '{}' has undefined bits", word, kernel_.arguments[index].name);
    if (diagnostics.is_error(Code::LaunchSamplerWord))
      return refuse(index, Code::LaunchSamplerWord, std::move(message), diagnostics);
    diagnostics.report(Code::LaunchSamplerWord, kernel_.arguments[index].where, std::move(message),
                       argument_path(index));
  }
  std::array<std::byte, kSamplerObjectBytes> object{};
  const auto words = sampler_descriptor(word);
  for (std::uint32_t i = 0; i < words.size(); ++i) store(object.data() + 4 * i, words[i], 4);
  return place_object(*target, object);
}

bool Cl2LaunchImage::set_object(std::size_t index, std::span<const std::byte> bytes, Diagnostics& diagnostics) {
  Slot* const target = slot(index, "image or sampler object", {Form::Image, Form::Sampler}, diagnostics);
  if (target == nullptr) return false;
  const std::uint32_t expected = target->form == Form::Image ? kImageObjectBytes : kSamplerObjectBytes;
  if (bytes.size() != expected)
    return refuse(index, Code::LaunchWrongSize,
                  fmt::format("the object of '{}' has {} bytes; expected {}", kernel_.arguments[index].name,
                              bytes.size(), expected),
                  diagnostics);
  return place_object(*target, bytes);
}

// --- launch-wide values --------------------------------------------------------------------------------------

bool Cl2LaunchImage::set_range(const Range& range, Diagnostics& diagnostics) {
  if (range_state_ == State::Set && range == given_) return true;
  range_state_ = State::Refused;
  if (range.split) {
    diagnostics.report(
        Code::LaunchSplitUnsupported, kernel_.where,
        fmt::format("a part of a range for kernel '{}', whose AQL packet always starts with group 0", kernel_.name),
        "range");
    return false;
  }
  const std::uint64_t end =
      kernel_.address_bits == AddressBits::Bits32 ? kSpace32 : std::numeric_limits<std::uint64_t>::max();
  Range used;
  std::array<std::uint32_t, 3> local{};
  if (!resolve_range(kernel_, {max_group_, group_fixed_, end}, range, used, local, diagnostics)) return false;
  bool partial = false;
  put(block_bytes_ + 2, 2, used.dimensions);
  for (std::uint32_t d = 0; d < 3; ++d) {
    put(block_bytes_ + 4 + 2 * d, 2, local[d]);
    put(block_bytes_ + 12 + 4 * d, 4, used.global[d]);
    put_hidden(static_cast<HiddenKind>(d), used.offset[d]);
    partial |= used.global[d] % local[d] != 0;
  }
  if (partial)
    diagnostics.report(
        Code::LaunchPartialGroup, kernel_.where,
        fmt::format("the local size {} x {} x {} does not divide the global size", local[0], local[1], local[2]),
        "range");
  local_size_ = local;
  given_ = range;
  range_state_ = State::Set;
  return true;
}

bool Cl2LaunchImage::set_environment(const Cl2Environment& value, Diagnostics& diagnostics) {
  if (environment_state_ == State::Set && value == environment_) return true;
  environment_state_ = State::Refused;
  struct Address {
    std::string_view name;
    std::uint64_t address;
    std::uint64_t size;
    std::uint32_t align;
  };
  const std::array addresses{Address{"memory", value.memory, memory_.size(), memory_align_},
                             Address{"printf_buffer", value.printf_buffer, 0, 4},
                             Address{"default_queue", value.default_queue, 0, 1},
                             Address{"aql_wrap", value.aql_wrap, 0, 1},
                             Address{"kernel_object", value.kernel_object, 0, kPacketAlign},
                             Address{"completion_signal", value.completion_signal, 0, 1},
                             Address{"queue", value.queue, 0, 4},
                             Address{"scratch", value.scratch, value.scratch_bytes, 1},
                             Address{"scratch_offset", value.scratch_offset, 0, 256}};
  for (const Address& row : addresses)
    if (!fits(row.address, row.size, row.align)) {
      report_address(row.name, std::string(row.name), row.address, row.size, row.align, diagnostics);
      return false;
    }
  references_dirty_ |= value.memory != environment_.memory;
  environment_ = value;
  environment_state_ = State::Set;
  put_hidden(HiddenKind::PrintfBuffer, value.printf_buffer);
  put_hidden(HiddenKind::DefaultQueue, value.default_queue);
  put_hidden(HiddenKind::CompletionAction, value.aql_wrap);
  put(block_bytes_ + 32, 8, value.kernel_object);
  put(block_bytes_ + 40, 8, value.memory);
  put(block_bytes_ + 56, 8, value.completion_signal);
  if (queue_ != 0) {
    put(queue_ + 64, 4, value.local_aperture);
    put(queue_ + 68, 4, value.scratch_aperture);
  }
  return true;
}

// --- building ------------------------------------------------------------------------------------------------

// LDS: static memory first, then the pointers in argument order. [RT loadArguments]
bool Cl2LaunchImage::place_local_pointers(Diagnostics& diagnostics) {
  std::uint64_t top = kernel_.segments.local_bytes();
  const auto over = [&](std::uint64_t bytes) { return bytes > options_.max_local_bytes; };
  for (const Slot& slot : slots_) {
    if (slot.form != Form::LocalPointer) continue;
    if (over(top)) break;
    top = align_up(top, slot.align);
    put(slot.offset, std::min(slot.size, 8u), top);
    top = over(slot.local_bytes) ? kSpace32 : top + slot.local_bytes;
  }
  if (over(top)) {
    diagnostics.report(
        Code::LaunchLocalMemory, kernel_.where,
        fmt::format("static local memory and the arguments take more than the {} bytes a work-group may have",
                    options_.max_local_bytes),
        "arguments");
    return false;
  }
  put(block_bytes_ + 28, 4, top);
  local_bytes_ = top;
  local_dirty_ = false;
  return true;
}

void Cl2LaunchImage::point_to_objects() {
  for (const Slot& slot : slots_)
    if (slot.object != 0 && !slot.external)
      put(slot.offset, std::min(slot.size, 8u), environment_.memory + slot.object);
  references_dirty_ = false;
}

bool Cl2LaunchImage::complete(Diagnostics& diagnostics) const {
  if (range_state_ == State::Unset)
    diagnostics.report(Code::LaunchNotSet, kernel_.where,
                       fmt::format("no launch sizes were set for kernel '{}'", kernel_.name), "range");
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].state == State::Unset && slots_[i].form != Form::Hidden)
      diagnostics.report(Code::LaunchArgumentMissing, kernel_.arguments[i].where,
                         fmt::format("argument '{}' has no value", kernel_.arguments[i].name), argument_path(i));
  return false;
}

// What the kernel is known to use and the environment does not have. Said once.
void Cl2LaunchImage::report_missing(Diagnostics& diagnostics) {
  if (std::exchange(warned_, true)) return;
  const auto missing = [&](std::string_view why, std::string_view what) {
    diagnostics.report(Code::LaunchEnvironmentMissing, kernel_.where,
                       fmt::format("kernel '{}' {}, but there is no {}", kernel_.name, why, what), "environment");
  };
  if (kernel_.uses_printf && environment_.printf_buffer == 0)
    diagnostics.report(Code::LaunchPrintfMissing, kernel_.where,
                       fmt::format("kernel '{}' prints, but there is no printf buffer", kernel_.name));
  if (kernel_.device_enqueue && environment_.default_queue == 0) missing("enqueues kernels", "default queue");
  if (kernel_.device_enqueue && environment_.aql_wrap == 0) missing("enqueues kernels", "AQL wrap");
  if (kernel_.segments.private_bytes() != 0 && environment_.scratch == 0) missing("uses scratch memory", "scratch");
  if (queue_ != 0 && environment_.queue == 0 && environment_.local_aperture == 0 && environment_.scratch_aperture == 0)
    missing("uses generic addresses", "queue and no apertures");
}

bool Cl2LaunchImage::build(Diagnostics& diagnostics) {
  changed_ = {};
  if (unset_ != 0 || range_state_ != State::Set || environment_state_ != State::Set) return complete(diagnostics);
  if (local_dirty_ && !place_local_pointers(diagnostics)) return false;
  if (references_dirty_) point_to_objects();
  report_missing(diagnostics);
  changed_ = std::exchange(dirty_, {});
  std::memcpy(memory_.data() + changed_.begin, next_.data() + changed_.begin, changed_.end - changed_.begin);
  built_ = true;
  return true;
}

std::uint32_t Cl2LaunchImage::packet_header() const {
  std::uint32_t word = 0;
  for (std::uint32_t i = 0; i < 4; ++i)
    word |= std::to_integer<std::uint32_t>(memory_[std::size_t{block_bytes_} + i]) << (8 * i);
  return word;
}

std::vector<UserRegisterValue> Cl2LaunchImage::user_registers() const {
  std::vector<UserRegisterValue> out;
  if (!kernel_.argument_block()->setup) return out;
  const KernelCode& setup = *kernel_.argument_block()->setup;
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  // Rounded up to a dword by the command processor. [S2 «Initial Kernel Register State»]
  const std::uint32_t scratch = low(align_up(kernel_.segments.private_bytes(), 4));
  std::uint32_t next = 0;
  for (const UserRegister& row : user_register_table()) {
    if ((setup.user_registers & row.mask) == 0) continue;
    UserRegisterValue& value = out.emplace_back();
    value.first = next;
    value.count = row.count;
    value.name = row.name;
    value.meaning = row.meaning;
    value.source = "S2 «Initial Kernel Register State»";
    next += row.count;
    const auto address = [&](std::uint64_t a) { value.words = {low(a), low(a >> 32), 0, 0}; };
    switch (row.mask) {
      case kSgprPrivateBuffer:
        if (environment_.scratch != 0)
          value.words = scratch_descriptor(environment_.scratch, environment_.scratch_bytes, setup.features >> 1 & 3);
        value.evidence = Evidence::NotVerified;
        value.source = "S2 «Scratch memory swizzling»; CLRX AmdCl2Abi";
        break;
      case kSgprDispatchPtr: address(environment_.memory + block_bytes_); break;
      case kSgprQueuePtr: address(environment_.queue != 0 ? environment_.queue : environment_.memory + queue_); break;
      case kSgprKernargPtr: address(environment_.memory); break;
      case kSgprFlatScratch:
        // GFX9: the address; before: offset and size, which the prolog moves to FLAT_SCRATCH. [S2 «Flat scratch»; S0]
        if (gfx9_)
          address(environment_.scratch);
        else
          value.words = {environment_.scratch_offset, scratch, 0, 0};
        break;
      case kSgprPrivateSize: value.words[0] = scratch; break;
      default: value.known = false; break;  // dispatch id: the queue counts; grid counts: no hardware fills them
    }
  }
  return out;
}

}  // namespace amdcompat::abi
