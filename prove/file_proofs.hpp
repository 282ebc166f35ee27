// The proofs of one file share a budget.
#pragma once

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include <amdcompat/prove.hpp>

namespace amdcompat::pipeline {

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
