// The caller's memory as work-groups see it that run one after another: the caller's own bytes, or a copy of them where
// other groups run beside these.
#pragma once

#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "opcode.hpp"

namespace amdcompat::emulate {

// What threads write all the time stays out of each other's cache lines.
inline constexpr std::size_t kCacheLine = 64;

// Bytes that nothing has set. Much of them is taken in large pages, where the system has such: memory of small ones
// takes longer to make than to use once.
class RawBytes {
 public:
  RawBytes() = default;
  explicit RawBytes(u64 size);
  [[nodiscard]] u8* data() const { return bytes_.get(); }
  // How many are taken for `size`.
  [[nodiscard]] static u64 taken(u64 size);

 private:
  struct Delete {
    std::size_t alignment = 0;
    void operator()(u8* bytes) const { ::operator delete(bytes, std::align_val_t{alignment}); }
  };
  std::unique_ptr<u8, Delete> bytes_{nullptr, Delete{kCacheLine}};
};

class alignas(kCacheLine) Space {
 public:
  // The caller's bytes. Local memory at its aperture and scratch memory come before what the caller has there.
  // `watched`: every access goes through `load` and `store`.
  Space(Memory& memory, u32 local_aperture, bool watched);
  // A copy of what another one has now. It notes what is read and written, from `clear_notes` on.
  struct Copy {};
  Space(Copy, const Space& other);
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  // `size` bytes from `address` on in the range that was used last, where nothing comes before it; null: they are not
  // there.
  [[nodiscard]] const u8* near_load(u64 address, u64 size) {
    return is_near(address, size) ? loaded(*near_, address, size) : nullptr;
  }
  [[nodiscard]] u8* near_store(u64 address, u64 size) {
    return is_near(address, size) ? stored(*near_, address, size) : nullptr;
  }
  // Where the byte at `first` is, and its notes, if there are any.
  struct Near {
    u8* bytes = nullptr;
    u8* notes = nullptr;
  };
  // Of `first` to `last` and `size` bytes from there on; null where they are not in one range, or something may come
  // before it. `first` is not above `last`. `stores`: how many there will be. The caller notes what is done.
  [[nodiscard]] Near near_all(u64 first, u64 last, u64 size, u64 stores) {
    if (!is_near(first, 1)) static_cast<void>(find(first, 1));
    const u64 place = first - near_->address;
    if (place >= near_->size) return {};
    const u64 left = near_->size - place;
    if (last - first > left || size > left - (last - first)) return {};
    *near_->written += stores;
    return {near_->bytes + place, near_->notes != nullptr ? near_->notes + place : nullptr};
  }
  static void note_load(u8* notes, u64 size) {
    if (size == sizeof(u32)) {  // mostly: all bytes at once
      u32 four;
      std::memcpy(&four, notes, sizeof(four));
      four |= ~(four >> 1) & 0x01010101 * kRead;
      std::memcpy(notes, &four, sizeof(four));
    } else {
      for (u64 n = 0; n < size; ++n) notes[n] |= static_cast<u8>(~(notes[n] >> 1) & kRead);
    }
  }
  static void note_store(u8* notes, u64 size) {
    for (u64 n = 0; n < size; ++n) notes[n] |= kWritten;
  }
  // The same in any range.
  [[nodiscard]] const u8* load(u64 address, u64 size) {
    Range* const range = find(address, size);
    return range != nullptr ? loaded(*range, address, size) : nullptr;
  }
  [[nodiscard]] u8* store(u64 address, u64 size) {
    Range* const range = find(address, size);
    return range != nullptr ? stored(*range, address, size) : nullptr;
  }

  // --- groups beside each other ---

  [[nodiscard]] u64 bytes() const;
  // What a copy of it takes, with its notes.
  [[nodiscard]] u64 copy_bytes() const;
  // From `clear_notes` on it notes what is read and written.
  void note();
  // By the thread that uses them: memory is made when it is first touched.
  void clear_notes() {
    for (const Range& range : ranges_) std::memset(range.notes, 0, range.size);
  }
  // Stores what was stored in a copy, which was made when `note` was called. False, and nothing happens: bytes were
  // read there that are others by now.
  [[nodiscard]] bool take_over(const Space& copy);
  // From here on it notes nothing.
  void stop_noting() {
    for (Range& range : ranges_) range.notes = nullptr;
  }

 private:
  static constexpr u8 kRead = 1, kWritten = 2;  // kRead: before it was written, so that 3 is both
  struct alignas(kCacheLine) Range {
    u64 address = 0, size = 0;
    u8* bytes = nullptr;
    u8* notes = nullptr;  // of each byte; null: nothing is noted
    u64* written = nullptr;  // how many stores there were
    bool is_near = false;  // may be `near_`
  };
  [[nodiscard]] bool is_near(u64 address, u64 size) const {
    const u64 place = address - near_->address;
    return place < near_->size && size <= near_->size - place;
  }
  static const u8* loaded(const Range& range, u64 address, u64 size) {
    const u64 place = address - range.address;
    if (range.notes != nullptr) [[unlikely]]
      note_load(range.notes + place, size);
    return range.bytes + place;
  }
  static u8* stored(const Range& range, u64 address, u64 size) {
    const u64 place = address - range.address;
    ++*range.written;
    if (range.notes != nullptr) [[unlikely]]
      note_store(range.notes + place, size);
    return range.bytes + place;
  }
  // Null: they are not all in one range.
  [[nodiscard]] Range* find(u64 address, u64 size);

  std::vector<Range> ranges_;  // ascending
  Range nothing_;
  Range* near_ = &nothing_;
  struct alignas(kCacheLine) Own {
    RawBytes notes, bytes;
    u64 written = 0;
  };
  std::vector<Own> own_;  // by range: notes, and what a copy has
};

}  // namespace amdcompat::emulate
