// Every real CL2 file: opened, accounted for, compared, converted; goldens are stored hashes of our output.
//
//   cl2_corpus_test --rebase    rewrites tests/cl2/real_hashes.tsv after a reviewed change of output
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>

#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/convert.hpp>
#include <amdcompat/device.hpp>

#include "samples.hpp"
#include "support/real_corpus.hpp"
#include "support/wants_all.hpp"

namespace amdcompat {
namespace {

using namespace amdcompat_test;
using test::Bytes;

bool rebase = false;

// Also the container without kernels, which the inventory calls «other».
std::vector<RealFile> cl2_files() {
  std::vector<RealFile> out = real_files("amdcl2");
  for (const RealFile& file : real_files("other"))
    if (file.path.find("nokernels") != std::string::npos) out.push_back(file);
  return out;
}

// Files whose metadata an assembler wrote anew from a description of it; the BRIG text is still the compiler's.
bool is_rewritten(const RealFile& file) { return file.path.ends_with(".reconf"); }

File open_real(const RealFile& real, Diagnostics& diagnostics) {
  auto file = open(read_real(real), diagnostics);
  EXPECT_TRUE(file) << real.path << "\n" << test::listing(diagnostics);
  EXPECT_TRUE(!file || file->cl2()) << real.path;
  return file && file->cl2() ? std::move(*file) : File{};
}

TEST(Cl2Corpus, EveryFileOpensWithoutAnErrorAndConverts) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t files = 0, kernels = 0, nested = 0, narrow = 0;
  for (const RealFile& real : cl2_files()) {
    Diagnostics diagnostics;
    const File file = open_real(real, diagnostics);
    ASSERT_TRUE(file.cl2());
    const auto conversion = convert::to_metadata(file.program, diagnostics);
    EXPECT_EQ(diagnostics.count(Severity::Error), 0u) << real.path << "\n" << test::listing(diagnostics);
    EXPECT_EQ(conversion.refused, 0u) << real.path;
    EXPECT_EQ(conversion.kernels.size(), file.cl2()->kernels.size()) << real.path;
    EXPECT_NE(file.cl2()->chip.device, nullptr) << real.path;
    for (const Kernel& kernel : file.program.kernels) EXPECT_TRUE(kernel.registers.known) << real.path;
    ++files;
    kernels += file.program.kernels.size();
    nested += file.cl2()->storage == cl2::CodeStorage::Nested;
    narrow += file.cl2()->elf.bits == AddressBits::Bits32;
  }
  EXPECT_EQ(files, 73u);
  EXPECT_EQ(kernels, 204u);
  EXPECT_EQ(nested, 61u);
  EXPECT_EQ(narrow, 6u);
}

TEST(Cl2Corpus, EveryByteOfTheMetadataIsAccountedForAndEveryFileWritesBack) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t bytes = 0;
  for (const RealFile& real : cl2_files()) {
    Diagnostics diagnostics(Mode::Strict);
    const File file = open_real(real, diagnostics);
    const cl2::Binary& binary = *file.cl2();
    EXPECT_TRUE(std::ranges::equal(cl2::write(binary), binary.bytes)) << real.path;
    std::uint64_t covered = 0, rodata = 0;
    for (const cl2::Kernel& kernel : binary.kernels) {
      ASSERT_TRUE(kernel.metadata) << real.path;
      const Bytes again = cl2::write_metadata(*kernel.metadata);
      EXPECT_TRUE(std::ranges::equal(again, binary.view(kernel.metadata_bytes))) << real.path << " " << kernel.name;
      EXPECT_TRUE(kernel.metadata->rest.empty() && kernel.metadata->header_rest.empty()) << real.path;
      ASSERT_TRUE(kernel.setup) << real.path;
      EXPECT_TRUE(std::ranges::equal(cl2::write_kernel_code(*kernel.setup), binary.view(kernel.setup_bytes)));
      covered += kernel.metadata_bytes.size + kernel.isa_metadata.size;
    }
    for (const elf::Section& section : binary.elf.sections)
      if (binary.text(section.name) == ".rodata") rodata += section.contents.size;
    EXPECT_EQ(covered, rodata) << real.path;
    bytes += covered;
    // What strict mode finds: block-invoke kernels name more types than they have arguments.
    for (const Diagnostic& d : diagnostics.all())
      if (d.severity == Severity::Error && !is_rewritten(real)) {
        EXPECT_EQ(d.code, Code::IndexOutOfRange) << real.path << " " << d.message;
      }
  }
  EXPECT_GT(bytes, 250'000u);
}

TEST(Cl2Corpus, ArgumentBlocksHaveTheSizeThatEverySetupSays) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t separate = 0, nested = 0;
  for (const RealFile& real : cl2_files()) {
    Diagnostics diagnostics;
    const File file = open_real(real, diagnostics);
    EXPECT_FALSE(diagnostics.contains(Code::Cl2KernargSize)) << real.path;
    EXPECT_FALSE(diagnostics.contains(Code::Cl2UserRegisters)) << real.path;
    for (const Kernel& kernel : file.program.kernels) {
      ASSERT_TRUE(kernel.argument_block() != nullptr && setup_of(kernel) != nullptr);
      EXPECT_EQ(kernel.argument_block()->argument_bytes, setup_of(kernel)->kernarg_bytes)
          << real.path << " " << kernel.name;
      EXPECT_EQ(kernel.argument_block()->hidden_arguments, 6u) << real.path << " " << kernel.name;
      ++(kernel.argument_block()->nested ? nested : separate);
    }
  }
  EXPECT_EQ(separate, 55u);
  EXPECT_EQ(nested, 149u);
}

// A scalar load of machine code. SMRD of GCN 1.1: bits 31-27 are 0x18, 26-22 the logarithm of the width, 21-15 the
// first destination, 14-9 the base pair, 8 immediate, 7-0 offset in dwords.
struct ScalarLoad {
  std::uint32_t base = 0;  // register of the address
  std::uint64_t offset = 0;  // bytes
  std::uint32_t dwords = 0;
  std::uint32_t destination = 0;
};
std::vector<ScalarLoad> scalar_loads(std::span<const std::byte> code) {
  std::vector<ScalarLoad> out;
  for (std::size_t at = 0; at + 4 <= code.size(); at += 4) {
    std::uint32_t word = 0;
    for (std::size_t i = 4; i-- > 0;) word = word << 8 | std::to_integer<std::uint32_t>(code[at + i]);
    if (word >> 27 == 0x18 && (word >> 22 & 31) <= 4 && (word >> 8 & 1) == 1)
      out.push_back({(word >> 9 & 63) * 2, (word & 255) * 4, 1u << (word >> 22 & 31), word >> 15 & 127});
  }
  return out;
}
// First register of a user register group that the kernel has.
std::uint32_t first_register(const Kernel& kernel, std::uint16_t group) {
  return cl2::user_register_count(static_cast<std::uint16_t>(setup_of(kernel)->user_registers & (group - 1)));
}
bool has_gcn_1_1(const File& file) {
  return file.cl2()->chip.device != nullptr && file.cl2()->chip.device->isa == Isa::Gcn1_1;
}

// The size of a block does not tell 4-byte handles from 8-byte ones; the loads of the machine code do.
TEST(Cl2Corpus, MachineCodeOf32BitContainersLoadsImagesAsEightBytes) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t images = 0;
  for (const RealFile& real : cl2_files()) {
    if (real.path.find("samplers4.32") == std::string::npos) continue;
    Diagnostics diagnostics;
    const File file = open_real(real, diagnostics);
    for (const Kernel& kernel : file.program.kernels) {
      const std::uint32_t base = first_register(kernel, kSgprKernargPtr);
      const auto loads = scalar_loads(file.cl2()->view(kernel.argument_block()->code));
      for (const Argument& argument : kernel.arguments)
        if (std::holds_alternative<Image>(argument.kind)) {
          EXPECT_TRUE(std::ranges::any_of(loads,
                                          [&](const ScalarLoad& load) {
                                            return load.base == base && load.dwords == 2 &&
                                                   load.offset == argument.in_block()->offset;
                                          }))
              << real.path << " " << kernel.name << " " << argument.name << " at " << argument.in_block()->offset;
          ++images;
        }
    }
  }
  EXPECT_EQ(images, 8u);
}

// The dispatch pointer addresses an AQL packet: code loads work-group and grid sizes from it, and nothing else.
TEST(Cl2Corpus, MachineCodeReadsOnlyTheSizesOfThePacket) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::size_t> seen;
  for (const RealFile& real : cl2_files()) {
    Diagnostics diagnostics;
    const File file = open_real(real, diagnostics);
    if (!has_gcn_1_1(file)) continue;
    for (const Kernel& kernel : file.program.kernels) {
      if ((setup_of(kernel)->user_registers & kSgprDispatchPtr) == 0) continue;
      const std::uint32_t base = first_register(kernel, kSgprDispatchPtr);
      for (const ScalarLoad& load : scalar_loads(file.cl2()->view(kernel.argument_block()->code))) {
        if (load.base == base) ++seen[{load.offset, load.dwords}];
        if (load.destination <= base + 1 && base < load.destination + load.dwords) break;  // the pointer is gone
      }
    }
  }
  const std::map<std::pair<std::uint64_t, std::uint32_t>, std::size_t> expected{
      {{4, 1}, 105}, {{4, 4}, 8}, {{8, 1}, 4}, {{12, 2}, 8}, {{20, 1}, 8}};
  EXPECT_EQ(seen, expected);
}

// Image objects start with the T#: code loads eight dwords, and the dword with width and height alone.
TEST(Cl2Corpus, MachineCodeReadsDescriptorsAtTheStartOfImageObjects) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::size_t> seen;
  for (const RealFile& real : cl2_files()) {
    Diagnostics diagnostics;
    const File file = open_real(real, diagnostics);
    if (!has_gcn_1_1(file)) continue;
    for (const Kernel& kernel : file.program.kernels) {
      const std::uint32_t base = first_register(kernel, kSgprKernargPtr);
      std::map<std::uint32_t, bool> handles;  // registers that hold one
      for (const ScalarLoad& load : scalar_loads(file.cl2()->view(kernel.argument_block()->code))) {
        if (handles.contains(load.base)) ++seen[{load.offset, load.dwords}];
        if (load.base != base) continue;
        for (const Argument& argument : kernel.arguments)
          if (std::holds_alternative<Image>(argument.kind) && argument.in_block()->offset >= load.offset &&
              argument.in_block()->offset < load.offset + 4 * load.dwords)
            handles[load.destination + static_cast<std::uint32_t>(argument.in_block()->offset - load.offset) / 4] =
                true;
      }
    }
  }
  const std::map<std::pair<std::uint64_t, std::uint32_t>, std::size_t> expected{{{0, 8}, 40}, {{8, 1}, 8}};
  EXPECT_EQ(seen, expected);
}

TEST(Cl2Corpus, BinaryMetadataAndBrigTextAgreeWhereACompilerWroteBoth) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t modules = 0, texts = 0;
  std::map<std::string, std::size_t> differing;
  for (const RealFile& real : cl2_files()) {
    Diagnostics diagnostics;
    const File file = open_real(real, diagnostics);
    modules += file.cl2()->brig.has_value();
    texts += file.texts.size();
    for (const MetadataText& text : file.texts) {
      const text::Document& document = text.document;
      EXPECT_EQ(text::print(document), document.source()) << real.path;
      for (const text::Block& block : document.blocks)
        EXPECT_EQ(text::reprint(document, block.first, block.last), document.slice(block.where)) << real.path;
    }
    for (const Diagnostic& d : diagnostics.all()) {
      EXPECT_NE(d.code, Code::Cl2BrigBroken) << real.path;
      EXPECT_NE(d.code, Code::Cl2BrigBlock) << real.path;
      if (d.code != Code::Cl2ViewsDiffer) continue;
      EXPECT_TRUE(is_rewritten(real)) << real.path << ": " << d.message;
      ++differing[real.path.substr(real.path.rfind('/') + 1)];
    }
  }
  EXPECT_EQ(modules, 46u);
  EXPECT_EQ(texts, 46u);
  // docs/cl2.md explains each of them.
  const std::map<std::string, std::size_t> expected{{"ExtractPrimes_Kernels.clo.reconf", 4},
                                                    {"alltypes-15_7.clo.reconf", 31},
                                                    {"ksetup2-15_7.clo.reconf", 4},
                                                    {"ksetup2.clo.reconf", 4}};
  EXPECT_EQ(differing, expected);
}

// The signature without what compilers are known to spell differently; docs/cl2.md, «One signature, four compilers».
std::vector<std::string> signature(const Kernel& kernel) {
  struct Words {
    const Argument& argument;
    static std::string scalar(ScalarType type) {
      // CL2 compilers store unsigned codes for signed integers too; the type name keeps the sign.
      std::string name(scalar_name(type));
      if (name.starts_with("u")) name[0] = 'i';
      return name;
    }
    std::string operator()(const ByValue& v) const {
      // A vector of three has four elements from 15.11 on.
      const bool three = argument.type_name.ends_with("3");
      return fmt::format("value {} x{}", scalar(v.type), three ? 3 : v.elements);
    }
    std::string pointer(const PointerInfo& p, std::string_view space) const {
      return fmt::format("{} pointer to {}", space, scalar(p.pointee));
    }
    std::string operator()(const GlobalPointer& p) const { return pointer(p, "global"); }
    std::string operator()(const LocalPointer& p) const { return pointer(p, "local"); }
    std::string operator()(const ConstantPointer& p) const { return pointer(p, "constant"); }
    std::string operator()(const RegionPointer& p) const { return pointer(p, "region"); }
    std::string operator()(const PrivatePointer& p) const { return pointer(p, "private"); }
    std::string operator()(const Image& i) const {
      return fmt::format("image {} {} {}", image_dim_name(i.dim), text::access_name(i.access), i.id);
    }
    std::string operator()(const Sampler& s) const { return fmt::format("sampler {}", s.id); }
    std::string operator()(const Counter& c) const { return fmt::format("counter {}", c.bits); }
    std::string operator()(const Semaphore&) const { return "semaphore"; }
    std::string operator()(const Queue&) const { return "queue"; }
    std::string operator()(const Pipe&) const { return "pipe"; }
    std::string operator()(const Hidden&) const { return "hidden"; }
  };
  std::vector<std::string> out;
  for (const Argument& argument : kernel.arguments)
    if (!std::holds_alternative<Hidden>(argument.kind))
      out.push_back(fmt::format("{} ({}): {}{}", argument.name, argument.type_name,
                                std::visit(Words{argument}, argument.kind), argument.is_const ? " const" : ""));
  return out;
}

TEST(Cl2Corpus, AlltypesHasOneSignatureInAllFourCompilers) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const std::filesystem::path root = real_root() / "corpus/CLRX+CLRX-mirror/tests/amdbin";
  const auto read = [&](std::string_view name) {
    Diagnostics diagnostics;
    auto file = open(read_file(root / name), diagnostics);
    EXPECT_TRUE(file) << name;
    EXPECT_FALSE(file->program.kernels.empty()) << name;
    return signature(file->program.kernels.at(0));
  };
  const auto cl1 = read("amdbins/alltypes.clo");
  const auto cl1_64 = read("amdbins/alltypes_64.clo");
  const auto separate = read("amdbins/alltypes-15_7.clo");
  const auto nested = read("amdcl2bins/alltypes.clo.regen");
  EXPECT_EQ(cl1, cl1_64);
  EXPECT_EQ(separate, nested);
  // The CL2 source has neither the counter nor whatever else only CL1 takes: compared argument by argument below.
  std::map<std::string, std::string> by_name;
  for (const std::string& line : cl1) by_name.emplace(line.substr(0, line.find(' ')), line);
  std::size_t common = 0;
  for (const std::string& line : separate)
    if (const auto found = by_name.find(line.substr(0, line.find(' '))); found != by_name.end()) {
      EXPECT_EQ(line, found->second);
      ++common;
    }
  EXPECT_EQ(common, separate.size());
  EXPECT_EQ(cl1.size(), separate.size() + 1);
}

// Both sides of every path through the readers, in files of both generations and widths. AMDCOMPAT_FULL_SWEEP=1 in the
// environment runs every truncation and every bit; otherwise a fixed sample keeps the test short.
TEST(Cl2Corpus, FiveFilesSurviveTruncationAndFlippedBits) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const std::filesystem::path root = real_root() / "corpus/CLRX+CLRX-mirror/tests/amdbin";
  for (const std::string_view name :
       {"amdbins/alltypes-15_7.clo", "amdbins/test3-15_11.clo", "amdcl2bins/samplers4.32.clo.regen",
        "amdcl2bins/simplecopy-kattrs-248203.clo.regen", "amdcl2bins/enqueue-15_7.clo.regen"}) {
    const std::string good = read_file(root / name);
    const auto use = [&](const std::string& bytes) {
      Diagnostics diagnostics;
      const auto file = open(bytes, diagnostics);
      for (const Diagnostic& d : diagnostics.all())
        ASSERT_LE(std::uint64_t{d.where.begin} + d.where.size, bytes.size());
      if (!file) return;
      if (file->cl2()) {
        ASSERT_TRUE(std::ranges::equal(cl2::write(*file->cl2()), std::as_bytes(std::span(bytes)))) << name;
      }
      (void)convert::to_metadata(file->program, diagnostics);
      for (const Kernel& kernel : file->program.kernels)
        if (const auto image = abi::Cl2LaunchImage::create(kernel, diagnostics)) (void)image->map();
    };
    const char* const wanted = std::getenv("AMDCOMPAT_FULL_SWEEP");
    const bool full = wanted != nullptr && std::string_view(wanted) == "1";
    const std::size_t part = amdcompat_test::one_of(3);
    for (std::size_t size = 0; size < good.size() && !HasFailure(); size += full ? 1 : 23 * part)
      use(good.substr(0, size));
    std::string bytes = good;
    for (std::size_t at = 0; at < good.size() && !HasFailure(); at += full || at < 256 ? 1 : 7 * part)
      for (std::size_t bit = full ? 0 : at % 8; bit < (full ? 8 : at % 8 + 1); ++bit) {
        bytes[at] = static_cast<char>(good[at] ^ (1 << bit));
        use(bytes);
        bytes[at] = good[at];
      }
  }
}

TEST(Cl2Corpus, OutputsHaveTheStoredHashes) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const std::filesystem::path stored = std::filesystem::path(AMDCOMPAT_SOURCE_DIR) / "tests/cl2/real_hashes.tsv";
  std::string now = "# hash of the YAML, of the findings (JSON); of the real file with this inventory path\n";
  for (const RealFile& real : cl2_files()) {
    Diagnostics diagnostics;
    diagnostics.set_file(real.path);
    const File file = open_real(real, diagnostics);
    const std::string yaml = hsa::to_yaml(convert::to_metadata(file.program, diagnostics).metadata);
    now += fmt::format("{}\t{}\t{}\n", content_hash(yaml),
                       content_hash(render_json_lines(diagnostics, {file.view(), file.regions})), real.path);
  }
  if (rebase) {
    std::ofstream(stored, std::ios::binary) << now;
    return;
  }
  std::istringstream expected(read_file(stored)), actual(now);
  for (std::string a, b; std::getline(expected, a) && std::getline(actual, b);) EXPECT_EQ(a, b);
  EXPECT_EQ(read_file(stored).size(), now.size());
}

}  // namespace

void set_rebase() { rebase = true; }

}  // namespace amdcompat

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc > 1 && std::strcmp(argv[1], "--rebase") == 0) amdcompat::set_rebase();
  return RUN_ALL_TESTS();
}
