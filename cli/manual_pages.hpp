// What only a manual says: descriptions and examples of the verbs.
#pragma once

#include <string_view>
#include <vector>

namespace amdcompat::cli {

struct Example {
  std::string_view says;
  std::string_view commands;  // as typed; tests run them among the project's samples
};
struct Page {
  std::string_view verb;  // empty: the tool
  std::string_view description;  // paragraphs, a blank line in between
  std::vector<Example> examples;
  std::string_view see;  // further pages
};

// Nullptr: there is no such verb.
[[nodiscard]] const Page* find_page(std::string_view verb);

}  // namespace amdcompat::cli
