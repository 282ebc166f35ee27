// Races between work-items of a group: those that there are, and none where accesses have an order.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <amdcompat/emulate.hpp>

namespace amdcompat::emulate::races_test {
namespace {

constexpr std::uint64_t kBuffer = 0x10000;
constexpr std::array<std::uint64_t, 3> kNone{};

// Groups of `items`, with v0 the local id and s[0:3] the descriptor of a buffer.
Report races_of(std::vector<std::uint32_t> words, std::uint32_t items, std::uint32_t bytes = 4096,
                std::uint32_t groups = 1) {
  words.push_back(0xbf810000);
  Launch launch;
  launch.code = std::as_bytes(std::span(words));
  launch.user_sgprs = {static_cast<std::uint32_t>(kBuffer), 0u, bytes, 0x00027facu};
  launch.lds_bytes = 1024;
  launch.group_id[0] = true;
  launch.local = {items, 1, 1};
  launch.global = {items * groups, 1, 1};
  Memory memory;
  memory.map(kBuffer, std::vector<std::byte>(bytes));
  Diagnostics diagnostics;
  const Report report = run(launch, memory, {.races = true}, diagnostics);
  EXPECT_EQ(report.outcome, Outcome::Ended);
  return report;
}
using enum Race::Between;
bool holds(const Report& report, std::uint32_t offset, std::uint32_t other, Race::Between between) {
  return std::ranges::any_of(report.races, [&](const Race& race) {
    return race.offset == offset && race.other == other && race.between == between;
  });
}

// s_mov_b32 m0, -1; v_lshlrev_b32 v1, 2, v0; ds_write_b32 v1, v0; s_barrier; ds_read_b32 v2, v1 offset:4;
// s_waitcnt lgkmcnt(0)
const std::vector<std::uint32_t> kReadNeighbour{0xbefc03c1, 0x34020082, 0xd8340000, 0x00000001,
                                                0xbf8a0000, 0xd8d80004, 0x02000001, 0xbf8c007f};

TEST(Races, AreFoundWhereABarrierIsMissing) {
  std::vector<std::uint32_t> words = kReadNeighbour;
  words.insert(words.end(), {0xd8340000, 0x00000201});  // ds_write_b32 v1, v2
  const Report report = races_of(words, 128);
  EXPECT_TRUE(holds(report, 0x20, 0x14, Items));  // item 63 reads what item 64 of the other wavefront overwrites
  EXPECT_TRUE(holds(report, 0x20, 0x14, ItemsInStep));  // the others read and write in one wavefront
  EXPECT_EQ(report.races.size(), 2u);
  EXPECT_GT(report.races_found[1], report.races_found[0]);
  EXPECT_EQ(report.races_found[2], 0u);
  for (const Race& race : report.races) {
    EXPECT_TRUE(race.lds);
    EXPECT_TRUE(race.stores);
  }
  EXPECT_FALSE(report.races_missed);
}

TEST(Races, AreNoneBehindABarrier) {
  std::vector<std::uint32_t> words = kReadNeighbour;
  words.insert(words.end(), {0xbf8a0000, 0xd8340000, 0x00000201});  // s_barrier; ds_write_b32 v1, v2
  const Report report = races_of(words, 128);
  EXPECT_EQ(report.races_found, kNone);
}

TEST(Races, OfStoresCountWhereValuesDiffer) {
  // v_mov_b32 v1, 7; buffer_store_dword v1, off, s[0:3], 0
  EXPECT_EQ(races_of({0x7e020287, 0xe0700000, 0x80000100}, 128).races_found, kNone);
  // buffer_store_dword v0, off, s[0:3], 0 offset:4
  const Report report = races_of({0xe0700004, 0x80000000}, 64);
  EXPECT_TRUE(holds(report, 0, 0, Items)) << "lanes of one instruction have no order";
  ASSERT_EQ(report.races.size(), 1u);
  EXPECT_EQ(report.races[0].address, kBuffer + 4);
}

TEST(Races, AreNoneBetweenAtomicAccessesButBetweenThemAndOthers) {
  // v_mov_b32 v1, 1; buffer_atomic_add v1, off, s[0:3], 0 offset:8
  const std::vector<std::uint32_t> count{0x7e020281, 0xe0c80008, 0x80000100};
  EXPECT_EQ(races_of(count, 128).races_found, kNone);
  std::vector<std::uint32_t> words = count;
  words.insert(words.end(), {0xe0300008, 0x80000200});  // buffer_load_dword v2, off, s[0:3], 0 offset:8
  const Report report = races_of(words, 128);
  EXPECT_TRUE(holds(report, 0xc, 0x4, ItemsInStep));
  EXPECT_TRUE(holds(report, 0x4, 0xc, Items));  // of the second wavefront, behind loads of the first one
}

TEST(Races, BetweenGroupsAreNoneOfBarriers) {
  // v_mov_b32 v1, s4; buffer_store_dword v1, off, s[0:3], 0 offset:4; s_barrier
  const Report stores = races_of({0x7e020204, 0xe0700004, 0x80000100, 0xbf8a0000}, 64, 4096, 3);
  EXPECT_TRUE(holds(stores, 0x4, 0x4, Groups));
  EXPECT_EQ(stores.races_found, (std::array<std::uint64_t, 3>{0, 0, 2}));
  // buffer_load_dword v2, off, s[0:3], 0 offset:4; s_barrier, and the store: what groups before have loaded changes
  const Report loads = races_of({0xe0300004, 0x80000200, 0xbf8a0000, 0x7e020204, 0xe0700004, 0x80000100}, 64, 4096, 3);
  EXPECT_TRUE(holds(loads, 0x10, 0x0, Groups));
  EXPECT_TRUE(holds(loads, 0x0, 0x10, Groups));
}

TEST(Races, OfMoreMemoryThanIsWatchedAreSaidToBeMissed) {
  // v_lshlrev_b32 v1, 13, v0; s_movk_i32 s5, 65; loop: buffer_store_dword v0, v1, s[0:3], 0 offen;
  // v_add_i32 v1, vcc, 64, v1; s_sub_u32 s5, s5, 1; s_cmp_lg_u32 s5, 0; s_cbranch_scc1 loop
  const std::vector<std::uint32_t> words{0x3402008d, 0xb0050041, 0xe0701000, 0x80000001,
                                         0x4a0202c0, 0x80858105, 0xbf078005, 0xbf85fffa};
  EXPECT_FALSE(races_of(words, 512, 1 << 23).races_missed);
  EXPECT_TRUE(races_of(words, 1024, 1 << 23).races_missed);
}

}  // namespace
}  // namespace amdcompat::emulate::races_test
