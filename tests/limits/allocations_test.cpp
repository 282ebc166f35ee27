// Readers take memory for a file and for its tables, not for each argument: with twice as many arguments a kernel
// costs a few allocations more, those of vectors that grow. What libyaml takes for its own events is not counted. Names
// here have at most 15 characters, which a string of libstdc++ holds in itself; a longer one takes memory of its own.
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/hsa.hpp>
#include <amdcompat/open.hpp>

#include <cl1_builder.hpp>
#include <cl2_builder.hpp>

#include "support/count_allocations.hpp"

namespace amdcompat {
namespace {

constexpr std::size_t kFew = 400, kMany = 800;
constexpr std::size_t kOfGrowth = 40;  // of vectors that double, a tenth of one for each argument

std::size_t allocations_of(const std::function<void()>& work) {
  work();  // tables that are made once
  const std::size_t before = allocations();
  work();
  return allocations() - before;
}
void expect_none_for_each(std::size_t few, std::size_t many) {
  EXPECT_GT(few, 0u);
  EXPECT_LE(many, few + kOfGrowth);
}

// Buffers and values in turns, as compilers write them.
std::string amdil(std::size_t arguments) {
  std::string out =
      ";ARGSTART:__OpenCL_k_kernel\n;version:3:1:111\n;device:tahiti\n;uniqueid:1024\n;memory:uavprivate:0\n"
      ";memory:hwlocal:0\n;memory:hwregion:0\n";
  for (std::size_t n = 0; n < arguments; ++n)
    out += n % 2 == 0 ? fmt::format(";pointer:arg{}:float:1:1:{}:uav:12:4:RW:0:0\n", n, n * 16)
                      : fmt::format(";value:arg{}:i32:1:1:{}\n;constarg:{}:arg{}\n", n, n * 16, n, n);
  out += ";function:1:1030\n;memory:64bitABI\n;uavid:11\n;printfid:9\n;cbid:10\n;privateid:8\n";
  for (std::size_t n = 0; n < arguments; ++n)
    out += fmt::format(";reflection:{}:{}\n", n, n % 2 == 0 ? "float*" : "int");
  return out + ";ARGEND:__OpenCL_k_kernel\n";
}

std::size_t opening(std::span<const std::byte> bytes) {
  return allocations_of([&] {
    Diagnostics diagnostics;
    const auto file = open(bytes, diagnostics);
    ASSERT_TRUE(file);
    ASSERT_EQ(file->program.kernels.size(), 1u);
    ASSERT_GE(file->program.kernels[0].arguments.size(), kFew);
    // Findings have a text each; none of them may be about an argument.
    ASSERT_LE(diagnostics.all().size(), 2u) << diagnostics.all()[2].message;
  });
}

TEST(Allocations, ATextOfMetadataTakesNoneForAnArgument) {
  const std::string few = amdil(kFew), many = amdil(kMany);
  expect_none_for_each(opening(std::as_bytes(std::span(few))), opening(std::as_bytes(std::span(many))));
}

TEST(Allocations, AContainerOfOpenCl1TakesNoneForAnArgument) {
  const auto container = [](std::size_t arguments) {
    cl1::ContainerSpec spec;
    spec.machine = find_device("tahiti")->e_machine;
    cl1::KernelSpec& kernel = spec.kernels.emplace_back();
    kernel.name = "k";
    kernel.metadata = amdil(arguments);
    return cl1::build(spec).value();
  };
  expect_none_for_each(opening(container(kFew)), opening(container(kMany)));
}

TEST(Allocations, AContainerOfOpenCl2TakesNoneForAnArgument) {
  const auto container = [](std::size_t arguments) {
    cl2::ContainerSpec spec;
    cl2::KernelSpec& kernel = spec.kernels.emplace_back();
    kernel.name = "k";
    for (std::size_t n = 0; n < arguments; ++n) {
      cl2::ArgumentRecord& record = kernel.metadata.arguments.emplace_back();
      record.name = fmt::format("arg{}", n);
      record.type_name = n % 2 == 0 ? "float*" : "int";
      const auto slot = static_cast<std::uint32_t>(n * 16);
      if (n % 2 == 0)
        cl2::encode(record, cl2::PointerWords{.virtual_offset = slot, .align = 4, .data = 11});
      else
        cl2::encode(record, cl2::ValueWords{.virtual_offset = slot, .data = 6});
    }
    kernel.metadata.kernel_name = "__OpenCL_dummy_kernel";
    kernel.metadata.device_name = "generic";
    kernel.setup.kernarg_bytes = arguments / 2 * 16;
    return cl2::build(spec).value();
  };
  expect_none_for_each(opening(container(kFew)), opening(container(kMany)));
}

hsa::Metadata metadata(std::size_t arguments) {
  const std::string text = amdil(arguments);
  Diagnostics diagnostics;
  const auto file = open(std::as_bytes(std::span(text)), diagnostics);
  return file ? convert::to_metadata(file->program, diagnostics).metadata : hsa::Metadata{};
}

TEST(Allocations, MetadataInMessagePackTakesNoneForAnArgumentNeitherReadNorVerified) {
  const auto reading = [](std::size_t arguments) {
    const std::string bytes = hsa::to_msgpack(metadata(arguments));
    return allocations_of([&] {
      Diagnostics diagnostics;
      const auto read = hsa::read_msgpack(bytes, diagnostics);
      ASSERT_TRUE(read);
      ASSERT_EQ(read->kernels.size(), 1u);
      ASSERT_TRUE(hsa::verify(*read, diagnostics));
    });
  };
  expect_none_for_each(reading(kFew), reading(kMany));
}

TEST(Allocations, MetadataInYamlTakesNoneForAnArgument) {
  const auto reading = [](std::size_t arguments) {
    hsa::Metadata all = metadata(arguments);
    all.version = {1, 0};
    for (hsa::MetadataKernel& kernel : all.kernels)
      for (hsa::MetadataArgument& argument : kernel.args) argument.value_type = "f32";
    const std::string yaml = hsa::to_v2_yaml(all).value();
    return allocations_of([&] {
      Diagnostics diagnostics;
      const auto read = hsa::read_v2_yaml(yaml, diagnostics);
      ASSERT_TRUE(read);
      ASSERT_EQ(read->kernels.size(), 1u);
    });
  };
  expect_none_for_each(reading(kFew), reading(kMany));
}

}  // namespace
}  // namespace amdcompat
