#include "space.hpp"

#include <algorithm>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace amdcompat::emulate {

namespace {

constexpr u64 kLargePage = u64{1} << 21;
std::size_t alignment_of(u64 size) { return size >= kLargePage / 2 ? kLargePage : kCacheLine; }

}  // namespace

u64 RawBytes::taken(u64 size) {
  const u64 alignment = alignment_of(size);
  return (size + alignment - 1) / alignment * alignment;
}

RawBytes::RawBytes(u64 size) {
  const std::size_t alignment = alignment_of(size);
  const u64 whole = taken(size);
  bytes_ = {static_cast<u8*>(::operator new(whole, std::align_val_t{alignment})), Delete{alignment}};
#if defined(__linux__)
  if (alignment == kLargePage) static_cast<void>(madvise(bytes_.get(), whole, MADV_HUGEPAGE));  // or not
#endif
}

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

u64 Space::copy_bytes() const {
  u64 sum = 0;
  for (const Range& range : ranges_) sum += 2 * RawBytes::taken(range.size);
  return sum;
}

void Space::note() {
  own_.resize(ranges_.size());
  for (std::size_t n = 0; n < ranges_.size(); ++n) {
    own_[n].notes = RawBytes(ranges_[n].size);
    ranges_[n].notes = own_[n].notes.data();
  }
}

Space::Space(Copy, const Space& other) : ranges_(other.ranges_) {
  note();
  for (std::size_t n = 0; n < ranges_.size(); ++n) {
    Range& range = ranges_[n];
    own_[n].bytes = RawBytes(range.size);
    std::memcpy(own_[n].bytes.data(), range.bytes, range.size);
    range.bytes = own_[n].bytes.data();
    range.written = &own_[n].written;
  }
}

bool Space::take_over(const Space& copy) {
  // Most of memory was not written, or all of it was: that is seen for many bytes at once.
  constexpr u64 kBlock = 64;
  for (std::size_t n = 0; n < ranges_.size(); ++n) {
    const u8* const ours = ranges_[n].notes;
    const u8* const theirs = copy.ranges_[n].notes;
    u8 both = 0;  // kRead is half of kWritten
    for (u64 at = 0; at < ranges_[n].size; ++at) both |= static_cast<u8>(ours[at] / kWritten & theirs[at]);
    if ((both & kRead) != 0) return false;
  }
  for (std::size_t n = 0; n < ranges_.size(); ++n) {
    const Own& own = copy.own_[n];
    if (own.written == 0) continue;
    const Range& range = ranges_[n];
    *range.written += own.written;
    const u8* const notes = own.notes.data();
    for (u64 at = 0; at < range.size; at += kBlock) {
      const u64 size = std::min(kBlock, range.size - at);
      u8 some = 0, all = kWritten;
      for (u64 k = at; k < at + size; ++k) {
        some |= notes[k];
        all &= notes[k];
      }
      if ((some & kWritten) == 0) continue;
      if (all != 0) {
        std::memcpy(range.bytes + at, own.bytes.data() + at, size);
      } else {
        for (u64 k = at; k < at + size; ++k)
          if ((notes[k] & kWritten) != 0) range.bytes[k] = own.bytes.data()[k];
      }
      for (u64 k = at; k < at + size; ++k) range.notes[k] |= notes[k] & kWritten;
    }
  }
  return true;
}

}  // namespace amdcompat::emulate
