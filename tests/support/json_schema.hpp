// Documents before a JSON Schema, judged by python3-jsonschema.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/process.hpp"

namespace amdcompat_test {

// An interpreter that has the validator, the system's where the first one in the path has not; or nothing.
inline const std::string& schema_python() {
  static const std::string found = [] {
    for (const char* program : {"python3", "/usr/bin/python3"})
      if (run(std::string(program) + " -c 'from jsonschema import Draft202012Validator'").status == 0)
        return std::string(program);
    return std::string();
  }();
  return found;
}
#define NEEDS_VALIDATOR()                                                                                              \
  if (amdcompat_test::schema_python().empty())                                                                         \
  GTEST_SKIP() << "no validator (Debian package python3-jsonschema), so nobody can judge by the schema"

// What the schema `name` of docs/ says of each document, one a line: "valid", or why not.
inline std::vector<std::string> judge_by_schema(const std::string& name, const std::vector<std::string>& documents) {
  const std::filesystem::path source = AMDCOMPAT_SOURCE_DIR;
  const TemporaryDirectory scratch;
  std::string lines;
  for (const std::string& document : documents) {
    EXPECT_EQ(document.find('\n'), std::string::npos);
    lines += document + "\n";
  }
  write_file(scratch / "documents", lines);
  const ProcessResult result =
      run(schema_python() + " '" + (source / "tests/abi/launch_schema.py").string() + "' '" +
          (source / "docs" / name).string() + "' < '" + (scratch / "documents").string() + "'");
  std::vector<std::string> out;
  std::istringstream verdicts(result.output);
  for (std::string line; std::getline(verdicts, line);) out.push_back(line);
  EXPECT_EQ(result.status, 0) << result.output.substr(0, 1000);
  EXPECT_EQ(out.size(), documents.size());
  out.resize(documents.size());
  return out;
}

}  // namespace amdcompat_test
