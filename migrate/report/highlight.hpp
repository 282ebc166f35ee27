// OpenCL C with its words marked, for people who read it in the report.
#pragma once

#include <string_view>

#include <pugixml.hpp>

namespace amdcompat::migrate {

// Adds the source to the end of `parent`, with `span`s around comments ("c"), lines of the preprocessor ("p"), strings
// ("s"), numbers ("n"), keywords and qualifiers ("k") and types ("t"). The text is the source's, whatever it is: words
// are found in one pass over it, and what is no OpenCL C is text.
void add_highlighted(pugi::xml_node parent, std::string_view source);

}  // namespace amdcompat::migrate
