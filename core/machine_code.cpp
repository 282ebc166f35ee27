#include <amdcompat/machine_code.hpp>

#include <algorithm>

namespace amdcompat::cl1 {

namespace {

using enum UserDataKind;
// clang-format off
constexpr std::array kClasses{
    UserDataClass{0x00, "IMM_RESOURCE", Descriptor, 8, "image descriptor"},
    UserDataClass{0x01, "IMM_SAMPLER", Descriptor, 4, "sampler descriptor"},
    UserDataClass{0x02, "IMM_CONST_BUFFER", Descriptor, 4, "constant buffer descriptor"},
    UserDataClass{0x03, "IMM_VERTEX_BUFFER", Descriptor, 4, "vertex buffer descriptor"},
    UserDataClass{0x04, "IMM_UAV", Descriptor, 4, "UAV descriptor"},
    UserDataClass{0x05, "IMM_ALU_FLOAT_CONST", Other, 0, "float constants"},
    UserDataClass{0x06, "IMM_ALU_BOOL32_CONST", Other, 0, "boolean constants"},
    UserDataClass{0x07, "IMM_GDS_COUNTER_RANGE", Other, 0, "GDS range of counters"},
    UserDataClass{0x08, "IMM_GDS_MEMORY_RANGE", Other, 0, "GDS range of memory"},
    UserDataClass{0x09, "IMM_GWS_BASE", Other, 0, "global wave synchronisation"},
    UserDataClass{0x0a, "IMM_WORK_ITEM_RANGE", Other, 0, "work-item range"},
    UserDataClass{0x0b, "IMM_WORK_GROUP_RANGE", Other, 0, "work-group range"},
    UserDataClass{0x0c, "IMM_DISPATCH_ID", Other, 0, "dispatch number"},
    UserDataClass{0x0d, "IMM_SCRATCH_BUFFER", Descriptor, 4, "scratch descriptor"},
    UserDataClass{0x0e, "IMM_HEAP_BUFFER", Descriptor, 4, "heap descriptor"},
    UserDataClass{0x0f, "IMM_KERNEL_ARG", Other, 0, "kernel argument"},
    UserDataClass{0x10, "SUB_PTR_FETCH_SHADER", TablePointer, 2, "address of the fetch shader"},
    UserDataClass{0x11, "PTR_RESOURCE_TABLE", TablePointer, 2, "address of image descriptors, 32 bytes each"},
    UserDataClass{0x12, "PTR_INTERNAL_RESOURCE_TABLE", TablePointer, 2, "address of internal descriptors"},
    UserDataClass{0x13, "PTR_SAMPLER_TABLE", TablePointer, 2, "address of sampler descriptors, 16 bytes each"},
    UserDataClass{0x14, "PTR_CONST_BUFFER_TABLE", TablePointer, 2, "address of constant buffer descriptors, 16 bytes each"},
    UserDataClass{0x15, "PTR_VERTEX_BUFFER_TABLE", TablePointer, 2, "address of vertex buffer descriptors"},
    UserDataClass{0x16, "PTR_SO_BUFFER_TABLE", TablePointer, 2, "address of stream-out descriptors"},
    UserDataClass{0x17, "PTR_UAV_TABLE", TablePointer, 2, "address of UAV descriptors, 32 bytes each"},
    UserDataClass{0x18, "PTR_INTERNAL_GLOBAL_TABLE", TablePointer, 2, "address of driver descriptors (scratch)"},
    UserDataClass{0x19, "PTR_EXTENDED_USER_DATA", TablePointer, 2, "address of further user data"},
    UserDataClass{0x1a, "PTR_INDIRECT_RESOURCE", TablePointer, 2, "address of an address of image descriptors"},
    UserDataClass{0x1b, "PTR_INDIRECT_INTERNAL_RESOURCE", TablePointer, 2, "address of an address of descriptors"},
    UserDataClass{0x1c, "PTR_INDIRECT_UAV", TablePointer, 2, "address of an address of UAV descriptors"},
    UserDataClass{0x1d, "IMM_CONTEXT_BASE", Other, 0, "context base"},
    UserDataClass{0x1e, "IMM_LDS_ESGS_SIZE", Other, 0, "size of LDS (graphics)"},
    UserDataClass{0x1f, "IMM_GLOBAL_OFFSET", Other, 0, "global offset"},
    UserDataClass{0x20, "IMM_GENERIC_USER_DATA", Other, 0, "user data"},
};
// clang-format on

}  // namespace

std::span<const UserDataClass> user_data_classes() { return kClasses; }

const UserDataClass* find_user_data_class(std::uint32_t number) {
  return number < kClasses.size() ? &kClasses[number] : nullptr;
}

}  // namespace amdcompat::cl1

namespace amdcompat {

std::span<const std::byte> code_bytes(const MachineCode& code, const CodePlace& place) {
  if (place.section >= code.sections.size()) return {};
  const std::span<const std::byte> bytes(code.sections[place.section].bytes);
  if (place.offset > bytes.size()) return {};
  const auto rest = bytes.subspan(place.offset);
  return rest.first(std::min<std::uint64_t>(rest.size(), place.size));
}

std::uint32_t entry_rsrc2(const EntryState& entry) {
  struct Visitor {
    std::uint32_t operator()(std::monostate) const { return 0; }
    std::uint32_t operator()(const cl1::CalState& state) const { return state.info.rsrc2.value_or(0); }
    std::uint32_t operator()(const KernelCode& setup) const { return setup.rsrc2; }
    std::uint32_t operator()(const hsa::KernelDescriptor& descriptor) const { return descriptor.rsrc2; }
  };
  return std::visit(Visitor{}, entry);
}

std::uint16_t entry_user_registers(const EntryState& entry) {
  if (const auto* const setup = std::get_if<KernelCode>(&entry)) return setup->user_registers;
  const auto* const descriptor = std::get_if<hsa::KernelDescriptor>(&entry);
  return descriptor == nullptr ? 0 : descriptor->properties;
}

}  // namespace amdcompat
