// Real kernels with images, lifted, beside OpenCL C of the same meaning that was written for this test: both run on the
// same images and must leave the same bytes.
#include <cstring>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>

#include "opencl_runner.hpp"
#include "support/real_corpus.hpp"
#include "support/wants_all.hpp"

namespace amdcompat::image_kernels_test {
namespace {

using namespace amdcompat_test;

constexpr std::uint32_t kSeed = 20260401;
// Of the real kernels with image instructions, so many have something to be compared with.
constexpr std::size_t kLeastCompared = 165;

// --- what kernels mean -----------------------------------------------------------------------------------------------

// In front of all: READ and WRITE are read_imagef and write_imagef, or those of integers.
constexpr std::string_view kCommon = R"(
#pragma OPENCL FP_CONTRACT OFF
const sampler_t by_number = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
const sampler_t between = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
#define HERE ((int2)((int)get_global_id(0), (int)get_global_id(1)))
#define IN(image) READ(image, between, convert_float2(HERE))
#define OUT(image, texel) \
  if (HERE.x < get_image_width(image) && HERE.y < get_image_height(image)) WRITE(image, HERE, texel)
#define R read_only image2d_t
#define W write_only image2d_t
)";

enum class Texels : std::uint8_t { Any, Integers, Floats };
struct Meaning {
  std::string_view name;
  Texels texels;
  std::string_view source;
  std::size_t samplers = 0;  // that an OpenCL 2.0 container has: kernels of several have the same name
};
// A product of matrices that are images of four columns a texel; a work-item has a texel's columns and some rows.
#define AMDCOMPAT_PRODUCT(name, rows, add)                                                                             \
  "__kernel void " name "(R a, R b, W c, uint width, uint unused) {\n"                                                 \
  "  const int x = HERE.x, y = HERE.y * " #rows ";\n"                                                                  \
  "  (void)unused;\n"                                                                                                  \
  "  for (int row = 0; row < " #rows "; ++row) {\n"                                                                    \
  "    float4 sum = 0.0f;\n"                                                                                           \
  "    for (int k = 0; k < (int)width; k += 4) {\n"                                                                    \
  "      const float4 left = read_imagef(a, by_number, (int2)(k / 4, y + row));\n"                                     \
  "      const float4 b0 = read_imagef(b, by_number, (int2)(x, k));\n"                                                 \
  "      const float4 b1 = read_imagef(b, by_number, (int2)(x, k + 1));\n"                                             \
  "      const float4 b2 = read_imagef(b, by_number, (int2)(x, k + 2));\n"                                             \
  "      const float4 b3 = read_imagef(b, by_number, (int2)(x, k + 3));\n"                                             \
  "      " add "\n"                                                                                                    \
  "    }\n"                                                                                                            \
  "    if (x < get_image_width(c) && y + row < get_image_height(c)) write_imagef(c, (int2)(x, y + row), sum);\n"       \
  "  }\n"                                                                                                              \
  "}\n"
#define AMDCOMPAT_SUM_APART                                                                                            \
  "float4 t = left.x * b0; t = left.y * b1 + t; t = left.z * b2 + t; t = left.w * b3 + t; sum = sum + t;"
#define AMDCOMPAT_SUM_ON                                                                                               \
  "sum = left.x * b0 + sum; sum = left.y * b1 + sum; sum = left.z * b2 + sum; sum = left.w * b3 + sum;"

// Samplers of OpenCL 2.0 programs, and a table of theirs.
#define AMDCOMPAT_SAMPLERS                                                                                             \
  "#define SAMPLER(name, coordinates, addressing, filter) \\\n"                                                        \
  "  const sampler_t name = CLK_NORMALIZED_COORDS_##coordinates | CLK_ADDRESS_##addressing | CLK_FILTER_##filter;\n"   \
  "SAMPLER(nearest_repeat, TRUE, REPEAT, NEAREST)\n"                                                                   \
  "SAMPLER(nearest_edge, TRUE, CLAMP_TO_EDGE, NEAREST)\n"                                                              \
  "SAMPLER(linear, FALSE, CLAMP_TO_EDGE, LINEAR)\n"                                                                    \
  "SAMPLER(linear_edge, TRUE, CLAMP_TO_EDGE, LINEAR)\n"                                                                \
  "SAMPLER(linear_repeat, TRUE, REPEAT, LINEAR)\n"                                                                     \
  "SAMPLER(linear_mirror, TRUE, MIRRORED_REPEAT, LINEAR)\n"                                                            \
  "#define BY(sampler) read_imagef(in, sampler, convert_float2(HERE))\n"                                               \
  "#define FIRST as_float(table[(HERE.x + HERE.y) & 15])\n"                                                            \
  "#define SECOND as_float(table[16 + ((HERE.x + HERE.y) & 15)])\n"

constexpr Meaning kMeanings[] = {
    {"image2dCopy", Texels::Any, "__kernel void image2dCopy(R in, W out) { OUT(out, READ(in, by_number, HERE)); }\n"},
    {"image3dCopy", Texels::Integers, R"(
__kernel void image3dCopy(read_only image3d_t in, W out) {
  const int half_height = (int)get_global_size(1) / 2;
  OUT(out, READ(in, by_number, (int4)(HERE, 0, 0)) + READ(in, by_number, (int4)(HERE.x, HERE.y - half_height, 1, 0)));
}
)"},
    {"imageTransform", Texels::Integers, "__kernel void imageTransform(R in, W out) { OUT(out, IN(in) << 1); }\n"},
    {"imageTransform2", Texels::Floats, R"(
__kernel void imageTransform2(R a, R b, W first, W second) {
  OUT(first, 0.5f * IN(a) + 0.25f * IN(b));
  OUT(second, 0.1f * IN(a) - 0.34f * IN(b));
}
)"},
    {"imageTransform3", Texels::Floats, R"(
__kernel void imageTransform3(R in, W first, W second) {
  const float4 half_in = 0.5f * IN(in);
  OUT(first, half_in);
  OUT(second, 0.4f * half_in);
}
)"},
    {"imageTransform4", Texels::Floats, R"(
__kernel void imageTransform4(R a, R b, W out) { OUT(out, 0.5f * IN(a) + 0.25f * IN(b)); }
)"},
    {"imageTransform5", Texels::Floats, R"(
__kernel void imageTransform5(R a, R b, R c, W first, W second, W third) {
  OUT(first, 0.5f * IN(a) + 0.25f * IN(b) + 1.55f * IN(c));
  OUT(second, 0.1f * IN(a) - 0.34f * IN(b) - 0.01f * IN(c));
  OUT(third, 0.1f * IN(a) * IN(b) * 0.14f + 0.51f * IN(c));
}
)"},
    {"imageTransform6", Texels::Floats, R"(
__kernel void imageTransform6(R in, W first, W second, W third) {
  const float4 half_in = 0.5f * IN(in);
  OUT(first, half_in);
  OUT(second, 0.4f * half_in);
  OUT(third, half_in - 1.3f);
}
)"},
    {"imageTransform7", Texels::Floats, R"(
__kernel void imageTransform7(R a, R b, R c, W out) { OUT(out, 0.5f * IN(a) + 0.25f * IN(b) - 1.3f * IN(c)); }
)"},
    {"mmmKernel", Texels::Floats, AMDCOMPAT_PRODUCT("mmmKernel", 4, AMDCOMPAT_SUM_APART)},
    {"mmmKernel2", Texels::Floats, AMDCOMPAT_PRODUCT("mmmKernel2", 8, AMDCOMPAT_SUM_APART)},
    {"mmmKernel3", Texels::Floats, AMDCOMPAT_PRODUCT("mmmKernel3", 8, AMDCOMPAT_SUM_ON)},
    {"imageTransform", Texels::Floats, AMDCOMPAT_SAMPLERS R"(
__kernel void imageTransform(uint unused, R in, W out) {
  (void)unused;
  OUT(out, BY(nearest_repeat) * 0.33f + (2.0f * BY(linear_repeat) + BY(linear_mirror)));
}
)",
     3},
    {"imageTransform", Texels::Floats, AMDCOMPAT_SAMPLERS R"(
__kernel void imageTransform(uint unused, R in, W out) {
  (void)unused;
  OUT(out, 2.0f * BY(nearest_edge) + (2.0f * BY(linear) + BY(linear_mirror)) + FIRST + SECOND);
}
)",
     5},
    {"imageTransform2", Texels::Floats, AMDCOMPAT_SAMPLERS R"(
__kernel void imageTransform2(uint unused, R in, W out) {
  (void)unused;
  OUT(out, SECOND + (FIRST * 0.32f + (2.0f * BY(linear_edge) + (BY(linear_mirror) + BY(linear) + BY(nearest_repeat)))));
}
)",
     5},
};

// --- launches --------------------------------------------------------------------------------------------------------

struct Format {
  std::uint32_t order, type;
  std::size_t bytes;  // of a texel
  const char* suffix;  // of read_image
};
constexpr Format kFormats[] = {
    {CL_RGBA, CL_FLOAT, 16, "f"},         {CL_RGBA, CL_UNORM_INT8, 4, "f"},       {CL_BGRA, CL_UNORM_INT8, 4, "f"},
    {CL_RGBA, CL_UNSIGNED_INT8, 4, "ui"}, {CL_RGBA, CL_UNSIGNED_INT32, 16, "ui"}, {CL_RGBA, CL_SIGNED_INT16, 8, "i"},
};
bool suits(const Format& format, Texels texels) {
  const bool floats = format.suffix == std::string_view("f");
  return texels == Texels::Any || floats == (texels == Texels::Floats);
}

// Images a little smaller than the launch: some work-items are outside.
constexpr std::size_t kWidth = 21, kHeight = 30;
constexpr std::uint32_t kColumns = 20;  // of a matrix

opencl::Launch launch_of(const Kernel& kernel, const Format& format) {
  std::mt19937 random(kSeed);
  opencl::Launch out{.kernel = kernel.name, .dimensions = 2, .global = {24, 32, 1}, .local = {8, 8, 1}};
  for (const Argument& argument : kernel.arguments) {
    if (std::holds_alternative<Hidden>(argument.kind)) continue;
    if (const auto* const image = std::get_if<Image>(&argument.kind)) {
      const bool solid = image->dim == ImageDim::D3;
      opencl::Image& to = std::get<opencl::Image>(out.arguments.emplace_back(opencl::Image{}));
      to.kind = solid ? opencl::Image::Kind::D3 : opencl::Image::Kind::D2;
      to.size = {kWidth, kHeight, solid ? 2u : 1u};
      to.order = format.order;
      to.type = format.type;
      to.written = image->access == amdcompat::Access::WriteOnly;
      to.bytes.resize(to.size[0] * to.size[1] * to.size[2] * format.bytes);
      for (std::byte& byte : to.bytes) byte = static_cast<std::byte>(random());
      for (std::size_t n = 0; n < to.bytes.size() && format.type == CL_FLOAT; n += 4) {
        const float value = static_cast<float>(random() % 4000) / 1024.0f + 0.125f;
        std::memcpy(&to.bytes[n], &value, 4);
      }
    } else {
      std::vector<std::byte> bytes(4);
      std::memcpy(bytes.data(), &kColumns, 4);
      out.arguments.emplace_back(opencl::Value{bytes});
    }
  }
  return out;
}

// The table that the program has in front of its samplers.
std::string table_of(const Program& program) {
  std::string out = "__constant uint table[] = {";
  for (const DataSegment& segment : program.data)
    for (std::size_t n = 0; n + 4 <= segment.bytes.size() && segment.section == program.samplers[0].section; n += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, &segment.bytes[n], 4);
      out += fmt::format("0x{:x}u, ", word);
    }
  return out + "};\n";
}

struct Sources {
  std::string lifted, meaning;
};
// One kernel on images of some formats; what the simulator says of the lifted one is empty. Each source is built once
// for all formats whose texels it takes alike: devices' compilers take longer than anything else here.
void compare(const Kernel& kernel, const Sources& sources, const std::vector<const Format*>& formats,
             opencl::Runtime runtime) {
  const bool simulated = runtime == opencl::Runtime::Simulator;
  const auto results = [&](const std::string& source, std::string_view suffix) {
    opencl::Request request{.source = source,
                            .options = fmt::format("-cl-std=CL1.2 -DREAD=read_image{0} -DWRITE=write_image{0}{1}",
                                                   suffix, simulated ? " -cl-opt-disable" : sooner()),
                            .seconds = 60,
                            .runtime = runtime};
    for (const Format* format : formats)
      if (suffix.empty() || suffix == format->suffix) request.launches.push_back(launch_of(kernel, *format));
    request.unset_values = false;  // it takes what it tells of an image for a value that nobody set
    opencl::Result out = opencl::run(request);
    EXPECT_EQ(out.build, opencl::Status::Ok) << out.log << out.message << source;
    return out;
  };
  const opencl::Result is = results(sources.lifted, {});
  std::map<std::string_view, opencl::Result> should;
  std::map<std::string_view, std::size_t> next;  // of its launches
  for (std::size_t n = 0; n < formats.size(); ++n) {
    const Format& format = *formats[n];
    SCOPED_TRACE(fmt::format("{}, order {:x}, type {:x}{}", kernel.name, format.order, format.type,
                             simulated ? ", simulated" : ""));
    if (!should.contains(format.suffix)) should.emplace(format.suffix, results(sources.meaning, format.suffix));
    ASSERT_FALSE(::testing::Test::HasFailure());
    const opencl::LaunchResult &one = is.launches[n], &other = should[format.suffix].launches[next[format.suffix]++];
    ASSERT_EQ(one.status, opencl::Status::Ok) << one.message << sources.lifted;
    ASSERT_EQ(other.status, opencl::Status::Ok) << other.message;
    EXPECT_EQ(one.buffers, other.buffers) << sources.lifted;
    EXPECT_TRUE(!simulated || one.said.empty()) << one.said << sources.lifted;
    const opencl::Launch launch = launch_of(kernel, format);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < launch.arguments.size() && i < one.buffers.size(); ++i)
      if (const auto* const image = std::get_if<opencl::Image>(&launch.arguments[i]))
        changed += image->bytes != one.buffers[i] ? 1 : 0;
    EXPECT_GT(changed, 0u) << "nothing is written";
  }
}
// On images of each format that its texels may have, and in long runs on those of one in the simulator.
void compare(const Kernel& kernel, const Sources& sources, Texels texels) {
  std::vector<const Format*> formats;
  for (const Format& format : kFormats)
    if (suits(format, texels)) formats.push_back(&format);
  compare(kernel, sources, formats, opencl::Runtime::Device);
  if (::testing::Test::HasFailure() || !runs_whole() || !simulator_missing().empty()) return;
  compare(kernel, sources, {formats.front()}, opencl::Runtime::Simulator);
}

TEST(LiftedImageKernels, LeaveTheImagesThatTheirMeaningLeaves) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_OPENCL();
  std::set<std::string> seen;
  std::size_t compared = 0;
  for (const RealFile& file : real_files("amdcl")) {
    Diagnostics diagnostics;
    const auto opened = open(read_real(file), diagnostics);
    if (!opened) continue;
    for (const Kernel& kernel : opened->program.kernels) {
      const auto* const meaning = std::ranges::find_if(kMeanings, [&](const Meaning& one) {
        return one.name == kernel.name && one.samplers == opened->program.samplers.size();
      });
      const bool images = std::ranges::any_of(
          kernel.arguments, [](const Argument& argument) { return std::holds_alternative<Image>(argument.kind); });
      if (meaning == std::end(kMeanings) || !kernel.code || !images) continue;
      Diagnostics findings;
      const lift::Unit unit = lift::lift(opened->program, {.kernel = kernel.name}, findings);
      ASSERT_EQ(unit.kernels.size(), 1u);
      if (!unit.kernels[0].lifted) continue;
      ++compared;
      if (!seen.insert(unit.source.substr(unit.source.find("#pragma"))).second) continue;
      SCOPED_TRACE(file.path);
      const std::string table = meaning->samplers != 0 ? table_of(opened->program) : std::string();
      compare(kernel, {unit.source, std::string(kCommon) + table + std::string(meaning->source)}, meaning->texels);
      if (HasFailure()) return;
    }
  }
  fmt::print("{} kernels, {} of them different\n", compared, seen.size());
  EXPECT_GE(compared, kLeastCompared);
}

}  // namespace
}  // namespace amdcompat::image_kernels_test
