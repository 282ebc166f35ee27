// What a grammar knows while it reads the fields of one directive. No X3 in this header: code that calls the
// grammars pays nothing for them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <amdcompat/diagnostic.hpp>
#include <amdcompat/text.hpp>

namespace amdcompat::text {

// Why and where a directive's fields could not be read. Grammars are LL(1): the first failure is the finding.
struct FieldFailure {
  Code code{};
  const char* at = nullptr;   // first byte of what was found; the line's end when something is missing
  const char* end = nullptr;
  const char* expected = "";  // in domain words, with an article
};

struct FieldContext {
  FieldFailure failure;
  bool canonical = true;      // false once a spelling was read that the printer would not write
  const char* long_number = nullptr;   // a number of more than 16 digits, accepted but reported
  const char* upper_case_hex = nullptr;
  const char* wide_word = nullptr;     // a data word wider than its element
  const char* list_over_limit = nullptr;
  std::uint32_t list_limit = 0;        // items
  std::uint32_t word_bytes = 0;        // width of a data element
  bool decimal_words = false;          // spec-decimal switch, integers only
  std::vector<std::uint32_t>* ids = nullptr;
  std::vector<std::uint64_t>* words = nullptr;

  bool fail(Code code, const char* at, const char* end, const char* expected) {
    failure = {code, at, end, expected};
    return false;
  }
};

// A closed set of spellings, and one of its members.
template <class T>
struct Spelling {
  std::string_view text;
  T value;
};

}  // namespace amdcompat::text
