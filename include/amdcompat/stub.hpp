// Host programs for kernels: what a program of today has to do to launch them, as source that compiles.
//
//   const std::string source = stub::host_program(metadata, {.api = stub::Api::Hip, .file = "old.hsaco"});
//
// The program loads what its first argument names, makes an object for each argument of a kernel, launches it and
// prints what the buffers then hold. Sizes and values are examples, named at the top and where they are used: what a
// kernel wants of them no file says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/export.h>
#include <amdcompat/hsa.hpp>

namespace amdcompat::stub {

enum class Api : std::uint8_t {
  OpenCl,  // C99; loads OpenCL C, or a binary
  Hip,  // C++; loads a code object as a module
  Hsa,  // C99; loads a code object, and writes kernarg segment and packet itself
};
inline constexpr Api kApis[] = {Api::OpenCl, Api::Hip, Api::Hsa};
[[nodiscard]] AMDCOMPAT_API std::string_view api_name(Api api);  // "opencl", "hip", "hsa"
[[nodiscard]] AMDCOMPAT_API std::optional<Api> find_api(std::string_view name);

struct Options {
  Api api = Api::OpenCl;
  std::string file{};  // that the kernels are from: for people
  std::string kernel{};  // only this one; empty: all, of which the program launches one
};

// A kernel that a program does not launch, as it has arguments that the interface has nothing for, or that the file
// does not list.
struct LeftOut {
  std::string kernel;
  std::string reason;
};
[[nodiscard]] AMDCOMPAT_API std::vector<LeftOut> left_out(const hsa::Metadata& metadata, const Options& options);

// `metadata` says where arguments are: that of the code object which is launched, or of its natural layout. A kernel
// with arguments that the interface has nothing for is left out, with the reason in a comment.
[[nodiscard]] AMDCOMPAT_API std::string host_program(const hsa::Metadata& metadata, const Options& options);

}  // namespace amdcompat::stub
