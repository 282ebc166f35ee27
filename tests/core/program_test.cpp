#include <amdcompat/program.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace amdcompat::program_test {
namespace {

template <class Pointer>
Argument pointer(MemoryKind memory, std::uint32_t buffer) {
  Pointer kind;
  kind.memory = memory;
  kind.buffer = buffer;
  Argument argument;
  argument.kind = kind;
  return argument;
}

TEST(Scalar, EveryTypeHasItsOwnSpelling) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ScalarType::Other); ++i) {
    const std::string_view name = scalar_name(static_cast<ScalarType>(i));
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.empty(), static_cast<ScalarType>(i) == ScalarType::Other);
  }
}

TEST(Scalar, SizesAreThoseOfOpenCl) {
  EXPECT_EQ(scalar_size(ScalarType::I1), 1u);
  EXPECT_EQ(scalar_size(ScalarType::U8), 1u);
  EXPECT_EQ(scalar_size(ScalarType::Half), 2u);
  EXPECT_EQ(scalar_size(ScalarType::Float), 4u);
  EXPECT_EQ(scalar_size(ScalarType::U64), 8u);
  EXPECT_EQ(scalar_size(ScalarType::Double), 8u);
  for (const ScalarType type : {ScalarType::Struct, ScalarType::Union, ScalarType::Event, ScalarType::Unsized,
                                ScalarType::Sampler, ScalarType::Other})
    EXPECT_EQ(scalar_size(type), 0u) << scalar_name(type);
}

TEST(Spelling, MemoryKindsAndImageDimsAreDistinct) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(MemoryKind::Flat); ++i)
    EXPECT_TRUE(names.insert(memory_kind_name(static_cast<MemoryKind>(i))).second);
  EXPECT_EQ(memory_kind_name(MemoryKind::HardwareConstant), "hc");
  EXPECT_EQ(memory_kind_name(MemoryKind::Uav), "uav");
  for (int i = 0; i <= static_cast<int>(ImageDim::D2ArrayDepth); ++i)
    EXPECT_TRUE(names.insert(image_dim_name(static_cast<ImageDim>(i))).second);
  EXPECT_EQ(image_dim_name(ImageDim::D1Buffer), "1DB");
  EXPECT_EQ(image_dim_name(ImageDim::D2ArrayDepth), "2DADepth");
}

TEST(RawUav, IsNoneWithoutAUavidLine) { EXPECT_EQ(effective_raw_uav(Kernel{}), std::nullopt); }

TEST(RawUav, IsNoneWhenAPointerTakesItsNumber) {
  Kernel kernel;
  std::get<ConstantBufferLaunch>(kernel.launch).ids.raw_uav = 11;
  kernel.arguments.push_back(pointer<GlobalPointer>(MemoryKind::Uav, 12));
  EXPECT_EQ(effective_raw_uav(kernel), 11u);
  kernel.arguments.push_back(pointer<ConstantPointer>(MemoryKind::Constant, 11));
  EXPECT_EQ(effective_raw_uav(kernel), std::nullopt);
}

TEST(RawUav, IgnoresPointersThatAreNotUavs) {
  Kernel kernel;
  std::get<ConstantBufferLaunch>(kernel.launch).ids.raw_uav = 2;
  kernel.arguments.push_back(pointer<ConstantPointer>(MemoryKind::HardwareConstant, 2));
  kernel.arguments.push_back(pointer<LocalPointer>(MemoryKind::HardwareLocal, 2));
  Argument image;
  image.kind = Image{.dim = ImageDim::D2, .access = Access::WriteOnly, .id = 2};
  kernel.arguments.push_back(image);
  EXPECT_EQ(effective_raw_uav(kernel), 2u);
}

TEST(RawUav, StaysWithPrintf) {
  Kernel kernel;
  std::get<ConstantBufferLaunch>(kernel.launch).ids.raw_uav = 11;
  kernel.arguments.push_back(pointer<GlobalPointer>(MemoryKind::Uav, 11));
  kernel.uses_printf = true;
  EXPECT_EQ(effective_raw_uav(kernel), 11u);
}

TEST(GroupSize, IsTheRequiredSizeFirst) {
  Kernel kernel;
  EXPECT_EQ(max_flat_group_size(kernel), 256u);
  kernel.limits.max_group_size = 128;
  EXPECT_EQ(max_flat_group_size(kernel), 128u);
  kernel.limits.required_group_size = {2, 7, 1};
  EXPECT_EQ(max_flat_group_size(kernel), 14u);
  kernel.limits.required_group_size = {64, 0, 0};  // unused dimensions count as 1
  EXPECT_EQ(max_flat_group_size(kernel), 64u);
}

TEST(GroupSize, IsTheWavefrontWhereTheCompilerSaysSo) {
  Kernel kernel;
  kernel.limits.one_wavefront = true;
  EXPECT_EQ(max_flat_group_size(kernel), 64u);
  kernel.registers.wavefront_size = 32;
  EXPECT_EQ(max_flat_group_size(kernel), 32u);
  kernel.limits.max_group_size = 16;
  EXPECT_EQ(max_flat_group_size(kernel), 16u);
}

TEST(GroupSize, SaturatesInsteadOfWrapping) {
  Kernel kernel;
  kernel.limits.required_group_size = {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF};
  EXPECT_EQ(max_flat_group_size(kernel), 0xFFFFFFFFu);
}

TEST(Alignment, IsTheLargestPowerOfTwoThatDivides) {
  EXPECT_EQ(usable_alignment(0), 1u);
  EXPECT_EQ(usable_alignment(1), 1u);
  EXPECT_EQ(usable_alignment(16), 16u);
  EXPECT_EQ(usable_alignment(52), 4u);
  EXPECT_EQ(usable_alignment(0x80000000), 0x80000000u);
}

}  // namespace
}  // namespace amdcompat::program_test
