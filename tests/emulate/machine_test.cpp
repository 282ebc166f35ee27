// The interpreter on small programs of our own, and on hostile ones. Words are what LLVM's assembler gives for the
// text beside them; encoding_test checks that for every instruction.
#include <algorithm>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include <amdcompat/emulate.hpp>

namespace amdcompat::emulate::machine_test {
namespace {

struct Finished {
  Report report;
  std::string codes;  // "AC5001 "
  std::string messages;
};

Finished run_words(const std::vector<std::uint32_t>& words, Launch launch, Memory& memory, Limits limits = {}) {
  launch.code = std::as_bytes(std::span(words));
  Diagnostics diagnostics;
  Finished out{run(launch, memory, limits, diagnostics), {}, {}};
  for (const Diagnostic& d : diagnostics.all()) {
    out.codes += code_label(d.code) + " ";
    out.messages += d.message;
  }
  return out;
}

constexpr std::uint32_t kEnd = 0xbf810000;      // s_endpgm
constexpr std::uint32_t kMov = 0x7e000280;      // v_mov_b32 v0, 0
constexpr std::uint32_t kBarrier = 0xbf8a0000;  // s_barrier
constexpr std::uint64_t kBuffer = 0x10000;

Launch with_buffer(std::uint32_t bytes) {
  Launch launch;
  launch.user_sgprs = {static_cast<std::uint32_t>(kBuffer), 0u, bytes, 0x00027facu};
  return launch;
}

TEST(Machine, StoresGoThroughTheDescriptorAndStopAtItsEnd) {
  Memory memory;
  ASSERT_TRUE(memory.map(kBuffer, std::vector<std::byte>(256)));
  Launch launch = with_buffer(128);
  launch.global = launch.local = {64, 1, 1};
  // v_lshlrev_b32 v1, 2, v0; buffer_store_dword v0, v1, s[0:3], 0 offen
  const Finished result = run_words({0x34020082, 0xe0701000, 0x80000001, kEnd}, launch, memory);
  EXPECT_TRUE(result.report.clean());
  EXPECT_EQ(result.report.stores, 32u);  // the other half is past num_records
  for (std::uint32_t n = 0; n < 64; ++n) {
    std::uint32_t value = 0;
    std::memcpy(&value, memory.view(kBuffer + 4 * n, 4).data(), 4);
    EXPECT_EQ(value, n < 32 ? n : 0u);
  }
}

TEST(Machine, CoverageCountsWhatCanBeReachedAndAllWhereJumpsAreComputed) {
  constexpr std::uint32_t kJumpOverOne = 0xbf820001, kSetPc = 0xbe802000;  // s_branch; GFX7: s_setpc_b64 s[0:1]
  const auto count = [](const std::vector<std::uint32_t>& words) {
    return coverage(std::as_bytes(std::span(words)), 4, gcn::Generation::Gfx7, {}).instructions;
  };
  // One word in front of the entry, and another kernel behind.
  EXPECT_EQ(count({kMov, kMov, kJumpOverOne, kBarrier, kMov, kEnd, kMov, kMov, kEnd, kMov}), 4u);
  EXPECT_EQ(count({kMov, kMov, kSetPc, kBarrier, kMov, kEnd, kMov, kMov, kEnd, kMov}), 8u);
}

TEST(Machine, TrapsDoNothingUnlessTheRuntimeHasAHandler) {
  Memory memory;
  constexpr std::uint32_t kTrap = 0xbf920002, kDebugTrap = 0xbf920003;
  Launch launch;
  EXPECT_TRUE(run_words({kTrap, kDebugTrap, kEnd}, launch, memory).report.clean());
  launch.trap_handler = true;
  EXPECT_TRUE(run_words({kDebugTrap, kEnd}, launch, memory).report.clean());
  const Finished stopped = run_words({kDebugTrap, kTrap, kEnd}, launch, memory);
  EXPECT_EQ(stopped.report.outcome, Outcome::Stopped);
  EXPECT_NE(stopped.messages.find("handler ends the queue, at +0x4"), std::string::npos) << stopped.messages;
}

TEST(Machine, HalvesOfABufferLieInPairsWhereTheProcessorPacksThem) {
  // buffer_load_format_d16_xyzw v[1:2], off, s[0:3], 0; buffer_store_dwordx2 v[1:2], off, s[0:3], 0 offset:16
  const std::vector<std::uint32_t> words{0xe02c0000, 0x80000100, 0xe0740010, 0x80000100, kEnd};
  for (const bool packed : {false, true}) {
    SCOPED_TRACE(packed);
    Memory memory;
    std::vector<std::byte> bytes(64);
    for (std::size_t n = 0; n < 8; ++n) bytes[n] = static_cast<std::byte>(n + 1);
    ASSERT_TRUE(memory.map(kBuffer, bytes));
    Launch launch = with_buffer(64);
    launch.user_sgprs[3] = 0x64fac;  // four components of 16 bits, whole numbers
    launch.gfx = gcn::Generation::Gfx8;
    launch.target = find_target(packed ? "gfx810" : "gfx803");
    EXPECT_TRUE(run_words(words, launch, memory).report.clean());
    std::array<std::uint32_t, 2> out{};
    std::memcpy(out.data(), memory.view(kBuffer + 16, 8).data(), 8);
    const std::array<std::uint32_t, 2> pairs{0x04030201, 0x08070605}, apart{0x0201, 0x0403};
    EXPECT_EQ(out, packed ? pairs : apart);
  }
}

TEST(Machine, ImagesInRegistersOf16BitsAreTexelsThatFit) {
  Memory memory;
  ASSERT_TRUE(memory.map(kBuffer, std::vector<std::byte>(256)));
  const auto message = [&](std::uint32_t first, std::uint32_t data_format) {
    Launch launch;
    launch.gfx = gcn::Generation::Gfx9;
    // Two dimensions, one texel of whole numbers.
    launch.user_sgprs = {
        static_cast<std::uint32_t>(kBuffer >> 8), data_format << 20 | 4u << 26, 0u, 9u << 28 | 0xfac, 0u, 0u, 0u, 0u};
    // v_mov_b32 v4, 0; v_mov_b32 v5, 0; v_mov_b32 v1, 0; the instruction, of v1, v[4:5], s[0:7]
    return run_words({0x7e080280, 0x7e0a0280, 0x7e020280, first, 0x80000104, kEnd}, launch, memory).messages;
  };
  constexpr std::uint32_t kLoad = 0xf0001f00, kAtomicAdd = 0xf0481100;
  EXPECT_EQ(message(kLoad, 12), "");
  EXPECT_NE(message(kLoad, 14).find("integers of 32 bits in registers of 16"), std::string::npos);
  EXPECT_NE(message(kAtomicAdd, 4).find("D16 of what is no texel"), std::string::npos);
}

// Sets a numbered register and VCC, compares the first with what VCC got, and halts where they differ.
TEST(Machine, TheLastScalarRegistersOfAnAllocationAreVcc) {
  struct Case {
    gcn::Generation gfx;
    std::uint32_t allocated, number;
    bool same;
  };
  using enum gcn::Generation;
  for (const Case& c : {Case{Gfx6, 16, 14, true},
                        {Gfx6, 24, 22, true},
                        {Gfx6, 24, 14, false},
                        {Gfx6, 104, 102, true},
                        {Gfx7, 16, 14, true},
                        {Gfx8, 16, 14, true},
                        {Gfx8, 96, 94, true},
                        {Gfx8, 112, 98, false}}) {
    SCOPED_TRACE(std::string(gcn::generation_name(c.gfx)) + ", " + std::to_string(c.number));
    Launch launch;
    launch.gfx = c.gfx;
    launch.sgprs = c.allocated;
    Memory memory;
    const std::uint32_t set_number = 0xbe800083 | c.number << 16, set_vcc = 0xbeea0087;  // s_mov_b32 …, 3; …, 7
    const std::uint32_t move = c.gfx == Gfx8 ? 0 : 0x300;  // s_mov_b32 is 3 up to GFX7, 0 on GFX8
    const std::vector<std::uint32_t> words{set_number | move, set_vcc | move, 0xbf068700 | c.number,
                                           0xbf850001,        0xbf8d0001,     kEnd};
    EXPECT_EQ(run_words(words, launch, memory).report.clean(), c.same);
    // And the other way round: what the number is set to is in VCC.
    EXPECT_EQ(run_words({set_vcc | move, set_number | move, 0xbf06836a, 0xbf850001, 0xbf8d0001, kEnd}, launch, memory)
                  .report.clean(),
              c.same);
  }
}

TEST(Machine, AccessesOutsideListedBytesAreReportedWithTheirPlace) {
  Memory memory;
  ASSERT_TRUE(memory.map(kBuffer, std::vector<std::byte>(128)));
  Launch launch = with_buffer(256);
  launch.global = launch.local = {64, 1, 1};
  const Finished result = run_words({0x34020082, 0xe0701000, 0x80000001, kEnd}, launch, memory);
  EXPECT_EQ(result.report.outcome, Outcome::Ended);
  EXPECT_FALSE(result.report.clean());
  EXPECT_EQ(result.report.outside_accesses, 32u);
  ASSERT_EQ(result.report.outside.size(), 1u);
  EXPECT_EQ(result.report.outside[0].offset, 4u);
  EXPECT_EQ(result.report.outside[0].address, kBuffer + 128);
  EXPECT_TRUE(result.report.outside[0].store);
}

// Two wavefronts store 4 * lane at each lane's byte 16 and load it again, and what nothing has stored besides.
TEST(Machine, ScratchMemoryIsTheLanesOwnAndItsPoisonCountsWhereItIsUsed) {
  Memory memory;
  Launch launch;
  launch.gfx = gcn::Generation::Gfx8;
  launch.scratch_bytes = 32;
  launch.scratch_offset = true;
  // Of 16 wavefronts; elements of 4 bytes of 64 lanes, the lane added. s4 is the wavefront's place.
  launch.user_sgprs = {static_cast<std::uint32_t>(kScratchAddress),
                       static_cast<std::uint32_t>(kScratchAddress >> 32) | 1u << 31, 16 * 2048, 0x00ea7fac};
  launch.global = launch.local = {128, 1, 1};
  const std::vector<std::uint32_t> words{
      0x24020082,              // v_lshlrev_b32 v1, 2, v0
      0x7e040288,              // v_mov_b32 v2, 8
      0xe0701008, 0x04000102,  // buffer_store_dword v1, v2, s[0:3], s4 offen offset:8
      0xe0501008, 0x04000302,  // buffer_load_dword v3, v2, s[0:3], s4 offen offset:8
      0xe050000c, 0x04000400,  // buffer_load_dword v4, off, s[0:3], s4 offset:12
      0x7e0a0304,              // v_mov_b32 v5, v4
      0x7d9a0303,              // v_cmp_ne_u32 vcc, v3, v1
      0xbf860001,              // s_cbranch_vccz to the end
      0xbf8d0001,              // s_sethalt 1, which stops the run
      kEnd,
  };
  EXPECT_TRUE(run_words(words, launch, memory).report.clean());
  std::vector<std::uint32_t> used = words;
  used.back() = 0x320c0705;  // v_add_u32 v6, vcc, v5, v3
  used.push_back(kEnd);
  const Report report = run_words(used, launch, memory).report;
  ASSERT_EQ(report.poison.size(), 1u);
  EXPECT_EQ(report.poison[0].what, "v5");
}

TEST(Machine, PoisonIsReportedWhenItIsUsedAndNotWhenItIsMoved) {
  Memory memory;
  // v_mov_b32 v1, v5; v_add_f32 v2, v1, v0
  const Finished result = run_words({0x7e020305, 0x06040101, kEnd}, {}, memory);
  EXPECT_EQ(result.report.poison_reads, 1u);
  ASSERT_EQ(result.report.poison.size(), 1u);
  EXPECT_EQ(result.report.poison[0], (PoisonRead{4, "v1"}));
  // s_mov_b32 s3, s7; s_add_u32 s4, s3, 1; s_cbranch_scc0 0
  const Finished scalar = run_words({0xbe830307, 0x80048103, 0xbf840000, kEnd}, {}, memory);
  ASSERT_EQ(scalar.report.poison.size(), 1u);
  EXPECT_EQ(scalar.report.poison[0], (PoisonRead{4, "s3"}));
  const Finished flag = run_words({0xbf840000, kEnd}, {}, memory);  // s_cbranch_scc0 0
  ASSERT_EQ(flag.report.poison.size(), 1u);
  EXPECT_EQ(flag.report.poison[0].what, "SCC");
}

TEST(Machine, WorkGroupsOfSeveralWavesMeetAtBarriers) {
  Memory memory;
  ASSERT_TRUE(memory.map(kBuffer, std::vector<std::byte>(1024)));
  Launch launch = with_buffer(1024);
  launch.global = launch.local = {256, 1, 1};
  launch.lds_bytes = 1024;
  // Each item stores its number to LDS, waits, and copies what item 255 - i stored:
  const Finished result = run_words({0xbefc03c1,               // s_mov_b32 m0, -1
                                     0x34020082,               // v_lshlrev_b32 v1, 2, v0
                                     0xd8340000, 0x00000001,   // ds_write_b32 v1, v0
                                     kBarrier, 0x4c0402ff, 0x000003fc,   // v_sub_i32 v2, vcc, 0x3fc, v1
                                     0xd8d80000, 0x03000002,   // ds_read_b32 v3, v2
                                     0xe0701000, 0x80000301,   // buffer_store_dword v3, v1, s[0:3], 0 offen
                                     kEnd},
                                    launch, memory);
  EXPECT_TRUE(result.report.clean()) << result.codes;
  for (std::uint32_t n = 0; n < 256; ++n) {
    std::uint32_t value = 0;
    std::memcpy(&value, memory.view(kBuffer + 4 * n, 4).data(), 4);
    EXPECT_EQ(value, 255 - n);
  }
}

TEST(Machine, GroupIdsFollowTheUserRegistersInTheEnabledDimensionsOnly) {
  Memory memory;
  ASSERT_TRUE(memory.map(kBuffer, std::vector<std::byte>(64)));
  Launch launch = with_buffer(64);
  launch.group_id = {false, true, true};
  launch.global = {2, 3, 5};
  // v_mov_b32 v1, s4; v_mov_b32 v2, s5; buffer_store_dword v1, off, s[0:3], 0; the same of v2 at 4
  const Finished result =
      run_words({0x7e020204, 0x7e040205, 0xe0700000, 0x80000100, 0xe0700004, 0x80000200, kEnd}, launch, memory);
  EXPECT_TRUE(result.report.clean());
  std::array<std::uint32_t, 2> last{};
  std::memcpy(last.data(), memory.view(kBuffer, 8).data(), 8);
  EXPECT_EQ(last, (std::array<std::uint32_t, 2>{2, 4}));
}

TEST(Machine, RegistersOfScalarLoadsThatReachNothingArePoisoned) {
  Memory memory;
  ASSERT_TRUE(memory.map(kBuffer, std::vector<std::byte>(8)));
  Launch launch = with_buffer(256);
  // s_load_dwordx4 s[4:7], s[0:1], 0x0; s_add_u32 s8, s5, 1
  const Finished unused = run_words({0xc0820100, 0x80088105, kEnd}, launch, memory);
  EXPECT_TRUE(unused.report.clean());
  ASSERT_EQ(unused.report.outside.size(), 1u);  // a note
  EXPECT_EQ(unused.report.outside[0].address, kBuffer + 8);
  EXPECT_TRUE(unused.report.outside[0].poison);
  // s_add_u32 s8, s6, 1
  const Finished used = run_words({0xc0820100, 0x80088106, kEnd}, launch, memory);
  EXPECT_FALSE(used.report.clean());
  ASSERT_EQ(used.report.poison.size(), 1u);
  EXPECT_EQ(used.report.poison[0], (PoisonRead{4, "s6"}));
}

TEST(Machine, WhatIeeeModeChangesStopsTheRun) {
  Memory memory;
  const auto outcome = [&](std::vector<std::uint32_t> words, bool ieee) {
    Launch launch;
    launch.ieee = ieee;
    words.push_back(kEnd);
    return run_words(words, launch, memory);
  };
  // v_mov_b32 v1, 0x7fa00000, which is a signalling NaN; v_min_f32 v2, v0, v1
  EXPECT_TRUE(outcome({0x7e0202ff, 0x7fa00000, 0x1e040300}, false).report.clean());
  EXPECT_NE(outcome({0x7e0202ff, 0x7fa00000, 0x1e040300}, true).messages.find("signalling NaN"), std::string::npos);
  EXPECT_TRUE(outcome({0x7e0202ff, 0x7fc00000, 0x1e040300}, true).report.clean());  // a quiet one
  // v_add_f32_e64 v2, v0, v0 mul:2
  EXPECT_TRUE(outcome({0xd2060002, 0x08020100}, false).report.clean());
  EXPECT_NE(outcome({0xd2060002, 0x08020100}, true).messages.find("output modifier"), std::string::npos);
}

TEST(Machine, AddressesThatComeRoundToTheBeginningReachNoOtherBytes) {
  Launch launch;
  launch.gfx = gcn::Generation::Gfx7;
  launch.global = launch.local = {64, 1, 1};
  launch.lds_bytes = 64;
  Memory memory;
  ASSERT_TRUE(memory.map(0, std::vector<std::byte>(256)));
  // v_mov_b32 v8, 0; v_mov_b32 v9, 0; flat_load_dword v6, v[8:9]; v_mov_b32 v2, -4; v_mov_b32 v3, -1;
  // v_mov_b32 v4, 1; v_mov_b32 v5, 1; flat_store_dwordx2 v[2:3], v[4:5]
  const Finished flat = run_words({0x7e100280, 0x7e120280, 0xdc300000, 0x06000008, 0x7e0402c4, 0x7e0602c1, 0x7e080281,
                                   0x7e0a0281, 0xdc740000, 0x00000402, kEnd},
                                  launch, memory);
  EXPECT_EQ(flat.report.outside_accesses, 64u);
  EXPECT_EQ(flat.report.stores, 64u);  // the upper dword is at 0
  // s_mov_b32 m0, -1; v_mov_b32 v1, 0; v_mov_b32 v2, 5; ds_write_b32 v1, v2; ds_add_src2_u32 v1 offset:32767, which
  // takes what stands a dword before
  const Finished lds = run_words(
      {0xbefc03c1, 0x7e020280, 0x7e040285, 0xd8340000, 0x00000201, 0xda007fff, 0x00000001, kEnd}, launch, memory);
  EXPECT_EQ(lds.report.outside_accesses, 64u);
}

TEST(Machine, OutputModifiersStopTheRunWhereDenormalsAreKept) {
  Memory memory;
  const auto outcome = [&](std::vector<std::uint32_t> words, std::uint8_t mode) {
    Launch launch;
    launch.float_mode = mode;
    words.push_back(kEnd);
    return run_words(words, launch, memory);
  };
  // v_add_f32_e64 v2, v0, v0 mul:2
  EXPECT_TRUE(outcome({0xd2060002, 0x08020100}, 0xc0).report.clean());
  EXPECT_NE(outcome({0xd2060002, 0x08020100}, 0xf0).messages.find("output modifier"), std::string::npos);
  // v_cvt_f64_f32 v[2:3], v0; v_add_f64 v[4:5], v[2:3], v[2:3] mul:2: doubles have a mode of their own
  EXPECT_TRUE(outcome({0x7e042100, 0xd2c80004, 0x08020502}, 0x30).report.clean());
  EXPECT_NE(outcome({0x7e042100, 0xd2c80004, 0x08020502}, 0xc0).messages.find("output modifier"), std::string::npos);
}

TEST(Machine, WorkItemIdsThatAreNotEnabledArePoisoned) {
  Memory memory;
  Launch launch;
  launch.global = launch.local = {4, 4, 4};
  const std::vector<std::uint32_t> words{0x4a060500, kEnd};  // v_add_i32 v3, vcc, v0, v2
  for (launch.local_ids = 0; launch.local_ids < 3; ++launch.local_ids)
    EXPECT_EQ(run_words(words, launch, memory).report.clean(), launch.local_ids == 2) << launch.local_ids;
}

// What is counted is what takes time: lanes, dwords of loads, and groups that only have to be made.
TEST(Machine, ABudgetEndsEveryRun) {
  Memory memory;
  Launch launch;
  launch.vgprs = 4;
  launch.global = launch.local = {64, 1, 1};
  const Finished lanes = run_words({kMov, 0xbf82fffe}, launch, memory, {.lane_instructions = 100'000});  // s_branch -2
  EXPECT_EQ(lanes.report.outcome, Outcome::Budget);
  EXPECT_EQ(lanes.codes, "AC5004 ");
  EXPECT_NEAR(static_cast<double>(lanes.report.lane_instructions), 100'000, 100);
  EXPECT_EQ(lanes.report.instructions, 2703u);  // 8 and 64 of each second one, 2 of the others
  EXPECT_TRUE(lanes.messages.starts_with("the budget of 100000 lane instructions was spent at +0x")) << lanes.messages;
  // s_mov_b64 exec, 0: instructions of no lane count too
  const Finished none = run_words({0xbefe0480, kMov, 0xbf82fffe}, launch, memory, {.lane_instructions = 100'000});
  EXPECT_EQ(none.report.outcome, Outcome::Budget);
  // s_load_dwordx16 s[16:31], s[0:1], 0: 2 and 16
  launch.user_sgprs.assign(2, 0);
  const Finished loads = run_words({0xc1080100, 0xbf82fffe}, launch, memory, {.lane_instructions = 100'000});
  EXPECT_EQ(loads.report.outcome, Outcome::Budget);
  EXPECT_EQ(loads.report.instructions, 9'999u);
  // One lane: flat_store_dwordx4 v[0:1], v[0:3] is 8 and 4, after s_mov_b64 exec, 1; and 6 for each dword,
  // for which there is no memory.
  launch.gfx = gcn::Generation::Gfx7;
  const Finished stores =
      run_words({0xbefe0481, 0xdc780000, 0x00000000, 0xbf82fffd}, launch, memory, {.lane_instructions = 100'000});
  EXPECT_EQ(stores.report.outcome, Outcome::Budget) << stores.messages;
  EXPECT_NEAR(static_cast<double>(stores.report.instructions), 100'000 * 2 / 38., 50);
  launch.gfx = gcn::Generation::Gfx6;
  launch.global = {1 << 20, 1, 1};
  launch.local = {1, 1, 1};
  launch.vgprs = 256;
  launch.lds_bytes = 65'536;
  const Finished groups = run_words({kEnd}, launch, memory, {.lane_instructions = 1'000'000});
  EXPECT_EQ(groups.report.outcome, Outcome::Budget);
  EXPECT_LT(groups.report.instructions, 300u);
}

TEST(Findings, StopTheRunWithTheirCode) {
  Memory memory;
  EXPECT_EQ(run_words({0xbf9f0000}, {}, memory).codes, "AC5001 ");  // no such SOPP
  EXPECT_EQ(run_words({0xf0880f00, 0x00000000, kEnd}, {}, memory).codes, "AC5002 ");  // image_sample_d
  Launch few;
  few.vgprs = 2;
  EXPECT_EQ(run_words({0x7e0a0280, kEnd}, few, memory).codes, "AC5003 ");  // v_mov_b32 v5, 0
  EXPECT_EQ(run_words({kMov}, {}, memory).codes, "AC5003 ");  // runs off the end
  EXPECT_EQ(run_words({0xbf82ffff}, {}, memory, {.lane_instructions = 1000}).codes, "AC5004 ");  // s_branch -1
  Launch empty;
  empty.global = {0, 1, 1};
  EXPECT_EQ(run_words({kEnd}, empty, memory).codes, "AC5005 ");
}

// Every instruction of GFX8 that has such a form.
TEST(Findings, SdwaAndDppAreExecutedUnlessTheirFieldsMeanNothing) {
  Memory memory;
  Launch launch;
  launch.gfx = gcn::Generation::Gfx8;
  // v_mov_b32 v1, 0; v_mov_b32_dpp v0, v0 row_shl:1 row_mask:0xa bank_mask:0x1 bound_ctrl:0; the same with row_shl:0.
  EXPECT_EQ(run_words({0x7e020280, 0x7e0002fa, 0xa1090100, kEnd}, launch, memory).codes, "");
  EXPECT_EQ(run_words({0x7e020280, 0x7e0002fa, 0xa1090000 | 0x10000, kEnd}, launch, memory).codes, "AC5003 ");
  // v_mov_b32_sdwa v1, v0 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:DWORD; with numbers that name nothing.
  EXPECT_EQ(run_words({0x7e0202f9, 0x06060000, kEnd}, launch, memory).codes, "");
  for (const std::uint32_t wrong : {0x06070000u, 0x06060700u, 0x06061800u})
    EXPECT_EQ(run_words({0x7e0202f9, wrong, kEnd}, launch, memory).codes, "AC5003 ");

  // v_add_u32_dpp v0, vcc, v0, v0 row_shl:1: the last lane's bit of VCC no document tells; with bound_ctrl it has one.
  EXPECT_EQ(run_words({0x320000fa, 0xff010100, kEnd}, launch, memory).codes, "AC5003 ");
  EXPECT_EQ(run_words({0x320000fa, 0xff090100, kEnd}, launch, memory).codes, "");
  EXPECT_EQ(run_words({0x4c0000f0, kEnd}, launch, memory).codes, "AC5003 ");  // v_add_u16 v0, 0.5, v0

  const auto runs = [&](const gcn::Row& row, gcn::Variant variant, const char* suffix) {
    gcn::Instruction i;
    i.row = &row;
    i.opcode = row.opcode;
    i.format = row.format;
    i.variant = variant;
    i.scalar_destination = gcn::kVcc;
    i.sources[0] = gcn::kFirstVector;
    i.bound_control = variant == gcn::Variant::Dpp;
    i.row_mask = i.bank_mask = variant == gcn::Variant::Dpp ? 15 : 0;
    if (row.format != gcn::Format::Vop1) i.sources[1] = gcn::kFirstVector;
    const auto encoded = gcn::encode(i, launch.gfx);
    ASSERT_TRUE(encoded) << row.name << suffix;
    std::vector<std::uint32_t> words(encoded->words.begin(), encoded->words.begin() + encoded->dwords);
    words.push_back(kEnd);
    const Finished result = run_words(words, launch, memory);
    EXPECT_EQ(result.report.outcome, Outcome::Ended) << row.name << suffix << ": " << result.messages;
  };
  std::size_t forms = 0;
  for (const gcn::Row& row : gcn::rows()) {
    if (!row.on(launch.gfx)) continue;
    if (row.has(gcn::Form::Sdwa)) runs(row, gcn::Variant::Sdwa, "_sdwa");
    if (row.has(gcn::Form::Dpp)) runs(row, gcn::Variant::Dpp, "_dpp");
    forms += row.has(gcn::Form::Sdwa) + row.has(gcn::Form::Dpp);
  }
  EXPECT_GT(forms, 300u);
}

TEST(Run, TimePassesWithInstructions) {
  struct Last : Observer {
    std::array<std::uint32_t, 4> times{};
    void before(const gcn::Instruction& i, const View& view) override {
      if (i.opcode == gcn::Opcode::s_endpgm) std::copy_n(view.sgprs.begin(), 4, times.begin());
    }
  } last;
  // s_memtime s[0:1]; s_nop; s_nop; s_memtime s[2:3]
  const std::uint32_t words[] = {0xc7800000, 0xbf800000, 0xbf800000, 0xc7810000, kEnd};
  Launch launch;
  launch.code = std::as_bytes(std::span(words));
  Memory memory;
  Diagnostics diagnostics;
  EXPECT_TRUE(run(launch, memory, {}, diagnostics, &last).clean());
  EXPECT_EQ(last.times[1], 0u);
  EXPECT_EQ(last.times[2], last.times[0] + 3);
}

TEST(Findings, RelativeRegistersStopWhereTheyMeanNothing) {
  Memory memory;
  Launch launch;
  launch.gfx = gcn::Generation::Gfx8;
  launch.vgprs = 4;
  constexpr std::uint32_t kSource0 = 0xbf110180, kSource2 = 0xbf110480, kFar = 0xbf110184;  // s_set_gpr_idx_on
  constexpr std::uint32_t kOff = 0xbf9c0000, kFirstLane = 0x7e000500, kMac = 0x2c000100, kMove = 0x7e020300;
  EXPECT_EQ(run_words({kSource0, kMove, kEnd}, launch, memory).codes, "");
  EXPECT_EQ(run_words({kFar, kMove, kEnd}, launch, memory).codes, "AC5003 ");  // v4 does not exist
  EXPECT_EQ(run_words({kFar, kOff, kMove, kEnd}, launch, memory).codes, "");
  EXPECT_EQ(run_words({kSource0, kFirstLane, kEnd}, launch, memory).codes, "AC5003 ");
  EXPECT_EQ(run_words({kSource0, kMac, kEnd}, launch, memory).codes, "");
  EXPECT_EQ(run_words({kSource2, kMac, kEnd}, launch, memory).codes, "AC5003 ");
  EXPECT_EQ(run_words({kSource0, 0x7e0202f9, 0x06060000, kEnd}, launch, memory).codes, "AC5003 ");  // SDWA
}

TEST(Hostile, RandomWordsNeitherCrashNorHang) {
  std::mt19937 random(11);
  const auto rows = gcn::rows();
  for (int n = 0; n < 8000; ++n) {
    Launch launch = with_buffer(256);
    launch.gfx = static_cast<gcn::Generation>(n % 4);
    launch.global = launch.local = {static_cast<std::uint32_t>(random() % 130 + 1), 1, 1};
    launch.lds_bytes = random() % 2 == 0 ? 0 : 512;
    launch.scratch_bytes = random() % 2 == 0 ? 0 : 64;
    launch.gds.resize(random() % 2 == 0 ? 0 : 256);
    launch.vgprs = static_cast<std::uint32_t>(1 + random() % 256);
    launch.sgprs = static_cast<std::uint32_t>(random() % 105);
    Memory memory;
    ASSERT_TRUE(memory.map(kBuffer, std::vector<std::byte>(256)));
    const auto all = gcn::formats(launch.gfx);
    std::vector<std::uint32_t> words(1 + random() % 40);
    for (std::uint32_t& word : words) {
      word = static_cast<std::uint32_t>(random());
      if (random() % 4 == 0) continue;
      // A real opcode with random operands gets further.
      const gcn::FormatInfo& format = all[random() % all.size()];
      for (int tries = 0; tries < 60; ++tries) {
        const gcn::Row& row = rows[random() % rows.size()];
        if (row.format != format.format || !row.on(launch.gfx)) continue;
        word = (word & 0x00ffffff & ~(((1u << format.opcode_width) - 1) << format.opcode_bit)) | format.value |
               std::uint32_t{row.number} << format.opcode_bit;
        break;
      }
    }
    const Finished result = run_words(words, launch, memory, {.lane_instructions = 5000});
    EXPECT_LE(result.report.instructions, 5000u);
    EXPECT_LE(result.report.poison.size(), Limits{}.findings);
    for (std::uint32_t at = 0; at < words.size() * 4; at += 4)
      EXPECT_FALSE(gcn::disassemble(gcn::decode(std::as_bytes(std::span(words)), at, launch.gfx), launch.gfx).empty());
  }
}

}  // namespace
}  // namespace amdcompat::emulate::machine_test
