// Reading and writing the records of CL2 containers: bounded cursors and names in messages.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/program.hpp>

#include <elf/little_endian.hpp>
#include <elf/names.hpp>

namespace amdcompat::cl2 {

using elf::as_text;
using elf::quoted;

// The bytes of a range; empty when it is not inside the file.
[[nodiscard]] inline std::span<const std::byte> part(std::span<const std::byte> file, SourceRange range) {
  if (!elf::inside(range.begin, range.size, file.size())) return {};
  return file.subspan(range.begin, range.size);
}

// Bytes of the records of arguments and printf formats in the metadata.
constexpr std::uint32_t argument_bytes(bool wide) { return wide ? 88 : 64; }
constexpr std::uint32_t printf_bytes(bool wide) { return wide ? 48 : 24; }

// Reads fields one after another. A read past the end gives zeros and is remembered, so that a run of reads needs one
// test. The visitor functions below are shared with `Appender`: one description of a record serves both.
class Cursor {
 public:
  Cursor(std::span<const std::byte> bytes, bool wide) : bytes_(bytes), wide_(wide) {}

  [[nodiscard]] bool wide() const { return wide_; }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

  template <std::unsigned_integral T>
  void field(std::string_view /*name*/, T& value) {
    value = take<T>();
  }
  template <std::unsigned_integral T, std::size_t N>
  void field(std::string_view /*name*/, std::array<T, N>& values) {
    for (T& value : values) value = take<T>();
  }
  void raw(std::string_view /*name*/, std::span<std::byte> out) {
    const std::span<const std::byte> from = bytes(out.size());
    std::ranges::copy(from, out.begin());
  }
  // A field that is 4 bytes in 32-bit files and 8 in others.
  void word(std::string_view /*name*/, std::uint64_t& value) {
    value = wide_ ? take<std::uint64_t>() : take<std::uint32_t>();
  }
  template <std::size_t N>
  void word(std::string_view name, std::array<std::uint64_t, N>& values) {
    for (std::uint64_t& value : values) word(name, value);
  }
  std::span<const std::byte> bytes(std::size_t count) {
    if (count > left()) {
      fail();
      return {};
    }
    const auto result = bytes_.subspan(at_, count);
    at_ += count;
    return result;
  }

 private:
  template <std::unsigned_integral T>
  T take() {
    if (left() < sizeof(T)) {
      fail();
      return 0;
    }
    const T value = elf::load<T>(bytes_, at_);
    at_ += sizeof(T);
    return value;
  }
  void fail() {
    failed_ = true;
    at_ = bytes_.size();
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool wide_;
  bool failed_ = false;
};

// Writes what `Cursor` reads.
class Appender {
 public:
  explicit Appender(bool wide) : wide_(wide) {}

  [[nodiscard]] bool wide() const { return wide_; }
  [[nodiscard]] std::vector<std::byte>& bytes() { return bytes_; }

  template <std::unsigned_integral T>
  void field(std::string_view /*name*/, T value) {
    put(value);
  }
  template <std::unsigned_integral T, std::size_t N>
  void field(std::string_view /*name*/, const std::array<T, N>& values) {
    for (const T value : values) put(value);
  }
  void raw(std::string_view /*name*/, std::span<const std::byte> from) { put_bytes(from); }
  void word(std::string_view /*name*/, std::uint64_t value) {
    if (wide_)
      put(value);
    else
      put(static_cast<std::uint32_t>(value));
  }
  template <std::size_t N>
  void word(std::string_view name, const std::array<std::uint64_t, N>& values) {
    for (const std::uint64_t value : values) word(name, value);
  }
  void put_text(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void put_bytes(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  template <std::unsigned_integral T>
  void put(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    elf::store(std::span(bytes_), at, value);
  }

 private:
  std::vector<std::byte> bytes_;
  bool wide_;
};

}  // namespace amdcompat::cl2
