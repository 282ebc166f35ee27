// `migrate`: whole trees, archives and applications to an output directory with a manifest.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include <migrate.hpp>
#include <names.hpp>
#include <report/report.hpp>

#include "common.hpp"
#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

constexpr int kSomeRefused = 4;
constexpr std::chrono::milliseconds kBetweenLines{10'000};  // where they are not rewritten

std::atomic<bool> stop_wanted{false};
extern "C" void want_stop(int) { stop_wanted = true; }

// The first signal asks for an orderly end; a second one ends at once, which costs little work.
class Signals {
 public:
  Signals() {
    struct sigaction action{};
    action.sa_handler = want_stop;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
  }
};

std::string amount_text(std::uint64_t bytes) {
  return bytes < 10'000'000 ? fmt::format("{} kB", bytes / 1000) : fmt::format("{} MB", bytes / 1'000'000);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::min(seconds, 1e9));
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

// Shows where a run is: a line that is rewritten on a terminal, now and then a line of its own elsewhere.
class Display {
 public:
  Display(const migrate::Progress& progress, bool quiet)
      : progress_(progress), terminal_(::isatty(STDERR_FILENO) != 0) {
    if (!quiet) drawing_ = std::jthread([this](const std::stop_token& token) { draw(token); });
  }
  ~Display() { finish(); }
  Display(const Display&) = delete;
  Display& operator=(const Display&) = delete;

  void finish() {
    if (!drawing_.joinable()) return;
    drawing_.request_stop();
    drawing_.join();
    const std::lock_guard lock(mutex_);
    clear();
  }
  // A line of its own above the other.
  void print(const std::string& line) {
    const std::lock_guard lock(mutex_);
    clear();
    fmt::print(stderr, "{}\n", line);
  }

 private:
  void clear() {
    if (terminal_) fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }

  void draw(const std::stop_token& token) {
    using namespace std::chrono_literals;
    const auto now = [] { return std::chrono::steady_clock::now(); };
    std::optional<std::chrono::steady_clock::time_point> started;
    std::mutex waiting;
    std::condition_variable_any wake;
    for (auto last = now();;) {
      std::unique_lock wait(waiting);
      if (wake.wait_for(wait, token, 200ms, [] { return false; }) || token.stop_requested()) return;
      if (!started && progress_.begun) started = now();
      if (!terminal_ && now() - last < kBetweenLines) continue;
      last = now();
      const double seconds = started ? std::chrono::duration<double>(now() - *started).count() : 0;
      const std::lock_guard lock(mutex_);
      clear();
      fmt::print(stderr, "{}{}", line(seconds), terminal_ ? "" : "\n");
      std::fflush(stderr);
    }
  }

  [[nodiscard]] std::string line(double seconds) const {
    if (seconds <= 0) return "counting the programs that share what proofs may spend";
    const std::uint64_t files = progress_.files, programs = progress_.programs;
    const std::string counts = fmt::format("{} files, {}, {} programs", files, amount_text(progress_.bytes), programs);
    const std::optional<double> left = progress_.estimate.remaining(seconds);
    if (!left) return counts;
    const double done = seconds / (seconds + *left);
    constexpr std::size_t kWidth = 20;
    const auto filled = static_cast<std::size_t>(done * kWidth);
    return fmt::format("[{}{}] {:3.0f} %  {}  ETA {}", std::string(filled, '#'), std::string(kWidth - filled, '.'),
                       done * 100, counts, duration_text(*left));
  }

  const migrate::Progress& progress_;
  const bool terminal_;
  std::mutex mutex_;  // of the terminal
  std::jthread drawing_;
};

std::string counts_text(const migrate::OutcomeCounts& counts, std::string_view what) {
  std::uint64_t all = 0;
  std::string parts;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    all += counts[i];
    if (counts[i] == 0) continue;
    const auto outcome = static_cast<migrate::Outcome>(i);
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", counts[i], migrate::outcome_text(outcome));
  }
  return plural(all, what) + (parts.empty() ? std::string() : ": " + parts);
}

// What can be done with the results: a line for each target, and for what runs nowhere yet.
std::string uses_text(const migrate::SummaryRecord& summary) {
  std::string out;
  for (const auto& [target, counts] : summary.targets) {
    std::uint64_t kernels = 0;
    std::string parts;
    for (const migrate::Outcome outcome : migrate::kRunning) {
      const std::uint64_t n = counts.kernels[static_cast<std::size_t>(outcome)];
      kernels += n;
      if (n != 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", n, migrate::outcome_text(outcome));
    }
    out += fmt::format("runs on {}: {} of {} ({})\n", visible(target), plural(kernels, "kernel"),
                       plural(counts.programs, "program"), parts);
  }
  const auto without_code = [&](migrate::Outcome outcome, std::string_view use) {
    if (const std::uint64_t n = summary.kernels[static_cast<std::size_t>(outcome)]; n != 0)
      out += fmt::format("{}: {}, {}\n", migrate::outcome_text(outcome), plural(n, "kernel"), use);
  };
  // What was lifted is counted; what nobody tried is an offer.
  std::string lift;
  if (summary.described_lifted != 0)
    lift = fmt::format("; --lift carries {} of them as OpenCL C", summary.described_lifted);
  else if (summary.described_code != 0 && migrate::lifted_text(summary).empty())
    lift = fmt::format("; --lift tries to carry {} of them as OpenCL C", summary.described_code);
  without_code(migrate::Outcome::Described, "whose code has to be compiled again" + lift);
  without_code(migrate::Outcome::Refused, "for reasons that the manifest names");
  return out;
}

int exit_status(const migrate::SummaryRecord& summary) {
  const auto count = [](const migrate::OutcomeCounts& counts, migrate::Outcome outcome) {
    return counts[static_cast<std::size_t>(outcome)];
  };
  if (count(summary.files, migrate::Outcome::Failed) != 0) return kInputErrors;
  return count(summary.files, migrate::Outcome::Refused) + count(summary.files, migrate::Outcome::Partial) != 0
             ? kSomeRefused
             : kDone;
}

// The policy of the file and of the options, which win.
std::optional<migrate::Policy> policy_of(const MigrateOptions& options, int& status) {
  migrate::Policy policy;
  Diagnostics diagnostics;
  std::optional<std::string> text;
  if (!options.policy.empty()) {
    text = read_input(options.policy);
    if (!text) {
      status = kInputOutput;
      return std::nullopt;
    }
    diagnostics.set_file(options.policy);
    migrate::read_policy(*text, policy, diagnostics);
  }
  if (!diagnostics.has_errors()) diagnostics.set_file("--target");
  for (const std::string& target : options.targets) migrate::add_target(target, policy, diagnostics);
  pipeline::Request& request = policy.request;
  if (options.layout) request.layout = *options.layout;
  if (!options.metadata.empty()) policy.metadata = options.metadata;
  if (!options.compiler.empty()) policy.compiler = options.compiler;
  if (options.code_object) request.object.version = options.code_object;
  if (options.seed) request.proof.seed = *options.seed;
  if (options.prove) request.prove = *options.prove;
  if (options.lift) policy.lift = *options.lift;
  if (options.scan) policy.scan = *options.scan;
  if (options.archives) policy.archives = *options.archives;
  if (options.strict) policy.strict = *options.strict;
  const std::vector<TextRegion> whole{{{0, text ? static_cast<std::uint32_t>(text->size()) : 0}}};
  show(diagnostics, {text ? std::string_view(*text) : std::string_view{}, whole}, options.common);
  if (!diagnostics.has_errors()) return policy;
  status = kUsage;
  return std::nullopt;
}

// Finds the compiler that the policy wants. False: it was named and is not there, or cannot do what is wanted. Where
// none was named, a machine without one does the rest.
bool find_compiler(migrate::Policy& policy, std::optional<compile::Compiler>& compiler, const Common& common) {
  if (!migrate::wants_compiler(policy)) return true;
  Diagnostics diagnostics;
  Result<compile::Compiler> found = compile::Compiler::find(policy.compiler);
  bool good = true;
  if (found) {
    policy.request.compiler = &compiler.emplace(std::move(*found));
    if (auto refused = migrate::compiler_refusal(policy)) {
      refused->message += "; --compiler names another one, and --compiler none goes without";
      diagnostics.add(std::move(*refused));
      good = false;
    }
  } else {
    good = policy.compiler == migrate::Policy{}.compiler;
    Diagnostic missing = found.error();
    if (good) {
      missing.severity = Severity::Warning;
      missing.message += "; kernels whose old code cannot be kept are not compiled";
    }
    diagnostics.add(std::move(missing));
  }
  show(diagnostics, {}, common);
  return good;
}

// One for each core, and fewer where address space is limited: oneTBB ends the process when it cannot start a thread.
unsigned default_jobs() {
  constexpr rlim_t kSpace = rlim_t{256} << 20;  // bytes for each: its stack, an arena, what it converts
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  rlimit space{};
  if (::getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY) return cores;
  return static_cast<unsigned>(std::clamp<rlim_t>(space.rlim_cur / kSpace, 1, cores));
}

// An arena takes 64 MiB of address space from the start, and threads that hardly allocate would have one, too.
void limit_arenas([[maybe_unused]] unsigned jobs) {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, static_cast<int>(std::min(jobs, 1024u) + 1));
#endif
}

}  // namespace

int run_migrate(const MigrateOptions& options) {
  Diagnostics diagnostics;
  const unsigned jobs = options.jobs != 0 ? options.jobs : default_jobs();
  limit_arenas(jobs);
  if (!options.report_of.empty()) {
    const bool written = migrate::write_report(options.report_of, diagnostics, jobs);
    show(diagnostics, {}, options.common);
    return written ? kDone : diagnostics.contains(Code::ManifestBroken) ? kInputErrors : kInputOutput;
  }
  std::optional<migrate::RunResult> result;
  if (options.merge) {
    result = migrate::merge(options.common.files, options.output, options.fsync, jobs, diagnostics);
  } else {
    int status = kDone;
    auto policy = policy_of(options, status);
    if (!policy) return status;
    std::optional<compile::Compiler> compiler;
    if (!find_compiler(*policy, compiler, options.common)) return kUsage;
    migrate::Options run;
    run.inputs = options.common.files;
    run.output = options.output;
    run.policy = *policy;
    run.jobs = jobs;
    if (!options.shard.empty()) {
      run.shard = migrate::parse_shard(options.shard);
      if (!run.shard) {
        fmt::print(stderr, "amdcompat: --shard '{}': expected INDEX/COUNT, from 1/COUNT to COUNT/COUNT\n",
                   visible(options.shard));
        return kUsage;
      }
    }
    run.dry_run = options.dry_run;
    run.durable = options.fsync;
    run.stop = &stop_wanted;
    migrate::Progress progress;
    run.progress = &progress;
    const Signals signals;
    Display display(progress, options.common.quiet);
    // Counting costs little, but more than nothing: where a line comes now and then, short runs go without.
    if (!options.common.quiet)
      run.estimate_after = ::isatty(STDERR_FILENO) != 0 ? std::chrono::milliseconds{0} : kBetweenLines / 2;
    if (!options.common.quiet)
      run.on_trouble = [&](const migrate::FileRecord& file, std::string_view reason) {
        display.print(visible(fmt::format("{}: {}{}{}", file.path, migrate::outcome_text(file.outcome),
                                          reason.empty() ? "" : ": ", reason)));
      };
    result = migrate::run(run, diagnostics);
  }
  const bool reported =
      !result || !options.report || options.dry_run || migrate::write_report(options.output, diagnostics, jobs);
  show(diagnostics, {}, options.common);
  if (!result)
    return diagnostics.contains(Code::InputIsOutput) || diagnostics.contains(Code::ManifestConflict) ||
                   diagnostics.contains(Code::ManifestBroken) || diagnostics.contains(Code::MergeIncomplete)
               ? kInputErrors
               : kInputOutput;
  const migrate::SummaryRecord& summary = result->summary;
  fmt::print("{}\n{}\n{}\n{}{}{}\n", counts_text(summary.files, "file"),
             counts_text(summary.programs, "distinct program"), counts_text(summary.kernels, "kernel"),
             uses_text(summary), plural(summary.outputs, "output"),
             options.dry_run ? std::string(", not written")
             : summary.outputs == 0
                 ? fmt::format(" in {}", visible(options.output))
                 : fmt::format(" in {}, by the names of the inputs in {}", visible(options.output),
                               visible((std::filesystem::path(options.output) / migrate::kNamesDirectory).string())));
  if (const std::string lifted = migrate::lifted_text(summary); !lifted.empty())
    fmt::print("as OpenCL C: {}\n", lifted);
  if (!reported) return kInputOutput;
  if (options.report && !options.dry_run)
    fmt::print("report: {}\n", visible((std::filesystem::path(options.output) / migrate::kReportName).string()));
  return result->interrupted ? kInputErrors : exit_status(summary);
}

}  // namespace amdcompat::cli
