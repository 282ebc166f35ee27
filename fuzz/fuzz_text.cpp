// AMDIL and HSAIL metadata text: parse, check, print, lower, convert, XML.
#include <amdcompat/convert.hpp>
#include <amdcompat/open.hpp>
#include <amdcompat/xml.hpp>

#include <pugixml.hpp>

#include "property.hpp"

using namespace amdcompat;
using fuzz::require;

namespace {

// A declared size may be far larger than the text; what it allocates is not what is tested here.
bool has_large_segment(const text::Document& document) {
  for (const text::Segment& segment : document.segments) {
    std::uint64_t size = segment.size;
    for (const text::DataWords& line : segment.lines) size = std::max(size, line.offset + text::data_bytes(line));
    if (size > (1u << 20)) return true;
  }
  return false;
}

void check_printing(const text::Document& document, std::string_view input) {
  require(text::print(document) == input, "an unmodified document prints back");
  if (!document.elements.empty())
    require(text::reprint(document, 0, document.elements.size() - 1) == input, "the fields print back");
  for (const text::Block& block : document.blocks) {
    // Whatever a block held, its canonical form is stable.
    const text::PrintStyle style;
    const std::string once = text::print_block(document, block, style);
    Diagnostics ignored;
    const text::Document again = text::parse(once, ignored);
    if (again.blocks.size() == 1)
      require(text::print_block(again, again.blocks[0], style) == once, "canonical text is a fixed point");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > fuzz::kMostBytes) return 0;
  const std::string_view input = fuzz::text_of(data, size);
  Diagnostics diagnostics(fuzz::mode_of(input));
  text::ReadOptions options;
  if (input.starts_with(";spec")) options.data_numbers = text::DataNumbers::SpecDecimal;

  File file;
  file.kind = FileKind::AmdilText;
  file.content = TextFile{std::string(input)};
  file.regions.push_back({{0, static_cast<std::uint32_t>(size)}});
  text::Document& document = file.texts.emplace_back(std::string{}, file.regions[0].where).document;
  document = text::parse(file.view(), diagnostics, options);
  text::check(document, diagnostics, options);
  check_printing(document, input);
  if (!has_large_segment(document)) {
    file.program = lower(document);
    const convert::Conversion conversion = convert::to_metadata(file.program, diagnostics);
    require(conversion.kernels.size() + conversion.refused == file.program.kernels.size() + file.program.refused,
            "every kernel is converted or refused");
    // A group size of 0, say, is passed on and judged; the judgement is among the findings.
    Diagnostics verdict;
    hsa::verify(conversion.metadata, verdict, {.version = hsa::CodeObjectVersion::V3, .allow_duplicate_kernels = true});
    if (!diagnostics.has_errors()) fuzz::require_no_errors(verdict, "what is converted without an error is valid");
    require(!hsa::to_yaml(conversion.metadata).empty(), "what is converted prints");
    pugi::xml_document xml;
    require(static_cast<bool>(xml.load_string(to_xml(file).c_str())), "the XML is well formed");
  }
  fuzz::check_findings(diagnostics, input, file.regions);
  return 0;
}
