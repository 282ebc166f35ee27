#include "images.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string>

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

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The source from the parameters of a kernel on; nothing where it does not have the kernel.
std::string_view from_parameters(std::string_view source, std::string_view kernel) {
  const std::string head = "void " + std::string(kernel) + "(";
  const std::size_t at = source.find(head);
  return at == std::string_view::npos ? std::string_view() : source.substr(at + head.size());
}
std::vector<std::string_view> parameters_of(std::string_view text) {
  std::string_view rest = text.substr(0, text.find(')'));
  std::vector<std::string_view> out;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view name = rest.substr(0, comma);
    while (!name.empty() && !in_name(name.back())) name.remove_suffix(1);
    std::size_t begin = name.size();
    while (begin > 0 && in_name(name[begin - 1])) --begin;
    out.push_back(name.substr(begin));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return out;
}

Texels texels_in(std::string_view source, std::string_view name) {
  constexpr std::pair<std::string_view, Texels> kCalls[] = {
      {"_imagef(", Texels::Floats}, {"_imagei(", Texels::Signed}, {"_imageui(", Texels::Unsigned}};
  for (const auto& [call, texels] : kCalls)
    if (source.find(std::string(call) + std::string(name) + ",") != std::string_view::npos) return texels;
  return Texels::Any;
}

}  // namespace

std::span<const ImageFormat> required_formats() { return kFormats; }

const ImageFormat& format_of(const abi::ImageValue& image) {
  return *std::ranges::find_if(kFormats, [&](const ImageFormat& format) {
    return format.order == image.channel_order && format.type == image.channel_type;
  });
}

std::vector<Texels> texels_of(const Kernel& kernel, std::string_view source) {
  const std::string_view text = from_parameters(source, kernel.name);  // macros in front of it have names of their own
  const std::vector<std::string_view> names = parameters_of(text);
  std::vector<Texels> out(kernel.arguments.size(), Texels::Any);
  std::size_t next = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (std::holds_alternative<Hidden>(kernel.arguments[i].kind)) continue;
    if (next == names.size()) break;
    if (std::holds_alternative<Image>(kernel.arguments[i].kind)) out[i] = texels_in(text, names[next]);
    ++next;
  }
  return out;
}

bool has_linear_sampler(const Program& program, const Kernel& kernel) {
  return std::ranges::any_of(kernel.samplers, [](const ConstantSampler& sampler) { return sampler.value >> 4 == 2; }) ||
         std::ranges::any_of(program.samplers, &SamplerObject::linear);
}

std::size_t first_other_texel(const ImageFormat& format, std::span<const std::byte> wanted,
                              std::span<const std::byte> got, double tolerance, double& error) {
  if (format.texels != Texels::Floats) return first_other(wanted, got);
  if (is_exact(format)) return first_other_number<float>(wanted, got, tolerance, error);
  if (tolerance == 0) return first_other(wanted, got);
  // Neighbours of a half are the next codes too.
  const auto code = [&](std::span<const std::byte> bytes, std::size_t at) {
    return format.bytes == 1 ? std::to_integer<int>(bytes[at])
                             : std::to_integer<int>(bytes[at]) | std::to_integer<int>(bytes[at + 1]) << 8;
  };
  for (std::size_t at = 0; at < wanted.size(); at += format.bytes)
    if (std::abs(code(wanted, at) - code(got, at)) > 1) return at;
  return kNoPlace;
}

}  // namespace amdcompat::emulate
