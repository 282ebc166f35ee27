// Machine code with a few instructions changed: mostly valid, so that a lift gets far with it.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <amdcompat/gcn.hpp>

namespace amdcompat::fuzz {

using Words = std::vector<std::uint32_t>;

// One to four changes: an instruction becomes another one, gets other operands, goes, comes twice, moves, jumps
// elsewhere, or loses a bit. At most `most` dwords come out.
[[nodiscard]] Words mutate(Words code, gcn::Generation generation, std::size_t most, std::mt19937& random);

}  // namespace amdcompat::fuzz
