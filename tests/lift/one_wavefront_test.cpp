// Work-groups of one wavefront: compilers leave out the barriers between what their work-items write and read, which
// lifted source must have again. clang 19 compiles tests/lift/one_wavefront.cl; the lifts, in the form of work-items,
// are held against the machine code by random launches on an OpenCL device that runs one work-item after the other.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/gcn.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

#include "opencl_runner.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat {
namespace {

using namespace amdcompat_test;

bool has_barriers(const Program& program, const Kernel& kernel) {
  const gcn::Generation generation = *gcn::generation_of(*program.target);
  const std::span<const std::byte> code = kernel_code(program, kernel);
  for (const gcn::Block& block : gcn::control_flow(code, 0, generation).blocks)
    for (const std::uint32_t at : block.instructions)
      if (gcn::decode(code, at, generation).opcode == gcn::Opcode::s_barrier) return true;
  return false;
}

TEST(OneWavefront, HasTheBarriersAgainThatItsCompilerLeftOut) {
  AMDCOMPAT_NEEDS_PROGRAM("clang-19", "clang-19");
  AMDCOMPAT_NEEDS_OPENCL();
  const TemporaryDirectory directory;
  const std::string object = (directory / "unit.o").string();
  const ProcessResult compiled =
      run(fmt::format("clang-19 -x cl -cl-std=CL1.2 -O2 -target amdgcn-amd-amdhsa -mcpu=gfx803 -nogpulib -Xclang "
                      "-finclude-default-header "
                      "-include '{}/bench/kernels/device.h' '{}/tests/lift/one_wavefront.cl' -o '{}' 2>&1",
                      AMDCOMPAT_SOURCE_DIR, AMDCOMPAT_SOURCE_DIR, object));
  ASSERT_EQ(compiled.status, 0) << compiled.output;
  Diagnostics diagnostics;
  const auto file = open(read_file(object), diagnostics);
  ASSERT_TRUE(file);
  pipeline::LiftRequest request;
  request.prove = true;
  request.lift.form = lift::Form::WorkItem;
  const pipeline::Lifted lifted = pipeline::lift_file(*file, request, diagnostics);
  const auto sources = lift::kernel_sources(lifted.source);
  ASSERT_EQ(lifted.kernels.size(), 12u);
  for (std::size_t n = 0; n < lifted.kernels.size(); ++n) {
    const pipeline::LiftResult& one = lifted.kernels[n];
    SCOPED_TRACE(one.kernel.name);
    EXPECT_FALSE(has_barriers(file->program, file->program.kernels[n])) << "nothing is tested";
    ASSERT_EQ(one.outcome, pipeline::LiftOutcome::Proved) << (one.kernel.refusal ? one.kernel.refusal->message
                                                              : one.proof        ? one.proof->reason
                                                                                 : "");
    EXPECT_NE(sources.at(one.kernel.name).find("barrier("), std::string_view::npos) << sources.at(one.kernel.name);
  }
}

}  // namespace
}  // namespace amdcompat
