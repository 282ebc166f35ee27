// Independent judges over everything we emit: llvm-readelf 19, llvm-mc 16 and libamd-comgr.
// readelf exits 0 on garbage, so its output is compared, not its status. [LLVM]
#include <algorithm>

#include <gtest/gtest.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>

#include "comgr.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

using namespace amdcompat;
using namespace amdcompat_test;

namespace judges_test {
namespace {

struct Emitted {
  std::string name;
  hsa::Metadata metadata;
  std::string yaml, elf;
};

// One text with what real files lack: printf, hints, names that YAML would read as other kinds.
constexpr std::string_view kOwn =
    ";ARGSTART:__OpenCL_judge_kernel\n;version:3:1:111\n;device:tahiti\n;uniqueid:1024\n;memory:hwlocal:64\n;cws:8:4:"
    "2\n;wsh:8:4:2\n;vth:float4\n"
    ";value:n:u32:1:1:0\n;pointer:yes:float:1:1:16:uav:12:4:RW:1:1\n;constarg:1:yes\n;pointer:0x10:u8:1:1:32:hl:1:16:"
    "RW:0:0\n"
    ";image:null:2D:WO:0:1:48\n;printf_fmt:0:2:4:4:14:a:b %d \"%s\";\\n;\n;function:1:1025\n;uavid:11\n"
    ";reflection:0:uint\n;reflection:1:float*\n;ARGEND:__OpenCL_judge_kernel\n";

Emitted emit(const std::string& name, std::string bytes) {
  Diagnostics diagnostics;
  Emitted out;
  out.name = name;
  const auto file = open(std::move(bytes), diagnostics);
  EXPECT_TRUE(file) << name;
  if (!file) return out;
  out.metadata = convert::to_metadata(file->program, diagnostics).metadata;
  EXPECT_FALSE(diagnostics.has_errors()) << name;
  out.yaml = hsa::to_yaml(out.metadata);
  // A VLIW program has no target; its note is judged inside a GCN file.
  const auto target = convert::choose_target(file->program, {});
  const auto elf =
      hsa::to_note_elf(out.metadata, target ? **target : *find_target("gfx600"), hsa::CodeObjectVersion::V3);
  EXPECT_TRUE(elf) << name;
  if (elf) out.elf = *elf;
  return out;
}

std::vector<Emitted> everything() {
  std::vector<Emitted> out{emit("own", std::string(kOwn))};
  if (!has_real_corpus()) return out;
  for (const RealFile& file : real_files("amd")) {
    if (!file.format.starts_with("amdcl1") && file.format != "amdil-text") continue;
    std::string bytes = read_real(file);
    const auto kind = identify(std::as_bytes(std::span(bytes)));
    if (kind == FileKind::Cl1Cpu) continue;
    out.push_back(emit(file.path, std::move(bytes)));
  }
  return out;
}

TEST(Judges, ReadelfPrintsADocumentByteEqualToOurs) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-readelf-19", "llvm-19");
  const TemporaryDirectory directory;
  for (const Emitted& emitted : everything()) {
    write_file(directory / "note.hsaco", emitted.elf);
    const auto printed = run("llvm-readelf-19 --notes '" + (directory / "note.hsaco").string() + "'");
    EXPECT_EQ(printed.output.find("Invalid AMDGPU Metadata"), std::string::npos) << emitted.name;
    EXPECT_EQ(printed.output.find("warning"), std::string::npos) << emitted.name << printed.output.substr(0, 300);
    const std::size_t begin = printed.output.find("---\n"), end = printed.output.rfind("...\n");
    ASSERT_NE(begin, std::string::npos) << emitted.name;
    ASSERT_NE(end, std::string::npos) << emitted.name;
    const std::string theirs = printed.output.substr(begin, end + 4 - begin);
    if (emitted.name == "own") {
      // Its format holds `;` and quotes, which we quote for the assembler: the same document in other letters.
      Diagnostics diagnostics;
      EXPECT_EQ(hsa::read_yaml(theirs, diagnostics), emitted.metadata);
    } else {
      EXPECT_EQ(theirs, emitted.yaml) << emitted.name;
    }
  }
}

TEST(Judges, LlvmMcAcceptsTheYamlAndAssemblesOurMessagePack) {
  AMDCOMPAT_NEEDS_PROGRAM("llvm-mc-16", "llvm-16");
  const TemporaryDirectory directory;
  for (const Emitted& emitted : everything()) {
    write_file(directory / "in.s", ".amdgcn_target \"amdgcn-amd-amdhsa--gfx600\"\n.amdgpu_metadata\n" + emitted.yaml +
                                       ".end_amdgpu_metadata\n");
    const auto assembled =
        run("llvm-mc-16 -triple=amdgcn-amd-amdhsa -mcpu=gfx600 --amdhsa-code-object-version=3 -filetype=obj '" +
            (directory / "in.s").string() + "' -o '" + (directory / "out.o").string() + "'");
    ASSERT_EQ(assembled.status, 0) << emitted.name << "\n" << assembled.output.substr(0, 2000);
    // The assembler parsed our YAML and wrote MessagePack of its own: read back, it is our document.
    Diagnostics diagnostics;
    const auto read = hsa::read_note_elf(read_file(directory / "out.o"), diagnostics);
    ASSERT_TRUE(read) << emitted.name;
    EXPECT_EQ(read->metadata, emitted.metadata) << emitted.name;
  }
}

#ifdef AMDCOMPAT_HAS_COMGR

TEST(Judges, ComgrListsTheSameKernelsAndArguments) {
  for (const Emitted& emitted : everything()) {
    const Comgr comgr(emitted.elf);
    ASSERT_TRUE(comgr.ok()) << emitted.name;
    std::vector<std::string> ours;
    for (const hsa::MetadataKernel& kernel : emitted.metadata.kernels) {
      std::string line = *kernel.name + "(";
      for (const hsa::MetadataArgument& argument : kernel.args)
        line += argument.name.value_or("") + "@" + std::to_string(*argument.offset) + "+" +
                std::to_string(*argument.size) + ":" + std::string(hsa::value_kind_info(*argument.value_kind).name) +
                " ";
      ours.push_back(line + ")");
    }
    EXPECT_EQ(comgr.kernels(), ours) << emitted.name;
  }
}

#else

// Stands in for the test above where it cannot be compiled, so that the count of skipped tests shows its absence.
TEST(Judges, ComgrListsTheSameKernelsAndArguments) {
  GTEST_SKIP() << "AMD's own reader cannot judge the output, because its headers were absent when this test was built; "
                  "install the Debian package libamd-comgr-dev and configure again";
}

#endif

TEST(Judges, EmittedNotesReadBackAsTheSameDocument) {
  for (const Emitted& emitted : everything()) {
    Diagnostics diagnostics;
    const auto read = hsa::read_note_elf(emitted.elf, diagnostics);
    ASSERT_TRUE(read) << emitted.name;
    EXPECT_EQ(read->metadata, emitted.metadata) << emitted.name;
    const auto yaml = hsa::read_yaml(emitted.yaml, diagnostics);
    ASSERT_TRUE(yaml) << emitted.name;
    EXPECT_EQ(*yaml, emitted.metadata) << emitted.name;
    EXPECT_TRUE(diagnostics.all().empty()) << emitted.name;
  }
}

}  // namespace
}  // namespace judges_test
