#include "judge.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace amdcompat::emulate {
namespace {

constexpr u64 kLaunchInstructions = 1000;  // what a launch costs whatever it does
constexpr u32 kEndlessLaunches = 4;
constexpr u32 kMostRaces = 6;  // launches with a race for a buffer, after which work-items have less company
constexpr u64 kLeastOfARun = 1'000'000;  // however many launches were endless

u64 bytes_of(const Trial& trial) {
  u64 out = 0;
  for (const Trial::Buffer& buffer : trial.buffers) out += buffer.bytes.size();
  return out;
}

bool same_bytes(const Memory& a, const Memory& b) {
  return std::ranges::equal(a.ranges(), b.ranges(), {}, &Memory::Range::bytes, &Memory::Range::bytes);
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  constexpr std::string_view kNames[] = {"proved", "unproved", "not executable here", "differs"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Proof not_executed(std::string why) {
  Proof out;
  out.verdict = Verdict::NotExecutable;
  out.reason = std::move(why);
  return out;
}

Coverage coverage_of(const OldCode& code, gcn::Generation gfx, std::span<const Report> reports) {
  Coverage out = coverage(code.bytes.first(code.end), code.begin, gfx, reports);
  for (const auto& [begin, end] : code.functions) {
    const Coverage one = coverage(code.bytes.first(end), begin, gfx, reports);
    out.reached += one.reached;
    out.instructions += one.instructions;
  }
  return out;
}

Proof judge(TrialMaker maker, const ProofOptions& options, const OldCode& code, gcn::Generation gfx,
            const RunOld& run_old, const RunNew& run_new) {
  Proof out;
  Budget budget(options.instructions);
  std::vector<Report> reports;
  std::string last;
  std::uint32_t endless = 0, races = 0;  // launches that spent what a run has; those that show nothing for a race
  Manner manner;
  const auto ended = [&](Verdict verdict, std::string reason) {
    out.verdict = verdict;
    out.reason = std::move(reason);
    out.exhausted = budget.spent();
    out.instructions = options.instructions - budget.left();
    return std::move(out);
  };
  for (std::uint32_t attempt = 0; attempt < options.attempts && !budget.spent(); ++attempt) {
    const Trial trial = maker.make(attempt, manner);
    budget.spend(kLaunchInstructions + bytes_of(trial) / kBytesOfAnInstruction);
    budget.of_a_run = std::max(options.run_instructions >> 2 * (endless - (manner.brief ? 1 : 0)),
                               std::min(options.run_instructions, kLeastOfARun));
    Report report;
    Memory after = memory_of(trial);
    last = run_old(trial, after, report, budget);
    if (report.outcome == Outcome::Budget) manner.brief = !manner.brief;
    if (!budget.spent() && report.outcome == Outcome::Budget && endless < kEndlessLaunches &&
        ++endless == kEndlessLaunches && attempt + 1 == endless)
      return ended(Verdict::Unproved,
                   fmt::format("the first {} launches all spent the budget of a run, {} instructions", endless,
                               options.run_instructions));
    if (last.empty() && report.out_of_range != 0) last = "reads past what a descriptor can reach";
    if (last.empty() && report.stores == 0) {
      last = "nothing was written";
      manner.blank = !manner.blank;
    }
    if (!last.empty()) {
      manner.one_group = manner.one_group || uses_unset_local(report);
      continue;
    }
    budget.of_a_run *= 2;  // a prologue does not make a launch fail that the old side ended
    Comparison comparison = run_new(trial, after, budget);
    if (budget.spent()) break;
    if (comparison.what == Comparison::What::RacedInGroup ||
        (comparison.what == Comparison::What::Raced && ++races % kMostRaces == 0)) {
      const bool may_part = maker.can_be_apart() && comparison.what == Comparison::What::Raced;
      if (maker.can_be_alone() ? manner.alone == Alone::InLaunch : manner.apart || !may_part)
        comparison.what = Comparison::What::Ended;
      if (maker.can_be_alone())
        manner.alone = manner.alone == Alone::No ? Alone::InGroup : Alone::InLaunch;
      else
        manner.apart = true;
    }
    if (comparison.what == Comparison::What::Ordered) {
      if (!maker.can_be_alone()) comparison.what = Comparison::What::Ended;
      manner.alone = Alone::InLaunch;
    }
    if (comparison.what == Comparison::What::Ended)
      return ended(out.compared == 0 ? Verdict::NotExecutable : Verdict::Unproved, std::move(comparison.text));
    if (comparison.what != Comparison::What::Compared) {
      last = std::move(comparison.text);
      continue;
    }
    if (!comparison.text.empty()) return ended(Verdict::Differs, std::move(comparison.text));
    reports.push_back(std::move(report));
    if (manner.alone != Alone::No) ++(manner.alone == Alone::InGroup ? out.alone_in_group : out.alone_in_launch);
    if (++out.compared >= options.launches)  // it takes more to reach the rest
      manner = {.alone = manner.alone, .apart = manner.apart, .deep = true, .one_group = manner.one_group};
    budget.spend((code.end - code.begin) / kBytesOfAnInstruction);
    out.coverage = coverage_of(code, gfx, reports);
    if (out.compared >= options.launches && out.coverage.reached * 5 >= out.coverage.instructions * 4)
      return ended(Verdict::Proved, {});
  }
  if (budget.spent())
    return ended(Verdict::Unproved,
                 fmt::format("the budget of {} instructions was spent; {} of {} launches could be compared",
                             options.instructions, out.compared, options.launches));
  if (out.compared >= options.launches)
    return ended(Verdict::Unproved,
                 fmt::format("{} of {}{}", out.coverage.reached, out.coverage.instructions, kTooLittleReached));
  return ended(
      out.compared == 0 ? Verdict::NotExecutable : Verdict::Unproved,
      fmt::format("{} of {} launches could be compared; the last other one: {}", out.compared, options.launches, last));
}

std::string run_trial(Launch launch, const Trial& trial, const std::array<u32, 3>& local, Budget& budget,
                      Memory& memory, Report& report, Questions questions) {
  for (std::size_t d = 0; d < 3; ++d) {
    launch.global[d] = static_cast<u32>(trial.range.global[d]);
    launch.local[d] = local[d];
  }
  Diagnostics diagnostics;
  u64 bytes = launch.code.size();
  for (const Memory::Range& range : memory.ranges()) bytes += range.bytes.size();
  const auto run_in = [&](Memory& in, u32 unset) {
    budget.spend(bytes / kBytesOfAnInstruction);
    Report out = run(launch, in,
                     {.lane_instructions = std::min(budget.of_a_run, budget.left()),
                      .races = questions.races,
                      .unset = unset,
                      .local_zeros = questions.local_zeros,
                      .last_places = questions.last_places},
                     diagnostics);
    budget.spend(out.lane_instructions);
    return out;
  };
  std::optional<Memory> start;
  if (questions.unset) start = memory;
  report = run_in(memory, 0);
  const auto uses_unset = [](const Report& one) {
    return one.outcome == Outcome::Ended && one.outside_accesses == 0 && one.poison_reads != 0;
  };
  bool good = report.clean();
  if (start && uses_unset(report)) {
    constexpr u32 kOtherContents[] = {1, 2, 3};
    good = std::ranges::all_of(kOtherContents, [&](u32 unset) {
      Memory again = *start;
      return uses_unset(run_in(again, unset)) && same_bytes(memory, again);
    });
  }
  if (budget.spent()) return "spent the budget of the proof";
  return good ? "" : first_problem(report, diagnostics);
}

bool uses_unset_local(const Report& report) {
  return report.outcome == Outcome::Ended && report.outside_accesses == 0 && !report.poison.empty() &&
         std::ranges::all_of(report.poison, [](const PoisonRead& one) { return one.what == "LDS"; });
}

std::string first_problem(const Report& report, const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::Error) return sentence(d);
  if (!report.poison.empty())
    return fmt::format("uses {} at +0x{:x}, which nothing has set", report.poison[0].what, report.poison[0].offset);
  const auto outside = std::ranges::find(report.outside, false, &OutsideAccess::poison);
  if (outside != report.outside.end())
    return fmt::format("{} 0x{:x} at +0x{:x}, which is not listed", outside->store ? "writes to" : "reads from",
                       outside->address, outside->offset);
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
