// CL2 containers: reading their binary metadata, opening them, and launching their kernels again and again.
//
//   amdcompat_bench_cl2
//
// Input: every CL2 file of the real corpus, without it the project's own samples; the first line of the output says
// which. Before any time is printed, the metadata read is compared with its bytes and the memory of the last launch
// with that of a fresh image. Counters: nanoseconds an argument, microseconds a file.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <amdcompat/cl2_launch.hpp>
#include <amdcompat/open.hpp>

#include "cl2_samples.hpp"
#include <cl2_builder.hpp>

namespace amdcompat {
namespace {

std::vector<std::string> load() {
  std::vector<std::string> out;
  const std::filesystem::path root(AMDCOMPAT_REAL_CORPUS);
  if (!root.empty())
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "corpus")) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::string bytes(std::istreambuf_iterator<char>(in), {});
      if (identify(std::as_bytes(std::span(bytes))) == FileKind::Cl2) out.push_back(std::move(bytes));
    }
  const bool real = !out.empty();
  if (!real)
    for (const corpus::Cl2Sample& sample : corpus::cl2_samples())
      if (const auto built = cl2::build(sample.spec))
        out.emplace_back(reinterpret_cast<const char*>(built->data()), built->size());
  std::printf("input: %zu files, %s\n", out.size(), real ? "the real corpus" : "the project's own samples");
  return out;
}

struct Input {
  std::vector<std::string> files;
  std::vector<File> opened;
  std::size_t kernels = 0;
  std::size_t arguments = 0;

  explicit Input(std::vector<std::string> from) : files(std::move(from)) {
    for (const std::string& bytes : files) {
      Diagnostics diagnostics;
      if (auto file = open(bytes, diagnostics)) opened.push_back(std::move(*file));
    }
    for (const File& file : opened)
      for (const cl2::Kernel& kernel : file.cl2()->kernels) {
        ++kernels;
        arguments += kernel.metadata->arguments.size();
      }
  }
};

void rates(benchmark::State& state, std::size_t arguments, std::size_t files) {
  const auto times = static_cast<double>(state.iterations());
  // Google Benchmark scales an inverted rate of 1e-9 to nanoseconds.
  state.counters["ns/argument"] = benchmark::Counter(times * static_cast<double>(arguments) * 1e-9,
                                                     benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  if (files != 0)
    state.counters["us/file"] = benchmark::Counter(times * static_cast<double>(files) * 1e-6,
                                                   benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void read_metadata(benchmark::State& state, const Input& input) {
  bool good = true;
  for (const File& file : input.opened)
    for (const cl2::Kernel& kernel : file.cl2()->kernels)
      good &= std::ranges::equal(cl2::write_metadata(*kernel.metadata), file.cl2()->view(kernel.metadata_bytes));
  if (!good) {
    state.SkipWithError("metadata does not write back");
    return;
  }
  Diagnostics diagnostics;
  for (auto _ : state)
    for (const File& file : input.opened)
      for (const cl2::Kernel& kernel : file.cl2()->kernels) {
        auto metadata =
            cl2::read_metadata(file.cl2()->bytes, kernel.metadata_bytes, kernel.metadata->bits, diagnostics);
        benchmark::DoNotOptimize(metadata);
      }
  rates(state, input.arguments, 0);
}

void open_files(benchmark::State& state, const Input& input) {
  for (auto _ : state)
    for (const std::string& bytes : input.files) {
      Diagnostics diagnostics;
      auto file = open(bytes, diagnostics);
      benchmark::DoNotOptimize(file);
    }
  rates(state, input.arguments, input.files.size());
}

// Sets every argument that the source has to a value made of `n`, and builds.
bool launch(abi::Cl2LaunchImage& image, std::uint32_t n, Diagnostics& diagnostics) {
  static constexpr std::array<std::byte, 4096> kZeros{};
  std::array<std::byte, 128> value{};
  value[0] = static_cast<std::byte>(n);
  bool good = image.set_range({.dimensions = 1, .global = {64 + 64 * (n % 1024)}}, diagnostics) &&
              image.set_environment({.memory = 0x1000 * std::uint64_t{1 + n % 64},
                                     .default_queue = 0x100,
                                     .aql_wrap = 0x200,
                                     .queue = 0x300,
                                     .scratch = 0x400,
                                     .scratch_bytes = 0x400},
                                    diagnostics);
  const Kernel& kernel = image.kernel();
  for (std::size_t i = image.first_argument(); i < kernel.arguments.size(); ++i) {
    const ArgumentKind& kind = kernel.arguments[i].kind;
    if (const auto* v = std::get_if<ByValue>(&kind)) {
      const std::size_t bytes = abi::host_bytes(*v).value_or(0);
      good &= image.set_bytes(
          i, bytes <= value.size() ? std::span<const std::byte>(value).first(bytes) : std::span(kZeros).first(bytes),
          diagnostics);
    } else if (std::holds_alternative<LocalPointer>(kind)) {
      good &= image.set_local(i, 16 + n % 16, diagnostics);
    } else if (std::holds_alternative<Sampler>(kind)) {
      good &= image.set_sampler(i, n % 2 == 0 ? 0x10 : 0x21, diagnostics);
    } else if (std::holds_alternative<Image>(kind)) {
      good &= image.set_object(i, std::span(value).first(abi::kImageObjectBytes), diagnostics);
    } else {
      good &= image.set_address(i, 0x1000 * std::uint64_t{1 + n % 4096}, 0, diagnostics);
    }
  }
  return image.build(diagnostics) && good;
}

void launch_kernels(benchmark::State& state, const Input& input) {
  Diagnostics diagnostics;
  std::vector<abi::Cl2LaunchImage> images;
  std::size_t arguments = 0;
  for (const File& file : input.opened)
    for (const Kernel& kernel : file.program.kernels)
      if (auto image = abi::Cl2LaunchImage::create(kernel, diagnostics)) {
        images.push_back(std::move(*image));
        arguments += kernel.arguments.size();
      }
  std::uint32_t n = 0;
  bool good = true;
  for (auto _ : state) {
    ++n;
    for (abi::Cl2LaunchImage& image : images) {
      good &= launch(image, n, diagnostics);
      benchmark::DoNotOptimize(image.memory().data());
    }
    benchmark::ClobberMemory();
  }
  for (const abi::Cl2LaunchImage& image : images) {
    auto fresh = abi::Cl2LaunchImage::create(image.kernel(), diagnostics);
    good &= fresh && launch(*fresh, n, diagnostics) && std::ranges::equal(fresh->memory(), image.memory());
  }
  if (!good) state.SkipWithError("a re-used image differs from a fresh one");
  rates(state, arguments, 0);
}

}  // namespace
}  // namespace amdcompat

int main(int argc, char** argv) {
  using namespace amdcompat;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const Input input(load());
  std::printf("%zu kernels, %zu arguments\n", input.kernels, input.arguments);
  benchmark::RegisterBenchmark("cl2/read-metadata", [&](benchmark::State& state) { read_metadata(state, input); });
  benchmark::RegisterBenchmark("cl2/open", [&](benchmark::State& state) { open_files(state, input); });
  benchmark::RegisterBenchmark("cl2/launch", [&](benchmark::State& state) { launch_kernels(state, input); });
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
