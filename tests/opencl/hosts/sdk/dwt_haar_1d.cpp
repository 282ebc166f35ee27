// The Haar wavelet transform of a signal, as many levels at a time as a work-group holds: what is left is written to
// the buffer of the host's memory again.
#include "sdk.hpp"

#include <algorithm>
#include <cmath>

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_uint length = sample.size(1024);
  const std::size_t bytes = length * sizeof(float);
  std::vector<float> signal(length), in(length), out(length), rest(length), result(length);
  sdk::Random random;
  for (cl_uint n = 0; n < length; ++n) signal[n] = static_cast<float>(random.below(10));
  const cl_mem source = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, &in[0]);
  const cl_mem coefficients = sample.buffer(CL_MEM_WRITE_ONLY, bytes),
               averages = sample.buffer(CL_MEM_WRITE_ONLY, bytes);
  sdk::Kernel kernel(sample, "dwtHaar1D");
  const std::size_t most = kernel.fit(256);
  cl_uint perLaunch = 1, levels = 0;
  while (1u << perLaunch <= most) ++perLaunch;
  while (1u << levels < length) ++levels;
  in = signal;
  for (cl_uint done = 0, current = length;;) {
    const cl_uint now = std::min(levels, perLaunch);
    const std::size_t local = (1u << now) / 2;
    sample.write(source, &in[0], bytes);
    kernel.argument(source).argument(coefficients).argument(averages).local(2 * local * sizeof(float));
    kernel.argument(levels).argument(current).argument(done).argument(perLaunch).run(current / 2, local);
    sample.read(coefficients, &out[0], bytes);
    sample.read(averages, &rest[0], bytes);
    std::copy(out.begin() + (current >> now), out.begin() + current, result.begin() + (current >> now));
    levels -= now;
    done += now;
    current >>= now;
    if (levels == 0) break;
    std::copy(rest.begin(), rest.begin() + current, in.begin());
  }
  result[0] = rest[0];
  std::vector<double> expected(length), sums(length);
  for (cl_uint n = 0; n < length; ++n) sums[n] = signal[n] / std::sqrt(static_cast<double>(length));
  for (cl_uint half = length / 2; half > 0; half /= 2)
    for (cl_uint n = 0; n < half; ++n) {
      const double a = sums[2 * n], b = sums[2 * n + 1];
      sums[n] = (a + b) * std::sqrt(0.5);
      expected[half + n] = (a - b) * std::sqrt(0.5);
    }
  expected[0] = sums[0];
  return sample.verdict(sdk::near(&result[0], expected, 1e-3, 1e-4));
}
