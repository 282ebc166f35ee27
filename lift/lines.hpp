// A kernel's text by lines. Their indentation, two spaces each, is their depth; one that ends with an opening brace
// begins a block, one that begins with a closing brace ends it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir.hpp"

namespace amdcompat::lift {

[[nodiscard]] constexpr bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
[[nodiscard]] inline bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, in_word) && !(text[0] >= '0' && text[0] <= '9');
}
// Names in a text, from the first to the last. A member of a vector is none.
template <class Take>
void each_name(std::string_view text, Take&& take) {
  for (std::size_t at = 0; at < text.size();) {
    if (!in_word(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && in_word(text[end])) ++end;
    if ((at == 0 || text[at - 1] != '.') && !(text[at] >= '0' && text[at] <= '9')) take(at, text.substr(at, end - at));
    at = end;
  }
}

[[nodiscard]] inline bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    // A member of a vector is no variable.
    const bool begins = at == 0 || (!in_word(text[at - 1]) && text[at - 1] != '.');
    if (begins && (end == text.size() || !in_word(text[end]))) return true;
  }
  return false;
}

// A text in which names are others: `other(name)` points to what stands for it, or to nothing.
template <class Other>
[[nodiscard]] std::string with_names(std::string_view text, Other&& other) {
  std::string out;
  std::size_t done = 0;
  each_name(text, [&](std::size_t at, std::string_view name) {
    const auto now = other(name);
    if (!now) return;
    out.append(text.substr(done, at - done)).append(*now);
    done = at + name.size();
  });
  return out.append(text.substr(done));
}

// What a line sets: `name = value;`, with a type and perhaps `const` where it declares the variable too.
struct Setting {
  std::string_view type, name, value;
  std::size_t value_at = 0;
  bool constant = false;
};
[[nodiscard]] inline std::optional<Setting> setting(std::string_view text) {
  const std::size_t equals = text.find(" = ");
  if (equals == std::string_view::npos || !text.ends_with(";")) return std::nullopt;
  Setting out;
  std::string_view left = text.substr(0, equals);
  out.constant = left.starts_with("const ");
  if (out.constant) left.remove_prefix(6);
  if (const std::size_t space = left.find(' '); space != std::string_view::npos) {
    out.type = left.substr(0, space);
    left.remove_prefix(space + 1);
    if (!is_word(out.type)) return std::nullopt;
  }
  if (!is_word(left)) return std::nullopt;
  out.name = left;
  out.value_at = equals + 3;
  out.value = text.substr(out.value_at, text.size() - 1 - out.value_at);
  return out;
}

struct Line {
  std::size_t depth = 0;
  // Of the kernel, or of a line that was made anew. With what stands behind a condition on the next line, if one does.
  std::string_view text;
  bool gone = false;
  [[nodiscard]] bool closes() const { return text.starts_with("}"); }
  [[nodiscard]] bool opens() const { return text.ends_with("{"); }
  // `if (…) {`, and what is in its brackets.
  [[nodiscard]] bool branches() const { return text.starts_with("if (") && opens(); }
  [[nodiscard]] std::string_view condition() const { return text.substr(4, text.size() - 7); }
  // The last line of a loop that tests at its end. `do { } while (false)` is none.
  [[nodiscard]] bool loops_back() const { return text.starts_with("} while (") && text != "} while (false);"; }
  [[nodiscard]] bool leaves_loop() const { return text == "break;" || text.ends_with(" break;"); }
  [[nodiscard]] bool next_turn() const { return text == "continue;" || text.ends_with(" continue;"); }
};

class Lines {
 public:
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  explicit Lines(std::string_view text) {
    all.reserve(static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1);
    while (!text.empty()) {
      std::size_t end = text.find('\n');
      if (const std::string_view line = text.substr(0, end);
          line.substr(std::min(line.find_first_not_of(' '), line.size())).starts_with("if (") && !line.ends_with("{") &&
          line.find(';') == std::string_view::npos)
        end = text.find('\n', std::min(end, text.size() - 1) + 1);
      const std::string_view line = text.substr(0, end);
      const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      all.push_back({indent / 2, line.substr(indent)});
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }
  std::string_view keep(std::string text) { return made_.emplace_back(std::move(text)); }
  void drop_gone() { std::erase_if(all, &Line::gone); }
  // The line behind one, or in front of it, that is still there; their number, or `kNowhere`: there is none.
  [[nodiscard]] std::size_t next(std::size_t n) const {
    do ++n;
    while (n < all.size() && all[n].gone);
    return n;
  }
  [[nodiscard]] std::size_t before(std::size_t n) const {
    while (n-- > 0)
      if (!all[n].gone) return n;
    return kNowhere;
  }
  // The line that ends what a line begins.
  [[nodiscard]] std::size_t end_of(std::size_t open) const {
    std::size_t n = next(open);
    while (n < all.size() && all[n].depth > all[open].depth) n = next(n);
    return n;
  }

  std::vector<Line> all;

 private:
  std::deque<std::string> made_;
};

// Branches and loops are statements as well; what stands behind a branch on the same line is another one.
[[nodiscard]] u32 count_statements(std::string_view text);

// Whether a value may be computed at another place, or once more, as long as what it names is the same: it reads no
// memory, asks no other work-item, and divides by nothing, which ends a program on some devices.
[[nodiscard]] bool movable(std::string_view value);

[[nodiscard]] std::string negated(std::string_view condition, const Opposites& opposites);

// Variables that copies join become one, where neither is set while the other one's value is still needed; `variables`
// are then those that are left.
void join_variables(Lines& lines, std::vector<Early>& variables, Opposites& opposites);

}  // namespace amdcompat::lift
