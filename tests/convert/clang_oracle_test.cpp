// The natural layout against clang's metadata for the same OpenCL source (oracle/clang/*.yaml).
#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>

#include "support/real_corpus.hpp"

using namespace amdcompat;
using namespace amdcompat_test;

namespace clang_oracle_test {
namespace {

// "alltypes.clang.yaml" stands for alltypes.clo and alltypes_64.clo; "prginfo1" for every driver's build of it.
bool stems_match(const std::string& file, const std::string& stem) {
  const std::string name = std::filesystem::path(file).filename().string();
  if (!name.starts_with(stem)) return false;
  const std::string_view rest = std::string_view(name).substr(stem.size());
  return rest.starts_with('.') || rest.starts_with('_');
}

bool is_hidden(const hsa::MetadataArgument& argument) {
  return argument.value_kind && hsa::value_kind_info(*argument.value_kind).hidden;
}

std::vector<hsa::MetadataArgument> explicit_arguments(const hsa::MetadataKernel& kernel) {
  std::vector<hsa::MetadataArgument> out;
  for (const auto& argument : kernel.args)
    if (!is_hidden(argument)) out.push_back(argument);
  return out;
}

std::string show(const hsa::MetadataArgument& argument) {
  hsa::Metadata one;
  one.kernels.emplace_back().args.push_back(argument);
  return hsa::to_yaml(one);
}

// Differences with a reason; anything else fails. `ours` and `clangs` are made equal where the reason holds.
// Returns the reasons used, for the list in docs/natural-layout.md.
std::set<std::string> excuse(hsa::MetadataArgument& ours, hsa::MetadataArgument& clangs) {
  std::set<std::string> reasons;
  if (clangs.actual_access && !ours.actual_access) {
    // What clang's optimiser found out about restrict pointers; it belongs to the new compilation.
    reasons.insert("actual_access");
    clangs.actual_access.reset();
  }
  return reasons;
}

TEST(ClangOracle, ExplicitArgumentsOfEveryCommonKernelAreEqual) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const auto files = real_files("amdcl1");
  std::size_t compared = 0, arguments = 0;
  std::map<std::string, std::size_t> reasons;
  for (const auto& entry : std::filesystem::directory_iterator(real_root() / "oracle/clang")) {
    const std::string file_name = entry.path().filename().string();
    const std::string stem = file_name.substr(0, file_name.find(".clang.yaml"));
    Diagnostics quiet;
    const auto oracle = hsa::read_yaml(read_file(entry.path()), quiet);
    ASSERT_TRUE(oracle) << file_name;
    for (const RealFile& real : files) {
      if (!stems_match(real.path, stem)) continue;
      Diagnostics diagnostics;
      const auto file = open(read_real(real), diagnostics);
      if (!file) continue;  // a CPU build
      const auto conversion = convert::to_metadata(file->program, diagnostics);
      for (const hsa::MetadataKernel& ours : conversion.metadata.kernels) {
        const auto theirs = std::ranges::find(oracle->kernels, ours.name, &hsa::MetadataKernel::name);
        if (theirs == oracle->kernels.end()) continue;
        auto a = explicit_arguments(ours), b = explicit_arguments(*theirs);
        // clang knows no counters; ours stands last in the only kernels that have one.
        while (a.size() > b.size() && a.back().type_name == "counter32_t") {
          ++reasons["counter"];
          a.pop_back();
        }
        ASSERT_EQ(a.size(), b.size()) << real.path << " " << *ours.name;
        for (std::size_t i = 0; i < a.size(); ++i) {
          for (const auto& reason : excuse(a[i], b[i])) ++reasons[reason];
          EXPECT_EQ(a[i], b[i]) << real.path << " " << *ours.name << " argument " << i << "\nours:\n"
                                << show(a[i]) << "clang:\n"
                                << show(b[i]);
          ++arguments;
        }
        ++compared;
      }
    }
  }
  for (const auto& [reason, count] : reasons) std::cout << "  excused: " << reason << " (" << count << ")\n";
  std::cout << "  compared " << compared << " kernels, " << arguments << " arguments\n";
  EXPECT_GT(compared, 200u);
}

}  // namespace
}  // namespace clang_oracle_test
