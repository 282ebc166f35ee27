// Of the functions that OpenCL C has, declarations of those that a program names.
//
// Before each program pocl's compiler reads declarations of all of them, 18,000 in 0.9 MB: nine tenths of the time in
// which it builds a small program (90 of 100 ms, pocl 3.1). Of the same header what a program has no name of says
// nothing to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace amdcompat::opencl {

class Declarations {
 public:
  // None: programs stay as they are.
  Declarations() = default;
  // Of pocl's headers, clang's `opencl-c.h` and pocl's `_kernel.h`, which it reads after it. `directory`: where they
  // are, with a '/'. None where they are not as they are known.
  Declarations(std::string_view opencl_c, std::string_view kernel, const std::string& directory);
  // Of the pocl that this process has loaded.
  [[nodiscard]] static Declarations of_pocl();

  // The program behind the declarations that it, or an option, names; its lines keep their numbers. Names that it makes
  // of parts are not known, and not declared. Nothing: there are no declarations.
  [[nodiscard]] std::string before(std::string_view program, std::string_view options = {}) const;
  // What it is built with: the header is taken for read.
  static constexpr std::string_view kOption = " -D_OPENCL_H_";

 private:
  // A directive, or a declaration.
  struct Piece {
    std::string text;
    std::string name;  // of the function; empty: every program needs it
  };

  std::vector<Piece> pieces_;
};

}  // namespace amdcompat::opencl
