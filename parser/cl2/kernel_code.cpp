// `amd_kernel_code_t`, the 256 bytes in front of a kernel's machine code. [S2 amd_kernel_code_t; CODE; BIN]
#include <amdcompat/cl2.hpp>

#include <algorithm>
#include <bit>
#include <type_traits>

#include "bytes.hpp"

namespace amdcompat::cl2 {
namespace {

// The one description: reader, writer and table of offsets follow it. `Code` is const for writing.
template <class Visitor, class Code>
void walk(Visitor&& v, Code& code) {
  v("amd_code_version_major", code.version[0]);
  v("amd_code_version_minor", code.version[1]);
  v("amd_machine_kind", code.machine_kind);
  v("amd_machine_version_major", code.machine_version[0]);
  v("amd_machine_version_minor", code.machine_version[1]);
  v("amd_machine_version_stepping", code.machine_version[2]);
  v("kernel_code_entry_byte_offset", code.entry_offset);
  v("kernel_code_prefetch_byte_offset", code.prefetch_offset);
  v("kernel_code_prefetch_byte_size", code.prefetch_size);
  v("max_scratch_backing_memory_byte_size", code.max_scratch_backing);
  v("compute_pgm_rsrc1", code.rsrc1);
  v("compute_pgm_rsrc2", code.rsrc2);
  v("enable_sgpr", code.user_registers);
  v("features", code.features);
  v("workitem_private_segment_byte_size", code.private_bytes);
  v("workgroup_group_segment_byte_size", code.group_bytes);
  v("gds_segment_byte_size", code.gds_bytes);
  v("kernarg_segment_byte_size", code.kernarg_bytes);
  v("workgroup_fbarrier_count", code.fbarriers);
  v("wavefront_sgpr_count", code.sgprs);
  v("workitem_vgpr_count", code.vgprs);
  v("reserved_vgpr_first", code.reserved_vgpr_first);
  v("reserved_vgpr_count", code.reserved_vgpr_count);
  v("reserved_sgpr_first", code.reserved_sgpr_first);
  v("reserved_sgpr_count", code.reserved_sgpr_count);
  v("debug_wavefront_private_segment_offset_sgpr", code.debug_scratch_offset_sgpr);
  v("debug_private_segment_buffer_sgpr", code.debug_private_buffer_sgpr);
  v("kernarg_segment_alignment", code.kernarg_align);
  v("group_segment_alignment", code.group_align);
  v("private_segment_alignment", code.private_align);
  v("wavefront_size", code.wavefront);
  v("call_convention", code.call_convention);
  v("reserved", code.reserved);
  v("runtime_loader_kernel_symbol", code.loader_symbol);
  v("control_directives", code.control_directives);
}

struct ReadField {
  std::span<const std::byte> bytes;
  std::size_t at = 0;
  template <std::integral T>
  void operator()(std::string_view /*name*/, T& value) {
    value = static_cast<T>(elf::load<std::make_unsigned_t<T>>(bytes, at));
    at += sizeof(T);
  }
  template <std::size_t N>
  void operator()(std::string_view /*name*/, std::array<std::byte, N>& value) {
    std::ranges::copy(bytes.subspan(at, N), value.begin());
    at += N;
  }
};

struct WriteField {
  std::span<std::byte> bytes;
  std::size_t at = 0;
  template <std::integral T>
  void operator()(std::string_view /*name*/, const T& value) {
    elf::store(bytes, at, static_cast<std::make_unsigned_t<T>>(value));
    at += sizeof(T);
  }
  template <std::size_t N>
  void operator()(std::string_view /*name*/, const std::array<std::byte, N>& value) {
    std::ranges::copy(value, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    at += N;
  }
};

struct ListField {
  std::vector<KernelCodeField> fields;
  std::uint32_t at = 0;
  template <std::integral T>
  void operator()(std::string_view name, const T& value) {
    fields.push_back({name, at, sizeof(T), static_cast<std::uint64_t>(value)});
    at += sizeof(T);
  }
  template <std::size_t N>
  void operator()(std::string_view name, const std::array<std::byte, N>& /*value*/) {
    fields.push_back({name, at, N, 0});
    at += N;
  }
};

}  // namespace

KernelCode read_kernel_code(std::span<const std::byte, kKernelCodeBytes> bytes) {
  KernelCode code;
  walk(ReadField{bytes}, code);
  return code;
}

std::array<std::byte, kKernelCodeBytes> write_kernel_code(const KernelCode& code) {
  std::array<std::byte, kKernelCodeBytes> bytes{};
  walk(WriteField{bytes}, code);
  return bytes;
}

std::vector<KernelCodeField> kernel_code_fields(const KernelCode& code) {
  ListField list;
  walk(list, code);
  return std::move(list.fields);
}

}  // namespace amdcompat::cl2
