// Generated host programs: compilers take them, and an OpenCL device runs them.
#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/cl1.hpp>
#include <amdcompat/stub.hpp>

#include "code_samples.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat {
namespace {

using namespace amdcompat_test;
namespace fs = std::filesystem;

std::string scale() {
  const std::vector<std::byte> bytes = cl1::build(corpus::container_of(corpus::scale_32())).value();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ProcessResult tool(const std::string& arguments) { return run("'" AMDCOMPAT_TOOL "' " + arguments); }

struct Language {
  stub::Api api;
  const char* command;  // of the compiler, for a file whose name follows
};
// One that knows the interface's header; of HIP declarations of the tests' own.
std::vector<Language> languages() {
  std::vector<Language> out;
  out.push_back({stub::Api::Hip,
                 AMDCOMPAT_CXX " -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I" AMDCOMPAT_STUB_HEADERS " -x c++ "});
  if (fs::exists("/usr/include/CL/cl.h"))
    out.push_back({stub::Api::OpenCl, "cc -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c "});
  if (AMDCOMPAT_HAS_HSA) out.push_back({stub::Api::Hsa, "cc -std=c11 -Wall -Wextra -Werror -fsyntax-only -x c "});
  return out;
}

// What the compiler says.
std::string problems(const Language& language, const std::string& source) {
  const TemporaryDirectory directory;
  write_file(directory / "stub", source);
  const ProcessResult result = run(std::string(language.command) + (directory / "stub").string());
  return result.status == 0 ? "" : result.output.substr(0, 2000);
}

TEST(Stub, ProgramsForEverySampleCompileWithoutAWarning) {
  std::size_t programs = 0;
  for (const auto& entry : fs::directory_iterator(AMDCOMPAT_SAMPLES))
    for (const Language& language : languages()) {
      const TemporaryDirectory directory;
      const fs::path out = directory / "stub.c";
      tool(fmt::format("stub -q --api {} -o {} '{}'", stub::api_name(language.api), out.string(),
                       entry.path().string()));
      if (!fs::exists(out)) continue;  // a sample without kernels
      EXPECT_EQ(problems(language, read_file(out)), "") << entry.path() << " " << stub::api_name(language.api);
      ++programs;
    }
  EXPECT_GT(programs, 20u);
}

TEST(Stub, NamesOfAnInputCannotLeaveTheirPlace) {
  hsa::Metadata metadata;
  hsa::MetadataKernel kernel;
  kernel.name = "k\"); system(\"true\\\n*/ ?"
                "?/";
  kernel.kernarg_segment_size = 24;
  hsa::MetadataArgument argument;
  argument.value_kind = hsa::ValueKind::GlobalBuffer;
  argument.size = 8;
  for (const char* name : {"int", "a\\", "a\n#error line"}) {
    argument.name = name;
    argument.type_name = std::string(name) + "*/\"";
    argument.offset = kernel.args.size() * 8;
    kernel.args.push_back(argument);
  }
  metadata.kernels = {kernel, kernel};
  for (const Language& language : languages())
    EXPECT_EQ(problems(language, stub::host_program(metadata, {.api = language.api, .file = "f\\\n#error"})), "")
        << stub::api_name(language.api);
}

TEST(Stub, MetadataThatContradictsItselfGivesAProgramWithoutThatKernel) {
  hsa::Metadata metadata;
  hsa::MetadataKernel kernel;
  kernel.name = "overlapping";
  kernel.kernarg_segment_size = ~std::uint64_t{0};
  hsa::MetadataArgument argument;
  argument.value_kind = hsa::ValueKind::ByValue;
  argument.size = 8;
  argument.offset = 0;
  kernel.args = {argument, argument};
  metadata.kernels.push_back(kernel);
  kernel.name = "huge";
  argument.size = ~std::uint64_t{0};
  kernel.args = {argument};
  metadata.kernels.push_back(kernel);
  kernel.name = "queues";
  argument.value_kind = hsa::ValueKind::Queue;
  argument.size = 8;
  kernel.args = {argument};
  metadata.kernels.push_back(kernel);
  for (const Language& language : languages()) {
    const std::string source = stub::host_program(metadata, {.api = language.api, .file = "f"});
    EXPECT_EQ(problems(language, source), "") << stub::api_name(language.api);
    EXPECT_NE(source.find("// huge is not launched: "), std::string::npos) << source;
    EXPECT_NE(source.find("// queues is not launched: "), std::string::npos);
    const bool left_out = source.find("// overlapping is not launched: ") != std::string::npos;
    EXPECT_EQ(left_out, language.api != stub::Api::OpenCl);  // which has no places
  }
}

TEST(Stub, TheSegmentOfHsaAndHipIsThatOfTheMetadata) {
  const TemporaryDirectory directory;
  write_file(directory / "old.clo", scale());
  const ProcessResult program = tool("stub --api hsa " + (directory / "old.clo").string());
  EXPECT_EQ(program.status, 0);
  for (const char* part : {"_Static_assert(offsetof(struct kernarg_run_scale, arg_",
                           ") == 0, \"place of an argument\");", "find_kernel(host, \"scale.kd\")"})
    EXPECT_NE(program.output.find(part), std::string::npos) << program.output;
}

TEST(Stub, AProgramForOpenClRunsTheLiftedKernel) {
  const bool has_library = fs::exists("/usr/lib/x86_64-linux-gnu/libOpenCL.so.1");
  if (!has_library || !fs::exists("/etc/OpenCL/vendors/pocl.icd"))
    GTEST_SKIP() << "pocl is not installed (Debian packages ocl-icd-libopencl1 and pocl-opencl-icd)";
  if (!fs::exists("/usr/include/CL/cl.h")) GTEST_SKIP() << "no CL/cl.h (Debian package opencl-c-headers)";
  const TemporaryDirectory directory;
  const auto path = [&](const char* name) { return (directory / name).string(); };
  write_file(directory / "old.clo", scale());
  ASSERT_EQ(tool(fmt::format("lift -o {} {}", path("unit.cl"), path("old.clo"))).status, 0);
  ASSERT_EQ(tool(fmt::format("stub --api opencl -o {} {}", path("stub.c"), path("old.clo"))).status, 0);
  const ProcessResult built = run(fmt::format("cc -std=c99 -Wall -Wextra -Wpedantic -Werror {} -o {} "
                                              "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1",
                                              path("stub.c"), path("stub")));
  ASSERT_EQ(built.status, 0) << built.output;
  const std::string environment = "POCL_DEVICES=basic POCL_CACHE_DIR=" + path("cache");
  const ProcessResult ran = run(fmt::format("{} timeout 60 {} {} scale", environment, path("stub"), path("unit.cl")));
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_NE(ran.output.find("global_buffer: 65536 bytes"), std::string::npos) << ran.output;
  const ProcessResult other = run(fmt::format("{} timeout 60 {} {} none", environment, path("stub"), path("unit.cl")));
  EXPECT_EQ(other.status, 1);
  EXPECT_EQ(other.output, "there is no such kernel\n");
}

}  // namespace
}  // namespace amdcompat
