// Variables that copies join become one. Where ways meet, each of them copies its value into a variable of its own (a
// phi); what a person writes is one variable that is changed.
//
// Two variables may be one unless one of them is set where the other's value is still needed [G. Chaitin et al.,
// "Register allocation via coloring", 1981]; what is needed where is found by going backwards over the lines.
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "lines.hpp"

namespace amdcompat::lift {
namespace {

constexpr u32 kNo = ~u32{0};

// Flags of variables: rows of as many of them.
class Bits {
 public:
  Bits() = default;
  Bits(std::size_t rows, std::size_t flags) : wide_((flags + 63) / 64), words_(rows * wide_) {}
  [[nodiscard]] std::span<u64> operator[](std::size_t row) { return std::span(words_).subspan(row * wide_, wide_); }
  [[nodiscard]] std::span<const u64> operator[](std::size_t row) const {
    return std::span(words_).subspan(row * wide_, wide_);
  }

 private:
  std::size_t wide_ = 0;
  std::vector<u64> words_;
};
void set(std::span<u64> row, u32 n) { row[n / 64] |= u64{1} << n % 64; }
void clear(std::span<u64> row, u32 n) { row[n / 64] &= ~(u64{1} << n % 64); }
[[nodiscard]] bool test(std::span<const u64> row, u32 n) { return (row[n / 64] >> n % 64 & 1) != 0; }
void add(std::span<u64> row, std::span<const u64> other) {
  for (std::size_t k = 0; k < row.size(); ++k) row[k] |= other[k];
}
[[nodiscard]] bool meet(std::span<const u64> row, std::span<const u64> other) {
  for (std::size_t k = 0; k < row.size(); ++k)
    if ((row[k] & other[k]) != 0) return true;
  return false;
}
template <class Take>
void each(std::span<const u64> row, Take&& take) {
  for (std::size_t k = 0; k < row.size(); ++k)
    for (u64 left = row[k]; left != 0; left &= left - 1)
      take(static_cast<u32>(k * 64 + static_cast<std::size_t>(std::countr_zero(left))));
}

// Variables that nothing reads, but for what others do when the value is made. Backwards, so that what was there for
// them alone goes as well.
void drop_unread(Lines& lines) {
  std::vector<u32> reads;  // by name
  const auto each_read = [&](Line& line, auto&& take) {
    const auto& set = lines.set(line);
    for (const auto [at, name] : lines.names(line))
      if (!set || at >= set->value_at) take(name);
  };
  for (Line& line : lines.all)
    each_read(line, [&](u32 name) {
      if (name >= reads.size()) reads.resize(lines.numbers());
      ++reads[name];
    });
  reads.resize(lines.numbers());
  for (std::size_t n = lines.all.size(); n-- > 0;) {
    Line& line = lines.all[n];
    const auto& set = lines.set(line);
    if (!set || reads[lines.set_name(line)] != 0 || set->value.find("atom") != std::string_view::npos) continue;
    each_read(line, [&](u32 name) { --reads[name]; });
    line.gone = true;
  }
  lines.drop_gone();
}
// Branches that have nothing left to do, and what was there for nothing but their conditions.
void drop_empty(Lines& lines, const Opposites& opposites) {
  bool dropped = false;
  for (bool changed = true; changed;) {
    changed = false;
    std::vector<Line>& all = lines.all;
    for (std::size_t n = 0; n + 1 < all.size(); ++n) {
      Line &head = all[n], &next = all[n + 1];
      if (head.gone || next.gone || !next.closes() || next.depth != head.depth) continue;
      if (head.text == "} else {" && next.text == "}") {
        head.gone = changed = true;
      } else if (head.branches()) {
        if (next.text == "}") {
          head.gone = next.gone = changed = dropped = true;
        } else if (next.text == "} else {") {
          head.text = lines.keep("if (" + negated(head.condition(), opposites) + ") {");
          next.gone = changed = true;
        }
      }
    }
    lines.drop_gone();
  }
  if (dropped) drop_unread(lines);
}

class Joiner {
 public:
  Joiner(Lines& lines, std::vector<Early>& variables, Opposites& opposites)
      : lines_(lines), early_(variables), opposites_(opposites) {}

  void run() {
    constexpr u32 kMostPasses = 8;
    for (u32 pass = 0; pass < kMostPasses; ++pass) {
      find_variables();
      if (variables_.empty() || !fits()) return;
      set_late();
      if (!find_ways()) return;
      find_needed();
      if (!join() && !set_before_leaving() && !set_in_front()) return;
    }
  }

 private:
  struct Variable {
    std::string_view name, type;
    u32 early = kNo;  // number of the `Early`; else it is set once, by a line that declares it
    u32 seen = kNo;  // the first line that names it
  };
  struct Copy {
    u32 line, to, from;
  };
  // Where there is no room for what is needed at each line, variables stay as they are.
  [[nodiscard]] bool fits() const {
    constexpr std::size_t kMost = std::size_t{1} << 21;
    return ((variables_.size() + 63) / 64) * (lines_.all.size() + variables_.size()) <= kMost;
  }
  void find_variables() {
    variables_.clear();
    copies_.clear();
    numbers_.clear();
    struct Known {
      std::string_view type{};
      u32 early = kNo;
    };
    std::vector<Known> known;  // by name; without a type: nothing declares it
    const auto of = [&](u32 name) -> Known& {  // good until another one is asked for
      if (name >= known.size()) known.resize(lines_.numbers());
      return known[name];
    };
    for (u32 n = 0; n < early_.size(); ++n) of(lines_.number(early_[n].name)) = {early_[n].type, n};
    for (Line& line : lines_.all)
      if (const auto& set = lines_.set(line); set && !set->type.empty()) of(lines_.set_name(line)).type = set->type;
    const auto number = [&](u32 name, std::string_view text) {
      if (name >= numbers_.size()) numbers_.resize(lines_.numbers(), kNo);
      if (numbers_[name] == kNo) {
        numbers_[name] = static_cast<u32>(variables_.size());
        const Known own = of(name);
        variables_.push_back({text, own.type, own.early});
      }
      return numbers_[name];
    };
    for (const Early& one : early_) number(lines_.number(one.name), one.name);
    for (u32 n = 0; n < lines_.all.size(); ++n) {
      const auto& set = lines_.set(lines_.all[n]);
      if (!set || !set->type.empty() || !is_word(set->value) || set->value == set->name) continue;
      const u32 to = lines_.set_name(lines_.all[n]), from = lines_.number(set->value);
      const Known source = of(from);
      if (source.type.empty() || source.type != of(to).type) continue;
      // What has a name of its own, as `lid_x`, is nothing else.
      if (source.early == kNo && set->value.find('_') != std::string_view::npos) continue;
      const u32 own = number(to, set->name);
      copies_.push_back({n, own, number(from, set->value)});
    }
  }
  void set_late() {
    for (Copy& copy : copies_)
      if (const auto moved = set_late(copy)) {
        for (Copy& other : copies_)
          if (other.line > moved->first && other.line <= moved->second) --other.line;
      }
  }
  // What a copy's source is made of may be needed up to where it is first used itself: it is set just in front of that.
  // The line that set it, and that which does now.
  std::optional<std::pair<u32, u32>> set_late(const Copy& copy) {
    std::vector<Line>& all = lines_.all;
    const std::string_view name = variables_[copy.from].name;
    if (variables_[copy.from].early != kNo) return std::nullopt;
    constexpr u32 kFar = 256;
    for (u32 from = copy.line; from-- > 0 && copy.line - from < kFar;) {
      if (all[from].depth < all[copy.line].depth) return std::nullopt;
      const auto& set = lines_.set(all[from]);
      if (!set || set->name != name) continue;
      if (all[from].depth != all[copy.line].depth || !movable(set->value)) return std::nullopt;
      std::vector<std::string_view> reads;
      each_name(set->value, [&](std::size_t, std::string_view one) { reads.push_back(one); });
      const auto stays_behind = [&](Line& line) {
        if (line.depth != all[from].depth || line.opens() || line.closes() || mentions(line.text, name)) return true;
        const auto& other = lines_.set(line);
        return (other && std::ranges::find(reads, other->name) != reads.end()) || line.leaves_loop() ||
               line.next_turn() || line.text == "return;";
      };
      u32 to = from;
      while (to + 1 < copy.line && !stays_behind(all[to + 1])) ++to;
      if (to == from) return std::nullopt;
      std::rotate(all.begin() + from, all.begin() + from + 1, all.begin() + to + 1);
      return std::pair(from, to);
    }
    return std::nullopt;
  }
  // Where each line goes on. False: the text has a form that this does not know.
  bool find_ways() {
    const u32 count = static_cast<u32>(lines_.all.size());
    ways_.assign(count, {kNo, kNo});
    struct Open {
      enum class Kind : u8 { If, Loop, Once } kind;
      u32 head;
      u32 then_end = kNo;  // the line of `else`
      std::vector<u32> breaks{};
    };
    std::vector<Open> open;
    const auto around = [&]() -> Open* {
      for (std::size_t k = open.size(); k-- > 0;)
        if (open[k].kind != Open::Kind::If) return &open[k];
      return nullptr;
    };
    for (u32 n = 0; n < count; ++n) {
      const std::string_view text = lines_.all[n].text;
      ways_[n][0] = n + 1;
      if (text == "for (;;) {") {
        open.push_back({Open::Kind::Loop, n});
      } else if (text == "do {") {
        open.push_back({Open::Kind::Once, n});
      } else if (text == "} else {") {
        if (open.empty() || open.back().kind != Open::Kind::If || open.back().then_end != kNo) return false;
        open.back().then_end = n;
        ways_[open.back().head][1] = n + 1;
      } else if (text.starts_with("}")) {
        if (open.empty()) return false;
        const Open one = std::move(open.back());
        open.pop_back();
        switch (one.kind) {
          case Open::Kind::If:
            if (text != "}") return false;
            ways_[one.then_end == kNo ? one.head : one.then_end][one.then_end == kNo ? 1 : 0] = n;
            break;
          case Open::Kind::Loop:
            if (text != "}") return false;
            ways_[n][0] = one.head;
            break;
          case Open::Kind::Once:
            if (text != "} while (false);") return false;
        }
        for (const u32 from : one.breaks) ways_[from][lines_.all[from].text == "break;" ? 0 : 1] = n + 1;
      } else if (lines_.all[n].opens()) {
        if (!lines_.all[n].branches()) return false;
        open.push_back({Open::Kind::If, n});
      } else if (lines_.all[n].leaves_loop()) {
        Open* const left = around();
        if (left == nullptr || !(text == "break;" || text.starts_with("if ("))) return false;
        left->breaks.push_back(n);
      } else if (text == "continue;") {
        const Open* const again = around();
        if (again == nullptr || again->kind != Open::Kind::Loop) return false;
        ways_[n][0] = again->head;
      } else if (text == "return;") {
        ways_[n][0] = kNo;
      }
    }
    return open.empty();
  }
  // Backwards, until nothing more is needed anywhere.
  void find_needed() {
    const std::size_t count = lines_.all.size();
    std::vector<u32> sets(count, kNo), reads, last(count);  // what each line reads ends in `reads` at its `last`
    for (u32 n = 0; n < count; ++n) {
      const auto& set = lines_.set(lines_.all[n]);
      for (const auto [at, name] : lines_.names(lines_.all[n])) {
        const u32 number = name < numbers_.size() ? numbers_[name] : kNo;
        if (number == kNo) continue;
        Variable& variable = variables_[number];
        if (variable.seen == kNo) variable.seen = n;
        if (set && at < set->value_at)
          sets[n] = number;
        else
          reads.push_back(number);
      }
      last[n] = static_cast<u32>(reads.size());
    }
    needed_ = Bits(count + 1, variables_.size());
    Bits one(1, variables_.size());
    const std::span<u64> now = one[0];
    const auto behind = [&](u32 n) {
      std::ranges::fill(now, 0);
      for (const u32 way : ways_[n])
        if (way != kNo) add(now, needed_[way]);
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (u32 n = static_cast<u32>(count); n-- > 0;) {
        behind(n);
        if (sets[n] != kNo) clear(now, sets[n]);
        for (u32 k = n == 0 ? 0 : last[n - 1]; k < last[n]; ++k) set(now, reads[k]);
        const std::span<u64> before = needed_[n];
        if (std::ranges::equal(now, before)) continue;
        std::ranges::copy(now, before.begin());
        changed = true;
      }
    }
    apart_ = Bits(variables_.size(), variables_.size());
    std::vector<u32> copied(count, kNo);  // what lines do nothing but copy
    for (const Copy& copy : copies_) copied[copy.line] = copy.from;
    for (u32 n = 0; n < count; ++n) {
      if (sets[n] == kNo) continue;
      behind(n);
      each(now, [&](u32 other) {
        if (other == sets[n] || copied[n] == other) return;
        set(apart_[sets[n]], other);
        set(apart_[other], sets[n]);
      });
    }
  }
  bool join() {
    // Copies in loops first: they are what is done most often.
    std::ranges::stable_sort(copies_, std::greater<>(), [&](const Copy& copy) { return lines_.all[copy.line].depth; });
    std::vector<u32> one(variables_.size());  // that each of them is
    std::iota(one.begin(), one.end(), 0);
    Bits members(variables_.size(), variables_.size());
    for (u32 n = 0; n < variables_.size(); ++n) set(members[n], n);
    const auto find = [&](u32 n) {
      while (one[n] != n) n = one[n];
      return n;
    };
    // Parameters and what the host says are no variables; a variable that may be another one is declared as such.
    const auto better = [&](u32 a, u32 b) {
      const bool first = variables_[a].early != kNo, second = variables_[b].early != kNo;
      return first != second ? first : variables_[a].seen < variables_[b].seen;
    };
    bool changed = false;
    for (const Copy& copy : copies_) {
      u32 a = find(copy.to), b = find(copy.from);
      if (a == b || meet(apart_[a], members[b]) || meet(apart_[b], members[a])) continue;
      if (better(b, a)) std::swap(a, b);
      if (variables_[a].early == kNo) continue;
      one[b] = a;
      add(apart_[a], apart_[b]);
      add(members[a], members[b]);
      if (const u32 early = variables_[b].early; early != kNo && early_[early].in_front)
        early_[variables_[a].early].in_front = true;
      changed = true;
    }
    if (!changed) return false;
    Renames names;
    std::vector<bool> joined(early_.size());
    for (u32 n = 0; n < variables_.size(); ++n) {
      if (find(n) == n) continue;
      names.emplace(variables_[n].name, variables_[find(n)].name);
      if (variables_[n].early != kNo) joined[variables_[n].early] = true;
    }
    rename(names);
    std::vector<Early> left;
    for (std::size_t n = 0; n < early_.size(); ++n)
      if (!joined[n]) left.push_back(std::move(early_[n]));
    early_ = std::move(left);
    return true;
  }
  using Renames = std::unordered_map<std::string_view, std::string>;
  void rename(const Renames& names) {
    const auto renamed = [&](std::string_view text) {
      return with_names(text, [&](std::string_view name) {
        const auto other = names.find(name);
        return other == names.end() ? nullptr : &other->second;
      });
    };
    std::vector<bool> changes(lines_.numbers());  // by name
    for (const auto& [name, other] : names) changes[lines_.number(name)] = true;
    for (Line& line : lines_.all) {
      const auto is_changed = [&](const Lines::Name& one) -> bool { return changes[one.number]; };
      if (std::ranges::none_of(lines_.names(line), is_changed)) continue;
      std::string text = renamed(line.text);
      // What was declared where it is set is now one of those that several lines set.
      if (const auto& old = lines_.set(line); old && !old->type.empty() && names.contains(old->name))
        text.erase(0, text.find(names.find(old->name)->second + " = "));
      if (const auto now = setting(text); now && now->name == now->value) line.gone = true;
      line.text = lines_.keep(std::move(text));
    }
    lines_.drop_gone();
    Opposites opposites;
    for (const auto& [condition, other] : opposites_) opposites[renamed(condition)] = renamed(other);
    opposites_ = std::move(opposites);
  }

  [[nodiscard]] bool is_needed(u32 name, std::size_t line) const {
    return name >= numbers_.size() || numbers_[name] == kNo || test(needed_[line], numbers_[name]);
  }
  // What is set behind a test that leaves a loop at its end, for the next turn, is set in front of it, where nobody
  // needs what was there before: then the loop ends with its test.
  bool set_before_leaving() {
    std::vector<Line>& all = lines_.all;
    bool changed = false;
    for (std::size_t head = 0; head < all.size(); ++head) {
      if (all[head].text != "for (;;) {") continue;
      const std::size_t end = lines_.end_of(head), depth = all[head].depth + 1;
      std::size_t first = end;  // of the settings
      while (first > head + 1 && all[first - 1].depth == depth && lines_.set(all[first - 1])) --first;
      if (first == end || first < head + 4 || all[first - 1].depth != depth || all[first - 1].text != "}" ||
          all[first - 2].text != "break;" || !all[first - 3].branches())
        continue;
      const std::size_t test = first - 3;
      bool moves = true;
      for (std::size_t n = first; moves && n < end; ++n) {
        const auto& set = lines_.set(all[n]);
        moves = set->type.empty() && movable(set->value) && !mentions(all[test].text, set->name) &&
                end < ways_.size() && !is_needed(lines_.set_name(all[n]), end + 1);
      }
      if (!moves) continue;
      std::rotate(all.begin() + static_cast<std::ptrdiff_t>(test), all.begin() + static_cast<std::ptrdiff_t>(first),
                  all.begin() + static_cast<std::ptrdiff_t>(end));
      changed = true;
    }
    return changed;
  }
  // A branch that does nothing but set variables to numbers: they are set in front of it, where the other branch does
  // not need what was there before.
  bool set_in_front() {
    std::vector<Line>& all = lines_.all;
    for (std::size_t head = 0; head < all.size(); ++head) {
      if (!all[head].branches()) continue;
      const std::size_t other = lines_.end_of(head);
      if (other >= all.size() || all[other].text != "} else {") continue;
      const std::size_t end = lines_.end_of(other);
      const auto only_sets = [&](std::size_t from, std::size_t to, std::size_t elsewhere) {
        for (std::size_t n = from; n < to; ++n) {
          const auto& set = lines_.set(all[n]);
          bool number = set && set->type.empty() && set->value.find('(') == std::string_view::npos;
          if (number) each_name(set->value, [&](std::size_t, std::string_view) { number = false; });
          if (!number || mentions(all[head].text, set->name) || is_needed(lines_.set_name(all[n]), elsewhere))
            return false;
        }
        return from != to;
      };
      // The first branch is asked first: what both do is left to it.
      std::size_t from = other + 1, to = end;
      if (!only_sets(from, to, head + 1)) {
        from = head + 1, to = other;
        if (!only_sets(from, to, other + 1)) continue;
      }
      std::vector<Line> moved(all.begin() + static_cast<std::ptrdiff_t>(from),
                              all.begin() + static_cast<std::ptrdiff_t>(to));
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(to));
      for (Line& line : moved) --line.depth;
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(head), moved.begin(), moved.end());
      // The same number again in the branch that is left.
      std::size_t begin = head + moved.size() + 1;
      if (all[begin].closes()) ++begin;
      for (Line& line : moved) {
        const auto& set = lines_.set(line);
        for (std::size_t n = begin; n < all.size() && all[n].depth > line.depth; ++n) {
          if (!mentions(all[n].text, set->name)) continue;
          if (all[n].text == line.text && all[n].depth == line.depth + 1) all[n].gone = true;
          break;
        }
      }
      lines_.drop_gone();
      drop_empty(lines_, opposites_);
      return true;
    }
    return false;
  }

  Lines& lines_;
  std::vector<Early>& early_;
  Opposites& opposites_;
  std::vector<Variable> variables_;
  std::vector<u32> numbers_;  // of variables, by name; `kNo`: it is none
  std::vector<Copy> copies_;
  std::vector<std::array<u32, 2>> ways_;  // lines behind each line; the number of lines: the end of the kernel
  Bits needed_;  // in front of each line
  Bits apart_;  // from which others a variable stays apart
};

}  // namespace

bool movable(std::string_view value) {
  if (value.find_first_of("[/%?") != std::string_view::npos || value.find("*(") != std::string_view::npos) return false;
  constexpr std::string_view kPure[] = {"as_uint",
                                        "as_int",
                                        "as_float",
                                        "as_ulong",
                                        "min",
                                        "max",
                                        "low24_u",
                                        "bit_field_u",
                                        "bit_field_i",
                                        "mul_hi",
                                        "rotate",
                                        "get_group_id",
                                        "get_local_id",
                                        "get_global_id",
                                        "get_local_size",
                                        "get_num_groups",
                                        "get_global_size",
                                        "get_global_offset"};
  bool pure = true;
  each_name(value, [&](std::size_t at, std::string_view name) {
    const std::size_t end = at + name.size();
    if (end < value.size() && value[end] == '(' && std::ranges::find(kPure, name) == std::end(kPure)) pure = false;
  });
  return pure;
}

void join_variables(Lines& lines, std::vector<Early>& variables, Opposites& opposites) {
  Joiner(lines, variables, opposites).run();
  drop_empty(lines, opposites);
}

}  // namespace amdcompat::lift
