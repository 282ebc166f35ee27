// Small facts about the neutral model: spellings, element sizes, and the few values that every writer derives from
// a kernel in the same way. Keys: docs/sources.md.
#include <amdcompat/evidence.hpp>
#include <amdcompat/program.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <utility>

namespace amdcompat {
namespace {

// One row for each enumerator, in its order; `table_is_complete` checks that.
struct ScalarRow {
  ScalarType type;
  std::string_view name;  // TYPE of `value:` and `pointer:` [SPEC «Value», RT DataTypeMap, BIN]
  std::uint32_t size;     // bytes of one element
};
constexpr ScalarRow kScalars[] = {
    {ScalarType::I1, "i1", 1},          {ScalarType::I8, "i8", 1},           {ScalarType::I16, "i16", 2},
    {ScalarType::I32, "i32", 4},        {ScalarType::I64, "i64", 8},         {ScalarType::U8, "u8", 1},
    {ScalarType::U16, "u16", 2},        {ScalarType::U32, "u32", 4},         {ScalarType::U64, "u64", 8},
    {ScalarType::Half, "half", 2},      {ScalarType::Float, "float", 4},     {ScalarType::Double, "double", 8},
    {ScalarType::Struct, "struct", 0},  {ScalarType::Union, "union", 0},     {ScalarType::Event, "event", 0},
    {ScalarType::Unsized, "opaque", 0}, {ScalarType::Sampler, "sampler", 0}, {ScalarType::Other, "", 0},
};

struct MemoryRow {
  MemoryKind type;
  std::string_view name;  // MEM of `pointer:` [MDP AMDILMDTypes.h]
  // AMD's runtime gives such a pointer a UAV slot of its own, numbered by its BUF field. [RT gpukernel.cpp]
  bool takes_uav;
};
constexpr MemoryRow kMemoryKinds[] = {
    {MemoryKind::Global, "g", true},
    {MemoryKind::EmulatedPrivate, "p", true},
    {MemoryKind::EmulatedLocal, "l", true},
    {MemoryKind::Uav, "uav", true},
    {MemoryKind::Constant, "c", true},
    {MemoryKind::EmulatedRegion, "r", false},
    {MemoryKind::HardwareLocal, "hl", false},
    {MemoryKind::HardwarePrivate, "hp", false},
    {MemoryKind::HardwareConstant, "hc", false},
    {MemoryKind::HardwareRegion, "hr", false},
    {MemoryKind::UavPrivate, "up", false},
    {MemoryKind::UavConstant, "uc", false},
    {MemoryKind::Flat, "flat", false},
};

struct ImageRow {
  ImageDim type;
  std::string_view name;  // DIM of `image:` [BIN; HLC for the depth forms]
};
constexpr ImageRow kImageDims[] = {
    {ImageDim::D1, "1D"},           {ImageDim::D1Array, "1DA"},           {ImageDim::D1Buffer, "1DB"},
    {ImageDim::D2, "2D"},           {ImageDim::D2Array, "2DA"},           {ImageDim::D3, "3D"},
    {ImageDim::D2Depth, "2DDepth"}, {ImageDim::D2ArrayDepth, "2DADepth"},
};

struct HiddenRow {
  HiddenKind type;
  std::string_view name;
};
constexpr HiddenRow kHiddenNames[] = {
    {HiddenKind::GlobalOffsetX, "global_offset_x"},
    {HiddenKind::GlobalOffsetY, "global_offset_y"},
    {HiddenKind::GlobalOffsetZ, "global_offset_z"},
    {HiddenKind::PrintfBuffer, "printf_buffer"},
    {HiddenKind::DefaultQueue, "default_queue"},
    {HiddenKind::CompletionAction, "completion_action"},
    {HiddenKind::None, "none"},
    {HiddenKind::HostcallBuffer, "hostcall_buffer"},
    {HiddenKind::MultigridSyncArg, "multigrid_sync_arg"},
    {HiddenKind::BlockCountX, "block_count_x"},
    {HiddenKind::BlockCountY, "block_count_y"},
    {HiddenKind::BlockCountZ, "block_count_z"},
    {HiddenKind::GroupSizeX, "group_size_x"},
    {HiddenKind::GroupSizeY, "group_size_y"},
    {HiddenKind::GroupSizeZ, "group_size_z"},
    {HiddenKind::RemainderX, "remainder_x"},
    {HiddenKind::RemainderY, "remainder_y"},
    {HiddenKind::RemainderZ, "remainder_z"},
    {HiddenKind::GridDims, "grid_dims"},
    {HiddenKind::HeapV1, "heap_v1"},
    {HiddenKind::DynamicLdsSize, "dynamic_lds_size"},
    {HiddenKind::PrivateBase, "private_base"},
    {HiddenKind::SharedBase, "shared_base"},
    {HiddenKind::QueuePtr, "queue_ptr"},
};

// The row of enumerator n is row n, up to the last enumerator.
template <class Row, std::size_t N, class Enum>
constexpr bool table_is_complete(const Row (&table)[N], Enum last) {
  for (std::size_t i = 0; i < N; ++i)
    if (static_cast<std::size_t>(table[i].type) != i) return false;
  return N == static_cast<std::size_t>(last) + 1;
}
static_assert(table_is_complete(kScalars, ScalarType::Other));
static_assert(table_is_complete(kMemoryKinds, MemoryKind::Flat));
static_assert(table_is_complete(kImageDims, ImageDim::D2ArrayDepth));
static_assert(table_is_complete(kHiddenNames, HiddenKind::QueuePtr) && std::size(kHiddenNames) == kHiddenKinds);

const ScalarRow& row(ScalarType type) { return kScalars[static_cast<std::size_t>(type)]; }
const MemoryRow& row(MemoryKind kind) { return kMemoryKinds[static_cast<std::size_t>(kind)]; }

constexpr std::uint32_t kDefaultGroupSize = 256;  // work-items; what AMD's runtime allows without `lws` [RT]
constexpr std::uint32_t kDefaultWavefront = 64;   // work-items; every GCN device and the large VLIW ones

// The UAV slot that an argument takes, if it is such a pointer.
std::optional<std::uint32_t> uav_of(const Argument& argument) {
  return std::visit(
      [](const auto& kind) -> std::optional<std::uint32_t> {
        if constexpr (std::is_base_of_v<PointerInfo, std::remove_cvref_t<decltype(kind)>>) {
          if (row(kind.memory).takes_uav) return kind.buffer;
        }
        return std::nullopt;
      },
      argument.kind);
}

// [S2 «Initial Kernel Register State»; what each holds for a CL2 kernel: CLRX AmdCl2Abi]
constexpr std::array kUserRegisters{
    UserRegister{kSgprPrivateBuffer, 4, "private segment buffer", "V# of scratch memory"},
    UserRegister{kSgprDispatchPtr, 2, "dispatch pointer", "address of the AQL packet (sizes of the launch)"},
    UserRegister{kSgprQueuePtr, 2, "queue pointer", "address of the queue (aperture words at 64 and 68)"},
    UserRegister{kSgprKernargPtr, 2, "kernarg pointer", "address of the argument block"},
    UserRegister{kSgprDispatchId, 2, "dispatch id", "number of the packet in its queue"},
    UserRegister{kSgprFlatScratch, 2, "flat scratch init", "offset and size of scratch memory for FLAT instructions"},
    UserRegister{kSgprPrivateSize, 1, "private segment size", "scratch bytes of a work-item"},
    UserRegister{kSgprGridCountX, 1, "grid count x", "work-groups in x"},
    UserRegister{kSgprGridCountY, 1, "grid count y", "work-groups in y"},
    UserRegister{kSgprGridCountZ, 1, "grid count z", "work-groups in z"}};

}  // namespace

std::uint32_t scalar_size(ScalarType type) { return row(type).size; }
std::string_view scalar_name(ScalarType type) { return row(type).name; }
std::string_view memory_kind_name(MemoryKind kind) { return row(kind).name; }
std::string_view image_dim_name(ImageDim dim) { return kImageDims[static_cast<std::size_t>(dim)].name; }

std::string_view hidden_kind_name(HiddenKind kind) { return kHiddenNames[static_cast<std::size_t>(kind)].name; }

ResourceIds resource_ids(const Kernel& kernel) {
  const ConstantBufferLaunch* const launch = kernel.constant_buffers();
  return launch == nullptr ? ResourceIds{} : launch->ids;
}

std::optional<std::uint32_t> effective_raw_uav(const Kernel& kernel) {
  const std::optional<std::uint32_t> raw = resource_ids(kernel).raw_uav;
  // A kernel that prints keeps its raw UAV whatever the arguments use. [RT gpukernel.cpp]
  if (!raw || kernel.uses_printf) return raw;
  const bool taken = std::any_of(kernel.arguments.begin(), kernel.arguments.end(),
                                 [&](const Argument& argument) { return uav_of(argument) == raw; });
  return taken ? std::nullopt : raw;
}

std::uint32_t max_flat_group_size(const Kernel& kernel) {
  const auto& required = kernel.limits.required_group_size;
  if (std::any_of(required.begin(), required.end(), [](std::uint32_t size) { return size != 0; })) {
    std::uint64_t product = 1;  // saturates below 2^32 before each step, so it cannot wrap
    for (const std::uint32_t size : required)
      product = std::min<std::uint64_t>(product * std::max(size, 1u), std::numeric_limits<std::uint32_t>::max());
    return static_cast<std::uint32_t>(product);
  }
  std::uint32_t size = kDefaultGroupSize;
  if (kernel.limits.max_group_size.value_or(0) != 0) size = *kernel.limits.max_group_size;
  if (kernel.limits.one_wavefront) {
    const std::uint32_t wavefront = kernel.registers.wavefront_size;
    size = std::min(size, wavefront != 0 ? wavefront : kDefaultWavefront);
  }
  return size;
}

std::uint32_t usable_alignment(std::uint32_t align) { return align == 0 ? 1 : align & (~align + 1); }

std::span<const UserRegister> user_register_table() { return kUserRegisters; }

std::uint32_t user_register_count(std::uint16_t user_registers) {
  std::uint32_t count = 0;
  for (const UserRegister& row : kUserRegisters)
    if ((user_registers & row.mask) != 0) count += row.count;
  return count;
}

std::string_view evidence_name(Evidence evidence) {
  switch (evidence) {
    case Evidence::Documented: return "documented";
    case Evidence::Observed: return "observed";
    case Evidence::Inferred: return "inferred";
    case Evidence::NotVerified: return "not verified";
  }
  return {};
}

}  // namespace amdcompat
