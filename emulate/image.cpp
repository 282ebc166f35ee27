// Images: MIMG. [SIA; CIA; VIA: chapter «Vector Memory Operations», sections on images] [OpenCL 1.2 §8 «Image
// Addressing and Filtering»]
//
// An access goes through a descriptor of eight scalar registers (T#), one that samples through four more (S#). How many
// coordinates there are is what the descriptor says; a layer, or slice, is the last one. Loads, stores and atomics take
// whole numbers, samples floats. Only linear images of one level are accessed: texel x of row y in slice z is at
// ((z * height + y) * pitch + x) texels.
//
// Out of range loads give 0 and stores do nothing. Samples compute as OpenCL's formulas do, in floats, where hardware
// has weights of 8 bits: the last bits of a filtered texel are not verified. Nor is any enumeration here that
// descriptors.cpp marks so, nor that stores go through the selection of components backwards, which formats such as
// BGRA need. A border is a texel before that selection: all 0 gives OpenCL's colour for every channel order but CL_Rx,
// CL_RGx and CL_RGBx, whose fourth component stays 1.
#include <algorithm>
#include <cmath>

#include <amdcompat/gcn_checks.hpp>
#include <amdcompat/launch_image.hpp>

#include "atomics.hpp"
#include "buffer_format.hpp"

namespace amdcompat::emulate {
namespace {

// --- formats -------------------------------------------------------------------------------------------------------

// Bits of the components from the lowest on.
struct TexelFormat {
  u8 number;
  u8 components;
  std::array<u8, 4> bits;
  [[nodiscard]] constexpr u32 bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3]) / 8u; }
};
constexpr TexelFormat kTexels[] = {
    {1, 1, {8}},
    {2, 1, {16}},
    {3, 2, {8, 8}},
    {4, 1, {32}},
    {5, 2, {16, 16}},
    {8, 4, {2, 10, 10, 10}},
    {9, 4, {10, 10, 10, 2}},
    {10, 4, {8, 8, 8, 8}},
    {11, 2, {32, 32}},
    {12, 4, {16, 16, 16, 16}},
    {13, 3, {32, 32, 32}},
    {14, 4, {32, 32, 32, 32}},
    {16, 3, {5, 6, 5}},
    {17, 4, {5, 5, 5, 1}},
    {18, 4, {1, 5, 5, 5}},
    {19, 4, {4, 4, 4, 4}},
};
constexpr u32 kSrgb = 9;  // of images only

float of_srgb(float value) {
  return value <= 0.04045f ? value / 12.92f : static_cast<float>(std::pow((value + 0.055) / 1.055, 2.4));
}
float to_srgb(float value) {
  return value <= 0.0031308f ? value * 12.92f : static_cast<float>(1.055 * std::pow(double{value}, 1 / 2.4) - 0.055);
}
constexpr bool is_curved(u32 component, u32 number_format) { return number_format == kSrgb && component < 3; }

std::optional<u32> unpack_texel(u32 raw, u32 bits, u32 component, u32 number_format) {
  const auto plain = unpack(raw, bits, number_format == kSrgb ? kUnorm : number_format);
  return plain && is_curved(component, number_format) ? bits_of(of_srgb(std::bit_cast<float>(*plain))) : plain;
}
u32 pack_texel(u32 value, u32 bits, u32 component, u32 number_format) {
  if (is_curved(component, number_format)) value = bits_of(to_srgb(std::clamp(std::bit_cast<float>(value), 0.f, 1.f)));
  return *pack(value, bits, number_format == kSrgb ? kUnorm : number_format);
}

using Texel = std::array<u32, 4>;

// --- the image -----------------------------------------------------------------------------------------------------

struct Kind {
  u32 type;
  u8 axes;
  bool layered;
};
constexpr Kind kKinds[] = {{8, 1, false}, {9, 2, false}, {10, 3, false}, {12, 1, true}, {13, 2, true}};

class Image {
 public:
  // Stops the run where something of it is not modelled.
  Image(Wave& wave, const Instruction& i) : wave_(wave), narrow_(has_short_address(i, wave.launch().gfx)) {
    std::array<u32, 8> words{};
    for (u32 n = 0; n < words.size(); ++n) words[n] = wave.sgpr(i.resource + n);
    form_ = *abi::image_form(wave.launch().gfx);  // the interpreter runs no later ones
    d_ = abi::decode_image_descriptor(words, form_);
    if (std::string why = refusal(i); !why.empty()) wave.stop(std::move(why));
    if (wave.status() == Status::Stopped) return;
    kind_ = std::ranges::find(kKinds, d_.type, &Kind::type);
    format_ = std::ranges::find(kTexels, d_.data_format, &TexelFormat::number);
    extents_ = {d_.width, axes() > 1 ? d_.height : 1, axes() > 2 ? d_.depth : 1};
    if (layered()) layers_ = d_.last_layer - d_.base_layer + 1;
  }

  [[nodiscard]] const TexelFormat& format() const { return *format_; }
  [[nodiscard]] bool integer() const { return is_integer(d_.number_format); }
  // How the components that `i` loads or stores lie in registers.
  [[nodiscard]] Layout layout(const Instruction& i) const { return {wave_.launch().gfx, i, i.d16, d_.number_format}; }
  [[nodiscard]] u32 axes() const { return kind_->axes; }
  [[nodiscard]] bool layered() const { return kind_->layered; }
  [[nodiscard]] u32 layers() const { return layers_; }
  [[nodiscard]] u32 extent(u32 axis) const { return extents_[axis]; }
  [[nodiscard]] u32 coordinates() const { return kind_->axes + (kind_->layered ? 1 : 0); }

  // In texels along the axes, and the layer.
  [[nodiscard]] u64 address(const std::array<u32, 3>& at, u32 layer) const {
    const u64 slice = kind_->layered ? d_.base_layer + u64{layer} : at[2];
    return (d_.address + ((slice * extents_[1] + at[1]) * d_.pitch + at[0]) * format_->bytes()) & kAddressMask;
  }
  // Registers that `parts` parts of an address take.
  [[nodiscard]] u32 registers(u32 parts) const { return narrow_ ? (parts + 1) / 2 : parts; }
  // Part `n` of the address that begins in register `first`: a whole number, or a float.
  [[nodiscard]] u32 whole_part(u32 first, u32 n, u32 lane) const {
    if (!narrow_) return wave_.vgpr(first + n)[lane];
    return wave_.vgpr(first + n / 2)[lane] >> 16 * (n % 2) & 0xffff;
  }
  [[nodiscard]] float float_part(u32 first, u32 n, u32 lane) const {
    const u32 bits = whole_part(first, n, lane);
    return narrow_ ? from_half(bits) : std::bit_cast<float>(bits);
  }
  // That of whole coordinates in registers; empty: out of range.
  [[nodiscard]] std::optional<u64> address_of(u32 first, u32 lane) const {
    std::array<u32, 3> at{};
    for (u32 n = 0; n < kind_->axes; ++n) {
      at[n] = whole_part(first, n, lane);
      if (at[n] >= extents_[n]) return std::nullopt;
    }
    const u32 layer = kind_->layered ? whole_part(first, kind_->axes, lane) : 0;
    return layer < layers_ ? std::optional(address(at, layer)) : std::nullopt;
  }

  // The components in memory; those that the format lacks are 0, the last one 1.
  [[nodiscard]] Texel fetch(u64 address) const {
    std::array<u8, 16> raw{};
    static_cast<void>(wave_.load(address, std::span(raw).first(format_->bytes())));
    Texel out{0, 0, 0, one()};
    u32 bit = 0;
    for (u32 c = 0; c < format_->components; ++c) {
      out[c] = *unpack_texel(taken(raw, bit, format_->bits[c]), format_->bits[c], c, d_.number_format);
      bit += format_->bits[c];
    }
    return out;
  }
  [[nodiscard]] Texel selected(const Texel& texel) const {
    Texel out{};
    for (u32 c = 0; c < 4; ++c) {
      const u32 select = d_.select[c];
      out[c] = select == 1 ? one() : select >= 4 ? texel[select - 4] : 0;
    }
    return out;
  }
  // A component in memory is that which selects it, the first one if several do.
  void put(u64 address, const Texel& values) {
    std::array<u8, 16> raw{};
    u32 bit = 0;
    for (u32 c = 0; c < format_->components; ++c) {
      const auto* const from = std::ranges::find(d_.select, 4 + c);
      const u32 value = from == d_.select.end() ? 0 : values[static_cast<std::size_t>(from - d_.select.begin())];
      add(raw, bit, pack_texel(value, format_->bits[c], c, d_.number_format), format_->bits[c]);
      bit += format_->bits[c];
    }
    wave_.store(address, std::span(raw).first(format_->bytes()));
  }
  [[nodiscard]] u32 one() const { return integer() ? 1 : bits_of(1.0f); }

 private:
  [[nodiscard]] std::string refusal(const Instruction& i) const {
    if (i.tfe || i.lwe || (i.r128 && !narrow_)) return "image access with TFE, LWE or R128";
    if (i.mask == 0) return "image access of no component";
    if (d_.type < 8) return "an image access through a descriptor of another type";
    const auto* const kind = std::ranges::find(kKinds, d_.type, &Kind::type);
    if (kind == std::end(kKinds)) return "an image of type " + std::to_string(d_.type);
    if (!abi::is_linear(d_, form_)) return "an image with tiling " + std::to_string(d_.tiling);
    if (d_.base_level != 0 || d_.last_level != 0) return "an image of several levels";
    if (d_.last_layer < d_.base_layer) return "an image of no layer";
    // An instruction that does not know of layers may take the first one, or a coordinate less: not verified.
    if (i.opcode != Opcode::image_get_resinfo && i.da != kind->layered)
      return "an array of images accessed as one, or one as an array";
    const auto* const format = std::ranges::find(kTexels, d_.data_format, &TexelFormat::number);
    if (format == std::end(kTexels) || !unpack_texel(0, format->bits[0], 0, d_.number_format))
      return "image access in data format " + std::to_string(d_.data_format) + ", number format " +
             std::to_string(d_.number_format);
    if (!i.d16) return {};
    const std::string_view name = gcn::info(i.opcode).name;
    if (name.starts_with("image_atomic_") || name.starts_with("image_get_")) return "D16 of what is no texel";
    if (is_integer(d_.number_format) && std::ranges::max(format->bits) > 16)
      return "integers of 32 bits in registers of 16";
    return {};
  }
  // Fields cross at most one byte's end more than they have whole bytes.
  static u32 taken(const std::array<u8, 16>& raw, u32 bit, u32 bits) {
    u64 window = 0;
    for (u32 n = 0; n < 5 && bit / 8 + n < raw.size(); ++n) window |= u64{raw[bit / 8 + n]} << (8 * n);
    return static_cast<u32>(window >> bit % 8 & ((u64{1} << bits) - 1));
  }
  static void add(std::array<u8, 16>& raw, u32 bit, u32 value, u32 bits) {
    const u64 window = (value & ((u64{1} << bits) - 1)) << bit % 8;
    for (u32 n = 0; n < 5 && bit / 8 + n < raw.size(); ++n) raw[bit / 8 + n] |= static_cast<u8>(window >> (8 * n));
  }

  Wave& wave_;
  bool narrow_;  // address parts of 16 bits, two in a register
  abi::ImageForm form_ = abi::ImageForm::Gfx6;
  abi::HardwareImage d_;
  const Kind* kind_ = nullptr;
  const TexelFormat* format_ = nullptr;
  std::array<u32, 3> extents_{1, 1, 1};
  u32 layers_ = 1;
};

// --- registers -----------------------------------------------------------------------------------------------------

// The components of `mask` that a load returns, in registers that follow each other.
class Returned {
 public:
  Returned(u32 mask, const Layout& layout) : mask_(mask), layout_(layout) {}
  // Once for each lane.
  void keep(u32 lane, const Texel& texel) {
    u32 next = 0;
    for (u32 c = 0; c < 4; ++c) {
      if ((mask_ >> c & 1) == 0) continue;
      values_.at(layout_.place(next), lane) |= layout_.put(next, texel[c]);
      ++next;
    }
  }
  void write(Wave& wave, u32 first) {
    values_.write(wave, first, layout_.registers(static_cast<u32>(std::popcount(mask_))));
  }

 private:
  u32 mask_;
  Layout layout_;
  Loaded<4> values_;
};

// --- loads and stores ----------------------------------------------------------------------------------------------

// Reports what is read, and stops where a lane asks for another level than the only one.
template <bool Level>
void check_address(Wave& wave, const Instruction& i, const Image& image, u32 coordinates) {
  wave.check_vgpr(i.address, image.registers(coordinates + (Level ? 1 : 0)), wave.exec());
  if constexpr (Level)
    each_lane(wave, [&](u32 lane) {
      if (image.whole_part(i.address, coordinates, lane) != 0) wave.stop("a mip level of an image");
    });
}

template <bool Level>
void image_load(Wave& wave, const Instruction& i) {
  const Image image(wave, i);
  if (wave.status() == Status::Stopped) return;
  check_address<Level>(wave, i, image, image.coordinates());
  if (wave.status() == Status::Stopped) return;
  Returned returned(i.mask, image.layout(i));
  each_lane(wave, [&](u32 lane) {
    const auto address = image.address_of(i.address, lane);
    if (!address) ++wave.context().report.out_of_range;
    returned.keep(lane, image.selected(address ? image.fetch(*address) : Texel{}));
  });
  returned.write(wave, i.data);
}

template <bool Level>
void image_store(Wave& wave, const Instruction& i) {
  Image image(wave, i);
  if (wave.status() == Status::Stopped) return;
  check_address<Level>(wave, i, image, image.coordinates());
  const Layout layout = image.layout(i);
  wave.check_vgpr(i.data, layout.registers(static_cast<u32>(std::popcount(i.mask))), wave.exec());
  if (wave.status() == Status::Stopped) return;
  each_lane(wave, [&](u32 lane) {
    const auto address = image.address_of(i.address, lane);
    if (!address) return;
    Texel values{};  // components that are not given are 0
    u32 next = 0;
    for (u32 c = 0; c < 4; ++c) {
      if ((i.mask >> c & 1) == 0) continue;
      values[c] = layout.get(next, wave.vgpr(i.data + layout.place(next))[lane]);
      ++next;
    }
    image.put(*address, values);
  });
}

void image_get_resinfo(Wave& wave, const Instruction& i) {
  const Image image(wave, i);
  if (wave.status() == Status::Stopped) return;
  // Up to GFX8 the layers of lines stand where rows would; what stands in their own place, and where GFX9 has those of
  // lines that are no planes of one row, no source says. [MESA visit_image_size]
  const bool lines = image.layered() && image.axes() == 1;
  if (lines && (wave.launch().gfx >= gcn::Generation::Gfx9 || (i.mask & 4) != 0))
    return wave.stop("the size of an array of lines, whose place is not known");
  check_address<true>(wave, i, image, 0);
  if (wave.status() == Status::Stopped) return;
  const u32 slices = image.layered() ? image.layers() : image.extent(2);
  const Texel size{image.extent(0), lines ? slices : image.extent(1), slices, 1};
  Returned returned(i.mask, image.layout(i));
  each_lane(wave, [&](u32 lane) { returned.keep(lane, size); });
  returned.write(wave, i.data);
}

// Operands are as many as the mask has components: of 32 or 64 bits each, as texels are.
template <auto F, auto Wide>
void image_atomic(Wave& wave, const Instruction& i) {
  const Image image(wave, i);
  if (wave.status() == Status::Stopped) return;
  constexpr u32 kOperands = Atomic<decltype(+F)>::kOperands;
  const bool wide = i.mask == (1u << 2 * kOperands) - 1, narrow = i.mask == (1u << kOperands) - 1;
  const TexelFormat& format = image.format();
  if ((!wide && !narrow) || format.bits[0] != 32 || format.bytes() != (wide ? 8u : 4u))
    return wave.stop("an atomic operation on texels of another size");
  check_address<false>(wave, i, image, image.coordinates());
  if (wave.status() == Status::Stopped) return;
  const auto address = [&](u32 lane) {
    const auto out = image.address_of(i.address, lane);
    if (!out) ++wave.context().report.out_of_range;
    return out;
  };
  wide ? atomic<Wide>(wave, i, i.data, address) : atomic<F>(wave, i, i.data, address);
}

// --- samples -------------------------------------------------------------------------------------------------------

enum Clamp : u32 { kRepeat = 0, kMirror = 1, kEdge = 2, kBorder = 6 };
// Without a filter of its own the third axis has that of the others: AMD's runtime gives linear samplers none.
// [ROCR image_manager_ai.cpp, PopulateSamplerSrd]
enum ZFilter : u32 { kZFilterNone = 0, kZFilterLinear = 2 };

// The texels along one axis, and how much each counts; -1: the border.
struct Taps {
  std::array<i64, 2> at{};
  std::array<float, 2> weight{1, 0};
  u32 count = 1;
};
// Half of the least part of a texel that coordinates have, to which they are rounded before the nearest texel is taken.
// Compilers of today count on it: for such samplers their library gives the floor of a coordinate divided by the size,
// which may come out a little below. That the part is 1/256, as weights of filters have it, is not verified.
constexpr float kHalfStep = 1.0f / 512;
// Far from every image is near enough.
i64 whole(float value) {
  constexpr float kMost = 1 << 30;
  return std::isnan(value) ? 0 : static_cast<i64>(std::clamp(std::floor(value), -kMost, kMost));
}

class Sampler {
 public:
  Sampler(Wave& wave, const Instruction& i, const Image& image) : wave_(wave), image_(image) {
    std::array<u32, 4> words{};
    for (u32 n = 0; n < words.size(); ++n) words[n] = wave.sgpr(i.sampler + n);
    d_ = abi::decode_sampler_descriptor(words);
    normalized_ = !i.unorm && !d_.unnormalized;
    linear_ = d_.magnified == 1;
    if (std::string why = refusal(); !why.empty()) wave.stop(std::move(why));
  }

  // `always`: the texels that a linear filter takes, whatever the sampler's filter is.
  [[nodiscard]] Taps taps(u32 axis, float coordinate, bool always) const {
    const float size = static_cast<float>(image_.extent(axis));
    const i64 texels = image_.extent(axis);
    const u32 clamp = d_.clamp[axis];
    float u = normalized_ ? coordinate * size : coordinate;
    constexpr float kBeyondInt = 0x1p31f;
    if (!(std::abs(u) < kBeyondInt)) ++wave_.context().report.odd_samples;
    if (clamp == kRepeat) u = (coordinate - std::floor(coordinate)) * size;
    const float turned = coordinate - 2 * std::rint(0.5f * coordinate);
    if (clamp == kMirror) u = std::abs(turned) * size;
    Taps out;
    if (always || (axis < 2 || d_.z_filter == kZFilterNone ? linear_ : d_.z_filter == kZFilterLinear)) {
      const float from = u - 0.5f, part = from - std::floor(from);
      const float second = std::isfinite(part) ? part : 0;
      out = {{whole(from), whole(from) + 1}, {1 - second, second}, 2};
    } else {
      out.at[0] = whole(u);
      if (!normalized_ || wave_.context().limits.last_places >= 0) {
        // Repeated texels are those of the plane without end: rounding at a mirror takes no other one.
        if (clamp < kEdge) u = coordinate * size;
        out.at[0] = whole(u + kHalfStep);
        if (clamp == kMirror) out.at[0] = mirrored(out.at[0], texels);
      }
    }
    for (u32 n = 0; n < out.count; ++n) {
      i64& at = out.at[n];
      if (clamp == kRepeat) at = (at % texels + texels) % texels;
      if (clamp == kMirror || clamp == kEdge) at = std::clamp<i64>(at, 0, texels - 1);
      if (at < 0 || at >= texels) at = -1;
    }
    if (clamp == kMirror && turned < 0 && always) std::swap(out.at[0], out.at[1]);
    return out;
  }
  static i64 mirrored(i64 at, i64 texels) {
    const i64 there = (at % (2 * texels) + 2 * texels) % (2 * texels);
    return there < texels ? there : 2 * texels - 1 - there;
  }
  [[nodiscard]] u32 layer(float coordinate) const {
    const float most = static_cast<float>(image_.layers() - 1);
    return std::isnan(coordinate) ? 0 : static_cast<u32>(std::clamp(std::rint(coordinate), 0.f, most));
  }
  [[nodiscard]] Texel texel(i64 x, i64 y, i64 z, u32 layer) const {
    if (x >= 0 && y >= 0 && z >= 0)
      return image_.fetch(image_.address({static_cast<u32>(x), static_cast<u32>(y), static_cast<u32>(z)}, layer));
    // Black that is transparent or opaque, or white.
    const u32 color = d_.border == 2 ? image_.one() : 0;
    return {color, color, color, d_.border != 0 ? image_.one() : 0};
  }
  [[nodiscard]] Texel sample(const std::array<Taps, 3>& taps, u32 layer) const {
    const auto& [x, y, z] = taps;
    if (x.count * y.count * z.count == 1) return texel(x.at[0], y.at[0], z.at[0], layer);
    if (image_.integer()) {
      wave_.stop("a filter of integers");
      return {};
    }
    std::array<float, 4> sum{};
    for (u32 c = 0; c < z.count; ++c)
      for (u32 b = 0; b < y.count; ++b)
        for (u32 a = 0; a < x.count; ++a) {
          const float weight = x.weight[a] * y.weight[b] * z.weight[c];
          const Texel part = texel(x.at[a], y.at[b], z.at[c], layer);
          for (u32 n = 0; n < 4; ++n) sum[n] += weight * std::bit_cast<float>(part[n]);
        }
    return {bits_of(sum[0]), bits_of(sum[1]), bits_of(sum[2]), bits_of(sum[3])};
  }

 private:
  [[nodiscard]] std::string refusal() const {
    if (d_.filter_mode != 0) return "a sampler that takes minima or maxima";
    if (d_.magnified > 1 || d_.minified > 1) return "an anisotropic sampler";
    if (d_.magnified != d_.minified) return "a sampler with other filters near than far";
    if (d_.z_filter == 3) return "a sampler of an unknown filter";
    if (d_.border == 3) return "a sampler with a border colour of its own";
    for (u32 axis = 0; axis < image_.axes(); ++axis) {
      const u32 clamp = d_.clamp[axis];
      if (clamp != kRepeat && clamp != kMirror && clamp != kEdge && clamp != kBorder)
        return "a sampler with clamp mode " + std::to_string(clamp);
      if (!normalized_ && clamp < kEdge) return "a sampler that repeats coordinates which are texels";
    }
    return {};
  }

  Wave& wave_;
  const Image& image_;
  abi::HardwareSampler d_;
  bool normalized_ = true, linear_ = false;
};

// The arguments of a sampling instruction: a bias before the coordinates, a level behind them. Neither matters to an
// image of one level.
enum class Extra : u8 { None, Bias, Level };

// `body` makes a lane's texel of its taps.
template <Extra E, class Body>
void each_sample(Wave& wave, const Instruction& i, u32 mask, bool always, Body&& body) {
  const Image image(wave, i);
  if (wave.status() == Status::Stopped) return;
  const Sampler sampler(wave, i, image);
  if (wave.status() == Status::Stopped) return;
  if (E == Extra::Bias && has_short_address(i, wave.launch().gfx))
    wave.stop("a bias of 16 bits");  // whose place is not known
  wave.check_vgpr(i.address, image.registers(image.coordinates() + (E != Extra::None ? 1 : 0)), wave.exec());
  if (wave.status() == Status::Stopped) return;
  const u32 first = i.address + (E == Extra::Bias ? 1 : 0);
  Returned returned(mask, image.layout(i));
  each_lane(wave, [&](u32 lane) {
    const auto coordinate = [&](u32 n) { return image.float_part(first, n, lane); };
    std::array<Taps, 3> taps;
    for (u32 axis = 0; axis < image.axes(); ++axis) taps[axis] = sampler.taps(axis, coordinate(axis), always);
    const u32 layer = image.layered() ? sampler.layer(coordinate(image.axes())) : 0;
    returned.keep(lane, body(image, sampler, taps, layer));
  });
  if (wave.status() != Status::Stopped) returned.write(wave, i.data);
}

template <Extra E>
void image_sample(Wave& wave, const Instruction& i) {
  each_sample<E>(wave, i, i.mask, false,
                 [](const Image& image, const Sampler& sampler, const std::array<Taps, 3>& taps, u32 layer) {
                   return image.selected(sampler.sample(taps, layer));
                 });
}

// One component of the four texels that a linear filter would take, counter-clockwise from the lower left one.
template <Extra E>
void image_gather(Wave& wave, const Instruction& i) {
  if (std::popcount(i.mask) != 1) return wave.stop("a gather of another number of components than one");
  const auto component = static_cast<u32>(std::countr_zero(i.mask));
  each_sample<E>(wave, i, 0xf, true,
                 [&](const Image& image, const Sampler& sampler, const std::array<Taps, 3>& taps, u32 layer) {
                   if (image.axes() != 2) wave.stop("a gather from an image without two dimensions");
                   const auto& [x, y, z] = taps;
                   const auto one = [&](u32 a, u32 b) {
                     return image.selected(sampler.texel(x.at[a], y.at[b], z.at[0], layer))[component];
                   };
                   return Texel{one(0, 1), one(1, 1), one(1, 0), one(0, 0)};
                 });
}

// --- the table -----------------------------------------------------------------------------------------------------

// How many registers there are the mask says, so that rows have no shapes.
constexpr Semantics row(Execute execute) { return {.execute = execute}; }

// clang-format off
constexpr Row kImageRows[] = {
    {Opcode::image_load, row(&image_load<false>)},
    {Opcode::image_load_mip, row(&image_load<true>)},
    {Opcode::image_store, row(&image_store<false>)},
    {Opcode::image_store_mip, row(&image_store<true>)},
    {Opcode::image_get_resinfo, row(&image_get_resinfo)},
    {Opcode::image_atomic_swap, row(&image_atomic<kSwap<u32>, kSwap<u64>>)},
    {Opcode::image_atomic_cmpswap, row(&image_atomic<kCompareSwap<u32>, kCompareSwap<u64>>)},
    {Opcode::image_atomic_add, row(&image_atomic<kAdd<u32>, kAdd<u64>>)},
    {Opcode::image_atomic_sub, row(&image_atomic<kSub<u32>, kSub<u64>>)},
    {Opcode::image_atomic_rsub, row(&image_atomic<kReverseSub<u32>, kReverseSub<u64>>)},
    {Opcode::image_atomic_smin, row(&image_atomic<kMin<i32>, kMin<i64>>)},
    {Opcode::image_atomic_umin, row(&image_atomic<kMin<u32>, kMin<u64>>)},
    {Opcode::image_atomic_smax, row(&image_atomic<kMax<i32>, kMax<i64>>)},
    {Opcode::image_atomic_umax, row(&image_atomic<kMax<u32>, kMax<u64>>)},
    {Opcode::image_atomic_and, row(&image_atomic<kAnd<u32>, kAnd<u64>>)},
    {Opcode::image_atomic_or, row(&image_atomic<kOr<u32>, kOr<u64>>)},
    {Opcode::image_atomic_xor, row(&image_atomic<kXor<u32>, kXor<u64>>)},
    {Opcode::image_atomic_inc, row(&image_atomic<kInc<u32>, kInc<u64>>)},
    {Opcode::image_atomic_dec, row(&image_atomic<kDec<u32>, kDec<u64>>)},
    {Opcode::image_sample, row(&image_sample<Extra::None>)},
    {Opcode::image_sample_l, row(&image_sample<Extra::Level>)},
    {Opcode::image_sample_b, row(&image_sample<Extra::Bias>)},
    {Opcode::image_sample_lz, row(&image_sample<Extra::None>)},
    {Opcode::image_gather4, row(&image_gather<Extra::None>)},
    {Opcode::image_gather4_l, row(&image_gather<Extra::Level>)},
    {Opcode::image_gather4_b, row(&image_gather<Extra::Bias>)},
    {Opcode::image_gather4_lz, row(&image_gather<Extra::None>)},
};
// clang-format on
static_assert(first_missing(Room::Image, kImageRows) == Opcode::none);

}  // namespace

std::span<const Row> image_rows() { return kImageRows; }

}  // namespace amdcompat::emulate
