// Addresses of code that code makes for itself.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include <amdcompat/gcn.hpp>

namespace amdcompat::gcn {

// Scalar registers along a straight way through the code, as far as they come from s_getpc_b64 and constants.
// Compilers call functions so: s_getpc_b64, s_add_u32 and s_addc_u32 of the distance, s_swappc_b64. Addresses count
// from the start of the code: sums are then the same but for the start.
class Addresses {
 public:
  // Where a jump or a call by register goes, in bytes from the start of the code.
  [[nodiscard]] std::optional<std::int64_t> target(const Instruction& instruction) const;
  // Goes on behind the instruction.
  void take(const Instruction& instruction, Generation generation);

 private:
  struct Value {
    std::uint32_t bits = 0;
    bool address = false;  // half of one
  };
  [[nodiscard]] std::optional<Value> source(const Instruction& instruction, std::size_t number,
                                            std::uint32_t word) const;

  std::map<std::uint32_t, Value> known_;  // by register
  std::optional<bool> carry_;
};

}  // namespace amdcompat::gcn
