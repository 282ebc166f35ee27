// XHTML as a DOM: no text of a manifest becomes markup.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <pugixml.hpp>

namespace amdcompat::migrate {

// What XML cannot hold becomes U+FFFD. A text of more than `most` bytes is cut and ends in `…`.
[[nodiscard]] std::string shown(std::string_view text, std::size_t most = std::string::npos);
// "1 kernel", "2 kernels".
[[nodiscard]] std::string plural(std::uint64_t n, std::string_view what);

// A new last child, with `text` in it unless that is empty.
pugi::xml_node add(pugi::xml_node parent, const char* name, std::string_view text = {});
// The node itself, which has the attribute now.
pugi::xml_node with(pugi::xml_node node, const char* name, const std::string& value);
// Text at the node's end.
void say(pugi::xml_node node, std::string_view text);
pugi::xml_node add_script(pugi::xml_node parent, std::string_view text);

// Without `<p/>`, which a reader of HTML would take for the start of a paragraph.
[[nodiscard]] std::string serial(const pugi::xml_node& node);

}  // namespace amdcompat::migrate
