// HSA code objects -> neutral Program; offload bundles -> the one object that is wanted.
#include "open_hsa.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/format.h>

namespace amdcompat {

namespace {

std::uint32_t narrow(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

Access access_of(const std::optional<hsa::AccessQualifier>& access) {
  if (!access) return Access::Unspecified;
  switch (*access) {
    case hsa::AccessQualifier::ReadOnly: return Access::ReadOnly;
    case hsa::AccessQualifier::WriteOnly: return Access::WriteOnly;
    case hsa::AccessQualifier::ReadWrite: return Access::ReadWrite;
  }
  return Access::Unspecified;
}

// Values are bytes: what they are made of is not in the metadata.
ArgumentKind kind_of(const hsa::MetadataArgument& argument) {
  PointerInfo pointer;
  pointer.memory = MemoryKind::Global;
  pointer.align = narrow(argument.pointee_align.value_or(1));
  pointer.access = access_of(argument.actual_access ? argument.actual_access : argument.access);
  switch (*argument.value_kind) {
    case hsa::ValueKind::ByValue: return ByValue{ScalarType::Struct, narrow(argument.size.value_or(0))};
    case hsa::ValueKind::GlobalBuffer:
      if (argument.address_space == hsa::AddressSpace::Constant) {
        pointer.memory = MemoryKind::Constant;
        return ConstantPointer{pointer};
      }
      if (argument.address_space == hsa::AddressSpace::Generic) pointer.memory = MemoryKind::Flat;
      return GlobalPointer{pointer};
    case hsa::ValueKind::DynamicSharedPointer: pointer.memory = MemoryKind::HardwareLocal; return LocalPointer{pointer};
    case hsa::ValueKind::Sampler: return Sampler{};
    case hsa::ValueKind::Image: return Image{ImageDim::D2, access_of(argument.access), 0};
    case hsa::ValueKind::Pipe: return Pipe{pointer.align, access_of(argument.access)};
    case hsa::ValueKind::Queue: return Queue{};
    case hsa::ValueKind::HiddenGlobalOffsetX: return Hidden{HiddenKind::GlobalOffsetX};
    case hsa::ValueKind::HiddenGlobalOffsetY: return Hidden{HiddenKind::GlobalOffsetY};
    case hsa::ValueKind::HiddenGlobalOffsetZ: return Hidden{HiddenKind::GlobalOffsetZ};
    case hsa::ValueKind::HiddenPrintfBuffer: return Hidden{HiddenKind::PrintfBuffer};
    case hsa::ValueKind::HiddenDefaultQueue: return Hidden{HiddenKind::DefaultQueue};
    case hsa::ValueKind::HiddenCompletionAction: return Hidden{HiddenKind::CompletionAction};
    case hsa::ValueKind::HiddenNone: return Hidden{HiddenKind::None};
    case hsa::ValueKind::HiddenHostcallBuffer: return Hidden{HiddenKind::HostcallBuffer};
    case hsa::ValueKind::HiddenMultigridSyncArg: return Hidden{HiddenKind::MultigridSyncArg};
    case hsa::ValueKind::HiddenBlockCountX: return Hidden{HiddenKind::BlockCountX};
    case hsa::ValueKind::HiddenBlockCountY: return Hidden{HiddenKind::BlockCountY};
    case hsa::ValueKind::HiddenBlockCountZ: return Hidden{HiddenKind::BlockCountZ};
    case hsa::ValueKind::HiddenGroupSizeX: return Hidden{HiddenKind::GroupSizeX};
    case hsa::ValueKind::HiddenGroupSizeY: return Hidden{HiddenKind::GroupSizeY};
    case hsa::ValueKind::HiddenGroupSizeZ: return Hidden{HiddenKind::GroupSizeZ};
    case hsa::ValueKind::HiddenRemainderX: return Hidden{HiddenKind::RemainderX};
    case hsa::ValueKind::HiddenRemainderY: return Hidden{HiddenKind::RemainderY};
    case hsa::ValueKind::HiddenRemainderZ: return Hidden{HiddenKind::RemainderZ};
    case hsa::ValueKind::HiddenGridDims: return Hidden{HiddenKind::GridDims};
    case hsa::ValueKind::HiddenHeapV1: return Hidden{HiddenKind::HeapV1};
    case hsa::ValueKind::HiddenDynamicLdsSize: return Hidden{HiddenKind::DynamicLdsSize};
    case hsa::ValueKind::HiddenPrivateBase: return Hidden{HiddenKind::PrivateBase};
    case hsa::ValueKind::HiddenSharedBase: return Hidden{HiddenKind::SharedBase};
    case hsa::ValueKind::HiddenQueuePtr: return Hidden{HiddenKind::QueuePtr};
  }
  return Hidden{HiddenKind::None};
}

void lower(const hsa::CodeObject& object, Program& program) {
  program.family = Family::Hsa;
  if (object.target != nullptr) program.device = object.target->name;
  program.code = object.code;
  std::map<std::string_view, const hsa::CodeKernel*> code;
  for (const hsa::CodeKernel& kernel : object.kernels) code.emplace(kernel.name, &kernel);
  for (const hsa::MetadataKernel& from : object.metadata.kernels) {
    Kernel& kernel = program.kernels.emplace_back();
    kernel.name = from.name.value_or("");
    kernel.block = kernel.name;
    kernel.device = program.device;
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
    std::string_view symbol = from.symbol ? std::string_view(*from.symbol) : std::string_view(kernel.name);
    if (symbol.ends_with(".kd")) symbol.remove_suffix(3);
    if (const auto found = code.find(symbol); found != code.end()) kernel.code = found->second->code;
    kernel.launch = KernargLaunch{object.version, from.kernarg_segment_size.value_or(0),
                                  from.kernarg_segment_align.value_or(16), !from.args_absent};
    for (const hsa::MetadataArgument& argument : from.args) {
      if (!argument.value_kind) {
        kernel.complete = false;
        continue;
      }
      if (!argument.offset || !argument.size) kernel.complete = false;
      Argument& out = kernel.arguments.emplace_back();
      out.name = argument.name.value_or(std::string(hsa::spelling(*argument.value_kind)));
      out.type_name = argument.type_name.value_or("");
      out.kind = kind_of(argument);
      out.slot = KernargSlot{argument.offset.value_or(0), argument.size.value_or(0)};
      out.is_const = argument.is_const.value_or(false);
      out.is_restrict = argument.is_restrict.value_or(false);
      out.is_volatile = argument.is_volatile.value_or(false);
      out.where = argument.where.range;
      kernel.uses_printf |= *argument.value_kind == hsa::ValueKind::HiddenPrintfBuffer;
    }
  }
  for (const std::string& text : object.metadata.printf) {
    const auto decoded = hsa::decode_printf(text);
    if (!decoded || decoded->hostcall) continue;
    PrintfFormat& format = program.printf.emplace_back();
    format.id = decoded->id;
    format.sizes = decoded->sizes;
    format.format = decoded->format;
  }
}

// The entry of a bundle that is wanted, as a range of the file.
std::optional<SourceRange> choose_entry(std::string_view bytes, Diagnostics& diagnostics, std::string_view wanted) {
  std::vector<hsa::BundleEntry> objects;
  for (hsa::BundleEntry& entry : hsa::read_bundle(bytes, diagnostics))
    if (!hsa::bundle_target(entry.id).empty()) objects.push_back(std::move(entry));
  std::vector<const hsa::BundleEntry*> fitting;
  std::string names;
  for (const hsa::BundleEntry& entry : objects) {
    const std::string_view target = hsa::bundle_target(entry.id);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", target);
    // A processor alone means it with whatever features.
    if (wanted.empty() || target == wanted || target.substr(0, target.find(':')) == wanted) fitting.push_back(&entry);
  }
  if (fitting.size() == 1) return fitting.front()->where;
  if (objects.empty()) {
    diagnostics.report(Code::BundleEmpty, {}, "the bundle holds no code object for a GPU");
    return std::nullopt;
  }
  diagnostics.report(
      Code::BundleChoice, {},
      wanted.empty() ? fmt::format("the bundle holds {} code objects: {}", objects.size(), names)
                     : fmt::format("{} entries of the bundle fit '{}'; it holds {}", fitting.size(), wanted, names));
  return std::nullopt;
}

}  // namespace

bool open_hsa(File& file, Diagnostics& diagnostics, const OpenOptions& options) {
  std::string_view bytes = file.bytes;
  hsa::CodeObjectOptions read = options.hsa;
  if (hsa::is_bundle(bytes)) {
    const auto entry = choose_entry(bytes, diagnostics, options.bundle_entry);
    if (!entry) return false;
    bytes = bytes.substr(entry->begin, entry->size);
    read.base = entry->begin;
  }
  file.hsa = hsa::read_code_object(bytes, diagnostics, read);
  if (!file.hsa) return false;
  lower(*file.hsa, file.program);
  return true;
}

}  // namespace amdcompat
