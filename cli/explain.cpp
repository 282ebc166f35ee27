// `explain`: what a code means, where it comes from, what to do about it, and what it looks like.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <amdcompat/gpu.hpp>

#include "explanations.hpp"
#include "verbs.hpp"

namespace amdcompat::cli {

namespace {

using Json = nlohmann::ordered_json;

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// "AC4303", "ac4303", "4303" or "InPlaceUserData"; null: none of them.
const CodeInfo* find_code(std::string_view word) {
  for (const CodeInfo& info : all_codes()) {
    const std::string label = code_label(info.code);
    if (same_letters(word, label) || same_letters(word, info.name) || word == std::string_view(label).substr(2))
      return &info;
  }
  return nullptr;
}

std::string suggestion(std::string_view word) {
  std::vector<std::string> names;
  for (const CodeInfo& info : all_codes()) {
    names.push_back(code_label(info.code));
    names.emplace_back(info.name);
  }
  const std::vector<std::string_view> words(names.begin(), names.end());
  std::string asked(word);
  if (!asked.empty() && std::ranges::all_of(asked, [](char c) { return c >= '0' && c <= '9'; }))
    asked = "AC" + std::string(asked.size() < 4 ? 4 - asked.size() : 0, '0') + asked;
  const std::string_view near = nearest_word(asked, words);
  return near.empty() ? std::string(" (amdcompat explain --list shows all)") : fmt::format("; did you mean {}?", near);
}

std::string severities(const CodeInfo& info) {
  const auto strict = severity_name(info.strict), lenient = severity_name(info.lenient);
  return strict == lenient ? std::string(strict) : fmt::format("{}, lenient {}", strict, lenient);
}

const PrintedExample* example_of(Code code) {
  const auto examples = printed_examples();
  const auto found = std::ranges::find(examples, static_cast<std::uint16_t>(code), &PrintedExample::code);
  return found == examples.end() ? nullptr : &*found;
}

std::string without_ticks(std::string_view text) {
  std::string out(text);
  std::erase(out, '`');
  return out;
}

std::string paragraph(std::string_view label, std::string_view text) {
  constexpr std::size_t kLabelWidth = 11;
  return labelled(label, text, kLabelWidth);
}

std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += fmt::format("    {}\n", text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string page(const CodeInfo& info) {
  const Explanation& row = explanation_of(info.code);
  std::string out = fmt::format("{} {} ({})\n", code_label(info.code), info.name, severities(info));
  out += paragraph("meaning", without_ticks(info.meaning)) + paragraph("cause", without_ticks(row.cause)) +
         paragraph("remedy", without_ticks(row.remedy));
  const PrintedExample* const example = example_of(info.code);
  if (example == nullptr) return out;
  const std::string prints = example->how.empty() ? std::string("in the form in which it is printed")
                                                  : fmt::format("{} prints", without_ticks(example->how));
  if (example->input.empty()) {
    out += paragraph("example", prints);
  } else if (example->input_is_text) {
    out += "  example\n" + indented(example->input) + paragraph("", prints);
  } else {
    out += paragraph("example", fmt::format("{}; {}", without_ticks(example->input), prints));
  }
  return out + indented(example->output);
}

Json as_json(const CodeInfo& info) {
  const Explanation& row = explanation_of(info.code);
  Json out{{"code", code_label(info.code)},
           {"name", info.name},
           {"severity", severity_name(info.strict)},
           {"lenient", severity_name(info.lenient)},
           {"meaning", info.meaning},
           {"cause", row.cause},
           {"remedy", row.remedy}};
  if (const PrintedExample* const example = example_of(info.code)) {
    Json shown;
    if (!example->input.empty()) shown["input"] = example->input;
    if (!example->how.empty()) shown["how"] = without_ticks(example->how);
    shown["output"] = example->output;
    out["example"] = std::move(shown);
  }
  return out;
}

}  // namespace

int run_explain(const ExplainOptions& options) {
  std::vector<const CodeInfo*> codes;
  bool unknown = false;
  for (const std::string& word : options.codes) {
    const CodeInfo* const info = find_code(word);
    if (info == nullptr)
      fmt::print(stderr, "amdcompat: '{}' is no code of a finding{}\n", visible(word), suggestion(word));
    else
      codes.push_back(info);
    unknown = unknown || info == nullptr;
  }
  if (options.list)
    for (const CodeInfo& info : all_codes()) codes.push_back(&info);
  std::string out;
  for (const CodeInfo* const info : codes) {
    if (options.json)
      out += as_json(*info).dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    else if (options.list)
      out += fmt::format("{} {:<8} {}\n", code_label(info->code), severity_name(info->lenient), info->name);
    else
      out += (out.empty() ? "" : "\n") + page(*info);
  }
  const bool written =
      options.output.empty() ? (options.json ? write_stdout(out) : write_page(out)) : write_output(options.output, out);
  if (!written) return kInputOutput;
  return unknown ? kUsage : kDone;
}

}  // namespace amdcompat::cli
