// What each dword of CB0 and each kind of argument in CB1 holds, and where we know it from.
//
// Sources: [SPEC] the 2009 GPU compiler and runtime metadata specification, "Runtime ABI"; [RT] ROCclr, GSL backend,
// gpukernel.cpp; [BE] AMD's AMDIL back end in LLVM, AMDILKernelManager.cpp; [BIN] real files; [RUN] machine code of 256
// real kernels, many of them run on an emulator. docs/sources.md resolves the keys.
//
// The three disagree: the specification describes the first runtime, the back end what kernels read, and AMD's last
// runtime writes less than kernels could read. A row is what a kernel finds useful: where AMD's runtime wrote a
// value it
// is that one; where it wrote nothing but compiled code reads (rings), the value goes where the code looks for it.
#include <amdcompat/launch_image.hpp>

#include <algorithm>
#include <array>
#include <variant>

#include "argument_rule.hpp"

namespace amdcompat::abi {
namespace {

constexpr bool kYes = true;
constexpr bool kNo = false;
constexpr auto kDoc = Evidence::Documented;
constexpr auto kInferred = Evidence::Inferred;
constexpr std::string_view kRtSpec = "RT setupProgramGrid; SPEC Runtime ABI; RTO";
constexpr std::string_view kRt = "RT setupProgramGrid; RTO";
constexpr std::string_view kBe = "BE getIntrinsicSetup; SPEC Runtime ABI";
constexpr std::string_view kBe64 = "BE getIntrinsicSetup";
constexpr std::string_view kSpecZero = "SPEC Runtime ABI; RT leaves it 0";

// clang-format off
constexpr std::array kCb0{
    //       dw  n  32    64    amd   spec  value                   name                    meaning
    Cb0Field{ 0, 1, kYes, kYes, kYes, kYes, Cb0Value::GlobalX,      "global size x", "work-items of the whole range; 1 in unused dimensions", kDoc, kRtSpec},
    Cb0Field{ 1, 1, kYes, kYes, kYes, kYes, Cb0Value::GlobalY,      "global size y", "work-items of the whole range; 1 in unused dimensions", kDoc, kRtSpec},
    Cb0Field{ 2, 1, kYes, kYes, kYes, kYes, Cb0Value::GlobalZ,      "global size z", "work-items of the whole range; 1 in unused dimensions", kDoc, kRtSpec},
    Cb0Field{ 3, 1, kYes, kYes, kYes, kYes, Cb0Value::WorkDim,      "work_dim", "dimensions; a task has 1 (profile spec: 0)", kDoc, kRtSpec},
    Cb0Field{ 4, 1, kYes, kYes, kYes, kYes, Cb0Value::LocalX,       "local size x", "work-items of a group; 1 in unused dimensions", kDoc, kRtSpec},
    Cb0Field{ 5, 1, kYes, kYes, kYes, kYes, Cb0Value::LocalY,       "local size y", "work-items of a group; 1 in unused dimensions", kDoc, kRtSpec},
    Cb0Field{ 6, 1, kYes, kYes, kYes, kYes, Cb0Value::LocalZ,       "local size z", "work-items of a group; 1 in unused dimensions", kDoc, kRtSpec},
    Cb0Field{ 7, 1, kYes, kYes, kYes, kYes, Cb0Value::Zero,         "zero", "", kDoc, kRtSpec},
    Cb0Field{ 8, 1, kYes, kYes, kYes, kYes, Cb0Value::GroupsX,      "groups x", "global / local, partial groups count (profile spec: not)", kDoc, kRtSpec},
    Cb0Field{ 9, 1, kYes, kYes, kYes, kYes, Cb0Value::GroupsY,      "groups y", "global / local, partial groups count (profile spec: not)", kDoc, kRtSpec},
    Cb0Field{10, 1, kYes, kYes, kYes, kYes, Cb0Value::GroupsZ,      "groups z", "global / local, partial groups count (profile spec: not)", kDoc, kRtSpec},
    Cb0Field{11, 1, kYes, kYes, kYes, kYes, Cb0Value::Zero,         "zero", "", kDoc, kRtSpec},
    Cb0Field{12, 1, kYes, kNo,  kYes, kYes, Cb0Value::PrivateRing,  "private ring", "offset of emulated private memory, or of the dummy page", kDoc, "RT setLocalPrivateRanges; SPEC Runtime ABI; BE"},
    Cb0Field{13, 1, kYes, kNo,  kYes, kYes, Cb0Value::PrivateBytes, "private bytes", "emulated private memory of a work-item", kDoc, kBe},
    Cb0Field{14, 1, kYes, kNo,  kYes, kYes, Cb0Value::Zero,         "zero", "", kDoc, kSpecZero},
    Cb0Field{12, 2, kNo,  kYes, kYes, kYes, Cb0Value::PrivateRing,  "private ring", "address of emulated private memory, or of the dummy page", kDoc, "RT setLocalPrivateRanges; BE getIntrinsicSetup"},
    Cb0Field{14, 1, kNo,  kYes, kYes, kYes, Cb0Value::PrivateBytes, "private bytes", "emulated private memory of a work-item", kDoc, kBe64},
    Cb0Field{15, 1, kYes, kYes, kYes, kYes, Cb0Value::Zero,         "zero", "", kDoc, kSpecZero},
    Cb0Field{16, 1, kYes, kNo,  kYes, kYes, Cb0Value::LocalRing,    "local ring", "offset of emulated local memory", kDoc, kBe},
    Cb0Field{17, 1, kYes, kNo,  kYes, kYes, Cb0Value::LocalBytes,   "local bytes", "emulated local memory of a work-group", kDoc, kBe},
    Cb0Field{18, 1, kYes, kNo,  kYes, kYes, Cb0Value::Zero,         "zero", "", kDoc, kSpecZero},
    Cb0Field{16, 2, kNo,  kYes, kYes, kYes, Cb0Value::LocalRing,    "local ring", "address of emulated local memory", kDoc, kBe64},
    Cb0Field{18, 1, kNo,  kYes, kYes, kYes, Cb0Value::LocalBytes,   "local bytes", "emulated local memory of a work-group", kDoc, kBe64},
    Cb0Field{19, 1, kYes, kYes, kYes, kNo,  Cb0Value::Zero,         "zero", "", kDoc, "RT never writes it"},
    Cb0Field{19, 1, kYes, kYes, kNo,  kYes, Cb0Value::MathTable,    "math table", "offset of the math library's tables", kDoc, "SPEC Runtime ABI"},
    Cb0Field{20, 1, kYes, kYes, kYes, kYes, Cb0Value::ConstZero,    "0.0f", "constant of the math library", kDoc, kRtSpec},
    Cb0Field{21, 1, kYes, kYes, kYes, kYes, Cb0Value::ConstHalf,    "0.5f", "constant of the math library", kDoc, kRtSpec},
    Cb0Field{22, 1, kYes, kYes, kYes, kYes, Cb0Value::ConstOne,     "1.0f", "constant of the math library", kDoc, kRtSpec},
    Cb0Field{23, 1, kYes, kYes, kYes, kYes, Cb0Value::ConstTwo,     "2.0f", "constant of the math library", kDoc, kRtSpec},
    Cb0Field{24, 1, kYes, kYes, kYes, kYes, Cb0Value::SpawnX,       "spawn offset x", "id of the first work-item of this dispatch", kDoc, kRtSpec},
    Cb0Field{25, 1, kYes, kYes, kYes, kYes, Cb0Value::SpawnY,       "spawn offset y", "id of the first work-item of this dispatch", kDoc, kRtSpec},
    Cb0Field{26, 1, kYes, kYes, kYes, kYes, Cb0Value::SpawnZ,       "spawn offset z", "id of the first work-item of this dispatch", kDoc, kRtSpec},
    Cb0Field{27, 1, kYes, kYes, kYes, kYes, Cb0Value::SpawnFlat,    "spawn offset flat", "product of the used components (profile spec: of all three)", kDoc, kRtSpec},
    Cb0Field{28, 1, kYes, kYes, kYes, kYes, Cb0Value::GroupX,       "group offset x", "work-groups before this dispatch (split dispatches)", kDoc, "RT setupProgramGrid; SPEC Runtime ABI"},
    Cb0Field{29, 1, kYes, kYes, kYes, kYes, Cb0Value::GroupY,       "group offset y", "work-groups before this dispatch (split dispatches)", kDoc, "RT setupProgramGrid; SPEC Runtime ABI"},
    Cb0Field{30, 1, kYes, kYes, kYes, kYes, Cb0Value::GroupZ,       "group offset z", "work-groups before this dispatch (split dispatches)", kDoc, "RT setupProgramGrid; SPEC Runtime ABI"},
    Cb0Field{31, 1, kYes, kYes, kYes, kYes, Cb0Value::GroupFlat,    "group offset flat", "product of the used components (profile spec: of all three)", kDoc, "RT setupProgramGrid; SPEC Runtime ABI"},
    Cb0Field{32, 1, kYes, kNo,  kYes, kYes, Cb0Value::DataSegment,  "data segment", "offset of the global data segment", kDoc, "RT setLocalPrivateRanges; SPEC Runtime ABI"},
    Cb0Field{33, 1, kYes, kNo,  kYes, kYes, Cb0Value::PrintfAddress,"printf buffer", "offset of the printf buffer", kDoc, "RT setupProgramGrid; SPEC Runtime ABI; RUN"},
    Cb0Field{34, 1, kYes, kNo,  kYes, kYes, Cb0Value::PrintfDwords, "printf size", "dwords of a work-item's region", kDoc, "RT setupProgramGrid; RUN"},
    Cb0Field{35, 1, kYes, kNo,  kYes, kYes, Cb0Value::Zero,         "zero", "unspecified by SPEC", kInferred, "RT leaves it 0"},
    Cb0Field{32, 2, kNo,  kYes, kYes, kYes, Cb0Value::DataSegment,  "data segment", "address of the global data segment", kDoc, "RT setLocalPrivateRanges"},
    Cb0Field{34, 2, kNo,  kYes, kYes, kYes, Cb0Value::PrintfAddress,"printf buffer", "address of the printf buffer", kDoc, "RT setupProgramGrid; RUN"},
    Cb0Field{36, 1, kNo,  kYes, kYes, kYes, Cb0Value::PrintfDwords, "printf size", "dwords of a work-item's region", kDoc, "RT setupProgramGrid; RUN"},
    Cb0Field{36, 1, kYes, kNo,  kYes, kNo,  Cb0Value::RangeX,       "NDRange offset x", "what get_global_offset returns", kDoc, kRt},
    Cb0Field{37, 1, kYes, kNo,  kYes, kNo,  Cb0Value::RangeY,       "NDRange offset y", "what get_global_offset returns", kDoc, kRt},
    Cb0Field{38, 1, kYes, kNo,  kYes, kNo,  Cb0Value::RangeZ,       "NDRange offset z", "what get_global_offset returns", kDoc, kRt},
    Cb0Field{39, 1, kYes, kNo,  kYes, kNo,  Cb0Value::Zero,         "zero", "", kDoc, kRt},
    Cb0Field{37, 1, kNo,  kYes, kYes, kNo,  Cb0Value::RangeX,       "NDRange offset x", "what get_global_offset returns", kDoc, kRt},
    Cb0Field{38, 1, kNo,  kYes, kYes, kNo,  Cb0Value::RangeY,       "NDRange offset y", "what get_global_offset returns", kDoc, kRt},
    Cb0Field{39, 1, kNo,  kYes, kYes, kNo,  Cb0Value::RangeZ,       "NDRange offset z", "what get_global_offset returns", kDoc, kRt},
    Cb0Field{36, 1, kYes, kNo,  kNo,  kYes, Cb0Value::Zero,         "zero", "not in the 2009 table", kInferred, "SPEC Runtime ABI ends at byte 139"},
    Cb0Field{37, 1, kYes, kYes, kNo,  kYes, Cb0Value::Zero,         "zero", "not in the 2009 table", kInferred, "SPEC Runtime ABI ends at byte 139"},
    Cb0Field{38, 1, kYes, kYes, kNo,  kYes, Cb0Value::Zero,         "zero", "not in the 2009 table", kInferred, "SPEC Runtime ABI ends at byte 139"},
    Cb0Field{39, 1, kYes, kYes, kNo,  kYes, Cb0Value::Zero,         "zero", "not in the 2009 table", kInferred, "SPEC Runtime ABI ends at byte 139"},
};

// For each ABI and profile every dword is in exactly one row.
constexpr bool covers_every_dword(bool bits64, bool spec) {
  std::array<int, kCb0Bytes / 4> rows{};
  for (const Cb0Field& field : kCb0) {
    if (!(bits64 ? field.abi64 : field.abi32) || !(spec ? field.spec : field.amd)) continue;
    for (unsigned i = 0; i < field.dwords; ++i) ++rows[field.dword + i];
  }
  return std::ranges::all_of(rows, [](int n) { return n == 1; });
}
static_assert(covers_every_dword(false, false) && covers_every_dword(true, false));
static_assert(covers_every_dword(false, true) && covers_every_dword(true, true));

enum Rule : std::size_t {
  kScalarRule, kVectorRule, kSmallVectorRule, kBoolRule, kStructRule, kPointerRule, kHardwareConstantRule,
  kLocalRule, kUnwrittenPointerRule, kImageRule, kSamplerRule, kCounterRule, kSemaphoreRule,
};
constexpr std::array kRules{
    ArgumentRule{"scalar", "1", "its bytes, neither sign- nor zero-extended", kDoc, "RT setArgument; SPEC Scalar Arguments; BIN alltypes"},
    ArgumentRule{"vector", "elements x bits / 128 rounded down, at least 1", "one copy of the host value, vectors of 3 as 4", kDoc, "RT setArgument, KernelArg::size; BE; BIN alltypes"},
    ArgumentRule{"8 or 16-bit vector of more than 4", "elements / 4", "4 elements at the start of each slot", kDoc, "RT setArgument specialVector; SPEC; BIN alltypes"},
    ArgumentRule{"i1", "1", "a 32-bit lane of which bit 0 is kept", kDoc, "SPEC Scalar Arguments; no real file has one"},
    ArgumentRule{"struct or union", "bytes / 16 rounded up", "its bytes", kDoc, "RT setArgument; SPEC Aggregate Arguments; BIN structkernel2"},
    ArgumentRule{"pointer", "1", "address - descriptor base: a dword, or a qword in the 64-bit ABI; 0 for NULL", kDoc, "RT setArgument; RUN"},
    ArgumentRule{"pointer to a constant buffer (hc)", "1", "1 (0 for NULL), as wide as a pointer; the buffer is bound at its number", kDoc, "RT setArgument; RUN; RTO"},
    ArgumentRule{"pointer to local memory (hl)", "1", "LDS offset, one dword in both ABIs: after static LDS and the pointers before it, aligned", kDoc, "RT setArgument; RUN; RTO"},
    ArgumentRule{"pointer to emulated local, private or region memory", "1", "nothing: the global heap is bound", kDoc, "RT setArgument"},
    ArgumentRule{"image", "2", "image constants", kDoc, "RT copyImageConstants; SPEC Image Metadata"},
    ArgumentRule{"sampler", "1", "sampler word", kDoc, "RT setArgument; BIN alltypes"},
    ArgumentRule{"counter", "1", "nothing: bound by number", kDoc, "RT ArgumentCounter"},
    ArgumentRule{"semaphore", "1", "nothing: bound by number", Evidence::NotVerified, "no real file has one"},
};

constexpr std::array kImageConstants{
    ImageConstantField{0, "width (u32)", "width (u32)", "RT copyImageConstants; SPEC Image Metadata"},
    ImageConstantField{4, "height (u32)", "height (u32)", "RT copyImageConstants; SPEC Image Metadata"},
    ImageConstantField{8, "depth (u32), 1 without depth", "depth (u32), 1 without depth", "RT copyImageConstants; SPEC Image Metadata"},
    ImageConstantField{12, "channel type (CL enum)", "offset", "RT copyImageConstants; SPEC Image Metadata"},
    ImageConstantField{16, "1 / width (float)", "channel type (CL enum)", "RT copyImageConstants; SPEC Image Metadata"},
    ImageConstantField{20, "1 / height (float)", "channel order (CL enum)", "RT copyImageConstants; SPEC Image Metadata"},
    ImageConstantField{24, "1 / depth (float)", "row pitch", "RT copyImageConstants; SPEC Image Metadata"},
    ImageConstantField{28, "channel order (CL enum)", "slice pitch", "RT copyImageConstants; SPEC Image Metadata"},
};

constexpr std::array kOrders{
    ClName{0x10B0, "R"}, ClName{0x10B1, "A"}, ClName{0x10B2, "RG"}, ClName{0x10B3, "RA"}, ClName{0x10B4, "RGB"},
    ClName{0x10B5, "RGBA"}, ClName{0x10B6, "BGRA"}, ClName{0x10B7, "ARGB"}, ClName{0x10B8, "INTENSITY"},
    ClName{0x10B9, "LUMINANCE"}, ClName{0x10BA, "Rx"}, ClName{0x10BB, "RGx"}, ClName{0x10BC, "RGBx"},
    ClName{0x10BD, "DEPTH"}, ClName{0x10BE, "DEPTH_STENCIL"}, ClName{0x10BF, "sRGB"}, ClName{0x10C0, "sRGBx"},
    ClName{0x10C1, "sRGBA"}, ClName{0x10C2, "sBGRA"}, ClName{0x10C3, "ABGR"},
};
constexpr std::array kTypes{
    ClName{0x10D0, "SNORM_INT8"}, ClName{0x10D1, "SNORM_INT16"}, ClName{0x10D2, "UNORM_INT8"},
    ClName{0x10D3, "UNORM_INT16"}, ClName{0x10D4, "UNORM_SHORT_565"}, ClName{0x10D5, "UNORM_SHORT_555"},
    ClName{0x10D6, "UNORM_INT_101010"}, ClName{0x10D7, "SIGNED_INT8"}, ClName{0x10D8, "SIGNED_INT16"},
    ClName{0x10D9, "SIGNED_INT32"}, ClName{0x10DA, "UNSIGNED_INT8"}, ClName{0x10DB, "UNSIGNED_INT16"},
    ClName{0x10DC, "UNSIGNED_INT32"}, ClName{0x10DD, "HALF_FLOAT"}, ClName{0x10DE, "FLOAT"}, ClName{0x10DF, "UNORM_INT24"},
};

constexpr std::string_view kSamplerSource = "RT platform/sampler.hpp; CLRX AmdAbi.md";
constexpr std::array kSampler{
    SamplerField{0x01, 0x00, "unnormalized coordinates", kSamplerSource},
    SamplerField{0x01, 0x01, "normalized coordinates", kSamplerSource},
    SamplerField{0x0e, 0x00, "no addressing", kSamplerSource},
    SamplerField{0x0e, 0x02, "repeat", kSamplerSource},
    SamplerField{0x0e, 0x04, "clamp to edge", kSamplerSource},
    SamplerField{0x0e, 0x06, "clamp", kSamplerSource},
    SamplerField{0x0e, 0x08, "mirrored repeat", kSamplerSource},
    SamplerField{0x30, 0x10, "nearest", kSamplerSource},
    SamplerField{0x30, 0x20, "linear", kSamplerSource},
};
// clang-format on

}  // namespace

std::string_view binding_kind_name(BindingKind kind) {
  switch (kind) {
    case BindingKind::Uav: return "uav";
    case BindingKind::ConstantBuffer: return "constant_buffer";
    case BindingKind::Resource: return "resource";
    case BindingKind::Sampler: return "sampler";
    case BindingKind::Counter: return "counter";
    case BindingKind::Semaphore: return "semaphore";
  }
  return {};
}

std::span<const Cb0Field> cb0_fields() { return kCb0; }
std::span<const ArgumentRule> argument_rules() { return kRules; }
std::span<const ImageConstantField> image_constant_fields() { return kImageConstants; }
std::span<const ClName> channel_orders() { return kOrders; }
std::span<const ClName> channel_types() { return kTypes; }
std::span<const SamplerField> sampler_fields() { return kSampler; }

const ArgumentRule* find_argument_rule(const Argument& argument) {
  static constexpr RuleOfKind kRows = {&kRules[kScalarRule],
                                       &kRules[kPointerRule],
                                       &kRules[kLocalRule],
                                       &kRules[kPointerRule],
                                       &kRules[kUnwrittenPointerRule],
                                       &kRules[kUnwrittenPointerRule],
                                       &kRules[kImageRule],
                                       &kRules[kSamplerRule],
                                       &kRules[kCounterRule],
                                       &kRules[kSemaphoreRule],
                                       nullptr,
                                       nullptr,
                                       nullptr};
  if (const auto* const value = std::get_if<ByValue>(&argument.kind)) {
    if (is_no_value(value->type)) return nullptr;
    if (value->type == ScalarType::Struct || value->type == ScalarType::Union) return &kRules[kStructRule];
    if (value->type == ScalarType::I1) return &kRules[kBoolRule];
    if (value->elements == 0 || value->elements > 16) return nullptr;
    if (value->elements > 4 && scalar_size(value->type) < 4) return &kRules[kSmallVectorRule];
    return &kRules[value->elements == 1 ? kScalarRule : kVectorRule];
  }
  if (const auto* const constant = std::get_if<ConstantPointer>(&argument.kind))
    if (constant->memory == MemoryKind::HardwareConstant) return &kRules[kHardwareConstantRule];
  if (const auto* const local = std::get_if<LocalPointer>(&argument.kind))
    if (local->memory != MemoryKind::HardwareLocal) return &kRules[kUnwrittenPointerRule];
  return kRows[argument.kind.index()];
}

}  // namespace amdcompat::abi
