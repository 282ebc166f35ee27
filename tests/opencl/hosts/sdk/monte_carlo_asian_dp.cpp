// Asian options in double precision, by the extension that AMD's devices had for it.
#include "monte_carlo.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  expect(has_extension(sample.device, "cl_amd_fp64"), "Device does not support cl_amd_fp64 extension!");
  return sdk::priceAsianOptions<double>(sample, 4, 97, 1e-9);
}
