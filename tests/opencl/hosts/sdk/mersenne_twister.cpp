// Normally distributed random numbers, several from each seed: private arrays and a table of constants.
#include "twister.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_uint width = sample.size(64), height = width;
  const std::size_t seeds = static_cast<std::size_t>(width) * height;
  std::vector<cl_uint> seed(seeds * 4);
  sdk::Random random;
  for (std::size_t n = 0; n < seed.size(); ++n) seed[n] = random.word();
  const cl_mem in = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, seed.size() * 4, &seed[0]);
  sdk::Kernel kernel(sample, "gaussianRand");
  bool right = true;
  for (cl_uint factor = 2; factor <= 8; factor *= 2) {
    std::vector<float> out(seeds * factor * 4);
    const cl_mem result = sample.buffer(CL_MEM_WRITE_ONLY, out.size() * 4);
    sample.write(in, &seed[0], seed.size() * 4);
    kernel.argument(in).argument(width).argument(factor).argument(result);
    kernel.run(sdk::Size(width, height), kernel.square(256));
    sample.read(result, &out[0], out.size() * 4);
    std::vector<double> expected(out.size());
    double mean = 0.0;
    for (std::size_t n = 0; n < seeds; ++n) {
      sdk::Block block;
      for (int c = 0; c < 4; ++c) block.at[c] = seed[n * 4 + c];
      const sdk::Twister twister(block);
      for (cl_uint pair = 0; pair < factor / 2; ++pair)
        for (int c = 0; c < 4; ++c) {
          double* const at = &expected[(n * factor + pair * 2) * 4 + c];
          sdk::normal(twister.made[pair].at[c], twister.made[pair + 1].at[c], at, at + 4);
        }
    }
    for (std::size_t n = 0; n < out.size(); ++n) mean += out[n] / static_cast<double>(out.size());
    right = right && sdk::near(&out[0], expected, 1e-3, 2e-3) && std::fabs(mean) < 0.1;
  }
  return sample.verdict(right);
}
