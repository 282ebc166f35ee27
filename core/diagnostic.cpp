// The code table, the sink and the two renderings of findings.
//
// A finding holds a byte offset only; lines, columns and excerpts are made here, once, for the findings that are
// really shown. Whatever is quoted from an input may be hostile: control characters never reach the terminal,
// and invalid UTF-8 never reaches the JSON writer unreplaced.
#include <amdcompat/diagnostic.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "json_object.hpp"

namespace amdcompat {
namespace {

constexpr CodeInfo kCodesAsWritten[] = {
#define AMDCOMPAT_CODE(number, name, strict, lenient, meaning)                                                         \
  {Code{number}, #name, Severity::strict, Severity::lenient, meaning},
#include <amdcompat/codes.def>
#undef AMDCOMPAT_CODE
};

constexpr bool by_code(const CodeInfo& left, const CodeInfo& right) { return left.code < right.code; }

// The .def files group codes by subject; users and searches want them by number.
constexpr auto kCodes = [] {
  auto sorted = std::to_array(kCodesAsWritten);
  std::sort(sorted.begin(), sorted.end(), by_code);
  return sorted;
}();

static_assert(std::adjacent_find(kCodes.begin(), kCodes.end(),
                                 [](const CodeInfo& a, const CodeInfo& b) { return a.code == b.code; }) == kCodes.end(),
              "two diagnostic codes have the same number");
static_assert(std::none_of(kCodes.begin(), kCodes.end(),
                           [](const CodeInfo& row) {
                             return static_cast<int>(row.code) == 0 || static_cast<int>(row.code) > 9999 ||
                                    row.meaning.empty() || row.lenient > row.strict;
                           }),
              "a diagnostic code is out of 1..9999, has no meaning, or is worse in lenient than in strict mode");

// --- what may be shown of an input ---------------------------------------------------------------------

constexpr std::size_t kTabWidth = 8;
constexpr std::size_t kExcerptColumns = 120;  // width of a quoted source line
constexpr std::size_t kColumnsBeforeCaret = 48;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";     // U+2026

struct CodePoint {
  char32_t value = 0;    // 0xFFFD for bytes that are no UTF-8
  std::size_t bytes = 1;
  bool valid = false;
};

// The code point at the start of `text`, which is not empty. Rejects overlong forms, surrogates and values past
// U+10FFFF, byte by byte, so that every wrong byte takes one column.
CodePoint decode_utf8(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {0xFFFD, 1, false};
  char32_t value = lead & (0x7Fu >> length);
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0u) != 0x80u) return {0xFFFD, 1, false};
    value = (value << 6) | (byte(at) & 0x3Fu);
  }
  constexpr std::array<char32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {0xFFFD, 1, false};
  return {value, length, true};
}

// C1 controls act like escape sequences on some terminals; direction overrides make a line read differently from
// what it says; line and paragraph separators break it.
bool is_deceptive(char32_t c) {
  return (c >= 0x80 && c < 0xA0) || (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

// Appends one visible column: the character, its control picture (U+2400 + c), or U+FFFD.
void append_visible(std::string& out, const CodePoint& point, std::string_view text) {
  if (!point.valid || is_deceptive(point.value)) {
    out += kReplacement;
  } else if (point.value < 0x20 || point.value == 0x7F) {
    const unsigned picture = point.value == 0x7F ? 0x21u : static_cast<unsigned>(point.value);
    out += "\xE2\x90";
    out += static_cast<char>(0x80u + picture);
  } else {
    out += text.substr(0, point.bytes);
  }
}

// --- where a finding is ----------------------------------------------------------------------------------

// Line tables of the text regions, made when a finding in them is first rendered.
class Locator {
 public:
  explicit Locator(const SourceView& source) : source_(source) {}

  struct TextPlace {
    const TextRegion* region = nullptr;
    LineTable::Position position;
    std::string_view line;
  };

  // The place of `where` in its text region; empty when it is not in one. A position right behind a region
  // belongs to it ("the text ends here"); a range that starts there does not, unless the file ends there too.
  std::optional<TextPlace> find(SourceRange where) {
    const auto next = std::upper_bound(source_.text.begin(), source_.text.end(), where.begin,
                                       [](std::uint32_t at, const TextRegion& r) { return at < r.where.begin; });
    if (next == source_.text.begin()) return std::nullopt;
    const TextRegion& region = *std::prev(next);
    if (region.where.begin > source_.bytes.size()) return std::nullopt;
    const std::string_view text = source_.bytes.substr(region.where.begin, region.where.size);
    const std::uint32_t offset = where.begin - region.where.begin;
    const bool at_end = offset == text.size() && (where.size == 0 || where.begin == source_.bytes.size());
    if (offset >= text.size() && !at_end) return std::nullopt;
    const auto table = tables_.try_emplace(&region, text).first;
    const LineTable::Position position = table->second.position(offset);
    return TextPlace{&region, position, table->second.line(position.line)};
  }

 private:
  const SourceView& source_;
  std::map<const TextRegion*, LineTable> tables_;
};

// `file:line:column` in a text file, `file:+0xOFFSET` in a binary one, and in a text block of a binary file
// `file:+0xOFFSET(block:line:column)` with line and column counted inside that block.
std::string location(const Diagnostic& finding, const std::optional<Locator::TextPlace>& place) {
  std::string out = finding.file.empty() ? "<input>" : visible(finding.file);
  if (place && place->region->where.begin == 0)
    return fmt::format("{}:{}:{}", out, place->position.line, place->position.column);
  if (finding.where == SourceRange{}) return out;  // the file as a whole
  out += fmt::format(":+0x{:x}", finding.where.begin);
  if (!place) return out;
  if (finding.block.empty()) return out + fmt::format("({}:{})", place->position.line, place->position.column);
  return out + fmt::format("({}:{}:{})", visible(finding.block), place->position.line, place->position.column);
}

// --- excerpts --------------------------------------------------------------------------------------------

struct Excerpt {
  std::string source;
  std::string lead;    // under `source`: white space up to the caret
  std::string marker;  // caret and the rest of the range
};

// The part of `line` around the byte `at` (which may be its end), at most kExcerptColumns wide, with a caret under
// `at` and tildes under the rest of `size` bytes.
Excerpt excerpt_of_line(std::string_view line, std::size_t at, std::size_t size) {
  struct Cell {
    std::size_t begin;  // byte in `line`
    CodePoint point;
    std::size_t columns;
  };
  at = std::min(at, line.size());
  // No more bytes than could be shown are decoded, so that a finding in a huge line stays cheap. Start on a
  // character: continuation bytes are skipped, at most three of them.
  constexpr std::size_t kReach = 4 * kExcerptColumns;
  std::size_t first = at > kReach ? at - kReach : 0;
  const auto continues = [&](std::size_t byte) { return (static_cast<unsigned char>(line[byte]) & 0xC0u) == 0x80u; };
  for (int skipped = 0; first > 0 && skipped < 3 && continues(first); ++skipped) ++first;
  const std::size_t last = line.size() - at > kReach ? at + kReach : line.size();

  std::vector<Cell> cells;
  std::size_t caret = 0;
  for (std::size_t offset = first; offset < last;) {
    const CodePoint point = decode_utf8(line.substr(offset));
    if (offset <= at) caret = cells.size();
    cells.push_back({offset, point, point.value == '\t' ? kTabWidth : 1});
    offset += point.bytes;
  }
  if (at == line.size()) caret = cells.size();

  // Choose [from, to): all if it fits, else some columns before the caret, the rest after, and what is left before.
  std::size_t from = caret;
  std::size_t to = caret;
  std::size_t columns = 0;
  const auto grow_left = [&](std::size_t limit) {
    while (from > 0 && columns + cells[from - 1].columns <= limit) columns += cells[--from].columns;
  };
  grow_left(kColumnsBeforeCaret);
  while (to < cells.size() && columns + cells[to].columns <= kExcerptColumns) columns += cells[to++].columns;
  grow_left(kExcerptColumns);

  Excerpt out;
  if (from > 0 || first > 0) {
    out.source += kEllipsis;
    out.lead += ' ';
  }
  for (std::size_t i = from; i < to; ++i) {
    const Cell& cell = cells[i];
    if (cell.point.value == '\t') {
      out.source += '\t';
    } else {
      append_visible(out.source, cell.point, line.substr(cell.begin));
    }
    if (i < caret) out.lead += cell.point.value == '\t' ? '\t' : ' ';
    if (i > caret && cell.begin < at + size) out.marker.append(cell.columns, '~');
  }
  if (to < cells.size() || last < line.size()) out.source += kEllipsis;
  out.marker.insert(0, 1, '^');
  return out;
}

// One row of a hex dump around `where`, with a caret under its first byte.
Excerpt excerpt_of_bytes(std::string_view bytes, SourceRange where) {
  constexpr std::size_t kRow = 16;
  constexpr std::size_t kContext = 4;
  const std::size_t at = std::min<std::size_t>(where.begin, bytes.size());
  std::size_t first = at - at % kContext;
  first -= std::min(first, kContext);
  const std::string_view row = bytes.substr(first, kRow);
  const std::size_t end = std::max<std::size_t>(at + where.size, at + 1);

  Excerpt out;
  out.source = fmt::format("{:08x} ", first);
  out.lead.assign(out.source.size(), ' ');
  std::string characters;
  for (std::size_t i = 0; i < kRow; ++i) {
    const std::string_view gap = i == kRow / 2 ? "  " : " ";
    out.source += gap;
    if (first + i <= at) {
      out.lead += gap;
    } else if (first + i < end && i < row.size()) {
      out.marker.append(gap.size(), '~');
    }
    if (i < row.size()) {
      const auto byte = static_cast<unsigned char>(row[i]);
      out.source += fmt::format("{:02x}", byte);
      characters += byte >= 0x20 && byte < 0x7F ? static_cast<char>(byte) : '.';
    } else {
      out.source += "  ";
    }
    if (first + i < at) {
      out.lead += "  ";
    } else if (first + i == at) {
      out.marker += where.size == 0 ? "^" : "^~";
    } else if (first + i < end && i < row.size()) {
      out.marker += "~~";
    }
  }
  out.source += fmt::format("  |{}|", characters);
  return out;
}

std::string_view colour_of(Severity severity) {
  switch (severity) {
    case Severity::Note: return "\x1b[1;36m";
    case Severity::Warning: return "\x1b[1;35m";
    case Severity::Error: return "\x1b[1;31m";
  }
  return "";
}

}  // namespace

std::span<const CodeInfo> all_codes() { return kCodes; }

const CodeInfo& code_info(Code code) {
  const auto row =
      std::lower_bound(kCodes.begin(), kCodes.end(), code, [](const CodeInfo& a, Code b) { return a.code < b; });
  if (row != kCodes.end() && row->code == code) return *row;
  // Only a cast from a number gets here: a defect, so say so rather than describe something else.
  return *std::find_if(kCodes.begin(), kCodes.end(), [](const CodeInfo& a) { return a.code == Code::InternalError; });
}

std::string code_label(Code code) { return fmt::format("AC{:04}", static_cast<unsigned>(code)); }

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::Note: return "note";
    case Severity::Warning: return "warning";
    case Severity::Error: return "error";
  }
  return "error";
}

Severity severity_of(Code code, Mode mode) {
  const CodeInfo& info = code_info(code);
  return mode == Mode::Strict ? info.strict : info.lenient;
}

Severity severity_if_overcome(const Diagnostic& diagnostic) {
  if (diagnostic.code == Code::InPlaceDiffers) return diagnostic.severity;
  return diagnostic.severity == Severity::Error ? Severity::Note : diagnostic.severity;
}

// --- Diagnostics -----------------------------------------------------------------------------------------

void Diagnostics::report(Code code, SourceRange where, std::string message, std::string path) {
  report_on(Subject::Whole, code, where, std::move(message), std::move(path));
}

void Diagnostics::report_on(Subject subject, Code code, SourceRange where, std::string predicate, std::string path) {
  add({.code = code,
       .severity = severity_of(code, mode_),
       .where = where,
       .path = std::move(path),
       .message = std::move(predicate),
       .subject = subject});
}

void Diagnostics::add(Diagnostic diagnostic) {
  ++counts_[static_cast<std::size_t>(diagnostic.severity)];
  std::size_t place = findings_.size();
  if (place >= limit_) {
    ++dropped_;
    if (diagnostic.severity != Severity::Error) return;
    // An error takes the place of the last finding that is none.
    spared_ = std::min(spared_, place);
    while (spared_ != 0 && findings_[spared_ - 1].severity == Severity::Error) --spared_;
    if (spared_ == 0) return;
    place = --spared_;
  }
  const auto stamp = [](std::string& field, const std::string& value) {
    if (field.empty()) field = value;
  };
  stamp(diagnostic.file, file_);
  stamp(diagnostic.block, context_.block);
  stamp(diagnostic.kernel, context_.kernel);
  stamp(diagnostic.argument, context_.argument);
  if (place == findings_.size())
    findings_.push_back(std::move(diagnostic));
  else
    findings_[place] = std::move(diagnostic);
}

bool Diagnostics::contains(Code code) const {
  return std::any_of(findings_.begin(), findings_.end(), [code](const Diagnostic& d) { return d.code == code; });
}

DiagnosticScope::DiagnosticScope(Diagnostics& sink, const DiagnosticContext& context) : sink_(sink) {
  const auto set = [this, &sink](std::string Diagnostics::Context::* part, std::string_view text, Part bit) {
    if (text.empty()) return;
    changed_ |= bit;
    before_.*part = std::exchange(sink.context_.*part, std::string(text));
  };
  set(&Diagnostics::Context::block, context.block, kBlock);
  set(&Diagnostics::Context::kernel, context.kernel, kKernel);
  set(&Diagnostics::Context::argument, context.argument, kArgument);
}

DiagnosticScope::~DiagnosticScope() {
  if ((changed_ & kBlock) != 0) sink_.context_.block = std::move(before_.block);
  if ((changed_ & kKernel) != 0) sink_.context_.kernel = std::move(before_.kernel);
  if ((changed_ & kArgument) != 0) sink_.context_.argument = std::move(before_.argument);
}

Diagnostic make_diagnostic(Code code, SourceRange where, std::string message, std::string path) {
  return {.code = code,
          .severity = severity_of(code, Mode::Strict),
          .where = where,
          .path = std::move(path),
          .message = std::move(message)};
}

Diagnostic make_diagnostic(Code code, SourceRange where, const DiagnosticContext& about, std::string predicate,
                           std::string path) {
  Diagnostic out = make_diagnostic(code, where, std::move(predicate), std::move(path));
  out.block = about.block;
  out.kernel = about.kernel;
  out.argument = about.argument;
  out.subject = about.argument.empty() ? Subject::Kernel : Subject::Argument;
  return out;
}

std::string visible(std::string_view text, bool lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    if (lines && (point.value == '\n' || point.value == '\t'))
      out += text.front();
    else
      append_visible(out, point, text);
    text.remove_prefix(point.bytes);
  }
  return out;
}

std::string sentence(const Diagnostic& diagnostic) {
  switch (diagnostic.subject) {
    case Subject::Whole: break;
    case Subject::Kernel: return fmt::format("kernel '{}' {}", diagnostic.kernel, diagnostic.message);
    case Subject::Argument: return fmt::format("argument '{}' {}", diagnostic.argument, diagnostic.message);
  }
  return diagnostic.message;
}

// --- LineTable -------------------------------------------------------------------------------------------

void LineTable::build() const {
  if (!starts_.empty()) return;
  starts_.push_back(0);
  const char* const begin = text_.data();
  for (std::size_t at = 0; at < text_.size();) {
    const void* const found = std::memchr(begin + at, '\n', text_.size() - at);
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - begin) + 1;
    starts_.push_back(static_cast<std::uint32_t>(at));
  }
}

LineTable::Position LineTable::position(std::uint32_t offset) const {
  build();
  offset = static_cast<std::uint32_t>(std::min<std::size_t>(offset, text_.size()));
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const auto number = static_cast<std::uint32_t>(next - starts_.begin());
  return {number, offset - *std::prev(next) + 1};
}

std::string_view LineTable::line(std::uint32_t number) const {
  build();
  if (number == 0 || number > starts_.size()) return {};
  const std::size_t begin = starts_[number - 1];
  std::size_t end = number < starts_.size() ? starts_[number] - std::size_t{1} : text_.size();
  if (number < starts_.size() && end > begin && text_[end - 1] == '\r') --end;
  return text_.substr(begin, end - begin);
}

// --- rendering -------------------------------------------------------------------------------------------

namespace {

// Findings that say the same of one thing after another are shown as one.
constexpr std::size_t kMostAlike = 4;

// What a finding says, without the names of the kernel and argument that it says it of.
std::string saying(const Diagnostic& finding) {
  std::string out = finding.message;
  for (const std::string* const name : {&finding.argument, &finding.kernel})
    for (std::size_t at = 0; !name->empty() && (at = out.find(*name, at)) != std::string::npos;)
      out.erase(at, name->size());
  return out;
}

struct Shown {
  const Diagnostic* finding = nullptr;
  std::size_t alike = 0;  // others that it stands for
};

// A class of this file, so that nothing made of it is exported by who links the library.
struct Saying {
  Code code;
  Severity severity;
  std::string text;
  friend auto operator<=>(const Saying&, const Saying&) = default;
};

// The findings to show: one for each crowd of like ones; more than `limit` of them: errors first.
std::vector<Shown> choose_shown(const std::vector<Diagnostic>& all, std::size_t limit) {
  std::map<Saying, std::size_t> counts;
  const auto key = [](const Diagnostic& finding) { return Saying{finding.code, finding.severity, saying(finding)}; };
  for (const Diagnostic& finding : all) ++counts[key(finding)];
  std::vector<Shown> out;
  for (const Diagnostic& finding : all) {
    std::size_t& count = counts.find(key(finding))->second;
    if (count == 0) continue;
    const bool crowd = limit != 0 && count > kMostAlike;
    out.push_back({&finding, crowd ? count - 1 : 0});
    if (crowd) count = 0;
  }
  if (limit != 0 && out.size() > limit)
    std::ranges::stable_sort(out, std::greater<>{}, [](const Shown& shown) { return shown.finding->severity; });
  return out;
}

}  // namespace

std::string render_text(const Diagnostics& diagnostics, const SourceView& source, RenderOptions options) {
  constexpr std::string_view kMargin = "  ";
  const std::string_view bold = options.colour ? "\x1b[1m" : "";
  const std::string_view green = options.colour ? "\x1b[1;32m" : "";
  const std::string_view plain = options.colour ? "\x1b[0m" : "";
  const std::vector<Shown> chosen = choose_shown(diagnostics.all(), options.limit);
  const std::size_t shown = options.limit == 0 ? chosen.size() : std::min(options.limit, chosen.size());

  Locator locator(source);
  std::string out;
  std::size_t byte_rows = options.byte_rows;
  for (const auto& [pointer, alike] : std::span(chosen).first(shown)) {
    const Diagnostic& finding = *pointer;
    const auto place = locator.find(finding.where);
    const auto to = std::back_inserter(out);
    fmt::format_to(to, "{}{}:{} {}{}[{}]:{} ", bold, location(finding, place), plain,
                   options.colour ? colour_of(finding.severity) : "", severity_name(finding.severity),
                   code_label(finding.code), plain);
    if (!finding.path.empty()) fmt::format_to(to, "{}: ", visible(finding.path));
    fmt::format_to(to, "{}{}{}", bold, visible(sentence(finding)), plain);
    if (alike != 0) fmt::format_to(to, " ({} more like it)", alike);
    out += '\n';

    Excerpt excerpt;
    if (place) {
      // The column may point into the line end (a missing field); the excerpt then ends in the caret.
      excerpt = excerpt_of_line(place->line, place->position.column - 1, finding.where.size);
    } else if (finding.where != SourceRange{} && finding.where.begin <= source.bytes.size() && byte_rows != 0) {
      excerpt = excerpt_of_bytes(source.bytes, finding.where);
      --byte_rows;
    } else {
      continue;
    }
    fmt::format_to(to, "{}{}\n{}{}{}{}{}\n", kMargin, excerpt.source, kMargin, excerpt.lead, green, excerpt.marker,
                   plain);
  }

  std::size_t hidden = 0, hidden_errors = diagnostics.count(Severity::Error);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (i >= shown)
      hidden += 1 + chosen[i].alike;
    else if (chosen[i].finding->severity == Severity::Error)
      hidden_errors -= 1 + chosen[i].alike;
  }
  const std::size_t more = hidden + diagnostics.dropped();
  if (more != 0) {
    fmt::format_to(std::back_inserter(out), "{} and {} more finding{}", kEllipsis, more, more == 1 ? "" : "s");
    if (hidden_errors != 0)
      fmt::format_to(std::back_inserter(out), ", {} error{} among them", hidden_errors, hidden_errors == 1 ? "" : "s");
    if (hidden != 0 && !options.rest_hint.empty()) fmt::format_to(std::back_inserter(out), " ({})", options.rest_hint);
    if (diagnostics.dropped() != 0)
      fmt::format_to(std::back_inserter(out), "; {} of them only counted", diagnostics.dropped());
    out += '\n';
  }
  return out;
}

std::string render_json_lines(const Diagnostics& diagnostics, const SourceView& source) {
  Locator locator(source);
  std::string out;
  for (const Diagnostic& finding : diagnostics.all()) {
    JsonObject object;
    object.add("code", code_label(finding.code));
    object.add("severity", severity_name(finding.severity));
    object.add("file", finding.file);
    object.add("offset", finding.where.begin);
    object.add("size", finding.where.size);
    if (const auto place = locator.find(finding.where)) {
      if (!finding.block.empty()) object.add("block", finding.block);
      object.add("line", place->position.line);
      object.add("column", place->position.column);
    }
    if (!finding.kernel.empty()) object.add("kernel", finding.kernel);
    if (!finding.argument.empty()) object.add("argument", finding.argument);
    if (!finding.path.empty()) object.add("path", finding.path);
    object.add("message", sentence(finding));
    out += object.text();
    out += '\n';
  }
  return out;
}

}  // namespace amdcompat
