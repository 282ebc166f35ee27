// What man pages and completions say of a verb, taken from the parser of the command line.
#pragma once

#include <string>
#include <vector>

namespace amdcompat::cli {

struct OptionText {
  std::vector<std::string> names;  // with their dashes, short ones first
  std::string value;  // name of its value; empty: a flag
  std::vector<std::string> choices;
  std::vector<std::string> offers;  // what completions offer where any other word is taken, too
  std::string help;
  std::string initial;  // default
  bool directory = false;  // the value is one
};

struct PositionalText {
  std::string name;
  bool several = false;
};

struct VerbText {
  std::string name;  // empty: the tool
  std::string description;  // one line
  std::string footer;  // what its help ends with
  std::vector<OptionText> options;
  std::vector<PositionalText> positionals;
};

}  // namespace amdcompat::cli
