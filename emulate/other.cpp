// Instructions that are known and disassembled, but not run: images, exports, messages, and changes of hardware
// modes. Running one stops with its name. [SIA; CIA; VIA]
#include "opcode.hpp"

namespace amdcompat::emulate {
namespace {

using enum Format;

constexpr Semantics kThree{.destination = Shape::F32, .sources = {Shape::F32, Shape::F32, Shape::F32}};

// clang-format off
constexpr Row kRows[] = {
    {"s_getreg_b32", Sopk, {18, 18, 17}, {}},
    {"s_setreg_b32", Sopk, {19, 19, 18}, {}},
    {"s_setreg_imm32_b32", Sopk, {21, 21, 20}, {.literal = true}},
    {"s_rfe_b64", Sop1, {34, 34, 31}, {.sources = {Shape::B64}}},
    {"s_setvskip", Sopc, {16, 16, 16}, {.sources = {Shape::B32, Shape::B32}}},
    {"s_sethalt", Sopp, {13, 13, 13}, {}},
    {"s_sendmsg", Sopp, {16, 16, 16}, {}},
    {"s_sendmsghalt", Sopp, {17, 17, 17}, {}},
    {"s_trap", Sopp, {18, 18, 18}, {}},
    {"s_memtime", Smrd, {30, 30, 36}, {.destination = Shape::B64}},
    {"v_cubeid_f32", Vop3, {324, 324, 452}, kThree},
    {"v_cubesc_f32", Vop3, {325, 325, 453}, kThree},
    {"v_cubetc_f32", Vop3, {326, 326, 454}, kThree},
    {"v_cubema_f32", Vop3, {327, 327, 455}, kThree},
    {"v_mullit_f32", Vop3, {336, 336, kAbsent}, kThree},
    {"v_trig_preop_f64", Vop3, {372, 372, 658}, {.destination = Shape::F64, .sources = {Shape::F64, Shape::B32}}},
    {"ds_min_rtn_f32", Ds, {50, 50, 50}, {.destination = Shape::B32, .sources = {Shape::B32}}},
    {"ds_max_rtn_f32", Ds, {51, 51, 51}, {.destination = Shape::B32, .sources = {Shape::B32}}},
    {"ds_swizzle_b32", Ds, {53, 53, 61}, {.destination = Shape::B32}},
    {"ds_append", Ds, {62, 62, 190}, {.destination = Shape::B32}},
    {"ds_consume", Ds, {61, 61, 189}, {.destination = Shape::B32}},
    {"image_load", Mimg, {0, 0, 0}, {}},
    {"image_load_mip", Mimg, {1, 1, 1}, {}},
    {"image_store", Mimg, {8, 8, 8}, {}},
    {"image_store_mip", Mimg, {9, 9, 9}, {}},
    {"image_get_resinfo", Mimg, {14, 14, 14}, {}},
    {"image_sample", Mimg, {32, 32, 32}, {}},
    {"image_sample_l", Mimg, {36, 36, 36}, {}},
    {"image_sample_lz", Mimg, {39, 39, 39}, {}},
    {"image_sample_b", Mimg, {37, 37, 37}, {}},
    {"image_sample_d", Mimg, {34, 34, 34}, {}},
    {"image_get_lod", Mimg, {96, 96, 96}, {}},
    {"exp", Exp, {0, 0, 0}, {}},
};
// clang-format on

}  // namespace

std::span<const Row> other_rows() { return kRows; }

}  // namespace amdcompat::emulate
