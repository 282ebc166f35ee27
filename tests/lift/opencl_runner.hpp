// The runner of proofs for tests, which say plainly why they did not run.
#pragma once

#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <runtime/runner.hpp>

#include "support/wants_all.hpp"

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

// An option for programs of long tests: in a run of parts the device's compiler does not optimise them, which takes
// half as long. Those of proofs it always does.
[[nodiscard]] inline std::string sooner() { return runs_whole() ? "" : " -cl-opt-disable"; }

// What a build said of the source: without what NVIDIA's compiler says of any kernel.
[[nodiscard]] inline std::string said_of_source(const std::string& log) {
  std::string out, line;
  for (std::istringstream lines(log); std::getline(lines, line);)
    if (line.find("is a kernel, so overriding noinline attribute") == std::string::npos) out += line + "\n";
  return out;
}

}  // namespace amdcompat_test
