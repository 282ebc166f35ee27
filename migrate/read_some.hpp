// Bytes that come in parts: from memory, from a file, from a member of an archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <unistd.h>

namespace amdcompat::migrate {

inline constexpr std::size_t kBlock = std::size_t{1} << 18;  // bytes that are asked for at once

// Reads up to `size` bytes to `to`: how many; 0 at the end, negative when it cannot be read any further.
using ReadSome = std::function<std::ptrdiff_t(char* to, std::size_t size)>;
// Of bytes that are there already, and outlive it.
[[nodiscard]] ReadSome read_from(std::string_view bytes);
// From where the descriptor stands, which outlives it.
[[nodiscard]] ReadSome read_from(int descriptor);

// Up to `most` bytes, `expected` of them probably; false when they cannot be read.
[[nodiscard]] bool read_up_to(const ReadSome& read, std::uint64_t most, std::uint64_t expected, std::string& out);

// Owns a descriptor of the system's; a negative one is none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int value) : value_(value) {}
  ~FileDescriptor() {
    if (value_ >= 0) ::close(value_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

}  // namespace amdcompat::migrate
