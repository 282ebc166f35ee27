// Whole code objects: real files of every version read and written again, objects that LLVM assembles and links here,
// and the rules that tell versions apart.
#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/code_object.hpp>

#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace hsa = amdcompat::hsa;
using amdcompat::Code;
using amdcompat::Diagnostics;
using amdcompat_test::run;
using hsa::CodeObject;
using hsa::CodeObjectVersion;
using hsa::FeatureSetting;

namespace code_object_test {
namespace {

std::string messages(const Diagnostics& diagnostics) {
  std::string out;
  for (const auto& finding : diagnostics.all())
    out += fmt::format("{} {} {}\n", amdcompat::code_label(finding.code), finding.path, finding.message);
  return out;
}

CodeObject read(const std::string& bytes) {
  Diagnostics diagnostics;
  auto object = hsa::read_code_object(bytes, diagnostics);
  EXPECT_TRUE(object) << messages(diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << messages(diagnostics);
  return object.value_or(CodeObject{});
}

// Where the sections lie is free; all else of two models must agree.
CodeObject normal(CodeObject object) {
  const std::uint64_t first = object.code.sections.empty() ? 0 : object.code.sections.front().address;
  for (auto& section : object.code.sections) section.address -= first;
  object.metadata_bytes.clear();
  object.relocatable = false;
  return object;
}

// A small program of two kernels, data they address, and a variable, with everything a linker resolves.
constexpr std::string_view kSource = R"(
  .amdgcn_target "amdgcn-amd-amdhsa--{0}"
  .text
  .globl first
  .p2align 8
  .type first,@function
first:
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, table@rel32@lo+4
  s_addc_u32 s5, s5, table@rel32@hi+12
  s_endpgm
.Lfirst_end:
  .size first, .Lfirst_end-first
  .globl second
  .p2align 8
  .type second,@function
second:
  s_endpgm
.Lsecond_end:
  .size second, .Lsecond_end-second
  .section .rodata,"a"
  .p2align 6
  .amdhsa_kernel first
    .amdhsa_next_free_vgpr 1
    .amdhsa_next_free_sgpr 8
    .amdhsa_kernarg_size 16
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .end_amdhsa_kernel
  .amdhsa_kernel second
    .amdhsa_next_free_vgpr 5
    .amdhsa_next_free_sgpr 1
  .end_amdhsa_kernel
  .hidden table
  .globl table
table:
  .long 1,2,3,4
  .size table, 16
  .data
  .globl variable
  .p2align 3
  .type variable,@object
variable:
  .quad table
  .quad first
  .size variable, 16
  .amdgpu_metadata
---
amdhsa.version: [1, {1}]
amdhsa.target: amdgcn-amd-amdhsa--{0}
amdhsa.kernels:
  - .name: first
    .symbol: first.kd
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: {2}
    .sgpr_count: 8
    .vgpr_count: 1
    .max_flat_workgroup_size: 256
    .args:
      - .name: a
        .size: 8
        .offset: 0
        .value_kind: global_buffer
        .address_space: global
  - .name: second
    .symbol: second.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 4
    .wavefront_size: {2}
    .sgpr_count: 1
    .vgpr_count: 5
    .max_flat_workgroup_size: 1024
    .args: []
...
  .end_amdgpu_metadata
)";

struct Assembled {
  std::string relocatable, linked;
};
Assembled assemble(const std::string& processor, int version, const std::string& target) {
  const amdcompat_test::TemporaryDirectory directory;
  amdcompat_test::write_file(directory / "k.s", fmt::format(fmt::runtime(kSource), target, version == 4 ? 1 : 2,
                                                            processor == "gfx1010" ? 32 : 64));
  const auto result =
      run(fmt::format("cd {} && llvm-mc-19 -triple amdgcn-amd-amdhsa -mcpu={} {} --amdhsa-code-object-version={} "
                      "-filetype=obj k.s -o k.o && ld.lld-19 -shared k.o -o k.hsaco",
                      (directory / "").string(), processor,
                      target.find("xnack+") != std::string::npos   ? "-mattr=+xnack"
                      : target.find("xnack-") != std::string::npos ? "-mattr=-xnack"
                                                                   : "",
                      version));
  EXPECT_EQ(result.status, 0) << result.output;
  return {amdcompat_test::read_file(directory / "k.o"), amdcompat_test::read_file(directory / "k.hsaco")};
}

// What llvm-readelf says against a file, warnings included; empty: nothing.
std::string complaints(const std::string& bytes) {
  const amdcompat_test::TemporaryDirectory directory;
  amdcompat_test::write_file(directory / "k.hsaco", bytes);
  const auto result =
      run(fmt::format("llvm-readelf-19 -hSlrW --symbols --dyn-syms --notes --dynamic-table --gnu-hash-table "
                      "--hash-symbols {} > {}; grep -iE 'warning|error|invalid' {}",
                      (directory / "k.hsaco").string(), (directory / "out").string(), (directory / "out").string()));
  return result.output;
}

class Linked : public testing::TestWithParam<std::tuple<const char*, int, const char*>> {};

TEST_P(Linked, ReadsWritesAndReadsTheSame) {
  const auto& [processor, version, target] = GetParam();
  const Assembled files = assemble(processor, version, target);
  for (const std::string& file : {files.linked, files.relocatable}) {
    const CodeObject object = read(file);
    ASSERT_EQ(object.kernels.size(), 2u);
    EXPECT_EQ(object.version, static_cast<CodeObjectVersion>(version));
    ASSERT_NE(object.target, nullptr);
    EXPECT_EQ(object.target->name, processor);
    EXPECT_EQ(hsa::target_id(*object.target, object.version, object.features),
              fmt::format("amdgcn-amd-amdhsa--{}", target));
    EXPECT_EQ(object.kernels[0].name, "first");
    EXPECT_EQ(object.kernels[0].code.size, 24u);
    EXPECT_EQ(object.kernels[0].descriptor->kernarg_size, 16u);
    EXPECT_EQ(object.code.relocations.size(), 2u) << "the two words of `variable`";
    EXPECT_EQ(hsa::to_msgpack(object.metadata), object.metadata_bytes);
    const auto written = hsa::write_code_object(object);
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(complaints(*written), "");
    EXPECT_EQ(normal(read(*written)), normal(object));
    Diagnostics findings;
    EXPECT_TRUE(hsa::check_code_object(object, findings)) << messages(findings);
  }
  // The linker and this reader lay the relocatable file out alike as far as distances matter.
  const CodeObject linked = read(files.linked), laid_out = read(files.relocatable);
  EXPECT_EQ(linked.metadata, laid_out.metadata);
  for (std::size_t i = 0; i < 2; ++i) {
    hsa::KernelDescriptor a = *linked.kernels[i].descriptor, b = *laid_out.kernels[i].descriptor;
    a.entry_offset = b.entry_offset = 0;
    EXPECT_EQ(a, b);
  }
}
INSTANTIATE_TEST_SUITE_P(All, Linked,
                         testing::Values(std::tuple{"gfx700", 5, "gfx700"}, std::tuple{"gfx803", 4, "gfx803"},
                                         std::tuple{"gfx906", 4, "gfx906:xnack+"},
                                         std::tuple{"gfx906", 5, "gfx906:xnack-"},
                                         std::tuple{"gfx1010", 6, "gfx1010"}));

TEST(Notes, OfTheProducerAreReadWhereTheyHaveTheirStructure) {
  const amdcompat_test::TemporaryDirectory directory;
  amdcompat_test::write_file(directory / "k.s", R"(
  .amdgcn_target "amdgcn-amd-amdhsa--gfx803"
  .text
  s_endpgm
  .section .note,"a",@note
  .long 4, 22, 4
  .asciz "AMD"
  .short 10, 0
  .long 3, 7
  .asciz "finalizer"
  .p2align 2
  .long 4, 7, 5
  .asciz "AMD"
  .short 5
  .ascii "-cl-x"
  .p2align 2
)");
  const auto made =
      run(fmt::format("cd {} && llvm-mc-19 -triple amdgcn-amd-amdhsa -mcpu=gfx803 -filetype=obj k.s -o k.o",
                      (directory / "").string()));
  ASSERT_EQ(made.status, 0) << made.output;
  std::string file = amdcompat_test::read_file(directory / "k.o");
  Diagnostics findings;
  const auto object = hsa::read_code_object(file, findings);
  ASSERT_TRUE(object);
  EXPECT_EQ(object->notes.producer, "finalizer 3.7");
  EXPECT_EQ(object->notes.producer_options, "-cl-x");
  // A name longer than its note, as in the notes of 15.11 that hold what was in memory.
  const std::size_t name = file.find("finalizer");
  ASSERT_NE(name, std::string::npos);
  file[name - 12] = '\x7F';
  const auto garbage = hsa::read_code_object(file, findings);
  ASSERT_TRUE(garbage);
  EXPECT_EQ(garbage->notes.producer, "");
}

TEST(RealObjects, OfV3AndLaterReadAndWriteTheSame) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t count = 0, notes = 0;
  for (const auto& file : amdcompat_test::real_files("hsaco-v")) {
    if (file.format < "hsaco-v3") continue;
    SCOPED_TRACE(file.path);
    const CodeObject object = read(amdcompat_test::read_real(file));
    EXPECT_EQ(static_cast<int>(object.version), file.format[7] - '0');
    if (hsa::to_msgpack(object.metadata) == object.metadata_bytes) ++notes;
    const auto written = hsa::write_code_object(object);
    ASSERT_TRUE(written) << written.error().message;
    EXPECT_EQ(normal(read(*written)), normal(object));
    EXPECT_EQ(complaints(*written), "");
    Diagnostics findings;
    EXPECT_TRUE(hsa::check_code_object(object, findings)) << messages(findings);
    ++count;
  }
  EXPECT_EQ(count, 16u);
  EXPECT_EQ(notes, count) << "the note of an unmodified object is the same bytes";
}

TEST(RealObjects, OfV1AndV2HaveTheirKernelsAndTargets) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t count = 0, arguments = 0;
  for (const auto& file : amdcompat_test::real_files("hsaco-v")) {
    if (file.format >= "hsaco-v3") continue;
    SCOPED_TRACE(file.path);
    const CodeObject object = read(amdcompat_test::read_real(file));
    EXPECT_EQ(object.version, CodeObjectVersion::V2);
    EXPECT_EQ(object.v1, file.format == "hsaco-v1");
    ASSERT_NE(object.target, nullptr);
    std::string names;
    std::vector<std::string> sorted;
    for (const auto& kernel : object.kernels) sorted.push_back(kernel.name);
    std::ranges::sort(sorted);
    for (const std::string& name : sorted) names += (names.empty() ? "" : ",") + name;
    EXPECT_EQ(names, file.kernels);
    ASSERT_EQ(object.kernels.size(), object.metadata.kernels.size());
    for (std::size_t i = 0; i < object.kernels.size(); ++i) {
      const auto& kernel = object.kernels[i];
      const auto& metadata = object.metadata.kernels[i];
      ASSERT_TRUE(kernel.legacy && kernel.legacy_place);
      EXPECT_EQ(kernel.code.offset, kernel.legacy_place->offset + 256);
      EXPECT_EQ(metadata.symbol, kernel.name + ".kd");
      EXPECT_EQ(metadata.kernarg_segment_size, kernel.legacy->kernarg_bytes);
      EXPECT_EQ(metadata.args_absent, !object.has_metadata);
      arguments += metadata.args.size();
    }
    ++count;
  }
  EXPECT_EQ(count, 29u);
  EXPECT_EQ(arguments, 430u) << "as llvm-readelf counts them";
}

}  // namespace
}  // namespace code_object_test
