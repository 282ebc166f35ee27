// Prices of options in a binomial tree, walked backwards in local memory by groups of 255, with two barriers a step.
#include "sdk.hpp"

#include <cmath>

namespace {

// The weights are the wrong way round in kernel and reference of the sample, too.
double price(float random, int steps) {
  const double risk = 0.02, volatility = 0.30;
  const double s = (1.0 - random) * 5.0 + random * 30.0, x = (1.0 - random) * 1.0 + random * 100.0;
  const double years = (1.0 - random) * 0.25 + random * 10.0, dt = years / steps;
  const double vsdt = volatility * std::sqrt(dt), r = std::exp(risk * dt), u = std::exp(vsdt), d = 1.0 / u;
  const double up = (r - d) / (u - d) / r, down = (1.0 - (r - d) / (u - d)) / r;
  std::vector<double> tree(steps + 1);
  for (int j = 0; j <= steps; ++j) {
    const double profit = s * std::exp(vsdt * (2.0 * j - steps)) - x;
    tree[j] = profit > 0.0 ? profit : 0.0;
  }
  for (int j = steps; j > 0; --j)
    for (int k = 0; k < j; ++k) tree[k] = up * tree[k] + down * tree[k + 1];
  return tree[0];
}

}  // namespace

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  sample.manner = sdk::kFinish;
  const cl_uint samples = sample.size(256) / 4;
  const std::size_t bytes = samples * sizeof(cl_float4);
  std::vector<float> random(samples * 4), out(samples * 4);
  sdk::Random numbers;
  for (std::size_t n = 0; n < random.size(); ++n) random[n] = numbers.unit();
  const cl_mem in = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, &random[0]);
  const cl_mem result = sample.buffer(CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, bytes, &out[0]);
  sdk::Kernel kernel(sample, "binomial_options");
  const cl_int steps = kernel.fit(255) < 255 ? static_cast<cl_int>(kernel.fit(255)) - 2 : 254;
  for (int n = 0; n < sample.iterations; ++n) {
    kernel.argument(steps).argument(in).argument(result);
    kernel.local((steps + 1) * sizeof(cl_float4)).local(steps * sizeof(cl_float4));
    kernel.run(samples * (steps + 1), steps + 1);
    sample.read(result, &out[0], bytes);
  }
  std::vector<double> expected(random.size());
  for (std::size_t n = 0; n < random.size(); ++n) expected[n] = price(random[n], steps);
  return sample.verdict(sdk::near(&out[0], expected, 1e-3, 1e-3));
}
