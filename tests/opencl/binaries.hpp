// Binaries of the kinds that hosts of 2011 to 2017 had beside them, for the kernels of `kernels/`: machine code that
// clang makes of their sources, in containers of OpenCL 2.0 and code objects of V2, and hand-written code in OpenCL 1.x
// containers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace amdcompat_test::opencl_layer {

enum class Shape : std::uint8_t { Cl1, Cl2, V2 };
struct BinaryKind {
  std::string_view source;  // of `kernels/`, without .cl
  Shape shape;
  std::string_view processor;
  std::string_view file;  // that `write_binaries` writes
};
[[nodiscard]] const std::vector<BinaryKind>& binaries();

// Writes all of them into the directory. Returns what went wrong; empty: nothing. Needs clang-19.
[[nodiscard]] std::string write_binaries(const std::filesystem::path& directory);

// Where a kernel's source is.
[[nodiscard]] std::filesystem::path kernel_source(std::string_view name);

}  // namespace amdcompat_test::opencl_layer
