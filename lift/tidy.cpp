// Statements as a person writes them: declarations where a variable is first needed, `while` and `for` for loops that
// test at their beginning, short branches on one line.
//
// Works on lines whose indentation, two spaces each, is their depth; a line that ends with an opening brace begins a
// block, one that begins with a closing brace ends it.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "ir.hpp"

namespace amdcompat::lift {
namespace {

constexpr std::size_t kWidth = 118;

bool in_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    // A member of a vector is no variable.
    const bool begins = at == 0 || (!in_word(text[at - 1]) && text[at - 1] != '.');
    if (begins && (end == text.size() || !in_word(text[end]))) return true;
  }
  return false;
}

constexpr std::size_t kNoNumber = ~std::size_t{0};

struct Line {
  std::size_t depth = 0;
  std::string text;
  std::size_t number = kNoNumber;  // while variables are declared
  [[nodiscard]] bool closes() const { return text.starts_with("}"); }
  [[nodiscard]] bool opens() const { return text.ends_with("{"); }
};

class Tidy {
 public:
  Tidy(std::string_view text, const std::map<std::string, std::string>& opposites) : opposites_(opposites) {
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      lines_.push_back({indent / 2, std::string(line.substr(indent))});
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }

  // Backwards, so that what comes first is declared first.
  void declare(const std::vector<Early>& variables) {
    // Where each is used, by numbers that lines keep when others are put between them.
    std::map<std::string_view, Uses> uses;
    for (const Early& variable : variables) uses[variable.name];
    for (std::size_t n = 0; n < lines_.size(); ++n) {
      lines_[n].number = n;
      find_uses(lines_[n].text, n, uses);
    }
    for (std::size_t n = variables.size(); n-- > 0;) declare(variables[n], uses[variables[n].name]);
    for (Line& line : lines_) line.number = kNoNumber;
  }
  void loops() {
    for (std::size_t n = 0; n < lines_.size(); ++n)
      if (lines_[n].text == "for (;;) {") loop(n);
  }
  void branches() {
    for (std::size_t n = 0; n + 2 < lines_.size(); ++n) {
      const Line &head = lines_[n], &only = lines_[n + 1], &end = lines_[n + 2];
      if (!head.text.starts_with("if (") || !head.opens() || end.text != "}" || end.depth != head.depth) continue;
      if (only.opens() || only.closes() || !only.text.ends_with(";") || only.text.starts_with("const ")) continue;
      const std::string joined = head.text.substr(0, head.text.size() - 1) + only.text;
      if (joined.size() + 2 * head.depth > kWidth || declares(only.text)) continue;
      lines_[n].text = joined;
      erase(n + 1, n + 3);
    }
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const Line& line : lines_) out += std::string(line.depth * 2, ' ') + line.text + "\n";
    return out;
  }

 private:
  void erase(std::size_t from, std::size_t to) {
    lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(from), lines_.begin() + static_cast<std::ptrdiff_t>(to));
  }
  // A statement that begins with two words declares something.
  static bool declares(std::string_view text) {
    const std::size_t space = text.find(' ');
    return space != std::string_view::npos && space + 1 < text.size() &&
           std::ranges::all_of(text.substr(0, space), in_word) && in_word(text[space + 1]) &&
           !text.starts_with("return") && !text.starts_with("else") && !text.starts_with("if");
  }
  struct Uses {
    std::size_t first = kNoNumber, last = kNoNumber;
  };
  static void find_uses(std::string_view text, std::size_t number, std::map<std::string_view, Uses>& uses) {
    for (std::size_t at = 0; at < text.size();) {
      if (!in_word(text[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && in_word(text[end])) ++end;
      // A member of a vector is no variable.
      if (const auto use = uses.find(text.substr(at, end - at));
          use != uses.end() && (at == 0 || text[at - 1] != '.')) {
        use->second.first = std::min(use->second.first, number);
        use->second.last = number;
      }
      at = end;
    }
  }
  void declare(const Early& variable, const Uses& uses) {
    if (uses.first == kNoNumber) return;
    const auto place_of = [&](std::size_t number) {
      return static_cast<std::size_t>(std::ranges::find(lines_, number, &Line::number) - lines_.begin());
    };
    const std::size_t first = place_of(uses.first), last = place_of(uses.last);
    std::size_t at = 0;
    if (!variable.in_front) {
      // The innermost block that has all of it, and the statement of that block it begins in.
      std::size_t depth = lines_[first].depth;
      for (std::size_t n = first; n <= last; ++n) depth = std::min(depth, lines_[n].depth);
      at = first;
      while (at > 0 && (lines_[at].depth > depth || lines_[at].closes())) --at;
      const std::string begin = variable.name + " = ";
      std::string& text = lines_[at].text;
      if (at == first && text.starts_with(begin) &&
          !mentions(std::string_view(text).substr(begin.size()), variable.name)) {
        text = variable.type + " " + text;
        return;
      }
    }
    const std::size_t depth = variable.in_front ? 1 : lines_[at].depth;
    lines_.insert(
        lines_.begin() + static_cast<std::ptrdiff_t>(at),
        {depth, fmt::format("{} {} = {};", variable.type, variable.name, variable.type == "bool" ? "false" : "0")});
  }

  [[nodiscard]] std::size_t end_of(std::size_t open) const {
    std::size_t n = open + 1;
    while (n < lines_.size() && lines_[n].depth > lines_[open].depth) ++n;
    return n;
  }
  void loop(std::size_t n) {
    if (n + 3 >= lines_.size()) return;
    const Line &test = lines_[n + 1], &leave = lines_[n + 2], &end = lines_[n + 3];
    if (!test.text.starts_with("if (") || !test.opens() || leave.text != "break;" || end.text != "}") return;
    const std::string_view condition = std::string_view(test.text).substr(4, test.text.size() - 7);
    lines_[n].text = fmt::format("while ({}) {{", negated(condition));
    erase(n + 1, n + 4);
    counted(n);
  }
  std::string negated(std::string_view condition) const {
    if (const auto known = opposites_.find(std::string(condition)); known != opposites_.end()) return known->second;
    if (condition.starts_with("!(") && condition.ends_with(")")) {
      int depth = 0;
      std::size_t at = 1;
      for (; at < condition.size(); ++at) {
        depth += condition[at] == '(' ? 1 : condition[at] == ')' ? -1 : 0;
        if (depth == 0) break;
      }
      if (at + 1 == condition.size()) return std::string(condition.substr(2, condition.size() - 3));
    }
    if (condition.starts_with("!") && std::ranges::all_of(condition.substr(1), in_word))
      return std::string(condition.substr(1));
    return std::ranges::all_of(condition, in_word) ? fmt::format("!{}", condition) : fmt::format("!({})", condition);
  }
  // A variable that is set in front of a loop, tested at its beginning, and changed at its end.
  void counted(std::size_t n) {
    const std::size_t end = end_of(n);
    if (n == 0 || end <= n + 2 || lines_[n - 1].depth != lines_[n].depth || lines_[n - 1].opens()) return;
    const Line& step = lines_[end - 1];
    const std::size_t assign = step.text.find(" = ");
    if (step.depth != lines_[n].depth + 1 || assign == std::string::npos) return;
    const std::string name = step.text.substr(0, assign);
    if (!std::ranges::all_of(name, in_word)) return;
    const std::string condition = lines_[n].text.substr(7, lines_[n].text.size() - 10);
    if (!mentions(condition, name)) return;
    for (std::size_t k = n + 1; k + 1 < end; ++k)
      if (lines_[k].text.find("continue;") != std::string::npos || lines_[k].text.starts_with(name + " = ")) return;
    const std::string_view value = std::string_view(step.text).substr(assign + 3, step.text.size() - assign - 4);
    // Not by what is declared in the loop.
    std::string by;
    for (const std::string_view sign : {" + ", " - "})
      if (value.starts_with(name + std::string(sign))) {
        const std::string_view rest = value.substr(name.size() + 3);
        if (std::ranges::all_of(rest, in_word) && rest[0] >= '0' && rest[0] <= '9')
          by = rest == "1u" || rest == "1" ? fmt::format("{}{}{}", name, sign[1], sign[1])
                                           : fmt::format("{} {}= {}", name, sign[1], rest);
      }
    if (by.empty()) return;
    const std::string& set = lines_[n - 1].text;
    const std::size_t at = set.find(name + " = ");
    if (at == std::string::npos || !(at == 0 || set[at - 1] == ' ') || !set.ends_with(";") || set.starts_with("const "))
      return;
    bool behind = false;
    if (at != 0)
      for (std::size_t k = end; k < lines_.size(); ++k) behind = behind || mentions(lines_[k].text, name);
    std::string begin = behind ? std::string() : set.substr(0, set.size() - 1);
    const std::string head = fmt::format("for ({}; {}; {}) {{", begin, condition, by);
    if (head.size() + 2 * lines_[n].depth > kWidth) return;
    lines_[n].text = head;
    erase(end - 1, end);
    if (!behind) erase(n - 1, n);
  }

  std::vector<Line> lines_;
  const std::map<std::string, std::string>& opposites_;
};

}  // namespace

std::string tidy(std::string_view text, const std::vector<Early>& variables,
                 const std::map<std::string, std::string>& opposites) {
  Tidy tidy(text, opposites);
  tidy.declare(variables);
  tidy.loops();
  tidy.branches();
  return tidy.text();
}

}  // namespace amdcompat::lift
