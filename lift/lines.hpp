// A kernel's text by lines. Their indentation, two spaces each, is their depth; one that ends with an opening brace
// begins a block, one that begins with a closing brace ends it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir.hpp"

namespace amdcompat::lift {

inline constexpr auto kInWord = [] {
  std::array<bool, 256> out{};
  for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"))
    out[static_cast<u8>(c)] = true;
  return out;
}();
[[nodiscard]] constexpr bool in_word(char c) { return kInWord[static_cast<u8>(c)]; }
[[nodiscard]] inline bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, in_word) && !(text[0] >= '0' && text[0] <= '9');
}
// Names in a text, from the first to the last. A member of a vector is none.
template <class Take>
void each_name(std::string_view text, Take&& take) {
  const char *const begin = text.data(), *const stop = begin + text.size();
  for (const char* at = begin; at != stop;) {
    if (!in_word(*at)) {
      ++at;
      continue;
    }
    const char* end = at + 1;
    while (end != stop && in_word(*end)) ++end;
    if ((at == begin || at[-1] != '.') && !(*at >= '0' && *at <= '9'))
      take(static_cast<std::size_t>(at - begin), std::string_view(at, static_cast<std::size_t>(end - at)));
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
  if (!text.ends_with(";")) return std::nullopt;
  std::size_t sign = text.find('=');
  while (sign != std::string_view::npos && (sign == 0 || text[sign - 1] != ' ' || text[sign + 1] != ' '))
    sign = text.find('=', sign + 1);
  if (sign == std::string_view::npos) return std::nullopt;
  const std::size_t equals = sign - 1;
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
  // Of what `Lines` has read of it, and the text that was.
  u32 read = ~u32{0};
  std::string_view text_read{};
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

// Numbers for names, from 0 on.
class Names {
 public:
  static constexpr u32 kNew = ~u32{0};
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] u32 find(std::string_view name) const {
    if (table_.empty()) return kNew;
    return table_[place(name, hash(name))];
  }
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != kNew; }
  [[nodiscard]] std::string_view text(u32 number) const { return all_[number].text; }
  // One that has none, and whose text stays.
  u32 add(std::string_view name) {
    if ((all_.size() + 1) * 2 > table_.size()) {
      table_.assign(std::max<std::size_t>(table_.size() * 2, 256), kNew);
      for (u32 n = 0; n < all_.size(); ++n) table_[place(all_[n].text, all_[n].hash)] = n;
    }
    const u64 own = hash(name);
    table_[place(name, own)] = static_cast<u32>(all_.size());
    all_.push_back({name, own});
    return static_cast<u32>(all_.size() - 1);
  }

 private:
  struct One {
    std::string_view text;
    u64 hash;
  };
  [[nodiscard]] static u64 hash(std::string_view name) {
    u64 out = name.size();
    for (const char c : name) out = (out ^ static_cast<u8>(c)) * 0x9e3779b97f4a7c15;
    return out ^ out >> 32;
  }
  // Of a name in the table, or where there is room for it.
  [[nodiscard]] std::size_t place(std::string_view name, u64 hash) const {
    std::size_t at = hash & (table_.size() - 1);
    while (table_[at] != kNew && (all_[table_[at]].hash != hash || all_[table_[at]].text != name))
      at = (at + 1) & (table_.size() - 1);
    return at;
  }
  std::vector<One> all_;
  std::vector<u32> table_;
};

class Lines {
 public:
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  explicit Lines(std::string_view text) {
    constexpr std::size_t kUsual = 32;  // characters of a line
    all.reserve(text.size() / kUsual + 1);
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
  // What stands in a line: each text is read once.
  struct Name {
    u32 at;  // bytes from the beginning of the line
    u32 number;  // of the name, the same in all lines
  };
  [[nodiscard]] const std::optional<Setting>& set(Line& line) { return read(line).set; }
  // The number of the name of what a line sets, of one that sets something.
  [[nodiscard]] u32 set_name(Line& line) { return read(line).set_name; }
  // Whether `continue` is in it.
  [[nodiscard]] bool continues(Line& line) { return read(line).continues; }
  // Good until another line is read.
  [[nodiscard]] std::span<const Name> names(Line& line) {
    const Read& known = read(line);
    return {uses_.data() + known.first, known.count};
  }
  [[nodiscard]] u32 number(std::string_view name) {
    const u32 known = names_.find(name);
    return known != Names::kNew ? known : names_.add(keep(std::string(name)));
  }
  // How many names have one.
  [[nodiscard]] std::size_t numbers() const { return names_.size(); }
  // Those in the lines that are there, as long as these are.
  [[nodiscard]] Names named() {
    Names out;
    std::vector<bool> known;
    for (Line& line : all)
      for (const auto [at, number] : names(line)) {
        if (number >= known.size()) known.resize(numbers());
        if (known[number]) continue;
        known[number] = true;
        out.add(names_.text(number));
      }
    return out;
  }
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
  struct Read {
    std::optional<Setting> set{};
    u32 set_name = 0;
    u32 first = 0, count = 0;  // of its names in `uses_`
    bool continues = false;
  };
  const Read& read(Line& line) {
    if (line.text_read.data() == line.text.data() && line.text_read.size() == line.text.size()) return read_[line.read];
    line.text_read = line.text;
    line.read = static_cast<u32>(read_.size());
    Read& out = read_.emplace_back();
    out.set = setting(line.text);
    out.first = static_cast<u32>(uses_.size());
    each_name(line.text, [&](std::size_t at, std::string_view name) {
      const u32 known = names_.find(name);
      uses_.push_back({static_cast<u32>(at), known != Names::kNew ? known : names_.add(name)});
      if (out.set && at < out.set->value_at) out.set_name = uses_.back().number;  // the last one in front of the value
    });
    out.count = static_cast<u32>(uses_.size()) - out.first;
    out.continues = line.next_turn();
    return out;
  }

  std::deque<std::string> made_;
  std::deque<Read> read_;
  std::vector<Name> uses_;
  Names names_;
};

// Makes of a kernel's statements, with two spaces of indentation each, those of a person, with these variables
// declared. Their text.
[[nodiscard]] std::string tidy(Lines& lines, std::vector<Early> variables, Opposites opposites, const Bounds& bounds);

// Branches and loops are statements as well; what stands behind a branch on the same line is another one.
[[nodiscard]] u32 count_statements(const Lines& lines);

// Whether a value may be computed at another place, or once more, as long as what it names is the same: it reads no
// memory, asks no other work-item, and divides by nothing, which ends a program on some devices.
[[nodiscard]] bool movable(std::string_view value);

[[nodiscard]] std::string negated(std::string_view condition, const Opposites& opposites);

// Variables that copies join become one, where neither is set while the other one's value is still needed; `variables`
// are then those that are left.
void join_variables(Lines& lines, std::vector<Early>& variables, Opposites& opposites);

}  // namespace amdcompat::lift
