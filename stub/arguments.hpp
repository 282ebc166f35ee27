// A kernel as host programs see it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/stub.hpp>

namespace amdcompat::stub {

struct Argument {
  enum class Kind : std::uint8_t { Value, Buffer, Local, Image, Sampler, Hidden } kind = Kind::Value;
  std::string variable;  // an identifier that no other argument of the kernel has
  std::string about;  // for a comment: name, type, value kind
  std::string type_name;  // of the source, or empty
  std::uint64_t offset = 0, size = 0;
  bool writes = false;  // an image that is written
  hsa::ValueKind hidden = hsa::ValueKind::HiddenNone;
};

struct HostKernel {
  std::string name, symbol;  // as they are
  std::string function;  // an identifier that no other kernel has
  std::string missing;  // why the program cannot launch it; empty: it can
  std::vector<Argument> arguments;  // hidden ones too
  std::uint64_t kernarg_bytes = 0;
  std::uint64_t own_local_bytes = 0;  // of a work-group, without the arguments
  std::uint64_t local[3] = {64, 1, 1};  // work-items of a group
  unsigned dimensions = 1;
};

[[nodiscard]] std::vector<HostKernel> kernels_of(const hsa::Metadata& metadata, const Options& options);

// The three ways to write a program.
[[nodiscard]] std::string opencl_program(const std::vector<HostKernel>& kernels, const Options& options);
[[nodiscard]] std::string hip_program(const std::vector<HostKernel>& kernels, const Options& options);
[[nodiscard]] std::string hsa_program(const std::vector<HostKernel>& kernels, const Options& options);

// A scalar or vector type of OpenCL C, as an array of numbers.
struct Numbers {
  std::string_view element;  // "int32_t", "float"; of what is no such type: "uint8_t"
  std::string_view example;  // a value of the element
  std::uint64_t count = 1;  // as many fill the size
};
[[nodiscard]] Numbers numbers_of(const Argument& argument);
// Values for all of them: a width without a height would be none.
[[nodiscard]] std::string examples(const Numbers& numbers);
// Statements that give an array of them such values.
[[nodiscard]] std::string set_values(std::string_view array, const Numbers& numbers);
// Of local memory, what a work-group had when the old files were made; `kLocalBytes` of programs.
inline constexpr std::uint64_t kLocalBytes = 32'768;
// How many bytes each local argument gets, as an expression: an equal share of what the kernel leaves, at least 16.
[[nodiscard]] std::string local_bytes(const HostKernel& kernel);

// `kernarg_NAME`, the kernarg segment as a structure without padding of the compiler's, and assertions that each
// member is where it should be. `assertion`: of the language.
[[nodiscard]] std::string segment_structure(const HostKernel& kernel, std::string_view assertion);

// What every program has: how an example buffer is filled and printed.
[[nodiscard]] std::string_view common_functions();

// `text` with each `@NAME@` replaced.
[[nodiscard]] std::string filled(std::string_view text,
                                 const std::vector<std::pair<std::string_view, std::string>>& values);
// The first part of a program: `text` with the file's name (@FILE@) and `kLocalBytes` (@LOCAL@).
[[nodiscard]] std::string beginning(std::string_view text, const Options& options);
// A string literal of C.
[[nodiscard]] std::string quoted(std::string_view text);
// Text that ends no comment.
[[nodiscard]] std::string remark(std::string_view text);

// The functions that launch, with a remark in place of what cannot be, and what they ask of the rest of a program.
struct Functions {
  std::string text;
  bool any = false, buffers = false, images = false;
};
[[nodiscard]] Functions functions_of(const std::vector<HostKernel>& kernels, std::string (*write)(const HostKernel&));

// The table of kernels and main's choice of one, in C.
[[nodiscard]] std::string kernel_table(const std::vector<HostKernel>& kernels, std::string_view host);

}  // namespace amdcompat::stub
