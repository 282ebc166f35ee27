#include <algorithm>
#include <random>
#include <set>

#include "samples.hpp"

namespace amdcompat::classify_test {
namespace {

using Kind = FileKind;
using test::Bytes;
using test::bytes_of;

// A bare ELF header, enough for what shows in it.
Bytes elf_header(std::uint16_t machine, unsigned os_abi = 0, unsigned abi_version = 0, unsigned data = 1) {
  Bytes bytes(64);
  const auto put = [&](std::size_t at, unsigned value) { bytes[at] = static_cast<std::byte>(value); };
  put(0, 0x7f);
  put(1, 'E');
  put(2, 'L');
  put(3, 'F');
  put(4, 2);
  put(5, data);
  put(6, 1);
  put(7, os_abi);
  put(8, abi_version);
  put(16, 3);
  put(18, machine & 0xffu);
  put(19, machine >> 8);
  put(20, 1);
  return bytes;
}

Bytes random_bytes(std::size_t size) {
  std::mt19937 random(20120217);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// A 64-bit code object with one note section.
Bytes hsa_with_note(std::uint16_t type, std::string_view owner, std::uint32_t note_type, std::uint32_t major) {
  Bytes bytes = elf_header(224, 64);
  const auto put = [&](std::size_t at, std::uint64_t value, std::size_t size) {
    if (bytes.size() < at + size) bytes.resize(at + size);
    for (std::size_t i = 0; i < size; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
  };
  put(16, type, 2);
  put(40, 128, 8);  // e_shoff
  put(52, 64, 2);
  put(58, 64, 2);
  put(60, 2, 2);
  put(64, owner.size() + 1, 4);
  put(68, 8, 4);
  put(72, note_type, 4);
  for (std::size_t i = 0; i < owner.size(); ++i) put(76 + i, static_cast<unsigned char>(owner[i]), 1);
  const std::size_t description = 76 + (owner.size() + 4) / 4 * 4;
  put(description, major, 4);
  put(128 + 64 + 4, 7, 4);                          // sh_type SHT_NOTE
  put(128 + 64 + 24, 64, 8);                        // sh_offset
  put(128 + 64 + 32, description + 8 - 64, 8);      // sh_size
  put(128 + 127, 0, 1);
  return bytes;
}

struct Case {
  std::string_view what;
  Bytes bytes;
  Kind kind;
};

std::vector<Case> cases() {
  using namespace std::string_literals;
  std::vector<Case> all{
      {"nothing", {}, Kind::Empty},
      {"one of our containers", test::build(test::container()), Kind::Cl1Gpu},
      {"our 64-bit container", test::build(test::container(AddressBits::Bits64)), Kind::Cl1Gpu},
      {"a header of a device that never was", elf_header(0x4ff), Kind::Cl1Gpu},
      {"complib's AMDIL", elf_header(0x4154), Kind::Cl1Gpu},
      {"CPU without extensions", elf_header(2001), Kind::Cl1Cpu},
      {"CPU with all of them", elf_header(2016), Kind::Cl1Cpu},
      {"a machine after the CPUs", elf_header(2017), Kind::OtherElf},
      {"HSAIL 64", elf_header(0xaf5b), Kind::Cl2},
      {"HSAIL 32", elf_header(0xaf5a), Kind::Cl2},
      {"code object V3", elf_header(224, 64, 1), Kind::HsaV3},
      {"code object V4", elf_header(224, 64, 2), Kind::HsaV4},
      {"code object V5", elf_header(224, 64, 3), Kind::HsaV5},
      {"code object V6", elf_header(224, 64, 4), Kind::HsaV6},
      {"code object of the future", elf_header(224, 64, 5), Kind::OtherElf},
      {"code object V1 by its note", hsa_with_note(2, "AMD", 1, 1), Kind::HsaV1},
      {"code object V2 by its note", hsa_with_note(3, "AMD", 1, 2), Kind::HsaV2},
      {"code object V2 by its metadata", hsa_with_note(3, "AMD", 10, 0), Kind::HsaV2},
      {"code object V3 by its metadata", hsa_with_note(3, "AMDGPU", 32, 0), Kind::HsaV3},
      {"PAL's AMDGPU", elf_header(224, 65), Kind::OtherElf},
      {"x86-64", elf_header(62), Kind::OtherElf},
      {"a big-endian file whose machine only looks right", elf_header(0x3fe, 0, 0, 2), Kind::OtherElf},
      {"ELF magic and no more",
       bytes_of("\x7f"
                "ELF"),
       Kind::OtherElf},
      {"BRIG", bytes_of("HSA BRIG\1\0\0\0"s), Kind::Brig},
      {"an offload bundle", bytes_of("__CLANG_OFFLOAD_BUNDLE__\2\0\0\0"s), Kind::OffloadBundle},
      {"a compressed offload bundle", bytes_of("CCOB\2\0\0\0"s), Kind::OffloadBundle},
      {"IL", bytes_of("il_cs_2_0\ndcl_cb cb0[9]\n"), Kind::AmdilText},
      {"bare metadata", bytes_of(test::metadata_of("k")), Kind::AmdilText},
      {"bare metadata after a remark", bytes_of("; made by hand\n\n" + test::metadata_of("k")), Kind::AmdilText},
      {"metadata of the HSAIL dialect", bytes_of("ARGSTART:__OpenCL_k_kernel\nversion:3:1:104\n"), Kind::AmdilText},
      {"metadata far down", bytes_of(std::string(100'000, 'x') + "\n;ARGSTART:__OpenCL_k_kernel\n"), Kind::AmdilText},
      {"HSAIL of 1.0", bytes_of("module &m:1:0:$full:$large:$default;\n"), Kind::HsailText},
      {"HSAIL of a draft", bytes_of("/* remark */\nversion 1:0:$small;\nkernel &__OpenCL_k_kernel(\n"),
       Kind::HsailText},
      {"a program's log about HSAIL", bytes_of("First entry: pragma \"AMD RTI\", \"ARGSTART:__OpenCL_k_kernel\";\n"),
       Kind::Unknown},
      {"prose", bytes_of("version one of the text\n"), Kind::Unknown},
      {"Gallium", bytes_of("\1\0\0\0\3\0\0\0DCT\0\0\0\0\0\0\0\0\0"s), Kind::Gallium},
      {"a length that reaches outside", bytes_of("\1\0\0\0\xff\0\0\0DCT\0\0\0\0\0\0\0\0\0"s), Kind::Unknown},
      {"random bytes", random_bytes(5000), Kind::Encrypted},
      {"a header before random bytes",
       [] {
         Bytes bytes = random_bytes(5000);
         std::fill_n(bytes.begin(), 64, std::byte{});
         return bytes;
       }(),
       Kind::Encrypted},
      {"too few random bytes to tell", random_bytes(500), Kind::Unknown},
      {"zeros", Bytes(5000), Kind::Unknown},
  };
  return all;
}

TEST(Classify, NamesEveryKindOfFile) {
  for (const Case& c : cases()) EXPECT_EQ(identify(c.bytes), c.kind) << c.what;
}

TEST(Classify, NeverReadsOutsideATruncatedFile) {
  for (const Case& c : cases()) {
    const std::size_t most = std::min<std::size_t>(c.bytes.size(), 3000);
    for (std::size_t size = 0; size < most; ++size) {
      const Bytes cut(c.bytes.begin(), c.bytes.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(kind_name(identify(cut)).empty());
    }
  }
}

TEST(Classify, GivesEveryKindANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(Kind::Unknown); ++kind)
    EXPECT_TRUE(names.insert(kind_name(static_cast<Kind>(kind))).second) << kind;
}

TEST(Refusal, HasOneCodeForEachKindAndSaysWhatTheFileIs) {
  const auto code = [](const Bytes& bytes) { return refusal(bytes).code; };
  for (const Case& c : cases()) {
    if (c.kind == Kind::Cl1Gpu) continue;
    Diagnostics diagnostics;
    const auto read = cl1::read(c.bytes, diagnostics);
    ASSERT_FALSE(read) << c.what;
    ASSERT_EQ(diagnostics.all().size(), 1u) << c.what;
    const Diagnostic& refused = diagnostics.all().front();
    EXPECT_EQ(refused.code, code(c.bytes)) << c.what;
    EXPECT_EQ(refused.severity, Severity::Error) << c.what;
    EXPECT_GT(refused.message.size(), 20u) << c.what;
  }
  EXPECT_EQ(code(elf_header(0xaf5b)), Code::FileIsCl2);
  EXPECT_EQ(code(elf_header(224, 64, 2)), Code::FileIsHsa);
  EXPECT_EQ(code(elf_header(62)), Code::FileIsOtherElf);
  EXPECT_EQ(code(random_bytes(5000)), Code::Cl1EncryptedBinary);
}

TEST(Refusal, NamesTheCpuItsFeaturesAndTheDriver) {
  cl1::ContainerSpec spec = test::container();
  spec.machine = 0x7d4;
  spec.kernels.clear();
  spec.driver = "@(#) OpenCL 1.2 AMD-APP (1800.5).  Driver version: 1800.5 (sse2,avx)";
  const Diagnostic refused = refusal(test::build(spec));
  EXPECT_EQ(refused.code, Code::Cl1CpuBinary);
  EXPECT_NE(refused.message.find("e_machine 0x7d4: x86 with SSE2, AVX"), std::string::npos) << refused.message;
  EXPECT_NE(refused.message.find("Driver version: 1800.5"), std::string::npos) << refused.message;
  EXPECT_EQ(refused.where, (SourceRange{18, 2}));

  spec.elf_bits = AddressBits::Bits64;
  spec.machine = 2001;
  EXPECT_NE(refusal(test::build(spec)).message.find("x86-64 with no vector extensions"), std::string::npos);
}

}  // namespace
}  // namespace amdcompat::classify_test
