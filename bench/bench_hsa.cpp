// Code objects: reading V3 metadata, and whole conversions from the bytes of a file to those of another.
//
//   amdcompat_bench_hsa
//
// hsa/read-msgpack-cxx  the library's own unpacking of the document: what reading cannot be faster than by much
// hsa/read-v3           the document as a model
// hsa/read-verify-v3    the same, and everything that is checked about it
// hsa/convert           open, convert, write, read back and compare, for every V1, V2 and CL2 file
//
// The document has 256 kernels and 2816 arguments of the kinds that compilers write. The files are those of the real
// corpus, without it the project's own CL2 samples; the first line of the output says which, and the second how many
// convert. Counters: nanoseconds an argument, microseconds a kernel.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <msgpack.hpp>

#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>

#include "cl2_samples.hpp"
#include <cl2_builder.hpp>

namespace amdcompat {
namespace {

// --- reading -------------------------------------------------------------------------------------------------

hsa::Metadata document() {
  using enum hsa::ValueKind;
  constexpr std::size_t kKernels = 256;
  constexpr hsa::ValueKind kKinds[] = {GlobalBuffer,
                                       GlobalBuffer,
                                       ByValue,
                                       GlobalBuffer,
                                       DynamicSharedPointer,
                                       ByValue,
                                       HiddenGlobalOffsetX,
                                       HiddenGlobalOffsetY,
                                       HiddenGlobalOffsetZ,
                                       HiddenNone,
                                       HiddenNone};
  hsa::Metadata out;
  out.version = {1, 0};
  for (std::size_t k = 0; k < kKernels; ++k) {
    hsa::MetadataKernel& kernel = out.kernels.emplace_back();
    kernel.name = fmt::format("kernel_{}", k);
    kernel.symbol = *kernel.name + ".kd";
    kernel.language = "OpenCL C";
    kernel.language_version = {1, 2};
    kernel.group_segment_fixed_size = 1024;
    kernel.private_segment_fixed_size = 0;
    kernel.wavefront_size = 64;
    kernel.sgpr_count = 24;
    kernel.vgpr_count = 12;
    kernel.max_flat_workgroup_size = 256;
    std::uint64_t offset = 0;
    for (const hsa::ValueKind kind : kKinds) {
      const hsa::ValueKindInfo& info = hsa::value_kind_info(kind);
      hsa::MetadataArgument& argument = kernel.args.emplace_back();
      argument.value_kind = kind;
      argument.size = info.size == 0 ? 8 : info.size;
      offset = (offset + 7) / 8 * 8;
      argument.offset = offset;
      offset += *argument.size;
      if (info.hidden) continue;
      argument.name = fmt::format("argument_{}", kernel.args.size());
      argument.type_name = kind == ByValue ? "ulong" : "float*";
      if (kind == GlobalBuffer) argument.address_space = hsa::AddressSpace::Global;
      if (kind == DynamicSharedPointer) {
        argument.address_space = hsa::AddressSpace::Local;
        argument.pointee_align = 16;
      }
    }
    kernel.kernarg_segment_size = (offset + 7) / 8 * 8;
    kernel.kernarg_segment_align = 8;
  }
  return out;
}

benchmark::Counter each(benchmark::State& state, std::size_t count, double unit) {
  // Google Benchmark scales the inverted rate.
  return {static_cast<double>(state.iterations()) * static_cast<double>(count) * unit,
          static_cast<benchmark::Counter::Flags>(benchmark::Counter::kIsRate | benchmark::Counter::kInvert)};
}

struct Document {
  hsa::Metadata metadata = document();
  std::string bytes = hsa::to_msgpack(metadata);
  std::size_t arguments = 0;

  Document() {
    for (const hsa::MetadataKernel& kernel : metadata.kernels) arguments += kernel.args.size();
  }
};

void unpack(benchmark::State& state, const Document& input) {
  for (auto _ : state) {
    const msgpack::object_handle handle = msgpack::unpack(input.bytes.data(), input.bytes.size());
    benchmark::DoNotOptimize(handle.get());
  }
  state.counters["ns/argument"] = each(state, input.arguments, 1e-9);
}

void read(benchmark::State& state, const Document& input, bool verify) {
  for (auto _ : state) {
    Diagnostics diagnostics;
    const auto metadata = hsa::read_msgpack(input.bytes, diagnostics);
    const bool good = metadata && (!verify || hsa::verify(*metadata, diagnostics)) && !diagnostics.has_errors();
    if (!good) state.SkipWithError("the document has errors");
    benchmark::DoNotOptimize(metadata);
  }
  state.counters["ns/argument"] = each(state, input.arguments, 1e-9);
}

// --- converting ----------------------------------------------------------------------------------------------

std::optional<std::string> convert_file(const std::string& bytes, std::size_t& kernels) {
  Diagnostics diagnostics;
  const auto file = open(bytes, diagnostics);
  if (!file) return std::nullopt;
  auto object = file->object() ? convert::to_version(*file->object(), diagnostics)
                               : convert::to_code_object(file->program, diagnostics);
  if (!object || !hsa::check_code_object(*object, diagnostics)) return std::nullopt;
  kernels += object->kernels.size();
  return convert::write_compared(
      std::move(*object), file->object() ? convert::load_view(*file->object()) : convert::load_view(file->program),
      true, diagnostics);
}

struct Files {
  std::vector<std::string> files;
  std::size_t kernels = 0;
  std::size_t bytes = 0;
};

Files load() {
  std::vector<std::string> found;
  const std::filesystem::path root(AMDCOMPAT_REAL_CORPUS);
  if (!root.empty())
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "corpus")) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::string bytes(std::istreambuf_iterator<char>(in), {});
      const FileKind kind = identify(std::as_bytes(std::span(bytes)));
      if (kind == FileKind::Cl2 || kind == FileKind::HsaV1 || kind == FileKind::HsaV2)
        found.push_back(std::move(bytes));
    }
  const bool real = !found.empty();
  if (!real)
    for (const corpus::Cl2Sample& sample : corpus::cl2_samples())
      if (const auto built = cl2::build(sample.spec))
        found.emplace_back(reinterpret_cast<const char*>(built->data()), built->size());
  Files out;
  for (std::string& file : found)
    if (convert_file(file, out.kernels)) {
      out.bytes += file.size();
      out.files.push_back(std::move(file));
    }
  std::printf("input: %zu files, %s\n", found.size(), real ? "the real corpus" : "the project's own samples");
  std::printf("%zu files convert: %zu kernels, %zu bytes\n", out.files.size(), out.kernels, out.bytes);
  return out;
}

void convert_files(benchmark::State& state, const Files& input) {
  for (auto _ : state) {
    std::size_t kernels = 0;
    for (const std::string& file : input.files) benchmark::DoNotOptimize(convert_file(file, kernels));
    if (kernels != input.kernels) state.SkipWithError("a file converts differently");
  }
  state.counters["us/kernel"] = each(state, input.kernels, 1e-6);
  state.counters["us/file"] = each(state, input.files.size(), 1e-6);
}

}  // namespace
}  // namespace amdcompat

int main(int argc, char** argv) {
  using namespace amdcompat;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const Files files = load();
  const Document input;
  benchmark::RegisterBenchmark("hsa/read-msgpack-cxx", [&](benchmark::State& state) { unpack(state, input); });
  benchmark::RegisterBenchmark("hsa/read-v3", [&](benchmark::State& state) { read(state, input, false); });
  benchmark::RegisterBenchmark("hsa/read-verify-v3", [&](benchmark::State& state) { read(state, input, true); });
  benchmark::RegisterBenchmark("hsa/convert", [&](benchmark::State& state) { convert_files(state, files); });
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
