// What is known about the memory that a launched CL2 kernel reads: tables of layouts, channel numbers and rules.
#include <amdcompat/cl2_launch.hpp>

#include <array>

#include "argument_rule.hpp"

namespace amdcompat::abi {
namespace {

constexpr auto kDocumented = Evidence::Documented;
constexpr auto kUnverified = Evidence::NotVerified;

constexpr std::string_view kRtPacket = "RT loadArguments; AQL";
constexpr std::string_view kSeed = "CLRX AmdCl2Abi; RT";

// clang-format off
constexpr std::array kPacket{
    ObjectField{0, 2, "header", "packet type, barrier bit, fences; stored last", kDocumented, "RT kDispatchPacketHeader"},
    ObjectField{2, 2, "setup", "number of dimensions", kDocumented, kRtPacket},
    ObjectField{4, 2, "workgroup_size_x", "local size", kDocumented, kRtPacket},
    ObjectField{6, 2, "workgroup_size_y", "local size, 1 in unused dimensions", kDocumented, kRtPacket},
    ObjectField{8, 2, "workgroup_size_z", "local size, 1 in unused dimensions", kDocumented, kRtPacket},
    ObjectField{12, 4, "grid_size_x", "global size", kDocumented, kRtPacket},
    ObjectField{16, 4, "grid_size_y", "global size, 1 in unused dimensions", kDocumented, kRtPacket},
    ObjectField{20, 4, "grid_size_z", "global size, 1 in unused dimensions", kDocumented, kRtPacket},
    ObjectField{24, 4, "private_segment_size", "scratch bytes of a work-item", kDocumented, kRtPacket},
    ObjectField{28, 4, "group_segment_size", "local memory of a work-group, static and dynamic", kDocumented, kRtPacket},
    ObjectField{32, 8, "kernel_object", "address of the kernel's setup", kDocumented, kRtPacket},
    ObjectField{40, 8, "kernarg_address", "address of the argument block", kDocumented, kRtPacket},
    ObjectField{56, 8, "completion_signal", "0 in AMD's OpenCL runtime", kDocumented, kRtPacket},
};
constexpr std::array kImageObject{
    ObjectField{0, 32, "T#", "hardware descriptor, 8 dwords", kUnverified, "CLRX AmdCl2Abi; contents: descriptor_fields"},
    ObjectField{32, 4, "channel type", "number of object_channel_types", kDocumented, kSeed},
    ObjectField{36, 4, "channel order", "number of object_channel_orders", kDocumented, kSeed},
    ObjectField{40, 4, "width", "texels of a row", kDocumented, "ROCR image_manager_kv.cpp, image_manager_ai.cpp"},
};
constexpr std::array kSamplerObject{
    ObjectField{0, 16, "S#", "hardware descriptor, 4 dwords", kUnverified, "CLRX AmdCl2Abi; contents: descriptor_fields"},
};
constexpr std::array kQueue{
    ObjectField{kQueueApertures, 4, "group_segment_aperture_base_hi", "bits 32-63 of FLAT addresses of local memory", kDocumented, "CLRX AmdCl2Abi; S2 amd_queue_t"},
    ObjectField{kQueueApertures + 4, 4, "private_segment_aperture_base_hi", "bits 32-63 of FLAT addresses of scratch memory", kDocumented, "CLRX AmdCl2Abi; S2 amd_queue_t"},
};

constexpr std::array kChannelTypes{
    ObjectChannel{0, 0x10D0}, ObjectChannel{1, 0x10D1}, ObjectChannel{2, 0x10D2}, ObjectChannel{3, 0x10D3},
    ObjectChannel{4, 0x10DF}, ObjectChannel{5, 0x10D5}, ObjectChannel{6, 0x10D4}, ObjectChannel{7, 0x10D6},
    ObjectChannel{8, 0x10D7}, ObjectChannel{9, 0x10D8}, ObjectChannel{10, 0x10D9}, ObjectChannel{11, 0x10DA},
    ObjectChannel{12, 0x10DB}, ObjectChannel{13, 0x10DC}, ObjectChannel{14, 0x10DD}, ObjectChannel{15, 0x10DE},
};
constexpr std::array kChannelOrders{
    ObjectChannel{0, 0x10B1}, ObjectChannel{1, 0x10B0}, ObjectChannel{2, 0x10BA}, ObjectChannel{3, 0x10B2},
    ObjectChannel{4, 0x10BB}, ObjectChannel{5, 0x10B3}, ObjectChannel{6, 0x10B4}, ObjectChannel{7, 0x10BC},
    ObjectChannel{8, 0x10B5}, ObjectChannel{9, 0x10B6}, ObjectChannel{10, 0x10B7}, ObjectChannel{11, 0x10C3},
    ObjectChannel{12, 0x10BF}, ObjectChannel{13, 0x10C0}, ObjectChannel{14, 0x10C1}, ObjectChannel{15, 0x10C2},
    ObjectChannel{16, 0x10B8}, ObjectChannel{17, 0x10B9}, ObjectChannel{18, 0x10BD}, ObjectChannel{19, 0x10BE},
};

constexpr std::string_view kRt = "RT loadArguments";
enum Rule : std::size_t { kScalar, kVector, kHalf, kStruct, kPointer, kLocal, kImage, kSampler, kPipe, kQueueRule, kCounter, kHidden };
constexpr std::array kRules{
    ArgumentRule{"scalar", "its size, aligned to it", "the host's bytes", kDocumented, kRt},
    ArgumentRule{"vector", "elements x size, aligned to the element", "the host's elements; of three elements 15.7 keeps three, later compilers four", Evidence::Observed, "RT loadArguments; size of 204 real blocks"},
    ArgumentRule{"half", "4 bytes an element", "4 bytes an element, as the host gives them", kUnverified, "RT initHsailArgs"},
    ArgumentRule{"struct by reference", "an address", "address of a copy behind the block", kDocumented, "RT loadArguments; RT2"},
    ArgumentRule{"pointer to global memory", "an address", "address; 0: NULL", kDocumented, kRt},
    ArgumentRule{"pointer to local memory", "as wide as an address", "offset in LDS behind static memory and the pointers before it", kDocumented, kRt},
    ArgumentRule{"image", "8 bytes", "address of an image object of 48 bytes", kDocumented, "RT loadArguments; loads of real code"},
    ArgumentRule{"sampler", "8 bytes", "address of a sampler object of 32 bytes", kDocumented, kRt},
    ArgumentRule{"pipe", "an address", "address", kDocumented, kRt},
    ArgumentRule{"queue", "an address", "address of the device queue", kDocumented, kRt},
    ArgumentRule{"counter or semaphore", "an address", "address; AMD's runtime had no such arguments here", kUnverified, "not in any real file"},
    ArgumentRule{"hidden", "an address wide", "from launch sizes and environment", kDocumented, "RT loadArguments; RT2"},
};
// clang-format on

constexpr bool ascending(std::span<const ObjectField> rows, std::uint32_t bytes) {
  std::uint32_t end = 0;
  for (const ObjectField& row : rows) {
    if (row.offset < end) return false;
    end = row.offset + row.size;
  }
  return end <= bytes;
}
static_assert(ascending(kPacket, kPacketBytes) && ascending(kImageObject, kImageObjectBytes) &&
              ascending(kSamplerObject, kSamplerObjectBytes) && ascending(kQueue, kQueueBytes));
constexpr bool consecutive(std::span<const ObjectChannel> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].value != i) return false;
  return true;
}
static_assert(consecutive(kChannelTypes) && consecutive(kChannelOrders));

}  // namespace

std::span<const ObjectField> packet_fields() { return kPacket; }
std::span<const ObjectField> image_object_fields() { return kImageObject; }
std::span<const ObjectField> sampler_object_fields() { return kSamplerObject; }
std::span<const ObjectField> queue_fields() { return kQueue; }
std::span<const ObjectChannel> object_channel_types() { return kChannelTypes; }
std::span<const ObjectChannel> object_channel_orders() { return kChannelOrders; }
std::span<const ArgumentRule> cl2_argument_rules() { return kRules; }

const ArgumentRule* find_cl2_argument_rule(const Argument& argument) {
  static constexpr RuleOfKind kRows = {&kRules[kScalar],  &kRules[kPointer], &kRules[kLocal],     &kRules[kPointer],
                                       nullptr,           nullptr,           &kRules[kImage],     &kRules[kSampler],
                                       &kRules[kCounter], &kRules[kCounter], &kRules[kQueueRule], &kRules[kPipe],
                                       &kRules[kHidden]};
  const auto* const value = std::get_if<ByValue>(&argument.kind);
  if (value == nullptr) return kRows[argument.kind.index()];
  if (value->elements == 0 || is_no_value(value->type)) return nullptr;
  if (value->type == ScalarType::Struct || value->type == ScalarType::Union) return &kRules[kStruct];
  if (value->elements > 16) return nullptr;
  if (value->type == ScalarType::Half) return &kRules[kHalf];
  return &kRules[value->elements == 1 ? kScalar : kVector];
}

std::string_view cl2_part_name(Cl2Part part) {
  switch (part) {
    case Cl2Part::Block: return "argument block";
    case Cl2Part::Packet: return "AQL packet";
    case Cl2Part::Objects: return "objects";
  }
  return {};
}

// Bit 63: swizzle enable; 115: element size; 117: index stride, 3 for 64 work-items; 119: the lane is added.
std::array<std::uint32_t, 4> scratch_descriptor(std::uint64_t base, std::uint32_t size, std::uint32_t element_size) {
  std::array<std::uint32_t, 4> out = buffer_descriptor(base, size, 0);
  out[1] |= 1u << 31;
  out[3] |= (element_size & 3) << 19 | 3u << 21 | 1u << 23;
  return out;
}

}  // namespace amdcompat::abi
