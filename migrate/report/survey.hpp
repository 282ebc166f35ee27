// What the first pass over a manifest keeps: counts, and of each program and each refused file where it stands in the
// manifest and where its row belongs in the report.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "manifest.hpp"

namespace amdcompat::migrate {

struct Holder {  // of a program
  std::uint64_t rank = 0;  // number of the first file, in the manifest's order
  std::uint64_t offset = 0;  // in that file
  std::uint64_t files = 0;
  std::vector<std::string> paths;  // some of them
  std::vector<FileOutput> names;  // of its outputs, by the first file
};
struct Row {  // of the manifest that becomes rows of the table
  std::uint64_t rank = 0, offset = 0;
  std::uint64_t line = 0;  // from 0
  std::uint64_t entries = 1;  // kernels, or a file without any: rows of the table
  bool calm = false;  // all converted: nothing that anybody has to look at
  auto operator<=>(const Row&) const = default;
};
struct Reason {
  std::uint64_t refused = 0, described = 0;  // kernels, or files without any
  std::set<std::string, std::less<>> devices;  // at most a few
};

// A row of "what runs where": a program, or all of a device where there are too many.
struct MatrixRow {
  std::string name, find;  // what is shown, and what the table of kernels is searched for
  std::uint64_t rank = 0, offset = 0;
  std::uint64_t programs = 0;
  std::map<std::string, OutcomeCounts> targets;  // kernels
  std::uint64_t described = 0, refused = 0;  // kernels; a program without any counts as one
  std::array<std::uint64_t, 3> lifted{};  // kernels, by pipeline::LiftOutcome
};
inline constexpr std::size_t kMatrixRows = 60;

struct Survey {
  HeaderRecord header;
  SummaryRecord summary;
  std::unordered_map<std::string, Holder> holders;  // by the program's SHA-256
  std::vector<Row> rows;
  std::map<std::string, OutcomeCounts> drivers, devices;  // kernels
  std::map<std::string, Reason> reasons;  // by code
  std::vector<MatrixRow> matrix;  // in the order of the files; of devices where `grouped`
  bool grouped = false;
  std::uint64_t matrix_left_out = 0;  // devices
  std::uint64_t kernels = 0;
  std::uint64_t proofs = 0;  // kernels that were run
  std::uint64_t entries = 0;  // kernels and files that would be listed
  std::uint64_t listed = 0;  // and those that are
};

// Reads the whole manifest and chooses the rows that the report lists: a page with too many opens in no browser. What
// needs no attention is left out first; the manifest has it all. Empty, with a finding: as read_manifest.
[[nodiscard]] std::optional<Survey> survey_manifest(const std::string& path, Diagnostics& diagnostics, unsigned jobs);

// The findings of a program by the kernels that they are about, of which there may be many.
class FindingsByKernel {
 public:
  using List = std::vector<const Finding*>;
  explicit FindingsByKernel(const ProgramRecord& program);  // which outlives it
  // Those that are about a kernel of the program: the block they stand in, or their own words, say so.
  [[nodiscard]] const List& about(const ManifestKernel& kernel) const { return own_.at(kernel.name); }
  // Those that are about none.
  [[nodiscard]] const List& common() const { return common_; }

 private:
  std::unordered_map<std::string_view, List> own_;
  List common_;
};
[[nodiscard]] bool is_bad(Outcome outcome);  // Refused or Failed
[[nodiscard]] std::string or_unknown(const std::string& text);  // "not stated" for an empty one

}  // namespace amdcompat::migrate
