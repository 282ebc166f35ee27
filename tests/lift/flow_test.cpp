// Control flow of machine code, made by hand: lifted and run by an OpenCL runtime against the interpreter, over lanes
// that go every way. And what a lane cannot do by itself, or what is not certain: refused, with the reason.
//
// AMDCOMPAT_SEEDS=DIRECTORY keeps the machine code there, as seeds of fuzz_lift (fuzz/corpus/lift).
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "small_program.hpp"
#include "support/wants_all.hpp"

namespace amdcompat_test::lifted::flow_test {
namespace {

using amdcompat::Diagnostics;
using amdcompat::Program;
namespace lift = amdcompat::lift;

constexpr u32 kSeed = 20260102, kRunLanes = 4 * kLanes;
// v[kA], v[kB]: two small numbers of the lane; results in v[kResult] and up.
constexpr u16 kA = 4, kB = 5, kResult = 8;
constexpr u32 kResults = 2;

// A kernel around `body`.
template <class Body>
Small kernel(Body body, u32 lds_bytes = 0) {
  Small out{.name = "k", .code = Code(), .lds_bytes = lds_bytes};
  Code& c = out.code;
  c.prologue();
  c.place(2, kInSlot, 2).place(3, kOutSlot, kResults);
  c.buffer(Opcode::buffer_load_dwordx2, kA, 2, kIn);
  for (u16 n = 0; n < kResults; ++n) c.op(Opcode::v_mov_b32, kResult + n, number(0));
  for (u32 n = 0; n < kValues; ++n)
    c.scalar_load(Opcode::s_buffer_load_dword, static_cast<u16>(36 + n), kCb1, 32 + 16 * n);
  body(c);
  c.buffer(Opcode::buffer_store_dwordx2, kResult, 3, kOut).end();
  return out;
}

struct Lifted {
  Program program;
  lift::Unit unit;
};
// Keeps the machine code as an input of fuzz_lift where AMDCOMPAT_SEEDS names a directory.
void keep(const Small& small) {
  const char* const directory = std::getenv("AMDCOMPAT_SEEDS");
  if (directory == nullptr) return;
  static u32 number = 0;
  const unsigned lds = small.lds_bytes == 0 ? 0 : small.lds_bytes <= 256 ? 1 : small.lds_bytes <= 1024 ? 2 : 3;
  std::ofstream out(fmt::format("{}/flow-{:03}", directory, number++), std::ios::binary);
  out.put(static_cast<char>(lds << 1));
  const auto bytes = std::as_bytes(std::span(small.code.words()));
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}
Lifted lifted(const Small& small, std::optional<lift::Form> form = lift::Form::WorkItem) {
  if (form == lift::Form::WorkItem) keep(small);
  Lifted out{program_of(std::span(&small, 1)), {}};
  Diagnostics diagnostics;
  lift::Options options;
  options.form = form;
  out.unit = lift::lift(out.program, options, diagnostics);
  return out;
}

// Several launches, of other numbers each.
void expect_same_in(const Small& small, lift::Form form) {
  const Lifted it = lifted(small, form);
  const auto& outcome = it.unit.kernels.front();
  ASSERT_TRUE(outcome.lifted) << (outcome.refusal ? outcome.refusal->message : "no reason given");
  opencl::Request request{.source = it.unit.source, .options = sooner()};
  std::mt19937 random(kSeed);
  std::vector<Data> launches;
  for (u32 n = 0; n < 4; ++n) {
    Data& data = launches.emplace_back();
    for (u32 lane = 0; lane < kRunLanes; ++lane) {
      // Some wavefronts whose lanes agree, one way or the other.
      const bool agree = n >= 2 && lane / kLanes < 2;
      data.in.push_back(agree ? (lane / kLanes) * 7 : static_cast<u32>(random()) % 12);
      data.in.push_back(agree ? 3 : static_cast<u32>(random()) % 9);
    }
    data.out.resize(std::size_t{kRunLanes} * kResults, 0xdeadbeef);
    data.values = {3 * n, n, n % 2, 5, 1, 2};
    request.launches.push_back(launch_of("k", data, kRunLanes));
  }
  const opencl::Result result = opencl::run(request);
  ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << result.message << it.unit.source;
  EXPECT_EQ(said_of_source(result.log), "") << it.unit.source;
  std::size_t differing = 0;  // neighbours with other results
  for (std::size_t n = 0; n < launches.size(); ++n) {
    const Ran expected = interpret(it.program, 0, launches[n], kRunLanes);
    ASSERT_EQ(expected.problem, "");
    ASSERT_EQ(result.launches[n].status, opencl::Status::Ok) << result.launches[n].message << it.unit.source;
    const Words got = words_of(result.launches[n].buffers[1]);
    std::size_t distinct = 0;
    for (std::size_t word = 0; word < got.size(); ++word) {
      distinct += word >= kResults && expected.out[word] != expected.out[word - kResults] ? 1 : 0;
      ASSERT_EQ(got[word], expected.out[word]) << "launch " << n << ", lane " << word / kResults << ", result "
                                               << word % kResults << ", seed " << kSeed << "\n"
                                               << it.unit.source;
    }
    differing += distinct;
  }
  EXPECT_GT(differing, 0u) << "every lane has the same result: nothing is tested";
}

// In both forms; in a run of parts every third kernel.
void expect_same(const Small& small) {
  static std::size_t turn = 0;
  const bool both = turn++ % one_of(3) == 0;
  for (const lift::Form form : {lift::Form::WorkItem, lift::Form::Wave}) {
    if (form == lift::Form::Wave && !both) continue;
    SCOPED_TRACE(lift::form_name(form));
    expect_same_in(small, form);
  }
}

// What cannot be shown of single lanes is right for the whole wavefront, which is then the form that is taken.
void expect_wave(const Small& small) {
  const Lifted it = lifted(small, std::nullopt);
  ASSERT_TRUE(it.unit.kernels.front().lifted);
  EXPECT_EQ(it.unit.kernels.front().form, lift::Form::Wave);
  ASSERT_TRUE(it.unit.kernels.front().fallback);
  EXPECT_EQ(it.unit.kernels.front().fallback->code, amdcompat::Code::LiftLanes);
  if (amdcompat_test::opencl_missing().empty()) expect_same_in(small, lift::Form::Wave);
}

// `ends`: what is refused of single lanes is done by whole wavefronts, and the launch ends.
void expect_refused(const Small& small, const std::string& code, const char* says, bool ends = true) {
  const Lifted it = lifted(small);
  const auto& outcome = it.unit.kernels.front();
  EXPECT_FALSE(outcome.lifted) << it.unit.source;
  EXPECT_EQ(it.unit.source, "");
  ASSERT_TRUE(outcome.refusal);
  EXPECT_EQ(amdcompat::code_label(outcome.refusal->code), code) << outcome.refusal->message;
  EXPECT_NE(outcome.refusal->message.find(says), std::string::npos) << outcome.refusal->message;
  if (code == "AC4407" && ends) expect_wave(small);
}

// VCC: lanes whose a is below a number.
void below(Code& c, u32 than) { c.op(Opcode::v_cmp_gt_i32, 0, number(than), v(kA)); }

TEST(LiftedFlow, IfWithAndWithoutAJumpAroundIt) {
  AMDCOMPAT_NEEDS_OPENCL();
  for (const bool jump : {false, true})
    expect_same(kernel([&](Code& c) {
      below(c, 5);
      c.op(Opcode::s_and_saveexec_b64, 30, kVccCode);
      const std::size_t over = jump ? c.branch(Opcode::s_cbranch_execz) : 0;
      c.op(Opcode::v_mul_u32_u24, kResult, v(kA), v(kB));
      if (jump) c.land(over);
      c.op(Opcode::s_mov_b64, kExecCode, 30);
      c.op(Opcode::v_add_co_u32, kResult, number(1), v(kResult));
    }));
}

TEST(LiftedFlow, IfAndElse) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(kernel([](Code& c) {
    below(c, 6);
    c.op(Opcode::s_and_saveexec_b64, 30, kVccCode).op(Opcode::s_xor_b64, 30, kExecCode, 30);
    std::size_t over = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::v_add_co_u32, kResult, v(kA), v(kB)).op(Opcode::v_mov_b32, kResult + 1, number(7));
    c.land(over);
    c.op(Opcode::s_or_saveexec_b64, 30, 30).op(Opcode::s_xor_b64, kExecCode, kExecCode, 30);
    over = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::v_sub_co_u32, kResult, v(kA), v(kB)).op(Opcode::v_mov_b32, kResult + 1, v(kLane));
    c.land(over);
    c.op(Opcode::s_or_b64, kExecCode, kExecCode, 30);
  }));
  // As the old compilers wrote it.
  expect_same(kernel([](Code& c) {
    below(c, 6);
    c.op(Opcode::s_mov_b64, 30, kExecCode).op(Opcode::s_and_b64, kExecCode, 30, kVccCode);
    std::size_t over = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::v_mul_u32_u24, kResult, v(kA), v(kB));
    c.land(over);
    c.op(Opcode::s_andn2_b64, kExecCode, 30, kExecCode);
    over = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::v_mov_b32, kResult, v(kB));
    c.land(over);
    c.op(Opcode::s_mov_b64, kExecCode, 30);
  }));
}

TEST(LiftedFlow, IfInAnIf) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(kernel([](Code& c) {
    below(c, 8);
    c.op(Opcode::s_and_saveexec_b64, 30, kVccCode);
    const std::size_t outer = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::v_mov_b32, kResult, number(1));
    below(c, 4);
    c.op(Opcode::s_and_saveexec_b64, 32, kVccCode);
    const std::size_t inner = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::v_add_co_u32, kResult, v(kB), v(kResult));
    c.land(inner);
    c.op(Opcode::s_mov_b64, kExecCode, 32).op(Opcode::v_add_co_u32, kResult + 1, v(kA), v(kResult));
    c.land(outer);
    c.op(Opcode::s_mov_b64, kExecCode, 30);
  }));
}

TEST(LiftedFlow, BranchesThatTheWholeLaunchTakes) {
  AMDCOMPAT_NEEDS_OPENCL();
  for (const Opcode branch : {Opcode::s_cbranch_scc0, Opcode::s_cbranch_scc1})
    expect_same(kernel([&](Code& c) {
      c.op(Opcode::s_cmp_eq_u32, 0, 38, number(0));
      const std::size_t yes = c.branch(branch);
      c.op(Opcode::v_mov_b32, kResult, v(kA)).op(Opcode::s_mov_b32, 50, number(9));
      const std::size_t end = c.branch(Opcode::s_branch);
      c.land(yes);
      c.op(Opcode::v_mov_b32, kResult, v(kB)).op(Opcode::s_mov_b32, 50, 37);
      c.land(end);
      c.op(Opcode::v_add_co_u32, kResult + 1, 50, v(kLane));
    }));
}

TEST(LiftedFlow, UniformLoopsThatTestFirstOrLast) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(kernel([](Code& c) {  // while (i < p0)
    c.op(Opcode::s_mov_b32, 50, number(0));
    const std::size_t head = c.here();
    c.op(Opcode::s_cmp_ge_u32, 0, 50, 36);
    const std::size_t out = c.branch(Opcode::s_cbranch_scc1);
    c.op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult)).op(Opcode::v_xor_b32, kResult + 1, 50, v(kResult));
    c.op(Opcode::s_add_u32, 50, 50, number(1)).branch(Opcode::s_branch, head);
    c.land(out);
    c.op(Opcode::v_add_co_u32, kResult, 50, v(kResult));
  }));
  expect_same(kernel([](Code& c) {  // do … while (i != p3)
    c.op(Opcode::s_mov_b32, 50, number(0));
    const std::size_t head = c.here();
    c.op(Opcode::v_lshlrev_b32, kResult, number(1), v(kResult)).op(Opcode::v_add_co_u32, kResult, v(kB), v(kResult));
    c.op(Opcode::s_add_u32, 50, 50, number(1)).op(Opcode::s_cmp_lg_u32, 0, 50, 39);
    c.branch(Opcode::s_cbranch_scc1, head);
  }));
}

// Each lane leaves in a turn of its own: v[6] counts up to b, or until the sum is large.
void lane_loop(Code& c, bool with_break) {
  c.op(Opcode::v_mov_b32, 6, number(0)).op(Opcode::s_mov_b64, 30, kExecCode);
  const std::size_t head = c.here();
  c.op(Opcode::v_cmp_gt_u32, 0, v(kB), v(6)).op(Opcode::s_and_b64, kExecCode, kExecCode, kVccCode);
  const std::size_t out = c.branch(Opcode::s_cbranch_execz);
  c.op(Opcode::v_add_co_u32, 6, number(1), v(6));
  c.op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult));
  std::size_t second = 0;
  if (with_break) {
    c.op(Opcode::v_cmp_gt_u32, 0, number(20), v(kResult)).op(Opcode::s_and_b64, kExecCode, kExecCode, kVccCode);
    second = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::v_add_co_u32, kResult + 1, v(6), v(kResult + 1));
  }
  c.branch(Opcode::s_branch, head);
  c.land(out);
  if (with_break) c.land(second);
  c.op(Opcode::s_mov_b64, kExecCode, 30);
  c.op(Opcode::v_xor_b32, kResult + 1, v(6), v(kResult + 1));
}
TEST(LiftedFlow, LoopsThatLanesLeaveOneAfterAnother) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(kernel([](Code& c) { lane_loop(c, false); }));
}
TEST(LiftedFlow, LoopsThatLanesLeaveByABreak) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(kernel([](Code& c) { lane_loop(c, true); }));
}
// As the old compilers wrote it: a mask of the lanes that go on, and a test at the end.
TEST(LiftedFlow, LoopsThatTestTheirMaskAtTheEnd) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(kernel([](Code& c) {
    c.op(Opcode::v_mov_b32, 6, number(0)).op(Opcode::s_mov_b64, 30, kExecCode);
    const std::size_t head = c.here();
    c.op(Opcode::v_add_co_u32, 6, number(1), v(6)).op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult));
    c.op(Opcode::v_cmp_lt_u32, 0, v(6), v(kB)).op(Opcode::s_and_b64, 32, kExecCode, kVccCode);
    c.op(Opcode::s_mov_b64, kExecCode, 32);
    c.branch(Opcode::s_cbranch_execnz, head);
    c.op(Opcode::s_mov_b64, kExecCode, 30).op(Opcode::v_mov_b32, kResult + 1, v(6));
  }));
}
// As LLVM writes a loop that no branch guards: lanes that leave are collected, and turned on again behind the loop.
TEST(LiftedFlow, LoopsThatCollectTheLanesThatLeave) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(kernel([](Code& c) {
    c.op(Opcode::v_mov_b32, 6, number(0)).op(Opcode::s_mov_b64, 30, number(0));
    const std::size_t head = c.here();
    c.op(Opcode::v_add_co_u32, 6, number(1), v(6)).op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult));
    c.op(Opcode::v_cmp_ge_u32, 0, v(6), v(kB)).op(Opcode::s_or_b64, 30, kVccCode, 30);
    c.op(Opcode::s_andn2_b64, kExecCode, kExecCode, 30);
    c.branch(Opcode::s_cbranch_execnz, head);
    c.op(Opcode::s_or_b64, kExecCode, kExecCode, 30).op(Opcode::v_mov_b32, kResult + 1, v(6));
  }));
}

// The same with a `break` behind a branch of which a part is the same for all lanes; lanes without that leave at once.
TEST(LiftedFlow, LoopsThatLanesLeaveBehindABranchOnWhatAllOfThemKnow) {
  AMDCOMPAT_NEEDS_OPENCL();
  constexpr u16 kGone = 30, kKnown = 34, kStays = 50, kLeaves = 52, kOld = 54, kP0 = 36;
  expect_same(kernel([](Code& c) {
    c.op(Opcode::s_cmp_lg_u32, 0, kP0, number(0)).op(Opcode::s_cselect_b64, kKnown, kMinusOne, number(0));
    below(c, 6);
    c.op(Opcode::s_and_b64, kStays, kKnown, kVccCode).op(Opcode::v_mov_b32, 6, number(0));
    c.op(Opcode::s_mov_b64, kGone, number(0)).op(Opcode::s_mov_b64, kLeaves, number(0));
    const std::size_t head = c.here();
    c.op(Opcode::s_or_b64, kLeaves, kLeaves, kExecCode).op(Opcode::s_and_saveexec_b64, kOld, kStays);
    const std::size_t around = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::v_add_co_u32, 6, number(1), v(6)).op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult));
    c.op(Opcode::v_cmp_ge_u32, 0, v(6), v(kB)).op(Opcode::s_andn2_b64, kLeaves, kLeaves, kExecCode);
    c.op(Opcode::s_and_b64, kVccCode, kVccCode, kExecCode).op(Opcode::s_or_b64, kLeaves, kLeaves, kVccCode);
    c.land(around);
    c.op(Opcode::s_or_b64, kExecCode, kExecCode, kOld).op(Opcode::s_and_b64, kVccCode, kExecCode, kLeaves);
    c.op(Opcode::s_or_b64, kGone, kVccCode, kGone).op(Opcode::s_andn2_b64, kExecCode, kExecCode, kGone);
    c.branch(Opcode::s_cbranch_execnz, head);
    c.op(Opcode::s_or_b64, kExecCode, kExecCode, kGone).op(Opcode::v_mov_b32, kResult + 1, v(6));
  }));
}

// LLVM shifts a word in of which no bit is used: whatever register is at hand, the mask of a comparison here.
TEST(LiftedFlow, BitsThatAreMaskedOutMayBeThoseOfAMask) {
  AMDCOMPAT_NEEDS_OPENCL();
  constexpr u16 kMask = 50;
  expect_same(kernel([](Code& c) {
    const auto shift_in = [&](u16 high, u16 low, u32 by) {
      amdcompat::gcn::Instruction i = c.make(Opcode::v_alignbit_b32);
      i.destination = 6;
      i.sources = {high, low, number(by)};
      c.add(i);
    };
    below(c, 6);
    c.op(Opcode::s_mov_b64, kMask, kVccCode);
    shift_in(v(kA), kMask, 8);
    c.op(Opcode::v_and_b32, 6, kLiteralCode, v(6), 0xff000000u).op(Opcode::v_xor_b32, kResult, v(6), v(kResult));
    shift_in(kMask, v(kB), 1);
    c.op(Opcode::v_and_b32, 6, number(7), v(6)).op(Opcode::v_cndmask_b32, kResult + 1, v(kA), v(6));
  }));
}

// Lanes that have left before are off in the last turn, which sets the mask once more.
TEST(LiftedFlow, AMaskOfALoopsLastTurnIsRefusedBehindIt) {
  expect_refused(kernel([](Code& c) {
                   c.op(Opcode::v_mov_b32, 6, number(0));
                   const std::size_t head = c.here();
                   c.op(Opcode::s_mov_b64, 30, kExecCode).op(Opcode::v_add_co_u32, 6, number(1), v(6));
                   c.op(Opcode::v_cmp_lt_u32, 0, v(6), v(kB)).op(Opcode::s_and_b64, kExecCode, kExecCode, kVccCode);
                   c.branch(Opcode::s_cbranch_execnz, head);
                   c.op(Opcode::s_mov_b64, kExecCode, 30).op(Opcode::v_mov_b32, kResult + 1, v(6));
                 }),
                 "AC4407", "last turn's mask");
}
// The wavefront goes round while some lane has two bits; lanes that have only the one that EXEC is made of go with it.
TEST(LiftedFlow, ALoopThatLanesStayInForOthersIsRefused) {
  expect_refused(kernel([](Code& c) {
                   c.op(Opcode::v_mov_b32, 6, number(0)).op(Opcode::s_mov_b64, 30, kExecCode);
                   const std::size_t head = c.here();
                   c.op(Opcode::v_add_co_u32, 6, number(1), v(6)).op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult));
                   c.op(Opcode::v_cmp_lt_u32, 0, v(6), v(kB)).op(Opcode::s_and_b64, kExecCode, kExecCode, kVccCode);
                   c.op(Opcode::v_cmp_gt_u32, 0, number(20), v(kResult));
                   c.op(Opcode::s_and_b64, kVccCode, kExecCode, kVccCode);
                   c.branch(Opcode::s_cbranch_vccnz, head);
                   c.op(Opcode::s_mov_b64, kExecCode, 30).op(Opcode::v_mov_b32, kResult + 1, v(6));
                 }),
                 "AC4407", "lanes");
}
// A lane without the bit would go round for ever where the wavefront leaves with another lane.
TEST(LiftedFlow, ALoopThatAllLanesLeaveWithTheFirstIsRefused) {
  expect_refused(kernel([](Code& c) {
                   c.op(Opcode::s_mov_b64, 30, kExecCode);
                   const std::size_t head = c.here();
                   below(c, 6);
                   c.op(Opcode::s_and_b64, kExecCode, kExecCode, kVccCode);
                   c.branch(Opcode::s_cbranch_execz, head);
                   c.op(Opcode::v_mov_b32, kResult, v(kB)).op(Opcode::s_mov_b64, kExecCode, 30);
                 }),
                 "AC4407", "leaves a loop with all lanes", false);
}

TEST(LiftedFlow, LoopsInLoops) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(kernel([](Code& c) {  // a uniform one around one that lanes leave
    c.op(Opcode::s_mov_b32, 50, number(0));
    const std::size_t head = c.here();
    lane_loop(c, false);
    c.op(Opcode::s_add_u32, 50, 50, number(1)).op(Opcode::s_cmp_lt_u32, 0, 50, number(3));
    c.branch(Opcode::s_cbranch_scc1, head);
  }));
  expect_same(kernel([](Code& c) {  // for (i = 0; i < b; ++i) for (j = 0; j < a; ++j)
    c.op(Opcode::v_mov_b32, 6, number(0)).op(Opcode::s_mov_b64, 30, kExecCode);
    const std::size_t outer = c.here();
    c.op(Opcode::v_cmp_gt_u32, 0, v(kB), v(6)).op(Opcode::s_and_b64, kExecCode, kExecCode, kVccCode);
    const std::size_t out = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::v_mov_b32, 7, number(0)).op(Opcode::s_mov_b64, 32, kExecCode);
    const std::size_t inner = c.here();
    c.op(Opcode::v_cmp_gt_u32, 0, v(kA), v(7)).op(Opcode::s_and_b64, kExecCode, kExecCode, kVccCode);
    const std::size_t leave = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::v_add_co_u32, 7, number(1), v(7)).op(Opcode::v_add_co_u32, kResult, v(7), v(kResult));
    c.branch(Opcode::s_branch, inner);
    c.land(leave);
    c.op(Opcode::s_mov_b64, kExecCode, 32).op(Opcode::v_add_co_u32, 6, number(1), v(6));
    c.op(Opcode::v_xor_b32, kResult + 1, v(kResult), v(kResult + 1)).branch(Opcode::s_branch, outer);
    c.land(out);
    c.op(Opcode::s_mov_b64, kExecCode, 30);
  }));
}

// Each lane writes, waits, and reads what another one wrote: of the group's other half.
void exchange(Code& c) {
  c.op(Opcode::v_lshlrev_b32, 6, number(2), v(0)).op(Opcode::v_xor_b32, 7, kLiteralCode, v(6), 0x80);
  c.lds(Opcode::ds_write_b32, 6, kA).k(Opcode::s_waitcnt, 0, 0).k(Opcode::s_barrier, 0, 0);
  c.lds(Opcode::ds_read_b32, 7, 0, kResult).k(Opcode::s_waitcnt, 0, 0);
}
TEST(LiftedFlow, LocalMemoryAndABarrier) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(kernel(exchange, 256));
}
// Each lane of 64 has a place behind that of the lane before: v6 names the latter, which another lane writes.
void places_in_a_row(Code& c) {
  c.op(Opcode::v_lshlrev_b32, 6, number(2), v(0)).lds(Opcode::ds_write_b32, 6, kB).k(Opcode::s_waitcnt, 0, 0);
  c.k(Opcode::s_barrier, 0, 0).lds(Opcode::ds_write_b32, 6, kA, 0, 4).k(Opcode::s_waitcnt, 0, 0);
  c.k(Opcode::s_barrier, 0, 0);
}
// Reads what the lane before has, and writes its own.
void read_and_write_in_step(Code& c, u16 value) {
  c.lds(Opcode::ds_read_b32, 6, 0, 7).k(Opcode::s_waitcnt, 0, 0);
  c.lds(Opcode::ds_write_b32, 6, value, 0, 4).op(Opcode::v_xor_b32, kResult, v(7), v(kResult));
}
std::size_t barriers_of(const Small& small) {
  const Lifted it = lifted(small);
  std::size_t out = 0;
  for (std::size_t at = 0; (at = it.unit.source.find("barrier(", at)) != std::string::npos; ++at) ++out;
  return out;
}
TEST(LiftedFlow, LanesThatReadAndWriteInStepWaitForEachOther) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Small once = kernel(
      [](Code& c) {
        places_in_a_row(c);
        read_and_write_in_step(c, kB);
      },
      512);
  EXPECT_EQ(barriers_of(once), 3u);
  expect_same(once);
  // In a loop of one barrier a turn, whose next turn writes what another lane still reads.
  const Small loop = kernel(
      [](Code& c) {
        places_in_a_row(c);
        c.op(Opcode::s_mov_b32, 50, number(0)).op(Opcode::v_mov_b32, 9, v(kA));
        const std::size_t head = c.here();
        c.op(Opcode::v_add_co_u32, 9, v(kB), v(9)).lds(Opcode::ds_write_b32, 6, 9, 0, 4).k(Opcode::s_waitcnt, 0, 0);
        c.k(Opcode::s_barrier, 0, 0).lds(Opcode::ds_read_b32, 6, 0, 7).k(Opcode::s_waitcnt, 0, 0);
        c.op(Opcode::v_add_co_u32, kResult, v(7), v(kResult));
        c.op(Opcode::s_add_u32, 50, 50, number(1)).op(Opcode::s_cmp_lt_u32, 0, 50, number(5));
        c.branch(Opcode::s_cbranch_scc1, head);
      },
      512);
  EXPECT_EQ(barriers_of(loop), 4u);
  expect_same_in(loop, lift::Form::WorkItem);  // pocl 3.1 aborts on such a loop of the wave form
}
// The last sums of a group, as sources of the time had them.
Small sums_of_a_group(u32 last) {
  return kernel(
      [=](Code& c) {
        c.op(Opcode::v_lshlrev_b32, 6, number(2), v(0)).lds(Opcode::ds_write_b32, 6, kA);
        c.op(Opcode::v_mov_b32, kResult + 1, v(kB)).k(Opcode::s_waitcnt, 0, 0).k(Opcode::s_barrier, 0, 0);
        c.op(Opcode::v_cmp_gt_u32, 0, number(32), v(0)).op(Opcode::s_and_saveexec_b64, 30, kVccCode);
        const std::size_t out = c.branch(Opcode::s_cbranch_execz);
        for (u32 half = 32; half >= last; half /= 2) {
          c.lds(Opcode::ds_read_b32, 6, 0, 7, 4 * half).lds(Opcode::ds_read_b32, 6, 0, 9).k(Opcode::s_waitcnt, 0, 0);
          c.op(Opcode::v_add_co_u32, kResult, v(7), v(9)).lds(Opcode::ds_write_b32, 6, kResult);
        }
        c.land(out);
        c.op(Opcode::s_mov_b64, kExecCode, 30);
      },
      256);
}
TEST(LiftedFlow, LanesThatReadAndWriteInStepBehindABranchMeetBetweenItsHalves) {
  AMDCOMPAT_NEEDS_OPENCL();
  const auto behind_a_branch = [](bool other_too) {
    return kernel(
        [=](Code& c) {
          places_in_a_row(c);
          below(c, 6);
          c.op(Opcode::s_and_saveexec_b64, 30, kVccCode);
          if (other_too) c.op(Opcode::s_xor_b64, 30, kExecCode, 30);
          const std::size_t out = c.branch(Opcode::s_cbranch_execz);
          read_and_write_in_step(c, kB);
          read_and_write_in_step(c, kA);
          c.land(out);
          if (other_too) {
            c.op(Opcode::s_or_saveexec_b64, 30, 30).op(Opcode::s_xor_b64, kExecCode, kExecCode, 30);
            c.op(Opcode::v_xor_b32, kResult, v(kA), v(kResult)).op(Opcode::s_or_b64, kExecCode, kExecCode, 30);
          } else {
            c.op(Opcode::s_mov_b64, kExecCode, 30);
          }
        },
        512);
  };
  for (const bool other_too : {false, true}) {
    EXPECT_EQ(barriers_of(behind_a_branch(other_too)), 5u);
    expect_same_in(behind_a_branch(other_too), lift::Form::WorkItem);
    expect_same(behind_a_branch(other_too));
  }
  EXPECT_GE(barriers_of(sums_of_a_group(1)), 6u);
  expect_same_in(sums_of_a_group(1), lift::Form::WorkItem);
  // The upper half is read only, the lower one is each lane's own.
  EXPECT_EQ(barriers_of(sums_of_a_group(32)), 1u);
  expect_same(sums_of_a_group(32));
}
TEST(LiftedFlow, WhatABranchWritesWaitsForWhatWasReadInFrontOfIt) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Small it = kernel(
      [](Code& c) {
        places_in_a_row(c);
        c.lds(Opcode::ds_read_b32, 6, 0, kResult).k(Opcode::s_waitcnt, 0, 0);
        below(c, 6);
        c.op(Opcode::s_and_saveexec_b64, 30, kVccCode);
        const std::size_t out = c.branch(Opcode::s_cbranch_execz);
        c.lds(Opcode::ds_write_b32, 6, kB, 0, 4);
        c.land(out);
        c.op(Opcode::s_mov_b64, kExecCode, 30);
      },
      512);
  EXPECT_EQ(barriers_of(it), 3u);
  expect_same_in(it, lift::Form::WorkItem);
}
// A scan's steps of a tree: `block[step * (2 * lane + 1)]` is read, `block[step * (2 * lane + second)]` is written.
TEST(LiftedFlow, StepsOfAScanNeedNoBarrierBetweenReadingAndWriting) {
  AMDCOMPAT_NEEDS_OPENCL();
  constexpr u16 kOne = 40;  // a value that the launch gives
  const auto steps = [](u32 second) {
    return kernel(
        [=](Code& c) {
          c.op(Opcode::v_lshlrev_b32, 6, number(3), v(0)).lds(Opcode::ds_write_b32, 6, kA, 0, 4);
          c.lds(Opcode::ds_write_b32, 6, kB, 0, 8).k(Opcode::s_waitcnt, 0, 0).k(Opcode::s_barrier, 0, 0);
          c.op(Opcode::v_lshlrev_b32, 10, number(1), v(0)).op(Opcode::v_add_co_u32, 11, number(second), v(10));
          c.op(Opcode::v_add_co_u32, 10, number(1), v(10)).op(Opcode::v_mul_lo_u32, 10, kOne, v(10));
          c.op(Opcode::v_mul_lo_u32, 11, kOne, v(11)).op(Opcode::v_lshlrev_b32, 10, number(2), v(10));
          c.op(Opcode::v_lshlrev_b32, 11, number(2), v(11)).lds(Opcode::ds_read_b32, 10, 0, kResult);
          c.k(Opcode::s_waitcnt, 0, 0).lds(Opcode::ds_write_b32, 11, kA);
        },
        1024);
  };
  // Steps that get longer in every turn, without a barrier between turns: other places then.
  const Small turns = kernel(
      [](Code& c) {
        c.op(Opcode::v_lshlrev_b32, 6, number(2), v(0));
        for (u32 n = 0; n < 16; ++n) {
          c.lds(Opcode::ds_write_b32, 6, n % 2 == 0 ? kA : kB);
          c.op(Opcode::v_add_co_u32, 6, kLiteralCode, v(6), 256);
        }
        c.k(Opcode::s_waitcnt, 0, 0).k(Opcode::s_barrier, 0, 0);
        c.op(Opcode::s_mov_b32, 50, number(1));
        const std::size_t head = c.here();
        c.op(Opcode::v_lshlrev_b32, 10, number(1), v(0)).op(Opcode::v_add_co_u32, 11, number(2), v(10));
        c.op(Opcode::v_add_co_u32, 10, number(1), v(10)).op(Opcode::v_mul_lo_u32, 10, 50, v(10));
        c.op(Opcode::v_mul_lo_u32, 11, 50, v(11)).op(Opcode::v_lshlrev_b32, 10, number(2), v(10));
        c.op(Opcode::v_lshlrev_b32, 11, number(2), v(11)).lds(Opcode::ds_read_b32, 10, 0, 7);
        c.k(Opcode::s_waitcnt, 0, 0).op(Opcode::v_add_co_u32, kResult, v(7), v(kResult));
        c.lds(Opcode::ds_write_b32, 11, kResult).k(Opcode::s_waitcnt, 0, 0);
        c.op(Opcode::s_lshl_b32, 50, 50, number(1)).op(Opcode::s_cmp_lt_u32, 0, 50, number(8));
        c.branch(Opcode::s_cbranch_scc1, head);
      },
      4096);
  EXPECT_GE(barriers_of(turns), 2u);
  expect_same_in(turns, lift::Form::WorkItem);
  EXPECT_EQ(barriers_of(steps(2)), 1u);
  EXPECT_EQ(barriers_of(steps(3)), 2u);
  for (const u32 second : {2u, 3u}) expect_same_in(steps(second), lift::Form::WorkItem);
}

// A number and what is left of 0 without it: the larger one, of all numbers, the smallest too.
TEST(LiftedFlow, TheLargerOfANumberAndItsNegativeIsHowLargeItIs) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Small it = kernel([](Code& c) {
    c.op(Opcode::v_add_co_u32, 6, kLiteralCode, v(kA), 0xfffffffa).op(Opcode::v_sub_co_u32, 7, number(0), v(6));
    c.op(Opcode::v_max_i32, kResult, v(6), v(7)).op(Opcode::v_lshlrev_b32, 6, number(31), v(kB));
    c.op(Opcode::v_sub_co_u32, 7, number(0), v(6)).op(Opcode::v_max_i32, 7, v(7), v(6));
    c.op(Opcode::v_min_u32, kResult + 1, kLiteralCode, v(7), 0x1234);
  });
  EXPECT_NE(lifted(it).unit.source.find("abs_i("), std::string::npos);
  expect_same(it);
}
// How far a loop counts says how many bits its counter has, and what is left of an index made of it.
TEST(LiftedFlow, CountersOfLoopsNeedNoMasks) {
  AMDCOMPAT_NEEDS_OPENCL();
  const auto counted = [](u32 step, u32 end, bool below) {
    return kernel([=](Code& c) {
      c.op(Opcode::s_mov_b32, 50, number(0));
      const std::size_t head = c.here();
      c.op(Opcode::s_and_b32, 51, 50, number(15)).op(Opcode::v_lshlrev_b32, 6, 51, v(kA));
      c.op(Opcode::v_xor_b32, kResult, v(6), v(kResult));
      c.op(Opcode::s_add_u32, 50, 50, number(step));
      if (below)
        c.op(Opcode::s_cmp_lt_u32, 0, 50, number(end));
      else
        c.op(Opcode::s_cmp_lg_u32, 0, 50, number(end));
      c.branch(Opcode::s_cbranch_scc1, head);
    });
  };
  const auto masks = [&](const Small& small) { return lifted(small).unit.source.find("& 15u") != std::string::npos; };
  for (const bool below : {false, true}) {
    EXPECT_FALSE(masks(counted(3, 15, below))) << below;
    EXPECT_TRUE(masks(counted(3, 24, below))) << below;
    for (const u32 end : {15u, 24u}) expect_same(counted(3, end, below));
  }
}

TEST(LiftedFlow, BarriersInAUniformLoop) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(kernel(
      [](Code& c) {
        c.op(Opcode::s_mov_b32, 50, number(0));
        const std::size_t head = c.here();
        exchange(c);
        c.op(Opcode::v_add_co_u32, kA, v(kB), v(kResult)).k(Opcode::s_barrier, 0, 0);
        c.op(Opcode::s_add_u32, 50, 50, number(1)).op(Opcode::s_cmp_lt_u32, 0, 50, 39);
        c.branch(Opcode::s_cbranch_scc1, head);
      },
      256));
}

// A loop of lanes that are on, counted in a vector register: what the others have there does not count.
void counted_by_lanes(Code& c, bool waits) {
  exchange(c);
  c.op(Opcode::v_mov_b32, 10, v(kB));
  below(c, 5);
  c.op(Opcode::s_and_saveexec_b64, 30, kVccCode);
  const std::size_t over = c.branch(Opcode::s_cbranch_execz);
  c.op(Opcode::v_mov_b32, 10, 39);
  const std::size_t head = c.here();
  c.op(Opcode::v_add_co_u32, kResult, v(kB), v(kResult)).op(Opcode::v_add_co_u32, 10, kMinusOne, v(10));
  if (waits) c.lds(Opcode::ds_write_b32, 6, kResult).k(Opcode::s_waitcnt, 0, 0).k(Opcode::s_barrier, 0, 0);
  c.op(Opcode::v_xor_b32, kResult + 1, v(10), v(kResult + 1));
  c.op(Opcode::v_cmp_eq_u32, 0, number(0), v(10)).op(Opcode::s_and_b64, kVccCode, kExecCode, kVccCode);
  c.branch(Opcode::s_cbranch_vccz, head);
  c.land(over);
}
TEST(LiftedFlow, LoopsThatLanesCountAlike) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(kernel([](Code& c) { counted_by_lanes(c, false); }, 256));
}
// Lanes that are off go along to the barriers, as many times as the others.
TEST(LiftedFlow, BarriersInALoopThatLanesCountAlike) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same_in(kernel([](Code& c) { counted_by_lanes(c, true); }, 256), lift::Form::WorkItem);
}
TEST(LiftedFlow, ALoopThatLanesCountDifferentlyIsRefused) {
  expect_refused(kernel([](Code& c) {
                   c.op(Opcode::v_mov_b32, 10, v(kB)).op(Opcode::v_add_co_u32, 10, number(1), v(10));
                   const std::size_t head = c.here();
                   c.op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult));
                   c.op(Opcode::v_add_co_u32, 10, kMinusOne, v(10));
                   c.op(Opcode::v_cmp_eq_u32, 0, number(0), v(10)).op(Opcode::s_and_b64, kVccCode, kExecCode, kVccCode);
                   c.branch(Opcode::s_cbranch_vccz, head);
                 }),
                 "AC4407", "no lane takes a branch");
}

// --- refusals --------------------------------------------------------------------------------------------------------

// A barrier that the code reaches only with lanes that are on. `again`: and another one behind it, for all.
Small barrier_of_some(bool again) {
  return kernel(
      [=](Code& c) {
        exchange(c);
        below(c, 5);
        c.op(Opcode::s_and_saveexec_b64, 30, kVccCode);
        const std::size_t over = c.branch(Opcode::s_cbranch_execz);
        c.k(Opcode::s_barrier, 0, 0).lds(Opcode::ds_read_b32, 6, 0, kResult + 1).k(Opcode::s_waitcnt, 0, 0);
        c.op(Opcode::v_add_co_u32, kResult + 1, v(kResult + 1), v(kB));
        c.land(over);
        c.op(Opcode::s_mov_b64, kExecCode, 30);
        if (again) c.k(Opcode::s_barrier, 0, 0);
      },
      256);
}
TEST(LiftedFlow, LanesThatAreOffGoAlongToABarrier) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same_in(barrier_of_some(false), lift::Form::WorkItem);
}
// The hardware lets wavefronts go on that wait at different barriers: no work-item of its own can do that.
TEST(LiftedFlow, ABarrierThatWavefrontsLeaveOutBeforeAnotherOneIsOneOfWavefronts) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_refused(barrier_of_some(true), "AC4407", "has a barrier that not all lanes reach", false);
  expect_same_in(barrier_of_some(true), lift::Form::Wave);
}

TEST(LiftedFlow, AScalarRegisterThatDependsOnABranchOfLanesIsRefused) {
  const auto program = [](bool used) {
    return kernel([=](Code& c) {
      c.op(Opcode::s_mov_b32, 50, number(1));
      below(c, 5);
      c.op(Opcode::s_and_saveexec_b64, 30, kVccCode);
      const std::size_t over = c.branch(Opcode::s_cbranch_execz);
      c.op(Opcode::s_mov_b32, 50, number(2)).op(Opcode::v_mov_b32, kResult, 50);
      c.land(over);
      c.op(Opcode::s_mov_b64, kExecCode, 30);
      if (used) c.op(Opcode::v_add_co_u32, kResult + 1, 50, v(kA));
    });
  };
  expect_refused(program(true), "AC4407", "scalar register that depends on whether any lane takes this branch");
  EXPECT_TRUE(lifted(program(false)).unit.kernels.front().lifted);
}

// The whole wavefront goes along when one lane has the bit, and all lanes do what is there.
TEST(LiftedFlow, RegistersOfLanesThatABranchOnVccLeavesOutAreRefused) {
  for (const bool jump_if_set : {false, true})
    expect_refused(kernel([&](Code& c) {
                     below(c, 5);
                     const std::size_t over = c.branch(jump_if_set ? Opcode::s_cbranch_vccnz : Opcode::s_cbranch_vccz);
                     c.op(Opcode::v_mov_b32, kResult, number(1));
                     c.land(over);
                   }),
                   "AC4407",
                   jump_if_set ? "has code for wavefronts of which no lane takes a branch"
                               : "sets registers of lanes that the branch");
}
TEST(LiftedFlow, LoopsThatAllLanesStayInUntilTheLastHasDoneAreRefused) {
  expect_refused(kernel([](Code& c) {
                   const std::size_t head = c.here();
                   c.op(Opcode::v_add_co_u32, kResult, number(1), v(kResult));
                   c.op(Opcode::v_cmp_lt_u32, 0, v(kResult), v(kB));
                   c.branch(Opcode::s_cbranch_vccnz, head);
                 }),
                 "AC4407", "");
}
// The lanes that have left count on: EXEC is not what it was when the loop began.
TEST(LiftedFlow, LoopsThatTurnLanesOnAgainAreRefused) {
  expect_refused(kernel([](Code& c) {
                   c.op(Opcode::s_mov_b64, 30, kExecCode);
                   const std::size_t head = c.here();
                   c.op(Opcode::s_mov_b64, kExecCode, 30);
                   c.op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult));
                   c.op(Opcode::v_add_co_u32, kResult + 1, number(3), v(kResult + 1));
                   c.op(Opcode::v_cmp_lt_u32, 0, v(kResult + 1), v(kB));
                   c.op(Opcode::s_and_b64, kExecCode, kExecCode, kVccCode);
                   c.branch(Opcode::s_cbranch_execnz, head);
                   c.op(Opcode::s_mov_b64, kExecCode, 30);
                 }),
                 "AC4407", "");
}
TEST(LiftedFlow, RegistersOfTheLanesWithoutTheBitAreRefused) {
  expect_refused(kernel([](Code& c) {
                   below(c, 5);
                   c.op(Opcode::s_mov_b64, 30, kExecCode).op(Opcode::s_andn2_b64, kExecCode, kExecCode, kVccCode);
                   const std::size_t over = c.branch(Opcode::s_cbranch_vccz);
                   c.op(Opcode::v_mov_b32, kResult, number(1));
                   c.land(over);
                   c.op(Opcode::s_mov_b64, kExecCode, 30);
                 }),
                 "AC4407", "sets registers of lanes that the branch");
}

// Both halves at once: lanes that are enabled and do not have the bit add, too.
TEST(LiftedFlow, PairsOfRegistersOfLanesThatABranchLeavesOutAreRefused) {
  const auto program = [](bool narrowed) {
    return kernel([=](Code& c) {
      const auto add = [&] {
        Instruction i = c.make(Opcode::v_add_f64);
        i.destination = kResult;
        i.sources = {v(kResult), v(kA), 0};
        c.add(i);
      };
      c.op(Opcode::v_cmp_gt_i32, 0, number(4), v(kB)).op(Opcode::s_and_saveexec_b64, 30, kVccCode);
      below(c, 5);
      if (narrowed) c.op(Opcode::s_and_b64, kExecCode, kExecCode, kVccCode);
      const std::size_t over = c.branch(Opcode::s_cbranch_vccz);
      add();
      c.land(over);
      c.op(Opcode::s_mov_b64, kExecCode, 30);
      add();
    });
  };
  expect_refused(program(false), "AC4407", "sets registers of lanes that the branch");
  EXPECT_TRUE(lifted(program(true)).unit.kernels.front().lifted);
}

// An address is written by its parts: what they have in common is set where it is known, not where it is first named.
TEST(LiftedFlow, PartsOfAnAddressThatBranchesShareAreSetInFrontOfThem) {
  AMDCOMPAT_NEEDS_OPENCL();
  Small small{.name = "k", .code = Code()};
  Code& c = small.code;
  c.prologue();
  c.place(2, kInSlot, 2).place(3, kOutSlot, kResults);
  c.buffer(Opcode::buffer_load_dwordx2, kA, 2, kIn);
  constexpr u16 kMixed = 20, kPart = 21, kOffset = 22;
  c.op(Opcode::v_mul_u32_u24, kMixed, v(kA), v(kB)).op(Opcode::v_lshrrev_b32, kPart, number(1), v(kMixed));
  c.op(Opcode::v_xor_b32, kPart, v(kPart), v(kMixed)).op(Opcode::v_and_b32, kPart, number(1), v(kPart));
  c.op(Opcode::v_lshlrev_b32, kPart, number(2), v(kPart)).op(Opcode::v_add_co_u32, kOffset, v(3), v(kPart));
  for (const u16 limit : {u16{3}, u16{6}}) {
    below(c, limit);
    c.op(Opcode::s_and_saveexec_b64, 30, kVccCode);
    const std::size_t over = c.branch(Opcode::s_cbranch_execz);
    c.buffer(Opcode::buffer_store_dword, limit == 3 ? kA : kB, kOffset, kOut);
    c.land(over);
    c.op(Opcode::s_mov_b64, kExecCode, 30);
  }
  c.end();
  expect_same(small);
}

// Filters read the neighbours of the first texel too, and do not use them. The distance is below 0 modulo 2^32: as an
// index without a sign it would be 16 GiB away, where a process ends.
TEST(LiftedFlow, WhatIsReadBeforeTheMemoryIsRightBeforeIt) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Small small = kernel([](Code& c) {
    c.op(Opcode::v_add_co_u32, 6, kLiteralCode, v(2), ~15u).buffer(Opcode::buffer_load_dword, 7, 6, kIn);
    c.op(Opcode::v_cmp_lt_u32, 0, number(1), v(kLane)).op(Opcode::v_cndmask_b32, kResult, number(0), v(7));
  });
  Data data;
  for (u32 n = 0; n < kLanes * 2; ++n) data.in.push_back(100 + n);
  data.out.resize(kLanes * kResults);
  for (const lift::Form form : {lift::Form::WorkItem, lift::Form::Wave}) {
    const Lifted it = lifted(small, form);
    ASSERT_TRUE(it.unit.kernels.front().lifted);
    const opencl::Result result = opencl::run({.source = it.unit.source, .launches = {launch_of("k", data, kLanes)}});
    ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << it.unit.source;
    ASSERT_EQ(result.launches[0].status, opencl::Status::Ok) << result.launches[0].message << it.unit.source;
    const Words got = words_of(result.launches[0].buffers[1]);
    for (u32 lane = 0; lane < kLanes; ++lane)
      EXPECT_EQ(got[lane * kResults], lane < 2 ? 0 : 100 + 2 * lane - 4) << "lane " << lane;
  }
}

// OpenCL's INFINITY is a float: as one of a function's arguments it makes the others' types no choice.
TEST(LiftedFlow, AnInfinityAmongDoublesIsADouble) {
  AMDCOMPAT_NEEDS_OPENCL();
  constexpr u16 kMinusOne = 243;
  const Small small = kernel([](Code& c) {
    c.op(Opcode::v_cvt_f64_i32, 12, v(kA)).op(Opcode::s_mov_b32, 50, number(0));
    c.op(Opcode::s_bfm_b32, 51, number(11), number(20));  // 0x7ff00000
    Instruction i = c.make(Opcode::v_fma_f64);
    i.destination = kResult;
    i.sources = {kMinusOne, 50, v(12)};
    c.add(i);
    c.op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult));
  });
  EXPECT_NE(lifted(small).unit.source.find("INFINITY, "), std::string::npos) << lifted(small).unit.source;
  expect_same(small);
}

// Behind the loop it is that of the lane that stayed longest.
TEST(LiftedFlow, AScalarCounterOfALoopThatLanesLeaveIsRefusedBehindIt) {
  const auto program = [](bool used) {
    return kernel([=](Code& c) {
      c.op(Opcode::s_mov_b32, 50, number(0)).op(Opcode::s_mov_b64, 30, kExecCode);
      const std::size_t head = c.here();
      c.op(Opcode::v_cmp_lt_u32, 0, 50, v(kB)).op(Opcode::s_and_b64, kExecCode, kExecCode, kVccCode);
      const std::size_t out = c.branch(Opcode::s_cbranch_execz);
      c.op(Opcode::v_add_co_u32, kResult, 50, v(kResult)).op(Opcode::s_add_u32, 50, 50, number(1));
      c.branch(Opcode::s_branch, head);
      c.land(out);
      c.op(Opcode::s_mov_b64, kExecCode, 30);
      if (used) c.op(Opcode::v_mov_b32, kResult + 1, 50);
    });
  };
  expect_refused(program(true), "AC4407", "leaves a loop lane by lane whose scalar register is used behind it");
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(program(false));
}

TEST(LiftedFlow, ACountOfLanesIsRefused) {
  expect_refused(kernel([](Code& c) {
                   below(c, 5);
                   c.op(Opcode::s_bcnt1_i32_b32, 50, kVccCode).op(Opcode::v_mov_b32, kResult, 50);
                 }),
                 "AC4407", "uses a lane mask as a number");
}

TEST(LiftedFlow, AnAddressOfTwoArgumentsIsRefused) {
  expect_refused(kernel([](Code& c) {
                   c.op(Opcode::v_add_co_u32, 6, kInSlot, v(2));
                   c.buffer(Opcode::buffer_load_dword, kResult, 6, kIn);
                 }),
                 "AC4406", "at an address that comes from no argument or from several");
  expect_refused(kernel([](Code& c) {
                   c.op(Opcode::v_add_co_u32, 6, kOutSlot, v(2));
                   c.buffer(Opcode::buffer_load_dword, kResult, 6, kIn);
                 }),
                 "AC4406", "at an address that comes from no argument or from several");
}

TEST(LiftedFlow, AnAddressAsANumberIsRefused) {
  expect_refused(kernel([](Code& c) { c.op(Opcode::v_mov_b32, kResult, kInSlot); }), "AC4406",
                 "uses an address as a number");
  expect_refused(kernel([](Code& c) { c.op(Opcode::v_mov_b32, kResult, kIn + 2); }), "AC4406",
                 "uses a descriptor as a number");
}

TEST(LiftedFlow, AnUnknownEncodingIsRefusedWithItsBits) {
  expect_refused(kernel([](Code& c) { c.word(0xbf80'0000 | 0x7f << 16); }), "AC4405", "unknown encoding 0xbfff0000");
}
TEST(LiftedFlow, AnInstructionThatIsNotLiftedIsNamed) {
  expect_refused(kernel([](Code& c) { c.op(Opcode::v_cvt_off_f32_i4, kResult, v(kA)); }), "AC4405",
                 "'v_cvt_off_f32_i4_e32 v8, v4', which is not lifted");
}

TEST(LiftedFlow, CodeThatRunsOutOfItsSectionIsRefused) {
  Small small{.name = "k", .code = Code()};
  small.code.prologue();
  expect_refused(small, "AC4408", "runs out of its machine code");
  small.code.branch(Opcode::s_cbranch_scc1, 10'000);
  small.code.end();
  expect_refused(small, "AC4408", "runs out of its machine code");
}

// What is jumped to from outside and from inside is there twice.
TEST(LiftedFlow, ALoopOfTwoEntriesIsOneOfOne) {
  expect_same(kernel([](Code& c) {
    c.op(Opcode::s_cmp_eq_u32, 0, 38, number(0));
    const std::size_t middle = c.branch(Opcode::s_cbranch_scc1);
    const std::size_t head = c.here();
    c.op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult));
    c.land(middle);
    c.op(Opcode::v_add_co_u32, kResult + 1, 36, v(kResult + 1));
    c.op(Opcode::s_add_u32, 36, 36, number(1)).op(Opcode::s_cmp_lt_u32, 0, 36, number(9));
    c.branch(Opcode::s_cbranch_scc1, head);
  }));
}

// LLVM puts the test of a loop in front of it too, and jumps past what is between both.
TEST(LiftedFlow, ALoopWhoseTestStandsInFrontOfItTooTestsOnce) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Small small = kernel(
      [](Code& c) {
        exchange(c);
        const auto test = [&] {
          c.op(Opcode::v_cmp_gt_u32, 0, 50, v(kA)).op(Opcode::s_and_saveexec_b64, 30, kVccCode);
        };
        c.op(Opcode::s_mov_b32, 50, number(0));
        test();
        const std::size_t past = c.branch(Opcode::s_cbranch_execz);
        const std::size_t in = c.branch(Opcode::s_branch);
        c.land(past);
        const std::size_t next = c.here();
        c.op(Opcode::s_or_b64, kExecCode, kExecCode, 30).op(Opcode::s_add_u32, 50, 50, number(1));
        c.k(Opcode::s_barrier, 0, 0).op(Opcode::s_cmp_eq_u32, 0, 50, number(9));
        const std::size_t out = c.branch(Opcode::s_cbranch_scc1);
        test();
        c.branch(Opcode::s_cbranch_execz, next);
        c.land(in);
        c.op(Opcode::v_add_co_u32, kResult, v(kB), v(kResult))
            .op(Opcode::v_add_co_u32, kResult + 1, 50, v(kResult + 1));
        c.branch(Opcode::s_branch, next);
        c.land(out);
      },
      256);
  expect_same(small);
  const std::string source = lifted(small).unit.source;
  EXPECT_EQ(source.find("if (v1.x < "), source.rfind("if (v1.x < ")) << source;
}

std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t out = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++out;
  return out;
}

TEST(LiftedFlow, VariablesThatALoopAdvancesTogetherAreOneCounter) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Small small = kernel([](Code& c) {
    c.op(Opcode::s_mov_b32, 50, number(4)).op(Opcode::s_mov_b32, 51, 36).op(Opcode::s_mov_b32, 52, number(9));
    const std::size_t head = c.here();
    c.op(Opcode::v_add_co_u32, kResult, 51, v(kResult)).op(Opcode::v_xor_b32, kResult, v(kA), v(kResult));
    c.op(Opcode::v_lshlrev_b32, 6, 52, v(kB)).op(Opcode::v_add_co_u32, kResult + 1, v(6), v(kResult + 1));
    c.op(Opcode::s_add_u32, 50, 50, number(6)).op(Opcode::s_add_u32, 51, 51, number(3));
    c.op(Opcode::s_sub_u32, 52, 52, number(1)).op(Opcode::s_cmp_lg_u32, 0, 50, number(40));
    c.branch(Opcode::s_cbranch_scc1, head);
  });
  expect_same(small);
  const std::string source = lifted(small).unit.source;
  EXPECT_EQ(count_of(source, "for (uint "), 1u) << source;
  EXPECT_NE(source.find(" != 6u; "), std::string::npos) << source;
  // The two results, and nothing else.
  const std::size_t loop = source.find("for (");
  EXPECT_EQ(count_of(source.substr(loop, source.find("  }\n", loop) - loop), ";\n"), 2u) << source;
}

TEST(LiftedFlow, AStepThatMayGoAroundIsTestedAsItWas) {
  AMDCOMPAT_NEEDS_OPENCL();
  // Begins where the first step goes around for some launches: whether the old value is large is not whether the new
  // one is.
  const Small old_value = kernel([](Code& c) {
    c.op(Opcode::s_sub_u32, 50, 36, number(5));  // p0 - 5
    const std::size_t head = c.here();
    c.op(Opcode::v_add_co_u32, kResult, 50, v(kResult)).op(Opcode::v_add_co_u32, kResult + 1, v(kA), v(kResult));
    c.op(Opcode::s_cmp_gt_u32, 0, 50, number(63));
    const std::size_t out = c.branch(Opcode::s_cbranch_scc1);
    c.op(Opcode::s_add_u32, 50, 50, number(16)).branch(Opcode::s_branch, head);
    c.land(out);
  });
  expect_same(old_value);
  EXPECT_NE(lifted(old_value).unit.source.find("63u < "), std::string::npos) << lifted(old_value).unit.source;
}

TEST(LiftedFlow, ALoopInABranchWithItsTestIsThatLoop) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Small small = kernel([](Code& c) {
    c.op(Opcode::s_mov_b32, 50, number(0)).op(Opcode::s_cmp_lt_u32, 0, 50, 36);
    const std::size_t out = c.branch(Opcode::s_cbranch_scc0);
    const std::size_t head = c.here();
    c.op(Opcode::v_lshlrev_b32, kResult, number(1), v(kResult)).op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult));
    c.op(Opcode::s_add_u32, 50, 50, number(1)).op(Opcode::s_cmp_lt_u32, 0, 50, 36);
    c.branch(Opcode::s_cbranch_scc1, head);
    c.land(out);
    c.op(Opcode::v_xor_b32, kResult + 1, v(kB), v(kResult));
  });
  expect_same(small);
  const std::string source = lifted(small).unit.source;
  EXPECT_EQ(source.find("do {"), std::string::npos) << source;
  EXPECT_NE(source.find("for ("), std::string::npos) << source;
}

TEST(LiftedFlow, AVariableThatIsReadBehindTheNextSettingOfAnotherStaysItself) {
  AMDCOMPAT_NEEDS_OPENCL();
  // The two last values of a recurrence: each turn needs both, so that they cannot be one variable.
  expect_same(kernel([](Code& c) {
    c.op(Opcode::s_mov_b32, 50, number(0)).op(Opcode::v_mov_b32, 6, v(kA)).op(Opcode::v_mov_b32, 7, v(kB));
    const std::size_t head = c.here();
    c.op(Opcode::v_add_co_u32, 10, v(6), v(7)).op(Opcode::v_mov_b32, 6, v(7)).op(Opcode::v_mov_b32, 7, v(10));
    c.op(Opcode::s_add_u32, 50, 50, number(1)).op(Opcode::s_cmp_lg_u32, 0, 50, 39);
    c.branch(Opcode::s_cbranch_scc1, head);
    c.op(Opcode::v_mov_b32, kResult, v(6)).op(Opcode::v_mov_b32, kResult + 1, v(7));
  }));
  // Two that change places in every turn.
  expect_same(kernel([](Code& c) {
    c.op(Opcode::s_mov_b32, 50, number(0)).op(Opcode::v_mov_b32, 6, v(kA)).op(Opcode::v_mov_b32, 7, v(kB));
    const std::size_t head = c.here();
    c.op(Opcode::v_mov_b32, 10, v(6)).op(Opcode::v_mov_b32, 6, v(7)).op(Opcode::v_mov_b32, 7, v(10));
    c.op(Opcode::v_lshlrev_b32, kResult, number(1), v(kResult)).op(Opcode::v_xor_b32, kResult, v(6), v(kResult));
    c.op(Opcode::s_add_u32, 50, 50, number(1)).op(Opcode::s_cmp_lg_u32, 0, 50, 39);
    c.branch(Opcode::s_cbranch_scc1, head);
    c.op(Opcode::v_mov_b32, kResult + 1, v(7));
  }));
}

TEST(LiftedFlow, AValueOfALoadThatIsUsedTwiceIsReadInFrontOfTheNextStore) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(kernel(
      [](Code& c) {
        c.op(Opcode::v_lshlrev_b32, 6, number(2), v(0)).lds(Opcode::ds_write_b32, 6, kA);
        c.lds(Opcode::ds_read_b32, 6, 0, 7).k(Opcode::s_waitcnt, 0, 0);
        c.op(Opcode::v_add_co_u32, 7, v(kB), v(7)).lds(Opcode::ds_write_b32, 6, kB);
        c.op(Opcode::v_lshlrev_b32, kResult, number(3), v(7)).op(Opcode::v_xor_b32, kResult + 1, v(7), v(kResult));
        c.lds(Opcode::ds_read_b32, 6, 0, 7).k(Opcode::s_waitcnt, 0, 0);
        c.op(Opcode::v_xor_b32, kResult, v(7), v(kResult));
      },
      256));
}

TEST(LiftedFlow, AnIndexThatIsReadOnceStaysWhatItWas) {
  AMDCOMPAT_NEEDS_OPENCL();
  // Two addresses are made of one load, and between them what it read is overwritten.
  expect_same(kernel(
      [](Code& c) {
        c.op(Opcode::v_lshlrev_b32, 6, number(2), v(0)).lds(Opcode::ds_write_b32, 6, 0);
        c.lds(Opcode::ds_read_b32, 6, 0, 7).k(Opcode::s_waitcnt, 0, 0);
        c.op(Opcode::v_lshlrev_b32, 7, number(2), v(7));
        c.lds(Opcode::ds_read_b32, 7, 0, kResult).lds(Opcode::ds_write_b32, 6, kB);
        c.lds(Opcode::ds_read_b32, 7, 0, kResult + 1).k(Opcode::s_waitcnt, 0, 0);
      },
      256));
}

TEST(LiftedFlow, AnIndexThatIsReadOnceStaysWhatItWasWhereTheNextLoadMovesToItsUse) {
  AMDCOMPAT_NEEDS_OPENCL();
  // What the index was read from is overwritten behind the load that needs it, and in front of where that one is used.
  expect_same(kernel(
      [](Code& c) {
        c.op(Opcode::v_lshlrev_b32, 6, number(2), v(0)).lds(Opcode::ds_write_b32, 6, kA);
        c.lds(Opcode::ds_read_b32, 6, 0, 7).k(Opcode::s_waitcnt, 0, 0);
        c.op(Opcode::v_lshlrev_b32, 7, number(2), v(7)).op(Opcode::v_add_co_u32, 7, kInSlot, v(7));
        c.buffer(Opcode::buffer_load_dword, kResult, 7, kIn).lds(Opcode::ds_write_b32, 6, kB);
        c.lds(Opcode::ds_read_b32, 6, 0, kResult + 1).k(Opcode::s_waitcnt, 0, 0);
      },
      256));
}

TEST(LiftedFlow, AnIndexMayHaveBitsThatItsPlaceIsWithout) {
  AMDCOMPAT_NEEDS_OPENCL();
  // in[(x & 0x7fffffff) % 3], where the remainder is of x itself: the bit goes with the shift.
  expect_same(kernel([](Code& c) {
    c.op(Opcode::v_xor_b32, 6, kLiteralCode, v(kA), 0x80000000)
        .op(Opcode::v_and_b32, 7, kLiteralCode, v(6), 0x7fffffff);
    c.op(Opcode::s_mov_b32, 50, kLiteralCode, 0, 0x55555556).op(Opcode::v_mul_hi_u32, 8, v(7), 50);
    c.op(Opcode::v_mul_lo_u32, 8, v(8), number(3)).op(Opcode::v_sub_co_u32, 6, v(6), v(8));
    c.op(Opcode::v_lshlrev_b32, 6, number(2), v(6)).op(Opcode::v_add_co_u32, 6, kInSlot, v(6));
    c.buffer(Opcode::buffer_load_dword, kResult, 6, kIn);
  }));
}

TEST(LiftedFlow, AnAddressThatARegisterStillHasWhereLanesChooseSomethingElseIsNoNumber) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Small small = kernel([](Code& c) {
    c.op(Opcode::v_add_co_u32, 6, number(4), v(2)).buffer(Opcode::buffer_load_dword, 7, 6, kIn);
    below(c, 5);
    c.op(Opcode::s_and_saveexec_b64, 30, kVccCode).op(Opcode::s_xor_b64, 30, kExecCode, 30);
    const auto first = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::v_add_co_u32, 6, number(1), v(kB));
    c.land(first);
    c.op(Opcode::s_or_saveexec_b64, 30, 30).op(Opcode::s_xor_b64, kExecCode, kExecCode, 30);
    const auto second = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::v_lshlrev_b32, 6, number(3), v(kB));
    c.land(second);
    c.op(Opcode::s_or_b64, kExecCode, kExecCode, 30).op(Opcode::v_xor_b32, kResult, v(6), v(7));
  });
  expect_same_in(small, lift::Form::WorkItem);
}

// v8 is none of the four registers that the index chooses from.
TEST(LiftedFlow, AnIndexThatTheFirstLaneHasChoosesAmongAsManyRegistersAsItCanName) {
  AMDCOMPAT_NEEDS_OPENCL();
  Small small{.name = "k", .code = Code(Generation::Gfx8)};
  Code& c = small.code;
  c.prologue().place(2, kInSlot, 2).place(3, kOutSlot, kResults).buffer(Opcode::buffer_load_dwordx2, kA, 2, kIn);
  c.scalar_load(Opcode::s_buffer_load_dword, 50, kCb1, 32).op(Opcode::v_mov_b32, 9, 50);  // p0
  c.op(Opcode::v_and_b32, 9, number(3), v(9)).op(Opcode::v_readfirstlane_b32, 51, v(9));
  for (u16 n = 12; n < 16; ++n) c.op(Opcode::v_mov_b32, n, number(n));
  c.op(Opcode::v_add_co_u32, 16, number(4), v(2));
  constexpr u16 kDestination = 8;
  c.op(Opcode::s_set_gpr_idx_on, 0, 51, kDestination).op(Opcode::v_mov_b32, 12, v(kA));
  c.k(Opcode::s_set_gpr_idx_off, 0, 0).buffer(Opcode::buffer_load_dword, kResult, 16, kIn);
  c.op(Opcode::v_xor_b32, kResult + 1, v(12), v(13)).op(Opcode::v_xor_b32, kResult + 1, v(14), v(kResult + 1));
  c.buffer(Opcode::buffer_store_dwordx2, kResult, 3, kOut).end();
  expect_same(small);
}

TEST(LiftedFlow, AShortArgumentMayStandWhereOtherLanesHaveAFloat) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Small small = kernel([](Code& c) {
    c.scalar_load(Opcode::s_buffer_load_dword, 50, kCb1, 32).op(Opcode::v_mov_b32, 6, 50);  // p0
    below(c, 5);
    c.op(Opcode::s_and_saveexec_b64, 30, kVccCode);
    const auto around = c.branch(Opcode::s_cbranch_execz);
    c.buffer(Opcode::buffer_load_dword, 6, 2, kIn).op(Opcode::v_add_f32, 6, v(6), v(6));
    c.land(around);
    c.op(Opcode::s_mov_b64, kExecCode, 30).op(Opcode::v_add_f32, kResult, v(6), v(6));
  });
  amdcompat::Program program = program_of(std::span(&small, 1));
  program.kernels[0].arguments[2].kind = amdcompat::ByValue{amdcompat::ScalarType::I16, 1};
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(program, {}, diagnostics);
  ASSERT_NE(unit.source.find("short p0"), std::string::npos);
  const opencl::Result result = opencl::run({.source = unit.source, .launches = {}});
  EXPECT_EQ(result.build, opencl::Status::Ok) << result.log << unit.source;
}

TEST(LiftedFlow, AStepOfWhichTwoGoAroundIsTestedAsItWas) {
  AMDCOMPAT_NEEDS_OPENCL();
  // From 48 on: leaves with the first sum, to which a second step would go around.
  expect_same(kernel([](Code& c) {
    c.op(Opcode::s_and_b32, 50, 36, number(15)).op(Opcode::s_or_b32, 50, 50, number(48));
    const std::size_t head = c.here();
    c.op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult)).op(Opcode::v_xor_b32, kResult + 1, 50, v(kResult));
    c.op(Opcode::s_cmp_gt_u32, 0, 50, kLiteralCode, 0x6fffffff);
    const std::size_t out = c.branch(Opcode::s_cbranch_scc1);
    c.op(Opcode::s_add_u32, 50, 50, kLiteralCode, 0x7ffffff0).branch(Opcode::s_branch, head);
    c.land(out);
  }));
}

TEST(LiftedFlow, SumsOfManyNumbersOf64BitsTakeTimeByTheirLength) {
  AMDCOMPAT_NEEDS_OPENCL();
  // Each is a sum of halves of the sum before it: 60 of them took longer than anybody waits.
  expect_same_in(kernel([](Code& c) {
                   c.op(Opcode::s_mov_b32, 50, kMinusOne).op(Opcode::s_mov_b32, 51, number(1));
                   for (u32 n = 0; n < 60; ++n)
                     c.op(Opcode::s_add_u32, 50, 50, static_cast<u16>(36 + n % 2))
                         .op(Opcode::s_addc_u32, 51, 51, static_cast<u16>(39 + n % 3));
                   c.op(Opcode::s_lshr_b64, 52, 50, number(5));
                   c.op(Opcode::v_add_co_u32, kResult, 52, v(kA)).op(Opcode::v_xor_b32, kResult + 1, 53, v(kB));
                 }),
                 lift::Form::WorkItem);
}

TEST(LiftedFlow, AProductOfLongNumbersIsOneOfShortOnes) {
  AMDCOMPAT_NEEDS_OPENCL();
  // The first product is of 32 bits, of which the second one, of 64 bits, is made.
  const Small small = kernel([](Code& c) {
    c.op(Opcode::v_lshlrev_b32, 6, number(28), v(kA)).op(Opcode::v_or_b32, 6, number(7), v(6));
    c.op(Opcode::v_lshlrev_b32, 7, number(27), v(kB)).op(Opcode::v_or_b32, 7, number(9), v(7));
    c.op(Opcode::v_mul_lo_u32, 6, v(6), v(7));
    Instruction i = c.make(Opcode::v_mad_u64_u32);
    i.destination = kResult;
    i.scalar_destination = 60;
    i.sources = {v(6), v(7), number(0)};
    c.add(i);
  });
  expect_same(small);
  // Only the carry of a sum is used, of which one operand is a shift.
  expect_same(kernel([](Code& c) {
    c.op(Opcode::v_lshlrev_b32, 6, number(28), v(kA)).op(Opcode::v_lshlrev_b32, 7, number(29), v(kB));
    c.op(Opcode::v_add_co_u32, 10, v(6), v(7)).op(Opcode::v_addc_u32, kResult, number(0), v(kResult));
  }));
}

TEST(LiftedFlow, JumpsToAnAddressInRegistersAreRefused) {
  expect_refused(kernel([](Code& c) { c.op(Opcode::s_setpc_b64, 0, 30); }), "AC4408", "address in registers");
}

constexpr u16 kTarget = 60, kBack = 62;  // pairs
// s[kTarget]: the address of the place in the code, in dwords.
void point(Code& c, std::size_t to) {
  c.op(Opcode::s_getpc_b64, kTarget);
  const auto distance = static_cast<std::int64_t>(to) * 4 - static_cast<std::int64_t>(c.here()) * 4;
  c.op(Opcode::s_add_u32, kTarget, kTarget, lifted::kLiteralCode, static_cast<u32>(distance));
  c.op(Opcode::s_addc_u32, kTarget + 1, kTarget + 1, distance < 0 ? lifted::kMinusOne : number(0));
}
void call(Code& c, std::size_t to) {
  point(c, to);
  c.op(Opcode::s_swappc_b64, kBack, kTarget);
}
// Stands in the way, which goes around it. Where it begins.
template <class Body>
std::size_t function(Code& c, Body body) {
  const std::size_t around = c.branch(Opcode::s_branch), begin = c.here();
  body();
  c.op(Opcode::s_setpc_b64, 0, kBack);
  c.land(around);
  return begin;
}

TEST(LiftedFlow, CalledFunctionsStandWhereTheyAreCalled) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(kernel([](Code& c) {
    const std::size_t twice = function(c, [&] {
      c.op(Opcode::v_mul_u32_u24, kResult, v(kResult), v(kB)).op(Opcode::v_add_co_u32, kResult, number(3), v(kResult));
    });
    c.op(Opcode::v_mov_b32, kResult, v(kA));
    call(c, twice);
    below(c, 5);
    c.op(Opcode::s_and_saveexec_b64, 30, kVccCode);
    call(c, twice);
    c.op(Opcode::s_mov_b64, kExecCode, 30);
    call(c, twice);
  }));
  // In a loop, and one function that calls another and has several ways back.
  expect_same(kernel([](Code& c) {
    const std::size_t inner = function(c, [&] { c.op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult)); });
    const std::size_t outer = function(c, [&] {
      c.op(Opcode::s_mov_b64, 56, kBack);
      call(c, inner);
      c.op(Opcode::s_cmp_lt_i32, 0, 34, number(2));
      const std::size_t odd = c.branch(Opcode::s_cbranch_scc1);
      c.op(Opcode::v_add_co_u32, kResult, v(kB), v(kResult));
      c.op(Opcode::s_setpc_b64, 0, 56);
      c.land(odd);
      call(c, inner);
      c.op(Opcode::s_mov_b64, kBack, 56);
    });
    c.op(Opcode::s_mov_b32, 34, number(0));
    const std::size_t again = c.here();
    call(c, outer);
    c.op(Opcode::s_add_u32, 34, 34, number(1)).op(Opcode::s_cmp_lt_u32, 0, 34, number(5));
    c.branch(Opcode::s_cbranch_scc1, again);
  }));
}

TEST(LiftedFlow, JumpsByAConstantDistanceInRegistersAreJumps) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_same(kernel([](Code& c) {
    c.op(Opcode::s_mov_b32, 34, number(0));
    const std::size_t again = c.here();
    c.op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult));
    c.op(Opcode::s_add_u32, 34, 34, number(1)).op(Opcode::s_cmp_lt_u32, 0, 34, number(5));
    const std::size_t done = c.branch(Opcode::s_cbranch_scc0);
    point(c, again);  // farther than a branch may go
    c.op(Opcode::s_setpc_b64, 0, kTarget);
    c.land(done);
    c.op(Opcode::v_add_co_u32, kResult, v(kB), v(kResult));
  }));
}

TEST(LiftedFlow, CallsThatAreNotKnownOnEveryWayAreRefused) {
  const auto expect_no_call = [](const auto& body, const char* says) { expect_refused(kernel(body), "AC4408", says); };
  const auto nothing = [](Code& c) {
    return function(c, [&] { c.op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult)); });
  };
  expect_no_call(
      [&](Code& c) {
        const std::size_t f = nothing(c), other = nothing(c);
        point(c, f);
        c.op(Opcode::s_mov_b64, 56, kTarget);
        point(c, other);
        c.op(Opcode::s_cmp_eq_u32, 0, 36, number(0)).op(Opcode::s_cselect_b64, kTarget, kTarget, 56);
        c.op(Opcode::s_swappc_b64, kBack, kTarget);
      },
      "address in registers");
  expect_no_call(  // one way makes another address
      [&](Code& c) {
        const std::size_t f = nothing(c), other = nothing(c);
        point(c, f);
        c.op(Opcode::s_cmp_eq_u32, 0, 36, number(0));
        const std::size_t over = c.branch(Opcode::s_cbranch_scc1);
        point(c, other);
        c.land(over);
        c.op(Opcode::s_swappc_b64, kBack, kTarget);
      },
      "address in registers");
  expect_no_call(  // of an address in memory
      [&](Code& c) {
        c.scalar_load(Opcode::s_buffer_load_dwordx2, kTarget, kCb1, 32);
        c.op(Opcode::s_swappc_b64, kBack, kTarget);
      },
      "address in registers");
  expect_no_call(  // of an address that a number of the launch is added to
      [&](Code& c) {
        point(c, nothing(c));
        c.op(Opcode::s_add_u32, kTarget, kTarget, 36).op(Opcode::s_addc_u32, kTarget + 1, kTarget + 1, number(0));
        c.op(Opcode::s_swappc_b64, kBack, kTarget);
      },
      "address in registers");
  expect_no_call(  // half of the way back is another one's
      [&](Code& c) {
        const std::size_t f = function(c, [&] { c.op(Opcode::s_mov_b32, kBack, number(4)); });
        call(c, f);
      },
      "address in registers");
  expect_no_call(  // the way back of another call
      [&](Code& c) {
        const std::size_t f = function(c, [&] {
          c.op(Opcode::s_cmp_eq_u32, 0, 36, number(0));
          const std::size_t over = c.branch(Opcode::s_cbranch_scc1);
          c.op(Opcode::s_mov_b64, kBack, 56);
          c.land(over);
        });
        call(c, nothing(c));
        c.op(Opcode::s_mov_b64, 56, kBack);
        call(c, f);
      },
      "address in registers");
  expect_no_call([](Code& c) { call(c, 100'000); }, "no code");
  expect_no_call(
      [](Code& c) {
        const std::size_t f = function(c, [&] {
          c.op(Opcode::s_mov_b64, 56, kBack);
          call(c, c.here() - 1);
          c.op(Opcode::s_mov_b64, kBack, 56);
        });
        call(c, f);
      },
      "calls itself");
  // 2^16 copies of the last one.
  expect_no_call(
      [&](Code& c) {
        std::size_t f = nothing(c);
        for (u16 n = 0; n < 16; ++n)
          f = function(c, [&] {
            const u16 own = static_cast<u16>(64 + 2 * n);
            c.op(Opcode::s_mov_b64, own, kBack);
            call(c, f);
            call(c, f);
            c.op(Opcode::s_mov_b64, kBack, own);
          });
        call(c, f);
      },
      "more");
}

// Each kernel is refused after all the work that one may take; hundreds of them would have it, one after the other.
TEST(LiftedFlow, AChainOfValuesAsLongAsTheCodeTakesNoStack) {
  const Small chain = kernel([](Code& c) {
    for (int i = 0; i < 18'000; ++i) c.op(Opcode::v_mul_f32, kResult, v(kResult), v(kB));
  });
  const Program program = program_of(std::span(&chain, 1));
  Diagnostics findings;
  const lift::Unit unit = lift::lift(program, {}, findings);
  EXPECT_TRUE(unit.kernels.front().lifted) << unit.kernels.front().refusal->message;
}
TEST(LiftedFlow, KernelsOfAFileShareTheWorkOfLifts) {
  const Small nested = kernel([](Code& c) {
    for (int i = 0; i < 5'000; ++i)
      c.op(Opcode::v_cmp_eq_u32, 0, v(kResult), v(kB))
          .op(Opcode::s_and_saveexec_b64, 30, kVccCode)
          .op(Opcode::v_add_co_u32, kResult, v(kA), v(kResult));
  });
  std::vector<Small> kernels;
  for (int i = 0; i < 14; ++i) {
    kernels.push_back(nested);
    kernels.back().name = fmt::format("k{}", i);
  }
  const Program program = program_of(kernels);
  Diagnostics findings;
  const lift::Unit unit = lift::lift(program, {}, findings);
  ASSERT_EQ(unit.kernels.size(), kernels.size());
  const auto why = [](const lift::Unit& of, std::size_t n) {
    return of.kernels[n].refusal ? of.kernels[n].refusal->message : std::string();
  };
  EXPECT_NE(why(unit, 0).find("takes more work than a lift may"), std::string::npos) << why(unit, 0);
  EXPECT_NE(why(unit, 13).find("as many kernels of its file as are lifted"), std::string::npos) << why(unit, 13);
  EXPECT_EQ(findings.count(amdcompat::Severity::Error), kernels.size());
  // Alone it is not behind others.
  lift::Options options;
  options.kernel = "k13";
  const lift::Unit last = lift::lift(program, options, findings);
  EXPECT_NE(why(last, 0).find("takes more work than a lift may"), std::string::npos) << why(last, 0);
}

}  // namespace
}  // namespace amdcompat_test::lifted::flow_test
