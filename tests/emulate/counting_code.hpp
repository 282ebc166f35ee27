// An OpenCL 1.x container whose code uses GDS, written by hand from the instruction manuals: no file that has such code
// was found. Where a runtime puts counters is taken as docs/emulate.md says, which is not verified.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code_samples.hpp"
#include <cl1_builder.hpp>

namespace amdcompat_test {

// data[i] = (number that counter 1 had, to which each work-item adds 1) | (that of counter 0, from which each takes 1)
// << 16. The range of GDS is in s12, the work-group's id in s13.
// clang-format off
inline constexpr std::uint32_t kCountCode[] = {
    0xbefc030c,  // s_mov_b32 m0, s12
    0xc2000504,  // s_buffer_load_dword s0, s[4:7], 0x4
    0xc2008518,  // s_buffer_load_dword s1, s[4:7], 0x18
    0xc0880360,  // s_load_dwordx4 s[16:19], s[2:3], 0x60
    0xc20a0900,  // s_buffer_load_dword s20, s[8:11], 0x0
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x9300000d,  // s_mul_i32 s0, s13, s0
    0x80000100,  // s_add_u32 s0, s0, s1
    0x4a000000,  // v_add_i32 v0, vcc, s0, v0
    0x34000082,  // v_lshlrev_b32 v0, 2, v0
    0x4a000014,  // v_add_i32 v0, vcc, s20, v0
    0xd8fa0004, 0x01000000,  // ds_append v1 offset:4 gds
    0xd8f60000, 0x02000000,  // ds_consume v2 gds
    0xbf8c007f,  // s_waitcnt lgkmcnt(0)
    0x34040490,  // v_lshlrev_b32 v2, 16, v2
    0x38020501,  // v_or_b32 v1, v1, v2
    0xe0701000, 0x80040100,  // buffer_store_dword v1, v0, s[16:19], 0 offen
    0xbf810000,  // s_endpgm
};
// clang-format on

inline constexpr std::string_view kCounters = ";counter:taken:32:0:1:16\n;counter:added:32:1:1:32\n";

// The sample `scale` with other code, and one more user register.
inline std::vector<std::byte> counting_container(std::span<const std::uint32_t> words, std::uint32_t data_class,
                                                 std::string_view arguments, std::string_view region = "0") {
  corpus::Cl1Code code = corpus::scale_32();
  const auto bytes = std::as_bytes(words);
  code.encoding.text.assign(bytes.begin(), bytes.end());
  const amdcompat::cl1::ProgramInfoEntry more[] = {{0x80001000, 4},  {0x8000100d, data_class}, {0x8000100e, 0},
                                                   {0x8000100f, 12}, {0x80001010, 1},          {0x80001041, 6},
                                                   {0x2e13, 0x9a}};
  auto& info = code.encoding.program_info;
  for (const auto& entry : more) {
    std::erase_if(info, [&](const auto& other) { return other.address == entry.address; });
    info.push_back(entry);
  }
  const auto replace = [&](std::string_view from, std::string_view to) {
    code.metadata.replace(code.metadata.find(from), from.size(), to);
  };
  replace(";value:factor:u32:1:1:16\n", arguments);
  replace(";reflection:1:uint\n", "");
  replace(";memory:hwregion:0", ";memory:hwregion:" + std::string(region));
  return amdcompat::cl1::build(corpus::container_of(code)).value();
}

}  // namespace amdcompat_test
