// `manual`: man pages and shell completions. Names, options and their help come from the parser of the command line
// itself; what only a manual says, descriptions and examples, stands in the table here. A verb without a row is an
// error, so a page can neither lack nor outlive a verb or an option.
#include "manual.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <amdcompat/version.hpp>

#include "common.hpp"

namespace amdcompat::cli {

namespace {

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

const std::vector<Page>& pages() {
  static const std::vector<Page> table{
      {"",
       "amdcompat reads kernels that AMD's discontinued Catalyst OpenCL compilers made, and turns them into what "
       "loaders "
       "of today take: HSA metadata and code objects. It reads AMDIL and HSAIL metadata text, OpenCL 1.x and 2.0 "
       "binaries, HSA code objects of versions 1 to 6 and offload bundles of these.\n\n"
       "Everything wrong or doubtful about an input is reported on standard error with a stable code (AC1001), the "
       "place "
       "in the input and what was expected. By default departures that AMD's own runtime tolerated are warnings; "
       "--strict "
       "makes them errors. Inputs are never changed, and an output is written whole or not at all.",
       {{"Convert the metadata of a kernel, read from standard input, to YAML as the assembler takes it:",
         "amdcompat convert - <<'END'\n"
         ";ARGSTART:__OpenCL_scale_kernel\n"
         ";version:3:1:111\n"
         ";device:pitcairn\n"
         ";uniqueid:1024\n"
         ";pointer:dst:float:1:1:0:uav:12:4:RW:0:0\n"
         ";value:k:float:4:1:16\n"
         ";uavid:11\n"
         ";reflection:0:float4*\n"
         ";reflection:1:float4\n"
         ";ARGEND:__OpenCL_scale_kernel\n"
         "END"},
        {"See what a binary holds, and what is doubtful about it:",
         "amdcompat inspect tahiti-923.clo\namdcompat check -v tahiti-923.clo"},
        {"Turn an OpenCL 1.x binary into a code object with its machine code, and prove it by running both:",
         "amdcompat convert --to elf --layout in-place --prove -o tahiti.hsaco tahiti-923.clo"}},
       ""},
      {"inspect",
       "Prints the kernels of each file: arguments with their places, memory, limits, registers and resource ids. "
       "Nothing "
       "is converted and nothing is judged; see amdcompat-check(1) for that.",
       {{"Kernels and arguments:", "amdcompat inspect images.amdil"},
        {"For scripts, one JSON object a file:", "amdcompat inspect --format json tahiti-923.clo"},
        {"The machine code, with what it reads of the constant buffers:", "amdcompat inspect --isa tahiti-923.clo"},
        {"Every directive of the metadata language and where we know it from:", "amdcompat inspect --explain"}},
       "check layout extract"},
      {"check",
       "Reads each file and reports everything wrong or doubtful about it: grammar, containers, contradictions between "
       "the "
       "parts of a file, and what AMD's runtime would have made of it. Text goes to standard error, JSON Lines to "
       "standard "
       "output. Every code is explained, with an example, in the page of diagnostics that comes with the library.",
       {{"Notes too:", "amdcompat check -v tahiti-923.clo"},
        {"For scripts, one JSON object a finding:", "amdcompat check --format json counters.amdil"}},
       "inspect verify"},
      {"convert",
       "Writes the kernels of each file in another form. The default, YAML, is metadata of a kernel that is compiled "
       "again "
       "from source: the natural layout that compilers of today give the same signature. With --to elf the result is a "
       "whole code object: OpenCL 2.0 binaries and HSA code objects keep their machine code and their argument block; "
       "for "
       "OpenCL 1.x binaries --layout in-place puts the old machine code behind a prologue that sets up what it "
       "expects.\n\n"
       "A kernel that cannot be converted is refused with the reason, and the others are still written. Whole code "
       "objects "
       "are read back and compared with the input unless --no-verify is given.",
       {{"HSA metadata as YAML:", "amdcompat convert tahiti-923.clo"},
        {"A code object for a given target:",
         "amdcompat convert --to elf --target gfx701 --layout in-place -o k.hsaco tahiti-923.clo || true"},
        {"The parsed text as XML, and metadata of several files into a directory:",
         "amdcompat convert --to xml images.amdil\n"
         "amdcompat convert --to msgpack --out-dir out --summary images.amdil values-32.amdil"}},
       "verify roundtrip layout"},
      {"roundtrip",
       "Prints every metadata block again from its parsed fields, writes every container again from its model, and "
       "compares the bytes with the input: `identical', or the first byte that differs.\n\n"
       "With --all every other form that the file has is written, read and written again in every form there is: "
       "metadata "
       "text as XML and in canonical spelling, HSA metadata as YAML, JSON, MessagePack, note record and ELF file "
       "(files of "
       "version 2 also as its own YAML), and code objects. The first difference is reported with its path, such as "
       "amdhsa.kernels[0].args[2].offset.",
       {{"Every form of a binary:", "amdcompat roundtrip --all tahiti-923.clo"}},
       "convert verify"},
      {"layout",
       "Shows where every argument lies: in constant buffers 0 and 1 of OpenCL 1.x kernels or in the argument block of "
       "OpenCL 2.0 kernels, and in the kernarg segment of a kernel that is compiled again.",
       {{"As a table:", "amdcompat layout values-32.amdil"},
        {"As a drawing:", "amdcompat layout --svg -o layout.svg values-32.amdil"}},
       "pack inspect"},
      {"pack",
       "Writes the exact bytes of one launch: constant buffers, data segments and a summary for OpenCL 1.x kernels; "
       "argument block, objects and AQL packet for OpenCL 2.0 kernels. Sizes, values and addresses come from a launch "
       "file "
       "in JSON.",
       {{"A launch file to fill in, then the bytes of that launch:",
         "amdcompat pack --template -o launch.json values-32.amdil\n"
         "amdcompat pack --launch launch.json -o image values-32.amdil"},
        {"Why every byte is what it is:", "amdcompat pack --launch launch.json --explain values-32.amdil"}},
       "layout run"},
      {"extract",
       "Writes the parts of a container as files of their own: machine code, IL, LLVM IR, source, metadata and data, "
       "as far "
       "as the container has them.",
       {{"All parts:", "amdcompat extract -o parts tahiti-923.clo"}},
       "inspect"},
      {"run",
       "Executes GCN machine code on the built-in interpreter, with the launch and the memory that a launch file "
       "describes, "
       "and prints or dumps memory afterwards. The interpreter stops at what it does not know, and reports every use "
       "of a "
       "register or byte that nobody set.",
       {{"A launch with all its defaults:",
         "amdcompat pack --template -o launch.json tahiti-923.clo\n"
         "amdcompat run --launch launch.json --instructions 10000 tahiti-923.clo || true"}},
       "pack convert"},
      {"printf",
       "Prints the text that a kernel's printf calls left in a buffer, with the formats that FILE holds. The buffer is "
       "that "
       "of the old runtime, or of HSA.",
       {{"An empty buffer of one work-item:",
         "printf '\\001\\000\\000\\000\\000\\000\\000\\000' > buffer\namdcompat printf --buffer buffer printf.amdil"}},
       "pack"},
      {"verify",
       "Compares two files kernel by kernel: arguments, layouts, segment sizes, descriptors, register counts, code, "
       "data "
       "and relocations. A difference after which NEW does not run as OLD did is an error. One file alone is checked "
       "by "
       "itself.",
       {{"A conversion against what it was made from:",
         "amdcompat convert -q --to elf --layout in-place -o tahiti.hsaco tahiti-923.clo\n"
         "amdcompat verify --execute tahiti-923.clo tahiti.hsaco"}},
       "convert check"},
      {"migrate",
       "Converts everything that can be converted below the inputs: directory trees, members of archives and, with "
       "--scan, "
       "programs anywhere inside other files. Every distinct program is converted once, by the policy of the options "
       "or of "
       "a TOML file, and written under DIR/objects. Inputs are only read.\n\n"
       "DIR/manifest.jsonl says of every file and every kernel what became of it, and why; DIR/report.xhtml says the "
       "same "
       "to people, in a browser and without a network. The same command again does only what is left or has changed, "
       "also "
       "after a run that was killed.",
       {{"A whole tree, with the old machine code where that is possible, proved by running it:",
         "amdcompat migrate --prove --out new . || test $? -eq 4"},
        {"Programs inside of applications:", "amdcompat migrate --scan --out found tahiti-923.clo"},
        {"Two machines, a share each, and what they made put together:",
         "amdcompat migrate -q --shard 1/2 --out part1 . || test $? -eq 4\n"
         "amdcompat migrate -q --shard 2/2 --out part2 . || test $? -eq 4\n"
         "amdcompat migrate --merge --out all part1 part2 || test $? -eq 4"}},
       "convert verify"},
      {"devices",
       "Lists the devices that Catalyst knew and the LLVM targets that they are known as today.",
       {{"As a table:", "amdcompat devices"}},
       "convert"},
      {"manual",
       "Writes the man pages of the tool and completions for bash, zsh and fish, as packages install them: DIR/man1, "
       "DIR/bash/amdcompat, DIR/zsh/_amdcompat, DIR/fish/amdcompat.fish.",
       {{"Into a directory:", "amdcompat manual -o pages"}},
       ""},
  };
  return table;
}

const Page* find_page(std::string_view verb) {
  const auto found = std::ranges::find(pages(), verb, &Page::verb);
  return found == pages().end() ? nullptr : &*found;
}

// What the pages and completions need to know of an option.
struct OptionText {
  std::vector<std::string> names;  // with their dashes, short ones first
  std::string value;  // name of its value; empty: a flag
  std::vector<std::string> choices;
  std::string help;
  std::string initial;  // default
  bool directory = false;  // the value is one
};

std::vector<OptionText> options_of(const CLI::App& app) {
  std::vector<OptionText> out;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional()) continue;
    OptionText text;
    for (const std::string& name : option->get_snames()) text.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) text.names.push_back("--" + name);
    text.help = option->get_description();
    text.initial = option->get_default_str();
    if (option->get_type_size() != 0) {
      std::string type = option->get_type_name();  // NAME, or TEXT:{first,second}
      if (const std::size_t open = type.find('{'); open != std::string::npos && type.ends_with('}')) {
        std::string choice;
        for (const char c : std::string_view(type).substr(open + 1)) {
          if (c != ',' && c != '}') {
            choice += c;
            continue;
          }
          text.choices.push_back(std::move(choice));
          choice.clear();
        }
        type = "WORD";
      } else if (const std::size_t colon = type.find(':'); colon != std::string::npos) {
        type.resize(colon);
      }
      if (type == "TEXT") type = "VALUE";
      if (type == "UINT" || type == "INT") type = "N";
      text.directory = type == "DIR";
      text.value = std::move(type);
    }
    out.push_back(std::move(text));
  }
  return out;
}

std::string join(std::span<const std::string> words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

// --- man pages -----------------------------------------------------------------------------------------------

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

void put_options(std::string& out, const CLI::App& app) {
  for (const OptionText& option : options_of(app)) {
    std::vector<std::string> names;
    for (const std::string& name : option.names)
      names.push_back(bold(name) +
                      (option.value.empty() ? "" : (name.starts_with("--") ? "=" : " ") + italic(option.value)));
    out += ".TP\n" + join(names, ", ") + '\n' + sentence(option.help) + '\n';
    if (!option.choices.empty()) out += italic(option.value) + " is one of " + roff(join(option.choices, ", ")) + ".\n";
    if (!option.initial.empty() && !option.value.empty()) out += "The default is " + roff(option.initial) + ".\n";
  }
}

std::string synopsis(const CLI::App& app, const std::string& name) {
  std::string out = ".SH SYNOPSIS\n" + bold(name) + " [" + italic("OPTION") + "]...";
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const bool several = option->get_items_expected_max() > 1;
    out += " [" + italic(option->get_name(true)) + "]" + (several ? "..." : "");
  }
  return out + '\n';
}

std::string man_page(const CLI::App& root, const CLI::App& app, const Page& page, std::string_view footer) {
  const bool whole = page.verb.empty();
  const std::string file = whole ? "amdcompat" : fmt::format("amdcompat-{}", page.verb);
  const std::string name = whole ? "amdcompat" : fmt::format("amdcompat {}", page.verb);
  std::string upper = file;
  std::ranges::transform(upper, upper.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  std::string brief = app.get_description();
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
    out += synopsis(app, name);
  out += ".SH DESCRIPTION\n";
  put_paragraphs(out, page.description);
  if (whole) {
    out += ".SH VERBS\n";
    for (const CLI::App* verb : root.get_subcommands({}))
      out += ".TP\n" + bold(fmt::format("amdcompat-{}", verb->get_name())) + "(1)\n" +
             sentence(verb->get_description()) + '\n';
  }
  out += ".SH OPTIONS\n";
  put_options(out, app);
  out += ".SH EXIT STATUS\n";
  const std::size_t line = std::min(footer.find('\n'), footer.size());
  std::string status(footer.substr(0, line));
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
    for (const CLI::App* verb : root.get_subcommands({}))
      others.push_back(bold("amdcompat-" + verb->get_name()) + "(1)");
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

// --- completions ---------------------------------------------------------------------------------------------

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

std::string bash_completion(const CLI::App& root) {
  std::string verbs, cases, values;
  for (const CLI::App* verb : root.get_subcommands({})) {
    verbs += (verbs.empty() ? "" : " ") + verb->get_name();
    std::string names;
    std::map<std::string, std::string> with_words;
    for (const OptionText& option : options_of(*verb)) {
      for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
      if (option.value.empty()) continue;
      const std::string words = option.choices.empty()
                                    ? option.directory ? "compgen -d -- \"$cur\"" : "compgen -f -- \"$cur\""
                                    : fmt::format("compgen -W '{}' -- \"$cur\"", join(option.choices, " "));
      for (const std::string& name : option.names)
        values += fmt::format("    {}:{})\n      mapfile -t COMPREPLY < <({})\n      return\n      ;;\n",
                              verb->get_name(), name, words);
    }
    cases += fmt::format("    {}) options='{}' ;;\n", verb->get_name(), names);
  }
  return fmt::format(R"(# bash completion for amdcompat; written by `amdcompat manual`.
# shellcheck shell=bash
_amdcompat() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} verb=${{COMP_WORDS[1]}} options=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- "$cur")
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
                     verbs, values, cases);
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

std::string zsh_completion(const CLI::App& root) {
  std::string verbs, cases;
  for (const CLI::App* verb : root.get_subcommands({})) {
    verbs +=
        fmt::format("    {}\n", in_quotes(fmt::format("{}:{}", verb->get_name(), zsh_help(verb->get_description()))));
    cases += fmt::format("    {})\n      _arguments", verb->get_name());
    for (const OptionText& option : options_of(*verb)) {
      for (const std::string& name : option.names) {
        // `--name=` takes its value behind the sign or as the next word.
        std::string spec = name +
                           (option.value.empty()     ? ""
                            : name.starts_with("--") ? "="
                                                     : "") +
                           '[' + zsh_help(option.help) + ']';
        if (!option.value.empty())
          spec += fmt::format(":{}:{}", option.value,
                              option.directory         ? "_files -/"
                              : option.choices.empty() ? "_files"
                                                       : fmt::format("({})", join(option.choices, " ")));
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
                     verbs, cases);
}

std::string fish_completion(const CLI::App& root) {
  std::string out = "# fish completion for amdcompat; written by `amdcompat manual`.\n";
  for (const CLI::App* verb : root.get_subcommands({}))
    out += fmt::format("complete -c amdcompat -f -n __fish_use_subcommand -a {} -d {}\n", verb->get_name(),
                       in_quotes(verb->get_description(), true));
  for (const CLI::App* verb : root.get_subcommands({}))
    for (const OptionText& option : options_of(*verb)) {
      out += fmt::format("complete -c amdcompat -n '__fish_seen_subcommand_from {}'", verb->get_name());
      for (const std::string& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.choices.empty())
        out += " -x -a " + in_quotes(join(option.choices, " "), true);
      else if (option.directory)
        out += " -x -a '(__fish_complete_directories)'";
      else if (!option.value.empty())
        out += " -r";
      out += " -d " + in_quotes(option.help, true) + '\n';
    }
  return out;
}

}  // namespace

int run_manual(const CLI::App& root, const std::string& directory) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> files;
  std::vector<std::pair<std::string, const CLI::App*>> apps{{"", &root}};
  for (const CLI::App* verb : root.get_subcommands({})) apps.emplace_back(verb->get_name(), verb);
  for (const auto& [verb, app] : apps) {
    const Page* const page = find_page(verb);
    if (page == nullptr) {
      fmt::print(stderr, "amdcompat: the manual has no page about '{}'\n", verb);
      return kInputErrors;
    }
    const std::string file = verb.empty() ? "amdcompat" : "amdcompat-" + verb;
    files[fmt::format("man1/{}.1", file)] = man_page(root, *app, *page, app->get_footer());
  }
  files["bash/amdcompat"] = bash_completion(root);
  files["zsh/_amdcompat"] = zsh_completion(root);
  files["fish/amdcompat.fish"] = fish_completion(root);
  for (const auto& [name, text] : files) {
    const fs::path path = fs::path(directory) / name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) {
      fmt::print(stderr, "amdcompat: cannot create '{}': {}\n", path.parent_path().string(), error.message());
      return kInputOutput;
    }
    if (!write_output(path.string(), text)) return kInputOutput;
  }
  return kDone;
}

}  // namespace amdcompat::cli
