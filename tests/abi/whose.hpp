// Findings of launch images say whose they are.
#pragma once

#include <gtest/gtest.h>

#include <amdcompat/program.hpp>

namespace amdcompat::test {

// Every finding names the kernel, and one whose path leads to an argument that argument.
inline void expect_names(const Kernel& kernel, const Diagnostics& findings) {
  for (const Diagnostic& found : findings.all()) {
    EXPECT_EQ(found.kernel, kernel.name) << found.message;
    std::string expected;
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i)
      if (found.path == "arguments[" + std::to_string(i) + "]") expected = kernel.arguments[i].name;
    EXPECT_EQ(found.argument, expected) << found.path << ": " << found.message;
  }
}

}  // namespace amdcompat::test
