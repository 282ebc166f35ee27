// Which ways there are to carry the kernels of one file to one device, and what is lost on each: every way is taken in
// memory, as its verb would take it, and what comes of it is counted. Nothing is written, and no kernel is run.
//
//   const pipeline::Ways ways = pipeline::find_ways(*file, {.target = hsa::parse_target("gfx1030")});
//   for (const pipeline::WayResult& way : ways) std::printf("%zu of %zu\n", way.kernels, way.of);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/compile.hpp>
#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>
#include <amdcompat/hsa.hpp>
#include <amdcompat/open.hpp>

namespace amdcompat::pipeline {

enum class Way : std::uint8_t {
  AsItIs,    // the file itself is loaded
  InPlace,   // a code object with the old machine code
  Compiled,  // a code object that a compiler makes of lifted source
  Lifted,    // OpenCL C for any OpenCL device; also what the OpenCL layer gives to a runtime
  Described, // metadata alone: the source has to be compiled again
};
inline constexpr std::size_t kWays = 5;
// "as-it-is", "in-place", "compiled", "lifted", "described".
[[nodiscard]] AMDCOMPAT_API std::string_view way_name(Way way);

// Something that a way costs, or that stands against it. Kernels that are told the same are one loss.
struct WayLoss {
  std::size_t kernels = 0;    // that it is about; 0: all that go this way
  std::string kernel;         // name of the first; empty where `kernels` is 0
  std::optional<Code> code;   // of a refusal: the kernels do not go this way
  std::string message;        // without the kernel's name
};
struct WayResult {
  Way way = Way::AsItIs;
  bool tried = false;       // false: `losses` says why it was not
  std::size_t kernels = 0;  // that go this way
  std::size_t of = 0;       // kernels of the file
  std::vector<WayLoss> losses;
  [[nodiscard]] bool whole() const { return of != 0 && kernels == of; }
};
using Ways = std::array<WayResult, kWays>;  // in the order of `Way`, the best first

struct WayRequest {
  std::optional<hsa::TargetSpec> target{};  // absent: a device that takes OpenCL C alone, such as a CPU
  const compile::Compiler* compiler = nullptr;  // null: compiling is not tried
  double compiler_seconds = compile::Settings{}.seconds;
};
[[nodiscard]] AMDCOMPAT_API Ways find_ways(const File& file, const WayRequest& request);

// Parts of a file from which its program could be compiled again: "OpenCL source", "LLVM IR", "IL"; none: empty.
[[nodiscard]] AMDCOMPAT_API std::vector<std::string_view> source_parts(const File& file);

}  // namespace amdcompat::pipeline
