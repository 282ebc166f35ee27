/* Counts values on two devices, or on two parts of one, each with a queue of its own, from one program with a binary
 * for each. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCAL 64
#define PER_ITEM 8
#define BINS 64

/* By the extension of OpenCL 1.1 where the device has it, as AMD's CPUs and GPUs did; by OpenCL 1.2 otherwise. */
static cl_uint divide(cl_device_id device, cl_device_id parts[2]) {
  cl_uint units = 0, count = 0;
  cl_int status;
  check(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
        "CL_DEVICE_MAX_COMPUTE_UNITS");
  if (units < 2) return 0;
  if (has_extension(device, "cl_ext_device_fission")) {
    void* const address = clGetExtensionFunctionAddress("clCreateSubDevicesEXT");
    clCreateSubDevicesEXT_fn create = NULL;
    const cl_device_partition_property_ext how[3] = {CL_DEVICE_PARTITION_EQUALLY_EXT, units / 2,
                                                     CL_PROPERTIES_LIST_END_EXT};
    memcpy(&create, &address, sizeof create);
    expect(create != NULL, "there is no clCreateSubDevicesEXT");
    status = create(device, how, 2, parts, &count);
    printf("divided by the extension\n");
  } else {
    cl_device_partition_property how[3] = {CL_DEVICE_PARTITION_EQUALLY, 0, 0};
    how[1] = (cl_device_partition_property)(units / 2);
    status = clCreateSubDevices(device, how, 2, parts, &count);
    printf("divided by OpenCL 1.2\n");
  }
  if (status != CL_SUCCESS) {
    printf("the device cannot be divided (%d)\n", (int)status);
    return 0;
  }
  return count < 2 ? count : 2;
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const size_t groups = options.size != 0 ? options.size : 12;
  const size_t per_half = groups * LOCAL * PER_ITEM;
  cl_platform_id platform = choose_platform();
  cl_device_id device, parts[2];
  cl_uint devices = 0, count = 0, n, expected[BINS] = {0}, got[BINS] = {0}, state = 11, per_item = PER_ITEM;
  cl_int status;
  cl_context context;
  cl_program program;
  cl_command_queue queues[2];
  cl_kernel kernels[2];
  cl_mem in[2], bins[2];
  cl_event done[2];
  cl_uint* values = (cl_uint*)malloc(2 * per_half * sizeof(cl_uint));
  const cl_uint zeroes[BINS] = {0};
  size_t global = groups * LOCAL, local = LOCAL, i, sizes[2] = {0, 0}, most = 0;
  int divided = 0;
  expect(values != NULL, "out of memory");
  device = choose_device(platform);
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, parts, &devices) == CL_SUCCESS && devices >= 2) {
    printf("two devices\n");
    count = 2;
  } else {
    count = divide(device, parts);
    divided = count == 2;
  }
  if (count < 2) {
    count = 1;
    parts[0] = parts[1] = device;
  }
  context = clCreateContext(NULL, count, parts, NULL, NULL, &status);
  check(status, "clCreateContext");
  program = load_program(context, count, parts, &options);
  status = clBuildProgram(program, 0, NULL, options.options, NULL, NULL);
  check(status, "clBuildProgram");
  check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL), "CL_PROGRAM_BINARY_SIZES");
  expect(sizes[0] != 0 || sizes[1] != 0, "no device has a binary");
  for (i = 0; i < 2 * per_half; ++i) ++expected[(values[i] = next_random(&state) % 1000) % BINS];
  for (n = 0; n < 2; ++n) {
    queues[n] = clCreateCommandQueue(context, parts[n], 0, &status);
    check(status, "clCreateCommandQueue");
    kernels[n] = clCreateKernel(program, "count_values", &status);
    check(status, "clCreateKernel");
    check(clGetKernelWorkGroupInfo(kernels[n], parts[n], CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL),
          "CL_KERNEL_WORK_GROUP_SIZE");
    expect(most >= LOCAL, "groups of 64 are too large");
    in[n] = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, per_half * sizeof(cl_uint),
                           values + n * per_half, &status);
    check(status, "clCreateBuffer");
    bins[n] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zeroes, (void*)zeroes, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernels[n], 0, sizeof(cl_mem), &bins[n]), "clSetKernelArg");
    check(clSetKernelArg(kernels[n], 1, sizeof(cl_mem), &in[n]), "clSetKernelArg");
    check(clSetKernelArg(kernels[n], 2, sizeof per_item, &per_item), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queues[n], kernels[n], 1, NULL, &global, &local, 0, NULL, &done[n]),
          "clEnqueueNDRangeKernel");
    check(clFlush(queues[n]), "clFlush");
  }
  check(clWaitForEvents(2, done), "clWaitForEvents");
  for (n = 0; n < 2; ++n) {
    cl_uint part[BINS];
    check(clEnqueueReadBuffer(queues[n], bins[n], CL_TRUE, 0, sizeof part, part, 0, NULL, NULL), "clEnqueueReadBuffer");
    for (i = 0; i < BINS; ++i) got[i] += part[i];
  }
  for (n = 0; n < 2; ++n) {
    clReleaseEvent(done[n]);
    clReleaseMemObject(in[n]);
    clReleaseMemObject(bins[n]);
    clReleaseKernel(kernels[n]);
    clReleaseCommandQueue(queues[n]);
  }
  clReleaseProgram(program);
  clReleaseContext(context);
  if (divided) {
    check(clReleaseDevice(parts[0]), "clReleaseDevice");
    check(clReleaseDevice(parts[1]), "clReleaseDevice");
  }
  free(values);
  if (memcmp(got, expected, sizeof got) != 0) {
    fprintf(stderr, "Error: bin 0 holds %u instead of %u\n", got[0], expected[0]);
    return 1;
  }
  printf("Passed!\n");
  return 0;
}
