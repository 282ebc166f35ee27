// XML -> the texts it was written from. A line is put together from the element's attributes by the table below, which
// says nothing but the order of a directive's fields; a `source` child has the line as it stood.
#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>
#include <pugixml.hpp>

#include <amdcompat/xml.hpp>

namespace amdcompat {

namespace {

// One element of the schema. Attributes are written in order, `:` in between; the first is the keyword where
// `keyword` is empty. From `optional` on an attribute may be absent and then takes no place in the line.
struct Form {
  std::string_view element;
  std::string_view keyword;
  std::array<const char*, 11> attributes{};
  std::size_t optional = 11;
};
// clang-format off
constexpr Form kForms[] = {
    {"version", "version", {"major", "minor", "revision"}},
    {"device", "device", {"name"}},
    {"number", "", {"key", "value"}},
    {"memory", "memory", {"space", "bytes"}},
    {"memory-flag", "memory", {"flag"}},
    {"group-size", "", {"key", "x", "y", "z"}},
    {"vector-type-hint", "vth", {"type"}},
    {"limit-group-size", "limitgroupsize"},
    {"calls", "", {"key", "count"}},
    {"message", "", {"key"}},
    {"const-argument", "constarg", {"index", "name"}},
    {"reflection", "reflection", {"index", "type"}},
    {"value", "value", {"name", "type", "elements", "constant-buffer", "offset"}},
    {"pointer", "pointer", {"name", "type", "elements", "constant-buffer", "offset", "memory", "buffer", "align",
                            "access", "volatile", "restrict"}, 7},
    {"image", "image", {"name", "dimension", "access", "id", "constant-buffer", "offset"}},
    {"sampler", "sampler", {"name", "id", "location", "value"}},
    {"counter", "counter", {"name", "bits", "id", "constant-buffer", "offset"}},
    {"semaphore", "sema", {"name", "id", "constant-buffer", "offset"}},
    {"queue", "queue", {"name", "type", "elements", "constant-buffer", "offset", "memory"}},
    {"printf", "printf_fmt", {"id", "count"}},
    {"verbatim", ""},
    {"malformed", ""},
};
// clang-format on
constexpr std::string_view kLines[] = {"il", "debug", "patch", "function", "macro", "line"};

class Reader {
 public:
  // The first thing that is not as the schema has it; empty: none.
  std::string problem;
  std::string path;

  XmlText read(pugi::xml_node node) {
    std::string out;
    std::size_t index = 0;
    std::string inside;
    for (const pugi::xml_node child : node.children()) {
      if (child.type() != pugi::node_element) continue;
      const std::string_view name = child.name();
      inside = fmt::format("{}/*[{}]", path, ++index);
      path.swap(inside);
      if (name == "block")
        block(child, out);
      else if (name == "data")
        data(child, out);
      else
        other(child, out);
      path.swap(inside);
      if (!problem.empty()) break;
    }
    return {node.attribute("symbol") ? attribute(node, "symbol") : "", std::move(out)};
  }

 private:
  void complain(pugi::xml_node node, std::string_view what) {
    if (!problem.empty()) return;
    problem = fmt::format("{}: {}", node.name(), what);
  }

  std::string unhex(pugi::xml_node node, std::string_view digits) {
    const auto digit = [](char c) {
      return c >= '0' && c <= '9'   ? c - '0'
             : c >= 'a' && c <= 'f' ? c - 'a' + 10
             : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                    : -1;
    };
    std::string out;
    if (digits.size() % 2 != 0) complain(node, "an odd number of hex digits");
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      const int high = digit(digits[i]), low = digit(digits[i + 1]);
      if (high < 0 || low < 0) {
        complain(node, "a letter among the hex digits");
        return {};
      }
      out += static_cast<char>(high * 16 + low);
    }
    return out;
  }

  std::string attribute(pugi::xml_node node, const char* name) {
    const pugi::xml_attribute found = node.attribute(name);
    if (!found) complain(node, fmt::format("it has no attribute {}", name));
    const std::string_view value = found.value();
    if (value.starts_with("hex:")) return unhex(node, value.substr(4));
    if (value == "true") return "1";
    if (value == "false") return "0";
    return std::string(value);
  }

  std::string contents(pugi::xml_node node) {
    std::string out;
    for (const pugi::xml_node piece : node.children())
      if (piece.type() == pugi::node_pcdata || piece.type() == pugi::node_cdata) out += piece.value();
    return node.attribute("encoding") ? unhex(node, out) : out;
  }

  void other(pugi::xml_node node, std::string& out) {
    if (std::ranges::find(kLines, std::string_view(node.name())) == std::end(kLines))
      complain(node, "an element that the schema does not have here");
    else
      out += contents(node);
  }

  std::string_view line_end(pugi::xml_node node) {
    const std::string_view value = node.attribute("line-end").value();
    if (value.empty()) return "\n";
    if (value == "crlf") return "\r\n";
    if (value != "none") complain(node, fmt::format("'{}' is no line end", value));
    return "";
  }

  void line(pugi::xml_node node, std::string_view before, std::string_view body, std::string_view behind,
            std::string& out) {
    if (const pugi::xml_node source = node.child("source")) {
      out += contents(source);
      return;
    }
    out += before;
    out += body;
    out += behind;
    out += line_end(node);
  }

  std::string directive(pugi::xml_node node, const Form& form) {
    std::string out(form.keyword);
    bool first = out.empty();
    for (std::size_t i = 0; i < form.attributes.size() && form.attributes[i] != nullptr; ++i) {
      if (i >= form.optional && !node.attribute(form.attributes[i])) continue;
      if (!first) out += ':';
      first = false;
      out += attribute(node, form.attributes[i]);
    }
    const std::string_view name = form.element;
    if (name == "pointer" && node.attribute("pipe")) out += ':' + attribute(node, "pipe");
    if (name == "calls")
      for (const pugi::xml_node id : node.children("id")) out += fmt::format(":{}", id.text().get());
    if (name == "message") out += ':' + contents(node.child("text"));
    if (name == "printf") {
      for (const pugi::xml_node size : node.children("size")) out += fmt::format(":{}", size.text().get());
      out += fmt::format(":{}:{};", attribute(node, "length"), contents(node.child("format")));
    }
    return out;
  }

  void block(pugi::xml_node node, std::string& out) {
    const std::string dialect = attribute(node, "dialect"), name = attribute(node, "name");
    std::string_view before, behind;
    if (dialect == "amdil") {
      before = ";";
    } else if (dialect == "hsail-pragma") {
      before = "pragma \"AMD RTI\", \"";
      behind = "\";";
    } else if (dialect != "hsail") {
      complain(node, fmt::format("'{}' is no dialect", dialect));
    }
    line(node, before, "ARGSTART:" + name, behind, out);
    for (const pugi::xml_node child : node.children()) {
      if (!problem.empty()) return;
      const std::string_view element = child.name();
      if (child.type() != pugi::node_element || element == "source") continue;
      if (element == "end") {
        line(child, before, "ARGEND:" + name, behind, out);
      } else if (const auto form = std::ranges::find(kForms, element, &Form::element); form != std::end(kForms)) {
        // What stands as it was has its line in `source`, unless nothing of it is left but what every line has.
        line(child, before, child.child("source") ? "" : directive(child, *form), behind, out);
      } else {
        other(child, out);
      }
    }
  }

  void data(pugi::xml_node node, std::string& out) {
    std::string id;
    if (node.attribute("constant-buffer")) id = fmt::format(":{}", attribute(node, "constant-buffer"));
    line(node, ";", fmt::format("#DATASTART{}:{}", id, attribute(node, "size")), "", out);
    for (const pugi::xml_node child : node.children()) {
      if (!problem.empty()) return;
      const std::string_view element = child.name();
      if (child.type() != pugi::node_element || element == "source") continue;
      if (element == "end") {
        line(child, ";", "#DATAEND" + id, "", out);
      } else if (element == "words") {
        std::string body =
            fmt::format("#{}:{}:{}", attribute(child, "type"), attribute(child, "offset"), attribute(child, "count"));
        std::string words = child.child("hex").text().get();
        std::ranges::replace(words, ' ', ':');
        if (!words.empty()) body += ':' + words;
        line(child, ";", body, "", out);
      } else {
        other(child, out);
      }
    }
  }
};

}  // namespace

Result<std::vector<XmlText>> from_xml(std::string_view xml) {
  const auto refuse = [](std::uint32_t at, std::string path, std::string what) {
    return std::unexpected(make_diagnostic(Code::FileKindUnknown, {at, 0}, std::move(what), std::move(path)));
  };
  pugi::xml_document document;
  // Blank lines are lines too; names of entities are none of the schema's, and pugixml reads no DTD.
  const pugi::xml_parse_result parsed =
      document.load_buffer(xml.data(), xml.size(), pugi::parse_default | pugi::parse_ws_pcdata, pugi::encoding_utf8);
  if (!parsed)
    return refuse(static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(parsed.offset, UINT32_MAX)), "",
                  fmt::format("no XML: {}", parsed.description()));
  const pugi::xml_node root = document.child("amdcompat-text");
  if (!root || std::string_view(root.attribute("xmlns").value()) != "urn:amdcompat:text:1")
    return refuse(0, "", "its root is no amdcompat-text of the namespace urn:amdcompat:text:1");
  std::vector<XmlText> out;
  for (const pugi::xml_node node : root.children("text")) {
    Reader reader;
    reader.path = fmt::format("/amdcompat-text/text[{}]", out.size() + 1);
    XmlText text = reader.read(node);
    if (!reader.problem.empty()) return refuse(0, reader.path, reader.problem);
    out.push_back(std::move(text));
  }
  return out;
}

}  // namespace amdcompat
