// Compilers for tests: those of this machine, and scripts in the place of clang.
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include <amdcompat/compile.hpp>

#include "support/process.hpp"

// First lines of a test that a compiler of this machine serves: `compiler` is it. Where the package is not installed,
// there is nothing to test against, and the reason names it.
#define AMDCOMPAT_NEEDS_COMPILER(compiler, which, package)                                                             \
  const auto compiler##_found = amdcompat::compile::Compiler::find(which);                                             \
  if (!compiler##_found)                                                                                               \
    GTEST_SKIP() << which " is not on this machine; install the Debian package " package " to run this test: "         \
                 << compiler##_found.error().message;                                                                  \
  [[maybe_unused]] const amdcompat::compile::Compiler& compiler = *compiler##_found

// The same for clang and a target that older versions lack: any clang may be the one that is found.
#define AMDCOMPAT_NEEDS_CLANG_FOR(clang, target, version)                                                              \
  AMDCOMPAT_NEEDS_COMPILER(clang, "clang", "clang-19");                                                                \
  if (clang.refusal(*amdcompat::hsa::parse_target(target), version))                                                   \
  GTEST_SKIP() << clang.name() << " is too old to know " target "; install the Debian package clang-19 to run this test"

namespace amdcompat_test {

// A program in the place of clang that knows gfx803 and gfx1100: `compile` are lines of shell that run instead of a
// compilation, with the name of the output in $OUT.
class FakeClang {
 public:
  explicit FakeClang(const std::string& compile, const std::string& version = "19.1.0") {
    namespace fs = std::filesystem;
    fs::create_directories(directory_ / "lib/amdgcn/bitcode");
    for (const char* library : {"opencl", "ocml", "ockl"})
      write_file(directory_ / "lib/amdgcn/bitcode" / (std::string(library) + ".bc"), "none");
    write_file(path(), "#!/bin/sh\n"
                       "for word; do\n"
                       "  case $word in\n"
                       "    --version) echo 'clang version " +
                           version +
                           " (of a test)'; exit;;\n"
                           "    -print-supported-cpus) printf 'CPUs:\\n\\tgfx803\\n\\tgfx1100\\n'; exit;;\n"
                           "    -print-resource-dir) echo '" +
                           (directory_ / "").string() +
                           "'; exit;;\n"
                           "    -emit-llvm) control=1;;\n"
                           "  esac\n"
                           "  case $before in -o) OUT=$word;; esac\n"
                           "  before=$word\n"
                           "done\n"
                           "if [ -n \"$control\" ]; then : > \"$OUT\"; exit; fi\n" +
                           compile + "\n");
    fs::permissions(path(), fs::perms::owner_all);
  }
  [[nodiscard]] std::string path() const { return (directory_ / "clang-of-a-test").string(); }

 private:
  TemporaryDirectory directory_;
};

}  // namespace amdcompat_test
