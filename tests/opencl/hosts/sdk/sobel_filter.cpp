// Edges of a picture: vectors of bytes, floats and a square root.
#include "sdk.hpp"

#include <cmath>

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_int width = static_cast<cl_int>(sample.size(256)), height = width;
  std::vector<cl_uchar> in = sdk::picture(width, height), out(in.size());
  const cl_mem source = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, in.size(), &in[0]);
  const cl_mem result = sample.buffer(CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, out.size(), &out[0]);
  sdk::Kernel kernel(sample, "sobel_filter");
  for (int n = 0; n < sample.iterations; ++n) {
    kernel.argument(source).argument(result).run(sdk::Size(width, height), sdk::Size(kernel.fit(256), 1));
    sample.read(result, &out[0], out.size());
  }
  bool right = true;
  for (cl_int y = 1; y + 1 < height; ++y)
    for (cl_int x = 1; x + 1 < width; ++x)
      for (cl_int c = 0; c < 4; ++c) {
        const cl_uchar* const at = &in[(y * width + x) * 4 + c];
        const cl_int row = width * 4;
        const double gx = at[-row - 4] + 2 * at[-row] + at[-row + 4] - at[row - 4] - 2 * at[row] - at[row + 4];
        const double gy = at[-row - 4] - at[-row + 4] + 2 * at[-4] - 2 * at[4] + at[row - 4] - at[row + 4];
        const double length = std::sqrt(gx * gx + gy * gy) / 2.0;
        const cl_uchar got = out[(y * width + x) * 4 + c];
        right = right && (got == static_cast<cl_uchar>(static_cast<cl_int>(length - 1e-3)) ||
                          got == static_cast<cl_uchar>(static_cast<cl_int>(length + 1e-3)));
      }
  return sample.verdict(right);
}
