/* Arguments by value of every width, given by the sizes of the host's types, and a launch with an offset in three
 * dimensions. */
#include "common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static cl_kernel kernel_with_output(const char* name, cl_mem output) {
  cl_int status;
  cl_kernel kernel = clCreateKernel(program, name, &status);
  check(status, name);
  check(clSetKernelArg(kernel, 0, sizeof(cl_mem), &output), "clSetKernelArg(0)");
  return kernel;
}

static cl_mem buffer(size_t bytes) {
  cl_int status;
  cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &status);
  check(status, "clCreateBuffer");
  return out;
}

static void finish(cl_kernel kernel, cl_mem output, size_t bytes, void* to) {
  check(clEnqueueReadBuffer(queue, output, CL_TRUE, 0, bytes, to, 0, NULL, NULL), "clEnqueueReadBuffer");
  check(clReleaseKernel(kernel), "clReleaseKernel");
  check(clReleaseMemObject(output), "clReleaseMemObject");
}

static void integers(void) {
  const cl_char a = -7;
  const cl_uchar b = 250;
  const cl_short c = -30000;
  const cl_ushort d = 65000;
  const cl_int e = -2000000000;
  const cl_uint f = 4000000000u;
  const cl_long g = -((cl_long)1 << 40);
  const cl_ulong h = (cl_ulong)3 << 50;
  const cl_long expected[8] = {
      -7, 250, -30000, 65000, -2000000000, 4000000000ll, -((cl_long)1 << 40), (cl_long)3 << 50};
  cl_long got[8];
  cl_mem output = buffer(sizeof got);
  cl_kernel kernel = kernel_with_output("take_integers", output);
  check(clSetKernelArg(kernel, 1, sizeof a, &a), "clSetKernelArg(1)");
  check(clSetKernelArg(kernel, 2, sizeof b, &b), "clSetKernelArg(2)");
  check(clSetKernelArg(kernel, 3, sizeof c, &c), "clSetKernelArg(3)");
  check(clSetKernelArg(kernel, 4, sizeof d, &d), "clSetKernelArg(4)");
  check(clSetKernelArg(kernel, 5, sizeof e, &e), "clSetKernelArg(5)");
  check(clSetKernelArg(kernel, 6, sizeof f, &f), "clSetKernelArg(6)");
  check(clSetKernelArg(kernel, 7, sizeof g, &g), "clSetKernelArg(7)");
  check(clSetKernelArg(kernel, 8, sizeof h, &h), "clSetKernelArg(8)");
  check(clEnqueueTask(queue, kernel, 0, NULL, NULL), "clEnqueueTask");
  finish(kernel, output, sizeof got, got);
  expect(memcmp(got, expected, sizeof got) == 0, "integers by value arrive as others");
}

static void vectors(void) {
  cl_float3 a;
  const cl_float b = 0.25f;
  cl_uchar4 c;
  cl_int3 d;
  cl_float4 e;
  cl_short2 f;
  cl_float16 g;
  cl_float got[12];
  const cl_float expected[12] = {1.0f,  2.0f,  3.0f,  0.25f, 9.0f + 256.0f * 200.0f, 4.0f, -7.0f, 1.5f,
                                 -4.5f, -6.0f, 15.0f, 9.0f};
  int n;
  cl_mem output = buffer(sizeof got);
  cl_kernel kernel = kernel_with_output("take_vectors", output);
  memset(&a, 0xcd, sizeof a);
  memset(&d, 0xcd, sizeof d);
  for (n = 0; n < 3; ++n) a.s[n] = (cl_float)(n + 1);
  for (n = 0; n < 4; ++n) c.s[n] = (cl_uchar)(n == 0 ? 9 : n == 3 ? 200 : 1);
  d.s[0] = 10;
  d.s[1] = -6;
  d.s[2] = -7;
  for (n = 0; n < 4; ++n) e.s[n] = 1.5f - 2.0f * (cl_float)n;
  f.s[0] = -2;
  f.s[1] = 3;
  for (n = 0; n < 16; ++n) g.s[n] = (cl_float)n;
  expect(sizeof a == 16 && sizeof d == 16, "vectors of three have the size of four");
  check(clSetKernelArg(kernel, 1, sizeof a, &a), "clSetKernelArg(1)");
  check(clSetKernelArg(kernel, 2, sizeof b, &b), "clSetKernelArg(2)");
  check(clSetKernelArg(kernel, 3, sizeof c, &c), "clSetKernelArg(3)");
  check(clSetKernelArg(kernel, 4, sizeof d, &d), "clSetKernelArg(4)");
  check(clSetKernelArg(kernel, 5, sizeof e, &e), "clSetKernelArg(5)");
  check(clSetKernelArg(kernel, 6, sizeof f, &f), "clSetKernelArg(6)");
  check(clSetKernelArg(kernel, 7, sizeof g, &g), "clSetKernelArg(7)");
  check(clEnqueueTask(queue, kernel, 0, NULL, NULL), "clEnqueueTask");
  finish(kernel, output, sizeof got, got);
  for (n = 0; n < 12; ++n)
    if (got[n] != expected[n]) {
      fprintf(stderr, "Error: component %d is %g instead of %g\n", n, got[n], expected[n]);
      exit(1);
    }
}

static void places(void) {
  const size_t offset[3] = {2, 1, 3}, global[3] = {4, 6, 2}, local[3] = {2, 3, 1};
  cl_uint got[512], x, y, z;
  cl_mem output = buffer(sizeof got);
  cl_kernel kernel = kernel_with_output("place", output);
  memset(got, 0xff, sizeof got);
  check(clEnqueueWriteBuffer(queue, output, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL), "clEnqueueWriteBuffer");
  check(clEnqueueNDRangeKernel(queue, kernel, 3, offset, global, local, 0, NULL, NULL), "clEnqueueNDRangeKernel");
  finish(kernel, output, sizeof got, got);
  for (z = 0; z < 8; ++z)
    for (y = 0; y < 8; ++y)
      for (x = 0; x < 8; ++x) {
        const int inside = x >= 2 && x < 6 && y >= 1 && y < 7 && z >= 3 && z < 5;
        const cl_uint expected = inside ? x | y << 8 | z << 16 : 0xffffffffu;
        if (got[(z * 8 + y) * 8 + x] == expected) continue;
        fprintf(stderr, "Error: (%u, %u, %u) is %x instead of %x\n", x, y, z, got[(z * 8 + y) * 8 + x], expected);
        exit(1);
      }
}

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  cl_device_id device = choose_device(choose_platform());
  cl_int status;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  program = load_program(context, 1, &device, &options);
  build_program(program, device, options.options != NULL ? options.options : "");
  integers();
  vectors();
  places();
  /* In the order of those who do not count: everything else first. */
  check(clReleaseContext(context), "clReleaseContext");
  check(clReleaseCommandQueue(queue), "clReleaseCommandQueue");
  check(clReleaseProgram(program), "clReleaseProgram");
  printf("Passed!\n");
  return 0;
}
