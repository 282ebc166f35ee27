// No entry point of the library throws, whatever the input: all of them are called with every sample, with the damaged
// ones, with samples that were cut and changed, and with metadata whose values are of the wrong kinds.
#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/amdcompat.h>
#include <amdcompat/amdcompat.hpp>
#include <amdcompat/gcn_checks.hpp>
#include <amdcompat/gpu.hpp>
#include <amdcompat/lift.hpp>
#include <amdcompat/pipeline.hpp>
#include <amdcompat/printf.hpp>
#include <amdcompat/prove.hpp>
#include <amdcompat/stub.hpp>
#include <amdcompat/ways.hpp>
#include <amdcompat/xml.hpp>

#include <code_object_v2_builder.hpp>

namespace amdcompat::no_exception_test {
namespace {

namespace fs = std::filesystem;

// What is called makes no difference when nobody looks at the result; what it is called with does.
template <class... T>
void done(T&&...) {}

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

void use_image(const abi::ImageValue& image, ImageDim dim) {
  SamplerObject sampler;
  sampler.addressing = static_cast<std::uint8_t>(image.width);
  done(abi::sampler_word(sampler));
  for (const abi::ImageForm form : {abi::ImageForm::Gfx6, abi::ImageForm::Gfx9})
    done(abi::image_descriptor(image, dim, form), abi::image_object(image, dim, form), abi::image_bytes(image, dim));
}

// What takes numbers only, with some that stand in `bytes`.
void use_numbers(std::span<const std::byte> bytes) {
  std::uint32_t words[4] = {}, more[8] = {};
  std::memcpy(words, bytes.data(), std::min(bytes.size(), sizeof words));
  std::memcpy(more, bytes.data(), std::min(bytes.size(), sizeof more));
  done(abi::is_linear(abi::decode_image_descriptor(more)), abi::decode_image_descriptor(more, abi::ImageForm::Gfx9));
  for (const std::uint32_t word : words) {
    done(cl1::find_cal_note_type(word), cl1::find_program_info_field(word, cl1::ProgramInfoFamily::Gcn));
    done(cl1::find_user_data_class(word), find_target_by_mach(static_cast<std::uint8_t>(word)));
    done(find_device_by_machine(static_cast<std::uint16_t>(word)), usable_alignment(word));
    done(find_pci(static_cast<std::uint16_t>(word)), find_target_by_version(word));
    done(convert::assumed_struct_align(word), abi::sampler_descriptor(word), abi::sampler_object(word),
         abi::uav_entry(word));
    done(abi::decode_buffer_descriptor(words), abi::decode_sampler_descriptor(words));
    done(abi::buffer_descriptor(word, words[1], words[2]), abi::texel_bytes(word, words[1]),
         abi::printf_dwords_per_item(word, words[1], words[2]));
    for (const ImageDim dim : {ImageDim::D1, ImageDim::D2, ImageDim::D3, ImageDim::D1Buffer, ImageDim::D2Array})
      use_image({word, words[1], words[2], 0x10b5, 0x10de, words[3], word, word, word, word}, dim);
    for (const hsa::VersionInfo& version : hsa::all_code_object_versions())
      done(hsa::read_elf_flags(word, version.version));
  }
}

// --- models ------------------------------------------------------------------------------------------------------

void use_metadata(const hsa::Metadata& metadata) {
  Diagnostics findings;
  done(hsa::to_yaml(metadata), hsa::to_v2_yaml(metadata), hsa::to_msgpack(metadata), hsa::to_note(metadata));
  hsa::verify(metadata, findings);
  const hsa::Node node = hsa::to_node(metadata);
  done(hsa::node_kind_name(node), hsa::from_node(node, findings));
  if (metadata.version) done(hsa::version_of_metadata(*metadata.version));
  const auto target = hsa::parse_target(metadata.target.value_or("gfx803"));
  for (const hsa::VersionInfo& version : hsa::all_code_object_versions()) {
    if (target && target->target != nullptr) {
      done(hsa::to_note_elf(metadata, *target->target, version.version, target->features));
      done(hsa::elf_flags(*target->target, version.version, target->features));
      done(hsa::target_id(*target->target, version.version, target->features),
           hsa::target_text(*target->target, target->features));
    }
    hsa::verify(metadata, findings, {version.version, true});
    for (const hsa::MetadataKernel& kernel : metadata.kernels) done(hsa::to_kernel(kernel, version.version));
  }
  for (const std::string& text : metadata.printf) {
    const auto decoded = hsa::decode_printf(text);
    if (decoded) done(hsa::encode_printf(decoded->id, decoded->sizes, decoded->format));
    done(hsa::printf_format_survives(text), abi::hsa_printf_format(text));
  }
}

void use_code(std::span<const std::byte> code, std::uint32_t entry, const Target* target) {
  if (entry >= code.size()) return;
  const auto generation = target != nullptr ? gcn::generation_of(*target) : std::nullopt;
  if (!generation) return;
  done(gcn::control_flow(code, entry, *generation), gcn::hazards(code, entry, *generation));
  done(gcn::allocated_scalars(entry, *generation));
  done(gcn::special_scalars(gcn::scalar_use(code, entry, *generation), *generation, target->xnack));
  for (std::uint32_t at = 0; at < std::min<std::size_t>(code.size() / 4 * 4, 1024); at += 4) {
    done(gcn::decode(code, at, *target));
    const gcn::Instruction instruction = gcn::decode(code, at, *generation);
    done(gcn::encode(instruction, *generation), gcn::disassemble(instruction, *generation));
    done(gcn::operands(instruction, *generation, 32), gcn::branch_target(instruction));
  }
  gcn::Reachable reachable(code, *target);
  done(reachable.from(entry), reachable.from(entry));
  done(emulate::coverage(code, entry / 4 * 4, *generation, {}));
}

// Values of all kinds for all arguments.
template <class Image>
void use_launch(Image& image, const Kernel& kernel, Diagnostics& findings) {
  image.build(findings);
  const std::byte bytes[64] = {};
  for (const abi::Range& range :
       {abi::Range{.global = {100}, .local = {{64, 1, 1}}},
        abi::Range{.dimensions = 3, .global = {64, ~0ull, 0}, .offset = {~0ull, 1, 1}}, abi::Range{.task = true}}) {
    image.set_range(range, findings);
    done(abi::choose_local_size(kernel, range));
    done(abi::single_group(range, {64, 1, 1}, {0, 1, 2}));
  }
  for (std::size_t i = 0; i <= std::min<std::size_t>(kernel.arguments.size(), 40); ++i) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4}, std::size_t{16}, sizeof bytes})
      image.set_bytes(i, std::span(bytes).first(size), findings);
    image.set_null(i, findings);
    image.set_local(i, ~0ull, findings);
    image.set_local(i, 16, findings);
    if constexpr (requires { image.set_buffer(i, abi::Buffer{}, findings); }) {
      image.set_buffer(i, {0x1000, 0x2000, ~0ull}, findings);
      image.set_buffer(i, {0x1000, 0, 64}, findings);
    } else {
      image.set_address(i, ~0ull, ~0ull, findings);
      image.set_address(i, 0x1000, 64, findings);
    }
    if constexpr (requires { image.set_image(i, abi::ImageValue{}, findings); }) {
      image.set_image(i, {~0u, ~0u, ~0u, ~0u, ~0u, ~0ull, ~0u, ~0u, ~0u, ~0u}, findings);
      image.set_image(i, {.channel_order = 0x10b5, .channel_type = 0x10de, .address = 0x100}, findings);
      image.set_sampler(i, ~0u, findings);
    }
    if constexpr (requires { image.set_object(i, std::span<const std::byte>(), findings); })
      for (const std::size_t size : {0, 32, 48}) image.set_object(i, std::span(bytes).first(size), findings);
  }
  if constexpr (requires { image.set_printf(abi::PrintfBuffer{}, findings); }) {
    image.set_printf(abi::PrintfBuffer{~0ull, ~0ull, ~0u, ~0ull}, findings);
    image.set_printf(abi::PrintfBuffer{0x2000, 0, 16, 4096}, findings);
    image.set_data_segment(abi::Buffer{0x3000, 0, 64}, findings);
    for (const std::uint32_t number : {0u, 2u, ~0u}) image.set_constant_data(number, {0x4000, 0, 64}, findings);
  }
  image.set_range({.global = {128}, .local = {{64, 1, 1}}}, findings);
  done(image.find(kernel.arguments.empty() ? "" : kernel.arguments.front().name));
  done(image.build(findings), image.map(), image.local_bytes(), image.local_size());
}

void use_kernel(const Program& program, std::size_t index, Mode mode) {
  const Kernel& kernel = program.kernels[index];
  Diagnostics findings(mode, 1000);
  for (const Argument& argument : kernel.arguments) {
    done(abi::find_argument_rule(argument), abi::find_cl2_argument_rule(argument));
    done(abi::find_kernarg_argument_rule(argument), abi::slot_bytes(argument), abi::slot_bytes(argument, true));
    if (const auto* const value = std::get_if<ByValue>(&argument.kind)) done(abi::host_bytes(*value));
    done(convert::natural_size(argument), convert::natural_size(argument, 16));
    done(abi::cb0_bits(argument.type_name));
    if (const auto trailing = abi::trailing_argument(argument.name)) done(abi::trailing_name(*trailing));
  }
  done(abi::assign_layout(kernel.arguments), abi::assign_layout(kernel.arguments, true));
  done(resource_ids(kernel), effective_raw_uav(kernel), max_flat_group_size(kernel));
  done(entry_rsrc2(kernel.entry), user_register_count(entry_user_registers(kernel.entry)));
  use_code(kernel_code(program, kernel), 0, program.target);

  emulate::Bindings bindings = emulate::ObjectBindings{0x1000, 0x2000, 0x3000};
  std::uint64_t local_bytes = 0;
  if (auto image = abi::LaunchImage::create(kernel, findings, {}, program.data)) {
    image->set_rings(abi::Rings{~0ull, ~0u, ~0ull, ~0u, ~0u}, findings);
    image->set_rings({}, findings);
    use_launch(*image, kernel, findings);
    for (const std::uint32_t number : image->buffers()) done(image->buffer(number));
    done(image->cb0_changed(), image->cb1_changed(), image->bindings());
    const auto copy = [](std::span<const std::byte> of) { return std::vector(of.begin(), of.end()); };
    bindings = emulate::CalBindings{copy(image->cb0()), copy(image->cb1()), {}, {}, {}, {}, {}};
    local_bytes = image->local_bytes();
  }
  if (auto image = abi::Cl2LaunchImage::create(kernel, findings)) {
    image->set_environment({.memory = ~0ull, .queue = ~0ull, .scratch = ~0ull}, findings);
    image->set_environment({.memory = 0x20000}, findings);
    use_launch(*image, kernel, findings);
    done(image->user_registers(), image->block(), image->packet(), image->packet_header(), image->changed());
  }
  if (auto image = abi::KernargImage::create(kernel, findings)) {
    image->set_environment({.memory = ~0ull, .queue = ~0ull, .heap = ~0ull}, findings);
    image->set_environment({.memory = 0x20000}, findings);
    use_launch(*image, kernel, findings);
    done(image->user_registers(), image->host_arguments(), image->segment(), image->packet(), image->changed());
  }
  emulate::Memory memory;
  memory.map(0x1000, std::vector<std::byte>(4096), "arguments");
  if (const auto launch = emulate::kernel_launch(program, index, bindings, local_bytes, memory)) {
    const emulate::Report report = emulate::run(*launch, memory, {.lane_instructions = 2000}, findings);
    done(emulate::coverage(launch->code, launch->entry, launch->gfx, {&report, 1}));
  }
}

void use_object(const hsa::CodeObject& object, Mode mode) {
  Diagnostics findings(mode, 1000);
  use_metadata(object.metadata);
  hsa::Metadata settled = object.metadata;
  hsa::settle_metadata(object, settled, findings);
  use_metadata(settled);
  hsa::check_code_object(object, findings);
  convert::check_object(object, findings);
  done(hsa::to_assembly(object));
  hsa::CodeObject again;
  done(hsa::write_code_object(object, &again));
  const convert::LoadView view = convert::load_view(object);
  convert::compare(view, view, findings);
  done(convert::write_compared(object, view, false, findings));
  for (const hsa::VersionInfo& version : hsa::all_code_object_versions()) {
    const auto other = convert::to_version(object, findings, {version.version, std::nullopt});
    if (other) convert::compare(view, convert::load_view(*other), findings);
  }
  for (std::size_t i = 0; i < object.kernels.size(); ++i) {
    const hsa::CodeKernel& kernel = object.kernels[i];
    emulate::Memory memory;
    done(emulate::object_launch(object, i, {0x1000, 0x2000, 0x3000}, 0, memory));
    done(code_bytes(object.code, kernel.code));
    if (object.target == nullptr) continue;
    if (kernel.legacy)
      done(hsa::to_descriptor(*kernel.legacy, *object.target, object.version, findings, "kernel"),
           cl2::kernel_code_fields(*kernel.legacy), cl2::write_kernel_code(*kernel.legacy));
    if (!kernel.descriptor) continue;
    hsa::KernelDescriptor descriptor = *kernel.descriptor;
    done(hsa::write_descriptor(descriptor), hsa::to_kernel_code(descriptor, *object.target, {8, 0, 3}, 8, 4));
    done(hsa::register_limits(descriptor.rsrc1, *object.target, true));
    for (const hsa::KernelDescriptorField& field : hsa::kernel_descriptor_fields()) {
      if (!hsa::has_field(*object.target, field)) continue;
      hsa::set_field(descriptor, field, hsa::field_value(descriptor, field));
      done(hsa::find_field(field.word, field.bit, *object.target));
      done(hsa::known_bits(field.word, *object.target, object.version));
    }
  }
}

void use_document(const text::Document& document, Mode mode) {
  Diagnostics findings(mode, 1000);
  text::check(document, findings);
  done(text::print(document), lower(document), lower_data(document, 4096));
  if (!document.elements.empty()) done(text::reprint(document, 0, document.elements.size() - 1));
  const text::Document* const documents[] = {&document, &document};
  done(text::call_table(documents));
  const text::CallTable functions = text::call_table(document);
  for (const text::Block& block : document.blocks) {
    done(text::kernel_name(document, block), text::print_block(document, block, {}));
    done(lower_kernel(document, block, text::call_totals(document, block, functions)));
    for (const text::Element& element : document.directives(block)) {
      const std::string_view body = document.body(element);
      done(text::kernel_name(body), text::encode_printf(text::decode_printf(body)));
      done(text::print_directive(document, element.directive), text::print_directive(document, element.directive, {}));
    }
  }
  for (const text::Segment& segment : document.segments) {
    done(text::print_segment(document, segment));
    for (const text::DataWords& line : segment.lines) done(text::data_bytes(line), text::data_width(line));
  }
}

void use_containers(const File& file) {
  Diagnostics findings;
  if (const cl1::Binary* const binary = file.cl1()) {
    done(cl1::write(*binary));
    for (const cl1::Kernel& kernel : binary->kernels)
      done(cl1::read_cal_image(binary->bytes.view(), kernel.image, binary->device, findings),
           cl1::read_cal_image(binary->bytes.view(), kernel.metadata, nullptr, findings));
  }
  if (const cl2::Binary* const binary = file.cl2()) {
    done(cl2::write(*binary));
    const auto isa = binary->inner ? binary->inner->isa : std::nullopt;
    done(cl2::choose_chip(binary->elf.header.flags, isa, binary->storage));
    if (binary->brig) {
      const cl2::BrigText text = cl2::brig_text(binary->bytes.view(), *binary->brig, 4096);
      done(text.origin({0, static_cast<std::uint32_t>(text.text.size())}));
    }
    for (const cl2::Kernel& kernel : binary->kernels) {
      if (kernel.setup) done(cl2::kernel_code_fields(*kernel.setup), cl2::write_kernel_code(*kernel.setup));
      if (!kernel.metadata) continue;
      done(cl2::write_metadata(*kernel.metadata), cl2::hidden_argument_count(*kernel.metadata));
      done(cl2::layout_arguments(*kernel.metadata, cl2::CodeStorage::Nested));
      for (cl2::ArgumentRecord record : kernel.metadata->arguments) {
        cl2::encode(record, cl2::decode(record));
        for (const std::uint32_t word : record.words)
          done(cl2::find_scalar(word), cl2::find_memory(word), cl2::find_access(word));
        done(cl2::find_image_type(record.type_name),
             abi::scratch_descriptor(record.struct_size, record.type, record.words[0]));
      }
    }
  }
}

void use_program(const Program& program, Mode mode) {
  Diagnostics findings(mode, 1000);
  done(convert::to_metadata(program, findings, {{{"*", 16}}}), convert::choose_target(program, ""));
  done(convert::choose_target(program, "gfx906:xnack-"));
  const convert::LoadView view = convert::load_view(program);
  if (const auto object = convert::to_code_object(program, findings)) {
    convert::compare(view, convert::load_view(*object), findings);
    for (std::size_t i = 0; i < program.kernels.size(); ++i) {
      done(
          emulate::prove_compiled(program, i, *object, {.attempts = 2, .run_instructions = 500, .instructions = 2000}));
      done(emulate::prove_object(program, i, *object, {.attempts = 2, .run_instructions = 500, .instructions = 2000}));
    }
  }
  if (const auto converted = convert::to_in_place(program, findings)) {
    use_metadata(converted->object.metadata);
    for (std::size_t i = 0; i < converted->kernels.size(); ++i) {
      const Kernel& kernel = program.kernels[converted->kernels[i].kernel];
      if (const auto image = abi::LaunchImage::create(kernel, findings))
        done(convert::kernarg_image(converted->kernels[i], *image));
      const emulate::Proof proof = emulate::prove_in_place(
          program, *converted, i, {.attempts = 2, .run_instructions = 500, .instructions = 2000});
      pipeline::report_proof(kernel.name, proof, findings);
    }
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(program.kernels.size(), 4); ++i) use_kernel(program, i, mode);
  std::vector<std::byte> printed(64);
  abi::reset_legacy_printf(printed, 4);
  for (std::size_t i = 0; i < printed.size(); i += 3) printed[i] = static_cast<std::byte>(i);
  done(abi::printf_text(abi::decode_legacy_printf(program.printf, printed, {4, 0}, findings)));
  done(abi::printf_text(abi::decode_hsa_printf(program.printf, printed, findings)));
  Program none = program;
  pipeline::keep_kernels(none, [](const Kernel&) { return false; });
}

// --- files -------------------------------------------------------------------------------------------------------

void use_file(const std::string& bytes, Mode mode) {
  Diagnostics findings(mode, 1000);
  const auto file = open(bytes, findings);
  OpenOptions of_bundle;
  of_bundle.bundle_entry = "gfx906";
  done(open(bytes_of(bytes), findings, of_bundle));
  OpenOptions less;
  less.checks = false;
  if (file && !file->program.kernels.empty()) less.kernel = file->program.kernels.back().name;
  if (const auto part = open(bytes_of(bytes), findings, less)) check(*part, findings);
  const SourceView source{file ? file->view() : bytes,
                          file ? std::span<const TextRegion>(file->regions) : std::span<const TextRegion>()};
  done(render_text(findings, source, {.colour = true}), render_json_lines(findings, source));
  for (const Diagnostic& finding : findings.all())
    done(sentence(finding), severity_if_overcome(finding), visible(finding.message), code_label(finding.code));
  if (!file) return;
  const std::string xml = to_xml(*file);
  done(from_xml(xml), from_xml(std::string_view(xml).substr(0, xml.size() / 2)));
  use_containers(*file);
  for (const MetadataText& text : file->texts) use_document(text.document, mode);
  if (file->object() != nullptr) use_object(*file->object(), mode);
  use_program(file->program, mode);
  done(lift::lift(file->program, {.annotate = true}, findings), lift::with_arguments_read(file->program));
  const pipeline::Lifted lifted = pipeline::lift_file(*file, {}, findings);
  for (const char* target : {"gfx601", "gfx906"})
    for (const pipeline::WayResult& way : pipeline::find_ways(*file, {.target = hsa::parse_target(target)}))
      done(pipeline::way_name(way.way));
  done(pipeline::source_parts(*file));
  for (const std::string_view text : {"", "/", "//", "//\n", "// ", "//\n//"}) done(lift::build_options(text));
  done(lift::build_options(bytes), lift::build_options(lifted.source));
  for (const std::string_view text :
       {"", "__kernel", "__kernel void", "__kernel\nvoid {\n}", "//\n__kernel void k(){\n}"})
    done(lift::kernel_sources(text));
  done(lift::kernel_sources(bytes), lift::kernel_sources(lifted.source));
  // Each looks for a device in a process of its own: the first kernel of some files.
  static int processes = 0;
  if (!file->program.kernels.empty() && processes++ < 40)
    done(emulate::prove_lifted(file->program, 0, lifted.source, {.proof = {.attempts = 0}}));
  for (const pipeline::Layout layout : pipeline::kLayouts) {
    pipeline::Request request;
    request.layout = layout;
    request.prove = layout == pipeline::Layout::Auto;
    request.proof.attempts = 2;
    request.proof.run_instructions = 500;
    request.proof_instructions = 2000;
    request.object.target = layout == pipeline::Layout::InPlace ? hsa::parse_target("gfx906") : std::nullopt;
    const pipeline::Conversion out = pipeline::convert(*file, request, findings);
    for (const pipeline::Outcome outcome : pipeline::kOutcomes) done(out.count(outcome));
    if (out.object) use_metadata(out.object->metadata);
    if (out.natural) use_metadata(out.natural->metadata);
    if (out.natural)
      for (const stub::Api api : stub::kApis) {
        done(stub::host_program(out.natural->metadata, {.api = api, .file = "*/"}));
        done(stub::left_out(out.natural->metadata, {.api = api}).size());
      }
    if (out.bytes.empty()) continue;
    if (const auto after = open(out.bytes, findings)) {
      done(pipeline::verify(*file, *after, {}, findings));
      pipeline::VerifyRequest execute{.execute = true, .proof = request.proof, .proof_instructions = 2000};
      done(pipeline::verify(*file, *after, execute, findings));
    }
  }
}

// Every reader with any bytes, whatever they are.
void use_readers(std::string_view bytes) {
  Diagnostics findings(Mode::Lenient, 1000);
  if (const auto api = stub::find_api(bytes)) done(stub::api_name(*api));
  const std::span<const std::byte> raw = bytes_of(bytes);
  const SourceRange whole{0, static_cast<std::uint32_t>(bytes.size())};
  done(kind_name(identify(raw)), refusal(raw));
  done(cl1::read({raw.begin(), raw.end()}, findings), cl2::read({raw.begin(), raw.end()}, findings));
  done(cl1::read_cal_image(raw, whole, nullptr, findings), cl2::read_brig(raw, whole, findings));
  for (const AddressBits bits : {AddressBits::Bits32, AddressBits::Bits64})
    done(cl2::read_metadata(raw, whole, bits, findings));
  done(hsa::read_code_object(bytes, findings), hsa::read_note_elf(bytes, findings), hsa::is_bundle(bytes));
  for (const hsa::BundleEntry& entry : hsa::read_bundle(bytes, findings)) done(hsa::bundle_target(entry.id));
  done(hsa::find_note(bytes), hsa::find_note(bytes, {}, 8), hsa::read_note(bytes, findings));
  for (const auto read : {hsa::read_msgpack, hsa::read_yaml, hsa::read_v2_yaml, hsa::read_runtime_metadata})
    if (const auto metadata = read(bytes, findings, {})) use_metadata(*metadata);
  if (bytes.size() >= kKernelCodeBytes)
    done(cl2::kernel_code_fields(cl2::read_kernel_code(raw.first<kKernelCodeBytes>())));
  if (bytes.size() >= hsa::kDescriptorBytes)
    done(hsa::write_descriptor(hsa::read_descriptor(raw.first<hsa::kDescriptorBytes>())));
  done(from_xml(bytes), hsa::parse_target(bytes), hsa::decode_printf(bytes), abi::hsa_printf_format(bytes));
  done(hsa::is_v2_only_key(bytes), hsa::find_value_kind(bytes), hsa::printf_format_survives(bytes));
  done(find_gpu(bytes), nearest_gpu(bytes), find_target_support(bytes), nearest_word(bytes, {}));
  if (const auto release = driver_release(bytes)) done(driver_period(*release));
  done(find_device(bytes), find_target(bytes), pipeline::find_layout(bytes), visible(bytes, true));
  done(cl2::find_image_type(bytes), abi::trailing_argument(bytes), abi::cb0_bits(bytes));
  done(text::decode_printf(bytes), text::encode_printf(bytes), text::kernel_name(bytes));
  use_document(text::parse(bytes, findings), Mode::Lenient);
  done(LineTable(bytes).position(whole.size), LineTable(bytes).line(1));
  use_numbers(raw);
  use_code(raw.first(std::min<std::size_t>(raw.size(), 256) / 4 * 4), 0, find_target("gfx803"));
}

// --- the C interface ---------------------------------------------------------------------------------------------

template <class T>
T sized() {
  T out{};
  out.size = sizeof out;
  return out;
}
// The C interface lets no exception out; that there was one which nobody foresaw is a status.
amdcompat_status checked(amdcompat_status status) {
  if (status == AMDCOMPAT_DEFECT) throw std::runtime_error("AMDCOMPAT_DEFECT");
  done(amdcompat_status_text(status));
  return status;
}

void use_diagnostics(const amdcompat_diagnostics* list) {
  auto found = sized<amdcompat_diagnostic>();
  for (std::size_t i = 0; i <= std::min<std::size_t>(amdcompat_diagnostics_count(list), 20); ++i)
    checked(amdcompat_diagnostics_get(list, i, &found));
}

void use_c_launch(const amdcompat_file* file, std::size_t kernel, std::uint32_t arguments) {
  amdcompat_launch* launch = nullptr;
  auto options = sized<amdcompat_launch_options>();
  if (checked(amdcompat_launch_create(file, kernel, kernel % 2 == 0 ? nullptr : &options, &launch)) == AMDCOMPAT_OK) {
    checked(amdcompat_launch_build(launch));
    auto buffer = sized<amdcompat_buffer>();
    buffer.address = 0x1000;
    auto image = sized<amdcompat_image>();
    image.channel_order = 0x10b5;
    image.channel_type = 0x10de;
    image.address = 0x100;
    auto printf = sized<amdcompat_printf_buffer>();
    auto rings = sized<amdcompat_rings>();
    auto environment = sized<amdcompat_environment>();
    environment.memory = 0x20000;
    auto range = sized<amdcompat_range>();
    range.dimensions = 1;
    range.global[0] = 64;
    const char bytes[64] = {};
    checked(amdcompat_launch_set_range(launch, &range));
    checked(amdcompat_launch_set_environment(launch, &environment));
    checked(amdcompat_launch_set_printf(launch, &printf));
    checked(amdcompat_launch_set_data_segment(launch, &buffer));
    checked(amdcompat_launch_set_rings(launch, &rings));
    checked(amdcompat_launch_set_constant_data(launch, 2, &buffer));
    for (std::uint32_t i = 0; i <= std::min(arguments, 40u); ++i) {
      for (const std::size_t size : {4, 8, 48, 64}) {
        checked(amdcompat_launch_set_bytes(launch, i, bytes, size));
        checked(amdcompat_launch_set_object(launch, i, bytes, size));
      }
      checked(amdcompat_launch_set_image(launch, i, &image));
      checked(amdcompat_launch_set_sampler(launch, i, ~0u));
      checked(amdcompat_launch_set_null(launch, i));
      checked(amdcompat_launch_set_buffer(launch, i, &buffer));
      checked(amdcompat_launch_set_local(launch, i, 16));
    }
    checked(amdcompat_launch_build(launch));
    std::size_t size = 0, end = 0;
    auto entry = sized<amdcompat_map_entry>();
    checked(amdcompat_launch_map(launch, &end));
    for (std::size_t i = 0; i <= std::min<std::size_t>(end, 100); ++i)
      checked(amdcompat_launch_map_get(launch, i, &entry));
    for (const std::uint32_t number : {0u, 1u, 2u, ~0u}) {
      done(amdcompat_launch_image(launch, number, &size));
      amdcompat_launch_changed(launch, number, &size, &end);
    }
    std::uint32_t local[3];
    amdcompat_launch_local_size(launch, local);
    done(amdcompat_launch_local_bytes(launch));
    auto memory = sized<amdcompat_memory>();
    checked(amdcompat_launch_memory(launch, &memory));
    auto row = sized<amdcompat_register>();
    for (std::size_t i = 0; i <= amdcompat_launch_register_count(launch); ++i)
      checked(amdcompat_launch_register(launch, i, &row));
    auto binding = sized<amdcompat_binding>();
    for (std::size_t i = 0; i <= amdcompat_launch_binding_count(launch); ++i)
      checked(amdcompat_launch_binding(launch, i, &binding));
  }
  use_diagnostics(amdcompat_launch_diagnostics(launch));
  amdcompat_launch_clear_diagnostics(launch);
  amdcompat_launch_free(launch);
}

void use_c_lift(const amdcompat_file* file) {
  amdcompat_lifted* lifted = nullptr;
  auto options = sized<amdcompat_lift_options>();
  for (const std::uint32_t form : {std::uint32_t{AMDCOMPAT_FORM_AUTO}, std::uint32_t{AMDCOMPAT_FORM_WAVE}, 99u}) {
    options.form = form;
    checked(amdcompat_lift(file, &options, &lifted));
    use_diagnostics(amdcompat_lifted_diagnostics(lifted));
    std::size_t size = 0;
    done(amdcompat_lifted_source(lifted, &size));
    auto outcome = sized<amdcompat_lift_outcome>();
    for (std::size_t i = 0; i <= amdcompat_lifted_kernel_count(lifted); ++i)
      checked(amdcompat_lifted_kernel(lifted, i, &outcome));
    amdcompat_lifted_free(lifted);
    lifted = nullptr;
  }
}

void use_c_conversion(const amdcompat_file* file, std::uint32_t flags) {
  amdcompat_conversion* conversion = nullptr;
  auto options = sized<amdcompat_convert_options>();
  options.launches = options.attempts = 1;
  for (const std::uint32_t layout : {AMDCOMPAT_LAYOUT_AUTO, AMDCOMPAT_LAYOUT_IN_PLACE, AMDCOMPAT_LAYOUT_NATURAL}) {
    options.layout = layout;
    checked(amdcompat_convert(file, &options, &conversion));
    use_diagnostics(amdcompat_conversion_diagnostics(conversion));
    auto outcome = sized<amdcompat_kernel_outcome>();
    for (std::size_t i = 0; i <= amdcompat_conversion_kernel_count(conversion); ++i)
      checked(amdcompat_conversion_kernel(conversion, i, &outcome));
    std::size_t size = 0;
    for (const std::uint32_t form : {AMDCOMPAT_METADATA_YAML, AMDCOMPAT_METADATA_MSGPACK})
      done(amdcompat_conversion_metadata(conversion, form, &size));
    const void* const object = amdcompat_conversion_object(conversion, &size);
    if (size != 0) {
      amdcompat_file* after = nullptr;
      amdcompat_conversion* verified = nullptr;
      if (checked(amdcompat_open(object, size, flags, &after)) == AMDCOMPAT_OK)
        checked(amdcompat_verify(file, after, nullptr, &verified));
      amdcompat_conversion_free(verified);
      amdcompat_file_free(after);
    }
    amdcompat_conversion_free(conversion);
    conversion = nullptr;
  }
}

void use_c_interface(const std::string& bytes, const char* path) {
  done(amdcompat_c_version(), amdcompat_library_version());
  for (const std::uint32_t flags : {0u, AMDCOMPAT_STRICT}) {
    amdcompat_file* file = nullptr;
    checked(amdcompat_open_entry(bytes.data(), bytes.size(), flags, "gfx906", &file));
    amdcompat_file_free(file);
    file = nullptr;
    auto program = sized<amdcompat_program>();
    const amdcompat_status status = checked(path != nullptr ? amdcompat_open_path(path, flags, &file)
                                                            : amdcompat_open(bytes.data(), bytes.size(), flags, &file));
    use_diagnostics(amdcompat_file_diagnostics(file));
    checked(amdcompat_program_get(file, &program));
    if (status == AMDCOMPAT_OK || status == AMDCOMPAT_REFUSED) {
      auto kernel = sized<amdcompat_kernel>();
      auto argument = sized<amdcompat_argument>();
      auto segment = sized<amdcompat_data_segment>();
      std::size_t index = 0;
      for (std::size_t i = 0; i <= std::min<std::size_t>(amdcompat_kernel_count(file), 4); ++i) {
        if (checked(amdcompat_kernel_get(file, i, &kernel)) != AMDCOMPAT_OK) continue;
        checked(amdcompat_kernel_find(file, kernel.name, &index));
        for (std::uint32_t j = 0; j <= std::min(kernel.argument_count, 40u); ++j) {
          checked(amdcompat_argument_get(file, i, j, &argument));
          checked(amdcompat_argument_find(file, i, argument.name == nullptr ? "" : argument.name, &index));
        }
        use_c_launch(file, i, kernel.argument_count);
        unsigned char printed[64] = {16, 0, 0, 0, 1, 0, 0, 0, 1};
        for (const std::uint32_t kind : {AMDCOMPAT_PRINTF_LEGACY, AMDCOMPAT_PRINTF_HSA}) {
          amdcompat_text* text = nullptr;
          auto layout = sized<amdcompat_printf_layout>();
          layout.dwords_per_item = 4;
          layout.kind = kind;
          checked(amdcompat_printf_decode(file, i, printed, sizeof printed, &layout, &text));
          done(amdcompat_text_bytes(text, &index));
          use_diagnostics(amdcompat_text_diagnostics(text));
          amdcompat_text_free(text);
        }
        checked(amdcompat_printf_reset(printed, sizeof printed, 4));
      }
      for (std::size_t i = 0; i <= amdcompat_data_segment_count(file); ++i)
        checked(amdcompat_data_segment_get(file, i, &segment));
      use_c_conversion(file, flags);
      use_c_lift(file);
    }
    amdcompat_file_free(file);
  }
}

// --- the inputs --------------------------------------------------------------------------------------------------

// What is thrown, or nothing.
std::string thrown(const std::function<void()>& what) {
  try {
    what();
  } catch (const std::exception& problem) {
    return fmt::format("throws: {}", problem.what());
  } catch (...) {
    return "throws";
  }
  return {};
}

std::string thrown_with(const std::string& bytes, const char* path = nullptr) {
  return thrown([&] {
    use_readers(bytes);
    for (const Mode mode : {Mode::Lenient, Mode::Strict}) use_file(bytes, mode);
    use_c_interface(bytes, path);
  });
}

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> samples(std::initializer_list<const char*> parts) {
  std::vector<fs::path> out;
  for (const char* part : parts)
    for (const auto& entry : fs::directory_iterator(fs::path(AMDCOMPAT_SAMPLES) / part))
      if (entry.is_regular_file() && entry.path().extension() != ".txt") out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

TEST(EveryEntryPoint, ThrowsNothingOnSamplesAndDamagedOnes) {
  const std::vector<fs::path> files = samples({"bin", "refused", "broken"});
  ASSERT_GT(files.size(), 100u);
  for (const fs::path& path : files) EXPECT_EQ(thrown_with(contents(path), path.c_str()), "") << path;
}

TEST(EveryEntryPoint, ThrowsNothingOnSamplesThatWereCutAndChanged) {
  std::uint32_t state = 0x2545f491;  // xorshift32: the same changes in every run
  const auto random = [&](std::size_t below) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % below;
  };
  for (const fs::path& path : samples({"bin"})) {
    const std::string whole = contents(path);
    for (int i = 0; i < 6; ++i) {
      const std::size_t size = random(whole.size());
      EXPECT_EQ(thrown_with(whole.substr(0, size)), "") << path << ", the first " << size << " bytes";
      std::string changed = whole;
      std::string places;
      for (int j = 0; j <= i; ++j) {
        const std::size_t at = random(whole.size());
        changed[at] = static_cast<char>(changed[at] ^ 1 << random(8));
        places += fmt::format(" {}", at);
      }
      EXPECT_EQ(thrown_with(changed), "") << path << ", bits of bytes" << places;
    }
  }
}

// --- metadata of the wrong kinds ---------------------------------------------------------------------------------

// A document as text, in the flow style: of what no writer of the library would write, too.
std::string yaml_of(const hsa::Node& node) {
  struct Writer {
    std::string operator()(hsa::Node::Nil) const { return "~"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::uint64_t value) const { return fmt::format("{}", value); }
    std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return fmt::format("'{}'", value); }
    std::string operator()(const hsa::Node::Array& value) const {
      std::string out = "[";
      for (const hsa::Node& one : value) out += (out.size() > 1 ? ", " : " ") + yaml_of(one);
      return out + " ]";
    }
    std::string operator()(const hsa::Node::Map& value) const {
      std::string out = "{";
      for (const hsa::NodeEntry& one : value)
        out += fmt::format("{}'{}': {}", out.size() > 1 ? ", " : " ", one.key, yaml_of(one.value));
      return out + " }";
    }
  };
  return std::visit(Writer{}, node.value);
}
std::string msgpack_of(const hsa::Node& node) {
  const auto head = [](unsigned char kind, std::uint64_t value, int bytes) {
    std::string out(1, static_cast<char>(kind));
    while (bytes-- > 0) out += static_cast<char>(value >> 8 * bytes & 0xff);
    return out;
  };
  struct Writer {
    decltype(head) number;
    std::string operator()(hsa::Node::Nil) const { return "\xc0"; }
    std::string operator()(bool value) const { return value ? "\xc3" : "\xc2"; }
    std::string operator()(std::uint64_t value) const { return number(0xcf, value, 8); }
    std::string operator()(std::int64_t value) const { return number(0xd3, static_cast<std::uint64_t>(value), 8); }
    std::string operator()(double value) const { return number(0xcb, std::bit_cast<std::uint64_t>(value), 8); }
    std::string operator()(const std::string& value) const { return number(0xdb, value.size(), 4) + value; }
    std::string operator()(const hsa::Node::Array& value) const {
      std::string out = number(0xdd, value.size(), 4);
      for (const hsa::Node& one : value) out += msgpack_of(one);
      return out;
    }
    std::string operator()(const hsa::Node::Map& value) const {
      std::string out = number(0xdf, value.size(), 4);
      for (const hsa::NodeEntry& one : value) out += (*this)(one.key) + msgpack_of(one.value);
      return out;
    }
  };
  return std::visit(Writer{head}, node.value);
}

void collect(hsa::Node& node, std::vector<hsa::Node*>& out) {
  out.push_back(&node);
  if (auto* const array = std::get_if<hsa::Node::Array>(&node.value))
    for (hsa::Node& one : *array) collect(one, out);
  if (auto* const map = std::get_if<hsa::Node::Map>(&node.value))
    for (hsa::NodeEntry& one : *map) collect(one.value, out);
}

// One of each kind.
std::vector<hsa::Node::Value> values_of_all_kinds() {
  return {hsa::Node::Nil{},
          true,
          std::uint64_t{~0ull},
          std::int64_t{-1},
          1.5,
          std::string("x"),
          hsa::Node::Array{},
          hsa::Node::Array{{std::uint64_t{1}, {}}},
          hsa::Node::Map{},
          hsa::Node::Map{{"x", {std::string("y"), {}}}}};
}

TEST(EveryEntryPoint, ThrowsNothingOnMetadataOfTheWrongKinds) {
  std::size_t documents = 0;
  for (const char* const name : {"object-gfx906.hsaco", "printf.amdil", "images.amdil"}) {
    Diagnostics findings;
    const fs::path path = fs::path(AMDCOMPAT_SAMPLES) / "bin" / name;
    const auto file = open(contents(path), findings);
    ASSERT_TRUE(file) << path;
    pipeline::Request request;
    request.layout = file->object() != nullptr ? pipeline::Layout::Auto : pipeline::Layout::Natural;
    const pipeline::Conversion made = pipeline::convert(*file, request, findings);
    hsa::Metadata metadata = made.natural  ? made.natural->metadata
                             : made.object ? made.object->metadata
                                           : hsa::Metadata();
    ASSERT_FALSE(metadata.kernels.empty()) << path;
    metadata.kernels.resize(1);
    hsa::Node root = hsa::to_node(metadata);
    std::vector<hsa::Node*> nodes;
    collect(root, nodes);
    for (hsa::Node* const node : nodes)
      for (hsa::Node::Value& value : values_of_all_kinds()) {
        std::swap(node->value, value);
        const std::string yaml = yaml_of(root);
        EXPECT_EQ(thrown([&] {
                    Diagnostics wrong;
                    if (const auto read = hsa::read_yaml(yaml, wrong)) use_metadata(*read);
                    if (const auto read = hsa::read_msgpack(msgpack_of(root), wrong)) use_metadata(*read);
                    if (const auto read = hsa::from_node(root, wrong)) use_metadata(*read);
                  }),
                  "")
            << path << '\n'
            << yaml;
        std::swap(node->value, value);
        ++documents;
      }
  }
  EXPECT_GT(documents, 500u);
}

// V2's: every key of a document in turn, with a value of each kind in place of what it has.
constexpr std::string_view kOldMetadata = R"(---
Version: [ 1, 0 ]
Printf:
  - '1:1:4:%d'
Kernels:
  - Name: k
    SymbolName: 'k@kd'
    Language: OpenCL C
    LanguageVersion: [ 1, 2 ]
    Attrs:
      ReqdWorkGroupSize: [ 64, 1, 1 ]
      VecTypeHint: int
    Args:
      - Name: p
        TypeName: 'int*'
        Size: 8
        Align: 8
        ValueKind: GlobalBuffer
        ValueType: I32
        AddrSpaceQual: Global
        IsConst: true
      - Size: 4
        Align: 4
        ValueKind: ByValue
        ValueType: I32
    CodeProps:
      KernargSegmentSize: 16
      KernargSegmentAlign: 8
      WavefrontSize: 64
      NumSGPRs: 8
      MaxFlatWorkGroupSize: 256
    DebugProps:
      DebuggerABIVersion: [ 1, 0 ]
...
)";

TEST(EveryEntryPoint, ThrowsNothingOnOldMetadataOfTheWrongKinds) {
  std::vector<std::string> lines;
  std::istringstream text{std::string(kOldMetadata)};
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  const auto indent = [](const std::string& line) { return line.find_first_not_of(" -"); };
  hsa::V2Object object;
  object.isa = {{8, 0, 3}};
  hsa::V2Kernel& kernel = object.kernels.emplace_back();
  kernel.name = "k";
  kernel.setup.user_registers = kSgprKernargPtr;
  kernel.setup.features = 0xa;
  kernel.setup.kernarg_bytes = 16;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t colon = lines[i].find(": ") != std::string::npos ? lines[i].find(": ") : lines[i].size() - 1;
    if (lines[i][colon] != ':') continue;
    for (const hsa::Node::Value& value : values_of_all_kinds()) {
      std::string yaml;
      for (std::size_t j = 0; j < lines.size(); ++j) {
        if (j != i) {
          yaml += lines[j] + '\n';
          continue;
        }
        yaml += fmt::format("{}: {}\n", lines[i].substr(0, colon), yaml_of({value, {}}));
        while (j + 1 < lines.size() && lines[j + 1].starts_with(' ') && indent(lines[j + 1]) > indent(lines[i])) ++j;
      }
      object.metadata = yaml;
      EXPECT_EQ(thrown_with(hsa::build_v2(object)), "") << yaml;
      EXPECT_EQ(thrown([&] { use_readers(yaml); }), "") << yaml;
    }
  }
}

// --- all of them -------------------------------------------------------------------------------------------------

// These take members of closed sets and rows of tables, whatever the input was; `make_diagnostic` makes findings.
const std::set<std::string, std::less<>> kOfNoInput{"access_name",
                                                    "argument_type_name",
                                                    "binding_kind_name",
                                                    "cb0_type_name",
                                                    "cl2_part_name",
                                                    "code_info",
                                                    "code_storage_name",
                                                    "default_version",
                                                    "descriptor_group",
                                                    "evidence_name",
                                                    "exists",
                                                    "flow",
                                                    "formats",
                                                    "generation_name",
                                                    "group_key_name",
                                                    "has_erratum",
                                                    "header_bytes",
                                                    "header_fields",
                                                    "hidden_kind_name",
                                                    "image_dim_name",
                                                    "info",
                                                    "isa_name",
                                                    "kernarg_part_name",
                                                    "layout_name",
                                                    "local_memory_bytes",
                                                    "make_diagnostic",
                                                    "memory_flag_name",
                                                    "memory_kind_name",
                                                    "memory_space_name",
                                                    "number_key_name",
                                                    "outcome_name",
                                                    "outcome_text",
                                                    "same_instructions",
                                                    "scalar_name",
                                                    "scalar_size",
                                                    "severity_name",
                                                    "severity_of",
                                                    "spelling",
                                                    "unmet_erratum",
                                                    "value_kind_info",
                                                    "verdict_name",
                                                    "version_info",
                                                    "word_name"};

// Whether it stands in `text` as a whole word.
bool mentions(std::string_view text, std::string_view name) {
  const auto part_of_a_word = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; at += name.size())
    if (!part_of_a_word(at - 1) && !part_of_a_word(at + name.size())) return true;
  return false;
}

TEST(EveryEntryPoint, IsCalledHere) {
  const std::string source = contents(fs::path(AMDCOMPAT_SOURCE_DIR) / "tests/limits/no_exception_test.cpp");
  const std::string_view here = std::string_view(source).substr(0, source.find("kOfNoInput"));
  constexpr std::string_view kMark = "AMDCOMPAT_API ";
  std::size_t functions = 0;
  for (const auto& header : fs::directory_iterator(fs::path(AMDCOMPAT_SOURCE_DIR) / "include/amdcompat")) {
    if (header.path().extension() == ".def" || header.path().filename() == "export.h") continue;
    const std::string text = contents(header.path());
    for (std::size_t at = 0; (at = text.find(kMark, at)) != std::string::npos;) {
      const std::size_t end = text.find_first_of("({;", at += kMark.size());
      if (text[end] != '(' || text[end + 1] == ')') continue;  // a class; a table, which takes nothing
      const std::string declared = text.substr(at, end - at);
      const std::string name = declared.substr(declared.find_last_of(" *&\n") + 1);
      if (name.starts_with("operator") || kOfNoInput.contains(name)) continue;
      ++functions;
      EXPECT_TRUE(mentions(here, name)) << header.path().filename() << ": " << name;
    }
  }
  EXPECT_GT(functions, 200u);
}

}  // namespace
}  // namespace amdcompat::no_exception_test
