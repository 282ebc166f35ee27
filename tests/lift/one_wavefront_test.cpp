// Work-groups of one wavefront: compilers leave out the barriers between what their work-items write and read, which
// lifted source must have again. clang 19 compiles tests/lift/one_wavefront.cl; the lifts, in the form of work-items,
// are held against the machine code by random launches on an OpenCL device that runs one work-item after the other.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/gcn.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>
#include <amdcompat/prove.hpp>

#include "lifted_file.hpp"
#include "opencl_runner.hpp"
#include "small_program.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::one_wavefront_test {
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
  const auto file = compiled_by_clang("one_wavefront.cl", "gfx803");
  ASSERT_TRUE(file);
  Diagnostics diagnostics;
  pipeline::LiftRequest request;
  request.prove = true;
  request.lift.form = lift::Form::WorkItem;
  const pipeline::Lifted lifted = pipeline::lift_file(*file, request, diagnostics);
  const auto sources = lift::kernel_sources(lifted.source);
  ASSERT_EQ(lifted.kernels.size(), 13u);
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

// Of OpenCL 1.x: a store to the lane's own place, and one to another lane's, with a wait for the first one between or
// without.
Program two_stores(bool waits) {
  using namespace lifted;
  lifted::Code code;
  code.prologue().place(2, kOutSlot, 1).op(gcn::Opcode::v_xor_b32, 3, number(4), v(kLane));
  code.op(gcn::Opcode::v_lshlrev_b32, 3, number(2), v(3)).op(gcn::Opcode::v_add_co_u32, 3, kOutSlot, v(3));
  code.op(gcn::Opcode::v_lshlrev_b32, 4, number(1), v(kLane)).op(gcn::Opcode::v_mov_b32, 5, number(7));
  code.buffer(gcn::Opcode::buffer_store_dword, 4, 2, kOut);
  constexpr int kVectorMemory = 0x0f70;  // vmcnt(0), and no other counter
  if (waits) code.k(gcn::Opcode::s_waitcnt, 0, kVectorMemory);
  code.buffer(gcn::Opcode::buffer_store_dword, 5, 3, kOut).end();
  const Small small{.name = "k", .code = code};
  Program out = program_of(std::span(&small, 1));
  out.kernels[0].limits.required_group_size = {kLanes, 1, 1};
  return out;
}
lift::Unit lifted_to_work_items(const Program& program) {
  Diagnostics diagnostics;
  lift::Unit out = lift::lift(program, {.form = lift::Form::WorkItem}, diagnostics);
  EXPECT_TRUE(out.kernels[0].lifted);
  return out;
}

TEST(OneWavefront, HasABarrierBetweenStoresWhereItsCompilerWaitedForTheFirst) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Program program = two_stores(true);
  const lift::Unit unit = lifted_to_work_items(program);
  EXPECT_NE(unit.source.find("barrier("), std::string::npos) << unit.source;
  const emulate::LiftProof proof = emulate::prove_lifted(program, 0, unit.source);
  EXPECT_EQ(proof.verdict, emulate::Verdict::Proved) << proof.reason << unit.source;
}

// Its source races: nobody says what it leaves.
TEST(OneWavefront, HasNoBarrierBetweenStoresThatItsCompilerDidNotPart) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Program program = two_stores(false);
  const lift::Unit unit = lifted_to_work_items(program);
  EXPECT_EQ(unit.source.find("barrier("), std::string::npos) << unit.source;
  const emulate::LiftProof proof = emulate::prove_lifted(program, 0, unit.source);
  EXPECT_EQ(proof.verdict, emulate::Verdict::NotExecutable) << proof.reason;
  EXPECT_NE(proof.reason.find("race for a buffer"), std::string::npos) << proof.reason;
}

// A store by each of two numbers, one with the offset of the second dimension: work-items race, unless no number is an
// id in both.
TEST(OneWavefront, ThatRacesByItsIdsIsProvedWhereTheyAreApart) {
  AMDCOMPAT_NEEDS_OPENCL();
  using namespace lifted;
  constexpr u32 kWidth = 8, kGlobalOffset = 0x60;  // bytes in constant buffer 0
  constexpr u16 kOffsets = 30, kStart = 32, kLocalY = 6, kId = 7, kAddress = 8, kNumber = 9;
  lifted::Code code;
  code.op(gcn::Opcode::v_mov_b32, kLocalY, v(1)).prologue();
  code.scalar_load(gcn::Opcode::s_buffer_load_dwordx2, kOffsets, kCb0, kGlobalOffset).k(gcn::Opcode::s_waitcnt, 0, 0);
  for (const u16 dimension : {u16{0}, u16{1}}) {
    code.op(gcn::Opcode::s_lshl_b32, kStart, kGroup, number(3));  // the same ones in both, so that none comes later
    code.op(gcn::Opcode::s_add_u32, kStart, kStart, static_cast<u16>(kOffsets + dimension));
    code.op(gcn::Opcode::v_add_co_u32, kId, kStart, v(dimension == 0 ? 0 : kLocalY));
    code.op(gcn::Opcode::v_lshlrev_b32, kAddress, number(2), v(kId));
    code.op(gcn::Opcode::v_add_co_u32, kAddress, kOutSlot, v(kAddress));
    code.op(gcn::Opcode::v_mov_b32, kNumber, number(3u + dimension));
    code.buffer(gcn::Opcode::buffer_store_dword, kNumber, kAddress, kOut);
  }
  code.end();
  const Small small{.name = "k", .code = code};
  Program program = program_of(std::span(&small, 1));
  program.kernels[0].limits.required_group_size = {kWidth, kWidth, 1};
  auto& rsrc2 = *std::get<cl1::CalState>(program.kernels[0].entry).info.rsrc2;
  rsrc2 |= 1u << 8 | 1u << 11;  // groups and ids of two dimensions
  const lift::Unit unit = lifted_to_work_items(program);
  EXPECT_EQ(unit.source.find("barrier("), std::string::npos) << unit.source;
  const emulate::LiftProof proof = emulate::prove_lifted(program, 0, unit.source);
  EXPECT_EQ(proof.verdict, emulate::Verdict::Proved) << proof.reason << unit.source;
}

}  // namespace
}  // namespace amdcompat::one_wavefront_test
