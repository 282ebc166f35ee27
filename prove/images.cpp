#include "images.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>

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

double value_of_half(int code) {
  const int exponent = code >> 10 & 31, mantissa = code & 0x3ff;
  double out = std::numeric_limits<double>::infinity();
  if (exponent != 31) out = std::ldexp(exponent == 0 ? mantissa : mantissa + 1024, std::max(exponent, 1) - 25);
  if (exponent == 31 && mantissa != 0) out = std::numeric_limits<double>::quiet_NaN();
  return (code & 0x8000) != 0 ? -out : out;
}

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
  const auto code = [&](std::span<const std::byte> bytes, std::size_t at) {
    return format.bytes == 1 ? std::to_integer<int>(bytes[at])
                             : std::to_integer<int>(bytes[at]) | std::to_integer<int>(bytes[at + 1]) << 8;
  };
  const auto value = [&](std::span<const std::byte> bytes, std::size_t at) {
    return format.normalized ? code(bytes, at) : value_of_half(code(bytes, at));
  };
  double largest = format.normalized ? (1 << 8 * format.bytes) - 1 : 0;
  if (!format.normalized)
    for (std::size_t at = 0; at < wanted.size(); at += format.bytes)
      if (std::isfinite(value(wanted, at))) largest = std::max(largest, std::fabs(value(wanted, at)));
  for (std::size_t at = 0; at < wanted.size(); at += format.bytes) {
    // Neighbours of a half are the next codes too.
    const int codes = std::abs(code(wanted, at) - code(got, at));
    if (codes == 0 || (tolerance != 0 && codes == 1)) continue;
    const double a = value(wanted, at), b = value(got, at), difference = std::fabs(a - b);
    if (std::isnan(a) && std::isnan(b)) continue;
    if (tolerance == 0 || !(difference <= tolerance * largest)) return at;
    error = std::max(error, difference / largest);
  }
  return kNoPlace;
}

}  // namespace amdcompat::emulate
