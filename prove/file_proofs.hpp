// The proofs of one file share a budget.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <amdcompat/prove.hpp>

namespace amdcompat::pipeline {

// That `unproved` of `all` kernels are not proved, and why the first of them is not.
inline std::string unproved_text(std::string_view made, std::size_t unproved, std::size_t all, std::string_view first,
                                 std::string_view reason) {
  return fmt::format("{} of {} {} kernels {} not proved{}{}{}{}", unproved, all, made, unproved == 1 ? "is" : "are",
                     unproved == 1 ? ": " : ", the first being ", first, reason.empty() ? "" : ": ", reason);
}

// Proofs of the kernels of one file, within the file's budget.
class Proofs {
 public:
  Proofs(const emulate::ProofOptions& options, std::uint64_t instructions)
      : options_(options), all_(instructions), left_(instructions) {}

  // `prove` takes the options and gives a proof.
  template <class Prove>
  auto operator()(Prove&& prove) {
    emulate::ProofOptions options = options_;
    options.instructions = std::min(options.instructions, left_);
    decltype(prove(options)) out;
    if (left_ != 0) {
      out = prove(options);
      left_ -= std::min(left_, out.instructions);
    } else {
      out.exhausted = true;
    }
    if (out.exhausted && options.instructions < options_.instructions) {
      out.verdict = emulate::Verdict::Unproved;
      out.reason = fmt::format("the budget of {} instructions for the proofs of a file was spent", all_);
    }
    return out;
  }

  [[nodiscard]] std::uint64_t spent() const { return all_ - left_; }

 private:
  const emulate::ProofOptions& options_;
  std::uint64_t all_, left_;
};

}  // namespace amdcompat::pipeline
