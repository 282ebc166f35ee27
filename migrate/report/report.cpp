// Two passes over the manifest. The first counts, and notes of each program and of each refused file where it stands
// and where its row belongs; the second reads those lines again in the order of the rows and writes a few elements at a
// time, so that a report of any length costs no more memory than its longest record.
#include "report.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <variant>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "output.hpp"
#include "page.hpp"
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

}  // namespace

bool write_report(const std::string& directory, Diagnostics& diagnostics) {
  const std::string manifest = fmt::format("{}/{}", directory, kManifestName);
  const std::optional<Survey> survey = survey_manifest(manifest, diagnostics);
  if (!survey) return false;

  const std::string page = page_with_marker(*survey);
  const std::size_t mark = page.find(kRowsHere);
  std::ifstream in(manifest, std::ios::binary);
  const std::vector<std::uint64_t> starts = line_starts(in);
  // Under another name first: in the directory that a run empties when it starts, if there is one.
  const std::string report = fmt::format("{}/{}", directory, kReportName);
  const std::string inside = fmt::format("{}/tmp/.report", kStateDirectory);
  const bool has_state = open_parent(directory, inside, false).descriptor.get() >= 0;
  const std::string stem = fmt::format("{}/{}-{}", directory, has_state ? inside : ".report", ::getpid());
  std::ofstream out;
  const std::string temporary = open_new(stem, out);
  if (!out.is_open()) {
    diagnostics.report(Code::FileUnwritable, {}, fmt::format("cannot write {}: {}", temporary, std::strerror(errno)));
    return false;
  }
  out << std::string_view(page).substr(0, mark);
  std::error_code ignored;
  RowWriter writer(*survey, directory, out);
  std::string line;
  for (const Row& row : survey->rows) {
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
  out << std::string_view(page).substr(mark + kRowsHere.size());
  out.close();
  if (out && std::rename(temporary.c_str(), report.c_str()) == 0) return true;
  const int error = errno;
  std::filesystem::remove(temporary, ignored);
  diagnostics.report(Code::FileUnwritable, {}, fmt::format("cannot write {}: {}", report, std::strerror(error)));
  return false;
}

}  // namespace amdcompat::migrate
