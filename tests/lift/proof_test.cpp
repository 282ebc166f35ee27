// Lifted kernels against the interpreter on random launches: the same memory afterwards, whatever the launch.
//
// AMDCOMPAT_PROOF_ONLY=text takes only kernels whose "file kernel" contains the text, and counts nothing.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/emulate.hpp>
#include <amdcompat/launch_image.hpp>
#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>

#include <trial.hpp>

#include "opencl_runner.hpp"
#include "support/real_corpus.hpp"

namespace amdcompat {
namespace {

using namespace amdcompat_test;

// So many distinct kernels were run on both sides; none may differ.
constexpr std::size_t kLeastCompared = 0;
constexpr std::size_t kLaunches = 3, kAttempts = 24;
// Lane instructions of a launch, of which a runtime does as many in a moment.
constexpr std::uint64_t kInstructions = 4'000'000;

struct Reference {
  emulate::Trial trial;
  emulate::Memory after;
  std::size_t kernel = 0;  // of the program
};

bool bound(const std::vector<emulate::CalBindings::Slot>& slots, std::uint32_t slot) {
  return std::ranges::find(slots, slot, &emulate::CalBindings::Slot::slot) != slots.end();
}

// Runs a trial on the interpreter. Nothing where it does not end clean, reads or writes what is no buffer, or leaves
// everything as it was: such a launch shows nothing.
std::optional<emulate::Memory> interpreted(const Program& program, std::size_t index, const emulate::Trial& trial) {
  const Kernel& kernel = program.kernels[index];
  Diagnostics diagnostics;
  auto image = abi::LaunchImage::create(kernel, diagnostics, {}, program.data);
  if (!image || !image->set_range(trial.range, diagnostics)) return std::nullopt;
  for (std::size_t i = 0; i < trial.values.size(); ++i) {
    const emulate::Trial::Value& value = trial.values[i];
    // An address is all in the descriptor, as a runtime may split it.
    const bool set = value.address != 0 ? image->set_buffer(i, {value.address, value.address, 0}, diagnostics)
                     : value.local != 0 ? image->set_local(i, value.local, diagnostics)
                                        : image->set_bytes(i, value.bytes, diagnostics);
    if (!set) return std::nullopt;
  }
  if (trial.data != 0 && !image->set_data_segment(abi::Buffer{trial.data, trial.data, 0}, diagnostics))
    return std::nullopt;
  for (const auto& [number, address] : trial.constants)
    if (!image->set_constant_data(number, {address, address, 0}, diagnostics)) return std::nullopt;
  if (!image->build(diagnostics)) return std::nullopt;
  emulate::CalBindings bindings;
  bindings.cb0.assign(image->cb0().begin(), image->cb0().end());
  bindings.cb1.assign(image->cb1().begin(), image->cb1().end());
  for (const abi::Binding& binding : image->bindings()) {
    if (binding.words == 0) continue;
    const emulate::CalBindings::Slot slot{binding.slot,
                                          {binding.descriptor.begin(), binding.descriptor.begin() + binding.words}};
    if (binding.kind == abi::BindingKind::Uav && !bound(bindings.uavs, slot.slot)) bindings.uavs.push_back(slot);
    if (binding.kind == abi::BindingKind::ConstantBuffer && slot.slot > 1 &&
        !bound(bindings.constant_buffers, slot.slot))
      bindings.constant_buffers.push_back(slot);
  }
  emulate::Memory memory = emulate::memory_of(trial);
  auto launch = emulate::kernel_launch(program, index, std::move(bindings), image->local_bytes(), memory);
  if (!launch) return std::nullopt;
  for (std::size_t d = 0; d < 3; ++d) {
    launch->global[d] = static_cast<std::uint32_t>(trial.range.global[d]);
    launch->local[d] = image->local_size()[d];
  }
  launch->float_mode = 0xf0;  // denormals are kept, as on a CPU
  const emulate::Report report = emulate::run(*launch, memory, {.lane_instructions = kInstructions}, diagnostics);
  if (!report.clean() || report.out_of_range != 0 || report.stores == 0 || diagnostics.has_errors())
    return std::nullopt;
  return memory;
}

opencl::Launch launch_of(const Kernel& kernel, const emulate::Trial& trial) {
  opencl::Launch out{.kernel = kernel.name, .dimensions = trial.range.dimensions};
  for (std::size_t d = 0; d < 3; ++d) {
    out.global[d] = trial.range.global[d];
    out.local[d] = (*trial.range.local)[d];
    out.offset[d] = trial.range.offset[d];
  }
  for (const emulate::Trial::Value& value : trial.values) {
    const auto buffer = std::ranges::find(trial.buffers, value.address, &emulate::Trial::Buffer::address);
    if (value.address != 0)
      out.arguments.emplace_back(opencl::Buffer{buffer->bytes});
    else if (value.local != 0)
      out.arguments.emplace_back(opencl::Local{value.local});
    else
      out.arguments.emplace_back(opencl::Value{value.bytes});
  }
  return out;
}

struct Difference {
  std::size_t words = 0;
  bool close = true;  // as floating-point numbers, within 1e-5
  std::string text;
};
Difference compare(const Reference& reference, const opencl::LaunchResult& result) {
  Difference out;
  std::size_t buffer = 0;
  for (const emulate::Trial::Value& value : reference.trial.values) {
    if (value.address == 0) continue;
    const std::vector<std::byte>& got = result.buffers[buffer++];
    const auto expected = reference.after.view(value.address, got.size());
    for (std::size_t at = 0; at + 4 <= got.size(); at += 4) {
      std::uint32_t bits[2];
      float numbers[2];
      std::memcpy(&bits[0], got.data() + at, 4);
      std::memcpy(&bits[1], expected.data() + at, 4);
      if (bits[0] == bits[1]) continue;
      std::memcpy(numbers, bits, sizeof(numbers));
      const bool nan = std::isnan(numbers[0]) && std::isnan(numbers[1]);
      if (!nan && !(std::fabs(numbers[0] - numbers[1]) <= 1e-5f * std::max(1.0f, std::fabs(numbers[1]))))
        out.close = false;
      if (++out.words <= 3)
        out.text += fmt::format("  buffer {} word {}: {:#010x} ({}), expected {:#010x} ({})\n", buffer - 1, at / 4,
                                bits[0], numbers[0], bits[1], numbers[1]);
    }
  }
  return out;
}

struct Counts {
  std::size_t lifted = 0, compared = 0, close = 0, differ = 0, not_run = 0, launches = 0;
};

void prove(const std::string& path, const Program& program, const lift::Unit& unit,
           const std::vector<std::size_t>& kernels, Counts& counts) {
  std::vector<Reference> references;
  for (const std::size_t index : kernels) {
    const Kernel& kernel = program.kernels[index];
    emulate::TrialMaker maker(kernel, program.data, entry_rsrc2(kernel.entry), 1);
    std::size_t found = 0;
    for (std::uint32_t attempt = 0; attempt < kAttempts && found < kLaunches; ++attempt) {
      emulate::Trial trial = maker.make(attempt);
      auto after = interpreted(program, index, trial);
      if (!after) continue;
      references.push_back({std::move(trial), std::move(*after), index});
      ++found;
    }
    if (found != 0) ++counts.compared;
  }
  if (references.empty()) return;
  opencl::Request request{.source = unit.source, .seconds = 60};
  for (const Reference& reference : references)
    request.launches.push_back(launch_of(program.kernels[reference.kernel], reference.trial));
  const opencl::Result result = opencl::run(request);
  for (std::size_t n = 0; n < references.size(); ++n) {
    ++counts.launches;
    const opencl::LaunchResult& launch = result.launches[n];
    const std::string what =
        fmt::format("{} {}, global {}x{}x{}, local {}x{}x{}", path, program.kernels[references[n].kernel].name,
                    request.launches[n].global[0], request.launches[n].global[1], request.launches[n].global[2],
                    request.launches[n].local[0], request.launches[n].local[1], request.launches[n].local[2]);
    if (launch.status != opencl::Status::Ok) {
      ++counts.not_run;
      ADD_FAILURE() << what << "\n" << status_name(launch.status) << ": " << launch.message;
      continue;
    }
    const Difference difference = compare(references[n], launch);
    if (difference.words == 0) continue;
    ++(difference.close ? counts.close : counts.differ);
    if (!difference.close) ADD_FAILURE() << what << ": " << difference.words << " words differ\n" << difference.text;
  }
}

TEST(LiftedRandomLaunches, LeaveTheMemoryThatTheInterpreterLeaves) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_OPENCL();
  const char* const only = std::getenv("AMDCOMPAT_PROOF_ONLY");
  const auto begin = std::chrono::steady_clock::now();
  Counts counts;
  std::set<std::string> seen;  // code and metadata of kernels
  for (const RealFile& row : real_files("amdcl1")) {
    Diagnostics diagnostics;
    const auto file = open(read_real(row), diagnostics);
    if (!file) continue;
    const lift::Unit unit = lift::lift(file->program, {}, diagnostics);
    std::vector<std::size_t> kernels;
    for (const lift::KernelOutcome& kernel : unit.kernels) {
      if (!kernel.lifted) continue;
      if (only != nullptr && (row.path + " " + kernel.name).find(only) == std::string::npos) continue;
      const auto code = kernel_code(file->program, file->program.kernels[kernel.index]);
      const std::string key = kernel.name + std::string(reinterpret_cast<const char*>(code.data()), code.size());
      if (!seen.insert(key).second) continue;
      ++counts.lifted;
      kernels.push_back(kernel.index);
    }
    if (!kernels.empty()) prove(row.path, file->program, unit, kernels, counts);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  fmt::print("{} distinct kernels lifted, {} of them run on both sides: {} launches, {} differ, {} of floats within "
             "1e-5, {} not run; {:.1f} s\n",
             counts.lifted, counts.compared, counts.launches, counts.differ, counts.close, counts.not_run,
             seconds.count());
  std::fflush(stdout);
  if (only != nullptr) return;
  EXPECT_GE(counts.compared, kLeastCompared);
}

}  // namespace
}  // namespace amdcompat
