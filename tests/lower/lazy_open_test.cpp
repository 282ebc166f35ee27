// Opening one kernel of a file, and opening without checks: what is read is the same, and what was left out is checked
// before anything is converted.
#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

#include <cl1_builder.hpp>

#include "support/real_corpus.hpp"

namespace amdcompat::lazy_open_test {
namespace {

namespace fs = std::filesystem;

struct Sample {
  std::string path, bytes;
  [[nodiscard]] std::span<const std::byte> view() const { return std::as_bytes(std::span(bytes)); }
};

// The project's own, damaged ones among them, and real files where there are some.
std::vector<Sample> samples() {
  std::vector<fs::path> roots{AMDCOMPAT_SAMPLES};
  if (amdcompat_test::has_real_corpus()) roots.push_back(amdcompat_test::real_root() / "corpus");
  std::vector<Sample> out;
  for (const fs::path& root : roots)
    for (const auto& entry : fs::recursive_directory_iterator(root))
      if (entry.is_regular_file() && entry.file_size() < (1u << 20))
        out.push_back({entry.path().string(), amdcompat_test::read_file(entry.path())});
  return out;
}

// What a finding says, for comparison.
auto told(const Diagnostic& d) {
  return std::tuple(d.code, d.severity, d.where.begin, d.where.size, d.block, d.kernel, d.argument, d.path, d.message);
}
using Told = decltype(told(Diagnostic{}));
std::vector<Told> told(const Diagnostics& diagnostics) {
  std::vector<Told> out;
  for (const Diagnostic& d : diagnostics.all()) out.push_back(told(d));
  std::ranges::sort(out);
  return out;
}

// A kernel but for the section that its code was put into, which depends on the kernels before it.
Kernel without_section(Kernel kernel) {
  if (kernel.code) kernel.code->section = 0, kernel.code->offset = 0;
  return kernel;
}

TEST(LazyOpen, OneKernelOfAContainerIsWhatItIsAmongAllOfThem) {
  std::size_t compared = 0;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.path);
    Diagnostics all_findings;
    const auto all = open(sample.view(), all_findings);
    if (!all || (all->cl1() == nullptr && all->cl2() == nullptr)) continue;
    for (const Kernel& kernel : all->program.kernels) {
      OpenOptions options;
      options.kernel = kernel.name;
      Diagnostics findings;
      const auto one = open(sample.view(), findings, options);
      ASSERT_TRUE(one);
      const auto found = std::ranges::find(one->program.kernels, kernel.name, &Kernel::name);
      ASSERT_NE(found, one->program.kernels.end());
      EXPECT_EQ(without_section(*found), without_section(kernel));
      if (kernel.code) {
        const auto code = kernel_code(one->program, *found), whole = kernel_code(all->program, kernel);
        EXPECT_TRUE(std::ranges::equal(code, whole));
      }
      EXPECT_TRUE(std::ranges::equal(one->program.samplers, all->program.samplers));
      // Nothing is lost but what is about other kernels, and nothing is said that was not.
      const std::vector<Told> few = told(findings), many = told(all_findings);
      EXPECT_TRUE(std::ranges::includes(many, few));
      for (const Diagnostic& finding : all_findings.all()) {
        if (!finding.kernel.empty() && finding.kernel != kernel.name) continue;
        EXPECT_TRUE(std::ranges::binary_search(few, told(finding))) << finding.message;
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 20u);
}

// Two kernels, the second one's metadata, header and image as given.
std::vector<std::byte> container(const std::string& metadata, const std::vector<std::byte>& image) {
  cl1::ContainerSpec spec;
  spec.machine = find_device("tahiti")->e_machine;
  for (const std::string name : {"one", "two"}) {
    cl1::KernelSpec& kernel = spec.kernels.emplace_back();
    kernel.name = name;
    kernel.metadata = fmt::format(
        ";ARGSTART:__OpenCL_{0}_kernel\n;version:3:1:111\n;device:tahiti\n;uniqueid:1024\n;memory:uavprivate:0\n"
        ";memory:hwlocal:0\n;memory:hwregion:0\n;value:n:i32:1:1:0\n;function:1:1030\n;uavid:11\n;printfid:9\n"
        ";cbid:10\n;privateid:8\n;reflection:0:int\n;ARGEND:__OpenCL_{0}_kernel\n",
        name);
    kernel.header.emplace();
  }
  spec.kernels.back().metadata = metadata;
  spec.kernels.back().image = image;
  return cl1::build(spec).value();
}

TEST(LazyOpen, TheOtherKernelsAreNotRead) {
  const std::vector<std::byte> bytes = container("what nobody can read", std::vector<std::byte>(64, std::byte{0x7f}));
  Diagnostics all_findings, findings;
  const auto all = open(bytes, all_findings);
  ASSERT_TRUE(all);
  OpenOptions options;
  options.kernel = "one";
  const auto one = open(bytes, findings, options);
  ASSERT_TRUE(one);
  ASSERT_EQ(one->program.kernels.size(), 1u);
  EXPECT_EQ(one->program.refused, 0u);
  EXPECT_EQ(one->texts.size(), 1u);
  // Their names are known, their bytes are not looked at.
  ASSERT_EQ(one->cl1()->kernels.size(), 2u);
  EXPECT_EQ(one->cl1()->kernels[1].name, "two");
  EXPECT_FALSE(one->cl1()->kernels[1].header);
  const auto about_two = [](const Diagnostic& finding) { return finding.message.contains("two"); };
  EXPECT_TRUE(std::ranges::any_of(all_findings.all(), about_two));
  EXPECT_FALSE(std::ranges::any_of(findings.all(), about_two));
}

TEST(LazyOpen, ANameThatNoSymbolHasIsLookedForInAllBlocks) {
  // The symbol says "two", its block "three".
  const std::vector<std::byte> bytes = container(
      ";ARGSTART:__OpenCL_three_kernel\n;version:3:1:111\n;device:tahiti\n;uniqueid:1024\n;memory:uavprivate:0\n"
      ";memory:hwlocal:0\n;memory:hwregion:0\n;function:1:1030\n;uavid:11\n;printfid:9\n;cbid:10\n;privateid:8\n"
      ";ARGEND:__OpenCL_three_kernel\n",
      {});
  OpenOptions options;
  options.kernel = "three";
  Diagnostics findings, all_findings;
  const auto file = open(bytes, findings, options);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->program.kernels.size(), 2u);
  ASSERT_TRUE(open(bytes, all_findings));
  EXPECT_EQ(told(findings), told(all_findings));
}

TEST(LazyOpen, ChecksThatWereLeftOutAreMadeByCheckAndLeaveNothingOut) {
  std::size_t more = 0;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.path);
    OpenOptions options;
    options.checks = false;
    for (const Mode mode : {Mode::Lenient, Mode::Strict}) {
      Diagnostics at_once(mode), apart(mode);
      const auto checked = open(sample.view(), at_once);
      const auto file = open(sample.view(), apart, options);
      ASSERT_EQ(checked.has_value(), file.has_value());
      if (!file) continue;
      EXPECT_FALSE(checked->unchecked);
      EXPECT_EQ(file->program.kernels, checked->program.kernels);
      EXPECT_EQ(file->program.data, checked->program.data);
      const std::size_t read = apart.all().size();
      check(*file, apart);
      EXPECT_EQ(told(apart), told(at_once));
      more += apart.all().size() > read ? 1 : 0;
      const std::size_t before = at_once.all().size();
      check(*checked, at_once);  // nothing is left
      EXPECT_EQ(at_once.all().size(), before);
    }
  }
  EXPECT_GT(more, 10u);
}

TEST(LazyOpen, AConversionMakesTheChecksFirst) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.path);
    OpenOptions options;
    options.checks = false;
    Diagnostics at_once, apart;
    const auto checked = open(sample.view(), at_once);
    const auto file = open(sample.view(), apart, options);
    if (!file || !checked) continue;
    const pipeline::Conversion expected = pipeline::convert(*checked, {}, at_once);
    const pipeline::Conversion made = pipeline::convert(*file, {}, apart);
    EXPECT_EQ(made.bytes, expected.bytes);
    EXPECT_EQ(told(apart), told(at_once));
  }
}

}  // namespace
}  // namespace amdcompat::lazy_open_test
