// A product of matrices in images of four floats, made by the calls of OpenCL 1.1 in the memory of the host.
#include "sdk.hpp"

namespace {

cl_mem image(sdk::Sample& sample, cl_mem_flags flags, cl_uint width, cl_uint height, float* host) {
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_int status;
  const cl_mem out = clCreateImage2D(sample.context, flags, &format, width / 4, height, 0, host, &status);
  check(status, "clCreateImage2D");
  return sample.keep(out);
}

}  // namespace

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv, NULL, CL_QUEUE_PROFILING_ENABLE);
  cl_bool images = CL_FALSE;
  check(clGetDeviceInfo(sample.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL), "clGetDeviceInfo");
  expect(images, "Expected Error: Image is not supported on the Device");
  const cl_uint height = sample.size(64), inner = height, width = height;
  std::vector<float> a(height * inner), b(inner * width), c(height * width);
  sdk::Random random;
  for (std::size_t n = 0; n < a.size(); ++n) a[n] = 10.0f * random.unit();
  for (std::size_t n = 0; n < b.size(); ++n) b[n] = 10.0f * random.unit();
  std::vector<double> expected(c.size());
  for (cl_uint y = 0; y < height; ++y)
    for (cl_uint k = 0; k < inner; ++k)
      for (cl_uint x = 0; x < width; ++x)
        expected[y * width + x] += static_cast<double>(a[y * inner + k]) * b[k * width + x];
  const cl_mem first = image(sample, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, inner, height, &a[0]);
  const cl_mem second = image(sample, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, width, inner, &b[0]);
  const char* const names[] = {"mmmKernel", "mmmKernel2", "mmmKernel3"};
  bool right = true;
  for (int n = 0; n < 3; ++n) {
    const cl_mem product = image(sample, CL_MEM_WRITE_ONLY, width, height, NULL);
    sdk::Kernel kernel(sample, names[n]);
    kernel.fit(64);
    kernel.argument(first).argument(second).argument(product).argument(inner).argument(width);
    kernel.run(sdk::Size(width / 4, height / (n == 0 ? 4 : 8)), sdk::Size(8, 8));
    const std::size_t origin[] = {0, 0, 0}, region[] = {width / 4, height, 1};
    c.assign(c.size(), -1.0f);
    check(clEnqueueReadImage(sample.queue, product, CL_TRUE, origin, region, 0, 0, &c[0], 0, NULL, NULL),
          "clEnqueueReadImage");
    right = right && sdk::near(&c[0], expected, 1e-4, 1e-2);
  }
  return sample.verdict(right);
}
