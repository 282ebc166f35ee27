// Compilers as the library uses them: what they make, and how they fail.
#include <algorithm>
#include <filesystem>
#include <thread>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/pipeline.hpp>

#include "code_samples.hpp"
#include "compilers.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::compile_test {
namespace {

using namespace amdcompat_test;
using compile::Compiler;
using pipeline::Outcome;

constexpr const char* kSource = "__kernel void twice(__global uint *x) { x[get_global_id(0)] *= 2u; }\n";

compile::Settings settings_for(const char* target) { return {.target = *hsa::parse_target(target)}; }

File opened(std::string bytes) {
  Diagnostics diagnostics;
  return open(std::move(bytes), diagnostics).value();
}
File opened(const std::vector<std::byte>& bytes) {
  return opened(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}
File scale() { return opened(cl1::build(corpus::container_of(corpus::scale_32())).value()); }
// With a second kernel, `other`, of the same code.
File scale_and_other() {
  cl1::ContainerSpec spec = corpus::container_of(corpus::scale_32());
  corpus::Cl1Code code = corpus::scale_32();
  for (std::size_t at = 0; (at = code.metadata.find("OpenCL_scale_", at)) != std::string::npos;)
    code.metadata.replace(at, 13, "OpenCL_other_");
  cl1::KernelSpec other = corpus::container_of(code).kernels.front();
  other.name = "other";
  spec.kernels.push_back(std::move(other));
  return opened(cl1::build(spec).value());
}

pipeline::Request request_for(const char* target, const Compiler& compiler) {
  pipeline::Request request;
  request.layout = pipeline::Layout::Natural;
  request.object.target = hsa::parse_target(target);
  request.compiler = &compiler;
  return request;
}

const Diagnostic* find(const Diagnostics& diagnostics, Code code) {
  const auto found = std::ranges::find(diagnostics.all(), code, &Diagnostic::code);
  return found == diagnostics.all().end() ? nullptr : &*found;
}

// --- what a machine may have or lack ---

TEST(Compiler, WhatIsNotThereIsRefusedByName) {
  for (const char* name : {"/nowhere/libamd_comgr.so.2", "no-such-clang", "/nowhere/clang"}) {
    const auto found = Compiler::find(name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error().code, Code::CompilerMissing);
    EXPECT_NE(found.error().message.find(name), std::string::npos) << found.error().message;
  }
  // A library and a program that are something else.
  const auto library = Compiler::find("libm.so.6");
  ASSERT_FALSE(library);
  EXPECT_NE(library.error().message.find("it has no amd_comgr_"), std::string::npos) << library.error().message;
  const auto program = Compiler::find("/bin/true");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().message, "no clang can be used: /bin/true: it is no clang");
  const FakeClang fake("exit 0", "14.0.6");
  const auto old = Compiler::find(fake.path());
  ASSERT_FALSE(old);
  EXPECT_TRUE(old.error().message.ends_with(": clang 14.0.6 is too old; 15 is not")) << old.error().message;
}

// As after clearenv: then there is no list of variables, not even an empty one.
TEST(Compiler, AProcessWithoutAnEnvironmentRunsCompilersToo) {
  const FakeClang fake("exit 0");
  char** const variables = std::exchange(environ, nullptr);
  const auto found = Compiler::find(fake.path());
  environ = variables;
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->name(), "clang 19.1.0");
}

TEST(Compiler, ComgrMakesCodeObjectsOfEveryVersionThatItSays) {
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  EXPECT_TRUE(comgr.name().starts_with("comgr ")) << comgr.name();
  EXPECT_TRUE(std::ranges::find(comgr.targets(), "gfx803") != comgr.targets().end());
  for (const auto version : {hsa::CodeObjectVersion::V3, hsa::CodeObjectVersion::V4, hsa::CodeObjectVersion::V5}) {
    compile::Settings settings = settings_for("gfx900:xnack-");
    settings.version = version;
    if (comgr.refusal(settings.target, version)) continue;
    const auto elf = comgr.compile(kSource, settings);
    ASSERT_TRUE(elf) << elf.error().message;
    Diagnostics findings;
    const auto object = hsa::read_code_object(*elf, findings);
    ASSERT_TRUE(object);
    EXPECT_EQ(object->version, version);
    EXPECT_EQ(object->target->name, "gfx900");
    ASSERT_EQ(object->metadata.kernels.size(), 1u);
    EXPECT_EQ(object->metadata.kernels[0].args.at(0).name, "x");
    EXPECT_TRUE(convert::check_object(*object, findings));
  }
}

TEST(Compiler, ASourceThatIsRefusedComesWithTheLog) {
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  const auto broken = comgr.compile("__kernel void k( {", settings_for("gfx803"));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Code::CompilerFailed);
  EXPECT_NE(broken.error().message.find("error: "), std::string::npos) << broken.error().message;
  // The process goes on.
  EXPECT_TRUE(comgr.compile(kSource, settings_for("gfx803")));
}

TEST(Compiler, TargetsAndVersionsThatItDoesNotKnowAreRefusedBeforeWork) {
  const FakeClang fake("exit 7");
  const auto clang = Compiler::find(fake.path());
  ASSERT_TRUE(clang) << clang.error().message;
  EXPECT_EQ(clang->name(), "clang 19.1.0");
  using enum hsa::CodeObjectVersion;
  EXPECT_FALSE(clang->refusal(*hsa::parse_target("gfx1100"), V5));
  const auto refused = clang->refusal(*hsa::parse_target("gfx900"), V5);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, Code::CompilerTarget);
  EXPECT_EQ(refused->message, "clang 19.1.0 does not know gfx900; the last that it knows is gfx1100");
  const auto version = clang->refusal(*hsa::parse_target("gfx803"), V3);
  ASSERT_TRUE(version);
  EXPECT_EQ(version->message, "clang 19.1.0 makes no code objects of V3 for gfx803");
  const auto asked = clang->compile(kSource, settings_for("gfx900"));
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().code, Code::CompilerTarget);
}

TEST(Compiler, ACompilerThatCrashesHangsOrWritesNothingIsAFinding) {
  const auto said_by = [](const char* script) {
    const FakeClang fake(script);
    const auto clang = Compiler::find(fake.path());
    EXPECT_TRUE(clang);
    compile::Settings settings = settings_for("gfx803");
    settings.seconds = 0.2;
    const auto made = clang->compile(kSource, settings);
    EXPECT_FALSE(made);
    EXPECT_EQ(made.error().code, Code::CompilerFailed);
    return made ? std::string() : made.error().message;
  };
  EXPECT_EQ(said_by("echo LLVM ERROR: out of registers; exit 1"),
            "clang 19.1.0: it refuses the source: LLVM ERROR: out of registers");
  EXPECT_EQ(said_by("kill -11 $$"), "clang 19.1.0: it was ended by signal Segmentation fault");
  EXPECT_EQ(said_by("sleep 60"), "clang 19.1.0: it took more than 0.2 s");
  EXPECT_EQ(said_by("while :; do :; done"), "clang 19.1.0: it took more than 0.2 s");
  EXPECT_EQ(said_by("exit 0"), "clang 19.1.0: it wrote nothing");
}

TEST(Compiler, SeveralThreadsCompileAtOnce) {
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  constexpr std::size_t kThreads = 8, kEach = 4;
  const auto alone = comgr.compile(kSource, settings_for("gfx803"));
  ASSERT_TRUE(alone);
  std::vector<std::size_t> good(kThreads);
  {
    std::vector<std::jthread> threads;
    for (std::size_t& count : good)
      threads.emplace_back([&] {
        for (std::size_t n = 0; n < kEach; ++n) {
          const auto made = comgr.compile(kSource, settings_for("gfx803"));
          count += made && *made == *alone ? 1 : 0;
        }
      });
  }
  EXPECT_EQ(good, std::vector<std::size_t>(kThreads, kEach));
}

// --- whole programs ---

TEST(CompiledPrograms, OldKernelsAreProvedToRunAsBeforeOnGfx803) {
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  pipeline::Request request = request_for("gfx803", comgr);
  request.prove = true;
  Diagnostics findings;
  const pipeline::Conversion made = pipeline::convert(scale_and_other(), request, findings);
  EXPECT_FALSE(findings.has_errors());
  ASSERT_TRUE(made.compiled);
  EXPECT_FALSE(made.object);
  EXPECT_EQ(made.count(Outcome::Proved), 2u);
  for (const pipeline::KernelResult& kernel : made.kernels) EXPECT_TRUE(kernel.compiled);
  EXPECT_NE(made.source.find("__kernel"), std::string::npos);
  EXPECT_EQ(made.compiled->target->name, "gfx803");
  EXPECT_NE(find(findings, Code::CompiledProved), nullptr);
}

TEST(CompiledPrograms, WhereTheTargetIsNotExecutedTheProofOfAStandInIsToldAndIsNone) {
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  pipeline::Request request = request_for("gfx1030", comgr);
  request.prove = true;
  Diagnostics findings;
  const pipeline::Conversion made = pipeline::convert(scale(), request, findings);
  EXPECT_EQ(made.count(Outcome::Converted), 1u);
  const Diagnostic* const unproved = find(findings, Code::CompiledUnproved);
  ASSERT_NE(unproved, nullptr);
  EXPECT_NE(
      unproved->message.find("code of gfx1030 is not executed here; the same source compiled for gfx803 is proved"),
      std::string::npos)
      << unproved->message;
  EXPECT_NE(find(findings, Code::ProofMissing), nullptr);
}

TEST(CompiledPrograms, ClangServesTargetsThatComgrDoesNotKnow) {
  AMDCOMPAT_NEEDS_CLANG_FOR(clang, "gfx1100", compile::kUsualVersion);
  Diagnostics findings;
  const pipeline::Conversion made = pipeline::convert(scale(), request_for("gfx1100", clang), findings);
  EXPECT_FALSE(findings.has_errors());
  ASSERT_TRUE(made.compiled);
  EXPECT_EQ(made.compiled->target->name, "gfx1100");
  EXPECT_EQ(made.compiled->version, compile::kUsualVersion);
}

TEST(CompiledPrograms, WhatNoCodeObjectInPlaceCanHaveIsCompiled) {
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  pipeline::Request request = request_for("gfx1030", comgr);
  request.layout = pipeline::Layout::Auto;
  Diagnostics findings;
  const pipeline::Conversion made = pipeline::convert(scale(), request, findings);
  EXPECT_FALSE(findings.has_errors());  // what stood against the old code is no error any more
  EXPECT_TRUE(made.compiled);
  EXPECT_EQ(made.count(Outcome::Converted), 1u);
  // A target of its own family: the old code serves, and nothing is compiled.
  request = request_for("gfx601", comgr);
  request.layout = pipeline::Layout::Auto;
  const pipeline::Conversion kept =
      pipeline::convert(opened(cl1::build(corpus::container_of(corpus::scale_64())).value()), request, findings);
  EXPECT_TRUE(kept.object);
  EXPECT_FALSE(kept.compiled);
}

// --- compilers that do something else ---

// A script that copies a code object instead of compiling.
std::string copying(const TemporaryDirectory& directory, const std::string& object) {
  write_file(directory / "object", object);
  return fmt::format("cat '{}' > \"$OUT\"", (directory / "object").string());
}

TEST(CompiledPrograms, AnotherLayoutThanTheNaturalOneIsRefused) {
  // The same kernel with its arguments where the old code has them.
  pipeline::Request in_place;
  in_place.layout = pipeline::Layout::InPlace;
  Diagnostics findings;
  const pipeline::Conversion other =
      pipeline::convert(opened(cl1::build(corpus::container_of(corpus::scale_64())).value()), in_place, findings);
  ASSERT_TRUE(other.object);
  const TemporaryDirectory directory;
  const FakeClang fake(copying(directory, other.bytes));
  const auto clang = Compiler::find(fake.path());
  ASSERT_TRUE(clang);
  const pipeline::Conversion made = pipeline::convert(scale(), request_for("gfx803", *clang), findings);
  EXPECT_FALSE(made.compiled);
  EXPECT_EQ(made.count(Outcome::Described), 1u);
  const Diagnostic* const layout = find(findings, Code::CompiledLayout);
  ASSERT_NE(layout, nullptr);
  EXPECT_EQ(layout->kernel, "scale");
}

TEST(CompiledPrograms, AnObjectThatIsBrokenIsRefused) {
  const TemporaryDirectory directory;
  for (const std::string& object : {std::string("\177ELF"), std::string("no ELF at all"), std::string(4096, '\0')}) {
    const FakeClang fake(copying(directory, object));
    const auto clang = Compiler::find(fake.path());
    ASSERT_TRUE(clang);
    Diagnostics findings;
    const pipeline::Conversion made = pipeline::convert(scale(), request_for("gfx803", *clang), findings);
    EXPECT_FALSE(made.compiled);
    EXPECT_NE(find(findings, Code::CompilerFailed), nullptr);
  }
}

TEST(CompiledPrograms, CodeThatDoesSomethingElseIsNotDelivered) {
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  Diagnostics findings;
  pipeline::Request request = request_for("gfx803", comgr);
  const pipeline::Conversion right = pipeline::convert(scale(), request, findings);
  ASSERT_TRUE(right.compiled);
  // The same source but for one operator.
  std::string source = right.source;
  const std::size_t kernel = source.find("__kernel");
  ASSERT_NE(kernel, std::string::npos);
  const std::size_t times = source.find(" * ", kernel);
  ASSERT_NE(times, std::string::npos) << source;
  source[times + 1] = '+';
  const auto wrong = comgr.compile(source, {.target = *hsa::parse_target("gfx803"), .flush_denormals = true});
  ASSERT_TRUE(wrong);
  const TemporaryDirectory directory;
  const FakeClang fake(copying(directory, *wrong));
  const auto clang = Compiler::find(fake.path());
  ASSERT_TRUE(clang);
  request = request_for("gfx803", *clang);
  request.prove = true;
  const pipeline::Conversion made = pipeline::convert(scale(), request, findings);
  EXPECT_FALSE(made.compiled);
  EXPECT_NE(find(findings, Code::CompiledDiffers), nullptr);
}

TEST(CompiledPrograms, AKernelThatStopsTheCompilerIsLeftOutAndTheOthersAreThere) {
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  Diagnostics findings;
  const pipeline::Conversion alone = pipeline::convert(scale(), request_for("gfx803", comgr), findings);
  ASSERT_TRUE(alone.compiled);
  const TemporaryDirectory directory;
  // The source is the word in front of -o.
  const FakeClang fake("for word; do case $word in *lifted.cl) text=$word;; esac; done\n"
                       "if grep -q 'void other' \"$text\"; then echo cannot; exit 1; fi\n" +
                       copying(directory, alone.compiled_bytes));
  const auto clang = Compiler::find(fake.path());
  ASSERT_TRUE(clang);
  const pipeline::Conversion made = pipeline::convert(scale_and_other(), request_for("gfx803", *clang), findings);
  ASSERT_TRUE(made.compiled);
  EXPECT_EQ(made.kernels[0].outcome, Outcome::Converted);
  EXPECT_EQ(made.kernels[1].outcome, Outcome::Described);
  const Diagnostic* const failed = find(findings, Code::CompilerFailed);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->kernel, "other");
}

// Where it refuses whatever it is given, hundreds of kernels are no reason to run it hundreds of times.
TEST(CompiledPrograms, KernelsThatStopTheCompilerAreLookedForByHalves) {
  cl1::ContainerSpec spec = corpus::container_of(corpus::scale_32());
  for (int n = 0; n < 300; ++n) {
    const std::string name = fmt::format("k{:03}", n);
    corpus::Cl1Code code = corpus::scale_32();
    for (std::size_t at = 0; (at = code.metadata.find("OpenCL_scale_", at)) != std::string::npos;)
      code.metadata.replace(at, 13, "OpenCL_" + name + "_");
    cl1::KernelSpec kernel = corpus::container_of(code).kernels.front();
    kernel.name = name;
    spec.kernels.push_back(std::move(kernel));
  }
  const File file = opened(cl1::build(spec).value());
  const TemporaryDirectory directory;
  const std::string runs = (directory / "runs").string();
  const FakeClang fake(fmt::format("echo run >> '{}'; echo cannot; exit 1", runs));
  const auto clang = Compiler::find(fake.path());
  ASSERT_TRUE(clang);
  write_file(runs, "");
  Diagnostics findings;
  const pipeline::Conversion made = pipeline::convert(file, request_for("gfx803", *clang), findings);
  EXPECT_FALSE(made.compiled);
  EXPECT_EQ(made.count(Outcome::Described), 301u);
  EXPECT_NE(find(findings, Code::CompilerFailed), nullptr);
  const auto count = std::filesystem::file_size(runs) / 4;  // "run" and a line feed
  EXPECT_GE(count, 10u);
  EXPECT_LE(count, 65u);
}

}  // namespace
}  // namespace amdcompat::compile_test
