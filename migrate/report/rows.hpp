// The rows of the report's table, each with its details.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pugixml.hpp>

#include "survey.hpp"

namespace amdcompat::migrate {

// Writes a record that the survey chose: a row for each kernel of a program, or one for a file or program without any.
// Holds one row at a time.
class RowWriter {
 public:
  // Sources that the manifest names are read below `directory`.
  RowWriter(const Survey& survey, std::string directory, std::ostream& out)
      : survey_(survey), directory_(std::move(directory)), out_(out) {}

  void operator()(const HeaderRecord&) {}
  void operator()(const SummaryRecord&) {}
  void operator()(const FileRecord& file);
  void operator()(const ProgramRecord& program);

 private:
  // A row and its details, which the caller fills.
  pugi::xml_node start(std::string_view name, std::string_view path, const std::string& device,
                       const std::string& driver, Outcome outcome, std::string_view proof,
                       const std::vector<const Finding*>& findings, std::string_view summary);
  void finish();
  void put_arguments(pugi::xml_node parent, const ManifestKernel& kernel) const;

  // The lifted source of this program, as far as there is room in the page.
  void take_source(const ProgramRecord& program);
  void put_source(pugi::xml_node parent, const ManifestKernel& kernel);

  const Survey& survey_;
  std::string directory_;
  std::ostream& out_;
  pugi::xml_document document_;
  std::uint64_t row_ = 0;
  std::string unit_;  // of the program that is being written
  std::map<std::string_view, std::string_view> sources_;  // of its kernels
  bool unit_left_out_ = false;
  std::uint64_t source_bytes_ = 0;  // that the page has
};

}  // namespace amdcompat::migrate
