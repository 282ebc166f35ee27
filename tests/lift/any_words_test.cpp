// Instructions with any operands that their words have room for, one at a time: each is lifted, or refused with an
// offset. Compilers name few registers near the end of a file; here every field takes every value.
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace amdcompat_test::lifted::any_words_test {
namespace {

namespace gcn = amdcompat::gcn;
namespace lift = amdcompat::lift;
using amdcompat::Diagnostics;
using amdcompat::Program;

constexpr u32 kSeed = 20261127;
constexpr std::size_t kTried = 12'000;  // of each generation

Words any_words(std::mt19937& random, std::size_t n) {
  u32 first = static_cast<u32>(random()), second = static_cast<u32>(random());
  if (n % 2 != 0) first &= ~0x000fe000u, second &= ~0xffe00000u;  // few modifiers
  if (n % 4 < 2) first |= 0xc0000000u;  // the longer formats, which have most of the numbers
  return {first, second};
}

TEST(AnyWords, AreLiftedOrRefusedAtTheirOffset) {
  for (const Generation generation : {Generation::Gfx6, Generation::Gfx7, Generation::Gfx8, Generation::Gfx9}) {
    std::mt19937 random(kSeed);
    std::size_t known = 0;
    for (std::size_t n = 0; n < kTried; ++n) {
      Words words = any_words(random, n);
      const gcn::Instruction i = gcn::decode(std::as_bytes(std::span(words)), 0, generation);
      if (i.row == nullptr || gcn::flow(i.opcode) != gcn::Flow::Next) continue;
      words.resize(i.dwords);
      Small small{.name = "k", .code = Code(generation)};
      for (const u32 word : words) small.code.word(word);
      small.code.end();
      const Program program = program_of(std::span(&small, 1));
      ++known;
      for (const lift::Form form : {lift::Form::WorkItem, lift::Form::Wave}) {
        SCOPED_TRACE(
            fmt::format("seed {}, {}: {:#x} {:#x}, {}", kSeed, n, words[0], words.back(), lift::form_name(form)));
        Diagnostics diagnostics;
        const lift::Unit unit = lift::lift(program, {.form = form}, diagnostics);
        ASSERT_EQ(unit.kernels.size(), 1u);
        const auto& kernel = unit.kernels.front();
        EXPECT_EQ(kernel.lifted, !kernel.refusal.has_value());
        if (kernel.refusal) {
          EXPECT_EQ(kernel.refusal->path.find("code offset 0x"), 0u) << kernel.refusal->message;
        }
      }
    }
    EXPECT_GT(known, kTried / 3);
  }
}

}  // namespace
}  // namespace amdcompat_test::lifted::any_words_test
