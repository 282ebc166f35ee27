// Machine code for one generation on another.
#pragma once

#include <span>

#include <amdcompat/code_object.hpp>
#include <amdcompat/device.hpp>
#include <amdcompat/diagnostic.hpp>

namespace amdcompat::convert {

// Every instruction that is reached from the first one on must be the same one with the same operands on both targets
// (AC4306, which names the first that is not), and keep the distances that the new one asks
// for (AC4307). Code with computed jumps is looked at as a whole.
[[nodiscard]] Result<void> check_retarget(std::span<const std::byte> code, const Target& from, const Target& to);

}  // namespace amdcompat::convert
