// A sum of vectors by groups, whose parts the host adds from the memory it gave for the result.
#include "sdk.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  sample.manner = sdk::kFinish;
  const cl_uint length = sample.size(4096);
  std::vector<cl_uint> in(length * 4);
  sdk::Random random;
  cl_uint expected = 0, got = 0;
  for (std::size_t n = 0; n < in.size(); ++n) expected += in[n] = random.word();
  const cl_mem source = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, in.size() * sizeof(cl_uint), &in[0]);
  sdk::Kernel kernel(sample, "reduce");
  const std::size_t local = kernel.fit(256), groups = length / local;
  std::vector<cl_uint> parts(groups * 4);
  const cl_mem out = sample.buffer(CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, parts.size() * sizeof(cl_uint), &parts[0]);
  bool right = true;
  for (int n = 0; n < sample.iterations; ++n) {
    kernel.argument(source).argument(out).local(local * sizeof(cl_uint4)).run(length, local);
    sample.read(out, &parts[0], parts.size() * sizeof(cl_uint));
    got = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) got += parts[part];
    right = right && got == expected;
  }
  return sample.verdict(right);
}
