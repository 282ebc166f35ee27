/* Multiplies matrices. The kernel says which work-group it wants and what its arguments are called. */
#include "common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_argument(cl_kernel kernel, cl_uint index, const char* name, const char* type, cl_uint address) {
  char text[128];
  cl_kernel_arg_address_qualifier got_address;
  cl_kernel_arg_access_qualifier access;
  cl_kernel_arg_type_qualifier qualifiers;
  check(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_NAME, sizeof text, text, NULL), "CL_KERNEL_ARG_NAME");
  if (strcmp(text, name) != 0) {
    fprintf(stderr, "Error: argument %u is called %s instead of %s\n", index, text, name);
    exit(1);
  }
  check(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL), "CL_KERNEL_ARG_TYPE_NAME");
  if (strcmp(text, type) != 0) {
    fprintf(stderr, "Error: argument %s is a %s instead of a %s\n", name, text, type);
    exit(1);
  }
  check(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof got_address, &got_address, NULL),
        "CL_KERNEL_ARG_ADDRESS_QUALIFIER");
  expect(got_address == address, "an argument is in another address space");
  check(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL),
        "CL_KERNEL_ARG_ACCESS_QUALIFIER");
  expect(access == CL_KERNEL_ARG_ACCESS_NONE, "an argument that is no image has an access qualifier");
  check(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers, &qualifiers, NULL),
        "CL_KERNEL_ARG_TYPE_QUALIFIER");
  printf("argument %s: qualifiers %u\n", name, (unsigned int)qualifiers);
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const cl_uint width = (cl_uint)round_up(options.size != 0 ? options.size : 48, 16);
  cl_platform_id platform = choose_platform();
  cl_device_id device = choose_device(platform);
  cl_int status;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem a, b, c;
  size_t required[3] = {0, 0, 0}, global[2], bytes = (size_t)width * width * sizeof(cl_float);
  cl_float *left, *right, *product;
  cl_uint row, column, k, state = 3;
  cl_ulong local_bytes = 0;
  check(status, "clCreateContext");
  queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
  check(status, "clCreateCommandQueue");
  program = load_program(context, 1, &device, &options);
  /* What the names of arguments need in OpenCL 1.2. */
  build_program(program, device, options.options != NULL ? options.options : "-cl-kernel-arg-info -cl-mad-enable");
  kernel = clCreateKernel(program, "multiply", &status);
  check(status, "clCreateKernel");
  expect_argument(kernel, 0, "a", "float*", CL_KERNEL_ARG_ADDRESS_GLOBAL);
  expect_argument(kernel, 1, "b", "float*", CL_KERNEL_ARG_ADDRESS_GLOBAL);
  expect_argument(kernel, 2, "c", "float*", CL_KERNEL_ARG_ADDRESS_GLOBAL);
  expect_argument(kernel, 3, "width", "uint", CL_KERNEL_ARG_ADDRESS_PRIVATE);
  check(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required, NULL),
        "CL_KERNEL_COMPILE_WORK_GROUP_SIZE");
  expect(required[0] == 16 && required[1] == 16 && required[2] == 1, "the kernel does not want groups of 16 by 16");
  check(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes, NULL),
        "CL_KERNEL_LOCAL_MEM_SIZE");
  printf("local memory: %lu\n", (unsigned long)local_bytes);

  left = (cl_float*)malloc(bytes);
  right = (cl_float*)malloc(bytes);
  product = (cl_float*)calloc(1, bytes);
  expect(left != NULL && right != NULL && product != NULL, "out of memory");
  for (k = 0; k < width * width; ++k) {
    left[k] = (cl_float)(next_random(&state) % 16);
    right[k] = (cl_float)(next_random(&state) % 16) - 8.0f;
  }
  a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, left, &status);
  check(status, "clCreateBuffer");
  b = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, right, &status);
  check(status, "clCreateBuffer");
  c = clCreateBuffer(context, CL_MEM_WRITE_ONLY, bytes, NULL, &status);
  check(status, "clCreateBuffer");
  check(clSetKernelArg(kernel, 0, sizeof a, (void*)&a), "clSetKernelArg");
  check(clSetKernelArg(kernel, 1, sizeof b, (void*)&b), "clSetKernelArg");
  check(clSetKernelArg(kernel, 2, sizeof c, (void*)&c), "clSetKernelArg");
  check(clSetKernelArg(kernel, 3, sizeof width, (void*)&width), "clSetKernelArg");
  expect(clSetKernelArg(kernel, 4, sizeof width, &width) == CL_INVALID_ARG_INDEX, "a fifth argument");
  expect(clSetKernelArg(kernel, 3, 8, &local_bytes) == CL_INVALID_ARG_SIZE, "an argument of another size");
  check(clSetKernelArg(kernel, 3, sizeof width, (void*)&width), "clSetKernelArg");
  global[0] = global[1] = width;
  check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, required, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  check(clEnqueueReadBuffer(queue, c, CL_TRUE, 0, bytes, product, 0, NULL, NULL), "clEnqueueReadBuffer");
  for (row = 0; row < width; ++row)
    for (column = 0; column < width; ++column) {
      cl_float sum = 0.0f;
      for (k = 0; k < width; ++k) sum += left[row * width + k] * right[k * width + column];
      if (product[row * width + column] != sum) {
        fprintf(stderr, "Error: c[%u][%u] is %g instead of %g\n", row, column, product[row * width + column], sum);
        return 1;
      }
    }
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseMemObject(a);
  clReleaseMemObject(b);
  clReleaseMemObject(c);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  free(left);
  free(right);
  free(product);
  printf("Passed!\n");
  return 0;
}
