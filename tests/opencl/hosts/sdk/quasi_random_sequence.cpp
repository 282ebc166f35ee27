// A quasi-random sequence of many dimensions from direction numbers, which all work-items of a group write to the same
// local memory.
#include "sdk.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  sample.manner = sdk::kFinish;
  const cl_uint dimensions = sample.size(64), directions = 32;
  sdk::Kernel kernel(sample, "QuasiRandomSequence");
  const cl_uint local = static_cast<cl_uint>(kernel.fit(1024 / 4)), vectors = local * 4;
  std::vector<cl_uint> numbers(dimensions * directions);
  std::vector<float> out(dimensions * vectors), expected(out.size());
  sdk::Random random;
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const cl_uint bit = 0x80000000u >> n % directions;
    numbers[n] = n < directions ? bit : (bit | random.word()) & ~(bit - 1);
  }
  for (cl_uint d = 0; d < dimensions; ++d)
    for (cl_uint v = 0; v < vectors; ++v) {
      cl_uint sum = 0;
      for (cl_uint bit = 0; bit < directions; ++bit)
        if ((v >> bit & 1) != 0) sum ^= numbers[d * directions + bit];
      expected[d * vectors + v] = static_cast<float>(sum) / 4294967296.0f;
    }
  const cl_mem in = sample.buffer(CL_MEM_READ_ONLY, numbers.size() * sizeof(cl_uint));
  const cl_mem result = sample.buffer(CL_MEM_WRITE_ONLY, out.size() * sizeof(float));
  for (int n = 0; n < sample.iterations; ++n) {
    sample.write(in, &numbers[0], numbers.size() * sizeof(cl_uint));
    kernel.argument(result).argument(in).local(directions * sizeof(cl_uint)).run(dimensions * local, local);
    sample.read(result, &out[0], out.size() * sizeof(float));
  }
  return sample.verdict(sdk::same(out, expected));
}
