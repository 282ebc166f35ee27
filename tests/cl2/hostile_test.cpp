// Every truncation and every single-bit flip of containers of our own: no crash, no report of a sanitizer, and a model
// that still writes back what was read.
#include <algorithm>

#include <amdcompat/convert.hpp>

#include "samples.hpp"

namespace amdcompat::hostile_test {
namespace {

using test::Bytes;
using test::Shape;

class Hostile : public testing::TestWithParam<Shape> {};
std::string shape_name(const testing::TestParamInfo<Shape>& instance) {
  static constexpr const char* kHeaders[] = {"Base", "Hidden", "Hints"};
  return fmt::format("{}{}", instance.param.bits == AddressBits::Bits32 ? "Elf32" : "Elf64",
                     kHeaders[static_cast<std::size_t>(instance.param.header)]);
}
INSTANTIATE_TEST_SUITE_P(Cl2, Hostile, testing::ValuesIn(test::all_shapes()), shape_name);

Bytes small_container(const Shape& shape) {
  cl2::ContainerSpec spec = test::container(shape);
  spec.kernels.resize(1);
  std::vector<cl2::ArgumentRecord>& arguments = spec.kernels[0].metadata.arguments;
  arguments.erase(arguments.begin() + 7, arguments.end() - 2);
  spec.kernels[0].metadata.printf = {{.id = 1, .sizes = {4}, .format = "%d"}};
  spec.kernels[0].setup = test::setup_for(spec.kernels[0].metadata, shape);
  test::describe_in_brig(spec, shape);
  return test::build(spec);
}

void use(const Bytes& bytes) {
  Diagnostics diagnostics(Mode::Strict);
  const auto file = open(test::string_of(bytes), diagnostics);
  for (const Diagnostic& finding : diagnostics.all())
    ASSERT_LE(std::uint64_t{finding.where.begin} + finding.where.size, bytes.size()) << finding.message;
  if (!file) {
    ASSERT_TRUE(diagnostics.has_errors());
    return;
  }
  if (!file->cl2()) return;  // a flip made it another kind of file
  ASSERT_EQ(cl2::write(*file->cl2()), bytes);
  (void)convert::to_metadata(file->program, diagnostics);
  const auto touch = [&](SourceRange range) { ASSERT_LE(std::uint64_t{range.begin} + range.size, bytes.size()); };
  for (const cl2::Kernel& kernel : file->cl2()->kernels)
    for (const SourceRange range :
         {kernel.metadata_bytes, kernel.stub, kernel.setup_bytes, kernel.code, kernel.isa_metadata})
      touch(range);
}

TEST_P(Hostile, SurvivesEveryTruncation) {
  const Bytes bytes = small_container(GetParam());
  for (std::size_t size = 0; size < bytes.size() && !HasFailure(); ++size)
    use(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
}

// One bit of each byte, a different one from byte to byte; all bits of what holds sizes, offsets and counts.
TEST_P(Hostile, SurvivesFlippedBits) {
  Bytes bytes = small_container(GetParam());
  Diagnostics diagnostics;
  const auto binary = cl2::read(bytes, diagnostics);
  ASSERT_TRUE(binary);
  const auto within = [](SourceRange range, std::size_t at) { return at - range.begin < range.size; };
  const cl2::Kernel& kernel = binary->kernels[0];
  for (std::size_t at = 0; at < bytes.size() && !HasFailure(); ++at) {
    const bool numbers = within(kernel.metadata_bytes, at) || within(kernel.setup_bytes, at) || at < 64;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if (!numbers && bit != at % 8) continue;
      bytes[at] ^= static_cast<std::byte>(1u << bit);
      use(bytes);
      bytes[at] ^= static_cast<std::byte>(1u << bit);
    }
  }
}

TEST_P(Hostile, SurvivesAllOnesInEveryWord) {
  const Bytes bytes = small_container(GetParam());
  for (std::size_t at = 0; at + 4 <= bytes.size() && !HasFailure(); at += 4) {
    Bytes broken = bytes;
    std::fill_n(broken.begin() + static_cast<std::ptrdiff_t>(at), 4, std::byte{0xff});
    use(broken);
  }
}

// A module whose pragmas all name one long string: the text stays within a small multiple of the module.
TEST(HostileBrig, RepeatedStringsDoNotMultiply) {
  std::vector<std::string> lines(2000, "x");
  lines.push_back(std::string(60'000, 'y'));
  Bytes brig = cl2::build_brig(lines, AddressBits::Bits64);
  Diagnostics diagnostics;
  const auto read = cl2::read_brig(brig, {0, static_cast<std::uint32_t>(brig.size())}, diagnostics);
  ASSERT_TRUE(read);
  // Every directive gets the operand list of the last one.
  const std::uint32_t last = read->pragmas.back().where.begin;
  for (const cl2::BrigPragma& pragma : read->pragmas)
    std::copy_n(brig.begin() + last + 4, 4, brig.begin() + pragma.where.begin + 4);
  cl2::ContainerSpec spec = test::container({});
  spec.brig = brig;
  const auto file = open(test::string_of(test::build(spec)), diagnostics);
  ASSERT_TRUE(file);
  EXPECT_TRUE(diagnostics.contains(Code::Cl2BrigBroken));
  ASSERT_EQ(file->texts.size(), 1u);
  EXPECT_LE(file->texts[0].document.source().size(), 4 * brig.size());
}

}  // namespace
}  // namespace amdcompat::hostile_test
