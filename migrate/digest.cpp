#include "digest.hpp"

#include <cstdint>
#include <cstring>

#include <nettle/sha2.h>

namespace amdcompat::migrate {

namespace {

char hex_digit(unsigned nibble) { return "0123456789abcdef"[nibble & 15]; }

std::optional<unsigned> nibble(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  return std::nullopt;
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
  const auto bytes = from_hex(text);
  if (!bytes || bytes->size() != out.size()) return std::nullopt;
  std::memcpy(out.data(), bytes->data(), out.size());
  return out;
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += hex_digit(static_cast<unsigned char>(c) >> 4);
    out += hex_digit(static_cast<unsigned char>(c));
  }
  return out;
}

std::optional<std::string> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto high = nibble(text[i]), low = nibble(text[i + 1]);
    if (!high || !low) return std::nullopt;
    out += static_cast<char>(*high << 4 | *low);
  }
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
