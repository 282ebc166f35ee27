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

namespace amdcompat::stub_test {
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

// A width of so many and a height of none, or a table of the wavefront's in local memory that holds half of it, is no
// launch that a kernel survives.
TEST(Stub, ValuesAndLocalMemoryOfAnExampleAreWhole) {
  hsa::Metadata metadata;
  hsa::MetadataKernel kernel;
  kernel.name = "kernel";
  kernel.kernarg_segment_size = 24;
  hsa::MetadataArgument argument;
  argument.value_kind = hsa::ValueKind::ByValue;
  argument.name = "size";
  argument.type_name = "uint2";
  argument.size = 8;
  argument.offset = 0;
  kernel.args.push_back(argument);
  argument.value_kind = hsa::ValueKind::DynamicSharedPointer;
  argument.type_name = "uint*";
  for (const char* name : {"one", "other"}) {
    argument.name = name;
    argument.offset = kernel.args.size() * 8;
    kernel.args.push_back(argument);
  }
  metadata.kernels = {kernel};
  const std::string opencl = stub::host_program(metadata, {.api = stub::Api::OpenCl, .file = "f"});
  EXPECT_NE(opencl.find("arg_size[2] = {64, 64};"), std::string::npos) << opencl;
  EXPECT_NE(opencl.find("clSetKernelArg(kernel, 2, kLocalBytes / 2 / 16 * 16, NULL)"), std::string::npos) << opencl;
  for (const stub::Api api : {stub::Api::Hip, stub::Api::Hsa}) {
    const std::string source = stub::host_program(metadata, {.api = api, .file = "f"});
    EXPECT_NE(source.find("segment.arg_size[1] = 64;"), std::string::npos) << source;
    EXPECT_NE(source.find("_bytes += kLocalBytes / 2 / 16 * 16;"), std::string::npos) << source;
  }
}

// 32 KiB were all that a work-group had, a kernel's own variables among them.
TEST(Stub, LocalArgumentsShareWhatTheKernelItselfLeaves) {
  hsa::Metadata metadata;
  hsa::MetadataKernel kernel;
  kernel.name = "kernel";
  hsa::MetadataArgument argument;
  argument.value_kind = hsa::ValueKind::DynamicSharedPointer;
  argument.type_name = "uint*";
  argument.size = 4;
  const auto source = [&](stub::Api api, std::uint64_t own, std::size_t arguments) {
    kernel.group_segment_fixed_size = own;
    kernel.args.clear();
    while (kernel.args.size() < arguments) {
      argument.offset = kernel.args.size() * 4;
      kernel.args.push_back(argument);
    }
    metadata.kernels = {kernel};
    return stub::host_program(metadata, {.api = api, .file = "f"});
  };
  struct Row {
    std::uint64_t own;
    std::size_t arguments;
    const char* bytes;
  };
  for (const auto& [own, arguments, bytes] : {Row{0, 1, "kLocalBytes"}, Row{1000, 1, "(kLocalBytes - 1008)"},
                                              Row{1024, 3, "(kLocalBytes - 1024) / 3 / 16 * 16"}, Row{32760, 1, "16"},
                                              Row{~std::uint64_t{0}, 1, "16"}, Row{32640, 9, "16"}}) {
    const std::string opencl = source(stub::Api::OpenCl, own, arguments);
    EXPECT_NE(opencl.find(fmt::format("clSetKernelArg(kernel, 0, {}, NULL)", bytes)), std::string::npos) << opencl;
    for (const stub::Api api : {stub::Api::Hip, stub::Api::Hsa}) {
      const std::string other = source(api, own, arguments);
      EXPECT_NE(other.find(fmt::format("_bytes += {};", bytes)), std::string::npos) << other;
    }
    for (const Language& language : languages())
      EXPECT_EQ(problems(language, source(language.api, own, arguments)), "") << stub::api_name(language.api);
  }
  EXPECT_NE(source(stub::Api::OpenCl, 0, 1000).find("clSetKernelArg(kernel, 999, kLocalBytes / 1000 / 16 * 16, NULL)"),
            std::string::npos);
}

// The sizes of an input are its own word: a program is not thousands of times as long as what it is made from.
TEST(Stub, ValuesOfASizeThatNoTypeHasAreBytes) {
  hsa::Metadata metadata;
  hsa::MetadataKernel kernel;
  kernel.name = "kernel";
  hsa::MetadataArgument argument;
  argument.value_kind = hsa::ValueKind::ByValue;
  argument.name = "value";
  argument.offset = 0;
  const auto source = [&](stub::Api api, const char* type, std::uint64_t size) {
    argument.type_name = type;
    argument.size = size;
    kernel.args = {argument};
    metadata.kernels = {kernel};
    return stub::host_program(metadata, {.api = api, .file = "f"});
  };
  for (const stub::Api api : stub::kApis)
    for (const char* const type : {"char", "int", "double"}) {
      const std::string bytes = source(api, type, 4096);
      EXPECT_NE(bytes.find("uint8_t arg_value[4096]"), std::string::npos) << bytes;
      EXPECT_LT(bytes.size(), source(api, type, 16).size() + 100) << type;
    }
  EXPECT_NE(source(stub::Api::OpenCl, "double16", 128).find("double arg_value[16]"), std::string::npos);
}

// A program for OpenCL, built from a sample and run on what is lifted from it.
class StubOnOpenCl : public testing::Test {
 protected:
  void SetUp() override {
    const bool has_library = fs::exists("/usr/lib/x86_64-linux-gnu/libOpenCL.so.1");
    if (!has_library || !fs::exists("/etc/OpenCL/vendors/pocl.icd"))
      GTEST_SKIP() << "pocl is not installed (Debian packages ocl-icd-libopencl1 and pocl-opencl-icd)";
    if (!fs::exists("/usr/include/CL/cl.h")) GTEST_SKIP() << "no CL/cl.h (Debian package opencl-c-headers)";
  }
  std::string path(const char* name) { return (directory_ / name).string(); }
  void build(const std::string& old) {
    ASSERT_EQ(tool(fmt::format("lift -o {} {}", path("unit.cl"), old)).status, 0);
    ASSERT_EQ(tool(fmt::format("stub --api opencl -o {} {}", path("stub.c"), old)).status, 0);
    const ProcessResult built = run(fmt::format("cc -std=c99 -Wall -Wextra -Wpedantic -Werror {} -o {} "
                                                "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1",
                                                path("stub.c"), path("stub")));
    ASSERT_EQ(built.status, 0) << built.output;
  }
  ProcessResult start(const char* kernel) {
    return run(fmt::format("POCL_DEVICES=basic POCL_CACHE_DIR={} timeout 60 {} {} {}", path("cache"), path("stub"),
                           path("unit.cl"), kernel));
  }

 private:
  const TemporaryDirectory directory_;
};

TEST_F(StubOnOpenCl, RunsTheLiftedKernel) {
  write_file(path("old.clo"), scale());
  ASSERT_NO_FATAL_FAILURE(build(path("old.clo")));
  const ProcessResult ran = start("scale");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_NE(ran.output.find("global_buffer: 4194304 bytes"), std::string::npos) << ran.output;
  const ProcessResult other = start("none");
  EXPECT_EQ(other.status, 1);
  EXPECT_EQ(other.output, "there is no such kernel\n");
}

TEST_F(StubOnOpenCl, BuildsSourceOfOpenCl20AsSuch) {
  ASSERT_NO_FATAL_FAILURE(build(AMDCOMPAT_SAMPLES "/cl2-spectre-samplers-32.clo"));
  EXPECT_NE(read_file(path("unit.cl")).find("-cl-std=CL2.0"), std::string::npos);
  const ProcessResult ran = start("scale");
  EXPECT_EQ(ran.status, 0) << ran.output;
}

// The words that count are those of the first comment, as for lift::build_options.
TEST_F(StubOnOpenCl, BuildsSourceThatSaysSoElsewhereAsOpenCl12) {
  write_file(path("old.clo"), scale());
  ASSERT_NO_FATAL_FAILURE(build(path("old.clo")));
  const std::string unit = read_file(path("unit.cl"));
  const std::string fails = "#if __OPENCL_C_VERSION__ >= 200\n#error built as OpenCL C 2.0\n#endif\n";
  write_file(path("unit.cl"), unit + fails + "// Needs OpenCL C 2.0\n");
  const ProcessResult elsewhere = start("scale");
  EXPECT_EQ(elsewhere.status, 0) << elsewhere.output;
  write_file(path("unit.cl"), "// Needs OpenCL C 2.0\n" + unit + fails);
  const ProcessResult first = start("scale");
  EXPECT_EQ(first.status, 1);
  EXPECT_NE(first.output.find("built as OpenCL C 2.0"), std::string::npos) << first.output;
}

}  // namespace
}  // namespace amdcompat::stub_test
