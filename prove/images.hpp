// Images of random launches: their formats, what a lifted kernel takes their texels for, and how results are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <amdcompat/launch_image.hpp>
#include <amdcompat/lift.hpp>
#include <amdcompat/program.hpp>

namespace amdcompat::emulate {

using Texels = lift::TexelKind;

struct ImageFormat {
  std::uint32_t order, type;  // CL_RGBA, CL_FLOAT and so on
  Texels texels;
  std::uint8_t bytes;  // of a channel; all formats have four
  bool normalized;
};
// Those that every device with images has. [OpenCL 1.2 §5.3.2.1]
[[nodiscard]] std::span<const ImageFormat> required_formats();
[[nodiscard]] const ImageFormat& format_of(const abi::ImageValue& image);
// Whether texels hold what is read and written as it is.
[[nodiscard]] constexpr bool is_exact(const ImageFormat& format) {
  return format.texels != Texels::Floats || (!format.normalized && format.bytes == 4);
}

// Whether a sampler of the kernel or its program filters, other than those that arguments are.
[[nodiscard]] bool has_linear_sampler(const Program& program, const Kernel& kernel);

// The first byte of a texel that is another one, or `kNoPlace`. With a tolerance, floats may differ by that part of the
// largest one, or halves of the next one, and normalized integers by one or that part of the largest there is.
[[nodiscard]] std::size_t first_other_texel(const ImageFormat& format, std::span<const std::byte> wanted,
                                            std::span<const std::byte> got, double tolerance, double& error);

}  // namespace amdcompat::emulate
