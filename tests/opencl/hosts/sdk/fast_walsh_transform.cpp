// The Walsh-Hadamard transform, a launch for each step, in place in the memory of the host.
#include "sdk.hpp"

#include <algorithm>

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_uint length = sample.size(1024);
  const std::size_t bytes = length * sizeof(float);
  std::vector<float> values(length), expected(length);
  sdk::Random random;
  for (cl_uint n = 0; n < length; ++n) expected[n] = values[n] = static_cast<float>(random.below(8));
  const cl_mem buffer = sample.buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, &values[0]);
  sdk::Kernel kernel(sample, "fastWalshTransform");
  const std::size_t local = std::min<std::size_t>(kernel.fit(256), length / 2);
  for (cl_int step = 1; step < static_cast<cl_int>(length); step <<= 1)
    kernel.argument(buffer).argument(step).run(length / 2, local);
  sample.read(buffer, &values[0], bytes);
  // Whole numbers, and exact as long as they have 24 bits.
  for (cl_uint step = 1; step < length; step <<= 1)
    for (cl_uint n = 0; n < length; ++n)
      if ((n & step) == 0) {
        const float a = expected[n], b = expected[n + step];
        expected[n] = a + b;
        expected[n + step] = a - b;
      }
  return sample.verdict(sdk::same(values, expected));
}
