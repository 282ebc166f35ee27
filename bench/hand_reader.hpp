// A second reader of metadata blocks, written by hand over std::from_chars. It has two uses:
//
//   - the benchmark's yardstick: what the same records cost without a grammar library;
//   - the tests' oracle: both readers must take the same lines and make the same of them.
//
// It shares no code with the library's grammars, not even their tables of spellings, and fills the library's own
// records. It reads the AMDIL dialect and knows no recovery: a line is either exactly what the grammar describes or
// rejected. Exactly means that the library has no finding about the line taken by itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <amdcompat/text.hpp>

namespace amdcompat::hand {

// What text::Document holds of a text of blocks, and what lies between them as runs of IL.
struct Reading {
  std::unique_ptr<char[]> source;
  std::size_t size = 0;
  std::vector<text::Element> elements;
  std::vector<text::Block> blocks;
  std::vector<std::uint32_t> ids;  // of function:, intrinsic: and printf_fmt: lines
  std::vector<std::uint32_t> rejected;  // indices of elements that were not taken
};

[[nodiscard]] Reading read(std::string_view source);

// One directive without `;` and line end. False: rejected; `out` and the tail of `ids` are unspecified then.
// `canonical` becomes false when the printer would write the line differently.
bool read_directive(std::string_view line, text::Directive& out, std::vector<std::uint32_t>& ids, bool& canonical);

// Equal in every field, texts by their characters.
[[nodiscard]] bool same(const text::Directive& a, const std::vector<std::uint32_t>& ids_a, const text::Directive& b,
                        const text::Document& document_b);
// Empty when the reading equals the document in every record; else the first difference, for a message.
[[nodiscard]] std::string difference(const Reading& reading, const text::Document& document);

}  // namespace amdcompat::hand
