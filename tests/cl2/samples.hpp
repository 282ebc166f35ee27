// CL2 containers of our own for the tests: small, complete, and easy to break.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/cl2.hpp>
#include <amdcompat/open.hpp>

#include <cl2_builder.hpp>

#include "support/print_finding.hpp"

namespace amdcompat::test {

// Other bytes in the file that a model refers to.
inline void put(cl2::Binary& binary, std::size_t at, std::string_view bytes) {
  std::vector<std::byte> changed(binary.bytes.begin(), binary.bytes.end());
  std::ranges::copy(std::as_bytes(std::span(bytes)), changed.begin() + static_cast<std::ptrdiff_t>(at));
  binary.bytes = FileBytes(std::move(changed));
}

using Bytes = std::vector<std::byte>;

inline Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}
inline std::string string_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
inline std::string listing(const Diagnostics& diagnostics) {
  std::ostringstream out;
  for (const Diagnostic& finding : diagnostics.all()) {
    PrintTo(finding, &out);
    out << '\n';
  }
  return out.str();
}

// The parameters of a whole container.
struct Shape {
  AddressBits bits = AddressBits::Bits64;
  cl2::HeaderSize header = cl2::HeaderSize::Hints;
  [[nodiscard]] cl2::CodeStorage storage() const {
    return header == cl2::HeaderSize::Base ? cl2::CodeStorage::Separate : cl2::CodeStorage::Nested;
  }
};

inline cl2::ArgumentRecord record(std::string name, std::string type, const cl2::ArgumentWords& words,
                                  bool is_const = false) {
  cl2::ArgumentRecord out;
  out.name = std::move(name);
  out.type_name = std::move(type);
  out.is_const = is_const ? 1 : 0;
  cl2::encode(out, words);
  return out;
}

// The six arguments that compilers put in front.
inline std::vector<cl2::ArgumentRecord> hidden_records(AddressBits bits) {
  const std::uint32_t word = bits == AddressBits::Bits64 ? 9 : 8;
  std::vector<cl2::ArgumentRecord> out;
  for (std::uint32_t i = 0; i < 3; ++i)
    out.push_back(record(fmt::format("_.global_offset_{}", i), "size_t", cl2::ValueWords{1, 1, i * 16, word}));
  out.push_back(record("_.printf_buffer", "size_t", cl2::PointerWords{.virtual_offset = 48, .data = 6, .access = 1}));
  out.push_back(record("_.vqueue_pointer", "size_t", cl2::ValueWords{1, 1, 64, word}));
  out.push_back(record("_.aqlwrap_pointer", "size_t", cl2::ValueWords{1, 1, 80, word}));
  return out;
}

// One of every kind of source argument.
inline std::vector<cl2::ArgumentRecord> source_records() {
  std::vector<cl2::ArgumentRecord> out;
  std::uint32_t at = 96;
  const auto add = [&](std::string name, std::string type, cl2::ArgumentWords words, std::uint32_t bytes,
                       bool is_const = false) {
    std::visit(
        [&](auto& w) {
          if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(w)>, std::monostate>) w.virtual_offset = at;
        },
        words);
    out.push_back(record(std::move(name), std::move(type), words, is_const));
    at += bytes;
  };
  add("c", "char", cl2::ValueWords{.data = 2}, 16);
  add("f3", "float3", cl2::ValueWords{.elements = 3, .data = 11}, 16);
  add("d", "double", cl2::ValueWords{.data = 12}, 16);
  add("s", "struct vertex", cl2::ValueWords{.elements = 24, .data = 15}, 32);
  add("out", "float*", cl2::PointerWords{.align = 4, .data = 11, .access = 3}, 16);
  add("in", "int4*", cl2::PointerWords{.align = 16, .data = 4, .access = 1, .is_volatile = 1, .is_restrict = 1}, 16,
      true);
  add("tmp", "float*", cl2::PointerWords{.align = 4, .data = 11, .memory = 3, .access = 3}, 16);
  add("table", "uint*", cl2::PointerWords{.align = 4, .data = 8, .memory = 5, .access = 1}, 16, true);
  add("p", "pipe __global float *", cl2::PointerWords{.align = 256, .data = 15, .access = 3, .is_pipe = 1}, 16);
  add("img", "image2d_t", cl2::ImageWords{.resource = 0, .access = 1, .flags = {0x01, 0xb9, 0x18, 0x73}}, 32);
  add("vol", "image3d_t", cl2::ImageWords{.resource = 1, .access = 3}, 32);
  add("smp", "sampler_t", cl2::SamplerWords{.id = 2}, 16);
  add("q", "queue_t", cl2::QueueWords{}, 16);
  add("n", "counter32_t", cl2::CounterWords{.is_32_bits = 1, .resource = 3}, 16);
  add("sem", "semaphore_t", cl2::SemaphoreWords{.resource = 1}, 16);
  return out;
}

inline cl2::Metadata metadata(const Shape& shape, std::vector<cl2::ArgumentRecord> arguments) {
  cl2::Metadata m;
  m.bits = shape.bits;
  m.header = shape.header;
  m.gpu_caps = shape.bits == AddressBits::Bits64 ? cl2::kCap64BitAbi : 0;
  m.kernel_name = "__OpenCL_dummy_kernel";
  m.device_name = "generic";
  m.arguments = hidden_records(shape.bits);
  if (shape.header != cl2::HeaderSize::Base) m.hidden_arguments = 6;
  if (shape.header == cl2::HeaderSize::Hints) {
    m.waves_per_simd_hint = 0xffffffff;
    m.vector_type_hint = "float4";
    m.group_size_hint = {8, 8, 1};
  }
  m.arguments.insert(m.arguments.end(), arguments.begin(), arguments.end());
  cl2::finish_metadata(m);
  return m;
}

inline KernelCode setup_for(const cl2::Metadata& m, const Shape& shape) {
  KernelCode setup;
  setup.version = {1, shape.storage() == cl2::CodeStorage::Separate ? 0u : 1u};
  setup.user_registers = kSgprPrivateBuffer | kSgprDispatchPtr | kSgprKernargPtr;
  setup.rsrc2 = 8u << 1 | 1u << 7;
  setup.features = shape.bits == AddressBits::Bits64 ? 0xa : 0x2;
  setup.sgprs = 14;
  setup.vgprs = 5;
  setup.group_bytes = 100;
  if (const auto layout = cl2::layout_arguments(m, shape.storage())) setup.kernarg_bytes = layout->bytes;
  return setup;
}

inline cl2::KernelSpec kernel(std::string name, const Shape& shape, std::vector<cl2::ArgumentRecord> arguments,
                              std::uint32_t index) {
  cl2::KernelSpec spec;
  spec.name = std::move(name);
  spec.metadata = metadata(shape, std::move(arguments));
  spec.metadata.function_id = 1024 + index;
  spec.metadata.kernel_index = index;
  spec.setup = setup_for(spec.metadata, shape);
  if (shape.storage() == cl2::CodeStorage::Separate) spec.metadata.memory[1] = 112;
  spec.code = bytes_of(std::string_view("\0\0\x81\xbf", 4));  // s_endpgm
  return spec;
}

// What the compilers write into BRIG pragmas for a kernel of `kernel`.
inline std::vector<std::string> text_of(const cl2::KernelSpec& spec, const Shape& shape) {
  static constexpr std::string_view kData[] = {"",    "i1",   "i8",    "i16",    "i32", "i64", "u8",     "u16",  "u32",
                                               "u64", "half", "float", "double", "",    "",    "struct", "union"};
  static constexpr std::string_view kAccess[] = {"", "RO", "WO", "RW"};
  static constexpr std::string_view kMemory[] = {"", "g", "p", "l", "uav", "c"};
  std::vector<std::string> out;
  out.push_back(fmt::format("ARGSTART:__OpenCL_{}_kernel", spec.name));
  out.push_back("version:3:1:104");
  out.push_back("device:generic");
  out.push_back(fmt::format("uniqueid:{}", spec.metadata.function_id));
  if (shape.header == cl2::HeaderSize::Base) {
    out.push_back("memory:private:0");
    out.push_back("memory:region:0");
    out.push_back(fmt::format("memory:local:{}", spec.metadata.memory[1]));
  }
  const auto& group = spec.metadata.required_group_size;
  if (group[0] != 0) out.push_back(fmt::format("cws:{}:{}:{}", group[0], group[1], group[2]));
  if (shape.header == cl2::HeaderSize::Hints) {
    const auto& hint = spec.metadata.group_size_hint;
    out.push_back(fmt::format("wsh:{}:{}:{}", hint[0], hint[1], hint[2]));
    out.push_back("vth:" + spec.metadata.vector_type_hint);
  }
  const auto& arguments = spec.metadata.arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& name = arguments[i].name;
    const cl2::ArgumentWords words = cl2::decode(arguments[i]);
    if (const auto* v = std::get_if<cl2::ValueWords>(&words))
      out.push_back(fmt::format("value:{}:{}:{}:1:{}", name, kData[v->data], v->elements, v->virtual_offset));
    if (const auto* p = std::get_if<cl2::PointerWords>(&words))
      out.push_back(fmt::format("pointer:{}:{}:1:1:{}:{}:7:{}:{}:{}:{}:{}", name, kData[p->data], p->virtual_offset,
                                kMemory[p->memory], p->align, kAccess[p->access], p->is_volatile, p->is_restrict,
                                p->is_pipe));
    if (const auto* m = std::get_if<cl2::ImageWords>(&words))
      out.push_back(fmt::format("image:{}:{}:{}:{}:1:{}", name, arguments[i].type_name == "image3d_t" ? "3D" : "2D",
                                kAccess[m->access], m->resource, m->virtual_offset));
    if (const auto* s = std::get_if<cl2::SamplerWords>(&words))
      out.push_back(fmt::format("sampler:{}:{}:1:{}", name, s->id, s->virtual_offset));
    if (const auto* q = std::get_if<cl2::QueueWords>(&words))
      out.push_back(fmt::format("queue:{}:queue_t:1:1:{}:uav", name, q->virtual_offset));
    if (const auto* c = std::get_if<cl2::CounterWords>(&words))
      out.push_back(fmt::format("counter:{}:32:{}:1:{}", name, c->resource, c->virtual_offset));
    if (const auto* s = std::get_if<cl2::SemaphoreWords>(&words))
      out.push_back(fmt::format("sema:{}:{}:1:{}", name, s->resource, s->virtual_offset));
    if (arguments[i].is_const != 0) out.push_back(fmt::format("constarg:{}:{}", i, name));
  }
  out.push_back("function:1:0");
  for (const cl2::PrintfRecord& printf : spec.metadata.printf) {
    std::string line = fmt::format("printf_fmt:{}:{}", printf.id, printf.sizes.size());
    for (const std::uint32_t size : printf.sizes) line += fmt::format(":{}", size);
    out.push_back(fmt::format("{}:{}:{};", line, text::decode_printf(printf.format).size(), printf.format));
  }
  if (shape.bits == AddressBits::Bits64) out.push_back("memory:64bitABI");
  out.push_back("privateid:8");
  out.push_back(fmt::format("enqueue_kernel:{}", spec.metadata.enqueue_kernel));
  out.push_back(fmt::format("kernel_index:{}", spec.metadata.kernel_index));
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!arguments[i].type_name.empty()) out.push_back(fmt::format("reflection:{}:{}", i, arguments[i].type_name));
  out.push_back(fmt::format("ARGEND:__OpenCL_{}_kernel", spec.name));
  return out;
}

inline void describe_in_brig(cl2::ContainerSpec& spec, const Shape& shape) {
  std::vector<std::string> lines;
  for (const cl2::KernelSpec& k : spec.kernels)
    for (std::string& line : text_of(k, shape)) lines.push_back(std::move(line));
  spec.brig = cl2::build_brig(lines, shape.bits);
}

// Two kernels with one argument of every kind and with one pointer, BRIG, printf, data and samplers where they can be.
inline cl2::ContainerSpec container(const Shape& shape) {
  cl2::ContainerSpec spec;
  spec.bits = shape.bits;
  spec.storage = shape.storage();
  spec.chip = 6;
  spec.compile_options = "-cl-std=CL2.0 -m64";
  if (spec.storage == cl2::CodeStorage::Separate) spec.version = "AMD-COMP-LIB-v0.8 (0.0.326)";
  spec.kernels = {kernel("every", shape, source_records(), 0),
                  kernel("fill", shape,
                         {record("out", "int*", cl2::PointerWords{.virtual_offset = 96, .align = 4, .data = 4})}, 1)};
  spec.kernels[1].metadata.required_group_size = {64, 1, 1};
  spec.kernels[1].metadata.gpu_caps |= cl2::kCapWorkGroupSize;
  spec.kernels[0].metadata.enqueue_kernel = 1;
  if (spec.storage == cl2::CodeStorage::Nested) {
    spec.readonly_data = Bytes(40, std::byte{0x5a});
    spec.global_data = Bytes(16, std::byte{7});
    spec.samplers = {{cl2::SamplerInit{.normalized = 1, .filter = 1, .addressing = 3}, 8},
                     {cl2::SamplerInit{.addressing = 1}, 24}};
  }
  describe_in_brig(spec, shape);
  return spec;
}

inline Bytes build(const cl2::ContainerSpec& spec) {
  auto built = cl2::build(spec);
  EXPECT_TRUE(built) << built.error().message;
  return built.value_or(Bytes{});
}

inline const std::vector<Shape>& all_shapes() {
  static const std::vector<Shape> kShapes = [] {
    std::vector<Shape> out;
    for (const AddressBits bits : {AddressBits::Bits32, AddressBits::Bits64})
      for (const cl2::HeaderSize header : {cl2::HeaderSize::Base, cl2::HeaderSize::Hidden, cl2::HeaderSize::Hints})
        out.push_back({bits, header});
    return out;
  }();
  return kShapes;
}

}  // namespace amdcompat::test
