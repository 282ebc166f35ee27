// Hardware descriptors of GCN: V# for buffers, T# for images, S# for samplers.
//
// The bit positions are those Multi2Sim took from the Southern Islands manual (table 8.5 and its neighbours). What goes
// into a V# is known from runs of real kernels [RUN]. For T# and S# no legacy file holds one: AMD's driver made
// them. The
// values of their enumerations (data formats, clamp modes, image types, tiling) are those of the public hardware
// headers of the Linux driver and Mesa (sid.h), and marked as not verified.
//
// Every field is a row of the table below; encoding is `put` by row, looked up by name when this is compiled, so that
// a row without a writer stays 0 and the table is what the documentation shows.
#include <amdcompat/launch_image.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace amdcompat::abi {
namespace {

constexpr auto V = DescriptorKind::Buffer;
constexpr auto T = DescriptorKind::Image;
constexpr auto T6 = DescriptorKind::ImageGfx6;
constexpr auto T9 = DescriptorKind::ImageGfx9;
constexpr auto S = DescriptorKind::Sampler;
constexpr auto kObserved = Evidence::Observed;
constexpr auto kDocumented = Evidence::Documented;
constexpr auto kUnverified = Evidence::NotVerified;
constexpr std::string_view kRun = "M2S WorkItem.h; RUN";
constexpr std::string_view kBits = "M2S WorkItem.h after the SI manual";
constexpr std::string_view kSid = "M2S WorkItem.h; values: Mesa sid.h";
constexpr std::string_view kSidOnly = "Mesa sid.h";
constexpr std::string_view kAi = "VEGA table of image resources; ROCR image_manager_ai.cpp";

// clang-format off
constexpr std::array kFields{
    HardwareDescriptorField{V, 0, 48, "base", "address in bytes", kObserved, kRun},
    HardwareDescriptorField{V, 48, 14, "stride", "bytes; 16 for constant buffers that kernels index", kObserved, kRun},
    HardwareDescriptorField{V, 62, 1, "cache swizzle", "0", kDocumented, kBits},
    HardwareDescriptorField{V, 63, 1, "swizzle enable", "0", kDocumented, kBits},
    HardwareDescriptorField{V, 64, 32, "num_records", "size in bytes, also with a stride: VI and later count so; SI and CI count strides and then only check less", kObserved, kRun},
    HardwareDescriptorField{V, 96, 3, "dst_sel x", "4: x", kObserved, kRun},
    HardwareDescriptorField{V, 99, 3, "dst_sel y", "5: y", kObserved, kRun},
    HardwareDescriptorField{V, 102, 3, "dst_sel z", "6: z", kObserved, kRun},
    HardwareDescriptorField{V, 105, 3, "dst_sel w", "7: w", kObserved, kRun},
    HardwareDescriptorField{V, 108, 3, "num_format", "7: float", kObserved, kRun},
    HardwareDescriptorField{V, 111, 4, "data_format", "4: 32 bits", kObserved, kRun},
    HardwareDescriptorField{V, 115, 2, "element size", "0", kObserved, kRun},
    HardwareDescriptorField{V, 117, 2, "index stride", "0", kObserved, kRun},
    HardwareDescriptorField{V, 119, 1, "add_tid_enable", "0", kObserved, kRun},
    HardwareDescriptorField{V, 121, 1, "hash enable", "0", kDocumented, kBits},
    HardwareDescriptorField{V, 122, 1, "heap", "0", kDocumented, kBits},
    HardwareDescriptorField{V, 126, 2, "type", "0: buffer", kDocumented, kBits},

    HardwareDescriptorField{T, 0, 40, "base", "address / 256", kDocumented, kBits},
    HardwareDescriptorField{T, 40, 12, "min lod", "0", kDocumented, kBits},
    HardwareDescriptorField{T, 52, 6, "data_format", "by channel order and type", kUnverified, kSid},
    HardwareDescriptorField{T, 58, 4, "num_format", "by channel type", kUnverified, kSid},
    HardwareDescriptorField{T, 64, 14, "width", "width - 1", kDocumented, kBits},
    HardwareDescriptorField{T, 78, 14, "height", "height - 1", kDocumented, kBits},
    HardwareDescriptorField{T, 96, 3, "dst_sel x", "by channel order: 0 zero, 1 one, 4..7 x..w", kUnverified, kSid},
    HardwareDescriptorField{T, 99, 3, "dst_sel y", "by channel order", kUnverified, kSid},
    HardwareDescriptorField{T, 102, 3, "dst_sel z", "by channel order", kUnverified, kSid},
    HardwareDescriptorField{T, 105, 3, "dst_sel w", "by channel order", kUnverified, kSid},
    HardwareDescriptorField{T, 108, 4, "base level", "0", kDocumented, kBits},
    HardwareDescriptorField{T, 112, 4, "last level", "0", kDocumented, kBits},
    HardwareDescriptorField{T, 124, 4, "type", "8 1D, 9 2D, 10 3D, 12 1D array, 13 2D array", kUnverified, kSid},
    HardwareDescriptorField{T, 128, 13, "depth", "depth - 1; of arrays: layers - 1, on GFX9 the last layer", kDocumented, kBits},
    HardwareDescriptorField{T, 160, 13, "base array", "0", kDocumented, kBits},
    HardwareDescriptorField{T, 192, 12, "min lod warn", "0", kDocumented, kBits},
    HardwareDescriptorField{T6, 116, 5, "tiling index", "8: linear, aligned", kUnverified, kSid},
    HardwareDescriptorField{T6, 141, 14, "pitch", "elements of a row - 1", kUnverified, kSid},
    HardwareDescriptorField{T6, 173, 13, "last array", "layers - 1", kUnverified, kSid},
    HardwareDescriptorField{T9, 116, 5, "sw_mode", "0: linear", kDocumented, kAi},
    HardwareDescriptorField{T9, 141, 16, "pitch", "elements of a row - 1", kDocumented, kAi},

    HardwareDescriptorField{S, 0, 3, "clamp x", "0 repeat, 1 mirrored, 2 edge, 6 border", kUnverified, kSid},
    HardwareDescriptorField{S, 3, 3, "clamp y", "as clamp x", kUnverified, kSid},
    HardwareDescriptorField{S, 6, 3, "clamp z", "as clamp x", kUnverified, kSid},
    HardwareDescriptorField{S, 15, 1, "force unnormalized", "1 for unnormalized coordinates", kUnverified, kSidOnly},
    HardwareDescriptorField{S, 29, 2, "filter_mode", "0: blend", kDocumented, kBits},
    HardwareDescriptorField{S, 32, 12, "min lod", "0", kDocumented, kBits},
    HardwareDescriptorField{S, 44, 12, "max lod", "0: legacy images have one level", kDocumented, kBits},
    HardwareDescriptorField{S, 84, 2, "xy mag filter", "0 point, 1 bilinear", kUnverified, kSidOnly},
    HardwareDescriptorField{S, 86, 2, "xy min filter", "0 point, 1 bilinear", kUnverified, kSidOnly},
    HardwareDescriptorField{S, 88, 2, "z filter", "1 point, 2 linear", kUnverified, kSidOnly},
    HardwareDescriptorField{S, 126, 2, "border color", "0: all components 0", kUnverified, kSidOnly},
};
// clang-format on

constexpr bool rows_are_sorted_and_disjoint() {
  for (std::size_t i = 1; i < kFields.size(); ++i) {
    const HardwareDescriptorField &before = kFields[i - 1], &row = kFields[i];
    if (row.descriptor == before.descriptor ? row.bit < before.bit + before.width : row.descriptor < before.descriptor)
      return false;
  }
  return true;
}
static_assert(rows_are_sorted_and_disjoint());

// The row of a field; a name without one does not compile.
consteval std::size_t row(DescriptorKind kind, std::string_view name) {
  for (std::size_t i = 0; i < kFields.size(); ++i)
    if (kFields[i].descriptor == kind && kFields[i].name == name) return i;
  throw "no such field";
}

template <std::size_t N>
class Encoder {
 public:
  // False: the value does not fit its field.
  template <std::size_t Row>
  constexpr bool put(std::uint64_t value) {
    constexpr HardwareDescriptorField kField = kFields[Row];
    static_assert(kField.bit % 32 + kField.width <= 64);
    if constexpr (kField.width < 64)
      if ((value >> kField.width) != 0) return false;
    constexpr std::size_t kWord = kField.bit / 32;
    constexpr unsigned kShift = kField.bit % 32;
    words_[kWord] |= static_cast<std::uint32_t>(value << kShift);
    if constexpr (kShift + kField.width > 32) words_[kWord + 1] |= static_cast<std::uint32_t>(value >> (32 - kShift));
    return true;
  }
  [[nodiscard]] constexpr const std::array<std::uint32_t, N>& words() const { return words_; }

 private:
  std::array<std::uint32_t, N> words_{};
};

// Everything of a V# but address, stride and size is constant, and V#s are made for every buffer of every launch.
constexpr std::array<std::uint32_t, 4> kPlainBuffer = [] {
  Encoder<4> out;
  out.put<row(V, "dst_sel x")>(4);
  out.put<row(V, "dst_sel y")>(5);
  out.put<row(V, "dst_sel z")>(6);
  out.put<row(V, "dst_sel w")>(7);
  out.put<row(V, "num_format")>(7);
  out.put<row(V, "data_format")>(4);
  return out.words();
}();
static_assert(kPlainBuffer[3] == 0x00027fac, "the dword of every successful run [RUN]");

// Each defined sampler word has six bits: all descriptors there are.
constexpr auto kSamplers = [] {
  // By the addressing field 0..4. Without addressing coordinates are in range, and the edge is the harmless choice.
  constexpr std::array<std::uint32_t, 8> kClamp{2, 0, 2, 6, 1, 2, 2, 2};
  std::array<std::array<std::uint32_t, 4>, 64> all{};
  for (std::uint32_t word = 0; word < all.size(); ++word) {
    const std::uint32_t clamp = kClamp[(word >> 1) & 7];
    const bool linear = (word & 0x30) == 0x20;
    Encoder<4> out;
    out.put<row(S, "clamp x")>(clamp);
    out.put<row(S, "clamp y")>(clamp);
    out.put<row(S, "clamp z")>(clamp);
    out.put<row(S, "force unnormalized")>((word & 1) == 0 ? 1 : 0);
    out.put<row(S, "xy mag filter")>(linear ? 1 : 0);
    out.put<row(S, "xy min filter")>(linear ? 1 : 0);
    out.put<row(S, "z filter")>(linear ? 2 : 1);
    all[word] = out.words();
  }
  return all;
}();

// The writer's inverse: a field of the words.
template <std::size_t Row, std::size_t N>
constexpr std::uint64_t take(std::span<const std::uint32_t, N> words) {
  constexpr HardwareDescriptorField kField = kFields[Row];
  constexpr std::size_t kWord = kField.bit / 32;
  constexpr unsigned kShift = kField.bit % 32;
  static_assert(kField.bit + kField.width <= 32 * N && kField.width < 64);
  std::uint64_t value = words[kWord] >> kShift;
  if constexpr (kShift + kField.width > 32) value |= std::uint64_t{words[kWord + 1]} << (32 - kShift);
  return value & ((std::uint64_t{1} << kField.width) - 1);
}
template <std::size_t Row, std::size_t N>
constexpr std::uint32_t take32(std::span<const std::uint32_t, N> words) {
  static_assert(kFields[Row].width <= 32);
  return static_cast<std::uint32_t>(take<Row>(words));
}

struct ChannelType {
  std::uint32_t type;
  std::uint32_t bits;  // of one channel; 0: packed
  std::uint32_t num_format;  // 0 unorm, 1 snorm, 4 uint, 5 sint, 7 float
  std::uint32_t packed;  // data format of a packed type
};
constexpr std::array kChannelTypes{
    ChannelType{0x10D0, 8, 1, 0},  ChannelType{0x10D1, 16, 1, 0}, ChannelType{0x10D2, 8, 0, 0},
    ChannelType{0x10D3, 16, 0, 0}, ChannelType{0x10D4, 0, 0, 16}, ChannelType{0x10D5, 0, 0, 17},
    ChannelType{0x10D6, 0, 0, 9},  ChannelType{0x10D7, 8, 5, 0},  ChannelType{0x10D8, 16, 5, 0},
    ChannelType{0x10D9, 32, 5, 0}, ChannelType{0x10DA, 8, 4, 0},  ChannelType{0x10DB, 16, 4, 0},
    ChannelType{0x10DC, 32, 4, 0}, ChannelType{0x10DD, 16, 7, 0}, ChannelType{0x10DE, 32, 7, 0},
};
struct ChannelOrder {
  std::uint32_t order;
  std::uint32_t channels;
  std::array<std::uint8_t, 4> select;  // 0 zero, 1 one, 4..7 channel x..w
};
constexpr std::array kChannelOrders{
    ChannelOrder{0x10B0, 1, {4, 0, 0, 1}}, ChannelOrder{0x10B1, 1, {0, 0, 0, 4}}, ChannelOrder{0x10B2, 2, {4, 5, 0, 1}},
    ChannelOrder{0x10B3, 2, {4, 0, 0, 5}}, ChannelOrder{0x10B4, 3, {4, 5, 6, 1}}, ChannelOrder{0x10B5, 4, {4, 5, 6, 7}},
    ChannelOrder{0x10B6, 4, {6, 5, 4, 7}}, ChannelOrder{0x10B7, 4, {5, 6, 7, 4}}, ChannelOrder{0x10B8, 1, {4, 4, 4, 4}},
    ChannelOrder{0x10B9, 1, {4, 4, 4, 1}}, ChannelOrder{0x10BA, 1, {4, 0, 0, 1}}, ChannelOrder{0x10BB, 2, {4, 5, 0, 1}},
    ChannelOrder{0x10BC, 3, {4, 5, 6, 1}},
};

// Packed types have the first channel in the highest bits [OpenCL 1.2 §5.3.1.1], the hardware's formats x in the
// lowest.
constexpr std::array<std::uint8_t, 4> kPackedSelect{6, 5, 4, 1};

// Data format by channel width and count; 0: the hardware has none (three channels of 8 or 16 bits).
std::uint32_t data_format(std::uint32_t bits, std::uint32_t channels) {
  switch (bits) {
    case 8: return std::array<std::uint32_t, 5>{0, 1, 3, 0, 10}[channels];
    case 16: return std::array<std::uint32_t, 5>{0, 2, 5, 0, 12}[channels];
    default: return std::array<std::uint32_t, 5>{0, 4, 11, 13, 14}[channels];
  }
}

}  // namespace

std::uint32_t texel_bytes(std::uint32_t channel_order, std::uint32_t channel_type) {
  const auto order = std::ranges::find(kChannelOrders, channel_order, &ChannelOrder::order);
  const auto type = std::ranges::find(kChannelTypes, channel_type, &ChannelType::type);
  if (order == kChannelOrders.end() || type == kChannelTypes.end()) return 0;
  if (type->bits == 0) return type->packed == 9 ? 4 : 2;
  return type->bits * order->channels / 8;
}

std::span<const HardwareDescriptorField> descriptor_fields() { return kFields; }

std::array<std::uint32_t, 4> buffer_descriptor(std::uint64_t base, std::uint32_t size, std::uint32_t stride) {
  std::array<std::uint32_t, 4> out = kPlainBuffer;
  out[0] = static_cast<std::uint32_t>(base);
  out[1] = static_cast<std::uint32_t>((base >> 32) & 0xffff) | (stride & 0x3fff) << 16;
  out[2] = size;
  return out;
}

std::array<std::uint32_t, 4> sampler_descriptor(std::uint32_t word) { return kSamplers[word & 0x3f]; }

std::uint64_t image_bytes(const ImageValue& image, ImageDim dim) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const auto times = [](std::uint64_t a, std::uint64_t b) { return b != 0 && a > kMost / b ? kMost : a * b; };
  const bool line = dim == ImageDim::D1 || dim == ImageDim::D1Array || dim == ImageDim::D1Buffer;
  const bool array = dim == ImageDim::D1Array || dim == ImageDim::D2Array || dim == ImageDim::D2ArrayDepth;
  const std::uint64_t row = image.row_pitch != 0
                                ? image.row_pitch
                                : times(image.width, texel_bytes(image.channel_order, image.channel_type));
  const std::uint64_t slice = image.slice_pitch != 0 ? image.slice_pitch : times(row, line ? 1 : image.height);
  return times(slice, dim == ImageDim::D3 ? image.depth : array ? std::max(image.array_size, 1u) : 1);
}

std::optional<std::array<std::uint32_t, 8>> image_descriptor(const ImageValue& image, ImageDim dim,
                                                             ImageForm form) {
  const auto order = std::ranges::find(kChannelOrders, image.channel_order, &ChannelOrder::order);
  const auto type = std::ranges::find(kChannelTypes, image.channel_type, &ChannelType::type);
  if (order == kChannelOrders.end() || type == kChannelTypes.end()) return std::nullopt;
  const std::uint32_t format = type->bits == 0 ? type->packed : data_format(type->bits, order->channels);
  if (format == 0 || image.width == 0 || image.height == 0 || image.depth == 0) return std::nullopt;

  std::uint32_t kind = 9;
  bool array = false;
  switch (dim) {
    case ImageDim::D1: kind = 8; break;
    case ImageDim::D1Array:
      kind = 12;
      array = true;
      break;
    case ImageDim::D1Buffer: return std::nullopt;  // a buffer: V#, not T#
    case ImageDim::D2:
    case ImageDim::D2Depth: kind = 9; break;
    case ImageDim::D2Array:
    case ImageDim::D2ArrayDepth:
      kind = 13;
      array = true;
      break;
    case ImageDim::D3: kind = 10; break;
  }
  const std::array<std::uint8_t, 4>& select = type->bits == 0 ? kPackedSelect : order->select;
  const std::uint32_t layers = array ? std::max(image.array_size, 1u) : 1;
  const std::uint32_t element = texel_bytes(image.channel_order, image.channel_type);
  const std::uint32_t pitch = image.row_pitch == 0 ? image.width : image.row_pitch / element;
  if (pitch < image.width || image.row_pitch % element != 0) return std::nullopt;
  // Slices follow each other: a descriptor has no pitch of theirs.
  const std::uint64_t slice = std::uint64_t{pitch} * image.height * element;
  if (std::max(layers, image.depth) > 1 && image.slice_pitch != 0 && image.slice_pitch != slice) return std::nullopt;
  Encoder<8> out;
  bool fits = (image.address & 0xff) == 0 && out.put<row(T, "base")>(image.address >> 8);
  fits = fits && out.put<row(T, "data_format")>(format) && out.put<row(T, "num_format")>(type->num_format);
  fits = fits && out.put<row(T, "width")>(image.width - 1) && out.put<row(T, "height")>(image.height - 1);
  fits = fits && out.put<row(T, "dst_sel x")>(select[0]) && out.put<row(T, "dst_sel y")>(select[1]);
  fits = fits && out.put<row(T, "dst_sel z")>(select[2]) && out.put<row(T, "dst_sel w")>(select[3]);
  fits = fits && out.put<row(T, "type")>(kind) && out.put<row(T, "depth")>(array ? layers - 1 : image.depth - 1);
  if (form == ImageForm::Gfx9)
    fits = fits && out.put<row(T9, "pitch")>(pitch - 1);
  else
    fits = fits && out.put<row(T6, "tiling index")>(kLinearTiles) && out.put<row(T6, "pitch")>(pitch - 1) &&
           out.put<row(T6, "last array")>(layers - 1);
  return fits ? std::optional(out.words()) : std::nullopt;
}

HardwareBuffer decode_buffer_descriptor(std::span<const std::uint32_t, 4> w) {
  return {.base = take<row(V, "base")>(w),
          .stride = take32<row(V, "stride")>(w),
          .swizzled = take<row(V, "swizzle enable")>(w) != 0,
          .records = take32<row(V, "num_records")>(w),
          .select = {take32<row(V, "dst_sel x")>(w), take32<row(V, "dst_sel y")>(w), take32<row(V, "dst_sel z")>(w),
                     take32<row(V, "dst_sel w")>(w)},
          .number_format = take32<row(V, "num_format")>(w),
          .data_format = take32<row(V, "data_format")>(w),
          .element_size = take32<row(V, "element size")>(w),
          .index_stride = take32<row(V, "index stride")>(w),
          .add_thread = take<row(V, "add_tid_enable")>(w) != 0,
          .type = take32<row(V, "type")>(w)};
}

HardwareImage decode_image_descriptor(std::span<const std::uint32_t, 8> w, ImageForm form) {
  const bool gfx9 = form == ImageForm::Gfx9;
  const std::uint32_t depth = take32<row(T, "depth")>(w);
  return {.address = take<row(T, "base")>(w) << 8,
          .data_format = take32<row(T, "data_format")>(w),
          .number_format = take32<row(T, "num_format")>(w),
          .width = take32<row(T, "width")>(w) + 1,
          .height = take32<row(T, "height")>(w) + 1,
          .depth = depth + 1,
          .select = {take32<row(T, "dst_sel x")>(w), take32<row(T, "dst_sel y")>(w), take32<row(T, "dst_sel z")>(w),
                     take32<row(T, "dst_sel w")>(w)},
          .base_level = take32<row(T, "base level")>(w),
          .last_level = take32<row(T, "last level")>(w),
          .tiling = gfx9 ? take32<row(T9, "sw_mode")>(w) : take32<row(T6, "tiling index")>(w),
          .type = take32<row(T, "type")>(w),
          .pitch = (gfx9 ? take32<row(T9, "pitch")>(w) : take32<row(T6, "pitch")>(w)) + 1,
          .base_layer = take32<row(T, "base array")>(w),
          .last_layer = gfx9 ? depth : take32<row(T6, "last array")>(w)};
}

HardwareSampler decode_sampler_descriptor(std::span<const std::uint32_t, 4> w) {
  return {.clamp = {take32<row(S, "clamp x")>(w), take32<row(S, "clamp y")>(w), take32<row(S, "clamp z")>(w)},
          .unnormalized = take<row(S, "force unnormalized")>(w) != 0,
          .filter_mode = take32<row(S, "filter_mode")>(w),
          .magnified = take32<row(S, "xy mag filter")>(w),
          .minified = take32<row(S, "xy min filter")>(w),
          .z_filter = take32<row(S, "z filter")>(w),
          .border = take32<row(S, "border color")>(w)};
}

}  // namespace amdcompat::abi
