#include "picture.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "xhtml.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kLinesDrawn = 64;  // arguments of a picture

constexpr int kTop = 24, kRow = 24, kBox = 20, kWidth = 280, kGap = 120;

// Those that have a place in a segment, by their offsets.
std::vector<const ManifestArgument*> places_in(const std::vector<ManifestArgument>& arguments) {
  std::vector<const ManifestArgument*> out;
  for (const ManifestArgument& argument : arguments)
    if (argument.to) out.push_back(&argument);
  std::ranges::stable_sort(out, {}, [](const ManifestArgument* a) { return *a->to; });
  return out;
}

pugi::xml_node add_text(pugi::xml_node svg, int x, int y, std::string_view content) {
  return with(with(add(svg, "text", content), "x", std::to_string(x)), "y", std::to_string(y));
}

// A kernarg segment as it is drawn below the columns.
struct Strip {
  std::string_view layout;
  std::uint64_t bytes = 0;  // as it is stated …
  std::uint64_t end = 0;  // … and what is drawn, with places that reach beyond
  std::vector<const ManifestArgument*> places;
};
Strip strip_of(std::string_view layout, std::uint64_t bytes, const std::vector<ManifestArgument>& arguments) {
  Strip out{layout, bytes, bytes, places_in(arguments)};
  out.places.resize(std::min(out.places.size(), kLinesDrawn));
  for (const ManifestArgument* a : out.places) out.end = std::max(out.end, *a->to + a->size);
  return out;
}

// The segment from its first byte to its last, with what nothing lies in left open. All of the width is `scale` bytes.
void draw_strip(pugi::xml_node svg, const Strip& strip, std::uint64_t scale, int top) {
  if (strip.end == 0) return;
  constexpr int kHigh = 18;
  const auto x = [&](std::uint64_t at) {
    return static_cast<double>(at) / static_cast<double>(scale) * (2 * kWidth + kGap);
  };
  const double all = x(strip.end);
  pugi::xml_node gap = with(svg.append_child("path"), "class", "gap");
  with(gap, "d", fmt::format("M0 {}h{:.1f}v{}h-{:.1f}z", top, all, kHigh, all));
  std::array<std::string, kPlaceKinds.size()> boxes;
  std::uint64_t drawn = 0;  // places may lie in each other: a mark stands where there is room
  for (const ManifestArgument* a : strip.places) {
    const PlaceKind kind = place_kind(*a);
    const double from = x(*a->to), wide = x(*a->to + a->size) - from;
    boxes[static_cast<std::size_t>(kind)] += fmt::format("M{:.1f} {}h{:.1f}v{}h-{:.1f}z", from, top, wide, kHigh, wide);
    if (wide < 10 || *a->to < drawn) continue;
    drawn = *a->to + a->size;
    with(with(add(svg, "text", place_mark(kind)), "x", fmt::format("{:.1f}", from + 3)), "y", std::to_string(top + 13));
  }
  // Below the marks.
  for (const PlaceKind kind : kPlaceKinds)
    if (const std::string& d = boxes[static_cast<std::size_t>(kind)]; !d.empty()) {
      pugi::xml_node path = svg.insert_child_after("path", gap);
      with(with(path, "class", fmt::format("place {}", place_class(kind))), "d", d);
    }
}

// The segment that was made, and the one that was not where it is known, to the same scale.
void draw_strips(pugi::xml_node svg, const std::vector<Strip>& strips, int top) {
  std::uint64_t scale = 0;
  for (const Strip& strip : strips) scale = std::max(scale, strip.end);
  for (const Strip& strip : strips) {
    const std::string_view what = strip.layout == "in-place" ? "in-place layout"
                                  : strip.layout == "kept"   ? "kernarg segment"
                                                             : "natural layout";
    const std::string_view made = &strip == &strips.front() ? "" : ", not made";
    with(add_text(svg, 0, top + 14, fmt::format("{}{}, {} bytes, to scale", what, made, strip.bytes)), "class", "head");
    draw_strip(svg, strip, scale, top + kTop);
    top += kTop + kRow;
  }
}

}  // namespace

PlaceKind place_kind(const ManifestArgument& argument) {
  if (argument.kind.starts_with("hidden_") || argument.name.starts_with("amdcompat.")) return PlaceKind::Added;
  if (argument.kind == "by_value") return PlaceKind::Value;
  if (argument.kind.ends_with("_buffer") || argument.kind.ends_with("_pointer")) return PlaceKind::Pointer;
  if (!argument.kind.empty()) return PlaceKind::Object;
  return argument.type.ends_with('*') ? PlaceKind::Pointer : PlaceKind::Value;  // of a kernel that was refused
}
std::string_view place_mark(PlaceKind kind) {
  return std::array<std::string_view, 4>{"*", "=", "#", "+"}[static_cast<std::size_t>(kind)];
}
const char* place_class(PlaceKind kind) {
  return std::array{"pointer", "value", "object", "added"}[static_cast<std::size_t>(kind)];
}
std::string_view place_text(PlaceKind kind) {
  return std::array<std::string_view, 4>{"pointer", "value", "image, sampler, pipe or queue",
                                         "added by the launch"}[static_cast<std::size_t>(kind)];
}

void draw(pugi::xml_node parent, const ManifestKernel& kernel) {
  std::vector<const ManifestArgument*> left, right = places_in(kernel.arguments);
  for (const ManifestArgument& argument : kernel.arguments)
    if (argument.from) left.push_back(&argument);
  if (left.empty()) return;
  const auto place = [](const ManifestArgument* a) { return std::pair(a->buffer.value_or(0), *a->from); };
  std::ranges::stable_sort(left, {}, place);
  const std::size_t more = std::max(left.size(), right.size());
  left.resize(std::min(left.size(), kLinesDrawn));
  right.resize(std::min(right.size(), kLinesDrawn));

  const int rows = static_cast<int>(std::max(left.size(), right.size()));
  const bool blocks = !left.front()->buffer;
  pugi::xml_node svg = parent.append_child("svg");
  with(svg, "xmlns", "http://www.w3.org/2000/svg");
  with(svg, "class", "layout");
  with(svg, "role", "img");
  const int below = kTop + (rows + (more > kLinesDrawn ? 1 : 0)) * kRow;
  std::vector<Strip> strips;
  if (!right.empty()) {
    strips.push_back(strip_of(kernel.layout, kernel.kernarg_bytes, kernel.arguments));
    if (const auto& other = kernel.other)
      strips.push_back(strip_of(other->layout, other->kernarg_bytes, other->arguments));
  }
  with(svg, "viewBox",
       fmt::format("0 0 {} {}", 2 * kWidth + kGap, below + static_cast<int>(strips.size()) * (kTop + kRow)));
  add(svg, "title",
      fmt::format("Where kernel {} reads its arguments, and where they are in its kernarg segment", kernel.name));
  const auto text = [&](int x, int y, std::string_view content) { return add_text(svg, x, y, content); };
  std::string boxes, ways;
  const auto row = [&](std::size_t i) { return kTop + static_cast<int>(i) * kRow; };
  const auto box = [&](int x, std::size_t i) {
    boxes += fmt::format("M{} {}h{}v{}h-{}z", x, row(i), kWidth, kBox, kWidth);
  };
  for (std::size_t i = 0; i < left.size(); ++i) box(0, i);
  for (std::size_t i = 0; i < right.size(); ++i) {
    box(kWidth + kGap, i);
    const auto old = std::ranges::find(left, right[i]);
    if (old == left.end()) continue;
    ways +=
        fmt::format("M{} {}C{} {} {} {} {} {}", kWidth, row(static_cast<std::size_t>(old - left.begin())) + kBox / 2,
                    kWidth + kGap / 2, row(static_cast<std::size_t>(old - left.begin())) + kBox / 2, kWidth + kGap / 2,
                    row(i) + kBox / 2, kWidth + kGap, row(i) + kBox / 2);
  }
  with(with(svg.append_child("path"), "class", "box"), "d", boxes);
  if (!ways.empty()) with(with(svg.append_child("path"), "class", "way"), "d", ways);
  with(text(0, 14, blocks ? "argument block" : "constant buffers"), "class", "head");
  with(text(kWidth + kGap, 14,
            right.empty() ? "no kernarg segment" : fmt::format("kernarg segment, {} bytes", kernel.kernarg_bytes)),
       "class", "head");
  for (std::size_t i = 0; i < left.size(); ++i) {
    const ManifestArgument& a = *left[i];
    text(8, row(i) + 14,
         blocks ? fmt::format("{:<5} {} {}", *a.from, place_mark(place_kind(a)), shown(a.name, 26))
                : fmt::format("cb{}+{:<5} {} {}", *a.buffer, *a.from, place_mark(place_kind(a)), shown(a.name, 22)));
  }
  for (std::size_t i = 0; i < right.size(); ++i) {
    const ManifestArgument& a = *right[i];
    const std::string range = a.size == 0 ? std::to_string(*a.to) : fmt::format("{}–{}", *a.to, *a.to + a.size - 1);
    text(kWidth + kGap + 8, row(i) + 14,
         fmt::format("{:<9} {} {}", range, place_mark(place_kind(a)), shown(a.name, 22)));
  }
  if (more > kLinesDrawn)
    with(text(0, kTop + rows * kRow + 14, fmt::format("… and {} more", more - kLinesDrawn)), "class", "head");
  draw_strips(svg, strips, below);
}

}  // namespace amdcompat::migrate
