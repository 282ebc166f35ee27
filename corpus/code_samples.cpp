// Encodings as llvm-mc prints them; a test assembles what our disassembler makes of them again.
#include "code_samples.hpp"
#include <cl1_builder.hpp>

#include <stdexcept>

#include <amdcompat/device.hpp>

namespace corpus {
namespace {

using namespace amdcompat;

// clang-format off
// UAV table in s[2:3], constant buffer 0 in s[4:7], constant buffer 1 in s[8:11], the work-group's id in s12: what
// AMD's compiler made of most kernels.
constexpr std::uint32_t kScale32[] = {
    0xc2000504,  // s_buffer_load_dword s0, s[4:7], 0x4
    0xc2008518,  // s_buffer_load_dword s1, s[4:7], 0x18
    0xc0880360,  // s_load_dwordx4 s[16:19], s[2:3], 0x60
    0xc20a0900,  // s_buffer_load_dword s20, s[8:11], 0x0
    0xc20a8904,  // s_buffer_load_dword s21, s[8:11], 0x4
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x9300000c,  // s_mul_i32 s0, s12, s0
    0x80000100,  // s_add_u32 s0, s0, s1
    0x4a000000,  // v_add_i32 v0, vcc, s0, v0
    0x34000082,  // v_lshlrev_b32 v0, 2, v0
    0x4a000014,  // v_add_i32 v0, vcc, s20, v0
    0xe0301000, 0x80040100,  // buffer_load_dword v1, v0, s[16:19], 0 offen
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0xd2d60001, 0x00002b01,  // v_mul_lo_i32 v1, v1, s21
    0xe0701000, 0x80040100,  // buffer_store_dword v1, v0, s[16:19], 0 offen
    0xbf810000,  // s_endpgm
};
// The factor is a constant of the program, the second word of constant buffer 2.
constexpr std::uint32_t kTable32[] = {
    0xc2000504,  // s_buffer_load_dword s0, s[4:7], 0x4
    0xc2008518,  // s_buffer_load_dword s1, s[4:7], 0x18
    0xc08a0360,  // s_load_dwordx4 s[20:23], s[2:3], 0x60
    0xc20c0900,  // s_buffer_load_dword s24, s[8:11], 0x0
    0xc2088d01,  // s_buffer_load_dword s17, s[12:15], 0x1
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x93000010,  // s_mul_i32 s0, s16, s0
    0x80000100,  // s_add_u32 s0, s0, s1
    0x4a000000,  // v_add_i32 v0, vcc, s0, v0
    0x34000082,  // v_lshlrev_b32 v0, 2, v0
    0x4a000018,  // v_add_i32 v0, vcc, s24, v0
    0xe0301000, 0x80050100,  // buffer_load_dword v1, v0, s[20:23], 0 offen
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0xd2d60001, 0x00002301,  // v_mul_lo_i32 v1, v1, s17
    0xe0701000, 0x80050100,  // buffer_store_dword v1, v0, s[20:23], 0 offen
    0xbf810000,  // s_endpgm
};
constexpr std::uint32_t kScale64[] = {
    0xc2000504,  // s_buffer_load_dword s0, s[4:7], 0x4
    0xc2008518,  // s_buffer_load_dword s1, s[4:7], 0x18
    0xc0880360,  // s_load_dwordx4 s[16:19], s[2:3], 0x60
    0xc24a0900,  // s_buffer_load_dwordx2 s[20:21], s[8:11], 0x0
    0xc20b0904,  // s_buffer_load_dword s22, s[8:11], 0x4
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x9300000c,  // s_mul_i32 s0, s12, s0
    0x80000100,  // s_add_u32 s0, s0, s1
    0x4a000000,  // v_add_i32 v0, vcc, s0, v0
    0x7e020280,  // v_mov_b32 v1, 0
    0xd2c20000, 0x00010500,  // v_lshl_b64 v[0:1], v[0:1], 2
    0x7e040215,  // v_mov_b32 v2, s21
    0x4a000014,  // v_add_i32 v0, vcc, s20, v0
    0x50020302,  // v_addc_u32 v1, vcc, v2, v1, vcc
    0xe0308000, 0x80040200,  // buffer_load_dword v2, v[0:1], s[16:19], 0 addr64
    0xbf8c0f70,  // s_waitcnt vmcnt(0)
    0xd2d60002, 0x00002d02,  // v_mul_lo_i32 v2, v2, s22
    0xe0708000, 0x80040200,  // buffer_store_dword v2, v[0:1], s[16:19], 0 addr64
    0xbf810000,  // s_endpgm
};
// Dispatch packet in s[4:5], argument block in s[6:7], the work-group's id in s8.
constexpr std::uint32_t kAxpy[] = {
    0xc0020002, 0x00000004,  // s_load_dword s0, s[4:5], 0x4
    0xc0060283, 0x00000000,  // s_load_dwordx2 s[10:11], s[6:7], 0x0
    0xc00a0303, 0x00000030,  // s_load_dwordx4 s[12:15], s[6:7], 0x30
    0xc0060403, 0x00000040,  // s_load_dwordx2 s[16:17], s[6:7], 0x40
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x8600ff00, 0x0000ffff,  // s_and_b32 s0, s0, 0xffff
    0x92000800,  // s_mul_i32 s0, s0, s8
    0x80000a00,  // s_add_u32 s0, s0, s10
    0x32000000,  // v_add_u32 v0, vcc, s0, v0
    0x7d980011,  // v_cmp_gt_u32 vcc, s17, v0
    0xbe92206a,  // s_and_saveexec_b64 s[18:19], vcc
    0xbf880011,  // s_cbranch_execz, to the end
    0x7e020280,  // v_mov_b32 v1, 0
    0xd28f0000, 0x00020082,  // v_lshlrev_b64 v[0:1], 2, v[0:1]
    0x7e06020f,  // v_mov_b32 v3, s15
    0x3204000e,  // v_add_u32 v2, vcc, s14, v0
    0x38060303,  // v_addc_u32 v3, vcc, v3, v1, vcc
    0xdc500000, 0x02000002,  // flat_load_dword v2, v[2:3]
    0x7e0a020d,  // v_mov_b32 v5, s13
    0x3208000c,  // v_add_u32 v4, vcc, s12, v0
    0x380a0305,  // v_addc_u32 v5, vcc, v5, v1, vcc
    0xdc500000, 0x06000004,  // flat_load_dword v6, v[4:5]
    0xbf8c0070,  // s_waitcnt vmcnt(0) lgkmcnt(0)
    0x2c0c0410,  // v_mac_f32 v6, s16, v2
    0xdc700000, 0x00000604,  // flat_store_dword v[4:5], v6
    0xbf810000,  // s_endpgm
};
constexpr std::uint32_t kHistogram[] = {
    0xc0060003, 0x00000000,  // s_load_dwordx2 s[0:1], s[6:7], 0x0
    0xc00a0303, 0x00000030,  // s_load_dwordx4 s[12:15], s[6:7], 0x30
    0xc0020403, 0x00000040,  // s_load_dword s16, s[6:7], 0x40
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x8e028608,  // s_lshl_b32 s2, s8, 6
    0x80020002,  // s_add_u32 s2, s2, s0
    0x24020082,  // v_lshlrev_b32 v1, 2, v0
    0x32020210,  // v_add_u32 v1, vcc, s16, v1
    0x7e040280,  // v_mov_b32 v2, 0
    0xbefc00c1,  // s_mov_b32 m0, -1
    0xd81a0000, 0x00000201,  // ds_write_b32 v1, v2
    0x32060002,  // v_add_u32 v3, vcc, s2, v0
    0x7e080280,  // v_mov_b32 v4, 0
    0xd28f0003, 0x00020682,  // v_lshlrev_b64 v[3:4], 2, v[3:4]
    0x7e0a020f,  // v_mov_b32 v5, s15
    0x3206060e,  // v_add_u32 v3, vcc, s14, v3
    0x38080905,  // v_addc_u32 v4, vcc, v5, v4, vcc
    0xdc500000, 0x03000003,  // flat_load_dword v3, v[3:4]
    0xbf8c0070,  // s_waitcnt vmcnt(0) lgkmcnt(0)
    0xbf8a0000,  // s_barrier
    0x260606bf,  // v_and_b32 v3, 63, v3
    0x24060682,  // v_lshlrev_b32 v3, 2, v3
    0x32060610,  // v_add_u32 v3, vcc, s16, v3
    0x7e080281,  // v_mov_b32 v4, 1
    0xd8000000, 0x00000403,  // ds_add_u32 v3, v4
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xbf8a0000,  // s_barrier
    0xd86c0000, 0x03000001,  // ds_read_b32 v3, v1
    0x24000082,  // v_lshlrev_b32 v0, 2, v0
    0x7e0a020d,  // v_mov_b32 v5, s13
    0x3208000c,  // v_add_u32 v4, vcc, s12, v0
    0x380a0a80,  // v_addc_u32 v5, vcc, 0, v5, vcc
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0xdd080000, 0x00000304,  // flat_atomic_add v[4:5], v3
    0xbf810000,  // s_endpgm
};
// Argument block in s[4:5], the work-group's id in s6.
constexpr std::uint32_t kReverse[] = {
    0xc0440500,  // s_load_dwordx2 s[8:9], s[4:5], 0x0
    0xc086050c,  // s_load_dwordx4 s[12:15], s[4:5], 0xc
    0xc0080510,  // s_load_dword s16, s[4:5], 0x10
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x8f008606,  // s_lshl_b32 s0, s6, 6
    0x80000800,  // s_add_u32 s0, s0, s8
    0x4a000000,  // v_add_i32 v0, vcc, s0, v0
    0x7d880010,  // v_cmp_gt_u32 vcc, s16, v0
    0xbe92246a,  // s_and_saveexec_b64 s[18:19], vcc
    0xbf880012,  // s_cbranch_execz, to the end
    0x7e020280,  // v_mov_b32 v1, 0
    0xd2c20002, 0x00010500,  // v_lshl_b64 v[2:3], v[0:1], 2
    0x7e08020f,  // v_mov_b32 v4, s15
    0x4a04040e,  // v_add_i32 v2, vcc, s14, v2
    0x50060704,  // v_addc_u32 v3, vcc, v4, v3, vcc
    0xdc300000, 0x04000002,  // flat_load_dword v4, v[2:3]
    0x4c000010,  // v_sub_i32 v0, vcc, s16, v0
    0x4a0000c1,  // v_add_i32 v0, vcc, -1, v0
    0xd2c20000, 0x00010500,  // v_lshl_b64 v[0:1], v[0:1], 2
    0x7e06020d,  // v_mov_b32 v3, s13
    0x4a00000c,  // v_add_i32 v0, vcc, s12, v0
    0x50020303,  // v_addc_u32 v1, vcc, v3, v1, vcc
    0xbf8c0070,  // s_waitcnt vmcnt(0) lgkmcnt(0)
    0xdc700000, 0x00000400,  // flat_store_dword v[0:1], v4
    0xbf810000,  // s_endpgm
};
// clang-format on

cl1::EncodingSpec encoding(std::span<const std::uint32_t> code, std::uint32_t machine) {
  cl1::EncodingSpec out;
  out.machine = machine;
  // User data: class, slot, first register, registers.
  out.program_info = {{0x80001000, 3},    {0x80001001, 0x17}, {0x80001002, 0}, {0x80001003, 2}, {0x80001004, 2},
                      {0x80001005, 0x02}, {0x80001006, 0},    {0x80001007, 4}, {0x80001008, 4}, {0x80001009, 0x02},
                      {0x8000100a, 1},    {0x8000100b, 8},    {0x8000100c, 4}, {0x80001041, 3}, {0x80001042, 25},
                      {0x80001043, 0xc0}, {0x80001044, 0},    {0x80001045, 0}, {0x2e13, 0x98},  {0x80000078, 64},
                      {0x80000082, 0}};
  // One UAV, 12, and the constant buffers 0 and 1.
  out.notes = {{16, {12, 4, 0, 5}}, {10, {0, 0, 1, 0}}};
  const auto bytes = std::as_bytes(code);
  out.text.assign(bytes.begin(), bytes.end());
  return out;
}

constexpr std::string_view kHead =
    ";ARGSTART:__OpenCL_scale_kernel\n;version:3:1:111\n;device:pitcairn\n;uniqueid:1024\n;memory:uavprivate:0\n"
    ";memory:hwlocal:0\n;memory:hwregion:0\n";
constexpr std::string_view kTail =
    ";pointer:data:u32:1:1:0:uav:12:4:RW:0:0\n;value:factor:u32:1:1:16\n;function:1:1025\n;uavid:11\n"
    ";printfid:9\n;cbid:10\n;privateid:8\n;reflection:0:uint*\n;reflection:1:uint\n"
    ";ARGEND:__OpenCL_scale_kernel\n";

}  // namespace

Cl1Code scale_32() {
  return {"pitcairn-scale.clo", "pitcairn", encoding(kScale32, 0x1b), std::string(kHead) + std::string(kTail)};
}

Cl1Code table_32() {
  Cl1Code out = scale_32();
  out.file = "pitcairn-table.clo";
  out.encoding = encoding(kTable32, 0x1b);
  const cl1::ProgramInfoEntry more[] = {{0x80001000, 4},  {0x8000100d, 0x02}, {0x8000100e, 2},
                                        {0x8000100f, 12}, {0x80001010, 4},    {0x2e13, 0xa0}};
  auto& info = out.encoding.program_info;
  for (const auto& entry : more) {
    std::erase_if(info, [&](const auto& other) { return other.address == entry.address; });
    info.push_back(entry);
  }
  out.encoding.notes = {{16, {12, 4, 0, 5}}, {10, {0, 0, 1, 0, 2, 0}}};
  for (const std::string_view line : {";value:factor:u32:1:1:16\n", ";reflection:1:uint\n"})
    out.metadata.erase(out.metadata.find(line), line.size());
  out.metadata.insert(out.metadata.find(";function:"), ";memory:datareqd\n");
  for (const std::uint32_t word : {3u, 5u, 7u, 11u})
    for (std::uint32_t n = 0; n < 32; n += 8) out.constants.push_back(static_cast<std::byte>(word >> n & 255));
  return out;
}

Cl1Code scale_64() {
  std::string metadata(kHead);  // one sum of strings makes g++ 12 at -O1 warn of an overflow that is none
  metadata += ";memory:64bitABI\n";
  metadata += kTail;
  return {"pitcairn-scale-64.clo", "pitcairn", encoding(kScale64, 0x1b), std::move(metadata)};
}

cl1::ContainerSpec container_of(const Cl1Code& code) {
  const bool wide = code.metadata.find(";memory:64bitABI") != std::string::npos;
  cl1::ContainerSpec spec;
  if (wide) spec.elf_bits = AddressBits::Bits64;
  spec.machine = find_device(code.device)->e_machine;
  spec.driver = "@(#) OpenCL 1.2 AMD-APP (1702.3).  Driver version: 1702.3 (VM)";
  if (!code.constants.empty()) spec.globals.push_back({2, code.constants});
  cl1::KernelSpec& kernel = spec.kernels.emplace_back();
  kernel.name = "scale";
  kernel.metadata = code.metadata;
  kernel.header.emplace().flags = wide ? cl1::kHeader64BitAbi : 0;
  auto image = cl1::build_cal_image(std::span(&code.encoding, 1));
  if (!image) throw std::runtime_error(code.file + ": " + image.error().message);
  kernel.image = std::move(*image);
  return spec;
}

std::vector<Cl1Code> cl1_code_samples() { return {scale_32(), scale_64()}; }

std::span<const std::uint32_t> axpy_code() { return kAxpy; }
std::span<const std::uint32_t> histogram_code() { return kHistogram; }
std::span<const std::uint32_t> reverse_code() { return kReverse; }

}  // namespace corpus
