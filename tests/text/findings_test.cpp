// Every finding of the text module: an input that causes it, the bytes it points at, and its severity.
#include <set>

#include <amdcompat/text.hpp>

#include "text/text_samples.hpp"

namespace amdcompat::text::findings_test {
namespace {

using namespace test;

struct Row {
  Code code;
  std::string source;
  std::string_view at;  // what the first finding with this code points at
  ReadOptions options = {};
};

ReadOptions with(void (*set)(ReadOptions&)) {
  ReadOptions options;
  set(options);
  return options;
}

std::string old_kernel(std::string_view version, std::string_view lines) {
  return ";ARGSTART:__OpenCL_k_kernel\n;version:" + std::string(version) + "\n;uniqueid:1024\n" + std::string(lines) +
         ";ARGEND:__OpenCL_k_kernel\n";
}
std::string data(std::string_view lines, std::string_view start = "16", std::string_view end = "") {
  return ";#DATASTART:" + std::string(start) + "\n" + std::string(lines) + ";#DATAEND" + std::string(end) + "\n";
}

const std::vector<Row>& rows() {
  using enum Code;
  static const std::vector<Row> kRows = {
      {UnknownDirective, kernel(";unheard:of\n"), "unheard"},
      {MissingField, kernel(";value:a:i32:1:1\n"), ""},
      {MissingField, kernel(";value::i32:1:1:0\n"), ""},
      {NotANumber, kernel(";uavid:1x1\n"), "1x1"},
      {NumberTooLarge, kernel(";uavid:4294967296\n"), "4294967296"},
      {NegativeNumber, kernel(";value:a:i32:1:1:-16\n"), "-16"},
      {UnknownSpelling, kernel(";value:a:i3R:1:1:0\n"), "i3R"},
      {UnknownSpelling, kernel(";pointer:a:quad:1:1:0:uav:12:4:RW:0:0\n"), "quad"},
      {MissingField, kernel(";pointer:a:float:1:1:0:uav:12:4:RW:0:0\n;reflection:0:\n"), "reflection:0:"},
      {TrailingText, kernel(";uavid:1:2\n"), ":2"},
      {SwallowedDirective, kernel(";uavid:1;cbid:2\n"), ";cbid:2"},
      {TextInBlock, kernel("text\n"), "text"},
      {LeadingBlank, kernel("\t;uavid:1\n"), "\t"},
      {NulByte, kernel(std::string(";uavid:1\0\n", 10)), std::string_view("\0", 1)},
      {LongNumber, kernel(";uavid:00000000000000001\n"), "0"},
      {LongName, kernel("", "abcdef"), "__OpenCL_abcdef_kernel",
       with([](ReadOptions& o) { o.limits.name_bytes = 21; })},
      {LooseFlag, kernel(";memory:64bitABIX\n"), "X"},
      {LooseFlag, kernel(";limitgroupsizeX\n"), "X"},
      {LegacyArgForm, ";ARG:main:x:float:1:0:96\n", ";ARG:main:x:float:1:0:96"},
      {LegacyArgForm, kernel(";ARG:main:x:float:1:0:96\n"), "ARG:main:x:float:1:0:96"},
      {ListCount, kernel(";function:2:7\n"), "2"},
      {ListTooLong, kernel(";function:3:1:2:3\n"), "", with([](ReadOptions& o) { o.limits.list_items = 2; })},
      {UnclosedBlock, ";ARGSTART:f\n;uniqueid:1\n", ";ARGSTART:f\n"},
      {StrayBlockEnd, ";ARGEND:f\n", ";ARGEND:f"},
      {BlockNameDiffers, ";ARGSTART:f\n;uniqueid:1\n;ARGEND:g\n", "g"},
      {DuplicateBlock, kernel("") + kernel(""), ";ARGSTART:__OpenCL_k_kernel\n"},
      {MissingVersion, ";ARGSTART:__OpenCL_k_kernel\n;uniqueid:1\n;ARGEND:__OpenCL_k_kernel\n",
       ";ARGSTART:__OpenCL_k_kernel\n"},
      {LateVersion,
       ";ARGSTART:__OpenCL_k_kernel\n;uniqueid:1\n;pointer:p:u8:1:1:0:uav:11:1:RW:0:0\n;version:3:1:111\n"
       ";ARGEND:__OpenCL_k_kernel\n",
       "version:3:1:111"},
      {UnknownVersion, old_kernel("4:0:0", ""), "4"},
      {RepeatedDirective, kernel(";uavid:1\n;uavid:2\n"), "uavid:2"},
      {RepeatedMemory, kernel(";memory:hwlocal:4\n;memory:hwlocal:8\n"), "memory:hwlocal:8"},
      {MissingUniqueId, ";ARGSTART:f\n;ARGEND:f\n", ";ARGSTART:f\n"},
      {MemoryKindRuntime, kernel(";pointer:p:u8:1:1:0:flat:0:1:RW:0:0\n"), "flat"},
      {BlockInDebugText, ";DEBUGSTART\n" + kernel(""), ";ARGSTART:__OpenCL_k_kernel"},
      {TooManyLines, kernel(";uavid:1\n"), "", with([](ReadOptions& o) { o.limits.lines = 2; })},
      {DuplicateArgument, kernel(";value:a:u32:1:1:0\n;value:a:u32:1:1:16\n"), "a"},
      {OverlappingArguments, kernel(";value:a:u32:8:1:0\n;value:b:u32:1:1:16\n"), "16"},
      {MisalignedArgument, kernel(";value:a:u32:1:1:8\n"), "8"},
      {ConstantBufferNumber, kernel(";value:a:u32:1:0:0\n"), "0"},
      {IndexOutOfRange, kernel(";reflection:1:int\n"), "1"},
      {IndexBeforeArgument, kernel(";reflection:0:int\n;value:a:i32:1:1:0\n"), "0"},
      {ConstArgName, kernel(";value:a:i32:1:1:0\n;constarg:0:b\n"), "b"},
      {ElementCount, kernel(";value:a:i32:5:1:0\n"), "5"},
      {UnsupportedValueType, kernel(";value:a:half:1:1:0\n"), "half"},
      {FieldBeforeVersion, old_kernel("1:4:53", ";pointer:p:u8:1:1:0:uav:11:1:RW\n"), "RW"},
      {FieldBeforeVersion, old_kernel("2:1:88", ";pointer:p:u8:1:1:0:uav:11:1:RW:0:0\n"), "0"},
      {FieldMissingForVersion, old_kernel("2:1:88", ";pointer:p:u8:1:1:0:uav:11:1\n"), "pointer:p:u8:1:1:0:uav:11:1"},
      {FieldMissingForVersion, kernel(";pointer:p:u8:1:1:0:uav:11:1:RW\n"), "pointer:p:u8:1:1:0:uav:11:1:RW"},
      {AlignmentNotPowerOfTwo, kernel(";pointer:p:struct:1:1:0:uav:11:52:RW:0:0\n"), "52"},
      {SamplerWithoutValue, kernel(";sampler:s:0:0:0\n"), "s"},
      {IdOverLimit, kernel(";sampler:s:16:1:0\n"), "16"},
      {TooManyArguments, kernel(";value:a:u32:1:1:0\n;value:b:u32:1:1:16\n"), "value:b:u32:1:1:16",
       with([](ReadOptions& o) { o.limits.arguments = 1; })},
      {SharedVec3Slot, kernel(";value:a:i64:3:1:0\n;value:b:i32:1:1:16\n"), "16"},
      {ReadOnlyWritten, kernel(";sampler:s:0:2:0\n"), "2"},
      {OffsetTooLarge, kernel(";value:a:u32:1:1:65536\n"), "65536"},
      {GlobalPointerFields, kernel(";pointer:p:u8:1:1:0:g:0:4\n"), "4"},
      {ZeroGroupSize, kernel(";cws:1:0:1\n"), "cws:1:0:1"},
      {GroupSizeContradiction, kernel(";cws:8:8:2\n;limitgroupsize\n"), "cws:8:8:2"},
      {GroupSizeContradiction, kernel(";cws:8:8:2\n;lws:127\n"), "cws:8:8:2"},
      {CompilerError, kernel(";error:E000:no\n"), "error:E000:no"},
      {CompilerWarning, kernel(";warning:W000:slow\n"), "warning:W000:slow"},
      {LongMessage, kernel(";warning:123456789012345678901234567890123\n"),
       "warning:123456789012345678901234567890123"},
      {DuplicateUniqueId, kernel("") + kernel("", "l"), "uniqueid:1024"},
      {UnknownCallee, "func 1 ; f\nendfunc\n" + kernel(";function:1:77\n"), "function:1:77"},
      {UnknownCallee, "mdef(100)_out(1)_in(2)\nmend\n" + kernel(";intrinsic:2:100:77\n"), "intrinsic:2:100:77"},
      {IntrinsicsUnseen, kernel(";intrinsic:2:100:77\n"), "intrinsic:2:100:77"},
      {CallCycle, function("1", ";function:1:2\n") + function("2", ";function:1:1\n"), ";ARGSTART:f1\n"},
      {DialectMismatch, kernel(";queue:q:opaque:1:1:0:hp\n"), "queue:q:opaque:1:1:0:hp"},
      {SumTooLarge, function("1", ";memory:hwlocal:4294967295\n;function:1:2\n") + function("2", ";memory:hwlocal:1\n"),
       ";ARGSTART:f1\n"},
      {SelfCall, function("1", ";function:1:1\n"), "function:1:1"},
      {PrintfLength, kernel(";printf_fmt:0:0:9:short;\n"), "short;"},
      {PrintfUnterminated, kernel(";printf_fmt:0:0:5:short\n"), "short"},
      {DuplicatePrintfId, kernel(";printf_fmt:0:0:1:a;\n;printf_fmt:0:0:1:b;\n"), "printf_fmt:0:0:1:b;"},
      {PrintfIdTooLarge, kernel(";printf_fmt:9:0:1:a;\n"), "9", with([](ReadOptions& o) { o.limits.printf_id = 8; })},
      {PrintfArgumentSize, kernel(";printf_fmt:0:1:129:2:%d;\n"), "129"},
      {UnclosedData, ";#DATASTART:16\n;#i32:0:1:1\n", ";#DATASTART:16\n"},
      {UnclosedData, ";#DATAEND\n", ";#DATAEND"},
      {StrayData, ";#i32:0:1:1\n", ";#i32:0:1:1"},
      {StrayData, data("text\n"), "text"},
      {BadHex, data(";#i32:0:1:1g\n"), "1g"},
      {DataWordTooLarge, data(";#i8:0:1:100\n"), "100"},
      {DataCount, data(";#i32:0:4:1:2:3\n"), "i32:0:4:1:2:3"},
      {DataSize, data(";#i32:0:4:1:2:3:4\n", "1040"), ";#DATASTART:1040\n"},
      {DataOverlap, data(";#i32:0:2:1:2\n;#i32:4:1:3\n"), "i32:4:1:3"},
      {DataEndMismatch, data(";#i32:0:4:1:2:3:4\n", "2:16", ":3"), "#DATAEND:3"},
      {UpperCaseHex, data(";#i32:0:1:aF\n"), "F"},
      {DataTypeRuntime, data(";#u8:0:1:1\n"), "u8:0:1:1"},
      {DataTooLarge, data(";#i32:0:4:1:2:3:4\n"), ";#DATASTART:16\n",
       with([](ReadOptions& o) { o.limits.segment_bytes = 8; })},
      {DataConstantBuffer, data(";#i32:0:4:1:2:3:4\n", "1:16", ":1"), ";#DATASTART:1:16\n"},
      {DataMisaligned, data(";#i32:2:1:1\n"), "i32:2:1:1"},
      {DataMisaligned, data(";#i32:4:1:1\n", "2:16", ":2"), "i32:4:1:1"},
      {DuplicateSegment, data(";#i32:0:4:1:2:3:4\n") + data(";#i32:0:4:1:2:3:4\n"), ";#DATASTART:16\n"},
      {UninitialisedData, data(";#i32:0:4 <uninitalized constant>\n"), "i32:0:4 <uninitalized constant>"},
      {ZeroDataSize, data("", "0"), ";#DATASTART:0\n"},
      {UnclosedDebug, ";DEBUGSTART\nx\n", ";DEBUGSTART\n"},
      {UnclosedDebug, ";DEBUGEND\n", ";DEBUGEND"},
      {PatchToken, ";$$$$$$$$$\n", ";$$$$$$$$$"},
      {UnbalancedFunction, "func 1 ; f\n", "func 1 ; f\n"},
      {UnbalancedFunction, "endfunc\n", "endfunc\n"},
      {UnbalancedFunction, "mdef(1)_out(1)_in(1)\n", "mdef(1)_out(1)_in(1)\n"},
  };
  return kRows;
}

TEST(Findings, HaveTheirCodeAndPointAtTheFieldInQuestion) {
  for (const Row& row : rows()) {
    const Parsed text = checked(row.source, row.options);
    const auto& all = text.diagnostics.all();
    const auto found = std::ranges::find(all, row.code, &Diagnostic::code);
    ASSERT_NE(found, all.end()) << code_label(row.code) << " in\n" << row.source << testing::PrintToString(all);
    EXPECT_EQ(std::string_view(row.source).substr(found->where.begin, found->where.size), row.at)
        << code_label(row.code) << " in\n"
        << row.source;
    EXPECT_FALSE(found->message.empty());
  }
}

// One departure, one finding: a reader of a report wants causes, not echoes.
TEST(Findings, StandAloneForOneDeparture) {
  const std::set<Code> with_company = {
      Code::NulByte,       Code::UnclosedBlock,     Code::DuplicateBlock, Code::LateVersion,
      Code::TooManyLines,  Code::BlockInDebugText,  Code::LongMessage,    Code::CallCycle,
      Code::DataTooLarge,  Code::DuplicateUniqueId, Code::UnclosedData,   Code::StrayData,
      Code::BadHex,        Code::DataWordTooLarge,  Code::DataCount,      Code::DataOverlap,
      Code::UpperCaseHex,  Code::DataTypeRuntime,   Code::DataMisaligned, Code::ListTooLong,
      Code::MissingVersion};
  for (const Row& row : rows()) {
    if (with_company.contains(row.code)) continue;
    const Parsed text = checked(row.source, row.options);
    EXPECT_EQ(text.codes(), std::vector{row.code}) << row.source << testing::PrintToString(text.diagnostics.all());
  }
}

TEST(Findings, HaveTheSeverityOfTheirModeAndTheSamePlaceInBoth) {
  for (const Row& row : rows()) {
    for (const Mode mode : {Mode::Lenient, Mode::Strict}) {
      Diagnostics diagnostics(mode);
      const Document document = parse(row.source, diagnostics, row.options);
      check(document, diagnostics, row.options);
      for (const Diagnostic& finding : diagnostics.all())
        EXPECT_EQ(finding.severity,
                  mode == Mode::Strict ? code_info(finding.code).strict : code_info(finding.code).lenient);
      expect_prints_back(document);
    }
  }
}

TEST(Findings, CoverEveryCodeOfTheText) {
  std::set<Code> covered;
  for (const Row& row : rows()) covered.insert(row.code);
  for (const CodeInfo& info : all_codes()) {
    const int number = static_cast<int>(info.code);
    const bool of_text = number >= 1000 && number < 2000 && info.code != Code::NoKernelBlock;  // of `open`
    EXPECT_EQ(covered.contains(info.code), of_text) << code_label(info.code) << " " << info.name;
  }
}

TEST(Findings, NameTheBlockTheyAreIn) {
  const Parsed text = checked(kernel(";uavid:x\n") + function("7", ";uavid:y\n;lws:0\n") + ";ARGEND:z\n");
  std::vector<std::string> blocks;
  for (const Diagnostic& finding : text.diagnostics.all()) blocks.push_back(finding.block);
  EXPECT_EQ(blocks, (std::vector<std::string>{"__OpenCL_k_kernel", "f7", "", "f7"}));
}

TEST(Findings, OfAFileAreAllReported) {
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += ";uavid:x\n";
  EXPECT_EQ(parsed(kernel(lines)).diagnostics.all().size(), 1000u);
}

// --- gates of §5: what version, dialect and memory kind allow ----------------------------------------------

TEST(Gates, EachVersionTakesItsOwnPointerForm) {
  const auto codes = [](std::string_view version, std::string_view tail) {
    return checked(old_kernel(version, ";pointer:p:u8:1:1:0:" + std::string(tail) + "\n")).codes();
  };
  const std::vector<Code> none;
  const std::vector before{Code::FieldBeforeVersion}, missing{Code::FieldMissingForVersion};
  EXPECT_EQ(codes("1:4:53", "uav:11:1"), none);
  EXPECT_EQ(codes("2:0:87", "uav:11:1"), none);
  EXPECT_EQ(codes("2:0:87", "uav:11:1:RO"), before);
  EXPECT_EQ(codes("2:0:88", "uav:11:1:RO"), none);
  EXPECT_EQ(codes("2:0:88", "uav:11:1"), missing);
  EXPECT_EQ(codes("3:1:102", "uav:11:1:RO"), none);
  EXPECT_EQ(codes("3:1:102", "uav:11:1:RO:0:0"), before);
  EXPECT_EQ(codes("3:1:103", "uav:11:1:RO:0:0"), none);
  EXPECT_EQ(codes("3:1:103", "uav:11:1:RO"), missing);
  EXPECT_EQ(codes("3:1:104", "c:11:1:RO:1:1"), none);
  EXPECT_EQ(codes("3:1:111", "hl:1:4:RW:0:0"), none);
  EXPECT_EQ(codes("3:1:111", "g:0"), none);
  EXPECT_EQ(codes("3:1:111", "g:0:4:RW:0:0"), std::vector{Code::GlobalPointerFields});
}

TEST(Gates, OnlyGlobalPointersStandWithoutAlignment) {
  EXPECT_EQ(checked(kernel(";pointer:p:u8:1:1:0:uav:11\n")).codes()[0], Code::MissingField);
  EXPECT_TRUE(checked(kernel(";pointer:p:u8:1:1:0:g:11\n")).diagnostics.all().empty());
}

TEST(Gates, VolatileNeverStandsWithoutRestrict) {
  EXPECT_EQ(checked(kernel(";pointer:p:u8:1:1:0:uav:11:1:RW:0\n")).codes()[0], Code::MissingField);
}

TEST(Gates, TheHsailDialectMixesPointerForms) {
  const Parsed text =
      checked("ARGSTART:__OpenCL_k_kernel\nversion:3:1:104\nuniqueid:1\n"
              "pointer:a:u8:1:1:0:uav:11:1:RW\npointer:b:u8:1:1:16:uav:11:1:RW:0:0\n"
              "pointer:c:u8:1:1:32:uav:11:1:RW:0:0:1\nsampler:s:0:1:48\nqueue:q:opaque:1:1:64:p\n"
              "image:d:2DDepth:RO:0:1:80\nenqueue_kernel:1\nkernel_index:0\nARGEND:__OpenCL_k_kernel\n");
  EXPECT_TRUE(text.diagnostics.all().empty()) << testing::PrintToString(text.diagnostics.all());
}

TEST(Gates, WhatBelongsToHsailIsReportedInAmdil) {
  for (const std::string_view line : {"pointer:c:u8:1:1:32:uav:11:1:RW:0:0:1", "queue:q:opaque:1:1:64:p",
                                      "image:d:2DDepth:RO:0:1:80", "enqueue_kernel:1", "kernel_index:0"})
    EXPECT_EQ(checked(kernel(";" + std::string(line) + "\n")).codes(), std::vector{Code::DialectMismatch}) << line;
}

TEST(Gates, AVersionAfterAPointerCameTooLateForIt) {
  const Parsed text = checked(";ARGSTART:__OpenCL_k_kernel\n;uniqueid:1\n;pointer:p:u8:1:1:0:uav:11:1:RW:0:0\n"
                              ";version:3:1:111\n;pointer:q:u8:1:1:16:uav:12:1:RW:0:0\n;ARGEND:__OpenCL_k_kernel\n");
  EXPECT_EQ(text.codes(), std::vector{Code::LateVersion});
}

TEST(Gates, HelperFunctionsNeedNoVersion) {
  EXPECT_TRUE(checked(function("7", ";memory:hwlocal:4\n")).diagnostics.all().empty());
}

}  // namespace
}  // namespace amdcompat::text::findings_test
