// Sums of all numbers before each, of any length: by blocks, then over their sums, and added again.
#include "sdk.hpp"

#include <algorithm>

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_uint length = sample.size(1024);
  sdk::Kernel scan(sample, "ScanLargeArrays"), small(sample, "prefixSum"), add(sample, "blockAddition");
  const cl_uint block = static_cast<cl_uint>(std::min(std::min(scan.fit(256), small.fit(256)), add.fit(256)));
  std::vector<float> in(length), out(length), expected(length);
  sdk::Random random;
  // Exact in 24 bits.
  for (cl_uint n = 0; n < length; ++n) in[n] = static_cast<float>(random.below(3));
  for (cl_uint n = 1; n < length; ++n) expected[n] = expected[n - 1] + in[n - 1];
  std::vector<cl_mem> sums;
  std::vector<cl_mem> scanned;
  sums.push_back(sample.buffer(CL_MEM_READ_ONLY, length * sizeof(float)));
  sample.write(sums[0], &in[0], length * sizeof(float));
  cl_uint rest = length;
  for (; rest > block; rest /= block) {
    scanned.push_back(sample.buffer(CL_MEM_READ_WRITE, rest * sizeof(float)));
    sums.push_back(sample.buffer(CL_MEM_READ_WRITE, rest / block * sizeof(float)));
    scan.argument(scanned.back()).argument(sums[sums.size() - 2]).local(block * sizeof(float));
    scan.argument(block).argument(rest).argument(sums.back()).run(rest / 2, block / 2);
  }
  scanned.push_back(sample.buffer(CL_MEM_READ_WRITE, rest * sizeof(float)));
  small.argument(scanned.back())
      .argument(sums.back())
      .local(rest * sizeof(float))
      .argument(rest)
      .run(rest / 2, rest / 2);
  for (std::size_t n = scanned.size() - 1; n-- > 0;) {
    rest *= block;
    add.argument(scanned[n + 1]).argument(scanned[n]).run(rest, block);
  }
  sample.read(scanned[0], &out[0], length * sizeof(float));
  return sample.verdict(sdk::same(out, expected));
}
