// Binary metadata, code setup, argument block, BRIG pragmas and chip tables, each on its own.
#include <algorithm>
#include <set>

#include "samples.hpp"

namespace amdcompat::metadata_test {
namespace {

using test::Bytes;
using test::Shape;

SourceRange whole(const Bytes& bytes) { return {0, static_cast<std::uint32_t>(bytes.size())}; }

std::optional<cl2::Metadata> read(const Bytes& bytes, AddressBits bits, Diagnostics& diagnostics) {
  return cl2::read_metadata(bytes, whole(bytes), bits, diagnostics);
}

TEST(Cl2Metadata, AllSixHeadersWithEveryArgumentKindAndPrintfWriteBackByteForByte) {
  for (const Shape& shape : test::all_shapes()) {
    cl2::Metadata m = test::metadata(shape, test::source_records());
    m.printf = {{.id = 3, .sizes = {4, 8}, .format = "%d %ld\\n"}, {.id = 4, .format = "done"}};
    m.version = {3, 1, 105};
    m.function_id = 1030;
    m.resources = {1, 2, 3, 4, 5};
    m.required_group_size = {3, 7, 2};
    m.required_region_size = {9, 8, 7};
    m.memory = {1, 2, 3, 4, 5, 6};
    m.pointers = {11, 12, 13, 14};
    m.enqueue_kernel = 1;
    m.enqueue_padding = {std::byte{0xaa}, std::byte{0xbb}, std::byte{0xcc}};
    m.kernel_index = 42;
    if (shape.bits == AddressBits::Bits64) {
      m.padding = 0x01020304;
      if (shape.header != cl2::HeaderSize::Base) m.hidden_padding = 0xffffffff;
    }
    cl2::finish_metadata(m);
    const Bytes bytes = cl2::write_metadata(m);
    Diagnostics diagnostics(Mode::Strict);
    const auto again = read(bytes, shape.bits, diagnostics);
    ASSERT_TRUE(again) << test::listing(diagnostics);
    EXPECT_TRUE(diagnostics.all().empty()) << test::listing(diagnostics);
    EXPECT_EQ(cl2::write_metadata(*again), bytes);
    EXPECT_EQ(again->header, shape.header);
    EXPECT_EQ(again->data_size, bytes.size());
    EXPECT_EQ(again->version, m.version);
    EXPECT_EQ(again->resources, m.resources);
    EXPECT_EQ(again->required_group_size, m.required_group_size);
    EXPECT_EQ(again->required_region_size, m.required_region_size);
    EXPECT_EQ(again->memory, m.memory);
    EXPECT_EQ(again->pointers, m.pointers);
    EXPECT_EQ(again->enqueue_padding, m.enqueue_padding);
    EXPECT_EQ(again->kernel_index, 42u);
    EXPECT_EQ(again->hidden_arguments, m.hidden_arguments);
    EXPECT_EQ(again->kernel_name, "__OpenCL_dummy_kernel");
    EXPECT_EQ(again->device_name, "generic");
    EXPECT_EQ(again->vector_type_hint, m.vector_type_hint);
    ASSERT_EQ(again->arguments.size(), m.arguments.size());
    for (std::size_t i = 0; i < m.arguments.size(); ++i) {
      EXPECT_EQ(again->arguments[i].name, m.arguments[i].name);
      EXPECT_EQ(again->arguments[i].type_name, m.arguments[i].type_name);
      EXPECT_EQ(again->arguments[i].words, m.arguments[i].words);
      EXPECT_EQ(again->arguments[i].type, m.arguments[i].type);
      EXPECT_EQ(again->arguments[i].is_const, m.arguments[i].is_const);
    }
    ASSERT_EQ(again->printf.size(), 2u);
    EXPECT_EQ(again->printf[0].id, 3u);
    EXPECT_EQ(again->printf[0].sizes, (std::vector<std::uint32_t>{4, 8}));
    EXPECT_EQ(again->printf[0].format, "%d %ld\\n");
    EXPECT_EQ(again->printf[1].format, "done");
  }
}

// Offsets that the description of the format gives; [ACL aclStructs.h].
TEST(Cl2Metadata, HeaderMembersLieWhereTheStructureHasThem) {
  struct Row {
    std::string_view name;
    std::uint32_t offset64, offset32;
  };
  const std::vector<Row> rows{{"struct_size", 0, 0},
                              {"data_size", 8, 4},
                              {"version", 16, 8},
                              {"gpu_caps", 28, 20},
                              {"function_id", 32, 24},
                              {"resources", 36, 28},
                              {"required_group_size", 56, 48},
                              {"required_region_size", 80, 60},
                              {"kernel_name_size", 96, 72},
                              {"device_name_size", 104, 76},
                              {"memory", 112, 80},
                              {"argument_count", 160, 104},
                              {"printf_count", 168, 108},
                              {"pointers", 176, 112},
                              {"enqueue_kernel", 208, 128},
                              {"kernel_index", 212, 132},
                              {"hidden_arguments", 216, 136},
                              {"waves_per_simd_hint", 224, 140},
                              {"group_size_hint", 232, 144},
                              {"vector_type_size", 256, 156},
                              {"vector_type_pointer", 264, 160}};
  for (const AddressBits bits : {AddressBits::Bits32, AddressBits::Bits64}) {
    const bool wide = bits == AddressBits::Bits64;
    const auto fields = cl2::header_fields(bits);
    for (const Row& row : rows) {
      const auto field = std::ranges::find(fields, row.name, &cl2::HeaderField::name);
      ASSERT_NE(field, fields.end()) << row.name;
      EXPECT_EQ(field->offset, wide ? row.offset64 : row.offset32) << row.name;
    }
    EXPECT_EQ(fields.back().offset + fields.back().size, cl2::header_bytes(cl2::HeaderSize::Hints, bits));
  }
  EXPECT_EQ(cl2::header_bytes(cl2::HeaderSize::Base, AddressBits::Bits64), 0xd8u);
  EXPECT_EQ(cl2::header_bytes(cl2::HeaderSize::Hidden, AddressBits::Bits64), 0xe0u);
  EXPECT_EQ(cl2::header_bytes(cl2::HeaderSize::Hints, AddressBits::Bits32), 0xa4u);
}

TEST(Cl2Metadata, WordsOfEveryKindDecodeAndEncode) {
  for (const cl2::ArgumentRecord& record : test::source_records()) {
    cl2::ArgumentRecord again;
    cl2::encode(again, cl2::decode(record));
    EXPECT_EQ(again.words, record.words) << record.name;
    EXPECT_EQ(again.type, record.type) << record.name;
  }
  cl2::ArgumentRecord unknown;
  unknown.type = 99;
  EXPECT_TRUE(std::holds_alternative<std::monostate>(cl2::decode(unknown)));
  EXPECT_EQ(cl2::argument_type_name(cl2::ArgumentType::Semaphore), "semaphore");
  EXPECT_FALSE(cl2::find_scalar(13));  // f80
  EXPECT_FALSE(cl2::find_scalar(0));
  EXPECT_FALSE(cl2::find_scalar(77));
  EXPECT_EQ(cl2::find_memory(3), MemoryKind::EmulatedLocal);
  EXPECT_FALSE(cl2::find_memory(13));
  EXPECT_FALSE(cl2::find_access(0));
  EXPECT_EQ(cl2::find_image_type("image2d_array_depth_t"), ImageDim::D2ArrayDepth);
  EXPECT_FALSE(cl2::find_image_type("image2d"));
}

TEST(Cl2Metadata, BytesPastTheKnownHeaderAndPastTheEndAreKept) {
  // A header of 0x90 bytes: one word more than the middle one of 32 bits. [CLRX]
  cl2::Metadata m = test::metadata({AddressBits::Bits32, cl2::HeaderSize::Hidden}, {});
  m.header_rest = Bytes(4, std::byte{9});
  m.rest = Bytes(5, std::byte{8});
  cl2::finish_metadata(m);
  const Bytes bytes = cl2::write_metadata(m);
  Diagnostics diagnostics;
  const auto again = read(bytes, AddressBits::Bits32, diagnostics);
  ASSERT_TRUE(again);
  EXPECT_EQ(cl2::write_metadata(*again), bytes);
  EXPECT_EQ(again->header_rest, m.header_rest);
  EXPECT_EQ(again->rest, m.rest);
  EXPECT_TRUE(diagnostics.contains(Code::Cl2MetadataSize));
  EXPECT_TRUE(diagnostics.contains(Code::Cl2MetadataTrailing));
}

TEST(Cl2Metadata, EveryTruncationIsRefusedWithAReasonInsideTheBytes) {
  for (const Shape& shape : test::all_shapes()) {
    const Bytes bytes = cl2::write_metadata(test::metadata(shape, test::source_records()));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      Diagnostics diagnostics;
      EXPECT_FALSE(read(cut, shape.bits, diagnostics)) << size;
      EXPECT_TRUE(diagnostics.contains(Code::Cl2MetadataBroken)) << size;
      for (const Diagnostic& d : diagnostics.all()) EXPECT_LE(d.where.begin + d.where.size, size);
    }
  }
}

TEST(Cl2Metadata, HostileCountsReserveNothing) {
  cl2::Metadata m = test::metadata({}, {});
  Bytes bytes = cl2::write_metadata(m);
  for (const std::size_t at : {160u, 168u})  // arguments, printf
    for (const std::uint64_t value : {std::uint64_t{0xffffffffffffffff}, std::uint64_t{1} << 40, std::uint64_t{100}}) {
      Bytes broken = bytes;
      for (std::size_t i = 0; i < 8; ++i) broken[at + i] = static_cast<std::byte>(value >> (8 * i));
      Diagnostics diagnostics;
      EXPECT_FALSE(read(broken, AddressBits::Bits64, diagnostics));
      EXPECT_TRUE(diagnostics.contains(Code::Cl2MetadataBroken));
    }
}

TEST(Cl2Kernarg, ElementsAlignVectorsPackAndStructsStandByAddress) {
  for (const Shape& shape : test::all_shapes()) {
    const cl2::Metadata m = test::metadata(shape, test::source_records());
    const auto layout = cl2::layout_arguments(m, shape.storage());
    ASSERT_TRUE(layout);
    const std::uint64_t word = shape.bits == AddressBits::Bits64 ? 8 : 4;
    const auto slot = [&](std::string_view name) {
      for (std::size_t i = 0; i < m.arguments.size(); ++i)
        if (m.arguments[i].name == name) return layout->slots[i];
      ADD_FAILURE() << name;
      return ArgumentBlockSlot{};
    };
    EXPECT_EQ(slot("_.aqlwrap_pointer").offset, 5 * word);
    EXPECT_EQ(slot("c").offset, 6 * word);
    EXPECT_EQ(slot("f3").offset, 6 * word + 4);
    EXPECT_EQ(slot("f3").size, 12u);
    EXPECT_EQ(slot("d").offset, word == 8 ? 64u : 40u);
    EXPECT_TRUE(slot("s").by_reference);
    EXPECT_EQ(slot("s").size, word);
    EXPECT_EQ(slot("out").offset, slot("s").offset + word);
    EXPECT_EQ(slot("img").size, 8u);
    EXPECT_EQ(slot("img").offset % 8, 0u);
    EXPECT_EQ(slot("smp").size, 8u);
    EXPECT_EQ(slot("q").size, word);
    const std::uint64_t end = slot("sem").offset + word;
    EXPECT_EQ(layout->bytes, shape.storage() == cl2::CodeStorage::Separate ? end : (end + 15) / 16 * 16);
  }
}

TEST(Cl2KernelCode, EveryMemberIsAtTheOffsetOfTheStructureAndWritesBack) {
  Bytes bytes(kKernelCodeBytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 + 1);
  const std::span<const std::byte, kKernelCodeBytes> view(bytes.data(), kKernelCodeBytes);
  const KernelCode code = cl2::read_kernel_code(view);
  EXPECT_TRUE(std::ranges::equal(cl2::write_kernel_code(code), bytes));
  struct Row {
    std::string_view name;
    std::uint32_t offset, size;
  };
  // [S2 amd_kernel_code_t]
  for (const Row& row : std::vector<Row>{{"amd_code_version_major", 0, 4},
                                         {"amd_machine_kind", 8, 2},
                                         {"kernel_code_entry_byte_offset", 16, 8},
                                         {"max_scratch_backing_memory_byte_size", 40, 8},
                                         {"compute_pgm_rsrc1", 48, 4},
                                         {"enable_sgpr", 56, 2},
                                         {"features", 58, 2},
                                         {"workitem_private_segment_byte_size", 60, 4},
                                         {"workgroup_group_segment_byte_size", 64, 4},
                                         {"kernarg_segment_byte_size", 72, 8},
                                         {"wavefront_sgpr_count", 84, 2},
                                         {"workitem_vgpr_count", 86, 2},
                                         {"kernarg_segment_alignment", 100, 1},
                                         {"wavefront_size", 103, 1},
                                         {"call_convention", 104, 4},
                                         {"reserved", 108, 12},
                                         {"runtime_loader_kernel_symbol", 120, 8},
                                         {"control_directives", 128, 128}}) {
    const auto fields = cl2::kernel_code_fields(code);
    const auto field = std::ranges::find(fields, row.name, &cl2::KernelCodeField::name);
    ASSERT_NE(field, fields.end()) << row.name;
    EXPECT_EQ(field->offset, row.offset) << row.name;
    EXPECT_EQ(field->size, row.size) << row.name;
  }
  EXPECT_EQ(cl2::user_register_count(0x1), 4u);
  EXPECT_EQ(cl2::user_register_count(0x9), 6u);
  EXPECT_EQ(cl2::user_register_count(0xb), 8u);
  EXPECT_EQ(cl2::user_register_count(0x2b), 10u);
  EXPECT_EQ(cl2::user_register_count(0x2f), 12u);
}

TEST(Cl2Brig, PragmasComeBackInOrderAndRepeatedOnesShareAString) {
  const std::vector<std::string> lines{"ARGSTART:a", "version:3:1:104", "ARGEND:a",
                                       "ARGSTART:b", "version:3:1:104", ""};
  const Bytes bytes = cl2::build_brig(lines, AddressBits::Bits64);
  Diagnostics diagnostics(Mode::Strict);
  const auto brig = cl2::read_brig(bytes, whole(bytes), diagnostics);
  ASSERT_TRUE(brig) << test::listing(diagnostics);
  EXPECT_TRUE(diagnostics.all().empty());
  EXPECT_EQ(brig->major, 1u);
  EXPECT_EQ(brig->sections.size(), 3u);
  ASSERT_EQ(brig->pragmas.size(), lines.size());
  EXPECT_EQ(brig->pragmas[1].text, brig->pragmas[4].text);
  const cl2::BrigText text = cl2::brig_text(bytes, *brig, 1000);
  EXPECT_EQ(text.text, "ARGSTART:a\nversion:3:1:104\nARGEND:a\nARGSTART:b\nversion:3:1:104\n\n");
  // A place in the text is a place in the file.
  const SourceRange origin = text.origin({11 + 8, 1});
  EXPECT_EQ(origin.begin, brig->pragmas[1].text.begin + 8);
  EXPECT_EQ(origin.size, 1u);
  EXPECT_EQ(cl2::brig_text(bytes, *brig, 15).text, "ARGSTART:a\n");
}

TEST(Cl2Chips, EveryRowNamesADeviceAndHasAVersion) {
  for (const cl2::ChipRow& row : cl2::chip_rows()) {
    EXPECT_NE(find_device(row.device), nullptr) << row.device;
    EXPECT_LE(row.first, row.last) << row.device;
    EXPECT_TRUE(std::ranges::any_of(cl2::chip_versions(), [&](const cl2::ChipVersion& version) {
      return version.device == row.device && version.xnack == row.xnack;
    })) << row.device;
  }
  // One driver gives one id one meaning.
  for (const cl2::ChipRow& a : cl2::chip_rows())
    for (const cl2::ChipRow& b : cl2::chip_rows())
      if (&a != &b && a.chip == b.chip) {
        EXPECT_TRUE(a.last < b.first || b.last < a.first) << a.device << " " << b.device;
      }
}

TEST(Cl2Chips, TheNoteDecidesAndTheDriverNarrows) {
  const cl2::IsaNote polaris{8, 0, 4, "AMD", "AMDGPU"};
  const auto name = [](const cl2::ChipChoice& choice) {
    return choice.device != nullptr ? choice.device->name : "none";
  };
  using enum cl2::CodeStorage;
  EXPECT_EQ(name(cl2::choose_chip(6, std::nullopt, Separate)), "bonaire");
  EXPECT_EQ(name(cl2::choose_chip(16, std::nullopt, Separate)), "fiji");
  EXPECT_EQ(name(cl2::choose_chip(12, polaris, Nested)), "ellesmere");
  EXPECT_TRUE(cl2::choose_chip(18, polaris, Nested).ambiguous);
  EXPECT_EQ(name(cl2::choose_chip(18, polaris, Nested)), "ellesmere");
  EXPECT_EQ(name(cl2::choose_chip(18, polaris, Nested, 236000)), "ellesmere");
  EXPECT_EQ(name(cl2::choose_chip(18, polaris, Nested, 223600)), "lexa");
  EXPECT_EQ(name(cl2::choose_chip(23, cl2::IsaNote{9, 0, 1, "AMD", "AMDGPU"}, Nested)), "greenland");
  EXPECT_TRUE(cl2::choose_chip(23, cl2::IsaNote{9, 0, 1, "AMD", "AMDGPU"}, Nested).xnack);
  const auto odd = cl2::choose_chip(6, polaris, Nested);
  EXPECT_TRUE(odd.contradicts);
  EXPECT_EQ(name(odd), "fiji");
  EXPECT_EQ(cl2::choose_chip(99, std::nullopt, Nested).device, nullptr);
}

TEST(Cl2Tables, AreSortedAndUnique) {
  std::uint32_t last = 0;
  for (const cl2::NoteType& row : cl2::note_types()) EXPECT_GT(row.type, std::exchange(last, row.type));
  last = 0;
  for (const cl2::RelocationType& row : cl2::relocation_types()) EXPECT_GT(row.type, std::exchange(last, row.type));
  std::uint32_t mask = 0;
  for (const cl2::CapabilityBit& bit : cl2::capability_bits()) {
    EXPECT_EQ(mask & bit.mask, 0u);
    mask |= bit.mask;
  }
  EXPECT_EQ(mask, 0x1fffu);
}

}  // namespace
}  // namespace amdcompat::metadata_test
