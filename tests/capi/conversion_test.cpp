// Conversion through the C interface: the same objects, outcomes and proofs as the pipeline gives.
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include <amdcompat/amdcompat.h>
#include <amdcompat/pipeline.hpp>

#include "code_samples.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace conversion_test {
namespace {

namespace cl1 = amdcompat::cl1;

template <class T>
T make() {
  T out{};
  out.size = sizeof out;
  return out;
}

// A handle and what frees it.
struct File {
  explicit File(std::string_view bytes, std::uint32_t flags = 0) {
    EXPECT_EQ(amdcompat_open(bytes.data(), bytes.size(), flags, &handle), AMDCOMPAT_OK);
  }
  ~File() { amdcompat_file_free(handle); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  amdcompat_file* handle = nullptr;
};
struct Conversion {
  ~Conversion() { amdcompat_conversion_free(handle); }
  Conversion() = default;
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;
  [[nodiscard]] std::string object() const {
    std::size_t size = 1;
    const void* const bytes = amdcompat_conversion_object(handle, &size);
    EXPECT_EQ(bytes == nullptr, size == 0);
    return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
  }
  [[nodiscard]] std::string metadata(std::uint32_t form) const {
    std::size_t size = 1;
    const void* const bytes = amdcompat_conversion_metadata(handle, form, &size);
    EXPECT_EQ(bytes == nullptr, size == 0);
    return bytes == nullptr ? std::string() : std::string(static_cast<const char*>(bytes), size);
  }
  [[nodiscard]] amdcompat_kernel_outcome kernel(std::size_t index = 0) const {
    auto out = make<amdcompat_kernel_outcome>();
    EXPECT_EQ(amdcompat_conversion_kernel(handle, index, &out), AMDCOMPAT_OK);
    return out;
  }
  amdcompat_conversion* handle = nullptr;
};

std::string container(const corpus::Cl1Code& code) {
  const auto bytes = cl1::build(corpus::container_of(code)).value();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(CConversion, ConvertsAndProvesAsThePipelineDoes) {
  const std::string bytes = container(corpus::scale_32());
  const File file(bytes);
  auto options = make<amdcompat_convert_options>();
  options.flags = AMDCOMPAT_CONVERT_PROVE;
  Conversion out;
  ASSERT_EQ(amdcompat_convert(file.handle, &options, &out.handle), AMDCOMPAT_OK);
  ASSERT_EQ(amdcompat_conversion_kernel_count(out.handle), 1u);
  const amdcompat_kernel_outcome kernel = out.kernel();
  EXPECT_STREQ(kernel.name, "scale");
  EXPECT_EQ(kernel.outcome, std::uint32_t{AMDCOMPAT_OUTCOME_PROVED});
  EXPECT_EQ(kernel.reason, 0u);
  EXPECT_STREQ(kernel.reason_text, "");
  EXPECT_EQ(kernel.proof, std::uint32_t{AMDCOMPAT_PROOF_PROVED});
  EXPECT_EQ(kernel.launches, 3u);
  EXPECT_EQ(kernel.reached, kernel.instructions);
  EXPECT_GT(kernel.kernarg_bytes, 160u);
  EXPECT_EQ(out.metadata(AMDCOMPAT_METADATA_YAML), "");

  amdcompat::Diagnostics diagnostics;
  const auto opened = amdcompat::open(bytes, diagnostics);
  ASSERT_TRUE(opened);
  EXPECT_EQ(out.object(), amdcompat::pipeline::convert(*opened, {}, diagnostics).bytes);

  // The object in turn is a file of today, which is kept as it is, and does the same.
  const File after(out.object());
  Conversion again, verified, compared;
  ASSERT_EQ(amdcompat_convert(after.handle, nullptr, &again.handle), AMDCOMPAT_OK);
  EXPECT_EQ(again.object(), out.object());
  EXPECT_EQ(again.kernel().outcome, std::uint32_t{AMDCOMPAT_OUTCOME_AS_IT_IS});
  auto execute = make<amdcompat_verify_options>();
  execute.flags = AMDCOMPAT_VERIFY_EXECUTE;
  ASSERT_EQ(amdcompat_verify(file.handle, after.handle, &execute, &verified.handle), AMDCOMPAT_OK);
  ASSERT_EQ(amdcompat_conversion_kernel_count(verified.handle), 1u);
  EXPECT_EQ(verified.kernel().proof, std::uint32_t{AMDCOMPAT_PROOF_PROVED});
  EXPECT_EQ(amdcompat_verify(after.handle, after.handle, nullptr, &compared.handle), AMDCOMPAT_OK);
}

TEST(CConversion, LayoutTargetAndVersionAreChosen) {
  const File file(container(corpus::scale_32()));
  auto options = make<amdcompat_convert_options>();
  options.layout = AMDCOMPAT_LAYOUT_NATURAL;
  Conversion natural;
  ASSERT_EQ(amdcompat_convert(file.handle, &options, &natural.handle), AMDCOMPAT_OK);
  EXPECT_EQ(natural.kernel().outcome, std::uint32_t{AMDCOMPAT_OUTCOME_DESCRIBED});
  EXPECT_EQ(natural.object(), "");
  EXPECT_NE(natural.metadata(AMDCOMPAT_METADATA_YAML).find("amdhsa.kernels:"), std::string::npos);
  EXPECT_NE(natural.metadata(AMDCOMPAT_METADATA_MSGPACK), "");
  EXPECT_EQ(natural.metadata(7), "");

  options.layout = AMDCOMPAT_LAYOUT_IN_PLACE;
  options.target = "gfx700";
  options.code_object = 5;
  Conversion other;
  ASSERT_EQ(amdcompat_convert(file.handle, &options, &other.handle), AMDCOMPAT_OK);
  amdcompat::Diagnostics diagnostics;
  const auto object = amdcompat::hsa::read_code_object(other.object(), diagnostics);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->target->name, "gfx700");
  EXPECT_EQ(object->version, amdcompat::hsa::CodeObjectVersion::V5);
}

TEST(CConversion, WhatIsRefusedSaysWhyByKernel) {
  corpus::Cl1Code code = corpus::scale_32();
  for (cl1::ProgramInfoEntry& entry : code.encoding.program_info)
    if (entry.address == 0x80001045) entry.value = 16;  // scratch
  const File file(container(code));
  auto options = make<amdcompat_convert_options>();
  options.layout = AMDCOMPAT_LAYOUT_IN_PLACE;
  Conversion refused;
  ASSERT_EQ(amdcompat_convert(file.handle, &options, &refused.handle), AMDCOMPAT_REFUSED);
  EXPECT_EQ(refused.object(), "");
  EXPECT_EQ(refused.kernel().outcome, std::uint32_t{AMDCOMPAT_OUTCOME_REFUSED});
  EXPECT_EQ(refused.kernel().reason, 4302u);
  EXPECT_NE(*refused.kernel().reason_text, 0);
  EXPECT_GT(amdcompat_diagnostics_count(amdcompat_conversion_diagnostics(refused.handle)), 0u);
  // With metadata to fall back on the reason stays.
  Conversion described;
  ASSERT_EQ(amdcompat_convert(file.handle, nullptr, &described.handle), AMDCOMPAT_OK);
  EXPECT_EQ(described.kernel().outcome, std::uint32_t{AMDCOMPAT_OUTCOME_DESCRIBED});
  EXPECT_EQ(described.kernel().reason, 4302u);
  // But not where code for a target was asked for.
  options.layout = AMDCOMPAT_LAYOUT_AUTO;
  options.target = "gfx700";
  Conversion targeted;
  ASSERT_EQ(amdcompat_convert(file.handle, &options, &targeted.handle), AMDCOMPAT_REFUSED);
  EXPECT_EQ(targeted.kernel().outcome, std::uint32_t{AMDCOMPAT_OUTCOME_DESCRIBED});

  options.target = "gfx1";
  Conversion nowhere;
  EXPECT_EQ(amdcompat_convert(file.handle, &options, &nowhere.handle), AMDCOMPAT_REFUSED);
  // A container is nothing that is compared without running it.
  Conversion compared;
  EXPECT_EQ(amdcompat_verify(file.handle, file.handle, nullptr, &compared.handle), AMDCOMPAT_REFUSED);
}

TEST(CConversion, WrongCallsAreRefused) {
  const File file(container(corpus::scale_32()));
  Conversion out;
  EXPECT_EQ(amdcompat_convert(file.handle, nullptr, nullptr), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_convert(nullptr, nullptr, &out.handle), AMDCOMPAT_BAD_CALL);
  auto options = make<amdcompat_convert_options>();
  options.layout = 3;
  EXPECT_EQ(amdcompat_convert(file.handle, &options, &out.handle), AMDCOMPAT_BAD_CALL);
  options = make<amdcompat_convert_options>();
  options.code_object = 2;
  EXPECT_EQ(amdcompat_convert(file.handle, &options, &out.handle), AMDCOMPAT_BAD_CALL);
  options = make<amdcompat_convert_options>();
  options.flags = 4;
  EXPECT_EQ(amdcompat_convert(file.handle, &options, &out.handle), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_verify(file.handle, nullptr, nullptr, &out.handle), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(out.handle, nullptr);
  auto kernel = make<amdcompat_kernel_outcome>();
  EXPECT_EQ(amdcompat_conversion_kernel(nullptr, 0, &kernel), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_conversion_kernel_count(nullptr), 0u);
  EXPECT_EQ(amdcompat_conversion_object(nullptr, nullptr), nullptr);
  amdcompat_conversion_free(nullptr);
}

TEST(CConversionExample, WritesTheObjectAndSaysWhatBecameOfEachKernel) {
  namespace test = amdcompat_test;
  const std::string directory = testing::TempDir() + "amdcompat_c_conversion";
  const std::string in = directory + ".clo", out = directory + ".hsaco";
  test::write_file(in, container(corpus::scale_32()));
  const test::ProcessResult result = test::run("'" AMDCOMPAT_CONVERT_EXAMPLE "' '" + in + "' '" + out + "'");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "scale: converted and proved\n");
  const std::string written = test::read_file(out);
  amdcompat::Diagnostics diagnostics;
  EXPECT_TRUE(amdcompat::hsa::read_code_object(written, diagnostics));
}

}  // namespace
}  // namespace conversion_test
