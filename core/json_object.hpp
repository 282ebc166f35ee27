// A flat JSON object on one line, written member by member. Findings need no more of JSON than this.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace amdcompat {

class JsonObject {
 public:
  // `value` may be any bytes. Each longest run that begins a UTF-8 sequence and does not end it becomes one U+FFFD
  // (the practice of Unicode 15.0, section 3.9, table 3-8).
  void add(std::string_view key, std::string_view value);
  void add(std::string_view key, std::uint64_t value);

  std::string text() const { return text_ + '}'; }

 private:
  void begin_member(std::string_view key);
  void append_string(std::string_view value);

  std::string text_ = "{";
};

}  // namespace amdcompat
