// Variables that copies join become one. Where ways meet, each of them copies its value into a variable of its own (a
// phi); what a person writes is one variable that is changed.
//
// Two variables may be one unless one of them is set where the other's value is still needed [G. Chaitin et al.,
// "Register allocation via coloring", 1981]; what is needed where is found by going backwards over the lines.
#include <bit>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lines.hpp"

namespace amdcompat::lift {
namespace {

constexpr u32 kNo = ~u32{0};

// As many flags as there are variables.
class Bits {
 public:
  explicit Bits(std::size_t count = 0) : words_((count + 63) / 64) {}
  void set(u32 n) { words_[n / 64] |= u64{1} << n % 64; }
  void clear() { std::ranges::fill(words_, 0); }
  void clear(u32 n) { words_[n / 64] &= ~(u64{1} << n % 64); }
  [[nodiscard]] bool test(u32 n) const { return (words_[n / 64] >> n % 64 & 1) != 0; }
  void add(const Bits& other) {
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] |= other.words_[k];
  }
  [[nodiscard]] bool meets(const Bits& other) const {
    for (std::size_t k = 0; k < words_.size(); ++k)
      if ((words_[k] & other.words_[k]) != 0) return true;
    return false;
  }
  template <class Take>
  void each(Take&& take) const {
    for (std::size_t k = 0; k < words_.size(); ++k)
      for (u64 left = words_[k]; left != 0; left &= left - 1)
        take(static_cast<u32>(k * 64 + static_cast<std::size_t>(std::countr_zero(left))));
  }
  bool operator==(const Bits&) const = default;

 private:
  std::vector<u64> words_;
};

// Variables that nothing reads, but for what others do when the value is made. Backwards, so that what was there for
// them alone goes as well.
void drop_unread(Lines& lines) {
  std::unordered_map<std::string_view, std::size_t> reads;
  const auto each_read = [](const Line& line, const std::optional<Setting>& set, auto&& take) {
    each_name(line.text, [&](std::size_t at, std::string_view name) {
      if (!set || at >= set->value_at) take(name);
    });
  };
  for (const Line& line : lines.all) each_read(line, setting(line.text), [&](std::string_view name) { ++reads[name]; });
  for (std::size_t n = lines.all.size(); n-- > 0;) {
    Line& line = lines.all[n];
    const auto set = setting(line.text);
    if (!set || reads[set->name] != 0 || set->value.find("atom") != std::string_view::npos) continue;
    each_read(line, set, [&](std::string_view name) { --reads[name]; });
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
    std::unordered_map<std::string_view, std::string_view> types;  // of all
    std::unordered_map<std::string_view, u32> early;
    for (u32 n = 0; n < early_.size(); ++n) {
      types[early_[n].name] = early_[n].type;
      early[early_[n].name] = n;
    }
    for (const Line& line : lines_.all)
      if (const auto set = setting(line.text); set && !set->type.empty()) types[set->name] = set->type;
    const auto number = [&](std::string_view name) {
      const auto [at, fresh] = numbers_.try_emplace(name, static_cast<u32>(variables_.size()));
      if (fresh) {
        const auto own = early.find(name);
        variables_.push_back({name, types[name], own == early.end() ? kNo : own->second});
      }
      return at->second;
    };
    for (const Early& one : early_) number(one.name);
    for (u32 n = 0; n < lines_.all.size(); ++n) {
      const auto set = setting(lines_.all[n].text);
      if (!set || !set->type.empty() || !is_word(set->value) || set->value == set->name) continue;
      const auto from = types.find(set->value), to = types.find(set->name);
      if (from == types.end() || to == types.end() || from->second != to->second) continue;
      // What has a name of its own, as `lid_x`, is nothing else.
      if (!early.contains(set->value) && set->value.find('_') != std::string_view::npos) continue;
      copies_.push_back({n, number(set->name), number(set->value)});
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
      const auto set = setting(all[from].text);
      if (!set || set->name != name) continue;
      if (all[from].depth != all[copy.line].depth || !movable(set->value)) return std::nullopt;
      std::vector<std::string_view> reads;
      each_name(set->value, [&](std::size_t, std::string_view one) { reads.push_back(one); });
      const auto stays_behind = [&](const Line& line) {
        if (line.depth != all[from].depth || line.opens() || line.closes() || mentions(line.text, name)) return true;
        const auto other = setting(line.text);
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
    std::vector<std::vector<u32>> reads(count);
    std::vector<u32> sets(count, kNo);
    for (u32 n = 0; n < count; ++n) {
      const std::string_view text = lines_.all[n].text;
      const auto set = setting(text);
      each_name(text, [&](std::size_t at, std::string_view name) {
        const auto known = numbers_.find(name);
        if (known == numbers_.end()) return;
        Variable& variable = variables_[known->second];
        if (variable.seen == kNo) variable.seen = n;
        if (set && at < set->value_at)
          sets[n] = known->second;
        else
          reads[n].push_back(known->second);
      });
    }
    needed_.assign(count + 1, Bits(variables_.size()));
    Bits now(variables_.size());
    const auto behind = [&](u32 n) {
      now.clear();
      for (const u32 way : ways_[n])
        if (way != kNo) now.add(needed_[way]);
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (u32 n = static_cast<u32>(count); n-- > 0;) {
        behind(n);
        if (sets[n] != kNo) now.clear(sets[n]);
        for (const u32 one : reads[n]) now.set(one);
        if (now == needed_[n]) continue;
        needed_[n] = now;
        changed = true;
      }
    }
    apart_.assign(variables_.size(), Bits(variables_.size()));
    std::unordered_map<u32, u32> copied;  // what lines do nothing but copy
    for (const Copy& copy : copies_) copied[copy.line] = copy.from;
    for (u32 n = 0; n < count; ++n) {
      if (sets[n] == kNo) continue;
      const auto from = copied.find(n);
      behind(n);
      now.each([&](u32 other) {
        if (other == sets[n] || (from != copied.end() && from->second == other)) return;
        apart_[sets[n]].set(other);
        apart_[other].set(sets[n]);
      });
    }
  }
  bool join() {
    // Copies in loops first: they are what is done most often.
    std::ranges::stable_sort(copies_, std::greater<>(), [&](const Copy& copy) { return lines_.all[copy.line].depth; });
    std::vector<u32> one(variables_.size());  // that each of them is
    std::iota(one.begin(), one.end(), 0);
    std::vector<Bits> members(variables_.size(), Bits(variables_.size()));
    for (u32 n = 0; n < variables_.size(); ++n) members[n].set(n);
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
      if (a == b || apart_[a].meets(members[b]) || apart_[b].meets(members[a])) continue;
      if (better(b, a)) std::swap(a, b);
      if (variables_[a].early == kNo) continue;
      one[b] = a;
      apart_[a].add(apart_[b]);
      members[a].add(members[b]);
      if (const u32 early = variables_[b].early; early != kNo && early_[early].in_front)
        early_[variables_[a].early].in_front = true;
      changed = true;
    }
    if (!changed) return false;
    Names names;
    for (u32 n = 0; n < variables_.size(); ++n)
      if (find(n) != n) names.emplace(variables_[n].name, variables_[find(n)].name);
    rename(names);
    std::erase_if(early_, [&](const Early& early) { return names.contains(early.name); });
    return true;
  }
  using Names = std::map<std::string, std::string, std::less<>>;
  void rename(const Names& names) {
    const auto renamed = [&](std::string_view text) {
      return with_names(text, [&](std::string_view name) {
        const auto other = names.find(name);
        return other == names.end() ? nullptr : &other->second;
      });
    };
    for (Line& line : lines_.all) {
      std::string text = renamed(line.text);
      if (text == line.text) continue;
      // What was declared where it is set is now one of those that several lines set.
      if (const auto old = setting(line.text); old && !old->type.empty() && names.contains(old->name))
        text.erase(0, text.find(names.find(old->name)->second + " = "));
      if (const auto set = setting(text); set && set->name == set->value) line.gone = true;
      line.text = lines_.keep(std::move(text));
    }
    lines_.drop_gone();
    Opposites opposites;
    for (const auto& [condition, other] : opposites_) opposites[renamed(condition)] = renamed(other);
    opposites_ = std::move(opposites);
  }

  [[nodiscard]] bool is_needed(std::string_view name, std::size_t line) const {
    const auto known = numbers_.find(name);
    return known == numbers_.end() || needed_[line].test(known->second);
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
      while (first > head + 1 && all[first - 1].depth == depth && setting(all[first - 1].text)) --first;
      if (first == end || first < head + 4 || all[first - 1].depth != depth || all[first - 1].text != "}" ||
          all[first - 2].text != "break;" || !all[first - 3].branches())
        continue;
      const std::size_t test = first - 3;
      bool moves = true;
      for (std::size_t n = first; moves && n < end; ++n) {
        const auto set = setting(all[n].text);
        moves = set->type.empty() && movable(set->value) && !mentions(all[test].text, set->name) &&
                end + 1 < needed_.size() && !is_needed(set->name, end + 1);
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
          const auto set = setting(all[n].text);
          bool number = set && set->type.empty() && set->value.find('(') == std::string_view::npos;
          if (number) each_name(set->value, [&](std::size_t, std::string_view) { number = false; });
          if (!number || mentions(all[head].text, set->name) || is_needed(set->name, elsewhere)) return false;
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
      for (const Line& line : moved) {
        const auto set = setting(line.text);
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
  std::unordered_map<std::string_view, u32> numbers_;
  std::vector<Copy> copies_;
  std::vector<std::array<u32, 2>> ways_;  // lines behind each line; the number of lines: the end of the kernel
  std::vector<Bits> needed_;  // in front of each line
  std::vector<Bits> apart_;  // from which others a variable stays apart
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
