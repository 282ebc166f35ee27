#include "convert_programs.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "output.hpp"
#include "parallel.hpp"
#include "program.hpp"

namespace amdcompat::migrate {

namespace {

// Result of a file from those of its programs.
Outcome together(const OutcomeCounts& counts) {
  Outcome worst = Outcome::None;
  bool good = false;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    worst = static_cast<Outcome>(i);
    good |= worst != Outcome::None && worst != Outcome::Refused;
  }
  return worst == Outcome::Refused && good ? Outcome::Partial : worst;
}

class Consumer {
 public:
  Consumer(const Options& options, Queue& queue, Shared& shared, Diagnostics& diagnostics)
      : options_(options), queue_(queue), shared_(shared), diagnostics_(diagnostics) {}

  bool run() {
    constexpr std::size_t kForEach = 32;  // bounded in bytes by the queue
    run_pipeline(
        options_.jobs, kForEach,
        tbb::make_filter<void, Batch*>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& flow) -> Batch* {
          auto batch = std::make_unique<Batch>(queue_.pop());
          if (!batch->empty()) return batch.release();
          flow.stop();
          return nullptr;
        }) & tbb::make_filter<Batch*, Batch*>(tbb::filter_mode::parallel, [&](Batch* batch) {
          for (const auto& item : *batch) convert(*item);
          return batch;
        }) & tbb::make_filter<Batch*, void>(tbb::filter_mode::serial_in_order, [&](Batch* batch) {
          const std::unique_ptr<Batch> owned(batch);
          record(*owned);
          queue_.release(*owned);
        }));
    return !failed_;
  }

 private:
  void convert(Item& item) {
    const auto begun = std::chrono::steady_clock::now();
    make(item);
    if (options_.progress != nullptr)
      options_.progress->estimate.was_converted(
          item.number, item.work, item.share,
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
  }

  void make(Item& item) {
    if (item.file || failed_) return;
    Migrated made = migrate_program(std::move(item.bytes), item.digest, options_.policy, &lifted_);
    for (std::size_t i = 0; i < made.outputs.size() && !options_.dry_run && !item.failed; ++i)
      item.failed = write_output(shared_.state->root(), made.record.outputs[i].path, made.outputs[i], options_.durable);
    item.done = row_of(made.record, item.digest);
  }

  void record(const Batch& batch) {
    const std::lock_guard lock(shared_.mutex);
    for (const auto& item : batch) record(*item);
  }

  void record(Item& item) {
    if (failed_) return;
    if (item.failed) return give_up(*item.failed);
    if (item.done) {
      if (options_.progress != nullptr) ++options_.progress->programs;
      shared_.state->put(*item.done);
      shared_.on_the_way.erase(item.digest);
    } else if (item.file) {
      finish_file(*item.file, item.named);
      shared_.state->put(*item.file, item.whole);
      if (options_.progress != nullptr && item.last) {
        ++options_.progress->files;
        options_.progress->bytes += item.bytes_read;
      }
    }
    if (!shared_.state->error().empty())
      give_up(make_diagnostic(Code::StateBroken, {},
                              fmt::format("cannot record what is done: {}", shared_.state->error())));
  }

  void finish_file(FileRecord& file, bool named) {
    OutcomeCounts counts{};
    std::string reason;
    for (const ProgramPlace& place : file.programs) {
      const auto known = shared_.state->find_program(*digest_from_hex(place.sha256));
      if (!known) continue;
      ++counts[static_cast<std::size_t>(known->outcome)];
      if (reason.empty()) reason = known->reason;
    }
    if (file.outcome == Outcome::None) file.outcome = together(counts);
    if (named && file.outcome == Outcome::None && file.kind != "archive") {
      add_finding(file, make_diagnostic(Code::NoProgram, {}, "no kernel was found in it"));
      file.outcome = Outcome::Refused;
    }
    if (file.outcome != Outcome::Partial && file.outcome != Outcome::Refused && file.outcome != Outcome::Failed) return;
    if (!file.findings.empty())
      reason = fmt::format("{}[{}]: {}", severity_name(file.findings.front().severity), file.findings.front().code,
                           file.findings.front().message);
    if (options_.on_trouble) options_.on_trouble(file, reason);
  }

  void give_up(const Diagnostic& why) {
    failed_ = true;
    diagnostics_.add(why);
    queue_.close();
  }

  const Options& options_;
  Queue& queue_;
  Shared& shared_;
  lift::Cache lifted_;
  Diagnostics& diagnostics_;
  std::atomic<bool> failed_{false};
};

}  // namespace

bool convert_programs(const Options& options, Queue& queue, Shared& shared, Diagnostics& diagnostics) {
  return Consumer(options, queue, shared, diagnostics).run();
}

}  // namespace amdcompat::migrate
