// Telling files apart by what they are, cheaply and without trusting any number in them.
//
// Nearly every kind shows in its first bytes or in e_machine. Three do not: HSA V1 and V2 differ by the version in
// a note, BRIG in an ELF shares its e_machine with CL2 binaries, and text needs a look at how its lines begin.
//
// Encrypted programs are not sections of an ELF: AMD's runtime enciphered the whole image with Blowfish and put at
// most 64 bytes of a header, whose form was never published, before it [RT device.cpp createElfBinary, decryptElf].
// So such a file shows only as bytes without structure, which a compressed file does too; the refusal says both.
// An ELF with a section or symbol named after encryption is refused by the reader; none was observed.
#include <amdcompat/identify.hpp>

#include <algorithm>
#include <array>

#include "describe.hpp"
#include <elf/elf_view.hpp>
#include <elf/little_endian.hpp>
#include <elf/names.hpp>

namespace amdcompat {
namespace {

using cl1::find_driver;
using elf::as_text;
using elf::load;
using elf::quoted;

// e_machine of the outer ELF. [RT14 elf.hpp, target_mappings]
constexpr std::uint16_t kCalBase = 1001;
constexpr std::uint16_t kCpuBase = 2001;
constexpr std::uint16_t kCpuLast = 2016;  // base + feature bits 0..0xf
constexpr std::uint16_t kAmdil = 0x4154;
constexpr std::uint16_t kAmdil64 = 0x4155;
constexpr std::uint16_t kHsail = 0xaf5a;
constexpr std::uint16_t kHsail64 = 0xaf5b;
constexpr std::uint16_t kAmdGpu = 224;
constexpr unsigned kOsAbiHsa = 64;

constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedBundleMagic = "CCOB";
constexpr std::string_view kBrigMagic = "HSA BRIG";

// Enough to tell a text's dialect; further directives are looked for with one search over the rest.
constexpr std::size_t kTextProbe = 65'536;

bool starts_with_any(std::string_view text, std::span<const std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

bool is_text(std::string_view probe) {
  return std::ranges::none_of(probe, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f' && byte != '\v' && byte != 0x1a;
  });
}

// HSAIL of 1.0 and of the two provisional versions; "version 1:0:$small;", "module &name:1:0:$full:…".
bool is_hsail_line(std::string_view line) {
  constexpr std::array<std::string_view, 6> kStarts{"module &", "kernel &",     "prog kernel &",
                                                    "pragma ",  "blockstring ", "decl prog function &"};
  if (starts_with_any(line, kStarts)) return true;
  return line.starts_with("version ") && line.find(":$") != std::string_view::npos;
}

bool is_amdil_line(std::string_view line) {
  constexpr std::array<std::string_view, 14> kStarts{
      "il_cs_",    "il_ps_",   "il_vs_",     "mdef(",    "ARGSTART:", ";ARGSTART:", ";#DATASTART",
      ";version:", ";device:", ";uniqueid:", ";memory:", ";value:",   ";pointer:",  ";DEBUGSTART"};
  return starts_with_any(line, kStarts);
}

FileKind classify_text(std::string_view text) {
  std::string_view probe = text.substr(0, kTextProbe);
  while (!probe.empty()) {
    const std::size_t end = std::min(probe.find('\n'), probe.size());
    std::string_view line = probe.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (is_hsail_line(line)) return FileKind::HsailText;
    if (is_amdil_line(line)) return FileKind::AmdilText;
    probe.remove_prefix(std::min(end + 1, probe.size()));
  }
  return text.find("\n;ARGSTART:") != std::string_view::npos ? FileKind::AmdilText : FileKind::Unknown;
}

// Mesa's clover writes {u32 symbols, then for each {u32 length, name, …}, …}: no magic number, so that only a name
// that a kernel can have tells. Observed in the Gallium files of CLRX's tests; no document found.
bool is_gallium(std::span<const std::byte> bytes) {
  if (bytes.size() < 16) return false;
  const auto symbols = load<std::uint32_t>(bytes, 0);
  const auto length = load<std::uint32_t>(bytes, 4);
  if (symbols == 0 || symbols > 0xffff || length == 0 || length > 4096 || length > bytes.size() - 8) return false;
  const std::string_view name = as_text(bytes.subspan(8, length));
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return is_letter(name.front()) && std::ranges::all_of(name, [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '$' || c == '.';
         });
}

// Whether the byte values are as evenly spread as random ones: chi-square of 255 degrees of freedom, whose mean is
// 255 and standard deviation 22.6. Machine code, text and tables are off by thousands.
bool is_random(std::span<const std::byte> bytes) {
  constexpr std::size_t kHeader = 64;  // what may stand before the enciphered image
  constexpr std::size_t kSample = 65'536;
  constexpr std::size_t kLeast = 1024;
  if (bytes.size() < kHeader + kLeast) return false;
  const auto sample = bytes.subspan(kHeader, std::min(bytes.size() - kHeader, kSample));
  std::array<double, 256> counts{};
  for (const std::byte byte : sample) ++counts[std::to_integer<std::size_t>(byte)];
  const double expected = static_cast<double>(sample.size()) / 256;
  double chi_square = 0;
  for (const double count : counts) chi_square += (count - expected) * (count - expected) / expected;
  return chi_square < 400;
}

bool has_brig_sections(std::span<const std::byte> bytes) {
  const auto view = elf::ElfView::open(bytes);
  if (!view) return false;
  return std::ranges::any_of(view->sections(), [&](const elf::Section& section) {
    const std::string_view name = view->text(section.name);
    return name.starts_with(".brig_") || name == "hsa_code";
  });
}

// The version an ABI version of 0 leaves open: note 1 of "AMD" says 1 or 2; without it, the type does.
FileKind classify_old_hsa(std::span<const std::byte> bytes, bool hsa_abi) {
  const auto view = elf::ElfView::open(bytes);
  if (!view) return FileKind::OtherElf;
  const auto version_in = [&](SourceRange range) -> FileKind {
    for (const elf::Note& note : view->notes(range).notes) {
      const std::string_view name = view->text(note.name);
      const auto description = view->view(note.description);
      if (name.starts_with("AMDGPU") && note.type == 32) return FileKind::HsaV3;
      if (!name.starts_with("AMD") || name.starts_with("AMDGPU")) continue;
      if (note.type == 1 && description.size() >= 4)
        return load<std::uint32_t>(description, 0) <= 1 ? FileKind::HsaV1 : FileKind::HsaV2;
      if (note.type == 10) return FileKind::HsaV2;
    }
    return FileKind::Unknown;
  };
  // A few are enough for real files; a hostile one may name the same bytes thousands of times.
  std::size_t left = 16;
  for (const elf::Section& section : view->sections())
    if (section.type == elf::kSectionNote && left-- > 0)
      if (const FileKind kind = version_in(section.contents); kind != FileKind::Unknown) return kind;
  for (const elf::Segment& segment : view->segments())
    if (segment.type == elf::kSegmentNote && left-- > 0)
      if (const FileKind kind = version_in(segment.contents); kind != FileKind::Unknown) return kind;
  return hsa_abi ? FileKind::HsaV2 : FileKind::OtherElf;
}

FileKind classify_hsa(std::span<const std::byte> bytes) {
  const auto os_abi = std::to_integer<unsigned>(bytes[7]);
  const auto abi_version = std::to_integer<unsigned>(bytes[8]);
  if (os_abi != kOsAbiHsa && os_abi != 0) return FileKind::OtherElf;
  switch (abi_version) {
    case 0: return classify_old_hsa(bytes, os_abi == kOsAbiHsa);
    case 1: return FileKind::HsaV3;
    case 2: return FileKind::HsaV4;
    case 3: return FileKind::HsaV5;
    case 4: return FileKind::HsaV6;
    default: return FileKind::OtherElf;
  }
}

FileKind classify_elf(std::span<const std::byte> bytes) {
  if (bytes.size() < 20 || std::to_integer<unsigned>(bytes[5]) != 1) return FileKind::OtherElf;
  const auto machine = load<std::uint16_t>(bytes, 18);
  if (machine >= kCpuBase && machine <= kCpuLast) return FileKind::Cl1Cpu;
  if ((machine >= kCalBase && machine < kCpuBase) || machine == kAmdil || machine == kAmdil64) return FileKind::Cl1Gpu;
  if (machine == kHsail || machine == kHsail64) return has_brig_sections(bytes) ? FileKind::Brig : FileKind::Cl2;
  if (machine == kAmdGpu) return classify_hsa(bytes);
  return machine == 0 && has_brig_sections(bytes) ? FileKind::Brig : FileKind::OtherElf;
}

// One bit each of e_machine − 2001. [RT14 cpusettings.cpp; the driver strings of real files name the same features]
std::string cpu_features(std::uint16_t machine) {
  constexpr std::array<std::string_view, 4> kNames{"SSE2", "AVX", "FMA3", "FMA4"};
  std::string features;
  for (std::size_t bit = 0; bit < kNames.size(); ++bit)
    if (((machine - kCpuBase) >> bit & 1) != 0)
      features += fmt::format("{}{}", features.empty() ? "" : ", ", kNames[bit]);
  return features.empty() ? "no vector extensions" : features;
}

std::string driver_of(std::span<const std::byte> bytes) {
  const auto view = elf::ElfView::open(bytes);
  if (!view) return {};
  for (const elf::Section& section : view->sections())
    if (view->text(section.name) == ".comment")
      return std::string(view->text(find_driver(section.contents, view->text(section.contents))).substr(0, 200));
  return {};
}

std::string_view machine_name(std::uint16_t machine) {
  switch (machine) {
    case 3: return "x86";
    case 40: return "ARM";
    case 62: return "x86-64";
    case 125: return "a CAL image, the inside of a CL1 container";
    case 183: return "AArch64";
    case 190: return "NVIDIA CUDA";
    case 224: return "AMDGPU for Mesa, PAL or a code object version above 6";
    default: return "unknown to this tool";
  }
}

}  // namespace

FileKind identify(std::span<const std::byte> bytes) {
  if (bytes.empty()) return FileKind::Empty;
  if (elf::has_elf_magic(bytes)) return classify_elf(bytes);
  const std::string_view text = as_text(bytes);
  if (text.starts_with(kBundleMagic) || text.starts_with(kCompressedBundleMagic)) return FileKind::OffloadBundle;
  if (text.starts_with(kBrigMagic)) return FileKind::Brig;
  if (is_text(text.substr(0, 4096))) return classify_text(text);
  if (is_gallium(bytes)) return FileKind::Gallium;
  return is_random(bytes) ? FileKind::Encrypted : FileKind::Unknown;
}

std::string_view kind_name(FileKind kind) {
  switch (kind) {
    case FileKind::Empty: return "empty file";
    case FileKind::Cl1Gpu: return "CL1 GPU container";
    case FileKind::Cl1Cpu: return "CL1 CPU container";
    case FileKind::Cl2: return "CL2 container";
    case FileKind::HsaV1: return "HSA code object V1";
    case FileKind::HsaV2: return "HSA code object V2";
    case FileKind::HsaV3: return "HSA code object V3";
    case FileKind::HsaV4: return "HSA code object V4";
    case FileKind::HsaV5: return "HSA code object V5";
    case FileKind::HsaV6: return "HSA code object V6";
    case FileKind::Brig: return "BRIG module";
    case FileKind::HsailText: return "HSAIL text";
    case FileKind::AmdilText: return "AMDIL text";
    case FileKind::Gallium: return "Gallium binary";
    case FileKind::OffloadBundle: return "clang offload bundle";
    case FileKind::Encrypted: return "encrypted or compressed data";
    case FileKind::OtherElf: return "other ELF file";
    case FileKind::Unknown: return "unknown";
  }
  return "unknown";
}

Diagnostic refusal(std::span<const std::byte> bytes) {
  const FileKind kind = identify(bytes);
  const auto whole = [&](Code code, std::string message) {
    return make_diagnostic(code, {0, static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), 4))},
                           std::move(message));
  };
  const auto machine = bytes.size() >= 20 ? load<std::uint16_t>(bytes, 18) : std::uint16_t{0};
  const SourceRange machine_range{18, 2};
  switch (kind) {
    case FileKind::Empty: return make_diagnostic(Code::FileEmpty, {}, "the file is empty; nothing can be read from it");
    case FileKind::Cl1Gpu: return make_diagnostic(Code::ElfHeaderBroken, {}, "a CL1 GPU container that cannot be read");
    case FileKind::Cl1Cpu: {
      const std::string driver = driver_of(bytes);
      return make_diagnostic(
          Code::Cl1CpuBinary, machine_range,
          fmt::format("an AMD OpenCL 1.x binary for the CPU (e_machine 0x{:x}: {} with {}{}); it holds x86 code and no "
                      "GPU kernel, "
                      "so there is nothing to convert: compile the program for a GPU device, or convert its GPU binary",
                      machine, std::to_integer<unsigned>(bytes[4]) == 2 ? "x86-64" : "x86", cpu_features(machine),
                      driver.empty() ? std::string() : fmt::format("; built by {}", quoted(driver))));
    }
    case FileKind::Cl2:
      return make_diagnostic(
          Code::FileIsCl2, machine_range,
          fmt::format("an AMD OpenCL 2.0 (HSAIL) container, e_machine 0x{:x}: cl2::read reads it, cl1::read does not",
                      machine));
    case FileKind::HsaV1:
    case FileKind::HsaV2:
    case FileKind::HsaV3:
    case FileKind::HsaV4:
    case FileKind::HsaV5:
    case FileKind::HsaV6:
      return make_diagnostic(
          Code::FileIsHsa, machine_range,
          fmt::format("an {}, no legacy container; this reader takes OpenCL 1.x containers", kind_name(kind)));
    case FileKind::Brig:
      return whole(Code::FileIsBrig,
                   "a BRIG module (HSAIL in binary form); it holds no machine code, and its pragmas are not read");
    case FileKind::HsailText:
      return whole(Code::FileIsHsailText, "HSAIL assembly text; its kernels can be read from the \"AMD RTI\" pragmas "
                                          "as metadata text, not as a container");
    case FileKind::AmdilText:
      return whole(Code::FileIsAmdilText, "AMDIL or metadata text; it can be read as text, it is no container");
    case FileKind::Gallium:
      return whole(Code::FileIsGallium, "a Gallium (Mesa clover) binary; its argument tables are Mesa's own, with none "
                                        "of AMD's metadata, so nothing can be converted");
    case FileKind::OffloadBundle:
      return whole(Code::FileIsOffloadBundle,
                   "a clang offload bundle; extract its code objects with clang-offload-bundler and give those");
    case FileKind::Encrypted:
      return whole(
          Code::Cl1EncryptedBinary,
          "bytes without any structure: an encrypted or compressed file; AMD's runtime enciphered whole programs with "
          "a key of its "
          "own, so only the unencrypted binary can be converted (decompress the file first if it is compressed)");
    case FileKind::OtherElf:
      if (bytes.size() < 20)
        return make_diagnostic(Code::ElfHeaderBroken, {0, static_cast<std::uint32_t>(bytes.size())},
                               fmt::format("an ELF file cut short after {} bytes", bytes.size()));
      return make_diagnostic(
          Code::FileIsOtherElf, machine_range,
          fmt::format("an ELF file for machine 0x{:x} ({}), no AMD OpenCL program", machine, machine_name(machine)));
    case FileKind::Unknown: break;
  }
  return whole(Code::FileKindUnknown, "neither an AMD OpenCL container nor metadata text; nothing can be read from it");
}

}  // namespace amdcompat
