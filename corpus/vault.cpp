#include "vault.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include <amdcompat/device.hpp>
#include <cl1_builder.hpp>
#include <cl2_builder.hpp>

#include "cl2_samples.hpp"
#include "code_samples.hpp"
#include "container_description.hpp"

namespace corpus {
namespace {

using namespace amdcompat;

struct Value {
  std::string_view type;
  std::uint32_t elements;
  std::string_view source;
};
constexpr std::array<Value, 7> kValues{{{"i32", 1, "int"},
                                        {"float", 4, "float4"},
                                        {"u32", 2, "uint2"},
                                        {"float", 1, "float"},
                                        {"i8", 4, "char4"},
                                        {"u16", 1, "ushort"},
                                        {"double", 2, "double2"}}};

std::uint32_t kernels_of(std::uint32_t number) { return 1 + number / 8 % 4; }
std::string kernel_name(std::uint32_t number, std::uint32_t kernel) {
  return fmt::format("scale_{}_{}", number, kernel);
}

std::string block(std::string_view device, std::uint32_t number, std::uint32_t kernel) {
  const std::string name = kernel_name(number, kernel);
  std::string out = fmt::format(
      ";ARGSTART:__OpenCL_{0}_kernel\n;version:3:1:111\n;device:{1}\n;uniqueid:{2}\n;memory:uavprivate:0\n"
      ";memory:hwlocal:0\n;memory:hwregion:0\n;pointer:data:u32:1:1:0:uav:12:4:RW:0:0\n;value:factor:u32:1:1:16\n",
      name, device, 1024 + kernel);
  std::string reflection = ";reflection:0:uint*\n;reflection:1:uint\n";
  // The number's digits to base 7 are the types of further arguments, which the code does not read.
  std::uint32_t offset = 32, argument = 2;
  for (std::uint32_t rest = number + kernel; rest != 0; rest /= 7, ++argument) {
    const Value& value = kValues[rest % 7];
    out += fmt::format(";value:a{}:{}:{}:1:{}\n", argument, value.type, value.elements, offset);
    reflection += fmt::format(";reflection:{}:{}\n", argument, value.source);
    offset += 16;
  }
  out += fmt::format(";function:1:{}\n;uavid:11\n;printfid:9\n;cbid:10\n;privateid:8\n{}", 1030 + kernel, reflection);
  return out + fmt::format(";ARGEND:__OpenCL_{}_kernel\n", name);
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string cl1_program(std::string_view device_name, std::uint32_t number) {
  const Device& device = *find_device(device_name);
  cl1::ContainerSpec spec;
  spec.machine = device.e_machine;
  spec.driver = "@(#) OpenCL 1.2 AMD-APP (1702.3).  Driver version: 1702.3 (VM)";
  for (std::uint32_t i = 0; i < kernels_of(number); ++i) {
    const cl1::EncodingSpec encoding =
        is_vliw(device.isa) ? encoding_for(device, {.known = true, .vgprs = 4, .sgprs = 24, .wavefront_size = 64})
                            : scale_32().encoding;
    cl1::KernelSpec& kernel = spec.kernels.emplace_back();
    kernel.name = kernel_name(number, i);
    kernel.metadata = block(device_name, number, i);
    kernel.header.emplace();
    kernel.image = cl1::build_cal_image(std::span(&encoding, 1)).value();
  }
  return text_of(cl1::build(spec).value());
}

std::string cl2_program(std::uint32_t number) {
  static const std::vector<Cl2Sample> samples = cl2_samples();
  const auto sample = std::ranges::find_if(
      samples, [](const Cl2Sample& candidate) { return candidate.name.starts_with("cl2-tonga-attributes"); });
  if (sample == samples.end()) throw std::logic_error("the sample for Tonga is gone");
  cl2::ContainerSpec spec = sample->spec;
  for (cl2::KernelSpec& kernel : spec.kernels) kernel.name += fmt::format("_{}", number);
  return text_of(cl2::build(spec).value());
}

std::string text_program(std::uint32_t number) {
  std::string out;
  for (std::uint32_t i = 0; i < kernels_of(number); ++i) out += block("tahiti", number, i);
  return out;
}

}  // namespace

std::string vault_program(std::uint32_t number) {
  switch (number % 8) {
    case 0: return cl2_program(number);
    case 1: return cl1_program("cypress", number);
    case 2:
    case 3: return text_program(number);
    default: return cl1_program("pitcairn", number);
  }
}

}  // namespace corpus
