// SHA-256: what programs, files and outputs are known by.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sha256_ctx;

namespace amdcompat::migrate {

using Digest = std::array<std::byte, 32>;

[[nodiscard]] Digest sha256(std::string_view bytes);
[[nodiscard]] std::string to_hex(const Digest& digest);  // 64 digits, lower case
[[nodiscard]] std::optional<Digest> digest_from_hex(std::string_view hex);

// Any bytes as hexadecimal digits, and back; empty: an odd number of digits, or one that is none (capitals are none).
[[nodiscard]] std::string hex(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_hex(std::string_view text);

// Of bytes that come in parts.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void add(std::string_view bytes);
  [[nodiscard]] Digest finish();

 private:
  std::unique_ptr<sha256_ctx> context_;
};

}  // namespace amdcompat::migrate
