// A kernel of our own that can be converted in place and proved.
#pragma once

#include <cstdint>
#include <vector>

#include <amdcompat/cl1.hpp>

namespace corpus {

// data[i] *= factor for Pitcairn: UAV table in s[2:3], constant buffer 0 in s[4:7], constant buffer 1 in s[8:11], the
// work-group's id in s12.
inline constexpr std::uint32_t kScale[] = {
    // clang-format off
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
    // clang-format on
};

// Program information of that code: registers, user data, work-group.
inline std::vector<amdcompat::cl1::ProgramInfoEntry> scale_information() {
  return {{0x80001000, 3},    {0x80001001, 0x17}, {0x80001002, 0}, {0x80001003, 2}, {0x80001004, 2},
          {0x80001005, 0x02}, {0x80001006, 0},    {0x80001007, 4}, {0x80001008, 4}, {0x80001009, 0x02},
          {0x8000100a, 1},    {0x8000100b, 8},    {0x8000100c, 4}, {0x80001041, 2}, {0x80001042, 24},
          {0x80001043, 0xc0}, {0x80001044, 0},    {0x80001045, 0}, {0x2e13, 0x98},  {0x80000078, 64},
          {0x80000082, 0}};
}

}  // namespace corpus
