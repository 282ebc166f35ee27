// Code of real compilers: all that is reachable decodes, and keeps the distances that hardware asks for.
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include <amdcompat/gcn_checks.hpp>
#include <amdcompat/open.hpp>

#include "support/real_corpus.hpp"

namespace amdcompat::gcn::real_code_test {
namespace {

struct Count {
  std::size_t kernels = 0, blocks = 0, instructions = 0, computed = 0, near_lane_selects = 0;
};

// Calls `with(file's name, kernel, code from the entry on, generation)` for every kernel with GCN code.
template <class With>
void for_each_kernel(With with) {
  for (const char* const part : {"corpus", "pairs"}) {
    const auto root = amdcompat_test::real_root() / part;
    if (!std::filesystem::is_directory(root)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      if (!entry.is_regular_file()) continue;
      Diagnostics diagnostics;
      const auto file = open(amdcompat_test::read_file(entry.path()), diagnostics);
      if (!file || file->program.target == nullptr) continue;
      const auto generation = generation_of(*file->program.target);
      if (!generation) continue;
      for (const Kernel& kernel : file->program.kernels)
        if (const auto code = kernel_code(file->program, kernel); !code.empty())
          with(entry.path().filename().string(), kernel, code, *generation);
    }
  }
}

TEST(RealCode, AllThatIsReachableDecodesAndKeepsItsDistances) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::map<Generation, Count> counts;
  for_each_kernel([&](const std::string& name, const Kernel& kernel, std::span<const std::byte> code, Generation g) {
    SCOPED_TRACE(name + ", " + kernel.name);
    const ControlFlow flow = control_flow(code, 0, g);
    Count& count = counts[g];
    ++count.kernels;
    count.blocks += flow.blocks.size();
    for (const Block& block : flow.blocks) count.instructions += block.instructions.size();
    count.computed += flow.computed.size();
    EXPECT_TRUE(flow.unknown.empty()) << "at " << flow.unknown.front();
    EXPECT_TRUE(flow.leaving.empty()) << "at " << flow.leaving.front();
    for (const Hazard& h : hazards(code, 0, g)) {
      // AMD's OpenCL 2.0 compiler for GFX7 leaves two or three wait states of the four that LLVM wants here.
      if (g == Generation::Gfx7 && h.rule->name == "lane-select" && h.wait_states >= 2) {
        ++count.near_lane_selects;
        continue;
      }
      ADD_FAILURE() << h.rule->name << ": " << disassemble(decode(code, h.first, g), g) << " at " << h.first << ", "
                    << disassemble(decode(code, h.second, g), g) << " at " << h.second << ", " << +h.wait_states;
    }
  });
  for (const auto& [generation, count] : counts)
    std::printf("%s: %zu kernels, %zu blocks, %zu instructions, %zu computed jumps, %zu near lane selects\n",
                std::string(generation_name(generation)).c_str(), count.kernels, count.blocks, count.instructions,
                count.computed, count.near_lane_selects);
  EXPECT_GE(counts.size(), 4u);
}

}  // namespace
}  // namespace amdcompat::gcn::real_code_test
