#include "images.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "difference.hpp"

namespace amdcompat::emulate {
namespace {

constexpr std::uint32_t kRgba = 0x10b5, kBgra = 0x10b6;
constexpr ImageFormat kFormats[] = {
    {kRgba, 0x10de, Texels::Floats, 4, false},    // FLOAT
    {kRgba, 0x10d2, Texels::Floats, 1, true},     // UNORM_INT8
    {kBgra, 0x10d2, Texels::Floats, 1, true},    {kRgba, 0x10d3, Texels::Floats, 2, true},     // UNORM_INT16
    {kRgba, 0x10dd, Texels::Floats, 2, false},    // HALF_FLOAT
    {kRgba, 0x10d7, Texels::Signed, 1, false},    // SIGNED_INT8
    {kRgba, 0x10d8, Texels::Signed, 2, false},    // SIGNED_INT16
    {kRgba, 0x10d9, Texels::Signed, 4, false},    // SIGNED_INT32
    {kRgba, 0x10da, Texels::Unsigned, 1, false},  // UNSIGNED_INT8
    {kRgba, 0x10db, Texels::Unsigned, 2, false},  // UNSIGNED_INT16
    {kRgba, 0x10dc, Texels::Unsigned, 4, false},  // UNSIGNED_INT32
};

}  // namespace

std::span<const ImageFormat> required_formats() { return kFormats; }

const ImageFormat& format_of(const abi::ImageValue& image) {
  return *std::ranges::find_if(kFormats, [&](const ImageFormat& format) {
    return format.order == image.channel_order && format.type == image.channel_type;
  });
}

bool has_linear_sampler(const Program& program, const Kernel& kernel) {
  return std::ranges::any_of(kernel.samplers, [](const ConstantSampler& sampler) { return sampler.value >> 4 == 2; }) ||
         std::ranges::any_of(program.samplers, &SamplerObject::linear);
}

std::size_t first_other_texel(const ImageFormat& format, std::span<const std::byte> wanted,
                              std::span<const std::byte> got, double tolerance, double& error) {
  if (format.texels != Texels::Floats) return first_other(wanted, got);
  if (is_exact(format)) return first_other_number<float>(wanted, got, tolerance, error);
  // Neighbours of a half are the next codes too.
  const int most = tolerance == 0 ? 0 : 1;
  const auto code = [&](std::span<const std::byte> bytes, std::size_t at) {
    return format.bytes == 1 ? std::to_integer<int>(bytes[at])
                             : std::to_integer<int>(bytes[at]) | std::to_integer<int>(bytes[at + 1]) << 8;
  };
  const auto is_nan = [&](int half) { return !format.normalized && (half & 0x7fff) > 0x7c00; };
  for (std::size_t at = 0; at < wanted.size(); at += format.bytes) {
    const int a = code(wanted, at), b = code(got, at);
    if (std::abs(a - b) > most && !(is_nan(a) && is_nan(b))) return at;
  }
  return kNoPlace;
}

}  // namespace amdcompat::emulate
