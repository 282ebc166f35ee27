// SDWA and DPP: parts of registers, and registers of other lanes, as operands of VOP1, VOP2 and VOPC.
#pragma once

#include "opcode.hpp"

namespace amdcompat::emulate {

// In whichever variant it is encoded; null: not executed here.
[[nodiscard]] Execute execute_of(const Instruction& instruction);

}  // namespace amdcompat::emulate
