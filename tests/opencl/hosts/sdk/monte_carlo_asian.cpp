// Asian options in single precision.
#include "monte_carlo.hpp"

int main(int argc, char** argv) {
  sdk::Sample sample(argc, argv);
  return sdk::priceAsianOptions<float>(sample, 4, 97, 1e-3);
}
