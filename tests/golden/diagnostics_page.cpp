// docs/diagnostics.md, written by hand (diagnostics.md.in) around a list of all codes, and docs/diagnostics/, where the
// code table and the examples say what there is about each.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "explanations.hpp"
#include "support/markdown.hpp"
#include "transcript.hpp"

namespace golden {

namespace {

using amdcompat::CodeInfo;

// A page of findings that belong together.
struct Area {
  unsigned first, last;
  std::string_view page;  // name of its file
  std::string_view title;
};
constexpr Area kAreas[] = {
    {1, 999, "files", "AC0xxx: reading and writing files"},
    {1000, 1999, "text", "AC1xxx: metadata text"},
    {2000, 2099, "opencl-1", "AC20xx: what a file is, and OpenCL 1.x containers"},
    {2100, 2999, "opencl-2", "AC21xx: OpenCL 2.0 containers"},
    {3000, 3999, "launch", "AC3xxx: launch images and printf buffers"},
    {4000, 4099, "conversion", "AC40xx: conversion"},
    {4100, 4199, "metadata", "AC41xx: HSA metadata"},
    {4200, 4299, "objects", "AC42xx: HSA code objects"},
    {4300, 4399, "in-place", "AC43xx: in-place conversion"},
    {4400, 4499, "lift", "AC44xx: lifting"},
    {4500, 4599, "compile", "AC45xx: compiling what was lifted"},
    {5000, 5999, "emulate", "AC5xxx: emulation"},
    {6000, 6999, "migrate", "AC6xxx: migration"},
    {9000, 9999, "library", "AC9xxx: defects of this library"},
};

std::string fence(std::string_view text) {
  std::string out = "```\n";
  out += text;
  if (!text.ends_with('\n')) out += '\n';
  return out + "```\n";
}

std::string severities(const CodeInfo& info) {
  const auto strict = amdcompat::severity_name(info.strict), lenient = amdcompat::severity_name(info.lenient);
  return strict == lenient ? fmt::format("{}", strict) : fmt::format("{}, lenient {}", strict, lenient);
}

// What would end a cell of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : c == '<' ? "&lt;" : std::string(1, c);
  return out;
}

// What a code's example is, for the page and for `explain`.
struct Shown {
  std::string input;
  bool input_is_text = true;
  std::string how, output;
};

Shown shown(const CodeInfo& info) {
  const auto found =
      std::ranges::find_if(code_examples(), [&](const CodeExample& example) { return example.code == info.code; });
  if (found == code_examples().end()) {
    for (const Elsewhere& row : elsewhere())
      if (row.code == static_cast<unsigned>(info.code)) return {"", true, "", row.printed + '\n'};
    return {};
  }
  // The first of the two runs is the lenient one.
  const std::string_view both = found->transcript;
  const std::size_t second = std::min(both.find("\n$ "), both.find("\n> "));
  return {found->input, found->input_is_text, found->how, rendering(both.substr(0, second), info.code, info.lenient)};
}

std::string entry(const CodeInfo& info) {
  const std::string label = amdcompat::code_label(info.code);
  const amdcompat::cli::Explanation& row = amdcompat::cli::explanation_of(info.code);
  std::string out = fmt::format("## {} {}\n\n{}: {}.\n\n*Cause*: {}. *Remedy*: {}.\n\n", label, info.name,
                                severities(info), info.meaning, row.cause, row.remedy);
  const Shown example = shown(info);
  if (example.how.empty()) {
    for (const Elsewhere& other : elsewhere())
      if (other.code == static_cast<unsigned>(info.code))
        return out + fmt::format("No example that every machine can make: {}. Its form\n\n{}\n", other.where,
                                 fence(example.output));
    return out;
  }
  if (!example.input_is_text)
    out += fmt::format("Input: {}.\n", example.input);
  else if (!example.input.empty())
    out += fence(example.input);
  if (!example.input.empty()) out += '\n';
  out += fmt::format("{} prints\n\n", example.how);
  return out + fence(example.output) + "\n";
}

// A C++ string of several lines.
std::string literal(std::string_view text) {
  std::string out, line;
  const auto end = [&] {
    if (!line.empty()) out += "\n     \"" + line + '"';
    line.clear();
  };
  bool hex = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      line += "\\n";
      end();
      hex = false;
    } else if (c == '"' || c == '\\') {
      line += std::string("\\") + c;
      hex = false;
    } else if (byte < 0x20 || byte >= 0x7f || (c == '?' && line.ends_with('?'))) {
      line += fmt::format("\\x{:02x}", byte);
      hex = true;
    } else {
      if (hex && std::isxdigit(byte) != 0) line += "\"\"";  // else it would count to the escape
      line += c;
      hex = false;
    }
    if (line.size() > 100) end(), hex = false;
  }
  end();
  return out.empty() ? "\n     \"\"" : out;
}

}  // namespace

std::vector<Page> diagnostics_pages() {
  std::vector<Page> out{{"diagnostics.md", read_file(golden_directory() / "diagnostics.md.in")}};
  std::string index;
  for (const Area& area : kAreas) {
    const std::string path = fmt::format("diagnostics/{}.md", area.page);
    std::string text = fmt::format("# {}\n\n[All findings](../diagnostics.md), with what severities mean. `amdcompat "
                                   "explain CODE` prints the same.\n",
                                   area.title);
    index += fmt::format("\n### [{}]({})\n\n| code | severity | meaning |\n| --- | --- | --- |\n", area.title, path);
    for (const CodeInfo& info : amdcompat::all_codes()) {
      const auto number = static_cast<unsigned>(info.code);
      if (number < area.first || number > area.last) continue;
      const std::string heading = fmt::format("{} {}", amdcompat::code_label(info.code), info.name);
      index += fmt::format("| [{}]({}#{}) | {} | {} |\n", heading, path, amdcompat_test::anchor(heading),
                           severities(info), cell(info.meaning));
      text += '\n' + entry(info);
      while (text.ends_with("\n\n")) text.pop_back();
    }
    out.push_back({path, std::move(text)});
  }
  constexpr std::string_view kMark = "@CODES@\n";
  std::string& page = out.front().text;
  const std::size_t at = page.find(kMark);
  if (at == std::string::npos) return {{"diagnostics.md", "diagnostics.md.in has no line @CODES@\n"}};
  page.replace(at, kMark.size(), index.substr(1));
  return out;
}

std::string printed_examples_source() {
  std::string out = "// Written by `golden_test --rebase` from the examples in tests/golden/diagnostics. Edit those.\n"
                    "#include \"explanations.hpp\"\n\n#include <array>\n\nnamespace amdcompat::cli {\n\nnamespace {\n\n"
                    "// clang-format off\nconstexpr auto kExamples = std::to_array<PrintedExample>({\n";
  for (const CodeInfo& info : amdcompat::all_codes()) {
    const Shown example = shown(info);
    out += fmt::format("    {{{},{}, {},{},{}}},\n", static_cast<unsigned>(info.code), literal(example.input),
                       example.input_is_text, literal(example.how), literal(example.output));
  }
  return out +
         "});\n// clang-format on\n\n}  // namespace\n\n"
         "std::span<const PrintedExample> printed_examples() { return kExamples; }\n\n}  // namespace amdcompat::cli\n";
}

}  // namespace golden
