/* The smallest host: everything by default, launched again and again with other arguments. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const size_t count = round_up(options.size != 0 ? options.size : 512, 64);
  cl_platform_id platform = choose_platform();
  cl_context_properties properties[3] = {CL_CONTEXT_PLATFORM, 0, 0};
  cl_context context;
  cl_device_id* devices;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem data;
  cl_uint *numbers, factor, product = 1;
  cl_int status;
  size_t size = 0, n;
  properties[1] = (cl_context_properties)platform;
  /* As the APP SDK's first samples found devices. */
  context = clCreateContextFromType(properties, CL_DEVICE_TYPE_GPU, NULL, NULL, &status);
  if (status != CL_SUCCESS) context = clCreateContextFromType(properties, CL_DEVICE_TYPE_ALL, NULL, NULL, &status);
  check(status, "clCreateContextFromType");
  check(clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &size), "clGetContextInfo");
  devices = (cl_device_id*)malloc(size);
  expect(devices != NULL && size >= sizeof *devices, "the context has no device");
  check(clGetContextInfo(context, CL_CONTEXT_DEVICES, size, devices, NULL), "clGetContextInfo");
  queue = clCreateCommandQueue(context, devices[0], 0, &status);
  check(status, "clCreateCommandQueue");
  program = load_program(context, 1, devices, &options);
  build_program(program, devices[0], NULL);
  kernel = clCreateKernel(program, "scale", &status);
  check(status, "clCreateKernel");
  numbers = (cl_uint*)malloc(count * sizeof *numbers);
  expect(numbers != NULL, "out of memory");
  for (n = 0; n < count; ++n) numbers[n] = (cl_uint)n;
  data = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, count * sizeof *numbers, numbers, &status);
  check(status, "clCreateBuffer");
  for (factor = 3; factor < 13; factor += 2) {
    const size_t local = 64;
    check(clSetKernelArg(kernel, 0, sizeof(cl_mem), (void*)&data), "clSetKernelArg(0)");
    check(clSetKernelArg(kernel, 1, sizeof factor, (void*)&factor), "clSetKernelArg(1)");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, &local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    product *= factor;
  }
  check(clFinish(queue), "clFinish");
  check(clEnqueueReadBuffer(queue, data, CL_TRUE, 0, count * sizeof *numbers, numbers, 0, NULL, NULL),
        "clEnqueueReadBuffer");
  for (n = 0; n < count; ++n)
    if (numbers[n] != (cl_uint)n * product) {
      fprintf(stderr, "Error: number %lu is %u\n", (unsigned long)n, numbers[n]);
      return 1;
    }
  clReleaseMemObject(data);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  free(numbers);
  free(devices);
  printf("Passed!\n");
  return 0;
}
