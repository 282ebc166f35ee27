#include "man_page.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include <amdcompat/version.hpp>

#include "common.hpp"

namespace amdcompat::cli {

namespace {

// Text for troff: no character of it is a request, an escape or a typographic hyphen.
std::string roff(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool line_start = i == 0 || text[i - 1] == '\n';
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '`')
      out += "\\(ga";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '~')
      out += "\\(ti";
    else
      out += c;
  }
  return out;
}

// A sentence of help, which need not end like one.
std::string sentence(std::string_view help) {
  return roff(help) + (help.ends_with('.') || help.ends_with('?') ? "" : ".");
}
std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

void put_paragraphs(std::string& out, std::string_view text) {
  for (bool first = true; !text.empty(); first = false) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    if (!first) out += ".PP\n";
    out += roff(text.substr(0, end)) + '\n';
    text.remove_prefix(std::min(end + 2, text.size()));
  }
}

void put_options(std::string& out, const VerbText& verb) {
  for (const OptionText& option : verb.options) {
    std::vector<std::string> names;
    for (const std::string& name : option.names)
      names.push_back(bold(name) +
                      (option.value.empty() ? "" : (name.starts_with("--") ? "=" : " ") + italic(option.value)));
    out += ".TP\n" + join(names, ", ") + '\n' + sentence(option.help) + '\n';
    if (!option.choices.empty()) out += italic(option.value) + " is one of " + roff(join(option.choices, ", ")) + ".\n";
    if (!option.initial.empty() && !option.value.empty()) out += "The default is " + roff(option.initial) + ".\n";
  }
}

std::string synopsis(const VerbText& verb, const std::string& name) {
  std::string out = ".SH SYNOPSIS\n" + bold(name) + " [" + italic("OPTION") + "]...";
  for (const PositionalText& positional : verb.positionals)
    out += " [" + italic(positional.name) + "]" + (positional.several ? "..." : "");
  return out + '\n';
}

}  // namespace

std::string man_page(const VerbText& about, const Page& page, std::span<const VerbText> verbs) {
  const bool whole = page.verb.empty();
  const std::string file = whole ? "amdcompat" : fmt::format("amdcompat-{}", page.verb);
  const std::string name = whole ? "amdcompat" : fmt::format("amdcompat {}", page.verb);
  std::string upper = file;
  std::ranges::transform(upper, upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  std::string brief = about.description;
  if (!whole && !brief.empty()) brief[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(brief[0])));
  std::string out =
      fmt::format(".\\\" Written by `amdcompat manual`.\n.TH {} 1 \"\" \"amdcompat {}\" \"User Commands\"\n",
                  roff(upper), AMDCOMPAT_VERSION);
  // A note of man(7): the name is one word, and what it does one line.
  out += fmt::format(".SH NAME\n{} \\- {}\n", roff(file), roff(brief));
  if (whole)
    out += ".SH SYNOPSIS\n" + bold("amdcompat") + ' ' + italic("VERB") + " [" + italic("OPTION") + "]... [" +
           italic("FILE") + "]...\n";
  else
    out += synopsis(about, name);
  out += ".SH DESCRIPTION\n";
  put_paragraphs(out, page.description);
  if (whole) {
    out += ".SH VERBS\n";
    for (const VerbText& verb : verbs)
      out += ".TP\n" + bold(fmt::format("amdcompat-{}", verb.name)) + "(1)\n" + sentence(verb.description) + '\n';
  }
  out += ".SH OPTIONS\n";
  put_options(out, about);
  out += ".SH EXIT STATUS\n";
  const std::size_t line = std::min(about.footer.find('\n'), about.footer.size());
  std::string status = about.footer.substr(0, line);
  constexpr std::string_view kLead = "Exit status: ";
  if (status.starts_with(kLead)) status.erase(0, kLead.size());
  out += roff(status) + '\n';
  if (whole) {
    out += ".SH ENVIRONMENT\n.TP\n" + bold("NO_COLOR") + "\n" +
           roff("When it is set, findings have no colours unless --color asks for them.") + '\n';
  }
  out += ".SH EXAMPLES\n";
  for (const Example& example : page.examples) {
    if (&example != page.examples.data()) out += ".PP\n";
    out += roff(example.says) + "\n.PP\n.in +4n\n.EX\n" + roff(example.commands) + "\n.EE\n.in\n";
  }
  std::vector<std::string> others;
  if (whole) {
    for (const VerbText& verb : verbs) others.push_back(bold("amdcompat-" + verb.name) + "(1)");
  } else {
    others.push_back(bold("amdcompat") + "(1)");
    for (std::string_view rest = page.see; !rest.empty();) {
      const std::size_t space = std::min(rest.find(' '), rest.size());
      others.push_back(bold(fmt::format("amdcompat-{}", rest.substr(0, space))) + "(1)");
      rest.remove_prefix(std::min(space + 1, rest.size()));
    }
  }
  return out + ".SH SEE ALSO\n" + join(others, ",\n") + '\n';
}

}  // namespace amdcompat::cli
