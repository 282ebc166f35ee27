// Images and samplers of old kernels as OpenCL has them.
#pragma once

#include <optional>

#include <amdcompat/launch_image.hpp>

#include "runner.hpp"

namespace amdcompat::opencl {

// Without its bytes; sizes of an array's elements and their number as `Image::size` has them.
[[nodiscard]] inline Image image_of(const abi::ImageValue& value, ImageDim dim, Access access) {
  using enum Image::Kind;
  Image out{.order = value.channel_order, .type = value.channel_type};
  out.size = {value.width, value.height, value.depth};
  switch (dim) {
    case ImageDim::D1: out.kind = D1; break;
    case ImageDim::D1Array:
      out.kind = D1Array;
      out.size = {value.width, value.array_size, 1};
      break;
    case ImageDim::D1Buffer: out.kind = Image::Kind::Buffer; break;
    case ImageDim::D2:
    case ImageDim::D2Depth: out.kind = D2; break;
    case ImageDim::D2Array:
    case ImageDim::D2ArrayDepth:
      out.kind = D2Array;
      out.size = {value.width, value.height, value.array_size};
      break;
    case ImageDim::D3: out.kind = D3; break;
  }
  out.written = access == Access::WriteOnly;
  return out;
}

// The word of a sampler as OpenCL's numbers. [RT sampler.hpp]
[[nodiscard]] inline std::optional<Sampler> sampler_of(std::uint32_t word) {
  constexpr std::uint32_t kAddressing[] = {0x1130, 0x1133, 0x1131, 0x1132,
                                           0x1134};  // NONE, REPEAT, TO_EDGE, CLAMP, MIRRORED
  constexpr std::uint32_t kNearest = 0x1140, kLinear = 0x1141;
  const std::uint32_t addressing = word >> 1 & 7, filter = word >> 4;
  if (addressing >= std::size(kAddressing) || (filter != 1 && filter != 2)) return std::nullopt;
  return Sampler{(word & 1) != 0, kAddressing[addressing], filter == 1 ? kNearest : kLinear};
}

}  // namespace amdcompat::opencl
