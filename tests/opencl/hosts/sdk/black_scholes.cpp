// Prices of options by formula: exponents, logarithms and roots, with a table of constants in the binary.
#include "sdk.hpp"

#include <cmath>

namespace {

double phi(double x) {
  const double a = std::fabs(x), t = 1.0 / (1.0 + 0.2316419 * a);
  const double sum = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const double y = 1.0 - 0.398942280 * std::exp(-x * x / 2.0) * sum;
  return x < 0.0 ? 1.0 - y : y;
}

void prices(float random, double* call, double* put) {
  const double i = random, s = 10.0 * i + 100.0 * (1.0 - i), k = s, t = 1.0 * i + 10.0 * (1.0 - i);
  const double r = 0.01 * i + 0.05 * (1.0 - i), sigma = 0.01 * i + 0.10 * (1.0 - i), root = sigma * std::sqrt(t);
  const double d1 = (std::log(s / k) + (r + sigma * sigma / 2.0) * t) / root, d2 = d1 - root;
  const double later = k * std::exp(-r * t);
  *call = s * phi(d1) - later * phi(d2);
  *put = later * phi(-d2) - s * phi(-d1);
}

}  // namespace

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_uint width = sample.size(64), height = width;
  const std::size_t count = static_cast<std::size_t>(width) * height * 4, bytes = count * sizeof(float);
  std::vector<float> random(count), calls(count), puts(count);
  sdk::Random numbers;
  for (std::size_t n = 0; n < count; ++n) random[n] = numbers.unit();
  const cl_mem in = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, &random[0]);
  const cl_mem call = sample.buffer(CL_MEM_READ_WRITE, bytes), put = sample.buffer(CL_MEM_READ_WRITE, bytes);
  sdk::Kernel kernel(sample, "blackScholes");
  for (int n = 0; n < sample.iterations; ++n) {
    kernel.argument(in).argument(width).argument(call).argument(put);
    kernel.run(sdk::Size(width, height), kernel.square(256));
    sample.read(call, &calls[0], bytes);
    sample.read(put, &puts[0], bytes);
  }
  std::vector<double> expectedCalls(count), expectedPuts(count);
  for (std::size_t n = 0; n < count; ++n) prices(random[n], &expectedCalls[n], &expectedPuts[n]);
  return sample.verdict(sdk::near(&calls[0], expectedCalls, 1e-3, 2e-3) &&
                        sdk::near(&puts[0], expectedPuts, 1e-3, 2e-3));
}
