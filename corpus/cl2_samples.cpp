#include "cl2_samples.hpp"
#include <cl2_builder.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "code_samples.hpp"

namespace corpus {
namespace {

using namespace amdcompat;
using cl2::ArgumentRecord;
using cl2::HeaderSize;

enum Data : std::uint32_t {
  kInt8 = 2,
  kInt32 = 4,
  kUint8 = 6,
  kUint32 = 8,
  kUint64 = 9,
  kFloat = 11,
  kDouble = 12,
  kStruct = 15
};
enum Memory : std::uint32_t { kGlobal = 4, kLocal = 3, kConstant = 5 };

// Builds the records of one kernel; virtual offsets count 16-byte slots, hidden arguments first.
class Kernel {
 public:
  Kernel(std::string name, AddressBits bits, HeaderSize header, std::uint32_t index) {
    spec_.name = std::move(name);
    cl2::Metadata& m = spec_.metadata;
    m.bits = bits;
    m.header = header;
    m.gpu_caps = bits == AddressBits::Bits64 ? cl2::kCap64BitAbi : 0;
    m.function_id = 1024 + index;
    m.kernel_index = index;
    m.kernel_name = "__OpenCL_dummy_kernel";
    m.device_name = "generic";
    if (header != HeaderSize::Base) m.hidden_arguments = 6;
    if (header == HeaderSize::Hints) m.waves_per_simd_hint = 0xffffffff;
    const std::uint32_t word = bits == AddressBits::Bits64 ? kUint64 : kUint32;
    for (int i = 0; i < 3; ++i) value(fmt::format("_.global_offset_{}", i), "size_t", word);
    pointer("_.printf_buffer", "size_t", {.data = kUint8, .access = 1});
    value("_.vqueue_pointer", "size_t", word);
    value("_.aqlwrap_pointer", "size_t", word);
    KernelCode& setup = spec_.setup;
    setup.version = {1, header == HeaderSize::Base ? 0u : 1u};
    setup.features = bits == AddressBits::Bits64 ? 0xa : 0x2;
    setup.sgprs = 16;
    setup.vgprs = 4;
    setup.rsrc1 = 1u << 6;  // granules: 16 SGPRs, 4 VGPRs
    registers(kSgprPrivateBuffer | kSgprDispatchPtr | kSgprKernargPtr);
    spec_.code = {std::byte{0}, std::byte{0}, std::byte{0x81}, std::byte{0xbf}};  // s_endpgm
  }

  Kernel& value(std::string name, std::string type, std::uint32_t data, std::uint32_t elements = 1) {
    const std::uint32_t bytes = data == kStruct ? elements : 16 * ((elements * 8 + 15) / 16);
    return add(std::move(name), std::move(type), cl2::ValueWords{elements, 1, at_, data}, (bytes + 15) / 16 * 16);
  }
  Kernel& pointer(std::string name, std::string type, cl2::PointerWords words, bool is_const = false) {
    words.virtual_offset = at_;
    return add(std::move(name), std::move(type), words, 16, is_const);
  }
  Kernel& image(std::string name, std::string type, std::uint32_t access, std::uint32_t id) {
    return add(std::move(name), std::move(type), cl2::ImageWords{id, 1, at_, access, {0x41, 0x5a, 0, 0xff}}, 32);
  }
  Kernel& sampler(std::string name, std::uint32_t id) {
    return add(std::move(name), "sampler_t", cl2::SamplerWords{id, 0, at_}, 16);
  }
  Kernel& queue(std::string name) {
    return add(std::move(name), "queue_t", cl2::QueueWords{.virtual_offset = at_}, 16);
  }

  Kernel& registers(std::uint16_t enabled) {
    spec_.setup.user_registers = enabled;
    spec_.setup.rsrc2 = (spec_.setup.rsrc2 & 1) | user_register_count(enabled) << 1 | 1u << 7;
    return *this;
  }
  Kernel& scratch(std::uint32_t bytes) {
    spec_.setup.private_bytes = bytes;
    spec_.setup.rsrc2 |= 1;
    if (spec_.metadata.header == HeaderSize::Base) spec_.metadata.memory[3] = bytes;
    return *this;
  }
  Kernel& local(std::uint32_t bytes) {
    spec_.setup.group_bytes = bytes;
    if (spec_.metadata.header == HeaderSize::Base) spec_.metadata.memory[1] = (bytes + 15) / 16 * 16;
    return *this;
  }
  Kernel& required(std::array<std::uint64_t, 3> size) {
    spec_.metadata.required_group_size = size;
    spec_.metadata.gpu_caps |= cl2::kCapWorkGroupSize;
    return *this;
  }
  Kernel& hints(std::array<std::uint64_t, 3> size, std::string type, std::uint32_t waves) {
    spec_.metadata.group_size_hint = size;
    spec_.metadata.vector_type_hint = std::move(type);
    spec_.metadata.waves_per_simd_hint = waves;
    return *this;
  }
  Kernel& enqueues() {
    spec_.metadata.enqueue_kernel = 1;
    return *this;
  }
  Kernel& prints(std::uint32_t id, std::vector<std::uint32_t> sizes, std::string format) {
    spec_.metadata.printf.push_back({.id = id, .sizes = std::move(sizes), .format = std::move(format)});
    return *this;
  }
  // Machine code and the registers it takes; denormals of 32 bits are flushed, those of 64 bits kept.
  Kernel& code(std::span<const std::uint32_t> words, std::uint16_t sgprs, std::uint16_t vgprs) {
    const auto bytes = std::as_bytes(words);
    spec_.code.assign(bytes.begin(), bytes.end());
    KernelCode& setup = spec_.setup;
    setup.sgprs = sgprs;
    setup.vgprs = vgprs;
    constexpr std::uint32_t kFloatMode = 0xc0u << 12, kDx10Clamp = 1u << 21;
    setup.rsrc1 = ((vgprs + 3u) / 4 - 1) | ((sgprs + 7u) / 8 - 1) << 6 | kFloatMode | kDx10Clamp;
    return *this;
  }
  Kernel& device(std::string name) {
    spec_.metadata.device_name = std::move(name);
    return *this;
  }

  cl2::KernelSpec finish() {
    cl2::finish_metadata(spec_.metadata);
    const auto storage =
        spec_.metadata.header == HeaderSize::Base ? cl2::CodeStorage::Separate : cl2::CodeStorage::Nested;
    if (const auto layout = cl2::layout_arguments(spec_.metadata, storage)) spec_.setup.kernarg_bytes = layout->bytes;
    return std::move(spec_);
  }

 private:
  Kernel& add(std::string name, std::string type, const cl2::ArgumentWords& words, std::uint32_t bytes,
              bool is_const = false) {
    ArgumentRecord& record = spec_.metadata.arguments.emplace_back();
    record.name = std::move(name);
    record.type_name = std::move(type);
    record.is_const = is_const ? 1 : 0;
    cl2::encode(record, words);
    at_ += bytes;
    return *this;
  }

  cl2::KernelSpec spec_;
  std::uint32_t at_ = 0;  // virtual offset of the next argument
};

cl2::ContainerSpec container(AddressBits bits, HeaderSize header, std::uint32_t chip, std::string options,
                             std::array<std::uint32_t, 3> isa = {}) {
  cl2::ContainerSpec spec;
  spec.bits = bits;
  spec.storage = header == HeaderSize::Base ? cl2::CodeStorage::Separate : cl2::CodeStorage::Nested;
  spec.chip = chip;
  spec.compile_options = std::move(options);
  if (header == HeaderSize::Base)
    spec.version = "AMD-COMP-LIB-v0.8 (0.0.326)";
  else
    spec.isa = cl2::IsaNote{isa[0], isa[1], isa[2], "AMD", "AMDGPU"};
  return spec;
}

// 15.7: one symbol a kernel, three elements of three, no count of hidden arguments; the text agrees with the binary.
cl2::ContainerSpec separate() {
  const auto bits = AddressBits::Bits32;
  cl2::ContainerSpec spec = container(bits, HeaderSize::Base, 6, "-cl-std=CL2.0");
  spec.kernels.push_back(Kernel("axpy", bits, HeaderSize::Base, 0)
                             .pointer("y", "float*", {.align = 4, .data = kFloat})
                             .pointer("x", "float*", {.align = 4, .data = kFloat, .is_restrict = 1}, true)
                             .value("a", "float", kFloat)
                             .value("shift", "float3", kFloat, 3)
                             .value("n", "uint", kUint32)
                             .finish());
  spec.kernels.push_back(Kernel("reduce", bits, HeaderSize::Base, 1)
                             .pointer("sums", "int*", {.align = 4, .data = kInt32})
                             .pointer("part", "int*", {.align = 4, .data = kInt32, .memory = kLocal})
                             .required({64, 1, 1})
                             .local(40)
                             .scratch(12)
                             .registers(kSgprPrivateBuffer | kSgprKernargPtr)
                             .finish());
  std::vector<std::string> lines;
  const auto head = [&](std::string_view name, unsigned index, unsigned local, unsigned scratch) {
    lines.insert(lines.end(), {fmt::format("ARGSTART:__OpenCL_{}_kernel", name), "version:3:1:104", "device:generic",
                               fmt::format("uniqueid:{}", 1024 + index), fmt::format("memory:private:{}", scratch),
                               "memory:region:0", fmt::format("memory:local:{}", local)});
  };
  const auto hidden = [&] {
    for (int i = 0; i < 3; ++i) lines.push_back(fmt::format("value:_.global_offset_{}:u32:1:1:{}", i, 16 * i));
    lines.insert(lines.end(), {"pointer:_.printf_buffer:u8:1:1:48:uav:7:1:RO:0:0:0",
                               "value:_.vqueue_pointer:u32:1:1:64", "value:_.aqlwrap_pointer:u32:1:1:80"});
  };
  const auto tail = [&](std::string_view name, unsigned index, std::initializer_list<const char*> types) {
    lines.insert(lines.end(),
                 {"function:1:0", "privateid:8", "enqueue_kernel:0", fmt::format("kernel_index:{}", index)});
    unsigned n = 0;
    for (; n < 6; ++n) lines.push_back(fmt::format("reflection:{}:size_t", n));
    for (const char* type : types) lines.push_back(fmt::format("reflection:{}:{}", n++, type));
    lines.push_back(fmt::format("ARGEND:__OpenCL_{}_kernel", name));
  };
  head("axpy", 0, 0, 0);
  hidden();
  lines.insert(lines.end(),
               {"pointer:y:float:1:1:96:uav:7:4:RW:0:0:0", "pointer:x:float:1:1:112:uav:7:4:RW:0:1:0", "constarg:7:x",
                "value:a:float:1:1:128", "value:shift:float:3:1:144", "value:n:u32:1:1:176"});
  tail("axpy", 0, {"float*", "float*", "float", "float3", "uint"});
  head("reduce", 1, 48, 12);
  lines.push_back("cws:64:1:1");
  hidden();
  lines.insert(lines.end(), {"pointer:sums:i32:1:1:96:uav:7:4:RW:0:0:0", "pointer:part:i32:1:1:112:l:7:4:RW:0:0:0"});
  tail("reduce", 1, {"int*", "int*"});
  spec.brig = cl2::build_brig(lines, bits);
  return spec;
}

// Group sizes and hints, values of every width, a struct by reference.
cl2::ContainerSpec attributes() {
  const auto bits = AddressBits::Bits64;
  cl2::ContainerSpec spec = container(bits, HeaderSize::Hints, 9, "-cl-std=CL1.2 -m64", {8, 0, 0});
  spec.kernels.push_back(Kernel("fixed", bits, HeaderSize::Hints, 0)
                             .pointer("out", "float4*", {.align = 16, .data = kFloat})
                             .required({8, 8, 2})
                             .finish());
  spec.kernels.push_back(Kernel("hinted", bits, HeaderSize::Hints, 1)
                             .pointer("out", "float*", {.align = 4, .data = kFloat})
                             .hints({16, 4, 1}, "float4", 5)
                             .device("GFX8")
                             .finish());
  spec.kernels.push_back(
      Kernel("values", bits, HeaderSize::Hints, 2)
          .value("c", "char", kUint8)
          .value("v3", "float3", kFloat, 4)
          .value("v16", "uchar16", kUint8, 16)
          .value("d", "double", kDouble)
          .value("s", "struct particle", kStruct, 40)
          .pointer("table", "int*", {.align = 4, .data = kInt32, .memory = kConstant, .access = 1}, true)
          .pointer("tmp", "double*", {.align = 8, .data = kDouble, .memory = kLocal})
          .local(256)
          .finish());
  return spec;
}

// A kernel that enqueues a block, the block's own kernel with what it captures, generic addresses, scratch memory.
cl2::ContainerSpec enqueue() {
  const auto bits = AddressBits::Bits64;
  cl2::ContainerSpec spec = container(bits, HeaderSize::Hidden, 7, "-cl-std=CL2.0 -m64", {7, 0, 1});
  const std::uint16_t enqueueing = kSgprPrivateBuffer | kSgprDispatchPtr | kSgprKernargPtr | kSgprFlatScratch;
  spec.kernels.push_back(Kernel("parent", bits, HeaderSize::Hidden, 0)
                             .pointer("data", "int*", {.align = 4, .data = kInt32})
                             .queue("q")
                             .enqueues()
                             .scratch(64)
                             .registers(enqueueing)
                             .finish());
  spec.kernels.push_back(Kernel("__parent_block_invoke", bits, HeaderSize::Hidden, 1)
                             .value("block", "struct __block_literal", kStruct, 48)
                             .scratch(16)
                             .registers(enqueueing)
                             .finish());
  spec.kernels.push_back(Kernel("generic", bits, HeaderSize::Hidden, 2)
                             .pointer("p", "int*", {.align = 4, .data = kInt32})
                             .registers(enqueueing | kSgprQueuePtr)
                             .finish());
  return spec;
}

cl2::ContainerSpec pipes() {
  const auto bits = AddressBits::Bits64;
  cl2::ContainerSpec spec = container(bits, HeaderSize::Hints, 14, "-cl-std=CL2.0 -m64", {8, 0, 4});
  const auto pipe = [](std::uint32_t access) {
    return cl2::PointerWords{.align = 256, .data = kStruct, .access = access, .is_pipe = 1};
  };
  spec.kernels.push_back(Kernel("move", bits, HeaderSize::Hints, 0)
                             .pointer("from", "pipe int", pipe(1))
                             .pointer("to", "pipe int", pipe(2))
                             .pointer("done", "int*", {.align = 4, .data = kInt32, .is_volatile = 1})
                             .finish());
  return spec;
}

// Images and samplers as arguments, and samplers that the source defines.
cl2::ContainerSpec samplers() {
  const auto bits = AddressBits::Bits32;
  cl2::ContainerSpec spec = container(bits, HeaderSize::Hints, 1, "-cl-std=CL2.0", {7, 0, 0});
  spec.kernels.push_back(Kernel("scale", bits, HeaderSize::Hints, 0)
                             .value("factor", "uint", kUint32)
                             .image("from", "image2d_t", 1, 0)
                             .image("to", "image2d_t", 2, 0)
                             .sampler("how", 0)
                             .finish());
  spec.kernels.push_back(Kernel("volume", bits, HeaderSize::Hints, 1)
                             .image("both", "image3d_t", 3, 0)
                             .image("layers", "image2d_array_t", 1, 0)
                             .image("line", "image1d_buffer_t", 1, 1)
                             .finish());
  spec.readonly_data.resize(40, std::byte{0x11});
  spec.samplers = {{cl2::SamplerInit{.normalized = 1, .filter = 1, .addressing = 3}, 8},
                   {cl2::SamplerInit{.addressing = 1}, 24}};
  return spec;
}

// printf entries: no real CL2 file has any.
cl2::ContainerSpec prints() {
  const auto bits = AddressBits::Bits64;
  cl2::ContainerSpec spec = container(bits, HeaderSize::Hints, 18, "-cl-std=CL1.2 -m64", {8, 0, 4});
  spec.kernels.push_back(Kernel("tell", bits, HeaderSize::Hints, 0)
                             .pointer("p", "int*", {.align = 4, .data = kInt32})
                             .prints(1, {4, 4}, "item %d of %d\\n")
                             .prints(2, {}, "done: \\\"all\\\"")
                             .prints(3, {16}, "%v4f")
                             .finish());
  spec.global_data.resize(16, std::byte{0x22});
  return spec;
}

cl2::ContainerSpec vega() {
  const auto bits = AddressBits::Bits64;
  cl2::ContainerSpec spec = container(bits, HeaderSize::Hints, 20, "-cl-std=CL2.0 -m64", {9, 0, 0});
  spec.kernels.push_back(Kernel("copy", bits, HeaderSize::Hints, 0)
                             .pointer("out", "ulong*", {.align = 8, .data = kUint64, .access = 2})
                             .pointer("in", "ulong*", {.align = 8, .data = kUint64, .access = 1}, true)
                             .image("img", "image2d_t", 1, 0)
                             .registers(kSgprPrivateBuffer | kSgprDispatchPtr | kSgprKernargPtr | kSgprFlatScratch)
                             .device("GFX9")
                             .finish());
  return spec;
}

// Kernels that do something: FLAT accesses, the dispatch packet, local memory, barriers and atomics.
cl2::ContainerSpec tonga_code() {
  const auto bits = AddressBits::Bits64;
  cl2::ContainerSpec spec = container(bits, HeaderSize::Hints, 9, "-cl-std=CL1.2 -m64", {8, 0, 0});
  spec.kernels.push_back(Kernel("axpy", bits, HeaderSize::Hints, 0)
                             .pointer("y", "float*", {.align = 4, .data = kFloat})
                             .pointer("x", "float*", {.align = 4, .data = kFloat, .access = 1}, true)
                             .value("a", "float", kFloat)
                             .value("n", "uint", kUint32)
                             .code(axpy_code(), 24, 8)
                             .device("GFX8")
                             .finish());
  spec.kernels.push_back(Kernel("histogram", bits, HeaderSize::Hints, 1)
                             .pointer("bins", "uint*", {.align = 4, .data = kUint32})
                             .pointer("data", "uint*", {.align = 4, .data = kUint32, .access = 1}, true)
                             .pointer("part", "uint*", {.align = 4, .data = kUint32, .memory = kLocal})
                             .required({64, 1, 1})
                             .code(histogram_code(), 24, 8)
                             .device("GFX8")
                             .finish());
  return spec;
}

cl2::ContainerSpec hawaii_code() {
  const auto bits = AddressBits::Bits64;
  cl2::ContainerSpec spec = container(bits, HeaderSize::Hidden, 7, "-cl-std=CL2.0 -m64", {7, 0, 1});
  spec.kernels.push_back(Kernel("reverse", bits, HeaderSize::Hidden, 0)
                             .pointer("out", "uint*", {.align = 4, .data = kUint32})
                             .pointer("in", "uint*", {.align = 4, .data = kUint32, .access = 1}, true)
                             .value("n", "uint", kUint32)
                             .required({64, 1, 1})
                             .registers(kSgprPrivateBuffer | kSgprKernargPtr)
                             .code(reverse_code(), 24, 8)
                             .finish());
  return spec;
}

}  // namespace

std::vector<Cl2Sample> cl2_samples() {
  return {{"cl2-bonaire-15_7-32.clo", separate()},
          {"cl2-tonga-attributes.clo", attributes()},
          {"cl2-hawaii-enqueue.clo", enqueue()},
          {"cl2-fiji-pipes.clo", pipes()},
          {"cl2-spectre-samplers-32.clo", samplers()},
          {"cl2-ellesmere-printf.clo", prints()},
          {"cl2-gfx900.clo", vega()},
          {"cl2-tonga-code.clo", tonga_code()},
          {"cl2-hawaii-code.clo", hawaii_code()}};
}

}  // namespace corpus
