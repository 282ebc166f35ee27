// What LLVM makes of a YAML scalar, and how it writes one. Private to this module.
//
// LLVM's metadata reader gives a scalar its type from the text alone: quotes and the key do not matter. Its
// writer adds a tag exactly where the text alone would give another type. Reading and writing here follow the
// same two rules, so that both sides agree with `llvm-readelf` and `.amdgpu_metadata`.
// Observed with llvm-readelf 19 and llvm-mc 16, whose rules are the same: integers are decimal, 0x, 0b, 0o or
// (with a leading zero and a digit) octal, `-` allowed, 64 bits; booleans are the YAML 1.1 words; a number with
// a fraction is whatever C's strtod takes to the end, which includes the empty text, "inf", "nan" and hex floats.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <amdcompat/hsa.hpp>

#include "document.hpp"

namespace amdcompat::hsa {

// The type of a scalar: by its tag ("!int", or the standard "tag:yaml.org,2002:int"), or by its text when the
// tag is empty.
enum class ScalarStatus : std::uint8_t { Ok, UnknownTag, Mismatch };
struct Scalar {
  ScalarStatus status = ScalarStatus::Ok;
  Token::Kind kind = Token::Kind::Nil;
  std::uint64_t number = 0;  // the number's bits; a text is the scalar's own
};
[[nodiscard]] Scalar resolve_scalar(std::string_view text, std::string_view tag);

// `text` as a map key: quoted when it has to be.
[[nodiscard]] std::string yaml_key(std::string_view text);
// A scalar value with the tag it needs. `node` is neither a list nor a map.
[[nodiscard]] std::string yaml_scalar(const Node& node);

}  // namespace amdcompat::hsa
