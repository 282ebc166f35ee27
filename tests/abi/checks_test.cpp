// Every wrong value has a diagnostic of its own, and never becomes a byte.
#include "kernels.hpp"
#include "whose.hpp"

namespace amdcompat::checks_test {
namespace {

using namespace test;

class Checks : public testing::Test {
 protected:
  // The codes that creating an image of the kernel reports.
  std::string created(const Kernel& k, const abi::LaunchOptions& options = {}) {
    Diagnostics findings;
    const auto image = abi::LaunchImage::create(k, findings, options);
    EXPECT_EQ(image.has_value(), !findings.has_errors());
    expect_names(k, findings);
    return codes(findings);
  }
  std::string ranged(const abi::Range& range, const Kernel& k = kernel(), Mode mode = Mode::Lenient) {
    Diagnostics findings(mode);
    abi::LaunchImage image = make_image(k, findings);
    const bool good = image.set_range(range, findings);
    EXPECT_EQ(good, !findings.has_errors());
    EXPECT_EQ(image.build(findings), good);  // a refused value is not reported twice
    expect_names(k, findings);
    return codes(findings);
  }
  static abi::Range one(std::uint64_t global, std::uint32_t local, std::uint64_t offset = 0) {
    abi::Range out;
    out.global = {global, 1, 1};
    out.local = {local, 1, 1};
    out.offset = {offset, 0, 0};
    return out;
  }
};

TEST_F(Checks, KernelsThatCannotBePackedAreRefused) {
  Kernel k = kernel();
  k.complete = false;
  EXPECT_EQ(created(k), "AC3001 ; ");
  EXPECT_EQ(created(kernel({argument("q", Queue{}, 0)})), "AC3002 arguments[0]; ");
  EXPECT_EQ(created(kernel({argument("h", Hidden{}, 0)})), "AC3002 arguments[0]; ");
  EXPECT_EQ(created(kernel({argument("e", ByValue{ScalarType::Event, 1}, 0)})), "AC3002 arguments[0]; ");
  EXPECT_EQ(created(kernel({argument("e", ByValue{ScalarType::U32, 17}, 0)})), "AC3002 arguments[0]; ");
  k = kernel({argument("a", ByValue{ScalarType::U32, 1}, 0)});
  std::get<ConstantBufferSlot>(k.arguments[0].slot).buffer = 0;
  EXPECT_EQ(created(k), "AC3003 arguments[0]; ");
  std::get<ConstantBufferSlot>(k.arguments[0].slot).buffer = 16;
  EXPECT_EQ(created(k), "AC3003 arguments[0]; ");
  k.arguments[0].slot = ConstantBufferSlot{1, 0xfffffff0};
  EXPECT_EQ(created(k), "AC3004 arguments[0]; ");
  k.arguments[0].slot = ConstantBufferSlot{1, 65'536};
  EXPECT_EQ(created(k), "AC3004 arguments[0]; ");
  k.arguments[0].slot = ConstantBufferSlot{1, 65'536 - 16};
  EXPECT_EQ(created(k), "");
  k.arguments[0].kind = ByValue{ScalarType::Struct, 0xffffffff};
  EXPECT_EQ(created(k), "AC3004 arguments[0]; ");
}

TEST_F(Checks, OddMetadataIsReportedOnceWhenTheImageIsMade) {
  Kernel k = kernel({argument("a", ByValue{ScalarType::U32, 8}, 0), argument("b", ByValue{ScalarType::U32, 1}, 0)});
  std::get<ConstantBufferSlot>(k.arguments[1].slot).offset = 16;
  EXPECT_EQ(created(k), "AC3005 arguments[1]; ");
  std::get<ConstantBufferSlot>(k.arguments[1].slot).offset = 36;
  EXPECT_EQ(created(k), "AC3007 arguments[1]; ");
  EXPECT_EQ(created(kernel(
                {argument("a", ByValue{ScalarType::Double, 3}, 0), argument("b", ByValue{ScalarType::U32, 1}, 0)})),
            "AC3006 arguments[0]; ");
  // Nothing follows, so nothing is overwritten.
  EXPECT_EQ(created(kernel({argument("a", ByValue{ScalarType::Double, 3}, 0)})), "");
}

TEST_F(Checks, LaunchSizes) {
  EXPECT_EQ(ranged(one(64, 64)), "");
  abi::Range range = one(64, 64);
  for (const std::uint32_t dimensions : {0u, 4u}) {
    range.dimensions = dimensions;
    EXPECT_EQ(ranged(range), "AC3020 range; ");
  }
  EXPECT_EQ(ranged(one(0, 64)), "AC3021 range; ");
  EXPECT_EQ(ranged(one(64, 0)), "AC3021 range; ");
  EXPECT_EQ(ranged(one(0x1'0000'0000, 64)), "AC3022 range; ");
  EXPECT_EQ(ranged(one(0x1000, 64, 0xffff'ffff)), "AC3022 range; ");
  EXPECT_EQ(ranged(one(64, 64, 0xffff'ffff'ffff'ffff)), "AC3022 range; ");
  EXPECT_EQ(ranged(one(0x1000, 64, 0xffff'f000)), "");
  EXPECT_EQ(ranged(one(512, 257)), "AC3023 range; ");
  EXPECT_EQ(ranged(one(100, 64)), "AC3025 range; ");
  Kernel k = kernel();
  k.limits.max_group_size = 1'000'000;
  EXPECT_EQ(ranged(one(0x20000, 0xffff), k), "AC3025 range; ");
  EXPECT_EQ(ranged(one(0x20000, 0x10000), k), "AC3023 range; ") << "kernels read 16 bits of a local size";
}

TEST_F(Checks, ALocalSizeThatContradictsCwsIsReplacedOrInStrictModeRefused) {
  Kernel k = kernel();
  k.limits.required_group_size = {2, 7, 1};
  EXPECT_EQ(ranged(one(192, 64), k), "AC3024 range; ");
  EXPECT_EQ(ranged(one(192, 64), k, Mode::Strict), "AC3024 range; ");
  EXPECT_EQ(ranged(one(192, 2), k, Mode::Strict), "");
  Diagnostics lenient, strict(Mode::Strict);
  abi::LaunchImage image = make_image(k, lenient);
  EXPECT_TRUE(image.set_range(one(192, 64), lenient));
  EXPECT_EQ(image.local_size()[0], 2u);
  EXPECT_FALSE(image.set_range(one(384, 64), strict));
  EXPECT_TRUE(strict.has_errors());
}

TEST_F(Checks, SplitsOutsideTheirRangeAreReported) {
  abi::Range range = one(256, 64, 100);
  range.split = abi::Split{.global = {128, 1, 1}, .offset = {228, 0, 0}, .group_offset = {2, 0, 0}};
  EXPECT_EQ(ranged(range), "");
  range.split->group_offset[0] = 1;
  EXPECT_EQ(ranged(range), "AC3026 range; ");
  range.split = abi::Split{.global = {128, 1, 1}, .offset = {0, 0, 0}, .group_offset = {0, 0, 0}};
  EXPECT_EQ(ranged(range), "AC3026 range; ");
  EXPECT_EQ(ranged(range, kernel(), Mode::Strict), "AC3026 range; ");
  range.split->global[0] = 0;
  EXPECT_EQ(ranged(range), "AC3021 range; ");
  range.split->global[0] = 0x1'0000'0001;
  EXPECT_EQ(ranged(range), "AC3022 range; ");
}

TEST_F(Checks, ArgumentValues) {
  const Kernel k = kernel({argument("v", ByValue{ScalarType::U32, 3}, 0), argument("p", global_pointer(12, 16), 0),
                           argument("l", local_pointer(4), 0), argument("i", Image{}, 0), argument("s", Sampler{}, 0)});
  Diagnostics findings;
  abi::LaunchImage image = make_image(k, findings);
  const auto expect = [&](bool result, std::string_view wanted) {
    EXPECT_FALSE(result);
    EXPECT_EQ(codes(findings), wanted);
    expect_names(k, findings);
    findings = Diagnostics();
  };
  expect(image.set_bytes(5, counting(4), findings), "AC3040 arguments[5]; ");
  expect(image.set_bytes(1, counting(4), findings), "AC3042 arguments[1]; ");
  expect(image.set_buffer(0, {}, findings), "AC3042 arguments[0]; ");
  expect(image.set_null(3, findings), "AC3042 arguments[3]; ");
  expect(image.set_local(1, 4, findings), "AC3042 arguments[1]; ");
  expect(image.set_image(0, {}, findings), "AC3042 arguments[0]; ");
  expect(image.set_sampler(0, 0x10, findings), "AC3042 arguments[0]; ");
  expect(image.set_bytes(0, counting(12), findings), "AC3043 arguments[0]; ");
  expect(image.set_buffer(1, {.address = 0x1008, .base = 0, .size = 0}, findings), "AC3044 arguments[1]; ");
  expect(image.set_buffer(1, {.address = 0x1'0000'0000, .base = 0, .size = 0}, findings), "AC3045 arguments[1]; ");
  expect(image.set_buffer(1, {.address = 0x1'0000'0000'0000, .base = 0x1'0000'0000'0000, .size = 0}, findings),
         "AC3045 arguments[1]; ");
  expect(image.set_buffer(1, {.address = 0xffff'ffff'fff0, .base = 0xffff'ffff'fff0, .size = 17}, findings),
         "AC3045 arguments[1]; ");
  expect(image.set_buffer(1, {.address = 0x1000, .base = 0x1010, .size = 0}, findings), "AC3046 arguments[1]; ");
  expect(image.set_local(2, 0, findings), "AC3047 arguments[2]; ");
  expect(image.set_image(3, {.width = 0, .height = 1, .depth = 1, .channel_order = 0x10b5, .channel_type = 0x10d2},
                         findings),
         "AC3048 arguments[3]; ");
  expect(image.set_image(
             3, {.width = 4, .height = 1, .depth = 1, .channel_order = 0x10b5, .channel_type = 0x10d2, .address = 0x80},
             findings),
         "AC3048 arguments[3]; ");
  expect(image.set_image(3, {.width = 4, .height = 1, .depth = 1, .channel_order = 0x10c4, .channel_type = 0x10d2},
                         findings),
         "AC3049 arguments[3]; ");
  Diagnostics strict(Mode::Strict);
  EXPECT_FALSE(image.set_sampler(4, 0x40, strict));
  EXPECT_EQ(codes(strict), "AC3050 arguments[4]; ");
  EXPECT_TRUE(image.set_sampler(4, 0x1a, findings));  // addressing 5
  EXPECT_EQ(codes(findings), "AC3050 arguments[4]; ");
  findings = Diagnostics();
  EXPECT_FALSE(image.build(findings));
  EXPECT_EQ(codes(findings), "AC3027 range; ") << "what was refused is not missing";
}

TEST_F(Checks, MissingArgumentsAreNamedAndTheImageKeepsTheLastGoodBytes) {
  const Kernel k =
      kernel({argument("a", ByValue{ScalarType::U32, 1}, 0), argument("b", ByValue{ScalarType::U32, 1}, 0)});
  Diagnostics findings;
  abi::LaunchImage image = make_image(k, findings);
  EXPECT_TRUE(image.set_range(one(64, 64), findings));
  EXPECT_TRUE(image.set_bytes(0, counting(4), findings));
  EXPECT_FALSE(image.build(findings));
  EXPECT_EQ(codes(findings), "AC3041 arguments[1]; ");
  expect_names(k, findings);
  EXPECT_EQ(dwords(image.cb1()), std::vector<std::uint32_t>(8));
  EXPECT_TRUE(image.set_bytes(1, counting(4, 5), findings));
  EXPECT_TRUE(image.build(findings));
  const auto good = dwords(image.cb1());
  EXPECT_FALSE(image.set_bytes(0, counting(5), findings));
  EXPECT_TRUE(image.set_bytes(1, counting(4, 9), findings));
  EXPECT_FALSE(image.build(findings));
  EXPECT_EQ(dwords(image.cb1()), good);
  EXPECT_TRUE(image.set_bytes(0, counting(4), findings));
  EXPECT_TRUE(image.build(findings));
  EXPECT_EQ(dwords(image.cb1()), (std::vector<std::uint32_t>{0x04030201, 0, 0, 0, 0x0c0b0a09, 0, 0, 0}));
}

TEST_F(Checks, LocalMemoryOverTheLimitIsRefusedHoweverLarge) {
  Kernel k = kernel({argument("l", local_pointer(16), 0), argument("m", local_pointer(16), 0)});
  k.segments.hardware_local = 16;
  Diagnostics findings;
  abi::LaunchImage image = make_image(k, findings);
  EXPECT_TRUE(image.set_range(one(64, 64), findings));
  for (const std::uint64_t size : {std::uint64_t{32'768}, ~std::uint64_t{0}}) {
    findings = Diagnostics();
    EXPECT_TRUE(image.set_local(0, size, findings));
    EXPECT_TRUE(image.set_local(1, 1, findings));
    EXPECT_FALSE(image.build(findings));
    EXPECT_EQ(codes(findings), "AC3032 arguments; ");
    expect_names(k, findings);
  }
  EXPECT_TRUE(image.set_local(0, 32'768 - 32, findings));
  EXPECT_TRUE(image.build(findings));
  EXPECT_EQ(image.local_bytes(), 32'768u - 15);
}

TEST_F(Checks, LaunchWideValues) {
  Kernel k = kernel();
  k.uses_printf = k.needs_data_segment = k.compiler_write = true;
  Diagnostics findings;
  const std::vector<DataSegment> data(1);
  abi::LaunchImage image = make_image(k, findings, {}, data);
  EXPECT_TRUE(image.set_range(one(64, 64), findings));
  EXPECT_TRUE(image.build(findings));
  EXPECT_EQ(codes(findings), "AC3029 ; AC3030 ; AC3031 ; ");
  expect_names(k, findings);
  findings = Diagnostics();
  EXPECT_TRUE(image.set_range(one(128, 64), findings));
  EXPECT_TRUE(image.build(findings));
  EXPECT_EQ(codes(findings), "") << "said once";
  EXPECT_TRUE(
      image.set_printf(abi::PrintfBuffer{.address = 0x1000, .base = 0, .dwords_per_item = 64, .size = 0}, findings));
  EXPECT_TRUE(image.build(findings));
  EXPECT_EQ(codes(findings), "AC3028 ; ");
  findings = Diagnostics();
  EXPECT_FALSE(image.set_printf(
      abi::PrintfBuffer{.address = 0x1'0000'0000, .base = 0, .dwords_per_item = 64, .size = 0}, findings));
  EXPECT_FALSE(image.set_data_segment(abi::Buffer{.address = 0x1008, .base = 0, .size = 0}, findings));
  EXPECT_FALSE(image.set_rings(
      abi::Rings{
          .private_offset = 0x1'0000'0000, .private_bytes = 0, .local_offset = 0, .local_bytes = 0, .math_table = 0},
      findings));
  EXPECT_FALSE(image.set_constant_data(2, {}, findings));
  EXPECT_EQ(codes(findings), "AC3045 printf; AC3044 data_segment; AC3045 rings.private; AC3040 constant_data; ");
  expect_names(k, findings);
  findings = Diagnostics();
  EXPECT_FALSE(image.build(findings));
  EXPECT_EQ(codes(findings), "");
}

}  // namespace
}  // namespace amdcompat::checks_test
