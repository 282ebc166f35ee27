// Sequences that divide integers of 32 bits, as AMD's compilers and LLVM's wrote them: lifted to a division, and equal
// to what the interpreter computes step by step, also where nothing can be divided.
#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "small_program.hpp"

namespace amdcompat_test::lifted::division_test {
namespace {

using amdcompat::Diagnostics;
using amdcompat::Program;
namespace lift = amdcompat::lift;

constexpr u16 kN = 4, kD = 5, kResult = 20;  // v[kN] / v[kD]
constexpr u16 kFirst = 6, kHigh = 7, kLow = 8, kEstimate = 9, kQuotient = 10, kProduct = 11, kRest = 12, kSpare = 13;
constexpr u16 kNoOverflow = 40, kEnough = 42, kMore = 44;  // pairs of scalar registers
constexpr u32 kTwoTo32 = 0x4f800000, kBelowTwoTo32 = 0x4f7ffffe;

// v[kFirst]: the first estimate of 2^32 / d.
void estimate(Code& c, u32 factor) {
  c.op(Opcode::v_cvt_f32_u32, kFirst, v(kD)).op(Opcode::v_rcp_iflag_f32, kFirst, v(kFirst));
  c.op(Opcode::v_mul_f32, kFirst, kLiteralCode, v(kFirst), factor).op(Opcode::v_cvt_u32_f32, kFirst, v(kFirst));
}
// v[to] = s[condition] ? v[yes] : v[no].
void choose(Code& c, u16 to, u16 condition, u16 yes, u16 no) {
  c.op(Opcode::s_mov_b64, kVccCode, condition).op(Opcode::v_cndmask_b32, to, no, yes);
}
// q, q * d, r and both conditions.
void amd_quotient(Code& c, u16 number_of) {
  estimate(c, kTwoTo32);
  c.op(Opcode::v_mul_lo_u32, kLow, v(kD), v(kFirst)).op(Opcode::v_mul_hi_u32, kHigh, v(kD), v(kFirst));
  c.op(Opcode::v_sub_co_u32, kSpare, number(0), v(kLow));
  c.op(Opcode::v_cmp_ne_u32, 0, number(0), v(kHigh)).op(Opcode::s_mov_b64, kNoOverflow, kVccCode);
  choose(c, kLow, kNoOverflow, v(kLow), v(kSpare));
  c.op(Opcode::v_mul_hi_u32, kLow, v(kLow), v(kFirst));
  c.op(Opcode::v_sub_co_u32, kEstimate, v(kFirst), v(kLow)).op(Opcode::v_add_co_u32, kSpare, v(kFirst), v(kLow));
  choose(c, kEstimate, kNoOverflow, v(kEstimate), v(kSpare));
  c.op(Opcode::v_mul_hi_u32, kQuotient, number_of, v(kEstimate));
  c.op(Opcode::v_mul_lo_u32, kProduct, v(kQuotient), v(kD)).op(Opcode::v_sub_co_u32, kRest, number_of, v(kProduct));
  c.op(Opcode::v_mov_b32, kSpare, number_of);
  c.op(Opcode::v_cmp_ge_u32, 0, v(kSpare), v(kProduct)).op(Opcode::s_mov_b64, kEnough, kVccCode);
  c.op(Opcode::v_cmp_ge_u32, 0, v(kRest), v(kD)).op(Opcode::s_and_b64, kMore, kEnough, kVccCode);
}
void amd_by_carries(Code& c, u16 number_of) {
  amd_quotient(c, number_of);
  c.op(Opcode::v_mov_b32, kSpare, number(0));
  c.op(Opcode::s_mov_b64, kVccCode, kMore).op(Opcode::v_addc_u32, kResult, number(0), v(kQuotient));
  c.op(Opcode::v_add_co_u32, kResult, kMinusOne, v(kResult));
  c.op(Opcode::s_mov_b64, kVccCode, kEnough).op(Opcode::v_addc_u32, kResult, number(0), v(kResult));
}
void amd_by_choices(Code& c, u16 number_of) {
  amd_quotient(c, number_of);
  c.op(Opcode::v_add_co_u32, kSpare, number(1), v(kQuotient)).op(Opcode::v_add_co_u32, kLow, kMinusOne, v(kQuotient));
  choose(c, kResult, kMore, v(kSpare), v(kQuotient));
  choose(c, kResult, kEnough, v(kResult), v(kLow));
}
void amd_rest(Code& c, u16 number_of) {
  amd_quotient(c, number_of);
  c.op(Opcode::v_sub_co_u32, kSpare, v(kRest), v(kD)).op(Opcode::v_add_co_u32, kLow, v(kRest), v(kD));
  choose(c, kResult, kMore, v(kSpare), v(kRest));
  choose(c, kResult, kEnough, v(kResult), v(kLow));
}
void amd_rest_of_choice(Code& c, u16 number_of) {
  amd_quotient(c, number_of);
  c.op(Opcode::v_sub_co_u32, kSpare, v(kRest), v(kD));
  choose(c, kResult, kMore, v(kSpare), v(kRest));
  c.op(Opcode::v_add_co_u32, kLow, v(kResult), v(kD));
  choose(c, kResult, kEnough, v(kResult), v(kLow));
}
void llvm(Code& c, u16 number_of, bool rest) {
  estimate(c, kBelowTwoTo32);
  c.op(Opcode::v_sub_co_u32, kLow, number(0), v(kD)).op(Opcode::v_mul_lo_u32, kLow, v(kLow), v(kFirst));
  c.op(Opcode::v_mul_hi_u32, kLow, v(kFirst), v(kLow)).op(Opcode::v_add_co_u32, kEstimate, v(kFirst), v(kLow));
  c.op(Opcode::v_mul_hi_u32, kQuotient, number_of, v(kEstimate));
  c.op(Opcode::v_mul_lo_u32, kProduct, v(kQuotient), v(kD)).op(Opcode::v_sub_co_u32, kRest, number_of, v(kProduct));
  for (u32 turn = 0; turn < 2; ++turn) {
    c.op(Opcode::v_add_co_u32, kSpare, number(1), v(kQuotient)).op(Opcode::v_sub_co_u32, kLow, v(kRest), v(kD));
    c.op(Opcode::v_cmp_le_u32, 0, v(kD), v(kRest)).op(Opcode::s_mov_b64, kMore, kVccCode);
    choose(c, kQuotient, kMore, v(kSpare), v(kQuotient));
    choose(c, kRest, kMore, v(kLow), v(kRest));
  }
  c.op(Opcode::v_mov_b32, kResult, v(rest ? kRest : kQuotient));
}

// In floats, of the low 21 bits of both.
void by_floats(Code& c, u16 number_of, u32 mask = 0x1fffff) {
  c.op(Opcode::v_and_b32, kLow, kLiteralCode, v(kD), mask).op(Opcode::v_cvt_f32_u32, kFirst, v(kLow));
  c.op(Opcode::v_mov_b32, kSpare, number_of);
  c.op(Opcode::v_and_b32, kSpare, kLiteralCode, v(kSpare), mask).op(Opcode::v_cvt_f32_u32, kHigh, v(kSpare));
  c.op(Opcode::v_rcp_iflag_f32, kEstimate, v(kFirst)).op(Opcode::v_mul_f32, kEstimate, v(kHigh), v(kEstimate));
  c.op(Opcode::v_trunc_f32, kEstimate, v(kEstimate));
  amdcompat::gcn::Instruction rest = c.make(Opcode::v_mad_f32);
  rest.destination = kRest;
  rest.sources = {v(kEstimate), v(kFirst), v(kHigh)};
  rest.negate = 1;
  c.add(rest);
  c.op(Opcode::v_cvt_u32_f32, kQuotient, v(kEstimate));
  amdcompat::gcn::Instruction test = c.make(Opcode::v_cmp_ge_f32);
  test.format = amdcompat::gcn::Format::Vop3;
  test.destination = kVccCode;
  test.sources = {v(kRest), v(kFirst)};
  test.absolute = 1;
  c.add(test);
  c.op(Opcode::v_mov_b32, kSpare, number(0)).op(Opcode::v_addc_u32, kResult, number(0), v(kQuotient));
}

struct Sequence {
  const char* name;
  const char* lifted;  // the function that stands for it
  std::function<void(Code&, u16)> emit;
};
const Sequence kSequences[] = {
    {"by carries", "quotient(", amd_by_carries},
    {"by choices", "quotient(", amd_by_choices},
    {"in floats", "quotient_by_floats(", [](Code& c, u16 n) { by_floats(c, n); }},
    {"remainder", "rest_of_division(", amd_rest},
    {"remainder of what was chosen", "rest_of_division(", amd_rest_of_choice},
    {"mended twice", "quotient_from_below(", [](Code& c, u16 n) { llvm(c, n, false); }},
    {"remainder mended twice", "rest_of_division(", [](Code& c, u16 n) { llvm(c, n, true); }},
};

constexpr u32 kRunLanes = 1024;
Data numbers() {
  constexpr std::array<u32, 12> kEdges = {0,          1,          2,          3,          255,        256,
                                          0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0xffff0001};
  Data data{.out = Words(kRunLanes, 0xdeadbeef)};
  std::mt19937 random(20261123);
  for (u32 lane = 0; lane < kRunLanes; ++lane) {
    const bool edge = lane < kEdges.size() * kEdges.size();
    const auto any = [&] { return static_cast<u32>(random()) >> random() % 32; };
    data.in.push_back(edge ? kEdges[lane / kEdges.size()] : any());
    data.in.push_back(edge ? kEdges[lane % kEdges.size()] : any());
  }
  return data;
}
Small kernel_of(const Sequence& sequence, u16 number_of) {
  Small out{.name = "k", .code = Code()};
  Code& c = out.code;
  c.prologue().place(2, kInSlot, 2).place(3, kOutSlot, 1);
  c.buffer(Opcode::buffer_load_dwordx2, kN, 2, kIn);
  sequence.emit(c, number_of);
  c.buffer(Opcode::buffer_store_dword, kResult, 3, kOut).end();
  return out;
}

TEST(LiftedDivisions, AreDivisionsAndEqualTheMachineCode) {
  const Data data = numbers();
  std::vector<Small> smalls;
  std::vector<const Sequence*> of;
  std::vector<opencl::Launch> launches;
  for (const Sequence& sequence : kSequences)
    for (const u16 number_of : {v(kN), number(64)}) {
      smalls.push_back(kernel_of(sequence, number_of));
      of.push_back(&sequence);
      smalls.back().name = "k" + std::to_string(smalls.size());
      launches.push_back(launch_of(smalls.back().name, data, kRunLanes));
    }
  const Program program = program_of(smalls);
  for (const lift::Form form : {lift::Form::WorkItem, lift::Form::Wave}) {
    Diagnostics ignored;
    for (std::size_t n = 0; n < smalls.size(); ++n) {
      const lift::Unit one = lift::lift(program, {.kernel = smalls[n].name, .form = form}, ignored);
      ASSERT_TRUE(one.kernels[0].lifted) << one.kernels[0].refusal->message;
      EXPECT_NE(one.source.find(of[n]->lifted, one.source.find("__kernel")), std::string::npos) << one.source;
      EXPECT_EQ(one.source.find("rcp"), std::string::npos) << one.source;
    }
    if (!opencl_missing().empty()) continue;
    const lift::Unit unit = lift::lift(program, {.form = form}, ignored);
    const opencl::Result result = opencl::run({.source = unit.source, .launches = launches, .seconds = 120});
    ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << unit.source;
    for (std::size_t n = 0; n < smalls.size(); ++n) {
      ASSERT_EQ(result.launches[n].status, opencl::Status::Ok) << result.launches[n].message;
      const Ran expected = interpret(program, n, data, kRunLanes);
      ASSERT_EQ(expected.problem, "");
      const Words got = words_of(result.launches[n].buffers[1]);
      for (u32 lane = 0; lane < kRunLanes; ++lane)
        ASSERT_EQ(got[lane], expected.out[lane])
            << of[n]->name << ": " << data.in[2 * lane] << " / " << data.in[2 * lane + 1];
    }
  }
}
// What is not such a sequence stays what it is: another factor, another correction, another divisor at the end, more
// bits than a float's quotient is right for.
TEST(LiftedDivisions, AreNotSeenInWhatIsAlmostOne) {
  const std::array<std::function<void(Code&)>, 4> codes = {
      [](Code& c) { by_floats(c, v(kN), 0x3fffff); },
      [](Code& c) {
        estimate(c, kTwoTo32);
        c.op(Opcode::v_mul_hi_u32, kResult, v(kN), v(kFirst));
      },
      [](Code& c) {
        amd_quotient(c, v(kN));
        c.op(Opcode::v_add_co_u32, kSpare, number(2), v(kQuotient))
            .op(Opcode::v_add_co_u32, kLow, kMinusOne, v(kQuotient));
        choose(c, kResult, kMore, v(kSpare), v(kQuotient));
        choose(c, kResult, kEnough, v(kResult), v(kLow));
      },
      [](Code& c) {
        amd_quotient(c, v(kN));
        c.op(Opcode::v_sub_co_u32, kSpare, v(kRest), v(kN)).op(Opcode::v_add_co_u32, kLow, v(kRest), v(kD));
        choose(c, kResult, kMore, v(kSpare), v(kRest));
        choose(c, kResult, kEnough, v(kResult), v(kLow));
      }};
  for (const auto& code : codes) {
    const Small small = kernel_of({"", "", [&](Code& c, u16) { code(c); }}, v(kN));
    Diagnostics ignored;
    const lift::Unit unit = lift::lift(program_of(std::span(&small, 1)), {}, ignored);
    ASSERT_TRUE(unit.kernels[0].lifted);
    EXPECT_NE(unit.source.find("rcp"), std::string::npos) << unit.source;
  }
}

}  // namespace
}  // namespace amdcompat_test::lifted::division_test
