// CLRX's readers of containers, in a file of its own because its headers are of another dialect of C++.
#pragma once

#include <cstddef>
#include <string>

namespace amdcompat::bench {

// How much CLRX makes of a container.
enum class ClrxDepth {
  Kernels,  // names and arguments of kernels
  Everything,  // and inner images, CAL notes, headers, strings and maps of names to them
};

// How many kernels CLRX finds in a container of OpenCL 1.x or 2.0; 0: it does not read it. The bytes are not changed,
// although CLRX wants them writable.
[[nodiscard]] std::size_t clrx_kernels(std::string& file, ClrxDepth depth);

}  // namespace amdcompat::bench
