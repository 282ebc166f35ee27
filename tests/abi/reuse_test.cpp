// Re-use of a launch image allocates nothing. A program of its own, because it replaces operator new.
#include "count_allocations.hpp"
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

}  // namespace
}  // namespace amdcompat
