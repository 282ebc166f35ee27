// Image instructions, one or two a kernel: lifted, run by OpenCL runtimes (pocl and oclgrind), and compared with what
// OpenCL's rules say of an image ([OpenCL 1.2 §8 «Image Addressing and Filtering»]), which are written down here once
// more. The interpreter runs the machine code itself, and is held against the same rules.
//
// Coordinates keep away from the borders between texels, where rounding decides. Floats may differ a little: runtimes
// convert and filter with different roundings.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <amdcompat/launch_image.hpp>
#include <amdcompat/prove.hpp>

#include "small_program.hpp"
#include "support/wants_all.hpp"

namespace amdcompat_test::lifted::images_test {
namespace {

using amdcompat::Diagnostics;
using amdcompat::ImageDim;
using amdcompat::Program;
using Kind = opencl::Image::Kind;
namespace cl1 = amdcompat::cl1;
namespace lift = amdcompat::lift;

constexpr u32 kSeed = 20260301, kRunLanes = 2 * kLanes;

// --- images as the rules have them -----------------------------------------------------------------------------------

enum class Type : u8 { Float, Signed, Unsigned };
struct Format {
  u32 order, type;
  Type kind;
  u32 channels, bytes;  // of one
};
constexpr Format kFloats{CL_RGBA, CL_FLOAT, Type::Float, 4, 4}, kBytes{CL_RGBA, CL_UNORM_INT8, Type::Float, 4, 1},
    kSwapped{CL_BGRA, CL_UNORM_INT8, Type::Float, 4, 1}, kSnorm{CL_RGBA, CL_SNORM_INT16, Type::Float, 4, 2},
    kRed{CL_R, CL_FLOAT, Type::Float, 1, 4}, kInts{CL_RGBA, CL_SIGNED_INT32, Type::Signed, 4, 4},
    kShorts{CL_RGBA, CL_SIGNED_INT16, Type::Signed, 4, 2}, kChars{CL_RGBA, CL_SIGNED_INT8, Type::Signed, 4, 1},
    kUints{CL_RGBA, CL_UNSIGNED_INT32, Type::Unsigned, 4, 4}, kUchars{CL_RGBA, CL_UNSIGNED_INT8, Type::Unsigned, 4, 1},
    kRedUshort{CL_R, CL_UNSIGNED_INT16, Type::Unsigned, 1, 2};

using Components = std::array<double, 4>;
using Place = std::array<std::int64_t, 3>;

struct Shape {
  Kind kind;
  ImageDim dim;
  u32 axes, layers;  // coordinates that are filtered, and of layers
  std::array<std::size_t, 3> size;
};
constexpr Shape kShapes[] = {
    {Kind::D1, ImageDim::D1, 1, 0, {13, 1, 1}}, {Kind::D1Array, ImageDim::D1Array, 1, 1, {13, 5, 1}},
    {Kind::D2, ImageDim::D2, 2, 0, {13, 9, 1}}, {Kind::D2Array, ImageDim::D2Array, 2, 1, {13, 9, 4}},
    {Kind::D3, ImageDim::D3, 3, 0, {13, 9, 6}},
};
const Shape& k2d = kShapes[2];

struct Texture {
  const Shape& shape;
  Format format;
  std::vector<std::byte> bytes;

  Texture(const Shape& s, const Format& f, std::mt19937& random) : shape(s), format(f) {
    bytes.resize(s.size[0] * s.size[1] * s.size[2] * f.channels * f.bytes);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    if (f.type != CL_FLOAT) return;
    for (std::size_t n = 0; n < bytes.size(); n += 4) {
      const float value = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 64.0f;
      std::memcpy(&bytes[n], &value, 4);
    }
  }
  [[nodiscard]] opencl::Image argument(bool written) const {
    return {shape.kind, shape.size, format.order, format.type, bytes, written};
  }
  [[nodiscard]] bool inside(const Place& at) const {
    for (std::size_t n = 0; n < 3; ++n)
      if (at[n] < 0 || at[n] >= static_cast<std::int64_t>(shape.size[n])) return false;
    return true;
  }
  [[nodiscard]] std::size_t offset(const Place& at, u32 channel) const {
    const auto n = static_cast<std::size_t>(
        (at[2] * static_cast<std::int64_t>(shape.size[1]) + at[1]) * static_cast<std::int64_t>(shape.size[0]) + at[0]);
    return (n * format.channels + channel) * format.bytes;
  }
  // The channel of a component; what an image does not have is none.
  [[nodiscard]] std::optional<u32> channel(u32 component) const {
    if (component >= format.channels && component != 3) return std::nullopt;
    if (format.channels == 1 && component != 0) return std::nullopt;
    return format.order == CL_BGRA && component < 3 ? 2 - component : component;
  }
  [[nodiscard]] Components read(const Place& at) const {
    Components out{0, 0, 0, format.channels == 4 ? 0.0 : 1.0};
    if (!inside(at)) return out;
    for (u32 c = 0; c < 4; ++c) {
      const auto from = channel(c);
      if (!from) continue;
      u32 raw = 0;
      std::memcpy(&raw, &bytes[offset(at, *from)], format.bytes);
      const u32 shift = 32 - 8 * format.bytes;
      const auto extended = static_cast<std::int32_t>(raw << shift) >> shift;
      switch (format.type) {
        case CL_FLOAT: out[c] = std::bit_cast<float>(raw); break;
        case CL_UNORM_INT8: out[c] = raw / 255.0; break;
        case CL_SNORM_INT16: out[c] = std::max(-1.0, extended / 32767.0); break;
        default: out[c] = format.kind == Type::Signed ? extended : static_cast<double>(raw);
      }
    }
    return out;
  }
  void write(const Place& at, const Components& texel) {
    if (!inside(at)) return;
    for (u32 c = 0; c < 4; ++c) {
      const auto to = channel(c);
      if (!to) continue;
      u32 raw = 0;
      const auto clamped = [&](double low, double high) {
        return static_cast<u32>(static_cast<std::int64_t>(std::clamp(texel[c], low, high)));
      };
      const double half = std::ldexp(1.0, static_cast<int>(8 * format.bytes) - 1);
      switch (format.type) {
        case CL_FLOAT: raw = std::bit_cast<u32>(static_cast<float>(texel[c])); break;
        case CL_UNORM_INT8: raw = static_cast<u32>(std::nearbyint(std::clamp(texel[c], 0.0, 1.0) * 255)); break;
        case CL_SNORM_INT16:
          raw = static_cast<u32>(static_cast<std::int32_t>(std::nearbyint(std::clamp(texel[c], -1.0, 1.0) * 32767)));
          break;
        default: raw = format.kind == Type::Signed ? clamped(-half, half - 1) : clamped(0, 2 * half - 1);
      }
      std::memcpy(&bytes[offset(at, *to)], &raw, format.bytes);
    }
  }
};

// A sampler's word as the old metadata has it.
constexpr u32 word_of(bool normalized, u32 addressing, bool linear) {
  return (normalized ? 1u : 0u) | addressing << 1 | (linear ? 2u : 1u) << 4;
}
enum Addressing : u8 { kNone, kRepeat, kEdge, kClamp, kMirror };

// The numbers of the two texels along one axis, and the weight of the second one.
struct Step {
  std::int64_t first, second;
  double weight;
};
Step step(u32 sampler, double s, std::int64_t size) {
  const bool normalized = (sampler & 1) != 0, linear = sampler >> 4 == 2;
  const u32 addressing = sampler >> 1 & 7;
  const auto width = static_cast<double>(size);
  double u = normalized ? s * width : s;
  if (addressing == kRepeat) u = (s - std::floor(s)) * width;
  if (addressing == kMirror) u = std::abs(s - 2 * std::rint(0.5 * s)) * width;
  const auto settle = [&](std::int64_t i) {
    switch (addressing) {
      case kRepeat: return i < 0 ? i + size : i >= size ? i - size : i;
      case kMirror:
      case kNone:
      case kEdge: return std::clamp<std::int64_t>(i, 0, size - 1);
      default: return std::clamp<std::int64_t>(i, -1, size);
    }
  };
  if (!linear) return {settle(static_cast<std::int64_t>(std::floor(u))), 0, 0};
  const double base = std::floor(u - 0.5);
  const auto i = static_cast<std::int64_t>(base);
  return {settle(i), settle(i + 1), u - 0.5 - base};
}
Components sample(const Texture& image, u32 sampler, const std::array<double, 3>& at) {
  std::array<Step, 3> steps{};
  const Shape& shape = image.shape;
  for (u32 n = 0; n < shape.axes; ++n) steps[n] = step(sampler, at[n], static_cast<std::int64_t>(shape.size[n]));
  if (shape.layers != 0) {
    const auto last = static_cast<double>(shape.size[shape.axes] - 1);
    steps[shape.axes].first = static_cast<std::int64_t>(std::clamp(std::rint(at[shape.axes]), 0.0, last));
  }
  Components out{};
  for (u32 corner = 0; corner < (sampler >> 4 == 2 ? 1u << shape.axes : 1u); ++corner) {
    Place place{};
    double weight = 1;
    for (u32 n = 0; n < 3; ++n) {
      const bool second = (corner >> n & 1) != 0;
      place[n] = second ? steps[n].second : steps[n].first;
      weight *= second ? steps[n].weight : 1 - steps[n].weight;
    }
    const Components texel = image.read(place);
    for (u32 c = 0; c < 4; ++c) out[c] += weight * texel[c];
  }
  return out;
}

// --- kernels ---------------------------------------------------------------------------------------------------------

// Registers: the coordinates of the lane, then what it stores if it does; the result.
constexpr u16 kAt = 4, kTexel = 8, kResult = 12;
constexpr u16 kResources = 2, kSampler = 4;  // user registers: the table of images, a sampler
constexpr u16 kImage = 40, kSecondImage = 48;  // descriptors
constexpr u32 kImageSlot = 128, kSecondSlot = 160, kSamplerSlot = 192;  // of constant buffer 1
constexpr u32 kWords = 8;  // of a lane's input

struct Image {
  ImageDim dim = ImageDim::D2;
  bool written = false;
};
struct Subject {
  std::string name;
  std::vector<Image> images{};
  std::optional<u32> sampler{};  // constant
  bool sampler_argument = false;
  Code code{};
};

void descriptor(Code& c, u16 to, bool written, u32 number) {
  c.scalar_load(Opcode::s_load_dwordx8, to, written ? kTable : kResources, 32 * number);
}
struct Fields {
  bool unorm = false, array = false;
  u8 mask = 15;
};
void image(Code& c, Opcode opcode, u16 data, u16 resource, Fields fields = {}, u16 address = kAt) {
  Instruction i = c.make(opcode);
  i.address = address;
  i.data = data;
  i.resource = resource;
  i.sampler = kSampler;
  i.unorm = fields.unorm;
  i.da = fields.array;
  i.mask = fields.mask;
  c.add(i);
}
// A test around `body`, which finds its coordinates and texel, and leaves four dwords.
template <class Body>
Subject kernel(std::string name, std::vector<Image> images, Body body, std::optional<u32> sampler = std::nullopt,
               bool sampler_argument = false) {
  Subject out{std::move(name), std::move(images), sampler, sampler_argument};
  Code& c = out.code;
  c.prologue().place(2, kInSlot, kWords).place(3, kOutSlot, 4);
  c.buffer(Opcode::buffer_load_dwordx4, kAt, 2, kIn);
  c.buffer(Opcode::buffer_load_dwordx4, kTexel, 2, kIn, 16);
  for (u16 n = 0; n < 4; ++n) c.op(Opcode::v_mov_b32, kResult + n, number(7));
  std::array<u32, 2> numbers{};
  for (std::size_t n = 0; n < out.images.size(); ++n) {
    const bool written = out.images[n].written;
    descriptor(c, n == 0 ? kImage : kSecondImage, written, numbers[written ? 1 : 0]++);
  }
  body(c);
  c.buffer(Opcode::buffer_store_dwordx4, kResult, 3, kOut).end();
  return out;
}

Program program_of(std::span<const Subject> tests) {
  std::vector<Small> small;
  for (const Subject& test : tests) small.push_back({.name = test.name, .code = test.code});
  Program out = program_of(std::span<const Small>(small));
  for (std::size_t n = 0; n < tests.size(); ++n) {
    const Subject& test = tests[n];
    amdcompat::Kernel& kernel = out.kernels[n];
    std::array<u32, 2> numbers{};
    for (std::size_t k = 0; k < test.images.size(); ++k) {
      const bool written = test.images[k].written;
      amdcompat::Argument argument;
      argument.name = k == 0 ? "image" : "second";
      argument.kind =
          amdcompat::Image{test.images[k].dim, written ? amdcompat::Access::WriteOnly : amdcompat::Access::ReadOnly,
                           numbers[written ? 1 : 0]++};
      argument.slot = amdcompat::ConstantBufferSlot{1, k == 0 ? kImageSlot : kSecondSlot};
      kernel.arguments.push_back(std::move(argument));
    }
    if (test.sampler) kernel.samplers.push_back({"unknown", 0, *test.sampler});
    if (test.sampler_argument) {
      amdcompat::Argument argument;
      argument.name = "by";
      argument.kind = amdcompat::Sampler{0};
      argument.slot = amdcompat::ConstantBufferSlot{1, kSamplerSlot};
      kernel.arguments.push_back(std::move(argument));
    }
    auto& state = std::get<cl1::CalState>(kernel.entry);
    state.user_elements = {{cl1::kClassUavTable, 0, kTable, 2},
                           {cl1::kClassResourceTable, 0, kResources, 2},
                           {cl1::kClassSampler, 0, kSampler, 4},
                           {cl1::kClassConstantBuffer, 1, kCb1, 4}};
    state.info.user_elements = 4;
  }
  return out;
}

struct Lifted {
  Program program;
  lift::Unit unit;
};
Lifted lifted(std::span<const Subject> tests) {
  Lifted out{program_of(tests), {}};
  Diagnostics diagnostics;
  out.unit = lift::lift(out.program, {}, diagnostics);
  for (const auto& kernel : out.unit.kernels)
    EXPECT_TRUE(kernel.lifted) << kernel.name << ": " << (kernel.refusal ? kernel.refusal->message : "no reason given");
  return out;
}

// --- launches --------------------------------------------------------------------------------------------------------

struct Round {
  std::string kernel{};
  std::vector<Texture> images{};
  std::vector<bool> written{};
  std::optional<u32> sampler{};
  bool sampler_argument = false;
  Words in{};
  using Model = std::function<void(std::size_t lane, std::vector<Texture>& images, Components& result)>;
  Model model{};
  Model hardware{};  // where it does something else than the lifted source, which OpenCL's rules leave open
  Type result = Type::Float;
  double tolerance = 0x1p-20;
  bool results = true;  // else the image alone is looked at
};

opencl::Launch launch_of(const Round& run) {
  Data data;
  data.in = run.in;
  data.out.assign(std::size_t{kRunLanes} * 4, 0xdeadbeef);
  opencl::Launch out = lifted::launch_of(run.kernel, data, kRunLanes);
  for (std::size_t n = 0; n < run.images.size(); ++n)
    out.arguments.emplace_back(run.images[n].argument(run.written[n]));
  if (run.sampler && run.sampler_argument) {
    constexpr u32 kAddressing[] = {CL_ADDRESS_NONE, CL_ADDRESS_REPEAT, CL_ADDRESS_CLAMP_TO_EDGE, CL_ADDRESS_CLAMP,
                                   CL_ADDRESS_MIRRORED_REPEAT};
    const u32 word = *run.sampler;
    const u32 filter = word >> 4 == 2 ? CL_FILTER_LINEAR : CL_FILTER_NEAREST;
    out.arguments.emplace_back(opencl::Sampler{(word & 1) != 0, kAddressing[word >> 1 & 7], filter});
  }
  return out;
}

void expect_near(double got, double expected, double tolerance, const std::string& what) {
  EXPECT_LE(std::abs(got - expected), tolerance * std::max(1.0, std::abs(expected)))
      << what << ": " << got << ", expected " << expected;
}
double value_of(u32 word, Type type) {
  if (type == Type::Float) return std::bit_cast<float>(word);
  return type == Type::Signed ? static_cast<double>(static_cast<std::int32_t>(word)) : word;
}

// pocl 3.1 gives another alpha than 1 for integers and for the border where the image has no alpha.
bool excused(const Format& format, u32 component) { return format.channels == 1 && component == 3; }
using Objects = std::vector<std::vector<std::byte>>;  // buffers and images after a launch
struct Judge {
  const char* name;
  bool pocl = false;
};
void expect_right(const std::string& source, Round run, const Objects& objects, const Judge& judge) {
  SCOPED_TRACE(fmt::format("{}: {}, shape {}, order {:x}, type {:x}", judge.name, run.kernel,
                           static_cast<u32>(run.images[0].shape.kind), run.images[0].format.order,
                           run.images[0].format.type));
  const Words got = words_of(objects[1]);
  for (std::size_t lane = 0; lane < kRunLanes; ++lane) {
    Components expected{};
    run.model(lane, run.images, expected);
    for (u32 c = 0; c < 4 && run.results; ++c)
      if (!judge.pocl || !excused(run.images[0].format, c))
        expect_near(value_of(got[lane * 4 + c], run.result), expected[c], run.tolerance,
                    fmt::format("lane {}, component {}", lane, c));
    if (::testing::Test::HasFailure()) FAIL() << source;
  }
  for (std::size_t k = 0; k < run.images.size(); ++k) {
    Texture image = run.images[k];
    image.bytes = objects[2 + k];
    const auto& size = image.shape.size;
    for (std::size_t texel = 0; texel < size[0] * size[1] * size[2]; ++texel) {
      const Place at{static_cast<std::int64_t>(texel % size[0]), static_cast<std::int64_t>(texel / size[0] % size[1]),
                     static_cast<std::int64_t>(texel / size[0] / size[1])};
      const Components is = image.read(at), expected = run.images[k].read(at);
      // Conversions may round the other way.
      const double ulp = image.format.type == CL_UNORM_INT8 ? 1.01 / 255 : 1e-4;
      for (u32 c = 0; c < 4; ++c)
        EXPECT_LE(std::abs(is[c] - expected[c]), image.format.type == CL_FLOAT || image.format.kind != Type::Float
                                                     ? run.tolerance * std::max(1.0, std::abs(expected[c]))
                                                     : ulp)
            << "texel " << at[0] << " " << at[1] << " " << at[2] << ", component " << c;
      if (::testing::Test::HasFailure()) FAIL() << source;
    }
  }
}
void expect_right(const std::string& source, const std::vector<Round>& runs, opencl::Runtime runtime) {
  opencl::Request request{.source = source, .options = "-cl-std=CL1.2" + sooner(), .seconds = 60, .runtime = runtime};
  for (const Round& run : runs) {
    request.launches.push_back(launch_of(run));
    if (run.images[0].shape.axes + run.images[0].shape.layers == 3) request.unset_values = false;
  }
  const opencl::Result result = opencl::run(request);
  ASSERT_EQ(result.build, opencl::Status::Ok) << result.log << result.message << source;
  EXPECT_EQ(said_of_source(result.log), "") << source;
  const bool pocl = runtime == opencl::Runtime::Device;
  for (std::size_t n = 0; n < runs.size() && !::testing::Test::HasFailure(); ++n) {
    const opencl::LaunchResult& ran = result.launches[n];
    ASSERT_EQ(ran.status, opencl::Status::Ok) << runs[n].kernel << ": " << ran.message << source;
    expect_right(source, runs[n], ran.buffers, {pocl ? "CPU" : "simulator", pocl});
  }
}

// --- on the interpreter ----------------------------------------------------------------------------------------------

amdcompat::abi::ImageValue value_of(const opencl::Image& image, u64 address) {
  amdcompat::abi::ImageValue out{.channel_order = image.order, .channel_type = image.type, .address = address};
  const auto size = [&](std::size_t n) { return static_cast<u32>(image.size[n]); };
  out.width = size(0);
  const bool line = image.kind == Kind::D1 || image.kind == Kind::D1Array;
  if (!line) out.height = size(1);
  if (image.kind == Kind::D3) out.depth = size(2);
  if (image.kind == Kind::D1Array || image.kind == Kind::D2Array) out.array_size = size(line ? 1 : 2);
  return out;
}
// What the machine code leaves of a launch; nothing, and a failure, where it does not end well.
Objects interpreted(const Program& program, const Round& run) {
  namespace abi = amdcompat::abi;
  namespace emulate = amdcompat::emulate;
  constexpr u64 kDistance = 0x100'0000;
  const auto kernel = static_cast<std::size_t>(
      std::ranges::find(program.kernels, run.kernel, &amdcompat::Kernel::name) - program.kernels.begin());
  Diagnostics diagnostics;
  auto image = abi::LaunchImage::create(program.kernels[kernel], diagnostics, {}, program.data);
  bool good = image && image->set_range({.dimensions = 1, .global = {kRunLanes}, .local = {{kLanes}}}, diagnostics);
  emulate::Memory memory;
  const opencl::Launch launch = launch_of(run);
  std::vector<std::pair<u64, std::size_t>> places;
  const auto place = [&](const std::vector<std::byte>& bytes) {
    const u64 at = kDistance * (places.size() + 1);
    EXPECT_TRUE(memory.map(at, bytes));
    places.emplace_back(at, bytes.size());
    return at;
  };
  for (std::size_t n = 0; good && n < launch.arguments.size(); ++n) {
    const opencl::Argument& argument = launch.arguments[n];
    if (const auto* const buffer = std::get_if<opencl::Buffer>(&argument)) {
      const u64 at = place(buffer->bytes);
      good = image->set_buffer(n, {at, at, buffer->bytes.size()}, diagnostics);
    } else if (const auto* const value = std::get_if<opencl::Value>(&argument)) {
      good = image->set_bytes(n, value->bytes, diagnostics);
    } else if (const auto* const picture = std::get_if<opencl::Image>(&argument)) {
      good = image->set_image(n, value_of(*picture, place(picture->bytes)), diagnostics);
    } else {
      good = image->set_sampler(n, *run.sampler, diagnostics);
    }
  }
  std::string problem;
  if (good && image->build(diagnostics)) {
    emulate::CalBindings bindings;
    bindings.cb0.assign(image->cb0().begin(), image->cb0().end());
    bindings.cb1.assign(image->cb1().begin(), image->cb1().end());
    for (const abi::Binding& binding : image->bindings()) {
      if (binding.words == 0) continue;
      auto& to = binding.kind == abi::BindingKind::Uav        ? bindings.uavs
                 : binding.kind == abi::BindingKind::Resource ? bindings.resources
                                                              : bindings.samplers;
      to.push_back({binding.slot, {binding.descriptor.begin(), binding.descriptor.begin() + binding.words}});
    }
    if (bindings.samplers.empty()) bindings.samplers.push_back({0, {0, 0, 0, 0}});  // all kernels here have a register
    auto start = emulate::kernel_launch(program, kernel, bindings, image->local_bytes(), memory);
    if (start) {
      start->global = {kRunLanes, 1, 1};
      start->local = {kLanes, 1, 1};
      if (!emulate::run(*start, memory, {}, diagnostics).clean()) problem = "does not end well";
    } else {
      problem = start.error().message;
    }
  } else {
    problem = "no launch";
  }
  for (const amdcompat::Diagnostic& d : diagnostics.all()) problem += "; " + d.message;
  EXPECT_EQ(problem, "") << run.kernel;
  Objects out;
  for (const auto& [at, size] : places) {
    const auto bytes = memory.view(at, size);
    out.emplace_back(bytes.begin(), bytes.end());
  }
  return out;
}

// pocl 3.1 takes the layer of an array for a coordinate between 0 and 1 where the sampler says so of coordinates.
bool beyond_pocl(const Round& run) { return run.sampler && (*run.sampler & 1) != 0 && run.images[0].shape.layers != 0; }
void expect_right_everywhere(const Program& program, const std::string& source, const std::vector<Round>& runs) {
  for (Round run : runs) {
    const Objects objects = interpreted(program, run);
    if (::testing::Test::HasFailure()) return;
    if (run.hardware) run.model = run.hardware;
    expect_right(source, run, objects, {"interpreter"});
    if (::testing::Test::HasFailure()) return;
  }
  std::vector<Round> on_pocl;
  for (const Round& run : runs)
    if (!beyond_pocl(run)) on_pocl.push_back(run);
  expect_right(source, on_pocl, opencl::Runtime::Device);
  if (!runs_whole() || !simulator_missing().empty()) return;
  if (!::testing::Test::HasFailure()) expect_right(source, runs, opencl::Runtime::Simulator);
}

u32 bits(double x) { return std::bit_cast<u32>(static_cast<float>(x)); }

// Coordinates of all lanes for a sampler, inside the image and a little around it.
Words sampled_places(const Shape& shape, u32 sampler, std::mt19937& random,
                     std::vector<std::array<double, 3>>& places) {
  Words in;
  const bool normalized = (sampler & 1) != 0;
  for (u32 lane = 0; lane < kRunLanes; ++lane) {
    std::array<double, 3> at{};
    for (u32 n = 0; n < shape.axes; ++n) {
      const auto size = static_cast<int>(shape.size[n]);
      const int texel = static_cast<int>(random() % (2 * static_cast<u32>(size) + 4)) - size / 2 - 2;
      const double x = texel + 0.15 + static_cast<int>(random() % 32) / 46.0;
      at[n] = static_cast<float>(normalized ? x / size : x);
    }
    if (shape.layers != 0)
      at[shape.axes] = static_cast<int>(random() % 8) - 1 + (static_cast<int>(random() % 5) - 2) * 0.2;
    for (u32 n = 0; n < 3; ++n) at[n] = static_cast<float>(at[n]);
    for (u32 n = 0; n < 3; ++n) in.push_back(bits(at[n]));
    for (u32 n = 3; n < kWords; ++n) in.push_back(0);
    places.push_back(at);
  }
  return in;
}

// A launch of a kernel that samples one image.
Round sampling(const std::string& name, const Shape& shape, const Format& format, u32 sampler, std::mt19937& random) {
  Round run{.kernel = name, .written = {false}, .sampler = sampler};
  run.images.emplace_back(shape, format, random);
  std::vector<std::array<double, 3>> places;
  run.in = sampled_places(shape, sampler, random, places);
  run.result = format.kind;
  if (sampler >> 4 == 2) run.tolerance = 0x1p-12;  // coordinates of floats times differences of texels
  run.model = [=](std::size_t lane, std::vector<Texture>& images, Components& result) {
    result = sample(images[0], sampler, places[lane]);
  };
  return run;
}
void expect_lifted_right(std::span<const Subject> tests, const std::vector<Round>& runs, std::string_view text = {}) {
  const Lifted it = lifted(tests);
  EXPECT_NE(it.unit.source.find(text), std::string::npos) << it.unit.source;
  expect_right_everywhere(it.program, it.unit.source, runs);
}
constexpr u32 kPlain = word_of(false, kEdge, false);

constexpr u32 kSamplers[] = {
    word_of(false, kNone, false), word_of(false, kEdge, false), word_of(false, kClamp, false),
    word_of(false, kEdge, true),  word_of(false, kClamp, true), word_of(true, kRepeat, false),
    word_of(true, kEdge, false),  word_of(true, kClamp, false), word_of(true, kMirror, false),
    word_of(true, kRepeat, true), word_of(true, kEdge, true),   word_of(true, kClamp, true),
    word_of(true, kMirror, true),
};

TEST(LiftedImages, SamplesAreThoseOfTheRulesForEveryShapeAndSampler) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::mt19937 random(kSeed);
  for (const Shape& shape : part_of(kShapes, 2)) {
    std::vector<Subject> tests;
    std::vector<Round> runs;
    for (const u32 sampler : kSamplers) {
      const std::string name = fmt::format("s{}", sampler);
      tests.push_back(kernel(
          name, {{shape.dim}},
          [&](Code& c) {
            image(c, Opcode::image_sample, kResult, kImage, {.unorm = (sampler & 1) == 0, .array = shape.layers != 0});
          },
          sampler));
      const bool linear = sampler >> 4 == 2;
      for (const Format& format : {kFloats, kBytes, kSwapped, kSnorm, kRed, kInts, kShorts, kUchars, kRedUshort})
        if (!linear || format.kind == Type::Float) runs.push_back(sampling(name, shape, format, sampler, random));
    }
    const Lifted it = lifted(tests);
    expect_right_everywhere(it.program, it.unit.source, runs);
    if (HasFailure()) return;
  }
}

TEST(LiftedImages, TexelsThatAreUsedAsOneTypeAreReadAsIt) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::mt19937 random(kSeed);
  struct Use {
    Opcode opcode;
    Format format;
    const char* function;
  };
  for (const Use& use :
       {Use{Opcode::v_add_f32, kBytes, "read_imagef("}, Use{Opcode::v_cvt_f32_i32, kShorts, "read_imagei("},
        Use{Opcode::v_cvt_f32_u32, kUchars, "read_imageui("}, Use{Opcode::v_lshlrev_b32, kShorts, "read_texel("}}) {
    const Subject test = kernel(
        "k", {{}},
        [&](Code& c) {
          image(c, Opcode::image_sample, kResult, kImage, {.unorm = true});
          for (u16 n = 0; n < 4; ++n) {
            if (use.opcode == Opcode::v_add_f32)
              c.op(use.opcode, kResult + n, 242, v(kResult + n));  // 1.0
            else if (use.opcode == Opcode::v_lshlrev_b32)
              c.op(use.opcode, kResult + n, number(1), v(kResult + n));
            else
              c.op(use.opcode, kResult + n, v(kResult + n));
          }
        },
        kPlain);
    Round run = sampling("k", k2d, use.format, kPlain, random);
    run.result = use.opcode == Opcode::v_lshlrev_b32 ? Type::Signed : Type::Float;
    run.model = [model = run.model, &use](std::size_t lane, std::vector<Texture>& images, Components& result) {
      model(lane, images, result);
      for (double& c : result)
        if (use.opcode == Opcode::v_add_f32)
          c += 1;
        else if (use.opcode == Opcode::v_lshlrev_b32)
          c *= 2;
    };
    expect_lifted_right({&test, 1}, {run}, use.function);
  }
}

TEST(LiftedImages, OnlyTheComponentsOfTheMaskAreWritten) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::mt19937 random(kSeed);
  std::vector<Subject> tests;
  std::vector<Round> runs;
  for (u8 mask = 1; mask < 16; ++mask) {
    const std::string name = fmt::format("m{}", mask);
    tests.push_back(kernel(
        name, {{}}, [&](Code& c) { image(c, Opcode::image_sample, kResult, kImage, {.unorm = true, .mask = mask}); },
        kPlain));
    Round& run = runs.emplace_back(sampling(name, k2d, kUints, kPlain, random));
    run.model = [model = run.model, mask](std::size_t lane, std::vector<Texture>& images, Components& result) {
      Components all{};
      model(lane, images, all);
      result = {7, 7, 7, 7};
      for (u32 c = 0, to = 0; c < 4; ++c)
        if ((mask >> c & 1) != 0) result[to++] = all[c];
    };
  }
  expect_lifted_right(tests, runs);
}

// Whole numbers of texels, inside the image and around it.
Words whole_places(const Shape& shape, std::mt19937& random, std::vector<Place>& places) {
  Words in;
  for (u32 lane = 0; lane < kRunLanes; ++lane) {
    Place at{};
    for (u32 n = 0; n < shape.axes + shape.layers; ++n)
      at[n] = static_cast<std::int64_t>(random() % (shape.size[n] + 6)) - 3;
    for (const std::int64_t x : at) in.push_back(static_cast<u32>(x));
    for (u32 n = 3; n < kWords; ++n) in.push_back(0);
    places.push_back(at);
  }
  return in;
}

// With the numbers made floats and rounded down, as compilers did for samplers without a filter; and by the
// instructions that take numbers.
TEST(LiftedImages, ReadsByNumbersOfTexelsAreThoseOfTheRules) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::mt19937 random(kSeed);
  constexpr u32 kBorder = word_of(false, kClamp, false);
  for (const Shape& shape : kShapes) {
    const bool array = shape.layers != 0;
    const u16 level = static_cast<u16>(kAt + shape.axes + shape.layers);
    std::vector<Subject> tests;
    std::vector<Round> runs;
    const auto add = [&](const std::string& name, auto body) {
      tests.push_back(kernel(name, {{shape.dim}}, body, kBorder));
      for (const Format& format : {kFloats, kChars, kUints}) {
        Round& run = runs.emplace_back(Round{.kernel = name, .written = {false}, .sampler = kBorder});
        run.images.emplace_back(shape, format, random);
        std::vector<Place> places;
        run.in = whole_places(shape, random, places);
        run.result = format.kind;
        run.model = [places, &shape](std::size_t lane, std::vector<Texture>& images, Components& result) {
          Place at = places[lane];
          // A layer is the nearest one there is.
          if (const u32 n = shape.axes; shape.layers != 0)
            at[n] = std::clamp<std::int64_t>(at[n], 0, static_cast<std::int64_t>(shape.size[n]) - 1);
          result = images[0].read(at);
        };
        if (name.starts_with("load"))
          run.hardware = [places](std::size_t lane, std::vector<Texture>& images, Components& result) {
            result = images[0].read(places[lane]);
          };
      }
    };
    const auto floats = [&](Code& c, bool floor) {
      for (u16 n = 0; n < shape.axes + shape.layers; ++n) {
        c.op(Opcode::v_cvt_f32_i32, kAt + n, v(kAt + n));
        if (floor) c.op(Opcode::v_floor_f32, kAt + n, v(kAt + n));
      }
    };
    add("down", [&](Code& c) {
      floats(c, true);
      image(c, Opcode::image_sample, kResult, kImage, {.unorm = true, .array = array});
    });
    add("level_zero", [&](Code& c) {
      floats(c, false);
      image(c, Opcode::image_sample_lz, kResult, kImage, {.unorm = true, .array = array});
    });
    add("level", [&](Code& c) {
      floats(c, true);
      c.op(Opcode::v_mov_b32, level, number(0));
      image(c, Opcode::image_sample_l, kResult, kImage, {.unorm = true, .array = array});
    });
    add("load", [&](Code& c) { image(c, Opcode::image_load, kResult, kImage, {.unorm = true, .array = array}); });
    add("load_mip", [&](Code& c) {
      c.op(Opcode::v_mov_b32, level, number(0));
      image(c, Opcode::image_load_mip, kResult, kImage, {.unorm = true, .array = array});
    });
    const Lifted it = lifted(tests);
    EXPECT_EQ(it.unit.source.find("float2)"), std::string::npos) << it.unit.source;
    EXPECT_EQ(it.unit.source.find("float4)"), it.unit.source.find("float4)(0)")) << it.unit.source;
    expect_right_everywhere(it.program, it.unit.source, runs);
    if (HasFailure()) return;
  }
}

TEST(LiftedImages, StoresAreThoseOfTheRulesAndNothingIsStoredOutside) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::mt19937 random(kSeed);
  for (const Shape& shape : kShapes) {
    const bool array = shape.layers != 0;
    const u16 level = static_cast<u16>(kAt + shape.axes + shape.layers);
    std::vector<Subject> tests;
    std::vector<Round> runs;
    const auto add = [&](const std::string& name, std::initializer_list<Format> formats, auto body) {
      tests.push_back(kernel(name, {{shape.dim, true}}, body));
      for (const Format& format : formats) {
        Round& run = runs.emplace_back(Round{.kernel = name, .written = {true}});
        run.images.emplace_back(shape, format, random);
        std::vector<Place> places;
        run.in = whole_places(shape, random, places);
        std::vector<Components> texels(kRunLanes);
        for (u32 lane = 0; lane < kRunLanes; ++lane) {
          // Of several lanes that store to the same texel the last one counts, for nobody knows which; so none do.
          for (u32 other = 0; other < lane; ++other)
            if (places[other] == places[lane]) places[lane] = {-1, 0, 0};
          for (u32 n = 0; n < 3; ++n) run.in[lane * kWords + n] = static_cast<u32>(places[lane][n]);
          for (u32 c = 0; c < 4; ++c) {
            const auto value = static_cast<std::int32_t>(random() % 512) - (format.kind == Type::Unsigned ? 0 : 256);
            const double as = format.kind == Type::Float ? value / 128.0 : value;
            texels[lane][c] = as;
            run.in[lane * kWords + 4 + c] = format.kind == Type::Float ? bits(as) : static_cast<u32>(value);
          }
        }
        run.results = false;
        run.model = [places, texels, name](std::size_t lane, std::vector<Texture>& images, Components&) {
          Components texel = texels[lane];
          if (name == "sum")
            for (double& c : texel) c += 0.5;
          if (name == "red") texel = {texel[0], 0, 0, 0};
          if (name == "ends") texel = {texel[0], 0, 0, texel[1]};
          images[0].write(places[lane], texel);
        };
      }
    };
    const auto all = {kFloats, kBytes, kSwapped, kSnorm, kRed, kInts, kShorts, kChars, kUints, kUchars, kRedUshort};
    add("bits", all, [&](Code& c) { image(c, Opcode::image_store, kTexel, kImage, {.unorm = true, .array = array}); });
    add("mip", {kFloats, kShorts}, [&](Code& c) {
      c.op(Opcode::v_mov_b32, level, number(0));
      image(c, Opcode::image_store_mip, kTexel, kImage, {.unorm = true, .array = array});
    });
    // LLVM leaves out components that are 0; others are in registers next to each other.
    for (const auto& [name, mask] : {std::pair("red", 1), {"ends", 9}})
      add(name, {kFloats, kBytes, kInts}, [&](Code& c) {
        image(c, Opcode::image_store, kTexel, kImage, {.unorm = true, .array = array, .mask = static_cast<u8>(mask)});
      });
    add("sum", {kFloats, kBytes}, [&](Code& c) {
      for (u16 n = 0; n < 4; ++n) c.op(Opcode::v_add_f32, kTexel + n, 240, v(kTexel + n));  // 0.5
      image(c, Opcode::image_store, kTexel, kImage, {.unorm = true, .array = array});
    });
    const Lifted it = lifted(tests);
    EXPECT_NE(it.unit.source.find("write_imagef(image, "), std::string::npos) << it.unit.source;
    expect_right_everywhere(it.program, it.unit.source, runs);
    if (HasFailure()) return;
  }
}

TEST(LiftedImages, SamplersAreArgumentsToo) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::mt19937 random(kSeed);
  const Subject test =
      kernel("k", {{}}, [&](Code& c) { image(c, Opcode::image_sample, kResult, kImage); }, std::nullopt, true);
  std::vector<Round> runs;
  for (const u32 sampler : kSamplers) {
    if ((sampler >> 1 & 7) == kNone) continue;  // whose places outside nobody promises
    Round& run = runs.emplace_back(sampling("k", k2d, kFloats, sampler, random));
    run.sampler_argument = true;
  }
  expect_lifted_right({&test, 1}, runs, "sampler_t by)");
}

TEST(LiftedImages, SamplersComeOutOfATable) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::mt19937 random(kSeed);
  const Subject test = kernel(
      "k", {{}},
      [&](Code& c) {
        c.scalar_load(Opcode::s_load_dwordx4, 56, kSampler, 16 * 0);
        Instruction i = c.make(Opcode::image_sample);
        i.address = kAt;
        i.data = kResult;
        i.resource = kImage;
        i.sampler = 56;
        i.unorm = true;
        i.mask = 15;
        c.add(i);
      },
      kPlain);
  Program program = program_of({&test, 1});
  std::get<cl1::CalState>(program.kernels[0].entry).user_elements[2] = {cl1::kClassSamplerTable, 0, kSampler, 2};
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(program, {}, diagnostics);
  ASSERT_TRUE(unit.kernels[0].lifted) << unit.kernels[0].refusal->message;
  expect_right_everywhere(program, unit.source, {sampling("k", k2d, kFloats, kPlain, random)});
}

// Sizes, the channel type and the channel order: as the runtime wrote them, out of the descriptor, by the instruction.
TEST(LiftedImages, WhatIsAskedOfAnImageIsWhatTheImageSays) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::mt19937 random(kSeed);
  const Shape& solid = kShapes[4];
  std::vector<Subject> tests;
  std::vector<Round> runs;
  const auto add = [&](const std::string& name, Components expected, Type type, auto body) {
    tests.push_back(kernel(name, {{solid.dim}}, body, kPlain));
    Round& run = runs.emplace_back(Round{.kernel = name, .written = {false}, .result = type});
    run.images.emplace_back(solid, kSwapped, random);
    run.in.assign(std::size_t{kRunLanes} * kWords, 0);
    run.model = [=](std::size_t, std::vector<Texture>&, Components& result) { result = expected; };
  };
  const auto constants = [](Code& c, std::array<u32, 4> words) {
    for (u16 n = 0; n < 4; ++n) {
      c.scalar_load(Opcode::s_buffer_load_dword, 60, kCb1, kImageSlot + 4 * words[n]);
      c.op(Opcode::v_mov_b32, kResult + n, 60);
    }
  };
  add("sizes", {13, 9, 6, CL_UNORM_INT8}, Type::Unsigned, [&](Code& c) { constants(c, {0, 1, 2, 3}); });
  add("scales", {1 / 13.0, 1 / 9.0, 1 / 6.0, 1 / 13.0}, Type::Float, [&](Code& c) { constants(c, {4, 5, 6, 4}); });
  add("order", {CL_BGRA, 13, 13, 13}, Type::Unsigned, [&](Code& c) { constants(c, {7, 0, 0, 0}); });
  add("descriptor", {13, 8, 6, 7}, Type::Unsigned, [&](Code& c) {
    const auto field = [&](u16 to, u16 word, u32 first, u32 bits_) {
      c.op(Opcode::s_bfe_u32, to, kImage + word, kLiteralCode, first | bits_ << 16);
    };
    field(60, 2, 0, 14);
    c.op(Opcode::s_add_u32, 60, 60, number(1)).op(Opcode::v_mov_b32, kResult, 60);
    field(61, 2, 14, 14);
    c.op(Opcode::v_mov_b32, kResult + 1, 61);
    c.op(Opcode::s_and_b32, 62, kImage + 4, kLiteralCode, 0x1fff);
    c.op(Opcode::s_add_u32, 62, 62, number(1)).op(Opcode::v_mov_b32, kResult + 2, 62);
  });
  add("instruction", {13, 9, 6, 7}, Type::Unsigned, [&](Code& c) {
    c.op(Opcode::v_mov_b32, kAt, number(0));
    image(c, Opcode::image_get_resinfo, kResult, kImage, {.mask = 7});
  });
  expect_lifted_right(tests, runs);
}

TEST(LiftedImages, LanesThatAreOffNeitherSampleNorStore) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::mt19937 random(kSeed);
  std::vector<Subject> tests;
  for (const bool jump : {false, true})
    tests.push_back(kernel(
        jump ? "jump" : "mask", {{}, {ImageDim::D2, true}},
        [&](Code& c) {
          c.op(Opcode::v_cmp_gt_i32, 0, number(5), v(kAt)).op(Opcode::s_and_saveexec_b64, 30, kVccCode);
          const std::size_t over = jump ? c.branch(Opcode::s_cbranch_execz) : 0;
          c.op(Opcode::v_cvt_f32_i32, 20, v(kAt)).op(Opcode::v_cvt_f32_i32, 21, v(kAt + 1));
          image(c, Opcode::image_sample, kResult, kImage, {.unorm = true}, 20);
          image(c, Opcode::image_store, kResult, kSecondImage, {.unorm = true});
          if (jump) c.land(over);
          c.op(Opcode::s_mov_b64, kExecCode, 30);
        },
        kPlain));
  std::vector<Round> runs;
  for (const Subject& test : tests) {
    Round& run = runs.emplace_back(Round{.kernel = test.name, .written = {false, true}});
    run.images.emplace_back(k2d, kFloats, random);
    run.images.emplace_back(k2d, kFloats, random);
    for (u32 lane = 0; lane < kRunLanes; ++lane)
      for (u32 n = 0; n < kWords; ++n) run.in.push_back(n == 0 ? lane % 13 : n == 1 ? lane / 13 : 0);
    run.model = [](std::size_t lane, std::vector<Texture>& images, Components& result) {
      const Place at{static_cast<std::int64_t>(lane % 13), static_cast<std::int64_t>(lane / 13), 0};
      result.fill(std::bit_cast<float>(7u));
      if (at[0] >= 5) return;
      result = images[0].read({at[0], std::min<std::int64_t>(at[1], 8), 0});
      images[1].write(at, result);
    };
  }
  expect_lifted_right(tests, runs);
}

// Both ways of a branch have the descriptor in scalar registers, which hold something else where no lane goes the first
// way, and move it to vector registers for their lanes; behind it scalar registers get it back. `other` is the one of
// the second way.
void both_ways(Code& c, u16 other) {
  constexpr u16 kWay = 72, kMoved = 30, kBack = 80, kElse = 30;
  for (u16 n = 0; n < 8; ++n) c.op(Opcode::s_mov_b32, kWay + n, number(0));
  c.op(Opcode::v_cmp_gt_i32, 0, number(5), v(kAt)).op(Opcode::s_and_saveexec_b64, kElse, kVccCode);
  c.op(Opcode::s_xor_b64, kElse, kExecCode, kElse);
  const std::size_t first = c.branch(Opcode::s_cbranch_execz);
  for (u16 n = 0; n < 8; n += 2) c.op(Opcode::s_mov_b64, kWay + n, kImage + n);
  c.op(Opcode::v_add_co_u32, kAt + 1, number(1), v(kAt + 1));
  c.land(first);
  c.op(Opcode::s_or_saveexec_b64, kElse, kElse);
  for (u16 n = 0; n < 8; ++n) c.op(Opcode::v_mov_b32, kMoved + n, kWay + n);
  c.op(Opcode::s_xor_b64, kExecCode, kExecCode, kElse);
  const std::size_t second = c.branch(Opcode::s_cbranch_execz);
  for (u16 n = 0; n < 8; ++n) c.op(Opcode::v_mov_b32, kMoved + n, other + n);
  c.op(Opcode::v_add_co_u32, kAt + 1, number(2), v(kAt + 1));
  c.land(second);
  c.op(Opcode::s_or_b64, kExecCode, kExecCode, kElse);
  for (u16 n = 0; n < 8; ++n) c.op(Opcode::v_readfirstlane_b32, kBack + n, v(kMoved + n));
  image(c, Opcode::image_load, kResult, kBack, {.unorm = true});
}
// A branch of whole wavefronts: one way has the descriptor, the other a mask that says that it is still to be had.
// `asked`: what is done where the mask says so.
void masked_way(Code& c, Opcode asked) {
  constexpr u16 kWay = 72, kMask = 30;
  c.op(Opcode::s_cmp_eq_u32, 0, kGroup, number(0));
  const std::size_t without = c.branch(Opcode::s_cbranch_scc1);
  for (u16 n = 0; n < 8; n += 2) c.op(Opcode::s_mov_b64, kWay + n, kImage + n);
  c.op(Opcode::s_mov_b64, kMask, number(0)).op(Opcode::v_add_co_u32, kAt + 1, number(1), v(kAt + 1));
  const std::size_t over = c.branch(Opcode::s_branch);
  c.land(without);
  for (u16 n = 0; n < 8; ++n) c.op(Opcode::s_mov_b32, kWay + n, number(0));
  c.op(Opcode::s_mov_b64, kMask, kMinusOne).op(Opcode::v_add_co_u32, kAt + 1, number(2), v(kAt + 1));
  c.land(over);
  c.op(Opcode::s_and_b64, kVccCode, kExecCode, kMask);
  const std::size_t had = c.branch(asked);
  for (u16 n = 0; n < 8; n += 2) c.op(Opcode::s_mov_b64, kWay + n, kImage + n);
  c.land(had);
  image(c, Opcode::image_load, kResult, kWay, {.unorm = true});
}

TEST(LiftedImages, DescriptorsThatWaysOfABranchMoveAreFoundAgain) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::mt19937 random(kSeed);
  const std::vector<Subject> tests{
      kernel("lanes", {{}}, [](Code& c) { both_ways(c, kImage); }),
      kernel("wavefronts", {{}}, [](Code& c) { masked_way(c, Opcode::s_cbranch_vccz); }),
  };
  std::vector<Round> runs;
  for (const Subject& test : tests) {
    const bool lanes = test.name == "lanes";
    Round& run = runs.emplace_back(Round{.kernel = test.name, .written = {false}});
    run.images.emplace_back(k2d, kFloats, random);
    // The first wavefront goes both ways, the second one the second only.
    const auto column = [=](std::size_t lane) { return lane < kLanes ? lane % 13 : 5 + lane % 8; };
    for (u32 lane = 0; lane < kRunLanes; ++lane)
      for (u32 n = 0; n < kWords; ++n)
        run.in.push_back(n == 0 ? static_cast<u32>(column(lane)) : n == 1 ? lane % 7 : 0);
    run.model = [=](std::size_t lane, std::vector<Texture>& images, Components& result) {
      const bool first = lanes ? column(lane) < 5 : lane >= kLanes;
      const std::size_t row = lane % 7 + (first ? 1 : 2);
      result = images[0].read({static_cast<std::int64_t>(column(lane)), static_cast<std::int64_t>(row), 0});
    };
  }
  expect_lifted_right(tests, runs);
}

const Shape kBuffer{Kind::Buffer, ImageDim::D1Buffer, 1, 0, {61, 1, 1}};
// An element of a buffer that is an image.
void element(Code& c, Opcode opcode, u16 data, u16 resource) {
  Instruction i = c.make(opcode);
  i.address = kAt;
  i.data = data;
  i.resource = resource;
  i.idxen = true;
  i.sources[1] = number(0);
  c.add(i);
}
// pocl 3.1 has no get_image_width of them.
TEST(LiftedImages, BuffersThatAreImagesHaveElementsAndNothingOutside) {
  AMDCOMPAT_NEEDS_OPENCL_SIMULATOR();
  std::mt19937 random(kSeed);
  std::vector<Subject> tests;
  std::vector<Round> runs;
  tests.push_back(kernel("load", {{ImageDim::D1Buffer}},
                         [](Code& c) { element(c, Opcode::buffer_load_format_xyzw, kResult, kImage); }));
  tests.push_back(kernel("part", {{ImageDim::D1Buffer}},
                         [](Code& c) { element(c, Opcode::buffer_load_format_xy, kResult + 1, kImage); }));
  tests.push_back(kernel("store", {{ImageDim::D1Buffer, true}},
                         [](Code& c) { element(c, Opcode::buffer_store_format_xyzw, kTexel, kImage); }));
  tests.push_back(kernel("few", {{ImageDim::D1Buffer, true}},
                         [](Code& c) { element(c, Opcode::buffer_store_format_xy, kTexel, kImage); }));
  for (const Subject& test : tests)
    for (const Format& format : {kFloats, kChars, kUints}) {
      const bool store = test.images[0].written, part = test.name == "part", few = test.name == "few";
      if (part && format.kind != Type::Unsigned) continue;
      Round& run = runs.emplace_back(Round{.kernel = test.name, .written = {store}, .results = !store});
      run.images.emplace_back(kBuffer, format, random);
      run.result = format.kind;
      for (u32 lane = 0; lane < kRunLanes; ++lane)
        for (u32 n = 0; n < kWords; ++n)
          run.in.push_back(n == 0 ? lane - 4 : n < 4 ? 0 : format.kind == Type::Float ? bits(lane + n) : lane + n);
      run.model = [store, part, few](std::size_t lane, std::vector<Texture>& images, Components& result) {
        const Place at{static_cast<std::int64_t>(lane) - 4, 0, 0};
        const auto base = static_cast<double>(lane);
        if (few) return images[0].write(at, {base + 4, base + 5, 0, 0});
        if (store) return images[0].write(at, {base + 4, base + 5, base + 6, base + 7});
        const Components texel = images[0].inside(at) ? images[0].read(at) : Components{};
        result = part ? Components{7, texel[0], texel[1], 7} : texel;
      };
    }
  expect_right(lifted(tests).unit.source, runs, opencl::Runtime::Simulator);
}

// A register that holds a float for the lanes that are off does not make texels floats that are moved through it.
TEST(LiftedImages, TexelsThatAreOnlyMovedAreWhatTheImageSays) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::mt19937 random(kSeed);
  const Subject test = kernel(
      "k", {{}, {ImageDim::D2, true}},
      [&](Code& c) {
        for (u16 n = 0; n < 4; ++n) c.op(Opcode::v_add_f32, kResult + n, 242, v(kTexel));  // 1.0
        c.op(Opcode::v_cmp_gt_i32, 0, number(9), v(kAt)).op(Opcode::s_and_saveexec_b64, 30, kVccCode);
        const std::size_t over = c.branch(Opcode::s_cbranch_execz);
        c.op(Opcode::v_cvt_f32_i32, 20, v(kAt)).op(Opcode::v_cvt_f32_i32, 21, v(kAt + 1));
        image(c, Opcode::image_sample, kResult, kImage, {.unorm = true}, 20);
        image(c, Opcode::image_store, kResult, kSecondImage, {.unorm = true});
        c.land(over);
        c.op(Opcode::s_mov_b64, kExecCode, 30);
        for (u16 n = 0; n < 4; ++n) c.op(Opcode::v_add_f32, kResult + n, 242, v(kResult + n));
      },
      kPlain);
  std::vector<Round> runs;
  for (const Format& format : {kUchars, kShorts, kBytes}) {
    Round& run = runs.emplace_back(Round{.kernel = "k", .written = {false, true}, .results = false});
    run.images.emplace_back(k2d, format, random);
    run.images.emplace_back(k2d, format, random);
    for (u32 lane = 0; lane < kRunLanes; ++lane)
      for (u32 n = 0; n < kWords; ++n) run.in.push_back(n == 0 ? lane % 13 : n == 1 ? lane / 13 : 0);
    run.model = [](std::size_t lane, std::vector<Texture>& images, Components&) {
      const Place at{static_cast<std::int64_t>(lane % 13), static_cast<std::int64_t>(lane / 13), 0};
      if (at[0] < 9 && at[1] < 9) images[1].write(at, images[0].read(at));
    };
  }
  expect_lifted_right({&test, 1}, runs, "read_texel(image, ");
}

// A component that is moved may be bits of anything, also beside one that is computed.
TEST(LiftedImages, TexelsThatAreMovedBesideFloatsAreWhatTheImagesSay) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::mt19937 random(kSeed);
  const Subject test = kernel(
      "k", {{}, {ImageDim::D2, true}},
      [&](Code& c) {
        for (u16 n = 0; n < 3; ++n) c.op(Opcode::v_add_f32, 20 + n, 240, v(kTexel + n));  // 0.5
        image(c, Opcode::image_load, 23, kImage, {.unorm = true, .mask = 8});
        image(c, Opcode::image_store, 20, kSecondImage, {.unorm = true});
      },
      kPlain);
  std::vector<Round> runs;
  for (const Format& format : {kFloats, kBytes}) {
    Round& run = runs.emplace_back(Round{.kernel = "k", .written = {false, true}, .results = false});
    run.images.emplace_back(k2d, format, random);
    run.images.emplace_back(k2d, format, random);
    for (u32 lane = 0; lane < kRunLanes; ++lane)
      for (u32 n = 0; n < kWords; ++n)
        run.in.push_back(n == 0 ? lane % 9 : n == 1 ? lane / 9 % 7 : n < 4 ? 0 : bits((lane / 9 % 7 + n) / 32.0));
    run.model = [](std::size_t lane, std::vector<Texture>& images, Components&) {
      const Place at{static_cast<std::int64_t>(lane % 9), static_cast<std::int64_t>(lane / 9 % 7), 0};
      const auto base = static_cast<double>(lane / 9 % 7);
      if (!images[0].inside(at)) return;
      images[1].write(at, {0.5 + (base + 4) / 32, 0.5 + (base + 5) / 32, 0.5 + (base + 6) / 32, images[0].read(at)[3]});
    };
  }
  const Lifted it = lifted({&test, 1});
  EXPECT_NE(it.unit.source.find("read_texel(image, "), std::string::npos) << it.unit.source;
  EXPECT_NE(it.unit.source.find("write_texel(second, "), std::string::npos) << it.unit.source;
  expect_right(it.unit.source, runs, opencl::Runtime::Device);
}

// Devices do what they like there: it is no difference, and no proof.
TEST(LiftedImages, ProofsCompareNoSamplesAtCoordinatesThatAreNoNumbers) {
  AMDCOMPAT_NEEDS_OPENCL();
  constexpr u32 kRepeated = word_of(true, 1, false);
  const Subject test = kernel(
      "k", {{}},
      [&](Code& c) {
        c.op(Opcode::v_rcp_f32, 20, number(0)).op(Opcode::v_mov_b32, 21, number(0));
        image(c, Opcode::image_sample, kResult, kImage, {}, 20);
      },
      kRepeated);
  const Lifted it = lifted({&test, 1});
  ASSERT_TRUE(it.unit.kernels.front().lifted) << it.unit.source;
  amdcompat::emulate::LiftProofOptions options;
  options.proof.launches = 1;
  const amdcompat::emulate::LiftProof proof = amdcompat::emulate::prove_lifted(it.program, 0, it.unit.source, options);
  EXPECT_NE(proof.verdict, amdcompat::emulate::Verdict::Differs) << proof.reason;
}

// --- OpenCL 2.0: arguments point to objects --------------------------------------------------------------------------

// (__global uint *out, image, sampler): a texel of the image by the sampler, then what the image's object holds.
Program program_of_objects(bool by_lanes) {
  constexpr u16 kBlock = 0, kOutput = 4, kObject = 6, kSamplerObject = 8, kDescriptor = 16, kBy = 24;
  Code c;
  c.scalar_load(Opcode::s_load_dwordx2, kOutput, kBlock, 0);
  c.scalar_load(Opcode::s_load_dwordx2, kObject, kBlock, 8);
  c.scalar_load(Opcode::s_load_dwordx2, kSamplerObject, kBlock, 16);
  c.scalar_load(Opcode::s_load_dwordx8, kDescriptor, kObject, 0);
  c.scalar_load(Opcode::s_load_dwordx4, kBy, kSamplerObject, 0);
  const auto flat = [&](Opcode opcode, u16 address, u16 data) {
    Instruction i = c.make(opcode);
    i.address = address;
    i.data = i.destination = data;
    c.add(i);
  };
  for (const auto& [word, to] : {std::pair<u32, u16>{32, 12}, {36, 13}, {8, 14}}) {
    if (by_lanes) {
      c.op(Opcode::s_add_u32, 40, kObject, number(word)).op(Opcode::s_addc_u32, 41, kObject + 1, number(0));
      c.op(Opcode::v_mov_b32, 20, 40).op(Opcode::v_mov_b32, 21, 41);
      flat(Opcode::flat_load_dword, 20, to);
    } else {
      c.scalar_load(Opcode::s_load_dword, 42, kObject, word);
      c.op(Opcode::v_mov_b32, to, 42);
    }
  }
  // Sizes less one.
  c.op(Opcode::v_lshrrev_b32, 15, number(14), v(14)).op(Opcode::v_and_b32, 15, kLiteralCode, v(15), 0x3fff);
  c.op(Opcode::v_and_b32, 14, kLiteralCode, v(14), 0x3fff);
  c.op(Opcode::s_lshl_b32, 26 + 4, 2, number(6)).op(Opcode::v_add_co_u32, kLane, 26 + 4, v(0));
  c.op(Opcode::v_and_b32, 4, number(7), v(kLane)).op(Opcode::v_lshrrev_b32, 5, number(3), v(kLane));
  for (const u16 n : {u16{4}, u16{5}}) {
    c.op(Opcode::v_cvt_f32_u32, n, v(n));
    c.op(Opcode::v_add_f32, n, 240, v(n));  // 0.5
  }
  Instruction i = c.make(Opcode::image_sample);
  i.address = 4;
  i.data = 8;
  i.resource = kDescriptor;
  i.sampler = kBy;
  i.mask = 15;
  c.add(i);
  c.op(Opcode::v_lshlrev_b32, 2, number(5), v(kLane)).op(Opcode::v_add_co_u32, 2, kOutput, v(2));
  c.op(Opcode::v_mov_b32, 3, kOutput + 1).op(Opcode::v_addc_u32, 3, number(0), v(3));
  flat(Opcode::flat_store_dwordx4, 2, 8);
  c.op(Opcode::v_add_co_u32, 2, number(16), v(2)).op(Opcode::v_addc_u32, 3, number(0), v(3));
  flat(Opcode::flat_store_dwordx4, 2, 12);
  c.end();

  const Small small{.name = "k", .code = c};
  Program out = program_of(std::span(&small, 1));
  out.family = amdcompat::Family::Cl2;
  amdcompat::Kernel& kernel = out.kernels[0];
  kernel.address_bits = amdcompat::AddressBits::Bits64;
  amdcompat::KernelCode setup;
  setup.user_registers = amdcompat::kSgprKernargPtr;
  setup.rsrc2 = 2u << 1 | 1u << 7;
  kernel.entry = setup;
  std::erase_if(kernel.arguments, [](const amdcompat::Argument& a) { return a.name != "out"; });
  const auto add = [&](const char* name, amdcompat::ArgumentKind kind) {
    amdcompat::Argument& argument = kernel.arguments.emplace_back();
    argument.name = name;
    argument.kind = std::move(kind);
  };
  add("image", amdcompat::Image{ImageDim::D2, amdcompat::Access::ReadOnly, 0});
  add("by", amdcompat::Sampler{0});
  for (std::size_t n = 0; n < 3; ++n) kernel.arguments[n].slot = amdcompat::ArgumentBlockSlot{n * 8, 8, 8, false, {}};
  return out;
}

TEST(LiftedImages, ObjectsOfArgumentsHoldDescriptorsTypesAndOrders) {
  AMDCOMPAT_NEEDS_OPENCL();
  std::mt19937 random(kSeed);
  for (const bool by_lanes : {false, true}) {
    const Program program = program_of_objects(by_lanes);
    Diagnostics diagnostics;
    const lift::Unit unit = lift::lift(program, {}, diagnostics);
    ASSERT_TRUE(unit.kernels[0].lifted) << unit.kernels[0].refusal->message;
    // Numbers of objects: BGRA is 9 and RGBA 8, UNORM_INT8 2, SIGNED_INT16 9. [seed 004; amd_hsa_elf.h]
    for (const auto& [format, type, order] :
         {std::tuple<Format, u32, u32>{kSwapped, 2, 9}, {kShorts, 9, 8}, {kFloats, 15, 8}, {kRedUshort, 12, 1}}) {
      const Texture texture(k2d, format, random);
      opencl::Launch launch{.kernel = "k", .global = {kLanes, 1, 1}, .local = {kLanes, 1, 1}};
      launch.arguments = {opencl::Buffer{std::vector<std::byte>(kLanes * 32)}, texture.argument(false),
                          opencl::Sampler{false, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST}};
      const opencl::Result result =
          opencl::run({.source = unit.source, .options = "-cl-std=CL1.2", .launches = {launch}});
      ASSERT_EQ(result.launches[0].status, opencl::Status::Ok)
          << result.log << result.launches[0].message << unit.source;
      EXPECT_EQ(said_of_source(result.log), "") << unit.source;
      const Words got = words_of(result.launches[0].buffers[0]);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const Components texel =
            texture.read({static_cast<std::int64_t>(lane % 8), static_cast<std::int64_t>(lane / 8), 0});
        for (u32 c = 0; c < 3; ++c)
          expect_near(value_of(got[lane * 8 + c], format.kind), texel[c], 0x1p-20, fmt::format("component {}", c));
        EXPECT_EQ(Words(got.begin() + static_cast<std::ptrdiff_t>(lane * 8 + 4),
                        got.begin() + static_cast<std::ptrdiff_t>(lane * 8 + 8)),
                  (Words{type, order, 12, 8}))
            << unit.source;
        if (HasFailure()) return;
      }
    }
  }
}

// --- proofs ----------------------------------------------------------------------------------------------------------

// Every lane copies a texel, out of an image of any kind into a flat one.
Subject copying(const Shape& shape, u32 sampler) {
  return kernel(
      "k", {{shape.dim}, {ImageDim::D2, true}},
      [&](Code& c) {
        c.op(Opcode::v_and_b32, kAt, number(15), v(kLane)).op(Opcode::v_lshrrev_b32, kAt + 1, number(4), v(kLane));
        for (u16 n = 0; n < 3; ++n) c.op(Opcode::v_cvt_f32_i32, 20 + n, v(kAt + n % 2));
        if ((sampler & 1) != 0)
          for (u16 n = 0; n < 2; ++n) c.op(Opcode::v_mul_f32, 20 + n, kLiteralCode, v(20 + n), bits(1 / 7.0));
        image(c, Opcode::image_sample, kResult, kImage, {.unorm = (sampler & 1) == 0, .array = shape.layers != 0}, 20);
        image(c, Opcode::image_store, kResult, kSecondImage, {.unorm = true});
        for (u16 n = 0; n < 4; ++n) c.op(Opcode::v_mov_b32, kResult + n, number(7));
      },
      sampler);
}
amdcompat::emulate::LiftProof proof_of(Program program, const lift::Unit& unit, const std::string& source) {
  program.kernels[0].limits.required_group_size = {kLanes, 1, 1};
  amdcompat::emulate::LiftProofOptions options{.seconds = 60};
  options.proof.texels = unit.kernels[0].texels;
  return amdcompat::emulate::prove_lifted(program, 0, source, options);
}

TEST(LiftedImages, AreProvedAndAWrongSourceDiffers) {
  AMDCOMPAT_NEEDS_OPENCL();
  using amdcompat::emulate::Verdict;
  for (const Shape& shape : kShapes)
    for (const u32 sampler : {kPlain, word_of(false, kClamp, true), word_of(true, kMirror, false)}) {
      if (shape.layers != 0 && (sampler & 1) != 0) continue;  // beyond pocl
      SCOPED_TRACE(fmt::format("shape {}, sampler {:x}", static_cast<u32>(shape.kind), sampler));
      const Subject test = copying(shape, sampler);
      const Lifted it = lifted({&test, 1});
      const auto proof = proof_of(it.program, it.unit, it.unit.source);
      EXPECT_EQ(proof.verdict, Verdict::Proved) << proof.reason << it.unit.source;
      if (sampler != kPlain) continue;
      std::string wrong = it.unit.source;
      constexpr std::string_view kWrite = "(second, (int2)(";
      const std::size_t at = wrong.rfind(kWrite);
      ASSERT_NE(at, std::string::npos) << wrong;
      wrong.insert(at + kWrite.size(), "1u ^ ");
      const auto other = proof_of(it.program, it.unit, wrong);
      EXPECT_EQ(other.verdict, Verdict::Differs) << other.reason << wrong;
      EXPECT_NE(other.reason.find("image second differs"), std::string::npos) << other.reason;
      if (HasFailure()) return;
    }
}

// Texture units have 8 bits for the weights of a filter, which no runtime of a CPU shows.
TEST(LiftedImages, AFilterMayWeighWithEightBits) {
  AMDCOMPAT_NEEDS_OPENCL();
  using amdcompat::emulate::Verdict;
  const Subject test = copying(k2d, word_of(false, kClamp, true));
  const Lifted it = lifted({&test, 1});
  const auto scaled = [&](const char* factor) {
    std::string source = it.unit.source;
    constexpr std::string_view kStored = "as_float4(texel)";
    const std::size_t at = source.find(kStored);
    EXPECT_NE(at, std::string::npos) << source;
    source.replace(at, kStored.size(), fmt::format("as_float4(texel) * {}", factor));
    return proof_of(it.program, it.unit, source);
  };
  const auto near = scaled("1.002f");
  EXPECT_EQ(near.verdict, Verdict::Proved) << near.reason << it.unit.source;
  EXPECT_GT(near.error, amdcompat::emulate::kLiftTolerance);
  EXPECT_LE(near.error, amdcompat::emulate::kFilterTolerance);
  EXPECT_EQ(scaled("1.02f").verdict, Verdict::Differs);
}

TEST(LiftedImages, OneOfTwoThatAGroupChoosesIsReadWhereItIsMeant) {
  const Subject test = kernel("k", {{}, {}}, [](Code& c) {
    for (u16 n = 0; n < 8; ++n)
      c.op(Opcode::s_cmp_eq_u32, 0, kGroup, number(1))
          .op(Opcode::s_cselect_b32, kImage + n, kImage + n, kSecondImage + n);
    image(c, Opcode::image_load, kResult, kImage, {.unorm = true});
  });
  const Lifted it = lifted({&test, 1});
  for (const char* read : {"is1 ? read_texel(image,", "group_x != 1u ? read_texel(second,", "(is1 ? v2.x : v3.x,"})
    EXPECT_NE(it.unit.source.find(read), std::string::npos) << it.unit.source;
}

// --- refusals --------------------------------------------------------------------------------------------------------

void expect_refused(const Subject& test, const char* code, const char* says) {
  const Program program = program_of({&test, 1});
  Diagnostics diagnostics;
  const lift::Unit unit = lift::lift(program, {}, diagnostics);
  ASSERT_FALSE(unit.kernels[0].lifted) << unit.source;
  EXPECT_EQ(unit.source, "");
  EXPECT_EQ(amdcompat::code_label(unit.kernels[0].refusal->code), code);
  EXPECT_NE(unit.kernels[0].refusal->message.find(says), std::string::npos) << unit.kernels[0].refusal->message;
}

TEST(LiftedImages, WhatIsNotCertainOfAnImageIsRefused) {
  const auto sampled = [](Fields fields, ImageDim dim = ImageDim::D2, std::optional<u32> sampler = kPlain) {
    return kernel("k", {{dim}}, [&](Code& c) { image(c, Opcode::image_sample, kResult, kImage, fields); }, sampler);
  };
  expect_refused(sampled({.unorm = true, .array = true}), "AC4406", "accesses an array of images as one");
  expect_refused(sampled({.unorm = true}, ImageDim::D2Array), "AC4406", "accesses an array of images as one");
  expect_refused(sampled({.unorm = true}, ImageDim::D1Buffer), "AC4406", "an image of a kind that is not lifted");
  expect_refused(kernel("k", {{}}, [](Code& c) { element(c, Opcode::buffer_load_format_xyzw, kResult, kImage); }),
                 "AC4406", "an image of a kind that is not lifted");
  expect_refused(sampled({.unorm = true}, ImageDim::D2Depth), "AC4406", "an image of a kind that is not lifted");
  expect_refused(sampled({}), "AC4406", "by coordinates that are not those of its sampler");
  expect_refused(sampled({.unorm = true}, ImageDim::D2, word_of(true, kEdge, false)), "AC4406",
                 "by coordinates that are not those of its sampler");
  expect_refused(sampled({.unorm = true}, ImageDim::D2, std::nullopt), "AC4406",
                 "by a sampler of which it is not certain which one it is");
  expect_refused(sampled({.unorm = true}, ImageDim::D2, 0x06), "AC4406",
                 "by a sampler of which it is not certain which one it is");
  expect_refused(
      kernel(
          "k", {{}}, [](Code& c) { image(c, Opcode::image_sample_b, kResult, kImage, {.unorm = true}); }, kPlain),
      "AC4405", "'image_sample_b ");
  expect_refused(kernel("k", {{}},
                        [](Code& c) {
                          c.op(Opcode::v_mov_b32, kAt + 2, number(1));
                          image(c, Opcode::image_load_mip, kResult, kImage, {.unorm = true});
                        }),
                 "AC4406", "accesses a mip level of an image");
  expect_refused(kernel("k", {{ImageDim::D2, true}},
                        [](Code& c) { image(c, Opcode::image_store, kTexel, kImage, {.unorm = true, .mask = 0}); }),
                 "AC4405", "'image_store ");
  expect_refused(kernel("k", {{}},
                        [](Code& c) {
                          descriptor(c, kImage, false, 5);
                          image(c, Opcode::image_load, kResult, kImage, {.unorm = true});
                        }),
                 "AC4406", "accesses an image of which it is not certain which one it is");
  expect_refused(kernel("k", {{}, {}}, [](Code& c) { both_ways(c, kSecondImage); }), "AC4407",
                 "reads the first lane of what is not the same for all lanes");
  expect_refused(kernel("k", {{}}, [](Code& c) { masked_way(c, Opcode::s_cbranch_vccnz); }), "AC4406",
                 "accesses an image of which it is not certain which one it is");
  expect_refused(kernel("k", {{}}, [](Code& c) { c.op(Opcode::v_mov_b32, kResult, kImage + 3); }), "AC4406",
                 "uses a descriptor as a number");
  expect_refused(kernel(
                     "k", {{}},
                     [](Code& c) {
                       c.scalar_load(Opcode::s_buffer_load_dword, 60, kCb1, kSamplerSlot);
                       c.op(Opcode::v_mov_b32, kResult, 60);
                     },
                     std::nullopt, true),
                 "AC4404", "which is none's");
}

// Metadata that gives one number twice does not say which image or sampler is meant.
TEST(LiftedImages, NumbersThatAreGivenTwiceAreRefused) {
  const Subject test =
      kernel("k", {{}, {}}, [](Code& c) { image(c, Opcode::image_sample, kResult, kImage, {.unorm = true}); }, kPlain);
  for (const bool samplers : {false, true}) {
    Program program = program_of({&test, 1});
    if (samplers)
      program.kernels[0].samplers.push_back({"other", 0, word_of(false, kClamp, false)});
    else
      std::get<amdcompat::Image>(program.kernels[0].arguments.back().kind).id = 0;
    Diagnostics diagnostics;
    const lift::Unit unit = lift::lift(program, {}, diagnostics);
    ASSERT_FALSE(unit.kernels[0].lifted);
    EXPECT_NE(unit.kernels[0].refusal->message.find("of which it is not certain which one it is"), std::string::npos);
  }
}

TEST(LiftedImages, ImagesThatAreReadAndWrittenAreRefusedWhereTheyAreUsed) {
  const auto lifted = [](const Subject& test) {
    Program program = program_of({&test, 1});
    std::get<amdcompat::Image>(program.kernels[0].arguments.back().kind).access = amdcompat::Access::ReadWrite;
    Diagnostics diagnostics;
    return lift::lift(program, {}, diagnostics);
  };
  const lift::Unit used = lifted(
      kernel("k", {{}}, [](Code& c) { image(c, Opcode::image_sample, kResult, kImage, {.unorm = true}); }, kPlain));
  ASSERT_FALSE(used.kernels[0].lifted);
  EXPECT_NE(used.kernels[0].refusal->message.find("of which it is not certain which one it is"), std::string::npos);
  const lift::Unit unused = lifted(kernel("k", {{}}, [](Code&) {}));
  ASSERT_TRUE(unused.kernels[0].lifted);
  EXPECT_NE(unused.source.find("read_write image"), std::string::npos);
}

}  // namespace
}  // namespace amdcompat_test::lifted::images_test
