// A histogram in bytes of local memory, one for each work-item: all 32 KiB that a group may have.
#include "sdk.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_uint width = sample.size(1024), height = width, bins = 256;
  const std::size_t count = static_cast<std::size_t>(width) * height, bytes = count * sizeof(cl_uint);
  std::vector<cl_uint> data(count), total(bins), expected(bins);
  sdk::Random random;
  for (std::size_t n = 0; n < count; ++n) ++expected[data[n] = random.below(bins)];
  const cl_mem in = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, &data[0]);
  sdk::Kernel kernel(sample, "histogram256");
  const std::size_t local = kernel.fit(128), groups = count / bins / local;
  std::vector<cl_uint> parts(groups * bins);
  // Written by the kernel all the same.
  const cl_mem out = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_ALLOC_HOST_PTR, parts.size() * sizeof(cl_uint));
  for (int n = 0; n < sample.iterations; ++n) {
    kernel.argument(in).local(local * bins).argument(out).run(count / bins, local);
    sample.read(out, &parts[0], parts.size() * sizeof(cl_uint));
  }
  for (std::size_t n = 0; n < parts.size(); ++n) total[n % bins] += parts[n];
  return sample.verdict(sdk::same(total, expected));
}
