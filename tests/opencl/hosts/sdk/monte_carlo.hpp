// Asian options by Monte Carlo simulation, in either precision: a structure of vectors as an argument, and seeds that
// the host writes to the memory it gave for a buffer, between the launches and without a map.
#ifndef HOSTS_SDK_MONTE_CARLO_HPP
#define HOSTS_SDK_MONTE_CARLO_HPP

#include "twister.hpp"

#include <algorithm>
#include <cstdio>

namespace sdk {

template <class Scalar>
struct Attributes {
  Scalar strike[4], c1[4], c2[4], c3[4], initial[4], sigma[4], step[4];
};

template <class Scalar>
int priceAsianOptions(Sample& sample, cl_uint steps, cl_uint every, double tolerance) {
  const cl_uint trajectories = sample.size(256), width = trajectories / 4, height = trajectories / 2, sums = 12;
  const std::size_t paths = static_cast<std::size_t>(width) * height;
  const double interest = 0.06, maturity = 1.0, initial = 50.0, strike = 55.0, step = maturity / (sums - 1);
  std::vector<cl_uint> seeds(paths * 4);
  std::vector<Scalar> prices(paths * 8), derivatives(paths * 8);
  const cl_mem in = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, seeds.size() * sizeof(cl_uint), &seeds[0]);
  const std::size_t bytes = prices.size() * sizeof(Scalar);
  const cl_mem price = sample.buffer(CL_MEM_WRITE_ONLY, bytes), derivative = sample.buffer(CL_MEM_WRITE_ONLY, bytes);
  Kernel kernel(sample, "calPriceVega");
  const std::size_t local = std::min<std::size_t>(kernel.fit(256), width);
  Random random;
  for (cl_uint k = 0; k < steps; ++k) {
    const double sigma = 0.01 + 0.5 * k / steps;
    for (std::size_t n = 0; n < seeds.size(); ++n) seeds[n] = random.word() & 0x7fffffff;
    const double c1 = (interest - 0.5 * sigma * sigma) * step, c2 = sigma * std::sqrt(step);
    const double c3 = interest + 0.5 * sigma * sigma;
    Attributes<Scalar> attributes;
    for (int c = 0; c < 4; ++c) {
      attributes.strike[c] = static_cast<Scalar>(strike), attributes.initial[c] = static_cast<Scalar>(initial);
      attributes.c1[c] = static_cast<Scalar>(c1), attributes.c2[c] = static_cast<Scalar>(c2);
      attributes.c3[c] = static_cast<Scalar>(c3), attributes.sigma[c] = static_cast<Scalar>(sigma);
      attributes.step[c] = static_cast<Scalar>(step);
    }
    kernel.argument(attributes).argument(sums).argument(width).argument(in).argument(price).argument(derivative);
    kernel.run(Size(width, height), Size(local, 1));
    sample.read(price, &prices[0], bytes);
    sample.read(derivative, &derivatives[0], bytes);
    for (std::size_t n = k; n < paths; n += every)
      for (int c = 0; c < 4; ++c) {
        Block block;
        for (int i = 0; i < 4; ++i) block.at[i] = seeds[n * 4 + i];
        double path[2] = {initial, initial}, sum[2] = {initial, initial}, slope[2] = {0.0, 0.0};
        for (cl_uint i = 1; i < sums; ++i) {
          const Twister twister(block);
          double normals[2];
          normal(twister.made[0].at[c], twister.made[1].at[c], &normals[0], &normals[1]);
          block = twister.made[2];
          for (int way = 0; way < 2; ++way) {
            path[way] *= std::exp(c1 + c2 * normals[way]);
            sum[way] += path[way];
            slope[way] += path[way] * ((std::log(path[way] / initial) - c3 * step * i) / sigma);
          }
        }
        for (int way = 0; way < 2; ++way) {
          const double gain = sum[way] / sums - strike, scale = 1.0 + std::fabs(slope[way]);
          const double got = prices[n * 8 + way * 4 + c], bend = derivatives[n * 8 + way * 4 + c];
          // At the strike price itself either is right.
          if (std::fabs(gain) < 1e-3) continue;
          if (std::fabs(got - (gain > 0 ? gain : 0)) <= tolerance * (strike + std::fabs(gain)) &&
              std::fabs(bend - (gain > 0 ? slope[way] / sums : 0)) <= tolerance * scale * 10)
            continue;
          std::fprintf(stderr, "path %u of step %u: %g, %g instead of %g, %g\n", static_cast<unsigned>(n), k, got, bend,
                       gain, slope[way] / sums);
          return sample.verdict(false);
        }
      }
  }
  return sample.verdict(true);
}

}  // namespace sdk

#endif
