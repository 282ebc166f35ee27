// The one writer of AQL kernel dispatch packets.
#pragma once

#include <amdcompat/cl2_launch.hpp>

namespace amdcompat::abi {

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
};

// The dword that makes a packet valid: header and number of dimensions.
[[nodiscard]] inline std::uint32_t first_dword(std::span<const std::byte> packet) {
  std::uint32_t word = 0;
  for (std::uint32_t i = 0; i < 4; ++i) word |= std::to_integer<std::uint32_t>(packet[i]) << (8 * i);
  return word;
}

// Calls `put(offset, size, value)` for every member; the other bytes of a packet are 0.
template <class Put>
void write_packet(const Packet& packet, Put put) {
  const std::span<const ObjectField> rows = packet_fields();
  const std::array<std::uint64_t, 13> values{
      packet.header,        packet.dimensions, packet.local[0],         packet.local[1],      packet.local[2],
      packet.global[0],     packet.global[1],  packet.global[2],        packet.private_bytes, packet.group_bytes,
      packet.kernel_object, packet.kernarg,    packet.completion_signal};
  for (std::size_t i = 0; i < values.size(); ++i) put(rows[i].offset, rows[i].size, values[i]);
}

}  // namespace amdcompat::abi
