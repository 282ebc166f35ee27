// Two halves of a register at once, and products of halves: VOP3P of GFX9. [VEGA: «VOP3P», «Packed Math»]
//
// Each half of the result takes the halves of the sources that OP_SEL (the low one) and OP_SEL_HI (the high one) name.
#include "access.hpp"
#include "arithmetic.hpp"

namespace amdcompat::emulate {
namespace {

// --- both halves ---------------------------------------------------------------------------------------------------

// One source over all lanes.
class Pair {
 public:
  Pair(Wave& wave, const Instruction& i, u32 n, bool real)
      : keep_(keeps_denormals<Half>(wave)), select_{(i.op_sel >> n & 1) != 0, (i.op_sel_hi >> n & 1) != 0},
        flip_{(i.negate >> n & 1) != 0 ? 0x8000u : 0u, (i.negate_hi >> n & 1) != 0 ? 0x8000u : 0u} {
    const u32 code = i.sources[n];
    if (code >= kFirstVector) {
      wave.check_vgpr(code - kFirstVector, 1, wave.exec());
      lanes_ = wave.vgpr(code - kFirstVector).data();
    } else {
      // Integers have 32 bits, with their sign; floats are halves with zeros above where the instruction is one of
      // halves, else floats of 32 bits. [LLVM: getInlineEncodingV216]
      fixed_ = real && code >= 240 && code <= 248 ? half_constant(code) : wave.source32(i, code);
    }
    if (!real && (flip_[0] | flip_[1]) != 0) wave.stop("a floating-point modifier on an operand that is none");
  }
  [[nodiscard]] u32 bits(u32 lane, u32 half) const {
    const u32 value = lanes_ != nullptr ? lanes_[lane] : fixed_;
    return ((select_[half] ? value >> 16 : value) & 0xffff) ^ flip_[half];
  }
  template <class T>
  [[nodiscard]] T at(u32 lane, u32 half) const {
    const u32 value = bits(lane, half);
    if constexpr (kHalf<T>)
      return flush(Half{from_half(value), value}, keep_);
    else
      return static_cast<T>(value);
  }

 private:
  bool keep_;
  std::array<bool, 2> select_;
  std::array<u32, 2> flip_;
  const u32* lanes_ = nullptr;
  u32 fixed_ = 0;
};

template <class T>
inline constexpr bool kIsSaturated = false;
template <class T>
inline constexpr bool kIsSaturated<Saturated<T>> = true;

// A function of two or three halves; its result is a half, cut off or, of `Saturated`, saturated with clamp.
template <class Signature>
struct Packed;
template <class R, class... A>
struct Packed<R (*)(A...)> {
  static constexpr bool kReals = (kHalf<A> || ...);
  template <class F>
  static void execute(Wave& wave, const Instruction& i) {
    run<F>(wave, i, std::index_sequence_for<A...>{});
  }
  template <class F, std::size_t... N>
  static void run(Wave& wave, const Instruction& i, std::index_sequence<N...>) {
    if (i.clamp && !kReals && !kIsSaturated<R>) return wave.stop("clamp on what does not overflow");
    const std::array<Pair, sizeof...(A)> in{Pair(wave, i, N, kReals)...};
    Lanes& out = wave.vgpr(i.destination);
    if (wave.status() == Status::Stopped) return;
    const bool keep = keeps_denormals<Half>(wave), dx10 = wave.launch().dx10_clamp;
    each_lane(wave, [&](u32 lane) {
      std::array<u32, 2> halves{};
      for (u32 half = 0; half < 2; ++half) {
        const R result = F{}(in[N].template at<A>(lane, half)...);
        if constexpr (kIsSaturated<R>) {
          halves[half] = static_cast<u32>(result.as(i.clamp));
        } else if constexpr (kHalf<R>) {
          halves[half] = to_bits(flush(modify_output(result, i, dx10), keep));
        } else {
          halves[half] = static_cast<u32>(result);
        }
      }
      out[lane] = (halves[0] & 0xffff) | halves[1] << 16;
    });
    wave.define_vgpr(i.destination, 1, wave.exec());
  }
  template <class F>
  static constexpr Semantics semantics() {
    constexpr Shape kShape = kReals ? Shape::F32 : Shape::B32;
    Semantics out{.execute = &execute<F>, .destination = kShape};
    for (std::size_t n = 0; n < sizeof...(A); ++n) out.sources[n] = kShape;
    return out;
  }
};
template <class F>
consteval Semantics packed(F) {
  return Packed<decltype(+F{})>::template semantics<F>();
}

// --- products of halves and floats ---------------------------------------------------------------------------------

// A source is a float, or a half where OP_SEL_HI says so: which one, OP_SEL. NEG_HI takes the absolute value. [VEGA:
// «V_MAD_MIX_F32»]
class Mixed {
 public:
  Mixed(Wave& wave, const Instruction& i, u32 n)
      : half_((i.op_sel_hi >> n & 1) != 0), shift_((i.op_sel >> n & 1) != 0 ? 16 : 0),
        absolute_((i.negate_hi >> n & 1) != 0), negative_((i.negate >> n & 1) != 0),
        keep_(half_ ? keeps_denormals<Half>(wave) : keeps_denormals<float>(wave)) {
    const u32 code = i.sources[n];
    if (code >= kFirstVector) {
      wave.check_vgpr(code - kFirstVector, 1, wave.exec());
      lanes_ = wave.vgpr(code - kFirstVector).data();
    } else {
      if (half_ && code >= 128) wave.stop("a constant as a half: no document says what it is");
      fixed_ = wave.source32(i, code);
    }
  }
  [[nodiscard]] float at(u32 lane) const {
    const u32 bits = lanes_ != nullptr ? lanes_[lane] : fixed_;
    float value = 0;
    if (half_)
      value = static_cast<float>(flush(Half{from_half(bits >> shift_ & 0xffff)}, keep_).value);
    else
      value = flush(std::bit_cast<float>(bits), keep_);
    if (absolute_) value = std::fabs(value);
    return negative_ ? -value : value;
  }

 private:
  bool half_;
  u32 shift_;
  bool absolute_, negative_, keep_;
  const u32* lanes_ = nullptr;
  u32 fixed_ = 0;
};

// Where the result goes: the whole register as a float, or one half of it.
enum class To : u8 { Float, Low, High };
template <bool Fused, To Where>
void mix(Wave& wave, const Instruction& i) {
  const Mixed a(wave, i, 0), b(wave, i, 1), c(wave, i, 2);
  Lanes& out = wave.vgpr(i.destination);
  if (wave.status() == Status::Stopped) return;
  const bool keep = keeps_denormals<float>(wave), keep_half = keeps_denormals<Half>(wave);
  each_lane(wave, [&](u32 lane) {
    const float product = flush(a.at(lane) * b.at(lane), keep);
    float value = Fused ? std::fma(a.at(lane), b.at(lane), c.at(lane)) : product + c.at(lane);
    value = modify_output(flush(value, keep), i, wave.launch().dx10_clamp);
    if constexpr (Where == To::Float) {
      out[lane] = std::bit_cast<u32>(value);
    } else {
      const u32 half = to_bits(flush(Half{value}, keep_half));
      out[lane] = Where == To::Low ? (out[lane] & 0xffff'0000) | half : (out[lane] & 0xffff) | half << 16;
    }
  });
  wave.define_vgpr(i.destination, 1, wave.exec());
}
template <bool Fused, To Where>
inline constexpr Semantics mixed{.execute = &mix<Fused, Where>,
                                 .destination = Shape::F32,
                                 .sources = {Shape::B32, Shape::B32, Shape::B32},
                                 .reads_destination = Where != To::Float};

// --- sums of products ----------------------------------------------------------------------------------------------

// Integers of `Bits` bits, as many as a register has, and a sum that clamp saturates. [VEGA: «V_DOT4_I32_I8»]
template <u32 Bits, bool Signed>
void dot(Wave& wave, const Instruction& i) {
  using Number = std::conditional_t<Signed, i32, u32>;
  if ((i.negate | i.negate_hi) != 0) return wave.stop("a floating-point modifier on an operand that is none");
  const Source<u32> a(wave, i, 0), b(wave, i, 1), c(wave, i, 2);
  Lanes& out = wave.vgpr(i.destination);
  if (wave.status() == Status::Stopped) return;
  const auto part = [](u32 value, u32 n) -> i64 {
    const u32 top = value << (32 - Bits * (n + 1));
    return Signed ? i64{static_cast<i32>(top) >> (32 - Bits)} : i64{top >> (32 - Bits)};
  };
  each_lane(wave, [&](u32 lane) {
    i64 sum = static_cast<Number>(c.at(lane));
    for (u32 n = 0; n < 32 / Bits; ++n) sum += part(a.at(lane), n) * part(b.at(lane), n);
    using Range = std::numeric_limits<Number>;
    out[lane] = static_cast<u32>(i.clamp ? std::clamp<i64>(sum, Range::min(), Range::max()) : sum);
  });
  wave.define_vgpr(i.destination, 1, wave.exec());
}
template <u32 Bits, bool Signed>
inline constexpr Semantics dots{
    .execute = &dot<Bits, Signed>, .destination = Shape::B32, .sources = {Shape::B32, Shape::B32, Shape::B32}};

// --- the table -----------------------------------------------------------------------------------------------------

// clang-format off
constexpr Row kPackedRows[] = {
    {Opcode::v_pk_mad_i16, packed([](i16 a, i16 b, i16 c) -> Saturated<i16> { return {i64{a} * b + c}; })},
    {Opcode::v_pk_mul_lo_u16, packed([](u16 a, u16 b) -> u16 { return static_cast<u16>(u32{a} * b); })},
    {Opcode::v_pk_add_i16, packed([](i16 a, i16 b) -> Saturated<i16> { return {a + b}; })},
    {Opcode::v_pk_sub_i16, packed([](i16 a, i16 b) -> Saturated<i16> { return {a - b}; })},
    {Opcode::v_pk_lshlrev_b16, packed([](u16 a, u16 b) -> u16 { return static_cast<u16>(b << (a & 15)); })},
    {Opcode::v_pk_lshrrev_b16, packed([](u16 a, u16 b) -> u16 { return static_cast<u16>(b >> (a & 15)); })},
    {Opcode::v_pk_ashrrev_i16, packed([](u16 a, i16 b) -> u16 { return static_cast<u16>(b >> (a & 15)); })},
    {Opcode::v_pk_max_i16, packed([](i16 a, i16 b) -> i16 { return std::max(a, b); })},
    {Opcode::v_pk_min_i16, packed([](i16 a, i16 b) -> i16 { return std::min(a, b); })},
    {Opcode::v_pk_mad_u16, packed([](u16 a, u16 b, u16 c) -> Saturated<u16> { return {i64{a} * b + c}; })},
    {Opcode::v_pk_add_u16, packed([](u16 a, u16 b) -> Saturated<u16> { return {a + b}; })},
    {Opcode::v_pk_sub_u16, packed([](u16 a, u16 b) -> Saturated<u16> { return {a - b}; })},
    {Opcode::v_pk_max_u16, packed([](u16 a, u16 b) -> u16 { return std::max(a, b); })},
    {Opcode::v_pk_min_u16, packed([](u16 a, u16 b) -> u16 { return std::min(a, b); })},
    {Opcode::v_pk_fma_f16, packed([](Half a, Half b, Half c) -> Half { return {a.value * b.value + c.value}; })},
    {Opcode::v_pk_add_f16, packed([](Half a, Half b) -> Half { return {a.value + b.value}; })},
    {Opcode::v_pk_mul_f16, packed([](Half a, Half b) -> Half { return {a.value * b.value}; })},
    {Opcode::v_pk_min_f16, packed([](Half a, Half b) -> Half { return {least(a.value, b.value)}; })},
    {Opcode::v_pk_max_f16, packed([](Half a, Half b) -> Half { return {most(a.value, b.value)}; })},
    {Opcode::v_mad_mix_f32, mixed<false, To::Float>},
    {Opcode::v_mad_mixlo_f16, mixed<false, To::Low>},
    {Opcode::v_mad_mixhi_f16, mixed<false, To::High>},
    {Opcode::v_fma_mix_f32, mixed<true, To::Float>},
    {Opcode::v_fma_mixlo_f16, mixed<true, To::Low>},
    {Opcode::v_fma_mixhi_f16, mixed<true, To::High>},
    {Opcode::v_dot2_i32_i16, dots<16, true>},
    {Opcode::v_dot2_u32_u16, dots<16, false>},
    {Opcode::v_dot4_i32_i8, dots<8, true>},
    {Opcode::v_dot4_u32_u8, dots<8, false>},
    {Opcode::v_dot8_i32_i4, dots<4, true>},
    {Opcode::v_dot8_u32_u4, dots<4, false>},
};
// clang-format on
static_assert(first_missing(Room::Packed, kPackedRows) == Opcode::none);

}  // namespace

std::span<const Row> packed_rows() { return kPackedRows; }

}  // namespace amdcompat::emulate
