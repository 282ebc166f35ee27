// Writes to memory that it gave for a buffer, between launches and without a map, and looks what the launches see; and
// asks how much local memory a kernel takes.
//
//   own_memory BINARY KERNEL
#include "common.h"

#include <array>
#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  expect(argc == 3, "usage: own_memory BINARY KERNEL");
  cl_device_id device = choose_device(choose_platform());
  cl_int status = CL_SUCCESS;
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  Options options{};
  options.binary = argv[1];
  const cl_program program = load_program(context, 1, &device, &options);
  build_program(program, device, nullptr);
  const cl_kernel kernel = clCreateKernel(program, argv[2], &status);
  check(status, "clCreateKernel");
  const auto local_memory = [&] {
    cl_ulong bytes = 0;
    check(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr),
          "CL_KERNEL_LOCAL_MEM_SIZE");
    return static_cast<unsigned long>(bytes);
  };
  std::printf("local memory: %lu", local_memory());
  check(clSetKernelArg(kernel, 0, 512, nullptr), "clSetKernelArg");
  std::printf(", %lu\n", local_memory());

  std::array<cl_uint, 64> memory{}, seen{};
  const std::size_t bytes = sizeof memory, global = memory.size();
  const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, memory.data(), &status);
  check(status, "clCreateBuffer");
  const auto launch = [&](const char* after) {
    check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), "a launch");
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes, seen.data(), 0, nullptr, nullptr), "a read");
    std::printf("%s: %u\n", after, static_cast<unsigned>(seen[9]));
  };
  launch("as it was");
  memory.fill(2);
  launch("after writing 2 there");
  seen.fill(3);
  check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, bytes, seen.data(), 0, nullptr, nullptr), "a write");
  launch("after a transfer of 3");
  check(clReleaseMemObject(buffer), "clReleaseMemObject");
  memory.fill(4);
  check(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, nullptr, 0, nullptr, nullptr), "a launch");
  check(clReleaseKernel(kernel), "clReleaseKernel");
  check(clReleaseProgram(program), "clReleaseProgram");
  check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
  check(clReleaseContext(context), "clReleaseContext");
}
