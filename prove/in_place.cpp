// A kernel of an OpenCL 1.x binary and its conversion in place.
//
// The old side splits an address as AMD's old runtime may have done (all of it in the descriptor), the new side as the
// conversion does, and 32-bit kernels get buffers above 4 GiB.
#include <algorithm>

#include "old_side.hpp"

namespace amdcompat::emulate {
namespace {

class Prover {
 public:
  Prover(const Program& program, const convert::InPlaceObject& converted, std::size_t index,
         const ProofOptions& options)
      : program_(program), converted_(converted), index_(index), layout_(converted.kernels[index]),
        kernel_(program.kernels[layout_.kernel]), options_(options) {}

  Proof prove() {
    const auto gfx = program_.target == nullptr ? std::nullopt : runnable(*program_.target);
    if (!kernel_.code || !gfx) return not_executed("no machine code for the device");
    const std::span<const std::byte> code = kernel_code(program_, kernel_);
    const auto compare = [&](u64 first_buffer, const ProofOptions& options) {
      return judge(
          TrialMaker(kernel_, program_.data, entry_rsrc2(kernel_.entry), options.seed, first_buffer), options,
          OldCode{code, 0, static_cast<u32>(code.size())}, *gfx,
          [&](const Trial& trial, Memory& memory, Report& report, Budget& budget) {
            return run_old(program_, layout_.kernel, trial, {budget, memory, report});
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
  // The new side, compared with the memory that the old one left.
  std::string run_new(const Trial& trial, const Memory& old_memory, Budget& budget) {
    Diagnostics diagnostics;
    const auto image = cal_image(
        program_, kernel_, trial, [&](u64 address) { return convert::in_place_base(address, kernel_.address_bits); },
        diagnostics);
    if (!image) return "no launch of the new code: " + first_problem({}, diagnostics);
    const auto kernarg = convert::kernarg_image(layout_, *image);
    if (!kernarg) return sentence(kernarg.error());
    Memory memory = memory_of(trial);
    // Only what the metadata lists is there.
    for (const convert::InPlaceArgument& argument : layout_.arguments) {
      const auto part = std::span(*kernarg).subspan(argument.offset, argument.size);
      memory.map(kKernargAddress + argument.offset, {part.begin(), part.end()}, "kernarg segment");
    }
    auto launch = object_launch(converted_.object, index_, {.kernarg = kKernargAddress}, image->local_bytes(), memory);
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
