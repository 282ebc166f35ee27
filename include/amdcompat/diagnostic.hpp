// Diagnostics: what the library found wrong, doubtful or worth knowing in an input.
//
// The library never prints, never exits and never throws on bad input: it returns values and reports
// findings to a `Diagnostics` sink. A finding knows a byte range of its input; line and column are computed
// only when it is rendered. Codes are stable: `docs/diagnostics.md` lists each with an example.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/export.h>

namespace amdcompat {

// How far a finding reaches. `Error`: the input (or a kernel of it) cannot be used as it stands.
// `Warning`: usable, but something was tolerated or lost in translation. `Note`: a fact worth knowing.
enum class Severity : std::uint8_t { Note, Warning, Error };

// Strict reports every departure from the grammar at its full severity. Lenient turns the departures that
// AMD's own runtime tolerated (or that cost nothing) into warnings and keeps the text; it never invents values.
enum class Mode : std::uint8_t { Lenient, Strict };

// Stable codes: AC1xxx text, AC2xxx containers, AC3xxx ABI, AC4xxx conversion and HSA metadata,
// AC5xxx emulation, AC6xxx migration of trees, AC9xxx a defect of this library. The enumerator's value is the number.
enum class Code : std::uint16_t {
#define AMDCOMPAT_CODE(number, name, strict, lenient, meaning) name = number,
#include <amdcompat/codes.def>
#undef AMDCOMPAT_CODE
};

// One row of the code table (`include/amdcompat/codes.def` is its only source).
struct CodeInfo {
  Code code;
  std::string_view name;     // the enumerator's spelling
  Severity strict;           // severity in strict mode
  Severity lenient;          // severity in lenient mode
  std::string_view meaning;  // one line for docs/diagnostics.md
};

// Every code in ascending order.
[[nodiscard]] AMDCOMPAT_API std::span<const CodeInfo> all_codes();
// The row of `code`; every enumerator has one.
[[nodiscard]] AMDCOMPAT_API const CodeInfo& code_info(Code code);
// "AC1004".
[[nodiscard]] AMDCOMPAT_API std::string code_label(Code code);
// "note", "warning", "error".
[[nodiscard]] AMDCOMPAT_API std::string_view severity_name(Severity severity);
// The severity of a finding: the column of the code table that the mode chooses. Nothing else decides it, except
// `severity_if_overcome` for what another way of doing the work made harmless.
[[nodiscard]] AMDCOMPAT_API Severity severity_of(Code code, Mode mode);

// Bytes [begin, begin + size) of the file the finding is about. Inputs over 4 GiB are refused on opening.
struct SourceRange {
  std::uint32_t begin = 0;  // bytes from the start of the file
  std::uint32_t size = 0;   // bytes; 0 means a position
  friend bool operator==(const SourceRange&, const SourceRange&) = default;
};

// What a message is about. `Whole`: it is a sentence of its own. `Kernel`, `Argument`: it is the rest of one that
// begins with the finding's kernel or argument ("has no machine code"); `sentence` puts both together.
enum class Subject : std::uint8_t { Whole, Kernel, Argument };

struct Diagnostic {
  Code code{};
  Severity severity = Severity::Error;
  SourceRange where{};
  std::string file{};  // as the caller named it; filled by the sink
  std::string block{};  // metadata block (`__OpenCL_<kernel>_kernel`) or empty; filled by the sink
  std::string kernel{};  // name of the kernel it is about, or empty; filled by the sink
  std::string argument{};  // name of that kernel's argument it is about, or empty; filled by the sink
  std::string path{};  // place in a decoded structure, such as `amdhsa.kernels[2].args[0].offset`, or empty
  std::string message{};  // what was found and what was expected, in domain words
  Subject subject = Subject::Whole;
};

// Quoted from an input for people: control characters become pictures (U+2400 and on), and what deceives a reader or is
// no UTF-8 becomes U+FFFD, so that nothing acts on a terminal. `lines`: line ends and tabs stay, as of a whole page.
[[nodiscard]] AMDCOMPAT_API std::string visible(std::string_view text, bool lines = false);
// The message with its subject: "kernel 'k' has no machine code".
[[nodiscard]] AMDCOMPAT_API std::string sentence(const Diagnostic& diagnostic);
// The severity of a finding against one way of doing the work once another way has done it: a note. That converted
// machine code behaves differently stays an error whatever else worked.
[[nodiscard]] AMDCOMPAT_API Severity severity_if_overcome(const Diagnostic& diagnostic);

// How a function fails; docs/architecture.md lists them by form.
//
// - `Result<T>` where the first failure ends the work: there is one finding, and the caller chooses the sink.
// - A `Diagnostics&` and `std::optional<T>` where several findings are possible; nothing means an error is among them.
// - A `Diagnostics&` and `bool` where there is no product: whether no error was found, or whether a value was accepted.
// - A `Diagnostics&` and `T` where there is always a product, for as much as could be had.
// - A look-up that may miss returns a pointer or an `std::optional<T>` and reports nothing.
template <class T>
using Result = std::expected<T, Diagnostic>;

// What findings are about from one place of the code on: see `DiagnosticScope`.
struct DiagnosticContext {
  std::string_view block{};
  std::string_view kernel{};
  std::string_view argument{};
};

// Collects findings of one input in the order they were made. Not thread-safe: one sink a thread.
// Memory is bounded: after `limit` findings further ones are only counted, but an error takes the place of the last
// finding that is none, so that errors are kept as long as there are no more than `limit` of them.
class AMDCOMPAT_API Diagnostics {
 public:
  explicit Diagnostics(Mode mode = Mode::Lenient, std::size_t limit = 100'000) : mode_(mode), limit_(limit) {}

  [[nodiscard]] Mode mode() const { return mode_; }
  // The name stamped on findings from here on.
  void set_file(std::string file) { file_ = std::move(file); }
  [[nodiscard]] const std::string& file() const { return file_; }

  // Severity follows the code table and the mode.
  void report(Code code, SourceRange where, std::string message, std::string path = {});
  // As `report`; `predicate` says something of the kernel or argument that the scope names.
  void report_on(Subject subject, Code code, SourceRange where, std::string predicate, std::string path = {});
  // Keeps the severity: that of a finding of another sink, or of a `Result`.
  void add(Diagnostic diagnostic);
  // Whether a finding of this code is an error here, so that the work cannot go on.
  [[nodiscard]] bool is_error(Code code) const { return severity_of(code, mode_) == Severity::Error; }

  [[nodiscard]] const std::vector<Diagnostic>& all() const { return findings_; }
  [[nodiscard]] std::size_t count(Severity severity) const { return counts_[static_cast<std::size_t>(severity)]; }
  [[nodiscard]] bool has_errors() const { return count(Severity::Error) != 0; }
  // Findings past the limit: counted in `count`, not kept in `all`.
  [[nodiscard]] std::size_t dropped() const { return dropped_; }
  [[nodiscard]] bool contains(Code code) const;

 private:
  friend class DiagnosticScope;
  struct Context {
    std::string block, kernel, argument;
  };
  Mode mode_;
  std::size_t limit_;
  std::string file_;
  Context context_;
  std::vector<Diagnostic> findings_;
  std::size_t counts_[3] = {};
  std::size_t dropped_ = 0;
  std::size_t spared_ = static_cast<std::size_t>(-1);  // behind it are errors only, once the limit is reached
};

// While it lives, findings of `sink` are stamped with what `context` names; what it leaves empty stays as it was. The
// end of the scope restores what was before. Scopes of one sink nest.
class [[nodiscard]] AMDCOMPAT_API DiagnosticScope {
 public:
  DiagnosticScope(Diagnostics& sink, const DiagnosticContext& context);
  ~DiagnosticScope();
  DiagnosticScope(const DiagnosticScope&) = delete;
  DiagnosticScope& operator=(const DiagnosticScope&) = delete;

 private:
  enum Part : unsigned char { kBlock = 1, kKernel = 2, kArgument = 4 };
  Diagnostics& sink_;
  Diagnostics::Context before_;  // of the parts that `changed_` has
  unsigned char changed_ = 0;
};

// Makes a diagnostic for a `Result`. The work ended there, so that no leniency was possible: its severity is that of
// strict mode.
[[nodiscard]] AMDCOMPAT_API Diagnostic make_diagnostic(Code code, SourceRange where, std::string message,
                                                       std::string path = {});
// The same with a predicate of a kernel, or of an argument of it where one is named.
[[nodiscard]] AMDCOMPAT_API Diagnostic make_diagnostic(Code code, SourceRange where, const DiagnosticContext& about,
                                                       std::string predicate, std::string path = {});

// Offsets of line starts, built on first use. Lines and columns count from 1; a column counts bytes.
class AMDCOMPAT_API LineTable {
 public:
  explicit LineTable(std::string_view text) : text_(text) {}
  struct Position {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
  };
  [[nodiscard]] Position position(std::uint32_t offset) const;
  // The line's text without its line end.
  [[nodiscard]] std::string_view line(std::uint32_t number) const;

 private:
  void build() const;
  std::string_view text_;
  mutable std::vector<std::uint32_t> starts_;  // empty until first use
};

// What a renderer needs to know of the input: its bytes, and which of them are text. A finding inside a text
// region is shown as `file:line:column` counted from the region's start (for a bare text file, the file's);
// any other as `file:+0xOFFSET` with a hex window.
struct TextRegion {
  SourceRange where;
};
struct SourceView {
  std::string_view bytes;
  std::span<const TextRegion> text;  // ascending, disjoint
};

struct RenderOptions {
  bool colour = false;
  std::size_t limit = 50;  // findings shown before «… and N more»; of more than that, errors come first; 0 means all
  std::string_view rest_hint{};  // how to see the others, shown behind «… and N more findings»; may be empty
  std::size_t byte_rows = static_cast<std::size_t>(-1);  // findings in binary data that show the bytes there
};

// Text for people: location, severity, code, message, source line with a caret. Unless all are
// asked for, more than four findings that say the same, but for the names of kernel and argument, are the first of them
// and a count.
[[nodiscard]] AMDCOMPAT_API std::string render_text(const Diagnostics& diagnostics, const SourceView& source,
                                                    RenderOptions options);
// JSON Lines for scripts: one object a finding, all of them. Keys in this order: code, severity, file, offset,
// size, then block, line, column (text only), kernel, argument, path (each when there is one), message.
[[nodiscard]] AMDCOMPAT_API std::string render_json_lines(const Diagnostics& diagnostics, const SourceView& source);

}  // namespace amdcompat
