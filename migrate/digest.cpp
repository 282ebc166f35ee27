#include "digest.hpp"

#include <array>
#include <cstdint>

#include <nettle/sha2.h>

namespace amdcompat::migrate {

namespace {

char hex_digit(unsigned nibble) { return "0123456789abcdef"[nibble & 15]; }

// The value of each digit; of what is none, a number that fits into no nibble.
constexpr std::uint8_t kNoDigit = 0x80;
constexpr std::array<std::uint8_t, 256> kNibbles = [] {
  std::array<std::uint8_t, 256> out;
  out.fill(kNoDigit);
  for (std::uint8_t i = 0; i < 10; ++i) out[static_cast<std::size_t>('0' + i)] = i;
  for (std::uint8_t i = 0; i < 6; ++i) out[static_cast<std::size_t>('a' + i)] = static_cast<std::uint8_t>(10 + i);
  return out;
}();

// The bytes of an even number of digits, to where there is room for them. False: one is no digit.
bool put_bytes(std::string_view digits, char* to) {
  std::uint8_t all = 0;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const std::uint8_t high = kNibbles[static_cast<unsigned char>(digits[i])];
    const std::uint8_t low = kNibbles[static_cast<unsigned char>(digits[i + 1])];
    all |= high | low;
    *to++ = static_cast<char>(high << 4 | low);
  }
  return (all & kNoDigit) == 0;
}

}  // namespace

Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

std::string to_hex(const Digest& digest) { return hex({reinterpret_cast<const char*>(digest.data()), digest.size()}); }

std::optional<Digest> digest_from_hex(std::string_view text) {
  Digest out;
  if (text.size() != 2 * out.size() || !put_bytes(text, reinterpret_cast<char*>(out.data()))) return std::nullopt;
  return out;
}

std::string hex(std::string_view bytes) {
  std::string out(2 * bytes.size(), '\0');
  char* to = out.data();
  for (const char c : bytes) {
    *to++ = hex_digit(static_cast<unsigned char>(c) >> 4);
    *to++ = hex_digit(static_cast<unsigned char>(c));
  }
  return out;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string out(text.size() / 2, '\0');
  if (!put_bytes(text, out.data())) return std::nullopt;
  return out;
}

Sha256::Sha256() : context_(std::make_unique<sha256_ctx>()) { sha256_init(context_.get()); }
Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  sha256_update(context_.get(), bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

Digest Sha256::finish() {
  Digest out;
  sha256_digest(context_.get(), out.size(), reinterpret_cast<std::uint8_t*>(out.data()));
  return out;
}

}  // namespace amdcompat::migrate
