// The memory of a CL2 launch: argument block, AQL packet, objects, user registers; and what is refused.
#include <algorithm>
#include <random>

#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/device.hpp>

#include "cl2/samples.hpp"
#include "support/real_corpus.hpp"
#include "whose.hpp"
#include <cl2_builder.hpp>

namespace amdcompat::cl2_launch_test {
namespace {

using test::Bytes;
using test::Shape;

constexpr Shape kNew{AddressBits::Bits64, cl2::HeaderSize::Hints};
constexpr Shape kNew32{AddressBits::Bits32, cl2::HeaderSize::Hints};
constexpr Shape kOld{AddressBits::Bits64, cl2::HeaderSize::Base};

// A kernel as the readers lower it from a container with these arguments.
Kernel lowered(const Shape& shape, std::vector<cl2::ArgumentRecord> arguments, std::uint16_t registers = 0xb,
               std::uint32_t scratch = 0, std::uint32_t chip = 6) {
  cl2::ContainerSpec spec;
  spec.bits = shape.bits;
  spec.storage = shape.storage();
  spec.chip = chip;
  if (chip == 20) spec.isa = cl2::IsaNote{9, 0, 0, "AMD", "AMDGPU"};
  spec.kernels = {test::kernel("k", shape, std::move(arguments), 0)};
  spec.kernels[0].setup.user_registers = registers;
  spec.kernels[0].setup.rsrc2 = user_register_count(registers) << 1;
  spec.kernels[0].setup.private_bytes = scratch;
  if (shape.storage() == cl2::CodeStorage::Separate) spec.kernels[0].metadata.memory[3] = scratch;
  Diagnostics diagnostics;
  auto file = open(test::string_of(test::build(spec)), diagnostics);
  EXPECT_TRUE(file && file->program.kernels.size() == 1) << test::listing(diagnostics);
  return file ? file->program.kernels.at(0) : Kernel{};
}

cl2::ArgumentRecord value(std::string name, std::uint32_t elements, std::uint32_t data) {
  return test::record(std::move(name), "t", cl2::ValueWords{.elements = elements, .data = data});
}
cl2::ArgumentRecord pointer(std::string name, std::uint32_t memory = 4, std::uint32_t align = 4) {
  return test::record(std::move(name), "int*", cl2::PointerWords{.align = align, .data = 4, .memory = memory});
}
cl2::ArgumentRecord image_record(std::string name, std::string type = "image2d_t") {
  return test::record(std::move(name), std::move(type), cl2::ImageWords{});
}
cl2::ArgumentRecord sampler(std::string name) {
  return test::record(std::move(name), "sampler_t", cl2::SamplerWords{});
}

Bytes counting(std::size_t size, unsigned first = 1) {
  Bytes out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(first + i);
  return out;
}
std::uint64_t number(std::span<const std::byte> bytes, std::size_t at, std::size_t size) {
  std::uint64_t out = 0;
  for (std::size_t i = size; i-- > 0;) out = out << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return out;
}
abi::Cl2LaunchImage make(const Kernel& kernel, const abi::Cl2LaunchOptions& options = {}) {
  Diagnostics diagnostics;
  auto image = abi::Cl2LaunchImage::create(kernel, diagnostics, options);
  if (!image) throw std::runtime_error(diagnostics.all().back().message);
  return std::move(*image);
}
abi::Range range(std::uint64_t global = 256, std::uint32_t local = 64) {
  return {.dimensions = 1, .global = {global, 1, 1}, .local = {{local, 1, 1}}};
}
abi::ImageValue picture() {
  return {.width = 64, .height = 32, .channel_order = 0x10b5, .channel_type = 0x10de, .address = 0x40000};
}
// The only finding, by code and path.
std::string only(const Diagnostics& findings) {
  if (findings.all().size() != 1) return fmt::format("{} findings\n{}", findings.all().size(), test::listing(findings));
  return fmt::format("{} {}", code_label(findings.all()[0].code), findings.all()[0].path);
}

// --- facts -------------------------------------------------------------------------------------------------

TEST(Cl2Facts, EveryOpenClChannelHasOneNumberInObjects) {
  for (const auto& [names, rows] : {std::pair(abi::channel_orders(), abi::object_channel_orders()),
                                    std::pair(abi::channel_types(), abi::object_channel_types())}) {
    EXPECT_EQ(names.size(), rows.size());
    for (const abi::ClName& name : names)
      EXPECT_EQ(std::ranges::count(rows, name.value, &abi::ObjectChannel::cl), 1) << name.name;
  }
}

TEST(Cl2Facts, TheDispatchHeaderIsThatOfAmdsRuntime) { EXPECT_EQ(abi::kDispatchHeader, 0x0d02); }

TEST(Cl2Facts, TheScratchDescriptorSwizzlesElementsOfSixtyFourWorkItems) {
  const auto words = abi::scratch_descriptor(0x123456789a00, 0x10000, 1);
  EXPECT_EQ(words[0], 0x56789a00u);
  EXPECT_EQ(words[1], 0x80001234u);
  EXPECT_EQ(words[2], 0x10000u);
  // Element size 4 bytes at 115, index stride 64 at 117, lane added at 119; the rest as in any buffer.
  EXPECT_EQ(words[3] ^ abi::buffer_descriptor(0, 0, 0)[3], 1u << 19 | 3u << 21 | 1u << 23);
}

// --- block and packet ----------------------------------------------------------------------------------------

TEST(Cl2Block, HoldsEveryKindOfArgumentAtItsPlace) {
  const Kernel kernel = lowered(kNew, test::source_records());
  abi::Cl2LaunchImage image = make(kernel);
  Diagnostics findings;
  const auto at = [&](std::string_view name) { return *image.find(name); };
  const auto offset = [&](std::string_view name) { return kernel.arguments[at(name)].in_block()->offset; };
  ASSERT_EQ(image.first_argument(), 6u);
  abi::Range sizes{.dimensions = 2, .global = {100, 20, 9}, .local = {{10, 5, 7}}, .offset = {7, 8, 9}};
  EXPECT_TRUE(image.set_environment({.memory = 0x20000,
                                     .printf_buffer = 0x1110,
                                     .default_queue = 0x2222,
                                     .aql_wrap = 0x3333,
                                     .kernel_object = 0x44440000,
                                     .completion_signal = 0x5555},
                                    findings));
  EXPECT_TRUE(image.set_range(sizes, findings));
  EXPECT_TRUE(image.set_bytes(at("c"), counting(1, 0xc0), findings));
  EXPECT_TRUE(image.set_bytes(at("f3"), counting(16, 0x10), findings));
  EXPECT_TRUE(image.set_bytes(at("d"), counting(8, 0x30), findings));
  EXPECT_TRUE(image.set_bytes(at("s"), counting(24, 0x50), findings));
  EXPECT_TRUE(image.set_address(at("out"), 0x700004, 4, findings));
  EXPECT_TRUE(image.set_address(at("in"), 0x123400000010, 0, findings));
  EXPECT_TRUE(image.set_local(at("tmp"), 10, findings));
  EXPECT_TRUE(image.set_null(at("table"), findings));
  EXPECT_TRUE(image.set_address(at("p"), 0x800100, 0, findings));
  EXPECT_TRUE(image.set_image(at("img"), picture(), findings));
  EXPECT_TRUE(image.set_address(at("vol"), 0x900010, 48, findings));
  EXPECT_TRUE(image.set_sampler(at("smp"), 0x15, findings));
  EXPECT_TRUE(image.set_address(at("q"), 0xa00001, 0, findings));
  EXPECT_TRUE(image.set_address(at("n"), 0xb00000, 0, findings));
  EXPECT_TRUE(image.set_null(at("sem"), findings));
  EXPECT_TRUE(image.build(findings));
  EXPECT_TRUE(findings.all().empty()) << test::listing(findings);

  const auto block = image.block();
  const auto word = [&](std::size_t where) { return number(block, where, 8); };
  const std::array<std::uint64_t, 6> hidden{7, 8, 0, 0x1110, 0x2222, 0x3333};
  for (std::size_t i = 0; i < hidden.size(); ++i) EXPECT_EQ(word(8 * i), hidden[i]) << i;
  // 48 c, 52 f3, 64 d, 72 s, 80 out, 88 in, ...: natural alignment of elements.
  EXPECT_EQ(offset("c"), 48u);
  EXPECT_EQ(offset("f3"), 52u);
  EXPECT_EQ(number(block, 48, 1), 0xc0u);
  EXPECT_EQ(number(block, 49, 3), 0u);
  EXPECT_EQ(word(52), 0x1716151413121110u);
  EXPECT_EQ(number(block, 60, 4), 0x1b1a1918u) << "three elements in the metadata are three in the block";
  EXPECT_EQ(word(64), 0x3736353433323130u);
  EXPECT_EQ(word(80), 0x700004u);
  EXPECT_EQ(word(88), 0x123400000010u);
  EXPECT_EQ(word(offset("tmp")), 100u) << "static local memory of the setup, aligned to 4";
  EXPECT_EQ(word(offset("table")), 0u);
  EXPECT_EQ(word(offset("p")), 0x800100u);
  EXPECT_EQ(word(offset("vol")), 0x900010u);
  EXPECT_EQ(word(offset("q")), 0xa00001u);
  EXPECT_EQ(word(offset("n")), 0xb00000u);

  EXPECT_EQ(block.size(), (kernel.argument_block()->argument_bytes + 15) / 16 * 16);
  const auto packet = image.packet();
  ASSERT_EQ(packet.size(), 64u);
  EXPECT_EQ(packet.data(), block.data() + block.size()) << "the packet follows at once";
  EXPECT_EQ(image.packet_header(), 0x00020d02u);
  const Bytes sizes_bytes{packet.begin() + 4, packet.begin() + 32};
  EXPECT_EQ(number(sizes_bytes, 0, 8), 0x0001'0005'000au);  // 10 x 5 x 1, reserved
  EXPECT_EQ(number(sizes_bytes, 8, 8), 0x0000'0014'0000'0064u);
  EXPECT_EQ(number(sizes_bytes, 16, 4), 1u);
  EXPECT_EQ(number(sizes_bytes, 20, 4), 0u);
  EXPECT_EQ(number(sizes_bytes, 24, 4), 110u);
  EXPECT_EQ(image.local_bytes(), 110u);
  EXPECT_EQ(number(packet, 32, 8), 0x44440000u);
  EXPECT_EQ(number(packet, 40, 8), 0x20000u);
  EXPECT_EQ(number(packet, 48, 8), 0u);
  EXPECT_EQ(number(packet, 56, 8), 0x5555u);

  // What the block points to.
  const auto memory = image.memory();
  const std::size_t copy = word(offset("s")) - 0x20000, object = word(offset("img")) - 0x20000;
  const std::size_t filter = word(offset("smp")) - 0x20000;
  EXPECT_EQ(copy % 16, 0u);
  EXPECT_TRUE(std::ranges::equal(memory.subspan(copy, 24), counting(24, 0x50)));
  const auto texture = abi::image_descriptor(picture(), ImageDim::D2);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(number(memory, object + 4 * i, 4), (*texture)[i]);
  EXPECT_EQ(number(memory, object + 32, 8), 0x8'0000'000fu) << "FLOAT is 15, RGBA 8";
  EXPECT_EQ(number(memory, object + 40, 8), picture().width);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(number(memory, filter + 4 * i, 4), abi::sampler_descriptor(0x15)[i]);
  EXPECT_EQ(number(memory, filter + 16, 8), 0u);
}

TEST(Cl2Block, OfThirtyTwoBitsHasWordsOfFourBytesAndHandlesOfEight) {
  abi::Cl2LaunchImage image = make(lowered(
      kNew32, {pointer("p"), value("n", 1, 8), test::source_records()[3], image_record("i"), pointer("l", 3, 16)}));
  Diagnostics findings;
  EXPECT_TRUE(image.set_environment({.memory = 0xffff0000}, findings));
  EXPECT_TRUE(image.set_range({.dimensions = 1, .global = {64}, .offset = {0xffffffc0}}, findings));
  EXPECT_TRUE(image.set_address(6, 0xfffffffc, 4, findings));
  EXPECT_TRUE(image.set_bytes(7, counting(4), findings));
  EXPECT_TRUE(image.set_bytes(8, counting(24), findings));
  EXPECT_TRUE(image.set_image(9, picture(), findings));
  EXPECT_TRUE(image.set_local(10, 4, findings));
  EXPECT_TRUE(image.build(findings)) << test::listing(findings);
  const auto block = image.block();
  EXPECT_EQ(number(block, 0, 4), 0xffffffc0u);
  EXPECT_EQ(number(block, 24, 8), 0x04030201'fffffffcu);
  EXPECT_EQ(number(block, 32, 4), 0xffff0000u + image.block_bytes() + 64);
  EXPECT_EQ(number(block, 40, 8) >> 32, 0u);
  EXPECT_EQ(number(block, 48, 4), 112u) << "100 bytes of static local memory, aligned to 16";
  EXPECT_FALSE(image.set_address(6, 0xfffffffc, 5, findings));
  EXPECT_FALSE(image.set_environment({.memory = 0xfffffff0}, findings));
  EXPECT_FALSE(image.set_range({.dimensions = 1, .global = {64}, .offset = {0xffffffc1}}, findings));
  EXPECT_EQ(findings.count(Severity::Error), 3u) << test::listing(findings);
}

TEST(Cl2Block, AVectorOfThreeHasAsManyElementsAsItsCompilerGaveIt) {
  for (const auto& [shape, elements, next] : {std::tuple(kOld, 3u, 60u), std::tuple(kNew, 4u, 64u)}) {
    abi::Cl2LaunchImage image = make(lowered(shape, {value("v", elements, 11), value("n", 1, 8)}));
    Diagnostics findings;
    EXPECT_TRUE(image.set_range(range(), findings));
    EXPECT_TRUE(image.set_bytes(6, counting(16), findings)) << "the host passes four elements either way";
    EXPECT_TRUE(image.set_bytes(7, counting(4, 0xa1), findings));
    EXPECT_TRUE(image.build(findings)) << test::listing(findings);
    EXPECT_TRUE(std::ranges::equal(image.block().subspan(48, 4 * elements), counting(4 * elements)));
    EXPECT_EQ(number(image.block(), next, 4), 0xa4a3a2a1u);
    EXPECT_FALSE(image.set_bytes(6, counting(12), findings));
  }
}

TEST(Cl2Block, IsAsLargeAsTheSetupSaysWhenThatIsMore) {
  Kernel kernel = lowered(kNew, {pointer("p")});
  std::get<KernelCode>(kernel.entry).kernarg_bytes = 100;
  EXPECT_EQ(make(kernel).block_bytes(), 112u);
  std::get<KernelCode>(kernel.entry).kernarg_bytes = 8;  // less than the arguments
  EXPECT_EQ(make(kernel).block_bytes(), 64u);
}

// --- objects -------------------------------------------------------------------------------------------------

TEST(Cl2Objects, FollowTheMemoryAndGiveWayToTheCallersAddresses) {
  abi::Cl2LaunchImage image = make(lowered(kNew, {value("s", 384, 15), image_record("i"), sampler("f")}));
  EXPECT_EQ(image.memory_align(), 128u) << "a struct of 384 bytes may hold a double16";
  Diagnostics findings;
  const auto build = [&](std::uint64_t at) {
    return image.set_environment({.memory = at}, findings) && image.build(findings);
  };
  EXPECT_TRUE(image.set_range(range(), findings));
  EXPECT_TRUE(image.set_bytes(6, Bytes(384, std::byte{1}), findings));
  EXPECT_TRUE(image.set_object(7, counting(48), findings));
  EXPECT_TRUE(image.set_object(8, counting(32), findings));
  EXPECT_TRUE(build(0x1000));
  const auto where = [&](std::size_t i) { return number(image.block(), 48 + 8 * i, 8); };
  const std::array<std::uint64_t, 3> first{where(0), where(1), where(2)};
  EXPECT_EQ(first[0] % 128, 0u);
  EXPECT_TRUE(std::ranges::equal(image.memory().subspan(first[1] - 0x1000, 48), counting(48)));
  EXPECT_TRUE(std::ranges::equal(image.memory().subspan(first[2] - 0x1000, 32), counting(32)));
  EXPECT_TRUE(build(0x9000));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(where(i), first[i] + 0x8000);
  EXPECT_TRUE(image.set_address(6, 0x77, 384, findings));
  EXPECT_TRUE(image.set_address(7, 0x770, 48, findings));
  EXPECT_TRUE(build(0x1000));
  EXPECT_EQ(where(0), 0x77u);
  EXPECT_EQ(where(1), 0x770u);
  EXPECT_EQ(where(2), first[2]);
  EXPECT_TRUE(image.set_bytes(6, Bytes(384, std::byte{2}), findings));
  EXPECT_TRUE(image.build(findings));
  EXPECT_EQ(where(0), first[0]);
  EXPECT_TRUE(findings.all().empty()) << test::listing(findings);
}

TEST(Cl2Objects, AreNotMadeWhereTheHardwareFormIsNotKnown) {
  Diagnostics findings;
  abi::Cl2LaunchImage image = make(lowered(kNew, {image_record("i", "image1d_buffer_t")}));
  EXPECT_FALSE(image.set_image(6, picture(), findings));
  EXPECT_EQ(only(findings), "AC3051 arguments[6]");
  abi::ImageValue nowhere = picture();
  nowhere.address = 0;
  abi::Cl2LaunchImage plain = make(lowered(kNew, {image_record("i")}));
  findings = Diagnostics{};
  EXPECT_FALSE(plain.set_image(6, nowhere, findings));
  EXPECT_EQ(only(findings), "AC3051 arguments[6]");
}

// --- user registers --------------------------------------------------------------------------------------------

struct Registers {
  std::uint16_t mask;
  std::vector<std::string> rows;
};

TEST(Cl2Registers, HoldWhatEachSetOfFeaturesGets) {
  const std::string scratch = "0 00056000 80000000 00008000 00ea7fac";
  const std::vector<Registers> cases{
      {0x01, {scratch}},
      {0x09, {scratch, "4 00010000 00000000"}},
      {0x0b, {scratch, "4 00010040 00000000", "6 00010000 00000000"}},
      {0x2b, {scratch, "4 00010040 00000000", "6 00010000 00000000", "8 00001200 0000000c"}},
      {0x2f, {scratch, "4 00010040 00000000", "6 00099000 00000000", "8 00010000 00000000", "10 00001200 0000000c"}},
      {0x7f,
       {scratch, "4 00010040 00000000", "6 00099000 00000000", "8 00010000 00000000", "10 ?", "12 00001200 0000000c",
        "14 0000000c"}}};
  for (const Registers& c : cases) {
    abi::Cl2LaunchImage image = make(lowered(kNew, {pointer("p")}, c.mask, 10));
    Diagnostics findings;
    EXPECT_TRUE(image.set_environment(
        {.memory = 0x10000, .queue = 0x99000, .scratch = 0x56000, .scratch_bytes = 0x8000, .scratch_offset = 0x1200},
        findings));
    EXPECT_TRUE(image.set_range(range(), findings));
    EXPECT_TRUE(image.set_null(6, findings));
    EXPECT_TRUE(image.build(findings)) << test::listing(findings);
    std::vector<std::string> rows;
    for (const abi::UserRegisterValue& row : image.user_registers()) {
      std::string& text = rows.emplace_back(fmt::format("{}", row.first));
      if (!row.known) text += " ?";
      for (std::uint32_t i = 0; row.known && i < row.count; ++i) text += fmt::format(" {:08x}", row.words[i]);
    }
    EXPECT_EQ(rows, c.rows) << fmt::format("{:#x}", c.mask);
    EXPECT_EQ(number(image.packet(), 24, 4), 10u) << "private segment";
  }
}

TEST(Cl2Registers, PointToQueueWordsOfOurOwnWithTheApertures) {
  abi::Cl2LaunchImage image = make(lowered(kNew, {}, 0x2f));
  Diagnostics findings;
  EXPECT_TRUE(
      image.set_environment({.memory = 0x10000, .local_aperture = 0x1000, .scratch_aperture = 0x2000}, findings));
  EXPECT_TRUE(image.set_range(range(), findings));
  EXPECT_TRUE(image.build(findings));
  EXPECT_TRUE(findings.all().empty()) << test::listing(findings);
  const auto registers = image.user_registers();
  ASSERT_EQ(registers[2].name, "queue pointer");
  const std::size_t queue = registers[2].words[0] - 0x10000;
  EXPECT_EQ(queue % 64, 0u);
  EXPECT_EQ(number(image.memory(), queue + 64, 8), 0x2000'0000'1000u) << "dwords 16 and 17";
  EXPECT_EQ(make(lowered(kNew, {}, 0xb)).memory().size(), 48u + 64) << "only for kernels that ask for it";
}

TEST(Cl2Registers, OnGfx9FlatScratchIsAnAddress) {
  abi::Cl2LaunchImage image = make(lowered(kNew, {}, 0x21, 0, 20));
  Diagnostics findings;
  EXPECT_TRUE(image.set_environment({.scratch = 0x123456780000, .scratch_offset = 256}, findings));
  EXPECT_TRUE(image.set_range(range(), findings) && image.build(findings));
  EXPECT_EQ(image.user_registers()[1].words[0], 0x56780000u);
  EXPECT_EQ(image.user_registers()[1].words[1], 0x1234u);
}

TEST(Cl2Objects, OfGfx9HaveItsDescriptorOfImages) {
  abi::Cl2LaunchImage image = make(lowered(kNew, {image_record("i")}, 0x9, 0, 20));
  ASSERT_EQ(find_device(image.kernel().device)->isa, Isa::Gcn1_4);
  Diagnostics findings;
  EXPECT_TRUE(image.set_range(range(), findings));
  EXPECT_TRUE(image.set_image(image.first_argument(), picture(), findings));
  EXPECT_TRUE(image.build(findings)) << test::listing(findings);
  const auto object = abi::image_object(picture(), ImageDim::D2, abi::ImageForm::Gfx9);
  ASSERT_TRUE(object);
  EXPECT_NE(object, abi::image_object(picture(), ImageDim::D2));
  EXPECT_TRUE(std::ranges::equal(image.memory().subspan(number(image.block(), 48, 8), object->size()), *object));
}

// --- refusals --------------------------------------------------------------------------------------------------

TEST(Cl2Refused, KernelsThatHaveNoReadableBlock) {
  const auto code = [](const Kernel& kernel, const abi::Cl2LaunchOptions& options = {}) {
    Diagnostics findings;
    const auto image = abi::Cl2LaunchImage::create(kernel, findings, options);
    if (image) return std::string("accepted");
    test::expect_names(kernel, findings);
    const Diagnostic& found = findings.all().front();
    return fmt::format("{} {}", code_label(found.code), found.path);
  };
  const Kernel good = lowered(kNew, {pointer("p"), value("s", 64, 15)});
  EXPECT_EQ(code(good), "accepted");
  Kernel kernel = good;
  kernel.launch = ConstantBufferLaunch{};
  EXPECT_EQ(code(kernel), "AC3008 ");
  kernel = good;
  kernel.complete = false;
  EXPECT_EQ(code(kernel), "AC3001 ");
  kernel = good;
  kernel.arguments[7].slot = ConstantBufferSlot{};
  EXPECT_EQ(code(kernel), "AC3002 arguments[7]");
  kernel = good;
  kernel.arguments[6].kind = RegionPointer{};
  EXPECT_EQ(code(kernel), "AC3002 arguments[6]");
  kernel = good;
  std::get<ArgumentBlockSlot>(kernel.arguments[7].slot).offset = 52;
  EXPECT_EQ(code(kernel), "AC3009 arguments[7]");
  kernel = good;
  std::get<ArgumentBlockSlot>(kernel.arguments[7].slot).offset = 1u << 20;
  EXPECT_EQ(code(kernel), "AC3009 arguments[7]");
  std::get<ArgumentBlockSlot>(kernel.arguments[7].slot).offset = ~std::uint64_t{0};
  EXPECT_EQ(code(kernel), "AC3009 arguments[7]");
  kernel = good;
  kernel.arguments[6].kind = ByValue{ScalarType::U32, 1};
  EXPECT_EQ(code(kernel), "AC3009 arguments[6]") << "eight bytes for four";
  EXPECT_EQ(code(good, {.max_block_bytes = 63}), "AC3009 ");
  EXPECT_EQ(code(good, {.max_memory_bytes = 191}), "AC3009 arguments[7]");
  EXPECT_EQ(code(good, {.max_memory_bytes = 192}), "accepted");
  kernel = good;
  std::get<KernelCode>(kernel.entry).kernarg_bytes = ~std::uint64_t{0};
  EXPECT_EQ(code(kernel), "AC3009 ");
  Diagnostics findings;
  const auto constant_buffers = abi::LaunchImage::create(good, findings);
  ASSERT_FALSE(constant_buffers);
  EXPECT_TRUE(findings.contains(Code::LaunchOtherAbi));
}

TEST(Cl2Refused, ValuesThatDoNotFitTheirArgument) {
  const Kernel kernel = lowered(kNew, {pointer("p", 4, 16), value("n", 1, 8), pointer("l", 3), image_record("i"),
                                       sampler("f"), test::record("q", "queue_t", cl2::QueueWords{})});
  struct Case {
    const char* expected;
    bool (*set)(abi::Cl2LaunchImage&, Diagnostics&);
  };
  const Case cases[] = {
      {"AC3040 arguments[12]", [](auto& i, auto& d) { return i.set_null(12, d); }},
      {"AC3042 arguments[0]", [](auto& i, auto& d) { return i.set_address(0, 0, 0, d); }},
      {"AC3042 arguments[6]", [](auto& i, auto& d) { return i.set_bytes(6, Bytes(8), d); }},
      {"AC3042 arguments[7]", [](auto& i, auto& d) { return i.set_address(7, 0, 0, d); }},
      {"AC3042 arguments[8]", [](auto& i, auto& d) { return i.set_null(8, d); }},
      {"AC3042 arguments[9]", [](auto& i, auto& d) { return i.set_sampler(9, 0x10, d); }},
      {"AC3042 arguments[10]", [](auto& i, auto& d) { return i.set_image(10, picture(), d); }},
      {"AC3042 arguments[11]", [](auto& i, auto& d) { return i.set_object(11, Bytes(48), d); }},
      {"AC3043 arguments[7]", [](auto& i, auto& d) { return i.set_bytes(7, Bytes(8), d); }},
      {"AC3043 arguments[9]", [](auto& i, auto& d) { return i.set_object(9, Bytes(32), d); }},
      {"AC3043 arguments[10]", [](auto& i, auto& d) { return i.set_object(10, Bytes(48), d); }},
      {"AC3044 arguments[6]", [](auto& i, auto& d) { return i.set_address(6, 8, 0, d); }},
      {"AC3044 arguments[9]", [](auto& i, auto& d) { return i.set_address(9, 8, 0, d); }},
      {"AC3045 arguments[6]", [](auto& i, auto& d) { return i.set_address(6, std::uint64_t{1} << 48, 0, d); }},
      {"AC3045 arguments[6]", [](auto& i, auto& d) { return i.set_address(6, 16, ~std::uint64_t{0}, d); }},
      {"AC3047 arguments[8]", [](auto& i, auto& d) { return i.set_local(8, 0, d); }},
      {"AC3048 arguments[9]", [](auto& i, auto& d) { return i.set_image(9, {.width = 0}, d); }},
      {"AC3049 arguments[9]", [](auto& i, auto& d) { return i.set_image(9, {.channel_order = 1}, d); }},
      {"AC3050 arguments[10]", [](auto& i, auto& d) { return i.set_sampler(10, 0x40, d); }},
      {"AC3044 memory", [](auto& i, auto& d) { return i.set_environment({.memory = 8}, d); }},
      {"AC3045 memory",
       [](auto& i, auto& d) { return i.set_environment({.memory = (std::uint64_t{1} << 48) - 16}, d); }},
      {"AC3044 kernel_object", [](auto& i, auto& d) { return i.set_environment({.kernel_object = 32}, d); }},
      {"AC3044 scratch_offset", [](auto& i, auto& d) { return i.set_environment({.scratch_offset = 1}, d); }},
      {"AC3020 range", [](auto& i, auto& d) { return i.set_range({.dimensions = 4}, d); }},
      {"AC3021 range", [](auto& i, auto& d) { return i.set_range({.global = {0}}, d); }},
      {"AC3022 range", [](auto& i, auto& d) { return i.set_range({.global = {std::uint64_t{1} << 32}}, d); }},
      {"AC3023 range", [](auto& i, auto& d) { return i.set_range(range(512, 512), d); }},
      {"AC3034 range", [](auto& i, auto& d) { return i.set_range({.split = abi::Split{}}, d); }},
  };
  for (const Case& c : cases) {
    abi::Cl2LaunchImage image = make(kernel);
    Diagnostics findings(Mode::Strict);
    const bool set = image.set_range(range(), findings) && image.set_environment({.memory = 0x1000}, findings) &&
                     image.set_null(6, findings) && image.set_bytes(7, counting(4), findings) &&
                     image.set_local(8, 4, findings) && image.set_object(9, Bytes(48), findings) &&
                     image.set_object(10, Bytes(32), findings) && image.set_address(11, 0x10, 0, findings) &&
                     image.build(findings);
    ASSERT_TRUE(set) << test::listing(findings);
    const Bytes before(image.memory().begin(), image.memory().end());
    EXPECT_FALSE(c.set(image, findings)) << c.expected;
    EXPECT_EQ(only(findings), c.expected);
    test::expect_names(kernel, findings);
    const std::string_view expected = c.expected;
    if (!expected.ends_with("[0]") && !expected.ends_with("[12]")) {
      EXPECT_FALSE(image.build(findings)) << c.expected << ": a refused value keeps the image from being built";
    }
    EXPECT_TRUE(std::ranges::equal(before, image.memory())) << c.expected;
  }
}

TEST(Cl2Refused, LaunchesThatAreNotComplete) {
  abi::Cl2LaunchImage image = make(lowered(kNew, {pointer("p"), pointer("l", 3)}));
  Diagnostics findings;
  EXPECT_FALSE(image.build(findings));
  EXPECT_EQ(findings.all().size(), 3u) << test::listing(findings);
  EXPECT_TRUE(findings.contains(Code::LaunchNotSet));
  EXPECT_TRUE(findings.contains(Code::LaunchArgumentMissing));
  findings = Diagnostics{};
  EXPECT_TRUE(image.set_range(range(), findings) && image.set_null(6, findings) &&
              image.set_local(7, 40'000, findings));
  EXPECT_FALSE(image.build(findings));
  EXPECT_EQ(only(findings), "AC3032 arguments");
  findings = Diagnostics{};
  EXPECT_TRUE(image.set_local(7, ~std::uint64_t{0}, findings));
  EXPECT_FALSE(image.build(findings));
  EXPECT_EQ(only(findings), "AC3032 arguments");
  EXPECT_TRUE(image.set_local(7, 4, findings) && image.build(findings));
}

TEST(Cl2Launch, SaysOnceWhatTheEnvironmentLacks) {
  Kernel kernel = lowered(kNew, {}, 0x2f, 16);
  kernel.device_enqueue = true;
  kernel.uses_printf = true;
  abi::Cl2LaunchImage image = make(kernel);
  Diagnostics findings;
  EXPECT_TRUE(image.set_range(range(), findings) && image.build(findings));
  EXPECT_EQ(findings.all().size(), 5u) << test::listing(findings);
  EXPECT_TRUE(findings.contains(Code::LaunchPrintfMissing));
  EXPECT_TRUE(findings.contains(Code::LaunchEnvironmentMissing));
  findings = Diagnostics{};
  EXPECT_TRUE(image.set_range(range(512), findings) && image.build(findings));
  EXPECT_TRUE(findings.all().empty());
}

TEST(Cl2Launch, ARequiredGroupSizeWinsAndAPartialGroupIsNoted) {
  Kernel kernel = lowered(kNew, {});
  kernel.limits.required_group_size = {32, 1, 1};
  abi::Cl2LaunchImage image = make(kernel);
  Diagnostics findings;
  EXPECT_TRUE(image.set_range(range(100, 64), findings));
  EXPECT_TRUE(findings.contains(Code::LaunchGroupNotRequired));
  EXPECT_TRUE(findings.contains(Code::LaunchPartialGroup));
  EXPECT_TRUE(image.build(findings));
  EXPECT_EQ(image.local_size()[0], 32u);
  EXPECT_EQ(number(image.packet(), 4, 2), 32u);
  EXPECT_EQ(number(image.packet(), 12, 4), 100u) << "the packet has the true size";
  EXPECT_TRUE(image.set_range({.task = true}, findings) && image.build(findings));
}

// --- map and re-use ----------------------------------------------------------------------------------------------

TEST(Cl2Map, LiesInsideItsPartsAndCoversEveryByteThatIsNotZero) {
  for (const Shape& shape : test::all_shapes()) {
    abi::Cl2LaunchImage image = make(lowered(shape, test::source_records(), 0x2f));
    const auto before = image.map();
    Diagnostics findings;
    bool good = image.set_range({.dimensions = 3, .global = {8, 8, 8}, .offset = {1, 2, 3}}, findings) &&
                image.set_environment({.memory = 0x1000, .kernel_object = 0x40, .local_aperture = 1}, findings);
    for (std::size_t i = image.first_argument(); i < image.kernel().arguments.size(); ++i) {
      const auto& kind = image.kernel().arguments[i].kind;
      if (const auto* v = std::get_if<ByValue>(&kind))
        good &= image.set_bytes(i, Bytes(*abi::host_bytes(*v), std::byte{0xee}), findings);
      else if (std::holds_alternative<LocalPointer>(kind))
        good &= image.set_local(i, 16, findings);
      else if (std::holds_alternative<Image>(kind))
        good &= image.set_image(i, picture(), findings);
      else if (std::holds_alternative<Sampler>(kind))
        good &= image.set_sampler(i, 0x11, findings);
      else
        good &= image.set_address(i, 0x1000, 0, findings);
    }
    ASSERT_TRUE(good && image.build(findings)) << test::listing(findings);
    const auto after = image.map();
    ASSERT_EQ(before.size(), after.size());
    std::vector<bool> covered(image.memory().size());
    for (const abi::MapEntry& entry : after) {
      ASSERT_LE(std::uint64_t{entry.offset} + entry.size, image.memory().size()) << entry.name;
      for (std::uint32_t i = 0; i < entry.size; ++i) {
        EXPECT_FALSE(covered[entry.offset + i]) << entry.name << " covers what another row covers";
        covered[entry.offset + i] = true;
      }
      EXPECT_FALSE(entry.name.empty() || entry.source.empty());
    }
    for (std::size_t i = 0; i < covered.size(); ++i) EXPECT_TRUE(covered[i] || image.memory()[i] == std::byte{0}) << i;
  }
}

// Any sequence of launches leaves the memory that a fresh image would have, and reports what changed.
TEST(Cl2Launch, AReusedImageEqualsAFreshOne) {
  const Kernel kernel = lowered(kNew, {pointer("p"), value("n", 4, 11), pointer("l", 3, 16), value("s", 20, 15),
                                       image_record("i"), sampler("f")});
  std::mt19937 random(7);
  Diagnostics findings;
  const auto apply = [&](abi::Cl2LaunchImage& image, std::uint32_t seed) {
    std::mt19937 r(seed);
    const auto n = [&](std::uint32_t most) { return static_cast<std::uint32_t>(r() % most); };
    bool good = image.set_range(range(64 * (1 + n(3))), findings);
    good &= image.set_environment({.memory = 0x1000 * std::uint64_t{n(3)}, .default_queue = n(2)}, findings);
    good &= n(2) != 0 ? image.set_null(6, findings) : image.set_address(6, 4 * n(4), 0, findings);
    good &= image.set_bytes(7, counting(16, n(3)), findings);
    good &= image.set_local(8, 1 + n(20), findings);
    good &= n(3) != 0 ? image.set_bytes(9, counting(20, n(3)), findings) : image.set_address(9, 0x30, 20, findings);
    good &= n(2) != 0 ? image.set_image(10, picture(), findings) : image.set_object(10, Bytes(48), findings);
    good &= image.set_sampler(11, n(2) != 0 ? 0x10 : 0x20, findings);
    return good && image.build(findings);
  };
  abi::Cl2LaunchImage reused = make(kernel);
  for (int launch = 0; launch < 300; ++launch) {
    const auto seed = static_cast<std::uint32_t>(random());
    const Bytes before(reused.memory().begin(), reused.memory().end());
    ASSERT_TRUE(apply(reused, seed)) << test::listing(findings);
    abi::Cl2LaunchImage fresh = make(kernel);
    ASSERT_TRUE(apply(fresh, seed));
    // Bytes of objects that the block does not point to now are those of an earlier launch.
    ASSERT_TRUE(std::ranges::equal(reused.block(), fresh.block()));
    ASSERT_TRUE(std::ranges::equal(reused.packet(), fresh.packet()));
    const abi::ChangedBytes changed = reused.changed();
    for (std::size_t i = 0; i < before.size(); ++i)
      if (before[i] != reused.memory()[i]) {
        ASSERT_TRUE(i >= changed.begin && i < changed.end) << i;
      }
  }
  EXPECT_TRUE(findings.all().empty()) << test::listing(findings);
}

// --- real kernels ------------------------------------------------------------------------------------------------

TEST(Cl2Real, EveryKernelGetsABlockOfTheSizeItsSetupSays) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t kernels = 0;
  std::uint64_t largest = 0;
  for (const amdcompat_test::RealFile& real : amdcompat_test::real_files("amdcl2")) {
    Diagnostics diagnostics;
    const auto file = open(amdcompat_test::read_real(real), diagnostics);
    ASSERT_TRUE(file) << real.path;
    for (const Kernel& kernel : file->program.kernels) {
      Diagnostics findings;
      const auto image = abi::Cl2LaunchImage::create(kernel, findings);
      ASSERT_TRUE(image) << real.path << " " << kernel.name << ": " << test::listing(findings);
      EXPECT_EQ(image->block_bytes(), (setup_of(kernel)->kernarg_bytes + 15) / 16 * 16) << real.path;
      std::uint32_t registers = 0;
      for (const auto& row : image->user_registers()) registers += row.count;
      EXPECT_EQ(registers, setup_of(kernel)->rsrc2 >> 1 & 31) << real.path << " " << kernel.name;
      largest = std::max<std::uint64_t>(largest, image->block_bytes());
      ++kernels;
    }
  }
  EXPECT_EQ(kernels, 204u);
  EXPECT_EQ(largest, 1312u) << "what the comment of Cl2LaunchOptions says";
}

}  // namespace
}  // namespace amdcompat::cl2_launch_test
