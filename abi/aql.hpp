// The one writer of AQL kernel dispatch packets.
#pragma once

#include <array>
#include <cstring>

#include <amdcompat/cl2_launch.hpp>

namespace amdcompat::abi {

inline constexpr std::uint32_t kKernelObjectAlign = 64;  // bytes: a kernel descriptor, or the code object of before

// What a dispatch says; `packet_fields` has the places.
struct Packet {
  std::uint16_t header = kDispatchHeader;
  std::uint32_t dimensions = 1;
  std::array<std::uint32_t, 3> local{1, 1, 1};   // work-items of a group
  std::array<std::uint64_t, 3> global{1, 1, 1};  // work-items, each below 2^32
  std::uint64_t private_bytes = 0;               // of a work-item, cut to 32 bits
  std::uint64_t group_bytes = 0;                 // of a work-group
  std::uint64_t kernel_object = 0;               // address
  std::uint64_t kernarg = 0;                     // address
  std::uint64_t completion_signal = 0;           // address

  void set_range(const Range& used, const std::array<std::uint32_t, 3>& group) {
    dimensions = used.dimensions;
    local = group;
    global = used.global;
  }
  template <class Environment>
  void set_addresses(const Environment& environment) {
    kernel_object = environment.kernel_object;
    kernarg = environment.memory;
    completion_signal = environment.completion_signal;
  }
};

// The dword that makes a packet valid: header and number of dimensions.
[[nodiscard]] inline std::uint32_t first_dword(std::span<const std::byte> packet) {
  std::uint32_t word = 0;
  for (std::uint32_t i = 0; i < 4; ++i) word |= std::to_integer<std::uint32_t>(packet[i]) << (8 * i);
  return word;
}

// Its bytes, at the places of `packet_fields`.
[[nodiscard]] inline std::array<std::byte, kPacketBytes> packet_bytes(const Packet& packet) {
  std::array<std::byte, kPacketBytes> out{};
  const auto put = [&]<class T>(std::size_t offset, T value) {
    for (std::size_t i = 0; i < sizeof value; ++i) out[offset + i] = static_cast<std::byte>(value >> (8 * i));
  };
  put(0, packet.header);
  put(2, static_cast<std::uint16_t>(packet.dimensions));
  for (std::size_t d = 0; d < 3; ++d) {
    put(4 + 2 * d, static_cast<std::uint16_t>(packet.local[d]));
    put(12 + 4 * d, static_cast<std::uint32_t>(packet.global[d]));
  }
  put(24, static_cast<std::uint32_t>(packet.private_bytes));
  put(28, static_cast<std::uint32_t>(packet.group_bytes));
  put(32, packet.kernel_object);
  put(40, packet.kernarg);
  put(56, packet.completion_signal);
  return out;
}

// Brings the packet at `to` up to date; calls `changed(begin, end)` with the first and last bytes that differ, to 8.
template <class Changed>
void write_packet(const Packet& packet, std::byte* to, Changed changed) {
  constexpr std::uint32_t kWord = 8;
  const std::array<std::byte, kPacketBytes> bytes = packet_bytes(packet);
  std::uint32_t begin = 0, end = kPacketBytes;
  const auto same = [&](std::uint32_t at) { return std::memcmp(bytes.data() + at, to + at, kWord) == 0; };
  while (begin < kPacketBytes && same(begin)) begin += kWord;
  if (begin == kPacketBytes) return;
  while (same(end - kWord)) end -= kWord;
  std::memcpy(to + begin, bytes.data() + begin, end - begin);
  changed(begin, end);
}

}  // namespace amdcompat::abi
