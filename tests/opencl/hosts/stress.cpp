// Many programs at once: every thread creates programs of binaries and of source, builds them, asks them everything,
// takes kernels and lets go in an order of its own.
//
//   stress [--threads N] [--programs N] BINARY...
#include "common.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr const char* kSource = "__kernel void plain(__global uint* out) { out[get_global_id(0)] = 7u; }";

struct Shared {
  cl_device_id device = nullptr;
  std::vector<cl_device_id> devices;  // of the contexts
  cl_context context = nullptr;
  std::vector<std::string> binaries;
};

void look(cl_program program, const std::string& binary, cl_device_id device) {
  if (!binary.empty()) {
    std::size_t size = 0;
    check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr), "CL_PROGRAM_BINARY_SIZES");
    expect(size == binary.size(), "a binary of another size");
    std::vector<unsigned char> bytes(size);
    unsigned char* to = bytes.data();
    check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof to, &to, nullptr), "CL_PROGRAM_BINARIES");
    expect(std::memcmp(bytes.data(), binary.data(), size) == 0, "another binary");
  }
  char text[4096];
  check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, nullptr),
        "CL_PROGRAM_BUILD_OPTIONS");
  cl_build_status status = CL_BUILD_NONE;
  check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, nullptr),
        "CL_PROGRAM_BUILD_STATUS");
  expect(status == CL_BUILD_SUCCESS, "a program is not built");
}

void look(cl_kernel kernel, bool old, cl_device_id device) {
  char name[256];
  cl_uint arguments = 0;
  std::size_t group = 0;
  check(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr), "CL_KERNEL_FUNCTION_NAME");
  check(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr), "CL_KERNEL_NUM_ARGS");
  check(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, nullptr),
        "CL_KERNEL_WORK_GROUP_SIZE");
  if (!old) return;
  expect(group <= 256, "a work-group larger than Catalyst's");
  for (cl_uint n = 0; n < arguments; ++n)
    check(clGetKernelArgInfo(kernel, n, CL_KERNEL_ARG_NAME, sizeof name, name, nullptr), "CL_KERNEL_ARG_NAME");
}

// Two devices that have any two binaries: kernels that both have are kernels of the program, if they have the same
// parameters.
void two_binaries(const Shared& shared, cl_context context, unsigned int& random) {
  const std::string& first = shared.binaries[next_random(&random) % shared.binaries.size()];
  const std::string& second = shared.binaries[next_random(&random) % shared.binaries.size()];
  const std::size_t sizes[] = {first.size(), second.size()};
  const unsigned char* bytes[] = {reinterpret_cast<const unsigned char*>(first.data()),
                                  reinterpret_cast<const unsigned char*>(second.data())};
  cl_int status = CL_SUCCESS;
  const cl_program program =
      clCreateProgramWithBinary(context, 2, shared.devices.data(), sizes, bytes, nullptr, &status);
  check(status, "clCreateProgramWithBinary");
  check(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), "clBuildProgram");
  std::size_t got[2] = {};
  check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof got, got, nullptr), "CL_PROGRAM_BINARY_SIZES");
  expect(got[0] == first.size() && got[1] == second.size(), "binaries of other sizes");
  cl_kernel kernels[16] = {};
  cl_uint count = 0, counted = 0;
  check(clCreateKernelsInProgram(program, 16, kernels, &count), "clCreateKernelsInProgram");
  expect(first != second || count > 0, "a binary is not like itself");
  // Hosts ask how many there are, and make room for so many.
  check(clCreateKernelsInProgram(program, 0, nullptr, &counted), "clCreateKernelsInProgram");
  expect(counted == count, "as many kernels are created as are counted");
  if (count > 0) {
    cl_kernel again[16] = {};
    check(clCreateKernelsInProgram(program, count, again, nullptr), "clCreateKernelsInProgram");
    for (cl_uint n = 0; n < count; ++n) check(clReleaseKernel(again[n]), "clReleaseKernel");
    expect(clCreateKernelsInProgram(program, count - 1, again, nullptr) == CL_INVALID_VALUE, "room for too few");
  }
  check(clReleaseProgram(program), "clReleaseProgram");
  for (cl_uint n = 0; n < count; ++n) {
    for (const cl_device_id device : shared.devices) look(kernels[n], true, device);
    check(clReleaseKernel(kernels[n]), "clReleaseKernel");
  }
}

void one_program(const Shared& shared, cl_context context, unsigned int& random) {
  if (shared.devices.size() > 1 && next_random(&random) % 4 == 0) return two_binaries(shared, context, random);
  const bool old = next_random(&random) % 8 != 0;
  const std::string binary = old ? shared.binaries[next_random(&random) % shared.binaries.size()] : std::string();
  cl_int status = CL_SUCCESS, of_binary = -1;
  cl_program program = nullptr;
  if (old) {
    const std::size_t size = binary.size();
    const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
    program = clCreateProgramWithBinary(context, 1, &shared.device, &size, &bytes, &of_binary, &status);
    check(of_binary, "binary_status");
  } else {
    const char* source = kSource;
    program = clCreateProgramWithSource(context, 1, &source, nullptr, &status);
  }
  check(status, "clCreateProgram");
  const bool twice = next_random(&random) % 2 == 0;
  if (twice) check(clRetainProgram(program), "clRetainProgram");
  check(clBuildProgram(program, 1, &shared.device, old ? "-g -fno-alias" : "", nullptr, nullptr), "clBuildProgram");
  look(program, binary, shared.device);
  cl_uint count = 0;
  check(clCreateKernelsInProgram(program, 0, nullptr, &count), "clCreateKernelsInProgram");
  expect(count > 0, "no kernels");
  std::vector<cl_kernel> kernels(count);
  check(clCreateKernelsInProgram(program, count, kernels.data(), nullptr), "clCreateKernelsInProgram");
  for (const cl_kernel kernel : kernels) look(kernel, old, shared.device);
  // The program before its kernels, or after them, or in between.
  if (twice) check(clReleaseProgram(program), "clReleaseProgram");
  const bool early = next_random(&random) % 2 == 0;
  if (early) {
    check(clReleaseProgram(program), "clReleaseProgram");
    for (const cl_kernel kernel : kernels) look(kernel, old, shared.device);
    cl_program of = nullptr;
    check(clGetKernelInfo(kernels[0], CL_KERNEL_PROGRAM, sizeof of, &of, nullptr), "CL_KERNEL_PROGRAM");
    expect(of == program, "a kernel of another program");
    look(of, binary, shared.device);
  }
  for (const cl_kernel kernel : kernels) {
    if (next_random(&random) % 4 == 0) {
      check(clRetainKernel(kernel), "clRetainKernel");
      check(clReleaseKernel(kernel), "clReleaseKernel");
    }
    check(clReleaseKernel(kernel), "clReleaseKernel");
  }
  if (!early) check(clReleaseProgram(program), "clReleaseProgram");
}

void work(const Shared& shared, unsigned int seed, int programs) {
  unsigned int random = seed;
  // Half of them have a context of their own.
  cl_context context = shared.context;
  cl_int status = CL_SUCCESS;
  if (seed % 2 != 0)
    context = clCreateContext(nullptr, static_cast<cl_uint>(shared.devices.size()), shared.devices.data(), nullptr,
                              nullptr, &status);
  check(status, "clCreateContext");
  for (int n = 0; n < programs; ++n) one_program(shared, context, random);
  if (context != shared.context) check(clReleaseContext(context), "clReleaseContext");
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 8, programs = 200;
  Shared shared;
  for (int n = 1; n < argc; ++n) {
    const std::string_view word = argv[n];
    if (word == "--threads" && n + 1 < argc) {
      threads = std::atoi(argv[++n]);
    } else if (word == "--programs" && n + 1 < argc) {
      programs = std::atoi(argv[++n]);
    } else {
      std::ifstream in(argv[n], std::ios::binary);
      shared.binaries.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
      expect(!shared.binaries.back().empty(), "a binary is not there");
    }
  }
  expect(!shared.binaries.empty(), "no binaries");
  cl_uint devices = 0;
  shared.devices.resize(2);
  check(clGetDeviceIDs(choose_platform(), CL_DEVICE_TYPE_ALL, 2, shared.devices.data(), &devices), "clGetDeviceIDs");
  if (devices < 2) shared.devices.resize(1);
  shared.device = shared.devices[0];
  cl_int status = CL_SUCCESS;
  shared.context = clCreateContext(nullptr, static_cast<cl_uint>(shared.devices.size()), shared.devices.data(), nullptr,
                                   nullptr, &status);
  check(status, "clCreateContext");
  std::vector<std::thread> running;
  running.reserve(static_cast<std::size_t>(threads));
  for (int n = 0; n < threads; ++n)
    running.emplace_back(work, std::cref(shared), static_cast<unsigned int>(n), programs);
  for (std::thread& thread : running) thread.join();
  check(clReleaseContext(shared.context), "clReleaseContext");
  std::printf("Passed!\n");
  return 0;
}
