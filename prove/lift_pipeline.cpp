// A file's machine code as source: lifted, proved, and without what is known to be wrong.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <amdcompat/pipeline.hpp>

#include "file_proofs.hpp"
#include "judge.hpp"

namespace amdcompat::pipeline {
namespace {

std::string launches_text(const emulate::LiftProof& proof) {
  std::string out = fmt::format("{} random launches compared", proof.compared);
  if (proof.alone_in_group != 0)
    out +=
        fmt::format(", {} of them in work-groups of one work-item, as those of larger ones race", proof.alone_in_group);
  if (proof.alone_in_launch != 0)
    out += fmt::format(", {} of them of one work-item, as more race, or tell each other who came first",
                       proof.alone_in_launch);
  if (proof.local_zeros != 0)
    out += fmt::format(", {} of them with local memory that begins as zeros, as some is used that nothing has set",
                       proof.local_zeros);
  // A proof that reached too little says how much by itself.
  if (!proof.reason.ends_with(emulate::kTooLittleReached))
    out += fmt::format(", {} of {} instructions reached", proof.coverage.reached, proof.coverage.instructions);
  if (proof.error != 0) out += fmt::format(", floats within {:.1g} of the largest in their buffer", proof.error);
  if (proof.denormals) out += ", other results where denormal floats are flushed";
  return out;
}

// A line of the unit's first comment.
std::string remark(const LiftResult& result, std::uint32_t seed) {
  const emulate::LiftProof& proof = *result.proof;
  const bool proved = proof.verdict == emulate::Verdict::Proved;
  std::string out = fmt::format("{}: {}", result.kernel.name, proved ? "proved" : "not proved");
  if (proof.compared != 0) out += fmt::format(" on {}, seed {}: {}", proof.device, seed, launches_text(proof));
  if (!proof.reason.empty()) out += (proof.compared != 0 ? "; " : ": ") + proof.reason;
  return out;
}

void report(std::string_view kernel, const emulate::LiftProof& proof, Diagnostics& diagnostics) {
  const DiagnosticScope scope(diagnostics, {.kernel = std::string(kernel)});
  const Code code = proof.verdict == emulate::Verdict::Proved    ? Code::LiftProved
                    : proof.verdict == emulate::Verdict::Differs ? Code::LiftDiffers
                                                                 : Code::LiftUnproved;
  const std::string launches = proof.compared != 0 ? "; " + launches_text(proof) : std::string();
  diagnostics.report(code, {},
                     fmt::format("kernel {}: {}{}{}{}", kernel, emulate::verdict_name(proof.verdict), launches,
                                 proof.reason.empty() ? "" : ": ", proof.reason));
}

class Lifter {
 public:
  Lifter(const File& file, const LiftRequest& request, Diagnostics& diagnostics)
      : read_(lift::with_arguments_read(file.program)), program_(read_ ? *read_ : file.program), request_(request),
        diagnostics_(diagnostics) {
    // Every kernel is lifted for the unit, for its proof, and for the unit that says what was proved.
    if (request_.prove && request_.lift.cache == nullptr) request_.lift.cache = &cache_.emplace();
  }

  Lifted run() {
    lift::Unit unit = lift::lift(program_, request_.lift, diagnostics_);
    for (lift::KernelOutcome& kernel : unit.kernels) {
      LiftResult& result = out_.kernels.emplace_back();
      result.outcome = kernel.lifted ? LiftOutcome::Lifted : LiftOutcome::Refused;
      result.kernel = std::move(kernel);
    }
    out_.source = std::move(unit.source);
    if (request_.prove) prove();
    if (diagnostics_.mode() == Mode::Strict && diagnostics_.has_errors()) withdraw();
    return std::move(out_);
  }

 private:
  void prove() {
    Proofs proofs(request_.proof.proof, request_.proof_instructions);
    std::set<std::string> wrong;
    std::optional<emulate::LiftProof> no_device;  // looked for once: a child loads its libraries for that
    for (LiftResult& result : out_.kernels) {
      if (result.outcome != LiftOutcome::Lifted) continue;
      result.proof =
          no_device ? *no_device
                    : proofs([&](const emulate::ProofOptions& options) { return proof_of(result.kernel, options); });
      if (result.proof->no_device) no_device = result.proof;
      report(result.kernel.name, *result.proof, diagnostics_);
      if (result.proof->verdict == emulate::Verdict::Proved) result.outcome = LiftOutcome::Proved;
      if (result.proof->verdict == emulate::Verdict::Differs) wrong.insert(result.kernel.name);
    }
    for (LiftResult& result : out_.kernels)  // kernels of one name are one to OpenCL
      if (wrong.contains(result.kernel.name)) result.outcome = LiftOutcome::Refused;
    write_again(wrong);
    const std::size_t unproved = out_.count(LiftOutcome::Lifted), proved = out_.count(LiftOutcome::Proved);
    if (unproved == 0) return;
    const LiftResult& first = *std::ranges::find(out_.kernels, LiftOutcome::Lifted, &LiftResult::outcome);
    diagnostics_.report(Code::ProofMissing, {},
                        unproved_text("lifted", unproved, unproved + proved, first.kernel.name,
                                      first.proof ? first.proof->reason : ""));
  }

  // With a unit of its own: what a device makes of the other kernels is no matter of this one.
  emulate::LiftProof proof_of(const lift::KernelOutcome& kernel, const emulate::ProofOptions& options) const {
    lift::Options alone = request_.lift;
    alone.kernel = kernel.name;
    Diagnostics again;
    const lift::Unit unit = lift::lift(program_, alone, again);
    emulate::LiftProofOptions proof = request_.proof;
    proof.proof = options;
    proof.exact = request_.lift.exact;
    proof.proof.texels = kernel.texels;
    return emulate::prove_lifted(program_, kernel.index, unit.source, proof);
  }

  // The unit without what differs, with what the proofs showed.
  void write_again(const std::set<std::string>& wrong) {
    lift::Options options = request_.lift;
    for (const LiftResult& result : out_.kernels)
      if (result.outcome != LiftOutcome::Refused && result.proof)
        options.remarks.push_back(remark(result, request_.proof.proof.seed));
    Diagnostics again;
    if (wrong.empty()) {
      out_.source = lift::lift(program_, options, again).source;
      return;
    }
    Program less = program_;
    keep_kernels(less, [&](const Kernel& kernel) { return !wrong.contains(kernel.name); });
    out_.source = lift::lift(less, options, again).source;
  }

  void withdraw() {
    out_.source.clear();
    for (LiftResult& result : out_.kernels) result.outcome = LiftOutcome::Refused;
  }

  std::optional<Program> read_;  // with arguments that the file does not list
  const Program& program_;
  LiftRequest request_;
  std::optional<lift::Cache> cache_;
  Diagnostics& diagnostics_;
  Lifted out_;
};

}  // namespace

std::string_view outcome_name(LiftOutcome outcome) {
  constexpr std::string_view kNames[] = {"refused", "lifted", "proved"};
  return kNames[static_cast<std::size_t>(outcome)];
}

std::size_t Lifted::count(LiftOutcome outcome) const {
  return static_cast<std::size_t>(std::ranges::count(kernels, outcome, &LiftResult::outcome));
}

Lifted lift_file(const File& file, const LiftRequest& request, Diagnostics& diagnostics) {
  check(file, diagnostics);
  return Lifter(file, request, diagnostics).run();
}

}  // namespace amdcompat::pipeline
