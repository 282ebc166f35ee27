// The faithful text model as XML. The schema is docs/amdcompat-text.xsd.
#pragma once

#include <string>

#include <amdcompat/open.hpp>

namespace amdcompat {

// Every block, data segment and other line of the file's texts. Directives are elements with their fields as
// attributes; a line that its fields would not print back byte for byte also carries its text. Bytes that XML
// cannot hold stand as hex (`encoding="hex"`). Deterministic.
[[nodiscard]] std::string to_xml(const File& file);

}  // namespace amdcompat
