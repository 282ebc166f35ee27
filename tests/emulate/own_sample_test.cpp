// A kernel of our own in a container of our own: read, converted in place, proved, written and loaded again; and what
// conversion refuses.
#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/prove.hpp>

#include "scale_kernel.hpp"

namespace amdcompat {
namespace {

using corpus::kScale;

constexpr std::string_view kMetadata =
    ";ARGSTART:__OpenCL_scale_kernel\n;version:3:1:111\n;device:pitcairn\n;uniqueid:1024\n;memory:uavprivate:0\n"
    ";memory:hwlocal:0\n;memory:hwregion:0\n;pointer:data:u32:1:1:0:uav:12:4:RW:0:0\n;value:factor:u32:1:1:16\n"
    ";function:1:1025\n;uavid:11\n;printfid:9\n;cbid:10\n;privateid:8\n;reflection:0:uint*\n;reflection:1:uint\n"
    ";ARGEND:__OpenCL_scale_kernel\n";

// A container with that kernel; `change` makes something of it that cannot be converted.
template <class Change>
File sample(Change&& change) {
  cl1::EncodingSpec encoding;
  encoding.machine = 0x1b;
  encoding.program_info = corpus::scale_information();
  const auto text = std::as_bytes(std::span(kScale));
  encoding.text.assign(text.begin(), text.end());
  std::string metadata(kMetadata);
  change(encoding, metadata);
  cl1::ContainerSpec spec;
  spec.machine = find_device("pitcairn")->e_machine;
  spec.driver = "@(#) OpenCL 1.2 AMD-APP (1702.3).  Driver version: 1702.3 (VM)";
  cl1::KernelSpec& kernel = spec.kernels.emplace_back();
  kernel.name = "scale";
  kernel.metadata = metadata;
  kernel.header.emplace();
  kernel.image = cl1::build_cal_image(std::span(&encoding, 1)).value();
  const std::vector<std::byte> bytes = cl1::build(spec).value();
  Diagnostics diagnostics;
  return open({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, diagnostics).value();
}
constexpr auto kAsItIs = [](cl1::EncodingSpec&, std::string&) {};

std::optional<convert::InPlaceObject> converted(const File& file, Diagnostics& diagnostics) {
  const cl1::CalImage& cal = file.container->kernels[0].cal;
  const cl1::Encoding& encoding = cal.encodings[*cal.chosen];
  const convert::InPlaceSource source{0, &encoding, file.container->view(encoding.text)};
  return convert::to_in_place(file.program, std::span(&source, 1), diagnostics);
}
std::string refusal(const File& file) {
  Diagnostics diagnostics;
  std::string out = converted(file, diagnostics) ? "converted" : "";
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::Error) out += code_label(d.code);
  return out;
}

TEST(OwnSample, UserDataIsReadFromProgramInformation) {
  const File file = sample(kAsItIs);
  const cl1::CalImage& cal = file.container->kernels[0].cal;
  const std::vector<cl1::UserElement> expected{{0x17, 0, 2, 2}, {0x02, 0, 4, 4}, {0x02, 1, 8, 4}};
  EXPECT_EQ(cal.encodings[*cal.chosen].user_elements, expected);
  EXPECT_EQ(cl1::find_user_data_class(0x17)->name, "PTR_UAV_TABLE");
  EXPECT_EQ(cl1::find_user_data_class(0x21), nullptr);
  for (std::uint32_t n = 0; n < cl1::user_data_classes().size(); ++n) EXPECT_EQ(cl1::user_data_classes()[n].number, n);
}

TEST(OwnSample, IsConvertedProvedWrittenAndLoadedAgain) {
  const File file = sample(kAsItIs);
  Diagnostics diagnostics;
  auto object = converted(file, diagnostics);
  ASSERT_TRUE(object);
  EXPECT_FALSE(diagnostics.has_errors());
  const emulate::Proof proof = emulate::prove_in_place(*file.container, file.program, *object, 0);
  EXPECT_EQ(proof.verdict, emulate::Verdict::Proved) << proof.reason;
  EXPECT_EQ(proof.coverage.reached, proof.coverage.instructions);
  // The old code stands behind the prologue, byte for byte.
  const CodePlace& place = object->object.kernels[0].code;
  const auto text = std::span(object->object.code.sections[0].bytes)
                        .subspan(place.offset + object->kernels[0].prologue_bytes, sizeof(kScale));
  EXPECT_TRUE(std::ranges::equal(text, std::as_bytes(std::span(kScale))));

  EXPECT_TRUE(hsa::check_code_object(object->object, diagnostics));
  const auto bytes = hsa::write_code_object(object->object);
  ASSERT_TRUE(bytes);
  const auto again = hsa::read_code_object(*bytes, diagnostics);
  ASSERT_TRUE(again);
  object->object = *again;
  EXPECT_EQ(emulate::prove_in_place(*file.container, file.program, *object, 0).verdict, emulate::Verdict::Proved);
}

TEST(OwnSample, KernargImageHoldsWhatTheMetadataLists) {
  const File file = sample(kAsItIs);
  Diagnostics diagnostics;
  const auto object = converted(file, diagnostics);
  ASSERT_TRUE(object);
  auto image = abi::LaunchImage::create(file.program.kernels[0], diagnostics);
  ASSERT_TRUE(image);
  abi::Range range;
  range.global[0] = 64;
  range.local = {64, 1, 1};
  ASSERT_TRUE(image->set_range(range, diagnostics));
  constexpr std::uint64_t kAddress = 0x7'1234'5678;
  const std::uint32_t factor = 3;
  ASSERT_TRUE(image->set_buffer(0, {kAddress, convert::in_place_base(kAddress, AddressBits::Bits32), 0}, diagnostics));
  ASSERT_TRUE(image->set_bytes(1, std::as_bytes(std::span(&factor, 1)), diagnostics));
  ASSERT_TRUE(image->build(diagnostics));
  const auto kernarg = convert::kernarg_image(object->kernels[0], *image);
  ASSERT_TRUE(kernarg) << kernarg.error().message;
  const auto at = [&](std::size_t offset) {
    std::uint32_t word = 0;
    std::memcpy(&word, kernarg->data() + offset, 4);
    return word;
  };
  EXPECT_EQ(at(0), 0x1234'5678u);
  EXPECT_EQ(at(4), 7u);  // what a stock runtime writes: the whole pointer
  EXPECT_EQ(at(16), 3u);
  EXPECT_TRUE(std::ranges::equal(std::span(*kernarg).subspan(32, abi::kCb0Bytes), image->cb0()));
  const auto& table = object->kernels[0].arguments[3];
  ASSERT_EQ(table.kind, convert::InPlaceKind::UavTable);
  const std::size_t entry = table.offset + (12 - object->kernels[0].first_uav) * 32;
  EXPECT_EQ(at(entry), 0u);
  EXPECT_EQ(at(entry + 4), 7u);
  EXPECT_EQ(at(entry + 8), 0xffffffffu);
  EXPECT_EQ(at(entry + 12), 0x00027facu);

  // Another base than the table can have.
  ASSERT_TRUE(image->set_buffer(0, {kAddress, kAddress - 16, 0}, diagnostics));
  ASSERT_TRUE(image->build(diagnostics));
  EXPECT_EQ(convert::kernarg_image(object->kernels[0], *image).error().code, Code::InPlaceKernarg);
}

TEST(OwnSample, WhatCannotBeProvidedIsRefusedWithItsReason) {
  const auto entry = [](std::uint32_t address, std::uint32_t value) {
    return [=](cl1::EncodingSpec& encoding, std::string&) {
      for (cl1::ProgramInfoEntry& e : encoding.program_info)
        if (e.address == address) e.value = value;
    };
  };
  EXPECT_EQ(refusal(sample(kAsItIs)), "converted");
  EXPECT_EQ(refusal(sample(entry(0x80001045, 16))), "AC4302");    // scratch
  EXPECT_EQ(refusal(sample(entry(0x80001001, 0x14))), "AC4303");  // constant buffer table
  EXPECT_EQ(refusal(sample(entry(0x80001001, 0x40))), "AC4303");  // no such class
  EXPECT_EQ(refusal(sample(entry(0x80001003, 40))), "AC4303");    // outside the user registers
  EXPECT_EQ(refusal(sample([](cl1::EncodingSpec& encoding, std::string&) {
              std::erase_if(encoding.program_info, [](const auto& e) { return e.address == 0x2e13; });
            })),
            "AC4300");
  EXPECT_EQ(refusal(sample([](cl1::EncodingSpec&, std::string& metadata) {
              const std::string from = ";value:factor:u32:1:1:16", to = ";value:factor:u8:8:1:16";
              metadata.replace(metadata.find(from), from.size(), to);
            })),
            "AC4304");
}

TEST(Prologue, EncodersAreThoseOfTheInstructionTable) {
  for (const convert::PrologueInstruction& row : convert::prologue_instructions())
    for (const emulate::Gfx gfx : {emulate::Gfx::Gfx6, emulate::Gfx::Gfx7}) {
      const std::array<std::uint32_t, 2> words{row.word, 0};
      const auto i = emulate::decode(std::as_bytes(std::span(words)), 0, gfx);
      ASSERT_NE(i.opcode, nullptr) << row.name;
      EXPECT_EQ(i.opcode->name, row.name);
    }
}

}  // namespace
}  // namespace amdcompat
