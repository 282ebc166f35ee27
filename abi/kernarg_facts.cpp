// What is known about kernarg segments: what each kind of argument gets, and the names of trailing arguments.
#include <amdcompat/kernarg_launch.hpp>

#include <charconv>

#include "argument_rule.hpp"

namespace amdcompat::abi {
namespace {

constexpr auto kDocumented = Evidence::Documented;

constexpr std::string_view kGuide = "S1 «Code Object Metadata»";
constexpr std::string_view kGuide5 = "LU «Code Object V5 Metadata»; RC";
constexpr std::string_view kOurs = "docs/in-place.md";

// clang-format off
enum Rule : std::size_t { kValue, kPointer, kLocal, kImage, kSampler, kPipe, kQueue, kHidden, kTrailing };
constexpr std::array kRules{
    ArgumentRule{"value", "its bytes", "the host's bytes, then zeros", kDocumented, kGuide},
    ArgumentRule{"pointer to global memory", "8 bytes", "address; 0: NULL", kDocumented, kGuide},
    ArgumentRule{"pointer to local memory", "4 bytes", "offset in LDS behind static memory and the pointers before it", kDocumented, "S1 «Code Object Metadata»; RC"},
    ArgumentRule{"image", "8 bytes", "address of the runtime's image object", kDocumented, kGuide},
    ArgumentRule{"sampler", "8 bytes", "address of the runtime's sampler object", kDocumented, kGuide},
    ArgumentRule{"pipe", "8 bytes", "address", kDocumented, kGuide},
    ArgumentRule{"queue", "8 bytes", "address of the device queue", kDocumented, kGuide},
    ArgumentRule{"hidden", "2, 4 or 8 bytes", "from launch sizes and environment", kDocumented, kGuide},
    ArgumentRule{"trailing argument of an in-place conversion", "as listed", "what the old runtime passed otherwise", kDocumented, kOurs},
};

constexpr std::array kHiddenRules{
    HiddenRule{HiddenKind::GlobalOffsetX, 8, "global offset, x", kDocumented, kGuide},
    HiddenRule{HiddenKind::GlobalOffsetY, 8, "global offset, y", kDocumented, kGuide},
    HiddenRule{HiddenKind::GlobalOffsetZ, 8, "global offset, z", kDocumented, kGuide},
    HiddenRule{HiddenKind::PrintfBuffer, 8, "address of the printf buffer", kDocumented, kGuide},
    HiddenRule{HiddenKind::DefaultQueue, 8, "address of the default device queue", kDocumented, kGuide},
    HiddenRule{HiddenKind::CompletionAction, 8, "address for the completion of child kernels", kDocumented, kGuide},
    HiddenRule{HiddenKind::None, 0, "nothing", kDocumented, kGuide},
    HiddenRule{HiddenKind::HostcallBuffer, 8, "address of the hostcall buffer", kDocumented, kGuide},
    HiddenRule{HiddenKind::MultigridSyncArg, 8, "address for synchronization of several grids", kDocumented, kGuide},
    HiddenRule{HiddenKind::BlockCountX, 4, "whole work-groups, x", kDocumented, kGuide5},
    HiddenRule{HiddenKind::BlockCountY, 4, "whole work-groups, y", kDocumented, kGuide5},
    HiddenRule{HiddenKind::BlockCountZ, 4, "whole work-groups, z", kDocumented, kGuide5},
    HiddenRule{HiddenKind::GroupSizeX, 2, "local size, x", kDocumented, kGuide5},
    HiddenRule{HiddenKind::GroupSizeY, 2, "local size, y", kDocumented, kGuide5},
    HiddenRule{HiddenKind::GroupSizeZ, 2, "local size, z", kDocumented, kGuide5},
    HiddenRule{HiddenKind::RemainderX, 2, "work-items of the partial work-group, x", kDocumented, kGuide5},
    HiddenRule{HiddenKind::RemainderY, 2, "work-items of the partial work-group, y", kDocumented, kGuide5},
    HiddenRule{HiddenKind::RemainderZ, 2, "work-items of the partial work-group, z", kDocumented, kGuide5},
    HiddenRule{HiddenKind::GridDims, 2, "number of dimensions", kDocumented, kGuide5},
    HiddenRule{HiddenKind::HeapV1, 8, "address of the heap of device-side malloc", kDocumented, kGuide5},
    HiddenRule{HiddenKind::DynamicLdsSize, 4, "bytes of local memory beyond the static ones", kDocumented, kGuide5},
    HiddenRule{HiddenKind::PrivateBase, 4, "bits 32-63 of FLAT addresses of scratch memory", kDocumented, kGuide5},
    HiddenRule{HiddenKind::SharedBase, 4, "bits 32-63 of FLAT addresses of local memory", kDocumented, kGuide5},
    HiddenRule{HiddenKind::QueuePtr, 8, "address of the queue", kDocumented, kGuide5},
};

struct TrailingName {
  TrailingKind kind;
  std::string_view name;  // those of constant buffers end in a number
};
constexpr std::array kTrailingNames{
    TrailingName{TrailingKind::ConstantBuffer0, "amdcompat.cb0"},
    TrailingName{TrailingKind::UavTable, "amdcompat.uavs"},
    TrailingName{TrailingKind::Data, "amdcompat.data"},
    TrailingName{TrailingKind::Printf, "amdcompat.printf"},
    TrailingName{TrailingKind::Constants, "amdcompat.constants"},
};
// clang-format on
constexpr std::string_view kCb0Type32 = "amdcompat_cb0_32", kCb0Type64 = "amdcompat_cb0_64";
constexpr std::uint32_t kAll = 0xffffffff;
constexpr std::uint32_t kWord3 = 0x00027fac;  // of a V#: 32-bit float format, selects x, y, z, w [RUN]

constexpr bool complete() {
  for (std::size_t i = 0; i < kHiddenRules.size(); ++i)
    if (static_cast<std::size_t>(kHiddenRules[i].kind) != i) return false;
  return kHiddenRules.size() == kHiddenKinds;
}
static_assert(complete());

}  // namespace

std::span<const HiddenRule> hidden_rules() { return kHiddenRules; }
std::span<const ArgumentRule> kernarg_argument_rules() { return kRules; }

const ArgumentRule* find_kernarg_argument_rule(const Argument& argument) {
  static constexpr RuleOfKind kRows = {&kRules[kValue], &kRules[kPointer], &kRules[kLocal], &kRules[kPointer],
                                       nullptr,         nullptr,           &kRules[kImage], &kRules[kSampler],
                                       nullptr,         nullptr,           &kRules[kQueue], &kRules[kPipe],
                                       &kRules[kHidden]};
  const ArgumentRule* const rule = kRows[argument.kind.index()];
  const bool own = rule == &kRules[kValue] || rule == &kRules[kPointer];
  return own && trailing_argument(argument.name) ? &kRules[kTrailing] : rule;
}

std::optional<TrailingArgument> trailing_argument(std::string_view name) {
  for (const TrailingName& row : kTrailingNames) {
    if (!name.starts_with(row.name)) continue;
    const std::string_view rest = name.substr(row.name.size());
    TrailingArgument out{row.kind, 0};
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), out.number);
    const bool numbered = error == std::errc{} && end == rest.data() + rest.size();
    if (row.kind == TrailingKind::Constants ? numbered : rest.empty()) return out;
  }
  return std::nullopt;
}

std::string trailing_name(const TrailingArgument& argument) {
  for (const TrailingName& row : kTrailingNames)
    if (row.kind == argument.kind)
      return std::string(row.name) + (row.kind == TrailingKind::Constants ? std::to_string(argument.number) : "");
  return {};
}

std::string_view cb0_type_name(AddressBits bits) { return bits == AddressBits::Bits64 ? kCb0Type64 : kCb0Type32; }

std::optional<AddressBits> cb0_bits(std::string_view type_name) {
  if (type_name == kCb0Type32) return AddressBits::Bits32;
  if (type_name == kCb0Type64) return AddressBits::Bits64;
  return std::nullopt;
}

std::array<std::uint32_t, 8> uav_entry(std::uint64_t base) {
  return {static_cast<std::uint32_t>(base), static_cast<std::uint32_t>(base >> 32), kAll, kWord3};
}

std::string_view kernarg_part_name(KernargPart part) {
  switch (part) {
    case KernargPart::Segment: return "kernarg segment";
    case KernargPart::Packet: return "AQL packet";
    case KernargPart::Objects: break;
  }
  return "objects";
}

}  // namespace amdcompat::abi
