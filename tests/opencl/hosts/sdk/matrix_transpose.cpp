// A matrix transposed by tiles in local memory.
#include "sdk.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_uint width = sample.size(64), height = width / 2;
  const std::size_t count = static_cast<std::size_t>(width) * height, bytes = count * sizeof(float);
  std::vector<float> in(count), out(count), expected(count);
  sdk::Random random;
  for (cl_uint y = 0; y < height; ++y)
    for (cl_uint x = 0; x < width; ++x) expected[x * height + y] = in[y * width + x] = random.unit();
  const cl_mem source = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, &in[0]);
  const cl_mem result = sample.buffer(CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, bytes, &out[0]);
  sdk::Kernel kernel(sample, "matrixTranspose");
  const sdk::Size local = kernel.square(256);
  const cl_uint block = static_cast<cl_uint>(local.at[0]);
  for (int n = 0; n < sample.iterations; ++n) {
    kernel.argument(result).argument(source).local(block * block * sizeof(float));
    kernel.argument(width).argument(height).argument(block).run(sdk::Size(width, height), local);
    sample.read(result, &out[0], bytes);
  }
  return sample.verdict(sdk::same(out, expected));
}
