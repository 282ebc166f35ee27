// Kernels of our own: compiled by clang for a GPU of GCN, lifted from its machine code, and run beside their source on
// the same OpenCL device. Prints what the lift costs against the source: run time, statements, build time.
//
//   amdcompat_lift_run [--keep DIRECTORY] [gfxNNN]      gfx700 is the default
//
// Loops are not unrolled, so that the counts are of the lift and not of that. Each side is built three times, in turns,
// and each launch is repeated: the shortest times count. Both must leave the same memory. Kernels that are refused are
// listed with the reason.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>

#include <runtime/runner.hpp>

namespace {

using namespace amdcompat;
namespace fs = std::filesystem;
using opencl::Buffer;
using opencl::Value;

std::mt19937 random_numbers(20260104);

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> out(values.size() * sizeof(T));
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}
template <class T>
Value value(T number) {
  return {bytes_of(std::vector<T>{number})};
}
Buffer floats(std::size_t count) {
  std::vector<float> out(count);
  for (float& number : out) number = static_cast<float>(random_numbers() % 1000) / 256.0f;
  return {bytes_of(out)};
}
Buffer words(std::size_t count) {
  std::vector<std::uint32_t> out(count);
  for (std::uint32_t& word : out) word = static_cast<std::uint32_t>(random_numbers());
  return {bytes_of(out)};
}
Buffer zeros(std::size_t words) { return {std::vector<std::byte>(words * 4)}; }

Buffer twiddles() {
  std::vector<float> out;
  for (int n = 0; n < 128; ++n) {
    out.push_back(static_cast<float>(std::cos(2 * M_PI * n / 256)));
    out.push_back(static_cast<float>(-std::sin(2 * M_PI * n / 256)));
  }
  return {bytes_of(out)};
}
Buffer option_data(std::size_t count) {
  std::vector<float> out;
  for (std::size_t n = 0; n < count; ++n)
    for (const float number : {5.0f + static_cast<float>(random_numbers() % 10), 1.02f, 100.0f, 0.51f})
      out.push_back(number);
  return {bytes_of(out)};
}

// Sizes that take a CPU some ten milliseconds.
std::vector<opencl::Launch> launches() {
  constexpr std::size_t kLarge = std::size_t{1} << 20;
  const auto one = [](std::string kernel, std::size_t global, std::size_t local, std::vector<opencl::Argument> with) {
    return opencl::Launch{
        .kernel = std::move(kernel), .global = {global, 1, 1}, .local = {local, 1, 1}, .arguments = std::move(with)};
  };
  const auto two = [](std::string kernel, std::size_t size, std::vector<opencl::Argument> with) {
    return opencl::Launch{.kernel = std::move(kernel),
                          .dimensions = 2,
                          .global = {size, size, 1},
                          .local = {16, 16, 1},
                          .arguments = std::move(with)};
  };
  return {
      one("reduction", kLarge, 256, {floats(16 * kLarge), zeros(4096), value(std::uint32_t{16 * kLarge})}),
      one("scan", kLarge, 256, {words(kLarge), zeros(kLarge)}),
      two("matrix", 256, {floats(65536), floats(65536), zeros(65536), value(std::uint32_t{256})}),
      two("convolution", 512, {floats(262144), floats(25), zeros(262144), value(512), value(512)}),
      one("histogram", 65536, 256, {words(16 * 65536), zeros(256), value(std::uint32_t{16})}),
      one("fft", kLarge / 4, 128, {floats(kLarge), zeros(kLarge), twiddles()}),
      one("binomial", 256 * 128, 256, {option_data(128), zeros(128)}),
      two("sobel", 1024, {words(kLarge), zeros(kLarge), value(std::uint32_t{1024}), value(std::uint32_t{1024})}),
  };
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Of a source without its includes: semicolons, but for those of `for`, and the words that begin others.
std::size_t statements(std::string_view source) {
  std::size_t out = 0;
  bool comment = false;
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source.substr(at, 2) == "//") comment = true;
    if (source[at] == '\n') comment = false;
    if (comment) continue;
    if (source[at] == ';') ++out;
    const bool begins = at == 0 || !(std::isalnum(source[at - 1]) || source[at - 1] == '_');
    for (const std::string_view word : {"if (", "while (", "else {"})
      if (begins && source.substr(at, word.size()) == word) ++out;
    if (begins && source.substr(at, 5) == "for (") out -= 1;  // two of its semicolons, and one for itself
  }
  return out;
}

struct Side {
  std::string source;
  double build = 0, run = 0;
  std::vector<std::vector<std::byte>> memory{};
  std::string problem{};
};
// Builds it anew and runs it; the shortest times stay.
void measure(Side& side, const opencl::Launch& launch) {
  // Each time with other options, so that pocl has not built it already.
  static int times = 0;
  opencl::Request request{.source = side.source,
                          .options = fmt::format("-DTIMES={}", ++times),
                          .launches = {launch, launch},
                          .seconds = 120,
                          .as_hosts_build = true};
  request.launches[1].repeats = 9;
  opencl::Result result = opencl::run(request);
  for (const opencl::LaunchResult& one : result.launches)
    if (one.status != opencl::Status::Ok) side.problem = one.message;
  if (!side.problem.empty()) return;
  // The first launch compiles for its work-group size.
  const double run = result.launches[1].seconds;
  const double build = result.build_seconds + std::max(0.0, result.launches[0].seconds - run);
  const bool first = side.memory.empty();
  side.run = first ? run : std::min(side.run, run);
  side.build = first ? build : std::min(side.build, build);
  side.memory = std::move(result.launches[0].buffers);
}

}  // namespace

int main(int argc, char** argv) {
  std::string target = "gfx700", keep;
  for (int n = 1; n < argc; ++n) {
    if (std::string_view(argv[n]) == "--keep" && n + 1 < argc)
      keep = argv[++n];
    else
      target = argv[n];
  }
  const opencl::Device device = opencl::find_device(opencl::Runtime::Device);
  if (!device.missing.empty()) {
    fmt::print(stderr, "{}\n", device.missing);
    return 1;
  }
  const opencl::TemporaryDirectory scratch;
  const fs::path kernels = AMDCOMPAT_KERNELS;
  fmt::print("lifted from code for {}, on {}\n{:12} {:>12} {:>12} {:>6} {:>11} {:>6} {:>9} {:>9} {:>6}\n", target,
             device.name, "kernel", "source, ms", "lifted, ms", "ratio", "statements", "ratio", "build, ms",
             "lifted, ms", "ratio");
  double product = 1;
  std::size_t compared = 0;
  for (const opencl::Launch& launch : launches()) {
    const fs::path path = kernels / (launch.kernel + ".cl");
    const std::string object = scratch.path() + "/kernel.o";
    const std::string command = fmt::format(
        "clang-19 -x cl -cl-std=CL1.2 -O2 -fno-unroll-loops -cl-kernel-arg-info -target amdgcn-amd-amdhsa -mcpu={} "
        "-nogpulib -Xclang -finclude-default-header "
        "-include '{}' '{}' -o '{}'",
        target, (kernels / "device.h").string(), path.string(), object);
    if (std::system(command.c_str()) != 0) return 1;
    Diagnostics diagnostics;
    const auto file = open(read(object), diagnostics);
    if (!file) return 1;
    const lift::Unit unit = lift::lift(file->program, {}, diagnostics);
    if (unit.kernels.empty() || !unit.kernels.front().lifted) {
      fmt::print("{:12} refused: {}\n", launch.kernel,
                 unit.kernels.empty() ? "no kernels" : sentence(*unit.kernels.front().refusal));
      continue;
    }
    if (!keep.empty()) {
      std::ofstream(keep + "/" + launch.kernel + ".cl") << unit.source;
      fs::copy_file(object, keep + "/" + launch.kernel + ".o", fs::copy_options::overwrite_existing);
    }
    const std::string body = read(path);
    Side source{.source = read(kernels / "device.h") + body}, lifted{.source = unit.source};
    for (int turn = 0; turn < 3; ++turn) {
      measure(source, launch);
      measure(lifted, launch);
    }
    if (!source.problem.empty() || !lifted.problem.empty() || source.memory != lifted.memory) {
      fmt::print("{:12} {}\n", launch.kernel,
                 !source.problem.empty()   ? "source: " + source.problem
                 : !lifted.problem.empty() ? "lifted: " + lifted.problem
                                           : "differs");
      continue;
    }
    const std::size_t before = statements(body), after = statements(unit.source);
    fmt::print("{:12} {:12.2f} {:12.2f} {:6.2f} {:5} {:5} {:6.2f} {:9.0f} {:9.0f} {:6.2f}\n", launch.kernel,
               source.run * 1e3, lifted.run * 1e3, lifted.run / source.run, before, after,
               static_cast<double>(after) / static_cast<double>(before), source.build * 1e3, lifted.build * 1e3,
               lifted.build / source.build);
    product *= lifted.run / source.run;
    ++compared;
  }
  if (compared != 0)
    fmt::print("{} kernels, run time {:.2f} times (geometric mean)\n", compared,
               std::pow(product, 1.0 / static_cast<double>(compared)));
  return 0;
}
