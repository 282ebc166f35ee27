// The rows of the report's table, each with its details.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "survey.hpp"

namespace amdcompat::migrate {

// Writes a record that the survey chose: a row for each kernel of a program, or one for a file or program without any.
// Holds one row at a time.
class RowWriter {
 public:
  RowWriter(const Survey& survey, std::ostream& out) : survey_(survey), out_(out) {}

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

  const Survey& survey_;
  std::ostream& out_;
  pugi::xml_document document_;
  std::uint64_t row_ = 0;
};

}  // namespace amdcompat::migrate
