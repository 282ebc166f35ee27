#include <algorithm>
#include <set>

#include "samples.hpp"

namespace amdcompat::cal_image_test {
namespace {

using test::Bytes;

SourceRange whole(const Bytes& bytes) { return {0, static_cast<std::uint32_t>(bytes.size())}; }

cl1::CalImage read(const Bytes& bytes, std::string_view device, Diagnostics& diagnostics) {
  return cl1::read_cal_image(bytes, whole(bytes), find_device(device), diagnostics);
}

TEST(CalImage, AOneEncodingImageHasTheLayoutOfRealOnes) {
  cl1::EncodingSpec spec = test::encoding(test::kPitcairnCode);
  spec.data.clear();
  const Bytes bytes = test::image({spec});
  Diagnostics diagnostics(Mode::Strict);
  const cl1::CalImage image = read(bytes, "pitcairn", diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << test::listing(diagnostics);
  ASSERT_EQ(image.encodings.size(), 1u);
  const cl1::Encoding& encoding = image.encodings[0];
  EXPECT_EQ(encoding.offset, 0x1c0u);
  EXPECT_EQ(encoding.size, bytes.size() - 0x1c0);
  EXPECT_EQ(encoding.type, 4u);
  EXPECT_EQ(encoding.data.size, 4736u);
  EXPECT_EQ(encoding.symbols.size, 4 * 16u);
  EXPECT_EQ(encoding.strings.begin + encoding.strings.size, bytes.size());
  EXPECT_EQ(bytes[7], std::byte{0x64});
  EXPECT_EQ(bytes[8], std::byte{1});
  std::vector<std::uint32_t> types;
  types.reserve(encoding.notes.size());
  for (const cl1::CalNote& note : encoding.notes) types.push_back(note.type);
  EXPECT_EQ(types, (std::vector<std::uint32_t>{2, 3, 16, 4, 5, 6, 7, 8, 9, 10, 11, 13, 12, 1, 14, 15, 17}));
  EXPECT_EQ(encoding.notes.back().description.size, 128u);
}

TEST(CalImage, TheEncodingOfTheDeviceIsChosenNotTheFirst) {
  const Bytes bytes = test::image({test::il_encoding(), test::encoding(test::kPitcairnCode)});
  Diagnostics diagnostics(Mode::Strict);
  const cl1::CalImage image = read(bytes, "pitcairn", diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << test::listing(diagnostics);
  ASSERT_EQ(image.encodings.size(), 2u);
  EXPECT_EQ(image.chosen, 1u);
  EXPECT_EQ(image.encodings[0].offset, 0x2b4u);
  EXPECT_EQ(image.encodings[1].offset, image.encodings[0].offset + image.encodings[0].size);
  // Sections of the same names: each encoding has its own.
  EXPECT_NE(image.encodings[0].text, image.encodings[1].text);
  EXPECT_TRUE(image.encodings[0].entries.empty());
  EXPECT_EQ(image.encodings[1].text.size, 4u);
}

TEST(CalImage, ProgramInformationGivesTheRegisters) {
  Diagnostics diagnostics;
  const cl1::CalImage image = read(test::image({test::encoding(test::kPitcairnCode)}), "pitcairn", diagnostics);
  EXPECT_TRUE(image.registers.known);
  EXPECT_EQ(image.registers.vgprs, 7u);
  EXPECT_EQ(image.registers.sgprs, 14u);
  EXPECT_EQ(image.registers.scratch_bytes, 64u);
  EXPECT_EQ(image.registers.lds_bytes, 512u);
  EXPECT_EQ(image.registers.wavefront_size, 64u);
  const cl1::ProgramInfo& info = image.encodings[0].info;
  EXPECT_EQ(info.scratch_dwords, 16u);
  EXPECT_EQ(info.float_mode, 0xc0u);
  EXPECT_EQ(info.ieee_mode, 0u);
  EXPECT_EQ(info.rsrc2, 1u | 2u << 15);
  EXPECT_EQ(info.sgprs_available, 102u);
  EXPECT_EQ(info.lds_available, 0x8000u);
  EXPECT_EQ(info.group_size_x, 256u);
}

TEST(CalImage, VliwCountsRegistersAndLdsInItsOwnUnits) {
  Diagnostics diagnostics(Mode::Strict);
  const Bytes bytes = test::image({test::il_encoding(0xa), test::encoding(9, Isa::Vliw5)});
  const cl1::CalImage image = read(bytes, "cypress", diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << test::listing(diagnostics);
  EXPECT_TRUE(image.registers.known);
  EXPECT_EQ(image.registers.vgprs, 7u);
  EXPECT_EQ(image.registers.sgprs, 0u);
  EXPECT_EQ(image.registers.scratch_bytes, 64u);
  EXPECT_EQ(image.registers.lds_bytes, 512u);
  EXPECT_EQ(image.encodings[1].info.lds_used, 128u);
}

TEST(CalImage, AnUnknownDeviceGetsTheLastEncodingThatIsNotIl) {
  const Bytes bytes = test::image({test::il_encoding(), test::encoding(0x77), test::il_encoding(0xa)});
  Diagnostics diagnostics(Mode::Strict);
  const cl1::CalImage image = cl1::read_cal_image(bytes, whole(bytes), nullptr, diagnostics);
  EXPECT_EQ(image.chosen, 1u);
  EXPECT_TRUE(image.registers.known);
  EXPECT_EQ(image.registers.sgprs, 14u);
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_EQ(diagnostics.all()[0].code, Code::CalDeviceCodeUnknown);
  EXPECT_EQ(diagnostics.all()[0].severity, Severity::Note);
}

TEST(CalImage, UnknownAddressesAreKept) {
  cl1::EncodingSpec spec = test::encoding(test::kPitcairnCode);
  spec.program_info.push_back({0x8000ffff, 0xdeadbeef});
  Diagnostics diagnostics(Mode::Strict);
  const cl1::CalImage image = read(test::image({spec}), "pitcairn", diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  EXPECT_EQ(image.encodings[0].entries.back(), (cl1::ProgramInfoEntry{0x8000ffff, 0xdeadbeef}));
  EXPECT_EQ(cl1::find_program_info_field(0x8000ffff, cl1::ProgramInfoFamily::Gcn), nullptr);
}

TEST(CalImage, AHostileScratchSizeSaturates) {
  cl1::EncodingSpec spec = test::encoding(test::kPitcairnCode);
  spec.program_info.push_back({0x80001045, 0x40000001});
  Diagnostics diagnostics;
  EXPECT_EQ(read(test::image({spec}), "pitcairn", diagnostics).registers.scratch_bytes, 0xffffffffu);
}

TEST(CalImage, NotesOfTheSpecReplaceTheEmptyOnes) {
  cl1::EncodingSpec spec = test::encoding(test::kPitcairnCode);
  spec.notes = {{16, {12, 4, 0, 5}}, {10, {0, 0, 1, 3}}, {99, {1}}};
  Diagnostics diagnostics;
  const cl1::CalImage image = read(test::image({spec}), "pitcairn", diagnostics);
  const auto& notes = image.encodings[0].notes;
  EXPECT_EQ(notes.size(), 18u);
  EXPECT_EQ(notes[2].type, 16u);
  EXPECT_EQ(notes[2].description.size, 16u);
  EXPECT_EQ(notes.back().type, 99u);
  EXPECT_EQ(cl1::find_cal_note_type(99), nullptr);
  EXPECT_EQ(cl1::find_cal_note_type(16)->name, "UAV");
}

TEST(CalImage, BuildRefusesWhatCannotBeAnImage) {
  const auto why = [](std::vector<cl1::EncodingSpec> specs) {
    const auto built = cl1::build_cal_image(specs);
    return built ? std::string("built") : built.error().message;
  };
  EXPECT_EQ(why({}), "an image without encodings");
  EXPECT_EQ(why(std::vector(17, test::encoding(1))), "17 encodings in one image; 16 is the limit");
  cl1::EncodingSpec spec = test::encoding(1);
  spec.symbols[0].name = std::string("a\0b", 3);
  EXPECT_EQ(why({spec}), "a symbol name with a NUL");
  spec = test::encoding(1);
  spec.notes = {{cl1::kCalNoteProgramInfo, {1, 2}}};
  EXPECT_EQ(why({spec}), "program information among the other notes");
}

TEST(ProgramInfoTable, RunsAscendAndNeverOverlapWithinAGeneration) {
  for (const cl1::ProgramInfoFamily family : {cl1::ProgramInfoFamily::Gcn, cl1::ProgramInfoFamily::Vliw}) {
    std::uint64_t end = 0;
    for (const cl1::ProgramInfoField& field : cl1::program_info_fields()) {
      EXPECT_FALSE(field.name.empty());
      EXPECT_FALSE(field.source.empty());
      EXPECT_GE(field.count, 1u);
      if (field.member != nullptr) {
        EXPECT_EQ(field.count, 1u) << field.name;
      }
      if (field.family != family && field.family != cl1::ProgramInfoFamily::Common) continue;
      EXPECT_GE(field.address, end) << field.name;
      end = std::uint64_t{field.address} + field.count;
      EXPECT_EQ(cl1::find_program_info_field(field.address, family), &field);
      EXPECT_EQ(cl1::find_program_info_field(field.address + field.count - 1, family), &field);
    }
  }
}

TEST(ProgramInfoTable, HasAMeaningForWhateverTheWriterWrites) {
  for (const Isa isa : {Isa::Vliw5, Isa::Gcn1_0, Isa::Gcn1_2})
    for (const cl1::ProgramInfoEntry& entry : cl1::program_info_for(test::kRegisters, isa))
      EXPECT_NE(cl1::find_program_info_field(entry.address,
                                             is_vliw(isa) ? cl1::ProgramInfoFamily::Vliw : cl1::ProgramInfoFamily::Gcn),
                nullptr)
          << std::hex << entry.address;
}

TEST(CalNoteTable, HasTheSeventeenTypesInOrder) {
  std::uint32_t next = 1;
  for (const cl1::CalNoteType& row : cl1::cal_note_types()) {
    EXPECT_EQ(row.type, next++);
    EXPECT_FALSE(row.source.empty());
  }
  EXPECT_EQ(next, 18u);
}

}  // namespace
}  // namespace amdcompat::cal_image_test
