// A share of a migration's inputs, so that several machines do one migration.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace amdcompat::migrate {

struct Shard {
  std::uint32_t index = 1;  // from 1
  std::uint32_t count = 1;
  friend bool operator==(const Shard&, const Shard&) = default;
};

// 1/4 … 4/4; empty when it is none.
[[nodiscard]] std::optional<Shard> parse_shard(std::string_view text);

// Whether a file is of this share: SHA-256 of its path modulo the count. Without a shard, every file is.
[[nodiscard]] bool is_in_shard(std::string_view path, const std::optional<Shard>& shard);

}  // namespace amdcompat::migrate
