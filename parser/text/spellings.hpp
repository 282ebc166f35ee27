// The closed sets of words that fields take. Parser and printer walk the same rows.
#pragma once

#include <iterator>
#include <type_traits>
#include <utility>

#include "fields.hpp"

namespace amdcompat::text {

// [SPEC «Pass by value arguments»] i1 i8 i16 i32 i64 float double struct union event opaque;
// [BIN] u8 u16 u32 u64 half since 3:1:104; [RT gpukernel.cpp DataType] sampler.
inline constexpr Spelling<ScalarType> kScalarTypes[] = {
    {"u32", ScalarType::U32},     {"float", ScalarType::Float},   {"i32", ScalarType::I32},
    {"u8", ScalarType::U8},       {"struct", ScalarType::Struct}, {"u16", ScalarType::U16},
    {"u64", ScalarType::U64},     {"i8", ScalarType::I8},         {"i16", ScalarType::I16},
    {"i64", ScalarType::I64},     {"double", ScalarType::Double}, {"half", ScalarType::Half},
    {"union", ScalarType::Union}, {"i1", ScalarType::I1},         {"opaque", ScalarType::Unsized},
    {"event", ScalarType::Event}, {"sampler", ScalarType::Sampler}};

// [MDP AMDILMDTypes.h] for all, [SPEC «Pass by pointer arguments»] for the first ten.
inline constexpr Spelling<MemoryKind> kMemoryKinds[] = {
    {"uav", MemoryKind::Uav},           {"hl", MemoryKind::HardwareLocal},    {"c", MemoryKind::Constant},
    {"hc", MemoryKind::HardwareConstant}, {"l", MemoryKind::EmulatedLocal},   {"g", MemoryKind::Global},
    {"p", MemoryKind::EmulatedPrivate}, {"r", MemoryKind::EmulatedRegion},    {"hp", MemoryKind::HardwarePrivate},
    {"hr", MemoryKind::HardwareRegion}, {"up", MemoryKind::UavPrivate},       {"uc", MemoryKind::UavConstant},
    {"flat", MemoryKind::Flat}};
// [HLC processArgMetadata]; `p` in an older BRIG [BIN]
inline constexpr Spelling<MemoryKind> kQueueMemoryKinds[] = {
    {"uav", MemoryKind::Uav}, {"hp", MemoryKind::HardwarePrivate}, {"p", MemoryKind::EmulatedPrivate}};

inline constexpr Spelling<Access> kAccesses[] = {
    {"RO", Access::ReadOnly}, {"RW", Access::ReadWrite}, {"WO", Access::WriteOnly}};

// [SPEC «Image Kernel Arguments»] 2D 3D; [BIN] the arrays and buffers; [HLC] depth images.
inline constexpr Spelling<ImageDim> kImageDims[] = {
    {"2D", ImageDim::D2},      {"3D", ImageDim::D3},       {"1D", ImageDim::D1},
    {"1DA", ImageDim::D1Array}, {"1DB", ImageDim::D1Buffer}, {"2DA", ImageDim::D2Array},
    {"2DDepth", ImageDim::D2Depth}, {"2DADepth", ImageDim::D2ArrayDepth}};

// [SPEC «Local/Private Memory»] private local hwprivate hwlocal; [BE] the others.
inline constexpr Spelling<MemorySpace> kMemorySpaces[] = {
    {"hwlocal", MemorySpace::HwLocal},       {"hwregion", MemorySpace::HwRegion},
    {"uavprivate", MemorySpace::UavPrivate}, {"hwprivate", MemorySpace::HwPrivate},
    {"private", MemorySpace::Private},       {"local", MemorySpace::Local},
    {"region", MemorySpace::Region}};
// [SPEC «Reserved Memory Write», «Data Segment Memory»]; [BE] 64bitABI; [ACL aclGPUCaps] the last three.
inline constexpr Spelling<MemoryFlag> kMemoryFlags[] = {
    {"compilerwrite", MemoryFlag::CompilerWrite}, {"datareqd", MemoryFlag::DataRequired},
    {"64bitABI", MemoryFlag::Abi64},              {"gws", MemoryFlag::Gws},
    {"swgws", MemoryFlag::SwGws},                 {"packedreg", MemoryFlag::PackedReg}};

inline constexpr Spelling<NumberKey> kNumberKeys[] = {
    {"uniqueid", NumberKey::UniqueId},   {"lws", NumberKey::Lws},
    {"WavesPerSimdHint", NumberKey::WavesPerSimdHint}, {"membound", NumberKey::Membound},
    {"uavid", NumberKey::UavId},         {"privateid", NumberKey::PrivateId},
    {"printfid", NumberKey::PrintfId},   {"cbid", NumberKey::CbId},
    {"enqueue_kernel", NumberKey::EnqueueKernel}, {"kernel_index", NumberKey::KernelIndex}};
inline constexpr Spelling<GroupKey> kGroupKeys[] = {
    {"cws", GroupKey::Cws}, {"crs", GroupKey::Crs}, {"wsh", GroupKey::Wsh}};

template <class T, std::size_t N>
constexpr std::string_view spelling_of(const Spelling<T> (&table)[N], T value) {
  for (const auto& row : table)
    if (row.value == value) return row.text;
  return {};
}
// The row's value, or null. The table is a template argument so that each comparison has a constant length: a few
// instructions instead of a call of memcmp.
template <const auto& table>
constexpr const auto* find_spelling(std::string_view text) {
  using T = std::remove_cvref_t<decltype(table[0].value)>;
  return [text]<std::size_t... kRow>(std::index_sequence<kRow...>) {
    const T* found = nullptr;
    static_cast<void>(((text == table[kRow].text && (found = &table[kRow].value, true)) || ...));
    return found;
  }(std::make_index_sequence<std::size(table)>());
}

}  // namespace amdcompat::text
