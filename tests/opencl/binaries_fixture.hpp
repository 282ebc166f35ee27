// Tests with the binaries of all kinds in a directory.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "binaries.hpp"
#include "host_process.hpp"
#include "support/process.hpp"

namespace amdcompat_test::opencl_layer {

// Says why a test does not run where clang or the layer is missing.
class WithBinaries : public testing::Test {
 protected:
  void SetUp() override {
    AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
    AMDCOMPAT_NEEDS_LAYER();
    ASSERT_EQ(made().problem, "");
  }
  [[nodiscard]] static std::string file(std::string_view name) {
    return (made().directory / std::string(name)).string();
  }
  [[nodiscard]] static std::vector<std::string> all_files() {
    std::vector<std::string> out;
    for (const BinaryKind& kind : binaries()) out.push_back(file(kind.file));
    return out;
  }

 private:
  struct Made {
    TemporaryDirectory directory;
    std::string problem = write_binaries(directory / "");
    Made() {
      if (const char* const keep = std::getenv("AMDCOMPAT_OPENCL_KEEP"))
        std::filesystem::copy(directory / "", keep, std::filesystem::copy_options::overwrite_existing);
    }
  };
  static const Made& made() {
    static const Made out;  // once a process
    return out;
  }
};

inline void expect_passed(const ProcessResult& result) {
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find("Passed!"), std::string::npos) << result.output;
  // null_runtime.cpp counts its objects.
  EXPECT_EQ(result.output.find(" left\n"), std::string::npos) << result.output;
}

}  // namespace amdcompat_test::opencl_layer
