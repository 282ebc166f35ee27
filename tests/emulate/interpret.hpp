// A launch as OpenCL knows it, on the interpreter: the other side of what a device makes of the same source.
#pragma once

#include <string>
#include <vector>

#include <amdcompat/program.hpp>

#include "opencl_runner.hpp"

namespace amdcompat_test {

struct Interpreted {
  std::string problem{};  // why it did not end, or went outside of memory; empty: neither
  std::string unset{};  // what it used that nothing had set, where the results depend on it; empty: nothing
  std::vector<std::vector<std::byte>> buffers{};  // as `opencl::LaunchResult` has them
  std::vector<std::byte> printf_buffer{};
};
// Of a code object's kernel, or one of OpenCL 1.x without images, without buffers that are the same.
[[nodiscard]] Interpreted interpret(const amdcompat::Program& program, const opencl::Launch& launch);

}  // namespace amdcompat_test
