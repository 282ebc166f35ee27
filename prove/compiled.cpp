// Machine code against what a compiler made of the OpenCL C that was lifted from it: the interpreter on both sides.
#include <algorithm>

#include <fmt/format.h>

#include "difference.hpp"
#include "old_side.hpp"

namespace amdcompat::emulate {
namespace {

class CompiledProver {
 public:
  CompiledProver(const Program& program, std::size_t kernel, const hsa::CodeObject& after, const ProofOptions& options)
      : program_(program), kernel_(program.kernels[kernel]), index_(kernel), after_(after), options_(options),
        metadata_(metadata_of(after.metadata, kernel_.name, kernel)), code_(code_of(after, metadata_)) {}

  Proof prove() {
    if (!code_) return not_executed("only one of the files has it");
    if (after_.target == nullptr || !runnable(*after_.target))
      return not_executed("code of this target is not executed here");
    const std::optional<OldCode> old = old_code(program_, kernel_);
    if (!old || program_.target == nullptr || !runnable(*program_.target))
      return not_executed("no machine code of a device that is executed here");
    if (!can_be_given(kernel_)) return not_executed(kCannotBeGiven);
    lowered_ = hsa::to_kernel(*metadata_, after_.version);
    lowered_.device = after_.target->name;
    TrialMaker maker = trials_of_source(program_, kernel_, options_.seed);
    maker.set_texels(options_.texels, has_linear_sampler(program_, kernel_));
    return judge(
        std::move(maker), options_, *old, *runnable(*program_.target),
        [&](const Trial& trial, Memory& memory, Report& report, Budget& budget) {
          return run_old(program_, index_, trial,
                         {.budget = budget,
                          .memory = memory,
                          .report = report,
                          .keep_denormals = keeps_denormals(),
                          .questions = {.unset = true}});
        },
        [&](const Trial& trial, const Memory& old_memory, Budget& budget) { return run(trial, old_memory, budget); });
  }

 private:
  [[nodiscard]] bool keeps_denormals() const {
    const auto& descriptor = after_.kernels[*code_].descriptor;
    constexpr u32 kFloatDenormals = 3;
    return descriptor && (descriptor->rsrc1 >> 16 & 3) == kFloatDenormals;  // FLOAT_DENORM_MODE_32 [LU]
  }

  Comparison run(const Trial& trial, const Memory& old_memory, Budget& budget) {
    Memory memory = memory_of(trial);
    Report report;
    const std::string problem = run_kernarg(
        kernel_, lowered_, trial, {.budget = budget, .memory = memory, .report = report, .questions = {.unset = true}},
        [&](const ObjectBindings& bindings, u64 lds_bytes) {
          return object_launch(after_, *code_, bindings, lds_bytes, memory, kCodeAddress);
        });
    if (!problem.empty()) return {Comparison::What::Ended, "the new code " + problem};
    std::string found = difference(trial, old_memory, memory);
    if (found.empty()) return found;
    const std::optional<Race> race = race_of_old(program_, index_, trial, budget, keeps_denormals());
    if (!race) return found;
    return {Comparison::What::Ended, fmt::format("{}; {}", race_text(*race), found)};
  }

  std::string difference(const Trial& trial, const Memory& before, const Memory& after) const {
    for (std::size_t i = 0; i < trial.values.size(); ++i) {
      const Argument& argument = kernel_.arguments[i];
      const auto buffer = std::ranges::find(trial.buffers, trial.values[i].address, &Trial::Buffer::address);
      if (trial.values[i].address == 0 || buffer == trial.buffers.end() ||
          std::holds_alternative<ByValue>(argument.kind))
        continue;
      const auto wanted = before.view(buffer->address, buffer->bytes.size());
      const auto got = after.view(buffer->address, buffer->bytes.size());
      double error = 0;
      if (const auto& image = trial.values[i].image) {
        const std::size_t place = first_other_texel(format_of(*image), wanted, got, 0, error);
        if (place != kNoPlace) return fmt::format("image {} differs from byte {} on", argument.name, place);
        continue;
      }
      const std::size_t at = first_other_value(argument, wanted, got, false, 0, error);
      if (at != kNoPlace) return fmt::format("buffer {} differs from byte {} on", argument.name, at);
    }
    return {};
  }

  const Program& program_;
  const Kernel& kernel_;
  std::size_t index_;
  const hsa::CodeObject& after_;
  const ProofOptions& options_;
  const hsa::MetadataKernel* metadata_;
  std::optional<std::size_t> code_;
  Kernel lowered_;
};

}  // namespace

Proof prove_compiled(const Program& program, std::size_t kernel, const hsa::CodeObject& compiled,
                     const ProofOptions& options) {
  return CompiledProver(program, kernel, compiled, options).prove();
}

}  // namespace amdcompat::emulate
