// Kernels with images and samplers, which need the library of device functions: compiled by comgr and run on the
// interpreter, against the same source on an OpenCL device.
#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <amdcompat/compile.hpp>
#include <amdcompat/open.hpp>

#include "compile/compilers.hpp"
#include "interpret.hpp"

namespace amdcompat::device_source_test {
namespace {

using namespace amdcompat_test;

constexpr const char* kTargets[] = {"gfx700", "gfx803", "gfx900"};

struct Format {
  cl_channel_order order;
  cl_channel_type type;
  std::size_t bytes;  // of a texel
};
constexpr Format kFloats{CL_RGBA, CL_FLOAT, 16}, kBytes{CL_RGBA, CL_UNORM_INT8, 4}, kSwapped{CL_BGRA, CL_UNORM_INT8, 4},
    kHalves{CL_RGBA, CL_HALF_FLOAT, 8}, kUnsigned{CL_RGBA, CL_UNSIGNED_INT8, 4}, kWords{CL_RGBA, CL_UNSIGNED_INT32, 16},
    kShorts{CL_RGBA, CL_SIGNED_INT16, 8};

opencl::Image image(opencl::Image::Kind kind, std::array<std::size_t, 3> size, const Format& format,
                    bool written = false) {
  opencl::Image out{.kind = kind, .size = size, .order = format.order, .type = format.type, .written = written};
  out.bytes.resize(size[0] * size[1] * size[2] * format.bytes);
  std::uint32_t state = 12345;
  const auto next = [&] { return state = state * 1664525 + 1013904223; };
  for (std::byte& byte : out.bytes) byte = static_cast<std::byte>(next() >> 24);
  for (std::size_t at = 0; format.type == CL_FLOAT && at < out.bytes.size(); at += 4) {
    const float value = static_cast<float>(next() >> 20) / 256.0f;
    std::memcpy(&out.bytes[at], &value, 4);
  }
  for (std::size_t at = 1; format.type == CL_HALF_FLOAT && at < out.bytes.size(); at += 2)
    out.bytes[at] = static_cast<std::byte>(0x34 | (std::to_integer<unsigned>(out.bytes[at]) & 7));  // 0.25 to 1
  return out;
}

constexpr std::size_t kResults = 64 * 16;
constexpr double kRounded =
    0x1p-22;  // of normalized integers, which devices need not divide exactly [OpenCL 1.2 §8.3.1.1]
struct Sample {
  const char* source;  // of kernel "k", for 64 work-items in groups of 16 by 4 or of 64
  std::uint32_t dimensions;
  std::vector<opencl::Argument> arguments;
  double tolerance = 0;  // of floats, where both filter
};

std::vector<Sample> samples() {
  using enum opencl::Image::Kind;
  const opencl::Buffer results{std::vector<std::byte>(kResults)};
  std::vector<Sample> out;
  // Coordinates keep away from where another texel is the nearest, so that no rounding decides.
  constexpr const char* kNearest = R"(
constant sampler_t near = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void k(read_only image2d_t in, global float4* out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * 16 + x] = read_imagef(in, near, (float2)(x - 1.75f, y - 0.25f)) + read_imagef(in, near, (int2)(x, y + 1));
})";
  for (const Format& format : {kFloats, kBytes, kSwapped, kHalves})
    out.push_back({kNearest, 2, {image(D2, {13, 5, 1}, format), results}, kRounded});
  constexpr const char* kLinear = R"(
constant sampler_t edge = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t turn = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
kernel void k(read_only image2d_t in, global float4* out) {
  int x = get_global_id(0), y = get_global_id(1);
  float2 at = (float2)((x * 0.0625f) + 0.015625f, (y * 0.25f) + 0.0625f);
  out[y * 16 + x] = read_imagef(in, edge, at * 1.5f - 0.25f) + read_imagef(in, turn, at);
})";
  for (const Format& format : {kFloats, kHalves})
    out.push_back({kLinear, 2, {image(D2, {16, 4, 1}, format), results}, 1e-5});
  out.push_back({R"(
constant sampler_t turn = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
kernel void k(read_only image3d_t in, global float4* out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * 16 + x] = read_imagef(in, turn, (float4)(x * 0.0625f + 0.015625f, y * 0.25f + 0.0625f, x * 0.03125f, 0));
})",
                 2,
                 {image(D3, {8, 4, 4}, kFloats), results},
                 1e-5});
  constexpr const char* kWhole = R"(
kernel void k(read_only image3d_t in, global uint4* out) {
  int x = get_global_id(0), y = get_global_id(1);
  uint4 size = (uint4)(get_image_width(in), get_image_height(in), get_image_depth(in),
                       get_image_channel_data_type(in) ^ get_image_channel_order(in));
  out[y * 16 + x] = read_imageui(in, (int4)(x % 7, y, x % 3, 0)) * 3u + size;
})";
  for (const Format& format : {kUnsigned, kWords}) out.push_back({kWhole, 2, {image(D3, {7, 4, 3}, format), results}});
  out.push_back({R"(
kernel void k(read_only image2d_array_t in, global int4* out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * 16 + x] = read_imagei(in, (int4)(x % 5, y, x % 3, 0)) + (int)get_image_array_size(in);
})",
                 2,
                 {image(D2Array, {5, 4, 3}, kShorts), results}});
  out.push_back({R"(
kernel void k(read_only image1d_t line, read_only image1d_array_t lines, global int4* out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * 16 + x] = read_imagei(line, x % 9) + read_imagei(lines, (int2)(x % 6, y)) + get_image_width(line);
})",
                 2,
                 {image(D1, {9, 1, 1}, kShorts), image(D1Array, {6, 4, 1}, kShorts), results}});
  constexpr const char* kStores = R"(
kernel void k(read_only image2d_t in, write_only image2d_t out) {
  int x = get_global_id(0), y = get_global_id(1);
  float4 v = read_imagef(in, (int2)(x, y));
  if (x < get_image_width(out)) write_imagef(out, (int2)(x, 3 - y), v.wzyx * 0.5f);
})";
  for (const Format& format : {kFloats, kBytes, kSwapped})
    out.push_back({kStores, 2, {image(D2, {16, 4, 1}, kFloats), image(D2, {14, 4, 1}, format, true)}});
  out.push_back({R"(
kernel void k(write_only image2d_array_t out, write_only image2d_t other, uint seed) {
  int x = get_global_id(0), y = get_global_id(1);
  write_imageui(out, (int4)(x % 8, y, x / 8, 0), (uint4)(x, y, x * y, seed));
  write_imagei(other, (int2)(x, y), (int4)(x - 8, -y, x * 1000, -1));
})",
                 2,
                 {image(D2Array, {8, 4, 2}, kWords, true), image(D2, {16, 4, 1}, kShorts, true),
                  opencl::Value{{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}}}});
  for (const std::uint32_t addressing : {CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT, CL_ADDRESS_CLAMP_TO_EDGE})
    out.push_back({R"(
kernel void k(read_only image2d_t in, sampler_t how, global float4* out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[y * 16 + x] = read_imagef(in, how, (float2)(x * 0.21f - 1.17f, y * 0.37f - 0.31f));
})",
                   2,
                   {image(D2, {11, 3, 1}, kBytes), opencl::Sampler{true, addressing, CL_FILTER_NEAREST}, results},
                   kRounded});
  return out;
}

std::vector<std::byte> compiled(const compile::Compiler& compiler, const char* source, const char* target) {
  const auto made = compiler.compile(source, {.target = *hsa::parse_target(target)});
  EXPECT_TRUE(made) << made.error().message << source;
  const auto bytes = std::as_bytes(std::span(made ? std::string_view(*made) : std::string_view()));
  return {bytes.begin(), bytes.end()};
}
opencl::Launch launch_of(const Sample& sample) {
  opencl::Launch out{.kernel = "k", .dimensions = sample.dimensions, .global = {64, 1, 1}, .local = {64, 1, 1}};
  if (sample.dimensions == 2) out.global = out.local = {16, 4, 1};
  out.arguments = sample.arguments;
  return out;
}
// The first words that differ, as floats by more than a part of the first one; empty: none do.
std::string difference(const std::vector<std::byte>& wanted, const std::vector<std::byte>& got, double tolerance) {
  if (wanted.size() != got.size()) return "sizes";
  for (std::size_t at = 0; at + 4 <= wanted.size(); at += 4) {
    float x = 0, y = 0;
    std::memcpy(&x, &wanted[at], 4);
    std::memcpy(&y, &got[at], 4);
    if (std::memcmp(&wanted[at], &got[at], 4) != 0 &&
        !(std::abs(double{x} - double{y}) <= tolerance * std::abs(double{x})))
      return fmt::format("byte {}: {} is {}", at, x, y);
  }
  return {};
}

TEST(DeviceSources, WithImagesGiveWhatAnOpenclDeviceGives) {
  AMDCOMPAT_NEEDS_OPENCL();
  AMDCOMPAT_NEEDS_COMPILER(comgr, "comgr", "libamd-comgr2");
  std::size_t number = 0;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(fmt::format("sample {}: {}", number++, sample.source));
    const opencl::Launch launch = launch_of(sample);
    const opencl::Result wanted = opencl::run({.source = sample.source,
                                               .options = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt",
                                               .launches = {launch},
                                               .seconds = 60});
    ASSERT_EQ(wanted.build, opencl::Status::Ok) << wanted.log << wanted.message;
    ASSERT_EQ(wanted.launches[0].status, opencl::Status::Ok) << wanted.launches[0].message;
    for (const char* target : kTargets) {
      SCOPED_TRACE(target);
      Diagnostics findings;
      const auto file = open(compiled(comgr, sample.source, target), findings);
      ASSERT_TRUE(file);
      const Interpreted got = interpret(file->program, launch);
      ASSERT_EQ(got.problem, "");
      EXPECT_EQ(got.unset, "");
      ASSERT_EQ(got.buffers.size(), wanted.launches[0].buffers.size());
      for (std::size_t n = 0; n < got.buffers.size(); ++n) {
        EXPECT_EQ(difference(wanted.launches[0].buffers[n], got.buffers[n], sample.tolerance), "") << "buffer " << n;
      }
    }
  }
}

}  // namespace
}  // namespace amdcompat::device_source_test
