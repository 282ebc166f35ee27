#include "judge.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace amdcompat::emulate {

std::string_view verdict_name(Verdict verdict) {
  constexpr std::string_view kNames[] = {"proved", "unproved", "not executable here", "differs"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Proof judge(TrialMaker maker, const ProofOptions& options, std::span<const std::byte> code, u32 begin,
            gcn::Generation gfx, const RunOld& run_old, const RunNew& run_new) {
  Proof out;
  std::vector<Report> reports;
  std::string last;
  for (std::uint32_t attempt = 0; attempt < options.attempts; ++attempt) {
    const Trial trial = maker.make(attempt);
    Report report;
    Memory after = memory_of(trial);
    last = run_old(trial, after, report);
    if (last.empty() && report.out_of_range != 0) last = "reads past what a descriptor can reach";
    if (last.empty() && report.stores == 0) last = "nothing was written";
    if (!last.empty()) continue;
    const std::string difference = run_new(trial, after);
    if (!difference.empty()) {
      out.verdict = Verdict::Differs;
      out.reason = difference;
      return out;
    }
    reports.push_back(std::move(report));
    ++out.compared;
    out.coverage = coverage(code, begin, gfx, reports);
    if (out.compared >= options.launches && out.coverage.reached * 5 >= out.coverage.instructions * 4) {
      out.verdict = Verdict::Proved;
      return out;
    }
  }
  out.verdict = out.compared == 0 ? Verdict::NotExecutable : Verdict::Unproved;
  out.reason = out.compared < options.launches
                   ? fmt::format("{} of {} launches could be compared; the last other one: {}", out.compared,
                                 options.launches, last)
                   : fmt::format("{} of {} instructions were reached", out.coverage.reached, out.coverage.instructions);
  return out;
}

std::string run_trial(Launch launch, const Trial& trial, const std::array<u32, 3>& local, const ProofOptions& options,
                      Memory& memory, Report& report) {
  for (std::size_t d = 0; d < 3; ++d) {
    launch.global[d] = static_cast<u32>(trial.range.global[d]);
    launch.local[d] = local[d];
  }
  Diagnostics diagnostics;
  report = run(launch, memory, {.instructions = options.instructions}, diagnostics);
  return report.clean() ? "" : first_problem(report, diagnostics);
}

std::string first_problem(const Report& report, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::Error) return sentence(d);
  if (!report.poison.empty())
    return fmt::format("uses {} at +0x{:x}, which nothing has set", report.poison[0].what, report.poison[0].offset);
  if (!report.outside.empty())
    return fmt::format("{} 0x{:x} at +0x{:x}, which is not listed",
                       report.outside[0].store ? "writes to" : "reads from", report.outside[0].address,
                       report.outside[0].offset);
  return {};
}

std::string difference_of(const Trial& trial, const Memory& before, const Memory& after) {
  for (const Trial::Buffer& buffer : trial.buffers) {
    const auto a = before.view(buffer.address, buffer.bytes.size());
    const auto b = after.view(buffer.address, buffer.bytes.size());
    const auto at = std::ranges::mismatch(a, b).in1;
    if (at != a.end()) return fmt::format("buffer {} differs from byte {} on", buffer.name, at - a.begin());
  }
  return {};
}

}  // namespace amdcompat::emulate
