// Real V1, V2 and CL2 files as code objects of every version, before independent judges; and broken objects, each of
// which the checks must name.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/convert.hpp>
#include <amdcompat/in_place.hpp>
#include <amdcompat/open.hpp>

#include "cl2_samples.hpp"
#include "code_object_sample.hpp"
#include "comgr.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"
#include "support/wants_all.hpp"

namespace convert = amdcompat::convert;
namespace hsa = amdcompat::hsa;
using amdcompat::Code;
using amdcompat::Diagnostics;
using amdcompat::Severity;
using amdcompat_test::run;
using amdcompat_test::write_file;
using hsa::CodeObject;
using hsa::CodeObjectVersion;

namespace object_test {
namespace {

std::string messages(const Diagnostics& diagnostics) {
  std::string out;
  for (const auto& finding : diagnostics.all())
    if (finding.severity == Severity::Error)
      out += fmt::format("{} {} {}\n", amdcompat::code_label(finding.code), finding.path, finding.message);
  return out;
}

constexpr std::array kVersions{CodeObjectVersion::V3, CodeObjectVersion::V4, CodeObjectVersion::V5,
                               CodeObjectVersion::V6};

struct Converted {
  std::string name;  // a file name without a directory
  std::string path;
  CodeObjectVersion version{};
  CodeObject object;
  std::string elf;
};
struct Outcome {
  std::vector<Converted> converted;
  std::map<std::string, std::string> refused;  // path -> first error
};

// Every old file with code, in every version.
const Outcome& outcome() {
  static const Outcome all = [] {
    Outcome out;
    std::size_t number = 0;
    std::vector<amdcompat_test::RealFile> files = amdcompat_test::real_files("hsaco-v1");
    for (const char* prefix : {"hsaco-v2", "amdcl2"})
      for (const auto& file : amdcompat_test::real_files(prefix)) files.push_back(file);
    for (const auto& real : files) {
      Diagnostics opening;
      const auto file = amdcompat::open(amdcompat_test::read_real(real), opening);
      if (!file) {
        ADD_FAILURE() << real.path;
        continue;
      }
      ++number;
      for (const CodeObjectVersion version : kVersions) {
        Diagnostics diagnostics;
        const convert::ObjectOptions options{version, std::nullopt};
        const auto object = file->object() ? convert::to_version(*file->object(), diagnostics, options)
                                           : convert::to_code_object(file->program, diagnostics, options);
        if (!object) {
          const auto first = std::ranges::find(diagnostics.all(), Severity::Error, &amdcompat::Diagnostic::severity);
          out.refused[real.path] = first == diagnostics.all().end() ? "no reason" : amdcompat::code_label(first->code);
          continue;
        }
        EXPECT_FALSE(diagnostics.has_errors()) << real.path << "\n" << messages(diagnostics);
        Diagnostics findings;
        EXPECT_TRUE(hsa::check_code_object(*object, findings)) << real.path << "\n" << messages(findings);
        const auto elf = hsa::write_code_object(*object);
        if (!elf) {
          ADD_FAILURE() << real.path << " " << elf.error().message;
          continue;
        }
        // Read from the file's own words, not from the model that was written.
        Diagnostics reading, comparing;
        const auto again = hsa::read_code_object(*elf, reading);
        if (!again) {
          ADD_FAILURE() << real.path;
          continue;
        }
        EXPECT_TRUE(
            convert::compare(file->object() ? convert::load_view(*file->object()) : convert::load_view(file->program),
                             convert::load_view(*again), comparing))
            << real.path << "\n"
            << messages(comparing);
        out.converted.push_back(
            {fmt::format("{:03}-v{}.hsaco", number, static_cast<int>(version)), real.path, version, *again, *elf});
      }
    }
    return out;
  }();
  return all;
}

// OpenCL 1.x containers converted in place, as V3 and V5; files of the same code once.
const std::vector<Converted>& in_place() {
  static const std::vector<Converted> all = [] {
    std::vector<Converted> out;
    std::set<std::string> seen;
    for (const auto& real : amdcompat_test::real_files("amdcl1")) {
      Diagnostics diagnostics;
      const auto file = amdcompat::open(amdcompat_test::read_real(real), diagnostics);
      if (!file || !file->cl1() || file->cl1()->device == nullptr || amdcompat::is_vliw(file->cl1()->device->isa))
        continue;
      for (const CodeObjectVersion version : {CodeObjectVersion::V3, CodeObjectVersion::V5}) {
        Diagnostics converting;
        convert::InPlaceOptions options;
        options.version = version;
        const auto made = convert::to_in_place(file->program, converting, options);
        if (!made) continue;  // tests/emulate has the table of what is refused
        Diagnostics findings;
        EXPECT_TRUE(hsa::check_code_object(made->object, findings)) << real.path << "\n" << messages(findings);
        const auto elf = hsa::write_code_object(made->object);
        if (!elf || !seen.insert(*elf).second) {
          EXPECT_TRUE(elf) << real.path << " " << elf.error().message;
          continue;
        }
        Diagnostics reading, comparing;
        const auto again = hsa::read_code_object(*elf, reading);
        if (!again || reading.has_errors()) {
          ADD_FAILURE() << real.path << "\n" << messages(reading);
          continue;
        }
        EXPECT_TRUE(convert::compare(convert::load_view(made->object), convert::load_view(*again), comparing))
            << real.path << "\n"
            << messages(comparing);
        out.push_back({fmt::format("in-place-{:03}-v{}.hsaco", out.size(), static_cast<int>(version)), real.path,
                       version, *again, *elf});
      }
    }
    return out;
  }();
  return all;
}

// Everything that the judges see, ordered by file name.
const std::vector<Converted>& judged() {
  static const std::vector<Converted> all = [] {
    std::vector<Converted> out = outcome().converted;
    out.insert(out.end(), in_place().begin(), in_place().end());
    return out;
  }();
  return all;
}

// Of each file one version, by turns, for what starts programs for each; AMDCOMPAT_OBJECTS=all takes all.
const std::vector<const Converted*>& judged_by_turns() {
  static const std::vector<const Converted*> some = [] {
    const bool every = amdcompat_test::wants_all("AMDCOMPAT_OBJECTS");
    std::vector<const Converted*> out;
    std::size_t turn = 0;
    for (auto first = judged().begin(); first != judged().end(); ++turn) {
      const auto last =
          std::find_if(first, judged().end(), [&](const Converted& one) { return one.path != first->path; });
      const auto versions = static_cast<std::size_t>(last - first);
      for (std::size_t n = 0; n < versions; ++n)
        if (every || n == turn % versions) out.push_back(&first[static_cast<std::ptrdiff_t>(n)]);
      first = last;
    }
    return out;
  }();
  return some;
}

TEST(RealFiles, ConvertOrAreRefusedForAReasonThatIsKnown) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  // 29 of V1 and V2, 72 of CL2 of which 6 have 32-bit addresses and one has neither kernels nor a device.
  std::map<std::string, std::size_t> reasons;
  for (const auto& [path, reason] : outcome().refused) ++reasons[reason];
  const std::map<std::string, std::size_t> expected{{"AC4223", 6}, {"AC4011", 1}};
  EXPECT_EQ(reasons, expected);
  EXPECT_EQ(outcome().converted.size(), (29 + 72 - 7) * kVersions.size());
}

TEST(RealFiles, ReadCleanInReadelfWithTheSameDocument) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const amdcompat_test::TemporaryDirectory directory;
  for (const Converted& file : judged()) write_file(directory / file.name, file.elf);
  const auto structure =
      run(fmt::format("cd {} && llvm-readelf-19 -hSlrW --symbols --dyn-syms --dynamic-table --gnu-hash-table *.hsaco | "
                      "grep -iE 'warning|error|invalid'; true",
                      (directory / "").string()));
  EXPECT_EQ(structure.output, "");
  const auto notes = run(fmt::format("cd {} && llvm-readelf-19 --notes *.hsaco", (directory / "").string()));
  EXPECT_EQ(notes.output.find("Invalid AMDGPU Metadata"), std::string::npos);
  std::size_t at = 0;
  for (const Converted& file : judged()) {
    at = notes.output.find("File: " + file.name, at);
    ASSERT_NE(at, std::string::npos) << file.name;
    const std::size_t begin = notes.output.find("---\n", at), end = notes.output.find("\n...\n", at);
    ASSERT_TRUE(begin != std::string::npos && end != std::string::npos) << file.name;
    EXPECT_EQ(notes.output.substr(begin, end + 5 - begin), hsa::to_yaml(file.object.metadata)) << file.path;
  }
}

#ifdef AMDCOMPAT_HAS_COMGR
TEST(RealFiles, HaveTheSameKernelsAndArgumentsForComgr) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  for (const Converted& file : judged()) {
    const amdcompat_test::Comgr comgr(file.elf);
    ASSERT_TRUE(comgr.ok()) << file.path;
    std::vector<std::string> ours;
    for (const hsa::MetadataKernel& kernel : file.object.metadata.kernels) {
      std::string line = *kernel.name + "(";
      for (const hsa::MetadataArgument& argument : kernel.args)
        line += argument.name.value_or("") + "@" + std::to_string(*argument.offset) + "+" +
                std::to_string(*argument.size) + ":" + std::string(hsa::spelling(*argument.value_kind)) + " ";
      ours.push_back(line + ")");
    }
    EXPECT_EQ(comgr.kernels(), ours) << file.path;
  }
}
#endif

// gfx6 and gfx7 have no disassembler in LLVM 19. [LLVM]
TEST(RealFiles, DisassembleWhereLlvmCan) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const amdcompat_test::TemporaryDirectory directory;
  std::size_t files = 0;
  for (const Converted* const one : judged_by_turns()) {
    const Converted& file = *one;
    if (file.object.target->generation < amdcompat::Generation::Gfx8) continue;
    write_file(directory / file.name, file.elf);
    std::string symbols;
    for (const hsa::CodeKernel& kernel : file.object.kernels) symbols += (symbols.empty() ? "" : ",") + kernel.name;
    if (symbols.empty()) continue;
    const auto result = run(fmt::format("llvm-objdump-19 -d --mcpu={} '--disassemble-symbols={}' {}",
                                        file.object.target->name, symbols, (directory / file.name).string()));
    for (const hsa::CodeKernel& kernel : file.object.kernels)
      EXPECT_NE(result.output.find("<" + kernel.name + ">:"), std::string::npos) << file.path;
    EXPECT_EQ(result.output.find("warning"), std::string::npos) << file.path;
    const bool ends = result.output.find("s_endpgm") != std::string::npos;
    EXPECT_TRUE(ends) << file.path << "\n" << result.output.substr(0, 500);
    ++files;
  }
  EXPECT_GT(files, 20u);
}

// What assembler and linker make of our assembly is the same object, in the model and in the descriptor's bytes.
TEST(RealFiles, AssembleAndLinkToTheSameObject) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  const amdcompat_test::TemporaryDirectory directory;
  std::size_t linked = 0;
  std::set<std::string> refusals;
  for (const Converted* const one : judged_by_turns()) {
    const Converted& file = *one;
    if (file.object.kernels.empty()) continue;
    const auto assembly = hsa::to_assembly(file.object);
    if (!assembly) {
      refusals.insert(assembly.error().message.substr(0, 40));
      continue;
    }
    SCOPED_TRACE(file.path);
    write_file(directory / "k.s", *assembly);
    // Flags that the target line alone does not set.
    std::string features;
    const auto feature = [&](bool has, hsa::FeatureSetting setting, std::string_view name) {
      if (has && setting != hsa::FeatureSetting::Any)
        features += fmt::format("{}{}{}", features.empty() ? " -mattr=" : ",",
                                setting == hsa::FeatureSetting::On ? "+" : "-", name);
    };
    feature(file.object.target->xnack, file.object.features.xnack, "xnack");
    feature(file.object.target->sramecc, file.object.features.sramecc, "sramecc");
    const bool v3 = file.version == CodeObjectVersion::V3;
    const auto result = run(fmt::format(
        "cd {} && {} -triple=amdgcn-amd-amdhsa -mcpu={}{} --amdhsa-code-object-version={} -filetype=obj k.s -o k.o && "
        "ld.lld-19 -shared k.o -o k.hsaco",
        (directory / "").string(), v3 ? "llvm-mc-16" : "llvm-mc-19", file.object.target->name, features,
        static_cast<int>(file.version)));
    ASSERT_EQ(result.status, 0) << result.output.substr(0, 1000);
    Diagnostics diagnostics;
    const auto theirs = hsa::read_code_object(amdcompat_test::read_file(directory / "k.hsaco"), diagnostics);
    ASSERT_TRUE(theirs) << messages(diagnostics);
    EXPECT_EQ(theirs->metadata, file.object.metadata);
    EXPECT_EQ(theirs->version, file.object.version);
    ASSERT_EQ(theirs->kernels.size(), file.object.kernels.size());
    for (std::size_t i = 0; i < theirs->kernels.size(); ++i) {
      hsa::KernelDescriptor a = *theirs->kernels[i].descriptor, b = *file.object.kernels[i].descriptor;
      a.entry_offset = b.entry_offset = 0;
      EXPECT_EQ(hsa::write_descriptor(a), hsa::write_descriptor(b)) << file.object.kernels[i].name;
    }
    Diagnostics comparing;
    const auto ours_view = convert::load_view(file.object), their_view = convert::load_view(*theirs);
    for (std::size_t i = 0; i < ours_view.kernels.size(); ++i)
      EXPECT_TRUE(std::ranges::equal(ours_view.kernels[i].code, their_view.kernels[i].code));
    ++linked;
  }
  EXPECT_GT(linked, 100u);
  EXPECT_LE(refusals.size(), 4u) << *refusals.begin();
}

// --- broken objects -----------------------------------------------------------------------------------------------

struct Break {
  const char* what;
  std::function<void(CodeObject&)> damage;
  const char* path;  // what the finding's path begins with
};

const std::vector<Break>& breaks() {
  using O = CodeObject;
  static const std::vector<Break> all{
      {"a kernel that is gone", [](O& o) { o.kernels.clear(); }, "kernels[0].name"},
      {"another kernel name", [](O& o) { o.kernels[0].name = "j"; }, "kernels[0].name"},
      {"one kernel too many",
       [](O& o) {
         o.kernels.push_back(o.kernels[0]);
         o.kernels[1].name = "j";
       },
       "kernels"},
      {"no code", [](O& o) { o.kernels[0].code.size = 0; }, "kernels[0].code"},
      {"less code", [](O& o) { o.kernels[0].code.size = 4; }, "kernels[0].code"},
      {"a changed instruction", [](O& o) { o.code.sections[0].bytes[5] = std::byte{1}; }, "kernels[0].code"},
      {"an entry off its place", [](O& o) { o.kernels[0].code.offset = 4; }, "kernels[0].code"},
      {"code that is not executable", [](O& o) { o.code.sections[0].executable = false; }, "kernels[0].code"},
      {"less LDS", [](O& o) { o.kernels[0].descriptor->group_segment_fixed_size = 64; }, "kernels[0].descriptor.group"},
      {"more LDS, everywhere",
       [](O& o) {
         o.kernels[0].descriptor->group_segment_fixed_size = 256;
         o.metadata.kernels[0].group_segment_fixed_size = 256;
       },
       "kernels[0].group_segment_fixed_size"},
      {"less scratch", [](O& o) { o.kernels[0].descriptor->private_segment_fixed_size = 0; },
       "kernels[0].descriptor.priv"},
      {"scratch off", [](O& o) { o.kernels[0].descriptor->rsrc2 &= ~1u; }, "kernels[0].descriptor.compute_pgm_rsrc2"},
      {"a kernarg size", [](O& o) { o.kernels[0].descriptor->kernarg_size = 8; }, "kernels[0].descriptor.kernarg_size"},
      {"fewer registers", [](O& o) { o.kernels[0].descriptor->rsrc1 &= ~63u; },
       "kernels[0].descriptor.compute_pgm_rsrc1"},
      {"another float mode", [](O& o) { o.kernels[0].descriptor->rsrc1 ^= 1u << 12; }, "kernels[0].compute_pgm_rsrc1"},
      {"no IEEE mode", [](O& o) { o.kernels[0].descriptor->rsrc1 ^= 1u << 23; }, "kernels[0].compute_pgm_rsrc1"},
      {"another user register count", [](O& o) { o.kernels[0].descriptor->rsrc2 += 2; },
       "kernels[0].compute_pgm_rsrc2"},
      {"no work-group id", [](O& o) { o.kernels[0].descriptor->rsrc2 &= ~(1u << 7); }, "kernels[0].compute_pgm_rsrc2"},
      {"a trap handler bit", [](O& o) { o.kernels[0].descriptor->rsrc2 |= 1u << 6; },
       "kernels[0].descriptor.compute_pgm_rsrc2"},
      {"an LDS granule", [](O& o) { o.kernels[0].descriptor->rsrc2 |= 1u << 15; },
       "kernels[0].descriptor.compute_pgm_rsrc2"},
      {"rsrc3 on gfx9", [](O& o) { o.kernels[0].descriptor->rsrc3 = 1; }, "kernels[0].descriptor.compute_pgm_rsrc3"},
      {"no kernarg pointer", [](O& o) { o.kernels[0].descriptor->properties &= 0xfff7; },
       "kernels[0].kernel_code_properties"},
      {"a dispatch pointer", [](O& o) { o.kernels[0].descriptor->properties |= 2; }, "kernels[0]."},
      {"wavefronts of 32", [](O& o) { o.kernels[0].descriptor->properties |= 1u << 10; },
       "kernels[0].descriptor.kernel_code_properties"},
      {"preloading on gfx906", [](O& o) { o.kernels[0].descriptor->preload = 1; },
       "kernels[0].descriptor.kernarg_preload"},
      {"reserved bytes", [](O& o) { o.kernels[0].descriptor->reserved1[3] = std::byte{1}; }, "kernels[0].descriptor"},
      {"a metadata wavefront", [](O& o) { o.metadata.kernels[0].wavefront_size = 32; },
       "kernels[0].descriptor.kernel_code_properties"},
      {"no argument list",
       [](O& o) {
         o.metadata.kernels[0].args.clear();
         o.metadata.kernels[0].args_absent = true;
       },
       "kernels[0].args"},
      {"an argument less", [](O& o) { o.metadata.kernels[0].args.pop_back(); }, "kernels[0].args"},
      {"two arguments swapped", [](O& o) { std::swap(o.metadata.kernels[0].args[0], o.metadata.kernels[0].args[2]); },
       "kernels[0].args[0].offset"},
      {"another offset", [](O& o) { o.metadata.kernels[0].args[1].offset = 12; }, "kernels[0].args[1].offset"},
      {"overlapping arguments", [](O& o) { o.metadata.kernels[0].args[1].offset = 4; },
       "amdhsa.kernels[0].args[1].offset"},
      {"an argument past the segment", [](O& o) { o.metadata.kernels[0].args[2].offset = 24; },
       "amdhsa.kernels[0].args[2].offset"},
      {"another size", [](O& o) { o.metadata.kernels[0].args[1].size = 8; }, "kernels[0].args[1].size"},
      {"another kind", [](O& o) { o.metadata.kernels[0].args[0].value_kind = hsa::ValueKind::Image; },
       "kernels[0].args[0].value_kind"},
      {"another name", [](O& o) { o.metadata.kernels[0].args[0].name = "x"; }, "kernels[0].args[0].name"},
      {"another type", [](O& o) { o.metadata.kernels[0].args[0].type_name = "x"; }, "kernels[0].args[0].type_name"},
      {"a required group size", [](O& o) { o.metadata.kernels[0].reqd_workgroup_size = {{64, 1, 1}}; },
       "kernels[0].reqd_workgroup_size"},
      {"another symbol", [](O& o) { o.metadata.kernels[0].symbol = "j.kd"; }, "kernels[0].name"},
      {"another target in the metadata", [](O& o) { o.metadata.target = "amdgcn-amd-amdhsa--gfx906"; },
       "amdhsa.target"},
      {"another version", [](O& o) { o.metadata.version = {1, 0}; }, "amdhsa.version"},
      {"changed data", [](O& o) { o.code.sections[1].bytes[20] = std::byte{9}; }, "sections[1]"},
      {"data that is gone",
       [](O& o) {
         o.code.sections.pop_back();
         o.code.relocations.clear();
         o.code.symbols.clear();
       },
       "sections[1]"},
      {"data that moved", [](O& o) { o.code.sections[1].address += 4096; }, "sections"},
      {"data that is read-only", [](O& o) { o.code.sections[1].writable = false; }, "sections[1]"},
      {"a relocation that is gone", [](O& o) { o.code.relocations.clear(); }, "relocations"},
      {"a relocation to elsewhere", [](O& o) { o.code.relocations[0].addend = 4; }, "relocations"},
      {"overlapping sections", [](O& o) { o.code.sections[1].address = 0; }, "sections[1]"},
      {"printf strings", [](O& o) { o.metadata.printf = {"1:0:bye"}; }, "amdhsa.printf"},
  };
  return all;
}

TEST(BrokenObjects, AreFoundWithThePathOfTheDamage) {
  const CodeObject good = corpus::code_object_sample();
  Diagnostics clean;
  EXPECT_TRUE(hsa::check_code_object(good, clean)) << messages(clean);
  EXPECT_TRUE(convert::compare(convert::load_view(good), convert::load_view(good), clean)) << messages(clean);
  ASSERT_TRUE(hsa::write_code_object(good)) << hsa::write_code_object(good).error().message;
  EXPECT_GE(breaks().size(), 40u);
  for (const Break& broken : breaks()) {
    SCOPED_TRACE(broken.what);
    CodeObject bad = good;
    broken.damage(bad);
    Diagnostics findings(amdcompat::Mode::Strict);
    const bool checked = hsa::check_code_object(bad, findings);
    const bool compared = convert::compare(convert::load_view(good), convert::load_view(bad), findings);
    EXPECT_FALSE(checked && compared);
    const bool named = std::ranges::any_of(findings.all(), [&](const amdcompat::Diagnostic& finding) {
      return finding.severity == Severity::Error && finding.path.starts_with(broken.path);
    });
    EXPECT_TRUE(named) << "expected " << broken.path << " among\n" << messages(findings);
  }
}

// --- samplers of the source ---------------------------------------------------------------------------------------

// A loader's numbers of addressing modes are not those of sampler words. [amd_hsa_elf.h; RT sampler.hpp]
TEST(Samplers, OfTheSourceKeepTheirModes) {
  constexpr std::uint32_t kNone = 0, kRepeat = 1, kEdge = 2, kBorder = 3, kMirror = 4;  // of words
  constexpr std::uint32_t kModes[] = {kNone, kEdge, kBorder, kRepeat, kMirror};  // by the loader's number
  std::size_t converted = 0;
  for (corpus::Cl2Sample& sample : corpus::cl2_samples()) {
    sample.spec.readonly_data.assign(64, std::byte{});
    sample.spec.samplers.clear();
    for (std::uint8_t mode = 0; mode < std::size(kModes); ++mode)
      sample.spec.samplers.push_back({amdcompat::cl2::SamplerInit{.normalized = 1,
                                                                  .filter = static_cast<std::uint8_t>(mode % 2),
                                                                  .addressing = mode},
                                      8u * mode});
    Diagnostics diagnostics;
    const auto bytes = amdcompat::cl2::build(sample.spec);
    if (!bytes) continue;  // one without sections of data
    const auto file = amdcompat::open(*bytes, diagnostics);
    if (!file || file->program.samplers.size() != std::size(kModes)) continue;
    const auto object = convert::to_code_object(file->program, diagnostics);
    if (!object) continue;
    ++converted;
    SCOPED_TRACE(sample.name);
    const auto section = std::ranges::find(object->code.sections, ".rodata.samplers", &amdcompat::CodeSection::name);
    ASSERT_NE(section, object->code.sections.end());
    for (std::uint32_t mode = 0; mode < std::size(kModes); ++mode) {
      const auto wanted = amdcompat::abi::sampler_object(1 | kModes[mode] << 1 | (mode % 2 + 1) << 4);
      EXPECT_TRUE(std::ranges::equal(std::span(section->bytes).subspan(32 * mode, 32), wanted)) << "mode " << mode;
    }
  }
  EXPECT_GT(converted, 0u);
}

// --- versions -----------------------------------------------------------------------------------------------------

TEST(Versions, ConvertForthAndBackWhereExpressible) {
  const CodeObject v5 = corpus::code_object_sample();
  for (const CodeObjectVersion version : kVersions) {
    Diagnostics diagnostics;
    const auto there = convert::to_version(v5, diagnostics, {version, std::nullopt});
    ASSERT_TRUE(there) << messages(diagnostics);
    EXPECT_EQ(there->metadata.version, hsa::version_info(version).metadata);
    EXPECT_EQ(there->metadata.target.has_value(), version >= CodeObjectVersion::V4);
    const auto back = convert::to_version(*there, diagnostics, {CodeObjectVersion::V5, std::nullopt});
    ASSERT_TRUE(back) << messages(diagnostics);
    Diagnostics comparing;
    EXPECT_TRUE(convert::compare(convert::load_view(v5), convert::load_view(*back), comparing)) << messages(comparing);
    EXPECT_EQ(back->kernels, v5.kernels);
    EXPECT_EQ(back->metadata.kernels, v5.metadata.kernels);
  }
}

TEST(Versions, RefuseWhatTheyCannotSay) {
  CodeObject object = corpus::code_object_sample();
  object.metadata.kernels[0].args[2].value_kind = hsa::ValueKind::HiddenQueuePtr;
  Diagnostics kinds;
  EXPECT_FALSE(convert::to_version(object, kinds, {CodeObjectVersion::V4, std::nullopt}));
  EXPECT_TRUE(kinds.contains(Code::ConversionRefused));

  object = corpus::code_object_sample();
  object.metadata.kernels[0].uses_dynamic_stack = true;
  object.kernels[0].descriptor->properties |= hsa::kPropertyDynamicStack;
  Diagnostics stack;
  const auto older = convert::to_version(object, stack, {CodeObjectVersion::V4, std::nullopt});
  ASSERT_TRUE(older);
  EXPECT_TRUE(stack.contains(Code::KeyDropped));
  EXPECT_FALSE(older->metadata.kernels[0].uses_dynamic_stack);
  EXPECT_EQ(older->kernels[0].descriptor->properties & hsa::kPropertyDynamicStack, 0);

  Diagnostics target;
  EXPECT_FALSE(convert::to_version(corpus::code_object_sample(), target, {std::nullopt, hsa::parse_target("gfx803")}));
  EXPECT_TRUE(target.contains(Code::TargetDiffers));
  Diagnostics feature;
  EXPECT_FALSE(
      convert::to_version(corpus::code_object_sample(), feature, {std::nullopt, hsa::parse_target("gfx906:xnack+")}));
  EXPECT_TRUE(feature.contains(Code::ConversionRefused));
  Diagnostics generic;
  EXPECT_FALSE(convert::to_version(corpus::code_object_sample(), generic,
                                   {CodeObjectVersion::V5, hsa::parse_target("gfx9-generic")}));
  EXPECT_TRUE(generic.contains(Code::HsaFeatureRefused));
  EXPECT_FALSE(hsa::parse_target("gfx906:xnack"));
  EXPECT_FALSE(hsa::parse_target("gfx906:speed+"));
  EXPECT_FALSE(hsa::parse_target(""));
}

}  // namespace
}  // namespace object_test
