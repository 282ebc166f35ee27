// A program as one unit of OpenCL C.
#include <amdcompat/lift.hpp>

namespace amdcompat::lift {

Unit lift(const Program& program, const Options& options, Diagnostics&) {
  Unit out;
  for (std::size_t n = 0; n < program.kernels.size(); ++n)
    if (options.kernel.empty() || options.kernel == program.kernels[n].name)
      out.kernels.push_back({.name = program.kernels[n].name, .index = n});
  return out;
}

}  // namespace amdcompat::lift
