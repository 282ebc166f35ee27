// Lifted kernels against the interpreter on random launches: the same memory afterwards, whatever the launch.
//
// AMDCOMPAT_PROOF_ONLY=text takes only kernels whose "file kernel" contains the text, and counts nothing.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/cl2_launch.hpp>
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

// So many distinct kernels left the same memory on both sides in some launch; none may differ in any.
constexpr std::size_t kLeastAgreed = 100;
constexpr std::size_t kLaunches = 3, kAttempts = 24;
// Lane instructions of a launch, of which a runtime does as many in a moment.
constexpr std::uint64_t kInstructions = 4'000'000;

// Kernels that may do something else in some random launches, and why.
struct Exception {
  const char* kernel;
  const char* why;
};
constexpr Exception kExceptions[] = {
    {"noise_uniform", "work-items that differ in y or z race for one table in local memory, in the machine code too"},
    {"kernelArgs", "work-items read of local memory what others overwrite before the next barrier, as in its source"},
    {"kernelArgs2", "the same"},
    {"bitonicSort", "with passOfStage above stage it shifts by 31: an index whose byte offset is 0 in 32 bits, and far "
                    "outside in 64, as in its source"},
};
bool excepted(const std::string& kernel) {
  return std::ranges::find(kExceptions, kernel, &Exception::kernel) != std::end(kExceptions);
}

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
std::optional<emulate::Memory> finished(Result<emulate::Launch> launch, const emulate::Trial& trial,
                                        std::array<std::uint32_t, 3> local, emulate::Memory memory) {
  if (!launch) return std::nullopt;
  for (std::size_t d = 0; d < 3; ++d) {
    launch->global[d] = static_cast<std::uint32_t>(trial.range.global[d]);
    launch->local[d] = local[d];
  }
  launch->float_mode = 0xf0;  // denormals are kept, as on a CPU
  Diagnostics diagnostics;
  const emulate::Report report = emulate::run(*launch, memory, {.lane_instructions = kInstructions}, diagnostics);
  if (!report.clean() || report.out_of_range != 0 || report.stores == 0 || diagnostics.has_errors())
    return std::nullopt;
  return memory;
}
// A kernel of an OpenCL 2.0 container: an argument block, and the AQL packet behind it.
std::optional<emulate::Memory> interpreted_block(const Program& program, std::size_t index,
                                                 const emulate::Trial& trial) {
  constexpr std::uint64_t kBlock = 0x1000'0000;
  Diagnostics diagnostics;
  auto image = abi::Cl2LaunchImage::create(program.kernels[index], diagnostics);
  if (!image || !image->set_environment({.memory = kBlock, .kernel_object = 0x1100'0000}, diagnostics) ||
      !image->set_range(trial.range, diagnostics))
    return std::nullopt;
  for (std::size_t i = image->first_argument(); i < trial.values.size(); ++i) {
    const emulate::Trial::Value& value = trial.values[i];
    const bool set = value.address != 0 ? image->set_address(i, value.address, 0, diagnostics)
                     : value.local != 0 ? image->set_local(i, value.local, diagnostics)
                                        : image->set_bytes(i, value.bytes, diagnostics);
    if (!set) return std::nullopt;
  }
  if (!image->build(diagnostics)) return std::nullopt;
  emulate::Memory memory = emulate::memory_of(trial);
  const auto bytes = image->memory();
  if (!memory.map(kBlock, {bytes.begin(), bytes.end()}, "argument block")) return std::nullopt;
  const emulate::ObjectBindings bindings{.kernarg = kBlock, .packet = kBlock + image->block_bytes()};
  auto launch = emulate::kernel_launch(program, index, bindings, image->local_bytes(), memory);
  return finished(std::move(launch), trial, *trial.range.local, std::move(memory));
}
std::optional<emulate::Memory> interpreted(const Program& program, std::size_t index, const emulate::Trial& trial) {
  const Kernel& kernel = program.kernels[index];
  if (kernel.argument_block() != nullptr) return interpreted_block(program, index, trial);
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
  return finished(std::move(launch), trial, image->local_size(), std::move(memory));
}

opencl::Launch launch_of(const Kernel& kernel, const emulate::Trial& trial) {
  opencl::Launch out{.kernel = kernel.name, .dimensions = trial.range.dimensions};
  for (std::size_t d = 0; d < 3; ++d) {
    out.global[d] = trial.range.global[d];
    out.local[d] = (*trial.range.local)[d];
    out.offset[d] = trial.range.offset[d];
  }
  for (std::size_t i = 0; i < trial.values.size(); ++i) {
    if (std::holds_alternative<Hidden>(kernel.arguments[i].kind)) continue;  // the runtime's own
    const emulate::Trial::Value& value = trial.values[i];
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
  bool close = true;  // all of them in buffers of floats, by less than 1e-5 of the largest number there
  std::string text;
};
Difference compare(const Kernel& kernel, const Reference& reference, const opencl::LaunchResult& result) {
  Difference out;
  std::size_t buffer = 0;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const std::uint64_t address = reference.trial.values[i].address;
    if (address == 0) continue;
    const auto* const pointer = std::get_if<GlobalPointer>(&kernel.arguments[i].kind);
    const bool floats = pointer != nullptr && pointer->pointee == ScalarType::Float;
    const std::vector<std::byte>& got = result.buffers[buffer++];
    const auto expected = reference.after.view(address, got.size());
    const auto number = [](std::span<const std::byte> bytes, std::size_t at) {
      float value = 0;
      std::memcpy(&value, bytes.data() + at, 4);
      return value;
    };
    float largest = 0;
    for (std::size_t at = 0; floats && at + 4 <= got.size(); at += 4)
      if (std::isfinite(number(expected, at))) largest = std::max(largest, std::fabs(number(expected, at)));
    for (std::size_t at = 0; at + 4 <= got.size(); at += 4) {
      if (std::ranges::equal(std::span(got).subspan(at, 4), expected.subspan(at, 4))) continue;
      const float a = number(got, at), b = number(expected, at);
      if (!floats || !((std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= 1e-5f * largest)) out.close = false;
      if (++out.words <= 3)
        out.text += fmt::format("  {}[{}]: {:#010x} ({}), expected {:#010x} ({})\n", kernel.arguments[i].name, at / 4,
                                std::bit_cast<std::uint32_t>(a), a, std::bit_cast<std::uint32_t>(b), b);
    }
  }
  return out;
}

struct Counts {
  std::size_t lifted = 0, agreed = 0, close = 0, differ = 0, not_run = 0, racing = 0, excepted = 0, launches = 0;
};

// Whether work-items of a launch write to the same places of a buffer, as happens when a random width is too small:
// what is there afterwards then depends on their order. Races in local memory are no excuse.
bool races(const opencl::Request& all, std::size_t n) {
  if (!simulator_missing().empty()) return false;
  const opencl::Request one{.source = all.source,
                            .options = "-cl-opt-disable",
                            .launches = {all.launches[n]},
                            .seconds = 120,
                            .runtime = opencl::Runtime::Simulator};
  const std::string said = opencl::run(one).launches[0].said;
  return said.find("data race at global memory") != std::string::npos &&
         said.find("data race at local memory") == std::string::npos;
}

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
  }
  if (references.empty()) return;
  opencl::Request request{.source = unit.source, .seconds = 60};
  for (const Reference& reference : references)
    request.launches.push_back(launch_of(program.kernels[reference.kernel], reference.trial));
  const opencl::Result result = opencl::run(request);
  std::set<std::size_t> agreed;  // kernels
  for (std::size_t n = 0; n < references.size(); ++n) {
    ++counts.launches;
    const opencl::LaunchResult& launch = result.launches[n];
    const std::string what =
        fmt::format("{} {}, global {}x{}x{}, local {}x{}x{}", path, program.kernels[references[n].kernel].name,
                    request.launches[n].global[0], request.launches[n].global[1], request.launches[n].global[2],
                    request.launches[n].local[0], request.launches[n].local[1], request.launches[n].local[2]);
    const bool ran = launch.status == opencl::Status::Ok;
    const Difference difference =
        ran ? compare(program.kernels[references[n].kernel], references[n], launch) : Difference{};
    if (ran && (difference.words == 0 || difference.close)) {
      agreed.insert(references[n].kernel);
      if (difference.words != 0) ++counts.close;
    } else if (excepted(request.launches[n].kernel)) {
      ++counts.excepted;
    } else if (!ran) {
      ++counts.not_run;
      ADD_FAILURE() << what << "\n" << status_name(launch.status) << ": " << launch.message;
    } else if (races(request, n)) {
      ++counts.racing;
    } else {
      ++counts.differ;
      ADD_FAILURE() << what << ": " << difference.words << " words differ\n" << difference.text;
    }
  }
  counts.agreed += agreed.size();
}

TEST(LiftedRandomLaunches, LeaveTheMemoryThatTheInterpreterLeaves) {
  AMDCOMPAT_NEEDS_REAL_CORPUS();
  AMDCOMPAT_NEEDS_OPENCL();
  const char* const only = std::getenv("AMDCOMPAT_PROOF_ONLY");
  const auto begin = std::chrono::steady_clock::now();
  Counts counts;
  std::set<std::string> seen;  // code and metadata of kernels
  std::vector<RealFile> files = real_files("amdcl1");
  std::ranges::copy(real_files("amdcl2"), std::back_inserter(files));
  for (const RealFile& row : files) {
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
  fmt::print("{} distinct kernels lifted, {} of them agree in a launch; {} launches, {} differ, {} of floats within "
             "1e-5, {} not run, {} have races, {} are excepted; {:.1f} s\n",
             counts.lifted, counts.agreed, counts.launches, counts.differ, counts.close, counts.not_run, counts.racing,
             counts.excepted, seconds.count());
  std::fflush(stdout);
  if (only != nullptr) return;
  EXPECT_GE(counts.agreed, kLeastAgreed);
}

}  // namespace
}  // namespace amdcompat
