// A sort by bytes: histograms of each work-item in local memory, which the host sums up, and a permutation. Places have
// 16 bits: 65,536 numbers are the most.
#include "sdk.hpp"

#include <algorithm>

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_uint count = sample.size(16384), radices = 256;
  const std::size_t bytes = count * sizeof(cl_uint);
  std::vector<cl_uint> numbers(count), expected(count), bins(count);
  sdk::Random random;
  for (cl_uint n = 0; n < count; ++n) expected[n] = numbers[n] = random.word();
  std::sort(expected.begin(), expected.end());
  sdk::Kernel histogram(sample, "histogram"), permute(sample, "permute");
  const cl_uint local = static_cast<cl_uint>(std::min(histogram.fit(64), permute.fit(64))),
                groups = count / radices / local;
  const cl_mem in = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes),
               out = sample.buffer(CL_MEM_WRITE_ONLY, bytes);
  const cl_mem counts = sample.buffer(CL_MEM_WRITE_ONLY, bytes), scanned = sample.buffer(CL_MEM_READ_ONLY, bytes);
  for (cl_uint shift = 0; shift < 32; shift += 8) {
    sample.write(in, &numbers[0], bytes);
    histogram.argument(in).argument(counts).argument(shift).local(local * radices * sizeof(cl_ushort));
    histogram.run(count / radices, local);
    sample.read(counts, &bins[0], bytes);
    cl_uint sum = 0;
    for (cl_uint radix = 0; radix < radices; ++radix)
      for (cl_uint item = 0; item < groups * local; ++item) {
        const cl_uint value = bins[item * radices + radix];
        bins[item * radices + radix] = sum;
        sum += value;
      }
    sample.write(scanned, &bins[0], bytes);
    permute.argument(in).argument(scanned).argument(shift).local(local * radices * sizeof(cl_ushort)).argument(out);
    permute.run(count / radices, local);
    sample.read(out, &numbers[0], bytes);
  }
  return sample.verdict(sdk::same(numbers, expected));
}
