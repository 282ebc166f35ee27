// The argument block of a CL2 kernel: where its code reads each argument.
//
// The offsets in the metadata are virtual ones (16-byte slots as in CL1). The block itself is packed: each argument
// follows the one before at the alignment of its element, without regard to the size of a vector; a struct stands there
// as the address of a copy. Hidden arguments are ordinary words at the front.
// [RT gpukernel.cpp loadArguments; RT2 InitParameters; CLRX calculateKernelArgSize; fits every kernel of BIN]
#include <amdcompat/cl2.hpp>

#include "bytes.hpp"

namespace amdcompat::cl2 {
namespace {

struct Slot {
  std::uint64_t word;  // bytes of an address

  std::optional<ArgumentBlockSlot> address(bool by_reference = false) const {
    return ArgumentBlockSlot{0, word, static_cast<std::uint32_t>(word), by_reference, {}};
  }
  std::optional<ArgumentBlockSlot> operator()(std::monostate) const { return std::nullopt; }
  std::optional<ArgumentBlockSlot> operator()(const ValueWords& value) const {
    const auto type = find_scalar(value.data);
    if (!type) return std::nullopt;
    std::uint32_t element = scalar_size(*type);
    switch (*type) {
      case ScalarType::Struct:
      case ScalarType::Union: return address(true);
      // AMD's runtime stores a float for each half. No real kernel has one. [RT initArgList]
      case ScalarType::Half:
      // A Boolean is a 32-bit lane as in CL1; no compiler of the family has such an argument.
      case ScalarType::I1: element = 4; break;
      default: break;
    }
    if (element == 0) return std::nullopt;
    return ArgumentBlockSlot{0, std::uint64_t{element} * value.elements, element, false, {}};
  }
  std::optional<ArgumentBlockSlot> operator()(const PointerWords&) const { return address(); }
  // Handles have 8 bytes whatever the address width: the code of 32-bit containers loads two registers for an image,
  // at multiples of 8. The size of the block does not show it, as both rules round up to the same. [RT; BIN]
  static std::optional<ArgumentBlockSlot> handle() { return ArgumentBlockSlot{0, 8, 8, false, {}}; }
  std::optional<ArgumentBlockSlot> operator()(const ImageWords&) const { return handle(); }
  std::optional<ArgumentBlockSlot> operator()(const SamplerWords&) const { return handle(); }
  std::optional<ArgumentBlockSlot> operator()(const CounterWords&) const { return address(); }
  std::optional<ArgumentBlockSlot> operator()(const SemaphoreWords&) const { return address(); }
  std::optional<ArgumentBlockSlot> operator()(const QueueWords&) const { return address(); }
};

constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t align) {
  return (value + align - 1) / align * align;
}

}  // namespace

std::optional<ArgumentLayout> layout_arguments(const Metadata& metadata, CodeStorage storage) {
  ArgumentLayout layout;
  layout.slots.reserve(metadata.arguments.size());
  const Slot slot_of{metadata.bits == AddressBits::Bits64 ? 8u : 4u};
  for (const ArgumentRecord& record : metadata.arguments) {
    // 2^32 elements of 8 bytes each: a sum over any number of records that fit a file stays below 2^64.
    std::optional<ArgumentBlockSlot> slot = std::visit(slot_of, decode(record));
    if (!slot) return std::nullopt;
    slot->offset = align_up(layout.bytes, slot->align);
    layout.bytes = slot->offset + slot->size;
    layout.slots.push_back(*slot);
  }
  if (storage == CodeStorage::Nested) layout.bytes = align_up(layout.bytes, 16);
  return layout;
}

}  // namespace amdcompat::cl2
