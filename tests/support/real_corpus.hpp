// Real files and oracles for tests: found through AMDCOMPAT_REAL_CORPUS, never part of the project.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

// First line of a test that needs real files; says plainly why it did not run.
#define AMDCOMPAT_NEEDS_REAL_CORPUS()                                                                                  \
  if (!amdcompat_test::has_real_corpus())                                                                              \
  GTEST_SKIP() << "no real files: set the CMake variable AMDCOMPAT_REAL_CORPUS to a directory with corpus/ and "       \
                  "oracle/"

namespace amdcompat_test {

inline std::filesystem::path real_root() { return AMDCOMPAT_REAL_CORPUS; }
inline bool has_real_corpus() {
  return !std::string_view(AMDCOMPAT_REAL_CORPUS).empty() &&
         std::filesystem::is_regular_file(real_root() / "corpus/INVENTORY.tsv");
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

struct RealFile {
  std::string path;  // under corpus/
  std::string format;
  std::string kernels;  // comma-separated, as the inventory has them
};

// Rows of INVENTORY.tsv whose format starts with `prefix`.
inline std::vector<RealFile> real_files(std::string_view prefix) {
  std::vector<RealFile> out;
  std::istringstream in(read_file(real_root() / "corpus/INVENTORY.tsv"));
  std::string line;
  std::getline(in, line);  // column names
  while (std::getline(in, line)) {
    std::vector<std::string> columns;
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, '\t');) columns.push_back(field);
    if (columns.size() > 6 && columns[3].starts_with(prefix)) out.push_back({columns[0], columns[3], columns[6]});
  }
  return out;
}

// FNV-1a, 64 bits: enough to notice that an output of ours for a real file changed.
inline std::string content_hash(std::string_view bytes) {
  std::uint64_t value = 0xcbf29ce484222325u;
  for (const char c : bytes) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  std::string out(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) out[i] = "0123456789abcdef"[value & 15];
  return out;
}

inline std::string read_real(const RealFile& file) { return read_file(real_root() / "corpus" / file.path); }

}  // namespace amdcompat_test
