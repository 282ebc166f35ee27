// Every finding code of containers, each produced by a container of our own that is broken in one way.
#include <algorithm>
#include <functional>
#include <map>

#include <amdcompat/open.hpp>

#include "samples.hpp"

namespace amdcompat::findings_test {
namespace {

using test::Bytes;
using test::bytes_of;

// All findings of reading: those of the parts, and the refusal of the whole if there is one.
std::vector<Diagnostic> findings_of(const Bytes& bytes, const cl1::ReadOptions& options = {}) {
  Diagnostics diagnostics(Mode::Strict);
  static_cast<void>(cl1::read(bytes, diagnostics, options));
  return diagnostics.all();
}

// A good container, changed in its model and written again.
std::vector<Diagnostic> edited(const std::function<void(cl1::Binary&)>& edit, AddressBits bits = AddressBits::Bits32) {
  Diagnostics diagnostics;
  cl1::Binary binary = test::read_good(test::build(test::container(bits)), diagnostics);
  edit(binary);
  return findings_of(cl1::write(binary));
}

std::vector<Diagnostic> specified(const std::function<void(cl1::ContainerSpec&)>& edit) {
  cl1::ContainerSpec spec = test::container();
  edit(spec);
  return findings_of(test::build(spec));
}

// A container whose first kernel has this image.
std::vector<Diagnostic> with_image(Bytes image) {
  return specified([&](cl1::ContainerSpec& spec) { spec.kernels[0].image = std::move(image); });
}

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
  ASSERT_LE(at + sizeof value, bytes.size());
  for (std::size_t i = 0; i < sizeof value; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
}

// Findings about the image and the text together, which only opening the whole file gives.
std::vector<Diagnostic> opened_with(const std::function<void(cl1::EncodingSpec&)>& change) {
  cl1::EncodingSpec encoding = test::encoding(test::kPitcairnCode);
  change(encoding);
  cl1::ContainerSpec spec = test::container();
  spec.kernels[0].image = test::image({encoding});
  const Bytes bytes = test::build(spec);
  Diagnostics diagnostics(Mode::Strict);
  static_cast<void>(open({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, diagnostics));
  return diagnostics.all();
}

// A word of a good image changed. Offsets of a one-encoding image: program headers 0x34, dictionary 0x94, notes 0x1c0.
std::vector<Diagnostic> image_with(std::size_t at, std::uint32_t value) {
  Bytes image = test::image({test::encoding(test::kPitcairnCode)});
  put(image, at, value);
  return with_image(std::move(image));
}

cl1::Symbol& symbol_called(cl1::Binary& binary, std::string_view name) {
  const auto found =
      std::ranges::find_if(binary.symbols, [&](const cl1::Symbol& symbol) { return binary.text(symbol.name) == name; });
  EXPECT_NE(found, binary.symbols.end()) << name;
  return *found;
}

void rename(cl1::Binary& binary, SourceRange name, std::string_view to) {
  ASSERT_EQ(name.size, to.size());
  Bytes changed(binary.bytes.begin(), binary.bytes.end());
  std::ranges::copy(bytes_of(to), changed.begin() + name.begin);
  binary.bytes = FileBytes(std::move(changed));
}

Bytes bare_elf(std::uint16_t machine, unsigned os_abi = 0, unsigned abi_version = 0) {
  Bytes bytes(64);
  put(bytes, 0, std::uint64_t{0x010102464c457f} | std::uint64_t{os_abi} << 56);
  put(bytes, 8, static_cast<std::uint8_t>(abi_version));
  put(bytes, 16, std::uint32_t{machine} << 16 | 3);
  return bytes;
}

using Findings = std::vector<Diagnostic>;
const std::map<Code, std::function<Findings()>>& producers() {
  using namespace std::string_literals;
  static const std::map<Code, std::function<Findings()>> all{
      {Code::FileEmpty, [] { return findings_of({}); }},
      {Code::FileTooLarge, [] { return findings_of(test::build(test::container()), {.max_file_bytes = 100}); }},
      {Code::FileKindUnknown, [] { return findings_of(bytes_of("only text")); }},
      {Code::FileIsOtherElf, [] { return findings_of(bare_elf(62)); }},
      {Code::Cl1CpuBinary, [] { return findings_of(bare_elf(0x7d2)); }},
      {Code::Cl1EncryptedBinary,
       [] {
         return edited([](cl1::Binary& binary) {
           rename(binary, binary.sections[5].name, ".encryp");
           rename(binary, binary.sections[4].name, ".Encrypt");
         });
       }},
      {Code::Cl1SourceOnly,
       [] {
         return specified([](cl1::ContainerSpec& spec) {
           spec.kernels.clear();
           spec.functions.clear();
           spec.globals.clear();
           spec.source = "kernel void k() {}";
         });
       }},
      {Code::FileIsCl2, [] { return findings_of(bare_elf(0xaf5b)); }},
      {Code::FileIsHsa, [] { return findings_of(bare_elf(224, 64, 1)); }},
      {Code::FileIsGallium, [] { return findings_of(bytes_of("\1\0\0\0\3\0\0\0DCT\0\0\0\0\0\0\0\0\0"s)); }},
      {Code::FileIsBrig, [] { return findings_of(bytes_of("HSA BRIG\1\0\0\0"s)); }},
      {Code::FileIsHsailText, [] { return findings_of(bytes_of("module &m:1:0:$full:$large:$default;\n")); }},
      {Code::FileIsOffloadBundle, [] { return findings_of(bytes_of("__CLANG_OFFLOAD_BUNDLE__\2\0\0\0"s)); }},
      {Code::FileIsAmdilText, [] { return findings_of(bytes_of("il_cs_2_0\nend\n")); }},

      {Code::ElfHeaderBroken,
       [] {
         Bytes bytes = bare_elf(0x3fe);
         bytes.resize(40);
         return findings_of(bytes);
       }},
      {Code::ElfSectionTableBroken, [] { return edited([](cl1::Binary& binary) { binary.header.shnum = 9999; }); }},
      {Code::ElfSegmentTableBroken,
       [] {
         return edited([](cl1::Binary& binary) {
           binary.header.phnum = 3;
           binary.header.phentsize = 32;
           binary.header.phoff = 0x7fffffff;
         });
       }},
      {Code::ElfSectionOutside,
       [] { return edited([](cl1::Binary& binary) { binary.sections.back().size = 0x7fffffff; }); }},
      {Code::ElfSymbolTableBroken, [] { return edited([](cl1::Binary& binary) { binary.sections[3].entsize = 17; }); }},
      {Code::ElfNameBroken, [] { return edited([](cl1::Binary& binary) { binary.sections[4].name_offset = 99999; }); }},
      {Code::ElfTooManyEntries, [] { return findings_of(test::build(test::container()), {.max_kernels = 1}); }},

      {Code::Cl1NoKernels, [] { return specified([](cl1::ContainerSpec& spec) { spec.kernels.clear(); }); }},
      {Code::Cl1UnknownDevice, [] { return specified([](cl1::ContainerSpec& spec) { spec.machine = 0x4ff; }); }},
      {Code::Cl1DuplicateSymbol,
       [] {
         return edited([](cl1::Binary& binary) {
           symbol_called(binary, "__OpenCL_scale_kernel_header").name_offset =
               symbol_called(binary, "__OpenCL_fill_header").name_offset;
         });
       }},
      {Code::Cl1SymbolOutside,
       [] {
         return edited([](cl1::Binary& binary) { symbol_called(binary, "__OpenCL_fill_metadata").size = 0x10000; });
       }},
      {Code::Cl1KernelWithoutMetadata,
       [] { return specified([](cl1::ContainerSpec& spec) { spec.kernels[0].metadata.clear(); }); }},
      {Code::Cl1EmptyMetadata,
       [] { return edited([](cl1::Binary& binary) { symbol_called(binary, "__OpenCL_fill_metadata").size = 0; }); }},
      {Code::Cl1KernelWithoutHeader,
       [] { return specified([](cl1::ContainerSpec& spec) { spec.kernels[0].header.reset(); }); }},
      {Code::Cl1HeaderSize,
       [] { return edited([](cl1::Binary& binary) { symbol_called(binary, "__OpenCL_fill_header").size = 28; }); }},
      {Code::Cl1HeaderVersion,
       [] { return specified([](cl1::ContainerSpec& spec) { spec.kernels[0].header->version = 2; }); }},
      {Code::Cl1KernelWithoutImage,
       [] { return specified([](cl1::ContainerSpec& spec) { spec.kernels[0].image.clear(); }); }},
      {Code::Cl1KernelIlOnly,
       [] {
         return specified([](cl1::ContainerSpec& spec) {
           spec.kernels[0].image.clear();
           spec.kernels[0].il = "il_cs_2_0\nend\n";
         });
       }},
      {Code::Cl1NameTooLong,
       [] { return specified([](cl1::ContainerSpec& spec) { spec.kernels[0].name = std::string(2000, 'k'); }); }},
      {Code::Cl1DataSegmentIndex,
       [] {
         return edited(
             [](cl1::Binary& binary) { rename(binary, symbol_called(binary, "__OpenCL_0_global").subject, "x"); });
       }},
      {Code::Cl1SharedContents,
       [] {
         return edited([](cl1::Binary& binary) {
           // Every symbol of .text and .rodata covers its whole section, several times the file in sum.
           for (cl1::Symbol& symbol : binary.symbols)
             if (symbol.section != 0) {
               symbol.value = 0;
               symbol.size = binary.sections[symbol.section].size;
             }
           for (cl1::Symbol& symbol : binary.symbols)
             if (symbol.section == 5) {
               symbol.section = 6;
               symbol.size = binary.sections[6].size;
             }
         });
       }},

      {Code::CalImageBroken, [] { return with_image(bytes_of("no image at all")); }},
      {Code::CalDictionaryBroken, [] { return image_with(0x34, 1); }},
      {Code::CalEncodingOutside, [] { return image_with(0x94 + 12, 0x7fffffff); }},
      {Code::CalNoEncodingForDevice, [] { return image_with(0x94, 0x1c); }},
      {Code::CalDeviceCodeUnknown,
       [] { return specified([](cl1::ContainerSpec& spec) { spec.machine = find_device("redwood")->e_machine; }); }},
      {Code::CalNoteBroken, [] { return image_with(0x1c0 + 4, 0x7fffffff); }},
      {Code::CalNoProgramInfo,
       [] {
         auto spec = test::encoding(test::kPitcairnCode);
         spec.program_info.clear();
         return with_image(test::image({spec}));
       }},

      {Code::CalProgramInfoDiffers,
       [] { return opened_with([](cl1::EncodingSpec& spec) { spec.program_info.back().value = 0x4000; }); }},
      {Code::CalBuffersDiffer,
       [] {
         return opened_with(
             [](cl1::EncodingSpec& spec) { spec.notes = {{cl1::kCalNoteConstantBuffers, {0, 0, 1, 0, 7, 0}}}; });
       }},
      {Code::CalSamplersDiffer,
       [] { return opened_with([](cl1::EncodingSpec& spec) { spec.notes = {{cl1::kCalNoteSamplers, {0, 3}}}; }); }},
  };
  return all;
}

TEST(Cl1Findings, EveryCodeIsProducedByABrokenContainer) {
  for (const auto& [code, produce] : producers()) {
    const Findings findings = produce();
    const auto found = std::ranges::find(findings, code, &Diagnostic::code);
    ASSERT_NE(found, findings.end()) << code_label(code) << ' ' << code_info(code).name << ": found " << findings.size()
                                     << " others, first "
                                     << (findings.empty() ? std::string("none")
                                                          : code_label(findings[0].code) + ' ' + findings[0].message);
    EXPECT_EQ(found->severity, code_info(code).strict) << code_label(code);
    EXPECT_FALSE(found->message.empty());
  }
}

TEST(Cl1Findings, EveryContainerCodeHasACaseHere) {
  for (const CodeInfo& info : all_codes()) {
    const auto number = static_cast<unsigned>(info.code);
    if (number >= 2001 && number <= 2089) {
      EXPECT_TRUE(producers().contains(info.code)) << code_label(info.code) << ' ' << info.name;
    }
  }
}

// Lists that a compiler writes: resources of the metadata in any order, with or without those that no code uses.
TEST(Cl1Findings, ListsThatAgreeWithTheMetadataAreNotReported) {
  const auto differs = [](std::vector<cl1::NoteSpec> notes) {
    std::size_t count = 0;
    for (const Diagnostic& d : opened_with([&](cl1::EncodingSpec& spec) { spec.notes = std::move(notes); }))
      count += d.code == Code::CalBuffersDiffer || d.code == Code::CalSamplersDiffer;
    return count;
  };
  EXPECT_EQ(differs({}), 0u);
  EXPECT_EQ(differs({{cl1::kCalNoteUavs, {12, 4, 0, 5}}, {cl1::kCalNoteConstantBuffers, {1, 99, 0, 99}}}), 0u);
  EXPECT_EQ(differs({{cl1::kCalNoteUavs, {11, 0, 0, 5, 9, 0, 0, 5}}}), 0u);  // raw, printf
  EXPECT_EQ(differs({{cl1::kCalNoteUavs, {13, 4, 0, 5, 14, 4, 0, 5}}, {cl1::kCalNoteInputs, {0}}}), 3u);
}

TEST(Cl1Findings, AFindingPointsAtTheKernelsBlock) {
  const Findings findings = producers().at(Code::Cl1HeaderVersion)();
  const auto found = std::ranges::find(findings, Code::Cl1HeaderVersion, &Diagnostic::code);
  ASSERT_NE(found, findings.end());
  EXPECT_EQ(found->block, "__OpenCL_fill_kernel");
  EXPECT_EQ(found->where.size, 4u);
}

TEST(Cl1Findings, OneBrokenKernelLeavesTheOthersWhole) {
  for (const Code code :
       {Code::CalImageBroken, Code::CalDictionaryBroken, Code::Cl1KernelWithoutMetadata, Code::Cl1SymbolOutside}) {
    for (const Diagnostic& finding : producers().at(code)()) {
      if (finding.block.empty()) continue;
      EXPECT_EQ(finding.block, "__OpenCL_fill_kernel") << finding.message;
    }
  }
}

TEST(Cl1Findings, OtherWaysToBreakTheSameThing) {
  const auto has = [](const Findings& findings, Code code) {
    return std::ranges::find(findings, code, &Diagnostic::code) != findings.end();
  };
  // ELF headers
  for (const auto& [at, value] : std::vector<std::pair<std::size_t, std::uint8_t>>{{4, 3}, {6, 2}}) {
    Bytes bytes = test::build(test::container());
    put(bytes, at, value);
    EXPECT_TRUE(has(findings_of(bytes), Code::ElfHeaderBroken)) << at;
  }
  EXPECT_TRUE(has(edited([](cl1::Binary& b) { b.header.shentsize = 64; }), Code::ElfSectionTableBroken));
  EXPECT_TRUE(has(edited([](cl1::Binary& b) { b.header.shoff = 0; }), Code::ElfSectionTableBroken));
  EXPECT_TRUE(has(edited([](cl1::Binary& b) { b.header.shoff = 0x7fffffff; }), Code::ElfSectionTableBroken));
  EXPECT_TRUE(has(edited([](cl1::Binary& b) { b.header.shoff = ~std::uint64_t{0} - 8; }, AddressBits::Bits64),
                  Code::ElfSectionTableBroken));
  EXPECT_TRUE(has(edited([](cl1::Binary& b) { b.header.phnum = 1; }), Code::ElfSegmentTableBroken));
  EXPECT_TRUE(has(edited([](cl1::Binary& b) { b.header.shstrndx = 77; }), Code::ElfNameBroken));
  EXPECT_TRUE(has(edited([](cl1::Binary& b) { b.sections.back().offset = ~std::uint64_t{0} - 4; }, AddressBits::Bits64),
                  Code::ElfSectionOutside));
  // Symbol tables
  EXPECT_TRUE(has(edited([](cl1::Binary& b) { b.sections[3].link = 99; }), Code::ElfSymbolTableBroken));
  EXPECT_TRUE(has(edited([](cl1::Binary& b) { b.sections[3].link = 4; }), Code::ElfSymbolTableBroken));
  EXPECT_TRUE(has(edited([](cl1::Binary& b) { b.sections[3].size -= 3; }), Code::ElfSymbolTableBroken));
  EXPECT_TRUE(has(edited([](cl1::Binary& b) { symbol_called(b, "__OpenCL_fill_header").name_offset = 0x7fffffff; }),
                  Code::ElfNameBroken));
  EXPECT_TRUE(has(findings_of(test::build(test::container()), {.max_symbols = 3}), Code::ElfTooManyEntries));
  EXPECT_TRUE(has(findings_of(test::build(test::container()), {.max_sections = 3}), Code::ElfTooManyEntries));
  // Symbols
  for (const std::uint16_t section : {std::uint16_t{0}, std::uint16_t{99}, std::uint16_t{0xfff1}})
    EXPECT_TRUE(has(edited([&](cl1::Binary& b) { symbol_called(b, "__OpenCL_fill_metadata").section = section; }),
                    Code::Cl1SymbolOutside))
        << section;
  EXPECT_TRUE(has(edited([](cl1::Binary& b) { symbol_called(b, "__OpenCL_fill_metadata").value = ~std::uint64_t{0}; },
                         AddressBits::Bits64),
                  Code::Cl1SymbolOutside));
  EXPECT_TRUE(
      has(edited([](cl1::Binary& b) { symbol_called(b, "__OpenCL_fill_header").size = 33; }), Code::Cl1HeaderSize));
  // Images: 64-bit, another machine, cut dictionary, encodings that overlap, foreign note
  EXPECT_TRUE(has(with_image(test::build(test::container())), Code::CalImageBroken));
  EXPECT_TRUE(has(with_image(test::build(test::container(AddressBits::Bits64))), Code::CalImageBroken));
  EXPECT_TRUE(has(image_with(0x34 + 16, 21), Code::CalDictionaryBroken));
  EXPECT_TRUE(has(image_with(0x34 + 16, 400), Code::CalDictionaryBroken));
  EXPECT_TRUE(has(image_with(0x34 + 4, 0x7fffffff), Code::CalDictionaryBroken));
  EXPECT_TRUE(has(image_with(0x1c0 + 12, 0x41414141), Code::CalNoteBroken));
  EXPECT_TRUE(has(with_image(test::image({test::il_encoding()})), Code::CalNoEncodingForDevice));
  Bytes two = test::image({test::il_encoding(), test::encoding(test::kPitcairnCode)});
  put(two, 0xd4 + 20 + 8, std::uint32_t{0});                               // second encoding covers
  put(two, 0xd4 + 20 + 12, static_cast<std::uint32_t>(two.size()));         // the whole image
  EXPECT_TRUE(has(with_image(two), Code::CalEncodingOutside));
}

TEST(Cl1Findings, EncryptionIsFoundInSymbolNamesToo) {
  const Findings findings = edited([](cl1::Binary& binary) {
    rename(binary, symbol_called(binary, "__OpenCL_linker_options").name, "__AMD_ENCRYPTED_program");
  });
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.back().code, Code::Cl1EncryptedBinary);
}

TEST(Cl1Findings, SourceOnlyBinariesAreNamedByWhatTheyAre) {
  const auto message = [](std::uint16_t type) {
    cl1::ContainerSpec spec = test::container();
    spec.kernels.clear();
    spec.functions.clear();
    spec.globals.clear();
    spec.llvmir = bytes_of("BC");
    Bytes bytes = test::build(spec);
    put(bytes, 16, type);
    return findings_of(bytes).back().message;
  };
  EXPECT_NE(message(1).find("a compiled but not linked program with .llvmir"), std::string::npos) << message(1);
  EXPECT_NE(message(3).find("a library with .llvmir"), std::string::npos);
  EXPECT_NE(message(2).find("stored without machine code"), std::string::npos);
}

}  // namespace
}  // namespace amdcompat::findings_test
