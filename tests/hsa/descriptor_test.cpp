// The descriptor table against LLVM's assembler: every bit that has a directive is assembled and looked for, and old
// kernels assembled both ways give the same 64 bytes.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/cl2.hpp>
#include <amdcompat/code_object.hpp>

#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace hsa = amdcompat::hsa;
using amdcompat::Code;
using amdcompat::Diagnostics;
using amdcompat::Generation;
using amdcompat::KernelCode;
using amdcompat::Target;
using hsa::CodeObjectVersion;
using hsa::DescriptorWord;
using hsa::Fate;
using hsa::KernelDescriptor;
using hsa::KernelDescriptorField;

namespace descriptor_test {
namespace {

constexpr std::array kProcessors{"gfx600",  "gfx700",  "gfx803",  "gfx906", "gfx90a",
                                 "gfx1010", "gfx1030", "gfx1100", "gfx1200"};

const Target& target_of(const std::string& processor) { return *amdcompat::find_target(processor); }

// What stands in `.amdhsa_kernel` for each kernel, which is an empty program.
std::vector<KernelDescriptor> assemble(const std::string& processor, const std::vector<std::string>& bodies,
                                       const std::string& mc = "llvm-mc-19", int version = 5) {
  const amdcompat_test::TemporaryDirectory directory;
  std::string text;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    text += fmt::format(
        ".text\n.p2align 8\nk{0}:\n s_endpgm\n.rodata\n.p2align 6\n.amdhsa_kernel k{0}\n{1}.end_amdhsa_kernel\n", i,
        bodies[i]);
  amdcompat_test::write_file(directory / "k.s", text);
  const auto result = amdcompat_test::run(fmt::format(
      "cd {} && {} -triple amdgcn-amd-amdhsa -mcpu={} --amdhsa-code-object-version={} -filetype=obj k.s -o k.o && "
      "llvm-objcopy-19 -O binary -j .rodata k.o k.bin",
      (directory / "").string(), mc, processor, version));
  EXPECT_EQ(result.status, 0) << result.output;
  const std::string bytes = amdcompat_test::read_file(directory / "k.bin");
  EXPECT_EQ(bytes.size(), bodies.size() * hsa::kDescriptorBytes);
  std::vector<KernelDescriptor> out;
  for (std::size_t at = 0; at + hsa::kDescriptorBytes <= bytes.size(); at += hsa::kDescriptorBytes) {
    KernelDescriptor d =
        hsa::read_descriptor(std::as_bytes(std::span(bytes)).subspan(at).first<hsa::kDescriptorBytes>());
    d.entry_offset = 0;  // a relocation of the object file
    out.push_back(d);
  }
  return out;
}

// A value of the directive that changes the field from `before`, and what the field then holds.
struct Trial {
  std::string body;
  std::uint32_t expected;
};
Trial trial(const KernelDescriptorField& field, std::uint32_t before) {
  const auto line = [&](std::uint32_t value) { return fmt::format(" .amdhsa_{} {}\n", field.directive, value); };
  if (field.name == "ACCUM_OFFSET") return {line(12), 2};  // (n / 4) - 1
  if (field.name == "SHARED_VGPR_COUNT") return {" .amdhsa_wavefront_size32 0\n" + line(2), 2};
  if (field.name == "USER_SGPR_COUNT") return {line(5), 5};
  if (field.name == "KERNARG_PRELOAD_SPEC_OFFSET")
    return {" .amdhsa_user_sgpr_kernarg_preload_length 1\n" + line(3), 3};
  const std::uint32_t value = field.width == 1 ? 1 - before : before == 2 ? 1 : 2;
  return {line(value), value};
}

constexpr std::string_view kRegisters = " .amdhsa_next_free_vgpr 16\n .amdhsa_next_free_sgpr 8\n";

std::string base_body(const Target& target) {
  // gfx90a has no default for where its accumulation registers start.
  return std::string(kRegisters) + (target.unified_registers ? " .amdhsa_accum_offset 4\n" : "");
}

class OfProcessor : public testing::TestWithParam<const char*> {};

TEST_P(OfProcessor, EveryDirectiveSetsTheBitsOfItsRow) {
  const std::string processor = GetParam();
  const Target& target = target_of(processor);
  const KernelDescriptor plain = assemble(processor, {base_body(target)}).at(0);
  std::vector<const KernelDescriptorField*> rows;
  std::vector<std::string> bodies;
  std::vector<std::uint32_t> expected;
  for (const KernelDescriptorField& field : hsa::kernel_descriptor_fields()) {
    if (field.directive.empty() || !hsa::has_field(target, field)) continue;
    const Trial t = trial(field, hsa::field_value(plain, field));
    rows.push_back(&field);
    bodies.push_back((field.name == "ACCUM_OFFSET" ? std::string(kRegisters) : base_body(target)) + t.body);
    expected.push_back(t.expected);
  }
  ASSERT_GT(rows.size(), 25u);
  const auto descriptors = assemble(processor, bodies);
  for (std::size_t i = 0; i < rows.size() && i < descriptors.size(); ++i) {
    const KernelDescriptorField& field = *rows[i];
    EXPECT_EQ(hsa::field_value(descriptors[i], field), expected[i]) << field.name;
    EXPECT_NE(hsa::field_value(descriptors[i], field), hsa::field_value(plain, field)) << field.name;
    // Nothing else of the word changes, but for what follows from the field.
    KernelDescriptor with = plain;
    hsa::set_field(with, field, expected[i]);
    const bool counted = field.word == DescriptorWord::Properties || field.word == DescriptorWord::Preload;
    for (const KernelDescriptorField& other : hsa::kernel_descriptor_fields()) {
      if (!hsa::has_field(target, other) || &other == &field || counted) continue;
      if (field.name == "SHARED_VGPR_COUNT" || other.name == "GRANULATED_WORKITEM_VGPR_COUNT") continue;
      EXPECT_EQ(hsa::field_value(descriptors[i], other), hsa::field_value(with, other))
          << field.name << " and " << other.name;
    }
    for (const DescriptorWord word : {DescriptorWord::Rsrc1, DescriptorWord::Rsrc2, DescriptorWord::Rsrc3}) {
      const std::uint32_t known = hsa::known_bits(word, target, CodeObjectVersion::V6);
      const std::uint32_t value = word == DescriptorWord::Rsrc1   ? descriptors[i].rsrc1
                                  : word == DescriptorWord::Rsrc2 ? descriptors[i].rsrc2
                                                                  : descriptors[i].rsrc3;
      EXPECT_EQ(value & ~known, 0u) << hsa::word_name(word) << " with " << field.name;
    }
  }
}

TEST_P(OfProcessor, RegisterLimitsAreThoseOfTheAssembler) {
  const std::string processor = GetParam();
  const Target& target = target_of(processor);
  std::vector<std::string> bodies;
  const std::vector<std::pair<unsigned, unsigned>> counts{{1, 1}, {4, 8}, {5, 9}, {24, 33}, {65, 50}, {128, 96}};
  for (const auto& [vgprs, sgprs] : counts)
    bodies.push_back(fmt::format(" .amdhsa_next_free_vgpr {}\n .amdhsa_next_free_sgpr {}\n .amdhsa_reserve_vcc 0\n{}",
                                 vgprs, sgprs, target.unified_registers ? " .amdhsa_accum_offset 4\n" : ""));
  const auto descriptors = assemble(processor, bodies);
  ASSERT_EQ(descriptors.size(), counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool wave32 = (descriptors[i].properties & hsa::kPropertyWave32) != 0;
    const auto limits = hsa::register_limits(descriptors[i].rsrc1, target, wave32);
    EXPECT_GE(limits.vgprs, counts[i].first);
    EXPECT_LT(limits.vgprs, counts[i].first + 8 + (target.generation >= Generation::Gfx11 ? 8 : 0));
    if (target.generation < Generation::Gfx10_1) {
      EXPECT_GE(limits.sgprs, counts[i].second);
      EXPECT_LT(limits.sgprs, counts[i].second + 32);  // flat scratch, XNACK, granules of 16
    } else {
      EXPECT_EQ(limits.sgprs, 0u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OfProcessor, testing::ValuesIn(kProcessors),
                         [](const auto& row) { return std::string(row.param); });

// --- amd_kernel_code_t ------------------------------------------------------------------------------------

struct Pair {
  std::string kernel_code;  // `.amd_kernel_code_t` of LLVM 16
  std::string descriptor;   // `.amdhsa_kernel`
};
const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all{
      {"", ""},
      {" enable_sgpr_private_segment_buffer = 1\n enable_sgpr_kernarg_segment_ptr = 1\n user_sgpr_count = 6\n"
       " enable_sgpr_workgroup_id_x = 1\n kernarg_segment_byte_size = 48\n workgroup_group_segment_byte_size = 1024\n"
       " workitem_private_segment_byte_size = 16\n enable_sgpr_private_segment_wave_byte_offset = 1\n",
       " .amdhsa_user_sgpr_private_segment_buffer 1\n .amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
       " .amdhsa_kernarg_size 48\n .amdhsa_group_segment_fixed_size 1024\n .amdhsa_private_segment_fixed_size 16\n"
       " .amdhsa_system_sgpr_private_segment_wavefront_offset 1\n"},
      {" enable_sgpr_dispatch_ptr = 1\n enable_sgpr_queue_ptr = 1\n enable_sgpr_dispatch_id = 1\n"
       " enable_sgpr_flat_scratch_init = 1\n enable_sgpr_private_segment_size = 1\n user_sgpr_count = 9\n"
       " enable_sgpr_workgroup_id_x = 1\n enable_sgpr_workgroup_id_y = 1\n enable_sgpr_workgroup_id_z = 1\n"
       " enable_sgpr_workgroup_info = 1\n enable_vgpr_workitem_id = 2\n",
       " .amdhsa_user_sgpr_dispatch_ptr 1\n .amdhsa_user_sgpr_queue_ptr 1\n .amdhsa_user_sgpr_dispatch_id 1\n"
       " .amdhsa_user_sgpr_flat_scratch_init 1\n .amdhsa_user_sgpr_private_segment_size 1\n"
       " .amdhsa_system_sgpr_workgroup_id_y 1\n .amdhsa_system_sgpr_workgroup_id_z 1\n"
       " .amdhsa_system_sgpr_workgroup_info 1\n .amdhsa_system_vgpr_workitem_id 2\n"},
      {" enable_sgpr_workgroup_id_x = 1\n float_mode = 0x5a\n enable_dx10_clamp = 0\n enable_ieee_mode = 0\n"
       " enable_exception = 0x7f\n granulated_workitem_vgpr_count = 5\n granulated_wavefront_sgpr_count = 3\n",
       " .amdhsa_float_round_mode_32 2\n .amdhsa_float_round_mode_16_64 2\n .amdhsa_float_denorm_mode_32 1\n"
       " .amdhsa_float_denorm_mode_16_64 1\n .amdhsa_dx10_clamp 0\n .amdhsa_ieee_mode 0\n"
       " .amdhsa_exception_fp_ieee_invalid_op 1\n .amdhsa_exception_fp_denorm_src 1\n"
       " .amdhsa_exception_fp_ieee_div_zero 1\n .amdhsa_exception_fp_ieee_overflow 1\n"
       " .amdhsa_exception_fp_ieee_underflow 1\n .amdhsa_exception_fp_ieee_inexact 1\n"
       " .amdhsa_exception_int_div_zero 1\n .amdhsa_next_free_vgpr 24\n .amdhsa_next_free_sgpr 32\n"
       " .amdhsa_reserve_vcc 0\n .amdhsa_reserve_flat_scratch 0\n"}};
  return all;
}

class OldKernels : public testing::TestWithParam<const char*> {};

TEST_P(OldKernels, GetTheDescriptorThatTheAssemblerWrites) {
  const std::string processor = GetParam();
  const Target& target = target_of(processor);
  const amdcompat_test::TemporaryDirectory directory;
  std::string text = ".text\n";
  std::vector<std::string> bodies;
  for (std::size_t i = 0; i < pairs().size(); ++i) {
    // The old directive's defaults for float mode and clamping are 0, the new one's are not.
    const std::string floats = pairs()[i].kernel_code.find("float_mode") == std::string::npos
                                   ? " float_mode = 0xc0\n enable_dx10_clamp = 1\n enable_ieee_mode = 1\n"
                                   : "";
    const std::string id =
        pairs()[i].kernel_code.find("workgroup_id_x") == std::string::npos ? " enable_sgpr_workgroup_id_x = 1\n" : "";
    text += fmt::format(".p2align 8\nk{}:\n.amd_kernel_code_t\n{}{}{}.end_amd_kernel_code_t\n s_endpgm\n", i, floats,
                        id, pairs()[i].kernel_code);
    const bool registers = pairs()[i].descriptor.find("next_free") != std::string::npos;
    bodies.push_back((registers ? ""
                                : " .amdhsa_next_free_vgpr 1\n .amdhsa_next_free_sgpr 1\n"
                                  " .amdhsa_reserve_vcc 0\n .amdhsa_reserve_flat_scratch 0\n") +
                     pairs()[i].descriptor);
  }
  amdcompat_test::write_file(directory / "k.s", text);
  const auto result = amdcompat_test::run(fmt::format(
      "cd {} && llvm-mc-16 -triple amdgcn-amd-amdhsa -mcpu={} --amdhsa-code-object-version=2 -filetype=obj k.s -o k.o "
      "&& llvm-objcopy-19 -O binary -j .text k.o k.bin",
      (directory / "").string(), processor));
  ASSERT_EQ(result.status, 0) << result.output;
  const std::string bytes = amdcompat_test::read_file(directory / "k.bin");
  const auto descriptors = assemble(processor + (processor == "gfx906" ? " -mattr=-xnack" : ""), bodies);
  ASSERT_EQ(descriptors.size(), pairs().size());
  for (std::size_t i = 0; i < pairs().size(); ++i) {
    const std::size_t at = i * 512;
    ASSERT_LE(at + 256, bytes.size());
    KernelCode code = amdcompat::cl2::read_kernel_code(
        std::as_bytes(std::span(bytes)).subspan(at).first<amdcompat::kKernelCodeBytes>());
    Diagnostics diagnostics;
    const auto ours = hsa::to_descriptor(code, target, CodeObjectVersion::V5, diagnostics, "k");
    ASSERT_TRUE(ours);
    EXPECT_EQ(hsa::write_descriptor(*ours), hsa::write_descriptor(descriptors[i])) << "kernel " << i;
    EXPECT_FALSE(diagnostics.has_errors());
    // And back: every field that a descriptor knows.
    const auto again = hsa::to_kernel_code(*ours, target, code.machine_version, code.sgprs, code.vgprs);
    ASSERT_TRUE(again) << again.error().message;
    const auto twice = hsa::to_descriptor(*again, target, CodeObjectVersion::V5, diagnostics, "k");
    EXPECT_EQ(twice, ours);
  }
}
INSTANTIATE_TEST_SUITE_P(All, OldKernels, testing::Values("gfx700", "gfx803", "gfx906"),
                         [](const auto& row) { return std::string(row.param); });

// Sets each single bit of each word and says what must become of it, by the table alone.
TEST(KernelCodeBits, AreCopiedDroppedOrRefusedAsTheirRowsSay) {
  std::size_t copied = 0, dropped = 0, refused = 0;
  for (const char* const processor : {"gfx600", "gfx700", "gfx803", "gfx906"})
    for (const DescriptorWord word :
         {DescriptorWord::Rsrc1, DescriptorWord::Rsrc2, DescriptorWord::Properties, DescriptorWord::Features}) {
      const unsigned bits = word == DescriptorWord::Rsrc1 || word == DescriptorWord::Rsrc2 ? 32 : 16;
      for (unsigned bit = 0; bit < bits; ++bit) {
        KernelCode code;
        code.features = 0xa;
        switch (word) {
          case DescriptorWord::Rsrc1: code.rsrc1 = 1u << bit; break;
          case DescriptorWord::Rsrc2: code.rsrc2 = 1u << bit; break;
          case DescriptorWord::Properties: code.user_registers = static_cast<std::uint16_t>(1u << bit); break;
          default: code.features = static_cast<std::uint16_t>(1u << bit); break;
        }
        SCOPED_TRACE(fmt::format("{} {} bit {}", processor, hsa::word_name(word), bit));
        Diagnostics diagnostics;
        const auto out = hsa::to_descriptor(code, target_of(processor), CodeObjectVersion::V5, diagnostics, "k");
        const KernelDescriptorField* row = hsa::find_field(word, bit, target_of(processor));
        const Fate fate = row == nullptr || row->fate == Fate::NotThere ? Fate::Clear : row->fate;
        const std::uint32_t there = !out                                 ? 0
                                    : word == DescriptorWord::Rsrc1      ? out->rsrc1
                                    : word == DescriptorWord::Rsrc2      ? out->rsrc2
                                    : word == DescriptorWord::Properties ? out->properties
                                                                         : 0;
        switch (fate) {
          case Fate::Copy:
            EXPECT_EQ(there, 1u << bit);
            ++copied;
            break;
          case Fate::Clear:
            ASSERT_TRUE(out);
            EXPECT_EQ(there, 0u);
            EXPECT_TRUE(diagnostics.contains(Code::KernelCodeBitDropped));
            ++dropped;
            break;
          case Fate::Refuse:
            EXPECT_FALSE(out);
            EXPECT_TRUE(diagnostics.contains(Code::KernelCodeRefused));
            ++refused;
            break;
          case Fate::Elsewhere:
          case Fate::NotThere:
            ASSERT_TRUE(out);
            EXPECT_EQ(out->rsrc1 | out->rsrc2, 0u);
            EXPECT_EQ(out->properties, bit == 4 ? hsa::kPropertyDynamicStack : 0);
            break;
        }
      }
    }
  EXPECT_EQ(copied, 4u * (20 + 19 + 7) + 1);  // fp16 overflow on gfx9 alone
  EXPECT_EQ(refused, 4u * 4);
  EXPECT_GT(dropped, 100u);
}

TEST(KernelCodeFields, ThatNoHardwareServesAreRefusedAndOddOnesReported) {
  KernelCode code;
  code.features = 0xa;
  Diagnostics good;
  EXPECT_TRUE(hsa::to_descriptor(code, target_of("gfx803"), CodeObjectVersion::V3, good, "k"));
  EXPECT_TRUE(good.all().empty());

  code.gds_bytes = 4;
  Diagnostics gds;
  EXPECT_FALSE(hsa::to_descriptor(code, target_of("gfx803"), CodeObjectVersion::V3, gds, "k"));
  EXPECT_TRUE(gds.contains(Code::KernelCodeRefused));

  code = {};
  code.version = {2, 0};
  code.kernarg_align = 0x20;
  code.wavefront = 200;
  code.rsrc2 = 3 << 1;
  code.kernarg_bytes = std::uint64_t{1} << 40;
  Diagnostics odd;
  const auto out = hsa::to_descriptor(code, target_of("gfx803"), CodeObjectVersion::V3, odd, "k");
  ASSERT_TRUE(out);
  EXPECT_EQ(out->kernarg_size, 0u);
  EXPECT_TRUE(odd.contains(Code::KernelCodeUnusual));
  EXPECT_TRUE(odd.contains(Code::UserRegisterCount));
  EXPECT_FALSE(odd.has_errors());
}

TEST(DescriptorBytes, ReadWhatTheyWrite) {
  std::array<std::byte, hsa::kDescriptorBytes> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37 + 1);
  const KernelDescriptor d = hsa::read_descriptor(bytes);
  EXPECT_EQ(hsa::write_descriptor(d), bytes);
  EXPECT_EQ(d.rsrc1, 0x603b16f1u) << "bytes 48 to 51";
  EXPECT_EQ(d.kernarg_size, 0x98734e29u) << "bytes 8 to 11";
  EXPECT_EQ(d.properties, 0x3e19u) << "bytes 56 and 57";
}

TEST(DescriptorBack, RefusesWhatTheOldStructureCannotSay) {
  KernelDescriptor d;
  d.preload = 1;
  EXPECT_FALSE(hsa::to_kernel_code(d, target_of("gfx90a"), {9, 0, 10}, 8, 8));
  d = {};
  d.rsrc3 = 1;
  EXPECT_FALSE(hsa::to_kernel_code(d, target_of("gfx1010"), {10, 1, 0}, 8, 8)) << "shared vector registers";
  d = {};
  d.rsrc1 = 1u << 29;
  EXPECT_FALSE(hsa::to_kernel_code(d, target_of("gfx803"), {8, 0, 3}, 8, 8)) << "a reserved bit there";
}

}  // namespace
}  // namespace descriptor_test
