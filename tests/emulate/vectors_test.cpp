// Programs around every instruction that is executed: see vectors.hpp.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "vectors.hpp"

namespace amdcompat::emulate::vectors::vectors_test {
namespace {

u32 seed_of(string_view name, Generation gfx, Encoding encoding, u32 round) {
  u32 hash = 2166136261;  // FNV-1a: the same everywhere
  for (const char c : name) hash = (hash ^ static_cast<u8>(c)) * 16777619;
  return hash + static_cast<u32>(gfx) * 1000003 + static_cast<u32>(encoding) * 500009 + round * 7919;
}

void try_rows(const std::set<Format>& wanted) {
  u32 programs = 0, rows = 0;
  for (const Generation gfx : {Generation::Gfx6, Generation::Gfx7, Generation::Gfx8, Generation::Gfx9})
    for (const Row& row : rows_of(gfx)) {
      if (!wanted.contains(row.format)) continue;
      if (GTEST_FLAG_GET(fail_fast) && testing::Test::HasFailure()) return;
      const auto reference = references().find(row.name);
      if (reference == references().end()) continue;  // another test says so
      ++rows;
      std::string problem;
      for (const Encoding encoding : row.encodings())
        for (u32 round = 0; round < reference->second.rounds && problem.empty(); ++round) {
          const u32 seed = seed_of(row.name, gfx, encoding, round);
          Maker maker(row, gfx, seed);
          maker.encoding = encoding;
          fill(maker);
          reference->second.make(maker, round);
          const bool present = std::ranges::any_of(maker.code, [&](const Instruction& i) { return i.row == row.row; });
          EXPECT_TRUE(present || row.name == "s_endpgm") << row.name << ": its program does not have it";
          problem = run_program(maker);
          if (!problem.empty())
            ADD_FAILURE() << gcn::generation_name(gfx) << " " << row.name << text_of(encoding) << ", round " << round
                          << ", seed " << seed << ": " << problem;
          ++programs;
        }
    }
  std::printf("%u rows, %u programs; seeds are hashes of name, generation, encoding and round\n", rows, programs);
}

TEST(Vectors, EveryExecutedInstructionHasAReferenceAndEveryReferenceAnInstruction) {
  std::set<std::string, std::less<>> executed;
  for (const Generation gfx : {Generation::Gfx6, Generation::Gfx7, Generation::Gfx8, Generation::Gfx9})
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
TEST(Vectors, VectorInstructionsOfThreeSourcesGiveWhatTheirReferencesSay) { try_rows({Format::Vop3, Format::Vop3p}); }
TEST(Vectors, VectorComparisonsGiveWhatTheirReferencesSay) { try_rows({Format::Vopc}); }
TEST(Vectors, ScalarLoadsGiveWhatTheirReferencesSay) { try_rows({Format::Smrd}); }
TEST(Vectors, BufferInstructionsGiveWhatTheirReferencesSay) { try_rows({Format::Mubuf, Format::Mtbuf}); }
TEST(Vectors, ImageInstructionsGiveWhatTheirReferencesSay) { try_rows({Format::Mimg}); }
TEST(Vectors, FlatInstructionsGiveWhatTheirReferencesSay) { try_rows({Format::Flat, Format::Global, Format::Scratch}); }
TEST(Vectors, LocalMemoryInstructionsGiveWhatTheirReferencesSay) { try_rows({Format::Ds}); }

TEST(Vectors, EveryOperandThatNothingHasSetIsReportedAndNoOtherRegister) {
  for (const Generation gfx : {Generation::Gfx6, Generation::Gfx7, Generation::Gfx8, Generation::Gfx9})
    for (const Row& row : rows_of(gfx)) {
      const auto reference = references().find(row.name);
      if (reference == references().end() || row.format == Format::Sopp) continue;
      for (const Encoding encoding : row.encodings()) {
        const u32 seed = seed_of(row.name, gfx, encoding, 1000);
        Maker maker(row, gfx, seed);
        maker.encoding = encoding;
        fill(maker);
        maker.start.set_pair(kExecLo, ~u64{0});
        reference->second.make(maker, 0);
        maker.start.set_pair(kExecLo, ~u64{0});
        const std::string problem = check_poison(maker);
        EXPECT_TRUE(problem.empty()) << gcn::generation_name(gfx) << " " << row.name << text_of(encoding) << ", seed "
                                     << seed << ": " << problem;
      }
    }
}

// Runs the maker's program in one wavefront; the registers that it reads and nothing has set.
std::vector<std::string> poisoned_by(Maker& maker, const decltype(Launch::user_sgprs)& user_sgprs, Memory memory) {
  maker.add(maker.instance("s_endpgm"));
  std::vector<u32> words;
  for (const Instruction& i : maker.code)
    for (const u32 word : words_of(i, maker.gfx())) words.push_back(word);
  Launch launch;
  launch.gfx = maker.gfx();
  launch.code = std::as_bytes(std::span(words));
  launch.user_sgprs = user_sgprs;
  launch.global = launch.local = {64, 1, 1};
  Diagnostics diagnostics;
  const Report report = run(launch, memory, {.lane_instructions = 10'000}, diagnostics);
  EXPECT_EQ(report.outcome, Outcome::Ended);
  std::vector<std::string> out;
  for (const PoisonRead& read : report.poison) out.push_back(read.what);
  return out;
}

// One dword of those that are loaded is not listed.
TEST(Vectors, AScalarLoadUnsetsTheRegistersThatItCannotFillAndNoOthers) {
  constexpr u64 kBase = 0x10000;
  for (const Generation gfx : {Generation::Gfx6, Generation::Gfx7, Generation::Gfx8, Generation::Gfx9})
    for (const std::string_view kind : {"s_load_dword", "s_buffer_load_dword"})
      for (const u32 dwords : {1u, 2u, 4u, 8u, 16u})
        for (u32 hole = 0; hole < dwords; ++hole) {
          const std::string name = std::string(kind) + (dwords == 1 ? "" : "x" + std::to_string(dwords));
          SCOPED_TRACE(name + ", dword " + std::to_string(hole));
          Maker maker(*find_row(gfx, name), gfx, 1);
          Instruction load = maker.instance();
          load.destination = 16;
          load.resource = kind == "s_load_dword" ? 0 : 4;
          load.immediate_offset = true;
          maker.add(load);
          for (u32 n = 0; n < dwords; ++n) maker.add_simple("s_add_u32", 60, 16 + n, 128);
          Memory memory;
          EXPECT_TRUE(hole == 0 || memory.map(kBase, std::vector<std::byte>(4 * hole)));
          const std::size_t rest = 4 * (dwords - hole - 1);
          EXPECT_TRUE(rest == 0 || memory.map(kBase + 4 * hole + 4, std::vector<std::byte>(rest)));
          EXPECT_EQ(poisoned_by(maker, {kBase, 0, 0, 0, kBase, 0, 64, 0x00027fac}, std::move(memory)),
                    std::vector{"s" + std::to_string(16 + hole)});
        }
}

// Lanes count one by one: v5 is set in one of them, and `use` may use another.
TEST(Vectors, ALaneThatNothingHasSetIsReportedWhereItIsUsed) {
  for (const Generation gfx : {Generation::Gfx6, Generation::Gfx7, Generation::Gfx8, Generation::Gfx9}) {
    const auto poisoned = [&](u32 set, u32 lane, u64 exec, const std::function<void(Maker&)>& use) {
      Maker maker(*find_row(gfx, "v_mov_b32"), gfx, 1);
      maker.add_simple("s_mov_b64", kExecLo, 0);
      maker.add_simple("v_mov_b32", 5, 128);
      maker.add_simple("s_mov_b64", kExecLo, 2);
      use(maker);
      const u64 mask = u64{1} << set;
      return !poisoned_by(maker,
                          {static_cast<u32>(mask), static_cast<u32>(mask >> 32), static_cast<u32>(exec),
                           static_cast<u32>(exec >> 32), lane},
                          {})
                  .empty();
    };
    const auto first = [](Maker& m) { m.add_simple("v_readfirstlane_b32", 10, kV0 + 5); };
    const auto one = [](Maker& m) {
      m.add_simple("v_readlane_b32", 10, kV0 + 5, 4);
      m.add_simple("s_add_u32", 11, 10, 128);
    };
    const auto each = [](Maker& m) { m.add_simple("v_add_f32", 6, kV0 + 5, kV0 + 5); };
    const auto written = [&](Maker& m) {
      m.add_simple("v_writelane_b32", 5, 128, 4);
      one(m);
    };
    for (const u32 set : {0u, 1u, 31u, 32u, 37u, 63u})
      for (const u32 lane : {set, (set + 1) % 64, (set + 63) % 64, (set + 32) % 64}) {
        const u64 exec = u64{1} << lane;
        SCOPED_TRACE("set " + std::to_string(set) + ", used " + std::to_string(lane));
        EXPECT_EQ(poisoned(set, lane, exec, first), lane != set);
        EXPECT_EQ(poisoned(set, lane, ~u64{0}, one), lane != set);
        EXPECT_EQ(poisoned(set, lane, exec, each), lane != set);
        EXPECT_EQ(poisoned(set, lane, exec | u64{1} << set, each), lane != set);
        EXPECT_FALSE(poisoned(set, lane, 0, written));
      }
    EXPECT_FALSE(poisoned(0, 0, 0, first));  // without any lane it reads that of lane 0
    EXPECT_TRUE(poisoned(1, 0, 0, first));
    EXPECT_FALSE(poisoned(1, 0, 0, each));
  }
}

// v5 and v6 are set in all lanes but one.
TEST(Vectors, WhatSdwaKeepsAndWhatDppDoesNotReadOrWriteIsSetWhereItWasSet) {
  const auto poisoned = [](u64 unset, const std::function<void(Maker&)>& use) {
    Maker maker(*find_row(Generation::Gfx8, "v_mov_b32"), Generation::Gfx8, 1);
    maker.add_simple("s_mov_b64", kExecLo, 0);
    maker.add_simple("v_mov_b32", 5, 129);
    maker.add_simple("v_mov_b32", 6, 129);
    maker.add_simple("s_mov_b64", kExecLo, 193);
    maker.add_simple("v_mov_b32", 7, 129);
    use(maker);
    return poisoned_by(maker, {static_cast<u32>(~unset), static_cast<u32>(~unset >> 32)}, {});
  };
  const auto instance = [](const Maker& m, string_view name, gcn::Variant variant, u32 to, u32 from) {
    Instruction i = m.instance(name);
    i.variant = variant;
    i.destination = static_cast<u16>(to);
    i.sources = {static_cast<u16>(kV0 + from), static_cast<u16>(name == "v_mov_b32" ? 0 : kV0 + 7), 0};
    if (variant == gcn::Variant::Dpp)
      i.row_mask = i.bank_mask = 15;
    else
      i.destination_select = i.select0 = i.select1 = 6;
    return i;
  };
  const auto use = [](Maker& m, u32 number) { m.add_simple("v_cmp_eq_u32", 0, 128, kV0 + number); };
  using Found = std::vector<std::string>;
  for (const string_view name : {"v_mov_b32", "v_add_f32"}) {
    const bool copies = name == "v_mov_b32";
    const Found source = copies ? Found{} : Found{"v5"}, result = copies ? Found{"v8"} : Found{"v5"};
    // Lane 3 reads lane 2 of its row, and so on; lane 0 of each row has no partner.
    const auto shifted = [&](u64 unset, u32 to, bool zeros, u8 rows, bool uses) {
      return poisoned(unset, [&](Maker& m) {
        Instruction i = instance(m, name, gcn::Variant::Dpp, to, 5);
        i.dpp_control = 0x111;
        i.bound_control = zeros;
        i.row_mask = rows;
        m.add(i);
        if (uses) use(m, to);
      });
    };
    EXPECT_EQ(shifted(4, 7, false, 15, false), source);
    EXPECT_EQ(shifted(u64{1} << 31, 7, false, 15, true), Found{});  // no lane reads the last one of a row
    EXPECT_EQ(shifted(4, 7, false, 14, true), Found{});  // nor any one of this row
    EXPECT_EQ(shifted(4, 8, true, 15, true), result);
    EXPECT_EQ(shifted(0, 8, true, 15, true), Found{});  // zeros are set
    EXPECT_EQ(shifted(0, 8, false, 15, true), Found{"v8"});  // the first lane of a row is not written
    EXPECT_EQ(shifted(0, 8, true, 13, true), Found{"v8"});
    EXPECT_EQ(shifted(1, 6, false, 15, true), copies ? Found{"v6"} : (Found{"v5", "v6"}));
    const auto part = [&](u32 to, u32 select, u32 unused, bool uses) {
      return poisoned(4, [&](Maker& m) {
        Instruction i = instance(m, name, gcn::Variant::Sdwa, to, 7);
        i.destination_select = static_cast<u8>(select);
        i.destination_unused = static_cast<u8>(unused);
        m.add(i);
        if (uses) use(m, to);
      });
    };
    EXPECT_EQ(part(6, 5, 2, false), copies ? Found{} : Found{"v6"});
    EXPECT_EQ(part(6, 5, 2, true), Found{"v6"});
    EXPECT_EQ(part(6, 5, 0, true), Found{});
    EXPECT_EQ(part(6, 5, 1, true), Found{});
    EXPECT_EQ(part(6, 6, 2, true), Found{});
  }
}

// Each stops the run, or is reported, and does neither without the last step of its setting.
TEST(Vectors, WhatHasNoMeaningStopsTheRun) {
  struct Case {
    const char* name;
    const char* says;
    std::function<void(Maker&, Instruction&)> set;
    std::function<void(Maker&, Instruction&)> spoil;
    std::array<u32, 2> bits{};
  };
  const auto nothing = [](Maker&, Instruction&) {};
  const auto registers = [](Maker& m, Instruction&) {
    m.start.s[24] = static_cast<u32>(kData);
    m.start.s[25] = kData >> 32;
    m.start.s[26] = kDataBytes;
    m.start.s[27] = 0x00027fac;
    for (u32& lane : m.start.v[1]) lane = 0;
    for (u32& lane : m.start.v[2]) lane = 0;
    m.start.s[kM0Code] = kLdsBytes;
  };
  const auto local = [=](Maker& m, Instruction& i) {
    registers(m, i);
    i.data = 8;
    i.address = 1;
  };
  const auto buffer = [=](Maker& m, Instruction& i) {
    local(m, i);
    i.resource = 24;
    i.sources[1] = 128;
  };
  const auto wide = [](Maker& m, Instruction& i) {
    i.format = Format::Vop3;
    i.sources = {kV0 + 1, kV0 + 2, kV0 + 3};
    i.destination = 12;
    m.start.s[kM0Code] = 3;
  };
  // A 2D image of 8 x 8 floats, linear, and a sampler of edges, nearest.
  const auto image = [](Maker& m, Instruction& i) {
    i.resource = 24;
    i.sampler = 32;
    i.data = 8;
    i.address = 1;
    i.mask = 1;
    const std::array<u32, 12> words{static_cast<u32>(kData >> 8),
                                    kData >> 40 | 4 << 20 | 7 << 26,
                                    7 | 7 << 14,
                                    0xfac | 8 << 20 | 9u << 28,
                                    7 << 13,
                                    0,
                                    0,
                                    0,
                                    2 | 2 << 3 | 2 << 6,
                                    0,
                                    1 << 24,
                                    0};
    std::copy(words.begin(), words.end(), m.start.s.begin() + 24);
    for (u32 n = 1; n < 5; ++n)
      for (u32& lane : m.start.v[n]) lane = 0;
  };
  const auto word = [](u32 n, u32 bits) { return [=](Maker& m, Instruction&) { m.start.s[24 + n] ^= bits; }; };
  const auto sampled = [image](u32 addresses) {
    return [=](Maker& m, Instruction& i) {
      image(m, i);
      m.start.s[32] = addresses;
    };
  };
  const Case cases[] = {
      {"image_load", "TFE, LWE or R128", image, nothing, {1u << 16, 0}},
      {"image_load", "TFE, LWE or R128", image, nothing, {1u << 17, 0}},
      {"image_load", "TFE, LWE or R128", image, nothing, {1u << 15, 0}},
      {"image_load", "no component", image, [](Maker&, Instruction& i) { i.mask = 0; }},
      {"image_store", "another type", image, word(3, 1u << 31)},
      {"image_load", "type 11", image, word(3, 2u << 28)},
      {"image_load", "type 14", image, word(3, 7u << 28)},
      {"image_load", "tiling 9", image, word(3, 1 << 20)},
      {"image_load", "several levels", image, word(3, 1 << 16)},
      {"image_load", "no layer", image, word(5, 1)},
      {"image_load", "array of images", image, word(3, 4u << 28)},
      {"image_load", "array of images", image, [](Maker&, Instruction& i) { i.da = true; }},
      {"image_load", "data format 6", image, word(1, 2 << 20)},
      {"image_load", "number format 6", image, word(1, 1 << 26)},
      {"image_load_mip", "mip level", image, [](Maker& m, Instruction&) { m.start.v[3][7] = 1; }},
      {"image_get_resinfo", "mip level", image, [](Maker& m, Instruction&) { m.start.v[1][7] = 1; }},
      {"image_get_resinfo", "array of lines", image,
       [](Maker& m, Instruction& i) {
         i.mask = 4;
         m.start.s[24 + 3] ^= 5u << 28;
       }},
      {"image_atomic_add", "another size", image, [](Maker&, Instruction& i) { i.mask = 3; }},
      {"image_atomic_add", "another size", image, word(1, 1 << 20)},
      {"image_atomic_cmpswap", "another size",
       [&](Maker& m, Instruction& i) {
         image(m, i);
         i.mask = 3;
       },
       [](Maker&, Instruction& i) { i.mask = 1; }},
      {"image_sample", "minima", image, word(8, 1 << 29)},
      {"image_sample", "anisotropic", image, word(10, 2 << 20)},
      {"image_sample", "other filters", image, word(10, 1 << 20)},
      {"image_sample", "unknown filter", image, word(10, 2 << 24)},
      {"image_sample", "border colour of its own", image, word(11, 3u << 30)},
      {"image_sample", "clamp mode 4", sampled(2 | 2 << 3), word(8, 6)},
      {"image_sample_lz", "coordinates which are texels", sampled(0), [](Maker&, Instruction& i) { i.unorm = true; }},
      {"image_sample_l", "filter of integers",
       [&](Maker& m, Instruction& i) {
         image(m, i);
         m.start.s[34] |= 5 << 20;
       },
       word(1, 3 << 26)},
      {"image_gather4", "number of components", image, [](Maker&, Instruction& i) { i.mask = 3; }},
      {"image_gather4", "two dimensions", image, word(3, 3u << 28)},
      {"buffer_load_dword", "TFE or LDS", buffer, nothing, {0, 1u << 23}},
      {"buffer_load_dword", "TFE or LDS", buffer, nothing, {1u << 16, 0}},
      {"buffer_store_dword", "TFE or LDS", buffer, nothing, {0, 1u << 23}},
      {"buffer_load_dword", "ADDR64",
       [&](Maker& m, Instruction& i) {
         buffer(m, i);
         i.addr64 = true;
       },
       [](Maker&, Instruction& i) { i.offen = true; }},
      {"buffer_load_dword", "ADDR64",
       [&](Maker& m, Instruction& i) {
         buffer(m, i);
         i.addr64 = true;
       },
       [](Maker&, Instruction& i) { i.idxen = true; }},
      {"buffer_load_dword", "another type", buffer, [](Maker& m, Instruction&) { m.start.s[27] |= 1u << 30; }},
      {"buffer_load_dword", "another type", buffer, [](Maker& m, Instruction&) { m.start.s[27] |= 1u << 31; }},
      {"buffer_atomic_add", "another type", buffer, [](Maker& m, Instruction&) { m.start.s[27] |= 1u << 31; }},
      {"s_buffer_load_dword", "another type",
       [&](Maker& m, Instruction& i) {
         registers(m, i);
         i.resource = 24;
         i.immediate_offset = true;
       },
       [](Maker& m, Instruction&) { m.start.s[27] |= 1u << 30; }},
      {"buffer_load_format_x", "data format 6", buffer, [](Maker& m, Instruction&) { m.start.s[27] ^= 2u << 15; }},
      {"buffer_load_format_x", "number format 6", buffer, [](Maker& m, Instruction&) { m.start.s[27] ^= 1u << 12; }},
      {"flat_load_dword",
       "TFE",
       [&](Maker& m, Instruction& i) {
         i.address = 1;
         for (u32 lane = 0; lane < 64; ++lane) {
           m.start.v[1][lane] = static_cast<u32>(kData);
           m.start.v[2][lane] = kData >> 32;
         }
       },
       nothing,
       {0, 1u << 23}},
      {"ds_write_b32", "GDS",
       [&](Maker& m, Instruction& i) {
         local(m, i);
         i.gds = true;
       },
       [](Maker& m, Instruction&) { m.start.gds.clear(); }},
      {"ds_write_b32", "outside",
       [&](Maker& m, Instruction& i) {
         local(m, i);
         i.gds = true;
         i.offset0 = 60;
         m.start.s[kM0Code] = 64;
       },
       [](Maker& m, Instruction&) { m.start.s[kM0Code] = 63; }},
      {"ds_append", "outside",
       [](Maker& m, Instruction& i) {
         i.gds = true;
         m.start.s[kM0Code] = (kGdsBytes - 4) << 16 | 4;
       },
       [](Maker& m, Instruction&) { m.start.s[kM0Code] = kGdsBytes << 16 | 4; }},
      {"ds_add_src2_u64", "not aligned", local, [](Maker& m, Instruction&) { m.start.v[1][5] = 4; }},
      {"ds_swizzle_b32", "unknown kind", local, [](Maker&, Instruction& i) { i.offset1 = 0xc0; }},
      {"ds_write_b32", "not aligned", local, [](Maker& m, Instruction&) { m.start.v[1][5] = 2; }},
      {"ds_write_b64", "not aligned", local, [](Maker& m, Instruction&) { m.start.v[1][5] = 2; }},
      {"ds_write_b128", "not aligned", local, [](Maker& m, Instruction&) { m.start.v[1][5] = 8; }},
      {"ds_write_b16", "not aligned", local, [](Maker& m, Instruction&) { m.start.v[1][5] = 1; }},
      {"ds_write_b32", "outside",
       [&](Maker& m, Instruction& i) {
         local(m, i);
         i.offset0 = 60;
         m.start.s[kM0Code] = 64;
       },
       [](Maker& m, Instruction&) { m.start.s[kM0Code] = 63; }},
      {"ds_write_b32", "outside",
       [&](Maker& m, Instruction& i) {
         local(m, i);
         m.start.s[kM0Code] = 0xffffffff;
         m.start.v[1][63] = kLdsBytes - 4;
       },
       [](Maker& m, Instruction&) { m.start.v[1][63] = kLdsBytes; }},
      {"s_getreg_b32", "only the mode is known", [](Maker&, Instruction& i) { i.immediate = 1; },
       [](Maker&, Instruction& i) { i.immediate = 2; }},
      {"s_setreg_imm32_b32", "other than of rounding and denormals",
       [](Maker&, Instruction& i) {
         i.immediate = 1 | 9 << 6;
         i.literal = 0;
       },
       [](Maker&, Instruction& i) { i.literal = 1; }},
      {"s_setreg_imm32_b32", "not to nearest", [](Maker&, Instruction& i) { i.immediate = 1 | 1 << 11; },
       [](Maker&, Instruction& i) { i.literal = 3; }},
      {"s_setreg_imm32_b32", "in inputs or outputs only",
       [](Maker&, Instruction& i) { i.immediate = 1 | 4 << 6 | 1 << 11; },
       [](Maker&, Instruction& i) { i.literal = 1; }},
      {"v_and_b32", "on an integer result", wide, [](Maker&, Instruction& i) { i.clamp = true; }},
      {"v_and_b32", "on an integer result", wide, [](Maker&, Instruction& i) { i.output_modifier = 1; }},
      {"v_and_b32", "operand that is none", wide, [](Maker&, Instruction& i) { i.negate = 1; }},
      {"v_and_b32", "operand that is none", wide, [](Maker&, Instruction& i) { i.absolute = 2; }},
      {"v_movrels_b32", "outside the vector registers",
       [&](Maker& m, Instruction& i) {
         wide(m, i);
         i.sources = {kV0, 0, 0};
       },
       [](Maker& m, Instruction&) { m.start.s[kM0Code] = 256; }},
      {"v_movrels_b32", "outside the scalar registers",
       [&](Maker& m, Instruction& i) {
         wide(m, i);
         i.sources = {100, 0, 0};
       },
       [](Maker& m, Instruction&) { m.start.s[kM0Code] = 4; }},
      {"v_movreld_b32", "not allocated",
       [&](Maker& m, Instruction& i) {
         wide(m, i);
         i.sources = {kV0, 0, 0};
       },
       [](Maker& m, Instruction&) { m.start.s[kM0Code] = 4; }},
      {"s_movrels_b32", "outside the scalar registers",
       [](Maker& m, Instruction& i) {
         i.sources[0] = 100;
         i.destination = 60;
         m.start.s[kM0Code] = 3;
       },
       [](Maker& m, Instruction&) { m.start.s[kM0Code] = 4; }},
      {"s_movreld_b64", "outside the scalar registers",
       [](Maker& m, Instruction& i) {
         i.destination = 100;
         i.sources[0] = 60;
         m.start.s[kM0Code] = 2;
       },
       [](Maker& m, Instruction&) { m.start.s[kM0Code] = 3; }},
      {"v_readlane_b32", "no vector register",
       [](Maker&, Instruction& i) {
         i.sources = {kV0 + 1, 128, 0};
         i.destination = 60;
       },
       [](Maker&, Instruction& i) { i.sources[0] = 20; }},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.name) + ": " + c.says);
    const Generation gfx = Generation::Gfx7;
    Maker maker(*find_row(gfx, c.name), gfx, 1);
    fill(maker);
    Instruction i = maker.instance();
    c.set(maker, i);
    EXPECT_EQ(run_one(maker, i), "");
    c.spoil(maker, i);
    EXPECT_NE(run_one(maker, i, c.bits).find(c.says), std::string::npos) << run_one(maker, i, c.bits);
  }
}

TEST(Vectors, PlacesInLocalMemoryNeedNoAlignmentFromGfx9OnButForAtomics) {
  for (const auto& [name, says] : {std::pair("ds_write_b32", ""), std::pair("ds_write2_b32", ""),
                                   std::pair("ds_read_b64", ""), std::pair("ds_add_u32", "not aligned")}) {
    Maker maker(*find_row(Generation::Gfx9, name), Generation::Gfx9, 1);
    fill(maker);
    Instruction i = maker.instance();
    i.address = 1;
    i.data = i.row->name == "ds_read_b64" ? 0 : 8;
    for (u32 lane = 0; lane < 64; ++lane) maker.start.v[1][lane] = 1 + 8 * lane;
    const std::string found = run_one(maker, i);
    EXPECT_TRUE(*says == 0 ? found.empty() : found.find(says) != std::string::npos) << name << ": " << found;
  }
}

// Each of two waves reads what the other one has stored.
TEST(Vectors, BarriersHoldEveryWaveUntilAllHaveCome) {
  for (const Generation gfx : {Generation::Gfx6, Generation::Gfx7, Generation::Gfx8, Generation::Gfx9}) {
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
    EXPECT_TRUE(run(launch, memory, {.lane_instructions = 1'000'000}, diagnostics, &last).clean());
    EXPECT_EQ(last.ends, 2u);
    EXPECT_EQ(last.wrong, 0u);
  }
}

}  // namespace
}  // namespace amdcompat::emulate::vectors::vectors_test
