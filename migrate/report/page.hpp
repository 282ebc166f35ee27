// The page around the rows: totals, breakdowns, reasons, controls and the head of the table.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "survey.hpp"

namespace amdcompat::migrate {

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

// The comment in whose place the rows go stands in the page once, since no text of a manifest becomes markup.
inline constexpr std::string_view kRowsHere = "<!--rows-->";
[[nodiscard]] std::string page_with_marker(const Survey& survey);

}  // namespace amdcompat::migrate
