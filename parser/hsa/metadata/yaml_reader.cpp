// Reads YAML with libyaml's event parser.
//
// Metadata is a small part of YAML: one document of maps, lists and scalars. Anchors and aliases are refused,
// because nine lines of them can stand for gigabytes. libyaml counts characters where findings need bytes, so
// positions are translated as they come.
#include <algorithm>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <yaml.h>

#include <amdcompat/hsa.hpp>

#include "document.hpp"
#include "scalar.hpp"
#include "schema.hpp"

namespace amdcompat::hsa {
namespace {

// Character numbers to byte offsets of a UTF-8 text. Questions come mostly in ascending order; one that does not
// starts over. In ASCII both are the same.
class ByteOffsets {
 public:
  explicit ByteOffsets(std::string_view text) : text_(text), is_ascii_(is_ascii(text)) {}

  std::size_t of(std::size_t character) {
    if (is_ascii_) return std::min(character, text_.size());
    if (character < character_) character_ = byte_ = 0;
    while (character_ < character && byte_ < text_.size()) {
      do ++byte_;
      while (byte_ < text_.size() && (static_cast<unsigned char>(text_[byte_]) & 0xC0u) == 0x80u);
      ++character_;
    }
    return byte_;
  }

 private:
  std::string_view text_;
  bool is_ascii_;
  std::size_t character_ = 0;
  std::size_t byte_ = 0;
};

struct Parser {
  yaml_parser_t handle{};
  bool ready = false;
  explicit Parser(std::string_view text) {
    ready = yaml_parser_initialize(&handle) != 0;
    if (!ready) return;
    yaml_parser_set_encoding(&handle, YAML_UTF8_ENCODING);
    const char* const data = text.data() == nullptr ? "" : text.data();  // libyaml asserts that there is one
    yaml_parser_set_input_string(&handle, reinterpret_cast<const unsigned char*>(data), text.size());
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;
  ~Parser() {
    if (ready) yaml_parser_delete(&handle);
  }
};

struct Event {
  yaml_event_t handle{};
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&handle); }
};

std::string_view view(const yaml_char_t* text) {
  return text == nullptr ? std::string_view{} : std::string_view(reinterpret_cast<const char*>(text));
}

class YamlReader {
 public:
  YamlReader(std::string_view text, Diagnostics& diagnostics, const ReadOptions& options)
      : tree_(diagnostics, options), offsets_(text), text_(text), parser_(text) {
    constexpr std::size_t kBytesOfValue = 12, kMostReserved = 16384;  // as compilers write it, keys included
    tree_.reserve(std::min(text.size() / kBytesOfValue, kMostReserved));
  }

  std::optional<Document> read() {
    if (!parser_.ready) throw std::bad_alloc();
    std::size_t documents = 0;
    for (;;) {
      Event event;
      if (yaml_parser_parse(&parser_.handle, &event.handle) == 0) {
        syntax_error(documents);
        if (!tree_.finished()) return std::nullopt;
        return tree_.take();
      }
      if (event.handle.type == YAML_STREAM_END_EVENT) break;
      if (event.handle.type == YAML_DOCUMENT_START_EVENT && ++documents > 1) {
        report(Code::HsaYamlSeveralDocuments, event.handle, "only the first document is used");
        break;
      }
      if (!take(event.handle)) return std::nullopt;
    }
    if (!tree_.finished()) {
      tree_.report(Code::HsaRootNotMap, text_.size(), text_.size(), "the text holds no document");
      return std::nullopt;
    }
    return tree_.take();
  }

 private:
  bool take(const yaml_event_t& event) {
    const std::size_t begin = offsets_.of(event.start_mark.index);
    switch (event.type) {
      case YAML_ALIAS_EVENT: report(Code::HsaYamlAlias, event, "aliases are not read"); return false;
      case YAML_SCALAR_EVENT: return no_anchor(event.data.scalar.anchor, event) && scalar(event, begin);
      case YAML_SEQUENCE_START_EVENT:
        return no_anchor(event.data.sequence_start.anchor, event) &&
               container_tag(event, view(event.data.sequence_start.tag), "tag:yaml.org,2002:seq") &&
               tree_.begin_list(begin);
      case YAML_MAPPING_START_EVENT:
        return no_anchor(event.data.mapping_start.anchor, event) &&
               container_tag(event, view(event.data.mapping_start.tag), "tag:yaml.org,2002:map") &&
               tree_.begin_map(begin);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: return tree_.end(offsets_.of(event.end_mark.index));
      default: return true;
    }
  }

  bool scalar(const yaml_event_t& event, std::size_t begin) {
    const auto& data = event.data.scalar;
    const std::string_view text(reinterpret_cast<const char*>(data.value), data.length);
    const std::string_view tag = view(data.tag);
    const std::size_t end = offsets_.of(event.end_mark.index);
    // Keys are text whatever they look like: LLVM's model has no others either.
    if (tree_.at_key()) return take_text(text, begin, end);
    const Scalar resolved = resolve_scalar(text, tag);
    switch (resolved.status) {
      case ScalarStatus::Ok:
        if (resolved.kind == Token::Kind::Text) return take_text(text, begin, end);
        return tree_.scalar(resolved.kind, resolved.number, begin, end);
      case ScalarStatus::UnknownTag:
        tree_.report(Code::HsaYamlUnknownTag, begin, end, fmt::format("the tag '{}' is not known", tag));
        return false;
      case ScalarStatus::Mismatch:
        tree_.report(Code::HsaYamlTagMismatch, begin, end, fmt::format("'{}' is not what its tag {} says", text, tag));
        return false;
    }
    return false;
  }

  // The event's text goes with the event; most scalars stand in the input as they are, but for quotes.
  bool take_text(std::string_view text, std::size_t begin, std::size_t end) {
    const std::string_view written = text_.substr(begin, end - begin);
    const std::size_t quote = written.size() == text.size() + 2 ? 1 : 0;
    if (const std::string_view inside = written.substr(quote, text.size()); inside == text)
      return tree_.text(inside, begin, end);
    return tree_.copy(std::string(text), begin, end);
  }

  bool no_anchor(const yaml_char_t* anchor, const yaml_event_t& event) {
    if (anchor == nullptr) return true;
    report(Code::HsaYamlAlias, event, "anchors are not read");
    return false;
  }

  bool container_tag(const yaml_event_t& event, std::string_view tag, std::string_view expected) {
    if (tag.empty() || tag == expected) return true;
    report(Code::HsaYamlUnknownTag, event, fmt::format("the tag '{}' does not belong to a list or map", tag));
    return false;
  }

  void report(Code code, const yaml_event_t& event, std::string message) {
    const std::size_t begin = offsets_.of(event.start_mark.index);
    tree_.report(code, begin, offsets_.of(event.end_mark.index), std::move(message));
  }

  // A problem after a complete first document is one of the second, which is not used anyway.
  void syntax_error(std::size_t documents) {
    const yaml_parser_t& parser = parser_.handle;
    const std::string_view problem = parser.problem == nullptr ? "out of memory" : parser.problem;
    const bool in_bytes = parser.error == YAML_READER_ERROR;
    const std::size_t at = in_bytes ? parser.problem_offset : offsets_.of(parser.problem_mark.index);
    tree_.report(tree_.finished() && documents > 1 ? Code::HsaYamlSeveralDocuments : Code::HsaYamlSyntax, at, at,
                 std::string(problem));
  }

  DocumentBuilder tree_;
  ByteOffsets offsets_;
  std::string_view text_;
  Parser parser_;
};

}  // namespace

std::optional<Document> read_yaml_document(std::string_view text, Diagnostics& diagnostics,
                                           const ReadOptions& options) {
  try {
    if (text.size() > options.max_bytes) {
      DocumentBuilder(diagnostics, options)
          .report(Code::HsaTooLarge, 0, 0, fmt::format("{} bytes, the limit is {}", text.size(), options.max_bytes));
      return std::nullopt;
    }
    return YamlReader(text, diagnostics, options).read();
  } catch (const std::bad_alloc&) {
    diagnostics.report(Code::HsaTooLarge, {options.base, 0}, "not enough memory for the document");
    return std::nullopt;
  }
}

std::optional<Metadata> read_yaml(std::string_view text, Diagnostics& diagnostics, const ReadOptions& options) {
  try {
    const auto document = read_yaml_document(text, diagnostics, options);
    if (!document) return std::nullopt;
    return decode(*document, diagnostics, text, options.base);
  } catch (const std::bad_alloc&) {
    diagnostics.report(Code::HsaTooLarge, {options.base, 0}, "not enough memory for the document");
    return std::nullopt;
  }
}

}  // namespace amdcompat::hsa
