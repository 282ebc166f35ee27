#include "json_object.hpp"

#include <cstddef>
#include <iterator>

#include <fmt/format.h>

namespace amdcompat {
namespace {

struct Sequence {
  std::size_t bytes = 1;
  bool complete = false;
};

// The UTF-8 sequence at the start of `text`, which is not empty, or as much of one as is there. The second byte decides
// about overlong forms, surrogates and values past U+10FFFF (Unicode 15.0, table 3-7).
Sequence utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  const unsigned second_low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned second_high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (std::size_t at = 1; at < length; ++at) {
    const unsigned low = at == 1 ? second_low : 0x80;
    const unsigned high = at == 1 ? second_high : 0xBF;
    if (at >= text.size() || byte(at) < low || byte(at) > high) return {at, false};
  }
  return {length, true};
}

void append_ascii(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
  }
  if (static_cast<unsigned char>(c) < 0x20) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
  } else {
    out += c;
  }
}

}  // namespace

void JsonObject::add(std::string_view key, std::string_view value) {
  begin_member(key);
  append_string(value);
}

void JsonObject::add(std::string_view key, std::uint64_t value) {
  begin_member(key);
  fmt::format_to(std::back_inserter(text_), "{}", value);
}

void JsonObject::begin_member(std::string_view key) {
  if (text_.size() > 1) text_ += ',';
  append_string(key);
  text_ += ':';
}

void JsonObject::append_string(std::string_view value) {
  text_ += '"';
  while (!value.empty()) {
    const Sequence sequence = utf8_sequence(value);
    if (!sequence.complete) {
      text_ += "\xEF\xBF\xBD";
    } else if (sequence.bytes == 1) {
      append_ascii(text_, value.front());
    } else {
      text_ += value.substr(0, sequence.bytes);
    }
    value.remove_prefix(sequence.bytes);
  }
  text_ += '"';
}

}  // namespace amdcompat
