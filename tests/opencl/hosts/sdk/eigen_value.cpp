// Eigenvalues of a tridiagonal matrix: intervals that are divided until each has one and is narrow, by two kernels in
// turns, which the host ends when it has looked at the result. At some sizes (2048 with these numbers) single precision
// loses a value, on the host too; the last work-item then looks for its interval behind the buffer.
#include "sdk.hpp"

#include <algorithm>
#include <cmath>

namespace {

// How many eigenvalues are below x.
cl_uint below(const std::vector<float>& diagonal, const std::vector<float>& beside, double x) {
  double last = diagonal[0] - x;
  cl_uint count = last < 0.0 ? 1 : 0;
  for (std::size_t n = 1; n < diagonal.size(); ++n) {
    last = (diagonal[n] - x) - static_cast<double>(beside[n - 1]) * beside[n - 1] / last;
    if (last < 0.0) ++count;
  }
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  const cl_uint length = sample.size(256);
  const float tolerance = 0.001f;
  const std::size_t bytes = length * sizeof(float);
  std::vector<float> diagonal(length), beside(length - 1);
  sdk::Random random;
  for (cl_uint n = 0; n < length; ++n) diagonal[n] = 255.0f * random.unit();
  for (cl_uint n = 0; n + 1 < length; ++n) beside[n] = 255.0f * random.unit();
  float lower = diagonal[0], upper = diagonal[0];
  for (cl_uint n = 0; n < length; ++n) {
    const float reach = (n > 0 ? beside[n - 1] : 0.0f) + (n + 1 < length ? beside[n] : 0.0f);
    lower = std::min(lower, diagonal[n] - reach);
    upper = std::max(upper, diagonal[n] + reach);
  }
  std::vector<float> intervals[2] = {std::vector<float>(2 * length, upper), std::vector<float>(2 * length, upper)};
  intervals[0][0] = lower;
  const cl_mem counts = sample.buffer(CL_MEM_READ_WRITE, bytes);
  const cl_mem buffers[2] = {sample.buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 2 * bytes, &intervals[0][0]),
                             sample.buffer(CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, 2 * bytes, &intervals[1][0])};
  const cl_mem middle = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes, &diagonal[0]);
  const cl_mem side = sample.buffer(CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes - sizeof(float), &beside[0]);
  sdk::Kernel count(sample, "calNumEigenValueInterval"), divide(sample, "recalculateEigenIntervals");
  const std::size_t local = std::min<std::size_t>(count.fit(256), length);
  int in = 0;
  bool wide = true;
  for (int turn = 0; wide && turn < 1000; ++turn) {
    count.argument(counts).argument(buffers[in]).argument(middle).argument(side).argument(length).run(length, local);
    divide.argument(buffers[1 - in]).argument(buffers[in]).argument(counts).argument(middle).argument(side);
    divide.argument(length).argument(tolerance).run(length, local);
    in = 1 - in;
    sample.read(buffers[in], &intervals[in][0], 2 * bytes);
    wide = false;
    for (cl_uint n = 0; n < length; ++n) wide = wide || intervals[in][2 * n + 1] - intervals[in][2 * n] >= tolerance;
  }
  bool right = !wide;
  // Single precision counts a little beside the limits.
  const double slack = 2.0 * tolerance;
  for (cl_uint n = 0; n < length && right; ++n)
    right = below(diagonal, beside, intervals[in][2 * n] - slack) <= n &&
            below(diagonal, beside, intervals[in][2 * n + 1] + slack) > n;
  return sample.verdict(right);
}
