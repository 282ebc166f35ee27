// Migration of whole trees: from inputs to an output directory with a manifest.
//
//   DIR/manifest.jsonl         what became of every file (manifest.hpp)
//   DIR/objects/3f/3f2a….hsaco what was made, by the SHA-256 of the program it was made of
//   DIR/.amdcompat/            what is done (state.hpp); may be deleted when no run goes on
//
// One thread walks, reads, unpacks, searches and hashes; `jobs` others convert and write. What is on the way between
// them is bounded in bytes, so that memory depends on the largest program, not on the tree. Inputs are only read.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/diagnostic.hpp>

#include "estimate.hpp"
#include "manifest.hpp"
#include "policy.hpp"

namespace amdcompat::migrate {

// For whoever watches a run from another thread.
struct Progress {
  std::atomic<std::uint64_t> files{0};  // done with all that is in them, or found unchanged
  std::atomic<std::uint64_t> bytes{0};  // of those
  std::atomic<std::uint64_t> programs{0};         // converted in this run
  std::atomic<std::uint64_t> unchanged{0};        // files that needed nothing
  std::atomic<bool> begun{false};  // before, programs are counted that share what proofs may spend
  Estimate estimate;
};

struct Options {
  std::vector<std::string> inputs;
  std::string output;  // made when missing
  Policy policy;
  unsigned jobs = 1;   // threads that convert
  std::optional<Shard> shard;  // only files of this share
  bool dry_run = false;  // do everything but write
  bool durable = false;  // outputs reach the disk before they are recorded; otherwise only a crash of the machine may
      // lose some, which the next run notices by their hashes
  const std::atomic<bool>* stop = nullptr;  // set: finish what is begun and write the manifest of that
  Progress* progress = nullptr;
  // What there is to do is counted, for `Progress::estimate`, once the run has taken so long; absent: never.
  std::optional<std::chrono::milliseconds> estimate_after;
  // Called for every file that is not Converted, Described or None, with the first reason; from one thread at a time.
  std::function<void(const FileRecord&, std::string_view reason)> on_trouble;
};

struct RunResult {
  SummaryRecord summary;
  bool interrupted = false;
};
// Empty, with an error among the findings: the output directory cannot be used, or the run could not go on. What was
// done by then is kept.
[[nodiscard]] std::optional<RunResult> run(const Options& options, Diagnostics& diagnostics);

// Puts the outputs of all shards of one migration into `output`, with the manifest that one machine would have written.
// Refused, with findings: manifests of different tools, policies or counts of shards (AC6030), shards that are missing,
// double or interrupted (AC6032), outputs that differ from what their manifest says. `jobs`: threads that give outputs
// their names.
[[nodiscard]] std::optional<RunResult> merge(const std::vector<std::string>& directories, const std::string& output,
                                             bool durable, unsigned jobs, Diagnostics& diagnostics);

}  // namespace amdcompat::migrate
