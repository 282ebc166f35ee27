// The tables of HSA metadata: versions, spellings, keys. Everything else in this directory walks them.
//
// "documented" in a source means a specification says so, "emitted" that a compiler's source writes it.
#include <amdcompat/hsa.hpp>

#include <algorithm>

#include "document.hpp"

namespace amdcompat::hsa {
namespace {

using enum CodeObjectVersion;

constexpr VersionInfo kVersions[] = {
    {V2, "V2", {1, 0}, 0, "[S0] documented for the metadata; [ELFH] and real files for ABI version 0"},
    {V3, "V3", {1, 0}, 1, "[S1] documented; [ELFH]"},
    {V4, "V4", {1, 1}, 2, "[LU] documented; [LS] emitVersion; [ELFH]"},
    {V5, "V5", {1, 2}, 3, "[LU] documented; [LS] emitVersion; [ELFH]"},
    {V6, "V6", {1, 2}, 4, "observed in real files and in clang 19's output"},
};

// `hidden`, first version, bytes, slot of the V3/V4 list (eight bytes each), offset in the V5 block.
// [LS emitHiddenKernelArgs] is the source of slots and offsets.
constexpr auto kNoSlot = std::nullopt;
constexpr auto kNoOffset = std::nullopt;
using K = ValueKind;
constexpr ValueKindInfo kValueKinds[] = {
    {K::ByValue, "by_value", "ByValue", "", false, V2, 0, kNoSlot, kNoOffset, "[S1] documented; [LV]"},
    {K::GlobalBuffer, "global_buffer", "GlobalBuffer", "", false, V2, 8, kNoSlot, kNoOffset, "[S1] documented; [LV]"},
    {K::DynamicSharedPointer, "dynamic_shared_pointer", "DynamicSharedPointer", "", false, V2, 4, kNoSlot, kNoOffset,
     "[S1] documented; size: LDS pointers have 32 bits"},
    {K::Sampler, "sampler", "Sampler", "", false, V2, 8, kNoSlot, kNoOffset, "[S1] documented; [LV]"},
    {K::Image, "image", "Image", "", false, V2, 8, kNoSlot, kNoOffset, "[S1] documented; [LV]"},
    {K::Pipe, "pipe", "Pipe", "", false, V2, 8, kNoSlot, kNoOffset, "[S1] documented; [LV]"},
    {K::Queue, "queue", "Queue", "", false, V2, 8, kNoSlot, kNoOffset, "[S1] documented; [LV]"},
    {K::HiddenGlobalOffsetX, "hidden_global_offset_x", "HiddenGlobalOffsetX", "", true, V2, 8, 0, 40, "[S1]; [LS]"},
    {K::HiddenGlobalOffsetY, "hidden_global_offset_y", "HiddenGlobalOffsetY", "", true, V2, 8, 1, 48, "[S1]; [LS]"},
    {K::HiddenGlobalOffsetZ, "hidden_global_offset_z", "HiddenGlobalOffsetZ", "", true, V2, 8, 2, 56, "[S1]; [LS]"},
    {K::HiddenNone, "hidden_none", "HiddenNone", "", true, V2, 8, kNoSlot, kNoOffset,
     "[S1] documented; stands for any unused pointer of the list"},
    {K::HiddenPrintfBuffer, "hidden_printf_buffer", "HiddenPrintfBuffer", "", true, V2, 8, 3, 72, "[S1]; [LS]"},
    {K::HiddenHostcallBuffer, "hidden_hostcall_buffer", "HiddenHostcallBuffer", "", true, V2, 8, 3, 80, "[LS]; [RC]"},
    {K::HiddenDefaultQueue, "hidden_default_queue", "HiddenDefaultQueue", "", true, V2, 8, 4, 104, "[S1]; [LS]"},
    {K::HiddenCompletionAction, "hidden_completion_action", "HiddenCompletionAction", "", true, V2, 8, 5, 112,
     "[S1]; [LS]"},
    {K::HiddenMultigridSyncArg, "hidden_multigrid_sync_arg", "HiddenMultiGridSyncArg", "HiddenMultigridSyncArg", true,
     V2, 8, 6, 88, "[S1]; [LS]; the V2 alias is the only form [RC] takes"},
    {K::HiddenBlockCountX, "hidden_block_count_x", "", "", true, V5, 4, kNoSlot, 0, "[LU]; [LS]"},
    {K::HiddenBlockCountY, "hidden_block_count_y", "", "", true, V5, 4, kNoSlot, 4, "[LU]; [LS]"},
    {K::HiddenBlockCountZ, "hidden_block_count_z", "", "", true, V5, 4, kNoSlot, 8, "[LU]; [LS]"},
    {K::HiddenGroupSizeX, "hidden_group_size_x", "", "", true, V5, 2, kNoSlot, 12, "[LU]; [LS]"},
    {K::HiddenGroupSizeY, "hidden_group_size_y", "", "", true, V5, 2, kNoSlot, 14, "[LU]; [LS]"},
    {K::HiddenGroupSizeZ, "hidden_group_size_z", "", "", true, V5, 2, kNoSlot, 16, "[LU]; [LS]"},
    {K::HiddenRemainderX, "hidden_remainder_x", "", "", true, V5, 2, kNoSlot, 18, "[LU]; [LS]"},
    {K::HiddenRemainderY, "hidden_remainder_y", "", "", true, V5, 2, kNoSlot, 20, "[LU]; [LS]"},
    {K::HiddenRemainderZ, "hidden_remainder_z", "", "", true, V5, 2, kNoSlot, 22, "[LU]; [LS]"},
    {K::HiddenGridDims, "hidden_grid_dims", "", "", true, V5, 2, kNoSlot, 64, "[LU]; [LS]"},
    {K::HiddenHeapV1, "hidden_heap_v1", "", "", true, V5, 8, kNoSlot, 96, "[LU]; [LS]"},
    {K::HiddenDynamicLdsSize, "hidden_dynamic_lds_size", "", "", true, V5, 4, kNoSlot, 120,
     "[LU]; unknown to LLVM before 19 [LLVM]"},
    {K::HiddenPrivateBase, "hidden_private_base", "", "", true, V5, 4, kNoSlot, 192, "[LU]; [LS], before gfx9 only"},
    {K::HiddenSharedBase, "hidden_shared_base", "", "", true, V5, 4, kNoSlot, 196, "[LU]; [LS], before gfx9 only"},
    {K::HiddenQueuePtr, "hidden_queue_ptr", "", "", true, V5, 8, kNoSlot, 200, "[LU]; [LS]"},
};

constexpr Spelling<AddressSpace> kAddressSpaces[] = {
    {AddressSpace::Private, "private", "Private", "[S1] documented; [LV]"},
    {AddressSpace::Global, "global", "Global", "[S1] documented; [LV]"},
    {AddressSpace::Constant, "constant", "Constant", "[S1] documented; [LV]"},
    {AddressSpace::Local, "local", "Local", "[S1] documented; [LV]"},
    {AddressSpace::Generic, "generic", "Generic", "[S1] documented; [LV]"},
    {AddressSpace::Region, "region", "Region", "[S1] documented; [LV]"},
};

constexpr Spelling<AccessQualifier> kAccessQualifiers[] = {
    {AccessQualifier::ReadOnly, "read_only", "ReadOnly", "[S1] documented; [LV]"},
    {AccessQualifier::WriteOnly, "write_only", "WriteOnly", "[S1] documented; [LV]"},
    {AccessQualifier::ReadWrite, "read_write", "ReadWrite", "[S1] documented; [LV]"},
};

constexpr std::string_view kLanguages[] = {"OpenCL C", "OpenCL C++", "HCC", "HIP", "OpenMP", "Assembler"};

using R = Metadata;
constexpr Key<Metadata> kRootKeys[] = {
    {"amdhsa.kernels", "Kernels", &R::kernels, true, V2, "[S1] documented; [LV] verify"},
    {"amdhsa.printf", "Printf", &R::printf, false, V2, "[S1] documented; [LV] verify"},
    {"amdhsa.target", "", &R::target, false, V4, "[LU] documented; [LS] emitTargetID"},
    {"amdhsa.version", "Version", &R::version, true, V2, "[S1] documented; [LV] verify"},
};

using N = MetadataKernel;
constexpr Key<MetadataKernel> kKernelKeys[] = {
    {".agpr_count", "", &N::agpr_count, false, V3, "[LU]; [LS] for targets with AccVGPRs"},
    {".args", "Args", &N::args, false, V2, "[S1]; [LS]; [S0] misnames the V2 key"},
    {".device_enqueue_symbol", "Attrs.RuntimeHandle", &N::device_enqueue_symbol, false, V2, "[S1]; [LV] verifyKernel"},
    {".group_segment_fixed_size", "CodeProps.GroupSegmentFixedSize", &N::group_segment_fixed_size, true, V2,
     "[S1]; [LV] verifyKernel"},
    {".kernarg_segment_align", "CodeProps.KernargSegmentAlign", &N::kernarg_segment_align, true, V2,
     "[S1]; [LV] verifyKernel; at least 4: [LS]"},
    {".kernarg_segment_size", "CodeProps.KernargSegmentSize", &N::kernarg_segment_size, true, V2,
     "[S1]; [LV] verifyKernel"},
    {".kind", "", &N::kind, false, V5, "[LU] documented"},
    {".language", "Language", &N::language, false, V2, "[S1]; [LV] verifyKernel"},
    {".language_version", "LanguageVersion", &N::language_version, false, V2, "[S1]; [LV] verifyKernel"},
    {".max_flat_workgroup_size", "CodeProps.MaxFlatWorkGroupSize", &N::max_flat_workgroup_size, true, V2,
     "[S1]; [LV] verifyKernel"},
    {".name", "Name", &N::name, true, V2, "[S1]; [LV] verifyKernel"},
    {".private_segment_fixed_size", "CodeProps.PrivateSegmentFixedSize", &N::private_segment_fixed_size, true, V2,
     "[S1]; [LV] verifyKernel"},
    {".reqd_workgroup_size", "Attrs.ReqdWorkGroupSize", &N::reqd_workgroup_size, false, V2, "[S1]; [LV] verifyKernel"},
    {".sgpr_count", "CodeProps.NumSGPRs", &N::sgpr_count, true, V2, "[S1]; [LV] verifyKernel"},
    {".sgpr_spill_count", "CodeProps.NumSpilledSGPRs", &N::sgpr_spill_count, false, V2, "[S1]; [LV] verifyKernel"},
    {".symbol", "SymbolName", &N::symbol, true, V2, "[S1]; [LV] verifyKernel; V2 writes @kd for .kd"},
    {".uniform_work_group_size", "", &N::uniform_work_group_size, false, V5, "[LU]; [LS] V5 emitKernelAttrs"},
    {".uses_dynamic_stack", "CodeProps.IsDynamicCallStack", &N::uses_dynamic_stack, false, V5,
     "[LU]; [LS] getHSAKernelProps"},
    {".vec_type_hint", "Attrs.VecTypeHint", &N::vec_type_hint, false, V2, "[S1]; [LV] verifyKernel"},
    {".vgpr_count", "CodeProps.NumVGPRs", &N::vgpr_count, true, V2, "[S1]; [LV] verifyKernel"},
    {".vgpr_spill_count", "CodeProps.NumSpilledVGPRs", &N::vgpr_spill_count, false, V2, "[S1]; [LV] verifyKernel"},
    {".wavefront_size", "CodeProps.WavefrontSize", &N::wavefront_size, true, V2, "[S1]; [LV] verifyKernel"},
    {".workgroup_processor_mode", "", &N::workgroup_processor_mode, false, V5, "[LU]; [LS] getHSAKernelProps"},
    {".workgroup_size_hint", "Attrs.WorkGroupSizeHint", &N::workgroup_size_hint, false, V2,
     "[S1]; [LV] verifyKernel; [RC] reads only the misspelt .workgorup_size_hint"},
};

using A = MetadataArgument;
constexpr Key<MetadataArgument> kArgumentKeys[] = {
    {".access", "AccQual", &A::access, false, V2, "[S1]; [LV] verifyKernelArgs"},
    {".actual_access", "ActualAccQual", &A::actual_access, false, V2, "[S1]; [LV]; [S0] misnames the V2 key"},
    {".address_space", "AddrSpaceQual", &A::address_space, false, V2, "[S1]; [LV] verifyKernelArgs"},
    {".is_const", "IsConst", &A::is_const, false, V2, "[S1]; [LV] verifyKernelArgs"},
    {".is_pipe", "IsPipe", &A::is_pipe, false, V2, "[S1]; [LV] verifyKernelArgs"},
    {".is_restrict", "IsRestrict", &A::is_restrict, false, V2, "[S1]; [LV] verifyKernelArgs"},
    {".is_volatile", "IsVolatile", &A::is_volatile, false, V2, "[S1]; [LV] verifyKernelArgs"},
    {".name", "Name", &A::name, false, V2, "[S1]; [LV] verifyKernelArgs"},
    {".offset", "", &A::offset, true, V3, "[S1]; [LV] verifyKernelArgs; V2 has Align instead"},
    {".pointee_align", "PointeeAlign", &A::pointee_align, false, V2, "[S1]; [LV] verifyKernelArgs"},
    {".size", "Size", &A::size, true, V2, "[S1]; [LV] verifyKernelArgs"},
    {".type_name", "TypeName", &A::type_name, false, V2, "[S1]; [LV] verifyKernelArgs"},
    {".value_kind", "ValueKind", &A::value_kind, true, V2, "[S1]; [LV] verifyKernelArgs"},
    {".value_type", "ValueType", &A::value_type, false, V2, "[S1]; obsolete: not in [LV] nor in later [RC] maps"},
};

template <class Table>
constexpr bool sorted_by_name(const Table& table) {
  return std::is_sorted(std::begin(table), std::end(table),
                        [](const auto& a, const auto& b) { return a.name < b.name; });
}
static_assert(sorted_by_name(kRootKeys) && sorted_by_name(kKernelKeys) && sorted_by_name(kArgumentKeys));

// The rows stand in the order of the enumerators, so that a lookup by enumerator is an index.
constexpr bool indexed_by_enumerator() {
  std::size_t index = 0;
  for (const ValueKindInfo& row : kValueKinds)
    if (static_cast<std::size_t>(row.kind) != index++) return false;
  return index == static_cast<std::size_t>(ValueKind::HiddenQueuePtr) + 1;
}
static_assert(indexed_by_enumerator());
// By the size of a name: the first row with such a one.
constexpr std::array<std::uint8_t, 64> kKindsOfSize = [] {
  std::array<std::uint8_t, 64> out{};
  out.fill(static_cast<std::uint8_t>(std::size(kValueKinds)));
  for (std::size_t n = std::size(kValueKinds); n-- > 0;)
    out.at(kValueKinds[n].name.size()) = static_cast<std::uint8_t>(n);
  return out;
}();
// The verifier looks at the bits of an offset below its size.
static_assert(std::ranges::all_of(kValueKinds,
                                  [](const ValueKindInfo& row) { return (row.size & (row.size - 1)) == 0; }));

template <class Enum>
std::string_view name_in(std::span<const Spelling<Enum>> table, Enum value) {
  for (const Spelling<Enum>& row : table)
    if (row.value == value) return row.name;
  return {};
}

}  // namespace

std::span<const VersionInfo> all_code_object_versions() { return kVersions; }

const VersionInfo& version_info(CodeObjectVersion version) {
  const auto index = static_cast<std::size_t>(version) - static_cast<std::size_t>(V2);
  return kVersions[std::min(index, std::size(kVersions) - 1)];
}

std::optional<CodeObjectVersion> version_of_metadata(std::array<std::uint64_t, 2> pair) {
  for (const VersionInfo& row : kVersions)
    if (row.version != V2 && row.metadata == pair) return row.version;
  return std::nullopt;
}

std::span<const ValueKindInfo> all_value_kinds() { return kValueKinds; }

const ValueKindInfo& value_kind_info(ValueKind kind) { return kValueKinds[static_cast<std::size_t>(kind)]; }

std::optional<ValueKind> find_value_kind(std::string_view spelling, CodeObjectVersion version) {
  if (spelling.empty()) return std::nullopt;
  if (version == V2) {
    for (const ValueKindInfo& row : kValueKinds)
      if (is_same(spelling, row.v2_name) || is_same(spelling, row.v2_alias)) return row.kind;
    return std::nullopt;
  }
  for (std::size_t n = spelling.size() < kKindsOfSize.size() ? kKindsOfSize[spelling.size()] : std::size(kValueKinds);
       n < std::size(kValueKinds); ++n)
    if (is_same(spelling, kValueKinds[n].name)) return kValueKinds[n].kind;
  return std::nullopt;
}

std::span<const Spelling<AddressSpace>> all_address_spaces() { return kAddressSpaces; }
std::span<const Spelling<AccessQualifier>> all_access_qualifiers() { return kAccessQualifiers; }
std::string_view spelling(ValueKind kind) { return value_kind_info(kind).name; }
std::string_view spelling(AddressSpace space) { return name_in<AddressSpace>(kAddressSpaces, space); }
std::string_view spelling(AccessQualifier access) { return name_in<AccessQualifier>(kAccessQualifiers, access); }
std::span<const std::string_view> all_languages() { return kLanguages; }

std::span<const Key<Metadata>> root_keys() { return kRootKeys; }
std::span<const Key<MetadataKernel>> kernel_keys() { return kKernelKeys; }
std::span<const Key<MetadataArgument>> argument_keys() { return kArgumentKeys; }

}  // namespace amdcompat::hsa
