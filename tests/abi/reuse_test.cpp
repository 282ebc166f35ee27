// Re-use of a launch image allocates nothing. A program of its own, because it replaces operator new.
#include <amdcompat/kernarg_launch.hpp>

#include "support/count_allocations.hpp"
#include "kernels.hpp"

namespace amdcompat {
namespace {

using namespace test;

TEST(Reuse, AllocatesNothing) {
  std::vector<Argument> arguments{argument("v", ByValue{ScalarType::U32, 4}, 0),
                                  argument("p", global_pointer(12), 0),
                                  argument("l", local_pointer(4), 0),
                                  argument("i", Image{}, 0),
                                  argument("s", Sampler{}, 0),
                                  argument("w", ByValue{ScalarType::I64, 3}, 0),
                                  argument("x", ByValue{ScalarType::U8, 16}, 0)};
  Diagnostics findings;
  abi::LaunchImage image = make_image(kernel(arguments), findings);
  std::vector<std::byte> value = counting(16), wide = counting(32);
  abi::Range range;
  range.local = {64, 1, 1};
  std::size_t before = 0;
  for (std::uint32_t launch = 0; launch < 100; ++launch) {
    if (launch == 1) before = allocations();
    range.global[0] = 64 * (launch + 1);
    range.offset[0] = launch;
    value[0] = static_cast<std::byte>(launch);
    wide[0] = static_cast<std::byte>(launch);
    const bool good = image.set_range(range, findings) && image.set_bytes(0, value, findings) &&
                      image.set_buffer(1, {.address = 0x1000 + 64 * launch, .base = 0, .size = 64}, findings) &&
                      image.set_local(2, 4 + launch, findings) &&
                      image.set_image(3,
                                      {.width = launch + 1,
                                       .height = 4,
                                       .depth = 1,
                                       .channel_order = 0x10b5,
                                       .channel_type = 0x10d2,
                                       .address = 0x1000},
                                      findings) &&
                      image.set_sampler(4, launch % 2 == 0 ? 0x10 : 0x20, findings) &&
                      image.set_bytes(5, wide, findings) && image.set_bytes(6, value, findings) &&
                      image.build(findings);
    ASSERT_TRUE(good) << codes(findings);
  }
  EXPECT_EQ(allocations() - before, 0u);
}

// A CL2 kernel as a reader would lower it.
Kernel block_kernel() {
  Kernel out = kernel({argument("offset", Hidden{}, 0), argument("p", global_pointer(7), 0),
                       argument("v", ByValue{ScalarType::U32, 4}, 0), argument("l", local_pointer(4), 0),
                       argument("s", ByValue{ScalarType::Struct, 40}, 0), argument("i", Image{}, 0),
                       argument("f", Sampler{}, 0)},
                      AddressBits::Bits64);
  const std::array<std::uint64_t, 7> sizes{8, 8, 16, 8, 8, 8, 8};
  auto& block = out.launch.emplace<ArgumentBlockLaunch>();
  block.hidden_arguments = 1;
  out.entry.emplace<KernelCode>().user_registers = 0x2f;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    out.arguments[i].slot = ArgumentBlockSlot{block.argument_bytes, sizes[i], 8, false, {}};
    block.argument_bytes += sizes[i];
  }
  return out;
}

TEST(Reuse, OfACl2LaunchAllocatesNothing) {
  Diagnostics findings;
  auto image = abi::Cl2LaunchImage::create(block_kernel(), findings);
  ASSERT_TRUE(image) << codes(findings);
  std::vector<std::byte> value = counting(16), record = counting(40);
  std::size_t before = 0;
  for (std::uint32_t launch = 0; launch < 100; ++launch) {
    if (launch == 1) before = allocations();
    value[0] = record[0] = static_cast<std::byte>(launch);
    const bool good =
        image->set_range({.dimensions = 1, .global = {64 * (launch + 1)}, .local = {{64, 1, 1}}}, findings) &&
        image->set_environment({.memory = 0x7f0000000000u + 0x1000u * launch,
                                .completion_signal = 8 * launch,
                                .local_aperture = 0x1000,
                                .scratch_offset = 256 * launch},
                               findings) &&
        image->set_address(1, 0x7e0000000000u + 64u * launch, 64, findings) && image->set_bytes(2, value, findings) &&
        image->set_local(3, 4 + launch, findings) && image->set_bytes(4, record, findings) &&
        image->set_image(5,
                         {.width = launch + 1,
                          .height = 4,
                          .depth = 1,
                          .channel_order = 0x10b5,
                          .channel_type = 0x10d2,
                          .address = 0x1000},
                         findings) &&
        image->set_sampler(6, launch % 2 == 0 ? 0x10 : 0x20, findings) && image->build(findings);
    ASSERT_TRUE(good) << codes(findings);
  }
  EXPECT_EQ(allocations() - before, 0u);
}

TEST(Reuse, OfAKernargSegmentAllocatesNothing) {
  Kernel kernel = block_kernel();
  auto& launch = kernel.launch.emplace<KernargLaunch>();
  for (Argument& argument : kernel.arguments) {
    const std::uint64_t size = argument.name == "v" ? 16 : argument.name == "s" ? 40 : 8;
    argument.slot = KernargSlot{launch.bytes, size};
    launch.bytes += size;
  }
  Argument cb0 = argument("amdcompat.cb0", ByValue{ScalarType::Struct, 160}, 0);
  cb0.type_name = "amdcompat_cb0_64";
  cb0.slot = KernargSlot{launch.bytes, 160};
  kernel.arguments.push_back(cb0);
  launch.bytes += 160;
  Diagnostics findings;
  auto image = abi::KernargImage::create(kernel, findings);
  ASSERT_TRUE(image) << codes(findings);
  std::vector<std::byte> value = counting(16), record = counting(40);
  std::size_t before = 0;
  for (std::uint32_t launched = 0; launched < 100; ++launched) {
    if (launched == 1) before = allocations();
    value[0] = record[0] = static_cast<std::byte>(launched);
    const bool good =
        image->set_range({.dimensions = 1, .global = {64 * (launched + 1)}, .local = {{64, 1, 1}}}, findings) &&
        image->set_environment({.memory = 0x7f0000000000u + 0x1000u * launched, .completion_signal = 8 * launched},
                               findings) &&
        image->set_address(1, 0x7e0000000000u + 64u * launched, 64, findings) && image->set_bytes(2, value, findings) &&
        image->set_local(3, 4 + launched, findings) && image->set_bytes(4, record, findings) &&
        image->set_address(5, 64 * launched, 0, findings) && image->set_null(6, findings) && image->build(findings);
    ASSERT_TRUE(good) << codes(findings);
  }
  EXPECT_EQ(allocations() - before, 0u);
}

}  // namespace
}  // namespace amdcompat
