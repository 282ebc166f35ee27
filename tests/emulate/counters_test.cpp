// Counters of OpenCL 1.x in GDS. No file with code that uses them was found: this one is written by hand from the
// instruction manuals, and where a runtime puts counters is taken as docs/emulate.md says, which is not verified.
#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include <amdcompat/emulate.hpp>
#include <amdcompat/launch_image.hpp>
#include <amdcompat/open.hpp>

#include "counting_code.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace counters_test {
namespace {

using namespace amdcompat;
using namespace amdcompat_test;

// clang-format off
// data[i] = what the 64-bit number at byte 8 of GDS had in its lower half, to which 1 << 32 | 16 is added.
constexpr std::uint32_t kRegion[] = {
    0xbefc030c,  // s_mov_b32 m0, s12
    0xc0880360,  // s_load_dwordx4 s[16:19], s[2:3], 0x60
    0xc20a0900,  // s_buffer_load_dword s20, s[8:11], 0x0
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x34000082,  // v_lshlrev_b32 v0, 2, v0
    0x4a000014,  // v_add_i32 v0, vcc, s20, v0
    0x7e060290,  // v_mov_b32 v3, 16
    0x7e080281,  // v_mov_b32 v4, 1
    0x7e0a0280,  // v_mov_b32 v5, 0
    0xd9820008, 0x01000305,  // ds_add_rtn_u64 v[1:2], v5, v[3:4] offset:8 gds
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xe0701000, 0x80040100,  // buffer_store_dword v1, v0, s[16:19], 0 offen
    0xbf810000,  // s_endpgm
};
// clang-format on

File opened(const std::vector<std::byte>& bytes) {
  Diagnostics diagnostics;
  return open({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, diagnostics).value();
}

constexpr std::uint64_t kData = 0x10000, kTaken = 0x20000, kAdded = 0x30004;

std::vector<std::byte> bytes_of(std::span<const std::uint32_t> words) {
  const auto bytes = std::as_bytes(words);
  return {bytes.begin(), bytes.end()};
}
std::uint32_t word(const emulate::Memory& memory, std::uint64_t address) {
  std::uint32_t out = 0;
  std::memcpy(&out, memory.view(address, 4).data(), 4);
  return out;
}

emulate::CalBindings bound(std::vector<emulate::CalBindings::Counter> counters) {
  emulate::CalBindings out;
  out.counters = std::move(counters);
  return out;
}

// A launch of 192 work-items in groups of 64.
Result<emulate::Launch> launch_of(const File& file, emulate::CalBindings bindings, emulate::Memory& memory) {
  const Kernel& kernel = file.program.kernels[0];
  Diagnostics diagnostics;
  auto image = amdcompat::abi::LaunchImage::create(kernel, diagnostics).value();
  amdcompat::abi::Range range;
  range.global[0] = 192;
  range.local = {64, 1, 1};
  EXPECT_TRUE(image.set_range(range, diagnostics));
  EXPECT_TRUE(image.set_buffer(0, {kData, kData, 0}, diagnostics));
  for (std::size_t n = 1; n < kernel.arguments.size(); ++n)
    EXPECT_TRUE(image.set_buffer(n, {kTaken, kTaken, 0}, diagnostics));
  EXPECT_TRUE(image.build(diagnostics)) << (diagnostics.all().empty() ? "" : diagnostics.all()[0].message);
  bindings.cb0.assign(image.cb0().begin(), image.cb0().end());
  bindings.cb1.assign(image.cb1().begin(), image.cb1().end());
  for (const amdcompat::abi::Binding& binding : image.bindings())
    if (binding.kind == amdcompat::abi::BindingKind::Uav && binding.words != 0)
      bindings.uavs.push_back({binding.slot, {binding.descriptor.begin(), binding.descriptor.end()}});
  auto out = emulate::kernel_launch(file.program, 0, bindings, 0, memory);
  if (out) {
    out->global = {192, 1, 1};
    out->local = {64, 1, 1};
  }
  return out;
}

TEST(Counters, AreInGdsDuringARunAndInTheirBuffersBehindIt) {
  const File file = opened(counting_container(kCountCode, cl1::kClassGdsCounters, kCounters));
  for (const unsigned threads : {1u, 2u}) {
    emulate::Memory memory;
    ASSERT_TRUE(memory.map(kData, std::vector<std::byte>(192 * 4)));
    ASSERT_TRUE(memory.map(kTaken, bytes_of(std::array{500u})));
    ASSERT_TRUE(memory.map(kAdded, bytes_of(std::array{7u})));
    const auto launch = launch_of(file, bound({{0, 32, kTaken}, {1, 32, kAdded}}), memory);
    ASSERT_TRUE(launch) << launch.error().message;
    Diagnostics diagnostics;
    const emulate::Report report = emulate::run(*launch, memory, {.threads = threads}, diagnostics);
    EXPECT_TRUE(report.clean()) << (diagnostics.all().empty() ? "" : diagnostics.all()[0].message);
    for (std::uint32_t item = 0; item < 192; ++item)
      ASSERT_EQ(word(memory, kData + item * 4), (7 + item / 64 * 64) | (500 - item / 64 * 64) << 16) << item;
    EXPECT_EQ(word(memory, kTaken), 500u - 192);
    EXPECT_EQ(word(memory, kAdded), 7u + 192);
    EXPECT_EQ(report.stores, 192u + 2);
  }
}

TEST(Counters, OfA64BitNumberAreBesideRegionMemory) {
  const File file = opened(counting_container(kRegion, cl1::kClassGdsMemory, "", "32"));
  emulate::Memory memory;
  ASSERT_TRUE(memory.map(kData, std::vector<std::byte>(192 * 4)));
  const auto launch = launch_of(file, {}, memory);
  ASSERT_TRUE(launch) << launch.error().message;
  Diagnostics diagnostics;
  const emulate::Report report = emulate::run(*launch, memory, {}, diagnostics);
  EXPECT_TRUE(report.clean()) << (diagnostics.all().empty() ? "" : diagnostics.all()[0].message);
  ASSERT_EQ(report.gds.size(), 64u);
  std::array<std::uint32_t, 2> sum{};
  std::memcpy(sum.data(), report.gds.data() + 32 + 8, 8);
  EXPECT_EQ(sum[0], 192u * 16);
  EXPECT_EQ(sum[1], 192u);
}

TEST(Counters, ThatCannotBeProvidedAreRefused) {
  const auto refusal = [](const std::vector<std::byte>& bytes, emulate::CalBindings bindings) {
    emulate::Memory memory;
    EXPECT_TRUE(memory.map(kTaken, bytes_of(std::array{500u})));
    const auto launch = launch_of(opened(bytes), std::move(bindings), memory);
    if (!launch) return launch.error().message;
    Diagnostics diagnostics;
    EXPECT_EQ(emulate::run(*launch, memory, {}, diagnostics).outcome, emulate::Outcome::Refused);
    return diagnostics.all().empty() ? std::string() : diagnostics.all()[0].message;
  };
  const auto counting = counting_container(kCountCode, cl1::kClassGdsCounters, kCounters);
  EXPECT_EQ(refusal(counting, bound({{8, 32, kTaken}})), "a counter 8");
  EXPECT_EQ(refusal(counting, bound({{0, 32, kTaken}, {1, 64, kTaken}})),
            "counters of 32 and of 64 bits beside each other");
  EXPECT_EQ(refusal(counting, bound({{0, 32, kTaken + 8}})), "a counter at 0x20008, where no memory is");
  EXPECT_EQ(refusal(counting_container(kRegion, cl1::kClassGdsMemory, ""), {}), "the metadata names no region memory");
  EXPECT_EQ(refusal(counting_container(kRegion, cl1::kClassGdsMemory, "", "65536"), {}), "65568 bytes of GDS");
}

#ifdef AMDCOMPAT_TOOL
TEST(Counters, OfALaunchFileAreBuffersOfOneNumber) {
  const TemporaryDirectory directory;
  const auto bytes = counting_container(kCountCode, cl1::kClassGdsCounters, kCounters);
  write_file(directory / "count.clo", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  // The second counter has no memory: a zero.
  write_file(directory / "launch.json",
             R"({"global": [128], "local": [64],
                 "arguments": [{"buffer": "0x10000", "size": 512}, {"buffer": "0x20000"}, {"buffer": "0x30000"}],
                 "memory": [{"address": "0x20000", "type": "uint", "value": [1000]}]})");
  const ProcessResult result =
      run("cd '" + (directory / "").string() +
          "' && '" AMDCOMPAT_TOOL "' run -q --kernel scale --launch launch.json --dump 0x10000:512:data --dump "
          "0x20000:4:taken --dump 0x30000:4:added count.clo");
  ASSERT_EQ(result.status, 0) << result.output;
  const auto number = [&](const char* name, std::size_t index) {
    std::uint32_t out = 0;
    const std::string from = read_file(directory / name);
    EXPECT_GE(from.size(), index * 4 + 4) << name;
    std::memcpy(&out, from.data() + index * 4, 4);
    return out;
  };
  EXPECT_EQ(number("data", 63), 1000u << 16);
  EXPECT_EQ(number("data", 64), (1000u - 64) << 16 | 64);
  EXPECT_EQ(number("taken", 0), 1000u - 128);
  EXPECT_EQ(number("added", 0), 128u);
}
#endif

}  // namespace
}  // namespace counters_test
