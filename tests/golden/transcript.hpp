// Golden cases: commands run in a directory, and what they printed, in one text.
//
//   $ amdcompat check AC1001.amdil
//   AC1001.amdil: 1 of 1 kernel(s) convertible
//   --- standard error
//   AC1001.amdil:5:2: warning[AC1001]: unknown directive 'colour'
//   --- exit status 1
//
// The two `---` parts stand only where there is something to say. Commands are lines for the shell.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/diagnostic.hpp>

namespace golden {

inline bool rebase = false;  // rewrite the stored files instead of comparing

[[nodiscard]] std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::string_view text);
// Names of the regular files in a directory, sorted.
[[nodiscard]] std::vector<std::string> files_in(const std::filesystem::path& directory);

[[nodiscard]] std::filesystem::path golden_directory();   // tests/golden in the sources
[[nodiscard]] std::filesystem::path samples_directory();  // corpus in the build tree

[[nodiscard]] std::string transcript(const std::filesystem::path& directory, std::span<const std::string> commands);

// Fails the running test when `actual` is not what `path` holds; with --rebase it writes the file instead.
void expect_golden(const std::filesystem::path& path, std::string_view actual);

// One code's golden, in diagnostics/: how its input is read, and what comes of it.
struct CodeExample {
  amdcompat::Code code;
  std::string input;       // the text, or what a binary is, for the page
  bool input_is_text = true;
  std::string how;         // the command or library calls, in Markdown
  std::string transcript;  // lenient, then strict
};
// All examples, in the order of the codes; made by running them.
[[nodiscard]] const std::vector<CodeExample>& code_examples();

// The findings of `code` in a transcript, as rendered; empty when there are none.
[[nodiscard]] std::string rendering(std::string_view transcript, amdcompat::Code code, amdcompat::Severity severity);

// Codes without an example that every machine can make. [diagnostics/elsewhere.txt]
struct Elsewhere {
  unsigned code = 0;
  std::string where;    // why, and where it is tested
  std::string printed;  // the message as it is printed
};
[[nodiscard]] std::vector<Elsewhere> elsewhere();

// cli/printed_examples.cpp: the examples as `explain` prints them.
[[nodiscard]] std::string printed_examples_source();

// Pages that are made, as they should be: an index, then one page an area in a directory of the index's name.
struct Page {
  std::string path;  // below docs/
  std::string text;
};
[[nodiscard]] std::vector<Page> diagnostics_pages();  // docs/diagnostics.md, docs/diagnostics/
[[nodiscard]] std::vector<Page> reference_pages();    // docs/reference.md, docs/reference/

}  // namespace golden
