#include "migrate.hpp"

#include <algorithm>
#include <bit>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include <amdcompat/version.hpp>

#include "convert_programs.hpp"
#include "names.hpp"
#include "output.hpp"
#include "queue.hpp"
#include "read_inputs.hpp"
#include "state.hpp"
#include "write_manifest.hpp"

namespace amdcompat::migrate {

namespace {

// What the proofs of each program may spend, so that all together keep to the policy; absent: as much as one may.
// Divided before the first proof starts, and by all programs of all shards, so that neither threads nor machines nor
// earlier runs change a result. The divisor is a power of two: a tree that grows has its proofs made again when it has
// doubled, not with every file.
Result<std::optional<ProofShare>> share_proofs(const Options& options) {
  const std::uint64_t all = options.policy.limits.all_proof_instructions;
  if (!options.policy.request.prove) return std::nullopt;
  const Result<std::uint64_t> programs = count_programs(options);
  if (!programs) return std::unexpected(programs.error());
  const std::uint64_t share = all / std::bit_ceil(std::max<std::uint64_t>(*programs, 1));
  if (share >= options.policy.request.proof_instructions) return std::nullopt;
  return ProofShare{*programs, share};
}

// Programs that are only converted take less time than it takes threads to meet. Of others each may take seconds: who
// interrupts them waits for one.
std::size_t most_in_batch(const Policy& policy) {
  constexpr std::size_t kQuick = 32;
  return policy.request.prove || policy.lift || wants_compiler(policy) ? 1 : kQuick;
}

}  // namespace

std::optional<RunResult> run(const Options& asked, Diagnostics& diagnostics) {
  for (const std::string& input : asked.inputs) {
    std::error_code ignored;
    if (!std::filesystem::equivalent(input, asked.output, ignored)) continue;
    diagnostics.report(Code::InputIsOutput, {}, fmt::format("{} is an input and the output directory", input));
    return std::nullopt;
  }
  if (!asked.dry_run && !make_directory(asked.output, diagnostics)) return std::nullopt;
  const std::string policy = canonical_policy(asked.policy);
  const Result<std::optional<ProofShare>> proofs = share_proofs(asked);
  if (!proofs) {
    diagnostics.add(proofs.error());
    return std::nullopt;
  }
  Options options = asked;
  if (*proofs) {
    options.policy.request.proof_instructions = (*proofs)->instructions;
    diagnostics.report(
        Code::ProofsShared, {},
        fmt::format("{} programs share {} instructions for proofs (limits.all-proof-instructions): {} for each",
                    (*proofs)->programs, asked.policy.limits.all_proof_instructions, (*proofs)->instructions));
  }
  // Now: what was a directory when it was read may be gone in the end.
  const std::string base = directory_of_inputs(options.inputs);
  auto state = State::open(options.dry_run ? std::string() : options.output,
                           recipe_of(AMDCOMPAT_VERSION, policy, *proofs), options.durable);
  if (!state) {
    diagnostics.add(state.error());
    return std::nullopt;
  }
  Queue queue(options.stop, options.jobs, most_in_batch(options.policy));
  Shared shared;
  shared.state = state->get();
  bool read_all = true;
  std::exception_ptr out_of_memory;  // in the reading thread
  std::jthread reading([&] {
    try {
      read_all = read_inputs(options, queue, shared);
    } catch (...) {
      out_of_memory = std::current_exception();
      queue.close();
    }
  });
  std::jthread planning;
  if (options.progress != nullptr) {
    options.progress->estimate.set_jobs(options.jobs);
    options.progress->begun = true;
    if (options.estimate_after)
      planning = std::jthread([&](const std::stop_token& token) {
        std::mutex waiting;
        std::condition_variable_any wake;
        std::unique_lock wait(waiting);
        if (wake.wait_for(wait, token, *options.estimate_after, [] { return false; }) || token.stop_requested()) return;
        try {
          plan_work(options, shared, [&] { return token.stop_requested(); });
        } catch (const std::exception&) {
          // Without a plan there is no estimate; the work goes on.
        }
      });
  }
  bool recorded = false;
  try {
    recorded = convert_programs(options, queue, shared, diagnostics);
  } catch (...) {
    queue.close();  // or the other thread would wait for room for ever
    throw;
  }
  reading.join();
  if (planning.joinable()) {
    planning.request_stop();
    planning.join();
  }
  if (out_of_memory) std::rethrow_exception(out_of_memory);

  RunResult out;
  out.interrupted = !read_all || queue.cut();
  const bool complete = recorded && !out.interrupted;
  if (complete) (*state)->forget_unseen_files();
  if ((*state)->error().empty() &&
      !write_manifest(**state, {kManifestSchema, AMDCOMPAT_VERSION, policy, complete, options.shard, *proofs, base},
                      options.output, options.dry_run, options.durable, options.jobs, out.summary, diagnostics))
    return std::nullopt;
  if (out.interrupted) diagnostics.report(Code::Interrupted, {}, "interrupted; the same command does the rest");
  return recorded ? std::optional(out) : std::nullopt;
}

}  // namespace amdcompat::migrate
