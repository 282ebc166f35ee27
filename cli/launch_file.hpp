// The launch file of `pack` and `run`: JSON that gives a kernel's launch sizes and argument values.
// docs/launch-image.md is its description; `pack --template` writes one to fill in.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/kernarg_launch.hpp>
#include <amdcompat/launch_image.hpp>

namespace amdcompat::cli {

struct LaunchFile {
  struct Null {};
  struct Local {
    std::uint64_t bytes = 0;
  };
  struct SamplerWord {
    std::uint32_t word = 0;
  };
  struct Object {
    std::vector<std::byte> bytes;  // CL2: of an image or sampler object
  };
  struct Entry {
    std::optional<std::string> name;  // if given, that of the argument at this place
    std::variant<Null, std::vector<std::byte>, abi::Buffer, Local, abi::ImageValue, SamplerWord, Object> value;
  };
  // For `run`: bytes of memory before the launch, given here or in a file.
  struct Memory {
    std::uint64_t address = 0;
    std::vector<std::byte> bytes;
    std::string file;
  };
  // For `run`: a buffer descriptor that the launch binds itself.
  struct Slot {
    std::uint32_t slot = 0;
    std::uint64_t address = 0;
    std::uint32_t size = 0;
    std::uint32_t stride = 0;
  };
  std::vector<Memory> memory;
  std::vector<Slot> uavs, constant_buffers;
  std::string kernel;  // name; empty: not said
  abi::Range range;
  abi::LaunchOptions options;
  bool strict = false;
  std::vector<Entry> arguments;  // in kernel order, without hidden ones
  std::optional<abi::PrintfBuffer> printf;
  std::optional<abi::Buffer> data_segment;
  std::optional<abi::Rings> rings;
  std::map<std::uint32_t, abi::Buffer> constant_data;  // by constant buffer number
  std::optional<abi::Cl2Environment> cl2;
  std::optional<abi::KernargEnvironment> hsa;
};

// Contents of a file that a launch file names ("@data.bin"); nothing: it cannot be read, which was shown.
using FileContents = std::function<std::optional<std::string>(const std::string& name)>;
// Everything wrong is reported with the place in the document as path (`arguments[2].buffer`). Empty when there was an
// error. Without `contents` a value in a file is one.
[[nodiscard]] std::optional<LaunchFile> parse_launch(std::string_view json, Diagnostics& diagnostics,
                                                     const FileContents& contents = {});

// Sets everything and builds; false when something was reported as an error.
[[nodiscard]] bool apply_launch(const LaunchFile& launch, abi::LaunchImage& image, Diagnostics& diagnostics);
// For CL2 kernels. What only constant buffers have is an error then.
[[nodiscard]] bool apply_launch(const LaunchFile& launch, abi::Cl2LaunchImage& image, Diagnostics& diagnostics);
// For kernels of code objects. The file of the CL1 or CL2 kernel that was converted or upgraded serves, too.
[[nodiscard]] bool apply_launch(const LaunchFile& launch, abi::KernargImage& image, Diagnostics& diagnostics);

// A launch file for the kernel that `pack` and `run` accept as it is: zeros for values, made-up addresses. Of a kernel
// that has no launch image it may take as much memory as the file asks for.
[[nodiscard]] std::string launch_template(const Kernel& kernel, std::span<const DataSegment> data);

}  // namespace amdcompat::cli
