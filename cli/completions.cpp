#include "completions.hpp"

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "common.hpp"

namespace amdcompat::cli {

namespace {

// In single quotes of a POSIX shell, of zsh, or of fish (which knows the backslash there).
std::string in_quotes(std::string_view text, bool fish = false) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += fish ? "\\'" : "'\\''";
    else if (c == '\\' && fish)
      out += "\\\\";
    else
      out += c;
  }
  return out + "'";
}

// In a specification of _arguments, brackets and colons of the help have a meaning.
std::string zsh_help(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string bash_completion(std::span<const VerbText> verbs) {
  std::string names_of_verbs, cases, values;
  for (const VerbText& verb : verbs) {
    names_of_verbs += (names_of_verbs.empty() ? "" : " ") + verb.name;
    std::string names;
    std::map<std::string, std::string> with_words;
    for (const OptionText& option : verb.options) {
      for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
      if (option.value.empty()) continue;
      const std::vector<std::string>& known = option.choices.empty() ? option.offers : option.choices;
      const std::string words = known.empty() ? option.directory ? "compgen -d -- \"$cur\"" : "compgen -f -- \"$cur\""
                                              : fmt::format("compgen -W '{}' -- \"$cur\"", join(known, " "));
      for (const std::string& name : option.names)
        values += fmt::format("    {}:{})\n      mapfile -t COMPREPLY < <({})\n      return\n      ;;\n", verb.name,
                              name, words);
    }
    cases += fmt::format("    {}) options='{}' ;;\n", verb.name, names);
  }
  return fmt::format(R"(# bash completion for amdcompat; written by `amdcompat manual`.
# shellcheck shell=bash
_amdcompat() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} verb=${{COMP_WORDS[1]}} options=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '{} --help --version -V' -- "$cur")
    return
  fi
  compopt -o filenames 2>/dev/null
  case $verb:$prev in
{}  esac
  case $verb in
{}  esac
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}}
complete -F _amdcompat amdcompat
)",
                     names_of_verbs, values, cases);
}

std::string zsh_completion(std::span<const VerbText> verbs) {
  std::string described, cases;
  for (const VerbText& verb : verbs) {
    described += fmt::format("    {}\n", in_quotes(fmt::format("{}:{}", verb.name, zsh_help(verb.description))));
    cases += fmt::format("    {})\n      _arguments", verb.name);
    for (const OptionText& option : verb.options) {
      for (const std::string& name : option.names) {
        // `--name=` takes its value behind the sign or as the next word.
        std::string spec = name +
                           (option.value.empty()     ? ""
                            : name.starts_with("--") ? "="
                                                     : "") +
                           '[' + zsh_help(option.help) + ']';
        if (!option.value.empty())
          spec += fmt::format(":{}:{}", option.value,
                              option.directory          ? "_files -/"
                              : !option.choices.empty() ? fmt::format("({})", join(option.choices, " "))
                              : !option.offers.empty()  ? fmt::format("({})", join(option.offers, " "))
                                                        : "_files");
        cases += " \\\n        " + in_quotes(spec);
      }
    }
    cases += " \\\n        '*:FILE:_files'\n      ;;\n";
  }
  return fmt::format(R"(#compdef amdcompat
# Written by `amdcompat manual`.
_amdcompat() {{
  local -a verbs
  verbs=(
{}  )
  if ((CURRENT == 2)); then
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  ((CURRENT--))
  case $verb in
{}  esac
}}
_amdcompat "$@"
)",
                     described, cases);
}

std::string fish_completion(std::span<const VerbText> verbs) {
  std::string out = "# fish completion for amdcompat; written by `amdcompat manual`.\n";
  for (const VerbText& verb : verbs)
    out += fmt::format("complete -c amdcompat -f -n __fish_use_subcommand -a {} -d {}\n", verb.name,
                       in_quotes(verb.description, true));
  for (const VerbText& verb : verbs)
    for (const OptionText& option : verb.options) {
      out += fmt::format("complete -c amdcompat -n '__fish_seen_subcommand_from {}'", verb.name);
      for (const std::string& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.choices.empty() || !option.offers.empty())
        out += " -x -a " + in_quotes(join(option.choices.empty() ? option.offers : option.choices, " "), true);
      else if (option.directory)
        out += " -x -a '(__fish_complete_directories)'";
      else if (!option.value.empty())
        out += " -r";
      out += " -d " + in_quotes(option.help, true) + '\n';
    }
  return out;
}

}  // namespace amdcompat::cli
