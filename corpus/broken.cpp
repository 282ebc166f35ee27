#include "broken.hpp"
#include <cl1_builder.hpp>
#include <cl2_builder.hpp>
#include <code_object_v2_builder.hpp>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include <fmt/format.h>

#include "cl2_samples.hpp"
#include "code_object_sample.hpp"
#include "code_samples.hpp"
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
  if (!binary) fail(ignored.all().back().message);
  change(*binary);
  return cl1::write(*binary);
}

cl1::Symbol& symbol_called(cl1::Binary& binary, std::string_view name) {
  const auto found =
      std::ranges::find_if(binary.symbols, [&](const cl1::Symbol& symbol) { return binary.text(symbol.name) == name; });
  if (found == binary.symbols.end()) fail(fmt::format("no symbol {}", name));
  return *found;
}

amdcompat::elf::Section& section_called(cl1::Binary& binary, std::string_view name) {
  const auto found = std::ranges::find_if(
      binary.sections, [&](const amdcompat::elf::Section& section) { return binary.text(section.name) == name; });
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

// --- code objects ---

namespace hsa = amdcompat::hsa;

std::string object_file(const hsa::CodeObject& object) {
  auto file = hsa::write_code_object(object);
  if (!file) fail(file.error().message);
  return std::move(*file);
}

Bytes changed_object(const std::function<void(hsa::CodeObject&)>& change) {
  hsa::CodeObject object = code_object_sample();
  change(object);
  return bytes_of(object_file(object));
}

// The file of the sample with `value` in place of what stands `distance` bytes behind the first `pattern`.
template <class T>
Bytes patched_object(std::string_view pattern, std::size_t distance, T value) {
  const std::string file = object_file(code_object_sample());
  const std::size_t at = file.find(pattern);
  if (at == std::string::npos) fail("no such bytes in the code object");
  Bytes bytes = bytes_of(file);
  put(bytes, at + distance, value);
  return bytes;
}
// The beginning of the sample's descriptor: bytes of LDS, of scratch, of kernargs.
constexpr std::string_view kDescriptor("\x80\0\0\0\x10\0\0\0\x18\0\0\0", 12);

Bytes bundle(std::span<const std::string_view> targets, std::uint64_t size) {
  const std::string file = object_file(code_object_sample());
  std::string out = "__CLANG_OFFLOAD_BUNDLE__";
  const auto number = [&out](std::uint64_t value) {
    for (int i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  };
  number(targets.size());
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t pages = (file.size() + kPage - 1) / kPage;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::string id = fmt::format("hipv4-amdgcn-amd-amdhsa--{}", targets[i]);
    number(kPage + i * pages * kPage);
    number(size == 0 ? file.size() : size);
    number(id.size());
    out += id;
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    out.resize(kPage + i * pages * kPage, '\0');
    out += file;
  }
  return bytes_of(out);
}

Bytes cl2_sample(std::string_view name, const std::function<void(amdcompat::cl2::ContainerSpec&)>& change = {}) {
  std::vector<Cl2Sample> samples = cl2_samples();
  const auto sample = std::ranges::find(samples, name, &Cl2Sample::name);
  if (sample == samples.end()) fail(fmt::format("no sample {}", name));
  if (change) change(sample->spec);
  auto bytes = amdcompat::cl2::build(sample->spec);
  if (!bytes) fail(bytes.error().message);
  return std::move(*bytes);
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

// A code object of V2 whose metadata has `with` for `what`, and whose setup is changed.
Bytes old_object(
    std::string_view what, std::string_view with,
    const std::function<void(amdcompat::KernelCode&)>& change = [](amdcompat::KernelCode&) {}) {
  hsa::V2Object object;
  object.isa = {{8, 0, 3}};
  object.metadata = replaced(R"(---
Version:         [ 1, 0 ]
Kernels:
  - Name:            k
    SymbolName:      'k@kd'
    Args:
      - { Name: p, Size: 8, Align: 8, ValueKind: GlobalBuffer, AddrSpaceQual: Global }
      - { Name: n, Size: 4, Align: 4, ValueKind: ByValue }
    CodeProps:       { KernargSegmentSize: 12, GroupSegmentFixedSize: 0, PrivateSegmentFixedSize: 0,
                       KernargSegmentAlign: 8, WavefrontSize: 64, NumSGPRs: 8, NumVGPRs: 4, MaxFlatWorkGroupSize: 256 }
...
)",
                             what, with);
  hsa::V2Kernel& kernel = object.kernels.emplace_back();
  kernel.name = "k";
  kernel.setup.user_registers = amdcompat::kSgprKernargPtr;
  kernel.setup.rsrc2 = 2 << 1 | 1 << 7;
  kernel.setup.features = 0xa;
  kernel.setup.kernarg_bytes = 12;
  change(kernel.setup);
  return bytes_of(hsa::build_v2(object));
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
  add(Code::Cl1DataSegmentIndex, "the symbol __OpenCL_x_global", edited([](cl1::Binary& b) {
        Bytes bytes(b.bytes.begin(), b.bytes.end());
        bytes[symbol_called(b, "__OpenCL_0_global").subject.begin] = std::byte{'x'};
        b.bytes = amdcompat::FileBytes(std::move(bytes));
      }));
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
    if (!binary) fail(ignored.all().back().message);
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
  add(Code::KernelWithoutText, "a CL2 container without a BRIG module", cl2_sample("cl2-fiji-pipes.clo"));

  // --- code objects ---
  const auto with_setup = [](const std::function<void(amdcompat::KernelCode&)>& change) {
    return cl2_sample("cl2-hawaii-enqueue.clo",
                      [&](amdcompat::cl2::ContainerSpec& spec) { change(spec.kernels[0].setup); });
  };
  add(Code::KernelCodeUnusual, "a CL2 kernel whose setup gives it no alignment of its arguments",
      with_setup([](amdcompat::KernelCode& setup) { setup.kernarg_align = 0; }));
  add(Code::KernelCodeBitDropped, "a CL2 kernel whose setup asks for a priority",
      with_setup([](amdcompat::KernelCode& setup) { setup.rsrc1 |= 1u << 10; }));
  add(Code::KernelCodeRefused, "a CL2 kernel that wants ordered GDS appends",
      with_setup([](amdcompat::KernelCode& setup) { setup.features |= 1; }));
  add(Code::UserRegisterCount, "a descriptor that enables no user register",
      changed_object([](hsa::CodeObject& o) { o.kernels[0].descriptor->rsrc2 &= ~62u; }));
  add(Code::KernelCodeOverrules, "a V2 object with local memory and registers that its kernel code does not give",
      old_object("GroupSegmentFixedSize: 0", "GroupSegmentFixedSize: 64",
                 [](amdcompat::KernelCode& setup) { setup.kernarg_bytes = 8; }));
  add(Code::V2KeyUnknown, "a V2 object with a damaged key", old_object("NumSGPRs", "NumSGPRz"));
  add(Code::ArgumentsUnknown, "a V2 object without a list of arguments", old_object("Args", "Argz"));
  add(Code::ConversionRefused, "code for a device without XNACK", changed_object([](hsa::CodeObject&) {}));
  add(Code::KeyDropped, "a kernel with a key that came with V5",
      changed_object([](hsa::CodeObject& o) { o.metadata.kernels[0].uniform_work_group_size = 1; }));
  add(Code::FeatureTurnedOn, "code of V5 for any setting of SRAM-ECC", changed_object([](hsa::CodeObject&) {}));
  add(Code::AddressWidth, "a CL2 container of 32 bits", cl2_sample("cl2-spectre-samplers-32.clo"));
  add(Code::StructByReference, "a CL2 kernel with a struct argument", cl2_sample("cl2-tonga-attributes.clo"));
  add(Code::AssemblyRefused, "code beside data that can be written", changed_object([](hsa::CodeObject&) {}));
  add(Code::ObjectVersionUnclear, "an ELF header of version 2 with a note of version 3 or later",
      patched_object("\x7F"
                     "ELF",
                     8, std::uint8_t{0}));
  add(Code::ObjectTargetUnknown, "machine number 255 in the flags",
      patched_object("\x7F"
                     "ELF",
                     48, std::uint8_t{255}));
  add(Code::ObjectNoMetadata, "the note under another type",
      patched_object(std::string_view("\x20\0\0\0AMDGPU", 10), 0, std::uint8_t{33}));
  add(Code::ObjectRelocation, "a relocation of type 99",
      patched_object(std::string_view("\x0D\0\0\0\0\0\0\0", 8), 0, std::uint8_t{99}));
  add(Code::ObjectKernelBroken, "a descriptor that leads to an entry two gigabytes on",
      patched_object(kDescriptor, 16, std::uint32_t{0x7fffff00}));
  add(Code::ObjectKernelUnmatched, "metadata that names another descriptor",
      changed_object([](hsa::CodeObject& o) { o.metadata.kernels[0].symbol = "j.kd"; }));
  add(Code::ObjectTargetDiffers, "metadata for another device than the flags",
      changed_object([](hsa::CodeObject& o) { o.metadata.target = "amdgcn-amd-amdhsa--gfx908"; }));
  add(Code::ObjectAlignment, "an entry four bytes behind the start of the code",
      changed_object([](hsa::CodeObject& o) { o.kernels[0].code = {0, 4, 4}; }));
  add(Code::ObjectReservedBits, "a descriptor with a reserved byte that is not 0",
      changed_object([](hsa::CodeObject& o) { o.kernels[0].descriptor->reserved1[3] = std::byte{1}; }));
  add(Code::ObjectRegisters, "metadata with more vector registers than the descriptor allots",
      changed_object([](hsa::CodeObject& o) { o.metadata.kernels[0].vgpr_count = 200; }));
  add(Code::ObjectSegmentDiffers, "metadata with more local memory than the descriptor",
      changed_object([](hsa::CodeObject& o) { o.metadata.kernels[0].group_segment_fixed_size = 256; }));
  constexpr std::uint16_t kKernargPointer = 1u << 3;  // of the descriptor's properties
  add(Code::ObjectKernargUnused, "a kernel with arguments and a descriptor that asks for no pointer to them",
      changed_object([](hsa::CodeObject& o) { o.kernels[0].descriptor->properties &= ~kKernargPointer; }));
  const auto with_code = [](std::uint32_t word) {
    return changed_object([word](hsa::CodeObject& o) {
      for (std::size_t n = 0; n < 4; ++n) o.code.sections[0].bytes[n] = static_cast<std::byte>(word >> (8 * n) & 255);
    });
  };
  add(Code::ObjectInstruction, "v_pk_fmac_f16, which gfx908 has, in code for gfx906", with_code(0x78000501));
  add(Code::ObjectEncodingUnknown, "code for gfx906 that begins with no instruction", with_code(0x7e01fe00));
  add(Code::ObjectCodeUnchecked, "code for gfx90a", changed_object([](hsa::CodeObject& o) {
        o.target = amdcompat::find_target("gfx90a");
        o.metadata.target = "amdgcn-amd-amdhsa--gfx90a:xnack-";
      }));

  add(Code::OutputTooLarge, "16 kernels, each of which is the end of the code of the one before",
      changed_object([](hsa::CodeObject& o) {
        constexpr std::size_t kWords = 4096, kKernels = 16;
        constexpr std::uint32_t kNop = 0xbf800000, kEnd = 0xbf810000;  // s_nop 0, s_endpgm
        std::vector<std::byte>& text = o.code.sections[0].bytes;
        text.clear();
        for (std::size_t n = 0; n < kWords; ++n)
          for (unsigned bits = 0; bits < 32; bits += 8)
            text.push_back(static_cast<std::byte>((n + 1 == kWords ? kEnd : kNop) >> bits & 255));
        o.code.sections[1].address = 2 * 4 * kWords;
        for (std::size_t n = 1; n < kKernels; ++n) {
          o.kernels.push_back(o.kernels.front());
          o.metadata.kernels.push_back(o.metadata.kernels.front());
          o.kernels.back().name = "k" + std::to_string(n);
          o.metadata.kernels.back().name = o.kernels.back().name;
          o.metadata.kernels.back().symbol = o.kernels.back().name + ".kd";
        }
        for (std::size_t n = 0; n < kKernels; ++n) o.kernels[n].code = {0, 256 * n, text.size() - 256 * n};
      }));

  // --- machine code that is not lifted ---
  const auto scale = [](const std::function<void(Cl1Code&)>& change) {
    Cl1Code code = scale_32();
    change(code);
    return built(container_of(code));
  };
  const auto with_instruction = [&](std::size_t at, std::uint32_t word) {
    return scale([&](Cl1Code& code) {
      for (std::size_t n = 0; n < 4; ++n)
        code.encoding.text[at * 4 + n] = static_cast<std::byte>(word >> (8 * n) & 255);
    });
  };
  const auto with_information = [&](std::uint32_t address, std::uint32_t value) {
    return scale([&](Cl1Code& code) {
      std::ranges::find(code.encoding.program_info, address, &cl1::ProgramInfoEntry::address)->value = value;
    });
  };
  add(Code::LiftDevice, "code for gfx1010", changed_object([](hsa::CodeObject& o) {
        o.target = amdcompat::find_target("gfx1010");
        o.features = {};
        o.metadata.target = "amdgcn-amd-amdhsa--gfx1010";
      }));
  add(Code::LiftScratch, "a kernel with 32,768 dwords of scratch memory", with_information(0x80001045, 32768));
  add(Code::LiftUserData, "a kernel that starts with a table of vertex buffers", with_information(0x80001001, 0x15));
  add(Code::LiftArgument, "a kernel with a semaphore", scale([](Cl1Code& code) {
        code.metadata.insert(code.metadata.find(";function:"), ";sema:turn:0:1:32\n");
        code.metadata.insert(code.metadata.find(";ARGEND:"), ";reflection:2:sema_t\n");
      }));
  add(Code::LiftOpcode, "s_getreg_b32 among the instructions", with_instruction(13, 0xb9000801));
  add(Code::LiftAddress, "a buffer's descriptor loaded from the arguments", with_instruction(2, 0xc2880900));
  add(Code::LiftLanes, "half of EXEC as a factor", with_instruction(13, 0xbe95037e));
  add(Code::LiftFlow, "s_nop in place of the s_endpgm", with_instruction(18, 0xbf800000));
  add(Code::LiftForm, "a kernel with 2,048 dwords of scratch memory for each lane", with_information(0x80001045, 2048));

  constexpr std::string_view kOne[] = {"gfx906"}, kTwo[] = {"gfx906", "gfx90a"};
  add(Code::BundleBroken, "a bundle whose entry is longer than the file", bundle(kOne, 1u << 30));
  add(Code::BundleChoice, "a bundle of two code objects", bundle(kTwo, 0));
  add(Code::BundleEmpty, "a bundle without entries", bundle({}, 0));
  add(Code::ObjectsDiffer, "a code object with another float mode",
      changed_object([](hsa::CodeObject& o) { o.kernels[0].descriptor->rsrc1 ^= 1u << 12; }));
  return out;
}

}  // namespace corpus
