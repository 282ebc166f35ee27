// Sizes that the layout rules and the image builder share.
#pragma once

#include <cstdint>

#include <amdcompat/program.hpp>

namespace amdcompat::abi {

inline constexpr std::uint32_t kSlot = 16;  // bytes, of a constant buffer

// Bytes of one element in a constant buffer: a Boolean is a 32-bit lane. 0 for types without a size of their own.
[[nodiscard]] std::uint32_t lane_bytes(ScalarType type);

}  // namespace amdcompat::abi
