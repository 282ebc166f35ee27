// Instructions that access memory: what each does, from the documents, and programs around it. [SIA; CIA; VIA: «Scalar
// Memory Operations», «Vector Memory Operations», «Data Share Operations»]
#include <algorithm>
#include <cstring>
#include <optional>

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
void each_lane(State& s, const std::function<void(u32)>& body) {
  for (u32 lane = 0; lane < 64; ++lane)
    if (s.active(lane)) body(lane);
}

namespace {

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

// --- scalar loads ---------------------------------------------------------------------------------------------------

u64 scalar_offset(const State& s, const Instruction& i) {
  return i.immediate_offset ? static_cast<u64>(i.immediate) : u64{s.read32(i, i.sources[1])} / 4 * 4;
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
  };
  return all;
}
static const AtomicRow& atomic_row(string_view name) {
  return *std::ranges::find_if(atomics(), [&](const AtomicRow& row) { return name == row.name; });
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

// Few values, so that operands and memory are equal often.
static u64 atomic_value(Maker& m, bool wide) {
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
void prepare_atomics(Maker& m, u32 first, u32 count, bool wide) {
  const u32 step = wide ? 2 : 1;
  for (u32 n = 0; n < kDataBytes; n += 4 * step) set_bytes(m.start.memory, n, 4 * step, atomic_value(m, wide));
  for (u32 reg = first; reg < first + count; reg += step)
    for (u32 lane = 0; lane < 64; ++lane) set_vector(m.start, reg, step, lane, atomic_value(m, wide));
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
  d.element_size = w >> 19 & 3;
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
    const u32 mode = m.below(m.gfx() == Generation::Gfx8 ? 4 : 5);
    i.offen = mode == 1 || mode == 3;
    i.idxen = mode == 2 || mode == 3;
    i.addr64 = mode == 4;
    i.address = static_cast<u16>(m.chance(50) ? 0 : 4);
    i.offset0 = m.below(20) * align;
    d.base = kData + m.below(16) * 4;
    d.stride = m.chance(40) ? 0 : 4 * (1 + m.below(8));
    d.swizzle = d.stride != 0 && m.chance(50);
    d.add_thread = m.chance(30) && m.gfx() != Generation::Gfx8;
    d.element_size = 1 + m.below(3);
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
    for (const u32 dwords : {1u, 2u})
      all["buffer_atomic_" + std::string(name) + (dwords == 2 ? "_x2" : "")] = {
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
          [dwords](Maker& m, u32 round) {
            prepare_atomics(m, 8, 8, dwords == 2);
            Instruction i = choose_buffer(m, dwords * 4, dwords * 4, true);
            i.glc = round % 2 == 0;
            m.add(i);
          },
          16};
  }
  for (const char* name : {"buffer_wbinvl1", "buffer_wbinvl1_sc", "buffer_wbinvl1_vol", "s_dcache_inv"})
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
u32 store_operand(Maker& m, u32 bits, u32 number_format) {
  const i64 top = static_cast<i64>((u64{1} << bits) - 1);
  const auto real = [](double x) { return bits_of(static_cast<float>(x)); };
  const double whole = static_cast<double>(m.below(static_cast<u32>(std::min<i64>(top, 0xffff)) + 1));
  const double sign = m.chance(30) ? -1 : 1;
  if (number_format == 4 || number_format == 5) return static_cast<u32>(m.value('u'));
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
  const auto choose = [](Maker& m, bool store, u32 components, Use& use) {
    do use.data = kFormats[m.below(10)];
    while (store && use.data.components > components);
    static constexpr u32 kNumbers[] = {0, 1, 2, 3, 4, 5, 7};
    do use.number = kNumbers[m.below(7)];
    while ((use.data.bits == 8 && use.number == 7) || (use.data.bits == 32 && use.number < 4));
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
  for (u32 components = 1; components <= 4; ++components)
    for (const char* family : {"buffer", "tbuffer"}) {
      const std::string end = std::string("_format_") + kNames[components - 1];
      all[std::string(family) + "_load" + end] = {
          [=](State& s, const Instruction& i) {
            const Use use = use_of(s, i);
            const Descriptor d = descriptor_in(s, i.resource);
            const u32 one = use.number == 4 || use.number == 5 ? 1 : 0x3f800000;
            each_lane(s, [&](u32 lane) {
              // 0, 1 and then the components, by select.
              std::array<u32, 8> choices{0, one, 0, 0, 0, 0, 0, one};
              const u32 bytes = use.data.components * use.data.bits / 8;
              const auto at = buffer_place(s, i, lane, 0, bytes);
              if (!at) {
                ++s.out_of_range;
                choices[7] = 0;
              }
              for (u32 c = 0; at && c < use.data.components; ++c)
                choices[4 + c] = loaded_component(bytes_at(s.memory, *at + c * use.data.bits / 8, use.data.bits / 8),
                                                  use.data.bits, use.number);
              for (u32 c = 0; c < components; ++c) {
                const u32 select = i.format == Format::Mtbuf ? 4 + c : d.selects >> (3 * c) & 7;
                s.v[i.data + c][lane] = choices[select];
                s.slack.push_back({.reg = i.data + c, .lane = lane});  // a NaN is a NaN
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
              for (u32 c = 0; c < use.data.components; ++c)
                set_bytes(s.memory, *at + c * use.data.bits / 8, use.data.bits / 8,
                          stored_component(s.v[i.data + c][lane], use.data.bits, use.number));
            });
          },
          [=](Maker& m, u32) {
            Use use{};
            const Instruction i = choose(m, true, components, use);
            for (u32 c = 0; c < 4; ++c)
              for (u32& lane : m.start.v[i.data + c]) lane = store_operand(m, use.data.bits, use.number);
            m.add(i);
          },
          40};
    }
}

// --- FLAT -----------------------------------------------------------------------------------------------------------

Instruction choose_flat(Maker& m, u32 align) {
  Instruction i = m.instance();
  i.scalar_destination = 0;
  i.address = static_cast<u16>(2 * m.below(2));
  for (u32 lane = 0; lane < 64; ++lane)
    set_vector(m.start, i.address, 2, lane, kData + u64{m.below((kDataBytes - 16) / align)} * align);
  i.data = static_cast<u16>(8);
  i.destination = static_cast<u16>(m.chance(30) ? 0 : m.chance(50) ? 8 : 12);
  return i;
}
void add_flat(References& all) {
  const auto place = [](const State& s, const Instruction& i, u32 lane) {
    return vector_value(s, i.address, 2, lane) - kData;
  };
  for (const Access& a : kLoads)
    all[std::string("flat_load_") + a.name] = {[=](State& s, const Instruction& i) {
                                                 each_lane(s, [&](u32 lane) {
                                                   std::array<u64, 4> values{};
                                                   for (u32 n = 0; n < a.pieces; ++n)
                                                     values[n] = bytes_at(s.memory, place(s, i, lane) + 4 * n, a.bytes);
                                                   for (u32 n = 0; n < a.pieces; ++n)
                                                     s.v[i.destination + n][lane] = static_cast<u32>(
                                                         a.is_signed ? sign_extended(values[n], a.bytes) : values[n]);
                                                 });
                                               },
                                               [a](Maker& m, u32) { m.add(choose_flat(m, a.bytes)); }, 6};
  for (const Access& a : kStores)
    all[std::string("flat_store_") + a.name] = {[=](State& s, const Instruction& i) {
                                                  each_lane(s, [&](u32 lane) {
                                                    for (u32 n = 0; n < a.pieces; ++n)
                                                      set_bytes(s.memory, place(s, i, lane) + 4 * n, a.bytes,
                                                                s.v[i.data + n][lane]);
                                                  });
                                                },
                                                [a](Maker& m, u32) {
                                                  Instruction i = choose_flat(m, a.bytes);
                                                  i.destination = 0;
                                                  m.add(i);
                                                },
                                                6};
  for (const AtomicRow& row : atomics()) {
    const string_view name = row.name;
    if (name == "rsub" || name == "cmpst") continue;
    for (const u32 dwords : {1u, 2u})
      all["flat_atomic_" + std::string(name) + (dwords == 2 ? "_x2" : "")] = {
          [=, &row](State& s, const Instruction& i) {
            each_lane(s, [&](u32 lane) {
              atomic_lane(s, s.memory, place(s, i, lane), row, dwords, i.data, i.data + dwords, lane,
                          i.glc ? std::optional<u32>(i.destination) : std::nullopt);
            });
          },
          [dwords](Maker& m, u32 round) {
            prepare_atomics(m, 8, 8, dwords == 2);
            Instruction i = choose_flat(m, dwords * 4);
            i.glc = round % 2 == 0;
            // Not over what later lanes take as operands or addresses.
            i.destination = i.glc ? 12 : 0;
            m.add(i);
          },
          10};
  }
}

// --- LDS ------------------------------------------------------------------------------------------------------------

// LDS is filled from a register before, and read back after; v15 holds four times the lane's number.
void ds_program(Maker& m, bool wide_values, const std::function<void()>& middle) {
  State& s = m.start;
  const u64 mask = s.exec();
  s.set_pair(kExecLo, ~u64{0});
  s.set_pair(60, mask);
  s.s[kM0Code] = m.chance(50) ? 0xffffffff : kLdsBytes;
  for (u32 lane = 0; lane < 64; ++lane) {
    s.v[15][lane] = 4 * lane;
    for (u32 reg = 8; reg < 14; reg += 2) set_vector(s, reg, 2, lane, atomic_value(m, wide_values));
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
// Addresses in v0 such that `offset` and `bytes` more fit.
Instruction choose_ds(Maker& m, u32 align, u32 reach) {
  Instruction i = m.instance();
  i.scalar_destination = 0;
  for (u32& lane : m.start.v[0]) lane = m.below((kLdsBytes - reach) / align + 1) * align;
  i.data = static_cast<u16>(8 + 2 * m.below(2));
  i.data1 = static_cast<u16>(m.chance(50) ? 12 : 10);
  return i;
}
void add_ds(References& all) {
  const auto one_offset = [](const Instruction& i) { return i.offset0 + 256 * i.offset1; };
  struct Row {
    const char* suffix;
    u32 bytes;
    bool is_signed;
  };
  for (const Row& r : {Row{"b32", 4, false}, Row{"b64", 8, false}, Row{"u8", 1, false}, Row{"i8", 1, true},
                       Row{"u16", 2, false}, Row{"i16", 2, true}})
    all[std::string("ds_read_") + r.suffix] = {[=](State& s, const Instruction& i) {
                                                 each_lane(s, [&](u32 lane) {
                                                   const u64 value =
                                                       bytes_at(s.lds, s.v[i.address][lane] + one_offset(i), r.bytes);
                                                   set_vector(s, i.destination, r.bytes == 8 ? 2 : 1, lane,
                                                              r.is_signed ? sign_extended(value, r.bytes) : value);
                                                 });
                                               },
                                               [r](Maker& m, u32) {
                                                 ds_program(m, false, [&] {
                                                   const u32 offset = m.below(600) * r.bytes % 1200;
                                                   Instruction i = choose_ds(m, r.bytes, offset + r.bytes);
                                                   i.offset0 = offset % 256;
                                                   i.offset1 = offset / 256;
                                                   i.destination = static_cast<u16>(m.chance(30) ? 0 : 2);
                                                   m.add(i);
                                                 });
                                               },
                                               4};
  for (const Row& r : {Row{"b8", 1, false}, Row{"b16", 2, false}, Row{"b32", 4, false}, Row{"b64", 8, false}})
    all[std::string("ds_write_") + r.suffix] = {[=](State& s, const Instruction& i) {
                                                  each_lane(s, [&](u32 lane) {
                                                    set_bytes(s.lds, s.v[i.address][lane] + one_offset(i), r.bytes,
                                                              vector_value(s, i.data, 2, lane));
                                                  });
                                                },
                                                [r](Maker& m, u32) {
                                                  ds_program(m, true, [&] {
                                                    const u32 offset = m.below(600) * r.bytes % 1200;
                                                    Instruction i = choose_ds(m, r.bytes, offset + r.bytes);
                                                    for (u32& lane : m.start.v[8]) lane = static_cast<u32>(m.bits());
                                                    i.offset0 = offset % 256;
                                                    i.offset1 = offset / 256;
                                                    m.add(i);
                                                  });
                                                },
                                                4};
  for (const u32 dwords : {3u, 4u}) {
    const auto program = [=](bool read) {
      return [=](Maker& m, u32) {
        ds_program(m, true, [&] {
          const u32 offset = m.below(75) * 16;
          Instruction i = choose_ds(m, 16, offset + dwords * 4);
          i.offset0 = offset % 256;
          i.offset1 = offset / 256;
          i.destination = static_cast<u16>(read ? (m.chance(30) ? 0 : 2) : 0);
          if (read) i.data = i.data1 = 0;
          m.add(i);
        });
      };
    };
    const std::string end = dwords == 3 ? "b96" : "b128";
    all["ds_read_" + end] = {[=](State& s, const Instruction& i) {
                               each_lane(s, [&](u32 lane) {
                                 const u64 address = s.v[i.address][lane] + one_offset(i);
                                 for (u32 n = 0; n < dwords; ++n)
                                   set_vector(s, i.destination + n, 1, lane, bytes_at(s.lds, address + 4 * n, 4));
                               });
                             },
                             program(true), 4};
    all["ds_write_" + end] = {[=](State& s, const Instruction& i) {
                                each_lane(s, [&](u32 lane) {
                                  const u64 address = s.v[i.address][lane] + one_offset(i);
                                  for (u32 n = 0; n < dwords; ++n)
                                    set_bytes(s.lds, address + 4 * n, 4, vector_value(s, i.data + n, 1, lane));
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
          ds_program(m, false, [&] {
            const u32 first = m.below(far ? (dwords == 1 ? 7 : 3) : 100),
                      second = m.below(far ? (dwords == 1 ? 7 : 3) : 100);
            Instruction i = choose_ds(m, bytes, std::max(first, second) * scale + bytes);
            i.offset0 = first;
            i.offset1 = second;
            i.destination = static_cast<u16>(read ? (m.chance(30) ? 0 : 2) : 0);
            if (read) i.data = i.data1 = 0;
            m.add(i);
          });
        };
      };
      all["ds_read2" + end] = {[=](State& s, const Instruction& i) {
                                 each_lane(s, [&](u32 lane) {
                                   const u64 address = s.v[i.address][lane];
                                   const u64 a = bytes_at(s.lds, address + i.offset0 * scale, bytes);
                                   const u64 b = bytes_at(s.lds, address + i.offset1 * scale, bytes);
                                   set_vector(s, i.destination, dwords, lane, a);
                                   set_vector(s, i.destination + dwords, dwords, lane, b);
                                 });
                               },
                               program(true), 6};
      all["ds_write2" + end] = {
          [=](State& s, const Instruction& i) {
            each_lane(s, [&](u32 lane) {
              const u64 address = s.v[i.address][lane];
              set_bytes(s.lds, address + i.offset0 * scale, bytes, vector_value(s, i.data, dwords, lane));
              set_bytes(s.lds, address + i.offset1 * scale, bytes, vector_value(s, i.data1, dwords, lane));
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
                         atomic_lane(s, s.lds, s.v[i.address][lane] + one_offset(i), row, dwords, i.data, i.data1, lane,
                                     returns ? std::optional<u32>(i.destination) : std::nullopt);
                       });
                     },
                     [dwords, returns](Maker& m, u32) {
                       ds_program(m, dwords == 2, [&] {
                         const u32 offset = m.below(600 / dwords) * 4 * dwords % 1200;
                         Instruction i = choose_ds(m, 4 * dwords, offset + 4 * dwords);
                         i.offset0 = offset % 256;
                         i.offset1 = offset / 256;
                         i.destination = static_cast<u16>(returns ? 2 : 0);
                         m.add(i);
                       });
                     },
                     10};
      }
}

}  // namespace

void add_memory(References& all) {
  add_scalar_loads(all);
  add_buffers(all);
  add_formats(all);
  add_flat(all);
  add_ds(all);
}

}  // namespace amdcompat::emulate::vectors
