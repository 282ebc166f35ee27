// A search that divides its array into as many parts as there are work-items, again and again, with a result that only
// one work-item writes.
#include "sdk.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_uint length = sample.size(512);
  std::vector<cl_uint> numbers(length);
  sdk::Random random;
  for (cl_uint n = 1; n < length; ++n) numbers[n] = numbers[n - 1] + 1 + random.below(40);
  cl_uint out[4] = {0, 0, 0, 0};
  const cl_mem in = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, length * sizeof(cl_uint), &numbers[0]);
  const cl_mem found = sample.buffer(CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, sizeof out, out);
  sdk::Kernel kernel(sample, "binarySearch");
  const cl_uint local = static_cast<cl_uint>(kernel.fit(256));
  const cl_uint parts = length / local < local ? local : length / local / local * local;
  bool right = true;
  for (cl_uint search = 0; search < 8 * static_cast<cl_uint>(sample.iterations); ++search) {
    // Some that are there, and some that are not.
    const cl_uint place = search == 0 ? length - 1 : random.below(length - 1);
    const cl_uint wanted = numbers[place] + (search % 3 == 2 ? 1 : 0);
    const bool there = search % 3 != 2 || (place + 1 < length && numbers[place + 1] == wanted);
    cl_uint lower = 0, upper = length - 1;
    out[3] = 1;
    for (cl_uint part = length / parts; part > 1 && out[3] != 0; part = (upper - lower + 1) / parts) {
      out[3] = 0;
      sample.write(found, out, sizeof out);
      kernel.argument(found).argument(in).argument(wanted).argument(lower).argument(upper).argument(part);
      kernel.run(parts, local);
      sample.read(found, out, sizeof out);
      if (out[3] == 0) break;
      lower = out[0];
      upper = out[1];
    }
    bool is = false;
    for (cl_uint n = lower; n <= upper && n < length; ++n) is = is || numbers[n] == wanted;
    // A number between two parts is in none.
    right = right && is == there && (!there || upper - lower < length);
  }
  return sample.verdict(right);
}
