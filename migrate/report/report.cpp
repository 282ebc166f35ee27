// Two passes over the manifest. The first counts, and notes of each program and of each refused file where it stands
// and where its row belongs; the second reads those lines again in the order of the rows and makes the elements of a
// few of them at a time, so that a report of any length costs no more memory than its longest records.
#include "report.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "output.hpp"
#include "page.hpp"
#include "parallel.hpp"
#include "rows.hpp"
#include "state.hpp"
#include "survey.hpp"

namespace amdcompat::migrate {

namespace {

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

// Makes a file that was not there, `stem` or with a number behind it: the name can be guessed, and a link would be
// followed. Its name; where `out` is not open then, errno says why.
std::string open_new(const std::string& stem, std::ofstream& out) {
  constexpr int kAttempts = 100;
  std::string name = stem;
  for (int attempt = 1;; ++attempt) {
    errno = 0;
    out.open(name, std::ios::binary | std::ios::noreplace);
    if (out.is_open() || errno != EEXIST || attempt == kAttempts) return name;
    name = fmt::format("{}-{}", stem, attempt);
  }
}

// The rows that the survey chose. False: it was another manifest a moment ago.
bool write_rows(const Survey& survey, const std::string& directory, const std::string& manifest, unsigned jobs,
                std::ostream& out) {
  struct Item {
    std::string line;
    std::uint64_t row = 0, entries = 0;
    std::optional<Record> record;
    PageSource source;
    std::string rows;  // where there are not too many of them to keep
  };
  constexpr std::uint64_t kMostKept = 64;
  std::ifstream in(manifest, std::ios::binary);
  const std::vector<std::uint64_t> starts = line_starts(in);
  std::size_t next = 0;
  std::uint64_t row = 1;
  std::atomic<bool> good = true, room = true;
  SourceRoom sources;
  const auto read = [&](Item& item) -> std::optional<std::size_t> {
    if (next == survey.rows.size() || !good) return std::nullopt;
    const Row& of = survey.rows[next++];
    in.seekg(static_cast<std::streamoff>(of.line < starts.size() ? starts[of.line] : 0));
    std::getline(in, item.line);
    if (!in) good = false;
    item.row = row;
    item.entries = of.entries;
    row += of.entries;
    return item.line.size();
  };
  const auto parse = [&](Item& item) {
    if (Result<Record> record = parse_line(std::exchange(item.line, {}))) {
      item.record = std::move(*record);
      item.source = read_source(directory, *item.record, room);
    } else {
      good = false;
    }
  };
  const auto choose = [&](Item& item) {
    if (item.record) sources.choose(*item.record, item.source);
    room = sources.left();
  };
  const auto make = [&](Item& item) {
    if (!item.record || item.entries > kMostKept) return;
    std::ostringstream rows;
    put_rows(*item.record, survey, item.source, item.row, rows);
    item.rows = std::move(rows).str();
    item.record.reset();
  };
  const auto write = [&](const Item& item) {
    if (item.record)
      put_rows(*item.record, survey, item.source, item.row, out);
    else
      out << item.rows;
  };
  constexpr std::size_t kForEach = 4;
  using tbb::filter_mode;
  run_pipeline(jobs, kForEach,
               begin_turns<Item>(read) & each_in_turn<Item>(filter_mode::parallel, parse) &
                   each_in_turn<Item>(filter_mode::serial_in_order, choose) &
                   each_in_turn<Item>(filter_mode::parallel, make) & end_turns<Item>(write));
  return good;
}

}  // namespace

bool write_report(const std::string& directory, Diagnostics& diagnostics, unsigned jobs) {
  const std::string manifest = fmt::format("{}/{}", directory, kManifestName);
  const std::optional<Survey> survey = survey_manifest(manifest, diagnostics, jobs);
  if (!survey) return false;

  const std::string page = page_with_marker(*survey);
  const std::size_t mark = page.find(kRowsHere);
  // Under another name first: in the directory that a run empties when it starts, if there is one.
  const std::string report = fmt::format("{}/{}", directory, kReportName);
  const std::string inside = fmt::format("{}/tmp/.report", kStateDirectory);
  const bool has_state = open_parent(OutputRoot(directory), inside, false).descriptor.get() >= 0;
  const std::string stem = fmt::format("{}/{}-{}", directory, has_state ? inside : ".report", ::getpid());
  std::ofstream out;
  const std::string temporary = open_new(stem, out);
  if (!out.is_open()) {
    diagnostics.report(Code::FileUnwritable, {}, fmt::format("cannot write {}: {}", temporary, std::strerror(errno)));
    return false;
  }
  out << std::string_view(page).substr(0, mark);
  std::error_code ignored;
  if (!write_rows(*survey, directory, manifest, jobs, out)) {
    std::filesystem::remove(temporary, ignored);
    diagnostics.report(Code::ManifestBroken, {}, fmt::format("{} changed while it was read", manifest));
    return false;
  }
  out << std::string_view(page).substr(mark + kRowsHere.size());
  out.close();
  if (out && std::rename(temporary.c_str(), report.c_str()) == 0) return true;
  const int error = errno;
  std::filesystem::remove(temporary, ignored);
  diagnostics.report(Code::FileUnwritable, {}, fmt::format("cannot write {}: {}", report, std::strerror(error)));
  return false;
}

}  // namespace amdcompat::migrate
