// The rows of the report's table, each with its details.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "report.hpp"
#include "survey.hpp"

namespace amdcompat::migrate {

// The lifted source of a program, as far as there is room for it in the page.
struct PageSource {
  std::string unit;
  std::map<std::string_view, std::string_view> kernels;  // of `unit`
  std::vector<std::string_view> shown;  // of each kernel of the program; empty: nothing
  bool has_output = false;
  bool too_long = false;  // all of it
};
// Reads it below `directory`, where the manifest says it is. `room`: whether the page may still have some; if not, it
// need not be read.
[[nodiscard]] PageSource read_source(const std::string& directory, const Record& record, bool room);

// Room for sources in the page, which records take in the order in which they stand in it.
class SourceRoom {
 public:
  void choose(const Record& record, PageSource& source);
  [[nodiscard]] bool left() const { return bytes_ < kMostSource; }

 private:
  std::uint64_t bytes_ = 0;  // that the page has
};

// Writes a record that the survey chose: a row for each kernel of a program, or one for a file or program without any.
// `row`: the number of the first of them, from 1. Holds one row at a time.
void put_rows(const Record& record, const Survey& survey, const PageSource& source, std::uint64_t row,
              std::ostream& out);

}  // namespace amdcompat::migrate
