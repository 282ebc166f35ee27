// Every truncation and every single-bit flip of real files, and of our own samples, through open, check and convert.
// Whatever the bytes: no crash, no report of a sanitizer, and what was opened still writes back.
//
// AMDCOMPAT_FULL_SWEEP=1 in the environment runs all of them over the real files; otherwise a fixed sample keeps the
// test short. Our own samples are always swept whole.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>

#include "support/real_corpus.hpp"
#include "support/wants_all.hpp"

namespace amdcompat::hostile_sweep_test {
namespace {

// At most 32 KiB each, one of each kind of compiler and device.
constexpr const char* kReal[] = {
    "CLRX+CLRX-mirror/tests/amdbin/amdbins/alltypes.clo",           // GCN, 32 bits, every argument kind
    "CLRX+CLRX-mirror/tests/amdbin/amdbins/structkernel2_64.clo",   // GCN, 64 bits
    "CLRX+CLRX-mirror/tests/amdasm/amdbins/amd1.clo",               // written by an assembler
    "Multi2Sim+m2s-bench-amdsdk-2.5/DeviceFission/DeviceFission_Kernels.bin",           // driver 923.1, Tahiti
    "Multi2Sim+m2s-client-kit/local-tests/test-auto/evg-asm-vector-add/vector-add.bin"  // driver 923.1, Evergreen
};

bool full_sweep() {
  const char* value = std::getenv("AMDCOMPAT_FULL_SWEEP");
  return value != nullptr && std::string_view(value) == "1";
}

// What a user does with a file; true when it could be opened.
bool use(const std::string& bytes) {
  Diagnostics diagnostics(bytes.size() % 2 == 0 ? Mode::Lenient : Mode::Strict);
  OpenOptions options;
  // A flipped digit may declare a huge segment; what it allocates is not what is tested here.
  options.text.limits.segment_bytes = 1u << 20;
  const std::optional<File> file = open(bytes, diagnostics, options);
  if (file) {
    EXPECT_EQ(file->view(), bytes);
    if (file->cl1()) {
      const auto written = cl1::write(*file->cl1());
      EXPECT_TRUE(std::ranges::equal(written, std::as_bytes(std::span(bytes))));
    }
    for (const MetadataText& part : file->texts)
      EXPECT_EQ(text::print(part.document), std::string_view(bytes).substr(part.where.begin, part.where.size));
    const convert::Conversion conversion = convert::to_metadata(file->program, diagnostics);
    EXPECT_FALSE(hsa::to_yaml(conversion.metadata).empty());
  } else {
    EXPECT_TRUE(diagnostics.has_errors());
  }
  for (const Diagnostic& finding : diagnostics.all())
    EXPECT_LE(std::uint64_t{finding.where.begin} + finding.where.size, bytes.size()) << finding.message;
  return file.has_value();
}

// `step` 1 is every truncation and every flip; a larger one, coprime to 8, takes every bit position in turn.
void sweep(const std::string& original, std::size_t step) {
  ASSERT_TRUE(use(original));
  for (std::size_t size = 0; size < original.size() && !testing::Test::HasFailure(); size += step)
    use(original.substr(0, size));
  std::string bytes = original;
  for (std::size_t bit = 0; bit < 8 * bytes.size() && !testing::Test::HasFailure(); bit += step) {
    char& byte = bytes[bit / 8];
    const char before = byte;
    byte = static_cast<char>(static_cast<unsigned char>(before) ^ (1u << (bit % 8)));
    use(bytes);
    byte = before;
    if (testing::Test::HasFailure()) ADD_FAILURE() << "bit " << bit % 8 << " of byte " << bit / 8;
  }
}

class RealSweep : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Hostile, RealSweep, testing::ValuesIn(kReal), [](const auto& instance) {
  std::string name = std::filesystem::path(instance.param).stem().string();
  std::ranges::replace_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
});

TEST_P(RealSweep, SurvivesTruncationsAndBitFlips) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const std::string bytes = amdcompat_test::read_file(amdcompat_test::real_root() / "corpus" / GetParam());
  ASSERT_FALSE(bytes.empty());
  ASSERT_LE(bytes.size(), 32u * 1024);
  sweep(bytes, full_sweep() ? 1 : 37 * amdcompat_test::one_of(3));
}

TEST(OwnSweep, SurvivesEveryTruncationAndBitFlipOfOurSeeds) {
  const std::filesystem::path seeds = std::filesystem::path(AMDCOMPAT_SOURCE_DIR) / "fuzz/corpus";
  std::size_t files = 0;
  for (const char* kind : {"open", "text"})
    for (const auto& entry : std::filesystem::directory_iterator(seeds / kind)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("cl2-")) continue;  // swept in tests/cl2, with their metadata bit by bit
      const std::string bytes = amdcompat_test::read_file(entry.path());
      SCOPED_TRACE(name);
      sweep(bytes, amdcompat_test::one_of(3));
      ++files;
    }
  EXPECT_GE(files, 8u);
}

}  // namespace
}  // namespace amdcompat::hostile_sweep_test
