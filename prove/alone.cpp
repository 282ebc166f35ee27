// Machine code by itself: whether random launches run it to its end.
#include <algorithm>

#include <amdcompat/prove.hpp>

#include "old_side.hpp"

namespace amdcompat::emulate {

Execution execute(const Program& program, std::size_t kernel, const ProofOptions& options) {
  Execution out;
  if (kernel >= program.kernels.size()) {
    out.reason = "no such kernel";
    return out;
  }
  const Kernel& what = program.kernels[kernel];
  const auto code = old_code(program, what);
  if (!code || code->bytes.empty() || program.target == nullptr || !runnable(*program.target)) {
    out.reason = "no code that is executed here";
    return out;
  }
  // Launches whose numbers fit, and any others.
  std::array<TrialMaker, 2> makers{trials_of_source(program, what, options.seed),
                                   trials_of_code(program, what, options.seed)};
  Budget budget(options.instructions);
  std::vector<Report> reports;
  constexpr std::uint32_t kEndless = 4;  // launches behind which all others have a 25th of what they had
  std::uint32_t endless = 0;
  for (std::uint32_t attempt = 0; attempt < options.attempts && out.wrote < options.launches && !budget.spent();
       ++attempt) {
    const Trial trial = makers[attempt % 2].make(attempt);
    budget.of_a_run = std::min(options.run_instructions / (endless >= kEndless ? 25 : 1), budget.left());
    Memory memory = memory_of(trial);
    Report report;
    std::string why = run_old(program, kernel, trial,
                              {.budget = budget, .memory = memory, .report = report, .questions = {.unset = true}});
    ++out.launches;
    if (report.outcome == Outcome::Budget) ++endless;
    if (!why.empty()) {
      out.reason = std::move(why);
      continue;
    }
    ++out.ended;
    if (report.stores != 0) ++out.wrote;
    reports.push_back(std::move(report));
  }
  if (out.ended != 0) {
    out.coverage = coverage_of(*code, *runnable(*program.target), reports);
    out.reason.clear();
  }
  return out;
}

}  // namespace amdcompat::emulate
