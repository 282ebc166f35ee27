#include "transcript.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include <sys/wait.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <amdcompat/amdcompat.hpp>

#include "made_inputs.hpp"
#include "support/process.hpp"

namespace golden {

namespace fs = std::filesystem;
using amdcompat::Code;
using amdcompat::Diagnostics;
using amdcompat::Mode;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

void write_file(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

std::vector<std::string> files_in(const fs::path& directory) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.is_regular_file()) out.push_back(entry.path().filename().string());
  std::ranges::sort(out);
  return out;
}

fs::path golden_directory() { return fs::path(AMDCOMPAT_SOURCE_DIR) / "tests/golden"; }
fs::path samples_directory() { return AMDCOMPAT_SAMPLES; }

namespace {

void add_part(std::string& out, std::string_view text) {
  out += text;
  if (!text.empty() && !text.ends_with('\n')) out += "\n--- (no line end)\n";
}

}  // namespace

std::string transcript(const fs::path& directory, std::span<const std::string> commands) {
  const amdcompat_test::TemporaryDirectory scratch;
  std::string out;
  for (const std::string& command : commands) {
    const std::string script =
        fmt::format("amdcompat() {{ '{}' \"$@\"; }}\nexport LC_ALL=C OUT='{}'\ncd '{}' || exit 99\n{}\n", AMDCOMPAT_CLI,
                    (scratch / "out").string(), directory.string(), command);
    write_file(scratch / "script", script);
    const int raw = std::system(fmt::format("sh '{}' > '{}' 2> '{}' < /dev/null", (scratch / "script").string(),
                                            (scratch / "stdout").string(), (scratch / "stderr").string())
                                    .c_str());
    const int status = WIFEXITED(raw) ? WEXITSTATUS(raw) : -1;
    if (!out.empty()) out += '\n';
    out += fmt::format("$ {}\n", command);
    add_part(out, read_file(scratch / "stdout"));
    if (const std::string errors = read_file(scratch / "stderr"); !errors.empty()) {
      out += "--- standard error\n";
      add_part(out, errors);
    }
    if (status != 0) out += fmt::format("--- exit status {}\n", status);
  }
  return out;
}

void expect_golden(const fs::path& path, std::string_view actual) {
  if (rebase) {
    if (!fs::exists(path) || read_file(path) != actual) write_file(path, actual);
    return;
  }
  ASSERT_TRUE(fs::exists(path)) << path << " is missing: golden_test --rebase writes it";
  const std::string stored = read_file(path);
  if (stored == actual) return;
  // The first line that differs says more than two pages of text.
  std::istringstream a{stored}, b{std::string(actual)};
  std::string expected, found;
  for (int line = 1;; ++line) {
    const bool more_a = static_cast<bool>(std::getline(a, expected));
    const bool more_b = static_cast<bool>(std::getline(b, found));
    if (more_a && more_b && expected == found) continue;
    ADD_FAILURE() << path << ":" << line << "\n  stored: " << (more_a ? expected : "(end)")
                  << "\n  now:    " << (more_b ? found : "(end)")
                  << "\nIf that is right, golden_test --rebase takes it over.";
    return;
  }
}

// --- examples of codes ------------------------------------------------------------------------------------

namespace {

std::string hex_bytes(std::string_view hex) {
  std::string out;
  std::istringstream words{std::string(hex)};
  for (std::string word; words >> word;) {
    if (word[0] == '#') {
      words.ignore(1 << 20, '\n');
      continue;
    }
    out += static_cast<char>(std::stoul(word, nullptr, 16));
  }
  return out;
}

// What a library call found, in the form of the tool's output.
std::string library_transcript(const std::string& call, Diagnostics& diagnostics, std::string_view bytes, bool text) {
  const amdcompat::TextRegion whole{{0, static_cast<std::uint32_t>(bytes.size())}};
  const amdcompat::SourceView view{bytes, text ? std::span(&whole, 1) : std::span<const amdcompat::TextRegion>{}};
  return fmt::format("> {}\n{}", call, amdcompat::render_text(diagnostics, view, {}));
}

// Name and member of the limits that a `.limits` file may lower.
template <class Limits>
struct LimitName {
  std::string_view name;
  std::uint32_t Limits::* member;
};
constexpr LimitName<amdcompat::text::Limits> kTextLimits[] = {{"lines", &amdcompat::text::Limits::lines},
                                                              {"arguments", &amdcompat::text::Limits::arguments},
                                                              {"name_bytes", &amdcompat::text::Limits::name_bytes}};

std::string with_limit(const std::string& name, const std::string& text, const std::string& limit, Mode mode) {
  std::istringstream in(limit);
  std::string what;
  std::uint32_t value = 0;
  in >> what >> value;
  amdcompat::OpenOptions options;
  for (const auto& row : kTextLimits)
    if (row.name == what) options.text.limits.*row.member = value;
  Diagnostics diagnostics(mode);
  diagnostics.set_file(name);
  static_cast<void>(amdcompat::open(text, diagnostics, options));
  return library_transcript(
      fmt::format("open {} with a limit of {} {}, {}", name, value, what, mode == Mode::Strict ? "strict" : "lenient"),
      diagnostics, text, true);
}

// HSA metadata has no verb of its own: read and verified through the library.
std::string metadata_transcript(const std::string& name, const std::string& bytes, std::string_view form, Mode mode) {
  Diagnostics diagnostics(mode);
  diagnostics.set_file(name);
  std::optional<amdcompat::hsa::Metadata> metadata;
  if (form == "yaml") metadata = amdcompat::hsa::read_yaml(bytes, diagnostics);
  if (form == "msgpack") metadata = amdcompat::hsa::read_msgpack(bytes, diagnostics);
  if (form == "note") metadata = amdcompat::hsa::read_note(bytes, diagnostics);
  if (form == "elf")
    if (auto elf = amdcompat::hsa::read_note_elf(bytes, diagnostics)) metadata = std::move(elf->metadata);
  if (metadata) static_cast<void>(amdcompat::hsa::verify(*metadata, diagnostics));
  return library_transcript(fmt::format("read and verify {}, {}", name, mode == Mode::Strict ? "strict" : "lenient"),
                            diagnostics, bytes, form == "yaml");
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Both modes of a command. Notes show only with -v.
std::vector<std::string> both_modes(const std::string& arguments, const amdcompat::CodeInfo& info) {
  const bool note = info.strict == amdcompat::Severity::Note || info.lenient == amdcompat::Severity::Note;
  const std::size_t space = std::min(arguments.find(' '), arguments.size());
  const std::string verb = arguments.substr(0, space), rest = arguments.substr(space);
  return {fmt::format("amdcompat {}{}{}", verb, note ? " -v" : "", rest),
          fmt::format("amdcompat {} --strict{}{}", verb, note ? " -v" : "", rest)};
}

CodeExample make_example(Code code, const fs::path& directory, const std::string& file) {
  const std::string label = amdcompat::code_label(code);
  CodeExample example;
  example.code = code;
  const std::string extension = file.substr(file.find('.') + 1);
  const fs::path stored = golden_directory() / "diagnostics";
  const std::string bytes = file.empty() ? "" : read_file(directory / file);
  if (const fs::path limits = stored / (label + ".limits"); fs::exists(limits)) {
    example.input = bytes;
    const std::string limit = read_file(limits);
    example.how = fmt::format("`open` with a limit of {}", limit.substr(0, limit.find('\n')));
    example.transcript =
        with_limit(file, bytes, limit, Mode::Lenient) + "\n" + with_limit(file, bytes, limit, Mode::Strict);
  } else if (extension == "yaml" || extension.ends_with(".hex")) {
    const std::string form = extension.substr(0, extension.find('.'));
    const std::string raw = form == extension ? bytes : hex_bytes(bytes);
    example.input = bytes;
    example.how = fmt::format("`hsa::read_{}`, then `hsa::verify`", form == "elf" ? "note_elf" : form);
    example.transcript =
        metadata_transcript(file, raw, form, Mode::Lenient) + "\n" + metadata_transcript(file, raw, form, Mode::Strict);
  } else {
    const fs::path command = stored / (label + ".cmd");
    std::string arguments = fs::exists(command) ? read_file(command) : "check FILE\n";
    arguments = replaced(arguments.substr(0, arguments.find('\n')), "FILE", file);
    example.input_is_text = extension != "bin";
    example.input = example.input_is_text ? bytes : read_file(directory / (label + ".txt"));
    const std::vector<std::string> commands = both_modes(arguments, amdcompat::code_info(code));
    example.how = fmt::format("`{}`", commands[0]);
    example.transcript = transcript(directory, commands);
  }
  return example;
}

// Commands that are run among copies of the samples: all but the last prepare it. $STRICT stands where --strict may.
CodeExample script_example(Code code, const fs::path& script) {
  CodeExample example;
  example.code = code;
  std::vector<std::string> lines;
  std::istringstream in(read_file(script));
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) lines.push_back(line);
  const std::string last = lines.back(), command = replaced(last, " $STRICT", "");
  lines.pop_back();
  for (const std::string& line : lines) example.input += line + "\n";
  example.how = fmt::format("`{}`", command);
  for (const std::string_view strict : {"", " --strict"}) {
    const amdcompat_test::TemporaryDirectory work;
    fs::copy(samples_directory() / "bin", work / "in", fs::copy_options::recursive);
    if (!lines.empty()) static_cast<void>(transcript(work / "in", lines));
    const std::vector<std::string> commands{replaced(last, " $STRICT", strict)};
    example.transcript += (example.transcript.empty() ? "" : "\n") + transcript(work / "in", commands);
  }
  return example;
}

CodeExample made_example(const MadeInput& made, const fs::path& directory) {
  CodeExample example;
  example.code = made.code;
  example.input = made.what;
  example.input_is_text = false;
  const std::string file = amdcompat::code_label(made.code) + ".bin";
  write_file(directory / file, {reinterpret_cast<const char*>(made.bytes.data()), made.bytes.size()});
  const std::vector<std::string> commands =
      both_modes(replaced(made.arguments, "FILE", file), amdcompat::code_info(made.code));
  example.how = fmt::format("`{}`", commands[0]);
  example.transcript = transcript(directory, commands);
  return example;
}

CodeExample called_example(const LibraryCall& call) {
  CodeExample example;
  example.code = call.code;
  example.input = call.what;
  example.input_is_text = false;
  example.how = call.how;
  for (const Mode mode : {Mode::Lenient, Mode::Strict}) {
    Diagnostics findings(mode);
    call.run(findings);
    example.transcript += (example.transcript.empty() ? "" : "\n") +
                          library_transcript(fmt::format("{}, {}", replaced(call.how, "`", ""),
                                                         mode == Mode::Strict ? "strict" : "lenient"),
                                             findings, "", false);
  }
  return example;
}

std::vector<CodeExample> make_examples() {
  // The input of a code is called after it and has any extension but these.
  static constexpr std::string_view kOthers[] = {"out", "cmd", "limits", "txt", "dump", "sh"};
  const fs::path stored = golden_directory() / "diagnostics", broken = samples_directory() / "broken";
  std::map<std::string, std::pair<fs::path, std::string>> inputs;
  std::map<Code, CodeExample> examples;
  for (const fs::path& directory : {broken, stored})
    for (const std::string& file : files_in(directory)) {
      const std::string extension = file.substr(std::min(file.find('.') + 1, file.size()));
      if (std::ranges::find(kOthers, extension) == std::end(kOthers))
        inputs[file.substr(0, file.find('.'))] = {directory, file};
      else if (extension == "cmd")  // may need no input
        inputs.try_emplace(file.substr(0, file.find('.')), directory, "");
    }
  for (const amdcompat::CodeInfo& info : amdcompat::all_codes()) {
    const std::string label = amdcompat::code_label(info.code);
    if (const auto found = inputs.find(label); found != inputs.end())
      examples.emplace(info.code, make_example(info.code, found->second.first, found->second.second));
    else if (fs::exists(stored / (label + ".sh")))
      examples.emplace(info.code, script_example(info.code, stored / (label + ".sh")));
  }
  const amdcompat_test::TemporaryDirectory made;
  static_cast<void>(transcript(samples_directory() / "bin", std::vector<std::string>{fmt::format(
                                                                "amdcompat pack --template -o '{}' pitcairn-scale.clo",
                                                                (made / "launch.json").string())}));
  for (const MadeInput& input : made_inputs()) examples.emplace(input.code, made_example(input, made / ""));
  for (const LibraryCall& call : library_calls()) examples.emplace(call.code, called_example(call));
  std::vector<CodeExample> out;
  for (auto& [code, example] : examples) out.push_back(std::move(example));
  return out;
}

}  // namespace

const std::vector<CodeExample>& code_examples() {
  static const std::vector<CodeExample> examples = make_examples();
  return examples;
}

std::string rendering(std::string_view transcript, Code code, amdcompat::Severity severity) {
  const std::string tag = fmt::format(": {}[{}]: ", amdcompat::severity_name(severity), amdcompat::code_label(code));
  std::string out;
  bool inside = false;
  std::istringstream lines{std::string(transcript)};
  for (std::string line; std::getline(lines, line);) {
    // A finding is its first line and the indented ones below it.
    if (!line.starts_with(' ')) inside = line.find(tag) != std::string::npos;
    if (inside) out += line + "\n";
  }
  return out;
}

std::vector<Elsewhere> elsewhere() {
  std::vector<Elsewhere> out;
  std::istringstream lines(read_file(golden_directory() / "diagnostics/elsewhere.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == ' ') {
      if (!out.empty()) out.back().printed = line.substr(line.find_first_not_of(' '));
      continue;
    }
    std::istringstream words(line);
    std::string label;
    words >> label;
    Elsewhere row;
    row.code = static_cast<unsigned>(std::stoul(label.substr(2)));
    std::getline(words >> std::ws, row.where);
    out.push_back(row);
  }
  return out;
}

}  // namespace golden
