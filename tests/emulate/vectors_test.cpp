// Programs around every instruction that is executed: see vectors.hpp.
#include <algorithm>
#include <cstdio>
#include <set>

#include <gtest/gtest.h>

#include "vectors.hpp"

namespace amdcompat::emulate::vectors {
namespace {

u32 seed_of(string_view name, Generation gfx, bool vop3, u32 round) {
  u32 hash = 2166136261;  // FNV-1a: the same everywhere
  for (const char c : name) hash = (hash ^ static_cast<u8>(c)) * 16777619;
  return hash + static_cast<u32>(gfx) * 1000003 + (vop3 ? 500009 : 0) + round * 7919;
}

void try_rows(const std::set<Format>& wanted) {
  u32 programs = 0, rows = 0;
  for (const Generation gfx : {Generation::Gfx6, Generation::Gfx7, Generation::Gfx8})
    for (const Row& row : rows_of(gfx)) {
      if (!wanted.contains(row.format)) continue;
      const auto reference = references().find(row.name);
      if (reference == references().end()) continue;  // another test says so
      ++rows;
      std::string problem;
      for (u32 vop3 = 0; vop3 < (row.e64 ? 2u : 1u) && problem.empty(); ++vop3)
        for (u32 round = 0; round < reference->second.rounds && problem.empty(); ++round) {
          const u32 seed = seed_of(row.name, gfx, vop3 != 0, round);
          Maker maker(row, gfx, seed);
          maker.vop3 = vop3 != 0;
          fill(maker);
          reference->second.make(maker, round);
          const bool present = std::ranges::any_of(maker.code, [&](const Instruction& i) { return i.row == row.row; });
          EXPECT_TRUE(present || row.name == "s_endpgm") << row.name << ": its program does not have it";
          problem = run_program(maker);
          if (!problem.empty())
            ADD_FAILURE() << gcn::generation_name(gfx) << " " << row.name << (vop3 != 0 ? " as VOP3" : "") << ", round "
                          << round << ", seed " << seed << ": " << problem;
          ++programs;
        }
    }
  std::printf("%u rows, %u programs; seeds are hashes of name, generation, encoding and round\n", rows, programs);
}

TEST(Vectors, EveryExecutedInstructionHasAReferenceAndEveryReferenceAnInstruction) {
  std::set<std::string, std::less<>> executed;
  for (const Generation gfx : {Generation::Gfx6, Generation::Gfx7, Generation::Gfx8})
    for (const Row& row : rows_of(gfx)) executed.insert(row.name);
  for (const std::string& name : executed) EXPECT_TRUE(references().contains(name)) << name << " has no vector";
  for (const auto& [name, reference] : references())
    EXPECT_TRUE(executed.contains(name)) << name << " has a vector and is not executed";
  EXPECT_GT(executed.size(), 500u);
}

TEST(Vectors, ScalarInstructionsGiveWhatTheirReferencesSay) {
  try_rows({Format::Sop2, Format::Sopk, Format::Sop1, Format::Sopc, Format::Sopp});
}
TEST(Vectors, VectorInstructionsOfOneSourceGiveWhatTheirReferencesSay) { try_rows({Format::Vop1}); }
TEST(Vectors, VectorInstructionsOfTwoSourcesGiveWhatTheirReferencesSay) { try_rows({Format::Vop2}); }
TEST(Vectors, VectorInstructionsOfThreeSourcesGiveWhatTheirReferencesSay) { try_rows({Format::Vop3}); }
TEST(Vectors, VectorComparisonsGiveWhatTheirReferencesSay) { try_rows({Format::Vopc}); }
TEST(Vectors, ScalarLoadsGiveWhatTheirReferencesSay) { try_rows({Format::Smrd}); }
TEST(Vectors, BufferInstructionsGiveWhatTheirReferencesSay) { try_rows({Format::Mubuf, Format::Mtbuf}); }
TEST(Vectors, FlatInstructionsGiveWhatTheirReferencesSay) { try_rows({Format::Flat}); }
TEST(Vectors, LocalMemoryInstructionsGiveWhatTheirReferencesSay) { try_rows({Format::Ds}); }

// Each of two waves reads what the other one has stored.
TEST(Vectors, BarriersHoldEveryWaveUntilAllHaveCome) {
  for (const Generation gfx : {Generation::Gfx6, Generation::Gfx7, Generation::Gfx8}) {
    Maker maker(*find_row(gfx, "s_barrier"), gfx, 1);
    maker.add_simple("s_mov_b32", kM0Code, 193);
    maker.add_simple("v_lshlrev_b32", 1, 130, kV0);
    maker.add_simple("v_xor_b32", 2, kLit, kV0 + 1, 0x100);
    Instruction write = maker.instance("ds_write_b32"), read = maker.instance("ds_read_b32");
    write.address = 1;
    read.address = 2;
    read.destination = 3;
    maker.add(write);
    maker.add(maker.instance());
    maker.add(read);
    maker.add(maker.instance("s_endpgm"));
    std::vector<u32> words;
    for (const Instruction& i : maker.code)
      for (const u32 word : words_of(i, gfx)) words.push_back(word);

    struct Last : Observer {
      u32 ends = 0, wrong = 0;
      void before(const Instruction& i, const View& view) override {
        if (i.row->name != "s_endpgm") return;
        ++ends;
        for (u32 lane = 0; lane < 64; ++lane)
          if (view.vgprs[3][lane] != (1 - view.wave) * 64 + lane) ++wrong;
      }
    } last;
    Launch launch;
    launch.gfx = gfx;
    launch.code = std::as_bytes(std::span(words));
    launch.lds_bytes = 512;
    launch.global = launch.local = {128, 1, 1};
    Memory memory;
    Diagnostics diagnostics;
    EXPECT_TRUE(run(launch, memory, {.instructions = 1000}, diagnostics, &last).clean());
    EXPECT_EQ(last.ends, 2u);
    EXPECT_EQ(last.wrong, 0u);
  }
}

}  // namespace
}  // namespace amdcompat::emulate::vectors
