// The verbs of the tool, one source file each. Options are plain data filled by main.cpp.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common.hpp"

namespace amdcompat::cli {

struct InspectOptions {
  Common common;
  bool explain = false;  // print the directive table with its evidence instead of a file
};
struct ConvertOptions {
  Common common;
  std::string to = "yaml";
  std::string output;      // file; empty: standard output
  std::string output_dir;  // one file an input
  bool summary = false;
  std::string target;
  std::string metadata_version = "3:1:111";      // of --to text
  std::vector<std::string> struct_align;         // NAME=BYTES
};

int run_inspect(const InspectOptions& options);
int run_check(const Common& options);
int run_convert(const ConvertOptions& options);
int run_roundtrip(const Common& options);

}  // namespace amdcompat::cli
