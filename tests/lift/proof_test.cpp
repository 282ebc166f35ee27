// Proofs of lifted kernels: random launches of the machine code on the interpreter and of the source on an OpenCL
// device. Real kernels are proved as users prove theirs; own ones show every way to fail.
//
// Of the real kernels it is every twenty-fourth, with AMDCOMPAT_LONG=all every sixth; AMDCOMPAT_PROOF_ALL takes all.
// AMDCOMPAT_PROOF_ONLY=text takes only those whose "file kernel" contains the text, and counts nothing.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>
#include <amdcompat/prove.hpp>

#include "opencl_runner.hpp"
#include "small_program.hpp"
#include "support/real_corpus.hpp"
#include "support/wants_all.hpp"

namespace amdcompat::proof_test {
namespace {

using namespace amdcompat_test;
using namespace amdcompat_test::lifted;
using emulate::LiftProof;
using emulate::Verdict;

// So many distinct real kernels are proved, of every sixth and of every twenty-fourth at least these; none may differ.
constexpr std::size_t kLeastProved = 120, kLeastOfSixth = 15, kLeastOfPart = 4;

struct Counts {
  std::size_t lifted = 0, launches = 0;
  std::map<Verdict, std::size_t> verdicts;
  std::map<std::string, std::size_t> reasons;  // of what is not proved
  std::size_t approximate = 0, denormals = 0;
};

LiftProof proof_of(const Program& program, const lift::KernelOutcome& kernel) {
  Diagnostics ignored;
  const lift::Unit unit = lift::lift(program, {.kernel = kernel.name}, ignored);
  emulate::LiftProofOptions options{.seconds = 60};
  options.proof.texels = kernel.texels;
  return emulate::prove_lifted(program, kernel.index, unit.source, options);
}

// The first words of a reason, by which like ones are counted together.
std::string kind_of(const std::string& reason) {
  const std::size_t last = reason.find("the last other one: ");
  const std::string text = last == std::string::npos ? reason : reason.substr(last);
  return text.substr(0, text.find_first_of("0123456789"));
}

TEST(LiftedProof, NoRealKernelDiffers) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_OPENCL();
  const char* const only = std::getenv("AMDCOMPAT_PROOF_ONLY");
  const bool all = std::getenv("AMDCOMPAT_PROOF_ALL") != nullptr;
  const std::size_t every = 6 * one_of(8);
  const auto begin = std::chrono::steady_clock::now();
  Counts counts;
  std::set<std::string> seen;  // code and name of kernels
  std::vector<RealFile> files = real_files("amdcl1");
  std::ranges::copy(real_files("amdcl2"), std::back_inserter(files));
  for (const RealFile& row : files) {
    Diagnostics diagnostics;
    const auto file = open(read_real(row), diagnostics);
    if (!file) continue;
    for (const lift::KernelOutcome& kernel : lift::lift(file->program, {}, diagnostics).kernels) {
      if (!kernel.lifted) continue;
      if (only != nullptr && (row.path + " " + kernel.name).find(only) == std::string::npos) continue;
      const auto code = kernel_code(file->program, file->program.kernels[kernel.index]);
      const std::string key = kernel.name + std::string(reinterpret_cast<const char*>(code.data()), code.size());
      if (!seen.insert(key).second) continue;
      if (only == nullptr && !all && seen.size() % every != 1) continue;
      const LiftProof proof = proof_of(file->program, kernel);
      ++counts.lifted;
      counts.launches += proof.compared;
      ++counts.verdicts[proof.verdict];
      counts.approximate += proof.error != 0 ? 1 : 0;
      counts.denormals += proof.denormals ? 1 : 0;
      if (proof.verdict != Verdict::Proved) {
        ++counts.reasons[kind_of(proof.reason)];
        fmt::print("{} {}: {}: {}\n", row.path, kernel.name, verdict_name(proof.verdict), proof.reason);
      }
      EXPECT_NE(proof.verdict, Verdict::Differs) << row.path << " " << kernel.name << ": " << proof.reason;
    }
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  fmt::print("{} distinct kernels lifted, {} launches compared in {:.1f} s; {} kernels with floats that are nearly "
             "equal, {} with denormals\n",
             counts.lifted, counts.launches, seconds.count(), counts.approximate, counts.denormals);
  for (const auto& [verdict, n] : counts.verdicts) fmt::print("  {}: {}\n", verdict_name(verdict), n);
  for (const auto& [reason, n] : counts.reasons) fmt::print("    {}: {}\n", n, reason);
  std::fflush(stdout);
  if (only != nullptr) return;
  EXPECT_GE(counts.verdicts[Verdict::Proved], all ? kLeastProved : runs_whole() ? kLeastOfSixth : kLeastOfPart);
}

// out[lane] = in[lane] op p0, floats.
Small float_kernel(Opcode opcode) {
  lifted::Code code;
  code.prologue().place(2, kInSlot, 1).place(3, kOutSlot, 1);
  code.buffer(Opcode::buffer_load_dword, 4, 2, kIn).k(Opcode::s_waitcnt, 0, 0);
  if (opcode == Opcode::v_rcp_f32)
    code.op(opcode, 4, v(4));
  else
    code.op(opcode, 4, v(4), v(4));
  code.buffer(Opcode::buffer_store_dword, 4, 3, kOut).end();
  return {.name = "k", .code = code};
}
// In work-groups of 64, which the kernels made here need.
Program program(const Small& small) {
  Program out = program_of(std::span(&small, 1));
  out.kernels[0].limits.required_group_size = {kLanes, 1, 1};
  return out;
}
constexpr const char* kAdd = "__kernel void k(__global uint *in, __global uint *out, uint p0, uint p1, uint p2, "
                             "uint p3, uint p4, uint p5) {\n"
                             "  const size_t i = get_global_id(0) - get_global_offset(0);\n"
                             "  out[i] = as_uint(as_float(in[i]) + as_float(in[i]));\n"
                             "}\n";
LiftProof proof_with(const Program& program, std::string_view source, emulate::LiftProofOptions options = {}) {
  return emulate::prove_lifted(program, 0, source, options);
}

TEST(LiftedProof, ProvesASourceThatDoesTheSame) {
  AMDCOMPAT_NEEDS_OPENCL();
  const LiftProof proof = proof_with(program(float_kernel(Opcode::v_add_f32)), kAdd);
  EXPECT_EQ(proof.verdict, Verdict::Proved) << proof.reason;
  EXPECT_EQ(proof.reason, "");
  EXPECT_EQ(proof.compared, 3u);
  EXPECT_NE(proof.device, "");
  EXPECT_FALSE(proof.approximate);
  EXPECT_EQ(proof.coverage.reached, proof.coverage.instructions);
}

TEST(LiftedProof, SaysThatDenormalsMatter) {
  AMDCOMPAT_NEEDS_OPENCL();
  // Small integers are denormals when they are taken for floats; the kernels made here keep those, and so their code
  // is no example of one that flushes.
  Program flushing = program(float_kernel(Opcode::v_add_f32));
  std::get<cl1::CalState>(flushing.kernels[0].entry).info.float_mode = 0xc0;
  const LiftProof proof = proof_with(flushing, kAdd);
  EXPECT_EQ(proof.verdict, Verdict::Proved) << proof.reason;
  EXPECT_TRUE(proof.denormals);
  EXPECT_FALSE(proof_with(program(float_kernel(Opcode::v_add_f32)), kAdd).denormals);
}

TEST(LiftedProof, OutputModifiersCountWhereDenormalsAreFlushed) {
  AMDCOMPAT_NEEDS_OPENCL();
  for (std::uint8_t modifier = 1; modifier <= 3; ++modifier) {
    SCOPED_TRACE(int{modifier});
    lifted::Code code;
    code.prologue().place(2, kInSlot, 1).place(3, kOutSlot, 1);
    code.buffer(Opcode::buffer_load_dword, 4, 2, kIn).k(Opcode::s_waitcnt, 0, 0);
    gcn::Instruction scaled = code.make(Opcode::v_mul_f32);
    scaled.format = gcn::Format::Vop3;
    scaled.destination = 4;
    scaled.sources = {v(4), v(4), 0};
    scaled.output_modifier = modifier;
    code.add(scaled);
    code.buffer(Opcode::buffer_store_dword, 4, 3, kOut).end();
    Program kept = program({.name = "k", .code = code});
    Diagnostics diagnostics;
    const lift::Unit refused = lift::lift(kept, {}, diagnostics);
    ASSERT_TRUE(refused.kernels[0].refusal);
    EXPECT_NE(refused.kernels[0].refusal->message.find("output modifier"), std::string::npos);

    std::get<cl1::CalState>(kept.kernels[0].entry).info.float_mode = 0xc0;
    const lift::Unit unit = lift::lift(kept, {.exact = true}, diagnostics);
    ASSERT_TRUE(unit.kernels[0].lifted);
    const LiftProof proof = proof_with(kept, unit.source, {.exact = true});
    EXPECT_EQ(proof.verdict, Verdict::Proved) << proof.reason;
  }
}

TEST(LiftedProof, ANanIsAsGoodAsAnotherUnlessABufferHoldsIntegers) {
  AMDCOMPAT_NEEDS_OPENCL();
  const std::string source =
      "__kernel void k(__global uint *in, __global uint *out, uint p0, uint p1, uint p2, uint p3, uint p4, uint p5) {\n"
      "  const size_t i = get_global_id(0) - get_global_offset(0);\n"
      "  const float sum = as_float(in[i]) + as_float(in[i]);\n"
      "  out[i] = isnan(sum) ? 0x7fc12345u : as_uint(sum);\n"
      "}\n";
  Program any = program(float_kernel(Opcode::v_add_f32));
  const auto hold = [&](ScalarType type) {
    for (Argument& argument : any.kernels[0].arguments)
      if (auto* const pointer = std::get_if<GlobalPointer>(&argument.kind)) pointer->pointee = type;
  };
  hold(ScalarType::Other);
  const LiftProof proof = proof_with(any, source, {.proof = {.launches = 6}});
  EXPECT_EQ(proof.verdict, Verdict::Proved) << proof.reason;
  hold(ScalarType::U32);
  EXPECT_EQ(proof_with(any, source, {.proof = {.launches = 6}}).verdict, Verdict::Differs);
}

TEST(LiftedProof, FindsASourceThatLosesTheSignsOfFloats) {
  AMDCOMPAT_NEEDS_OPENCL();
  Program larger = program(float_kernel(Opcode::v_max_f32));
  for (Argument& argument : larger.kernels[0].arguments)
    if (auto* const pointer = std::get_if<GlobalPointer>(&argument.kind)) pointer->pointee = ScalarType::Float;
  const auto source = [](std::string_view value) {
    return fmt::format("__kernel void k(__global float *in, __global float *out, uint p0, uint p1, uint p2, uint p3, "
                       "uint p4, uint p5) {{\n"
                       "  const size_t i = get_global_id(0) - get_global_offset(0);\n"
                       "  out[i] = {};\n"
                       "}}\n",
                       value);
  };
  EXPECT_EQ(proof_with(larger, source("in[i]")).verdict, Verdict::Proved);
  EXPECT_EQ(proof_with(larger, source("fabs(in[i])")).verdict, Verdict::Differs);
}

TEST(LiftedProof, FindsASourceThatDoesSomethingElse) {
  AMDCOMPAT_NEEDS_OPENCL();
  const LiftProof proof = proof_with(program(float_kernel(Opcode::v_mul_f32)), kAdd);
  EXPECT_EQ(proof.verdict, Verdict::Differs);
  EXPECT_NE(proof.reason.find("buffer out differs"), std::string::npos) << proof.reason;
}

void expect_not_run(std::string_view source, const char* why, emulate::LiftProofOptions options = {}) {
  const LiftProof proof = proof_with(program(float_kernel(Opcode::v_add_f32)), source, options);
  EXPECT_EQ(proof.verdict, Verdict::NotExecutable);
  EXPECT_NE(proof.reason.find(why), std::string::npos) << proof.reason;
  EXPECT_EQ(proof.compared, 0u);
}

TEST(LiftedProof, SaysWhyNothingWasCompared) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_not_run(kAdd, "no OpenCL device 'nobody'", {.device = "nobody"});
  const Program add = program(float_kernel(Opcode::v_add_f32));
  EXPECT_TRUE(proof_with(add, kAdd, {.device = "nobody"}).no_device);
  EXPECT_FALSE(proof_with(add, kAdd).no_device);
  expect_not_run("__kernel void k() { nobody(); }", "the device does not take the source");
  expect_not_run("__kernel void other(__global uint *in) { in[0] = 1; }", "clCreateKernel of k");
  expect_not_run("__kernel void k(__global uint *in, __global uint *out, uint p0, uint p1, uint p2, uint p3, uint p4, "
                 "uint p5) { volatile uint i = 1; while (i == 1) ++in[0]; }",
                 "time limit", {.seconds = 2});
  expect_not_run("__kernel void k(__global uint *in, __global uint *out, uint p0, uint p1, uint p2, uint p3, uint p4, "
                 "uint p5) { *(volatile __global uint *)(size_t)8 = 1; }",
                 "died");
  Small endless{.name = "k", .code = lifted::Code()};
  endless.code.prologue();
  const std::size_t again = endless.code.here();
  endless.code.branch(Opcode::s_branch, again);
  endless.code.end();
  const LiftProof proof = proof_with(program(endless), kAdd);
  EXPECT_EQ(proof.compared, 0u);
  EXPECT_NE(proof.reason.find("spent the budget"), std::string::npos) << proof.reason;
}

// A macro does what an optimiser that is wrong would.
TEST(LiftedProof, WhatTheOptimiserOfTheDeviceMakesOtherwiseShowsNothing) {
  AMDCOMPAT_NEEDS_OPENCL();
  expect_not_run(std::string("#ifdef __OPTIMIZE__\n#define as_float(x) 1.0f\n#endif\n") + kAdd,
                 "something else of the source if it does not optimise");
}

// out[lane] is two dwords of local memory, compared, that nothing has set: where they begin as zeros they are alike.
TEST(LiftedProof, WhatDependsOnMemoryThatNothingHasSetIsComparedWhereItBeginsAsZeros) {
  AMDCOMPAT_NEEDS_OPENCL();
  Small small{.name = "k", .code = lifted::Code(), .lds_bytes = 512};
  small.code.prologue().place(3, kOutSlot, 1).op(Opcode::v_lshlrev_b32, 6, number(2), v(0));
  small.code.lds(Opcode::ds_read_b32, 6, 0, 7).lds(Opcode::ds_read_b32, 6, 0, 8, 0, 1).k(Opcode::s_waitcnt, 0, 0);
  small.code.op(Opcode::v_xor_b32, 7, v(7), v(8)).buffer(Opcode::buffer_store_dword, 7, 3, kOut).end();
  const auto proof_of = [&](std::string_view value) {
    return proof_with(program(small),
                      fmt::format("__kernel void k(__global uint *in, __global uint *out, uint p0, uint p1, uint p2, "
                                  "uint p3, uint p4, uint p5) {{ out[get_global_id(0) - get_global_offset(0)] = {}; }}",
                                  value));
  };
  const LiftProof right = proof_of("0");
  EXPECT_EQ(right.verdict, Verdict::Proved) << right.reason;
  EXPECT_EQ(right.local_zeros, right.compared);
  // Others may be there for a device.
  const LiftProof proof = proof_of("1");
  EXPECT_EQ(proof.verdict, Verdict::NotExecutable);
  EXPECT_EQ(proof.compared, 0u);
  EXPECT_NE(proof.reason.find("LDS"), std::string::npos) << proof.reason;
  EXPECT_NE(proof.reason.find("nothing has set"), std::string::npos) << proof.reason;
}

// out[0] = lane, by all lanes; which one stays is nobody's promise. `required`: whether in work-groups of 64.
Program program_of_one_place(bool required) {
  lifted::Code code;
  code.prologue().op(Opcode::v_mov_b32, 3, kOutSlot);
  code.buffer(Opcode::buffer_store_dword, kLane, 3, kOut).end();
  const Small small{.name = "k", .code = code};
  return required ? program(small) : program_of(std::span(&small, 1));
}
// The same, from the last lane on.
constexpr const char* kOnePlace =
    "__kernel void k(__global uint *in, __global uint *out, uint p0, uint p1, uint p2, uint p3, uint p4, uint p5) {\n"
    "  out[0] = (uint)(get_global_size(0) - 1 - get_global_id(0) + get_global_offset(0));\n"
    "}\n";

TEST(LiftedProof, ARaceForABufferShowsNothing) {
  AMDCOMPAT_NEEDS_OPENCL_SIMULATOR();
  const LiftProof proof = proof_with(program_of_one_place(true), kOnePlace, {.proof = {.attempts = 20}});
  EXPECT_EQ(proof.verdict, Verdict::NotExecutable);
  EXPECT_NE(proof.reason.find("race for a buffer"), std::string::npos) << proof.reason;
}
TEST(LiftedProof, WhereWorkItemsRaceForABufferItIsOfOne) {
  AMDCOMPAT_NEEDS_OPENCL_SIMULATOR();
  const LiftProof proof = proof_with(program_of_one_place(false), kOnePlace);
  EXPECT_EQ(proof.verdict, Verdict::Proved) << proof.reason;
  EXPECT_EQ(proof.alone_in_launch, 3u);
}

// A wavefront's lanes write in their order, and the source's work-items in none: that is no race of the machine code.
TEST(LiftedProof, ARaceOfTheSourceAloneIsNotHiddenByLaunchesOfOneWorkItem) {
  AMDCOMPAT_NEEDS_OPENCL_SIMULATOR();
  // out[lane] = lane; then out[lane ^ 1] = out[lane ^ 1] + 1
  lifted::Code code;
  constexpr u16 kSize = 27, kOffset = 26;
  code.prologue().scalar_load(Opcode::s_buffer_load_dword, kSize, kCb0, 16).k(Opcode::s_waitcnt, 0, 0);
  code.op(Opcode::s_mul_i32, kOffset, kGroup, kSize).op(Opcode::v_add_co_u32, kLane, kOffset, v(0));
  code.op(Opcode::v_mov_b32, 8, v(kLane)).place(3, kOutSlot, 1).buffer(Opcode::buffer_store_dword, 8, 3, kOut);
  code.k(Opcode::s_waitcnt, 0, 0).op(Opcode::v_xor_b32, kLane, number(1), v(kLane)).place(4, kOutSlot, 1);
  code.buffer(Opcode::buffer_load_dword, 9, 4, kOut).k(Opcode::s_waitcnt, 0, 0);
  code.op(Opcode::v_add_co_u32, 9, number(1), v(9)).buffer(Opcode::buffer_store_dword, 9, 4, kOut).end();
  const Small small{.name = "k", .code = code};
  const LiftProof proof = proof_with(
      program_of(std::span(&small, 1)),
      "__kernel void k(__global uint *in, __global uint *out, uint p0, uint p1, uint p2, uint p3, uint p4, uint p5) {\n"
      "  const uint i = (uint)(get_global_id(0) - get_global_offset(0));\n"
      "  out[i] = i;\n"
      "  out[i ^ 1] = out[i ^ 1] + 1;\n"
      "}\n");
  EXPECT_NE(proof.verdict, Verdict::Proved);
  EXPECT_EQ(proof.alone_in_group + proof.alone_in_launch, 0u);
}

// out[lane] = what stands in local memory at the place of lane ^ `flip` after each lane wrote its number at its own;
// `places` of them, one behind the other. In work-groups of any size.
Program program_of_local_memory(u32 flip, u32 places) {
  constexpr u16 kSize = 27, kOffset = 26;  // of a group; of its first lane
  lifted::Code code;
  code.prologue().scalar_load(Opcode::s_buffer_load_dword, kSize, kCb0, 16).k(Opcode::s_waitcnt, 0, 0);
  code.op(Opcode::s_mul_i32, kOffset, kGroup, kSize).op(Opcode::v_add_co_u32, kLane, kOffset, v(0));
  code.op(Opcode::v_and_b32, 5, number(places - 1), v(0)).op(Opcode::v_xor_b32, 6, number(flip), v(5));
  code.op(Opcode::v_lshlrev_b32, 5, number(2), v(5)).op(Opcode::v_lshlrev_b32, 6, number(2), v(6));
  code.lds(Opcode::ds_write_b32, 5, kLane).k(Opcode::s_waitcnt, 0, 0);
  code.lds(Opcode::ds_read_b32, 6, 0, 7).k(Opcode::s_waitcnt, 0, 0);
  code.place(3, kOutSlot, 1).buffer(Opcode::buffer_store_dword, 7, 3, kOut).end();
  const Small small{.name = "k", .code = code, .lds_bytes = 256};
  return program_of(std::span(&small, 1));
}
// Without a barrier, as work-items find it that run one behind the other.
std::string source_of_local_memory(u32 flip, u32 places) {
  return fmt::format("__kernel void k(__global uint *in, __global uint *out, uint p0, uint p1, uint p2, uint p3, uint "
                     "p4, uint p5) {{\n"
                     "  __local uint t[{1}];\n"
                     "  const size_t i = get_global_id(0) - get_global_offset(0), l = get_local_id(0) % {1};\n"
                     "  t[l] = (uint)i;\n"
                     "  out[i] = t[l ^ {0}];\n"
                     "}}\n",
                     flip, places);
}

TEST(LiftedProof, WhereWorkItemsRaceForLocalMemoryItIsOfGroupsOfOne) {
  AMDCOMPAT_NEEDS_OPENCL_SIMULATOR();
  const Program all_write = program_of_local_memory(0, 1);
  const LiftProof proof = proof_with(all_write, source_of_local_memory(0, 1));
  EXPECT_EQ(proof.verdict, Verdict::Proved) << proof.reason;
  EXPECT_EQ(proof.compared, 3u);
  EXPECT_EQ(proof.alone_in_group, 3u);
  EXPECT_EQ(proof.alone_in_launch, 0u);
  const LiftProof other =
      proof_with(all_write, "#define get_global_id(n) (get_global_id(n) / 2)\n" + source_of_local_memory(0, 1));
  EXPECT_EQ(other.verdict, Verdict::Differs) << "also in groups of one";
}
TEST(LiftedProof, OfAGroupOfARequiredSizeWhoseWorkItemsRaceIsNone) {
  AMDCOMPAT_NEEDS_OPENCL_SIMULATOR();
  Program all_write = program_of_local_memory(0, 1);
  all_write.kernels[0].limits.required_group_size = {2 * kLanes, 1, 1};
  const LiftProof proof = proof_with(all_write, source_of_local_memory(0, 1));
  EXPECT_NE(proof.verdict, Verdict::Proved);
  EXPECT_NE(proof.reason.find("race for local memory"), std::string::npos) << proof.reason;
}
// A wavefront has an order where the source has none: the source may be wrong in large groups, and alone it is not.
TEST(LiftedProof, WhatLanesInStepLeaveEachOtherIsNotHiddenByGroupsOfOne) {
  AMDCOMPAT_NEEDS_OPENCL_SIMULATOR();
  const LiftProof proof = proof_with(program_of_local_memory(1, kLanes), source_of_local_memory(1, kLanes));
  EXPECT_NE(proof.verdict, Verdict::Proved);
  EXPECT_EQ(proof.alone_in_group, 0u);
  EXPECT_NE(proof.reason.find("race for local memory"), std::string::npos) << proof.reason;
}

// On devices that run work-items beside each other, most random launches of many kernels race.
TEST(LiftedProof, WithoutASimulatorTheRacesAreThoseOfTheMachineCode) {
  AMDCOMPAT_NEEDS_OPENCL();
  const auto proof = [](const Program& program, const std::string& source, std::uint32_t attempts = 64) {
    return proof_with(program, source, {.proof = {.attempts = attempts}, .simulator = false});
  };
  const LiftProof none = proof(program_of_one_place(true), kOnePlace, 20);
  EXPECT_EQ(none.verdict, Verdict::NotExecutable);
  EXPECT_NE(none.reason.find("race for a buffer"), std::string::npos) << none.reason;
  const LiftProof alone = proof(program_of_one_place(false), kOnePlace);
  EXPECT_EQ(alone.verdict, Verdict::Proved) << alone.reason;
  EXPECT_EQ(alone.alone_in_launch, 3u);
  const Program all_write = program_of_local_memory(0, 1);
  const LiftProof in_group = proof(all_write, source_of_local_memory(0, 1));
  EXPECT_EQ(in_group.verdict, Verdict::Proved) << in_group.reason;
  EXPECT_EQ(in_group.alone_in_group, 3u);
  // What the lanes of a wavefront leave each other is no race.
  const LiftProof in_step = proof(program_of_local_memory(1, kLanes), source_of_local_memory(1, kLanes));
  EXPECT_EQ(in_step.verdict, Verdict::Differs);
  EXPECT_NE(in_step.reason.find("without oclgrind"), std::string::npos) << in_step.reason;
}

TEST(LiftedProof, OfAnApproximationSaysHowNearItIs) {
  AMDCOMPAT_NEEDS_OPENCL();
  Program reciprocal = program(float_kernel(Opcode::v_rcp_f32));
  for (Argument& argument : reciprocal.kernels[0].arguments)
    if (auto* const pointer = std::get_if<GlobalPointer>(&argument.kind)) pointer->pointee = ScalarType::Float;
  const LiftProof proof = proof_with(
      reciprocal, "__kernel void k(__global float *in, __global float *out, uint p0, uint p1, uint p2, uint p3, "
                  "uint p4, uint p5) {\n"
                  "  const size_t i = get_global_id(0) - get_global_offset(0);\n"
                  "  out[i] = as_float(as_uint(1.0f / in[i]) + 1);\n"
                  "}\n");
  EXPECT_EQ(proof.verdict, Verdict::Proved) << proof.reason;
  EXPECT_TRUE(proof.approximate);
  EXPECT_GT(proof.error, 0);
  EXPECT_LT(proof.error, emulate::kLiftTolerance);
}

// Lets the one kernel of a program start with the address of its arguments in s[0:1], then the group's number.
Kernel& start_by_address(Program& program, Family family) {
  program.family = family;
  Kernel& kernel = program.kernels[0];
  kernel.address_bits = AddressBits::Bits64;
  KernelCode setup;
  setup.user_registers = kSgprKernargPtr;
  setup.rsrc1 = 3 | 1 << 6;  // 16 registers of each kind
  setup.rsrc2 = 2u << 1 | 1u << 7;
  kernel.entry = setup;
  return kernel;
}
// Without a list of its arguments.
Program program_of_bytes(const lifted::Code& code, u32 kernarg_bytes) {
  Program out = program({.name = "k", .code = code});
  Kernel& kernel = start_by_address(out, Family::Hsa);
  kernel.launch =
      KernargLaunch{.version = hsa::CodeObjectVersion::V2, .bytes = kernarg_bytes, .arguments_known = false};
  kernel.arguments.clear();
  return out;
}
// (__global uint *out, struct of 15 bytes): a word of it by a scalar, two bytes and what follows the last word by a
// lane.
// `chosen`: a word whose number the lane says.
Program program_of_struct(bool chosen) {
  constexpr u16 kBlock = 0, kOutput = 4, kAddress = 6;
  lifted::Code c;
  const auto flat = [&](Opcode opcode, u16 address, u16 data) {
    gcn::Instruction i = c.make(opcode);
    i.address = address;
    i.data = i.destination = data;
    c.add(i).k(Opcode::s_waitcnt, 0, 0);
  };
  const auto part = [&](u16 distance, Opcode opcode, u16 to) {
    c.op(Opcode::v_mov_b32, 3, kAddress + 1).op(Opcode::v_mov_b32, 2, kAddress);
    c.op(Opcode::v_add_co_u32, 2, distance, v(2)).op(Opcode::v_addc_u32, 3, number(0), v(3));
    flat(opcode, 2, to);
    c.op(Opcode::v_add_co_u32, 10, v(to), v(10));
  };
  c.scalar_load(Opcode::s_load_dwordx2, kOutput, kBlock, 0).scalar_load(Opcode::s_load_dwordx2, kAddress, kBlock, 8);
  c.k(Opcode::s_waitcnt, 0, 0).scalar_load(Opcode::s_load_dword, 8, kAddress, 4).k(Opcode::s_waitcnt, 0, 0);
  c.op(Opcode::v_mov_b32, 10, 8);
  part(number(10), Opcode::flat_load_ushort, 11);
  part(number(14), Opcode::flat_load_ubyte, 12);
  c.op(Opcode::v_and_b32, 13, number(4), v(0));
  if (chosen) part(v(13), Opcode::flat_load_dword, 14);
  c.op(Opcode::s_lshl_b32, 9, 2, number(8)).op(Opcode::v_lshlrev_b32, 2, number(2), v(0));
  c.op(Opcode::v_add_co_u32, 2, 9, v(2)).op(Opcode::v_add_co_u32, 2, kOutput, v(2));
  c.op(Opcode::v_mov_b32, 3, kOutput + 1).op(Opcode::v_addc_u32, 3, number(0), v(3));
  flat(Opcode::flat_store_dword, 2, 10);
  c.end();

  Program out = program({.name = "k", .code = c});
  Kernel& kernel = start_by_address(out, Family::Cl2);
  ArgumentBlockLaunch launch;
  launch.argument_bytes = 16;
  kernel.launch = launch;
  kernel.limits.required_group_size = {64, 1, 1};
  std::erase_if(kernel.arguments, [](const Argument& a) { return a.name != "out"; });
  Argument& value = kernel.arguments.emplace_back();
  value.name = "value";
  value.kind = ByValue{ScalarType::Struct, 15};
  kernel.arguments[0].slot = ArgumentBlockSlot{0, 8, 8, false, {}};
  value.slot = ArgumentBlockSlot{8, 8, 8, true, {}};
  return out;
}

class LiftedStruct : public testing::TestWithParam<bool> {};

TEST_P(LiftedStruct, ByReferenceIsOneByValueAndAPlaceInItMayBeChosen) {
  AMDCOMPAT_NEEDS_OPENCL();
  const Program program = program_of_struct(GetParam());
  for (const lift::Form form : {lift::Form::WorkItem, lift::Form::Wave}) {
    Diagnostics ignored;
    const lift::Unit unit = lift::lift(program, {.form = form}, ignored);
    ASSERT_TRUE(unit.kernels[0].lifted) << unit.kernels[0].refusal->message;
    EXPECT_NE(unit.source.find("struct k_value value)"), std::string::npos) << unit.source;
    const LiftProof proof = proof_with(program, unit.source);
    EXPECT_EQ(proof.verdict, Verdict::Proved) << proof.reason << unit.source;
  }
}
INSTANTIATE_TEST_SUITE_P(With, LiftedStruct, testing::Bool(),
                         [](const auto& chosen) { return chosen.param ? "AChosenPlace" : "KnownPlaces"; });

// out[i] = in[i] * factor + table[i % 4], as an assembler left it: nothing lists the arguments, which stand at bytes 0,
// 16 and 8 of 32, and the table is behind the code.
Program program_without_list() {
  constexpr u16 kKernarg = 0, kGroupId = 2, kOutput = 4, kInput = 6, kFactor = 8, kHere = 12;
  constexpr std::array kNumbers = {7u, 100u, 0x80000000u, 3u};
  std::size_t from = 0;
  const auto code = [&](u32 distance) {
    lifted::Code c;
    const auto flat = [&](Opcode opcode, u16 base, u16 offset, u16 data) {
      c.op(Opcode::v_mov_b32, 3, static_cast<u16>(base + 1)).op(Opcode::v_add_co_u32, 2, base, v(offset));
      c.op(Opcode::v_addc_u32, 3, number(0), v(3));
      gcn::Instruction i = c.make(opcode);
      i.address = 2;
      i.data = i.destination = data;
      c.add(i).k(Opcode::s_waitcnt, 0, 0);
    };
    c.scalar_load(Opcode::s_load_dwordx2, kOutput, kKernarg, 0).scalar_load(Opcode::s_load_dword, kFactor, kKernarg, 8);
    c.scalar_load(Opcode::s_load_dwordx2, kInput, kKernarg, 16).k(Opcode::s_waitcnt, 0, 0);
    c.op(Opcode::s_lshl_b32, 9, kGroupId, number(8)).op(Opcode::v_lshlrev_b32, 4, number(2), v(0));
    c.op(Opcode::v_add_co_u32, 4, 9, v(4));
    flat(Opcode::flat_load_dword, kInput, 4, 10);
    c.op(Opcode::s_getpc_b64, kHere);
    from = c.here();
    c.op(Opcode::s_add_u32, kHere, kHere, lifted::kLiteralCode, distance);
    c.op(Opcode::s_addc_u32, kHere + 1, kHere + 1, number(0));
    c.op(Opcode::v_and_b32, 5, number(12), v(4));
    flat(Opcode::flat_load_dword, kHere, 5, 11);
    c.op(Opcode::v_mul_lo_u32, 10, v(10), kFactor).op(Opcode::v_add_co_u32, 10, v(11), v(10));
    flat(Opcode::flat_store_dword, kOutput, 4, 10);
    return c.end();
  };
  const std::size_t size = code(0).here();
  lifted::Code c = code(static_cast<u32>((size - from) * 4));
  for (const u32 one : kNumbers) c.word(one);
  return program_of_bytes(c, 32);
}
TEST(LiftedProof, ArgumentsThatNoMetadataListsAreWhatTheCodeReads) {
  const Program program = program_without_list();
  const std::optional<Program> read = lift::with_arguments_read(program);
  ASSERT_TRUE(read);
  const std::vector<Argument>& arguments = read->kernels[0].arguments;
  ASSERT_EQ(arguments.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<GlobalPointer>(arguments[0].kind));
  EXPECT_EQ(arguments[1].type_name, "uint");
  EXPECT_TRUE(std::holds_alternative<GlobalPointer>(arguments[2].kind));
  for (const auto& [n, place] : {std::pair{0u, 0u}, {1u, 8u}, {2u, 16u}})
    EXPECT_EQ(arguments[n].in_kernarg()->offset, place);
  EXPECT_FALSE(lift::with_arguments_read(*read)) << "they are known now";
  Diagnostics ignored;
  const lift::Unit unit = lift::lift(program, {}, ignored);
  ASSERT_TRUE(unit.kernels[0].lifted) << unit.kernels[0].refusal->message;
  EXPECT_NE(unit.source.find("k(__global uint* arg0, uint arg1, __global uint* arg2)"), std::string::npos)
      << unit.source;
  EXPECT_NE(unit.source.find("at bytes 0, 8, 16"), std::string::npos) << unit.source;
  AMDCOMPAT_NEEDS_OPENCL();
  const LiftProof proof = proof_with(program, unit.source);
  EXPECT_EQ(proof.verdict, Verdict::Proved) << proof.reason << unit.source;
}

// An element of four bytes for each of a group's 64 lanes: v[data] into the memory at s[base].
void store_lanes(lifted::Code& c, u16 base, u16 data) {
  c.op(Opcode::v_lshlrev_b32, 4, number(2), v(0)).op(Opcode::v_mov_b32, 3, static_cast<u16>(base + 1));
  c.op(Opcode::v_add_co_u32, 2, base, v(4)).op(Opcode::v_addc_u32, 3, number(0), v(3));
  gcn::Instruction store = c.make(Opcode::flat_store_dword);
  store.address = 2;
  store.data = store.destination = data;
  c.add(store);
}

void expect_of_work_items(const Program& program) {
  Diagnostics ignored;
  const lift::Unit unit = lift::lift(program, {.form = lift::Form::WorkItem}, ignored);
  ASSERT_TRUE(unit.kernels[0].lifted) << unit.kernels[0].refusal->message;
  AMDCOMPAT_NEEDS_OPENCL();
  const LiftProof proof = proof_with(program, unit.source);
  EXPECT_EQ(proof.verdict, Verdict::Proved) << proof.reason << unit.source;
}

// A number that lanes of a branch have from one place, which LLVM takes to scalar registers: (__global uint *out,
// __global double *in, uint p).
TEST(LiftedProof, WhatLanesOfABranchHaveFromOnePlaceIsTheSameForAllOfThem) {
  constexpr u16 kKernarg = 0, kOutput = 4, kInput = 6, kPlace = 8, kOld = 10, kAny = 12;
  lifted::Code c;
  c.scalar_load(Opcode::s_load_dwordx2, kOutput, kKernarg, 0).k(Opcode::s_waitcnt, 0, 0);
  c.op(Opcode::v_and_b32, 1, number(1), v(0)).op(Opcode::v_cmp_eq_u32, 0, number(1), v(1));
  c.op(Opcode::v_mov_b32, 1, number(7)).op(Opcode::s_and_saveexec_b64, kOld, lifted::kVccCode);
  const std::size_t around = c.branch(Opcode::s_cbranch_execz);
  c.scalar_load(Opcode::s_load_dword, kPlace, kKernarg, 16).scalar_load(Opcode::s_load_dwordx2, kInput, kKernarg, 8);
  c.op(Opcode::v_mov_b32, 2, number(0)).op(Opcode::v_mov_b32, 3, lifted::kLiteralCode, 0, 0x41cdcd65);  // 1e9
  c.k(Opcode::s_waitcnt, 0, 0).op(Opcode::s_lshl_b32, kPlace, kPlace, number(5));
  c.op(Opcode::s_and_b32, kPlace, kPlace, lifted::kLiteralCode, 0x60).op(Opcode::s_or_b32, kPlace, kPlace, number(16));
  gcn::Instruction load = c.make(Opcode::s_load_dwordx2);
  load.destination = load.resource = kInput;
  load.sources[1] = kPlace;
  c.add(load).k(Opcode::s_waitcnt, 0, 0).op(Opcode::v_cmp_lt_f64, 0, kInput, v(2));
  c.op(Opcode::v_cvt_i32_f64, 1, kInput).op(Opcode::v_readfirstlane_b32, kPlace, v(1));
  c.op(Opcode::s_and_b32, kPlace, kPlace, lifted::kLiteralCode, 0x7e);
  c.op(Opcode::s_and_b64, kAny, lifted::kVccCode, lifted::kExecCode);
  c.op(Opcode::s_cselect_b32, kPlace, kPlace, number(1)).op(Opcode::v_mov_b32, 1, kPlace);
  c.land(around);
  c.op(Opcode::s_or_b64, lifted::kExecCode, lifted::kExecCode, kOld);
  store_lanes(c, kOutput, 1);
  expect_of_work_items(program_of_bytes(c.end(), 24));
}

// (__global uint *out, uint p) of a kernel whose lanes store v1: 3 at first; v5 is whether the lane's number is odd.
constexpr u16 kOutput = 4, kP = 6, kOld = 8;
lifted::Code odd_lanes() {
  constexpr u16 kKernarg = 0;
  lifted::Code c;
  c.scalar_load(Opcode::s_load_dwordx2, kOutput, kKernarg, 0).scalar_load(Opcode::s_load_dword, kP, kKernarg, 8);
  c.k(Opcode::s_waitcnt, 0, 0).op(Opcode::v_mov_b32, 1, number(3)).op(Opcode::v_and_b32, 5, number(1), v(0));
  return c;
}
// Turns on the lanes that were on, and lets them store.
void expect_odd_lanes_of_work_items(lifted::Code& c) {
  c.op(Opcode::s_or_b64, lifted::kExecCode, lifted::kExecCode, kOld);
  store_lanes(c, kOutput, 1);
  expect_of_work_items(program_of_bytes(c.end(), 16));
}

// A block of a branch to which others come by themselves: `p & 1 || lane & 1` as LLVM has it.
TEST(LiftedProof, ABlockOfABranchMayBeComeToByAnotherWay) {
  lifted::Code c = odd_lanes();
  c.op(Opcode::s_and_b32, kP, kP, number(1));
  const std::size_t all = c.branch(Opcode::s_cbranch_scc1);
  c.op(Opcode::v_cmp_eq_u32, 0, number(1), v(5)).op(Opcode::s_and_saveexec_b64, kOld, lifted::kVccCode);
  const std::size_t some = c.branch(Opcode::s_cbranch_execnz), none = c.branch(Opcode::s_branch);
  c.land(all);
  c.op(Opcode::s_mov_b64, kOld, lifted::kExecCode);
  c.land(some);
  c.op(Opcode::v_mov_b32, 1, number(7));
  c.land(none);
  expect_odd_lanes_of_work_items(c);
}

// All lanes that are enabled take a branch, or none does, on what they alone have made.
TEST(LiftedProof, ABranchOnWhatTheLanesOfAnotherHaveInCommonIsOneOfThose) {
  constexpr u16 kMask = 10;
  lifted::Code c = odd_lanes();
  c.op(Opcode::v_mov_b32, 6, v(0)).op(Opcode::v_cmp_eq_u32, 0, number(1), v(5));
  c.op(Opcode::s_and_saveexec_b64, kOld, lifted::kVccCode);
  const std::size_t none = c.branch(Opcode::s_cbranch_execz);
  c.op(Opcode::v_mov_b32, 6, kP).op(Opcode::v_cmp_lt_u32, 0, number(4), v(6));
  c.op(Opcode::s_mov_b64, kMask, lifted::kVccCode).op(Opcode::v_cvt_f32_u32, 7, v(6));
  c.op(Opcode::v_cmp_gt_f32, 0, kP, v(7)).op(Opcode::s_and_b64, lifted::kVccCode, kMask, lifted::kVccCode);
  c.op(Opcode::v_cndmask_b32, 6, number(0), v(6)).op(Opcode::v_and_b32, 6, number(1), v(6));
  c.op(Opcode::v_cmp_eq_u32, 0, number(1), v(6));
  const std::size_t over = c.branch(Opcode::s_cbranch_vccnz);
  c.op(Opcode::v_mov_b32, 1, number(7));
  c.land(none);
  c.land(over);
  expect_odd_lanes_of_work_items(c);
}

// Lanes of a branch count alike in registers that hold something else for the others, and the first of them is asked
// how far they are: of both words of a sum, as LLVM has it where what it loads is at one place.
TEST(LiftedProof, TheFirstLaneHasWhatTheLanesOfABranchHave) {
  constexpr u16 kCount = 10, kLow = 11, kCarry = 12;
  lifted::Code c = odd_lanes();
  c.op(Opcode::v_mov_b32, 6, v(0)).op(Opcode::v_cmp_eq_u32, 0, number(1), v(5));
  c.op(Opcode::s_and_saveexec_b64, kOld, lifted::kVccCode);
  const std::size_t none = c.branch(Opcode::s_cbranch_execz);
  c.op(Opcode::v_mov_b32, 6, kP).op(Opcode::s_mov_b32, kCount, number(3));
  const std::size_t head = c.here();
  c.op(Opcode::v_add_co_u32, 6, lifted::kLiteralCode, v(6), 0x60000000).op(Opcode::v_mov_b32, 7, number(0));
  c.op(Opcode::v_addc_u32, 7, number(0), v(7)).op(Opcode::v_readfirstlane_b32, kLow, v(6));
  c.op(Opcode::v_readfirstlane_b32, kCarry, v(7)).op(Opcode::v_add_co_u32, 1, kLow, v(1));
  c.op(Opcode::s_lshl_b32, kCarry, kCarry, number(4)).op(Opcode::v_xor_b32, 1, kCarry, v(1));
  c.op(Opcode::s_add_u32, kCount, kCount, lifted::kMinusOne).op(Opcode::s_cmp_lg_u32, 0, kCount, number(0));
  c.branch(Opcode::s_cbranch_scc1, head);
  c.land(none);
  expect_odd_lanes_of_work_items(c);
}

// LLVM adds to the address of the kernarg segment, so that its low word may carry: 96 is more than its alignment.
TEST(LiftedProof, AnArgumentBehindASumThatMayCarryIsAnArgument) {
  constexpr u16 kKernarg = 0, kHere = 12, kValue = 14;
  lifted::Code c;
  c.op(Opcode::s_add_u32, kHere, kKernarg, lifted::kLiteralCode, 96u);
  c.op(Opcode::s_addc_u32, kHere + 1, kKernarg + 1, number(0));
  c.scalar_load(Opcode::s_load_dwordx2, kOutput, kKernarg, 0).scalar_load(Opcode::s_load_dword, kValue, kHere, 16);
  c.k(Opcode::s_waitcnt, 0, 0).op(Opcode::v_mov_b32, 10, kValue);
  store_lanes(c, kOutput, 10);
  const Program program = program_of_bytes(c.end(), 128);
  Diagnostics ignored;
  const lift::Unit unit = lift::lift(program, {}, ignored);
  ASSERT_TRUE(unit.kernels[0].lifted) << unit.kernels[0].refusal->message;
  EXPECT_NE(unit.source.find("at bytes 0, 112"), std::string::npos) << unit.source;
  AMDCOMPAT_NEEDS_OPENCL();
  const LiftProof proof = proof_with(program, unit.source);
  EXPECT_EQ(proof.verdict, Verdict::Proved) << proof.reason << unit.source;
}

}  // namespace
}  // namespace amdcompat::proof_test
