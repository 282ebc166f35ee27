// Instructions that access memory: what each does, from the documents, and programs around it. [SIA; CIA; VIA: «Scalar
// Memory Operations», «Vector Memory Operations», «Data Share Operations»]
#include <algorithm>
#include <cstring>

#include "vectors_lane.hpp"
#include "vectors_memory.hpp"

namespace amdcompat::emulate::vectors {
namespace {

u32 with_half(u32 old, u32 value, bool high) {
  const u32 half = value % 65536;
  return high ? old % 65536 + half * 65536 : old - old % 65536 + half;
}

// --- scalar loads ---------------------------------------------------------------------------------------------------

u64 scalar_offset(const State& s, const Instruction& i) {
  const u64 from_register = i.immediate_offset && !i.scalar_offset ? 0 : u64{s.read32(i, i.sources[1])} / 4 * 4;
  return from_register + (i.immediate_offset ? static_cast<u64>(i.immediate) : 0);
}
// Forms of an offset below `limit`.
void choose_offset(Maker& m, Instruction& i, u32 limit) {
  const u32 form = m.below(3);
  i.immediate_offset = form != 0;
  if (form == 0) {
    i.sources[1] = static_cast<u16>(m.chance(25) ? kM0Code : 30 + m.below(6));
    m.add_simple("s_mov_b32", i.sources[1], kLit, 0, m.below(limit));
  } else {
    u32 offset = m.below(limit) / 4 * 4;
    if (m.gfx() == Generation::Gfx6 || (m.gfx() == Generation::Gfx7 && form == 1)) offset %= 1024;
    i.immediate = static_cast<i32>(offset);
    if (m.gfx() >= Generation::Gfx9 && m.chance(50)) {  // both, one of them small
      i.scalar_offset = true;
      i.sources[1] = static_cast<u16>(30 + m.below(6));
      m.add_simple("s_mov_b32", i.sources[1], kLit, 0, m.below(static_cast<u32>(limit - offset)));
    }
  }
}
void add_scalar_loads(References& all) {
  for (u32 dwords = 1; dwords <= 16; dwords *= 2) {
    const std::string width = dwords == 1 ? "" : "x" + std::to_string(dwords);
    const auto destination = [dwords](Maker& m) {
      return static_cast<u16>(dwords == 16 ? 48 + 16 * m.below(2)
                                           : 48 + std::max(dwords, 2u) * m.below(32 / std::max(dwords, 2u)));
    };
    all["s_load_dword" + width] = {
        [dwords](State& s, const Instruction& i) {
          const u64 base = (s.pair(i.resource) & 0xffff'ffff'fffc) - kData, offset = scalar_offset(s, i);
          for (u32 n = 0; n < dwords; ++n)
            s.s[i.destination + n] = static_cast<u32>(bytes_at(s.memory, base + offset + 4 * n, 4));
        },
        [=](Maker& m, u32) {
          for (u32 n = 0; n < 4; ++n) {
            Instruction i = m.instance();
            i.scalar_destination = 0;
            i.resource = static_cast<u16>(20 + 2 * n);
            // The bits above 48 and the lowest two do not count.
            m.start.set_pair(i.resource, kData + m.below(1000) + (u64{m.below(0x10000)} << 48));
            choose_offset(m, i, 3000);
            i.destination = destination(m);
            m.add(i);
          }
        },
        6};
    all["s_buffer_load_dword" + width] = {
        [dwords](State& s, const Instruction& i) {
          const u64 low = s.pair(i.resource), records = s.s[i.resource + 2u];
          const u64 base = (low & 0xffff'ffff'fffc) - kData, offset = scalar_offset(s, i);
          const u64 stride = low >> 48 & 0x3fff;
          const u64 size = stride == 0 ? records : stride * records;
          for (u32 n = 0; n < dwords; ++n) {
            const u64 at = offset + 4 * n;
            s.s[i.destination + n] = at + 3 < size ? static_cast<u32>(bytes_at(s.memory, base + at, 4)) : 0;
          }
        },
        [=](Maker& m, u32) {
          for (u32 n = 0; n < 6; ++n) {
            Instruction i = m.instance();
            i.scalar_destination = 0;
            i.resource = static_cast<u16>(n % 2 == 0 ? 20 : 24);
            const u64 stride = m.chance(50) ? 0 : 4 + 4 * m.below(4);
            const u64 records = stride == 0 ? 4 * m.below(300) : m.below(100);
            m.add_simple("s_mov_b32", i.resource, kLit, 0, static_cast<u32>(kData) + 4 * m.below(100));
            m.add_simple("s_mov_b32", i.resource + 1u, kLit, 0, static_cast<u32>(kData >> 32 | stride << 16));
            m.add_simple("s_mov_b32", i.resource + 2u, kLit, 0, static_cast<u32>(records));
            m.add_simple("s_mov_b32", i.resource + 3u, kLit, 0, static_cast<u32>(m.bits()) & 0x3fffffff);
            choose_offset(m, i, 1200);
            i.destination = destination(m);
            m.add(i);
          }
        },
        10};
  }
}

void add_scalar_stores(References& all) {
  for (u32 dwords = 1; dwords <= 4; dwords *= 2) {
    const std::string width = dwords == 1 ? "" : "x" + std::to_string(dwords);
    for (const bool buffer : {false, true})
      all[(buffer ? "s_buffer_store_dword" : "s_store_dword") + width] = {
          [=](State& s, const Instruction& i) {
            const u64 base = (s.pair(i.resource) & 0xffff'ffff'fffc) - kData, offset = scalar_offset(s, i);
            const u64 stride = s.s[i.resource + 1u] >> 16 & 0x3fff, records = s.s[i.resource + 2u];
            const u64 size = !buffer ? ~u64{0} : stride == 0 ? records : stride * records;
            for (u64 n = 0; n < dwords; ++n)
              if (offset + 4 * n + 3 < size) set_bytes(s.memory, base + offset + 4 * n, 4, s.s[i.destination + n]);
          },
          [=](Maker& m, u32) {
            for (u32 n = 0; n < 6; ++n) {
              Instruction i = m.instance();
              i.scalar_destination = 0;
              i.resource = static_cast<u16>(n % 2 == 0 ? 20 : 24);
              const u64 stride = !buffer ? m.below(0x10000) : m.chance(50) ? 0 : 4 + 4 * m.below(4);
              const u64 records = stride == 0 ? 4 * m.below(300) : m.below(100);
              m.add_simple("s_mov_b32", i.resource, kLit, 0, static_cast<u32>(kData) + m.below(400));
              m.add_simple("s_mov_b32", i.resource + 1u, kLit, 0, static_cast<u32>(kData >> 32 | stride << 16));
              m.add_simple("s_mov_b32", i.resource + 2u, kLit, 0, static_cast<u32>(records));
              m.add_simple("s_mov_b32", i.resource + 3u, kLit, 0, static_cast<u32>(m.bits()) & 0x3fffffff);
              choose_offset(m, i, 1200);
              i.destination = static_cast<u16>(48 + 4 * m.below(8));
              m.add(i);
            }
          },
          10};
  }
  for (const bool buffer : {false, true})
    all[buffer ? "s_atc_probe_buffer" : "s_atc_probe"] = {[](State&, const Instruction&) {},
                                                          [](Maker& m, u32) {
                                                            Instruction i = m.instance();
                                                            i.scalar_destination = 0;
                                                            i.resource = 20;
                                                            i.sources[1] = 30;
                                                            m.add(i);
                                                          },
                                                          2};
  // How much time has passed the model does not know.
  for (const char* name : {"s_memtime", "s_memrealtime"})
    all[name] = {[](State& s, const Instruction& i) {
                   s.set_pair(i.destination, 0);
                   s.unknown = {i.destination, i.destination + 1u};
                 },
                 [](Maker& m, u32) {
                   Instruction i = m.instance();
                   i.scalar_destination = 0;
                   i.destination = 50;
                   m.add(i);
                 },
                 2};
}

// --- atomics --------------------------------------------------------------------------------------------------------

}  // namespace

const std::vector<AtomicRow>& atomics() {
  static const std::vector<AtomicRow> all = {
      {"swap", false, false, [](u64, u64 a, u64) { return a; }},
      {"add", false, false, [](u64 old, u64 a, u64) { return static_cast<u64>(UWide{old} + a); }},
      {"sub", false, false, [](u64 old, u64 a, u64) { return ~(~old + a); }},
      {"rsub", false, false, [](u64 old, u64 a, u64) { return ~(~a + old); }},
      {"smin", true, false, [](u64 old, u64 a, u64) { return std::min<Wide>(i64(old), i64(a)) == i64(old) ? old : a; }},
      {"umin", false, false, [](u64 old, u64 a, u64) { return std::min(old, a); }},
      {"smax", true, false, [](u64 old, u64 a, u64) { return std::max<Wide>(i64(old), i64(a)) == i64(old) ? old : a; }},
      {"umax", false, false, [](u64 old, u64 a, u64) { return std::max(old, a); }},
      {"and", false, false, [](u64 old, u64 a, u64) { return ~(~old | ~a); }},
      {"or", false, false, [](u64 old, u64 a, u64) { return ~(~old & ~a); }},
      {"xor", false, false, [](u64 old, u64 a, u64) { return (old | a) - (old & a); }},
      // Up to the operand and around; down to 0 and around.
      {"inc", false, false, [](u64 old, u64 a, u64) { return old < a ? old + 1 : 0; }},
      {"dec", false, false, [](u64 old, u64 a, u64) { return old != 0 && old <= a ? old - 1 : a; }},
      // Buffers and FLAT: the new value, then the expected one.
      {"cmpswap", false, true, [](u64 old, u64 a, u64 b) { return old == b ? a : old; }},
      // DS: the expected value, then the new one.
      {"cmpst", false, true, [](u64 old, u64 a, u64 b) { return old == a ? b : old; }},
      {"fcmpswap", false, true, [](u64 old, u64 a, u64 b) { return same(old, b, false) ? a : old; }},
      {"fmin", false, false, [](u64 old, u64 a, u64) { return below(a, old, false) ? a : old; }},
      {"fmax", false, false, [](u64 old, u64 a, u64) { return below(old, a, false) ? a : old; }},
      {"fcmpswap_x2", false, true, [](u64 old, u64 a, u64 b) { return same(old, b, true) ? a : old; }},
      {"fmin_x2", false, false, [](u64 old, u64 a, u64) { return below(a, old, true) ? a : old; }},
      {"fmax_x2", false, false, [](u64 old, u64 a, u64) { return below(old, a, true) ? a : old; }},
  };
  return all;
}
namespace {

const AtomicRow& atomic_row(string_view name) {
  return *std::ranges::find_if(atomics(), [&](const AtomicRow& row) { return name == row.name; });
}

bool is_float(const AtomicRow& row) { return row.name[0] == 'f'; }
// Rows of floats have one width.
std::vector<u32> widths(const AtomicRow& row) {
  if (!is_float(row)) return {1, 2};
  return {string_view(row.name).ends_with("_x2") ? 2u : 1u};
}
std::string atomic_name(const char* family, const AtomicRow& row, u32 dwords) {
  return std::string(family) + row.name + (dwords == 2 && !is_float(row) ? "_x2" : "");
}
void prepare(Maker& m, u32 first, u32 end, bool wide, const std::function<u64()>& value) {
  const u32 step = wide ? 2 : 1;
  for (u32 n = 0; n < kDataBytes; n += 4 * step) set_bytes(m.start.memory, n, 4 * step, value());
  for (u32 reg = first; reg < end; reg += step)
    for (u32 lane = 0; lane < 64; ++lane) set_vector(m.start, reg, step, lane, value());
}
// Operands from v8 on.
void prepare_atomics(Maker& m, const AtomicRow& row, bool wide) {
  prepare(m, 8, kVgprs, wide,
          [&] { return is_float(row) && m.chance(70) ? m.value(wide ? 'd' : 'f') : atomic_value(m, wide); });
}

}  // namespace

void prepare_atomics(Maker& m, u32 first, u32 count, bool wide) {
  prepare(m, first, first + count, wide, [&] { return atomic_value(m, wide); });
}

// --- buffers --------------------------------------------------------------------------------------------------------

namespace {

struct Descriptor {
  u64 base = kData;
  u32 stride = 0;
  bool swizzle = false;
  u32 records = 0;
  u32 selects = 0xfac;  // x, y, z, w as they come
  u32 number_format = 7, data_format = 4;
  u32 element_size = 1, index_stride = 1;
  bool add_thread = false;
  [[nodiscard]] std::array<u32, 4> words() const {
    return {static_cast<u32>(base), static_cast<u32>(base >> 32 & 0xffff) | stride << 16 | (swizzle ? 1u << 31 : 0),
            records,
            selects | number_format << 12 | data_format << 15 | element_size << 19 | index_stride << 21 |
                (add_thread ? 1u << 23 : 0)};
  }
};
Descriptor descriptor_in(const State& s, u32 r) {
  Descriptor d;
  d.base = s.pair(r) & 0xffff'ffff'ffff;
  d.stride = s.s[r + 1] >> 16 & 0x3fff;
  d.swizzle = s.s[r + 1] >> 31 != 0;
  d.records = s.s[r + 2];
  const u32 w = s.s[r + 3];
  d.selects = w & 0xfff;
  d.number_format = w >> 12 & 7;
  d.data_format = w >> 15 & 15;
  d.element_size = s.gfx >= Generation::Gfx9 ? 1 : w >> 19 & 3;  // GFX9 has other things in those bits
  d.index_stride = w >> 21 & 3;
  d.add_thread = (w >> 23 & 1) != 0;
  return d;
}

// Where a lane's bytes begin, `skip` bytes further on, relative to the memory under test; empty when out of range.
std::optional<u64> buffer_place(const State& s, const Instruction& i, u32 lane, u32 skip, u32 bytes) {
  const Descriptor d = descriptor_in(s, i.resource);
  const u64 soffset = s.read32(i, i.sources[1]);
  if (i.addr64)
    return ((d.base + vector_value(s, i.address, 2, lane) + soffset + i.offset0 + skip) & 0xffff'ffff'ffff) - kData;
  u64 index = i.idxen ? s.v[i.address][lane] : 0;
  if (d.add_thread) index += lane;
  const u64 offset = u64{i.offset0} + (i.offen ? s.v[i.address + (i.idxen ? 1 : 0)][lane] : 0) + skip;
  const bool raw = d.stride == 0 || !(d.swizzle || i.idxen || d.add_thread);
  if (raw && offset + bytes + soffset > d.records) return std::nullopt;
  if (!raw && index >= d.records) return std::nullopt;
  u64 place = offset + index * d.stride;
  if (d.swizzle) {
    // Rows of `n` elements, one of each record, follow each other.
    const u64 n = u64{8} << d.index_stride, element = u64{2} << d.element_size;
    const u64 rows = index / n * (d.stride / element) + offset / element;
    place = rows * n * element + index % n * element + offset % element;
  }
  return d.base + soffset + place - kData;
}

// A descriptor in s[24:27], addresses in v0 and v1, such that all accesses lie in memory. `align` of every part.
Instruction choose_buffer(Maker& m, u32 bytes, u32 align, bool atomic_or_format, Descriptor d = {}) {
  const u32 data = m.row().format == Format::Mtbuf ? 8 : 8 + 4 * m.below(2);
  for (;;) {
    Instruction i = m.instance();
    i.scalar_destination = 0;
    i.resource = 24;
    i.data = static_cast<u16>(data);
    const u32 mode = m.below(m.gfx() >= Generation::Gfx8 ? 4 : 5);
    i.offen = mode == 1 || mode == 3;
    i.idxen = mode == 2 || mode == 3;
    i.addr64 = mode == 4;
    i.address = static_cast<u16>(m.chance(50) ? 0 : 4);
    i.offset0 = m.below(20) * align;
    d.base = kData + m.below(16) * 4;
    d.stride = m.chance(40) ? 0 : 4 * (1 + m.below(8));
    d.swizzle = d.stride != 0 && m.chance(50);
    d.add_thread = m.chance(30) && m.gfx() < Generation::Gfx8;
    d.element_size = m.gfx() >= Generation::Gfx9 ? 1 : 1 + m.below(3);
    d.index_stride = m.below(4);
    if (d.swizzle) {
      const u32 element = 2u << d.element_size;
      d.stride = element * (1 + m.below(3));
      if (bytes > element) continue;  // an element is not divided
      i.offset0 %= d.stride;
    }
    // Unswizzled records: whether their number counts records or bytes, all are in range.
    d.records = d.stride == 0 ? m.below(200) * 4 : d.swizzle ? m.below(70) : 4096;
    const bool is_raw = d.stride == 0 || !(d.swizzle || i.idxen || d.add_thread);
    if (is_raw && d.stride != 0) d.records = m.below(200) * 4;
    const u32 soffset = m.below(8) * 4;
    const bool scalar = m.chance(50);
    i.sources[1] = static_cast<u16>(scalar ? 28 : 128 + soffset);
    State& s = m.start;
    s.s[28] = soffset;
    const auto words = d.words();
    std::copy(words.begin(), words.end(), s.s.begin() + 24);
    if (m.gfx() >= Generation::Gfx9) s.s[27] ^= m.below(4) << 19;
    for (u32 lane = 0; lane < 64; ++lane) {
      u64 first = i.idxen ? m.below(70) : m.below(d.swizzle ? d.stride / align : 200) * align;
      u64 second = m.below(d.swizzle ? d.stride / align : 40) * align;
      if (i.addr64) {
        first = m.below(800) * align;
        second = 0;
      }
      s.v[i.address][lane] = static_cast<u32>(first);
      s.v[i.address + 1][lane] = static_cast<u32>(second);
    }
    if (i.addr64) s.s[24] = static_cast<u32>(d.base);
    bool fits = true;
    for (u32 lane = 0; lane < 64 && fits; ++lane)
      for (u32 skip = 0; skip < (atomic_or_format ? 1 : bytes) && fits; skip += 4) {
        const u32 size = atomic_or_format ? bytes : std::min(bytes, 4u);
        const auto place = buffer_place(s, i, lane, skip, size);
        fits = !place || (*place + size <= kDataBytes && *place % std::min(align, 4u) == 0);
      }
    if (fits) return i;
  }
}

struct Access {
  const char* name;
  u32 bytes;  // of one piece
  u32 pieces;
  bool is_signed;
};
constexpr Access kLoads[] = {{"ubyte", 1, 1, false},   {"sbyte", 1, 1, true},   {"ushort", 2, 1, false},
                             {"sshort", 2, 1, true},   {"dword", 4, 1, false},  {"dwordx2", 4, 2, false},
                             {"dwordx3", 4, 3, false}, {"dwordx4", 4, 4, false}};
constexpr Access kStores[] = {{"byte", 1, 1, false},    {"short", 2, 1, false},   {"dword", 4, 1, false},
                              {"dwordx2", 4, 2, false}, {"dwordx3", 4, 3, false}, {"dwordx4", 4, 4, false}};

void add_buffers(References& all) {
  const auto program = [](u32 bytes, u32 align) {
    return [=](Maker& m, u32) { m.add(choose_buffer(m, bytes, align, false)); };
  };
  for (const Access& a : {kLoads[0], kLoads[1], Access{"short", 2, 1, false}})
    for (const bool high : {false, true})
      all[std::string("buffer_load_") + a.name + (high ? "_d16_hi" : "_d16")] = {
          [=](State& s, const Instruction& i) {
            each_lane(s, [&](u32 lane) {
              const auto at = buffer_place(s, i, lane, 0, a.bytes);
              if (!at) ++s.out_of_range;
              const u64 value = at ? bytes_at(s.memory, *at, a.bytes) : 0;
              u32& to = s.v[i.data][lane];
              to = with_half(to, static_cast<u32>(a.is_signed ? sign_extended(value, a.bytes) : value), high);
            });
          },
          program(a.bytes, a.bytes), 10};
  for (const Access& a : {kStores[0], kStores[1]})
    all[std::string("buffer_store_") + a.name + "_d16_hi"] = {
        [=](State& s, const Instruction& i) {
          each_lane(s, [&](u32 lane) {
            if (const auto at = buffer_place(s, i, lane, 0, a.bytes))
              set_bytes(s.memory, *at, a.bytes, s.v[i.data][lane] / 65536);
            else
              ++s.out_of_range;
          });
        },
        program(a.bytes, a.bytes), 10};
  for (const Access& a : kLoads)
    all[std::string("buffer_load_") + a.name] = {[a](State& s, const Instruction& i) {
                                                   each_lane(s, [&](u32 lane) {
                                                     std::array<u32, 4> values{};
                                                     for (u32 n = 0; n < a.pieces; ++n) {
                                                       const auto at = buffer_place(s, i, lane, 4 * n, a.bytes);
                                                       if (!at) ++s.out_of_range;
                                                       const u64 value = at ? bytes_at(s.memory, *at, a.bytes) : 0;
                                                       values[n] = static_cast<u32>(
                                                           a.is_signed ? sign_extended(value, a.bytes) : value);
                                                     }
                                                     for (u32 n = 0; n < a.pieces; ++n)
                                                       s.v[i.data + n][lane] = values[n];
                                                   });
                                                 },
                                                 program(a.bytes * a.pieces, a.bytes), 16};
  for (const Access& a : kStores)
    all[std::string("buffer_store_") + a.name] = {[a](State& s, const Instruction& i) {
                                                    each_lane(s, [&](u32 lane) {
                                                      for (u32 n = 0; n < a.pieces; ++n) {
                                                        const auto at = buffer_place(s, i, lane, 4 * n, a.bytes);
                                                        if (at)
                                                          set_bytes(s.memory, *at, a.bytes, s.v[i.data + n][lane]);
                                                        else
                                                          ++s.out_of_range;
                                                      }
                                                    });
                                                  },
                                                  program(a.bytes * a.pieces, a.bytes), 16};
  for (const AtomicRow& row : atomics()) {
    const string_view name = row.name;
    if (name == "rsub" || name == "cmpst") continue;  // DS only
    for (const u32 dwords : widths(row))
      all[atomic_name("buffer_atomic_", row, dwords)] = {
          [&row, dwords](State& s, const Instruction& i) {
            each_lane(s, [&](u32 lane) {
              const auto at = buffer_place(s, i, lane, 0, dwords * 4);
              if (at)
                atomic_lane(s, s.memory, *at, row, dwords, i.data, i.data + dwords, lane,
                            i.glc ? std::optional<u32>(i.data) : std::nullopt);
              else {
                ++s.out_of_range;
                if (i.glc) set_vector(s, i.data, dwords, lane, 0);
              }
            });
          },
          [dwords, &row](Maker& m, u32 round) {
            prepare_atomics(m, row, dwords == 2);
            Instruction i = choose_buffer(m, dwords * 4, dwords * 4, true);
            i.glc = round % 2 == 0;
            m.add(i);
          },
          16};
  }
  for (const char* name : {"buffer_wbinvl1", "buffer_wbinvl1_sc", "buffer_wbinvl1_vol", "s_dcache_inv",
                           "s_dcache_inv_vol", "s_dcache_wb", "s_dcache_wb_vol"})
    all[name] = {[](State&, const Instruction&) {},
                 [](Maker& m, u32) {
                   Instruction i = m.instance();
                   i.scalar_destination = 0;
                   m.add(i);
                 },
                 1};
}

// --- formats --------------------------------------------------------------------------------------------------------

// Numbers of data formats, with the bits of their components; number formats are 0 unorm, 1 snorm, 2 uscaled,
// 3 sscaled, 4 uint, 5 sint, 7 float. [SIA: «Buffer Resource Descriptor», data and number formats]
struct DataFormat {
  u32 number, components, bits;
};
constexpr DataFormat kFormats[] = {{1, 1, 8},  {2, 1, 16},  {3, 2, 8},   {4, 1, 32},  {5, 2, 16},
                                   {10, 4, 8}, {11, 2, 32}, {12, 4, 16}, {13, 3, 32}, {14, 4, 32}};
const DataFormat& data_format(u32 number) { return *std::ranges::find(kFormats, number, &DataFormat::number); }
constexpr bool is_whole(u32 number_format) { return number_format == 4 || number_format == 5; }  // UINT, SINT

}  // namespace

u32 loaded_component(u64 raw, u32 bits, u32 number_format) {
  const Quad top = static_cast<Quad>((u64{1} << bits) - 1), half = static_cast<Quad>((u64{1} << (bits - 1)) - 1);
  const i64 number = static_cast<i64>(raw) - (raw >> (bits - 1) != 0 ? i64{1} << bits : 0);
  const auto real = [](Quad value) { return bits_of(static_cast<float>(value)); };
  switch (number_format) {
    case 0: return real(static_cast<Quad>(raw) / top);
    case 1: return real(static_cast<Quad>(number) < -half ? Quad{-1} : static_cast<Quad>(number) / half);
    case 2: return real(static_cast<Quad>(raw));
    case 3: return real(static_cast<Quad>(number));
    case 5: return static_cast<u32>(number);
    case 7: return bits == 16 ? float_of_half(static_cast<u32>(raw)) : static_cast<u32>(raw);
    default: return static_cast<u32>(raw);
  }
}
u64 stored_component(u32 value, u32 bits, u32 number_format) {
  const i64 top = static_cast<i64>((u64{1} << bits) - 1), half = top / 2;
  const auto rounded = [&](i64 low, i64 high, i64 scale) -> u64 {
    const Fields f(value, false);
    if (f.nan()) return 0;
    const Quad x = Quad{as_float(value)} * scale;
    if (x <= low) return static_cast<u64>(low);
    if (x >= high) return static_cast<u64>(high);
    i64 n = static_cast<i64>(x);
    const Quad rest = x - n;
    if (rest > Quad{0.5}) ++n;
    if (rest < -Quad{0.5}) --n;
    return static_cast<u64>(n);
  };
  switch (number_format) {
    case 0: return rounded(0, top, top);
    case 1: return rounded(-half, half, half);
    case 2: return rounded(0, top, 1);
    case 3: return rounded(-half - 1, half, 1);
    case 4: return std::min<u64>(value, static_cast<u64>(top));
    case 5: return static_cast<u64>(std::clamp<i64>(static_cast<i32>(value), -half - 1, half));
    default: return bits == 16 ? half_of(value, false) : value;
  }
}
u32 short_component(u32 value, u32 number_format) {
  return is_whole(number_format) ? value % 65536 : half_of(value, false);
}
u32 long_component(u32 half, u32 number_format) {
  if (!is_whole(number_format)) return float_of_half(half);
  return number_format == 5 ? static_cast<u32>(sign_extended(half, 2)) : half;
}
bool is_tie(u32 value, u32 bits, u32 number_format) {
  if (number_format > 3) return false;
  const Quad scale = number_format > 1 ? Quad{1} : static_cast<Quad>((u64{1} << (bits - number_format)) - 1);
  const Quad x = Quad{as_float(value)} * scale, rest = x - integral(x, 'f');
  return rest == Quad{0.5};
}
u32 store_operand(Maker& m, u32 bits, u32 number_format) {
  const i64 top = static_cast<i64>((u64{1} << bits) - 1);
  const auto real = [](double x) { return bits_of(static_cast<float>(x)); };
  const double whole = static_cast<double>(m.below(static_cast<u32>(std::min<i64>(top, 0xffff)) + 1));
  const double sign = m.chance(30) ? -1 : 1;
  if (is_whole(number_format)) return static_cast<u32>(m.value('u'));
  if (number_format == 7)
    return bits == 16 ? float_of_half(static_cast<u32>(m.bits()) & 0xfbff) : static_cast<u32>(m.bits());
  if (m.chance(8)) return 0x7fc00000;
  if (m.chance(10)) return m.chance(50) ? 0x7f800000 : 0xff800000;
  if (m.chance(10)) return real(sign * 3e9);
  const double near = whole + (m.below(9) - 4.0) / 10;  // never a half
  switch (number_format) {
    case 0: return real(sign * near / static_cast<double>(top));
    case 1: return real(sign * near / static_cast<double>(top / 2));
    default: return real(sign * near);
  }
}

namespace {

void add_formats(References& all) {
  static constexpr const char* kNames[] = {"x", "xy", "xyz", "xyzw"};
  struct Use {
    DataFormat data;
    u32 number;
  };
  const auto use_of = [](const State& s, const Instruction& i) {
    const Descriptor d = descriptor_in(s, i.resource);
    const bool own = i.format == Format::Mtbuf;
    return Use{data_format(own ? i.data_format : d.data_format), own ? i.number_format : d.number_format};
  };
  // What a load can select: 0, 1 and then the components.
  const auto choices_of = [](State& s, const Instruction& i, const Use& use, u32 lane) {
    const u32 one = is_whole(use.number) ? 1 : 0x3f800000, bytes = use.data.bits / 8;
    std::array<u32, 8> choices{0, one, 0, 0, 0, 0, 0, one};
    const auto at = buffer_place(s, i, lane, 0, use.data.components * bytes);
    if (!at) {
      ++s.out_of_range;
      choices[7] = 0;
    }
    for (u32 c = 0; at && c < use.data.components; ++c)
      choices[4 + c] = loaded_component(bytes_at(s.memory, *at + c * bytes, bytes), use.data.bits, use.number);
    return choices;
  };
  const auto choose = [=](Maker& m, bool store, u32 components, Use& use) {
    const bool short_registers = m.row().name.find("d16") != std::string::npos;
    do use.data = kFormats[m.below(10)];
    while (store && m.row().name.ends_with("_hi_x") && use.data.components > components);
    static constexpr u32 kNumbers[] = {0, 1, 2, 3, 4, 5, 7};
    do use.number = kNumbers[m.below(7)];
    while ((use.data.bits == 8 && use.number == 7) || (use.data.bits == 32 && use.number < 4) ||
           (short_registers && use.data.bits == 32 && is_whole(use.number)));
    Descriptor d;
    const bool typed = m.row().format == Format::Mtbuf;
    d.data_format = typed ? 4 : use.data.number;
    d.number_format = typed ? 4 : use.number;
    if (!typed && !store) {
      static constexpr u32 kSelects[] = {0, 1, 4, 5, 6, 7, 4, 5};
      d.selects = 0;
      for (u32 c = 0; c < 4; ++c) d.selects |= kSelects[m.below(8)] << (3 * c);
    }
    Instruction i = choose_buffer(
        m, use.data.components * use.data.bits / 8,
        std::min(use.data.components * use.data.bits / 8, 16u) % 12 == 0 ? 4 : use.data.components * use.data.bits / 8,
        true, d);
    if (typed) {
      i.data_format = static_cast<u8>(use.data.number);
      i.number_format = static_cast<u8>(use.number);
    }
    return i;
  };
  // Of those that no rounding decides about.
  const auto half = [](Maker& m, const Use& use) {
    for (;;) {
      const u32 out = static_cast<u32>(m.value('h')) % 65536;
      if (out % 0x8000 <= 0x7c00 && !is_tie(float_of_half(out), use.data.bits, use.number)) return out;
    }
  };
  all["buffer_load_format_d16_hi_x"] = {
      [=](State& s, const Instruction& i) {
        const Use use = use_of(s, i);
        const u32 select = descriptor_in(s, i.resource).selects & 7;
        each_lane(s, [&](u32 lane) {
          u32& out = s.v[i.data][lane];
          out = out % 65536 | short_component(choices_of(s, i, use, lane)[select], use.number) << 16;
          s.slack.push_back({.reg = i.data, .lane = lane, .kind = 'p'});
        });
      },
      [=](Maker& m, u32) {
        Use use{};
        m.add(choose(m, false, 1, use));
      },
      40};
  all["buffer_store_format_d16_hi_x"] = {[=](State& s, const Instruction& i) {
                                           const Use use = use_of(s, i);
                                           each_lane(s, [&](u32 lane) {
                                             const auto at = buffer_place(s, i, lane, 0, use.data.bits / 8);
                                             if (!at) {
                                               ++s.out_of_range;
                                               return;
                                             }
                                             const u32 value = long_component(s.v[i.data][lane] >> 16, use.number);
                                             set_bytes(s.memory, *at, use.data.bits / 8,
                                                       stored_component(value, use.data.bits, use.number));
                                           });
                                         },
                                         [=](Maker& m, u32) {
                                           Use use{};
                                           const Instruction i = choose(m, true, 1, use);
                                           for (u32& lane : m.start.v[i.data]) {
                                             lane = static_cast<u32>(m.bits());
                                             if (!is_whole(use.number)) lane = lane % 65536 | half(m, use) << 16;
                                           }
                                           m.add(i);
                                         },
                                         40};
  for (const bool halves : {false, true})
    for (u32 components = 1; components <= 4; ++components)
      for (const char* family : {"buffer", "tbuffer"}) {
        const std::string end = std::string(halves ? "_format_d16_" : "_format_") + kNames[components - 1];
        all[std::string(family) + "_load" + end] = {
            [=](State& s, const Instruction& i) {
              const Use use = use_of(s, i);
              const Descriptor d = descriptor_in(s, i.resource);
              each_lane(s, [&](u32 lane) {
                const std::array<u32, 8> choices = choices_of(s, i, use, lane);
                for (u32 c = 0; c < components; ++c) {
                  const u32 select = i.format == Format::Mtbuf ? 4 + c : d.selects >> (3 * c) & 7;
                  u32 out = choices[select];
                  if (halves) out = short_component(out, use.number);
                  const bool pairs = halves && s.gfx >= Generation::Gfx9;
                  const u32 reg = i.data + (pairs ? c / 2 : c);
                  s.v[reg][lane] = pairs && c % 2 == 1 ? s.v[reg][lane] % 65536 | out << 16 : out;
                  s.slack.push_back({.reg = reg,
                                     .lane = lane,
                                     .kind = static_cast<u8>(pairs    ? 'p'
                                                             : halves ? 'h'
                                                                      : 'f')});  // a NaN is a NaN
                }
              });
            },
            [=](Maker& m, u32) {
              Use use{};
              m.add(choose(m, false, components, use));
            },
            40};
        all[std::string(family) + "_store" + end] = {
            [=](State& s, const Instruction& i) {
              const Use use = use_of(s, i);
              each_lane(s, [&](u32 lane) {
                const auto at = buffer_place(s, i, lane, 0, use.data.components * use.data.bits / 8);
                if (!at) {
                  ++s.out_of_range;
                  return;
                }
                for (u32 c = 0; c < use.data.components; ++c) {
                  const bool pairs = halves && s.gfx >= Generation::Gfx9;
                  u32 value = pairs ? s.v[i.data + c / 2][lane] >> 16 * (c % 2) : s.v[i.data + c][lane];
                  if (c >= components) value = 0;
                  if (halves) value = long_component(value % 65536, use.number);
                  set_bytes(s.memory, *at + c * use.data.bits / 8, use.data.bits / 8,
                            stored_component(value, use.data.bits, use.number));
                }
              });
            },
            [=](Maker& m, u32) {
              Use use{};
              const Instruction i = choose(m, true, components, use);
              for (u32 c = 0; c < 4; ++c)
                for (u32& lane : m.start.v[i.data + c]) {
                  lane = store_operand(m, use.data.bits, use.number);
                  if (halves && !is_whole(use.number)) lane = half(m, use) | half(m, use) << 16;
                }
              m.add(i);
            },
            40};
      }
}

// --- FLAT -----------------------------------------------------------------------------------------------------------

// Where scratch memory of the model's wavefront lies: the first bytes of its memory, 16 for each lane.
constexpr u32 kOwnBytes = 16;

constexpr u32 kNoScalar = 0x7f, kFlatScratch = 102;
Instruction choose_flat(Maker& m, u32 align) {
  Instruction i = m.instance();
  i.scalar_destination = 0;
  i.address = static_cast<u16>(2 * m.below(2));
  const u64 count = (kDataBytes - 16) / align;
  i32 offset = 0;
  if (m.gfx() >= Generation::Gfx9 && m.chance(70)) {
    offset = static_cast<i32>(m.below(i.format == Format::Flat ? 4095 : 8191) / align * align);
    if (i.format != Format::Flat) offset -= 4096;  // signed, of 13 bits
  }
  i.immediate = offset;
  const u64 begin = kData - static_cast<u64>(i64{offset});
  i.resource = kNoScalar;
  if (i.format == Format::Global && m.chance(50)) {
    i.resource = 20;
    const u64 part = m.below(static_cast<u32>(count / 2)) * align;
    m.start.set_pair(20, begin + part);
    for (u32 lane = 0; lane < 64; ++lane)
      set_vector(m.start, i.address, 2, lane, m.below(static_cast<u32>(count / 2)) * align | m.bits() << 32);
  } else {
    for (u32 lane = 0; lane < 64; ++lane)
      set_vector(m.start, i.address, 2, lane, begin + m.below(static_cast<u32>(count)) * align);
  }
  if (i.format == Format::Flat) i.resource = m.gfx() >= Generation::Gfx9 ? kNoScalar : 0;
  i.data = static_cast<u16>(8);
  i.destination = static_cast<u16>(m.chance(30) ? 0 : m.chance(50) ? 8 : 12);
  return i;
}
u64 flat_place(const State& s, const Instruction& i, u32 lane) {
  const u64 offset = static_cast<u64>(i64{i.immediate});
  if (i.format == Format::Global && i.resource != kNoScalar)
    return s.pair(i.resource) + s.v[i.address][lane] + offset - kData;
  return vector_value(s, i.address, 2, lane) + offset - kData;
}
// SCRATCH: offsets into a lane's own bytes, which FLAT_SCRATCH puts where the memory under test begins.
Instruction choose_scratch(Maker& m, u32 bytes, u32 align) {
  Instruction i = m.instance();
  i.scalar_destination = 0;
  i.address = static_cast<u16>(m.below(4));
  i.immediate = static_cast<i32>(m.below(8191)) - 4096;
  i.data = 8;
  i.destination = static_cast<u16>(m.chance(30) ? 0 : m.chance(50) ? 8 : 12);
  m.start.set_pair(kFlatScratch, kData);
  const auto offset = [&] {
    return static_cast<u32>(static_cast<i32>(m.below((kOwnBytes - bytes) / align + 1) * align) - i.immediate);
  };
  i.resource = static_cast<u16>(m.chance(50) ? 20 : kNoScalar);
  m.start.s[20] = offset();
  for (u32& lane : m.start.v[i.address]) lane = offset();
  return i;
}
u64 scratch_place(const State& s, const Instruction& i, u32 lane, u32 skip) {
  const u32 base = i.resource == kNoScalar ? s.v[i.address][lane] : s.s[i.resource];
  const u32 offset = base + static_cast<u32>(i.immediate) + skip;
  return offset / 4 * 256 + lane * 4 + offset % 4;
}

void add_family(References& all, const std::string& family) {
  const bool scratch = family == "scratch";
  const auto place = [=](const State& s, const Instruction& i, u32 lane, u32 skip) {
    return scratch ? scratch_place(s, i, lane, skip) : flat_place(s, i, lane) + skip;
  };
  const auto choose = [=](Maker& m, const Access& a) {
    return scratch ? choose_scratch(m, a.bytes * a.pieces, a.bytes) : choose_flat(m, a.bytes);
  };
  for (const Access& a : kLoads)
    all[family + "_load_" + a.name] = {[=](State& s, const Instruction& i) {
                                         each_lane(s, [&](u32 lane) {
                                           std::array<u64, 4> values{};
                                           for (u32 n = 0; n < a.pieces; ++n)
                                             values[n] = bytes_at(s.memory, place(s, i, lane, 4 * n), a.bytes);
                                           for (u32 n = 0; n < a.pieces; ++n)
                                             s.v[i.destination + n][lane] = static_cast<u32>(
                                                 a.is_signed ? sign_extended(values[n], a.bytes) : values[n]);
                                         });
                                       },
                                       [=](Maker& m, u32) { m.add(choose(m, a)); }, 6};
  const auto store = [=](Maker& m, const Access& a) {
    Instruction i = choose(m, a);
    i.destination = 0;
    m.add(i);
  };
  for (const Access& a : kStores)
    all[family + "_store_" + a.name] = {[=](State& s, const Instruction& i) {
                                          each_lane(s, [&](u32 lane) {
                                            for (u32 n = 0; n < a.pieces; ++n)
                                              set_bytes(s.memory, place(s, i, lane, 4 * n), a.bytes,
                                                        s.v[i.data + n][lane]);
                                          });
                                        },
                                        [=](Maker& m, u32) { store(m, a); }, 6};
  // Halves of registers.
  for (const Access& a : {kLoads[0], kLoads[1], Access{"short", 2, 1, false}})
    for (const bool high : {false, true})
      all[family + "_load_" + a.name + (high ? "_d16_hi" : "_d16")] = {
          [=](State& s, const Instruction& i) {
            each_lane(s, [&](u32 lane) {
              const u64 value = bytes_at(s.memory, place(s, i, lane, 0), a.bytes);
              u32& to = s.v[i.destination][lane];
              to = with_half(to, static_cast<u32>(a.is_signed ? sign_extended(value, a.bytes) : value), high);
            });
          },
          [=](Maker& m, u32) { m.add(choose(m, a)); }, 6};
  for (const Access& a : {kStores[0], kStores[1]})
    all[family + "_store_" + a.name + "_d16_hi"] = {
        [=](State& s, const Instruction& i) {
          each_lane(s,
                    [&](u32 lane) { set_bytes(s.memory, place(s, i, lane, 0), a.bytes, s.v[i.data][lane] / 65536); });
        },
        [=](Maker& m, u32) { store(m, a); }, 6};
  if (scratch) return;
  for (const AtomicRow& row : atomics()) {
    const string_view name = row.name;
    if (name == "rsub" || name == "cmpst" || (family == "global" && is_float(row))) continue;
    for (const u32 dwords : widths(row))
      all[atomic_name((family + "_atomic_").c_str(), row, dwords)] = {
          [=, &row](State& s, const Instruction& i) {
            each_lane(s, [&](u32 lane) {
              atomic_lane(s, s.memory, place(s, i, lane, 0), row, dwords, i.data, i.data + dwords, lane,
                          i.glc ? std::optional<u32>(i.destination) : std::nullopt);
            });
          },
          [dwords, &row](Maker& m, u32 round) {
            prepare_atomics(m, row, dwords == 2);
            Instruction i = choose_flat(m, dwords * 4);
            i.glc = round % 2 == 0;
            // Not over what later lanes take as operands or addresses.
            i.destination = i.glc ? 12 : 0;
            m.add(i);
          },
          10};
  }
}
void add_flat(References& all) {
  for (const char* family : {"flat", "global", "scratch"}) add_family(all, family);
}

// --- LDS ------------------------------------------------------------------------------------------------------------

void add_ds(References& all) {
  struct Row {
    const char* suffix;
    u32 bytes;
    bool is_signed;
  };
  for (const Row& r : {Row{"b32", 4, false}, Row{"b64", 8, false}, Row{"u8", 1, false}, Row{"i8", 1, true},
                       Row{"u16", 2, false}, Row{"i16", 2, true}})
    all[std::string("ds_read_") + r.suffix] = {
        [=](State& s, const Instruction& i) {
          each_lane(s, [&](u32 lane) {
            const u64 value = bytes_at(share(s, i), share_base(s, i) + s.v[i.address][lane] + one_offset(i), r.bytes);
            set_vector(s, i.destination, r.bytes == 8 ? 2 : 1, lane,
                       r.is_signed ? sign_extended(value, r.bytes) : value);
          });
        },
        [r](Maker& m, u32) {
          ds_program(m, 'u', [&] {
            const u32 offset = m.below(600) * r.bytes % 1200;
            Instruction i = choose_ds(m, r.bytes, offset + r.bytes);
            i.offset0 = offset % 256;
            i.offset1 = offset / 256;
            i.destination = static_cast<u16>(m.chance(30) ? 0 : 2);
            add_plain(m, i);
          });
        },
        4};
  for (const Row& r : {Row{"b8", 1, false}, Row{"b16", 2, false}, Row{"b32", 4, false}, Row{"b64", 8, false}})
    all[std::string("ds_write_") + r.suffix] = {[=](State& s, const Instruction& i) {
                                                  each_lane(s, [&](u32 lane) {
                                                    set_bytes(share(s, i),
                                                              share_base(s, i) + s.v[i.address][lane] + one_offset(i),
                                                              r.bytes, vector_value(s, i.data, 2, lane));
                                                  });
                                                },
                                                [r](Maker& m, u32) {
                                                  ds_program(m, 'U', [&] {
                                                    const u32 offset = m.below(600) * r.bytes % 1200;
                                                    Instruction i = choose_ds(m, r.bytes, offset + r.bytes);
                                                    for (u32& lane : m.start.v[8]) lane = static_cast<u32>(m.bits());
                                                    i.offset0 = offset % 256;
                                                    i.offset1 = offset / 256;
                                                    add_plain(m, i);
                                                  });
                                                },
                                                4};
  for (const Row& r : {Row{"u8_d16", 1, false}, Row{"i8_d16", 1, true}, Row{"u16_d16", 2, false}})
    for (const bool high : {false, true})
      all[std::string("ds_read_") + r.suffix + (high ? "_hi" : "")] = {
          [=](State& s, const Instruction& i) {
            each_lane(s, [&](u32 lane) {
              const u64 value = bytes_at(share(s, i), share_base(s, i) + s.v[i.address][lane] + one_offset(i), r.bytes);
              u32& to = s.v[i.destination][lane];
              to = with_half(to, static_cast<u32>(r.is_signed ? sign_extended(value, r.bytes) : value), high);
            });
          },
          [r](Maker& m, u32) {
            ds_program(m, false, [&] {
              Instruction i = choose_ds(m, r.bytes, 64 + r.bytes);
              i.offset0 = m.below(60) / r.bytes * r.bytes;
              i.data = i.data1 = 0;
              i.destination = 2;
              add_plain(m, i);
            });
          },
          4};
  for (const Row& r : {Row{"b8", 1, false}, Row{"b16", 2, false}})
    all[std::string("ds_write_") + r.suffix + "_d16_hi"] = {
        [=](State& s, const Instruction& i) {
          each_lane(s, [&](u32 lane) {
            set_bytes(share(s, i), share_base(s, i) + s.v[i.address][lane] + one_offset(i), r.bytes,
                      s.v[i.data][lane] / 65536);
          });
        },
        [r](Maker& m, u32) {
          ds_program(m, true, [&] {
            Instruction i = choose_ds(m, r.bytes, 64 + r.bytes);
            i.offset0 = m.below(60) / r.bytes * r.bytes;
            for (u32& lane : m.start.v[8]) lane = static_cast<u32>(m.bits());
            add_plain(m, i);
          });
        },
        4};
  for (const u32 dwords : {3u, 4u}) {
    const auto program = [=](bool read) {
      return [=](Maker& m, u32) {
        ds_program(m, 'U', [&] {
          const u32 offset = m.below(75) * 16;
          Instruction i = choose_ds(m, 16, offset + dwords * 4);
          i.offset0 = offset % 256;
          i.offset1 = offset / 256;
          i.destination = static_cast<u16>(read ? (m.chance(30) ? 0 : 2) : 0);
          if (read) i.data = i.data1 = 0;
          add_plain(m, i);
        });
      };
    };
    const std::string end = dwords == 3 ? "b96" : "b128";
    all["ds_read_" + end] = {[=](State& s, const Instruction& i) {
                               each_lane(s, [&](u32 lane) {
                                 const u64 address = share_base(s, i) + s.v[i.address][lane] + one_offset(i);
                                 for (u32 n = 0; n < dwords; ++n)
                                   set_vector(s, i.destination + n, 1, lane, bytes_at(share(s, i), address + 4 * n, 4));
                               });
                             },
                             program(true), 4};
    all["ds_write_" + end] = {[=](State& s, const Instruction& i) {
                                each_lane(s, [&](u32 lane) {
                                  const u64 address = share_base(s, i) + s.v[i.address][lane] + one_offset(i);
                                  for (u32 n = 0; n < dwords; ++n)
                                    set_bytes(share(s, i), address + 4 * n, 4, vector_value(s, i.data + n, 1, lane));
                                });
                              },
                              program(false), 4};
  }
  for (const u32 dwords : {1u, 2u})
    for (const bool far : {false, true}) {
      const std::string end = std::string(far ? "st64" : "") + (dwords == 1 ? "_b32" : "_b64");
      const u32 bytes = dwords * 4, scale = bytes * (far ? 64 : 1);
      const auto program = [=](bool read) {
        return [=](Maker& m, u32) {
          ds_program(m, 'u', [&] {
            const u32 first = m.below(far ? (dwords == 1 ? 7 : 3) : 100),
                      second = m.below(far ? (dwords == 1 ? 7 : 3) : 100);
            Instruction i = choose_ds(m, bytes, std::max(first, second) * scale + bytes);
            i.offset0 = first;
            i.offset1 = second;
            i.destination = static_cast<u16>(read ? (m.chance(30) ? 0 : 2) : 0);
            if (read) i.data = i.data1 = 0;
            add_plain(m, i);
          });
        };
      };
      all["ds_read2" + end] = {[=](State& s, const Instruction& i) {
                                 each_lane(s, [&](u32 lane) {
                                   const u64 address = share_base(s, i) + s.v[i.address][lane];
                                   const u64 a = bytes_at(share(s, i), address + i.offset0 * scale, bytes);
                                   const u64 b = bytes_at(share(s, i), address + i.offset1 * scale, bytes);
                                   set_vector(s, i.destination, dwords, lane, a);
                                   set_vector(s, i.destination + dwords, dwords, lane, b);
                                 });
                               },
                               program(true), 6};
      all["ds_write2" + end] = {
          [=](State& s, const Instruction& i) {
            each_lane(s, [&](u32 lane) {
              const u64 address = share_base(s, i) + s.v[i.address][lane];
              set_bytes(share(s, i), address + i.offset0 * scale, bytes, vector_value(s, i.data, dwords, lane));
              set_bytes(share(s, i), address + i.offset1 * scale, bytes, vector_value(s, i.data1, dwords, lane));
            });
          },
          program(false), 6};
    }
  const std::pair<const char*, const char*> names[] = {
      {"add_u", "add"},  {"sub_u", "sub"},  {"rsub_u", "rsub"},   {"inc_u", "inc"},    {"dec_u", "dec"},
      {"min_i", "smin"}, {"max_i", "smax"}, {"min_u", "umin"},    {"max_u", "umax"},   {"and_b", "and"},
      {"or_b", "or"},    {"xor_b", "xor"},  {"wrxchg_b", "swap"}, {"cmpst_b", "cmpst"}};
  for (const auto& [ds_name, name] : names)
    for (const u32 dwords : {1u, 2u})
      for (const bool returns : {false, true}) {
        const string_view text = ds_name;
        if (text == "wrxchg_b" && !returns) continue;
        const auto underscore = text.find('_');
        const std::string full = "ds_" + std::string(text.substr(0, underscore)) + (returns ? "_rtn" : "") +
                                 std::string(text.substr(underscore)) + (dwords == 1 ? "32" : "64");
        const AtomicRow& row = atomic_row(name);
        all[full] = {[=, &row](State& s, const Instruction& i) {
                       each_lane(s, [&](u32 lane) {
                         atomic_lane(s, share(s, i), share_base(s, i) + s.v[i.address][lane] + one_offset(i), row,
                                     dwords, i.data, i.data1, lane,
                                     returns ? std::optional<u32>(i.destination) : std::nullopt);
                       });
                     },
                     [dwords, returns](Maker& m, u32) {
                       ds_program(m, dwords == 2 ? 'U' : 'u', [&] {
                         const u32 offset = m.below(600 / dwords) * 4 * dwords % 1200;
                         Instruction i = choose_ds(m, 4 * dwords, offset + 4 * dwords);
                         i.offset0 = offset % 256;
                         i.offset1 = offset / 256;
                         i.destination = static_cast<u16>(returns ? 2 : 0);
                         add_shared(m, i);
                       });
                     },
                     10};
      }
}

}  // namespace

void add_memory(References& all) {
  add_scalar_loads(all);
  add_scalar_stores(all);
  add_buffers(all);
  add_formats(all);
  add_flat(all);
  add_ds(all);
  add_share(all);
}

}  // namespace amdcompat::emulate::vectors
