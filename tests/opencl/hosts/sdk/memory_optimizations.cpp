// Copies in seven ways, with groups of many shapes, timed; -x: how often.
#include "sdk.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv, NULL, CL_QUEUE_PROFILING_ENABLE);
  const cl_uint side = 1024, length = side * side;
  const int iterations = static_cast<int>(sample.size(1));
  const std::size_t bytes = static_cast<std::size_t>(length) * sizeof(cl_float4);
  std::vector<float> in(length * 4), out(in.size());
  const std::vector<float> nothing(in.size(), -1.0f);
  sdk::Random random;
  for (std::size_t n = 0; n < in.size(); ++n) in[n] = random.unit();
  const cl_mem source = sample.buffer(CL_MEM_READ_ONLY, bytes), result = sample.buffer(CL_MEM_WRITE_ONLY, bytes);
  sample.write(source, &in[0], bytes);
  const struct {
    const char* name;
    cl_uint vector;
    bool flat;
  } kinds[] = {{"copy1DFastPath", 1, true}, {"copy1DCompletePath", 1, true}, {"copy2Dfloat", 1, false},
               {"copy2Dfloat4", 4, false},  {"copy1Dfloat4", 4, true},       {"NoCoal", 1, true},
               {"Split", 1, true}};
  const std::size_t shapes[][2] = {{64, 2}, {64, 4}, {8, 8}, {256, 1}, {32, 2}, {64, 1}, {16, 16}, {16, 4}, {1, 64}};
  for (int kind = 0; kind < 7; ++kind) {
    sdk::Kernel kernel(sample, kinds[kind].name);
    for (std::size_t shape = 0; shape < (kinds[kind].flat ? 1 : sizeof shapes / sizeof *shapes); ++shape) {
      sample.write(result, &nothing[0], bytes);
      const sdk::Size global = kinds[kind].flat ? sdk::Size(length, 1) : sdk::Size(side, side);
      const sdk::Size local = kinds[kind].flat ? sdk::Size(64, 1) : sdk::Size(shapes[shape][0], shapes[shape][1]);
      for (int n = 0; n < iterations; ++n) kernel.argument(source).argument(result).run(global, local);
      sample.read(result, &out[0], bytes);
      for (cl_uint n = 0; n < kinds[kind].vector * length; ++n) {
        // The last of them leaves out the even places behind the first group.
        if (out[n] == in[n] || (kind == 6 && n % 2 == 0 && n >= 64 && out[n] == -1.0f)) continue;
        return sample.verdict(false);
      }
    }
  }
  return sample.verdict(true);
}
