// Kernel descriptors: the table of their bits, their bytes, and what `amd_kernel_code_t` makes of them.
//
// The table is that of LLVM's documentation [LU «compute_pgm_rsrc1» to «kernel code properties»]; [S1] has its gfx6 to
// gfx9 part. Rows that stand in the old structure too say what becomes of them; [S2] says what they meant there.
#include <amdcompat/code_object.hpp>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <amdcompat/cl2.hpp>

namespace amdcompat::hsa {
namespace {

using G = Generation;
using W = DescriptorWord;
using F = Fate;
using enum CodeObjectVersion;

constexpr std::string_view kS1 = "S1 «compute_pgm_rsrc»; S2; LU";
constexpr std::string_view kLu = "LU";
constexpr std::string_view kS2 = "S2 «amd_kernel_code_t»";
constexpr G kFirst = G::Gfx6, kLast = G::Gfx12;
// Of the kernel code properties: the user registers that hardware has had.
constexpr std::uint32_t kUserRegisterBits = 0x7f;
constexpr auto kSeparate = RegisterFile::Separate, kUnified = RegisterFile::Unified;

// clang-format off
constexpr KernelDescriptorField kFields[] = {
    {W::Rsrc1, 0, 6, "GRANULATED_WORKITEM_VGPR_COUNT", "", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc1, 6, 4, "GRANULATED_WAVEFRONT_SGPR_COUNT", "", kFirst, G::Gfx9, F::Copy, V3, kS1},
    {W::Rsrc1, 6, 4, "GRANULATED_WAVEFRONT_SGPR_COUNT", "", G::Gfx10_1, kLast, F::Elsewhere, V2, kLu},
    {W::Rsrc1, 10, 2, "PRIORITY", "", kFirst, kLast, F::Clear, V2, kS1},
    {W::Rsrc1, 12, 2, "FLOAT_ROUND_MODE_32", "float_round_mode_32", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc1, 14, 2, "FLOAT_ROUND_MODE_16_64", "float_round_mode_16_64", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc1, 16, 2, "FLOAT_DENORM_MODE_32", "float_denorm_mode_32", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc1, 18, 2, "FLOAT_DENORM_MODE_16_64", "float_denorm_mode_16_64", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc1, 20, 1, "PRIV", "", kFirst, kLast, F::Clear, V2, kS1},
    {W::Rsrc1, 21, 1, "ENABLE_DX10_CLAMP", "dx10_clamp", kFirst, G::Gfx11, F::Copy, V3, kS1},
    {W::Rsrc1, 21, 1, "ENABLE_WG_RR_EN", "round_robin_scheduling", G::Gfx12, kLast, F::NotThere, V3, kLu},
    {W::Rsrc1, 22, 1, "DEBUG_MODE", "", kFirst, kLast, F::Clear, V2, kS1},
    {W::Rsrc1, 23, 1, "ENABLE_IEEE_MODE", "ieee_mode", kFirst, G::Gfx11, F::Copy, V3, kS1},
    {W::Rsrc1, 24, 1, "BULKY", "", kFirst, kLast, F::Clear, V2, kS1},
    {W::Rsrc1, 25, 1, "CDBG_USER", "", kFirst, kLast, F::Clear, V2, kS1},
    {W::Rsrc1, 26, 1, "FP16_OVFL", "fp16_overflow", G::Gfx9, kLast, F::Copy, V3, kS1},
    {W::Rsrc1, 29, 1, "WGP_MODE", "workgroup_processor_mode", G::Gfx10_1, kLast, F::Copy, V3, kLu},
    {W::Rsrc1, 30, 1, "MEM_ORDERED", "memory_ordered", G::Gfx10_1, kLast, F::Copy, V3, kLu},
    {W::Rsrc1, 31, 1, "FWD_PROGRESS", "forward_progress", G::Gfx10_1, kLast, F::Copy, V3, kLu},

    {W::Rsrc2, 0, 1, "ENABLE_PRIVATE_SEGMENT", "system_sgpr_private_segment_wavefront_offset", kFirst, G::Gfx9, F::Copy, V3, kS1, kSeparate},
    {W::Rsrc2, 0, 1, "ENABLE_PRIVATE_SEGMENT", "system_sgpr_private_segment_wavefront_offset", G::Gfx9, G::Gfx9, F::NotThere, V3, kLu, kUnified},
    {W::Rsrc2, 0, 1, "ENABLE_PRIVATE_SEGMENT", "system_sgpr_private_segment_wavefront_offset", G::Gfx10_1, G::Gfx10_3, F::Copy, V3, kLu},
    {W::Rsrc2, 0, 1, "ENABLE_PRIVATE_SEGMENT", "enable_private_segment", G::Gfx11, kLast, F::Copy, V3, kLu},
    {W::Rsrc2, 1, 5, "USER_SGPR_COUNT", "user_sgpr_count", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc2, 6, 1, "ENABLE_TRAP_HANDLER", "", kFirst, kLast, F::Clear, V2, kS1},
    {W::Rsrc2, 7, 1, "ENABLE_SGPR_WORKGROUP_ID_X", "system_sgpr_workgroup_id_x", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc2, 8, 1, "ENABLE_SGPR_WORKGROUP_ID_Y", "system_sgpr_workgroup_id_y", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc2, 9, 1, "ENABLE_SGPR_WORKGROUP_ID_Z", "system_sgpr_workgroup_id_z", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc2, 10, 1, "ENABLE_SGPR_WORKGROUP_INFO", "system_sgpr_workgroup_info", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc2, 11, 2, "ENABLE_VGPR_WORKITEM_ID", "system_vgpr_workitem_id", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc2, 13, 1, "ENABLE_EXCEPTION_ADDRESS_WATCH", "", kFirst, kLast, F::Clear, V2, kS1},
    {W::Rsrc2, 14, 1, "ENABLE_EXCEPTION_MEMORY", "", kFirst, kLast, F::Clear, V2, kS1},
    {W::Rsrc2, 15, 9, "GRANULATED_LDS_SIZE", "", kFirst, kLast, F::Clear, V2, kS1},
    {W::Rsrc2, 24, 1, "ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION", "exception_fp_ieee_invalid_op", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc2, 25, 1, "ENABLE_EXCEPTION_FP_DENORMAL_SOURCE", "exception_fp_denorm_src", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc2, 26, 1, "ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO", "exception_fp_ieee_div_zero", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc2, 27, 1, "ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW", "exception_fp_ieee_overflow", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc2, 28, 1, "ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW", "exception_fp_ieee_underflow", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc2, 29, 1, "ENABLE_EXCEPTION_IEEE_754_FP_INEXACT", "exception_fp_ieee_inexact", kFirst, kLast, F::Copy, V3, kS1},
    {W::Rsrc2, 30, 1, "ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO", "exception_int_div_zero", kFirst, kLast, F::Copy, V3, kS1},

    {W::Rsrc3, 0, 6, "ACCUM_OFFSET", "accum_offset", G::Gfx9, G::Gfx9, F::NotThere, V3, kLu, kUnified},
    {W::Rsrc3, 0, 4, "SHARED_VGPR_COUNT", "shared_vgpr_count", G::Gfx10_1, G::Gfx11, F::NotThere, V3, kLu},
    {W::Rsrc3, 4, 6, "INST_PREF_SIZE", "", G::Gfx11, G::Gfx11, F::NotThere, V3, kLu},
    {W::Rsrc3, 4, 8, "INST_PREF_SIZE", "", G::Gfx12, kLast, F::NotThere, V3, kLu},
    {W::Rsrc3, 10, 1, "TRAP_ON_START", "", G::Gfx11, G::Gfx11, F::NotThere, V3, kLu},
    {W::Rsrc3, 11, 1, "TRAP_ON_END", "", G::Gfx11, G::Gfx11, F::NotThere, V3, kLu},
    {W::Rsrc3, 13, 1, "GLG_EN", "", G::Gfx12, kLast, F::NotThere, V3, kLu},
    {W::Rsrc3, 16, 1, "TG_SPLIT", "tg_split", G::Gfx9, G::Gfx9, F::NotThere, V3, kLu, kUnified},
    {W::Rsrc3, 31, 1, "IMAGE_OP", "", G::Gfx11, kLast, F::NotThere, V3, kLu},

    {W::Properties, 0, 1, "ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER", "user_sgpr_private_segment_buffer", kFirst, G::Gfx10_3, F::Copy, V3, kS1},
    {W::Properties, 1, 1, "ENABLE_SGPR_DISPATCH_PTR", "user_sgpr_dispatch_ptr", kFirst, kLast, F::Copy, V3, kS1},
    {W::Properties, 2, 1, "ENABLE_SGPR_QUEUE_PTR", "user_sgpr_queue_ptr", kFirst, kLast, F::Copy, V3, kS1},
    {W::Properties, 3, 1, "ENABLE_SGPR_KERNARG_SEGMENT_PTR", "user_sgpr_kernarg_segment_ptr", kFirst, kLast, F::Copy, V3, kS1},
    {W::Properties, 4, 1, "ENABLE_SGPR_DISPATCH_ID", "user_sgpr_dispatch_id", kFirst, kLast, F::Copy, V3, kS1},
    {W::Properties, 5, 1, "ENABLE_SGPR_FLAT_SCRATCH_INIT", "user_sgpr_flat_scratch_init", kFirst, G::Gfx10_3, F::Copy, V3, kS1},
    {W::Properties, 6, 1, "ENABLE_SGPR_PRIVATE_SEGMENT_SIZE", "user_sgpr_private_segment_size", kFirst, kLast, F::Copy, V3, kS1},
    {W::Properties, 7, 1, "ENABLE_SGPR_GRID_WORKGROUP_COUNT_X", "", kFirst, kLast, F::Refuse, V2, kS2},
    {W::Properties, 8, 1, "ENABLE_SGPR_GRID_WORKGROUP_COUNT_Y", "", kFirst, kLast, F::Refuse, V2, kS2},
    {W::Properties, 9, 1, "ENABLE_SGPR_GRID_WORKGROUP_COUNT_Z", "", kFirst, kLast, F::Refuse, V2, kS2},
    {W::Properties, 10, 1, "ENABLE_WAVEFRONT_SIZE32", "wavefront_size32", G::Gfx10_1, kLast, F::Copy, V3, kLu},
    {W::Properties, 11, 1, "USES_DYNAMIC_STACK", "uses_dynamic_stack", kFirst, kLast, F::NotThere, V5, kLu},

    {W::Preload, 0, 7, "KERNARG_PRELOAD_SPEC_LENGTH", "user_sgpr_kernarg_preload_length", G::Gfx9, G::Gfx9, F::NotThere, V3, kLu, kUnified},
    {W::Preload, 7, 9, "KERNARG_PRELOAD_SPEC_OFFSET", "user_sgpr_kernarg_preload_offset", G::Gfx9, G::Gfx9, F::NotThere, V3, kLu, kUnified},

    {W::Features, 0, 1, "ENABLE_ORDERED_APPEND_GDS", "", kFirst, kLast, F::Refuse, V2, kS2},
    {W::Features, 1, 2, "PRIVATE_ELEMENT_SIZE", "", kFirst, kLast, F::Elsewhere, V2, kS2},
    {W::Features, 3, 1, "IS_PTR64", "", kFirst, kLast, F::Elsewhere, V2, kS2},
    {W::Features, 4, 1, "IS_DYNAMIC_CALL_STACK", "", kFirst, kLast, F::Elsewhere, V2, kS2},
    {W::Features, 5, 1, "IS_DEBUG_ENABLED", "", kFirst, kLast, F::Clear, V2, kS2},
    {W::Features, 6, 1, "IS_XNACK_ENABLED", "", kFirst, kLast, F::Elsewhere, V2, kS2},
};
// clang-format on

// Rows are in order, and on no target do two rows claim a bit.
constexpr bool rows_are_ordered_and_disjoint() {
  for (std::size_t i = 0; i < std::size(kFields); ++i) {
    const KernelDescriptorField& a = kFields[i];
    const unsigned bits = a.word == W::Rsrc1 || a.word == W::Rsrc2 || a.word == W::Rsrc3 ? 32 : 16;
    if (a.width == 0 || a.bit + a.width > bits || a.first > a.last) return false;
    for (std::size_t k = i + 1; k < std::size(kFields); ++k) {
      const KernelDescriptorField& b = kFields[k];
      if (b.word < a.word || (b.word == a.word && b.bit < a.bit)) return false;
      const bool apart =
          a.registers != b.registers && a.registers != RegisterFile::Any && b.registers != RegisterFile::Any;
      const bool together = a.word == b.word && a.first <= b.last && b.first <= a.last && !apart;
      if (together && b.bit < a.bit + a.width) return false;
    }
  }
  return true;
}
static_assert(rows_are_ordered_and_disjoint());

constexpr std::uint32_t mask_of(const KernelDescriptorField& field) {
  return static_cast<std::uint32_t>(((std::uint64_t{1} << field.width) - 1) << field.bit);
}

// The one description of the bytes: reader and writer follow it.
template <class Visitor, class Descriptor>
void walk(Visitor&& v, Descriptor& d) {
  v(d.group_segment_fixed_size);
  v(d.private_segment_fixed_size);
  v(d.kernarg_size);
  v(d.reserved0);
  v(d.entry_offset);
  v(d.reserved1);
  v(d.rsrc3);
  v(d.rsrc1);
  v(d.rsrc2);
  v(d.properties);
  v(d.preload);
  v(d.reserved3);
}

struct Reader {
  std::span<const std::byte, kDescriptorBytes> bytes;
  std::size_t at = 0;
  template <std::integral T>
  void operator()(T& value) {
    std::uint64_t bits = 0;
    for (std::size_t i = sizeof(T); i-- > 0;) bits = bits << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
    value = static_cast<T>(bits);
    at += sizeof(T);
  }
  template <std::size_t N>
  void operator()(std::array<std::byte, N>& value) {
    std::ranges::copy(bytes.subspan(at, N), value.begin());
    at += N;
  }
};

struct Writer {
  std::array<std::byte, kDescriptorBytes> bytes{};
  std::size_t at = 0;
  template <std::integral T>
  void operator()(const T& value) {
    auto bits = static_cast<std::uint64_t>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i, bits >>= 8) bytes[at + i] = static_cast<std::byte>(bits & 0xff);
    at += sizeof(T);
  }
  template <std::size_t N>
  void operator()(const std::array<std::byte, N>& value) {
    std::ranges::copy(value, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    at += N;
  }
};

// The word of a descriptor; null for Features.
template <class Descriptor, class Function>
void with_word(Descriptor& descriptor, W word, Function function) {
  switch (word) {
    case W::Rsrc1: function(descriptor.rsrc1); break;
    case W::Rsrc2: function(descriptor.rsrc2); break;
    case W::Rsrc3: function(descriptor.rsrc3); break;
    case W::Properties: function(descriptor.properties); break;
    case W::Preload: function(descriptor.preload); break;
    case W::Features: break;
  }
}

// The word of the old structure; 0 for those it does not have.
std::uint32_t legacy_word(const KernelCode& code, W word) {
  switch (word) {
    case W::Rsrc1: return code.rsrc1;
    case W::Rsrc2: return code.rsrc2;
    case W::Properties: return code.user_registers;
    case W::Features: return code.features;
    case W::Rsrc3:
    case W::Preload: break;
  }
  return 0;
}

}  // namespace

std::string_view descriptor_group(const Target& target) {
  constexpr std::string_view kNames[] = {"gfx6", "gfx7", "gfx8", "gfx9", "gfx10", "gfx10", "gfx11", "gfx12"};
  if (!target.generation) return {};
  return target.unified_registers ? "gfx90a" : kNames[static_cast<std::size_t>(*target.generation)];
}

bool has_field(const Target& target, const KernelDescriptorField& field) {
  const RegisterFile file = target.unified_registers ? RegisterFile::Unified : RegisterFile::Separate;
  return target.generation && field.first <= *target.generation && *target.generation <= field.last &&
         (field.registers == RegisterFile::Any || field.registers == file);
}

std::string_view word_name(DescriptorWord word) {
  constexpr std::string_view kNames[] = {"compute_pgm_rsrc1",      "compute_pgm_rsrc2", "compute_pgm_rsrc3",
                                         "kernel_code_properties", "kernarg_preload",   "code_properties"};
  return kNames[static_cast<std::size_t>(word)];
}

KernelDescriptor read_descriptor(std::span<const std::byte, kDescriptorBytes> bytes) {
  KernelDescriptor descriptor;
  walk(Reader{bytes}, descriptor);
  return descriptor;
}

std::array<std::byte, kDescriptorBytes> write_descriptor(const KernelDescriptor& descriptor) {
  Writer writer;
  walk(writer, descriptor);
  return writer.bytes;
}

std::span<const KernelDescriptorField> kernel_descriptor_fields() { return kFields; }

const KernelDescriptorField* find_field(DescriptorWord word, unsigned bit, const Target& target) {
  for (const KernelDescriptorField& field : kFields)
    if (field.word == word && bit >= field.bit && bit < unsigned{field.bit} + field.width && has_field(target, field))
      return &field;
  return nullptr;
}

std::uint32_t field_value(const KernelDescriptor& descriptor, const KernelDescriptorField& field) {
  std::uint32_t value = 0;
  with_word(descriptor, field.word, [&](const auto& word) { value = (word & mask_of(field)) >> field.bit; });
  return value;
}

void set_field(KernelDescriptor& descriptor, const KernelDescriptorField& field, std::uint32_t value) {
  with_word(descriptor, field.word, [&]<class T>(T& word) {
    word = static_cast<T>((word & ~mask_of(field)) | (value << field.bit & mask_of(field)));
  });
}

std::uint32_t known_bits(DescriptorWord word, const Target& target, CodeObjectVersion version) {
  std::uint32_t bits = 0;
  for (const KernelDescriptorField& field : kFields)
    if (field.word == word && has_field(target, field) && field.since != V2 && field.since <= version)
      bits |= mask_of(field);
  return bits;
}

bool is_wave32(const KernelCode& code, const Target& target) {
  return target.generation >= G::Gfx10_1 && (code.user_registers & kPropertyWave32) != 0;
}

// Values that no compiler writes, or that today's loaders do not read. Real files hold some of each. [S2; LDR; BIN]
std::vector<std::string> unusual_fields(const KernelCode& code, const Target& target) {
  std::vector<std::string> out;
  if (code.version[0] != 1) out.push_back(fmt::format("amd_code_version_major {}: 1 is expected", code.version[0]));
  if ((code.features >> 1 & 3) != 1)
    out.push_back(fmt::format("private_element_size of {} bytes: compilers write 4", 2u << (code.features >> 1 & 3)));
  if ((code.features & kFeaturePtr64) == 0) out.emplace_back("is_ptr64 0: pointers of 32 bits");
  if (code.kernarg_align < 4 || code.kernarg_align > 12)
    out.push_back(
        fmt::format("kernarg_segment_alignment 2^{}: no alignment a runtime gives; 16 is used", code.kernarg_align));
  // What the dispatch acts on is the bit; this field only repeats it. [S2; LDR]
  const bool wave32 = is_wave32(code, target);
  if (code.wavefront != (wave32 ? 5 : 6))
    out.push_back(fmt::format("wavefront_size 2^{}: {} are used", code.wavefront, wave32 ? 32 : 64));
  return out;
}

std::optional<std::string> user_register_words(const KernelCode& code) {
  const std::uint32_t count = code.rsrc2 >> 1 & 31, sum = cl2::user_register_count(code.user_registers);
  if (sum == count) return std::nullopt;
  return fmt::format("{} user registers enabled, {} counted; the count is kept", sum, count);
}

RegisterLimits register_limits(std::uint32_t rsrc1, const Target& target, bool wave32) {
  // Granules of vector registers: 4 of 64 lanes; 8 of 32 lanes, and on gfx90a, whose file is unified. [LU]
  const std::uint32_t granule = target.unified_registers || (target.generation >= G::Gfx10_1 && wave32) ? 8 : 4;
  const std::uint32_t vgprs = ((rsrc1 & 63) + 1) * granule;
  const std::uint32_t sgprs = target.generation >= G::Gfx10_1 ? 0 : ((rsrc1 >> 6 & 15) + 1) * 8;
  return {vgprs, sgprs};
}

std::optional<KernelDescriptor> to_descriptor(const KernelCode& code, const Target& target, CodeObjectVersion version,
                                              Diagnostics& diagnostics, const std::string& path) {
  bool possible = true;
  KernelDescriptor out;
  out.group_segment_fixed_size = code.group_bytes;
  out.private_segment_fixed_size = code.private_bytes;
  // Descriptors of the first V3 compilers have 0 here, and so has one that no number of 32 bits fits. [LDR]
  out.kernarg_size = code.kernarg_bytes <= std::numeric_limits<std::uint32_t>::max()
                         ? static_cast<std::uint32_t>(code.kernarg_bytes)
                         : 0;
  for (const KernelDescriptorField& field : kFields) {
    if (!has_field(target, field)) continue;
    const std::uint32_t value = (legacy_word(code, field.word) & mask_of(field)) >> field.bit;
    if (value == 0) continue;
    const auto where = [&] { return fmt::format("{}.{}", path, word_name(field.word)); };
    switch (field.fate) {
      case F::Copy: set_field(out, field, value); break;
      case F::Clear:
        diagnostics.report(Code::KernelCodeBitDropped, {},
                           fmt::format("{} = {} is for the runtime to set: dropped", field.name, value), where());
        break;
      case F::Refuse:
        diagnostics.report(Code::KernelCodeRefused, {}, fmt::format("{} needs what no hardware does", field.name),
                           where());
        possible = false;
        break;
      case F::Elsewhere:
      case F::NotThere: break;
    }
  }
  for (const W word : {W::Rsrc1, W::Rsrc2, W::Properties, W::Features}) {
    std::uint32_t named = 0;
    for (const KernelDescriptorField& field : kFields)
      if (field.word == word && has_field(target, field) && field.fate != F::NotThere) named |= mask_of(field);
    const std::uint32_t rest = legacy_word(code, word) & ~named;
    if (word == W::Properties && (rest & kUserRegisterBits) != 0) {
      // Without them the registers behind would hold something else than the code reads.
      diagnostics.report(Code::KernelCodeRefused, {},
                         fmt::format("bits {:#x} ask for user registers that {} does not have",
                                     rest & kUserRegisterBits, descriptor_group(target)),
                         fmt::format("{}.{}", path, word_name(word)));
      possible = false;
    } else if (rest != 0) {
      diagnostics.report(Code::KernelCodeBitDropped, {}, fmt::format("reserved bits {:#x} are dropped", rest),
                         fmt::format("{}.{}", path, word_name(word)));
    }
  }
  if (code.gds_bytes != 0) {
    diagnostics.report(Code::KernelCodeRefused, {},
                       fmt::format("{} bytes of global data share; no descriptor can ask for them", code.gds_bytes),
                       path + ".gds_segment_byte_size");
    possible = false;
  }
  for (std::string& words : unusual_fields(code, target))
    diagnostics.report(Code::KernelCodeUnusual, {}, std::move(words), path);
  if (const auto words = user_register_words(code))
    diagnostics.report(Code::UserRegisterCount, {}, *words, path + ".compute_pgm_rsrc2");
  if ((code.features & kFeatureDynamicCallStack) != 0 && version >= V5) out.properties |= kPropertyDynamicStack;
  return possible ? std::optional(out) : std::nullopt;
}

Result<KernelCode> to_kernel_code(const KernelDescriptor& descriptor, const Target& target,
                                  const std::array<std::uint16_t, 3>& machine_version, std::uint16_t sgprs,
                                  std::uint16_t vgprs) {
  KernelCode code;
  code.version = {1, 2};
  code.machine_version = machine_version;
  code.private_bytes = descriptor.private_segment_fixed_size;
  code.group_bytes = descriptor.group_segment_fixed_size;
  code.kernarg_bytes = descriptor.kernarg_size;
  code.sgprs = sgprs;
  code.vgprs = vgprs;
  code.call_convention = 0xffffffff;
  code.features = 1 << 1 | kFeaturePtr64;
  if ((descriptor.properties & kPropertyWave32) != 0) code.wavefront = 5;
  if ((descriptor.properties & kPropertyDynamicStack) != 0) code.features |= kFeatureDynamicCallStack;
  for (const W word : {W::Rsrc1, W::Rsrc2, W::Rsrc3, W::Properties, W::Preload}) {
    std::uint32_t reserved = 0;
    with_word(descriptor, word, [&](const auto& bits) { reserved = bits & ~known_bits(word, target, V6); });
    if (reserved != 0)
      return std::unexpected(make_diagnostic(
          Code::KernelCodeRefused, {}, fmt::format("bits {:#x} are reserved on {}", reserved, descriptor_group(target)),
          std::string(word_name(word))));
  }
  for (const KernelDescriptorField& field : kFields) {
    if (!has_field(target, field)) continue;
    const std::uint32_t value = field_value(descriptor, field);
    const bool said = field.fate == F::Copy || (field.word == W::Properties && field.bit == 11);
    if (value != 0 && !said)
      return std::unexpected(
          make_diagnostic(Code::KernelCodeRefused, {},
                          fmt::format("amd_kernel_code_t has no {} on {}", field.name, descriptor_group(target)),
                          std::string(word_name(field.word))));
    const std::uint32_t bits = value << field.bit;
    if (field.fate != F::Copy) continue;
    if (field.word == W::Rsrc1) code.rsrc1 |= bits;
    if (field.word == W::Rsrc2) code.rsrc2 |= bits;
    if (field.word == W::Properties) code.user_registers = static_cast<std::uint16_t>(code.user_registers | bits);
  }
  return code;
}

}  // namespace amdcompat::hsa
