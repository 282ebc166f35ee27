// A kernel of an OpenCL 1.x binary and its conversion in place.
//
// The old side splits an address as AMD's old runtime may have done (all of it in the descriptor), the new side as the
// conversion does, and 32-bit kernels get buffers above 4 GiB.
#include <algorithm>

#include "judge.hpp"

namespace amdcompat::emulate {
namespace {

constexpr u64 kKernarg = 0x7d00'0000'0000;

// The images of a trial; `split` gives the descriptor's base of an address.
template <class Split>
std::optional<abi::LaunchImage> image_of(const Program& program, const Kernel& kernel, const Trial& trial,
                                         Split&& split, Diagnostics& diagnostics) {
  auto image = abi::LaunchImage::create(kernel, diagnostics, {}, program.data);
  if (!image || !image->set_range(trial.range, diagnostics)) return std::nullopt;
  // No size: a descriptor would hide accesses behind the buffer's end, which the new side has nothing to stop.
  const auto buffer = [&](u64 address) { return abi::Buffer{address, split(address), 0}; };
  for (std::size_t i = 0; i < trial.values.size(); ++i) {
    const Trial::Value& value = trial.values[i];
    bool good = true;
    if (value.address != 0)
      good = image->set_buffer(i, buffer(value.address), diagnostics);
    else if (value.local != 0)
      good = image->set_local(i, value.local, diagnostics);
    else
      good = image->set_bytes(i, value.bytes, diagnostics);
    if (!good) return std::nullopt;
  }
  if (trial.data != 0 && !image->set_data_segment(buffer(trial.data), diagnostics)) return std::nullopt;
  for (const auto& [number, address] : trial.constants)
    if (!image->set_constant_data(number, {address, address, 0}, diagnostics)) return std::nullopt;
  if (!image->build(diagnostics)) return std::nullopt;
  return image;
}

class Prover {
 public:
  Prover(const Program& program, const convert::InPlaceObject& converted, std::size_t index,
         const ProofOptions& options)
      : program_(program), converted_(converted), index_(index), layout_(converted.kernels[index]),
        kernel_(program.kernels[layout_.kernel]), options_(options) {}

  Proof prove() {
    const auto gfx = program_.target == nullptr ? std::nullopt : runnable(*program_.target);
    if (!kernel_.code || !gfx) return not_executed("no machine code for the device");
    const auto compare = [&](u64 first_buffer, const ProofOptions& options) {
      return judge(
          TrialMaker(kernel_, program_.data, entry_rsrc2(kernel_.entry), options.seed, first_buffer), options,
          kernel_code(program_, kernel_), 0, *gfx,
          [&](const Trial& trial, Memory& memory, Report& report, Budget& budget) {
            return run_old(trial, memory, report, budget);
          },
          [&](const Trial& trial, const Memory& memory, Budget& budget) { return run_new(trial, memory, budget); });
    };
    Proof out = compare(kFirstBuffer, options_);
    if (out.verdict != Verdict::Differs || kernel_.address_bits != AddressBits::Bits64) return out;
    // The new descriptors have base 0: code whose offsets have 32 bits reaches the first 4 GiB.
    ProofOptions rest = options_;
    rest.instructions -= out.instructions;
    Proof low = compare(kFirstLowBuffer, rest);
    if (low.verdict != Verdict::Proved) return out;
    low.verdict = Verdict::Unproved;
    low.low_addresses = true;
    low.reason = "only buffers below 4 GiB are reached; above, " + out.reason;
    low.instructions += out.instructions;
    return low;
  }

 private:
  // Empty when the run ended clean, else what was wrong.
  std::string run_old(const Trial& trial, Memory& memory, Report& report, Budget& budget) {
    Diagnostics diagnostics;
    const auto image = image_of(program_, kernel_, trial, [](u64 address) { return address; }, diagnostics);
    if (!image) return "no launch: " + first_problem({}, diagnostics);
    CalBindings bindings;
    bindings.cb0.assign(image->cb0().begin(), image->cb0().end());
    bindings.cb1.assign(image->cb1().begin(), image->cb1().end());
    for (const abi::Binding& binding : image->bindings()) {
      if (binding.words == 0) continue;
      const CalBindings::Slot slot{binding.slot,
                                   {binding.descriptor.begin(), binding.descriptor.begin() + binding.words}};
      if (binding.kind == abi::BindingKind::Uav && !bound(bindings.uavs, slot.slot)) bindings.uavs.push_back(slot);
      if (binding.kind == abi::BindingKind::ConstantBuffer && slot.slot > 1 &&
          !bound(bindings.constant_buffers, slot.slot))
        bindings.constant_buffers.push_back(slot);
    }
    auto launch = kernel_launch(program_, layout_.kernel, std::move(bindings), image->local_bytes(), memory);
    if (!launch) return sentence(launch.error());
    return run_trial(*launch, trial, image->local_size(), budget, memory, report);
  }
  static bool bound(const std::vector<CalBindings::Slot>& slots, u32 slot) {
    return std::ranges::find(slots, slot, &CalBindings::Slot::slot) != slots.end();
  }

  // The same for the new side, and compared with the memory that the old one left.
  std::string run_new(const Trial& trial, const Memory& old_memory, Budget& budget) {
    Diagnostics diagnostics;
    const auto image = image_of(
        program_, kernel_, trial, [&](u64 address) { return convert::in_place_base(address, kernel_.address_bits); },
        diagnostics);
    if (!image) return "no launch of the new code: " + first_problem({}, diagnostics);
    const auto kernarg = convert::kernarg_image(layout_, *image);
    if (!kernarg) return sentence(kernarg.error());
    Memory memory = memory_of(trial);
    // Only what the metadata lists is there.
    for (const convert::InPlaceArgument& argument : layout_.arguments) {
      const auto part = std::span(*kernarg).subspan(argument.offset, argument.size);
      memory.map(kKernarg + argument.offset, {part.begin(), part.end()}, "kernarg segment");
    }
    auto launch = object_launch(converted_.object, index_, {.kernarg = kKernarg}, image->local_bytes(), memory);
    if (!launch) return sentence(launch.error());
    Report report;
    const std::string problem = run_trial(*launch, trial, image->local_size(), budget, memory, report);
    return problem.empty() ? difference_of(trial, old_memory, memory) : "the new code " + problem;
  }

  const Program& program_;
  const convert::InPlaceObject& converted_;
  std::size_t index_;
  const convert::InPlaceKernel& layout_;
  const Kernel& kernel_;
  const ProofOptions& options_;
};

}  // namespace

Proof prove_in_place(const Program& program, const convert::InPlaceObject& converted, std::size_t index,
                     const ProofOptions& options) {
  return Prover(program, converted, index, options).prove();
}

}  // namespace amdcompat::emulate
