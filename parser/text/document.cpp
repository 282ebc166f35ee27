// Text -> Document: splits lines, tells what each is, and hands the fields of directives to the grammars.
//
// Recovery is at the line: a directive that cannot be read becomes Malformed and keeps its text. When building
// anything without it would be wrong (an argument, a memory size), its block is marked incomplete.
#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "directives.hpp"
#include "grammar.hpp"
#include "spellings.hpp"

namespace amdcompat::text {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view view(const char* first, const char* last) { return {first, static_cast<std::size_t>(last - first)}; }

std::string_view skip_blanks(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t");
  return at == std::string_view::npos ? text.substr(text.size()) : text.substr(at);
}

// For messages: at most 40 bytes, so that a hostile line cannot make a hostile report.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLimit = 40;
  return text.size() <= kLimit ? fmt::format("'{}'", text) : fmt::format("'{}…'", text.substr(0, kLimit));
}

// `pragma "AMD RTI", "BODY";` with any blanks between the tokens, or the older `blockstring "BODY";`.
// [HLC brigEmitMetaData; BIN HSAIL 1.0 texts]
std::optional<std::string_view> pragma_body(std::string_view line) {
  line = skip_blanks(line);
  const auto eat = [&line](std::string_view token) {
    line = skip_blanks(line);
    if (!line.starts_with(token)) return false;
    line.remove_prefix(token.size());
    return true;
  };
  if (eat("pragma") ? !eat("\"AMD RTI\"") || !eat(",") : !eat("blockstring")) return std::nullopt;
  if (!eat("\"")) return std::nullopt;
  const std::size_t quote = line.rfind('"');
  if (quote == std::string_view::npos) return std::nullopt;
  return line.substr(0, quote);
}

}  // namespace

class Parser {
 public:
  Parser(std::string_view source, Diagnostics& diagnostics, const ReadOptions& options)
      : diagnostics_(diagnostics), options_(options) {
    // The quick look for keywords may read behind the last line.
    document_.source_ = std::make_unique_for_overwrite<char[]>(source.size() + kKeywordBytes);
    if (!source.empty()) std::memcpy(document_.source_.get(), source.data(), source.size());
    std::memset(document_.source_.get() + source.size(), 0, kKeywordBytes);
    document_.size_ = source.size();
    document_.base_ = options.base;
    begin_ = document_.source_.get();
    end_ = begin_ + source.size();
  }

  Document run() {
    if (const void* nul = document_.size_ == 0 ? nullptr : std::memchr(begin_, 0, document_.size_))
      report(Code::NulByte, static_cast<const char*>(nul), static_cast<const char*>(nul) + 1,
             "a NUL byte inside the text: AMD's runtime stops reading here");
    // Metadata lines have 23 bytes on average; counting them would cost a tenth of the parse.
    document_.elements.reserve(std::min<std::size_t>(document_.size_ / 16 + 8, 1u << 16));
    for (const char* at = begin_; at != end_;) {
      const auto* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end_ - at)));
      const char* next = newline == nullptr ? end_ : newline + 1;
      const char* stop = newline == nullptr ? end_ : newline;
      LineEnd line_end = newline == nullptr ? LineEnd::None : LineEnd::Lf;
      if (newline != nullptr && stop != at && stop[-1] == '\r') {
        --stop;
        line_end = LineEnd::CrLf;
      }
      if (document_.elements.size() >= options_.limits.lines) {
        report(Code::TooManyLines, at, at, fmt::format("more than {} lines", options_.limits.lines));
        add(ElementKind::Il, at, end_, LineEnd::None);
        break;
      }
      if (block_ != kNone)  // most lines; nothing else is open then
        block_line(at, stop, next, line_end);
      else
        line(at, stop, next, line_end);
      at = next;
    }
    close_block();
    close_segment();
    if (debug_ != kNone) report_unclosed_debug();
    if (function_ != kNone)
      report(Code::UnbalancedFunction, document_.elements[function_].where, "func without its endfunc");
    if (macro_ != kNone) report(Code::UnbalancedFunction, document_.elements[macro_].where, "mdef without its mend");
    document_.units = unit_ + 1;
    return std::move(document_);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  SourceRange range(const char* first, const char* last) const {
    return {static_cast<std::uint32_t>(first - begin_) + document_.base_, static_cast<std::uint32_t>(last - first)};
  }
  void report(Code code, const char* first, const char* last, std::string message) {
    report(code, range(first, last), std::move(message));
  }
  // Findings are rare, and blocks are not: the open one is named only here.
  void report(Code code, SourceRange where, std::string message) {
    const std::string_view block = block_ == kNone ? std::string_view() : document_.blocks[block_].name;
    const DiagnosticScope scope(diagnostics_, {.block = block, .kernel = kernel_name(block).value_or("")});
    diagnostics_.report(code, where, std::move(message));
  }

  Element& add(ElementKind kind, const char* at, const char* next, LineEnd line_end) {
    // With all arguments, each member is set once; emplace_back() would zero the whole element, directive included.
    const SourceRange where = range(at, next);
    return document_.elements.emplace_back(where, where.begin, 0u, kind, line_end, true, false, Unknown{});
  }
  // Consecutive lines that carry nothing share one element.
  void add_run(ElementKind kind, const char* at, const char* next, LineEnd line_end) {
    if (!document_.elements.empty()) {
      Element& last = document_.elements.back();
      if (last.kind == kind && document_.elements.size() - 1 != run_barrier_) {
        last.where.size += static_cast<std::uint32_t>(next - at);
        last.line_end = line_end;
        return;
      }
    }
    add(kind, at, next, line_end);
  }

  [[nodiscard]] std::uint32_t last_element() const { return static_cast<std::uint32_t>(document_.elements.size() - 1); }

  void line(const char* at, const char* stop, const char* next, LineEnd line_end) {
    std::string_view text = view(at, stop);
    if (debug_ != kNone) return debug_line(at, next, line_end, text);
    if (segment_open_) return data_line(at, stop, next, line_end);

    if (text.empty() || (text[0] != ';' && !may_be_token(text))) return il_line(at, next, line_end, text);
    const std::string_view trimmed = skip_blanks(text);
    if (!trimmed.empty() && trimmed[0] == ';') {
      if (metadata_token(at, stop, next, line_end, trimmed)) return;
    } else if (trimmed.starts_with("ARGSTART:")) {
      return open_block(at, next, line_end, trimmed.substr(9), Dialect::Hsail);
    } else if (trimmed.starts_with("ARGEND:")) {
      return stray_end(at, stop, next, line_end);
    } else if (trimmed.starts_with("pragma") || trimmed.starts_with("blockstring")) {
      if (const auto body = pragma_body(trimmed); body && body->starts_with("ARGSTART:"))
        return open_block(at, next, line_end, body->substr(9), Dialect::HsailPragma);
    } else if (source_token(at, next, line_end, trimmed)) {
      return;
    }
    il_line(at, next, line_end, text);
  }

  // First characters of everything outside `;` lines that is not plain IL: func, endfunc, mdef, mend, il_,
  // ARGSTART, pragma, blockstring; and blanks before them.
  static bool may_be_token(std::string_view text) {
    switch (text[0]) {
      case ' ':
      case '\t':
      case 'f':
      case 'e':
      case 'm':
      case 'i':
      case 'A':
      case 'p':
      case 'b': return true;
      default: return false;
    }
  }

  void il_line(const char* at, const char* next, LineEnd line_end, std::string_view text) {
    if (text.starts_with("il_")) {
      if (seen_header_) ++unit_;
      seen_header_ = true;
    }
    add_run(ElementKind::Il, at, next, line_end);
  }

  // Lines that begin with `;` outside blocks. False: an ordinary comment.
  bool metadata_token(const char* at, const char* stop, const char* next, LineEnd line_end, std::string_view text) {
    const auto is = [&](std::string_view token) { return text.starts_with(token); };
    if (is(";ARGSTART:")) {
      if (text.data() != at) report(Code::LeadingBlank, at, text.data(), "blanks before ';ARGSTART'");
      open_block(at, next, line_end, text.substr(10), Dialect::Amdil);
    } else if (is(";ARGEND:")) {
      stray_end(at, stop, next, line_end);
    } else if (is(";ARG:")) {
      report(Code::LegacyArgForm, at, stop,
             fmt::format("{}: the specification's examples only; arguments are ;pointer:, ;value: … inside a block",
                         quoted(text)));
      add_run(ElementKind::Il, at, next, line_end);
    } else if (is(";#DATASTART")) {
      open_segment(at, stop, next, line_end, text);
    } else if (is(";#")) {
      report(is(";#DATAEND") ? Code::UnclosedData : Code::StrayData, at, stop,
             fmt::format("{} outside ;#DATASTART … ;#DATAEND", quoted(text)));
      add_run(ElementKind::Il, at, next, line_end);
    } else if (is(";$")) {
      patch_line(at, next, line_end, text);
    } else if (text == ";DEBUGSTART" || is(";DEBUGSTART ")) {
      add(ElementKind::DebugStart, at, next, line_end);
      debug_ = last_element();
    } else if (text == ";DEBUGEND" || is(";DEBUGEND ")) {
      report(Code::UnclosedDebug, at, stop, "DEBUGEND without its DEBUGSTART");
      add(ElementKind::DebugEnd, at, next, line_end);
    } else {
      return false;
    }
    return true;
  }

  // func, endfunc, mdef, mend. False: plain IL.
  bool source_token(const char* at, const char* next, LineEnd line_end, std::string_view text) {
    if (text.starts_with("func ")) {
      std::string_view rest = skip_blanks(text.substr(5));
      const char* first = rest.data();
      FieldContext context;
      std::uint32_t id = 0;
      const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
      if (digits == 0 || !parse_number(first, first + digits, context, id)) return false;
      if (function_ != kNone)
        report(Code::UnbalancedFunction, document_.elements[function_].where, "func without its endfunc");
      add(ElementKind::Function, at, next, line_end);
      function_ = last_element();
      const std::size_t comment = rest.find(';');
      std::string_view name =
          comment == std::string_view::npos ? std::string_view{} : skip_blanks(rest.substr(comment + 1));
      name = name.substr(0, name.find_last_not_of(" \t") + 1);
      document_.functions.push_back({id, name, function_, unit_});
      return true;
    }
    if (text == "endfunc" || text.starts_with("endfunc ") || text.starts_with("endfunc;")) {
      if (function_ == kNone) report(Code::UnbalancedFunction, range(at, next), "endfunc without its func");
      add(ElementKind::EndFunction, at, next, line_end);
      function_ = kNone;
      return true;
    }
    if (text.starts_with("mdef(")) {
      if (macro_ != kNone) report(Code::UnbalancedFunction, document_.elements[macro_].where, "mdef without its mend");
      add(ElementKind::Macro, at, next, line_end);
      macro_ = last_element();
      return true;
    }
    if (text == "mend" || text.starts_with("mend ") || text.starts_with("mend;")) {
      if (macro_ == kNone) report(Code::UnbalancedFunction, range(at, next), "mend without its mdef");
      add(ElementKind::EndMacro, at, next, line_end);
      macro_ = kNone;
      return true;
    }
    return false;
  }

  // `;` and ten `$`: AMD's runtime searches exactly that; the specification's samples show fewer (lost in a
  // conversion of the document). [SPEC «Runtime Source Modification»; RT patchMain]
  void patch_line(const char* at, const char* next, LineEnd line_end, std::string_view text) {
    const std::size_t dollars = std::min(text.find_first_not_of('$', 1), text.size()) - 1;
    if (dollars != 10)
      report(Code::PatchToken, text.data(), text.data() + 1 + dollars,
             fmt::format("a patch token of {} '$': AMD's runtime looks for ';' and 10", dollars));
    if (dollars >= 8)
      add(ElementKind::Patch, at, next, line_end);
    else
      add_run(ElementKind::Il, at, next, line_end);
  }

  // --- debug text ---------------------------------------------------------------------------------------

  void debug_line(const char* at, const char* next, LineEnd line_end, std::string_view text) {
    const std::string_view trimmed = skip_blanks(text);
    if (trimmed == ";DEBUGEND" || trimmed.starts_with(";DEBUGEND ")) {
      add(ElementKind::DebugEnd, at, next, line_end);
      debug_ = kNone;
      return;
    }
    if (trimmed.starts_with(";ARGSTART:")) {
      // AMD's runtime slices blocks out of the whole text, debug text or not.
      report(Code::BlockInDebugText, at, at + text.size(), "a metadata block inside DEBUGSTART … DEBUGEND");
      debug_ = kNone;
      return open_block(at, next, line_end, trimmed.substr(10), Dialect::Amdil);
    }
    add_run(ElementKind::DebugText, at, next, line_end);
  }
  void report_unclosed_debug() {
    report(Code::UnclosedDebug, document_.elements[debug_].where, "DEBUGSTART without its DEBUGEND");
    debug_ = kNone;
  }

  // --- blocks -------------------------------------------------------------------------------------------

  void open_block(const char* at, const char* next, LineEnd line_end, std::string_view name, Dialect dialect) {
    close_block();
    if (document_.blocks.size() >= options_.limits.blocks) {
      report(Code::TooManyLines, at, next, fmt::format("more than {} metadata blocks", options_.limits.blocks));
      add_run(ElementKind::Il, at, next, line_end);
      return;
    }
    Element& element = add(ElementKind::BlockStart, at, next, line_end);
    element.body = range(name.data(), name.data()).begin;
    element.length = static_cast<std::uint32_t>(name.size());
    Block& block = document_.blocks.emplace_back();
    block.name = name;
    block.first = last_element();
    block.unit = unit_;
    block.dialect = dialect;
    block.where = element.where;
    block_ = static_cast<std::uint32_t>(document_.blocks.size() - 1);
    run_barrier_ = last_element();
    if (name.empty()) report(Code::MissingField, name.data(), name.data(), "expected a function name after ARGSTART:");
    if (name.size() > options_.limits.name_bytes)
      report(Code::LongName, name.data(), name.data() + name.size(),
             fmt::format("a name of {} bytes; at most {}", name.size(), options_.limits.name_bytes));
  }

  void limit_arguments(Block& block) {
    const auto lines = document_.directives(block);
    const auto count = static_cast<std::uint64_t>(std::ranges::count_if(
        lines, [&](const Element& element) { return is_argument(block.dialect, element.directive); }));
    const std::uint32_t most = options_.limits.arguments;
    const bool fit = arguments_ <= most;
    arguments_ += count;
    if (count > most) {
      block.complete = false;  // `check` reports it
    } else if (arguments_ > most && count != 0) {
      block.complete = false;
      if (fit)
        report(Code::TooManyArguments, document_.elements[block.first].where,
               fmt::format("more than {} arguments, with those of the blocks before", most));
    }
  }
  void end_block(bool closed) {
    Block& block = document_.blocks[block_];
    block.last = last_element();
    block.closed = closed;
    limit_arguments(block);
    const SourceRange last = document_.elements.back().where;
    block.where.size = last.begin + last.size - block.where.begin;
    if (!closed) {
      block.complete = false;
      report(Code::UnclosedBlock, document_.elements[block.first].where,
             fmt::format("expected ARGEND:{} before the next block or the end of the text", block.name));
    }
    block_ = kNone;
    run_barrier_ = last_element();
  }
  void close_block() {
    if (block_ != kNone) end_block(false);
  }

  void stray_end(const char* at, const char* stop, const char* next, LineEnd line_end) {
    report(Code::StrayBlockEnd, at, stop, "ARGEND without its ARGSTART");
    add_run(ElementKind::Il, at, next, line_end);
  }

  void block_line(const char* at, const char* stop, const char* next, LineEnd line_end) {
    const Dialect dialect = document_.blocks[block_].dialect;
    if (*at == ';' && dialect == Dialect::Amdil) {
      // Nearly every line: `;keyword:fields`.
      const char* first = at + 1;
      if (const Keyword keyword = keyword_before_colon(first); keyword != Keyword::None) {
        Element& element = add(ElementKind::Metadata, at, next, line_end);
        element.body += 1;
        element.length = static_cast<std::uint32_t>(stop - at - 1);
        return directive_fields(element, keyword, first, stop);
      }
    }
    other_block_line(dialect, at, stop, next, line_end);
  }

  void other_block_line(Dialect dialect, const char* at, const char* stop, const char* next, LineEnd line_end) {
    const char* body = at;
    const char* body_end = stop;
    bool canonical = true;
    if (dialect == Dialect::HsailPragma) {
      const auto inner = pragma_body(view(at, stop));
      if (!inner) {
        // HSAIL instructions and directives may stand between the pragmas.
        add_run(ElementKind::Il, at, next, line_end);
        return;
      }
      body = inner->data();
      body_end = body + inner->size();
    } else {
      while (body != stop && is_blank(*body)) ++body;
      if (body != at && body != stop && (*body == ';' || dialect == Dialect::Hsail)) {
        report(Code::LeadingBlank, at, body, "blanks before a directive");
        canonical = false;
      }
    }
    if (body != body_end && *body == ';') {
      ++body;
      // The HSAIL compilers print error: and printf_fmt: with the `;`. [HLC HSAILKernelManager.cpp]
      if (dialect != Dialect::Amdil) canonical = false;
    } else if (dialect == Dialect::Amdil) {
      if (body == body_end)
        report(Code::TextInBlock, at, stop, "an empty line inside a block");
      else
        report(Code::TextInBlock, at, stop,
               fmt::format("expected ';' and a directive, found {}", quoted(view(body, stop))));
      Element& element = add(ElementKind::Metadata, at, next, line_end);
      element.canonical = false;
      return;
    }
    const std::string_view text = view(body, body_end);
    if (text.starts_with("ARGEND:")) {
      const std::string_view name = text.substr(7);
      Element& element = add(ElementKind::BlockEnd, at, next, line_end);
      element.body = range(name.data(), name.data()).begin;
      element.length = static_cast<std::uint32_t>(name.size());
      element.canonical = canonical;
      if (name != document_.blocks[block_].name)
        report(Code::BlockNameDiffers, name.data(), name.data() + name.size(),
               fmt::format("ARGEND of {}, expected {}", quoted(name), quoted(document_.blocks[block_].name)));
      return end_block(true);
    }
    if (text.starts_with("ARGSTART:")) return open_block(at, next, line_end, text.substr(9), dialect);
    Element& element = add(ElementKind::Metadata, at, next, line_end);
    element.canonical = canonical;
    element.body = range(body, body).begin;
    element.length = static_cast<std::uint32_t>(body_end - body);
    directive(element, body, body_end);
  }

  void directive(Element& element, const char* body, const char* stop) {
    const char* first = body;
    if (const Keyword keyword = keyword_before_colon(first); keyword != Keyword::None)
      return directive_fields(element, keyword, first, stop);
    const char* colon = body;
    while (colon != stop && *colon != ':' && !is_blank(*colon) && *colon != ';') ++colon;
    const Keyword keyword = find_keyword(view(body, colon));
    // AMD's runtime compares this one by prefix. [RT gpukernel.cpp parseArguments]
    static constexpr std::string_view kLimit = "limitgroupsize";
    if (keyword == Keyword::LimitGroupSize || view(body, stop).starts_with(kLimit)) {
      directive_fields(element, Keyword::LimitGroupSize, body + kLimit.size(), stop);
    } else if (keyword == Keyword::None) {
      unknown(body, colon, stop);
      element.canonical = false;
    } else if (colon == stop || *colon != ':') {
      context_.fail(Code::MissingField, colon, colon, "':' and the first field");
      finish_directive(element, keyword, false, colon, stop);
    } else {
      directive_fields(element, keyword, colon + 1, stop);
    }
  }

  void directive_fields(Element& element, Keyword keyword, const char* first, const char* stop) {
    const bool ok = fields_of(keyword, first, stop, context_, element.directive);
    const bool untouched = context_.canonical && context_.failure.at == nullptr && keyword != Keyword::PrintfFmt;
    if (ok && first == stop && untouched) return;
    finish_directive(element, keyword, ok, first, stop);
  }

  // What is left to do for a line that is not simply good.
  void finish_directive(Element& element, Keyword keyword, bool ok, const char* first, const char* stop) {
    const FieldContext context = std::exchange(context_, fresh_context());
    element.canonical = element.canonical && context.canonical;
    if (!ok) {
      report_failure(keyword, context.failure);
      malformed(element, keyword);
      return;
    }
    if (context.long_number != nullptr)
      report(Code::LongNumber, context.long_number, context.long_number + 1, "a number of more than 16 digits");
    if (context.failure.at != nullptr) report_failure(keyword, context.failure);  // tolerated: printf length
    if (first != stop) {
      element.canonical = false;
      trailing(keyword, first, stop);
    }
  }

  void malformed(Element& element, Keyword keyword) {
    const bool essential = directive_info(keyword).essential;
    element.directive = Malformed{essential};
    element.canonical = false;
    if (essential) document_.blocks[block_].complete = false;
  }

  void report_failure(Keyword keyword, const FieldFailure& failure) {
    const std::string_view found = view(failure.at, failure.end);
    const std::string_view name = directive_info(keyword).keyword;
    std::string message;
    switch (failure.code) {
      case Code::MissingField:
        message = found.empty() ? fmt::format("{}: expected {}, found the end of the field", name, failure.expected)
                                : fmt::format("{}: expected {}, found {}", name, failure.expected, quoted(found));
        break;
      case Code::ListTooLong: message = fmt::format("{}: expected {}", name, failure.expected); break;
      case Code::NumberTooLarge:
        message = fmt::format("{}: expected {} of at most 32 bits, found {}", name, failure.expected, quoted(found));
        break;
      default: message = fmt::format("{}: expected {}, found {}", name, failure.expected, quoted(found));
    }
    report(failure.code, failure.at, failure.end, std::move(message));
  }

  void unknown(const char* body, const char* colon, const char* stop) {
    const std::string_view word = view(body, colon);
    if (word == "ARG")
      report(Code::LegacyArgForm, body, stop,
             "ARG: is the specification's example only; arguments are pointer:, value: …");
    else if (word.empty())
      report(Code::TextInBlock, body, stop, fmt::format("expected a directive, found {}", quoted(view(body, stop))));
    else
      report(Code::UnknownDirective, body, colon, fmt::format("unknown directive {}", quoted(word)));
  }

  // AMD's runtime goes on at the next `;` and ignores what stands before it. A directive right behind a field
  // is lost: the field's reader swallows its `;`. [RT gpukernel.cpp getword, parseArguments]
  void trailing(Keyword keyword, const char* first, const char* stop) {
    const std::string_view name = directive_info(keyword).keyword;
    if ((keyword == Keyword::Memory || keyword == Keyword::LimitGroupSize) && *first != ';' && !is_blank(*first) &&
        *first != ':') {
      report(Code::LooseFlag, first, stop, fmt::format("{}: {} behind the flag", name, quoted(view(first, stop))));
      return;
    }
    const char* semicolon = std::find(first, stop, ';');
    if (semicolon != stop) {
      const char* word = semicolon + 1;
      const char* word_end = word;
      while (word_end != stop && *word_end != ':' && *word_end != ';' && !is_blank(*word_end)) ++word_end;
      if (const Keyword lost = find_keyword(view(word, word_end)); lost != Keyword::None) {
        report(Code::SwallowedDirective, semicolon, stop,
               fmt::format("{} on the line of {}: AMD's runtime loses it; it needs a line of its own",
                           quoted(view(word, word_end)), name));
        if (directive_info(lost).essential) document_.blocks[block_].complete = false;
        return;
      }
    }
    report(Code::TrailingText, first, stop,
           fmt::format("{}: expected the end of the line, found {}", name, quoted(view(first, stop))));
  }

  // As out.emplace<T>(), which would zero all of T before setting its members.
  template <class T>
  static T& put(Directive& out) {
    return out.emplace<T>(T{});
  }

  bool fields_of(Keyword keyword, const char*& first, const char* stop, FieldContext& context, Directive& out) {
    const auto number = [&](NumberKey key) {
      Number value{key, 0};
      return parse_number(first, stop, context, value.value) && (out = value, true);
    };
    const auto group = [&](GroupKey key) {
      GroupSize value{key, 0, 0, 0};
      return parse_group_size(first, stop, context, value) && (out = value, true);
    };
    switch (keyword) {
      case Keyword::Pointer: return parse_pointer(first, stop, context, put<PointerArg>(out));
      case Keyword::Value: return parse_value(first, stop, context, put<ValueArg>(out));
      case Keyword::Reflection: return parse_reflection(first, stop, context, put<Reflection>(out));
      case Keyword::Image: return parse_image(first, stop, context, put<ImageArg>(out));
      case Keyword::Sampler: return parse_sampler(first, stop, context, put<SamplerDef>(out));
      case Keyword::Counter: return parse_counter(first, stop, context, put<CounterArg>(out));
      case Keyword::Sema: return parse_semaphore(first, stop, context, put<SemaphoreArg>(out));
      case Keyword::Queue: return parse_queue(first, stop, context, put<QueueArg>(out));
      case Keyword::ConstArg: return parse_constarg(first, stop, context, put<ConstArg>(out));
      case Keyword::Memory: return parse_memory(first, stop, context, out);
      case Keyword::Version: return parse_version(first, stop, context, put<Version>(out));
      case Keyword::Device: return text_field(first, stop, context, put<DeviceName>(out).name, "a device name");
      case Keyword::Vth: return text_field(first, stop, context, put<VectorTypeHint>(out).type, "a vector type");
      case Keyword::Error:
        return parse_text(first, stop, context, (out = Message{MessageKey::Error, {}}, std::get<Message>(out).text));
      case Keyword::Warning:
        return parse_text(first, stop, context, (out = Message{MessageKey::Warning, {}}, std::get<Message>(out).text));
      case Keyword::Cws: return group(GroupKey::Cws);
      case Keyword::Crs: return group(GroupKey::Crs);
      case Keyword::Wsh: return group(GroupKey::Wsh);
      case Keyword::Function: return parse_id_list(first, stop, context, (out = IdList{}, std::get<IdList>(out)));
      case Keyword::Intrinsic: {
        IdList list;
        list.key = IdListKey::Intrinsic;
        return parse_id_list(first, stop, context, list) && (out = list, true);
      }
      case Keyword::PrintfFmt: return parse_printf(first, stop, context, put<PrintfFmt>(out));
      case Keyword::LimitGroupSize: out = LimitGroupSize{}; return true;
      case Keyword::UniqueId: return number(NumberKey::UniqueId);
      case Keyword::Lws: return number(NumberKey::Lws);
      case Keyword::WavesPerSimdHint: return number(NumberKey::WavesPerSimdHint);
      case Keyword::Membound: return number(NumberKey::Membound);
      case Keyword::UavId: return number(NumberKey::UavId);
      case Keyword::PrintfId: return number(NumberKey::PrintfId);
      case Keyword::CbId: return number(NumberKey::CbId);
      case Keyword::PrivateId: return number(NumberKey::PrivateId);
      case Keyword::EnqueueKernel: return number(NumberKey::EnqueueKernel);
      case Keyword::KernelIndex: return number(NumberKey::KernelIndex);
      case Keyword::None: break;
    }
    return false;
  }

  static bool text_field(const char*& first, const char* stop, FieldContext& context, std::string_view& out,
                         const char* expected) {
    if (first == stop) return context.fail(Code::MissingField, first, first, expected);
    return parse_text(first, stop, context, out);
  }

  // --- data segments ------------------------------------------------------------------------------------

  void open_segment(const char* at, const char* stop, const char* next, LineEnd line_end, std::string_view text) {
    Element& element = add(ElementKind::DataStart, at, next, line_end);
    element.body = range(text.data() + 1, text.data() + 1).begin;
    element.length = static_cast<std::uint32_t>(stop - text.data() - 1);
    element.canonical = text.data() == at;
    Segment& segment = document_.segments.emplace_back();
    segment.first = last_element();
    segment.unit = unit_;
    segment.where = element.where;
    segment_open_ = true;
    const char* first = text.data() + std::string_view(";#DATASTART").size();
    FieldContext context;
    DataStart start;
    bool ok = first != stop && *first == ':' ? (++first, true)
                                             : context.fail(Code::MissingField, first, stop, "':' and a size in bytes");
    if (ok && parse_data_start(first, stop, context, start)) {
      segment.constant_buffer = start.constant_buffer;
      segment.size = start.size;
      finish_data(element, "DATASTART", first, stop, context);
    } else {
      segment.complete = false;
      element.canonical = false;
      report_data_failure("DATASTART", context.failure);
    }
  }

  void end_segment() {
    Segment& segment = document_.segments.back();
    segment.last = last_element();
    const SourceRange last = document_.elements.back().where;
    segment.where.size = last.begin + last.size - segment.where.begin;
    segment_open_ = false;
    run_barrier_ = last_element();
  }
  void close_segment() {
    if (!segment_open_) return;
    Segment& segment = document_.segments.back();
    segment.complete = false;
    report(Code::UnclosedData, document_.elements[segment.first].where,
           "#DATASTART without its #DATAEND: the text is cut");
    end_segment();
  }

  void data_line(const char* at, const char* stop, const char* next, LineEnd line_end) {
    const std::string_view text = skip_blanks(view(at, stop));
    const char* const body = text.data() + (text.empty() ? 0 : 1);
    if (text.starts_with(";#DATAEND")) {
      Element& element = add(ElementKind::DataEnd, at, next, line_end);
      element.body = range(body, body).begin;
      element.length = static_cast<std::uint32_t>(stop - body);
      element.canonical = text.data() == at;
      const char* first = text.data() + std::string_view(";#DATAEND").size();
      FieldContext context;
      std::optional<std::uint32_t> id;
      Segment& segment = document_.segments.back();
      if (parse_data_end(first, stop, context, id)) {
        // The specification's examples close the global segment with `:0`, real compilers with nothing.
        if (id && *id != segment.constant_buffer.value_or(0))
          report(Code::DataEndMismatch, body, stop,
                 fmt::format("DATAEND of constant buffer {}, expected {}", *id, segment.constant_buffer.value_or(0)));
        else if (!id && segment.constant_buffer)
          report(Code::DataEndMismatch, body, stop,
                 fmt::format("DATAEND without the constant buffer, expected {}", *segment.constant_buffer));
        // The printer writes the real compilers' form.
        if (id.has_value() != segment.constant_buffer.has_value() || (id && *id != *segment.constant_buffer))
          element.canonical = false;
        finish_data(element, "DATAEND", first, stop, context);
      } else {
        element.canonical = false;
        report_data_failure("DATAEND", context.failure);
      }
      return end_segment();
    }
    if (text.starts_with(";ARGSTART:") || text.starts_with(";#DATASTART")) {
      close_segment();
      return line(at, stop, next, line_end);
    }
    if (!text.starts_with(";#")) {
      if (!text.empty())
        report(Code::StrayData, at, stop,
               fmt::format("expected ';#TYPE:OFFSET:COUNT:words' or ';#DATAEND', found {}", quoted(text)));
      add_run(ElementKind::Il, at, next, line_end);
      return;
    }
    Element& element = add(ElementKind::DataWords, at, next, line_end);
    element.canonical = text.data() == at;
    const char* first = text.data() + 2;
    element.body = range(first, first).begin;
    element.length = static_cast<std::uint32_t>(stop - first);
    FieldContext context;
    context.words = &document_.words_;
    context.decimal_words = options_.data_numbers == DataNumbers::SpecDecimal;
    DataWords words;
    words.element = last_element();
    if (!parse_data_words(first, stop, context, words)) {
      document_.segments.back().complete = false;
      element.canonical = false;
      report_data_failure("data", context.failure);
      return;
    }
    if (context.long_number != nullptr)
      report(Code::LongNumber, context.long_number, context.long_number + 1, "a data word of more than 16 digits");
    if (context.upper_case_hex != nullptr) {
      element.canonical = false;
      report(Code::UpperCaseHex, context.upper_case_hex, context.upper_case_hex + 1, "an upper-case hex digit");
    }
    if (words.lanes != 1 || context.decimal_words) element.canonical = false;
    document_.segments.back().lines.push_back(words);
    finish_data(element, "data", first, stop, context);
  }

  void finish_data(Element& element, std::string_view what, const char* first, const char* stop,
                   const FieldContext& context) {
    element.canonical = element.canonical && context.canonical;
    if (first == stop) return;
    element.canonical = false;
    report(Code::TrailingText, first, stop,
           fmt::format("{}: expected the end of the line, found {}", what, quoted(view(first, stop))));
  }

  void report_data_failure(std::string_view what, const FieldFailure& failure) {
    const std::string_view found = view(failure.at, failure.end);
    report(failure.code, failure.at, failure.end,
           found.empty() ? fmt::format("{}: expected {}, found the end of the field", what, failure.expected)
                         : fmt::format("{}: expected {}, found {}", what, failure.expected, quoted(found)));
  }

  FieldContext fresh_context() {
    FieldContext context;
    context.ids = &document_.ids_;
    context.list_limit = options_.limits.list_items;
    return context;
  }

  Document document_;
  Diagnostics& diagnostics_;
  const ReadOptions& options_;
  FieldContext context_ = fresh_context();  // of the next directive: kept, as good lines leave it unchanged
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
  std::uint32_t block_ = kNone;  // open block
  std::uint32_t debug_ = kNone;  // open DEBUGSTART element
  std::uint32_t function_ = kNone;  // open func element
  std::uint32_t macro_ = kNone;
  std::uint64_t arguments_ = 0;  // of all blocks
  std::uint32_t run_barrier_ = kNone;  // element that no run may grow into
  std::uint32_t unit_ = 0;
  bool seen_header_ = false;
  bool segment_open_ = false;
};

Document parse(std::string_view source, Diagnostics& diagnostics, const ReadOptions& options) {
  // Offsets are 32-bit; a text that would not fit is not looked at.
  if (source.size() > options.limits.bytes || source.size() > 0xffffffffu - options.base) {
    diagnostics.report(Code::TooManyLines, {options.base, 0},
                       fmt::format("a text of {} bytes; at most {}", source.size(), options.limits.bytes));
    return {};
  }
  return Parser(source, diagnostics, options).run();
}

void Document::edit(std::size_t index, Directive directive) {
  elements[index].directive = directive;
  elements[index].edited = true;
}

std::string_view Document::keep(std::string text) { return kept_.emplace_front(std::move(text)); }

}  // namespace amdcompat::text
