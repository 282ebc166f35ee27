// Scalar instructions: what each does, from the documents, and programs around it. [SIA; CIA; VIA: SOP2, SOPK, SOP1,
// SOPC, SOPP; VEGA: examples of S_ABSDIFF_I32 and S_FLBIT_I32]
#include <algorithm>

#include "vectors.hpp"

namespace amdcompat::emulate::vectors {
namespace {

// Operands, zero-extended; `d` is what the destination holds before and after. `k` is SIMM16, sign-extended.
struct X {
  u64 a = 0, b = 0, d = 0;
  bool scc = false;
  i32 k = 0;
  [[nodiscard]] i32 sa() const { return static_cast<i32>(static_cast<u32>(a)); }
  [[nodiscard]] i32 sb() const { return static_cast<i32>(static_cast<u32>(b)); }
  [[nodiscard]] i32 sd() const { return static_cast<i32>(static_cast<u32>(d)); }
  [[nodiscard]] u32 uk() const { return static_cast<u32>(k) % 65536; }
  void set(Wide value) { d = static_cast<u64>(static_cast<UWide>(value)); }
};
using Function = std::function<void(X&)>;

bool fits(Wide value) { return value >= -(Wide{1} << 31) && value < Wide{1} << 31; }
u32 ones(u64 x) {
  u32 n = 0;
  for (; x != 0; x &= x - 1) ++n;
  return n;
}
// Position of the first bit of that value from one end, all ones without any.
u64 find(u64 x, u32 width, bool from_top, bool wanted) {
  for (u32 n = 0; n < width; ++n)
    if ((x >> (from_top ? width - 1 - n : n) & 1) == (wanted ? 1u : 0u)) return n;
  return 0xffffffff;
}
u64 sign_bits(u64 x, u32 width) {
  const u64 sign = x >> (width - 1) & 1;
  u32 n = 1;
  while (n < width && (x >> (width - 1 - n) & 1) == sign) ++n;
  return n == width ? 0xffffffff : n;
}
// Offset in the low bits of the second operand, width in bits 22:16; bits above the top are `is_signed ? sign : 0`.
u64 field(u64 x, u64 b, u32 width, bool is_signed) {
  const u64 offset = b % width;
  u64 size = b / 65536 % 128, out = 0;
  if (size == 0) return 0;
  for (u32 n = 0; n < width; ++n) {
    const u64 from = offset + (is_signed ? std::min<u64>(n, size - 1) : n);
    const bool bit = (from < width ? x >> from : is_signed ? x >> (width - 1) : 0) & 1;
    if ((n < size || is_signed) && bit) out |= u64{1} << n;
  }
  return out;
}
u64 by_table(u32 table, u64 a, u64 b, u32 width) {
  u64 out = 0;
  for (u32 n = 0; n < width; ++n) out |= u64{table >> ((a >> n & 1) * 2 + (b >> n & 1)) & 1} << n;
  return out;
}
Wide divided(Wide value, u64 by) {  // by a power of two, rounding down
  const Wide power = Wide{1} << by;
  return value < 0 ? -((-value + power - 1) / power) : value / power;
}

struct Shapes {
  char result = '.';
  std::string sources;
  bool immediate = false;
};

class Adder {
 public:
  explicit Adder(References& all) : all_(all) {}

  // "U=Uu": U is 64 bits, u is 32, '.' no destination.
  void add(const std::string& name, string_view text, Function function) {
    const Shapes shapes{text[0], std::string(text.substr(2)), false};
    all_[name] = {[shapes, function = std::move(function)](State& s, const Instruction& i) {
                    X x;
                    const auto read = [&](u32 n) {
                      return shapes.sources[n] == 'U' ? s.read64(i, i.sources[n], false)
                                                      : u64{s.read32(i, i.sources[n])};
                    };
                    x.a = read(0);
                    if (shapes.sources.size() > 1) x.b = read(1);
                    if (shapes.result == 'u') x.d = s.s[i.destination];
                    if (shapes.result == 'U') x.d = s.pair(i.destination);
                    x.scc = s.scc;
                    function(x);
                    if (shapes.result == 'u') s.s[i.destination] = static_cast<u32>(x.d);
                    if (shapes.result == 'U') s.set_pair(i.destination, x.d);
                    s.scc = x.scc;
                  },
                  [shapes](Maker& m, u32) { make(m, shapes); }, 10};
  }
  void immediate(const std::string& name, Function function) {
    all_[name] = {[function = std::move(function)](State& s, const Instruction& i) {
                    X x;
                    x.d = s.s[i.destination];
                    x.k = i.immediate;
                    x.scc = s.scc;
                    function(x);
                    s.s[i.destination] = static_cast<u32>(x.d);
                    s.scc = x.scc;
                  },
                  [](Maker& m, u32) { make(m, {'u', "", true}); }, 10};
  }
  void special(const std::string& name, std::function<void(State&, const Instruction&)> how,
               std::function<void(Maker&, u32)> program, u32 rounds) {
    all_[name] = {std::move(how), std::move(program), rounds};
  }

 private:
  static u32 source(Maker& m, Instruction& i, char kind, u32 n) {
    const bool wide = kind == 'U';
    switch (m.below(14)) {
      case 0:
      case 1: return 128 + m.below(65);
      case 2: return 193 + m.below(16);
      case 3: return 240 + m.below(m.gfx() >= Generation::Gfx8 ? 9 : 8);
      case 4:
      case 5:
        if (n == 1 && i.sources[0] == kLit) break;
        i.literal = static_cast<u32>(m.value('u'));
        if (wide) i.literal &= 0x7fffffff;  // whether it is extended by its sign is not said
        return kLit;
      case 6: return wide ? kVccLo : kM0Code;
      case 7: return wide ? kExecLo : kVccLo + m.below(2);
      case 8:
        if (!wide) return 251 + m.below(3);
        break;
      default: break;
    }
    return 16 + 2 * m.below(16);
  }
  static void make(Maker& m, const Shapes& shapes) {
    for (u32 n = 16; n < 48; n += 2) {
      const u64 bits = m.value('U');
      m.start.s[n] = m.chance(50) ? static_cast<u32>(m.value('u')) : static_cast<u32>(bits);
      m.start.s[n + 1] = static_cast<u32>(bits >> 32);
    }
    for (u32 n = 0; n < 20; ++n) {
      const bool set = m.chance(50);
      m.add_simple("s_cmp_lg_u32", 0, 128 + (set ? 1 : 0), 128);
      Instruction i = m.instance();
      i.scalar_destination = 0;
      for (u32 k = 0; k < shapes.sources.size(); ++k)
        i.sources[k] = static_cast<u16>(source(m, i, shapes.sources[k], k));
      // Fields of s_bfe: offset and width.
      if (m.row().name.starts_with("s_bfe") && m.chance(70)) {
        i.sources[1] = static_cast<u16>(m.chance(50) ? kLit : kM0Code);
        const u32 field = m.below(64) | m.below(80) << 16 | (m.chance(30) ? m.below(0x10000) << 16 : 0);
        if (i.sources[1] == kLit) {
          if (i.sources[0] == kLit) i.sources[0] = 20;
          i.literal = field;
        } else {
          if (i.sources[0] != kLit) i.literal = 0;
          m.add_simple("s_mov_b32", kM0Code, kLit, 0, field);
        }
      }
      if (shapes.result != '.') {
        u32 d = 48 + 2 * m.below(10);
        if (!shapes.immediate && m.chance(10)) d = shapes.result == 'U' ? (m.chance(50) ? kVccLo : kExecLo) : kM0Code;
        if (!shapes.immediate && m.chance(10)) d = 16 + 2 * m.below(16);  // over a source
        if (shapes.immediate) d = 16 + 2 * m.below(16);
        i.destination = static_cast<u16>(d);
      }
      if (shapes.immediate) {
        i.immediate = static_cast<i32>(static_cast<u16>(m.value('u')));
        if (i.immediate >= 0x8000) i.immediate -= 0x10000;
        // The register equals the immediate, as a number with or without sign, often enough.
        if (m.chance(40))
          m.start.s[i.destination] =
              static_cast<u32>(m.chance(50) ? i.immediate : i.immediate & 0xffff) + m.below(3) - 1;
      }
      m.add(i);
    }
  }
  References& all_;
};

// EXEC by a truth table of a source and EXEC; the destination gets the old one or the new one.
void add_exec(Adder& to, const std::string& name, u32 table, bool old_one) {
  to.special(
      name,
      [=](State& s, const Instruction& i) {
        const u64 source = s.read64(i, i.sources[0], false), old = s.exec(), now = by_table(table, source, old, 64);
        s.set_pair(i.destination, old_one ? old : now);
        s.set_pair(kExecLo, now);
        s.scc = now != 0;
      },
      [](Maker& m, u32) {
        for (u32 n = 0; n < 12; ++n) {
          m.add_simple("s_cmp_lg_u32", 0, 128 + m.below(2), 128);
          if (n % 3 == 2) m.add_simple("s_mov_b64", kExecLo, n % 2 == 0 ? 128 : 193);
          Instruction i = m.instance();
          const u32 choice = m.below(6);
          i.sources[0] = static_cast<u16>(choice == 0   ? 128
                                          : choice == 1 ? 193
                                          : choice == 2 ? kVccLo
                                                        : 20 + 2 * m.below(10));
          i.destination = static_cast<u16>(m.chance(20) ? kVccLo : m.chance(30) ? i.sources[0] : 48 + 2 * m.below(8));
          if (i.destination >= 128) i.destination = 60;
          m.add(i);
        }
      },
      6);
}

void add_arithmetic(Adder& to) {
  to.add("s_add_u32", "u=uu", [](X& x) {
    x.set(Wide{x.a} + x.b);
    x.scc = x.d >> 32 != 0;
  });
  to.add("s_sub_u32", "u=uu", [](X& x) {
    x.set(Wide{x.a} - x.b);
    x.scc = x.a < x.b;
  });
  to.add("s_add_i32", "u=uu", [](X& x) {
    x.set(Wide{x.sa()} + x.sb());
    x.scc = !fits(Wide{x.sa()} + x.sb());
  });
  to.add("s_sub_i32", "u=uu", [](X& x) {
    x.set(Wide{x.sa()} - x.sb());
    x.scc = !fits(Wide{x.sa()} - x.sb());
  });
  to.add("s_addc_u32", "u=uu", [](X& x) {
    x.set(Wide{x.a} + x.b + (x.scc ? 1 : 0));
    x.scc = x.d > 0xffffffff;
  });
  to.add("s_subb_u32", "u=uu", [](X& x) {
    const Wide r = Wide{x.a} - x.b - (x.scc ? 1 : 0);
    x.set(r);
    x.scc = r < 0;
  });
  // SCC: the first operand is the one.
  const auto choose = [](bool is_signed, bool less) {
    return [=](X& x) {
      const Wide difference = is_signed ? Wide{x.sa()} - x.sb() : Wide{x.a} - Wide{x.b};
      x.scc = less ? difference < 0 : difference > 0;
      x.d = x.scc ? x.a : x.b;
    };
  };
  to.add("s_min_i32", "u=uu", choose(true, true));
  to.add("s_min_u32", "u=uu", choose(false, true));
  to.add("s_max_i32", "u=uu", choose(true, false));
  to.add("s_max_u32", "u=uu", choose(false, false));
  to.add("s_cselect_b32", "u=uu", [](X& x) { x.d = x.scc ? x.a : x.b; });
  to.add("s_cselect_b64", "U=UU", [](X& x) { x.d = x.scc ? x.a : x.b; });
  // Truth tables: bit 2a+b.
  const std::pair<const char*, u32> logic[] = {{"s_and", 0b1000},   {"s_or", 0b1110},   {"s_xor", 0b0110},
                                               {"s_andn2", 0b0100}, {"s_orn2", 0b1101}, {"s_nand", 0b0111},
                                               {"s_nor", 0b0001},   {"s_xnor", 0b1001}};
  for (const auto& [name, table] : logic) {
    const u32 t = table;
    to.add(std::string(name) + "_b32", "u=uu", [t](X& x) {
      x.d = by_table(t, x.a, x.b, 32);
      x.scc = x.d != 0;
    });
    to.add(std::string(name) + "_b64", "U=UU", [t](X& x) {
      x.d = by_table(t, x.a, x.b, 64);
      x.scc = x.d != 0;
    });
    add_exec(to, std::string(name) + "_saveexec_b64", t, true);
  }
  // The mask's complement, and forms that give the new EXEC instead of the old one: bit 2 * source + EXEC.
  add_exec(to, "s_andn1_saveexec_b64", 0b0010, true);
  add_exec(to, "s_orn1_saveexec_b64", 0b1011, true);
  add_exec(to, "s_andn1_wrexec_b64", 0b0010, false);
  add_exec(to, "s_andn2_wrexec_b64", 0b0100, false);
  for (const bool wide : {false, true}) {
    const std::string b = wide ? "_b64" : "_b32", shape = wide ? "U=Uu" : "u=uu";
    const u64 width = wide ? 64 : 32;
    to.add("s_lshl" + b, shape, [=](X& x) {
      x.d = static_cast<u64>(UWide{x.a} * (UWide{1} << x.b % width)) & (wide ? ~u64{0} : 0xffffffff);
      x.scc = x.d != 0;
    });
    to.add("s_lshr" + b, shape, [=](X& x) {
      x.set(divided(x.a, x.b % width));
      x.scc = x.d != 0;
    });
    to.add(wide ? "s_ashr_i64" : "s_ashr_i32", shape, [=](X& x) {
      x.set(divided(wide ? Wide{static_cast<i64>(x.a)} : Wide{x.sa()}, x.b % width));
      x.scc = x.d != 0;
    });
    to.add("s_bfm" + b, wide ? "U=uu" : "u=uu", [=](X& x) {
      x.d = 0;
      for (u64 n = x.b % width; n < std::min(width, x.b % width + x.a % width); ++n) x.d |= u64{1} << n;
    });
    for (const bool is_signed : {false, true})
      to.add(std::string("s_bfe_") + (is_signed ? "i" : "u") + (wide ? "64" : "32"), shape, [=](X& x) {
        x.d = field(x.a, x.b, static_cast<u32>(width), is_signed);
        x.scc = x.d != 0;
      });
  }
  to.add("s_mul_i32", "u=uu", [](X& x) { x.set(Wide{x.sa()} * x.sb()); });
  to.add("s_mul_hi_u32", "u=uu", [](X& x) { x.set(divided(Wide{x.a} * x.b, 32)); });
  to.add("s_mul_hi_i32", "u=uu", [](X& x) { x.set(divided(Wide{x.sa()} * x.sb(), 32)); });
  for (const u64 bits : {1, 2, 3, 4})
    to.add("s_lshl" + std::to_string(bits) + "_add_u32", "u=uu", [bits](X& x) {
      const Wide sum = Wide{x.a} * (1 << bits) + x.b;
      x.set(sum);
      x.scc = sum > 0xffffffff;
    });
  to.add("s_pack_ll_b32_b16", "u=uu", [](X& x) { x.d = x.a % 65536 + x.b % 65536 * 65536; });
  to.add("s_pack_lh_b32_b16", "u=uu", [](X& x) { x.d = x.a % 65536 + x.b / 65536 * 65536; });
  to.add("s_pack_hh_b32_b16", "u=uu", [](X& x) { x.d = x.a / 65536 + x.b / 65536 * 65536; });
  to.add("s_bitreplicate_b64_b32", "U=u", [](X& x) {
    x.d = 0;
    for (u32 n = 64; n-- > 0;) x.d = x.d * 2 + (x.a >> n / 2) % 2;
  });
  // The difference of 32 bits, negated when negative: [VEGA] gives 0x80000000, 1 -> 0x7fffffff.
  to.add("s_absdiff_i32", "u=uu", [](X& x) {
    const i32 difference = static_cast<i32>(static_cast<u32>(x.a) - static_cast<u32>(x.b));
    x.set(difference < 0 ? -Wide{difference} : Wide{difference});
    x.scc = x.d != 0;
  });
}

void add_immediates(Adder& to) {
  to.immediate("s_movk_i32", [](X& x) { x.set(x.k); });
  to.immediate("s_cmovk_i32", [](X& x) {
    if (x.scc) x.set(x.k);
  });
  to.immediate("s_addk_i32", [](X& x) {
    x.scc = !fits(Wide{x.sd()} + x.k);
    x.set(Wide{x.sd()} + x.k);
  });
  to.immediate("s_mulk_i32", [](X& x) { x.set(Wide{x.sd()} * x.k); });
  // Relations: 1 less, 2 equal, 4 greater.
  const std::pair<const char*, u32> relations[] = {{"eq", 2}, {"lg", 5}, {"gt", 4}, {"ge", 6}, {"lt", 1}, {"le", 3}};
  const auto relation = [](Wide difference) { return difference < 0 ? 1u : difference == 0 ? 2u : 4u; };
  for (const auto& [name, set] : relations) {
    const u32 wanted = set;
    to.immediate(std::string("s_cmpk_") + name + "_i32",
                 [=](X& x) { x.scc = (wanted & relation(Wide{x.sd()} - x.k)) != 0; });
    to.immediate(std::string("s_cmpk_") + name + "_u32",
                 [=](X& x) { x.scc = (wanted & relation(Wide{x.d} - x.uk())) != 0; });
    to.add(std::string("s_cmp_") + name + "_i32", ".=uu",
           [=](X& x) { x.scc = (wanted & relation(Wide{x.sa()} - x.sb())) != 0; });
    to.add(std::string("s_cmp_") + name + "_u32", ".=uu",
           [=](X& x) { x.scc = (wanted & relation(Wide{x.a} - Wide{x.b})) != 0; });
    if (wanted == 2 || wanted == 5)
      to.add(std::string("s_cmp_") + name + "_u64", ".=UU",
             [=](X& x) { x.scc = (wanted & relation(Wide{x.a} - Wide{x.b})) != 0; });
  }
  for (const bool one : {false, true})
    for (const bool wide : {false, true})
      to.add(std::string("s_bitcmp") + (one ? "1" : "0") + (wide ? "_b64" : "_b32"), wide ? ".=Uu" : ".=uu", [=](X& x) {
        u64 rest = x.a;
        for (u64 n = 0; n < x.b % (wide ? 64 : 32); ++n) rest /= 2;
        x.scc = rest % 2 == (one ? 1 : 0);
      });
}

void add_one_source(Adder& to) {
  for (const bool wide : {false, true}) {
    const std::string b = wide ? "_b64" : "_b32", same = wide ? "U=U" : "u=u", narrow = wide ? "u=U" : "u=u";
    const u32 width = wide ? 64 : 32;
    const u64 all = wide ? ~u64{0} : 0xffffffff;
    to.add("s_mov" + b, same, [](X& x) { x.d = x.a; });
    to.add("s_cmov" + b, same, [](X& x) {
      if (x.scc) x.d = x.a;
    });
    to.add("s_not" + b, same, [=](X& x) {
      x.d = all - x.a;
      x.scc = x.d != 0;
    });
    const auto quads = [width](u64 a, bool whole) {
      u64 out = 0;
      for (u32 n = 0; n < width; ++n)
        if ((a >> n & 1) != 0) {
          if (whole)
            for (u32 k = n - n % 4; k < n - n % 4 + 4; ++k) out |= u64{1} << k;
          else
            out |= u64{1} << n / 4;
        }
      return out;
    };
    to.add("s_wqm" + b, same, [=](X& x) {
      x.d = quads(x.a, true);
      x.scc = x.d != 0;
    });
    to.add("s_quadmask" + b, same, [=](X& x) {
      x.d = quads(x.a, false);
      x.scc = x.d != 0;
    });
    to.add("s_brev" + b, same, [=](X& x) {
      x.d = 0;
      for (u32 n = 0; n < width; ++n) x.d = x.d * 2 + (x.a >> n) % 2;
    });
    to.add("s_bcnt0_i32" + b, narrow, [=](X& x) {
      x.d = width - ones(x.a);
      x.scc = x.d != 0;
    });
    to.add("s_bcnt1_i32" + b, narrow, [](X& x) {
      x.d = ones(x.a);
      x.scc = x.d != 0;
    });
    to.add("s_ff0_i32" + b, narrow, [=](X& x) { x.d = find(x.a, width, false, false); });
    to.add("s_ff1_i32" + b, narrow, [=](X& x) { x.d = find(x.a, width, false, true); });
    to.add("s_flbit_i32" + b, narrow, [=](X& x) { x.d = find(x.a, width, true, true); });
    to.add(wide ? "s_flbit_i32_i64" : "s_flbit_i32", narrow, [=](X& x) { x.d = sign_bits(x.a, width); });
    to.add("s_bitset0" + b, wide ? "U=u" : "u=u", [=](X& x) {
      const u64 bit = u64{1} << x.a % width;
      if ((x.d & bit) != 0) x.d -= bit;
    });
    to.add("s_bitset1" + b, wide ? "U=u" : "u=u", [=](X& x) {
      const u64 bit = u64{1} << x.a % width;
      if ((x.d & bit) == 0) x.d += bit;
    });
    for (const bool from_source : {false, true})
      to.special(
          std::string(from_source ? "s_movrels" : "s_movreld") + b,
          [=](State& s, const Instruction& i) {
            const u32 m0 = s.s[kM0Code];
            const u32 from = i.sources[0] + (from_source ? m0 : 0), into = i.destination + (from_source ? 0 : m0);
            const std::array<u32, 2> values{s.s[from], s.s[from + 1]};
            s.s[into] = values[0];
            if (wide) s.s[into + 1] = values[1];
          },
          [](Maker& m, u32) {
            m.start.s[kM0Code] = 2 * m.below(6);
            for (u32 n = 0; n < 6; ++n) {
              Instruction i = m.instance();
              i.sources[0] = static_cast<u16>(16 + 2 * m.below(16));
              i.destination = static_cast<u16>(48 + 2 * m.below(16));
              m.add(i);
            }
          },
          8);
  }
  to.add("s_sext_i32_i8", "u=u", [](X& x) { x.set(Wide{x.a % 128} - Wide{x.a & 128}); });
  to.add("s_sext_i32_i16", "u=u", [](X& x) { x.set(Wide{x.a % 32768} - Wide{x.a & 32768}); });
  to.add("s_abs_i32", "u=u", [](X& x) {
    x.set(x.sa() < 0 ? -Wide{x.sa()} : Wide{x.sa()});
    x.scc = x.d != 0;
  });
}

// What lies behind a branch that is taken, and is seen when it is not.
void add_visible(Maker& m, u32 n) { m.add_simple("s_mov_b32", 50 + n, 129 + n); }

void add_control(Adder& to) {
  const auto branch = [&](const char* name, std::function<bool(const State&)> taken) {
    to.special(
        name,
        [taken = std::move(taken)](State& s, const Instruction& i) {
          if (taken(s)) s.pc += static_cast<u64>(i64{i.immediate} * 4);
        },
        [](Maker& m, u32 round) {
          // Each half of VCC and EXEC alone, and SCC.
          if (round < 8) m.start.set_pair(kVccLo, round % 4 == 0 ? 0 : u64{1} << (round % 4 * 31 - 31));
          if (round < 8) m.start.set_pair(kExecLo, round / 2 == 0 ? 0 : u64{1} << (round / 2 * 31 - 31));
          if (round >= 8 && m.chance(50)) m.start.set_pair(kExecLo, 0);
          m.start.scc = round % 2 == 0;
          Instruction i = m.instance();
          i.immediate = 2;
          m.add(i);
          for (u32 n = 0; n < 3; ++n) add_visible(m, n);
          // Back: past the first jump lies one that leads out.
          Instruction jump = m.instance("s_branch");
          jump.immediate = 1;
          m.add(jump);
          jump.immediate = 2;
          m.add(jump);
          i.immediate = -2;
          m.add(i);
          add_visible(m, 4);
          add_visible(m, 5);
        },
        16);
  };
  branch("s_branch", [](const State&) { return true; });
  branch("s_cbranch_scc0", [](const State& s) { return !s.scc; });
  branch("s_cbranch_scc1", [](const State& s) { return s.scc; });
  branch("s_cbranch_vccz", [](const State& s) { return s.s[kVccLo] == 0 && s.s[kVccLo + 1] == 0; });
  branch("s_cbranch_vccnz", [](const State& s) { return s.s[kVccLo] != 0 || s.s[kVccLo + 1] != 0; });
  branch("s_cbranch_execz", [](const State& s) { return s.s[kExecLo] == 0 && s.s[kExecLo + 1] == 0; });
  branch("s_cbranch_execnz", [](const State& s) { return s.s[kExecLo] != 0 || s.s[kExecLo + 1] != 0; });

  for (const char* name : {"s_nop", "s_waitcnt", "s_sleep", "s_setprio", "s_icache_inv", "s_incperflevel",
                           "s_decperflevel", "s_ttracedata", "s_barrier", "s_trap"})
    to.special(
        name, [](State&, const Instruction&) {},
        [](Maker& m, u32) {
          Instruction i = m.instance();
          i.immediate = static_cast<i32>(m.below(8));
          m.add(i);
          add_visible(m, 0);
        },
        2);
  // Messages to others.
  for (const char* name : {"s_sendmsg", "s_wakeup"})
    to.special(
        name, [](State&, const Instruction&) {},
        [](Maker& m, u32) {
          static constexpr i32 kMessages[] = {0, 1, 2, 3, 0x23, 15};
          Instruction i = m.instance();
          if (m.row().name == "s_sendmsg") i.immediate = kMessages[m.below(6)];
          m.add(i);
          add_visible(m, 0);
        },
        4);
  to.special(
      "s_endpgm", [](State& s, const Instruction&) { s.ended = true; },
      [](Maker& m, u32) {
        m.add(m.instance());
        add_visible(m, 0);
      },
      1);

  to.special(
      "s_getpc_b64", [](State& s, const Instruction& i) { s.set_pair(i.destination, kCode + s.pc); },
      [](Maker& m, u32) {
        for (u32 n = 0; n < 3; ++n) m.add_simple("s_getpc_b64", 48 + 2 * n, 0);
      },
      1);
  to.special(
      "s_call_b64",
      [](State& s, const Instruction& i) {
        s.set_pair(i.destination, kCode + s.pc);
        s.pc += static_cast<u64>(4 * i64{i.immediate});
      },
      [](Maker& m, u32) {
        Instruction i = m.instance();
        i.immediate = static_cast<i32>(m.below(3));
        i.destination = static_cast<u16>(m.chance(50) ? 30 : 20);
        m.add(i);
        for (u32 n = 0; n < 3; ++n) add_visible(m, n);
      },
      4);
  for (const bool swap : {false, true})
    to.special(
        swap ? "s_swappc_b64" : "s_setpc_b64",
        [swap](State& s, const Instruction& i) {
          const u64 target = s.pair(i.sources[0]) - kCode;
          if (swap) s.set_pair(i.destination, kCode + s.pc);
          s.pc = target;
        },
        [](Maker& m, u32) {
          m.add_simple("s_getpc_b64", 20, 0);
          m.add_simple("s_add_u32", 20, 20, 128 + 20);
          m.add_simple("s_addc_u32", 21, 21, 128);
          Instruction i = m.instance();
          i.sources[0] = 20;
          i.destination = static_cast<u16>(m.row().name == "s_swappc_b64" ? (m.chance(50) ? 30 : 20) : 0);
          m.add(i);
          for (u32 n = 0; n < 3; ++n) add_visible(m, n);
        },
        4);
}

// The mode: rounding and denormals, DX10_CLAMP, GPR_IDX_EN.
u32 mode_of(const State& s) { return s.modes.floats + (s.modes.dx10_clamp ? 256 : 0) + (s.relative ? 1u << 27 : 0); }
// Of `immediate`: the first bit and how many.
std::pair<u32, u32> field_of(const Instruction& i) {
  const u32 bits = static_cast<u32>(i.immediate) % 65536;
  return {bits / 64 % 32, bits / 2048 + 1};
}
void set_mode(State& s, const Instruction& i, u32 value) {
  const auto [first, count] = field_of(i);
  for (u32 n = 0; n < count && first + n < 8; ++n) {
    const u32 bit = 1u << (first + n);
    s.modes.floats = static_cast<u8>((s.modes.floats | bit) - ((value >> n & 1) != 0 ? 0 : bit));
  }
}
void add_modes(Adder& to) {
  const auto field = [](u32 first, u32 count) {
    const u32 bits = 1 | first << 6 | (count - 1) << 11;
    return static_cast<i32>(bits) - (bits >= 0x8000 ? 0x10000 : 0);
  };
  to.special(
      "s_getreg_b32",
      [](State& s, const Instruction& i) {
        const auto [first, count] = field_of(i);
        const u64 mode = mode_of(s);
        s.s[i.destination] = static_cast<u32>(mode / (u64{1} << first) % (u64{1} << count));
      },
      [=](Maker& m, u32) {
        m.start.modes.floats = static_cast<u8>(m.chance(50) ? 0xc0 : 0x30);
        m.start.modes.dx10_clamp = m.chance(50);
        for (u32 n = 0; n < 8; ++n) {
          Instruction i = m.instance();
          i.destination = static_cast<u16>(48 + n);
          i.immediate = field(m.below(32), 1 + m.below(32));
          m.add(i);
        }
      },
      6);
  for (const bool literal : {false, true})
    to.special(
        literal ? "s_setreg_imm32_b32" : "s_setreg_b32",
        [=](State& s, const Instruction& i) { set_mode(s, i, literal ? i.literal : s.s[i.destination]); },
        [=](Maker& m, u32) {
          for (u32 n = 0; n < 6; ++n) {
            Instruction i = m.instance();
            const bool all = m.chance(30);
            const u32 first = all ? 0 : 4 + 2 * m.below(2), count = all ? 8 : first == 6 || m.chance(50) ? 2 : 4;
            u32 value =
                all ? 0x30 * m.below(2) + 0xc0 * m.below(2) : 3 * m.below(2) + (count == 4 ? 12 * m.below(2) : 0);
            value |= static_cast<u32>(m.bits() << count);  // what is above does not count
            i.immediate = field(first, count);
            i.literal = literal ? value : 0;
            i.destination = static_cast<u16>(literal ? 0 : 20 + n);
            if (!literal) m.start.s[20 + n] = value;
            m.add(i);
            // Denormals, and what makes some.
            for (const u32 reg : {0u, 1u})
              for (u32& lane : m.start.v[reg]) lane = m.below(0x800000) | m.below(2) << 31;
            for (u32& lane : m.start.v[2]) lane = bits_of(m.chance(50) ? 1.0f : 0.25f);
            m.add_simple("v_add_f32", 4 + n, kV0, kV0 + 1);
            m.add_simple("v_mul_f32", 4 + (n + 3) % 6, kV0, kV0 + 2);
            if (m.gfx() >= Generation::Gfx8) m.add_simple("v_add_f16", 10 + n % 2, kV0, kV0 + 1);
          }
        },
        8);
}

}  // namespace

void add_scalar(References& all) {
  Adder to(all);
  add_arithmetic(to);
  add_immediates(to);
  add_one_source(to);
  add_control(to);
  add_modes(to);
}

}  // namespace amdcompat::emulate::vectors
