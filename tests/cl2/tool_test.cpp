// What the tool says of CL2 files of which the library knows more than the tool can print.
#include "samples.hpp"
#include "support/process.hpp"

namespace amdcompat::tool_test {
namespace {

using namespace amdcompat_test;

// Two kernels, `every` and `fill`; BRIG text of the first `described` of them.
ProcessResult convert_to_text(std::size_t described, const std::string& options = "") {
  const test::Shape shape{AddressBits::Bits64, cl2::HeaderSize::Hints};
  cl2::ContainerSpec spec = test::container(shape), described_only = spec;
  described_only.kernels.resize(described);
  test::describe_in_brig(described_only, shape);
  spec.brig = described == 0 ? test::Bytes() : described_only.brig;
  TemporaryDirectory directory;
  write_file(directory / "two.clo", test::string_of(test::build(spec)));
  return run("'" AMDCOMPAT_TOOL "' convert -q --to text " + options + " '" + (directory / "two.clo").string() + "'");
}

TEST(Cl2Tool, ConvertToTextPrintsWhatTheBrigModuleHolds) {
  const ProcessResult result = convert_to_text(2);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_NE(result.output.find("ARGSTART:__OpenCL_every_kernel"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("ARGSTART:__OpenCL_fill_kernel"), std::string::npos) << result.output;
}

TEST(Cl2Tool, ConvertToTextNamesTheKernelsWithoutText) {
  const ProcessResult some = convert_to_text(1);
  EXPECT_EQ(some.status, 1);
  EXPECT_NE(some.output.find("ARGSTART:__OpenCL_every_kernel"), std::string::npos) << some.output;
  EXPECT_NE(some.output.find("error[AC4016]: the file has no metadata text of kernel 'fill'"), std::string::npos)
      << some.output;
  EXPECT_EQ(convert_to_text(1, "--kernel every").status, 0);
  for (const ProcessResult& none : {convert_to_text(0), convert_to_text(1, "--kernel fill")}) {
    EXPECT_EQ(none.status, 1);
    EXPECT_EQ(none.output.find("ARGSTART"), std::string::npos) << none.output;
    EXPECT_NE(none.output.find("kernel 'fill'"), std::string::npos) << none.output;
  }
}

}  // namespace
}  // namespace amdcompat::tool_test
