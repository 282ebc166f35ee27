// A product of matrices with and without local memory. Between two tiles the samples have no barrier: a group is one
// wavefront, whose work-items went in step.
#include "sdk.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv, NULL, CL_QUEUE_PROFILING_ENABLE);
  sample.manner = sdk::kPoll;
  const cl_uint n = sample.size(64);
  const std::size_t bytes = static_cast<std::size_t>(n) * n * sizeof(float);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  sdk::Random random;
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = 10.0f * random.unit(), b[k] = 10.0f * random.unit();
  std::vector<double> expected(c.size());
  for (cl_uint y = 0; y < n; ++y)
    for (cl_uint k = 0; k < n; ++k)
      for (cl_uint x = 0; x < n; ++x) expected[y * n + x] += static_cast<double>(a[y * n + k]) * b[k * n + x];
  const cl_mem first = sample.buffer(CL_MEM_READ_ONLY | sdk::kPersistent, bytes);
  const cl_mem second = sample.buffer(CL_MEM_READ_ONLY | sdk::kPersistent, bytes);
  const cl_mem product = sample.buffer(CL_MEM_WRITE_ONLY | CL_MEM_ALLOC_HOST_PTR, bytes);
  sample.write(first, &a[0], bytes);
  sample.write(second, &b[0], bytes);
  const sdk::Size global(n / 4, n / 4);
  sdk::Kernel plain(sample, "mmmKernel"), one(sample, "mmmKernel_local"), both(sample, "mmmKernel_local2");
  // Larger ones with smaller groups too.
  const int kinds = n > 64 ? 6 : 3;
  bool right = true;
  for (int kind = 0; kind < kinds; kind += sample.hasLocal ? 1 : 3)
    for (int iteration = 0; iteration < sample.iterations; ++iteration) {
      sdk::Kernel& kernel = kind % 3 == 0 ? plain : kind % 3 == 1 ? one : both;
      const cl_uint block = kind < 3 ? 8 : 4;
      const std::size_t tile = block * 4 * block * 4 * sizeof(float);
      kernel.argument(first).argument(second).argument(product).argument(n);
      // What another kernel left would do.
      const std::vector<float> nothing(c.size(), -1.0f);
      sample.write(product, &nothing[0], bytes);
      if (kind % 3 == 0) kernel.argument(n);
      if (kind % 3 > 0) kernel.local(tile);
      if (kind % 3 > 1) kernel.local(tile);
      kernel.run(global, sdk::Size(block, block));
      cl_int status;
      cl_event mapped, unmapped;
      float* const got = static_cast<float*>(
          clEnqueueMapBuffer(sample.queue, product, CL_FALSE, CL_MAP_READ, 0, bytes, 0, NULL, &mapped, &status));
      check(status, "clEnqueueMapBuffer");
      sample.complete(mapped);
      right = right && sdk::near(got, expected, 1e-4, 1e-2);
      check(clEnqueueUnmapMemObject(sample.queue, product, got, 0, NULL, &unmapped), "clEnqueueUnmapMemObject");
      sample.complete(unmapped);
    }
  return sample.verdict(right);
}
