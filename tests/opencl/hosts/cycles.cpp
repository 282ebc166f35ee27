// Creates, builds and releases programs again and again, and watches the memory of its own process.
//
//   cycles COUNT BINARY...
#include "common.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <malloc.h>
#include <unistd.h>

namespace {

// Pages of the process that are in memory, in KiB.
long resident() {
  std::ifstream in("/proc/self/statm");
  long all = 0, pages = 0;
  in >> all >> pages;
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}
// What the process has allocated and not freed, in bytes.
std::size_t allocated() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

void cycle(cl_context context, cl_device_id device, const std::string& binary) {
  const std::size_t size = binary.size();
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  cl_int status = CL_SUCCESS;
  const cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &bytes, nullptr, &status);
  check(status, "clCreateProgramWithBinary");
  check(clBuildProgram(program, 0, nullptr, "-fno-bin-source", nullptr, nullptr), "clBuildProgram");
  cl_kernel kernels[16];
  cl_uint count = 0;
  check(clCreateKernelsInProgram(program, 16, kernels, &count), "clCreateKernelsInProgram");
  check(clReleaseProgram(program), "clReleaseProgram");
  for (cl_uint n = 0; n < count; ++n) check(clReleaseKernel(kernels[n]), "clReleaseKernel");
}

}  // namespace

int main(int argc, char** argv) {
  expect(argc > 2, "usage: cycles COUNT BINARY...");
  const int count = std::atoi(argv[1]);
  std::vector<std::string> binaries;
  for (int n = 2; n < argc; ++n) {
    std::ifstream in(argv[n], std::ios::binary);
    binaries.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  cl_device_id device = choose_device(choose_platform());
  cl_int status = CL_SUCCESS;
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  // The first tenth fills pools and tables.
  std::size_t first = 0;
  long pages = 0;
  for (int n = 0; n < count; ++n) {
    if (n == std::max(count / 10, 1)) {
      first = allocated();
      pages = resident();
    }
    cycle(context, device, binaries[static_cast<std::size_t>(n) % binaries.size()]);
  }
  const std::size_t last = allocated();
  const long more_pages = resident() - pages;
  const long more = static_cast<long>(last) - static_cast<long>(first);
  std::printf("%d cycles: %ld bytes more, %ld KiB more resident\n", count, more, more_pages);
  check(clReleaseContext(context), "clReleaseContext");
  // What a cycle leaves behind is 24 bytes at least, the smallest piece of the heap; tables that grow once are not it.
  expect(more < 8L * count, "memory grows");
#ifndef __SANITIZE_ADDRESS__  // which keeps what was freed
  expect(more_pages < 4096, "the process grows");
#endif
  std::printf("Passed!\n");
  return 0;
}
