// Conversion in place of every machine code of the real files, and its proof.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/gcn_checks.hpp>
#include <amdcompat/in_place.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/prove.hpp>

#include "support/real_corpus.hpp"

namespace amdcompat::in_place_test {
namespace {

using namespace amdcompat_test;

TEST(InPlace, TheMachineCodesOfTheRealFilesAreConvertedAndProved) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  std::set<std::string> seen;
  std::size_t plain = 0, converted = 0, proved = 0, codes = 0, fewer = 0, wrong = 0;
  std::string table;
  for (const RealFile& real : real_files("amdcl1")) {
    Diagnostics diagnostics;
    const auto file = open(read_real(real), diagnostics);
    if (!file || !file->cl1() || file->cl1()->device == nullptr || is_vliw(file->cl1()->device->isa)) continue;
    for (const Diagnostic& d : diagnostics.all())
      EXPECT_TRUE(d.code != Code::CalProgramInfoDiffers && d.code != Code::CalBuffersDiffer &&
                  d.code != Code::CalSamplersDiffer)
          << real.path << " " << d.message;
    for (const Kernel& kernel : file->program.kernels) {
      const auto code = kernel_code(file->program, kernel);
      if (code.empty()) continue;
      std::string key(reinterpret_cast<const char*>(code.data()), code.size());
      if (!seen.insert(key).second) continue;
      ++codes;
      const bool simple = !kernel.uses_images &&
                          std::get<cl1::CalState>(kernel.entry).info.scratch_dwords.value_or(0) == 0 &&
                          std::ranges::none_of(kernel.arguments,
                                               [](const Argument& a) { return std::holds_alternative<Image>(a.kind); });
      plain += simple;
      Diagnostics findings;
      Program one = file->program;
      one.kernels = {kernel};
      const auto object = convert::to_in_place(one, findings);
      std::string line = fmt::format("{} {}: ", real.path, kernel.name);
      if (!object) {
        for (const Diagnostic& d : findings.all())
          if (d.severity == Severity::Error) line += code_label(d.code) + " " + d.message;
        EXPECT_TRUE(findings.has_errors()) << line;
      } else {
        EXPECT_FALSE(findings.has_errors()) << line;
        converted += simple;
        const auto written = hsa::write_code_object(object->object);
        EXPECT_TRUE(written) << written.error().message;
        // Old code keeps its distances; the prologue in front of it does, and so does what they meet at.
        const CodePlace& place = object->object.kernels[0].code;
        const std::span<const std::byte> all = object->object.code.sections[place.section].bytes;
        const auto generation = object->object.target->generation;
        for (const gcn::Hazard& h : gcn::hazards(all.subspan(place.offset, place.size), 0, *generation))
          ADD_FAILURE() << line << h.rule->name << " at " << h.first << " and " << h.second;
        const emulate::Proof proof = emulate::prove_in_place(one, *object, 0);
        EXPECT_NE(proof.verdict, emulate::Verdict::Differs) << line << proof.reason;
        // With no more registers than program information names, VCC lies on top of some of them.
        convert::InPlaceObject small = *object;
        std::uint32_t& rsrc1 = small.object.kernels[0].descriptor->rsrc1;
        const std::uint32_t named = *std::get<cl1::CalState>(kernel.entry).info.sgprs;
        const std::uint32_t before = rsrc1;
        rsrc1 = (rsrc1 & ~(15u << 6)) | ((std::max(named, 16u) + 7) / 8 - 1) << 6;
        fewer += rsrc1 != before;
        if (rsrc1 != before)
          wrong += emulate::prove_in_place(one, small, 0, {.launches = 1}).verdict == emulate::Verdict::Differs;
        proved += proof.verdict == emulate::Verdict::Proved;
        line += fmt::format("{}, {} launches, {} of {} instructions {}", verdict_name(proof.verdict), proof.compared,
                            proof.coverage.reached, proof.coverage.instructions, proof.reason);
      }
      table += line + "\n";
    }
  }
  table += fmt::format("{} codes, {} without images and scratch, {} of them converted, {} proved\n", codes, plain,
                       converted, proved);
  table += fmt::format("{} of them are given more scalar registers than CAL counts, {} of these differ without\n",
                       fewer, wrong);
  RecordProperty("fewer", static_cast<int>(fewer));
  RecordProperty("wrong", static_cast<int>(wrong));
  EXPECT_GE(wrong, 10u) << table;
  EXPECT_GE(codes, 141u);
  EXPECT_GE(converted * 10, plain * 9) << table;
  EXPECT_GE(proved * 10, converted * 9) << table;
  // What docs/in-place.md says is this.
  const std::string said =
      fmt::format("{} distinct GCN machine codes of the real containers: {} use neither images nor "
                  "scratch memory, {} of these are converted, and {} of the converted are proved",
                  codes, plain, converted, proved);
  std::string page = read_file(std::filesystem::path(AMDCOMPAT_SOURCE_DIR) / "docs/in-place.md");
  std::ranges::replace(page, '\n', ' ');
  EXPECT_NE(page.find(said), std::string::npos) << said;
  RecordProperty("codes", static_cast<int>(codes));
  RecordProperty("table", table);
}

// What `--execute` says of the kernels of CL2 containers and of code objects of V1 and V2, before and after conversion.
TEST(Conversion, KernelsOfRealCl2FilesAndOldCodeObjectsDoTheSameAfterwards) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  // Kernels by what came out, of each format and generation.
  std::map<std::string, std::array<std::size_t, 4>> counts;
  std::string table;
  for (const char* format : {"amdcl2", "hsaco-v1", "hsaco-v2"})
    for (const RealFile& real : real_files(format)) {
      Diagnostics diagnostics;
      const auto file = open(read_real(real), diagnostics);
      if (!file) continue;
      const auto object = file->object() ? convert::to_version(*file->object(), diagnostics)
                                         : convert::to_code_object(file->program, diagnostics);
      if (!object) continue;  // 32-bit addresses, no kernels
      // What counts is the file, not the model.
      const auto bytes = hsa::write_code_object(*object);
      ASSERT_TRUE(bytes) << real.path << " " << bytes.error().message;
      const auto again = hsa::read_code_object(*bytes, diagnostics);
      ASSERT_TRUE(again) << real.path;
      const auto gfx = emulate::runnable(*again->target);
      const std::string key = fmt::format("{}, {}", file->object() ? "code objects V1, V2" : "CL2",
                                          gfx ? gcn::generation_name(*gfx) : "later");
      for (std::size_t n = 0; n < file->program.kernels.size(); ++n) {
        const Kernel& kernel = file->program.kernels[n];
        if (std::ranges::none_of(again->metadata.kernels, [&](const auto& k) { return k.name == kernel.name; }))
          continue;
        const emulate::Proof proof = emulate::prove_object(file->program, n, *again);
        ++counts[key][static_cast<std::size_t>(proof.verdict)];
        table += fmt::format("{} {}: {}, {} launches, {} of {} instructions {}\n", real.path, kernel.name,
                             verdict_name(proof.verdict), proof.compared, proof.coverage.reached,
                             proof.coverage.instructions, proof.reason);
      }
    }
  std::string sums;
  for (const auto& [key, count] : counts) {
    sums += fmt::format("{}: {} proved, {} unproved, {} not executable, {} differ\n", key, count[0], count[1], count[2],
                        count[3]);
    EXPECT_EQ(count[static_cast<std::size_t>(emulate::Verdict::Differs)], 0u) << table;
  }
  std::string page = read_file(std::filesystem::path(AMDCOMPAT_SOURCE_DIR) / "docs/code-objects.md");
  for (const auto& [key, count] : counts) {
    const std::string row = fmt::format("| {} | {} | {} | {} |", key, count[0], count[1], count[2]);
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
  RecordProperty("table", table + sums);
  EXPECT_GE(counts["CL2, gfx7"][0], 60u) << sums;
  EXPECT_GE(counts["code objects V1, V2, gfx8"][0], 25u) << sums;
}

// Every word of the prologue matters: with any of its instructions gone, the proof fails.
TEST(InPlace, APrologueWithoutOneOfItsInstructionsIsNotProved) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  Diagnostics diagnostics;
  std::size_t tried = 0;
  for (const char* path : {"CLRX+CLRX-mirror/tests/amdbin/amdbins/prginfo1_14_12.clo.1_0.reconf",
                           "CLRX+CLRX-mirror/tests/amdbin/amdbins/prginfo1_14_12_64.clo.1_0.reconf",
                           "CLRX+CLRX-mirror/tests/amdbin/amdbins/prginfo1_12_10.clo.1_0.reconf"}) {
    const auto file = open(read_file(real_root() / "corpus" / path), diagnostics);
    ASSERT_TRUE(file);
    auto object = convert::to_in_place(file->program, diagnostics);
    ASSERT_TRUE(object);
    ASSERT_EQ(emulate::prove_in_place(file->program, *object, 0).verdict, emulate::Verdict::Proved);
    const std::uint64_t begin = object->object.kernels[0].code.offset;
    auto& bytes = object->object.code.sections[0].bytes;
    for (std::uint32_t at = 0; at < object->kernels[0].prologue_bytes;) {
      const auto instruction = gcn::decode(bytes, static_cast<std::uint32_t>(begin + at), gcn::Generation::Gfx6);
      ASSERT_NE(instruction.row, nullptr);
      const std::uint32_t size = instruction.dwords * 4u;
      // Loads are in order here, so a missing wait does not show; the others do.
      if (instruction.opcode != gcn::Opcode::s_nop && instruction.opcode != gcn::Opcode::s_waitcnt) {
        const std::vector<std::byte> kept(bytes.begin() + begin + at, bytes.begin() + begin + at + size);
        for (std::uint32_t n = 0; n < size; n += 4) {  // s_nop
          constexpr std::array kNop{std::byte{0}, std::byte{0}, std::byte{0x80}, std::byte{0xbf}};
          std::ranges::copy(kNop, bytes.begin() + begin + at + n);
        }
        const emulate::Proof proof = emulate::prove_in_place(file->program, *object, 0);
        EXPECT_EQ(proof.verdict, emulate::Verdict::Differs) << gcn::disassemble(instruction, gcn::Generation::Gfx6);
        std::ranges::copy(kept, bytes.begin() + begin + at);
        ++tried;
      }
      at += size;
    }
  }
  EXPECT_GT(tried, 25u);
}

}  // namespace
}  // namespace amdcompat::in_place_test
