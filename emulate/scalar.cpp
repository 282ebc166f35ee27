// Scalar instructions: SOP2, SOPK, SOP1, SOPC, SOPP. [SIA; CIA; VIA: instruction chapter, the section of each format]
#include "semantics.hpp"

namespace amdcompat::emulate {
namespace {

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

// D = EXEC = F(source, EXEC), SCC = EXEC != 0.
template <class F>
consteval Semantics writes_exec(F) {
  return {.execute =
              [](Wave& wave, const Instruction& i) {
                wave.set_exec(F{}(wave.source64(i, i.sources[0], false), wave.exec()));
                wave.set_sgpr64(i.destination, wave.exec());
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
  // Halves, then halves of them: the mask has the low ones.
  T mask = static_cast<T>(~T{0});
  for (u32 n = sizeof(T) * 4; n != 0; n /= 2) {
    mask ^= mask << n;
    value = (value >> n & mask) | (value & mask) << n;
  }
  return value;
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

template <u32 Bits>
inline constexpr Semantics shift_and_add = scalar([](Scc scc, u32 a, u32 b) -> u32 {
  const u64 sum = (u64{a} << Bits) + b;
  scc = high_half(sum) != 0;
  return low_half(sum);
});
// Parts of M0, which says what registers are relative to while that is on. What of M0 is not set does no harm where it
// is kept: it counts as set then. [VIA: S_SET_GPR_IDX_ON]
void set_in_m0(Wave& wave, u32 mask, u32 value) {
  wave.define_sgpr(kM0);
  wave.set_sgpr(kM0, (wave.sgpr(kM0) & ~mask) | (value & mask));
}

// Bits of a hardware register, of which only the mode is known: `immediate` is its number, the first bit and how many.
// [VIA: S_GETREG_B32; CLRX GcnState «MODE Register»]
struct HardwareBits {
  u32 mask, shift;
};
std::optional<HardwareBits> mode_bits(Wave& wave, i32 immediate) {
  constexpr u32 kMode = 1;
  const u32 bits = static_cast<u32>(immediate), shift = bits >> 6 & 31, width = (bits >> 11 & 31) + 1;
  if ((bits & 63) == kMode) return HardwareBits{static_cast<u32>(((u64{1} << width) - 1) << shift), shift};
  wave.stop("hardware register " + std::to_string(bits & 63) + ": only the mode is known");
  return std::nullopt;
}
u32 mode_of(const Wave& wave) {
  const Launch& launch = wave.launch();
  return wave.float_mode() | u32{launch.dx10_clamp} << 8 | u32{launch.ieee} << 9 | u32{wave.relative()} << 27;
}
// Where local and scratch memory are among addresses: the upper halves of their apertures. [LLVM AMDGPU usage «Flat»:
// SH_MEM_BASES, of GFX9]
constexpr u32 kMemoryBases = 15;
void get_register(Wave& wave, const Instruction& i) {
  const Launch& launch = wave.launch();
  const u32 what = static_cast<u32>(i.immediate), shift = what >> 6 & 31, width = (what >> 11 & 31) + 1;
  if (launch.gfx >= gcn::Generation::Gfx9 && (what & 63) == kMemoryBases) {
    const u32 bases = (launch.local_aperture & 0xffff0000) | launch.scratch_aperture >> 16;
    return wave.set_sgpr(i.destination, static_cast<u32>((bases >> shift) & ((u64{1} << width) - 1)));
  }
  if (const auto bits = mode_bits(wave, i.immediate))
    wave.set_sgpr(i.destination, (mode_of(wave) & bits->mask) >> bits->shift);
}
void set_register(Wave& wave, i32 immediate, u32 value) {
  const auto bits = mode_bits(wave, immediate);
  if (!bits) return;
  const u32 mode = (mode_of(wave) & ~bits->mask) | (value << bits->shift & bits->mask);
  if (((mode ^ mode_of(wave)) & ~0xffu) != 0)
    return wave.stop("a change of the mode other than of rounding and denormals");
  if (const auto why = unknown_float_mode(mode & 0xff); !why.empty()) return wave.stop(std::string(why));
  constexpr u32 kFloatDenormals = 0x30;
  wave.set_float_mode((mode & 0xff) | (wave.launch().keep_denormals ? kFloatDenormals : 0));
}
constexpr u32 kIndex = 0xff, kOperands = 0xf000, kOperandsAt = 12;

// --- the table -----------------------------------------------------------------------------------------------------

// clang-format off
constexpr Row kScalarRows[] = {
    {Opcode::s_add_u32, scalar([](Scc scc, u32 a, u32 b) -> u32 { scc = a + b < a; return a + b; })},
    {Opcode::s_sub_u32, scalar([](Scc scc, u32 a, u32 b) -> u32 { scc = b > a; return a - b; })},
    {Opcode::s_add_i32, scalar([](Scc scc, u32 a, u32 b) -> u32 {
      scc = ((~(a ^ b) & (a ^ (a + b))) >> 31) != 0; return a + b; })},
    {Opcode::s_sub_i32, scalar([](Scc scc, u32 a, u32 b) -> u32 {
      scc = (((a ^ b) & (a ^ (a - b))) >> 31) != 0; return a - b; })},
    {Opcode::s_addc_u32, scalar([](Scc scc, u32 a, u32 b) -> u32 {
      const u64 sum = u64{a} + b + (scc ? 1 : 0); scc = sum >> 32 != 0; return static_cast<u32>(sum); })},
    {Opcode::s_subb_u32, scalar([](Scc scc, u32 a, u32 b) -> u32 {
      const u64 rest = u64{b} + (scc ? 1 : 0); scc = rest > a; return static_cast<u32>(a - rest); })},
    {Opcode::s_min_i32, scalar([](Scc scc, i32 a, i32 b) -> i32 { scc = a < b; return a < b ? a : b; })},
    {Opcode::s_min_u32, scalar([](Scc scc, u32 a, u32 b) -> u32 { scc = a < b; return a < b ? a : b; })},
    {Opcode::s_max_i32, scalar([](Scc scc, i32 a, i32 b) -> i32 { scc = a > b; return a > b ? a : b; })},
    {Opcode::s_max_u32, scalar([](Scc scc, u32 a, u32 b) -> u32 { scc = a > b; return a > b ? a : b; })},
    {Opcode::s_cselect_b32, scalar([](Scc scc, u32 a, u32 b) -> u32 { return scc ? a : b; })},
    {Opcode::s_cselect_b64, scalar([](Scc scc, u64 a, u64 b) -> u64 { return scc ? a : b; })},
    {Opcode::s_and_b32, logic2([](u32 a, u32 b) { return a & b; })},
    {Opcode::s_and_b64, logic2([](u64 a, u64 b) { return a & b; })},
    {Opcode::s_or_b32, logic2([](u32 a, u32 b) { return a | b; })},
    {Opcode::s_or_b64, logic2([](u64 a, u64 b) { return a | b; })},
    {Opcode::s_xor_b32, logic2([](u32 a, u32 b) { return a ^ b; })},
    {Opcode::s_xor_b64, logic2([](u64 a, u64 b) { return a ^ b; })},
    {Opcode::s_andn2_b32, logic2([](u32 a, u32 b) { return a & ~b; })},
    {Opcode::s_andn2_b64, logic2([](u64 a, u64 b) { return a & ~b; })},
    {Opcode::s_orn2_b32, logic2([](u32 a, u32 b) { return a | ~b; })},
    {Opcode::s_orn2_b64, logic2([](u64 a, u64 b) { return a | ~b; })},
    {Opcode::s_nand_b32, logic2([](u32 a, u32 b) { return ~(a & b); })},
    {Opcode::s_nand_b64, logic2([](u64 a, u64 b) { return ~(a & b); })},
    {Opcode::s_nor_b32, logic2([](u32 a, u32 b) { return ~(a | b); })},
    {Opcode::s_nor_b64, logic2([](u64 a, u64 b) { return ~(a | b); })},
    {Opcode::s_xnor_b32, logic2([](u32 a, u32 b) { return ~(a ^ b); })},
    {Opcode::s_xnor_b64, logic2([](u64 a, u64 b) { return ~(a ^ b); })},
    {Opcode::s_lshl_b32, logic2([](u32 a, u32 b) { return a << (b & 31); })},
    {Opcode::s_lshl_b64, scalar([](Scc scc, u64 a, u32 b) -> u64 { const u64 r = a << (b & 63); scc = r != 0; return r; })},
    {Opcode::s_lshr_b32, logic2([](u32 a, u32 b) { return a >> (b & 31); })},
    {Opcode::s_lshr_b64, scalar([](Scc scc, u64 a, u32 b) -> u64 { const u64 r = a >> (b & 63); scc = r != 0; return r; })},
    {Opcode::s_ashr_i32, logic2([](i32 a, i32 b) { return a >> (b & 31); })},
    {Opcode::s_ashr_i64, scalar([](Scc scc, i64 a, u32 b) -> i64 { const i64 r = a >> (b & 63); scc = r != 0; return r; })},
    {Opcode::s_bfm_b32, scalar([](u32 a, u32 b) -> u32 { return ((u32{1} << (a & 31)) - 1) << (b & 31); })},
    {Opcode::s_bfm_b64, scalar([](u32 a, u32 b) -> u64 { return ((u64{1} << (a & 63)) - 1) << (b & 63); })},
    {Opcode::s_mul_i32, scalar([](u32 a, u32 b) -> u32 { return a * b; })},
    {Opcode::s_mul_hi_u32, scalar([](u32 a, u32 b) -> u32 { return high_half(u64{a} * b); })},
    {Opcode::s_mul_hi_i32, scalar([](i32 a, i32 b) -> u32 { return high_half(static_cast<u64>(i64{a} * b)); })},
    {Opcode::s_lshl1_add_u32, shift_and_add<1>},
    {Opcode::s_lshl2_add_u32, shift_and_add<2>},
    {Opcode::s_lshl3_add_u32, shift_and_add<3>},
    {Opcode::s_lshl4_add_u32, shift_and_add<4>},
    {Opcode::s_pack_ll_b32_b16, scalar([](u32 a, u32 b) -> u32 { return (a & 0xffff) | b << 16; })},
    {Opcode::s_pack_lh_b32_b16, scalar([](u32 a, u32 b) -> u32 { return (a & 0xffff) | (b & 0xffff0000); })},
    {Opcode::s_pack_hh_b32_b16, scalar([](u32 a, u32 b) -> u32 { return a >> 16 | (b & 0xffff0000); })},
    {Opcode::s_bfe_u32, logic2([](u32 a, u32 b) {
      const u32 w = field_width(b); return w >= 32 ? a >> field_offset(b) : a >> field_offset(b) & ((u32{1} << w) - 1); })},
    {Opcode::s_bfe_i32, logic2([](i32 a, i32 b) {
      const u32 s = static_cast<u32>(b), w = field_width(s);
      const i32 v = a >> field_offset(s);
      return w == 0 ? 0 : w >= 32 ? v : static_cast<i32>(static_cast<u32>(v) << (32 - w)) >> (32 - w); })},
    {Opcode::s_bfe_u64, scalar([](Scc scc, u64 a, u32 b) -> u64 {
      const u32 w = field_width(b); const u64 v = a >> (b & 63), r = w >= 64 ? v : v & ((u64{1} << w) - 1);
      scc = r != 0; return r; })},
    {Opcode::s_bfe_i64, scalar([](Scc scc, i64 a, u32 b) -> i64 {
      const u32 w = field_width(b); const i64 v = a >> (b & 63);
      const i64 r = w == 0 ? 0 : w >= 64 ? v : static_cast<i64>(static_cast<u64>(v) << (64 - w)) >> (64 - w);
      scc = r != 0; return r; })},
    {Opcode::s_absdiff_i32, logic2([](i32 a, i32 b) {
      const u32 d = static_cast<u32>(a) - static_cast<u32>(b); return static_cast<i32>(d >> 31 != 0 ? 0 - d : d); })},

    {Opcode::s_getreg_b32, {.execute = &get_register, .destination = Shape::B32}},
    {Opcode::s_setreg_b32, program([](Wave& w, const Instruction& i) { set_register(w, i.immediate, w.sgpr(i.destination)); })},
    {Opcode::s_setreg_imm32_b32, {.execute = [](Wave& w, const Instruction& i) {
      set_register(w, i.immediate, i.literal); }, .literal = true}},
    {Opcode::s_movk_i32, with_immediate([](Wave& w, u32 d, i32 k) { w.set_sgpr(d, static_cast<u32>(k)); })},
    {Opcode::s_cmovk_i32, with_immediate([](Wave& w, u32 d, i32 k) { if (w.scc()) w.set_sgpr(d, static_cast<u32>(k)); })},
    {Opcode::s_cmpk_eq_i32, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(static_cast<i32>(w.sgpr(d)) == k); })},
    {Opcode::s_cmpk_lg_i32, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(static_cast<i32>(w.sgpr(d)) != k); })},
    {Opcode::s_cmpk_gt_i32, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(static_cast<i32>(w.sgpr(d)) > k); })},
    {Opcode::s_cmpk_ge_i32, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(static_cast<i32>(w.sgpr(d)) >= k); })},
    {Opcode::s_cmpk_lt_i32, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(static_cast<i32>(w.sgpr(d)) < k); })},
    {Opcode::s_cmpk_le_i32, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(static_cast<i32>(w.sgpr(d)) <= k); })},
    {Opcode::s_cmpk_eq_u32, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(w.sgpr(d) == (static_cast<u32>(k) & 0xffff)); })},
    {Opcode::s_cmpk_lg_u32, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(w.sgpr(d) != (static_cast<u32>(k) & 0xffff)); })},
    {Opcode::s_cmpk_gt_u32, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(w.sgpr(d) > (static_cast<u32>(k) & 0xffff)); })},
    {Opcode::s_cmpk_ge_u32, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(w.sgpr(d) >= (static_cast<u32>(k) & 0xffff)); })},
    {Opcode::s_cmpk_lt_u32, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(w.sgpr(d) < (static_cast<u32>(k) & 0xffff)); })},
    {Opcode::s_cmpk_le_u32, with_immediate([](Wave& w, u32 d, i32 k) { w.set_scc(w.sgpr(d) <= (static_cast<u32>(k) & 0xffff)); })},
    {Opcode::s_addk_i32, with_immediate([](Wave& w, u32 d, i32 k) {
      const u32 a = w.sgpr(d), b = static_cast<u32>(k);
      w.set_scc(((~(a ^ b) & (a ^ (a + b))) >> 31) != 0); w.set_sgpr(d, a + b); })},
    {Opcode::s_mulk_i32, with_immediate([](Wave& w, u32 d, i32 k) { w.set_sgpr(d, w.sgpr(d) * static_cast<u32>(k)); })},

    {Opcode::s_call_b64, {.execute = [](Wave& w, const Instruction& i) {
      w.set_sgpr64(i.destination, w.launch().code_address + w.pc());
      w.jump(static_cast<u64>(i64{w.pc()} + i64{i.immediate} * 4)); }, .destination = Shape::B64}},

    {Opcode::s_mov_b32, move<1>},
    {Opcode::s_mov_b64, move<2>},
    {Opcode::s_cmov_b32, scalar([](Scc scc, u32 a, Old<u32> d) -> u32 { return scc ? a : d.value; })},
    {Opcode::s_cmov_b64, scalar([](Scc scc, u64 a, Old<u64> d) -> u64 { return scc ? a : d.value; })},
    {Opcode::s_not_b32, logic1([](u32 a) { return ~a; })},
    {Opcode::s_not_b64, logic1([](u64 a) { return ~a; })},
    {Opcode::s_wqm_b32, logic1([](u32 a) { return quads(a, true); })},
    {Opcode::s_wqm_b64, logic1([](u64 a) { return quads(a, true); })},
    {Opcode::s_brev_b32, scalar([](u32 a) -> u32 { return bit_reverse(a); })},
    {Opcode::s_brev_b64, scalar([](u64 a) -> u64 { return bit_reverse(a); })},
    {Opcode::s_bcnt0_i32_b32, logic1([](u32 a) { return static_cast<u32>(std::popcount(~a)); })},
    {Opcode::s_bcnt0_i32_b64, scalar([](Scc scc, u64 a) -> u32 {
      const u32 n = static_cast<u32>(std::popcount(~a)); scc = n != 0; return n; })},
    {Opcode::s_bcnt1_i32_b32, logic1([](u32 a) { return static_cast<u32>(std::popcount(a)); })},
    {Opcode::s_bcnt1_i32_b64, scalar([](Scc scc, u64 a) -> u32 {
      const u32 n = static_cast<u32>(std::popcount(a)); scc = n != 0; return n; })},
    {Opcode::s_ff0_i32_b32, scalar([](u32 a) -> u32 { return first_bit(~a, false); })},
    {Opcode::s_ff0_i32_b64, scalar([](u64 a) -> u32 { return first_bit(~a, false); })},
    {Opcode::s_ff1_i32_b32, scalar([](u32 a) -> u32 { return first_bit(a, false); })},
    {Opcode::s_ff1_i32_b64, scalar([](u64 a) -> u32 { return first_bit(a, false); })},
    {Opcode::s_flbit_i32_b32, scalar([](u32 a) -> u32 { return first_bit(a, true); })},
    {Opcode::s_flbit_i32_b64, scalar([](u64 a) -> u32 { return first_bit(a, true); })},
    {Opcode::s_flbit_i32, scalar([](i32 a) -> u32 { return sign_run(a); })},
    {Opcode::s_flbit_i32_i64, scalar([](i64 a) -> u32 { return sign_run(a); })},
    {Opcode::s_sext_i32_i8, scalar([](u32 a) -> i32 { return static_cast<i8>(a); })},
    {Opcode::s_sext_i32_i16, scalar([](u32 a) -> i32 { return static_cast<i16>(a); })},
    {Opcode::s_bitset0_b32, scalar([](u32 a, Old<u32> d) -> u32 { return d.value & ~(u32{1} << (a & 31)); })},
    {Opcode::s_bitset0_b64, scalar([](u32 a, Old<u64> d) -> u64 { return d.value & ~(u64{1} << (a & 63)); })},
    {Opcode::s_bitset1_b32, scalar([](u32 a, Old<u32> d) -> u32 { return d.value | u32{1} << (a & 31); })},
    {Opcode::s_bitset1_b64, scalar([](u32 a, Old<u64> d) -> u64 { return d.value | u64{1} << (a & 63); })},
    {Opcode::s_getpc_b64, {.execute = [](Wave& w, const Instruction& i) {
      w.set_sgpr64(i.destination, w.launch().code_address + w.pc()); }, .destination = Shape::B64}},
    {Opcode::s_setpc_b64, {.execute = [](Wave& w, const Instruction& i) {
      w.jump(w.source64(i, i.sources[0], false) - w.launch().code_address); }, .sources = {Shape::B64}}},
    {Opcode::s_swappc_b64, {.execute = [](Wave& w, const Instruction& i) {
      const u64 to = w.source64(i, i.sources[0], false);
      w.set_sgpr64(i.destination, w.launch().code_address + w.pc());
      w.jump(to - w.launch().code_address); }, .destination = Shape::B64, .sources = {Shape::B64}}},
    {Opcode::s_and_saveexec_b64, saveexec([](u64 s, u64 e) { return s & e; })},
    {Opcode::s_or_saveexec_b64, saveexec([](u64 s, u64 e) { return s | e; })},
    {Opcode::s_xor_saveexec_b64, saveexec([](u64 s, u64 e) { return s ^ e; })},
    {Opcode::s_andn2_saveexec_b64, saveexec([](u64 s, u64 e) { return s & ~e; })},
    {Opcode::s_andn1_saveexec_b64, saveexec([](u64 s, u64 e) { return ~s & e; })},
    {Opcode::s_orn1_saveexec_b64, saveexec([](u64 s, u64 e) { return ~s | e; })},
    {Opcode::s_andn1_wrexec_b64, writes_exec([](u64 s, u64 e) { return ~s & e; })},
    {Opcode::s_andn2_wrexec_b64, writes_exec([](u64 s, u64 e) { return s & ~e; })},
    {Opcode::s_bitreplicate_b64_b32, scalar([](u32 a) -> u64 {
      u64 r = 0;
      for (u32 n = 0; n < 32; ++n) r |= u64{a >> n & 1} * 3 << 2 * n;
      return r; })},
    {Opcode::s_orn2_saveexec_b64, saveexec([](u64 s, u64 e) { return s | ~e; })},
    {Opcode::s_nand_saveexec_b64, saveexec([](u64 s, u64 e) { return ~(s & e); })},
    {Opcode::s_nor_saveexec_b64, saveexec([](u64 s, u64 e) { return ~(s | e); })},
    {Opcode::s_xnor_saveexec_b64, saveexec([](u64 s, u64 e) { return ~(s ^ e); })},
    {Opcode::s_quadmask_b32, logic1([](u32 a) { return quads(a, false); })},
    {Opcode::s_quadmask_b64, logic1([](u64 a) { return quads(a, false); })},
    {Opcode::s_movrels_b32, move_rel<true, 1>},
    {Opcode::s_movrels_b64, move_rel<true, 2>},
    {Opcode::s_movreld_b32, move_rel<false, 1>},
    {Opcode::s_movreld_b64, move_rel<false, 2>},
    {Opcode::s_abs_i32, logic1([](i32 a) { return static_cast<i32>(a < 0 ? 0 - static_cast<u32>(a) : static_cast<u32>(a)); })},

    {Opcode::s_cmp_eq_i32, scalar([](Scc scc, i32 a, i32 b) { scc = a == b; })},
    {Opcode::s_cmp_lg_i32, scalar([](Scc scc, i32 a, i32 b) { scc = a != b; })},
    {Opcode::s_cmp_gt_i32, scalar([](Scc scc, i32 a, i32 b) { scc = a > b; })},
    {Opcode::s_cmp_ge_i32, scalar([](Scc scc, i32 a, i32 b) { scc = a >= b; })},
    {Opcode::s_cmp_lt_i32, scalar([](Scc scc, i32 a, i32 b) { scc = a < b; })},
    {Opcode::s_cmp_le_i32, scalar([](Scc scc, i32 a, i32 b) { scc = a <= b; })},
    {Opcode::s_cmp_eq_u32, scalar([](Scc scc, u32 a, u32 b) { scc = a == b; })},
    {Opcode::s_cmp_lg_u32, scalar([](Scc scc, u32 a, u32 b) { scc = a != b; })},
    {Opcode::s_cmp_gt_u32, scalar([](Scc scc, u32 a, u32 b) { scc = a > b; })},
    {Opcode::s_cmp_ge_u32, scalar([](Scc scc, u32 a, u32 b) { scc = a >= b; })},
    {Opcode::s_cmp_lt_u32, scalar([](Scc scc, u32 a, u32 b) { scc = a < b; })},
    {Opcode::s_cmp_le_u32, scalar([](Scc scc, u32 a, u32 b) { scc = a <= b; })},
    {Opcode::s_bitcmp0_b32, scalar([](Scc scc, u32 a, u32 b) { scc = (a >> (b & 31) & 1) == 0; })},
    {Opcode::s_bitcmp1_b32, scalar([](Scc scc, u32 a, u32 b) { scc = (a >> (b & 31) & 1) != 0; })},
    {Opcode::s_bitcmp0_b64, scalar([](Scc scc, u64 a, u32 b) { scc = (a >> (b & 63) & 1) == 0; })},
    {Opcode::s_bitcmp1_b64, scalar([](Scc scc, u64 a, u32 b) { scc = (a >> (b & 63) & 1) != 0; })},
    {Opcode::s_cmp_eq_u64, scalar([](Scc scc, u64 a, u64 b) { scc = a == b; })},
    {Opcode::s_cmp_lg_u64, scalar([](Scc scc, u64 a, u64 b) { scc = a != b; })},

    {Opcode::s_set_gpr_idx_on, {.execute = [](Wave& w, const Instruction& i) {
      w.set_relative(true);
      set_in_m0(w, kIndex | kOperands, (w.source32(i, i.sources[0]) & kIndex) | u32{i.sources[1]} << kOperandsAt); }, .sources = {Shape::B32}}},
    {Opcode::s_set_gpr_idx_idx, {.execute = [](Wave& w, const Instruction& i) {
      set_in_m0(w, kIndex, w.source32(i, i.sources[0])); }, .sources = {Shape::B32}}},
    {Opcode::s_set_gpr_idx_mode, program([](Wave& w, const Instruction& i) {
      set_in_m0(w, kOperands, static_cast<u32>(i.immediate) << kOperandsAt); })},
    {Opcode::s_set_gpr_idx_off, program([](Wave& w, const Instruction&) { w.set_relative(false); })},

    {Opcode::s_nop, kNothing},
    {Opcode::s_endpgm, program([](Wave& w, const Instruction&) { w.set_status(Status::Ended); })},
    {Opcode::s_branch, branch([](Wave&) { return true; })},
    {Opcode::s_cbranch_scc0, branch([](Wave& w) { return !w.scc(); })},
    {Opcode::s_cbranch_scc1, branch([](Wave& w) { return w.scc(); })},
    {Opcode::s_cbranch_vccz, branch([](Wave& w) { return w.sgpr64(kVcc) == 0; })},
    {Opcode::s_cbranch_vccnz, branch([](Wave& w) { return w.sgpr64(kVcc) != 0; })},
    {Opcode::s_cbranch_execz, branch([](Wave& w) { return w.exec() == 0; })},
    {Opcode::s_cbranch_execnz, branch([](Wave& w) { return w.exec() != 0; })},
    {Opcode::s_barrier, program([](Wave& w, const Instruction&) { w.set_status(Status::Barrier); })},
    {Opcode::s_waitcnt, kNothing},  // memory is in order here
    {Opcode::s_sleep, kNothing},
    {Opcode::s_wakeup, kNothing},
    // What it tells others changes nothing here, and nobody is there whom an interrupt would wake.
    {Opcode::s_sendmsg, program([](Wave& w, const Instruction&) { static_cast<void>(w.sgpr(kM0)); })},
    // Without a handler hardware makes nothing of it. With the runtime's, 3 comes back where no debugger is, and others
    // end the queue. [CDNA4 «Trap and Exception registers», TRAP_EN, not verified for older ones; LU «Trap Handler ABI»]
    {Opcode::s_trap, program([](Wave& w, const Instruction& i) {
      constexpr i32 kDebugTrap = 3;
      if (w.launch().trap_handler && (i.immediate & 255) != kDebugTrap)
        w.stop("a trap, at which the runtime's handler ends the queue"); })},
    {Opcode::s_setprio, kNothing},
    {Opcode::s_icache_inv, kNothing},
    {Opcode::s_incperflevel, kNothing},
    {Opcode::s_decperflevel, kNothing},
    {Opcode::s_ttracedata, kNothing},
};
// clang-format on
static_assert(first_missing(Room::Scalar, kScalarRows) == Opcode::none);

}  // namespace

std::span<const Row> scalar_rows() { return kScalarRows; }

}  // namespace amdcompat::emulate
