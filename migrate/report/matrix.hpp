// "What runs where": programs, or their devices, by the targets that there is code for.
#pragma once

#include <string>
#include <string_view>

#include <pugixml.hpp>

#include "survey.hpp"

namespace amdcompat::migrate {

// A mark that says the same as the colour beside it.
[[nodiscard]] std::string_view outcome_mark(Outcome outcome);
void put_matrix(pugi::xml_node body, const Survey& survey);

}  // namespace amdcompat::migrate
