#include "made_inputs.hpp"

#include <algorithm>

#include <amdcompat/amdcompat.hpp>
#include <amdcompat/emulate.hpp>
#include <amdcompat/gcn.hpp>
#include <amdcompat/in_place.hpp>

#include "cl2/samples.hpp"
#include "code_object_sample.hpp"
#include "code_samples.hpp"

// In the library's namespace: the system has an `abi` of its own.
namespace amdcompat {

namespace {

using golden::LibraryCall;
using golden::MadeInput;
using test::Bytes;
using test::Shape;

Bytes specified(const std::function<void(cl2::ContainerSpec&)>& edit) {
  cl2::ContainerSpec spec = test::container({});
  edit(spec);
  return test::build(spec);
}
Bytes edited(const std::function<void(cl2::Binary&)>& edit, const Shape& shape = {}) {
  Diagnostics diagnostics;
  auto binary = cl2::read(test::build(test::container(shape)), diagnostics);
  edit(*binary);
  return cl2::write(*binary);
}
cl2::Symbol& symbol_called(cl2::Binary& binary, std::string_view name) {
  return *std::ranges::find_if(binary.elf.symbols,
                               [&](const cl2::Symbol& symbol) { return binary.text(symbol.name) == name; });
}
constexpr std::string_view kFill = "__OpenCL_&__OpenCL_fill_kernel_metadata";
constexpr std::string_view kEvery = "__OpenCL_&__OpenCL_every_kernel_metadata";

Bytes with_other_text(std::string_view from, std::string_view to) {
  return specified([&](cl2::ContainerSpec& spec) {
    std::string text = test::string_of(spec.brig);
    text.replace(text.find(from), to.size(), to);
    spec.brig = test::bytes_of(text);
  });
}

Bytes shared_metadata() {
  cl2::ContainerSpec spec = test::container({});
  spec.brig.clear();
  for (unsigned i = 0; i < 40; ++i) spec.kernels.push_back(test::kernel(fmt::format("k{:02}", i), {}, {}, 2 + i));
  Diagnostics diagnostics;
  auto binary = cl2::read(test::build(spec), diagnostics);
  for (cl2::Symbol& symbol : binary->elf.symbols)
    if (symbol.role == cl2::Role::Metadata) {
      symbol.value = 0;
      symbol.size = binary->elf.sections[symbol.section].size;
    }
  return cl2::write(*binary);
}

// Machine code of a sample with words put in front of it.
Bytes with_words(corpus::Cl1Code code, std::initializer_list<std::uint32_t> words) {
  auto& text = code.encoding.text;
  std::size_t at = 0;
  text.insert(text.begin(), 4 * words.size(), std::byte{});
  for (const std::uint32_t word : words)
    for (unsigned n = 0; n < 4; ++n) text[at++] = static_cast<std::byte>(word >> (8 * n) & 255);
  return cl1::build(corpus::container_of(code)).value();
}
Bytes with_offsets_of_32_bits() {
  corpus::Cl1Code code = corpus::scale_64();
  auto& text = code.encoding.text;
  for (std::size_t at = 0; at + 4 <= text.size(); at += 4)
    if (text[at + 3] == std::byte{0xe0} && text[at + 1] == std::byte{0x80}) text[at + 1] = std::byte{0x10};
  return cl1::build(corpus::container_of(code)).value();
}
// Its factor is the address of its own code, which no conversion keeps.
Bytes with_its_address() {
  constexpr std::uint32_t kGetPc = 0xbe961f00;  // s_getpc_b64 s[22:23]
  corpus::Cl1Code code = corpus::scale_32();
  auto& text = code.encoding.text;
  for (std::size_t at = 0; at + 4 <= text.size(); at += 4)  // v_mul_lo_i32: s21 becomes s22
    if (text[at] == std::byte{0x01} && text[at + 1] == std::byte{0x2b} && text[at + 2] == std::byte{} &&
        text[at + 3] == std::byte{})
      text[at + 1] = std::byte{0x2d};
  return with_words(code, {kGetPc});
}

Bytes object(const std::function<void(hsa::CodeObject&)>& edit) {
  hsa::CodeObject sample = corpus::code_object_sample();
  edit(sample);
  return test::bytes_of(hsa::write_code_object(sample).value());
}
Bytes object_with(std::size_t offset, std::byte value) {
  Bytes bytes = object([](auto&) {});
  bytes[offset] = value;
  return bytes;
}
std::uint64_t word64(const Bytes& bytes, std::size_t at) {
  std::uint64_t out = 0;
  for (std::size_t n = 0; n < 8; ++n) out |= std::to_integer<std::uint64_t>(bytes[at + n]) << (8 * n);
  return out;
}
// A symbol of the object's dynamic table reaches outside its section.
Bytes object_with_a_symbol_outside() {
  Bytes bytes = object([](auto&) {});
  const std::uint64_t table = word64(bytes, 40);
  const std::size_t count = std::to_integer<std::size_t>(bytes[60]);
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t header = static_cast<std::size_t>(table) + n * 64;
    if (bytes[header + 4] != std::byte{11}) continue;  // SHT_DYNSYM
    const auto symbols = static_cast<std::size_t>(word64(bytes, header + 24));
    bytes[symbols + 24 + 16 + 2] = std::byte{0x7f};  // st_size of the first
  }
  return bytes;
}
// Two loaded sections at one address.
Bytes object_with_sections_that_overlap() {
  Bytes bytes = object([](auto&) {});
  const std::uint64_t table = word64(bytes, 40);
  const std::size_t count = std::to_integer<std::size_t>(bytes[60]);
  std::size_t first = 0;
  for (std::size_t n = 0; n < count; ++n) {
    const std::size_t header = static_cast<std::size_t>(table) + n * 64;
    const bool loaded =
        (word64(bytes, header + 8) & 2) != 0 && bytes[header + 4] == std::byte{1};  // SHF_ALLOC, PROGBITS
    if (!loaded) continue;
    if (first != 0) {
      for (std::size_t byte = 16; byte < 24; ++byte) bytes[header + byte] = bytes[first + byte];
      break;
    }
    first = header;
  }
  return bytes;
}

void add_cl2(std::vector<MadeInput>& out) {
  const auto add = [&](Code code, std::string what, Bytes bytes) {
    out.push_back({code, "a container of OpenCL 2.0 " + std::move(what), std::move(bytes)});
  };
  add(Code::Cl2NoKernels, "without kernels", specified([](auto& s) {
        s.kernels.clear();
        s.brig.clear();
      }));
  add(Code::Cl2UnknownChip, "for chip 99 and ISA version 6:0:0", specified([](auto& s) {
        s.chip = 99;
        s.isa = cl2::IsaNote{6, 0, 0, "AMD", "AMDGPU"};
      }));
  add(Code::Cl2ChipDiffers, "whose ISA note is that of another device",
      specified([](auto& s) { s.isa = cl2::IsaNote{8, 0, 1, "AMD", "AMDGPU"}; }));
  add(Code::Cl2ChipAmbiguous, "for chip 18 and ISA version 8:0:4", specified([](auto& s) {
        s.chip = 18;
        s.isa = cl2::IsaNote{8, 0, 4, "AMD", "AMDGPU"};
      }));
  add(Code::Cl2DuplicateSymbol, "with two metadata symbols of one name",
      edited([](cl2::Binary& b) { symbol_called(b, kFill).name_offset = symbol_called(b, kEvery).name_offset; }));
  add(Code::Cl2SymbolOutside, "with a symbol behind the end of its section",
      edited([](cl2::Binary& b) { symbol_called(b, kFill).value = 1u << 30; }));
  const Bytes renamed = edited([](cl2::Binary& b) {
    const SourceRange name = symbol_called(b, kFill).name;
    constexpr std::string_view kOther = "__OpenCL_&__OpenCL_fell_kernel_metadata";
    test::put(b, name.begin, kOther);
  });
  add(Code::Cl2KernelWithoutMetadata, "with the code of `fill` and the metadata of `fell`", renamed);
  add(Code::Cl2KernelWithoutCode, "with the code of `fill` and the metadata of `fell`", renamed);
  add(Code::Cl2SharedContents, "with 42 metadata symbols, each of the whole section", shared_metadata());
  add(Code::Cl2MetadataBroken, "with a metadata symbol of 100 bytes",
      edited([](cl2::Binary& b) { symbol_called(b, kFill).size = 100; }));
  add(Code::Cl2MetadataSize, "whose metadata says that it has 5 bytes of data",
      edited([](cl2::Binary& b) { b.kernels[1].metadata->data_size = 5; }));
  add(Code::Cl2MetadataTrailing, "with a metadata symbol that is 16 bytes too long",
      edited([](cl2::Binary& b) { symbol_called(b, kEvery).size += 16; }));
  add(Code::Cl2ArgumentRecord, "with an argument record of 80 bytes",
      edited([](cl2::Binary& b) { b.kernels[1].metadata->arguments[6].struct_size = 80; }));
  add(Code::Cl2ArgumentUnknown, "with an argument of type 99",
      edited([](cl2::Binary& b) { b.kernels[1].metadata->arguments[6].type = 99; }));
  add(Code::Cl2HiddenArguments, "that counts 7 hidden arguments",
      edited([](cl2::Binary& b) { b.kernels[1].metadata->hidden_arguments = 7; }));
  add(Code::Cl2InnerBroken, "whose inner ELF has section headers of one byte",
      edited([](cl2::Binary& b) { b.inner->elf.header.shentsize = 1; }));
  add(Code::Cl2NoteBroken, "with an ISA note of 8 bytes",
      edited([](cl2::Binary& b) { test::put(b, b.inner->notes[2].where.begin + 4, "\b"); }));
  add(Code::Cl2CodeBroken, "whose code begins 1 MiB behind its setup",
      edited([](cl2::Binary& b) { b.kernels[0].setup->entry_offset = 1 << 20; }));
  add(Code::Cl2CodeUnusual, "with a code setup of version 2.0",
      edited([](cl2::Binary& b) { b.kernels[0].setup->version = {2, 0}; }));
  add(Code::Cl2UserRegisters, "whose code setup counts no user registers",
      edited([](cl2::Binary& b) { b.kernels[0].setup->rsrc2 = 0; }));
  add(Code::Cl2RelocationBroken, "with a relocation behind its section",
      edited([](cl2::Binary& b) { b.inner->relocations[0].offset = 1000; }));
  add(Code::Cl2BrigBroken, "with the first 50 bytes of its BRIG module", specified([](auto& s) { s.brig.resize(50); }));
  add(Code::Cl2BrigBlock, "with a kernel that its BRIG module does not have",
      specified([](auto& s) { s.kernels.push_back(test::kernel("alone", {}, {}, 2)); }));
  add(Code::Cl2ViewsDiffer, "whose BRIG text has `value:c:u8` instead of `value:c:i8`",
      with_other_text("value:c:i8", "value:c:u8"));
  add(Code::Cl2FactsDiffer, "whose BRIG text has `enqueue_kernel:0` instead of `enqueue_kernel:1`",
      with_other_text("enqueue_kernel:1", "enqueue_kernel:0"));
  add(Code::Cl2KernargSize, "whose code setup has 8 bytes more for the arguments",
      edited([](cl2::Binary& b) { b.kernels[0].setup->kernarg_bytes += 8; }));
}

std::vector<MadeInput> make_inputs() {
  std::vector<MadeInput> out;
  add_cl2(out);
  const auto add = [&](Code code, std::string what, Bytes bytes, std::string arguments = "check FILE") {
    out.push_back({code, std::move(what), std::move(bytes), std::move(arguments)});
  };
  add(Code::ObjectSections, "a code object with two loaded sections at one address",
      object_with_sections_that_overlap());
  add(Code::ObjectSymbolOutside, "a code object with a symbol that is longer than its section",
      object_with_a_symbol_outside());
  const std::string in_place = "convert --layout in-place --to elf -o /dev/null FILE";
  // Of GFX6 `buffer_wbinvl1_sc`, of GFX7 another instruction.
  add(Code::InPlaceOpcode, "an OpenCL 1.x container of Pitcairn with `buffer_wbinvl1_sc`, which GFX7 does not have",
      with_words(corpus::scale_32(), {0xe1c00000, 0}),
      "convert --layout in-place --to elf --target gfx704 -o /dev/null FILE");
  add(Code::InPlaceLowAddresses, "an OpenCL 1.x container with loads that have offsets of 32 bits in the 64-bit ABI",
      with_offsets_of_32_bits(), in_place);
  add(Code::InPlaceDiffers, "an OpenCL 1.x container whose code computes with its own address", with_its_address(),
      "convert --layout in-place --prove --to elf -o /dev/null FILE");
  const std::string run = "run --launch launch.json FILE";
  add(Code::EmulateUnknownOpcode, "an OpenCL 1.x container whose code begins with a word that is no instruction",
      with_words(corpus::scale_32(), {0xffffffff}), run);
  add(Code::EmulateNotExecutable, "an OpenCL 1.x container whose code begins with an export",
      with_words(corpus::scale_32(), {0xf8000800, 0}), run);
  add(Code::EmulateStopped, "an OpenCL 1.x container whose code begins with a jump 256 bytes back",
      with_words(corpus::scale_32(), {0xbf82ffbf}), run);
  return out;
}

// --- calls ---

void take(Diagnostics& findings, const auto& result) {
  if (!result) findings.add(result.error());
}

hsa::Metadata metadata_of_one_kernel() {
  Diagnostics ignored;
  const auto file = open(R"(;ARGSTART:__OpenCL_k_kernel
;version:3:1:111
;device:pitcairn
;uniqueid:1024
;pointer:out:float:1:1:0:uav:12:4:RW:0:0
;ARGEND:__OpenCL_k_kernel
)",
                         ignored);
  return convert::to_metadata(file->program, ignored).metadata;
}
Kernel kernel_of_today(const std::function<void(hsa::MetadataKernel&)>& edit = [](auto&) {}) {
  hsa::MetadataKernel kernel = metadata_of_one_kernel().kernels.front();
  edit(kernel);
  return hsa::to_kernel(kernel, hsa::CodeObjectVersion::V3);
}

Bytes whole_cl1() { return cl1::build(corpus::container_of(corpus::scale_32())).value(); }

std::vector<LibraryCall> make_calls() {
  using enum hsa::CodeObjectVersion;
  const Target& gfx600 = *find_target("gfx600");
  return {
      {Code::FileTooLarge, "an OpenCL 1.x container", "`cl1::read` with a limit of 100 bytes a file",
       [](Diagnostics& d) { static_cast<void>(cl1::read(whole_cl1(), d, {.max_file_bytes = 100})); }},
      {Code::FileIsCl2, "an OpenCL 2.0 container", "`cl1::read`",
       [](Diagnostics& d) { static_cast<void>(cl1::read(test::build(test::container({})), d)); }},
      {Code::FileIsHsa, "a code object", "`cl1::read`",
       [](Diagnostics& d) { static_cast<void>(cl1::read(object([](auto&) {}), d)); }},
      {Code::FileIsHsailText, "the text `version 0:20140528:$full:$large;`", "`cl1::read`",
       [](Diagnostics& d) { static_cast<void>(cl1::read(test::bytes_of("version 0:20140528:$full:$large;\n"), d)); }},
      {Code::FileIsOffloadBundle, "the first bytes of an offload bundle", "`cl1::read`",
       [](Diagnostics& d) {
         static_cast<void>(cl1::read(test::bytes_of("__CLANG_OFFLOAD_BUNDLE__" + std::string(64, '\0')), d));
       }},
      {Code::FileIsAmdilText, "the text `;ARGSTART:__OpenCL_k_kernel`", "`cl1::read`",
       [](Diagnostics& d) {
         static_cast<void>(cl1::read(test::bytes_of(";ARGSTART:__OpenCL_k_kernel\n;version:3:1:111\n"), d));
       }},
      {Code::ElfTooManyEntries, "an OpenCL 1.x container", "`cl1::read` with a limit of 3 symbols",
       [](Diagnostics& d) { static_cast<void>(cl1::read(whole_cl1(), d, {.max_symbols = 3})); }},
      {Code::Cl2NameTooLong, "an OpenCL 2.0 container", "`cl2::read` with a limit of 4 bytes a name",
       [](Diagnostics& d) {
         static_cast<void>(cl2::read(test::build(test::container({})), d, {.max_name_bytes = 4}));
       }},
      {Code::LaunchOtherAbi, "a kernel of a code object", "`abi::LaunchImage::create`",
       [](Diagnostics& d) { static_cast<void>(abi::LaunchImage::create(kernel_of_today(), d)); }},
      {Code::LaunchBlockBroken, "a kernel of a code object whose kernarg segment has 4 bytes",
       "`abi::KernargImage::create`",
       [](Diagnostics& d) {
         const Kernel kernel = kernel_of_today([](hsa::MetadataKernel& k) { k.kernarg_segment_size = 4; });
         static_cast<void>(abi::KernargImage::create(kernel, d));
       }},
      {Code::LaunchDimensions, "a kernel of a code object", "`abi::KernargImage::set_range` with 4 dimensions",
       [](Diagnostics& d) {
         auto image = abi::KernargImage::create(kernel_of_today(), d);
         static_cast<void>(image->set_range({.dimensions = 4}, d));
       }},
      {Code::LaunchNotSet, "a kernel of a code object", "`abi::KernargImage::build` before `set_range`",
       [](Diagnostics& d) {
         auto image = abi::KernargImage::create(kernel_of_today(), d);
         static_cast<void>(image->set_null(0, d) && image->build(d));
       }},
      {Code::LaunchSplitUnsupported, "a kernel of a code object", "`abi::KernargImage::set_range` with a split",
       [](Diagnostics& d) {
         auto image = abi::KernargImage::create(kernel_of_today(), d);
         static_cast<void>(image->set_range({.local = {{1, 1, 1}}, .split = abi::Split{}}, d));
       }},
      {Code::HsaTooLarge, "the YAML of a small kernel", "`hsa::read_yaml` with a limit of 100 bytes",
       [](Diagnostics& d) {
         hsa::ReadOptions options;
         options.max_bytes = 100;
         static_cast<void>(hsa::read_yaml(hsa::to_yaml(metadata_of_one_kernel()), d, options));
       }},
      {Code::HsaVersionMismatch, "metadata of V3", "`hsa::to_note_elf` of V4",
       [&](Diagnostics& d) { take(d, hsa::to_note_elf(metadata_of_one_kernel(), gfx600, V4)); }},
      {Code::HsaVersionRefused, "metadata of V3", "`hsa::to_note_elf` of V2",
       [&](Diagnostics& d) { take(d, hsa::to_note_elf(metadata_of_one_kernel(), gfx600, V2)); }},
      {Code::HsaFeatureRefused, "metadata of V3", "`hsa::to_note_elf` for gfx600 with XNACK off",
       [&](Diagnostics& d) {
         take(d, hsa::to_note_elf(metadata_of_one_kernel(), gfx600, V3, {.xnack = hsa::FeatureSetting::Off}));
       }},
      {Code::HsaNotRepresentable, "metadata with unknown keys `b` and `a`, in that order", "`hsa::to_note_elf`",
       [&](Diagnostics& d) {
         hsa::Metadata unsorted = metadata_of_one_kernel();
         unsorted.unknown = {{"b", {true, {}}}, {"a", {true, {}}}};
         take(d, hsa::to_note_elf(unsorted, gfx600, V3));
       }},
      {Code::ObjectVersionUnknown, "a code object with ABI version 9 in its ELF header", "`hsa::read_code_object`",
       [](Diagnostics& d) {
         static_cast<void>(hsa::read_code_object(test::string_of(object_with(8, std::byte{9})), d));
       }},
      {Code::GcnEncode, "an instruction without a row", "`gcn::encode`",
       [](Diagnostics& d) { take(d, gcn::encode({}, Generation::Gfx6)); }},
      {Code::ObjectNotWritable, "a code object of version 2", "`hsa::write_code_object`",
       [](Diagnostics& d) {
         hsa::CodeObject sample = corpus::code_object_sample();
         sample.version = V2;
         take(d, hsa::write_code_object(sample));
       }},
      {Code::PrintfOutputLimit, "a printf record whose format asks for 9,999 digits",
       "`abi::decode_legacy_printf` with limits of 100 bytes",
       [](Diagnostics& d) {
         PrintfFormat format;
         format.id = 7;
         format.sizes = {4};
         format.format = "%9999d";
         const std::vector<PrintfFormat> formats{format};
         constexpr std::uint32_t kWords[] = {3, 7, 1, 0};
         static_cast<void>(abi::decode_legacy_printf(formats, std::as_bytes(std::span(kWords)), {4, 1}, d, {100, 100}));
       }},
  };
}

}  // namespace
}  // namespace amdcompat

namespace golden {

std::vector<MadeInput> made_inputs() { return amdcompat::make_inputs(); }
std::vector<LibraryCall> library_calls() { return amdcompat::make_calls(); }

}  // namespace golden
