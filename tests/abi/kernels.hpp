// Kernels and bytes for the tests of launch images.
#pragma once

#include <array>
#include <cstring>
#include <initializer_list>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <amdcompat/launch_image.hpp>

namespace amdcompat::test {

inline Argument argument(std::string name, ArgumentKind kind, std::uint32_t offset) {
  Argument out;
  out.name = std::move(name);
  out.kind = std::move(kind);
  std::get<ConstantBufferSlot>(out.slot).offset = offset;
  return out;
}

inline GlobalPointer global_pointer(std::uint32_t uav, std::uint32_t align = 4) {
  GlobalPointer out;
  out.buffer = uav;
  out.align = align;
  return out;
}
inline ConstantPointer constant_buffer_pointer(std::uint32_t number) {
  ConstantPointer out;
  out.memory = MemoryKind::HardwareConstant;
  out.buffer = number;
  out.align = 4;
  return out;
}
inline LocalPointer local_pointer(std::uint32_t align) {
  LocalPointer out;
  out.memory = MemoryKind::HardwareLocal;
  out.buffer = 1;
  out.align = align;
  return out;
}

// A kernel with the arguments laid out as AMD's compilers would.
inline Kernel kernel(std::vector<Argument> arguments = {}, AddressBits bits = AddressBits::Bits32) {
  Kernel out;
  out.name = "k";
  out.block = "__OpenCL_k_kernel";
  out.address_bits = bits;
  out.arguments = std::move(arguments);
  const auto offsets = abi::assign_layout(out.arguments);
  for (std::size_t i = 0; offsets && i < offsets->size(); ++i)
    std::get<ConstantBufferSlot>(out.arguments[i].slot).offset = (*offsets)[i];
  return out;
}

inline std::vector<std::uint32_t> dwords(std::span<const std::byte> bytes) {
  std::vector<std::uint32_t> out(bytes.size() / 4);
  for (std::size_t i = 0; i < bytes.size() / 4 * 4; ++i)
    out[i / 4] |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * (i % 4));
  return out;
}

// 40 dwords, zero but for those given and the constants of the math library.
inline std::vector<std::uint32_t> cb0_with(const std::map<std::size_t, std::uint32_t>& values) {
  std::vector<std::uint32_t> out(40);
  out[21] = 0x3f000000;
  out[22] = 0x3f800000;
  out[23] = 0x40000000;
  for (const auto& [dword, value] : values) out[dword] = value;
  return out;
}

// Bytes first, first + 1, ...
inline std::vector<std::byte> counting(std::size_t size, unsigned first = 1) {
  std::vector<std::byte> out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(first + i);
  return out;
}

inline abi::LaunchImage make_image(const Kernel& kernel, Diagnostics& diagnostics,
                                   const abi::LaunchOptions& options = {}, std::span<const DataSegment> data = {}) {
  auto image = abi::LaunchImage::create(kernel, diagnostics, options, data);
  if (!image) throw std::runtime_error(diagnostics.all().back().message);
  return std::move(*image);
}

inline std::string codes(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += code_label(d.code) + " " + d.path + "; ";
  return out;
}

}  // namespace amdcompat::test
