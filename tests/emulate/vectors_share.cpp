// LDS and GDS beside loads, stores and integer atomics: what each does, from the documents. [SIA; CIA; VIA: «Data Share
// Operations»; VEGA: pseudocode of DS_WRAP_RTN_B32, DS_CONDXCHG32_RTN_B64, DS_PERMUTE_B32; CLRX GcnInstrsDs]
#include <algorithm>

#include "vectors_lane.hpp"
#include "vectors_memory.hpp"

namespace amdcompat::emulate::vectors {

u64 bytes_at(const std::vector<u8>& memory, u64 at, u32 count) {
  u64 out = 0;
  for (u32 n = count; n-- > 0;) out = out * 256 + memory.at(at + n);
  return out;
}
void set_bytes(std::vector<u8>& memory, u64 at, u32 count, u64 value) {
  for (u32 n = 0; n < count; ++n) memory.at(at + n) = static_cast<u8>(value >> (8 * n));
}
u64 vector_value(const State& s, u32 reg, u32 dwords, u32 lane) {
  return s.v[reg][lane] | (dwords > 1 ? u64{s.v[reg + 1][lane]} << 32 : 0);
}
void set_vector(State& s, u32 reg, u32 dwords, u32 lane, u64 value) {
  s.v[reg][lane] = static_cast<u32>(value);
  if (dwords > 1) s.v[reg + 1][lane] = static_cast<u32>(value >> 32);
}
u64 sign_extended(u64 value, u32 bytes) {
  const u64 sign = u64{1} << (8 * bytes - 1);
  return (value & sign) != 0 ? value - 2 * sign : value;
}

void atomic_lane(State& s, std::vector<u8>& memory, u64 at, const AtomicRow& row, u32 dwords, u32 a, u32 b, u32 lane,
                 std::optional<u32> result) {
  const u32 bytes = dwords * 4;
  const u64 old = bytes_at(memory, at, bytes);
  const auto operand = [&](u64 value) { return row.is_signed ? sign_extended(value, bytes) : value; };
  const u64 value = row.result(operand(old), operand(vector_value(s, a, dwords, lane)),
                               row.two ? operand(vector_value(s, b, dwords, lane)) : 0);
  set_bytes(memory, at, bytes, value);
  if (result) set_vector(s, *result, dwords, lane, old);
}

u64 atomic_value(Maker& m, bool wide) {
  static constexpr u64 kValues[] = {0,
                                    1,
                                    2,
                                    5,
                                    0xffffffff,
                                    0x80000000,
                                    0x7fffffff,
                                    0x1'0000'0000,
                                    0xffffffffffffffff,
                                    0x8000000000000000,
                                    0x7fffffffffffffff,
                                    0xffffffff80000000};
  if (m.chance(10)) return m.bits();
  return kValues[m.below(wide ? 12 : 7)];
}
void each_lane(State& s, const std::function<void(u32)>& body) {
  for (u32 lane = 0; lane < 64; ++lane)
    if (s.active(lane)) body(lane);
}

std::vector<u8>& share(State& s, const Instruction& i) { return i.gds ? s.gds : s.lds; }
u64 share_base(const State& s, const Instruction& i) { return i.gds ? s.s[kM0Code] / 65536 : 0; }

namespace {
u64 share_value(Maker& m, char kind) {
  switch (kind) {
    case 'f':
    case 'd': return m.value(kind);
    case 'a': return (m.bits() & 0x807fffff) | (110 + m.below(30)) << 23;
    default: return atomic_value(m, kind == 'U');
  }
}
}  // namespace

void ds_program(Maker& m, char kind, const std::function<void()>& middle) {
  State& s = m.start;
  const u64 mask = s.exec();
  s.set_pair(kExecLo, ~u64{0});
  s.set_pair(60, mask);
  s.s[kM0Code] = m.chance(50) ? 0xffffffff : kLdsBytes;
  for (u32 lane = 0; lane < 64; ++lane) {
    s.v[15][lane] = 4 * lane;
    for (u32 reg = 8; reg < 14; reg += 2) set_vector(s, reg, 2, lane, share_value(m, kind));
  }
  const auto sweep = [&](const char* name, bool write) {
    for (u32 n = 0; n < kLdsBytes / 256; ++n) {
      Instruction i = m.instance(name);
      i.scalar_destination = 0;
      i.address = 15;
      i.offset1 = n;
      if (write)
        i.data = static_cast<u16>(8 + n % 6);
      else
        i.destination = 14;
      m.add(i);
    }
  };
  sweep("ds_write_b32", true);
  m.add_simple("s_mov_b64", kExecLo, 60);
  middle();
  m.add_simple("s_mov_b64", kExecLo, 193);
  sweep("ds_read_b32", false);
}
Instruction choose_ds(Maker& m, u32 align, u32 reach) {
  Instruction i = m.instance();
  i.scalar_destination = 0;
  for (u32& lane : m.start.v[0]) lane = m.below((kLdsBytes - reach) / align + 1) * align;
  i.data = static_cast<u16>(8 + 2 * m.below(2));
  i.data1 = static_cast<u16>(m.chance(50) ? 12 : 10);
  return i;
}
void set_offset(Instruction& i, u32 offset) {
  i.offset0 = offset % 256;
  i.offset1 = offset / 256;
}
void add_shared(Maker& m, Instruction i) {
  if (!m.chance(30) || !i.row->has(gcn::Form::Gds)) return m.add(i);
  i.gds = true;
  const u32 m0 = m.start.s[kM0Code];
  m.add_simple("s_mov_b32", kM0Code, kLit, 0, kLdsBytes | m.below(kGdsBytes - kLdsBytes) / 16 * 16 << 16);
  m.add(i);
  m.add_simple("s_mov_b32", kM0Code, kLit, 0, m0);
}
void add_plain(Maker& m, Instruction i) {
  if (m.gfx() < Generation::Gfx9 || m.chance(50)) return add_shared(m, i);
  for (u32& lane : m.start.v[0]) lane -= std::min(lane, m.below(8));
  m.add(i);
}

bool below(u64 a, u64 b, bool wide) {
  const Fields f(a, wide), g(b, wide);
  if (f.nan() || g.nan() || (f.zero() && g.zero())) return false;
  return order(a, wide) < order(b, wide);
}
bool same(u64 a, u64 b, bool wide) {
  const Fields f(a, wide), g(b, wide);
  return !f.nan() && !g.nan() && (a == b || (f.zero() && g.zero()));
}

namespace {

void atomic(References& all, const std::string& name, u32 dwords, char kind, bool two, const Atomic& result) {
  for (const bool returns : {false, true}) {
    const auto end = name.rfind('_');
    const bool always = name == "ds_wrap_b32" || name == "ds_condxchg32_b64";
    if (always && !returns) continue;
    const AtomicRow row{nullptr, false, two, result};
    all[name.substr(0, end) + (returns ? "_rtn" : "") + name.substr(end)] = {
        [=](State& s, const Instruction& i) {
          each_lane(s, [&](u32 lane) {
            atomic_lane(s, share(s, i), share_base(s, i) + s.v[i.address][lane] + one_offset(i), row, dwords, i.data,
                        i.data1, lane, returns ? std::optional<u32>(i.destination) : std::nullopt);
          });
        },
        [=](Maker& m, u32) {
          ds_program(m, kind, [&] {
            const u32 bytes = 4 * dwords, offset = m.below(1200 / bytes) * bytes;
            Instruction i = choose_ds(m, bytes, offset + bytes);
            set_offset(i, offset);
            i.destination = static_cast<u16>(returns ? 2 : 0);
            add_shared(m, i);
          });
        },
        10};
  }
}

void add_atomics(References& all) {
  for (const u32 dwords : {1u, 2u}) {
    const bool wide = dwords == 2;
    const std::string bits = wide ? "64" : "32";
    const char integer = wide ? 'U' : 'u', floating = wide ? 'd' : 'f';
    // Bits of the mask come from the second operand's, the others stay.
    atomic(all, "ds_mskor_b" + bits, dwords, integer, true, [](u64 old, u64 mask, u64 b) {
      u64 out = 0;
      for (u32 n = 0; n < 64; ++n)
        if ((b >> n & 1) != 0 || ((mask >> n & 1) == 0 && (old >> n & 1) != 0)) out |= u64{1} << n;
      return out;
    });
    atomic(all, "ds_min_f" + bits, dwords, floating, false,
           [=](u64 old, u64 a, u64) { return below(a, old, wide) ? a : old; });
    atomic(all, "ds_max_f" + bits, dwords, floating, false,
           [=](u64 old, u64 a, u64) { return below(old, a, wide) ? a : old; });
    atomic(all, "ds_cmpst_f" + bits, dwords, floating, true,
           [=](u64 old, u64 expected, u64 b) { return same(old, expected, wide) ? b : old; });
    for (const bool far : {false, true}) {
      const u32 bytes = dwords * 4, scale = bytes * (far ? 64 : 1);
      all["ds_wrxchg2" + std::string(far ? "st64" : "") + "_rtn_b" + bits] = {
          [=](State& s, const Instruction& i) {
            each_lane(s, [&](u32 lane) {
              const u64 address = share_base(s, i) + s.v[i.address][lane];
              const u64 first = address + i.offset0 * scale, second = address + i.offset1 * scale;
              const u64 a = bytes_at(share(s, i), first, bytes), b = bytes_at(share(s, i), second, bytes);
              set_bytes(share(s, i), first, bytes, vector_value(s, i.data, dwords, lane));
              set_bytes(share(s, i), second, bytes, vector_value(s, i.data1, dwords, lane));
              set_vector(s, i.destination, dwords, lane, a);
              set_vector(s, i.destination + dwords, dwords, lane, b);
            });
          },
          [=](Maker& m, u32) {
            ds_program(m, integer, [&] {
              const u32 most = far ? (wide ? 3 : 7) : 100;
              const u32 first = m.below(most), second = m.below(most);
              Instruction i = choose_ds(m, bytes, std::max(first, second) * scale + bytes);
              i.offset0 = first;
              i.offset1 = second;
              i.destination = 2;
              add_shared(m, i);
            });
          },
          8};
    }
  }
  atomic(all, "ds_wrap_b32", 1, 'u', true, [](u64 old, u64 a, u64 b) { return old < a ? old + b : old - a; });
  atomic(all, "ds_condxchg32_b64", 2, 'U', false, [](u64 old, u64 a, u64) {
    std::array<u64, 2> halves{old % (u64{1} << 32), old >> 32};
    for (u32 n = 0; n < 2; ++n) {
      const u64 half = a >> (32 * n) & 0xffffffff;
      if (half >= 0x80000000) halves[n] = half - 0x80000000;
    }
    return halves[0] | halves[1] << 32;
  });
  atomic(all, "ds_add_f32", 1, 'a', false,
         [](u64 old, u64 a, u64) { return bits_of(static_cast<float>(Quad{as_float(old)} + as_float(a))); });
}

// What is at A with what is at B, which is some dwords away.
void add_sources2(References& all) {
  const auto add = [&](const std::string& name, u32 dwords, char kind, bool is_signed, const Atomic& result) {
    const u32 bytes = 4 * dwords;
    all[name] = {[=](State& s, const Instruction& i) {
                   each_lane(s, [&](u32 lane) {
                     const u32 address = s.v[i.address][lane], offset = one_offset(i);
                     const bool own = offset < 0x8000;
                     const i64 places = own ? (offset >= 0x4000 ? i64{offset} - 0x8000 : i64{offset})
                                            : static_cast<i64>(address / 0x20000) - (address >> 31 != 0 ? 0x8000 : 0);
                     const u64 a = share_base(s, i) + (own ? address : address % 0x20000);
                     const u64 b = a + static_cast<u64>(4 * places);
                     const auto operand = [&](u64 at) {
                       const u64 value = bytes_at(share(s, i), at, bytes);
                       return is_signed ? sign_extended(value, bytes) : value;
                     };
                     set_bytes(share(s, i), a, bytes, result(operand(a), operand(b), 0));
                   });
                 },
                 [=](Maker& m, u32 round) {
                   ds_program(m, kind, [&] {
                     Instruction i = m.instance();
                     i.scalar_destination = 0;
                     const i32 step = static_cast<i32>(dwords);
                     const auto distance = [&] { return (static_cast<i32>(m.below(200)) - 100) / step * step; };
                     const bool own = round % 2 == 0;
                     set_offset(i, own ? static_cast<u32>(distance()) & 0x7fff : 0x8000 | m.below(0x8000));
                     for (u32& lane : m.start.v[0]) {
                       lane = 512 + m.below(1000 / bytes) * bytes;
                       if (!own) lane |= static_cast<u32>(distance()) << 17;
                     }
                     add_shared(m, i);
                   });
                 },
                 8};
  };
  for (const u32 dwords : {1u, 2u}) {
    const bool wide = dwords == 2;
    const std::string bits = wide ? "64" : "32";
    const char kind = wide ? 'U' : 'u', floating = wide ? 'd' : 'f';
    const auto integer = [&](const char* name, bool is_signed, const Atomic& result) {
      add("ds_" + std::string(name) + bits, dwords, kind, is_signed, result);
    };
    integer("add_src2_u", false, [](u64 a, u64 b, u64) { return ~(~a - b); });
    integer("sub_src2_u", false, [](u64 a, u64 b, u64) { return ~(~a + b); });
    integer("rsub_src2_u", false, [](u64 a, u64 b, u64) { return ~(~b + a); });
    integer("inc_src2_u", false, [](u64 a, u64 b, u64) { return a < b ? a + 1 : 0; });
    integer("dec_src2_u", false, [](u64 a, u64 b, u64) { return a != 0 && a <= b ? a - 1 : b; });
    integer("min_src2_i", true, [](u64 a, u64 b, u64) { return static_cast<i64>(b) < static_cast<i64>(a) ? b : a; });
    integer("max_src2_i", true, [](u64 a, u64 b, u64) { return static_cast<i64>(b) > static_cast<i64>(a) ? b : a; });
    integer("min_src2_u", false, [](u64 a, u64 b, u64) { return std::min(a, b); });
    integer("max_src2_u", false, [](u64 a, u64 b, u64) { return std::max(a, b); });
    integer("and_src2_b", false, [](u64 a, u64 b, u64) { return ~(~a | ~b); });
    integer("or_src2_b", false, [](u64 a, u64 b, u64) { return ~(~a & ~b); });
    integer("xor_src2_b", false, [](u64 a, u64 b, u64) { return (a | b) - (a & b); });
    integer("write_src2_b", false, [](u64, u64 b, u64) { return b; });
    add("ds_min_src2_f" + bits, dwords, floating, false, [=](u64 a, u64 b, u64) { return below(b, a, wide) ? b : a; });
    add("ds_max_src2_f" + bits, dwords, floating, false, [=](u64 a, u64 b, u64) { return below(a, b, wide) ? b : a; });
  }
  add("ds_add_src2_f32", 1, 'a', false,
      [](u64 a, u64 b, u64) { return bits_of(static_cast<float>(Quad{as_float(a)} + as_float(b))); });
}

void add_counters(References& all) {
  for (const bool appends : {true, false})
    all[appends ? "ds_append" : "ds_consume"] = {
        [=](State& s, const Instruction& i) {
          const u64 at = one_offset(i) + (i.gds ? share_base(s, i) : s.s[kM0Code] % 65536);
          const u64 old = bytes_at(share(s, i), at, 4);
          u64 count = 0;
          each_lane(s, [&](u32 lane) {
            s.v[i.destination][lane] = static_cast<u32>(old);
            ++count;
          });
          set_bytes(share(s, i), at, 4, appends ? old + count : old - count);
        },
        [](Maker& m, u32 round) {
          ds_program(m, 'u', [&] {
            const u32 m0 = m.start.s[kM0Code], offset = 4 * m.below(100), base = 4 * m.below(100);
            for (u32 n = 0; n < 2; ++n) {
              Instruction i = m.instance();
              i.scalar_destination = 0;
              i.gds = (round + n) % 2 == 0;
              i.destination = 2;
              set_offset(i, offset);
              m.add_simple("s_mov_b32", kM0Code, kLit, 0, i.gds ? base << 16 | (offset + 4 + 4 * m.below(50)) : base);
              m.add(i);
            }
            m.add_simple("s_mov_b32", kM0Code, kLit, 0, m0);
          });
        },
        8};
}

void add_permutations(References& all) {
  // What each lane gets of lane `from`.
  const auto taken = [](State& s, const Instruction& i, u32 data, const std::function<u32(u32)>& from) {
    const Lanes values = s.v[data];
    std::array<u32, 64> out{};
    for (u32 lane = 0; lane < 64; ++lane) out[lane] = s.active(from(lane)) ? values[from(lane)] : 0;
    each_lane(s, [&](u32 lane) { s.v[i.destination][lane] = out[lane]; });
  };
  all["ds_swizzle_b32"] = {[=](State& s, const Instruction& i) {
                             const u32 offset = one_offset(i);
                             taken(s, i, i.address, [&](u32 lane) {
                               if (offset >= 0x8000) {
                                 const std::array<u32, 4> quad{offset % 4, offset / 4 % 4, offset / 16 % 4,
                                                               offset / 64 % 4};
                                 return lane - lane % 4 + quad[lane % 4];
                               }
                               u32 out = lane / 32;  // bit by bit from the top
                               for (u32 n = 5; n-- > 0;) {
                                 const auto bit = [&](u32 of) { return offset >> (of + n) & 1; };
                                 const u32 kept = bit(0) != 0 ? lane >> n & 1 : 0;
                                 out = out * 2 + ((kept != 0 || bit(5) != 0) != (bit(10) != 0) ? 1 : 0);
                               }
                               return out;
                             });
                           },
                           [](Maker& m, u32) {
                             for (u32 n = 0; n < 6; ++n) {
                               Instruction i = m.instance();
                               i.scalar_destination = 0;
                               set_offset(i, m.chance(40) ? 0x8000 | m.below(256) : m.below(0x8000));
                               i.address = static_cast<u16>(m.below(8));
                               i.destination = static_cast<u16>(m.below(12));
                               m.add(i);
                             }
                           },
                           8};
  for (const bool backward : {true, false})
    all[backward ? "ds_bpermute_b32" : "ds_permute_b32"] = {[=](State& s, const Instruction& i) {
                                                              const Lanes addresses = s.v[i.address];
                                                              const auto place = [&](u32 lane) {
                                                                return (addresses[lane] + one_offset(i)) % 256 / 4;
                                                              };
                                                              if (backward) return taken(s, i, i.data, place);
                                                              // Who writes to a lane: the last one.
                                                              const Lanes values = s.v[i.data];
                                                              each_lane(s, [&](u32 lane) {
                                                                u32 value = 0;
                                                                for (u32 from = 64; from-- > 0;)
                                                                  if (s.active(from) && place(from) == lane) {
                                                                    value = values[from];
                                                                    break;
                                                                  }
                                                                s.v[i.destination][lane] = value;
                                                              });
                                                            },
                                                            [](Maker& m, u32) {
                                                              for (u32 n = 0; n < 6; ++n) {
                                                                Instruction i = m.instance();
                                                                i.scalar_destination = 0;
                                                                set_offset(i, m.chance(50) ? 0 : m.below(65536));
                                                                i.address = static_cast<u16>(m.below(4));
                                                                i.data = static_cast<u16>(4 + m.below(4));
                                                                i.destination = static_cast<u16>(m.below(12));
                                                                if (m.chance(50))
                                                                  for (u32& lane : m.start.v[i.address])
                                                                    lane = static_cast<u32>(m.bits());
                                                                m.add(i);
                                                              }
                                                            },
                                                            8};
  all["ds_nop"] = {[](State&, const Instruction&) {},
                   [](Maker& m, u32) {
                     Instruction i = m.instance();
                     i.scalar_destination = 0;
                     m.add(i);
                   },
                   1};
}

}  // namespace

void add_share(References& all) {
  add_atomics(all);
  add_sources2(all);
  add_counters(all);
  add_permutations(all);
}

}  // namespace amdcompat::emulate::vectors
