#include "broken.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include <fmt/format.h>

#include "cl2_samples.hpp"
#include "container_description.hpp"

namespace corpus {

namespace {

using amdcompat::Code;
namespace cl1 = amdcompat::cl1;
using Bytes = std::vector<std::byte>;

// Small and whole: one kernel, one data segment. Everything else is made from it.
constexpr std::string_view kWhole = R"(class: 32
device: pitcairn
compile-options: -O2
linker-options: -link
driver: @(#) OpenCL 1.2 AMD-APP (1702.3).  Driver version: 1702.3 (VM)
global: 0
  ;#DATASTART:16
  ;#i32:0:4:1:2:3:4
  ;#DATAEND
kernel: fill
metadata:
  ;ARGSTART:__OpenCL_fill_kernel
  ;version:3:1:111
  ;device:pitcairn
  ;uniqueid:1024
  ;memory:hwlocal:512
  ;pointer:out:float:1:1:0:uav:12:4:RW:0:0
  ;uavid:11
  ;ARGEND:__OpenCL_fill_kernel
header: hwlocal=512
image: pitcairn vgprs=7 sgprs=14 lds=512 wavefront=64
)";

// A defect of this program, not of any input.
[[noreturn]] void fail(const std::string& why) { throw std::logic_error("corpus/broken.cpp: " + why); }

cl1::ContainerSpec whole() {
  auto spec = parse_container(kWhole);
  if (!spec) fail(spec.error());
  return std::move(*spec);
}

Bytes built(const cl1::ContainerSpec& spec) {
  auto bytes = cl1::build(spec);
  if (!bytes) fail(bytes.error().message);
  return std::move(*bytes);
}

Bytes specified(const std::function<void(cl1::ContainerSpec&)>& change) {
  cl1::ContainerSpec spec = whole();
  change(spec);
  return built(spec);
}

// The container read, changed where it is wrong to, and written without asking.
Bytes edited(const std::function<void(cl1::Binary&)>& change) {
  amdcompat::Diagnostics ignored;
  auto binary = cl1::read(built(whole()), ignored);
  if (!binary) fail(binary.error().message);
  change(*binary);
  return cl1::write(*binary);
}

cl1::Symbol& symbol_called(cl1::Binary& binary, std::string_view name) {
  const auto found =
      std::ranges::find_if(binary.symbols, [&](const cl1::Symbol& symbol) { return binary.text(symbol.name) == name; });
  if (found == binary.symbols.end()) fail(fmt::format("no symbol {}", name));
  return *found;
}

cl1::Section& section_called(cl1::Binary& binary, std::string_view name) {
  const auto found = std::ranges::find_if(
      binary.sections, [&](const cl1::Section& section) { return binary.text(section.name) == name; });
  if (found == binary.sections.end()) fail(fmt::format("no section {}", name));
  return *found;
}

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i) bytes.at(at + i) = static_cast<std::byte>(value >> (8 * i));
}

Bytes with_image(Bytes image) {
  return specified([&](cl1::ContainerSpec& spec) { spec.kernels[0].image = std::move(image); });
}
// A word of the good image changed. Its parts: program headers at 0x34, dictionary at 0x94, notes at 0x1c0.
Bytes image_with(std::size_t at, std::uint32_t value) {
  return specified([&](cl1::ContainerSpec& spec) { put(spec.kernels[0].image, at, value); });
}

// An ELF header and nothing else.
Bytes bare_elf(std::uint16_t machine, std::uint8_t os_abi = 0, std::uint8_t abi_version = 0) {
  Bytes bytes(64);
  put(bytes, 0, std::uint32_t{0x464c457f});
  put(bytes, 4, std::uint32_t{0x00010102} | std::uint32_t{os_abi} << 24);  // ELF64, little-endian, version 1
  put(bytes, 8, abi_version);
  put(bytes, 16, std::uint16_t{2});
  put(bytes, 18, machine);
  return bytes;
}

// Bytes that no statistic tells from random ones. [xorshift32]
Bytes noise(std::size_t count) {
  Bytes bytes(count);
  std::uint32_t state = 0x2545f491;
  for (std::byte& byte : bytes) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    byte = static_cast<std::byte>(state >> 11);
  }
  return bytes;
}

std::string without_line(std::string text, std::string_view start) {
  const std::size_t at = text.find(start);
  if (at == std::string::npos) fail(fmt::format("no line {}", start));
  return text.erase(at, text.find('\n', at) + 1 - at);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

std::vector<BrokenFile> broken_files() {
  using namespace std::string_view_literals;
  std::vector<BrokenFile> out;
  const auto add = [&out](Code code, std::string what, Bytes bytes) {
    out.push_back({code, std::move(what), std::move(bytes)});
  };

  // --- what a file is ---
  add(Code::FileEmpty, "a file of 0 bytes", {});
  add(Code::FileKindUnknown, "bytes of no known format", bytes_of("PK\x03\x04 no kernels in here"));
  add(Code::FileIsOtherElf, "the header of an x86-64 program", bare_elf(62));
  add(Code::Cl1CpuBinary, "the header of a program for CPUs with SSE2 and AVX", bare_elf(2001 + 3));
  add(Code::Cl1EncryptedBinary, "4096 bytes without any structure", noise(4096));
  add(Code::Cl1SourceOnly, "a container that holds OpenCL C only", specified([](cl1::ContainerSpec& spec) {
        spec.kernels.clear();
        spec.globals.clear();
        spec.source = "kernel void fill(global float* out) {}";
      }));
  add(Code::ObjectTargetUnknown, "the header of a code object V3 for machine 0", bare_elf(224, 64, 1));
  add(Code::FileIsGallium, "the first bytes of a Mesa clover binary",
      bytes_of("\1\0\0\0\4\0\0\0fill\0\0\0\0\0\0\0\0\0\0\0\0"sv));
  add(Code::FileIsBrig, "the first bytes of a BRIG module", bytes_of("HSA BRIG\1\0\0\0\0\0\0\0"sv));
  add(Code::BundleBroken, "the first bytes of an offload bundle",
      bytes_of("__CLANG_OFFLOAD_BUNDLE__\2\0\0\0\0\0\0\0"sv));

  // --- ELF ---
  Bytes cut = built(whole());
  cut.resize(40);
  add(Code::ElfHeaderBroken, "a container cut after 40 bytes", std::move(cut));
  add(Code::ElfSectionTableBroken, "e_shnum of 9999", edited([](cl1::Binary& b) { b.header.shnum = 9999; }));
  add(Code::ElfSegmentTableBroken, "three program headers far outside the file", edited([](cl1::Binary& b) {
        b.header.phnum = 3;
        b.header.phentsize = 32;
        b.header.phoff = 0x7fffffff;
      }));
  add(Code::ElfSectionOutside, "a .comment of two gigabytes",
      edited([](cl1::Binary& b) { section_called(b, ".comment").size = 0x7fffffff; }));
  add(Code::ElfSymbolTableBroken, "symbol table entries of 17 bytes",
      edited([](cl1::Binary& b) { section_called(b, ".symtab").entsize = 17; }));
  add(Code::ElfNameBroken, "a section name outside the string table",
      edited([](cl1::Binary& b) { section_called(b, ".comment").name_offset = 99'999; }));

  // --- CL1 containers ---
  add(Code::Cl1NoKernels, "a container without kernels", specified([](cl1::ContainerSpec& s) { s.kernels.clear(); }));
  add(Code::Cl1UnknownDevice, "an e_machine that no driver used",
      specified([](cl1::ContainerSpec& s) { s.machine = 0x4ff; }));
  add(Code::Cl1DuplicateSymbol, "the data segment's symbol renamed to that of the header", edited([](cl1::Binary& b) {
        symbol_called(b, "__OpenCL_0_global").name_offset = symbol_called(b, "__OpenCL_fill_header").name_offset;
      }));
  add(Code::Cl1SymbolOutside, "a metadata symbol of 64 KiB in a smaller section",
      edited([](cl1::Binary& b) { symbol_called(b, "__OpenCL_fill_metadata").size = 0x10000; }));
  add(Code::Cl1KernelWithoutMetadata, "a kernel with header and code only",
      specified([](cl1::ContainerSpec& s) { s.kernels[0].metadata.clear(); }));
  add(Code::Cl1EmptyMetadata, "a metadata symbol of 0 bytes",
      edited([](cl1::Binary& b) { symbol_called(b, "__OpenCL_fill_metadata").size = 0; }));
  add(Code::Cl1KernelWithoutHeader, "a kernel without header",
      specified([](cl1::ContainerSpec& s) { s.kernels[0].header.reset(); }));
  add(Code::Cl1HeaderSize, "a header of 28 bytes",
      edited([](cl1::Binary& b) { symbol_called(b, "__OpenCL_fill_header").size = 28; }));
  add(Code::Cl1HeaderVersion, "a header of version 2",
      specified([](cl1::ContainerSpec& s) { s.kernels[0].header->version = 2; }));
  add(Code::Cl1KernelWithoutImage, "a kernel with neither code nor IL",
      specified([](cl1::ContainerSpec& s) { s.kernels[0].image.clear(); }));
  add(Code::Cl1KernelIlOnly, "a kernel with IL in place of code", specified([](cl1::ContainerSpec& s) {
        s.kernels[0].image.clear();
        s.kernels[0].il = "il_cs_2_0\nend\n";
      }));
  add(Code::Cl1NameTooLong, "a kernel name of 2000 letters",
      specified([](cl1::ContainerSpec& s) { s.kernels[0].name = std::string(2000, 'k'); }));
  add(Code::Cl1DataSegmentIndex, "the symbol __OpenCL_x_global",
      edited([](cl1::Binary& b) { b.bytes[symbol_called(b, "__OpenCL_0_global").subject.begin] = std::byte{'x'}; }));
  add(Code::Cl1SharedContents, "200 kernels that share one large metadata text", [] {
    cl1::ContainerSpec spec = whole();
    const cl1::KernelSpec first = spec.kernels[0];
    spec.kernels.clear();
    for (int i = 0; i < 200; ++i) {
      cl1::KernelSpec& kernel = spec.kernels.emplace_back();
      kernel.name = fmt::format("k{}", i);
      kernel.metadata = first.metadata;
    }
    amdcompat::Diagnostics ignored;
    auto binary = cl1::read(built(spec), ignored);
    if (!binary) fail(binary.error().message);
    const std::uint64_t size = section_called(*binary, ".rodata").size;
    for (cl1::Symbol& symbol : binary->symbols)
      if (symbol.role == cl1::Role::KernelMetadata) {
        symbol.value = 0;
        symbol.size = size;
      }
    return cl1::write(*binary);
  }());

  // --- CAL images ---
  add(Code::CalImageBroken, "text where the machine code belongs", with_image(bytes_of("no image at all")));
  add(Code::CalDictionaryBroken, "a program header of another type", image_with(0x34, 1));
  add(Code::CalEncodingOutside, "an encoding of two gigabytes", image_with(0x94 + 12, 0x7fffffff));
  add(Code::CalNoEncodingForDevice, "machine code for Capeverde in a container for Pitcairn", image_with(0x94, 0x1c));
  add(Code::CalDeviceCodeUnknown, "a device whose machine code number no one knows",
      specified([](cl1::ContainerSpec& s) {
        s.machine = amdcompat::find_device("redwood")->e_machine;
        s.kernels[0].metadata = replaced(s.kernels[0].metadata, "pitcairn", "redwood");
      }));
  add(Code::CalNoteBroken, "a note of two gigabytes", image_with(0x1c0 + 4, 0x7fffffff));
  add(Code::CalNoProgramInfo, "an image without program information", [] {
    cl1::EncodingSpec spec = encoding_for(*amdcompat::find_device("pitcairn"), {});
    spec.program_info.clear();
    auto image = cl1::build_cal_image(std::span(&spec, 1));
    if (!image) fail(image.error().message);
    return with_image(std::move(*image));
  }());

  const auto with_encoding = [&](auto&& change) {
    cl1::EncodingSpec spec =
        encoding_for(*amdcompat::find_device("pitcairn"), {.known = true, .vgprs = 6, .sgprs = 14, .lds_bytes = 512});
    change(spec);
    auto image = cl1::build_cal_image(std::span(&spec, 1));
    if (!image) fail(image.error().message);
    return with_image(std::move(*image));
  };
  add(Code::CalProgramInfoDiffers, "program information with another amount of local memory",
      with_encoding([](cl1::EncodingSpec& s) { s.program_info.back().value = 0x4000; }));
  add(Code::CalBuffersDiffer, "a list of UAVs with one that the metadata does not have",
      with_encoding([](cl1::EncodingSpec& s) { s.notes = {{cl1::kCalNoteUavs, {12, 4, 0, 5, 40, 4, 0, 5}}}; }));
  add(Code::CalSamplersDiffer, "a list of samplers with one that the metadata does not have",
      with_encoding([](cl1::EncodingSpec& s) { s.notes = {{cl1::kCalNoteSamplers, {0, 3}}}; }));

  // --- the texts in a container ---
  add(Code::NulByte, "a NUL inside the metadata", specified([](cl1::ContainerSpec& s) {
        s.kernels[0].metadata.insert(s.kernels[0].metadata.find("float"), 1, '\0');
      }));
  add(Code::HeaderDiffers, "a header with another amount of local memory",
      specified([](cl1::ContainerSpec& s) { s.kernels[0].header->hardware_local_size = 64; }));
  add(Code::BlockNotOfSymbol, "the metadata of kernel 'fill' in the symbol of kernel 'scale'",
      specified([](cl1::ContainerSpec& s) { s.kernels[0].name = "scale"; }));
  add(Code::NoBlock, "metadata without ;ARGSTART", specified([](cl1::ContainerSpec& s) {
        s.kernels[0].metadata = without_line(without_line(s.kernels[0].metadata, ";ARGSTART"), ";ARGEND");
      }));
  add(Code::ExtraBlock, "two kernels' metadata in one symbol", specified([](cl1::ContainerSpec& s) {
        s.kernels[0].metadata += replaced(s.kernels[0].metadata, "fill", "scale");
      }));

  // --- CL2 ---
  const std::vector<Cl2Sample> samples = cl2_samples();
  const auto sample = std::ranges::find(samples, "cl2-fiji-pipes.clo", &Cl2Sample::name);
  if (sample == samples.end()) fail("no sample with pipes");
  auto binary_only = amdcompat::cl2::build(sample->spec);
  if (!binary_only) fail(binary_only.error().message);
  add(Code::KernelWithoutText, "a CL2 container without a BRIG module", std::move(*binary_only));
  return out;
}

}  // namespace corpus
