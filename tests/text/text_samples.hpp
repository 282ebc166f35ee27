// Texts for the tests of the text module, and readable failures.
#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <amdcompat/text.hpp>

#include "support/print_finding.hpp"

namespace amdcompat::text::test {

struct Parsed {
  Document document;
  Diagnostics diagnostics{Mode::Strict};

  [[nodiscard]] std::vector<Code> codes() const {
    std::vector<Code> out;
    for (const Diagnostic& finding : diagnostics.all()) out.push_back(finding.code);
    return out;
  }
};

inline Parsed parsed(std::string_view source, const ReadOptions& options = {}) {
  Parsed out;
  out.document = parse(source, out.diagnostics, options);
  return out;
}
inline Parsed checked(std::string_view source, const ReadOptions& options = {}) {
  Parsed out = parsed(source, options);
  check(out.document, out.diagnostics, options);
  return out;
}

// A block that has nothing to complain about, with more lines in it.
inline std::string kernel(std::string_view lines, std::string_view name = "k") {
  return ";ARGSTART:__OpenCL_" + std::string(name) + "_kernel\n;version:3:1:111\n;uniqueid:1024\n" +
         std::string(lines) + ";ARGEND:__OpenCL_" + std::string(name) + "_kernel\n";
}
inline std::string function(std::string_view id, std::string_view lines) {
  const std::string name = "f" + std::string(id);
  return ";ARGSTART:" + name + "\n;uniqueid:" + std::string(id) + "\n" + std::string(lines) + ";ARGEND:" + name + "\n";
}

// Both ways of printing give the source back.
inline void expect_prints_back(const Document& document) {
  EXPECT_EQ(print(document), document.source());
  const std::size_t count = document.elements.size();
  EXPECT_EQ(count == 0 ? "" : reprint(document, 0, count - 1), document.source());
}

}  // namespace amdcompat::text::test
