// Instructions of 16 bits, SDWA, and what the interpreter does not run: packed ones, those of three sources of GFX9.
// Each is lifted, run by an OpenCL runtime over edge cases and random numbers, and compared with a model of one line
// written after AMD's manuals [VIA: «SDWA», «VOP2», «VOP3»; VEGA: «VOP3P», instruction chapter].
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace amdcompat_test::lifted::model_test {
namespace {

using amdcompat::Diagnostics;
using amdcompat::Program;
namespace gcn = amdcompat::gcn;
namespace lift = amdcompat::lift;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

constexpr u32 kSeed = 20260102;
// Registers of a lane's operands a, b, c and d, of the old destination; the result.
constexpr u32 kA = 4, kB = 5, kC = 6, kD = 7, kResult = 24;

using Model = std::function<u32(u32 a, u32 b, u32 c, u32 d)>;
struct Item {
  Instruction instruction;
  Model model;
};

i32 low_signed(u32 x) { return static_cast<i16>(x); }
u32 low(u32 x) { return x & 0xffff; }
u32 high(u32 x) { return x >> 16; }
u32 packed(u32 lower, u32 upper) { return low(lower) | upper << 16; }

// Floats of 16 bits, by way of doubles, in which sums and products of them are exact.
double from_half(u32 bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1, mantissa = bits & 0x3ff;
  const int exponent = static_cast<int>(bits >> 10 & 31);
  if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * INFINITY;
  return exponent == 0 ? sign * std::ldexp(mantissa, -24) : sign * std::ldexp(mantissa + 1024, exponent - 25);
}
u32 to_half(double x) {
  if (std::isnan(x)) return 0x7e00;
  const u32 sign = std::signbit(x) ? 0x8000 : 0;
  x = std::fabs(x);
  if (std::isinf(x)) return sign | 0x7c00;
  if (x == 0) return sign;
  const int exponent = std::max(std::ilogb(x), -14);
  const u32 units =
      static_cast<u32>(std::nearbyint(std::min(std::ldexp(x, 10 - exponent), 4096.0)));  // 2^-10 of it each
  const u32 bits = (static_cast<u32>(exponent + 14) << 10) + units;
  return sign | (bits >= 0x7c00 || exponent > 15 ? 0x7c00 : bits);
}
float f32(u32 bits) { return std::bit_cast<float>(bits); }

class Items {
 public:
  explicit Items(Generation generation) : generation_(generation) {}
  std::vector<Item> all;

  Instruction make(Opcode opcode) const {
    Instruction i = Code(generation_).make(opcode);
    i.destination = kResult;
    i.sources = {v(kA), gcn::info(opcode).sources[1] != gcn::Shape::None ? v(kB) : u16{0}, 0};
    if (gcn::info(opcode).sources[2] != gcn::Shape::None) i.sources[2] = v(kC);
    return i;
  }
  void plain(Opcode opcode, Model model) { all.push_back({make(opcode), std::move(model)}); }
  // In the parts `first` and `second` of the sources, to the part `to`: 0 to 3 a byte, 4 and 5 a half, 6 all.
  void sdwa(Opcode opcode, u8 first, u8 second, u8 to, u8 unused, u8 sign_extend, Model model) {
    Instruction i = make(opcode);
    i.variant = gcn::Variant::Sdwa;
    i.select0 = first;
    i.select1 = second;
    i.destination_select = to;
    i.destination_unused = unused;
    i.sign_extend = sign_extend;
    all.push_back({i, std::move(model)});
  }
  void packed_op(Opcode opcode, u8 op_sel, u8 op_sel_hi, Model model) {
    Instruction i = make(opcode);
    i.op_sel = op_sel;
    i.op_sel_hi = op_sel_hi;
    all.push_back({i, std::move(model)});
  }

 private:
  Generation generation_;
};

void add_16_bits(Items& items) {
  items.plain(Opcode::v_add_u16, [](u32 a, u32 b, u32, u32) { return low(a + b); });
  items.plain(Opcode::v_sub_u16, [](u32 a, u32 b, u32, u32) { return low(a - b); });
  items.plain(Opcode::v_subrev_u16, [](u32 a, u32 b, u32, u32) { return low(b - a); });
  items.plain(Opcode::v_mul_lo_u16, [](u32 a, u32 b, u32, u32) { return low(low(a) * low(b)); });
  items.plain(Opcode::v_lshlrev_b16, [](u32 a, u32 b, u32, u32) { return low(b << (a & 15)); });
  items.plain(Opcode::v_lshrrev_b16, [](u32 a, u32 b, u32, u32) { return low(b) >> (a & 15); });
  items.plain(Opcode::v_ashrrev_i16,
              [](u32 a, u32 b, u32, u32) { return low(static_cast<u32>(low_signed(b) >> (a & 15))); });
  items.plain(Opcode::v_max_u16, [](u32 a, u32 b, u32, u32) { return std::max(low(a), low(b)); });
  items.plain(Opcode::v_min_u16, [](u32 a, u32 b, u32, u32) { return std::min(low(a), low(b)); });
  items.plain(Opcode::v_max_i16, [](u32 a, u32 b, u32, u32) { return low(low_signed(a) > low_signed(b) ? a : b); });
  items.plain(Opcode::v_min_i16, [](u32 a, u32 b, u32, u32) { return low(low_signed(a) < low_signed(b) ? a : b); });
}
void add_sdwa(Items& items) {
  for (u8 part = 0; part < 4; ++part) {
    const u32 shift = 8u * part;
    items.sdwa(Opcode::v_add_f32, 6, 6, 6, 0, 0, [](u32 a, u32 b, u32, u32) {
      return std::bit_cast<u32>(std::bit_cast<float>(a) + std::bit_cast<float>(b));
    });
    items.sdwa(Opcode::v_and_b32, part, 6, 6, 0, 0, [=](u32 a, u32 b, u32, u32) { return (a >> shift & 255) & b; });
    items.sdwa(Opcode::v_or_b32, 6, part, 6, 0, 2,
               [=](u32 a, u32 b, u32, u32) { return a | static_cast<u32>(static_cast<i32>(b >> shift << 24) >> 24); });
    items.sdwa(Opcode::v_xor_b32, 6, 6, part, 0, 0, [=](u32 a, u32 b, u32, u32) { return ((a ^ b) & 255) << shift; });
    items.sdwa(Opcode::v_xor_b32, 6, 6, part, 2, 0,
               [=](u32 a, u32 b, u32, u32 d) { return (d & ~(u32{255} << shift)) | ((a ^ b) & 255) << shift; });
    items.sdwa(Opcode::v_lshlrev_b32, part, 5, 6, 0, 0,
               [=](u32 a, u32 b, u32, u32) { return high(b) << (a >> shift & 31); });
  }
  for (const u8 half : {u8{4}, u8{5}}) {
    const u32 shift = half == 5 ? 16 : 0;
    items.sdwa(Opcode::v_max_u32, half, half, 6, 0, 0,
               [=](u32 a, u32 b, u32, u32) { return std::max(low(a >> shift), low(b >> shift)); });
    items.sdwa(Opcode::v_min_i32, half, 6, 6, 0, 1, [=](u32 a, u32 b, u32, u32) {
      return static_cast<u32>(std::min(low_signed(a >> shift), static_cast<i32>(b)));
    });
    items.sdwa(Opcode::v_xor_b32, 6, 6, half, 1, 0,
               [=](u32 a, u32 b, u32, u32) { return static_cast<u32>(low_signed(a ^ b)) << shift; });
    items.sdwa(Opcode::v_add_u16, half, half, half, 2, 0, [=](u32 a, u32 b, u32, u32 d) {
      return (d & ~(u32{0xffff} << shift)) | low((a >> shift) + (b >> shift)) << shift;
    });
  }
}
// Sums of products of parts of two words, and a third one.
void add_dots(Items& items) {
  const auto sum = [](u32 bits, bool is_signed) {
    return [=](u32 a, u32 b, u32 c, u32) {
      for (u32 n = 0; n < 32; n += bits) {
        const auto part = [&](u32 x) {
          const u32 top = x << (32 - bits - n);
          return is_signed ? static_cast<u32>(static_cast<i32>(top) >> (32 - bits)) : top >> (32 - bits);
        };
        c += part(a) * part(b);
      }
      return c;
    };
  };
  items.packed_op(Opcode::v_dot2_i32_i16, 0, 7, sum(16, true));
  items.packed_op(Opcode::v_dot2_u32_u16, 0, 7, sum(16, false));
  items.packed_op(Opcode::v_dot4_i32_i8, 0, 7, sum(8, true));
  items.packed_op(Opcode::v_dot4_u32_u8, 0, 7, sum(8, false));
  items.packed_op(Opcode::v_dot8_i32_i4, 0, 7, sum(4, true));
  items.packed_op(Opcode::v_dot8_u32_u4, 0, 7, sum(4, false));
}
void add_gfx9(Items& items) {
  add_dots(items);
  items.plain(Opcode::v_mad_u32_u16, [](u32 a, u32 b, u32 c, u32) { return low(a) * low(b) + c; });
  items.plain(Opcode::v_mad_i32_i16,
              [](u32 a, u32 b, u32 c, u32) { return static_cast<u32>(low_signed(a) * low_signed(b)) + c; });
  items.plain(Opcode::v_add_i16, [](u32 a, u32 b, u32, u32) { return low(a + b); });
  items.plain(Opcode::v_sub_i16, [](u32 a, u32 b, u32, u32) { return low(a - b); });
  items.plain(Opcode::v_add_nc_u32, [](u32 a, u32 b, u32, u32) { return a + b; });
  items.plain(Opcode::v_sub_nc_u32, [](u32 a, u32 b, u32, u32) { return a - b; });
  items.plain(Opcode::v_subrev_nc_u32, [](u32 a, u32 b, u32, u32) { return b - a; });
  items.plain(Opcode::v_add3_u32, [](u32 a, u32 b, u32 c, u32) { return a + b + c; });
  items.plain(Opcode::v_lshl_add_u32, [](u32 a, u32 b, u32 c, u32) { return (a << (b & 31)) + c; });
  items.plain(Opcode::v_add_lshl_u32, [](u32 a, u32 b, u32 c, u32) { return (a + b) << (c & 31); });
  items.plain(Opcode::v_lshl_or_b32, [](u32 a, u32 b, u32 c, u32) { return (a << (b & 31)) | c; });
  items.plain(Opcode::v_and_or_b32, [](u32 a, u32 b, u32 c, u32) { return (a & b) | c; });
  items.plain(Opcode::v_or3_b32, [](u32 a, u32 b, u32 c, u32) { return a | b | c; });
  items.plain(Opcode::v_xad_u32, [](u32 a, u32 b, u32 c, u32) { return (a ^ b) + c; });
  items.plain(Opcode::v_mad_u16,
              [](u32 a, u32 b, u32 c, u32 d) { return (d & 0xffff0000) | low(low(a) * low(b) + c); });
  items.plain(Opcode::v_mad_legacy_u16, [](u32 a, u32 b, u32 c, u32) { return low(low(a) * low(b) + c); });
  items.plain(Opcode::v_perm_b32, [](u32 a, u32 b, u32 c, u32) {
    u32 out = 0;
    const u64 both = u64{a} << 32 | b;
    for (u32 n = 0; n < 32; n += 8) {
      const u32 s = c >> n & 255;
      u32 byte = 255;
      if (s < 8) byte = static_cast<u32>(both >> 8 * s) & 255;
      if (s >= 8 && s < 12) byte = (both >> (16 * (s - 8) + 15) & 1) != 0 ? 255 : 0;
      if (s == 12) byte = 0;
      out |= byte << n;
    }
    return out;
  });
  constexpr u8 kAll = 7;
  items.packed_op(Opcode::v_pk_add_u16, 0, kAll,
                  [](u32 a, u32 b, u32, u32) { return packed(a + b, high(a) + high(b)); });
  items.packed_op(Opcode::v_pk_sub_i16, 1, 2,
                  [](u32 a, u32 b, u32, u32) { return packed(high(a) - b, low(a) - high(b)); });
  items.packed_op(Opcode::v_pk_mul_lo_u16, 0, kAll,
                  [](u32 a, u32 b, u32, u32) { return packed(low(a) * low(b), high(a) * high(b)); });
  items.packed_op(Opcode::v_pk_mad_u16, 0, kAll,
                  [](u32 a, u32 b, u32 c, u32) { return packed(low(a) * low(b) + c, high(a) * high(b) + high(c)); });
  items.packed_op(Opcode::v_pk_lshlrev_b16, 0, kAll,
                  [](u32 a, u32 b, u32, u32) { return packed(b << (a & 15), high(b) << (high(a) & 15)); });
  items.packed_op(Opcode::v_pk_lshrrev_b16, 0, kAll,
                  [](u32 a, u32 b, u32, u32) { return packed(low(b) >> (a & 15), high(b) >> (high(a) & 15)); });
  items.packed_op(Opcode::v_pk_ashrrev_i16, 0, kAll, [](u32 a, u32 b, u32, u32) {
    return packed(static_cast<u32>(low_signed(b) >> (a & 15)), static_cast<u32>(low_signed(high(b)) >> (high(a) & 15)));
  });
  items.packed_op(Opcode::v_pk_max_i16, 0, kAll, [](u32 a, u32 b, u32, u32) {
    return packed(low_signed(a) > low_signed(b) ? a : b, low_signed(high(a)) > low_signed(high(b)) ? high(a) : high(b));
  });
  items.packed_op(Opcode::v_pk_min_u16, 0, kAll,
                  [](u32 a, u32 b, u32, u32) { return packed(std::min(low(a), low(b)), std::min(high(a), high(b))); });
}

void add_half_floats(Items& items, Generation generation) {
  const bool nine = generation == Generation::Gfx9;
  const auto of = [](auto operation) {
    return [=](u32 a, u32 b, u32 c, u32) { return to_half(operation(from_half(a), from_half(b), from_half(c))); };
  };
  // From GFX9 on those of three operands leave the other half alone.
  const auto three = [=](auto operation) {
    return [=](u32 a, u32 b, u32 c, u32 d) {
      return (nine ? d & 0xffff0000 : 0) | to_half(operation(from_half(a), from_half(b), from_half(c)));
    };
  };
  const auto least = [](double a, double b, double) { return std::isnan(a) ? b : std::isnan(b) ? a : std::min(a, b); };
  const auto most = [](double a, double b, double) { return std::isnan(a) ? b : std::isnan(b) ? a : std::max(a, b); };
  items.plain(Opcode::v_add_f16, of([](double a, double b, double) { return a + b; }));
  items.plain(Opcode::v_sub_f16, of([](double a, double b, double) { return a - b; }));
  items.plain(Opcode::v_subrev_f16, of([](double a, double b, double) { return b - a; }));
  items.plain(Opcode::v_mul_f16, of([](double a, double b, double) { return a * b; }));
  items.plain(Opcode::v_floor_f16, of([](double a, double, double) { return std::floor(a); }));
  items.plain(Opcode::v_ceil_f16, of([](double a, double, double) { return std::ceil(a); }));
  items.plain(Opcode::v_trunc_f16, of([](double a, double, double) { return std::trunc(a); }));
  items.plain(Opcode::v_rndne_f16, of([](double a, double, double) { return std::nearbyint(a); }));
  items.plain(Opcode::v_fma_f16, three([](double a, double b, double c) { return std::fma(a, b, c); }));
  items.plain(Opcode::v_cvt_f16_u16, [](u32 a, u32, u32, u32) { return to_half(low(a)); });
  items.plain(Opcode::v_cvt_f16_i16, [](u32 a, u32, u32, u32) { return to_half(low_signed(a)); });
  items.plain(Opcode::v_cvt_u16_f16, [](u32 a, u32, u32, u32) {
    const double x = from_half(a);
    return static_cast<u32>(std::isnan(x) ? 0 : std::clamp(std::trunc(x), 0.0, 65535.0));
  });
  items.plain(Opcode::v_cvt_i16_f16, [](u32 a, u32, u32, u32) {
    const double x = from_half(a);
    return low(static_cast<u32>(static_cast<i32>(std::isnan(x) ? 0 : std::clamp(std::trunc(x), -32768.0, 32767.0))));
  });
  items.plain(Opcode::v_ldexp_f16,
              [](u32 a, u32 b, u32, u32) { return to_half(std::ldexp(from_half(a), low_signed(b))); });
  // Zeros of both signs are as good as each other there.
  items.plain(Opcode::v_min_f16, of(least));
  items.plain(Opcode::v_max_f16, of(most));
  items.plain(Opcode::v_fract_f16,
              of([](double a, double, double) { return std::min(a - std::floor(a), 0x1.ffcp-1); }));
  // Rounded between the product and the sum, and a literal of 16 bits.
  for (const auto& [opcode, multiplies] : {std::pair{Opcode::v_madak_f16, false}, {Opcode::v_madmk_f16, true}}) {
    Instruction i = items.make(opcode);
    i.literal = 0x4123;
    i.sources[2] = 0;
    items.all.push_back({i, three([multiplies = multiplies](double a, double b, double) {
                           const double k = from_half(0x4123);
                           return from_half(to_half(a * (multiplies ? k : b))) + (multiplies ? b : k);
                         })});
  }
  if (nine) {
    items.plain(Opcode::v_min3_f16, of([=](double a, double b, double c) { return least(least(a, b, 0), c, 0); }));
    items.plain(Opcode::v_max3_f16, of([=](double a, double b, double c) { return most(most(a, b, 0), c, 0); }));
    items.plain(Opcode::v_med3_f16, of([=](double a, double b, double c) {
                  if (std::isnan(a) || std::isnan(b) || std::isnan(c)) return least(least(a, b, 0), c, 0);
                  return std::max(std::min(a, b), std::min(std::max(a, b), c));
                }));
  }
  Instruction clamped = items.make(Opcode::v_add_f16);
  clamped.format = gcn::Format::Vop3;
  clamped.clamp = true;
  clamped.negate = 2;
  clamped.absolute = 1;
  items.all.push_back({clamped, of([](double a, double b, double) {
                         const double x = std::fabs(a) - b;
                         return std::isnan(x) ? 0 : std::clamp(x, 0.0, 1.0);
                       })});
  items.sdwa(Opcode::v_mul_f16, 5, 4, 6, 0, 0,
             [](u32 a, u32 b, u32, u32) { return to_half(from_half(high(a)) * from_half(b)); });
  // Inline constants have the size of the operand: 1.0, -4.0, 1/(2 pi), and 64 and -16 as bits.
  for (const auto& [code, value] : {std::pair<u16, float>{242, 1.0f},
                                    {247, -4.0f},
                                    {248, 0x1.46p-3f},
                                    {192, static_cast<float>(from_half(64))},
                                    {208, static_cast<float>(from_half(0xfff0))}}) {
    Instruction of_constant = items.make(Opcode::v_cvt_f32_f16);
    of_constant.sources[0] = code;
    items.all.push_back({of_constant, [value = value](u32, u32, u32, u32) { return std::bit_cast<u32>(value); }});
  }
}
void add_packed_floats(Items& items) {
  const auto both = [](u32 a, u32 b, u32 c, auto operation) {
    return packed(to_half(operation(from_half(a), from_half(b), from_half(c))),
                  to_half(operation(from_half(high(a)), from_half(high(b)), from_half(high(c)))));
  };
  items.packed_op(Opcode::v_pk_add_f16, 0, 7, [=](u32 a, u32 b, u32 c, u32) {
    return both(a, b, c, [](double x, double y, double) { return x + y; });
  });
  items.packed_op(Opcode::v_pk_mul_f16, 1, 2, [](u32 a, u32 b, u32, u32) {
    return packed(to_half(from_half(high(a)) * from_half(b)), to_half(from_half(a) * from_half(high(b))));
  });
  items.packed_op(Opcode::v_pk_fma_f16, 0, 7, [=](u32 a, u32 b, u32 c, u32) {
    return both(a, b, c, [](double x, double y, double z) { return std::fma(x, y, z); });
  });
  Instruction negated = items.make(Opcode::v_pk_add_f16);
  negated.op_sel_hi = 7;
  negated.negate = 2;
  negated.negate_hi = 1;
  items.all.push_back({negated, [](u32 a, u32 b, u32, u32) {
                         return packed(to_half(from_half(a) - from_half(b)),
                                       to_half(from_half(high(b)) - from_half(high(a))));
                       }});
  // Of floats, and of halves where OP_SEL_HI says so.
  const auto mix = [&](Opcode opcode, Model model) {
    Instruction i = items.make(opcode);
    i.op_sel_hi = 5;
    i.op_sel = 4;
    items.all.push_back({i, std::move(model)});
  };
  const auto sum = [](u32 a, u32 b, u32 c) {
    volatile const float product = static_cast<float>(from_half(a)) * f32(b);
    return product + static_cast<float>(from_half(high(c)));
  };
  mix(Opcode::v_mad_mix_f32, [=](u32 a, u32 b, u32 c, u32) { return std::bit_cast<u32>(sum(a, b, c)); });
  mix(Opcode::v_mad_mixlo_f16, [=](u32 a, u32 b, u32 c, u32 d) { return (d & 0xffff0000) | to_half(sum(a, b, c)); });
  mix(Opcode::v_mad_mixhi_f16, [=](u32 a, u32 b, u32 c, u32 d) { return (d & 0xffff) | to_half(sum(a, b, c)) << 16; });
}
void add_saturating(Items& items) {
  const auto add = [&](Opcode opcode, Model model) {
    Instruction i = items.make(opcode);
    i.format = gcn::Format::Vop3;
    i.clamp = true;
    items.all.push_back({i, std::move(model)});
  };
  const auto inside = [](i64 x, i64 least, i64 most) { return static_cast<u32>(std::clamp(x, least, most)); };
  constexpr i64 kLeast = -0x80000000ll, kMost = 0x7fffffff;
  add(Opcode::v_add_nc_u32, [=](u32 a, u32 b, u32, u32) { return inside(i64{a} + b, 0, 0xffffffffll); });
  add(Opcode::v_sub_nc_u32, [=](u32 a, u32 b, u32, u32) { return inside(i64{a} - b, 0, 0xffffffffll); });
  const auto s = [](u32 x) { return i64{static_cast<i32>(x)}; };
  add(Opcode::v_add_nc_i32, [=](u32 a, u32 b, u32, u32) { return inside(s(a) + s(b), kLeast, kMost); });
  add(Opcode::v_sub_nc_i32, [=](u32 a, u32 b, u32, u32) { return inside(s(a) - s(b), kLeast, kMost); });
  add(Opcode::v_add_u16, [=](u32 a, u32 b, u32, u32) { return inside(i64{low(a)} + low(b), 0, 65535); });
  add(Opcode::v_sub_u16, [=](u32 a, u32 b, u32, u32) { return inside(i64{low(a)} - low(b), 0, 65535); });
  Instruction i = items.make(Opcode::v_pk_add_i16);
  i.op_sel_hi = 7;
  i.clamp = true;
  items.all.push_back({i, [=](u32 a, u32 b, u32, u32) {
                         return packed(inside(low_signed(a) + low_signed(b), -32768, 32767),
                                       inside(low_signed(high(a)) + low_signed(high(b)), -32768, 32767));
                       }});
}

// Words of which a lane has four.
Words input(u32 lanes) {
  constexpr std::array<u32, 16> kEdges{0,      1,      15,     16,      31,         32,         0x7f,       0x80,
                                       0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff, 0x80018000};
  std::mt19937 random(kSeed);
  Words out;
  for (u32 lane = 0; lane < lanes; ++lane)
    for (u32 n = 0; n < 4; ++n) {
      const u32 edge = lane < 256 && n < 2 ? kEdges[n == 0 ? lane / 16 : lane % 16] : kEdges[random() % kEdges.size()];
      out.push_back(lane < 256 || random() % 4 == 0 ? edge : static_cast<u32>(random()));
    }
  return out;
}

// Of floats of 16 bits: a NaN is as good as another, and so is a zero.
bool same_half(u32 a, u32 b) {
  const auto nan = [](u32 x) { return (x & 0x7c00) == 0x7c00 && (x & 0x3ff) != 0; };
  return low(a) == low(b) || (nan(a) && nan(b)) || ((a | b) & 0x7fff) == 0;
}
void try_items(const Items& items, Generation generation) {
  constexpr u32 kLanesTried = 1024;
  Small small{.name = "k", .code = Code(generation)};
  Code& code = small.code;
  code.prologue().place(2, kInSlot, 4).place(3, kOutSlot, static_cast<u32>(items.all.size()));
  code.buffer(Opcode::buffer_load_dwordx4, kA, 2, kIn);
  for (u32 n = 0; n < items.all.size(); ++n) {
    code.op(Opcode::v_mov_b32, kResult, v(kD));
    code.add(items.all[n].instruction);
    code.buffer(Opcode::buffer_store_dword, kResult, 3, kOut, 4 * n);
  }
  code.end();
  const Program program = program_of(std::span(&small, 1));
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(program, {}, diagnostics);
  for (const auto& d : diagnostics.all()) ADD_FAILURE() << d.message;
  Data run{.in = input(kLanesTried), .out = Words(kLanesTried * items.all.size())};
  const opencl::Result result =
      opencl::run({.source = unit.source, .launches = {launch_of("k", run, kLanesTried)}, .seconds = 60});
  ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << unit.source;
  ASSERT_EQ(result.launches[0].status, opencl::Status::Ok) << result.launches[0].message;
  const Words got = words_of(result.launches[0].buffers[1]);
  Words machine;  // by the interpreter
  if (generation <= Generation::Gfx8) {
    const Ran ran = interpret(program, 0, run, kLanesTried);
    EXPECT_EQ(ran.problem, "");
    machine = ran.out;
  }
  for (u32 n = 0; n < items.all.size(); ++n) {
    const std::string name = gcn::disassemble(items.all[n].instruction, generation);
    for (u32 lane = 0, said = 0; lane < kLanesTried && said < 2; ++lane) {
      const u32* const x = run.in.data() + std::size_t{lane} * 4;
      const u32 expected = items.all[n].model(x[0], x[1], x[2], x[3]), is = got[lane * items.all.size() + n];
      const auto equal = [&](u32 value) {
        const bool nan = name.find("f32") != std::string::npos && (expected & 0x7fffffff) > 0x7f800000 &&
                         (value & 0x7fffffff) > 0x7f800000;
        return value == expected || nan ||
               (name.find("_f16") != std::string::npos && same_half(value, expected) &&
                same_half(high(value), high(expected)));
      };
      if (!machine.empty() && !equal(machine[lane * items.all.size() + n])) {
        ++said;
        ADD_FAILURE() << fmt::format("{} of 0x{:x}, 0x{:x}, 0x{:x}, 0x{:x}: interpreter 0x{:x}, model 0x{:x}", name,
                                     x[0], x[1], x[2], x[3], machine[lane * items.all.size() + n], expected);
      }
      if (equal(is)) continue;
      ++said;
      ADD_FAILURE() << fmt::format("{} of 0x{:x}, 0x{:x}, 0x{:x}, 0x{:x}: lifted 0x{:x}, model 0x{:x}", name, x[0],
                                   x[1], x[2], x[3], is, expected);
    }
  }
  fmt::print("{} instructions\n", items.all.size());
}

// What `lift` writes: comments above a kernel are its own, and braces that end it stand at the start of a line.
TEST(KernelSources, AreThePartsOfAUnit) {
  const std::string first = "// about one\n__kernel\nvoid one(__global uint* a) {\n  if (a) {\n  }\n}";
  const std::string second = "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\nvoid two() {\n}";
  const std::string unit = "// the unit\nuint helper(uint x) {\n  return x;\n}\n\n" + first + "\n\n" + second + "\n";
  const auto parts = lift::kernel_sources(unit);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts.at("one"), first);
  EXPECT_EQ(parts.at("two"), second);
  EXPECT_TRUE(lift::kernel_sources("__kernel\nvoid broken(").empty());
}

TEST(LiftedModels, InstructionsOf16BitsAndSdwaComputeWhatTheManualSays) {
  AMDCOMPAT_NEEDS_OPENCL();
  for (const Generation generation : {Generation::Gfx8, Generation::Gfx9}) {
    Items items(generation);
    add_16_bits(items);
    add_sdwa(items);
    try_items(items, generation);
  }
}
TEST(LiftedModels, FloatsOf16BitsAndSaturationComputeWhatTheManualSays) {
  AMDCOMPAT_NEEDS_OPENCL();
  for (const Generation generation : {Generation::Gfx8, Generation::Gfx9}) {
    Items items(generation);
    add_half_floats(items, generation);
    if (generation == Generation::Gfx9) {
      add_packed_floats(items);
      add_saturating(items);
    }
    try_items(items, generation);
  }
}
// 53 bits of 2/pi each, behind as many as the exponent says. [VIA ISA, «V_TRIG_PREOP_F64»]
TEST(LiftedModels, PartsOfTwoByPiAreThoseOfTheNumber) {
  AMDCOMPAT_NEEDS_OPENCL();
  constexpr u32 kParts = 4;
  Small small{.name = "k", .code = Code()};
  Code& code = small.code;
  code.prologue().place(2, kInSlot, 2).place(3, kOutSlot, 2 * kParts);
  code.buffer(Opcode::buffer_load_dwordx2, kA, 2, kIn);
  for (u32 n = 0; n < kParts; ++n) {
    Instruction i = code.make(Opcode::v_trig_preop_f64);
    i.destination = kResult;
    i.sources = {v(kA), number(n), 0};
    code.add(i).buffer(Opcode::buffer_store_dwordx2, kResult, 3, kOut, 8 * n);
  }
  code.end();
  const Program program = program_of(std::span(&small, 1));
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(program, {}, diagnostics);
  for (const auto& d : diagnostics.all()) ADD_FAILURE() << d.message;
  constexpr u32 kLanesTried = 64;
  constexpr double kFirst[kParts] = {0x1.45f306dc9c882p-1, 0x1.4a7f09d5f47d4p-54, 0x1.a6ee06db14accp-107,
                                     0x1.3c439041fe516p-160};
  Data run{.out = Words(kLanesTried * 2 * kParts)};
  for (u32 lane = 0; lane < kLanesTried; ++lane) {
    const u64 bits =
        std::bit_cast<u64>(lane % 2 == 0 ? 3.5 : std::ldexp(1.25, static_cast<int>(54 + 53 * (lane % 4 / 2))));
    run.in.push_back(static_cast<u32>(bits));
    run.in.push_back(static_cast<u32>(bits >> 32));
  }
  const opencl::Result result =
      opencl::run({.source = unit.source, .launches = {launch_of("k", run, kLanesTried)}, .seconds = 60});
  ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << unit.source;
  const Words got = words_of(result.launches[0].buffers[1]);
  const auto part = [&](u32 lane, u32 n) {
    const std::size_t at = std::size_t{lane} * 2 * kParts + 2 * n;
    return std::bit_cast<double>(u64{got[at]} | u64{got[at + 1]} << 32);
  };
  for (u32 n = 0; n < kParts; ++n) EXPECT_EQ(part(0, n), kFirst[n]) << n;
  for (u32 lane = 0; lane < kLanesTried; ++lane)
    for (u32 n = 0; n + 1 < kParts; ++n) {
      // An exponent of 1077 moves nothing, 53 more are one part.
      EXPECT_EQ(part(lane, n), part(0, n + (lane % 4 == 3 ? 1 : 0))) << lane;
    }
}
// v4 to v7 are a lane's words; the index is a parameter of the launch.
TEST(LiftedModels, RegistersThatAnIndexChoosesAreThose) {
  AMDCOMPAT_NEEDS_OPENCL();
  constexpr u32 kLanesTried = 128, kResults = 5, kSource = 1, kDestination = 8;
  Small small{.name = "k", .code = Code(Generation::Gfx8)};
  Code& code = small.code;
  code.prologue().place(2, kInSlot, 4).place(3, kOutSlot, kResults);
  code.buffer(Opcode::buffer_load_dwordx4, kA, 2, kIn);
  code.scalar_load(Opcode::s_buffer_load_dword, 50, kCb1, 32);  // p0, which stands in the third slot
  code.op(Opcode::s_and_b32, 50, 50, number(3));
  code.op(Opcode::s_set_gpr_idx_on, 0, 50, kSource).op(Opcode::v_mov_b32, kResult, v(kA));
  code.k(Opcode::s_set_gpr_idx_off, 0, 0);
  code.op(Opcode::s_set_gpr_idx_on, 0, 50, kDestination).op(Opcode::v_mov_b32, kA, number(9));
  code.k(Opcode::s_set_gpr_idx_off, 0, 0);
  code.buffer(Opcode::buffer_store_dword, kResult, 3, kOut, 0);
  for (u32 n = 0; n < 4; ++n) code.buffer(Opcode::buffer_store_dword, static_cast<u16>(kA + n), 3, kOut, 4 + 4 * n);
  code.end();
  const Program program = program_of(std::span(&small, 1));
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(program, {}, diagnostics);
  for (const auto& d : diagnostics.all()) ADD_FAILURE() << d.message;
  opencl::Request request{.source = unit.source, .seconds = 60};
  std::vector<Data> runs;
  for (u32 index = 0; index < 4; ++index) {
    runs.push_back({.in = input(kLanesTried), .out = Words(kLanesTried * kResults)});
    runs.back().values[0] = index + 4;
    request.launches.push_back(launch_of("k", runs.back(), kLanesTried));
  }
  const opencl::Result result = opencl::run(request);
  ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << unit.source;
  for (u32 index = 0; index < 4; ++index) {
    ASSERT_EQ(result.launches[index].status, opencl::Status::Ok) << result.launches[index].message;
    const Words got = words_of(result.launches[index].buffers[1]);
    for (u32 lane = 0; lane < kLanesTried; ++lane) {
      const u32* const x = runs[index].in.data() + std::size_t{lane} * 4;
      ASSERT_EQ(got[lane * kResults], x[index]) << unit.source;
      for (u32 n = 0; n < 4; ++n) ASSERT_EQ(got[lane * kResults + 1 + n], n == index ? 9 : x[n]) << unit.source;
    }
  }
}
// [VEGA: «V_SWAP_B32»] Of the enabled lanes; and in a loop, of which the next turn needs what this one leaves.
TEST(LiftedModels, RegistersThatAreSwappedHoldWhatTheOtherHeld) {
  AMDCOMPAT_NEEDS_OPENCL();
  constexpr u32 kLanesTried = 128, kResults = 4, kTurns = 3;
  Small small{.name = "k", .code = Code(Generation::Gfx9)};
  Code& code = small.code;
  code.prologue().place(2, kInSlot, 4).place(3, kOutSlot, kResults);
  code.buffer(Opcode::buffer_load_dwordx4, kA, 2, kIn);
  code.op(Opcode::v_cmp_gt_u32, 0, v(kA), v(kB)).op(Opcode::s_and_saveexec_b64, 30, kVccCode);
  code.op(Opcode::v_swap_b32, kA, v(kB)).op(Opcode::s_mov_b64, kExecCode, 30).op(Opcode::s_mov_b32, 50, number(0));
  const std::size_t head = code.here();
  code.op(Opcode::v_swap_b32, kC, v(kB)).op(Opcode::v_xor_b32, kD, v(kB), v(kD));
  code.op(Opcode::v_lshlrev_b32, kD, number(1), v(kD)).op(Opcode::s_add_u32, 50, 50, number(1));
  code.op(Opcode::s_cmp_lg_u32, 0, 50, number(kTurns)).branch(Opcode::s_cbranch_scc1, head);
  for (u32 n = 0; n < kResults; ++n) code.buffer(Opcode::buffer_store_dword, static_cast<u16>(kA + n), 3, kOut, 4 * n);
  code.end();
  const Program program = program_of(std::span(&small, 1));
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(program, {}, diagnostics);
  for (const auto& d : diagnostics.all()) ADD_FAILURE() << d.message;
  Data run{.in = input(kLanesTried), .out = Words(kLanesTried * kResults)};
  const opencl::Result result =
      opencl::run({.source = unit.source, .launches = {launch_of("k", run, kLanesTried)}, .seconds = 60});
  ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << unit.source;
  ASSERT_EQ(result.launches[0].status, opencl::Status::Ok) << result.launches[0].message;
  const Words got = words_of(result.launches[0].buffers[1]);
  for (u32 lane = 0; lane < kLanesTried; ++lane) {
    std::array<u32, kResults> x{};
    std::copy_n(run.in.begin() + std::ptrdiff_t{lane} * kResults, kResults, x.begin());
    if (x[0] > x[1]) std::swap(x[0], x[1]);
    for (u32 turn = 0; turn < kTurns; ++turn) {
      std::swap(x[1], x[2]);
      x[3] = (x[3] ^ x[1]) << 1;
    }
    for (u32 n = 0; n < kResults; ++n) ASSERT_EQ(got[lane * kResults + n], x[n]) << lane << unit.source;
  }
}
TEST(LiftedModels, InstructionsOfGfx9ComputeWhatTheManualSays) {
  AMDCOMPAT_NEEDS_OPENCL();
  Items items(Generation::Gfx9);
  add_gfx9(items);
  try_items(items, Generation::Gfx9);
}

}  // namespace
}  // namespace amdcompat_test::lifted::model_test
