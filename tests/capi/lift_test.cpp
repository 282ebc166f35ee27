// Lifting through the C interface: the same source and outcomes as the pipeline gives.
#include <string>

#include <gtest/gtest.h>

#include <amdcompat/amdcompat.h>
#include <amdcompat/pipeline.hpp>

#include "code_samples.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace lift_test {
namespace {

namespace cl1 = amdcompat::cl1;

template <class T>
T make() {
  T out{};
  out.size = sizeof out;
  return out;
}

std::string container(const corpus::Cl1Code& code = corpus::scale_32()) {
  const auto bytes = cl1::build(corpus::container_of(code)).value();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
// With s_getreg_b32 among the instructions, which is not lifted.
std::string refused_container() {
  corpus::Cl1Code code = corpus::scale_32();
  constexpr std::uint32_t kGetRegister = 0xb9000801;
  for (std::size_t n = 0; n < 4; ++n)
    code.encoding.text[13 * 4 + n] = static_cast<std::byte>(kGetRegister >> (8 * n) & 255);
  return container(code);
}

// A file, and what was lifted of it.
struct Lifted {
  explicit Lifted(const std::string& bytes) {
    EXPECT_EQ(amdcompat_open(bytes.data(), bytes.size(), 0, &file), AMDCOMPAT_OK);
  }
  ~Lifted() {
    amdcompat_lifted_free(handle);
    amdcompat_file_free(file);
  }
  Lifted(const Lifted&) = delete;
  Lifted& operator=(const Lifted&) = delete;
  amdcompat_status lift(const amdcompat_lift_options* options) {
    amdcompat_lifted_free(handle);
    return amdcompat_lift(file, options, &handle);
  }
  [[nodiscard]] amdcompat_lift_outcome kernel(std::size_t index = 0) const {
    auto out = make<amdcompat_lift_outcome>();
    EXPECT_EQ(amdcompat_lifted_kernel(handle, index, &out), AMDCOMPAT_OK);
    return out;
  }
  amdcompat_file* file = nullptr;
  amdcompat_lifted* handle = nullptr;
};

TEST(CLift, GivesTheSourceThatThePipelineGives) {
  const std::string bytes = container();
  Lifted it(bytes);
  auto options = make<amdcompat_lift_options>();
  options.file = "a.bin";
  options.flags = AMDCOMPAT_LIFT_ANNOTATE | AMDCOMPAT_LIFT_EXACT;
  ASSERT_EQ(it.lift(&options), AMDCOMPAT_OK);
  amdcompat::Diagnostics diagnostics;
  const auto file = amdcompat::open(bytes, diagnostics);
  amdcompat::pipeline::LiftRequest request;
  request.lift.file = "a.bin";
  request.lift.annotate = true;
  request.lift.exact = true;
  const auto expected = amdcompat::pipeline::lift_file(*file, request, diagnostics);
  std::size_t size = 0;
  EXPECT_EQ(amdcompat_lifted_source(it.handle, &size), expected.source);
  EXPECT_EQ(size, expected.source.size());
  ASSERT_EQ(amdcompat_lifted_kernel_count(it.handle), 1u);
  EXPECT_STREQ(it.kernel().name, "scale");
  EXPECT_EQ(it.kernel().outcome, std::uint32_t{AMDCOMPAT_LIFT_LIFTED});
  EXPECT_EQ(it.kernel().form, std::uint32_t{AMDCOMPAT_FORM_WORK_ITEM});
  EXPECT_EQ(it.kernel().statements, expected.kernels[0].kernel.statements);
  EXPECT_EQ(it.kernel().proof, std::uint32_t{AMDCOMPAT_PROOF_NONE});
  EXPECT_STREQ(it.kernel().reason_text, "");
}

TEST(CLift, SaysWhatIsRefusedAndWhatIsNotProved) {
  Lifted refused(refused_container());
  EXPECT_EQ(refused.lift(nullptr), AMDCOMPAT_REFUSED);
  EXPECT_EQ(refused.kernel().outcome, std::uint32_t{AMDCOMPAT_LIFT_REFUSED});
  EXPECT_EQ(refused.kernel().form, 0u);
  EXPECT_EQ(refused.kernel().reason, 4405u);
  EXPECT_STRNE(refused.kernel().reason_text, "");
  EXPECT_STREQ(amdcompat_lifted_source(refused.handle, nullptr), "");
  EXPECT_EQ(amdcompat_diagnostics_count(amdcompat_lifted_diagnostics(refused.handle)), 1u);
  // A device that no machine has.
  Lifted it(container());
  auto options = make<amdcompat_lift_options>();
  options.flags = AMDCOMPAT_LIFT_PROVE;
  options.device = "nobody's device";
  EXPECT_EQ(it.lift(&options), AMDCOMPAT_REFUSED);
  EXPECT_EQ(it.kernel().outcome, std::uint32_t{AMDCOMPAT_LIFT_LIFTED});
  EXPECT_EQ(it.kernel().proof, std::uint32_t{AMDCOMPAT_PROOF_NOT_EXECUTABLE});
  EXPECT_STRNE(it.kernel().proof_text, "");
  EXPECT_STREQ(it.kernel().device, "");
  EXPECT_STRNE(amdcompat_lifted_source(it.handle, nullptr), "");
}

TEST(CLift, TakesTheFormThatIsAskedFor) {
  Lifted it(container());
  auto options = make<amdcompat_lift_options>();
  options.form = AMDCOMPAT_FORM_WAVE;
  EXPECT_EQ(it.lift(&options), AMDCOMPAT_OK);
  EXPECT_EQ(it.kernel().form, std::uint32_t{AMDCOMPAT_FORM_WAVE});
}

TEST(CLift, WrongCallsAreRefused) {
  Lifted it(container());
  EXPECT_EQ(amdcompat_lift(it.file, nullptr, nullptr), AMDCOMPAT_BAD_CALL);
  EXPECT_EQ(amdcompat_lift(nullptr, nullptr, &it.handle), AMDCOMPAT_BAD_CALL);
  auto options = make<amdcompat_lift_options>();
  options.form = 3;
  EXPECT_EQ(it.lift(&options), AMDCOMPAT_BAD_CALL);
  options = make<amdcompat_lift_options>();
  options.flags = 8;
  EXPECT_EQ(it.lift(&options), AMDCOMPAT_BAD_CALL);
  options = make<amdcompat_lift_options>();
  options.kernel = "nobody";
  EXPECT_EQ(it.lift(&options), AMDCOMPAT_NOT_FOUND);
  EXPECT_EQ(it.handle, nullptr);
  EXPECT_EQ(amdcompat_lifted_kernel_count(nullptr), 0u);
  std::size_t size = 1;
  EXPECT_STREQ(amdcompat_lifted_source(nullptr, &size), "");
  EXPECT_EQ(size, 0u);
  auto kernel = make<amdcompat_lift_outcome>();
  EXPECT_EQ(amdcompat_lifted_kernel(nullptr, 0, &kernel), AMDCOMPAT_BAD_CALL);
  amdcompat_lifted_free(nullptr);
}

TEST(CLiftExample, WritesTheSourceAndSaysWhatBecameOfEachKernel) {
  namespace test = amdcompat_test;
  const std::string name = testing::TempDir() + "amdcompat_c_lift";
  test::write_file(name + ".clo", container());
  const test::ProcessResult result = test::run("'" AMDCOMPAT_LIFT_EXAMPLE "' '" + name + ".clo' '" + name + ".cl'");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "scale: lifted\n");
  EXPECT_NE(test::read_file(name + ".cl").find("__kernel"), std::string::npos);
}

}  // namespace
}  // namespace lift_test
