// CL2 containers of our own: what each is for stands in README.md.
#pragma once

#include <string>
#include <vector>

#include <cl2_builder.hpp>

namespace corpus {

struct Cl2Sample {
  std::string name;  // of the file
  amdcompat::cl2::ContainerSpec spec;
};
[[nodiscard]] std::vector<Cl2Sample> cl2_samples();

}  // namespace corpus
