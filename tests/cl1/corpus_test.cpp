// The reader against real files, which are not part of the project: AMDCOMPAT_REAL_CORPUS says where they are.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "samples.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat::corpus_test {
namespace {

namespace fs = std::filesystem;
using Kind = FileKind;

struct Entry {
  fs::path path;
  std::string format;
  std::string driver;
  std::string machine;
  std::string provenance;
  std::vector<std::string> kernels;
  std::string name;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

// Columns: path, bytes, sha256, format, driver, e_machine, kernels, source, provenance.
std::vector<Entry> inventory() {
  std::vector<Entry> entries;
  if (std::string_view(AMDCOMPAT_REAL_CORPUS).empty()) return entries;
  const fs::path root = fs::path(AMDCOMPAT_REAL_CORPUS) / "corpus";
  std::ifstream in(root / "INVENTORY.tsv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> columns = split(line, '\t');
    columns.resize(9);
    entries.push_back(
        {root / columns[0], columns[3], columns[4], columns[5], columns[8], split(columns[6], ','), columns[0]});
  }
  return entries;
}

bool is_cpu(const Entry& entry) { return entry.machine.starts_with("0x7d"); }
bool is_cl1(const Entry& entry) { return entry.format.starts_with("amdcl1"); }

std::string single_spaces(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' || out.empty() || out.back() != ' ') out += c;
  return out;
}

class RealCorpus : public testing::Test {
 protected:
  void SetUp() override {
    AMDCOMPAT_NEEDS_REAL_CORPUS();
    entries_ = inventory();
    ASSERT_FALSE(entries_.empty());
  }
  template <class Use>
  std::size_t for_each_gpu_file(Use use) {
    std::size_t count = 0;
    for (const Entry& entry : entries_) {
      if (!is_cl1(entry) || is_cpu(entry)) continue;
      SCOPED_TRACE(entry.name);
      Diagnostics diagnostics(Mode::Strict);
      use(entry, test::read_good(test::read_file(entry.path), diagnostics), diagnostics);
      ++count;
    }
    return count;
  }
  std::vector<Entry> entries_;
};

TEST_F(RealCorpus, OpensEveryGpuContainerWithoutAFinding) {
  const std::size_t count =
      for_each_gpu_file([](const Entry& entry, const cl1::Binary& binary, const Diagnostics& diagnostics) {
        EXPECT_TRUE(diagnostics.all().empty()) << test::listing(diagnostics);
        EXPECT_EQ(binary.elf_bits == AddressBits::Bits64, entry.format == "amdcl1-64");
        EXPECT_EQ(fmt::format("0x{:x}", binary.header.machine), entry.machine);
        ASSERT_NE(binary.device, nullptr);
        std::set<std::string> names;
        for (const cl1::Kernel& kernel : binary.kernels) names.insert(kernel.name);
        EXPECT_EQ(names, std::set<std::string>(entry.kernels.begin(), entry.kernels.end()));
        EXPECT_EQ(single_spaces(binary.text(binary.driver)), entry.driver);
      });
  EXPECT_EQ(count, 100u);
}

TEST_F(RealCorpus, WritesEveryGpuContainerBackByteForByte) {
  for_each_gpu_file([](const Entry&, const cl1::Binary& binary, const Diagnostics&) {
    EXPECT_TRUE(std::ranges::equal(cl1::write(binary), binary.bytes));
  });
}

TEST_F(RealCorpus, EveryKernelHasTextMetadataAHeaderAndAnImage) {
  std::size_t kernels = 0;
  for_each_gpu_file([&](const Entry&, const cl1::Binary& binary, const Diagnostics&) {
    for (const cl1::Kernel& kernel : binary.kernels) {
      ++kernels;
      const std::string_view text = binary.text(kernel.metadata);
      EXPECT_TRUE(text.starts_with(fmt::format(";ARGSTART:__OpenCL_{}_kernel\n", kernel.name)));
      EXPECT_TRUE(text.ends_with(fmt::format(";ARGEND:__OpenCL_{}_kernel\n", kernel.name)));
      ASSERT_TRUE(kernel.header);
      EXPECT_EQ(kernel.header->version, 1u);
      EXPECT_EQ((kernel.header->flags & cl1::kHeader64BitAbi) != 0,
                text.find(";memory:64bitABI\n") != std::string_view::npos);
      EXPECT_NE(kernel.image.size, 0u);
    }
  });
  EXPECT_EQ(kernels, 393u);
}

TEST_F(RealCorpus, ProgramInformationIsFoundAndPlausible) {
  std::size_t with_two = 0;
  for_each_gpu_file([&](const Entry&, const cl1::Binary& binary, const Diagnostics&) {
    const bool vliw = is_vliw(binary.device->isa);
    for (const cl1::Kernel& kernel : binary.kernels) {
      SCOPED_TRACE(kernel.name);
      ASSERT_TRUE(kernel.cal.chosen);
      with_two += kernel.cal.encodings.size() == 2;
      const cl1::Encoding& encoding = kernel.cal.encodings[*kernel.cal.chosen];
      EXPECT_EQ(encoding.machine, binary.device->inner_machine);
      EXPECT_EQ(encoding.notes.size(), 17u);
      const Registers& registers = kernel.cal.registers;
      EXPECT_TRUE(registers.known);
      EXPECT_LE(registers.vgprs, 256u);
      EXPECT_EQ(registers.wavefront_size, 64u);
      EXPECT_LE(registers.lds_bytes, 32768u);
      EXPECT_EQ(encoding.data.size, 4736u);
      EXPECT_NE(encoding.text.size, 0u);
      EXPECT_EQ(encoding.text.size % 4, 0u);
      for (const cl1::ProgramInfoEntry& entry : encoding.entries)
        EXPECT_NE(cl1::find_program_info_field(entry.address,
                                               vliw ? cl1::ProgramInfoFamily::Vliw : cl1::ProgramInfoFamily::Gcn),
                  nullptr)
            << std::hex << entry.address;
      if (vliw) continue;
      EXPECT_LE(registers.sgprs, 104u);
      // The LDS field of COMPUTE_PGM_RSRC2 counts 256 bytes on GCN 1.0, and its lowest bit says that scratch is used.
      ASSERT_TRUE(encoding.info.rsrc2);
      if (binary.device->isa == Isa::Gcn1_0) {
        EXPECT_EQ((*encoding.info.rsrc2 >> 15 & 0x1ff) * 256, registers.lds_bytes);
      }
      EXPECT_EQ((*encoding.info.rsrc2 & 1) != 0, registers.scratch_bytes != 0);
    }
  });
  EXPECT_EQ(with_two, 87u);
}

// What the two Cypress images say twice: SQ_PGM_RESOURCES_LS (0xa235) and SQ_LDS_ALLOC (0xa23a) hold the registers,
// the stack and the LDS dwords that AMD's own addresses hold.
TEST_F(RealCorpus, EvergreenProgramInformationAgreesWithItsHardwareRegisters) {
  std::size_t images = 0;
  for_each_gpu_file([&](const Entry&, const cl1::Binary& binary, const Diagnostics&) {
    if (binary.device->name != "cypress") return;
    for (const cl1::Kernel& kernel : binary.kernels) {
      ++images;
      const cl1::Encoding& encoding = kernel.cal.encodings.at(*kernel.cal.chosen);
      std::map<std::uint32_t, std::uint32_t> values;
      for (const cl1::ProgramInfoEntry& entry : encoding.entries) values[entry.address] = entry.value;
      EXPECT_EQ(values.at(0xa235) & 0xff, encoding.info.vgprs);
      EXPECT_EQ(values.at(0xa235) >> 8 & 0xff, encoding.info.stack_used);
      EXPECT_EQ(values.at(0xa23a) & 0x3fff, encoding.info.lds_used);
    }
  });
  EXPECT_EQ(images, 2u);
}

TEST_F(RealCorpus, RefusesEveryCpuContainerByName) {
  std::size_t count = 0;
  for (const Entry& entry : entries_) {
    if (!is_cl1(entry) || !is_cpu(entry)) continue;
    SCOPED_TRACE(entry.name);
    ++count;
    Diagnostics diagnostics;
    const auto read = cl1::read(test::read_file(entry.path), diagnostics);
    ASSERT_FALSE(read);
    ASSERT_EQ(diagnostics.all().size(), 1u);
    const Diagnostic& refused = diagnostics.all().front();
    EXPECT_EQ(refused.code, Code::Cl1CpuBinary);
    EXPECT_NE(refused.message.find(entry.machine), std::string::npos);
    EXPECT_NE(single_spaces(refused.message).find(entry.driver), std::string::npos) << refused.message;
    // The driver names the features in its own way: "(sse2,avx)".
    EXPECT_EQ(refused.message.find("AVX") != std::string::npos, entry.driver.find("avx") != std::string::npos)
        << refused.message;
  }
  EXPECT_EQ(count, 4u);
}

TEST_F(RealCorpus, ClassifiesEveryFileAsTheInventoryDoes) {
  const std::map<std::string, std::vector<Kind>> expected{
      {"amdcl1-32", {Kind::Cl1Gpu, Kind::Cl1Cpu}},
      {"amdcl1-64", {Kind::Cl1Gpu, Kind::Cl1Cpu}},
      {"amdcl2-32", {Kind::Cl2}},
      {"amdcl2-64", {Kind::Cl2}},
      {"amdil-text", {Kind::AmdilText}},
      {"hsaco-v1", {Kind::HsaV1}},
      {"hsaco-v2", {Kind::HsaV2}},
      {"hsaco-v3", {Kind::HsaV3}},
      {"hsaco-v4", {Kind::HsaV4}},
      {"hsaco-v5", {Kind::HsaV5}},
      {"hsaco-v6", {Kind::HsaV6}},
  };
  for (const Entry& entry : entries_) {
    const Kind kind = identify(test::read_file(entry.path));
    if (const auto row = expected.find(entry.format); row != expected.end()) {
      EXPECT_TRUE(std::ranges::count(row->second, kind)) << entry.name << ": " << kind_name(kind);
      if (is_cl1(entry)) {
        EXPECT_EQ(kind == Kind::Cl1Cpu, is_cpu(entry)) << entry.name;
      }
      continue;
    }
    // Kind "other" is told apart by what the name says.
    const auto has = [&](std::string_view part) { return entry.name.find(part) != std::string::npos; };
    const Kind named = has("gallium")                                     ? Kind::Gallium
                       : has(".brig") || has("gpu-hello") || has("d_bif") ? Kind::Brig
                       : has(".hsail")                                    ? Kind::HsailText
                       : has(".hipfb")                                    ? Kind::OffloadBundle
                       : has("nokernels")                                 ? Kind::Cl2
                                                                          : Kind::Unknown;
    EXPECT_EQ(kind, named) << entry.name;
  }
}

}  // namespace
}  // namespace amdcompat::corpus_test
