// Every real program that is lifted becomes a code object for GPUs of today, and none of them does something else. It
// is every eighth of them; AMDCOMPAT_COMPILE_ALL takes all.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/pipeline.hpp>

#include "compilers.hpp"
#include "support/real_corpus.hpp"
#include "support/wants_all.hpp"

namespace amdcompat::corpus_test {
namespace {

using namespace amdcompat_test;

struct Counts {
  std::size_t programs = 0, lifted = 0, compiled = 0, proved = 0;
};

bool takes_all() { return std::getenv("AMDCOMPAT_COMPILE_ALL") != nullptr; }

// Each distinct program once.
Counts compile_all(const compile::Compiler& compiler, const char* target, bool prove) {
  Counts out;
  std::set<std::string> seen;
  std::size_t candidates = 0;
  for (const RealFile& real : real_files("")) {
    std::string bytes = read_real(real);
    if (!seen.insert(content_hash(bytes)).second) continue;
    Diagnostics diagnostics;
    const auto file = open(std::move(bytes), diagnostics);
    if (!file || file->program.target == nullptr || !gcn::generation_of(*file->program.target)) continue;
    Diagnostics ignored;
    std::size_t lifted = 0;
    for (const lift::KernelOutcome& kernel : lift::lift(file->program, {}, ignored).kernels) lifted += kernel.lifted;
    if (lifted == 0 || (candidates++ % (8 * one_of(6)) != 0 && !takes_all())) continue;
    pipeline::Request request;
    request.layout = pipeline::Layout::Natural;
    request.object.target = hsa::parse_target(target);
    request.compiler = &compiler;
    request.prove = prove;
    Diagnostics findings;
    const pipeline::Conversion made = pipeline::convert(*file, request, findings);
    const auto compiled = static_cast<std::size_t>(
        std::ranges::count_if(made.kernels, [](const auto& kernel) { return kernel.compiled; }));
    EXPECT_EQ(compiled, lifted) << real.path;
    for (const Code code : {Code::CompilerFailed, Code::CompiledLayout, Code::CompiledDiffers})
      for (const Diagnostic& finding : findings.all())
        if (finding.code == code) ADD_FAILURE() << real.path << ": " << finding.message;
    ++out.programs;
    out.lifted += lifted;
    out.compiled += compiled;
    out.proved += made.count(pipeline::Outcome::Proved);
  }
  fmt::print("{} for {}: {} programs, {} of {} lifted kernels compiled, {} proved\n", compiler.name(), target,
             out.programs, out.compiled, out.lifted, out.proved);
  std::fflush(stdout);
  return out;
}

TEST(CompiledCorpus, RealProgramsCompiledForGfx803RunAsBefore) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  const std::size_t least_proved = takes_all() ? 299 : runs_whole() ? 28 : 8;
  EXPECT_GE(compile_all(comgr, "gfx803", true).proved, least_proved);
}

TEST(CompiledCorpus, RealProgramsAreCompiledForGfx1030AsTheNaturalLayoutSays) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  EXPECT_GT(compile_all(comgr, "gfx1030", false).compiled, 0u);
}

TEST(CompiledCorpus, RealProgramsAreCompiledForGfx1100ByClang) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_CLANG_FOR(clang, "gfx1100", compile::kUsualVersion);
  EXPECT_GT(compile_all(clang, "gfx1100", false).compiled, 0u);
}

}  // namespace
}  // namespace amdcompat::corpus_test
