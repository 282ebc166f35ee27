// A convolution with a mask: vectors of two as arguments.
#include "sdk.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  sample.manner = sdk::kPoll;
  const cl_int width = static_cast<cl_int>(sample.size(64)), height = width, size = 3;
  const std::size_t bytes = static_cast<std::size_t>(width) * height * sizeof(cl_uint);
  std::vector<cl_uint> in(width * height), out(in.size()), expected(in.size());
  std::vector<float> mask(size * size, 1.0f / (size * size));
  sdk::Random random;
  for (std::size_t n = 0; n < in.size(); ++n) in[n] = random.below(256);
  const cl_mem source = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, &in[0]);
  const cl_mem result = sample.buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, &out[0]);
  const cl_mem weights = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, mask.size() * sizeof(float), &mask[0]);
  const cl_uint2 dimensions = {{static_cast<cl_uint>(width), static_cast<cl_uint>(height)}}, sizes = {{3, 3}};
  sdk::Kernel kernel(sample, "simpleConvolution");
  for (int n = 0; n < sample.iterations; ++n) {
    kernel.argument(result).argument(source).argument(weights).argument(dimensions).argument(sizes);
    kernel.run(in.size(), kernel.fit(256));
    sample.read(result, &out[0], bytes);
  }
  bool right = true;
  for (cl_int y = 0; y < height; ++y)
    for (cl_int x = 0; x < width; ++x) {
      double sum = 0.5;
      for (cl_int j = -1; j <= 1; ++j)
        for (cl_int i = -1; i <= 1; ++i)
          if (x + i >= 0 && x + i < width && y + j >= 0 && y + j < height)
            sum += static_cast<double>(in[(y + j) * width + x + i]) * mask[(j + 1) * size + i + 1];
      const cl_uint got = out[y * width + x];
      // A ninth is no float: a sum near a whole number may be cut to either side.
      right = right && (got == static_cast<cl_uint>(sum - 1e-3) || got == static_cast<cl_uint>(sum + 1e-3));
    }
  return sample.verdict(right);
}
