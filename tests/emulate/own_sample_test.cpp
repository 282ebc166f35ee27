// A kernel of our own in a container of our own: read, converted in place, proved, written and loaded again; and what
// conversion refuses.
#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

#include "cl2_samples.hpp"
#include "code_samples.hpp"
#include <cl1_builder.hpp>
#include <cl2_builder.hpp>

namespace amdcompat::own_sample_test {
namespace {

File opened(const std::vector<std::byte>& bytes) {
  Diagnostics diagnostics;
  return open({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, diagnostics).value();
}

// The container of that sample; `change` makes something of it that cannot be converted.
template <class Change>
File sample(Change&& change) {
  corpus::Cl1Code code = corpus::scale_32();
  change(code.encoding, code.metadata);
  return opened(cl1::build(corpus::container_of(code)).value());
}
constexpr auto kAsItIs = [](cl1::EncodingSpec&, std::string&) {};

std::optional<convert::InPlaceObject> converted(const File& file, Diagnostics& diagnostics) {
  return convert::to_in_place(file.program, diagnostics);
}
std::optional<hsa::CodeObject> written_and_read(const hsa::CodeObject& object) {
  Diagnostics diagnostics;
  const auto bytes = hsa::write_code_object(object);
  return bytes ? hsa::read_code_object(*bytes, diagnostics) : std::nullopt;
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
  const cl1::CalImage& cal = file.cl1()->kernels[0].cal;
  const std::vector<cl1::UserElement> expected{{0x17, 0, 2, 2}, {0x02, 0, 4, 4}, {0x02, 1, 8, 4}};
  EXPECT_EQ(cal.encodings[*cal.chosen].user_elements, expected);
  EXPECT_EQ(std::get<cl1::CalState>(file.program.kernels[0].entry).user_elements, expected);
  EXPECT_TRUE(std::ranges::equal(kernel_code(file.program, file.program.kernels[0]), corpus::scale_32().encoding.text));
  EXPECT_EQ(cl1::find_user_data_class(0x17)->name, "PTR_UAV_TABLE");
  EXPECT_EQ(cl1::find_user_data_class(0x21), nullptr);
  for (std::uint32_t n = 0; n < cl1::user_data_classes().size(); ++n) EXPECT_EQ(cl1::user_data_classes()[n].number, n);
}

TEST(OwnSample, ConstantsOfTheProgramAreInTheObject) {
  const corpus::Cl1Code code = corpus::table_32();
  const File file = opened(cl1::build(corpus::container_of(code)).value());
  Diagnostics diagnostics;
  auto object = converted(file, diagnostics);
  ASSERT_TRUE(object);
  // No argument asks the application for them.
  std::string names;
  for (const hsa::MetadataArgument& argument : object->object.metadata.kernels[0].args)
    names += argument.name.value_or("") + " ";
  EXPECT_EQ(names, "data amdcompat.cb0 amdcompat.uavs ");
  EXPECT_EQ(emulate::prove_in_place(file.program, *object, 0).verdict, emulate::Verdict::Proved);
  // What is read is what stands in the object, in front of the kernel.
  auto& text = object->object.code.sections[0].bytes;
  ASSERT_GE(object->object.kernels[0].code.offset, code.constants.size());
  EXPECT_TRUE(std::ranges::equal(std::span(text).first(code.constants.size()), code.constants));
  text[4] = std::byte{6};
  EXPECT_EQ(emulate::prove_in_place(file.program, *object, 0).verdict, emulate::Verdict::Differs);
  text[4] = std::byte{5};
  const auto again = written_and_read(object->object);
  ASSERT_TRUE(again);
  object->object = *again;
  EXPECT_EQ(emulate::prove_in_place(file.program, *object, 0).verdict, emulate::Verdict::Proved);
}

// Its address would have to be stored into the kernarg segment; nothing is delivered that depends on it.
TEST(OwnSample, AGlobalDataSegmentIsRefused) {
  corpus::Cl1Code code = corpus::scale_32();
  code.metadata.insert(code.metadata.find(";function:"), ";memory:datareqd\n");
  cl1::ContainerSpec spec = corpus::container_of(code);
  const std::vector<std::byte> data{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  spec.globals.push_back({0, data});
  const File file = opened(cl1::build(spec).value());
  Diagnostics diagnostics;
  EXPECT_FALSE(converted(file, diagnostics));
  ASSERT_TRUE(diagnostics.contains(Code::InPlaceUserData));
  EXPECT_NE(diagnostics.all().back().message.find("global data segment"), std::string::npos);
  // Neither by a container whose segment is missing.
  spec.globals.clear();
  Diagnostics without;
  EXPECT_FALSE(converted(opened(cl1::build(spec).value()), without));
  EXPECT_TRUE(without.contains(Code::InPlaceUserData));
}

TEST(OwnSample, IsConvertedProvedWrittenAndLoadedAgain) {
  const File file = sample(kAsItIs);
  Diagnostics diagnostics;
  auto object = converted(file, diagnostics);
  ASSERT_TRUE(object);
  EXPECT_FALSE(diagnostics.has_errors());
  const emulate::Proof proof = emulate::prove_in_place(file.program, *object, 0);
  EXPECT_EQ(proof.verdict, emulate::Verdict::Proved) << proof.reason;
  EXPECT_EQ(proof.coverage.reached, proof.coverage.instructions);
  // The old code stands behind the prologue, byte for byte.
  const CodePlace& place = object->object.kernels[0].code;
  const auto text =
      std::span(object->object.code.sections[0].bytes).subspan(place.offset + object->kernels[0].prologue_bytes);
  const std::vector<std::byte> code = corpus::scale_32().encoding.text;
  EXPECT_TRUE(std::ranges::equal(text, code));

  EXPECT_TRUE(hsa::check_code_object(object->object, diagnostics));
  const auto again = written_and_read(object->object);
  ASSERT_TRUE(again);
  object->object = *again;
  EXPECT_EQ(emulate::prove_in_place(file.program, *object, 0).verdict, emulate::Verdict::Proved);
}

TEST(OwnSample, OfThe64BitAbiIsProvedToo) {
  const File file = opened(cl1::build(corpus::container_of(corpus::scale_64())).value());
  Diagnostics diagnostics;
  const auto object = converted(file, diagnostics);
  ASSERT_TRUE(object);
  const emulate::Proof proof = emulate::prove_in_place(file.program, *object, 0);
  EXPECT_EQ(proof.verdict, emulate::Verdict::Proved) << proof.reason;
  EXPECT_EQ(proof.coverage.reached, proof.coverage.instructions);
}

// The same with offsets of 32 bits in its loads and stores, which is right while a descriptor has the buffer's address.
TEST(OwnSample, OfThe64BitAbiWithOffsetsOf32BitsNeedsLowBuffers) {
  corpus::Cl1Code code = corpus::scale_64();
  auto& text = code.encoding.text;
  for (std::size_t at = 0; at + 4 <= text.size(); at += 4)
    if (text[at + 3] == std::byte{0xe0} && text[at + 1] == std::byte{0x80}) text[at + 1] = std::byte{0x10};
  const File file = opened(cl1::build(corpus::container_of(code)).value());
  Diagnostics diagnostics;
  const auto object = converted(file, diagnostics);
  ASSERT_TRUE(object);
  EXPECT_TRUE(diagnostics.contains(Code::InPlaceLowAddresses));
  EXPECT_FALSE(diagnostics.has_errors());
  const emulate::Proof proof = emulate::prove_in_place(file.program, *object, 0);
  EXPECT_EQ(proof.verdict, emulate::Verdict::Unproved) << proof.reason;
  EXPECT_TRUE(proof.low_addresses);
  EXPECT_EQ(proof.compared, 3u);
  Diagnostics found;
  pipeline::report_proof("scale", proof, found);
  EXPECT_TRUE(found.contains(Code::InPlaceUnproved));
  EXPECT_TRUE(found.contains(Code::InPlaceLowAddresses));
  EXPECT_FALSE(found.contains(Code::InPlaceProved));
  // Who converts and proves is told once.
  pipeline::Request request;
  request.layout = pipeline::Layout::InPlace;
  request.prove = true;
  Diagnostics both;
  EXPECT_TRUE(pipeline::convert(file, request, both).object);
  EXPECT_EQ(std::ranges::count(both.all(), Code::InPlaceLowAddresses, &Diagnostic::code), 1);

  Diagnostics of_scale;
  ASSERT_TRUE(converted(opened(cl1::build(corpus::container_of(corpus::scale_64())).value()), of_scale));
  EXPECT_FALSE(of_scale.contains(Code::InPlaceLowAddresses));
}

// The first load has four registers where the code uses two, and reads past what the metadata lists.
TEST(OwnSample, WhatIsLoadedAndNotUsedCountsForNothing) {
  const auto verdict = [](std::uint32_t word) {
    corpus::Cl1Code code = corpus::scale_64();
    auto& text = code.encoding.text;
    constexpr std::uint32_t kLoad = 0xc2008518;  // s_buffer_load_dword s1, s[4:7], 0x18
    bool replaced = false;
    for (std::size_t at = 0; at + 4 <= text.size() && !replaced; at += 4) {
      std::uint32_t old = 0;
      for (std::size_t n = 0; n < 4; ++n) old |= std::to_integer<std::uint32_t>(text[at + n]) << (8 * n);
      replaced = old == kLoad;
      if (replaced) {
        // s_load_dwordx8 s[24:31], s[2:3], 0x60: the entry of UAV 12 and the next one, which is not there
        for (std::size_t n = 0; n < 4; ++n) text[at + n] = std::byte(0xc0cc0360 >> (8 * n) & 255);
        for (std::size_t n = 0; n < 4; ++n) text.insert(text.begin() + at + 4 + n, std::byte(kLoad >> (8 * n) & 255));
        for (std::size_t n = 0; n < 4; ++n) text.insert(text.begin() + at + 8 + n, std::byte(word >> (8 * n) & 255));
      }
    }
    EXPECT_TRUE(replaced);
    const File file = opened(cl1::build(corpus::container_of(code)).value());
    Diagnostics diagnostics;
    const auto object = converted(file, diagnostics);
    EXPECT_TRUE(object);
    return object ? emulate::prove_in_place(file.program, *object, 0) : emulate::Proof{};
  };
  const emulate::Proof loaded = verdict(0xbf800000);  // s_nop 0
  EXPECT_EQ(loaded.verdict, emulate::Verdict::Proved) << loaded.reason;
  const emulate::Proof used = verdict(0x801f1f80);  // s_add_u32 s31, 0, s31
  EXPECT_NE(used.verdict, emulate::Verdict::Proved);
  EXPECT_NE(used.reason.find("s31"), std::string::npos) << used.reason;
}

// --- CL2 ---

std::size_t index_of(const File& file, std::string_view kernel) {
  return static_cast<std::size_t>(std::ranges::find(file.program.kernels, kernel, &Kernel::name) -
                                  file.program.kernels.begin());
}

struct Cl2Conversion {
  File file;
  hsa::CodeObject object;
  [[nodiscard]] emulate::Proof prove(std::string_view kernel) const {
    return emulate::prove_object(file.program, index_of(file, kernel), object);
  }
};
// As written and read again.
Cl2Conversion cl2_conversion(std::string_view name) {
  const auto samples = corpus::cl2_samples();
  const auto sample = std::ranges::find(samples, name, &corpus::Cl2Sample::name);
  Cl2Conversion out{opened(cl2::build(sample->spec).value()), {}};
  Diagnostics diagnostics;
  const auto object = convert::to_code_object(out.file.program, diagnostics);
  out.object = hsa::read_code_object(hsa::write_code_object(object.value()).value(), diagnostics).value();
  return out;
}

TEST(Cl2Samples, DoTheSameAfterConversion) {
  const std::pair<const char*, const char*> kernels[] = {
      {"cl2-tonga-code.clo", "axpy"}, {"cl2-tonga-code.clo", "histogram"}, {"cl2-hawaii-code.clo", "reverse"}};
  for (const auto& [sample, kernel] : kernels) {
    const emulate::Proof proof = cl2_conversion(sample).prove(kernel);
    EXPECT_EQ(proof.verdict, emulate::Verdict::Proved) << kernel << proof.reason;
    EXPECT_EQ(proof.coverage.reached, proof.coverage.instructions) << kernel;
  }
}

// And of a code object that was converted once more, to a version with other hidden arguments.
TEST(Cl2Samples, DoTheSameInALaterVersion) {
  const Cl2Conversion sample = cl2_conversion("cl2-tonga-code.clo");
  Diagnostics diagnostics;
  convert::ObjectOptions options;
  options.version = hsa::CodeObjectVersion::V5;
  const auto later = convert::to_version(sample.object, diagnostics, options);
  ASSERT_TRUE(later);
  const File file = opened([&] {
    const auto text = hsa::write_code_object(sample.object).value();
    const auto bytes = std::as_bytes(std::span(text));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }());
  ASSERT_TRUE(file.object());
  for (const char* kernel : {"axpy", "histogram"})
    EXPECT_EQ(emulate::prove_object(file.program, index_of(file, kernel), *later).verdict, emulate::Verdict::Proved);
}

TEST(Cl2Samples, AnyErrorOfTheConversionShows) {
  const auto verdict = [](auto&& change) {
    Cl2Conversion sample = cl2_conversion("cl2-tonga-code.clo");
    change(sample.object);
    return sample.prove("axpy").verdict;
  };
  using emulate::Verdict;
  EXPECT_EQ(verdict([](hsa::CodeObject&) {}), Verdict::Proved);
  const auto argument = [](hsa::CodeObject& object, std::string_view name) -> hsa::MetadataArgument& {
    return *std::ranges::find_if(object.metadata.kernels[0].args, [&](const auto& a) { return a.name == name; });
  };
  EXPECT_EQ(verdict([&](hsa::CodeObject& o) { *argument(o, "a").offset += 4; }), Verdict::Differs);
  EXPECT_EQ(verdict([&](hsa::CodeObject& o) { argument(o, "n").size = 2; }), Verdict::Differs);
  EXPECT_EQ(verdict([&](hsa::CodeObject& o) { std::swap(*argument(o, "x").offset, *argument(o, "y").offset); }),
            Verdict::Differs);
  EXPECT_EQ(verdict([&](hsa::CodeObject& o) { o.metadata.kernels[0].args[0].value_kind = hsa::ValueKind::HiddenNone; }),
            Verdict::Differs);
  // Registers: other user data, no work-group id, fewer vector registers, another float mode.
  EXPECT_EQ(verdict([](hsa::CodeObject& o) { o.kernels[0].descriptor->properties ^= kSgprQueuePtr; }),
            Verdict::Differs);
  EXPECT_EQ(verdict([](hsa::CodeObject& o) { o.kernels[0].descriptor->rsrc2 &= ~(1u << 7); }), Verdict::Differs);
  EXPECT_EQ(verdict([](hsa::CodeObject& o) { o.kernels[0].descriptor->rsrc1 &= ~63u; }), Verdict::Differs);
  EXPECT_EQ(verdict([](hsa::CodeObject& o) { o.kernels[0].code.offset += 8; }), Verdict::Differs);
  // What the interpreter has no model of: rounding, privileged and debug mode, a compute unit alone, reserved bits;
  // exceptions, ids that are not defined; wavefronts of 32 lanes, a stack.
  for (const std::uint32_t bit : {12u, 14u, 20u, 22u, 24u, 26u})
    EXPECT_EQ(verdict([&](hsa::CodeObject& o) { o.kernels[0].descriptor->rsrc1 |= 1u << bit; }), Verdict::Differs)
        << bit;
  for (const std::uint32_t bits : {1u << 13, 1u << 14, 1u << 24, 1u << 30, 1u << 31, 3u << 11})
    EXPECT_EQ(verdict([&](hsa::CodeObject& o) { o.kernels[0].descriptor->rsrc2 |= bits; }), Verdict::Differs) << bits;
  for (const std::uint16_t bit : {hsa::kPropertyWave32, hsa::kPropertyDynamicStack})
    EXPECT_EQ(verdict([&](hsa::CodeObject& o) { o.kernels[0].descriptor->properties |= bit; }), Verdict::Differs)
        << bit;
  // What changes nothing here: the order of wavefronts, a debugger's mark, a trap handler that nothing calls.
  EXPECT_EQ(verdict([](hsa::CodeObject& o) { o.kernels[0].descriptor->rsrc1 |= 3u << 10 | 1u << 25; }),
            Verdict::Proved);
  EXPECT_EQ(verdict([](hsa::CodeObject& o) { o.kernels[0].descriptor->rsrc2 |= 1u << 6; }), Verdict::Proved);
}

// --- loading ---

// A variable's address in code and data: one that the loader sets, where the sections come to lie.
TEST(ObjectLaunch, AppliesRelocationsAndRefusesWhatIsNotThere) {
  hsa::CodeObject object = cl2_conversion("cl2-tonga-code.clo").object;
  const std::size_t code = object.kernels[0].code.section;
  CodeSection data;
  data.name = ".data";
  data.address = 0x10000;
  data.bytes.resize(32);
  data.zero_bytes = 32;
  data.writable = true;
  const std::size_t section = object.code.sections.size();
  object.code.sections.push_back(data);
  object.code.symbols = {{"variable", CodePlace{section, 8, 8}, false}, {"elsewhere", std::nullopt, false}};
  const std::uint64_t at = object.kernels[0].code.offset;
  object.code.relocations = {{{code, at, 4}, hsa::kRelocationAbs32Low, 0, 0, 4},
                             {{code, at + 4, 4}, hsa::kRelocationAbs32High, 0, 0, 4},
                             {{section, 0, 8}, hsa::kRelocationAbs64, 0, 0, 16},
                             {{section, 16, 8}, hsa::kRelocationRelative64, std::nullopt, code, 12}};
  constexpr std::uint64_t kBase = 0x7f12'3450'0000;
  emulate::Memory memory;
  const auto launch = emulate::object_launch(object, 0, {}, 0, memory, kBase);
  ASSERT_TRUE(launch) << launch.error().message;
  const auto word = [&](std::uint64_t address) {
    std::uint64_t out = 0;
    const auto bytes = memory.view(address, 8);
    if (bytes.size() == 8) std::memcpy(&out, bytes.data(), 8);
    return out;
  };
  const std::uint64_t text = kBase + object.code.sections[code].address;
  EXPECT_EQ(word(text + at), kBase + 0x10000 + 8 + 4);
  EXPECT_EQ(word(kBase + 0x10000), kBase + 0x10000 + 8 + 16);
  EXPECT_EQ(word(kBase + 0x10000 + 16), text + 12);
  EXPECT_EQ(word(kBase + 0x10000 + 56), 0u);  // zeros behind the contents
  EXPECT_EQ(launch->code.data(), memory.view(text, 1).data());

  const auto refused = [&](auto&& change) {
    hsa::CodeObject broken = object;
    change(broken);
    emulate::Memory none;
    const auto result = emulate::object_launch(broken, 0, {}, 0, none, kBase);
    return !result && result.error().code == Code::EmulateLaunch;
  };
  EXPECT_TRUE(refused([](hsa::CodeObject& o) { o.code.relocations[0].symbol = 1; }));
  EXPECT_TRUE(refused([](hsa::CodeObject& o) { o.code.relocations[0].symbol = 2; }));
  EXPECT_TRUE(refused([](hsa::CodeObject& o) { o.code.relocations[0].type = 10; }));
  EXPECT_TRUE(refused([](hsa::CodeObject& o) { o.code.relocations[2].where.offset = 60; }));
  EXPECT_TRUE(refused([](hsa::CodeObject& o) { o.code.relocations[2].where.section = 99; }));
  EXPECT_TRUE(refused([](hsa::CodeObject& o) { o.kernels[0].descriptor->private_segment_fixed_size = 65'537; }));
  EXPECT_TRUE(refused([&](hsa::CodeObject& o) { o.code.sections[section].zero_bytes = std::uint64_t{1} << 40; }));
}

// --- other targets ---

TEST(Retarget, CodeGoesToAnotherGenerationWhereEveryInstructionIsTheSame) {
  const auto errors = [](const File& file, std::string_view target) {
    convert::InPlaceOptions options;
    options.target = hsa::TargetSpec{find_target(target), {}};
    Diagnostics diagnostics;
    const auto object = convert::to_in_place(file.program, diagnostics, options);
    if (object) {
      const emulate::Proof proof = emulate::prove_in_place(file.program, *object, 0);
      EXPECT_EQ(proof.verdict, emulate::Verdict::Proved) << proof.reason;
      return std::string(proof.verdict == emulate::Verdict::Proved ? "proved" : "unproved");
    }
    std::string out;
    for (const Diagnostic& d : diagnostics.all())
      if (d.severity == Severity::Error) out += code_label(d.code) + " " + d.message;
    return out;
  };
  // Code in front of the sample's own.
  const auto with = [](std::string_view device, std::uint32_t machine, std::vector<std::uint32_t> words) {
    corpus::Cl1Code code = corpus::scale_32();
    code.device = device;
    code.encoding.machine = machine;
    const auto bytes = std::as_bytes(std::span(words));
    code.encoding.text.insert(code.encoding.text.begin(), bytes.begin(), bytes.end());
    code.metadata.replace(code.metadata.find("pitcairn"), 8, device);
    return opened(cl1::build(corpus::container_of(code)).value());
  };
  const std::vector<std::uint32_t> si_only{0xe1c00000, 0};  // buffer_wbinvl1_sc
  const std::vector<std::uint32_t> ci_only{0xdc300000, 0x01000000};  // flat_load_dword v1, v[0:1]
  EXPECT_EQ(errors(with("pitcairn", 0x1b, {}), "gfx700"), "proved");
  EXPECT_EQ(errors(with("bonaire", 0x21, {}), "gfx601"), "proved");
  EXPECT_EQ(errors(with("pitcairn", 0x1b, si_only), "gfx700"),
            "AC4306 cannot be converted in place: 'buffer_wbinvl1_sc' at +0x0 is 'buffer_wbinvl1_vol' on gfx700");
  EXPECT_EQ(errors(with("bonaire", 0x21, ci_only), "gfx600"),
            "AC4306 cannot be converted in place: 'flat_load_dword v1, v[0:1]' at +0x0 is nothing on gfx600");
  // The same generation needs no check.
  EXPECT_EQ(errors(with("pitcairn", 0x1b, si_only), "gfx600"), "proved");
  // What no path reaches does not count: s_branch over it.
  EXPECT_EQ(errors(with("pitcairn", 0x1b, {0xbf820002, si_only[0], si_only[1]}), "gfx700"), "proved");
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
  ASSERT_EQ(table.trailing, abi::TrailingKind::UavTable);
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

TEST(OwnSample, ALaunchThatCannotBeStartedNamesTheImage) {
  const File file = sample([](cl1::EncodingSpec& encoding, std::string&) {
    for (cl1::ProgramInfoEntry& e : encoding.program_info)
      if (e.address == 0x80001045) e.value = 16'385;  // dwords of scratch memory
  });
  emulate::Memory memory;
  const auto launch = emulate::kernel_launch(file.program, 0, emulate::CalBindings{}, 0, memory);
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.error().code, Code::EmulateLaunch);
  EXPECT_NE(launch.error().where.begin, 0u);
  EXPECT_EQ(launch.error().where, file.cl1()->kernels[0].cal.where);
}

TEST(OwnSample, WhatCannotBeProvidedIsRefusedWithItsReason) {
  const auto entry = [](std::uint32_t address, std::uint32_t value) {
    return [=](cl1::EncodingSpec& encoding, std::string&) {
      for (cl1::ProgramInfoEntry& e : encoding.program_info)
        if (e.address == address) e.value = value;
    };
  };
  EXPECT_EQ(refusal(sample(kAsItIs)), "converted");
  EXPECT_EQ(refusal(sample(entry(0x80001045, 16))), "AC4302");  // scratch
  EXPECT_EQ(refusal(sample(entry(0x80001001, 0x14))), "AC4303");  // constant buffer table
  EXPECT_EQ(refusal(sample(entry(0x80001001, 0x40))), "AC4303");  // no such class
  EXPECT_EQ(refusal(sample(entry(0x80001003, 40))), "AC4303");  // outside the user registers
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

TEST(Prologue, IsEncodedAlikeOnGfx6AndGfx7) {
  for (const convert::PrologueInstruction& one : convert::prologue_instructions()) {
    const auto row = std::ranges::find_if(
        gcn::rows(), [&](const gcn::Row& r) { return r.opcode == one.opcode && r.on(gcn::Generation::Gfx6); });
    ASSERT_NE(row, gcn::rows().end()) << gcn::info(one.opcode).name;
    EXPECT_TRUE(row->on(gcn::Generation::Gfx7)) << row->name;
  }
}

}  // namespace
}  // namespace amdcompat::own_sample_test
