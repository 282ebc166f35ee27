// Every real CL1 file and text: opened, printed back, converted; goldens are stored hashes of our output.
//
//   real_corpus_test --rebase    rewrites tests/lower/real_hashes.tsv after a reviewed change of output
#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/xml.hpp>

#include "support/real_corpus.hpp"

using namespace amdcompat;
using namespace amdcompat_test;

namespace {

bool rebase = false;

std::vector<RealFile> legacy_files() {
  std::vector<RealFile> out;
  for (const RealFile& file : real_files("amd"))
    if (file.format.starts_with("amdcl1") || file.format == "amdil-text") out.push_back(file);
  return out;
}

TEST(RealCorpus, All100GpuFilesAnd4TextsHaveNoErrorsInLenientMode) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t containers = 0, texts = 0, cpu = 0;
  for (const RealFile& real : legacy_files()) {
    Diagnostics diagnostics;
    const auto file = open(read_real(real), diagnostics);
    if (!file) {
      ASSERT_EQ(diagnostics.all().size(), 1u) << real.path;
      EXPECT_NE(diagnostics.all()[0].message.find("CPU"), std::string::npos)
          << real.path << ": " << diagnostics.all()[0].message;
      ++cpu;
      continue;
    }
    ++(file->cl1() ? containers : texts);
    const auto conversion = convert::to_metadata(file->program, diagnostics);
    EXPECT_EQ(diagnostics.count(Severity::Error), 0u) << real.path;
    EXPECT_EQ(conversion.refused, 0u) << real.path;
    EXPECT_EQ(conversion.kernels.size(), file->program.kernels.size()) << real.path;
  }
  EXPECT_EQ(containers, 100u);
  EXPECT_EQ(texts, 4u);
  EXPECT_EQ(cpu, 4u);
}

TEST(RealCorpus, EveryBlockPrintsBackFromItsFieldsByteForByte) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::size_t blocks = 0, verbatim = 0;
  for (const RealFile& real : legacy_files()) {
    Diagnostics diagnostics;
    const auto file = open(read_real(real), diagnostics);
    if (!file) continue;
    for (const MetadataText& text : file->texts) {
      const text::Document& document = text.document;
      EXPECT_EQ(text::print(document), document.source()) << real.path;
      for (const text::Block& block : document.blocks) {
        EXPECT_EQ(text::reprint(document, block.first, block.last), document.slice(block.where))
            << real.path << " " << block.name;
        for (const text::Element& element : document.directives(block)) verbatim += !element.canonical;
        ++blocks;
      }
    }
  }
  EXPECT_EQ(blocks, 540u);
  EXPECT_EQ(verbatim, 0u) << "lines that had to be kept instead of printed from their fields";
}

TEST(RealCorpus, StrictModeFindsOnlyWhatTheDocumentationExplains) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  // docs/diagnostics.md, «What strict mode finds in real files».
  const std::set<Code> explained{Code::SelfCall, Code::CounterArgument, Code::DuplicateKernelName};
  for (const RealFile& real : legacy_files()) {
    Diagnostics diagnostics(Mode::Strict);
    const auto file = open(read_real(real), diagnostics);
    if (!file) continue;
    (void)convert::to_metadata(file->program, diagnostics);
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      EXPECT_TRUE(diagnostic.severity != Severity::Error || explained.contains(diagnostic.code))
          << real.path << ": " << code_label(diagnostic.code) << " " << diagnostic.message;
    }
  }
}

TEST(RealCorpus, RegistersComeFromTheCalNotesOfEveryGcnKernel) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  for (const RealFile& real : legacy_files()) {
    Diagnostics diagnostics;
    const auto file = open(read_real(real), diagnostics);
    if (!file || !file->cl1()) continue;
    for (const Kernel& kernel : file->program.kernels) {
      EXPECT_TRUE(kernel.registers.known) << real.path << " " << kernel.name;
      EXPECT_LE(kernel.registers.vgprs, 256u);
      EXPECT_LE(kernel.registers.sgprs, 104u);
    }
  }
}

TEST(RealCorpus, OutputsHaveTheStoredHashes) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const std::filesystem::path stored = std::filesystem::path(AMDCOMPAT_SOURCE_DIR) / "tests/lower/real_hashes.tsv";
  std::string now =
      "# hash of the YAML, of the XML, of the findings (JSON); of the real file with this inventory path\n";
  for (const RealFile& real : legacy_files()) {
    Diagnostics diagnostics;
    diagnostics.set_file(real.path);
    const std::string bytes = read_real(real);
    const auto file = open(bytes, diagnostics);
    std::string yaml = "-", xml = "-";
    if (file) {
      yaml = content_hash(hsa::to_yaml(convert::to_metadata(file->program, diagnostics).metadata));
      xml = content_hash(to_xml(*file));
    }
    const SourceView view{bytes, file ? std::span<const TextRegion>(file->regions) : std::span<const TextRegion>{}};
    now += yaml + "\t" + xml + "\t" + content_hash(render_json_lines(diagnostics, view)) + "\t" + real.path + "\n";
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

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  rebase = argc > 1 && std::strcmp(argv[1], "--rebase") == 0;
  return RUN_ALL_TESTS();
}
