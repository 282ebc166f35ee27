// All distinct machine code of GFX6 to GFX9 in the real files runs, but for what docs/emulate.md lists.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/open.hpp>
#include <amdcompat/prove.hpp>

#include "support/real_corpus.hpp"

namespace real_codes_test {
namespace {

using namespace amdcompat;
using namespace amdcompat_test;

struct Tally {
  std::size_t codes = 0, wrote = 0, ended = 0;
  std::set<std::string> silent;  // kernels that end and write nothing
  std::map<std::string, std::set<std::string>> not_run;  // by name: reasons
};

bool is_run_here(const Program& program) {
  return program.target != nullptr && emulate::runnable(*program.target).has_value();
}

void add(const std::string& bytes, std::set<std::string>& seen, Tally& to) {
  Diagnostics diagnostics;
  const auto file = open(bytes, diagnostics);
  if (!file || !is_run_here(file->program)) return;
  for (std::size_t n = 0; n < file->program.kernels.size(); ++n) {
    const Kernel& kernel = file->program.kernels[n];
    const auto code = kernel_code(file->program, kernel);
    if (code.empty() || file->program.target->name.starts_with("gfx94")) continue;  // CDNA 3, which is not run
    // The same code with other arguments is another kernel as a rule.
    if (!seen.insert(kernel.name + '\0' + std::string(reinterpret_cast<const char*>(code.data()), code.size())).second)
      continue;
    ++to.codes;
    const emulate::Execution execution = emulate::execute(file->program, n);
    if (execution.ended != 0) ++to.ended;
    if (execution.wrote != 0)
      ++to.wrote;
    else if (execution.ended != 0)
      to.silent.insert(kernel.name);
    else
      to.not_run[kernel.name].insert(execution.reason);
  }
}

TEST(RealCodes, RunWithGeneratedLaunchesButForThoseThatTheDocumentationNames) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::set<std::string> seen;
  Tally tally;
  for (const RealFile& file : real_files("")) add(read_file(real_root() / "corpus" / file.path), seen, tally);
  std::string not_run, silent;
  for (const auto& [name, reasons] : tally.not_run) not_run += name + " ";
  for (const std::string& name : tally.silent) silent += name + " ";
  for (const auto& [name, reasons] : tally.not_run)
    for (const std::string& reason : reasons) std::cout << name << ": " << reason << "\n";
  EXPECT_EQ(not_run, "__amd_blocks_func___enqueuer_block_invoke __amd_blocks_func___kernelSetup7_block_invoke "
                     "__amd_blocks_func___kernelSetup8_block_invoke aaa1 aaa2 enqueuer gfd12 hello_world kernelSetup7 "
                     "kernelSetup8 myKernel test1 test2 xT1 ");
  EXPECT_EQ(silent, "BFS_kernel_warp PiperEmpty kernelSetup1 myKernel1 ");
  EXPECT_EQ(tally.codes, tally.ended + 21);
  // What docs/emulate.md says is this.
  std::string page = read_file(std::filesystem::path(AMDCOMPAT_SOURCE_DIR) / "docs/emulate.md");
  std::ranges::replace(page, '\n', ' ');
  EXPECT_NE(page.find(fmt::format("have {} distinct kernels", tally.codes)), std::string::npos) << tally.codes;
  EXPECT_NE(page.find(fmt::format("{} run to their end inside their buffers, and {} of those write", tally.ended,
                                  tally.wrote)),
            std::string::npos)
      << tally.ended << " " << tally.wrote;
  std::cout << tally.codes << " codes, " << tally.wrote << " write, " << tally.ended << " end\n";
}

}  // namespace
}  // namespace real_codes_test
