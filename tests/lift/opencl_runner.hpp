// The runner of proofs for tests, which say plainly why they did not run.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include <runtime/runner.hpp>

#define AMDCOMPAT_NEEDS_OPENCL()                                                                                       \
  if (const std::string& missing = amdcompat_test::opencl_missing(); !missing.empty())                                 \
  GTEST_SKIP() << missing << " (Debian packages ocl-icd-libopencl1, pocl-opencl-icd)"

#define AMDCOMPAT_NEEDS_OPENCL_SIMULATOR()                                                                             \
  if (const std::string& missing = amdcompat_test::simulator_missing(); !missing.empty())                              \
  GTEST_SKIP() << missing << " (Debian packages ocl-icd-libopencl1, oclgrind)"

namespace amdcompat_test {

namespace opencl = amdcompat::opencl;

// Why nothing can be run here; empty: it can.
[[nodiscard]] inline const std::string& opencl_missing() {
  static const std::string why = opencl::find_device(opencl::Runtime::Device).missing;
  return why;
}
// The same of the simulator.
[[nodiscard]] inline const std::string& simulator_missing() {
  static const std::string why = opencl::find_device(opencl::Runtime::Simulator).missing;
  return why;
}

}  // namespace amdcompat_test
