// Faithful text model -> XML, built as a DOM.
#include <sstream>

#include <fmt/format.h>
#include <pugixml.hpp>

#include <amdcompat/xml.hpp>

namespace amdcompat {

namespace {

// XML 1.0 holds no control characters besides tab, LF and CR, and its readers turn CR into LF; text has to be
// UTF-8. Anything else goes as hex.
bool fits_xml(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 && c != '\t' && c != '\n') return false;
    if (c < 0x80) continue;
    // Two to four bytes, no overlong forms, no surrogates, nothing over U+10FFFF.
    const int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc2 ? 1 : 0;
    if (more == 0 || c > 0xf4 || text.size() - i <= static_cast<std::size_t>(more)) return false;
    std::uint32_t point = c & (0x3fu >> more);
    for (int k = 1; k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]);
      if ((next & 0xc0) != 0x80) return false;
      point = (point << 6) | (next & 0x3fu);
    }
    if ((more == 2 && point < 0x800) || (more == 3 && (point < 0x10000 || point > 0x10ffff)) ||
        (point >= 0xd800 && point < 0xe000) || point == 0xfffe || point == 0xffff)
      return false;
    i += static_cast<std::size_t>(more);
  }
  return true;
}

std::string hex(std::string_view text) {
  std::string out;
  out.reserve(text.size() * 2);
  for (const char c : text) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

void set(pugi::xml_node node, const char* name, std::string_view value) {
  // Attribute values lose tabs and line feeds to normalisation; names and types have none in any legal text. What looks
  // like hex, or like a flag, must not be taken for it.
  const bool plain = fits_xml(value) && value.find_first_of("\t\n") == std::string_view::npos &&
                     !value.starts_with("hex:") && value != "true" && value != "false";
  node.append_attribute(name).set_value((plain ? std::string(value) : "hex:" + hex(value)).c_str());
}
void set(pugi::xml_node node, const char* name, std::uint32_t value) { node.append_attribute(name).set_value(value); }
void set(pugi::xml_node node, const char* name, bool value) { node.append_attribute(name).set_value(value); }

void put_text(pugi::xml_node node, std::string_view text) {
  if (fits_xml(text)) {
    node.append_child(pugi::node_pcdata).set_value(std::string(text).c_str());
    return;
  }
  set(node, "encoding", std::string_view("hex"));
  node.append_child(pugi::node_pcdata).set_value(hex(text).c_str());
}

struct DirectiveWriter {
  const text::Document& document;
  pugi::xml_node parent;

  pugi::xml_node add(const char* name) { return parent.append_child(name); }

  void operator()(const text::Unknown&) { add("verbatim"); }
  void operator()(const text::Malformed& m) { set(add("malformed"), "essential", m.essential); }
  void operator()(const text::Version& v) {
    auto node = add("version");
    set(node, "major", v.major);
    set(node, "minor", v.minor);
    set(node, "revision", v.revision);
  }
  void operator()(const text::DeviceName& d) { set(add("device"), "name", d.name); }
  void operator()(const text::Number& n) {
    auto node = add("number");
    set(node, "key", text::number_key_name(n.key));
    set(node, "value", n.value);
  }
  void operator()(const text::MemorySize& m) {
    auto node = add("memory");
    set(node, "space", text::memory_space_name(m.space));
    set(node, "bytes", m.bytes);
  }
  void operator()(const text::MemoryFlagged& m) { set(add("memory-flag"), "flag", text::memory_flag_name(m.flag)); }
  void operator()(const text::GroupSize& g) {
    auto node = add("group-size");
    set(node, "key", text::group_key_name(g.key));
    set(node, "x", g.x);
    set(node, "y", g.y);
    set(node, "z", g.z);
  }
  void operator()(const text::VectorTypeHint& v) { set(add("vector-type-hint"), "type", v.type); }
  void operator()(const text::LimitGroupSize&) { add("limit-group-size"); }
  void operator()(const text::IdList& list) {
    auto node = add("calls");
    set(node, "key",
        list.key == text::IdListKey::Function ? std::string_view("function") : std::string_view("intrinsic"));
    set(node, "count", list.count);
    for (const std::uint32_t id : document.ids(list.first, list.stored)) node.append_child("id").text().set(id);
  }
  void operator()(const text::Message& m) {
    auto node = add("message");
    set(node, "key", m.key == text::MessageKey::Error ? std::string_view("error") : std::string_view("warning"));
    put_text(node.append_child("text"), m.text);
  }
  void operator()(const text::ConstArg& c) {
    auto node = add("const-argument");
    set(node, "index", c.index);
    set(node, "name", c.name);
  }
  void operator()(const text::Reflection& r) {
    auto node = add("reflection");
    set(node, "index", r.index);
    set(node, "type", r.type);
  }
  void operator()(const text::ValueArg& v) {
    auto node = add("value");
    set(node, "name", v.name);
    set(node, "type", scalar_name(v.type));
    set(node, "elements", v.elements);
    place(node, v.cb, v.offset);
  }
  void operator()(const text::PointerArg& p) {
    auto node = add("pointer");
    set(node, "name", p.name);
    set(node, "type", p.type_text);
    set(node, "elements", p.elements);
    place(node, p.cb, p.offset);
    set(node, "memory", memory_kind_name(p.memory));
    set(node, "buffer", p.buffer);
    if (p.align) set(node, "align", *p.align);
    if (p.access != Access::Unspecified) set(node, "access", text::access_name(p.access));
    if (p.is_volatile) set(node, "volatile", *p.is_volatile);
    if (p.is_restrict) set(node, "restrict", *p.is_restrict);
    if (p.is_pipe) set(node, "pipe", *p.is_pipe);
  }
  void operator()(const text::ImageArg& i) {
    auto node = add("image");
    set(node, "name", i.name);
    set(node, "dimension", image_dim_name(i.dim));
    set(node, "access", text::access_name(i.access));
    set(node, "id", i.id);
    place(node, i.cb, i.offset);
  }
  void operator()(const text::SamplerDef& s) {
    auto node = add("sampler");
    set(node, "name", s.name);
    set(node, "id", s.id);
    set(node, "location", s.location);
    set(node, "value", s.value);
  }
  void operator()(const text::CounterArg& c) {
    auto node = add("counter");
    set(node, "name", c.name);
    set(node, "bits", c.bits);
    set(node, "id", c.id);
    place(node, c.cb, c.offset);
  }
  void operator()(const text::SemaphoreArg& s) {
    auto node = add("semaphore");
    set(node, "name", s.name);
    set(node, "id", s.id);
    place(node, s.cb, s.offset);
  }
  void operator()(const text::QueueArg& q) {
    auto node = add("queue");
    set(node, "name", q.name);
    set(node, "type", q.type);
    set(node, "elements", q.elements);
    place(node, q.cb, q.offset);
    set(node, "memory", memory_kind_name(q.memory));
  }
  void operator()(const text::PrintfFmt& p) {
    auto node = add("printf");
    set(node, "id", p.id);
    set(node, "count", p.count);
    set(node, "length", p.length);
    for (const std::uint32_t size : document.ids(p.first, p.stored)) node.append_child("size").text().set(size);
    put_text(node.append_child("format"), p.escaped);
  }

 private:
  static void place(pugi::xml_node node, std::uint32_t cb, std::uint32_t offset) {
    set(node, "constant-buffer", cb);
    set(node, "offset", offset);
  }
};

constexpr const char* kind_element(text::ElementKind kind) {
  switch (kind) {
    case text::ElementKind::Il: return "il";
    case text::ElementKind::DebugStart:
    case text::ElementKind::DebugText:
    case text::ElementKind::DebugEnd: return "debug";
    case text::ElementKind::Patch: return "patch";
    case text::ElementKind::Function:
    case text::ElementKind::EndFunction: return "function";
    case text::ElementKind::Macro:
    case text::ElementKind::EndMacro: return "macro";
    default: return "line";
  }
}

constexpr std::string_view dialect_name(text::Dialect dialect) {
  switch (dialect) {
    case text::Dialect::Amdil: return "amdil";
    case text::Dialect::Hsail: return "hsail";
    case text::Dialect::HsailPragma: return "hsail-pragma";
  }
  return {};
}

class TextWriter {
 public:
  TextWriter(const text::Document& document, pugi::xml_node parent) : document_(document), parent_(parent) {}

  void run() {
    auto block = document_.blocks.begin();
    auto segment = document_.segments.begin();
    for (std::uint32_t i = 0; i < document_.elements.size(); ++i) {
      if (block != document_.blocks.end() && block->first == i) {
        write(*block);
        i = block->last;
        ++block;
      } else if (segment != document_.segments.end() && segment->first == i) {
        write(*segment);
        i = segment->last;
        ++segment;
      } else {
        raw(parent_, document_.elements[i]);
      }
    }
  }

 private:
  void raw(pugi::xml_node parent, const text::Element& element) {
    put_text(parent.append_child(kind_element(element.kind)), document_.slice(element.where));
  }
  static void line_end(pugi::xml_node node, const text::Element& element) {
    if (element.line_end == text::LineEnd::CrLf) set(node, "line-end", std::string_view("crlf"));
    if (element.line_end == text::LineEnd::None) set(node, "line-end", std::string_view("none"));
  }
  // The line itself where it is not what its dialect, its fields (`body`) and its line end make of it.
  void source(pugi::xml_node node, const text::Element& element, text::Dialect dialect, std::string_view body) {
    if (element.edited) return;
    std::string_view prefix, suffix, end;
    switch (dialect) {
      case text::Dialect::Amdil: prefix = ";"; break;
      case text::Dialect::Hsail: break;
      case text::Dialect::HsailPragma:
        prefix = "pragma \"AMD RTI\", \"";
        suffix = "\";";
        break;
    }
    switch (element.line_end) {
      case text::LineEnd::None: break;
      case text::LineEnd::Lf: end = "\n"; break;
      case text::LineEnd::CrLf: end = "\r\n"; break;
    }
    const std::string_view line = document_.slice(element.where);
    if (line != fmt::format("{}{}{}{}", prefix, body, suffix, end)) put_text(node.append_child("source"), line);
  }

  void write(const text::Block& block) {
    auto node = parent_.append_child("block");
    set(node, "name", block.name);
    if (const auto kernel = text::kernel_name(document_, block)) set(node, "kernel", *kernel);
    set(node, "dialect", dialect_name(block.dialect));
    set(node, "unit", block.unit);
    set(node, "closed", block.closed);
    set(node, "complete", block.complete);
    const text::Element& start = document_.elements[block.first];
    line_end(node, start);
    source(node, start, block.dialect, fmt::format("ARGSTART:{}", block.name));
    for (const text::Element& element : document_.directives(block)) {
      if (element.kind != text::ElementKind::Metadata) {
        raw(node, element);
        continue;
      }
      std::visit(DirectiveWriter{document_, node}, element.directive);
      line_end(node.last_child(), element);
      source(node.last_child(), element, block.dialect, text::print_directive(document_, element.directive));
    }
    if (!block.closed) return;
    const text::Element& last = document_.elements[block.last];
    const auto end = node.append_child("end");
    line_end(end, last);
    source(end, last, block.dialect, fmt::format("ARGEND:{}", block.name));
  }

  void write(const text::Segment& segment) {
    auto node = parent_.append_child("data");
    if (segment.constant_buffer) set(node, "constant-buffer", *segment.constant_buffer);
    set(node, "size", segment.size);
    set(node, "unit", segment.unit);
    set(node, "complete", segment.complete);
    const std::string id = segment.constant_buffer ? fmt::format(":{}", *segment.constant_buffer) : "";
    const text::Element& start = document_.elements[segment.first];
    line_end(node, start);
    source(node, start, text::Dialect::Amdil, fmt::format("#DATASTART{}:{}", id, segment.size));
    auto line = segment.lines.begin();
    for (std::uint32_t i = segment.first + 1; i <= segment.last && i < document_.elements.size(); ++i) {
      const text::Element& element = document_.elements[i];
      if (element.kind == text::ElementKind::DataWords && line != segment.lines.end() && line->element == i) {
        auto words = node.append_child("words");
        set(words, "type", scalar_name(line->type));
        if (line->lanes != 1) set(words, "lanes", line->lanes);
        set(words, "offset", line->offset);
        set(words, "count", line->count);
        if (line->uninitialised) set(words, "uninitialised", true);
        line_end(words, element);
        std::string list, body = fmt::format("#{}:{}:{}", scalar_name(line->type), line->offset, line->count);
        for (const std::uint64_t word : document_.words(*line)) {
          list += fmt::format("{}{:x}", list.empty() ? "" : " ", word);
          body += fmt::format(":{:x}", word);
        }
        if (!list.empty()) words.append_child("hex").text().set(list.c_str());
        source(words, element, text::Dialect::Amdil, body);
        ++line;
      } else if (element.kind == text::ElementKind::DataEnd) {
        auto end = node.append_child("end");
        line_end(end, element);
        source(end, element, text::Dialect::Amdil, fmt::format("#DATAEND{}", id));
      } else {
        raw(node, element);
      }
    }
  }

  const text::Document& document_;
  pugi::xml_node parent_;
};

}  // namespace

std::string to_xml(const File& file) {
  pugi::xml_document document;
  auto root = document.append_child("amdcompat-text");
  root.append_attribute("xmlns").set_value("urn:amdcompat:text:1");
  set(root, "kind", kind_name(file.kind));
  for (const MetadataText& text : file.texts) {
    auto node = root.append_child("text");
    if (!text.symbol.empty()) set(node, "symbol", text.symbol);
    set(node, "offset", text.where.begin);
    set(node, "size", text.where.size);
    TextWriter(text.document, node).run();
  }
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return std::move(out).str();
}

}  // namespace amdcompat
