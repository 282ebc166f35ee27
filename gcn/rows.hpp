// What the files of this module share.
#pragma once

#include <amdcompat/gcn.hpp>

namespace amdcompat::gcn {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using i16 = std::int16_t;
using i32 = std::int32_t;

// The number of a row of VOP1, VOP2 or VOPC in VOP3.
[[nodiscard]] constexpr u32 wide_number(const Row& row, Generation generation) {
  if (row.format == Format::Vop2) return 0x100u + row.number;
  if (row.format != Format::Vop1) return row.number;
  return (generation == Generation::Gfx8 || generation == Generation::Gfx9 ? 0x140u : 0x180u) + row.number;
}

}  // namespace amdcompat::gcn
