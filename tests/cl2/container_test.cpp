// Whole containers of our own: built, read, lowered, compared, converted, written again.
#include <algorithm>

#include <amdcompat/convert.hpp>

#include "samples.hpp"

namespace amdcompat::container_test {
namespace {

using test::Bytes;
using test::Shape;

File open_good(const Bytes& bytes, Mode mode = Mode::Strict) {
  Diagnostics diagnostics(mode);
  auto file = open(test::string_of(bytes), diagnostics);
  EXPECT_TRUE(file) << test::listing(diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << test::listing(diagnostics);
  EXPECT_EQ(diagnostics.count(Severity::Warning), 0u) << test::listing(diagnostics);
  return file ? std::move(*file) : File{};
}

TEST(Cl2Container, BothGenerationsAndWidthsOpenWithoutAFindingAndWriteBack) {
  for (const Shape& shape : test::all_shapes()) {
    const Bytes bytes = test::build(test::container(shape));
    const File file = open_good(bytes);
    ASSERT_TRUE(file.cl2());
    EXPECT_EQ(cl2::write(*file.cl2()), bytes);
    EXPECT_EQ(file.cl2()->storage, shape.storage());
    EXPECT_EQ(file.cl2()->elf.bits, shape.bits);
    EXPECT_EQ(file.cl2()->inner.has_value(), shape.storage() == cl2::CodeStorage::Nested);
    EXPECT_EQ(file.view().size(), bytes.size());
    EXPECT_EQ(file.program.family, Family::Cl2);
    EXPECT_EQ(file.program.device, "bonaire");
    EXPECT_EQ(file.program.compile_options, "-cl-std=CL2.0 -m64");
    EXPECT_TRUE(file.program.driver.starts_with("AMD-COMP-LIB-v0.8 ("));
    ASSERT_EQ(file.program.kernels.size(), 2u);
    const Kernel& every = file.program.kernels[0];
    EXPECT_EQ(every.name, "every");
    EXPECT_TRUE(every.complete);
    EXPECT_EQ(every.address_bits, shape.bits);
    EXPECT_TRUE(every.device_enqueue);
    EXPECT_EQ(every.arguments.size(), 21u);
    EXPECT_TRUE(every.registers.known);
    EXPECT_EQ(every.registers.vgprs, 5u);
    EXPECT_EQ(every.registers.wavefront_size, 64u);
    EXPECT_EQ(every.segments.local_bytes(), 100u);
    ASSERT_NE(every.argument_block(), nullptr);
    EXPECT_EQ(every.argument_block()->hidden_arguments, 6u);
    EXPECT_EQ(every.argument_block()->argument_bytes, setup_of(every)->kernarg_bytes);
    EXPECT_EQ(every.argument_block()->code.size, 4u);
    EXPECT_EQ(file.program.kernels[1].limits.required_group_size, (std::array<std::uint32_t, 3>{64, 1, 1}));
    if (shape.header == cl2::HeaderSize::Hints) {
      EXPECT_EQ(every.limits.vector_type_hint, "float4");
      EXPECT_EQ(every.limits.group_size_hint, (std::array<std::uint32_t, 3>{8, 8, 1}));
      EXPECT_FALSE(every.limits.waves_per_simd_hint);
    }
  }
}

TEST(Cl2Container, ArgumentsOfEveryKindLowerToTheirNeutralKind) {
  const File file = open_good(test::build(test::container({})));
  const auto& arguments = file.program.kernels[0].arguments;
  const auto named = [&](std::string_view name) -> const Argument& {
    const auto found = std::ranges::find(arguments, name, &Argument::name);
    EXPECT_NE(found, arguments.end()) << name;
    return *found;
  };
  EXPECT_EQ(std::get<Hidden>(arguments[3].kind).what, HiddenKind::PrintfBuffer);
  EXPECT_EQ(std::get<Hidden>(arguments[5].kind).what, HiddenKind::CompletionAction);
  EXPECT_EQ(std::get<ByValue>(named("f3").kind).elements, 3u);
  EXPECT_EQ(std::get<ByValue>(named("s").kind).type, ScalarType::Struct);
  EXPECT_TRUE(named("s").in_block()->by_reference);
  const auto& in = named("in");
  EXPECT_EQ(std::get<GlobalPointer>(in.kind).access, Access::ReadOnly);
  EXPECT_TRUE(in.is_const && in.is_volatile && in.is_restrict);
  EXPECT_TRUE(std::holds_alternative<LocalPointer>(named("tmp").kind));
  EXPECT_TRUE(std::holds_alternative<ConstantPointer>(named("table").kind));
  EXPECT_EQ(std::get<Pipe>(named("p").kind).align, 256u);
  EXPECT_EQ(std::get<Image>(named("img").kind).dim, ImageDim::D2) << "the flag bytes are garbage on purpose";
  EXPECT_EQ(std::get<Image>(named("vol").kind).access, Access::ReadWrite);
  EXPECT_EQ(std::get<Sampler>(named("smp").kind).id, 2u);
  EXPECT_TRUE(std::holds_alternative<Queue>(named("q").kind));
  EXPECT_EQ(std::get<Counter>(named("n").kind).bits, 32u);
  EXPECT_EQ(std::get<Semaphore>(named("sem").kind).id, 1u);
  EXPECT_TRUE(file.program.kernels[0].uses_images);
  EXPECT_TRUE(file.program.kernels[0].writes_images);
}

TEST(Cl2Container, DataSectionsAndSamplersAreInTheProgram) {
  const File file = open_good(test::build(test::container({})));
  ASSERT_EQ(file.program.data.size(), 2u);
  EXPECT_EQ(file.program.data[0].section, ".hsadata_readonly_agent");
  EXPECT_EQ(file.program.data[0].bytes.size(), 40u);
  EXPECT_EQ(file.program.data[1].section, ".hsadata_global_agent");
  ASSERT_EQ(file.program.samplers.size(), 2u);
  const SamplerObject& first = file.program.samplers[0];
  EXPECT_EQ(first.name, "&input_bc::&_.Samp0");
  EXPECT_EQ(first.section, ".hsadata_readonly_agent");
  EXPECT_EQ(first.offset, 8u);
  EXPECT_TRUE(first.normalized && first.linear);
  EXPECT_EQ(first.addressing, 3u);
  EXPECT_FALSE(file.program.samplers[1].normalized);
}

TEST(Cl2Container, NotesAreReadAsFarAsTheirSizesExplainThem) {
  const File file = open_good(test::build(test::container({})));
  const cl2::Inner& inner = *file.cl2()->inner;
  ASSERT_EQ(inner.notes.size(), 5u);
  EXPECT_EQ(inner.code_object_version, (std::array<std::uint32_t, 2>{1, 0}));
  EXPECT_EQ(inner.hsail->machine_model, 1u);
  EXPECT_EQ(inner.isa->major, 7u);
  EXPECT_EQ(inner.isa->vendor, "AMD");
  EXPECT_EQ(inner.isa->architecture, "AMDGPU");
  EXPECT_EQ(inner.producer, "AMD HSA Runtime Finalizer");
  EXPECT_EQ(inner.options, "-hsa_call_convention=0");
}

TEST(Cl2Container, PrintfRecordsBecomeFormatsOfTheProgram) {
  for (const Shape& shape : test::all_shapes()) {
    cl2::ContainerSpec spec = test::container(shape);
    spec.kernels[1].metadata.printf = {{.id = 1, .sizes = {4}, .format = "x=%d\\n"}, {.id = 2, .format = "end"}};
    test::describe_in_brig(spec, shape);
    const File file = open_good(test::build(spec));
    ASSERT_EQ(file.program.printf.size(), 2u);
    EXPECT_EQ(file.program.printf[0].format, "x=%d\n");
    EXPECT_EQ(file.program.printf[0].sizes, (std::vector<std::uint32_t>{4}));
    EXPECT_FALSE(file.program.kernels[0].uses_printf);
    EXPECT_TRUE(file.program.kernels[1].uses_printf);
  }
}

TEST(Cl2Container, ConvertsToNaturalMetadata) {
  const File file = open_good(test::build(test::container({})));
  Diagnostics diagnostics;
  const convert::Conversion conversion = convert::to_metadata(file.program, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << test::listing(diagnostics);
  ASSERT_EQ(conversion.metadata.kernels.size(), 2u);
  const hsa::MetadataKernel& every = conversion.metadata.kernels[0];
  EXPECT_EQ(every.args.front().name, "c");
  EXPECT_EQ(every.args.front().offset, 0u);
  EXPECT_EQ(every.vgpr_count, 5u);
  EXPECT_EQ(every.group_segment_fixed_size, 100u);
  EXPECT_EQ(conversion.metadata.kernels[1].reqd_workgroup_size, (std::array<std::uint64_t, 3>{64, 1, 1}));
  EXPECT_TRUE(convert::choose_target(file.program, "").has_value());
}

TEST(Cl2Container, WithoutBrigThereIsNothingToCompare) {
  cl2::ContainerSpec spec = test::container({});
  spec.brig.clear();
  spec.compile_options.reset();
  const File file = open_good(test::build(spec));
  EXPECT_FALSE(file.cl2()->brig);
  EXPECT_TRUE(file.texts.empty());
  EXPECT_EQ(file.program.kernels.size(), 2u);
}

TEST(Cl2Container, ContainersWithoutKernelsOpenWithNone) {
  for (const Shape& shape : test::all_shapes()) {
    cl2::ContainerSpec spec = test::container(shape);
    spec.kernels.clear();
    spec.samplers.clear();
    spec.readonly_data.clear();
    spec.global_data.clear();
    spec.brig = cl2::build_brig({}, shape.bits);
    const File file = open_good(test::build(spec));
    EXPECT_TRUE(file.program.kernels.empty());
    EXPECT_EQ(file.cl2()->storage, shape.storage());
  }
}

TEST(Cl2Container, MetadataCanBeEditedInPlace) {
  Diagnostics diagnostics(Mode::Strict);
  auto binary = cl2::read(test::build(test::container({})), diagnostics);
  ASSERT_TRUE(binary);
  binary->kernels[1].metadata->required_group_size = {32, 2, 1};
  binary->kernels[1].setup->vgprs = 77;
  const auto again = cl2::read(cl2::write(*binary), diagnostics);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->kernels[1].metadata->required_group_size, (std::array<std::uint64_t, 3>{32, 2, 1}));
  EXPECT_EQ(again->kernels[1].setup->vgprs, 77u);
}

TEST(Cl2Container, OtherFilesAreRefusedByName) {
  Diagnostics diagnostics;
  const auto text = cl2::read(test::bytes_of("il_cs_2_0\nend\n"), diagnostics);
  ASSERT_FALSE(text);
  EXPECT_NE(diagnostics.all().back().message.find("AMDIL text"), std::string::npos);
  const auto cl1 = cl1::read(test::build(test::container({})), diagnostics);
  ASSERT_FALSE(cl1);
  EXPECT_EQ(diagnostics.all().back().code, Code::FileIsCl2);
  const auto large = cl2::read(test::build(test::container({})), diagnostics, {.max_file_bytes = 100});
  ASSERT_FALSE(large);
  EXPECT_EQ(diagnostics.all().back().code, Code::FileTooLarge);
}

}  // namespace
}  // namespace amdcompat::container_test
