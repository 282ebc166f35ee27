// Counters of OpenCL 1.x, which the lift's host passes as buffers of one number. No file with code that uses them was
// found: it is written by hand, and compared with what the interpreter makes of the instructions (docs/emulate.md).
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <amdcompat/open.hpp>
#include <amdcompat/prove.hpp>

#include "../emulate/counting_code.hpp"
#include "small_program.hpp"

namespace amdcompat_test::lifted::counters_test {
namespace {

using amdcompat::Diagnostics;
using amdcompat::Program;
namespace lift = amdcompat::lift;

// Words in front of what counts: M0, descriptor of `data`, v0 = the byte offset of data[i]. Then v1 goes there.
constexpr std::size_t kPrologue = 11;
constexpr u32 kStore[] = {0xbf8c007f, 0xe0701000, 0x80040100, 0xbf810000};
constexpr u16 kOn = 32, kBefore = 5;

Instruction counting(const Code& c, Opcode opcode, u16 to, u32 offset) {
  Instruction i = c.make(opcode);
  i.destination = to;
  i.offset0 = static_cast<u8>(offset);
  i.gds = true;
  return i;
}
// v1 = what was there for one lane after the other: v1 and the number of lanes before it.
Code& number_lanes(Code& c, bool down) {
  c.k(Opcode::s_waitcnt, 0, 0);
  c.op(Opcode::v_mov_b32, kBefore, number(0)).op(Opcode::v_mbcnt_lo_u32_b32, kBefore, kExecCode, v(kBefore));
  c.op(Opcode::v_mbcnt_hi_u32_b32, kBefore, kExecCode + 1, v(kBefore));
  return c.op(down ? Opcode::v_sub_co_u32 : Opcode::v_add_co_u32, 1, v(1), v(kBefore));
}

Program opened(const std::vector<std::byte>& bytes) {
  Diagnostics diagnostics;
  return amdcompat::open({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, diagnostics).value().program;
}
Program program_of(const Code& code, std::string_view arguments = kCounters,
                   u32 data_class = amdcompat::cl1::kClassGdsCounters, std::string_view region = "0") {
  Words words(std::begin(kCountCode), std::begin(kCountCode) + kPrologue);
  words.insert(words.end(), code.words().begin(), code.words().end());
  words.insert(words.end(), std::begin(kStore), std::end(kStore));
  return opened(counting_container(words, data_class, arguments, region));
}
Code gfx6() { return Code(Generation::Gfx6); }

struct Counted {
  Words data;
  u32 taken = 0, added = 0;
};
constexpr u32 kItems = 192, kTaken = 500, kAdded = 7;
std::vector<std::byte> bytes_of(std::span<const u32> words) {
  const auto bytes = std::as_bytes(words);
  return {bytes.begin(), bytes.end()};
}
// Three groups of 64 work-items.
Counted run(const std::string& source) {
  opencl::Launch launch{.kernel = "scale", .global = {kItems, 1, 1}, .local = {64, 1, 1}};
  launch.arguments.emplace_back(opencl::Buffer{bytes_of(Words(kItems))});
  for (const u32 begin : {kTaken, kAdded}) launch.arguments.emplace_back(opencl::Buffer{bytes_of({{begin}})});
  opencl::Request request{.source = source};
  request.launches.push_back(std::move(launch));
  const opencl::Result result = opencl::run(request);
  EXPECT_EQ(result.build, opencl::Status::Ok) << result.message << result.log << source;
  if (result.launches.empty() || result.launches[0].buffers.size() != 3) {
    ADD_FAILURE() << source;
    return {.data = Words(kItems)};
  }
  const auto& buffers = result.launches[0].buffers;
  return {words_of(buffers[0]), words_of(buffers[1])[0], words_of(buffers[2])[0]};
}
lift::Unit lifted_as(const Program& program, lift::Form form, std::optional<lift::Form> asked = {}) {
  Diagnostics diagnostics;
  lift::Unit unit = lift::lift(program, {.form = asked}, diagnostics);
  for (const auto& d : diagnostics.all()) ADD_FAILURE() << d.message;
  EXPECT_TRUE(unit.kernels.front().lifted);
  EXPECT_EQ(unit.kernels.front().form, form) << unit.source;
  return unit;
}

TEST(LiftedCounters, ThatAllLanesAreToldOfAreCountedByWavefronts) {
  const Program program = opened(counting_container(kCountCode, amdcompat::cl1::kClassGdsCounters, kCounters));
  const lift::Unit unit = lifted_as(program, lift::Form::Wave);
  AMDCOMPAT_NEEDS_OPENCL();
  const Counted out = run(unit.source);
  Words found = out.data;
  std::ranges::sort(found);
  Words expected;
  for (u32 i = 0; i < kItems; ++i) expected.push_back((kAdded + i / 64 * 64) | (kTaken - i / 64 * 64) << 16);
  std::ranges::sort(expected);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(out.taken, kTaken - kItems);
  EXPECT_EQ(out.added, kAdded + kItems);
}
TEST(LiftedCounters, ThatNumberLanesAreEachWorkItemsOwn) {
  for (const bool down : {false, true}) {
    SCOPED_TRACE(down);
    Code c = gfx6();
    c.add(counting(c, down ? Opcode::ds_consume : Opcode::ds_append, 1, down ? 0 : 4));
    const Program program = program_of(number_lanes(c, down));
    for (const lift::Form form : {lift::Form::WorkItem, lift::Form::Wave}) {
      const lift::Unit unit = lifted_as(program, form, form);
      if (form == lift::Form::WorkItem) {
        EXPECT_NE(unit.source.find(down ? "atomic_sub(taken, 1u)" : "atomic_add(added, 1u)"), std::string::npos)
            << unit.source;
      }
      AMDCOMPAT_NEEDS_OPENCL();
      Counted out = run(unit.source);
      std::ranges::sort(out.data);
      Words expected(kItems);
      std::iota(expected.begin(), expected.end(), down ? kTaken - kItems + 1 : kAdded);
      EXPECT_EQ(out.data, expected) << unit.source;
      EXPECT_EQ(out.taken, down ? kTaken - kItems : kTaken);
      EXPECT_EQ(out.added, down ? kAdded : kAdded + kItems);
    }
  }
}
TEST(LiftedCounters, CountTheLanesThatAreOn) {
  Code c = gfx6();
  c.op(Opcode::v_mov_b32, 1, kMinusOne).op(Opcode::v_mov_b32, 6, number(0));
  c.op(Opcode::v_mbcnt_lo_u32_b32, 6, kMinusOne, v(6)).op(Opcode::v_mbcnt_hi_u32_b32, 6, kMinusOne, v(6));
  c.op(Opcode::v_and_b32, 6, number(3), v(6));
  c.op(Opcode::v_cmp_ne_u32, 0, number(0), v(6)).op(Opcode::s_and_saveexec_b64, kOn, kVccCode);
  const auto nobody = c.branch(Opcode::s_cbranch_execz);
  c.add(counting(c, Opcode::ds_append, 1, 4));
  number_lanes(c, false);
  c.land(nobody);
  c.op(Opcode::s_mov_b64, kExecCode, kOn);
  const Program program = program_of(c);
  for (const lift::Form form : {lift::Form::WorkItem, lift::Form::Wave}) {
    const lift::Unit unit = lifted_as(program, form, form);
    AMDCOMPAT_NEEDS_OPENCL();
    Counted out = run(unit.source);
    for (u32 i = 0; i < kItems; ++i) EXPECT_EQ(out.data[i] == ~0u, i % 4 == 0) << i;
    std::ranges::sort(out.data);
    Words expected(kItems * 3 / 4);
    std::iota(expected.begin(), expected.end(), kAdded);
    expected.resize(kItems, ~0u);
    EXPECT_EQ(out.data, expected) << unit.source;
    EXPECT_EQ(out.added, kAdded + kItems * 3 / 4);
  }
}
TEST(LiftedCounters, AreChangedByOtherAtomicOperationsToo) {
  Code c = gfx6();
  c.op(Opcode::v_mov_b32, 2, number(4)).op(Opcode::v_mov_b32, 3, number(5));
  Instruction i = c.make(Opcode::ds_add_u32);
  i.gds = true;
  i.address = 2;
  i.data = 3;
  c.add(i).op(Opcode::v_mov_b32, 1, number(9));
  const lift::Unit unit = lifted_as(program_of(c), lift::Form::WorkItem);
  AMDCOMPAT_NEEDS_OPENCL();
  const Counted out = run(unit.source);
  EXPECT_EQ(out.data, Words(kItems, 9));
  EXPECT_EQ(out.added, kAdded + 5 * kItems);
}
TEST(LiftedCounters, AreProvedByLaunchesThatTellNoOrder) {
  Code c = gfx6();
  c.add(counting(c, Opcode::ds_append, 1, 4));
  const Program program = program_of(number_lanes(c, false));
  const lift::Unit unit = lifted_as(program, lift::Form::WorkItem);
  AMDCOMPAT_NEEDS_OPENCL();
  const amdcompat::emulate::LiftProof proof = amdcompat::emulate::prove_lifted(program, 0, unit.source, {});
  EXPECT_EQ(proof.verdict, amdcompat::emulate::Verdict::Proved) << proof.reason << unit.source;
}
TEST(LiftedCounters, AreRefusedWhereTheyAreNotCertain) {
  const auto refusal = [](const Program& program) {
    Diagnostics diagnostics;
    const lift::Unit unit = lift::lift(program, {.form = lift::Form::Wave}, diagnostics);
    EXPECT_FALSE(unit.kernels.front().lifted) << unit.source;
    return diagnostics.all().empty() ? std::string() : diagnostics.all()[0].message;
  };
  const auto append = [](u32 offset, bool other_range = false) {
    Code c = gfx6();
    if (other_range) c.op(Opcode::s_mov_b32, kM0Code, kLiteralCode, 0, 0x40);
    c.add(counting(c, Opcode::ds_append, 1, offset));
    return c;
  };
  EXPECT_EQ(refusal(program_of(append(8))), "accesses GDS at byte 8, where no argument has its counter");
  EXPECT_EQ(refusal(program_of(append(2))), "accesses GDS at byte 2, where no argument has its counter");
  EXPECT_EQ(refusal(program_of(append(4, true))), "accesses GDS of which it is not certain that it holds the counters");
  EXPECT_EQ(refusal(program_of(append(4), ";counter:taken:32:0:1:16\n;counter:added:64:1:1:32\n")),
            "uses counters of 32 and of 64 bits beside each other");
  Code c = gfx6();
  Instruction i = c.make(Opcode::ds_add_u32);
  i.gds = true;
  i.data = 3;
  EXPECT_EQ(refusal(program_of(c.add(i))), "accesses GDS at an address that is known only when it runs");
  EXPECT_EQ(refusal(program_of(append(0), "", amdcompat::cl1::kClassGdsMemory, "32")),
            "starts with user data of class 0x8 (IMM_GDS_MEMORY_RANGE)");
}

}  // namespace
}  // namespace amdcompat_test::lifted::counters_test
