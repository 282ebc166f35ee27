#include "shard.hpp"

#include <charconv>
#include <system_error>

#include "digest.hpp"

namespace amdcompat::migrate {

std::optional<Shard> parse_shard(std::string_view text) {
  Shard out;
  const char* const end = text.data() + text.size();
  const auto [slash, bad_index] = std::from_chars(text.data(), end, out.index);
  if (bad_index != std::errc{} || slash == end || *slash != '/') return std::nullopt;
  const auto [last, bad_count] = std::from_chars(slash + 1, end, out.count);
  if (bad_count != std::errc{} || last != end || out.index == 0 || out.index > out.count) return std::nullopt;
  return out;
}

bool is_in_shard(std::string_view path, const std::optional<Shard>& shard) {
  if (!shard || shard->count == 1) return true;
  const Digest digest = sha256(path);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number = number << 8 | std::to_integer<std::uint64_t>(digest[i]);
  return number % shard->count == shard->index - 1;
}

}  // namespace amdcompat::migrate
