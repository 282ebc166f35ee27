// Memory that is built again and again: argument blocks and kernarg segments with the packet behind them. Setters write
// straight into the memory of the next build; a build copies the bytes that changed since the last one.
#pragma once

#include <cstring>

#include <amdcompat/cl2_launch.hpp>

#include "aql.hpp"
#include "image_core.hpp"

namespace amdcompat::abi {

class LaunchMemory {
 public:
  // Call once, before anything is written.
  void start(std::vector<std::byte> bytes) {
    next_ = bytes;
    built_ = std::move(bytes);
  }
  // As of the last build.
  [[nodiscard]] std::span<const std::byte> bytes() const { return built_; }
  [[nodiscard]] std::size_t size() const { return built_.size(); }
  [[nodiscard]] ChangedBytes changed() const { return changed_; }

  void write(std::uint32_t offset, std::span<const std::byte> bytes) {
    if (bytes.empty() || std::memcmp(next_.data() + offset, bytes.data(), bytes.size()) == 0) return;
    std::memcpy(next_.data() + offset, bytes.data(), bytes.size());
    widen(dirty_, offset, static_cast<std::uint32_t>(offset + bytes.size()));
  }
  void clear(std::uint32_t offset, std::uint32_t size) {
    const auto part = std::span(next_).subspan(offset, size);
    if (std::ranges::all_of(part, [](std::byte b) { return b == std::byte{}; })) return;
    std::ranges::fill(part, std::byte{});
    widen(dirty_, offset, offset + size);
  }
  // Little-endian; bytes from the ninth on are 0.
  void put(std::uint32_t offset, std::uint32_t size, std::uint64_t value) {
    std::array<std::byte, 8> bytes;
    store(bytes.data(), value, 8);
    write(offset, std::span(bytes).first(std::min(size, 8u)));
    if (size > 8) clear(offset + 8, size - 8);
  }
  void put(std::uint32_t offset, const Packet& packet) {
    write_packet(packet, next_.data() + offset,
                 [&](std::uint32_t begin, std::uint32_t end) { widen(dirty_, offset + begin, offset + end); });
  }

  void begin_build() { changed_ = {}; }
  void end_build() {
    changed_ = std::exchange(dirty_, {});
    std::memcpy(built_.data() + changed_.begin, next_.data() + changed_.begin, changed_.end - changed_.begin);
  }

 private:
  std::vector<std::byte> built_, next_;
  ChangedBytes changed_, dirty_;
};

// --- objects of images and samplers [cl2_launch.hpp] ---

inline constexpr std::string_view kOtherDescriptors = "those of its device are not known here";
// Returns false, as the members of `ImageCore` that refuse.
template <class Core>
bool refuse_descriptor(Core& core, std::size_t index, std::string_view why, Diagnostics& diagnostics) {
  return core.refuse(index, Code::LaunchObjectUnknown,
                     fmt::format("no descriptor can be made for '{}' ({}); give its object's bytes or address",
                                 core.kernel_.arguments[index].name, why),
                     diagnostics);
}
// Empty (reported): the argument is refused. `form`: of the target's descriptors, where they are known.
template <class Core>
std::optional<std::array<std::byte, kImageObjectBytes>>
object_of(Core& core, std::size_t index, const ImageValue& value, std::optional<ImageForm> form,
          Diagnostics& diagnostics) {
  const auto known = [](std::span<const ObjectChannel> rows, std::uint32_t cl) {
    return std::ranges::find(rows, cl, &ObjectChannel::cl) != rows.end();
  };
  const bool known_format =
      known(object_channel_types(), value.channel_type) && known(object_channel_orders(), value.channel_order);
  if (!core.check_image(index, value, known_format, diagnostics)) return std::nullopt;
  const ImageDim dim = std::get<Image>(core.kernel_.arguments[index].kind).dim;
  auto out = value.address == 0 || !form ? std::nullopt : image_object(value, dim, *form);
  if (!out)
    refuse_descriptor(core, index,
                      value.address == 0 ? "it has no address"
                      : !form            ? kOtherDescriptors
                                         : "its kind, format, sizes or pitch have no form known here",
                      diagnostics);
  return out;
}
template <class Core>
bool check_object(Core& core, std::size_t index, std::span<const std::byte> bytes, bool image,
                  Diagnostics& diagnostics) {
  const std::uint32_t expected = image ? kImageObjectBytes : kSamplerObjectBytes;
  if (bytes.size() == expected) return true;
  return core.refuse(index, Code::LaunchWrongSize,
                     fmt::format("the object of '{}' has {} bytes; expected {}", core.kernel_.arguments[index].name,
                                 bytes.size(), expected),
                     diagnostics);
}

// The user registers of a kernel that asks for those of `enabled`; `give(mask, value)` says what each holds.
template <class Give>
std::vector<UserRegisterValue> user_register_values(std::uint32_t enabled, std::string_view source, Give give) {
  std::vector<UserRegisterValue> out;
  std::uint32_t next = 0;
  for (const UserRegister& row : user_register_table()) {
    if ((enabled & row.mask) == 0) continue;
    UserRegisterValue& value = out.emplace_back();
    value.first = next;
    value.count = row.count;
    value.name = row.name;
    value.meaning = row.meaning;
    value.source = source;
    next += row.count;
    give(row.mask, value);
  }
  return out;
}
inline void give_address(UserRegisterValue& value, std::uint64_t address) {
  value.words = {static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(address >> 32), 0, 0};
}

}  // namespace amdcompat::abi
