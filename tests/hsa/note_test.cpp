// Note records and the ELF file that holds one.
#include <gtest/gtest.h>

#include "hsa_samples.hpp"

namespace note_test {
namespace {

using namespace amdcompat;
using namespace amdcompat::hsa;
using namespace std::string_literals;

const Target kGfx600{.name = "gfx600", .mach = 0x20};
const Target kGfx906{.name = "gfx906", .mach = 0x2F, .xnack = true, .sramecc = true};
const Target kGfx801{.name = "gfx801", .mach = 0x28, .xnack = true};
const Target kGfx908{.name = "gfx908", .mach = 0x30, .xnack = true, .sramecc = true};
const Target kGeneric{.name = "gfx9-generic", .mach = 0x51, .xnack = true, .generic = 1};

std::string record(const std::string& name, std::uint32_t type, const std::string& payload, std::size_t align = 4) {
  std::string out;
  for (const std::size_t word : {name.size(), payload.size(), std::size_t{type}})
    for (int i = 0; i < 4; ++i) out += static_cast<char>((word >> (8 * i)) & 0xFF);
  out += name;
  out.resize((out.size() + align - 1) / align * align);
  out += payload;
  out.resize((out.size() + align - 1) / align * align);
  return out;
}

TEST(HsaNote, ARecordHasNameTypeAndPadding) {
  const std::string note = to_note(samples::clean());
  const std::string payload = to_msgpack(samples::clean());
  EXPECT_EQ(note, record("AMDGPU\0"s, 32, payload));
  EXPECT_EQ(note.size() % 4, 0u);
  Diagnostics findings(Mode::Strict);
  EXPECT_EQ(read_note(note, findings), samples::clean());
  EXPECT_TRUE(findings.all().empty());
}

TEST(HsaNote, ItIsFoundBehindOthersAndWithoutTheLastPadding) {
  const std::string payload = to_msgpack(samples::clean()) + "\x01";  // a last byte that is no padding
  for (const std::size_t align : {std::size_t{4}, std::size_t{8}}) {
    const std::string others = record("GNU\0"s, 3, "abcde", align) + record("AMDGPU\0"s, 31, "x", align) +
                               record("AMD\0"s, 32, "y", align) + record("", 0, "", align);
    const std::string notes = others + record("AMDGPU\0"s, 32, payload, align);
    for (const std::size_t cut : {std::size_t{0}, notes.size() - notes.find_last_not_of('\0') - 1}) {
      const auto found = find_note(std::string_view(notes).substr(0, notes.size() - cut), {.base = 100}, align);
      ASSERT_TRUE(found && *found);
      EXPECT_EQ((*found)->size, payload.size());
      EXPECT_EQ(notes.substr((*found)->begin - 100, (*found)->size), payload);
    }
  }
}

TEST(HsaNote, RecordsBeyondTheBufferAreReportedAndMissingOnesToo) {
  const std::string note = to_note(samples::clean());
  for (std::size_t size = 0; size < note.size(); ++size) {
    const std::vector<char> cut(note.begin(), note.begin() + static_cast<std::ptrdiff_t>(size));
    Diagnostics findings;
    const auto read = read_note({cut.data(), cut.size()}, findings);
    if (read) {
      EXPECT_GE(size, note.size() - 3) << "only padding may be missing";
    } else {
      EXPECT_TRUE(findings.contains(Code::HsaNoteMissing) || findings.contains(Code::HsaNoteTruncated)) << size;
    }
  }
  for (const char byte : {'\xFF', '\x7F'}) {
    for (const std::size_t at : {std::size_t{3}, std::size_t{7}}) {
      std::string lying = note;
      lying[at] = byte;
      Diagnostics findings;
      EXPECT_FALSE(read_note(lying, findings));
      EXPECT_TRUE(findings.contains(Code::HsaNoteTruncated));
      EXPECT_EQ(findings.all().size(), 1u);
    }
  }
  Diagnostics findings;
  EXPECT_FALSE(read_note(record("GNU\0"s, 3, "abc"), findings));
  EXPECT_TRUE(findings.contains(Code::HsaNoteMissing));
}

TEST(HsaElf, HeaderAndNoteReadBackForEveryVersion) {
  for (const VersionInfo& row : all_code_object_versions()) {
    if (row.version == CodeObjectVersion::V2) continue;
    SCOPED_TRACE(row.name);
    Metadata metadata = samples::clean();
    metadata.version = row.metadata;
    const auto file = to_note_elf(metadata, kGfx600, row.version);
    ASSERT_TRUE(file) << file.error().message;
    Diagnostics findings(Mode::Strict);
    const auto elf = read_note_elf(*file, findings);
    ASSERT_TRUE(elf);
    EXPECT_TRUE(findings.all().empty()) << testing::PrintToString(findings.all());
    EXPECT_EQ(elf->metadata, metadata);
    EXPECT_EQ(elf->machine, 224);
    EXPECT_EQ(elf->osabi, 64);
    EXPECT_EQ(elf->abi_version, row.abi_version);
    EXPECT_EQ(elf->flags, 0x20u);
    EXPECT_EQ(elf->version(), row.version);
    EXPECT_EQ(file->substr(elf->payload.begin, elf->payload.size), to_msgpack(metadata));
    // The kernels know where they are in the file.
    EXPECT_GT(elf->metadata.kernels[0].where.range.begin, elf->payload.begin);
  }
}

TEST(HsaElf, FlagsSayMachineAndFeaturesAsEachVersionDoes) {
  using enum CodeObjectVersion;
  using F = FeatureSetting;
  struct Case {
    const Target& target;
    CodeObjectVersion version;
    TargetFeatures features;
    std::uint32_t flags;
    std::string_view id;
  };
  // clang-format off
  const Case cases[] = {
      {kGfx600, V3, {}, 0x20, "amdgcn-amd-amdhsa--gfx600"},
      {kGfx600, V5, {}, 0x20, "amdgcn-amd-amdhsa--gfx600"},
      {kGfx801, V3, {}, 0x128, "amdgcn-amd-amdhsa--gfx801:xnack+"},
      {kGfx801, V3, {.xnack = F::Off}, 0x28, "amdgcn-amd-amdhsa--gfx801:xnack-"},
      {kGfx906, V3, {}, 0x2F, "amdgcn-amd-amdhsa--gfx906:sramecc-:xnack-"},
      {kGfx906, V3, {.xnack = F::Any}, 0x12F, "amdgcn-amd-amdhsa--gfx906:sramecc-"},
      {kGfx908, V3, {}, 0x230, "amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-"},
      {kGfx906, V4, {}, 0x52F, "amdgcn-amd-amdhsa--gfx906"},
      {kGfx906, V4, {.xnack = F::On, .sramecc = F::Off}, 0xB2F, "amdgcn-amd-amdhsa--gfx906:sramecc-:xnack+"},
      {kGfx906, V6, {.xnack = F::Off, .sramecc = F::On}, 0xE2F, "amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-"},
      {kGeneric, V6, {}, 0x01000151, "amdgcn-amd-amdhsa--gfx9-generic"},
  };
  // clang-format on
  for (const Case& each : cases) {
    SCOPED_TRACE(testing::Message() << each.target.name << " " << version_info(each.version).name);
    const auto flags = elf_flags(each.target, each.version, each.features);
    ASSERT_TRUE(flags);
    EXPECT_EQ(*flags, each.flags) << std::hex << *flags;
    const auto id = target_id(each.target, each.version, each.features);
    ASSERT_TRUE(id);
    EXPECT_EQ(*id, each.id);
  }
}

TEST(HsaElf, WhatCannotBeSaidIsRefused) {
  using enum CodeObjectVersion;
  const Metadata v3 = samples::clean();
  EXPECT_EQ(to_note_elf(v3, kGfx600, V2).error().code, Code::HsaVersionRefused);
  EXPECT_EQ(to_note_elf(v3, kGfx600, V4).error().code, Code::HsaVersionMismatch);
  EXPECT_EQ(to_note_elf({}, kGfx600, V3).error().code, Code::HsaVersionMismatch);
  EXPECT_EQ(to_note_elf(v3, kGfx600, V3, {.xnack = FeatureSetting::Off}).error().code, Code::HsaFeatureRefused);
  EXPECT_EQ(target_id(kGfx801, V4, {.sramecc = FeatureSetting::On}).error().code, Code::HsaFeatureRefused);
  EXPECT_EQ(elf_flags(kGeneric, V5).error().code, Code::HsaFeatureRefused);
  Metadata unsorted = v3;
  unsorted.unknown = {{"b", {true, {}}}, {"a", {true, {}}}};
  EXPECT_EQ(to_note_elf(unsorted, kGfx600, V3).error().code, Code::HsaNotRepresentable);
  Metadata deep = v3;
  Node node{true, {}};
  for (int i = 0; i < 80; ++i) node = {Node::Array{std::move(node)}, {}};
  deep.unknown = {{"a", std::move(node)}};
  const auto refused = to_note_elf(deep, kGfx600, V3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::HsaNotRepresentable);
}

TEST(HsaElf, TheSectionIsEnoughWhenThereIsNoSegment) {
  std::string file = *to_note_elf(samples::clean(), kGfx600, CodeObjectVersion::V3);
  file[56] = 0;  // e_phnum
  Diagnostics findings(Mode::Strict);
  const auto elf = read_note_elf(file, findings);
  ASSERT_TRUE(elf);
  EXPECT_EQ(elf->metadata, samples::clean());
  file[60] = 0;  // e_shnum
  EXPECT_FALSE(read_note_elf(file, findings));
  EXPECT_TRUE(findings.contains(Code::HsaNoteMissing));
}

TEST(HsaElf, ForeignAndBrokenHeadersAreReported) {
  const std::string file = *to_note_elf(samples::clean(), kGfx600, CodeObjectVersion::V3);
  Diagnostics text;
  EXPECT_FALSE(read_note_elf("no ELF file", text));
  EXPECT_TRUE(text.contains(Code::HsaElfUnusable));
  std::string foreign = file;
  foreign[18] = 62;  // x86-64
  Diagnostics findings;
  EXPECT_TRUE(read_note_elf(foreign, findings));
  EXPECT_TRUE(findings.contains(Code::HsaElfForeign));
  std::string big_endian = file;
  big_endian[5] = 2;
  EXPECT_FALSE(read_note_elf(big_endian, findings));
  EXPECT_TRUE(findings.contains(Code::HsaElfUnusable));
}

TEST(HsaElf, CutAndFlippedFilesAreSurvived) {
  const std::string file = *to_note_elf(samples::clean(), kGfx600, CodeObjectVersion::V3);
  for (std::size_t size = 0; size < file.size(); ++size) {
    const std::vector<char> cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    Diagnostics findings;
    const auto elf = read_note_elf({cut.data(), cut.size()}, findings);
    EXPECT_TRUE(elf || findings.has_errors()) << size;
  }
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    std::string flipped = file;
    flipped[bit / 8] = static_cast<char>(static_cast<unsigned char>(flipped[bit / 8]) ^ (1u << (bit % 8)));
    Diagnostics findings;
    const auto elf = read_note_elf(flipped, findings);
    EXPECT_TRUE(elf || findings.has_errors()) << bit;
  }
}

}  // namespace
}  // namespace note_test
