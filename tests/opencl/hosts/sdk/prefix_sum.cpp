// Sums of all numbers before each, by one work-group.
#include "sdk.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_uint length = sample.size(128);
  const std::size_t bytes = length * sizeof(float);
  std::vector<float> in(length), out(length), expected(length);
  sdk::Random random;
  for (cl_uint n = 0; n < length; ++n) in[n] = static_cast<float>(random.below(11));
  for (cl_uint n = 1; n < length; ++n) expected[n] = expected[n - 1] + in[n - 1];
  const cl_mem source = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, &in[0]);
  const cl_mem result = sample.buffer(CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, bytes, &out[0]);
  sdk::Kernel kernel(sample, "prefixSum");
  expect(kernel.fit(length / 2) == length / 2, "Unsupported: Device does not support requested number of work items.");
  for (int n = 0; n < sample.iterations; ++n) {
    kernel.argument(result).argument(source).local(bytes).argument(length).run(length / 2, length / 2);
    sample.read(result, &out[0], bytes);
  }
  return sample.verdict(sdk::same(out, expected));
}
