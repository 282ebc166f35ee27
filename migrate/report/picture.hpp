// The picture of a kernel's arguments, as SVG.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <pugixml.hpp>

#include "manifest.hpp"

namespace amdcompat::migrate {

// What stands in a place, which a mark says besides its colour.
enum class PlaceKind : std::uint8_t { Pointer, Value, Object, Added };
inline constexpr std::array kPlaceKinds{PlaceKind::Pointer, PlaceKind::Value, PlaceKind::Object, PlaceKind::Added};
[[nodiscard]] PlaceKind place_kind(const ManifestArgument& argument);
[[nodiscard]] std::string_view place_mark(PlaceKind kind);   // "*"
[[nodiscard]] const char* place_class(PlaceKind kind);       // "pointer"
[[nodiscard]] std::string_view place_text(PlaceKind kind);   // for the legend

// Where old code read each argument, left, and where a launch of today puts it, right, with a line from one to the
// other; below, the kernarg segment to scale, and that of the other layout where it is known. Either column is in the
// order of its offsets.
// Nothing is drawn for a code object's own layout, which has no other place to compare with.
void draw(pugi::xml_node parent, const ManifestKernel& kernel);

}  // namespace amdcompat::migrate
