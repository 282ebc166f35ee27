// Copies of images of two and three dimensions with a sampler in the kernel; images in the memory of the
// host, by the calls of OpenCL 1.1.
#include "sdk.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  cl_bool images = CL_FALSE;
  check(clGetDeviceInfo(sample.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL), "clGetDeviceInfo");
  expect(images, "Expected Error: Image is not supported on the Device");
  const std::size_t width = sample.size(256), height = width;
  std::vector<cl_uchar> in = sdk::picture(static_cast<cl_uint>(width), static_cast<cl_uint>(height));
  std::vector<cl_uchar> out2(in.size()), out3(in.size());
  const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
  cl_int status;
  const cl_mem flat = sample.keep(clCreateImage2D(sample.context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, &format,
                                                  width, height, 0, &in[0], &status));
  check(status, "clCreateImage2D");
  // The lower half of the picture is a slice of its own.
  const cl_mem deep = sample.keep(clCreateImage3D(sample.context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, &format,
                                                  width, height / 2, 2, 0, 0, &in[0], &status));
  check(status, "clCreateImage3D");
  const cl_mem first =
      sample.keep(clCreateImage2D(sample.context, CL_MEM_WRITE_ONLY, &format, width, height, 0, NULL, &status));
  check(status, "clCreateImage2D");
  const cl_mem second =
      sample.keep(clCreateImage2D(sample.context, CL_MEM_WRITE_ONLY, &format, width, height, 0, NULL, &status));
  check(status, "clCreateImage2D");
  sdk::Kernel copy2(sample, "image2dCopy"), copy3(sample, "image3dCopy");
  const sdk::Size global(width, height);
  const std::size_t origin[] = {0, 0, 0}, region[] = {width, height, 1};
  for (int n = 0; n < sample.iterations; ++n) {
    copy2.argument(flat).argument(first).run(global, copy2.square(256));
    copy3.argument(deep).argument(second).run(global, copy3.square(256));
    check(clEnqueueReadImage(sample.queue, first, CL_TRUE, origin, region, 0, 0, &out2[0], 0, NULL, NULL),
          "clEnqueueReadImage");
    check(clEnqueueReadImage(sample.queue, second, CL_TRUE, origin, region, 0, 0, &out3[0], 0, NULL, NULL),
          "clEnqueueReadImage");
  }
  return sample.verdict(sdk::same(out2, in) && sdk::same(out3, in));
}
