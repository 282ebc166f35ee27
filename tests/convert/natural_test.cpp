// The natural layout's rules one by one.
#include <algorithm>

#include <gtest/gtest.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>

using namespace amdcompat;

namespace natural_test {
namespace {

// A kernel block with the given directives between uniqueid and ARGEND.
std::string block(std::string_view directives, std::string_view name = "k") {
  return ";ARGSTART:__OpenCL_" + std::string(name) + "_kernel\n;version:3:1:111\n;device:tahiti\n;uniqueid:1024\n" +
         std::string(directives) + ";ARGEND:__OpenCL_" + std::string(name) + "_kernel\n";
}

struct Converted {
  Diagnostics diagnostics;
  convert::Conversion conversion;
  const hsa::MetadataKernel& kernel() const { return conversion.metadata.kernels.at(0); }
};

Converted convert_text(const std::string& text, const convert::Options& options = {}, Mode mode = Mode::Lenient) {
  Converted out{Diagnostics(mode), {}};
  const auto file = open(text, out.diagnostics);
  EXPECT_TRUE(file);
  if (file) out.conversion = convert::to_metadata(file->program, out.diagnostics, options);
  return out;
}

TEST(NaturalLayout, ValuesTakeTheirOpenClSizeAndAlignment) {
  struct Row {
    const char* type;
    std::uint32_t elements;
    std::uint64_t size;
  };
  for (const Row& row : {Row{"u8", 1, 1}, Row{"i8", 3, 4}, Row{"u16", 16, 32}, Row{"half", 2, 4}, Row{"float", 3, 16},
                         Row{"double", 16, 128}, Row{"i64", 3, 32}, Row{"i1", 1, 4}}) {
    const auto out = convert_text(block(";value:pad:u8:1:1:0\n;value:x:" + std::string(row.type) + ":" +
                                        std::to_string(row.elements) + ":1:16\n"));
    const auto& argument = out.kernel().args.at(1);
    EXPECT_EQ(argument.size, row.size) << row.type;
    EXPECT_EQ(argument.offset, row.size) << row.type << ": aligned to its size behind one byte";
  }
}

TEST(NaturalLayout, HiddenOffsetsFollowTheLastArgumentAtEightBytes) {
  const auto out = convert_text(block(";value:x:u8:1:1:0\n"));
  ASSERT_EQ(out.kernel().args.size(), 4u);
  EXPECT_EQ(out.kernel().args[1].value_kind, hsa::ValueKind::HiddenGlobalOffsetX);
  EXPECT_EQ(out.kernel().args[1].offset, 8u);
  EXPECT_EQ(out.kernel().args[3].value_kind, hsa::ValueKind::HiddenGlobalOffsetZ);
  EXPECT_EQ(out.kernel().kernarg_segment_size, 32u);
  EXPECT_EQ(out.kernel().kernarg_segment_align, 8u);
}

TEST(NaturalLayout, PrintfBufferStandsOnlyInKernelsThatPrint) {
  const std::string text =
      ";ARGSTART:f\n;uniqueid:7\n;printf_fmt:3:1:4:4:a:%d;\n;ARGEND:f\n" + block(";function:1:7\n", "prints") +
      ";ARGSTART:__OpenCL_silent_kernel\n;version:3:1:111\n;uniqueid:9\n;ARGEND:__OpenCL_silent_kernel\n";
  const auto out = convert_text(text);
  ASSERT_EQ(out.conversion.metadata.kernels.size(), 2u);
  EXPECT_EQ(out.conversion.metadata.kernels[0].args.at(3).value_kind, hsa::ValueKind::HiddenPrintfBuffer);
  EXPECT_EQ(out.conversion.metadata.kernels[1].args.at(3).value_kind, hsa::ValueKind::HiddenNone);
  EXPECT_EQ(out.conversion.metadata.printf, std::vector<std::string>{"3:1:4:a\\72%d"});
}

TEST(NaturalLayout, PrintfSizesBecomeWholeDwords) {
  const auto out = convert_text(block(";printf_fmt:1:2:2:16:7:%v2hd%f;\n"));
  EXPECT_EQ(out.conversion.metadata.printf, std::vector<std::string>{"1:2:4:16:%v2hd%f"});
}

TEST(NaturalLayout, StructAlignmentFollowsTheRuleUnlessGiven) {
  const std::string text = block(";value:pad:u8:1:1:0\n;value:s:struct:24:1:16\n;reflection:1:struct vertex\n");
  const auto ruled = convert_text(text);
  EXPECT_EQ(ruled.kernel().args[1].offset, 8u);
  EXPECT_TRUE(ruled.diagnostics.contains(Code::StructAlignAssumed));
  for (const char* name : {"k.s", "struct vertex", "*"}) {
    convert::Options options;
    options.struct_align[name] = 4;
    const auto given = convert_text(text, options);
    EXPECT_EQ(given.kernel().args[1].offset, 4u) << name;
    EXPECT_FALSE(given.diagnostics.contains(Code::StructAlignAssumed)) << name;
  }
  EXPECT_EQ(convert::assumed_struct_align(6), 2u);
  EXPECT_EQ(convert::assumed_struct_align(80), 16u);
  EXPECT_EQ(convert::assumed_struct_align(256), 16u);
}

TEST(NaturalLayout, CountersAndSemaphoresBecomeGlobalBuffersWithAWarning) {
  const std::string text = block(";counter:c:32:0:1:0\n;sema:s:1:1:16\n");
  const auto lenient = convert_text(text);
  EXPECT_EQ(lenient.diagnostics.count(Severity::Warning), 2u);
  for (int i : {0, 1}) {
    EXPECT_EQ(lenient.kernel().args[static_cast<std::size_t>(i)].value_kind, hsa::ValueKind::GlobalBuffer);
    EXPECT_EQ(lenient.kernel().args[static_cast<std::size_t>(i)].size, 8u);
  }
  EXPECT_EQ(convert_text(text, {}, Mode::Strict).diagnostics.count(Severity::Error), 2u);
}

TEST(NaturalLayout, LocalPointersKeepTheUsableAlignmentOfTheirPointee) {
  const auto out = convert_text(block(";pointer:l:struct:1:1:0:hl:1:52:RW:0:0\n"));
  EXPECT_EQ(out.kernel().args[0].value_kind, hsa::ValueKind::DynamicSharedPointer);
  EXPECT_EQ(out.kernel().args[0].pointee_align, 4u);
  EXPECT_EQ(out.kernel().args[0].size, 4u);
}

TEST(NaturalLayout, AKernelWithAnUnreadableArgumentIsRefusedAndOthersAreNot) {
  const auto out =
      convert_text(block(";value:x:u32:1:1:zero\n", "bad") +
                   ";ARGSTART:__OpenCL_good_kernel\n;version:3:1:111\n;uniqueid:2\n;ARGEND:__OpenCL_good_kernel\n");
  EXPECT_EQ(out.conversion.refused, 1u);
  ASSERT_EQ(out.conversion.metadata.kernels.size(), 1u);
  EXPECT_EQ(out.kernel().name, "good");
  EXPECT_TRUE(out.diagnostics.contains(Code::IncompleteKernel));
}

TEST(NaturalLayout, KindsWithoutAnHsaEquivalentAreRefused) {
  for (const char* line : {";pointer:r:u32:1:1:0:hr:0:4:RW:0:0\n", ";pointer:p:u32:1:1:0:hp:0:4:RW:0:0\n",
                           ";value:e:event:1:1:0\n", ";value:o:opaque:1:1:0\n"}) {
    const auto out = convert_text(block(line));
    EXPECT_EQ(out.conversion.refused, 1u) << line;
    EXPECT_TRUE(out.diagnostics.contains(Code::UnsupportedArgument)) << line;
  }
}

TEST(NaturalLayout, MemoryOfCalleesIsPartOfTheSegments) {
  const auto out = convert_text(";ARGSTART:a\n;uniqueid:1\n;memory:hwprivate:16\n;memory:hwlocal:8\n;ARGEND:a\n"
                                ";ARGSTART:b\n;uniqueid:2\n;memory:hwprivate:48\n;memory:hwlocal:8\n;ARGEND:b\n" +
                                block(";memory:hwprivate:4\n;memory:hwlocal:32\n;function:2:1:2\n"));
  EXPECT_EQ(out.kernel().group_segment_fixed_size, 48u);
  EXPECT_EQ(out.kernel().private_segment_fixed_size, 52u);
}

TEST(NaturalLayout, GroupSizesSetTheLargestWorkGroup) {
  EXPECT_EQ(convert_text(block("")).kernel().max_flat_workgroup_size, 256u);
  EXPECT_EQ(convert_text(block(";cws:8:4:2\n")).kernel().max_flat_workgroup_size, 64u);
  EXPECT_EQ(convert_text(block(";lws:128\n")).kernel().max_flat_workgroup_size, 128u);
  EXPECT_EQ(convert_text(block(";limitgroupsize\n")).kernel().max_flat_workgroup_size, 64u);
}

TEST(NaturalLayout, HiddenArgumentsOfTheHsailDialectAreReplacedByOurs) {
  const auto out = convert_text(
      "ARGSTART:__OpenCL_k_kernel\nversion:3:1:104\nuniqueid:1024\nvalue:_.global_offset_0:u64:1:1:0\n"
      "pointer:_.printf_buffer:u8:1:1:48:uav:7:1:RO:0:0:0\nvalue:x:u32:1:1:96\nARGEND:__OpenCL_k_kernel\n");
  ASSERT_EQ(out.kernel().args.size(), 4u);
  EXPECT_EQ(out.kernel().args[0].name, "x");
  EXPECT_EQ(out.kernel().args[0].offset, 0u);
}

TEST(NaturalLayout, UnitsWithTheSameKernelGiveAWarningEach) {
  const std::string unit = "il_cs_2_0\n" + block("") + "end\n";
  const auto out = convert_text(unit + unit + unit);
  EXPECT_EQ(out.conversion.metadata.kernels.size(), 3u);
  EXPECT_EQ(out.diagnostics.count(Severity::Warning), 2u);
  EXPECT_TRUE(out.diagnostics.contains(Code::DuplicateKernelName));
}

TEST(ElfTarget, FollowsTheDeviceAndRefusesVliwMixedAndForeignTargets) {
  const auto program = [](std::string_view first, std::string_view second = {}) {
    Program out;
    out.kernels.emplace_back().device = first;
    if (!second.empty()) out.kernels.emplace_back().device = second;
    return out;
  };
  EXPECT_EQ((*convert::choose_target(program("tahiti"), {}))->name, "gfx600");
  EXPECT_EQ((*convert::choose_target(program("oland"), {}))->name, "gfx602");
  EXPECT_EQ((*convert::choose_target(program("oland"), "gfx601"))->name, "gfx601");
  EXPECT_EQ((*convert::choose_target(program("unheard"), "gfx900"))->name, "gfx900");
  EXPECT_EQ(convert::choose_target(program("cypress"), "gfx600").error().code, Code::VliwElf);
  EXPECT_EQ(convert::choose_target(program("unheard"), {}).error().code, Code::UnknownTarget);
  EXPECT_EQ(convert::choose_target(program("tahiti"), "gfx9999").error().code, Code::UnknownTarget);
  EXPECT_EQ(convert::choose_target(program("tahiti", "bonaire"), {}).error().code, Code::MixedDevices);
  EXPECT_EQ(convert::choose_target(program("tahiti"), "gfx803").error().code, Code::TargetDiffers);
}

TEST(LanguageVersion, ComesFromTheOptionsElseFromTheDriver) {
  Program program;
  program.kernels.emplace_back().name = "k";
  const auto version = [&] {
    Diagnostics quiet;
    return convert::to_metadata(program, quiet).metadata.kernels.at(0).language_version;
  };
  EXPECT_FALSE(version());
  program.driver = "@(#) OpenCL 1.2 AMD-APP (1.0)";
  EXPECT_EQ(version(), (std::array<std::uint64_t, 2>{1, 2}));
  program.compile_options = "-O2 -cl-std=CL1.1 -m32";
  EXPECT_EQ(version(), (std::array<std::uint64_t, 2>{1, 1}));
}

}  // namespace
}  // namespace natural_test
