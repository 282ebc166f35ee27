// Large launches whose groups are divided among threads: reports and memory are those of one thread.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <amdcompat/emulate.hpp>

namespace amdcompat::emulate {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::uint64_t kBuffer = 0x10000;
constexpr std::uint32_t kGroups = 4096, kBytes = kGroups * 256 + 2048;

// v0 is the local id, s[0:3] a descriptor of the buffer, s4 the group's id.
//
// s_movk_i32 s5, 60; v_mov_b32 v1, v0; loop: v_add_i32 v1, vcc, v1, v0; v_xor_b32 v1, v1, v0; s_sub_u32 s5, s5, 1;
// s_cmp_lg_u32 s5, 0; s_cbranch_scc1 loop; s_lshl_b32 s6, s4, 8; v_lshl_b32 v2, v0, 2; v_add_i32 v2, vcc, s6, v2
const Words kLoop{0xb005003c, 0x7e020300, 0x4a020101, 0x3a020101, 0x80858105, 0xbf078005,
                  0xbf85fffb, 0x8f068804, 0xd2320002, 0x00010500, 0x4a040406};

struct Finished {
  Report report;
  std::string messages;
  std::vector<std::byte> memory;
  std::uint64_t written = 0;
};
Finished run_in(unsigned threads, const Words& rest, Limits limits) {
  Words words = kLoop;
  words.insert(words.end(), rest.begin(), rest.end());
  words.push_back(0xbf810000);
  Launch launch;
  launch.code = std::as_bytes(std::span(words));
  launch.user_sgprs = {static_cast<std::uint32_t>(kBuffer), 0u, kBytes, 0x00027facu};
  launch.group_id[0] = true;
  launch.global = {64 * kGroups, 1, 1};
  launch.local = {64, 1, 1};
  launch.vgprs = 12;
  Memory memory;
  memory.map(kBuffer, std::vector<std::byte>(kBytes));
  limits.threads = threads;
  Diagnostics diagnostics;
  Finished out;
  out.report = run(launch, memory, limits, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) out.messages += d.message + "\n";
  out.memory = memory.ranges()[0].bytes;
  out.written = memory.ranges()[0].written;
  return out;
}

struct Case {
  const char* name;
  Words words;
  Outcome outcome;
  Limits limits{};
};
class Threads : public testing::TestWithParam<Case> {};

TEST_P(Threads, GiveTheResultOfOne) {
  const Finished one = run_in(1, GetParam().words, GetParam().limits);
  EXPECT_EQ(one.report.outcome, GetParam().outcome) << one.messages;
  for (const unsigned threads : {2u, 3u, 0u}) {
    SCOPED_TRACE(threads);
    const Finished many = run_in(threads, GetParam().words, GetParam().limits);
    EXPECT_EQ(many.messages, one.messages);
    EXPECT_TRUE(many.memory == one.memory);
    EXPECT_EQ(many.written, one.written);
    const Report &a = many.report, &b = one.report;
    EXPECT_EQ(a.outcome, b.outcome);
    EXPECT_EQ(a.instructions, b.instructions);
    EXPECT_EQ(a.lane_instructions, b.lane_instructions);
    EXPECT_EQ(a.stores, b.stores);
    EXPECT_EQ(a.out_of_range, b.out_of_range);
    EXPECT_EQ(a.poison_reads, b.poison_reads);
    EXPECT_EQ(a.outside_accesses, b.outside_accesses);
    EXPECT_EQ(a.reached, b.reached);
    EXPECT_EQ(a.poison, b.poison);
    ASSERT_EQ(a.outside.size(), b.outside.size());
    for (std::size_t n = 0; n < a.outside.size(); ++n) {
      EXPECT_EQ(a.outside[n].offset, b.outside[n].offset);
      EXPECT_EQ(a.outside[n].address, b.outside[n].address);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Launches, Threads,
    testing::Values(
        // buffer_store_dword v1, v2, s[0:3], 0 offen
        Case{"OfGroupsThatStoreBesideEachOther", {0xe0701000, 0x80000102}, Outcome::Ended},
        // v_mov_b32 v3, 1; buffer_atomic_add v3, off, s[0:3], 0 glc;
        // buffer_store_dword v3, v2, s[0:3], 0 offen offset:4
        Case{"OfGroupsThatCount", {0x7e060281, 0xe0c84000, 0x80000300, 0xe0701004, 0x80000302}, Outcome::Ended},
        // buffer_load_dword v3, v2, s[0:3], 0 offen; v_add_i32 v3, vcc, v3, v1;
        // buffer_store_dword v3, v2, s[0:3], 0 offen offset:256
        Case{"OfGroupsThatReadWhatTheOneBeforeStored",
             {0xe0301000, 0x80000302, 0x4a060303, 0xe0701100, 0x80000302},
             Outcome::Ended},
        // buffer_load_ubyte v3, v2, s[0:3], 0 offen; v_add_i32 v3, vcc, v3, v1;
        // buffer_store_byte v3, v2, s[0:3], 0 offen offset:256
        Case{"OfGroupsThatReadBytesThatTheOneBeforeStored",
             {0xe0201000, 0x80000302, 0x4a060303, 0xe0601100, 0x80000302},
             Outcome::Ended},
        // From group 3500 on: buffer_load_dword v3, v2, s[0:3], 0 offen; v_add_i32 v1, vcc, v3, v1.
        // s_movk_i32 s7, 3500; s_cmp_lt_u32 s4, s7; s_cbranch_scc1 3; …; buffer_store_dword v1, v2, s[0:3], 0 offen
        // offset:256
        Case{"OfWhichOnlyTheLastReadWhatTheOneBeforeStored",
             {0xb0070dac, 0xbf0a0704, 0xbf850003, 0xe0301000, 0x80000302, 0x4a020303, 0xe0701100, 0x80000102},
             Outcome::Ended},
        // From group 1000 on five times as much: s_movk_i32 s5, 300; s_movk_i32 s7, 1000; s_cmp_lt_u32 s4, s7;
        // s_cbranch_scc1 4; v_xor_b32 v1, v1, v0; s_sub_u32 s5, s5, 1; s_cmp_lg_u32 s5, 0; s_cbranch_scc1 -4;
        // buffer_store_dwordx2 v[1:2], v2, s[0:3], 0 offen
        Case{"OfWhichLaterGroupsDoMore",
             {0xb005012c, 0xb00703e8, 0xbf0a0704, 0xbf850004, 0x3a020101, 0x80858105, 0xbf078005, 0xbf85fffc,
              0xe0741000, 0x80000102},
             Outcome::Ended},
        // s_memtime s[8:9]; s_waitcnt lgkmcnt(0); v_mov_b32 v1, s8; buffer_store_dword v1, v2, s[0:3], 0 offen
        Case{"OfGroupsThatAskForTheTime", {0xc7840000, 0xbf8c007f, 0x7e020208, 0xe0701000, 0x80000102}, Outcome::Ended},
        // Group 3000: s_sethalt 1. s_movk_i32 s7, 3000; s_cmp_lg_u32 s4, s7; s_cbranch_scc1 1; s_sethalt 1;
        // buffer_store_dword v1, v2, s[0:3], 0 offen
        Case{"OfWhichOneGroupStops",
             {0xb0070bb8, 0xbf070704, 0xbf850001, 0xbf8d0001, 0xe0701000, 0x80000102},
             Outcome::Stopped},
        // From group 600 on: v_add_i32 v1, vcc, v9, v1; v_add_i32 v1, vcc, v8, v1. Some of them store out of range.
        // s_movk_i32 s7, 600; s_cmp_lt_u32 s4, s7; s_cbranch_scc1 2; …; buffer_store_dword v1, v2, s[0:3], 0 offen;
        // buffer_store_dword v1, v2, s[0:3], 0 offen offset:4032
        Case{"OfWhichLaterGroupsHaveFindings",
             {0xb0070258, 0xbf0a0704, 0xbf850002, 0x4a020309, 0x4a020308, 0xe0701000, 0x80000102, 0xe0701fc0,
              0x80000102},
             Outcome::Ended},
        Case{"ThatSpendTheirBudget", {0xe0701000, 0x80000102}, Outcome::Budget, {.lane_instructions = 30'000'000}}),
    [](const testing::TestParamInfo<Case>& the_case) { return std::string(the_case.param.name); });

}  // namespace
}  // namespace amdcompat::emulate
