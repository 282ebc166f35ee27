#include "xhtml.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "utf8.hpp"

namespace amdcompat::migrate {

namespace {

// Length of the character at the front that XML 1.0 may hold; 0: there is none.
std::size_t character(std::string_view text) {
  const auto [size, point] = utf8_at(text);
  const bool control = point < 0x20 && point != '\t' && point != '\n';
  return control || point == 0xfffe || point == 0xffff ? 0 : size;
}
// Length of what stands at the front that every page may hold as it is, and that ends at no byte of a character.
std::size_t plain(std::string_view text) {
  const auto other = std::ranges::find_if_not(text, [](char c) { return (c >= ' ' && c < 0x7f) || c == '\n'; });
  return static_cast<std::size_t>(other - text.begin());
}
void set_text(pugi::xml_node node, std::string_view text) {
  pugi::xml_node child = node.append_child(pugi::node_pcdata);
  if (plain(text) == text.size())
    child.set_value(text.data(), text.size());
  else
    child.set_value(shown(text).c_str());
}

}  // namespace

std::string shown(std::string_view text, std::size_t most) {
  std::string out(text.substr(0, std::min(plain(text), most)));
  for (std::size_t i = out.size(); i < text.size();) {
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
  if (!text.empty()) set_text(node, text);
  return node;
}
pugi::xml_node with(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(value.c_str());
  return node;
}
void say(pugi::xml_node node, std::string_view text) { set_text(node, text); }
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
