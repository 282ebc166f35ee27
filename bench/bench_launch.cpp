// Launches a second: setting every argument of a re-used launch image to a new value and building it. The bytes of the
// last launch are compared with those of a fresh image before any time is printed.
//
//   amdcompat_bench_launch
//
// `launch/…` are constant buffers (`LaunchImage`), `kernarg/…` the kernarg segment that a compiler of today would give
// the same signature, hidden arguments included (`KernargImage`).
//
// `all`: every argument changes with every launch, and so do the launch sizes. `values`: the sizes stay. `same`: every
// argument is set to the value it has. Counters: CPU time an argument, allocations a launch.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>

#include <benchmark/benchmark.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/kernarg_launch.hpp>
#include <amdcompat/launch_image.hpp>
#include <amdcompat/open.hpp>

namespace {

std::atomic<std::size_t> allocations{0};

}  // namespace

// Out of line, so that the compiler does not pair the calls with malloc and free.
[[gnu::noinline]] void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace amdcompat {
namespace {

// Pointers, numbers, vectors, an image, a sampler and local memory, as kernels of the SDK have them.
Kernel mixed(std::size_t arguments) {
  Kernel kernel;
  kernel.name = "bench";
  for (std::size_t i = 0; i < arguments; ++i) {
    Argument& argument = kernel.arguments.emplace_back();
    argument.name = "a" + std::to_string(i);
    switch (i % 10) {
      case 0:
      case 1:
      case 2: {
        GlobalPointer pointer;
        pointer.buffer = static_cast<std::uint32_t>(12 + i);
        pointer.align = 16;
        argument.kind = pointer;
        break;
      }
      case 3:
      case 4: argument.kind = ByValue{ScalarType::U32, 1}; break;
      case 5: argument.kind = ByValue{ScalarType::Float, 4}; break;
      case 6: argument.kind = ByValue{ScalarType::U8, 16}; break;
      case 7: argument.kind = Image{}; break;
      case 8: argument.kind = Sampler{}; break;
      default: {
        LocalPointer pointer;
        pointer.memory = MemoryKind::HardwareLocal;
        pointer.align = 16;
        argument.kind = pointer;
      }
    }
  }
  const auto offsets = abi::assign_layout(kernel.arguments);
  for (std::size_t i = 0; i < arguments; ++i) kernel.arguments[i].slot = ConstantBufferSlot{1, (*offsets)[i]};
  return kernel;
}

// The 71 arguments of alltypes.clo, where the real files are.
std::optional<Kernel> real_kernel() {
  const std::filesystem::path root(AMDCOMPAT_REAL_CORPUS);
  std::ifstream in(root / "corpus/CLRX+CLRX-mirror/tests/amdbin/amdbins/alltypes.clo", std::ios::binary);
  if (root.empty() || !in) return std::nullopt;
  Diagnostics diagnostics;
  auto file = open(std::string(std::istreambuf_iterator<char>(in), {}), diagnostics);
  if (!file || file->program.kernels.empty()) return std::nullopt;
  return std::move(file->program.kernels.front());
}

// The same signature as code that is compiled today has it.
Kernel compiled_today(const Kernel& kernel) {
  Program program;
  program.kernels.push_back(kernel);
  Diagnostics diagnostics;
  const convert::Conversion conversion = convert::to_metadata(program, diagnostics);
  return hsa::to_kernel(conversion.metadata.kernels.at(0), hsa::CodeObjectVersion::V3);
}

abi::Range range_of(std::uint32_t sizes) {
  abi::Range range;
  range.global = {64 + 64 * (sizes % 1024), 1, 1};
  range.local = {64, 1, 1};
  range.offset = {sizes % 7, 0, 0};
  return range;
}

class KernargLauncher {
 public:
  explicit KernargLauncher(const Kernel& kernel) : image_(*abi::KernargImage::create(kernel, diagnostics_)) {
    good_ = image_.set_environment({.memory = 0x200000, .kernel_object = 0x300000, .printf_buffer = 0x400000},
                                   diagnostics_);
    for (const std::size_t index : image_.host_arguments()) {
      const Argument& argument = kernel.arguments[index];
      const auto* const value = std::get_if<ByValue>(&argument.kind);
      calls_.push_back({index, value != nullptr ? abi::host_bytes(*value).value_or(0) : 0,
                        std::holds_alternative<LocalPointer>(argument.kind)});
    }
  }

  // Every argument depends on `n`, the sizes on `sizes`.
  bool launch(std::uint32_t n, std::uint32_t sizes) {
    bool good = good_ && (sizes == sizes_ || image_.set_range(range_of(sizes), diagnostics_));
    sizes_ = sizes;
    bytes_[0] = static_cast<std::byte>(n);
    for (const Call& call : calls_) {
      if (call.bytes != 0)
        good &= image_.set_bytes(call.index, std::span(bytes_).first(call.bytes), diagnostics_);
      else if (call.local)
        good &= image_.set_local(call.index, 64 + 4 * (n % 64), diagnostics_);
      else
        good &= image_.set_address(call.index, 0x100000 + 256 * std::uint64_t{n % 4096}, 4096, diagnostics_);
    }
    return image_.build(diagnostics_) && good;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return image_.memory(); }
  [[nodiscard]] bool same(const KernargLauncher& other) const { return std::ranges::equal(bytes(), other.bytes()); }
  [[nodiscard]] std::size_t arguments() const { return calls_.size(); }

 private:
  struct Call {
    std::size_t index;
    std::size_t bytes;  // by value; 0: no value
    bool local;
  };
  Diagnostics diagnostics_;
  abi::KernargImage image_;
  bool good_ = false;
  std::optional<std::uint32_t> sizes_;
  std::vector<Call> calls_;
  std::array<std::byte, 512> bytes_{};
};

class Launcher {
 public:
  explicit Launcher(const Kernel& kernel) : image_(*abi::LaunchImage::create(kernel, diagnostics_)) {
    for (const Argument& argument : kernel.arguments) {
      Setter setter = Setter::Null;
      std::size_t size = 0;
      if (const auto* value = std::get_if<ByValue>(&argument.kind)) {
        setter = Setter::Bytes;
        size = abi::host_bytes(*value).value_or(0);
      } else if (std::holds_alternative<GlobalPointer>(argument.kind) ||
                 std::holds_alternative<ConstantPointer>(argument.kind)) {
        setter = Setter::Buffer;
      } else if (std::holds_alternative<Image>(argument.kind)) {
        setter = Setter::Image;
      } else if (std::holds_alternative<Sampler>(argument.kind)) {
        setter = Setter::Sampler;
      } else if (std::holds_alternative<LocalPointer>(argument.kind)) {
        setter = Setter::Local;
      }
      calls_.push_back({setter, size});
    }
  }

  // Every argument depends on `n`, the sizes on `sizes`.
  bool launch(std::uint32_t n, std::uint32_t sizes) {
    bool good = sizes == sizes_ || image_.set_range(range_of(sizes), diagnostics_);
    sizes_ = sizes;
    bytes_[0] = static_cast<std::byte>(n);
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      switch (calls_[i].setter) {
        case Setter::Bytes: good &= image_.set_bytes(i, std::span(bytes_).first(calls_[i].size), diagnostics_); break;
        case Setter::Buffer:
          good &= image_.set_buffer(i, {.address = 0x100000 + 256 * std::uint64_t{n % 4096}, .base = 0, .size = 4096},
                                    diagnostics_);
          break;
        case Setter::Image:
          good &= image_.set_image(
              i, {.width = 1 + n % 4096, .height = 64, .depth = 1, .channel_order = 0x10b5, .channel_type = 0x10d2},
              diagnostics_);
          break;
        case Setter::Sampler: good &= image_.set_sampler(i, n % 2 == 0 ? 0x10 : 0x21, diagnostics_); break;
        case Setter::Local: good &= image_.set_local(i, 64 + 4 * (n % 64), diagnostics_); break;
        case Setter::Null: good &= image_.set_null(i, diagnostics_); break;
      }
    }
    return image_.build(diagnostics_) && good;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return image_.cb1(); }
  [[nodiscard]] bool same(const Launcher& other) const {
    return std::ranges::equal(image_.cb0(), other.image_.cb0()) && std::ranges::equal(bytes(), other.bytes());
  }
  [[nodiscard]] std::size_t arguments() const { return calls_.size(); }

 private:
  enum class Setter : std::uint8_t { Null, Bytes, Buffer, Image, Sampler, Local };
  struct Call {
    Setter setter;
    std::size_t size;
  };
  Diagnostics diagnostics_;
  abi::LaunchImage image_;
  std::optional<std::uint32_t> sizes_;
  std::vector<Call> calls_;
  std::array<std::byte, 512> bytes_{};
};

enum class Change : std::uint8_t { All, Values, Nothing };

template <class Launcher>
void run(benchmark::State& state, const Kernel& kernel, Change change) {
  Launcher launcher(kernel);
  std::uint32_t n = 0, sizes = 0;
  bool good = launcher.launch(n, sizes);
  const std::size_t before = allocations.load();
  for (auto _ : state) {
    if (change != Change::Nothing) ++n;
    if (change == Change::All) ++sizes;
    good &= launcher.launch(n, sizes);
    benchmark::DoNotOptimize(launcher.bytes().data());
    benchmark::ClobberMemory();
  }
  const std::size_t allocated = allocations.load() - before;
  Launcher fresh(kernel);
  if (!good || !fresh.launch(n, sizes) || !launcher.same(fresh)) {
    state.SkipWithError("a re-used image differs from a fresh one");
    return;
  }
  const auto launches = static_cast<double>(state.iterations());
  state.counters["launches/s"] = benchmark::Counter(launches, benchmark::Counter::kIsRate);
  state.counters["time/argument"] = benchmark::Counter(launches * static_cast<double>(launcher.arguments()),
                                                       benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["allocations/launch"] = static_cast<double>(allocated) / launches;
}

}  // namespace
}  // namespace amdcompat

int main(int argc, char** argv) {
  using namespace amdcompat;
  std::vector<std::pair<std::string, Kernel>> kernels;
  for (const std::size_t arguments : {4u, 20u, 71u}) kernels.emplace_back(std::to_string(arguments), mixed(arguments));
  if (auto real = real_kernel()) kernels.emplace_back("alltypes.clo", std::move(*real));
  std::vector<std::pair<std::string, Kernel>> today;
  for (const auto& [name, kernel] : kernels) today.emplace_back(name, compiled_today(kernel));
  const auto add = [](const char* family, const auto& named, auto* run_one) {
    for (const auto& [name, kernel] : named)
      for (const auto& [mode, what] :
           {std::pair("/all", Change::All), std::pair("/values", Change::Values), std::pair("/same", Change::Nothing)})
        benchmark::RegisterBenchmark(
            (family + name + mode).c_str(),
            [&kernel, run_one, change = what](benchmark::State& state) { run_one(state, kernel, change); });
  };
  add("launch/", kernels, &run<Launcher>);
  add("kernarg/", today, &run<KernargLauncher>);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
