// What no oracle reaches: CB0 words, argument bytes and bindings computed by hand from the facts in docs/cb0-cb1.md.
#include <algorithm>

#include "kernels.hpp"

namespace amdcompat::launch_test {
namespace {

using namespace test;
using Words = std::vector<std::uint32_t>;

class Cb0 : public testing::Test {
 protected:
  Words words(const Kernel& kernel, const abi::Range& range, const abi::LaunchOptions& options = {}) {
    abi::LaunchImage image = make_image(kernel, diagnostics, options, data);
    EXPECT_TRUE(image.set_range(range, diagnostics)) << codes(diagnostics);
    EXPECT_TRUE(image.set_rings(rings, diagnostics));
    EXPECT_TRUE(image.set_printf(printf, diagnostics));
    EXPECT_TRUE(image.set_data_segment(segment, diagnostics));
    EXPECT_TRUE(image.build(diagnostics)) << codes(diagnostics);
    EXPECT_EQ(image.cb0().size(), 160u);
    return dwords(image.cb0());
  }
  Diagnostics diagnostics;
  std::optional<abi::Rings> rings;
  std::optional<abi::PrintfBuffer> printf;
  std::optional<abi::Buffer> segment;
  std::vector<DataSegment> data;
};

TEST_F(Cb0, OneDimensionFillsTheOthersWithOnesAndMultipliesOnlyTheUsedOffset) {
  EXPECT_EQ(words(kernel(), {.dimensions = 1,
                             .global = {256, 7, 9},
                             .local = {{64, 5, 3}},
                             .offset = {32, 5, 6},
                             .task = false,
                             .split = {}}),
            cb0_with({{0, 256},
                      {1, 1},
                      {2, 1},
                      {3, 1},
                      {4, 64},
                      {5, 1},
                      {6, 1},
                      {8, 4},
                      {9, 1},
                      {10, 1},
                      {24, 32},
                      {27, 32},
                      {36, 32}}));
}

TEST_F(Cb0, ThreeDimensionsIn64BitKernelsPutTheRangesOffsetOneDwordLater) {
  EXPECT_EQ(words(kernel({}, AddressBits::Bits64), {.dimensions = 3,
                                                    .global = {16, 8, 4},
                                                    .local = {{4, 2, 1}},
                                                    .offset = {2, 3, 5},
                                                    .task = false,
                                                    .split = {}}),
            cb0_with({{0, 16},
                      {1, 8},
                      {2, 4},
                      {3, 3},
                      {4, 4},
                      {5, 2},
                      {6, 1},
                      {8, 4},
                      {9, 4},
                      {10, 4},
                      {24, 2},
                      {25, 3},
                      {26, 5},
                      {27, 30},
                      {31, 0},
                      {37, 2},
                      {38, 3},
                      {39, 5}}));
}

TEST_F(Cb0, APartialGroupCountsAsOne) {
  const Words out =
      words(kernel(),
            {.dimensions = 2, .global = {100, 33}, .local = {{64, 4, 1}}, .offset = {}, .task = false, .split = {}});
  EXPECT_EQ(out[8], 2u);
  EXPECT_EQ(out[9], 9u);
  EXPECT_EQ(out[10], 1u);
  EXPECT_TRUE(diagnostics.contains(Code::LaunchPartialGroup));
}

TEST_F(Cb0, ProfileSpecCountsWholeGroupsOnlyMultipliesAllOffsetsAndHasNoNinthVector) {
  const Words out = words(
      kernel(),
      {.dimensions = 2, .global = {100, 33}, .local = {{64, 4, 1}}, .offset = {7, 11}, .task = false, .split = {}},
      {.profile = abi::Profile::Spec});
  EXPECT_EQ(out, cb0_with({{0, 100},
                           {1, 33},
                           {2, 1},
                           {3, 2},
                           {4, 64},
                           {5, 4},
                           {6, 1},
                           {8, 1},
                           {9, 8},
                           {10, 1},
                           {24, 7},
                           {25, 11},
                           {27, 0}}));
}

TEST_F(Cb0, ASplitDispatchKeepsTheOriginalSizesAndSaysWhereItsPartStarts) {
  // 130 x 6 work-items in groups of 32 x 2; this part starts at group (2, 1) and is the last 66 x 4.
  const abi::Split split{.global = {66, 4, 1}, .offset = {100 + 64, 7 + 2, 0}, .group_offset = {2, 1, 0}};
  EXPECT_EQ(words(kernel(), {.dimensions = 2,
                             .global = {130, 6},
                             .local = {{32, 2, 1}},
                             .offset = {100, 7},
                             .task = false,
                             .split = split}),
            cb0_with({{0, 130},
                      {1, 6},
                      {2, 1},
                      {3, 2},
                      {4, 32},
                      {5, 2},
                      {6, 1},
                      {8, 5},
                      {9, 3},
                      {10, 1},
                      {24, 164},
                      {25, 9},
                      {27, 164 * 9},
                      {28, 2},
                      {29, 1},
                      {31, 2},
                      {36, 100},
                      {37, 7}}));
  EXPECT_FALSE(diagnostics.contains(Code::LaunchSplitOutside));
}

TEST_F(Cb0, TheGroupCountOfASplitDependsOnThePartsRemainderOnly) {
  // AMD's runtime: floor(130 / 32), plus one only when this part has a partial group; the first 64 have none.
  const abi::Split split{.global = {64, 1, 1}, .offset = {0, 0, 0}, .group_offset = {0, 0, 0}};
  EXPECT_EQ(words(kernel(),
                  {.dimensions = 1, .global = {130}, .local = {{32}}, .offset = {}, .task = false, .split = split})[8],
            4u);
}

TEST_F(Cb0, ATaskIsOneWorkItemInOneDimensionAndInNoneByTheSpecification) {
  const abi::Range task{
      .dimensions = 3, .global = {5, 5, 5}, .local = {}, .offset = {1, 2, 3}, .task = true, .split = {}};
  const std::map<std::size_t, std::uint32_t> ones{{0, 1}, {1, 1}, {2, 1}, {4, 1}, {5, 1},
                                                  {6, 1}, {8, 1}, {9, 1}, {10, 1}};
  auto amd = ones;
  amd[3] = 1;
  EXPECT_EQ(words(kernel(), task), cb0_with(amd));
  EXPECT_EQ(words(kernel(), task, {.profile = abi::Profile::Spec}), cb0_with(ones));
}

TEST_F(Cb0, RingsGoWhereKernelsOfEachAbiLookForThem) {
  rings = abi::Rings{
      .private_offset = 0x1000, .private_bytes = 64, .local_offset = 0x2000, .local_bytes = 128, .math_table = 0x3000};
  const abi::Range one{};
  Words out = words(kernel(), one);
  EXPECT_EQ((Words{out.begin() + 12, out.begin() + 20}), (Words{0x1000, 64, 0, 0, 0x2000, 128, 0, 0}));
  out = words(kernel(), one, {.profile = abi::Profile::Spec});
  EXPECT_EQ((Words{out.begin() + 12, out.begin() + 20}), (Words{0x1000, 64, 0, 0, 0x2000, 128, 0, 0x3000}));
  rings->private_offset = 0x12'3456'7890;
  rings->local_offset = 0x34'0000'0004;
  out = words(kernel({}, AddressBits::Bits64), one);
  EXPECT_EQ((Words{out.begin() + 12, out.begin() + 20}), (Words{0x34567890, 0x12, 64, 0, 4, 0x34, 128, 0}));
}

TEST_F(Cb0, DataSegmentAndPrintfBufferOfBothAbis) {
  printf = abi::PrintfBuffer{.address = 0x40'0100, .base = 0x40'0000, .dwords_per_item = 250, .size = 0};
  segment = abi::Buffer{.address = 0x20'0030, .base = 0x20'0000, .size = 0};
  Words out = words(kernel(), {});
  EXPECT_EQ((Words{out.begin() + 32, out.end()}), (Words{0x30, 0x100, 250, 0, 0, 0, 0, 0}));
  printf->address = 0x12'0000'0100;
  segment->address = 0x34'0000'0030;
  out = words(kernel({}, AddressBits::Bits64),
              {.dimensions = 1, .global = {64}, .local = {{64}}, .offset = {9}, .task = false, .split = {}});
  EXPECT_EQ((Words{out.begin() + 32, out.end()}), (Words{0xffe00030, 0x33, 0xffc00100, 0x11, 250, 9, 0, 0}));
}

TEST_F(Cb0, EveryRowOfTheFactTableIsWrittenInSomeLaunch) {
  for (const abi::Cb0Field& field : abi::cb0_fields()) {
    EXPECT_FALSE(field.name.empty());
    EXPECT_FALSE(field.source.empty()) << field.name;
    EXPECT_TRUE(field.abi32 || field.abi64) << field.name;
    EXPECT_TRUE(field.amd || field.spec) << field.name;
  }
  rings = abi::Rings{
      .private_offset = 0x1004, .private_bytes = 64, .local_offset = 0x2004, .local_bytes = 128, .math_table = 0x3000};
  printf = abi::PrintfBuffer{.address = 0x40'0100, .base = 0, .dwords_per_item = 250, .size = 0};
  segment = abi::Buffer{.address = 0x20'0030, .base = 0, .size = 0};
  const abi::Split split{.global = {4, 4, 4}, .offset = {21 + 4, 22 + 4, 23 + 4}, .group_offset = {2, 2, 2}};
  for (const AddressBits bits : {AddressBits::Bits32, AddressBits::Bits64})
    for (const abi::Profile profile : {abi::Profile::Amd, abi::Profile::Spec}) {
      const Words out = words(kernel({}, bits),
                              {.dimensions = 3,
                               .global = {8, 8, 8},
                               .local = {{2, 2, 2}},
                               .offset = {21, 22, 23},
                               .task = false,
                               .split = split},
                              {.profile = profile});
      for (const abi::Cb0Field& field : abi::cb0_fields()) {
        if (!(bits == AddressBits::Bits64 ? field.abi64 : field.abi32) ||
            !(profile == abi::Profile::Amd ? field.amd : field.spec))
          continue;
        const bool zero = field.value == abi::Cb0Value::Zero || field.value == abi::Cb0Value::ConstZero;
        EXPECT_EQ(out[field.dword] == 0, zero) << field.name << " at dword " << unsigned{field.dword};
      }
    }
}

// --- arguments ------------------------------------------------------------------------------------------------

class Arguments : public testing::Test {
 protected:
  abi::LaunchImage image(Kernel kernel, const abi::LaunchOptions& options = {}) {
    abi::LaunchImage out = make_image(kernel, diagnostics, options);
    EXPECT_TRUE(out.set_range(
        {.dimensions = 1, .global = {64}, .local = {{64}}, .offset = {}, .task = false, .split = {}}, diagnostics));
    return out;
  }
  Diagnostics diagnostics;
};

struct ValueCase {
  ScalarType type;
  std::uint32_t elements;
  std::uint32_t host;   // bytes the host gives
  std::uint32_t slots;
  std::uint32_t lane;   // bytes of an element
};

class ByValueArguments : public testing::TestWithParam<ValueCase> {};

TEST_P(ByValueArguments, AreCopiedIntoTheirSlots) {
  const ValueCase& c = GetParam();
  Diagnostics diagnostics;
  const Kernel k =
      kernel({argument("v", ByValue{c.type, c.elements}, 0), argument("end", ByValue{ScalarType::U32, 1}, 0)});
  EXPECT_EQ(std::get<ConstantBufferSlot>(k.arguments[1].slot).offset, 16 * c.slots);
  abi::LaunchImage image = make_image(k, diagnostics);
  const auto value = counting(c.host);
  ASSERT_TRUE(image.set_range({}, diagnostics));
  ASSERT_TRUE(image.set_bytes(0, value, diagnostics)) << codes(diagnostics);
  const std::array<std::byte, 4> end{std::byte{0xee}, std::byte{0xee}, std::byte{0xee}, std::byte{0xee}};
  ASSERT_TRUE(image.set_bytes(1, end, diagnostics));
  ASSERT_TRUE(image.build(diagnostics));
  std::vector<std::byte> expected(16 * (c.slots + 1));
  if (c.lane < 4 && c.elements > 4)
    for (std::uint32_t i = 0; i < c.elements; ++i)  // four elements at the start of each slot
      std::copy_n(value.begin() + i * c.lane, c.lane, expected.begin() + 16 * (i / 4) + c.lane * (i % 4));
  else
    std::copy_n(value.begin(), std::min<std::size_t>(c.host, expected.size()), expected.begin());
  std::copy(end.begin(), end.end(), expected.begin() + 16 * c.slots);
  EXPECT_EQ(std::vector(image.cb1().begin(), image.cb1().end()), expected);
}

INSTANTIATE_TEST_SUITE_P(
    AllTypesAndWidths, ByValueArguments,
    testing::Values(ValueCase{ScalarType::U8, 1, 1, 1, 1}, ValueCase{ScalarType::I8, 2, 2, 1, 1},
                    ValueCase{ScalarType::U8, 3, 4, 1, 1}, ValueCase{ScalarType::I8, 4, 4, 1, 1},
                    ValueCase{ScalarType::U8, 8, 8, 2, 1}, ValueCase{ScalarType::I8, 16, 16, 4, 1},
                    ValueCase{ScalarType::U16, 1, 2, 1, 2}, ValueCase{ScalarType::I16, 2, 4, 1, 2},
                    ValueCase{ScalarType::U16, 3, 8, 1, 2}, ValueCase{ScalarType::I16, 4, 8, 1, 2},
                    ValueCase{ScalarType::U16, 8, 16, 2, 2}, ValueCase{ScalarType::I16, 16, 32, 4, 2},
                    ValueCase{ScalarType::Half, 1, 2, 1, 2}, ValueCase{ScalarType::Half, 3, 8, 1, 2},
                    ValueCase{ScalarType::Half, 8, 16, 2, 2}, ValueCase{ScalarType::U32, 1, 4, 1, 4},
                    ValueCase{ScalarType::I32, 2, 8, 1, 4}, ValueCase{ScalarType::Float, 3, 16, 1, 4},
                    ValueCase{ScalarType::U32, 4, 16, 1, 4}, ValueCase{ScalarType::Float, 8, 32, 2, 4},
                    ValueCase{ScalarType::I32, 16, 64, 4, 4}, ValueCase{ScalarType::U64, 1, 8, 1, 8},
                    ValueCase{ScalarType::Double, 2, 16, 1, 8}, ValueCase{ScalarType::I64, 4, 32, 2, 8},
                    ValueCase{ScalarType::U64, 8, 64, 4, 8}, ValueCase{ScalarType::Double, 16, 128, 8, 8},
                    ValueCase{ScalarType::Struct, 1, 1, 1, 4}, ValueCase{ScalarType::Struct, 24, 24, 2, 4},
                    ValueCase{ScalarType::Union, 16, 16, 1, 4}, ValueCase{ScalarType::Union, 33, 33, 3, 4}),
    [](const auto& row) {
      return std::string(scalar_name(row.param.type)) + "x" + std::to_string(row.param.elements);
    });

TEST_F(Arguments, ABooleanKeepsBitZeroOfItsLane) {
  abi::LaunchImage out = image(kernel({argument("b", ByValue{ScalarType::I1, 2}, 0)}));
  const std::array<std::byte, 8> value{std::byte{0xff}, std::byte{0xff}, std::byte{0}, std::byte{0},
                                       std::byte{2},    std::byte{0},    std::byte{0}, std::byte{1}};
  ASSERT_TRUE(out.set_bytes(0, value, diagnostics));
  ASSERT_TRUE(out.build(diagnostics));
  EXPECT_EQ(dwords(out.cb1()), (Words{1, 0, 0, 0}));
}

TEST_F(Arguments, Long3SpillsIntoTheNextArgumentAsWithAmdsRuntimeAndIsCutInProfileSafe) {
  const Kernel k = kernel({argument("a", ByValue{ScalarType::I64, 3}, 0), argument("b", ByValue{ScalarType::U8, 1}, 0),
                           argument("c", ByValue{ScalarType::I64, 3}, 0)});
  EXPECT_EQ(std::get<ConstantBufferSlot>(k.arguments[1].slot).offset, 16u);
  const auto fill = [&](abi::LaunchImage& out) {
    ASSERT_TRUE(out.set_bytes(0, counting(32, 0x10), diagnostics));
    ASSERT_TRUE(out.set_bytes(1, counting(1, 0xaa), diagnostics));
    ASSERT_TRUE(out.set_bytes(2, counting(32, 0x50), diagnostics));
    ASSERT_TRUE(out.build(diagnostics));
  };
  abi::LaunchImage amd = image(k);
  fill(amd);
  EXPECT_EQ(dwords(amd.cb1()),
            (Words{0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c, 0x232221aa, 0x27262524, 0x2b2a2928, 0x2f2e2d2c,
                   0x53525150, 0x57565554, 0x5b5a5958, 0x5f5e5d5c, 0x63626160, 0x67666564, 0x6b6a6968, 0x6f6e6d6c}));
  EXPECT_TRUE(diagnostics.contains(Code::LaunchVec3Spills));
  EXPECT_FALSE(diagnostics.contains(Code::LaunchArgumentsOverlap));
  // Changing the first argument must not undo the second.
  ASSERT_TRUE(amd.set_bytes(0, counting(32, 0x30), diagnostics));
  ASSERT_TRUE(amd.build(diagnostics));
  EXPECT_EQ(dwords(amd.cb1())[4], 0x434241aau);
  EXPECT_EQ(amd.cb1_changed().begin, 0u);
  EXPECT_EQ(amd.cb1_changed().end, 32u);
  abi::LaunchImage safe = image(k, {.arguments = abi::ArgumentProfile::Safe});
  fill(safe);
  EXPECT_EQ(dwords(safe.cb1()), (Words{0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c, 0xaa, 0, 0, 0, 0x53525150,
                                       0x57565554, 0x5b5a5958, 0x5f5e5d5c, 0x63626160, 0x67666564, 0, 0}));
}

TEST_F(Arguments, PointersAreADwordOrAQwordRelativeToTheirDescriptor) {
  const std::vector<Argument> list{argument("a", global_pointer(12), 0), argument("b", global_pointer(13), 0),
                                   argument("n", global_pointer(14), 0)};
  abi::LaunchImage narrow = image(kernel(list));
  ASSERT_TRUE(narrow.set_buffer(0, {.address = 0x1234'0000, .base = 0, .size = 64}, diagnostics));
  ASSERT_TRUE(narrow.set_buffer(1, {.address = 0x77'0000'0040, .base = 0x77'0000'0000, .size = 64}, diagnostics));
  ASSERT_TRUE(narrow.set_null(2, diagnostics));
  ASSERT_TRUE(narrow.build(diagnostics));
  EXPECT_EQ(dwords(narrow.cb1()), (Words{0x12340000, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0}));
  abi::LaunchImage wide = image(kernel(list, AddressBits::Bits64));
  ASSERT_TRUE(wide.set_buffer(0, {.address = 0x7f'1234'0000, .base = 0, .size = 64}, diagnostics));
  ASSERT_TRUE(wide.set_buffer(1, {.address = 0x77'0000'0040, .base = 0x77'0000'0000, .size = 64}, diagnostics));
  ASSERT_TRUE(wide.set_null(2, diagnostics));
  ASSERT_TRUE(wide.build(diagnostics));
  EXPECT_EQ(dwords(wide.cb1()), (Words{0x12340000, 0x7f, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0}));
  const abi::Binding& b = *std::ranges::find(wide.bindings(), std::optional<std::size_t>(1), &abi::Binding::argument);
  EXPECT_EQ(b.kind, abi::BindingKind::Uav);
  EXPECT_EQ(b.slot, 13u);
  EXPECT_EQ(b.address, 0x77'0000'0000u);
  EXPECT_EQ(b.size, 0x80u);
  EXPECT_EQ((Words{b.descriptor.begin(), b.descriptor.begin() + 4}), (Words{0, 0x77, 0x80, 0x00027fac}));
}

TEST_F(Arguments, PointersWithOneNumberShareADescriptorThatReachesToTheFarthest) {
  abi::LaunchImage out = image(kernel({argument("a", global_pointer(11), 0), argument("b", global_pointer(11), 0),
                                       argument("c", global_pointer(12), 0), argument("d", global_pointer(11), 0)}));
  ASSERT_TRUE(out.set_buffer(0, {.address = 0x77'0000'1000, .base = 0x77'0000'0000, .size = 64}, diagnostics));
  ASSERT_TRUE(out.set_buffer(1, {.address = 0x77'0000'0400, .base = 0x77'0000'0000, .size = 4}, diagnostics));
  ASSERT_TRUE(out.set_buffer(2, {.address = 0x8000, .base = 0x8000, .size = 16}, diagnostics));
  ASSERT_TRUE(out.set_null(3, diagnostics));
  ASSERT_TRUE(out.build(diagnostics)) << codes(diagnostics);
  EXPECT_EQ(dwords(out.cb1()), (Words{0x1000, 0, 0, 0, 0x400, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  ASSERT_EQ(out.bindings().size(), 4u) << "cb0, cb1 and two";
  const abi::Binding& shared = out.bindings()[2];
  EXPECT_EQ(shared.what, "a, b, d");
  EXPECT_EQ(shared.argument, 0u);
  EXPECT_EQ((Words{shared.descriptor.begin(), shared.descriptor.begin() + 4}), (Words{0, 0x77, 0x1040, 0x00027fac}));
  EXPECT_EQ(out.bindings()[3].descriptor[2], 16u);
  // A buffer of unknown size: as far as it can.
  ASSERT_TRUE(out.set_buffer(1, {.address = 0x77'0000'0400, .base = 0x77'0000'0000, .size = 0}, diagnostics));
  ASSERT_TRUE(out.build(diagnostics));
  EXPECT_EQ(out.bindings()[2].descriptor[2], 0xffffffffu);
  // Another base: nothing is written.
  ASSERT_TRUE(out.set_buffer(1, {.address = 0x9000, .base = 0x8000, .size = 4}, diagnostics));
  EXPECT_FALSE(out.build(diagnostics));
  EXPECT_EQ(codes(diagnostics), "AC3052 arguments[1]; ");
  EXPECT_EQ(dwords(out.cb1())[4], 0x400u);
  // All NULL: a descriptor of no bytes.
  for (const std::size_t index : {0u, 1u}) ASSERT_TRUE(out.set_null(index, diagnostics));
  ASSERT_TRUE(out.build(diagnostics));
  EXPECT_EQ(out.bindings()[2].descriptor[2], 0u);
}

TEST_F(Arguments, AConstantBufferPointerIsOneAndBindsItsBufferWithStride16) {
  abi::LaunchImage out =
      image(kernel({argument("c", constant_buffer_pointer(2), 0), argument("n", constant_buffer_pointer(3), 0)},
                   AddressBits::Bits64));
  ASSERT_TRUE(out.set_buffer(0, {.address = 0x55'0000'1000, .base = 0, .size = 256}, diagnostics));
  ASSERT_TRUE(out.set_null(1, diagnostics));
  ASSERT_TRUE(out.build(diagnostics));
  EXPECT_EQ(dwords(out.cb1()), (Words{1, 0, 0, 0, 0, 0, 0, 0}));
  const abi::Binding& b = *std::ranges::find(out.bindings(), std::optional<std::size_t>(0), &abi::Binding::argument);
  EXPECT_EQ(b.kind, abi::BindingKind::ConstantBuffer);
  EXPECT_EQ(b.slot, 2u);
  EXPECT_EQ((Words{b.descriptor.begin(), b.descriptor.begin() + 4}), (Words{0x1000, 0x00100055, 256, 0x00027fac}));
}

TEST_F(Arguments, LocalPointersFollowStaticMemoryAlignedAndInOrderAsOneDwordInBothAbis) {
  for (const AddressBits bits : {AddressBits::Bits32, AddressBits::Bits64}) {
    Kernel k = kernel(
        {argument("a", local_pointer(4), 0), argument("b", local_pointer(16), 0), argument("c", local_pointer(52), 0)},
        bits);
    k.segments.hardware_local = 10;
    abi::LaunchImage out = image(k);
    ASSERT_TRUE(out.set_local(0, 5, diagnostics));
    ASSERT_TRUE(out.set_local(1, 100, diagnostics));
    ASSERT_TRUE(out.set_local(2, 8, diagnostics));
    ASSERT_TRUE(out.build(diagnostics));
    EXPECT_EQ(dwords(out.cb1()), (Words{12, 0, 0, 0, 32, 0, 0, 0, 132, 0, 0, 0}));
    EXPECT_EQ(out.local_bytes(), 140u);
    // A new size of the first moves the others.
    ASSERT_TRUE(out.set_local(0, 21, diagnostics));
    ASSERT_TRUE(out.build(diagnostics));
    EXPECT_EQ(dwords(out.cb1()), (Words{12, 0, 0, 0, 48, 0, 0, 0, 148, 0, 0, 0}));
    EXPECT_EQ(out.cb1_changed().begin, 16u);
    EXPECT_EQ(out.cb1_changed().end, 36u);
  }
}

TEST_F(Arguments, ImageConstantsOfBothLayouts) {
  const Kernel k = kernel(
      {argument("i", Image{ImageDim::D3, Access::ReadOnly, 3}, 0), argument("end", ByValue{ScalarType::U32, 1}, 0)});
  EXPECT_EQ(std::get<ConstantBufferSlot>(k.arguments[1].slot).offset, 32u);
  const abi::ImageValue value{.width = 64,
                              .height = 32,
                              .depth = 4,
                              .channel_order = 0x10b5,
                              .channel_type = 0x10de,
                              .address = 0,
                              .row_pitch = 1024,
                              .slice_pitch = 32768,
                              .array_size = 0,
                              .offset = 0x500};
  abi::LaunchImage evergreen = image(k);
  ASSERT_TRUE(evergreen.set_image(0, value, diagnostics));
  ASSERT_TRUE(evergreen.set_bytes(1, counting(4), diagnostics));
  ASSERT_TRUE(evergreen.build(diagnostics));
  EXPECT_EQ((Words{64, 32, 4, 0x10de, 0x3c800000, 0x3d000000, 0x3e800000, 0x10b5, 0x04030201, 0, 0, 0}),
            dwords(evergreen.cb1()));
  abi::LaunchImage r700 = image(k, {.image_layout = abi::ImageLayout::R7xx});
  ASSERT_TRUE(r700.set_image(0, value, diagnostics));
  ASSERT_TRUE(r700.set_bytes(1, counting(4), diagnostics));
  ASSERT_TRUE(r700.build(diagnostics));
  EXPECT_EQ((Words{64, 32, 4, 0x500, 0x10de, 0x10b5, 1024, 32768, 0x04030201, 0, 0, 0}), dwords(r700.cb1()));
  // Pitches that are not given follow from the sizes: 12 texels of four 16-bit channels, 5 rows.
  ASSERT_TRUE(
      r700.set_image(0, {.width = 12, .height = 5, .channel_order = 0x10b5, .channel_type = 0x10dd}, diagnostics));
  ASSERT_TRUE(r700.build(diagnostics));
  EXPECT_EQ(dwords(r700.cb1())[6], 96u);
  EXPECT_EQ(dwords(r700.cb1())[7], 480u);
  EXPECT_FALSE(r700.set_image(
      0, {.width = 0x2000'0000, .channel_order = 0x10b5, .channel_type = 0x10dd, .slice_pitch = 16}, diagnostics));
  // CL_UNORM_INT24 has no size here.
  EXPECT_FALSE(r700.set_image(0, {.width = 12, .channel_order = 0x10b0, .channel_type = 0x10df}, diagnostics));
  EXPECT_EQ(codes(diagnostics), "AC3048 arguments[0]; AC3048 arguments[0]; ");
}

TEST_F(Arguments, SamplersCountersAndSemaphoresTakeASlotEach) {
  const Kernel k = kernel({argument("s", Sampler{4}, 0), argument("c", Counter{32, 5}, 0),
                           argument("m", Semaphore{6}, 0), argument("end", ByValue{ScalarType::U8, 1}, 0)});
  abi::LaunchImage out = image(k);
  ASSERT_TRUE(out.set_sampler(0, 0x25, diagnostics));
  ASSERT_TRUE(out.set_buffer(1, {.address = 0x4000, .base = 0, .size = 4}, diagnostics));
  ASSERT_TRUE(out.set_null(2, diagnostics));
  ASSERT_TRUE(out.set_bytes(3, counting(1, 9), diagnostics));
  ASSERT_TRUE(out.build(diagnostics));
  EXPECT_EQ(dwords(out.cb1()), (Words{0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0}));
  const abi::Binding& counter = *std::ranges::find(out.bindings(), abi::BindingKind::Counter, &abi::Binding::kind);
  EXPECT_EQ(counter.slot, 5u);
  EXPECT_EQ(counter.address, 0x4000u);
}

TEST_F(Arguments, OfAnotherConstantBufferGetAnImageOfTheirOwn) {
  Kernel k = kernel({argument("a", ByValue{ScalarType::U32, 1}, 0), argument("b", ByValue{ScalarType::U32, 1}, 0)});
  k.arguments[1].slot = ConstantBufferSlot{3, 16};
  abi::LaunchImage out = image(k);
  ASSERT_TRUE(out.set_bytes(0, counting(4), diagnostics));
  ASSERT_TRUE(out.set_bytes(1, counting(4, 5), diagnostics));
  ASSERT_TRUE(out.build(diagnostics));
  EXPECT_EQ(out.buffers(), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(dwords(out.cb1()), (Words{0x04030201, 0, 0, 0}));
  EXPECT_EQ(dwords(out.buffer(3)), (Words{0, 0, 0, 0, 0x08070605, 0, 0, 0}));
  EXPECT_TRUE(out.buffer(2).empty());
}

TEST_F(Arguments, WithoutAnyCb1IsEmpty) {
  abi::LaunchImage out = image(kernel());
  ASSERT_TRUE(out.build(diagnostics));
  EXPECT_TRUE(out.cb1().empty());
}

TEST_F(Arguments, OnlyWhatChangedIsWrittenAgain) {
  abi::LaunchImage out =
      image(kernel({argument("a", ByValue{ScalarType::U32, 1}, 0), argument("b", ByValue{ScalarType::U32, 4}, 0)}));
  ASSERT_TRUE(out.set_bytes(0, counting(4), diagnostics));
  ASSERT_TRUE(out.set_bytes(1, counting(16), diagnostics));
  ASSERT_TRUE(out.build(diagnostics));
  EXPECT_EQ(out.cb1_changed().begin, 0u);
  EXPECT_EQ(out.cb1_changed().end, 32u);
  ASSERT_TRUE(out.set_bytes(0, counting(4), diagnostics));
  ASSERT_TRUE(out.set_bytes(1, counting(16, 2), diagnostics));
  ASSERT_TRUE(out.build(diagnostics));
  EXPECT_EQ(out.cb1_changed().begin, 16u);
  EXPECT_EQ(out.cb1_changed().end, 32u);
  EXPECT_EQ(out.cb0_changed().begin, out.cb0_changed().end);
  ASSERT_TRUE(out.set_range(
      {.dimensions = 1, .global = {128}, .local = {{64}}, .offset = {}, .task = false, .split = {}}, diagnostics));
  ASSERT_TRUE(out.build(diagnostics));
  EXPECT_EQ(out.cb0_changed().begin, 0u);
  EXPECT_EQ(out.cb0_changed().end, 40u);  // global size to group count, in steps of 8 bytes
  EXPECT_EQ(out.cb1_changed().begin, out.cb1_changed().end);
}

// --- bindings, descriptors, local size -----------------------------------------------------------------------

TEST(Bindings, ListConstantSamplersPrintfDataAndTheRawUav) {
  Kernel k = kernel();
  k.samplers.push_back({"s", 2, 0x10});
  k.uses_printf = k.needs_data_segment = true;
  k.launch = ConstantBufferLaunch{{.raw_uav = 11, .printf = 9, .constants = 10, .priv = 8}};
  k.segments.uav_private = 64;
  std::vector<DataSegment> data(2);
  data[0].bytes.resize(48);
  data[1].constant_buffer = 2;
  data[1].bytes.resize(32);
  Diagnostics diagnostics;
  abi::LaunchImage image = make_image(k, diagnostics, {}, data);
  ASSERT_TRUE(image.set_range({}, diagnostics));
  ASSERT_TRUE(image.set_printf(
      abi::PrintfBuffer{.address = 0x5000, .base = 0x5000, .dwords_per_item = 16, .size = 4096}, diagnostics));
  ASSERT_TRUE(image.set_data_segment(abi::Buffer{.address = 0x6030, .base = 0x6000, .size = 48}, diagnostics));
  ASSERT_TRUE(image.set_constant_data(2, {.address = 0x7000}, diagnostics));
  ASSERT_TRUE(image.build(diagnostics)) << codes(diagnostics);
  std::string list;
  for (const abi::Binding& b : image.bindings())
    list += std::string(abi::binding_kind_name(b.kind)) + " " + std::to_string(b.slot) + " " + b.what + " " +
            std::to_string(b.address) + " " + std::to_string(b.size) + " " + std::to_string(b.stride) + "\n";
  EXPECT_EQ(list, "constant_buffer 0 cb0 0 160 0\n"
                  "sampler 2 s 0 0 0\n"
                  "uav 9 printf buffer 20480 4096 0\n"
                  "uav 10 data segment 24576 96 0\n"
                  "constant_buffer 2 data segment 2 28672 32 16\n"
                  "uav 11 raw UAV (global heap) 0 0 0\n"
                  "uav 8 private memory 0 0 0\n");
}

TEST(Descriptors, OfBuffersEqualThoseOfSuccessfulRuns) {
  EXPECT_EQ(abi::buffer_descriptor(0x1234'5678'9abc, 0x1000, 16),
            (std::array<std::uint32_t, 4>{0x56789abc, 0x00101234, 0x1000, 0x00027fac}));
}

TEST(Descriptors, OfSamplersAndImagesPutValuesWhereTheTableSays) {
  // Repeat, linear, normalized.
  EXPECT_EQ(abi::sampler_descriptor(0x23), (std::array<std::uint32_t, 4>{0, 0, 0x02500000, 0}));
  // Clamp to edge, nearest, unnormalized.
  EXPECT_EQ(abi::sampler_descriptor(0x14), (std::array<std::uint32_t, 4>{0x8092, 0, 0x01000000, 0}));
  const auto words = abi::image_descriptor({.width = 64,
                                            .height = 32,
                                            .depth = 1,
                                            .channel_order = 0x10b5,
                                            .channel_type = 0x10d2,
                                            .address = 0x12'3456'7800},
                                           ImageDim::D2);
  ASSERT_TRUE(words);
  EXPECT_EQ((*words)[0], 0x12345678u);
  EXPECT_EQ((*words)[1], 10u << 20);                 // base high and lod 0, data format 8_8_8_8, unorm
  EXPECT_EQ((*words)[2], 63u | 31u << 14);
  EXPECT_EQ((*words)[3], 0xfacu | 8u << 20 | 9u << 28);
  EXPECT_EQ((*words)[4], 63u << 13);                 // depth 0, pitch
  EXPECT_EQ((*words)[5], 0u);
  EXPECT_FALSE(abi::image_descriptor(
      {.width = 20000, .height = 1, .depth = 1, .channel_order = 0x10b5, .channel_type = 0x10d2, .address = 0x100},
      ImageDim::D2));
  EXPECT_FALSE(abi::image_descriptor(
      {.width = 64, .height = 1, .depth = 1, .channel_order = 0x10b4, .channel_type = 0x10d2, .address = 0x100},
      ImageDim::D2));
  EXPECT_FALSE(abi::image_descriptor(
      {.width = 64, .height = 1, .depth = 1, .channel_order = 0x10b5, .channel_type = 0x10d2, .address = 0x180},
      ImageDim::D2));
  EXPECT_FALSE(abi::image_descriptor(
      {.width = 64, .channel_order = 0x10b5, .channel_type = 0x10d2, .address = 0x100, .row_pitch = 258}, ImageDim::D2))
      << "a pitch of 64 and a half texels";
}

// The words of each value of each field say that value, and every other field what it is in words of 0.
TEST(Descriptors, AreDecodedFieldByField) {
  const auto with = [](std::size_t words, unsigned bit, unsigned width, std::uint64_t value) {
    std::vector<std::uint32_t> out(words);
    for (unsigned n = 0; n < width; ++n)
      out[(bit + n) / 32] |= static_cast<std::uint32_t>(value >> n & 1) << (bit + n) % 32;
    return out;
  };
  for (const abi::HardwareDescriptorField& field : abi::descriptor_fields()) {
    SCOPED_TRACE(field.name);
    const std::uint64_t most = (std::uint64_t{1} << field.width) - 1;
    for (const std::uint64_t value : {std::uint64_t{1}, most, most / 3 * 2}) {
      const bool gfx9 = field.descriptor == abi::DescriptorKind::ImageGfx9;
      const bool image =
          gfx9 || field.descriptor == abi::DescriptorKind::Image || field.descriptor == abi::DescriptorKind::ImageGfx6;
      const auto words = with(image ? 8 : 4, field.bit, field.width, value);
      std::uint64_t found = 0;  // what is not as in words of 0, less what stands for 0
      if (image) {
        const auto d = abi::decode_image_descriptor(std::span(words).first<8>(),
                                                    gfx9 ? abi::ImageForm::Gfx9 : abi::ImageForm::Gfx6);
        found = (d.address >> 8) + d.data_format + d.number_format + d.width + d.height + d.depth + d.select[0] +
                d.select[1] + d.select[2] + d.select[3] + d.base_level + d.last_level + d.tiling + d.type + d.pitch +
                d.base_layer + d.last_layer - 4;
        if (gfx9) found -= d.last_layer;  // which is the depth
      } else if (field.descriptor == abi::DescriptorKind::Buffer) {
        const auto d = abi::decode_buffer_descriptor(std::span(words).first<4>());
        found = d.base + d.stride + d.swizzled + d.records + d.select[0] + d.select[1] + d.select[2] + d.select[3] +
                d.number_format + d.data_format + d.element_size + d.index_stride + d.add_thread + d.type;
      } else {
        const auto d = abi::decode_sampler_descriptor(std::span(words).first<4>());
        found = d.clamp[0] + d.clamp[1] + d.clamp[2] + d.unnormalized + d.filter_mode + d.magnified + d.minified +
                d.z_filter + d.border;
      }
      // Levels of detail, and how a buffer is cached, are of no use to anybody yet.
      constexpr std::string_view kIgnored[] = {"min lod",       "max lod",     "min lod warn",
                                               "cache swizzle", "hash enable", "heap"};
      EXPECT_EQ(found, std::ranges::find(kIgnored, field.name) != std::end(kIgnored) ? 0 : value);
    }
  }
}

// What the writers write the decoders read.
TEST(Descriptors, AreReadAsTheyWereWritten) {
  const auto buffer = abi::decode_buffer_descriptor(abi::buffer_descriptor(0x1234'5678'9abc, 0x1000, 16));
  EXPECT_EQ(buffer, (abi::HardwareBuffer{.base = 0x1234'5678'9abc,
                                         .stride = 16,
                                         .records = 0x1000,
                                         .select = {4, 5, 6, 7},
                                         .number_format = 7,
                                         .data_format = 4}));
  struct Case {
    ImageDim dim;
    std::uint32_t type, depth, layers;
  };
  for (const Case& c : {Case{ImageDim::D1, 8, 1, 1}, Case{ImageDim::D2, 9, 1, 1}, Case{ImageDim::D3, 10, 5, 1},
                        Case{ImageDim::D1Array, 12, 7, 7}, Case{ImageDim::D2Array, 13, 7, 7}}) {
    const abi::ImageValue image{.width = 100,
                                .height = 30,
                                .depth = c.dim == ImageDim::D3 ? 5u : 1u,
                                .channel_order = 0x10b6,
                                .channel_type = 0x10d2,
                                .address = 0xff'1234'5600,
                                .row_pitch = 512,
                                .array_size = 7};
    const auto words = abi::image_descriptor(image, c.dim);
    ASSERT_TRUE(words);
    EXPECT_EQ(abi::decode_image_descriptor(*words), (abi::HardwareImage{.address = 0xff'1234'5600,
                                                                        .data_format = 10,
                                                                        .number_format = 0,
                                                                        .width = 100,
                                                                        .height = 30,
                                                                        .depth = c.depth,
                                                                        .select = {6, 5, 4, 7},
                                                                        .tiling = 8,
                                                                        .type = c.type,
                                                                        .pitch = 128,
                                                                        .last_layer = c.layers - 1}));
    EXPECT_TRUE(abi::is_linear(abi::decode_image_descriptor(*words)));
    const auto newer = abi::image_descriptor(image, c.dim, abi::ImageForm::Gfx9);
    ASSERT_TRUE(newer);
    abi::HardwareImage wanted = abi::decode_image_descriptor(*words);
    wanted.tiling = 0;
    wanted.last_layer = c.depth - 1;
    EXPECT_EQ(abi::decode_image_descriptor(*newer, abi::ImageForm::Gfx9), wanted);
    EXPECT_TRUE(abi::is_linear(wanted, abi::ImageForm::Gfx9));
  }
  // Addressing none, repeat, edge, clamp, mirror.
  constexpr std::uint32_t kClamps[] = {2, 0, 2, 6, 1};
  for (std::uint32_t addressing = 0; addressing < 5; ++addressing)
    for (const bool linear : {false, true})
      for (const bool normalized : {false, true}) {
        const std::uint32_t word = (normalized ? 1 : 0) | addressing << 1 | (linear ? 0x20 : 0x10);
        const std::uint32_t clamp = kClamps[addressing];
        EXPECT_EQ(abi::decode_sampler_descriptor(abi::sampler_descriptor(word)),
                  (abi::HardwareSampler{.clamp = {clamp, clamp, clamp},
                                        .unnormalized = !normalized,
                                        .magnified = linear ? 1u : 0,
                                        .minified = linear ? 1u : 0,
                                        .z_filter = linear ? 2u : 1}));
      }
  // Packed types: red in the highest bits, which are the hardware's third component.
  const auto packed =
      abi::image_descriptor({.channel_order = 0x10b4, .channel_type = 0x10d4, .address = 0x100}, ImageDim::D2);
  ASSERT_TRUE(packed);
  EXPECT_EQ(abi::decode_image_descriptor(*packed).select, (std::array<std::uint32_t, 4>{6, 5, 4, 1}));
}

TEST(LocalSize, IsTheRequiredOneCutToTheRangesDimensions) {
  Kernel k = kernel();
  k.limits.required_group_size = {2, 7, 1};
  EXPECT_EQ(abi::choose_local_size(
                k, {.dimensions = 1, .global = {192}, .local = {}, .offset = {}, .task = false, .split = {}}),
            (std::array<std::uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(abi::choose_local_size(
                k, {.dimensions = 3, .global = {4, 14, 3}, .local = {}, .offset = {}, .task = false, .split = {}}),
            (std::array<std::uint32_t, 3>{2, 7, 1}));
}

TEST(LocalSize, DividesTheGlobalSizeAndStaysWithinTheLimit) {
  Kernel k = kernel();
  const auto choose = [&](std::uint32_t dimensions, std::array<std::uint64_t, 3> global) {
    return abi::choose_local_size(
        k, {.dimensions = dimensions, .global = global, .local = {}, .offset = {}, .task = false, .split = {}});
  };
  EXPECT_EQ(choose(1, {1024, 1, 1}), (std::array<std::uint32_t, 3>{256, 1, 1}));
  EXPECT_EQ(choose(1, {257, 1, 1}), (std::array<std::uint32_t, 3>{1, 1, 1}));
  EXPECT_EQ(choose(1, {300, 1, 1}), (std::array<std::uint32_t, 3>{150, 1, 1}));
  EXPECT_EQ(choose(2, {640, 480, 1}), (std::array<std::uint32_t, 3>{16, 16, 1}));
  EXPECT_EQ(choose(2, {30, 7, 1}), (std::array<std::uint32_t, 3>{15, 7, 1}));
  EXPECT_EQ(choose(3, {64, 64, 64}), (std::array<std::uint32_t, 3>{8, 8, 4}));
  k.limits.one_wavefront = true;
  EXPECT_EQ(choose(1, {1024, 1, 1}), (std::array<std::uint32_t, 3>{64, 1, 1}));
  EXPECT_EQ(choose(2, {64, 64, 1}), (std::array<std::uint32_t, 3>{8, 8, 1}));
  EXPECT_EQ(choose(3, {64, 64, 64}), (std::array<std::uint32_t, 3>{4, 4, 4}));
}

TEST(LocalSize, IsChosenWhenTheLaunchNamesNone) {
  Diagnostics diagnostics;
  abi::LaunchImage image = make_image(kernel(), diagnostics);
  ASSERT_TRUE(image.set_range(
      {.dimensions = 2, .global = {64, 48}, .local = {}, .offset = {}, .task = false, .split = {}}, diagnostics));
  ASSERT_TRUE(image.build(diagnostics));
  EXPECT_EQ(image.local_size(), (std::array<std::uint32_t, 3>{16, 16, 1}));
  EXPECT_EQ(dwords(image.cb0())[4], 16u);
  EXPECT_EQ(dwords(image.cb0())[8], 4u);
}

TEST(SingleGroup, CoversTheRangeGroupByGroup) {
  const abi::Range range{
      .dimensions = 2, .global = {100, 8}, .local = {}, .offset = {1000, 5}, .task = false, .split = {}};
  const abi::Split last = abi::single_group(range, {64, 4, 1}, {1, 1, 0});
  EXPECT_EQ(last.global, (std::array<std::uint64_t, 3>{36, 4, 1}));
  EXPECT_EQ(last.offset, (std::array<std::uint64_t, 3>{1064, 9, 0}));
  EXPECT_EQ(last.group_offset, (std::array<std::uint32_t, 3>{1, 1, 0}));
}

TEST(FactTables, NameEverySourceAndCoverTheirStructures) {
  for (const abi::ArgumentRule& rule : abi::argument_rules()) EXPECT_FALSE(rule.source.empty()) << rule.kind;
  std::uint32_t next = 0;
  for (const abi::ImageConstantField& field : abi::image_constant_fields()) {
    EXPECT_EQ(field.offset, next);
    next += 4;
  }
  EXPECT_EQ(next, 32u);
  for (const abi::HardwareDescriptorField& field : abi::descriptor_fields()) {
    const bool plain =
        field.descriptor == abi::DescriptorKind::Buffer || field.descriptor == abi::DescriptorKind::Sampler;
    const unsigned bits = plain ? 128 : 256;
    EXPECT_LE(field.bit + field.width, bits) << field.name;
    EXPECT_FALSE(field.source.empty()) << field.name;
  }
  std::uint32_t last = 0;
  for (const auto rows : {abi::channel_orders(), abi::channel_types()})
    for (const abi::ClName& row : rows) {
      EXPECT_GT(row.value, last) << row.name;
      last = row.value;
    }
}

}  // namespace
}  // namespace amdcompat::launch_test
