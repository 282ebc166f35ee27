// Writes the binaries for the hosts into a directory: `opencl_write_binaries DIR`.
#include <cstdio>

#include "binaries.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DIR\n", argv[0]);
    return 2;
  }
  const std::string problem = amdcompat_test::opencl_layer::write_binaries(argv[1]);
  if (problem.empty()) return 0;
  std::fprintf(stderr, "%s\n", problem.c_str());
  return 1;
}
