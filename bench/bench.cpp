// How fast the library is on real metadata, and against the hand-written reader.
//
//   amdcompat_bench [Google Benchmark's options]
//
// Without options every benchmark runs 15 times, the runs of all of them mixed at random, and medians of the CPU time
// are reported: a slow moment of the machine then hits all alike. Both readers must give equal records before
// anything is timed. The last line sums up what the project promises:
//
//   parse: 1400 MB/s, 88 ns/argument, ratio 0.86
//
// where the ratio is the library's speed relative to the hand-written reader's.
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>

#include "hand_reader.hpp"
#include "workload.hpp"

namespace amdcompat::bench {
namespace {

// A rate the wrong way round: time for each of `per_iteration` things, in nanoseconds.
benchmark::Counter nanoseconds_per(std::size_t per_iteration) {
  using benchmark::Counter;
  return Counter(static_cast<double>(per_iteration) * 1e-9, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

void report(benchmark::State& state, std::size_t bytes, std::size_t arguments, std::size_t lines) {
  using benchmark::Counter;
  state.counters["MB/s"] = Counter(static_cast<double>(bytes) * 1e-6, Counter::kIsIterationInvariantRate);
  state.counters["ns/argument"] = nanoseconds_per(arguments);
  if (lines != 0) state.counters["ns/line"] = nanoseconds_per(lines);
}

// A row for each benchmark, of all its repetitions. Google Benchmark's own console prints one for each repetition and
// statistic, with units that do not fit inverted rates.
class Reporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override {
    fmt::print("{:<28}{:>10}{:>10}{:>8}{:>8}{:>13}{:>9}{:>9}\n", "benchmark, CPU time", "median us", "least us", "+-%",
               "MB/s", "ns/argument", "ns/line", "us/file");
    return true;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    double spread = 0;
    for (const Run& run : runs) {
      const std::string& name = run.run_name.function_name;
      // Repetitions come before their statistics, possibly in a call of their own.
      if (run.run_type == Run::RT_Iteration) {
        const auto [at, first] = least_.try_emplace(name, run.GetAdjustedCPUTime());
        at->second = std::min(at->second, run.GetAdjustedCPUTime());
      } else if (run.aggregate_name == "cv") {
        spread = run.cpu_accumulated_time * 100;
      }
    }
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Aggregate || run.aggregate_name != "median") continue;
      const std::string& name = run.run_name.function_name;
      medians_[name] = run.GetAdjustedCPUTime() * 1e-6;
      fmt::print("{:<28}{:>10.1f}{:>10.1f}{:>8.1f}", name, run.GetAdjustedCPUTime(), least_[name], spread);
      fmt::print("{:>8}{:>13}{:>9}{:>9}\n", counter(run, "MB/s"), counter(run, "ns/argument"), counter(run, "ns/line"),
                 counter(run, "us/file"));
      std::fflush(stdout);
    }
  }
  // Seconds an iteration.
  [[nodiscard]] std::optional<double> median(const std::string& name) const {
    const auto found = medians_.find(name);
    return found == medians_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  static std::string counter(const Run& run, const std::string& name) {
    const auto found = run.counters.find(name);
    return found == run.counters.end() ? "" : fmt::format("{:.1f}", found->second.value);
  }
  std::map<std::string, double> medians_;  // seconds
  std::map<std::string, double> least_;    // microseconds
};

void register_all(const Workload& work) {
  const auto add = [](const char* name, auto run) {
    benchmark::RegisterBenchmark(name, run)->Unit(benchmark::kMicrosecond);
  };
  // All blocks as one text.
  add("parse", [&work](benchmark::State& state) {
    for (auto _ : state) {
      Diagnostics diagnostics;
      benchmark::DoNotOptimize(text::parse(work.text, diagnostics));
    }
    report(state, work.text.size(), work.arguments, work.lines);
  });
  add("hand", [&work](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(hand::read(work.text));
    report(state, work.text.size(), work.arguments, work.lines);
  });
  // Each block as a text of its own, as containers hold them.
  add("blocks/parse", [&work](benchmark::State& state) {
    for (auto _ : state)
      for (const std::string& block : work.blocks) {
        Diagnostics diagnostics;
        benchmark::DoNotOptimize(text::parse(block, diagnostics));
      }
    report(state, work.text.size(), work.arguments, work.lines);
  });
  add("blocks/parse+check", [&work](benchmark::State& state) {
    for (auto _ : state)
      for (const std::string& block : work.blocks) {
        Diagnostics diagnostics;
        const text::Document document = text::parse(block, diagnostics);
        text::check(document, diagnostics);
        benchmark::DoNotOptimize(diagnostics.all().size());
      }
    report(state, work.text.size(), work.arguments, work.lines);
  });
  add("blocks/parse+check+lower", [&work](benchmark::State& state) {
    for (auto _ : state)
      for (const std::string& block : work.blocks) {
        Diagnostics diagnostics;
        const text::Document document = text::parse(block, diagnostics);
        text::check(document, diagnostics);
        benchmark::DoNotOptimize(lower(document));
      }
    report(state, work.text.size(), work.arguments, work.lines);
  });
  // Whole containers.
  const auto files = [&work](benchmark::State& state) {
    report(state, work.file_bytes, work.file_arguments, 0);
    state.counters["us/file"] =
        benchmark::Counter(static_cast<double>(work.files.size()) * 1e-6,
                           benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  };
  add("files/open", [&work, files](benchmark::State& state) {
    for (auto _ : state)
      for (const std::string& bytes : work.files) {
        Diagnostics diagnostics;
        benchmark::DoNotOptimize(open(bytes, diagnostics));
      }
    files(state);
  });
  add("files/convert-to-yaml", [&work, files](benchmark::State& state) {
    for (auto _ : state)
      for (const std::string& bytes : work.files) {
        Diagnostics diagnostics;
        const std::optional<File> file = open(bytes, diagnostics);
        if (file) benchmark::DoNotOptimize(hsa::to_yaml(convert::to_metadata(file->program, diagnostics).metadata));
      }
    files(state);
  });
}

int run(int argc, char** argv) {
  // What a plain run needs; options given by the user come later and win.
  std::vector<std::string> options{argv[0], "--benchmark_repetitions=15", "--benchmark_min_time=0.05",
                                   "--benchmark_enable_random_interleaving=true"};
  options.insert(options.end(), argv + 1, argv + argc);
  std::vector<char*> arguments;
  for (std::string& option : options) arguments.push_back(option.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  const Workload work = load();
  if (work.empty()) {
    fmt::print(stderr, "amdcompat_bench: no CL1 container found, neither in a real corpus nor among the samples\n");
    return 3;
  }
  fmt::print("input: {}: {} distinct blocks of {} files, {} bytes, {} lines, {} arguments\n", work.origin,
             work.blocks.size(), work.files.size(), work.text.size(), work.lines, work.arguments);
  Diagnostics diagnostics;
  const text::Document document = text::parse(work.text, diagnostics);
  if (const std::string difference = hand::difference(hand::read(work.text), document); !difference.empty()) {
    fmt::print(stderr, "amdcompat_bench: the two readers disagree: {}\n", difference);
    return 1;
  }
  fmt::print("both readers give equal records ({} elements)\n", document.elements.size());

  register_all(work);
  Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  const auto parse = reporter.median("parse");
  const auto by_hand = reporter.median("hand");
  if (parse && by_hand)
    fmt::print("parse: {:.0f} MB/s, {:.0f} ns/argument, ratio {:.2f}\n",
               static_cast<double>(work.text.size()) * 1e-6 / *parse,
               *parse * 1e9 / static_cast<double>(work.arguments), *by_hand / *parse);
  return 0;
}

}  // namespace
}  // namespace amdcompat::bench

int main(int argc, char** argv) { return amdcompat::bench::run(argc, argv); }
