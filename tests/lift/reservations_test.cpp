// Packets that a wavefront reserves for all its lanes, in the form that AMD's library has [AMD, OpenCL device library,
// pipes.h, wave_reserve_1] and that Catalyst's compilers made of it. Who gets which packet is left open: what is
// compared is how far the index went, who got one, and which packets there are.
#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace amdcompat_test::lifted {
namespace {

using amdcompat::Diagnostics;
using amdcompat::Program;
namespace lift = amdcompat::lift;

// Of `out`, in dwords: the index, its end, the packets, and one dword for each lane of the launch.
constexpr u32 kPackets = 2, kMost = 2 * kLanes, kLeft = kPackets + kMost;
constexpr u32 kFailed = 0xffffffff;

// What is otherwise than in AMD's library.
enum class Other : u8 { Nothing, NoOwnTry, PlaceIsKept, CountIsKept };

constexpr u16 kPlace = 7, kAt = 8, kEnd = 6, kIndex = 5, kState = 4;  // vector registers
constexpr u16 kNew = 10, kOld = 12;
constexpr u16 kCount = 30, kOn = 32, kTrying = 34, kTurn = 36, kAround = 38, kFirst = 40, kAll = 42;  // scalar ones

// One lane or more exchange the index until it is `amount` further; v[kNew]: what it was, or `kFailed`.
void exchange(Code& c, u16 amount) {
  c.buffer(Opcode::buffer_load_dword, kOld, kIndex, kOut).k(Opcode::s_waitcnt, 0, 0);
  c.op(Opcode::s_mov_b64, kTrying, kExecCode).op(Opcode::s_mov_b64, kTurn, kExecCode);
  std::vector<std::size_t> out;
  const std::size_t loop = c.here();
  // Lanes for which that holds leave the loop with a state.
  const auto leave = [&](u32 state) {
    c.op(Opcode::s_mov_b64, kAround, kExecCode).op(Opcode::s_and_b64, kExecCode, kAround, kVccCode);
    c.op(Opcode::v_mov_b32, kState, number(state));
    const std::size_t none = c.branch(Opcode::s_cbranch_execz);
    c.op(Opcode::s_andn2_b64, kTurn, kTurn, kExecCode);
    out.push_back(c.branch(Opcode::s_cbranch_scc0));
    c.land(none);
    c.op(Opcode::s_and_b64, kExecCode, kAround, kTurn);
  };
  c.op(Opcode::v_add_co_u32, kNew, amount, v(kOld)).op(Opcode::v_cmp_gt_u32, 0, v(kNew), v(kEnd));
  leave(1);
  c.op(Opcode::v_mov_b32, kNew + 1, v(kOld));
  Instruction swap = c.make(Opcode::buffer_atomic_cmpswap);
  swap.data = kNew;
  swap.address = kIndex;
  swap.offen = swap.glc = true;
  swap.resource = kOut;
  swap.sources[1] = number(0);
  c.add(swap).k(Opcode::s_waitcnt, 0, 0);
  c.op(Opcode::v_cmp_eq_u32, 0, v(kNew), v(kOld));
  leave(0);
  c.op(Opcode::v_mov_b32, kOld, v(kNew));
  c.branch(Opcode::s_branch, loop);
  for (const std::size_t branch : out) c.land(branch);
  c.op(Opcode::s_mov_b64, kExecCode, kTrying).op(Opcode::v_cmp_eq_u32, 0, number(1), v(kState));
  c.op(Opcode::s_and_saveexec_b64, kTrying, kVccCode).op(Opcode::v_mov_b32, kNew, kMinusOne);
  c.op(Opcode::s_mov_b64, kExecCode, kTrying);
}

// Lanes whose word of `in` has one of its low bits reserve a packet and put their number into it.
Program program_with(Other other) {
  Small small{.name = "k", .code = Code()};
  Code& c = small.code;
  c.prologue().place(2, kInSlot, 1).place(3, kOutSlot, 1);
  c.buffer(Opcode::buffer_load_dword, 9, 2, kIn).op(Opcode::v_mov_b32, kIndex, kOutSlot);
  c.buffer(Opcode::buffer_load_dword, kEnd, kIndex, kOut, 4).k(Opcode::s_waitcnt, 0, 0);
  c.op(Opcode::v_and_b32, 9, number(3), v(9)).op(Opcode::v_cmp_ne_u32, 0, number(0), v(9));
  c.op(Opcode::v_mov_b32, kAt, number(0)).op(Opcode::s_and_saveexec_b64, kAll, kVccCode);
  const std::size_t nobody = c.branch(Opcode::s_cbranch_execz);
  c.op(Opcode::s_mov_b64, kFirst, kExecCode).op(Opcode::s_bcnt1_i32_b64, kCount, kFirst);
  c.op(Opcode::v_mbcnt_lo_u32_b32, kPlace, kFirst, v(kAt));  // which is 0
  c.op(Opcode::v_mbcnt_hi_u32_b32, kPlace, kFirst + 1, v(kPlace));
  c.op(Opcode::v_cmp_eq_u32, 0, number(0), v(kPlace)).op(Opcode::v_mov_b32, kNew, number(0));
  c.op(Opcode::s_and_saveexec_b64, kOn, kVccCode);
  const std::size_t others = c.branch(Opcode::s_cbranch_execz);
  exchange(c, kCount);
  c.land(others);
  c.op(Opcode::s_mov_b64, kExecCode, kOn).op(Opcode::s_ff1_i32_b64, kFirst, kFirst);
  c.op(Opcode::v_readlane_b32, kFirst, v(kNew), kFirst).op(Opcode::v_mov_b32, kAt, kFirst);
  c.op(Opcode::v_cmp_ne_u32, 0, kMinusOne, v(kAt)).op(Opcode::s_and_saveexec_b64, kOn, kVccCode);
  c.op(Opcode::v_add_co_u32, kAt, v(kAt), v(kPlace)).op(Opcode::s_andn2_b64, kExecCode, kOn, kExecCode);
  if (other != Other::NoOwnTry) {
    const std::size_t told = c.branch(Opcode::s_cbranch_execz);
    exchange(c, number(1));
    c.op(Opcode::v_mov_b32, kAt, v(kNew));
    c.land(told);
  }
  c.op(Opcode::s_mov_b64, kExecCode, kOn);
  if (other == Other::PlaceIsKept) c.buffer(Opcode::buffer_store_dword, kPlace, 3, kOut, 4 * kLeft);
  if (other == Other::CountIsKept) {
    c.op(Opcode::v_mov_b32, 9, kCount);
    c.buffer(Opcode::buffer_store_dword, 9, 3, kOut, 4 * kLeft);
  }
  c.op(Opcode::v_cmp_ne_u32, 0, kMinusOne, v(kAt)).op(Opcode::s_and_saveexec_b64, kOn, kVccCode);
  const std::size_t none = c.branch(Opcode::s_cbranch_execz);
  c.op(Opcode::v_lshlrev_b32, 9, number(2), v(kAt)).op(Opcode::v_add_co_u32, 9, v(9), v(kIndex));
  c.buffer(Opcode::buffer_store_dword, kLane, 9, kOut, 4 * kPackets);
  c.op(Opcode::v_mov_b32, kAt, number(1));
  c.land(none);
  c.op(Opcode::s_mov_b64, kExecCode, kOn);
  c.land(nobody);
  c.op(Opcode::s_mov_b64, kExecCode, kAll);
  if (other == Other::Nothing) c.buffer(Opcode::buffer_store_dword, kAt, 3, kOut, 4 * kLeft);
  c.end();
  return program_of(std::span(&small, 1));
}

// The index, how many lanes got a packet and how many did not, and the packets in the order of their lanes.
struct Left {
  u32 index, got, failed;
  Words packets;
  friend bool operator==(const Left&, const Left&) = default;
};
Left left_of(const Words& out) {
  const auto count = [&](u32 what) {
    return static_cast<u32>(std::count(out.begin() + kLeft, out.begin() + kLeft + kMost, what));
  };
  Left left{out[0], count(1), count(kFailed), Words(out.begin() + kPackets, out.begin() + kLeft)};
  std::ranges::sort(left.packets);
  return left;
}

TEST(LiftedReservations, AreEachWorkItemsOwn) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Program program = program_with(Other::Nothing);
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(program, {}, diagnostics);
  for (const auto& d : diagnostics.all()) ADD_FAILURE() << d.message;
  ASSERT_TRUE(unit.kernels.front().lifted);
  ASSERT_EQ(unit.kernels.front().form, lift::Form::WorkItem) << unit.source;
  // A lane that is by itself has a turn after each that others came in between in, and no masks.
  EXPECT_EQ(unit.source.find("bool"), std::string::npos) << unit.source;
  constexpr u32 kUnwritten = 0xdeadbeef, kBegin = 3;
  for (const u32 end : {kMost, kBegin, 40u, 70u}) {
    SCOPED_TRACE(fmt::format("up to {}", end));
    std::mt19937 random(20261126 + end);
    Data data{.out = Words(kLeft + kMost, kUnwritten)};
    data.out[0] = kBegin;
    data.out[1] = end;
    u32 on = 0;
    for (u32 n = 0; n < kMost; ++n) {
      data.in.push_back(static_cast<u32>(random()));
      on += (data.in.back() & 3) != 0 ? 1 : 0;
    }
    const Ran machine = interpret(program, 0, data, kMost);
    ASSERT_EQ(machine.problem, "");
    const opencl::Result result =
        opencl::run({.source = unit.source, .launches = {launch_of("k", data, kMost)}, .seconds = 60});
    ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << unit.source;
    ASSERT_EQ(result.launches[0].status, opencl::Status::Ok) << result.launches[0].message;
    const Left expected = left_of(machine.out), got = left_of(words_of(result.launches[0].buffers[1]));
    EXPECT_EQ(expected.got, std::min(on, end - kBegin));
    EXPECT_EQ(got.index, expected.index) << unit.source;
    EXPECT_EQ(got.got, expected.got) << unit.source;
    EXPECT_EQ(got.failed, expected.failed) << unit.source;
    if (expected.failed != 0) continue;  // else those that fail are any
    EXPECT_EQ(got.packets, expected.packets) << unit.source;
  }
}
TEST(LiftedReservations, AreNoneWhereLanesWouldKnowOfEachOther) {
  for (const Other other : {Other::NoOwnTry, Other::PlaceIsKept, Other::CountIsKept}) {
    SCOPED_TRACE(static_cast<int>(other));
    Diagnostics diagnostics;
    const lift::Unit unit = lift::lift(program_with(other), {}, diagnostics);
    EXPECT_FALSE(unit.kernels.front().lifted && unit.kernels.front().form == lift::Form::WorkItem) << unit.source;
  }
}

}  // namespace
}  // namespace amdcompat_test::lifted
