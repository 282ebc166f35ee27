// Work-items that access the same byte, one of them storing another value, with no barrier between.
#pragma once

#include <unordered_map>

#include "opcode.hpp"

namespace amdcompat::emulate {

class Races {
 public:
  Races(const Limits& limits, Report& report) : limits_(limits), report_(report) {}

  struct Access {
    u64 address = 0;  // of the first byte
    u32 item = 0;  // in its group
    u32 offset = 0;  // of the instruction
    bool lds = false;
    bool atomic = false;  // with others that are atomic it is ordered
  };
  void begin_group() {
    local_.clear();
    first_epoch_ = ++epoch_;
  }
  // What follows is ordered behind all that was before in the group.
  void barrier() { ++epoch_; }
  void load(const Access& access, u64 size);
  // Of what leaves a byte as it is, any order gives the same.
  void store(const Access& access, std::span<const u8> before, std::span<const u8> after);

 private:
  // What happened to a byte last; epochs count barriers and groups.
  struct Last {
    u32 epoch = 0, offset = 0;
    u16 item = 0;
    bool atomic = false;
    bool changed = false;  // of stores: another value
    bool changed_before = false;  // likewise, by the group before a barrier
    // Of loads: there were some of other items since the barrier, of other wavefronts than `item`, of other groups.
    bool other_items = false, other_waves = false, other_groups = false;
  };
  struct Cell {
    Last store, load;
  };
  static constexpr u64 kBlock = 64;  // bytes that share an entry
  static constexpr std::size_t kMostBlocks = 65'536;
  using Cells = std::unordered_map<u64, std::array<Cell, kBlock>>;

  // Null: too many bytes.
  [[nodiscard]] Cell* cell(u64 address, bool lds);
  void meet(const Access& access, u64 address, const Last& last, bool stores);
  [[nodiscard]] bool is_of_group(const Last& last) const { return last.epoch >= first_epoch_; }

  const Limits& limits_;
  Report& report_;
  u32 epoch_ = 0, first_epoch_ = 0;  // from 1 on; the first one of the group
  Cells local_, global_;
};

}  // namespace amdcompat::emulate
