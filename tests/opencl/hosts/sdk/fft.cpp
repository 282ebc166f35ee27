// A Fourier transform of 1024 points by one work-group, with writes and reads that do not block and events polled.
#include "sdk.hpp"

#include <cmath>

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv, "");
  sample.manner = sdk::kPoll;
  const cl_uint length = 1024;
  const std::size_t bytes = length * sizeof(float);
  const int iterations = static_cast<int>(sample.size(1)) * sample.iterations;
  std::vector<float> real(length), imaginary(length), outReal(length), outImaginary(length);
  sdk::Random random;
  const cl_mem r = sample.buffer(CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
  const cl_mem i = sample.buffer(CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
  sdk::Kernel kernel(sample, "kfft");
  expect(kernel.fit(64) == 64, "Error : Out of resources!");
  for (int iteration = 0; iteration < iterations; ++iteration) {
    for (cl_uint n = 0; n < length; ++n) real[n] = 5.0f * random.unit(), imaginary[n] = 5.0f * random.unit();
    sample.write(r, &real[0], bytes);
    sample.write(i, &imaginary[0], bytes);
    kernel.argument(r).argument(i).run(64, 64);
    sample.read(i, &outImaginary[0], bytes);
    sample.read(r, &outReal[0], bytes);
  }
  std::vector<double> expectedReal(length), expectedImaginary(length), cosines(length), sines(length);
  for (cl_uint n = 0; n < length; ++n) {
    cosines[n] = std::cos(2 * 3.14159265358979323846 * n / length);
    sines[n] = std::sin(2 * 3.14159265358979323846 * n / length);
  }
  for (cl_uint k = 0; k < length; ++k)
    for (cl_uint n = 0; n < length; ++n) {
      const double c = cosines[k * n % length], s = sines[k * n % length];
      expectedReal[k] += real[n] * c + imaginary[n] * s;
      expectedImaginary[k] += imaginary[n] * c - real[n] * s;
    }
  return sample.verdict(sdk::near(&outReal[0], expectedReal, 1e-4, 5e-2) &&
                        sdk::near(&outImaginary[0], expectedImaginary, 1e-4, 5e-2));
}
