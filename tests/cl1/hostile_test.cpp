// Every truncation and every single-bit flip of containers of our own: no crash, no report of a sanitizer, and a
// model that still writes back what was read.
#include <algorithm>

#include "samples.hpp"

namespace amdcompat::hostile_test {
namespace {

using test::Bytes;

class Hostile : public testing::TestWithParam<AddressBits> {};
INSTANTIATE_TEST_SUITE_P(Cl1, Hostile, testing::Values(AddressBits::Bits32, AddressBits::Bits64),
                         [](const auto& instance) {
                           return instance.param == AddressBits::Bits32 ? "Elf32" : "Elf64";
                         });

Bytes small_container(AddressBits bits) {
  cl1::ContainerSpec spec = test::container(bits);
  spec.kernels.resize(1);
  spec.kernels[0].image = test::image({test::il_encoding(), test::encoding(test::kPitcairnCode)});
  spec.kernels[0].il = "il_cs_2_0\nend\n";
  return test::build(spec);
}

// Reads, and touches every range of the result.
std::uint64_t use(const Bytes& bytes) {
  Diagnostics diagnostics(Mode::Strict);
  const auto read = cl1::read(bytes, diagnostics);
  if (!read) {
    const SourceRange where = diagnostics.all().back().where;
    EXPECT_LE(std::uint64_t{where.begin} + where.size, bytes.size());
    return 0;
  }
  EXPECT_EQ(cl1::write(*read), bytes);
  std::uint64_t sum = 0;
  const auto touch = [&](SourceRange range) {
    EXPECT_LE(std::uint64_t{range.begin} + range.size, bytes.size());
    for (const std::byte byte : read->view(range)) sum += std::to_integer<unsigned>(byte);
  };
  for (const elf::Section& section : read->sections) touch(section.name), touch(section.contents);
  for (const cl1::Symbol& symbol : read->symbols)
    touch(symbol.where), touch(symbol.name), touch(symbol.subject), touch(symbol.contents);
  for (const cl1::Kernel& kernel : read->kernels) {
    touch(kernel.metadata), touch(kernel.header_bytes), touch(kernel.image), touch(kernel.il);
    for (const cl1::Encoding& encoding : kernel.cal.encodings) {
      touch(encoding.where), touch(encoding.text), touch(encoding.data), touch(encoding.symbols),
          touch(encoding.strings);
      for (const cl1::CalNote& note : encoding.notes) touch(note.where), touch(note.description);
    }
  }
  for (const cl1::Global& global : read->globals) touch(global.contents);
  touch(read->compile_options), touch(read->linker_options), touch(read->driver);
  for (const Diagnostic& finding : diagnostics.all())
    EXPECT_LE(std::uint64_t{finding.where.begin} + finding.where.size, bytes.size()) << finding.message;
  return sum;
}

TEST_P(Hostile, SurvivesEveryTruncation) {
  const Bytes bytes = small_container(GetParam());
  ASSERT_LE(bytes.size(), 9u * 1024);
  for (std::size_t size = 0; size < bytes.size() && !HasFailure(); ++size)
    use(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
}

TEST_P(Hostile, SurvivesEverySingleBitFlip) {
  Bytes bytes = small_container(GetParam());
  ASSERT_NE(use(bytes), 0u);
  for (std::size_t at = 0; at < bytes.size() && !HasFailure(); ++at)
    for (unsigned bit = 0; bit < 8; ++bit) {
      bytes[at] ^= static_cast<std::byte>(1u << bit);
      use(bytes);
      bytes[at] ^= static_cast<std::byte>(1u << bit);
    }
}

TEST_P(Hostile, SurvivesAllOnesInEveryWord) {
  const Bytes bytes = small_container(GetParam());
  for (std::size_t at = 0; at + 4 <= bytes.size() && !HasFailure(); at += 2) {
    Bytes broken = bytes;
    std::fill_n(broken.begin() + static_cast<std::ptrdiff_t>(at), 4, std::byte{0xff});
    use(broken);
  }
}

// Many names for one long image: what is read stays within a small multiple of the file.
TEST(HostileSharing, ReadsSharedBytesOnlyAFewTimes) {
  cl1::ContainerSpec spec = test::container();
  spec.kernels.clear();
  for (int i = 0; i < 200; ++i) {
    cl1::KernelSpec kernel;
    kernel.name = fmt::format("k{:03}", i);
    kernel.metadata = "x";
    spec.kernels.push_back(kernel);
  }
  spec.kernels.back().metadata = std::string(100'000, 'm');
  Diagnostics diagnostics;
  cl1::Binary binary = test::read_good(test::build(spec), diagnostics);
  const cl1::Symbol big = binary.symbols[binary.kernels.back().metadata_symbol.value_or(0)];
  for (const cl1::Kernel& kernel : binary.kernels) {
    binary.symbols[kernel.metadata_symbol.value_or(0)].value = big.value;
    binary.symbols[kernel.metadata_symbol.value_or(0)].size = big.size;
  }
  Diagnostics findings;
  const cl1::Binary again = test::read_good(cl1::write(binary), findings);
  EXPECT_TRUE(findings.contains(Code::Cl1SharedContents));
  std::uint64_t sum = 0;
  for (const cl1::Kernel& kernel : again.kernels) sum += kernel.metadata.size;
  EXPECT_LE(sum, 2 * again.bytes.size());
}

}  // namespace
}  // namespace amdcompat::hostile_test
