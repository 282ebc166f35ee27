// Every finding code of CL2 containers, each produced by a container of our own that is broken in one way.
#include <algorithm>
#include <functional>
#include <set>

#include "samples.hpp"

namespace amdcompat::findings_test {
namespace {

using test::Bytes;
using test::Shape;

std::vector<Diagnostic> findings_of(const Bytes& bytes, const cl2::ReadOptions& options = {}) {
  Diagnostics diagnostics(Mode::Strict);
  OpenOptions open_options;
  open_options.cl2 = options;
  (void)open(test::string_of(bytes), diagnostics, open_options);
  return diagnostics.all();
}

bool has(const std::vector<Diagnostic>& findings, Code code) {
  return std::ranges::find(findings, code, &Diagnostic::code) != findings.end();
}

// A good container, changed in its description.
std::vector<Diagnostic> specified(const std::function<void(cl2::ContainerSpec&)>& edit, const Shape& shape = {}) {
  cl2::ContainerSpec spec = test::container(shape);
  edit(spec);
  return findings_of(test::build(spec));
}

// A good container, changed in its model.
std::vector<Diagnostic> edited(const std::function<void(cl2::Binary&)>& edit, const Shape& shape = {}) {
  Diagnostics diagnostics;
  auto binary = cl2::read(test::build(test::container(shape)), diagnostics);
  EXPECT_TRUE(binary);
  edit(*binary);
  return findings_of(cl2::write(*binary));
}

cl2::Symbol& symbol_called(cl2::ElfImage& elf, const cl2::Binary& binary, std::string_view name) {
  const auto found =
      std::ranges::find_if(elf.symbols, [&](const cl2::Symbol& symbol) { return binary.text(symbol.name) == name; });
  EXPECT_NE(found, elf.symbols.end()) << name;
  return *found;
}
constexpr std::string_view kMetadata = "__OpenCL_&__OpenCL_fill_kernel_metadata";

// Changes characters of a name in place; both names have one length.
void rename(cl2::Binary& binary, SourceRange name, std::string_view to) {
  ASSERT_EQ(name.size, to.size());
  test::put(binary, name.begin, to);
}

TEST(Cl2Findings, ContainerAndSymbols) {
  EXPECT_TRUE(has(specified([](auto& s) {
                    s.kernels.clear();
                    s.brig.clear();
                  }),
                  Code::Cl2NoKernels));
  EXPECT_TRUE(has(specified([](auto& s) {
                    s.chip = 99;
                    s.isa = cl2::IsaNote{6, 0, 0, "AMD", "AMDGPU"};
                  }),
                  Code::Cl2UnknownChip));
  EXPECT_TRUE(has(specified([](auto& s) { s.isa = cl2::IsaNote{8, 0, 1, "AMD", "AMDGPU"}; }), Code::Cl2ChipDiffers));
  EXPECT_TRUE(has(specified([](auto& s) {
                    s.chip = 18;
                    s.isa = cl2::IsaNote{8, 0, 4, "AMD", "AMDGPU"};
                  }),
                  Code::Cl2ChipAmbiguous));
  EXPECT_TRUE(has(edited([](cl2::Binary& b) {
                    cl2::Symbol& symbol = symbol_called(b.elf, b, kMetadata);
                    symbol.name_offset =
                        symbol_called(b.elf, b, "__OpenCL_&__OpenCL_every_kernel_metadata").name_offset;
                  }),
                  Code::Cl2DuplicateSymbol));
  EXPECT_TRUE(
      has(edited([](cl2::Binary& b) { symbol_called(b.elf, b, kMetadata).value = 1u << 30; }), Code::Cl2SymbolOutside));
  EXPECT_TRUE(
      has(edited([](cl2::Binary& b) { symbol_called(b.elf, b, kMetadata).section = 77; }), Code::Cl2SymbolOutside));
  const auto renamed = edited([](cl2::Binary& b) {
    rename(b, symbol_called(b.elf, b, kMetadata).name, "__OpenCL_&__OpenCL_fell_kernel_metadata");
  });
  EXPECT_TRUE(has(renamed, Code::Cl2KernelWithoutMetadata));
  EXPECT_TRUE(has(renamed, Code::Cl2KernelWithoutCode));
  EXPECT_TRUE(has(findings_of(test::build(test::container({})), {.max_name_bytes = 4}), Code::Cl2NameTooLong));
  EXPECT_TRUE(has(findings_of(test::build(test::container({})), {.max_kernels = 1}), Code::ElfTooManyEntries));
  const auto shared = [] {
    cl2::ContainerSpec spec = test::container({});
    spec.brig.clear();
    for (unsigned i = 0; i < 40; ++i) spec.kernels.push_back(test::kernel(fmt::format("k{:02}", i), {}, {}, 2 + i));
    Diagnostics diagnostics;
    auto binary = cl2::read(test::build(spec), diagnostics);
    EXPECT_TRUE(binary);
    for (cl2::Symbol& symbol : binary->elf.symbols)
      if (symbol.role == cl2::Role::Metadata) {
        symbol.value = 0;
        symbol.size = binary->elf.sections[symbol.section].size;
      }
    return findings_of(cl2::write(*binary));
  }();
  EXPECT_TRUE(has(shared, Code::Cl2SharedContents));
}

TEST(Cl2Findings, BinaryMetadata) {
  EXPECT_TRUE(
      has(edited([](cl2::Binary& b) { symbol_called(b.elf, b, kMetadata).size = 100; }), Code::Cl2MetadataBroken));
  EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.kernels[1].metadata->data_size = 5; }), Code::Cl2MetadataSize));
  EXPECT_TRUE(has(edited([](cl2::Binary& b) {
                    // One printf record less and its bytes behind the last.
                    cl2::Symbol& symbol = symbol_called(b.elf, b, "__OpenCL_&__OpenCL_every_kernel_metadata");
                    symbol.size += 16;
                  }),
                  Code::Cl2MetadataTrailing));
  EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.kernels[1].metadata->arguments[6].struct_size = 80; }),
                  Code::Cl2ArgumentRecord));
  EXPECT_TRUE(
      has(edited([](cl2::Binary& b) { b.kernels[1].metadata->argument_end.type = 1; }), Code::Cl2ArgumentRecord));
  EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.kernels[1].metadata->printf_end.id = 1; }), Code::Cl2ArgumentRecord));
  const auto unknown = [](const std::function<void(cl2::ArgumentRecord&)>& edit) {
    const auto findings = edited([&](cl2::Binary& b) { edit(b.kernels[1].metadata->arguments[6]); });
    const auto found = std::ranges::find(findings, Code::Cl2ArgumentUnknown, &Diagnostic::code);
    return found != findings.end() && found->path == "args[6]" && found->where.size == 88;
  };
  EXPECT_TRUE(unknown([](auto& a) { a.type = 99; }));
  EXPECT_TRUE(unknown([](auto& a) { a.words[6] = 44; }));                     // memory
  EXPECT_TRUE(unknown([](auto& a) { a.words[7] = 0; }));                      // access
  EXPECT_TRUE(unknown([](auto& a) { cl2::encode(a, cl2::ValueWords{.data = 14}); }));
  EXPECT_TRUE(unknown([](auto& a) { cl2::encode(a, cl2::ImageWords{}); }));   // type string is int*
  EXPECT_TRUE(
      has(edited([](cl2::Binary& b) { b.kernels[1].metadata->hidden_arguments = 7; }), Code::Cl2HiddenArguments));
  EXPECT_TRUE(
      has(edited([](cl2::Binary& b) { b.kernels[1].metadata->hidden_arguments = 5; }), Code::Cl2HiddenArguments));
}

TEST(Cl2Findings, MachineCode) {
  EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.inner->elf.header.shentsize = 1; }), Code::Cl2InnerBroken));
  EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.inner->elf.header.machine = 3; }), Code::Cl2CodeUnusual));
  EXPECT_TRUE(has(edited([](cl2::Binary& b) {
                    test::put(b, b.inner->notes[2].where.begin + 4, "\b");  // descsz of the ISA note: 8
                  }),
                  Code::Cl2NoteBroken));
  for (const Shape& shape : {Shape{}, Shape{AddressBits::Bits64, cl2::HeaderSize::Base}}) {
    EXPECT_TRUE(
        has(edited([](cl2::Binary& b) { b.kernels[0].setup->entry_offset = 1 << 20; }, shape), Code::Cl2CodeBroken));
    EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.kernels[0].setup->entry_offset = -4; }, shape), Code::Cl2CodeBroken));
    EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.kernels[0].setup->version = {2, 0}; }, shape), Code::Cl2CodeUnusual));
    EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.kernels[0].setup->machine_kind = 0; }, shape), Code::Cl2CodeUnusual));
    EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.kernels[0].setup->wavefront = 0x20; }, shape), Code::Cl2CodeUnusual));
    EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.kernels[0].setup->rsrc2 = 0; }, shape), Code::Cl2UserRegisters));
    EXPECT_TRUE(
        has(edited([](cl2::Binary& b) { b.kernels[0].setup->kernarg_bytes += 8; }, shape), Code::Cl2KernargSize));
  }
  EXPECT_TRUE(has(edited([](cl2::Binary& b) { test::put(b, b.kernels[0].stub.begin + 2, "\1"); },
                         {AddressBits::Bits32, cl2::HeaderSize::Base}),
                  Code::Cl2CodeBroken));
  EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.inner->relocations[0].type = 50; }), Code::Cl2RelocationBroken));
  EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.inner->relocations[0].offset = 1000; }), Code::Cl2RelocationBroken));
  EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.inner->relocations[0].symbol = 1000; }), Code::Cl2RelocationBroken));
  EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.inner->relocations[0].symbol = 1; }), Code::Cl2RelocationBroken));
  EXPECT_TRUE(has(edited([](cl2::Binary& b) { b.inner->samplers[0].addressing = 9; }), Code::Cl2RelocationBroken));
}

TEST(Cl2Findings, BrigAndTheTwoViews) {
  EXPECT_TRUE(has(specified([](auto& s) { s.brig.resize(50); }), Code::Cl2BrigBroken));
  EXPECT_TRUE(has(specified([](auto& s) { s.brig[92] = std::byte{200}; }), Code::Cl2BrigBroken));
  EXPECT_TRUE(
      has(specified([](auto& s) { s.kernels.push_back(test::kernel("alone", {}, {}, 2)); }), Code::Cl2BrigBlock));
  EXPECT_TRUE(has(specified([](auto& s) { s.kernels.pop_back(); }), Code::Cl2BrigBlock));
  const auto differs = [](std::string_view from, std::string_view to) {
    return specified([&](cl2::ContainerSpec& s) {
      std::string text = test::string_of(s.brig);
      const std::size_t at = text.find(from);
      ASSERT_NE(at, std::string::npos) << from;
      text.replace(at, to.size(), to);
      s.brig = test::bytes_of(text);
    });
  };
  for (const auto& [from, to] : std::vector<std::pair<std::string_view, std::string_view>>{
           {"value:c:i8", "value:c:u8"},
           {"value:f3:float:3", "value:f3:float:4"},
           {"value:d:double:1:1:128", "value:d:double:1:1:144"},
           {"pointer:out:float:1:1:176:uav:7:4:RW", "pointer:out:float:1:1:176:uav:7:4:RO"},
           {"pointer:tmp:float", "pointer:tap:float"},
           {"image:img:2D:RO", "image:img:3D:RO"},
           {"sampler:smp:2", "sampler:smp:3"},
           {"sema:sem:1", "sema:sem:2"}}) {
    const auto findings = differs(from, to);
    EXPECT_TRUE(has(findings, Code::Cl2ViewsDiffer)) << from;
  }
  EXPECT_TRUE(has(differs("enqueue_kernel:1", "enqueue_kernel:0"), Code::Cl2FactsDiffer));
  EXPECT_TRUE(has(differs("vth:float4", "vth:float8"), Code::Cl2FactsDiffer));
  const auto printing = [](std::string_view from, std::string_view to) {
    return specified([&](cl2::ContainerSpec& s) {
      s.kernels[0].metadata.printf = {{.id = 1, .sizes = {4, 8}, .format = "%d %ld"}};
      s.kernels[1].metadata.printf = s.kernels[0].metadata.printf;
      test::describe_in_brig(s, {});
      std::string text = test::string_of(s.brig);
      const std::size_t at = text.find(from);
      ASSERT_NE(at, std::string::npos) << from;
      text.replace(at, to.size(), to);
      s.brig = test::bytes_of(text);
    });
  };
  EXPECT_FALSE(has(printing("printf_fmt:1", "printf_fmt:1"), Code::Cl2FactsDiffer));
  EXPECT_TRUE(has(printing("printf_fmt:1", "printf_fmt:2"), Code::Cl2FactsDiffer));
  EXPECT_TRUE(has(printing("printf_fmt:1:2:4:8", "printf_fmt:1:2:4:4"), Code::Cl2FactsDiffer));
  EXPECT_TRUE(has(printing("%d %ld;", "%x %ld;"), Code::Cl2FactsDiffer));
  EXPECT_TRUE(has(specified([](cl2::ContainerSpec& s) {
                    s.brig.clear();
                    s.kernels[0].metadata.printf = {{.id = 1, .format = "a"}};
                    s.kernels[1].metadata.printf = {{.id = 1, .format = "b"}};
                  }),
                  Code::Cl2FactsDiffer));
  EXPECT_TRUE(
      has(specified([](auto& s) { s.kernels[0].metadata.printf = {{.id = 1, .format = "a"}}; }), Code::Cl2FactsDiffer))
      << "the text has no printf line";
  // A finding of the text itself points at its string in the file.
  const auto findings = differs("privateid:8", "privateid:x");
  const auto found = std::ranges::find(findings, Code::NotANumber, &Diagnostic::code);
  ASSERT_NE(found, findings.end());
  const Bytes bytes = [&] {
    cl2::ContainerSpec spec = test::container({});
    std::string text = test::string_of(spec.brig);
    text.replace(text.find("privateid:8"), 11, "privateid:x");
    spec.brig = test::bytes_of(text);
    return test::build(spec);
  }();
  EXPECT_EQ(test::string_of(bytes).find("privateid:x") + 10, found->where.begin);
}

TEST(Cl2Findings, DescriptionsThatCannotBeBuilt) {
  const auto refused = [](const std::function<void(cl2::ContainerSpec&)>& edit, const Shape& shape = {}) {
    cl2::ContainerSpec spec = test::container(shape);
    edit(spec);
    const auto built = cl2::build(spec);
    return !built && built.error().message.find("read back") == std::string::npos;
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& s) { s.kernels[0].name.clear(); }));
  EXPECT_TRUE(refused([](auto& s) { s.kernels[0].name = "fill"; }));
  EXPECT_TRUE(refused([](auto& s) { s.kernels[0].metadata.bits = AddressBits::Bits32; }));
  EXPECT_TRUE(refused([](auto& s) { s.kernels[0].metadata.device_name = std::string("a\0b", 3); }));
  EXPECT_TRUE(refused([](auto& s) { s.kernels[0].metadata.header = cl2::HeaderSize::Base; }));
  EXPECT_TRUE(refused([](auto& s) { s.kernels[0].setup.entry_offset = 512; }));
  EXPECT_TRUE(refused([](auto& s) { s.kernels[0].metadata.rest.resize(1); }));
  EXPECT_TRUE(refused([](auto& s) { s.samplers[0].second = 1000; }));
  EXPECT_TRUE(refused([](auto& s) { s.readonly_data.resize(8); }, {AddressBits::Bits64, cl2::HeaderSize::Base}));
}

}  // namespace
}  // namespace amdcompat::findings_test
