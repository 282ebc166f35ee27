#include <algorithm>
#include <set>

#include "samples.hpp"

namespace amdcompat::container_test {
namespace {

using test::Bytes;
using test::bytes_of;

class BothClasses : public testing::TestWithParam<AddressBits> {};
INSTANTIATE_TEST_SUITE_P(Cl1, BothClasses, testing::Values(AddressBits::Bits32, AddressBits::Bits64),
                         [](const auto& instance) {
                           return instance.param == AddressBits::Bits32 ? "Elf32" : "Elf64";
                         });

TEST_P(BothClasses, ABuiltContainerReadsBackInFull) {
  const cl1::ContainerSpec spec = test::container(GetParam());
  Diagnostics diagnostics(Mode::Strict);
  const cl1::Binary binary = test::read_good(test::build(spec), diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << test::listing(diagnostics);
  EXPECT_EQ(binary.elf_bits, GetParam());
  ASSERT_NE(binary.device, nullptr);
  EXPECT_EQ(binary.device->name, "pitcairn");
  EXPECT_EQ(binary.text(binary.compile_options), "-O2 ");
  EXPECT_EQ(binary.text(binary.linker_options), "-link");
  EXPECT_EQ(binary.text(binary.driver), test::kDriver);
  ASSERT_EQ(binary.kernels.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const cl1::Kernel& kernel = binary.kernels[i];
    EXPECT_EQ(kernel.name, spec.kernels[i].name);
    EXPECT_EQ(binary.text(kernel.metadata), spec.kernels[i].metadata);
    EXPECT_EQ(kernel.header, spec.kernels[i].header);
    EXPECT_TRUE(std::ranges::equal(binary.view(kernel.image), spec.kernels[i].image));
    EXPECT_TRUE(kernel.cal.registers.known);
    EXPECT_EQ(kernel.cal.registers.vgprs, test::kRegisters.vgprs);
  }
  ASSERT_EQ(binary.functions.size(), 1u);
  EXPECT_EQ(binary.functions[0].name, "helper");
  EXPECT_EQ(binary.text(binary.functions[0].metadata), spec.functions[0].metadata);
  ASSERT_EQ(binary.globals.size(), 1u);
  EXPECT_EQ(binary.globals[0].index, 0u);
  EXPECT_TRUE(std::ranges::equal(binary.view(binary.globals[0].contents), spec.globals[0].contents));
}

TEST_P(BothClasses, HasTheShapeOfARealContainer) {
  cl1::ContainerSpec spec = test::container(GetParam());
  spec.llvmir = bytes_of("BC");
  spec.source = "kernel void fill() {}";
  spec.kernels[0].il = "il_cs_2_0\nend\n";
  Diagnostics diagnostics;
  const cl1::Binary binary = test::read_good(test::build(spec), diagnostics);
  std::vector<std::string_view> names;
  names.reserve(binary.sections.size());
  for (const elf::Section& section : binary.sections) names.push_back(binary.text(section.name));
  EXPECT_EQ(names, (std::vector<std::string_view>{"", ".shstrtab", ".strtab", ".symtab", ".llvmir", ".source",
                                                  ".comment", ".rodata", ".text", ".amdil"}));
  EXPECT_EQ(binary.header.type, 2);
  EXPECT_EQ(binary.header.shstrndx, 1);
  EXPECT_TRUE(binary.segments.empty());
  EXPECT_EQ(binary.sections[1].flags, 0x20u);
  EXPECT_EQ(binary.sections[3].align, 8u);
  EXPECT_EQ(binary.sections[3].link, 2u);
  EXPECT_EQ(binary.sections[3].info, 0u);
  EXPECT_EQ(binary.sections[7].flags, 2u);
  EXPECT_EQ(binary.sections[8].flags, 6u);
  EXPECT_EQ(binary.text(binary.kernels[0].il), spec.kernels[0].il);
}

TEST_P(BothClasses, WritesBackByteForByte) {
  const Bytes bytes = test::build(test::container(GetParam()));
  Diagnostics diagnostics;
  EXPECT_EQ(cl1::write(test::read_good(bytes, diagnostics)), bytes);
}

TEST_P(BothClasses, KeepsBytesThatNothingCovers) {
  Bytes bytes = test::build(test::container(GetParam()));
  Diagnostics diagnostics;
  const cl1::Binary binary = test::read_good(bytes, diagnostics);
  for (const SourceRange gap : binary.gaps) std::fill_n(bytes.begin() + gap.begin, gap.size, std::byte{0xa5});
  bytes.insert(bytes.end(), 7, std::byte{0x5a});
  const cl1::Binary again = test::read_good(bytes, diagnostics);
  EXPECT_EQ(cl1::write(again), bytes);
  ASSERT_FALSE(again.gaps.empty());
  EXPECT_EQ(again.gaps.back().size, 7u);
}

TEST_P(BothClasses, WritesWhatWasChangedInTheModel) {
  Diagnostics diagnostics;
  cl1::Binary binary = test::read_good(test::build(test::container(GetParam())), diagnostics);
  binary.header.machine = 0x3fd;
  binary.header.flags = 0x12345678;
  binary.sections[4].addr = 0x1000;
  binary.symbols[1].other = 2;
  const cl1::Binary again = test::read_good(cl1::write(binary), diagnostics);
  EXPECT_EQ(again.device->name, "tahiti");
  EXPECT_EQ(again.header.flags, 0x12345678u);
  EXPECT_EQ(again.sections[4].addr, 0x1000u);
  EXPECT_EQ(again.symbols[1].other, 2);
}

TEST_P(BothClasses, GapsSectionsAndTablesCoverEveryByteOnce) {
  Diagnostics diagnostics;
  const cl1::Binary binary = test::read_good(test::build(test::container(GetParam())), diagnostics);
  const std::uint64_t header = GetParam() == AddressBits::Bits64 ? 64 : 52;
  const std::uint64_t entry = GetParam() == AddressBits::Bits64 ? 64 : 40;
  std::uint64_t sum = header + binary.sections.size() * entry;
  for (const elf::Section& section : binary.sections) sum += section.contents.size;
  for (const SourceRange gap : binary.gaps) sum += gap.size;
  EXPECT_EQ(sum, binary.bytes.size());
}

TEST(Cl1Binary, StaysValidWhenCopiedAndMoved) {
  Diagnostics diagnostics;
  cl1::Binary first = test::read_good(test::build(test::container()), diagnostics);
  cl1::Binary copy = first;
  const cl1::Binary moved = std::move(first);
  first = {};
  EXPECT_EQ(copy.text(copy.kernels[0].metadata), test::metadata_of("fill"));
  EXPECT_EQ(moved.text(moved.kernels[1].metadata), test::metadata_of("scale_kernel"));
  EXPECT_EQ(moved.text({0xfffffff0, 0x20}), "");
  EXPECT_EQ(moved.text({0, static_cast<std::uint32_t>(moved.bytes.size() + 1)}), "");
}

TEST(Cl1Binary, AKernelMayBeCalledLikeARole) {
  cl1::ContainerSpec spec = test::container();
  spec.kernels.clear();
  for (const char* name :
       {"x_kernel", "x", "x_header", "x_metadata", "global", "2", "compile_options_kernel", "AESEncrypt", "_"})
    spec.kernels.push_back(test::kernel(name));
  Diagnostics diagnostics(Mode::Strict);
  const cl1::Binary binary = test::read_good(test::build(spec), diagnostics);
  EXPECT_TRUE(diagnostics.all().empty()) << test::listing(diagnostics);
  ASSERT_EQ(binary.kernels.size(), spec.kernels.size());
  for (std::size_t i = 0; i < spec.kernels.size(); ++i) {
    EXPECT_EQ(binary.kernels[i].name, spec.kernels[i].name);
    EXPECT_EQ(binary.text(binary.kernels[i].metadata), spec.kernels[i].metadata);
  }
}

// Changes a symbol's name in place; both names have the same length.
void rename_symbol(cl1::Binary& binary, std::string_view from, std::string_view to) {
  ASSERT_EQ(from.size(), to.size());
  for (const cl1::Symbol& symbol : binary.symbols)
    if (binary.text(symbol.name) == from) {
      Bytes changed(binary.bytes.begin(), binary.bytes.end());
      std::ranges::copy(bytes_of(to), changed.begin() + symbol.name.begin);
      binary.bytes = FileBytes(std::move(changed));
      return;
    }
  FAIL() << from;
}

TEST(Cl1Binary, ReadsTheNamesOfTheNewerFormat) {
  cl1::ContainerSpec spec = test::container();
  spec.kernels.resize(1);
  spec.kernels[0] = test::kernel("a_name_long_enough");
  spec.kernels[0].il = "il_cs_2_0\nend\n";
  Diagnostics diagnostics(Mode::Strict);
  cl1::Binary binary = test::read_good(test::build(spec), diagnostics);
  rename_symbol(binary, "__OpenCL_a_name_long_enough_kernel", "__ISA_&__OpenCL_a_na_kernel_binary");
  rename_symbol(binary, "__OpenCL_a_name_long_enough_header", "__AMDIL_&__OpenCL_a_kernel__header");
  rename_symbol(binary, "__OpenCL_a_name_long_enough_amdil", "__AMDIL_a_name_long_enough12_text");
  rename_symbol(binary, "__OpenCL_compile_options", "__OpenCL_linker__options");
  rename_symbol(binary, "__OpenCL_helper_fmetadata", "__AMDIL_helper1_fmetadata");
  const cl1::Binary again = test::read_good(cl1::write(binary), diagnostics);
  std::set<std::string> names;
  for (const cl1::Kernel& kernel : again.kernels) names.insert(kernel.name);
  EXPECT_EQ(names,
            (std::set<std::string>{"a_name_long_enough", "a_na", "&__OpenCL_a_kernel_", "a_name_long_enough12"}));
  EXPECT_EQ(again.functions.at(0).name, "helper1");
  EXPECT_EQ(again.compile_options.size, 0u);
}

TEST(Cl1Binary, RoleSpellingsAreUniqueAndNameTheirSource) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const cl1::RoleSpelling& spelling : cl1::role_spellings()) {
    EXPECT_TRUE(seen.insert({spelling.prefix, spelling.suffix}).second) << spelling.prefix;
    EXPECT_FALSE(spelling.source.empty());
    EXPECT_NE(spelling.role, cl1::Role::None);
  }
}

TEST(Cl1Binary, TrimsNulsThatTheMetadatasSizeCounts) {
  cl1::ContainerSpec spec = test::container();
  spec.kernels[0].metadata += std::string(3, '\0');
  Diagnostics diagnostics;
  const cl1::Binary binary = test::read_good(test::build(spec), diagnostics);
  EXPECT_EQ(binary.text(binary.kernels[0].metadata), test::metadata_of("fill"));
  EXPECT_EQ(binary.symbols[binary.kernels[0].metadata_symbol.value_or(0)].size, spec.kernels[0].metadata.size());
}

TEST(Cl1Binary, FindsTheDriverWithoutAnOptionsSymbol) {
  cl1::ContainerSpec spec = test::container();
  spec.compile_options.reset();
  spec.linker_options.reset();
  Diagnostics diagnostics;
  EXPECT_EQ(test::read_good(test::build(spec), diagnostics).driver.size, test::kDriver.size());
  spec.compile_options = "";
  const cl1::Binary binary = test::read_good(test::build(spec), diagnostics);
  EXPECT_EQ(binary.text(binary.driver), test::kDriver);
  EXPECT_EQ(binary.compile_options.size, 0u);
}

TEST(Cl1Binary, OpensWithoutKernels) {
  cl1::ContainerSpec spec = test::container();
  spec.kernels.clear();
  spec.functions.clear();
  spec.globals.clear();
  Diagnostics diagnostics(Mode::Strict);
  const cl1::Binary binary = test::read_good(test::build(spec), diagnostics);
  EXPECT_TRUE(binary.kernels.empty());
  ASSERT_EQ(diagnostics.all().size(), 1u) << test::listing(diagnostics);
  EXPECT_EQ(diagnostics.all()[0].code, Code::Cl1NoKernels);
  EXPECT_EQ(diagnostics.all()[0].severity, Severity::Note);
}

TEST(Cl1Binary, AKernelOfIlOnlyKeepsItsMetadata) {
  cl1::ContainerSpec spec = test::container();
  spec.kernels[0].image.clear();
  spec.kernels[0].il = "il_cs_2_0\nend\n";
  Diagnostics diagnostics(Mode::Strict);
  const cl1::Binary binary = test::read_good(test::build(spec), diagnostics);
  EXPECT_TRUE(diagnostics.contains(Code::Cl1KernelIlOnly));
  EXPECT_FALSE(diagnostics.has_errors()) << test::listing(diagnostics);
  EXPECT_EQ(binary.text(binary.kernels[0].metadata), test::metadata_of("fill"));
  EXPECT_FALSE(binary.kernels[0].cal.registers.known);
}

TEST(Cl1Build, RefusesContradictoryDescriptions) {
  const auto message = [](const cl1::ContainerSpec& spec) {
    const auto built = cl1::build(spec);
    return built ? std::string("built") : built.error().message;
  };
  cl1::ContainerSpec spec = test::container();
  spec.kernels[1].name = spec.kernels[0].name;
  EXPECT_NE(message(spec).find("two kernels"), std::string::npos) << message(spec);
  spec.kernels[1].name = "";
  EXPECT_NE(message(spec).find("without a name"), std::string::npos);
  spec.kernels[1].name = std::string("a\0b", 3);
  EXPECT_NE(message(spec).find("NUL"), std::string::npos);
  spec = test::container();
  spec.functions.push_back(spec.functions[0]);
  EXPECT_NE(message(spec).find("two functions"), std::string::npos);
  spec.functions = {{"", "x"}};
  EXPECT_NE(message(spec).find("function name"), std::string::npos);
  spec = test::container();
  spec.globals.push_back(spec.globals[0]);
  EXPECT_NE(message(spec).find("two data segments"), std::string::npos);
}

}  // namespace
}  // namespace amdcompat::container_test
