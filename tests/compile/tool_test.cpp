// `convert --layout natural --target` and `migrate --target` from outside.
#include <filesystem>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <manifest.hpp>

#include <amdcompat/cl1.hpp>

#include "code_samples.hpp"
#include "compilers.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::tool_test {
namespace {

using namespace amdcompat_test;
namespace fs = std::filesystem;

std::string scale() {
  const std::vector<std::byte> bytes = cl1::build(corpus::container_of(corpus::scale_32())).value();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

ProcessResult tool(const std::string& arguments) { return run("'" AMDCOMPAT_TOOL "' " + arguments); }

void write_scale(const fs::path& path) { write_file(path, scale()); }

TEST(CompileTool, ConvertWritesACodeObjectThatLlvmReads) {
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  AMDCOMPAT_NEEDS_PROGRAM("llvm-readelf-19", "llvm-19");
  const TemporaryDirectory directory;
  write_scale(directory / "old.clo");
  const fs::path object = directory / "new.hsaco";
  const ProcessResult converted =
      tool(fmt::format("convert --layout natural --to elf --target gfx900 --summary -o {} {}", object.string(),
                       (directory / "old.clo").string()));
  EXPECT_EQ(converted.status, 0) << converted.output;
  EXPECT_NE(converted.output.find("1 kernel: 1 converted"), std::string::npos) << converted.output;
  const ProcessResult notes = run(fmt::format("llvm-readelf-19 --notes {}", object.string()));
  EXPECT_EQ(notes.status, 0);
  EXPECT_NE(notes.output.find("amdhsa.target:   amdgcn-amd-amdhsa--gfx900"), std::string::npos) << notes.output;
  EXPECT_EQ(tool("check -q " + object.string()).status, 0);
  // As assembly, and proved.
  const ProcessResult text = tool(
      fmt::format("convert --layout natural --to asm --target gfx803 --prove -v {}", (directory / "old.clo").string()));
  EXPECT_EQ(text.status, 0) << text.output;
  EXPECT_NE(text.output.find("note[AC4504]: kernel scale: proved"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find(".amdhsa_kernel \"scale\""), std::string::npos);
}

TEST(CompileTool, WithoutACompilerThereIsAPlainWordAndNoOutput) {
  const TemporaryDirectory directory;
  write_scale(directory / "old.clo");
  const auto convert = [&](const std::string& options) {
    return tool(fmt::format("convert --layout natural --to elf -o {} {} {}", (directory / "new.hsaco").string(),
                            options, (directory / "old.clo").string()));
  };
  const ProcessResult missing = convert("--target gfx900 --compiler /nowhere/libamd_comgr.so.2");
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.output.find("error[AC4500]: '/nowhere/libamd_comgr.so.2' cannot be used as comgr"),
            std::string::npos)
      << missing.output;
  const FakeClang fake("exit 1");
  const ProcessResult unknown = convert("--target gfx1201 --compiler " + fake.path());
  EXPECT_EQ(unknown.status, 1);
  EXPECT_NE(unknown.output.find("error[AC4501]: clang 19.1.0 does not know gfx1201"), std::string::npos)
      << unknown.output;
  const ProcessResult failed = convert("--target gfx803 --compiler " + fake.path());
  EXPECT_EQ(failed.status, 1);
  EXPECT_NE(failed.output.find("error[AC4502]"), std::string::npos) << failed.output;
  EXPECT_FALSE(fs::exists(directory / "new.hsaco"));
  // Metadata needs none.
  EXPECT_EQ(convert("--target gfx602 --metadata-only --compiler /nowhere/clang").status, 0);
  EXPECT_TRUE(fs::exists(directory / "new.hsaco"));
}

TEST(CompileTool, MigrateCompilesWhatCannotBeKept) {
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  const TemporaryDirectory directory;
  fs::create_directory(directory / "in");
  write_scale(directory / "in/a.clo");
  const fs::path out = directory / "out";
  const auto migrate = [&](const std::string& options) {
    return tool(fmt::format("migrate --out {} {} {}", out.string(), options, (directory / "in").string()));
  };
  const ProcessResult first = migrate("--target gfx1030");
  EXPECT_EQ(first.status, 0) << first.output;
  Diagnostics findings;
  std::vector<migrate::ProgramRecord> programs;
  EXPECT_TRUE(migrate::read_manifest(
      out / "manifest.jsonl",
      [&](migrate::Record&& record) {
        if (auto* const program = std::get_if<migrate::ProgramRecord>(&record)) programs.push_back(std::move(*program));
        return true;
      },
      findings));
  ASSERT_EQ(programs.size(), 1u);
  ASSERT_EQ(programs[0].outputs.size(), 1u);
  EXPECT_EQ(programs[0].outputs[0].layout, "compiled");
  EXPECT_EQ(programs[0].outputs[0].target, "gfx1030");
  EXPECT_EQ(programs[0].kernels.at(0).layout, "compiled");
  EXPECT_EQ(programs[0].kernels.at(0).arguments.at(0).to, 0u);
  EXPECT_TRUE(fs::exists(out / programs[0].outputs[0].path));
  // The manifest says by which compiler, and without one the kernel is described.
  EXPECT_NE(read_file(out / "manifest.jsonl").find("\"compiler\":\"comgr "), std::string::npos);
  const ProcessResult without = migrate("--target gfx1030 --compiler none");
  EXPECT_EQ(without.status, 4);
  EXPECT_FALSE(fs::exists(out / programs[0].outputs[0].path));
}

TEST(CompileTool, MigrateRefusesWhatItsCompilerDoesNotKnowBeforeWork) {
  const TemporaryDirectory directory;
  write_scale(directory / "a.clo");
  const auto migrate = [&](const std::string& options) {
    return tool(
        fmt::format("migrate --out {} {} {}", (directory / "out").string(), options, (directory / "a.clo").string()));
  };
  const FakeClang fake("exit 1");
  const ProcessResult unknown = migrate("--target gfx1201 --compiler " + fake.path());
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.output.find("error[AC4501]: clang 19.1.0 does not know gfx1201"), std::string::npos)
      << unknown.output;
  EXPECT_EQ(migrate("--target gfx803 --compiler /nowhere/clang").status, 2);
  EXPECT_FALSE(fs::exists(directory / "out"));
}

}  // namespace
}  // namespace amdcompat::tool_test
