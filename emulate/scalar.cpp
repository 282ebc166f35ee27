// Scalar instructions: SOP2, SOPK, SOP1, SOPC, SOPP. [SIA; CIA; VIA: instruction chapter, the section of each format]
#include "semantics.hpp"

namespace amdcompat::emulate {
namespace {

using enum Format;

// --- helpers -------------------------------------------------------------------------------------------------------

// Results that set SCC when they are not zero.
template <class F, class T>
consteval Semantics logic_unary(T (*)(T)) {
  return scalar([](Scc scc, T a) -> T {
    const T r = F{}(a);
    scc = r != 0;
    return r;
  });
}
template <class F, class T>
consteval Semantics logic_binary(T (*)(T, T)) {
  return scalar([](Scc scc, T a, T b) -> T {
    const T r = F{}(a, b);
    scc = r != 0;
    return r;
  });
}
template <class F>
consteval Semantics logic1(F f) {
  return logic_unary<F>(+f);
}
template <class F>
consteval Semantics logic2(F f) {
  return logic_binary<F>(+f);
}

// D = EXEC, EXEC = F(source, EXEC), SCC = EXEC != 0.
template <class F>
consteval Semantics saveexec(F) {
  return {.execute =
              [](Wave& wave, const Instruction& i) {
                const u64 source = wave.source64(i, i.sources[0], false);
                const u64 old = wave.exec();
                wave.set_sgpr64(i.destination, old);
                wave.set_exec(F{}(source, old));
                wave.set_scc(wave.exec() != 0);
              },
          .destination = Shape::B64,
          .sources = {Shape::B64}};
}

// The destination field is an operand too; the other one is the immediate.
template <class F>
consteval Semantics with_immediate(F) {
  return {.execute = [](Wave& wave, const Instruction& i) { F{}(wave, i.destination, i.immediate); },
          .destination = Shape::B32};
}

template <class F>
consteval Semantics program(F f) {
  return {.execute = +f};
}
template <class F>
consteval Semantics branch(F) {
  return program([](Wave& wave, const Instruction& i) {
    if (F{}(wave)) wave.jump(static_cast<u64>(i64{wave.pc()} + i64{i.immediate} * 4));
  });
}
constexpr Semantics kNothing = program([](Wave&, const Instruction&) {});

constexpr u32 field_offset(u32 s) { return s & 31; }
constexpr u32 field_width(u32 s) { return s >> 16 & 0x7f; }

template <class T>
T bit_reverse(T value) {
  T out = 0;
  for (u32 n = 0; n < sizeof(T) * 8; ++n) out |= (value >> n & 1) << (sizeof(T) * 8 - 1 - n);
  return out;
}
// Each group of four bits becomes one: whether any is set. And the reverse use in s_wqm: all four are.
template <class T>
T quads(T value, bool whole) {
  T out = 0;
  for (u32 n = 0; n < sizeof(T) * 8; n += 4)
    if ((value >> n & 15) != 0) out |= whole ? T{15} << n : T{1} << (n / 4);
  return out;
}
// Bits that repeat the sign below the top one; -1 when there are no others.
template <class T>
u32 sign_run(T value) {
  const T magnitude = value < 0 ? static_cast<T>(~value) : value;
  if (magnitude == 0) return ~u32{0};
  return static_cast<u32>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(magnitude)));
}
template <class T>
u32 first_bit(T value, bool from_left) {
  if (value == 0) return ~u32{0};
  return static_cast<u32>(from_left ? std::countl_zero(value) : std::countr_zero(value));
}

void move_relative(Wave& wave, const Instruction& i, bool source, u32 count) {
  const u32 m0 = wave.sgpr(kM0);
  const u32 from = i.sources[0] + (source ? m0 : 0), to = i.destination + (source ? 0 : m0);
  if (from >= 104 - count + 1 || to >= 104 - count + 1) return wave.stop("relative move outside the scalar registers");
  std::array<u32, 2> values{};
  for (u32 n = 0; n < count; ++n) values[n] = wave.sgpr(from + n);
  for (u32 n = 0; n < count; ++n) wave.set_sgpr(to + n, values[n]);
}
template <bool FromSource, u32 Count>
inline constexpr Semantics move_rel{
    .execute = [](Wave& wave, const Instruction& i) { move_relative(wave, i, FromSource, Count); },
    .destination = Count == 1 ? Shape::B32 : Shape::B64,
    .sources = {Count == 1 ? Shape::B32 : Shape::B64}};

// A copy of what is not set is not set: see v_mov_b32.
template <u32 Count>
inline constexpr Semantics move{.execute =
                                    [](Wave& wave, const Instruction& i) {
                                      const u32 from = i.sources[0];
                                      std::array<bool, Count> poisoned{};
                                      if (from + Count <= 128)
                                        for (u32 n = 0; n < Count; ++n) {
                                          poisoned[n] = !wave.sgpr_defined(from + n);
                                          if (poisoned[n]) wave.define_sgpr(from + n);
                                        }
                                      if (Count == 1)
                                        wave.set_sgpr(i.destination, wave.source32(i, from));
                                      else
                                        wave.set_sgpr64(i.destination, wave.source64(i, from, false));
                                      for (u32 n = 0; n < Count; ++n)
                                        if (poisoned[n]) {
                                          wave.undefine_sgpr(from + n);
                                          wave.undefine_sgpr(i.destination + n);
                                        }
                                    },
                                .destination = Count == 1 ? Shape::B32 : Shape::B64,
                                .sources = {Count == 1 ? Shape::B32 : Shape::B64}};

// --- the table -----------------------------------------------------------------------------------------------------

// clang-format off
constexpr Row kRows[] = {
    {"s_add_u32", Sop2, {0, 0, 0}, scalar([](Scc scc, u32 a, u32 b) -> u32 { scc = a + b < a; return a + b; })},
    {"s_sub_u32", Sop2, {1, 1, 1}, scalar([](Scc scc, u32 a, u32 b) -> u32 { scc = b > a; return a - b; })},
    {"s_add_i32", Sop2, {2, 2, 2}, scalar([](Scc scc, u32 a, u32 b) -> u32 {
      scc = ((~(a ^ b) & (a ^ (a + b))) >> 31) != 0; return a + b; })},
    {"s_sub_i32", Sop2, {3, 3, 3}, scalar([](Scc scc, u32 a, u32 b) -> u32 {
      scc = (((a ^ b) & (a ^ (a - b))) >> 31) != 0; return a - b; })},
    {"s_addc_u32", Sop2, {4, 4, 4}, scalar([](Scc scc, u32 a, u32 b) -> u32 {
      const u64 sum = u64{a} + b + (scc ? 1 : 0); scc = sum >> 32 != 0; return static_cast<u32>(sum); })},
    {"s_subb_u32", Sop2, {5, 5, 5}, scalar([](Scc scc, u32 a, u32 b) -> u32 {
      const u64 rest = u64{b} + (scc ? 1 : 0); scc = rest > a; return static_cast<u32>(a - rest); })},
    {"s_min_i32", Sop2, {6, 6, 6}, scalar([](Scc scc, i32 a, i32 b) -> i32 { scc = a < b; return a < b ? a : b; })},
    {"s_min_u32", Sop2, {7, 7, 7}, scalar([](Scc scc, u32 a, u32 b) -> u32 { scc = a < b; return a < b ? a : b; })},
    {"s_max_i32", Sop2, {8, 8, 8}, scalar([](Scc scc, i32 a, i32 b) -> i32 { scc = a > b; return a > b ? a : b; })},
    {"s_max_u32", Sop2, {9, 9, 9}, scalar([](Scc scc, u32 a, u32 b) -> u32 { scc = a > b; return a > b ? a : b; })},
    {"s_cselect_b32", Sop2, {10, 10, 10}, scalar([](Scc scc, u32 a, u32 b) -> u32 { return scc ? a : b; })},
    {"s_cselect_b64", Sop2, {11, 11, 11}, scalar([](Scc scc, u64 a, u64 b) -> u64 { return scc ? a : b; })},
    {"s_and_b32", Sop2, {14, 14, 12}, logic2([](u32 a, u32 b) { return a & b; })},
    {"s_and_b64", Sop2, {15, 15, 13}, logic2([](u64 a, u64 b) { return a & b; })},
    {"s_or_b32", Sop2, {16, 16, 14}, logic2([](u32 a, u32 b) { return a | b; })},
    {"s_or_b64", Sop2, {17, 17, 15}, logic2([](u64 a, u64 b) { return a | b; })},
    {"s_xor_b32", Sop2, {18, 18, 16}, logic2([](u32 a, u32 b) { return a ^ b; })},
    {"s_xor_b64", Sop2, {19, 19, 17}, logic2([](u64 a, u64 b) { return a ^ b; })},
    {"s_andn2_b32", Sop2, {20, 20, 18}, logic2([](u32 a, u32 b) { return a & ~b; })},
    {"s_andn2_b64", Sop2, {21, 21, 19}, logic2([](u64 a, u64 b) { return a & ~b; })},
    {"s_orn2_b32", Sop2, {22, 22, 20}, logic2([](u32 a, u32 b) { return a | ~b; })},
    {"s_orn2_b64", Sop2, {23, 23, 21}, logic2([](u64 a, u64 b) { return a | ~b; })},
    {"s_nand_b32", Sop2, {24, 24, 22}, logic2([](u32 a, u32 b) { return ~(a & b); })},
    {"s_nand_b64", Sop2, {25, 25, 23}, logic2([](u64 a, u64 b) { return ~(a & b); })},
    {"s_nor_b32", Sop2, {26, 26, 24}, logic2([](u32 a, u32 b) { return ~(a | b); })},
    {"s_nor_b64", Sop2, {27, 27, 25}, logic2([](u64 a, u64 b) { return ~(a | b); })},
    {"s_xnor_b32", Sop2, {28, 28, 26}, logic2([](u32 a, u32 b) { return ~(a ^ b); })},
    {"s_xnor_b64", Sop2, {29, 29, 27}, logic2([](u64 a, u64 b) { return ~(a ^ b); })},
    {"s_lshl_b32", Sop2, {30, 30, 28}, logic2([](u32 a, u32 b) { return a << (b & 31); })},
    {"s_lshl_b64", Sop2, {31, 31, 29}, scalar([](Scc scc, u64 a, u32 b) -> u64 { const u64 r = a << (b & 63); scc = r != 0; return r; })},
    {"s_lshr_b32", Sop2, {32, 32, 30}, logic2([](u32 a, u32 b) { return a >> (b & 31); })},
    {"s_lshr_b64", Sop2, {33, 33, 31}, scalar([](Scc scc, u64 a, u32 b) -> u64 { const u64 r = a >> (b & 63); scc = r != 0; return r; })},
    {"s_ashr_i32", Sop2, {34, 34, 32}, logic2([](i32 a, i32 b) { return a >> (b & 31); })},
    {"s_ashr_i64", Sop2, {35, 35, 33}, scalar([](Scc scc, i64 a, u32 b) -> i64 { const i64 r = a >> (b & 63); scc = r != 0; return r; })},
    {"s_bfm_b32", Sop2, {36, 36, 34}, scalar([](u32 a, u32 b) -> u32 { return ((u32{1} << (a & 31)) - 1) << (b & 31); })},
    {"s_bfm_b64", Sop2, {37, 37, 35}, scalar([](u32 a, u32 b) -> u64 { return ((u64{1} << (a & 63)) - 1) << (b & 63); })},
    {"s_mul_i32", Sop2, {38, 38, 36}, scalar([](u32 a, u32 b) -> u32 { return a * b; })},
    {"s_bfe_u32", Sop2, {39, 39, 37}, logic2([](u32 a, u32 b) {
      const u32 w = field_width(b); return w >= 32 ? a >> field_offset(b) : a >> field_offset(b) & ((u32{1} << w) - 1); })},
    {"s_bfe_i32", Sop2, {40, 40, 38}, logic2([](i32 a, i32 b) {
      const u32 s = static_cast<u32>(b), w = field_width(s);
      const i32 v = a >> field_offset(s);
      return w == 0 ? 0 : w >= 32 ? v : static_cast<i32>(static_cast<u32>(v) << (32 - w)) >> (32 - w); })},
    {"s_bfe_u64", Sop2, {41, 41, 39}, scalar([](Scc scc, u64 a, u32 b) -> u64 {
      const u32 w = field_width(b); const u64 v = a >> (b & 63), r = w >= 64 ? v : v & ((u64{1} << w) - 1);
      scc = r != 0; return r; })},
    {"s_bfe_i64", Sop2, {42, 42, 40}, scalar([](Scc scc, i64 a, u32 b) -> i64 {
      const u32 w = field_width(b); const i64 v = a >> (b & 63);
      const i64 r = w == 0 ? 0 : w >= 64 ? v : static_cast<i64>(static_cast<u64>(v) << (64 - w)) >> (64 - w);
      scc = r != 0; return r; })},
    {"s_absdiff_i32", Sop2, {44, 44, 42}, logic2([](i32 a, i32 b) {
      const u32 d = static_cast<u32>(a) - static_cast<u32>(b); return static_cast<i32>(a < b ? 0 - d : d); })},

    {"s_movk_i32", Sopk, {0, 0, 0}, with_immediate([](Wave& w, u32 d, i32 k) { w.set_sgpr(d, static_cast<u32>(k)); })},
    {"s_cmovk_i32", Sopk, {2, 2, 1}, with_immediate([](Wave& w, u32 d, i32 k) { if (w.scc()) w.set_sgpr(d, static_cast<u32>(k)); })},
    {"s_cmpk_eq_i32", Sopk, {3, 3, 2}, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(static_cast<i32>(w.sgpr(d)) == k); })},
    {"s_cmpk_lg_i32", Sopk, {4, 4, 3}, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(static_cast<i32>(w.sgpr(d)) != k); })},
    {"s_cmpk_gt_i32", Sopk, {5, 5, 4}, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(static_cast<i32>(w.sgpr(d)) > k); })},
    {"s_cmpk_ge_i32", Sopk, {6, 6, 5}, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(static_cast<i32>(w.sgpr(d)) >= k); })},
    {"s_cmpk_lt_i32", Sopk, {7, 7, 6}, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(static_cast<i32>(w.sgpr(d)) < k); })},
    {"s_cmpk_le_i32", Sopk, {8, 8, 7}, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(static_cast<i32>(w.sgpr(d)) <= k); })},
    {"s_cmpk_eq_u32", Sopk, {9, 9, 8}, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(w.sgpr(d) == (static_cast<u32>(k) & 0xffff)); })},
    {"s_cmpk_lg_u32", Sopk, {10, 10, 9}, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(w.sgpr(d) != (static_cast<u32>(k) & 0xffff)); })},
    {"s_cmpk_gt_u32", Sopk, {11, 11, 10}, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(w.sgpr(d) > (static_cast<u32>(k) & 0xffff)); })},
    {"s_cmpk_ge_u32", Sopk, {12, 12, 11}, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(w.sgpr(d) >= (static_cast<u32>(k) & 0xffff)); })},
    {"s_cmpk_lt_u32", Sopk, {13, 13, 12}, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(w.sgpr(d) < (static_cast<u32>(k) & 0xffff)); })},
    {"s_cmpk_le_u32", Sopk, {14, 14, 13}, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(w.sgpr(d) <= (static_cast<u32>(k) & 0xffff)); })},
    {"s_addk_i32", Sopk, {15, 15, 14}, with_immediate([](Wave& w, u32 d, i32 k) {
      const u32 a = w.sgpr(d), b = static_cast<u32>(k);
      w.set_scc(((~(a ^ b) & (a ^ (a + b))) >> 31) != 0); w.set_sgpr(d, a + b); })},
    {"s_mulk_i32", Sopk, {16, 16, 15}, with_immediate([](Wave& w, u32 d, i32 k) { w.set_sgpr(d, w.sgpr(d) * static_cast<u32>(k)); })},

    {"s_mov_b32", Sop1, {3, 3, 0}, move<1>},
    {"s_mov_b64", Sop1, {4, 4, 1}, move<2>},
    {"s_cmov_b32", Sop1, {5, 5, 2}, scalar([](Scc scc, u32 a, Old<u32> d) -> u32 { return scc ? a : d.value; })},
    {"s_cmov_b64", Sop1, {6, 6, 3}, scalar([](Scc scc, u64 a, Old<u64> d) -> u64 { return scc ? a : d.value; })},
    {"s_not_b32", Sop1, {7, 7, 4}, logic1([](u32 a) { return ~a; })},
    {"s_not_b64", Sop1, {8, 8, 5}, logic1([](u64 a) { return ~a; })},
    {"s_wqm_b32", Sop1, {9, 9, 6}, logic1([](u32 a) { return quads(a, true); })},
    {"s_wqm_b64", Sop1, {10, 10, 7}, logic1([](u64 a) { return quads(a, true); })},
    {"s_brev_b32", Sop1, {11, 11, 8}, scalar([](u32 a) -> u32 { return bit_reverse(a); })},
    {"s_brev_b64", Sop1, {12, 12, 9}, scalar([](u64 a) -> u64 { return bit_reverse(a); })},
    {"s_bcnt0_i32_b32", Sop1, {13, 13, 10}, logic1([](u32 a) { return static_cast<u32>(std::popcount(~a)); })},
    {"s_bcnt0_i32_b64", Sop1, {14, 14, 11}, scalar([](Scc scc, u64 a) -> u32 {
      const u32 n = static_cast<u32>(std::popcount(~a)); scc = n != 0; return n; })},
    {"s_bcnt1_i32_b32", Sop1, {15, 15, 12}, logic1([](u32 a) { return static_cast<u32>(std::popcount(a)); })},
    {"s_bcnt1_i32_b64", Sop1, {16, 16, 13}, scalar([](Scc scc, u64 a) -> u32 {
      const u32 n = static_cast<u32>(std::popcount(a)); scc = n != 0; return n; })},
    {"s_ff0_i32_b32", Sop1, {17, 17, 14}, scalar([](u32 a) -> u32 { return first_bit(~a, false); })},
    {"s_ff0_i32_b64", Sop1, {18, 18, 15}, scalar([](u64 a) -> u32 { return first_bit(~a, false); })},
    {"s_ff1_i32_b32", Sop1, {19, 19, 16}, scalar([](u32 a) -> u32 { return first_bit(a, false); })},
    {"s_ff1_i32_b64", Sop1, {20, 20, 17}, scalar([](u64 a) -> u32 { return first_bit(a, false); })},
    {"s_flbit_i32_b32", Sop1, {21, 21, 18}, scalar([](u32 a) -> u32 { return first_bit(a, true); })},
    {"s_flbit_i32_b64", Sop1, {22, 22, 19}, scalar([](u64 a) -> u32 { return first_bit(a, true); })},
    {"s_flbit_i32", Sop1, {23, 23, 20}, scalar([](i32 a) -> u32 { return sign_run(a); })},
    {"s_flbit_i32_i64", Sop1, {24, 24, 21}, scalar([](i64 a) -> u32 { return sign_run(a); })},
    {"s_sext_i32_i8", Sop1, {25, 25, 22}, scalar([](u32 a) -> i32 { return static_cast<i8>(a); })},
    {"s_sext_i32_i16", Sop1, {26, 26, 23}, scalar([](u32 a) -> i32 { return static_cast<i16>(a); })},
    {"s_bitset0_b32", Sop1, {27, 27, 24}, scalar([](u32 a, Old<u32> d) -> u32 { return d.value & ~(u32{1} << (a & 31)); })},
    {"s_bitset0_b64", Sop1, {28, 28, 25}, scalar([](u32 a, Old<u64> d) -> u64 { return d.value & ~(u64{1} << (a & 63)); })},
    {"s_bitset1_b32", Sop1, {29, 29, 26}, scalar([](u32 a, Old<u32> d) -> u32 { return d.value | u32{1} << (a & 31); })},
    {"s_bitset1_b64", Sop1, {30, 30, 27}, scalar([](u32 a, Old<u64> d) -> u64 { return d.value | u64{1} << (a & 63); })},
    {"s_getpc_b64", Sop1, {31, 31, 28}, {.execute = [](Wave& w, const Instruction& i) {
      w.set_sgpr64(i.destination, w.launch().code_address + w.pc()); }, .destination = Shape::B64}},
    {"s_setpc_b64", Sop1, {32, 32, 29}, {.execute = [](Wave& w, const Instruction& i) {
      w.jump(w.source64(i, i.sources[0], false) - w.launch().code_address); }, .sources = {Shape::B64}}},
    {"s_swappc_b64", Sop1, {33, 33, 30}, {.execute = [](Wave& w, const Instruction& i) {
      const u64 to = w.source64(i, i.sources[0], false);
      w.set_sgpr64(i.destination, w.launch().code_address + w.pc());
      w.jump(to - w.launch().code_address); }, .destination = Shape::B64, .sources = {Shape::B64}}},
    {"s_and_saveexec_b64", Sop1, {36, 36, 32}, saveexec([](u64 s, u64 e) { return s & e; })},
    {"s_or_saveexec_b64", Sop1, {37, 37, 33}, saveexec([](u64 s, u64 e) { return s | e; })},
    {"s_xor_saveexec_b64", Sop1, {38, 38, 34}, saveexec([](u64 s, u64 e) { return s ^ e; })},
    {"s_andn2_saveexec_b64", Sop1, {39, 39, 35}, saveexec([](u64 s, u64 e) { return s & ~e; })},
    {"s_orn2_saveexec_b64", Sop1, {40, 40, 36}, saveexec([](u64 s, u64 e) { return s | ~e; })},
    {"s_nand_saveexec_b64", Sop1, {41, 41, 37}, saveexec([](u64 s, u64 e) { return ~(s & e); })},
    {"s_nor_saveexec_b64", Sop1, {42, 42, 38}, saveexec([](u64 s, u64 e) { return ~(s | e); })},
    {"s_xnor_saveexec_b64", Sop1, {43, 43, 39}, saveexec([](u64 s, u64 e) { return ~(s ^ e); })},
    {"s_quadmask_b32", Sop1, {44, 44, 40}, logic1([](u32 a) { return quads(a, false); })},
    {"s_quadmask_b64", Sop1, {45, 45, 41}, logic1([](u64 a) { return quads(a, false); })},
    {"s_movrels_b32", Sop1, {46, 46, 42}, move_rel<true, 1>},
    {"s_movrels_b64", Sop1, {47, 47, 43}, move_rel<true, 2>},
    {"s_movreld_b32", Sop1, {48, 48, 44}, move_rel<false, 1>},
    {"s_movreld_b64", Sop1, {49, 49, 45}, move_rel<false, 2>},
    {"s_abs_i32", Sop1, {52, 52, 48}, logic1([](i32 a) { return static_cast<i32>(a < 0 ? 0 - static_cast<u32>(a) : static_cast<u32>(a)); })},

    {"s_cmp_eq_i32", Sopc, {0, 0, 0}, scalar([](Scc scc, i32 a, i32 b) { scc = a == b; })},
    {"s_cmp_lg_i32", Sopc, {1, 1, 1}, scalar([](Scc scc, i32 a, i32 b) { scc = a != b; })},
    {"s_cmp_gt_i32", Sopc, {2, 2, 2}, scalar([](Scc scc, i32 a, i32 b) { scc = a > b; })},
    {"s_cmp_ge_i32", Sopc, {3, 3, 3}, scalar([](Scc scc, i32 a, i32 b) { scc = a >= b; })},
    {"s_cmp_lt_i32", Sopc, {4, 4, 4}, scalar([](Scc scc, i32 a, i32 b) { scc = a < b; })},
    {"s_cmp_le_i32", Sopc, {5, 5, 5}, scalar([](Scc scc, i32 a, i32 b) { scc = a <= b; })},
    {"s_cmp_eq_u32", Sopc, {6, 6, 6}, scalar([](Scc scc, u32 a, u32 b) { scc = a == b; })},
    {"s_cmp_lg_u32", Sopc, {7, 7, 7}, scalar([](Scc scc, u32 a, u32 b) { scc = a != b; })},
    {"s_cmp_gt_u32", Sopc, {8, 8, 8}, scalar([](Scc scc, u32 a, u32 b) { scc = a > b; })},
    {"s_cmp_ge_u32", Sopc, {9, 9, 9}, scalar([](Scc scc, u32 a, u32 b) { scc = a >= b; })},
    {"s_cmp_lt_u32", Sopc, {10, 10, 10}, scalar([](Scc scc, u32 a, u32 b) { scc = a < b; })},
    {"s_cmp_le_u32", Sopc, {11, 11, 11}, scalar([](Scc scc, u32 a, u32 b) { scc = a <= b; })},
    {"s_bitcmp0_b32", Sopc, {12, 12, 12}, scalar([](Scc scc, u32 a, u32 b) { scc = (a >> (b & 31) & 1) == 0; })},
    {"s_bitcmp1_b32", Sopc, {13, 13, 13}, scalar([](Scc scc, u32 a, u32 b) { scc = (a >> (b & 31) & 1) != 0; })},
    {"s_bitcmp0_b64", Sopc, {14, 14, 14}, scalar([](Scc scc, u64 a, u32 b) { scc = (a >> (b & 63) & 1) == 0; })},
    {"s_bitcmp1_b64", Sopc, {15, 15, 15}, scalar([](Scc scc, u64 a, u32 b) { scc = (a >> (b & 63) & 1) != 0; })},
    {"s_cmp_eq_u64", Sopc, {kAbsent, kAbsent, 18}, scalar([](Scc scc, u64 a, u64 b) { scc = a == b; })},
    {"s_cmp_lg_u64", Sopc, {kAbsent, kAbsent, 19}, scalar([](Scc scc, u64 a, u64 b) { scc = a != b; })},

    {"s_nop", Sopp, {0, 0, 0}, kNothing},
    {"s_endpgm", Sopp, {1, 1, 1}, program([](Wave& w, const Instruction&) { w.set_status(Status::Ended); })},
    {"s_branch", Sopp, {2, 2, 2}, branch([](Wave&) { return true; })},
    {"s_cbranch_scc0", Sopp, {4, 4, 4}, branch([](Wave& w) { return !w.scc(); })},
    {"s_cbranch_scc1", Sopp, {5, 5, 5}, branch([](Wave& w) { return w.scc(); })},
    {"s_cbranch_vccz", Sopp, {6, 6, 6}, branch([](Wave& w) { return w.sgpr64(kVcc) == 0; })},
    {"s_cbranch_vccnz", Sopp, {7, 7, 7}, branch([](Wave& w) { return w.sgpr64(kVcc) != 0; })},
    {"s_cbranch_execz", Sopp, {8, 8, 8}, branch([](Wave& w) { return w.exec() == 0; })},
    {"s_cbranch_execnz", Sopp, {9, 9, 9}, branch([](Wave& w) { return w.exec() != 0; })},
    {"s_barrier", Sopp, {10, 10, 10}, program([](Wave& w, const Instruction&) { w.set_status(Status::Barrier); })},
    {"s_waitcnt", Sopp, {12, 12, 12}, kNothing},  // memory is in order here
    {"s_sleep", Sopp, {14, 14, 14}, kNothing},
    {"s_setprio", Sopp, {15, 15, 15}, kNothing},
    {"s_icache_inv", Sopp, {19, 19, 19}, kNothing},
    {"s_incperflevel", Sopp, {20, 20, 20}, kNothing},
    {"s_decperflevel", Sopp, {21, 21, 21}, kNothing},
    {"s_ttracedata", Sopp, {22, 22, 22}, kNothing},
};
// clang-format on

}  // namespace

std::span<const Row> scalar_rows() { return kRows; }

}  // namespace amdcompat::emulate
