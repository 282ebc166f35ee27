// A kernel whose arguments are in one block, before and after a conversion to another code object version.
#include <algorithm>

#include <fmt/format.h>

#include "old_side.hpp"

namespace amdcompat::emulate {
namespace {

class ObjectProver {
 public:
  ObjectProver(const Program& program, std::size_t kernel, const hsa::CodeObject& after, const ProofOptions& options)
      : program_(program), kernel_(program.kernels[kernel]), index_(kernel), after_(after), options_(options),
        new_metadata_(metadata_of(after.metadata, kernel_.name, kernel)) {}

  Proof prove() {
    const std::optional<std::size_t> code = code_of(after_, new_metadata_);
    if (!code) return not_executed("only one of the files has it");
    new_index_ = *code;
    const std::optional<gcn::Generation> gfx = after_.target == nullptr ? std::nullopt : runnable(*after_.target);
    if (!gfx) return not_executed("code of this target is not executed here");
    const std::optional<OldCode> old = old_code(program_, kernel_);
    if (!old) return not_executed("no machine code in the old file");
    if (!can_be_given(kernel_)) return not_executed(kCannotBeGiven);
    // Code and data at the same addresses on both sides: pointers to them are then equal.
    const CodePlace& after = after_.kernels[new_index_].code;
    if (after.section >= after_.code.sections.size()) return not_executed("the new code lies in no section");
    const CodePlace& before = *kernel_.code;
    new_base_ = kCodeAddress + program_.code.sections[before.section].address + before.offset -
                after_.code.sections[after.section].address - after.offset;
    Kernel lowered = hsa::to_kernel(*new_metadata_, after_.version);
    lowered.device = after_.target->name;
    TrialMaker maker(kernel_, {}, entry_rsrc2(kernel_.entry), options_.seed);
    maker.set_texels(options_.texels, has_linear_sampler(program_, kernel_));
    return judge(
        std::move(maker), options_, *old, *gfx,
        [&](const Trial& trial, Memory& memory, Report& report, Budget& budget) {
          return run_old(program_, index_, trial, {budget, memory, report});
        },
        [&](const Trial& trial, const Memory& old_memory, Budget& budget) {
          Memory memory = memory_of(trial);
          Report report;
          const std::string problem = run_kernarg(
              kernel_, lowered, trial, {budget, memory, report}, [&](const ObjectBindings& bindings, u64 lds_bytes) {
                return object_launch(after_, new_index_, bindings, lds_bytes, memory, new_base_);
              });
          if (!problem.empty()) return "the new code " + problem;
          if (report.out_of_range != 0) return std::string("the new code reads past what a descriptor can reach");
          if (std::string difference = difference_of(trial, old_memory, memory); !difference.empty()) return difference;
          return sections_differ(program_.code, old_memory, memory);
        });
  }

 private:
  // Variables of the program: the sections are at the same addresses.
  static std::string sections_differ(const MachineCode& code, const Memory& before, const Memory& after) {
    for (const CodeSection& section : code.sections) {
      if (!section.writable || section.size() == 0) continue;
      const auto a = before.view(kCodeAddress + section.address, section.size());
      const auto b = after.view(kCodeAddress + section.address, section.size());
      if (!std::ranges::equal(a, b)) return fmt::format("section {} differs", section.name);
    }
    return {};
  }

  const Program& program_;
  const Kernel& kernel_;
  std::size_t index_;
  const hsa::CodeObject& after_;
  const ProofOptions& options_;
  const hsa::MetadataKernel* new_metadata_;
  std::size_t new_index_ = 0;
  u64 new_base_ = kCodeAddress;
};

}  // namespace

Proof prove_object(const Program& program, std::size_t kernel, const hsa::CodeObject& after,
                   const ProofOptions& options) {
  return ObjectProver(program, kernel, after, options).prove();
}

}  // namespace amdcompat::emulate
