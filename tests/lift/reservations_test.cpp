// Packets that a wavefront reserves for all its lanes, in the form that AMD's library has [DEVLIBS pipes.h
// wave_reserve_1] and that Catalyst's compilers made of it. Who gets which packet is left open: the kernels leave the
// same memory whoever it is.
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include <amdcompat/prove.hpp>

#include "small_program.hpp"

namespace amdcompat_test::lifted::reservations_test {
namespace {

using amdcompat::Diagnostics;
using amdcompat::Program;
namespace lift = amdcompat::lift;

// What is otherwise than in AMD's library, each in its own way.
enum class Other : u8 {
  Nothing,
  NoPipe,
  NoOwnTry,  // where there is no room for all
  PlaceIsKept,  // how many lanes come before one
  CountIsKept,  // how many there are
  PlaceIsKeptByMost,
  CountIsKeptByMost,
  FirstAddsElsewhere,
  FirstStores,
  FirstHasACondition,
  BaseIsKept,  // what the first lane told
  OtherIsTold,
  NewIsKept,  // what the first lane put there
  OutsideKnow  // lanes that do not reserve, what the first lane told
};

// Vector registers; v0 and v1 are the numbers of the lane in its group and in the launch.
constexpr u16 kAddress = 2, kState = 4, kEnd = 6, kPlace = 7, kAt = 8, kSort = 9, kNew = 10, kOld = 12, kKept = 20;
// Scalar ones; s[0:1] has the address of the arguments, s2 the group's number.
constexpr u16 kPipe = 4, kOutput = 6, kEnds = 8, kCount = 30, kOn = 32, kTrying = 34, kTurn = 36, kAround = 38,
              kFirst = 40, kAll = 42, kSome = 60;
// Bytes of the output: a dword for each packet that was reserved, one for each lane of the launch, and others.
constexpr u32 kOfLanes = 8192, kFailures = 16384, kElsewhere = 16640;

void flat(Code& c, Opcode opcode, u16 data) {
  Instruction i = c.make(opcode);
  i.address = kAddress;
  i.data = i.destination = data;
  i.glc = opcode == Opcode::flat_atomic_cmpswap;
  c.add(i).k(Opcode::s_waitcnt, 0, 0);
}
void at_scalars(Code& c, u16 address) {
  c.op(Opcode::v_mov_b32, kAddress, address).op(Opcode::v_mov_b32, kAddress + 1, static_cast<u16>(address + 1));
}
// v[data] to where v[bytes] and a distance say.
void store(Code& c, u16 data, u16 bytes, u32 distance) {
  c.op(Opcode::v_add_co_u32, kAddress, kLiteralCode, v(bytes), distance);
  c.op(Opcode::v_mov_b32, kAddress + 1, kOutput + 1).op(Opcode::v_add_co_u32, kAddress, kOutput, v(kAddress));
  c.op(Opcode::v_addc_u32, kAddress + 1, number(0), v(kAddress + 1));
  flat(c, Opcode::flat_store_dword, data);
}
void keep(Code& c, u16 what) {
  c.op(Opcode::v_lshlrev_b32, 21, number(2), v(kLane));
  store(c, what, 21, kOfLanes);
}
void add_one(Code& c, u32 distance) {
  c.op(Opcode::v_mov_b32, kKept, number(1)).op(Opcode::v_mov_b32, kAddress, kLiteralCode, 0, distance);
  c.op(Opcode::v_mov_b32, kAddress + 1, kOutput + 1).op(Opcode::v_add_co_u32, kAddress, kOutput, v(kAddress));
  c.op(Opcode::v_addc_u32, kAddress + 1, number(0), v(kAddress + 1));
  flat(c, Opcode::flat_atomic_add, kKept);
}

// One lane or more exchange the index until it is `amount` further; v[kNew]: what it was, or -1.
void exchange(Code& c, u16 amount, bool keeps_new = false) {
  at_scalars(c, kPipe);
  flat(c, Opcode::flat_load_dword, kOld);
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
  if (keeps_new) keep(c, kNew);
  c.op(Opcode::v_mov_b32, kNew + 1, v(kOld));
  at_scalars(c, kPipe);
  flat(c, Opcode::flat_atomic_cmpswap, kNew);
  c.op(Opcode::v_cmp_eq_u32, 0, v(kNew), v(kOld));
  leave(0);
  c.op(Opcode::v_mov_b32, kOld, v(kNew));
  c.branch(Opcode::s_branch, loop);
  for (const std::size_t branch : out) c.land(branch);
  c.op(Opcode::s_mov_b64, kExecCode, kTrying).op(Opcode::v_cmp_eq_u32, 0, number(1), v(kState));
  c.op(Opcode::s_and_saveexec_b64, kTrying, kVccCode).op(Opcode::v_mov_b32, kNew, kMinusOne);
  c.op(Opcode::s_mov_b64, kExecCode, kTrying);
}

// (pipe, __global uint *out): three lanes of four read a packet each, and say which; how many found none is counted.
Program program_with(Other other) {
  Small small{.name = "k", .code = Code()};
  Code& c = small.code;
  c.scalar_load(Opcode::s_load_dwordx2, kPipe, 0, 0).scalar_load(Opcode::s_load_dwordx2, kOutput, 0, 8);
  c.k(Opcode::s_waitcnt, 0, 0).op(Opcode::s_lshl_b32, 2, 2, number(7)).op(Opcode::v_add_co_u32, kLane, 2, v(0));
  c.op(Opcode::s_add_u32, kEnds, kPipe, number(8)).op(Opcode::s_addc_u32, kEnds + 1, kPipe + 1, number(0));
  at_scalars(c, kEnds);
  flat(c, Opcode::flat_load_dword, kEnd);
  c.op(Opcode::v_and_b32, kSort, number(3), v(kLane)).op(Opcode::v_cmp_ne_u32, 0, number(0), v(kSort));
  c.op(Opcode::v_mov_b32, kAt, number(0)).op(Opcode::s_and_saveexec_b64, kAll, kVccCode);
  std::optional<std::size_t> nobody;
  if (other != Other::OutsideKnow) nobody = c.branch(Opcode::s_cbranch_execz);
  c.op(Opcode::s_mov_b64, kFirst, kExecCode).op(Opcode::s_bcnt1_i32_b64, kCount, kFirst);
  c.op(Opcode::v_mbcnt_lo_u32_b32, kPlace, kFirst, v(kAt));  // which is 0
  c.op(Opcode::v_mbcnt_hi_u32_b32, kPlace, kFirst + 1, v(kPlace));
  c.op(Opcode::v_cmp_eq_u32, 0, number(0), v(kPlace)).op(Opcode::v_mov_b32, kNew, number(0));
  if (other == Other::FirstHasACondition) {
    c.op(Opcode::s_mov_b64, kSome, kVccCode).op(Opcode::v_cmp_eq_u32, 0, number(1), v(kSort));
    c.op(Opcode::s_and_b64, kVccCode, kVccCode, kSome);
  }
  c.op(Opcode::s_and_saveexec_b64, kOn, kVccCode);
  const std::size_t others = c.branch(Opcode::s_cbranch_execz);
  exchange(c, kCount, other == Other::NewIsKept);
  if (other == Other::FirstAddsElsewhere) add_one(c, kElsewhere);
  if (other == Other::FirstStores) keep(c, kSort);
  c.land(others);
  c.op(Opcode::s_mov_b64, kExecCode, kOn).op(Opcode::s_ff1_i32_b64, kFirst, kFirst);
  if (other == Other::OtherIsTold) {
    c.op(Opcode::v_readlane_b32, kSome, v(kLane), kFirst).op(Opcode::v_mov_b32, kKept, kSome);
    keep(c, kKept);
  }
  c.op(Opcode::v_readlane_b32, kFirst, v(kNew), kFirst).op(Opcode::v_mov_b32, kAt, kFirst);
  if (other == Other::BaseIsKept) keep(c, kAt);
  c.op(Opcode::v_cmp_ne_u32, 0, kMinusOne, v(kAt)).op(Opcode::s_and_saveexec_b64, kOn, kVccCode);
  c.op(Opcode::v_add_co_u32, kAt, v(kAt), v(kPlace)).op(Opcode::s_andn2_b64, kExecCode, kOn, kExecCode);
  if (other != Other::NoOwnTry) {
    const std::size_t told = c.branch(Opcode::s_cbranch_execz);
    exchange(c, number(1));
    c.op(Opcode::v_mov_b32, kAt, v(kNew));
    c.land(told);
  }
  c.op(Opcode::s_mov_b64, kExecCode, kOn);
  const bool place = other == Other::PlaceIsKept || other == Other::PlaceIsKeptByMost;
  if (place || other == Other::CountIsKept || other == Other::CountIsKeptByMost) {
    c.op(Opcode::v_mov_b32, kKept, place ? v(kPlace) : kCount);
    if (other == Other::PlaceIsKeptByMost || other == Other::CountIsKeptByMost) {
      c.op(Opcode::v_cmp_eq_u32, 0, number(1), v(kSort)).op(Opcode::s_and_saveexec_b64, kSome, kVccCode);
      c.op(Opcode::v_mov_b32, kKept, number(50)).op(Opcode::s_mov_b64, kExecCode, kSome);
    }
    keep(c, kKept);
  }
  c.op(Opcode::v_cmp_ne_u32, 0, kMinusOne, v(kAt)).op(Opcode::s_and_saveexec_b64, kOn, kVccCode);
  const std::size_t none = c.branch(Opcode::s_cbranch_execz);
  c.op(Opcode::v_and_b32, 22, kLiteralCode, v(kAt), 1023).op(Opcode::v_lshlrev_b32, 22, number(2), v(22));
  c.op(Opcode::v_mul_u32_u24, 23, number(3), v(kAt));
  store(c, 23, 22, 0);
  c.land(none);
  c.op(Opcode::s_andn2_b64, kExecCode, kOn, kExecCode);
  const std::size_t all = c.branch(Opcode::s_cbranch_execz);
  add_one(c, kFailures);
  c.land(all);
  c.op(Opcode::s_mov_b64, kExecCode, kOn);
  if (nobody) c.land(*nobody);
  c.op(Opcode::s_mov_b64, kExecCode, kAll);
  if (other == Other::OutsideKnow) {
    c.op(Opcode::v_mov_b32, kKept, kFirst);
    keep(c, kKept);
  }
  c.end();

  Program out = program_of(std::span(&small, 1));
  out.family = amdcompat::Family::Hsa;
  amdcompat::Kernel& kernel = out.kernels[0];
  kernel.address_bits = amdcompat::AddressBits::Bits64;
  amdcompat::KernelCode setup;
  setup.user_registers = amdcompat::kSgprKernargPtr;
  setup.rsrc1 = 7 | 9 << 6;  // 32 and 80 registers
  setup.rsrc2 = 2u << 1 | 1u << 7;
  kernel.entry = setup;
  kernel.launch =
      amdcompat::KernargLaunch{.version = amdcompat::hsa::CodeObjectVersion::V2, .bytes = 16, .arguments_known = false};
  kernel.arguments.clear();
  kernel.limits.required_group_size = {2 * kLanes, 1, 1};
  out = lift::with_arguments_read(out).value_or(out);
  if (other != Other::NoPipe && !out.kernels[0].arguments.empty()) out.kernels[0].arguments[0].kind = amdcompat::Pipe{};
  return out;
}

TEST(LiftedReservations, AreEachWorkItemsOwn) {
  const Program program = program_with(Other::Nothing);
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(program, {}, diagnostics);
  for (const auto& d : diagnostics.all()) ADD_FAILURE() << d.message;
  ASSERT_TRUE(unit.kernels.front().lifted);
  ASSERT_EQ(unit.kernels.front().form, lift::Form::WorkItem) << unit.source;
  // A lane that is by itself has a turn after each that others came in between in, and no masks, which change.
  for (const char* const bit : {"= true", "= false"})
    EXPECT_EQ(unit.source.find(bit), std::string::npos) << unit.source;
  AMDCOMPAT_NEEDS_OPENCL();
  const amdcompat::emulate::LiftProof proof = amdcompat::emulate::prove_lifted(program, 0, unit.source, {});
  EXPECT_EQ(proof.verdict, amdcompat::emulate::Verdict::Proved) << proof.reason << unit.source;
  EXPECT_EQ(proof.alone_in_launch, 0u);
}
TEST(LiftedReservations, AreNoneWhereLanesWouldKnowOfEachOther) {
  for (u8 other = 1; other <= static_cast<u8>(Other::OutsideKnow); ++other) {
    SCOPED_TRACE(other);
    Diagnostics diagnostics;
    const lift::Unit unit = lift::lift(program_with(static_cast<Other>(other)), {}, diagnostics);
    EXPECT_FALSE(unit.kernels.front().lifted && unit.kernels.front().form == lift::Form::WorkItem) << unit.source;
  }
}

}  // namespace
}  // namespace amdcompat_test::lifted::reservations_test
