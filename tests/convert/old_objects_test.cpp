// V1 and V2 objects built here, as compilers and hand-written assembly left them, and what becomes of them: before
// LLVM's assembler for RDNA, before a small model of the loader where metadata and kernel code disagree, and damaged.
#include <algorithm>
#include <bit>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

#include "code_object_v2_builder.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace hsa = amdcompat::hsa;
namespace pipeline = amdcompat::pipeline;
using amdcompat::Code;
using amdcompat::Diagnostics;
using amdcompat::KernelCode;
using amdcompat::Mode;
using amdcompat::Severity;
using hsa::CodeObjectVersion;
using hsa::KernelDescriptor;

namespace old_objects_test {
namespace {

constexpr std::array kVersions{CodeObjectVersion::V3, CodeObjectVersion::V4, CodeObjectVersion::V5,
                               CodeObjectVersion::V6};

std::string messages(const Diagnostics& diagnostics) {
  std::string out;
  for (const auto& finding : diagnostics.all())
    out += fmt::format("{} {} {}: {}\n", amdcompat::severity_name(finding.severity),
                       amdcompat::code_label(finding.code), finding.path, amdcompat::sentence(finding));
  return out;
}

std::size_t count(const Diagnostics& diagnostics, Code code) {
  return static_cast<std::size_t>(std::ranges::count(diagnostics.all(), code, &amdcompat::Diagnostic::code));
}

// Read, converted, checked, written, read again and compared.
pipeline::Conversion converted(const std::string& bytes, Diagnostics& diagnostics,
                               std::optional<CodeObjectVersion> version = CodeObjectVersion::V5) {
  const auto file = amdcompat::open(bytes, diagnostics);
  if (!file) return {};
  pipeline::Request request;
  request.layout = pipeline::Layout::InPlace;
  request.object.version = version;
  return pipeline::convert(*file, request, diagnostics);
}

hsa::V2Object object_for(std::string_view target, std::string metadata, KernelCode setup) {
  hsa::V2Object out;
  out.isa_name = fmt::format("amdgcn-amd-amdhsa--{}", target);
  out.metadata = std::move(metadata);
  out.kernels.push_back({.name = "k", .setup = setup});
  return out;
}

// --- RDNA ---------------------------------------------------------------------------------------------------------

KernelCode rdna_setup(bool gfx11, bool wave32) {
  KernelCode setup;
  setup.version = {1, 2};
  setup.machine_version = {10, 1, 0};
  const std::uint32_t granules = wave32 ? 2 : 5;  // 21 registers in granules of 8 or 4
  setup.rsrc1 = granules | 1u << 6 | 15u << 16 | 1u << 21 | 1u << 23 | 1u << 29 | 1u << 30;
  setup.user_registers = amdcompat::kSgprKernargPtr;
  std::uint32_t user = 2;
  if (!gfx11) {  // whose flat scratch needs no descriptor of it
    setup.user_registers |= amdcompat::kSgprPrivateBuffer;
    user = 6;
  }
  setup.rsrc2 = 1 | user << 1 | 3u << 7 | 1u << 11;
  if (wave32) setup.user_registers |= 1u << 10;
  setup.wavefront = wave32 ? 5 : 6;
  setup.features = 0xa;
  setup.kernarg_bytes = 80;
  setup.group_bytes = 128;
  setup.private_bytes = 16;
  setup.sgprs = 14;
  setup.vgprs = 21;
  return setup;
}

std::string rdna_metadata(bool wave32) {
  std::string out = fmt::format(
      "---\nVersion: [ 1, 0 ]\nKernels:\n  - Name: k\n    SymbolName: 'k@kd'\n    Language: OpenCL C\n"
      "    LanguageVersion: [ 1, 2 ]\n    Args:\n"
      "      - {{ Name: x, TypeName: int, Size: 4, Align: 4, ValueKind: ByValue, AccQual: Default }}\n"
      "      - {{ Name: p, Size: 8, Align: 8, ValueKind: GlobalBuffer, AddrSpaceQual: Global, AccQual: Default }}\n"
      "      - {{ Name: y, Size: 4, Align: 4, ValueKind: ByValue }}\n");
  for (const char* const kind : {"HiddenGlobalOffsetX", "HiddenGlobalOffsetY", "HiddenGlobalOffsetZ", "HiddenNone",
                                 "HiddenNone", "HiddenNone", "HiddenMultiGridSyncArg"})
    out += fmt::format("      - {{ Size: 8, Align: 8, ValueKind: {} }}\n", kind);
  return out + fmt::format("    CodeProps: {{ KernargSegmentSize: 80, GroupSegmentFixedSize: 128, "
                           "PrivateSegmentFixedSize: 16, KernargSegmentAlign: 8, WavefrontSize: {}, NumSGPRs: 14, "
                           "NumVGPRs: 21, MaxFlatWorkGroupSize: 256 }}\n...\n",
                           wave32 ? 32 : 64);
}

KernelDescriptor assembled(const std::string& processor, bool gfx11, bool wave32) {
  const amdcompat_test::TemporaryDirectory directory;
  const std::string body = fmt::format(
      " .amdhsa_next_free_vgpr 21\n .amdhsa_next_free_sgpr 14\n .amdhsa_wavefront_size32 {}\n"
      " .amdhsa_user_sgpr_kernarg_segment_ptr 1\n{}"
      " .amdhsa_kernarg_size 80\n .amdhsa_group_segment_fixed_size 128\n .amdhsa_private_segment_fixed_size 16\n"
      " .amdhsa_system_sgpr_workgroup_id_y 1\n .amdhsa_system_vgpr_workitem_id 1\n .amdhsa_float_denorm_mode_32 3\n"
      " .amdhsa_workgroup_processor_mode 1\n .amdhsa_memory_ordered 1\n .amdhsa_forward_progress 0\n",
      wave32 ? 1 : 0,
      gfx11 ? " .amdhsa_enable_private_segment 1\n"
            : " .amdhsa_user_sgpr_private_segment_buffer 1\n .amdhsa_system_sgpr_private_segment_wavefront_offset 1\n");
  amdcompat_test::write_file(directory / "k.s",
                             fmt::format(".text\n.p2align 8\nk:\n s_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k\n{}"
                                         ".end_amdhsa_kernel\n",
                                         body));
  const auto result = amdcompat_test::run(
      fmt::format("cd {} && llvm-mc-19 -triple amdgcn-amd-amdhsa -mcpu={} -filetype=obj k.s -o k.o && llvm-objcopy-19 "
                  "-O binary -j .rodata k.o k.bin",
                  (directory / "").string(), processor));
  EXPECT_EQ(result.status, 0) << result.output;
  const std::string bytes = amdcompat_test::read_file(directory / "k.bin");
  if (bytes.size() != hsa::kDescriptorBytes) {
    ADD_FAILURE() << bytes.size();
    return {};
  }
  return hsa::read_descriptor(std::as_bytes(std::span(bytes)).first<hsa::kDescriptorBytes>());
}

class Rdna : public testing::TestWithParam<std::tuple<const char*, bool>> {};

TEST_P(Rdna, KernelsOfV2GetTheDescriptorThatTheAssemblerWrites) {
  const auto& [processor, wave32] = GetParam();
  const bool gfx11 = std::string_view(processor) == "gfx1100";
  KernelDescriptor expected = assembled(processor, gfx11, wave32);
  expected.entry_offset = 0;
  for (const bool apart : {false, true})
    for (const CodeObjectVersion version : kVersions) {
      hsa::V2Object object = object_for(processor, rdna_metadata(wave32), rdna_setup(gfx11, wave32));
      object.kernels[0].symbols_apart = apart;
      Diagnostics findings;
      const auto out = converted(hsa::build_v2(object), findings, version);
      ASSERT_TRUE(out.object) << messages(findings);
      // V5's own hidden arguments lie elsewhere, and these stay where the code reads them.
      EXPECT_EQ(findings.count(Severity::Warning), 0u) << messages(findings);
      EXPECT_EQ(count(findings, Code::HsaHiddenOlder), version >= CodeObjectVersion::V5 ? 1u : 0u)
          << messages(findings);
      EXPECT_EQ(out.object->target->name, processor);
      EXPECT_EQ(out.object->version, version);
      ASSERT_EQ(out.object->kernels.size(), 1u);
      EXPECT_EQ(out.object->kernels[0].name, "k");
      EXPECT_EQ(out.object->kernels[0].code.size, 4u);
      EXPECT_TRUE(out.object->code.symbols.empty());
      KernelDescriptor descriptor = *out.object->kernels[0].descriptor;
      descriptor.entry_offset = 0;
      EXPECT_EQ(hsa::write_descriptor(descriptor), hsa::write_descriptor(expected)) << messages(findings);
      const hsa::MetadataKernel& kernel = out.object->metadata.kernels.at(0);
      EXPECT_EQ(kernel.wavefront_size, wave32 ? 32u : 64u);
      EXPECT_EQ(kernel.args.size(), 10u);
      EXPECT_EQ(kernel.args.back().value_kind, hsa::ValueKind::HiddenMultigridSyncArg);
      EXPECT_EQ(kernel.args.back().offset, 72u);
      EXPECT_EQ(kernel.workgroup_processor_mode.has_value(), version >= CodeObjectVersion::V5);
    }
}
INSTANTIATE_TEST_SUITE_P(All, Rdna,
                         testing::Combine(testing::Values("gfx1010", "gfx1030", "gfx1100"), testing::Bool()));

TEST(Rdna, TargetsAreReadFromEitherNoteAndWithXnack) {
  for (int form = 0; form < 3; ++form) {
    hsa::V2Object object = object_for("gfx1012", rdna_metadata(true), rdna_setup(false, true));
    if (form == 1) object.isa_name += "+xnack";
    if (form == 2) {
      object.isa_name.clear();
      object.isa = {{10, 1, 2}};
    }
    Diagnostics findings;
    const auto read = hsa::read_code_object(hsa::build_v2(object), findings);
    ASSERT_TRUE(read && read->target) << messages(findings);
    EXPECT_EQ(read->target->name, "gfx1012");
    EXPECT_EQ(read->features.xnack, form == 1 ? hsa::FeatureSetting::On : hsa::FeatureSetting::Off);
  }
}

TEST(Rdna, UserRegistersThatATargetLacksAreRefused) {
  KernelCode setup = rdna_setup(true, true);
  setup.user_registers |= amdcompat::kSgprPrivateBuffer;
  setup.rsrc2 += 4 << 1;
  Diagnostics findings;
  EXPECT_FALSE(converted(hsa::build_v2(object_for("gfx1100", rdna_metadata(true), setup)), findings).object);
  EXPECT_TRUE(findings.contains(Code::KernelCodeRefused)) << messages(findings);
}

TEST(RealPairs, OfEveryVersionConvert) {
  const std::filesystem::path root = amdcompat_test::real_root() / "pairs";
  if (!amdcompat_test::has_real_corpus() || !std::filesystem::is_directory(root))
    GTEST_SKIP() << "the real files are not part of the project and are not here; set the CMake variable "
                    "AMDCOMPAT_REAL_CORPUS to a directory with pairs/";
  std::size_t files = 0, kernels = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".bin") continue;
    ++files;
    const bool v5 = entry.path().stem().string().ends_with("gfx1103");  // whose hidden arguments V3 and V4 do not have
    for (const CodeObjectVersion version : kVersions) {
      if (v5 && version < CodeObjectVersion::V5) continue;
      Diagnostics findings;
      const auto out = converted(amdcompat_test::read_file(entry.path()), findings, version);
      EXPECT_TRUE(out.object) << entry.path() << "\n" << messages(findings);
      EXPECT_FALSE(findings.has_errors()) << entry.path() << "\n" << messages(findings);
      EXPECT_FALSE(findings.contains(Code::KernelCodeOverrules)) << entry.path() << "\n" << messages(findings);
      if (out.object && version == CodeObjectVersion::V5) kernels += out.object->kernels.size();
    }
  }
  EXPECT_GT(files, 20u);
  EXPECT_GE(kernels, files);
}

// --- disagreements -------------------------------------------------------------------------------------------------

struct Argument {
  std::string_view kind;
  std::uint32_t size, needed;  // `needed`: alignment that the kind wants, 0 for values
};

struct Case {
  std::string_view target;
  std::vector<Argument> arguments;
  bool listed = true;  // `Args` is there
  KernelCode setup;
  std::uint64_t segment = 0, align = 8, group = 0, scratch = 0, wavefront = 64, vgprs = 1, sgprs = 1, largest = 256;
  std::optional<std::array<std::uint64_t, 3>> required;
};

std::string yaml_of(const Case& c) {
  std::string out = "---\nVersion: [ 1, 0 ]\nKernels:\n  - Name: k\n    SymbolName: 'k@kd'\n";
  if (c.required)
    out += fmt::format("    Attrs: {{ ReqdWorkGroupSize: [ {}, {}, {} ] }}\n", (*c.required)[0], (*c.required)[1],
                       (*c.required)[2]);
  if (c.listed) out += c.arguments.empty() ? "    Args: []\n" : "    Args:\n";
  if (c.listed)
    for (const Argument& a : c.arguments)
      out += fmt::format("      - {{ Size: {0}, Align: {0}, ValueKind: {1}{2} }}\n", a.size, a.kind,
                         a.kind == "GlobalBuffer"           ? ", AddrSpaceQual: Global"
                         : a.kind == "DynamicSharedPointer" ? ", AddrSpaceQual: Local, PointeeAlign: 4"
                                                            : "");
  return out + fmt::format("    CodeProps: {{ KernargSegmentSize: {}, GroupSegmentFixedSize: {}, "
                           "PrivateSegmentFixedSize: {}, KernargSegmentAlign: {}, WavefrontSize: {}, NumSGPRs: {}, "
                           "NumVGPRs: {}, MaxFlatWorkGroupSize: {} }}\n...\n",
                           c.segment, c.group, c.scratch, c.align, c.wavefront, c.sgprs, c.vgprs, c.largest);
}

Case random_case(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto rarely = [&] { return below(8) == 0; };
  Case c;
  c.target = std::array<std::string_view, 3>{"gfx803", "gfx900", "gfx1010"}[below(3)];
  const bool rdna = c.target == "gfx1010";
  constexpr std::array<Argument, 3> kKinds{{{"ByValue", 4, 0}, {"GlobalBuffer", 8, 8}, {"DynamicSharedPointer", 4, 4}}};
  for (std::uint32_t n = below(5); n-- > 0;) c.arguments.push_back(kKinds[below(3)]);
  const auto end = [&] {
    std::uint64_t at = 0;
    for (const Argument& a : c.arguments) at = (at + a.size - 1) / a.size * a.size + a.size;
    return at;
  };
  const std::uint64_t explicit_end = end();
  if (below(2) != 0)
    for (const char* const kind : {"HiddenGlobalOffsetX", "HiddenGlobalOffsetY", "HiddenNone"})
      c.arguments.push_back({kind, 8, 8});
  c.listed = !rarely();
  const auto size = [&] { return std::array{end(), end(), explicit_end, end() + 16, std::uint64_t{0}}[below(5)]; };
  c.segment = size();
  KernelCode& s = c.setup;
  s.kernarg_bytes = size();
  s.features = rarely() ? 0x8 : rarely() ? 0x2 : 0xa;
  if (rarely()) s.version = {2, 0};
  s.kernarg_align = rarely() ? 0 : rarely() ? 32 : 4;
  c.align = std::array<std::uint64_t, 5>{4, 8, 8, 16, 3}[below(5)];
  const bool wave32 = rdna && below(2) != 0;
  s.user_registers = amdcompat::kSgprPrivateBuffer | amdcompat::kSgprKernargPtr;
  if (wave32) s.user_registers |= 1u << 10;
  if (below(40) == 0) s.user_registers |= amdcompat::kSgprGridCountX;
  s.wavefront = rarely() ? 4 : wave32 ? 5 : 6;
  c.wavefront = rarely() ? (wave32 ? 64 : 32) : (wave32 ? 32 : 64);
  const std::uint32_t granules = below(12), scalars = below(8);
  s.rsrc1 = granules | scalars << 6 | 12u << 16 | 1u << 21;
  if (rarely()) s.rsrc1 |= 2u << 10 | 1u << 22;  // priority, debug mode
  const std::uint32_t room = (granules + 1) * (wave32 ? 8 : 4);
  c.vgprs = rarely() ? room + 1 + below(8) : 1 + below(room);
  c.sgprs = rarely() ? 100 : 1 + below((scalars + 1) * 8);
  const std::uint32_t user = rarely() ? 0 : rarely() ? 8 : 6;
  s.group_bytes = below(3) * 256;
  c.group = rarely() ? s.group_bytes + 64 : s.group_bytes;
  s.private_bytes = below(2) * 32;
  c.scratch = rarely() ? s.private_bytes + 4 : s.private_bytes;
  const bool scratch_on = s.private_bytes != 0 && !rarely();
  s.rsrc2 = (scratch_on ? 1 : 0) | user << 1 | 1u << 7 | (rarely() ? 1u << 6 : 0);
  if (below(40) == 0) s.gds_bytes = 4;
  c.largest = std::array<std::uint64_t, 4>{64, 256, 1024, 256}[below(4)];
  if (below(40) == 0) c.largest = 2000;
  switch (below(8)) {
    case 0: c.required = {{16, 32, 1}}; break;
    case 1: c.required = {{64, 1, 1}}; break;
    case 2: c.required = {{64, 64, below(2)}}; break;
    default: break;
  }
  return c;
}

// What loader, runtime and hardware make of it: written from the table of disagreements, without the library.
struct Loaded {
  bool refused = false, disagrees = false, unlisted = false;
  bool odd = false;  // loaders do not mind, strict mode does
  std::uint64_t segment = 0, align = 0, largest = 0, vgprs = 0, sgprs = 0, wavefront = 0;
  std::uint32_t rsrc1 = 0, rsrc2 = 0, properties = 0;
};

Loaded load(const Case& c) {
  Loaded out;
  const KernelCode& s = c.setup;
  const auto differs = [&](bool is) { out.disagrees = out.disagrees || is; };
  std::uint64_t end = 0, needed = 4;
  if (c.listed)
    for (const Argument& a : c.arguments) {
      end = (end + a.size - 1) / a.size * a.size + a.size;
      needed = std::max<std::uint64_t>(needed, a.needed);
    }
  const std::uint64_t own = s.kernarg_bytes == 0 ? c.segment : s.kernarg_bytes;
  out.segment = std::max(own, end);
  differs(own != c.segment || out.segment != own);
  out.unlisted = (!c.listed || c.arguments.empty()) && out.segment != 0;
  const bool usable = c.align != 3 && c.align >= needed;
  out.align = usable ? c.align : 16;
  differs(!usable || s.kernarg_align != 4);
  out.largest = c.largest;
  out.odd = c.largest > 1024;
  bool refused = false;
  if (c.required) {
    const std::uint64_t items = (*c.required)[0] * (*c.required)[1] * (*c.required)[2];
    refused = items == 0 || (items > 1024 && items > c.largest);
    if (!refused && items > c.largest) {
      out.largest = items;
      out.disagrees = true;
    }
  }
  const bool rdna = c.target == "gfx1010", wave32 = rdna && (s.user_registers & 0x400) != 0;
  const std::uint64_t vector_room = ((s.rsrc1 & 0x3f) + 1) * (wave32 ? 8 : 4);
  const std::uint64_t scalar_room = rdna ? 1000 : ((s.rsrc1 >> 6 & 15) + 1) * 8;
  out.vgprs = std::min(c.vgprs, vector_room);
  out.sgprs = std::min(c.sgprs, scalar_room);
  out.wavefront = wave32 ? 32 : 64;
  differs(c.vgprs > vector_room || c.sgprs > scalar_room || c.wavefront != out.wavefront);
  differs(s.wavefront != (wave32 ? 5 : 6) || s.version[0] != 1 || s.features != 0xa);
  differs(c.group != s.group_bytes || c.scratch != s.private_bytes || (s.rsrc2 >> 1 & 31) != 6);
  out.rsrc1 = s.rsrc1 & ~(3u << 10 | 1u << 22) & ~(rdna ? 15u << 6 : 0);
  out.rsrc2 = s.rsrc2 & ~(1u << 6);
  out.properties = s.user_registers;
  refused = refused || s.gds_bytes != 0 || (s.user_registers & 0x380) != 0;
  refused = refused || (s.private_bytes != 0 && (s.rsrc2 & 1) == 0);
  out.refused = refused;
  return out;
}

TEST(Disagreements, OfMetadataAndKernelCodeAreSettledAsALoaderDoes) {
  std::size_t fine = 0, settled = 0, refused = 0;
  for (std::uint32_t seed = 0; seed < 240; ++seed) {
    const Case c = random_case(seed);
    const Loaded model = load(c);
    const std::string bytes = hsa::build_v2(object_for(c.target, yaml_of(c), c.setup));
    SCOPED_TRACE(fmt::format("seed {} {}\n{}", seed, c.target, yaml_of(c)));
    Diagnostics lenient, strict(Mode::Strict);
    const auto out = converted(bytes, lenient);
    EXPECT_EQ(out.object.has_value(), !model.refused) << messages(lenient);
    EXPECT_EQ(lenient.has_errors(), model.refused) << messages(lenient);
    const auto refusal = converted(bytes, strict);
    EXPECT_EQ(strict.has_errors(), model.refused || model.disagrees || model.unlisted || model.odd) << messages(strict);
    EXPECT_EQ(refusal.object.has_value(), !strict.has_errors());
    if (model.refused) {
      ++refused;
      continue;
    }
    ++(model.disagrees ? settled : fine);
    EXPECT_EQ(count(lenient, Code::KernelCodeOverrules), model.disagrees ? 1u : 0u) << messages(lenient);
    EXPECT_EQ(count(lenient, Code::ArgumentsUnknown), model.unlisted ? 1u : 0u) << messages(lenient);
    if (!out.object) continue;
    const KernelDescriptor& d = *out.object->kernels.at(0).descriptor;
    EXPECT_EQ(d.kernarg_size, model.segment);
    EXPECT_EQ(d.rsrc1, model.rsrc1);
    EXPECT_EQ(d.rsrc2, model.rsrc2);
    EXPECT_EQ(d.properties, model.properties);
    EXPECT_EQ(d.group_segment_fixed_size, c.setup.group_bytes);
    EXPECT_EQ(d.private_segment_fixed_size, c.setup.private_bytes);
    const hsa::MetadataKernel& m = out.object->metadata.kernels.at(0);
    EXPECT_EQ(m.kernarg_segment_size, model.segment);
    EXPECT_EQ(m.kernarg_segment_align, model.align);
    EXPECT_EQ(m.max_flat_workgroup_size, model.largest);
    EXPECT_EQ(m.vgpr_count, model.vgprs);
    EXPECT_EQ(m.sgpr_count, model.sgprs);
    EXPECT_EQ(m.wavefront_size, model.wavefront);
    EXPECT_EQ(m.group_segment_fixed_size, c.setup.group_bytes);
    EXPECT_EQ(m.private_segment_fixed_size, c.setup.private_bytes);
    EXPECT_EQ(m.args.size(), c.listed ? c.arguments.size() : 0);
    EXPECT_EQ(m.reqd_workgroup_size, c.required);
    // Launches and proofs start from the same.
    Diagnostics ignored;
    const auto file = amdcompat::open(bytes, ignored);
    ASSERT_TRUE(file && file->program.kernels.size() == 1);
    const amdcompat::Kernel& kernel = file->program.kernels[0];
    ASSERT_NE(kernel.kernarg(), nullptr);
    EXPECT_EQ(kernel.kernarg()->bytes, model.segment);
    EXPECT_EQ(kernel.kernarg()->align, model.align);
    EXPECT_EQ(kernel.limits.max_group_size, model.largest);
    EXPECT_EQ(kernel.segments.hardware_local, c.setup.group_bytes);
    EXPECT_EQ(kernel.segments.hardware_private, c.setup.private_bytes);
    EXPECT_EQ(kernel.registers.vgprs, model.vgprs);
    EXPECT_EQ(kernel.registers.sgprs, model.sgprs);
    EXPECT_EQ(kernel.registers.wavefront_size, model.wavefront);
  }
  EXPECT_GT(refused, 10u);
  EXPECT_GT(settled, 100u);
  EXPECT_GT(fine, 2u);
}

TEST(Disagreements, AreOneWarningThatNamesKernelAndArgument) {
  KernelCode setup = rdna_setup(false, true);
  setup.kernarg_bytes = 24;
  setup.features = 0x2;
  Diagnostics findings;
  const auto out =
      converted(hsa::build_v2(object_for("gfx1010", rdna_metadata(true), setup)), findings, CodeObjectVersion::V4);
  ASSERT_TRUE(out.object) << messages(findings);
  ASSERT_EQ(findings.count(Severity::Warning), 1u) << messages(findings);
  const std::string text =
      amdcompat::sentence(*std::ranges::find(findings.all(), Severity::Warning, &amdcompat::Diagnostic::severity));
  EXPECT_NE(text.find("'k'"), std::string::npos) << text;
  EXPECT_NE(text.find("'hidden_global_offset_x' (8 bytes at 24); 80 are used"), std::string::npos) << text;
  EXPECT_NE(text.find("is_ptr64"), std::string::npos) << text;
}

TEST(Disagreements, ThatNoDescriptorCanHoldAreRefused) {
  std::string yaml = rdna_metadata(true);
  yaml.replace(yaml.find("Size: 4, Align: 4"), 17, "Size: 5000000000, Align: 4");
  Diagnostics findings;
  const std::string bytes = hsa::build_v2(object_for("gfx1010", yaml, rdna_setup(false, true)));
  EXPECT_FALSE(converted(bytes, findings).object);
  EXPECT_TRUE(findings.contains(Code::ConversionRefused)) << messages(findings);
  const auto file = amdcompat::open(bytes, findings);
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->program.kernels.at(0).complete);  // nor launched
}

// The segment of 8 bytes that the metadata states holds one of two arguments: proofs could not start the kernel.
TEST(Disagreements, DoNotKeepAKernelFromBeingProved) {
  KernelCode setup;
  setup.user_registers = amdcompat::kSgprKernargPtr;
  setup.rsrc2 = 2 << 1 | 1 << 7;
  setup.features = 0xa;
  setup.kernarg_bytes = 16;
  hsa::V2Object object = object_for(
      "gfx803",
      "---\nVersion: [ 1, 0 ]\nKernels:\n  - Name: k\n    SymbolName: 'k@kd'\n    Args:\n"
      "      - { Name: p, Size: 8, Align: 8, ValueKind: GlobalBuffer, AddrSpaceQual: Global }\n"
      "      - { Name: n, Size: 4, Align: 4, ValueKind: ByValue }\n"
      "    CodeProps: { KernargSegmentSize: 8, GroupSegmentFixedSize: 0, PrivateSegmentFixedSize: 0, "
      "KernargSegmentAlign: 4, WavefrontSize: 64, NumSGPRs: 8, NumVGPRs: 4, MaxFlatWorkGroupSize: 256 }\n...\n",
      setup);
  object.kernels[0].code = {
      0xc0060100, 0x00000000,  // s_load_dwordx2 s[4:5], s[0:1], 0x0
      0xc0020180, 0x00000008,  // s_load_dword s6, s[0:1], 0x8
      0xbf8c007f,  // s_waitcnt lgkmcnt(0)
      0x7e000204,  // v_mov_b32 v0, s4
      0x7e020205,  // v_mov_b32 v1, s5
      0x7e040206,  // v_mov_b32 v2, s6
      0xdc700000, 0x00000200,  // flat_store_dword v[0:1], v2
      0xbf810000,  // s_endpgm
  };
  const std::string bytes = hsa::build_v2(object);
  Diagnostics findings;
  const auto file = amdcompat::open(bytes, findings);
  ASSERT_TRUE(file);
  pipeline::Request request;
  request.layout = pipeline::Layout::InPlace;
  request.prove = true;
  const auto out = pipeline::convert(*file, request, findings);
  ASSERT_TRUE(out.object) << messages(findings);
  EXPECT_EQ(count(findings, Code::InPlaceProved), 1u) << messages(findings);
  // And one old object held against another.
  pipeline::VerifyRequest verify;
  verify.execute = true;
  EXPECT_TRUE(pipeline::verify(*file, *file, verify, findings).same) << messages(findings);
}

// --- damaged metadata -----------------------------------------------------------------------------------------------

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) ADD_FAILURE() << "no " << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

TEST(DamagedMetadata, KeysThatV2DoesNotHaveAreFindings) {
  for (const auto& [good, bad, path] : {std::tuple{"Args:", "Argz:", "amdhsa.kernels[0].Argz"},
                                        {"Language:", "Languagy:", "amdhsa.kernels[0].Languagy"},
                                        {"TypeName:", "TypeNane:", "amdhsa.kernels[0].args[0].TypeNane"},
                                        {"Version:", "Verzion:", "Verzion"}}) {
    const std::string bytes =
        hsa::build_v2(object_for("gfx1010", replaced(rdna_metadata(true), good, bad), rdna_setup(false, true)));
    Diagnostics lenient, strict(Mode::Strict);
    const auto out = converted(bytes, lenient);
    EXPECT_TRUE(out.object) << messages(lenient);
    const auto finding = std::ranges::find(lenient.all(), Code::V2KeyUnknown, &amdcompat::Diagnostic::code);
    ASSERT_NE(finding, lenient.all().end()) << messages(lenient);
    EXPECT_EQ(finding->severity, Severity::Warning);
    EXPECT_EQ(finding->path, path);
    const bool arguments = std::string_view(bad) == "Argz:";
    EXPECT_EQ(lenient.contains(Code::ArgumentsUnknown), arguments);
    EXPECT_FALSE(converted(bytes, strict).object);
    EXPECT_TRUE(strict.has_errors());
  }
}

TEST(DamagedMetadata, WithoutAListOfKernelsIsAnError) {
  const std::string bytes = hsa::build_v2(
      object_for("gfx1010", replaced(rdna_metadata(true), "Kernels:", "Kernelz:"), rdna_setup(false, true)));
  Diagnostics lenient;
  const auto out = converted(bytes, lenient);
  EXPECT_TRUE(lenient.has_errors());
  EXPECT_FALSE(out.object) << messages(lenient);
}

TEST(DamagedMetadata, WithValuesOfOtherTypesIsRefusedByTheWriterOfV2) {
  for (const std::string_view text :
       {"Version: [ 1, 0 ]\nKernels: 5\n", "Version: 5\nKernels:\n  - Name: k\n    Args: 5\n",
        "Version: [ 1, 0 ]\nKernels:\n  - 5\n  - Name: k\n    Args: [ 5, { Size: 4 } ]\n",
        "Version: [ 1, 0 ]\nPrintf: 5\nKernels:\n  - Name: [ 1 ]\n    CodeProps: 5\n    Attrs: [ 1 ]\n",
        "Version: [ 1, 0 ]\nKernels: { a: 1 }\n"}) {
    Diagnostics findings;
    const auto metadata = hsa::read_v2_yaml(text, findings);
    ASSERT_TRUE(metadata) << text;
    EXPECT_TRUE(findings.has_errors()) << text;
    EXPECT_NO_THROW(static_cast<void>(hsa::to_v2_yaml(*metadata))) << text;
  }
  Diagnostics findings;
  EXPECT_FALSE(hsa::to_v2_yaml(*hsa::read_v2_yaml("Version: [ 1, 0 ]\nKernels: 5\n", findings)));
}

}  // namespace
}  // namespace old_objects_test
