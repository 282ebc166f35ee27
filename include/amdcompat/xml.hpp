// The faithful text model as XML, and back. The schema is docs/amdcompat-text.xsd.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/export.h>
#include <amdcompat/open.hpp>

namespace amdcompat {

// Every block, data segment and other line of the file's texts. Directives are elements with their fields as
// attributes; a line that its fields would not print back byte for byte also carries its text. Bytes that XML
// cannot hold stand as hex (`encoding="hex"`). Deterministic.
[[nodiscard]] AMDCOMPAT_API std::string to_xml(const File& file);

// One text of such a document.
struct XmlText {
  std::string symbol;  // of the container; empty for a text file
  std::string text;    // its bytes
};
// The texts that to_xml was given, byte for byte. Refused, with the place: what is no XML, and elements or attributes
// that the schema does not have where they stand. Values are not checked: reading the text does that.
[[nodiscard]] AMDCOMPAT_API Result<std::vector<XmlText>> from_xml(std::string_view xml);

}  // namespace amdcompat
