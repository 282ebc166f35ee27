#include "matrix.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <amdcompat/pipeline.hpp>

#include "xhtml.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kMostTargets = 16;  // columns
constexpr std::size_t kNameShown = 120;  // bytes

// Kernels with their marks, "✔ 3 ○ 1"; "·" for none.
void put_cell(pugi::xml_node row, const std::vector<std::pair<Outcome, std::uint64_t>>& counts) {
  pugi::xml_node cell = row.append_child("td");
  bool none = true;
  for (const auto& [outcome, n] : counts) {
    if (n == 0) continue;
    if (!none) say(cell, " ");
    none = false;
    with(add(cell, "span", fmt::format("{} {}", outcome_mark(outcome), n)), "class",
         fmt::format("mark {}", outcome_name(outcome)));
  }
  if (none) say(cell, "·");
}

// gfx600 before gfx1010, and before gfx600:xnack+.
bool is_older(const std::string& a, const std::string& b) {
  const auto key = [](const std::string& target) {
    const std::size_t processor = std::min(target.find(':'), target.size());
    return std::tuple(processor, std::string_view(target).substr(0, processor), target.size(),
                      std::string_view(target));
  };
  return key(a) < key(b);
}
// The targets with the most kernels, from old ones to new ones.
std::vector<std::string> columns_of(const Survey& survey, bool& others) {
  std::map<std::string, std::uint64_t> kernels;
  for (const MatrixRow& row : survey.matrix)
    for (const auto& [target, counts] : row.targets)
      for (const Outcome outcome : kRunning) kernels[target] += counts[static_cast<std::size_t>(outcome)];
  std::vector<std::pair<std::string, std::uint64_t>> order(kernels.begin(), kernels.end());
  std::ranges::stable_sort(order, std::ranges::greater{}, &std::pair<std::string, std::uint64_t>::second);
  others = order.size() > kMostTargets;
  order.resize(std::min(order.size(), kMostTargets));
  std::vector<std::string> out;
  for (const auto& [target, n] : order) out.push_back(target);
  std::ranges::sort(out, is_older);
  return out;
}

}  // namespace

std::string_view outcome_mark(Outcome outcome) {
  switch (outcome) {
    case Outcome::AsItIs: return "●";
    case Outcome::Proved: return "✔";
    case Outcome::Converted: return "○";
    case Outcome::Described: return "▤";
    case Outcome::Partial: return "◐";
    case Outcome::Refused: return "✕";
    case Outcome::Failed: return "!";
    case Outcome::None: break;
  }
  return "–";
}

void put_matrix(pugi::xml_node body, const Survey& survey) {
  add(body, "h2", "What runs where");
  if (survey.matrix.empty()) {
    add(body, "p", "No program was found.");
    return;
  }
  bool others = false;
  const std::vector<std::string> targets = columns_of(survey, others);
  const bool lifted =
      std::ranges::any_of(survey.matrix, [](const MatrixRow& row) { return row.lifted != decltype(row.lifted){}; });
  if (targets.empty())
    add(body, "p", "There is no machine code for any GPU of today: the programs are described only.");
  pugi::xml_node legend = with(add(body, "p"), "class", "legend");
  say(legend, "Kernels: ");
  for (const Outcome outcome :
       {Outcome::Proved, Outcome::Converted, Outcome::AsItIs, Outcome::Described, Outcome::Refused})
    with(add(with(add(legend, "span"), "class", "key"), "span",
             fmt::format("{} {}", outcome_mark(outcome), outcome_text(outcome))),
         "class", fmt::format("mark {}", outcome_name(outcome)));
  pugi::xml_node table = with(with(add(body, "div"), "class", "wide").append_child("table"), "class", "counts matrix");
  add(add(table, "caption"), "span",
      fmt::format(
          "{} by the targets that there is code for. {}", survey.grouped ? "Programs of each device" : "Programs",
          lifted ? "As OpenCL C, they run on any OpenCL device: ✔ proved there, ○ not run, ✕ not lifted." : ""));
  pugi::xml_node head = table.append_child("thead").append_child("tr");
  const auto title = [&](std::string_view text) { return with(add(head, "th", text), "scope", "col"); };
  title(survey.grouped ? "device" : "program");
  if (survey.grouped) title("programs");
  if (lifted) title("OpenCL C");  // which runs anywhere: it stays in sight where the others do not fit
  for (const std::string& target : targets) title(target);
  if (others) title("other targets");
  title("described only");
  title("refused");
  pugi::xml_node rows = table.append_child("tbody");
  for (const MatrixRow& from : survey.matrix) {
    pugi::xml_node row = rows.append_child("tr");
    pugi::xml_node name = with(with(add(row, "th"), "scope", "row"), "class", "text");
    std::string_view below = from.name;
    if (const std::string& base = survey.header.base; !base.empty() && below.starts_with(base + '/'))
      below.remove_prefix(base.size() + 1);
    with(with(add(name, "a", shown(below, kNameShown)), "href", "#kernels"), "data-find", shown(from.find));
    if (survey.grouped) add(row, "td", std::to_string(from.programs));
    const auto lifts = [&](pipeline::LiftOutcome outcome) { return from.lifted[static_cast<std::size_t>(outcome)]; };
    if (lifted)
      put_cell(row, {{Outcome::Proved, lifts(pipeline::LiftOutcome::Proved)},
                     {Outcome::Converted, lifts(pipeline::LiftOutcome::Lifted)},
                     {Outcome::Refused, lifts(pipeline::LiftOutcome::Refused)}});
    OutcomeCounts rest{};
    for (const auto& [target, counts] : from.targets)
      if (std::ranges::find(targets, target) == targets.end())
        for (const Outcome outcome : kRunning)
          rest[static_cast<std::size_t>(outcome)] += counts[static_cast<std::size_t>(outcome)];
    const auto put_target = [&](const OutcomeCounts& counts) {
      std::vector<std::pair<Outcome, std::uint64_t>> cell;
      for (const Outcome outcome : {Outcome::Proved, Outcome::Converted, Outcome::AsItIs})
        cell.emplace_back(outcome, counts[static_cast<std::size_t>(outcome)]);
      put_cell(row, cell);
    };
    for (const std::string& target : targets) {
      const auto counts = from.targets.find(target);
      put_target(counts == from.targets.end() ? OutcomeCounts{} : counts->second);
    }
    if (others) put_target(rest);
    put_cell(row, {{Outcome::Described, from.described}});
    put_cell(row, {{Outcome::Refused, from.refused}});
  }
  if (survey.matrix_left_out != 0)
    add(body, "p",
        fmt::format("{} more: the table by device below has all.", plural(survey.matrix_left_out, "device")));
}

}  // namespace amdcompat::migrate
