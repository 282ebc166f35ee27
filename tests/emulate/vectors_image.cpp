// Instructions that access images: what each does, from the documents, and programs around it. [SIA; CIA; VIA: «Vector
// Memory Operations»] [OpenCL 1.2 §8]
//
// A filtered texel is modelled as the sum of all texels of a plane without end, each weighed by a tent around its
// centre; the addressing mode says which texel of the image stands where.
#include <algorithm>
#include <cmath>

#include "vectors_memory.hpp"

namespace amdcompat::emulate::vectors {
namespace {

constexpr u32 kImage = 24, kSampler = 32, kValues = 8;  // first registers

// --- images ---------------------------------------------------------------------------------------------------------

// The bits of components from the lowest on; number formats that they are tried with.
struct Layout {
  u32 number;
  std::vector<u32> bits;
  std::vector<u32> numbers;
  [[nodiscard]] u32 bytes() const {
    u32 out = 0;
    for (const u32 n : bits) out += n;
    return out / 8;
  }
};
constexpr u32 kUnormFormat = 0, kUintFormat = 4, kSintFormat = 5, kFloatFormat = 7, kSrgbFormat = 9;
const std::vector<Layout>& layouts() {
  static const std::vector<u32> small{0, 1, 2, 3, 4, 5}, bytes{0, 1, 2, 3, 4, 5, 9}, halves{0, 1, 2, 3, 4, 5, 7},
      words{4, 5, 7}, packed{0, 4};
  static const std::vector<Layout> all = {
      {1, {8}, bytes},
      {2, {16}, halves},
      {3, {8, 8}, bytes},
      {4, {32}, words},
      {5, {16, 16}, halves},
      {8, {2, 10, 10, 10}, packed},
      {9, {10, 10, 10, 2}, packed},
      {10, {8, 8, 8, 8}, bytes},
      {11, {32, 32}, words},
      {12, {16, 16, 16, 16}, halves},
      {13, {32, 32, 32}, words},
      {14, {32, 32, 32, 32}, words},
      {16, {5, 6, 5}, {0}},
      {17, {5, 5, 5, 1}, {0}},
      {18, {1, 5, 5, 5}, {0}},
      {19, {4, 4, 4, 4}, {0}},
  };
  return all;
}

struct Shape {
  u32 type, axes;
  bool layers;
};
constexpr Shape kShapes[] = {{8, 1, false}, {9, 2, false}, {10, 3, false}, {12, 1, true}, {13, 2, true}};

struct Picture {
  u64 base = kData;
  std::array<u32, 3> size{1, 1, 1};
  u32 pitch = 1, first_layer = 0, layers = 1;
  Shape shape = kShapes[1];
  Layout layout;
  u32 number = 0, selects = 0xfac;
  [[nodiscard]] bool whole() const { return number == kUintFormat || number == kSintFormat; }
  [[nodiscard]] u32 one() const { return whole() ? 1 : 0x3f800000; }
  [[nodiscard]] u32 coordinates() const { return shape.axes + (shape.layers ? 1 : 0); }
  [[nodiscard]] std::array<u32, 8> words(Generation gfx) const {
    // The last layer of GFX9 is where others have their number, as in its predecessors' third dimension.
    const bool gfx9 = gfx >= Generation::Gfx9;
    const u32 depth = shape.layers ? layers + (gfx9 ? first_layer : 0) : size[2];
    return {static_cast<u32>(base >> 8),
            static_cast<u32>(base >> 40) | layout.number << 20 | number << 26,
            (size[0] - 1) | (size[1] - 1) << 14,
            selects | (gfx9 ? 0u : 8u << 20) | shape.type << 28,
            (depth - 1) | (pitch - 1) << 13,
            first_layer | (gfx9 ? 0 : (first_layer + layers - 1) << 13),
            0,
            0};
  }
  // Of a texel, relative to the memory under test; z is the layer of an array.
  [[nodiscard]] u64 place(u32 x, u32 y, u32 z) const {
    const u64 row = u64{z + first_layer} * size[1] + y;
    return base - kData + (row * pitch + x) * layout.bytes();
  }
  [[nodiscard]] u64 end() const {
    return place(size[0] - 1, size[1] - 1, (shape.layers ? layers : size[2]) - 1) + layout.bytes();
  }
};
Picture picture_in(const State& s, u32 r) {
  Picture p;
  const u32* const w = &s.s[r];
  p.base = (u64{w[0]} | u64{w[1] & 0xff} << 32) << 8;
  p.layout = *std::ranges::find(layouts(), w[1] >> 20 & 63, &Layout::number);
  p.number = w[1] >> 26 & 15;
  p.shape = *std::ranges::find(kShapes, w[3] >> 28, &Shape::type);
  p.selects = w[3] & 0xfff;
  p.size = {(w[2] & 0x3fff) + 1, (w[2] >> 14 & 0x3fff) + 1, p.shape.axes > 2 ? (w[4] & 0x1fff) + 1 : 1};
  const bool gfx9 = s.gfx >= Generation::Gfx9;
  p.pitch = (w[4] >> 13 & (gfx9 ? 0xffff : 0x3fff)) + 1;
  p.first_layer = w[5] & 0x1fff;
  p.layers = ((gfx9 ? w[4] : w[5] >> 13) & 0x1fff) + 1 - p.first_layer;
  return p;
}

Quad of_curve(u32 code) {
  const double c = code / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}
// How many codes the value lies above the middle behind: the curve rises.
u32 code_of(u32 value) {
  const Fields f(value, false);
  u32 code = 0;
  for (u32 n = 0; n < 255 && !f.nan(); ++n) {
    const double middle = (n + 0.5) / 255;
    const double at = middle <= 0.04045 ? middle / 12.92 : std::pow((middle + 0.055) / 1.055, 2.4);
    code += double{as_float(value)} > at ? 1 : 0;
  }
  return code;
}
bool curved(const Picture& p, u32 component) { return p.number == kSrgbFormat && component < 3; }
u32 plain_number(const Picture& p) { return p.number == kSrgbFormat ? kUnormFormat : p.number; }

using Values = std::array<u32, 4>;
// The components at a place as they stand there, those that are missing 0, the last one 1.
Values stored(const State& s, const Picture& p, u64 at) {
  Values out{0, 0, 0, p.one()};
  u32 bit = 0;
  for (u32 c = 0; c < p.layout.bits.size(); ++c) {
    u64 raw = 0;
    for (u32 n = p.layout.bits[c]; n-- > 0;) raw = raw << 1 | (s.memory.at(at + (bit + n) / 8) >> (bit + n) % 8 & 1);
    bit += p.layout.bits[c];
    out[c] = curved(p, c) ? bits_of(static_cast<float>(of_curve(static_cast<u32>(raw))))
                          : loaded_component(raw, p.layout.bits[c], plain_number(p));
  }
  return out;
}
void store(State& s, const Picture& p, u64 at, const Values& values) {
  u32 bit = 0;
  for (u32 c = 0; c < p.layout.bits.size(); ++c) {
    u32 value = 0;
    for (u32 n = 4; n-- > 0;)
      if ((p.selects >> (3 * n) & 7) == 4 + c) value = values[n];
    const u64 raw = curved(p, c) ? code_of(value) : stored_component(value, p.layout.bits[c], plain_number(p));
    for (u32 n = 0; n < p.layout.bits[c]; ++n, ++bit) {
      u8& byte = s.memory.at(at + bit / 8);
      byte = static_cast<u8>((byte & ~(1u << bit % 8)) | (raw >> n & 1) << bit % 8);
    }
  }
}
u32 selected(const Picture& p, const Values& values, u32 component) {
  const std::array<u32, 8> choices{0, p.one(), 0, 0, values[0], values[1], values[2], values[3]};
  return choices[p.selects >> (3 * component) & 7];
}
// Where a lane's whole coordinates point to; empty: out of range.
std::optional<u64> place_of(const State& s, const Picture& p, u32 reg, u32 lane) {
  std::array<u64, 3> at{};
  for (u32 n = 0; n < p.shape.axes; ++n) at[n] = s.v[reg + n][lane];
  u64 limit = p.size[2];
  if (p.shape.layers) {
    at[2] = s.v[reg + p.shape.axes][lane];
    limit = p.layers;
  }
  if (at[0] >= p.size[0] || at[1] >= p.size[1] || at[2] >= limit) return std::nullopt;
  return p.place(static_cast<u32>(at[0]), static_cast<u32>(at[1]), static_cast<u32>(at[2]));
}

// Puts what a load returns into registers; `slack` for what is filtered.
void give(State& s, const Instruction& i, const Picture& p, u32 lane, u32 mask, const Values& values,
          double slack = 0) {
  u32 reg = i.data;
  if (i.d16) {
    std::vector<u32> halves;
    for (u32 c = 0; c < 4; ++c)
      if ((mask >> c & 1) != 0) halves.push_back(short_component(values[c], p.number));
    const bool pairs = s.gfx >= Generation::Gfx9;
    if (pairs && halves.size() % 2 != 0) halves.push_back(0);
    for (u32 n = 0; n < halves.size(); n += pairs ? 2 : 1, ++reg) {
      s.v[reg][lane] = pairs ? halves[n] | halves[n + 1] << 16 : halves[n];
      const u32 ulps = slack > 0 || p.number == kSrgbFormat ? 1 : 0;
      if (!p.whole())
        s.slack.push_back({.reg = reg,
                           .lane = lane,
                           .kind = static_cast<u8>(pairs ? 'p' : 'h'),
                           .ulps = ulps,
                           .absolute = 2 * slack});
    }
    return;
  }
  for (u32 c = 0; c < 4; ++c) {
    if ((mask >> c & 1) == 0) continue;
    s.v[reg][lane] = values[c];
    if (!p.whole())
      s.slack.push_back({.reg = reg, .lane = lane, .ulps = p.number == kSrgbFormat ? 2u : 0, .absolute = slack});
    ++reg;
  }
}

// --- samplers -------------------------------------------------------------------------------------------------------

struct Filter {
  std::array<u32, 3> modes{2, 2, 2};  // 0 repeat, 1 mirrored, 2 edge, 6 border
  bool texels = false;  // coordinates are
  bool linear = false, deep = false;  // along x and y, along z
  bool alike = false;  // the third axis has no filter of its own
  u32 border = 0;
  [[nodiscard]] std::array<u32, 4> words() const {
    return {modes[0] | modes[1] << 3 | modes[2] << 6 | (texels ? 1u << 15 : 0), 0,
            (linear ? 5u << 20 : 0) | (alike  ? 0u
                                       : deep ? 2u
                                              : 1u)
                                          << 24,
            border << 30};
  }
};
Filter filter_in(const State& s, u32 r) {
  const u32 w = s.s[r];
  return {{w & 7, w >> 3 & 7, w >> 6 & 7},
          (w >> 15 & 1) != 0,
          (s.s[r + 2] >> 20 & 3) == 1,
          (s.s[r + 2] >> 24 & 3) == 2 || ((s.s[r + 2] >> 24 & 3) == 0 && (s.s[r + 2] >> 20 & 3) == 1),
          (s.s[r + 2] >> 24 & 3) == 0,
          s.s[r + 3] >> 30};
}
// The texel of the image that stands at a place of the plane; empty: the border.
std::optional<u32> folded(i64 at, i64 size, u32 mode) {
  switch (mode) {
    case 0:
      while (at < 0) at += size;
      while (at >= size) at -= size;
      return static_cast<u32>(at);
    case 1:
      while (at < 0 || at >= size) at = at < 0 ? -1 - at : 2 * size - 1 - at;
      return static_cast<u32>(at);
    case 2: return static_cast<u32>(at < 0 ? 0 : at >= size ? size - 1 : at);
    default: return at < 0 || at >= size ? std::nullopt : std::optional(static_cast<u32>(at));
  }
}
Values texel(const State& s, const Picture& p, const Filter& f, const std::array<i64, 3>& at, u32 layer) {
  std::array<u32, 3> inside{};
  for (u32 n = 0; n < p.shape.axes; ++n) {
    const auto one = folded(at[n], p.size[n], f.modes[n]);
    if (!one) {
      const u32 white = f.border == 2 ? p.one() : 0;
      return {white, white, white, f.border == 0 ? 0 : p.one()};
    }
    inside[n] = *one;
  }
  return stored(s, p, p.place(inside[0], inside[1], p.shape.layers ? layer : inside[2]));
}
u32 layer_of(const Picture& p, float value) {
  u32 out = 0;
  while (out + 1 < p.layers) {  // up to the one that is nearest, the even one of two
    const double middle = out + 0.5;
    if (value < middle || (value == middle && out % 2 == 0)) break;
    ++out;
  }
  return out;
}

struct Place {
  std::array<double, 3> at{0.5, 0.5, 0.5};  // in texels
  u32 layer = 0;
};
Place place_in(const State& s, const Instruction& i, const Picture& p, const Filter& f, u32 reg, u32 lane) {
  Place out;
  for (u32 n = 0; n < p.shape.axes; ++n)
    out.at[n] = double{as_float(s.v[reg + n][lane])} * (f.texels || i.unorm ? 1 : p.size[n]);
  if (p.shape.layers) out.layer = layer_of(p, as_float(s.v[reg + p.shape.axes][lane]));
  return out;
}
Values sampled(const State& s, const Picture& p, const Filter& f, const Place& place) {
  std::array<i64, 3> middle{};
  bool filtered = false;
  for (u32 n = 0; n < p.shape.axes; ++n) {
    middle[n] = static_cast<i64>(std::floor(place.at[n]));
    filtered = filtered || (n < 2 ? f.linear : f.deep);
  }
  if (!filtered) return texel(s, p, f, middle, place.layer);
  std::array<Quad, 4> sum{};
  // A tent is as wide as two texels, so that nothing beyond two counts.
  const auto weight = [&](u32 axis, i64 at) -> Quad {
    if (axis >= p.shape.axes || !(axis < 2 ? f.linear : f.deep)) return at == middle[axis] ? 1 : 0;
    const double off = std::abs(place.at[axis] - (static_cast<double>(at) + 0.5));
    return off < 1 ? 1 - off : 0;
  };
  for (i64 z = middle[2] - 2; z <= middle[2] + 2; ++z)
    for (i64 y = middle[1] - 2; y <= middle[1] + 2; ++y)
      for (i64 x = middle[0] - 2; x <= middle[0] + 2; ++x) {
        const Quad w = weight(0, x) * weight(1, y) * weight(2, z);
        if (w == 0) continue;
        const Values one = texel(s, p, f, {x, y, z}, place.layer);
        for (u32 c = 0; c < 4; ++c) sum[c] += w * Quad{as_float(one[c])};
      }
  Values out{};
  for (u32 c = 0; c < 4; ++c) out[c] = bits_of(static_cast<float>(sum[c]));
  return out;
}

// --- programs -------------------------------------------------------------------------------------------------------

void put_words(State& s, u32 first, std::span<const u32> words) { std::ranges::copy(words, s.s.begin() + first); }

// Of a shape and a format; all of it lies in memory.
Picture choose_picture(Maker& m, const Shape& shape, const Layout& layout) {
  for (;;) {
    Picture p;
    p.shape = shape;
    p.layout = layout;
    p.number = layout.numbers[m.below(static_cast<u32>(layout.numbers.size()))];
    p.base = kData + 256 * m.below(4);
    for (u32 n = 0; n < shape.axes; ++n) p.size[n] = 1 + m.below(n == 0 ? 13 : 6);
    p.pitch = p.size[0] + m.below(5);
    if (shape.layers) {
      p.layers = 1 + m.below(4);
      p.first_layer = m.below(3);
    }
    if (p.end() > kDataBytes) continue;
    if (m.chance(40)) {
      static constexpr u32 kSelects[] = {0, 1, 4, 5, 6, 7, 4, 5};
      p.selects = 0;
      for (u32 c = 0; c < 4; ++c) p.selects |= kSelects[m.below(8)] << (3 * c);
    }
    return p;
  }
}
Picture choose_picture(Maker& m) {
  return choose_picture(m, kShapes[m.below(std::size(kShapes))],
                        layouts()[m.below(static_cast<u32>(layouts().size()))]);
}
Instruction image_instance(Maker& m, const Picture& p) {
  put_words(m.start, kImage, p.words(m.gfx()));
  Instruction i = m.instance();
  i.scalar_destination = 0;
  i.resource = kImage;
  i.data = kValues;
  i.address = static_cast<u16>(m.chance(50) ? 0 : 4);
  i.mask = static_cast<u8>(1 + m.below(15));
  i.da = p.shape.layers;
  return i;
}
// Registers of 16 bits, sometimes, where there are such.
void choose_width(Maker& m, const Picture& p, Instruction& i) {
  const bool fits = !p.whole() || std::ranges::max(p.layout.bits) <= 16;
  i.d16 = m.gfx() >= Generation::Gfx8 && fits && m.chance(40);
}
// Whole coordinates, some of them out of range.
void choose_places(Maker& m, const Picture& p, u32 reg, bool level) {
  for (u32 lane = 0; lane < 64; ++lane) {
    for (u32 n = 0; n < p.coordinates(); ++n) {
      const u32 limit = n < p.shape.axes ? p.size[n] : p.layers;
      m.start.v[reg + n][lane] =
          m.chance(8) ? static_cast<u32>(m.value('u')) : m.below(m.chance(10) ? limit + 2 : limit);
    }
    if (level) m.start.v[reg + p.coordinates()][lane] = 0;
  }
}
u32 coordinates_of(const State& s, const Instruction&) { return picture_in(s, kImage).coordinates(); }
u32 one_more(const State& s, const Instruction& i) { return coordinates_of(s, i) + 1; }

void add_accesses(References& all) {
  for (const bool level : {false, true}) {
    const std::string end = level ? "_mip" : "";
    all["image_load" + end] = {[](State& s, const Instruction& i) {
                                 const Picture p = picture_in(s, i.resource);
                                 each_lane(s, [&](u32 lane) {
                                   const auto at = place_of(s, p, i.address, lane);
                                   if (!at) ++s.out_of_range;
                                   const Values raw = at ? stored(s, p, *at) : Values{};
                                   Values values{};
                                   for (u32 c = 0; c < 4; ++c) values[c] = selected(p, raw, c);
                                   give(s, i, p, lane, i.mask, values);
                                 });
                               },
                               [level](Maker& m, u32) {
                                 const Picture p = choose_picture(m);
                                 Instruction i = image_instance(m, p);
                                 i.unorm = true;
                                 choose_width(m, p, i);
                                 choose_places(m, p, i.address, level);
                                 m.add(i);
                               },
                               80, level ? one_more : coordinates_of};
    all["image_store" + end] = {[](State& s, const Instruction& i) {
                                  const Picture p = picture_in(s, i.resource);
                                  each_lane(s, [&](u32 lane) {
                                    Values values{};
                                    const bool pairs = i.d16 && s.gfx >= Generation::Gfx9;
                                    for (u32 c = 0, n = 0; c < 4; ++c) {
                                      if ((i.mask >> c & 1) == 0) continue;
                                      u32 value =
                                          pairs ? s.v[i.data + n / 2][lane] >> 16 * (n % 2) : s.v[i.data + n][lane];
                                      ++n;
                                      if (i.d16) value = long_component(value % 65536, p.number);
                                      values[c] = value;
                                    }
                                    if (const auto at = place_of(s, p, i.address, lane)) store(s, p, *at, values);
                                  });
                                },
                                [level](Maker& m, u32) {
                                  const Picture p = choose_picture(m);
                                  Instruction i = image_instance(m, p);
                                  i.unorm = true;
                                  i.glc = m.chance(50);
                                  choose_width(m, p, i);
                                  choose_places(m, p, i.address, level);
          // A value may meet a component of any width: whole ones of the narrowest.
                                  const u32 bits = *std::ranges::min_element(p.layout.bits);
                                  for (u32 reg = kValues; reg < kValues + 4; ++reg)
                                    for (u32& lane : m.start.v[reg]) {
                                      lane = store_operand(m, bits, plain_number(p));
                                      if (p.number == kSrgbFormat)
                                        lane = bits_of(static_cast<float>(of_curve(m.below(256))));
                                      const bool uneven =
                                          std::ranges::any_of(p.layout.bits, [&](u32 other) { return other != bits; });
                                      if (uneven && p.number == kUnormFormat)
                                        lane = bits_of(m.chance(50) ? 1.0f : 0.0f);
                                      if (!i.d16) continue;
                                      // Halves, or two of them, neither of which is in the middle of two integers.
                                      const auto half = [&](u32 value) {
                                        const u32 out = short_component(value, p.number);
                                        const bool nan = !p.whole() && out % 0x8000 > 0x7c00;
                                        return nan || is_tie(float_of_half(out), bits, plain_number(p)) ? 0 : out;
                                      };
                                      lane = half(lane) | half(lane) << 16;
                                    }
                                  m.add(i);
                                },
                                80, level ? one_more : coordinates_of};
  }
  all["image_get_resinfo"] = {[](State& s, const Instruction& i) {
                                Picture p = picture_in(s, i.resource);
                                p.number = kUintFormat;
                                each_lane(s, [&](u32 lane) {
                                  const u32 third = p.shape.layers ? p.layers : p.size[2];
                                  const bool lines = p.shape.layers && p.shape.axes == 1;
                                  give(s, i, p, lane, i.mask, {p.size[0], lines ? third : p.size[1], third, 1});
                                });
                              },
                              [](Maker& m, u32) {
                                // Of lines on GFX9, and as third one, no document says where they stand.
                                Picture p;
                                do p = choose_picture(m);
                                while (p.shape.layers && p.shape.axes == 1 && m.gfx() >= Generation::Gfx9);
                                Instruction i = image_instance(m, p);
                                if (p.shape.layers && p.shape.axes == 1 && (i.mask &= 11) == 0) i.mask = 2;
                                for (u32& lane : m.start.v[i.address]) lane = 0;
                                m.add(i);
                              },
                              10, [](const State&, const Instruction&) { return 1u; }};
  for (const AtomicRow& row : atomics()) {
    const string_view name = row.name;
    if (name == "cmpst" || name[0] == 'f') continue;  // DS only; floats are refused
    const auto dwords_of = [&row](const Instruction& i) {
      return static_cast<u32>(std::popcount(i.mask)) / (row.two ? 2u : 1u);
    };
    all["image_atomic_" + std::string(name)] = {
        [&row, dwords_of](State& s, const Instruction& i) {
          const Picture p = picture_in(s, i.resource);
          const u32 dwords = dwords_of(i);
          each_lane(s, [&](u32 lane) {
            if (const auto at = place_of(s, p, i.address, lane))
              return atomic_lane(s, s.memory, *at, row, dwords, i.data, i.data + dwords, lane,
                                 i.glc ? std::optional<u32>(i.data) : std::nullopt);
            ++s.out_of_range;
            for (u32 n = 0; i.glc && n < dwords; ++n) s.v[i.data + n][lane] = 0;
          });
        },
        [&row](Maker& m, u32 round) {
          const bool wide = m.chance(50);
          Layout layout = *std::ranges::find(layouts(), wide ? 11u : 4u, &Layout::number);
          layout.numbers = {kUintFormat, kSintFormat};
          prepare_atomics(m, kValues, 4, wide);
          const Picture p = choose_picture(m, kShapes[m.below(std::size(kShapes))], layout);
          Instruction i = image_instance(m, p);
          i.mask = static_cast<u8>((1u << (wide ? 2 : 1) * (row.two ? 2 : 1)) - 1);
          i.unorm = true;
          i.glc = round % 2 == 0;
          choose_places(m, p, i.address, false);
          m.add(i);
        },
        16, coordinates_of};
  }
}

// Coordinates of samples: not where another texel becomes the nearest, so that no rounding decides.
void choose_coordinates(Maker& m, const Picture& p, const Filter& f, bool unorm, u32 reg) {
  for (u32 lane = 0; lane < 64; ++lane) {
    for (u32 n = 0; n < p.shape.axes; ++n) {
      const i64 size = p.size[n];
      const i64 whole = static_cast<i64>(m.below(static_cast<u32>(3 * size + 4))) - size - 2;
      static constexpr double kParts[] = {0.1, 0.25, 0.375, 0.625, 0.75, 0.9};
      const double at = static_cast<double>(whole) + kParts[m.below(std::size(kParts))];
      m.start.v[reg + n][lane] = bits_of(static_cast<float>(f.texels || unorm ? at : at / static_cast<double>(size)));
    }
    if (p.shape.layers)
      m.start.v[reg + p.shape.axes][lane] = bits_of(static_cast<float>(m.below(4 * p.layers + 8)) / 4.0f - 1.0f);
  }
}
// Floats whose sums mean something.
void moderate(Maker& m, const Picture& p) {
  if (p.number != kFloatFormat) return;
  const u32 bytes = p.layout.bits[0] / 8;
  for (u32 at = 0; at < kDataBytes; at += bytes) {
    const u32 value = bits_of(static_cast<float>(m.below(256)) / 16.0f - 8.0f);
    set_bytes(m.start.memory, at, bytes, bytes == 2 ? half_of(value, false) : value);
  }
}
double slack_of(const Picture& p) {
  const bool scaled = p.number == 2 || p.number == 3;
  return scaled ? 0.5 : 1e-4;
}

enum class Extra : u8 { None, Bias, Level };
struct Name {
  const char* suffix;
  Extra extra;
};
constexpr Name kNames[] = {{"", Extra::None}, {"_l", Extra::Level}, {"_b", Extra::Bias}, {"_lz", Extra::None}};

Instruction choose_sample(Maker& m, Extra extra, const Picture& p, Filter f) {
  Instruction i = image_instance(m, p);
  i.sampler = kSampler;
  choose_width(m, p, i);
  f.texels = m.chance(25);
  i.unorm = m.chance(25);
  for (u32& mode : f.modes) {
    static constexpr u32 kModes[] = {2, 6, 0, 1};
    mode = kModes[m.below(f.texels || i.unorm ? 2 : 4)];
  }
  f.border = m.below(3);
  put_words(m.start, kSampler, f.words());
  choose_coordinates(m, p, f, i.unorm, i.address + (extra == Extra::Bias ? 1u : 0u));
  moderate(m, p);
  return i;
}

void add_samples(References& all) {
  for (const Name& name : kNames) {
    const Extra extra = name.extra;
    const auto first = [extra](const Instruction& i) { return i.address + (extra == Extra::Bias ? 1u : 0u); };
    const auto addresses = extra == Extra::None ? coordinates_of : one_more;
    all[std::string("image_sample") + name.suffix] = {
        [first](State& s, const Instruction& i) {
          const Picture p = picture_in(s, i.resource);
          const Filter f = filter_in(s, i.sampler);
          each_lane(s, [&](u32 lane) {
            const Values raw = sampled(s, p, f, place_in(s, i, p, f, first(i), lane));
            Values values{};
            for (u32 c = 0; c < 4; ++c) values[c] = selected(p, raw, c);
            give(s, i, p, lane, i.mask, values, f.linear || f.deep ? slack_of(p) : 0);
          });
        },
        [extra](Maker& m, u32) {
          const Picture p = choose_picture(m);
          const bool linear = !p.whole() && m.chance(60);
          const bool deep = linear && m.chance(80);
          m.add(choose_sample(m, extra, p, {.linear = linear, .deep = deep, .alike = linear == deep && m.chance(40)}));
        },
        120, addresses};
    all[std::string("image_gather4") + name.suffix] = {
        [first](State& s, const Instruction& i) {
          const Picture p = picture_in(s, i.resource);
          const Filter f = filter_in(s, i.sampler);
          const u32 component = i.mask == 1 ? 0 : i.mask == 2 ? 1 : i.mask == 4 ? 2 : 3;
          each_lane(s, [&](u32 lane) {
            const Place place = place_in(s, i, p, f, first(i), lane);
            const i64 left = static_cast<i64>(std::floor(place.at[0] - 0.5));
            const i64 top = static_cast<i64>(std::floor(place.at[1] - 0.5));
            Values values{};
            for (u32 n = 0; n < 4; ++n)
              values[n] = selected(
                  p, texel(s, p, f, {left + (n == 1 || n == 2 ? 1 : 0), top + (n < 2 ? 1 : 0), 0}, place.layer),
                  component);
            give(s, i, p, lane, 15, values);
          });
        },
        [extra](Maker& m, u32) {
          const Picture p =
              choose_picture(m, kShapes[m.chance(50) ? 1 : 4], layouts()[m.below(static_cast<u32>(layouts().size()))]);
          Instruction i = choose_sample(m, extra, p, {.linear = m.chance(50)});
          i.mask = static_cast<u8>(1u << m.below(4));
          m.add(i);
        },
        40, addresses};
  }
}

}  // namespace

void add_images(References& all) {
  add_accesses(all);
  add_samples(all);
}

}  // namespace amdcompat::emulate::vectors
