// Two passes over the manifest. The first counts, and notes of each program and of each refused file where it stands
// and where its row belongs; the second reads those lines again in the order of the rows and writes a few elements at a
// time, so that a report of any length costs no more memory than its longest record. Everything is built as a DOM:
// no text of a manifest becomes markup.
#include "report.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <unordered_map>

#include <unistd.h>

#include <fmt/format.h>
#include <pugixml.hpp>

#include <amdcompat/text.hpp>

#include "manifest.hpp"
#include "output.hpp"
#include "report_assets.hpp"
#include "state.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kPathsShown = 5;  // files of one program
constexpr std::size_t kLinesDrawn = 64;  // arguments of a picture
constexpr std::size_t kFindingsShown = 50;  // of a kernel
constexpr std::size_t kOptions = 200;  // entries of a filter
constexpr std::string_view kUnknown = "not stated";
constexpr std::uint64_t kMostListed = 20'000;  // kernels, and files without any
constexpr const char* kRowsHere = "rows";  // the comment in whose place the rows go

// --- text ----------------------------------------------------------------------------------------------------

// Length of the UTF-8 character at the front that XML 1.0 may hold; 0: there is none.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  std::uint32_t point = first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    point = point << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = (size == 3 && point < 0x800) || (size == 4 && point < 0x10000);
  const bool barred = (point >= 0xd800 && point < 0xe000) || point == 0xfffe || point == 0xffff || point > 0x10ffff;
  return overlong || barred ? 0 : size;
}

// What XML cannot hold becomes U+FFFD. A text of more than `most` bytes is cut and ends in `…`.
std::string shown(std::string_view text, std::size_t most = std::string::npos) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (out.size() >= most) return out + "…";
    const std::size_t size = character(text.substr(i));
    out += size == 0 ? std::string_view("\uFFFD") : text.substr(i, size);
    i += std::max<std::size_t>(size, 1);
  }
  return out;
}

std::string plural(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

// --- building ------------------------------------------------------------------------------------------------

pugi::xml_node add(pugi::xml_node parent, const char* name, std::string_view text = {}) {
  pugi::xml_node node = parent.append_child(name);
  if (!text.empty()) node.append_child(pugi::node_pcdata).set_value(shown(text).c_str());
  return node;
}
pugi::xml_node with(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
  return node;
}
void say(pugi::xml_node node, std::string_view text) {
  node.append_child(pugi::node_pcdata).set_value(shown(text).c_str());
}
pugi::xml_node add_script(pugi::xml_node parent, std::string_view text) {
  pugi::xml_node node = parent.append_child("script");
  node.append_child(pugi::node_pcdata).set_value(std::string(text).c_str());
  return node;
}

// Without `<p/>`, which a reader of HTML would take for the start of a paragraph.
std::string serial(const pugi::xml_node& node) {
  std::ostringstream out;
  node.print(out, "", pugi::format_raw | pugi::format_no_declaration | pugi::format_no_empty_element_tags,
             pugi::encoding_utf8);
  return std::move(out).str();
}

// --- the picture ---------------------------------------------------------------------------------------------

// Where old code read each argument, left, and where a launch of today puts it, right, with a line from one to the
// other. Either column is in the order of its offsets.
void draw(pugi::xml_node parent, const ManifestKernel& kernel) {
  std::vector<const ManifestArgument*> left, right;
  for (const ManifestArgument& argument : kernel.arguments) {
    if (argument.from) left.push_back(&argument);
    if (argument.to) right.push_back(&argument);
  }
  if (left.empty()) return;  // a code object's own layout: there is no other
  const auto place = [](const ManifestArgument* a) { return std::pair(a->buffer.value_or(0), *a->from); };
  std::ranges::stable_sort(left, {}, place);
  std::ranges::stable_sort(right, {}, [](const ManifestArgument* a) { return *a->to; });
  const std::size_t more = std::max(left.size(), right.size());
  left.resize(std::min(left.size(), kLinesDrawn));
  right.resize(std::min(right.size(), kLinesDrawn));

  constexpr int kTop = 24, kRow = 24, kBox = 20, kWidth = 280, kGap = 120;
  const int rows = static_cast<int>(std::max(left.size(), right.size()));
  const bool blocks = !left.front()->buffer;
  pugi::xml_node svg = parent.append_child("svg");
  with(svg, "xmlns", "http://www.w3.org/2000/svg");
  with(svg, "class", "layout");
  with(svg, "role", "img");
  with(svg, "viewBox",
       fmt::format("0 0 {} {}", 2 * kWidth + kGap, kTop + (rows + (more > kLinesDrawn ? 1 : 0)) * kRow));
  add(svg, "title",
      fmt::format("Where kernel {} reads its arguments, and where they are in its kernarg segment", kernel.name));
  const auto text = [&](int x, int y, std::string_view content) {
    return with(with(add(svg, "text", content), "x", std::to_string(x)), "y", std::to_string(y));
  };
  std::string boxes, ways;
  const auto row = [&](std::size_t i) { return kTop + static_cast<int>(i) * kRow; };
  const auto box = [&](int x, std::size_t i) {
    boxes += fmt::format("M{} {}h{}v{}h-{}z", x, row(i), kWidth, kBox, kWidth);
  };
  for (std::size_t i = 0; i < left.size(); ++i) box(0, i);
  for (std::size_t i = 0; i < right.size(); ++i) {
    box(kWidth + kGap, i);
    const auto old = std::ranges::find(left, right[i]);
    if (old == left.end()) continue;
    ways +=
        fmt::format("M{} {}C{} {} {} {} {} {}", kWidth, row(static_cast<std::size_t>(old - left.begin())) + kBox / 2,
                    kWidth + kGap / 2, row(static_cast<std::size_t>(old - left.begin())) + kBox / 2, kWidth + kGap / 2,
                    row(i) + kBox / 2, kWidth + kGap, row(i) + kBox / 2);
  }
  with(with(svg.append_child("path"), "class", "box"), "d", boxes);
  if (!ways.empty()) with(with(svg.append_child("path"), "class", "way"), "d", ways);
  with(text(0, 14, blocks ? "argument block" : "constant buffers"), "class", "head");
  with(text(kWidth + kGap, 14,
            right.empty() ? "no kernarg segment" : fmt::format("kernarg segment, {} bytes", kernel.kernarg_bytes)),
       "class", "head");
  for (std::size_t i = 0; i < left.size(); ++i) {
    const ManifestArgument& a = *left[i];
    text(8, row(i) + 14,
         blocks ? fmt::format("{:<5} {}", *a.from, shown(a.name, 28))
                : fmt::format("cb{}+{:<5} {}", *a.buffer, *a.from, shown(a.name, 24)));
  }
  for (std::size_t i = 0; i < right.size(); ++i) {
    const ManifestArgument& a = *right[i];
    const std::string range = a.size == 0 ? std::to_string(*a.to) : fmt::format("{}–{}", *a.to, *a.to + a.size - 1);
    text(kWidth + kGap + 8, row(i) + 14, fmt::format("{:<9} {}", range, shown(a.name, 24)));
  }
  if (more > kLinesDrawn)
    with(text(0, kTop + rows * kRow + 14, fmt::format("… and {} more", more - kLinesDrawn)), "class", "head");
}

// --- what the first pass keeps ---------------------------------------------------------------------------------

struct Holder {  // of a program
  std::uint64_t rank = 0;  // number of the first file, in the manifest's order
  std::uint64_t offset = 0;  // in that file
  std::uint64_t files = 0;
  std::vector<std::string> paths;  // some of them
};
struct Row {  // of the manifest that becomes rows of the table
  std::uint64_t rank = 0, offset = 0;
  std::uint64_t line = 0;  // from 0
  std::uint64_t entries = 1;  // kernels, or a file without any
  bool calm = false;  // all converted: nothing that anybody has to look at
  auto operator<=>(const Row&) const = default;
};
using Counts = std::array<std::uint64_t, 6>;  // by Outcome
struct Reason {
  std::uint64_t refused = 0, described = 0;  // kernels, or files without any
  std::set<std::string, std::less<>> devices;  // at most a few
};

struct Survey {
  HeaderRecord header;
  SummaryRecord summary;
  std::unordered_map<std::string, Holder> holders;  // by the program's SHA-256
  std::vector<Row> rows;
  std::map<std::string, Counts> drivers, devices;  // kernels
  std::map<std::string, Reason> reasons;  // by code
  std::uint64_t kernels = 0;
  std::uint64_t proofs = 0;  // kernels that were run
  std::uint64_t entries = 0;  // kernels and files that would be listed
  std::uint64_t listed = 0;  // and those that are
};

// Whether a finding is about this kernel: the block it stands in, or its own words, say so.
bool is_about(const Finding& finding, const ManifestKernel& kernel) {
  if (!finding.block.empty()) return text::kernel_name(finding.block).value_or(finding.block) == kernel.name;
  const std::string_view message = finding.message;
  return message.starts_with("kernel ") &&
         (message.substr(7).starts_with(kernel.name + ":") || message.substr(7).starts_with("'" + kernel.name + "'"));
}
bool is_about_any(const Finding& finding, const std::vector<ManifestKernel>& kernels) {
  return std::ranges::any_of(kernels, [&](const ManifestKernel& kernel) { return is_about(finding, kernel); });
}

std::set<std::string> error_codes(const std::vector<Finding>& findings, const auto& wanted) {
  std::set<std::string> out;
  for (const Finding& finding : findings)
    if (finding.severity == Severity::Error && wanted(finding)) out.insert(finding.code);
  return out;
}
// Why a kernel was refused: its own errors, else those of the program.
std::set<std::string> reasons_of(const ProgramRecord& program, const ManifestKernel& kernel) {
  auto out = error_codes(program.findings, [&](const Finding& finding) { return is_about(finding, kernel); });
  if (out.empty())
    out =
        error_codes(program.findings, [&](const Finding& finding) { return !is_about_any(finding, program.kernels); });
  return out;
}

// Why the machine code of a kernel that is described was not carried over: its findings that would be errors if nothing
// else could be had.
std::set<std::string> obstacles_of(const ProgramRecord& program, const ManifestKernel& kernel) {
  std::set<std::string> out;
  for (const Finding& finding : program.findings) {
    if (finding.severity != Severity::Warning || !is_about(finding, kernel)) continue;
    const auto known =
        std::ranges::find(all_codes(), finding.code, [](const CodeInfo& info) { return code_label(info.code); });
    if (known != all_codes().end() && known->lenient == Severity::Error) out.insert(finding.code);
  }
  return out;
}

bool is_bad(Outcome outcome) { return outcome == Outcome::Refused || outcome == Outcome::Failed; }
std::string or_unknown(const std::string& text) { return text.empty() ? std::string(kUnknown) : text; }

class Surveyor {
 public:
  explicit Surveyor(Survey& survey) : survey_(survey) {}
  void operator()(HeaderRecord&& header) { survey_.header = std::move(header); }
  void operator()(SummaryRecord&& summary) { survey_.summary = summary; }
  void operator()(FileRecord&& file) {
    for (const ProgramPlace& place : file.programs) {
      Holder& holder = survey_.holders[place.sha256];
      if (holder.files++ == 0) {
        holder.rank = rank_;
        holder.offset = place.offset;
      }
      if (holder.paths.size() < kPathsShown && (holder.paths.empty() || holder.paths.back() != file.path))
        holder.paths.push_back(file.path);
    }
    if (file.programs.empty() && is_bad(file.outcome)) {
      survey_.rows.push_back({rank_, 0, line_});
      count(error_codes(file.findings, [](const Finding&) { return true; }), "", &Reason::refused);
    }
    ++rank_;
  }
  void operator()(ProgramRecord&& program) {
    const auto holder = survey_.holders.find(program.sha256);
    if (program.kernels.empty() && !is_bad(program.outcome)) return;
    Row row{rank_, 0, line_, std::max<std::uint64_t>(program.kernels.size(), 1), program.outcome == Outcome::Converted};
    if (holder != survey_.holders.end()) {
      row.rank = holder->second.rank;
      row.offset = holder->second.offset;
    }
    survey_.rows.push_back(row);
    if (program.kernels.empty())
      count(error_codes(program.findings, [](const Finding&) { return true; }), program.device, &Reason::refused);
    for (const ManifestKernel& kernel : program.kernels) {
      const auto outcome = static_cast<std::size_t>(kernel.outcome);
      ++survey_.drivers[or_unknown(program.driver)][outcome];
      ++survey_.devices[or_unknown(program.device)][outcome];
      survey_.proofs += kernel.proof ? 1 : 0;
      if (is_bad(kernel.outcome)) count(reasons_of(program, kernel), program.device, &Reason::refused);
      if (kernel.outcome == Outcome::Described)
        count(obstacles_of(program, kernel), program.device, &Reason::described);
    }
    survey_.kernels += program.kernels.size();
  }
  void next_line() { ++line_; }

 private:
  void count(const std::set<std::string>& codes, const std::string& device, std::uint64_t Reason::* column) {
    for (const std::string& code : codes) {
      Reason& reason = survey_.reasons[code];
      ++(reason.*column);
      if (reason.devices.size() < 8) reason.devices.insert(or_unknown(device));
    }
  }

  Survey& survey_;
  std::uint64_t line_ = 0, rank_ = 0;
};

// A page with too many rows opens in no browser. What needs no attention is left out first; the manifest has it all.
void choose_rows(Survey& survey) {
  for (const Row& row : survey.rows) survey.entries += row.entries;
  std::vector<Row> kept;
  for (const bool calm : {false, true})
    for (const Row& row : survey.rows) {
      if (row.calm != calm || row.entries > kMostListed - survey.listed) continue;
      survey.listed += row.entries;
      kept.push_back(row);
    }
  survey.rows = std::move(kept);
  std::ranges::sort(survey.rows);
}

// --- the page --------------------------------------------------------------------------------------------------

constexpr std::array<Outcome, 6> kOutcomes{Outcome::Converted, Outcome::Described, Outcome::Partial,
                                           Outcome::Refused,   Outcome::Failed,    Outcome::None};
std::uint64_t at(const Counts& counts, Outcome outcome) { return counts[static_cast<std::size_t>(outcome)]; }
std::uint64_t sum(const Counts& counts) {
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
  for (const Outcome outcome : columns) with(add(head, "th", outcome_name(outcome)), "scope", "col");
  return table.append_child("tbody");
}
void count_row(pugi::xml_node body, std::string_view name, const Counts& counts, std::span<const Outcome> columns) {
  pugi::xml_node row = body.append_child("tr");
  with(add(row, "th", name), "scope", "row");
  add(row, "td", std::to_string(sum(counts)));
  for (const Outcome outcome : columns) add(row, "td", std::to_string(at(counts, outcome)));
}

void put_totals(pugi::xml_node body, const Survey& survey) {
  add(body, "h2", "Totals");
  const SummaryRecord& summary = survey.summary;
  const std::uint64_t kernels = sum(summary.kernels);
  constexpr std::array<Outcome, 3> kParts{Outcome::Converted, Outcome::Described, Outcome::Refused};
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
      with(add(entry, "span", outcome_name(outcome)), "class", fmt::format("result {}", outcome_name(outcome)));
      say(entry, fmt::format(" {} ({:.1f} %)", n, 100.0 * static_cast<double>(n) / static_cast<double>(kernels)));
    }
  }
  std::vector<Outcome> columns;
  for (const Outcome outcome : kOutcomes)
    if (at(summary.files, outcome) + at(summary.programs, outcome) + at(summary.kernels, outcome) != 0)
      columns.push_back(outcome);
  pugi::xml_node table = count_table(body,
                                     "Converted: runs with its old machine code. Described: metadata for code that is "
                                     "compiled again. None: holds no kernel.",
                                     "what", columns);
  count_row(table, "files", summary.files, columns);
  count_row(table, "distinct programs", summary.programs, columns);
  count_row(table, "kernels", summary.kernels, columns);
  add(body, "p",
      fmt::format("{} written. {}", plural(summary.outputs, "output"),
                  survey.proofs == 0 ? "No kernel was run to prove it."
                                     : fmt::format("{} of {} that were run did what they did before.", summary.proved,
                                                   plural(survey.proofs, "kernel"))));
}

void put_breakdown(pugi::xml_node body, const Survey& survey) {
  constexpr std::array<Outcome, 3> kParts{Outcome::Converted, Outcome::Described, Outcome::Refused};
  pugi::xml_node columns = with(add(body, "div"), "class", "columns");
  const auto part = [&](std::string_view title, std::string_view caption, const char* first,
                        const std::map<std::string, Counts>& all) {
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

struct Column {
  const char* key;
  const char* title;
};
constexpr std::array<Column, 7> kColumns{{{"kernel", "Kernel"},
                                          {"file", "File"},
                                          {"device", "Device"},
                                          {"driver", "Driver"},
                                          {"result", "Result"},
                                          {"proof", "Proof"},
                                          {"found", "Findings"}}};

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
  for (const Outcome outcome : {Outcome::Converted, Outcome::Described, Outcome::Refused, Outcome::Failed})
    results.emplace_back(outcome_name(outcome));
  for (const auto& [name, counts] : survey.devices) devices.push_back(name);
  for (const auto& [name, counts] : survey.drivers) drivers.push_back(name);
  choice("result", "Result", results);
  choice("device", "Device", devices);
  choice("driver", "Driver", drivers);
  with(with(add(controls, "button", "Reset"), "type", "button"), "id", "reset");
}

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
  table.append_child(pugi::node_comment).set_value(kRowsHere);
  pugi::xml_node more = with(add(body, "p"), "class", "more-rows");
  with(with(add(more, "button", "Show more rows"), "type", "button"), "id", "more");
  add_script(body, kReportScript);
  return serial(document);
}

// --- rows ------------------------------------------------------------------------------------------------------

// A finding as the tool prints it, with its line and a mark below where the text is known.
std::string rendered(const Finding& finding) {
  std::string out = fmt::format("+{:#x}", finding.offset);
  if (finding.line != 0) out += fmt::format("({}:{})", finding.line, finding.column);
  out += fmt::format(": {}[{}]: ", severity_name(finding.severity), finding.code);
  if (!finding.path.empty()) out += finding.path + ": ";
  out += finding.message + '\n';
  if (finding.text.empty()) return out;
  out += "  " + finding.text + '\n';
  if (finding.column == 0 || finding.column > finding.text.size() + 1) return out;
  const std::size_t before = finding.column - 1;
  const std::size_t marks =
      std::clamp<std::uint64_t>(finding.size, 1, std::max<std::size_t>(finding.text.size() - before, 1));
  return out + "  " + std::string(before, ' ') + '^' + std::string(marks - 1, '~') + '\n';
}

void put_findings(pugi::xml_node parent, std::string_view title, const std::vector<const Finding*>& findings,
                  std::uint64_t left_out) {
  if (findings.empty() && left_out == 0) return;
  add(parent, "h3", title);
  std::string text;
  for (std::size_t i = 0; i < std::min(findings.size(), kFindingsShown); ++i) text += rendered(*findings[i]);
  left_out += findings.size() - std::min(findings.size(), kFindingsShown);
  if (left_out != 0) text += fmt::format("… and {} more\n", left_out);
  add(parent, "pre", text);
}

// "2 errors, 1 warning", the worst first; "–" for none.
std::string count_findings(const std::vector<const Finding*>& findings) {
  std::array<std::uint64_t, 3> counts{};
  for (const Finding* finding : findings) ++counts[static_cast<std::size_t>(finding->severity)];
  std::string out;
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note})
    if (const std::uint64_t n = counts[static_cast<std::size_t>(severity)]; n != 0)
      out += (out.empty() ? "" : ", ") + plural(n, severity_name(severity));
  return out.empty() ? "–" : out;
}

std::string signature(const ManifestKernel& kernel) {
  std::string out;
  for (const ManifestArgument& argument : kernel.arguments) {
    if (argument.kind.starts_with("hidden_") || argument.name.starts_with("amdcompat.")) continue;
    out += out.empty() ? "" : ", ";
    out += argument.type.empty() ? argument.kind : argument.type;
    if (!argument.name.empty()) out += (out.empty() || out.ends_with(' ') ? "" : " ") + argument.name;
  }
  return shown(fmt::format("{}({})", kernel.name, out), 1000);
}

class RowWriter {
 public:
  RowWriter(const Survey& survey, std::ostream& out) : survey_(survey), out_(out) {}

  void operator()(const HeaderRecord&) {}
  void operator()(const SummaryRecord&) {}

  void operator()(const FileRecord& file) {
    std::vector<const Finding*> findings;
    for (const Finding& finding : file.findings) findings.push_back(&finding);
    pugi::xml_node details = start("–", file.path, "", "", file.outcome, "–", findings, "no kernel");
    put_findings(details, "Findings", findings, 0);
    finish();
  }

  void operator()(const ProgramRecord& program) {
    const auto found = survey_.holders.find(program.sha256);
    static const Holder kNone;
    const Holder& holder = found == survey_.holders.end() ? kNone : found->second;
    const std::string path = holder.paths.empty() ? "" : holder.paths.front();
    std::vector<const Finding*> common;
    for (const Finding& finding : program.findings)
      if (!is_about_any(finding, program.kernels)) common.push_back(&finding);
    if (program.kernels.empty()) {
      pugi::xml_node details =
          start("–", path, program.device, program.driver, program.outcome, "–", common, "no kernel");
      put_facts(details, program, holder, nullptr);
      put_findings(details, "Findings", common, program.findings_left_out);
      finish();
      return;
    }
    const std::uint64_t first = row_ + 1;
    for (const ManifestKernel& kernel : program.kernels) {
      const bool is_first = &kernel == &program.kernels.front();
      std::vector<const Finding*> own;
      for (const Finding& finding : program.findings)
        if (is_about(finding, kernel)) own.push_back(&finding);
      // Those of the program are listed once and counted with the first kernel, but a refused one shows its reason.
      std::vector<const Finding*> all = own;
      if (is_first) all.insert(all.end(), common.begin(), common.end());
      pugi::xml_node details = start(kernel.name, path, program.device, program.driver, kernel.outcome,
                                     kernel.proof ? kernel.proof->verdict : "–", all, signature(kernel));
      put_facts(details, program, holder, &kernel);
      if (!kernel.arguments.empty()) {
        add(details, "h3", "Arguments");
        put_arguments(with(add(details, "div"), "class", "picture"), kernel);
      }
      put_findings(details, "Findings", own, 0);
      if (is_first) {
        put_findings(details,
                     program.kernels.size() == 1 ? "Findings about the program" : "Findings about the whole program",
                     common, program.findings_left_out);
      } else if (!common.empty()) {
        pugi::xml_node note = add(details, "p", "What was found about the whole program stands with ");
        with(add(note, "a", "its first kernel"), "href", fmt::format("#row{}", first));
        say(note, ": ");
        std::set<std::string> codes;
        for (const Finding* finding : common) codes.insert(finding->code);
        say(note, fmt::format("{}.", fmt::join(codes, ", ")));
      }
      finish();
    }
  }

 private:
  // A row and its details, which the caller fills.
  pugi::xml_node start(std::string_view name, std::string_view path, const std::string& device,
                       const std::string& driver, Outcome outcome, std::string_view proof,
                       const std::vector<const Finding*>& findings, std::string_view summary) {
    document_.reset();
    pugi::xml_node body = with(document_.append_child("tbody"), "id", fmt::format("row{}", ++row_));
    pugi::xml_node row = body.append_child("tr");
    with(with(add(row, "th", name), "scope", "row"), "class", "kernel");
    with(add(row, "td", path), "class", "file");
    with(add(row, "td", or_unknown(device)), "class", "device");
    with(add(row, "td", or_unknown(driver)), "class", "driver");
    with(add(row, "td", outcome_name(outcome)), "class", fmt::format("result {}", outcome_name(outcome)));
    with(add(row, "td", proof), "class", "proof");
    with(add(row, "td", count_findings(findings)), "class", "found");
    pugi::xml_node more = with(body.append_child("tr"), "class", "more").append_child("td");
    with(more, "colspan", std::to_string(kColumns.size()));
    pugi::xml_node details = more.append_child("details");
    add(add(details, "summary"), "code", summary);
    return details.append_child("div");
  }
  void finish() { out_ << serial(document_); }

  static void put_facts(pugi::xml_node parent, const ProgramRecord& program, const Holder& holder,
                        const ManifestKernel* kernel) {
    pugi::xml_node list = parent.append_child("dl");
    const auto fact = [&](std::string_view name, std::string_view value) {
      if (value.empty()) return;
      add(list, "dt", name);
      add(list, "dd", value);
    };
    std::string files;
    for (const std::string& path : holder.paths) files += (files.empty() ? "" : ", ") + path;
    if (holder.files > holder.paths.size() && !holder.paths.empty())
      files += fmt::format(" ({} in all)", plural(holder.files, "place"));
    fact("file", files);
    fact("program", fmt::format("{}, {} bytes, SHA-256 {}", program.kind, program.size, program.sha256.substr(0, 16)));
    fact("driver", program.driver);
    if (kernel != nullptr) {
      fact("metadata", kernel->version);
      fact("layout", kernel->layout);
      if (kernel->proof) {
        const ManifestProof& proof = *kernel->proof;
        fact("proof",
             fmt::format("{}: launches compared: {}; instructions reached: {} of {}{}", proof.verdict, proof.launches,
                         proof.reached, proof.instructions, proof.reason.empty() ? "" : "; " + proof.reason));
      }
    }
    const bool refused = kernel != nullptr && is_bad(kernel->outcome);
    if (program.outputs.empty() || refused) return;
    add(list, "dt", "outputs");
    pugi::xml_node outputs = add(list, "dd");
    for (const ManifestOutput& output : program.outputs) {
      if (&output != &program.outputs.front()) say(outputs, ", ");
      pugi::xml_node name = add(outputs, is_output_path(output.path) ? "a" : "span", output.path);
      if (is_output_path(output.path)) with(name, "href", output.path);
      say(outputs, fmt::format(" ({}{}{}, {} bytes)", output.form, output.target.empty() ? "" : " for ", output.target,
                               output.size));
    }
  }

  void put_arguments(pugi::xml_node parent, const ManifestKernel& kernel) const {
    const bool moved =
        std::ranges::any_of(kernel.arguments, [](const ManifestArgument& a) { return a.from.has_value(); });
    if (moved && survey_.listed <= kMostPictures) {
      draw(parent, kernel);
      return;
    }
    put_places(parent, kernel);
    if (!moved || survey_.listed > kMostStored) return;
    pugi::xml_document picture;
    draw(picture, kernel);
    with(add_script(parent, serial(picture)), "type", "image/svg+xml");
  }

  // The picture as text.
  static void put_places(pugi::xml_node parent, const ManifestKernel& kernel) {
    std::string text;
    for (const ManifestArgument& argument : kernel.arguments) {
      const std::string from = !argument.from    ? ""
                               : argument.buffer ? fmt::format("cb{}+{} → ", *argument.buffer, *argument.from)
                                                 : fmt::format("{} → ", *argument.from);
      text += fmt::format("{}{}  {} bytes  {}  {}  {}\n", from, argument.to ? std::to_string(*argument.to) : "–",
                          argument.size, argument.name, argument.type, argument.kind);
    }
    add(parent, "pre", text);
  }

  const Survey& survey_;
  std::ostream& out_;
  pugi::xml_document document_;
  std::uint64_t row_ = 0;
};

// The offset of every line of the file.
std::vector<std::uint64_t> line_starts(std::ifstream& in) {
  std::vector<std::uint64_t> out{0};
  std::array<char, 1 << 16> buffer;
  std::uint64_t before = 0;
  while (in.read(buffer.data(), buffer.size()) || in.gcount() != 0) {
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(in.gcount()));
    for (std::size_t i = bytes.find('\n'); i != std::string_view::npos; i = bytes.find('\n', i + 1))
      out.push_back(before + i + 1);
    before += bytes.size();
  }
  in.clear();
  return out;
}

}  // namespace

bool write_report(const std::string& directory, Diagnostics& diagnostics) {
  const std::string manifest = fmt::format("{}/{}", directory, kManifestName);
  Survey survey;
  Surveyor surveyor(survey);
  const auto note = [&](Record&& record) {
    std::visit(surveyor, std::move(record));
    surveyor.next_line();
    return true;
  };
  if (!read_manifest(manifest, note, diagnostics)) return false;
  choose_rows(survey);

  const std::string page = page_with_marker(survey);
  const std::string marker = fmt::format("<!--{}-->", kRowsHere);
  const std::size_t mark = page.find(marker);
  std::ifstream in(manifest, std::ios::binary);
  const std::vector<std::uint64_t> starts = line_starts(in);
  // Under another name first: in the directory that a run empties when it starts, if there is one.
  const std::string report = fmt::format("{}/{}", directory, kReportName);
  const std::string state = fmt::format("{}/{}/tmp", directory, kStateDirectory);
  std::error_code ignored;
  const std::string temporary =
      fmt::format("{}/.report-{}", std::filesystem::is_directory(state, ignored) ? state : directory, ::getpid());
  errno = 0;
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out << std::string_view(page).substr(0, mark);
  RowWriter writer(survey, out);
  std::string line;
  for (const Row& row : survey.rows) {
    in.seekg(static_cast<std::streamoff>(row.line < starts.size() ? starts[row.line] : 0));
    std::getline(in, line);
    const Result<Record> record = parse_line(line);
    if (!in || !record) {  // it was another manifest a moment ago
      std::filesystem::remove(temporary, ignored);
      diagnostics.report(Code::ManifestBroken, {}, fmt::format("{} changed while it was read", manifest));
      return false;
    }
    std::visit(writer, *record);
  }
  out << std::string_view(page).substr(mark + marker.size());
  out.close();
  if (out && std::rename(temporary.c_str(), report.c_str()) == 0) return true;
  const int error = errno;
  std::filesystem::remove(temporary, ignored);
  diagnostics.report(Code::FileUnwritable, {}, fmt::format("cannot write {}: {}", report, std::strerror(error)));
  return false;
}

}  // namespace amdcompat::migrate
