// Noise on a picture from a generator with a table in local memory.
#include "sdk.hpp"

#include <cstdlib>

namespace {

cl_int next(cl_int seed) {
  const cl_int k = seed / 127773;
  seed = 16807 * (seed - k * 127773) - 2836 * k;
  return seed < 0 ? seed + 2147483647 : seed;
}

// Between 0 and 1, from the generator of Park and Miller with a shuffle by Bays and Durham over sixteen numbers.
float uniform(cl_int seed) {
  cl_int table[16];
  for (int j = 16; j >= 0; --j) {
    seed = next(seed);
    if (j < 16) table[j] = seed;
  }
  return static_cast<float>(table[table[0] / (1 + 2147483646 / 16)]) / 2147483647.0f;
}

}  // namespace

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv, "");
  const cl_uint width = sample.size(256), height = width;
  const cl_int factor = 25;
  std::vector<cl_uchar> in = sdk::picture(width, height), out(in.size());
  const cl_mem source = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, in.size(), &in[0]);
  const cl_mem result = sample.buffer(CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, out.size(), &out[0]);
  sdk::Kernel kernel(sample, "noise_uniform");
  for (int n = 0; n < sample.iterations; ++n) {
    kernel.argument(source).argument(result).argument(factor);
    kernel.run(sdk::Size(width, height), sdk::Size(kernel.fit(64), 1));
    sample.read(result, &out[0], out.size());
  }
  bool right = true;
  double mean = 0.0;
  for (std::size_t n = 0; n < in.size(); n += 4) {
    // Green counts twice, and the fourth channel does not.
    const cl_int sum = in[n] + 2 * in[n + 1] + in[n + 2];
    const float shift = (uniform(-sum / 4) - 0.55f) * factor;
    for (int c = 0; c < 4; ++c) {
      const float value = in[n + c] + shift, limited = value < 0.0f ? 0.0f : value > 255.0f ? 255.0f : value;
      right = right && std::abs(out[n + c] - static_cast<int>(limited)) <= 1;
    }
    mean += (out[n] - in[n]) / static_cast<double>(width * height * factor);
  }
  return sample.verdict(right && mean < 1.0 && mean > -1.0);
}
