// The verdict of a proof: trials are run on both sides until enough of them could be compared.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <amdcompat/emulate.hpp>
#include <amdcompat/prove.hpp>

#include "trial.hpp"

namespace amdcompat::emulate {

// How the reason of a proof that reached too little ends, behind "N of M".
inline constexpr std::string_view kTooLittleReached = " instructions were reached";

// Lane instructions that are left to a proof, and to its next run.
class Budget {
 public:
  u64 of_a_run = 0;
  explicit Budget(u64 all) : left_(all) {}
  [[nodiscard]] u64 left() const { return left_; }
  [[nodiscard]] bool spent() const { return left_ == 0; }
  void spend(u64 instructions) { left_ -= std::min(left_, instructions); }

 private:
  u64 left_;
};

// What was wrong with the old side's run, or nothing; `memory` has the trial's buffers and keeps what was written.
using RunOld = std::function<std::string(const Trial& trial, Memory& memory, Report& report, Budget& budget)>;
// What came of a trial on the new side.
struct Comparison {
  enum class What : std::uint8_t {
    Compared,  // `text`: in what the memory differs from what the old side left; empty: it is the same
    Skipped,  // it shows nothing, and why
    Ended,  // nor would another trial, and why
    Raced,  // work-items race for a buffer, and how
    RacedInGroup,  // those of one work-group race for local memory, and how
    Ordered,  // results depend on the order of work-items
  };
  What what = What::Compared;
  std::string text;
  Comparison(std::string difference) : text(std::move(difference)) {}
  Comparison(What result, std::string why) : what(result), text(std::move(why)) {}
};
// What it says does not count when the budget is spent.
using RunNew = std::function<Comparison(const Trial& trial, const Memory& old_memory, Budget& budget)>;

// The code that a run of a kernel counts its coverage in, where in it the kernel begins and ends, and where the code of
// functions does that it calls and that stand elsewhere, as far as they are known.
struct OldCode {
  std::span<const std::byte> bytes;
  u32 begin = 0, end = 0;
  std::vector<std::pair<u32, u32>> functions{};
};
[[nodiscard]] Coverage coverage_of(const OldCode& code, gcn::Generation gfx, std::span<const Report> reports);

// `code` is the old side's, of which enough must be reached.
[[nodiscard]] Proof judge(TrialMaker maker, const ProofOptions& options, const OldCode& code, gcn::Generation gfx,
                          const RunOld& run_old, const RunNew& run_new);

// Nothing was run, and why.
[[nodiscard]] Proof not_executed(std::string why);

// What a run is asked beside the memory that it leaves.
struct Questions {
  bool races = false;  // the report says which there are
  // What nothing has set may be used, as code of optimizing compilers does, if the memory that the run leaves does not
  // depend on it: with other contents there it is the same.
  bool unset = false;
  bool local_zeros = false;  // that of local memory is zeros
  std::int32_t last_places = 0;  // as of `Limits`
};
// Runs a trial on one side. Empty when the run ended clean, else what was wrong.
[[nodiscard]] std::string run_trial(Launch launch, const Trial& trial, const std::array<u32, 3>& local, Budget& budget,
                                    Memory& memory, Report& report, Questions questions = {});

// Whether a run ended that used local memory which nothing had set, and nothing else that was not.
[[nodiscard]] bool uses_unset_local(const Report& report);

// The first error of a run or of the preparations for it.
[[nodiscard]] std::string first_problem(const Report& report, const Diagnostics& diagnostics);

// Empty when the buffers of the trial are the same on both sides.
[[nodiscard]] std::string difference_of(const Trial& trial, const Memory& before, const Memory& after);

}  // namespace amdcompat::emulate
