// Statements as a person writes them: declarations where a variable is first needed, `while` and `for` for loops that
// test at their beginning, short branches on one line.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "lines.hpp"

namespace amdcompat::lift {
namespace {

constexpr std::size_t kWidth = 118;

constexpr std::size_t kNowhere = Lines::kNowhere;

// Behind the bracket that closes the one at a place of a text.
std::size_t end_of_bracket(std::string_view text, std::size_t at = 0) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return at;
}

class Tidy {
 public:
  Tidy(Lines& lines, const Opposites& opposites, const Bounds& bounds)
      : store_(lines), lines_(lines.all), opposites_(opposites), bounds_(bounds) {}

  // Backwards, so that what comes first is declared first.
  void declare(const std::vector<Early>& variables) {
    if (variables.empty()) return;
    std::vector<Uses> uses;  // by name
    for (std::size_t n = 0; n < lines_.size(); ++n)
      for (const auto& one : store_.names(lines_[n])) {
        if (one.number >= uses.size()) uses.resize(store_.numbers());
        uses[one.number].first = std::min(uses[one.number].first, n);
        uses[one.number].last = n;
      }
    std::vector<std::pair<std::size_t, Line>> declarations;  // and the lines in front of which they stand
    std::vector<Line> front;  // of all, the last one first
    for (std::size_t n = variables.size(); n-- > 0;)
      if (const u32 name = store_.number(variables[n].name); name < uses.size())
        declare(variables[n], uses[name], declarations, front);
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
    for (std::size_t n = 0; n < lines_.size(); ++n) uses(n);
    for (std::size_t n = 0; n < lines_.size(); ++n)
      if (!lines_[n].gone && lines_[n].text == "for (;;) {") n = loop(n);
    store_.drop_gone();
  }
  void branches() {
    for (std::size_t n = 0; n + 2 < lines_.size(); ++n) {
      Line& head = lines_[n];
      Line &only = lines_[n + 1], &end = lines_[n + 2];
      if (!head.branches() || end.text != "}" || end.depth != head.depth) continue;
      if (only.opens() || only.closes() || !only.text.ends_with(";") || only.text.starts_with("const ") ||
          only.text.find('\n') != std::string_view::npos)
        continue;
      const std::size_t length = head.text.size() - 1 + only.text.size();
      if (length + 2 * head.depth > kWidth || declares(only.text)) continue;
      head.text = keep(std::string(head.text.substr(0, head.text.size() - 1)).append(only.text));
      only.gone = end.gone = true;
      n += 2;
    }
    store_.drop_gone();
  }
  // Where a kernel has barriers, the variables of a loop that is left in its middle are declared in front of it, if no
  // other loop and no barrier is in it: leaving what they are declared in makes it a loop that pocl does not join with
  // its own over the work-items of a group. The multiplication of matrices took four times as long.
  void declare_in_front_of_loops() {
    const auto heads = [](const Line& line) {
      return (line.opens() && (line.text.starts_with("for (") || line.text.starts_with("while ("))) ||
             line.loops_back();
    };
    const auto waits = [](const Line& line) { return line.text.starts_with("barrier("); };
    if (std::ranges::none_of(lines_, waits)) return;
    std::vector<Line> all;
    all.reserve(lines_.size());
    for (std::size_t n = 0; n < lines_.size(); ++n) {
      const std::size_t end = heads(lines_[n]) ? std::min(store_.end_of(n), lines_.size()) : n;
      const std::span loop(lines_.data() + n, lines_.data() + end);
      if (loop.empty() || std::ranges::any_of(loop.subspan(1), heads) || std::ranges::any_of(loop, waits) ||
          std::ranges::none_of(loop, &Line::leaves_loop)) {
        all.push_back(lines_[n]);
        continue;
      }
      std::map<std::string_view, std::vector<std::string_view>> names;  // by type
      std::unordered_set<std::string_view> known;
      for (Line& line : loop.subspan(1))
        if (const auto& set = store_.set(line); set && !set->type.empty()) {
          line.text.remove_prefix(static_cast<std::size_t>(set->name.data() - line.text.data()));
          if (known.insert(set->name).second) names[set->type].push_back(set->name);
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
  // x = x + y is x += y.
  void shorten() {
    for (Line& line : lines_) {
      if (const auto& set = store_.set(line)) {
        if (set->type.empty())
          if (std::string now = shorter(set->name, set->value); !now.empty()) line.text = keep(std::move(now));
        continue;
      }
      // `if (c) x = x + y;` on one line.
      constexpr std::string_view kSets = " = ";
      const std::size_t end = line.branches() || !line.text.ends_with(";") ? 0 : end_of_condition(line.text);
      const std::size_t sign = end == 0 ? line.text.npos : line.text.find(kSets, end);
      if (sign == line.text.npos) continue;
      const std::string_view name = line.text.substr(end, sign - end);
      std::string_view value = line.text.substr(sign + kSets.size());
      value.remove_suffix(1);
      if (!std::ranges::all_of(name, in_word)) continue;
      if (const std::string now = shorter(name, value); !now.empty())
        line.text = keep(std::string(line.text.substr(0, end)) + now);
    }
  }
  // The place behind "if (c) "; 0: the text does not begin so.
  static std::size_t end_of_condition(std::string_view text) {
    constexpr std::string_view kIf = "if (";
    if (!text.starts_with(kIf)) return 0;
    const std::size_t end = end_of_bracket(text, kIf.size() - 1);
    return end < text.size() && text[end] == ' ' ? end + 1 : 0;
  }
  static std::string shorter(std::string_view name, std::string_view value) {
    for (const std::string_view sign : {" + ", " - ", " * ", " & ", " | ", " ^ ", " << ", " >> "}) {
      const std::string_view by = sign.substr(1, sign.size() - 2);
      const bool sum = by == "+" || by == "-", either = by != "-" && by != "<<" && by != ">>";
      std::string_view rest;
      if (value.starts_with(name) && value.substr(name.size()).starts_with(sign))
        rest = value.substr(name.size() + sign.size());
      else if (either && value.ends_with(name) && value.substr(0, value.size() - name.size()).ends_with(sign))
        rest = value.substr(0, value.size() - name.size() - sign.size());
      if (rest.empty() || !one_term(rest, sum)) continue;
      if (rest.starts_with('(') && end_of_bracket(rest) == rest.size()) rest = rest.substr(1, rest.size() - 2);
      return fmt::format("{} {}= {};", name, by, rest);
    }
    return {};
  }
  // Constants of one type that stand side by side and are short are declared together, and so are variables.
  void declare_together() {
    for (std::size_t n = 0; n + 1 < lines_.size(); ++n) {
      const auto& first = store_.set(lines_[n]);
      if (!first || first->type.empty()) continue;
      std::string text(lines_[n].text.substr(0, lines_[n].text.size() - 1));
      std::size_t last = n;
      while (last + 1 < lines_.size() && lines_[last + 1].depth == lines_[n].depth) {
        const auto& next = store_.set(lines_[last + 1]);
        if (!next || next->constant != first->constant || next->type != first->type) break;
        constexpr std::string_view kSigns = ",  = ;";
        const std::size_t more = next->name.size() + next->value.size() + kSigns.size();
        if (2 * lines_[n].depth + text.size() + more > kWidth) break;
        text.append(", ").append(next->name).append(" = ").append(next->value);
        lines_[++last].gone = true;
      }
      if (last != n) lines_[n].text = keep(text + ";");
      n = last;
    }
    store_.drop_gone();
  }
  [[nodiscard]] std::string text() const {
    std::size_t size = 0;
    for (const Line& line : lines_) size += line.depth * 2 + line.text.size() + 1;
    std::string out;
    out.reserve(size);
    for (const Line& line : lines_) {
      const std::size_t second = line.text.find('\n');
      out.append(line.depth * 2, ' ').append(line.text.substr(0, second)) += '\n';
      if (second == std::string_view::npos) continue;
      const std::string_view rest = line.text.substr(line.text.find_first_not_of(" \n", second));
      out.append(line.depth * 2 + 2, ' ').append(rest) += '\n';
    }
    return out;
  }

 private:
  std::string_view keep(std::string text) { return store_.keep(std::move(text)); }
  // A statement that begins with two words declares something.
  static bool declares(std::string_view text) {
    const std::size_t space = text.find(' ');
    return space != std::string_view::npos && space + 1 < text.size() &&
           std::ranges::all_of(text.substr(0, space), in_word) && in_word(text[space + 1]) &&
           !text.starts_with("return") && !text.starts_with("else") && !text.starts_with("if");
  }
  struct Uses {
    std::size_t first = kNowhere, last = kNowhere;
  };
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

  // No line behind `last_` names a name; lines that move to the front may make it less.
  void uses(std::size_t n) {
    for (const auto& one : store_.names(lines_[n])) {
      if (one.number >= last_.size()) last_.resize(store_.numbers());
      last_[one.number] = std::max(last_[one.number], n);
    }
  }
  // The line behind which to go on.
  std::size_t loop(std::size_t n) {
    const std::size_t test = store_.next(n), leave = store_.next(test), end = store_.next(leave);
    if (end >= lines_.size()) return n;
    if (!lines_[test].branches() || lines_[leave].text != "break;" || lines_[end].text != "}") return tested_at_end(n);
    lines_[n].text = keep(fmt::format("while ({}) {{", negated(lines_[test].condition(), opposites_)));
    for (const std::size_t gone : {test, leave, end}) lines_[gone].gone = true;
    // What a loop that counts begins with is not looked at.
    return counted(n) ? store_.next(n) : n;
  }
  // A loop that ends with its test; and one whose test is known to hold at first, which may as well begin with it.
  std::size_t tested_at_end(std::size_t n) {
    const std::size_t end = store_.end_of(n), close = store_.before(end);
    const std::size_t leave = store_.before(close), test = store_.before(leave);
    if (end >= lines_.size() || test == kNowhere || test <= n || lines_[close].text != "}" ||
        lines_[close].depth != lines_[n].depth + 1 || lines_[leave].text != "break;" || !lines_[test].branches())
      return n;
    const std::string condition = negated(lines_[test].condition(), opposites_);
    for (std::size_t k = store_.next(n); k != test; k = store_.next(k))
      if (lines_[k].next_turn()) return n;
    // What is declared in the loop is not known behind its end.
    bool known = true;
    each_name(condition, [&](std::size_t, std::string_view name) {
      for (std::size_t k = store_.next(n); known && k != test; k = store_.next(k))
        if (declares(lines_[k].text) && mentions(lines_[k].text.substr(0, lines_[k].text.find('=')), name))
          known = false;
    });
    if (!known) return n;
    for (const std::size_t gone : {test, leave, close}) lines_[gone].gone = true;
    if (holds_at_first(n, condition) || guarded(n, end, condition)) {
      lines_[n].text = keep(fmt::format("while ({}) {{", condition));
      step_last(n, end, condition);
      return counted(n) ? store_.next(n) : n;
    }
    lines_[n].text = "do {";
    lines_[end].text = keep(fmt::format("}} while ({});", condition));
    return n;
  }
  // A number, or the largest that it may be.
  struct Begin {
    std::uint32_t most;
    bool known;
  };
  std::optional<Begin> begin_of(std::string_view text) const {
    if (const auto known = number(text)) return Begin{*known, true};
    if (const auto bound = bounds_.find(std::string(text)); bound != bounds_.end()) return Begin{bound->second, false};
    return std::nullopt;
  }
  // What is set to a number in front of a loop stands last there, where the condition tests it. The number.
  std::optional<Begin> begins_with(std::size_t n, std::string_view condition) {
    for (std::size_t front = store_.before(n); front != kNowhere && lines_[front].depth == lines_[n].depth;
         front = store_.before(front)) {
      const auto& set = store_.set(lines_[front]);
      if (!set) return std::nullopt;
      const std::string_view name = set->name;
      if (!mentions(condition, name)) continue;
      const auto begin = begin_of(set->value);
      if (!begin) return std::nullopt;
      for (std::size_t k = store_.next(front); k != n; k = store_.next(k))
        if (mentions(lines_[k].text, name)) return std::nullopt;
      const Line first = lines_[front];
      for (std::size_t k = store_.next(front); k != n; front = k, k = store_.next(k)) lines_[front] = lines_[k];
      lines_[front] = first;
      uses(front);
      return begin;
    }
    return std::nullopt;
  }
  static std::optional<std::uint32_t> number(std::string_view text) {
    if (!text.ends_with("u")) return std::nullopt;
    const bool hex = text.starts_with("0x");
    const char *begin = text.data() + (hex ? 2 : 0), *end = text.data() + text.size() - 1;
    std::uint32_t out = 0;
    const auto [at, error] = std::from_chars(begin, end, out, hex ? 16 : 10);
    return error == std::errc() && at == end ? std::optional(out) : std::nullopt;
  }
  // A comparison of numbers with a variable that is set to one just in front of the loop.
  bool holds_at_first(std::size_t n, std::string_view condition) {
    const auto begin = begins_with(n, condition);
    if (!begin) return false;
    for (const std::string_view sign : {" != ", " < "}) {
      const std::size_t at = condition.find(sign);
      if (at == std::string_view::npos) continue;
      const std::string_view first = condition.substr(0, at), second = condition.substr(at + sign.size());
      const auto side = [&](std::string_view of) { return is_word(of) ? begin->most : number(of); };
      const auto left = side(first), right = side(second);
      if (!left || !right || is_word(first) == is_word(second) ||
          (!begin->known && (sign == " != " || !is_word(first))))
        continue;
      return sign == " < " ? *left < *right : *left != *right;
    }
    return false;
  }
  // The loop is all that a branch with the same condition is for: the branch goes. What is computed in front of the
  // loop then is so also where the loop has no turn.
  bool guarded(std::size_t n, std::size_t end, std::string_view condition) {
    constexpr u32 kMostInFront = 8;
    const std::size_t behind = store_.next(end);
    if (behind >= lines_.size() || lines_[behind].text != "}" || lines_[behind].depth + 1 != lines_[n].depth)
      return false;
    std::size_t head = store_.before(n);
    std::string at_first(condition);  // with what its variables are set to in front of the loop
    for (u32 count = 0; head != kNowhere && lines_[head].depth == lines_[n].depth; ++count) {
      const auto& set = store_.set(lines_[head]);
      if (count == kMostInFront || !set || set->type.empty() || !movable(set->value)) return false;
      if (mentions(at_first, set->name) && !std::ranges::all_of(set->value, in_word)) return false;
      at_first = with_names(at_first, [&](std::string_view name) { return name == set->name ? &set->value : nullptr; });
      head = store_.before(head);
    }
    if (head == kNowhere || lines_[head].depth != lines_[behind].depth) return false;
    // Numbers without a sign that are more than 0 are not 0.
    const std::string guard = fmt::format("if ({}) {{", at_first);
    const bool more = at_first.starts_with("0u < ") && is_word(std::string_view(at_first).substr(5));
    if (lines_[head].text != guard &&
        !(more && lines_[head].text == fmt::format("if ({} != 0u) {{", std::string_view(at_first).substr(5))))
      return false;
    lines_[head].gone = lines_[behind].gone = true;
    for (std::size_t k = head; k != behind; ++k)
      if (!lines_[k].gone) --lines_[k].depth;
    return true;
  }
  // The setting of what a loop tests comes last, where nothing behind it needs the variable.
  void step_last(std::size_t n, std::size_t end, std::string_view condition) {
    const std::size_t depth = lines_[n].depth + 1;
    for (std::size_t k = store_.before(end); k != n && lines_[k].depth == depth; k = store_.before(k)) {
      const auto& set = store_.set(lines_[k]);
      if (!set || !set->type.empty()) return;
      if (!mentions(condition, set->name)) continue;
      if (!movable(set->value)) return;
      for (std::size_t later = store_.next(k); later < end; later = store_.next(later)) {
        const auto& other = store_.set(lines_[later]);
        if (mentions(lines_[later].text, set->name) || (other && mentions(set->value, other->name))) return;
      }
      const Line step = lines_[k];
      std::size_t last = k;
      for (std::size_t later = store_.next(k); later < end; later = store_.next(later)) {
        lines_[last] = lines_[later];
        last = later;
      }
      lines_[last] = step;
      uses(last);
      return;
    }
  }
  // Whether a value has no operator outside of brackets, but for products.
  static bool one_term(std::string_view value, bool products) {
    int depth = 0;
    for (std::size_t n = 0; n < value.size(); ++n) {
      depth += value[n] == '(' || value[n] == '[' ? 1 : value[n] == ')' || value[n] == ']' ? -1 : 0;
      if (depth != 0 || value[n] != ' ') continue;
      if (!products || !value.substr(n).starts_with(" * ")) return false;
      n += 2;
    }
    return true;
  }
  // A variable that is tested at a loop's beginning and changed at its end. True: the line that sets it in front of the
  // loop went into the loop's.
  bool counted(std::size_t n) {
    const std::size_t end = store_.end_of(n), front = store_.before(n), last = store_.before(end);
    if (last == n || store_.before(last) == n) return false;
    const auto& step = store_.set(lines_[last]);
    if (!step || !step->type.empty() || lines_[last].depth != lines_[n].depth + 1) return false;
    const std::string name(step->name);
    const std::string_view condition = lines_[n].text.substr(7, lines_[n].text.size() - 10), value = step->value;
    if (!mentions(condition, name)) return false;
    std::string by;
    for (const std::string_view sign : {" + ", " - ", " << ", " >> "})
      if (value.starts_with(name + std::string(sign))) {
        const std::string_view rest = value.substr(name.size() + sign.size());
        const bool one = (rest == "1u" || rest == "1") && sign.size() == 3;
        if (std::ranges::all_of(rest, in_word) && rest[0] >= '0' && rest[0] <= '9')
          by = one ? fmt::format("{}{}{}", name, sign[1], sign[1])
                   : fmt::format("{} {}= {}", name, sign.substr(1, sign.size() - 2), rest);
      }
    if (by.empty()) return false;
    const std::string set_to = name + " = ";
    for (std::size_t k = store_.next(n); k != last; k = store_.next(k))
      if (store_.continues(lines_[k]) || lines_[k].text.starts_with(set_to)) return false;
    // What is declared in front of the loop may be used behind it, up to the end of the block.
    std::string_view begin;
    if (front != kNowhere && lines_[front].depth == lines_[n].depth) {
      const auto& set = store_.set(lines_[front]);
      bool into = set && set->name == name && !set->constant;
      if (into && !set->type.empty() && last_[store_.set_name(lines_[last])] > end)
        for (std::size_t k = end; into && k < lines_.size() && lines_[k].depth >= lines_[n].depth; k = store_.next(k))
          into = !mentions(lines_[k].text, name);
      if (into) begin = lines_[front].text.substr(0, lines_[front].text.size() - 1);
    }
    std::string head = fmt::format("for ({}; {}; {}) {{", begin, condition, by);
    if (head.size() + 2 * lines_[n].depth > kWidth) return false;
    lines_[n].text = keep(std::move(head));
    lines_[last].gone = true;
    if (!begin.empty()) lines_[front].gone = true;
    return !begin.empty();
  }

  Lines& store_;
  std::vector<Line>& lines_;
  const Opposites& opposites_;
  const Bounds& bounds_;
  std::vector<std::size_t> last_;  // by name
};

}  // namespace

std::string negated(std::string_view condition, const Opposites& opposites) {
  if (const auto known = opposites.find(std::string(condition)); known != opposites.end()) return known->second;
  if (condition.starts_with("!(") && end_of_bracket(condition, 1) == condition.size() && condition.ends_with(")"))
    return std::string(condition.substr(2, condition.size() - 3));
  if (condition.starts_with("!") && std::ranges::all_of(condition.substr(1), in_word))
    return std::string(condition.substr(1));
  return std::ranges::all_of(condition, in_word) ? fmt::format("!{}", condition) : fmt::format("!({})", condition);
}
u32 count_statements(const Lines& lines) {
  u32 out = 0;
  for (const Line& line : lines.all) {
    out += !line.closes() || line.loops_back() ? 1 : 0;
    out += line.text.starts_with("if (") && !line.opens() ? 1 : 0;
  }
  return out;
}

std::string tidy(Lines& lines, std::vector<Early> variables, Opposites opposites, const Bounds& bounds) {
  join_variables(lines, variables, opposites);
  Tidy tidy(lines, opposites, bounds);
  tidy.declare(variables);
  tidy.loops();
  tidy.branches();
  tidy.declare_in_front_of_loops();
  tidy.shorten();
  tidy.declare_together();
  return tidy.text();
}

}  // namespace amdcompat::lift
