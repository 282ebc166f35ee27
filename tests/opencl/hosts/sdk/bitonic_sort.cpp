// A sort by a hundred and more short launches, upwards and downwards, whose events are polled.
#include "sdk.hpp"

#include <algorithm>
#include <functional>

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  sample.manner = sdk::kPoll;
  const cl_uint length = sample.size(32768);
  const std::size_t bytes = length * sizeof(cl_uint);
  std::vector<cl_uint> numbers(length);
  sdk::Random random;
  for (cl_uint n = 0; n < length; ++n) numbers[n] = random.word();
  const cl_mem buffer = sample.buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, &numbers[0]);
  sdk::Kernel kernel(sample, "bitonicSort");
  const std::size_t local = std::min<std::size_t>(kernel.fit(256), length / 2);
  bool right = true;
  for (cl_uint increasing = 0; increasing < 2; ++increasing) {
    std::vector<cl_uint> expected(numbers);
    if (increasing != 0)
      std::sort(expected.begin(), expected.end());
    else
      std::sort(expected.begin(), expected.end(), std::greater<cl_uint>());
    cl_uint stages = 0;
    while (length >> (stages + 1) != 0) ++stages;
    for (cl_uint stage = 0; stage < stages; ++stage)
      for (cl_uint pass = 0; pass <= stage; ++pass) {
        kernel.argument(buffer).argument(stage).argument(pass).argument(length).argument(increasing);
        kernel.run(length / 2, local);
      }
    sample.read(buffer, &numbers[0], bytes);
    right = right && sdk::same(numbers, expected);
  }
  return sample.verdict(right);
}
