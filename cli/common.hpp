// What the verbs share: reading inputs, showing findings, writing outputs.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/lift.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/pipeline.hpp>

#include "launch_file.hpp"

namespace amdcompat::cli {

// Exit codes, in ascending order of precedence (a later one hides an earlier one).
inline constexpr int kDone = 0;
inline constexpr int kInputErrors = 1;
inline constexpr int kUsage = 2;
inline constexpr int kInputOutput = 3;

struct Common {
  std::vector<std::string> files;  // "-" is standard input
  bool strict = false;
  bool json = false;               // findings (and inspect's output) as JSON
  bool verbose = false;            // show notes
  bool quiet = false;              // show errors only
  std::string colour = "auto";     // auto, always, never
  std::string kernel;              // only this kernel; empty: all
  bool spec_decimal = false;       // integers of data segments are decimal
  std::string output;              // of verbs that print: a file; empty: standard output

  [[nodiscard]] Mode mode() const { return strict ? Mode::Strict : Mode::Lenient; }
  [[nodiscard]] OpenOptions open_options() const;
};

// What a user can do about a finding with an option of the verb. The library knows no options; a verb adds these.
struct Hint {
  Code code;
  std::string_view text;  // stands behind the message: "choose with --target"
};

// The bytes of a file or of standard input ("-"); on failure prints why and returns nothing.
[[nodiscard]] std::optional<std::string> read_input(const std::string& path);

// A file that a verb works on, with what is found in it.
struct Input {
  std::string path;
  std::string bytes;  // also of a refused file, which has no model to show findings from
  Diagnostics diagnostics;
  std::optional<File> file;  // absent: not opened, or refused; the findings say why
  std::vector<Hint> hints;   // for the findings

  [[nodiscard]] SourceView source() const;
  // The exit status that the findings ask for.
  [[nodiscard]] int result() const { return diagnostics.has_errors() ? kInputErrors : kDone; }
};
// Reads a file. Nothing when it cannot be read, which is shown (kInputOutput).
[[nodiscard]] std::optional<Input> read_file(const std::string& path, const Common& options);
// And opens it as the options say. `target` chooses the entry of a bundle; empty: the only one.
[[nodiscard]] std::optional<Input> open_input(const std::string& path, const Common& options,
                                              std::string_view target = {});
// `kernel`: of a container, only that one is read; empty: all are.
void open(Input& input, const Common& options, std::string_view target = {}, std::string_view kernel = {});
// Says where a loader takes the metadata of a V1 or V2 object otherwise than it is written, for those who launch it.
void settle(Input& input);
// Whether --target of a verb that makes nothing for it names an entry of a bundle, or what the file is for; else an
// error was reported.
bool has_target(Input& input, std::string_view wanted);
// A launch file, and its findings shown; the exit status, and no launch file unless that is kDone.
[[nodiscard]] int read_launch(const std::string& path, const Common& options, std::optional<LaunchFile>& out);
// Writes all of `bytes` under a temporary name in the same directory, then renames: no half-written output. `-` is the
// standard output.
[[nodiscard]] bool write_output(const std::string& path, std::string_view bytes);
// The target that a name of --target or --gpu stands for: of a board or device that of the device tables, with the
// features behind a colon; else the name as it is.
[[nodiscard]] std::string target_named(const std::string& name);
// What is wrong with a name of --target; empty: it stands for a target, or may be one that is newer than the table.
[[nodiscard]] std::string problem_of_target(const std::string& name);
// "; did you mean 'gfx1030'?", or where the names are listed.
[[nodiscard]] std::string did_you_mean_gpu(std::string_view name);
// Standard output as a file while it lives: written under a temporary name, which `finish` changes into the wanted one.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  [[nodiscard]] bool good() const { return saved_ >= 0; }
  // The status of the verb, or kInputOutput. A verb that could not read or write leaves no file.
  [[nodiscard]] int finish(int status) const;

 private:
  std::string path_, temporary_;
  int saved_ = -1;  // the real standard output
};
// Makes a directory for outputs where it is missing; false, with the reason shown, when it cannot be made.
[[nodiscard]] bool make_directory(const std::string& path);
// Name of an input's output in a directory: the input's own name with an extension, made unique when several inputs
// share it.
[[nodiscard]] std::string output_name(const std::string& path, std::string_view extension,
                                      std::map<std::string, int>& used);
[[nodiscard]] bool write_stdout(std::string_view bytes);
// A page for people: nothing that it quotes from inputs acts on a terminal, on which lines that are wider than it go on
// in the next, indented.
[[nodiscard]] bool write_page(std::string_view text);
// What a file holds, byte for byte; on a terminal it is a page.
[[nodiscard]] bool write_form(std::string_view text);

// The findings in order of their place in the file, with the hints in their messages.
[[nodiscard]] Diagnostics sorted(const Diagnostics& diagnostics, std::span<const Hint> hints = {});
// Shows findings on standard error as text (notes only when verbose), or as JSON Lines.
void show(const Input& input, const Common& options);
void show(const Diagnostics& diagnostics, const SourceView& source, const Common& options,
          std::span<const Hint> hints = {});
// "1 kernel", "2 kernels".
[[nodiscard]] std::string plural(std::size_t n, std::string_view what);
// Kernels by pipeline::Outcome; what a container names and could not be read is refused.
using OutcomeCounts = std::array<std::size_t, std::size(pipeline::kOutcomes)>;
[[nodiscard]] OutcomeCounts count_outcomes(const File& file, const pipeline::Conversion& conversion);
// "3 kernels: 2 converted, 1 refused".
[[nodiscard]] std::string outcomes_text(const OutcomeCounts& counts);
[[nodiscard]] std::size_t count_lifted(const lift::Unit& unit);
// "1 error, 2 warnings"; empty when there is neither.
[[nodiscard]] std::string count_text(const Diagnostics& diagnostics);

[[nodiscard]] bool use_colour(const Common& options, int descriptor);

// Keeps only the kernel that --kernel names; false (with a finding) when the file has none of that name.
bool select_kernel(Program& program, const Common& options, Diagnostics& diagnostics);
// The same of a file that may have been refused: false then.
bool select_kernel(Input& input, const Common& options);

// Bytes as characters.
[[nodiscard]] std::string_view text_of(std::span<const std::byte> bytes);
// One string, with `between` where two words meet.
[[nodiscard]] std::string join(std::span<const std::string> words, std::string_view between);

inline constexpr std::size_t kTextWidth = 80;  // columns

// Lines of more than `columns` broken at blanks; the rest stands `hang` columns to the right of where the line began.
[[nodiscard]] std::string folded(std::string_view text, std::size_t columns, std::size_t hang);
// Words behind a label, in lines of kTextWidth whose text begins in column `indent`; a word is never broken.
[[nodiscard]] std::string labelled(std::string_view label, std::string_view text, std::size_t indent);

// Neutral model as JSON on standard output, for `inspect --format json`. False: it cannot be written (says why).
[[nodiscard]] bool print_program_json(const std::string& name, const File& file);

}  // namespace amdcompat::cli
