#include "forms.hpp"

#include <optional>

namespace amdcompat::cli {

std::string canonical_text(const text::Document& document, text::MetadataVersion version, std::string_view kernel) {
  std::string out;
  std::optional<std::uint32_t> unit;
  const auto enter = [&](std::uint32_t number) {
    if (document.units > 1 && unit != number) out += "il_cs_2_0\n";
    unit = number;
  };
  auto block = document.blocks.begin();
  auto segment = document.segments.begin();
  while (block != document.blocks.end() || segment != document.segments.end()) {
    if (segment == document.segments.end() || (block != document.blocks.end() && block->first < segment->first)) {
      const auto name = text::kernel_name(document, *block);
      if (kernel.empty() || !name || *name == kernel) {
        enter(block->unit);
        // The bare HSAIL dialect stands for HSAIL pragmas too; AMDIL would change what some lines mean.
        const text::Dialect dialect =
            block->dialect == text::Dialect::Amdil ? text::Dialect::Amdil : text::Dialect::Hsail;
        out += text::print_block(document, *block, {version, dialect});
      }
      ++block;
    } else {
      enter(segment->unit);
      out += text::print_segment(document, *segment);
      ++segment;
    }
  }
  return out;
}

}  // namespace amdcompat::cli
