// Metadata of a code object's kernel -> neutral Kernel: all that a launch needs.
#include <algorithm>
#include <limits>

#include <amdcompat/cl2.hpp>
#include <amdcompat/code_object.hpp>

namespace amdcompat::hsa {

namespace {

std::uint32_t narrow(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

Access access_of(const std::optional<AccessQualifier>& access) {
  if (!access) return Access::Unspecified;
  switch (*access) {
    case AccessQualifier::ReadOnly: return Access::ReadOnly;
    case AccessQualifier::WriteOnly: return Access::WriteOnly;
    case AccessQualifier::ReadWrite: return Access::ReadWrite;
  }
  return Access::Unspecified;
}

// Values are bytes: what they are made of is not in the metadata.
ArgumentKind kind_of(const MetadataArgument& argument) {
  PointerInfo pointer;
  pointer.memory = MemoryKind::Global;
  pointer.align = narrow(argument.pointee_align.value_or(1));
  pointer.access = access_of(argument.actual_access ? argument.actual_access : argument.access);
  switch (*argument.value_kind) {
    case ValueKind::ByValue: return ByValue{ScalarType::Struct, narrow(argument.size.value_or(0))};
    case ValueKind::GlobalBuffer:
      if (argument.address_space == AddressSpace::Constant) {
        pointer.memory = MemoryKind::Constant;
        return ConstantPointer{pointer};
      }
      if (argument.address_space == AddressSpace::Generic) pointer.memory = MemoryKind::Flat;
      return GlobalPointer{pointer};
    case ValueKind::DynamicSharedPointer: pointer.memory = MemoryKind::HardwareLocal; return LocalPointer{pointer};
    case ValueKind::Sampler: return Sampler{};
    // The name of the type has it, or nothing.
    case ValueKind::Image:
      return Image{argument.type_name ? cl2::find_image_type(*argument.type_name).value_or(ImageDim::D2) : ImageDim::D2,
                   access_of(argument.access), 0};
    case ValueKind::Pipe: return Pipe{pointer.align, access_of(argument.access)};
    case ValueKind::Queue: return Queue{};
    case ValueKind::HiddenGlobalOffsetX: return Hidden{HiddenKind::GlobalOffsetX};
    case ValueKind::HiddenGlobalOffsetY: return Hidden{HiddenKind::GlobalOffsetY};
    case ValueKind::HiddenGlobalOffsetZ: return Hidden{HiddenKind::GlobalOffsetZ};
    case ValueKind::HiddenPrintfBuffer: return Hidden{HiddenKind::PrintfBuffer};
    case ValueKind::HiddenDefaultQueue: return Hidden{HiddenKind::DefaultQueue};
    case ValueKind::HiddenCompletionAction: return Hidden{HiddenKind::CompletionAction};
    case ValueKind::HiddenNone: return Hidden{HiddenKind::None};
    case ValueKind::HiddenHostcallBuffer: return Hidden{HiddenKind::HostcallBuffer};
    case ValueKind::HiddenMultigridSyncArg: return Hidden{HiddenKind::MultigridSyncArg};
    case ValueKind::HiddenBlockCountX: return Hidden{HiddenKind::BlockCountX};
    case ValueKind::HiddenBlockCountY: return Hidden{HiddenKind::BlockCountY};
    case ValueKind::HiddenBlockCountZ: return Hidden{HiddenKind::BlockCountZ};
    case ValueKind::HiddenGroupSizeX: return Hidden{HiddenKind::GroupSizeX};
    case ValueKind::HiddenGroupSizeY: return Hidden{HiddenKind::GroupSizeY};
    case ValueKind::HiddenGroupSizeZ: return Hidden{HiddenKind::GroupSizeZ};
    case ValueKind::HiddenRemainderX: return Hidden{HiddenKind::RemainderX};
    case ValueKind::HiddenRemainderY: return Hidden{HiddenKind::RemainderY};
    case ValueKind::HiddenRemainderZ: return Hidden{HiddenKind::RemainderZ};
    case ValueKind::HiddenGridDims: return Hidden{HiddenKind::GridDims};
    case ValueKind::HiddenHeapV1: return Hidden{HiddenKind::HeapV1};
    case ValueKind::HiddenDynamicLdsSize: return Hidden{HiddenKind::DynamicLdsSize};
    case ValueKind::HiddenPrivateBase: return Hidden{HiddenKind::PrivateBase};
    case ValueKind::HiddenSharedBase: return Hidden{HiddenKind::SharedBase};
    case ValueKind::HiddenQueuePtr: return Hidden{HiddenKind::QueuePtr};
  }
  return Hidden{HiddenKind::None};
}

}  // namespace

Kernel to_kernel(const MetadataKernel& from, CodeObjectVersion version) {
  Kernel kernel;
  kernel.name = from.name.value_or("");
  kernel.block = kernel.name;
  kernel.address_bits = AddressBits::Bits64;
  kernel.where = from.where.range;
  kernel.segments.hardware_local = from.group_segment_fixed_size.value_or(0);
  kernel.segments.hardware_private = from.private_segment_fixed_size.value_or(0);
  kernel.registers = {.known = from.vgpr_count.has_value(),
                      .vgprs = narrow(from.vgpr_count.value_or(0)),
                      .sgprs = narrow(from.sgpr_count.value_or(0)),
                      .scratch_bytes = narrow(from.private_segment_fixed_size.value_or(0)),
                      .lds_bytes = narrow(from.group_segment_fixed_size.value_or(0)),
                      .wavefront_size = narrow(from.wavefront_size.value_or(0))};
  if (from.max_flat_workgroup_size) kernel.limits.max_group_size = narrow(*from.max_flat_workgroup_size);
  if (from.reqd_workgroup_size)
    for (std::size_t i = 0; i < 3; ++i) kernel.limits.required_group_size[i] = narrow((*from.reqd_workgroup_size)[i]);
  if (from.vec_type_hint) kernel.limits.vector_type_hint = *from.vec_type_hint;
  kernel.launch = KernargLaunch{version, from.kernarg_segment_size.value_or(0), from.kernarg_segment_align.value_or(16),
                                !from.args_absent, false};
  for (const MetadataArgument& argument : from.args) {
    if (!argument.value_kind) {
      kernel.complete = false;
      continue;
    }
    if (!argument.offset || !argument.size) kernel.complete = false;
    Argument& out = kernel.arguments.emplace_back();
    out.name = argument.name.value_or(std::string(spelling(*argument.value_kind)));
    out.type_name = argument.type_name.value_or("");
    out.kind = kind_of(argument);
    out.slot = KernargSlot{argument.offset.value_or(0), argument.size.value_or(0)};
    out.is_const = argument.is_const.value_or(false);
    out.is_restrict = argument.is_restrict.value_or(false);
    out.is_volatile = argument.is_volatile.value_or(false);
    out.where = argument.where.range;
    kernel.uses_printf |= *argument.value_kind == ValueKind::HiddenPrintfBuffer;
  }
  return kernel;
}

}  // namespace amdcompat::hsa
