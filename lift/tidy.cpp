// Statements as a person writes them: declarations where a variable is first needed, `while` and `for` for loops that
// test at their beginning, short branches on one line.
//
// Works on lines whose indentation, two spaces each, is their depth; a line that ends with an opening brace begins a
// block, one that begins with a closing brace ends it.
#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

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

constexpr std::size_t kNowhere = ~std::size_t{0};

// The text is that of the kernel, or of the lines that were made anew.
struct Line {
  std::size_t depth = 0;
  std::string_view text;
  bool gone = false;
  [[nodiscard]] bool closes() const { return text.starts_with("}"); }
  [[nodiscard]] bool opens() const { return text.ends_with("{"); }
};

class Tidy {
 public:
  Tidy(std::string_view text, const std::map<std::string, std::string>& opposites) : opposites_(opposites) {
    lines_.reserve(static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1);
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      lines_.push_back({indent / 2, line.substr(indent)});
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }

  // Backwards, so that what comes first is declared first.
  void declare(const std::vector<Early>& variables) {
    if (variables.empty()) return;
    std::unordered_map<std::string_view, Uses> uses;
    for (const Early& variable : variables) uses[variable.name];
    for (std::size_t n = 0; n < lines_.size(); ++n) find_uses(lines_[n].text, n, uses);
    std::vector<std::pair<std::size_t, Line>> declarations;  // and the lines in front of which they stand
    std::vector<Line> front;  // of all, the last one first
    for (std::size_t n = variables.size(); n-- > 0;)
      declare(variables[n], uses[variables[n].name], declarations, front);
    std::ranges::stable_sort(declarations, {}, [](const auto& one) { return one.first; });
    std::vector<Line> all(front.rbegin(), front.rend());
    all.reserve(all.size() + declarations.size() + lines_.size());
    for (std::size_t n = 0, next = 0; n < lines_.size(); ++n) {
      for (; next < declarations.size() && declarations[next].first == n; ++next)
        all.push_back(declarations[next].second);
      all.push_back(lines_[n]);
    }
    lines_ = std::move(all);
  }
  void loops() {
    for (std::size_t n = 0; n < lines_.size(); ++n)
      if (!lines_[n].gone && lines_[n].text == "for (;;) {") n = loop(n);
    std::erase_if(lines_, &Line::gone);
  }
  void branches() {
    for (std::size_t n = 0; n + 2 < lines_.size(); ++n) {
      Line& head = lines_[n];
      Line &only = lines_[n + 1], &end = lines_[n + 2];
      if (!head.text.starts_with("if (") || !head.opens() || end.text != "}" || end.depth != head.depth) continue;
      if (only.opens() || only.closes() || !only.text.ends_with(";") || only.text.starts_with("const ")) continue;
      const std::size_t length = head.text.size() - 1 + only.text.size();
      if (length + 2 * head.depth > kWidth || declares(only.text)) continue;
      head.text = keep(std::string(head.text.substr(0, head.text.size() - 1)).append(only.text));
      only.gone = end.gone = true;
      n += 2;
    }
    std::erase_if(lines_, &Line::gone);
  }
  // Where a kernel has barriers, the variables of a loop that is left in its middle are declared in front of it, if no
  // other loop and no barrier is in it: leaving what they are declared in makes it a loop that pocl does not join with
  // its own over the work-items of a group. The multiplication of matrices took four times as long.
  void declare_in_front_of_loops() {
    const auto heads = [](const Line& line) {
      return line.opens() && (line.text.starts_with("for (") || line.text.starts_with("while ("));
    };
    const auto waits = [](const Line& line) { return line.text.starts_with("barrier("); };
    const auto leaves = [](const Line& line) { return line.text == "break;" || line.text.ends_with(" break;"); };
    if (std::ranges::none_of(lines_, waits)) return;
    std::vector<Line> all;
    all.reserve(lines_.size());
    for (std::size_t n = 0; n < lines_.size(); ++n) {
      const std::size_t end = heads(lines_[n]) ? std::min(end_of(n), lines_.size()) : n;
      const std::span loop(lines_.data() + n, lines_.data() + end);
      if (loop.empty() || std::ranges::any_of(loop.subspan(1), heads) || std::ranges::any_of(loop, waits) ||
          std::ranges::none_of(loop, leaves)) {
        all.push_back(lines_[n]);
        continue;
      }
      std::map<std::string_view, std::vector<std::string_view>> names;  // by type
      std::unordered_set<std::string_view> known;
      for (Line& line : loop.subspan(1))
        if (const auto [type, name] = declared(line.text); !type.empty()) {
          line.text.remove_prefix(static_cast<std::size_t>(name.data() - line.text.data()));
          if (known.insert(name).second) names[type].push_back(name);
        }
      for (const auto& [type, list] : names) {
        std::string text;
        for (const std::string_view name : list) {
          if (!text.empty() && 2 * loop[0].depth + text.size() + name.size() + 3 > kWidth)
            all.push_back({loop[0].depth, keep(std::exchange(text, {}) + ";")});
          text += text.empty() ? fmt::format("{} {}", type, name) : fmt::format(", {}", name);
        }
        all.push_back({loop[0].depth, keep(text + ";")});
      }
      all.insert(all.end(), loop.begin(), loop.end());
      n = end - 1;
    }
    lines_ = std::move(all);
  }
  [[nodiscard]] std::string text() const {
    std::size_t size = 0;
    for (const Line& line : lines_) size += line.depth * 2 + line.text.size() + 1;
    std::string out;
    out.reserve(size);
    for (const Line& line : lines_) out.append(line.depth * 2, ' ').append(line.text) += '\n';
    return out;
  }

 private:
  std::string_view keep(std::string text) { return made_.emplace_back(std::move(text)); }
  // The line behind one, or in front of it, that is still there.
  [[nodiscard]] std::size_t next(std::size_t n) const {
    do ++n;
    while (n < lines_.size() && lines_[n].gone);
    return n;
  }
  [[nodiscard]] std::size_t before(std::size_t n) const {
    while (n-- > 0)
      if (!lines_[n].gone) return n;
    return kNowhere;
  }
  // A statement that begins with two words declares something.
  static bool declares(std::string_view text) {
    const std::size_t space = text.find(' ');
    return space != std::string_view::npos && space + 1 < text.size() &&
           std::ranges::all_of(text.substr(0, space), in_word) && in_word(text[space + 1]) &&
           !text.starts_with("return") && !text.starts_with("else") && !text.starts_with("if");
  }
  // What `const type name = …` or `type name = …` declares; empty: the statement is none of these.
  static std::pair<std::string_view, std::string_view> declared(std::string_view text) {
    if (text.starts_with("const ")) text.remove_prefix(6);
    const std::size_t space = text.find(' '), equals = text.find(" = ");
    if (!declares(text) || equals == std::string_view::npos || equals < space) return {};
    const std::string_view name = text.substr(space + 1, equals - space - 1);
    if (!std::ranges::all_of(name, in_word)) return {};
    return {text.substr(0, space), name};
  }
  struct Uses {
    std::size_t first = kNowhere, last = kNowhere;
  };
  static void find_uses(std::string_view text, std::size_t number, std::unordered_map<std::string_view, Uses>& uses) {
    for (std::size_t at = 0; at < text.size();) {
      if (!in_word(text[at])) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && in_word(text[end])) ++end;
      // A member of a vector is no variable, and none begins with a digit.
      const bool name = (at == 0 || text[at - 1] != '.') && !(text[at] >= '0' && text[at] <= '9');
      if (const auto use = name ? uses.find(text.substr(at, end - at)) : uses.end(); use != uses.end()) {
        use->second.first = std::min(use->second.first, number);
        use->second.last = number;
      }
      at = end;
    }
  }
  void declare(const Early& variable, const Uses& uses, std::vector<std::pair<std::size_t, Line>>& declarations,
               std::vector<Line>& front) {
    if (uses.first == kNowhere) return;
    std::size_t at = 0;
    if (!variable.in_front) {
      // The innermost block that has all of it, and the statement of that block it begins in.
      std::size_t depth = lines_[uses.first].depth;
      for (std::size_t n = uses.first; n <= uses.last; ++n) depth = std::min(depth, lines_[n].depth);
      at = uses.first;
      while (at > 0 && (lines_[at].depth > depth || lines_[at].closes())) --at;
      const std::string begin = variable.name + " = ";
      std::string_view& text = lines_[at].text;
      if (at == uses.first && text.starts_with(begin) && !mentions(text.substr(begin.size()), variable.name)) {
        text = keep(fmt::format("{} {}", variable.type, text));
        return;
      }
    }
    const std::string_view text =
        keep(fmt::format("{} {} = {};", variable.type, variable.name, variable.type == "bool" ? "false" : "0"));
    if (variable.in_front)
      front.push_back({1, text});
    else
      declarations.push_back({at, {lines_[at].depth, text}});
  }

  [[nodiscard]] std::size_t end_of(std::size_t open) const {
    std::size_t n = next(open);
    while (n < lines_.size() && lines_[n].depth > lines_[open].depth) n = next(n);
    return n;
  }
  // The line behind which to go on.
  std::size_t loop(std::size_t n) {
    const std::size_t test = next(n), leave = next(test), end = next(leave);
    if (end >= lines_.size()) return n;
    const std::string_view text = lines_[test].text;
    if (!text.starts_with("if (") || !lines_[test].opens() || lines_[leave].text != "break;" || lines_[end].text != "}")
      return n;
    lines_[n].text = keep(fmt::format("while ({}) {{", negated(text.substr(4, text.size() - 7))));
    for (const std::size_t gone : {test, leave, end}) lines_[gone].gone = true;
    // What a loop that counts begins with is not looked at.
    return counted(n) ? next(n) : n;
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
  // A variable that is set in front of a loop, tested at its beginning, and changed at its end. True: the line in front
  // went into the loop's.
  bool counted(std::size_t n) {
    const std::size_t end = end_of(n), front = before(n), last = before(end);
    if (front == kNowhere || last == n || before(last) == n || lines_[front].depth != lines_[n].depth ||
        lines_[front].opens())
      return false;
    const Line& step = lines_[last];
    const std::size_t assign = step.text.find(" = ");
    if (step.depth != lines_[n].depth + 1 || assign == std::string_view::npos) return false;
    const std::string name(step.text.substr(0, assign));
    if (!std::ranges::all_of(name, in_word)) return false;
    const std::string_view condition = lines_[n].text.substr(7, lines_[n].text.size() - 10);
    if (!mentions(condition, name)) return false;
    const std::string_view value = step.text.substr(assign + 3, step.text.size() - assign - 4);
    // Not by what is declared in the loop.
    std::string by;
    for (const std::string_view sign : {" + ", " - "})
      if (value.starts_with(name + std::string(sign))) {
        const std::string_view rest = value.substr(name.size() + 3);
        if (std::ranges::all_of(rest, in_word) && rest[0] >= '0' && rest[0] <= '9')
          by = rest == "1u" || rest == "1" ? fmt::format("{}{}{}", name, sign[1], sign[1])
                                           : fmt::format("{} {}= {}", name, sign[1], rest);
      }
    if (by.empty()) return false;
    const std::string set_to = name + " = ";
    const std::string_view set = lines_[front].text;
    const std::size_t at = set.find(set_to);
    if (at == std::string_view::npos || !(at == 0 || set[at - 1] == ' ') || !set.ends_with(";") ||
        set.starts_with("const "))
      return false;
    for (std::size_t k = next(n); k != last; k = next(k))
      if (lines_[k].text.find("continue;") != std::string_view::npos || lines_[k].text.starts_with(set_to))
        return false;
    // What is declared in front of the loop may be used behind it, up to the end of the block.
    bool behind = false;
    if (at != 0)
      for (std::size_t k = end; !behind && k < lines_.size() && lines_[k].depth >= lines_[n].depth; k = next(k))
        behind = mentions(lines_[k].text, name);
    const std::string_view begin = behind ? std::string_view() : set.substr(0, set.size() - 1);
    std::string head = fmt::format("for ({}; {}; {}) {{", begin, condition, by);
    if (head.size() + 2 * lines_[n].depth > kWidth) return false;
    lines_[n].text = keep(std::move(head));
    lines_[last].gone = true;
    if (!behind) lines_[front].gone = true;
    return !behind;
  }

  std::vector<Line> lines_;
  std::deque<std::string> made_;
  const std::map<std::string, std::string>& opposites_;
};

}  // namespace

std::string tidy(std::string_view text, const std::vector<Early>& variables,
                 const std::map<std::string, std::string>& opposites) {
  Tidy tidy(text, opposites);
  tidy.declare(variables);
  tidy.loops();
  tidy.branches();
  tidy.declare_in_front_of_loops();
  return tidy.text();
}

}  // namespace amdcompat::lift
