#include "launch_places.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace amdcompat::cli {

std::string join(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}
std::string element(std::string_view path, std::size_t index) { return fmt::format("{}[{}]", path, index); }
std::string constant_data_path(std::string_view key) { return fmt::format("constant_data[{}]", key); }

void locate(std::string_view json, std::span<Diagnostic> findings) {
  struct Level {
    bool array = false;
    bool named = true;  // deeper values have no path
    std::size_t index = 0;
    std::string path, key;
  };
  constexpr std::size_t kDeepest = 4;  // arguments[0].image.width
  constexpr std::string_view kLineEnds("\r\n\0", 3);  // what ends a comment for the JSON library
  constexpr std::string_view kValueEnds(",]} \t\r\n/\0", 9);
  std::map<std::string_view, std::uint32_t> places;
  for (const Diagnostic& finding : findings) places.try_emplace(finding.path, 0);
  std::vector<Level> levels;
  // The value at `at`: the path it has, after its place was noted.
  const auto value = [&](std::size_t at) {
    std::string path;
    if (!levels.empty()) {
      const Level& in = levels.back();
      path = in.array                     ? element(in.path, in.index)
             : in.path == "constant_data" ? constant_data_path(in.key)
                                          : join(in.path, in.key);
    }
    if (const auto wanted = places.find(path); wanted != places.end()) wanted->second = static_cast<std::uint32_t>(at);
    return path;
  };
  bool is_key = false;
  for (std::size_t at = json.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < json.size();) {
    const bool named = levels.empty() || levels.back().named;
    const char c = json[at];
    if (c == '\0') break;  // ends the document for the JSON library
    std::size_t next = at + 1;
    if (c == '/') {
      const bool line = json.substr(at).starts_with("//");
      const std::size_t last = line ? json.find_first_of(kLineEnds, at) : json.find("*/", at + 2);
      next = last == std::string_view::npos ? json.size() : last + (line ? 1 : 2);
    } else if (c == '{' || c == '[') {
      std::string path = named ? value(at) : std::string();
      Level& inside = levels.emplace_back();
      inside.array = c == '[';
      inside.named = named && levels.size() <= kDeepest;
      if (inside.named) inside.path = std::move(path);
      is_key = c == '{';
    } else if (c == '}' || c == ']') {
      if (!levels.empty()) levels.pop_back();
      is_key = false;
    } else if (c == ',') {
      if (!levels.empty()) ++levels.back().index;
      is_key = !levels.empty() && !levels.back().array;
    } else if (c == '"') {
      while (next < json.size() && json[next] != '"') next += json[next] == '\\' ? 2 : 1;
      ++next;
      if (!is_key && named) value(at);
      if (is_key && named) {
        const nlohmann::json key = nlohmann::json::parse(json.substr(at, next - at), nullptr, false);  // has escapes
        levels.back().key = key.is_string() ? key.get<std::string>() : std::string();
      }
      is_key = false;
    } else if (c != ':' && c != ' ' && c != '\t' && c != '\r' && c != '\n') {
      next = std::min(json.find_first_of(kValueEnds, at), json.size());
      if (named) value(at);
    }
    at = next;
  }
  for (Diagnostic& finding : findings) finding.where = {places.find(finding.path)->second, 0};
}

}  // namespace amdcompat::cli
