// Functions that machine code calls, put in where they are called.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir.hpp"

namespace amdcompat::lift {

// The instructions of a kernel and of the functions that it calls, as if there were no calls: a function's stand once
// for each way to call it, behind the call, and jumps by register that are followed are jumps by a distance. Offsets
// are numbers of their own, ascending in the order of execution as far as there is one; `runs` says which they are in
// the machine code.
struct Inlined {
  std::vector<gcn::Instruction> instructions;  // ascending by offset
  gcn::ControlFlow flow;
  std::vector<std::pair<u32, u32>> runs;  // where instructions that follow each other begin, here and there
  // Stores and loads by which a function puts a register of all lanes on its stack and takes it back, by offset: the
  // number of the place.
  std::map<u32, u32> slots;
  u32 calls = 0;
  std::optional<Refusal> refusal;  // with its offset in the machine code; all else is empty then
};

// Of a kernel whose code jumps to addresses in registers. Targets count that are known on every way to the jump: made
// by s_getpc_b64 and constants, read from a table that a linker has filled, or where a call goes on. They are followed
// through scalar registers, lanes of vector registers, and the stack. `alone`: the code of a kernel that calls nothing,
// from its entry on, whose stack is of interest; else empty.
[[nodiscard]] Inlined inline_calls(const Program& program, const Kernel& kernel, std::span<const std::byte> alone,
                                   gcn::Generation generation);

}  // namespace amdcompat::lift
