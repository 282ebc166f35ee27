// The cosine transform of blocks of 8 x 8, and back: both passes of the sample go along the columns.
#include "sdk.hpp"

#include <cmath>

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_uint width = sample.size(64), height = width, block = 8;
  const std::size_t count = static_cast<std::size_t>(width) * height, bytes = count * sizeof(float);
  std::vector<float> in(count), out(count), back(count), cosines(64);
  sdk::Random random;
  for (std::size_t n = 0; n < count; ++n) in[n] = static_cast<float>(random.below(256));
  for (cl_uint k = 0; k < 8; ++k)
    for (cl_uint i = 0; i < 8; ++i)
      cosines[k * 8 + i] = static_cast<float>((i == 0 ? std::sqrt(0.125) : 0.5) *
                                              std::cos((2 * k + 1) * i * 3.14159265358979323846 / 16));
  const cl_mem source = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, &in[0]);
  const cl_mem result = sample.buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, &out[0]);
  const cl_mem again = sample.buffer(CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, bytes, &back[0]);
  const cl_mem matrix = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, 64 * sizeof(float), &cosines[0]);
  sdk::Kernel kernel(sample, "DCT");
  const sdk::Size global(width, height), local(block, block);
  kernel.fit(block * block);
  for (int n = 0; n < sample.iterations; ++n)
    for (cl_uint inverse = 0; inverse < 2; ++inverse) {
      kernel.argument(inverse != 0 ? again : result).argument(inverse != 0 ? result : source).argument(matrix);
      kernel.local(64 * sizeof(float)).argument(width).argument(block).argument(inverse).run(global, local);
    }
  sample.read(result, &out[0], bytes);
  sample.read(again, &back[0], bytes);
  std::vector<double> expected(count), original(in.begin(), in.end());
  for (cl_uint y = 0; y < height; y += 8)
    for (cl_uint x = 0; x < width; x += 8) {
      double inner[8][8];
      for (cl_uint j = 0; j < 8; ++j)
        for (cl_uint i = 0; i < 8; ++i) {
          inner[j][i] = 0.0;
          for (cl_uint k = 0; k < 8; ++k) inner[j][i] += cosines[k * 8 + j] * in[(y + k) * width + x + i];
        }
      for (cl_uint j = 0; j < 8; ++j)
        for (cl_uint i = 0; i < 8; ++i)
          for (cl_uint k = 0; k < 8; ++k) expected[(y + j) * width + x + i] += cosines[k * 8 + j] * inner[k][i];
    }
  return sample.verdict(sdk::near(&out[0], expected, 1e-4, 1e-2) && sdk::near(&back[0], original, 1e-4, 1e-2));
}
