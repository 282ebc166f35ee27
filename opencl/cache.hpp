// Lifted programs on disk, by the hash of what they were made from. An entry is complete or absent: it is written to a
// file of its own and renamed; one that is not whole is as if it were absent. Any number of processes may share the
// directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace amdcompat::layer {

class Cache {
 public:
  // Keeps nothing where `directory` is empty or cannot be made. `limit`: bytes of all entries together.
  Cache(std::string directory, std::uint64_t limit);

  // What the entries of this library and these options are known by.
  [[nodiscard]] std::string key(std::string_view binary, std::string_view options) const;
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;
  void keep(const std::string& key, std::string_view source) const;

 private:
  void make_room(std::uint64_t bytes) const;
  [[nodiscard]] std::string path_of(const std::string& key) const;

  std::string directory_;
  std::uint64_t limit_;
};

}  // namespace amdcompat::layer
