// Other tools judge what is written here: llvm-readelf 19 prints the note, llvm-mc 16 assembles the YAML, AMD's
// libamd-comgr lists kernels and arguments. Tools that are not installed and real files that are not there skip
// their test with a message.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <gtest/gtest.h>

#ifdef AMDCOMPAT_HAS_COMGR
#include <amd_comgr.h>
#endif

#include "random_metadata.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace judges_test {
namespace {

using namespace amdcompat;
using namespace amdcompat::hsa;
using amdcompat_test::has_program;
using amdcompat_test::run;

const Target kGfx600{.name = "gfx600", .mach = 0x20};

class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, std::string_view bytes)
      : path_(std::filesystem::temp_directory_path() / ("amdcompat-" + std::to_string(getpid()) + "-" + name)) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

// The YAML llvm-readelf prints: from `---` (indented, unlike the rest) to `...`.
std::string printed_yaml(const std::string& text) {
  const std::size_t begin = text.find("---\n");
  const std::size_t end = begin == std::string::npos ? begin : text.find("\n...\n", begin);
  return end == std::string::npos ? std::string{} : text.substr(begin, end + 5 - begin);
}

// Text that is double-quoted only for the assembler's sake (see to_yaml).
bool quoted_for_assembler(const std::string& yaml) {
  for (const std::string_view mark : {"\\\"", "\\\\'", ";", "//", "/*"})
    if (yaml.find(mark) != std::string::npos) return true;
  return false;
}

// Bytes, where nothing is written differently on purpose; the document in any case.
void expect_readelf_agrees(const Metadata& metadata, bool valid = true) {
  Metadata v3 = metadata;
  v3.version = {1, 0};
  const auto file = to_note_elf(v3, kGfx600, CodeObjectVersion::V3);
  ASSERT_TRUE(file) << file.error().message;
  const TemporaryFile saved("note.elf", *file);
  const amdcompat_test::ProcessResult printed = run("llvm-readelf-19 --notes " + saved.path());
  const std::string yaml = printed_yaml(printed.output);
  if (!quoted_for_assembler(to_yaml(v3))) {
    EXPECT_EQ(yaml, to_yaml(v3));
  }
  Diagnostics findings(Mode::Strict);
  EXPECT_EQ(read_yaml(yaml, findings), v3) << testing::PrintToString(findings.all());
  if (valid) {
    EXPECT_EQ(printed.output.find("Invalid AMDGPU Metadata"), std::string::npos) << printed.output;
  }
  EXPECT_EQ(printed.output.find("warning"), std::string::npos) << printed.output;
}

std::string assembly(const Metadata& metadata) {
  std::string yaml = to_yaml(metadata);
  return ".amdgcn_target \"amdgcn-amd-amdhsa--gfx600\"\n.amdgpu_metadata\n" + yaml + ".end_amdgpu_metadata\n";
}

// llvm-mc takes the YAML, and what it puts into the note is, byte for byte, what is written here.
void expect_assembler_agrees(const Metadata& metadata) {
  const TemporaryFile source("metadata.s", assembly(metadata));
  const TemporaryFile object("metadata.o", "");
  const amdcompat_test::ProcessResult out =
      run("llvm-mc-16 -triple=amdgcn-amd-amdhsa -mcpu=gfx600 --amdhsa-code-object-version=3 -filetype=obj -o " +
          object.path() + " " + source.path());
  ASSERT_EQ(out.status, 0) << out.output << to_yaml(metadata);
  const std::string bytes = read_file(object.path());
  Diagnostics findings;
  const auto elf = read_note_elf(bytes, findings);
  ASSERT_TRUE(elf) << testing::PrintToString(findings.all());
  EXPECT_EQ(elf->metadata, metadata);
  EXPECT_EQ(bytes.substr(elf->payload.begin, elf->payload.size), to_msgpack(metadata));
}

// Names and type names with everything that needs quotes, escapes or tags.
// `same`: without what is quoted for the assembler.
Metadata awkward(bool same = false) {
  Metadata metadata = samples::clean();
  for (const char* text :
       {"n",   "no",  "y",    "true",  "null", "~",    "123",   "0x1f",   "08",  "1e5",         ".5",  "inf",
        "-1",  "a b", "it's", "\"q\"", "a\tb", "a:b",  "uint*", "---",    "a#b", "tr\xC3\xA9s", "\n",  " x",
        "0b1", "1 ",  "<<",   "50%",   "a;b",  "a//b", "a/*b",  "back\\", "\\'", "'",           "\\n", "a,b"}) {
    if (same && std::string_view(text).find_first_of("\";/\\") != std::string_view::npos) continue;
    MetadataArgument argument = samples::argument(text, ValueKind::ByValue, 0, 4);
    argument.type_name = text;
    metadata.kernels[1].args.push_back(argument);
    metadata.printf.push_back(encode_printf(7, {}, text));
    metadata.kernels[0].args.push_back(samples::argument(std::string("p ") + text, ValueKind::ByValue, 0, 4));
  }
  return metadata;
}

TEST(HsaJudges, ReadelfPrintsTheSameYaml) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-readelf-19", "llvm-19");
  expect_readelf_agrees(samples::clean());
  expect_readelf_agrees(awkward(true));
  expect_readelf_agrees(awkward());
  Metadata v5 = samples::clean_v5();
  v5.target.reset();
  expect_readelf_agrees(v5);
}

// Random documents within what LLVM itself can print and read back: see to_yaml for the rest.
TEST(HsaJudges, ReadelfPrintsTheSameYamlForRandomDocuments) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-readelf-19", "llvm-19");
  EXPECT_TRUE(rc::check([] {
    Metadata metadata = random_metadata::metadata();
    metadata.unknown.clear();
    for (MetadataKernel& kernel : metadata.kernels) {
      kernel.unknown.clear();
      for (MetadataArgument& argument : kernel.args) argument.unknown.clear();
    }
    expect_readelf_agrees(metadata, false);
    RC_ASSERT(!testing::Test::HasFailure());
  }));
}

TEST(HsaJudges, TheAssemblerTakesTheYamlAndWritesTheSameBytes) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-16", "llvm-16");
  expect_assembler_agrees(samples::clean());
  expect_assembler_agrees(awkward());
}

TEST(HsaJudges, TheAssemblerTakesRandomText) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-16", "llvm-16");
  EXPECT_TRUE(rc::check([] {
    Metadata metadata = samples::clean();
    for (MetadataKernel& kernel : metadata.kernels) {
      kernel.name = *random_metadata::text();
      kernel.symbol = *random_metadata::text();
      kernel.vec_type_hint = *random_metadata::text();
      for (MetadataArgument& argument : kernel.args) {
        argument.name = *random_metadata::text();
        argument.type_name = *random_metadata::text();
        argument.offset = *random_metadata::number();
      }
    }
    for (std::string& each : metadata.printf) each = *random_metadata::text();
    expect_assembler_agrees(metadata);
    RC_ASSERT(!testing::Test::HasFailure());
  }));
}

std::vector<std::filesystem::path> real_objects() {
  std::vector<std::filesystem::path> out;
  for (const amdcompat_test::RealFile& file : amdcompat_test::real_files("hsaco-v"))
    if (file.format >= "hsaco-v3" && file.format <= "hsaco-v6")
      out.push_back(amdcompat_test::real_root() / "corpus" / file.path);
  return out;
}

TEST(HsaJudges, RealCodeObjectsAreReadAndRewrittenTheSame) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const auto files = real_objects();
  ASSERT_FALSE(files.empty());
  const bool readelf = has_program("llvm-readelf-19");
  for (const auto& path : files) {
    SCOPED_TRACE(path.string());
    const std::string bytes = read_file(path);
    Diagnostics findings;
    const auto elf = read_note_elf(bytes, findings);
    ASSERT_TRUE(elf) << testing::PrintToString(findings.all());
    EXPECT_FALSE(elf->metadata.kernels.empty());
    EXPECT_TRUE(verify(elf->metadata, findings, {.version = elf->version()}));
    // Compilers and this verifier agree on everything: not even a warning.
    EXPECT_TRUE(findings.all().empty()) << testing::PrintToString(findings.all());
    Diagnostics again(Mode::Strict);
    EXPECT_EQ(read_msgpack(to_msgpack(elf->metadata), again), elf->metadata);
    EXPECT_EQ(read_yaml(to_yaml(elf->metadata), again), elf->metadata);
    EXPECT_TRUE(again.all().empty()) << testing::PrintToString(again.all());
    EXPECT_EQ(bytes.substr(elf->payload.begin, elf->payload.size), to_msgpack(elf->metadata)) << "not LLVM's bytes";
    if (readelf) {
      EXPECT_EQ(printed_yaml(run("llvm-readelf-19 --notes " + path.string()).output), to_yaml(elf->metadata));
    }
  }
}

#ifdef AMDCOMPAT_HAS_COMGR
struct ComgrNode {
  amd_comgr_metadata_node_t handle{};
  bool good = false;
  ComgrNode() = default;
  ComgrNode(const ComgrNode&) = delete;
  ComgrNode& operator=(const ComgrNode&) = delete;
  ~ComgrNode() {
    if (good) amd_comgr_destroy_metadata(handle);
  }
  std::size_t list_size() {
    std::size_t size = 0;
    EXPECT_EQ(amd_comgr_get_metadata_list_size(handle, &size), AMD_COMGR_STATUS_SUCCESS);
    return size;
  }
  void at(std::size_t index, ComgrNode& out) {
    out.good = amd_comgr_index_list_metadata(handle, index, &out.handle) == AMD_COMGR_STATUS_SUCCESS;
    EXPECT_TRUE(out.good);
  }
  void key(const char* name, ComgrNode& out) {
    out.good = amd_comgr_metadata_lookup(handle, name, &out.handle) == AMD_COMGR_STATUS_SUCCESS;
  }
  std::string text() {
    std::size_t size = 0;
    if (!good || amd_comgr_get_metadata_string(handle, &size, nullptr) != AMD_COMGR_STATUS_SUCCESS) return {};
    std::string out(size, '\0');
    EXPECT_EQ(amd_comgr_get_metadata_string(handle, &size, out.data()), AMD_COMGR_STATUS_SUCCESS);
    out.resize(size == 0 ? 0 : size - 1);  // with its NUL
    return out;
  }
  std::string text(const char* name) {
    ComgrNode value;
    key(name, value);
    return value.text();
  }
};

TEST(HsaJudges, ComgrListsTheSameKernelsAndArguments) {
  for (const Metadata& metadata : {samples::clean(), awkward()}) {
    const auto file = to_note_elf(metadata, kGfx600, CodeObjectVersion::V3);
    ASSERT_TRUE(file);
    amd_comgr_data_t data;
    ASSERT_EQ(amd_comgr_create_data(AMD_COMGR_DATA_KIND_EXECUTABLE, &data), AMD_COMGR_STATUS_SUCCESS);
    ASSERT_EQ(amd_comgr_set_data(data, file->size(), file->data()), AMD_COMGR_STATUS_SUCCESS);
    {
      ComgrNode root, kernels;
      root.good = amd_comgr_get_data_metadata(data, &root.handle) == AMD_COMGR_STATUS_SUCCESS;
      ASSERT_TRUE(root.good);
      root.key("amdhsa.kernels", kernels);
      ASSERT_TRUE(kernels.good);
      ASSERT_EQ(kernels.list_size(), metadata.kernels.size());
      for (std::size_t k = 0; k < metadata.kernels.size(); ++k) {
        ComgrNode kernel, args;
        kernels.at(k, kernel);
        EXPECT_EQ(kernel.text(".name"), metadata.kernels[k].name);
        EXPECT_EQ(kernel.text(".symbol"), metadata.kernels[k].symbol);
        kernel.key(".args", args);
        ASSERT_TRUE(args.good);
        ASSERT_EQ(args.list_size(), metadata.kernels[k].args.size());
        for (std::size_t i = 0; i < metadata.kernels[k].args.size(); ++i) {
          const MetadataArgument& expected = metadata.kernels[k].args[i];
          ComgrNode argument;
          args.at(i, argument);
          EXPECT_EQ(argument.text(".name"), expected.name.value_or(""));
          EXPECT_EQ(argument.text(".value_kind"), spelling(*expected.value_kind));
          EXPECT_EQ(argument.text(".offset"), std::to_string(*expected.offset));
          EXPECT_EQ(argument.text(".size"), std::to_string(*expected.size));
        }
      }
    }
    EXPECT_EQ(amd_comgr_release_data(data), AMD_COMGR_STATUS_SUCCESS);
  }
}
#else
// Stands in for the test above where it cannot be compiled, so that the count of skipped tests shows its absence.
TEST(HsaJudges, ComgrListsTheSameKernelsAndArguments) {
  GTEST_SKIP() << "AMD's own reader cannot judge the output, because its headers were absent when this test was built; "
                  "install the Debian package libamd-comgr-dev and configure again";
}
#endif

}  // namespace
}  // namespace judges_test
