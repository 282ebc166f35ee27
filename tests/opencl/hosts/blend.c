/* Filters an image, by the calls of OpenCL 1.1. */
#include "common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static cl_float texel(const cl_uchar* image, size_t width, long x, size_t y, int channel) {
  if (x < 0) x = 0;
  if (x >= (long)width) x = (long)width - 1;
  return (cl_float)image[((size_t)x + y * width) * 4 + (size_t)channel] / 255.0f;
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  const size_t width = options.size != 0 ? options.size : 37, height = 21;
  const size_t origin[3] = {0, 0, 0}, region[3] = {width, height, 1};
  const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
  const cl_float gain = 0.5f;
  cl_device_id device = choose_device(choose_platform());
  cl_bool images = CL_FALSE;
  cl_int status;
  cl_context context;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem from, to;
  cl_sampler sampler;
  cl_uchar *in, *out;
  cl_uint state = 23;
  size_t global[2], local[2] = {16, 4}, got_width = 0, n;
  check(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL), "CL_DEVICE_IMAGE_SUPPORT");
  expect(images, "the device has no images");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  program = load_program(context, 1, &device, &options);
  build_program(program, device, options.options);
  kernel = clCreateKernel(program, "blend", &status);
  check(status, "clCreateKernel");
  in = (cl_uchar*)malloc(width * height * 4);
  out = (cl_uchar*)calloc(width * height, 4);
  expect(in != NULL && out != NULL, "out of memory");
  for (n = 0; n < width * height * 4; ++n) in[n] = (cl_uchar)next_random(&state);
  from = clCreateImage2D(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, width, height, 0, in, &status);
  check(status, "clCreateImage2D");
  to = clCreateImage2D(context, CL_MEM_WRITE_ONLY, &format, width, height, 0, NULL, &status);
  check(status, "clCreateImage2D");
  check(clGetImageInfo(to, CL_IMAGE_WIDTH, sizeof got_width, &got_width, NULL), "clGetImageInfo");
  expect(got_width == width, "the image has another width");
  sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &status);
  check(status, "clCreateSampler");
  check(clSetKernelArg(kernel, 0, sizeof from, &from), "clSetKernelArg(0)");
  check(clSetKernelArg(kernel, 1, sizeof to, &to), "clSetKernelArg(1)");
  check(clSetKernelArg(kernel, 2, sizeof sampler, &sampler), "clSetKernelArg(2)");
  check(clSetKernelArg(kernel, 3, sizeof gain, &gain), "clSetKernelArg(3)");
  global[0] = round_up(width, local[0]);
  global[1] = round_up(height, local[1]);
  check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  check(clEnqueueReadImage(queue, to, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL), "clEnqueueReadImage");
  for (n = 0; n < width * height * 4; ++n) {
    const size_t x = n / 4 % width, y = n / 4 / width;
    const int channel = (int)(n % 4);
    const cl_float expected =
        (texel(in, width, (long)x, y, channel) + texel(in, width, (long)x + 1, y, channel)) * gain * 255.0f;
    if (fabsf((cl_float)out[n] - expected) <= 1.0f) continue;
    fprintf(stderr, "Error: channel %d at (%lu, %lu) is %u instead of %g\n", channel, (unsigned long)x,
            (unsigned long)y, out[n], expected);
    return 1;
  }
  clReleaseSampler(sampler);
  clReleaseMemObject(from);
  clReleaseMemObject(to);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  free(in);
  free(out);
  printf("Passed!\n");
  return 0;
}
