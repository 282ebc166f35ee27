// Registers that code needs without naming their number, and distances between instructions.
#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <amdcompat/gcn_checks.hpp>

namespace amdcompat::gcn::checks_test {
namespace {

using enum Generation;

// Instructions by name and fields, put together by the encoder.
class Code {
 public:
  explicit Code(Generation generation) : generation_(generation) {}
  template <class Set>
  Code& add(std::string_view name, Set set) {
    Instruction i;
    for (const Row& row : rows())
      if (row.name == name && row.on(generation_)) i.row = &row;
    if (i.row == nullptr) throw std::runtime_error("no row " + std::string(name));
    i.opcode = i.row->opcode;
    i.format = i.row->format;
    if (i.format == Format::Vopc) i.scalar_destination = kVcc;
    set(i);
    const Result<Encoded> out = encode(i, generation_);
    if (!out) throw std::runtime_error(std::string(name) + ": " + out.error().message);
    words.insert(words.end(), out->words.begin(), out->words.begin() + out->dwords);
    return *this;
  }
  Code& add(std::string_view name, std::uint16_t to = 0, std::initializer_list<int> sources = {}) {
    return add(name, [&](Instruction& i) {
      i.destination = to;
      std::ranges::transform(sources, i.sources.begin(), [](int code) { return static_cast<std::uint16_t>(code); });
    });
  }
  Code& load(std::string_view name, std::uint16_t to, std::uint16_t from) {
    return add(name, [&](Instruction& i) {
      i.destination = to;
      i.resource = from;
      i.immediate_offset = true;
    });
  }
  Code& nop(int wait_states) {
    return add("s_nop", [&](Instruction& i) { i.immediate = wait_states - 1; });
  }
  Code& branch(std::string_view name, int dwords) {
    return add(name, [&](Instruction& i) { i.immediate = dwords; });
  }
  Code& end() { return add("s_endpgm"); }

  [[nodiscard]] std::span<const std::byte> bytes() const { return std::as_bytes(std::span(words)); }
  // "rule found" of each hazard.
  [[nodiscard]] std::vector<std::string> found() const {
    std::vector<std::string> out;
    for (const Hazard& h : hazards(bytes(), 0, generation_))
      out.push_back(std::string(h.rule->name) + " " + std::to_string(h.wait_states));
    return out;
  }
  std::vector<std::uint32_t> words;

 private:
  Generation generation_;
};
using Found = std::vector<std::string>;
constexpr int kV0 = kFirstVector;

TEST(ScalarUse, CountsNumbersAndSpecialRegistersOfReachableCode) {
  Code code(Gfx7);
  code.add("s_mov_b32", 9, {128}).load("s_load_dwordx4", 12, 4).branch("s_branch", 1).add("s_mov_b32", 90, {128}).end();
  const ScalarUse plain = scalar_use(code.bytes(), 0, Gfx7);
  EXPECT_EQ(plain.numbered, 16u);
  EXPECT_FALSE(plain.vcc);
  EXPECT_FALSE(plain.flat_scratch);
  EXPECT_TRUE(scalar_use(Code(Gfx7).add("s_mov_b64", 106, {128}).end().bytes(), 0, Gfx7).vcc);
  EXPECT_TRUE(scalar_use(Code(Gfx7).add("s_mov_b32", 104, {128}).end().bytes(), 0, Gfx7).flat_scratch);
  EXPECT_TRUE(scalar_use(Code(Gfx8).add("s_mov_b32", 102, {128}).end().bytes(), 0, Gfx8).flat_scratch);
  EXPECT_EQ(scalar_use(Code(Gfx6).add("s_mov_b32", 102, {128}).end().bytes(), 0, Gfx6).numbered, 103u);
  // A comparison writes VCC without naming it; behind a computed jump anything may be.
  EXPECT_TRUE(scalar_use(Code(Gfx6).add("v_cmp_eq_u32", 0, {128, kV0}).end().bytes(), 0, Gfx6).vcc);
  EXPECT_TRUE(scalar_use(Code(Gfx6).add("s_setpc_b64", 0, {4}).bytes(), 0, Gfx6).vcc);
}

TEST(ScalarUse, IsThatOfTheOperandsOfAnyInstruction) {
  constexpr std::uint32_t kEnd = 0xbf810000;  // s_endpgm
  std::mt19937 random(7);
  std::size_t known = 0, numbered = 0;
  for (const Generation g : {Gfx6, Gfx7, Gfx8, Gfx9})
    for (int n = 0; n < 100'000; ++n) {
      std::array<std::uint32_t, 6> words{};
      for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random());
      const std::span<const std::byte> bytes = std::as_bytes(std::span(words));
      const Instruction i = decode(bytes, 0, g);
      if (i.row == nullptr || flow(i.opcode) != Flow::Next) continue;
      ++known;
      words[i.dwords] = kEnd;
      const ScalarUse found = scalar_use(bytes, 0, g);
      ScalarUse expected;
      expected.flat_scratch = i.format == Format::Flat || i.format == Format::Scratch;
      const std::uint32_t end = g >= Gfx8 ? 102 : 104;  // of the numbered registers
      for (const Operand& o : operands(i, g))
        for (std::uint32_t code = o.first; o.file == File::Scalar && code < std::uint32_t{o.first} + o.dwords; ++code) {
          if (code < end) expected.numbered = std::max(expected.numbered, code + 1);
          expected.vcc = expected.vcc || code == kVcc || code == kVcc + 1;
          const bool flat = g == Gfx7 ? code == 104 || code == 105 : g != Gfx6 && (code == 102 || code == 103);
          expected.flat_scratch = expected.flat_scratch || flat;
        }
      numbered += expected.numbered != 0 ? 1 : 0;
      ASSERT_EQ(found.numbered, expected.numbered) << disassemble(i, g);
      ASSERT_EQ(found.vcc, expected.vcc) << disassemble(i, g);
      ASSERT_EQ(found.flat_scratch, expected.flat_scratch) << disassemble(i, g);
    }
  EXPECT_GT(known, 100'000u);
  EXPECT_GT(numbered, 50'000u);
}

TEST(ScalarUse, SpecialRegistersAreAsManyAsLlvmAndClrxReserve) {
  const ScalarUse none{}, vcc{.vcc = true}, flat{.flat_scratch = true};
  for (const Generation g : {Gfx6, Gfx7, Gfx8, Gfx9, Gfx10_1, Gfx12}) EXPECT_EQ(special_scalars(none, g), 0u);
  for (const Generation g : {Gfx6, Gfx7, Gfx8, Gfx9}) EXPECT_EQ(special_scalars(vcc, g), 2u);
  EXPECT_EQ(special_scalars(vcc, Gfx10_1), 0u);
  EXPECT_EQ(special_scalars(flat, Gfx6), 0u);
  EXPECT_EQ(special_scalars(flat, Gfx7), 4u);
  EXPECT_EQ(special_scalars(flat, Gfx8), 6u);
  EXPECT_EQ(special_scalars(vcc, Gfx8, true), 4u);
  EXPECT_EQ(allocated_scalars(0, Gfx6), 8u);
  EXPECT_EQ(allocated_scalars(16, Gfx7), 16u);
  EXPECT_EQ(allocated_scalars(17, Gfx7), 24u);
  EXPECT_EQ(allocated_scalars(17, Gfx8), 32u);
}

TEST(Hazards, ScalarLoadsOfGfx6WaitForTheirDescriptor) {
  for (int between = 0; between < 6; ++between) {
    Code code(Gfx6);
    code.add("s_mov_b32", 7, {128});
    if (between != 0) code.nop(between);
    code.load("s_buffer_load_dword", 0, 4).end();
    EXPECT_EQ(code.found(), between < 4 ? Found{"smrd-after-salu " + std::to_string(between)} : Found{}) << between;
    Code later(Gfx7);
    later.words = code.words;
    EXPECT_EQ(later.found(), Found{});
  }
  EXPECT_EQ(Code(Gfx6).add("s_mov_b32", 5, {128}).load("s_load_dword", 0, 4).end().found(), Found{"smrd-after-salu 0"});
  EXPECT_EQ(Code(Gfx6).add("s_mov_b32", 8, {128}).load("s_load_dword", 0, 4).end().found(), Found{});
  // The register of the offset is none of the descriptor.
  EXPECT_EQ(Code(Gfx6)
                .add("s_mov_b32", 9, {128})
                .add("s_buffer_load_dword",
                     [](Instruction& i) {
                       i.resource = 4;
                       i.sources[1] = 9;
                     })
                .end()
                .found(),
            Found{});
  EXPECT_EQ(Code(Gfx6).add("v_readfirstlane_b32", 4, {kV0}).nop(3).load("s_load_dword", 0, 4).end().found(),
            Found{"smrd-after-valu 3"});
}

TEST(Hazards, TheNearestWayCounts) {
  // Around a long wait, or through it.
  Code code(Gfx6);
  code.add("s_mov_b32", 5, {128}).branch("s_cbranch_scc0", 1).nop(8).load("s_load_dword", 0, 4).end();
  EXPECT_EQ(code.found(), Found{"smrd-after-salu 1"});
  // Over the end of a loop.
  Code loop(Gfx6);
  loop.load("s_load_dword", 0, 4).nop(2).add("s_mov_b32", 5, {128}).branch("s_cbranch_scc0", -4).end();
  EXPECT_EQ(loop.found(), Found{"smrd-after-salu 1"});
}

TEST(Hazards, TheLastWriteCounts) {
  Code code(Gfx7);
  code.add("v_readfirstlane_b32", 4, {kV0}).add("s_mov_b32", 4, {128}).add("v_readlane_b32", 9, {kV0, 4}).end();
  EXPECT_EQ(code.found(), Found{});
  Code straight(Gfx7);
  straight.add("v_readfirstlane_b32", 4, {kV0}).add("s_mov_b32", 5, {128}).add("v_readlane_b32", 9, {kV0, 4}).end();
  EXPECT_EQ(straight.found(), Found{"lane-select 1"});
}

TEST(Hazards, EachRuleOfOtherGenerationsIsFound) {
  const auto store = [](Instruction& i) {
    i.data = 4;
    i.resource = 8;
    i.sources[1] = 128;
  };
  EXPECT_EQ(Code(Gfx7).add("buffer_store_dwordx4", store).add("v_mov_b32", 6, {128}).end().found(),
            Found{"wide-store 0"});
  EXPECT_EQ(Code(Gfx6).add("buffer_store_dwordx4", store).add("v_mov_b32", 6, {128}).end().found(), Found{});
  EXPECT_EQ(Code(Gfx7).add("buffer_store_dwordx4", store).add("v_mov_b32", 8, {128}).end().found(), Found{});
  const auto late = [&](Instruction& i) {
    store(i);
    i.sources[1] = 3;
  };
  EXPECT_EQ(Code(Gfx7).add("buffer_store_dwordx4", late).add("v_mov_b32", 6, {128}).end().found(), Found{});
  const auto base = [](Instruction& i) {
    i.resource = 8;
    i.sources[1] = 128;
  };
  EXPECT_EQ(Code(Gfx8).add("v_readfirstlane_b32", 9, {kV0}).nop(4).add("buffer_load_dword", base).end().found(),
            Found{"vmem-after-valu 4"});
  EXPECT_EQ(Code(Gfx9).add("v_readfirstlane_b32", 9, {kV0}).nop(5).add("buffer_load_dword", base).end().found(),
            Found{});
  EXPECT_EQ(Code(Gfx6).add("v_cmp_eq_u32", 0, {128, kV0}).add("v_div_fmas_f32", 1, {kV0, kV0, kV0}).end().found(),
            Found{"div-fmas 0"});
  EXPECT_EQ(Code(Gfx6).add("v_cmp_eq_u32", 0, {128, kV0}).add("v_mov_b32", 1, {251}).end().found(),
            Found{"zero-flag 0"});
  const auto dpp = [](Instruction& i) {
    i.variant = Variant::Dpp;
    i.destination = 2;
    i.sources[0] = kV0 + 1;
    i.row_mask = i.bank_mask = 15;
  };
  EXPECT_EQ(Code(Gfx8).add("v_mov_b32", 1, {128}).add("v_mov_b32", dpp).end().found(), Found{"dpp-source 0"});
  EXPECT_EQ(Code(Gfx8).add("v_mov_b32", 1, {128}).nop(2).add("v_mov_b32", dpp).end().found(), Found{});
  EXPECT_EQ(Code(Gfx8).add("s_mov_b32", 124, {128}).add("s_sendmsg").end().found(), Found{"message 0"});
}

TEST(Hazards, RulesAreNamedBySourceAndLaterGenerationsHaveNone) {
  for (const HazardRule& rule : hazard_rules()) {
    EXPECT_LE(rule.first, rule.last) << rule.name;
    EXPECT_LE(rule.last, Gfx9) << rule.name;
    EXPECT_FALSE(rule.text.empty() || rule.source.empty()) << rule.name;
  }
  EXPECT_EQ(Code(Gfx10_1).add("s_mov_b32", 124, {128}).add("s_sendmsg").end().found(), Found{});
}

}  // namespace
}  // namespace amdcompat::gcn::checks_test
