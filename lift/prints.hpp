// Records of the runtime's printf buffer as calls of printf.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir.hpp"

namespace amdcompat::lift {

// What one conversion of a format takes.
struct PrintPiece {
  enum class Kind : u8 { Signed, Unsigned, Float, Pointer, Text } kind = Kind::Signed;
  u32 elements = 1;  // of a vector
  u32 bytes = 0;  // in the record
  u32 halvings = 0;  // of an integer alone: 1 for `h`, 2 for `hh`
  // In the format: its `%`, what stands behind flags, width and precision, and what stands behind all of it.
  std::size_t begin = 0, type = 0, end = 0;
  [[nodiscard]] u32 words() const { return (bytes + 3) / 4; }
  // Of an element; those of vectors of three have room for four.
  [[nodiscard]] u32 element_bytes() const { return bytes / (elements == 3 ? 4 : elements); }
  // Whether it takes numbers of 64 bits.
  [[nodiscard]] bool is_long() const { return kind != Kind::Text && element_bytes() == 8; }
  // How many values it is made of.
  [[nodiscard]] u32 values() const { return is_long() ? words() / 2 : words(); }
};
// Those of a format, in their order; nothing: it says otherwise than its sizes.
[[nodiscard]] std::optional<std::vector<PrintPiece>> print_pieces(const PrintfFormat& format);

// The format with the lengths that its values have in the source that is written.
[[nodiscard]] std::string print_format(std::string_view text, std::span<const PrintPiece> pieces);

// Bytes from the start of the printf buffer, of an address in it; nothing: it is none, or where it is depends on more.
[[nodiscard]] std::optional<u32> printf_place(const Graph& g, const Node& address);

// The UAV of the printf buffer of OpenCL 1.x.
[[nodiscard]] std::optional<u32> printf_slot(const Source& source);

// As OpenCL C has it, in quotation marks.
[[nodiscard]] std::string text_literal(std::string_view text);

}  // namespace amdcompat::lift
