#include "survey.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <amdcompat/pipeline.hpp>

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kPathsShown = 5;  // files of one program
constexpr std::size_t kDevicesShown = 8;  // of one reason
constexpr std::uint64_t kMostListed = 20'000;  // kernels, and files without any
constexpr std::string_view kUnknown = "not stated";

std::set<std::string> error_codes(const FindingsByKernel::List& findings) {
  std::set<std::string> out;
  for (const Finding* const finding : findings)
    if (finding->severity == Severity::Error) out.insert(finding->code);
  return out;
}

// The program of an output: "objects/3f/3f2a….hsaco".
std::string_view program_of(std::string_view object) {
  constexpr std::size_t kBefore = std::string_view("objects/3f/").size(), kDigits = 64;
  return object.size() < kBefore + kDigits ? std::string_view{} : object.substr(kBefore, kDigits);
}

bool is_error(const std::string& code) {
  static const std::set<std::string> errors = [] {
    std::set<std::string> out;
    for (const CodeInfo& info : all_codes())
      if (info.lenient == Severity::Error) out.insert(code_label(info.code));
    return out;
  }();
  return errors.contains(code);
}

// Why the machine code of a kernel that is described was not carried over: its findings that would be errors if nothing
// else could be had.
std::set<std::string> obstacles(const FindingsByKernel::List& findings) {
  std::set<std::string> out;
  for (const Finding* const finding : findings)
    if (finding->severity == Severity::Warning && is_error(finding->code)) out.insert(finding->code);
  return out;
}

class Surveyor {
 public:
  explicit Surveyor(Survey& survey) : survey_(survey) {}
  void operator()(HeaderRecord&& header) { survey_.header = std::move(header); }
  void operator()(SummaryRecord&& summary) { survey_.summary = summary; }
  void operator()(FileRecord&& file) {
    // An image may hold thousands of programs, each with outputs.
    std::map<std::string_view, std::vector<const FileOutput*>> outputs;
    for (const FileOutput& output : file.outputs) outputs[program_of(output.object)].push_back(&output);
    for (const ProgramPlace& place : file.programs) {
      Holder& holder = survey_.holders[place.sha256];
      if (holder.files++ == 0) {
        holder.rank = rank_;
        holder.offset = place.offset;
        for (const FileOutput* const output : outputs[place.sha256])
          if (std::ranges::find(holder.names, output->object, &FileOutput::object) == holder.names.end())
            holder.names.push_back(*output);
      }
      if (holder.paths.size() < kPathsShown && (holder.paths.empty() || holder.paths.back() != file.path))
        holder.paths.push_back(file.path);
    }
    if (file.programs.empty() && is_bad(file.outcome)) {
      survey_.rows.push_back({rank_, 0, line_});
      FindingsByKernel::List findings;
      for (const Finding& finding : file.findings) findings.push_back(&finding);
      count(error_codes(findings), "", &Reason::refused);
    }
    ++rank_;
  }
  void operator()(ProgramRecord&& program) {
    const auto holder = survey_.holders.find(program.sha256);
    if (program.kernels.empty() && !is_bad(program.outcome)) return;
    Row row{rank_, 0, line_, std::max<std::uint64_t>(program.kernels.size(), 1), program.outcome <= Outcome::Converted};
    if (holder != survey_.holders.end()) {
      row.rank = holder->second.rank;
      row.offset = holder->second.offset;
    }
    survey_.rows.push_back(row);
    add_to_matrix(program, holder == survey_.holders.end() ? nullptr : &holder->second);
    const FindingsByKernel findings(program);
    const std::set<std::string> common = error_codes(findings.common());
    if (program.kernels.empty()) count(common, program.device, &Reason::refused);
    for (const ManifestKernel& kernel : program.kernels) {
      const auto outcome = static_cast<std::size_t>(kernel.outcome);
      ++survey_.drivers[or_unknown(program.driver)][outcome];
      ++survey_.devices[or_unknown(program.device)][outcome];
      survey_.proofs += kernel.proof ? 1 : 0;
      if (is_bad(kernel.outcome)) {
        const std::set<std::string> own = error_codes(findings.about(kernel));
        count(own.empty() ? common : own, program.device, &Reason::refused);
      }
      if (kernel.outcome == Outcome::Described)
        count(obstacles(findings.about(kernel)), program.device, &Reason::described);
    }
    survey_.kernels += program.kernels.size();
  }
  void next_line() { ++line_; }

  void finish() {
    if (survey_.grouped) {
      for (auto& [device, row] : devices_) {
        if (survey_.matrix.size() < kMatrixRows)
          survey_.matrix.push_back(std::move(row));
        else
          ++survey_.matrix_left_out;
      }
    }
    const auto place = [](const MatrixRow& row) { return std::tie(row.rank, row.offset, row.name); };
    std::ranges::stable_sort(survey_.matrix, [&](const auto& a, const auto& b) { return place(a) < place(b); });
  }

 private:
  // Of each program while they are few, of each device in any case.
  void add_to_matrix(const ProgramRecord& program, const Holder* holder) {
    const auto add_to = [&](MatrixRow& row) {
      ++row.programs;
      if (program.kernels.empty()) ++row.refused;
      for (const ManifestKernel& kernel : program.kernels) {
        if (const std::string target = target_of(program, kernel); !target.empty())
          ++row.targets[target][static_cast<std::size_t>(kernel.outcome)];
        row.described += kernel.outcome == Outcome::Described ? 1 : 0;
        row.refused += is_bad(kernel.outcome) ? 1 : 0;
        if (kernel.lift)
          for (const pipeline::LiftOutcome outcome : pipeline::kLiftOutcomes)
            row.lifted[static_cast<std::size_t>(outcome)] += kernel.lift->result == pipeline::outcome_name(outcome);
      }
    };
    MatrixRow& device = devices_[or_unknown(program.device)];
    device.name = device.find = or_unknown(program.device);
    add_to(device);
    if (survey_.grouped) return;
    if (survey_.matrix.size() == kMatrixRows) {
      survey_.grouped = true;
      survey_.matrix.clear();
      return;
    }
    MatrixRow& row = survey_.matrix.emplace_back();
    row.name = row.find =
        holder == nullptr || holder->paths.empty() ? program.sha256.substr(0, 16) : holder->paths.front();
    if (holder != nullptr) {
      row.rank = holder->rank;
      row.offset = holder->offset;
      if (row.offset != 0) row.name += fmt::format(" at {:#x}", row.offset);
    }
    add_to(row);
  }

  void count(const std::set<std::string>& codes, const std::string& device, std::uint64_t Reason::* column) {
    for (const std::string& code : codes) {
      Reason& reason = survey_.reasons[code];
      ++(reason.*column);
      if (reason.devices.size() < kDevicesShown) reason.devices.insert(or_unknown(device));
    }
  }

  Survey& survey_;
  std::map<std::string, MatrixRow> devices_;
  std::uint64_t line_ = 0, rank_ = 0;
};

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

}  // namespace

FindingsByKernel::FindingsByKernel(const ProgramRecord& program) {
  for (const ManifestKernel& kernel : program.kernels) own_[kernel.name];
  for (const Finding& finding : program.findings) {
    const auto by_block = own_.find(finding.block), by_words = own_.find(finding.kernel);
    if (by_block != own_.end()) by_block->second.push_back(&finding);
    if (by_words != own_.end() && by_words != by_block) by_words->second.push_back(&finding);
    if (by_block == own_.end() && by_words == own_.end()) common_.push_back(&finding);
  }
}

bool is_bad(Outcome outcome) { return outcome == Outcome::Refused || outcome == Outcome::Failed; }

std::string or_unknown(const std::string& text) { return text.empty() ? std::string(kUnknown) : text; }

std::optional<Survey> survey_manifest(const std::string& path, Diagnostics& diagnostics, unsigned jobs) {
  Survey survey;
  Surveyor surveyor(survey);
  const auto note = [&](Record&& record) {
    std::visit(surveyor, std::move(record));
    surveyor.next_line();
    return true;
  };
  if (!read_manifest(path, note, diagnostics, jobs)) return std::nullopt;
  surveyor.finish();
  choose_rows(survey);
  return survey;
}

}  // namespace amdcompat::migrate
