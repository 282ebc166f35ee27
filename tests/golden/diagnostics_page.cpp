// docs/diagnostics.md: written by hand (diagnostics.md.in) around what the code table and the examples say.
#include <algorithm>

#include <fmt/format.h>

#include "transcript.hpp"

namespace golden {

namespace {

using amdcompat::CodeInfo;

struct Chapter {
  unsigned first, last;
  std::string_view title;
};
constexpr Chapter kChapters[] = {
    {1, 999, "Files"},
    {1000, 1999, "AC1xxx: metadata text"},
    {2000, 2099, "AC20xx: files and OpenCL 1.x containers"},
    {2100, 2999, "AC21xx: OpenCL 2.0 containers"},
    {3000, 3999, "AC3xxx: launch images and printf buffers"},
    {4000, 4099, "AC40xx: conversion"},
    {4100, 4399, "AC41xx: HSA metadata"},
    {4400, 4499, "AC44xx: lifting"},
    {4500, 4599, "AC45xx: compiling what was lifted"},
    {5000, 5999, "AC5xxx: emulation"},
    {6000, 6999, "AC6xxx: migration"},
    {9000, 9999, "AC9xxx: defects of this library"},
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

std::string entry(const CodeInfo& info) {
  const std::string label = amdcompat::code_label(info.code);
  std::string out = fmt::format("### {} {}\n\n{}: {}.\n\n", label, info.name, severities(info), info.meaning);
  const auto found =
      std::ranges::find_if(code_examples(), [&](const CodeExample& example) { return example.code == info.code; });
  if (found == code_examples().end()) {
    for (const Elsewhere& row : elsewhere())
      if (row.first <= static_cast<unsigned>(info.code) && static_cast<unsigned>(info.code) <= row.last)
        return out + fmt::format("No example here: {}.\n\n", row.where);
    return out;
  }
  if (!found->input_is_text)
    out += fmt::format("Input: {}.\n", found->input);
  else if (!found->input.empty())
    out += fence(found->input);
  if (!found->input.empty()) out += '\n';
  out += fmt::format("{} prints\n\n", found->how);
  // The first of the two runs is the lenient one.
  const std::string_view both = found->transcript;
  const std::size_t second = std::min(both.find("\n$ "), both.find("\n> "));
  return out + fence(rendering(both.substr(0, second), info.code, info.lenient)) + "\n";
}

}  // namespace

std::string diagnostics_page() {
  std::string entries;
  for (const Chapter& chapter : kChapters) {
    std::string text;
    for (const CodeInfo& info : amdcompat::all_codes()) {
      const auto number = static_cast<unsigned>(info.code);
      if (number < chapter.first || number > chapter.last) continue;
      text += entry(info);
    }
    if (!text.empty()) entries += fmt::format("## {}\n\n{}", chapter.title, text);
  }
  std::string page = read_file(golden_directory() / "diagnostics.md.in");
  constexpr std::string_view kMark = "@CODES@\n";
  const std::size_t at = page.find(kMark);
  if (at == std::string::npos) return "diagnostics.md.in has no line @CODES@\n";
  while (entries.ends_with("\n\n")) entries.pop_back();
  return page.replace(at, kMark.size(), entries);
}

}  // namespace golden
