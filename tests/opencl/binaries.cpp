#include "binaries.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <expected>
#include <regex>
#include <span>

#include <fmt/format.h>

#include <amdcompat/cl2.hpp>
#include <amdcompat/code_object.hpp>
#include <amdcompat/device.hpp>
#include <amdcompat/hsa.hpp>

#include "cl1_builder.hpp"
#include "cl2_builder.hpp"
#include "code_object_v2_builder.hpp"
#include "code_samples.hpp"
#include "support/process.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat_test::opencl_layer {
namespace {

using namespace amdcompat;

template <class T>
using Or = std::expected<T, std::string>;

// Registers of the code objects below: the tables of UAVs and of images, a sampler, constant buffers 0 and 1, the
// group's numbers. Encodings as llvm-mc prints them for GFX6.
// clang-format off
constexpr std::uint32_t kBlend[] = {
    0xc2490904,  // s_buffer_load_dwordx2 s[18:19], s[8:11], 0x4
    0xc24a0918,  // s_buffer_load_dwordx2 s[20:21], s[8:11], 0x18
    0xc0cc0300,  // s_load_dwordx8 s[24:31], s[2:3], 0x0
    0xc0d00100,  // s_load_dwordx8 s[32:39], s[0:1], 0x0
    0xc2140d14,  // s_buffer_load_dword s40, s[12:15], 0x14
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x93101210,  // s_mul_i32 s16, s16, s18
    0x80101410,  // s_add_u32 s16, s16, s20
    0x93111311,  // s_mul_i32 s17, s17, s19
    0x80111511,  // s_add_u32 s17, s17, s21
    0x4a000010,  // v_add_i32 v0, vcc, s16, v0
    0x4a020211,  // v_add_i32 v1, vcc, s17, v1
    0x7e040b00,  // v_cvt_f32_i32 v2, v0
    0x7e060b01,  // v_cvt_f32_i32 v3, v1
    0x060404f0,  // v_add_f32 v2, 0.5, v2
    0x060606f0,  // v_add_f32 v3, 0.5, v3
    0x060804f2,  // v_add_f32 v4, 1.0, v2
    0x7e0a0303,  // v_mov_b32 v5, v3
    0xf0800f00, 0x00260802,  // image_sample v[8:11], v[2:3], s[24:31], s[4:7] dmask:0xf
    0xf0800f00, 0x00260c04,  // image_sample v[12:15], v[4:5], s[24:31], s[4:7] dmask:0xf
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0x06101908,  // v_add_f32 v8, v8, v12
    0x06121b09,  // v_add_f32 v9, v9, v13
    0x06141d0a,  // v_add_f32 v10, v10, v14
    0x06161f0b,  // v_add_f32 v11, v11, v15
    0x10101028,  // v_mul_f32 v8, s40, v8
    0x10121228,  // v_mul_f32 v9, s40, v9
    0x10141428,  // v_mul_f32 v10, s40, v10
    0x10161628,  // v_mul_f32 v11, s40, v11
    0xf0201f00, 0x00080800,  // image_store v[8:11], v[0:1], s[32:39] dmask:0xf unorm
    0xbf810000,  // s_endpgm
};
// clang-format on
constexpr std::string_view kBlendMetadata =
    ";ARGSTART:__OpenCL_blend_kernel\n;version:3:1:111\n;device:tahiti\n;uniqueid:1024\n;memory:uavprivate:0\n"
    ";memory:hwlocal:0\n;memory:hwregion:0\n;image:from:2D:RO:0:1:0\n;image:to:2D:WO:0:1:32\n"
    ";value:by:u32:1:1:64\n;sampler:by:0:0:0\n;value:gain:float:1:1:80\n;function:1:1025\n;uavid:11\n;printfid:9\n"
    ";cbid:10\n;privateid:8\n;reflection:0:image2d_t\n;reflection:1:image2d_t\n;reflection:2:sampler_t\n"
    ";reflection:3:float\n;ARGEND:__OpenCL_blend_kernel\n";

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Or<std::string> built(const Built& from) {
  if (!from) return std::unexpected(from.error().path + ": " + from.error().message);
  return text_of(*from);
}

Or<std::string> blend() {
  cl1::EncodingSpec encoding;
  encoding.machine = 0x1a;  // Tahiti
  encoding.program_info.push_back({0x80001000, 5});  // how many of the following are used
  constexpr std::array<std::array<std::uint32_t, 4>, 5> kUser{{{cl1::kClassUavTable, 0, 0, 2},
                                                               {cl1::kClassResourceTable, 0, 2, 2},
                                                               {cl1::kClassSampler, 0, 4, 4},
                                                               {cl1::kClassConstantBuffer, 0, 8, 4},
                                                               {cl1::kClassConstantBuffer, 1, 12, 4}}};
  std::uint32_t address = 0x80001001;
  for (const auto& element : kUser)
    for (const std::uint32_t word : element) encoding.program_info.push_back({address++, word});
  const std::uint32_t rsrc2 = 16u << 1 | 3u << 7 | 1u << 11;  // 16 user registers, numbers in x and y
  for (const cl1::ProgramInfoEntry& entry : {cl1::ProgramInfoEntry{0x80001041, 16},
                                             {0x80001042, 41},
                                             {0x80001043, 0xc0},
                                             {0x80001044, 0},
                                             {0x80001045, 0},
                                             {0x2e13, rsrc2},
                                             {0x80000078, 64},
                                             {0x80000082, 0}})
    encoding.program_info.push_back(entry);
  encoding.notes = {{16, {0, 2, 2, 5}}, {10, {0, 0, 1, 0}}};
  const auto code = std::as_bytes(std::span(kBlend));
  encoding.text.assign(code.begin(), code.end());
  const auto image = cl1::build_cal_image(std::span(&encoding, 1));
  if (!image) return std::unexpected(image.error().message);
  cl1::ContainerSpec spec;
  spec.machine = find_device("tahiti")->e_machine;
  spec.driver = "@(#) OpenCL 1.2 AMD-APP (1124.2).  Driver version: 1124.2 (VM)";
  cl1::KernelSpec& kernel = spec.kernels.emplace_back();
  kernel.name = "blend";
  kernel.metadata = std::string(kBlendMetadata);
  kernel.header.emplace();
  kernel.image = *image;
  return built(cl1::build(spec));
}

// --- code of clang ---------------------------------------------------------------------------------------------------

constexpr std::uint32_t kHiddenWords = 6;  // in front of the arguments of an OpenCL 2.0 container

// The source with the hidden arguments of OpenCL 2.0 in front of all others; every function of a kernel file that
// returns nothing is a kernel.
std::string with_hidden_arguments(const std::string& source) {
  std::string hidden;
  for (std::uint32_t n = 0; n < kHiddenWords; ++n) hidden += fmt::format("ulong hidden{}, ", n);
  return std::regex_replace(source, std::regex(R"(\bvoid\s+(\w+)\s*\()"), "void $1(" + hidden);
}

// The code object (V4) that clang makes of a source.
Or<hsa::CodeObject> compiled(const BinaryKind& kind, const TemporaryDirectory& scratch) {
  const bool cl2 = kind.shape == Shape::Cl2;
  std::string source = read_file(kernel_source(kind.source));
  if (cl2) source = with_hidden_arguments(source);
  write_file(scratch / "kernel.cl", source);
  const ProcessResult result = run(fmt::format(
      "timeout 120 clang-19 -x cl -cl-std=CL1.2 -O2 -cl-kernel-arg-info -Wall -Werror -Wno-unused-parameter {} "
      "-target amdgcn-amd-amdhsa -mcpu={} -mcode-object-version=4 -nogpulib -Xclang -finclude-default-header "
      "-include '{}' '{}' -o '{}'",
      cl2 ? "-DHIDDEN_IN_FRONT" : "", kind.processor, kernel_source("device").replace_extension(".h").string(),
      (scratch / "kernel.cl").string(), (scratch / "kernel.o").string()));
  if (result.status != 0) return std::unexpected(result.output);
  Diagnostics diagnostics;
  auto object = hsa::read_code_object(read_file(scratch / "kernel.o"), diagnostics);
  if (!object || object->target == nullptr) return std::unexpected("clang's code object cannot be read");
  for (const CodeSection& section : object->code.sections)
    if (section.name == ".rodata" && section.size() > object->kernels.size() * hsa::kDescriptorBytes + 4)
      return std::unexpected("the code has constants, which stay behind");
  return *std::move(object);
}

struct Code {
  KernelCode setup;
  std::span<const std::byte> bytes;
};
Or<Code> code_of(const hsa::CodeObject& object, const hsa::MetadataKernel& metadata) {
  const auto kernel = std::ranges::find(object.kernels, *metadata.name, &hsa::CodeKernel::name);
  if (kernel == object.kernels.end() || !kernel->descriptor) return std::unexpected("a kernel without code");
  const auto setup = hsa::to_kernel_code(*kernel->descriptor, *object.target, {},
                                         static_cast<std::uint16_t>(metadata.sgpr_count.value_or(0)),
                                         static_cast<std::uint16_t>(metadata.vgpr_count.value_or(0)));
  if (!setup) return std::unexpected(setup.error().message);
  const CodeSection& section = object.code.sections[kernel->code.section];
  return Code{*setup, std::span(section.bytes).subspan(kernel->code.offset, kernel->code.size)};
}

std::array<std::uint32_t, 3> isa_of(std::string_view processor) {
  return processor == "gfx700" ? std::array<std::uint32_t, 3>{7, 0, 0} : std::array<std::uint32_t, 3>{8, 0, 3};
}

Or<std::string> as_v2(const BinaryKind& kind, hsa::CodeObject object) {
  hsa::V2Object out;
  out.isa = isa_of(kind.processor);
  for (hsa::MetadataKernel& metadata : object.metadata.kernels) {
    const auto code = code_of(object, metadata);
    if (!code) return std::unexpected(code.error());
    hsa::V2Kernel& kernel = out.kernels.emplace_back();
    kernel.name = *metadata.name;
    kernel.setup = code->setup;
    for (std::size_t n = 0; n < 3; ++n) kernel.setup.machine_version[n] = static_cast<std::uint16_t>((*out.isa)[n]);
    kernel.code.resize(code->bytes.size() / 4);
    std::memcpy(kernel.code.data(), code->bytes.data(), kernel.code.size() * 4);
    metadata.symbol = *metadata.name + "@kd";
  }
  // As the first assemblers left it: nothing says what arguments there are but the code.
  if (kind.file.ends_with("-bare.bin")) return hsa::build_v2(out);
  object.metadata.version = {1, 0};
  object.metadata.target.reset();
  const auto yaml = hsa::to_v2_yaml(object.metadata);
  if (!yaml) return std::unexpected(yaml.error().message);
  out.metadata = *yaml;
  return hsa::build_v2(out);
}

// What an OpenCL 2.0 container says of a type [ACL aclEnums.h].
Or<std::uint32_t> data_of(std::string_view type) {
  constexpr std::pair<std::string_view, std::uint32_t> kTypes[] = {
      {"char", 2},   {"short", 3}, {"int", 4},   {"long", 5},   {"uchar", 6},
      {"ushort", 7}, {"uint", 8},  {"ulong", 9}, {"float", 11}, {"double", 12}};
  const auto* const found = std::ranges::find(kTypes, type, &std::pair<std::string_view, std::uint32_t>::first);
  if (found == std::end(kTypes)) return std::unexpected(fmt::format("no number for type {}", type));
  return found->second;
}

Or<std::string> as_cl2(const BinaryKind& kind, const hsa::CodeObject& object) {
  cl2::ContainerSpec spec;
  const bool gfx7 = kind.processor == "gfx700";
  spec.chip = gfx7 ? 6 : 9;  // Bonaire, Tonga
  const auto isa = gfx7 ? std::array<std::uint32_t, 3>{7, 0, 0} : std::array<std::uint32_t, 3>{8, 0, 0};
  spec.isa = cl2::IsaNote{isa[0], isa[1], isa[2], "AMD", "AMDGPU"};
  spec.compile_options = "-cl-std=CL1.2 -m64";
  std::uint32_t index = 0;
  for (const hsa::MetadataKernel& from : object.metadata.kernels) {
    const auto code = code_of(object, from);
    if (!code) return std::unexpected(code.error());
    cl2::KernelSpec& kernel = spec.kernels.emplace_back();
    kernel.name = *from.name;
    kernel.setup = code->setup;
    kernel.code.assign(code->bytes.begin(), code->bytes.end());
    cl2::Metadata& m = kernel.metadata;
    m.function_id = 1024 + index;
    m.kernel_index = index++;
    m.kernel_name = "__OpenCL_dummy_kernel";
    m.device_name = gfx7 ? "GFX7" : "GFX8";
    m.hidden_arguments = kHiddenWords;
    m.waves_per_simd_hint = 0xffffffff;
    if (from.reqd_workgroup_size) {
      m.required_group_size = *from.reqd_workgroup_size;
      m.gpu_caps |= cl2::kCapWorkGroupSize;
    }
    std::uint32_t at = 0;
    const auto add = [&](std::string name, std::string type, const cl2::ArgumentWords& words, bool is_const) {
      cl2::ArgumentRecord& record = m.arguments.emplace_back();
      record.name = std::move(name);
      record.type_name = std::move(type);
      record.is_const = is_const ? 1 : 0;
      cl2::encode(record, words);
      at += 16;
    };
    constexpr std::string_view kHidden[] = {"_.global_offset_0", "_.global_offset_1", "_.global_offset_2",
                                            "_.printf_buffer",   "_.vqueue_pointer",  "_.aqlwrap_pointer"};
    for (const std::string_view name : kHidden) {
      if (name == "_.printf_buffer")
        add(std::string(name), "size_t", cl2::PointerWords{.virtual_offset = at, .data = 6, .access = 1}, false);
      else
        add(std::string(name), "size_t", cl2::ValueWords{1, 1, at, 9}, false);
    }
    std::vector<std::uint64_t> places;
    for (const hsa::MetadataArgument& argument : from.args) {
      if (!argument.name || argument.name->starts_with("hidden") || !argument.value_kind) continue;
      std::string type = argument.type_name.value_or("");
      const bool pointer = type.ends_with('*');
      const auto data = data_of(pointer ? std::string_view(type).substr(0, type.size() - 1) : type);
      if (!data) return std::unexpected(data.error());
      places.push_back(*argument.offset);
      if (pointer) {
        const bool local = argument.value_kind == hsa::ValueKind::DynamicSharedPointer;
        add(*argument.name, std::move(type),
            cl2::PointerWords{.virtual_offset = at, .align = 4, .data = *data, .memory = local ? 3u : 4u},
            argument.is_const.value_or(false));
      } else {
        add(*argument.name, std::move(type), cl2::ValueWords{1, 1, at, *data}, false);
      }
    }
    cl2::finish_metadata(m);
    // AMD's compiler and clang do not agree on the places of all kinds of arguments; the kernels keep to those where
    // they do.
    const auto layout = cl2::layout_arguments(m, cl2::CodeStorage::Nested);
    if (!layout) return std::unexpected("an argument without a place");
    for (std::size_t n = 0; n < places.size(); ++n)
      if (layout->slots[kHiddenWords + n].offset != places[n])
        return std::unexpected(fmt::format("{}: argument {} is not where clang's code reads it", kernel.name, n));
    kernel.setup.kernarg_bytes = layout->bytes;
    kernel.setup.machine_version = {};
  }
  return built(cl2::build(spec));
}

// The kernel that multiplies by an argument, whose argument is a structure: its third word stands eight bytes behind
// the slot's begin.
Or<std::string> factors() {
  corpus::Cl1Code code = corpus::scale_32();
  constexpr std::array<std::byte, 4> kFactor{std::byte{0x04}, std::byte{0x89}, std::byte{0x0a}, std::byte{0xc2}};
  const auto at = std::ranges::search(code.encoding.text, kFactor);  // s_buffer_load_dword s21, s[8:11], 0x4
  if (at.empty()) return std::unexpected("the sample reads its factor by another instruction");
  at.front() = std::byte{0x06};
  for (const auto& [from, to] : {std::pair(";value:factor:u32:1:1:16", ";value:factors:struct:16:1:16"),
                                 {"reflection:1:uint", "reflection:1:Factors"}})
    code.metadata.replace(code.metadata.find(from), std::string_view(from).size(), to);
  code.metadata = std::regex_replace(code.metadata, std::regex("_scale_"), "_scale_by_");
  cl1::ContainerSpec spec = corpus::container_of(code);
  spec.kernels.front().name = "scale_by";
  return built(cl1::build(spec));
}

Or<std::string> make(const BinaryKind& kind, const TemporaryDirectory& scratch) {
  if (kind.source == "factors") return factors();
  if (kind.source == "blend") return blend();
  if (kind.source == "scale") {
    const corpus::Cl1Code code = kind.file.ends_with("64.bin") ? corpus::scale_64() : corpus::scale_32();
    return built(cl1::build(corpus::container_of(code)));
  }
  auto object = compiled(kind, scratch);
  if (!object) return std::unexpected(object.error());
  return kind.shape == Shape::Cl2 ? as_cl2(kind, *object) : as_v2(kind, *std::move(object));
}

}  // namespace

const std::vector<BinaryKind>& binaries() {
  // clang-format off
  static const std::vector<BinaryKind> kinds{
      {"scale", Shape::Cl1, "pitcairn", "scale.bin"},
      {"scale", Shape::Cl1, "pitcairn", "scale-64.bin"},
      {"blend", Shape::Cl1, "tahiti", "blend.bin"},
      {"factors", Shape::Cl1, "pitcairn", "factors.bin"},
      {"reduction", Shape::Cl2, "gfx700", "reduction.bin"},
      {"reduction", Shape::V2, "gfx700", "reduction-v2.bin"},
      {"scan", Shape::Cl2, "gfx803", "scan.bin"},
      {"matrix", Shape::V2, "gfx803", "matrix.bin"},
      {"matrix", Shape::Cl2, "gfx803", "matrix-cl2.bin"},
      {"histogram", Shape::Cl2, "gfx700", "histogram.bin"},
      {"histogram", Shape::V2, "gfx803", "histogram-v2.bin"},
      {"histogram", Shape::V2, "gfx803", "histogram-bare.bin"},
      {"particles", Shape::V2, "gfx803", "particles.bin"},
      {"values", Shape::V2, "gfx803", "values.bin"},
      {"doubles", Shape::Cl2, "gfx803", "doubles.bin"},
  };
  // clang-format on
  return kinds;
}

std::string write_binaries(const std::filesystem::path& directory) {
  const TemporaryDirectory scratch;
  for (const BinaryKind& kind : binaries()) {
    const auto bytes = make(kind, scratch);
    if (!bytes) return fmt::format("{}: {}", kind.file, bytes.error());
    write_file(directory / kind.file, *bytes);
  }
  return {};
}

std::filesystem::path kernel_source(std::string_view name) {
  return std::filesystem::path(AMDCOMPAT_SOURCE_DIR) / "tests/opencl/kernels" / fmt::format("{}.cl", name);
}

}  // namespace amdcompat_test::opencl_layer
