// An old binary as the layer needs it: its kernels as OpenCL C, and what hosts ask about them. Nothing here calls
// OpenCL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CL/cl.h>

#include <amdcompat/program.hpp>

#include "cache.hpp"
#include "log.hpp"

namespace amdcompat::layer {

// What clGetKernelArgInfo answers [OpenCL 1.2 §5.7.3].
struct ArgumentFacts {
  std::string name, type;  // type: empty where the binary does not have it
  cl_kernel_arg_address_qualifier address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
  cl_kernel_arg_type_qualifier qualifiers = CL_KERNEL_ARG_TYPE_NONE;
};
struct KernelFacts {
  std::string name;
  std::size_t group_limit = 256;  // work-items of a group that the code was made for
  bool group_required = false;  // it is the product of the required work-group size
  cl_ulong local_bytes = 0;  // of local memory, without arguments
  std::vector<ArgumentFacts> arguments;
};

struct LegacyBinary {
  std::string bytes;  // as the host gave them
  std::string source;  // OpenCL C of all kernels that were lifted
  std::vector<KernelFacts> kernels;
  // Null: there is none of this name.
  [[nodiscard]] const KernelFacts* kernel(std::string_view name) const;
};

// Whether these are bytes that the layer takes: containers of OpenCL 1.x and 2.0, code objects of V1 and V2. Everything
// else is for the runtime below.
[[nodiscard]] bool is_legacy(std::span<const std::byte> bytes);

// Null: nothing in it can be lifted; the log says why.
[[nodiscard]] std::shared_ptr<const LegacyBinary> read_legacy(std::span<const std::byte> bytes, bool exact,
                                                              const Cache& cache, const Log& log);

}  // namespace amdcompat::layer
