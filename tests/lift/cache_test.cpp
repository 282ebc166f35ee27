// What was lifted before is found again, and nothing else. `lift_compile_test` holds all files to it.
#include <algorithm>
#include <cctype>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>

#include "support/real_corpus.hpp"

namespace amdcompat::cache_test {
namespace {

Program sample(std::string_view name) {
  Diagnostics diagnostics;
  auto file = open(amdcompat_test::read_file(std::filesystem::path(AMDCOMPAT_SAMPLES) / name), diagnostics);
  return file ? std::move(file->program) : Program();
}

std::string lifted(const Program& program, lift::Options options, lift::Cache* cache) {
  Diagnostics diagnostics;
  options.cache = cache;
  return lift::lift(program, options, diagnostics).source;
}

constexpr std::string_view kSamples[] = {"pitcairn-1702.clo", "pitcairn-scale.clo", "cl2-hawaii-code.clo",
                                         "cl2-tonga-code.clo", "object-gfx906.hsaco"};

class LiftCache : public testing::TestWithParam<std::string_view> {};

// The same file of another device: the device is named in the unit, and no kernel is lifted again.
TEST_P(LiftCache, FindsKernelsOfOtherFiles) {
  Program program = sample(GetParam());
  lift::Cache cache;
  const std::string first = lifted(program, {}, &cache);
  ASSERT_NE(first, "");
  EXPECT_EQ(first, lifted(program, {}, nullptr));
  for (Kernel& kernel : program.kernels) {
    kernel.device = "other";
    kernel.where.begin += 64;
    for (Argument& argument : kernel.arguments) argument.where.begin += 64;
  }
  program.device = "other";
  program.driver = "another";
  const std::size_t known = cache.size();
  EXPECT_GT(known, 0u);
  EXPECT_EQ(lifted(program, {}, &cache), lifted(program, {}, nullptr));
  EXPECT_EQ(cache.size(), known);
}

// Whatever is changed of what a lift reads: it is lifted anew.
TEST_P(LiftCache, FindsNothingThatWasChanged) {
  using Change = std::function<void(Program&, lift::Options&)>;
  const std::pair<const char*, Change> changes[] = {
      {"name", [](Program& p, lift::Options&) { p.kernels[0].name += "x"; }},
      {"group size", [](Program& p, lift::Options&) { p.kernels[0].limits.required_group_size = {8, 8, 1}; }},
      {"local memory", [](Program& p, lift::Options&) { p.kernels[0].segments.hardware_local += 512; }},
      {"argument",
       [](Program& p, lift::Options&) {
         for (Argument& argument : p.kernels[0].arguments) argument.name += "_";
       }},
      {"code",
       [](Program& p, lift::Options&) {
         const CodePlace& place = *p.kernels[0].code;  // s_nop in front of it, or another one
         constexpr std::byte kNop[] = {std::byte{7}, std::byte{0}, std::byte{0x80}, std::byte{0xbf}};
         std::vector<std::byte>& bytes = p.code.sections[place.section].bytes;
         std::ranges::copy(kNop, bytes.begin() + static_cast<std::ptrdiff_t>(place.offset));
       }},
      {"data",
       [](Program& p, lift::Options&) {
         for (DataSegment& data : p.data)
           for (std::byte& byte : data.bytes) byte ^= std::byte{1};
         for (CodeSection& section : p.code.sections)
           for (std::byte& byte : section.bytes)
             if (!section.executable) byte ^= std::byte{1};
       }},
      {"entry",
       [](Program& p, lift::Options&) {
         EntryState& entry = p.kernels[0].entry;
         if (auto* const state = std::get_if<cl1::CalState>(&entry)) state->info.float_mode = 0xf0;
         if (auto* const code = std::get_if<KernelCode>(&entry)) code->rsrc1 ^= 0x30000;
         if (auto* const descriptor = std::get_if<hsa::KernelDescriptor>(&entry)) descriptor->rsrc1 ^= 0x30000;
       }},
      {"form", [](Program&, lift::Options& o) { o.form = lift::Form::Wave; }},
      {"offsets", [](Program&, lift::Options& o) { o.annotate = true; }},
      {"exact", [](Program&, lift::Options& o) { o.exact = true; }},
  };
  const Program program = sample(GetParam());
  ASSERT_FALSE(program.kernels.empty());
  lift::Cache cache;
  lifted(program, {}, &cache);
  std::size_t others = 0;
  const std::string before = lifted(program, {}, nullptr);
  for (const auto& [what, change] : changes) {
    Program changed = program;
    lift::Options options;
    change(changed, options);
    const std::string anew = lifted(changed, options, nullptr);
    EXPECT_EQ(lifted(changed, options, &cache), anew) << what;
    others += anew != before;
  }
  EXPECT_GE(others, 5u);
  EXPECT_EQ(lifted(program, {}, &cache), before);
}

INSTANTIATE_TEST_SUITE_P(Samples, LiftCache, testing::ValuesIn(kSamples), [](const auto& one) {
  std::string name(one.param);
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

// Constants behind the code of OpenCL 1.x, found from where it is: of that section a cache keeps nothing.
TEST(LiftCaches, LeaveCodeAloneThatAsksWhereItIs) {
  Program program = sample("pitcairn-scale.clo");
  const CodePlace place = *program.kernels.at(0).code;
  std::vector<std::byte>& bytes = program.code.sections.at(place.section).bytes;
  // s_getpc_b64 s[22:23]; s_load_dword s21, s[22:23], 0x10; s_nop 0
  for (const auto& [at, word] : {std::pair(0x4u, 0xbe961f00u), {0x10u, 0xc00a9710u}, {0x1cu, 0xbf800000u}})
    for (std::size_t n = 0; n < 4; ++n) bytes.at(place.offset + at + n) = static_cast<std::byte>(word >> 8 * n);
  lift::Cache cache;
  const std::string source = lifted(program, {}, nullptr);
  EXPECT_NE(source.find("data_text"), std::string::npos) << source;
  for (int n = 0; n < 2; ++n) EXPECT_EQ(lifted(program, {}, &cache), source);
}

TEST(LiftCaches, ForgetWhatIsTooMuch) {
  const Program program = sample("pitcairn-1702.clo");
  const std::string source = lifted(program, {}, nullptr);
  lift::Cache none(0);
  EXPECT_EQ(lifted(program, {}, &none), source);
  EXPECT_EQ(none.size(), 0u);
  lift::Cache all;
  EXPECT_EQ(lifted(program, {}, &all), source);
  // Room for some: the last ones asked for, twice over at most.
  lift::Cache some(all.size() / 2);
  for (int n = 0; n < 3; ++n) {
    for (const std::string_view name : kSamples) lifted(sample(name), {}, &some);
    EXPECT_LE(some.size(), all.size() / 2);
  }
  EXPECT_EQ(lifted(program, {}, &some), source);
}

TEST(LiftCaches, AreForManyThreads) {
  std::vector<Program> programs;
  std::vector<std::string> sources;
  for (const std::string_view name : kSamples) {
    programs.push_back(sample(name));
    sources.push_back(lifted(programs.back(), {}, nullptr));
  }
  lift::Cache cache(std::size_t{64} << 10);
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t n = 0; n < 4 * programs.size(); ++n) {
        const std::size_t which = (n + t / 2) % programs.size();
        EXPECT_EQ(lifted(programs[which], {}, &cache), sources[which]);
      }
    });
}

}  // namespace
}  // namespace amdcompat::cache_test
