#include "rows.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <variant>

#include <fcntl.h>

#include <fmt/format.h>
#include <pugixml.hpp>

#include <amdcompat/lift.hpp>

#include "highlight.hpp"
#include "names.hpp"
#include "output.hpp"
#include "page.hpp"
#include "picture.hpp"
#include "read_some.hpp"
#include "report.hpp"
#include "xhtml.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kFindingsShown = 50;  // of a kernel

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

// A path as a reference: names may have signs in them that end one.
std::string url_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/._~-").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
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

std::string proof_text(const ManifestProof& proof) {
  std::string alone;
  if (proof.alone_in_group != 0)
    alone += fmt::format(", {} of them in work-groups of one work-item", proof.alone_in_group);
  if (proof.alone_in_launch != 0) alone += fmt::format(", {} of them of one work-item", proof.alone_in_launch);
  if (proof.local_zeros != 0)
    alone += fmt::format(", {} of them with local memory that begins as zeros", proof.local_zeros);
  return fmt::format("{}: launches compared: {}{}; instructions reached: {} of {}{}", proof.verdict, proof.launches,
                     alone, proof.reached, proof.instructions, proof.reason.empty() ? "" : "; " + proof.reason);
}

void put_facts(pugi::xml_node parent, const ProgramRecord& program, const Holder& holder,
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
    if (kernel->proof) fact("proof", proof_text(*kernel->proof));
    if (kernel->lift) {
      const ManifestLift& lift = *kernel->lift;
      fact("as OpenCL C",
           fmt::format("{}{}{}", lift.result, lift.reason.empty() ? "" : ": " + lift.reason,
                       lift.form.empty() ? "" : fmt::format(", {} form, {} statements", lift.form, lift.statements)));
      if (lift.proof) fact("proof of that", proof_text(*lift.proof));
    }
  }
  const bool refused = kernel != nullptr && is_bad(kernel->outcome);
  if (program.outputs.empty() || refused) return;
  add(list, "dt", "outputs");
  pugi::xml_node outputs = add(list, "dd");
  for (const ManifestOutput& output : program.outputs) {
    if (&output != &program.outputs.front()) say(outputs, ", ");
    // By the name that people know, where there is one.
    const auto named = std::ranges::find(holder.names, output.path, &FileOutput::object);
    const bool readable = named != holder.names.end() && is_output_name(named->path);
    const std::string& path = readable ? named->path : output.path;
    pugi::xml_node name = add(outputs, readable || is_output_path(path) ? "a" : "span", path);
    if (readable || is_output_path(path)) with(name, "href", url_path(path));
    say(outputs, fmt::format(" ({}{}{}, {} bytes)", output.form, output.target.empty() ? "" : " for ", output.target,
                             output.size));
  }
}

// The picture as text.
void put_places(pugi::xml_node parent, const ManifestKernel& kernel) {
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

// Writes a record, a row at a time.
class RowWriter {
 public:
  RowWriter(const Survey& survey, const PageSource& source, std::uint64_t row, std::ostream& out)
      : survey_(survey), source_(source), row_(row - 1), out_(out) {}

  void operator()(const HeaderRecord&) {}
  void operator()(const SummaryRecord&) {}
  void operator()(const FileRecord& file);
  void operator()(const ProgramRecord& program);

 private:
  // A row and its details, which the caller fills.
  pugi::xml_node start(std::string_view name, std::string_view path, const std::string& device,
                       const std::string& driver, Outcome outcome, std::string_view proof,
                       const std::vector<const Finding*>& findings, std::string_view summary);
  void finish() { out_ << serial(document_); }
  void put_arguments(pugi::xml_node parent, const ManifestKernel& kernel) const;
  void put_source(pugi::xml_node parent, const ManifestKernel& kernel, std::string_view shown) const;

  const Survey& survey_;
  const PageSource& source_;
  std::uint64_t row_;
  std::ostream& out_;
  pugi::xml_document document_;
};

void RowWriter::operator()(const FileRecord& file) {
  std::vector<const Finding*> findings;
  for (const Finding& finding : file.findings) findings.push_back(&finding);
  pugi::xml_node details = start("", file.path, "", "", file.outcome, "–", findings, "no kernel");
  put_findings(details, "Findings", findings, 0);
  finish();
}

void RowWriter::operator()(const ProgramRecord& program) {
  const auto found = survey_.holders.find(program.sha256);
  static const Holder kNone;
  const Holder& holder = found == survey_.holders.end() ? kNone : found->second;
  const std::string path = holder.paths.empty() ? "" : holder.paths.front();
  const FindingsByKernel findings(program);
  const std::vector<const Finding*>& common = findings.common();
  if (program.kernels.empty()) {
    pugi::xml_node details = start("", path, program.device, program.driver, program.outcome, "–", common, "no kernel");
    put_facts(details, program, holder, nullptr);
    put_findings(details, "Findings", common, program.findings_left_out);
    finish();
    return;
  }
  std::set<std::string> common_codes;
  for (const Finding* finding : common) common_codes.insert(finding->code);
  const std::uint64_t first = row_ + 1;
  for (const ManifestKernel& kernel : program.kernels) {
    const bool is_first = &kernel == &program.kernels.front();
    const std::vector<const Finding*>& own = findings.about(kernel);
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
    put_source(details, kernel, source_.shown[static_cast<std::size_t>(&kernel - program.kernels.data())]);
    put_findings(details, "Findings", own, 0);
    if (is_first) {
      put_findings(details,
                   program.kernels.size() == 1 ? "Findings about the program" : "Findings about the whole program",
                   common, program.findings_left_out);
    } else if (!common.empty()) {
      pugi::xml_node note = add(details, "p", "What was found about the whole program stands with ");
      with(add(note, "a", "its first kernel"), "href", fmt::format("#row{}", first));
      say(note, ": ");
      say(note, fmt::format("{}.", fmt::join(common_codes, ", ")));
    }
    finish();
  }
}

pugi::xml_node RowWriter::start(std::string_view name, std::string_view path, const std::string& device,
                                const std::string& driver, Outcome outcome, std::string_view proof,
                                const std::vector<const Finding*>& findings, std::string_view summary) {
  document_.reset();
  pugi::xml_node body = with(document_.append_child("tbody"), "id", fmt::format("row{}", ++row_));
  pugi::xml_node row = body.append_child("tr");
  pugi::xml_node head = with(with(add(row, "th", name), "scope", "row"), "class", "kernel");
  if (name.empty()) {  // a file without kernels: its name stands here where there is no column for it
    with(add(head, "span", "–"), "class", "wide-only");
    with(add(head, "span", path), "class", "narrow-only");
  }
  with(add(row, "td", path), "class", "file");
  with(add(row, "td", or_unknown(device)), "class", "device");
  with(add(row, "td", or_unknown(driver)), "class", "driver");
  with(add(row, "td", outcome_text(outcome)), "class", fmt::format("result {}", outcome_name(outcome)));
  with(add(row, "td", proof), "class", "proof");
  with(add(row, "td", count_findings(findings)), "class", "found");
  pugi::xml_node more = with(body.append_child("tr"), "class", "more").append_child("td");
  with(more, "colspan", std::to_string(kColumns.size()));
  pugi::xml_node details = more.append_child("details");
  add(add(details, "summary"), "code", summary);
  return details.append_child("div");
}

void RowWriter::put_source(pugi::xml_node parent, const ManifestKernel& kernel, std::string_view shown) const {
  if (!kernel.lift || kernel.lift->form.empty()) return;
  const auto found = source_.kernels.find(kernel.name);
  const std::size_t size = found == source_.kernels.end() ? 0 : found->second.size();
  if (shown.empty()) {
    if (size != 0 || source_.too_long)
      add(parent, "p", "Its source as OpenCL C is too long for this page; see the output.");
    return;
  }
  add(parent, "h3", "As OpenCL C");
  pugi::xml_node source = with(parent.append_child("pre"), "class", "source");
  add_highlighted(source, shown);
  if (shown.size() < size) say(source, "\n… the rest stands in the output");
}

void RowWriter::put_arguments(pugi::xml_node parent, const ManifestKernel& kernel) const {
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

}  // namespace

PageSource read_source(const std::string& directory, const Record& record, bool room) {
  PageSource out;
  const auto* const program = std::get_if<ProgramRecord>(&record);
  if (program == nullptr) return out;
  out.shown.resize(program->kernels.size());
  const auto output = std::ranges::find(program->outputs, "cl", &ManifestOutput::form);
  if (output == program->outputs.end() || !is_output_path(output->path)) return out;
  out.has_output = true;
  out.too_long = output->size > kMostSource;
  if (out.too_long || !room) return out;
  const FileDescriptor file(
      ::open(fmt::format("{}/{}", directory, output->path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  // What lies there now may not be what was written.
  if (file.get() < 0 || !read_up_to(read_from(file.get()), output->size + 1, output->size, out.unit) ||
      to_hex(sha256(out.unit)) != output->sha256)
    return out;
  out.kernels = lift::kernel_sources(out.unit);
  return out;
}

void SourceRoom::choose(const Record& record, PageSource& source) {
  const auto* const program = std::get_if<ProgramRecord>(&record);
  if (program == nullptr || !source.has_output) return;
  if (!left()) {
    source.too_long = true;
    source.kernels.clear();
  }
  for (std::size_t n = 0; n < program->kernels.size(); ++n) {
    const ManifestKernel& kernel = program->kernels[n];
    const auto found = source.kernels.find(kernel.name);
    if (found == source.kernels.end() || !kernel.lift || kernel.lift->form.empty()) continue;
    const std::string_view shown = found->second.substr(0, kMostKernelSource);
    if (bytes_ + shown.size() > kMostSource) continue;
    bytes_ += shown.size();
    source.shown[n] = shown;
  }
}

void put_rows(const Record& record, const Survey& survey, const PageSource& source, std::uint64_t row,
              std::ostream& out) {
  RowWriter writer(survey, source, row, out);
  std::visit(writer, record);
}

}  // namespace amdcompat::migrate
