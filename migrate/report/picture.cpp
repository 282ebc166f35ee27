#include "picture.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "xhtml.hpp"

namespace amdcompat::migrate {

namespace {

constexpr std::size_t kLinesDrawn = 64;  // arguments of a picture

}  // namespace

void draw(pugi::xml_node parent, const ManifestKernel& kernel) {
  std::vector<const ManifestArgument*> left, right;
  for (const ManifestArgument& argument : kernel.arguments) {
    if (argument.from) left.push_back(&argument);
    if (argument.to) right.push_back(&argument);
  }
  if (left.empty()) return;
  const auto place = [](const ManifestArgument* a) { return std::pair(a->buffer.value_or(0), *a->from); };
  std::ranges::stable_sort(left, {}, place);
  std::ranges::stable_sort(right, {}, [](const ManifestArgument* a) { return *a->to; });
  const std::size_t more = std::max(left.size(), right.size());
  left.resize(std::min(left.size(), kLinesDrawn));
  right.resize(std::min(right.size(), kLinesDrawn));

  constexpr int kTop = 24, kRow = 24, kBox = 20, kWidth = 280, kGap = 120;
  const int rows = static_cast<int>(std::max(left.size(), right.size()));
  const bool blocks = !left.front()->buffer;
  pugi::xml_node svg = parent.append_child("svg");
  with(svg, "xmlns", "http://www.w3.org/2000/svg");
  with(svg, "class", "layout");
  with(svg, "role", "img");
  with(svg, "viewBox",
       fmt::format("0 0 {} {}", 2 * kWidth + kGap, kTop + (rows + (more > kLinesDrawn ? 1 : 0)) * kRow));
  add(svg, "title",
      fmt::format("Where kernel {} reads its arguments, and where they are in its kernarg segment", kernel.name));
  const auto text = [&](int x, int y, std::string_view content) {
    return with(with(add(svg, "text", content), "x", std::to_string(x)), "y", std::to_string(y));
  };
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
         blocks ? fmt::format("{:<5} {}", *a.from, shown(a.name, 28))
                : fmt::format("cb{}+{:<5} {}", *a.buffer, *a.from, shown(a.name, 24)));
  }
  for (std::size_t i = 0; i < right.size(); ++i) {
    const ManifestArgument& a = *right[i];
    const std::string range = a.size == 0 ? std::to_string(*a.to) : fmt::format("{}–{}", *a.to, *a.to + a.size - 1);
    text(kWidth + kGap + 8, row(i) + 14, fmt::format("{:<9} {}", range, shown(a.name, 24)));
  }
  if (more > kLinesDrawn)
    with(text(0, kTop + rows * kRow + 14, fmt::format("… and {} more", more - kLinesDrawn)), "class", "head");
}

}  // namespace amdcompat::migrate
