#include "xhtml.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace amdcompat::migrate {

namespace {

// Length of the UTF-8 character at the front that XML 1.0 may hold; 0: there is none.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' ? 1 : 0;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  std::uint32_t point = first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    point = point << 6 | (byte(i) & 0x3f);
  }
  const bool overlong = (size == 3 && point < 0x800) || (size == 4 && point < 0x10000);
  const bool barred = (point >= 0xd800 && point < 0xe000) || point == 0xfffe || point == 0xffff || point > 0x10ffff;
  return overlong || barred ? 0 : size;
}

}  // namespace

std::string shown(std::string_view text, std::size_t most) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (out.size() >= most) return out + "…";
    const std::size_t size = character(text.substr(i));
    out += size == 0 ? std::string_view("\uFFFD") : text.substr(i, size);
    i += std::max<std::size_t>(size, 1);
  }
  return out;
}

std::string plural(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

pugi::xml_node add(pugi::xml_node parent, const char* name, std::string_view text) {
  pugi::xml_node node = parent.append_child(name);
  if (!text.empty()) node.append_child(pugi::node_pcdata).set_value(shown(text).c_str());
  return node;
}
pugi::xml_node with(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
  return node;
}
void say(pugi::xml_node node, std::string_view text) {
  node.append_child(pugi::node_pcdata).set_value(shown(text).c_str());
}
pugi::xml_node add_script(pugi::xml_node parent, std::string_view text) {
  pugi::xml_node node = parent.append_child("script");
  node.append_child(pugi::node_pcdata).set_value(std::string(text).c_str());
  return node;
}

std::string serial(const pugi::xml_node& node) {
  std::ostringstream out;
  node.print(out, "", pugi::format_raw | pugi::format_no_declaration | pugi::format_no_empty_element_tags,
             pugi::encoding_utf8);
  return std::move(out).str();
}

}  // namespace amdcompat::migrate
