#include "space.hpp"

#include <algorithm>

namespace amdcompat::emulate {

Space::Space(Memory& memory, u32 local_aperture, bool watched) {
  // At most, so that it is known before a group is made.
  constexpr u64 kMostScratch = u64{kMostScratchBytes} * 1024;
  const auto meets = [](const Memory::Range& range, u64 first, u64 size) {
    return range.address <= first + (size - 1) && first <= range.address + (range.bytes.size() - 1);
  };
  for (Memory::Range& range : memory.ranges_)
    ranges_.push_back({.address = range.address,
                       .size = range.bytes.size(),
                       .bytes = reinterpret_cast<u8*>(range.bytes.data()),
                       .written = &range.written,
                       .is_near = !watched && !meets(range, kScratchAddress, kMostScratch) &&
                                  !meets(range, u64{local_aperture} << 32, u64{1} << 32)});
}

Space::Range* Space::find(u64 address, u64 size) {
  const auto next = std::ranges::upper_bound(ranges_, address, {}, &Range::address);
  if (next == ranges_.begin()) return nullptr;
  Range& range = *std::prev(next);
  const u64 place = address - range.address;
  if (place >= range.size || size > range.size - place) return nullptr;
  if (range.is_near) near_ = &range;
  return &range;
}

u64 Space::bytes() const {
  u64 sum = 0;
  for (const Range& range : ranges_) sum += range.size;
  return sum;
}

void Space::note() {
  own_.resize(ranges_.size());
  for (std::size_t n = 0; n < ranges_.size(); ++n) {
    own_[n].notes.assign(ranges_[n].size, 0);
    ranges_[n].notes = own_[n].notes.data();
  }
}

Space::Space(Copy, const Space& other) : ranges_(other.ranges_) {
  note();
  for (std::size_t n = 0; n < ranges_.size(); ++n) {
    Range& range = ranges_[n];
    own_[n].bytes.assign(range.bytes, range.bytes + range.size);
    range.bytes = own_[n].bytes.data();
    range.written = &own_[n].written;
  }
}

bool Space::take_over(const Space& copy) {
  for (std::size_t n = 0; n < ranges_.size(); ++n) {
    const u8* const ours = ranges_[n].notes;
    const u8* const theirs = copy.ranges_[n].notes;
    bool differs = false;
    for (u64 at = 0; at < ranges_[n].size; ++at) differs |= (ours[at] & kWritten) != 0 && (theirs[at] & kRead) != 0;
    if (differs) return false;
  }
  for (std::size_t n = 0; n < ranges_.size(); ++n) {
    const Own& own = copy.own_[n];
    if (own.written == 0) continue;
    *ranges_[n].written += own.written;
    for (u64 at = 0; at < ranges_[n].size; ++at) {
      if ((own.notes[at] & kWritten) == 0) continue;
      ranges_[n].bytes[at] = own.bytes[at];
      ranges_[n].notes[at] |= kWritten;
    }
  }
  return true;
}

}  // namespace amdcompat::emulate
