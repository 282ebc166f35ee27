// Work-groups that run one after another, and the program that they run.
#pragma once

#include <memory>

#include "wave.hpp"

namespace amdcompat::emulate {

// Decoded on first use; straight through the code, so that an instruction is found by its dword.
class Program {
 public:
  struct Step {
    Instruction instruction;
    Execute execute = nullptr;  // null: cannot be run
    u32 cost = 2, cost_of_lane = 0;
    bool reached = false;  // executed
  };
  Program(const Launch& launch, const Limits& limits)
      : code_(launch.code), gfx_(launch.gfx), target_(launch.target), moves_(limits.last_places != 0),
        at_((launch.code.size() + 3) / 4) {}
  [[nodiscard]] bool holds(u64 offset) const { return offset % 4 == 0 && offset + 4 <= code_.size(); }
  [[nodiscard]] Step& at(u32 offset) {
    const auto& slot = at_[offset / 4];
    return slot ? *slot : decoded(offset);
  }
  // By dword: whether an instruction there was executed.
  void add_reached(std::vector<bool>& to) const;

 private:
  Step& decoded(u32 offset);

  std::span<const std::byte> code_;
  gcn::Generation gfx_;
  const Target* target_;
  bool moves_;  // results of approximations
  std::vector<std::unique_ptr<Step>> at_;
};

// Wavefronts of a group run by turns, up to a barrier or their end.
class alignas(kCacheLine) Groups {
 public:
  // `instructions`: what may be spent, as `Report::lane_instructions` counts; the start of a group counts besides.
  Groups(const Launch& launch, Space& space, const Limits& limits, u64 instructions, Observer* observer);

  // Groups `first` to `end` of all, of which x counts fastest. False: the run is over; the report says how.
  bool run(u64 first, u64 end, Diagnostics& diagnostics);
  // Takes over what other groups that ended well did, besides their stores.
  void add(const Groups& other);

  [[nodiscard]] u64 spent() const { return report_.lane_instructions + spent_on_starts_; }
  [[nodiscard]] u64 left() const { return instructions_ - std::min(instructions_, spent()); }
  // Whether they took something from the groups before them that is not in memory.
  [[nodiscard]] bool depends_on_order() const { return context_.depends_on_order; }
  [[nodiscard]] Report finish() &&;

 private:
  void start(Wave& wave, u32 first, u32 items, const std::array<u32, 3>& size);
  bool run_group(const std::array<u32, 3>& id);
  bool turn(Wave& wave, u32 number);
  bool unknown(const Instruction& instruction);
  bool stopped(const Wave& wave);

  const Launch& launch_;
  u64 instructions_;
  Observer* observer_;
  Diagnostics* diagnostics_ = nullptr;  // of `run`
  u64 spent_on_starts_ = 0;
  Report report_;
  Program program_;
  Context context_;
  Group group_;  // the one that runs
  std::vector<std::unique_ptr<Wave>> waves_;  // of it, and of larger ones before
};

}  // namespace amdcompat::emulate
