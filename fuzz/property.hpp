// What the fuzz targets share: a property that must hold, and findings that point into the input.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <amdcompat/diagnostic.hpp>

namespace amdcompat::fuzz {

// Longer inputs teach nothing that shorter ones do not, and slow the search.
inline constexpr std::size_t kMostBytes = 1u << 16;

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// A broken property ends the run as a crash does; only then is anything printed.
inline void require(bool holds, const char* property) {
  if (holds) return;
  std::fprintf(stderr, "broken property: %s\n", property);
  std::abort();
}

// As `require(!findings.has_errors(), …)`, but says what the errors were.
inline void require_no_errors(const Diagnostics& findings, const char* property) {
  if (findings.has_errors()) std::fputs(render_text(findings, {}, {}).c_str(), stderr);
  require(!findings.has_errors(), property);
}

// Every finding lies inside the input and can be rendered.
inline void check_findings(const Diagnostics& diagnostics, std::string_view input, std::span<const TextRegion> text) {
  for (const Diagnostic& finding : diagnostics.all())
    require(std::uint64_t{finding.where.begin} + finding.where.size <= input.size(), "findings lie inside the input");
  const SourceView source{input, text};
  require(render_text(diagnostics, source, {}).empty() == diagnostics.all().empty(), "findings render as text");
  require(render_json_lines(diagnostics, source).empty() == diagnostics.all().empty(), "findings render as JSON");
}

// Strict for one half of the inputs, decided by the input so that a replay does the same.
inline Mode mode_of(std::string_view input) { return input.size() % 2 == 0 ? Mode::Lenient : Mode::Strict; }

}  // namespace amdcompat::fuzz
