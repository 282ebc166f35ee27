// What the launch images of all three kinds share: which arguments have a value, and what is said about a value that an
// argument cannot have. The messages stand here once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <amdcompat/launch_image.hpp>

#include "range.hpp"

namespace amdcompat::abi {

inline constexpr std::uint64_t kSpace32 = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kSpace64 = std::uint64_t{1} << 48;  // of a V#, a T# and GCN's page tables

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

// Little-endian; bytes from the ninth on are 0.
inline void store(std::byte* at, std::uint64_t value, std::uint32_t size) {
  for (std::uint32_t i = 0; i < size; ++i) at[i] = i < 8 ? static_cast<std::byte>(value >> (8 * i)) : std::byte{0};
}

inline void widen(ChangedBytes& changed, std::uint32_t begin, std::uint32_t end) {
  if (begin == end) return;
  if (changed.begin == changed.end)
    changed = {begin, end};
  else
    changed = {std::min(changed.begin, begin), std::max(changed.end, end)};
}

inline std::string argument_path(std::size_t index) { return fmt::format("arguments[{}]", index); }

enum class ValueState : std::uint8_t { Unset, Set, Refused };

// Members that the slots of every image have.
struct CoreSlot {
  ValueState state = ValueState::Unset;
  std::uint32_t align = 1;  // of addresses, a power of two
  std::uint64_t local_bytes = 0;  // of a pointer to local memory
};

// An address of the environment: of `size` bytes, a multiple of `align`.
struct GivenAddress {
  std::string_view name;
  std::uint64_t address;
  std::uint64_t size;
  std::uint32_t align;
};

// `Slot` derives from CoreSlot and has `form` and `wants_value()`; `rule(argument)` names what an argument is.
template <class Slot>
class ImageCore {
 public:
  using Form = decltype(Slot::form);
  using Rule = const ArgumentRule* (*)(const Argument&);

  ImageCore(const Kernel& kernel, Rule rule) : kernel_(kernel), rule_(rule) {}

  // Call when all slots are there.
  void count_slots() {
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].wants_value() && slots_[i].state != ValueState::Set) ++unset_;
      if (slots_[i].form == Form::LocalPointer) local_slots_.push_back(i);
    }
  }

  // --- findings: every one says whose it is ---

  void report(Code code, std::string message, std::string path, Diagnostics& diagnostics) const {
    const DiagnosticScope scope(diagnostics, {.kernel = kernel_.name});
    diagnostics.report(code, kernel_.where, std::move(message), std::move(path));
  }
  void report_argument(std::size_t index, Code code, std::string message, Diagnostics& diagnostics) const {
    const Argument& argument = kernel_.arguments[index];
    const DiagnosticScope scope(diagnostics, {.kernel = kernel_.name, .argument = argument.name});
    diagnostics.report(code, argument.where, std::move(message), argument_path(index));
  }

  // --- arguments ---

  bool accept(Slot& slot) {
    if (slot.state != ValueState::Set) --unset_;
    slot.state = ValueState::Set;
    return true;
  }
  bool reject(Slot& slot) {
    if (!slot.wants_value()) return false;  // it keeps what it has
    if (slot.state == ValueState::Set) ++unset_;
    slot.state = ValueState::Refused;
    return false;
  }
  bool refuse(std::size_t index, Code code, std::string message, Diagnostics& diagnostics) {
    report_argument(index, code, std::move(message), diagnostics);
    return reject(slots_[index]);
  }
  // The slot when it takes a value of one of these forms; null (reported) otherwise. `given` names what was given.
  template <class... Forms>
  Slot* slot(std::size_t index, const char* given, Diagnostics& diagnostics, Forms... forms) {
    if (index < slots_.size()) {
      Slot& found = slots_[index];
      const Form form = found.form;
      if (((form == forms) || ...)) return &found;
    }
    return no_slot(index, given, diagnostics);
  }
  [[gnu::noinline]] Slot* no_slot(std::size_t index, const char* given, Diagnostics& diagnostics) {
    if (index >= slots_.size()) {
      report(
          Code::LaunchNoSuchArgument,
          fmt::format("kernel '{}' has {} arguments; there is none with index {}", kernel_.name, slots_.size(), index),
          argument_path(index), diagnostics);
      return nullptr;
    }
    refuse(index, Code::LaunchWrongKind,
           fmt::format("'{}' is a {}, not a {}", kernel_.arguments[index].name, rule_(kernel_.arguments[index])->kind,
                       given),
           diagnostics);
    return nullptr;
  }
  bool refuse_size(std::size_t index, std::size_t given, std::size_t expected, Diagnostics& diagnostics) {
    return refuse(index, Code::LaunchWrongSize,
                  fmt::format("'{}' has {} bytes; expected {}", kernel_.arguments[index].name, given, expected),
                  diagnostics);
  }
  bool set_local(std::size_t index, std::uint64_t bytes, Diagnostics& diagnostics) {
    Slot* const target = slot(index, "size of local memory", diagnostics, Form::LocalPointer);
    if (target == nullptr) return false;
    if (bytes == 0)
      return refuse(index, Code::LaunchLocalSizeZero,
                    fmt::format("'{}' is local memory of no bytes", kernel_.arguments[index].name), diagnostics);
    local_dirty_ |= target->state != ValueState::Set || target->local_bytes != bytes;
    target->local_bytes = bytes;
    return accept(*target);
  }
  bool check_image(std::size_t index, const ImageValue& value, bool known_format, Diagnostics& diagnostics) {
    const std::string& name = kernel_.arguments[index].name;
    if (value.width == 0 || value.height == 0 || value.depth == 0)
      return refuse(index, Code::LaunchImageSize,
                    fmt::format("image '{}' is {} x {} x {}; every size is at least 1", name, value.width, value.height,
                                value.depth),
                    diagnostics);
    if (known_format) return true;
    return refuse(index, Code::LaunchImageFormat,
                  fmt::format("image '{}' has channel order {:#x} and type {:#x}, which OpenCL does not have", name,
                              value.channel_order, value.channel_type),
                  diagnostics);
  }
  bool check_sampler(std::size_t index, std::uint32_t word, Diagnostics& diagnostics) {
    const bool known =
        (word & ~0x3fu) == 0 && (word & 0x0e) <= 0x08 && ((word & 0x30) == 0x10 || (word & 0x30) == 0x20);
    if (known) return true;
    std::string message =
        fmt::format("the sampler word {:#x} of '{}' has undefined bits", word, kernel_.arguments[index].name);
    if (diagnostics.is_error(Code::LaunchSamplerWord))
      return refuse(index, Code::LaunchSamplerWord, std::move(message), diagnostics);
    report_argument(index, Code::LaunchSamplerWord, std::move(message), diagnostics);
    return true;
  }

  // `size` bytes from `address` on lie in the `space` bytes that the kernel's addresses reach.
  static bool fits(std::uint64_t address, std::uint64_t size, std::uint32_t align, std::uint64_t space) {
    return address < space && size <= space - address && (address & (align - 1)) == 0;
  }
  // What is wrong with an address that does not fit.
  void report_address(std::string_view what, std::string path, std::uint64_t address, std::uint64_t size,
                      std::uint32_t align, std::uint64_t space, Diagnostics& diagnostics) const {
    const bool unaligned = (address & (align - 1)) != 0;
    report(unaligned ? Code::LaunchAddressUnaligned : Code::LaunchAddressTooLarge,
           unaligned ? fmt::format("the address {:#x} of '{}' is no multiple of {}", address, what, align)
                     : fmt::format("'{}' with {} bytes from {:#x} on ends past the {} bits of this kernel's addresses",
                                   what, size, address, std::countr_zero(space)),
           std::move(path), diagnostics);
  }
  // False (reported) when one does not fit.
  bool check_addresses(std::span<const GivenAddress> rows, std::uint64_t space, Diagnostics& diagnostics) const {
    for (const GivenAddress& row : rows)
      if (!fits(row.address, row.size, row.align, space)) {
        report_address(row.name, std::string(row.name), row.address, row.size, row.align, space, diagnostics);
        return false;
      }
    return true;
  }
  // The same of an argument, which is refused.
  bool refuse_address(std::size_t index, std::uint64_t address, std::uint64_t size, std::uint64_t space,
                      Diagnostics& diagnostics) {
    const std::string& name = kernel_.arguments[index].name;
    const DiagnosticScope scope(diagnostics, {.argument = name});
    report_address(name, argument_path(index), address, size, slots_[index].align, space, diagnostics);
    return reject(slots_[index]);
  }

  // --- the launch as a whole ---

  void report_partial(const std::array<std::uint32_t, 3>& local, Diagnostics& diagnostics) const {
    report(Code::LaunchPartialGroup,
           fmt::format("the local size {} x {} x {} does not divide the global size", local[0], local[1], local[2]),
           "range", diagnostics);
  }
  // A range in one dispatch, for kernels that read an AQL packet. False when something was refused.
  bool resolve_whole_range(const Range& range, std::uint64_t end, Range& used, std::array<std::uint32_t, 3>& local,
                           Diagnostics& diagnostics) {
    range_state_ = ValueState::Refused;
    if (range.split) {
      report(
          Code::LaunchSplitUnsupported,
          fmt::format("a part of a range for kernel '{}', whose AQL packet always starts with group 0", kernel_.name),
          "range", diagnostics);
      return false;
    }
    if (!resolve_range(kernel_, {max_group_, group_fixed_, end}, range, used, local, diagnostics)) return false;
    bool partial = false;
    for (std::uint32_t d = 0; d < 3; ++d) partial |= used.global[d] % local[d] != 0;
    if (partial) report_partial(local, diagnostics);
    local_size_ = local;
    given_ = range;
    range_state_ = ValueState::Set;
    return true;
  }

  // LDS: `top` bytes of static memory first, then the pointers in argument order. Calls put(slot index, slot, offset).
  // [RT setArgument, loadArguments; SPEC Hardware Local Memory Usage]
  template <class Put>
  bool place_local_pointers(std::uint64_t top, std::uint64_t most, Put put, Diagnostics& diagnostics) {
    for (const std::uint32_t i : local_slots_) {
      if (top > most) break;
      Slot& slot = slots_[i];
      top = (top + slot.align - 1) & ~std::uint64_t{slot.align - 1};
      put(i, slot, top);
      top = slot.local_bytes > most ? kSpace32 : top + slot.local_bytes;
    }
    if (top > most) {
      report(
          Code::LaunchLocalMemory,
          fmt::format("static local memory and the arguments take more than the {} bytes a work-group may have", most),
          "arguments", diagnostics);
      return false;
    }
    local_bytes_ = top;
    local_dirty_ = false;
    return true;
  }

  // What keeps `build` from succeeding, as far as no setter said it.
  bool report_incomplete(Diagnostics& diagnostics) const {
    if (range_state_ == ValueState::Unset)
      report(Code::LaunchNotSet, fmt::format("no launch sizes were set for kernel '{}'", kernel_.name), "range",
             diagnostics);
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (slots_[i].state == ValueState::Unset && slots_[i].wants_value())
        report_argument(i, Code::LaunchArgumentMissing,
                        fmt::format("argument '{}' has no value", kernel_.arguments[i].name), diagnostics);
    return false;
  }
  void report_no_printf(Diagnostics& diagnostics) const {
    report(Code::LaunchPrintfMissing, fmt::format("kernel '{}' prints, but there is no printf buffer", kernel_.name),
           {}, diagnostics);
  }

  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
    const auto found = std::ranges::find(kernel_.arguments, name, &Argument::name);
    if (found == kernel_.arguments.end()) return std::nullopt;
    return static_cast<std::size_t>(found - kernel_.arguments.begin());
  }

  Kernel kernel_;
  Rule rule_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> local_slots_;  // pointers to local memory, in argument order
  std::size_t unset_ = 0;  // arguments that need a value and have none
  std::uint64_t max_group_ = 1;  // work-items
  bool group_fixed_ = false;  // by a required work-group size
  Range given_;  // as the caller gave it
  ValueState range_state_ = ValueState::Unset;
  std::array<std::uint32_t, 3> local_size_{1, 1, 1};
  std::uint64_t local_bytes_ = 0;
  bool local_dirty_ = true;
  bool warned_ = false;  // what is missing of the launch-wide values was said
  bool built_ = false;
};

// What fills the slots of an image: `refuse` says why there can be none.
template <class Impl>
class PlannerCore {
 public:
  PlannerCore(Impl& out, Diagnostics& diagnostics) : out_(out), kernel_(out.kernel_), diagnostics_(diagnostics) {}

  bool refuse(Code code, std::string message) const {
    out_.report(code, std::move(message), {}, diagnostics_);
    return false;
  }
  bool refuse(std::size_t index, Code code, std::string message) const {
    out_.report_argument(index, code, std::move(message), diagnostics_);
    return false;
  }
  bool refuse_incomplete() const {
    return refuse(Code::LaunchKernelIncomplete,
                  fmt::format("the metadata of kernel '{}' could not be read completely", kernel_.name));
  }

  Impl& out_;
  const Kernel& kernel_;
  Diagnostics& diagnostics_;
};

}  // namespace amdcompat::abi
