// The bytes of a file, for the models that refer to them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace amdcompat {

// Bytes that nobody changes. Copies share them: a copy costs no memory.
class FileBytes {
 public:
  FileBytes() = default;
  // Takes them over.
  explicit FileBytes(std::vector<std::byte> bytes)
      : FileBytes(std::make_shared<std::vector<std::byte>>(std::move(bytes))) {}
  explicit FileBytes(std::string bytes) : FileBytes(std::make_shared<std::string>(std::move(bytes))) {}
  // Refers to `bytes`, which `owner` keeps (of a mapped file, say, what unmaps it). They must not change; a file that
  // another program may shorten is better read than mapped.
  FileBytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)), bytes_(bytes) {}
  // Refers to bytes that outlive this and all copies of it.
  [[nodiscard]] static FileBytes borrowed(std::span<const std::byte> bytes) { return {bytes, nullptr}; }

  [[nodiscard]] std::span<const std::byte> view() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] const std::byte* data() const { return bytes_.data(); }
  [[nodiscard]] auto begin() const { return bytes_.begin(); }
  [[nodiscard]] auto end() const { return bytes_.end(); }

 private:
  template <class Owner>
  explicit FileBytes(std::shared_ptr<Owner> owner)
      : owner_(owner), bytes_(std::as_bytes(std::span<const typename Owner::value_type>(*owner))) {}

  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
};

}  // namespace amdcompat
