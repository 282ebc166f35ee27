#include "page.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "assets.hpp"
#include "matrix.hpp"
#include "picture.hpp"
#include "xhtml.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kOptions = 200;  // entries of a filter
constexpr const char* kRows = "rows";  // as in kRowsHere

constexpr std::array kOutcomes{Outcome::AsItIs,  Outcome::Proved,  Outcome::Converted, Outcome::Described,
                               Outcome::Partial, Outcome::Refused, Outcome::Failed,    Outcome::None};
// Those of kernels.
constexpr std::array kParts{Outcome::AsItIs, Outcome::Proved, Outcome::Converted, Outcome::Described, Outcome::Refused};
std::uint64_t at(const OutcomeCounts& counts, Outcome outcome) { return counts[static_cast<std::size_t>(outcome)]; }
std::uint64_t sum(const OutcomeCounts& counts) {
  std::uint64_t out = 0;
  for (const std::uint64_t n : counts) out += n;
  return out;
}

pugi::xml_node count_table(pugi::xml_node parent, std::string_view caption, std::string_view first,
                           std::span<const Outcome> columns) {
  pugi::xml_node table = with(with(add(parent, "div"), "class", "wide").append_child("table"), "class", "counts");
  add(add(table, "caption"), "span", caption);
  pugi::xml_node head = table.append_child("thead").append_child("tr");
  with(add(head, "th", first), "scope", "col");
  with(add(head, "th", "all"), "scope", "col");
  for (const Outcome outcome : columns) with(add(head, "th", outcome_text(outcome)), "scope", "col");
  return table.append_child("tbody");
}
void count_row(pugi::xml_node body, std::string_view name, const OutcomeCounts& counts,
               std::span<const Outcome> columns) {
  pugi::xml_node row = body.append_child("tr");
  with(add(row, "th", name), "scope", "row");
  add(row, "td", std::to_string(sum(counts)));
  for (const Outcome outcome : columns) add(row, "td", std::to_string(at(counts, outcome)));
}

void put_totals(pugi::xml_node body, const Survey& survey) {
  add(body, "h2", "Totals");
  const SummaryRecord& summary = survey.summary;
  const std::uint64_t kernels = sum(summary.kernels);
  if (kernels != 0) {
    pugi::xml_node bar = body.append_child("svg");
    with(bar, "xmlns", "http://www.w3.org/2000/svg");
    with(bar, "class", "bar");
    with(bar, "viewBox", "0 0 1000 10");
    with(bar, "preserveAspectRatio", "none");
    with(bar, "aria-hidden", "true");  // the line below says the same
    std::uint64_t before = 0;
    pugi::xml_node key = add(body, "p");
    for (const Outcome outcome : kParts) {
      const std::uint64_t n = at(summary.kernels, outcome);
      pugi::xml_node part = with(bar.append_child("rect"), "class", std::string(outcome_name(outcome)));
      with(part, "height", "10");
      with(part, "x", fmt::format("{:.2f}", 1000.0 * static_cast<double>(before) / static_cast<double>(kernels)));
      with(part, "width", fmt::format("{:.2f}", 1000.0 * static_cast<double>(n) / static_cast<double>(kernels)));
      before += n;
      pugi::xml_node entry = with(add(key, "span"), "class", "key");
      with(add(entry, "span", fmt::format("{} {}", outcome_mark(outcome), outcome_text(outcome))), "class",
           fmt::format("result {}", outcome_name(outcome)));
      say(entry, fmt::format(" {} ({:.1f} %)", n, 100.0 * static_cast<double>(n) / static_cast<double>(kernels)));
    }
  }
  std::vector<Outcome> columns;
  for (const Outcome outcome : kOutcomes)
    if (at(summary.files, outcome) + at(summary.programs, outcome) + at(summary.kernels, outcome) != 0)
      columns.push_back(outcome);
  pugi::xml_node table =
      count_table(body,
                  "Converted: runs with its old machine code. Described only: metadata for code that "
                  "is compiled again. Partial: something that was asked for was not made.",
                  "what", columns);
  count_row(table, "files", summary.files, columns);
  count_row(table, "distinct programs", summary.programs, columns);
  count_row(table, "kernels", summary.kernels, columns);
  add(body, "p",
      fmt::format("{} written. {}", plural(summary.outputs, "output"),
                  survey.proofs == 0 ? "No kernel was run to prove it."
                                     : fmt::format("{} of {} that were run did what they did before.", summary.proved,
                                                   plural(survey.proofs, "kernel"))));
  if (const std::string lifted = lifted_text(summary); !lifted.empty())
    add(body, "p", fmt::format("Machine code as OpenCL C: {}.", lifted));
}

void put_breakdown(pugi::xml_node body, const Survey& survey) {
  pugi::xml_node columns = with(add(body, "div"), "class", "columns");
  const auto part = [&](std::string_view title, std::string_view caption, const char* first,
                        const std::map<std::string, OutcomeCounts>& all) {
    pugi::xml_node section = add(columns, "section");
    add(section, "h2", title);
    pugi::xml_node table = count_table(section, caption, first, kParts);
    for (const auto& [name, counts] : all) count_row(table, name, counts, kParts);
  };
  part("By driver", "Kernels by the driver that compiled them", "driver", survey.drivers);
  part("By device", "Kernels by the device they were compiled for", "device", survey.devices);
  add(body, "h2", "Reasons");
  if (survey.reasons.empty()) {
    add(body, "p", "Nothing was refused, and no machine code of today's targets left behind.");
    return;
  }
  pugi::xml_node table = with(with(add(body, "div"), "class", "wide").append_child("table"), "class", "counts");
  add(add(table, "caption"), "span",
      "Kernels, or files without any, by what stood in the way of all, or of the machine code of those that are "
      "described; one may have several reasons");
  pugi::xml_node head = table.append_child("thead").append_child("tr");
  for (const auto& [name, text] :
       {std::pair{"code", true}, {"meaning", true}, {"refused", false}, {"described", false}, {"devices", true}}) {
    pugi::xml_node cell = with(add(head, "th", name), "scope", "col");
    if (text) with(cell, "class", "text");
  }
  pugi::xml_node rows = table.append_child("tbody");
  for (const auto& [code, reason] : survey.reasons) {
    pugi::xml_node row = rows.append_child("tr");
    pugi::xml_node cell = with(with(add(row, "th"), "scope", "row"), "class", "code");
    with(with(add(cell, "a", code), "href", "#kernels"), "data-find", code);
    const auto known = std::ranges::find(all_codes(), code, [](const CodeInfo& info) { return code_label(info.code); });
    with(add(row, "td", known == all_codes().end() ? std::string_view("?") : known->meaning), "class", "text");
    add(row, "td", std::to_string(reason.refused));
    add(row, "td", std::to_string(reason.described));
    std::string devices;
    for (const std::string& device : reason.devices) devices += (devices.empty() ? "" : ", ") + device;
    with(add(row, "td", devices), "class", "text");
  }
}

// Of the pictures, and of the colours of sources.
void put_legend(pugi::xml_node body) {
  pugi::xml_node legend = add(body, "details");
  add(legend, "summary", "How to read layouts and sources");
  pugi::xml_node text = add(legend, "div");
  pugi::xml_node places = add(text, "p",
                              "A layout shows on the left where the old machine code reads each argument, on "
                              "the right where a launch of today puts it, and below its kernarg segment to "
                              "scale. In place, arguments stay where the old code looks for them; in the "
                              "natural layout they stand where a compiler of today puts them. The one that was "
                              "made comes first, and the other one below it where it is known. ");
  for (const PlaceKind kind : kPlaceKinds) {
    pugi::xml_node entry = with(add(places, "span"), "class", "key");
    with(add(entry, "span", place_mark(kind)), "class", fmt::format("place {}", place_class(kind)));
    say(entry, fmt::format(" {}", place_text(kind)));
  }
  pugi::xml_node source = add(text, "p", "In sources, ");
  const auto word = [&](const char* kind, std::string_view name) {
    with(add(add(source, "code"), "span", name), "class", kind);
  };
  word("k", "keywords");
  say(source, " are bold, ");
  word("t", "types");
  say(source, " underlined, ");
  word("c", "// comments");
  say(source, " slanted; colours say the same.");
}

void put_controls(pugi::xml_node body, const Survey& survey) {
  pugi::xml_node controls = with(with(add(body, "div"), "class", "controls"), "role", "search");
  pugi::xml_node label = with(add(controls, "label", "Search names, files, codes and text"), "class", "search");
  with(with(label.append_child("input"), "id", "search"), "type", "search");
  const auto choice = [&](const char* id, const char* title, const auto& values) {
    pugi::xml_node select = with(add(add(controls, "label", title), "select"), "id", id);
    with(add(select, "option", "all"), "value", "");
    std::size_t listed = 0;
    for (const auto& value : values)
      if (++listed <= kOptions) with(add(select, "option", value), "value", shown(value));
  };
  std::vector<std::string> results, devices, drivers;
  for (const Outcome outcome : kOutcomes) results.emplace_back(outcome_text(outcome));
  for (const auto& [name, counts] : survey.devices) devices.push_back(name);
  for (const auto& [name, counts] : survey.drivers) drivers.push_back(name);
  choice("result", "Result", results);
  choice("device", "Device", devices);
  choice("driver", "Driver", drivers);
  with(with(add(controls, "button", "Reset"), "type", "button"), "id", "reset");
}

}  // namespace

std::string page_with_marker(const Survey& survey) {
  pugi::xml_document document;
  document.append_child(pugi::node_doctype).set_value("html");
  pugi::xml_node html = document.append_child("html");
  with(html, "xmlns", "http://www.w3.org/1999/xhtml");
  with(html, "lang", "en");
  pugi::xml_node head = html.append_child("head");
  with(head.append_child("meta"), "charset", "utf-8");
  with(with(head.append_child("meta"), "name", "viewport"), "content", "width=device-width, initial-scale=1");
  // No request leaves the page, whatever is in it.
  with(with(head.append_child("meta"), "http-equiv", "Content-Security-Policy"), "content",
       "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'");
  add(head, "title", "Migration report");
  head.append_child("style").append_child(pugi::node_pcdata).set_value(std::string(kReportStyle).c_str());
  add_script(head, "document.documentElement.classList.add('js');");

  pugi::xml_node body = add(html, "body").append_child("main");
  add(body, "h1", "Migration report");
  const HeaderRecord& header = survey.header;
  pugi::xml_node about = with(add(body, "p"), "class", "soft");
  say(about, fmt::format("Made by amdcompat {} from ", header.tool));
  with(add(about, "a", kManifestName), "href", std::string(kManifestName));
  say(about,
      header.shard ? fmt::format(", part {} of {}.", header.shard->index, header.shard->count) : std::string("."));
  if (!header.complete)
    with(add(add(body, "p"), "strong", "The migration was interrupted: this is what was done until then."), "class",
         "result failed");
  if (header.proofs)
    add(body, "p",
        fmt::format("{} programs shared what the policy gives to proofs: {} instructions for each.",
                    header.proofs->programs, header.proofs->instructions));
  put_matrix(body, survey);
  pugi::xml_node policy = add(body, "details");
  add(policy, "summary", "What was asked for");
  add(add(policy, "div"), "pre", header.policy);
  put_totals(body, survey);
  put_breakdown(body, survey);
  add(body, "h2", "Kernels");
  if (survey.listed < survey.entries)
    add(body, "p",
        fmt::format("The table lists {} of {}, those that are not converted first; the manifest has all.",
                    survey.listed, survey.entries));
  if (survey.kernels != 0) put_legend(body);
  put_controls(body, survey);
  with(with(add(body, "p"), "id", "status"), "role", "status");
  pugi::xml_node table = with(body.append_child("table"), "id", "kernels");
  add(add(table, "caption"), "span",
      "Every kernel of every distinct program, and every file that was refused as a whole, in the order of the files. "
      "Below a kernel stands its signature; opened, it shows arguments, findings and outputs.");
  pugi::xml_node columns = table.append_child("colgroup");
  for (const Column& column : kColumns) with(columns.append_child("col"), "class", fmt::format("c-{}", column.key));
  pugi::xml_node row = table.append_child("thead").append_child("tr");
  for (const Column& column : kColumns) {
    pugi::xml_node cell = with(with(row.append_child("th"), "scope", "col"), "data-key", column.key);
    with(cell, "class", column.key);
    add(cell, "span", column.title);
  }
  table.append_child(pugi::node_comment).set_value(kRows);
  pugi::xml_node more = with(add(body, "p"), "class", "more-rows");
  with(with(add(more, "button", "Show more rows"), "type", "button"), "id", "more");
  add_script(body, kReportScript);
  return serial(document);
}

}  // namespace amdcompat::migrate
