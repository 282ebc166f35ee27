// Every directive: read into exactly these fields, printed back from them.
#include <amdcompat/text.hpp>

#include "hand_reader.hpp"
#include "text/text_samples.hpp"

namespace amdcompat::text::directives_test {
namespace {

using namespace test;

struct Row {
  std::string_view line;
  Directive expected;
  std::vector<std::uint32_t> ids = {};
};

template <class T>
using Maybe = std::optional<T>;

PointerArg pointer(std::string_view name, std::string_view type_text, ScalarType type, std::uint32_t offset,
                   MemoryKind memory, std::uint32_t buffer, Maybe<std::uint32_t> align = {},
                   Access access = Access::Unspecified, Maybe<bool> is_volatile = {}, Maybe<bool> is_restrict = {},
                   Maybe<bool> is_pipe = {}) {
  return {name, type, type_text, 1, 1, offset, memory, buffer, align, access, is_volatile, is_restrict, is_pipe};
}

// Views in the rows live as long as the program.
const Row kRows[] = {
    {"version:3:1:111", Version{{3, 1, 111}}},
    {"version:0:0:4294967295", Version{{0, 0, 4294967295}}},
    {"device:pitcairn", DeviceName{"pitcairn"}},
    {"device:a b:c;d", DeviceName{"a b:c;d"}},
    {"uniqueid:1024", Number{NumberKey::UniqueId, 1024}},
    {"lws:256", Number{NumberKey::Lws, 256}},
    {"WavesPerSimdHint:4", Number{NumberKey::WavesPerSimdHint, 4}},
    {"membound:1", Number{NumberKey::Membound, 1}},
    {"uavid:11", Number{NumberKey::UavId, 11}},
    {"privateid:8", Number{NumberKey::PrivateId, 8}},
    {"printfid:9", Number{NumberKey::PrintfId, 9}},
    {"cbid:10", Number{NumberKey::CbId, 10}},
    {"enqueue_kernel:0", Number{NumberKey::EnqueueKernel, 0}},
    {"kernel_index:7", Number{NumberKey::KernelIndex, 7}},
    {"memory:uavprivate:16", MemorySize{MemorySpace::UavPrivate, 16}},
    {"memory:hwlocal:4294967295", MemorySize{MemorySpace::HwLocal, 4294967295}},
    {"memory:64bitABI", MemoryFlagged{MemoryFlag::Abi64}},
    {"cws:8:4:1", GroupSize{GroupKey::Cws, 8, 4, 1}},
    {"crs:1:2:3", GroupSize{GroupKey::Crs, 1, 2, 3}},
    {"wsh:64:1:1", GroupSize{GroupKey::Wsh, 64, 1, 1}},
    {"vth:float4", VectorTypeHint{"float4"}},
    {"limitgroupsize", LimitGroupSize{}},
    {"function:2:1026:1027", IdList{IdListKey::Function, 2, 0, 2}, {1026, 1027}},
    {"function:0", IdList{IdListKey::Function, 0, 0, 0}},
    {"function:3:5", IdList{IdListKey::Function, 3, 0, 1}, {5}},
    {"intrinsic:1:16383", IdList{IdListKey::Intrinsic, 1, 0, 1}, {16383}},
    {"error:E001:out of registers; sorry", Message{MessageKey::Error, "E001:out of registers; sorry"}},
    {"error:", Message{MessageKey::Error, ""}},
    {"warning:W001", Message{MessageKey::Warning, "W001"}},
    {"constarg:3:src", ConstArg{3, "src"}},
    {"reflection:0:struct pair*", Reflection{0, "struct pair*"}},
    {"reflection:1:", Reflection{1, ""}},
    {"value:k:float:4:1:32", ValueArg{"k", ScalarType::Float, 4, 1, 32}},
    {"value:s:struct:52:1:48", ValueArg{"s", ScalarType::Struct, 52, 1, 48}},
    // 1:4:53
    {"pointer:r:float:1:1:0:g:0", pointer("r", "float", ScalarType::Float, 0, MemoryKind::Global, 0)},
    {"pointer:r:float:1:1:16:l:1:4", pointer("r", "float", ScalarType::Float, 16, MemoryKind::EmulatedLocal, 1, 4)},
    // 2:1:88
    {"pointer:a:i32:1:1:0:uav:11:4:RO",
     pointer("a", "i32", ScalarType::I32, 0, MemoryKind::Uav, 11, 4, Access::ReadOnly)},
    // 3:1:103 and later
    {"pointer:v61:u8:1:1:1904:uav:11:52:RW:0:1",
     pointer("v61", "u8", ScalarType::U8, 1904, MemoryKind::Uav, 11, 52, Access::ReadWrite, false, true)},
    // HSAIL
    {"pointer:p:cl_mem:1:1:0:flat:0:8:WO:1:0:1",
     pointer("p", "cl_mem", ScalarType::Other, 0, MemoryKind::Flat, 0, 8, Access::WriteOnly, true, false, true)},
    {"image:in:2DA:RO:3:1:64", ImageArg{"in", ImageDim::D2Array, Access::ReadOnly, 3, 1, 64}},
    {"sampler:unknown_16:0:1:16", SamplerDef{"unknown_16", 0, 1, 16}},
    {"counter:c:64:2:1:80", CounterArg{"c", 64, 2, 1, 80}},
    {"sema:m:1:1:96", SemaphoreArg{"m", 1, 1, 96}},
    {"queue:q:opaque:1:1:112:hp", QueueArg{"q", "opaque", 1, 1, 112, MemoryKind::HardwarePrivate}},
    {"printf_fmt:5:1:4:7:a:b %d\\n;", PrintfFmt{5, 1, 0, 1, 7, "a:b %d\\n"}, {4}},
    {"printf_fmt:0:0:0:;", PrintfFmt{0, 0, 0, 0, 0, ""}},
};

TEST(Directives, AreReadIntoExactlyTheirFields) {
  for (const Row& row : kRows) {
    const Parsed text = parsed(kernel(";" + std::string(row.line) + "\n"));
    EXPECT_TRUE(text.diagnostics.all().empty()) << row.line << ": " << testing::PrintToString(text.diagnostics.all());
    const Element& element = text.document.elements[3];
    EXPECT_TRUE(hand::same(row.expected, row.ids, element.directive, text.document)) << row.line;
    EXPECT_TRUE(element.canonical) << row.line;
    EXPECT_EQ(text.document.body(element), row.line);
    EXPECT_EQ(text.document.slice(element.where), ";" + std::string(row.line) + "\n");
  }
}

TEST(Directives, ArePrintedBackFromTheirFields) {
  for (const Row& row : kRows) {
    const Parsed text = parsed(kernel(";" + std::string(row.line) + "\n"));
    EXPECT_EQ(print_directive(text.document, text.document.elements[3].directive), row.line);
    expect_prints_back(text.document);
  }
}

TEST(Directives, AreTheSameInEveryDialect) {
  for (const Row& row : kRows) {
    const std::string line(row.line);
    const Parsed hsail = parsed("ARGSTART:f\n" + line + "\nARGEND:f\n");
    EXPECT_TRUE(hsail.diagnostics.all().empty()) << line;
    ASSERT_EQ(hsail.document.elements.size(), 3u) << line;
    EXPECT_TRUE(hand::same(row.expected, row.ids, hsail.document.elements[1].directive, hsail.document)) << line;
    expect_prints_back(hsail.document);
    const Parsed pragma = parsed("pragma \"AMD RTI\", \"ARGSTART:f\";\npragma \"AMD RTI\", \"" + line +
                                 "\";\npragma \"AMD RTI\", \"ARGEND:f\";\n");
    EXPECT_TRUE(pragma.diagnostics.all().empty()) << line;
    ASSERT_EQ(pragma.document.elements.size(), 3u) << line;
    EXPECT_TRUE(hand::same(row.expected, row.ids, pragma.document.elements[1].directive, pragma.document)) << line;
    expect_prints_back(pragma.document);
  }
}

TEST(Directives, NumbersWithLeadingZerosAreReadAndKeptAsWritten) {
  for (const std::string_view line :
       {"uavid:011", "cws:8:04:1", "function:01:7", "pointer:p:u8:1:1:00:uav:1:4:RW:0:0"}) {
    const Parsed text = parsed(kernel(";" + std::string(line) + "\n"));
    EXPECT_TRUE(text.diagnostics.all().empty()) << line;
    EXPECT_FALSE(text.document.elements[3].canonical) << line;
    expect_prints_back(text.document);
  }
}

TEST(Directives, NumbersEndAt32BitsHoweverTheyAreWritten) {
  const auto code_of = [](std::string_view number) {
    const Parsed text = parsed(kernel(";uavid:" + std::string(number) + "\n"));
    return text.codes().empty() ? Code{} : text.codes()[0];
  };
  EXPECT_EQ(code_of("4294967295"), Code{});
  EXPECT_EQ(code_of("004294967295"), Code{});
  EXPECT_EQ(code_of("4294967296"), Code::NumberTooLarge);
  EXPECT_EQ(code_of("18446744073709551616"), Code::NumberTooLarge);          // 2^64
  EXPECT_EQ(code_of("18446744073709551617"), Code::NumberTooLarge);          // would wrap to 1
  EXPECT_EQ(code_of("340282366920938463463374607431768211457"), Code::NumberTooLarge);  // 2^128 + 1
  EXPECT_EQ(code_of("00000000000000000000000000000000018446744073709551617"), Code::NumberTooLarge);
  EXPECT_EQ(code_of("0000000000000000000000000000004294967295"), Code::LongNumber);
  EXPECT_EQ(code_of("0000000000000000000000000000004294967296"), Code::NumberTooLarge);
}

TEST(Directives, ABadLineCostsThatLineOnly) {
  const Parsed text = parsed(kernel(";uavid:x\n;cbid:10\n"));
  EXPECT_EQ(text.codes(), std::vector{Code::NotANumber});
  EXPECT_TRUE(std::holds_alternative<Malformed>(text.document.elements[3].directive));
  EXPECT_EQ(std::get<Number>(text.document.elements[4].directive).value, 10u);
  EXPECT_TRUE(text.document.blocks[0].complete);
}

// A finding of one line must not reach the next: the parser keeps one context for all of them.
TEST(Directives, AFindingIsNotRepeatedOnTheNextLine) {
  for (const std::string_view bad : {"uavid:x", "uavid:007", "uavid:1:2", "memory:nothing", "printf_fmt:0:0:9:abc;",
                                     "printf_fmt:0:0:1:abc", "function:1:x", "memory:hwlocal:x", "uavid"}) {
    const std::string line(bad);
    const std::size_t alone = parsed(kernel(";" + line + "\n")).diagnostics.all().size();
    const Parsed twice = parsed(kernel(";" + line + "\n;function:3:1:2:3\n;memory:datareqd\n;uavid:5\n"));
    EXPECT_EQ(twice.diagnostics.all().size(), alone) << line;
    for (const std::size_t i : {4u, 5u, 6u}) EXPECT_TRUE(twice.document.elements[i].canonical) << line;
    EXPECT_EQ(std::get<Number>(twice.document.elements[6].directive).value, 5u) << line;
  }
}

}  // namespace
}  // namespace amdcompat::text::directives_test
