// Host programs in processes of their own: with or without the layer, on pocl or on oclgrind.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/process.hpp"

namespace amdcompat_test::opencl_layer {

enum class Runtime : std::uint8_t {
  Device,     // pocl, or what else there is
  Simulator,  // oclgrind
  Null,       // null_runtime.cpp
};

// oclgrind as an ICD: its command preloads a libOpenCL of its own, which loads no layers.
inline constexpr const char* kSimulator = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";

struct HostRun {
  std::string host{};  // name, or a path
  std::vector<std::string> arguments{};
  bool layer = true;
  Runtime runtime = Runtime::Device;
  std::map<std::string, std::string> environment{};
  std::string input{};  // file that is its standard input
  int seconds = 60;
};

// The layer that was built; AMDCOMPAT_OPENCL_LAYER_FILE names another one, such as an installed one.
inline std::string layer_file() {
  const char* const other = std::getenv("AMDCOMPAT_OPENCL_LAYER_FILE");
  return other != nullptr ? other : AMDCOMPAT_OPENCL_LAYER;
}

inline std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Status and output; 124 where it did not end in time, 128 and more where a signal ended it.
inline ProcessResult run_host(const HostRun& run) {
  std::string command = "exec env -u OPENCL_LAYERS -u AMDCOMPAT_OPENCL_POSE -u AMDCOMPAT_OPENCL_LOG";
  // What pocl compiled for one test serves the next, and none outlives them.
  static const TemporaryDirectory pocl;
  std::map<std::string, std::string> environment{{"AMDCOMPAT_OPENCL_CACHE", "off"},
                                                 {"POCL_CACHE_DIR", (pocl / "cache").string()}};
  if (run.layer) environment["OPENCL_LAYERS"] = layer_file();
  if (run.runtime == Runtime::Simulator) {
    environment["OCL_ICD_VENDORS"] = kSimulator;
    environment["OCLGRIND_DATA_RACES"] = "1";
  }
  // Where all is instrumented: what pocl and its compiler leave behind is not the layer's.
  if (run.runtime != Runtime::Null) {
    const char* const options = std::getenv("ASAN_OPTIONS");
    environment["ASAN_OPTIONS"] = (options == nullptr ? std::string() : std::string(options) + ":") + "detect_leaks=0";
  }
  if (run.runtime == Runtime::Null) environment["OCL_ICD_VENDORS"] = AMDCOMPAT_NULL_RUNTIME;
  for (const auto& [name, value] : run.environment) environment[name] = value;
  for (const auto& [name, value] : environment) command += " " + name + "=" + quoted(value);
  const std::string host =
      run.host.find('/') == std::string::npos ? std::string(AMDCOMPAT_OPENCL_HOSTS) + "/" + run.host : run.host;
  command += " timeout -k 5 " + std::to_string(run.seconds) + " " + quoted(host);
  for (const std::string& argument : run.arguments) command += " " + quoted(argument);
  command += " < " + (run.input.empty() ? "/dev/null" : quoted(run.input));
  return amdcompat_test::run(command);
}

inline bool has_layer() { return std::filesystem::exists(layer_file()); }
inline bool has_simulator() { return std::filesystem::exists(kSimulator); }

}  // namespace amdcompat_test::opencl_layer

#define AMDCOMPAT_NEEDS_LAYER()                                                                                        \
  if (!amdcompat_test::opencl_layer::has_layer()) GTEST_SKIP() << "no OpenCL layer was built"

#define AMDCOMPAT_NEEDS_SIMULATOR()                                                                                    \
  if (!amdcompat_test::opencl_layer::has_simulator()) GTEST_SKIP() << "no oclgrind (Debian package oclgrind)"
