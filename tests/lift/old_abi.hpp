// Kernels of OpenCL 1.x as a compiler makes them: clang compiles a function that takes everything as code of that ABI
// does, from descriptors and constant buffers, for GFX6 to GFX8, 32-bit and 64-bit.
//
// KERNEL(name) begins one, of the parameters of code_program.hpp. In it ID is the number of the work-item, IN(n) and
// OUT(n, value) are elements of the buffers, SLOT(n) is a slot of constant buffer 1 (the addresses of the buffers are
// in 0 and 1), `get(item->in, address)` and `put(item->out, address, value)` access them by an `Address`, and CB0(n) is
// a dword of constant buffer 0.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/gcn.hpp>
#include <amdcompat/program.hpp>

namespace amdcompat_test::old_abi {

struct Way {
  const char *name, *options;
  amdcompat::gcn::Generation generation;
  bool wide;  // 64-bit
};
inline constexpr Way kWays[] = {
    {"Gfx6", "-mcpu=gfx601 -O2", amdcompat::gcn::Generation::Gfx6, false},
    {"Gfx7", "-mcpu=gfx700 -O2", amdcompat::gcn::Generation::Gfx7, false},
    {"Gfx7For64Bits", "-mcpu=gfx700 -O2 -DWIDE", amdcompat::gcn::Generation::Gfx7, true},
    {"Gfx6For64Bits", "-mcpu=gfx601 -O1 -DWIDE", amdcompat::gcn::Generation::Gfx6, true},
    {"Gfx8", "-mcpu=gfx802 -O2", amdcompat::gcn::Generation::Gfx8, false},
};

// Those of `kernels` that have these names; by clang-19 and llvm-objcopy-19. `shared`: both buffers have UAV 11, as
// where a compiler does not know which of them an address is of.
[[nodiscard]] amdcompat::Program program_of(std::span<const char* const> names, const Way& way,
                                            std::string_view kernels, bool shared = false);

// Kernels of OpenCL C as they are, the 32-bit ABI: what they do with global memory becomes accesses of buffers by
// LLVM's own lowering of pointers that are a descriptor and an offset.
struct SourceKernel {
  std::string name;
  std::vector<std::string> parameters;  // as they are declared: type and name
  std::uint32_t lds_bytes = 0;  // of its own
};
// `source` defines them with the four parameters that OWN_IDS of random_program.hpp asks for in front. A kernel is left
// out where the compiler needs what that ABI has elsewhere: scratch memory, constants beside the code; and where an
// argument is one of those that AMD's runtime overwrote a part of.
[[nodiscard]] amdcompat::Program program_of_source(std::span<const SourceKernel> kernels, const Way& way,
                                                   std::string_view source);

}  // namespace amdcompat_test::old_abi
