// Runs judges (other people's tools) from tests.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace amdcompat_test {

struct ProcessResult {
  int status = -1;      // exit status; -1: not run
  std::string output;   // standard output and error
};

inline ProcessResult run(const std::string& command) {
  ProcessResult result;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe))
    result.output.append(buffer.data(), got);
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

inline bool has_program(const std::string& name) { return run("command -v " + name + " > /dev/null").status == 0; }

// First line of a test that another program judges. scripts/setup installs them all; where one is missing, there is
// nobody to ask, and our own readers would only agree with our own writers.
#define AMDCOMPAT_NEEDS_PROGRAM(program, package)                                                                      \
  if (!amdcompat_test::has_program(program))                                                                           \
  GTEST_SKIP() << program " is not installed (Debian package " package "), so nobody else can judge the output"

// A directory that goes with the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "amdcompat-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace amdcompat_test
