#include "trial.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace amdcompat::emulate {
namespace {

constexpr u64 kBufferDistance = 0x10'0000;
constexpr std::size_t kBufferBytes = 0x8000;

bool is_wide_integer(std::string_view type) {
  constexpr std::string_view kNames[] = {"long", "ulong", "unsigned long"};
  return std::ranges::find(kNames, type) != std::end(kNames);
}

}  // namespace

Memory memory_of(const Trial& trial) {
  Memory out;
  for (const Trial::Buffer& buffer : trial.buffers) out.map(buffer.address, buffer.bytes, buffer.name);
  return out;
}

Trial TrialMaker::make(std::uint32_t attempt, Manner manner) {
  attempt_ = attempt;
  manner_ = manner;
  Trial out;
  out.range = range();
  next_ = first_;
  for (const Argument& argument : kernel_.arguments) out.values.push_back(value(argument, out));
  if (kernel_.uses_printf) place_printf(out);
  for (const DataSegment& segment : data_) {
    const u64 at = place(out, segment.bytes, "constant data");
    if (segment.constant_buffer)
      out.constants.emplace_back(*segment.constant_buffer, at);
    else
      out.data = at;
  }
  return out;
}

// Empty, as the host makes it: regions of work-items, whose first dword counts itself [RT gpuprintf.cpp], or what is
// behind the words that count the bytes that are taken and that there are [RC devkernel].
void TrialMaker::place_printf(Trial& trial) {
  std::vector<u32> words(kBufferBytes / 4);
  if (std::holds_alternative<ConstantBufferLaunch>(kernel_.launch)) {
    const auto& local = *trial.range.local;
    trial.printf_dwords = static_cast<u32>(words.size() / (std::size_t{local[0]} * local[1] * local[2]));
    for (std::size_t at = 0; trial.printf_dwords != 0 && at < words.size(); at += trial.printf_dwords) words[at] = 1;
  } else {
    words[1] = kBufferBytes - 8;
  }
  const auto bytes = std::as_bytes(std::span(words));
  trial.printf = place(trial, {bytes.begin(), bytes.end()}, "printf buffer");
}

abi::Range TrialMaker::range() {
  abi::Range out;
  const u32 by_groups = (rsrc2_ >> 9 & 1) != 0 ? 3 : (rsrc2_ >> 8 & 1) != 0 ? 2 : 1;
  out.dimensions = std::clamp(std::max(by_groups, (rsrc2_ >> 11 & 3) + 1), 1u, 3u);
  if (fits()) out.dimensions = 1 + attempt_ / 2 % out.dimensions;
  const std::uint32_t turn = attempt_ + attempt_ / 6;  // dimensions and kinds of numbers come round too
  std::array<u32, 3> local{1, 1, 1};
  const auto& required = kernel_.limits.required_group_size;
  if (required[0] != 0) {
    for (std::size_t d = 0; d < 3; ++d) local[d] = std::max(required[d], 1u);
    if (local[2] > 1)
      out.dimensions = 3;
    else if (local[1] > 1)
      out.dimensions = std::max(out.dimensions, 2u);
  } else if (out.dimensions == 1) {
    constexpr u32 kSizes[] = {64, 128, 32, 256, 16, 4};
    local[0] = kSizes[turn % std::size(kSizes)];
  } else if (out.dimensions == 2) {
    constexpr std::array<u32, 2> kSizes[] = {{8, 8}, {16, 16}, {4, 4}, {64, 1}, {16, 4}, {2, 2}};
    local[0] = kSizes[turn % std::size(kSizes)][0];
    local[1] = kSizes[turn % std::size(kSizes)][1];
  } else {
    local = {4, 4, 4};
  }
  while (u64{local[0]} * local[1] * local[2] > max_flat_group_size(kernel_)) *std::ranges::max_element(local) /= 2;
  for (u32 d = 0; d < out.dimensions; ++d) {
    out.global[d] = u64{local[d]} * (1 + below(3));
    if (attempt_ % 4 == 3) out.offset[d] = below(3);
    if (manner_.apart && d != 0) out.offset[d] += out.offset[d - 1] + out.global[d - 1];
  }
  out.local = local;
  global_ = out.global;
  if (manner_.alone != Alone::No && can_be_alone()) out.local = {1, 1, 1};
  if (manner_.alone == Alone::InLaunch && can_be_alone()) out.global = {1, 1, 1};
  if (manner_.one_group && attempt_ % 3 != 0) std::ranges::copy(*out.local, out.global.begin());
  dimensions_ = out.dimensions;
  integers_ = 0;
  groups_ = global_[0];
  local_ = local[0];
  return out;
}

// A number that loops, sizes and shifts can live with.
u32 TrialMaker::number() {
  if (manner_.brief) return 1 + below(2);
  if (manner_.deep && below(2) != 0) return local_ << below(5);
  if (fits()) return static_cast<u32>(global_[integers_++ % dimensions_]);
  switch ((attempt_ + below(2)) % 6) {
    case 0: return 1 + below(4);
    case 1: return 1u << below(5);
    case 2: return static_cast<u32>(groups_);
    case 3: return local_;
    case 4: return 1 + below(16);
    default: return below(3);
  }
}
// Some are negative in every third launch: a sign that is lost, or kept where it should go, is seen then.
float TrialMaker::real() {
  const float out = 0.25f + static_cast<float>(below(64)) / 32.0f;
  return attempt_ % 3 == 1 && odd_ones_() % 3 == 0 ? -out : out;
}

Trial::Value TrialMaker::value(const Argument& argument, Trial& trial) {
  Trial::Value out;
  if (const auto* by_value = std::get_if<ByValue>(&argument.kind)) {
    const ArgumentBlockSlot* const block = argument.in_block();
    const bool half = by_value->type == ScalarType::Half && block != nullptr;  // a float each
    out.bytes.resize(half ? block->size : abi::host_bytes(*by_value).value_or(0));
    const u32 size = scalar_size(by_value->type);
    // Later metadata names no type of numbers but in words.
    const bool wide = size == 0 && out.bytes.size() == 8 && is_wide_integer(argument.type_name);
    // Each element of a vector, be it small, has a number of its own; structs have words.
    const std::size_t step = wide ? 8 : size != 0 && by_value->elements > 1 && !half ? size : std::max(size, 4u);
    // Structs may have small members behind the first ones of their words.
    constexpr std::size_t kLargestNumber = 8;
    const bool parts = size == 0 && out.bytes.size() > kLargestNumber && attempt_ % 2 == 1 && !manner_.brief;
    for (std::size_t at = 0; at < out.bytes.size(); at += step) {
      u64 bits = number();
      if (parts && odd_ones_() % 3 == 0) bits |= odd_ones_() & 0x03030300;
      if (by_value->type == ScalarType::Float) bits = std::bit_cast<u32>(real());
      // Bounds that nothing passes, as the targets of searches are.
      if ((by_value->type == ScalarType::U64 || by_value->type == ScalarType::I64) && attempt_ % 2 == 1) bits = ~u64{0};
      if (wide && attempt_ % 4 == 3) bits = ~u64{0};  // seldom: most are how many there are of something
      // Small numbers are seldom how many there are of something.
      if (size != 0 && size < 4 && by_value->type != ScalarType::Half && attempt_ % 2 == 1) bits = ~bits;
      if (by_value->type == ScalarType::Double) bits = std::bit_cast<u64>(static_cast<double>(real()));
      std::memcpy(out.bytes.data() + at, &bits, std::min(step, out.bytes.size() - at));
    }
    if (block != nullptr && block->by_reference) out.address = place(trial, out.bytes, argument.name);
  } else if (std::holds_alternative<LocalPointer>(argument.kind)) {
    out.local = 4096;
  } else if (std::holds_alternative<GlobalPointer>(argument.kind) ||
             std::holds_alternative<ConstantPointer>(argument.kind)) {
    const auto* const global = std::get_if<GlobalPointer>(&argument.kind);
    const PointerInfo& pointer =
        global != nullptr ? static_cast<const PointerInfo&>(*global) : std::get<ConstantPointer>(argument.kind);
    out.address = place(trial, contents(pointer), argument.name);
  } else if (std::holds_alternative<Queue>(argument.kind)) {
    out.address = place(trial, {}, argument.name);  // with nothing there, for code that has no use for it
  } else if (std::holds_alternative<Counter>(argument.kind)) {
    out.address = place(trial, counter(), argument.name);
  } else if (std::holds_alternative<Pipe>(argument.kind)) {
    out.address = place(trial, packets(), argument.name);
  } else if (const auto* const picture = std::get_if<Image>(&argument.kind)) {
    const std::size_t index = trial.values.size();
    out.image = image(picture->dim, index < texels_.size() ? texels_[index] : Texels::Any);
    const auto bytes = static_cast<std::size_t>(abi::image_bytes(*out.image, picture->dim));
    out.address = out.image->address = place(trial, contents(format_of(*out.image), bytes), argument.name);
  } else if (std::holds_alternative<Sampler>(argument.kind)) {
    out.sampler = sampler();
  }
  return out;
}

// About as large as the launch, whose work-items have a texel each as a rule: some may be outside.
abi::ImageValue TrialMaker::image(ImageDim dim, Texels texels) {
  const auto side = [&](u32 d) {
    if (d >= dimensions_) return 2 + below(6);
    const u32 items = static_cast<u32>(global_[d]);
    return items - below(std::min(items, 4u));
  };
  constexpr Texels kKinds[] = {Texels::Unsigned, Texels::Floats, Texels::Signed};
  if (texels == Texels::Any) {
    const auto known = std::ranges::find_if(texels_, [](Texels one) { return one != Texels::Any; });
    texels = filtered_ ? Texels::Floats : known != texels_.end() ? *known : kKinds[attempt_ % std::size(kKinds)];
  }
  std::vector<const ImageFormat*> formats;
  for (const ImageFormat& format : required_formats())
    if (format.texels == texels && (!exact_texels_ || is_exact(format))) formats.push_back(&format);
  const ImageFormat& format = *formats[below(static_cast<u32>(formats.size()))];
  abi::ImageValue out{.width = side(0), .channel_order = format.order, .channel_type = format.type};
  const bool line = dim == ImageDim::D1 || dim == ImageDim::D1Array;
  if (!line) out.height = side(1);
  if (dim == ImageDim::D3) out.depth = side(2);
  if (dim == ImageDim::D1Array || dim == ImageDim::D2Array) out.array_size = side(line ? 1 : 2);
  return out;
}
std::vector<std::byte> TrialMaker::contents(const ImageFormat& format, std::size_t bytes) {
  std::vector<std::byte> out(bytes);
  for (std::size_t at = 0; at < bytes; at += format.bytes) {
    u32 value = below(256);
    if (format.texels == Texels::Floats && !format.normalized)
      value = format.bytes == 4 ? std::bit_cast<u32>(real()) : 0x3400 + below(0x800);  // halves from 0.25 to 1
    if (format.normalized) value = static_cast<u32>(random_());
    std::memcpy(out.data() + at, &value, format.bytes);
  }
  return out;
}
// Bit 0 normalized coordinates, 1-3 addressing, 4-5 filter; only normalized ones can be repeated. [RT sampler.hpp]
u32 TrialMaker::sampler() {
  constexpr u32 kNearest = 1 << 4, kLinear = 2 << 4, kEdge = 2, kBorder = 3;
  const bool normalized = below(2) != 0;
  const u32 addressing = normalized ? 1 + below(4) : kEdge + below(kBorder - kEdge + 1);
  return (normalized ? 1 : 0) | addressing << 1 | (filtered_ && below(2) != 0 ? kLinear : kNearest);
}
std::vector<std::byte> TrialMaker::contents(const PointerInfo& pointer) {
  std::vector<std::byte> out(kBufferBytes);
  if (manner_.blank && pointer.access != Access::ReadOnly && pointer.memory != MemoryKind::Constant) return out;
  const bool reals = pointer.pointee == ScalarType::Float, doubles = pointer.pointee == ScalarType::Double;
  const u32 kind = (attempt_ + attempt_ / 6 * 2) % 3;  // each of them with each of `range`'s six sizes
  for (std::size_t at = 0; at < out.size(); at += 8) {
    std::array<u32, 2> words{below(8), below(8)};
    if (kind == 1 && !reals) words = {below(256), below(256)};
    if (kind == 2 && !reals) words = {static_cast<u32>(random_()), static_cast<u32>(random_())};
    if (reals) words = {std::bit_cast<u32>(real()), std::bit_cast<u32>(real())};
    if (doubles) words = std::bit_cast<std::array<u32, 2>>(static_cast<double>(real()));
    std::memcpy(out.data() + at, words.data(), 8);
  }
  return out;
}
std::vector<std::byte> TrialMaker::counter() {
  std::vector<std::byte> out(16);
  const u32 number = below(256);
  std::memcpy(out.data(), &number, sizeof number);
  return out;
}
// A pipe as kernels of OpenCL 2.0 read it: how many packets were read, were written and are room for, 64 bits each, and
// the packets from byte 128 on [lift.md, «pipes»]. Their size is said by nothing but the code.
std::vector<std::byte> TrialMaker::packets() {
  constexpr u64 kRoom = 256, kHeader = 128, kHigh = u64{1} << 32;
  std::vector<std::byte> out(kBufferBytes);
  for (std::size_t at = kHeader; at < out.size(); at += 4) {
    const u32 word = below(256);
    std::memcpy(out.data() + at, &word, 4);
  }
  // Half full, also after very many packets and with very much room: both are divided. Or with little room.
  u64 room = kRoom, read = below(kRoom), filled = kRoom / 2;
  switch (attempt_ % 4) {
    case 1: read += (1 + below(kRoom)) * kHigh; break;
    case 2:
      room += (1 + below(kRoom)) * kHigh;
      read %= 16;
      filled = 32;
      break;
    case 3:
      room = below(2) == 0 ? 1 : 1 + below(kRoom);
      filled = below(static_cast<u32>(room) + 1);
      break;
    default: break;
  }
  const std::array<u64, 3> numbers{read, read + filled, room};
  std::memcpy(out.data(), numbers.data(), sizeof numbers);
  return out;
}
u64 TrialMaker::place(Trial& trial, std::vector<std::byte> bytes, std::string name) {
  const u64 at = next_;
  next_ += std::max<u64>(kBufferDistance, (bytes.size() + kBufferDistance) / kBufferDistance * kBufferDistance);
  if (!bytes.empty()) trial.buffers.push_back({at, std::move(bytes), std::move(name)});
  return at;
}

}  // namespace amdcompat::emulate
