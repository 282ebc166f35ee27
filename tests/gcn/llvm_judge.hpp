// LLVM's own descriptions of AMDGPU instructions, in the process: what it makes of bytes or of text, and which
// registers that reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace amdcompat_test {

struct LlvmOperand {
  // 's' scalar, by the code of scalar operands; 'v' vector; 'a' accumulator; 'c' SCC; 'm' MODE; 'f' flat scratch
  char file = 's';
  unsigned first = 0;
  unsigned dwords = 1;
  bool written = false;
  bool implicit = false;
  bool lane_mask = false;
};
struct LlvmInstruction {
  std::string name;  // of LLVM's record: "V_ADD_F32_e64_vi"
  std::string text;
  std::vector<std::uint8_t> bytes;
  std::vector<LlvmOperand> operands;  // registers only
  bool loads = false, stores = false;
};

// The features that LLVM gives a processor, by the names of -mattr; empty: it does not know the processor.
[[nodiscard]] std::set<std::string> llvm_features(const std::string& processor);

class LlvmJudge {
 public:
  // `processor` as in -mcpu. GFX10 and later have wavefronts of 32 or 64 lanes, older ones of 64.
  LlvmJudge(const std::string& processor, unsigned wave_size);
  ~LlvmJudge();
  // Empty: it does not know the bytes. GFX8 and later only.
  [[nodiscard]] std::optional<LlvmInstruction> disassemble(std::span<const std::byte> bytes);
  // One entry a line; empty where it is refused, the reason then in `errors`.
  [[nodiscard]] std::vector<std::optional<LlvmInstruction>> assemble(const std::vector<std::string>& lines,
                                                                     std::vector<std::string>& errors);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace amdcompat_test
