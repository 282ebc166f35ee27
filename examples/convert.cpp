#include <cstdio>
#include <fstream>
#include <iterator>

#include <amdcompat/amdcompat.hpp>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  amdcompat::Diagnostics findings;
  findings.set_file(argv[1]);
  const auto file = amdcompat::open(bytes, findings);
  if (file) {
    const auto conversion = amdcompat::convert::to_metadata(file->program, findings);
    std::fputs(amdcompat::hsa::to_yaml(conversion.metadata).c_str(), stdout);
  }
  std::fputs(amdcompat::render_text(findings, {bytes, {}}, {}).c_str(), stderr);
  return findings.has_errors() ? 1 : 0;
}
