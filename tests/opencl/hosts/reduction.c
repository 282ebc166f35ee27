/* Sums numbers with two kernels of one file: local memory given by the host, a work-group size the kernel is asked for,
 * a global size rounded up by it, one task. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void look_at_program(cl_program program, cl_context context, cl_device_id device, const char* options) {
  cl_build_status built;
  cl_context owner;
  cl_device_id of;
  cl_uint count;
  size_t size, kernels;
  char text[1024];
  check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof built, &built, NULL),
        "CL_PROGRAM_BUILD_STATUS");
  expect(built == CL_BUILD_SUCCESS, "the program is not built");
  check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL),
        "CL_PROGRAM_BUILD_OPTIONS");
  if (strcmp(text, options) != 0) printf("options: \"%s\"\n", text);
  check(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size), "CL_PROGRAM_BUILD_LOG");
  check(clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof owner, &owner, NULL), "CL_PROGRAM_CONTEXT");
  check(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL), "CL_PROGRAM_NUM_DEVICES");
  check(clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof of, &of, NULL), "CL_PROGRAM_DEVICES");
  expect(owner == context && count == 1 && of == device, "the program is another's");
  check(clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &count, NULL),
        "CL_PROGRAM_REFERENCE_COUNT");
  expect(count == 1, "others hold the program");
  check(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL), "CL_PROGRAM_NUM_KERNELS");
  check(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL), "CL_PROGRAM_KERNEL_NAMES");
  expect(kernels == 2 && strstr(text, "sum_groups") != NULL && strstr(text, "sum_rest") != NULL,
         "the program has not the kernels sum_groups and sum_rest");
}

static void look_at_kernel(cl_kernel kernel, cl_program program, cl_context context) {
  char name[64];
  cl_uint arguments;
  cl_context owner;
  cl_program of;
  check(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL), "CL_KERNEL_FUNCTION_NAME");
  check(clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, NULL), "CL_KERNEL_NUM_ARGS");
  check(clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof owner, &owner, NULL), "CL_KERNEL_CONTEXT");
  check(clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof of, &of, NULL), "CL_KERNEL_PROGRAM");
  expect(strcmp(name, "sum_groups") == 0 && arguments == 4, "sum_groups has not four arguments");
  expect(owner == context && of == program, "the kernel is of another program");
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const char* const build = options.options != NULL ? options.options : "-g -fno-alias -fbin-source -fbin-llvmir";
  const cl_uint count = options.size != 0 ? (cl_uint)options.size : 20000;
  cl_platform_id platform = choose_platform();
  cl_device_id device = choose_device(platform);
  cl_int status;
  cl_context_properties properties[3] = {CL_CONTEXT_PLATFORM, 0, 0};
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel groups_kernel, rest_kernel;
  cl_mem in, sums, total;
  size_t local, required[3], global;
  cl_ulong local_bytes;
  cl_uint *numbers, expected = 0, got = 0, groups, n, state = 1;

  properties[1] = (cl_context_properties)platform;
  context = clCreateContext(properties, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  program = load_program(context, 1, &device, &options);
  build_program(program, device, build);
  look_at_program(program, context, device, build);
  groups_kernel = clCreateKernel(program, "sum_groups", &status);
  check(status, "clCreateKernel(sum_groups)");
  rest_kernel = clCreateKernel(program, "sum_rest", &status);
  check(status, "clCreateKernel(sum_rest)");
  expect(clCreateKernel(program, "no_such_kernel", &status) == NULL && status == CL_INVALID_KERNEL_NAME,
         "a kernel that is not there");
  look_at_kernel(groups_kernel, program, context);

  check(clGetKernelWorkGroupInfo(groups_kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof local, &local, NULL),
        "CL_KERNEL_WORK_GROUP_SIZE");
  check(clGetKernelWorkGroupInfo(groups_kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof required, required,
                                 NULL),
        "CL_KERNEL_COMPILE_WORK_GROUP_SIZE");
  check(
      clGetKernelWorkGroupInfo(groups_kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local_bytes, &local_bytes, NULL),
      "CL_KERNEL_LOCAL_MEM_SIZE");
  expect(required[0] == 0 && required[1] == 0 && required[2] == 0, "no work-group size is required");
  expect(local > 0, "no work-group size is possible");
  printf("work-group size: %lu\n", (unsigned long)local);
  /* The reduction halves it. */
  while ((local & (local - 1)) != 0) local &= local - 1;
  if (local > 256) local = 256;
  global = round_up((count + 7) / 8, local);
  groups = (cl_uint)(global / local);

  numbers = (cl_uint*)malloc(count * sizeof *numbers);
  expect(numbers != NULL, "out of memory");
  for (n = 0; n < count; ++n) expected += numbers[n] = next_random(&state);
  in = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, count * sizeof *numbers, numbers, &status);
  check(status, "clCreateBuffer");
  sums = clCreateBuffer(context, CL_MEM_READ_WRITE, groups * sizeof *numbers, NULL, &status);
  check(status, "clCreateBuffer");
  total = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof got, NULL, &status);
  check(status, "clCreateBuffer");
  check(clSetKernelArg(groups_kernel, 0, local * sizeof(cl_uint), NULL), "clSetKernelArg(0)");
  check(clSetKernelArg(groups_kernel, 1, sizeof(cl_mem), &in), "clSetKernelArg(1)");
  check(clSetKernelArg(groups_kernel, 2, sizeof(cl_mem), &sums), "clSetKernelArg(2)");
  check(clSetKernelArg(groups_kernel, 3, sizeof count, &count), "clSetKernelArg(3)");
  check(clSetKernelArg(rest_kernel, 0, sizeof(cl_mem), &sums), "clSetKernelArg(0)");
  check(clSetKernelArg(rest_kernel, 1, sizeof(cl_mem), &total), "clSetKernelArg(1)");
  check(clSetKernelArg(rest_kernel, 2, sizeof groups, &groups), "clSetKernelArg(2)");
  check(clEnqueueNDRangeKernel(queue, groups_kernel, 1, NULL, &global, &local, 0, NULL, NULL),
        "clEnqueueNDRangeKernel");
  check(clEnqueueTask(queue, rest_kernel, 0, NULL, NULL), "clEnqueueTask");
  check(clEnqueueReadBuffer(queue, total, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL), "clEnqueueReadBuffer");
  check(clReleaseKernel(groups_kernel), "clReleaseKernel");
  check(clReleaseKernel(rest_kernel), "clReleaseKernel");
  check(clReleaseProgram(program), "clReleaseProgram");
  check(clReleaseMemObject(in), "clReleaseMemObject");
  check(clReleaseMemObject(sums), "clReleaseMemObject");
  check(clReleaseMemObject(total), "clReleaseMemObject");
  check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
  check(clReleaseContext(context), "clReleaseContext");
  free(numbers);
  if (got != expected) {
    fprintf(stderr, "Error: the sum is %u instead of %u\n", got, expected);
    return 1;
  }
  printf("Passed!\n");
  return 0;
}
