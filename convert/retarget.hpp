// Machine code for one target on another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <amdcompat/device.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/gcn_checks.hpp>

namespace amdcompat::convert {

// Code that was made for `from`, and is to run on `to`. Kernels may share it.
class Retarget {
 public:
  // `code`, `from` and `to` must live on.
  Retarget(std::span<const std::byte> code, const Target& from, const Target& to);

  // Every instruction that is reached from `entry` on must be the same one with the same operands on both targets
  // (AC4306, which names the first that is not), and keep what the new one asks for beyond that (AC4307). A kernel with
  // computed jumps is looked at as a whole, up to `end`. Both are bytes from the start of the code, which findings
  // count from `entry`.
  [[nodiscard]] Result<void> check(std::uint32_t entry, std::uint32_t end);

 private:
  [[nodiscard]] Result<void> compare(const gcn::Instruction& before, std::uint32_t entry) const;

  std::span<const std::byte> code_;
  const Target& from_;
  const Target& to_;
  std::optional<Generation> old_, new_;
  std::optional<gcn::Reachable> reachable_;
  std::vector<bool> swept_;  // a dword each
};
// The same of one kernel that is all of `code`.
[[nodiscard]] Result<void> check_retarget(std::span<const std::byte> code, const Target& from, const Target& to);

}  // namespace amdcompat::convert
