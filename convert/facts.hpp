// What every conversion of a legacy kernel takes from the neutral model. Private to this module.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include <amdcompat/gcn.hpp>
#include <amdcompat/hsa.hpp>
#include <amdcompat/program.hpp>

namespace amdcompat::convert {

// Of LDS addresses, whatever the size of their slot. [S1 «dynamic_shared_pointer»]
inline constexpr std::uint64_t kLocalPointerBytes = 4;

inline constexpr std::uint32_t kWavefront = 64;  // GCN; VLIW devices whose file does not say [RT]

// "-cl-std=CL1.1" in the options; else the platform version in the driver string, which is what the compiler
// took by default; else unknown. [OpenCL 1.2 §5.6.4.5]
[[nodiscard]] std::optional<std::array<std::uint64_t, 2>> language_version(const Program& program);

// Name, symbol, segments, registers and group sizes; not the arguments and the size of their segment.
void take_facts(const Kernel& source, hsa::MetadataKernel& kernel);

// What a code object has to ask for where program information of a CAL image names `numbered` registers: those, the
// ones that the code uses beyond them, and the special ones behind them, which CAL's number leaves out. `vcc`: code
// before it uses VCC. [reference 10 «Scalar registers that are allocated but not counted»]
[[nodiscard]] std::uint32_t scalar_registers(std::span<const std::byte> code, std::uint32_t numbered,
                                             gcn::Generation generation, bool vcc);

// Access qualifiers stand on images and pipes only, as clang writes them. [LS emitKernelArg]
[[nodiscard]] std::optional<hsa::AccessQualifier> access_of(Access access);

}  // namespace amdcompat::convert
