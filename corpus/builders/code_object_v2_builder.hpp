// Code objects of V1 and V2, as LLVM and assemblers of 2016 to 2022 left them: `amd_kernel_code_t` in front of the
// code, notes of owner "AMD", metadata as YAML. The library reads them and writes none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <amdcompat/machine_code.hpp>

namespace amdcompat::hsa {

struct V2Kernel {
  std::string name;
  KernelCode setup;
  std::vector<std::uint32_t> code{0xbf810000};  // s_endpgm
  bool symbols_apart = false;  // `name` is that of the code, a function; `name@kd` that of the structure
};
struct V2Object {
  std::array<std::uint32_t, 2> version{2, 1};
  std::optional<std::array<std::uint32_t, 3>> isa;  // note 3
  std::string isa_name;  // note 11, `amdgcn-amd-amdhsa--gfx1010`; empty: none
  std::uint32_t flags = 0;  // e_flags
  std::optional<std::string> metadata;  // note 10
  std::vector<V2Kernel> kernels;
};
// An ELF file of type ET_DYN.
[[nodiscard]] std::string build_v2(const V2Object& object);

}  // namespace amdcompat::hsa
