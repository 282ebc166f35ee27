// What kernels were lifted to, found again by all that lifting reads of them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <amdcompat/lift.hpp>

#include "ir.hpp"

namespace amdcompat::lift {

struct Lifted {
  Text text;
  u32 instructions = 0;
  Form form = Form::WorkItem;
  std::optional<Refusal> fallback{};  // why it is not the work-item form
  std::optional<Refusal> refusal{};
};

// The kernel without what files say of its place, number and device: none of it is in what it is lifted to.
[[nodiscard]] Kernel without_place(const Kernel& kernel);

class CachedKernels {
 public:
  // All that a lift reads: it is handed this program and this kernel, so that nothing can be forgotten here.
  struct Question {
    std::shared_ptr<const Program> program;  // without kernels, and without machine code
    Kernel kernel;
    std::vector<std::byte> code;
    std::optional<Form> form;
    bool exact = false;
    bool annotate = false;
    std::size_t hash = 0;  // of code and name
  };
  struct Answer {
    Lifted lifted;
    u64 work = 0;  // that it took of the file's
  };

  explicit CachedKernels(std::size_t most_bytes) : most_(most_bytes) {}

  // Whether a lift of the kernel reads no more than questions hold.
  [[nodiscard]] static bool can_hold(const Program& program, const Kernel& kernel);
  // What kernels of a program read of it, besides their own code.
  [[nodiscard]] static std::shared_ptr<const Program> without_code(const Program& program);
  // `kernel` is one of `program`; `shared` is that program without code.
  [[nodiscard]] static Question question(const Program& program, const Kernel& kernel, const Options& options,
                                         std::shared_ptr<const Program> shared);
  // Null: it was not asked yet.
  [[nodiscard]] std::shared_ptr<const Answer> find(Question& question);
  void add(const Question& question, std::shared_ptr<const Answer> answer);

  [[nodiscard]] std::size_t size() const;

  // As long as it lives, others are told that this is being lifted.
  class Claim {
   public:
    Claim(CachedKernels& kernels, const Question& question);
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim();
    [[nodiscard]] bool mine() const { return mine_; }  // nobody else was lifting it, or something like it

   private:
    CachedKernels& kernels_;
    const std::size_t hash_;
    bool mine_ = false;
  };

 private:
  struct Entry {
    Question question;
    std::shared_ptr<const Answer> answer;
    std::size_t bytes = 0;
  };
  using Entries = std::unordered_multimap<std::size_t, Entry>;

  void keep(Entry entry);

  const std::size_t most_;
  mutable std::mutex mutex_;
  // What is asked for moves to the new ones; when these take half of the room, the old ones go.
  Entries recent_, old_;
  std::size_t recent_bytes_ = 0, old_bytes_ = 0;
  std::unordered_set<std::size_t> claimed_;  // hashes
};

}  // namespace amdcompat::lift
