// The picture of a kernel's arguments, as SVG.
#pragma once

#include <pugixml.hpp>

#include "manifest.hpp"

namespace amdcompat::migrate {

// Where old code read each argument, left, and where a launch of today puts it, right, with a line from one to the
// other. Either column is in the order of its offsets.
// Nothing is drawn for a code object's own layout, which has no other place to compare with.
void draw(pugi::xml_node parent, const ManifestKernel& kernel);

}  // namespace amdcompat::migrate
