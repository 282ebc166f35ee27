// Document -> text. The canonical form is the one real compilers wrote: decimal numbers without leading zeros,
// lower-case hex, LF line ends. [BE printKernelArgs; BIN]
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "directives.hpp"
#include "spellings.hpp"

namespace amdcompat::text {

namespace {

using Out = std::back_insert_iterator<std::string>;

template <class... Args>
void put(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(Out(out), format, std::forward<Args>(args)...);
}

// Which optional pointer fields to write: those the model has, or those a version wants.
struct PointerFields {
  bool as_is = true;
  MetadataVersion version{};
  Dialect dialect = Dialect::Amdil;
};

struct Printer {
  const Document& document;
  std::string& out;
  PointerFields fields;

  void ids(std::uint32_t first, std::uint32_t stored) {
    for (const std::uint32_t id : document.ids(first, stored)) put(out, ":{}", id);
  }

  void operator()(const Unknown&) {}
  void operator()(const Malformed&) {}
  void operator()(const Version& v) { put(out, "version:{}:{}:{}", v.major, v.minor, v.revision); }
  void operator()(const DeviceName& d) { put(out, "device:{}", d.name); }
  void operator()(const Number& n) { put(out, "{}:{}", number_key_name(n.key), n.value); }
  void operator()(const MemorySize& m) { put(out, "memory:{}:{}", memory_space_name(m.space), m.bytes); }
  void operator()(const MemoryFlagged& m) { put(out, "memory:{}", memory_flag_name(m.flag)); }
  void operator()(const GroupSize& g) { put(out, "{}:{}:{}:{}", group_key_name(g.key), g.x, g.y, g.z); }
  void operator()(const VectorTypeHint& v) { put(out, "vth:{}", v.type); }
  void operator()(const LimitGroupSize&) { put(out, "limitgroupsize"); }
  void operator()(const IdList& list) {
    put(out, "{}:{}", list.key == IdListKey::Function ? "function" : "intrinsic", list.count);
    ids(list.first, list.stored);
  }
  void operator()(const Message& m) { put(out, "{}:{}", m.key == MessageKey::Error ? "error" : "warning", m.text); }
  void operator()(const ConstArg& c) { put(out, "constarg:{}:{}", c.index, c.name); }
  void operator()(const Reflection& r) { put(out, "reflection:{}:{}", r.index, r.type); }
  void operator()(const ValueArg& v) {
    put(out, "value:{}:{}:{}:{}:{}", v.name, spelling_of(kScalarTypes, v.type), v.elements, v.cb, v.offset);
  }
  void operator()(const PointerArg& p) {
    put(out, "pointer:{}:{}:{}:{}:{}:{}:{}", p.name, p.type_text, p.elements, p.cb, p.offset,
        spelling_of(kMemoryKinds, p.memory), p.buffer);
    Access access = p.access;
    std::optional<bool> is_volatile = p.is_volatile, is_restrict = p.is_restrict, is_pipe = p.is_pipe;
    std::optional<std::uint32_t> align = p.align;
    if (!fields.as_is) {
      if (!align) align = 4;  // the emitters' default [BE]
      if (fields.version < kAccessSince) {
        access = Access::Unspecified;
      } else if (access == Access::Unspecified) {
        access = Access::ReadWrite;  // the reference grammar's default [MDP AMDILMDParser.y]
      }
      if (fields.version < kQualifiersSince) {
        is_volatile = is_restrict = is_pipe = std::nullopt;
      } else {
        is_volatile = is_volatile.value_or(false);
        is_restrict = is_restrict.value_or(false);
        is_pipe = fields.dialect == Dialect::Amdil ? std::nullopt : std::optional(is_pipe.value_or(false));
      }
    }
    if (align) put(out, ":{}", *align);
    if (access != Access::Unspecified) put(out, ":{}", access_name(access));
    if (is_volatile && is_restrict) put(out, ":{:d}:{:d}", *is_volatile, *is_restrict);
    if (is_pipe) put(out, ":{:d}", is_pipe.value_or(false));
  }
  void operator()(const ImageArg& i) {
    put(out, "image:{}:{}:{}:{}:{}:{}", i.name, spelling_of(kImageDims, i.dim), access_name(i.access), i.id, i.cb,
        i.offset);
  }
  void operator()(const SamplerDef& s) { put(out, "sampler:{}:{}:{}:{}", s.name, s.id, s.location, s.value); }
  void operator()(const CounterArg& c) { put(out, "counter:{}:{}:{}:{}:{}", c.name, c.bits, c.id, c.cb, c.offset); }
  void operator()(const SemaphoreArg& s) { put(out, "sema:{}:{}:{}:{}", s.name, s.id, s.cb, s.offset); }
  void operator()(const QueueArg& q) {
    put(out, "queue:{}:{}:{}:{}:{}:{}", q.name, q.type, q.elements, q.cb, q.offset,
        spelling_of(kQueueMemoryKinds, q.memory));
  }
  void operator()(const PrintfFmt& p) {
    put(out, "printf_fmt:{}:{}", p.id, p.count);
    ids(p.first, p.stored);
    put(out, ":{}:{};", p.length, p.escaped);
  }
};

bool has_fields(const Directive& directive) {
  return !std::holds_alternative<Unknown>(directive) && !std::holds_alternative<Malformed>(directive);
}

void put_line_end(std::string& out, LineEnd line_end) {
  if (line_end == LineEnd::CrLf) out += '\r';
  if (line_end != LineEnd::None) out += '\n';
}

void put_words(const Document& document, const DataWords& line, std::string& out) {
  put(out, "{}:{}:{}", spelling_of(kScalarTypes, line.type), line.offset, line.count);
  for (const std::uint64_t word : document.words(line)) put(out, ":{:x}", word);
  if (line.uninitialised) out += " <uninitalized constant>";
}

// The element's text from its fields. Elements without fields print their source.
void put_element(const Document& document, const Element& element, const Segment* segment, std::size_t index,
                 std::string& out) {
  const std::string_view source = document.slice(element.where);
  const std::size_t prefix = element.body - element.where.begin;
  switch (element.kind) {
    case ElementKind::Metadata:
      if (!has_fields(element.directive)) break;
      out += source.substr(0, prefix);
      out += print_directive(document, element.directive);
      if (element.length != 0) {
        // A pragma's closing `";` stands behind the directive.
        std::string_view tail = source.substr(prefix + element.length);
        tail.remove_suffix(element.line_end == LineEnd::None ? 0 : element.line_end == LineEnd::Lf ? 1 : 2);
        out += tail;
      }
      put_line_end(out, element.line_end);
      return;
    case ElementKind::DataStart:
      if (segment == nullptr) break;
      out += segment->constant_buffer ? fmt::format(";#DATASTART:{}:{}", *segment->constant_buffer, segment->size)
                                      : fmt::format(";#DATASTART:{}", segment->size);
      put_line_end(out, element.line_end);
      return;
    case ElementKind::DataEnd:
      if (segment == nullptr) break;
      out += segment->constant_buffer ? fmt::format(";#DATAEND:{}", *segment->constant_buffer) : ";#DATAEND";
      put_line_end(out, element.line_end);
      return;
    case ElementKind::DataWords:
      if (segment != nullptr)
        if (const auto line = std::ranges::lower_bound(segment->lines, index, {}, &DataWords::element);
            line != segment->lines.end() && line->element == index) {
          out += ";#";
          put_words(document, *line, out);
          put_line_end(out, element.line_end);
          return;
        }
      break;
    default: break;
  }
  out += source;
}

}  // namespace

std::string print_directive(const Document& document, const Directive& directive) {
  std::string out;
  std::visit(Printer{document, out, {}}, directive);
  return out;
}

std::string print_directive(const Document& document, const Directive& directive, const PrintStyle& style) {
  std::string out;
  std::visit(Printer{document, out, {false, style.version, style.dialect}}, directive);
  return out;
}

std::string reprint(const Document& document, std::size_t first, std::size_t last) {
  std::string out;
  auto segment = document.segments.begin();
  for (std::size_t i = first; i <= last && i < document.elements.size(); ++i) {
    const Element& element = document.elements[i];
    while (segment != document.segments.end() && segment->last < i) ++segment;
    const bool inside = segment != document.segments.end() && segment->first <= i;
    if (element.canonical || element.edited)
      put_element(document, element, inside ? &*segment : nullptr, i, out);
    else
      out += document.slice(element.where);
  }
  return out;
}

std::optional<std::string_view> kernel_name(std::string_view block_name) {
  static constexpr std::string_view kPrefix = "__OpenCL_";
  static constexpr std::string_view kSuffix = "_kernel";
  if (!block_name.starts_with(kPrefix) || !block_name.ends_with(kSuffix)) return std::nullopt;
  if (block_name.size() <= kPrefix.size() + kSuffix.size()) return std::nullopt;
  return block_name.substr(kPrefix.size(), block_name.size() - kPrefix.size() - kSuffix.size());
}

std::optional<std::string_view> kernel_name(const Document& document, const Block& block) {
  if (const auto name = kernel_name(block.name); name || block.dialect == Dialect::Amdil || block.name.empty())
    return name;
  const bool versioned = std::ranges::any_of(
      document.directives(block), [](const Element& e) { return std::holds_alternative<Version>(e.directive); });
  return versioned ? std::optional(block.name) : std::nullopt;
}

std::string print(const Document& document) {
  std::string out;
  out.reserve(document.source().size());
  for (const Element& element : document.elements) {
    if (element.edited)
      put_element(document, element, nullptr, 0, out);
    else
      out += document.slice(element.where);
  }
  return out;
}

std::string print_block(const Document& document, const Block& block, const PrintStyle& style) {
  std::string out;
  const auto line = [&](std::string_view text) {
    // A carriage return that was no part of a line end must not become one.
    while (text.ends_with('\r')) text.remove_suffix(1);
    switch (style.dialect) {
      case Dialect::Amdil: put(out, ";{}\n", text); break;
      case Dialect::Hsail: put(out, "{}\n", text); break;
      case Dialect::HsailPragma: put(out, "pragma \"AMD RTI\", \"{}\";\n", text); break;
    }
  };
  const std::string version =
      fmt::format("version:{}:{}:{}", style.version.major, style.version.minor, style.version.revision);
  std::string_view name = block.name;
  while (name.ends_with('\r')) name.remove_suffix(1);
  line(fmt::format("ARGSTART:{}", name));
  // A kernel without a version line would be read as version 0.0.0; helper functions have none. [RT; BE]
  const auto directives = document.directives(block);
  const bool has_version =
      std::ranges::any_of(directives, [](const Element& e) { return std::holds_alternative<Version>(e.directive); });
  if (!has_version && kernel_name(name)) line(version);
  for (const Element& element : directives) {
    if (element.kind != ElementKind::Metadata) continue;
    if (std::holds_alternative<Version>(element.directive))
      line(version);
    else if (has_fields(element.directive))
      line(print_directive(document, element.directive, style));
    else if (element.length != 0)
      line(document.body(element));
  }
  line(fmt::format("ARGEND:{}", name));
  return out;
}

std::string print_segment(const Document& document, const Segment& segment) {
  const std::string id = segment.constant_buffer ? fmt::format(":{}", *segment.constant_buffer) : "";
  std::string out = fmt::format(";#DATASTART{}:{}\n", id, segment.size);
  for (const DataWords& line : segment.lines) {
    out += ";#";
    put_words(document, line, out);
    out += '\n';
  }
  put(out, ";#DATAEND{}\n", id);
  return out;
}

}  // namespace amdcompat::text
