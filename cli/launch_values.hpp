// Values of launch files: numbers, bits and lists of them, as bytes of a type of OpenCL C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace amdcompat::cli {

// "float4", "uint", "unsigned char", "size_t": element and lanes of a type; a qualifier or a star is not part of one.
struct ElementType {
  enum class Kind : std::uint8_t { Signed, Unsigned, Float } kind = Kind::Unsigned;
  unsigned bytes = 4;
  unsigned lanes = 1;  // 3 are stored as 4
};
[[nodiscard]] std::optional<ElementType> element_type(std::string_view name);

// A number, "0x…" (the bits of an element), "nan", "inf" or "-inf", or a list of these. `whole`: one value of the type,
// with a number for each lane, or one for all of them; else as many as the list has. The error says what was expected.
[[nodiscard]] std::expected<std::vector<std::byte>, std::string> encode_value(const nlohmann::ordered_json& value,
                                                                              const ElementType& type, bool whole);

}  // namespace amdcompat::cli
